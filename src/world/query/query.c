#include "world/query/query.h"

#include "view/pair_filter.h"

bp_status bp_query_check(const bp_world *world, const bp_object *object) {
    if (world == NULL || bp_world_is_updating(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_object_is_valid(object)) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, BP_OBJECT_RULE);
    }
    return BP_OK;
}

void bp_query_begin(bp_query *query, const bp_world *world, const bp_object *object, size_t count) {
    query->world = world;
    query->object = object;
    query->is_periodic = bp_is_periodic(&world->setup.overlap);
    query->tree_count = query->changed_count = 0;
    query->stale = NULL;
    bp_query_trees_take(query, count);
}

bool bp_query_sees(const bp_query *query, bp_id id) {
    static const bp_object usual = {0};
    const bp_object *objects = bp_object_table_data(&query->world->objects);
    return query->object == NULL || bp_objects_pass(query->object, objects != NULL ? &objects[id] : &usual);
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

bp_box_double bp_query_input_box(const bp_world *world, bp_id id) {
    bp_box_double box = bp_world_boxes_input(&world->boxes, id);
    if (world->setup.overlap.dimensions == 2) {
        box.min[2] = 0.0;
        box.max[2] = 0.0;
    }
    return box;
}

double bp_query_wrap(double coordinate, double period) {
    if (coordinate >= 0.0 && coordinate < period) {
        return coordinate;
    }
    const double remainder = fmod(coordinate, period);
    return remainder < 0.0 ? remainder + period : remainder;
}

bp_box_double bp_query_wrapped_box(const bp_world *world, bp_id id) {
    const bp_overlap_rule *rule = &world->setup.overlap;
    bp_box_double box = bp_query_input_box(world, id);
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const double period = bp_period_of(rule, axis), extent = box.max[axis] - box.min[axis];
        if (period > 0.0 && isfinite(extent)) {
            box.min[axis] = bp_query_wrap(box.min[axis], period);
            box.max[axis] = box.min[axis] + extent;
        } else if (period > 0.0) {
            box.min[axis] = -INFINITY;
            box.max[axis] = INFINITY;
        }
    }
    return box;
}

// ---- probes ---------------------------------------------------------------------------------------------------------

static void examine_object(bp_probe *p, bp_id id) {
    const bp_world *world = p->query->world;
    const bp_box_double box = p->query->is_periodic ? bp_query_wrapped_box(world, id) : bp_query_input_box(world, id);
    double t = 0.0;
    if (p->examine(p, &box, &t)) {
        bp_shortlist_offer(p->list, id, t);
    }
}

bool bp_probe_outside(bp_probe *p, bool can_walk) {
    const bp_query *query = p->query;
    const bool walks = query->tree_count > 0 && can_walk;
    const size_t count = walks ? query->changed_count : query->world->ids.count;
    for (size_t i = 0; i < count; ++i) {
        const bp_id id = walks ? query->changed[i] : (bp_id)i;
        if (bp_world_is_alive(query->world, id) && bp_query_sees(query, id)) {
            examine_object(p, id);
        }
    }
    return walks;
}

bool bp_probe_wants_first(const bp_probe *p) {
    const bp_query *query = p->query;
    return query->is_exact && query->object == NULL && query->stale == NULL && bp_shortlist_wants_first(p->list);
}

void bp_probe_limit(bp_probe *p) {
    const double limit = bp_shortlist_limit(p->list);
    if (!p->walk.aim.is_line) {
        bp_tree_limit_point(&p->walk, limit);
    } else if (limit < p->line.end) {
        bp_tree_limit_line(&p->walk, limit);
    }
}

static inline void examine_slot(bp_probe *p, uint32_t slot) {
    const bp_query *query = p->query;
    const bp_id id = ((const bp_id *)query->trees[p->tree]->ids.data)[slot];
    if (!bp_query_counts(query, id)) {
        return;
    }
    if (!query->is_exact) {
        examine_object(p, id);
        return;
    }
    bp_box_double box;
    double t = 0.0;
    bp_tree_hit_box(&query->trees[p->tree]->shape, slot, &box);
    if (p->examine(p, &box, &t)) {
        bp_shortlist_offer(p->list, id, t);
    }
}

// Examines the hits that a walk has collected.
static void take_hits(bp_probe *p) {
    const size_t offered = p->list->offered;
    for (size_t i = 0; i < p->walk.hit_count; ++i) {
        if (bp_tree_far(p->walk.hits[i]) <= p->walk.aim.limit) {
            examine_slot(p, p->walk.hits[i].a);
        }
    }
    p->walk.hit_count = 0;
    if (p->list->is_few && p->list->offered > offered && !p->walk.is_done) {
        bp_probe_limit(p);
        bp_tree_cull(&p->walk);
    }
}

// Whether there is another tree, where the walk begins again.
static bool begin_next_tree(const bp_query *query, bp_probe *p) {
    if (p->tree + 1 >= query->tree_count) {
        return false;
    }
    bp_tree_walk_again(&p->walk, &query->trees[++p->tree]->shape);
    return true;
}

static void take_traced(void *context, const bp_pair *pairs, size_t count) {
    bp_probe *const *probes = context;
    for (size_t i = 0; i < count; ++i) {
        examine_slot(probes[pairs[i].a], pairs[i].b);
    }
}

// Walks together to every hit in every tree.
static void trace(const bp_query *query, bp_probe *const *probes, size_t count) {
    bp_tree_walk *walks[BP_PROBES_IN_TURN];
    bp_probe *walking[BP_PROBES_IN_TURN];
    for (size_t k = 0; k < query->tree_count; ++k) {
        for (size_t i = 0; i < count; ++i) {
            walking[i] = probes[i];
            walking[i]->tree = k;
            walks[i] = &walking[i]->walk;
        }
        bp_tree_trace_lines(query->trees[k], walks, count, take_traced, walking);
    }
}

// Of walks that look for the first hit alone, hits are examined together in the end: what one of them waits for does not stop the others.
static void walk_in_turn(const bp_query *query, bp_probe *const *probes, size_t count) {
    bp_tree_walk *walks[BP_PROBES_IN_TURN];
    bp_probe *others[BP_PROBES_IN_TURN] = {NULL};
    uint32_t stopped[BP_PROBES_IN_TURN];
    for (size_t i = 0; i < count; ++i) {
        others[i] = probes[i];
        walks[i] = &probes[i]->walk;
    }
    for (size_t left = count; left > 0;) {
        for (size_t i = query->trees[0]->setup->kernels->tree_walk(walks, left, stopped); i-- > 0;) {
            bp_probe *p = others[stopped[i]];
            if (p->walk.room == 0 || !p->walk.is_done || p->tree + 1 < query->tree_count) {
                take_hits(p);
            }
            if (p->walk.is_done && !begin_next_tree(query, p)) {
                --left; // the last one has had its turn
                others[stopped[i]] = others[left];
                walks[stopped[i]] = walks[left];
            }
        }
    }
    for (size_t i = 0; i < count; ++i) {
        take_hits(probes[i]);
    }
}

void bp_probes_walk(const bp_query *query, bp_probe *const *probes, size_t count) {
    if (probes[0]->list->is_few || !probes[0]->walk.aim.is_line) {
        walk_in_turn(query, probes, count);
    } else {
        trace(query, probes, count); // every hit is wanted, in any order
    }
}
