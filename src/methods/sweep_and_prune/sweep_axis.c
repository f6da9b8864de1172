// One axis: sorting and sweeping; see sweep_axis.h.
#include "methods/sweep_and_prune/sweep_axis.h"

#include "base/log.h"
#include "base/radix_sort.h"

enum { UNIT = 256 }; // boxes in a unit of work

void sweep_axis_init(sweep_axis *sweep, const bp_method_setup *setup) {
    *sweep = (sweep_axis){.setup = setup};
}

void sweep_axis_free(sweep_axis *sweep) {
    const bp_allocator *allocator = &sweep->setup->runtime.allocator;
    bp_buffer_free(&sweep->columns_buffer, allocator);
    bp_buffer_free(&sweep->keys_buffer, allocator);
    bp_block_sinks_free(&sweep->sinks, allocator);
}

size_t sweep_axis_bytes(const sweep_axis *sweep) {
    return sweep->columns_buffer.bytes + sweep->keys_buffer.bytes + bp_block_sinks_bytes(&sweep->sinks);
}

// ---- sorting --------------------------------------------------------------------------------------------------------

// In one pass, with distances from the first centre so that no precision is lost far from the origin. Infinite boxes
// have no centre and do not count.
static double variance_along(const bp_box *boxes, size_t count, int axis) {
    double first = NAN, sum = 0.0, squares = 0.0, number = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const double center = 0.5 * ((double)boxes[i].min[axis] + (double)boxes[i].max[axis]);
        if (isfinite(center)) {
            first = isnan(first) ? center : first;
            sum += center - first;
            squares += (center - first) * (center - first);
            number += 1.0;
        }
    }
    return number > 0.0 ? squares / number - (sum / number) * (sum / number) : 0.0;
}

int sweep_axis_choose(const bp_box *boxes, size_t count, uint32_t dimensions) {
    int best = 0;
    double most = -1.0;
    for (int axis = 0; axis < (int)dimensions; ++axis) {
        const double variance = variance_along(boxes, count, axis);
        best = variance > most ? axis : best;
        most = variance > most ? variance : most;
    }
    return best;
}

