// Following a line: a ray, or a box that moves like one.
//
// A ray hits a box where it is inside all three pairs of faces at once; it passes a face at t = (face - origin) /
// direction, one division in 64 bits. A box is closed, and along an axis in which the line does not move, the origin
// alone decides. A moving box meets a box from when its front face passes the first face until its back face passes the
// second: a ray is the case in which both are the same.
//
// In a periodic world line and boxes are first moved so that they begin in 0 .. period. The line would then pass image
// after image of the same boxes: instead, the line itself is moved back, by one period after the other. Of each object
// only the image that the line enters first counts.
#include "world/query/query.h"

#include <string.h>

enum { AXES = 3 }; // in two dimensions the line and all boxes lie at z = 0

// Copied as a whole: what is written in one piece is read sooner.
static void set_line(bp_line *line, const bp_cast_double *cast, const bp_query *query) {
    const bp_overlap_rule *rule = &query->world->setup.overlap;
    memcpy(line->origin, cast->box.min, sizeof line->origin);
    memcpy(line->opposite, cast->box.max, sizeof line->opposite);
    memcpy(line->direction, cast->direction, sizeof line->direction);
    memset(line->rounding, 0, sizeof line->rounding);
    line->end = cast->max_t;
    if (rule->dimensions == 2) {
        line->origin[2] = line->opposite[2] = line->direction[2] = 0.0;
    }
    for (uint32_t axis = 0; query->is_periodic && axis < rule->dimensions; ++axis) {
        const double period = bp_period_of(rule, axis);
        if (period > 0.0) {
            line->origin[axis] = bp_query_wrap(cast->box.min[axis], period);
            line->opposite[axis] = line->origin[axis] + (cast->box.max[axis] - cast->box.min[axis]);
        }
    }
}

// Shortens *enter .. *leave to the interval in which the line is between two faces. False if it never is.
static bool pass_faces(const bp_line *line, uint32_t axis, double min, double max, double *enter, double *leave) {
    const double origin = line->origin[axis], opposite = line->opposite[axis], direction = line->direction[axis];
    if (direction == 0.0) {
        return min <= opposite && origin <= max;
    }
    const double passed[2] = {(min - opposite) / direction, (max - origin) / direction};
    const double near = passed[direction < 0.0], far = passed[direction > 0.0];
    *enter = near > *enter ? near : *enter;
    *leave = far < *leave ? far : *leave;
    return *enter <= *leave;
}

// Whether a line hits a box, and when. Boxes at infinity are never hit.
static bool examine_line(const bp_probe *p, const bp_box_double *box, double *t) {
    double enter = 0.0, leave = p->line.end;
    bool inside = true;
    for (uint32_t axis = 0; axis < AXES && inside; ++axis) {
        inside = pass_faces(&p->line, axis, box->min[axis], box->max[axis], &enter, &leave);
    }
    *t = enter;
    return inside && enter < (double)INFINITY;
}

// ---- images ---------------------------------------------------------------------------------------------------------

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

typedef struct line_image_search {
    const bp_line *line;
    const bp_overlap_rule *rule;
    const bp_box_double *box;
    int image[AXES];
    first_image first;
} line_image_search;

// Axis after axis; each shortens the interval in which the line can hit an image along the next.
// NOLINTNEXTLINE(misc-no-recursion): at most three deep
static void try_images(line_image_search *s, uint32_t axis, double enter, double leave) {
    if (axis == AXES) {
        if (enter < (double)INFINITY && (!s->first.any || enter < s->first.t)) {
            s->first = (first_image){.t = enter, .image = {s->image[0], s->image[1], s->image[2]}, .any = true};
        }
        return;
    }
    const double period = bp_period_of(s->rule, axis);
    const images range = images_between(s->line, s->box, axis, period, enter, leave);
    for (int i = range.first; i <= range.last; ++i) {
        double from = enter, to = s->first.any && s->first.t < leave ? s->first.t : leave;
        s->image[axis] = i;
        if (pass_faces(s->line, axis, s->box->min[axis] + i * period, s->box->max[axis] + i * period, &from, &to)) {
            try_images(s, axis + 1, from, to);
        }
    }
}

static bool examine_images(const bp_probe *p, const bp_box_double *box, double *t) {
    line_image_search s = {.line = &p->line, .rule = &p->query->world->setup.overlap, .box = box};
    try_images(&s, 0, 0.0, p->line.end);
    *t = s.first.t;
    return s.first.any && (!p->is_shifted || memcmp(s.first.image, p->shift, sizeof p->shift) == 0);
}

// Moves the line back along one axis after the other, by every number of periods with which it can hit something, and walks. The
// images that it passes first come first.
// NOLINTNEXTLINE(misc-no-recursion): at most three deep
static void walk_images(bp_probe *p, uint32_t axis, double begin, double end) {
    const bp_query *query = p->query;
    const bp_overlap_rule *rule = &query->world->setup.overlap;
    if (axis == AXES) {
        bp_line line = p->line;
        for (uint32_t i = 0; i < AXES; ++i) {
            const double distance = p->shift[i] * bp_period_of(rule, i);
            line.rounding[i] = 0x1p-45 * (fabs(line.origin[i]) + fabs(line.opposite[i]) + fabs(distance));
            line.origin[i] -= distance;
            line.opposite[i] -= distance;
        }
        (void)bp_tree_walk_line(&p->walk, &query->trees[0]->shape, &line, false);
        bp_probe_limit(p);
        bp_probes_walk(query, (bp_probe *[]){p}, 1);
        return;
    }
    const double period = bp_period_of(rule, axis);
    images range = images_between(&p->line, &query->bounds, axis, period, begin, end);
    range.first = range.first < 0 ? range.first : 0; // boxes that are infinite along this axis count as one image
    range.last = range.last > 0 ? range.last : 0;
    const bool is_backward = p->line.direction[axis] < 0.0;
    for (int i = 0; i <= range.last - range.first; ++i) {
        const int image = is_backward ? range.last - i : range.first + i;
        const double low = query->bounds.min[axis] + image * period - range.rounding;
        const double high = query->bounds.max[axis] + image * period + range.rounding;
        double from = begin, to = end;
        p->shift[axis] = image;
        if (!(period > 0.0) || image == 0) {
            walk_images(p, axis + 1, begin, end);
        } else if (pass_faces(&p->line, axis, low, high, &from, &to) && from <= bp_shortlist_limit(p->list)) {
            walk_images(p, axis + 1, from, to);
        }
    }
}

// ---- beginning ------------------------------------------------------------------------------------------------------

bool bp_probe_begin_line(bp_probe *p, const bp_query *query, const bp_cast_double *cast, bp_shortlist *list) {
    p->query = query;
    p->list = list;
    p->tree = 0;
    set_line(&p->line, cast, query);
    p->is_shifted = false;
    p->examine = query->is_periodic ? examine_images : examine_line;
    const bool is_small = query->tree_count == 0 || query->is_periodic ||
                          bp_tree_walk_line(&p->walk, &query->trees[0]->shape, &p->line, bp_probe_wants_first(p));
    if (!bp_probe_outside(p, is_small)) {
        return false;
    }
    if (query->is_periodic) {
        p->is_shifted = true;
        walk_images(p, 0, 0.0, p->line.end);
        return false;
    }
    bp_probe_limit(p);
    return true;
}
