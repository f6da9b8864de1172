// The order of the slots: along a Hilbert curve, by recursive splits, or of runs of boxes.
#include "engine/tree/tree.h"

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/sample.h"

#include <string.h>

enum {
    FRAME_SAMPLE = 192, // boxes that tell where most are
    FRAME_ROUNDS = 2,
    KEYS_PER_TASK = 8192,
    BITS_MORE = 4,     // of places along an axis than boxes along it, if they were spread evenly
    SPLIT_SAMPLE = 16, // boxes that tell along which key to split
    COARSE_SHARE = 16, // of regions, one in so many may begin where the last one does
    PIVOTS = 5,
    SPLIT_KEYS = 6 // three centres and three extents: needles and plates fall apart by orientation
};

static const double FAR = 4.0; // mean deviations

// ---- along a Hilbert curve ------------------------------------------------------------------------------------------

// Of a place along each axis.
static uint32_t bits_for(size_t count, uint32_t dimensions) {
    const uint32_t most = dimensions == 2 ? 15 : 10;
    uint32_t bits = BITS_MORE;
    while (bits < most && count >> (bits - BITS_MORE) * dimensions > 0) {
        ++bits;
    }
    return bits;
}

// The frame holds nearly all centres: those far outside are put at its edge, so that one box at the end of the world does not put
// all others into one cell. Far outside is what lies more than FAR mean deviations from the mean of a sample; without it both
// are taken again. (Sorting the sample took longer than all else that a tree of a thousand boxes needs.)
static bp_tree_frame frame_of(const bp_box *boxes, size_t count, uint32_t dimensions) {
    bp_tree_frame frame = {.dimensions = dimensions};
    double longest = 0.0;
    const size_t wanted = count < FRAME_SAMPLE ? count : FRAME_SAMPLE;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        double centres[FRAME_SAMPLE], low = -2.0 * (double)FLT_MAX, high = 2.0 * (double)FLT_MAX;
        for (size_t i = 0; i < wanted; ++i) {
            const bp_box *box = &boxes[bp_sample_place(count, i, wanted)];
            centres[i] = (double)box->min[axis] + (double)box->max[axis];
        }
        for (int round = 0; round < FRAME_ROUNDS; ++round) {
            double sum = 0.0, deviation = 0.0, number = 0.0;
            for (size_t i = 0; i < wanted; ++i) {
                const bool is_in = centres[i] >= low && centres[i] <= high; // no hole, not infinite
                sum += is_in ? centres[i] : 0.0;
                number += is_in;
            }
            const double mean = number > 0.0 ? sum / number : 0.0;
            for (size_t i = 0; i < wanted; ++i) {
                deviation += centres[i] >= low && centres[i] <= high ? fabs(centres[i] - mean) : 0.0;
            }
            const double reach = number > 0.0 ? FAR * deviation / number : 0.0;
            low = fmax(low, mean - reach);
            high = fmin(high, mean + reach);
        }
        double least = high, most = low;
        for (size_t i = 0; i < wanted; ++i) {
            least = centres[i] >= low && centres[i] < least ? centres[i] : least;
            most = centres[i] <= high && centres[i] > most ? centres[i] : most;
        }
        const double slack = 0.125 * (most - least); // of a sample, the outermost may be missing
        frame.low[axis] = (float)fmax(least - slack, -(double)FLT_MAX);
        longest = fmax(longest, most - least + 2.0 * slack);
    }
    frame.bits = bits_for(count, dimensions);
    const double cells = (double)((1u << frame.bits) - 1);
    frame.scale = longest > 0.0 ? (float)fmin(cells / longest, (double)FLT_MAX) : 0.0f;
    return frame;
}

// The span of the frame.
static float span_of(const bp_tree_frame *frame) {
    return frame->scale > 0.0f ? (float)(1u << frame->bits) / frame->scale : 0.0f;
}

static uint64_t *sort_places(const bp_tree_frame *frame, uint64_t *keys, size_t room, size_t used) {
    return bp_sort_keys(keys, keys + room, used, 32, 32 + frame->bits * frame->dimensions);
}

