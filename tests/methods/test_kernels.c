// The hot loops: the lane table entry by entry, each kernel against plain loops, and the sorting of pairs.
#include "support/support.h"

#include "base/boxes.h"
#include "base/pair_sort.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 96, LENGTH_MOST = 40, SEED = 31 };

// ---- helpers --------------------------------------------------------------------------------------------------------

// Columns with room after the last position, as the kernels may read (but not use) it.
typedef struct table {
    float values[6][POSITIONS + BP_COLUMN_PADDING];
    uint32_t ids[POSITIONS + BP_COLUMN_PADDING];
    bp_columns columns;
} table;

static void point_columns(table *t) {
    for (int axis = 0; axis < 3; ++axis) {
        t->columns.min[axis] = t->values[axis];
        t->columns.max[axis] = t->values[axis + 3];
    }
    t->columns.id = t->ids;
}

static void put(const table *t, size_t position, bp_box box, uint32_t id) {
    for (int axis = 0; axis < 3; ++axis) {
        t->columns.min[axis][position] = box.min[axis];
        t->columns.max[axis][position] = box.max[axis];
    }
    t->columns.id[position] = id;
}

static bp_box get(const table *t, size_t position) {
    bp_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = t->columns.min[axis][position];
        box.max[axis] = t->columns.max[axis][position];
    }
    return box;
}

// Half of the boxes overlap, some are infinite, some are NaN in one coordinate.
static bp_box random_column_box(rng *random) {
    bp_box box = random_cube(random, 3.0, 1.5);
    const uint32_t kind = rng_below(random, 12), axis = rng_below(random, 3);
    if (kind == 0) {
        box.min[axis] = -INFINITY;
    } else if (kind == 1) {
        box.max[axis] = INFINITY;
    } else if (kind == 2) {
        box.min[axis] = NAN;
    } else if (kind == 3) {
        box.max[axis] = NAN;
    } else if (kind == 4) {
        box.min[axis] = box.max[axis] = INFINITY;
    }
    return box;
}

static void fill(table *t, rng *random) {
    point_columns(t);
    for (size_t i = 0; i < POSITIONS + BP_COLUMN_PADDING; ++i) {
        // Ids beyond 2^31, where a signed comparison would go wrong. The padding overlaps everything.
        const bp_box everything = {.min = {-INFINITY, -INFINITY, -INFINITY}, .max = {INFINITY, INFINITY, INFINITY}};
        put(t, i, i < POSITIONS ? random_column_box(random) : everything, (uint32_t)rng_next(random));
    }
}

typedef void (*kernel_check)(const bp_kernels *kernels, const char *name);

static void for_every_set(kernel_check check) {
    for (int simd = BP_SIMD_SCALAR; simd <= BP_SIMD_WASM; ++simd) {
        if (has_simd((bp_simd)simd)) {
            const bp_log log = {0};
            const bp_kernels *kernels = NULL;
            assert_int_equal(bp_kernels_choose((bp_simd)simd, &log, &kernels), BP_OK);
            check(kernels, simd_text((bp_simd)simd));
        } else {
            print_message("skipped: %s: not on this machine\n", simd_text((bp_simd)simd));
        }
    }
}

// ---- the lane table -------------------------------------------------------------------------------------------------

static void the_lane_table_names_the_members_in_order(void **state) {
    (void)state;
    for (unsigned set = 0; set < 256; ++set) {
        uint64_t expected[2] = {0, 0};
        unsigned members = 0;
        for (uint64_t lane = 0; lane < 8; ++lane) {
            if ((set >> lane & 1) != 0) {
                expected[members / 4] |= (lane | lane << 8) << (16 * (members % 4));
                ++members;
            }
        }
        if (bp_lanes[set][0] != expected[0] || bp_lanes[set][1] != expected[1]) {
            fail_msg("the entry of set %u is {0x%llx, 0x%llx}", set, (unsigned long long)bp_lanes[set][0],
                     (unsigned long long)bp_lanes[set][1]);
        }
    }
}

// ---- ranges ---------------------------------------------------------------------------------------------------------

