#include "base/boxes.h"

#include "api/config.h"
#include "base/parallel.h"

#include <string.h>

enum { BLOCK = 64, SLICE_LEAST = 32768, SLICES_MAX = 64 };

// Without a branch per box, so that the compiler may use vectors.
static bool all_valid(const bp_box *boxes, size_t count, uint32_t dimensions) {
    bool valid = true;
    for (size_t i = 0; i < count; ++i) {
        valid &= bp_box_is_valid(&boxes[i], dimensions);
    }
    return valid;
}

static size_t first_invalid(const bp_box *boxes, size_t count, uint32_t dimensions) {
    size_t start = 0;
    while (count - start >= BLOCK && all_valid(boxes + start, BLOCK, dimensions)) {
        start += BLOCK;
    }
    while (start < count && bp_box_is_valid(&boxes[start], dimensions)) {
        ++start;
    }
    return start;
}

// An array cut into one slice per worker.
typedef struct slices {
    const bp_box *from;
    bp_box *to;
    size_t count, slice_count;
    uint32_t dimensions;
    size_t invalid[SLICES_MAX]; // per slice: the first invalid box, or where the slice ends
} slices;

static size_t slices_for(const bp_executor *executor, size_t count) {
    const size_t wanted = count / SLICE_LEAST + 1 < executor->workers ? count / SLICE_LEAST + 1 : executor->workers;
    return wanted < SLICES_MAX ? wanted : SLICES_MAX;
}

static size_t slice_begin(const slices *s, size_t slice) {
    return (size_t)((unsigned long long)s->count * slice / s->slice_count);
}

static void task_check(void *context, size_t slice) {
    slices *s = context;
    const size_t begin = slice_begin(s, slice);
    s->invalid[slice] = begin + first_invalid(s->from + begin, slice_begin(s, slice + 1) - begin, s->dimensions);
}

static void task_copy(void *context, size_t slice) {
    const slices *s = context;
    const size_t begin = slice_begin(s, slice);
    memcpy(s->to + begin, s->from + begin, (slice_begin(s, slice + 1) - begin) * sizeof *s->to);
}

void bp_boxes_copy(bp_box *to, const bp_box *from, size_t count, const bp_executor *executor) {
    slices s = {.from = from, .to = to, .count = count, .slice_count = slices_for(executor, count)};
    bp_parallel_for(executor, s.slice_count, task_copy, &s);
}

// The index of the first invalid box, or `count`.
static size_t find_invalid(const bp_box *boxes, size_t count, const bp_config *config) {
    slices s = {.from = boxes, .count = count, .dimensions = config->dimensions};
    s.slice_count = slices_for(&config->executor, count);
    bp_parallel_for(&config->executor, s.slice_count, task_check, &s);
    for (size_t slice = 0; slice < s.slice_count; ++slice) {
        if (s.invalid[slice] < slice_begin(&s, slice + 1)) {
            return s.invalid[slice];
        }
    }
    return count;
}

bp_status bp_boxes_check(const bp_box *boxes, size_t count, const bp_config *config) {
    if (boxes == NULL && count > 0) {
        bp_log_write(config, "boxes: NULL, but %zu boxes are announced", count);
        return BP_ERROR_ARGUMENT;
    }
    if (count > BP_MAX_COUNT) {
        bp_log_write(config, "boxes: %zu are more than the %zu that fit; split the set", count, BP_MAX_COUNT);
        return BP_ERROR_ARGUMENT;
    }
    const size_t invalid = count > 0 ? find_invalid(boxes, count, config) : 0;
    if (invalid < count) {
        const bp_box *b = &boxes[invalid];
        bp_log_write(config, "box %zu is invalid (NaN, or min > max): min (%g, %g, %g), max (%g, %g, %g)", invalid,
                     (double)b->min[0], (double)b->min[1], (double)b->min[2], (double)b->max[0], (double)b->max[1],
                     (double)b->max[2]);
        return BP_ERROR_BOX;
    }
    return BP_OK;
}
