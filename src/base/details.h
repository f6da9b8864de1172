// The part of bp_stats that only users of broadphase_tune.h can read.
#ifndef BP_DETAILS_H
#define BP_DETAILS_H

#include <broadphase/broadphase_tune.h>
#include <string.h>

_Static_assert(sizeof(bp_details) <= sizeof((bp_stats *)0)->details, "bp_stats.details is too small");

static inline bp_details bp_details_read(const bp_stats *stats) {
    bp_details details;
    memcpy(&details, stats->details, sizeof details);
    return details;
}

static inline void bp_details_write(bp_stats *stats, const bp_details *details) {
    memcpy(stats->details, details, sizeof *details);
}

#endif
