// Three sorted axes and their pairs; see sweep_ends.h.
#include "literature/sweep_and_prune/sweep_ends.h"

#include "base/log.h"
#include "base/radix_sort.h"
#include "literature/sweep_and_prune/sweep_axis.h"

#include <string.h>

#define END_BIT 0x80000000u

enum {
    PRESENT = 1, // marks: the object has ends ...
    CHANGED = 2, // ... its box may have changed in this update ...
    GONE = 4     // ... it has become a hole, or has moved too far to be sifted
};

enum { SCAN_COST = 4 }; // boxes that can be tested in a row in the time of one step

static uint64_t *axis_ends(const sweep_ends *ends, int axis) {
    return ends->ends_buffers[axis].data;
}

static uint8_t *marks_of(const sweep_ends *ends) {
    return ends->marks_buffer.data;
}

static bp_box *last_boxes(const sweep_ends *ends) {
    return ends->last_buffer.data;
}

static uint32_t id_of(uint64_t end) {
    return (uint32_t)end & ~END_BIT;
}

static bool is_begin(uint64_t end) {
    return (end & END_BIT) == 0;
}

static uint64_t end_for(const bp_box *box, uint32_t id, int axis, bool begin) {
    return (uint64_t)sweep_order_of(begin ? box->min[axis] : box->max[axis]) << 32 | (begin ? 0 : END_BIT) | id;
}

void bp_sweep_ends_init(sweep_ends *ends, const bp_runtime *runtime, uint32_t dimensions) {
    *ends = (sweep_ends){.runtime = runtime, .dimensions = dimensions};
}

void bp_sweep_ends_free(sweep_ends *ends) {
    const bp_allocator *allocator = &ends->runtime->allocator;
    for (int axis = 0; axis < 3; ++axis) {
        bp_buffer_free(&ends->ends_buffers[axis], allocator);
    }
    bp_buffer_free(&ends->spare_buffer, allocator);
    bp_buffer_free(&ends->marks_buffer, allocator);
    bp_buffer_free(&ends->fresh_buffer, allocator);
    bp_buffer_free(&ends->last_buffer, allocator);
    bp_buffer_free(&ends->pairs.buffer, allocator);
}

size_t bp_sweep_ends_bytes(const sweep_ends *ends) {
    size_t bytes = ends->spare_buffer.bytes + ends->marks_buffer.bytes + ends->fresh_buffer.bytes +
                   ends->last_buffer.bytes + ends->pairs.buffer.bytes;
    for (int axis = 0; axis < 3; ++axis) {
        bytes += ends->ends_buffers[axis].bytes;
    }
    return bytes;
}

static bool sweep_ends_reserve(sweep_ends *ends, size_t count) {
    const bp_allocator *allocator = &ends->runtime->allocator;
    const size_t kept = ends->end_count * sizeof(uint64_t);
    bool granted = bp_buffer_reserve_slack(&ends->spare_buffer, allocator, 0, 4 * count, sizeof(uint64_t)) &&
                   bp_buffer_reserve_slack(&ends->marks_buffer, allocator, ends->mark_count, count, 1) &&
                   bp_buffer_reserve_slack(&ends->last_buffer, allocator, ends->mark_count * sizeof(bp_box), count,
                                           sizeof(bp_box)) &&
                   bp_buffer_reserve_slack(&ends->fresh_buffer, allocator, 0, count, sizeof(bp_id));
    for (int axis = 0; granted && axis < (int)ends->dimensions; ++axis) {
        granted = bp_buffer_reserve_slack(&ends->ends_buffers[axis], allocator, kept, 2 * count, sizeof(uint64_t));
    }
    for (; granted && ends->mark_count < count; ++ends->mark_count) {
        marks_of(ends)[ends->mark_count] = 0;
    }
    return granted;
}

// ---- building -------------------------------------------------------------------------------------------------------

