// Planning and building the grid of points.
//
// Cost of a search, where copying one run of points counts as 1: each cell copies the runs of 9 rows, and each point tests
// their points, eight at once. With k points in a cell that is 9 / k + 9 k / 14 and what does not depend on k; the best
// k is 3.8. (Measured on Zen 4 and Sapphire Rapids; from 2 to 6 the difference is 10 %.)
#include "neighbors/point_grid.h"

#include "base/cells.h"
#include "base/parallel.h"
#include "neighbors/point_images.h"

enum {
    BLOCK_MIN = 4096, // points that are worth a task
    BLOCKS_MAX = 64,
    CELLS_PER_POINT = 4, // at most,
    CELLS_MIN = 4096,    // but so many always
    CROWDED = 400,       // tests for each point
    AHEAD = 32           // points after the present one that are prefetched
};

static const double POINTS_PER_CELL = 3.8;
static const double SPARSE = 0.6; // with fewer cells in a radius they are longer than that: a window has three of them
static const double FARTHEST = 0x1p28; // in radii: from the origin of coordinates; up to there cells are exact
static const double NEAR_MIN = 2.5, NEAR_MIN_ELSE = 0.5; // neighbours: with fewer, methods for boxes are faster
static const double PERIOD_MIN = 3.0001; // in radii: three cells, so that no two rows around a point are the same
static const double WIDEST_BAND = 0.125; // beyond it too many pairs would be measured twice
static const double RADIUS_MIN = 0x1p-500, RADIUS_MAX = 0x1p500; // squares of others vanish or overflow

// ---- bounds ---------------------------------------------------------------------------------------------------------

typedef struct bounds {
    double low[3], high[3];
    double invalid[3]; // 0, or NaN if a coordinate is not finite
} bounds;

static const bounds NOTHING = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};

static inline bounds bounds_of_range(const bp_points *points, size_t begin, size_t end, int dimensions) {
    bounds b = NOTHING;
    for (size_t i = begin; i < end; ++i) {
        for (int axis = 0; axis < dimensions; ++axis) {
            const size_t at = 3 * i + (size_t)axis;
            const double value = points->is_double ? points->doubles[at] : (double)points->floats[at];
            b.low[axis] = value < b.low[axis] ? value : b.low[axis];
            b.high[axis] = value > b.high[axis] ? value : b.high[axis];
            b.invalid[axis] += value * 0.0;
        }
    }
    return b;
}

typedef struct bounds_job {
    bp_points points;
    uint32_t dimensions;
    bp_blocks blocks;
    bounds of_blocks[BLOCKS_MAX];
} bounds_job;

static void task_bound_block(void *context, size_t block) {
    bounds_job *j = context;
    const bp_points points = j->points;
    const size_t begin = bp_block_begin(j->blocks, block), end = bp_block_begin(j->blocks, block + 1);
    j->of_blocks[block] =
        j->dimensions == 2 ? bounds_of_range(&points, begin, end, 2) : bounds_of_range(&points, begin, end, 3);
}

static void extend_by_points(bounds *b, const bp_points *points, uint32_t dimensions, const bp_executor *executor) {
    bounds_job j = {.points = *points, .dimensions = dimensions};
    j.blocks = bp_blocks_cut(executor, points->count, BLOCK_MIN, BLOCKS_MAX);
    bp_parallel_for(executor, j.blocks.count, task_bound_block, &j);
    for (size_t block = 0; block < j.blocks.count; ++block) {
        const bounds *other = &j.of_blocks[block];
        for (int axis = 0; axis < 3; ++axis) {
            b->low[axis] = other->low[axis] < b->low[axis] ? other->low[axis] : b->low[axis];
            b->high[axis] = other->high[axis] > b->high[axis] ? other->high[axis] : b->high[axis];
            b->invalid[axis] += other->invalid[axis];
        }
    }
}

// ---- plan -----------------------------------------------------------------------------------------------------------

// What a plan is made of: extents in radii, the same along periodic axes for the period.
typedef struct extents {
    double along[3];
    size_t points; // of the larger set
} extents;

