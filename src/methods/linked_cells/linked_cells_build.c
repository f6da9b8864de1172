// Building linked cells: which grid, then a counting sort in two steps.
//
//   1. survey     the boxes by octave of size: how many, how large, where            (only what the config leaves open)
//   2. plan       the grid: up to which size objects live in cells, and how many cells
//   3. keys       each box: its cell, and how many boxes fall into each bucket of neighbouring cells
//   4. partition  (cell, id) of each box to its bucket
//   5. order      each bucket by itself: count its cells, place its ids, fetch the boxes into the columns
//
// The automatic plan keeps the rule of the literature, cells at least as large as the largest object, for all but a
// few: where a size class has few members, the estimated work says whether they should rather be searched as large
// objects.
#include "methods/linked_cells/linked_cells.h"

#include "api/config.h"
#include "base/boxes.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 128,
    SIZE_CLASSES = 256, // by the exponent of a float; the last holds the infinite
    BUCKET_OBJECTS = 1024,
    BUCKETS_MAX = 4096,
    BLOCK_LEAST = 8192 // boxes that are worth a task
};

// Measured: narrow cells in x cost nothing, because a row is one range; wide ones in y and z save rows.
static const double WIDTH[3] = {0.5, 2.0, 2.0}; // automatic cells, in sizes of the largest object in them
static const double CELLS_PER_OBJECT = 8.0;     // automatic, at most
static const size_t CELLS_LEAST = 64;

// Cells of a configured size over a domain that came from the boxes, at most.
static const double CONFIGURED_CELLS_LEAST = 65536.0, CONFIGURED_CELLS_PER_OBJECT = 1024.0;

// Objects as large as the configured cells live in them, even if rounded coordinates make them a little larger.
static const float CONFIGURED_FIT = 1.001f;

static const uint32_t KEY_HOLE = UINT32_MAX, KEY_LARGE = UINT32_MAX - 1;
static const double CELLS_MAX = 4294967293.0;

// The objects of one octave of sizes: where their min corners lie.
typedef struct size_class {
    size_t count;
    float largest;
    float min[3], max[3];
} size_class;

typedef struct build {
    linked_cells *l;
    size_class *classes;  // SIZE_CLASSES per block; after the survey, those of block 0 are all
    float *reach;         // three per block
    size_t *bucket_stats; // per bucket: occupied cells, fullest cell
    uint32_t *keys;       // per box; lies where the ids of the columns will be
    uint32_t *starts;     // of the buckets
    uint32_t *counters;   // per block and bucket (the last is for the large); first counts, then positions
    size_t block_count, bucket_count;
    uint32_t bucket_shift;
} build;

typedef struct record {
    uint32_t key, id;
} record;

static size_t block_begin(const build *b, size_t block) {
    return (size_t)((unsigned long long)b->l->count * block / b->block_count);
}

// ---- 1. survey ------------------------------------------------------------------------------------------------------

// The largest extent; infinity if one is infinite, overflows, or is nothing at all (from infinity to infinity).
static float size_of(const bp_box *box, uint32_t dimensions) {
    const float x = box->max[0] - box->min[0], y = box->max[1] - box->min[1];
    const float z = dimensions == 3 ? box->max[2] - box->min[2] : 0.0f;
    const float flat = x > y ? x : y, size = flat > z ? flat : z;
    const bool finite = (x < INFINITY) & (y < INFINITY) & (z < INFINITY);
    return finite ? size : INFINITY;
}

static size_t class_of(float size) {
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    return bits >> 23; // sizes are not negative
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
    const uint32_t dimensions = b->l->config->dimensions;
    size_class *classes = b->classes + block * SIZE_CLASSES;
    for (size_t i = 0; i < SIZE_CLASSES; ++i) {
        classes[i] = CLASS_EMPTY;
    }
    for (size_t i = block_begin(b, block); i < block_begin(b, block + 1); ++i) {
        const bp_box *box = &b->l->boxes[i];
        if (bp_box_is_hole(box)) {
            continue;
        }
        size_class one = {.count = 1, .largest = size_of(box, dimensions)};
        memcpy(one.min, box->min, sizeof one.min);
        memcpy(one.max, box->min, sizeof one.max);
        class_join(&classes[class_of(one.largest)], &one);
    }
}

