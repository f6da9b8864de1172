// Ray queries.
//
// A ray hits a box where it is inside all three pairs of faces at once; it passes a face at t = (face - origin) /
// direction, one division in 64 bits. A box is closed, and along an axis in which the ray does not move, the origin
// alone decides.
//
// If all hits are wanted, the whole ray is followed at once. If only the first are wanted (found = NULL), it is
// followed in steps, each twice as long as the one before, until no later hit could be among them. A box belongs to the
// step in which the ray enters it.
//
// In a periodic world ray and boxes are first moved so that they begin in 0 .. period. The ray would then pass image
// after image of the same boxes: instead, the ray itself is moved back, by one period after the other. Of each object
// only the image that the ray enters first counts.
#include "world/query/query.h"

#include "world/query/shortlist.h"

static const double FIRST_STEP = 4.0; // in units of the spacing of objects

enum {
    AXES = 3, // in two dimensions the ray and all boxes lie at z = 0
    PERIODS_MOST = 1000
};

typedef struct ray_search {
    const bp_query *query;
    const bp_line *ray;
    bp_shortlist list;
    double from, to; // the step: boxes that are entered at t with from <= t < to
    int shift[AXES]; // periodic: by how many periods the ray is moved back
    bool few;        // only hits that fit into the list are wanted
} ray_search;

// ---- one box --------------------------------------------------------------------------------------------------------

// Shortens *enter .. *leave to the interval in which the ray is between two faces. False if it never is.
static bool pass_faces(const bp_line *ray, uint32_t axis, double min, double max, double *enter, double *leave) {
    const double origin = ray->origin[axis], direction = ray->direction[axis];
    if (direction == 0.0) {
        return min <= origin && origin <= max;
    }
    const double first = (min - origin) / direction, second = (max - origin) / direction;
    const double near = direction > 0.0 ? first : second, far = direction > 0.0 ? second : first;
    *enter = near > *enter ? near : *enter;
    *leave = far < *leave ? far : *leave;
    return *enter <= *leave;
}

// Boxes at infinity are never hit.
static bool hit_box(const bp_line *ray, const bp_box_double *box, double *t) {
    double enter = ray->begin, leave = ray->end;
    bool inside = true;
    for (uint32_t axis = 0; axis < AXES && inside; ++axis) {
        inside = pass_faces(ray, axis, box->min[axis], box->max[axis], &enter, &leave);
    }
    *t = enter;
    return inside && enter < (double)INFINITY;
}

// ---- images of one box ----------------------------------------------------------------------------------------------

// The images of a box that a ray may hit along one axis: moved by first .. last periods.
typedef struct images {
    int first, last;
    double rounding; // more than all rounding errors of coordinates together
} images;

static images images_between(const bp_line *ray, const bp_box_double *box, uint32_t axis, double period, double begin,
                             double end) {
    if (!(period > 0.0) || isinf(box->min[axis])) {
        return (images){0};
    }
    const double a = ray->origin[axis] + begin * ray->direction[axis];
    const double b = ray->origin[axis] + end * ray->direction[axis];
    const double low = fmin(a, b), high = fmax(a, b);
    const double rounding = 0x1p-45 * (fabs(a) + fabs(b) + fabs(box->min[axis]) + fabs(box->max[axis]) + period);
    return (images){.first = (int)ceil((low - rounding - box->max[axis]) / period),
                    .last = (int)floor((high + rounding - box->min[axis]) / period),
                    .rounding = rounding};
}

// The first image that a ray hits, and when. If it hits several at once: the one with the smallest numbers.
typedef struct first_image {
    double t;
    int image[AXES];
    bool any;
} first_image;

typedef struct image_search {
    const bp_line *ray;
    const bp_overlap_rule *rule;
    bp_box_double box;
    int image[AXES];
    first_image first;
} image_search;

// Axis after axis; each shortens the interval in which the ray can hit an image along the next.
// NOLINTNEXTLINE(misc-no-recursion): at most three deep
static void try_images(image_search *s, uint32_t axis, double enter, double leave) {
    if (axis == AXES) {
        if (enter < (double)INFINITY && (!s->first.any || enter < s->first.t)) {
            s->first = (first_image){.t = enter, .image = {s->image[0], s->image[1], s->image[2]}, .any = true};
        }
        return;
    }
    const double period = bp_period_of(s->rule, axis);
    const images range = images_between(s->ray, &s->box, axis, period, enter, leave);
    for (int i = range.first; i <= range.last; ++i) {
        double from = enter, to = s->first.any && s->first.t < leave ? s->first.t : leave;
        s->image[axis] = i;
        if (pass_faces(s->ray, axis, s->box.min[axis] + i * period, s->box.max[axis] + i * period, &from, &to)) {
            try_images(s, axis + 1, from, to);
        }
    }
}