// Cuts an axis into cells of at least `size`, if it is not longer than it may be: of a period, there are at least three.
static void cut_axis(bp_point_plan *p, uint32_t axis, double along, double size) {
    const bool periodic = p->period[axis] > 0.0;
    const double most = periodic ? along / PERIOD_MIN : along + 1.0;
    const double least = (size < most ? size : most) / BP_CELL_FILL;
    const double count = bp_floor(along / least) + (periodic ? 0.0 : 1.0);
    p->cells_per_radius[axis] = periodic ? count / along : 1.0 / least;
    p->cells[axis] = (uint32_t)count;
}

// Rows of cells first: y and z. Larger cells where rows would be more than points. Then cells along x: a fraction of the
// radius, or, where points are few, a multiple. If those of a fraction would be too many, they are as long as the radius, or
// longer. False if there are too many cells nevertheless.
static bool plan_cells(bp_point_plan *p, const extents *e) {
    const double most = CELLS_PER_POINT * (double)e->points + CELLS_MIN;
    const double area = (e->along[1] + 1.0) * (p->dimensions == 3 ? e->along[2] + 1.0 : 1.0),
                 spread = area / (0.5 * most);
    const double width = area <= 0.5 * most ? 1.0 : p->dimensions == 3 ? sqrt(spread) + 1.0 : spread + 1.0;
    for (uint32_t axis = 1; axis < 3; ++axis) {
        p->cells[axis] = 1;
        p->cells_per_radius[axis] = 0.0;
    }
    for (uint32_t axis = 1; axis < p->dimensions; ++axis) {
        cut_axis(p, axis, e->along[axis], width);
    }
    const double rows = (double)p->cells[1] * p->cells[2], length = e->along[0] + 1.0, least = length * rows / most;
    const double in_radius = (double)e->points / (rows * length) / POINTS_PER_CELL; // cells
    p->reach = in_radius < 1.0 ? 1 : in_radius < BP_POINT_REACH_MAX ? (uint32_t)(in_radius + 0.5) : BP_POINT_REACH_MAX;
    double size = in_radius < SPARSE ? SPARSE / in_radius : 1.0 / p->reach;
    if (size < least) {
        p->reach = 1;
        size = least > 1.0 ? least : 1.0;
    }
    p->coarse = width > 1.0 || size > 1.0;
    cut_axis(p, 0, e->along[0], size);
    const double cells = (double)p->cells[0] * p->cells[1] * p->cells[2];
    return cells <= 2.0 * most && cells < BP_SORT_KEY_NONE;
}

