#include "engine/grid/cut_sets.h"

#include "base/boxes.h"

#include <string.h>

enum {
    BLOCK_LEAST = 16, // chunks
    BLOCKS_MOST = 256,
};

typedef struct cutting {
    bp_cut_sets *cut;
    const bp_box *boxes;
    size_t count;
    bp_blocks blocks; // of chunks
    const bp_box *limits;
    uint32_t *ids;
} cutting;

static size_t block_end(const cutting *c, size_t block) {
    const size_t end = bp_block_begin(c->blocks, block + 1) * BP_CHUNK;
    return end < c->count ? end : c->count;
}

// Each block has a result of this size.
static bool run_blocks(cutting *c, void (*task)(void *context, size_t block), size_t result_size) {
    const bp_runtime *runtime = &c->cut->setup->runtime;
    c->blocks = bp_blocks_cut(&runtime->executor, (c->count + BP_CHUNK - 1) / BP_CHUNK, BLOCK_LEAST, BLOCKS_MOST);
    if (!bp_buffer_reserve(&c->cut->tasks, &runtime->allocator, 0, c->blocks.count, result_size)) {
        return false;
    }
    bp_parallel_for(&runtime->executor, c->blocks.count, task, c);
    return true;
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

static bp_box no_bounds(void) {
    return (bp_box){.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
}

static void extend_bounds(bp_box *bounds, const float *min, const float *max) {
    for (int axis = 0; axis < 3; ++axis) {
        bounds->min[axis] = bp_smaller(min[axis], bounds->min[axis]);
        bounds->max[axis] = bp_larger(max[axis], bounds->max[axis]);
    }
}

static void task_bounds(void *context, size_t block) {
    const cutting *c = context;
    const size_t begin = bp_block_begin(c->blocks, block) * BP_CHUNK;
    bp_survey_lanes lanes = {.number = {0}};
    bp_box bounds = no_bounds();
    for (size_t k = 0; k < BP_SURVEY_LANES; ++k) {
        lanes.low[k] = INFINITY;
        lanes.high[k] = -INFINITY;
    }
    c->cut->setup->kernels->survey(c->boxes + begin, block_end(c, block) - begin, &lanes);
    for (size_t k = 0; k < BP_SURVEY_LANES; k += 6) { // lanes are those of min and max, in turns
        extend_bounds(&bounds, lanes.low + k, lanes.high + k + 3);
    }
    ((bp_box *)c->cut->tasks.data)[block] = bounds;
}

bool bp_cut_sets_bounds(bp_cut_sets *cut, const bp_box *boxes, size_t count, bp_box *bounds) {
    cutting c = {.cut = cut, .boxes = boxes, .count = count};
    if (!run_blocks(&c, task_bounds, sizeof(bp_box))) {
        return false;
    }
    const bp_box *results = cut->tasks.data;
    *bounds = no_bounds();
    for (size_t block = 0; block < c.blocks.count; ++block) {
        extend_bounds(bounds, results[block].min, results[block].max);
    }
    return true;
}

// ---- lists ----------------------------------------------------------------------------------------------------------

// Each block writes to where its boxes would be, if all were listed.
static void task_list(void *context, size_t block) {
    const cutting *c = context;
    const bp_method_setup *setup = c->cut->setup;
    const size_t begin = bp_block_begin(c->blocks, block) * BP_CHUNK;
    ((size_t *)c->cut->tasks.data)[block] =
        setup->kernels->cut_boxes(c->boxes, begin, block_end(c, block), c->limits, setup->dimensions, c->ids + begin);
}

bool bp_cut_sets_list(bp_cut_sets *cut, int side, const bp_box *boxes, size_t count, const bp_box *limits) {
    bp_id_list *list = &cut->lists[side];
    if (!bp_buffer_reserve(&list->buffer, &cut->setup->runtime.allocator, 0, count + 8, sizeof(uint32_t))) {
        return false;
    }
    cutting c = {.cut = cut, .boxes = boxes, .count = count, .limits = limits, .ids = list->buffer.data};
    if (!run_blocks(&c, task_list, sizeof(size_t))) {
        return false;
    }
    const size_t *results = cut->tasks.data;
    list->count = 0;
    for (size_t block = 0; block < c.blocks.count; ++block) {
        memmove(c.ids + list->count, c.ids + bp_block_begin(c.blocks, block) * BP_CHUNK,
                results[block] * sizeof *c.ids);
        list->count += results[block];
    }
    return true;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void bp_cut_sets_free(bp_cut_sets *cut) {
    const bp_allocator *allocator = &cut->setup->runtime.allocator;
    bp_buffer_free(&cut->tasks, allocator);
    bp_buffer_free(&cut->lists[0].buffer, allocator);
    bp_buffer_free(&cut->lists[1].buffer, allocator);
}

size_t bp_cut_sets_bytes(const bp_cut_sets *cut) {
    return cut->tasks.bytes + cut->lists[0].buffer.bytes + cut->lists[1].buffer.bytes;
}
