// Nearest objects.
//
// The distance to a box is the root of (dx*dx + dy*dy) + dz*dz, in 64 bits, rounded to a float at the end, where dx is
// how far the point is outside the box along x. Along a periodic axis point and box are first moved so that they begin
// in 0 .. period, and then the nearer image counts: the point is moved instead, by a period there and back.
#include "world/query/query.h"

#include <string.h>

static double distance_outside(double point, double min, double max) {
    const double below = min - point, above = point - max, farther = below > above ? below : above;
    return farther > 0.0 ? farther : 0.0;
}

static bool examine_point(const bp_probe *p, const bp_box_double *box, double *distance) {
    double d[3];
    for (int axis = 0; axis < 3; ++axis) {
        d[axis] = distance_outside(p->point[axis], box->min[axis], box->max[axis]);
    }
    *distance = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    return true;
}

static bool examine_images(const bp_probe *p, const bp_box_double *box, double *distance) {
    const bp_overlap_rule *rule = &p->query->world->setup.overlap;
    double sum = 0.0;
    bool is_here = true;
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const double period = bp_period_of(rule, axis), point = p->point[axis], min = box->min[axis],
                     max = box->max[axis];
        double d = distance_outside(point, min, max);
        int image = 0;
        if (period > 0.0 && isfinite(min)) { // the image that begins at or before the point, or the one after it
            const double before = floor((point - min) / period), after = before + 1.0;
            const double a = distance_outside(point, min + before * period, max + before * period);
            const double b = distance_outside(point, min + after * period, max + after * period);
            d = a <= b ? a : b;
            image = (int)(a <= b ? before : after);
        }
        is_here &= !p->is_shifted || image == p->shift[axis];
        sum += d * d;
    }
    *distance = sqrt(sum);
    return is_here;
}

// The point among the images of the boxes, moved back by -1, 0 and 1 periods; where it is comes first.
// NOLINTNEXTLINE(misc-no-recursion): at most three deep
static void walk_images(bp_probe *p, uint32_t axis, double point[3]) {
    static const int shifts[] = {0, -1, 1};
    const bp_query *query = p->query;
    if (axis == 3) {
        (void)bp_tree_walk_point(&p->walk, &query->trees[0]->shape, point, false);
        bp_probe_limit(p);
        bp_probes_walk(query, (bp_probe *[]){p}, 1);
        return;
    }
    const double period = bp_period_of(&query->world->setup.overlap, axis);
    for (int i = 0; i < (period > 0.0 ? 3 : 1); ++i) {
        p->shift[axis] = shifts[i];
        point[axis] = p->point[axis] - shifts[i] * period;
        walk_images(p, axis + 1, point);
    }
}

bool bp_probe_begin_point(bp_probe *p, const bp_query *query, const double point[3], bp_shortlist *list) {
    const bp_overlap_rule *rule = &query->world->setup.overlap;
    p->query = query;
    p->list = list;
    p->tree = 0;
    p->examine = query->is_periodic ? examine_images : examine_point;
    p->is_shifted = false;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const double period = bp_period_of(rule, axis);
        p->point[axis] = axis >= rule->dimensions ? 0.0
                         : period > 0.0           ? bp_query_wrap(point[axis], period)
                                                  : point[axis];
    }
    const bool is_small = query->tree_count == 0 || query->is_periodic ||
                          bp_tree_walk_point(&p->walk, &query->trees[0]->shape, p->point, bp_probe_wants_first(p));
    if (!bp_probe_outside(p, is_small)) {
        return false;
    }
    if (query->is_periodic) {
        double images[3];
        p->is_shifted = true;
        walk_images(p, 0, images);
        return false;
    }
    bp_probe_limit(p);
    return true;
}

// ---- the query itself -----------------------------------------------------------------------------------------------

bool bp_query_point_is_valid(const bp_world *world, const double point[3]) {
    bool finite = true;
    for (uint32_t axis = 0; axis < world->setup.overlap.dimensions; ++axis) {
        finite &= isfinite(point[axis]);
    }
    return finite;
}

static bp_status list_nearest(const bp_world *world, const double point[3], const bp_object *object, bp_shortlist list,
                              size_t *found) {
    const bp_status status = bp_query_check(world, object);
    if (status != BP_OK) {
        return status;
    }
    if (point == NULL || list.items == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "point or near: NULL");
    }
    if (list.capacity == 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "k: must be at least 1");
    }
    if (!bp_query_point_is_valid(world, point)) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "point: must be finite");
    }
    bp_query query;
    bp_query_begin(&query, world, object, 1);
    list.is_few = true;
    bp_probe probe;
    if (bp_probe_begin_point(&probe, &query, point, &list)) {
        bp_probes_walk(&query, (bp_probe *[]){&probe}, 1);
    }
    list.offered = list.kept; // farther ones do not count
    return bp_shortlist_finish(&list, found);
}

bp_status bp_query_nearest_double(const bp_world *world, const double point[3], size_t k, const bp_object *object,
                                  bp_near_double *near, size_t *found) {
    return list_nearest(world, point, object, bp_shortlist_begin(near, sizeof *near, k), found);
}

bp_status bp_query_nearest(const bp_world *world, const float point[3], size_t k, const bp_object *object,
                           bp_near *near, size_t *found) {
    const bp_query_point wide = point != NULL ? bp_point_to_double(point) : (bp_query_point){0};
    return list_nearest(world, point != NULL ? wide.at : NULL, object, bp_shortlist_begin(near, sizeof *near, k),
                        found);
}
