// The forms of a query against plain loops: casts, many questions at once, visits, 64 bits; and the pairs of an object.
//
// Worlds of every method, in two and three dimensions, with periods, margins and 64-bit boxes; before an update, after
// it, and with changes since. A failure prints the seed; BP_TEST_SEED=n runs another one.
#include "support/naive_query.h"
#include "support/query_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1500, QUESTIONS = 24 };

// What the objects are: of any group and island; or of few kinds, which worlds keep in parts: statics, movers and, if `LONELY`,
// some that pair with nobody. Of parts nothing is asked before the first update, because many questions between two
// updates are answered by other trees.
typedef enum object_kinds { ANY, PARTS, LONELY } object_kinds;

typedef struct forms {
    bp_config config;
    const char *scene;
    bp_box (*draw)(rng *random, const bp_box *others, size_t count);
    uint64_t seed;
    bool wide; // boxes in 64 bits
    object_kinds kinds;
    rng random;
    bp_world *world;
    naive_world naive;
    bp_box boxes[MOST]; // as they were given, or nearly
    const bp_object *as;
    bp_box asked_boxes[QUESTIONS];
    bp_ray asked_rays[QUESTIONS];
    bp_cast asked_casts[QUESTIONS];
    float asked_points[3 * QUESTIONS];
    bp_answers answers;
} forms;

static const char *where(const forms *f, char text[400]) {
    char config[CONFIG_TEXT];
    (void)snprintf(text, 400, "scene=%s seed=%llu wide=%d as=%d margin=%g period=%g %g %g %s", f->scene,
                   (unsigned long long)f->seed, f->wide, f->as != NULL, (double)f->config.margin,
                   (double)f->config.period[0], (double)f->config.period[1], (double)f->config.period[2],
                   config_text(&f->config, config));
    return text;
}

static void expect(const forms *f, bool right, const char *what, size_t index) {
    char text[400];
    if (!right) {
        fail_msg("%s %zu: %s", what, index, where(f, text));
    }
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

static bool is_periodic(const forms *f) {
    return f->config.period[0] > 0.0f || f->config.period[1] > 0.0f || f->config.period[2] > 0.0f;
}

static bp_box draw_fitting(forms *f) {
    bp_box box = f->draw(&f->random, f->boxes, f->naive.count);
    for (int axis = 0; axis < 3; ++axis) {
        const float period = f->config.period[axis];
        if (period > 0.0f && isfinite(box.min[axis]) && isfinite(box.max[axis])) {
            box.min[axis] = fmodf(box.min[axis], 50.0f);
            box.max[axis] = box.min[axis] + fminf(fmaxf(box.max[axis] - box.min[axis], 0.0f), 0.9f * period);
            box.max[axis] = fmaxf(box.max[axis], box.min[axis]);
        }
    }
    return box;
}

// A little off, by less than floats can tell.
static bp_box_double blur(forms *f, const bp_box *box) {
    bp_box_double wide;
    for (int axis = 0; axis < 3; ++axis) {
        const double shift = rng_between(&f->random, -1e-8, 1e-8) * fabs((double)box->min[axis]);
        const bool finite = isfinite(box->min[axis]) && isfinite(box->max[axis]);
        wide.min[axis] = (double)box->min[axis] + (finite ? shift : 0.0);
        wide.max[axis] =
            finite ? wide.min[axis] + ((double)box->max[axis] - (double)box->min[axis]) : (double)box->max[axis];
    }
    return wide;
}

static bp_object draw_object(forms *f) {
    const bool is_lonely = f->kinds == LONELY && rng_below(&f->random, 6) == 0;
    if (f->kinds != ANY) {
        return (bp_object){.group = is_lonely ? 2 : 1,
                           .mask = is_lonely ? 4 : 1,
                           .flags = rng_below(&f->random, 3) > 0 ? BP_STATIC : 0};
    }
    return (bp_object){.group = (uint64_t)rng_below(&f->random, 4) << 31,
                       .mask = (uint64_t)rng_below(&f->random, 4) << 31,
                       .flags = rng_below(&f->random, 3) == 0 ? BP_STATIC : 0,
                       .island = rng_below(&f->random, 5) == 0};
}

static void put(forms *f, bp_id id, const bp_box *box, const bp_box_double *wide, const bp_object *object) {
    f->boxes[id] = *box;
    if (f->wide) {
        naive_world_put_double(&f->naive, id, wide, object);
    } else {
        naive_world_put(&f->naive, id, box, object);
    }
}

static void add_some(forms *f, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const bp_box box = draw_fitting(f);
        const bp_box_double wide = blur(f, &box);
        const bp_object object = draw_object(f);
        bp_id id = 0;
        assert_int_equal(f->wide ? bp_add_double(f->world, &wide, &object, &id) : bp_add(f->world, &box, &object, &id),
                         BP_OK);
        put(f, id, &box, &wide, &object);
    }
}

