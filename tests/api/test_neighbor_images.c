// Neighbours and their images against the definition, over all pairs and all shifts that could matter: cells of all shapes,
// open sides, small cells, kinds, half, two dimensions, 32 and 64 bits, both ways of searching, threads, instruction sets.
// Then what the call refuses, and that refused memory loses nothing.
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, ALL_FLAGS = BP_NEIGHBORS_DISTANCES | BP_NEIGHBORS_VECTORS | BP_NEIGHBORS_SHIFTS };

typedef struct crystal {
    const char *what;
    double cell[3][3];
    uint32_t periodic[3];
    size_t count;
    double radius;
    double spread;    // points lie in so many cells around the first
    int32_t farthest; // shifts from -farthest to farthest can matter
    bool kinds, half;
    uint32_t dimensions;
} crystal;

typedef struct entry {
    uint32_t point, index;
    int32_t shift[3];
    double vector[3], distance;
} entry;

typedef struct entry_list {
    entry *data;
    size_t count, capacity;
} entry_list;

static const crystal CRYSTALS[] = {
    {"open space", {{0}}, {0, 0, 0}, 300, 0.2, 1.0, 0, false, false, 3},
    {"a cube", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 200, 0.2, 1.0, 2, false, false, 3},
    {"a cube, half", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 120, 0.3, 1.0, 2, false, true, 3},
    {"points cells away", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 60, 0.4, 5.0, 6, false, false, 3},
    {"points cells away, long edges",
     {{1, 0, 0}, {0, 1.25, 0}, {0, 0, 1}},
     {1, 1, 1},
     50,
     0.25,
     3.0,
     4,
     false,
     false,
     3},
    {"the same, half, kinds", {{1, 0, 0}, {0, 1.25, 0}, {0, 0, 1}}, {1, 1, 1}, 50, 0.25, 3.0, 4, true, true, 3},
    {"edges along other axes", {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {1, 1, 1}, 50, 0.25, 3.0, 4, false, false, 3},
    {"a slab", {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}, {1, 1, 0}, 200, 0.25, 1.0, 2, false, false, 3},
    {"a wire", {{0, 0, 0}, {0.3, 1, 0.1}, {0, 0, 0}}, {0, 1, 0}, 150, 0.3, 1.0, 2, true, false, 3},
    {"a skewed cell", {{1, 0.1, 0}, {0.45, 1.1, 0.2}, {-0.3, 0.4, 0.9}}, {1, 1, 1}, 150, 0.3, 1.5, 4, false, false, 3},
    {"a left-handed cell", {{0, 1.1, 0.3}, {1, 0, 0.2}, {0.2, 0.1, 0.9}}, {1, 1, 1}, 100, 0.35, 1.0, 3, true, true, 3},
    {"a very flat cell", {{1, 0, 0}, {0.98, 0.2, 0}, {0, 0, 1}}, {1, 1, 1}, 60, 0.3, 1.0, 9, false, false, 3},
    {"a small cell", {{1, 0.2, 0}, {0, 1, 0.1}, {0.3, 0, 1}}, {1, 1, 1}, 4, 2.6, 1.0, 5, true, false, 3},
    {"one point", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 1, 2.0, 1.0, 3, false, false, 3},
    {"one point, half", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 1, 2.0, 1.0, 3, false, true, 3},
    {"no point", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 0, 2.0, 1.0, 3, false, false, 3},
    {"a radius of 0", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 20, 0.0, 1.0, 1, false, false, 3},
    {"kinds", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 200, 0.3, 1.0, 2, true, false, 3},
    {"two dimensions", {{1, 0.1, 7}, {0.4, 0.9, 7}, {0, 0, 0}}, {1, 1, 0}, 200, 0.2, 1.0, 3, true, false, 2},
    {"two dimensions, one side", {{1, 0.1, 0}, {0, 0, 0}, {0, 0, 0}}, {1, 0, 0}, 150, 0.2, 2.0, 4, false, true, 2},
};

static const double CUTOFFS[KINDS * KINDS] = {0.5, 0.75, 1.0, 0.75, 0.25, 0.0, 1.0, 0.0, 0.9}; // of the radius

typedef struct setting {
    double *points;
    float *narrow; // the same
    uint32_t *kinds;
    double cutoffs[KINDS * KINDS];
    bp_lattice lattice;
} setting;

// Points on a coarse grid of numbers, some in two places at once, so that many distances are the radius exactly.
static setting make_setting(const crystal *c, uint64_t seed) {
    rng random = rng_seeded(seed);
    setting s = {.points = obtain(3 * c->count + 1, sizeof(double)),
                 .narrow = obtain(3 * c->count + 1, sizeof(float)),
                 .kinds = obtain(c->count + 1, sizeof(uint32_t))};
    for (size_t i = 0; i < 3 * c->count; ++i) {
        const double place = (rng_unit(&random) - 0.5) * c->spread + 0.5;
        s.narrow[i] = (float)(seed % 2 == 0 ? floor(place * 40.0) / 40.0 : place);
        s.points[i] = (double)s.narrow[i];
    }
    for (size_t i = 0; i < c->count; ++i) {
        s.kinds[i] = rng_below(&random, KINDS);
    }
    for (size_t i = 0; i < KINDS * KINDS; ++i) {
        s.cutoffs[i] = CUTOFFS[i] * c->radius;
    }
    memcpy(s.lattice.cell, c->cell, sizeof c->cell);
    memcpy(s.lattice.periodic, c->periodic, sizeof c->periodic);
    return s;
}

// Where the copy that is used lies, pointers are good.
static void connect(const crystal *c, setting *s) {
    if (c->kinds) {
        s->lattice.kinds = s->kinds;
        s->lattice.cutoffs = s->cutoffs;
        s->lattice.kind_count = KINDS;
    }
}

static void free_setting(setting *s) {
    free(s->points);
    free(s->narrow);
    free(s->kinds);
}

// ---- by the definition ------------------------------------------------------------------------------------------------

static void push(entry_list *list, const entry *e) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->data = realloc(list->data, list->capacity * sizeof *list->data);
        assert_non_null(list->data);
    }
    list->data[list->count++] = *e;
}

