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
#include "view/view_ranks.h"

#include "base/log.h"
#include "base/parallel.h"
#include "base/radix_sort.h"

#include <float.h>
#include <string.h>

enum {
    BLOCK_LEAST = 16384,
    BLOCKS_MAX = 256,
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    PASSES = 6,
    EXACT_RANKS = 1 << 24 // that a float can represent exactly
};

// Objects below 8 units in the last place count as small.
static const double SMALL = 0x1p-20;

// Up to this many small objects squared, per object, are acceptable as candidates.
static const double BEARABLE = 64.0;

// ---- the choice -----------------------------------------------------------------------------------------------------

typedef struct survey {
    const bp_view *view;
    bp_blocks blocks;
    double low[BLOCKS_MAX][3], high[BLOCKS_MAX][3]; // of the finite coordinates
    size_t small[BLOCKS_MAX];                       // number of small objects
} survey;

static void task_bounds(void *context, size_t block) {
    survey *s = context;
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
        small |= extent < SMALL * (period > 0.0 ? period : farther) && !isinf(farther);
    }
    return small;
}

static void task_small(void *context, size_t block) {
    survey *s = context;
    const bp_box_double *boxes = s->view->input.doubles;
    s->small[block] = 0;
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t i = bp_block_begin(s->blocks, block); i < end; ++i) {
        s->small[block] += is_small(s->view, &boxes[i]);
    }
}

static survey survey_of(const bp_view *view) {
    survey s = {.view = view};
    s.blocks = bp_blocks_cut(&view->runtime->executor, view->input.count, BLOCK_LEAST, BLOCKS_MAX);
    return s;
}

typedef struct bounds {
    double low[3], high[3]; // of all finite coordinates
} bounds;

static bounds bounds_of(bp_view *const *views, size_t view_count) {
    bounds all = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < view_count; ++i) {
        survey s = survey_of(views[i]);
        bp_parallel_for(&views[i]->runtime->executor, s.blocks.count, task_bounds, &s);
        for (size_t block = 0; block < s.blocks.count; ++block) {
            for (int axis = 0; axis < 3; ++axis) {
                all.low[axis] = s.low[block][axis] < all.low[axis] ? s.low[block][axis] : all.low[axis];
                all.high[axis] = s.high[block][axis] > all.high[axis] ? s.high[block][axis] : all.high[axis];
            }
        }
    }
    return all;
}

// The middle of all finite coordinates; 0 where there are none, and where absolute positions matter.
static double origin_of(const bounds *b, const bp_view *view, uint32_t axis) {
    const bool fixed = bp_period_of(view->rule, axis) > 0.0 || view->keeps_origin;
    return fixed || !(b->low[axis] <= b->high[axis]) ? 0.0 : 0.5 * b->low[axis] + 0.5 * b->high[axis];
}

// Whether the boxes only have to become floats, and can.
static bool is_only_rounded(const bounds *b, const bp_overlap_rule *rule) {
    bool only = rule->shape == BP_SHAPE_BOXES && rule->margin == 0.0f;
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const bool empty = !(b->low[axis] <= b->high[axis]);
        only &= bp_period_of(rule, axis) == 0.0 && (empty || b->high[axis] - b->low[axis] < (double)FLT_MAX);
    }
    return only;
}

static double count_small(bp_view *const *views, size_t view_count) {
    size_t sum = 0;
    for (size_t i = 0; i < view_count; ++i) {
        survey s = survey_of(views[i]);
        bp_parallel_for(&views[i]->runtime->executor, s.blocks.count, task_small, &s);
        for (size_t block = 0; block < s.blocks.count; ++block) {
            sum += s.small[block];
        }
    }
    return (double)sum;
}

void bp_view_choose_map(bp_view *const *views, size_t view_count) {
    const bp_overlap_rule *rule = views[0]->rule;
    const bounds b = bounds_of(views, view_count);
    size_t total = 0;
    for (size_t i = 0; i < view_count; ++i) {
        for (uint32_t axis = 0; axis < 3; ++axis) {
            views[i]->origin[axis] = origin_of(&b, views[i], axis);
        }
        total += views[i]->input.count;
    }
    const double small = count_small(views, view_count);
    for (size_t i = 0; i < view_count; ++i) {
        views[i]->ranked = views[i]->wants_ranks || small * small > BEARABLE * (double)total;
        views[i]->rounded = !views[i]->ranked && is_only_rounded(&b, rule);
    }
}

// ---- sorting --------------------------------------------------------------------------------------------------------

// A coordinate: its bits, changed so that they sort like its value, and where its rank goes.
typedef struct coordinate {
    uint64_t key;
    float *rank;
} coordinate;