static void change_some(forms *f, size_t count) {
    for (size_t i = 0; i < count && f->naive.count > 0; ++i) {
        const bp_id id = rng_below(&f->random, (uint32_t)f->naive.count);
        if (!naive_world_is_alive(&f->naive, id)) {
            continue;
        }
        if (rng_below(&f->random, 8) == 0) {
            assert_int_equal(bp_remove(f->world, id), BP_OK);
            naive_world_remove(&f->naive, id);
            continue;
        }
        const bp_box box = draw_fitting(f);
        const bp_box_double wide = blur(f, &box);
        const bp_object object = f->naive.objects[id];
        assert_int_equal(f->wide ? bp_move_double(f->world, id, &wide) : bp_move(f->world, id, &box), BP_OK);
        put(f, id, &box, &wide, &object);
    }
}

// ---- questions ------------------------------------------------------------------------------------------------------

static bp_box some_box(forms *f) {
    const bp_id id = f->naive.count > 0 ? rng_below(&f->random, (uint32_t)f->naive.count) : 0;
    return naive_world_is_alive(&f->naive, id) ? f->boxes[id] : f->draw(&f->random, NULL, 0);
}

// On a corner of an object, near it, or on the lattice.
static void draw_point(forms *f, float point[3]) {
    const bp_box box = some_box(f);
    const uint32_t kind = rng_below(&f->random, 3);
    for (int axis = 0; axis < 3; ++axis) {
        float value = isfinite(box.min[axis]) ? box.min[axis] : 1.0f;
        value += kind == 0 ? 0.0f : random_between(&f->random, -3.0, 3.0);
        value = kind == 2 ? (float)rng_below(&f->random, 13) - 6.0f : value;
        point[axis] = is_periodic(f) ? fmodf(value, 1000.0f) : value;
    }
}

static bp_ray draw_ray(forms *f) {
    static const float ends[] = {0.0f, 0.25f, 1.0f, 4.0f, INFINITY};
    bp_ray ray = {.max_t = ends[rng_below(&f->random, COUNT_OF(ends))]};
    const bool whole = rng_below(&f->random, 2) == 0;
    draw_point(f, ray.origin);
    for (int axis = 0; axis < 3; ++axis) {
        ray.direction[axis] = whole ? (float)rng_below(&f->random, 5) - 2.0f : random_between(&f->random, -3.0, 3.0);
    }
    ray.direction[0] = ray.direction[0] == 0.0f && ray.direction[1] == 0.0f ? 1.0f : ray.direction[0];
    ray.max_t = is_periodic(f) ? fminf(ray.max_t, 5.0f) : ray.max_t;
    return ray;
}

// Some are points, and some touch objects where they begin.
static bp_cast draw_cast(forms *f) {
    const bp_ray ray = draw_ray(f);
    const bool whole = rng_below(&f->random, 2) == 0;
    bp_cast cast = {.max_t = ray.max_t};
    for (int axis = 0; axis < 3; ++axis) {
        const float extent = whole ? (float)rng_below(&f->random, 3) : random_between(&f->random, 0.0, 4.0);
        cast.box.min[axis] = ray.origin[axis];
        cast.box.max[axis] = ray.origin[axis] + extent;
        cast.direction[axis] = ray.direction[axis];
    }
    return cast;
}

