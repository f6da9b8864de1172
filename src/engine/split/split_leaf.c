#include "engine/split/split_bins.h"
#include "engine/split/split_job.h"

enum { HALF = SPLIT_SWEEP_MAX }; // where b begins in the columns

static void put_record(const bp_columns *columns, size_t position, const bp_record *record) {
    for (int axis = 0; axis < 3; ++axis) {
        columns->min[axis][position] = record->min[axis];
        columns->max[axis][position] = -record->negated_max[axis];
    }
    columns->id[position] = record->id;
}

// ---- everything with everything -------------------------------------------------------------------------------------

// Copies some records of a set to a half of the columns, and returns their number.
static size_t load_half(const bp_columns *columns, size_t to, const bp_record_set *set, size_t begin) {
    const size_t count = set->count - begin < HALF ? set->count - begin : HALF;
    for (size_t i = 0; i < count; ++i) {
        put_record(columns, to + i, &set->data[begin + i]);
    }
    return count;
}

static void list(bp_range_tester *t, size_t object, size_t begin, size_t end) {
    bp_range_tester_reserve(t, 1);
    bp_range_tester_add(t, object, (uint32_t)begin, (uint32_t)end);
}

static void test_halves(bp_range_tester *t, size_t a_count, size_t b_count) {
    for (size_t i = 0; i < a_count; ++i) {
        list(t, i, HALF, HALF + b_count);
    }
    bp_range_tester_flush(t);
}

void bp_split_test_within(bp_range_tester *t, const bp_record_set *set) {
    for (size_t begin = 0; begin < set->count && !t->failed; begin += HALF) {
        const size_t count = load_half(t->objects, 0, set, begin);
        for (size_t i = 0; i + 1 < count; ++i) {
            list(t, i, i + 1, count);
        }
        bp_range_tester_flush(t);
        for (size_t other = begin + HALF; other < set->count && !t->failed; other += HALF) {
            test_halves(t, count, load_half(t->objects, HALF, set, other));
        }
    }
}

