// Neighbours: all points within a radius.
//
//     points ---> a grid of them (near_search.h) ------------------------------------------------------> rows
//
//     points ---> cubes (nearness.c) ---> method ---> pairs of cubes that touch
//                                                       |  is the distance short enough? (nearness.c)
//                                                       v
//                                                     pairs of neighbours ---> rows (neighbor_rows.c)
//
// The first way is for one radius, if the library may choose and the points fit a grid. The second is for everything
// else, and takes three to five times as long. Any method will do for it. Cubes have 1.9 times the volume of the spheres
// in them, so about half of the pairs that a method finds are dropped again. The distance is tested in batches, right
// where the pairs are found.
//
// With a radius per point, by rule (points with radii r and s):
//   sum        cubes that reach r to each side touch up to a distance of r + s
//   min        cubes that reach r / 2 touch up to (r + s) / 2, which is at least the smaller radius
//   max        points are searched for in cubes that reach r. A pair is found twice if each point is in the cube of the
//              other: the larger cube reports it. Where radii are similar, equal cubes for the largest one are cheaper.
//
// Cost: that of the grid or of the method, and O(n + neighbours). Loses where a radius spans everything: the result is
// n^2 then.
#include "api/one_call.h"
#include "base/log.h"
#include "base/workers.h"
#include "kernels/neighbor_rows.h"
#include "neighbors/near_search.h"
#include "neighbors/neighbor_request.h"
#include "neighbors/point_images.h"
#include "view/pair_filter.h"
#include "view/view_confirm.h"

#include <float.h>
#include <math.h>

enum {
    BATCH = 1024,   // pairs whose distance is tested together, so that their points can be prefetched
    GRID_LEAST = 40 // points: fewer are tested as boxes, all against all
};

// Which cubes represent the points, and whether pairs are searched for inside one set of them or between two.
typedef struct cube_choice {
    bp_radii reach; // the radii that cubes are made for
    double first_share, second_share;
    bool two_sets, by_larger;
} cube_choice;

// ---- checks ---------------------------------------------------------------------------------------------------------

static bp_status refuse_call(const bp_log *log, const char *what) {
    bp_log_write(log, "%s", what);
    return BP_ERROR_ARGUMENT;
}

bp_status bp_neighbors_check(const bp_setup *setup, const bp_neighbors *rows) {
    const bp_log *log = &setup->methods.runtime.log;
    if ((setup->flags & BP_PAIRS_FIXED) != 0) {
        return refuse_call(log,
                           "config.flags: BP_PAIRS_FIXED is for pairs; rows of neighbours are grown by the library");
    }
    if (rows == NULL || (rows->offsets == NULL && rows->offset_capacity > 0) ||
        (rows->indices == NULL && rows->index_capacity > 0)) {
        return refuse_call(log, "neighbors: NULL, or a capacity without memory; begin with {0}");
    }
    return bp_one_call_check(setup, true);
}

static bp_status check_radii(const bp_neighbor_request *r, const bp_log *log) {
    const size_t count = r->per_point ? r->a.count : 1;
    if (r->per_point && r->radii.floats == NULL && r->radii.doubles == NULL && count > 0) {
        return refuse_call(log, "radii: NULL; bp_find_neighbors takes one radius for all points");
    }
    for (size_t i = 0; i < count; ++i) {
        const double radius = bp_radius_of(&r->radii, i);
        if (!(radius >= 0.0 && radius <= DBL_MAX)) {
            bp_log_write(log, "radius %zu is %g: must be 0 or positive, and finite", i, radius);
            return BP_ERROR_ARGUMENT;
        }
    }
    return BP_OK;
}

static bp_status check_neighbor_request(const bp_neighbor_request *r, const bp_log *log) {
    bp_status status = bp_points_check(&r->a, log);
    if (status == BP_OK && r->between) {
        status = bp_points_check(&r->b, log);
    }
    return status == BP_OK ? check_radii(r, log) : status;
}

// ---- cubes ----------------------------------------------------------------------------------------------------------

// By comparing: gcc 12.2 for 64-bit ARM dies at -O3 on a loop of fmax over floats that become doubles (PR 108608).
static double largest_radius(const bp_neighbor_request *r) {
    double largest = 0.0;
    for (size_t i = 0; i < r->a.count; ++i) {
        const double radius = bp_radius_of(&r->radii, i);
        largest = radius > largest ? radius : largest;
    }
    return largest;
}

