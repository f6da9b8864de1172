// Neighbours and their images: distances, vectors, shifts; cells of any shape; cutoffs by kind.
//
//     points ---> images in open space (point_images.h) ---> rows of images (find_neighbors.c)
//                                                        |  kinds, half, the caller's filter: right where they are found
//                                                        v
//                                                      rows of neighbours, and what was asked for beside them
//
// A row of images is two ascending lists, of points and of ghosts. They are merged, named by their points, and measured,
// row after row in the order of the cells of the grid: what one row reads, the next ones read again from the cache.
#include "base/log.h"
#include "base/parallel.h"
#include "base/workers.h"
#include "neighbors/neighbor_request.h"
#include "neighbors/point_images.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK_LEAST = 1024, BLOCKS_MAX = 256, AHEAD = 2 }; // rows whose neighbours are prefetched

static const uint32_t BESIDE_INDICES = BP_NEIGHBORS_DISTANCES | BP_NEIGHBORS_VECTORS | BP_NEIGHBORS_SHIFTS;

typedef struct image_search {
    const bp_lattice *lattice; // NULL: open space
    bp_setup setup;
    bp_point_images images;
    bp_radii radii;
    bp_buffer order;            // of the points; 0, 1, 2 ... unless the search has one
    bp_neighbor_images *result; // a new one: the caller's is replaced when nothing can fail any more
    bp_blocks blocks;
    bp_buffer spare; // for the longest row, in each block
    size_t longest;
} image_search;

// ---- checks ---------------------------------------------------------------------------------------------------------

static bp_status refuse(const image_search *s, const char *what) {
    bp_log_write(&s->setup.methods.runtime.log, "%s", what);
    return BP_ERROR_ARGUMENT;
}

static bool is_radius(double radius) {
    return radius >= 0.0 && radius <= DBL_MAX;
}

// Finds the largest cutoff.
static bp_status check_cutoffs(image_search *s) {
    const bp_lattice *l = s->lattice;
    if (l->cutoffs == NULL || l->kind_count == 0 || l->kind_count > UINT32_MAX) {
        return refuse(s, "lattice.kinds: there must be cutoffs, for at least one kind");
    }
    s->radii.same = 0.0;
    for (size_t a = 0; a < l->kind_count; ++a) {
        for (size_t b = 0; b < l->kind_count; ++b) {
            const double cutoff = l->cutoffs[a * l->kind_count + b];
            if (!is_radius(cutoff) || cutoff != l->cutoffs[b * l->kind_count + a]) {
                return refuse(s, "lattice.cutoffs: must be 0 or positive, finite, and the same for (a, b) and (b, a)");
            }
            s->radii.same = cutoff > s->radii.same ? cutoff : s->radii.same;
        }
    }
    return BP_OK;
}

static bp_status check_kinds(image_search *s, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (s->lattice->kinds[i] >= s->lattice->kind_count) {
            bp_log_write(&s->setup.methods.runtime.log, "lattice.kinds: point %zu is of kind %lu, but there are %zu", i,
                         (unsigned long)s->lattice->kinds[i], s->lattice->kind_count);
            return BP_ERROR_ARGUMENT;
        }
    }
    return check_cutoffs(s);
}

static bool has_kinds(const image_search *s) {
    return s->lattice != NULL && s->lattice->kinds != NULL;
}

static bp_status check_request(image_search *s, const bp_points *points) {
    const float *period = s->setup.overlap.period;
    if (period[0] != 0.0f || period[1] != 0.0f || period[2] != 0.0f) {
        return refuse(s, "config.period: must be 0 here; lattice.cell says what repeats");
    }
    const bp_status status = bp_points_check(points, &s->setup.methods.runtime.log);
    if (status != BP_OK) {
        return status;
    }
    if (has_kinds(s)) {
        return check_kinds(s, points->count);
    }
    return is_radius(s->radii.same) ? BP_OK : refuse(s, "radius: must be 0 or positive, and finite");
}

