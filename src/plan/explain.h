// Figures as text: why this method ran, and why it may be slow.
#ifndef BP_EXPLAIN_H
#define BP_EXPLAIN_H

#include <broadphase/broadphase_tune.h>

// Logs the warnings for a call or update, each only once: `logged` is the set of warnings that were logged before.
void bp_warn(const bp_log *log, const bp_stats *stats, uint32_t *logged);

#endif
