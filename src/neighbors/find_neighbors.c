// Neighbours: all points within a radius.
//
//     points ---> cubes (nearness.c) ---> method ---> pairs of cubes that touch
//                                                       |  sieve: is the distance short enough? (nearness.c)
//                                                       v
//                                                     pairs of neighbours ---> rows (rows.c)
//
// Any method will do. Cubes have 1.9 times the volume of the spheres in them, so about half of what a method finds is
// dropped again; that is tested in batches, right where the pairs are found.
//
// With a radius per point it depends on the rule:
//   sum        cubes that reach r to each side touch where r + s counts
//   min        cubes that reach r / 2 touch where (r + s) / 2 counts, or more than the smaller radius
//   max        points are searched for in cubes that reach r. A pair is then found twice where both see each other; the
//              larger cube reports it. Where radii are similar, equal cubes for the largest radius are cheaper.
//
// Cost: that of the method, and O(n + neighbours). Loses where a radius spans everything: the result is n^2 then.
#include "api/config.h"
#include "base/clock.h"
#include "choose/choose.h"
#include "methods/method.h"
#include "neighbors/nearness.h"
#include "neighbors/neighbor_rows.h"
#include "view/view.h"

#include <float.h>
#include <math.h>

enum { PATIENCE = 1024 }; // pairs that are sifted at once: points of many pairs are asked for ahead of time

// Two sets, or one: then `b` is not used.
typedef struct request {
    bp_points a, b;
    bp_radii radii;
    bool between, per_point; // a radius per point
} request;

// How pairs are looked for: inside the cubes of one set, or between those of two.
typedef struct plan {
    bp_radii reach; // that cubes are made for
    double first_share, second_share;
    bool two_sets, by_larger;
} plan;

typedef struct search {
    const request *request;
    const bp_config *config; // complete
    bp_config view_config, method_config;
    const bp_method_ops *ops;
    void *state;
    bp_cubes first, second;
    bp_view first_view, second_view;
    bp_pairs pairs;
    bp_stats stats;
} search;

// ---- checks ---------------------------------------------------------------------------------------------------------

static bp_status refuse(const bp_config *config, const char *what) {
    bp_log_write(config, "%s", what);
    return BP_ERROR_ARGUMENT;
}

static bp_status check_call(const bp_config *config, const bp_method_ops *ops, const bp_neighbors *rows) {
    if ((config->flags & BP_PAIRS_FIXED) != 0) {
        return refuse(config, "config.flags: BP_PAIRS_FIXED is for pairs; rows of neighbours are grown by the library");
    }
    if (rows == NULL || (rows->offsets == NULL && rows->offset_capacity > 0) ||
        (rows->indices == NULL && rows->index_capacity > 0)) {
        return refuse(config, "neighbors: NULL, or a capacity without memory; begin with {0}");
    }
    if ((ops->supports & BP_SUPPORTS_BETWEEN) == 0 ||
        (config->dimensions == 2 && (ops->supports & BP_SUPPORTS_2D) == 0)) {
        bp_log_write(config, "method %s does not support this; bp_method_supports() tells which do", ops->name);
        return BP_ERROR_UNSUPPORTED;
    }
    return BP_OK;
}

static bp_status check_radii(const request *r, const bp_config *config) {
    const size_t count = r->per_point ? r->a.count : 1;
    if (r->per_point && r->radii.floats == NULL && r->radii.doubles == NULL && count > 0) {
        return refuse(config, "radii: NULL; bp_find_neighbors takes one radius for all points");
    }
    for (size_t i = 0; i < count; ++i) {
        const double radius = bp_radius_of(&r->radii, i);
        if (!(radius >= 0.0 && radius <= DBL_MAX)) {
            bp_log_write(config, "radius %zu is %g: must be 0 or positive, and finite", i, radius);
            return BP_ERROR_ARGUMENT;
        }
    }
    return BP_OK;
}

static bp_status check_input(const request *r, const bp_config *config) {
    bp_status status = bp_points_check(&r->a, config);
    if (status == BP_OK && r->between) {
        status = bp_points_check(&r->b, config);
    }
    return status == BP_OK ? check_radii(r, config) : status;
}

// ---- plan -----------------------------------------------------------------------------------------------------------

static double largest_radius(const request *r) {
    double largest = 0.0;
    for (size_t i = 0; i < r->a.count; ++i) {
        largest = fmax(largest, bp_radius_of(&r->radii, i));
    }
    return largest;
}

// Whether equal cubes for the largest radius are cheaper than points against cubes, where each pair is tested twice.
static bool are_similar(const request *r, double largest, uint32_t dimensions) {
    double volume = 0.0; // of all cubes, in units of the largest
    for (size_t i = 0; i < r->a.count && largest > 0.0; ++i) {
        const double size = bp_radius_of(&r->radii, i) / largest;
        volume += dimensions == 2 ? size * size : size * size * size;
    }
    return (double)r->a.count <= 2.0 * volume || largest == 0.0;
}

