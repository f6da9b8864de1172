// A config, checked once, completed, and split into what each room needs.
#ifndef BP_CONFIG_H
#define BP_CONFIG_H

#include "engine/setup.h"
#include "view/overlap.h"

typedef struct bp_setup {
    bp_method method; // may still be BP_METHOD_AUTO
    uint32_t flags;
    bp_pair_order pair_order;
    bp_radius_rule radius_rule;
    bp_filter filter;
    bp_stats *stats;         // where a one-call function writes its figures; may be NULL
    bp_overlap_rule overlap; // what overlaps
    bp_method_setup methods; // what methods get: memory, threads and log are in its runtime
} bp_setup;

// Whether a caller has left the reserved fields of a struct alone. If not, logs that `field` has to be 0.
bool bp_reserved_is_zero(const bp_log *log, const char *field, const uint64_t *reserved, size_t count);

// Checks a config (NULL: all defaults) and completes it. Logs what is wrong.
bp_status bp_setup_complete(const bp_config *config, bp_setup *setup);

// The allocator that a config names, or the default one. `config` may be NULL.
bp_allocator bp_config_allocator(const bp_config *config);

#endif
