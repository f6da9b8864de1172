// Boxes and points of 64 bits on the device against the CPU's calls for them: also where 32 bits cannot tell them apart.
#include "checks.h"

#include <math.h>

#if defined(BP_CUDA_ON_HOST)
enum { COUNT = 400 }; // kernels run on the host
#else
enum { COUNT = 3000 };
#endif

static double random_double(uint64_t *state, double low, double high) {
    return low + (high - low) * (double)(next_random(state) >> 11) * 0x1p-53;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

typedef struct box_set {
    const bp_box_double *data;
    size_t count;
} box_set;

// On the device. Without a second set: inside the first.
typedef struct box_search {
    bp_cuda_context *context;
    void *a, *b;
    size_t a_count, b_count;
    bool are_two; // an empty set has no memory on a device
} box_search;

static bp_status find(const box_search *s, bp_pair *pairs, uint64_t capacity, uint64_t *found) {
    return !s->are_two ? bp_cuda_find_pairs_double(s->context, s->a, s->a_count, NULL, pairs, capacity, found)
                       : bp_cuda_find_pairs_between_double(s->context, s->a, s->a_count, s->b, s->b_count, NULL, pairs,
                                                           capacity, found);
}

// With room for all, for all but one, and for none.
static void check_search(const box_search *s, const bp_pairs *expected, const char *what) {
    const size_t bytes = (expected->count + 1) * sizeof(bp_pair);
    bp_pair *pairs = calloc(1, bytes);
    void *room = bp_cuda_test_copy(pairs, bytes);
    uint64_t found = 0;
    bp_status status = find(s, room, expected->count + 1, &found);
    bp_cuda_test_back(pairs, room, bytes);
    bp_cuda_test_free(room);
    CHECK(status == BP_OK && found == expected->count, "%s: %s, %llu pairs instead of %zu", what,
          bp_status_text(status), (unsigned long long)found, expected->count);
    CHECK(found != expected->count || found == 0 || memcmp(pairs, expected->data, expected->count * sizeof *pairs) == 0,
          "%s: other pairs", what);
    status = find(s, NULL, 0, &found);
    CHECK(status == BP_OK && found == expected->count, "%s: counted %llu", what, (unsigned long long)found);
    if (expected->count > 1) {
        room = bp_cuda_test_copy(pairs, (expected->count - 1) * sizeof *pairs);
        status = find(s, room, expected->count - 1, &found);
        CHECK(status == BP_ERROR_CAPACITY && found == expected->count, "%s: a short buffer", what);
        bp_cuda_test_free(room);
    }
    free(pairs);
}

// Inside the first set, and between both. Returns how many pairs are inside.
static size_t check_sets(box_set a, box_set b, const bp_config *given, const char *what) {
    bp_config config = *given;
    config.pair_order = BP_ORDER_SORTED;
    bp_pairs inside = {0}, between = {0};
    box_search s = {.a_count = a.count, .b_count = b.count};
    CHECK(bp_find_pairs_double(a.data, a.count, &config, &inside) == BP_OK, "%s", what);
    CHECK(bp_find_pairs_between_double(a.data, a.count, b.data, b.count, &config, &between) == BP_OK, "%s", what);
    CHECK(bp_cuda_create(&config, &s.context) == BP_OK, "%s", what);
    s.a = bp_cuda_test_copy(a.data, a.count * sizeof *a.data);
    check_search(&s, &inside, what);
    s.b = bp_cuda_test_copy(b.data, b.count * sizeof *b.data);
    s.are_two = true;
    check_search(&s, &between, what);
    bp_cuda_test_free(s.a);
    bp_cuda_test_free(s.b);
    bp_cuda_destroy(s.context);
    const size_t count = inside.count;
    bp_pairs_free(&inside, &config);
    bp_pairs_free(&between, &config);
    return count;
}

static bp_box_double first[COUNT], second[COUNT / 2];
static const box_set both[2] = {{first, COUNT}, {second, COUNT / 2}};

static void fill_boxes(bp_box_double *boxes, size_t count, double from, double edge, double size, uint64_t seed) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = from + random_double(&seed, 0.0, edge);
            boxes[i].max[axis] = boxes[i].min[axis] + random_double(&seed, 0.0, size);
        }
    }
}

static void fill_both(double from, double edge, double size, uint64_t seed) {
    fill_boxes(first, COUNT, from, edge, size, seed);
    fill_boxes(second, COUNT / 2, from, edge, size, seed + 1);
}

