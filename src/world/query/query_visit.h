// Visiting: the results of a query, one after the other and in order, until the caller has had enough.
//
//     offered, in no order      | 7 3 9 1 8 2 ... |     by one search after the other, each from the last visit on
//     kept: a page of these     | 3 | 1 | 2 |           the smallest; once the page is full a heap, the largest on top
//     visited                     1   2   3             as soon as nothing smaller can follow
//
// A result is ranked by (t, id). What does not fit into the page is dropped, and the search is repeated for it, with a
// larger page if there is memory. So nothing is allocated for few results, and a refusal costs only time.
#ifndef BP_QUERY_VISIT_H
#define BP_QUERY_VISIT_H

#include "world/query/query.h"

typedef struct bp_visit_item {
    double t;
    bp_id id;
} bp_visit_item;

typedef struct bp_visits {
    bp_visit visit;
    void *context;
    bool rounds; // t is rounded to a float
    double max_t;
    bool ended; // by the callback
    bp_visit_item *items;
    size_t capacity, kept;
    bool is_heap;
    bool any;           // there was a visit,
    bp_visit_item last; // and this was the last one
    bool dropped;       // a result did not fit,
    bp_visit_item first_dropped;
} bp_visits;

// A search offers all results; it may end as soon as `is_done` says so.
typedef void (*bp_visit_search)(void *context, bp_visits *visits);

void bp_visits_offer(bp_visits *visits, bp_id id, double t);

// Visits what comes before t: all of that has been offered. Returns whether the search may end.
bool bp_visits_is_done(bp_visits *visits, double t);

// Runs a search, and visits its results. `visits` names the callback and the largest t.
bp_status bp_visits_run(const bp_world *world, bp_visits *visits, bp_visit_search search, void *search_context);

#endif