// ---- the filter -----------------------------------------------------------------------------------------------------

// Of (a, b, shift) and (b, a, -shift), the first.
static bool is_first(uint32_t a, uint32_t b, const int32_t shift[3]) {
    const int32_t leading = shift[0] != 0 ? shift[0] : shift[1] != 0 ? shift[1] : shift[2];
    return a < b || (a == b && leading > 0);
}

static bool is_in_cutoff(const image_search *s, const bp_point_image *from, const bp_point_image *to,
                         const int32_t shift[3]) {
    const bp_lattice *l = s->lattice;
    const double cutoff = l->cutoffs[l->kinds[from->of] * l->kind_count + l->kinds[to->of]];
    double vector[3];
    return bp_point_images_vector(&s->images, from, to, shift, vector) <= cutoff * cutoff;
}

static int pass_image(void *context, uint32_t point, uint32_t image) {
    const image_search *s = context;
    const bp_point_image from = bp_point_image_at(&s->images, point), to = bp_point_image_at(&s->images, image);
    const bp_filter *caller = &s->setup.filter;
    int32_t shift[3];
    bp_point_images_shift(&from, &to, shift);
    if (point == image || ((s->setup.flags & BP_NEIGHBORS_HALF) != 0 && !is_first(point, to.of, shift)) ||
        (has_kinds(s) && !is_in_cutoff(s, &from, &to, shift))) {
        return 0;
    }
    const uint32_t smaller = point < to.of ? point : to.of, larger = point < to.of ? to.of : point;
    return caller->pass == NULL || caller->pass(caller->context, smaller, larger) != 0;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static bool precedes(const bp_point_image *a, const bp_point_image *b) {
    for (int edge = 0; edge < 3 && a->of == b->of; ++edge) {
        if (a->shift[edge] != b->shift[edge]) {
            return a->shift[edge] < b->shift[edge];
        }
    }
    return a->of < b->of;
}

// Merges points and ghosts, both ascending by (index, shift) already. Most rows have no ghosts.
static void merge_row(const bp_point_images *images, uint32_t *row, size_t count, uint32_t *spare) {
    size_t middle = count, low = 0;
    while (middle > 0 && row[middle - 1] >= images->count) {
        --middle;
    }
    if (middle == count) {
        return;
    }
    memcpy(spare, row, middle * sizeof *row);
    for (size_t high = middle, place = 0; low < middle; ++place) {
        const bool is_ghost = high < count && precedes(&images->images[row[high]], &images->images[spare[low]]);
        row[place] = is_ghost ? row[high++] : spare[low++];
    }
}

BP_PREFETCHER prefetch_row(const bp_point_images *images, const bp_neighbors *rows, uint32_t point) {
    const size_t end = rows->offsets[point + (size_t)1];
    for (size_t i = rows->offsets[point]; i < end; ++i) {
        if (images->images != NULL) {
            bp_prefetch(images->images + rows->indices[i]);
        } else {
            bp_prefetch(images->given + 3 * (size_t)rows->indices[i]);
        }
    }
}

// Of images, names of points; and beside them what is wanted.
static void measure_row(const image_search *s, uint32_t point, size_t begin, size_t end) {
    const bp_neighbor_images *r = s->result;
    const bp_point_image from = bp_point_image_at(&s->images, point);
    for (size_t i = begin; i < end; ++i) {
        const bp_point_image to = bp_point_image_at(&s->images, r->rows.indices[i]);
        int32_t shift[3];
        double vector[3];
        bp_point_images_shift(&from, &to, shift);
        const double square = bp_point_images_vector(&s->images, &from, &to, shift, vector);
        r->rows.indices[i] = to.of;
        if (r->distances != NULL) {
            r->distances[i] = sqrt(square);
        }
        if (r->vectors != NULL) {
            memcpy(r->vectors + 3 * i, vector, sizeof vector);
        }
        if (r->shifts != NULL) {
            memcpy(r->shifts + 3 * i, shift, sizeof shift);
        }
    }
}

static void task_finish_rows(void *context, size_t block) {
    const image_search *s = context;
    const bp_neighbors *rows = &s->result->rows;
    const uint32_t *order = s->order.data;
    uint32_t *spare = (uint32_t *)s->spare.data + block * s->longest;
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t at = bp_block_begin(s->blocks, block); at < end; ++at) {
        const size_t first = rows->offsets[order[at]], last = rows->offsets[order[at] + (size_t)1];
        if (at + AHEAD < end) {
            prefetch_row(&s->images, rows, order[at + AHEAD]);
        }
        if (first == last) {
            continue;
        }
        if (s->images.images != NULL) {
            merge_row(&s->images, rows->indices + first, last - first, spare);
        }
        measure_row(s, order[at], first, last);
    }
}