static void try_image(const crystal *c, const setting *s, entry e, double radius, entry_list *list) {
    double square = 0.0;
    for (uint32_t axis = 0; axis < c->dimensions; ++axis) {
        const double moved = ((double)e.shift[0] * (c->periodic[0] ? c->cell[0][axis] : 0.0) +
                              (double)e.shift[1] * (c->periodic[1] ? c->cell[1][axis] : 0.0)) +
                             (double)e.shift[2] * (c->periodic[2] ? c->cell[2][axis] : 0.0);
        e.vector[axis] = (s->points[3 * e.index + axis] - s->points[3 * e.point + axis]) + moved;
        square += e.vector[axis] * e.vector[axis];
    }
    if (square > radius * radius) {
        return;
    }
    const int32_t *t = e.shift;
    const bool is_own = e.point == e.index && t[0] == 0 && t[1] == 0 && t[2] == 0;
    const int32_t leading = t[0] != 0 ? t[0] : t[1] != 0 ? t[1] : t[2];
    const bool is_second = e.index < e.point || (e.index == e.point && leading < 0);
    if (!is_own && !(c->half && is_second)) {
        e.distance = sqrt(square);
        push(list, &e);
    }
}

static entry_list by_definition(const crystal *c, const setting *s) {
    entry_list list = {0};
    const int32_t far[3] = {c->periodic[0] ? c->farthest : 0, c->periodic[1] ? c->farthest : 0,
                            c->periodic[2] ? c->farthest : 0};
    for (uint32_t i = 0; i < c->count; ++i) {
        for (uint32_t j = 0; j < c->count; ++j) {
            const double radius = c->kinds ? s->cutoffs[s->kinds[i] * KINDS + s->kinds[j]] : c->radius;
            for (int32_t x = -far[0]; x <= far[0]; ++x) {
                for (int32_t y = -far[1]; y <= far[1]; ++y) {
                    for (int32_t z = -far[2]; z <= far[2]; ++z) {
                        try_image(c, s, (entry){.point = i, .index = j, .shift = {x, y, z}}, radius, &list);
                    }
                }
            }
        }
    }
    return list;
}

