// The search `strips` (strips.c): one set of boxes, or two in the same strips.
#ifndef BP_STRIPS_H
#define BP_STRIPS_H

#include "engine/grid/giants.h"
#include "kernels/range_tester.h"

enum { BP_STRIPS_FEW = 32768 }; // boxes that the cache holds

typedef struct bp_strip_grid {
    const bp_method_setup *setup;
    bp_strips strips;
    bp_giants giants[2];      // of each set, which have no entries
    double entries_expected;  // per box
    uint64_t tests;           // that a search needs
    bool is_shared;           // by several threads
    size_t entry_count;       // of all boxes
    size_t occupied, fullest; // cells with entries, and entries in the fullest cell
    bp_columns columns;
    uint64_t *sorted; // the entries, in the order of their keys
    uint32_t *keys;   // of the entries; later the ends of their candidates
    uint32_t *table;  // where the entries of each key begin
    bp_buffer buffer; // holds all of these
    bp_block_sinks block_sinks;
} bp_strip_grid;

void bp_strip_grid_init(bp_strip_grid *grid, const bp_method_setup *setup);
void bp_strip_grid_free(bp_strip_grid *grid);

// Whether strips suit these boxes, judging by bounds and edges; if so, the boxes can be sorted. `crowding`: how much more often boxes
// are near each other than in an even distribution, as far as that is known.
bool bp_strip_grid_suits(bp_strip_grid *grid, const bp_strip_sets *sets, double crowding);

// Sorts the boxes, once bp_strip_grid_suits has returned true. *gave_up: too many of them share cells for this search.
bp_status bp_strip_grid_sort(bp_strip_grid *grid, const bp_strip_sets *sets, bool *gave_up);

// Finds every overlapping pair of the sorted boxes once: of one set as (smaller id, larger id), of two as (id in the first,
// id in the second).
bp_status bp_strip_grid_find(bp_strip_grid *grid, const bp_strip_sets *sets, bp_sink *sink);

void bp_strip_grid_stats(const bp_strip_grid *grid, bp_stats *stats);

// After the boxes of one set were sorted and searched.
bp_status bp_strip_grid_validate(const bp_strip_grid *grid, const bp_box *boxes, size_t count);

#endif
