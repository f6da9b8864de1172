#include "engine/grid/shared_cells.h"

#include "base/boxes.h"

enum {
    BLOCK_LEAST = 16,  // chunks
    UNIT = 2048,       // entries of a unit of the join, about
    CROWD = 1024,      // tests of a cell, from which on it is thinned out first
    PIECE = 1024,      // boxes of such a cell that are joined at once
    ENTRIES_A_BOX = 6, // that there is room for at once
};

static const double THINNED = 0.5;

// ---- entries --------------------------------------------------------------------------------------------------------

// The entries of a block of boxes: keys, and behind the room for them, items.
typedef struct entry_block {
    bp_buffer buffer;
    uint32_t *keys, *items;
    size_t count, room;
    bool failed;
} entry_block;

static entry_block *blocks_of(const bp_shared_cells *shared) {
    return shared->blocks.data;
}

typedef struct listing {
    bp_shared_cells *shared;
    bp_cell_entries *entries;
    const bp_box_list *list;
    const uint64_t *wanted;
    bp_blocks blocks; // of chunks
} listing;

// The most entries that a chunk can have.
static size_t entries_most(const bp_map_cells *cells, uint32_t all) {
    size_t most = 0;
    if ((all & ~(BP_REACH_USUAL | BP_REACH_OUTSIDE)) == 0) {
        return 8 * cells->count;
    }
    for (size_t i = 0; i < cells->count; ++i) {
        const uint32_t reach = cells->reach[i];
        most += ((size_t)(reach & 255u) + 1) * ((reach >> 8 & 255u) + 1) * ((reach >> 16 & 255u) + 1);
    }
    return most;
}

// Room for so many entries. Those that there are, are kept.
static bool reserve_entries(entry_block *block, const bp_allocator *allocator, size_t room) {
    bp_buffer larger = {0};
    if (room <= block->room) {
        return true;
    }
    if (!bp_buffer_reserve(&larger, allocator, 0, bp_size_multiply(room, 2), sizeof(uint32_t))) {
        return false;
    }
    uint32_t *keys = larger.data, *items = keys + room;
    for (size_t i = 0; i < block->count; ++i) {
        keys[i] = block->keys[i];
        items[i] = block->items[i];
    }
    bp_buffer_free(&block->buffer, allocator);
    *block = (entry_block){.buffer = larger, .keys = keys, .items = items, .count = block->count, .room = room};
    return true;
}

static bool list_chunk(const listing *l, entry_block *block, size_t begin) {
    const bp_method_setup *setup = l->shared->setup;
    const size_t left = l->list->count - begin;
    bp_map_cells cells;
    bp_box hull = {.min = {0.0f}}; // not used
    cells.count = left < BP_CHUNK ? left : BP_CHUNK;
    const uint32_t all = setup->kernels->map_cells(&l->shared->maps.map, l->list, begin, NULL, &cells, &hull);
    const size_t wanted = block->count + entries_most(&cells, all) + BP_CELL_ENTRY_PADDING;
    if (wanted > block->room && !reserve_entries(block, &setup->runtime.allocator, 2 * wanted)) {
        return false;
    }
    const bp_entry_job job = {.map = &l->shared->maps.map,
                              .wanted = l->wanted,
                              .ranked = l->shared->maps.words,
                              .ranks = l->shared->ranks.data,
                              .cells = &cells,
                              .keys = block->keys + block->count,
                              .items = block->items + block->count};
    block->count += setup->kernels->list_entries(&job);
    return true;
}

static void task_list_block(void *context, size_t index) {
    const listing *l = context;
    entry_block *block = &blocks_of(l->shared)[index];
    uint32_t *counters = bp_partition_clear(&l->entries->partition, index);
    const size_t begin = bp_block_begin(l->blocks, index), end = bp_block_begin(l->blocks, index + 1);
    block->count = 0;
    block->failed = !reserve_entries(block, &l->shared->setup->runtime.allocator,
                                     (ENTRIES_A_BOX * (end - begin) + 8) * BP_CHUNK + BP_CELL_ENTRY_PADDING);
    for (size_t chunk = begin; chunk < end && !block->failed; ++chunk) {
        block->failed = !list_chunk(l, block, chunk * BP_CHUNK);
    }
    for (size_t i = 0; i < block->count; ++i) {
        ++counters[block->keys[i]];
    }
}

