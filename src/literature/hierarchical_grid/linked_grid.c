// hierarchical-grid as Schornbaum builds it: `grid_form = linked`, or `update = individual`. Levels of cells, which objects enter
// and leave one by one, in O(1).
//
//     level (cells of c0 * f^k)          occupied cells                 objects of a cell, a doubly linked list
//     +---+---+---+---+                  +------+------+
//     | . | 2 | . | 1 |  --- index --->  | cell | head |  ---------->   17 <-> 4 <-> 96
//     +---+---+---+---+                  +------+------+
//     folded: cell & (2^bits - 1)        (so that no search depends on the number of cells)
//
// An object belongs to the cell of its min corner, on the level whose cells are just larger than it; infinite objects to
// the only cell of a level of their own. It is tested against its own cell and half of the neighbours on its level, and
// on coarser levels against the cells whose objects could reach it. Few objects are all tested against each other.
// With update = individual, objects are moved one by one; with update = rebuild all are removed and inserted again: the
// two strategies of the work.
//
// Cost: O(1) for each object that changes, O(n) to find all pairs. It takes seven times as long as the sorted form of
// the engine (engine/grid), because its objects are scattered in memory.
//
// Sources: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009, section 3; C. Koch,
// "Acceleration Structures for Inhomogeneous and Polydisperse Particle Dynamics", 2020, section 3.2. Differences: cells
// hold linked lists instead of vectors, so that moving an object allocates nothing; neighbours are computed instead of
// read from arrays of offsets, which saved 4 % of a search (docs/experiments.md); across levels only the cells that can
// matter are searched (8 instead of 27).
#include "base/boxes.h"
#include "base/log.h"
#include "engine/all_pairs.h"
#include "engine/grid/level_rule.h"
#include "engine/method.h"

static const uint32_t NONE = UINT32_MAX;

// The place of an object.
typedef struct node {
    uint32_t next, previous; // in its cell
    uint32_t cell;
    uint32_t level; // index of its level, or NONE
} node;

typedef struct occupied_cell {
    uint32_t cell;
    uint32_t head;  // the first object
    uint32_t count; // of objects
} occupied_cell;

typedef struct linked_level {
    double inverse, cell_size; // INFINITY: of the infinite objects
    uint32_t bits[3];
    size_t object_count;
    bp_buffer cells;    // uint32_t: 0, or 1 + position in occupied
    bp_buffer occupied; // of occupied_cell
    size_t occupied_count;
} linked_level;

typedef struct linked_grid {
    const bp_method_setup *setup;
    const bp_box *boxes; // of the caller, by id
    size_t count;
    bool is_linked; // else there are so few objects that all pairs are tested
    bp_all_pairs all;
    bp_level_rule rule; // all zero until the first object defines it
    bp_buffer levels;   // of linked_level
    size_t level_count;
    bp_buffer nodes; // of node, by id
    size_t node_count;
} linked_grid;

static linked_level *level_at(const linked_grid *g, size_t index) {
    return (linked_level *)g->levels.data + index;
}

static node *node_of(const linked_grid *g, uint32_t id) {
    return (node *)g->nodes.data + id;
}

static occupied_cell *occupied_at(const linked_level *level, size_t index) {
    return (occupied_cell *)level->occupied.data + index;
}

// ---- cells ----------------------------------------------------------------------------------------------------------

static uint32_t fold_cell(const linked_level *level, int32_t x, int32_t y, int32_t z) {
    const uint32_t folded_x = (uint32_t)x & ((1u << level->bits[0]) - 1);
    const uint32_t folded_y = (uint32_t)y & ((1u << level->bits[1]) - 1);
    const uint32_t folded_z = (uint32_t)z & ((1u << level->bits[2]) - 1);
    return (folded_z << level->bits[1] | folded_y) << level->bits[0] | folded_x;
}

static uint32_t cell_of_box(const linked_level *level, const bp_box *box, uint32_t dimensions) {
    return fold_cell(level, bp_cell_of(box->min[0], level->inverse), bp_cell_of(box->min[1], level->inverse),
                     dimensions == 3 ? bp_cell_of(box->min[2], level->inverse) : 0);
}