// The sorted ends of the named objects (NULL: of all ids that are not holes). Ids are listed in ascending order, begins
// before ends, so a stable sort by coordinate is enough.
static size_t sorted_ends(const sweep_ends *ends, const bp_id *ids, size_t count, int axis, uint64_t *out,
                          uint64_t *spare) {
    size_t found = 0;
    for (int half = 0; half < 2; ++half) {
        for (size_t i = 0; i < count; ++i) {
            const uint32_t id = ids != NULL ? ids[i] : (uint32_t)i;
            out[found] = end_for(&ends->boxes[id], id, axis, half == 0);
            found += !bp_box_is_hole(&ends->boxes[id]);
        }
    }
    const uint64_t *sorted = bp_sort_keys(out, spare, found, ids != NULL ? 0 : 32, 64);
    if (sorted != out) {
        memcpy(out, sorted, found * sizeof *out);
    }
    return found;
}

bp_status bp_sweep_ends_build(sweep_ends *ends, const bp_box *boxes, size_t count, const bp_pairs *pairs) {
    const bp_allocator *allocator = &ends->runtime->allocator;
    ends->boxes = boxes;
    ends->id_count = count;
    ends->end_count = 0;
    ends->mark_count = 0;
    if (!sweep_ends_reserve(ends, count) || !bp_sweep_pair_set_reset(&ends->pairs, allocator, pairs->count)) {
        return BP_ERROR_MEMORY;
    }
    size_t found = 0;
    for (int axis = 0; axis < (int)ends->dimensions; ++axis) {
        found = sorted_ends(ends, NULL, count, axis, axis_ends(ends, axis), ends->spare_buffer.data);
    }
    ends->end_count = found;
    for (size_t id = 0; id < count; ++id) {
        marks_of(ends)[id] = bp_box_is_hole(&boxes[id]) ? 0 : PRESENT;
        last_boxes(ends)[id] = boxes[id];
    }
    ends->passed = 0.0;
    bool granted = true;
    for (size_t i = 0; i < pairs->count && granted; ++i) {
        granted = bp_sweep_pair_set_add(&ends->pairs, allocator, pairs->data[i].a, pairs->data[i].b);
    }
    return granted ? BP_OK : BP_ERROR_MEMORY;
}

// ---- changes --------------------------------------------------------------------------------------------------------

// An update: the changes, and the estimated work.
typedef struct ends_update {
    const bp_id *ids; // NULL: all
    size_t count;
    size_t gone_count, fresh_count;
    double density[3];  // ends per unit of length
    double farthest[3]; // distance that an end has moved
    double steps;       // estimated number for the whole update
} ends_update;

static uint32_t id_of_change(const ends_update *u, size_t index) {
    return u->ids != NULL ? u->ids[index] : (uint32_t)index;
}

// The density of ends, in the interval of the middle nine tenths of them.
static double end_density(const uint64_t *list, size_t count) {
    if (count < 2) {
        return 0.0;
    }
    const size_t low = count / 20, high = count - 1 - low;
    const double length =
        (double)sweep_value_of((uint32_t)(list[high] >> 32)) - (double)sweep_value_of((uint32_t)(list[low] >> 32));
    return length > 0.0 ? (double)(high - low) / length : 0.0;
}

// The distance between two coordinates; 0 if both are the same infinity.
static double distance_between(float from, float to) {
    return from == to ? 0.0 : fabs((double)to - (double)from);
}

// About how many steps the ends of a box will take. If that costs more than testing it against all boxes, it is treated
// as removed and added.
static double steps_of_move(const ends_update *u, const bp_box *from, const bp_box *to, uint32_t dimensions) {
    double steps = 0.0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double distance =
            distance_between(from->min[axis], to->min[axis]) + distance_between(from->max[axis], to->max[axis]);
        steps += distance * u->density[axis];
    }
    return steps;
}

static void note_move(ends_update *u, const bp_box *from, const bp_box *to, uint32_t dimensions) {
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double low = distance_between(from->min[axis], to->min[axis]);
        const double high = distance_between(from->max[axis], to->max[axis]);
        const double distance = low > high ? low : high;
        u->farthest[axis] = distance > u->farthest[axis] ? distance : u->farthest[axis];
    }
}

