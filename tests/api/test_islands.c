// Islands: whatever is on them and wherever they are, the pairs are those of brute force; and where they are does not matter
// for the time.
#include "support/view_scenes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 700, ROOM = COUNT + 40, STEPS = 24, SEED = 17 };

// ---- worlds ---------------------------------------------------------------------------------------------------------

// Islands: how many, and where the boxes of one are.
typedef struct setting {
    const char *name;
    uint32_t islands;
    bp_box_double (*box)(rng *random, uint32_t island);
} setting;

static bp_box_double cube_at(rng *random, double x, double extent, double size) {
    bp_box_double box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = rng_between(random, 0, extent) + (axis == 0 ? x : 0);
        box.max[axis] = box.min[axis] + rng_between(random, 0, size);
    }
    return box;
}

static bp_box_double at_one_place(rng *random, uint32_t island) {
    (void)island;
    return cube_at(random, 0, 4, 1);
}

static bp_box_double side_by_side(rng *random, uint32_t island) {
    return cube_at(random, island * 6.0, 4, 1);
}

static bp_box_double in_three_places(rng *random, uint32_t island) {
    return cube_at(random, island % 3 * 1000.0, 4, 1);
}

// Ground and walls without an end, and a platform that is much larger than its island.
static bp_box_double with_planes(rng *random, uint32_t island) {
    bp_box_double box = at_one_place(random, island);
    const uint32_t kind = rng_below(random, 12), axis = rng_below(random, 3);
    if (kind < 2) {
        box.min[axis] = -INFINITY;
        box.max[axis] = kind == 0 ? INFINITY : box.max[axis];
    }
    if (kind == 2) {
        box.min[axis] = -1e4;
        box.max[axis] = 1e4;
    }
    return box;
}

static bp_box_double with_fallen(rng *random, uint32_t island) {
    bp_box_double box = at_one_place(random, island);
    const double fall = rng_below(random, 10) == 0 ? rng_between(random, 0, 1e6) : 0;
    box.min[2] -= fall;
    box.max[2] -= fall;
    return box;
}

// Half of the boxes are so small that they coincide in floats that also hold the others.
static bp_box_double with_dust(rng *random, uint32_t island) {
    return rng_below(random, 2) == 0 ? cube_at(random, 0, 1e-6, 1e-7) : cube_at(random, 1e3 * (island + 1), 1e3, 10);
}

static bp_box_double points(rng *random, uint32_t island) {
    bp_box_double box = cube_at(random, island % 2 * 7.0, 1, 0);
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = box.max[axis] = round(box.min[axis] * 4);
    }
    return box;
}

static bp_box_double of_all_sizes(rng *random, uint32_t island) {
    return cube_at(random, pow(10, island % 60 - 30.0), pow(10, island % 70 - 35.0), pow(10, island % 70 - 36.0));
}

static bp_box_double without_measure(rng *random, uint32_t island) {
    const double ends[] = {-INFINITY, -(double)FLT_MAX, -1e30, -1, 0, 1e-40, 1, 1e30, (double)FLT_MAX, INFINITY};
    bp_box_double box;
    (void)island;
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t low = rng_below(random, 9), high = low + rng_below(random, 10 - low);
        box.min[axis] = ends[low];
        box.max[axis] = ends[high];
    }
    return box;
}

static const setting SETTINGS_OF_ISLANDS[] = {
    {"one place", 20, at_one_place},
    {"side by side", 20, side_by_side},
    {"three places", 9, in_three_places},
    {"planes", 20, with_planes},
    {"fallen", 12, with_fallen},
    {"dust", 2, with_dust},
    {"points", 4, points},
    {"of all sizes", 70, of_all_sizes},
    {"without measure", 30, without_measure},
    {"one box each", COUNT, at_one_place},
};

typedef struct model {
    bp_world *world;
    bp_config config;
    const setting *setting;
    bool wide;
    rng random;
    uint32_t islands; // in use now
    size_t count;
    bp_box_double boxes[ROOM];
    bp_object objects[ROOM];
    bool alive[ROOM];
    uint64_t hash;
    int step;
} model;