typedef struct key_task {
    const bp_tree *tree;
    const bp_box *boxes;
    size_t count;
    bp_tree_frame frame;
    uint64_t *keys;
} key_task;

static void task_make_keys(void *context, size_t index) {
    const key_task *t = context;
    const size_t begin = index * KEYS_PER_TASK;
    const size_t end = t->count - begin < KEYS_PER_TASK ? t->count : begin + KEYS_PER_TASK;
    t->tree->setup->kernels->tree_keys(&t->frame, t->boxes, begin, end, t->keys);
}

// Where the regions of a kept tree begin on the curve.
static bool list_regions(bp_tree *tree, const uint64_t *keys, size_t count) {
    const size_t most = BP_TREE_REGION - BP_TREE_REGION / BP_TREE_WIDTH, regions = (count + most - 1) / most;
    if (!bp_buffer_reserve_slack(&tree->regions, &tree->setup->runtime.allocator, 0, regions, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *begins = tree->regions.data;
    size_t same = 0;
    for (size_t i = 0; i < regions; ++i) {
        begins[i] = i > 0 ? (uint32_t)(keys[i * most] >> 32) : 0;
        same += i > 1 && begins[i] == begins[i - 1];
    }
    tree->region_count = regions;
    tree->is_coarse = same > regions / COARSE_SHARE;
    return true;
}

// The ids of this tree.
static size_t list_own(const bp_tree *tree, const bp_box *boxes, size_t count, uint32_t *ids) {
    size_t own = 0;
    for (size_t i = 0; i < count; i += 8) {
        const bool is_other = tree->parts != NULL && bp_parts_of_eight(tree->parts, i, count) == 1 - tree->part;
        for (size_t id = i; id < i + 8 && id < count && !is_other; ++id) {
            ids[own] = (uint32_t)id;
            own += !bp_tree_lacks(tree, boxes, id);
        }
    }
    return own;
}

static bool sort_along_curve(bp_tree *tree, const bp_box *boxes, size_t count, size_t own) {
    const bp_runtime *runtime = &tree->setup->runtime;
    const bool is_part = tree->parts != NULL;
    uint32_t *ids = tree->ids.data;
    if (is_part) { // its boxes, one after the other
        if (!bp_buffer_reserve_slack(&tree->records, &runtime->allocator, 0, own, sizeof(bp_box)) ||
            !bp_buffer_reserve_slack(&tree->lists, &runtime->allocator, 0, own + 1, sizeof(uint32_t))) {
            return false;
        }
        count = list_own(tree, boxes, count, tree->lists.data);
        bp_box *gathered = tree->records.data;
        for (size_t i = 0; i < count; ++i) {
            gathered[i] = boxes[((const uint32_t *)tree->lists.data)[i]];
        }
        boxes = gathered;
    }
    if (!bp_buffer_reserve(&tree->keys, &runtime->allocator, 0, bp_size_multiply(count, 2), sizeof(uint64_t))) {
        return false;
    }
    uint64_t *keys = tree->keys.data;
    key_task t = {tree, boxes, count, frame_of(boxes, count, tree->setup->dimensions), keys};
    bp_parallel_for(&runtime->executor, (count + KEYS_PER_TASK - 1) / KEYS_PER_TASK, task_make_keys, &t);
    size_t slots = 0;
    for (size_t i = 0; i < count; ++i) {
        keys[slots] = keys[i];
        slots += keys[i] >> 63 == 0; // else it is a hole
    }
    keys = sort_places(&t.frame, keys, count, slots);
    const uint32_t *names = tree->lists.data;
    for (size_t i = 0; i < slots; ++i) {
        ids[i] = is_part ? names[(uint32_t)keys[i]] : (uint32_t)keys[i];
    }
    tree->placed = slots;
    tree->span = span_of(&t.frame);
    tree->frame = t.frame;
    return !tree->is_kept || list_regions(tree, keys, slots);
}

size_t bp_tree_sort_region(const bp_tree *tree, size_t region, uint32_t *ids, size_t count) {
    const uint32_t *begins = tree->regions.data;
    const uint64_t begin = begins[region], end = region + 1 < tree->region_count ? begins[region + 1] : UINT64_MAX;
    uint64_t keys[2 * BP_TREE_REGION];
    bp_box boxes[BP_TREE_REGION];
    uint32_t given[BP_TREE_REGION];
    size_t inside = 0, outside = count;
    if (count == 0) {
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = tree->boxes[ids[i]];
        given[i] = ids[i];
    }
    tree->setup->kernels->tree_keys(&tree->frame, boxes, 0, count, keys);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t place = keys[i] >> 32;
        const bool is_inside = place >= begin && place < end;
        keys[inside] = keys[i];
        inside += is_inside;
        if (!is_inside) {
            ids[--outside] = given[i];
        }
    }
    const uint64_t *sorted = sort_places(&tree->frame, keys, BP_TREE_REGION, inside);
    for (size_t i = 0; i < inside; ++i) {
        ids[i] = given[(uint32_t)sorted[i]];
    }
    return inside;
}

// ---- by splits ------------------------------------------------------------------------------------------------------

typedef struct splitter {
    bp_record *records, *spare_records;
    uint64_t *keys, *spare_keys;
    float least;      // added to edges, so that flat boxes have a surface
    size_t node_size; // boxes below a node of level 1: in a kept tree, one leaf stays empty
} splitter;

// Boxes below a node, from those below one of its children.
static size_t size_above(const splitter *s, size_t size) {
    return size == BP_TREE_WIDTH ? s->node_size : size * BP_TREE_WIDTH;
}

static size_t size_below(const splitter *s, size_t size) {
    return size == s->node_size ? BP_TREE_WIDTH : size / BP_TREE_WIDTH;
}

// Key k of a box: min + max along axis k, or max - min along axis k - 3.
static inline float split_key(const bp_record *record, int key) {
    const int axis = key % 3;
    return key < 3 ? record->min[axis] - record->negated_max[axis] : -record->negated_max[axis] - record->min[axis];
}

// The key that parts a sample into two halves of the least surface, each counted once for each box in it.
static int best_key(const splitter *s, size_t begin, size_t end) {
    const size_t count = end - begin < SPLIT_SAMPLE ? end - begin : SPLIT_SAMPLE;
    const bp_record *sample[SPLIT_SAMPLE];
    for (size_t i = 0; i < count; ++i) {
        sample[i] = &s->records[begin + bp_sample_place(end - begin, i, count)];
    }
    int best = 0;
    double best_cost = INFINITY;
    for (int key = 0; key < SPLIT_KEYS; ++key) {
        float mean = 0.0f;
        for (size_t i = 0; i < count; ++i) {
            mean += split_key(sample[i], key) / (float)count;
        }
        bp_record low[2];
        size_t numbers[2] = {0, 0};
        low[0] = low[1] = bp_record_set_empty(NULL).low;
        for (size_t i = 0; i < count; ++i) {
            const int half = split_key(sample[i], key) > mean;
            ++numbers[half];
            for (int axis = 0; axis < 3; ++axis) {
                low[half].min[axis] = bp_smaller(low[half].min[axis], sample[i]->min[axis]);
                low[half].negated_max[axis] = bp_smaller(low[half].negated_max[axis], sample[i]->negated_max[axis]);
            }
        }
        if (numbers[0] == 0 || numbers[1] == 0) {
            continue;
        }
        double cost = 0.0;
        for (int half = 0; half < 2; ++half) {
            double edge[3];
            for (int axis = 0; axis < 3; ++axis) {
                edge[axis] = -(double)low[half].negated_max[axis] - (double)low[half].min[axis] + (double)s->least;
            }
            cost += (double)numbers[half] * (edge[0] * edge[1] + edge[1] * edge[2] + edge[2] * edge[0]);
        }
        if (cost < best_cost) {
            best_cost = cost;
            best = key;
        }
    }
    return best;
}

// Puts the smaller ones of keys[begin .. end) before `middle`, and the others behind it: quickselect with a pivot of five, out of
// place, without a branch.
static void select_keys(uint64_t *keys, uint64_t *spare, size_t begin, size_t middle, size_t end) {
    uint32_t random = (uint32_t)(begin * 7919 + end);
    while (end - begin > 1) {
        uint64_t pivots[PIVOTS];
        for (uint32_t i = 0; i < PIVOTS; ++i) { // sorted as they come
            random = random * 1664525u + 1013904223u;
            const uint64_t pivot = keys[begin + (size_t)((uint64_t)random * (end - begin) >> 32)];
            uint32_t place = i;
            // cppcheck-suppress uninitvar; those before i have been written
            for (; place > 0 && pivots[place - 1] > pivot; --place) {
                pivots[place] = pivots[place - 1];
            }
            pivots[place] = pivot;
        }
        const size_t share = 4 * (middle - begin) / (end - begin);
        const uint64_t pivot = pivots[share == 0 ? 1 : share == 3 ? 3 : 2];
        size_t before = begin, behind = 0;
        for (size_t i = begin; i < end; ++i) {
            const uint64_t key = keys[i];
            keys[before] = key;
            spare[behind] = key;
            before += key < pivot;
            behind += key >= pivot;
        }
        memcpy(keys + before, spare, behind * sizeof *keys);
        if (middle < before) {
            end = before;
        } else if (before > begin) {
            begin = before;
        } else { // the pivot is the smallest: it is alone there, as all keys differ
            size_t at = begin;
            while (keys[at] != pivot) {
                ++at;
            }
            keys[at] = keys[begin];
            keys[begin] = pivot;
            if (middle == begin) {
                return;
            }
            ++begin;
        }
    }
}

// Halves a range of whole subtrees, of `size` boxes each, until all are apart; then those of the level below.
// NOLINTNEXTLINE(misc-no-recursion): halves 32 times at most
static void split_range(splitter *s, size_t begin, size_t end, size_t size) {
    while (size >= BP_TREE_WIDTH && end - begin <= size) {
        size = size_below(s, size);
    }
    if (size < BP_TREE_WIDTH) {
        return;
    }
    const size_t count = (end - begin + size - 1) / size;
    const size_t middle = begin + (count + 1) / 2 * size;
    const int key = best_key(s, begin, end);
    for (size_t i = begin; i < end; ++i) {
        const float value = split_key(&s->records[i], key);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits ^= bits >> 31 != 0 ? UINT32_MAX : 0x80000000u; // ascending as the value is
        s->keys[i] = (uint64_t)bits << 32 | (uint32_t)i;
    }
    select_keys(s->keys, s->spare_keys, begin, middle, end);
    for (size_t i = begin; i < end; ++i) {
        s->spare_records[i] = s->records[(uint32_t)s->keys[i]];
    }
    memcpy(s->records + begin, s->spare_records + begin, (end - begin) * sizeof *s->records);
    split_range(s, begin, middle, size);
    split_range(s, middle, end, size);
}

// The finite edge of a coordinate: what is infinite is cut to where finite boxes are.
static void cut_to_finite(const bp_tree *tree, splitter *s, size_t count) {
    float lengths = 0.0f;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (size_t i = 0; i < count; ++i) {
            const float min = s->records[i].min[axis], max = -s->records[i].negated_max[axis];
            low = min >= -FLT_MAX ? bp_smaller(low, min) : low;
            high = max <= FLT_MAX ? bp_larger(high, max) : high;
            low = max <= FLT_MAX ? bp_smaller(low, max) : low;
            high = min >= -FLT_MAX ? bp_larger(high, min) : high;
        }
        low = bp_larger(low, -0x1p60f);
        high = bp_smaller(high, 0x1p60f);
        if (low > high || axis >= tree->setup->dimensions) {
            low = high = 0.0f;
        }
        for (size_t i = 0; i < count; ++i) {
            bp_record *record = &s->records[i];
            record->min[axis] = bp_smaller(high, bp_larger(low, record->min[axis]));
            record->negated_max[axis] = bp_smaller(-low, bp_larger(-high, record->negated_max[axis]));
        }
        lengths += high - low;
    }
    s->least = 1e-6f * lengths;
}