bool bp_point_plan_make(bp_point_plan *plan, const bp_nearness *nearness, const bp_executor *executor) {
    const double radius = nearness->radii.same;
    const size_t first = nearness->first.count, second = nearness->second.count;
    *plan = (bp_point_plan){.dimensions = nearness->rule->dimensions, .scale = 1.0 / radius};
    if (!(radius >= RADIUS_MIN && radius <= RADIUS_MAX) || first == 0 || second == 0) {
        return false;
    }
    bounds b = NOTHING;
    extents e = {.points = first > second ? first : second};
    extend_by_points(&b, &nearness->first, plan->dimensions, executor);
    if (nearness->second.floats != nearness->first.floats || nearness->second.doubles != nearness->first.doubles ||
        second != first) {
        extend_by_points(&b, &nearness->second, plan->dimensions, executor);
    }
    for (uint32_t axis = 0; axis < plan->dimensions; ++axis) {
        plan->period[axis] =
            nearness->images != NULL ? nearness->images->period[axis] : (double)nearness->rule->period[axis];
        plan->origin[axis] = plan->period[axis] > 0.0 ? 0.0 : b.low[axis];
        plan->periods_per_length[axis] = plan->period[axis] > 0.0 ? 1.0 / plan->period[axis] : 0.0;
        plan->radii_per_period[axis] = plan->period[axis] * plan->scale;
        plan->wrap[axis] = (float)plan->radii_per_period[axis];
    }
    const bp_point_images *images = nearness->images;
    const double sphere = plan->dimensions == 3 ? 4.19 : 3.14;
    double longest = 1.0, farthest = 0.0, space = 1.0;
    bool served = b.invalid[0] + b.invalid[1] + b.invalid[2] == 0.0, is_open = true;
    for (uint32_t axis = 0; axis < plan->dimensions; ++axis) {
        const double period = plan->period[axis],
                     along = (period > 0.0 ? period : b.high[axis] - b.low[axis]) * plan->scale;
        farthest = fmax(farthest, fmax(fabs(b.low[axis]), fabs(b.high[axis])) * plan->scale);
        longest = fmax(longest, along);
        space *= along + 1.0;
        is_open &= period == 0.0;
        served &= along < FARTHEST && (period == 0.0 || along >= PERIOD_MIN);
        e.along[axis] = along;
    }
    if (!served || !(farthest < FARTHEST)) {
        return false;
    }
    plan->has_codes = images != NULL && images->id_form == BP_IMAGE_BY_CODE;
    plan->image_ids = images != NULL ? images->image_ids : NULL;
    // By how much rounding may change the square of a distance of about 1. A coordinate is off by half a unit in the last
    // place, the origin and the period by another one each, and both points count: `off` is twice that. Images are off by
    // more.
    const double moved = images != NULL ? images->rounding * plan->scale : 0.0;
    const double off = 8.0 * ((longest + 1.0) * 0x1p-24 + farthest * 0x1p-51 + moved);
    const double band = 2.0 * (3.5 * off + 3.0 * off * off) + 0x1p-20;
    plan->sure = (float)(1.0 - band);
    plan->possible = (float)(1.0 + band);
    // Where points have hardly any neighbours, methods for boxes are faster. Images of boxes, and 64 bits, take them longer.
    const double least = is_open && !nearness->first.is_double ? NEAR_MIN : NEAR_MIN_ELSE;
    return band < WIDEST_BAND && sphere * (double)e.points / space >= least && plan_cells(plan, &e);
}

// ---- build ----------------------------------------------------------------------------------------------------------

typedef struct builder {
    bp_point_plan plan;
    bp_points points;
    bp_point_grid *grid;
} builder;

// A coordinate in radii, from 0 up. `wide` is a compile-time constant: which array it is from.
static inline double to_radii(const bp_point_plan *p, const bp_points *points, bool wide, size_t point, size_t axis) {
    const double value = wide ? points->doubles[3 * point + axis] : (double)points->floats[3 * point + axis];
    if (p->period[axis] == 0.0) {
        return (value - p->origin[axis]) * p->scale;
    }
    const double periods = value * p->periods_per_length[axis];
    return (periods - bp_floor(periods)) * p->radii_per_period[axis];
}

static inline uint32_t cell_along(const bp_point_plan *p, double radii, size_t axis) {
    const uint32_t cell = (uint32_t)(int32_t)(radii * p->cells_per_radius[axis]), last = p->cells[axis] - 1;
    return cell < last ? cell : last;
}

static inline void write_keys(const builder *b, size_t begin, size_t end, bool wide) {
    const bp_point_plan plan = b->plan;
    const bp_points points = b->points;
    uint32_t *keys = b->grid->sort.keys;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t x = cell_along(&plan, to_radii(&plan, &points, wide, i, 0), 0);
        const uint32_t y = cell_along(&plan, to_radii(&plan, &points, wide, i, 1), 1);
        const uint32_t z = plan.dimensions == 3 ? cell_along(&plan, to_radii(&plan, &points, wide, i, 2), 2) : 0;
        keys[i] = (z * plan.cells[1] + y) * plan.cells[0] + x;
    }
}

static void task_write_keys(void *context, size_t block) {
    const builder *b = context;
    const bp_bucket_sort *sort = &b->grid->sort;
    const size_t begin = bp_block_begin(sort->blocks, block), end = bp_block_begin(sort->blocks, block + 1);
    bp_bucket_sort_clear(sort, block);
    if (b->points.is_double) {
        write_keys(b, begin, end, true);
    } else {
        write_keys(b, begin, end, false);
    }
    bp_bucket_sort_count(sort, block, begin, end);
}