static size_t naive_test(const table *objects, const table *candidates, bp_range_test test, bool ordered,
                         bp_pair *out) {
    const bp_box a = get(objects, test.object);
    const uint32_t id = objects->ids[test.object];
    size_t count = 0;
    for (uint32_t at = test.begin; at < test.end; ++at) {
        const bp_box b = get(candidates, at);
        bool overlap = true;
        for (int axis = 0; axis < 3; ++axis) {
            overlap = overlap && a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis];
        }
        const uint32_t other = candidates->ids[at];
        if (overlap) {
            out[count++] = ordered && other < id ? (bp_pair){other, id} : (bp_pair){id, other};
        }
    }
    return count;
}

enum { ROOM_MOST = 8 * (LENGTH_MOST + BP_COLUMN_PADDING) };

typedef struct arena {
    table objects, candidates;
    bp_pair found[ROOM_MOST + 1], expected[ROOM_MOST];
} arena;

static const bp_pair SENTINEL = {0xdeadbeef, 0xcafef00d};

static void check_tests(arena *a, const bp_kernels *kernels, const char *name, const bp_range_test *tests, size_t count,
                        size_t room, size_t fitting, bool ordered) {
    const table *objects = ordered ? &a->candidates : &a->objects; // ordered: inside one set
    const bp_range_job job = {.objects = &objects->columns,
                              .candidates = &a->candidates.columns,
                              .tests = tests,
                              .test_count = count,
                              .out = a->found,
                              .room = room,
                              .pair_ids = ordered ? BP_IDS_ASCENDING : BP_IDS_BY_ROLE};
    a->found[room] = SENTINEL;
    size_t expected = 0, done = SIZE_MAX;
    for (size_t i = 0; i < fitting; ++i) {
        expected += naive_test(objects, &a->candidates, tests[i], ordered, a->expected + expected);
    }
    const size_t found = kernels->test_ranges(&job, &done);
    assert_int_equal(done, fitting);
    expect_same_bytes(a->found, found, a->expected, expected, "test_ranges %s: %zu tests, the first %u: %u .. %u", name,
                      count, tests[0].object, tests[0].begin, tests[0].end);
    assert_memory_equal(&a->found[room], &SENTINEL, sizeof SENTINEL);
}

static void check_ranges(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    arena *a = obtain(1, sizeof *a);
    for (int round = 0; round < 20; ++round) {
        fill(&a->objects, &random);
        fill(&a->candidates, &random);
        for (uint32_t length = 0; length <= LENGTH_MOST; ++length) {
            const uint32_t begin = rng_below(&random, POSITIONS - LENGTH_MOST + 1);
            const bp_range_test test = {.object = rng_below(&random, POSITIONS), .begin = begin, .end = begin + length};
            check_tests(a, kernels, name, &test, 1, length + BP_COLUMN_PADDING, 1, round % 2 == 0);
            check_tests(a, kernels, name, &test, 1, length + BP_COLUMN_PADDING - 1, 0, round % 2 == 0);
        }
    }
    free(a);
}

static void tests_ranges_like_a_plain_loop(void **state) {
    (void)state;
    for_every_set(check_ranges);
}

static void check_last_range(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    arena *a = obtain(1, sizeof *a);
    fill(&a->objects, &random);
    fill(&a->candidates, &random);
    for (uint32_t begin = POSITIONS - LENGTH_MOST; begin <= POSITIONS; ++begin) {
        const bp_range_test test = {.object = begin - 1, .begin = begin, .end = POSITIONS};
        check_tests(a, kernels, name, &test, 1, POSITIONS - begin + BP_COLUMN_PADDING, 1, true);
    }
    free(a);
}

static void never_reports_the_padding(void **state) {
    (void)state;
    for_every_set(check_last_range);
}