static void task_place_block(void *context, size_t index) {
    const listing *l = context;
    const entry_block *block = &blocks_of(l->shared)[index];
    const uint32_t *keys = block->keys, *items = block->items;
    uint32_t *places = bp_partition_counters(&l->entries->partition, index), *order = l->entries->items.data;
    for (size_t i = 0; i < block->count; ++i) {
        order[places[keys[i]]++] = items[i];
    }
}

static bool reserve_blocks(bp_shared_cells *shared, const bp_allocator *allocator, size_t count) {
    if (!bp_buffer_reserve(&shared->blocks, allocator, shared->block_count * sizeof(entry_block), count,
                           sizeof(entry_block))) {
        return false;
    }
    for (; shared->block_count < count; ++shared->block_count) {
        blocks_of(shared)[shared->block_count] = (entry_block){.count = 0};
    }
    return true;
}

// How many entries the blocks have; SIZE_MAX if one of them has failed, or there are too many.
static size_t count_entries(const listing *l) {
    size_t count = 0;
    for (size_t i = 0; i < l->blocks.count; ++i) {
        const entry_block *block = &blocks_of(l->shared)[i];
        count = block->failed ? SIZE_MAX : bp_size_add(count, block->count);
    }
    return count < UINT32_MAX ? count : SIZE_MAX;
}

// Lists and sorts the entries of a set in the wanted cells. Both sets use the same blocks: a single search spends a fifth
// of its time on memory that is new to it. A C library keeps what a search has freed, once it has seen one allocation of
// half of all that: so there is one large one, with room that is rarely touched.
static bool list_entries(bp_shared_cells *shared, size_t side, const bp_box_list *list, const uint64_t *wanted) {
    const bp_runtime *runtime = &shared->setup->runtime;
    listing l = {.shared = shared, .entries = &shared->entries[side], .list = list, .wanted = wanted};
    const size_t workers = runtime->executor.workers, most = workers > 1 ? workers : 1; // each block counts all cells
    l.blocks = bp_blocks_cut(&runtime->executor, (list->count + BP_CHUNK - 1) / BP_CHUNK, BLOCK_LEAST, most);
    if (!reserve_blocks(shared, &runtime->allocator, l.blocks.count) ||
        !bp_partition_reserve(&l.entries->partition, &runtime->allocator, l.blocks.count, shared->cell_count)) {
        return false;
    }
    bp_parallel_for(&runtime->executor, l.blocks.count, task_list_block, &l);
    if (!bp_buffer_reserve(&l.entries->items, &runtime->allocator, 0, count_entries(&l), sizeof(uint32_t))) {
        return false;
    }
    bp_partition_place(&l.entries->partition, &runtime->executor);
    bp_parallel_for(&runtime->executor, l.blocks.count, task_place_block, &l);
    return true;
}

// ---- cells ----------------------------------------------------------------------------------------------------------

// Ranks the marked cells.
static bool rank_cells(bp_shared_cells *shared) {
    const size_t words = shared->maps.map.words;
    const bp_allocator *allocator = &shared->setup->runtime.allocator;
    if (!bp_buffer_reserve(&shared->ranks, allocator, 0, words, sizeof(uint32_t)) ||
        !bp_buffer_reserve(&shared->wanted, allocator, 0, words + 1, sizeof(uint64_t))) {
        return false;
    }
    uint32_t *ranks = shared->ranks.data, rank = 0;
    for (size_t w = 0; w < words; ++w) {
        ranks[w] = rank;
        rank += shared->maps.words[w] != 0 ? bp_count_bits(shared->maps.words[w]) : 0;
    }
    shared->cell_count = rank;
    return true;
}

// The marked cells that have entries.
static void want_cells_with_entries(bp_shared_cells *shared, const bp_cell_entries *entries) {
    const size_t words = shared->maps.map.words;
    const uint32_t *starts = entries->partition.starts;
    uint64_t *wanted = shared->wanted.data;
    size_t cell = 0;
    shared->shared = 0;
    for (size_t w = 0; w < words; ++w) {
        uint64_t left = shared->maps.words[w];
        wanted[w] = 0;
        for (; left != 0; left &= left - 1, ++cell) {
            const bool has_any = starts[cell + 1] > starts[cell];
            wanted[w] |= has_any ? left & (0 - left) : 0;
            shared->shared += has_any;
        }
    }
    wanted[words] = 0;
}

