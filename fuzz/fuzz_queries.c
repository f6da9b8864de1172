// Questions to a world, and the same to plain loops (tests/support/naive_query.h), which share no code with it: every kind, in
// every form, with all the numbers that a caller can send. The first bytes are the choices; the rest follows from them.
#include "target.h"

#include "support/naive_query.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OBJECTS_MOST = 120,
    ROUNDS = 4, // of questions, with changes between them
    QUESTIONS = 8,
    SOME = 4 // questions at once
};

typedef struct choices {
    const uint8_t *bytes;
    size_t size, position;
    rng random; // beyond the bytes
} choices;

static uint32_t below(choices *c, uint32_t bound) {
    return c->position < c->size ? c->bytes[c->position++] % bound : rng_below(&c->random, bound);
}

static bool one_in(choices *c, uint32_t bound) {
    return below(c, bound) == 0;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

typedef struct scene {
    choices from;
    bp_config config;
    bool is_tame; // periodic: distances are compared with the period
    bool is_wide; // boxes have 64 bits
    bp_world *world;
    naive_world model;
    size_t asked;
} scene;

// A place or a speed. `all`: also infinite ones and NaNs.
static double draw_number(scene *s, bool all) {
    static const double little[] = {0.0,     -0.0,     0x1p-149,  -0x1p-149, 0x1p-1074, -0x1p-1074,
                                    FLT_MIN, -FLT_MIN, DBL_MIN,   -DBL_MIN,  0x1p-80,   -0x1p-80,
                                    0.1,     -0.1,     1.0 / 3.0, 0x1p-1000, 0x1p-140,  -0x1p-130};
    static const double large[] = {1e7,     -1e7,     0x1p24, -0x1p53, 0x1p119, -0x1p121, 1e30,
                                   FLT_MAX, -FLT_MAX, 1e300,  -1e300,  DBL_MAX, -DBL_MAX};
    static const double without_end[] = {INFINITY, -INFINITY, NAN};
    choices *c = &s->from;
    switch (below(c, 16)) {
    case 0:
    case 1:
    case 2: return little[below(c, COUNT_OF(little))];
    case 3: return s->is_tame ? 0.0 : large[below(c, COUNT_OF(large))];
    case 4: return all && one_in(c, 4) ? without_end[below(c, 3)] : -0.0;
    case 5:
    case 6:
    case 7: return (double)below(c, 256) / 23.0 - 5.5;
    default: return (double)below(c, 13) - 6.0; // a lattice: most of what touches, touches exactly
    }
}

static double narrow(const scene *s, double number) {
    const double most = (double)FLT_MAX;
    return s->is_wide || !isfinite(number)             ? number
           : fmax(-most, fmin(most, number)) == number ? (double)(float)number
                                                       : copysign(most, number);
}

static bp_box_double draw_box(scene *s, bool all) {
    bp_box_double box;
    for (int axis = 0; axis < 3; ++axis) {
        const bool is_flat = one_in(&s->from, 3);
        const double a = narrow(s, draw_number(s, all)), b = is_flat ? a : narrow(s, draw_number(s, all));
        box.min[axis] = b < a ? b : a;
        box.max[axis] = b < a ? a : b;
    }
    return box;
}

static bool is_valid(const scene *s, const bp_box_double *box) {
    bool valid = true;
    for (uint32_t axis = 0; axis < s->model.dimensions; ++axis) {
        valid &= box->min[axis] <= box->max[axis];
    }
    return valid;
}

static bp_box narrow_box(const bp_box_double *box) {
    bp_box made;
    for (int axis = 0; axis < 3; ++axis) {
        made.min[axis] = (float)box->min[axis];
        made.max[axis] = (float)box->max[axis];
    }
    return made;
}

static bp_box_double wide_box(const bp_box *box) {
    bp_box_double made;
    for (int axis = 0; axis < 3; ++axis) {
        made.min[axis] = (double)box->min[axis];
        made.max[axis] = (double)box->max[axis];
    }
    return made;
}

static bp_object draw_object(scene *s) {
    return (bp_object){.group = (uint64_t)below(&s->from, 4) << 31,
                       .mask = (uint64_t)below(&s->from, 4) << 31,
                       .flags = one_in(&s->from, 3)};
}

// ---- the world ------------------------------------------------------------------------------------------------------

static void draw_config(scene *s) {
    static const bp_method methods[] = {BP_METHOD_AUTO, BP_METHOD_TREE, BP_METHOD_BVH, BP_METHOD_HIERARCHICAL_GRID};
    choices *c = &s->from;
    s->config = (bp_config){.method = methods[below(c, COUNT_OF(methods))], .dimensions = one_in(c, 4) ? 2 : 3};
    s->is_wide = one_in(c, 3);
    s->is_tame = one_in(c, 4);
    s->config.margin = s->is_tame && one_in(c, 2) ? 0.25f : 0.0f;
    for (int axis = 0; axis < 3 && s->is_tame; ++axis) {
        s->config.period[axis] = one_in(c, 3) ? 0.0f : 8.0f;
    }
}

// Sets the box of an object, or adds it. What the library does not take stays out.
static void put(scene *s, bp_id id, bool is_new) {
    const bp_box_double box = draw_box(s, true);
    const bp_object object = one_in(&s->from, 2) ? (bp_object){0} : draw_object(s);
    const bp_box rounded = narrow_box(&box);
    bp_status status = s->is_wide
                           ? is_new ? bp_add_double(s->world, &box, &object, &id) : bp_move_double(s->world, id, &box)
                       : is_new ? bp_add(s->world, &rounded, &object, &id)
                                : bp_move(s->world, id, &rounded);
    if (status == BP_OK) {
        naive_world_put_double(&s->model, id, &box, is_new ? &object : &s->model.objects[id]);
    } else {
        require(status == BP_ERROR_BOX, "a box is refused in another way");
    }
}

static void change(scene *s) {
    for (uint32_t left = below(&s->from, 12); left > 0 && s->model.count > 0; --left) {
        const bp_id id = below(&s->from, (uint32_t)s->model.count);
        if (!naive_world_is_alive(&s->model, id)) {
            continue;
        }
        if (one_in(&s->from, 4)) {
            require(bp_remove(s->world, id) == BP_OK, "an object stays");
            naive_world_remove(&s->model, id);
        } else {
            put(s, id, false);
        }
    }
}

static scene open_scene(const uint8_t *data, size_t size) {
    scene s = {.from = {.bytes = data, .size = size}};
    uint64_t seed = size;
    for (size_t i = 0; i < size; ++i) {
        seed = (seed ^ data[i]) * 0x100000001b3u;
    }
    s.from.random = rng_seeded(seed);
    draw_config(&s);
    require(bp_world_create(&s.config, &s.world) == BP_OK, "a world is refused");
    naive_world_create(&s.model, &s.config, OBJECTS_MOST);
    for (uint32_t left = one_in(&s.from, 4) ? below(&s.from, 8) : OBJECTS_MOST; left > 0; --left) {
        put(&s, 0, true);
    }
    return s;
}

// ---- lists ----------------------------------------------------------------------------------------------------------

// What is expected, and what was found: ids, and t or distances.
typedef struct answer {
    size_t count;
    size_t lowers_at; // the visit, from 1, that is told to be the last one but for others at the same t; 0: none
    bp_ray_hit_double items[OBJECTS_MOST + 1];
} answer;

// The items of a list that another one does not have.
static void print_difference(const scene *s, const char *name, const answer *a, const answer *b) {
    for (size_t i = 0; i < a->count; ++i) {
        const bp_ray_hit_double *item = &a->items[i];
        bool is_there = false;
        for (size_t k = 0; k < b->count; ++k) {
            is_there |= b->items[k].id == item->id && b->items[k].t == item->t;
        }
        if (!is_there) {
            const double *n = s->model.boxes[item->id].min, *m = s->model.boxes[item->id].max;
            (void)fprintf(stderr, "%s, number %zu of %zu: %u at %a, from %a %a %a to %a %a %a\n", name, i, a->count,
                          (unsigned)item->id, item->t, n[0], n[1], n[2], m[0], m[1], m[2]);
        }
    }
}

// `asked` is the question: of a box or a point only the place.
static void require_same(const scene *s, const bp_cast_double *asked, const answer *expected, const answer *found,
                         size_t most) {
    const size_t count = expected->count < most ? expected->count : most;
    bool is_same = found->count == count;
    for (size_t i = 0; i < count && is_same; ++i) {
        is_same = found->items[i].id == expected->items[i].id && found->items[i].t == expected->items[i].t;
    }
    if (!is_same) {
        const double *n = asked->box.min, *m = asked->box.max, *d = asked->direction;
        (void)fprintf(stderr, "%s, %u dimensions, margin %g, period %g %g %g, %d bits\n",
                      bp_method_name((size_t)s->config.method), (unsigned)s->model.dimensions, (double)s->config.margin,
                      s->model.period[0], s->model.period[1], s->model.period[2], s->is_wide ? 64 : 32);
        (void)fprintf(stderr, "from %a %a %a to %a %a %a, along %a %a %a, up to %a\n", n[0], n[1], n[2], m[0], m[1],
                      m[2], d[0], d[1], d[2], asked->max_t);
        print_difference(s, "missing", expected, found);
        print_difference(s, "surplus", found, expected);
    }
    require(is_same, "other answers than those of plain loops");
}

static answer of_ids(const bp_id *ids, size_t count) {
    answer a = {.count = count};
    for (size_t i = 0; i < count; ++i) {
        a.items[i] = (bp_ray_hit_double){.id = ids[i]};
    }
    return a;
}

static answer of_hits(const bp_ray_hit *hits, size_t count) {
    answer a = {.count = count};
    for (size_t i = 0; i < count; ++i) {
        a.items[i] = (bp_ray_hit_double){.id = hits[i].id, .t = (double)hits[i].t};
    }
    return a;
}

static answer of_hits_double(const bp_ray_hit_double *hits, size_t count) {
    answer a = {.count = count};
    memcpy(a.items, hits, count * sizeof *hits);
    return a;
}

static answer of_near(const bp_near *near, size_t count) {
    answer a = {.count = count};
    for (size_t i = 0; i < count; ++i) {
        a.items[i] = (bp_ray_hit_double){.id = near[i].id, .t = (double)near[i].distance};
    }
    return a;
}

static answer of_row(const bp_answers *answers, size_t row, bool has_values) {
    answer a = {.count = answers->offsets[row + 1] - answers->offsets[row]};
    for (size_t i = 0; i < a.count; ++i) {
        const size_t at = answers->offsets[row] + i;
        a.items[i] = (bp_ray_hit_double){.id = answers->ids[at], .t = has_values ? (double)answers->values[at] : 0.0};
    }
    return a;
}

static int visit(void *context, bp_id id, double t, double *max_t) {
    answer *a = context;
    a->items[a->count++] = (bp_ray_hit_double){.id = id, .t = t};
    *max_t = a->count == a->lowers_at ? t : *max_t;
    return 1;
}

// As many of what is expected as are visited.
static size_t count_visits(const answer *expected, size_t lowers_at) {
    size_t count = lowers_at;
    if (lowers_at == 0 || lowers_at > expected->count) {
        return SIZE_MAX;
    }
    for (; count < expected->count && expected->items[count].t == expected->items[lowers_at - 1].t; ++count) {
    }
    return count;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static void ask_boxes(scene *s, const bp_object *as) {
    bp_box boxes[SOME];
    answer expected[SOME];
    bool all_valid = true;
    for (size_t i = 0; i < SOME; ++i) {
        bp_id ids[OBJECTS_MOST + 1];
        size_t found = 0;
        const bp_box_double drawn = draw_box(s, true);
        const bp_cast_double asked = {.box = drawn};
        boxes[i] = narrow_box(&drawn);
        const bp_box rounded = boxes[i];
        const bp_status right = is_valid(s, &drawn) ? BP_OK : BP_ERROR_BOX; // rounding makes no valid box invalid
        all_valid &= right == BP_OK;
        if (right == BP_OK) {
            expected[i] = of_ids(ids, naive_query_box_double(&s->model, &drawn, as, ids));
        }
        answer visited = {0};
        require(bp_query_box_double(s->world, &drawn, as, ids, OBJECTS_MOST, &found) == right &&
                    bp_query_box_each_double(s->world, &drawn, as, visit, &visited) == right,
                "another status for a box of 64 bits");
        if (right == BP_OK) {
            const answer listed = of_ids(ids, found);
            require_same(s, &asked, &expected[i], &listed, SIZE_MAX);
            require_same(s, &asked, &expected[i], &visited, SIZE_MAX);
            expected[i] = of_ids(ids, naive_query_box(&s->model, &rounded, as, ids));
        }
        visited = (answer){0};
        require(bp_query_box(s->world, &rounded, as, ids, OBJECTS_MOST, &found) == right &&
                    bp_query_box_each(s->world, &rounded, as, visit, &visited) == right,
                "another status for a box");
        if (right == BP_OK) {
            const answer listed = of_ids(ids, found);
            require_same(s, &asked, &expected[i], &listed, SIZE_MAX);
            require_same(s, &asked, &expected[i], &visited, SIZE_MAX);
        }
    }
    bp_answers answers = {0};
    require(bp_query_boxes(s->world, SOME, boxes, as, &answers) == (all_valid ? BP_OK : BP_ERROR_BOX),
            "another status for boxes");
    for (size_t i = 0; i < SOME && all_valid; ++i) {
        const answer row = of_row(&answers, i, false);
        const bp_cast_double asked = {.box = wide_box(&boxes[i])};
        require_same(s, &asked, &expected[i], &row, SIZE_MAX);
    }
    bp_answers_free(&answers, NULL);
    s->asked += 5 * SOME;
}

// ---- rays and casts -------------------------------------------------------------------------------------------------

static bp_cast_double draw_cast(scene *s, bool is_ray) {
    static const double ends[] = {0.0, -0.0, 1.0, 4.0, 0x1p-149, 0x1p-1074, 1e30, 1e300, INFINITY, INFINITY, -1.0, NAN};
    bp_cast_double cast = {.box = draw_box(s, true), .max_t = ends[below(&s->from, COUNT_OF(ends))]};
    for (int axis = 0; axis < 3; ++axis) {
        cast.box.max[axis] = is_ray ? cast.box.min[axis] : cast.box.max[axis];
        cast.direction[axis] = draw_number(s, true);
    }
    if (s->is_tame && cast.max_t > 4.0) { // else the loops over images would have no end
        cast.max_t = one_in(&s->from, 8) ? (double)INFINITY : 4.0;
    }
    return cast;
}

static bp_status status_of(const scene *s, const bp_cast_double *cast) {
    bool is_finite = true, moves = false, is_periodic = false;
    for (uint32_t axis = 0; axis < s->model.dimensions; ++axis) {
        if (cast->box.min[axis] > cast->box.max[axis]) {
            return BP_ERROR_BOX;
        }
        is_finite &= isfinite(cast->box.min[axis]) && isfinite(cast->box.max[axis]) && isfinite(cast->direction[axis]);
        moves |= cast->direction[axis] != 0.0;
        is_periodic |= s->model.period[axis] > 0.0;
    }
    const bool is_right = is_finite && moves && cast->max_t >= 0.0 && !(is_periodic && isinf(cast->max_t));
    return is_right ? BP_OK : BP_ERROR_ARGUMENT;
}

static void ask_cast_double(scene *s, const bp_cast_double *cast, bool is_ray, const bp_object *as) {
    const bp_status right = status_of(s, cast);
    const size_t most = below(&s->from, 4);
    bp_ray_hit_double hits[OBJECTS_MOST + 1], few[4];
    answer expected = {0}, visited = {.lowers_at = below(&s->from, 24)};
    size_t found = 0;
    bp_ray_double ray = {.max_t = cast->max_t};
    memcpy(ray.origin, cast->box.min, sizeof ray.origin);
    memcpy(ray.direction, cast->direction, sizeof ray.direction);
    const bool is_same = is_ray ? bp_query_ray_double(s->world, &ray, as, hits, OBJECTS_MOST, &found) == right &&
                                      bp_query_ray_double(s->world, &ray, as, few, most, NULL) == right &&
                                      bp_query_ray_each_double(s->world, &ray, as, visit, &visited) == right
                                : bp_query_cast_double(s->world, cast, as, hits, OBJECTS_MOST, &found) == right &&
                                      bp_query_cast_double(s->world, cast, as, few, most, NULL) == right &&
                                      bp_query_cast_each_double(s->world, cast, as, visit, &visited) == right;
    require(is_same, "another status for a line of 64 bits");
    if (right == BP_OK) {
        expected.count = naive_query_cast_double(&s->model, cast, as, expected.items);
        const answer listed = of_hits_double(hits, found);
        require_same(s, cast, &expected, &listed, SIZE_MAX);
        require_same(s, cast, &expected, &visited, count_visits(&expected, visited.lowers_at));
        const answer first = of_hits_double(few, expected.count < most ? expected.count : most);
        require_same(s, cast, &expected, &first, most);
        require(expected.count >= most || few[expected.count].id == BP_NO_ID, "a short list has no end");
    }
    s->asked += 3;
}

static bp_cast narrow_cast(const bp_cast_double *cast) {
    bp_cast made = {.box = narrow_box(&cast->box), .max_t = (float)cast->max_t};
    for (int axis = 0; axis < 3; ++axis) {
        made.direction[axis] = (float)cast->direction[axis];
    }
    return made;
}

static bp_cast_double wide_cast(const bp_cast *cast) {
    bp_cast_double made = {.box = wide_box(&cast->box), .max_t = (double)cast->max_t};
    for (int axis = 0; axis < 3; ++axis) {
        made.direction[axis] = (double)cast->direction[axis];
    }
    return made;
}

static bp_status ask_cast(scene *s, const bp_cast *cast, bool is_ray, const bp_object *as, answer *expected) {
    const bp_cast_double wide = wide_cast(cast);
    const bp_status right = status_of(s, &wide);
    const size_t most = below(&s->from, 4);
    bp_ray_hit hits[OBJECTS_MOST + 1], few[4];
    answer visited = {.lowers_at = below(&s->from, 24)};
    size_t found = 0;
    bp_ray ray = {.max_t = cast->max_t};
    memcpy(ray.origin, cast->box.min, sizeof ray.origin);
    memcpy(ray.direction, cast->direction, sizeof ray.direction);
    const bool is_same = is_ray ? bp_query_ray(s->world, &ray, as, hits, OBJECTS_MOST, &found) == right &&
                                      bp_query_ray(s->world, &ray, as, few, most, NULL) == right &&
                                      bp_query_ray_each(s->world, &ray, as, visit, &visited) == right
                                : bp_query_cast(s->world, cast, as, hits, OBJECTS_MOST, &found) == right &&
                                      bp_query_cast(s->world, cast, as, few, most, NULL) == right &&
                                      bp_query_cast_each(s->world, cast, as, visit, &visited) == right;
    require(is_same, "another status for a line");
    if (right == BP_OK) {
        bp_ray_hit naive[OBJECTS_MOST + 1];
        *expected = of_hits(naive, naive_query_cast(&s->model, cast, as, naive));
        const answer listed = of_hits(hits, found),
                     first = of_hits(few, expected->count < most ? expected->count : most);
        require_same(s, &wide, expected, &listed, SIZE_MAX);
        require_same(s, &wide, expected, &visited, count_visits(expected, visited.lowers_at));
        require_same(s, &wide, expected, &first, most);
        require(expected->count >= most || few[expected->count].id == BP_NO_ID, "a short list has no end");
    }
    s->asked += 3;
    return right;
}

static void ask_lines(scene *s, bool are_rays, const bp_object *as) {
    bp_cast casts[SOME];
    bp_ray rays[SOME];
    answer expected[SOME];
    bp_status first_wrong = BP_OK;
    for (size_t i = 0; i < SOME; ++i) {
        const bp_cast_double drawn = draw_cast(s, are_rays);
        ask_cast_double(s, &drawn, are_rays, as);
        casts[i] = narrow_cast(&drawn);
        rays[i] = (bp_ray){.max_t = casts[i].max_t};
        memcpy(rays[i].origin, casts[i].box.min, sizeof rays[i].origin);
        memcpy(rays[i].direction, casts[i].direction, sizeof rays[i].direction);
        const bp_status status = ask_cast(s, &casts[i], are_rays, as, &expected[i]);
        first_wrong = first_wrong == BP_OK ? status : first_wrong;
    }
    bp_answers answers = {0};
    const size_t most = below(&s->from, 3);
    require((are_rays ? bp_query_rays(s->world, SOME, rays, most, as, &answers)
                      : bp_query_casts(s->world, SOME, casts, most, as, &answers)) == first_wrong,
            "another status for lines");
    for (size_t i = 0; i < SOME && first_wrong == BP_OK; ++i) {
        const answer row = of_row(&answers, i, true);
        const bp_cast_double asked = wide_cast(&casts[i]);
        require_same(s, &asked, &expected[i], &row, most > 0 ? most : SIZE_MAX);
    }
    bp_answers_free(&answers, NULL);
    s->asked += SOME;
}

// ---- nearest --------------------------------------------------------------------------------------------------------

static bp_cast_double wide_point(const float point[3]) {
    bp_cast_double made = {.max_t = 0.0};
    for (int axis = 0; axis < 3; ++axis) {
        made.box.min[axis] = made.box.max[axis] = (double)point[axis];
    }
    return made;
}

static bp_status status_of_point(const scene *s, const double point[3]) {
    bool is_finite = true;
    for (uint32_t axis = 0; axis < s->model.dimensions; ++axis) {
        is_finite &= isfinite(point[axis]);
    }
    return is_finite ? BP_OK : BP_ERROR_ARGUMENT;
}

static void ask_point_double(const scene *s, const double point[3], size_t k, const bp_object *as) {
    bp_near_double near[OBJECTS_MOST + 1], naive[OBJECTS_MOST + 1];
    const bp_status right = status_of_point(s, point);
    bp_cast_double asked = {.max_t = 0.0};
    size_t found = 0;
    memcpy(asked.box.min, point, sizeof asked.box.min);
    require(bp_query_nearest_double(s->world, point, k, as, near, &found) == right,
            "another status for a point of 64 bits");
    if (right == BP_OK) {
        answer expected = {.count = naive_query_nearest_double(&s->model, point, as, naive)}, listed = {.count = found};
        for (size_t i = 0; i < expected.count; ++i) {
            expected.items[i] = (bp_ray_hit_double){.id = naive[i].id, .t = naive[i].distance};
        }
        for (size_t i = 0; i < found; ++i) {
            listed.items[i] = (bp_ray_hit_double){.id = near[i].id, .t = near[i].distance};
        }
        require_same(s, &asked, &expected, &listed, k);
    }
}

static void ask_points(scene *s, const bp_object *as) {
    float points[3 * SOME];
    answer expected[SOME];
    bool all_valid = true;
    const size_t k = 1 + below(&s->from, 8);
    for (size_t i = 0; i < SOME; ++i) {
        bp_near near[OBJECTS_MOST + 1];
        double drawn[3];
        size_t found = 0;
        for (uint32_t axis = 0; axis < 3; ++axis) {
            drawn[axis] = draw_number(s, true);
            points[3 * i + axis] = (float)drawn[axis];
        }
        ask_point_double(s, drawn, k, as);
        const bp_cast_double asked = wide_point(points + 3 * i);
        const bp_status right = status_of_point(s, asked.box.min);
        all_valid &= right == BP_OK;
        require(bp_query_nearest(s->world, points + 3 * i, k, as, near, &found) == right, "another status for a point");
        if (right == BP_OK) {
            bp_near naive[OBJECTS_MOST + 1];
            const answer listed = of_near(near, found);
            expected[i] = of_near(naive, naive_query_nearest(&s->model, points + 3 * i, as, naive));
            require_same(s, &asked, &expected[i], &listed, k);
        }
    }
    bp_answers answers = {0};
    require(bp_query_nearest_many(s->world, SOME, points, k, as, &answers) == (all_valid ? BP_OK : BP_ERROR_ARGUMENT),
            "another status for points");
    for (size_t i = 0; i < SOME && all_valid; ++i) {
        const answer row = of_row(&answers, i, true);
        const bp_cast_double asked = wide_point(points + 3 * i);
        require_same(s, &asked, &expected[i], &row, k);
    }
    bp_answers_free(&answers, NULL);
    s->asked += 3 * SOME;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static size_t all_asked;

static void report_asked(void) {
    report("questions compared with plain loops", "%zu", all_asked);
    (void)printf("%zu questions\n", all_asked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    scene s = open_scene(data, size);
    for (int round = 0; round < ROUNDS; ++round) {
        if (!one_in(&s.from, 3)) {
            require(bp_update(s.world, NULL) == BP_OK, "an update is refused");
        }
        for (int i = 0; i < QUESTIONS; ++i) {
            const bp_object object = draw_object(&s), *as = one_in(&s.from, 3) ? &object : NULL;
            switch (below(&s.from, 4)) {
            case 0: ask_boxes(&s, as); break;
            case 1: ask_points(&s, as); break;
            case 2: ask_lines(&s, true, as); break;
            default: ask_lines(&s, false, as); break;
            }
        }
        change(&s);
    }
    if (all_asked == 0) {
        (void)atexit(report_asked);
    }
    all_asked += s.asked;
    bp_world_destroy(s.world);
    naive_world_destroy(&s.model);
    return 0;
}