// An array of the result, where it is wanted.
static bool reserve_array(const image_search *s, uint32_t flag, void **array, size_t *capacity, size_t count,
                          size_t size) {
    bp_buffer buffer = {0};
    if ((s->setup.flags & flag) == 0) {
        return true;
    }
    if (!bp_buffer_reserve(&buffer, &s->setup.methods.runtime.allocator, 0, bp_size_add(count, 1), size)) {
        return false;
    }
    *array = buffer.data;
    *capacity = buffer.bytes / size;
    return true;
}

static bool reserve_result(image_search *s, size_t count) {
    bp_neighbor_images *r = s->result;
    void *distances = NULL, *vectors = NULL, *shifts = NULL;
    const size_t triple = bp_size_multiply(count, 3);
    const bool good =
        reserve_array(s, BP_NEIGHBORS_DISTANCES, &distances, &r->distance_capacity, count, sizeof(double)) &&
        reserve_array(s, BP_NEIGHBORS_VECTORS, &vectors, &r->vector_capacity, triple, sizeof(double)) &&
        reserve_array(s, BP_NEIGHBORS_SHIFTS, &shifts, &r->shift_capacity, triple, sizeof(int32_t));
    r->distances = distances;
    r->vectors = vectors;
    r->shifts = shifts;
    return good;
}