// Marks the objects that have changed and those that are gone, and lists the added ones.
static void mark_changed(sweep_ends *ends, ends_update *u) {
    const uint32_t dimensions = ends->dimensions;
    const double scan = (double)ends->id_count / SCAN_COST;
    bp_id *fresh = ends->fresh_buffer.data;
    for (size_t i = 0; i < u->count; ++i) {
        const uint32_t id = id_of_change(u, i);
        const bp_box *from = &last_boxes(ends)[id], *to = &ends->boxes[id];
        const bool present = (marks_of(ends)[id] & PRESENT) != 0, hole = bp_box_is_hole(to);
        const double steps = present && !hole ? steps_of_move(u, from, to, dimensions) : INFINITY;
        const bool stays = steps <= scan;
        fresh[u->fresh_count] = id;
        u->fresh_count += !hole && !stays;
        u->gone_count += present && !stays;
        marks_of(ends)[id] = (uint8_t)(stays ? PRESENT | CHANGED : present ? GONE : 0);
        u->steps += stays ? 0.75 * steps : 0.0; // measured: some ends that pass each other do so in one step
        if (stays) {
            note_move(u, from, to, dimensions);
        }
    }
    u->steps += (double)u->fresh_count * scan;
}

static void unmark_changed(sweep_ends *ends, const ends_update *u) {
    const bp_id *fresh = ends->fresh_buffer.data;
    for (size_t i = 0; i < u->count; ++i) {
        const uint32_t id = id_of_change(u, i);
        marks_of(ends)[id] &= PRESENT;
        last_boxes(ends)[id] = ends->boxes[id];
    }
    for (size_t i = 0; i < u->fresh_count; ++i) {
        marks_of(ends)[fresh[i]] = PRESENT;
    }
}

// ---- sifting --------------------------------------------------------------------------------------------------------

// A value a little below, or above: by more than the rounding error of the last operation.
static float slightly_below(float value) {
    return value - (fabsf(value) * 0x1p-22f + FLT_MIN);
}

static float slightly_above(float value) {
    return value + (fabsf(value) * 0x1p-22f + FLT_MIN);
}

// The box that contains everything, at its current position, that may have touched a box before: both can have moved.
static bp_box grown_by_reach(const sweep_ends *ends, const bp_box *box) {
    bp_box larger = *box;
    for (uint32_t axis = 0; axis < ends->dimensions; ++axis) {
        const float low = slightly_below(box->min[axis] - ends->reach[axis]);
        const float high = slightly_above(box->max[axis] + ends->reach[axis]);
        larger.min[axis] = isnan(low) ? -INFINITY : low;
        larger.max[axis] = isnan(high) ? INFINITY : high;
    }
    return larger;
}

// Moves the begin at `from` down past others. False if memory is short.
static bool sift_begin(sweep_ends *ends, uint64_t *list, size_t from, size_t *steps) {
    const uint64_t end = list[from];
    const bp_box *boxes = ends->boxes, box = boxes[id_of(end)];
    const uint32_t dimensions = ends->dimensions;
    size_t at = from;
    bool granted = true;
    for (; at > 0 && list[at - 1] > end; --at) {
        const uint64_t other = list[at - 1];
        list[at] = other;
        const bool touches = bp_boxes_overlap_branchless(&box, &boxes[id_of(other)], dimensions);
        if ((int)touches & (int)!is_begin(other)) {
            granted &= bp_sweep_pair_set_add(&ends->pairs, &ends->runtime->allocator, id_of(end), id_of(other));
        }
    }
    list[at] = end;
    *steps += from - at;
    return granted;
}

// The same for an end. Most of the begins that it passes were no pair with it; looking all of them up in the set would
// cost more than everything else. So the boxes are compared first.
static void sift_end(sweep_ends *ends, uint64_t *list, size_t from, size_t *steps) {
    const uint64_t end = list[from];
    const bp_box *boxes = ends->boxes, box = grown_by_reach(ends, &boxes[id_of(end)]);
    const uint32_t dimensions = ends->dimensions;
    size_t at = from;
    for (; at > 0 && list[at - 1] > end; --at) {
        const uint64_t other = list[at - 1];
        list[at] = other;
        const bool touched = bp_boxes_overlap_branchless(&box, &boxes[id_of(other)], dimensions);
        if ((int)touched & (int)is_begin(other)) {
            bp_sweep_pair_set_remove(&ends->pairs, id_of(end), id_of(other));
        }
    }
    list[at] = end;
    *steps += from - at;
}