bp_status sweep_axis_build(sweep_axis *sweep, const bp_box *boxes, size_t count, int axis) {
    const bp_allocator *allocator = &sweep->setup->runtime.allocator;
    sweep->count = 0;
    sweep->axis = axis;
    if (count == 0) {
        return BP_OK;
    }
    if (!bp_columns_reserve(&sweep->columns, &sweep->columns_buffer, allocator, count) ||
        !bp_buffer_reserve_slack(&sweep->keys_buffer, allocator, 0, bp_size_multiply(count, 2), sizeof(uint64_t))) {
        return BP_ERROR_MEMORY;
    }
    uint64_t *keys = sweep->keys_buffer.data;
    size_t found = 0;
    for (size_t id = 0; id < count; ++id) {
        keys[found] = (uint64_t)sweep_order_of(boxes[id].min[axis]) << 32 | id;
        found += !bp_box_is_hole(&boxes[id]);
    }
    const uint64_t *sorted = bp_sort_keys(keys, keys + count, found, 32, 64);
    for (size_t i = 0; i < found; ++i) {
        sweep->columns.id[i] = (uint32_t)sorted[i];
    }
    bp_columns_fill(&sweep->columns, sweep->setup->kernels, sweep->setup->dimensions, 0, found, boxes);
    sweep->count = found;
    return BP_OK;
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

// The first position from `from` on where a box begins beyond the limit (or, with `at_limit`, at it). Searched in
// doubling steps, because it is usually near.
static size_t first_beyond(const sweep_axis *sweep, size_t from, float limit, bool at_limit) {
    const float *values = sweep->columns.min[sweep->axis];
    size_t step = 1, low = from, high = from;
    while (high < sweep->count && (at_limit ? values[high] < limit : values[high] <= limit)) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < sweep->count ? high : sweep->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (at_limit ? values[middle] < limit : values[middle] <= limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static size_t sweep_unit_end(const sweep_axis *sweep, size_t unit) {
    return (unit + 1) * UNIT < sweep->count ? (unit + 1) * UNIT : sweep->count;
}

static size_t sweep_unit_count(const sweep_axis *sweep) {
    return (sweep->count + UNIT - 1) / UNIT;
}

static void unit_inside(const void *context, bp_range_tester *tester, size_t unit) {
    const sweep_axis *s = context;
    const float *max = s->columns.max[s->axis];
    for (size_t i = unit * UNIT; i < sweep_unit_end(s, unit) && !tester->failed; ++i) {
        bp_range_tester_add_long(tester, i, (uint32_t)i + 1, (uint32_t)first_beyond(s, i + 1, max[i], false));
    }
}

bp_status sweep_axis_find(sweep_axis *sweep, bp_sink *sink) {
    const bp_range_search search = {.runtime = &sweep->setup->runtime,
                                    .kernels = sweep->setup->kernels,
                                    .objects = &sweep->columns,
                                    .candidates = &sweep->columns,
                                    .names = BP_NAMES_ORDERED,
                                    .unit_count = sweep_unit_count(sweep),
                                    .unit = unit_inside,
                                    .context = sweep};
    return bp_range_search_run(&search, &sweep->sinks, sink);
}

// Boxes of one set against those of the other that begin inside them. If two begin at the same coordinate, only the box
// of the first set counts as the one that began earlier, so that the pair is found once.
typedef struct crossing {
    const sweep_axis *objects, *candidates;
    bool objects_are_first; // the objects are the first set
} crossing;

static void unit_crossing(const void *context, bp_range_tester *tester, size_t unit) {
    const crossing *c = context;
    const sweep_axis *s = c->objects;
    const float *min = s->columns.min[s->axis], *max = s->columns.max[s->axis];
    size_t begin = 0;
    for (size_t i = unit * UNIT; i < sweep_unit_end(s, unit) && !tester->failed; ++i) {
        begin = first_beyond(c->candidates, begin, min[i], c->objects_are_first);
        const size_t end = first_beyond(c->candidates, begin, max[i], false);
        bp_range_tester_add_long(tester, i, (uint32_t)begin, (uint32_t)end);
    }
}

static bp_status find_crossing(const crossing *c, bp_block_sinks *sinks, bp_sink *sink) {
    const bp_range_search search = {.runtime = &c->objects->setup->runtime,
                                    .kernels = c->objects->setup->kernels,
                                    .objects = &c->objects->columns,
                                    .candidates = &c->candidates->columns,
                                    .names = c->objects_are_first ? BP_NAMES_BY_ROLE : BP_NAMES_BY_ROLE_SWAPPED,
                                    .unit_count = sweep_unit_count(c->objects),
                                    .unit = unit_crossing,
                                    .context = c};
    return bp_range_search_run(&search, sinks, sink);
}

bp_status sweep_axis_find_between(sweep_axis *first, const sweep_axis *second, bp_sink *sink) {
    const crossing forth = {.objects = first, .candidates = second, .objects_are_first = true};
    const crossing back = {.objects = second, .candidates = first, .objects_are_first = false};
    const bp_status status = find_crossing(&forth, &first->sinks, sink);
    return status == BP_OK ? find_crossing(&back, &first->sinks, sink) : status;
}

// ---- validation -----------------------------------------------------------------------------------------------------

bp_status sweep_axis_validate(const sweep_axis *sweep, const bp_box *boxes, size_t count) {
    const float *min = sweep->columns.min[sweep->axis];
    const uint32_t *ids = sweep->columns.id;
    size_t alive = 0;
    for (size_t id = 0; id < count; ++id) {
        alive += !bp_box_is_hole(&boxes[id]);
    }
    bool right = alive == sweep->count;
    for (size_t i = 0; right && i < sweep->count; ++i) { // equal ones are ordered by id: so none occurs twice
        right = ids[i] < count && bp_columns_hold(&sweep->columns, i, &boxes[ids[i]], sweep->setup->dimensions) &&
                (i == 0 || min[i - 1] < min[i] || (min[i - 1] == min[i] && ids[i - 1] < ids[i]));
    }
    if (!right) {
        bp_log_write(&sweep->setup->runtime.log, "sweep-and-prune: the sorted boxes are not those that were given");
    }
    return right ? BP_OK : BP_ERROR_INTERNAL;
}
