// Following a line: a ray, or a box that moves like one.
//
// A ray hits a box where it is inside all three pairs of faces at once; it passes a face at t = (face - origin) /
// direction, one division in 64 bits. A box is closed, and along an axis in which the line does not move, the origin
// alone decides. A moving box meets a box from when its front face passes the first face until its back face passes the
// second: a ray is the case in which both are the same.
//
// If all hits are wanted, the whole line is followed at once. Otherwise it is followed in steps, each twice as long as the
// one before, until no later hit is wanted. A box belongs to the step in which the line enters it. (In a pack, steps would
// cost more than they save.)
//
// In a periodic world line and boxes are first moved so that they begin in 0 .. period. The line would then pass image
// after image of the same boxes: instead, the line itself is moved back, by one period after the other. Of each object
// only the image that the line enters first counts.
#include "world/query/query_line.h"

#include <string.h>

static const double FIRST_STEP = 4.0; // in units of the spacing of objects

enum { AXES = 3 }; // in two dimensions the line and all boxes lie at z = 0

typedef struct line_search {
    const bp_query *query;
    const bp_line *line;
    const bp_line_sink *sink;
    double from, to; // the step: boxes that are entered at t with from <= t < to
    int shift[AXES]; // periodic: by how many periods the line is moved back
} line_search;

// ---- one box --------------------------------------------------------------------------------------------------------

// Shortens *enter .. *leave to the interval in which the line is between two faces. False if it never is.
static bool pass_faces(const bp_line *line, uint32_t axis, double min, double max, double *enter, double *leave) {
    const double origin = line->origin[axis], opposite = line->opposite[axis], direction = line->direction[axis];
    if (direction == 0.0) {
        return min <= opposite && origin <= max;
    }
    const double first = (min - opposite) / direction, second = (max - origin) / direction;
    const double near = direction > 0.0 ? first : second, far = direction > 0.0 ? second : first;
    *enter = near > *enter ? near : *enter;
    *leave = far < *leave ? far : *leave;
    return *enter <= *leave;
}

// Boxes at infinity are never hit.
bool bp_line_hits_box(const bp_line *line, const bp_box_double *box, double *t) {
    double enter = line->begin, leave = line->end;
    bool inside = true;
    for (uint32_t axis = 0; axis < AXES && inside; ++axis) {
        inside = pass_faces(line, axis, box->min[axis], box->max[axis], &enter, &leave);
    }
    *t = enter;
    return inside && enter < (double)INFINITY;
}

// ---- images of one box ----------------------------------------------------------------------------------------------

// The images of a box that a line may hit along one axis: moved by first .. last periods.
typedef struct images {
    int first, last;
    double rounding; // more than all rounding errors of coordinates together
} images;

static images images_between(const bp_line *line, const bp_box_double *box, uint32_t axis, double period, double begin,
                             double end) {
    if (!(period > 0.0) || isinf(box->min[axis])) {
        return (images){0};
    }
    const double a = line->origin[axis] + begin * line->direction[axis];
    const double b = line->origin[axis] + end * line->direction[axis];
    const double extent = line->opposite[axis] - line->origin[axis];
    const double low = fmin(a, b), high = fmax(a, b) + extent;
    const double farthest = fabs(a) + fabs(b) + extent + fabs(box->min[axis]) + fabs(box->max[axis]) + period;
    const double rounding = 0x1p-45 * farthest;
    return (images){.first = (int)ceil((low - rounding - box->max[axis]) / period),
                    .last = (int)floor((high + rounding - box->min[axis]) / period),
                    .rounding = rounding};
}

// The first image that a line hits, and when. If it hits several at once: the one with the smallest numbers.
typedef struct first_image {
    double t;
    int image[AXES];
    bool any;
} first_image;

typedef struct image_search {
    const bp_line *line;
    const bp_overlap_rule *rule;
    bp_box_double box;
    int image[AXES];
    first_image first;
} image_search;

// Axis after axis; each shortens the interval in which the line can hit an image along the next.
// NOLINTNEXTLINE(misc-no-recursion): at most three deep
static void try_images(image_search *s, uint32_t axis, double enter, double leave) {
    if (axis == AXES) {
        if (enter < (double)INFINITY && (!s->first.any || enter < s->first.t)) {
            s->first = (first_image){.t = enter, .image = {s->image[0], s->image[1], s->image[2]}, .any = true};
        }
        return;
    }
    const double period = bp_period_of(s->rule, axis);
    const images range = images_between(s->line, &s->box, axis, period, enter, leave);
    for (int i = range.first; i <= range.last; ++i) {
        double from = enter, to = s->first.any && s->first.t < leave ? s->first.t : leave;
        s->image[axis] = i;
        if (pass_faces(s->line, axis, s->box.min[axis] + i * period, s->box.max[axis] + i * period, &from, &to)) {
            try_images(s, axis + 1, from, to);
        }
    }
}

static first_image find_first_image(const line_search *search, const bp_found *found) {
    image_search s = {.line = search->line, .rule = &search->query->world->setup.overlap};
    s.box = bp_query_wrapped_box(search->query, found);
    try_images(&s, 0, s.line->begin, s.line->end);
    return s.first;
}

// ---- objects --------------------------------------------------------------------------------------------------------

static bool is_periodic(const line_search *s) {
    return bp_is_periodic(&s->query->world->setup.overlap);
}

static bool is_in_step(const line_search *s, double t) {
    return s->from <= t && t < s->to;
}

