// The patched grid: a sorted grid that is kept from step to step while few objects change.
//
//     base      | a | b | - | d | e | f | - | h |      the sorted grid of an earlier step. A box that moved a little
//                         |               |            is overwritten in place (d). One that has left its cell by
//                         v               v            more than some slack, or its level, leaves a blank that
//     strays    { c, g, and new objects }              overlaps nothing, and becomes a stray
//     moved     the changes of this step: old and new box, as one box if they are near each other
//
// Pairs that have begun or ended are found without touching anything far from the moved boxes: `moved` is sorted into a
// grid of its own, and searched for in the base, among the resting strays, and in itself. A hit is then tested exactly,
// with the old and the new boxes. Most pairs of an object that moves a little stay as they are, and cost nothing more.
//
// Cost: O(changed), a few cache misses for each row of cells that a changed box touches: about ten times the cost of an
// object in a rebuild. Loses when more than one object in a dozen changes, or when many have left the base.
#ifndef BP_PATCHED_GRID_H
#define BP_PATCHED_GRID_H

#include "engine/changes.h"
#include "engine/grid/sorted_grid.h"

typedef struct bp_patched_grid {
    const bp_method_setup *setup;
    bp_sorted_grid *base;
    bool active;      // the base is patched; if not, it is as it was built, and nothing below is valid
    bp_buffer places; // of place, by id
    size_t place_count;
    bp_buffer strays; // of bp_id
    size_t stray_count;
    size_t wear; // number of resting strays that steps had to search, summed up since the base was built

    bp_buffer order;                // of uint64_t: the changes, in the order of the base
    bp_buffer entries, entry_boxes; // the moved boxes
    size_t entry_count;
    bp_buffer resting, resting_boxes; // strays that have not changed
    size_t resting_count;
    bp_sorted_grid moved_grid, resting_grid;
    bp_pairs found;
} bp_patched_grid;

void bp_patched_grid_init(bp_patched_grid *patch, const bp_method_setup *setup, bp_sorted_grid *base);
void bp_patched_grid_free(bp_patched_grid *patch);

// Stops patching: the base has been rebuilt, or will be.
void bp_patched_grid_end(bp_patched_grid *patch);

// Finds the pairs that have begun and ended since the base was built or last patched, and updates it to boxes[0 ..
// count). After a failure the base must be rebuilt. If `begun` has a budget of tests, all searches share it.
bp_status bp_patched_grid_find(bp_patched_grid *patch, const bp_box *boxes, size_t count, const bp_changes *changes,
                               bp_sink *begun, bp_sink *ended);

size_t bp_patched_grid_bytes(const bp_patched_grid *patch);
bp_status bp_patched_grid_validate(const bp_patched_grid *patch, const bp_box *boxes, size_t count);

#endif