static inline void fill_columns(const builder *b, size_t begin, size_t end, bool wide) {
    const bp_point_columns columns = b->grid->columns;
    const bp_point_plan plan = b->plan;
    const bp_points points = b->points;
    const uint32_t bits = plan.has_codes ? BP_IMAGE_CODE_BITS : 0, code = plan.has_codes ? BP_IMAGE_CODE_HOME : 0;
    for (size_t i = begin; i < end; ++i) {
        const size_t point = columns.id[i];
        const size_t ahead = 3 * (size_t)columns.id[i + AHEAD < end ? i + AHEAD : end - 1];
        bp_prefetch(wide ? (const void *)(points.doubles + ahead) : points.floats + ahead);
        columns.at[0][i] = (float)to_radii(&plan, &points, wide, point, 0);
        columns.at[1][i] = (float)to_radii(&plan, &points, wide, point, 1);
        columns.at[2][i] = plan.dimensions == 3 ? (float)to_radii(&plan, &points, wide, point, 2) : 0.0f;
        columns.id[i] = plan.image_ids != NULL ? plan.image_ids[point] : (uint32_t)point << bits | code;
    }
}

static void task_fill_columns(void *context, size_t bucket, size_t begin, size_t end) {
    const builder *b = context;
    (void)bucket;
    if (b->points.is_double) {
        fill_columns(b, begin, end, true);
    } else {
        fill_columns(b, begin, end, false);
    }
}

bool bp_point_grid_build(bp_point_grid *grid, const bp_point_plan *plan, const bp_points *points,
                         const bp_runtime *runtime) {
    const bp_blocks blocks = bp_blocks_cut(&runtime->executor, points->count, BLOCK_MIN, SIZE_MAX);
    const size_t cells = bp_point_plan_cells(plan);
    if (!bp_point_columns_reserve(&grid->columns, &grid->column_buffer, &runtime->allocator, points->count) ||
        !bp_buffer_reserve(&grid->table_buffer, &runtime->allocator, 0, cells + 1, sizeof(uint32_t)) ||
        !bp_bucket_sort_begin(&grid->sort, &runtime->allocator, blocks, cells)) {
        return false;
    }
    builder b = {.plan = *plan, .points = *points, .grid = grid};
    grid->table = grid->table_buffer.data;
    grid->sort.keys = grid->columns.id;
    grid->sort.ids = grid->columns.id;
    grid->sort.table = grid->table;
    bp_parallel_for(&runtime->executor, blocks.count, task_write_keys, &b);
    bp_bucket_sort_run(&grid->sort, &runtime->executor, task_fill_columns, &b);
    for (size_t i = points->count; i < points->count + BP_COLUMN_PADDING; ++i) { // what is read behind the last point
        grid->columns.at[0][i] = grid->columns.at[1][i] = grid->columns.at[2][i] = 0.0f;
        grid->columns.id[i] = 0;
    }
    return true;
}

void bp_point_grid_free(bp_point_grid *grid, const bp_allocator *allocator) {
    bp_bucket_sort_free(&grid->sort, allocator);
    bp_buffer_free(&grid->column_buffer, allocator);
    bp_buffer_free(&grid->table_buffer, allocator);
}

size_t bp_point_grid_bytes(const bp_point_grid *grid) {
    return bp_bucket_sort_bytes(&grid->sort) + grid->column_buffer.bytes + grid->table_buffer.bytes;
}

// By the cells of the points themselves, as if those around them were as full.
bool bp_point_grids_are_crowded(const bp_point_plan *plan, const bp_point_grid *of, const bp_point_grid *in) {
    const size_t cells = plan->coarse ? bp_point_plan_cells(plan) : 0;
    const size_t around = (2 * (size_t)plan->reach + 1) * (plan->dimensions == 3 ? 9 : 3);
    uint64_t tests = 0;
    for (size_t cell = 0; cell < cells; ++cell) {
        const uint64_t points = of->table[cell + 1] - of->table[cell], others = in->table[cell + 1] - in->table[cell];
        tests += points * others;
    }
    return tests > CROWDED / around * (uint64_t)(of->sort.cell_items + in->sort.cell_items);
}
