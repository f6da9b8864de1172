// Worlds whose objects are on two sides that never pair within their own: whatever groups, masks, islands and flags are,
// and however they change, pairs and events are those of brute force.
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 900, ROOM = COUNT + 64, STEPS = 40, SEED = 41 };

// ---- layouts --------------------------------------------------------------------------------------------------------

static const bp_object FIRST = {.group = 1, .mask = 2}, SECOND = {.group = 2, .mask = 1};

static bp_object halves(size_t id) {
    return id < COUNT / 2 ? FIRST : SECOND;
}

static bp_object in_turns(size_t id) {
    return id % 2 == 0 ? SECOND : FIRST;
}

// Each island has its own two sides.
static bp_object islands(size_t id) {
    bp_object object = halves(id);
    object.island = id % 3 == 0;
    return object;
}

// Static objects, and others that meet only these.
static bp_object fixed_and_free(size_t id) {
    return id % 5 < 2 ? (bp_object){.group = 1, .flags = BP_STATIC} : (bp_object){.group = 2, .mask = 1};
}

// The middle group meets two that do not meet each other; and there are bystanders, who meet nobody.
static bp_object chain(size_t id) {
    static const bp_object objects[] = {
        {.group = 1, .mask = 2}, {.group = 2, .mask = 5}, {.group = 4, .mask = 2}, {.group = 8, .mask = 16}};
    return objects[id / 7 % 4];
}

// Groups that meet in a circle of three: two sides are not enough.
static bp_object circle(size_t id) {
    static const bp_object objects[] = {{.group = 1, .mask = 6}, {.group = 2, .mask = 5}, {.group = 4, .mask = 3}};
    return objects[id % 3];
}

static bp_object nobody(size_t id) {
    return (bp_object){.group = 1 + (uint32_t)(id % 2), .mask = 4};
}

static bp_object everybody(size_t id) {
    return (bp_object){.user = id};
}

static bp_object many_kinds(size_t id) {
    bp_object object = halves(id);
    object.island = (uint32_t)(id % 31);
    return object;
}

typedef bp_object layout(size_t id);

static layout *const LAYOUTS[] = {halves,    in_turns, halves, islands, fixed_and_free, chain,  circle,
                                  everybody, nobody,   halves, chain,   many_kinds,     islands};

// ---- a world and its model ------------------------------------------------------------------------------------------

typedef struct model {
    bp_world *world;
    bp_config config;
    rng random;
    bool is_surface, is_wide;
    bp_box boxes[ROOM]; // holes are NaNs
    bp_object objects[ROOM];
    bool reborn[ROOM];
    size_t count;
    pair_list last;
    layout *now;
    int step;
    uint64_t hash; // of all lists, as bytes
} model;

static bp_box draw_box(model *m, size_t id) {
    if (!m->is_surface) {
        return random_cube(&m->random, 9.0, 0.7);
    }
    // Each layer is in the order of a mesh, which begins elsewhere now and then.
    const size_t place = (id + 170 * (size_t)(m->step / 10)) % (COUNT / 2);
    const float x = 0.2f * (float)(place % 75), y = 0.2f * (float)(place / 75);
    return box_of(x, y, random_between(&m->random, 0.0, 0.3), 0.25f, 0.25f, 0.2f);
}

static bool is_alive(const model *m, size_t id) {
    return !isnan(m->boxes[id].min[0]);
}

static void expect_fine(const model *m, bp_status status) {
    char text[CONFIG_TEXT];
    if (status != BP_OK) {
        fail_msg("%s: step=%d %s", bp_status_text(status), m->step, config_text(&m->config, text));
    }
}

static void lay_out(model *m, layout *next) {
    m->now = next;
    for (size_t id = 0; id < m->count; ++id) {
        if (is_alive(m, id)) {
            m->objects[id] = next(id);
            expect_fine(m, bp_set_object(m->world, (bp_id)id, &m->objects[id]));
        }
    }
}

static void add_one(model *m) {
    bp_id id = UINT32_MAX;
    size_t expected = 0;
    while (expected < m->count && is_alive(m, expected)) {
        ++expected;
    }
    const bp_box box = draw_box(m, expected);
    const bp_object object = m->now(expected);
    expect_fine(m, bp_add(m->world, &box, &object, &id));
    assert_int_equal(id, expected);
    m->reborn[id] = id < m->count;
    m->count += id == m->count;
    m->boxes[id] = box;
    m->objects[id] = object;
}

