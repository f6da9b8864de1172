// The patched grid: a sorted grid that is kept from step to step while few objects change.
//
//     base      | a | b | - | d | e | f | - | h |      the sorted grid of some step ago. A box that has moved a little is
//                         |               |            written over its old self (d); one that has left its cell by more
//                         v               v            than some slack, or its level, leaves a blank that nothing meets
//     loose     { c, g, and what is new }              and is kept here
//     moved     what changes in this step: where it was and where it is, as one box if these are near each other
//
// What has begun and what has ended is found without looking at anything that is far from what moved: `moved` is sorted
// into a grid of its own and swept against the base, against those loose ones that rest, and against itself; a hit is
// then tested exactly, as it was and as it is. Most pairs of an object that moves a little stay as they are, and cost
// nothing more.
//
// Cost: O(changed), a few cache misses for each row of cells that a changed box touches: about ten times what an object
// costs in a rebuild. Loses when more than one object in a dozen changes, or when many have left the base.
#ifndef BP_GRID_PATCH_H
#define BP_GRID_PATCH_H

#include "methods/hierarchical_grid/sorted_grid.h"
#include "methods/method.h"

typedef struct bp_grid_patch {
    const bp_config *config;
    bp_sorted_grid *base;
    bool active;      // the base is patched; else it is as it was built, and nothing here counts
    bp_buffer places; // of place, by id
    size_t place_count;
    bp_buffer loose; // of bp_id
    size_t loose_count;
    size_t wear; // what has been spent on resting loose objects since the base was built

    bp_buffer order;                // of uint64_t: the changes, in the order of the base
    bp_buffer entries, entry_boxes; // what is moved
    size_t entry_count;
    bp_buffer resting, resting_boxes; // loose objects that have not changed
    size_t resting_count;
    bp_sorted_grid moved_grid, resting_grid;
    bp_sink found;
} bp_grid_patch;

void bp_grid_patch_init(bp_grid_patch *patch, const bp_config *config, bp_sorted_grid *base);
void bp_grid_patch_free(bp_grid_patch *patch);

// The base has been built anew, or will be.
void bp_grid_patch_end(bp_grid_patch *patch);

// The pairs that have begun and ended since the base was built or last patched, and brings it up to date with
// boxes[0 .. count). After a failure the base must be built anew.
bp_status bp_grid_patch_find(bp_grid_patch *patch, const bp_box *boxes, size_t count, const bp_changes *changes,
                             bp_sink *begun, bp_sink *ended);

size_t bp_grid_patch_bytes(const bp_grid_patch *patch);
bp_status bp_grid_patch_validate(const bp_grid_patch *patch, const bp_box *boxes, size_t count);

#endif
