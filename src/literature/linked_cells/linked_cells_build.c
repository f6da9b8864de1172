// Building linked cells: choose a grid, then sort the boxes into its cells.
//
//   1. survey     the boxes by octave of size: how many, how large, where           (only what the settings leave open)
//   2. plan       the grid: up to which size objects are in cells, and how many cells
//   3. keys       the cell of each box
//   4. sort       the ids by cell (base/bucket_sort.h); bucket by bucket, the boxes are copied into the columns
//
// The automatic plan follows the rule of the literature, cells at least as large as the largest object, for all but a
// few objects: where a size class has few members, the estimated work decides whether they become large objects
// instead.
#include "literature/linked_cells/linked_cells_build.h"

#include "base/boxes.h"
#include "base/cells.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/radix_sort.h"

#include <assert.h>
#include <string.h>

enum {
    SAMPLE = 128,
    SIZE_CLASSES = 256, // by the exponent of a float; the last one is for infinite sizes
    BLOCK_LEAST = 8192  // boxes that are worth a task
};

// Measured: short cells in x cost nothing, because a row is one range; long ones in y and z save rows.
static const double WIDTH[3] = {0.5, 2.0, 2.0}; // automatic cells, in sizes of the largest object in them
static const double CELLS_PER_OBJECT = 8.0;     // automatic, at most
static const size_t CELLS_LEAST = 64;

// Cells of a configured size over a domain that came from the boxes, at most.
static const double CONFIGURED_CELLS_LEAST = 65536.0, CONFIGURED_CELLS_PER_OBJECT = 1024.0;

// Objects as large as the configured cells fit into them, even if rounded coordinates make them a little larger.
static const float CONFIGURED_FIT = 1.001f;

static const double CELLS_MAX = 4294967293.0;

// The objects of one octave of sizes, with the bounds of their min corners.
typedef struct size_class {
    size_t count;
    float largest;
    float min[3], max[3];
} size_class;

typedef struct build {
    linked_cells *l;
    bp_blocks blocks;
    size_class *classes; // SIZE_CLASSES per block; after the survey, those of block 0 are the totals
    float *reach;        // three per block
} build;

// ---- 1. survey ------------------------------------------------------------------------------------------------------

// The largest extent; infinity if one is infinite, overflows, or is NaN (from infinity to infinity).
static float size_of(const bp_box *box, uint32_t dimensions) {
    const float x = box->max[0] - box->min[0], y = box->max[1] - box->min[1];
    const float z = dimensions == 3 ? box->max[2] - box->min[2] : 0.0f;
    const float flat = x > y ? x : y, size = flat > z ? flat : z;
    const bool finite = (x < INFINITY) & (y < INFINITY) & (z < INFINITY);
    return finite ? size : INFINITY;
}

static void class_join(size_class *c, const size_class *more) {
    c->count += more->count;
    c->largest = more->largest > c->largest ? more->largest : c->largest;
    for (int axis = 0; axis < 3; ++axis) {
        c->min[axis] = more->min[axis] < c->min[axis] ? more->min[axis] : c->min[axis];
        c->max[axis] = more->max[axis] > c->max[axis] ? more->max[axis] : c->max[axis];
    }
}

static const size_class CLASS_EMPTY = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};

static void task_survey(void *context, size_t block) {
    const build *b = context;
    const uint32_t dimensions = b->l->setup->dimensions;
    size_class *classes = b->classes + block * SIZE_CLASSES;
    for (size_t i = 0; i < SIZE_CLASSES; ++i) {
        classes[i] = CLASS_EMPTY;
    }
    const size_t end = bp_block_begin(b->blocks, block + 1);
    for (size_t i = bp_block_begin(b->blocks, block); i < end; ++i) {
        const bp_box *box = &b->l->boxes[i];
        if (bp_box_is_hole(box)) {
            continue;
        }
        size_class one = {.count = 1, .largest = size_of(box, dimensions)};
        memcpy(one.min, box->min, sizeof one.min);
        memcpy(one.max, box->min, sizeof one.max);
        class_join(&classes[bp_octave_of(one.largest)], &one);
    }
}

static void survey_sizes(build *b) {
    bp_parallel_for(&b->l->setup->runtime.executor, b->blocks.count, task_survey, b);
    for (size_t block = 1; block < b->blocks.count; ++block) {
        for (size_t i = 0; i < SIZE_CLASSES; ++i) {
            class_join(&b->classes[i], &b->classes[block * SIZE_CLASSES + i]);
        }
    }
}

// ---- 2. plan --------------------------------------------------------------------------------------------------------

// The domain: the part of space that is divided into cells.
typedef struct extent {
    double min[3], length[3];
} extent;

