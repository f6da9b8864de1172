// The plan: which search runs over which boxes, and why. The only place that chooses; `method = auto` runs what it says.
//
//     few boxes --------------------> all pairs
//     in an order, as meshes are ---> tree, in this order: nothing has to be sorted
//     a world, few changes ---------> tree: only the pairs of what has changed
//     else -------------------------> the search of which the least cost is foreseen for such boxes (costs.h)
//
//     any of these tests too much --> split, for a while: it has no bad input
//
// Nobody looks at more than he must: each question is asked when the ones before it have been answered with no.
//
// The facts are counts and lengths, never times: the order of pairs as they are found depends on the search, and results depend
// on the input alone. For the same reason nothing here depends on the number of threads, or on whether memory is short.
#ifndef BP_PLAN_H
#define BP_PLAN_H

#include "engine/setup.h"
#include "engine/tree/tree.h"
#include "plan/costs.h"

#include <broadphase/broadphase_tune.h>

typedef struct bp_plan {
    bp_method search;
    bp_tree_order order; // of a tree
    bp_rule rule;        // why
    double cost;         // foreseen, in nanoseconds a box; 0: the rule needs no costs
    bp_method next;      // the next best,
    double next_cost;    // and its cost
} bp_plan;

// What a world has seen so far. All zero: nothing.
typedef struct bp_history {
    uint32_t split_stays; // updates for which split is used when it is next needed: each time twice as many
    uint32_t split_left;  // of them, this time
    uint32_t strips_wait; // updates before strips are tried again
    uint32_t better_wait; // updates before the tree is built by splits again because it tested too much
    bp_method search;     // of the last plan
    uint32_t age;         // updates since the last survey,
    size_t changed;       // and objects that changed in them, summed up
    size_t count;         // objects at the last survey; 0: there was none
    uint32_t changes;     // how often the search was changed
} bp_history;

// Answers to what a plan asks about boxes; each is found out when it is asked for.
typedef struct bp_plan_questions {
    bool (*have_runs)(void *context);
    double (*sort_strips)(
        void *context); // the tests a box that a search of the sorted strips takes; infinite: they do not suit
    const bp_choice *(*facts)(void *context);
    void *context;
} bp_plan_questions;

// For one search over boxes, or between two sets, of which nothing is kept.
bp_plan bp_plan_call(const bp_method_setup *setup, const bp_strip_sets *sets, bool has_parts,
                     const bp_plan_questions *ask);

// For an update in which `changed` of `count` objects have changed; all that is known of them is in `history`, which it moves on.
bp_plan bp_plan_update(const bp_method_setup *setup, size_t count, size_t changed, bool has_parts, bp_history *history,
                       const bp_plan_questions *ask);

// What takes over from a search that has tested too much, and for how long. A tree that a world keeps is first built in the better
// order, by splits; if that does not last, split takes over. In calm times the tree stays: only this one search for all pairs is
// too much for it.
bp_plan bp_plan_after(bool is_calm, bool has_kept_tree, bp_history *history);

// The order of a tree that has to be built anew.
bp_tree_order bp_plan_order(const bp_choice *facts, bool is_calm);

// What boxes are like, in a word; for explanations.
bp_rule bp_plan_rule_of(const bp_choice *facts);

// Whether the facts about a world are to be gathered anew.
bool bp_plan_wants_survey(const bp_history *history, size_t count, bool has_parts);

#endif
