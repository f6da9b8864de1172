// Nodes, their objects, and the search; see cube_tree.h.
#include "literature/octrees/cube_tree.h"

#include "base/log.h"
#include "base/radix_sort.h"

enum {
    NODES_PER_UNIT = 64,
    MERGE_SHARE = 2, // subtrees with at most max_objects divided by this are given up
    SAMPLE = 255,    // boxes that are sampled
    OUTER = 5,       // of these, at either end, that may be far away from the others,
    FAR_WIDTHS = 64  // by this many times the width of the others
};

static bp_object_link *link_of(const bp_cube_tree *t, uint32_t id) {
    return (bp_object_link *)t->links.data + id;
}

void bp_cube_tree_init(bp_cube_tree *t, const bp_method_setup *setup, const bp_cube_rules *rules) {
    *t = (bp_cube_tree){.setup = setup, .rules = rules, .children = 1u << setup->dimensions};
}

void bp_cube_tree_free(void *state) {
    bp_cube_tree *t = state;
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    bp_buffer *buffers[] = {&t->nodes, &t->links, &t->order, &t->columns_buffer, &t->other.buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_block_sinks_free(&t->sinks, allocator);
}

bp_tree_space bp_cube_tree_choose(const bp_cube_tree *t, const bp_box *boxes, size_t count, double width[3]) {
    const uint32_t dimensions = t->setup->dimensions;
    const bp_box *domain = &t->setup->settings.domain;
    bp_tree_space space = {.edge = (double)FLT_MIN, .dimensions = dimensions};
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const size_t stride = count / SAMPLE + 1;
        double low = INFINITY, high = -INFINITY;
        float sample[SAMPLE];
        size_t used = 0;
        for (size_t i = 0; i < count; ++i) {
            if (bp_box_is_finite(&boxes[i], dimensions)) {
                const double at = bp_tree_centre(&boxes[i], axis);
                low = at < low ? at : low;
                high = at > high ? at : high;
                if (i % stride == 0 && used < SAMPLE) {
                    sample[used++] = boxes[i].min[axis];
                }
            }
        }
        if (used > (size_t)4 * OUTER) {
            bp_sort_floats(sample, used);
            const double first = (double)sample[OUTER], last = (double)sample[used - 1 - OUTER], most = last - first;
            const bool is_wide = most > 0.0 && high - low > FAR_WIDTHS * most;
            low = is_wide ? fmax(low, first - most) : low;
            high = is_wide ? fmin(high, last + most) : high;
        }
        width[axis] = high - low;
        if (bp_domain_is_set(domain)) {
            low = (double)domain->min[axis];
            high = (double)domain->max[axis];
        }
        space.origin[axis] = low <= high ? low : 0.0;
        space.edge = fmax(space.edge, high - low);
    }
    return space;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

static bool reserve_nodes(bp_cube_tree *t, size_t count) {
    return count < BP_NODE_NONE && bp_buffer_reserve_slack(&t->nodes, &t->setup->runtime.allocator,
                                                           t->node_count * sizeof(bp_node), count, sizeof(bp_node));
}

// Gives a node empty children. False if memory is short.
static bool add_children(bp_cube_tree *t, uint32_t parent) {
    uint32_t first = t->unused;
    if (first != BP_NODE_NONE) {
        t->unused = bp_node_at(t, first)->first_child;
    } else if (reserve_nodes(t, t->node_count + t->children)) {
        first = (uint32_t)t->node_count;
        t->node_count += t->children;
    } else {
        return false;
    }
    bp_node *above = bp_node_at(t, parent);
    above->first_child = first;
    for (uint32_t k = 0; k < t->children; ++k) {
        bp_node child = {
            .first_child = BP_NODE_NONE, .parent = parent, .depth = above->depth + 1, .head = BP_NODE_NONE};
        for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis) {
            child.cell[axis] = 2 * above->cell[axis] + (k >> axis & 1);
        }
        *bp_node_at(t, first + k) = child;
    }
    t->has_changed_nodes = true;
    return true;
}

static void link_object(bp_cube_tree *t, uint32_t at, uint32_t id) {
    bp_node *node = bp_node_at(t, at);
    bp_object_link *link = link_of(t, id);
    if (node->head != BP_NODE_NONE) {
        link_of(t, node->head)->previous = id;
    }
    link->next = node->head;
    link->previous = BP_NODE_NONE;
    link->node = at;
    node->head = id;
    ++node->count;
    if (link->place.depth > node->depth) {
        const bool is_first = node->movable++ == 0;
        node->first = is_first ? link->place : node->first;
        node->is_mixed = !is_first && (node->is_mixed || link->place.key != node->first.key ||
                                       link->place.depth != node->first.depth);
    }
}