static void expect_fine(const model *m, bp_status status) {
    char text[CONFIG_TEXT];
    if (status != BP_OK) {
        fail_msg("%s: %s step=%d wide=%d %s", bp_status_text(status), m->setting->name, m->step, m->wide,
                 config_text(&m->config, text));
    }
}

static bp_object draw_object(model *m) {
    const uint32_t island = rng_below(&m->random, m->islands);
    return (bp_object){.group = m->step % 4 == 3 ? rng_below(&m->random, 4) : 0,
                       .flags = m->step % 4 == 3 && rng_below(&m->random, 3) == 0 ? BP_STATIC : 0,
                       .island = island * 0x9e3779b1u};
}

static float as_float(double value) {
    return isinf(value) || fabs(value) < (double)FLT_MAX ? (float)value : copysignf(FLT_MAX, (float)value);
}

static bp_box as_floats(const bp_box_double *box) {
    bp_box floats;
    for (int axis = 0; axis < 3; ++axis) {
        floats.min[axis] = as_float(box->min[axis]);
        floats.max[axis] = as_float(box->max[axis]);
    }
    return floats;
}

// A new box for an id, no longer than a period.
static bp_box draw_box(model *m, size_t id) {
    bp_box_double box = m->setting->box(&m->random, m->objects[id].island / 0x9e3779b1u % m->setting->islands);
    for (int axis = 0; axis < 3; ++axis) {
        const double period = (double)m->config.period[axis];
        if (period > 0 && isfinite(box.max[axis] - box.min[axis]) && box.max[axis] - box.min[axis] > period) {
            box.max[axis] = box.min[axis] + period / 2;
        }
    }
    const bp_box floats = as_floats(&box);
    for (int axis = 0; axis < 3 && !m->wide; ++axis) {
        box.min[axis] = (double)floats.min[axis];
        box.max[axis] = (double)floats.max[axis];
    }
    m->boxes[id] = box;
    return floats;
}

static void add_one(model *m) {
    size_t id = 0;
    while (id < m->count && m->alive[id]) {
        ++id;
    }
    m->count += id == m->count;
    m->alive[id] = true;
    m->objects[id] = draw_object(m);
    const bp_box floats = draw_box(m, id);
    bp_id given = BP_NO_ID;
    expect_fine(m, m->wide ? bp_add_double(m->world, &m->boxes[id], &m->objects[id], &given)
                           : bp_add(m->world, &floats, &m->objects[id], &given));
    assert_int_equal(given, id);
}

static void move_one(model *m, size_t id) {
    const bp_box floats = draw_box(m, id);
    expect_fine(m,
                m->wide ? bp_move_double(m->world, (bp_id)id, &m->boxes[id]) : bp_move(m->world, (bp_id)id, &floats));
}

static void change_one(model *m, size_t id) {
    m->objects[id] = draw_object(m);
    expect_fine(m, bp_set_object(m->world, (bp_id)id, &m->objects[id]));
}

// The naive pairs of boxes that are alive, by id.
static pair_list expected_pairs(const model *m) {
    bp_box_double living[ROOM];
    uint32_t ids[ROOM];
    size_t count = 0;
    for (size_t id = 0; id < m->count; ++id) {
        if (m->alive[id]) {
            living[count] = m->boxes[id];
            ids[count++] = (uint32_t)id;
        }
    }
    pair_list pairs = naive_view_pairs(living, count, m->wide, &m->config);
    for (size_t i = 0; i < pairs.count; ++i) {
        pairs.data[i] = (bp_pair){ids[pairs.data[i].a], ids[pairs.data[i].b]};
    }
    naive_filter(&pairs, m->objects);
    return pairs;
}

