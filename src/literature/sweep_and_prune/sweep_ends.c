// Three sorted axes and their pairs; see sweep_ends.h.
#include "literature/sweep_and_prune/sweep_ends.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/radix_sort.h"
#include "literature/sweep_and_prune/sweep_axis.h"

#define END_BIT 0x80000000u

enum { TESTS_PER_STEP = 4 }; // boxes that can be tested in a row in the time of one step

static uint64_t *axis_ends(const sweep_ends *ends, int axis) {
    return ends->ends[axis].data;
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
    bp_buffer *buffers[] = {&ends->ends[0], &ends->ends[1], &ends->ends[2], &ends->spare,
                            &ends->last,    &ends->pairs,   &ends->merged,  &ends->events};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], &ends->runtime->allocator);
    }
}

size_t bp_sweep_ends_bytes(const sweep_ends *ends) {
    return ends->ends[0].bytes + ends->ends[1].bytes + ends->ends[2].bytes + ends->spare.bytes + ends->last.bytes +
           ends->pairs.bytes + ends->merged.bytes + ends->events.bytes;
}

static bool reserve_ends(sweep_ends *ends, size_t count) {
    const bp_allocator *allocator = &ends->runtime->allocator;
    const size_t end_count = bp_size_multiply(2, count), kept = ends->end_count * sizeof(uint64_t);
    bool granted =
        bp_buffer_reserve_slack(&ends->spare, allocator, 0, end_count, sizeof(uint64_t)) &&
        bp_buffer_reserve_slack(&ends->last, allocator, ends->id_count * sizeof(bp_box), count, sizeof(bp_box));
    for (int axis = 0; granted && axis < (int)ends->dimensions; ++axis) {
        granted = bp_buffer_reserve_slack(&ends->ends[axis], allocator, kept, end_count, sizeof(uint64_t));
    }
    return granted;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

static uint64_t pair_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// An event: the ids of a pair, of 31 bits each, and whether it ends. The same one may be noted on several axes. A pair that
// begins overlaps now and one that ends does not, so no pair does both. False if memory is short.
static bool note_event(sweep_ends *ends, uint32_t a, uint32_t b, bool is_end) {
    const size_t count = ends->event_count, room = ends->events.bytes / sizeof(uint64_t);
    const uint64_t key = pair_key(a, b);
    if (count == room && !bp_buffer_reserve(&ends->events, &ends->runtime->allocator, count * sizeof(uint64_t),
                                            bp_size_add(2 * room, ends->id_count), sizeof(uint64_t))) {
        return false;
    }
    ((uint64_t *)ends->events.data)[ends->event_count++] = key >> 32 << 33 | (key & UINT32_MAX) << 1 | is_end;
    return true;
}

static uint64_t key_of_event(uint64_t event) {
    return event >> 33 << 32 | (uint32_t)(event >> 1);
}

static bool is_alive(const sweep_ends *ends, uint64_t id) {
    return id < ends->id_count && !bp_box_is_hole(&ends->boxes[id]);
}

// Merges the events into the pairs, and drops those of objects that are gone. False if memory is short.
static bool merge_events(sweep_ends *ends) {
    const bp_allocator *allocator = &ends->runtime->allocator;
    const size_t count = ends->event_count;
    if (!bp_buffer_reserve_slack(&ends->spare, allocator, 0, count, sizeof(uint64_t)) ||
        !bp_buffer_reserve_slack(&ends->merged, allocator, 0, bp_size_add(ends->pair_count, count), sizeof(uint64_t))) {
        return false;
    }
    const uint64_t *events = bp_sort_keys(ends->events.data, ends->spare.data, count, 0, 64), *old = ends->pairs.data;
    uint64_t *merged = ends->merged.data;
    size_t found = 0;
    for (size_t i = 0, k = 0; i < ends->pair_count || k < count;) {
        const uint64_t first = i < ends->pair_count ? old[i] : UINT64_MAX,
                       second = k < count ? key_of_event(events[k]) : UINT64_MAX, key = first < second ? first : second;
        uint64_t ends_now = 0;
        i += first == key;
        for (; k < count && key_of_event(events[k]) == key; ++k) {
            ends_now |= events[k] & 1;
        }
        if (ends_now == 0 && is_alive(ends, key >> 32) && is_alive(ends, key & UINT32_MAX)) {
            merged[found++] = key;
        }
    }
    bp_buffer_swap(&ends->pairs, &ends->merged);
    ends->pair_count = found;
    ends->event_count = 0;
    return true;
}

// ---- sifting --------------------------------------------------------------------------------------------------------

// Updates the coordinates of the ends of an axis, still in the old order, and drops the ends of objects that are gone.
// Returns how many are left.
static size_t refresh_ends(const sweep_ends *ends, int axis) {
    uint64_t *list = axis_ends(ends, axis);
    size_t left = 0;
    for (size_t i = 0; i < ends->end_count; ++i) {
        const uint64_t old = list[i];
        const uint32_t id = id_of(old);
        if (is_alive(ends, id)) {
            list[left++] = end_for(&ends->boxes[id], id, axis, is_begin(old));
        }
    }
    return left;
}

// Moves an end down to its place, past others: boxes are compared as they are where two may begin to overlap, as they were
// where they may have ceased to. Returns how many it has passed; SIZE_MAX if memory is short.
static size_t sift_end(sweep_ends *ends, uint64_t *list, size_t from) {
    const uint64_t end = list[from];
    const bool begins = is_begin(end);
    const bp_box *boxes = begins ? ends->boxes : ends->last.data, box = boxes[id_of(end)];
    size_t at = from;
    bool granted = true;
    for (; at > 0 && list[at - 1] > end; --at) {
        const uint64_t other = list[at - 1];
        list[at] = other;
        if (is_begin(other) != begins && bp_boxes_overlap_branchless(&box, &boxes[id_of(other)], ends->dimensions)) {
            granted &= note_event(ends, id_of(end), id_of(other), !begins);
        }
    }
    list[at] = end;
    return granted ? from - at : SIZE_MAX;
}

// An insertion sort of each axis: each two ends in the wrong order pass each other once. False if memory is short.
static bool sift_axes(sweep_ends *ends, double budget, bool *gave_up) {
    uint64_t steps = 0;
    size_t left = 0;
    for (int axis = 0; axis < (int)ends->dimensions; ++axis) {
        uint64_t *list = axis_ends(ends, axis);
        left = refresh_ends(ends, axis);
        for (size_t i = 1; i < left && (double)steps <= budget; ++i) {
            const size_t passed = list[i - 1] > list[i] ? sift_end(ends, list, i) : 0;
            if (passed == SIZE_MAX) {
                return false;
            }
            steps += passed;
        }
    }
    ends->end_count = left;
    ends->tests += steps;
    *gave_up = (double)steps > budget;
    return true;
}

// ---- added objects --------------------------------------------------------------------------------------------------

static bool is_added(const sweep_ends *ends, uint32_t id) {
    return bp_box_is_hole((const bp_box *)ends->last.data + id) && !bp_box_is_hole(&ends->boxes[id]);
}

// The ends of added objects go behind the others, and all are sorted again.
static void sort_in_added(sweep_ends *ends) {
    size_t count = ends->end_count;
    for (int axis = 0; axis < (int)ends->dimensions; ++axis) {
        uint64_t *list = axis_ends(ends, axis);
        count = ends->end_count;
        for (uint32_t id = 0; id < ends->id_count; ++id) {
            if (is_added(ends, id)) {
                list[count++] = end_for(&ends->boxes[id], id, axis, true);
                list[count++] = end_for(&ends->boxes[id], id, axis, false);
            }
        }
        if (bp_sort_keys(list, ends->spare.data, count, 0, 64) != list) {
            bp_buffer_swap(&ends->ends[axis], &ends->spare);
        }
    }
    ends->end_count = count;
}

// An added object is tested against all. False if memory is short.
static bool pair_added(sweep_ends *ends, uint32_t id) {
    bool granted = true;
    for (uint32_t other = 0; other < ends->id_count && granted; ++other) {
        if (bp_boxes_overlap_branchless(&ends->boxes[id], &ends->boxes[other], ends->dimensions) && other != id) {
            granted = note_event(ends, id, other, false);
        }
    }
    ends->tests += ends->id_count;
    return granted;
}

// ---- building and updating ------------------------------------------------------------------------------------------

// New ids are holes until their ends are there. False if memory is short.
static bool take_boxes(sweep_ends *ends, const bp_box *boxes, size_t count) {
    if (!reserve_ends(ends, count)) {
        return false;
    }
    for (size_t id = ends->id_count; id < count; ++id) {
        ((bp_box *)ends->last.data)[id] = bp_box_hole();
    }
    ends->boxes = boxes;
    ends->id_count = count;
    return true;
}

bp_status bp_sweep_ends_build(sweep_ends *ends, const bp_box *boxes, size_t count, const bp_pairs *pairs) {
    ends->id_count = 0;
    ends->end_count = 0;
    ends->pair_count = 0;
    ends->event_count = 0;
    bool granted = take_boxes(ends, boxes, count);
    for (size_t i = 0; granted && i < pairs->count; ++i) {
        granted = note_event(ends, pairs->data[i].a, pairs->data[i].b, false);
    }
    if (!granted || !merge_events(ends)) {
        return BP_ERROR_MEMORY;
    }
    sort_in_added(ends);
    bp_boxes_copy(ends->last.data, boxes, count, &ends->runtime->executor);
    return BP_OK;
}

bp_status bp_sweep_ends_update(sweep_ends *ends, const bp_box *boxes, size_t count, double budget, bool *gave_up) {
    size_t added = 0;
    if (!take_boxes(ends, boxes, count)) {
        return BP_ERROR_MEMORY;
    }
    for (uint32_t id = 0; id < count; ++id) {
        added += is_added(ends, id);
    }
    *gave_up = (double)added * (double)count > TESTS_PER_STEP * budget;
    if (*gave_up) {
        return BP_OK;
    }
    bool granted = sift_axes(ends, budget, gave_up);
    if (!granted || *gave_up) {
        return granted ? BP_OK : BP_ERROR_MEMORY;
    }
    if (added > 0) {
        sort_in_added(ends);
    }
    for (uint32_t id = 0; id < count && granted && added > 0; ++id) {
        granted = !is_added(ends, id) || pair_added(ends, id);
    }
    bp_boxes_copy(ends->last.data, boxes, count, &ends->runtime->executor);
    return granted && merge_events(ends) ? BP_OK : BP_ERROR_MEMORY;
}

double bp_sweep_ends_overlaps(const sweep_ends *ends, int axis) {
    const uint64_t *list = axis_ends(ends, axis);
    uint64_t open = 0, overlaps = 0;
    for (size_t i = 0; i < ends->end_count; ++i) {
        const uint64_t begins = is_begin(list[i]);
        overlaps += open * begins;
        open += 2 * begins - 1;
    }
    return (double)overlaps;
}

bp_status bp_sweep_ends_report(sweep_ends *ends, bp_sink *sink) {
    const uint64_t *keys = ends->pairs.data;
    size_t room = 0;
    sink->tests += ends->tests;
    ends->tests = 0;
    if (ends->pair_count == 0) {
        return BP_OK;
    }
    bp_pair *out = bp_sink_room(sink, ends->pair_count, &room);
    if (out == NULL) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < ends->pair_count; ++i) {
        out[i] = (bp_pair){.a = (uint32_t)(keys[i] >> 32), .b = (uint32_t)keys[i]};
    }
    bp_sink_commit(sink, out, ends->pair_count);
    return BP_OK;
}