static void draw_questions(forms *f) {
    for (size_t i = 0; i < QUESTIONS; ++i) {
        f->asked_boxes[i] = draw_cast(f).box;
        if (rng_below(&f->random, 6) == 0) {
            f->asked_boxes[i] = some_box(f);
        }
        f->asked_rays[i] = draw_ray(f);
        f->asked_casts[i] = draw_cast(f);
        draw_point(f, f->asked_points + 3 * i);
    }
}

// ---- many at once ---------------------------------------------------------------------------------------------------

static bp_id IDS[MOST];
static bp_ray_hit HITS[MOST], FOUND[MOST];
static bp_near NEAR[MOST];
static bp_ray_hit_double HITS_DOUBLE[MOST], FOUND_DOUBLE[MOST];

static void expect_row_of_hits(const forms *f, size_t index, size_t count, size_t most, const char *what) {
    const size_t begin = f->answers.offsets[index], kept = most > 0 && most < count ? most : count;
    bool same = f->answers.offsets[index + 1] - begin == kept;
    for (size_t i = 0; i < kept && same; ++i) {
        same = f->answers.ids[begin + i] == HITS[i].id && f->answers.values[begin + i] == HITS[i].t;
    }
    expect(f, same, what, index);
}

static void ask_boxes(forms *f) {
    assert_int_equal(bp_query_boxes(f->world, QUESTIONS, f->asked_boxes, f->as, &f->answers), BP_OK);
    assert_int_equal(f->answers.count, QUESTIONS);
    for (size_t i = 0; i < QUESTIONS; ++i) {
        const size_t count = naive_query_box(&f->naive, &f->asked_boxes[i], f->as, IDS);
        const size_t begin = f->answers.offsets[i];
        expect(f, f->answers.offsets[i + 1] - begin == count, "boxes: the number of row", i);
        expect(f, count == 0 || memcmp(f->answers.ids + begin, IDS, count * sizeof *IDS) == 0, "boxes: row", i);
    }
}

static void ask_lines(forms *f, size_t most) {
    assert_int_equal(bp_query_rays(f->world, QUESTIONS, f->asked_rays, most, f->as, &f->answers), BP_OK);
    for (size_t i = 0; i < QUESTIONS; ++i) {
        expect_row_of_hits(f, i, naive_query_ray(&f->naive, &f->asked_rays[i], f->as, HITS), most, "rays: row");
    }
    assert_int_equal(bp_query_casts(f->world, QUESTIONS, f->asked_casts, most, f->as, &f->answers), BP_OK);
    for (size_t i = 0; i < QUESTIONS; ++i) {
        expect_row_of_hits(f, i, naive_query_cast(&f->naive, &f->asked_casts[i], f->as, HITS), most, "casts: row");
    }
}

static void ask_nearest(forms *f, size_t k) {
    assert_int_equal(bp_query_nearest_many(f->world, QUESTIONS, f->asked_points, k, f->as, &f->answers), BP_OK);
    for (size_t i = 0; i < QUESTIONS; ++i) {
        const size_t count = naive_query_nearest(&f->naive, f->asked_points + 3 * i, f->as, NEAR);
        for (size_t n = 0; n < count; ++n) {
            HITS[n] = (bp_ray_hit){.id = NEAR[n].id, .t = NEAR[n].distance};
        }
        expect_row_of_hits(f, i, count, k, "nearest: row");
    }
}

// ---- one cast -------------------------------------------------------------------------------------------------------

static void ask_cast(forms *f, size_t index) {
    const bp_cast *cast = &f->asked_casts[index];
    const size_t count = naive_query_cast(&f->naive, cast, f->as, HITS);
    size_t found = 0;
    assert_int_equal(bp_query_cast(f->world, cast, f->as, FOUND, MOST, &found), BP_OK);
    expect(f, found == count && memcmp(FOUND, HITS, count * sizeof *HITS) == 0, "cast", index);
    const bp_status status = bp_query_cast(f->world, cast, f->as, FOUND, 2, &found);
    expect(f, status == (count > 2 ? BP_ERROR_CAPACITY : BP_OK) && found == count, "cast: short", index);
    assert_int_equal(bp_query_cast(f->world, cast, f->as, FOUND, 1, NULL), BP_OK);
    expect(f, FOUND[0].id == (count > 0 ? HITS[0].id : BP_NO_ID), "cast: first", index);
}

