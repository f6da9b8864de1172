// The tissue of the bench: its sizes, its meshes, and that its bodies touch and move.
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suites/collisions.h"

static const char *const NAMES[] = {"stacking", "eye", "skull"};

// Gissler et al., Table 1: exactly for the membranes, nearly for the organs.
static void scenes_are_as_large_as_the_literature_says(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(NAMES); ++i) {
        tissue *t = tissue_create(NAMES[i], 1, 1);
        for (int part = 0; part < TISSUE_PARTS; ++part) {
            const double own = (double)tissue_count(t, (tissue_part)part);
            const double seed = (double)tissue_paper_count(NAMES[i], (tissue_part)part);
            if (fabs(own / seed - 1) > (i == 0 ? 0 : 0.05)) {
                fail_msg("%s, part %d: %.0f elements, not %.0f", NAMES[i], part, own, seed);
            }
        }
        tissue_destroy(t);
    }
    assert_null(tissue_create("hand", 1, 1));
    assert_int_equal(tissue_paper_count("hand", TISSUE_POINTS), 0);
}

// Points - edges + triangles - tetrahedra is 1 for a solid body or a bowl, 2 for a hollow one, and one less for each
// hole through it. An edge or a triangle that is there twice or missing changes that.
static void meshes_are_whole(void **state) {
    (void)state;
    static const long expected[] = {20 * 1, 2 * 1 + 2 + 5 * 1 + 1 - 36, 1 + 2 + 2 * 1};
    for (size_t i = 0; i < COUNT_OF(NAMES); ++i) {
        for (uint32_t fineness = 1; fineness <= 3; ++fineness) {
            tissue *t = tissue_create(NAMES[i], fineness, 1);
            const long surface = (long)tissue_count(t, TISSUE_TRIANGLES);
            const long solids = (long)tissue_count(t, TISSUE_TETRAHEDRA), triangles = (4 * solids + surface) / 2;
            const long sum = (long)tissue_count(t, TISSUE_POINTS) - (long)tissue_count(t, TISSUE_EDGES);
            if (sum + triangles - solids != expected[i] || (4 * solids + surface) % 2 != 0) {
                fail_msg("%s, fineness %u: %ld, not %ld", NAMES[i], fineness, sum + triangles - solids, expected[i]);
            }
            tissue_destroy(t);
        }
    }
}

// Bodies that have a point in a tetrahedron's box of another body.
static size_t count_touched(const tissue *t) {
    bool touched[64] = {false};
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs_between(tissue_boxes(t, TISSUE_POINTS), tissue_count(t, TISSUE_POINTS),
                                           tissue_boxes(t, TISSUE_TETRAHEDRA), tissue_count(t, TISSUE_TETRAHEDRA), NULL,
                                           &pairs),
                     BP_OK);
    for (size_t i = 0; i < pairs.count; ++i) {
        const uint32_t a = tissue_body_of(t, TISSUE_POINTS, pairs.data[i].a);
        const uint32_t b = tissue_body_of(t, TISSUE_TETRAHEDRA, pairs.data[i].b);
        touched[a] |= a != b;
        touched[b] |= a != b;
    }
    bp_pairs_free(&pairs, NULL);
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(touched); ++i) {
        count += touched[i];
    }
    return count;
}

static void bodies_touch_in_every_step(void **state) {
    (void)state;
    static const size_t bodies[] = {20, 9, 4};
    for (size_t i = 0; i < COUNT_OF(NAMES); ++i) {
        tissue *t = tissue_create(NAMES[i], 1, 1);
        for (int step = 0; step < 70; ++step) {
            const size_t touched = count_touched(t);
            if (touched != bodies[i]) {
                fail_msg("%s, step %d: %zu of %zu bodies touch others", NAMES[i], step, touched, bodies[i]);
            }
            tissue_step(t);
        }
        tissue_destroy(t);
    }
}

static void membranes_in_the_air_do_not_touch(void **state) {
    (void)state;
    static const double shares[] = {0, 0.5};
    for (size_t i = 0; i < COUNT_OF(shares); ++i) {
        tissue *t = tissue_create("stacking", 1, shares[i]);
        const size_t touched = count_touched(t);
        assert_true(touched <= 10 * (i + 1) && (i == 0 ? touched == 0 : touched >= 10));
        tissue_destroy(t);
    }
}

