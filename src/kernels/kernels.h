// The hot loops of the sorted grid, compiled once per instruction set and chosen at run time.
//
//   keys      boxes -> cells                                 (building)
//   arrange   boxes, in the order of their cells -> columns  (building)
//   widen     a column -> its bounds                         (building)
//   measure   columns -> the cells that each box reaches     (finding)
//   sweep     one box against a range of boxes -> pairs      (finding)
//   probe     a box or a line against a range of boxes       (queries)
//
// Boxes lie in columns, so that a vector holds the same coordinate of neighbouring boxes:
//
//     min x   | 3.1 | 3.4 | 3.9 | 4.2 | ...        one box against eight of these at once; the hits are squeezed
//     max x   | 4.1 | 4.4 | 4.9 | 5.2 | ...        together and appended without a branch (whether any box hits is
//     ...                                          unpredictable: a branch cost 40 %)
//     id      |  17 |   4 |  96 |  23 | ...
//
// The scalar kernels are the reference: all others give the same keys, columns and pairs, in the same order.
#ifndef BP_KERNELS_H
#define BP_KERNELS_H

#include "methods/hierarchical_grid/levels.h"

enum {
    BP_COLUMN_PADDING = 16, // positions after the last that may be read (never reported)
    BP_CHUNK = 256,         // boxes that are measured together
    BP_FIRST = 8,           // candidates of a range that are tested at once
    BP_ROWS = 5             // rows that a box can meet on its level: its own and four neighbours
};

typedef struct bp_columns {
    float *min[3];
    float *max[3];
    uint32_t *id;
} bp_columns;

// The key of a box that is not on this level.
#define BP_KEY_ELSEWHERE UINT32_MAX

// Of boxes on their own level: the x cells of min - reach and of max, and what they cross.
typedef struct bp_measures {
    int32_t low[BP_CHUNK], high[BP_CHUNK];
    int32_t crossed[BP_CHUNK]; // a set of BP_CROSSES_
} bp_measures;

enum {
    BP_CROSSES_Y = 1,    // the upper y face of its cell
    BP_CROSSES_Z = 2,    // the upper z face
    BP_CROSSES_EDGE = 4, // low .. high goes over the edge of the folded grid
    BP_CROSSINGS = 8
};

// Test box `object` against the candidates begin .. end-1.
typedef struct bp_sweep_item {
    uint32_t object, begin, end;
} bp_sweep_item;

typedef struct bp_sweep_job {
    const bp_columns *objects;    // item.object is a position in these
    const bp_columns *candidates; // item.begin and item.end are positions in these
    const bp_sweep_item *items;
    size_t item_count;
    bp_pair *out;
    size_t room;  // pairs that fit into out; an item needs end - begin + BP_COLUMN_PADDING
    bool ordered; // both are the same; pairs as (smaller id, larger id), else as (object, candidate); if candidates->id
                  // is NULL, as (object, position of the candidate)
} bp_sweep_job;

// Boxes of a chunk that all need the same rows: their own, of which each needs what follows it, and others. No range
// goes over the edge of the folded grid.
typedef struct bp_rows_job {
    float *columns;  // min x, y, z, max x, y, z, id, ...
    size_t distance; // ... each so many values after the one before
    const bp_measures *measures;
    size_t position;       // where the chunk begins
    const uint16_t *boxes; // of the chunk, counted from there
    size_t box_count;
    const uint32_t *rows[BP_ROWS]; // the beginnings of their cells; the own row is the first
    size_t row_count;
    uint32_t mask;       // cells of a row, less one
    bp_sweep_item *rest; // room for row_count * box_count items
    bp_pair *out;        // room for BP_FIRST * row_count * box_count + BP_COLUMN_PADDING pairs
} bp_rows_job;

// A piece of a line, for finding boxes that it may meet: the points begin + s * direction for s in 0 .. length, where the
// largest component of the direction is 1 or -1. A face at x is passed at (x - origin) * inverse; the origins are moved
// away from where the piece begins, a little more than all rounding can amount to, so that boxes seem entered too early
// and left too late.
typedef struct bp_probe_line {
    float near_origin[3], far_origin[3]; // for the faces by which boxes are entered and left
    float inverse[3];                    // of the direction; finite
    float length;
} bp_probe_line;

typedef struct bp_kernels {
    // The keys of boxes that fit a level, BP_KEY_ELSEWHERE for the others and for holes. Raises reach[] to the largest
    // extents among those that fit, and returns how many do.
    size_t (*keys)(const bp_level *level, uint32_t dimensions, const bp_box *boxes, size_t count, uint32_t *keys,
                   float reach[3]);

    // Fills the columns of positions begin .. end-1 with the boxes of the ids that are there already.
    void (*arrange)(const bp_columns *columns, size_t begin, size_t end, const bp_box *boxes);

    // For `count` boxes from `position` on, at most BP_CHUNK.
    void (*measure)(const bp_columns *columns, size_t position, size_t count, const bp_level *level,
                    bp_measures *measures);

    // Works through the items until all are done or the next does not fit; tells how many were done and returns how
    // many pairs were written.
    size_t (*sweep)(const bp_sweep_job *job, size_t *items_done);

    // Boxes of a chunk against rows of cells: of each range the first BP_FIRST candidates, without any branch. What is
    // left of longer ranges goes to job->rest, for sweep. Returns how many pairs were written.
    size_t (*sweep_rows)(const bp_rows_job *job, size_t *rest_count, uint64_t *tests);

    // Widens low .. high so that it holds `count` values, none of which is NaN.
    void (*widen)(const float *values, size_t count, float *low, float *high);

    // The boxes at begin .. end-1 that overlap a box, as (position, id). `out` has room for end - begin +
    // BP_COLUMN_PADDING. Returns how many there are.
    size_t (*probe_box)(const bp_columns *columns, size_t begin, size_t end, const bp_box *box, bp_pair *out);

    // The same for a line: all that it meets, and some that it just misses (which ones may depend on the instruction set,
    // if there are NaNs).
    size_t (*probe_line)(const bp_columns *columns, size_t begin, size_t end, const bp_probe_line *line, bp_pair *out);
} bp_kernels;

// Replaces BP_SIMD_AUTO by what this processor has (or what the environment variable BP_SIMD names).
bp_status bp_kernels_choose(bp_config *config);

// The kernels of an instruction set that bp_kernels_choose has accepted.
const bp_kernels *bp_kernels_get(bp_simd simd);

extern const bp_kernels bp_kernels_scalar, bp_kernels_avx2, bp_kernels_avx512, bp_kernels_neon;

// The cell of a box among all cells of all levels.
static inline uint32_t bp_key_of_box(const bp_level *level, const float min[3]) {
    uint32_t folded[3];
    for (int axis = 0; axis < 3; ++axis) {
        folded[axis] = (uint32_t)bp_cell_of(min[axis], level->inverse[axis]) & ((1u << level->bits[axis]) - 1);
    }
    const uint32_t row = folded[2] << level->bits[1] | folded[1];
    return (uint32_t)level->first_cell + (row << level->bits[0] | folded[0]);
}

#endif
