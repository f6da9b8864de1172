// How 64-bit coordinates become floats.
//
//   rounded   to the nearest float, after the middle of all objects was subtracted. Objects grow or shrink by a unit in
//             the last place. Costs nothing.
//   ranks     the position of each coordinate among all coordinates of its axis, equal ones sharing a rank:
//
//                 coordinates   1.0   1.0000000000000002   1.0000000000000004   4000.0
//                 ranks          0            1                    2               3
//
//             Overlap depends on order alone, so these boxes overlap exactly where the input boxes do, as long as there
//             are no more than 2^24 ranks; and empty space, however vast, takes no room. Costs a radix sort per axis.
//
// Rounding is enough as long as objects are larger than a few units in the last place of their coordinates. Where they
// are smaller (0.2 mm in a cube of 4 km), all objects close to each other become the same box, and each would be a
// candidate for each.
#include "view/view.h"

#include "base/boxes.h"
#include "base/parallel.h"
#include "base/radix_sort.h"

#include <float.h>
#include <string.h>

enum {
    BLOCK_MIN = 16384, // boxes that are worth a task
    BLOCKS_MAX = 256,
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    PASSES = 6,
    EXACT_RANKS = 1 << 24 // that a float can represent exactly
};

// Of the larger coordinate: objects below 8 units in the last place count as small.
static const double SMALL_EXTENT = 0x1p-20;

// Up to this many small objects squared, per object, are acceptable as candidates.
static const double BEARABLE = 64.0;

// ---- the choice -----------------------------------------------------------------------------------------------------

typedef struct precision_survey {
    const bp_view *view;
    bp_blocks blocks;
    double low[BLOCKS_MAX][3], high[BLOCKS_MAX][3]; // of the finite coordinates
    size_t small[BLOCKS_MAX];                       // number of small objects
} precision_survey;

static void task_bounds(void *context, size_t block) {
    precision_survey *s = context;
    const bp_box_double *boxes = s->view->input.doubles;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        s->low[block][axis] = INFINITY;
        s->high[block][axis] = -INFINITY;
    }
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t i = bp_block_begin(s->blocks, block); i < end; ++i) {
        for (uint32_t axis = 0; axis < s->view->rule->dimensions; ++axis) {
            const double min = boxes[i].min[axis], max = boxes[i].max[axis];
            s->low[block][axis] = min < s->low[block][axis] && !isinf(min) ? min : s->low[block][axis];
            s->high[block][axis] = max > s->high[block][axis] && !isinf(max) ? max : s->high[block][axis];
        }
    }
}

// Small compared with the spacing of floats at its position, along any axis. A hole is not small: no comparison with
// NaN is true.
static bool is_small(const bp_view *view, const bp_box_double *box) {
    const bp_overlap_rule *rule = view->rule;
    bool small = false;
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const double low = fabs(box->min[axis] - view->origin[axis]), high = fabs(box->max[axis] - view->origin[axis]);
        const double period = bp_period_of(rule, axis), farther = low > high ? low : high;
        const double extent = box->max[axis] - box->min[axis] + 2.0 * (double)rule->margin;
        small |= extent < SMALL_EXTENT * (period > 0.0 ? period : farther) && !isinf(farther);
    }
    return small;
}

static void task_small(void *context, size_t block) {
    precision_survey *s = context;
    const bp_box_double *boxes = s->view->input.doubles;
    s->small[block] = 0;
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t i = bp_block_begin(s->blocks, block); i < end; ++i) {
        s->small[block] += is_small(s->view, &boxes[i]);
    }
}

static void run_survey(precision_survey *s, const bp_view *view, bp_task task) {
    const bp_executor *executor = &view->runtime->executor;
    s->view = view;
    s->blocks = bp_blocks_cut(executor, view->input.count, BLOCK_MIN, BLOCKS_MAX);
    bp_parallel_for(executor, s->blocks.count, task, s);
}

void bp_view_choose_map(bp_view *const *views, size_t view_count) {
    const bp_overlap_rule *rule = views[0]->rule;
    precision_survey s;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    size_t total = 0, small_count = 0;
    for (size_t i = 0; i < view_count; ++i) {
        run_survey(&s, views[i], task_bounds);
        for (size_t block = 0; block < s.blocks.count; ++block) {
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = s.low[block][axis] < low[axis] ? s.low[block][axis] : low[axis];
                high[axis] = s.high[block][axis] > high[axis] ? s.high[block][axis] : high[axis];
            }
        }
        total += views[i]->input.count;
    }
    // Boxes without margin, period or spheres, all within the range of floats, only have to be rounded.
    bool is_only_rounded = rule->shape == BP_SHAPE_BOXES && rule->margin == 0.0f;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const bool is_empty = !(low[axis] <= high[axis]), is_periodic = bp_period_of(rule, axis) > 0.0;
        is_only_rounded &= !is_periodic && (is_empty || high[axis] - low[axis] < (double)FLT_MAX);
        for (size_t i = 0; i < view_count; ++i) { // the middle, unless absolute positions matter
            const bool is_fixed = is_periodic || views[i]->keeps_origin || is_empty;
            views[i]->origin[axis] = is_fixed ? 0.0 : 0.5 * low[axis] + 0.5 * high[axis];
        }
    }
    for (size_t i = 0; i < view_count; ++i) {
        run_survey(&s, views[i], task_small);
        for (size_t block = 0; block < s.blocks.count; ++block) {
            small_count += s.small[block];
        }
    }
    const double small = (double)small_count;
    for (size_t i = 0; i < view_count; ++i) {
        views[i]->ranked = views[i]->wants_ranks || small * small > BEARABLE * (double)total;
        views[i]->rounded = !views[i]->ranked && is_only_rounded;
    }
}

