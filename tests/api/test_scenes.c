// The scenes: valid, the same on every machine, and as dense as they say.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenes.h"
#include "support/support.h"

// FNV-1a of the bits of all boxes (1,000 finite objects, seed 7, after 3 steps). If a row fails on a new machine or
// compiler, the arithmetic there is not what the scenes assume; if a scene was changed on purpose, run this test with
// SCENES_PRINT_HASHES=1 and paste what it prints.
typedef struct golden_hash {
    const char *name;
    uint64_t hash;
} golden_hash;

static const golden_hash GOLDEN[] = {
    {"uniform", 0xc3ac6a6e76dbb5c4},
    {"low-motion", 0x6f7a1cd36d89459b},
    {"mixed", 0x62ecbe3fa6c71b48},
    {"long", 0x07fe3ed6373a18a0},
    {"flat", 0x549a23de21fe7e9c},
    {"stretched", 0xad42c9d91869a61f},
    {"sparse", 0x67711f9977f67a9c},
    {"reference", 0xec3f59a4b872702c},
    {"inhomogeneous", 0xd02b2dbdf3c52222},
    {"very-inhomogeneous", 0xc065aaa787a1b55f},
    {"checkerboard", 0x3adb82632a5f066f},
    {"polydisperse", 0x60badb2e7712d35f},
    {"more-polydisperse", 0x65a230986fdca3b7},
    {"very-polydisperse", 0x777bda1cce345722},
    {"scaling", 0x8410181829cdd665},
    {"uniform-2d", 0xe175a159108bc00e},
    {"clustered-2d", 0x869c26a32d507157},
    {"zych", 0x1821838c7d649ead},
    {"identical", 0x0ffc7c9f87b20e85},
    {"one-cell", 0xd2d18cd9cc7de1df},
    {"points", 0xa391e901c9d89401},
    {"touching", 0x36d3279c22985245},
    {"far", 0x9dad33d3b2a692b2},
    {"tiny-and-huge", 0xbe97d9fbe8399b13},
    {"negative", 0xbef5ba2f90f2a3dd},
    {"planes", 0x87fcd2ce2fc03233},
    {"scan", 0xdb0f2ab4bb8e0c81},
    {"scan-pair", 0x4c5348ad9484c59a},
    {"cloth", 0xd85a4439138eb4a2},
    {"cloth-on-body", 0x8ed7e6cb228850b4},
    {"terrain", 0x49f33c7f73ceda60},
};

// ---------------------------------------------------------------------------------------------------------------------
// Helpers

static scene *create(const char *name, scene_options options) {
    const char *error = NULL;
    scene *made = scene_create(name, &options, &error);
    if (!made) {
        fail_msg("%s: %s", name, error);
    }
    return made;
}

static scene *create_small(size_t index, uint64_t seed) {
    return create(scene_name(index), (scene_options){.count = 2000, .seed = seed});
}

static void step_many(scene *moving, size_t steps) {
    for (size_t i = 0; i < steps; ++i) {
        scene_step(moving);
    }
}

static size_t infinite_coordinates(const bp_box *box) {
    size_t count = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
        count += isinf(box->min[axis]) ? 1 : 0;
        count += isinf(box->max[axis]) ? 1 : 0;
    }
    return count;
}

static void assert_valid(const scene *made, const char *name) {
    const bp_box *boxes = scene_boxes(made);
    for (size_t i = 0; i < scene_box_count(made); ++i) {
        for (size_t axis = 0; axis < 3; ++axis) {
            if (!(boxes[i].min[axis] <= boxes[i].max[axis])) {
                fail_msg("%s: box %zu is %g .. %g on axis %zu", name, i, (double)boxes[i].min[axis],
                         (double)boxes[i].max[axis], axis);
            }
        }
        if ((infinite_coordinates(&boxes[i]) > 0) != (i >= scene_finite_count(made))) {
            fail_msg("%s: box %zu of %zu finite ones is on the wrong side", name, i, scene_finite_count(made));
        }
    }
}