static void compare(const crystal *c, uint64_t seed, const char *how, const bp_neighbor_images *found,
                    const entry_list *expected) {
    if (found->rows.count != c->count || found->rows.offsets[c->count] != expected->count) {
        fail_msg("%s, seed %llu, %s: %zu neighbours, expected %zu", c->what, (unsigned long long)seed, how,
                 found->rows.offsets[found->rows.count], expected->count);
    }
    size_t row = 0;
    for (size_t i = 0; i < expected->count; ++i) {
        const entry *e = &expected->data[i];
        while (found->rows.offsets[row + 1] <= i) {
            ++row;
        }
        if (row != e->point || found->rows.indices[i] != e->index || found->distances[i] != e->distance ||
            memcmp(found->shifts + 3 * i, e->shift, sizeof e->shift) != 0 || found->vectors[3 * i] != e->vector[0] ||
            found->vectors[3 * i + 1] != e->vector[1] || found->vectors[3 * i + 2] != e->vector[2]) {
            fail_msg("%s, seed %llu, %s: entry %zu: (%zu, %u, %d %d %d), expected (%u, %u, %d %d %d)", c->what,
                     (unsigned long long)seed, how, i, row, found->rows.indices[i], found->shifts[3 * i],
                     found->shifts[3 * i + 1], found->shifts[3 * i + 2], e->point, e->index, e->shift[0], e->shift[1],
                     e->shift[2]);
        }
    }
}

typedef struct way {
    const char *how;
    bp_config config;
    bool narrow;
} way;

static void check_way(const crystal *c, uint64_t seed, const setting *s, const entry_list *expected, const way *by,
                      bp_neighbor_images *found) {
    bp_config config = by->config;
    config.flags = ALL_FLAGS | (c->half ? (uint32_t)BP_NEIGHBORS_HALF : 0);
    config.dimensions = c->dimensions;
    // A radius in 32 bits is another one.
    const bool narrow = by->narrow && (double)(float)c->radius == c->radius;
    const bp_status status =
        narrow ? bp_find_neighbor_images(s->narrow, c->count, (float)c->radius, &s->lattice, &config, found)
               : bp_find_neighbor_images_double(s->points, c->count, c->radius, &s->lattice, &config, found);
    assert_int_equal(status, BP_OK);
    compare(c, seed, by->how, found, expected);
}

static void images_are_those_of_the_definition(void **state) {
    (void)state;
    const way ways[] = {{"grid or boxes", {0}, false},
                        {"32 bits", {0}, true},
                        {"three threads", {.threads = 3}, false},
                        {"eight workers", {.executor = thread_executor(8)}, false},
                        {"boxes", {.method = BP_METHOD_BVH}, false},
                        {"brute force", {.method = BP_METHOD_BRUTE_FORCE, .threads = 2}, true},
                        {"plain C", {SETTINGS(.simd = BP_SIMD_SCALAR)}, false},
                        {"AVX2", {SETTINGS(.simd = BP_SIMD_AVX2)}, false}};
    bp_neighbor_images found = {0};
    for (size_t i = 0; i < COUNT_OF(CRYSTALS); ++i) {
        const uint64_t seeds = quick() ? 4 : 10;
        for (uint64_t seed = 1; seed <= seeds; ++seed) {
            if (shortest() && seed != 1 + i % 2) { // on a coarse grid, or not
                continue;
            }
            const crystal *c = &CRYSTALS[i];
            setting s = make_setting(c, seed);
            connect(c, &s);
            entry_list expected = by_definition(c, &s);
            for (size_t w = 0; w < COUNT_OF(ways); ++w) {
                if (ways[w].config.settings == NULL || has_simd(ways[w].config.settings->simd)) {
                    check_way(c, seed, &s, &expected, &ways[w], &found);
                }
            }
            free(expected.data);
            free_setting(&s);
        }
    }
    bp_neighbor_images_free(&found, NULL);
}

// Where nothing repeats twice within the radius, images are the neighbours that a period gives.
static void many_points_have_the_neighbors_of_a_period(void **state) {
    (void)state;
    const size_t count = shortest() ? 3000 : 40000;
    const double radius = shortest() ? 0.13 : 0.055;
    rng random = rng_seeded(5);
    double *points = obtain(3 * count, sizeof *points);
    for (size_t i = 0; i < 3 * count; ++i) {
        points[i] = rng_between(&random, -1.5, 2.5);
    }
    const bp_lattice cube = {.cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .periodic = {1, 1, 1}};
    const bp_config periodic = {.period = {1.0f, 1.0f, 1.0f}}, threads = {.threads = 3};
    bp_neighbors rows = {0};
    bp_neighbor_images images = {0};
    assert_int_equal(bp_find_neighbors_double(points, count, radius, &periodic, &rows), BP_OK);
    assert_int_equal(bp_find_neighbor_images_double(points, count, radius, &cube, &threads, &images), BP_OK);
    assert_memory_equal(rows.offsets, images.rows.offsets, (count + 1) * sizeof *rows.offsets);
    assert_memory_equal(rows.indices, images.rows.indices, rows.offsets[count] * sizeof *rows.indices);
    assert_null(images.distances);
    bp_neighbors_free(&rows, NULL);
    bp_neighbor_images_free(&images, NULL);
    free(points);
}

