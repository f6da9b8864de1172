// One axis: sorting and sweeping; see sweep_axis.h.
#include "literature/sweep_and_prune/sweep_axis.h"

#include "base/log.h"
#include "base/radix_sort.h"

#include <string.h>

enum {
    PLACES_PER_UNIT = 256,       // of the columns
    SAMPLE = 512,                // boxes whose places are looked at
    QUARTERED = 2000,            // boxes: with fewer, one long sweep takes no longer than thirteen short ones
    ROOM = 2 * BP_COLUMN_PADDING // pairs that there must be room for
};

void bp_sweep_axis_free(sweep_axis *sweep) {
    const bp_allocator *allocator = &sweep->setup->runtime.allocator;
    bp_buffer_free(&sweep->columns_buffer, allocator);
    bp_buffer_free(&sweep->keys_buffer, allocator);
    bp_block_sinks_free(&sweep->sinks, allocator);
}

size_t bp_sweep_axis_bytes(const sweep_axis *sweep) {
    return sweep->columns_buffer.bytes + sweep->keys_buffer.bytes + bp_block_sinks_bytes(&sweep->sinks);
}

// ---- sorting --------------------------------------------------------------------------------------------------------

// The mean of the centres of a sample of the boxes along an axis, and their variance. In one pass, with distances from the
// first centre so that no precision is lost far from the origin. Infinite boxes have no centre and do not count.
static double mean_along(const bp_box *boxes, size_t count, int axis, double *variance) {
    const size_t stride = count / SAMPLE + 1;
    double first = NAN, sum = 0.0, squares = 0.0, number = 0.0;
    for (size_t i = 0; i < count; i += stride) {
        const double center = 0.5 * ((double)boxes[i].min[axis] + (double)boxes[i].max[axis]);
        if (isfinite(center)) {
            first = isnan(first) ? center : first;
            sum += center - first;
            squares += (center - first) * (center - first);
            number += 1.0;
        }
    }
    const double mean = number > 0.0 ? sum / number : 0.0;
    *variance = number > 0.0 ? squares / number - mean * mean : 0.0;
    return first + mean;
}

int bp_sweep_axis_choose(const bp_box *boxes, size_t count, uint32_t dimensions) {
    int best = 0;
    double most = -1.0, variance;
    for (int axis = 0; axis < (int)dimensions; ++axis) {
        (void)mean_along(boxes, count, axis, &variance);
        best = variance > most ? axis : best;
        most = variance > most ? variance : most;
    }
    return best;
}

// In two dimensions everything lies on one side of the third axis.
static uint8_t bucket_of(const sweep_axis *sweep, const bp_box *box) {
    uint32_t bucket = 0, straddles = 0;
    for (int which = 0; which < 2; ++which) {
        const float plane = sweep->planes[which];
        const int axis = (sweep->axis + 1 + which) % 3;
        const uint32_t before = box->max[axis]<plane, behind = box->min[axis]> plane;
        bucket |= behind << which;
        straddles |= (before | behind) ^ (axis < (int)sweep->setup->dimensions);
    }
    return (uint8_t)(straddles != 0 ? SWEEP_QUARTERS : bucket);
}