// Updates the coordinates of the ends of an axis, still in the old order, and drops the ends of objects that are gone.
// Returns how many are left. (Doing this while sorting is slower: reading boxes from random places then delays every
// sift.)
static size_t refresh_places(sweep_ends *ends, int axis) {
    uint64_t *list = axis_ends(ends, axis);
    const uint8_t *marks = marks_of(ends);
    size_t kept = 0;
    for (size_t i = 0; i < ends->end_count; ++i) {
        const uint64_t old = list[i];
        const uint32_t id = id_of(old);
        const bool moved = (marks[id] & CHANGED) != 0;
        list[kept] = moved ? end_for(&ends->boxes[id], id, axis, is_begin(old)) : old;
        kept += marks[id] != GONE;
    }
    return kept;
}

// An insertion sort: each two ends in the wrong order pass each other once.
static bp_status sift_axis(sweep_ends *ends, uint64_t *list, size_t count, double budget, size_t *steps) {
    bool granted = true;
    for (size_t i = 1; i < count && granted && (double)*steps <= budget; ++i) {
        if (list[i - 1] <= list[i]) {
            continue;
        }
        if (is_begin(list[i])) {
            granted = sift_begin(ends, list, i, steps);
        } else {
            sift_end(ends, list, i, steps);
        }
    }
    return granted ? BP_OK : BP_ERROR_MEMORY;
}

// ---- added objects --------------------------------------------------------------------------------------------------

// The new ends are sorted and merged in from the back.
static void merge_fresh(sweep_ends *ends, int axis, size_t count, size_t fresh_count) {
    uint64_t *list = axis_ends(ends, axis), *fresh = ends->spare_buffer.data;
    size_t left = sorted_ends(ends, ends->fresh_buffer.data, fresh_count, axis, fresh, fresh + 2 * fresh_count);
    for (size_t at = count + left; left > 0; --at) {
        if (count > 0 && list[count - 1] > fresh[left - 1]) {
            list[at - 1] = list[--count];
        } else {
            list[at - 1] = fresh[--left];
        }
    }
}

// The pairs of an added object: it is tested against all.
static bp_status pair_fresh(sweep_ends *ends, uint32_t id) {
    const bp_box box = ends->boxes[id];
    const uint32_t dimensions = ends->dimensions;
    bool granted = true;
    for (uint32_t other = 0; other < ends->id_count && granted; ++other) {
        if (bp_boxes_overlap_branchless(&box, &ends->boxes[other], dimensions) && other != id) {
            granted = bp_sweep_pair_set_add(&ends->pairs, &ends->runtime->allocator, id, other);
        }
    }
    ends->tests += ends->id_count;
    return granted ? BP_OK : BP_ERROR_MEMORY;
}

// ---- updating -------------------------------------------------------------------------------------------------------

static bp_status sift_axes(sweep_ends *ends, double budget, size_t *left, bool *gave_up) {
    size_t steps = 0;
    bp_status status = BP_OK;
    for (int axis = 0; axis < (int)ends->dimensions && status == BP_OK; ++axis) {
        *left = refresh_places(ends, axis);
        status = sift_axis(ends, axis_ends(ends, axis), *left, budget, &steps);
    }
    ends->tests += steps;
    ends->passed += (double)steps;
    *gave_up = (double)steps > budget;
    return status;
}

static bp_status take_in_fresh(sweep_ends *ends, size_t count, size_t fresh_count) {
    const bp_id *fresh = ends->fresh_buffer.data;
    bp_status status = BP_OK;
    for (int axis = 0; axis < (int)ends->dimensions && fresh_count > 0; ++axis) {
        merge_fresh(ends, axis, count, fresh_count);
    }
    for (size_t i = 0; i < fresh_count && status == BP_OK; ++i) {
        status = pair_fresh(ends, fresh[i]);
    }
    ends->end_count = count + 2 * fresh_count;
    return status;
}

static ends_update begin_update(const sweep_ends *ends, const bp_changes *changes) {
    ends_update u = {.ids = changes != NULL ? changes->ids : NULL,
                     .count = changes != NULL ? changes->count : ends->id_count};
    for (int axis = 0; axis < (int)ends->dimensions; ++axis) {
        u.density[axis] = end_density(axis_ends(ends, axis), ends->end_count);
    }
    return u;
}