// The first object of a cell, or NONE.
static uint32_t cell_head(const linked_level *level, uint32_t cell) {
    const uint32_t entry = ((const uint32_t *)level->cells.data)[cell];
    return entry == 0 ? NONE : occupied_at(level, entry - 1)->head;
}

static void link_object(linked_grid *g, uint32_t level_index, uint32_t id) {
    linked_level *level = level_at(g, level_index);
    const uint32_t cell = cell_of_box(level, &g->boxes[id], g->setup->dimensions);
    uint32_t *entry = (uint32_t *)level->cells.data + cell;
    if (*entry == 0) {
        *occupied_at(level, level->occupied_count) = (occupied_cell){.cell = cell, .head = NONE, .count = 0};
        *entry = (uint32_t)++level->occupied_count;
    }
    occupied_cell *occupied = occupied_at(level, *entry - 1);
    if (occupied->head != NONE) {
        node_of(g, occupied->head)->previous = id;
    }
    *node_of(g, id) = (node){.next = occupied->head, .previous = NONE, .cell = cell, .level = level_index};
    occupied->head = id;
    ++occupied->count;
    ++level->object_count;
}

static void unlink_object(linked_grid *g, uint32_t id) {
    node *n = node_of(g, id);
    if (n->level == NONE) {
        return;
    }
    linked_level *level = level_at(g, n->level);
    uint32_t *cells = level->cells.data;
    const uint32_t position = cells[n->cell] - 1;
    occupied_cell *occupied = occupied_at(level, position);
    if (n->next != NONE) {
        node_of(g, n->next)->previous = n->previous;
    }
    *(n->previous != NONE ? &node_of(g, n->previous)->next : &occupied->head) = n->next;
    --level->object_count;
    if (--occupied->count == 0) { // the last occupied cell takes its place
        *occupied = *occupied_at(level, --level->occupied_count);
        cells[occupied->cell] = position + 1;
        cells[n->cell] = 0;
    }
    n->level = NONE;
}

// ---- levels ---------------------------------------------------------------------------------------------------------

static void free_level(const linked_grid *g, linked_level *level) {
    bp_buffer_free(&level->cells, &g->setup->runtime.allocator);
    bp_buffer_free(&level->occupied, &g->setup->runtime.allocator);
}

static bool allocate_cells(const linked_grid *g, linked_level *level) {
    const size_t count = bp_cells_of_bits(level->bits);
    if (count >= UINT32_MAX || // more than can be numbered
        !bp_buffer_reserve(&level->cells, &g->setup->runtime.allocator, 0, count, sizeof(uint32_t))) {
        return false;
    }
    memset(level->cells.data, 0, count * sizeof(uint32_t));
    return true;
}

// Doubles the cells of a level along each axis until they are enough for `count` objects, and puts its objects into
// them. The old cells are kept until the new ones are allocated.
static bool grow_level(linked_grid *g, uint32_t level_index, size_t count) {
    linked_level old = *level_at(g, level_index), larger = old;
    larger.cells = larger.occupied = (bp_buffer){0};
    larger.object_count = larger.occupied_count = 0;
    while (bp_cells_of_bits(larger.bits) < UINT32_MAX &&
           (double)count > (double)g->setup->settings.grid_load * (double)bp_cells_of_bits(larger.bits)) {
        for (uint32_t axis = 0; axis < g->setup->dimensions; ++axis) {
            ++larger.bits[axis];
        }
    }
    if (!allocate_cells(g, &larger) ||
        !bp_buffer_reserve(&larger.occupied, &g->setup->runtime.allocator, 0, count, sizeof(occupied_cell))) {
        free_level(g, &larger);
        return false;
    }
    *level_at(g, level_index) = larger;
    for (size_t i = 0; i < old.occupied_count; ++i) {
        for (uint32_t id = occupied_at(&old, i)->head, next; id != NONE; id = next) {
            next = node_of(g, id)->next;
            link_object(g, level_index, id);
        }
    }
    free_level(g, &old);
    return true;
}

