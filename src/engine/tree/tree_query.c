// Questions to a tree. A walk computes with floats. Its origins are rounded outwards, so differences have the right sign and are
// wrong by one rounding; with that of the inverse and of the product, what it computes is wrong by less than 2^-22 of itself,
// and the inverses are shortened and lengthened by more.
#include "engine/tree/tree_query.h"

#include "base/boxes.h"

enum { GROUP = 32 }; // entries of a list that go down together

static const double SLACK = 0x1p-20;
static const float SURE = 1.0f + 0x1p-17f;   // more than twice the slack, and the rounding of a result to a float
static const double WALK_LIMIT = 0x1p120;    // of coordinates: lines and points beyond are not walked
static const double SLOW = 0x1p-8;           // from there on no float is so far that its t is none
static const double FAST = 0x1p900;          // up to there the smallest t passes less than the smallest float
static const double SQUARE_SLACK = 0x1p-138; // squares of small numbers are far from exact

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
    const uint32_t top = (uint32_t)levels->count - 1;
    walk->levels = levels;
    walk->is_done = false;
    walk->next = (bp_pair){.a = levels->begins[top], .b = top};
    walk->stack[0] = (bp_pair){0};
    walk->depth = 1;
    walk->hit_count = 0;
}

// Whether a hit that seems sure is sure decides how the walk goes on.
static void begin_walk(bp_tree_walk *walk, const bp_tree_levels *levels, bool is_first, double slack) {
    bp_tree_walk_again(walk, levels);
    walk->aim.sure = is_first ? SURE : INFINITY;
    walk->aim.slack = bp_round_up(slack);
    walk->room = is_first ? BP_TREE_HITS : 0;
}

// Where the axes of a line are in an aim, by the fastest of them.
static const uint8_t places[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};

static uint32_t fastest_axis(const double speeds[3]) {
    const uint32_t faster = speeds[1] > speeds[0], is_last = speeds[2] > speeds[faster];
    return faster + is_last * (2 - faster);
}

// Origins that are no floats, or not exact, are rounded outwards.
static void widen_origins(bp_tree_aim *aim, const bp_line *line, const uint8_t place[3], double speed) {
    for (int axis = 0; axis < 3; ++axis) {
        const bool is_backward = line->direction[axis] < 0.0;
        // Of so fast a line, what is this near may be passed at a t that is rounded to 0. (Denormal products take long.)
        const double slip = line->rounding[axis] + (speed > FAST ? fabs(line->direction[axis]) * 0x1p-1074 : 0.0);
        const float low = bp_round_down(line->origin[axis] - slip), high = bp_round_up(line->opposite[axis] + slip);
        aim->near_origin[place[axis]] = is_backward ? low : high;
        aim->far_origin[place[axis]] = is_backward ? high : low;
    }
}

// Without branches on the direction, which would be unpredictable.
bool bp_tree_walk_line(bp_tree_walk *walk, const bp_tree_levels *levels, const bp_line *line, bool is_first) {
    bp_tree_aim *aim = &walk->aim;
    const double speeds[3] = {fabs(line->direction[0]), fabs(line->direction[1]), fabs(line->direction[2])};
    const uint8_t *place = places[fastest_axis(speeds)];
    const double speed = speeds[fastest_axis(speeds)];
    double farthest = 0.0;
    bool is_exact = speed <= FAST, is_sure = is_first;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const uint32_t at = place[axis], is_backward = line->direction[axis] < 0.0; // -0 is not
        const double inverse = speed / speeds[axis], sign = 1.0 - 2.0 * is_backward;
        const double corners[2] = {line->opposite[axis], line->origin[axis]};
        aim->near_origin[at] = (float)corners[is_backward];
        aim->far_origin[at] = (float)corners[1 - is_backward];
        aim->near_inverse[at] = (float)(sign * inverse * (1.0 - SLACK));
        aim->far_inverse[at] = (float)(sign * inverse * (1.0 + SLACK));
        if (inverse >= WALK_LIMIT && speeds[axis] > 0.0) { // it may be too large for a float
            aim->near_inverse[at] = (float)(sign * WALK_LIMIT);
            aim->far_inverse[at] = (float)sign * INFINITY;
            is_sure = false;
        }
        aim->near_column[at] = (axis + 3 * is_backward) * BP_TREE_WIDTH;
        aim->far_column[at] = (axis + 3 - 3 * is_backward) * BP_TREE_WIDTH;
        const double least = fabs(corners[1]), most = fabs(corners[0]), farther = least > most ? least : most;
        farthest = farther > farthest ? farther : farthest;
        is_exact &= ((double)(float)corners[0] == corners[0]) & ((double)(float)corners[1] == corners[1]) &
                    (line->rounding[axis] == 0.0);
    }
    if (!is_exact) {
        widen_origins(aim, line, place, speed);
    }
    aim->is_line = true;
    is_sure &= speed >= SLOW || line->end <= (double)FLT_MAX; // else hits may be rounded to the same infinite t
    begin_walk(walk, levels, is_sure & is_exact, 0x1p-146 * (1.0 + speed));
    walk->speed = speed;
    bp_tree_limit_line(walk, line->end);
    return farthest < WALK_LIMIT;
}

void bp_tree_limit_line(bp_tree_walk *walk, double t) {
    walk->aim.limit = bp_round_up(t * walk->speed * (1.0 + SLACK));
}

bool bp_tree_walk_point(bp_tree_walk *walk, const bp_tree_levels *levels, const double point[3], bool is_first) {
    bool is_small = true, is_sure = is_first;
    walk->aim.is_line = false;
    walk->aim.limit = INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        walk->aim.near_origin[axis] = bp_round_up(point[axis]);
        walk->aim.far_origin[axis] = bp_round_down(point[axis]);
        is_small &= fabs(point[axis]) < WALK_LIMIT;
        is_sure &= (double)walk->aim.near_origin[axis] == point[axis];
    }
    begin_walk(walk, levels, is_sure, SQUARE_SLACK);
    return is_small;
}

void bp_tree_limit_point(bp_tree_walk *walk, double distance) {
    const double square = distance * distance * (1.0 + SLACK) + SQUARE_SLACK;
    walk->aim.limit = square < WALK_LIMIT ? bp_round_up(square) : INFINITY;
}