bool bp_tree_sort_by_splits(bp_tree *tree, uint32_t *ids, size_t count, float *least) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    const size_t twice = bp_size_multiply(count, 2);
    if (!bp_buffer_reserve(&tree->keys, allocator, 0, twice, sizeof(uint64_t)) ||
        !bp_buffer_reserve(&tree->records, allocator, 0, twice, sizeof(bp_record))) {
        return false;
    }
    splitter s = {.records = tree->records.data,
                  .spare_records = (bp_record *)tree->records.data + count,
                  .keys = tree->keys.data,
                  .spare_keys = (uint64_t *)tree->keys.data + count,
                  .node_size = (size_t)BP_TREE_WIDTH * (tree->is_kept ? BP_TREE_WIDTH - 1 : BP_TREE_WIDTH)};
    for (size_t i = 0; i < count; ++i) {
        const bp_box *box = &tree->boxes[ids[i]];
        s.records[i] = (bp_record){.min = {box->min[0], box->min[1], box->min[2]},
                                   .id = ids[i],
                                   .negated_max = {-box->max[0], -box->max[1], -box->max[2]}};
    }
    cut_to_finite(tree, &s, count);
    size_t size = BP_TREE_WIDTH;
    while (size_above(&s, size) < count) {
        size = size_above(&s, size);
    }
    split_range(&s, 0, count, size);
    for (size_t i = 0; i < count; ++i) {
        ids[i] = s.records[i].id;
    }
    *least = s.least;
    return true;
}