static void offer_hit(const line_search *s, bp_id id, double t) {
    s->sink->offer(s->sink->context, id, t);
}

// For objects outside the levels of a grid: the step does not matter.
static void receive_anywhere(void *context, const bp_found *found) {
    line_search *s = context;
    if (is_periodic(s)) {
        const first_image first = find_first_image(s, found);
        if (first.any) {
            offer_hit(s, found->id, first.t);
        }
        return;
    }
    const bp_box_double box = bp_query_input_box(s->query, found);
    double t;
    if (bp_line_hits_box(s->line, &box, &t)) {
        offer_hit(s, found->id, t);
    }
}

static void receive_in_step(void *context, const bp_found *found) {
    line_search *s = context;
    const bp_box_double box = bp_query_input_box(s->query, found);
    double t;
    if (bp_line_hits_box(s->line, &box, &t) && is_in_step(s, t)) {
        offer_hit(s, found->id, t);
    }
}

// The image that is moved forward by as much as the line is moved back.
static void receive_image_in_step(void *context, const bp_found *found) {
    line_search *s = context;
    const first_image first = find_first_image(s, found);
    if (first.any && is_in_step(s, first.t) && memcmp(first.image, s->shift, sizeof s->shift) == 0) {
        offer_hit(s, found->id, first.t);
    }
}

// ---- following the line ----------------------------------------------------------------------------------------------

static void follow_moved(line_search *s, double begin, double end) {
    const bp_overlap_rule *rule = &s->query->world->setup.overlap;
    bp_line line = *s->line;
    for (uint32_t axis = 0; axis < AXES; ++axis) {
        const double distance = s->shift[axis] * bp_period_of(rule, axis);
        line.rounding[axis] = 0x1p-45 * (fabs(line.origin[axis]) + fabs(line.opposite[axis]) + fabs(distance));
        line.origin[axis] -= distance;
        line.opposite[axis] -= distance;
    }
    line.begin = begin;
    line.end = end;
    const bp_found_receiver receiver = {.receive = receive_image_in_step, .context = s};
    bp_query_find_on_line(s->query, &line, &receiver);
}

// Moves the line back along one axis after the other, by every number of periods with which it can hit something.
// NOLINTNEXTLINE(misc-no-recursion): at most three deep
static void follow_images(line_search *s, const bp_box_double *bounds, uint32_t axis, double begin, double end) {
    const bp_overlap_rule *rule = &s->query->world->setup.overlap;
    if (axis == AXES) {
        follow_moved(s, begin, end);
        return;
    }
    const double period = bp_period_of(rule, axis);
    const images range = images_between(s->line, bounds, axis, period, begin, end);
    for (int i = range.first; i <= range.last; ++i) {
        const double low = bounds->min[axis] + i * period - range.rounding;
        const double high = bounds->max[axis] + i * period + range.rounding;
        double from = begin, to = end;
        s->shift[axis] = i;
        if (!(period > 0.0) || pass_faces(s->line, axis, low, high, &from, &to)) {
            follow_images(s, bounds, axis + 1, from, to);
        }
    }
}

static void follow_line(line_search *s, double begin, double end) {
    if (!is_periodic(s)) {
        bp_line line = *s->line;
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

// Shortens the line to the bounds of the levels of the grids. False if nothing is left.
static bool clip_to_levels(const line_search *s, bp_line *whole) {
    if (is_periodic(s)) {
        return true;
    }
    whole->begin = INFINITY;
    whole->end = -INFINITY;
    for (size_t i = 0; i < s->query->source_count; ++i) {
        bp_line line = *s->line;
        if (bp_sorted_grid_clip(s->query->sources[i].grid, &line)) {
            whole->begin = fmin(whole->begin, line.begin);
            whole->end = fmax(whole->end, line.end);
        }
    }
    return whole->begin <= whole->end;
}

static double first_step(const line_search *s) {
    double spacing = 0.0, speed = 0.0;
    for (size_t i = 0; i < s->query->source_count; ++i) {
        spacing = fmax(spacing, bp_sorted_grid_spacing(s->query->sources[i].grid));
    }
    for (int axis = 0; axis < 3; ++axis) {
        speed = fmax(speed, fabs(s->line->direction[axis]));
    }
    return spacing > 0.0 ? FIRST_STEP * spacing / speed : (double)INFINITY;
}

static bool is_done(const line_search *s, double t) {
    return s->sink->is_done != NULL && s->sink->is_done(s->sink->context, t);
}

static void follow_in_steps(line_search *s, const bp_line *whole, double step) {
    double begin = whole->begin;
    s->from = s->line->begin;
    for (bool last = false; !last && !is_done(s, begin); step *= 2.0) {
        const double end = begin + step < whole->end ? begin + step : whole->end;
        last = end == whole->end;
        s->to = last ? (double)INFINITY : end;
        follow_line(s, begin, end);
        begin = end;
        s->from = end;
    }
}

void bp_query_follow_line(const bp_query *query, const bp_line *line, const bp_line_sink *sink) {
    line_search s = {.query = query, .line = line, .sink = sink};
    const bp_found_receiver receiver = {.receive = receive_anywhere, .context = &s};
    if (query->pack != NULL) {
        bp_query_find_packed(query, line, &receiver);
        return;
    }
    bp_line whole = *line;
    bp_query_find_outside_levels(query, is_periodic(&s) ? NULL : line, &receiver);
    if (clip_to_levels(&s, &whole)) {
        follow_in_steps(&s, &whole, sink->is_done != NULL ? first_step(&s) : (double)INFINITY);
    }
}
