#include "engine/grid/cut_sets.h"

#include "base/boxes.h"
#include "base/sample.h"

#include <string.h>

enum {
    BLOCK_MIN = 16, // chunks
    BLOCKS_MAX = 256,
    SAMPLE = 48, // boxes that say whether a cut pays
};

// A set is cut to the bounds of the other one if no more of it than this is there.
static const double CUT = 0.6;

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
    c->blocks = bp_blocks_cut(&runtime->executor, (c->count + BP_CHUNK - 1) / BP_CHUNK, BLOCK_MIN, BLOCKS_MAX);
    if (!bp_buffer_reserve(&c->cut->tasks, &runtime->allocator, 0, c->blocks.count, result_size)) {
        return false;
    }
    bp_parallel_for(&runtime->executor, c->blocks.count, task, c);
    return true;
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

static const bp_box NO_BOUNDS = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};

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
    bp_box bounds = NO_BOUNDS;
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

// The bounds of all boxes of a set; holes are left out. False: memory is short.
static bool find_bounds(bp_cut_sets *cut, const bp_box *boxes, size_t count, bp_box *bounds) {
    cutting c = {.cut = cut, .boxes = boxes, .count = count};
    const bool granted = run_blocks(&c, task_bounds, sizeof(bp_box));
    *bounds = NO_BOUNDS;
    for (size_t block = 0; granted && block < c.blocks.count; ++block) {
        const bp_box *result = (const bp_box *)cut->tasks.data + block;
        extend_bounds(bounds, result->min, result->max);
    }
    return granted;
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

// Lists and copies the boxes of a set that overlap the limits. False: memory is short.
static bool cut_set(bp_cut_sets *cut, bp_strip_sets *sets, int set, const bp_box *limits, const uint32_t **ids) {
    const bp_allocator *allocator = &cut->setup->runtime.allocator;
    if (!bp_buffer_reserve(&cut->ids[set], allocator, 0, sets->counts[set] + 8, sizeof(uint32_t))) {
        return false;
    }
    cutting c = {
        .cut = cut, .boxes = sets->boxes[set], .count = sets->counts[set], .limits = limits, .ids = cut->ids[set].data};
    if (!run_blocks(&c, task_list, sizeof(size_t))) {
        return false;
    }
    const size_t *results = cut->tasks.data;
    size_t count = 0;
    for (size_t block = 0; block < c.blocks.count; ++block) {
        memmove(c.ids + count, c.ids + bp_block_begin(c.blocks, block) * BP_CHUNK, results[block] * sizeof *c.ids);
        count += results[block];
    }
    if (!bp_buffer_reserve(&cut->boxes[set], allocator, 0, count, sizeof(bp_box))) {
        return false;
    }
    bp_box *boxes = cut->boxes[set].data;
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = c.boxes[c.ids[i]];
    }
    sets->boxes[set] = boxes;
    sets->counts[set] = count;
    *ids = c.ids;
    return true;
}

// ---- whether a cut pays ---------------------------------------------------------------------------------------------

// The share of `count` boxes that overlap some bounds.
static double share_inside(const bp_box *boxes, size_t count, const bp_box *bounds, uint32_t dimensions) {
    size_t inside = 0;
    for (size_t i = 0; i < count; ++i) {
        inside += bp_boxes_overlap_branchless(&boxes[i], bounds, dimensions);
    }
    return (double)inside / (double)count;
}

bool bp_cut_sets_apply(bp_cut_sets *cut, bp_strip_sets *sets, const uint32_t *ids[2]) {
    const uint32_t dimensions = cut->setup->dimensions;
    bp_box samples[2][SAMPLE], bounds[2] = {NO_BOUNDS, NO_BOUNDS};
    size_t sampled[2];
    if (sets->counts[0] == 0 || sets->counts[1] == 0) {
        return true;
    }
    for (int set = 0; set < 2; ++set) {
        sampled[set] = sets->counts[set] < SAMPLE ? sets->counts[set] : SAMPLE;
        for (size_t i = 0; i < sampled[set]; ++i) {
            const bp_box *box = &samples[set][i];
            samples[set][i] = sets->boxes[set][bp_sample_place(sets->counts[set], i, sampled[set])];
            extend_bounds(&bounds[set], box->min, box->max);
        }
    }
    if (share_inside(samples[0], sampled[0], &bounds[1], dimensions) > CUT &&
        share_inside(samples[1], sampled[1], &bounds[0], dimensions) > CUT) {
        return true;
    }
    if (!find_bounds(cut, sets->boxes[0], sets->counts[0], &bounds[0]) ||
        !find_bounds(cut, sets->boxes[1], sets->counts[1], &bounds[1])) {
        return false;
    }
    if (!bp_boxes_overlap_branchless(&bounds[0], &bounds[1], dimensions)) {
        sets->counts[0] = 0;
    }
    bool granted = true;
    for (int set = 0; set < 2 && sets->counts[0] > 0 && granted; ++set) {
        if (share_inside(samples[set], sampled[set], &bounds[1 - set], dimensions) <= CUT) {
            granted = cut_set(cut, sets, set, &bounds[1 - set], &ids[set]);
        }
    }
    return granted;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void bp_cut_sets_free(bp_cut_sets *cut) {
    const bp_allocator *allocator = &cut->setup->runtime.allocator;
    bp_buffer *buffers[] = {&cut->tasks, &cut->ids[0], &cut->ids[1], &cut->boxes[0], &cut->boxes[1]};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
}

size_t bp_cut_sets_bytes(const bp_cut_sets *cut) {
    return cut->tasks.bytes + cut->ids[0].bytes + cut->ids[1].bytes + cut->boxes[0].bytes + cut->boxes[1].bytes;
}
