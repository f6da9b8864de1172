// Searching and updating the linked grid; linked_grid.h describes it.
//
// Cost: O(1) for each object that changes, O(n) to find all pairs. Loses to the sorted grid when many objects move,
// because its objects are scattered in memory.
//
// Sources: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009, section 3; C. Koch,
// "Acceleration Structures for Inhomogeneous and Polydisperse Particle Dynamics", 2020, section 3.2. Differences: cells
// hold linked lists instead of vectors, so that moving an object allocates nothing; neighbours are computed instead of
// read from arrays of offsets, which saved 4 % of a search (docs/performance.md); across levels only the cells that can
// matter are searched (8 instead of 27).
#include "literature/hierarchical_grid/linked_grid.h"

#include "base/boxes.h"
#include "base/log.h"

#include <string.h>

static const uint32_t NONE = UINT32_MAX;
static const uint32_t LEVEL_OUT = UINT32_MAX, LEVEL_INFINITE = UINT32_MAX - 1;

// The place of an object.
typedef struct node {
    uint32_t next, previous; // in its cell
    uint32_t cell;
    uint32_t level; // index of its level, LEVEL_INFINITE or LEVEL_OUT
} node;

typedef struct occupied_cell {
    uint32_t cell;
    uint32_t head;  // the first object
    uint32_t count; // of objects
} occupied_cell;

typedef struct linked_level {
    int index; // k
    double inverse;
    double cell_size;
    uint32_t bits[3];
    size_t object_count;
    bp_buffer cells;    // uint32_t: 0, or 1 + position in occupied
    bp_buffer occupied; // of occupied_cell
    size_t occupied_count;
    uint32_t fullest; // objects in the fullest cell, or more if `shrunk`
    bool shrunk;      // a fullest cell has lost an object: the number is recounted when it is needed
} linked_level;

static linked_level *linked_level_at(const bp_linked_grid *grid, size_t index) {
    return (linked_level *)grid->levels.data + index;
}

static node *node_of(const bp_linked_grid *grid, uint32_t id) {
    return (node *)grid->nodes.data + id;
}

static size_t level_cell_count(const linked_level *level) {
    return bp_cells_of_bits(level->bits);
}

static uint32_t *level_cells(const linked_level *level) {
    return level->cells.data;
}

static occupied_cell *level_occupied(const linked_level *level) {
    return level->occupied.data;
}

// The first object of a cell, or NONE.
static uint32_t cell_head(const linked_level *level, uint32_t cell) {
    const uint32_t entry = level_cells(level)[cell];
    return entry == 0 ? NONE : level_occupied(level)[entry - 1].head;
}

void bp_linked_grid_init(bp_linked_grid *grid, const bp_method_setup *setup) {
    *grid = (bp_linked_grid){.setup = setup, .infinite = NONE};
}

static void free_level(bp_linked_grid *grid, linked_level *level) {
    bp_buffer_free(&level->cells, &grid->setup->runtime.allocator);
    bp_buffer_free(&level->occupied, &grid->setup->runtime.allocator);
}

void bp_linked_grid_free(bp_linked_grid *grid) {
    for (size_t i = 0; i < grid->level_count; ++i) {
        free_level(grid, linked_level_at(grid, i));
    }
    bp_buffer_free(&grid->levels, &grid->setup->runtime.allocator);
    bp_buffer_free(&grid->nodes, &grid->setup->runtime.allocator);
    bp_linked_grid_init(grid, grid->setup);
}

