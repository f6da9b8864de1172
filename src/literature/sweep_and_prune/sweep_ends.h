// The ends of all boxes along each axis, kept sorted from step to step, and the pairs that overlap along all of them.
//
//     x axis   | [a | [b | a] | [c | b] | c] | ...     one number each: coordinate (32 bits), begin or end (1), id (31)
//
//     an end that has moved is sifted to its place, past others:
//        a begin passes an end     they overlap along this axis now: if along the others too, a new pair
//        an end passes a begin     they are apart now: if they were a pair, the pair is removed
//
// At the same coordinate begins come before ends, because touching counts.
#ifndef BP_SWEEP_ENDS_H
#define BP_SWEEP_ENDS_H

#include "base/runtime.h"
#include "engine/changes.h"
#include "literature/sweep_and_prune/sweep_pair_set.h"

typedef struct sweep_ends {
    const bp_runtime *runtime;
    uint32_t dimensions;
    const bp_box *boxes; // by id
    size_t id_count;
    size_t end_count;          // on each axis: twice the number of boxes
    bp_buffer ends_buffers[3]; // of uint64_t
    bp_buffer spare_buffer;    // for sorting
    bp_buffer marks_buffer;    // of uint8_t, by id: see sweep_ends.c
    bp_buffer last_buffer;     // of bp_box, by id: at the last update
    size_t mark_count;         // ids that have marks and last boxes
    bp_buffer fresh_buffer;    // of bp_id: added objects
    sweep_pair_set pairs;
    uint64_t tests; // of boxes, since the last report
    float reach[3]; // twice the farthest move of an end in this update
    double passed;  // how many ends have passed each other since bp_sweep_ends_overlaps, at most
} sweep_ends;

void bp_sweep_ends_init(sweep_ends *ends, const bp_runtime *runtime, uint32_t dimensions);
void bp_sweep_ends_free(sweep_ends *ends);
size_t bp_sweep_ends_bytes(const sweep_ends *ends);

// Builds the ends of boxes whose pairs are known.
bp_status bp_sweep_ends_build(sweep_ends *ends, const bp_box *boxes, size_t count, const bp_pairs *pairs);

// Updates ends and pairs to boxes of which only the changed ones (NULL: perhaps all) have changed. Gives up, and leaves
// everything undefined, if that takes more than `budget` steps of one end past another.
bp_status bp_sweep_ends_update(sweep_ends *ends, const bp_box *boxes, size_t count, const bp_changes *changes,
                               double budget, bool *gave_up);

// The number of pairs that overlap along an axis: what a sweep along it would test.
double bp_sweep_ends_overlaps(sweep_ends *ends, int axis);

bp_status bp_sweep_ends_report(sweep_ends *ends, bp_sink *sink);
bp_status bp_sweep_ends_validate(const sweep_ends *ends);

#endif
