// Drawing programs. Each draws one config, then calls; a few of them are mistakes.
#include "programs/program.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

source source_seeded(uint64_t seed) {
    return (source){.random = rng_seeded(seed)};
}

source source_of_bytes(const uint8_t *bytes, size_t size) {
    return (source){.bytes = bytes, .size = size};
}

static bool is_at_end(const source *s) {
    return s->bytes != NULL && s->position == s->size;
}

// 0 .. bound-1; beyond the last byte 0.
static uint32_t below(source *s, uint32_t bound) {
    if (s->bytes == NULL) {
        return rng_below(&s->random, bound);
    }
    uint32_t value = 0;
    for (uint32_t reach = 1; reach < bound && !is_at_end(s); reach = reach > UINT32_MAX / 256 ? bound : reach * 256) {
        value = value * 256 + s->bytes[s->position++];
    }
    return value % bound;
}

static bool one_in(source *s, uint32_t bound) {
    return below(s, bound) == bound - 1;
}

static double between(source *s, double low, double high) {
    return low + (high - low) * (double)below(s, 65536) / 65535.0;
}

// ---- configs --------------------------------------------------------------------------------------------------------

static void draw_question(source *s, bp_config *c) {
    const uint32_t kind = below(s, 12);
    c->dimensions = one_in(s, 4) ? 2 : 3;
    c->flags = one_in(s, 4) ? 0 : BP_EVENTS;
    for (int axis = 0; axis < 3 && (kind == 0 || kind == 1 || kind == 2); ++axis) {
        c->period[axis] = one_in(s, 4) ? 0.0f : 8.0f;
    }
    c->shape = kind == 1 || kind == 3 || kind == 4 ? BP_SHAPE_SPHERES : BP_SHAPE_BOXES;
    c->margin = kind == 2 || kind == 4 || kind == 5 || kind == 6 ? 0.25f : 0.0f;
}

static void draw_grid(source *s, bp_method_settings *m) {
    static const float factors[] = {0.0f, 0.0f, 1.5f, 2.0f, 16.0f}, sizes[] = {0.0f, 0.0f, 0.0f, 0.3f, 1.0f, 40.0f};
    m->hierarchy_factor = factors[below(s, COUNT_OF(factors))];
    m->cell_size = sizes[below(s, COUNT_OF(sizes))];
    for (int axis = 0; axis < 3 && one_in(s, 3); ++axis) {
        m->grid_size[axis] = 4u << below(s, 4);
    }
    m->grid_load = one_in(s, 4) ? 0.125f : 0.0f;
    m->hash_table = (bp_hash_table)below(s, 2);
    m->hash_cell_limit = one_in(s, 3) ? 3 : 0;
    m->pivot_layout = m->cell_size > 0.0f ? BP_PIVOTS_CHUNKED : (bp_pivot_layout)below(s, 2);
    m->chunk_size = 1u << below(s, 5);
    m->grid_entries = (bp_grid_entries)below(s, 2);
    m->compact_keys = (bp_compact_keys)below(s, 2);
    m->compact_sort = (bp_compact_sort)below(s, 3);
    for (int axis = 0; axis < 3 && one_in(s, 4); ++axis) {
        m->domain.min[axis] = -3.0f;
        m->domain.max[axis] = 5.0f;
    }
    m->grid_form = one_in(s, 4) ? BP_GRID_LINKED : BP_GRID_AUTOMATIC;
}

static void draw_trees(source *s, bp_method_settings *m) {
    static const float loose[] = {0.0f, 1.0f, 1.25f, 8.0f};
    static const uint32_t axes[] = {0, 1, 3};
    m->octree_max_objects = below(s, 4);
    m->octree_max_depth = below(s, 22);
    m->looseness = loose[below(s, COUNT_OF(loose))];
    m->bvh_build = (bp_bvh_build)below(s, 3);
    m->bvh_split = (bp_bvh_split)below(s, 3);
    m->bvh_axis = (bp_bvh_axis)below(s, 2);
    m->bvh_descent = (bp_bvh_descent)below(s, 3);
    m->sweep_axes = axes[below(s, COUNT_OF(axes))];
}

