#include "support/method_checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 2000, WILD = 1500, SITUATION_TEXT = 2 * CONFIG_TEXT + 256 };

// ---- describing a failure ------------------------------------------------------------------------------------------

// The current case as text, to repeat a failure.
typedef struct situation {
    char text[SITUATION_TEXT];
} situation;

__attribute__((format(printf, 3, 4))) static situation situation_of(const variant *tried, const bp_config *config,
                                                                    const char *format, ...) {
    situation s;
    char options[CONFIG_TEXT];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(s.text, sizeof s.text, format, arguments);
    va_end(arguments);
    used = used < SITUATION_TEXT ? used : SITUATION_TEXT - 1;
    snprintf(s.text + used, sizeof s.text - (size_t)used, ", variant {%s}, %s", tried->label,
             config_text(config, options));
    return s;
}

static void expect_status(bp_status status, bp_status expected, const situation *s) {
    if (status != expected) {
        fail_msg("%s instead of %s: %s", bp_status_text(status), bp_status_text(expected), s->text);
    }
}

static void expect_ok(bp_status status, const situation *s) {
    expect_status(status, BP_OK, s);
}

static void expect_no_calls(const test_allocator *allocator, const situation *s) {
    if (allocator->calls != 0) {
        fail_msg("%zu allocations: %s", allocator->calls, s->text);
    }
}

// ---- scenes ---------------------------------------------------------------------------------------------------------

scene *open_scene_with(const char *name, scene_options options) {
    const char *error = NULL;
    scene *opened = scene_create(name, &options, &error);
    if (opened == NULL) {
        fail_msg("scene %s: %s", name, error);
    }
    return opened;
}

void expect_form(const bp_box *boxes, size_t count, uint32_t dimensions, bp_method method, form_check form,
                 const char *name) {
    static const bp_simd sets[] = {BP_SIMD_AUTO, BP_SIMD_SCALAR, BP_SIMD_AVX2, BP_SIMD_AVX512, BP_SIMD_NEON};
    static const uint32_t workers[] = {1, 2, 3, 8};
    pair_list expected = naive_pairs(boxes, count, dimensions);
    bp_pairs first = {0};
    for (size_t k = 0; k < COUNT_OF(sets) * COUNT_OF(workers); ++k) {
        const bp_simd simd = sets[k / COUNT_OF(workers)];
        bp_stats stats = {0};
        bp_pairs pairs = {0};
        const bp_config config = {.method = method,
                                  .dimensions = dimensions,
                                  .executor = reverse_executor(workers[k % COUNT_OF(workers)]),
                                  .stats = &stats,
                                  SETTINGS(.simd = simd)};
        if (!has_simd(simd)) {
            continue;
        }
        assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
        if (form != NULL && !form(&stats)) {
            fail_msg("another form for %s, %zu", name, count);
        }
        if (k == 0) {
            first = pairs;
            continue;
        }
        expect_same_bytes(pairs.data, pairs.count, first.data, first.count, "%s, %zu in %u dimensions, %s, %u", name,
                          count, (unsigned)dimensions, simd_text(simd), (unsigned)workers[k % COUNT_OF(workers)]);
        bp_pairs_free(&pairs, &config);
    }
    expect_pairs(first.data, first.count, &expected, "%s, %zu in %u dimensions", name, count,
                 (unsigned)dimensions); // the last: it sorts them
    bp_pairs_free(&first, NULL);
    pair_list_free(&expected);
}

void expect_other_form(const bp_box *boxes, size_t count, bp_config config, form_check form, const char *name) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    config.stats = &stats;
    pair_list expected = naive_pairs(boxes, count, 3);
    assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
    expect_pairs(pairs.data, pairs.count, &expected, "%s", name);
    if (form(&stats)) {
        fail_msg("that form for %s", name);
    }
    bp_pairs_free(&pairs, NULL);
    pair_list_free(&expected);
}

scene *open_scene(const char *name, size_t count) {
    return open_scene_with(name, (scene_options){.count = count, .seed = SCENE_SEED});
}