static void survey(build *b) {
    bp_parallel_for(&b->l->config->executor, b->block_count, task_survey, b);
    for (size_t block = 1; block < b->block_count; ++block) {
        for (size_t i = 0; i < SIZE_CLASSES; ++i) {
            class_join(&b->classes[i], &b->classes[block * SIZE_CLASSES + i]);
        }
    }
}

// ---- 2. plan --------------------------------------------------------------------------------------------------------

// The domain of the min corners.
typedef struct extent {
    double min[3], length[3];
} extent;

static extent extent_of(const bp_config *config, const size_class *all) {
    extent e = {{0}, {0}};
    for (uint32_t axis = 0; axis < config->dimensions; ++axis) {
        const double min =
            bp_domain_is_given(&config->domain) ? (double)config->domain.min[axis] : (double)all->min[axis];
        const double max =
            bp_domain_is_given(&config->domain) ? (double)config->domain.max[axis] : (double)all->max[axis];
        e.min[axis] = all->count > 0 || bp_domain_is_given(&config->domain) ? min : 0.0;
        e.length[axis] = max > min ? max - min : 0.0;
    }
    return e;
}

// The estimated work for the large objects of one class, in steps of a vector.
static double work_of_large(const size_class *c, const size_class *small, const extent *e, uint32_t dimensions,
                            size_t large_count) {
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

// The estimated work if the classes up to `last`, all together `small`, live in cells.
static double work_with(const size_class *classes, size_t last, const size_class *small, const bp_config *config,
                        size_t large_count) {
    const extent e = extent_of(config, small);
    double density = (double)small->count;
    for (uint32_t axis = 0; axis < config->dimensions; ++axis) {
        const double size = (double)small->largest + (double)FLT_MIN;
        density *= size / (e.length[axis] + size); // objects per cube of their size
    }
    double work = (double)small->count * (4.0 + (config->dimensions == 3 ? 22.5 : 5.0) * density / 8.0);
    for (size_t i = last + 1; i < SIZE_CLASSES; ++i) {
        if (classes[i].count > 0) {
            work += work_of_large(&classes[i], small, &e, config->dimensions, large_count);
        }
    }
    return work;
}

// Which objects live in cells when the config does not say: all those of the classes up to one.
static size_class choose_small(const size_class *classes, const bp_config *config, size_t alive) {
    size_class small = CLASS_EMPTY, best = CLASS_EMPTY;
    double best_work = INFINITY;
    for (size_t i = 0; i + 1 < SIZE_CLASSES; ++i) { // never the infinite ones
        if (classes[i].count == 0) {
            continue;
        }
        class_join(&small, &classes[i]);
        const double work = work_with(classes, i, &small, config, alive - small.count);
        if (work <= best_work) {
            best_work = work;
            best = small;
        }
    }
    return best;
}

// Those that a configured cell holds; with them others of the same octave, which only makes the domain a little larger.
static size_class configured_small(const size_class *classes, float cell_size) {
    size_class small = CLASS_EMPTY;
    for (size_t i = 0; i <= class_of(cell_size); ++i) {
        class_join(&small, &classes[i]);
    }
    return small;
}

// Lays cells of `edge` times `width` over the domain and returns how many there are. A grid that is too large for
// numbers is left unfinished.
static double lay_cells(cell_grid *grid, const extent *e, double edge, const double width[3], uint32_t dimensions) {
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

// How many cells fit beside the boxes into config.memory_limit.
static double cells_allowed(const bp_config *config, size_t count) {
    const double per_object = sizeof(bp_box) + sizeof(uint32_t) + sizeof(record);
    const double left = ((double)config->memory_limit - (double)count * per_object) / sizeof(uint32_t);
    return config->memory_limit == 0 || left > CELLS_MAX ? CELLS_MAX : left;
}

static int compare_floats(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// About where the middle one of the objects is that live in cells.
static float middle_of(const linked_cells *l, uint32_t axis) {
    float sample[SAMPLE] = {0};
    size_t count = 0;
    for (size_t i = 0; i < l->count; i += l->count / SAMPLE + 1) {
        sample[count] = l->boxes[i].min[axis];
        const float size = size_of(&l->boxes[i], l->config->dimensions);
        count += size <= CONFIGURED_FIT * l->config->cell_size; // not if it is a hole
    }
    qsort(sample, count, sizeof *sample, compare_floats);
    return count > 0 ? sample[count / 2] : 0.0f;
}

// Cuts a domain that came from the boxes to a bearable number of cells, around the middle object: what a few objects
// far out have stretched. Those are then outside.
static void cut_extent(const linked_cells *l, extent *e) {
    const double cell = (double)l->config->cell_size;
    const double most = CONFIGURED_CELLS_LEAST + CONFIGURED_CELLS_PER_OBJECT * (double)l->count;
    double length[3] = {e->length[0], e->length[1], e->length[2]};
    while ((length[0] / cell + 1.0) * (length[1] / cell + 1.0) * (length[2] / cell + 1.0) > most) {
        const int longest =
            length[0] >= length[1] ? (length[0] >= length[2] ? 0 : 2) : (length[1] >= length[2] ? 1 : 2);
        length[longest] /= 2.0;
    }
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (length[axis] < e->length[axis]) {
            const double centred = (double)middle_of(l, axis) - length[axis] / 2.0;
            e->min[axis] = fmin(fmax(centred, e->min[axis]), e->min[axis] + e->length[axis] - length[axis]);
            e->length[axis] = length[axis];
        }
    }
}

static bp_status plan_configured(build *b, double allowed) {
    static const double cube[3] = {1.0, 1.0, 1.0};
    const bp_config *config = b->l->config;
    const size_class small =
        bp_domain_is_given(&config->domain) ? CLASS_EMPTY : configured_small(b->classes, config->cell_size);
    extent e = extent_of(config, &small);
    if (!bp_domain_is_given(&config->domain) && config->memory_limit == 0) {
        cut_extent(b->l, &e);
    }
    const double cells = lay_cells(&b->l->grid, &e, (double)config->cell_size, cube, config->dimensions);
    b->l->grid.fit = fminf(CONFIGURED_FIT * config->cell_size, FLT_MAX); // never infinite: walls do not fit
    if (cells > allowed) {
        bp_log_write(
            config,
            "linked-cells: %.3g cells of %g do not fit (at most %.3g); use a larger config.cell_size (0: chosen "
            "to fit), a smaller config.domain or a larger config.memory_limit",
            cells, (double)config->cell_size, allowed);
        return BP_ERROR_MEMORY;
    }
    return BP_OK;
}

static bp_status plan_automatic(build *b, double allowed) {
    const bp_config *config = b->l->config;
    size_class all = CLASS_EMPTY;
    for (size_t i = 0; i < SIZE_CLASSES; ++i) {
        class_join(&all, &b->classes[i]);
    }
    const size_class small = choose_small(b->classes, config, all.count);
    const extent e = extent_of(config, &small);
    const double sensible = CELLS_PER_OBJECT * (double)small.count + (double)CELLS_LEAST;
    const double most = sensible < allowed ? sensible : allowed;
    b->l->grid.fit = small.largest;
    if (most < 1.0) {
        bp_log_write(config, "linked-cells: %zu boxes do not fit into config.memory_limit; use a larger one",
                     all.count);
        return BP_ERROR_MEMORY;
    }
    double edge = fmax((double)small.largest, (double)FLT_MIN);
    while (lay_cells(&b->l->grid, &e, edge, WIDTH, config->dimensions) > most) {
        edge *= 1.1;
    }
    return BP_OK;
}

static bp_status plan(build *b) {
    const bp_config *config = b->l->config;
    const double allowed = cells_allowed(config, b->l->count);
    if (config->cell_size == 0.0f || !bp_domain_is_given(&config->domain)) {
        survey(b);
    }
    return config->cell_size > 0.0f ? plan_configured(b, allowed) : plan_automatic(b, allowed);
}

// ---- 3. keys --------------------------------------------------------------------------------------------------------

bool linked_cells_fits(const cell_grid *grid, const bp_box *box) {
    bool fits = true;
    for (int axis = 0; axis < 3; ++axis) {
        fits &= box->max[axis] - box->min[axis] <= grid->fit;
    }
    for (int axis = 1; axis < 3; ++axis) {
        fits &= cell_at(grid, axis, (double)box->max[axis]) - cell_at(grid, axis, (double)box->min[axis]) <= 1;
    }
    return fits;
}

static uint32_t key_of(const cell_grid *grid, const bp_box *box, float reach[3]) {
    if (bp_box_is_hole(box)) {
        return KEY_HOLE;
    }
    if (!linked_cells_fits(grid, box)) {
        return KEY_LARGE;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const float length = box->max[axis] - box->min[axis];
        reach[axis] = length > reach[axis] ? length : reach[axis];
    }
    return (uint32_t)cell_key(grid, cell_at(grid, 0, (double)box->min[0]), cell_at(grid, 1, (double)box->min[1]),
                              cell_at(grid, 2, (double)box->min[2]));
}

static size_t bucket_of(const build *b, uint32_t key) {
    return key == KEY_LARGE ? b->bucket_count : (size_t)key >> b->bucket_shift; // the shift may be 32
}

static void task_keys(void *context, size_t block) {
    const build *b = context;
    const cell_grid grid = b->l->grid;
    uint32_t *counters = b->counters + block * (b->bucket_count + 1);
    float reach[3] = {0};
    memset(counters, 0, (b->bucket_count + 1) * sizeof *counters);
    for (size_t i = block_begin(b, block); i < block_begin(b, block + 1); ++i) {
        const bp_box box = bp_box_flatten(b->l->boxes[i], b->l->config->dimensions);
        const uint32_t key = key_of(&grid, &box, reach);
        b->keys[i] = key;
        if (key != KEY_HOLE) {
            ++counters[bucket_of(b, key)];
        }
    }
    memcpy(b->reach + 3 * block, reach, sizeof reach);
}

static void join_reach(build *b) {
    for (size_t axis = 0; axis < 3; ++axis) {
        float reach = 0.0f;
        for (size_t block = 0; block < b->block_count; ++block) {
            reach = fmaxf(reach, b->reach[3 * block + axis]);
        }
        b->l->grid.reach[axis] = nextafterf(reach, INFINITY); // max - min may have been rounded down
    }
}

// ---- 4. partition ---------------------------------------------------------------------------------------------------

// Turns counts into positions: bucket by bucket, and inside a bucket block by block.
static void place_buckets(build *b) {
    const size_t stride = b->bucket_count + 1;
    uint32_t position = 0;
    for (size_t bucket = 0; bucket < stride; ++bucket) {
        b->starts[bucket] = position;
        for (size_t block = 0; block < b->block_count; ++block) {
            uint32_t *counter = &b->counters[block * stride + bucket];
            const uint32_t count = *counter;
            *counter = position;
            position += count;
        }
    }
    b->starts[stride] = position;
    b->l->grid_count = b->starts[b->bucket_count];
    b->l->total_count = position;
}

static void task_partition(void *context, size_t block) {
    const build *b = context;
    uint32_t *positions = b->counters + block * (b->bucket_count + 1);
    record *records = b->l->records_buffer.data;
    for (size_t i = block_begin(b, block); i < block_begin(b, block + 1); ++i) {
        const uint32_t key = b->keys[i];
        if (key != KEY_HOLE) {
            records[positions[bucket_of(b, key)]++] = (record){.key = key, .id = (uint32_t)i};
        }
    }
}

// ---- 5. order -------------------------------------------------------------------------------------------------------

// Leaves in ends[] where each cell of a bucket begins.
static void count_cells(const build *b, size_t bucket, uint32_t *ends, size_t cells) {
    const record *records = b->l->records_buffer.data;
    const uint32_t first_key = (uint32_t)(bucket << b->bucket_shift);
    memset(ends, 0, cells * sizeof *ends);
    for (uint32_t i = b->starts[bucket]; i < b->starts[bucket + 1]; ++i) {
        ++ends[records[i].key - first_key];
    }
    uint32_t position = b->starts[bucket];
    size_t occupied = 0, fullest = 0;
    for (size_t cell = 0; cell < cells; ++cell) {
        const uint32_t count = ends[cell];
        occupied += count > 0;
        fullest = count > fullest ? count : fullest;
        ends[cell] = position;
        position += count;
    }
    b->bucket_stats[2 * bucket] = occupied;
    b->bucket_stats[2 * bucket + 1] = fullest;
}

static void order_ids(const build *b, size_t bucket) {
    const record *records = b->l->records_buffer.data;
    const size_t first_cell = bucket << b->bucket_shift, width = (size_t)1 << b->bucket_shift;
    const size_t left = b->l->grid.cell_count - first_cell;
    // One further than the cell, so that after the placing table[cell] is where it begins and table[cell + 1] where it
    // ends.
    uint32_t *ends = (uint32_t *)b->l->table_buffer.data + first_cell + 1;
    count_cells(b, bucket, ends, left < width ? left : width);
    for (uint32_t i = b->starts[bucket]; i < b->starts[bucket + 1]; ++i) {
        b->l->columns.id[ends[records[i].key - (uint32_t)first_cell]++] = records[i].id;
    }
}

static void task_order(void *context, size_t bucket) {
    const build *b = context;
    const record *records = b->l->records_buffer.data;
    if (bucket < b->bucket_count) {
        order_ids(b, bucket);
    }
    for (size_t i = b->starts[bucket]; bucket == b->bucket_count && i < b->starts[bucket + 1]; ++i) {
        b->l->columns.id[i] = records[i].id; // the large ones
    }
    bp_columns_fill(&b->l->columns, b->l->config, b->starts[bucket], b->starts[bucket + 1], b->l->boxes);
}

// ---- the whole build ------------------------------------------------------------------------------------------------

// What the survey needs; the number of blocks follows from the boxes alone.
static bool reserve_survey(build *b) {
    linked_cells *l = b->l;
    b->block_count = bp_parallel_blocks(&l->config->executor, l->count, BLOCK_LEAST);
    if (!bp_buffer_reserve(&l->blocks_buffer, &l->config->allocator, 0, b->block_count,
                           SIZE_CLASSES * sizeof(size_class) + 3 * sizeof(float))) {
        return false;
    }
    b->classes = l->blocks_buffer.data;
    b->reach = (float *)(void *)(b->classes + b->block_count * SIZE_CLASSES);
    return true;
}

static void choose_buckets(build *b) {
    const size_t wanted = b->l->count / BUCKET_OBJECTS + 1;
    const size_t most = wanted < BUCKETS_MAX ? wanted : BUCKETS_MAX;
    b->bucket_shift = 0;
    while ((b->l->grid.cell_count - 1) >> b->bucket_shift >= most) {
        ++b->bucket_shift;
    }
    b->bucket_count = ((b->l->grid.cell_count - 1) >> b->bucket_shift) + 1;
}

static bool reserve_sorting(build *b) {
    linked_cells *l = b->l;
    const bp_allocator *allocator = &l->config->allocator;
    const size_t buckets = b->bucket_count + 2;
    const size_t counters = bp_size_multiply(b->block_count, b->bucket_count + 1);
    if (!bp_columns_reserve(&l->columns, &l->columns_buffer, allocator, l->count) ||
        !bp_buffer_reserve(&l->records_buffer, allocator, 0, l->count + 1, sizeof(record)) ||
        !bp_buffer_reserve_slack(&l->table_buffer, allocator, 0, l->grid.cell_count + 2, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&l->counters_buffer, allocator, 0, 2 * buckets + (counters + buckets) / 2 + 1,
                                 sizeof(size_t))) {
        return false;
    }
    b->keys = l->columns.id;
    b->bucket_stats = l->counters_buffer.data;
    b->starts = (uint32_t *)(void *)(b->bucket_stats + 2 * buckets);
    b->counters = b->starts + buckets;
    return true;
}

static void sum_stats(build *b) {
    b->l->occupied = 0;
    b->l->fullest = 0;
    for (size_t bucket = 0; bucket < b->bucket_count; ++bucket) {
        const size_t *of = &b->bucket_stats[2 * bucket];
        b->l->occupied += of[0];
        b->l->fullest = of[1] > b->l->fullest ? of[1] : b->l->fullest;
    }
}

bp_status linked_cells_build(linked_cells *l, const bp_box *boxes, size_t count) {
    build b = {.l = l};
    const bp_executor *executor = &l->config->executor;
    l->boxes = boxes;
    l->count = count;
    l->grid_count = 0;
    l->total_count = 0;
    l->grid.cell_count = 0;
    if (!reserve_survey(&b)) {
        return BP_ERROR_MEMORY;
    }
    const bp_status status = plan(&b);
    if (status != BP_OK) {
        return status;
    }
    choose_buckets(&b);
    if (!reserve_sorting(&b)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(executor, b.block_count, task_keys, &b);
    join_reach(&b);
    place_buckets(&b);
    bp_parallel_for(executor, b.block_count, task_partition, &b);
    ((uint32_t *)l->table_buffer.data)[0] = 0;
    bp_parallel_for(executor, b.bucket_count + 1, task_order, &b);
    sum_stats(&b);
    return BP_OK;
}
