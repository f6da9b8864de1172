// The hostile scenes: the same on every machine, and every method finds in them what the oracle finds. Their speed is
// the business of the bench (broadphase-bench --suite worst).
// BP_TEST_SEED=n chooses other scenes.
#include "support/support.h"

#include "hostile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 500, MANY = 100000, DRAWN = 60, MUTATIONS = 300 };

static hostile_scene parse(const char *text) {
    char why[HOSTILE_WHY] = "";
    hostile_scene scene;
    if (!hostile_parse(text, &scene, why)) {
        fail_msg("%s: %s", text, why);
    }
    return scene;
}

static hostile_boxes build(const hostile_scene *scene, size_t count, uint64_t seed) {
    hostile_boxes boxes;
    assert_true(hostile_build(scene, count, seed, &boxes));
    return boxes;
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes

// FNV-1a of the bits of a set.
static uint64_t hash_boxes(uint64_t hash, const bp_box *boxes, size_t count) {
    for (size_t i = 0; i < 6 * count; ++i) {
        const bp_box *box = &boxes[i / 6];
        const float coordinate = i % 6 < 3 ? box->min[i % 3] : box->max[i % 3];
        uint32_t bits;
        memcpy(&bits, &coordinate, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_scene(const hostile_scene *scene, uint64_t seed) {
    hostile_boxes boxes = build(scene, BOXES, seed);
    uint64_t hash = hash_boxes(UINT64_C(0xcbf29ce484222325), boxes.a, boxes.a_count);
    hash = boxes.b ? hash_boxes(hash, boxes.b, boxes.b_count) : hash;
    hostile_free(&boxes);
    return hash;
}

// All scenes in one number. If this fails on a new machine or compiler, the arithmetic there is not what the scenes
// assume; if scenes were changed on purpose, it prints the number to put here.
static const uint64_t GOLDEN = 0x026deab498a3686c;

static void are_the_same_on_every_machine(void **state) {
    (void)state;
    uint64_t all = 0;
    for (size_t i = 0; i < hostile_count(); ++i) {
        const hostile_scene scene = parse(hostile_text(i));
        const uint64_t hash = hash_scene(&scene, 7);
        if (hash != hash_scene(&scene, 7) || hash == hash_scene(&scene, 8)) {
            fail_msg("%s: the seed, and nothing else, decides", hostile_name(i));
        }
        all = all * 31 + hash;
    }
    if (all != GOLDEN) {
        fail_msg("the scenes have changed: 0x%016llx", (unsigned long long)all);
    }
}

static void have_names_of_their_own(void **state) {
    (void)state;
    assert_true(hostile_count() >= 40);
    assert_null(hostile_name(hostile_count()));
    assert_null(hostile_find("nix"));
    for (size_t i = 0; i < hostile_count(); ++i) {
        assert_ptr_equal(hostile_find(hostile_name(i)), hostile_text(i));
        assert_true(strlen(hostile_summary(i)) > 0);
        const bool between = strncmp(hostile_name(i), "between-", 8) == 0;
        assert_int_equal(parse(hostile_text(i)).second > 0, between);
    }
}

static void have_as_many_boxes_as_asked_for_and_few_pairs(void **state) {
    (void)state;
    const size_t count = quick() ? 2 * BOXES : MANY;
    for (size_t i = 0; i < hostile_count(); ++i) {
        const hostile_scene scene = parse(hostile_text(i));
        hostile_boxes boxes = build(&scene, count, 7);
        assert_int_equal(boxes.a_count + boxes.b_count, count);
        assert_int_equal(boxes.b != NULL, scene.second > 0);
        if (boxes.pairs > HOSTILE_PAIRS * (double)count) {
            fail_msg("%s: %g pairs", hostile_name(i), boxes.pairs);
        }
        hostile_free(&boxes);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Pairs

static void check_method(const hostile_boxes *boxes, size_t method, const pair_list *expected, const char *text) {
    const bp_config config = {.method = (bp_method)method, .dimensions = boxes->dimensions};
    bp_pairs pairs = {0};
    const bp_status status =
        boxes->b ? bp_find_pairs_between(boxes->a, boxes->a_count, boxes->b, boxes->b_count, &config, &pairs)
                 : bp_find_pairs(boxes->a, boxes->a_count, &config, &pairs);
    if (status != BP_OK) {
        fail_msg("%s, method %s: %s", text, bp_method_name(method), bp_status_text(status));
    }
    expect_pairs(pairs.data, pairs.count, expected, "%s, method %s", text, bp_method_name(method));
    bp_pairs_free(&pairs, &config);
}

static void check_scene(const hostile_scene *scene, uint64_t seed) {
    char text[HOSTILE_TEXT];
    hostile_boxes boxes = build(scene, BOXES, seed);
    pair_list expected = boxes.b ? naive_pairs_between(boxes.a, boxes.a_count, boxes.b, boxes.b_count, boxes.dimensions)
                                 : naive_pairs(boxes.a, boxes.a_count, boxes.dimensions);
    hostile_print(scene, text);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        if (boxes.dimensions == 3 || (bp_method_supports(method) & BP_SUPPORTS_2D) != 0) {
            check_method(&boxes, method, &expected, text);
        }
    }
    pair_list_free(&expected);
    hostile_free(&boxes);
}

static void every_method_finds_what_the_oracle_finds(void **state) {
    (void)state;
    const uint64_t seed = environment_number("BP_TEST_SEED", 7);
    for (size_t i = 0; i < hostile_count(); ++i) {
        const hostile_scene scene = parse(hostile_text(i));
        check_scene(&scene, seed);
    }
}

static void and_in_scenes_drawn_at_random(void **state) {
    (void)state;
    rng random = rng_seeded(environment_number("BP_TEST_SEED", 7));
    for (size_t i = 0; i < (quick() ? DRAWN / 4 : DRAWN); ++i) {
        hostile_scene scene = hostile_random(&random);
        hostile_mutate(&scene, &random);
        check_scene(&scene, i);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Parameters

static void expect_same_after_printing(const hostile_scene *scene) {
    char text[HOSTILE_TEXT], again[HOSTILE_TEXT];
    hostile_print(scene, text);
    assert_true(strlen(text) + 1 < HOSTILE_TEXT);
    const hostile_scene back = parse(text);
    hostile_print(&back, again);
    assert_string_equal(text, again);
    assert_int_equal(hash_scene(scene, 3), hash_scene(&back, 3));
}

static void are_read_as_they_are_written(void **state) {
    (void)state;
    rng random = rng_seeded(5);
    hostile_scene scene = hostile_random(&random);
    for (size_t i = 0; i < MUTATIONS; ++i) {
        hostile_mutate(&scene, &random);
        assert_in_range(scene.part_count, 1, HOSTILE_PARTS);
        assert_true(scene.second < scene.part_count);
        expect_same_after_printing(&scene);
        if (i % 20 == 0) {
            scene = hostile_random(&random);
        }
    }
}

static void expect_refusal(const char *text, const char *reason) {
    char why[HOSTILE_WHY] = "";
    hostile_scene scene;
    assert_false(hostile_parse(text, &scene, why));
    if (strstr(why, reason) == NULL) {
        fail_msg("'%s': expected '%s', found '%s'", text, reason, why);
    }
}

static void are_refused_with_a_reason(void **state) {
    (void)state;
    expect_refusal("a.sise=3", "'a.sise=3' is no parameter");
    expect_refusal("size=3", "'size=3' is no parameter");
    expect_refusal("a.size", "'a.size' is no parameter");
    expect_refusal("a.size=201", "'a.size=201': expected a whole number from 0 to 200");
    expect_refusal("a.size=3x", "expected a whole number");
    expect_refusal("turn=w", "expected one of the words x, y, ..., index");
    expect_refusal("a.size=3 / b.size=3 / c.size=3", "'/' stands twice");
    expect_refusal("+ + + + + +", "more than 6 parts");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_the_same_on_every_machine),
        cmocka_unit_test(have_names_of_their_own),
        cmocka_unit_test(have_as_many_boxes_as_asked_for_and_few_pairs),
        cmocka_unit_test(every_method_finds_what_the_oracle_finds),
        cmocka_unit_test(and_in_scenes_drawn_at_random),
        cmocka_unit_test(are_read_as_they_are_written),
        cmocka_unit_test(are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
