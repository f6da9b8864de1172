// One axis: sorting and sweeping; see sweep_axis.h.
#include "literature/sweep_and_prune/sweep_axis.h"

#include "base/log.h"
#include "base/radix_sort.h"

#include <string.h>

enum {
    UNIT = 256,                   // boxes in a unit of work
    SAMPLE = 512,                 // boxes whose places are looked at
    QUARTERED = 2000,             // boxes: with fewer, one long sweep takes no longer than thirteen short ones
    ROOM = 2 * BP_COLUMN_PADDING, // pairs that there must be room for
    MEETINGS_MOST = 26,           // of two buckets
};

void bp_sweep_axis_init(sweep_axis *sweep, const bp_method_setup *setup) {
    *sweep = (sweep_axis){.setup = setup};
}

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

// The places of boxes along an axis.
typedef struct spread {
    double mean, variance; // of the centres
} spread;

// In one pass, with distances from the first centre so that no precision is lost far from the origin. Infinite boxes
// have no centre and do not count.
static spread spread_along(const bp_box *boxes, size_t count, int axis) {
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
    return (spread){.mean = first + mean, .variance = number > 0.0 ? squares / number - mean * mean : 0.0};
}

int bp_sweep_axis_choose(const bp_box *boxes, size_t count, uint32_t dimensions) {
    int best = 0;
    double most = -1.0;
    for (int axis = 0; axis < (int)dimensions; ++axis) {
        const double variance = spread_along(boxes, count, axis).variance;
        best = variance > most ? axis : best;
        most = variance > most ? variance : most;
    }
    return best;
}

// The axes across the sweep: 0 or 1.
static int across(const sweep_axis *sweep, int which) {
    return (sweep->axis + 1 + which) % 3;
}

// In two dimensions everything lies on one side of the third axis; and few boxes are in one quarter.
static void choose_planes(sweep_axis *sweep, const bp_box *boxes, size_t count) {
    for (int which = 0; which < 2; ++which) {
        const int axis = across(sweep, which);
        const bool is_whole = axis >= (int)sweep->setup->dimensions || count < QUARTERED;
        sweep->planes[which] = is_whole ? INFINITY : (float)spread_along(boxes, count, axis).mean;
    }
}

static uint8_t bucket_of(const sweep_axis *sweep, const bp_box *box) {
    uint32_t bucket = 0, straddles = 0;
    for (int which = 0; which < 2; ++which) {
        const float plane = sweep->planes[which];
        const int axis = across(sweep, which);
        const uint32_t before = box->max[axis]<plane, behind = box->min[axis]> plane;
        bucket |= behind << which;
        straddles |= (before | behind) ^ (axis < (int)sweep->setup->dimensions);
    }
    return (uint8_t)(straddles != 0 ? SWEEP_QUARTERS : bucket);
}

// Writes the keys and buckets of the boxes, and counts both. Returns the number of boxes that are no holes.
static size_t make_keys(const sweep_axis *sweep, const bp_box *boxes, size_t count, uint64_t *keys, uint8_t *buckets,
                        size_t numbers[SWEEP_BUCKETS]) {
    size_t found = 0;
    for (size_t id = 0; id < count; ++id) {
        const size_t is_alive = !bp_box_is_hole(&boxes[id]);
        keys[found] = (uint64_t)sweep_order_of(boxes[id].min[sweep->axis]) << 32 | id;
        buckets[id] = bucket_of(sweep, &boxes[id]);
        numbers[buckets[id]] += is_alive;
        found += is_alive;
    }
    return found;
}

// Gives each bucket its columns, with room for the NaNs behind it.
static void place_buckets(sweep_axis *sweep, const size_t numbers[SWEEP_BUCKETS]) {
    size_t at = 0;
    for (int bucket = 0; bucket < SWEEP_BUCKETS; ++bucket) {
        sweep->begin[bucket] = at;
        sweep->end[bucket] = at + numbers[bucket];
        at = sweep->end[bucket] + BP_COLUMN_PADDING;
    }
}

static void fill_buckets(const sweep_axis *sweep, const bp_box *boxes) {
    const bp_box hole = bp_box_hole();
    for (int bucket = 0; bucket < SWEEP_BUCKETS; ++bucket) {
        const size_t end = sweep->end[bucket];
        bp_columns_fill(&sweep->columns, sweep->setup->kernels, sweep->setup->dimensions, sweep->begin[bucket], end,
                        boxes);
        for (size_t i = end; i < end + BP_COLUMN_PADDING; ++i) {
            bp_columns_put(&sweep->columns, i, &hole, 0);
        }
    }
}