// As boxes of 32 bits have them.
static size_t count_rounded(void) {
    static bp_box boxes[COUNT];
    bp_pairs pairs = {0};
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = (float)first[i].min[axis];
            boxes[i].max[axis] = (float)first[i].max[axis];
        }
    }
    CHECK(bp_find_pairs(boxes, COUNT, NULL, &pairs) == BP_OK, "rounded");
    const size_t count = pairs.count;
    bp_pairs_free(&pairs, NULL);
    return count;
}

static void check_open(void) {
    const bp_config config[2] = {{.dimensions = 3}, {.dimensions = 2}};
    for (size_t i = 0; i < 2; ++i) {
        fill_both(-3.0, 10.0, 2.0, 1 + i);
        CHECK(check_sets(both[0], both[1], &config[i], "near the origin") > 0, "no pairs");
        fill_both(1e7, 12.0, 0.5, 3 + i);
        const size_t found = check_sets(both[0], both[1], &config[i], "far from the origin");
        CHECK(i > 0 || (found > 0 && 2 * found < count_rounded()), "32 bits can tell these boxes apart");
        fill_both(-1e15, 20.0, 2.0, 5 + i);
        (void)check_sets(both[0], both[1], &config[i], "all in one float");
    }
    const box_set one = {first, 1}, none = {first, 0};
    (void)check_sets(one, both[1], &config[0], "one box");
    (void)check_sets(none, both[1], &config[0], "no box");
    (void)check_sets(both[0], none, &config[0], "against no box");
}

// In a row, each 1e-12 too long, just as long as the distance, or 1e-12 too short.
static void check_touching(void) {
    const bp_config open = {.dimensions = 3}, periodic = {.dimensions = 3, .period = {COUNT, 0, 0}};
    for (size_t i = 0; i < COUNT; ++i) {
        const double x = (double)i;
        first[i] = (bp_box_double){{x, 0.1, 0.1}, {x + 1.0 + 1e-12 * ((double)(i % 3) - 1.0), 0.2, 0.2}};
        second[i / 2] = (bp_box_double){{x + 1.0, 0.0, 0.2 + 1e-12 * (double)(i % 5 == 0)}, {x + 1.5, 1.0, 1.0}};
    }
    size_t touching = 0;
    for (size_t i = 0; i + 1 < COUNT; ++i) {
        touching += i % 3 != 0;
    }
    CHECK(check_sets(both[0], both[1], &open, "touching") == touching, "touching");
    (void)check_sets(both[0], both[1], &periodic, "touching across the period");
}