// ---- the join -------------------------------------------------------------------------------------------------------

typedef struct join {
    const bp_shared_cells *shared;
    bp_join_side a, b;
    size_t unit_entries, entry_count;
} join;

// ---- cells of many boxes --------------------------------------------------------------------------------------------

static bp_box bounds_of_items(const bp_box *boxes, const uint32_t *items, size_t count) {
    bp_box bounds = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < count; ++i) {
        const bp_box *box = &boxes[items[i] & BP_CELL_ENTRY_ID];
        for (int axis = 0; axis < 3; ++axis) {
            bounds.min[axis] = bp_smaller(box->min[axis], bounds.min[axis]);
            bounds.max[axis] = bp_larger(box->max[axis], bounds.max[axis]);
        }
    }
    return bounds;
}

// Those of the items that overlap the bounds.
static size_t keep_items(const bp_box *boxes, const uint32_t *items, size_t count, const bp_box *bounds,
                         uint32_t dimensions, uint32_t *kept) {
    size_t end = 0;
    for (size_t i = 0; i < count; ++i) {
        kept[end] = items[i];
        end += bp_boxes_overlap_branchless(&boxes[items[i] & BP_CELL_ENTRY_ID], bounds, dimensions);
    }
    return end;
}

// The tests of crowded cells of a unit, before and after they were thinned out.
typedef struct thinning {
    double before, after;
} thinning;

// Up to PIECE entries of each set. Often they lie on two surfaces that pass each other: those of one set that are
// outside the bounds of the other's are left out, and then the other way round.
static void join_piece(bp_range_tester *t, const join *j, const uint32_t *a, size_t a_count, const uint32_t *b,
                       size_t b_count, thinning *thin) {
    const uint32_t dimensions = j->shared->setup->dimensions;
    uint32_t kept_a[PIECE], kept_b[PIECE];
    const bp_box around_b = bounds_of_items(j->b.boxes, b, b_count);
    const size_t a_left = keep_items(j->a.boxes, a, a_count, &around_b, dimensions, kept_a);
    const bp_box around_a = bounds_of_items(j->a.boxes, kept_a, a_left);
    const size_t b_left = keep_items(j->b.boxes, b, b_count, &around_a, dimensions, kept_b);
    const uint32_t a_starts[2] = {0, (uint32_t)a_left}, b_starts[2] = {0, (uint32_t)b_left};
    thin->before += (double)a_count * (double)b_count;
    thin->after += (double)a_left * (double)b_left;
    bp_join_job job = {.a = {j->a.boxes, kept_a, a_starts},
                       .b = {j->b.boxes, kept_b, b_starts},
                       .dimensions = dimensions,
                       .end = 1,
                       .tests = a_count + b_count};
    bp_range_tester_join(t, &job);
}

// In pieces, so that neither memory nor the budget is surprised.
static void join_pieces(bp_range_tester *t, const join *j, size_t cell, thinning *thin) {
    const uint32_t a_end = j->a.starts[cell + 1], b_end = j->b.starts[cell + 1];
    for (uint32_t a = j->a.starts[cell]; a < a_end; a += PIECE) {
        for (uint32_t b = j->b.starts[cell]; b < b_end && !t->failed; b += PIECE) {
            join_piece(t, j, j->a.items + a, a_end - a < PIECE ? a_end - a : PIECE, j->b.items + b,
                       b_end - b < PIECE ? b_end - b : PIECE, thin);
        }
    }
}

// Where thinning has left most of the tests, only cells that have to be cut are.
static bool is_crowded(const join *j, size_t cell, const thinning *thin) {
    const size_t a = j->a.starts[cell + 1] - j->a.starts[cell], b = j->b.starts[cell + 1] - j->b.starts[cell];
    return a > PIECE || b > PIECE || (a * b >= CROWD && thin->after <= THINNED * thin->before);
}

static void join_range(bp_range_tester *t, const join *j, size_t first, size_t end) {
    thinning thin = {0.0, 0.0};
    while (first < end && !t->failed) {
        bp_join_job job = {.a = j->a, .b = j->b, .dimensions = j->shared->setup->dimensions, .first = first};
        while (first < end && !is_crowded(j, first, &thin)) {
            ++first;
        }
        job.end = first;
        bp_range_tester_join(t, &job);
        if (first < end && !t->failed) {
            join_pieces(t, j, first++, &thin);
        }
    }
}