// ---- validation -----------------------------------------------------------------------------------------------------

// In order, so no end occurs twice; each with the right coordinate, of an existing object; and the right number of
// them.
static bool axis_is_right(const sweep_ends *ends, int axis, size_t alive) {
    const uint64_t *list = axis_ends(ends, axis);
    bool right = ends->end_count == 2 * alive;
    for (size_t i = 0; right && i < ends->end_count; ++i) {
        const uint32_t id = id_of(list[i]);
        right = is_alive(ends, id) && list[i] == end_for(&ends->boxes[id], id, axis, is_begin(list[i])) &&
                (i == 0 || list[i - 1] < list[i]);
    }
    return right;
}

// Pairs in order, so none occurs twice, that overlap; and as many as there are by a sweep along the first axis.
static bool pairs_are_right(const sweep_ends *ends) {
    const uint64_t *list = axis_ends(ends, 0), *keys = ends->pairs.data;
    const bp_box *boxes = ends->boxes;
    size_t found = 0;
    bool right = ends->pair_count <= ends->pairs.bytes / sizeof *keys;
    for (size_t i = 0; right && i < ends->pair_count; ++i) {
        const uint64_t a = keys[i] >> 32, b = keys[i] & UINT32_MAX;
        right = a < b && b < ends->id_count && (i == 0 || keys[i - 1] < keys[i]) &&
                bp_boxes_overlap(&boxes[a], &boxes[b], ends->dimensions);
    }
    for (size_t i = 0; right && i < ends->end_count; ++i) {
        const uint32_t id = id_of(list[i]);
        for (size_t k = i + 1; is_begin(list[i]) && id_of(list[k]) != id; ++k) {
            found += is_begin(list[k]) && bp_boxes_overlap(&boxes[id], &boxes[id_of(list[k])], ends->dimensions);
        }
    }
    return right && found == ends->pair_count;
}

bp_status bp_sweep_ends_validate(const sweep_ends *ends) {
    const bp_box *last = ends->last.data;
    size_t alive = 0;
    bool right = true;
    for (size_t id = 0; id < ends->id_count; ++id) {
        const bool is_hole = bp_box_is_hole(&ends->boxes[id]);
        alive += !is_hole;
        const bp_box box = bp_box_flatten(ends->boxes[id], ends->dimensions),
                     was = bp_box_flatten(last[id], ends->dimensions);
        right &= is_hole ? bp_box_is_hole(&was) : bp_box_is_same(&was, &box);
    }
    for (int axis = 0; right && axis < (int)ends->dimensions; ++axis) {
        right = axis_is_right(ends, axis, alive);
    }
    if (!right || !pairs_are_right(ends)) {
        bp_log_write(&ends->runtime->log, "sweep-and-prune: the ends or pairs do not match the boxes");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