static int overlap(const bp_box *a, const bp_box *b) {
    for (size_t axis = 0; axis < 3; ++axis) {
        if (a->min[axis] > b->max[axis] || b->min[axis] > a->max[axis]) {
            return 0;
        }
    }
    return 1;
}

static double pairs_per_object(const scene *made) {
    const bp_box *boxes = scene_boxes(made);
    const size_t count = scene_finite_count(made);
    size_t pairs = 0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count; ++j) {
            pairs += (size_t)overlap(&boxes[i], &boxes[j]);
        }
    }
    return (double)pairs / (double)count;
}

static uint64_t hash_word(uint64_t hash, uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        hash = (hash ^ (word >> shift & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_boxes(const scene *made) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const bp_box *boxes = scene_boxes(made);
    for (size_t i = 0; i < scene_box_count(made); ++i) {
        uint32_t words[6];
        memcpy(words, &boxes[i], sizeof words);
        for (size_t k = 0; k < 6; ++k) {
            hash = hash_word(hash, words[k]);
        }
    }
    return hash;
}

static int same_boxes(const scene *a, const scene *b) {
    return scene_box_count(a) == scene_box_count(b) &&
           memcmp(scene_boxes(a), scene_boxes(b), scene_box_count(a) * sizeof(bp_box)) == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// All scenes

static void names_are_unique_and_described(void **state) {
    (void)state;
    assert_true(scene_count() >= 31);
    for (size_t i = 0; i < scene_count(); ++i) {
        assert_non_null(scene_summary(i));
        for (size_t j = 0; j < i; ++j) {
            assert_string_not_equal(scene_name(i), scene_name(j));
        }
    }
    assert_null(scene_name(scene_count()));
    assert_null(scene_summary(scene_count()));
}

static void boxes_are_valid_at_first_and_after_steps(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *made = create_small(i, 1);
        assert_int_equal(scene_finite_count(made), 2000);
        assert_true(scene_box_count(made) >= 2000 && scene_box_count(made) <= 2024);
        assert_valid(made, scene_name(i));
        step_many(made, 20);
        assert_valid(made, scene_name(i));
        scene_destroy(made);
    }
}

static void few_objects_are_enough(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        for (size_t count = 1; count <= 40; ++count) {
            scene *made = create(scene_name(i), (scene_options){.count = count});
            assert_int_equal(scene_finite_count(made), count);
            step_many(made, 3);
            assert_valid(made, scene_name(i));
            scene_destroy(made);
        }
    }
}

static void same_seed_gives_the_same_boxes(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *first = create_small(i, 5);
        scene *second = create_small(i, 5);
        step_many(first, 12);
        step_many(second, 12);
        assert_true(same_boxes(first, second));
        scene_destroy(first);
        scene_destroy(second);
    }
}

static void other_seed_gives_other_boxes(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *first = create_small(i, 5);
        scene *second = create_small(i, 6);
        const int is_lattice = strcmp(scene_name(i), "touching") == 0;
        if (same_boxes(first, second) != is_lattice) {
            fail_msg("%s", scene_name(i));
        }
        scene_destroy(first);
        scene_destroy(second);
    }
}

static void negative_motion_means_rest(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *moving = create(scene_name(i), (scene_options){.count = 500, .motion = -1});
        scene *resting = create(scene_name(i), (scene_options){.count = 500, .motion = -1});
        step_many(moving, 12);
        assert_true(same_boxes(moving, resting));
        scene_destroy(moving);
        scene_destroy(resting);
    }
}

static void only_2d_scenes_are_flat(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *made = create_small(i, 1);
        const int named_2d = strstr(scene_name(i), "2d") != NULL;
        assert_int_equal(scene_dimensions(made), named_2d ? 2 : 3);
        step_many(made, 3);
        for (size_t k = 0; named_2d && k < scene_finite_count(made); ++k) {
            assert_true(scene_boxes(made)[k].min[2] == 0 && scene_boxes(made)[k].max[2] == 0);
        }
        scene_destroy(made);
    }
}