static void unlink_object(bp_cube_tree *t, uint32_t id) {
    bp_object_link *link = link_of(t, id);
    bp_node *node = bp_node_at(t, link->node);
    if (link->next != BP_NODE_NONE) {
        link_of(t, link->next)->previous = link->previous;
    }
    if (link->previous != BP_NODE_NONE) {
        link_of(t, link->previous)->next = link->next;
    } else {
        node->head = link->next;
    }
    --node->count;
    node->movable -= link->place.depth > node->depth;
    link->node = BP_NODE_NONE;
}

// Moves objects of a node that could be deeper into new children, and so on in the fullest of these, as long as there are too
// many that do not all belong to the same place. False if memory is short.
static bool split_node(bp_cube_tree *t, uint32_t at) {
    while (bp_node_at(t, at)->movable > t->setup->settings.octree_max_objects && bp_node_at(t, at)->is_mixed) {
        if (!add_children(t, at)) {
            return false;
        }
        bp_node *node = bp_node_at(t, at);
        uint32_t fullest = node->first_child;
        for (uint32_t id = node->head, next; id != BP_NODE_NONE; id = next) {
            const bp_object_link *link = link_of(t, id);
            next = link->next;
            if (link->place.depth > node->depth) {
                const uint32_t child = node->first_child + bp_tree_octant(&t->space, link->place.key, node->depth);
                unlink_object(t, id);
                link_object(t, child, id);
                ++node->below;
                fullest = bp_node_at(t, child)->count > bp_node_at(t, fullest)->count ? child : fullest;
            }
        }
        at = fullest;
    }
    return true;
}

// Gives the children of a node back, which have no children, and takes their objects.
static void merge_children(bp_cube_tree *t, uint32_t at) {
    const uint32_t first = bp_node_at(t, at)->first_child;
    for (uint32_t k = 0; k < t->children; ++k) {
        while (bp_node_at(t, first + k)->head != BP_NODE_NONE) {
            const uint32_t id = bp_node_at(t, first + k)->head;
            unlink_object(t, id);
            link_object(t, at, id);
        }
        bp_node_at(t, first + k)->depth = BP_NODE_UNUSED;
    }
    bp_node_at(t, at)->below = 0;
    bp_node_at(t, at)->first_child = BP_NODE_NONE;
    bp_node_at(t, first)->first_child = t->unused;
    t->unused = first;
    t->has_changed_nodes = true;
}

// ---- objects --------------------------------------------------------------------------------------------------------

static bool insert_object(bp_cube_tree *t, uint32_t id) {
    const bp_place place = link_of(t, id)->place;
    uint32_t at = 0;
    while (bp_node_at(t, at)->depth < place.depth && bp_node_at(t, at)->first_child != BP_NODE_NONE) {
        ++bp_node_at(t, at)->below;
        at = bp_node_at(t, at)->first_child + bp_tree_octant(&t->space, place.key, bp_node_at(t, at)->depth);
    }
    link_object(t, at, id);
    ++t->object_count;
    return split_node(t, at);
}

static void remove_object(bp_cube_tree *t, uint32_t id) {
    uint32_t at = bp_node_at(t, link_of(t, id)->node)->parent;
    unlink_object(t, id);
    --t->object_count;
    for (; at != BP_NODE_NONE; at = bp_node_at(t, at)->parent) {
        if (--bp_node_at(t, at)->below <= t->setup->settings.octree_max_objects / MERGE_SHARE) {
            merge_children(t, at);
        }
    }
}

// Whether an object that belongs to a place would be put into this node.
static bool is_on_the_way(const bp_cube_tree *t, uint32_t at, const bp_place *place) {
    const bp_node *node = bp_node_at(t, at);
    return place->depth >= node->depth &&
           place->key >> (t->setup->dimensions * (t->space.depth - node->depth)) ==
               bp_tree_interleave(&t->space, node->cell) &&
           (place->depth == node->depth || node->first_child == BP_NODE_NONE);
}

