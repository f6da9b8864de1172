// Cost: O(1) for each object that changes, O(n) to find all pairs. Loses to the sorted grid when many objects move,
// because its objects lie scattered in memory.
//
// Sources: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009, section 3; C. Koch,
// "Acceleration Structures for Inhomogeneous and Polydisperse Particle Dynamics", 2020, section 3.2. Differences: cells
// hold linked lists instead of vectors, so that moving an object allocates nothing; neighbours are computed instead of
// looked up, because an offset array per border cell costs more memory than it saves time; across levels only the
// cells that can matter are searched (8 instead of 27).
#include "methods/hierarchical_grid/linked_grid.h"

#include "api/config.h"
#include "base/boxes.h"

#include <string.h>

static const uint32_t NONE = UINT32_MAX;
static const uint32_t LEVEL_OUT = UINT32_MAX, LEVEL_INFINITE = UINT32_MAX - 1;

// An object's place.
typedef struct node {
    uint32_t next, previous; // in its cell
    uint32_t cell;
    uint32_t level; // position in the list of levels
} node;

typedef struct occupied_cell {
    uint32_t cell;
    uint32_t head;  // the first object
    uint32_t count; // of objects
} occupied_cell;

typedef struct hash_level {
    int index; // k
    double inverse;
    double cell_size;
    uint32_t bits[3];
    size_t object_count;
    bp_buffer cells;    // uint32_t: 0, or 1 + position in occupied
    bp_buffer occupied; // of occupied_cell
    size_t occupied_count;
    uint32_t fullest; // objects in the fullest cell, or more if one of the fullest has lost some
    bool shrunk;      // then it is counted anew when it is asked for
} hash_level;

static hash_level *level_at(const bp_hash_grid *grid, size_t index) {
    return (hash_level *)grid->levels.data + index;
}

static node *node_at(const bp_hash_grid *grid, uint32_t id) {
    return (node *)grid->nodes.data + id;
}

static size_t cell_count(const hash_level *level) {
    return (size_t)1 << (level->bits[0] + level->bits[1] + level->bits[2]);
}

static uint32_t *cells_of(const hash_level *level) {
    return level->cells.data;
}

static occupied_cell *occupied_of(const hash_level *level) {
    return level->occupied.data;
}

// The first object of a cell, or NONE.
static uint32_t head_of(const hash_level *level, uint32_t cell) {
    const uint32_t entry = cells_of(level)[cell];
    return entry == 0 ? NONE : occupied_of(level)[entry - 1].head;
}

void bp_hash_grid_init(bp_hash_grid *grid, const bp_config *config) {
    *grid = (bp_hash_grid){.config = config, .infinite = NONE};
}

static void free_level(bp_hash_grid *grid, hash_level *level) {
    bp_buffer_free(&level->cells, &grid->config->allocator);
    bp_buffer_free(&level->occupied, &grid->config->allocator);
}

void bp_hash_grid_free(bp_hash_grid *grid) {
    for (size_t i = 0; i < grid->level_count; ++i) {
        free_level(grid, level_at(grid, i));
    }
    bp_buffer_free(&grid->levels, &grid->config->allocator);
    bp_buffer_free(&grid->nodes, &grid->config->allocator);
    bp_hash_grid_init(grid, grid->config);
}

void bp_hash_grid_clear(bp_hash_grid *grid) {
    for (size_t i = 0; i < grid->level_count; ++i) {
        hash_level *level = level_at(grid, i);
        for (size_t k = 0; k < level->occupied_count; ++k) {
            cells_of(level)[occupied_of(level)[k].cell] = 0;
        }
        level->occupied_count = 0;
        level->object_count = 0;
        level->fullest = 0;
        level->shrunk = false;
    }
    for (size_t id = 0; id < grid->node_count; ++id) {
        node_at(grid, (uint32_t)id)->level = LEVEL_OUT;
    }
    grid->infinite = NONE;
    grid->infinite_count = 0;
    grid->object_count = 0;
}

// ---- cells ----------------------------------------------------------------------------------------------------------

typedef struct place {
    int32_t x, y, z; // cells before folding
} place;

