#include "base/columns.h"

#include "base/boxes.h"

bool bp_columns_reserve(bp_columns *columns, bp_buffer *buffer, const bp_allocator *allocator, size_t count) {
    const size_t needed = (count + BP_COLUMN_PADDING + 15) / 16 * 16;
    if (!bp_buffer_reserve_slack(buffer, allocator, 0, bp_size_multiply(needed, 7), sizeof(float))) {
        return false;
    }
    bp_columns_place(columns, buffer->data, needed);
    return true;
}

void bp_columns_place(bp_columns *columns, void *memory, size_t distance) {
    float *floats = memory;
    for (size_t axis = 0; axis < 3; ++axis) {
        columns->min[axis] = floats + distance * axis;
        columns->max[axis] = floats + distance * (axis + 3);
    }
    columns->id = (uint32_t *)memory + distance * 6;
}

bool bp_point_columns_reserve(bp_point_columns *columns, bp_buffer *buffer, const bp_allocator *allocator,
                              size_t count) {
    const size_t needed = (count + BP_COLUMN_PADDING + 15) / 16 * 16;
    if (!bp_buffer_reserve_slack(buffer, allocator, 0, bp_size_multiply(needed, 4), sizeof(float))) {
        return false;
    }
    for (size_t axis = 0; axis < 3; ++axis) {
        columns->at[axis] = (float *)buffer->data + needed * axis;
    }
    columns->id = (uint32_t *)buffer->data + needed * 3;
    return true;
}

bool bp_columns_hold(const bp_columns *columns, size_t position, const bp_box *box, uint32_t dimensions) {
    const bp_box flat = bp_box_flatten(*box, dimensions), held = bp_columns_box(columns, position);
    return bp_box_is_same(&held, &flat);
}
