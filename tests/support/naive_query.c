#include "support/naive_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the world ------------------------------------------------------------------------------------------------------

void naive_world_create(naive_world *world, const bp_config *config, size_t capacity) {
    *world = (naive_world){.dimensions = config->dimensions == 2 ? 2 : 3};
    for (uint32_t axis = 0; axis < world->dimensions; ++axis) {
        world->period[axis] = (double)config->period[axis];
    }
    world->boxes = obtain(capacity, sizeof *world->boxes);
    world->objects = obtain(capacity, sizeof *world->objects);
}

void naive_world_destroy(naive_world *world) {
    free(world->boxes);
    free(world->objects);
}

static bp_box_double widen(const bp_box *box) {
    bp_box_double wide;
    for (int axis = 0; axis < 3; ++axis) {
        wide.min[axis] = (double)box->min[axis];
        wide.max[axis] = (double)box->max[axis];
    }
    return wide;
}

void naive_world_put(naive_world *world, bp_id id, const bp_box *box, const bp_object *object) {
    const bp_box_double wide = widen(box);
    naive_world_put_double(world, id, &wide, object);
}

void naive_world_put_double(naive_world *world, bp_id id, const bp_box_double *box, const bp_object *object) {
    world->boxes[id] = *box;
    world->objects[id] = *object;
    world->count = id < world->count ? world->count : (size_t)id + 1;
}

void naive_world_remove(naive_world *world, bp_id id) {
    for (int axis = 0; axis < 3; ++axis) {
        world->boxes[id].min[axis] = world->boxes[id].max[axis] = (double)NAN;
    }
}

bool naive_world_is_alive(const naive_world *world, bp_id id) {
    return id < world->count && !isnan(world->boxes[id].min[0]);
}

static uint64_t all_if_zero(uint64_t bits) {
    return bits == 0 ? UINT64_MAX : bits;
}

static bool sees(const naive_world *world, const bp_object *a, bp_id id) {
    const bp_object *b = &world->objects[id];
    if (!naive_world_is_alive(world, id)) {
        return false;
    }
    return a == NULL || ((all_if_zero(a->mask) & all_if_zero(b->group)) != 0 &&
                         (all_if_zero(b->mask) & all_if_zero(a->group)) != 0 && a->island == b->island &&
                         ((a->flags & b->flags) & BP_STATIC) == 0);
}

// Along a periodic axis: whether a box is infinite there, and so covers it.
static bool covers(const bp_box_double *box, uint32_t axis) {
    return isinf(box->min[axis]) || isinf(box->max[axis]);
}

// Moved by whole periods to where it begins in 0 .. period.
static double wrap(double coordinate, double period) {
    const double rest = fmod(coordinate, period);
    return rest < 0.0 ? rest + period : rest;
}

