#include "engine/grid/cell_maps.h"

#include "base/boxes.h"

#include <stdatomic.h>

enum {
    BLOCK_LEAST = 16, // chunks
    BLOCKS_MOST = 256,
    CELLS_MOST = 1 << 28,
    AXIS_MOST = 1 << 20, // cells along an axis
};

// Beyond these, cells are no smaller, and a map has a border of one cell for what lies outside.
static const double INVERSE_LEAST = 0x1p-120, INVERSE_MOST = 0x1p120;

// ---- the map --------------------------------------------------------------------------------------------------------

// Cells along the axes of a region, with a border on each side; rows are whole words.
static double count_cells(const double extent[3], double cell, double count[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        count[axis] = extent[axis] < 0.0 ? 1.0 : floor(extent[axis] / cell) + 3.0;
    }
    return ceil(count[0] / BP_MAP_WORD) * BP_MAP_WORD * count[1] * count[2];
}

static bool is_too_many(const double extent[3], double cell, double most, double count[3]) {
    return count_cells(extent, cell, count) > most || count[0] > AXIS_MOST || count[1] > AXIS_MOST ||
           count[2] > AXIS_MOST;
}

void bp_cell_map_plan(bp_cell_map *map, uint32_t dimensions, const bp_box *region, double cell, double most) {
    double extent[3] = {-1.0, -1.0, -1.0}, count[3];
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        extent[axis] = fmax((double)region->max[axis] - (double)region->min[axis], 0.0);
    }
    const double limit = fmin(fmax(most, 27.0 * BP_MAP_WORD), (double)CELLS_MOST);
    double size = fmin(fmax(cell, 1.0 / INVERSE_MOST), 1.0 / INVERSE_LEAST);
    while (is_too_many(extent, size, limit, count)) {
        size *= 1.25;
    }
    *map = (bp_cell_map){.dimensions = dimensions, .large = INFINITY};
    for (uint32_t axis = 0; axis < dimensions; ++axis) { // a third axis has one cell, where all coordinates are
        map->origin[axis] = (float)fmax((double)region->min[axis] - size, -(double)FLT_MAX);
        map->inverse[axis] = (float)(1.0 / size);
        map->last[axis] = (float)(count[axis] - 1.0);
    }
    map->row = (uint32_t)ceil(count[0] / BP_MAP_WORD) * BP_MAP_WORD;
    map->plane = map->row * (uint32_t)count[1];
    map->words = (size_t)map->plane / BP_MAP_WORD * (size_t)count[2];
}

bool bp_cell_maps_begin(bp_cell_maps *maps, const bp_cell_map *map) {
    const bp_allocator *allocator = &maps->setup->runtime.allocator;
    if (!bp_buffer_reserve(&maps->bytes, allocator, 0, map->words, BP_MAP_WORD) ||
        !bp_buffer_reserve(&maps->bits, allocator, 0, map->words + 1, sizeof(uint64_t)) ||
        !bp_buffer_reserve(&maps->spare, allocator, 0, map->words + 1, sizeof(uint64_t))) {
        return false;
    }
    maps->map = *map;
    maps->words = maps->bits.data;
    memset(maps->bytes.data, 0, map->words * BP_MAP_WORD);
    return true;
}

void bp_cell_maps_free(bp_cell_maps *maps) {
    const bp_allocator *allocator = &maps->setup->runtime.allocator;
    bp_buffer_free(&maps->bytes, allocator);
    bp_buffer_free(&maps->bits, allocator);
    bp_buffer_free(&maps->spare, allocator);
    bp_buffer_free(&maps->tasks, allocator);
}

size_t bp_cell_maps_bytes(const bp_cell_maps *maps) {
    return maps->bytes.bytes + maps->bits.bytes + maps->spare.bytes + maps->tasks.bytes;
}

// ---- packing and growing --------------------------------------------------------------------------------------------

// Eight bytes, each 0 or 1, as eight bits.
static uint64_t pack_eight(const uint8_t *bytes) {
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
        word |= (uint64_t)bytes[i] << 8 * i;
    }
    return word * 0x0102040810204080u >> 56;
}

