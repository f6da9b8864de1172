// Random sequences of changes against a naive model: the same ids, the same objects, the same pairs.
//
// A failure prints the seed. BP_TEST_SEED=n runs one more sequence, with that seed.
#include "support/naive_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 900, PHASE = 90, OBJECTS_MOST = 600, MANY_MOST = 60 };

static const uint64_t SEEDS[] = {1, 20090817, 0xfeedface};

typedef struct model {
    bp_world *world;
    bp_config config;
    uint64_t seed;
    int step;
    const char *action;
    rng random;
    // The naive world: by id; a dead one has a box of NaNs.
    bp_box boxes[OBJECTS_MOST];
    bp_object objects[OBJECTS_MOST];
    bool alive[OBJECTS_MOST];
    bp_id id_count; // ids that were ever given out
    size_t count;
    // What the events of the next update are counted from.
    pair_list last;             // the pairs of the last update
    bool reborn[OBJECTS_MOST];  // there at the last update, removed since, and given out again
    bool existed[OBJECTS_MOST]; // there at the last update
    size_t updates, patched;
} model;

// ---- naive ----------------------------------------------------------------------------------------------------------

static const bp_box DEAD = {.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};

static void expect_status(const model *m, bp_status status, bp_status expected) {
    char text[CONFIG_TEXT];
    if (status != expected) {
        fail_msg("%s: \"%s\" instead of \"%s\": seed=%llu step=%d %s", m->action, bp_status_text(status),
                 bp_status_text(expected), (unsigned long long)m->seed, m->step, config_text(&m->config, text));
    }
}

static void expect_id(const model *m, bp_id id, bp_id expected) {
    char text[CONFIG_TEXT];
    if (id != expected) {
        fail_msg("%s: id %u instead of %u: seed=%llu step=%d %s", m->action, id, expected, (unsigned long long)m->seed,
                 m->step, config_text(&m->config, text));
    }
}

static bp_id model_add(model *m, bp_box box, bp_object object) {
    bp_id id = 0;
    while (id < m->id_count && m->alive[id]) {
        ++id;
    }
    m->id_count += id == m->id_count ? 1 : 0;
    m->alive[id] = true;
    m->reborn[id] = m->existed[id];
    m->boxes[id] = box;
    m->objects[id] = object;
    ++m->count;
    return id;
}

static void model_remove(model *m, bp_id id) {
    m->alive[id] = false;
    m->boxes[id] = DEAD;
    --m->count;
}

// A living id if there is one; else false.
static bool pick(model *m, bp_id *id) {
    if (m->count == 0) {
        return false;
    }
    do {
        *id = rng_below(&m->random, m->id_count);
    } while (!m->alive[*id]);
    return true;
}

static bp_box draw_box(model *m) {
    return random_wild_box(&m->random, m->boxes, m->id_count);
}

// Usually near its old place, as things move.
static bp_box draw_move(model *m, bp_id id) {
    bp_box box = m->boxes[id];
    if (rng_below(&m->random, 4) == 0) {
        return draw_box(m);
    }
    for (int axis = 0; axis < 3; ++axis) {
        const float shift = random_between(&m->random, -0.2, 0.2);
        box.min[axis] += shift;
        box.max[axis] += shift;
    }
    return box;
}

// In one of the sequences most objects are static and a few are on an island; in one there are many islands, in one none.
static bp_object draw_object(model *m) {
    const uint32_t island = m->seed == SEEDS[0]   ? rng_below(&m->random, 8) == 0
                            : m->seed == SEEDS[1] ? rng_below(&m->random, 12)
                                                  : 0;
    if (m->seed == SEEDS[0] && rng_below(&m->random, 4) != 0) {
        return (bp_object){.flags = BP_STATIC};
    }
    if (rng_below(&m->random, 2) == 0) {
        return (bp_object){0};
    }
    return (bp_object){.group = (uint64_t)rng_below(&m->random, 4) << 31,
                       .mask = (uint64_t)rng_below(&m->random, 4) << 31,
                       .flags = rng_below(&m->random, 4) == 0 ? BP_STATIC : 0,
                       .island = island,
                       .user = rng_next(&m->random)};
}