// Whether equal cubes for the largest radius are cheaper than points against cubes, where each pair is tested twice.
static bool are_similar(const bp_neighbor_request *r, double largest, uint32_t dimensions) {
    double volume = 0.0; // of all cubes, in units of the largest
    for (size_t i = 0; i < r->a.count && largest > 0.0; ++i) {
        const double size = bp_radius_of(&r->radii, i) / largest;
        volume += dimensions == 2 ? size * size : size * size * size;
    }
    return (double)r->a.count <= 2.0 * volume || largest == 0.0;
}

static cube_choice cubes_for_larger_radius(const bp_neighbor_request *r, uint32_t dimensions) {
    const double largest = largest_radius(r);
    if (are_similar(r, largest, dimensions)) {
        return (cube_choice){.reach = {.same = largest}, .first_share = 0.5};
    }
    return (cube_choice){.reach = r->radii, .second_share = 1.0, .two_sets = true, .by_larger = true};
}

static cube_choice choose_cubes(const bp_neighbor_request *r, bp_radius_rule rule, uint32_t dimensions) {
    if (r->images != NULL) { // which are not quite where they should be
        const double reach = r->radii.same + 8.0 * r->images->rounding;
        return (cube_choice){.reach = {.same = reach}, .first_share = 0.5, .second_share = 0.5, .two_sets = true};
    }
    if (r->per_point && rule == BP_RADIUS_MAX) {
        return cubes_for_larger_radius(r, dimensions);
    }
    const double share = r->per_point && rule == BP_RADIUS_SUM ? 1.0 : 0.5;
    return (cube_choice){.reach = r->radii, .first_share = share, .second_share = share, .two_sets = r->between};
}

// ---- search ---------------------------------------------------------------------------------------------------------

// The checks by which a pair of cubes becomes a pair of neighbours.
typedef struct distance_filter {
    const bp_view *first, *second; // the same inside one set
    bool exact;                    // pairs of proxies are pairs of cubes
    bp_nearness nearness;
    bp_pair_filter caller; // orders the pair inside one set, and calls the caller's filter
} distance_filter;

typedef struct neighbor_search {
    const bp_neighbor_request *request;
    const bp_setup *setup;
    cube_choice choice;
    bp_cubes first, second;
    distance_filter filter;
    bp_pairs pairs;
    bp_stats stats;
} neighbor_search;

static bp_points second_points(const bp_neighbor_request *r) {
    return r->between ? r->b : r->a;
}

static bp_status make_cubes(neighbor_search *s) {
    const cube_choice *c = &s->choice;
    const bp_overlap_rule *rule = &s->setup->overlap;
    const bp_runtime *runtime = &s->setup->methods.runtime;
    const bp_status status = bp_cubes_make(&s->first, rule, runtime, s->request->a, &c->reach, c->first_share);
    return status == BP_OK && c->two_sets
               ? bp_cubes_make(&s->second, rule, runtime, second_points(s->request), &c->reach, c->second_share)
               : status;
}

static size_t keep_neighbors(const void *context, bp_pair *pairs, size_t count) {
    const distance_filter *f = context;
    const bp_batch_filter caller = bp_pair_filter_batch(&f->caller);
    const size_t resolved = f->exact ? count : bp_view_resolve(f->first, f->second, pairs, count);
    const size_t near = bp_nearness_keep(&f->nearness, pairs, resolved);
    return caller.keep != NULL ? caller.keep(caller.context, pairs, near) : near;
}

static bp_sink_rules rules_for_neighbors(const bp_one_call *call, void *context) {
    neighbor_search *s = context;
    const bp_neighbor_request *r = s->request;
    s->filter = (distance_filter){.first = &call->first,
                                  .second = call->built_over,
                                  .exact = call->exact,
                                  .nearness = {.rule = &s->setup->overlap,
                                               .radius_rule = s->setup->radius_rule,
                                               .first = r->a,
                                               .second = second_points(r),
                                               .radii = r->radii,
                                               .images = r->images,
                                               .by_larger = s->choice.by_larger},
                                  .caller = {.orders = !r->between, .filter = r->box_filter}};
    return (bp_sink_rules){
        .filter = {.keep = keep_neighbors, .context = &s->filter}, .batch = BATCH, .limit = BP_SINK_UNLIMITED};
}

