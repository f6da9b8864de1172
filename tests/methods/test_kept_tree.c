// Worlds that keep a tree, through what makes it place boxes, and sort regions or all of it anew: pairs beside those of all boxes
// tested with all, and the tree sound after each update.
#include "support/support.h"

#include <math.h>
#include <string.h>

typedef enum motion { DRIFT, JUMP, REPLACE } motion;

typedef struct life {
    const char *name;
    size_t count, statics, updates;
    double share; // of the objects that change in an update
    motion motion;
    bool is_dust, in_bulk; // half in one corner; all movers in each update
} life;

typedef struct grown {
    rng random;
    const life *life;
    bp_world *world;
    bp_box *boxes; // by id
    bp_object *objects;
    double edge;
} grown;

static void draw_box(grown *g, bp_id id) {
    const bool is_dust = g->life->is_dust && id % 2 == 0;
    const float size = is_dust ? 1e-6f : (float)(0.5 + rng_unit(&g->random));
    float at[3];
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] = (float)(rng_unit(&g->random) * (is_dust ? 1e-3 : g->edge));
    }
    g->boxes[id] = cube_of(at[0], at[1], at[2], size);
}

static void move_box(grown *g, bp_id id) {
    for (int axis = 0; axis < 3 && g->life->motion == DRIFT; ++axis) {
        const float size = g->boxes[id].max[axis] - g->boxes[id].min[axis];
        g->boxes[id].min[axis] += (float)(rng_unit(&g->random) - 0.4) * 0.3f * size;
        g->boxes[id].max[axis] = g->boxes[id].min[axis] + size;
    }
    if (g->life->motion != DRIFT) {
        draw_box(g, id);
    }
}

static void change_some(grown *g, bp_id *ids, bp_box *boxes) {
    const life *l = g->life;
    const size_t movers = l->count - l->statics, some = (size_t)(l->share * (double)l->count);
    size_t changed = 0;
    for (size_t i = 0; i < (l->in_bulk ? movers : some); ++i) {
        const bp_id id = (bp_id)(l->statics + (l->in_bulk ? i : rng_below(&g->random, (uint32_t)movers)));
        move_box(g, id);
        if (l->motion == REPLACE) {
            assert_int_equal(bp_remove(g->world, id), BP_OK);
            bp_id again = BP_NO_ID;
            assert_int_equal(bp_add(g->world, &g->boxes[id], &g->objects[id], &again), BP_OK);
            assert_int_equal(again, id);
        } else {
            ids[changed] = id;
            boxes[changed++] = g->boxes[id];
        }
    }
    assert_int_equal(bp_move_many(g->world, changed, ids, boxes), BP_OK);
    for (size_t i = 0; i < l->statics / 200; ++i) { // static objects are replaced, too
        const bp_id id = rng_below(&g->random, (uint32_t)l->statics);
        bp_id again = BP_NO_ID;
        draw_box(g, id);
        assert_int_equal(bp_remove(g->world, id), BP_OK);
        assert_int_equal(bp_add(g->world, &g->boxes[id], &g->objects[id], &again), BP_OK);
        assert_int_equal(again, id);
    }
}

static void live(const life *l, bp_config config) {
    grown g = {.random = rng_seeded(29), .life = l, .edge = cbrt((double)l->count * 1.5)};
    g.boxes = obtain(l->count, sizeof *g.boxes);
    g.objects = obtain(l->count, sizeof *g.objects);
    bp_id *ids = obtain(l->count, sizeof *ids);
    bp_box *moved = obtain(l->count, sizeof *moved);
    bp_pairs all = {0};
    const bp_config plain = {.method = BP_METHOD_BRUTE_FORCE, .pair_order = BP_ORDER_SORTED};
    memset(g.objects, 0, l->count * sizeof *g.objects);
    for (bp_id id = 0; id < l->count; ++id) {
        draw_box(&g, id);
        g.objects[id].flags = id < l->statics ? BP_STATIC : 0;
    }
    assert_int_equal(bp_world_create(&config, &g.world), BP_OK);
    assert_int_equal(bp_add_many(g.world, l->count, g.boxes, l->statics > 0 ? g.objects : NULL, NULL), BP_OK);
    for (size_t update = 0; update < l->updates; ++update) {
        bp_result result;
        assert_int_equal(bp_update(g.world, &result), BP_OK);
        assert_int_equal(bp_world_validate(g.world), BP_OK);
        if (update % 12 == 11 || update + 1 == l->updates) {
            assert_int_equal(bp_find_pairs(g.boxes, l->count, &plain, &all), BP_OK);
            pair_list expected = {0};
            pair_list_append(&expected, all.data, all.count);
            naive_filter(&expected, g.objects);
            expect_pairs(result.pairs, result.pair_count, &expected, "%s, update %zu", l->name, update);
            pair_list_free(&expected);
        }
        change_some(&g, ids, moved);
    }
    bp_world_destroy(g.world);
    bp_pairs_free(&all, NULL);
    free(moved);
    free(ids);
    free(g.objects);
    free(g.boxes);
}

static void trees_are_kept_through_everything(void **state) {
    (void)state;
    static const life lives[] = {
        {"regions by splits", 17000, 0, 48, 0.1, DRIFT, false, false},
        {"all by splits", 9000, 0, 36, 0.1, DRIFT, false, false},
        {"far jumps", 6000, 0, 48, 0.05, JUMP, false, false},
        {"others come", 6000, 0, 60, 0.04, REPLACE, false, false},
        {"dust", 6000, 0, 24, 0.02, DRIFT, true, false},
        {"a level", 6000, 4800, 48, 0.0, DRIFT, false, true},
        {"few movers", 6000, 5900, 36, 0.0, DRIFT, false, true},
        {"one mover", 3000, 2999, 24, 0.0, DRIFT, false, true},
        {"few of the movers", 6000, 3000, 36, 0.02, JUMP, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(lives); ++i) {
        live(&lives[i], (bp_config){.method = BP_METHOD_TREE});
        if (in_short_turn(3)) {
            live(&lives[i], (bp_config){.flags = BP_EVENTS, .threads = 3});
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_are_kept_through_everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
