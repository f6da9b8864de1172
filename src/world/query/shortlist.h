// The shortlist: the smallest of all results that are offered, in order, in a buffer of the caller's.
//
//     offered   7 3 9 1 8 2 ...            count: all of them
//     kept      | 3 | 1 | 2 |              once the buffer is full a heap, the largest on top; sorted at the end
//
// A result is a key of 64 bits: an id, or an id below the bits of a float. Bits of non-negative floats sort like the
// floats. Nothing is allocated. Cost: O(1) for most offers, O(log capacity) for one that is kept in a full buffer.
#ifndef BP_SHORTLIST_H
#define BP_SHORTLIST_H

#include <broadphase/broadphase.h>
#include <stdbool.h>
#include <string.h>

typedef struct bp_shortlist {
    unsigned char *items; // the caller's: ids, or an id and a float each
    size_t item_size;
    size_t capacity;
    size_t kept;
    size_t offered;
} bp_shortlist;

static inline uint64_t bp_ranked_key(bp_id id, float rank) {
    uint32_t bits;
    memcpy(&bits, &rank, sizeof bits);
    return (uint64_t)bits << 32 | id;
}

// Lists of ids, of hits and of near objects.
bp_shortlist bp_shortlist_of_ids(bp_id *ids, size_t capacity);
bp_shortlist bp_shortlist_of_hits(bp_ray_hit *hits, size_t capacity);
bp_shortlist bp_shortlist_of_near(bp_near *near, size_t capacity);

void bp_shortlist_offer(bp_shortlist *list, uint64_t key);

// Keys from this one on are not kept.
uint64_t bp_shortlist_limit(const bp_shortlist *list);

// Empties the list, and resets the count of offers.
void bp_shortlist_clear(bp_shortlist *list);

void bp_shortlist_sort(bp_shortlist *list);

// Ends a query: sorts the list, stores the number of results in *found, and returns whether they fit. If `found` is
// NULL, the id after the last result is set to BP_NO_ID.
bp_status bp_shortlist_finish(bp_shortlist *list, size_t *found);

#endif