static bool is_any_set(const uint8_t *bytes) {
    uint64_t words[BP_MAP_WORD / 8], any = 0;
    memcpy(words, bytes, sizeof words);
    for (size_t i = 0; i < BP_MAP_WORD / 8; ++i) {
        any |= words[i];
    }
    return any != 0;
}

size_t bp_cell_maps_pack(bp_cell_maps *maps) {
    const uint8_t *bytes = maps->bytes.data;
    size_t marked = 0;
    for (size_t w = 0; w < maps->map.words; ++w) {
        uint64_t word = 0;
        for (size_t i = 0; i < 8 && is_any_set(bytes + BP_MAP_WORD * w); ++i) {
            word |= pack_eight(bytes + BP_MAP_WORD * w + 8 * i) << 8 * i;
        }
        maps->words[w] = word;
        marked += word != 0 ? bp_count_bits(word) : 0;
    }
    maps->words[maps->map.words] = 0;
    return marked;
}

static void grow_rows(const uint64_t *from, uint64_t *to, size_t row, size_t count) {
    for (size_t begin = 0; begin < count; begin += row) {
        for (size_t w = begin; w < begin + row; ++w) {
            const uint64_t before = w > begin ? from[w - 1] >> 63 : 0,
                           after = w + 1 < begin + row ? from[w + 1] << 63 : 0;
            to[w] = from[w] | from[w] << 1 | from[w] >> 1 | before | after;
        }
    }
}

// Each word or'ed with those one distance before and behind it, in blocks that know nothing of each other.
static void grow_words(const uint64_t *from, uint64_t *to, size_t distance, size_t block, size_t count) {
    for (size_t begin = 0; begin < count; begin += block) {
        for (size_t w = begin; w < begin + block; ++w) {
            to[w] = from[w];
        }
        for (size_t w = begin; w + distance < begin + block; ++w) {
            to[w] |= from[w + distance];
            to[w + distance] |= from[w];
        }
    }
}

void bp_cell_maps_grow(bp_cell_maps *maps) {
    const bp_cell_map *map = &maps->map;
    const size_t row = map->row / BP_MAP_WORD, plane = map->plane / BP_MAP_WORD;
    uint64_t *spare = maps->spare.data;
    grow_rows(maps->words, spare, row, map->words);
    grow_words(spare, maps->words, row, plane, map->words);
    grow_words(maps->words, spare, plane, map->words, map->words);
    bp_buffer_swap(&maps->bits, &maps->spare);
    maps->words = maps->bits.data;
}

// ---- passes over boxes, in blocks of chunks -------------------------------------------------------------------------

// Each block has its own result, and its own part of the lists: where its boxes begin.
typedef struct block_result {
    bp_box hull;
    double cells;
    size_t kept, large;
} block_result;

typedef struct pass_run {
    bp_cell_maps *maps;
    bp_map_pass *pass;
    bp_blocks blocks; // of chunks
    block_result *results;
    void (*chunk)(const struct pass_run *run, const bp_map_cells *cells, uint32_t all, block_result *result,
                  size_t begin);
} pass_run;

