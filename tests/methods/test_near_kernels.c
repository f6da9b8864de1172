// The loops that search for neighbours: each instruction set against plain loops.
#include "support/support.h"

#include "kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 300, ROOM = POINTS + BP_COLUMN_PADDING, SEED = 47 };

typedef void (*kernel_check)(const bp_kernels *kernels, const char *name);

static void for_every_set(kernel_check check) {
    for (int simd = BP_SIMD_SCALAR; simd <= BP_SIMD_WASM; ++simd) {
        if (has_simd((bp_simd)simd)) {
            const bp_kernels *kernels = NULL;
            const bp_log none = {0};
            assert_int_equal(bp_kernels_choose((bp_simd)simd, &none, &kernels), BP_OK);
            check(kernels, simd_text((bp_simd)simd));
        }
    }
}

typedef struct table {
    float values[3][ROOM];
    uint32_t ids[ROOM];
    bp_point_columns columns;
} table;

static void clear_table(table *t) {
    memset(t->values, 0, sizeof t->values);
    memset(t->ids, 0, sizeof t->ids);
    t->columns = (bp_point_columns){.at = {t->values[0], t->values[1], t->values[2]}, .id = t->ids};
}

// Ids beyond 2^31, where a signed comparison would go wrong.
static void fill_table(table *t, rng *random) {
    clear_table(t);
    for (size_t i = 0; i < POINTS; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            t->values[axis][i] = random_between(random, 0, 2);
        }
        t->ids[i] = (uint32_t)i * 14316557u;
    }
}

// ---- sorting --------------------------------------------------------------------------------------------------------