static bool fits_level(const linked_grid *g, const linked_level *level, float size) {
    const double most = BP_CELL_FILL * level->cell_size;
    return (double)size < most && (double)size * g->rule.factor >= most;
}

// Finds the level for a size, or makes it, with room for one more object. False if memory is short.
static bool find_or_make_level(linked_grid *g, float size, uint32_t *level_index) {
    const bp_allocator *allocator = &g->setup->runtime.allocator;
    const bool is_finite = size <= FLT_MAX;
    double cell_size = (double)INFINITY;
    size_t at = 0;
    if (is_finite && g->rule.factor == 0.0) {
        g->rule = bp_level_rule_for(&g->setup->settings, size);
    }
    while (at < g->level_count && !fits_level(g, level_at(g, at), size)) {
        ++at;
    }
    if (at == g->level_count) { // on the border between two, infinite, or the first of its size
        cell_size = is_finite ? bp_level_rule_cell(&g->rule, bp_level_rule_index(&g->rule, size)) : cell_size;
        for (at = 0; at < g->level_count && level_at(g, at)->cell_size != cell_size; ++at) {
        }
    }
    if (at == g->level_count) {
        linked_level fresh = {.cell_size = cell_size, .inverse = 1.0 / cell_size};
        if (is_finite) {
            bp_level_rule_bits(&g->setup->settings, g->setup->dimensions, fresh.bits);
        }
        if (!bp_buffer_reserve(&g->levels, allocator, at * sizeof fresh, at + 1, sizeof fresh) ||
            !allocate_cells(g, &fresh)) {
            return false;
        }
        *level_at(g, g->level_count++) = fresh;
    }
    linked_level *level = level_at(g, at);
    const double most = (double)g->setup->settings.grid_load * (double)bp_cells_of_bits(level->bits);
    *level_index = (uint32_t)at;
    return (!is_finite || (double)(level->object_count + 1) <= most ||
            grow_level(g, *level_index, level->object_count + 1)) &&
           bp_buffer_reserve_slack(&level->occupied, allocator, level->occupied_count * sizeof(occupied_cell),
                                   level->occupied_count + 1, sizeof(occupied_cell));
}

// ---- updating -------------------------------------------------------------------------------------------------------

// Whether an object is in the right cell of the right level already. For most objects nothing else has to be done.
static bool stays_in_cell(const linked_grid *g, const node *n, const bp_box *box, float size) {
    return n->level != NONE && fits_level(g, level_at(g, n->level), size) &&
           cell_of_box(level_at(g, n->level), box, g->setup->dimensions) == n->cell;
}

// A new object is inserted, a hole is removed, another one moves if it must.
static bool update_object(linked_grid *g, uint32_t id) {
    const bp_box *box = &g->boxes[id];
    const float size = bp_fit_size(box, g->setup->dimensions);
    const bool is_hole = bp_box_is_hole(box);
    uint32_t level = 0;
    if (!is_hole && stays_in_cell(g, node_of(g, id), box, size)) {
        return true;
    }
    unlink_object(g, id);
    if (is_hole) {
        return true;
    }
    if (!find_or_make_level(g, size, &level)) {
        return false;
    }
    link_object(g, level, id);
    return true;
}

static bool update_objects(linked_grid *g, const bp_changes *changes) {
    if (!bp_buffer_reserve_slack(&g->nodes, &g->setup->runtime.allocator, g->node_count * sizeof(node), g->count,
                                 sizeof(node))) {
        return false;
    }
    for (; g->node_count < g->count; ++g->node_count) {
        node_of(g, (uint32_t)g->node_count)->level = NONE;
    }
    bool done = true;
    for (size_t i = 0; done && i < (changes != NULL ? changes->count : g->count); ++i) {
        done = update_object(g, changes != NULL ? changes->ids[i] : (uint32_t)i);
    }
    return done;
}

