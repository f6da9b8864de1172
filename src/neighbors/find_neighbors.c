// Neighbours: all points within a radius.
//
//     points ---> a grid of them (near_search.c) ------------------------------------------------------> rows
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
#include "neighbors/neighbor_request.h"
#include "neighbors/point_images.h"
#include "view/pair_filter.h"

#include <float.h>
#include <math.h>

enum {
    PAIRS_PER_BATCH = 1024 // pairs whose distance is tested together, so that their points can be prefetched
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

// ---- cubes ----------------------------------------------------------------------------------------------------------

// For the larger radius of two points. Equal cubes for the largest radius of all, if these are cheaper than points against
// cubes, where each pair is tested twice.
static cube_choice cubes_for_larger_radius(const bp_neighbor_request *r, uint32_t dimensions) {
    double largest = 0.0, volume = 0.0;       // of all cubes, as multiples of the largest
    for (size_t i = 0; i < r->a.count; ++i) { // by comparing: gcc 12.2 for 64-bit ARM dies at -O3 on a loop of fmax
        const double radius = bp_radius_of(&r->radii, i); // over floats that become doubles (PR 108608)
        largest = radius > largest ? radius : largest;
    }
    for (size_t i = 0; i < r->a.count && largest > 0.0; ++i) {
        const double size = bp_radius_of(&r->radii, i) / largest;
        volume += dimensions == 2 ? size * size : size * size * size;
    }
    if ((double)r->a.count <= 2.0 * volume || largest == 0.0) {
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
} neighbor_search;

static bp_points second_points(const bp_neighbor_request *r) {
    return r->between ? r->b : r->a;
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
    return (bp_sink_rules){.filter = {.keep = keep_neighbors, .context = &s->filter},
                           .batch = PAIRS_PER_BATCH,
                           .limit = BP_SINK_UNLIMITED};
}

static bp_status find_rows(neighbor_search *s, bp_neighbors *rows) {
    const bp_neighbor_request *r = s->request;
    const bp_runtime *runtime = &s->setup->methods.runtime;
    const bp_overlap_rule *rule = &s->setup->overlap;
    const cube_choice *c = &s->choice;
    const bool both_ways = !r->between && (s->setup->flags & BP_NEIGHBORS_HALF) == 0;
    bp_status status = bp_cubes_make(&s->first, rule, runtime, r->a, &c->reach, c->first_share);
    if (status == BP_OK && c->two_sets) {
        status = bp_cubes_make(&s->second, rule, runtime, second_points(r), &c->reach, c->second_share);
    }
    if (status != BP_OK) {
        return status;
    }
    // All pairs of neighbours, each once. The last call had room for so many.
    const size_t last_count = rows->index_capacity / (both_ways ? 2 : 1), usual = r->a.count / 2;
    const bp_overlap_rule cube_rule = bp_cubes_rule(rule, &c->reach);
    bp_one_call call = {.setup = s->setup,
                        .rule = &cube_rule,
                        .a = s->first.input,
                        .b = c->two_sets ? &s->second.input : NULL,
                        .expected = last_count > usual ? last_count : usual,
                        .pairs = &s->pairs,
                        .rules = rules_for_neighbors,
                        .context = s};
    status = bp_one_call_run(&call);
    if (status == BP_OK && r->beside != NULL &&
        !bp_image_rows_reserve(r->beside, r->a.count, s->pairs.count, &runtime->allocator)) {
        status = BP_ERROR_MEMORY;
    }
    if (status == BP_OK) {
        status = bp_neighbor_rows_make(rows, r->a.count, s->pairs.data, s->pairs.count, both_ways,
                                       s->setup->methods.kernels, runtime);
    }
    if (status == BP_OK && r->beside != NULL) {
        bp_image_rows_finish_all(r->beside, &runtime->executor);
    }
    if (status == BP_OK && s->setup->stats != NULL) {
        call.stats.update = BP_UPDATE_REBUILD;
        call.stats.objects = r->a.count + (r->between ? r->b.count : 0);
        call.stats.bytes += s->first.buffer.bytes + s->second.buffer.bytes;
        *s->setup->stats = call.stats;
    }
    return status;
}

// ---- all together ---------------------------------------------------------------------------------------------------

bp_status bp_neighbors_search_boxes(const bp_neighbor_request *r, const bp_setup *setup, bp_neighbors *rows) {
    neighbor_search s = {.request = r, .setup = setup};
    s.choice = choose_cubes(r, setup->radius_rule, setup->overlap.dimensions);
    const bp_status status = find_rows(&s, rows);
    const bp_allocator *allocator = &setup->methods.runtime.allocator;
    bp_buffer_free(&s.first.buffer, allocator);
    bp_buffer_free(&s.second.buffer, allocator);
    bp_pairs_release(&s.pairs, allocator);
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
    const bp_log *log = &setup.methods.runtime.log;
    status = status == BP_OK ? bp_points_check(&r.a, log) : status;
    status = status == BP_OK && r.between ? bp_points_check(&r.b, log) : status;
    if (status != BP_OK) {
        return status;
    }
    const size_t radius_count = r.per_point ? r.a.count : 1;
    if (r.per_point && r.radii.floats == NULL && r.radii.doubles == NULL && radius_count > 0) {
        return refuse_call(log, "radii: NULL; bp_find_neighbors takes one radius for all points");
    }
    for (size_t i = 0; i < radius_count; ++i) {
        const double radius = bp_radius_of(&r.radii, i);
        if (!(radius >= 0.0 && radius <= DBL_MAX)) {
            bp_log_write(log, "radius %zu is %g: must be 0 or positive, and finite", i, radius);
            return BP_ERROR_ARGUMENT;
        }
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

bp_status bp_find_neighbors_variable(const float *points_xyz, size_t count, const float *radii, const bp_config *config,
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

bp_status bp_find_neighbors_variable_double(const double *points_xyz, size_t count, const double *radii,
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
    const bp_allocator allocator = bp_config_allocator(config);
    if (neighbors != NULL) {
        bp_neighbor_rows_release(neighbors, &allocator);
    }
}
