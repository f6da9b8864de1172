// linked-cells: a bounded domain, divided into a dense grid of cells that are not smaller than the objects.
//
//         z ^   y                      columns (structure of arrays)
//           |  /   +---+---+---+---+       +--------------------------------------+-------+
//           | /    | 0 | 1 | 2 | 3 |  -->  | row 0      | row 1    | row 2 | ...  | large |
//           |/     +---+---+---+---+       +--------------------------------------+-------+
//           +------------> x                 ^ table[cell] .. table[cell + 1]
//
// Idea: an object belongs to the cell of its min corner, so it can only overlap objects of its own and of adjacent
// cells. Half of the neighbours are enough, because the objects of the other half test against it. The lists of the
// literature are ranges here: boxes are copied in the order of their cells, and the cells of a row that an object
// reaches are one range, tested eight at a time. Of the rows above, an object needs only those into which it crosses:
//
//     +-----+-----+-----+        own row   what follows, up to the cell of its max
//     | -+  |  0+ | ++  |        +0        only if it crosses its cell's upper y face
//     +-----+-----+-----+        0+, -+    only if it crosses the upper z face
//           |  x→ | +0  |        ++        only if it crosses both
//           +-----+-----+
//
// Hence fewer candidate tests than with the own cell and 13 neighbours. An object that is larger than the cells, or
// infinite, is stored separately. It is tested against the cells that its box covers (rows and layers that are covered
// whole are one range) and against all other large objects: a wall costs as much as there are objects at it. Objects
// outside a configured domain belong to the cells at its border.
//
// Cost: O(n + cells) time and memory. Loses where the cells are many and empty (a large domain with dense spots; Koch
// 2020 measured 12 times the time of a hash grid there) and where sizes differ much: cells are as large as most objects
// need.
//
// Source: C. Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse
// Particle Dynamics", 2020, section 2.2.
#include "literature/linked_cells/linked_cells_build.h"

#include "base/boxes.h"
#include "base/log.h"
#include "engine/method.h"

static void linked_cells_init(void *state, const bp_method_setup *setup) {
    linked_cells *l = state;
    *l = (linked_cells){.setup = setup};
}

