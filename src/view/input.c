#include "view/input.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"

enum {
    VALID_TOGETHER = 32, // boxes that are checked without a branch
    FOUR_BOXES = 4 * 6,  // values
    CHECK_MIN = 4096,    // boxes that are worth a task
    CHECK_BLOCKS = 256
};

bp_box_double bp_input_grown(const bp_input *input, float margin, size_t index) {
    if (input->doubles != NULL) {
        return bp_box_double_grown(&input->doubles[index], margin);
    }
    const bp_box box = bp_box_grown(&input->floats[index], margin);
    return bp_box_to_double(&box);
}

// ---- float boxes without a period: most calls -----------------------------------------------------------------------

// Whether VALID_TOGETHER boxes are valid; there is another one behind them. Each of the values of four boxes is compared
// with the one three places on, which means something for min corners only: so the compiler may use vectors, and there
// is no branch.
static bool are_all_valid(const bp_box *boxes, uint32_t dimensions) {
    int32_t wrong[FOUR_BOXES] = {0}, any = 0;
    for (size_t i = 0; i < VALID_TOGETHER; i += 4) {
        const float *values = (const float *)(const void *)(boxes + i);
        for (int k = 0; k < FOUR_BOXES; ++k) {
            wrong[k] |= !(values[k] <= values[k + 3]);
        }
    }
    for (int k = 0; k < FOUR_BOXES; k += 6) {
        any |= wrong[k] | wrong[k + 1] | (dimensions == 2 ? 0 : wrong[k + 2]);
    }
    return any == 0;
}

// The first invalid box from `at` on, or `end`.
static size_t first_wrong_float(const bp_box *boxes, size_t at, size_t end, uint32_t dimensions) {
    while (end - at > VALID_TOGETHER && are_all_valid(boxes + at, dimensions)) {
        at += VALID_TOGETHER;
    }
    while (at < end && bp_box_is_valid(&boxes[at], dimensions)) {
        ++at;
    }
    return at;
}

// ---- all others -----------------------------------------------------------------------------------------------------

static bool is_valid(const bp_box_double *box, uint32_t dimensions) {
    const bool xy = box->min[0] <= box->max[0] && box->min[1] <= box->max[1];
    return xy && (dimensions == 2 || box->min[2] <= box->max[2]);
}

static bool fits_period(const bp_box_double *box, const bp_overlap_rule *rule) {
    bool fits = true;
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const double period = (double)rule->period[axis], extent = box->max[axis] - box->min[axis];
        fits &= !(period > 0.0 && extent > period) || isinf(box->min[axis]) || isinf(box->max[axis]);
    }
    return fits;
}

static size_t first_wrong_double(const bp_input *input, size_t at, size_t end, const bp_overlap_rule *rule) {
    for (; at < end; ++at) {
        const bp_box_double box = bp_input_double(input, at);
        if (!is_valid(&box, rule->dimensions) || !fits_period(&box, rule)) {
            break;
        }
    }
    return at;
}

// ---- the whole check ------------------------------------------------------------------------------------------------

static size_t first_wrong(const bp_input *input, size_t begin, size_t end, const bp_overlap_rule *rule) {
    const bool simple = input->doubles == NULL && !bp_is_periodic(rule);
    return simple ? first_wrong_float(input->floats, begin, end, rule->dimensions)
                  : first_wrong_double(input, begin, end, rule);
}

// An array of boxes, checked in blocks.
typedef struct inspection {
    const bp_input *input;
    const bp_overlap_rule *rule;
    bp_blocks blocks;
    size_t wrong[CHECK_BLOCKS]; // per block: the first invalid box, or the block's end
} inspection;

static void task_inspect(void *context, size_t block) {
    inspection *i = context;
    i->wrong[block] =
        first_wrong(i->input, bp_block_begin(i->blocks, block), bp_block_begin(i->blocks, block + 1), i->rule);
}

bp_status bp_input_check(bp_input input, bool is_double, const bp_overlap_rule *rule, const bp_runtime *runtime) {
    const bp_executor *executor = &runtime->executor;
    const bool missing = is_double ? input.doubles == NULL : input.floats == NULL;
    if (missing && input.count > 0) {
        bp_log_write(&runtime->log, "boxes: NULL although the count is %zu", input.count);
        return BP_ERROR_ARGUMENT;
    }
    if (input.count > BP_MAX_COUNT) {
        bp_log_write(&runtime->log, "boxes: %zu exceed the limit of %zu; split the set", input.count, BP_MAX_COUNT);
        return BP_ERROR_ARGUMENT;
    }
    size_t index = 0;
    if (executor->workers <= 1 || input.count < CHECK_MIN) { // few boxes, or a single one that moves
        index = first_wrong(&input, 0, input.count, rule);
    } else {
        inspection i = {.input = &input, .rule = rule};
        i.blocks = bp_blocks_cut(executor, input.count, CHECK_MIN, CHECK_BLOCKS);
        size_t block = 0;
        bp_parallel_for(executor, i.blocks.count, task_inspect, &i);
        while (block + 1 < i.blocks.count && i.wrong[block] == bp_block_begin(i.blocks, block + 1)) {
            ++block;
        }
        index = i.wrong[block];
    }
    if (index == input.count) {
        return BP_OK;
    }
    const bp_box_double box = bp_input_double(&input, index);
    const char *what = is_valid(&box, rule->dimensions)
                           ? "is longer than config.period; shorten it, or give an infinite one to cover all"
                           : "is invalid (NaN, or min > max)";
    const int digits = is_double ? 17 : 6;
    bp_log_write(&runtime->log, "box %zu %s: min (%.*g, %.*g, %.*g), max (%.*g, %.*g, %.*g)", index, what, digits,
                 box.min[0], digits, box.min[1], digits, box.min[2], digits, box.max[0], digits, box.max[1], digits,
                 box.max[2]);
    return BP_ERROR_BOX;
}