// ---- visits ---------------------------------------------------------------------------------------------------------

typedef struct visitor {
    bp_ray_hit_double *hits; // gets what is visited
    size_t count;
    size_t last;     // the visit after which it ends, or that
    bool shortens;   // lowers max_t to where it is
    bp_world *world; // which it tries to change
    bp_status changed;
} visitor;

static int visit(void *context, bp_id id, double t, double *max_t) {
    visitor *v = context;
    v->hits[v->count++] = (bp_ray_hit_double){.id = id, .t = t};
    v->changed = v->world != NULL ? bp_remove(v->world, id) : BP_ERROR_ARGUMENT;
    if (v->count <= v->last) {
        return 1;
    }
    *max_t = v->shortens ? t : *max_t;
    return v->shortens;
}

static bool are_visits(const visitor *v, const bp_ray_hit_double *hits, size_t count) {
    bool same = v->count == count;
    for (size_t i = 0; i < count && same; ++i) {
        same = v->hits[i].id == hits[i].id && v->hits[i].t == hits[i].t;
    }
    return same && v->changed == BP_ERROR_ARGUMENT;
}

// How many hits there are up to the one at `last`; with those that come at the same time, if the visitor shortens.
static size_t count_visits(const bp_ray_hit_double *hits, size_t count, size_t last, bool shortens) {
    size_t visits = last + 1 < count ? last + 1 : count;
    while (shortens && visits > last && visits < count && hits[visits].t == hits[last].t) {
        ++visits;
    }
    return visits;
}

typedef bp_status (*visit_call)(const forms *f, size_t index, void *context);

static bp_status visit_box(const forms *f, size_t index, void *context) {
    return bp_query_box_each(f->world, &f->asked_boxes[index], f->as, visit, context);
}

static bp_status visit_ray(const forms *f, size_t index, void *context) {
    return bp_query_ray_each(f->world, &f->asked_rays[index], f->as, visit, context);
}

static bp_status visit_cast(const forms *f, size_t index, void *context) {
    return bp_query_cast_each(f->world, &f->asked_casts[index], f->as, visit, context);
}

static void expect_visits(forms *f, size_t index, visit_call call, size_t count, const char *what) {
    const size_t last = rng_below(&f->random, 5);
    for (int kind = 0; kind < 3; ++kind) {
        visitor v = {.hits = FOUND_DOUBLE, .last = kind == 0 ? MOST : last, .shortens = kind == 2};
        v.world = kind == 1 ? f->world : NULL;
        v.changed = BP_ERROR_ARGUMENT;
        assert_int_equal(call(f, index, &v), BP_OK);
        const size_t visits = kind == 0 ? count : count_visits(HITS_DOUBLE, count, last, v.shortens);
        expect(f, are_visits(&v, HITS_DOUBLE, visits), what, index);
    }
}

static void widen_hits(size_t count) {
    for (size_t i = 0; i < count; ++i) {
        HITS_DOUBLE[i] = (bp_ray_hit_double){.id = HITS[i].id, .t = (double)HITS[i].t};
    }
}

static void ask_visits(forms *f, size_t index) {
    size_t count = naive_query_ray(&f->naive, &f->asked_rays[index], f->as, HITS);
    widen_hits(count);
    expect_visits(f, index, visit_ray, count, "visits of ray");
    count = naive_query_cast(&f->naive, &f->asked_casts[index], f->as, HITS);
    widen_hits(count);
    expect_visits(f, index, visit_cast, count, "visits of cast");
    count = naive_query_box(&f->naive, &f->asked_boxes[index], f->as, IDS);
    for (size_t i = 0; i < count; ++i) {
        HITS_DOUBLE[i] = (bp_ray_hit_double){.id = IDS[i]};
    }
    expect_visits(f, index, visit_box, count, "visits of box");
}

// ---- 64 bits --------------------------------------------------------------------------------------------------------