// ---- sorting --------------------------------------------------------------------------------------------------------

// A coordinate: its bits, changed so that they sort like its value, and where its rank goes.
typedef struct coordinate {
    uint64_t key;
    float *rank;
} coordinate;

// Sorts by key, ascending, least significant digit first; digits that are all equal are skipped. The result is in one
// of the two lists.
static const coordinate *sort_coordinates(coordinate *list, coordinate *spare, size_t count,
                                          size_t histogram[PASSES][DIGITS]) {
    coordinate *from = list, *to = spare;
    memset(histogram, 0, PASSES * sizeof histogram[0]);
    for (size_t i = 0; i < count; ++i) {
        for (int pass = 0; pass < PASSES; ++pass) {
            ++histogram[pass][list[i].key >> (pass * DIGIT_BITS) & (DIGITS - 1)];
        }
    }
    for (int pass = 0; pass < PASSES && count > 0; ++pass) {
        size_t *position = histogram[pass];
        if (position[from[0].key >> (pass * DIGIT_BITS) & (DIGITS - 1)] == count) {
            continue;
        }
        (void)bp_counts_to_positions(position, DIGITS);
        for (size_t i = 0; i < count; ++i) {
            to[position[from[i].key >> (pass * DIGIT_BITS) & (DIGITS - 1)]++] = from[i];
        }
        coordinate *swapped = from;
        from = to;
        to = swapped;
    }
    return from;
}

// ---- ranks ----------------------------------------------------------------------------------------------------------

// Adds a coordinate to the list of those to rank; infinities and NaNs are copied.
static size_t enter_coordinate(coordinate *list, double value, float *rank) {
    const bool finite = isfinite(value);
    const double positive_zero = value + 0.0; // -0.0 and 0.0 are equal
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    *rank = finite ? 0.0f : (float)value;
    *list = (coordinate){.key = (bits & sign) != 0 ? ~bits : bits | sign, .rank = rank};
    return finite;
}

bp_status bp_view_rank(bp_view *const *views, size_t view_count) {
    const bp_overlap_rule *rule = views[0]->rule;
    size_t box_count = 0, last_rank = 0;
    for (size_t i = 0; i < view_count; ++i) {
        box_count += views[i]->count;
    }
    // Memory for sorting: two lists of all coordinates, from one to the other and back.
    const size_t histograms = (size_t)PASSES * DIGITS * sizeof(size_t) / sizeof(coordinate);
    const size_t length = bp_size_multiply(box_count, 2);
    const size_t needed = length < SIZE_MAX / 4 ? histograms + 2 * length : SIZE_MAX;
    if (!bp_buffer_reserve_slack(&views[0]->lists, &views[0]->runtime->allocator, 0, needed, sizeof(coordinate))) {
        return BP_ERROR_MEMORY;
    }
    size_t(*histogram)[DIGITS] = views[0]->lists.data;
    coordinate *list = (coordinate *)views[0]->lists.data + histograms;
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        size_t count = 0, rank = 0;
        for (size_t k = 0; k < view_count; ++k) {
            const bp_box_double *intervals = views[k]->intervals.data;
            bp_box *boxes = views[k]->proxies.data;
            for (size_t i = 0; i < views[k]->count; ++i) {
                count += enter_coordinate(&list[count], intervals[i].min[axis], &boxes[i].min[axis]);
                count += enter_coordinate(&list[count], intervals[i].max[axis], &boxes[i].max[axis]);
            }
        }
        const coordinate *sorted = sort_coordinates(list, list + length, count, histogram);
        for (size_t i = 0; i < count; ++i) { // from 2^24 on ranks are rounded, which keeps their order
            rank += i > 0 && sorted[i].key != sorted[i - 1].key;
            *sorted[i].rank = (float)rank;
        }
        last_rank = rank > last_rank ? rank : last_rank;
    }
    for (size_t k = 0; k < view_count; ++k) {
        const bool plain = rule->shape == BP_SHAPE_BOXES && views[k]->traits.data == NULL;
        views[k]->exact = plain && last_rank <= EXACT_RANKS; // then proxies overlap only if the input boxes do
        bp_box *boxes = views[k]->proxies.data;
        for (size_t i = 0; i < views[k]->count && rule->dimensions == 2; ++i) {
            boxes[i] = bp_box_flatten(boxes[i], rule->dimensions);
        }
    }
    return BP_OK;
}