bp_status bp_sweep_axis_build(sweep_axis *sweep, const bp_box *boxes, size_t count, int axis, const sweep_axis *like) {
    const bp_method_setup *setup = sweep->setup;
    const bp_allocator *allocator = &setup->runtime.allocator;
    const size_t padding = (size_t)SWEEP_BUCKETS * BP_COLUMN_PADDING;
    sweep->count = 0;
    sweep->axis = axis;
    if (!bp_columns_reserve(&sweep->columns, &sweep->columns_buffer, allocator, bp_size_add(count, padding)) ||
        // One more, so that there is a buffer even for no boxes.
        !bp_buffer_reserve_slack(&sweep->keys_buffer, allocator, 0, bp_size_add(count, 1),
                                 2 * sizeof(uint64_t) + sizeof(uint8_t))) {
        return BP_ERROR_MEMORY;
    }
    // The planes; few boxes are all in one quarter.
    for (int which = 0; which < 2; ++which) {
        const int across = (axis + 1 + which) % 3;
        const bool is_whole = across >= (int)setup->dimensions || count < QUARTERED;
        double variance;
        sweep->planes[which] = like != NULL ? like->planes[which]
                               : is_whole   ? INFINITY
                                            : (float)mean_along(boxes, count, across, &variance);
    }
    // Where each box begins, and its bucket; holes have neither.
    uint64_t *keys = sweep->keys_buffer.data;
    uint8_t *buckets = (uint8_t *)(keys + 2 * count);
    size_t numbers[SWEEP_BUCKETS] = {0}, place[SWEEP_BUCKETS], alive = 0, at = 0;
    for (size_t id = 0; id < count; ++id) {
        if (!bp_box_is_hole(&boxes[id])) {
            keys[alive++] = (uint64_t)sweep_order_of(boxes[id].min[axis]) << 32 | id;
            buckets[id] = bucket_of(sweep, &boxes[id]);
            ++numbers[buckets[id]];
        }
    }
    // The columns: bucket after bucket, each in order, with NaNs behind the last box.
    for (int bucket = 0; bucket < SWEEP_BUCKETS; ++bucket) {
        place[bucket] = sweep->begin[bucket] = at;
        sweep->end[bucket] = at + numbers[bucket];
        at = sweep->end[bucket] + BP_COLUMN_PADDING;
    }
    const uint64_t *sorted = bp_sort_keys(keys, keys + count, alive, 32, 64);
    for (size_t i = 0; i < alive; ++i) {
        const uint32_t id = (uint32_t)sorted[i];
        sweep->columns.id[place[buckets[id]]++] = id;
    }
    const bp_box hole = bp_box_hole();
    for (int bucket = 0; bucket < SWEEP_BUCKETS; ++bucket) {
        const size_t end = sweep->end[bucket];
        bp_columns_fill(&sweep->columns, setup->kernels, setup->dimensions, sweep->begin[bucket], end, boxes);
        for (size_t i = end; i < end + BP_COLUMN_PADDING; ++i) {
            bp_columns_put(&sweep->columns, i, &hole, 0);
        }
    }
    sweep->count = alive;
    return BP_OK;
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

// Every box looks for those that begin inside it, in each bucket that it can meet: so of two boxes the one that begins
// first finds the other. If both begin at the same coordinate, in different buckets or sets, the one of the later bucket
// or the first set finds the other.
typedef struct sweep_search {
    const sweep_axis *first, *other; // other NULL: the pairs of one set
    size_t first_units;
} sweep_search;

// The units of work of a set: so many places of its columns each, whatever bucket they are in.
static size_t unit_count(const sweep_axis *sweep) {
    return (sweep->end[SWEEP_QUARTERS] + PLACES_PER_UNIT - 1) / PLACES_PER_UNIT;
}

// The first position of a bucket where a box begins at `limit` or later, or, with `after`, later.
static size_t first_from(const sweep_axis *sweep, int bucket, float limit, bool after) {
    const float *values = sweep->columns.min[sweep->axis];
    size_t low = sweep->begin[bucket], high = sweep->end[bucket];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (after ? values[middle] <= limit : values[middle] < limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The columns with the axis of the sweep as the first one.
static bp_columns turned(const sweep_axis *sweep) {
    const bp_columns *c = &sweep->columns;
    bp_columns result = {.id = c->id};
    for (int k = 0; k < 3; ++k) {
        result.min[k] = c->min[(sweep->axis + k) % 3];
        result.max[k] = c->max[(sweep->axis + k) % 3];
    }
    return result;
}

// Runs a job. If a box does not fit, room is made for as many pairs as it can have.
static void run_job(bp_range_tester *tester, bp_sweep_job job, size_t most, bool is_swapped) {
    for (size_t least = ROOM, last = 0; job.begin<job.end; least = job.begin> last ? ROOM : most + ROOM) {
        last = job.begin;
        job.out = bp_sink_room(tester->sink, least, &job.room);
        if (job.out == NULL) {
            tester->failed = true;
            return;
        }
        const size_t found = tester->kernels->test_sweep(&job, &tester->sink->tests);
        for (size_t i = 0; i < found && is_swapped; ++i) {
            job.out[i] = (bp_pair){.a = job.out[i].b, .b = job.out[i].a};
        }
        bp_sink_commit(tester->sink, job.out, found);
    }
}

static void sweep_unit(const void *context, bp_range_tester *tester, size_t unit) {
    const sweep_search *s = context;
    const bool is_between = s->other != NULL, is_swapped = is_between && unit >= s->first_units;
    const sweep_axis *objects = is_swapped ? s->other : s->first;
    const sweep_axis *candidates = is_between && !is_swapped ? s->other : s->first;
    const size_t begin = (unit - (is_swapped ? s->first_units : 0)) * PLACES_PER_UNIT, end = begin + PLACES_PER_UNIT;
    bp_sweep_job job = {.objects = turned(objects),
                        .candidates = turned(candidates),
                        .pair_ids = is_between ? BP_IDS_BY_ROLE : BP_IDS_ASCENDING};
    for (int a = 0; a < SWEEP_BUCKETS; ++a) {
        job.begin = begin > objects->begin[a] ? begin : objects->begin[a];
        job.end = end < objects->end[a] ? end : objects->end[a];
        for (int b = 0; b < SWEEP_BUCKETS && job.begin < job.end; ++b) {
            const size_t most = candidates->end[b] - candidates->begin[b];
            if (most > 0 && (a == b || a == SWEEP_QUARTERS || b == SWEEP_QUARTERS)) {
                const bool is_second = is_between ? is_swapped : a < b;
                job.start = !is_between && a == b ? BP_SWEEP_BEHIND : is_second ? BP_SWEEP_AFTER : BP_SWEEP_AT;
                job.from = first_from(candidates, b, job.objects.min[0][job.begin], is_second);
                run_job(tester, job, most, is_swapped);
            }
        }
    }
}

bp_status bp_sweep_axis_find(sweep_axis *sweep, const sweep_axis *other, bp_sink *sink) {
    const sweep_search s = {.first = sweep, .other = other, .first_units = unit_count(sweep)};
    const bp_range_search search = {.runtime = &sweep->setup->runtime,
                                    .kernels = sweep->setup->kernels,
                                    .objects = &sweep->columns,
                                    .candidates = &sweep->columns,
                                    .unit_count = s.first_units + (other != NULL ? unit_count(other) : 0),
                                    .unit = sweep_unit,
                                    .context = &s};
    return bp_range_search_run(&search, &sweep->sinks, sink);
}

// ---- validation -----------------------------------------------------------------------------------------------------

// In each bucket the boxes are in order, and in theirs; equal ones are ordered by id: so none occurs twice.
bp_status bp_sweep_axis_validate(const sweep_axis *sweep, const bp_box *boxes, size_t count) {
    const float *min = sweep->columns.min[sweep->axis];
    const uint32_t *ids = sweep->columns.id;
    size_t alive = 0, held = 0;
    for (size_t id = 0; id < count; ++id) {
        alive += !bp_box_is_hole(&boxes[id]);
    }
    bool right = alive == sweep->count;
    for (int bucket = 0; right && bucket < SWEEP_BUCKETS; ++bucket) {
        const size_t begin = sweep->begin[bucket], end = sweep->end[bucket];
        held += end - begin;
        for (size_t i = begin; right && i < end; ++i) {
            right = ids[i] < count && bp_columns_hold(&sweep->columns, i, &boxes[ids[i]], sweep->setup->dimensions) &&
                    bucket_of(sweep, &boxes[ids[i]]) == bucket &&
                    (i == begin || min[i - 1] < min[i] || (min[i - 1] == min[i] && ids[i - 1] < ids[i]));
        }
    }
    if (!right || held != alive) {
        bp_log_write(&sweep->setup->runtime.log, "sweep-and-prune: the sorted boxes do not match the boxes");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