static bp_box_double wrap_box(const naive_world *world, const bp_box_double *box) {
    bp_box_double wrapped = *box;
    for (uint32_t axis = 0; axis < world->dimensions; ++axis) {
        if (world->period[axis] > 0.0 && !covers(box, axis)) {
            wrapped.min[axis] = wrap(box->min[axis], world->period[axis]);
            wrapped.max[axis] = wrapped.min[axis] + (box->max[axis] - box->min[axis]);
        }
    }
    return wrapped;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static bool overlap_on(const naive_world *world, const bp_box_double *a, const bp_box_double *b, uint32_t axis) {
    const double period = world->period[axis];
    if (period == 0.0) {
        return a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
    }
    if (covers(a, axis) || covers(b, axis)) {
        return true;
    }
    const double low = b->min[axis] - a->max[axis], high = b->max[axis] - a->min[axis];
    bool any = false;
    for (double k = floor(low / period) - 1.0; k <= ceil(high / period) + 1.0 && !any; k += 1.0) {
        any = low <= k * period && k * period <= high;
    }
    return any;
}

size_t naive_query_box(const naive_world *world, const bp_box *box, const bp_object *object, bp_id *ids) {
    const bp_box_double wide = widen(box);
    return naive_query_box_double(world, &wide, object, ids);
}

size_t naive_query_box_double(const naive_world *world, const bp_box_double *box, const bp_object *object, bp_id *ids) {
    size_t count = 0;
    for (size_t id = 0; id < world->count; ++id) {
        bool overlap = sees(world, object, (bp_id)id);
        for (uint32_t axis = 0; axis < world->dimensions && overlap; ++axis) {
            overlap = overlap_on(world, box, &world->boxes[id], axis);
        }
        if (overlap) {
            ids[count++] = (bp_id)id;
        }
    }
    return count;
}

// ---- rays -----------------------------------------------------------------------------------------------------------

static int compare_hits(const void *first, const void *second) {
    const bp_ray_hit *a = first, *b = second;
    if (a->t != b->t) {
        return a->t < b->t ? -1 : 1;
    }
    return a->id < b->id ? -1 : a->id > b->id;
}

static int compare_hits_double(const void *first, const void *second) {
    const bp_ray_hit_double *a = first, *b = second;
    if (a->t != b->t) {
        return a->t < b->t ? -1 : 1;
    }
    return a->id < b->id ? -1 : a->id > b->id;
}

// A moving box: its corners at first. A ray is a point.
typedef struct naive_ray {
    double origin[3], end[3], direction[3], max_t;
} naive_ray;

static naive_ray wrap_cast(const naive_world *world, const bp_cast_double *cast) {
    naive_ray wrapped = {.max_t = cast->max_t};
    for (uint32_t axis = 0; axis < world->dimensions; ++axis) {
        const double min = cast->box.min[axis], max = cast->box.max[axis];
        wrapped.origin[axis] = world->period[axis] > 0.0 ? wrap(min, world->period[axis]) : min;
        wrapped.end[axis] = world->period[axis] > 0.0 ? wrapped.origin[axis] + (max - min) : max;
        wrapped.direction[axis] = cast->direction[axis];
    }
    return wrapped;
}

// When it is between two faces: *enter .. *leave; false: never, or not while it was between those before.
static bool between_faces(const naive_ray *ray, uint32_t axis, double min, double max, double *enter, double *leave) {
    const double direction = ray->direction[axis];
    if (direction == 0.0) {
        return ray->end[axis] >= min && ray->origin[axis] <= max;
    }
    const double a = (min - ray->end[axis]) / direction, b = (max - ray->origin[axis]) / direction;
    *enter = fmax(*enter, fmin(a, b));
    *leave = fmin(*leave, fmax(a, b));
    return *enter <= *leave;
}

static bool meets(const naive_ray *ray, const bp_box_double *box, uint32_t dimensions, double *t) {
    double enter = 0.0, leave = ray->max_t;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        if (!between_faces(ray, axis, box->min[axis], box->max[axis], &enter, &leave)) {
            return false;
        }
    }
    *t = enter;
    return enter <= leave && !isinf(enter);
}

// The images of an axis, as multiples of the period, that a ray can get to.
static void images_of(const naive_world *world, const naive_ray *ray, const bp_box_double *box, uint32_t axis,
                      double *first, double *last) {
    const double period = axis < world->dimensions ? world->period[axis] : 0.0;
    *first = *last = 0.0;
    if (period > 0.0 && !covers(box, axis)) {
        const double a = ray->origin[axis], b = a + ray->max_t * ray->direction[axis];
        *first = floor((fmin(a, b) - box->max[axis]) / period) - 1.0;
        *last = ceil((fmax(a, b) + (ray->end[axis] - ray->origin[axis]) - box->min[axis]) / period) + 1.0;
    }
}

static bp_box_double image_of(const naive_world *world, const bp_box_double *box, const double multiple[3]) {
    bp_box_double image = *box;
    for (uint32_t axis = 0; axis < world->dimensions; ++axis) {
        const double period = world->period[axis];
        image.min[axis] =
            period > 0.0 && covers(box, axis) ? -(double)INFINITY : box->min[axis] + multiple[axis] * period;
        image.max[axis] =
            period > 0.0 && covers(box, axis) ? (double)INFINITY : box->max[axis] + multiple[axis] * period;
    }
    return image;
}

// The first image that is met.
static bool meets_image(const naive_world *world, const naive_ray *ray, const bp_box_double *box, double *t) {
    double first[3], last[3], multiple[3];
    bool any = false;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        images_of(world, ray, box, axis, &first[axis], &last[axis]);
    }
    for (multiple[0] = first[0]; multiple[0] <= last[0]; multiple[0] += 1.0) {
        for (multiple[1] = first[1]; multiple[1] <= last[1]; multiple[1] += 1.0) {
            for (multiple[2] = first[2]; multiple[2] <= last[2]; multiple[2] += 1.0) {
                const bp_box_double image = image_of(world, box, multiple);
                double when;
                if (meets(ray, &image, world->dimensions, &when) && (!any || when < *t)) {
                    *t = when;
                    any = true;
                }
            }
        }
    }
    return any;
}