static bool reserve_axis(sweep_axis *sweep, size_t count) {
    const bp_allocator *allocator = &sweep->setup->runtime.allocator;
    const size_t padding = (size_t)SWEEP_BUCKETS * BP_COLUMN_PADDING;
    return bp_columns_reserve(&sweep->columns, &sweep->columns_buffer, allocator, bp_size_add(count, padding)) &&
           // One more, so that there is a buffer even for no boxes.
           bp_buffer_reserve_slack(&sweep->keys_buffer, allocator, 0, bp_size_add(count, 1),
                                   2 * sizeof(uint64_t) + sizeof(uint8_t));
}

bp_status bp_sweep_axis_build(sweep_axis *sweep, const bp_box *boxes, size_t count, int axis, const sweep_axis *like) {
    sweep->count = 0;
    sweep->axis = axis;
    if (!reserve_axis(sweep, count)) {
        return BP_ERROR_MEMORY;
    }
    if (like == NULL) {
        choose_planes(sweep, boxes, count);
    } else {
        memcpy(sweep->planes, like->planes, sizeof sweep->planes);
    }
    uint64_t *keys = sweep->keys_buffer.data;
    uint8_t *buckets = (uint8_t *)(keys + 2 * count);
    size_t numbers[SWEEP_BUCKETS] = {0}, place[SWEEP_BUCKETS];
    const size_t found = make_keys(sweep, boxes, count, keys, buckets, numbers);
    const uint64_t *sorted = bp_sort_keys(keys, keys + count, found, 32, 64);
    place_buckets(sweep, numbers);
    memcpy(place, sweep->begin, sizeof place);
    for (size_t i = 0; i < found; ++i) {
        const uint32_t id = (uint32_t)sorted[i];
        sweep->columns.id[place[buckets[id]]++] = id;
    }
    fill_buckets(sweep, boxes);
    sweep->count = found;
    return BP_OK;
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

// Boxes of a bucket against those of a bucket that begin inside them. Of two boxes that begin at the same coordinate in
// different buckets only one counts as the one that began earlier, so that the pair is found once.
typedef struct meeting {
    const sweep_axis *objects, *candidates;
    int object_bucket, candidate_bucket;
    bp_sweep_start start;
    bp_pair_names names;
    size_t first_unit;
} meeting;

typedef struct meetings {
    meeting data[MEETINGS_MOST];
    size_t count;
    size_t unit_count;
} meetings;

static void add_meeting(meetings *all, meeting one) {
    const size_t objects = one.objects->end[one.object_bucket] - one.objects->begin[one.object_bucket];
    const size_t candidates = one.candidates->end[one.candidate_bucket] - one.candidates->begin[one.candidate_bucket];
    if (objects > 0 && candidates > 0) {
        one.first_unit = all->unit_count;
        all->data[all->count++] = one;
        all->unit_count += (objects + UNIT - 1) / UNIT;
    }
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

static bp_sweep_job job_of_unit(const meeting *m, size_t unit) {
    const sweep_axis *objects = m->objects;
    const size_t begin = objects->begin[m->object_bucket] + (unit - m->first_unit) * UNIT;
    const size_t end = objects->end[m->object_bucket];
    bp_sweep_job job = {.objects = turned(objects),
                        .candidates = turned(m->candidates),
                        .begin = begin,
                        .end = begin + UNIT < end ? begin + UNIT : end,
                        .start = m->start,
                        .names = m->names};
    if (m->start != BP_SWEEP_BEHIND) {
        job.from =
            first_from(m->candidates, m->candidate_bucket, job.objects.min[0][begin], m->start == BP_SWEEP_AFTER);
    }
    return job;
}

static void swap_pairs(bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        pairs[i] = (bp_pair){.a = pairs[i].b, .b = pairs[i].a};
    }
}

// If a box does not fit, room is made for as many pairs as it can have.
static void sweep_unit(const void *context, bp_range_tester *tester, size_t unit) {
    const meetings *all = context;
    size_t i = all->count - 1;
    while (all->data[i].first_unit > unit) {
        --i;
    }
    const meeting *m = &all->data[i];
    const size_t most = m->candidates->end[m->candidate_bucket] - m->candidates->begin[m->candidate_bucket];
    bp_sweep_job job = job_of_unit(m, unit);
    for (size_t least = ROOM, last = 0; job.begin<job.end; least = job.begin> last ? ROOM : most + ROOM) {
        last = job.begin;
        job.out = bp_sink_room(tester->sink, least, &job.room);
        if (job.out == NULL) {
            tester->failed = true;
            return;
        }
        const size_t found = tester->kernels->test_sweep(&job, &tester->sink->tests);
        if (m->names == BP_NAMES_BY_ROLE_SWAPPED) {
            swap_pairs(job.out, found);
        }
        bp_sink_commit(tester->sink, job.out, found);
    }
}

static bp_status hold_meetings(const meetings *all, const sweep_axis *sweep, bp_block_sinks *sinks, bp_sink *sink) {
    const bp_range_search search = {.runtime = &sweep->setup->runtime,
                                    .kernels = sweep->setup->kernels,
                                    .objects = &sweep->columns,
                                    .candidates = &sweep->columns,
                                    .unit_count = all->unit_count,
                                    .unit = sweep_unit,
                                    .context = all};
    return bp_range_search_run(&search, sinks, sink);
}

// Boxes of two buckets: those of the second that begin inside one of the first, and the other way round.
static void add_both_ways(meetings *all, meeting one, bp_pair_names swapped) {
    one.start = BP_SWEEP_AT;
    add_meeting(all, one);
    const meeting back = {.objects = one.candidates,
                          .candidates = one.objects,
                          .object_bucket = one.candidate_bucket,
                          .candidate_bucket = one.object_bucket,
                          .start = BP_SWEEP_AFTER,
                          .names = swapped};
    add_meeting(all, back);
}

bp_status bp_sweep_axis_find(sweep_axis *sweep, bp_sink *sink) {
    meetings all = {.count = 0};
    for (int bucket = 0; bucket < SWEEP_BUCKETS; ++bucket) {
        const meeting own = {sweep, sweep, bucket, bucket, BP_SWEEP_BEHIND, BP_NAMES_ORDERED, 0};
        add_meeting(&all, own);
    }
    for (int quarter = 0; quarter < SWEEP_QUARTERS; ++quarter) {
        const meeting across_planes = {sweep, sweep, SWEEP_QUARTERS, quarter, BP_SWEEP_AT, BP_NAMES_ORDERED, 0};
        add_both_ways(&all, across_planes, BP_NAMES_ORDERED);
    }
    return hold_meetings(&all, sweep, &sweep->sinks, sink);
}

bp_status bp_sweep_axis_find_between(sweep_axis *first, const sweep_axis *second, bp_sink *sink) {
    meetings all = {.count = 0};
    for (int a = 0; a < SWEEP_BUCKETS; ++a) {
        for (int b = 0; b < SWEEP_BUCKETS; ++b) {
            const meeting one = {first, second, a, b, BP_SWEEP_AT, BP_NAMES_BY_ROLE, 0};
            if (a == b || a == SWEEP_QUARTERS || b == SWEEP_QUARTERS) {
                add_both_ways(&all, one, BP_NAMES_BY_ROLE_SWAPPED);
            }
        }
    }
    return hold_meetings(&all, first, &first->sinks, sink);
}

// ---- validation -----------------------------------------------------------------------------------------------------

// In order, each in its bucket; equal ones are ordered by id: so none occurs twice.
static bool bucket_is_right(const sweep_axis *sweep, int bucket, const bp_box *boxes, size_t count) {
    const float *min = sweep->columns.min[sweep->axis];
    const uint32_t *ids = sweep->columns.id;
    bool right = true;
    for (size_t i = sweep->begin[bucket]; right && i < sweep->end[bucket]; ++i) {
        right = ids[i] < count && bp_columns_hold(&sweep->columns, i, &boxes[ids[i]], sweep->setup->dimensions) &&
                bucket_of(sweep, &boxes[ids[i]]) == bucket &&
                (i == sweep->begin[bucket] || min[i - 1] < min[i] || (min[i - 1] == min[i] && ids[i - 1] < ids[i]));
    }
    return right;
}

bp_status bp_sweep_axis_validate(const sweep_axis *sweep, const bp_box *boxes, size_t count) {
    size_t alive = 0, held = 0;
    for (size_t id = 0; id < count; ++id) {
        alive += !bp_box_is_hole(&boxes[id]);
    }
    bool right = alive == sweep->count;
    for (int bucket = 0; right && bucket < SWEEP_BUCKETS; ++bucket) {
        held += sweep->end[bucket] - sweep->begin[bucket];
        right = bucket_is_right(sweep, bucket, boxes, count);
    }
    if (!right || held != alive) {
        bp_log_write(&sweep->setup->runtime.log, "sweep-and-prune: the sorted boxes are not those that were given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
