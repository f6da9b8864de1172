// A tree of boxes that is kept: eight children per node, refitted while boxes move, rebuilt when it has degraded.
//
//     slots      | 17  4 96 23  8 51  2 77 | 30 12  - ... | ...       ids, in an order in which neighbours are near; some are free
//     leaves       |  eight boxes in columns |                        level 0: node i holds slots 8 i .. 8 i + 7
//     level 1      |  bounds of eight leaves   |
//     level 2      |  bounds of eight nodes of level 1   |            ... up to one node
//
// Idea: child i of node b is node 8 b + i of the level below, so there are no pointers, and the bounds of eight children are
// compared in one go. The order of the slots is all that is chosen: along a Hilbert curve, which is quickly made, or by
// recursive splits, which is a better tree and takes six times as long to build. Boxes that move keep their slots; a pass over
// all nodes, or the paths above a few slots, fits the bounds to them again. A box that has moved far away, or is new, gets a
// free slot near others: a tree that is kept has an empty leaf for each seven full ones.
//
// Searches go down level by level with lists of (child, node), 8 tests an entry, hits appended without a branch: nested
// loops over the hits took twice as long.
//
// Cost: 41 bytes a box; with what sorting and searching need, 78 in a world of a million. Built 17 ns (Hilbert) or 100 ns
// (splits) a box, refitted 2 ns, searched 20 to 30 ns with two pairs a box, on one core with 512-bit vectors.
// Loses: where many boxes are built once and searched once, a grid takes two thirds of the time.
//
// Source: our own. Trees of eight children in columns are Wald et al. 2008, Hilbert order Kamel and Faloutsos 1994, lists instead
// of recursion Barringer and Akenine-Moeller 2014.
#ifndef BP_TREE_H
#define BP_TREE_H

#include "engine/changes.h"
#include "engine/parts.h"
#include "engine/setup.h"
#include "kernels/range_tester.h"

// The order of the slots: along a Hilbert curve; by recursive splits, a better tree that takes six times as long to build; or runs
// of eight ids, which takes a fifth of the time, for boxes that follow one another in space, as the triangles of a mesh do.
typedef enum bp_tree_order { BP_TREE_HILBERT, BP_TREE_SPLITS, BP_TREE_RUNS } bp_tree_order;

// Slots of a region: those below a node of level 2.
enum { BP_TREE_REGION = BP_TREE_WIDTH * BP_TREE_WIDTH * BP_TREE_WIDTH };

typedef struct bp_tree {
    const bp_method_setup *setup;
    const bp_box *boxes; // by id; those of the last build or update
    size_t box_count;
    const uint8_t *parts; // by id; only boxes of `part` are in the tree. NULL: all are
    uint8_t part;

    // The shape.
    size_t placed;      // ids that have a slot
    size_t level_count; // 0: nothing is built
    size_t node_count[BP_TREE_LEVELS];
    bp_tree_node *levels[BP_TREE_LEVELS]; // in `nodes`
    bp_tree_levels shape;                 // the same, for walks
    bp_buffer nodes;
    bp_buffer ids;   // by slot; BP_TREE_NONE where there is none
    bool is_kept;    // it is updated: there are slots for boxes that come later, and
    bp_buffer slots; // by id; BP_TREE_NONE: it has none
    size_t slot_count;
    bp_buffer full; // by node, on all levels: bits of children without a free slot
    size_t others;  // at least so many ids are of the other part

    // Regions, if it is sorted along the curve and kept: BP_TREE_REGION slots each, where the curve goes on from the last one.
    size_t region_count; // 0: there are none
    bp_buffer regions;   // where each begins on the curve
    bp_tree_frame frame; // of the curve,
    bool is_coarse;      // on which many boxes have the same place, as far as its keys tell

    // When to sort what anew.
    bp_tree_order order, wanted; // as it was built, and is to be
    float span;                  // edges longer than this count as this long
    double quality;              // the surface of all leaves when it was built
    double unjudged;             // searches since the leaves were looked at
    double lost;                 // by searches since it was built, in searches
    double due;                  // regions that are to be sorted anew, one after the other,
    size_t next;                 // from this one on
    double tests;                // of all searches since it was built
    bool is_improved;            // regions are sorted by splits

    bp_buffer keys, records, marks, lists; // scratch
    bp_block_sinks sinks;
} bp_tree;