static uint64_t golden_of(const char *name) {
    for (size_t i = 0; i < sizeof GOLDEN / sizeof GOLDEN[0]; ++i) {
        if (strcmp(GOLDEN[i].name, name) == 0) {
            return GOLDEN[i].hash;
        }
    }
    return 0;
}

static void hashes_are_golden(void **state) {
    (void)state;
    const int print = getenv("SCENES_PRINT_HASHES") != NULL;
    size_t wrong = 0;
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *made = create(scene_name(i), (scene_options){.count = 1000, .seed = 7});
        step_many(made, 3);
        const unsigned long long hash = hash_boxes(made);
        if (print || hash != golden_of(scene_name(i))) {
            printf("    {\"%s\", 0x%016llx},\n", scene_name(i), hash);
        }
        wrong += hash != golden_of(scene_name(i));
        scene_destroy(made);
    }
    assert_int_equal(wrong, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Promises of single scenes

static void density_gives_the_wanted_pairs(void **state) {
    (void)state;
    static const char *const names[] = {"uniform",   "low-motion", "mixed",  "long",        "flat",
                                        "stretched", "negative",   "planes", "clustered-2d"};
    static const double wanted[] = {2, 0.5, 8};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            const scene_options options = {.count = 4000, .seed = 3, .pairs_per_object = wanted[k]};
            scene *made = create(names[i], options);
            step_many(made, 5);
            const double found = pairs_per_object(made);
            if (fabs(found / wanted[k] - 1) > 0.15) {
                fail_msg("%s: %g pairs per object, not %g", names[i], found, wanted[k]);
            }
            scene_destroy(made);
        }
    }
}

static void sparse_has_hardly_any_pairs(void **state) {
    (void)state;
    scene *made = create("sparse", (scene_options){.count = 4000});
    assert_true(pairs_per_object(made) < 0.001);
    scene_destroy(made);
}

static void identical_boxes_stay_identical(void **state) {
    (void)state;
    scene *made = create("identical", (scene_options){.count = 100});
    step_many(made, 200);
    for (size_t i = 1; i < 100; ++i) {
        assert_memory_equal(&scene_boxes(made)[i], &scene_boxes(made)[0], sizeof(bp_box));
    }
    scene_destroy(made);
}

static void points_have_no_size_and_some_coincide(void **state) {
    (void)state;
    scene *made = create("points", (scene_options){.count = 3000});
    step_many(made, 50);
    for (size_t i = 0; i < 3000; ++i) {
        assert_memory_equal(scene_boxes(made)[i].min, scene_boxes(made)[i].max, sizeof(float[3]));
    }
    assert_true(pairs_per_object(made) > 0.4);
    scene_destroy(made);
}

// A cube inside the lattice has 26 neighbours; the mean over n^3 cubes is ((3n - 2)^3 - n^3) / 2 / n^3.
static void touching_cubes_touch_all_their_neighbours(void **state) {
    (void)state;
    scene *made = create("touching", (scene_options){.count = 1000});
    step_many(made, 3);
    assert_true(pairs_per_object(made) * 1000 == (28.0 * 28 * 28 - 1000) / 2);
    scene_destroy(made);
}

static void one_cell_lies_in_its_first_box(void **state) {
    (void)state;
    scene *made = create("one-cell", (scene_options){.count = 3000});
    step_many(made, 50);
    for (size_t i = 0; i < 3000; ++i) {
        for (size_t axis = 0; axis < 3; ++axis) {
            assert_true(scene_boxes(made)[i].min[axis] >= 0 && scene_boxes(made)[i].max[axis] <= 1);
        }
    }
    assert_true(pairs_per_object(made) < 5);
    scene_destroy(made);
}