static bool sort_all_by_splits(bp_tree *tree, const bp_box *boxes, size_t count) {
    uint32_t *ids = tree->ids.data;
    float least = 0.0f;
    tree->placed = list_own(tree, boxes, count, ids);
    tree->region_count = 0;
    if (!bp_tree_sort_by_splits(tree, ids, tree->placed, &least)) {
        return false;
    }
    tree->span = 1e6f * least;
    return true;
}

// ---- by runs --------------------------------------------------------------------------------------------------------

// Runs of as many boxes as a leaf has, in the order in which they come; the runs along the curve.
static bool sort_runs(bp_tree *tree, const bp_box *boxes, size_t count) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    const size_t most = count / BP_TREE_WIDTH + 1;
    if (!bp_buffer_reserve(&tree->lists, allocator, 0, count, sizeof(uint32_t)) ||
        !bp_buffer_reserve(&tree->records, allocator, 0, most, sizeof(bp_box)) ||
        !bp_buffer_reserve(&tree->keys, allocator, 0, 2 * most, sizeof(uint64_t))) {
        return false;
    }
    uint32_t *given = tree->lists.data, *ids = tree->ids.data;
    bp_box *middles = tree->records.data;
    uint64_t *keys = tree->keys.data;
    size_t slots = 0;
    for (size_t i = 0; i < count; ++i) {
        given[slots] = (uint32_t)i;
        slots += !bp_tree_lacks(tree, boxes, i);
    }
    const size_t runs = slots / BP_TREE_WIDTH;
    for (size_t i = 0; i < runs; ++i) {
        middles[i] = boxes[given[i * BP_TREE_WIDTH + BP_TREE_WIDTH / 2]];
    }
    const bp_tree_frame frame = frame_of(middles, runs, tree->setup->dimensions);
    tree->setup->kernels->tree_keys(&frame, middles, 0, runs, keys);
    keys = sort_places(&frame, keys, runs, runs);
    for (size_t i = 0; i < runs; ++i) {
        memcpy(ids + i * BP_TREE_WIDTH, given + (size_t)(uint32_t)keys[i] * BP_TREE_WIDTH, BP_TREE_WIDTH * sizeof *ids);
    }
    memcpy(ids + runs * BP_TREE_WIDTH, given + runs * BP_TREE_WIDTH, (slots - runs * BP_TREE_WIDTH) * sizeof *ids);
    tree->placed = slots;
    tree->region_count = 0;
    tree->span = span_of(&frame);
    return true;
}

bool bp_tree_sort(bp_tree *tree, const bp_box *boxes, size_t count, size_t own, bp_tree_order order) {
    if (own == 0) { // and perhaps no memory
        tree->placed = tree->region_count = 0;
        return true;
    }
    switch (order) {
    case BP_TREE_SPLITS: return sort_all_by_splits(tree, boxes, count);
    case BP_TREE_RUNS: return sort_runs(tree, boxes, count);
    case BP_TREE_HILBERT:
    default: return sort_along_curve(tree, boxes, count, own);
    }
}
