// Nearest objects.
//
// A box around the point is searched, and if fewer than k objects are found, one twice as large. As soon as there are
// k, the last of them limits the distance of the others: that takes one more search at most. Objects outside a box of
// half edge r are farther away than r, so none is missed.
//
// The distance to a box is the root of (dx*dx + dy*dy) + dz*dz, in 64 bits, rounded to a float at the end, where dx is
// how far the point is outside the box along x. Along a periodic axis point and box are first moved so that they begin
// in 0 .. period, and then the nearer image counts.
#include "world/query/query_nearest.h"

#include "world/query/query_box.h"

#include <float.h>

static const double BALL = 0.62;         // the radius of a ball with a volume of 1
static const double TOLERANCE = 0x1p-22; // distances are rounded to floats

typedef struct near_search {
    const bp_query *query;
    double point[3];
    bp_shortlist *list; // of k
} near_search;

// ---- distances ------------------------------------------------------------------------------------------------------

static double distance_outside(double point, double min, double max) {
    const double below = min - point, above = point - max, farther = below > above ? below : above;
    return farther > 0.0 ? farther : 0.0;
}

// Distances to the image that begins at or before the point, and to the one after it.
static double distance_to_images(double point, double min, double max, double period) {
    const double before = floor((point - min) / period);
    const double a = distance_outside(point, min + before * period, max + before * period);
    const double b = distance_outside(point, min + (before + 1.0) * period, max + (before + 1.0) * period);
    return a < b ? a : b;
}

static float distance_to(const near_search *s, const bp_box_double *box) {
    const bp_overlap_rule *rule = &s->query->world->setup.overlap;
    double sum = 0.0;
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const double period = bp_period_of(rule, axis);
        const double d = period > 0.0 && isfinite(box->min[axis])
                             ? distance_to_images(s->point[axis], box->min[axis], box->max[axis], period)
                             : distance_outside(s->point[axis], box->min[axis], box->max[axis]);
        sum += d * d;
    }
    return (float)sqrt(sum);
}

static void receive_near(void *context, const bp_found *found) {
    near_search *s = context;
    const bp_box_double box = bp_query_wrapped_box(s->query, found);
    bp_shortlist_offer(s->list, bp_ranked_key(found->id, distance_to(s, &box)));
}

// ---- growing --------------------------------------------------------------------------------------------------------

// The box around the point, and whether it contains everything in the levels of the grids.
typedef struct surroundings {
    bp_box box;
    bool all;
} surroundings;

static bool holds_all(const near_search *s, const bp_box *box) {
    bool all = true;
    for (size_t i = 0; i < s->query->source_count; ++i) {
        double low[3], high[3];
        const bool any = bp_sorted_grid_bounds(s->query->sources[i].grid, low, high);
        for (uint32_t axis = 0; axis < s->query->world->setup.overlap.dimensions && any; ++axis) {
            const double period = bp_period_of(&s->query->world->setup.overlap, axis);
            const double min = (double)box->min[axis], max = (double)box->max[axis];
            all &= period > 0.0 ? max - min >= period : min <= low[axis] && high[axis] <= max;
        }
    }
    return all;
}

static surroundings surround(const near_search *s, double radius) {
    surroundings around = {.all = false};
    for (uint32_t axis = 0; axis < s->query->world->setup.overlap.dimensions; ++axis) {
        around.box.min[axis] = bp_round_down(s->point[axis] - radius);
        around.box.max[axis] = bp_round_up(s->point[axis] + radius);
    }
    around.all = holds_all(s, &around.box);
    return around;
}

// The least distance of objects in the levels of a grid. Along a periodic axis it may be 0.
static double distance_to_grid(const near_search *s, const bp_sorted_grid *grid) {
    double low[3], high[3], farthest = 0.0;
    if (!bp_sorted_grid_bounds(grid, low, high)) {
        return INFINITY;
    }
    for (uint32_t axis = 0; axis < s->query->world->setup.overlap.dimensions; ++axis) {
        if (bp_period_of(&s->query->world->setup.overlap, axis) == 0.0) {
            farthest = fmax(farthest, distance_outside(s->point[axis], low[axis], high[axis]));
        }
    }
    return farthest;
}