static int is_even_pair(void *context, uint32_t a, uint32_t b) {
    (void)context;
    assert_true(a <= b);
    return (a + b) % 2 == 0;
}

static void the_filter_is_asked(void **state) {
    (void)state;
    const crystal *c = &CRYSTALS[1];
    setting s = make_setting(c, 3);
    const bp_config config = {.filter = {.pass = is_even_pair}};
    bp_neighbor_images all = {0}, some = {0};
    assert_int_equal(bp_find_neighbor_images_double(s.points, c->count, c->radius, &s.lattice, NULL, &all), BP_OK);
    assert_int_equal(bp_find_neighbor_images_double(s.points, c->count, c->radius, &s.lattice, &config, &some), BP_OK);
    size_t kept = 0;
    for (size_t row = 0; row < c->count; ++row) {
        for (size_t i = all.rows.offsets[row]; i < all.rows.offsets[row + 1]; ++i) {
            if ((row + all.rows.indices[i]) % 2 == 0) {
                assert_int_equal(some.rows.indices[kept++], all.rows.indices[i]);
            }
        }
    }
    assert_int_equal(kept, some.rows.offsets[c->count]);
    bp_neighbor_images_free(&all, NULL);
    bp_neighbor_images_free(&some, NULL);
    free_setting(&s);
}

// ---- what is refused ----------------------------------------------------------------------------------------------------

typedef struct refusal {
    const char *reason;
    bp_status status;
    bp_lattice lattice;
    bp_config config;
    double radius;
} refusal;

static void wrong_requests_are_refused_with_a_reason(void **state) {
    (void)state;
    static const double points[] = {0, 0, 0, 0.5, 0.5, 0.5}, far[] = {1e12, 0, 0, 0, 0, 0},
                        broken[] = {0, 0, 0, NAN, 0, 0};
    static const double lopsided[] = {1, 2, 3, 1}, negative[] = {-1, 1, 1, 1}, fine[] = {1, 1, 1, 1};
    static const uint32_t kinds[] = {0, 1}, beyond[] = {0, 2};
    const refusal refusals[] = {
        {"lattice.cell: its edges",
         BP_ERROR_ARGUMENT,
         {.cell = {{1, 0, 0}, {2, 0, 0}, {0, 0, 1}}, .periodic = {1, 1, 1}},
         {0},
         1},
        {"lattice.cell: its edges", BP_ERROR_ARGUMENT, {.periodic = {1, 0, 0}}, {0}, 1},
        {"lattice.cell: its edges", BP_ERROR_ARGUMENT, {.cell = {{INFINITY, 0, 0}}, .periodic = {1, 0, 0}}, {0}, 1},
        {"lattice.cell: its edges", BP_ERROR_ARGUMENT, {.cell = {{0, NAN, 0}}, .periodic = {1, 0, 0}}, {0}, 1},
        {"reach too many cells", BP_ERROR_ARGUMENT, {.cell = {{1, 0, 0}}, .periodic = {1, 0, 0}}, {0}, 1e12},
        {"too many images",
         BP_ERROR_ARGUMENT,
         {.cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .periodic = {1, 1, 1}},
         {0},
         1e4},
        {"config.period", BP_ERROR_ARGUMENT, {0}, {.period = {1, 0, 0}}, 1},
        {"lattice.reserved", BP_ERROR_ARGUMENT, {.reserved = {0, 0, 0, 1}}, {0}, 1},
        {"third edge", BP_ERROR_ARGUMENT, {.cell = {{0}, {0}, {0, 0, 1}}, .periodic = {0, 0, 1}}, {.dimensions = 2}, 1},
        {"BP_PAIRS_FIXED", BP_ERROR_ARGUMENT, {0}, {.flags = BP_PAIRS_FIXED}, 1},
        {"radius", BP_ERROR_ARGUMENT, {0}, {0}, -1},
        {"radius", BP_ERROR_ARGUMENT, {0}, {0}, NAN},
        {"point 1 is of kind 2", BP_ERROR_ARGUMENT, {.kinds = beyond, .cutoffs = fine, .kind_count = 2}, {0}, 1},
        {"there must be cutoffs", BP_ERROR_ARGUMENT, {.kinds = kinds, .kind_count = 2}, {0}, 1},
        {"lattice.cutoffs", BP_ERROR_ARGUMENT, {.kinds = kinds, .cutoffs = lopsided, .kind_count = 2}, {0}, 1},
        {"lattice.cutoffs", BP_ERROR_ARGUMENT, {.kinds = kinds, .cutoffs = negative, .kind_count = 2}, {0}, 1},
    };
    bp_neighbor_images images = {0};
    for (size_t i = 0; i < COUNT_OF(refusals); ++i) {
        test_log log = {.count = 0};
        bp_config config = refusals[i].config;
        config.log = test_log_hook(&log);
        assert_int_equal(
            bp_find_neighbor_images_double(points, 2, refusals[i].radius, &refusals[i].lattice, &config, &images),
            refusals[i].status);
        if (strstr(log.text, refusals[i].reason) == NULL) {
            fail_msg("expected '%s', found '%s'", refusals[i].reason, log.text);
        }
        assert_null(images.rows.offsets);
    }
    const bp_lattice tiny = {.cell = {{1e-3, 0, 0}}, .periodic = {1, 0, 0}};
    assert_int_equal(bp_find_neighbor_images_double(far, 2, 1e-3, &tiny, NULL, &images), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_neighbor_images_double(broken, 2, 1.0, NULL, NULL, &images), BP_ERROR_BOX);
    assert_int_equal(bp_find_neighbor_images_double(NULL, 2, 1.0, NULL, NULL, &images), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_neighbor_images_double(points, 2, 1.0, NULL, NULL, NULL), BP_ERROR_ARGUMENT);
    bp_neighbor_images_free(NULL, NULL);
}