void bp_split_test_between(bp_range_tester *t, const bp_record_set *a, const bp_record_set *b) {
    for (size_t begin = 0; begin < a->count && !t->failed; begin += HALF) {
        const size_t count = load_half(t->objects, 0, a, begin);
        for (size_t other = 0; other < b->count && !t->failed; other += HALF) {
            test_halves(t, count, load_half(t->objects, HALF, b, other));
        }
    }
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

// Where the boxes of each bin begin; one entry more than there are bins.
typedef uint16_t bin_starts[SPLIT_BINS + 1];

// The bins of the min and of the max of each box, in the order of the columns.
typedef struct box_bins {
    uint16_t first[SPLIT_SWEEP_MAX], last[SPLIT_SWEEP_MAX];
} box_bins;

// One of the sets of a sweep: its boxes in columns, in the order of their bins.
typedef struct swept_set {
    size_t begin, count; // in the columns
    bin_starts starts;
    box_bins bins;
} swept_set;

// Sorts records into the columns by the bin of their min.
static void sort_into_bins(const bp_columns *columns, const bp_record_set *set, int axis, const split_bins *bins,
                           swept_set *swept) {
    uint16_t bin[SPLIT_SWEEP_MAX];
    memset(swept->starts, 0, (bins->count + 1) * sizeof *swept->starts);
    for (size_t i = 0; i < set->count; ++i) {
        bin[i] = (uint16_t)split_bin_of(bins, set->data[i].min[axis]);
        ++swept->starts[bin[i]];
    }
    uint32_t end = (uint32_t)swept->begin;
    for (size_t k = 0; k <= bins->count; ++k) {
        end += swept->starts[k];
        swept->starts[k] = (uint16_t)end;
    }
    for (size_t i = set->count; i-- > 0;) {
        // cppcheck-suppress uninitvar; the loop above has written it
        const size_t place = --swept->starts[bin[i]];
        swept->bins.first[place - swept->begin] = bin[i];
        swept->bins.last[place - swept->begin] = (uint16_t)split_bin_of(bins, -set->data[i].negated_max[axis]);
        put_record(columns, place, &set->data[i]);
    }
}

// The sets of a sweep, each with a place of its own in the columns: a and x in the first half, b and y in the second.
enum { SET_A, SET_B, SET_X, SET_Y, SETS };

// Bins of equal width; or, where those are too coarse, of floats.
static void choose_bins(const bp_record_set *const sets[SETS], int axis, bool of_floats, split_bins *bins) {
    uint16_t counts[SPLIT_COARSE_BINS] = {0};
    float low = INFINITY, high = -INFINITY;
    size_t most = 0;
    for (size_t i = 0; i < SETS; ++i) {
        low = sets[i]->low.min[axis] < low ? sets[i]->low.min[axis] : low;
        high = sets[i]->high.min[axis] > high ? sets[i]->high.min[axis] : high;
        most = sets[i]->count > most ? sets[i]->count : most;
    }
    uint32_t count = 64; // about two for each box
    while (count < SPLIT_BINS && count < 2 * most) {
        count *= 2;
    }
    if (!of_floats && split_bins_between(bins, low, high, count)) {
        return;
    }
    split_bins_of_floats(bins, low, high);
    for (size_t i = 0; i < SETS; ++i) {
        for (size_t k = 0; k < sets[i]->count; ++k) {
            ++counts[split_coarse_bin_of(bins, sets[i]->data[k].min[axis])];
        }
    }
    split_bins_refine(bins, counts);
}

// Lists the boxes of one set against those of another that begin in the same bin (or, if not `or_same`, in the next) or
// later, as far as they reach.
static void list_later(bp_range_tester *t, const swept_set *boxes, const swept_set *others, bool or_same) {
    for (size_t i = 0; others->count > 0 && i < boxes->count; ++i) {
        list(t, boxes->begin + i, others->starts[boxes->bins.first[i] + (or_same ? 0 : 1)],
             others->starts[boxes->bins.last[i] + 1]);
    }
}

void bp_split_sweep(bp_range_tester *t, const split_job *job, int axis, double share) {
    swept_set swept[SETS]; // not zeroed: they are large
    const swept_set *a = &swept[SET_A], *b = &swept[SET_B], *x = &swept[SET_X], *y = &swept[SET_Y];
    const bp_record_set *const sets[SETS] = {&job->a, &job->b, &job->x, &job->y};
    split_bins bins;
    choose_bins(sets, axis, false, &bins);
    swept[SET_A].begin = 0;
    swept[SET_B].begin = HALF;
    swept[SET_X].begin = job->a.count;
    swept[SET_Y].begin = HALF + job->b.count;
    for (size_t i = 0; i < SETS; ++i) {
        swept[i].count = sets[i]->count;
        if (swept[i].count > 0) {
            sort_into_bins(t->objects, sets[i], axis, &bins, &swept[i]);
        }
        // Whether the bins would make the sweep test many times as many pairs as it should: they are too coarse where the
        // boxes are.
        size_t tests = 0;
        for (size_t k = 0; i == SET_A && bins.of_equal_width && k < swept[i].count; ++k) {
            tests += swept[i].starts[swept[i].bins.last[k] + 1] - k;
        }
        if ((double)tests > (1.5 * share * (double)swept[i].count + 8.0) * (double)swept[i].count) {
            choose_bins(sets, axis, true, &bins);
            sort_into_bins(t->objects, sets[i], axis, &bins, &swept[i]);
        }
    }
    for (size_t i = 0; job->within && i < a->count; ++i) {
        list(t, i, i + 1, a->starts[a->bins.last[i] + 1]);
    }
    list_later(t, a, b, true);
    list_later(t, a, y, true);
    list_later(t, x, b, true);
    bp_range_tester_flush(t);
    const bp_pair_ids pair_ids = t->pair_ids;
    t->pair_ids = pair_ids == BP_IDS_BY_ROLE ? BP_IDS_BY_ROLE_SWAPPED : pair_ids;
    list_later(t, b, a, false);
    list_later(t, y, a, false);
    list_later(t, b, x, false);
    bp_range_tester_flush(t);
    t->pair_ids = pair_ids;
}