static void update(model *m) {
    bp_result result;
    char text[CONFIG_TEXT];
    expect_fine(m, bp_update(m->world, &result));
    expect_fine(m, bp_world_validate(m->world));
    pair_list expected = expected_pairs(m);
    expect_pairs(result.pairs, result.pair_count, &expected, "%s step=%d wide=%d %s", m->setting->name, m->step,
                 m->wide, config_text(&m->config, text));
    pair_list_free(&expected);
    for (size_t i = 0; i < result.pair_count; ++i) {
        m->hash = (m->hash ^ ((uint64_t)result.pairs[i].a << 32 | result.pairs[i].b)) * 0x9e3779b97f4a7c15u;
    }
}

// All move, or a few do; some come, go, or change their island; sometimes all are on one island, or on two.
static void take_step(model *m) {
    const uint32_t phase = (uint32_t)m->step % 8;
    m->islands = phase == 6 ? 1 + (uint32_t)m->step % 3 : m->setting->islands;
    for (size_t id = 0; id < m->count; ++id) {
        if (m->alive[id] && (phase == 0 || rng_below(&m->random, 50) == 0)) {
            move_one(m, id);
        }
        if (m->alive[id] && (phase == 6 || phase == 7 || (phase > 3 && rng_below(&m->random, 60) == 0))) {
            change_one(m, id);
        }
        if (m->alive[id] && phase > 2 && rng_below(&m->random, 100) == 0) {
            expect_fine(m, bp_remove(m->world, (bp_id)id));
            m->objects[id] = (bp_object){0};
            m->alive[id] = false;
        }
    }
    while (phase > 1 && bp_world_count(m->world) < COUNT + phase) {
        add_one(m);
    }
}

static uint64_t run_story(const bp_config *config, const setting *where, bool wide) {
    model *m = obtain(1, sizeof *m);
    *m = (model){
        .config = *config, .setting = where, .wide = wide, .random = rng_seeded(SEED), .islands = where->islands};
    expect_fine(m, bp_world_create(config, &m->world));
    while (m->count < COUNT) {
        add_one(m);
    }
    for (; m->step < STEPS; ++m->step) {
        take_step(m);
        update(m);
    }
    const uint64_t hash = m->hash;
    bp_world_destroy(m->world);
    free(m);
    return hash;
}

static void run_stories(const bp_config *configs, size_t count, bool wide) {
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < COUNT_OF(SETTINGS_OF_ISLANDS); ++k) {
            if (in_turn()) {
                (void)run_story(&configs[i], &SETTINGS_OF_ISLANDS[k], wide);
            }
        }
    }
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static void pairs_are_those_of_brute_force(void **state) {
    (void)state;
    const bp_config configs[] = {
        {0},
        {.method = BP_METHOD_TREE, .flags = BP_EVENTS},
        {.method = BP_METHOD_TREE, .dimensions = 2},
        {.dimensions = 2, SETTINGS(.brute_force_below = 1)},
        {.update = BP_UPDATE_INDIVIDUAL, SETTINGS(.brute_force_below = 1)},
        {.update = BP_UPDATE_REBUILD, .threads = 3},
        {.method = BP_METHOD_BVH},
        {.method = BP_METHOD_SWEEP_AND_PRUNE},
        {.method = BP_METHOD_LOOSE_OCTREE},
        {.method = BP_METHOD_LINKED_CELLS, SETTINGS(.domain = {{-9, -9, -9}, {9, 9, 9}})},
    };
    run_stories(configs, COUNT_OF(configs), false);
}

static void so_they_are_in_64_bits_as_spheres_and_in_periods(void **state) {
    (void)state;
    const bp_config configs[] = {
        {.method = BP_METHOD_TREE},
        {.dimensions = 2},
        {.shape = BP_SHAPE_SPHERES, .method = BP_METHOD_TREE},
        {.period = {9, 0, 4}, SETTINGS(.brute_force_below = 1)},
        {.period = {0, 5, 0}, .method = BP_METHOD_TREE, .dimensions = 2, .shape = BP_SHAPE_SPHERES},
    };
    run_stories(configs, COUNT_OF(configs), true);
    run_stories(configs + 2, COUNT_OF(configs) - 2, false);
}

