// The pairs of a world: the list of the last update, and how a new one follows from it.
//
//     all pairs found         a new list; with events it is compared with the last one
//     pairs of changed ids    the last list, with these in place of the old pairs of changed ids: for some updates these
//                             are searched for in the list; then rows by object say where they are, and what is new
//
// A search puts its pairs into a list that one of the functions below then takes over. The last list stays as it was
// until nothing can fail any more: events are the difference to it.
#ifndef BP_PAIR_LISTS_H
#define BP_PAIR_LISTS_H

#include "base/pair_sink.h"
#include "base/runtime.h"
#include "engine/changes.h"
#include "kernels/kernels.h"
#include "world/pair_rows.h"

typedef struct bp_pair_lists {
    const bp_runtime *runtime;
    const bp_kernels *kernels;
    bool is_sorted;        // `pairs` is kept ascending by (a, b)
    bool has_events;       // the pairs that have begun and ended are reported
    bp_pairs pairs;        // of the last update
    bp_pairs begun, ended; // by the last update
    bp_pairs spare;        // the next list, while the last one is still needed
    bp_buffer sort_scratch;
    bp_buffer changed; // of bits, by id
    bp_buffer holes;   // of size_t: where the old pairs of changed ids are in `pairs`,
    size_t hole_count;
    bp_pair_rows *rows; // of `pairs`, if `has_rows`
    bool has_rows;
    int paying; // updates in which rows paid, or would have; fewer those in which not
} bp_pair_lists;

bp_pair_lists bp_pair_lists_begin(const bp_runtime *runtime, const bp_kernels *kernels, bp_pair_order order,
                                  bool has_events);
void bp_pair_lists_free(bp_pair_lists *lists);

// Gives back all memory but that of the last list, which keeps room for `count` pairs.
void bp_pair_lists_trim(bp_pair_lists *lists, size_t count);

// Makes room for `count` pairs. False if memory is short.
bool bp_pair_lists_reserve(bp_pair_lists *lists, size_t count);

// The list for a search for all pairs.
bp_pairs *bp_pair_lists_next(bp_pair_lists *lists);

// The following can only fail with BP_ERROR_MEMORY. Then the last list is as it was, unless the search wrote all pairs
// into it. `marks` are those of the change list.

// All pairs are in bp_pair_lists_next: they become the pairs of this update. `marks` may be NULL if no id was reborn.
bp_status bp_pair_lists_take_all(bp_pair_lists *lists, const uint8_t *marks, size_t id_count);

// All pairs of changed ids are in `begun`: they replace the old ones.
bp_status bp_pair_lists_take_changed(bp_pair_lists *lists, const bp_changes *changes, size_t id_count);

// Bytes held, without those of the pairs themselves.
size_t bp_pair_lists_bytes(const bp_pair_lists *lists);

#endif
