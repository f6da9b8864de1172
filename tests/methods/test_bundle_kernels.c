// The loops over bundles of boxes: each instruction set against plain C, to the bit.
#include "support/support.h"

#include "base/boxes.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { BOXES = 61, BUNDLES = (BOXES + BP_BUNDLE - 1) / BP_BUNDLE, ROUNDS = 200, SEED = 53 };

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

// Boxes near each other, far ones, infinite ones and holes. In two dimensions z may be anything.
static void fill_boxes(bp_box *boxes, uint32_t dimensions, rng *random) {
    for (size_t i = 0; i < BOXES; ++i) {
        const uint32_t what = rng_below(random, 16);
        boxes[i] = what == 0 ? bp_box_hole() : random_cube(random, what == 1 ? 1e6 : 3.0, 1.0);
        if (what == 2) {
            boxes[i].min[0] = -INFINITY;
            boxes[i].max[1] = INFINITY;
        }
        if (what < 8 && dimensions == 2) {
            boxes[i].min[2] = NAN;
        }
    }
}

static size_t fill_ranges(bp_bundle_range *ranges, rng *random) {
    size_t count = 0;
    for (uint32_t begin = 0; begin < BOXES;) {
        const uint32_t wanted = 1 + rng_below(random, BP_BUNDLE), left = BOXES - begin;
        const uint32_t some = wanted < left ? wanted : left;
        ranges[count++] = begin * BP_BUNDLE + some - 1;
        begin += some;
    }
    return count;
}

static void check_bounds(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED);
    for (size_t round = 0; round < ROUNDS; ++round) {
        const uint32_t dimensions = 2 + round % 2;
        const size_t count = 1 + rng_below(&random, BOXES), bundles = (count + BP_BUNDLE - 1) / BP_BUNDLE;
        bp_box boxes[BOXES], own[BUNDLES], expected[BUNDLES];
        uint8_t own_loose[BUNDLES], loose[BUNDLES];
        fill_boxes(boxes, dimensions, &random);
        kernels->bundle_bounds(boxes, count, dimensions, own, own_loose);
        bp_kernels_scalar.bundle_bounds(boxes, count, dimensions, expected, loose);
        if (memcmp(own, expected, bundles * sizeof *own) != 0 || memcmp(own_loose, loose, bundles) != 0) {
            fail_msg("%s: other bounds than plain C for %zu boxes, dimensions %u, round %zu", name, count,
                     (unsigned)dimensions, round);
        }
    }
}

static void bounds_bundles_like_plain_c(void **state) {
    (void)state;
    for_every_set(check_bounds);
}

static void bounds_hold_all_boxes_and_loose_ones_have_gaps(void **state) {
    (void)state;
    bp_box boxes[BP_BUNDLE], bounds;
    uint8_t loose;
    for (uint32_t i = 0; i < BP_BUNDLE; ++i) {
        boxes[i] = cube_of((float)i, 0.0f, 0.0f, 1.0f); // they touch
    }
    bp_kernels_scalar.bundle_bounds(boxes, BP_BUNDLE, 3, &bounds, &loose);
    assert_false(loose);
    assert_true(bounds.max[0] - bounds.min[0] == 8.0f);
    boxes[7] = bp_box_hole();
    bp_kernels_scalar.bundle_bounds(boxes, BP_BUNDLE, 3, &bounds, &loose);
    assert_true(bounds.max[0] - bounds.min[0] == 7.0f);
    assert_true(loose);
    boxes[7] = cube_of(7.0f, 9.0f, 0.0f, 1.0f);
    bp_kernels_scalar.bundle_bounds(boxes, BP_BUNDLE, 3, &bounds, &loose);
    assert_true(loose);
}

// The same lanes, where NaNs are the same whatever their bits are.
static bool are_same(const bp_bundle_block *a, const bp_bundle_block *b) {
    bool same = true;
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t lane = 0; lane < BP_BUNDLE; ++lane) {
            const float pairs[2][2] = {{a->min[axis][lane], b->min[axis][lane]},
                                       {a->max[axis][lane], b->max[axis][lane]}};
            for (int i = 0; i < 2; ++i) {
                same &= pairs[i][0] == pairs[i][1] || (isnan(pairs[i][0]) && isnan(pairs[i][1]));
            }
        }
    }
    return same;
}

