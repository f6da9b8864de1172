// The setup of a method: the parts of a config that concern it, checked and complete.
#ifndef BP_SETUP_H
#define BP_SETUP_H

#include "base/runtime.h"
#include "kernels/kernels.h"

#include <stdbool.h>

// settings.brute_force_below, unless the caller sets it: where both ways take the same time (docs/performance.md).
enum { BP_BRUTE_FORCE_BELOW = 320 };

// With fewer objects than this, testing all pairs is always fastest, whatever they are like.
enum { BP_ALL_PAIRS_BELOW = 96 };

typedef struct bp_method_setup {
    bp_runtime runtime;
    const bp_kernels *kernels; // of the chosen instruction set
    uint32_t dimensions;
    bool is_explained; // somebody will read why a search ran
    bool is_kept;      // a world's: what is built will be updated
    bool has_events;   // and lists of pairs are compared, for which it is best to find them in the same order each time
    bp_update_strategy update;
    bp_method_settings settings; // with all defaults filled in
} bp_method_setup;

// Whether the settings have a domain: all zero means none.
static inline bool bp_domain_is_set(const bp_box *domain) {
    bool is_set = false;
    for (int axis = 0; axis < 3; ++axis) {
        is_set |= domain->min[axis] != 0.0f || domain->max[axis] != 0.0f;
    }
    return is_set;
}

#endif
