// Runs a program: each call on a world and on the model, and compares all results.
#include "programs/program.h"

#include "support/view_scenes.h"
#include "support/world_streams.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct runner {
    const program *program;
    bp_config config; // the program's, with the method of now and the settings below
    bp_method_settings settings;
    bp_world *world;
    naive_model *model;
    defect made;
    bool has_removed; // for DEFECT_WRONG_ID
    bool *has_moved;  // by id, since the last update; for DEFECT_STALE_MOVE
    outcome outcome;
} runner;

// Keeps the first failure.
__attribute__((format(printf, 2, 3))) static void complain(runner *r, const char *format, ...) {
    if (!r->outcome.failed) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(r->outcome.text, sizeof r->outcome.text, format, arguments);
        va_end(arguments);
        r->outcome.failed = true;
    }
}

static bool is_foreseen(bp_status status, unsigned faults) {
    return faults == 0 ? status == BP_OK
                       : (status == BP_ERROR_BOX && (faults & FAULT_BOX) != 0) ||
                             (status == BP_ERROR_ID && (faults & FAULT_ID) != 0) ||
                             (status == BP_ERROR_ARGUMENT && (faults & FAULT_ARGUMENT) != 0);
}

static void expect_status(runner *r, bp_status status, unsigned faults) {
    if (!is_foreseen(status, faults)) {
        complain(r, "the status is \"%s\"; the model foresees %s%s%s%s", bp_status_text(status),
                 faults == 0 ? "success" : "a refusal for ", (faults & FAULT_BOX) != 0 ? "a box " : "",
                 (faults & FAULT_ID) != 0 ? "an id " : "", (faults & FAULT_ARGUMENT) != 0 ? "an argument" : "");
    }
}

// ---- changes --------------------------------------------------------------------------------------------------------

// The arguments of a call, one array each.
typedef struct arguments {
    bp_id ids[ITEMS_MOST];
    bp_box boxes[ITEMS_MOST];
    bp_box_double doubles[ITEMS_MOST];
    bp_object objects[ITEMS_MOST];
} arguments;

static arguments arguments_of(const step *s) {
    arguments a;
    for (size_t i = 0; i < s->count; ++i) {
        a.ids[i] = s->items[i].id;
        a.doubles[i] = s->items[i].box;
        a.objects[i] = s->items[i].object;
        for (int axis = 0; axis < 3 && !s->wide; ++axis) {
            a.boxes[i].min[axis] = (float)s->items[i].box.min[axis];
            a.boxes[i].max[axis] = (float)s->items[i].box.max[axis];
        }
    }
    return a;
}

static bp_status call_add(bp_world *world, const step *s, arguments *a) {
    const bp_object *objects = s->without ? NULL : a->objects;
    if (s->many) {
        return s->wide ? bp_add_many_double(world, s->count, a->doubles, objects, a->ids)
                       : bp_add_many(world, s->count, a->boxes, objects, a->ids);
    }
    return s->wide ? bp_add_double(world, a->doubles, objects, a->ids) : bp_add(world, a->boxes, objects, a->ids);
}

static void run_add(runner *r, const step *given) {
    step s = *given;
    arguments a = arguments_of(&s);
    for (size_t i = 0; i < s.count && s.without; ++i) {
        s.items[i].object = (bp_object){0};
    }
    const unsigned faults = naive_model_add(r->model, s.items, s.count, s.wide);
    expect_status(r, call_add(r->world, &s, &a), faults);
    for (size_t i = 0; i < s.count && faults == 0; ++i) {
        const bp_id id = a.ids[i] + (r->made == DEFECT_WRONG_ID && r->has_removed ? 1 : 0);
        if (id != s.items[i].id) {
            complain(r, "the new id is %u instead of %u", id, s.items[i].id);
        }
    }
}

static bp_status call_move(bp_world *world, const step *s, const arguments *a) {
    if (s->many) {
        const bp_id *ids = s->without ? NULL : a->ids;
        return s->wide ? bp_move_many_double(world, s->count, ids, a->doubles)
                       : bp_move_many(world, s->count, ids, a->boxes);
    }
    return s->wide ? bp_move_double(world, a->ids[0], a->doubles) : bp_move(world, a->ids[0], a->boxes);
}

static void run_move(runner *r, const step *given) {
    step s = *given;
    for (size_t i = 0; i < s.count && s.many && s.without; ++i) {
        s.items[i].id = (bp_id)i;
    }
    const arguments a = arguments_of(&s);
    const unsigned faults = naive_model_move(r->model, s.items, s.count, s.wide);
    expect_status(r, call_move(r->world, &s, &a), faults);
    for (size_t i = 0; i < s.count && faults == 0; ++i) {
        r->has_moved[s.items[i].id] = true;
    }
}