static plan plan_for_larger(const request *r, uint32_t dimensions) {
    const double largest = largest_radius(r);
    if (are_similar(r, largest, dimensions)) {
        return (plan){.reach = {.same = largest}, .first_share = 0.5};
    }
    return (plan){.reach = r->radii, .second_share = 1.0, .two_sets = true, .by_larger = true};
}

static plan plan_for(const request *r, const bp_config *config) {
    if (r->per_point && config->radius_rule == BP_RADIUS_MAX) {
        return plan_for_larger(r, config->dimensions);
    }
    const double share = r->per_point && config->radius_rule == BP_RADIUS_SUM ? 1.0 : 0.5;
    return (plan){.reach = r->radii, .first_share = share, .second_share = share, .two_sets = r->between};
}

// ---- search ---------------------------------------------------------------------------------------------------------

// Cubes, and what the method sees of them.
static bp_status make_views(search *s, const plan *p) {
    const request *r = s->request;
    s->view_config = bp_cubes_config(s->config, &p->reach);
    bp_view_init(&s->first_view, &s->view_config);
    bp_view_init(&s->second_view, &s->view_config);
    bp_status status = bp_cubes_make(&s->first, s->config, r->a, &p->reach, p->first_share);
    if (status == BP_OK && p->two_sets) {
        status = bp_cubes_make(&s->second, s->config, r->between ? r->b : r->a, &p->reach, p->second_share);
    }
    if (status != BP_OK) {
        return status;
    }
    return p->two_sets ? bp_view_make_two(&s->first_view, s->first.given, &s->second_view, s->second.given)
                       : bp_view_make(&s->first_view, s->first.given);
}

// The structure is built over the second set of two, and the first is searched for in it.
static bp_status find(search *s, const bp_view *second, bp_sink *sink) {
    const bp_view *first = &s->first_view;
    const double start = bp_clock_seconds();
    bp_status status = s->ops->build(s->state, second->boxes, second->count);
    const double built = bp_clock_seconds();
    if (status == BP_OK) {
        status = first == second ? s->ops->find(s->state, sink)
                                 : s->ops->find_between(s->state, first->boxes, first->count, sink);
    }
    s->stats.build_seconds = built - start;
    s->stats.find_seconds = bp_clock_seconds() - built;
    return status;
}

// What pairs of cubes have to pass.
typedef struct strainer {
    const bp_view *first, *second; // the same inside one set
    bp_nearness nearness;
    bool between;
    bp_sieve filter;
} strainer;

static void order(bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const bp_pair pair = pairs[i];
        pairs[i] = (bp_pair){.a = pair.a < pair.b ? pair.a : pair.b, .b = pair.a < pair.b ? pair.b : pair.a};
    }
}

static size_t sift(const void *context, bp_pair *pairs, size_t count) {
    const strainer *s = context;
    size_t kept = count;
    if (!s->first->exact || !s->second->exact) {
        kept = bp_view_resolve(s->first, s->second, pairs, kept);
    }
    kept = bp_nearness_pass(&s->nearness, pairs, kept);
    if (!s->between) {
        order(pairs, kept);
    }
    return bp_sieve_pass(&s->filter, pairs, kept);
}

// All pairs of neighbours, each once, into s->pairs. Last time there was room for `last_count` of them.
static bp_status find_pairs(search *s, size_t last_count) {
    const request *r = s->request;
    const plan p = plan_for(r, s->config);
    bp_status status = make_views(s, &p);
    if (status != BP_OK) {
        return status;
    }
    const bp_view *built_over = p.two_sets ? &s->second_view : &s->first_view;
    const bp_candidates candidates = {.boxes = built_over->boxes, .count = built_over->count};
    s->stats.method = bp_choose_once(s->config, candidates, &s->stats.choice);
    s->ops = bp_method_get(s->stats.method);
    s->method_config = bp_view_method_config(&s->first_view);
    status = s->ops->create(&s->method_config, &s->state);
    if (status != BP_OK) {
        return status;
    }
    const strainer strain = {.first = &s->first_view,
                             .second = built_over,
                             .nearness = {.config = s->config,
                                          .first = r->a,
                                          .second = r->between ? r->b : r->a,
                                          .radii = r->radii,
                                          .by_larger = p.by_larger},
                             .between = r->between,
                             .filter = {.filter = s->config->filter}};
    const bp_sieve sieve = {.sift = sift, .context = &strain};
    bp_sink sink = bp_sink_open(&s->pairs, s->config);
    sink.sieve = &sieve;
    sink.patience = PATIENCE;
    bp_sink_expect(&sink, last_count > r->a.count / 2 ? last_count : r->a.count / 2);
    status = find(s, strain.second, &sink);
    (void)bp_sink_close(&sink, &s->pairs);
    s->stats.tests = sink.tests;
    return status;
}