// Removes all objects, and keeps the levels.
static void clear_levels(linked_grid *g) {
    for (size_t i = 0; i < g->level_count; ++i) {
        linked_level *level = level_at(g, i);
        for (size_t k = 0; k < level->occupied_count; ++k) {
            ((uint32_t *)level->cells.data)[occupied_at(level, k)->cell] = 0;
        }
        level->occupied_count = level->object_count = 0;
    }
    g->node_count = 0;
}

static bp_status linked_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                               bp_search_kind *kind) {
    linked_grid *g = state;
    const bool is_kept = g->is_linked && g->setup->update != BP_UPDATE_REBUILD;
    g->boxes = boxes;
    g->count = count;
    g->is_linked = count >= g->setup->settings.brute_force_below;
    *kind = g->is_linked && is_kept && changes != NULL ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
    if (!g->is_linked) {
        return bp_all_pairs_build(&g->all, boxes, count);
    }
    if (!is_kept) {
        clear_levels(g);
    }
    g->is_linked = update_objects(g, is_kept ? changes : NULL);
    return g->is_linked ? BP_OK : BP_ERROR_MEMORY;
}

static bp_status linked_build(void *state, const bp_box *boxes, size_t count) {
    ((linked_grid *)state)->is_linked = false;
    return linked_update(state, boxes, count, NULL, &(bp_search_kind){BP_SEARCH_ALL});
}

// ---- finding --------------------------------------------------------------------------------------------------------

typedef struct pair_search {
    const linked_grid *grid;
    const bp_box *boxes; // that are tested against the objects: these themselves,
    bool is_between;     // or another set
    bp_sink *sink;
    const uint8_t *changed; // marks by id; NULL: all pairs are wanted, not only those of changed objects
    bool failed;            // memory ran short
} pair_search;

// Tests a box against a list. Of two objects that have both changed, the one with the smaller id reports the pair.
static void test_list(pair_search *s, uint32_t a, uint32_t list) {
    for (uint32_t b = list; b != NONE; b = node_of(s->grid, b)->next) {
        if (s->changed != NULL && s->changed[b] != 0 && b <= a) {
            continue;
        }
        ++s->sink->tests;
        if (bp_boxes_overlap(&s->boxes[a], &s->grid->boxes[b], s->grid->setup->dimensions) &&
            !bp_sink_push(s->sink, s->is_between || a < b ? a : b, s->is_between || a < b ? b : a)) {
            s->failed = true;
        }
    }
}

// Tests the objects of a cell against the neighbouring cells that follow it, row by row: each pair of cells is tested
// once.
static void test_neighbour_cells(pair_search *s, const linked_level *level, const occupied_cell *cell) {
    const int32_t x = (int32_t)(cell->cell & ((1u << level->bits[0]) - 1));
    const int32_t y = (int32_t)(cell->cell >> level->bits[0] & ((1u << level->bits[1]) - 1));
    const int32_t z = (int32_t)(cell->cell >> level->bits[0] >> level->bits[1]);
    const int32_t last_z = level->bits[2] > 0 ? 1 : 0;
    for (int32_t dz = 0; dz <= last_z; ++dz) {
        for (int32_t dy = dz == 0 ? 0 : -1; dy <= 1; ++dy) {
            for (int32_t dx = dz == 0 && dy == 0 ? 1 : -1; dx <= 1; ++dx) {
                const uint32_t list = cell_head(level, fold_cell(level, x + dx, y + dy, z + dz));
                for (uint32_t a = cell->head; a != NONE && list != NONE; a = node_of(s->grid, a)->next) {
                    test_list(s, a, list);
                }
            }
        }
    }
}

