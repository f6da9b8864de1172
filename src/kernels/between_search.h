// The search between two sets: the boxes of another set, in chunks, against the boxes that a method has built.
//
//     boxes ---> columns | chunk 0 | chunk 1 | ... |      in the order of their ids
//                             |
//                             v
//     test_boxes(begin, end): lists each of them against the ranges of candidates that it may overlap
#ifndef BP_BETWEEN_SEARCH_H
#define BP_BETWEEN_SEARCH_H

#include "kernels/range_tester.h"

// The other set, whose memory is kept from search to search. All zero is empty.
typedef struct bp_other_set {
    bp_columns columns;
    bp_buffer buffer;
} bp_other_set;

typedef struct bp_between_search {
    const bp_runtime *runtime;
    const bp_kernels *kernels;
    uint32_t dimensions;
    const bp_columns *candidates;
    // Lists the boxes at begin .. end-1 of tester->objects.
    void (*test_boxes)(const void *context, bp_range_tester *tester, size_t begin, size_t end);
    const void *context;
} bp_between_search;

// Finds the pairs of boxes[0 .. count) and candidates, as (id of the former, id of the latter).
bp_status bp_between_search_run(const bp_between_search *search, bp_other_set *other, const bp_box *boxes, size_t count,
                                bp_block_sinks *sinks, bp_sink *sink);

#endif