static void far_objects_have_sizes_where_floats_are_coarse(void **state) {
    (void)state;
    scene *made = create("far", (scene_options){.count = 4000});
    size_t very_far = 0;
    for (size_t i = 0; i < 4000; ++i) {
        const bp_box *box = &scene_boxes(made)[i];
        assert_true(box->max[0] > box->min[0] && fabsf(box->min[0]) > 9e6f);
        very_far += fabsf(box->min[0]) > 9e29f;
    }
    assert_int_equal(very_far, 2000);
    assert_true(pairs_per_object(made) > 1.5 && pairs_per_object(made) < 3);
    scene_destroy(made);
}

static void tiny_and_huge_spans_sixty_decades(void **state) {
    (void)state;
    scene *made = create("tiny-and-huge", (scene_options){.count = 4000});
    float smallest = INFINITY;
    float largest = 0;
    for (size_t i = 0; i < 4000; ++i) {
        const float size = scene_boxes(made)[i].max[0] - scene_boxes(made)[i].min[0];
        smallest = size > 0 ? fminf(smallest, size) : smallest;
        largest = fmaxf(largest, size);
    }
    assert_true(smallest < 2e-30f && largest > 1e30f);
    assert_true(pairs_per_object(made) > 1 && pairs_per_object(made) < 10);
    scene_destroy(made);
}

// The spheres themselves, not their boxes.
static int spheres_overlap(const bp_box *a, const bp_box *b) {
    double square = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
        const double apart = ((double)a->min[axis] + (double)a->max[axis] - b->min[axis] - b->max[axis]) / 2;
        square += apart * apart;
    }
    const double reach = ((double)a->max[0] - a->min[0] + b->max[0] - b->min[0]) / 2;
    return square < reach * reach * 0.9999;
}

static size_t count_overlapping_spheres(const scene *made) {
    size_t pairs = 0;
    for (size_t i = 0; i < scene_finite_count(made); ++i) {
        for (size_t j = i + 1; j < scene_finite_count(made); ++j) {
            pairs += (size_t)spheres_overlap(&scene_boxes(made)[i], &scene_boxes(made)[j]);
        }
    }
    return pairs;
}

static const char *const WALLED[] = {"reference",    "inhomogeneous",     "very-inhomogeneous", "checkerboard",
                                     "polydisperse", "more-polydisperse", "very-polydisperse"};
enum { WALLED_COUNT = sizeof WALLED / sizeof WALLED[0] };

static void spheres_do_not_overlap_at_first(void **state) {
    (void)state;
    for (size_t i = 0; i < WALLED_COUNT; ++i) {
        scene *made = create(WALLED[i], (scene_options){.count = 4000, .seed = 2});
        assert_int_equal(scene_box_count(made), 4006);
        assert_int_equal(count_overlapping_spheres(made), 0);
        scene_destroy(made);
    }
}

// The upper walls stand at the domain's edge rounded to float: a box may reach them by as much.
static void spheres_stay_between_the_walls(void **state) {
    (void)state;
    for (size_t i = 0; i < WALLED_COUNT; ++i) {
        scene *made = create(WALLED[i], (scene_options){.count = 4000, .seed = 2, .motion = 0.5});
        const bp_box *walls = &scene_boxes(made)[4000];
        step_many(made, 100);
        for (size_t k = 0; k < 4000; ++k) {
            const bp_box *box = &scene_boxes(made)[k];
            for (size_t axis = 0; axis < 3; ++axis) {
                assert_true(box->min[axis] >= walls[2 * axis].max[axis]);
                assert_true(box->max[axis] <= walls[2 * axis + 1].min[axis] * 1.00001f);
            }
        }
        scene_destroy(made);
    }
}