static void check_many_tests(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    arena *a = obtain(1, sizeof *a);
    fill(&a->objects, &random);
    fill(&a->candidates, &random);
    bp_range_test tests[8];
    for (uint32_t i = 0; i < 8; ++i) {
        tests[i] = (bp_range_test){.object = i, .begin = 3 * i, .end = 3 * i + LENGTH_MOST};
    }
    check_tests(a, kernels, name, tests, 8, ROOM_MOST, 8, false);
    // Room for all pairs of the first three and for what the fourth could need, less one.
    size_t used = 0;
    for (size_t i = 0; i < 3; ++i) {
        used += naive_test(&a->candidates, &a->candidates, tests[i], true, a->expected);
    }
    check_tests(a, kernels, name, tests, 8, used + LENGTH_MOST + BP_COLUMN_PADDING - 1, 3, true);
    free(a);
}

static void stops_where_the_next_test_does_not_fit(void **state) {
    (void)state;
    for_every_set(check_many_tests);
}

// ---- cell_keys, gather, measure: as the scalar ones ----------------------------------------------------------------

enum { KEYED = 3000 };

static const bp_level LEVELS[] = {
    {.fit = {1, 1, 1}, .inverse = {1, 1, 1}, .bits = {4, 4, 4}},
    {.fit = {1, 2, 4}, .inverse = {0.99, 0.49, 0.24}, .bits = {2, 5, 3}, .first_cell = 4096},
    {.fit = {1e-3f, 1e30f, 5}, .inverse = {999, 0.9e-30, 0.19}, .bits = {6, 0, 2}, .first_cell = 77},
    {.fit = {3e38f, 3e38f, 3e38f}, .inverse = {3e-39, 3e-39, 3e-39}, .bits = {0, 0, 0}},
};

static void check_keys_of(const bp_kernels *kernels, const char *name, const bp_level *level, uint32_t dimensions,
                          const bp_box *boxes) {
    uint32_t *keys = obtain(KEYED, sizeof *keys), *expected = obtain(KEYED, sizeof *expected);
    float reach[3] = {0.01f, 0, 0}, expected_reach[3] = {0.01f, 0, 0};
    const size_t fitting = bp_kernels_scalar.cell_keys(level, dimensions, boxes, KEYED, expected, expected_reach);
    assert_int_equal(kernels->cell_keys(level, dimensions, boxes, KEYED, keys, reach), fitting);
    for (size_t i = 0; i < KEYED; ++i) {
        if (keys[i] != expected[i]) {
            fail_msg("cell_keys %s: box %zu, seed=%d, %u-D: %u, not %u", name, i, SEED, dimensions, keys[i],
                     expected[i]);
        }
    }
    assert_memory_equal(reach, expected_reach, sizeof reach);
    free(keys);
    free(expected);
}

static void check_keys(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    bp_box *boxes = obtain(KEYED, sizeof *boxes);
    for (size_t i = 0; i < KEYED; ++i) {
        const bool hole = rng_below(&random, 20) == 0;
        boxes[i] = hole ? (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}} : random_wild_box(&random, boxes, i);
    }
    for (size_t i = 0; i < COUNT_OF(LEVELS); ++i) {
        check_keys_of(kernels, name, &LEVELS[i], 3, boxes);
        check_keys_of(kernels, name, &LEVELS[i], 2, boxes);
    }
    free(boxes);
}

static void gives_the_same_keys_as_plain_c(void **state) {
    (void)state;
    for_every_set(check_keys);
}

static void check_gather(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    bp_box boxes[POSITIONS];
    for (uint32_t i = 0; i < POSITIONS; ++i) {
        boxes[i] = random_column_box(&random);
    }
    for (size_t count = 0; count <= LENGTH_MOST; ++count) {
        const size_t begin = count % 9;
        table found;
        memset(&found, 0, sizeof found);
        point_columns(&found);
        for (size_t i = 0; i < count; ++i) {
            found.ids[begin + i] = rng_below(&random, POSITIONS);
        }
        table expected = found;
        point_columns(&expected);
        for (size_t i = begin; i < begin + count; ++i) {
            put(&expected, i, boxes[found.ids[i]], found.ids[i]);
        }
        kernels->gather(&found.columns, begin, begin + count, boxes);
        if (memcmp(found.values, expected.values, sizeof found.values) != 0) {
            fail_msg("gather %s: %zu boxes from position %zu on", name, count, begin);
        }
    }
}