static void linked_cells_free(void *state) {
    linked_cells *l = state;
    const bp_allocator *allocator = &l->setup->runtime.allocator;
    bp_buffer *buffers[] = {&l->columns_buffer, &l->other.buffer, &l->table_buffer, &l->blocks_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_bucket_sort_free(&l->sort, allocator);
    bp_block_sinks_free(&l->sinks, allocator);
}

// ---- objects in cells -----------------------------------------------------------------------------------------------

// Lists the cells low .. high of a row, if `wanted`; without a branch.
static inline void add_cell_row(bp_range_tester *tester, size_t object, const uint32_t *row, uint32_t low,
                                uint32_t high, uint32_t wanted) {
    const uint32_t begin = row[low], end = row[high + 1];
    bp_range_tester_add(tester, object, begin, begin + (end - begin) * wanted);
}

// Lists a box of a cell against the boxes after it in its own row, and against the rows that it crosses into.
static inline void test_cell_box(const linked_cells *l, bp_range_tester *tester, size_t p) {
    const dense_grid *g = &l->grid;
    const bp_columns *c = &l->columns;
    const uint32_t low = dense_cell_of(g, 0, (double)c->min[0][p] - (double)g->reach[0]);
    const uint32_t high = dense_cell_of(g, 0, (double)c->max[0][p]);
    const uint32_t y = dense_cell_of(g, 1, (double)c->min[1][p]), z = dense_cell_of(g, 2, (double)c->min[2][p]);
    const uint32_t crosses_y = dense_cell_of(g, 1, (double)c->max[1][p]) - y; // 0 or 1, by linked_cells_fits
    const uint32_t crosses_z = dense_cell_of(g, 2, (double)c->max[2][p]) - z;
    const uint32_t *row = linked_cells_table(l) + dense_cell_key(g, 0, y, z);
    const uint32_t *above = row + (size_t)crosses_z * g->cells[0] * g->cells[1]; // rows that are not wanted are its own
    const size_t up = (size_t)crosses_y * g->cells[0], has_down = y > 0;
    bp_range_tester_reserve(tester, 5);
    bp_range_tester_add(tester, p, (uint32_t)p + 1, row[high + 1]);
    add_cell_row(tester, p, row + up, low, high, crosses_y);
    add_cell_row(tester, p, above, low, high, crosses_z);
    add_cell_row(tester, p, above + up, low, high, crosses_y & crosses_z);
    add_cell_row(tester, p, above - has_down * g->cells[0], low, high, crosses_z & (uint32_t)has_down);
}

// ---- objects of any size --------------------------------------------------------------------------------------------

// The cells along an axis whose objects an interval could touch.
typedef struct span {
    uint32_t low, high;
} span;

static span span_of_box(const dense_grid *g, int axis, float min, float max) {
    return (span){.low = dense_cell_of(g, axis, (double)min - (double)g->reach[axis]),
                  .high = dense_cell_of(g, axis, (double)max)};
}

static bool is_whole(const dense_grid *g, int axis, span cells) {
    return cells.low == 0 && cells.high + 1 == g->cells[axis];
}

// Lists a box of any size, at position p of tester->objects, against all objects in the cells that it covers.
static void test_against_cells(const linked_cells *l, bp_range_tester *tester, size_t p) {
    const dense_grid *g = &l->grid;
    const bp_columns *columns = tester->objects;
    const uint32_t *table = linked_cells_table(l);
    const span x = span_of_box(g, 0, columns->min[0][p], columns->max[0][p]);
    const span y = span_of_box(g, 1, columns->min[1][p], columns->max[1][p]);
    const span z = span_of_box(g, 2, columns->min[2][p], columns->max[2][p]);
    // Neighbouring rows that are covered whole are one range: y_step rows, and then z_step layers, at a time.
    const uint32_t y_step = is_whole(g, 0, x) ? y.high - y.low + 1 : 1;
    const uint32_t z_step = is_whole(g, 0, x) && is_whole(g, 1, y) ? z.high - z.low + 1 : 1;
    for (uint32_t layer = z.low; layer <= z.high; layer += z_step) {
        for (uint32_t row = y.low; row <= y.high; row += y_step) {
            const size_t first = dense_cell_key(g, x.low, row, layer);
            const size_t last = dense_cell_key(g, x.high, row + y_step - 1, layer + z_step - 1);
            bp_range_tester_add_long(tester, p, table[first], table[last + 1]);
        }
    }
}

// ---- finding --------------------------------------------------------------------------------------------------------

// Units of work for boxes in cells.
static size_t chunk_count(const linked_cells *l) {
    return (l->grid_count + BP_CHUNK - 1) / BP_CHUNK;
}

// First the chunks of boxes in cells, then the large boxes one by one.
static void test_linked_unit(const void *context, bp_range_tester *tester, size_t unit) {
    const linked_cells *l = context;
    const size_t chunks = chunk_count(l);
    const size_t end = (unit + 1) * BP_CHUNK < l->grid_count ? (unit + 1) * BP_CHUNK : l->grid_count;
    if (unit < chunks) {
        for (size_t p = unit * BP_CHUNK; p < end; ++p) {
            test_cell_box(l, tester, p);
        }
        return;
    }
    const size_t large = l->grid_count + unit - chunks;
    test_against_cells(l, tester, large);
    bp_range_tester_add_long(tester, large, (uint32_t)l->grid_count, (uint32_t)large);
}

static bp_status linked_cells_find(void *state, bp_sink *sink) {
    linked_cells *l = state;
    const bp_range_search search = {.runtime = &l->setup->runtime,
                                    .kernels = l->setup->kernels,
                                    .objects = &l->columns,
                                    .candidates = &l->columns,
                                    .names = BP_NAMES_ORDERED,
                                    .unit_count = chunk_count(l) + l->total_count - l->grid_count,
                                    .unit = test_linked_unit,
                                    .context = l};
    return bp_range_search_run(&search, &l->sinks, sink);
}

static void test_others_in_linked_cells(const void *context, bp_range_tester *tester, size_t begin, size_t end) {
    const linked_cells *l = context;
    for (size_t p = begin; p < end; ++p) {
        test_against_cells(l, tester, p);
        bp_range_tester_add_long(tester, p, (uint32_t)l->grid_count, (uint32_t)l->total_count);
    }
}

static bp_status linked_cells_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    linked_cells *l = state;
    const bp_between_search search = {.runtime = &l->setup->runtime,
                                      .kernels = l->setup->kernels,
                                      .dimensions = l->setup->dimensions,
                                      .candidates = &l->columns,
                                      .test_boxes = test_others_in_linked_cells,
                                      .context = l};
    return bp_between_search_run(&search, &l->other, boxes, count, &l->sinks, sink);
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

static void linked_cells_stats(const void *state, bp_stats *stats) {
    const linked_cells *l = state;
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = l->grid_count > 0 ? 1 : 0;
    stats->cells = l->grid.cell_count;
    stats->occupied = l->sort.occupied;
    stats->objects_per_cell_max = l->sort.fullest;
    stats->objects_per_cell = l->sort.occupied > 0 ? (double)l->grid_count / (double)l->sort.occupied : 0.0;
    stats->bytes = sizeof *l + l->columns_buffer.bytes + l->other.buffer.bytes + l->table_buffer.bytes +
                   l->blocks_buffer.bytes + bp_bucket_sort_bytes(&l->sort) + bp_block_sinks_bytes(&l->sinks);
}

// Whether the right box is at a position, and that is the right one: in its own cell, or among the large ones.
static bool is_linked_box_sound(const linked_cells *l, size_t position, size_t cell) {
    const dense_grid *g = &l->grid;
    const uint32_t id = l->columns.id[position];
    if (id >= l->count || !bp_columns_hold(&l->columns, position, &l->boxes[id], l->setup->dimensions)) {
        return false;
    }
    const bp_box box = bp_box_flatten(l->boxes[id], l->setup->dimensions);
    const size_t key = dense_key_of_box(g, &box);
    return linked_cells_fits(g, &box) ? cell == key : cell == g->cell_count;
}

// Ids ascend inside a cell, and every box is in its cell: so none is there twice.
static bool is_linked_cell_sound(const linked_cells *l, size_t begin, size_t end, size_t cell) {
    bool sound = begin <= end && end <= l->total_count;
    for (size_t p = begin; sound && p < end; ++p) {
        sound = is_linked_box_sound(l, p, cell) && (p == begin || l->columns.id[p - 1] < l->columns.id[p]);
    }
    return sound;
}

static bp_status linked_cells_validate(const void *state) {
    const linked_cells *l = state;
    const uint32_t *table = linked_cells_table(l);
    size_t alive = 0;
    for (size_t i = 0; i < l->count; ++i) {
        alive += !bp_box_is_hole(&l->boxes[i]);
    }
    bool sound = alive == l->total_count;
    for (size_t cell = 0; sound && cell < l->grid.cell_count; ++cell) {
        sound = is_linked_cell_sound(l, table[cell], table[cell + 1], cell);
    }
    sound = sound && (l->grid.cell_count == 0 || (table[0] == 0 && table[l->grid.cell_count] == l->grid_count));
    if (!sound || !is_linked_cell_sound(l, l->grid_count, l->total_count, l->grid.cell_count)) {
        bp_log_write(&l->setup->runtime.log, "linked-cells: the cells do not hold the boxes they were given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_linked_cells_ops = {
    .name = "linked-cells",
    .summary = "a dense grid over a bounded domain: O(n + cells), for objects of similar size",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(linked_cells),
    .init = linked_cells_init,
    .free = linked_cells_free,
    .build = linked_cells_build,
    .find = linked_cells_find,
    .find_between = linked_cells_find_between,
    .stats = linked_cells_stats,
    .validate = linked_cells_validate,
};
