// A world of points: neighbours with a skin.
//
//     radius + skin   a search (find_images.h) ---> rows of names, kept; and where points were: the reference
//     each update     has a point moved by half of the skin from there?  ---> search anew
//                     rows of names ---> those within the radius ---> rows, and what is beside them (image_rows.h)
//
// Names say which image of a point is meant, relative to coordinates as they run on; so rows of names stay true while
// points move. Rows that are a part of sorted rows are sorted. Rows are filtered in the order of the cells of the search:
// points near each other one after the other.
//
// Exact: a pair within the radius now was within radius + 2 * move then, up to rounding. What is left of the skin must be
// more than all rounding, or the world searches anew.
//
// Cost: each pair that is kept is measured in 64 bits, and those within the radius once more where more than indices is
// wanted. Loses to a search in each step where points move by half of the skin every few steps.
#include <broadphase/broadphase_neighbors.h>

#include "base/log.h"
#include "base/parallel.h"
#include "base/workers.h"
#include "neighbors/find_images.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK_LEAST = 1024, // rows that are worth a task
    BLOCKS_MAX = 256,
    TOGETHER = 64, // rows that are finished together
    AHEAD = 3,     // rows whose points are prefetched; names twice as many
    LINE = 64      // bytes
};

struct bp_neighbor_world {
    bp_lattice lattice;
    double radius, skin;
    bp_image_search search;  // for the radius: its images are those of the last search, and what is found is `found`
    bp_neighbor_images kept; // rows of names within radius + skin
    bp_neighbor_images found;
    bool is_kept;         // `kept` is good for the points at the reference
    double farthest;      // coordinate of the reference
    bp_buffer reference;  // of all points: where they were
    bp_buffer order;      // of the points, neighbours one after the other
    bp_buffer near_names; // in the places of `kept`
    bp_buffer near_counts;
    uint64_t searches;
    bp_blocks blocks;
    double moved[BLOCKS_MAX]; // of each block: the square of the longest move
};

static const bp_runtime *runtime_of(const bp_neighbor_world *w) {
    return &w->search.setup.methods.runtime;
}

// ---- life -----------------------------------------------------------------------------------------------------------

static bp_status check_world(bp_image_search *s, double skin) {
    static const bp_neighbors nothing = {0};
    const bp_points none = {.is_double = true};
    bp_status status = bp_neighbors_check(&s->setup, &nothing);
    if (status == BP_OK) {
        status = bp_image_search_check(s, &none);
    }
    if (status == BP_OK && !(skin >= 0.0 && s->radii.same + skin <= DBL_MAX)) {
        bp_log_write(&s->setup.methods.runtime.log, "skin: must be 0 or positive, and finite together with the radius");
        status = BP_ERROR_ARGUMENT;
    }
    return status;
}

static bp_neighbor_world *allocate_world(const bp_image_search *s, double skin) {
    const bp_allocator *allocator = &s->setup.methods.runtime.allocator;
    bp_neighbor_world *w = allocator->allocate(allocator->context, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    *w = (bp_neighbor_world){.radius = s->radii.same, .skin = skin, .search = *s};
    if (s->lattice != NULL) {
        w->lattice = *s->lattice;
    }
    w->search.lattice = &w->lattice;
    w->search.rows.images = &w->search.images;
    w->search.rows.result = &w->found;
    w->search.setup.stats = NULL;
    if (!bp_workers_open(&w->search.setup.methods.runtime)) {
        bp_neighbor_world_destroy(w);
        return NULL;
    }
    return w;
}

bp_status bp_neighbor_world_create(double radius, double skin, const bp_lattice *lattice, const bp_config *config,
                                   bp_neighbor_world **world) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    *world = NULL;
    bp_image_search s = {.lattice = lattice, .radii = {.same = radius}};
    bp_status status = bp_setup_complete(config, &s.setup);
    if (status == BP_OK) {
        status = check_world(&s, skin);
    }
    if (status != BP_OK) {
        return status;
    }
    s.rows.flags = s.setup.flags & BP_IMAGE_ROWS_FLAGS;
    s.rows.kernels = s.setup.methods.kernels;
    *world = allocate_world(&s, skin);
    return *world != NULL ? BP_OK : BP_ERROR_MEMORY;
}

