// The sieve: what a pair has to pass between the method that finds it and the list that keeps it.
//
//     method ---> (proxy, proxy) ---> view: which objects, do they really overlap, is this the one place where the pair
//                                     is reported ---> objects: group, mask, island, static ---> the caller's filter
//
// It works on a batch of pairs that has just been written, on the thread that wrote it.
#ifndef BP_SIEVE_H
#define BP_SIEVE_H

#include "view/view.h"

typedef struct bp_sieve {
    // Takes the place of all others if it is there: moves the pairs that pass to the front, returns how many they are.
    size_t (*sift)(const void *context, bp_pair *pairs, size_t count);
    const void *context;

    const bp_view *first;     // whose proxies the pairs are made of; NULL: pairs are exact already
    const bp_view *second;    // between two sets: whose proxies come second in a pair; else the same
    const bp_object *objects; // by id; NULL: all defaults
    bp_filter filter;         // pass may be NULL
} bp_sieve;

// Moves the pairs that pass to the front and returns how many they are.
size_t bp_sieve_pass(const bp_sieve *sieve, bp_pair *pairs, size_t count);

static inline bool bp_bits_meet(uint32_t group, uint32_t mask) {
    return group == 0 || mask == 0 || (group & mask) != 0;
}

// Whether two objects want to meet.
static inline bool bp_objects_pass(const bp_object *a, const bp_object *b) {
    return bp_bits_meet(a->group, b->mask) && bp_bits_meet(b->group, a->mask) && a->island == b->island &&
           (a->flags & b->flags & BP_STATIC) == 0;
}

#endif