static void run_remove(runner *r, const step *s) {
    const unsigned faults = naive_model_remove(r->model, s->items[0].id);
    expect_status(r, bp_remove(r->world, s->items[0].id), faults);
    r->has_removed |= faults == 0;
}

static void run_set_object(runner *r, const step *s) {
    const unsigned faults = naive_model_set_object(r->model, s->items[0].id, &s->items[0].object);
    expect_status(r, bp_set_object(r->world, s->items[0].id, &s->items[0].object), faults);
}

// -0 and 0 are different here: an object comes back as it was given.
static void run_get_object(runner *r, const step *s) {
    const bp_id id = s->items[0].id;
    const bool alive = naive_world_is_alive(&r->model->world, id);
    bp_box_double box;
    bp_object object;
    expect_status(r, bp_get_object_double(r->world, id, &box, &object), alive ? 0 : FAULT_ID);
    if (alive && (memcmp(&box, &r->model->world.boxes[id], r->model->world.dimensions == 3 ? sizeof box : 16) != 0 ||
                  memcmp(&object, &r->model->world.objects[id], sizeof object) != 0)) {
        complain(r, "object %u is not as it was given", id);
    }
    if (bp_world_count(r->world) != r->model->living) {
        complain(r, "%zu objects are alive instead of %zu", bp_world_count(r->world), r->model->living);
    }
}

// ---- updates --------------------------------------------------------------------------------------------------------

static bool is_dropped(const runner *r, bp_pair pair) {
    return (r->made == DEFECT_LOST_PAIR && (pair.a + pair.b) % 5 == 3) ||
           (r->made == DEFECT_STALE_MOVE && (r->has_moved[pair.a] || r->has_moved[pair.b]));
}

// Ascending.
static pair_list reported_pairs(runner *r, const bp_result *result) {
    pair_list pairs = {0};
    for (size_t i = 0; i < result->pair_count; ++i) {
        const bp_pair pair = result->pairs[i];
        if (i > 0 && r->config.pair_order == BP_ORDER_SORTED &&
            (pair.a < pair.b ? 0 : 1) + (pair.a < result->pairs[i - 1].a) > 0) {
            complain(r, "pair %zu, (%u, %u), is out of order", i, pair.a, pair.b);
        }
        if (!is_dropped(r, pair)) {
            pair_list_push(&pairs, pair.a, pair.b);
        }
    }
    sort_pairs(pairs.data, pairs.count);
    return pairs;
}

// Whether all pairs of one list are in another; if not, the first that is missing.
static bool contains(const pair_list *all, const pair_list *some, bp_pair *missing) {
    for (size_t i = 0; i < some->count; ++i) {
        if (!pairs_contain(all->data, all->count, some->data[i])) {
            *missing = some->data[i];
            return false;
        }
    }
    return true;
}

// All of `least` must be there, and nothing but `most`, each once.
static void expect_between(runner *r, const pair_list *found, const pair_list *least, const pair_list *most) {
    bp_pair pair;
    if (!contains(found, least, &pair)) {
        complain(r, "the pair (%u, %u) is lost", pair.a, pair.b);
    }
    if (!contains(most, found, &pair)) {
        complain(r, "the pair (%u, %u) does not overlap", pair.a, pair.b);
    }
    for (size_t i = 1; i < found->count; ++i) {
        if (memcmp(&found->data[i - 1], &found->data[i], sizeof *found->data) == 0) {
            complain(r, "the pair (%u, %u) is there twice", found->data[i].a, found->data[i].b);
        }
    }
}

static void expect_events(runner *r, const bp_pair *told, size_t count, pair_list expected, const char *which) {
    const bool has_events = (r->config.flags & BP_EVENTS) != 0;
    const size_t wanted = has_events ? expected.count : 0;
    size_t same = 0;
    while (same < count && same < wanted && memcmp(&told[same], &expected.data[same], sizeof *told) == 0) {
        ++same;
    }
    if (count != wanted || same < wanted) {
        const bp_pair pair = same < wanted ? expected.data[same] : told[same];
        complain(r, "%zu pairs have %s instead of %zu; the first difference is (%u, %u)", count, which, wanted, pair.a,
                 pair.b);
    }
    pair_list_free(&expected);
}

// With a margin, pairs may be reported that are up to four of them apart along an axis, whatever their shape.
static void check_pairs(runner *r, const pair_list *found) {
    bp_config least = r->config, most = r->config;
    if (r->config.margin > 0.0f) {
        least.margin = 0.0f;
        most.margin = 2.0001f * r->config.margin;
        most.shape = BP_SHAPE_BOXES;
    }
    pair_list inner = naive_model_pairs(r->model, &least), outer = naive_model_pairs(r->model, &most);
    expect_between(r, found, &inner, &outer);
    pair_list_free(&inner);
    pair_list_free(&outer);
}

