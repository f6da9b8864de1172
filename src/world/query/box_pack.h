// The box pack: a few thousand boxes along a Z-curve, sixteen to a group, and the bounds of each group packed likewise.
//
//     level 2   |  bounds of 16 groups  |  ...                       few enough to be tested one and all
//     level 1   | bounds of 16 boxes | bounds of 16 boxes | ...
//     level 0   | box | box | ... 16 | box | box | ... 16 | ...      in the order of the Z-curve
//     outside   | box | ...                                          infinite ones: every line finds them
//
// Idea: a tree whose nodes are one or two vectors wide, without pointers. A line tests the top level, then the groups
// below the bounds that it meets, with the same kernel on every level. Large boxes come last on the curve, so that they
// do not spoil the bounds of small ones.
//
// Cost: O(n) to build, as long as dozens of searches of a grid among a thousand boxes, and a dozen vector tests for
// a line that meets little. Loses where there are very many boxes: building it anew in every step takes longer than the
// lines gain, and a grid is there anyway.
//
// Source: the packed trees of Kamel and Faloutsos, "On Packing R-trees", 1993, with Morton's curve.
#ifndef BP_BOX_PACK_H
#define BP_BOX_PACK_H

#include "engine/grid/sorted_grid_query.h"

enum {
    BP_BOX_PACK_MOST = 16384, // boxes
    BP_BOX_PACK_LEVELS = 3
};

// A level: where it begins in the columns, and how many boxes it has.
typedef struct bp_pack_level {
    size_t begin, count;
} bp_pack_level;

// All zero is empty.
typedef struct bp_box_pack {
    bp_columns columns; // all levels one after the other, then the boxes outside
    bp_buffer columns_buffer, keys;
    bp_pack_level levels[BP_BOX_PACK_LEVELS];
    size_t level_count;
    bp_pack_level outside;
    double low[3], high[3]; // the bounds of all levels
    size_t room;            // for so many boxes
} bp_box_pack;

void bp_box_pack_free(bp_box_pack *pack, const bp_allocator *allocator);

// Makes room for so many boxes; what was packed is lost. False if memory is short.
bool bp_box_pack_reserve(bp_box_pack *pack, const bp_allocator *allocator, size_t count);

// Packs these boxes, without holes: as many as there is room for, and at most BP_BOX_PACK_MOST. False if too many of them
// are infinite.
bool bp_box_pack_build(bp_box_pack *pack, const bp_method_setup *setup, const bp_box *boxes, size_t count);

// Every box that a line hits, and some that it just misses: the receiver has to test them exactly. False if the numbers
// of the line are too large: then nothing was received.
bool bp_box_pack_query_line(const bp_box_pack *pack, const bp_kernels *kernels, const bp_line *line,
                            const bp_hit_receiver *receiver);

#endif