static void check_blocks(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED + 1);
    for (size_t round = 0; round < ROUNDS; ++round) {
        const uint32_t dimensions = 2 + round % 2;
        bp_box boxes[BOXES];
        bp_bundle_range ranges[BOXES];
        bp_bundle_block own[BOXES], expected[BOXES];
        fill_boxes(boxes, dimensions, &random);
        const size_t count = fill_ranges(ranges, &random);
        kernels->fill_blocks(boxes, BOXES, ranges, count, dimensions, own);
        bp_kernels_scalar.fill_blocks(boxes, BOXES, ranges, count, dimensions, expected);
        for (size_t i = 0; i < count; ++i) {
            if (!are_same(&own[i], &expected[i])) {
                fail_msg("%s: another block %zu than plain C, dimensions %u, round %zu", name, i, (unsigned)dimensions,
                         round);
            }
        }
    }
}

static void fills_blocks_like_plain_c(void **state) {
    (void)state;
    for_every_set(check_blocks);
}

// Opens bundles, and blocks of them, with the bounds of a box, and joins what is found.
static void check_search(const bp_kernels *kernels, const char *name) {
    rng random = rng_seeded(SEED + 2);
    for (size_t round = 0; round < ROUNDS; ++round) {
        const uint32_t dimensions = 2 + round % 2;
        bp_box boxes[BOXES];
        bp_bundle_range ranges[BOXES];
        bp_bundle_block blocks[BOXES];
        uint32_t opened[BOXES], found[2][(BOXES + 1) * BP_BUNDLE];
        bp_pair pairs[2][((BOXES + 1) * BP_BUNDLE + 1) * BP_BUNDLE];
        const bp_box limits = bp_box_flatten(random_cube(&random, 3.0, 2.0), dimensions);
        fill_boxes(boxes, dimensions, &random);
        const size_t count = fill_ranges(ranges, &random);
        bp_kernels_scalar.fill_blocks(boxes, BOXES, ranges, count, dimensions, blocks);
        for (size_t i = 0; i < count; ++i) {
            opened[i] = rng_below(&random, (uint32_t)count);
        }
        size_t near = kernels->open_blocks(blocks, opened, count, &limits, found[0]);
        bool same_near = near == bp_kernels_scalar.open_blocks(blocks, opened, count, &limits, found[1]);
        if (!same_near || memcmp(found[0], found[1], near * sizeof **found) != 0) {
            fail_msg("%s: other boxes of blocks than plain C, round %zu", name, round);
        }
        uint8_t lanes[2][BOXES];
        kernels->meet_lanes(&blocks[0], boxes, opened, count, lanes[0]);
        bp_kernels_scalar.meet_lanes(&blocks[0], boxes, opened, count, lanes[1]);
        if (memcmp(lanes[0], lanes[1], count) != 0) {
            fail_msg("%s: other lanes of a block than plain C, round %zu", name, round);
        }
        const bp_bundle_list list = {boxes, BOXES, ranges, opened, count};
        near = kernels->open_bundles(&list, &limits, dimensions, found[0]);
        same_near = near == bp_kernels_scalar.open_bundles(&list, &limits, dimensions, found[1]);
        if (!same_near || memcmp(found[0], found[1], near * sizeof **found) != 0) {
            fail_msg("%s: other boxes than plain C, round %zu", name, round);
        }
        const bp_block_join join = {.a_boxes = boxes,
                                    .a_ids = found[0],
                                    .a_count = near,
                                    .b_block = &blocks[count / 2],
                                    .b_begin = round % 4 < 2 ? 1000 : rng_below(&random, BOXES),
                                    .dimensions = dimensions,
                                    .is_one_set = round % 4 >= 2};
        const size_t hits = kernels->join_block(&join, pairs[0]);
        const bool same_hits = hits == bp_kernels_scalar.join_block(&join, pairs[1]);
        if (!same_hits || memcmp(pairs[0], pairs[1], hits * sizeof **pairs) != 0) {
            fail_msg("%s: other pairs than plain C, round %zu", name, round);
        }
    }
}

static void opens_and_joins_blocks_like_plain_c(void **state) {
    (void)state;
    for_every_set(check_search);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_bundles_like_plain_c),
        cmocka_unit_test(bounds_hold_all_boxes_and_loose_ones_have_gaps),
        cmocka_unit_test(fills_blocks_like_plain_c),
        cmocka_unit_test(opens_and_joins_blocks_like_plain_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