static bp_cast_double blur_cast(forms *f, const bp_cast *cast) {
    bp_cast_double wide = {.box = blur(f, &cast->box), .max_t = (double)cast->max_t};
    for (int axis = 0; axis < 3; ++axis) {
        wide.direction[axis] = (double)cast->direction[axis] * (1.0 + 1e-12);
    }
    return wide;
}

static void ask_box_double(forms *f, size_t index) {
    const bp_box_double box = blur(f, &f->asked_boxes[index]);
    static bp_id ids[MOST];
    size_t found = 0;
    const size_t count = naive_query_box_double(&f->naive, &box, f->as, IDS);
    assert_int_equal(bp_query_box_double(f->world, &box, f->as, ids, MOST, &found), BP_OK);
    expect(f, found == count && memcmp(ids, IDS, count * sizeof *ids) == 0, "box in 64 bits", index);
    visitor v = {.hits = FOUND_DOUBLE, .last = MOST, .changed = BP_ERROR_ARGUMENT};
    assert_int_equal(bp_query_box_each_double(f->world, &box, f->as, visit, &v), BP_OK);
    expect(f, v.count == count, "visits of box in 64 bits", index);
}

static bool are_hits(const bp_ray_hit_double *hits, size_t found, size_t count) {
    bool same = found == count;
    for (size_t i = 0; i < count && same; ++i) {
        same = hits[i].id == HITS_DOUBLE[i].id && hits[i].t == HITS_DOUBLE[i].t;
    }
    return same;
}

static void ask_cast_double(forms *f, size_t index) {
    const bp_cast_double cast = blur_cast(f, &f->asked_casts[index]);
    const size_t count = naive_query_cast_double(&f->naive, &cast, f->as, HITS_DOUBLE);
    size_t found = 0;
    assert_int_equal(bp_query_cast_double(f->world, &cast, f->as, FOUND_DOUBLE, MOST, &found), BP_OK);
    expect(f, are_hits(FOUND_DOUBLE, found, count), "cast in 64 bits", index);
    assert_int_equal(bp_query_cast_double(f->world, &cast, f->as, FOUND_DOUBLE, 1, NULL), BP_OK);
    expect(f, FOUND_DOUBLE[0].id == (count > 0 ? HITS_DOUBLE[0].id : BP_NO_ID), "first in 64 bits", index);
    visitor v = {.hits = FOUND_DOUBLE, .last = MOST, .changed = BP_ERROR_ARGUMENT};
    assert_int_equal(bp_query_cast_each_double(f->world, &cast, f->as, visit, &v), BP_OK);
    expect(f, are_visits(&v, HITS_DOUBLE, count), "visits of cast in 64 bits", index);
}

static void ask_ray_double(forms *f, size_t index) {
    bp_cast_double cast = blur_cast(f, &f->asked_casts[index]);
    cast.box.max[0] = cast.box.min[0], cast.box.max[1] = cast.box.min[1], cast.box.max[2] = cast.box.min[2];
    bp_ray_double ray = {.max_t = cast.max_t};
    memcpy(ray.origin, cast.box.min, sizeof ray.origin);
    memcpy(ray.direction, cast.direction, sizeof ray.direction);
    const size_t count = naive_query_cast_double(&f->naive, &cast, f->as, HITS_DOUBLE);
    size_t found = 0;
    const bp_status status = bp_query_ray_double(f->world, &ray, f->as, FOUND_DOUBLE, 3, &found);
    expect(f, status == (count > 3 ? BP_ERROR_CAPACITY : BP_OK) && found == count, "short ray in 64 bits", index);
    expect(f, are_hits(FOUND_DOUBLE, count < 3 ? count : 3, count < 3 ? count : 3), "ray in 64 bits", index);
    visitor v = {.hits = FOUND_DOUBLE, .last = MOST, .changed = BP_ERROR_ARGUMENT};
    assert_int_equal(bp_query_ray_each_double(f->world, &ray, f->as, visit, &v), BP_OK);
    expect(f, are_visits(&v, HITS_DOUBLE, count), "visits of ray in 64 bits", index);
}

// ---- pairs of an object ---------------------------------------------------------------------------------------------

static int compare_ids(const void *first, const void *second) {
    const bp_id a = *(const bp_id *)first, b = *(const bp_id *)second;
    return a < b ? -1 : a > b;
}