static bp_box empty_hull(void) {
    return (bp_box){.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
}

static void task_pass(void *context, size_t block) {
    const pass_run *r = context;
    const bp_map_pass *pass = r->pass;
    const size_t last = bp_block_begin(r->blocks, block + 1);
    const size_t first = bp_block_begin(r->blocks, block) * BP_CHUNK;
    block_result result = {.hull = empty_hull()};
    bp_map_cells cells;
    for (size_t chunk = bp_block_begin(r->blocks, block); chunk < last; ++chunk) {
        const size_t begin = chunk * BP_CHUNK, left = pass->list.count - begin;
        cells.count = left < BP_CHUNK ? left : BP_CHUNK;
        const uint32_t all =
            r->maps->setup->kernels->map_cells(&r->maps->map, &pass->list, begin, pass->limits, &cells, &result.hull);
        r->chunk(r, &cells, all, &result, first);
    }
    r->results[block] = result;
}

// Moves the parts of a list together.
static void join_list(bp_id_list *list, const pass_run *r, size_t offset) {
    uint32_t *ids = list->buffer.data;
    list->count = 0;
    for (size_t block = 0; block < r->blocks.count; ++block) {
        size_t count;
        memcpy(&count, (const char *)&r->results[block] + offset, sizeof count);
        if (block > 0) {
            memmove(ids + list->count, ids + bp_block_begin(r->blocks, block) * BP_CHUNK, count * sizeof *ids);
        }
        list->count += count;
    }
}

static void join_results(pass_run *r) {
    bp_map_pass *pass = r->pass;
    pass->hull = empty_hull();
    pass->cells = 0.0;
    for (size_t block = 0; block < r->blocks.count; ++block) {
        const block_result *result = &r->results[block];
        for (int axis = 0; axis < 3; ++axis) {
            pass->hull.min[axis] = bp_smaller(pass->hull.min[axis], result->hull.min[axis]);
            pass->hull.max[axis] = bp_larger(pass->hull.max[axis], result->hull.max[axis]);
        }
        pass->cells += result->cells;
    }
    if (pass->kept != NULL) {
        join_list(pass->kept, r, offsetof(block_result, kept));
    }
    if (pass->large != NULL) {
        join_list(pass->large, r, offsetof(block_result, large));
    }
}

static bool reserve_list(bp_id_list *list, const bp_allocator *allocator, size_t count) {
    return list == NULL || bp_buffer_reserve(&list->buffer, allocator, 0, count + 1, sizeof(uint32_t));
}

static bool run_pass(pass_run *r) {
    const bp_runtime *runtime = &r->maps->setup->runtime;
    const size_t count = r->pass->list.count;
    r->blocks = bp_blocks_cut(&runtime->executor, (count + BP_CHUNK - 1) / BP_CHUNK, BLOCK_LEAST, BLOCKS_MOST);
    if (!bp_buffer_reserve(&r->maps->tasks, &runtime->allocator, 0, r->blocks.count, sizeof *r->results) ||
        !reserve_list(r->pass->kept, &runtime->allocator, count) ||
        !reserve_list(r->pass->large, &runtime->allocator, count)) {
        return false;
    }
    r->results = r->maps->tasks.data;
    bp_parallel_for(&runtime->executor, r->blocks.count, task_pass, r);
    join_results(r);
    return true;
}

// ---- marking --------------------------------------------------------------------------------------------------------

static void mark_cell(void *bytes, size_t cell) {
    atomic_store_explicit((_Atomic uint8_t *)bytes + cell, 1, memory_order_relaxed);
}

static void mark_box(const bp_cell_map *map, void *bytes, size_t first, uint32_t reach) {
    for (size_t z = 0; z <= (reach >> 16 & 255u); ++z) {
        for (size_t y = 0; y <= (reach >> 8 & 255u); ++y) {
            for (size_t x = 0; x <= (reach & 255u); ++x) {
                mark_cell(bytes, first + x + y * map->row + z * map->plane);
            }
        }
    }
}

static double cells_of_reach(uint32_t reach) {
    return (double)(((reach & 255u) + 1) * ((reach >> 8 & 255u) + 1)) * (double)((reach >> 16 & 255u) + 1);
}

// Whether a box counts; large ones go to the list.
static bool takes_part(const pass_run *r, const bp_map_cells *cells, size_t i, block_result *result, size_t begin) {
    if (cells->reach[i] < BP_REACH_LARGE || r->pass->large == NULL) {
        return cells->reach[i] != BP_REACH_OUTSIDE;
    }
    if (cells->reach[i] != BP_REACH_OUTSIDE) {
        ((uint32_t *)r->pass->large->buffer.data)[begin + result->large++] = cells->id[i];
    }
    return false;
}

static void mark_first_cells(const pass_run *r, const bp_map_cells *cells, uint32_t all, block_result *result,
                             size_t begin) {
    void *bytes = r->maps->bytes.data;
    if ((all & ~BP_REACH_USUAL) == 0) {
        for (size_t i = 0; i < cells->count; ++i) {
            mark_cell(bytes, cells->first[i]);
        }
        return;
    }
    for (size_t i = 0; i < cells->count; ++i) {
        if (takes_part(r, cells, i, result, begin)) {
            const bool usual = (cells->reach[i] & ~BP_REACH_USUAL) == 0;
            mark_box(&r->maps->map, bytes, cells->first[i], usual ? 0 : cells->reach[i]);
        }
    }
}

// All cells of a box that has two along each axis at most, without a branch.
static void mark_usual_box(const bp_cell_map *map, void *bytes, size_t first, uint32_t reach) {
    const size_t x = reach & 1, y = (0 - (size_t)(reach >> 8 & 1)) & map->row;
    const size_t z = (0 - (size_t)(reach >> 16 & 1)) & map->plane;
    mark_cell(bytes, first);
    mark_cell(bytes, first + x);
    mark_cell(bytes, first + y);
    mark_cell(bytes, first + y + x);
    mark_cell(bytes, first + z);
    mark_cell(bytes, first + z + x);
    mark_cell(bytes, first + z + y);
    mark_cell(bytes, first + z + y + x);
}

static void mark_all_cells(const pass_run *r, const bp_map_cells *cells, uint32_t all, block_result *result,
                           size_t begin) {
    void *bytes = r->maps->bytes.data;
    (void)all;
    for (size_t i = 0; i < cells->count; ++i) {
        if ((cells->reach[i] & ~BP_REACH_USUAL) == 0) {
            mark_usual_box(&r->maps->map, bytes, cells->first[i], cells->reach[i]);
            result->cells += 3.375; // on average
        } else if (takes_part(r, cells, i, result, begin)) {
            mark_box(&r->maps->map, bytes, cells->first[i], cells->reach[i]);
            result->cells += cells_of_reach(cells->reach[i]);
        }
    }
}

bool bp_cell_maps_mark_first(bp_cell_maps *maps, bp_map_pass *pass) {
    return run_pass(&(pass_run){.maps = maps, .pass = pass, .chunk = mark_first_cells});
}

bool bp_cell_maps_mark_all(bp_cell_maps *maps, bp_map_pass *pass) {
    return run_pass(&(pass_run){.maps = maps, .pass = pass, .chunk = mark_all_cells});
}

// ---- selecting ------------------------------------------------------------------------------------------------------

static uint32_t bit_of(const uint64_t *words, size_t cell) {
    return (uint32_t)(words[cell / BP_MAP_WORD] >> cell % BP_MAP_WORD) & 1u;
}

static bool touches_box(const bp_cell_map *map, const uint64_t *words, size_t first, uint32_t reach) {
    uint32_t any = 0;
    for (size_t z = 0; z <= (reach >> 16 & 255u); ++z) {
        for (size_t y = 0; y <= (reach >> 8 & 255u); ++y) {
            for (size_t x = 0; x <= (reach & 255u); ++x) {
                any |= bit_of(words, first + x + y * map->row + z * map->plane);
            }
        }
    }
    return any != 0;
}

static void select_boxes(const pass_run *r, const bp_map_cells *cells, uint32_t all, block_result *result,
                         size_t begin) {
    const uint64_t *words = r->maps->words;
    uint32_t *kept = (uint32_t *)r->pass->kept->buffer.data + begin;
    size_t end = result->kept;
    if ((all & ~(BP_REACH_USUAL | BP_REACH_OUTSIDE)) == 0) {
        for (size_t i = 0; i < cells->count; ++i) {
            kept[end] = cells->id[i];
            end += bit_of(words, cells->first[i]) & (uint32_t)(cells->reach[i] < BP_REACH_OUTSIDE);
        }
    } else {
        for (size_t i = 0; i < cells->count; ++i) {
            const bool usual = (cells->reach[i] & ~BP_REACH_USUAL) == 0;
            kept[end] = cells->id[i];
            end += takes_part(r, cells, i, result, begin) &&
                   touches_box(&r->maps->map, words, cells->first[i], usual ? 0 : cells->reach[i]);
        }
    }
    result->kept = end;
}

bool bp_cell_maps_select(bp_cell_maps *maps, bp_map_pass *pass) {
    return run_pass(&(pass_run){.maps = maps, .pass = pass, .chunk = select_boxes});
}
