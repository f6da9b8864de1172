// The shortlist: the first of all results that are offered, by (t, id), in order, in a buffer of the caller's.
//
//     offered   7 3 9 1 8 2 ...            count: all of them
//     kept      | 3 | 1 | 2 |              once the buffer is full a heap, the last one on top; sorted at the end
//
// Nothing is allocated, unless the list may grow. Cost: O(1) for most offers, O(log capacity) for one that is kept in a full
// buffer.
#ifndef BP_SHORTLIST_H
#define BP_SHORTLIST_H

#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct bp_shortlist {
    unsigned char *items; // ids; or an id, then a float; or an id, then a double
    size_t item_size;
    size_t capacity, kept, offered;
    bool is_heap;

    bool is_few;                // what does not fit is not wanted: it need not be offered
    bool rounds;                // t is rounded to a float
    double most;                // results beyond this t are not wanted,
    bool is_continued;          // and of the others only those
    bp_ray_hit_double previous; // after this one

    bp_buffer *room; // not NULL: the items are in it, and it grows
    const bp_allocator *allocator;
    size_t capacity_most; // up to this
    bool has_failed;      // memory was refused: results are missing
} bp_shortlist;

// A list of ids, of hits or of near objects, in 32 bits or in 64.
static inline bp_shortlist bp_shortlist_begin(void *items, size_t item_size, size_t capacity) {
    return (bp_shortlist){.items = items, .item_size = item_size, .capacity = capacity, .most = INFINITY};
}

// A list of hits in a buffer that grows, up to `most` hits; 0: without a limit.
static inline void bp_shortlist_begin_growing(bp_shortlist *list, bp_buffer *room, const bp_allocator *allocator,
                                              size_t most) {
    const size_t capacity = room->bytes / sizeof(bp_ray_hit);
    *list = (bp_shortlist){.items = room->data,
                           .item_size = sizeof(bp_ray_hit),
                           .capacity = most > 0 && most < capacity ? most : capacity,
                           .is_few = most > 0,
                           .most = INFINITY,
                           .room = room,
                           .allocator = allocator,
                           .capacity_most = most > 0 ? most : SIZE_MAX};
}

// Whether only the first of all results is wanted.
static inline bool bp_shortlist_wants_first(const bp_shortlist *list) {
    return list->is_few && !list->is_continued && (list->room != NULL ? list->capacity_most : list->capacity) == 1;
}

void bp_shortlist_offer(bp_shortlist *list, bp_id id, double t);

// What is beyond this t need not be offered.
double bp_shortlist_limit(bp_shortlist *list);

bp_ray_hit_double bp_shortlist_get(const bp_shortlist *list, size_t index);
void bp_shortlist_sort(bp_shortlist *list);

// Ends a query: sorts the list, stores the number of results in *found, and returns whether they fit. If `found` is
// NULL, the id after the last result is set to BP_NO_ID.
bp_status bp_shortlist_finish(bp_shortlist *list, size_t *found);

#endif
