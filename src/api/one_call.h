// One search without a state, from boxes to pairs: what bp_find_pairs and bp_find_neighbors share.
//
//     boxes of one set or two ---> views ---> choose a method ---> build ---> find ---> pairs, figures
#ifndef BP_ONE_CALL_H
#define BP_ONE_CALL_H

#include "api/config.h"
#include "base/pair_sink.h"
#include "view/view.h"

typedef struct bp_one_call {
    // What is asked for:
    const bp_setup *setup;
    const bp_overlap_rule *rule; // what overlaps
    bp_input a;
    const bp_input *b; // NULL inside one set
    size_t expected;   // about how many pairs there will be
    bp_pairs *pairs;   // gets them
    // Says what pairs have to pass, when the views are there. What it refers to must live until the call ends.
    bp_sink_rules (*rules)(const struct bp_one_call *call, void *context);
    void *context;

    // Filled in by bp_one_call_run:
    bp_view first, second;     // what methods see of the two sets, or of the one
    const bp_view *built_over; // the one that the structure is built over: that of the second set of two. The first is
                               // searched for in it
    bool exact;                // pairs of the views are pairs of the input, without another check
    bp_stats stats;
} bp_one_call;

// Whether the method can do what is asked. Logs what it cannot do, and returns BP_ERROR_UNSUPPORTED.
bp_status bp_one_call_check(const bp_setup *setup, bool between);

// Does all of it. After BP_ERROR_CAPACITY the figures are there too.
bp_status bp_one_call_run(bp_one_call *call);

#endif
