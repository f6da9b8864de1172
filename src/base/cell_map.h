// A map of cells: a byte or a bit for each cell of a region, which says whether boxes are there.
//
//     z |  . . . . . .        cells along x lie one after the other, in rows of whole words of 64; rows form planes.
//       |  . # # . . .        What lies outside the region belongs to the outermost cells.
//       |  . . # # # .
//       +------------- x
//
// The cell of a coordinate is monotone: subtracting, multiplying by a positive number, clamping and truncating all keep
// the order of coordinates. So two boxes that overlap always have a cell in common, however coordinates are rounded,
// and infinities need no special case. A NaN (a hole) is in cell 0.
#ifndef BP_CELL_MAP_H
#define BP_CELL_MAP_H

#include <stddef.h>
#include <stdint.h>

enum {
    BP_MAP_WORD = 64,      // cells of a word
    BP_MAP_ROWS_MOST = 255 // cells along an axis beyond a box's first one that are counted
};

typedef struct bp_cell_map {
    uint32_t dimensions;
    float origin[3], inverse[3]; // inverse: cells per unit of length, not negative
    float last[3];               // the outermost cell
    float large;                 // a box with a longer edge than this is marked as large
    uint32_t row, plane;         // cells from one row, and from one plane, to the next
    size_t words;                // of the whole map
} bp_cell_map;

static inline uint32_t bp_map_cell_along(const bp_cell_map *map, int axis, float coordinate) {
    float cell = (coordinate - map->origin[axis]) * map->inverse[axis];
    cell = cell > 0.0f ? cell : 0.0f; // NaN, too
    cell = cell < map->last[axis] ? cell : map->last[axis];
    return (uint32_t)cell;
}

// How many bits of a word are set.
static inline uint32_t bp_count_bits(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(word * 0x0101010101010101u >> 56);
}

// The reach of a box is the number of cells beyond its first one, along each axis, in 8 bits each; and marks.
#define BP_REACH_USUAL 0x00010101u   // the bits of a box that is in two cells along an axis, at most
#define BP_REACH_LARGE 0x01000000u   // its longest edge is longer than map.large
#define BP_REACH_OUTSIDE 0x02000000u // it does not count, and all other bits are 0

#endif