bp_world *world_of(const bp_config *config, const scene *subject) {
    char text[CONFIG_TEXT];
    bp_world *world = NULL;
    bp_status status = bp_world_create(config, &world);
    if (status == BP_OK) {
        status = bp_add_many(world, scene_box_count(subject), scene_boxes(subject), NULL, NULL);
    }
    if (status != BP_OK) {
        fail_msg("no world: %s, %s", bp_status_text(status), config_text(config, text));
    }
    return world;
}

void move_with(bp_world *world, scene *subject) {
    scene_step(subject);
    assert_int_equal(bp_move_many(world, scene_box_count(subject), NULL, scene_boxes(subject)), BP_OK);
}

bp_stats stats_of(const bp_box *boxes, size_t count, bp_config config) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    config.stats = &stats;
    assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, &config);
    return stats;
}

bp_stats stats_of_scene(const char *name, size_t count, bp_config config) {
    scene *subject = open_scene(name, count);
    const bp_stats stats = stats_of(scene_boxes(subject), scene_box_count(subject), config);
    scene_destroy(subject);
    return stats;
}

// ---- sets of boxes --------------------------------------------------------------------------------------------------

typedef struct box_set {
    const char *name;
    uint64_t seed;
    const bp_box *boxes;
    size_t count;
} box_set;

static box_set set_of(const char *name, const scene *subject) {
    return (box_set){name, SCENE_SEED, scene_boxes(subject), scene_box_count(subject)};
}

static void expect_found(bp_status status, const bp_pairs *pairs, const pair_list *expected, const bp_config *config,
                         const situation *s) {
    const bp_method_settings settings = settings_of(config);
    if (status == BP_ERROR_MEMORY && settings.cell_size > 0.0f && settings.memory_limit > 0) {
        return;
    }
    expect_ok(status, s);
    expect_pairs(pairs->data, pairs->count, expected, "%s", s->text);
}

static void compare(box_set set, const variant *tried, const bp_config *config, const pair_list *expected) {
    const situation s =
        situation_of(tried, config, "%s, seed %llu, n=%zu", set.name, (unsigned long long)set.seed, set.count);
    bp_pairs pairs = {0};
    const bp_status status = bp_find_pairs(set.boxes, set.count, config, &pairs);
    expect_found(status, &pairs, expected, config, &s);
    bp_pairs_free(&pairs, config);
}

static void compare_between(box_set a, box_set b, const variant *tried, const bp_config *config,
                            const pair_list *expected) {
    const situation s = situation_of(tried, config, "between %s, seed %llu, n=%zu and %s, seed %llu, n=%zu", a.name,
                                     (unsigned long long)a.seed, a.count, b.name, (unsigned long long)b.seed, b.count);
    bp_pairs pairs = {0};
    const bp_status status = bp_find_pairs_between(a.boxes, a.count, b.boxes, b.count, config, &pairs);
    expect_found(status, &pairs, expected, config, &s);
    bp_pairs_free(&pairs, config);
}

static void compare_all(box_set set, uint32_t dimensions, variant_list variants) {
    box_set low = set, high = set;
    low.count = set.count / 3;
    high.boxes += low.count;
    high.count -= low.count;
    pair_list inside = naive_pairs(set.boxes, set.count, dimensions);
    pair_list between = naive_pairs_between(low.boxes, low.count, high.boxes, high.count, dimensions);
    for (size_t i = 0; i < variants.count; ++i) {
        bp_config config = variants.data[i].config;
        config.dimensions = dimensions;
        config.threads = i % 2 == 0 ? 1 : 3;
        compare(set, &variants.data[i], &config, &inside);
        compare_between(low, high, &variants.data[i], &config, &between);
    }
    pair_list_free(&inside);
    pair_list_free(&between);
}