static bool update_object(bp_cube_tree *t, uint32_t id) {
    bp_object_link *link = link_of(t, id);
    const uint32_t at = link->node;
    if (bp_box_is_hole(&t->boxes[id])) {
        if (at != BP_NODE_NONE) {
            remove_object(t, id);
        }
        return true;
    }
    const bp_place place = t->rules->place_of(t, &t->boxes[id]);
    if (at != BP_NODE_NONE && place.key == link->place.key && place.depth == link->place.depth) {
        return true;
    }
    if (at != BP_NODE_NONE && is_on_the_way(t, at, &place)) {
        unlink_object(t, id);
        link->place = place;
        link_object(t, at, id);
        return split_node(t, at); // it may have become smaller
    }
    if (at != BP_NODE_NONE) {
        remove_object(t, id);
    }
    link->place = place;
    return insert_object(t, id);
}

bool bp_cube_tree_update(bp_cube_tree *t, const bp_box *boxes, size_t id_count, const bp_id *ids, size_t count) {
    t->boxes = boxes;
    t->is_listed = false;
    if (id_count > t->id_count &&
        !bp_buffer_reserve_slack(&t->links, &t->setup->runtime.allocator, t->id_count * sizeof(bp_object_link),
                                 id_count, sizeof(bp_object_link))) {
        return false;
    }
    for (; t->id_count < id_count; ++t->id_count) {
        link_of(t, (uint32_t)t->id_count)->node = BP_NODE_NONE;
    }
    while (t->id_count > id_count) {
        const uint32_t id = (uint32_t)--t->id_count;
        if (link_of(t, id)->node != BP_NODE_NONE) {
            remove_object(t, id);
        }
    }
    bool granted = true;
    for (size_t i = 0; i < count && granted; ++i) {
        granted = update_object(t, ids != NULL ? ids[i] : (uint32_t)i);
    }
    return granted;
}