static void expect_pairs_of_all(const forms *f, const bp_pair *pairs, size_t pair_count) {
    static bp_id others[MOST];
    for (size_t i = 0; i < f->naive.count; ++i) {
        const bp_id id = (bp_id)(i * 7 % f->naive.count);
        size_t count = 0, found = 0;
        if (!naive_world_is_alive(&f->naive, id)) {
            expect(f, bp_pairs_of(f->world, id, others, MOST, &found) == BP_ERROR_ID, "pairs of nobody", id);
            continue;
        }
        for (size_t k = 0; k < pair_count; ++k) {
            if (pairs[k].a == id || pairs[k].b == id) {
                IDS[count++] = pairs[k].a == id ? pairs[k].b : pairs[k].a;
            }
        }
        qsort(IDS, count, sizeof *IDS, compare_ids);
        assert_int_equal(bp_pairs_of(f->world, id, others, MOST, &found), BP_OK);
        expect(f, found == count && memcmp(others, IDS, count * sizeof *IDS) == 0, "pairs of", id);
    }
}

// ---- sequences ------------------------------------------------------------------------------------------------------

static void ask(forms *f) {
    const bp_object as = draw_object(f);
    f->as = rng_below(&f->random, 3) == 0 ? &as : NULL;
    draw_questions(f);
    ask_boxes(f);
    ask_lines(f, 0);
    ask_lines(f, 1);
    ask_lines(f, 3);
    ask_nearest(f, 1);
    ask_nearest(f, 7);
    for (size_t i = 0; i < QUESTIONS; i += 4) {
        ask_cast(f, i);
        ask_visits(f, i);
        ask_box_double(f, i);
        ask_cast_double(f, i);
        ask_ray_double(f, i);
    }
    f->as = NULL;
}

static void run(const bp_config *config, const query_scene *scene, bool wide, object_kinds kinds, size_t objects,
                uint64_t seed) {
    forms *f = obtain(1, sizeof *f);
    f->config = *config;
    f->scene = scene->name;
    f->draw = scene->draw;
    f->seed = seed;
    f->wide = wide;
    f->kinds = kinds;
    f->random = rng_seeded(seed);
    assert_int_equal(bp_world_create(config, &f->world), BP_OK);
    naive_world_create(&f->naive, config, MOST);
    if (kinds == ANY) {
        ask(f); // an empty world
    }
    add_some(f, objects);
    if (kinds == ANY) {
        ask(f);
    }
    for (int step = 0; step < 2; ++step) {
        bp_result result;
        assert_int_equal(bp_update(f->world, &result), BP_OK);
        expect_pairs_of_all(f, result.pairs, result.pair_count);
        ask(f);
        change_some(f, step == 0 ? 5 : objects / 3);
        add_some(f, 2);
        ask(f);
    }
    bp_answers_free(&f->answers, NULL);
    bp_world_destroy(f->world);
    naive_world_destroy(&f->naive);
    free(f);
}

static void run_scenes(const bp_config *config, bool wide, size_t objects) {
    const uint64_t seed = environment_number("BP_TEST_SEED", 11);
    for (size_t scene = 0; scene < QUERY_SCENES; ++scene) {
        if (in_short_turn(3)) {
            run(config, &query_scenes[scene], wide, ANY, objects, seed);
        }
    }
}

static void every_method_agrees_with_loops(void **state) {
    (void)state;
    for (size_t method = 1; method < bp_method_count(); ++method) {
        const bp_config config = {
            .method = (bp_method)method, .dimensions = method % 2 == 0 ? 2 : 3, SETTINGS(.brute_force_below = 1)};
        run_scenes(&config, false, 200);
    }
}

static void every_number_of_threads_agrees_with_loops(void **state) {
    static const int32_t threads[] = {2, 3, 8};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(threads); ++i) {
        const bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID,
                                  .threads = threads[i],
                                  .flags = BP_EVENTS,
                                  SETTINGS(.brute_force_below = 1)};
        run_scenes(&config, false, 300);
    }
}