// The configured domain, or that of the objects in cells.
static extent extent_of(const bp_method_setup *setup, const size_class *small) {
    const bp_box *domain = &setup->settings.domain;
    const bool configured = bp_domain_is_set(domain);
    extent e = {{0}, {0}};
    for (uint32_t axis = 0; axis < setup->dimensions; ++axis) {
        const double min = configured ? (double)domain->min[axis] : (double)small->min[axis];
        const double max = configured ? (double)domain->max[axis] : (double)small->max[axis];
        e.min[axis] = configured || small->count > 0 ? min : 0.0;
        e.length[axis] = max > min ? max - min : 0.0;
    }
    return e;
}

// The estimated work for the large objects of one class, in steps of a vector.
static double work_of_large(const size_class *c, const size_class *small, const extent *e, uint32_t dimensions,
                            size_t large_count) {
    assert(dimensions <= 3);
    double rows = 1.0, share = 1.0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double size = (double)small->largest, whole = e->length[axis] + size + (double)FLT_MIN;
        const double reached = (double)c->largest + 2.0 * size;
        const double part = reached < whole ? reached / whole : 1.0;
        rows *= axis > 0 ? part * whole / (WIDTH[axis] * size + (double)FLT_MIN) + 1.0 : 1.0;
        share *= part;
    }
    return (double)c->count * (1.5 * rows + (share * (double)small->count + 0.5 * (double)large_count) / 8.0);
}

// The estimated work if the classes up to `last`, together `small`, are in cells.
static double work_with(const size_class *classes, size_t last, const size_class *small, const bp_method_setup *setup,
                        size_t large_count) {
    const extent e = extent_of(setup, small);
    double density = (double)small->count;
    for (uint32_t axis = 0; axis < setup->dimensions; ++axis) {
        const double size = (double)small->largest + (double)FLT_MIN;
        density *= size / (e.length[axis] + size); // objects per cube of their size
    }
    double work = (double)small->count * (4.0 + (setup->dimensions == 3 ? 22.5 : 5.0) * density / 8.0);
    for (size_t i = last + 1; i < SIZE_CLASSES; ++i) {
        if (classes[i].count > 0) {
            work += work_of_large(&classes[i], small, &e, setup->dimensions, large_count);
        }
    }
    return work;
}

// The objects to put into cells when no cell size is configured: those of all classes up to one.
static size_class choose_small(const size_class *classes, const bp_method_setup *setup, size_t alive) {
    size_class small = CLASS_EMPTY, best = CLASS_EMPTY;
    double best_work = INFINITY;
    for (size_t i = 0; i + 1 < SIZE_CLASSES; ++i) { // never the infinite ones
        if (classes[i].count == 0) {
            continue;
        }
        class_join(&small, &classes[i]);
        const double work = work_with(classes, i, &small, setup, alive - small.count);
        if (work <= best_work) {
            best_work = work;
            best = small;
        }
    }
    return best;
}

// The objects that fit a configured cell, and others of the same octave, which only make the domain a little larger.
static size_class configured_small(const size_class *classes, float cell_size) {
    size_class small = CLASS_EMPTY;
    for (size_t i = 0; i <= bp_octave_of(cell_size); ++i) {
        class_join(&small, &classes[i]);
    }
    return small;
}

// Divides the domain into cells of `edge` times `width` and returns their number. If that is too large for an index,
// the grid has a cell_count of 0.
static double lay_cells(dense_grid *grid, const extent *e, double edge, const double width[3], uint32_t dimensions) {
    double total = 1.0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const double cell = edge * width[axis];
        grid->origin[axis] = e->min[axis];
        grid->inverse[axis] = 1.0 / cell;
        grid->last[axis] = axis < dimensions ? bp_floor(fmin(e->length[axis] / cell, 2.0e9)) : 0.0;
        grid->cells[axis] = (uint32_t)grid->last[axis] + 1;
        total *= axis < dimensions ? floor(e->length[axis] / cell) + 1.0 : 1.0;
    }
    grid->cell_count = total <= CELLS_MAX ? (size_t)total : 0;
    return total;
}

// The number of cells that fit into settings.memory_limit in addition to the boxes.
static double cells_allowed(const bp_method_setup *setup, size_t count) {
    const double per_object = sizeof(bp_box) + sizeof(uint32_t) + BP_SORT_BYTES_PER_ITEM;
    const double left = ((double)setup->settings.memory_limit - (double)count * per_object) / sizeof(uint32_t);
    return setup->settings.memory_limit == 0 || left > CELLS_MAX ? CELLS_MAX : left;
}