bool bp_cube_tree_build(bp_cube_tree *t, const bp_tree_space *space, const bp_box *boxes, size_t count) {
    t->space = *space;
    t->node_count = t->id_count = t->object_count = 0;
    t->unused = BP_NODE_NONE;
    t->has_changed_nodes = true;
    if (!reserve_nodes(t, 1)) {
        return false;
    }
    *bp_node_at(t, 0) = (bp_node){.first_child = BP_NODE_NONE, .parent = BP_NODE_NONE, .head = BP_NODE_NONE};
    t->node_count = 1;
    // Half as many nodes more, so that a scene that stays as it is needs no more memory, though objects move.
    return bp_cube_tree_update(t, boxes, count, NULL, count) && reserve_nodes(t, t->node_count + t->node_count / 2);
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

// Bounds that overlap nothing.
static bp_box empty_bounds(void) {
    return (bp_box){.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
}

static void join_bounds(bp_box *to, const bp_box *from) {
    for (int axis = 0; axis < 3; ++axis) {
        to->min[axis] = bp_smaller(from->min[axis], to->min[axis]);
        to->max[axis] = bp_larger(from->max[axis], to->max[axis]);
    }
}

static bp_box bounds_of(const bp_columns *columns, uint32_t begin, uint32_t end) {
    bp_box bounds = empty_bounds();
    for (uint32_t i = begin; i < end; ++i) {
        const bp_box box = bp_columns_box(columns, i);
        join_bounds(&bounds, &box);
    }
    return bounds;
}

// ---- searching ------------------------------------------------------------------------------------------------------

// Lists the objects, depth first, and finds the bounds of all nodes. False if memory is short.
static bool list_objects(bp_cube_tree *t) {
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    uint32_t stack[BP_NODE_STACK] = {0}, position = 0;
    size_t pending = 1;
    if (t->is_listed) {
        return true;
    }
    if (!bp_buffer_reserve(&t->order, allocator, 0, t->nodes.bytes / sizeof(bp_node), sizeof(uint32_t)) ||
        !bp_columns_reserve(&t->columns, &t->columns_buffer, allocator, t->object_count)) {
        return false;
    }
    uint32_t *order = t->order.data;
    t->used_count = 0;
    while (pending > 0) {
        const uint32_t at = stack[--pending];
        bp_node *node = bp_node_at(t, at);
        order[t->used_count++] = at;
        node->begin = position;
        for (uint32_t id = node->head; id != BP_NODE_NONE; id = link_of(t, id)->next) {
            t->columns.id[position++] = id;
        }
        node->end = position;
        for (uint32_t k = t->children; node->first_child != BP_NODE_NONE && k-- > 0;) {
            stack[pending++] = node->first_child + k;
        }
    }
    bp_columns_fill(&t->columns, t->setup->kernels, t->setup->dimensions, 0, position, t->boxes);
    for (size_t i = t->used_count; i-- > 0;) { // children come after their parents
        bp_node *node = bp_node_at(t, order[i]);
        node->own = node->subtree = bounds_of(&t->columns, node->begin, node->end);
        for (uint32_t k = 0; node->first_child != BP_NODE_NONE && k < t->children; ++k) {
            join_bounds(&node->subtree, &bp_node_at(t, node->first_child + k)->subtree);
        }
    }
    t->is_listed = true;
    return true;
}

void bp_cube_tree_test(const bp_cube_tree *t, bp_range_tester *tester, uint32_t at, uint32_t other_at) {
    const bp_node *node = bp_node_at(t, at), *other = bp_node_at(t, other_at);
    if (bp_boxes_overlap_branchless(&node->own, &other->own, 3)) { // in two dimensions they lie flat
        tester->sink->tests += other->end - other->begin;
        for (uint32_t i = other->begin; i < other->end; ++i) {
            const bp_box box = bp_columns_box(&t->columns, i);
            if (bp_boxes_overlap_branchless(&box, &node->own, 3)) {
                bp_range_tester_add_long(tester, i, node->begin, node->end);
            }
        }
    }
}

static void unit_nodes(const void *context, bp_range_tester *tester, size_t unit) {
    const bp_cube_tree *t = context;
    for (size_t i = unit * NODES_PER_UNIT; i < t->used_count && i < (unit + 1) * NODES_PER_UNIT; ++i) {
        const uint32_t at = ((const uint32_t *)t->order.data)[i];
        const bp_node *node = bp_node_at(t, at);
        for (uint32_t k = node->begin; k < node->end; ++k) {
            bp_range_tester_add_long(tester, k, k + 1, node->end);
        }
        if (node->begin < node->end && !tester->failed) {
            t->rules->test_others(t, tester, at);
        }
    }
}

bp_status bp_cube_tree_find(void *state, bp_sink *sink) {
    bp_cube_tree *t = state;
    if (!list_objects(t)) {
        return BP_ERROR_MEMORY;
    }
    const bp_range_search search = {.runtime = &t->setup->runtime,
                                    .kernels = t->setup->kernels,
                                    .objects = &t->columns,
                                    .candidates = &t->columns,
                                    .pair_ids = BP_IDS_ASCENDING,
                                    .unit_count = (t->used_count + NODES_PER_UNIT - 1) / NODES_PER_UNIT,
                                    .unit = unit_nodes,
                                    .context = t};
    return bp_range_search_run(&search, &t->sinks, sink);
}

static void test_other_set(const void *context, bp_range_tester *tester, size_t begin, size_t end) {
    const bp_cube_tree *t = context;
    bp_node_walk walk;
    for (size_t i = begin; i < end && !tester->failed; ++i) {
        const bp_box box = bp_columns_box(tester->objects, i);
        bp_node_walk_begin(&walk, &box);
        for (uint32_t at; (at = bp_node_walk_next(&walk, t, UINT32_MAX)) != BP_NODE_NONE;) {
            bp_range_tester_add_long(tester, i, bp_node_at(t, at)->begin, bp_node_at(t, at)->end);
        }
    }
}

bp_status bp_cube_tree_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    bp_cube_tree *t = state;
    const bp_between_search search = {.runtime = &t->setup->runtime,
                                      .kernels = t->setup->kernels,
                                      .dimensions = t->setup->dimensions,
                                      .candidates = &t->columns,
                                      .test_boxes = test_other_set,
                                      .context = t};
    return list_objects(t) ? bp_between_search_run(&search, &t->other, boxes, count, &t->sinks, sink) : BP_ERROR_MEMORY;
}

// ---- statistics and checks ------------------------------------------------------------------------------------------

void bp_cube_tree_stats(const void *state, bp_stats *stats) {
    const bp_cube_tree *t = state;
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = t->nodes.bytes + t->links.bytes + t->order.bytes + t->columns_buffer.bytes + t->other.buffer.bytes +
                   bp_block_sinks_bytes(&t->sinks);
    for (uint32_t at = 0; at < t->node_count; ++at) {
        const bp_node *node = bp_node_at(t, at);
        const size_t count = node->depth != BP_NODE_UNUSED ? node->count : 0;
        stats->cells += node->depth != BP_NODE_UNUSED;
        stats->occupied += count > 0;
        stats->objects_per_cell_max = count > stats->objects_per_cell_max ? count : stats->objects_per_cell_max;
        stats->levels = count > 0 && node->depth >= stats->levels ? node->depth + 1 : stats->levels;
    }
    stats->objects_per_cell = stats->occupied > 0 ? (double)t->object_count / (double)stats->occupied : 0.0;
}

// Each object of a node is linked to it, and belongs there.
static bool objects_are_sound(const bp_cube_tree *t, uint32_t at) {
    const bp_node *node = bp_node_at(t, at);
    uint32_t previous = BP_NODE_NONE, count = 0, movable = 0;
    for (uint32_t id = node->head; id != BP_NODE_NONE; id = link_of(t, id)->next) {
        if (id >= t->id_count || count++ >= node->count || bp_box_is_hole(&t->boxes[id])) {
            return false;
        }
        const bp_object_link *link = link_of(t, id);
        const bp_place place = t->rules->place_of(t, &t->boxes[id]);
        if (link->previous != previous || link->node != at || !is_on_the_way(t, at, &place) ||
            link->place.key != place.key || link->place.depth != place.depth) {
            return false;
        }
        movable += place.depth > node->depth;
        previous = id;
    }
    return count == node->count && movable == node->movable;
}

static bool node_is_sound(const bp_cube_tree *t, uint32_t at) {
    const bp_node *node = bp_node_at(t, at);
    uint32_t below = 0;
    if (node->depth > t->space.depth ||
        (node->first_child != BP_NODE_NONE && node->first_child + (size_t)t->children > t->node_count)) {
        return false;
    }
    for (uint32_t k = 0; node->first_child != BP_NODE_NONE && k < t->children; ++k) {
        const bp_node *child = bp_node_at(t, node->first_child + k);
        bool is_linked = child->parent == at && child->depth == node->depth + 1;
        for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis) {
            is_linked &= child->cell[axis] == 2 * node->cell[axis] + (k >> axis & 1);
        }
        if (!is_linked) {
            return false;
        }
        below += child->count + child->below;
    }
    return below == node->below && (below == 0) == (node->first_child == BP_NODE_NONE) && objects_are_sound(t, at);
}

