// The checks that a pair has to pass between the method that finds it and the list that keeps it.
//
//     method ---> (proxy, proxy) ---> islands: do these overlap where they are?
//                                ---> view: which objects are they, do they really overlap, is the pair reported here?
//                                ---> objects: group, mask, island, static ---> the caller's filter
#ifndef BP_PAIR_FILTER_H
#define BP_PAIR_FILTER_H

#include "base/pair_sink.h"
#include "view/view.h"

typedef struct bp_pair_filter {
    const bp_view *first;     // the pairs are pairs of its proxies; NULL: pairs are exact already
    const bp_view *second;    // the view of the second proxy of a pair: inside one set the same as `first`
    const bp_box *proxies;    // that have to overlap, because the method got others; NULL: they do
    uint32_t dimensions;      // of these
    bool orders;              // pairs come in any order, and have to become (smaller, larger)
    const bp_object *objects; // by id; NULL: all defaults
    bp_filter filter;         // pass may be NULL
} bp_pair_filter;

// The filter in the form that a sink takes; keeps all pairs if there is no check. `filter` must outlive it.
bp_batch_filter bp_pair_filter_batch(const bp_pair_filter *filter);

static inline bool bp_group_matches(uint64_t group, uint64_t mask) {
    return group == 0 || mask == 0 || (group & mask) != 0;
}

// Whether two objects pair with each other.
static inline bool bp_objects_pass(const bp_object *a, const bp_object *b) {
    return bp_group_matches(a->group, b->mask) && bp_group_matches(b->group, a->mask) && a->island == b->island &&
           (a->flags & b->flags & BP_STATIC) == 0;
}

#endif