static void run_update(runner *r) {
    bp_result result = {.pair_count = 0};
    const bp_status status = bp_update(r->world, &result);
    if (status != BP_OK) {
        complain(r, "the update fails: \"%s\"", bp_status_text(status));
        return;
    }
    pair_list found = reported_pairs(r, &result);
    check_pairs(r, &found);
    const size_t kept_back = r->made == DEFECT_LATE_END && result.ended_count > 0 ? 1 : 0;
    expect_events(r, result.begun, result.begun_count, naive_model_events(r->model, &found, &r->model->last), "begun");
    expect_events(r, result.ended, result.ended_count - kept_back,
                  naive_model_events(r->model, &r->model->last, &found), "ended");
    if (result.stats.objects != r->model->living) {
        complain(r, "%zu objects were updated instead of %zu", result.stats.objects, r->model->living);
    }
    naive_model_updated(r->model, found);
    memset(r->has_moved, 0, r->model->capacity * sizeof *r->has_moved);
}

// ---- questions ------------------------------------------------------------------------------------------------------

static void expect_answer(runner *r, bp_status status, const void *answer, const void *expected, size_t size,
                          size_t found, size_t wanted, size_t capacity) {
    const size_t listed = wanted < capacity ? wanted : capacity;
    if (status != (wanted > capacity ? BP_ERROR_CAPACITY : BP_OK) || found != wanted) {
        complain(r, "the answer is %zu objects, \"%s\", instead of %zu", found, bp_status_text(status), wanted);
    } else if (memcmp(answer, expected, listed * size) != 0) {
        complain(r, "the answer has other objects or numbers than the model's");
    }
}

static const bp_object *asker_of(const step *s) {
    return s->without ? NULL : &s->items[0].object;
}

static void run_query_box(runner *r, const step *s) {
    const arguments a = arguments_of(&(step){.count = 1, .items = {s->items[0]}});
    bp_id *ids = obtain(s->capacity, sizeof *ids), *expected = obtain(r->model->capacity, sizeof *ids);
    size_t found = 0;
    const bp_status status = bp_query_box(r->world, a.boxes, asker_of(s), ids, s->capacity, &found);
    const size_t wanted = naive_query_box(&r->model->world, a.boxes, asker_of(s), expected);
    expect_answer(r, status, ids, expected, sizeof *ids, found, wanted, s->capacity);
    free(ids);
    free(expected);
}

static void run_query_ray(runner *r, const step *s) {
    bp_ray ray = {.max_t = s->ray[6]};
    memcpy(ray.origin, s->ray, sizeof ray.origin);
    memcpy(ray.direction, s->ray + 3, sizeof ray.direction);
    bp_ray_hit *hits = obtain(s->capacity, sizeof *hits), *expected = obtain(r->model->capacity, sizeof *hits);
    size_t found = 0;
    const bp_status status = bp_query_ray(r->world, &ray, asker_of(s), hits, s->capacity, &found);
    const size_t wanted = naive_query_ray(&r->model->world, &ray, asker_of(s), expected);
    expect_answer(r, status, hits, expected, sizeof *hits, found, wanted, s->capacity);
    free(hits);
    free(expected);
}

static void run_query_nearest(runner *r, const step *s) {
    const size_t k = s->capacity > 0 ? s->capacity : 1;
    bp_near *near = obtain(k, sizeof *near), *expected = obtain(r->model->capacity, sizeof *near);
    size_t found = 0;
    const bp_status status = bp_query_nearest(r->world, s->ray, k, asker_of(s), near, &found);
    const size_t all = naive_query_nearest(&r->model->world, s->ray, asker_of(s), expected);
    expect_answer(r, status, near, expected, sizeof *near, found, all < k ? all : k, k);
    free(near);
    free(expected);
}

// ---- saving ---------------------------------------------------------------------------------------------------------

static void adopt_method(runner *r, size_t method) {
    r->config.method = (bp_method)method;
    r->config.update = r->program->config.update;
    if (r->config.update == BP_UPDATE_INDIVIDUAL && !is_incremental(method)) {
        r->config.update = BP_UPDATE_AUTOMATIC;
    }
}

static size_t next_method(const runner *r, uint32_t ahead) {
    size_t method = (size_t)r->config.method;
    do {
        method = (method + ahead) % bp_method_count();
        ahead = 1;
    } while (!program_suits(r->program, (bp_method)method));
    return method;
}