void bp_linked_grid_clear(bp_linked_grid *grid) {
    for (size_t i = 0; i < grid->level_count; ++i) {
        linked_level *level = linked_level_at(grid, i);
        for (size_t k = 0; k < level->occupied_count; ++k) {
            level_cells(level)[level_occupied(level)[k].cell] = 0;
        }
        level->occupied_count = 0;
        level->object_count = 0;
        level->fullest = 0;
        level->shrunk = false;
    }
    for (size_t id = 0; id < grid->node_count; ++id) {
        node_of(grid, (uint32_t)id)->level = LEVEL_OUT;
    }
    grid->infinite = NONE;
    grid->infinite_count = 0;
    grid->object_count = 0;
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

static void link_object(bp_linked_grid *grid, uint32_t level_index, uint32_t cell, uint32_t id) {
    linked_level *level = linked_level_at(grid, level_index);
    uint32_t *entry = &level_cells(level)[cell];
    if (*entry == 0) {
        level_occupied(level)[level->occupied_count] = (occupied_cell){.cell = cell, .head = NONE, .count = 0};
        *entry = (uint32_t)++level->occupied_count;
    }
    occupied_cell *occupied = &level_occupied(level)[*entry - 1];
    if (occupied->head != NONE) {
        node_of(grid, occupied->head)->previous = id;
    }
    *node_of(grid, id) = (node){.next = occupied->head, .previous = NONE, .cell = cell, .level = level_index};
    occupied->head = id;
    ++occupied->count;
    ++level->object_count;
    level->fullest = occupied->count > level->fullest ? occupied->count : level->fullest;
}

// The last occupied cell takes the place of one that has become empty.
static void vacate_cell(linked_level *level, uint32_t cell) {
    const uint32_t position = level_cells(level)[cell] - 1;
    const occupied_cell last = level_occupied(level)[--level->occupied_count];
    level_occupied(level)[position] = last;
    level_cells(level)[last.cell] = position + 1;
    level_cells(level)[cell] = 0;
}

// Removes an object from its list.
static void unlink_node(bp_linked_grid *grid, const node *n, uint32_t *head) {
    if (n->next != NONE) {
        node_of(grid, n->next)->previous = n->previous;
    }
    if (n->previous != NONE) {
        node_of(grid, n->previous)->next = n->next;
    } else {
        *head = n->next;
    }
}

static void unlink_object(bp_linked_grid *grid, uint32_t id) {
    node *n = node_of(grid, id);
    if (n->level == LEVEL_INFINITE) {
        unlink_node(grid, n, &grid->infinite);
        --grid->infinite_count;
    } else if (n->level != LEVEL_OUT) {
        linked_level *level = linked_level_at(grid, n->level);
        occupied_cell *occupied = &level_occupied(level)[level_cells(level)[n->cell] - 1];
        unlink_node(grid, n, &occupied->head);
        --level->object_count;
        level->shrunk |= occupied->count == level->fullest;
        if (--occupied->count == 0) {
            vacate_cell(level, n->cell);
        }
    }
    n->level = LEVEL_OUT;
}

static void link_infinite(bp_linked_grid *grid, uint32_t id) {
    if (grid->infinite != NONE) {
        node_of(grid, grid->infinite)->previous = id;
    }
    *node_of(grid, id) = (node){.next = grid->infinite, .previous = NONE, .level = LEVEL_INFINITE};
    grid->infinite = id;
    ++grid->infinite_count;
}

// ---- levels ---------------------------------------------------------------------------------------------------------

static bool allocate_cells(bp_linked_grid *grid, linked_level *level) {
    if (level_cell_count(level) >= UINT32_MAX || // more than can be numbered
        !bp_buffer_reserve(&level->cells, &grid->setup->runtime.allocator, 0, level_cell_count(level),
                           sizeof(uint32_t))) {
        return false;
    }
    memset(level->cells.data, 0, level_cell_count(level) * sizeof(uint32_t));
    return true;
}

// Levels stay sorted by their cells: the levels after a new one, and their objects, move up by one.
static bool insert_level(bp_linked_grid *grid, size_t at, int index) {
    if (!bp_buffer_reserve(&grid->levels, &grid->setup->runtime.allocator, grid->level_count * sizeof(linked_level),
                           grid->level_count + 1, sizeof(linked_level))) {
        return false;
    }
    const double cell_size = bp_level_rule_cell(&grid->rule, index);
    linked_level level = {.index = index, .cell_size = cell_size, .inverse = 1.0 / cell_size};
    bp_level_rule_bits(&grid->setup->settings, grid->setup->dimensions, level.bits);
    if (!allocate_cells(grid, &level)) {
        return false;
    }
    memmove(linked_level_at(grid, at + 1), linked_level_at(grid, at), (grid->level_count - at) * sizeof level);
    *linked_level_at(grid, at) = level;
    ++grid->level_count;
    for (size_t id = 0; id < grid->node_count; ++id) {
        node *n = node_of(grid, (uint32_t)id);
        n->level += n->level < LEVEL_INFINITE && n->level >= at;
    }
    return true;
}

// An empty level like `level`, with its cells doubled along each axis until they are enough for `count` objects.
static linked_level larger_level(const bp_linked_grid *grid, const linked_level *level, size_t count) {
    linked_level larger = {.index = level->index, .inverse = level->inverse, .cell_size = level->cell_size};
    memcpy(larger.bits, level->bits, sizeof larger.bits);
    while (level_cell_count(&larger) < UINT32_MAX &&
           (double)count > (double)grid->setup->settings.grid_load * (double)level_cell_count(&larger)) {
        for (uint32_t axis = 0; axis < grid->setup->dimensions; ++axis) {
            ++larger.bits[axis];
        }
    }
    return larger;
}

// Puts the objects of an old level into the cells of a new one.
static void relink_objects(bp_linked_grid *grid, const linked_level *from, uint32_t to) {
    const linked_level *level = linked_level_at(grid, to);
    for (size_t i = 0; i < from->occupied_count; ++i) {
        for (uint32_t id = level_occupied(from)[i].head, next; id != NONE; id = next) {
            next = node_of(grid, id)->next;
            link_object(grid, to, cell_of_box(level, &grid->boxes[id], grid->setup->dimensions), id);
        }
    }
}

// Makes a level large enough for `count` objects. The old cells are kept until the new ones are allocated.
static bool grow_level(bp_linked_grid *grid, uint32_t level_index, size_t count) {
    linked_level old = *linked_level_at(grid, level_index);
    linked_level larger = larger_level(grid, &old, count);
    const size_t most = old.object_count + 1 > old.object_count * 2 ? 64 : old.object_count * 2;
    const size_t occupied = level_cell_count(&larger) < most ? level_cell_count(&larger) : most;
    if (!allocate_cells(grid, &larger) ||
        !bp_buffer_reserve(&larger.occupied, &grid->setup->runtime.allocator, 0, occupied, sizeof(occupied_cell))) {
        free_level(grid, &larger);
        return false;
    }
    *linked_level_at(grid, level_index) = larger;
    relink_objects(grid, &old, level_index);
    free_level(grid, &old);
    return true;
}

// Makes room for one more object on a level.
static bool make_room_on_level(bp_linked_grid *grid, uint32_t level_index) {
    linked_level *level = linked_level_at(grid, level_index);
    const size_t count = level->object_count + 1;
    if ((double)count > (double)grid->setup->settings.grid_load * (double)level_cell_count(level) &&
        !grow_level(grid, level_index, count)) {
        return false;
    }
    const size_t needed = level->occupied_count + 1;
    return bp_buffer_reserve(
        &level->occupied, &grid->setup->runtime.allocator, level->occupied_count * sizeof(occupied_cell),
        needed * sizeof(occupied_cell) <= level->occupied.bytes ? needed : needed * 2, sizeof(occupied_cell));
}

// Finds the level for a size, or makes it. False if memory is short.
static bool find_or_insert_level(bp_linked_grid *grid, float size, uint32_t *level_index) {
    if (!grid->has_rule) {
        grid->rule = bp_level_rule_for(&grid->setup->settings, size);
        grid->has_rule = true;
    }
    for (size_t i = 0; i < grid->level_count; ++i) {
        const double most = BP_CELL_FILL * linked_level_at(grid, i)->cell_size;
        if ((double)size < most && (double)size * grid->rule.factor >= most) {
            *level_index = (uint32_t)i;
            return true;
        }
    }
    const int index = bp_level_rule_index(&grid->rule, size);
    size_t at = 0;
    while (at < grid->level_count && linked_level_at(grid, at)->index < index) {
        ++at;
    }
    *level_index = (uint32_t)at;
    return (at < grid->level_count && linked_level_at(grid, at)->index == index) || insert_level(grid, at, index);
}

// ---- objects --------------------------------------------------------------------------------------------------------

static bool reserve_object_nodes(bp_linked_grid *grid, size_t count) {
    if (count <= grid->node_count) {
        return true;
    }
    if (!bp_buffer_reserve_slack(&grid->nodes, &grid->setup->runtime.allocator, grid->node_count * sizeof(node), count,
                                 sizeof(node))) {
        return false;
    }
    for (; grid->node_count < count; ++grid->node_count) {
        node_of(grid, (uint32_t)grid->node_count)->level = LEVEL_OUT;
    }
    return true;
}

// Whether an object is in the right cell of the right level already. For most objects nothing else has to be done.
static bool stays_in_cell(const bp_linked_grid *grid, const node *n, const bp_box *box, float size) {
    if (n->level >= LEVEL_INFINITE) {
        return false;
    }
    const linked_level *level = linked_level_at(grid, n->level);
    const double most = BP_CELL_FILL * level->cell_size;
    return (double)size < most && (double)size * grid->rule.factor >= most &&
           cell_of_box(level, box, grid->setup->dimensions) == n->cell;
}

static bool update_object(bp_linked_grid *grid, uint32_t id) {
    const bp_box *box = &grid->boxes[id];
    if (bp_box_is_hole(box)) {
        unlink_object(grid, id);
        return true;
    }
    const float size = bp_fit_size(box, grid->setup->dimensions);
    if (stays_in_cell(grid, node_of(grid, id), box, size)) {
        return true;
    }
    unlink_object(grid, id);
    if (!(size <= FLT_MAX)) {
        link_infinite(grid, id);
        return true;
    }
    uint32_t level_index = 0;
    if (!find_or_insert_level(grid, size, &level_index) || !make_room_on_level(grid, level_index)) {
        return false;
    }
    link_object(grid, level_index, cell_of_box(linked_level_at(grid, level_index), box, grid->setup->dimensions), id);
    return true;
}

bp_status bp_linked_grid_update(bp_linked_grid *grid, const bp_box *boxes, size_t count, const bp_changes *changes) {
    grid->boxes = boxes;
    if (!reserve_object_nodes(grid, count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (changes != NULL ? changes->count : count); ++i) {
        if (!update_object(grid, changes != NULL ? changes->ids[i] : (uint32_t)i)) {
            return BP_ERROR_MEMORY;
        }
    }
    grid->object_count = grid->infinite_count;
    for (size_t i = 0; i < grid->level_count; ++i) {
        grid->object_count += linked_level_at(grid, i)->object_count;
    }
    return BP_OK;
}

// ---- finding --------------------------------------------------------------------------------------------------------

typedef struct pair_search {
    const bp_linked_grid *grid;
    bp_sink *sink;
    const uint8_t *changed; // marks by id; NULL: all pairs are wanted, not only those of changed objects
    bool failed;            // memory ran short
} pair_search;

// Of two objects that have both changed, the one with the smaller id reports the pair.
static void test_pair(pair_search *s, uint32_t a, uint32_t b) {
    if (s->changed != NULL && s->changed[b] != 0 && b <= a) {
        return;
    }
    ++s->sink->tests;
    if (bp_boxes_overlap(&s->grid->boxes[a], &s->grid->boxes[b], s->grid->setup->dimensions) &&
        !bp_sink_push(s->sink, a < b ? a : b, a < b ? b : a)) {
        s->failed = true;
    }
}

static void test_list(pair_search *s, uint32_t a, uint32_t list) {
    for (uint32_t b = list; b != NONE; b = node_of(s->grid, b)->next) {
        test_pair(s, a, b);
    }
}

static void test_lists(pair_search *s, uint32_t first, uint32_t second) {
    for (uint32_t a = first; a != NONE && second != NONE; a = node_of(s->grid, a)->next) {
        test_list(s, a, second);
    }
}

// Tests the objects of a cell against the neighbouring cells that follow it, row by row: each pair of cells is tested
// once.
static void test_neighbour_cells(pair_search *s, const linked_level *level, uint32_t cell, uint32_t head) {
    const int32_t x = (int32_t)(cell & ((1u << level->bits[0]) - 1));
    const int32_t y = (int32_t)(cell >> level->bits[0] & ((1u << level->bits[1]) - 1));
    const int32_t z = (int32_t)(cell >> level->bits[0] >> level->bits[1]);
    const int32_t last_z = level->bits[2] > 0 ? 1 : 0;
    for (int32_t dz = 0; dz <= last_z; ++dz) {
        for (int32_t dy = dz == 0 ? 0 : -1; dy <= 1; ++dy) {
            for (int32_t dx = dz == 0 && dy == 0 ? 1 : -1; dx <= 1; ++dx) {
                test_lists(s, head, cell_head(level, fold_cell(level, x + dx, y + dy, z + dz)));
            }
        }
    }
}

// The cells of a level whose objects could reach a box: those of the box, extended downwards by one cell.
typedef struct cell_block {
    int32_t low[3], count[3]; // not folded; at most as many as there are along each axis
} cell_block;

static cell_block cells_in_reach(const linked_level *level, const bp_box *box, uint32_t dimensions) {
    cell_block block = {.count = {1, 1, 1}};
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const float lowest = (float)((double)box->min[axis] - level->cell_size);
        const int32_t high = bp_cell_of(box->max[axis], level->inverse), most = (int32_t)(1u << level->bits[axis]);
        block.low[axis] = bp_cell_of(lowest, level->inverse);
        const int64_t span = (int64_t)high - block.low[axis]; // up to 2^31
        block.count[axis] = span < most ? (int32_t)span + 1 : most;
    }
    return block;
}

// Tests an object against all objects of a level that could reach it. If more cells are in reach than are occupied, it
// is tested against the occupied ones instead.
static void search_level_for(pair_search *s, uint32_t id, const linked_level *level) {
    const cell_block c = cells_in_reach(level, &s->grid->boxes[id], s->grid->setup->dimensions);
    if ((double)c.count[0] * (double)c.count[1] * (double)c.count[2] > (double)level->occupied_count) {
        for (size_t i = 0; i < level->occupied_count; ++i) {
            test_list(s, id, level_occupied(level)[i].head);
        }
        return;
    }
    for (int32_t z = 0; z < c.count[2]; ++z) {
        for (int32_t y = 0; y < c.count[1]; ++y) {
            for (int32_t x = 0; x < c.count[0]; ++x) {
                test_list(s, id, cell_head(level, fold_cell(level, c.low[0] + x, c.low[1] + y, c.low[2] + z)));
            }
        }
    }
}

// Tests the objects of a cell against each other, against the cells around them and against coarser levels.
static void search_cell(pair_search *s, size_t level_index, const occupied_cell *cell) {
    const linked_level *level = linked_level_at(s->grid, level_index);
    for (uint32_t a = cell->head; a != NONE; a = node_of(s->grid, a)->next) {
        test_list(s, a, node_of(s->grid, a)->next);
        for (size_t coarser = level_index + 1; coarser < s->grid->level_count; ++coarser) {
            if (linked_level_at(s->grid, coarser)->object_count > 0) {
                search_level_for(s, a, linked_level_at(s->grid, coarser));
            }
        }
    }
    test_neighbour_cells(s, level, cell->cell, cell->head);
}

// Tests an infinite object against all finite ones.
static void test_finite(pair_search *s, uint32_t id) {
    for (uint32_t other = 0; other < s->grid->node_count; ++other) {
        if (node_of(s->grid, other)->level < LEVEL_INFINITE) {
            test_pair(s, id, other);
        }
    }
}

bp_status bp_linked_grid_find(const bp_linked_grid *grid, bp_sink *sink) {
    pair_search s = {.grid = grid, .sink = sink};
    for (size_t i = 0; i < grid->level_count && !s.failed; ++i) {
        const linked_level *level = linked_level_at(grid, i);
        for (size_t k = 0; k < level->occupied_count && !s.failed; ++k) {
            search_cell(&s, i, &level_occupied(level)[k]);
        }
    }
    for (uint32_t id = grid->infinite; id != NONE && !s.failed; id = node_of(grid, id)->next) {
        test_finite(&s, id);
        test_list(&s, id, node_of(grid, id)->next);
    }
    return s.failed ? BP_ERROR_MEMORY : BP_OK;
}

static void search_for_object(pair_search *s, uint32_t id) {
    const bp_linked_grid *grid = s->grid;
    const uint32_t level = node_of(grid, id)->level;
    for (size_t i = 0; i < grid->level_count && level < LEVEL_INFINITE; ++i) {
        search_level_for(s, id, linked_level_at(grid, i));
    }
    if (level == LEVEL_INFINITE) {
        test_finite(s, id);
    }
    if (level != LEVEL_OUT) {
        test_list(s, id, grid->infinite);
    }
}

bp_status bp_linked_grid_find_changed(const bp_linked_grid *grid, const bp_changes *changes, bp_sink *sink) {
    pair_search s = {.grid = grid, .sink = sink, .changed = changes->marks};
    for (size_t i = 0; i < changes->count && !s.failed; ++i) {
        search_for_object(&s, changes->ids[i]);
    }
    return s.failed ? BP_ERROR_MEMORY : BP_OK;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

// The number of objects in a list; SIZE_MAX if it contains an invalid index or never ends.
static size_t list_length(const bp_linked_grid *grid, uint32_t list) {
    size_t length = 0;
    uint32_t id = list;
    for (; id < grid->node_count && length < grid->node_count; id = node_of(grid, id)->next) {
        ++length;
    }
    return id == NONE ? length : SIZE_MAX;
}

static size_t fullest_of(const linked_level *level) {
    uint32_t fullest = level->shrunk ? 0 : level->fullest;
    for (size_t i = 0; level->shrunk && i < level->occupied_count; ++i) {
        const uint32_t count = level_occupied(level)[i].count;
        fullest = count > fullest ? count : fullest;
    }
    return fullest;
}

size_t bp_linked_grid_bytes(const bp_linked_grid *grid) {
    size_t bytes = grid->levels.bytes + grid->nodes.bytes;
    for (size_t i = 0; i < grid->level_count; ++i) {
        const linked_level *level = linked_level_at(grid, i);
        bytes += level->cells.bytes + level->occupied.bytes;
    }
    return bytes;
}

void bp_linked_grid_stats(const bp_linked_grid *grid, bp_stats *stats) {
    stats->levels = 0;
    stats->cells = 0;
    stats->occupied = 0;
    stats->objects_per_cell_max = 0;
    stats->bytes = bp_linked_grid_bytes(grid);
    for (size_t i = 0; i < grid->level_count; ++i) {
        const linked_level *level = linked_level_at(grid, i);
        stats->levels += level->object_count > 0;
        stats->cells += level_cell_count(level);
        stats->occupied += level->occupied_count;
        const size_t fullest = fullest_of(level);
        stats->objects_per_cell_max = fullest > stats->objects_per_cell_max ? fullest : stats->objects_per_cell_max;
    }
    const double finite = (double)(grid->object_count - grid->infinite_count);
    stats->objects_per_cell = stats->occupied > 0 ? finite / (double)stats->occupied : 0.0;
}

static bool linked_list_is_sound(const bp_linked_grid *grid, size_t level_index, const occupied_cell *cell) {
    const linked_level *level = linked_level_at(grid, level_index);
    uint32_t previous = NONE;
    for (uint32_t id = cell->head; id != NONE; id = node_of(grid, id)->next) {
        const node *n = node_of(grid, id);
        if (n->previous != previous || n->cell != cell->cell || n->level != level_index ||
            cell_of_box(level, &grid->boxes[id], grid->setup->dimensions) != cell->cell ||
            !((double)bp_fit_size(&grid->boxes[id], grid->setup->dimensions) < level->cell_size)) {
            return false;
        }
        previous = id;
    }
    return cell->head != NONE;
}

static bool linked_level_is_sound(const bp_linked_grid *grid, size_t level_index) {
    const linked_level *level = linked_level_at(grid, level_index);
    size_t used = 0, objects = 0;
    for (size_t cell = 0; cell < level_cell_count(level); ++cell) {
        used += level_cells(level)[cell] != 0;
    }
    for (size_t i = 0; i < level->occupied_count; ++i) {
        const occupied_cell *cell = &level_occupied(level)[i];
        if (cell->cell >= level_cell_count(level) || level_cells(level)[cell->cell] != i + 1 ||
            list_length(grid, cell->head) != cell->count || cell->count > level->fullest ||
            !linked_list_is_sound(grid, level_index, cell)) {
            return false;
        }
        objects += cell->count;
    }
    return used == level->occupied_count && objects == level->object_count;
}

bp_status bp_linked_grid_validate(const bp_linked_grid *grid) {
    bool sound = list_length(grid, grid->infinite) == grid->infinite_count;
    size_t alive = 0;
    for (uint32_t id = 0; id < grid->node_count; ++id) {
        const bool inside = node_of(grid, id)->level != LEVEL_OUT;
        alive += inside;
        sound = sound && (!inside || !bp_box_is_hole(&grid->boxes[id]));
    }
    sound = sound && alive == grid->object_count;
    for (size_t i = 0; sound && i < grid->level_count; ++i) {
        sound = linked_level_is_sound(grid, i);
    }
    if (!sound) {
        bp_log_write(&grid->setup->runtime.log,
                     "hierarchical-grid: the cells of the linked form do not agree with its objects");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
