// Figures as text: why a method ran, and what is slow.
#ifndef BP_EXPLAIN_H
#define BP_EXPLAIN_H

#include <broadphase/broadphase_tune.h>

// Logs the warnings for a call or update, each once: `given` is the set of those that have been given before.
void bp_warn(const bp_log *log, const bp_stats *stats, uint32_t *given);

#endif
