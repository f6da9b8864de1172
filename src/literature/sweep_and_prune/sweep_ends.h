// The ends of all boxes along each axis, kept sorted from step to step, and the pairs that overlap along all of them.
//
//     x axis   | [a | [b | a] | [c | b] | c] | ...     one number each: coordinate (32 bits), begin or end (1), id (31)
//
//     an end that has moved is sifted to its place, past others:
//        a begin passes an end     they overlap along this axis now: if along the others too, a new pair
//        an end passes a begin     they are apart now: if they were a pair, the pair is removed
//
//     pairs    | 0,4 | 2,3 | 2,5 | 6,8 | ...     sorted; what begins and ends is noted, sorted, and merged with them
//
// At the same coordinate begins come before ends, because touching counts. Added boxes are sorted in and tested against all.
#ifndef BP_SWEEP_ENDS_H
#define BP_SWEEP_ENDS_H

#include "base/pair_sink.h"
#include "base/runtime.h"

typedef struct sweep_ends {
    const bp_runtime *runtime;
    uint32_t dimensions;
    const bp_box *boxes; // by id
    size_t id_count;
    size_t end_count;  // on each axis: twice the number of boxes
    bp_buffer ends[3]; // of uint64_t
    bp_buffer spare;   // of uint64_t: for sorting
    bp_buffer last;    // of bp_box, by id: the boxes of which there are ends
    bp_buffer pairs;   // of uint64_t: a << 32 | b, ascending
    bp_buffer merged;  // of uint64_t: where new pairs and these are merged
    bp_buffer events;  // of uint64_t: pairs that begin or end in this update; see sweep_ends.c
    size_t pair_count, event_count;
    uint64_t tests; // of boxes, since the last report
} sweep_ends;

void bp_sweep_ends_init(sweep_ends *ends, const bp_runtime *runtime, uint32_t dimensions);
void bp_sweep_ends_free(sweep_ends *ends);
size_t bp_sweep_ends_bytes(const sweep_ends *ends);

// Builds the ends of boxes whose pairs are known.
bp_status bp_sweep_ends_build(sweep_ends *ends, const bp_box *boxes, size_t count, const bp_pairs *pairs);

// Updates ends and pairs to these boxes. Gives up if more than `budget` ends pass another, or if testing the
// added ones takes longer; then only a build may follow.
bp_status bp_sweep_ends_update(sweep_ends *ends, const bp_box *boxes, size_t count, double budget, bool *gave_up);

// The number of pairs that overlap along an axis: what a sweep along it would test.
double bp_sweep_ends_overlaps(const sweep_ends *ends, int axis);

bp_status bp_sweep_ends_report(sweep_ends *ends, bp_sink *sink);
bp_status bp_sweep_ends_validate(const sweep_ends *ends);

#endif
