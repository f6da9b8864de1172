// linked-cells: a bounded domain, cut into a dense grid of cells that are not smaller than the objects.
//
//         z ^   y                      columns (structure of arrays)
//           |  /   +---+---+---+---+       +--------------------------------------+-------+
//           | /    | 0 | 1 | 2 | 3 |  -->  | row 0      | row 1    | row 2 | ...  | large |
//           |/     +---+---+---+---+       +--------------------------------------+-------+
//           +------------> x                 ^ table[cell] .. table[cell + 1]
//
// Idea: an object lives in the cell of its min corner, so it can only meet objects of its own and of adjacent cells.
// Half of the neighbours are enough, because the others look from their side. The lists of the literature are ranges
// here: boxes are copied in the order of their cells, and the cells of a row that an object reaches are one range,
// tested eight at a time. Of the rows above, an object needs only those into which it crosses:
//
//     +-----+-----+-----+        own row   what follows, up to the cell of its max
//     | -+  |  0+ | ++  |        +0        only if it crosses its cell's upper y face
//     +-----+-----+-----+        0+, -+    only if it crosses the upper z face
//           |  x→ | +0  |        ++        only if it crosses both
//           +-----+-----+
//
// Hence fewer candidate tests than own cell + 13 neighbours. An object that is larger than the cells, or infinite, is
// kept apart and searches the cells that its box covers (rows and layers that are covered whole are one range), and
// all other large objects: a wall costs what lies at it. Objects outside a configured domain count as in the cells of
// its border.
//
// Cost: O(n + cells) time and memory. Loses where the cells are many and empty (a large domain with dense spots; 003
// measured 12 times the time of a hash grid there) and where sizes differ much: cells are as large as most objects
// need.
//
// Source: C. Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse
// Particle Dynamics", 2020, section 2.2.
#include "methods/linked_cells/linked_cells.h"

#include "api/config.h"
#include "base/boxes.h"
#include "methods/method.h"

enum { CHUNK = 256 }; // boxes to a unit of work

static bp_status create(const bp_config *config, void **state) {
    linked_cells *l = config->allocator.allocate(config->allocator.context, sizeof *l);
    *state = l;
    if (l == NULL) {
        return BP_ERROR_MEMORY;
    }
    *l = (linked_cells){.config = config};
    return BP_OK;
}

static void destroy(void *state) {
    linked_cells *l = state;
    const bp_allocator allocator = l->config->allocator;
    bp_buffer *buffers[] = {&l->columns_buffer, &l->other_buffer,    &l->records_buffer,
                            &l->table_buffer,   &l->counters_buffer, &l->blocks_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], &allocator);
    }
    bp_sweep_pool_free(&l->pool, &allocator);
    allocator.release(allocator.context, l, sizeof *l);
}

static bp_status build(void *state, const bp_box *boxes, size_t count) {
    return linked_cells_build(state, boxes, count);
}

// ---- objects in cells -----------------------------------------------------------------------------------------------

// Lists the cells low .. high of a row, if `wanted`; without a branch on that.
static inline void push_row(bp_sweeper *s, size_t object, const uint32_t *row, uint32_t low, uint32_t high,
                            uint32_t wanted) {
    const uint32_t begin = row[low], end = row[high + 1];
    bp_sweeper_push(s, object, begin, begin + (end - begin) * wanted);
}