// The first cell whose entries begin at this one or later: so each cell belongs to one unit.
static size_t cell_of_entry(const join *j, size_t entry) {
    size_t low = 0, high = j->shared->cell_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (j->a.starts[middle] < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void join_unit(const void *context, bp_range_tester *t, size_t unit) {
    const join *j = context;
    const bool is_last = (unit + 1) * UNIT >= j->entry_count;
    join_range(t, j, unit == 0 ? 0 : cell_of_entry(j, unit * UNIT),
               is_last ? j->shared->cell_count : cell_of_entry(j, (unit + 1) * UNIT));
}

static bp_join_side side_of(const bp_cell_entries *entries, const bp_box_list *list) {
    return (bp_join_side){.boxes = list->boxes, .items = entries->items.data, .starts = entries->partition.starts};
}

static bp_status join_sets(bp_shared_cells *shared, const bp_box_list *a, const bp_box_list *b, bp_sink *sink) {
    join j = {.shared = shared, .a = side_of(&shared->entries[0], a), .b = side_of(&shared->entries[1], b)};
    j.entry_count = j.a.starts[shared->cell_count];
    const bp_range_search search = {.runtime = &shared->setup->runtime,
                                    .kernels = shared->setup->kernels,
                                    .names = BP_NAMES_BY_ROLE,
                                    .unit_count = j.entry_count / UNIT + 1,
                                    .unit = join_unit,
                                    .context = &j};
    return bp_range_search_run(&search, &shared->sinks, sink);
}

bp_status bp_shared_cells_find(bp_shared_cells *shared, const bp_cell_map *map, const bp_box_list *a,
                               const bp_box_list *b, bp_sink *sink) {
    const bp_box_list *lists[2] = {a, b};
    const size_t marked = a->count <= b->count ? 0 : 1;
    bp_map_pass pass = {.list = *lists[marked]};
    if (!bp_cell_maps_begin(&shared->maps, map) || !bp_cell_maps_mark_all(&shared->maps, &pass)) {
        return BP_ERROR_MEMORY;
    }
    (void)bp_cell_maps_pack(&shared->maps);
    if (!rank_cells(shared) || !list_entries(shared, 1 - marked, lists[1 - marked], shared->maps.words)) {
        return BP_ERROR_MEMORY;
    }
    want_cells_with_entries(shared, &shared->entries[1 - marked]);
    if (!list_entries(shared, marked, lists[marked], shared->wanted.data)) {
        return BP_ERROR_MEMORY;
    }
    return join_sets(shared, a, b, sink);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void bp_shared_cells_init(bp_shared_cells *shared, const bp_method_setup *setup) {
    *shared = (bp_shared_cells){.setup = setup, .maps = {.setup = setup}};
}

void bp_shared_cells_free(bp_shared_cells *shared) {
    const bp_allocator *allocator = &shared->setup->runtime.allocator;
    bp_cell_maps_free(&shared->maps);
    bp_buffer_free(&shared->ranks, allocator);
    bp_buffer_free(&shared->wanted, allocator);
    for (size_t i = 0; i < shared->block_count; ++i) {
        bp_buffer_free(&blocks_of(shared)[i].buffer, allocator);
    }
    bp_buffer_free(&shared->blocks, allocator);
    for (int side = 0; side < 2; ++side) {
        bp_buffer_free(&shared->entries[side].items, allocator);
        bp_partition_free(&shared->entries[side].partition, allocator);
    }
    bp_block_sinks_free(&shared->sinks, allocator);
}

size_t bp_shared_cells_bytes(const bp_shared_cells *shared) {
    size_t bytes = bp_cell_maps_bytes(&shared->maps) + shared->ranks.bytes + shared->wanted.bytes +
                   shared->blocks.bytes + bp_block_sinks_bytes(&shared->sinks);
    for (size_t i = 0; i < shared->block_count; ++i) {
        bytes += blocks_of(shared)[i].buffer.bytes;
    }
    for (int side = 0; side < 2; ++side) {
        bytes += shared->entries[side].items.bytes + shared->entries[side].partition.buffer.bytes;
    }
    return bytes;
}