static int compare_ids(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void check_row_lengths(const bp_kernels *kernels, const char *name, const uint32_t *lengths, rng *random) {
    enum { WIDTH = BP_SORTED_IDS + 2 };
    static uint32_t from[BP_SORTED_ROWS][WIDTH], to[BP_SORTED_ROWS][WIDTH], expected[BP_SORTED_IDS];
    bp_row_sort job;
    for (size_t r = 0; r < BP_SORTED_ROWS; ++r) {
        for (size_t i = 0; i < WIDTH; ++i) {
            from[r][i] = (uint32_t)rng_next(random);
            to[r][i] = 77;
        }
        job.from[r] = from[r];
        job.to[r] = r % 3 == 0 ? from[r] + 0 : to[r]; // some in their place
        job.counts[r] = lengths[r];
    }
    static uint32_t before[BP_SORTED_ROWS][WIDTH];
    memcpy(before, from, sizeof from);
    kernels->sort_rows(&job);
    for (size_t r = 0; r < BP_SORTED_ROWS; ++r) {
        memcpy(expected, before[r], sizeof expected);
        qsort(expected, lengths[r], sizeof *expected, compare_ids);
        if (memcmp(job.to[r], expected, lengths[r] * sizeof *expected) != 0) {
            fail_msg("%s: a row of %u ids is not sorted", name, lengths[r]);
        }
        for (size_t i = lengths[r]; i < WIDTH; ++i) { // nothing behind the row is touched
            assert_int_equal(job.to[r][i], r % 3 == 0 ? before[r][i] : 77);
        }
    }
}

static void check_sorting(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    uint32_t lengths[BP_SORTED_ROWS];
    for (uint32_t most = 0; most <= BP_SORTED_IDS; ++most) {
        for (int round = 0; round < 8; ++round) {
            for (size_t r = 0; r < BP_SORTED_ROWS; ++r) {
                lengths[r] = rng_below(&random, most + 1);
            }
            lengths[rng_below(&random, BP_SORTED_ROWS)] = most;
            check_row_lengths(kernels, name, lengths, &random);
        }
    }
}

static void sorts_eight_rows_like_qsort(void **state) {
    (void)state;
    for_every_set(check_sorting);
}

// ---- tubes ----------------------------------------------------------------------------------------------------------

enum { CELLS = 12, ROWS = 3, ALL_CELLS = ROWS * CELLS };

// Cells of all rows share the table: some empty, some with many points.
static void cut_cells(uint32_t cells[ALL_CELLS + 1], rng *random) {
    for (size_t i = 0; i <= ALL_CELLS; ++i) {
        cells[i] = i == ALL_CELLS ? POINTS : rng_below(random, POINTS + 1);
    }
    qsort(cells, ALL_CELLS + 1, sizeof *cells, compare_ids);
}

static void expect_point(const table *tube, size_t place, const table *from, size_t at, const float shift[3],
                         uint32_t id_offset) {
    assert_int_equal(tube->ids[place], (uint32_t)(from->ids[at] + id_offset));
    for (int axis = 0; axis < 3; ++axis) {
        assert_true(tube->values[axis][place] == from->values[axis][at] + shift[axis]);
    }
}

static void check_tubes(const bp_kernels *kernels, const char *name) {
    static table from, tube;
    rng random = rng_seeded(SEED);
    (void)name;
    for (int round = 0; round < 50; ++round) {
        uint32_t cells[ALL_CELLS + 1], starts[CELLS];
        bp_tube_row rows[ROWS];
        fill_table(&from, &random);
        clear_table(&tube);
        cut_cells(cells, &random);
        for (size_t r = 0; r < ROWS; ++r) {
            rows[r] = (bp_tube_row){
                .cells = cells + r * CELLS, .shift = {(float)r, -2.0f * (float)r}, .id_offset = (uint32_t)(3 - 3 * r)};
        }
        const bp_tube_job job = {.from = from.columns,
                                 .to = tube.columns,
                                 .rows = rows,
                                 .row_count = ROWS,
                                 .first = 2,
                                 .last = CELLS,
                                 .shift = 5.0f,
                                 .id_offset = 9,
                                 .starts = starts};
        const size_t end = kernels->fill_tube(&job);
        size_t place = 0;
        for (size_t cell = 2; cell < CELLS; ++cell) {
            assert_int_equal(starts[cell - 2], place);
            for (size_t r = 0; r < ROWS; ++r) {
                const float shift[] = {5.0f, (float)r, -2.0f * (float)r};
                for (size_t at = rows[r].cells[cell]; at < rows[r].cells[cell + 1]; ++at) {
                    expect_point(&tube, place++, &from, at, shift, 9 + rows[r].id_offset);
                }
            }
        }
        assert_int_equal(end, place);
    }
}

static void a_tube_has_the_points_cell_by_cell(void **state) {
    (void)state;
    for_every_set(check_tubes);
}

// ---- near points ----------------------------------------------------------------------------------------------------

static bool is_wanted(bp_near_wanted wanted, uint32_t id, uint32_t other) {
    return wanted == BP_NEAR_ALL || (wanted == BP_NEAR_OTHERS && id != other) ||
           (wanted == BP_NEAR_LARGER && other > id);
}

// Squares that are close to the limits may be taken for either, but only for these two.
static void check_point(const bp_near_job *job, size_t point, const uint32_t *found, size_t found_count,
                        const bp_pair *doubtful, size_t doubtful_count, const char *name) {
    const uint32_t id = job->points.id[point];
    size_t sure = 0, open = 0;
    for (size_t at = job->first; at < job->last; ++at) {
        const uint32_t other = job->tube.id[at];
        double square = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            const double d = (double)job->tube.at[axis][at] - (double)job->points.at[axis][point];
            square += d * d;
        }
        const bool listed = sure < found_count && found[sure] == other;
        const bool in_doubt = open < doubtful_count && doubtful[open].a == id && doubtful[open].b == other;
        const double slack = 1e-5;
        if (!is_wanted(job->wanted, id, other)) {
            assert_false(listed || in_doubt);
        } else if ((listed && square > (double)job->sure + slack) ||
                   (in_doubt && (square < (double)job->sure - slack || square > (double)job->possible + slack)) ||
                   (!listed && !in_doubt && square < (double)job->possible - slack)) {
            fail_msg("%s: point %zu and %zu of the tube, square %.9g", name, point, at, square);
        }
        sure += listed;
        open += in_doubt;
    }
    assert_int_equal(sure, found_count);
}

static void check_near_job(const bp_near_job *job, const bp_kernels *kernels, const char *name) {
    size_t doubtful_count = 0, begin = 0, open = 0;
    const size_t count = kernels->find_near(job, &doubtful_count);
    for (size_t point = job->begin; point < job->end; ++point) {
        const uint32_t id = job->points.id[point], row = job->counts[point];
        size_t of_point = 0;
        while (open + of_point < doubtful_count && job->doubtful[open + of_point].a == id) {
            ++of_point;
        }
        check_point(job, point, job->out + begin, row, job->doubtful + open, of_point, name);
        begin += row;
        open += of_point;
    }
    assert_int_equal(begin, count);
    assert_int_equal(open, doubtful_count);
}

