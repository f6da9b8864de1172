// The state of spatial-hash: the table of cells, and the boxes sorted into it.
#ifndef BP_SPATIAL_HASH_H
#define BP_SPATIAL_HASH_H

#include "base/boxes.h"
#include "base/bucket_sort.h"
#include "engine/setup.h"
#include "kernels/between_search.h"
#include "kernels/cell_classes.h"

#include <string.h>

#define SPATIAL_HASH_NO_CELL UINT32_MAX

typedef struct hash_cell {
    int32_t at[3];
    uint32_t next;                   // in its chain, relative to the first cell of the bucket
    uint32_t bounds[BP_CELL_BOUNDS]; // of the classes of its boxes, in the columns
} hash_cell;

// Cells low .. high per axis.
typedef struct cell_range {
    int32_t low[3], high[3];
} cell_range;

typedef struct spatial_hash {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    float cell_size;
    double inverse;        // cells per unit of length
    uint32_t bucket_bits;  // the table is divided into 1 << bucket_bits buckets,
    uint32_t segment_bits; // each with 1 << segment_bits slots,
    size_t capacity;       // and at most this many cells
    bp_columns columns;    // a box for each entry, in the order of the cells; then the large ones
    size_t entry_count;    // of (box, cell)
    size_t total_count;    // of entries and large boxes
    cell_range *large;     // the cells that the large ones cover
    size_t occupied;       // cells
    size_t fullest;        // boxes in the fullest cell

    bp_partition partition; // of the entries into buckets
    bp_buffer columns_buffer, records_buffer, slots_buffer, cells_buffer, buckets_buffer, totals_buffer, ranges_buffer,
        large_buffer;
    bp_block_sinks sinks;
    bp_other_set other;
} spatial_hash;

// A part of the table that is built independently.
typedef struct hash_bucket {
    uint32_t cell_count;
    uint32_t fullest; // boxes in its fullest cell
    bool is_full;     // it needs more cells than there is room for
} hash_bucket;

// The multiplicative hash of the literature, with its primes; in 64 bits, whose halves are folded. In 32 bits, cells
// that are a large power of two apart would all have the same lower bits, and share a bucket.
static inline uint32_t hash_of_place(const int32_t at[3]) {
    const uint64_t sum = (uint64_t)at[0] * 0x8da6b343u + (uint64_t)at[1] * 0xd8163841u + (uint64_t)at[2] * 0xcb1ab31fu;
    return (uint32_t)(sum ^ sum >> 32);
}

// A slot is hash mod table size: the lower bits are the bucket, those above the slot in it.
static inline size_t bucket_of_hash(const spatial_hash *h, uint32_t hash) {
    return hash & (((size_t)1 << h->bucket_bits) - 1);
}

static inline size_t slot_of_hash(const spatial_hash *h, uint32_t hash) {
    return (hash >> h->bucket_bits) & (((size_t)1 << h->segment_bits) - 1);
}

static inline size_t hash_bucket_count(const spatial_hash *h) {
    return (size_t)1 << h->bucket_bits;
}

static inline hash_bucket *hash_bucket_at(const spatial_hash *h, size_t bucket) {
    return (hash_bucket *)h->buckets_buffer.data + bucket;
}

static inline hash_cell *cells_of_bucket(const spatial_hash *h, size_t bucket) {
    return (hash_cell *)h->cells_buffer.data + bucket * h->capacity;
}

static inline uint32_t *slots_of_bucket(const spatial_hash *h, size_t bucket) {
    return (uint32_t *)h->slots_buffer.data + (bucket << h->segment_bits);
}

static inline bool is_hash_cell_at(const hash_cell *cell, const int32_t at[3]) {
    return (cell->at[0] == at[0]) & (cell->at[1] == at[1]) & (cell->at[2] == at[2]);
}

// Like bp_cell_of, but the numbers stay below 2^30, so that there is a bit to spare.
static inline int32_t hash_cell_of(float coordinate, double inverse) {
    const double last = 1073741823.0;
    double cell = (double)coordinate * inverse;
    cell = cell > -last ? cell : -last; // NaN, too
    cell = cell < last ? cell : last;
    return (int32_t)bp_floor(cell);
}

// The cells that a box overlaps.
static inline cell_range hash_range_of(const spatial_hash *h, const bp_box *box) {
    float coordinates[6];
    int32_t cells[6];
    memcpy(coordinates, box, sizeof coordinates);
    for (int i = 0; i < 6; ++i) { // one loop, so that the compiler uses vectors
        cells[i] = hash_cell_of(coordinates[i], h->inverse);
    }
    cell_range range;
    memcpy(&range, cells, sizeof range);
    return range;
}

// The number of cells in a range; at most 2^93.
static inline double range_cells(const cell_range *range) {
    double cells = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        cells *= (double)range->high[axis] - (double)range->low[axis] + 1.0;
    }
    return cells;
}

// The class bits of an object with this range in a cell of the range.
static inline uint32_t homes_in(const cell_range *range, const int32_t at[3]) {
    return bp_cell_class_bits(at[0] == range->low[0], at[1] == range->low[1], at[2] == range->low[2]);
}

#endif
