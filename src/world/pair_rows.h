// The pairs of a list by object: for bp_pairs_of, and for updates in which few objects have changed.
//
//     rows      | 0, 2 of 8 | 8, 1 of 8 | -, 0 of 0 | ...    by id: where its row begins, and how many entries it has
//     entries   | 4, 17, 0 | 9, 3, 2 |  -  ...                for each pair of the object: the other one; where the pair is in
//                                                            the list; which entry it is in the row of the other one
//     by place  | 0 | 0 | 1 | ...                            which entry it is in the row of its smaller id
//
// So pairs are added and removed in O(1). Rows are made in one pass over all pairs, which takes as long as searching the list
// for some objects a dozen times. A row that is full moves to where another one of the length it needs has been, or behind the last one.
#ifndef BP_PAIR_ROWS_H
#define BP_PAIR_ROWS_H

#include "base/memory.h"
#include "engine/changes.h"

#include <stdatomic.h>

typedef struct bp_pair_row {
    size_t begin;
    uint32_t count, room;
} bp_pair_row;

typedef struct bp_pair_entry {
    uint32_t other, place, twin;
} bp_pair_entry;

// Lengths of room, in steps, that is used again when a row has left it.
enum { BP_ROOMS_LEFT = 16 };

typedef struct bp_pair_rows {
    bp_buffer rows;                   // of bp_pair_row, by id
    bp_buffer entries;                // of bp_pair_entry
    bp_buffer by_place;               // of uint32_t
    bp_buffer seen;                   // of uint32_t, by id: which entry it may be in the row that is compared
    size_t id_count, used, used_most; // entries, with room; beyond so many the rows are scattered
    size_t left
        [BP_ROOMS_LEFT]; // room that rows have left, by its length: where the last one begins, and 1; 0: there is none

    atomic_uint_fast64_t asked;   // version of the pairs, and questions since then
    atomic_uint_fast64_t version; // of the pairs that the rows are valid for; 0: none
    atomic_bool is_making;
} bp_pair_rows;

// NULL if memory is short.
bp_pair_rows *bp_pair_rows_create(const bp_allocator *allocator);
// NULL is allowed.
void bp_pair_rows_destroy(bp_pair_rows *rows, const bp_allocator *allocator);
// Gives all memory back: there are no rows.
void bp_pair_rows_trim(bp_pair_rows *rows, const bp_allocator *allocator);
size_t bp_pair_rows_bytes(const bp_pair_rows *rows);

// Whether rows can hold this many pairs.
static inline bool bp_pair_rows_fit(size_t pair_count) {
    return pair_count < UINT32_MAX / 2;
}

// Makes the rows of all pairs. False if memory is short: then there are none.
bool bp_pair_rows_make(bp_pair_rows *rows, const bp_pairs *pairs, size_t id_count, const bp_allocator *allocator);

// Whether too many rows have moved, so that all should be rebuilt.
bool bp_pair_rows_are_scattered(const bp_pair_rows *rows);

// The entries of an object.
size_t bp_pair_rows_of(const bp_pair_rows *rows, bp_id id, const bp_pair_entry **entries);

// How many entries the changed objects have.
size_t bp_pair_rows_count(const bp_pair_rows *rows, const bp_changes *changes);

// `changed` has a bit for each id, set if it has changed. All pairs of changed objects are in `begun`, each once, and best those of one object after another. Leaves those there that
// are new; puts into `holes`, which has room, where those are that have ended, and returns their number. A pair of an object
// that was reborn has ended and is new.
size_t bp_pair_rows_compare(bp_pair_rows *rows, const bp_changes *changes, const uint64_t *changed, bp_pairs *begun,
                            size_t *holes);

// Makes room for more pairs, up to `pair_count`. False if memory is short.
bool bp_pair_rows_reserve(bp_pair_rows *rows, const bp_pairs *more, size_t pair_count, size_t id_count,
                          const bp_allocator *allocator);

// Asks for the memory of a pair that is about to be removed or added.
void bp_pair_rows_fetch(const bp_pair_rows *rows, bp_pair pair);

// A pair is at this place of the list now: a new one, for which there is room; or the one that was at another place.
void bp_pair_rows_add(bp_pair_rows *rows, bp_pair pair, size_t place);
void bp_pair_rows_move(bp_pair_rows *rows, bp_pair pair, size_t from, size_t place);
void bp_pair_rows_remove(bp_pair_rows *rows, bp_pair pair, size_t place);

#endif