static void check_near(const bp_kernels *kernels, const char *name) {
    static table points, tube;
    static uint32_t out[(ROOM + BP_COLUMN_PADDING) * POINTS], counts[POINTS];
    static bp_pair doubtful[(ROOM + BP_COLUMN_PADDING) * POINTS];
    rng random = rng_seeded(SEED);
    for (int round = 0; round < 60; ++round) {
        fill_table(&points, &random);
        fill_table(&tube, &random);
        for (size_t i = 0; i < POINTS; ++i) {
            points.ids[i] = (uint32_t)i;
            tube.ids[i] = (uint32_t)(POINTS - 1 - i);
        }
        for (size_t i = POINTS; i < ROOM; ++i) {
            tube.values[0][i] = INFINITY;
        }
        const float band = round % 3 == 0 ? 0.2f : 1e-4f;
        const size_t first = rng_below(&random, POINTS);
        const bp_near_job job = {.points = points.columns,
                                 .tube = tube.columns,
                                 .begin = 10,
                                 .end = 40,
                                 .first = round < 5 ? POINTS : first, // or nothing
                                 .last = POINTS,                      // what lies behind is the padding
                                 .sure = 1.0f - band,
                                 .possible = 1.0f + band,
                                 .wanted = (bp_near_wanted)(round % 3),
                                 .out = out,
                                 .counts = counts,
                                 .doubtful = doubtful};
        check_near_job(&job, kernels, name);
    }
}

static void finds_what_is_near_and_says_what_is_doubtful(void **state) {
    (void)state;
    for_every_set(check_near);
}

// ---- measures -------------------------------------------------------------------------------------------------------

static double measured_points[3 * POINTS];

// Room for the longest row, and a guard behind it.
typedef struct measures {
    double distances[POINTS + 1], vectors[3 * POINTS + 1];
    int32_t shifts[3 * POINTS + 1];
} measures;

static void check_measures(const bp_kernels *kernels, const char *name) {
    static measures found, expected;
    uint32_t of[POINTS], codes[POINTS];
    double moves[7][4] = {{0}};
    int32_t steps[7][4] = {{0}};
    rng random = rng_seeded(SEED);
    for (size_t i = 0; i < 3 * POINTS; ++i) {
        measured_points[i] = rng_between(&random, -3, 3);
    }
    for (size_t i = 0; i < 21; ++i) {
        moves[i / 3][i % 3] = rng_between(&random, -1, 1);
        steps[i / 3][i % 3] = (int32_t)rng_below(&random, 9) - 4;
    }
    for (size_t count = 0; count < POINTS; ++count) {
        memset(&found, 7, sizeof found);
        memset(&expected, 7, sizeof expected);
        for (size_t i = 0; i < count; ++i) {
            of[i] = rng_below(&random, POINTS);
            codes[i] = rng_below(&random, 7);
        }
        bp_measure_job job = {.points = measured_points,
                              .from = {0.1, -0.2, 0.3},
                              .of = of,
                              .codes = codes,
                              .count = count,
                              .moves = (const double(*)[4])moves,
                              .steps = (const int32_t(*)[4])steps,
                              .distances = count % 5 == 1 ? NULL : found.distances,
                              .vectors = count % 5 == 2 ? NULL : found.vectors,
                              .shifts = count % 5 == 3 ? NULL : found.shifts};
        kernels->measure_near(&job);
        job.distances = job.distances == NULL ? NULL : expected.distances;
        job.vectors = job.vectors == NULL ? NULL : expected.vectors;
        job.shifts = job.shifts == NULL ? NULL : expected.shifts;
        bp_kernels_scalar.measure_near(&job);
        if (memcmp(&found, &expected, sizeof found) != 0) { // and what lies behind them is as it was
            fail_msg("%s: measures of %zu neighbours are not those of plain C", name, count);
        }
        for (size_t i = 0; i < count && count % 5 == 0; ++i) {
            double square = 0.0;
            for (size_t axis = 0; axis < 3; ++axis) {
                const double d = (measured_points[3 * of[i] + axis] - job.from[axis]) + moves[codes[i]][axis];
                assert_true(found.vectors[3 * i + axis] == d);
                assert_int_equal(found.shifts[3 * i + axis], steps[codes[i]][axis]);
                square += d * d;
            }
            assert_true(found.distances[i] == sqrt(square));
        }
    }
}

static void measures_are_the_same_with_every_set(void **state) {
    (void)state;
    for_every_set(check_measures);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_eight_rows_like_qsort),
        cmocka_unit_test(a_tube_has_the_points_cell_by_cell),
        cmocka_unit_test(finds_what_is_near_and_says_what_is_doubtful),
        cmocka_unit_test(measures_are_the_same_with_every_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