static void the_lists_have_the_same_bytes_for_all_threads(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    static const bp_method methods[] = {BP_METHOD_AUTO, BP_METHOD_TREE};
    for (size_t k = 0; k < 2 * COUNT_OF(SETTINGS_OF_ISLANDS); ++k) {
        uint64_t first = 0;
        for (size_t i = 0; i < COUNT_OF(threads) && in_turn(); ++i) {
            const bp_config config = {.threads = threads[i], .method = methods[k % 2]};
            const uint64_t hash = run_story(&config, &SETTINGS_OF_ISLANDS[k / 2], false);
            first = i == 0 ? hash : first;
            assert_true(hash == first);
        }
    }
}

// How many candidates an update tests for each pair and box, when all boxes have moved.
static double tests_of(const bp_config *config, const setting *s, size_t island_count, size_t count) {
    rng random = rng_seeded(SEED);
    bp_world *world;
    bp_result result = {0};
    bp_box *boxes = obtain(count, sizeof *boxes);
    bp_object *objects = obtain(count, sizeof *objects);
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    for (size_t round = 0; round < 2; ++round) {
        for (size_t i = 0; i < count; ++i) {
            objects[i] = (bp_object){.island = (uint32_t)(i % island_count)};
            const bp_box_double box = s->box(&random, objects[i].island);
            boxes[i] = as_floats(&box);
        }
        assert_int_equal(round == 0 ? bp_add_many(world, count, boxes, objects, NULL)
                                    : bp_move_many(world, count, NULL, boxes),
                         BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
    }
    bp_world_destroy(world);
    free(boxes);
    free(objects);
    return (double)result.stats.tests / (double)(result.pair_count + count);
}

static void islands_at_one_place_are_tested_like_islands_side_by_side(void **state) {
    (void)state;
    static const size_t counts[] = {64, 700};
    const bp_config configs[] = {{0}, {.method = BP_METHOD_TREE}, {.method = BP_METHOD_TREE, .dimensions = 2}};
    for (size_t i = 0; i < COUNT_OF(configs); ++i) {
        for (size_t k = 0; k < COUNT_OF(counts); ++k) {
            const size_t islands = counts[k], count = 50 * islands;
            const double apart = tests_of(&configs[i], &SETTINGS_OF_ISLANDS[1], islands, count);
            for (size_t other = 0; other < 5; ++other) {
                const double tests = tests_of(&configs[i], &SETTINGS_OF_ISLANDS[other], islands, count);
                assert_true(tests < (SETTINGS_OF_ISLANDS[other].box == with_planes ? 6.0 : 1.5) * apart);
            }
        }
    }
}

// Dust in each of two islands, and large boxes far away: moved, the dust would be one point.
static void small_boxes_do_not_coincide(void **state) {
    (void)state;
    const bp_config config = {.method = BP_METHOD_TREE};
    const size_t count = 20000;
    assert_true(tests_of(&config, &SETTINGS_OF_ISLANDS[5], 2, count) < 50.0); // moved, it would be 600
}

static void nobody_needs_to_be_alive(void **state) {
    (void)state;
    bp_world *world;
    bp_result result;
    const bp_box box = cube_of(0, 0, 0, 1);
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    for (uint32_t round = 0; round < 2; ++round) {
        for (uint32_t island = 0; island < 3; ++island) {
            assert_int_equal(bp_add(world, &box, &(bp_object){.island = island}, &(bp_id){0}), BP_OK);
        }
        for (bp_id id = 0; id < 3; ++id) {
            assert_int_equal(bp_remove(world, id), BP_OK);
        }
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.pair_count, 0);
    }
    bp_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_brute_force),
        cmocka_unit_test(so_they_are_in_64_bits_as_spheres_and_in_periods),
        cmocka_unit_test(the_lists_have_the_same_bytes_for_all_threads),
        cmocka_unit_test(islands_at_one_place_are_tested_like_islands_side_by_side),
        cmocka_unit_test(small_boxes_do_not_coincide),
        cmocka_unit_test(nobody_needs_to_be_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