static place place_of(const hash_level *level, const bp_box *box, uint32_t dimensions) {
    return (place){.x = bp_cell_of(box->min[0], level->inverse),
                   .y = bp_cell_of(box->min[1], level->inverse),
                   .z = dimensions == 3 ? bp_cell_of(box->min[2], level->inverse) : 0};
}

static uint32_t fold(const hash_level *level, int32_t x, int32_t y, int32_t z) {
    const uint32_t folded_x = (uint32_t)x & ((1u << level->bits[0]) - 1);
    const uint32_t folded_y = (uint32_t)y & ((1u << level->bits[1]) - 1);
    const uint32_t folded_z = (uint32_t)z & ((1u << level->bits[2]) - 1);
    return (folded_z << level->bits[1] | folded_y) << level->bits[0] | folded_x;
}

static uint32_t cell_of_box(const hash_level *level, const bp_box *box, uint32_t dimensions) {
    const place p = place_of(level, box, dimensions);
    return fold(level, p.x, p.y, p.z);
}

static void link_object(bp_hash_grid *grid, uint32_t level_index, uint32_t cell, uint32_t id) {
    hash_level *level = level_at(grid, level_index);
    uint32_t *entry = &cells_of(level)[cell];
    if (*entry == 0) {
        occupied_of(level)[level->occupied_count] = (occupied_cell){.cell = cell, .head = NONE, .count = 0};
        *entry = (uint32_t)++level->occupied_count;
    }
    occupied_cell *occupied = &occupied_of(level)[*entry - 1];
    if (occupied->head != NONE) {
        node_at(grid, occupied->head)->previous = id;
    }
    *node_at(grid, id) = (node){.next = occupied->head, .previous = NONE, .cell = cell, .level = level_index};
    occupied->head = id;
    ++occupied->count;
    ++level->object_count;
    level->fullest = occupied->count > level->fullest ? occupied->count : level->fullest;
}

// The last occupied cell takes the place of one that has become empty.
static void vacate(hash_level *level, uint32_t cell) {
    const uint32_t position = cells_of(level)[cell] - 1;
    const occupied_cell last = occupied_of(level)[--level->occupied_count];
    occupied_of(level)[position] = last;
    cells_of(level)[last.cell] = position + 1;
    cells_of(level)[cell] = 0;
}

static void unlink_neighbours(bp_hash_grid *grid, const node *n, uint32_t *head) {
    if (n->next != NONE) {
        node_at(grid, n->next)->previous = n->previous;
    }
    if (n->previous != NONE) {
        node_at(grid, n->previous)->next = n->next;
    } else {
        *head = n->next;
    }
}

static void unlink_object(bp_hash_grid *grid, uint32_t id) {
    node *n = node_at(grid, id);
    if (n->level == LEVEL_INFINITE) {
        unlink_neighbours(grid, n, &grid->infinite);
        --grid->infinite_count;
    } else if (n->level != LEVEL_OUT) {
        hash_level *level = level_at(grid, n->level);
        occupied_cell *occupied = &occupied_of(level)[cells_of(level)[n->cell] - 1];
        unlink_neighbours(grid, n, &occupied->head);
        --level->object_count;
        level->shrunk |= occupied->count == level->fullest;
        if (--occupied->count == 0) {
            vacate(level, n->cell);
        }
    }
    n->level = LEVEL_OUT;
}

static void link_infinite(bp_hash_grid *grid, uint32_t id) {
    if (grid->infinite != NONE) {
        node_at(grid, grid->infinite)->previous = id;
    }
    *node_at(grid, id) = (node){.next = grid->infinite, .previous = NONE, .level = LEVEL_INFINITE};
    grid->infinite = id;
    ++grid->infinite_count;
}

// ---- levels ---------------------------------------------------------------------------------------------------------

static bool allocate_cells(bp_hash_grid *grid, hash_level *level) {
    if (!bp_buffer_reserve(&level->cells, &grid->config->allocator, 0, cell_count(level), sizeof(uint32_t))) {
        return false;
    }
    memset(level->cells.data, 0, cell_count(level) * sizeof(uint32_t));
    return true;
}