// About the median position, along an axis, of the objects in cells.
static float median_position(const linked_cells *l, uint32_t axis) {
    float sample[SAMPLE] = {0};
    size_t count = 0;
    for (size_t i = 0; i < l->count; i += l->count / SAMPLE + 1) {
        sample[count] = l->boxes[i].min[axis];
        const float size = size_of(&l->boxes[i], l->setup->dimensions);
        count += size <= CONFIGURED_FIT * l->setup->settings.cell_size; // false for holes
    }
    bp_sort_floats(sample, count);
    return count > 0 ? sample[count / 2] : 0.0f;
}

// Shortens a domain that was computed from the boxes to an acceptable number of cells, around the median position. Such
// a domain is large because of a few distant objects, which are then outside.
static void cut_extent(const linked_cells *l, extent *e) {
    const double cell = (double)l->setup->settings.cell_size;
    const double most = CONFIGURED_CELLS_LEAST + CONFIGURED_CELLS_PER_OBJECT * (double)l->count;
    double length[3] = {e->length[0], e->length[1], e->length[2]};
    while ((length[0] / cell + 1.0) * (length[1] / cell + 1.0) * (length[2] / cell + 1.0) > most) {
        const int longest =
            length[0] >= length[1] ? (length[0] >= length[2] ? 0 : 2) : (length[1] >= length[2] ? 1 : 2);
        length[longest] /= 2.0;
    }
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (length[axis] < e->length[axis]) {
            const double centred = (double)median_position(l, axis) - length[axis] / 2.0;
            e->min[axis] = fmin(fmax(centred, e->min[axis]), e->min[axis] + e->length[axis] - length[axis]);
            e->length[axis] = length[axis];
        }
    }
}

static bp_status plan_configured(build *b, double allowed) {
    static const double cube[3] = {1.0, 1.0, 1.0};
    const bp_method_setup *setup = b->l->setup;
    const size_class small = bp_domain_is_set(&setup->settings.domain)
                                 ? CLASS_EMPTY
                                 : configured_small(b->classes, setup->settings.cell_size);
    extent e = extent_of(setup, &small);
    if (!bp_domain_is_set(&setup->settings.domain) && setup->settings.memory_limit == 0) {
        cut_extent(b->l, &e);
    }
    const double cells = lay_cells(&b->l->grid, &e, (double)setup->settings.cell_size, cube, setup->dimensions);
    b->l->grid.fit = fminf(CONFIGURED_FIT * setup->settings.cell_size, FLT_MAX); // never infinite: walls do not fit
    if (cells > allowed) {
        bp_log_write(
            &setup->runtime.log,
            "linked-cells: %.3g cells of %g do not fit (at most %.3g); use a larger settings.cell_size (0: chosen "
            "to fit), a smaller settings.domain or a larger settings.memory_limit",
            cells, (double)setup->settings.cell_size, allowed);
        return BP_ERROR_MEMORY;
    }
    return BP_OK;
}

static bp_status plan_automatic(build *b, double allowed) {
    const bp_method_setup *setup = b->l->setup;
    size_class all = CLASS_EMPTY;
    for (size_t i = 0; i < SIZE_CLASSES; ++i) {
        class_join(&all, &b->classes[i]);
    }
    const size_class small = choose_small(b->classes, setup, all.count);
    const extent e = extent_of(setup, &small);
    const double sensible = CELLS_PER_OBJECT * (double)small.count + (double)CELLS_LEAST;
    const double most = sensible < allowed ? sensible : allowed;
    b->l->grid.fit = small.largest;
    if (most < 1.0) {
        bp_log_write(&setup->runtime.log,
                     "linked-cells: %zu boxes do not fit into settings.memory_limit; use a larger one", all.count);
        return BP_ERROR_MEMORY;
    }
    double edge = fmax((double)small.largest, (double)FLT_MIN);
    while (lay_cells(&b->l->grid, &e, edge, WIDTH, setup->dimensions) > most) {
        edge *= 1.1;
    }
    return BP_OK;
}

static bp_status plan_grid(build *b) {
    const bp_method_setup *setup = b->l->setup;
    const double allowed = cells_allowed(setup, b->l->count);
    if (setup->settings.cell_size == 0.0f || !bp_domain_is_set(&setup->settings.domain)) {
        survey_sizes(b);
    }
    return setup->settings.cell_size > 0.0f ? plan_configured(b, allowed) : plan_automatic(b, allowed);
}

// ---- 3. keys --------------------------------------------------------------------------------------------------------

bool linked_cells_fits(const dense_grid *grid, const bp_box *box) {
    bool fits = true;
    for (int axis = 0; axis < 3; ++axis) {
        fits &= box->max[axis] - box->min[axis] <= grid->fit;
    }
    for (int axis = 1; axis < 3; ++axis) {
        const uint32_t low = dense_cell_of(grid, axis, (double)box->min[axis]);
        fits &= dense_cell_of(grid, axis, (double)box->max[axis]) - low <= 1;
    }
    return fits;
}