// The radius of a ball that should contain k objects, plus the distance to the nearest possible object.
static double first_radius(const near_search *s, size_t k) {
    double radius = INFINITY;
    for (size_t i = 0; i < s->query->source_count; ++i) {
        const bp_sorted_grid *grid = s->query->sources[i].grid;
        const double ball = BALL * cbrt((double)k) * bp_sorted_grid_spacing(grid);
        radius = fmin(radius, distance_to_grid(s, grid) + ball);
    }
    return radius;
}

// The largest distance listed; infinity as long as there are fewer than k.
static float last_distance(const near_search *s) {
    const uint64_t limit = bp_shortlist_limit(s->list);
    const uint32_t bits = (uint32_t)(limit >> 32);
    float distance;
    memcpy(&distance, &bits, sizeof distance);
    return limit == UINT64_MAX ? INFINITY : distance;
}

// Whether no object outside a box of this half edge could be listed: not even one at the same distance with a smaller
// id. Objects that contain the point are found in any box around it.
static bool has_all_nearest(const near_search *s, double radius) {
    const float last = last_distance(s);
    return isinf(radius) || last == 0.0f || last < (float)(radius * (1.0 - TOLERANCE));
}

static void search_nearest(near_search *s, double radius) {
    const bp_found_receiver receiver = {.receive = receive_near, .context = s};
    for (;;) {
        const surroundings around = surround(s, radius);
        bp_shortlist_clear(s->list);
        bp_query_find_in_box(s->query, &around.box, &receiver);
        if (has_all_nearest(s, radius)) {
            return;
        }
        const double last = (double)last_distance(s);
        if (isfinite(last)) { // the last round
            radius = last * (1.0 + 4.0 * TOLERANCE) + (double)FLT_MIN;
        } else {
            radius = around.all ? (double)INFINITY : 2.0 * radius;
        }
    }
}

void bp_query_find_nearest(const bp_query *query, const float point[3], bp_shortlist *list) {
    const bp_overlap_rule *rule = &query->world->setup.overlap;
    near_search s = {.query = query, .list = list};
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const double period = bp_period_of(rule, axis);
        s.point[axis] = period > 0.0 ? bp_query_wrap((double)point[axis], period) : (double)point[axis];
    }
    const bool some = list->capacity < bp_world_count(query->world);
    search_nearest(&s, some ? first_radius(&s, list->capacity) : (double)INFINITY);
    list->offered = list->kept; // farther ones do not count
}

// ---- the query itself -----------------------------------------------------------------------------------------------

bool bp_query_point_is_valid(const bp_world *world, const float point[3]) {
    bool finite = true;
    for (uint32_t axis = 0; axis < world->setup.overlap.dimensions; ++axis) {
        finite &= isfinite(point[axis]);
    }
    return finite;
}

static bp_status check_point(const bp_world *world, const float point[3], size_t k, const bp_near *near) {
    if (point == NULL || near == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "point or near: NULL");
    }
    if (k == 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "k: must be at least 1");
    }
    if (!bp_query_point_is_valid(world, point)) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "point: must be finite");
    }
    return BP_OK;
}

bp_status bp_query_nearest_as(const bp_world *world, const float point[3], size_t k, const bp_object *object,
                              bp_near *near, size_t *found) {
    bp_status status = bp_query_check(world, object);
    if (status == BP_OK) {
        status = check_point(world, point, k, near);
    }
    if (status != BP_OK) {
        return status;
    }
    const bp_query query = bp_query_begin(world, object, 1);
    bp_shortlist list = bp_shortlist_of_near(near, k);
    bp_query_find_nearest(&query, point, &list);
    return bp_shortlist_finish(&list, found);
}

bp_status bp_query_nearest(const bp_world *world, const float point[3], size_t k, bp_near *near, size_t *found) {
    return bp_query_nearest_as(world, point, k, NULL, near, found);
}