static uint64_t key_of_coordinate(double value) {
    const double positive_zero = value + 0.0; // -0.0 and 0.0 are equal
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    const uint64_t sign = (uint64_t)1 << 63;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

static void count_digits(const coordinate *list, size_t count, size_t histogram[PASSES][DIGITS]) {
    memset(histogram, 0, PASSES * sizeof histogram[0]);
    for (size_t i = 0; i < count; ++i) {
        for (int pass = 0; pass < PASSES; ++pass) {
            ++histogram[pass][list[i].key >> (pass * DIGIT_BITS) & (DIGITS - 1)];
        }
    }
}

static void sort_by_digit(const coordinate *from, coordinate *to, size_t count, int pass, size_t position[DIGITS]) {
    (void)bp_counts_to_positions(position, DIGITS);
    for (size_t i = 0; i < count; ++i) {
        to[position[from[i].key >> (pass * DIGIT_BITS) & (DIGITS - 1)]++] = from[i];
    }
}

// Sorts by key, ascending, least significant digit first; digits that are all equal are skipped. The result is in one
// of the two lists.
static const coordinate *sort_coordinates(coordinate *list, coordinate *spare, size_t count,
                                          size_t histogram[PASSES][DIGITS]) {
    count_digits(list, count, histogram);
    coordinate *from = list, *to = spare;
    for (int pass = 0; pass < PASSES && count > 0; ++pass) {
        if (histogram[pass][from[0].key >> (pass * DIGIT_BITS) & (DIGITS - 1)] < count) {
            sort_by_digit(from, to, count, pass, histogram[pass]);
            coordinate *swapped = from;
            from = to;
            to = swapped;
        }
    }
    return from;
}

// ---- ranks ----------------------------------------------------------------------------------------------------------

// Adds a coordinate to the list of those to rank; infinities and NaNs are copied.
static size_t enter_coordinate(coordinate *list, double value, float *rank) {
    const bool finite = isfinite(value);
    *rank = finite ? 0.0f : (float)value;
    *list = (coordinate){.key = key_of_coordinate(value), .rank = rank};
    return finite;
}

static size_t enter_axis(const bp_view *view, uint32_t axis, coordinate *list) {
    const bp_box_double *intervals = view->intervals.data;
    bp_box *boxes = view->proxies.data;
    size_t count = 0;
    for (size_t i = 0; i < view->count; ++i) {
        count += enter_coordinate(&list[count], intervals[i].min[axis], &boxes[i].min[axis]);
        count += enter_coordinate(&list[count], intervals[i].max[axis], &boxes[i].max[axis]);
    }
    return count;
}

// From 2^24 on ranks are rounded, which keeps their order. Returns the last rank.
static size_t write_ranks(const coordinate *sorted, size_t count) {
    size_t rank = 0;
    for (size_t i = 0; i < count; ++i) {
        rank += i > 0 && sorted[i].key != sorted[i - 1].key;
        *sorted[i].rank = (float)rank;
    }
    return rank;
}

// The memory for sorting: two lists of all coordinates, from one to the other and back.
typedef struct sorting {
    size_t (*histogram)[DIGITS];
    coordinate *list, *spare;
} sorting;

static bool reserve_sorting(bp_view *view, size_t box_count, sorting *s) {
    const size_t histograms = PASSES * sizeof *s->histogram / sizeof(coordinate);
    const size_t length = bp_size_multiply(box_count, 2);
    const size_t needed = length < SIZE_MAX / 4 ? histograms + 2 * length : SIZE_MAX;
    if (!bp_buffer_reserve_slack(&view->lists, &view->runtime->allocator, 0, needed, sizeof(coordinate))) {
        return false;
    }
    s->histogram = view->lists.data;
    s->list = (coordinate *)view->lists.data + histograms;
    s->spare = s->list + length;
    return true;
}

// Returns the last rank.
static size_t rank_axis(bp_view *const *views, size_t view_count, uint32_t axis, const sorting *s) {
    size_t count = 0;
    for (size_t i = 0; i < view_count; ++i) {
        count += enter_axis(views[i], axis, s->list + count);
    }
    return write_ranks(sort_coordinates(s->list, s->spare, count, s->histogram), count);
}

static void flatten_proxies(const bp_view *view) {
    bp_box *boxes = view->proxies.data;
    for (size_t i = 0; i < view->count; ++i) {
        boxes[i].min[2] = 0.0f;
        boxes[i].max[2] = 0.0f;
    }
}

static void finish_ranked(bp_view *view, size_t last_rank) {
    const bp_overlap_rule *rule = view->rule;
    const bool plain = rule->shape == BP_SHAPE_BOXES && view->marks.data == NULL;
    view->exact = plain && last_rank <= EXACT_RANKS; // then proxies overlap only if the input boxes do
    if (rule->dimensions == 2) {
        flatten_proxies(view);
    }
}

bp_status bp_view_rank(bp_view *const *views, size_t view_count) {
    sorting s;
    size_t total = 0, last_rank = 0;
    for (size_t i = 0; i < view_count; ++i) {
        total += views[i]->count;
    }
    if (!reserve_sorting(views[0], total, &s)) {
        return BP_ERROR_MEMORY;
    }
    for (uint32_t axis = 0; axis < views[0]->rule->dimensions; ++axis) {
        const size_t last = rank_axis(views, view_count, axis, &s);
        last_rank = last > last_rank ? last : last_rank;
    }
    for (size_t i = 0; i < view_count; ++i) {
        finish_ranked(views[i], last_rank);
    }
    return BP_OK;
}