// Levels stay sorted by their cells; nodes of the levels behind a new one move up by one.
static bool insert_level(bp_hash_grid *grid, size_t at, int index) {
    if (!bp_buffer_reserve(&grid->levels, &grid->config->allocator, grid->level_count * sizeof(hash_level),
                           grid->level_count + 1, sizeof(hash_level))) {
        return false;
    }
    const double cell_size = bp_level_rule_cell(&grid->rule, index);
    hash_level level = {.index = index, .cell_size = cell_size, .inverse = 1.0 / cell_size};
    bp_grid_bits(grid->config, level.bits);
    if (!allocate_cells(grid, &level)) {
        return false;
    }
    memmove(level_at(grid, at + 1), level_at(grid, at), (grid->level_count - at) * sizeof level);
    *level_at(grid, at) = level;
    ++grid->level_count;
    for (size_t id = 0; id < grid->node_count; ++id) {
        node *n = node_at(grid, (uint32_t)id);
        n->level += n->level < LEVEL_INFINITE && n->level >= at;
    }
    return true;
}

// Twice as many cells along each axis, as often as it takes for `count` objects. The old grid stays until the new one
// is there.
static bool grow_level(bp_hash_grid *grid, uint32_t level_index, size_t count) {
    hash_level *level = level_at(grid, level_index);
    hash_level larger = *level;
    larger.cells = (bp_buffer){0};
    larger.occupied = (bp_buffer){0};
    while ((double)count > (double)grid->config->grid_load * (double)cell_count(&larger)) {
        for (uint32_t axis = 0; axis < grid->config->dimensions; ++axis) {
            ++larger.bits[axis];
        }
    }
    const size_t most = level->object_count + 1 > level->object_count * 2 ? 64 : level->object_count * 2;
    const size_t occupied = cell_count(&larger) < most ? cell_count(&larger) : most;
    if (!allocate_cells(grid, &larger) ||
        !bp_buffer_reserve(&larger.occupied, &grid->config->allocator, 0, occupied, sizeof(occupied_cell))) {
        free_level(grid, &larger);
        return false;
    }
    const hash_level old = *level;
    larger.object_count = 0;
    larger.occupied_count = 0;
    larger.fullest = 0;
    larger.shrunk = false;
    *level = larger;
    for (size_t i = 0; i < old.occupied_count; ++i) {
        for (uint32_t id = occupied_of(&old)[i].head, next; id != NONE; id = next) {
            next = node_at(grid, id)->next;
            link_object(grid, level_index, cell_of_box(level, &grid->boxes[id], grid->config->dimensions), id);
        }
    }
    hash_level emptied = old;
    free_level(grid, &emptied);
    return true;
}

// Room for one more object on a level.
static bool make_room(bp_hash_grid *grid, uint32_t level_index) {
    hash_level *level = level_at(grid, level_index);
    const size_t count = level->object_count + 1;
    if ((double)count > (double)grid->config->grid_load * (double)cell_count(level) &&
        !grow_level(grid, level_index, count)) {
        return false;
    }
    const size_t needed = level->occupied_count + 1;
    return bp_buffer_reserve(&level->occupied, &grid->config->allocator, level->occupied_count * sizeof(occupied_cell),
                             needed * sizeof(occupied_cell) <= level->occupied.bytes ? needed : needed * 2,
                             sizeof(occupied_cell));
}

// The level for a size: found, or made.
static bool find_level(bp_hash_grid *grid, float size, uint32_t *level_index) {
    if (!grid->has_rule) {
        grid->rule = bp_level_rule_for(grid->config, size);
        grid->has_rule = true;
    }
    for (size_t i = 0; i < grid->level_count; ++i) {
        const double most = BP_CELL_FILL * level_at(grid, i)->cell_size;
        if ((double)size < most && (double)size * grid->rule.factor >= most) {
            *level_index = (uint32_t)i;
            return true;
        }
    }
    const int index = bp_level_rule_index(&grid->rule, size);
    size_t at = 0;
    while (at < grid->level_count && level_at(grid, at)->index < index) {
        ++at;
    }
    *level_index = (uint32_t)at;
    return (at < grid->level_count && level_at(grid, at)->index == index) || insert_level(grid, at, index);
}

// ---- objects --------------------------------------------------------------------------------------------------------