static void remove_one(model *m) {
    const size_t id = rng_below(&m->random, (uint32_t)m->count);
    if (is_alive(m, id)) {
        expect_fine(m, bp_remove(m->world, (bp_id)id));
        m->boxes[id] = (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    }
}

static void move_some(model *m, uint32_t share) {
    for (size_t id = 0; id < m->count; ++id) {
        if (is_alive(m, id) && rng_below(&m->random, share) == 0) {
            m->boxes[id] = draw_box(m, id);
            expect_fine(m, bp_move(m->world, (bp_id)id, &m->boxes[id]));
        }
    }
}

// From now on the world is one of 64 bits.
static void move_wide(model *m) {
    bp_box_double wide;
    const bp_id id = 0;
    if (!is_alive(m, id)) {
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        wide.min[axis] = (double)m->boxes[id].min[axis];
        wide.max[axis] = (double)m->boxes[id].max[axis];
    }
    expect_fine(m, bp_move_double(m->world, id, &wide));
}

// ---- against brute force --------------------------------------------------------------------------------------------

static pair_list changed_pairs(const model *m, const pair_list *of, const pair_list *against) {
    pair_list events = {0};
    for (size_t i = 0; i < of->count; ++i) {
        const bp_pair pair = of->data[i];
        if (m->reborn[pair.a] || m->reborn[pair.b] || !pairs_contain(against->data, against->count, pair)) {
            pair_list_push(&events, pair.a, pair.b);
        }
    }
    return events;
}

static void check_events(const model *m, const bp_result *result, const pair_list *pairs) {
    pair_list begun = changed_pairs(m, pairs, &m->last), ended = changed_pairs(m, &m->last, pairs);
    expect_pairs(result->begun, result->begun_count, &begun, "begun, step=%d", m->step);
    expect_pairs(result->ended, result->ended_count, &ended, "ended, step=%d", m->step);
    pair_list_free(&begun);
    pair_list_free(&ended);
}

static void add_to_hash(model *m, const bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        m->hash = (m->hash ^ ((uint64_t)pairs[i].a << 32 | pairs[i].b)) * 0x9e3779b97f4a7c15u;
        m->hash ^= m->hash >> 29;
    }
}

static void update(model *m) {
    bp_result result;
    char text[CONFIG_TEXT];
    expect_fine(m, bp_update(m->world, &result));
    expect_fine(m, bp_world_validate(m->world));
    add_to_hash(m, result.pairs, result.pair_count);
    add_to_hash(m, result.begun, result.begun_count);
    if (m->config.margin > 0.0f || m->config.period[0] > 0.0f) {
        return;
    }
    pair_list expected = naive_pairs(m->boxes, m->count, m->config.dimensions == 2 ? 2 : 3);
    naive_filter(&expected, m->objects);
    expect_pairs(result.pairs, result.pair_count, &expected, "step=%d %s", m->step, config_text(&m->config, text));
    assert_int_equal(result.stats.pairs, expected.count);
    assert_int_equal(result.stats.objects, bp_world_count(m->world));
    if (m->config.pair_order == BP_ORDER_SORTED && expected.count > 0) {
        assert_memory_equal(result.pairs, expected.data, expected.count * sizeof *expected.data);
    }
    if ((m->config.flags & BP_EVENTS) != 0) {
        check_events(m, &result, &expected);
    }
    pair_list_free(&m->last);
    m->last = expected;
    memset(m->reborn, 0, sizeof m->reborn);
}

static void check_query(const model *m) {
    if (m->config.margin > 0.0f || m->config.period[0] > 0.0f) {
        return;
    }
    const bp_box around = cube_of(-1, -1, -1, 2);
    size_t found = 0, expected = 0;
    bp_id ids[ROOM];
    for (size_t id = 0; id < m->count; ++id) {
        bool inside = is_alive(m, id);
        for (int axis = 0; axis < (m->config.dimensions == 2 ? 2 : 3); ++axis) {
            inside &= m->boxes[id].min[axis] <= around.max[axis] && around.min[axis] <= m->boxes[id].max[axis];
        }
        expected += inside;
    }
    expect_fine(m, bp_query_box(m->world, &around, NULL, ids, ROOM, &found));
    assert_int_equal(found, expected);
}

