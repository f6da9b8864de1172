// The hash grid: levels of cells that objects enter and leave one by one, in O(1).
//
//     level (cells of c0 * f^k)          occupied cells                 objects of a cell, a doubly linked list
//     +---+---+---+---+                  +------+------+
//     | . | 2 | . | 1 |  --- index --->  | cell | head |  ---------->   17 <-> 4 <-> 96
//     +---+---+---+---+                  +------+------+
//     folded: cell & (2^bits - 1)        (so that no search follows the number of cells)
//
// An object lives in the cell of its min corner, on the level whose cells are just larger than it. It is tested against
// its own cell and half of the neighbours on its level, and on coarser levels against the cells that could hold
// something that reaches it. Infinite objects are kept apart and tested against all.
#ifndef BP_HASH_GRID_H
#define BP_HASH_GRID_H

#include "base/pair_sink.h"
#include "methods/hierarchical_grid/levels.h"

typedef struct bp_hash_grid {
    const bp_config *config;
    const bp_box *boxes; // of the caller, by id
    bp_level_rule rule;
    bool has_rule;    // an object has been inserted
    bp_buffer levels; // of hash_level, finest first
    size_t level_count;
    bp_buffer nodes; // of node, by id
    size_t node_count;
    size_t object_count;
    uint32_t infinite; // the list of infinite objects
    size_t infinite_count;
} bp_hash_grid;

void bp_hash_grid_init(bp_hash_grid *grid, const bp_config *config);
void bp_hash_grid_free(bp_hash_grid *grid);

// Removes all objects, in O(objects), and keeps the levels.
void bp_hash_grid_clear(bp_hash_grid *grid);

// Brings the ids named (NULL: all) up to date with boxes[0 .. count): new ones enter, holes leave, others move if they
// must. After BP_ERROR_MEMORY the grid is sound, but not up to date.
bp_status bp_hash_grid_update(bp_hash_grid *grid, const bp_box *boxes, size_t count, const bp_id *changed,
                              size_t changed_count);

bp_status bp_hash_grid_find(bp_hash_grid *grid, bp_sink *sink);

// Only the pairs that have an id of changed[0 .. changed_count).
bp_status bp_hash_grid_find_changed(bp_hash_grid *grid, const bp_id *changed, size_t changed_count,
                                    const uint8_t *is_changed, bp_sink *sink);
void bp_hash_grid_stats(const bp_hash_grid *grid, bp_stats *stats);
bp_status bp_hash_grid_validate(const bp_hash_grid *grid);

#endif
