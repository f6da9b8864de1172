#include "methods/split/split_leaf.h"

#include "methods/split/split_bins.h"

enum { HALF = SPLIT_SWEEP_MOST }; // where b begins in the columns

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

void split_test_within(bp_range_tester *t, const bp_record_set *set) {
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

void split_test_between(bp_range_tester *t, const bp_record_set *a, const bp_record_set *b) {
    for (size_t begin = 0; begin < a->count && !t->failed; begin += HALF) {
        const size_t count = load_half(t->objects, 0, a, begin);
        for (size_t other = 0; other < b->count && !t->failed; other += HALF) {
            test_halves(t, count, load_half(t->objects, HALF, b, other));
        }
    }
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

typedef struct sweep {
    const bp_columns *columns;
    split_bins bins;
    int axis;
} sweep;

// Where the boxes of each bin begin; one entry more than there are bins.
typedef uint16_t bin_starts[SPLIT_BINS + 1];

// Sorts records into the columns from `to` on, by the bin of their min.
static void sort_into_bins(const sweep *s, size_t to, const bp_record_set *set, bin_starts starts) {
    uint16_t bin[SPLIT_SWEEP_MOST];
    memset(starts, 0, sizeof(bin_starts));
    for (size_t i = 0; i < set->count; ++i) {
        bin[i] = (uint16_t)split_bin_of(&s->bins, set->data[i].min[s->axis]);
        ++starts[bin[i]];
    }
    uint32_t end = (uint32_t)to;
    for (size_t k = 0; k <= SPLIT_BINS; ++k) {
        end += starts[k];
        starts[k] = (uint16_t)end;
    }
    for (size_t i = set->count; i-- > 0;) {
        put_record(s->columns, --starts[bin[i]], &set->data[i]);
    }
}

static size_t bin_of_min(const sweep *s, size_t position) {
    return split_bin_of(&s->bins, s->columns->min[s->axis][position]);
}

static size_t bin_of_max(const sweep *s, size_t position) {
    return split_bin_of(&s->bins, s->columns->max[s->axis][position]);
}

// Whether the bins would make the sweep test many times as many pairs as it should: they are too coarse where the boxes
// are.
static bool are_too_coarse(const sweep *s, size_t count, const bin_starts starts, size_t expected) {
    size_t tests = 0;
    for (size_t i = 0; i < count; ++i) {
        tests += starts[bin_of_max(s, i) + 1] - i;
    }
    return tests > 4 * expected + 16 * count;
}

static split_bins choose_bins(const bp_record_set *a, const bp_record_set *b, int axis, bool of_floats) {
    float low = a->low.min[axis], high = a->high.min[axis];
    if (b->count > 0) {
        low = b->low.min[axis] < low ? b->low.min[axis] : low;
        high = b->high.min[axis] > high ? b->high.min[axis] : high;
    }
    return of_floats ? split_bins_of_floats(low, high) : split_bins_between(low, high);
}

void split_sweep(bp_range_tester *t, const bp_record_set *a, const bp_record_set *b, int axis, bool within,
                 double share) {
    sweep s = {.columns = t->objects, .axis = axis, .bins = choose_bins(a, b, axis, false)};
    bin_starts a_starts, b_starts;
    sort_into_bins(&s, 0, a, a_starts);
    if (s.bins.of_equal_width &&
        are_too_coarse(&s, a->count, a_starts, (size_t)(share * (double)a->count * (double)a->count))) {
        s.bins = choose_bins(a, b, axis, true);
        sort_into_bins(&s, 0, a, a_starts);
    }
    for (size_t i = 0; within && i < a->count; ++i) {
        list(t, i, i + 1, a_starts[bin_of_max(&s, i) + 1]);
    }
    if (b->count == 0) {
        bp_range_tester_flush(t);
        return;
    }
    sort_into_bins(&s, HALF, b, b_starts);
    for (size_t i = 0; i < a->count; ++i) { // those of b that begin in the same bin or later
        list(t, i, b_starts[bin_of_min(&s, i)], b_starts[bin_of_max(&s, i) + 1]);
    }
    bp_range_tester_flush(t);
    const bp_pair_names names = t->names;
    t->names = names == BP_NAMES_BY_ROLE ? BP_NAMES_BY_ROLE_SWAPPED : names;
    for (size_t i = HALF; i < HALF + b->count; ++i) { // those of a that begin in a later bin
        list(t, i, a_starts[bin_of_min(&s, i) + 1], a_starts[bin_of_max(&s, i) + 1]);
    }
    bp_range_tester_flush(t);
    t->names = names;
}