void bp_neighbor_world_destroy(bp_neighbor_world *w) {
    if (w == NULL) {
        return;
    }
    const bp_allocator allocator = runtime_of(w)->allocator;
    bp_buffer *const buffers[] = {&w->reference, &w->order, &w->near_names, &w->near_counts};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], &allocator);
    }
    bp_neighbor_images_release(&w->kept, &allocator);
    bp_neighbor_images_release(&w->found, &allocator);
    bp_image_search_free(&w->search);
    bp_workers_close(&w->search.setup.methods.runtime);
    allocator.release(allocator.context, w, sizeof *w);
}

bp_status bp_neighbor_world_set_cell(bp_neighbor_world *w, const double cell[3][3]) {
    if (w == NULL || cell == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    memcpy(w->lattice.cell, cell, sizeof w->lattice.cell);
    w->is_kept = false;
    return BP_OK;
}

uint64_t bp_neighbor_world_searches(const bp_neighbor_world *w) {
    return w == NULL ? 0 : w->searches;
}

// ---- searching anew -------------------------------------------------------------------------------------------------

static void task_measure_moves(void *context, size_t block) {
    bp_neighbor_world *w = context;
    const double *now = w->search.images.given, *then = w->reference.data;
    double longest = 0.0;
    for (size_t i = bp_block_begin(w->blocks, block); i < bp_block_begin(w->blocks, block + 1); ++i) {
        const double x = now[3 * i] - then[3 * i], y = now[3 * i + 1] - then[3 * i + 1];
        const double z = now[3 * i + 2] - then[3 * i + 2], square = (x * x + y * y) + z * z;
        longest = square > longest ? square : longest;
    }
    w->moved[block] = longest;
}

// Whether all neighbours of the points, which were taken, are among those that are kept.
static bool is_good(bp_neighbor_world *w) {
    double longest = 0.0;
    if (!w->is_kept || w->kept.rows.count != w->search.images.count) {
        return false;
    }
    bp_parallel_for(&runtime_of(w)->executor, w->blocks.count, task_measure_moves, w);
    for (size_t block = 0; block < w->blocks.count; ++block) {
        longest = w->moved[block] > longest ? w->moved[block] : longest;
    }
    const double rounding = 0x1p-40 * (w->radius + w->skin) + 0x1p-44 * w->farthest + 8.0 * w->search.images.rounding;
    return 2.0 * sqrt(longest) * (1.0 + 0x1p-40) + rounding < w->skin;
}

static bool reserve_world(bp_neighbor_world *w, size_t count) {
    const bp_allocator *allocator = &runtime_of(w)->allocator;
    return bp_buffer_reserve(&w->reference, allocator, 0, 3 * count + 1, sizeof(double)) &&
           bp_buffer_reserve(&w->order, allocator, 0, count + 1, sizeof(uint32_t)) &&
           bp_buffer_reserve(&w->near_counts, allocator, 0, count + 1, sizeof(uint32_t));
}

static bp_status search_wide(bp_neighbor_world *w, bp_image_search *wide, const bp_points *points) {
    const bp_status status = bp_image_search_run(wide, points);
    const size_t names = status == BP_OK ? w->kept.rows.offsets[w->kept.rows.count] : 0;
    if (status == BP_OK &&
        !bp_buffer_reserve_slack(&w->near_names, &runtime_of(w)->allocator, 0, names + 1, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    return status;
}

// All neighbours within radius + skin, whatever their kinds, as names.
static bp_status keep_neighbors(bp_neighbor_world *w, const bp_points *points) {
    const size_t count = points->count;
    const bp_lattice cell = {.cell = {{0}}, .kinds = NULL};
    bp_lattice bare = cell;
    memcpy(bare.cell, w->lattice.cell, sizeof bare.cell);
    memcpy(bare.periodic, w->lattice.periodic, sizeof bare.periodic);
    w->is_kept = false;
    if (!reserve_world(w, count)) {
        return BP_ERROR_MEMORY;
    }
    uint32_t *order = w->order.data;
    for (size_t i = 0; i < count; ++i) {
        order[i] = (uint32_t)i;
    }
    bp_image_search wide = {
        .lattice = &bare, .setup = w->search.setup, .radii = {.same = w->radius + w->skin}, .order = order};
    wide.setup.filter = (bp_filter){.pass = NULL};
    wide.rows = (bp_image_rows){
        .images = &wide.images, .result = &w->kept, .keeps_names = true, .kernels = wide.setup.methods.kernels};
    const bp_status status = search_wide(w, &wide, points);
    if (status == BP_OK) {
        if (count > 0) {
            memcpy(w->reference.data, wide.images.given, 3 * count * sizeof(double));
        }
        const bp_point_images last = w->search.images;
        w->search.images = wide.images;
        wide.images = last;
        w->farthest = w->search.images.farthest;
        w->is_kept = true;
        ++w->searches;
    }
    bp_image_search_free(&wide);
    return status;
}

// ---- rows within the radius -----------------------------------------------------------------------------------------

// The names of a row that are near. By code, with all points in the cell, a neighbour is found by its name alone.
static size_t keep_near(const bp_neighbor_world *w, uint32_t point, const uint32_t *names, size_t count,
                        uint32_t *near) {
    const bp_point_images *images = &w->search.images;
    const bool has_codes = images->naming == BP_NAMED_BY_CODE, is_simple = images->homes == NULL;
    const double limit = w->radius * w->radius, *from = images->given + 3 * (size_t)point;
    size_t kept = 0;
    for (size_t i = 0; i < count && (is_simple && images->naming != BP_NAMED_BY_PLACE); ++i) {
        const uint32_t name = names[i], of = has_codes ? name >> BP_IMAGE_CODE_BITS : name;
        const uint32_t code = has_codes ? name & ((1u << BP_IMAGE_CODE_BITS) - 1) : BP_IMAGE_CODE_HOME;
        double vector[3];
        near[kept] = name;
        kept += bp_image_vector(from, images->given + 3 * (size_t)of, images->code_moves[code], vector) <= limit;
    }
    for (size_t i = 0; i < count && !(is_simple && images->naming != BP_NAMED_BY_PLACE); ++i) {
        near[kept] = names[i];
        kept += bp_image_square(images, point, names[i]) <= limit;
    }
    return kept;
}

static size_t keep_passing(const bp_neighbor_world *w, uint32_t point, uint32_t *names, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        names[kept] = names[i];
        kept += bp_image_search_passes(&w->search, point, names[i]);
    }
    return kept;
}

// The points of a row, and the names of a later one with the place for those that are near.
BP_PREFETCHER prefetch_row(const bp_neighbor_world *w, const uint32_t *order, size_t i, size_t end) {
    const size_t *offsets = w->kept.rows.offsets;
    if (i + (size_t)2 * AHEAD >= end) {
        return;
    }
    const uint32_t next = order[i + AHEAD], later = order[i + (size_t)2 * AHEAD];
    for (size_t k = offsets[later]; k < offsets[later + (size_t)1]; k += LINE / sizeof(uint32_t)) {
        bp_prefetch(w->kept.rows.indices + k);
        bp_prefetch_write((const uint32_t *)w->near_names.data + k);
    }
    for (size_t k = offsets[next]; k < offsets[next + (size_t)1]; ++k) {
        bp_prefetch(w->search.images.given + 3 * (size_t)bp_image_point(&w->search.images, w->kept.rows.indices[k]));
    }
}

static void task_filter_rows(void *context, size_t block) {
    const bp_neighbor_world *w = context;
    const bool asks = bp_image_search_asks(&w->search);
    const uint32_t *order = w->order.data;
    const size_t *offsets = w->kept.rows.offsets;
    const size_t end = bp_block_begin(w->blocks, block + 1);
    for (size_t i = bp_block_begin(w->blocks, block); i < end; ++i) {
        const uint32_t point = order[i];
        prefetch_row(w, order, i, end);
        const size_t begin = offsets[point], count = offsets[point + (size_t)1] - begin;
        uint32_t *near = (uint32_t *)w->near_names.data + begin;
        size_t kept = keep_near(w, point, w->kept.rows.indices + begin, count, near);
        kept = asks ? keep_passing(w, point, near, kept) : kept;
        ((uint32_t *)w->near_counts.data)[point] = (uint32_t)kept;
    }
}

static void task_place_rows(void *context, size_t block) {
    const bp_neighbor_world *w = context;
    const uint32_t *order = w->order.data, *names = w->near_names.data;
    const size_t end = bp_block_begin(w->blocks, block + 1);
    for (size_t begin = bp_block_begin(w->blocks, block); begin < end; begin += TOGETHER) {
        const size_t count = end - begin < TOGETHER ? end - begin : TOGETHER;
        for (size_t i = begin; i < begin + count; ++i) {
            const size_t ahead = i + (size_t)2 * AHEAD < end ? i + (size_t)2 * AHEAD : i;
            bp_prefetch(names + w->kept.rows.offsets[order[ahead]]);
            bp_prefetch_write(w->found.rows.indices + w->found.rows.offsets[order[ahead]]);
            const size_t to = w->found.rows.offsets[order[i]], next = w->found.rows.offsets[order[i] + (size_t)1];
            if (next > to) { // else there may be no memory
                memcpy(w->found.rows.indices + to, names + w->kept.rows.offsets[order[i]], (next - to) * sizeof *names);
            }
        }
        bp_image_rows_finish(&w->search.rows, order + begin, count);
    }
}

static size_t sum_of_counts(const bp_neighbor_world *w) {
    const uint32_t *counts = w->near_counts.data;
    size_t sum = 0;
    for (size_t i = 0; i < w->search.images.count; ++i) {
        sum += counts[i];
    }
    return sum;
}

static bp_status find_near(bp_neighbor_world *w) {
    const bp_runtime *runtime = runtime_of(w);
    const uint32_t *counts = w->near_counts.data;
    const size_t count = w->search.images.count;
    bp_neighbors *rows = &w->found.rows;
    bp_parallel_for(&runtime->executor, w->blocks.count, task_filter_rows, w);
    if (!bp_image_rows_reserve(&w->search.rows, count, sum_of_counts(w), &runtime->allocator)) {
        return BP_ERROR_MEMORY;
    }
    rows->count = count;
    rows->offsets[0] = 0;
    for (size_t i = 0; i < count; ++i) {
        rows->offsets[i + 1] = rows->offsets[i] + counts[i];
    }
    bp_parallel_for(&runtime->executor, w->blocks.count, task_place_rows, w);
    return BP_OK;
}

// ---- updates --------------------------------------------------------------------------------------------------------

static bp_status update_points(bp_neighbor_world *w, const bp_points *points) {
    const bp_runtime *runtime = runtime_of(w);
    bp_status status = bp_point_images_take(&w->search.images, points, w->search.setup.overlap.dimensions, runtime);
    if (status == BP_OK) {
        w->blocks = bp_blocks_cut(&runtime->executor, points->count, BLOCK_LEAST, BLOCKS_MAX);
        status = is_good(w) ? BP_OK : keep_neighbors(w, points);
    }
    return status == BP_OK ? find_near(w) : status;
}

static bp_status update_world(bp_neighbor_world *w, const bp_points *points, const bp_neighbor_images **found) {
    if (w == NULL || found == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = bp_image_search_check(&w->search, points);
    if (status == BP_OK) {
        bp_workers_expect(&runtime_of(w)->executor);
        status = update_points(w, points);
        bp_workers_rest(&runtime_of(w)->executor);
    }
    *found = status == BP_OK ? &w->found : *found;
    return status;
}

bp_status bp_neighbor_world_update(bp_neighbor_world *world, const float *points_xyz, size_t count,
                                   const bp_neighbor_images **found) {
    const bp_points points = {.floats = points_xyz, .count = count};
    return update_world(world, &points, found);
}

bp_status bp_neighbor_world_update_double(bp_neighbor_world *world, const double *points_xyz, size_t count,
                                          const bp_neighbor_images **found) {
    const bp_points points = {.doubles = points_xyz, .count = count, .is_double = true};
    return update_world(world, &points, found);
}