static void free_search(search *s) {
    const bp_allocator *allocator = &s->config->allocator;
    if (s->state != NULL) {
        s->ops->destroy(s->state);
    }
    bp_view_free(&s->first_view);
    bp_view_free(&s->second_view);
    bp_buffer_free(&s->first.buffer, allocator);
    bp_buffer_free(&s->second.buffer, allocator);
    bp_pairs_free(&s->pairs, s->config);
}

static void leave_stats(search *s) {
    s->ops->stats(s->state, &s->stats);
    s->stats.update = BP_UPDATE_REBUILD;
    s->stats.objects = s->request->a.count + (s->request->between ? s->request->b.count : 0);
    s->stats.pairs = s->pairs.count;
    s->stats.bytes += s->first.buffer.bytes + s->second.buffer.bytes;
    s->stats.bytes += bp_view_bytes(&s->first_view) + bp_view_bytes(&s->second_view);
    *s->config->stats = s->stats;
}

static bp_status answer(const request *r, const bp_config *given, bp_neighbors *rows) {
    bp_config config;
    bp_status status = bp_config_complete(given, &config);
    if (status != BP_OK) {
        return status;
    }
    search s = {.request = r, .config = &config};
    status = check_call(&config, bp_method_get(bp_choose_first(&config)), rows);
    if (status == BP_OK) {
        status = check_input(r, &config);
    }
    if (status != BP_OK) {
        return status;
    }
    const bool both_ways = !r->between && (config.flags & BP_NEIGHBORS_HALF) == 0;
    status = find_pairs(&s, rows->index_capacity / (both_ways ? 2 : 1));
    if (status == BP_OK) {
        status = bp_rows_make(rows, r->a.count, s.pairs.data, s.pairs.count, both_ways, &config);
    }
    if (status == BP_OK && config.stats != NULL) {
        leave_stats(&s);
    }
    free_search(&s);
    return status;
}

// ---- the calls ------------------------------------------------------------------------------------------------------

bp_status bp_find_neighbors(const float *points_xyz, size_t count, float radius, const bp_config *config,
                            bp_neighbors *neighbors) {
    const request r = {.a = {.floats = points_xyz, .count = count}, .radii = {.same = (double)radius}};
    return answer(&r, config, neighbors);
}

bp_status bp_find_neighbors_variable(const float *points_xyz, const float *radii, size_t count, const bp_config *config,
                                     bp_neighbors *neighbors) {
    const request r = {.a = {.floats = points_xyz, .count = count}, .radii = {.floats = radii}, .per_point = true};
    return answer(&r, config, neighbors);
}

bp_status bp_find_neighbors_between(const float *a_xyz, size_t a_count, const float *b_xyz, size_t b_count,
                                    float radius, const bp_config *config, bp_neighbors *neighbors) {
    const request r = {.a = {.floats = a_xyz, .count = a_count},
                       .b = {.floats = b_xyz, .count = b_count},
                       .radii = {.same = (double)radius},
                       .between = true};
    return answer(&r, config, neighbors);
}

bp_status bp_find_neighbors_double(const double *points_xyz, size_t count, double radius, const bp_config *config,
                                   bp_neighbors *neighbors) {
    const request r = {.a = {.doubles = points_xyz, .count = count, .wide = true}, .radii = {.same = radius}};
    return answer(&r, config, neighbors);
}

bp_status bp_find_neighbors_variable_double(const double *points_xyz, const double *radii, size_t count,
                                            const bp_config *config, bp_neighbors *neighbors) {
    const request r = {
        .a = {.doubles = points_xyz, .count = count, .wide = true}, .radii = {.doubles = radii}, .per_point = true};
    return answer(&r, config, neighbors);
}

bp_status bp_find_neighbors_between_double(const double *a_xyz, size_t a_count, const double *b_xyz, size_t b_count,
                                           double radius, const bp_config *config, bp_neighbors *neighbors) {
    const request r = {.a = {.doubles = a_xyz, .count = a_count, .wide = true},
                       .b = {.doubles = b_xyz, .count = b_count, .wide = true},
                       .radii = {.same = radius},
                       .between = true};
    return answer(&r, config, neighbors);
}

void bp_neighbors_free(bp_neighbors *neighbors, const bp_config *config) {
    if (neighbors == NULL) {
        return;
    }
    const bool given = config != NULL && config->allocator.release != NULL;
    const bp_allocator allocator = given ? config->allocator : bp_allocator_default();
    bp_buffer offsets = {.data = neighbors->offsets, .bytes = neighbors->offset_capacity * sizeof(size_t)};
    bp_buffer indices = {.data = neighbors->indices, .bytes = neighbors->index_capacity * sizeof(uint32_t)};
    bp_buffer_free(&offsets, &allocator);
    bp_buffer_free(&indices, &allocator);
    *neighbors = (bp_neighbors){0};
}
