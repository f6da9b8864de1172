// Questions to a tree that only read it, so that several threads may ask at once: which boxes overlap a box, which does a line
// meet, which are nearest to a point? A line or a point walks through the tree (kernels/tree.h): what it finds, and whether
// it goes on, is up to the caller.
#ifndef BP_TREE_QUERY_H
#define BP_TREE_QUERY_H

#include "engine/tree/tree.h"

// The points origin + t * direction for t in 0 .. end; or, where `opposite` is another point, the box between the two that moves
// like this. All numbers are finite, except perhaps the end.
typedef struct bp_line {
    double origin[3], opposite[3]; // the min and max corners of the box
    double direction[3];           // not all zero
    double rounding[3];            // error bounds of the corners
    double end;
} bp_line;

// Passes on every pair of one of boxes[0 .. count) and a box of the tree, as (index, id), some at a time.
enum { BP_TREE_TAKEN = 32 * BP_TREE_WIDTH + BP_TREE_PADDING }; // at most
typedef void (*bp_tree_take)(void *context, const bp_pair *pairs, size_t count);
void bp_tree_meet_boxes(const bp_tree *tree, const bp_box *boxes, size_t count, bp_tree_take take, void *context);

// Passes on every pair of a line and a slot that it may hit, as (index of the walk, slot), some at a time. The walks have just begun;
// what is near does not come first.
void bp_tree_trace_lines(const bp_tree *tree, bp_tree_walk *const *walks, size_t count, bp_tree_take take,
                         void *context);

// Begins a walk. False if the numbers of the line or the point are too large for floats. A walk meets every box that a line hits,
// also if that is computed as (face - corner) / direction in 64 bits, and some that it just misses. With `is_first` only the first
// hit, or the nearest box, and what is rounded to the same t or distance is wanted: then it may go on after a leaf with hits.
bool bp_tree_walk_line(bp_tree_walk *walk, const bp_tree_levels *levels, const bp_line *line, bool is_first);
bool bp_tree_walk_point(bp_tree_walk *walk, const bp_tree_levels *levels, const double point[3], bool is_first);

// Begins a walk again, in another tree. Its limit stays.
void bp_tree_walk_again(bp_tree_walk *walk, const bp_tree_levels *levels);

// What is hit after t is not wanted any more; or what is farther away than this.
void bp_tree_limit_line(bp_tree_walk *walk, double t);
void bp_tree_limit_point(bp_tree_walk *walk, double distance);

// The box of a slot that is a hit.
static inline void bp_tree_hit_box(const bp_tree_levels *levels, uint32_t slot, bp_box_double *box) {
    const bp_tree_node *leaf = &levels->nodes[slot / BP_TREE_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        box->min[axis] = (double)leaf->min[axis][slot % BP_TREE_WIDTH];
        box->max[axis] = (double)leaf->max[axis][slot % BP_TREE_WIDTH];
    }
}

#endif