bp_status bp_sweep_ends_update(sweep_ends *ends, const bp_box *boxes, size_t count, const bp_changes *changes,
                               double budget, bool *gave_up) {
    ends->boxes = boxes;
    ends->id_count = count;
    if (!sweep_ends_reserve(ends, count)) {
        return BP_ERROR_MEMORY;
    }
    ends_update u = begin_update(ends, changes);
    mark_changed(ends, &u);
    *gave_up = u.steps > budget;
    if (*gave_up) {
        return BP_OK;
    }
    if (u.gone_count > 0) {
        bp_sweep_pair_set_remove_marked(&ends->pairs, marks_of(ends), GONE);
    }
    for (int axis = 0; axis < (int)ends->dimensions; ++axis) {
        ends->reach[axis] = slightly_above((float)(2.0 * u.farthest[axis]));
    }
    size_t left = 0;
    bp_status status = sift_axes(ends, 2.0 * budget, &left, gave_up);
    if (status == BP_OK && !*gave_up) {
        status = take_in_fresh(ends, left, u.fresh_count);
        unmark_changed(ends, &u);
        ends->passed += (double)(u.gone_count + u.fresh_count) * (double)count;
        bp_sweep_pair_set_shrink(&ends->pairs, &ends->runtime->allocator);
    }
    return status;
}

double bp_sweep_ends_overlaps(sweep_ends *ends, int axis) {
    const uint64_t *list = axis_ends(ends, axis);
    uint64_t open = 0, overlaps = 0;
    for (size_t i = 0; i < ends->end_count; ++i) {
        const uint64_t begins = is_begin(list[i]);
        overlaps += open * begins;
        open += 2 * begins - 1;
    }
    ends->passed = 0.0;
    return (double)overlaps;
}

bp_status bp_sweep_ends_report(sweep_ends *ends, bp_sink *sink) {
    sink->tests += ends->tests;
    ends->tests = 0;
    return bp_sweep_pair_set_report(&ends->pairs, sink);
}

// ---- validation -----------------------------------------------------------------------------------------------------

static bp_status report_wrong_ends(const sweep_ends *ends, const char *what) {
    bp_log_write(&ends->runtime->log, "sweep-and-prune: %s", what);
    return BP_ERROR_INTERNAL;
}

// In order, so no end occurs twice; each with the right coordinate, of an existing object; and the right number of
// them.
static bool axis_is_right(const sweep_ends *ends, int axis, size_t alive) {
    const uint64_t *list = axis_ends(ends, axis);
    bool right = ends->end_count == 2 * alive;
    for (size_t i = 0; right && i < ends->end_count; ++i) {
        const uint32_t id = id_of(list[i]);
        right = id < ends->id_count && !bp_box_is_hole(&ends->boxes[id]) &&
                list[i] == end_for(&ends->boxes[id], id, axis, is_begin(list[i])) && (i == 0 || list[i - 1] < list[i]);
    }
    return right;
}

// Every pair that begins inside a box along the first axis and overlaps it is in the set; and no others are.
static bool pairs_are_right(const sweep_ends *ends) {
    const uint64_t *list = axis_ends(ends, 0);
    size_t found = 0;
    bool right = true;
    for (size_t i = 0; right && i < ends->end_count; ++i) {
        const uint32_t id = id_of(list[i]);
        for (size_t j = i + 1; right && is_begin(list[i]) && id_of(list[j]) != id; ++j) {
            const uint32_t other = id_of(list[j]);
            if (is_begin(list[j]) && bp_boxes_overlap(&ends->boxes[id], &ends->boxes[other], ends->dimensions)) {
                right = bp_sweep_pair_set_has(&ends->pairs, id, other);
                ++found;
            }
        }
    }
    return right && found == ends->pairs.count;
}

bp_status bp_sweep_ends_validate(const sweep_ends *ends) {
    size_t alive = 0;
    for (size_t id = 0; id < ends->id_count; ++id) {
        const bool hole = bp_box_is_hole(&ends->boxes[id]);
        alive += !hole;
        if (marks_of(ends)[id] != (hole ? 0 : PRESENT)) {
            return report_wrong_ends(ends, "the objects that have ends are not those that are alive");
        }
    }
    for (int axis = 0; axis < (int)ends->dimensions; ++axis) {
        if (!axis_is_right(ends, axis, alive)) {
            return report_wrong_ends(ends, "the ends along an axis are not those of the boxes, or not in order");
        }
    }
    return pairs_are_right(ends) ? BP_OK : report_wrong_ends(ends, "the pairs are not those of the boxes");
}