// With a margin, what has changed since the last update is saved as well; and not every method keeps account of that.
static void run_save_and_load(runner *r, const step *s) {
    stream before = {0}, after = {0};
    const bp_method saved_with = r->config.method;
    expect_status(r, bp_world_save(r->world, stream_write, &before), 0);
    bp_world_destroy(r->world);
    r->world = NULL;
    adopt_method(r, next_method(r, s->method));
    if (s->without) {
        r->config.pair_order = r->config.pair_order == BP_ORDER_SORTED ? BP_ORDER_FOUND : BP_ORDER_SORTED;
        r->settings.brute_force_below ^= 1;
    }
    expect_status(r, bp_world_load(&r->config, stream_read, &before, &r->world), 0);
    if (r->world != NULL) {
        expect_status(r, bp_world_save(r->world, stream_write, &after), 0);
        if (!same_bytes(&before, &after) && (r->config.margin == 0.0f || r->config.method == saved_with)) {
            complain(r, "a world that was loaded is saved as other bytes");
        }
    }
    stream_free(&before);
    stream_free(&after);
}

// ---- one call ------------------------------------------------------------------------------------------------------

static bp_status call_find(const step *s, const bp_box_double *boxes, const bp_box *floats, size_t count,
                           const bp_config *config, bp_pairs *pairs) {
    const size_t first = count / 3;
    if (s->without) {
        return s->wide ? bp_find_pairs_double(boxes, count, config, pairs)
                       : bp_find_pairs(floats, count, config, pairs);
    }
    return s->wide ? bp_find_pairs_between_double(boxes, first, boxes + first, count - first, config, pairs)
                   : bp_find_pairs_between(floats, first, floats + first, count - first, config, pairs);
}

// Floats are what is left of 64-bit boxes, so that both kinds of call can be made of any world.
static void run_find(runner *r, const step *s) {
    const size_t count = r->model->living, first = count / 3;
    bp_id *ids = NULL;
    bp_box_double *boxes = naive_model_boxes(r->model, &ids);
    bp_box *floats = obtain(count, sizeof *floats);
    for (size_t i = 0; i < count && !s->wide; ++i) {
        step one = {.items = {{.box = boxes[i]}}, .count = 1};
        step_round(&one);
        boxes[i] = one.items[0].box;
        floats[i] = arguments_of(&one).boxes[0];
    }
    pair_list expected =
        s->without ? naive_view_pairs(boxes, count, s->wide, &r->config)
                   : naive_view_pairs_between(boxes, first, boxes + first, count - first, s->wide, &r->config);
    bp_pairs pairs = {0};
    expect_status(r, call_find(s, boxes, floats, count, &r->config, &pairs), 0);
    sort_pairs(pairs.data, pairs.count);
    const pair_list found = {.data = pairs.data, .count = pairs.count};
    expect_between(r, &found, &expected, &expected);
    bp_pairs_free(&pairs, &r->config);
    pair_list_free(&expected);
    free(floats);
    free(boxes);
    free(ids);
}

// ---- all together ---------------------------------------------------------------------------------------------------

bool program_suits(const program *p, bp_method method) {
    return p->config.dimensions != 2 || (bp_method_supports((size_t)method) & BP_SUPPORTS_2D) != 0;
}

static void run_step(runner *r, const step *s) {
    switch (s->what) {
    case OPERATION_ADD: run_add(r, s); break;
    case OPERATION_MOVE: run_move(r, s); break;
    case OPERATION_REMOVE: run_remove(r, s); break;
    case OPERATION_SET_OBJECT: run_set_object(r, s); break;
    case OPERATION_GET_OBJECT: run_get_object(r, s); break;
    case OPERATION_RESERVE: expect_status(r, bp_world_reserve(r->world, s->capacity), 0); break;
    case OPERATION_UPDATE: run_update(r); break;
    case OPERATION_VALIDATE: expect_status(r, bp_world_validate(r->world), 0); break;
    case OPERATION_QUERY_BOX: run_query_box(r, s); break;
    case OPERATION_QUERY_RAY: run_query_ray(r, s); break;
    case OPERATION_QUERY_NEAREST: run_query_nearest(r, s); break;
    case OPERATION_SAVE_AND_LOAD: run_save_and_load(r, s); break;
    case OPERATION_FIND: run_find(r, s); break;
    case OPERATION_COUNT: break;
    }
}

outcome program_run(const program *p, bp_method method, defect made) {
    runner r = {.program = p, .config = p->config, .settings = p->settings, .made = made};
    const size_t capacity = program_objects(p) + 1;
    r.config.settings = &r.settings;
    adopt_method(&r, (size_t)method);
    r.model = naive_model_create(&r.config, capacity);
    r.has_moved = obtain(capacity, sizeof *r.has_moved);
    expect_status(&r, bp_world_create(&r.config, &r.world), 0);
    for (size_t i = 0; i < p->count && !r.outcome.failed; ++i) {
        r.outcome.at = i;
        run_step(&r, &p->steps[i]);
    }
    if (!r.outcome.failed) {
        r.outcome.at = p->count;
        expect_status(&r, bp_world_validate(r.world), 0);
    }
    bp_world_destroy(r.world);
    naive_model_destroy(r.model);
    free(r.has_moved);
    return r.outcome;
}