void finds_all_pairs_of_every_scene(void **state) {
    skip_where_threads_are_sanitized();
    const variant_list variants = *(const variant_list *)*state;
    for (size_t i = 0; i < scene_count(); ++i) {
        if (!in_short_turn(3)) {
            continue;
        }
        scene *subject = open_scene(scene_name(i), quick() ? COUNT / 4 : COUNT);
        compare_all(set_of(scene_name(i), subject), 2, variants);
        compare_all(set_of(scene_name(i), subject), 3, variants);
        scene_destroy(subject);
    }
}

static void compare_wild(uint64_t seed, variant_list variants) {
    rng random = rng_seeded(seed);
    bp_box boxes[300];
    for (int round = 0; round < (quick() ? 10 : 60); ++round) {
        const size_t count = rng_below(&random, COUNT_OF(boxes));
        fill_wild_boxes(&random, boxes, count);
        compare_all((box_set){"wild", seed, boxes, count}, 2, variants);
        compare_all((box_set){"wild", seed, boxes, count}, 3, variants);
        if (count > 2) { // planes at infinity: max - min is no number
            boxes[1] = (bp_box){{-INFINITY, 0, 0}, {-INFINITY, 1, 1}};
            boxes[2] = (bp_box){{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};
            compare_all((box_set){"wild with planes at infinity", seed, boxes, count}, 3, variants);
        }
    }
}

void finds_all_pairs_of_wild_boxes(void **state) {
    skip_where_threads_are_sanitized();
    const variant_list variants = *(const variant_list *)*state;
    for (uint64_t seed = 11; seed <= 13; ++seed) {
        compare_wild(seed, variants);
    }
    rng random = rng_seeded(SCENE_SEED);
    bp_box *wild = obtain(WILD, sizeof *wild);
    fill_wild_boxes(&random, wild, WILD);
    for (size_t count = 0; count < 5; ++count) {
        compare_all((box_set){"few wild", SCENE_SEED, wild, count}, 3, variants);
    }
    compare_all((box_set){"many wild", SCENE_SEED, wild, WILD}, 2, variants);
    compare_all((box_set){"many wild", SCENE_SEED, wild, WILD}, 3, variants);
    free(wild);
}

void finds_all_pairs_between_sets(void **state) {
    skip_where_threads_are_sanitized();
    const variant_list variants = *(const variant_list *)*state;
    const uint64_t seed = SCENE_SEED + 1;
    rng random = rng_seeded(seed);
    scene *mixed = open_scene("mixed", COUNT), *uniform = open_scene("uniform", COUNT);
    bp_box *wild = obtain(WILD, sizeof *wild);
    fill_wild_boxes(&random, wild, WILD);
    const box_set sets[] = {set_of("mixed", mixed),
                            set_of("uniform", uniform),
                            {"wild", seed, wild, WILD},
                            {"the last wild", seed, wild + WILD - 200, 200},
                            {"none", seed, wild, 0}};
    for (size_t i = 0; i < COUNT_OF(sets) * COUNT_OF(sets); ++i) {
        const box_set a = sets[i / COUNT_OF(sets)], b = sets[i % COUNT_OF(sets)];
        pair_list expected = naive_pairs_between(a.boxes, a.count, b.boxes, b.count, 3);
        for (size_t k = 0; k < variants.count; ++k) {
            compare_between(a, b, &variants.data[k], &variants.data[k].config, &expected);
        }
        pair_list_free(&expected);
    }
    free(wild);
    scene_destroy(mixed);
    scene_destroy(uniform);
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

// A world and what it should hold.
typedef struct model {
    const variant *tried;
    bp_config config;
    const char *story;
    uint64_t seed;
    rng random;
    int step;
    bp_world *world;
    bp_box boxes[COUNT]; // holes are NaN
    size_t count;
} model;

static situation situation_of_model(const model *m) {
    return situation_of(m->tried, &m->config, "world of %s, seed %llu, step %d", m->story, (unsigned long long)m->seed,
                        m->step);
}

static void model_expect_ok(const model *m, bp_status status) {
    if (status != BP_OK) {
        const situation s = situation_of_model(m);
        expect_ok(status, &s);
    }
}

static void model_open(model *m, const variant *tried, bp_config config, const char *story, uint64_t seed) {
    m->tried = tried;
    m->config = config;
    m->story = story;
    m->seed = seed;
    m->random = rng_seeded(seed);
    m->step = 0;
    m->count = 0;
    model_expect_ok(m, bp_world_create(&config, &m->world));
}

static void model_add(model *m, bp_box box) {
    bp_id id = 0;
    model_expect_ok(m, bp_add(m->world, &box, NULL, &id));
    assert_true(id < COUNT);
    m->boxes[id] = box;
    m->count = id + 1 > m->count ? id + 1 : m->count;
}

static void model_move(model *m, bp_id id, bp_box box) {
    m->boxes[id] = box;
    model_expect_ok(m, bp_move(m->world, id, &box));
}

static void model_remove(model *m, bp_id id) {
    m->boxes[id] = (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    model_expect_ok(m, bp_remove(m->world, id));
}

static bool model_has(const model *m, bp_id id) {
    return !isnan(m->boxes[id].min[0]);
}

static void model_compare(model *m) {
    const situation s = situation_of_model(m);
    bp_result result;
    expect_ok(bp_update(m->world, &result), &s);
    expect_ok(bp_world_validate(m->world), &s);
    pair_list expected = naive_pairs(m->boxes, m->count, m->config.dimensions);
    expect_pairs(result.pairs, result.pair_count, &expected, "%s", s.text);
    pair_list_free(&expected);
    ++m->step;
}

static void add_some(model *m, size_t count, double extent, double size) {
    for (size_t i = 0; i < count && m->count < COUNT; ++i) {
        model_add(m, random_cube(&m->random, extent, size));
    }
}

static void remove_some(model *m, uint32_t one_in) {
    for (bp_id id = 0; id < m->count; ++id) {
        if (model_has(m, id) && rng_below(&m->random, one_in) == 0) {
            model_remove(m, id);
        }
    }
}

static void move_some(model *m, uint32_t one_in, double extent, double size) {
    for (bp_id id = 0; id < m->count; ++id) {
        if (model_has(m, id) && rng_below(&m->random, one_in) == 0) {
            model_move(m, id, random_cube(&m->random, extent, size));
        }
    }
}

// All at once, and each time something else.
static void live(model *m) {
    add_some(m, 10, 10, 1);
    model_compare(m);
    add_some(m, 900, 20, 1);
    model_compare(m);
    for (int i = 0; i < 4; ++i) {
        move_some(m, 40, 20, 1);
        model_compare(m);
    }
    move_some(m, 1, 3, 0.5); // gather
    model_compare(m);
    model_compare(m);
    move_some(m, 2, 5000, 4); // scatter and grow
    model_compare(m);
    remove_some(m, 2);
    model_compare(m);
    add_some(m, 300, 100, 2);
    move_some(m, 10, 1e6, 1);
    model_compare(m);
    remove_some(m, 1);
    model_compare(m);
}

// How single objects change.
typedef struct manner {
    const char *name;
    uint64_t seed;
    uint32_t remove_one_in;
    bp_box (*added)(rng *random);
    bp_box (*moved)(rng *random, bp_box box, bp_id id);
} manner;

static bp_box cube_anywhere(rng *random) {
    return random_cube(random, 12.0, rng_below(random, 2) == 0 ? 1.0 : 1.5);
}

static bp_box jumped(rng *random, bp_box box, bp_id id) {
    (void)box, (void)id;
    return rng_below(random, 8) == 0 ? random_wild_box(random, NULL, 0) : cube_anywhere(random);
}

// Coordinates on a coarse lattice, so that many ends meet in one place and touching is common.
static bp_box cube_on_lattice(rng *random) {
    return cube_of((float)rng_below(random, 12), (float)rng_below(random, 12), (float)rng_below(random, 12), 1.0f);
}

static bp_box crept(rng *random, bp_box box, bp_id id) {
    box.min[id % 3] -= 0.25f;
    box.max[id % 3] -= 0.25f;
    const uint32_t kind = rng_below(random, 16);
    return kind == 0 ? random_wild_box(random, NULL, 0) : kind < 4 ? cube_on_lattice(random) : box;
}

static const manner MANNERS[] = {{"jumping cubes", 100, 3, cube_anywhere, jumped},
                                 {"cubes on a lattice", 200, 4, cube_on_lattice, crept}};

static void change_one(model *m, const manner *how) {
    const bp_id id = rng_below(&m->random, (uint32_t)m->count);
    if (!model_has(m, id)) {
        model_add(m, how->added(&m->random));
    } else if (rng_below(&m->random, how->remove_one_in) == 0) {
        model_remove(m, id);
    } else {
        model_move(m, id, how->moved(&m->random, m->boxes[id], id));
    }
}

// Few changes between updates, and sometimes many: so that a method moves objects one by one, mends what it has, and
// builds anew.
static void change_few(model *m, const manner *how) {
    enum { CHANGING = 400 };
    for (size_t i = 0; i < CHANGING; ++i) {
        model_add(m, how->added(&m->random));
    }
    for (int round = 0; round < (shortest() ? 20 : quick() ? 60 : 300); ++round) {
        const size_t changes = round % 10 == 9 ? CHANGING : 1 + rng_below(&m->random, 12);
        for (size_t i = 0; i < changes; ++i) {
            change_one(m, how);
        }
        model_compare(m);
    }
}

static void check_changes(model *m, const variant *tried, bp_config config, uint64_t index) {
    for (size_t i = 0; i < COUNT_OF(MANNERS); ++i) {
        model_open(m, tried, config, MANNERS[i].name, MANNERS[i].seed + index);
        change_few(m, &MANNERS[i]);
        bp_world_destroy(m->world);
    }
}

void stays_right_while_objects_come_and_go(void **state) {
    skip_where_threads_are_sanitized();
    const variant_list variants = *(const variant_list *)*state;
    model *m = obtain(1, sizeof *m);
    for (size_t i = 0; i < variants.count; ++i) {
        const variant *tried = &variants.data[i];
        bp_config config = tried->config;
        config.dimensions = 3;
        model_open(m, tried, config, "crowds", SCENE_SEED + 2);
        live(m);
        bp_world_destroy(m->world);
        check_changes(m, tried, config, i);
        config.dimensions = 2;
        check_changes(m, tried, config, i);
        if (is_incremental(config.method) && config.update != BP_UPDATE_INDIVIDUAL) {
            config.dimensions = 3;
            config.update = BP_UPDATE_INDIVIDUAL;
            check_changes(m, tried, config, i);
        }
    }
    free(m);
}

void check_follows(const variant *tried, const char *name, scene_options options) {
    enum { STEPS = 5 };
    scene *subject = open_scene_with(name, options);
    bp_config config = tried->config;
    config.dimensions = scene_dimensions(subject);
    bp_world *world = world_of(&config, subject);
    for (int step = 0; step < STEPS; ++step) {
        const situation s = situation_of(tried, &config, "%s, seed %llu, n=%zu, motion %g, step %d", name,
                                         (unsigned long long)options.seed, options.count, options.motion, step);
        bp_result result;
        expect_ok(bp_update(world, &result), &s);
        expect_ok(bp_world_validate(world), &s);
        pair_list expected = naive_pairs(scene_boxes(subject), scene_box_count(subject), config.dimensions);
        expect_pairs(result.pairs, result.pair_count, &expected, "%s", s.text);
        pair_list_free(&expected);
        move_with(world, subject);
    }
    bp_world_destroy(world);
    scene_destroy(subject);
}

// ---- threads --------------------------------------------------------------------------------------------------------

// The pairs of a call and of some steps, one after the other.
static pair_list record(const bp_config *config, const char *name, size_t count, const situation *s) {
    pair_list all = {0};
    scene *subject = open_scene(name, count);
    bp_pairs pairs = {0};
    expect_ok(bp_find_pairs(scene_boxes(subject), scene_box_count(subject), config, &pairs), s);
    pair_list_append(&all, pairs.data, pairs.count);
    bp_pairs_free(&pairs, config);
    bp_world *world = world_of(config, subject);
    for (int step = 0; step < 3; ++step) {
        bp_result result;
        expect_ok(bp_update(world, &result), s);
        pair_list_append(&all, result.pairs, result.pair_count);
        move_with(world, subject);
    }
    bp_world_destroy(world);
    scene_destroy(subject);
    return all;
}

// Who does the work: the library's own threads, or an executor's.
typedef struct crew {
    enum { OWN, PLAIN, REVERSED } kind;
    uint32_t workers;
} crew;

// The first is what the others are compared with; the last of these run with quick() too.
static const crew CREWS[] = {{PLAIN, 1},    {OWN, 0},   {OWN, 3}, {PLAIN, 3}, {PLAIN, 5},
                             {REVERSED, 3}, {PLAIN, 2}, {OWN, 2}, {OWN, 8},   {REVERSED, 4}};
enum { FIRST_QUICK_CREW = 6 };

static void appoint(crew c, bp_config *config) {
    config->threads = c.kind == OWN ? (int32_t)c.workers : 0;
    config->executor = c.kind == OWN     ? (bp_executor){0}
                       : c.kind == PLAIN ? thread_executor(c.workers)
                                         : reverse_executor(c.workers);
}

static void compare_crews(const variant *tried, const char *name, size_t count) {
    pair_list expected = {0};
    for (size_t i = 0; i < COUNT_OF(CREWS); i = i == 0 && quick() ? FIRST_QUICK_CREW : i + 1) {
        bp_config config = tried->config;
        appoint(CREWS[i], &config);
        const situation s = situation_of(tried, &config, "%s, seed %d, n=%zu, %u threads%s", name, SCENE_SEED, count,
                                         CREWS[i].workers, CREWS[i].kind == REVERSED ? " reversed" : "");
        pair_list found = record(&config, name, count, &s);
        if (i == 0) {
            expected = found;
            continue;
        }
        expect_same_bytes(found.data, found.count, expected.data, expected.count, "%s", s.text);
        pair_list_free(&found);
    }
    pair_list_free(&expected);
}

void finds_the_same_bytes_with_any_number_of_threads(void **state) {
    const variant_list variants = *(const variant_list *)*state;
    static const char *const names[] = {"uniform", "mixed", "very-inhomogeneous", "sparse", "one-cell"};
    const size_t scenes = quick() ? 2 : COUNT_OF(names), count = shortest() ? 8000 : quick() ? 20000 : 60000;
    for (size_t i = 0; i < variants.count * scenes; ++i) {
        if (in_turn()) {
            compare_crews(&variants.data[i / scenes], names[i % scenes], count);
        }
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void stay_steady(const variant *tried, const steady_scene *steady) {
    test_allocator allocator;
    test_allocator_init(&allocator);
    bp_config config = tried->config;
    config.allocator = test_allocator_hook(&allocator);
    const size_t count = shortest() && steady->count >= 20000 ? 6000 : steady->count;
    scene *subject = open_scene(steady->name, count);
    bp_world *world = world_of(&config, subject);
    for (int step = 0; step < steady->warm_up + steady->steps; ++step) {
        const situation s =
            situation_of(tried, &config, "%s, seed %d, n=%zu, step %d", steady->name, SCENE_SEED, count, step);
        if (step == steady->warm_up) {
            test_allocator_fail(&allocator, 0, false);
        }
        move_with(world, subject);
        expect_ok(bp_update(world, NULL), &s);
        if (!steady->validation_allocates) {
            expect_ok(bp_world_validate(world), &s);
        }
        if (step >= steady->warm_up) {
            expect_no_calls(&allocator, &s);
        }
    }
    bp_world_destroy(world);
    scene_destroy(subject);
    test_allocator_finish(&allocator);
}

void allocates_nothing_in_a_steady_step(void **state) {
    skip_where_threads_are_sanitized();
    const steady_scene *steady = *state;
    for (size_t i = 0; i < steady->variants.count; ++i) {
        stay_steady(&steady->variants.data[i], steady);
    }
}

// One world that gets no memory from call number `fail_at` on; true if it asked that often.
static bool fails_once(const variant *tried, bp_config config, const scene *subject, const pair_list *expected,
                       size_t fail_at) {
    test_allocator allocator;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    const situation s = situation_of(tried, &config, "uniform, seed %d, n=%zu, failure %zu", SCENE_SEED,
                                     scene_box_count(subject), fail_at);
    bp_world *world = world_of(&config, subject);
    bp_result result;
    test_allocator_fail(&allocator, fail_at, true);
    const bp_status status = bp_update(world, &result);
    const bool refused = allocator.refused > 0;
    expect_status(status, refused ? BP_ERROR_MEMORY : BP_OK, &s);
    test_allocator_fail(&allocator, 0, false);
    expect_ok(bp_update(world, &result), &s);
    expect_ok(bp_world_validate(world), &s);
    expect_pairs(result.pairs, result.pair_count, expected, "%s", s.text);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    return refused;
}

void survives_failing_memory(void **state) {
    const variant_list variants = *(const variant_list *)*state;
    scene *subject = open_scene("uniform", 1000);
    pair_list expected = naive_pairs(scene_boxes(subject), scene_box_count(subject), 3);
    for (size_t i = 0; i < variants.count; ++i) {
        const variant *tried = &variants.data[i];
        bp_config config = tried->config;
        for (size_t fail_at = 1; fails_once(tried, config, subject, &expected, fail_at); ++fail_at) {
        }
        config.executor = thread_executor(3);
        for (size_t fail_at = 1; fails_once(tried, config, subject, &expected, fail_at); ++fail_at) {
        }
    }
    pair_list_free(&expected);
    scene_destroy(subject);
}

// ---- other checks --------------------------------------------------------------------------------------------------

static void expect_refusal(const refusal *r, const bp_box *boxes, size_t count) {
    test_log log = {0};
    bp_pairs pairs = {0};
    bp_config config = r->wrong.config;
    config.log = test_log_hook(&log);
    const situation s = situation_of(&r->wrong, &config, "refusal with n=%zu", count);
    expect_status(bp_find_pairs(boxes, count, &config, &pairs), r->status, &s);
    if (strstr(log.text, r->word) == NULL) {
        fail_msg("no %s in \"%s\": %s", r->word, log.text, s.text);
    }
    bp_pairs_free(&pairs, &config);
}

void refuses_what_makes_no_sense(void **state) {
    skip_where_threads_are_sanitized();
    const refusal_list *refusals = *state;
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(1000, 1000, 1000, 1)};
    for (size_t i = 0; i < refusals->count; ++i) {
        expect_refusal(&refusals->data[i], boxes, COUNT_OF(boxes));
        if (refusals->data[i].status == BP_ERROR_ARGUMENT) {
            expect_refusal(&refusals->data[i], NULL, 0);
        }
    }
}

void stragglers_cost_little(void **state) {
    skip_where_threads_are_sanitized();
    enum { OBJECTS = 20000, FAR = 3, SEED = 4 };
    const variant_list *variants = *state;
    rng random = rng_seeded(SEED);
    bp_box *boxes = obtain(OBJECTS, sizeof *boxes);
    for (size_t i = 0; i < OBJECTS; ++i) {
        boxes[i] = i < FAR ? cube_of((float)i * 1e9f, -1e12f, 7.0f, 1.0f) : random_cube(&random, 60.0, 1.0);
    }
    for (size_t i = 0; i < variants->count; ++i) {
        const variant *tried = &variants->data[i];
        const situation s = situation_of(tried, &tried->config, "stragglers, seed %d, n=%d", SEED, OBJECTS);
        const bp_stats stats = stats_of(boxes, OBJECTS, tried->config);
        if (stats.tests >= 100 * (uint64_t)OBJECTS) {
            fail_msg("%llu tests: %s", (unsigned long long)stats.tests, s.text);
        }
    }
    free(boxes);
}