// Tests a box against all objects of a level that could reach it: those in its cells, extended downwards by one. If more
// cells are in reach than are occupied, it is tested against the occupied ones instead.
static void search_level_for(pair_search *s, uint32_t a, const linked_level *level) {
    const bp_box *box = &s->boxes[a];
    int32_t low[3] = {0}, count[3] = {1, 1, 1}; // not folded; at most as many as there are along each axis
    for (uint32_t axis = 0; axis < s->grid->setup->dimensions; ++axis) {
        const int32_t most = (int32_t)(1u << level->bits[axis]);
        low[axis] = bp_cell_of((float)((double)box->min[axis] - level->cell_size), level->inverse);
        const int64_t span = (int64_t)bp_cell_of(box->max[axis], level->inverse) - low[axis]; // up to 2^31
        count[axis] = span < most ? (int32_t)span + 1 : most;
    }
    if ((double)count[0] * (double)count[1] * (double)count[2] > (double)level->occupied_count) {
        for (size_t i = 0; i < level->occupied_count; ++i) {
            test_list(s, a, occupied_at(level, i)->head);
        }
        return;
    }
    for (int32_t z = 0; z < count[2]; ++z) {
        for (int32_t y = 0; y < count[1]; ++y) {
            for (int32_t x = 0; x < count[0]; ++x) {
                test_list(s, a, cell_head(level, fold_cell(level, low[0] + x, low[1] + y, low[2] + z)));
            }
        }
    }
}

// Tests the objects of a cell against each other, against the cells around them and against coarser levels.
static void search_cell(pair_search *s, const linked_level *level, const occupied_cell *cell) {
    for (uint32_t a = cell->head; a != NONE; a = node_of(s->grid, a)->next) {
        test_list(s, a, node_of(s->grid, a)->next);
        for (size_t i = 0; i < s->grid->level_count; ++i) {
            if (level_at(s->grid, i)->cell_size > level->cell_size) {
                search_level_for(s, a, level_at(s->grid, i));
            }
        }
    }
    if (level->cell_size < (double)INFINITY) {
        test_neighbour_cells(s, level, cell);
    }
}

static bp_status linked_find(void *state, bp_sink *sink) {
    linked_grid *g = state;
    pair_search s = {.grid = g, .boxes = g->boxes, .sink = sink};
    if (!g->is_linked) {
        return bp_all_pairs_find(&g->all, sink);
    }
    for (size_t i = 0; i < g->level_count; ++i) {
        const linked_level *level = level_at(g, i);
        for (size_t k = 0; k < level->occupied_count && !s.failed; ++k) {
            search_cell(&s, level, occupied_at(level, k));
        }
    }
    return s.failed ? BP_ERROR_MEMORY : BP_OK;
}

static bp_status linked_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    const linked_grid *g = state;
    pair_search s = {.grid = g, .boxes = g->boxes, .sink = sink, .changed = changes->marks};
    for (size_t i = 0; i < changes->count && !s.failed; ++i) {
        for (size_t k = 0; k < g->level_count && node_of(g, changes->ids[i])->level != NONE; ++k) {
            search_level_for(&s, changes->ids[i], level_at(g, k));
        }
    }
    return s.failed ? BP_ERROR_MEMORY : BP_OK;
}

static bp_status linked_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    linked_grid *g = state;
    pair_search s = {.grid = g, .boxes = boxes, .is_between = true, .sink = sink};
    if (!g->is_linked) {
        return bp_all_pairs_find_between(&g->all, boxes, count, g->boxes, g->count, sink);
    }
    for (size_t a = 0; a < count && !s.failed; ++a) {
        for (size_t k = 0; k < g->level_count && !bp_box_is_hole(&boxes[a]); ++k) {
            search_level_for(&s, (uint32_t)a, level_at(g, k));
        }
    }
    return s.failed ? BP_ERROR_MEMORY : BP_OK;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

static void linked_stats(const void *state, bp_stats *stats) {
    const linked_grid *g = state;
    bp_stats all = {0};
    size_t objects = 0;
    bp_all_pairs_stats(&g->all, &all);
    stats->update = !g->is_linked || g->setup->update == BP_UPDATE_REBUILD ? BP_UPDATE_REBUILD : BP_UPDATE_INDIVIDUAL;
    stats->bytes = sizeof *g + all.bytes + g->levels.bytes + g->nodes.bytes;
    for (size_t i = 0; i < g->level_count; ++i) {
        const linked_level *level = level_at(g, i);
        stats->bytes += level->cells.bytes + level->occupied.bytes;
        if (!g->is_linked || level->cell_size == (double)INFINITY) {
            continue;
        }
        objects += level->object_count;
        stats->levels += level->object_count > 0;
        stats->cells += bp_cells_of_bits(level->bits);
        stats->occupied += level->occupied_count;
        for (size_t k = 0; k < level->occupied_count; ++k) {
            const size_t here = occupied_at(level, k)->count;
            stats->objects_per_cell_max = here > stats->objects_per_cell_max ? here : stats->objects_per_cell_max;
        }
    }
    stats->objects_per_cell = stats->occupied > 0 ? (double)objects / (double)stats->occupied : 0.0;
}