static void draw_config(source *s, program *p) {
    bp_config *c = &p->config;
    p->settings.brute_force_below = one_in(s, 4) ? 0 : 1;
    draw_question(s, c);
    p->islands = one_in(s, 2) ? 1 : 2 + below(s, 5);
    c->threads = one_in(s, 8) ? 2 + (int32_t)below(s, 2) : 0;
    c->update = (bp_update_strategy)below(s, 3);
    c->pair_order = (bp_pair_order)below(s, 2);
    p->settings.simd = one_in(s, 3) ? BP_SIMD_SCALAR : BP_SIMD_AUTO;
    if (one_in(s, 2)) {
        draw_grid(s, &p->settings);
    }
    if (one_in(s, 2)) {
        draw_trees(s, &p->settings);
    }
}

// ---- values ---------------------------------------------------------------------------------------------------------

// Margins and periods are about distances: far away there are none.
static bool is_tame(const bp_config *c) {
    return c->margin > 0.0f || c->shape == BP_SHAPE_SPHERES || c->period[0] + c->period[1] + c->period[2] > 0.0f;
}

static double draw_wild_coordinate(source *s) {
    static const double values[] = {-INFINITY, -1e300, -FLT_MAX, -1e30, -1e7, -1e-30, -1e-44, -0.0,    0.0,
                                    1e-300,    1e-44,  1e-30,    0.1,   1e7,  1e30,   1e38,   FLT_MAX, INFINITY};
    return values[below(s, COUNT_OF(values))];
}

static double draw_coordinate(source *s) {
    return one_in(s, 3) ? between(s, -6.0, 6.0) : (double)below(s, 25) * 0.5 - 6.0;
}

static double draw_size(source *s) {
    static const double sizes[] = {0.0, 0.5, 1.0, 1.0, 1.0, 2.0, 3.0, 0.001};
    return one_in(s, 4) ? between(s, 0.0, 2.0) : sizes[below(s, COUNT_OF(sizes))];
}

static void draw_interval(source *s, bool wild, double *min, double *max) {
    *min = wild ? draw_wild_coordinate(s) : draw_coordinate(s);
    *max = wild ? draw_wild_coordinate(s) : *min + draw_size(s);
    if (*max < *min) {
        const double low = *max;
        *max = *min;
        *min = low;
    }
}

static void spoil(source *s, bp_box_double *box) {
    const uint32_t axis = below(s, 3);
    if (one_in(s, 2)) {
        box->min[axis] = NAN;
    } else {
        box->max[axis] = box->min[axis] - 1.0; // of an infinite one that changes nothing
    }
}

static bp_box_double draw_box(source *s, const bp_config *c, bool may_be_bad) {
    bp_box_double box;
    const bool wild = one_in(s, 8) && !is_tame(c);
    for (int axis = 0; axis < 3; ++axis) {
        draw_interval(s, wild, &box.min[axis], &box.max[axis]);
    }
    if (one_in(s, 60)) {
        box.max[below(s, 3)] = INFINITY;
    }
    if (may_be_bad && one_in(s, 100)) {
        spoil(s, &box);
    }
    return box;
}

static bp_object draw_object(source *s, uint32_t islands) {
    if (one_in(s, 2)) {
        return (bp_object){0};
    }
    return (bp_object){.group = (uint64_t)below(s, 4) << 31, // bits on both sides of the 32nd
                       .mask = (uint64_t)below(s, 4) << 31,
                       .flags = one_in(s, 100) ? 6
                                : one_in(s, 3) ? BP_STATIC
                                               : 0,
                       .island = below(s, islands),
                       .user = below(s, 1000)};
}

// What a float world is given: nothing that does not fit.
static double round_to_float(double value) {
    return isfinite(value) && fabs(value) > (double)FLT_MAX ? copysign((double)FLT_MAX, value) : (double)(float)value;
}

void step_round(step *s) {
    for (size_t i = 0; i < s->count && !s->wide; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            s->items[i].box.min[axis] = round_to_float(s->items[i].box.min[axis]);
            s->items[i].box.max[axis] = round_to_float(s->items[i].box.max[axis]);
        }
    }
}

// ---- calls ----------------------------------------------------------------------------------------------------------

// How likely each is, in the order of the enum.
static const uint8_t WEIGHTS[OPERATION_COUNT] = {16, 24, 8, 6, 2, 1, 22, 4, 5, 5, 5, 3, 3};

static operation draw_operation(source *s) {
    uint32_t sum = 0;
    for (size_t i = 0; i < OPERATION_COUNT; ++i) {
        sum += WEIGHTS[i];
    }
    uint32_t left = below(s, sum), drawn = 0;
    for (; left >= WEIGHTS[drawn]; ++drawn) {
        left -= WEIGHTS[drawn];
    }
    return (operation)drawn;
}

