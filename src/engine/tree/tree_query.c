// Questions to a tree. A walk computes with floats. Its origins are rounded outwards, so differences have the right sign and are
// wrong by one rounding; with that of the inverse and of the product, what it computes is wrong by less than 2^-22 of itself,
// and the inverses are shortened and lengthened by more.
#include "engine/tree/tree_query.h"

#include "base/boxes.h"

enum { GROUP = 32 }; // entries of a list that go down together

static const double SLACK = 0x1p-20;
static const double WALK_LIMIT = 0x1p120; // of coordinates: lines and points beyond are not walked
static const double FAST = 0x1p900;       // up to there the smallest t passes less than the smallest float

// ---- boxes ----------------------------------------------------------------------------------------------------------

// Of boxes, or of lines.
typedef struct meeting {
    const bp_tree *tree;
    bp_tree_wanted wanted;
    bp_tree_walk *const *walks; // NULL: boxes
    bp_tree_take take;
    void *context;
} meeting;

// NOLINTNEXTLINE(misc-no-recursion): as deep as there are levels
static void meet_at_level(const meeting *m, size_t level, const bp_pair *list, size_t count) {
    const bp_kernels *kernels = m->tree->setup->kernels;
    const bp_tree_node *nodes = m->tree->levels[level];
    bp_pair next[BP_TREE_TAKEN];
    for (size_t begin = 0; begin < count; begin += GROUP) {
        const size_t some = count - begin < GROUP ? count - begin : GROUP;
        const size_t found = m->walks != NULL ? kernels->tree_trace(nodes, m->walks, list + begin, some, next)
                             : level > 0
                                 ? kernels->tree_descend(nodes, &m->wanted, list + begin, some, next)
                                 : kernels->tree_meet(nodes, m->tree->ids.data, &m->wanted, list + begin, some, next);
        if (level > 0) {
            meet_at_level(m, level - 1, next, found);
        } else {
            m->take(m->context, next, found);
        }
    }
}

static void meet_all(const meeting *m, size_t count) {
    for (size_t begin = 0; begin < count; begin += GROUP) {
        bp_pair list[GROUP];
        const size_t some = count - begin < GROUP ? count - begin : GROUP;
        for (size_t i = 0; i < some; ++i) {
            list[i] = (bp_pair){.a = (uint32_t)(begin + i), .b = 0};
        }
        meet_at_level(m, m->tree->level_count - 1, list, some);
    }
}

void bp_tree_meet_boxes(const bp_tree *tree, const bp_box *boxes, size_t count, bp_tree_take take, void *context) {
    const bp_tree_wanted wanted = {.boxes = boxes, .dimensions = tree->setup->dimensions};
    meet_all(&(meeting){.tree = tree, .wanted = wanted, .take = take, .context = context}, count);
}

void bp_tree_trace_lines(const bp_tree *tree, bp_tree_walk *const *walks, size_t count, bp_tree_take take,
                         void *context) {
    meet_all(&(meeting){.tree = tree, .walks = walks, .take = take, .context = context}, count);
}

// ---- walks ----------------------------------------------------------------------------------------------------------

void bp_tree_walk_again(bp_tree_walk *walk, const bp_tree_levels *levels) {
    walk->levels = levels;
    walk->is_done = false;
    walk->level = (uint32_t)levels->count - 1;
    walk->node = levels->begins[walk->level];
    walk->depth = 0;
    walk->hit_count = 0;
}

// The largest component of the direction.
static double speed_of(const bp_line *line) {
    double speed = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double component = fabs(line->direction[axis]);
        speed = component > speed ? component : speed;
    }
    return speed;
}

bool bp_tree_walk_line(bp_tree_walk *walk, const bp_tree_levels *levels, const bp_line *line) {
    const double speed = speed_of(line);
    bool is_small = true;
    bp_tree_walk_again(walk, levels);
    walk->aim.is_line = true;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const bool is_backward = line->direction[axis] < 0.0; // -0 is not
        const double inverse = speed / fabs(line->direction[axis]), sign = is_backward ? -1.0 : 1.0;
        // Of so fast a line, what is this near may be passed at a t that is rounded to 0. (Denormal products take long.)
        const double slip = speed > FAST ? fabs(line->direction[axis]) * 0x1p-1074 : 0.0;
        const float low = bp_round_down(line->origin[axis] - line->rounding[axis] - slip);
        const float high = bp_round_up(line->opposite[axis] + line->rounding[axis] + slip);
        walk->aim.near_origin[axis] = is_backward ? low : high;
        walk->aim.far_origin[axis] = is_backward ? high : low;
        walk->aim.near_inverse[axis] = (float)sign * bp_smaller(bp_round_down(inverse * (1.0 - SLACK)), FLT_MAX);
        walk->aim.far_inverse[axis] = (float)sign * bp_round_up(inverse * (1.0 + SLACK));
        walk->aim.near_column[axis] = (is_backward ? 3 + axis : axis) * BP_TREE_WIDTH;
        walk->aim.far_column[axis] = (is_backward ? axis : 3 + axis) * BP_TREE_WIDTH;
        is_small &= fabs(line->origin[axis]) < WALK_LIMIT && fabs(line->opposite[axis]) < WALK_LIMIT;
    }
    walk->speed = speed;
    bp_tree_limit_line(walk, line->end);
    return is_small;
}

void bp_tree_limit_line(bp_tree_walk *walk, double t) {
    walk->aim.limit = bp_round_up(t * walk->speed * (1.0 + SLACK));
}

bool bp_tree_walk_point(bp_tree_walk *walk, const bp_tree_levels *levels, const double point[3]) {
    bool is_small = true;
    bp_tree_walk_again(walk, levels);
    walk->aim.is_line = false;
    walk->aim.limit = INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        walk->aim.near_origin[axis] = bp_round_up(point[axis]);
        walk->aim.far_origin[axis] = bp_round_down(point[axis]);
        is_small &= fabs(point[axis]) < WALK_LIMIT;
    }
    return is_small;
}

void bp_tree_limit_point(bp_tree_walk *walk, double distance) {
    const double square = distance * distance * (1.0 + SLACK) + 0x1p-140; // squares of small numbers are far from exact
    walk->aim.limit = square < WALK_LIMIT ? bp_round_up(square) : INFINITY;
}
