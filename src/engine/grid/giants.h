// Giants: a few boxes that are far larger than all others, as the floor and the walls of a physics world are.
//
//     +--+ +--+    +--+            a grid for boxes of similar sizes gets a copy of the boxes with holes in the places of
//     +--+ +--+    +--+ +--+       the giants; each giant is tested against every box
//     ======================= giant
//
// Cost: a copy of the boxes, and a test for each giant and box. Loses where giants are many, so there are none then.
#ifndef BP_GIANTS_H
#define BP_GIANTS_H

#include "base/memory.h"
#include "base/pair_sink.h"

enum { BP_GIANTS_MOST = 8 };

typedef struct bp_giants {
    uint32_t ids[BP_GIANTS_MOST]; // ascending
    size_t count;
    bp_buffer others; // all boxes, with holes in the places of giants
} bp_giants;

void bp_giants_free(bp_giants *giants, const bp_allocator *allocator);

// Finds the boxes with an edge longer than `most` along an axis, and copies the others. False, and no giants, if there is
// none or there are too many, or if memory is short.
bool bp_giants_part(bp_giants *giants, const bp_allocator *allocator, const bp_box *boxes, size_t count,
                    const double most[3]);

// The copy, or the boxes themselves if there are no giants.
const bp_box *bp_giants_others(const bp_giants *giants, const bp_box *boxes);

// The pairs of giants with all boxes, and with each other, as (smaller id, larger id).
bp_status bp_giants_find(const bp_giants *giants, const bp_box *boxes, size_t count, uint32_t dimensions,
                         bp_sink *sink);

#endif
