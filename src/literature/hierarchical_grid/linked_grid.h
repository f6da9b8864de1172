// The linked grid: levels of cells that objects enter and leave one by one, in O(1).
//
//     level (cells of c0 * f^k)          occupied cells                 objects of a cell, a doubly linked list
//     +---+---+---+---+                  +------+------+
//     | . | 2 | . | 1 |  --- index --->  | cell | head |  ---------->   17 <-> 4 <-> 96
//     +---+---+---+---+                  +------+------+
//     folded: cell & (2^bits - 1)        (so that no search depends on the number of cells)
//
// An object belongs to the cell of its min corner, on the level whose cells are just larger than it. It is tested
// against its own cell and half of the neighbours on its level, and on coarser levels against the cells whose objects
// could reach it. Infinite objects are stored separately and tested against all objects.
#ifndef BP_LINKED_GRID_H
#define BP_LINKED_GRID_H

#include "base/pair_sink.h"
#include "engine/changes.h"
#include "engine/grid/level_rule.h"

typedef struct bp_linked_grid {
    const bp_method_setup *setup;
    const bp_box *boxes; // of the caller, by id
    bp_level_rule rule;
    bool has_rule;    // the first object has been inserted, and its size has defined the rule
    bp_buffer levels; // of linked_level, finest first
    size_t level_count;
    bp_buffer nodes; // of node, by id
    size_t node_count;
    size_t object_count;
    uint32_t infinite; // the list of infinite objects
    size_t infinite_count;
} bp_linked_grid;

void bp_linked_grid_init(bp_linked_grid *grid, const bp_method_setup *setup);
void bp_linked_grid_free(bp_linked_grid *grid);

// Removes all objects, in O(objects), and keeps the levels.
void bp_linked_grid_clear(bp_linked_grid *grid);

// Updates the changed objects (NULL: all) to boxes[0 .. count): new ones are inserted, holes are removed, others move
// if they must. After BP_ERROR_MEMORY the grid is consistent, but not up to date.
bp_status bp_linked_grid_update(bp_linked_grid *grid, const bp_box *boxes, size_t count, const bp_changes *changes);

// All pairs, as (smaller id, larger id).
bp_status bp_linked_grid_find(const bp_linked_grid *grid, bp_sink *sink);

// Only the pairs that have a changed id.
bp_status bp_linked_grid_find_changed(const bp_linked_grid *grid, const bp_changes *changes, bp_sink *sink);

size_t bp_linked_grid_bytes(const bp_linked_grid *grid);
void bp_linked_grid_stats(const bp_linked_grid *grid, bp_stats *stats);
bp_status bp_linked_grid_validate(const bp_linked_grid *grid);

#endif