// ---- actions --------------------------------------------------------------------------------------------------------

static void act_add(model *m) {
    if (m->count == OBJECTS_MOST) {
        return;
    }
    const bp_box box = draw_box(m);
    const bp_object object = draw_object(m);
    bp_id id = UINT32_MAX;
    expect_status(m, bp_add(m->world, &box, &object, &id), BP_OK);
    expect_id(m, id, model_add(m, box, object));
}

static void act_add_many(model *m) {
    const size_t room = OBJECTS_MOST - m->count, wanted = rng_below(&m->random, MANY_MOST);
    const size_t count = wanted < room ? wanted : room;
    const bool with_objects = m->seed == SEEDS[0] || rng_below(&m->random, 2) == 0;
    bp_box boxes[MANY_MOST];
    bp_object objects[MANY_MOST];
    bp_id ids[MANY_MOST];
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = draw_box(m);
        objects[i] = with_objects ? draw_object(m) : (bp_object){0};
    }
    expect_status(m, bp_add_many(m->world, count, boxes, with_objects ? objects : NULL, ids), BP_OK);
    for (size_t i = 0; i < count; ++i) {
        expect_id(m, ids[i], model_add(m, boxes[i], objects[i]));
    }
}

static void act_move(model *m) {
    bp_id id;
    if (pick(m, &id)) {
        m->boxes[id] = draw_move(m, id);
        expect_status(m, bp_move(m->world, id, &m->boxes[id]), BP_OK);
    }
}

static void act_move_some(model *m) {
    const size_t count = rng_below(&m->random, MANY_MOST);
    bp_box boxes[MANY_MOST];
    bp_id ids[MANY_MOST];
    for (size_t i = 0; i < count && pick(m, &ids[i]); ++i) {
        boxes[i] = draw_move(m, ids[i]);
        m->boxes[ids[i]] = boxes[i];
    }
    expect_status(m, bp_move_many(m->world, m->count > 0 ? count : 0, ids, boxes), BP_OK);
}

// Without ids this can only be done up to the first hole.
static void act_move_first(model *m) {
    size_t count = 0;
    for (; count < m->id_count && m->alive[count]; ++count) {
        m->boxes[count] = draw_move(m, (bp_id)count);
    }
    expect_status(m, bp_move_many(m->world, count, NULL, m->boxes), BP_OK);
}

static void act_remove(model *m) {
    bp_id id;
    if (pick(m, &id)) {
        model_remove(m, id);
        expect_status(m, bp_remove(m->world, id), BP_OK);
        expect_status(m, bp_remove(m->world, id), BP_ERROR_ID);
    }
}

static void act_remove_many(model *m) {
    for (uint32_t i = rng_below(&m->random, 2 * MANY_MOST); i > 0; --i) {
        act_remove(m);
    }
}

static void act_set_object(model *m) {
    bp_id id;
    if (pick(m, &id)) {
        m->objects[id] = draw_object(m);
        expect_status(m, bp_set_object(m->world, id, &m->objects[id]), BP_OK);
    }
}

static void act_mistake(model *m) {
    const bp_box box = cube_of(0, 0, 0, 1), wrong = {.min = {1, 0, 0}, .max = {0, 0, 0}};
    bp_id id;
    expect_status(m, bp_move(m->world, m->id_count, &box), BP_ERROR_ID);
    expect_status(m, bp_add(m->world, &wrong, NULL, &id), BP_ERROR_BOX);
    if (pick(m, &id)) {
        expect_status(m, bp_move(m->world, id, &wrong), BP_ERROR_BOX);
    }
}