static void points_move_by_little_and_all_the_same_way_twice(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(NAMES); ++i) {
        tissue *t = tissue_create(NAMES[i], 1, 1), *other = tissue_create(NAMES[i], 1, 1);
        const size_t count = tissue_count(t, TISSUE_POINTS), size = count * sizeof(bp_box);
        bp_box *before = obtain(count, sizeof *before);
        for (int step = 0; step < 5; ++step) {
            const bp_box *now = tissue_boxes(t, TISSUE_POINTS);
            memcpy(before, now, size);
            tissue_step(t);
            tissue_step(other);
            double longest = 0;
            for (size_t k = 0; k < 3 * count; ++k) {
                longest = fmax(longest, fabs((double)(now[k / 3].min[k % 3] - before[k / 3].min[k % 3])));
            }
            assert_true(longest > 0 && longest < 0.1 * tissue_edge_length(t));
            assert_memory_equal(now, tissue_boxes(other, TISSUE_POINTS), size);
        }
        free(before);
        tissue_destroy(t);
        tissue_destroy(other);
    }
}

// The exact test of all pairs, row by row, against that of the pairs whose boxes overlap; with workers the same.
static void check_collisions(const tissue *t, tissue_part first, tissue_part second, size_t rows) {
    const collision_question question = {t, first, second};
    const size_t count = tissue_count(t, second);
    bp_executor alone = {0}, workers;
    collision_list found = {0}, shared = {0}, row = {0};
    bp_pairs pairs = {0};
    bp_pair *all = obtain(count, sizeof *all);
    size_t total = 0;
    assert_int_equal(bp_workers_create(&(bp_config){.threads = 3}, &workers), BP_OK);
    assert_int_equal(bp_find_pairs_between(tissue_boxes(t, first), rows, tissue_boxes(t, second), count, NULL, &pairs),
                     BP_OK);
    collisions_find(&question, pairs.data, pairs.count, &alone, &found);
    collisions_find(&question, pairs.data, pairs.count, &workers, &shared);
    assert_int_equal(shared.count, found.count);
    assert_memory_equal(shared.data, found.data, found.count * sizeof *found.data);
    for (uint32_t a = 0; a < rows; ++a) {
        for (uint32_t b = 0; b < count; ++b) {
            all[b] = (bp_pair){a, b};
        }
        collisions_find(&question, all, count, &alone, &row);
        total += row.count;
    }
    print_message("%zu collisions of %zu pairs\n", total, pairs.count);
    assert_int_equal(found.count, total);
    assert_true(total > 0);
    bp_workers_destroy(&workers);
    bp_pairs_free(&pairs, NULL);
    collisions_free(&found);
    collisions_free(&shared);
    collisions_free(&row);
    free(all);
}

static void collisions_are_those_of_all_pairs(void **state) {
    (void)state;
    tissue *t = tissue_create("eye", 1, 1);
    check_collisions(t, TISSUE_TETRAHEDRA, TISSUE_POINTS, quick() ? 3000 : 9000);
    check_collisions(t, TISSUE_POINTS, TISSUE_TETRAHEDRA, quick() ? 1000 : 3000);
    check_collisions(t, TISSUE_EDGES, TISSUE_TRIANGLES, quick() ? 3000 : 9000);
    check_collisions(t, TISSUE_TRIANGLES, TISSUE_EDGES, quick() ? 1000 : 3000);
    tissue_destroy(t);
}

// The same as if they had lain there from the beginning.
static void membranes_land(void **state) {
    (void)state;
    tissue *t = tissue_create("stacking", 1, 0), *other = tissue_create("stacking", 1, 0.5);
    tissue_stack(t, 1);
    tissue_stack(t, 0.5);
    tissue_step(t);
    tissue_step(other);
    for (size_t i = 0; i < 3 * tissue_count(t, TISSUE_POINTS); ++i) {
        const float now = tissue_boxes(t, TISSUE_POINTS)[i / 3].min[i % 3];
        assert_true(fabsf(now - tissue_boxes(other, TISSUE_POINTS)[i / 3].min[i % 3]) < 1e-4f);
    }
    tissue_destroy(t);
    tissue_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_are_as_large_as_the_literature_says),
        cmocka_unit_test(meshes_are_whole),
        cmocka_unit_test(bodies_touch_in_every_step),
        cmocka_unit_test(membranes_in_the_air_do_not_touch),
        cmocka_unit_test(points_move_by_little_and_all_the_same_way_twice),
        cmocka_unit_test(membranes_land),
        cmocka_unit_test(collisions_are_those_of_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