static void groups_keep_their_shares(void **state) {
    (void)state;
    scene *made = create("more-polydisperse", (scene_options){.count = 8000});
    size_t counts[4] = {0};
    for (size_t i = 0; i < 8000; ++i) {
        const float size = scene_boxes(made)[i].max[0] - scene_boxes(made)[i].min[0];
        counts[size > 30 ? 0 : size > 4 ? 1 : size > 1.5f ? 2 : 3]++;
    }
    assert_int_equal(counts[0], 32);
    assert_int_equal(counts[1], 288);
    assert_int_equal(counts[2], 1280);
    assert_int_equal(counts[3], 6400);
    scene_destroy(made);
}

static void one_giant_whatever_the_count(void **state) {
    (void)state;
    scene *made = create("very-polydisperse", (scene_options){.count = 5000});
    const bp_box *boxes = scene_boxes(made);
    assert_true(fabsf(boxes[0].max[0] - boxes[0].min[0] - 180) < 0.001f); // half the domain: an eighth of the objects
    for (size_t i = 1; i < 5000; ++i) {
        assert_true(boxes[i].max[0] - boxes[i].min[0] < 1.001f);
    }
    scene_destroy(made);
}

// ---------------------------------------------------------------------------------------------------------------------
// zych

static double mean_size(const scene *made) {
    double sum = 0;
    for (size_t i = 0; i < scene_finite_count(made); ++i) {
        sum += (double)scene_boxes(made)[i].max[0] - (double)scene_boxes(made)[i].min[0];
    }
    return sum / (double)scene_finite_count(made);
}

static void zych_sizes_have_mean_one(void **state) {
    (void)state;
    static const double parameters[][2] = {{100, 100}, {1, 1}, {2.5, 7}, {0.5, 0.5}, {0.1, 1}, {1e6, 1e5}};
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; ++i) {
        const scene_options options = {.count = 20000, .alpha = parameters[i][0], .beta = parameters[i][1]};
        scene *made = create("zych", options);
        if (fabs(mean_size(made) - 1) > 0.05) {
            fail_msg("alpha %g, beta %g: mean size %g", options.alpha, options.beta, mean_size(made));
        }
        scene_destroy(made);
    }
}

static void zych_static_objects_rest(void **state) {
    (void)state;
    const scene_options options = {.count = 1000, .static_share = 0.3};
    scene *moving = create("zych", options);
    scene *resting = create("zych", options);
    step_many(moving, 25);
    size_t same = 0;
    for (size_t i = 0; i < 1000; ++i) {
        same += scene_boxes(moving)[i].min[0] == scene_boxes(resting)[i].min[0] ? 1 : 0;
    }
    assert_int_equal(same, 300);
    scene_destroy(moving);
    scene_destroy(resting);
}

static float x_after(scene *moving, size_t steps) {
    step_many(moving, steps);
    return scene_boxes(moving)[0].min[0];
}

// Slow, so that nothing wraps; the first object's velocity is seen in its differences.
static void zych_velocity_changes_every_tenth_step(void **state) {
    (void)state;
    scene *made = create("zych", (scene_options){.count = 10, .velocity = 0.01});
    const float at_0 = x_after(made, 0);
    const float at_5 = x_after(made, 5);
    const float at_10 = x_after(made, 5);
    const float at_15 = x_after(made, 5);
    assert_true(fabsf((at_10 - at_5) - (at_5 - at_0)) < 1e-5f);
    assert_true(fabsf((at_15 - at_10) - (at_5 - at_0)) > 1e-4f);
    scene_destroy(made);
}

// ---------------------------------------------------------------------------------------------------------------------
// Surfaces

static const char *const SURFACES[] = {"scan", "scan-pair", "cloth", "cloth-on-body", "terrain"};
enum { SURFACE_COUNT = sizeof SURFACES / sizeof SURFACES[0] };

static double longest_edge(const bp_box *box) {
    double longest = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
        longest = fmax(longest, (double)box->max[axis] - (double)box->min[axis]);
    }
    return longest;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The largest size but for a thousandth of all, beside the smallest but for a thousandth.