static inline void sweep_object(const linked_cells *l, bp_sweeper *s, size_t p) {
    const cell_grid *g = &l->grid;
    const bp_columns *c = &l->columns;
    const double min_x = (double)c->min[0][p];
    const uint32_t low = cell_at(g, 0, min_x - (double)g->reach[0]), high = cell_at(g, 0, (double)c->max[0][p]);
    const uint32_t y = cell_at(g, 1, (double)c->min[1][p]), z = cell_at(g, 2, (double)c->min[2][p]);
    const uint32_t crosses_y = cell_at(g, 1, (double)c->max[1][p]) - y; // 0 or 1, by linked_cells_fits
    const uint32_t crosses_z = cell_at(g, 2, (double)c->max[2][p]) - z;
    const uint32_t *row = cell_table(l) + cell_key(g, 0, y, z);
    const uint32_t *above = row + (size_t)crosses_z * g->cells[0] * g->cells[1]; // rows that are not wanted are its own
    const size_t up = (size_t)crosses_y * g->cells[0], has_down = y > 0;
    bp_sweeper_make_room(s, 5);
    bp_sweeper_push(s, p, (uint32_t)p + 1, row[high + 1]);
    push_row(s, p, row + up, low, high, crosses_y);
    push_row(s, p, above, low, high, crosses_z);
    push_row(s, p, above + up, low, high, crosses_y & crosses_z);
    push_row(s, p, above - has_down * g->cells[0], low, high, crosses_z & (uint32_t)has_down);
}

// ---- objects of any size --------------------------------------------------------------------------------------------

// The cells along an axis that hold everything that an interval could touch.
typedef struct span {
    uint32_t low, high;
} span;

static span span_of(const cell_grid *g, int axis, float min, float max) {
    return (span){.low = cell_at(g, axis, (double)min - (double)g->reach[axis]), .high = cell_at(g, axis, (double)max)};
}

static bool is_whole(const cell_grid *g, int axis, span cells) {
    return cells.low == 0 && cells.high + 1 == g->cells[axis];
}

// Lists a box, at position p of `columns`, against all objects in the cells that it covers.
static void sweep_box(const linked_cells *l, bp_sweeper *s, const bp_columns *columns, size_t p) {
    const cell_grid *g = &l->grid;
    const uint32_t *table = cell_table(l);
    const span x = span_of(g, 0, columns->min[0][p], columns->max[0][p]);
    span y = span_of(g, 1, columns->min[1][p], columns->max[1][p]);
    span z = span_of(g, 2, columns->min[2][p], columns->max[2][p]);
    // Neighbouring rows that are covered whole are one range: y_step rows, and then z_step layers, at a time.
    const uint32_t y_step = is_whole(g, 0, x) ? y.high - y.low + 1 : 1;
    const uint32_t z_step = is_whole(g, 0, x) && is_whole(g, 1, y) ? z.high - z.low + 1 : 1;
    for (uint32_t layer = z.low; layer <= z.high; layer += z_step) {
        for (uint32_t row = y.low; row <= y.high; row += y_step) {
            const size_t first = cell_key(g, x.low, row, layer);
            const size_t last = cell_key(g, x.high, row + y_step - 1, layer + z_step - 1);
            bp_sweeper_push_range(s, p, table[first], table[last + 1]);
        }
    }
}

// ---- finding --------------------------------------------------------------------------------------------------------

static size_t chunk_count(size_t count) {
    return (count + CHUNK - 1) / CHUNK;
}

// First the chunks of boxes in cells, then the large boxes one by one.
static void find_unit(const void *context, bp_sweeper *s, size_t unit) {
    const linked_cells *l = context;
    const size_t chunks = chunk_count(l->grid_count);
    const size_t end = (unit + 1) * CHUNK < l->grid_count ? (unit + 1) * CHUNK : l->grid_count;
    if (unit < chunks) {
        for (size_t p = unit * CHUNK; p < end; ++p) {
            sweep_object(l, s, p);
        }
        return;
    }
    const size_t large = l->grid_count + unit - chunks;
    sweep_box(l, s, &l->columns, large);
    bp_sweeper_push_range(s, large, (uint32_t)l->grid_count, (uint32_t)large);
}

static bp_status find(void *state, bp_sink *sink) {
    linked_cells *l = state;
    const bp_sweep_plan plan = {.config = l->config,
                                .objects = &l->columns,
                                .candidates = &l->columns,
                                .unit_count = chunk_count(l->grid_count) + l->total_count - l->grid_count,
                                .unit = find_unit,
                                .context = l};
    return bp_sweep_pool_run(&l->pool, &plan, sink);
}

// What a unit of find_between needs.
typedef struct between {
    const linked_cells *l;
    size_t count;
} between;