static void check_infinite(void) {
    const bp_config table[] = {{.dimensions = 3}, {.dimensions = 3, .period = {7, 0, 3}}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        fill_both(-3.0, 10.0, 2.0, 11);
        first[1] = (bp_box_double){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        first[5] = (bp_box_double){{-INFINITY, 1.0, 1.0}, {0.0, 2.0, 2.0}};
        first[9] = (bp_box_double){{1.0, 1.0, 1.0}, {INFINITY, 1.0, 3.0}};
        first[COUNT - 1] = (bp_box_double){{0.5, -1e300, 0.0}, {1.0, 1e300, 1.0}};
        first[COUNT - 2] = (bp_box_double){{1e300, -1.0, 1.0}, {1e300, 2.0, 2.0}};
        first[COUNT - 3] = (bp_box_double){{INFINITY, 0.0, 0.0}, {INFINITY, 9.0, 1.0}};
        first[COUNT - 4] = (bp_box_double){{-1e40, -1e-320, 1.0}, {-1e40, 1e-320, 1.0}};
        second[0] = (bp_box_double){{0.0, -INFINITY, -INFINITY}, {0.0, INFINITY, INFINITY}};
        second[3] = (bp_box_double){{1e300, -INFINITY, 0.0}, {1e300, INFINITY, 2.0}};
        (void)check_sets(both[0], both[1], &table[i], "infinite");
    }
}

static void check_periods(void) {
    const struct {
        float period[3];
        double from, edge, size;
        uint32_t dimensions;
    } table[] = {{{20, 20, 20}, -30.0, 60.0, 2.0, 3},    {{20, 0, 7}, -30.0, 60.0, 6.5, 3},
                 {{64, 64, 0}, 1e6, 100.0, 3.0, 2},      {{0.1f, 10, 10}, 1e5, 10.0, 0.1, 3},
                 {{1000, 10, 10}, -1e7, 1000.0, 3.0, 3}, {{3, 3, 3}, 1e12, 10.0, 1.0, 3}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        bp_config config = {.dimensions = table[i].dimensions};
        memcpy(config.period, table[i].period, sizeof config.period);
        fill_both(table[i].from, table[i].edge, table[i].size, 21 + i);
        const double period = (double)config.period[0];
        first[3].min[0] = 0.25; // rounded outwards, it would be longer than the period
        first[3].max[0] = 0.25 + period * (1.0 - 1e-12);
        second[3].min[0] = -period;
        second[3].max[0] = 0.0;
        first[4].min[0] = first[4].max[0] = 0x1p57;
        CHECK(check_sets(both[0], both[1], &config, "periodic") > 0, "periodic: no pairs in %zu", i);
    }
}

// Pairs of the same island: every third box.
static void check_filters(void) {
    static bp_object objects[COUNT];
    const bp_config config = {.pair_order = BP_ORDER_SORTED};
    bp_pairs expected = {0};
    box_search s = {.a_count = COUNT};
    fill_both(1e7, 12.0, 2.0, 31);
    for (size_t i = 0; i < COUNT; ++i) {
        objects[i].island = (uint32_t)(i % 3);
    }
    CHECK(bp_find_pairs_double(first, COUNT, &config, &expected) == BP_OK, "filters");
    size_t kept = 0;
    for (size_t i = 0; i < expected.count; ++i) {
        expected.data[kept] = expected.data[i];
        kept += expected.data[i].a % 3 == expected.data[i].b % 3;
    }
    expected.count = kept;
    CHECK(bp_cuda_create(&config, &s.context) == BP_OK, "filters");
    void *there = bp_cuda_test_copy(objects, sizeof objects);
    CHECK(bp_cuda_set_objects(s.context, there, NULL) == BP_OK, "filters");
    s.a = bp_cuda_test_copy(first, sizeof first);
    check_search(&s, &expected, "filters");
    bp_cuda_test_free(there);
    bp_cuda_test_free(s.a);
    bp_cuda_destroy(s.context);
    bp_pairs_free(&expected, &config);
}

static void check_wrong_box(bp_box_double wrong, const bp_config *given, const char *what) {
    char log[512] = "";
    bp_config config = *given;
    config.log = (bp_log){keep_log, log};
    box_search s = {.a_count = COUNT, .b_count = COUNT / 2, .are_two = true};
    uint64_t found = 0;
    fill_both(0.0, 10.0, 1.0, 41);
    CHECK(bp_cuda_create(&config, &s.context) == BP_OK, "%s", what);
    s.b = bp_cuda_test_copy(first, sizeof second);
    first[17] = wrong;
    first[COUNT - 1] = wrong;
    s.a = bp_cuda_test_copy(first, sizeof first);
    CHECK(find(&s, NULL, 0, &found) == BP_ERROR_BOX && strstr(log, "box 17 ") != NULL, "%s: %s", what, log);
    bp_cuda_test_free(s.a);
    s.a = s.b;
    s.b = bp_cuda_test_copy(first, sizeof second);
    s.a_count = COUNT / 2;
    char named[32];
    (void)snprintf(named, sizeof named, "box %d ", COUNT / 2 + 17); // the second set follows the first
    CHECK(find(&s, NULL, 0, &found) == BP_ERROR_BOX && strstr(log, named) != NULL, "%s: %s", what, log);
    s.a_count = 0;
    CHECK(find(&s, NULL, 0, &found) == BP_ERROR_BOX && strstr(log, "box 17 ") != NULL, "%s: beside an empty set", what);
    s.b_count = 0;
    CHECK(find(&s, NULL, 0, &found) == BP_OK && found == 0, "%s: both sets are empty", what);
    s.a_count = COUNT / 2;
    bp_cuda_test_free(s.b);
    s.are_two = false;
    CHECK(find(&s, NULL, 0, &found) == BP_OK, "%s: afterwards", what);
    bp_cuda_test_free(s.a);
    bp_cuda_destroy(s.context);
}

static void check_mistakes(void) {
    const bp_config open = {.dimensions = 3}, periodic = {.dimensions = 3, .period = {0, 5, 0}};
    check_wrong_box((bp_box_double){{0, NAN, 0}, {1, 1, 1}}, &open, "NaN");
    check_wrong_box((bp_box_double){{0, 0, 1.0}, {1, 1, 1.0 - 1e-12}}, &open, "min > max by 1e-12");
    check_wrong_box((bp_box_double){{0, 0, 0}, {1, 5.0 + 1e-12, 1}}, &periodic, "longer than the period by 1e-12");
    box_search s = {.a_count = COUNT};
    uint64_t found = 0;
    CHECK(bp_cuda_create(NULL, &s.context) == BP_OK, "mistakes");
    CHECK(find(&s, NULL, 0, &found) == BP_ERROR_ARGUMENT, "no boxes");
    s.a = bp_cuda_test_copy(first, sizeof first);
    CHECK(find(&s, NULL, 4, &found) == BP_ERROR_ARGUMENT, "no buffer");
    CHECK(find(&s, NULL, 0, NULL) == BP_ERROR_ARGUMENT, "no number");
    CHECK(bp_cuda_find_pairs_double(NULL, s.a, 1, NULL, NULL, 0, &found) == BP_ERROR_ARGUMENT, "no context");
    CHECK(bp_cuda_find_pairs_double(s.context, (const bp_box_double *)((char *)s.a + 4), 1, NULL, NULL, 0, &found) ==
              BP_ERROR_ARGUMENT,
          "not aligned");
    bp_cuda_test_free(s.a);
    bp_cuda_destroy(s.context);
}

// ---- neighbours -----------------------------------------------------------------------------------------------------

static double points[3 * COUNT];

static void fill_points(double from, double edge, uint64_t seed) {
    for (size_t i = 0; i < 3 * (size_t)COUNT; ++i) {
        points[i] = from + random_double(&seed, 0.0, edge);
    }
}

// With room for all, for none, and for all but one.
static void check_rows(size_t count, double radius, const bp_config *config, const char *what) {
    bp_neighbors expected = {0};
    bp_cuda_context *context = NULL;
    uint64_t found = 0;
    CHECK(bp_find_neighbors_double(points, count, radius, config, &expected) == BP_OK, "%s", what);
    const uint64_t total = expected.offsets[count];
    const size_t row_bytes = (count + 1) * sizeof(uint64_t), bytes = (total + 1) * sizeof(uint32_t);
    uint64_t *offsets = calloc(1, row_bytes);
    uint32_t *indices = calloc(1, bytes);
    CHECK(bp_cuda_create(config, &context) == BP_OK, "%s", what);
    void *there = bp_cuda_test_copy(points, sizeof points), *rows = bp_cuda_test_copy(offsets, row_bytes);
    void *room = bp_cuda_test_copy(indices, bytes);
    bp_status status = bp_cuda_find_neighbors_double(context, there, count, radius, NULL, rows, room, total, &found);
    bp_cuda_test_back(offsets, rows, row_bytes);
    bp_cuda_test_back(indices, room, bytes);
    CHECK(status == BP_OK && found == total, "%s, radius %g: %s, %llu instead of %llu", what, radius,
          bp_status_text(status), (unsigned long long)found, (unsigned long long)total);
    for (size_t i = 0; i <= count; ++i) {
        CHECK(offsets[i] == expected.offsets[i], "%s, radius %g: row %zu begins at %llu", what, radius, i,
              (unsigned long long)offsets[i]);
    }
    CHECK(total == 0 || memcmp(indices, expected.indices, total * sizeof *indices) == 0, "%s, radius %g: others", what,
          radius);
    status = bp_cuda_find_neighbors_double(context, there, count, radius, NULL, rows, NULL, 0, &found);
    CHECK(status == BP_OK && found == total, "%s: counted %llu", what, (unsigned long long)found);
    if (total > 0) {
        bp_cuda_test_free(room);
        room = bp_cuda_test_copy(indices, (total - 1) * sizeof *indices + 1);
        status = bp_cuda_find_neighbors_double(context, there, count, radius, NULL, rows, room, total - 1, &found);
        CHECK(status == BP_ERROR_CAPACITY && found == total, "%s: a short buffer", what);
    }
    bp_cuda_test_free(there);
    bp_cuda_test_free(rows);
    bp_cuda_test_free(room);
    bp_cuda_destroy(context);
    bp_neighbors_free(&expected, config);
    free(offsets);
    free(indices);
}

static void check_neighbors(void) {
    const bp_config table[] = {{.dimensions = 3},
                               {.dimensions = 2, .flags = BP_NEIGHBORS_HALF},
                               {.dimensions = 3, .period = {9, 9, 9}, .flags = BP_NEIGHBORS_HALF},
                               {.dimensions = 3, .period = {0, 2, 5}},
                               {.dimensions = 2, .period = {4, 0, 0}}};
    const double radii[] = {0.0, 0.3, 1.0, 2.4, 1e200};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        for (size_t k = 0; k<sizeof radii / sizeof radii[0]; k += quick()> 1 ? 2 : 1) {
            fill_points(-5.0, 10.0, i);
            memcpy(points + 3 * (COUNT / 2), points, 3 * sizeof *points); // two in the same place
            points[7] = 1e13;
            points[12] = -0x1p57;
            points[15] = 1e300;
            check_rows(k < 4 ? COUNT : COUNT / 8, radii[k], &table[i], "near the origin");
            fill_points(1e7, 10.0, i);
            check_rows(k < 4 ? COUNT : COUNT / 8, radii[k], &table[i], "far from the origin");
        }
        check_rows(0, 1.0, &table[i], "no points");
        check_rows(1, 1.0, &table[i], "one point");
    }
}

