// What a pair has to pass between the method that finds it and the list that keeps it.
//
//     method ---> (proxy, proxy) ---> view: which objects are they, do they really overlap, is this the one place where
//                                     the pair is reported ---> objects: group, mask, island, static ---> caller's filter
#ifndef BP_PAIR_FILTER_H
#define BP_PAIR_FILTER_H

#include "base/pair_sink.h"
#include "view/view.h"

typedef struct bp_pair_filter {
    const bp_view *first;     // whose proxies the pairs are made of; NULL: pairs are exact already
    const bp_view *second;    // between two sets: whose proxies come second in a pair; otherwise the same
    bool orders;              // pairs come in any order, and become (smaller, larger)
    const bp_object *objects; // by id; NULL: all defaults
    bp_filter filter;         // pass may be NULL
} bp_pair_filter;

// The filter as a sink takes it; keeps everything if there is nothing to pass. `filter` must outlive it.
bp_batch_filter bp_pair_filter_batch(const bp_pair_filter *filter);

static inline bool bp_bits_meet(uint32_t group, uint32_t mask) {
    return group == 0 || mask == 0 || (group & mask) != 0;
}

// Whether two objects pair with each other.
static inline bool bp_objects_pass(const bp_object *a, const bp_object *b) {
    return bp_bits_meet(a->group, b->mask) && bp_bits_meet(b->group, a->mask) && a->island == b->island &&
           (a->flags & b->flags & BP_STATIC) == 0;
}

#endif