static void draw_ray(source *s, const bp_config *c, step *next) {
    static const float ends[] = {0.0f, 1.0f, 6.5f, 40.0f};
    for (int axis = 0; axis < 3; ++axis) {
        next->ray[axis] = (float)draw_coordinate(s);
        next->ray[3 + axis] = (float)below(s, 5) - 2.0f;
    }
    next->ray[3] += next->ray[3] == 0.0f && next->ray[4] == 0.0f ? 1.0f : 0.0f; // in two dimensions, z does not count
    next->ray[6] = ends[below(s, COUNT_OF(ends))];
    next->ray[6] = one_in(s, 4) && !is_tame(c) ? INFINITY : next->ray[6];
}

// The boxes that ids were last given, if nothing was refused and no id was used again: near these, most moves end.
typedef struct memory {
    bp_box_double boxes[CALLS_MOST * ITEMS_MOST];
    bp_id count;
} memory;

static bp_box_double nudged(source *s, bp_box_double box) {
    for (int axis = 0; axis < 3; ++axis) {
        const double way = ((double)below(s, 9) - 4.0) / 16.0;
        box.min[axis] += way;
        box.max[axis] += way;
    }
    return box;
}

static void remember(memory *m, step *next, source *s) {
    for (size_t i = 0; i < next->count && next->what == OPERATION_MOVE; ++i) {
        bp_box_double *last = next->items[i].id < m->count ? &m->boxes[next->items[i].id] : &next->items[i].box;
        next->items[i].box = one_in(s, 2) ? nudged(s, *last) : next->items[i].box;
        *last = next->items[i].box;
    }
    for (size_t i = 0; i < next->count && next->what == OPERATION_ADD; ++i) {
        m->boxes[m->count++] = next->items[i].box;
    }
}

static step draw_step(source *s, const program *p, bp_id id_bound) {
    step next = {.what = draw_operation(s), .wide = one_in(s, 12), .without = one_in(s, 2)};
    next.many = (next.what == OPERATION_ADD || next.what == OPERATION_MOVE) && one_in(s, 3);
    next.count = next.many ? below(s, ITEMS_MOST + 1) : 1;
    for (size_t i = 0; i < next.count; ++i) {
        const bool asks = next.what >= OPERATION_QUERY_BOX && next.what <= OPERATION_QUERY_NEAREST;
        next.items[i] = (item){.id = next.many && next.without && next.what == OPERATION_MOVE
                                         ? (bp_id)i
                                         : below(s, id_bound + id_bound / 64 + 1)};
        next.items[i].box = draw_box(s, &p->config, !asks);
        next.items[i].object = draw_object(s, p->islands);
        next.items[i].object.flags &= asks ? BP_STATIC : UINT32_MAX;
        next.items[i].box.max[0] += next.wide && one_in(s, 2) ? 1e-12 : 0.0;
    }
    draw_ray(s, &p->config, &next);
    next.capacity = one_in(s, 3) ? below(s, 4) : CALLS_MOST * ITEMS_MOST;
    next.method = below(s, (uint32_t)bp_method_count());
    return next;
}

program program_draw(source *from) {
    const size_t most = from->bytes != NULL ? CALLS_MOST : 10 + below(from, CALLS_MOST - 10);
    program p = {.steps = obtain(most, sizeof *p.steps)};
    draw_config(from, &p);
    memory *m = obtain(1, sizeof *m);
    while (p.count < most && !is_at_end(from)) {
        step next = draw_step(from, &p, m->count);
        remember(m, &next, from);
        step_round(&next);
        p.steps[p.count++] = next;
    }
    free(m);
    return p;
}

program program_copy(const program *p) {
    program copy = *p;
    copy.steps = obtain(p->count, sizeof *p->steps);
    memcpy(copy.steps, p->steps, p->count * sizeof *p->steps);
    return copy;
}

void program_free(program *p) {
    free(p->steps);
    *p = (program){.count = 0};
}

size_t program_objects(const program *p) {
    size_t sum = 0;
    for (size_t i = 0; i < p->count; ++i) {
        sum += p->steps[i].what == OPERATION_ADD ? p->steps[i].count : 0;
    }
    return sum;
}