static void act_read(model *m) {
    bp_id id;
    bp_box box;
    bp_object object;
    if (pick(m, &id)) {
        expect_status(m, bp_get_object(m->world, id, &box, &object), BP_OK);
        assert_memory_equal(&box, &m->boxes[id], sizeof box);
        assert_memory_equal(&object, &m->objects[id], sizeof object);
    }
    assert_int_equal(bp_world_count(m->world), m->count);
}

// The pairs of one list that are not in another, and those that are but have become others.
static pair_list changed_pairs(const model *m, const pair_list *of, const pair_list *against) {
    pair_list changed = {0};
    for (size_t i = 0; i < of->count; ++i) {
        const bp_pair pair = of->data[i];
        if (!pairs_contain(against->data, against->count, pair) || m->reborn[pair.a] || m->reborn[pair.b]) {
            pair_list_push(&changed, pair.a, pair.b);
        }
    }
    return changed;
}

// Events are told in ascending order, each once.
static void expect_events(const model *m, const bp_pair *told, size_t count, const pair_list *expected,
                          const char *which) {
    char text[CONFIG_TEXT];
    expect_same_bytes(told, count, expected->data, expected->count, "%s: seed=%llu step=%d objects=%zu %s", which,
                      (unsigned long long)m->seed, m->step, m->count, config_text(&m->config, text));
}

static void check_events(model *m, const bp_result *result, const pair_list *pairs) {
    pair_list begun = changed_pairs(m, pairs, &m->last), ended = changed_pairs(m, &m->last, pairs);
    if ((m->config.flags & BP_EVENTS) != 0) {
        expect_events(m, result->begun, result->begun_count, &begun, "begun");
        expect_events(m, result->ended, result->ended_count, &ended, "ended");
    } else {
        assert_int_equal(result->begun_count + result->ended_count, 0);
    }
    pair_list_free(&begun);
    pair_list_free(&ended);
}

static void act_update(model *m) {
    bp_result result;
    char text[CONFIG_TEXT];
    expect_status(m, bp_update(m->world, &result), BP_OK);
    pair_list expected = naive_pairs(m->boxes, m->id_count, m->config.dimensions);
    naive_filter(&expected, m->objects);
    expect_pairs(result.pairs, result.pair_count, &expected, "seed=%llu step=%d objects=%zu %s",
                 (unsigned long long)m->seed, m->step, m->count, config_text(&m->config, text));
    assert_int_equal(result.stats.objects, m->count);
    check_events(m, &result, &expected);
    ++m->updates;
    m->patched += result.stats.update == BP_UPDATE_INDIVIDUAL;
    pair_list_free(&m->last);
    m->last = expected;
    for (bp_id id = 0; id < m->id_count; ++id) {
        m->existed[id] = m->alive[id];
        m->reborn[id] = false;
    }
}

static void act_validate(model *m) {
    expect_status(m, bp_world_validate(m->world), BP_OK);
}

typedef struct action {
    const char *name;
    void (*act)(model *m);
    uint32_t weights[2]; // in wild and in calm times
} action;

static const action ACTIONS[] = {
    {"add", act_add, {10, 6}},
    {"add_many", act_add_many, {8, 0}},
    {"move", act_move, {20, 20}},
    {"move_many", act_move_some, {12, 0}},
    {"move_many without ids", act_move_first, {6, 0}},
    {"remove", act_remove, {10, 6}},
    {"remove, many times", act_remove_many, {3, 0}},
    {"set_object", act_set_object, {8, 4}},
    {"a mistake", act_mistake, {3, 3}},
    {"get_object", act_read, {4, 4}},
    {"update", act_update, {30, 40}},
    {"validate", act_validate, {8, 8}},
};

// Calm times, in which little changes between two updates, and wild ones follow each other.
static const action *draw_action(model *m) {
    const int calm = m->step / PHASE % 2;
    uint32_t sum = 0;
    for (size_t i = 0; i < COUNT_OF(ACTIONS); ++i) {
        sum += ACTIONS[i].weights[calm];
    }
    uint32_t left = rng_below(&m->random, sum);
    const action *drawn = ACTIONS;
    for (; left >= drawn->weights[calm]; ++drawn) {
        left -= drawn->weights[calm];
    }
    return drawn;
}

