// One search without a state, from boxes to pairs: the code that bp_find_pairs and bp_find_neighbors share.
//
//     boxes of one set or two ---> views ---> choose a method ---> build ---> find ---> pairs, figures
#ifndef BP_ONE_CALL_H
#define BP_ONE_CALL_H

#include "api/config.h"
#include "base/pair_sink.h"
#include "view/view.h"

typedef struct bp_one_call {
    // The request:
    const bp_setup *setup;
    const bp_overlap_rule *rule; // when two objects overlap
    bp_input a;
    const bp_input *b; // NULL inside one set
    size_t expected;   // about how many pairs there will be
    bp_pairs *pairs;   // the result
    // Returns the checks that pairs have to pass, once the views exist. What it refers to must live until the call
    // ends.
    bp_sink_rules (*rules)(const struct bp_one_call *call, void *context);
    void *context;

    // Filled in by bp_one_call_run:
    bp_view first, second;     // the boxes that methods see for the two sets, or for the one
    const bp_view *built_over; // the view that the structure is built over: of two sets, that of the second. The first
                               // set is searched for in it
    bool exact;                // pairs of the views are pairs of the input, without another check
    bp_stats stats;
} bp_one_call;

// Checks that the method supports the call. If not, logs why and returns BP_ERROR_UNSUPPORTED.
bp_status bp_one_call_check(const bp_setup *setup, bool between);

// Runs the whole search. After BP_ERROR_CAPACITY the figures are valid, too.
bp_status bp_one_call_run(bp_one_call *call);

// Says in the log what to do about BP_ERROR_MEMORY; returns it.
bp_status bp_one_call_refuse_memory(const bp_one_call *call);

#endif
