// Neighbours and their images: distances, vectors, shifts; cells of any shape; cutoffs by kind.
//
//     points ---> images, by id (point_images.h) ---> rows of image ids (find_neighbors.c)
//                                                    |  kinds, the caller's filter: right where they are found
//                                                    v
//                                                  rows of indices, and what was asked for beside them (image_rows.h)
//
#include "base/log.h"
#include "base/workers.h"
#include "neighbors/neighbor_request.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct image_search {
    const bp_lattice *lattice; // NULL: open space
    bp_setup setup;
    bp_radii radii; // one for all: the largest cutoff once it is checked
    bp_image_rows rows;
    bp_point_images images;
    bp_buffer moved; // points
} image_search;

// ---- checks ---------------------------------------------------------------------------------------------------------

static bp_status refuse(const image_search *s, const char *what) {
    bp_log_write(&s->setup.methods.runtime.log, "%s", what);
    return BP_ERROR_ARGUMENT;
}

static bool is_radius(double radius) {
    return radius >= 0.0 && radius <= DBL_MAX;
}

static bool has_kinds(const image_search *s) {
    return s->lattice != NULL && s->lattice->kinds != NULL;
}

// Kinds have cutoffs, of which the largest is the radius.
static bp_status check_kinds(image_search *s, size_t count) {
    const bp_lattice *l = s->lattice;
    for (size_t i = 0; i < count; ++i) {
        if (l->kinds[i] >= l->kind_count) {
            bp_log_write(&s->setup.methods.runtime.log, "lattice.kinds: point %zu is of kind %lu, but there are %zu", i,
                         (unsigned long)l->kinds[i], l->kind_count);
            return BP_ERROR_ARGUMENT;
        }
    }
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

// ---- the filter -----------------------------------------------------------------------------------------------------

static int pass_kinds(void *context, uint32_t point, uint32_t image_id) {
    const image_search *s = context;
    const bp_lattice *l = s->lattice;
    const bp_filter *caller = &s->setup.filter;
    const uint32_t of = bp_image_point(&s->images, image_id), smaller = point < of ? point : of;
    if (has_kinds(s)) {
        const double cutoff = l->cutoffs[l->kinds[point] * l->kind_count + l->kinds[of]];
        if (!(bp_image_square(&s->images, point, image_id) <= cutoff * cutoff)) {
            return 0;
        }
    }
    return caller->pass == NULL || caller->pass(caller->context, smaller, point < of ? of : point) != 0;
}

// Of (a, b, shift) and (b, a, -shift), the first has the greater image id on the other side.
static int pass_image(void *context, uint32_t point, uint32_t image_id) {
    const image_search *s = context;
    const uint32_t own = bp_image_id(&s->images, point);
    const bool half = (s->setup.flags & BP_NEIGHBORS_HALF) != 0;
    return (half ? image_id > own : image_id != own) && pass_kinds(context, point, image_id);
}

// ---- search ---------------------------------------------------------------------------------------------------------

static bp_neighbor_request request_of(image_search *s) {
    const bool asks = has_kinds(s) || s->setup.filter.pass != NULL; // for more than the distance
    const bp_filter none = {.pass = NULL}, kinds = {.pass = pass_kinds, .context = s};
    return (bp_neighbor_request){.a = {.doubles = s->images.given, .count = s->images.count, .is_double = true},
                                 .b = s->images.points,
                                 .radii = s->radii,
                                 .between = true,
                                 .grid_filter = asks ? kinds : none,
                                 .box_filter = {.pass = pass_image, .context = s},
                                 .images = &s->images,
                                 .beside = &s->rows};
}

static bp_status search_grid(image_search *s, bool *served) {
    const bp_neighbor_request r = request_of(s);
    return bp_neighbors_search_grid(&r, &s->setup, &s->rows.result->rows, served);
}

// The search itself repeats, if it can; else images are copied, by code if these are enough, or by place; and what no grid
// serves is searched as boxes, with the points where their own images are.
static bp_status search_cell(image_search *s) {
    const bp_runtime *runtime = &s->setup.methods.runtime;
    bp_point_images *images = &s->images;
    bool served = false;
    bp_status status = bp_point_images_wrap(images, s->radii.same, runtime, &served);
    if (status == BP_OK && served) {
        status = search_grid(s, &served);
    }
    for (int id_form = BP_IMAGE_BY_CODE; id_form <= BP_IMAGE_BY_PLACE && status == BP_OK && !served; ++id_form) {
        if (id_form == BP_IMAGE_BY_PLACE || bp_point_images_have_codes(images)) {
            status = bp_point_images_copy(images, (bp_image_id_form)id_form, runtime);
            status = status == BP_OK ? search_grid(s, &served) : status;
        }
    }
    if (status != BP_OK || served) {
        return status;
    }
    if (!bp_buffer_reserve(&s->moved, &runtime->allocator, 0, 3 * images->count + 1, sizeof(double))) {
        return BP_ERROR_MEMORY;
    }
    double *moved = s->moved.data;
    for (size_t i = 0; i < images->count; ++i) {
        memcpy(moved + 3 * i, images->points.doubles + 3 * (size_t)images->places[i], 3 * sizeof *moved);
    }
    bp_neighbor_request r = request_of(s);
    r.a.doubles = moved;
    return bp_neighbors_search_boxes(&r, &s->setup, &s->rows.result->rows);
}

static bp_status find_images(const bp_points *points, double radius, const bp_lattice *lattice, const bp_config *config,
                             bp_neighbor_images *images) {
    image_search s = {.lattice = lattice, .radii = {.same = radius}};
    bp_status status = bp_setup_complete(config, &s.setup);
    if (status == BP_OK) {
        status = bp_neighbors_check(&s.setup, images == NULL ? NULL : &images->rows);
    }
    const float *period = s.setup.overlap.period;
    if (status == BP_OK && (period[0] != 0.0f || period[1] != 0.0f || period[2] != 0.0f)) {
        return refuse(&s, "config.period: must be 0 here; lattice.cell says what repeats");
    }
    const bp_log *log = &s.setup.methods.runtime.log;
    if (status == BP_OK && lattice != NULL &&
        !bp_reserved_is_zero(log, "lattice.reserved", lattice->reserved,
                             sizeof lattice->reserved / sizeof *lattice->reserved)) {
        return BP_ERROR_ARGUMENT;
    }
    status = status == BP_OK ? bp_points_check(points, log) : status;
    status = status == BP_OK && has_kinds(&s) ? check_kinds(&s, points->count) : status;
    if (status == BP_OK && !is_radius(s.radii.same)) {
        return refuse(&s, "radius: must be 0 or positive, and finite");
    }
    if (status != BP_OK) {
        return status;
    }
    if (!bp_workers_open(&s.setup.methods.runtime)) {
        return BP_ERROR_MEMORY;
    }
    s.rows = (bp_image_rows){.images = &s.images,
                             .result = images,
                             .flags = s.setup.flags & BP_IMAGE_ROWS_FLAGS,
                             .kernels = s.setup.methods.kernels};
    bp_workers_expect(&s.setup.methods.runtime.executor);
    status = bp_point_images_begin(&s.images, lattice, s.setup.overlap.dimensions, points, s.radii.same,
                                   &s.setup.methods.runtime);
    if (status == BP_OK && !bp_point_images_repeat(&s.images)) {
        const bp_neighbor_request r = request_of(&s);
        status = bp_neighbors_search(&r, &s.setup, &images->rows);
    } else if (status == BP_OK) {
        status = search_cell(&s);
    }
    bp_workers_rest(&s.setup.methods.runtime.executor);
    bp_workers_close(&s.setup.methods.runtime);
    if (status == BP_OK) {
        bp_image_rows_end(&s.rows, &s.setup.methods.runtime.allocator);
    }
    if (status == BP_OK && s.setup.stats != NULL) {             // without images
        assert(images != NULL && images->rows.offsets != NULL); // as bp_neighbors_check and the search have seen to
        s.setup.stats->objects = s.images.count;
        s.setup.stats->pairs = images->rows.offsets[images->rows.count];
    }
    bp_point_images_free(&s.images, &s.setup.methods.runtime.allocator);
    bp_buffer_free(&s.moved, &s.setup.methods.runtime.allocator);
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
        bp_neighbor_images_release(images, &allocator);
    }
}