static double spread_of_sizes(const scene *made) {
    const size_t count = scene_finite_count(made);
    double *sizes = malloc(count * sizeof *sizes);
    assert_non_null(sizes);
    for (size_t i = 0; i < count; ++i) {
        sizes[i] = longest_edge(&scene_boxes(made)[i]);
    }
    qsort(sizes, count, sizeof *sizes, by_value);
    const double spread = sizes[count - 1 - count / 1000] / sizes[count / 1000];
    free(sizes);
    return spread;
}

static void surfaces_have_triangles_of_many_sizes(void **state) {
    (void)state;
    for (size_t i = 0; i < SURFACE_COUNT; ++i) {
        scene *made = create(SURFACES[i], (scene_options){.count = 30000, .seed = 4});
        const double spread = spread_of_sizes(made);
        if (spread < 60 || spread > 1000) {
            fail_msg("%s: sizes spread by a factor of %g", SURFACES[i], spread);
        }
        scene_destroy(made);
    }
}

// Triangles of one strip follow each other, and share two corners: their boxes touch, at first and later.
static void neighbors_on_a_surface_touch(void **state) {
    (void)state;
    for (size_t i = 0; i < SURFACE_COUNT; ++i) {
        scene *made = create(SURFACES[i], (scene_options){.count = 9000});
        size_t touching = 0;
        step_many(made, 7);
        for (size_t k = 1; k < 9000; ++k) {
            touching += (size_t)overlap(&scene_boxes(made)[k - 1], &scene_boxes(made)[k]);
        }
        if (touching < 8700) { // strips and things end, patches lie anywhere
            fail_msg("%s: %zu of 9000 touch the one before", SURFACES[i], touching);
        }
        scene_destroy(made);
    }
}

// A vertex moves at most `motion` times the mean edge, or little more where the speeds that were sampled are not the
// highest; and a surface comes back.
static void surfaces_deform_as_fast_as_asked(void **state) {
    (void)state;
    for (size_t i = 0; i < SURFACE_COUNT; ++i) {
        scene *made = create(SURFACES[i], (scene_options){.count = 4000, .motion = 0.3});
        scene *first = create(SURFACES[i], (scene_options){.count = 4000, .motion = 0.3});
        double mean = 0, largest = 0, far = 0;
        for (size_t k = 0; k < 4000; ++k) {
            mean += longest_edge(&scene_boxes(made)[k]) / 4000;
        }
        scene_step(made);
        for (size_t k = 0; k < 4000; ++k) {
            largest = fmax(largest, fabs((double)scene_boxes(made)[k].min[0] - (double)scene_boxes(first)[k].min[0]));
        }
        step_many(made, shortest() ? 600 : 3000);
        for (size_t k = 0; k < 4000; ++k) {
            far = fmax(far, fabs((double)scene_boxes(made)[k].min[0] - (double)scene_boxes(first)[k].min[0]));
        }
        if (largest < 0.02 * mean || largest > 0.4 * mean || far > 1) {
            fail_msg("%s: %g in a step, %g later, where edges are %g", SURFACES[i], largest, far, mean);
        }
        scene_destroy(made);
        scene_destroy(first);
    }
}

static size_t pairs_between(const scene *made) {
    const size_t first = scene_first_count(made);
    size_t pairs = 0;
    for (size_t i = 0; i < first; ++i) {
        for (size_t k = first; k < scene_box_count(made); ++k) {
            pairs += (size_t)overlap(&scene_boxes(made)[i], &scene_boxes(made)[k]);
        }
    }
    return pairs;
}

static void two_surfaces_meet(void **state) {
    (void)state;
    static const char *const names[] = {"scan-pair", "cloth-on-body", "terrain"};
    for (size_t i = 0; i < 3; ++i) {
        scene *made = create(names[i], (scene_options){.count = 8001});
        assert_int_equal(scene_first_count(made), 4000);
        const size_t pairs = pairs_between(made);
        if (pairs < 2000 || pairs > 40000) {
            fail_msg("%s: %zu pairs between 4000 and 4001 boxes", names[i], pairs);
        }
        scene_destroy(made);
    }
}