// ---- sequences ------------------------------------------------------------------------------------------------------

// Small structures and low thresholds, so that few objects reach every path.
static const bp_config OPTIONS[] = {
    {0},
    {.flags = BP_EVENTS, SETTINGS(.brute_force_below = 1)},
    {.threads = 3, .flags = BP_EVENTS, .pair_order = BP_ORDER_SORTED, SETTINGS(.brute_force_below = 1)},
    {.flags = BP_EVENTS, SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f, .grid_size = {4, 4, 4})},
    {SETTINGS(.brute_force_below = 100, .hierarchy_factor = 1.5f, .cell_size = 0.1f)},
};

typedef struct tally {
    size_t sequences, updates, patched;
} tally;

static void run_sequence(bp_config config, uint64_t seed, tally *sum) {
    model *m = obtain(1, sizeof *m);
    m->config = config;
    m->seed = seed;
    m->random = rng_seeded(seed);
    m->action = "create";
    expect_status(m, bp_world_create(&config, &m->world), BP_OK);
    for (m->step = 0; m->step < STEPS; ++m->step) {
        const action *next = draw_action(m);
        m->action = next->name;
        next->act(m);
    }
    act_update(m);
    act_validate(m);
    ++sum->sequences;
    sum->updates += m->updates;
    sum->patched += m->patched;
    bp_world_destroy(m->world);
    pair_list_free(&m->last);
    free(m);
}

static void run_seeds(const bp_config *config, tally *sum) {
    for (size_t i = 0; i < COUNT_OF(SEEDS); ++i) {
        if (in_turn()) {
            run_sequence(*config, SEEDS[i], sum);
        }
    }
    const uint64_t free_seed = environment_number("BP_TEST_SEED", 0);
    if (free_seed != 0) {
        run_sequence(*config, free_seed, sum);
    }
}

static void run_options(bp_method method, bp_update_strategy update, uint32_t dimensions, tally *sum) {
    const size_t options = method == BP_METHOD_BRUTE_FORCE ? 1 : COUNT_OF(OPTIONS);
    for (size_t i = 0; i < options; ++i) {
        bp_config config = OPTIONS[i];
        config.method = method;
        config.update = update;
        config.dimensions = dimensions;
        run_seeds(&config, sum);
    }
}

static void run_strategy(bp_update_strategy update) {
    for (size_t method = 0; method < bp_method_count(); ++method) {
        if (update == BP_UPDATE_INDIVIDUAL && !is_incremental(method)) {
            continue;
        }
        tally sum = {0};
        run_options((bp_method)method, update, 3, &sum);
        if ((bp_method_supports(method) & BP_SUPPORTS_2D) != 0) {
            run_options((bp_method)method, update, 2, &sum);
        }
        print_message("%-18s %3zu sequences %6zu updates, %5zu of them not from scratch\n", bp_method_name(method),
                      sum.sequences, sum.updates, sum.patched);
        assert_true(update == BP_UPDATE_REBUILD || method != BP_METHOD_TREE || sum.patched > 0);
    }
}

static void agrees_with_the_model_when_updated_automatically(void **state) {
    (void)state;
    run_strategy(BP_UPDATE_AUTOMATIC);
}

static void agrees_with_the_model_when_updated_individually(void **state) {
    (void)state;
    run_strategy(BP_UPDATE_INDIVIDUAL);
}

static void agrees_with_the_model_when_rebuilt(void **state) {
    (void)state;
    run_strategy(BP_UPDATE_REBUILD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_model_when_updated_automatically),
        cmocka_unit_test(agrees_with_the_model_when_updated_individually),
        cmocka_unit_test(agrees_with_the_model_when_rebuilt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
