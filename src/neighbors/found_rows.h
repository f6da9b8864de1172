// Rows of neighbours as a search finds them: one after the other, in the order of the search, not yet sorted.
//
//     arena     | 7 3 9 | 4 | | 8 2 | ...      a row never crosses from one arena to the next
//     late      (p, 5) (q, 6)                  pairs that were decided after the row was written, in the same order
//
// Row lengths are stored per point. When all rows are found, each is sorted into its place.
#ifndef BP_FOUND_ROWS_H
#define BP_FOUND_ROWS_H

#include "base/pair_sink.h"
#include "kernels/kernels.h"
#include "kernels/neighbor_rows.h"
#include "neighbors/image_rows.h"

typedef struct bp_row_arena bp_row_arena;

// Of one block. All zero is empty.
typedef struct bp_found_rows {
    bp_row_arena *first, *last;
    size_t arena_ids; // ids that an arena has room for, unless a row needs more
    bp_pairs late;    // (point, neighbour)
    size_t id_count;  // of all rows, without the late ones
    size_t bytes;     // of all arenas
} bp_found_rows;

// Returns where ids can be written, and for how many there is room: at least `least`. The rows that follow are those of
// positions `position`, position + 1, ... NULL if memory is short.
uint32_t *bp_found_rows_room(bp_found_rows *found, size_t least, size_t position, size_t *room,
                             const bp_allocator *allocator);

// Adds rows that were written there, up to a position. Some positions may have none.
void bp_found_rows_add(bp_found_rows *found, size_t end, size_t id_count);

// Adds late pairs of these rows: (point, id).
bool bp_found_rows_add_late(bp_found_rows *found, const bp_pair *pairs, size_t count, const bp_allocator *allocator);

// Where rows belong.
typedef struct bp_row_places {
    const uint32_t *ids;           // by position: whose row it is,
    const bp_point_images *images; // or NULL; else ids are image ids, and only points have rows
    const bp_neighbors *rows;
    const bp_image_rows *finish; // what is done with rows that are in their place; may be NULL
    const bp_kernels *kernels;
} bp_row_places;

// Whether there is a row at a position, and of which point.
static inline bool bp_row_places_has(const bp_row_places *places, size_t position, uint32_t *point) {
    const uint32_t id = places->ids[position];
    *point = places->images == NULL ? id : bp_image_point(places->images, id);
    return places->images == NULL || bp_image_id(places->images, *point) == id;
}

// Sorts all rows to where they belong. The late pairs are lost.
void bp_found_rows_place(const bp_found_rows *found, const bp_row_places *places);

void bp_found_rows_free(bp_found_rows *found, const bp_allocator *allocator);

#endif