static bool reserve_nodes(bp_hash_grid *grid, size_t count) {
    if (count <= grid->node_count) {
        return true;
    }
    if (!bp_buffer_reserve_slack(&grid->nodes, &grid->config->allocator, grid->node_count * sizeof(node), count,
                                 sizeof(node))) {
        return false;
    }
    for (; grid->node_count < count; ++grid->node_count) {
        node_at(grid, (uint32_t)grid->node_count)->level = LEVEL_OUT;
    }
    return true;
}

// True if the object is already where it belongs. For objects that keep their level this is all there is to do.
static bool stays(const bp_hash_grid *grid, const node *n, const bp_box *box, float size) {
    if (n->level >= LEVEL_INFINITE) {
        return false;
    }
    const hash_level *level = level_at(grid, n->level);
    const double most = BP_CELL_FILL * level->cell_size;
    return (double)size < most && (double)size * grid->rule.factor >= most &&
           cell_of_box(level, box, grid->config->dimensions) == n->cell;
}

static bool update_object(bp_hash_grid *grid, uint32_t id) {
    const bp_box *box = &grid->boxes[id];
    if (bp_box_is_hole(box)) {
        unlink_object(grid, id);
        return true;
    }
    const float size = bp_fit_size(box, grid->config->dimensions);
    if (stays(grid, node_at(grid, id), box, size)) {
        return true;
    }
    unlink_object(grid, id);
    if (!(size <= FLT_MAX)) {
        link_infinite(grid, id);
        return true;
    }
    uint32_t level_index = 0;
    if (!find_level(grid, size, &level_index) || !make_room(grid, level_index)) {
        return false;
    }
    link_object(grid, level_index, cell_of_box(level_at(grid, level_index), box, grid->config->dimensions), id);
    return true;
}