static inline uint32_t sort_key_of(const dense_grid *grid, const bp_box *box, float reach[3]) {
    if (bp_box_is_hole(box)) {
        return BP_SORT_KEY_NONE;
    }
    if (!linked_cells_fits(grid, box)) {
        return BP_SORT_KEY_LAST;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const float length = box->max[axis] - box->min[axis];
        reach[axis] = length > reach[axis] ? length : reach[axis];
    }
    return (uint32_t)dense_key_of_box(grid, box);
}

static void task_linked_keys(void *context, size_t block) {
    const build *b = context;
    const bp_bucket_sort *sort = &b->l->sort;
    const dense_grid grid = b->l->grid;
    float reach[3] = {0};
    bp_bucket_sort_clear(sort, block);
    const size_t end = bp_block_begin(b->blocks, block + 1);
    for (size_t begin = bp_block_begin(b->blocks, block); begin < end; begin += BP_CHUNK) {
        const size_t stop = end - begin < BP_CHUNK ? end : begin + BP_CHUNK;
        for (size_t i = begin; i < stop; ++i) {
            const bp_box box = bp_box_flatten(b->l->boxes[i], b->l->setup->dimensions);
            sort->keys[i] = sort_key_of(&grid, &box, reach);
        }
        bp_bucket_sort_count(sort, block, begin, stop);
    }
    memcpy(b->reach + 3 * block, reach, sizeof reach);
}

static void join_reach(build *b) {
    for (size_t axis = 0; axis < 3; ++axis) {
        float reach = 0.0f;
        for (size_t block = 0; block < b->blocks.count; ++block) {
            reach = fmaxf(reach, b->reach[3 * block + axis]);
        }
        b->l->grid.reach[axis] = nextafterf(reach, INFINITY); // max - min may have been rounded down
    }
}

// ---- 4. sort --------------------------------------------------------------------------------------------------------

static void fill_linked_bucket(void *context, size_t bucket, size_t begin, size_t end) {
    const linked_cells *l = ((const build *)context)->l;
    (void)bucket;
    bp_columns_fill(&l->columns, l->setup->kernels, l->setup->dimensions, begin, end, l->boxes);
}

static bool reserve_linked_cells(build *b) {
    linked_cells *l = b->l;
    const bp_allocator *allocator = &l->setup->runtime.allocator;
    if (!bp_columns_reserve(&l->columns, &l->columns_buffer, allocator, l->count) ||
        !bp_buffer_reserve_slack(&l->table_buffer, allocator, 0, l->grid.cell_count + 2, sizeof(uint32_t)) ||
        !bp_bucket_sort_begin(&l->sort, allocator, b->blocks, l->grid.cell_count)) {
        return false;
    }
    l->sort.keys = l->columns.id;
    l->sort.ids = l->columns.id;
    l->sort.table = l->table_buffer.data;
    return true;
}

static bp_status sort_into_linked_cells(build *b) {
    linked_cells *l = b->l;
    const bp_executor *executor = &l->setup->runtime.executor;
    if (!reserve_linked_cells(b)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(executor, b->blocks.count, task_linked_keys, b);
    join_reach(b);
    bp_bucket_sort_run(&l->sort, executor, fill_linked_bucket, b);
    l->grid_count = l->sort.cell_items;
    l->total_count = l->sort.total_items;
    return BP_OK;
}

// ---- the whole build ------------------------------------------------------------------------------------------------

// The memory for the survey; the blocks depend only on the number of boxes.
static bool reserve_survey(build *b) {
    linked_cells *l = b->l;
    b->blocks = bp_blocks_cut(&l->setup->runtime.executor, l->count, BLOCK_LEAST, SIZE_MAX);
    if (!bp_buffer_reserve(&l->blocks_buffer, &l->setup->runtime.allocator, 0, b->blocks.count,
                           SIZE_CLASSES * sizeof(size_class) + 3 * sizeof(float))) {
        return false;
    }
    b->classes = l->blocks_buffer.data;
    b->reach = (float *)(void *)(b->classes + b->blocks.count * SIZE_CLASSES);
    return true;
}

bp_status linked_cells_build(void *state, const bp_box *boxes, size_t count) {
    linked_cells *l = state;
    build b = {.l = l};
    l->boxes = boxes;
    l->count = count;
    l->grid_count = 0;
    l->total_count = 0;
    l->grid.cell_count = 0;
    if (!reserve_survey(&b)) {
        return BP_ERROR_MEMORY;
    }
    const bp_status status = plan_grid(&b);
    return status == BP_OK ? sort_into_linked_cells(&b) : status;
}
