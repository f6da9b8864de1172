#include "neighbors/tube.h"

#include "neighbors/point_images.h"

#include <math.h>

// Cells of all rows, copied with the same shift.
typedef struct piece {
    size_t first, last;
    float shift;
} piece;

// What a shift along an axis adds to the names of images.
static uint32_t code_step(const bp_point_plan *plan, float shift, uint32_t step) {
    return !plan->has_codes || shift == 0.0f ? 0 : shift < 0.0f ? 0 - step : step;
}

// Which cell follows `step` cells after one, and the shift that makes it the one. False if there is none.
static bool step_along(const bp_point_plan *plan, uint32_t axis, size_t cell, int step, size_t *there, float *shift) {
    const int64_t cells = plan->cells[axis], to = (int64_t)cell + step;
    const int64_t wrapped = to < 0 ? to + cells : to >= cells ? to - cells : to;
    *there = (size_t)wrapped;
    *shift = to < 0 ? -plan->wrap[axis] : to >= cells ? plan->wrap[axis] : 0.0f;
    return wrapped == to || plan->period[axis] > 0.0;
}

static size_t rows_around(const bp_point_plan *plan, const bp_point_grid *grid, size_t row,
                          bp_tube_row rows[BP_TUBE_ROWS]) {
    const size_t y = row % plan->cells[1], z = row / plan->cells[1];
    const int flat = plan->dimensions == 2;
    size_t count = 0;
    for (int dz = flat - 1; dz <= 1 - flat; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            size_t there_y = 0, there_z = 0;
            bp_tube_row *r = &rows[count];
            if (step_along(plan, 1, y, dy, &there_y, &r->shift[0]) &&
                step_along(plan, 2, z, dz, &there_z, &r->shift[1])) {
                r->renaming =
                    code_step(plan, r->shift[0], BP_IMAGE_CODE_Y) + code_step(plan, r->shift[1], BP_IMAGE_CODE_Z);
                r->cells = grid->table + (there_z * plan->cells[1] + there_y) * plan->cells[0];
                ++count;
            }
        }
    }
    return count;
}

// The pieces of cells first - reach .. last + reach - 1: those before 0, those inside, those from the end on.
static size_t cut_pieces(const bp_point_plan *plan, size_t first, size_t last, piece pieces[3]) {
    const size_t cells = plan->cells[0], reach = plan->reach;
    const bool periodic = plan->period[0] > 0.0;
    size_t count = 0;
    if (first < reach && periodic) {
        pieces[count++] = (piece){.first = first + cells - reach, .last = cells, .shift = -plan->wrap[0]};
    }
    pieces[count++] =
        (piece){.first = first < reach ? 0 : first - reach, .last = last + reach < cells ? last + reach : cells};
    if (last + reach > cells && periodic) {
        pieces[count++] = (piece){.last = last + reach - cells, .shift = plan->wrap[0]};
    }
    return count;
}

bool bp_tube_fill(bp_tube *tube, const bp_point_plan *plan, const bp_point_grid *grid, size_t row, size_t first,
                  size_t last, const bp_kernels *kernels, const bp_allocator *allocator) {
    bp_tube_row rows[BP_TUBE_ROWS];
    piece pieces[3];
    const size_t row_count = rows_around(plan, grid, row, rows), piece_count = cut_pieces(plan, first, last, pieces);
    size_t points = 0;
    for (size_t p = 0; p < piece_count; ++p) {
        for (size_t r = 0; r < row_count; ++r) {
            points += rows[r].cells[pieces[p].last] - rows[r].cells[pieces[p].first];
        }
    }
    if (!bp_point_columns_reserve(&tube->columns, &tube->buffer, allocator, points)) {
        return false;
    }
    size_t cell = 0, place = 0;
    for (; cell + first < plan->reach && plan->period[0] == 0.0; ++cell) {
        tube->starts[cell] = 0; // before the first cell of all
    }
    for (size_t p = 0; p < piece_count; ++p) {
        const bp_tube_job job = {.from = grid->columns,
                                 .to = tube->columns,
                                 .rows = rows,
                                 .row_count = row_count,
                                 .first = pieces[p].first,
                                 .last = pieces[p].last,
                                 .shift = pieces[p].shift,
                                 .renaming = code_step(plan, pieces[p].shift, BP_IMAGE_CODE_X),
                                 .place = place,
                                 .starts = tube->starts + cell};
        place = kernels->fill_tube(&job);
        cell += pieces[p].last - pieces[p].first;
    }
    for (; cell <= last - first + 2 * (size_t)plan->reach; ++cell) {
        tube->starts[cell] = (uint32_t)place;
    }
    for (size_t i = place; i < place + BP_COLUMN_PADDING; ++i) { // infinitely far away
        tube->columns.at[0][i] = tube->columns.at[1][i] = tube->columns.at[2][i] = INFINITY;
        tube->columns.id[i] = 0;
    }
    return true;
}
