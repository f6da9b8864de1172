// Giants: a few boxes that are far larger than all others, as the floor and the walls of a physics world are.
//
//     +--+ +--+    +--+            a search for boxes of similar sizes passes over the giants; each giant is tested
//     +--+ +--+    +--+ +--+       against every box
//     ======================= giant
//
// Cost: a test for each giant and box. Loses where giants are many, so there are none then.
#ifndef BP_GIANTS_H
#define BP_GIANTS_H

#include "base/pair_sink.h"
#include "engine/setup.h"

enum { BP_GIANTS_MAX = 8 };

typedef struct bp_giants {
    uint32_t ids[BP_GIANTS_MAX]; // ascending
    size_t count;
} bp_giants;

// Lists the boxes with an edge longer than `most` along an axis. False, and no giants, if there are too many.
bool bp_giants_list(bp_giants *giants, const bp_box *boxes, size_t count, const double most[3]);

// The boxes that are no giants come in runs:
//   for (begin = bp_giants_skip(g, 0); begin < count; begin = bp_giants_skip(g, end)) { end = bp_giants_next(...); ... }
static inline size_t bp_giants_skip(const bp_giants *giants, size_t begin) {
    for (size_t i = 0; i < giants->count; ++i) {
        begin += giants->ids[i] == begin;
    }
    return begin;
}

// The first giant behind `begin`, or `end` if that comes first.
static inline size_t bp_giants_next(const bp_giants *giants, size_t begin, size_t end) {
    for (size_t i = giants->count; i-- > 0;) {
        end = giants->ids[i] > begin && giants->ids[i] < end ? giants->ids[i] : end;
    }
    return end;
}

// The pairs of the giants of one set with all its boxes, and with each other, as (smaller id, larger id); or of two sets with
// all boxes of the other one, as (id in the first, id in the second). False if memory is short.
bool bp_giants_find(const bp_giants giants[2], const bp_method_setup *setup, const bp_strip_sets *sets, bp_sink *sink);

#endif