// All pairs of neighbours, each once, into s->pairs. The last call had room for `last_count` of them.
static bp_status search_neighbors(neighbor_search *s, size_t last_count) {
    const size_t usual = s->request->a.count / 2;
    const bp_overlap_rule cube_rule = bp_cubes_rule(&s->setup->overlap, &s->choice.reach);
    bp_one_call call = {.setup = s->setup,
                        .rule = &cube_rule,
                        .a = s->first.input,
                        .b = s->choice.two_sets ? &s->second.input : NULL,
                        .expected = last_count > usual ? last_count : usual,
                        .pairs = &s->pairs,
                        .rules = rules_for_neighbors,
                        .context = s};
    const bp_status status = bp_one_call_run(&call);
    s->stats = call.stats;
    return status;
}

static void free_search(neighbor_search *s) {
    const bp_allocator *allocator = &s->setup->methods.runtime.allocator;
    bp_buffer_free(&s->first.buffer, allocator);
    bp_buffer_free(&s->second.buffer, allocator);
    bp_pairs_release(&s->pairs, allocator);
}

static void report_neighbor_stats(neighbor_search *s) {
    s->stats.update = BP_UPDATE_REBUILD;
    s->stats.objects = s->request->a.count + (s->request->between ? s->request->b.count : 0);
    s->stats.bytes += s->first.buffer.bytes + s->second.buffer.bytes;
    *s->setup->stats = s->stats;
}

static bp_status find_rows(neighbor_search *s, bp_neighbors *rows) {
    const bool both_ways = !s->request->between && (s->setup->flags & BP_NEIGHBORS_HALF) == 0;
    const bp_runtime *runtime = &s->setup->methods.runtime;
    const bp_image_rows *beside = s->request->beside;
    bp_status status = make_cubes(s);
    if (status == BP_OK) {
        status = search_neighbors(s, rows->index_capacity / (both_ways ? 2 : 1));
    }
    if (status == BP_OK && beside != NULL &&
        !bp_image_rows_reserve(beside, s->request->a.count, s->pairs.count, &runtime->allocator)) {
        status = BP_ERROR_MEMORY;
    }
    if (status == BP_OK) {
        status = bp_neighbor_rows_make(rows, s->request->a.count, s->pairs.data, s->pairs.count, both_ways,
                                       s->setup->methods.kernels, runtime);
    }
    if (status == BP_OK && beside != NULL) {
        bp_image_rows_finish_all(beside, &runtime->executor);
    }
    if (status == BP_OK && s->setup->stats != NULL) {
        report_neighbor_stats(s);
    }
    return status;
}

// ---- a grid of points -----------------------------------------------------------------------------------------------

// Whether the library may choose, and points have one radius and are more than a few.
static bool suits_grid(const bp_neighbor_request *r, const bp_setup *setup) {
    const size_t others = second_points(r).count, larger = r->a.count > others ? r->a.count : others;
    return setup->method == BP_METHOD_AUTO && !r->per_point && larger >= GRID_LEAST;
}

bp_status bp_neighbors_search_grid(const bp_neighbor_request *r, const bp_setup *setup, bp_neighbors *rows,
                                   bool *served) {
    *served = false;
    if (!suits_grid(r, setup)) {
        return BP_OK;
    }
    const bp_near_request request = {.nearness = {.rule = &setup->overlap,
                                                  .first = r->images != NULL ? r->b : r->a,
                                                  .second = second_points(r),
                                                  .radii = r->radii,
                                                  .images = r->images},
                                     .between = r->between && r->images == NULL,
                                     .half = (setup->flags & BP_NEIGHBORS_HALF) != 0,
                                     .beside = r->beside,
                                     .filter = r->grid_filter,
                                     .kernels = setup->methods.kernels,
                                     .runtime = &setup->methods.runtime};
    bp_stats stats;
    const bp_status status = bp_near_search(&request, rows, &stats, served);
    if (status == BP_OK && *served && setup->stats != NULL) {
        stats.update = BP_UPDATE_REBUILD;
        stats.objects = r->a.count + (r->between ? r->b.count : 0);
        *setup->stats = stats;
    }
    return status;
}

// ---- all together ---------------------------------------------------------------------------------------------------

bp_status bp_neighbors_search_boxes(const bp_neighbor_request *r, const bp_setup *setup, bp_neighbors *rows) {
    neighbor_search s = {.request = r, .setup = setup};
    s.choice = choose_cubes(r, setup->radius_rule, setup->overlap.dimensions);
    const bp_status status = find_rows(&s, rows);
    free_search(&s);
    return status;
}