static void other_worlds_agree_with_loops(void **state) {
    static const bp_config options[] = {
        {.margin = 0.1f},
        {.period = {10, 10, 10}},
        {.period = {7, 0, 0}, .dimensions = 2},
        {.period = {3, 40, 11}, .margin = 0.01f},
        {.shape = BP_SHAPE_SPHERES},
        {.dimensions = 2, .pair_order = BP_ORDER_SORTED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(options); ++i) {
        bp_config config = options[i];
        config.method = BP_METHOD_HIERARCHICAL_GRID;
        config.settings = &ALWAYS_A_GRID;
        run_scenes(&config, false, quick() ? 60 : 150);
        run_scenes(&config, true, quick() ? 60 : 150);
    }
}

static void other_kernels_agree_with_loops(void **state) {
    static const bp_simd sets[] = {BP_SIMD_SCALAR, BP_SIMD_AVX2, BP_SIMD_AVX512, BP_SIMD_NEON};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sets); ++i) {
        const bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID,
                                  SETTINGS(.brute_force_below = 1, .simd = sets[i])};
        if (has_simd(sets[i])) {
            run_scenes(&config, false, 400);
        }
    }
}

// Enough for three levels of the pack that answers lines.
static void many_objects_agree_with_loops(void **state) {
    const uint64_t seed = environment_number("BP_TEST_SEED", 11);
    (void)state;
    for (size_t scene = 0; scene < QUERY_SCENES; ++scene) {
        const bp_config config = {.dimensions = scene % 2 == 0 ? 3 : 2};
        run(&config, &query_scenes[scene], scene % 3 == 0, ANY, MOST - 10, seed);
    }
}

static void worlds_in_parts_agree_with_loops(void **state) {
    static const bp_method methods[] = {BP_METHOD_AUTO, BP_METHOD_TREE};
    const uint64_t seed = environment_number("BP_TEST_SEED", 11);
    (void)state;
    for (size_t i = 0; i < QUERY_SCENES * COUNT_OF(methods) * 2; ++i) {
        const bp_config config = {.method = methods[i % 2], SETTINGS(.brute_force_below = 1)};
        run(&config, &query_scenes[i / 4], false, i / 2 % 2 == 0 ? PARTS : LONELY, 400, seed);
    }
}

// More than a page of visits: the search is repeated for the rest, with or without memory for a larger one.
static void many_visits_come_in_order(void **state) {
    test_allocator allocator;
    (void)state;
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator)};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (int i = 0; i < MOST; ++i) {
        const bp_box box = cube_of((float)((i * 7) % MOST), 0, 0, 1.5f);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    }
    assert_int_equal(bp_update(world, NULL), BP_OK);
    const bp_ray ray = {{-1, 0.5f, 0.5f}, {1, 0, 0}, INFINITY};
    const bp_box all = {{-1, -1, -1}, {2 * MOST, 2, 2}};
    for (int refused = 0; refused < 2; ++refused) {
        visitor v = {.hits = FOUND_DOUBLE, .last = MOST, .changed = BP_ERROR_ARGUMENT}, w = v;
        test_allocator_fail(&allocator, refused ? 1 : 0, true);
        assert_int_equal(bp_query_ray_each(world, &ray, NULL, visit, &v), BP_OK);
        assert_int_equal(v.count, MOST);
        for (size_t i = 0; i < MOST; ++i) {
            assert_true(FOUND_DOUBLE[i].t == (double)i + 1.0 && FOUND_DOUBLE[i].id * 7 % MOST == i);
        }
        assert_int_equal(bp_query_box_each(world, &all, NULL, visit, &w), BP_OK);
        assert_int_equal(w.count, MOST);
        for (size_t i = 0; i < MOST; ++i) {
            assert_int_equal(FOUND_DOUBLE[i].id, i);
        }
    }
    test_allocator_fail(&allocator, 0, false);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_agrees_with_loops), cmocka_unit_test(every_number_of_threads_agrees_with_loops),
        cmocka_unit_test(other_worlds_agree_with_loops),  cmocka_unit_test(other_kernels_agree_with_loops),
        cmocka_unit_test(many_objects_agree_with_loops),  cmocka_unit_test(worlds_in_parts_agree_with_loops),
        cmocka_unit_test(many_visits_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
