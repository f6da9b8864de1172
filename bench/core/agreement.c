#include "core/agreement.h"

#include <math.h>
#include <stdlib.h>

static int not_both_static(void *context, uint32_t a, uint32_t b) {
    const size_t static_count = *(const size_t *)context;
    return a >= static_count || b >= static_count;
}

bp_status crowd_pairs(const crowd *c, bp_pairs *pairs) {
    size_t static_count = crowd_static_count(c);
    bp_config config = {.method = BP_METHOD_BVH, .pair_order = BP_ORDER_SORTED};
    if (static_count) config.filter = (bp_filter){.pass = not_both_static, .context = &static_count};
    return bp_find_pairs(crowd_boxes(c), crowd_count(c), &config, pairs);
}

// Infinite: it misses the box.
static double enters(const bp_ray *ray, const bp_box *box) {
    double from = 0, to = (double)ray->max_t;
    for (int axis = 0; axis < 3; axis++) {
        const double origin = (double)ray->origin[axis], direction = (double)ray->direction[axis];
        const double a = ((double)box->min[axis] - origin) / direction,
                     b = ((double)box->max[axis] - origin) / direction;
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    return from <= to ? from : (double)INFINITY;
}

double crowd_first_hit(const crowd *c, const bp_ray *ray) {
    double first = (double)INFINITY;
    for (size_t i = 0; i < crowd_count(c); i++) first = fmin(first, enters(ray, &crowd_boxes(c)[i]));
    return first;
}

static bool is_near(double a, double b) {
    return a == b || fabs(a - b) < 1e-3;
}

bool hit_agrees(const crowd *c, const bp_ray *ray, const bp_ray_hit *hit, double exact) {
    if (hit->id == BP_NO_ID || !isfinite(exact)) return hit->id == BP_NO_ID && !isfinite(exact);
    return hit->id < crowd_count(c) && is_near((double)hit->t, exact) &&
           is_near(enters(ray, &crowd_boxes(c)[hit->id]), exact);
}

static int by_ids(const void *a, const void *b) {
    const bp_pair *x = a, *y = b;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

// The largest gap between two boxes along an axis.
static float gap(const bp_box *a, const bp_box *b) {
    float largest = 0;
    for (int axis = 0; axis < 3; axis++)
        largest = fmaxf(largest, fmaxf(a->min[axis] - b->max[axis], b->min[axis] - a->max[axis]));
    return largest;
}

margin_difference pairs_compare(const bp_box *boxes, const bp_pairs *exact, bp_pairs *list, float reach) {
    margin_difference d = {0};
    size_t e = 0;
    if (list->count) qsort(list->data, list->count, sizeof *list->data, by_ids);
    for (size_t i = 0; i < list->count; i++) {
        const bp_pair *pair = &list->data[i];
        for (; e < exact->count && by_ids(&exact->data[e], pair) < 0; e++) d.missing++;
        if (i && by_ids(pair - 1, pair) == 0)
            d.twice++;
        else if (e < exact->count && by_ids(&exact->data[e], pair) == 0)
            e++;
        else if (gap(&boxes[pair->a], &boxes[pair->b]) <= reach)
            d.near++;
        else
            d.far++;
    }
    d.missing += exact->count - e;
    return d;
}