static bool are_same(const bp_neighbor_images *a, const bp_neighbor_images *b) {
    const size_t count = a->rows.offsets[a->rows.count];
    if (a->rows.count != b->rows.count ||
        memcmp(a->rows.offsets, b->rows.offsets, (a->rows.count + 1) * sizeof(size_t)) != 0) {
        return false;
    }
    return count == 0 || (memcmp(a->rows.indices, b->rows.indices, count * sizeof(uint32_t)) == 0 &&
                          memcmp(a->vectors, b->vectors, 3 * count * sizeof(double)) == 0 &&
                          memcmp(a->shifts, b->shifts, 3 * count * sizeof(int32_t)) == 0);
}

static void refused_memory_loses_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(CRYSTALS); i += 3) {
        const crystal *c = &CRYSTALS[i];
        setting s = make_setting(c, 1);
        connect(c, &s);
        test_allocator allocator;
        test_allocator_init(&allocator);
        bp_config config = {
            .flags = ALL_FLAGS, .dimensions = c->dimensions, .allocator = test_allocator_hook(&allocator)};
        bp_neighbor_images expected = {0}, images = {0};
        assert_int_equal(bp_find_neighbor_images(s.narrow, c->count, (float)c->radius, &s.lattice, &config, &expected),
                         BP_OK);
        assert_int_equal(bp_find_neighbor_images(s.narrow, c->count, 0.0f, NULL, &config, &images), BP_OK);
        bool refused = true;
        for (size_t k = 1; refused; ++k) {
            const bp_neighbor_images before = images;
            test_allocator_fail(&allocator, k, false);
            const bp_status status =
                bp_find_neighbor_images(s.narrow, c->count, (float)c->radius, &s.lattice, &config, &images);
            refused = allocator.refused > 0;
            test_allocator_fail(&allocator, 0, false);
            if (status == BP_OK) {
                assert_true(are_same(&images, &expected));
            } else {
                assert_int_equal(status, BP_ERROR_MEMORY);
                assert_memory_equal(&before, &images, sizeof images);
            }
            assert_true(k < 1000);
        }
        bp_neighbor_images_free(&expected, &config);
        bp_neighbor_images_free(&images, &config);
        test_allocator_finish(&allocator);
        free_setting(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_those_of_the_definition),
        cmocka_unit_test(many_points_have_the_neighbors_of_a_period),
        cmocka_unit_test(the_filter_is_asked),
        cmocka_unit_test(wrong_requests_are_refused_with_a_reason),
        cmocka_unit_test(refused_memory_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