size_t naive_query_cast_double(const naive_world *world, const bp_cast_double *cast, const bp_object *object,
                               bp_ray_hit_double *hits) {
    const naive_ray wrapped = wrap_cast(world, cast);
    size_t count = 0;
    for (size_t id = 0; id < world->count; ++id) {
        const bp_box_double box = wrap_box(world, &world->boxes[id]);
        double t = 0.0;
        if (sees(world, object, (bp_id)id) && meets_image(world, &wrapped, &box, &t)) {
            hits[count++] = (bp_ray_hit_double){.id = (bp_id)id, .t = t + 0.0}; // not -0
        }
    }
    qsort(hits, count, sizeof *hits, compare_hits_double);
    return count;
}

size_t naive_query_cast(const naive_world *world, const bp_cast *cast, const bp_object *object, bp_ray_hit *hits) {
    bp_cast_double wide = {.box = widen(&cast->box), .max_t = (double)cast->max_t};
    bp_ray_hit_double *found = obtain(world->count + 1, sizeof *found);
    for (int axis = 0; axis < 3; ++axis) {
        wide.direction[axis] = (double)cast->direction[axis];
    }
    const size_t count = naive_query_cast_double(world, &wide, object, found);
    for (size_t i = 0; i < count; ++i) {
        hits[i] = (bp_ray_hit){.id = found[i].id, .t = (float)found[i].t};
    }
    qsort(hits, count, sizeof *hits, compare_hits);
    free(found);
    return count;
}

size_t naive_query_ray(const naive_world *world, const bp_ray *ray, const bp_object *object, bp_ray_hit *hits) {
    bp_cast cast = {.max_t = ray->max_t};
    memcpy(cast.box.min, ray->origin, sizeof ray->origin);
    memcpy(cast.box.max, ray->origin, sizeof ray->origin);
    memcpy(cast.direction, ray->direction, sizeof ray->direction);
    return naive_query_cast(world, &cast, object, hits);
}

// ---- nearest --------------------------------------------------------------------------------------------------------

static int compare_near(const void *first, const void *second) {
    const bp_near *a = first, *b = second;
    if (a->distance != b->distance) {
        return a->distance < b->distance ? -1 : 1;
    }
    return a->id < b->id ? -1 : a->id > b->id;
}

static int compare_near_double(const void *first, const void *second) {
    const bp_near_double *a = first, *b = second;
    if (a->distance != b->distance) {
        return a->distance < b->distance ? -1 : 1;
    }
    return a->id < b->id ? -1 : a->id > b->id;
}

static double gap(double point, double min, double max) {
    return fmax(0.0, fmax(min - point, point - max));
}

static double gap_on(const naive_world *world, double given_point, const bp_box_double *given, uint32_t axis) {
    const double period = world->period[axis];
    const bp_box_double wrapped = wrap_box(world, given), *box = &wrapped;
    const double point = period > 0.0 ? wrap(given_point, period) : given_point;
    if (period == 0.0) {
        return gap(point, box->min[axis], box->max[axis]);
    }
    if (covers(box, axis)) {
        return 0.0;
    }
    const double middle = floor((point - box->min[axis]) / period);
    double smallest = (double)INFINITY;
    for (double k = middle - 2.0; k <= middle + 2.0; k += 1.0) {
        smallest = fmin(smallest, gap(point, box->min[axis] + k * period, box->max[axis] + k * period));
    }
    return smallest;
}

size_t naive_query_nearest_double(const naive_world *world, const double point[3], const bp_object *object,
                                  bp_near_double *near) {
    size_t count = 0;
    for (size_t id = 0; id < world->count; ++id) {
        double gaps[3] = {0.0, 0.0, 0.0};
        if (!sees(world, object, (bp_id)id)) {
            continue;
        }
        for (uint32_t axis = 0; axis < world->dimensions; ++axis) {
            gaps[axis] = gap_on(world, point[axis], &world->boxes[id], axis);
        }
        const double sum = gaps[0] * gaps[0] + gaps[1] * gaps[1] + gaps[2] * gaps[2];
        near[count++] = (bp_near_double){.id = (bp_id)id, .distance = sqrt(sum)};
    }
    qsort(near, count, sizeof *near, compare_near_double);
    return count;
}

size_t naive_query_nearest(const naive_world *world, const float point[3], const bp_object *object, bp_near *near) {
    const double wide[3] = {(double)point[0], (double)point[1], (double)point[2]};
    bp_near_double *found = obtain(world->count + 1, sizeof *found);
    const size_t count = naive_query_nearest_double(world, wide, object, found);
    for (size_t i = 0; i < count; ++i) {
        near[i] = (bp_near){.id = found[i].id, .distance = (float)found[i].distance};
    }
    qsort(near, count, sizeof *near, compare_near);
    free(found);
    return count;
}