static void gathers_boxes_by_their_ids(void **state) {
    (void)state;
    for_every_set(check_gather);
}

static void check_measure(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    bp_level level = LEVELS[1];
    table *t = obtain(1, sizeof *t);
    bp_measures *found = obtain(1, sizeof *found), *expected = obtain(1, sizeof *expected);
    point_columns(t);
    level.reach[0] = 0.9f;
    for (uint32_t i = 0; i < POSITIONS; ++i) {
        put(t, i, random_cube(&random, 1000.0, 0.9), i);
    }
    for (size_t count = 0; count <= LENGTH_MOST; ++count) {
        kernels->measure(&t->columns, count % 7, count, &level, found);
        bp_kernels_scalar.measure(&t->columns, count % 7, count, &level, expected);
        for (size_t i = 0; i < count; ++i) {
            const bool same = found->low[i] == expected->low[i] && found->high[i] == expected->high[i];
            if (!same || found->crossed[i] != expected->crossed[i]) {
                fail_msg("measure %s: box %zu of %zu", name, i, count);
            }
        }
    }
    free(t);
    free(found);
    free(expected);
}

static void measures_like_plain_c(void **state) {
    (void)state;
    for_every_set(check_measure);
}

// ---- sorting --------------------------------------------------------------------------------------------------------

static int compare_pairs(const void *left, const void *right) {
    const bp_pair *a = left, *b = right;
    if (a->a != b->a) {
        return a->a < b->a ? -1 : 1;
    }
    return (a->b > b->b) - (a->b < b->b);
}

static void run_backwards(void *context, bp_task task, void *task_context, size_t count) {
    (void)context;
    for (size_t i = count; i > 0; --i) {
        task(task_context, i - 1);
    }
}

// In place and elsewhere, with one worker and with tasks in another order.
static void expect_sorted(const bp_pair *pairs, const bp_pair *expected, size_t count, uint32_t id_count) {
    const bp_executor executors[] = {{.workers = 1}, {.run = run_backwards, .workers = 7}};
    bp_pair *to = obtain(count, sizeof *to);
    for (size_t i = 0; i < COUNT_OF(executors); ++i) {
        const bp_runtime runtime = {.allocator = bp_allocator_default(), .executor = executors[i]};
        bp_buffer scratch = {0};
        assert_true(bp_sort_pairs(pairs, to, count, id_count, &scratch, &runtime));
        expect_same_bytes(to, count, expected, count, "sorting %zu pairs of %u ids", count, id_count);
        memcpy(to, pairs, count * sizeof *pairs);
        assert_true(bp_sort_pairs(to, to, count, id_count, &scratch, &runtime));
        expect_same_bytes(to, count, expected, count, "sorting %zu pairs of %u ids in place", count, id_count);
        bp_buffer_free(&scratch, &runtime.allocator);
    }
    free(to);
}

// `one_a`: all pairs have the same first id.
static void check_sort(size_t count, uint32_t id_count, bool one_a) {
    rng random = rng_seeded(SEED + count);
    bp_pair *pairs = obtain(count, sizeof *pairs), *expected = obtain(count, sizeof *expected);
    for (size_t i = 0; i < count; ++i) {
        pairs[i] = (bp_pair){one_a ? id_count / 2 : rng_below(&random, id_count), rng_below(&random, id_count)};
    }
    memcpy(expected, pairs, count * sizeof *pairs);
    qsort(expected, count, sizeof *expected, compare_pairs);
    expect_sorted(pairs, expected, count, id_count);
    free(pairs);
    free(expected);
}

static void sorts_pairs_like_qsort(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 24, 25, 31, 1000, 32768, 32769, 70000};
    static const uint32_t id_counts[] = {1, 2, 2047, 2048, 2049, 4096, 4097, 1u << 22, (1u << 22) + 1, UINT32_MAX - 1};
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        for (size_t j = 0; j < COUNT_OF(id_counts); ++j) {
            check_sort(counts[i], id_counts[j], false);
            check_sort(counts[i], id_counts[j], true);
        }
    }
}