bp_status bp_hash_grid_update(bp_hash_grid *grid, const bp_box *boxes, size_t count, const bp_id *changed,
                              size_t changed_count) {
    grid->boxes = boxes;
    if (!reserve_nodes(grid, count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (changed != NULL ? changed_count : count); ++i) {
        if (!update_object(grid, changed != NULL ? changed[i] : (uint32_t)i)) {
            return BP_ERROR_MEMORY;
        }
    }
    grid->object_count = grid->infinite_count;
    for (size_t i = 0; i < grid->level_count; ++i) {
        grid->object_count += level_at(grid, i)->object_count;
    }
    return BP_OK;
}

// ---- finding --------------------------------------------------------------------------------------------------------

typedef struct finder {
    const bp_hash_grid *grid;
    bp_sink *sink;
    const uint8_t *is_changed; // NULL: every pair is wanted that is met
    bool failed;               // memory ran short
} finder;

// Of two that have both changed, the one with the smaller id reports the pair.
static void test(finder *f, uint32_t a, uint32_t b) {
    if (f->is_changed != NULL && f->is_changed[b] != 0 && b <= a) {
        return;
    }
    ++f->sink->tests;
    if (bp_boxes_overlap(&f->grid->boxes[a], &f->grid->boxes[b], f->grid->config->dimensions) &&
        !bp_sink_push(f->sink, a < b ? a : b, a < b ? b : a)) {
        f->failed = true;
    }
}

static void test_list(finder *f, uint32_t a, uint32_t list) {
    for (uint32_t b = list; b != NONE; b = node_at(f->grid, b)->next) {
        test(f, a, b);
    }
}

static void test_lists(finder *f, uint32_t first, uint32_t second) {
    for (uint32_t a = first; a != NONE && second != NONE; a = node_at(f->grid, a)->next) {
        test_list(f, a, second);
    }
}

// The neighbours of a cell that follow it, row by row: each pair of cells is met once.
static void find_in_neighbours(finder *f, const hash_level *level, uint32_t cell, uint32_t head) {
    const int32_t x = (int32_t)(cell & ((1u << level->bits[0]) - 1));
    const int32_t y = (int32_t)(cell >> level->bits[0] & ((1u << level->bits[1]) - 1));
    const int32_t z = (int32_t)(cell >> level->bits[0] >> level->bits[1]);
    const int32_t last_z = level->bits[2] > 0 ? 1 : 0;
    for (int32_t dz = 0; dz <= last_z; ++dz) {
        for (int32_t dy = dz == 0 ? 0 : -1; dy <= 1; ++dy) {
            for (int32_t dx = dz == 0 && dy == 0 ? 1 : -1; dx <= 1; ++dx) {
                test_lists(f, head, head_of(level, fold(level, x + dx, y + dy, z + dz)));
            }
        }
    }
}

// All of a level that could reach a box: it has its min corner in the box, grown downwards by one of that level's
// cells. A box that is so large that this is more than all occupied cells is tested against those instead.
static void find_on_level(finder *f, uint32_t id, const hash_level *level) {
    const bp_box *box = &f->grid->boxes[id];
    int32_t low[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    double cells = 1.0;
    for (uint32_t axis = 0; axis < f->grid->config->dimensions; ++axis) {
        const float lowest = (float)((double)box->min[axis] - level->cell_size);
        const int32_t high = bp_cell_of(box->max[axis], level->inverse), most = (int32_t)(1u << level->bits[axis]);
        low[axis] = bp_cell_of(lowest, level->inverse);
        const int64_t span = (int64_t)high - low[axis]; // up to 2^31
        count[axis] = span < most ? (int32_t)span + 1 : most;
        cells *= (double)count[axis];
    }
    if (cells > (double)level->occupied_count) {
        for (size_t i = 0; i < level->occupied_count; ++i) {
            test_list(f, id, occupied_of(level)[i].head);
        }
        return;
    }
    for (int32_t z = 0; z < count[2]; ++z) {
        for (int32_t y = 0; y < count[1]; ++y) {
            for (int32_t x = 0; x < count[0]; ++x) {
                test_list(f, id, head_of(level, fold(level, low[0] + x, low[1] + y, low[2] + z)));
            }
        }
    }
}

static void find_in_cell(finder *f, size_t level_index, const occupied_cell *cell) {
    const hash_level *level = level_at(f->grid, level_index);
    for (uint32_t a = cell->head; a != NONE; a = node_at(f->grid, a)->next) {
        test_list(f, a, node_at(f->grid, a)->next);
        for (size_t coarser = level_index + 1; coarser < f->grid->level_count; ++coarser) {
            if (level_at(f->grid, coarser)->object_count > 0) {
                find_on_level(f, a, level_at(f->grid, coarser));
            }
        }
    }
    find_in_neighbours(f, level, cell->cell, cell->head);
}

// An infinite object against all finite ones, and against the infinite ones that follow it in their list.
static void find_infinite(finder *f, uint32_t id) {
    for (uint32_t other = 0; other < f->grid->node_count; ++other) {
        if (node_at(f->grid, other)->level < LEVEL_INFINITE) {
            test(f, id, other);
        }
    }
    test_list(f, id, node_at(f->grid, id)->next);
}

bp_status bp_hash_grid_find(bp_hash_grid *grid, bp_sink *sink) {
    finder f = {.grid = grid, .sink = sink};
    for (size_t i = 0; i < grid->level_count && !f.failed; ++i) {
        const hash_level *level = level_at(grid, i);
        for (size_t k = 0; k < level->occupied_count && !f.failed; ++k) {
            find_in_cell(&f, i, &occupied_of(level)[k]);
        }
    }
    for (uint32_t id = grid->infinite; id != NONE && !f.failed; id = node_at(grid, id)->next) {
        find_infinite(&f, id);
    }
    return f.failed ? BP_ERROR_MEMORY : BP_OK;
}

static void find_of_object(finder *f, uint32_t id) {
    const bp_hash_grid *grid = f->grid;
    const uint32_t level = node_at(grid, id)->level;
    for (size_t i = 0; i < grid->level_count && level < LEVEL_INFINITE; ++i) {
        find_on_level(f, id, level_at(grid, i));
    }
    for (uint32_t other = 0; other < grid->node_count && level == LEVEL_INFINITE; ++other) {
        if (node_at(grid, other)->level < LEVEL_INFINITE) {
            test(f, id, other);
        }
    }
    if (level != LEVEL_OUT) {
        test_list(f, id, grid->infinite);
    }
}

bp_status bp_hash_grid_find_changed(bp_hash_grid *grid, const bp_id *changed, size_t changed_count,
                                    const uint8_t *is_changed, bp_sink *sink) {
    finder f = {.grid = grid, .sink = sink, .is_changed = is_changed};
    for (size_t i = 0; i < changed_count && !f.failed; ++i) {
        find_of_object(&f, changed[i]);
    }
    return f.failed ? BP_ERROR_MEMORY : BP_OK;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

// How many objects a list has; SIZE_MAX if it leads out of the nodes or in a circle.
static size_t list_length(const bp_hash_grid *grid, uint32_t list) {
    size_t length = 0;
    uint32_t id = list;
    for (; id < grid->node_count && length < grid->node_count; id = node_at(grid, id)->next) {
        ++length;
    }
    return id == NONE ? length : SIZE_MAX;
}

static size_t fullest_of(const hash_level *level) {
    uint32_t fullest = level->shrunk ? 0 : level->fullest;
    for (size_t i = 0; level->shrunk && i < level->occupied_count; ++i) {
        const uint32_t count = occupied_of(level)[i].count;
        fullest = count > fullest ? count : fullest;
    }
    return fullest;
}

void bp_hash_grid_stats(const bp_hash_grid *grid, bp_stats *stats) {
    stats->update = BP_UPDATE_INDIVIDUAL;
    stats->levels = 0;
    stats->cells = 0;
    stats->occupied = 0;
    stats->objects_per_cell_max = 0;
    stats->bytes = grid->levels.bytes + grid->nodes.bytes;
    for (size_t i = 0; i < grid->level_count; ++i) {
        const hash_level *level = level_at(grid, i);
        stats->levels += level->object_count > 0;
        stats->cells += cell_count(level);
        stats->occupied += level->occupied_count;
        stats->bytes += level->cells.bytes + level->occupied.bytes;
        const size_t fullest = fullest_of(level);
        stats->objects_per_cell_max = fullest > stats->objects_per_cell_max ? fullest : stats->objects_per_cell_max;
    }
    const double finite = (double)(grid->object_count - grid->infinite_count);
    stats->objects_per_cell = stats->occupied > 0 ? finite / (double)stats->occupied : 0.0;
}

static bool list_is_sound(const bp_hash_grid *grid, size_t level_index, const occupied_cell *cell) {
    const hash_level *level = level_at(grid, level_index);
    uint32_t previous = NONE;
    for (uint32_t id = cell->head; id != NONE; id = node_at(grid, id)->next) {
        const node *n = node_at(grid, id);
        if (n->previous != previous || n->cell != cell->cell || n->level != level_index ||
            cell_of_box(level, &grid->boxes[id], grid->config->dimensions) != cell->cell ||
            !((double)bp_fit_size(&grid->boxes[id], grid->config->dimensions) < level->cell_size)) {
            return false;
        }
        previous = id;
    }
    return cell->head != NONE;
}

static bool level_is_sound(const bp_hash_grid *grid, size_t level_index) {
    const hash_level *level = level_at(grid, level_index);
    size_t used = 0, objects = 0;
    for (size_t cell = 0; cell < cell_count(level); ++cell) {
        used += cells_of(level)[cell] != 0;
    }
    for (size_t i = 0; i < level->occupied_count; ++i) {
        const occupied_cell *cell = &occupied_of(level)[i];
        if (cell->cell >= cell_count(level) || cells_of(level)[cell->cell] != i + 1 ||
            list_length(grid, cell->head) != cell->count || cell->count > level->fullest ||
            !list_is_sound(grid, level_index, cell)) {
            return false;
        }
        objects += cell->count;
    }
    return used == level->occupied_count && objects == level->object_count;
}

bp_status bp_hash_grid_validate(const bp_hash_grid *grid) {
    bool sound = list_length(grid, grid->infinite) == grid->infinite_count;
    size_t alive = 0;
    for (uint32_t id = 0; id < grid->node_count; ++id) {
        const bool inside = node_at(grid, id)->level != LEVEL_OUT;
        alive += inside;
        sound = sound && (!inside || !bp_box_is_hole(&grid->boxes[id]));
    }
    sound = sound && alive == grid->object_count;
    for (size_t i = 0; sound && i < grid->level_count; ++i) {
        sound = level_is_sound(grid, i);
    }
    if (!sound) {
        bp_log_write(grid->config, "hierarchical-grid: the cells of the hash form do not agree with its objects");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
