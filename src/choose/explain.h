// Figures as text: why a method ran, and what hurts.
#ifndef BP_EXPLAIN_H
#define BP_EXPLAIN_H

#include <broadphase/broadphase.h>

// Writes the warnings for what a step came to into the config's log, each once: `told` is the set of those that have been.
void bp_warn(const bp_config *config, const bp_stats *stats, uint32_t *told);

#endif