bp_status bp_neighbors_search(const bp_neighbor_request *r, const bp_setup *setup, bp_neighbors *rows) {
    bool served;
    const bp_status status = bp_neighbors_search_grid(r, setup, rows, &served);
    return status == BP_OK && !served ? bp_neighbors_search_boxes(r, setup, rows) : status;
}

static bp_status find_neighbors(const bp_neighbor_request *asked, const bp_config *config, bp_neighbors *rows) {
    bp_neighbor_request r = *asked;
    bp_setup setup;
    bp_status status = bp_setup_complete(config, &setup);
    if (status == BP_OK) {
        status = bp_neighbors_check(&setup, rows);
    }
    if (status == BP_OK) {
        status = check_neighbor_request(&r, &setup.methods.runtime.log);
    }
    if (status != BP_OK) {
        return status;
    }
    if (!bp_workers_open(&setup.methods.runtime)) {
        return BP_ERROR_MEMORY;
    }
    r.box_filter = r.grid_filter = setup.filter;
    bp_workers_expect(&setup.methods.runtime.executor);
    status = bp_neighbors_search(&r, &setup, rows);
    bp_workers_rest(&setup.methods.runtime.executor);
    bp_workers_close(&setup.methods.runtime);
    return status;
}

// ---- the calls ------------------------------------------------------------------------------------------------------

bp_status bp_find_neighbors(const float *points_xyz, size_t count, float radius, const bp_config *config,
                            bp_neighbors *neighbors) {
    const bp_neighbor_request r = {.a = {.floats = points_xyz, .count = count}, .radii = {.same = (double)radius}};
    return find_neighbors(&r, config, neighbors);
}

bp_status bp_find_neighbors_variable(const float *points_xyz, const float *radii, size_t count, const bp_config *config,
                                     bp_neighbors *neighbors) {
    const bp_neighbor_request r = {
        .a = {.floats = points_xyz, .count = count}, .radii = {.floats = radii}, .per_point = true};
    return find_neighbors(&r, config, neighbors);
}

bp_status bp_find_neighbors_between(const float *a_xyz, size_t a_count, const float *b_xyz, size_t b_count,
                                    float radius, const bp_config *config, bp_neighbors *neighbors) {
    const bp_neighbor_request r = {.a = {.floats = a_xyz, .count = a_count},
                                   .b = {.floats = b_xyz, .count = b_count},
                                   .radii = {.same = (double)radius},
                                   .between = true};
    return find_neighbors(&r, config, neighbors);
}

bp_status bp_find_neighbors_double(const double *points_xyz, size_t count, double radius, const bp_config *config,
                                   bp_neighbors *neighbors) {
    const bp_neighbor_request r = {.a = {.doubles = points_xyz, .count = count, .is_double = true},
                                   .radii = {.same = radius}};
    return find_neighbors(&r, config, neighbors);
}

bp_status bp_find_neighbors_variable_double(const double *points_xyz, const double *radii, size_t count,
                                            const bp_config *config, bp_neighbors *neighbors) {
    const bp_neighbor_request r = {.a = {.doubles = points_xyz, .count = count, .is_double = true},
                                   .radii = {.doubles = radii},
                                   .per_point = true};
    return find_neighbors(&r, config, neighbors);
}

bp_status bp_find_neighbors_between_double(const double *a_xyz, size_t a_count, const double *b_xyz, size_t b_count,
                                           double radius, const bp_config *config, bp_neighbors *neighbors) {
    const bp_neighbor_request r = {.a = {.doubles = a_xyz, .count = a_count, .is_double = true},
                                   .b = {.doubles = b_xyz, .count = b_count, .is_double = true},
                                   .radii = {.same = radius},
                                   .between = true};
    return find_neighbors(&r, config, neighbors);
}

void bp_neighbors_free(bp_neighbors *neighbors, const bp_config *config) {
    if (neighbors == NULL) {
        return;
    }
    const bp_allocator allocator = bp_config_allocator(config);
    bp_buffer offsets = {.data = neighbors->offsets, .bytes = neighbors->offset_capacity * sizeof(size_t)};
    bp_buffer indices = {.data = neighbors->indices, .bytes = neighbors->index_capacity * sizeof(uint32_t)};
    bp_buffer_free(&offsets, &allocator);
    bp_buffer_free(&indices, &allocator);
    *neighbors = (bp_neighbors){0};
}