// What is listed is what the nodes have.
static bool listing_is_sound(const bp_cube_tree *t) {
    uint32_t position = 0;
    bool sound = t->used_count <= t->node_count;
    for (size_t i = 0; sound && i < t->used_count; ++i) {
        const uint32_t at = ((const uint32_t *)t->order.data)[i];
        const bp_node *node = at < t->node_count ? bp_node_at(t, at) : NULL;
        sound = node != NULL && node->begin == position && node->end == position + node->count &&
                node->end <= t->object_count;
        for (; sound && position < node->end; ++position) {
            const uint32_t id = t->columns.id[position];
            sound = id < t->id_count && link_of(t, id)->node == at &&
                    bp_columns_hold(&t->columns, position, &t->boxes[id], t->setup->dimensions);
        }
        const bp_box own = sound ? bounds_of(&t->columns, node->begin, node->end) : empty_bounds();
        sound = sound && bp_box_is_same(&own, &node->own);
    }
    return sound && position == t->object_count;
}

bp_status bp_cube_tree_validate(const void *state) {
    const bp_cube_tree *t = state;
    size_t alive = 0, linked = 0;
    bool sound = t->node_count > 0 && t->node_count <= t->nodes.bytes / sizeof(bp_node) &&
                 t->id_count <= t->links.bytes / sizeof(bp_object_link);
    for (size_t id = 0; sound && id < t->id_count; ++id) {
        alive += !bp_box_is_hole(&t->boxes[id]);
    }
    for (uint32_t at = 0; sound && at < t->node_count; ++at) {
        if (bp_node_at(t, at)->depth != BP_NODE_UNUSED) {
            linked += bp_node_at(t, at)->count;
            sound = node_is_sound(t, at);
        }
    }
    if (!sound || linked != alive || linked != t->object_count || (t->is_listed && !listing_is_sound(t))) {
        bp_log_write(&t->setup->runtime.log, "octree: the tree does not match the boxes");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