static void every_scene_can_be_cut(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *made = create_small(i, 1);
        assert_true(scene_first_count(made) >= 1000 && scene_first_count(made) <= 1012);
        scene_destroy(made);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Wrong calls

static void assert_refused(const char *name, scene_options options) {
    const char *error = NULL;
    assert_null(scene_create(name, &options, &error));
    assert_non_null(error);
}

static void unknown_names_are_refused(void **state) {
    (void)state;
    assert_refused("no-such-scene", (scene_options){0});
    assert_refused("", (scene_options){0});
    assert_refused(NULL, (scene_options){0});
}

static void options_without_sense_are_refused(void **state) {
    (void)state;
    assert_refused("uniform", (scene_options){.count = SIZE_MAX});
    assert_refused("reference", (scene_options){.count = BP_MAX_COUNT});
    assert_refused("uniform", (scene_options){.pairs_per_object = -1});
    assert_refused("uniform", (scene_options){.pairs_per_object = NAN});
    assert_refused("uniform", (scene_options){.motion = INFINITY});
    assert_refused("uniform", (scene_options){.motion = NAN});
    assert_refused("zych", (scene_options){.density = -1});
    assert_refused("zych", (scene_options){.velocity = -1});
    assert_refused("zych", (scene_options){.static_share = 1.5});
    assert_refused("zych", (scene_options){.alpha = 0.5, .beta = 2});
    assert_refused("zych", (scene_options){.alpha = -1});
    assert_refused("uniform-2d", (scene_options){.extent = -5});
}

static void no_options_means_defaults(void **state) {
    (void)state;
    const char *error = NULL;
    scene *made = scene_create("zych", NULL, &error);
    assert_non_null(made);
    assert_int_equal(scene_finite_count(made), 1000);
    scene_destroy(made);
    scene_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_described),
        cmocka_unit_test(boxes_are_valid_at_first_and_after_steps),
        cmocka_unit_test(few_objects_are_enough),
        cmocka_unit_test(same_seed_gives_the_same_boxes),
        cmocka_unit_test(other_seed_gives_other_boxes),
        cmocka_unit_test(negative_motion_means_rest),
        cmocka_unit_test(only_2d_scenes_are_flat),
        cmocka_unit_test(hashes_are_golden),
        cmocka_unit_test(density_gives_the_wanted_pairs),
        cmocka_unit_test(sparse_has_hardly_any_pairs),
        cmocka_unit_test(identical_boxes_stay_identical),
        cmocka_unit_test(points_have_no_size_and_some_coincide),
        cmocka_unit_test(touching_cubes_touch_all_their_neighbours),
        cmocka_unit_test(one_cell_lies_in_its_first_box),
        cmocka_unit_test(far_objects_have_sizes_where_floats_are_coarse),
        cmocka_unit_test(tiny_and_huge_spans_sixty_decades),
        cmocka_unit_test(spheres_do_not_overlap_at_first),
        cmocka_unit_test(spheres_stay_between_the_walls),
        cmocka_unit_test(groups_keep_their_shares),
        cmocka_unit_test(one_giant_whatever_the_count),
        cmocka_unit_test(zych_sizes_have_mean_one),
        cmocka_unit_test(zych_static_objects_rest),
        cmocka_unit_test(zych_velocity_changes_every_tenth_step),
        cmocka_unit_test(surfaces_have_triangles_of_many_sizes),
        cmocka_unit_test(neighbors_on_a_surface_touch),
        cmocka_unit_test(surfaces_deform_as_fast_as_asked),
        cmocka_unit_test(two_surfaces_meet),
        cmocka_unit_test(every_scene_can_be_cut),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(options_without_sense_are_refused),
        cmocka_unit_test(no_options_means_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