// Points of a lattice, just as far apart as the radius, or 1e-12 more or less.
static void check_touching_points(void) {
    const bp_config open = {.dimensions = 3}, periodic = {.dimensions = 3, .period = {0.7f, 0.7f, 0}};
    for (size_t i = 0; i < COUNT; ++i) {
        points[3 * i] = 0.1 * (double)(i % 7);
        points[3 * i + 1] = 0.1 * (double)(i / 7 % 7) + 1e-12 * (double)(i % 3);
        points[3 * i + 2] = 0.1 * (double)(i / 49);
    }
    for (int more = -1; more <= 1; ++more) {
        check_rows(COUNT, 0.1 + 1e-12 * more, &open, "touching");
        check_rows(COUNT, 0.1 + 1e-12 * more, &periodic, "touching with a period");
    }
}

static void check_mistakes_with_points(void) {
    char log[512] = "";
    const bp_config config = {.log = {keep_log, log}};
    bp_cuda_context *context = NULL;
    uint64_t found = 0;
    fill_points(0.0, 10.0, 3);
    points[3 * 33 + 1] = INFINITY;
    points[3 * 70 + 2] = NAN;
    void *there = bp_cuda_test_copy(points, sizeof points), *rows = bp_cuda_test_copy(points, 8 * (COUNT + 1));
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "mistakes");
    CHECK(bp_cuda_find_neighbors_double(context, there, COUNT, 1.0, NULL, rows, NULL, 0, &found) == BP_ERROR_BOX &&
              strstr(log, "point 33 is invalid") != NULL,
          "the log says: %s", log);
    const double wrong[] = {-1.0, NAN, INFINITY};
    for (size_t i = 0; i < 3; ++i) {
        CHECK(bp_cuda_find_neighbors_double(context, there, 30, wrong[i], NULL, rows, NULL, 0, &found) ==
                  BP_ERROR_ARGUMENT,
              "radius %g", wrong[i]);
    }
    CHECK(bp_cuda_find_neighbors_double(context, NULL, 30, 1.0, NULL, rows, NULL, 0, &found) == BP_ERROR_ARGUMENT,
          "no points");
    CHECK(bp_cuda_find_neighbors_double(context, there, 30, 1.0, NULL, NULL, NULL, 0, &found) == BP_ERROR_ARGUMENT,
          "no offsets");
    CHECK(bp_cuda_find_neighbors_double(NULL, there, 30, 1.0, NULL, rows, NULL, 0, &found) == BP_ERROR_ARGUMENT,
          "no context");
    CHECK(bp_cuda_find_neighbors_double(context, there, 30, 1.0, NULL, rows, NULL, 0, &found) == BP_OK, "afterwards");
    bp_cuda_test_free(there);
    bp_cuda_test_free(rows);
    bp_cuda_destroy(context);
}

// Rows of two dimensions become rows of three.
static void check_widening(void) {
    const double flat[6] = {1e-300, 2.0, 3.0, 4.0, 1e300, 6.0};
    const double expected[9] = {1e-300, 2.0, 0.0, 3.0, 4.0, 0.0, 1e300, 6.0, 0.0};
    double wide[9] = {0};
    void *there = bp_cuda_test_copy(flat, sizeof flat), *room = bp_cuda_test_copy(wide, sizeof wide);
    CHECK(bp_cuda_widen_double(there, 3, NULL, room) == BP_OK, "widening");
    bp_cuda_test_back(wide, room, sizeof wide);
    CHECK(memcmp(wide, expected, sizeof wide) == 0, "widened");
    CHECK(bp_cuda_widen_double(NULL, 1, NULL, room) == BP_ERROR_ARGUMENT, "nothing to read");
    bp_cuda_test_free(there);
    bp_cuda_test_free(room);
}

int main(void) {
    if (no_device()) {
        return SKIPPED;
    }
    check_open();
    check_touching();
    check_infinite();
    check_periods();
    check_filters();
    check_mistakes();
    check_neighbors();
    check_touching_points();
    check_mistakes_with_points();
    check_widening();
    return failures > 0;
}