// Whether the list of an occupied cell holds objects of this cell, as many as it says.
static bool list_is_sound(const linked_grid *g, uint32_t level_index, const occupied_cell *cell) {
    const linked_level *level = level_at(g, level_index);
    uint32_t previous = NONE, count = 0, id = cell->head;
    for (; id < g->node_count && count < cell->count; id = node_of(g, id)->next) {
        const node *n = node_of(g, id);
        if (n->previous != previous || n->cell != cell->cell || n->level != level_index ||
            bp_box_is_hole(&g->boxes[id]) || cell_of_box(level, &g->boxes[id], g->setup->dimensions) != cell->cell ||
            !((double)bp_fit_size(&g->boxes[id], g->setup->dimensions) <= level->cell_size)) {
            return false;
        }
        previous = id;
        ++count;
    }
    return id == NONE && count == cell->count && count > 0;
}

static bool level_is_sound(const linked_grid *g, uint32_t level_index) {
    const linked_level *level = level_at(g, level_index);
    const size_t cell_count = bp_cells_of_bits(level->bits);
    const uint32_t *cells = level->cells.data;
    size_t used = 0, objects = 0;
    for (size_t cell = 0; cell < cell_count; ++cell) {
        used += cells[cell] != 0;
    }
    bool sound = used == level->occupied_count;
    for (size_t i = 0; sound && i < level->occupied_count; ++i) {
        const occupied_cell *cell = occupied_at(level, i);
        sound = cell->cell < cell_count && cells[cell->cell] == i + 1 && list_is_sound(g, level_index, cell);
        objects += cell->count;
    }
    return sound && objects == level->object_count;
}

static bp_status linked_validate(const void *state) {
    const linked_grid *g = state;
    size_t objects = 0, alive = 0;
    bool sound = !g->is_linked || g->count <= g->node_count;
    for (uint32_t id = 0; g->is_linked && sound && id < g->node_count; ++id) {
        const bool is_linked = node_of(g, id)->level != NONE;
        sound = is_linked == (id < g->count && !bp_box_is_hole(&g->boxes[id]));
        alive += is_linked;
    }
    for (uint32_t i = 0; g->is_linked && sound && i < g->level_count; ++i) {
        sound = level_is_sound(g, i);
        objects += level_at(g, i)->object_count;
    }
    if (!sound || alive != objects) {
        bp_log_write(&g->setup->runtime.log,
                     "hierarchical-grid: the cells of the linked form do not match the objects");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

// ---- the method -----------------------------------------------------------------------------------------------------

static void linked_init(void *state, const bp_method_setup *setup) {
    *(linked_grid *)state = (linked_grid){.setup = setup, .all = {.setup = setup}};
}

static void linked_free(void *state) {
    linked_grid *g = state;
    for (size_t i = 0; i < g->level_count; ++i) {
        free_level(g, level_at(g, i));
    }
    bp_buffer_free(&g->levels, &g->setup->runtime.allocator);
    bp_buffer_free(&g->nodes, &g->setup->runtime.allocator);
    bp_all_pairs_free(&g->all);
}

const bp_method_ops bp_linked_grid_ops = {
    .name = "hierarchical-grid",
    .summary = "levels of hashed grids by object size, whose cells are linked lists",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(linked_grid),
    .init = linked_init,
    .free = linked_free,
    .build = linked_build,
    .update = linked_update,
    .find = linked_find,
    .find_changed = linked_find_changed,
    .find_between = linked_find_between,
    .stats = linked_stats,
    .validate = linked_validate,
};
