// Boxes in columns: one array per coordinate, so that a vector holds the same coordinate of neighbouring boxes.
//
//     min x   | 3.1 | 3.4 | 3.9 | 4.2 | ...
//     max x   | 4.1 | 4.4 | 4.9 | 5.2 | ...
//     ...
//     id      |  17 |   4 |  96 |  23 | ...
#ifndef BP_COLUMNS_H
#define BP_COLUMNS_H

#include "base/memory.h"

enum { BP_COLUMN_PADDING = 16 }; // positions after the last one that may be read, but are never reported

typedef struct bp_columns {
    float *min[3];
    float *max[3];
    uint32_t *id;
} bp_columns;

// The same for points.
typedef struct bp_point_columns {
    float *at[3];
    uint32_t *id;
} bp_point_columns;

// Makes room for `count` boxes in columns that lie in `buffer`. Their old contents are lost.
bool bp_columns_reserve(bp_columns *columns, bp_buffer *buffer, const bp_allocator *allocator, size_t count);

// Columns in memory for 7 * distance values, the padding counted.
void bp_columns_place(bp_columns *columns, void *memory, size_t distance);

bool bp_point_columns_reserve(bp_point_columns *columns, bp_buffer *buffer, const bp_allocator *allocator,
                              size_t count);

// Whether a box is at this position of the columns; in two dimensions flattened.
bool bp_columns_hold(const bp_columns *columns, size_t position, const bp_box *box, uint32_t dimensions);

static inline bp_box bp_columns_box(const bp_columns *columns, size_t position) {
    return (bp_box){.min = {columns->min[0][position], columns->min[1][position], columns->min[2][position]},
                    .max = {columns->max[0][position], columns->max[1][position], columns->max[2][position]}};
}

static inline void bp_columns_put_box(const bp_columns *columns, size_t position, const bp_box *box) {
    for (int axis = 0; axis < 3; ++axis) {
        columns->min[axis][position] = box->min[axis];
        columns->max[axis][position] = box->max[axis];
    }
}

static inline void bp_columns_put(const bp_columns *columns, size_t position, const bp_box *box, uint32_t id) {
    bp_columns_put_box(columns, position, box);
    columns->id[position] = id;
}

#endif