void bp_tree_init(bp_tree *tree, const bp_method_setup *setup);
void bp_tree_free(bp_tree *tree);
size_t bp_tree_bytes(const bp_tree *tree);

// Builds the tree over boxes[0 .. count), which stay where they are; holes are left out.
bp_status bp_tree_build(bp_tree *tree, const bp_box *boxes, size_t count, bp_tree_order order);

// Adds nodes on top until the tree has at least this many levels.
void bp_tree_raise(bp_tree *tree, size_t levels);

// Refits the tree. `changes` names the boxes that have changed since the last build or update (NULL: perhaps all). Rebuilds the tree
// if it has degraded.
bp_status bp_tree_update(bp_tree *tree, const bp_box *boxes, size_t count, const bp_changes *changes);

// Every pair of boxes in the tree, as (smaller id, larger id).
bp_status bp_tree_find(bp_tree *tree, bp_sink *sink);

// Every pair of one of ids[0 .. count), whose marks are set, and a box of the tree, as (smaller id, larger id); of two marked ids
// the smaller one finds their pair.
bp_status bp_tree_find_changed(bp_tree *tree, const uint32_t *ids, size_t count, const uint8_t *marks, bp_sink *sink);

// Every pair of a box of `a` and one of `b`, as (id in a, id in b), or with `is_ordered` as (smaller id, larger id).
bp_status bp_tree_find_across(bp_tree *a, bp_tree *b, bool is_ordered, bp_sink *sink);

// Every pair of one of boxes[ids[0 .. count)] (NULL: boxes[0 .. count)) and a box of the tree, as (id, id in the tree), or with
// `is_ordered` as (smaller id, larger id).
bp_status bp_tree_find_boxes(bp_tree *tree, const bp_box *boxes, const uint32_t *ids, size_t count, bool is_ordered,
                             bp_sink *sink);

// Whether each box that is no hole is in one slot, and inside the bounds above it; for tests.
bool bp_tree_is_sound(const bp_tree *tree);

// ---- the method's state, for who plans ------------------------------------------------------------------------------

// When it has to be built anew: in this order.
void bp_tree_method_want(void *state, bp_tree_order order);

// Builds it in this order.
bp_status bp_tree_method_build(void *state, const bp_box *boxes, size_t count, bp_tree_order order);

// ---- for the files of this folder -----------------------------------------------------------------------------------

// Whether a box is left out of the tree: a hole, or of another part.
static inline bool bp_tree_lacks(const bp_tree *tree, const bp_box *boxes, size_t id) {
    return bp_box_is_hole(&boxes[id]) || (tree->parts != NULL && tree->parts[id] != tree->part);
}

// Puts the ids of all boxes that belong into the tree into tree->ids, in order: `own` of them, or fewer, because some
// are holes. Sets placed and span. False if memory is short.
bool bp_tree_sort(bp_tree *tree, const bp_box *boxes, size_t count, size_t own, bp_tree_order order);

// Sorts the ids of a region along the curve. Those that belong to other regions by now come last; returns how many do not.
size_t bp_tree_sort_region(const bp_tree *tree, size_t region, uint32_t *ids, size_t count);

// Sorts these ids by splits. *least is about a millionth of the length of an edge around them.
bool bp_tree_sort_by_splits(bp_tree *tree, uint32_t *ids, size_t count, float *least);

// Finds out which slots of a kept tree are free. False if memory is short.
bool bp_tree_find_room(bp_tree *tree);

// Whether it is known which slots are free; for tests.
bool bp_tree_knows_room(const bp_tree *tree);

// Gives each of these boxes, which have none, a free slot near others, and makes the nodes above it large enough. False if there are
// too few.
bool bp_tree_place(bp_tree *tree, const uint32_t *ids, size_t count);

// Frees the slot of a box. The nodes above it stay as large as they are.
void bp_tree_free_slot(bp_tree *tree, size_t slot);

// Sorts the boxes of a region anew, and gives those that have left it a slot elsewhere. False if memory is short, or slots: then the
// tree has to be built anew.
bool bp_tree_tidy(bp_tree *tree, size_t region);

#endif