// ---- records --------------------------------------------------------------------------------------------------------

enum { RECORDS = 300 };

static void fill_records(bp_record *records, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        bp_box box = random_cube(random, 3.0, 1.5);
        const uint32_t kind = rng_below(random, 8), axis = rng_below(random, 3);
        box.min[axis] = kind == 0 ? -INFINITY : kind == 1 ? 1.0f : box.min[axis];
        box.max[axis] = kind == 2 ? INFINITY : bp_larger(box.max[axis], box.min[axis]);
        records[i] = (bp_record){.id = (uint32_t)rng_next(random)};
        for (int k = 0; k < 3; ++k) {
            records[i].min[k] = box.min[k];
            records[i].negated_max[k] = -box.max[k];
        }
    }
}

static void expect_bounds(const bp_record_set *set) {
    bp_record_set expected = bp_record_set_empty(set->data);
    for (size_t i = 0; i < set->count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            expected.low.min[axis] = bp_smaller(expected.low.min[axis], set->data[i].min[axis]);
            expected.high.min[axis] = bp_larger(expected.high.min[axis], set->data[i].min[axis]);
            expected.low.negated_max[axis] = bp_smaller(expected.low.negated_max[axis], set->data[i].negated_max[axis]);
            expected.high.negated_max[axis] =
                bp_larger(expected.high.negated_max[axis], set->data[i].negated_max[axis]);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        assert_true(expected.low.min[axis] == set->low.min[axis]);
        assert_true(expected.high.min[axis] == set->high.min[axis]);
        assert_true(expected.low.negated_max[axis] == set->low.negated_max[axis]);
        assert_true(expected.high.negated_max[axis] == set->high.negated_max[axis]);
    }
}

// Each record is in the part where it belongs, and none is lost; all sets part alike, byte by byte.
static void check_parting(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    for (size_t count = 0; count < RECORDS; count += count < 20 ? 1 : 37) {
        for (int axis = 0; axis < 3; ++axis) {
            bp_record records[RECORDS], same[RECORDS], scratch[RECORDS];
            bp_record_set parts[3], plain[3];
            fill_records(records, count, &random);
            memcpy(same, records, sizeof same);
            const float plane = axis == 2 ? 1.0f : (float)(3.0 * rng_unit(&random));
            kernels->partition_records(records, count, axis, plane, scratch, parts);
            bp_kernels_scalar.partition_records(same, count, axis, plane, scratch, plain);
            assert_int_equal(parts[0].count + parts[1].count + parts[2].count, count);
            if (memcmp(records, same, count * sizeof *same) != 0) {
                fail_msg("%s: %zu records are parted differently", name, count);
            }
            for (size_t part = 0; part < 3; ++part) {
                assert_int_equal(parts[part].count, plain[part].count);
                expect_bounds(&parts[part]);
                for (size_t i = 0; i < parts[part].count; ++i) {
                    const bool before = -parts[part].data[i].negated_max[axis] < plane;
                    const bool behind = parts[part].data[i].min[axis] >= plane;
                    assert_int_equal(part, before ? 0 : behind ? 2 : 1);
                }
            }
        }
    }
}

static void parts_records_like_plain_c(void **state) {
    (void)state;
    for_every_set(check_parting);
}

static void check_selecting(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    for (size_t count = 0; count < RECORDS; count += count < 20 ? 1 : 37) {
        bp_record records[RECORDS], around[1], kept[RECORDS + 1];
        fill_records(records, count, &random);
        fill_records(around, 1, &random);
        const bp_record limit = bp_record_mirror(&around[0]);
        bp_record_set copy = bp_record_set_empty(kept), in_place = bp_record_set_empty(records);
        size_t expected = 0;
        for (size_t i = 0; i < count; ++i) {
            expected += bp_record_at_most(&records[i], &limit);
        }
        kernels->select_records(records, count, &limit, &copy);
        kernels->select_records(records, count, &limit, &in_place);
        if (copy.count != expected || memcmp(kept, records, expected * sizeof *kept) != 0) {
            fail_msg("%s: %zu of %zu records are kept, expected %zu", name, copy.count, count, expected);
        }
        assert_int_equal(in_place.count, expected);
        expect_bounds(&copy);
        expect_bounds(&in_place);
    }
}