// Layouts take turns; so do steps in which all, many or few objects move, come and go.
static void take_step(model *m) {
    const int phase = m->step % 10;
    if (m->step % 3 == 2) {
        lay_out(m, LAYOUTS[(size_t)m->step / 3 % COUNT_OF(LAYOUTS)]);
    }
    for (uint32_t i = 0; i < 3 && phase % 4 == 1; ++i) {
        remove_one(m);
    }
    for (uint32_t i = 0; i < 2 && phase % 4 == 3; ++i) {
        add_one(m);
    }
    move_some(m, phase < 5 ? 1 : phase < 7 ? 4 : 100);
    const bool is_asked = m->step % 7 > 3; // some updates find that there were queries, others that there were none
    if (is_asked) {
        check_query(m);
    }
    if (m->is_wide && m->step == STEPS / 2) {
        move_wide(m);
    }
    update(m);
    if (is_asked) {
        check_query(m);
    }
}

static uint64_t run_story(const bp_config *config, bool is_surface, bool is_wide) {
    model *m = obtain(1, sizeof *m);
    *m = (model){.config = *config, .random = rng_seeded(SEED), .is_surface = is_surface, .is_wide = is_wide};
    m->now = halves;
    expect_fine(m, bp_world_create(config, &m->world));
    while (m->count < COUNT) {
        add_one(m);
    }
    for (m->step = 0; m->step < STEPS; ++m->step) {
        take_step(m);
    }
    const uint64_t hash = m->hash;
    bp_world_destroy(m->world);
    pair_list_free(&m->last);
    free(m);
    return hash;
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static void pairs_and_events_are_those_of_brute_force(void **state) {
    (void)state;
    const bp_config configs[] = {
        {.flags = BP_EVENTS},
        {.pair_order = BP_ORDER_SORTED, .flags = BP_EVENTS},
        {.method = BP_METHOD_HIERARCHICAL_GRID, .dimensions = 2},
        {.update = BP_UPDATE_REBUILD, .flags = BP_EVENTS},
        {.update = BP_UPDATE_INDIVIDUAL, .flags = BP_EVENTS},
        {.method = BP_METHOD_BVH, .flags = BP_EVENTS},
        {.method = BP_METHOD_HIERARCHICAL_GRID, SETTINGS(.hierarchy_factor = 2.0f)},
        {.update = BP_UPDATE_INDIVIDUAL, .flags = BP_EVENTS, SETTINGS(.hierarchy_factor = 2.0f)},
        {.flags = BP_EVENTS, SETTINGS(.simd = BP_SIMD_SCALAR)},
    };
    for (size_t i = 0; i < COUNT_OF(configs); ++i) {
        (void)run_story(&configs[i], i % 2 == 0, false);
        (void)run_story(&configs[i], i % 2 != 0, true);
    }
}

static void the_lists_have_the_same_bytes_for_all_threads(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    uint64_t first[2] = {0, 0};
    for (size_t i = 0; i < COUNT_OF(threads); ++i) {
        const bp_config config = {.threads = threads[i], .flags = BP_EVENTS};
        for (int is_surface = 0; is_surface < 2; ++is_surface) {
            const uint64_t hash = run_story(&config, is_surface != 0, false);
            first[is_surface] = i == 0 ? hash : first[is_surface];
            assert_true(hash == first[is_surface]);
        }
    }
}

// What a plain model does not know: the method brute-force does, and knows no sides.
static void margins_and_periods_are_as_with_brute_force(void **state) {
    (void)state;
    const bp_config configs[] = {
        {.margin = 0.2f, .pair_order = BP_ORDER_SORTED, .flags = BP_EVENTS},
        {.period = {9, 9, 9}, .pair_order = BP_ORDER_SORTED, .flags = BP_EVENTS},
        {.margin = 0.1f, .period = {0, 9, 0}, .pair_order = BP_ORDER_SORTED},
    };
    for (size_t i = 0; i < COUNT_OF(configs); ++i) {
        bp_config other = configs[i];
        other.method = BP_METHOD_BRUTE_FORCE;
        assert_true(run_story(&configs[i], i == 0, false) == run_story(&other, i == 0, false));
    }
}

// Allocation number k is refused, and what met it is done again. False if nothing got so far.
static bool is_refused(size_t k, layout *then) {
    test_allocator allocator;
    test_allocator_init(&allocator);
    const bp_config config = {.flags = BP_EVENTS, .allocator = test_allocator_hook(&allocator)};
    model *m = obtain(1, sizeof *m);
    *m = (model){.config = config, .random = rng_seeded(SEED), .now = in_turns};
    expect_fine(m, bp_world_create(&config, &m->world));
    while (m->count < COUNT) {
        add_one(m);
    }
    for (m->step = 0; m->step < 3; ++m->step) {
        bp_result result;
        move_some(m, 1);
        test_allocator_fail(&allocator, m->step == 1 ? k : 0, false);
        const bp_status status = m->step == 1 ? bp_update(m->world, &result) : BP_OK;
        assert_true(status == BP_OK || (status == BP_ERROR_MEMORY && allocator.refused > 0));
        const bool met = allocator.refused > 0;
        test_allocator_fail(&allocator, 0, false);
        if (m->step == 1 && !met) {
            k = 0;
        }
        m->config.flags = m->step == 1 ? 0 : config.flags; // events of an update that was tried before are not known
        update(m);
        lay_out(m, then);
    }
    bp_world_destroy(m->world);
    pair_list_free(&m->last);
    free(m);
    test_allocator_finish(&allocator);
    return k > 0;
}

static void every_refusal_of_memory_is_survived(void **state) {
    (void)state;
    layout *const layouts[] = {halves, islands, chain};
    for (size_t i = 0; i < COUNT_OF(layouts); ++i) {
        for (size_t k = 1; is_refused(k, layouts[i]); ++k) {
            assert_true(k < 1000);
        }
    }
}

// Two crowds that are nowhere near each other.
static uint64_t tests_of_two_crowds(layout *of, const bp_config *config, bool is_asked) {
    bp_world *world = NULL;
    bp_result result = {0};
    rng random = rng_seeded(SEED);
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    for (size_t id = 0; id < COUNT; ++id) {
        const bp_object object = of(id);
        bp_box box = random_cube(&random, 6.0, 1.0);
        const float shift = object.group == 2 ? 100.0f : 0.0f;
        box.min[0] += shift;
        box.max[0] += shift;
        assert_int_equal(bp_add(world, &box, &object, NULL), BP_OK);
    }
    if (is_asked) {
        size_t found = 0;
        assert_int_equal(bp_query_box(world, &(bp_box){.max = {1, 1, 1}}, NULL, NULL, 0, &found), BP_ERROR_CAPACITY);
        assert_true(found > 0);
    }
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(result.pair_count, 0);
    bp_world_destroy(world);
    return result.stats.tests;
}

static void nothing_is_tested_within_a_side(void **state) {
    (void)state;
    const bp_config usual = {0}, levels = {.method = BP_METHOD_HIERARCHICAL_GRID, SETTINGS(.hierarchy_factor = 2.0f)};
    assert_int_equal(tests_of_two_crowds(halves, &usual, false), 0);
    assert_int_equal(tests_of_two_crowds(in_turns, &usual, false), 0);
    assert_int_equal(tests_of_two_crowds(fixed_and_free, &usual, false), 0);
    assert_int_equal(tests_of_two_crowds(nobody, &usual, false), 0);
    assert_int_equal(tests_of_two_crowds(in_turns, &usual, true), 0); // queries have a grid of their own
    assert_true(tests_of_two_crowds(halves, &levels, false) > 0);     // which were asked for
}

// A filter is asked about pairs between the sides only, by their ids.
static int pass_even_sums(void *context, bp_id a, bp_id b) {
    size_t *asked = context;
    assert_true(a < b && (in_turns(a).group & in_turns(b).mask) != 0);
    ++*asked;
    return (a + b) % 4 == 1;
}

static void a_filter_sees_ids(void **state) {
    (void)state;
    size_t asked = 0;
    const bp_config config = {.filter = {.pass = pass_even_sums, .context = &asked}};
    bp_world *world = NULL;
    bp_result result;
    bp_box boxes[COUNT];
    bp_object objects[COUNT];
    rng random = rng_seeded(SEED);
    for (size_t id = 0; id < COUNT; ++id) {
        boxes[id] = random_cube(&random, 9.0, 1.0);
        objects[id] = in_turns(id);
    }
    pair_list all = naive_pairs(boxes, COUNT, 3), expected = {0};
    naive_filter(&all, objects);
    for (size_t i = 0; i < all.count; ++i) {
        if ((all.data[i].a + all.data[i].b) % 4 == 1) {
            pair_list_push(&expected, all.data[i].a, all.data[i].b);
        }
    }
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, boxes, objects, NULL), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    expect_pairs(result.pairs, result.pair_count, &expected, "filtered");
    assert_int_equal(asked, all.count);
    bp_world_destroy(world);
    pair_list_free(&all);
    pair_list_free(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_and_events_are_those_of_brute_force),
        cmocka_unit_test(the_lists_have_the_same_bytes_for_all_threads),
        cmocka_unit_test(margins_and_periods_are_as_with_brute_force),
        cmocka_unit_test(every_refusal_of_memory_is_survived),
        cmocka_unit_test(nothing_is_tested_within_a_side),
        cmocka_unit_test(a_filter_sees_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