static bp_status finish_rows(image_search *s) {
    const bp_runtime *runtime = &s->setup.methods.runtime;
    const bp_neighbors *rows = &s->result->rows;
    if (s->images.images == NULL && (s->setup.flags & BESIDE_INDICES) == 0) {
        return BP_OK;
    }
    for (size_t row = 0; row < rows->count; ++row) {
        const size_t count = rows->offsets[row + 1] - rows->offsets[row];
        s->longest = count > s->longest ? count : s->longest;
    }
    s->blocks = bp_blocks_cut(&runtime->executor, rows->count, BLOCK_LEAST, BLOCKS_MAX);
    if (!bp_buffer_reserve(&s->spare, &runtime->allocator, 0,
                           bp_size_add(bp_size_multiply(s->longest, s->blocks.count), 1), sizeof(uint32_t)) ||
        !reserve_result(s, rows->offsets[rows->count])) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, s->blocks.count, task_finish_rows, s);
    return BP_OK;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static bool make_order(image_search *s, size_t count) {
    if (!bp_buffer_reserve(&s->order, &s->setup.methods.runtime.allocator, 0, count + 1, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *order = s->order.data;
    for (size_t i = 0; i < count; ++i) {
        order[i] = (uint32_t)i;
    }
    return true;
}

static bp_status search_images(image_search *s, const bp_points *points) {
    const bp_runtime *runtime = &s->setup.methods.runtime;
    const bp_filter filter = {.pass = pass_image, .context = s};
    const bool asks = has_kinds(s) || s->setup.filter.pass != NULL || (s->setup.flags & BP_NEIGHBORS_HALF) != 0;
    bp_status status =
        bp_point_images_make(&s->images, s->lattice, s->setup.overlap.dimensions, points, s->radii.same, runtime);
    if (status == BP_OK && !make_order(s, points->count)) {
        status = BP_ERROR_MEMORY;
    }
    if (status != BP_OK) {
        return status;
    }
    bp_neighbor_request r = {.a = s->images.points,
                             .b = s->images.points,
                             .radii = s->radii,
                             .between = true,
                             .box_filter = filter,
                             .images = &s->images,
                             .order = s->order.data};
    r.a.count = s->images.count;
    if (asks) {
        r.grid_filter = filter;
    }
    status = bp_neighbors_search(&r, &s->setup, &s->result->rows);
    return status == BP_OK ? finish_rows(s) : status;
}

static void free_search(image_search *s) {
    const bp_allocator *allocator = &s->setup.methods.runtime.allocator;
    bp_point_images_free(&s->images, allocator);
    bp_buffer_free(&s->order, allocator);
    bp_buffer_free(&s->spare, allocator);
}

static void free_result(bp_neighbor_images *images, const bp_allocator *allocator) {
    const bp_neighbors *rows = &images->rows;
    bp_buffer buffers[] = {{rows->offsets, rows->offset_capacity * sizeof(size_t)},
                           {rows->indices, rows->index_capacity * sizeof(uint32_t)},
                           {images->distances, images->distance_capacity * sizeof(double)},
                           {images->vectors, images->vector_capacity * sizeof(double)},
                           {images->shifts, images->shift_capacity * sizeof(int32_t)}};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(&buffers[i], allocator);
    }
    *images = (bp_neighbor_images){0};
}

static void take_result(image_search *s, bp_neighbor_images *images) {
    free_result(images, &s->setup.methods.runtime.allocator);
    *images = *s->result;
    if (s->setup.stats != NULL) { // without images
        s->setup.stats->objects = s->images.count;
        s->setup.stats->pairs = images->rows.offsets[images->rows.count];
    }
}

static bp_status find_images(const bp_points *points, double radius, const bp_lattice *lattice, const bp_config *config,
                             bp_neighbor_images *images) {
    bp_neighbor_images result = {0};
    image_search s = {.lattice = lattice, .radii = {.same = radius}, .result = &result};
    bp_status status = bp_setup_complete(config, &s.setup);
    if (status == BP_OK) {
        status = bp_neighbors_check(&s.setup, images == NULL ? NULL : &images->rows);
    }
    if (status == BP_OK) {
        status = check_request(&s, points);
    }
    if (status != BP_OK) {
        return status;
    }
    if (!bp_workers_open(&s.setup.methods.runtime)) {
        return BP_ERROR_MEMORY;
    }
    status = search_images(&s, points);
    bp_workers_close(&s.setup.methods.runtime);
    if (status == BP_OK && images != NULL) { // it is not NULL: that was checked
        take_result(&s, images);
    } else {
        free_result(&result, &s.setup.methods.runtime.allocator);
    }
    free_search(&s);
    return status;
}

bp_status bp_find_neighbor_images(const float *points_xyz, size_t count, float radius, const bp_lattice *lattice,
                                  const bp_config *config, bp_neighbor_images *images) {
    const bp_points points = {.floats = points_xyz, .count = count};
    return find_images(&points, (double)radius, lattice, config, images);
}

bp_status bp_find_neighbor_images_double(const double *points_xyz, size_t count, double radius,
                                         const bp_lattice *lattice, const bp_config *config,
                                         bp_neighbor_images *images) {
    const bp_points points = {.doubles = points_xyz, .count = count, .is_double = true};
    return find_images(&points, radius, lattice, config, images);
}

void bp_neighbor_images_free(bp_neighbor_images *images, const bp_config *config) {
    const bp_allocator allocator = bp_config_allocator(config);
    if (images != NULL) {
        free_result(images, &allocator);
    }
}