static void selects_records_like_a_plain_loop(void **state) {
    (void)state;
    for_every_set(check_selecting);
}

static void check_sides(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    for (size_t count = 1; count < POSITIONS; ++count) {
        float min[POSITIONS + BP_COLUMN_PADDING], negated_max[POSITIONS + BP_COLUMN_PADDING];
        uint32_t before[POSITIONS], behind[POSITIONS];
        for (size_t i = 0; i < count + BP_COLUMN_PADDING; ++i) {
            min[i] = i < count ? (float)rng_below(&random, 20) : NAN;
            negated_max[i] = i < count ? -min[i] - (float)rng_below(&random, 3) : NAN;
        }
        kernels->count_sides(min, negated_max, count, min, count, before, behind);
        for (size_t p = 0; p < count; ++p) {
            uint32_t left = 0, right = 0;
            for (size_t i = 0; i < count; ++i) {
                left += -negated_max[i] < min[p];
                right += min[i] >= min[p];
            }
            if (before[p] != left || behind[p] != right) {
                fail_msg("%s: %u before and %u behind, expected %u and %u", name, (unsigned)before[p],
                         (unsigned)behind[p], (unsigned)left, (unsigned)right);
            }
        }
    }
}

static void counts_the_sides_of_planes(void **state) {
    (void)state;
    for_every_set(check_sides);
}

// ---- cutting a set --------------------------------------------------------------------------------------------------

enum { CUT_BOXES = 61 };

// Boxes as methods see them: valid, or holes.
static void fill_cut_boxes(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        const bp_box any = random_column_box(random);
        boxes[i] = random_cube(random, 6.0, rng_between(random, 0.0, 0.6));
        if (rng_below(random, 4) == 0) {
            boxes[i] = bp_box_is_valid(&any, 3) ? any : bp_box_hole();
        }
    }
}

static void check_cut_boxes(const bp_kernels *kernels, const char *name) {
    static const bp_box limits = {.min = {-1.0f, -1.0f, -1.0f}, .max = {1.0f, 1.5f, 1.0f}};
    rng random = rng_seeded(SEED);
    bp_box boxes[CUT_BOXES];
    for (size_t end = 0; end < CUT_BOXES; ++end) {
        fill_cut_boxes(boxes, CUT_BOXES, &random);
        const size_t begin = rng_below(&random, (uint32_t)end + 1);
        for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
            uint32_t own[CUT_BOXES + 8], expected[CUT_BOXES + 8];
            const size_t count = kernels->cut_boxes(boxes, begin, end, &limits, dimensions, own);
            if (count != bp_kernels_scalar.cut_boxes(boxes, begin, end, &limits, dimensions, expected) ||
                memcmp(own, expected, count * sizeof *own) != 0) {
                fail_msg("%s: other boxes than plain C for %zu to %zu, dimensions %u", name, begin, end,
                         (unsigned)dimensions);
            }
        }
    }
}

static void cuts_boxes_like_plain_c(void **state) {
    (void)state;
    for_every_set(check_cut_boxes);
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(the_lane_table_names_the_members_in_order),
        cmocka_unit_test(tests_ranges_like_a_plain_loop),
        cmocka_unit_test(never_reports_the_padding),
        cmocka_unit_test(stops_where_the_next_test_does_not_fit),
        cmocka_unit_test(gives_the_same_keys_as_plain_c),
        cmocka_unit_test(gathers_boxes_by_their_ids),
        cmocka_unit_test(measures_like_plain_c),
        cmocka_unit_test(sorts_pairs_like_qsort),
        cmocka_unit_test(parts_records_like_plain_c),
        cmocka_unit_test(selects_records_like_a_plain_loop),
        cmocka_unit_test(counts_the_sides_of_planes),
        cmocka_unit_test(cuts_boxes_like_plain_c),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