static first_image find_first_image(const ray_search *search, const bp_found *found) {
    image_search s = {.ray = search->ray, .rule = &search->query->world->setup.overlap};
    s.box = bp_query_wrapped_box(search->query, found);
    try_images(&s, 0, s.ray->begin, s.ray->end);
    return s.first;
}

// ---- objects --------------------------------------------------------------------------------------------------------

static bool is_periodic(const ray_search *s) {
    return bp_is_periodic(&s->query->world->setup.overlap);
}

static bool is_in_step(const ray_search *s, double t) {
    return s->from <= t && t < s->to;
}

static void offer_hit(ray_search *s, bp_id id, double t) {
    bp_shortlist_offer(&s->list, bp_ranked_key(id, (float)t));
}

// For objects outside the levels of a grid: the step does not matter.
static void receive_anywhere(void *context, const bp_found *found) {
    ray_search *s = context;
    if (is_periodic(s)) {
        const first_image first = find_first_image(s, found);
        if (first.any) {
            offer_hit(s, found->id, first.t);
        }
        return;
    }
    const bp_box_double box = bp_query_wrapped_box(s->query, found);
    double t;
    if (hit_box(s->ray, &box, &t)) {
        offer_hit(s, found->id, t);
    }
}

static void receive_in_step(void *context, const bp_found *found) {
    ray_search *s = context;
    const bp_box_double box = bp_query_wrapped_box(s->query, found);
    double t;
    if (hit_box(s->ray, &box, &t) && is_in_step(s, t)) {
        offer_hit(s, found->id, t);
    }
}

// The image that is moved forward by as much as the ray is moved back.
static void receive_image_in_step(void *context, const bp_found *found) {
    ray_search *s = context;
    const first_image first = find_first_image(s, found);
    if (first.any && is_in_step(s, first.t) && memcmp(first.image, s->shift, sizeof s->shift) == 0) {
        offer_hit(s, found->id, first.t);
    }
}

// ---- following the ray ----------------------------------------------------------------------------------------------

static void follow_moved(ray_search *s, double begin, double end) {
    const bp_overlap_rule *rule = &s->query->world->setup.overlap;
    bp_line line = *s->ray;
    for (uint32_t axis = 0; axis < AXES; ++axis) {
        const double distance = s->shift[axis] * bp_period_of(rule, axis);
        line.rounding[axis] = 0x1p-45 * (fabs(line.origin[axis]) + fabs(distance));
        line.origin[axis] -= distance;
    }
    line.begin = begin;
    line.end = end;
    const bp_found_receiver receiver = {.receive = receive_image_in_step, .context = s};
    bp_query_find_on_line(s->query, &line, &receiver);
}

// Moves the ray back along one axis after the other, by every number of periods with which it can hit something.
// NOLINTNEXTLINE(misc-no-recursion): at most three deep
static void follow_images(ray_search *s, const bp_box_double *bounds, uint32_t axis, double begin, double end) {
    const bp_overlap_rule *rule = &s->query->world->setup.overlap;
    if (axis == AXES) {
        follow_moved(s, begin, end);
        return;
    }
    const double period = bp_period_of(rule, axis);
    const images range = images_between(s->ray, bounds, axis, period, begin, end);
    for (int i = range.first; i <= range.last; ++i) {
        const double low = bounds->min[axis] + i * period - range.rounding;
        const double high = bounds->max[axis] + i * period + range.rounding;
        double from = begin, to = end;
        s->shift[axis] = i;
        if (!(period > 0.0) || pass_faces(s->ray, axis, low, high, &from, &to)) {
            follow_images(s, bounds, axis + 1, from, to);
        }
    }
}

static void follow_ray(ray_search *s, double begin, double end) {
    if (!is_periodic(s)) {
        bp_line line = *s->ray;
        line.begin = begin;
        line.end = end;
        const bp_found_receiver receiver = {.receive = receive_in_step, .context = s};
        bp_query_find_on_line(s->query, &line, &receiver);
        return;
    }
    bp_box_double bounds;
    for (size_t i = 0; i < s->query->source_count; ++i) { // there is at most one
        if (bp_sorted_grid_bounds(s->query->sources[i].grid, bounds.min, bounds.max)) {
            follow_images(s, &bounds, 0, begin, end);
        }
    }
}

// Shortens the ray to the bounds of the levels of the grids. False if nothing is left.
static bool clip_to_levels(const ray_search *s, bp_line *whole) {
    if (is_periodic(s)) {
        return true;
    }
    whole->begin = INFINITY;
    whole->end = -INFINITY;
    for (size_t i = 0; i < s->query->source_count; ++i) {
        bp_line line = *s->ray;
        if (bp_sorted_grid_clip(s->query->sources[i].grid, &line)) {
            whole->begin = fmin(whole->begin, line.begin);
            whole->end = fmax(whole->end, line.end);
        }
    }
    return whole->begin <= whole->end;
}