static void between_unit(const void *context, bp_sweeper *s, size_t unit) {
    const between *b = context;
    const size_t end = (unit + 1) * CHUNK < b->count ? (unit + 1) * CHUNK : b->count;
    for (size_t p = unit * CHUNK; p < end; ++p) {
        sweep_box(b->l, s, &b->l->other, p);
        bp_sweeper_push_range(s, p, (uint32_t)b->l->grid_count, (uint32_t)b->l->total_count);
    }
}

static bp_status find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    linked_cells *l = state;
    if (!bp_columns_reserve(&l->other, &l->other_buffer, &l->config->allocator, count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        l->other.id[i] = (uint32_t)i;
    }
    bp_columns_fill(&l->other, l->config, 0, count, boxes);
    const between b = {.l = l, .count = count};
    const bp_sweep_plan plan = {.config = l->config,
                                .objects = &l->other,
                                .candidates = &l->columns,
                                .unit_count = chunk_count(count),
                                .unit = between_unit,
                                .context = &b};
    return bp_sweep_pool_run(&l->pool, &plan, sink);
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

static void stats(const void *state, bp_stats *stats) {
    const linked_cells *l = state;
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = l->grid_count > 0 ? 1 : 0;
    stats->cells = l->grid.cell_count;
    stats->occupied = l->occupied;
    stats->objects_per_cell_max = l->fullest;
    stats->objects_per_cell = l->occupied > 0 ? (double)l->grid_count / (double)l->occupied : 0.0;
    stats->bytes = sizeof *l + l->columns_buffer.bytes + l->other_buffer.bytes + l->records_buffer.bytes +
                   l->table_buffer.bytes + l->counters_buffer.bytes + l->blocks_buffer.bytes +
                   bp_sweep_pool_bytes(&l->pool);
}

// The right box at a position, which must be in the right place: its own cell, or among the large ones.
static bool is_sound(const linked_cells *l, size_t position, size_t cell) {
    const cell_grid *g = &l->grid;
    const uint32_t id = l->columns.id[position];
    if (id >= l->count || !bp_columns_hold(&l->columns, position, &l->boxes[id], l->config->dimensions)) {
        return false;
    }
    const bp_box box = bp_box_flatten(l->boxes[id], l->config->dimensions);
    const size_t key = cell_key(g, cell_at(g, 0, (double)box.min[0]), cell_at(g, 1, (double)box.min[1]),
                                cell_at(g, 2, (double)box.min[2]));
    return linked_cells_fits(g, &box) ? cell == key : cell == g->cell_count;
}

// Ids ascend inside a cell, and every box is in the cell it must be in: so none is there twice.
static bool is_range_sound(const linked_cells *l, size_t begin, size_t end, size_t cell) {
    bool sound = begin <= end && end <= l->total_count;
    for (size_t p = begin; sound && p < end; ++p) {
        sound = is_sound(l, p, cell) && (p == begin || l->columns.id[p - 1] < l->columns.id[p]);
    }
    return sound;
}

static bp_status validate(const void *state) {
    const linked_cells *l = state;
    const uint32_t *table = cell_table(l);
    size_t alive = 0;
    for (size_t i = 0; i < l->count; ++i) {
        alive += !bp_box_is_hole(&l->boxes[i]);
    }
    bool sound = alive == l->total_count;
    for (size_t cell = 0; sound && cell < l->grid.cell_count; ++cell) {
        sound = is_range_sound(l, table[cell], table[cell + 1], cell);
    }
    sound = sound && (l->grid.cell_count == 0 || (table[0] == 0 && table[l->grid.cell_count] == l->grid_count));
    if (!sound || !is_range_sound(l, l->grid_count, l->total_count, l->grid.cell_count)) {
        bp_log_write(l->config, "linked-cells: the cells do not hold the boxes they were given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_linked_cells_ops = {
    .name = "linked-cells",
    .summary = "a dense grid over a bounded domain: O(n + cells), for objects of similar size",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .create = create,
    .destroy = destroy,
    .build = build,
    .find = find,
    .find_between = find_between,
    .stats = stats,
    .validate = validate,
};