static double first_step(const ray_search *s) {
    double spacing = 0.0, speed = 0.0;
    for (size_t i = 0; i < s->query->source_count; ++i) {
        spacing = fmax(spacing, bp_sorted_grid_spacing(s->query->sources[i].grid));
    }
    for (int axis = 0; axis < 3; ++axis) {
        speed = fmax(speed, fabs(s->ray->direction[axis]));
    }
    return spacing > 0.0 ? FIRST_STEP * spacing / speed : (double)INFINITY;
}

// Whether no box that is entered at `t` or later can be listed any more.
static bool has_all_hits(const ray_search *s, double t) {
    return s->few && bp_shortlist_limit(&s->list) < bp_ranked_key(0, (float)t);
}

static void follow_in_steps(ray_search *s, const bp_line *whole, double step) {
    double begin = whole->begin;
    s->from = s->ray->begin;
    for (bool last = false; !last && !has_all_hits(s, begin); step *= 2.0) {
        const double end = begin + step < whole->end ? begin + step : whole->end;
        last = end == whole->end;
        s->to = last ? (double)INFINITY : end;
        follow_ray(s, begin, end);
        begin = end;
        s->from = end;
    }
}

// ---- the query itself -----------------------------------------------------------------------------------------------

static bp_status check_numbers(const bp_world *world, const bp_ray *ray) {
    bool finite = true, moves = false;
    for (uint32_t axis = 0; axis < world->setup.overlap.dimensions; ++axis) {
        finite &= isfinite(ray->origin[axis]) && isfinite(ray->direction[axis]);
        moves |= ray->direction[axis] != 0.0f;
    }
    if (!finite) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "ray: origin and direction must be finite");
    }
    if (!moves) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "ray.direction: must not be zero");
    }
    if (!(ray->max_t >= 0.0f)) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "ray.max_t: must be 0 or more, and may be infinite");
    }
    return BP_OK;
}

static bp_status check_periods(const bp_world *world, const bp_ray *ray) {
    bool periodic = false, fits = true;
    for (uint32_t axis = 0; axis < world->setup.overlap.dimensions; ++axis) {
        const double period = bp_period_of(&world->setup.overlap, axis);
        periodic |= period > 0.0;
        fits &= !(period > 0.0 && fabs((double)ray->direction[axis]) * (double)ray->max_t > PERIODS_MOST * period);
    }
    if (periodic && (!fits || isinf(ray->max_t))) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT,
                               "ray.max_t: must be finite in a periodic world, and pass no more than 1000 periods");
    }
    return BP_OK;
}

static bp_status check_ray(const bp_world *world, const bp_ray *ray, const bp_ray_hit *hits, size_t capacity) {
    if (ray == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "ray: NULL");
    }
    if (hits == NULL && capacity > 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "hits: NULL, but the capacity is not 0");
    }
    const bp_status status = check_numbers(world, ray);
    return status == BP_OK ? check_periods(world, ray) : status;
}

static bp_line line_of(const bp_ray *ray, const bp_overlap_rule *rule) {
    bp_line line = {.begin = 0.0, .end = (double)ray->max_t};
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const double origin = (double)ray->origin[axis], period = bp_period_of(rule, axis);
        line.origin[axis] = period > 0.0 ? bp_query_wrap(origin, period) : origin;
        line.direction[axis] = (double)ray->direction[axis];
    }
    return line;
}

bp_status bp_query_ray_as(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_ray_hit *hits,
                          size_t capacity, size_t *found) {
    bp_status status = bp_query_check(world, object);
    if (status == BP_OK) {
        status = check_ray(world, ray, hits, capacity);
    }
    if (status != BP_OK) {
        return status;
    }
    const bp_query query = bp_query_begin(world, object);
    const bp_line line = line_of(ray, &world->setup.overlap);
    ray_search s = {.query = &query, .ray = &line, .list = bp_shortlist_of_hits(hits, capacity), .few = found == NULL};
    const bp_found_receiver receiver = {.receive = receive_anywhere, .context = &s};
    bp_line whole = line;
    bp_query_find_outside_levels(&query, &receiver);
    if (clip_to_levels(&s, &whole)) {
        follow_in_steps(&s, &whole, s.few ? first_step(&s) : (double)INFINITY);
    }
    return bp_shortlist_finish(&s.list, found);
}

bp_status bp_query_ray(const bp_world *world, const bp_ray *ray, bp_ray_hit *hits, size_t capacity, size_t *found) {
    return bp_query_ray_as(world, ray, NULL, hits, capacity, found);
}
