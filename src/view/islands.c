// Placing islands, and moving their boxes to their slots.
//
// A crowd is the sum over all islands of the square of how many of its boxes are lost: clamped, or too small. So many pairs of
// boxes might coincide that are apart. As long as that is no more than the number of boxes, it does not matter; if it grows,
// centres and slots are chosen anew; where even that leaves too many, coordinates become ranks.
#include "view/islands.h"

#include "base/boxes.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/sample.h"

#include <assert.h>
#include <stdatomic.h>

enum {
    FACES = 6,
    BOXES_TOGETHER = BP_ISLAND_FACES / FACES, // boxes
    MEMBERS = 7,                              // boxes that are looked at for the centre of an island
    SAMPLE = 2048,                            // boxes that are looked at for the size of slots
    BLOCK_MIN = 4096,                         // boxes that are worth a task
    BLOCKS_MAX = 256,
    RANKED_UPDATES = 64 // then it is tried without
};

static const double BEARABLE = 64.0;        // a crowd of so many times the number of boxes
static const float SMALL_EXTENT = 0x1p-20f; // of the largest coordinate: 8 units in the last place
static const float GAP = 1.03125f;          // from slot to slot, in lengths of a slot: more than any rounding
static const uint32_t NONE = UINT32_MAX;
static const float SHORTEST = 0x1p-100f; // half of a slot

typedef struct island_slot { // for the faces of a box: lower and upper ones along x, y, z
    float centre[FACES];     // of the island, where it is
    float origin[FACES];     // of the slot: its middle
} island_slot;

typedef struct sampled_members {
    uint32_t seen, ids[MEMBERS];
} sampled_members;

void bp_islands_free(bp_islands *s, const bp_allocator *allocator) {
    bp_buffer *const buffers[] = {&s->numbers, &s->values, &s->lost, &s->slots, &s->members, &s->moved, &s->keys};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
}

size_t bp_islands_bytes(const bp_islands *s) {
    return s->numbers.bytes + s->values.bytes + s->lost.bytes + s->slots.bytes + s->members.bytes + s->moved.bytes +
           s->keys.bytes;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// Runs of objects alive that have the same island. Without `keys` they are only counted; else they become keys (island, run),
// and each id gets its run.
static size_t list_runs(const bp_object *objects, const bp_box *boxes, size_t id_count, uint64_t *keys,
                        uint32_t *run_of_id) {
    size_t count = 0;
    uint32_t island = 0;
    for (size_t id = 0; id < id_count; ++id) {
        if (!bp_box_is_hole(&boxes[id]) && (count == 0 || objects[id].island != island)) {
            island = objects[id].island;
            if (keys != NULL) {
                keys[count] = (uint64_t)island << 32 | count;
            }
            ++count;
        }
        if (keys != NULL) {
            run_of_id[id] = count > 0 ? (uint32_t)(count - 1) : 0;
        }
    }
    return count;
}

bool bp_islands_number(bp_islands *s, const bp_view *view, const bp_object *objects, const bp_box *boxes,
                       size_t id_count) {
    const bp_allocator *allocator = &view->runtime->allocator;
    s->are_apart = false;
    if (objects == NULL || view->keeps_origin) {
        return true;
    }
    const size_t run_count = list_runs(objects, boxes, id_count, NULL, NULL);
    if (run_count == 0) { // nobody is alive
        return true;
    }
    if (!bp_buffer_reserve_slack(&s->numbers, allocator, 0, id_count, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&s->values, allocator, s->count * sizeof(uint32_t), run_count, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&s->keys, allocator, 0, bp_size_multiply(run_count, 2), sizeof(uint64_t))) {
        return false;
    }
    uint64_t *keys = s->keys.data, *spare = keys + run_count;
    assert(keys != NULL); // clang's analyzer thinks that it might be
    (void)list_runs(objects, boxes, id_count, keys, s->numbers.data);
    const uint64_t *sorted = bp_sort_keys(keys, spare, run_count, 32, 64);
    uint64_t *other = sorted == keys ? spare : keys;
    // Numbers the islands of sorted runs, and their ids. Slots that are known stay as they are if the islands are the same.
    uint32_t *number_of_run = (uint32_t *)(void *)other, *numbers = s->numbers.data, *values = s->values.data;
    const size_t last_count = s->count;
    s->count = 0;
    for (size_t i = 0; i < run_count; ++i) {
        const uint32_t value = (uint32_t)(sorted[i] >> 32);
        if (i == 0 || value != values[s->count - 1]) {
            s->are_placed &= s->count < last_count && values[s->count] == value;
            values[s->count++] = value;
        }
        number_of_run[(uint32_t)sorted[i]] = (uint32_t)(s->count - 1);
    }
    for (size_t id = 0; id < id_count; ++id) {
        numbers[id] = number_of_run[numbers[id]];
    }
    s->are_placed &= s->count == last_count;
    s->are_apart = s->count > 1;
    return true;
}

// ---- places ---------------------------------------------------------------------------------------------------------

static uint32_t number_of(const bp_islands *s, const bp_view *view, size_t proxy) {
    const uint32_t *numbers = s->numbers.data;
    const bp_image *images = view->images.data;
    return numbers[proxy < view->input.count ? proxy : images[proxy - view->input.count].owner];
}

static bool is_finite_along(const bp_box *box, int axis) {
    return box->min[axis] >= -FLT_MAX && box->max[axis] <= FLT_MAX; // a hole is not
}

// A few boxes of each island, from anywhere among them.
static void draw_members(const bp_islands *s, const bp_view *view) {
    sampled_members *all = s->members.data;
    const uint32_t *numbers = s->numbers.data;
    memset(all, 0, s->count * sizeof *all);
    for (size_t id = 0; id < view->input.count; ++id) {
        sampled_members *m = &all[numbers[id]];
        if (!bp_box_is_hole(&view->boxes[id])) {
            const uint32_t seen = m->seen++, hash = (seen ^ seen >> 15) * 0x85ebca6bu;
            const uint64_t place = seen < MEMBERS ? seen : (hash ^ hash >> 13) * ((uint64_t)seen + 1) >> 32;
            if (place < MEMBERS) {
                m->ids[place] = (uint32_t)id;
            }
        }
    }
}

// The middle of the members of each island: the median of their centres. Returns half of a slot: nearly all boxes fit in, and
// few large ones do not make it large.
static float fit_axis(const bp_islands *s, const bp_view *view, int axis) {
    island_slot *slots = s->slots.data;
    float values[SAMPLE];
    for (size_t k = 0; k < s->count; ++k) {
        const sampled_members *m = (const sampled_members *)s->members.data + k;
        size_t count = 0;
        for (uint32_t i = 0; i < MEMBERS && i < m->seen; ++i) {
            const bp_box *box = &view->boxes[m->ids[i]];
            if (is_finite_along(box, axis)) {
                values[count++] = 0.5f * box->min[axis] + 0.5f * box->max[axis];
            }
        }
        bp_sort_floats(values, count);
        slots[k].centre[axis] = count > 0 ? values[count / 2] : 0.0f;
    }
    const size_t wanted = view->count < SAMPLE ? view->count : SAMPLE;
    size_t count = 0;
    for (size_t i = 0; i < wanted; ++i) {
        const size_t proxy = bp_sample_place(view->count, i, wanted);
        const bp_box *box = &view->boxes[proxy];
        const float centre = slots[number_of(s, view, proxy)].centre[axis];
        if (is_finite_along(box, axis)) {
            values[count++] = bp_larger(box->max[axis] - centre, centre - box->min[axis]);
        }
    }
    if (count == 0) {
        return 1.0f;
    }
    bp_sort_floats(values, count);
    const float most = 1.5f * values[(count - 1) * 99 / 100], usual = 4.0f * values[(count - 1) * 4 / 5];
    return usual > 0.0f && usual < most ? usual : most;
}

// The slots form a cube, so that coordinates are as small as can be. Of ranks, each slot takes all. In two dimensions z stays
// what it is.
static void place_islands(bp_islands *s, const bp_view *view) {
    const uint32_t dimensions = view->rule->dimensions;
    island_slot *slots = s->slots.data;
    size_t edge_slots = 1;
    while ((dimensions == 2 ? edge_slots * edge_slots : edge_slots * edge_slots * edge_slots) < s->count) {
        ++edge_slots;
    }
    if (!view->ranked) {
        draw_members(s, view);
    }
    memset(slots, 0, s->count * sizeof(island_slot));
    for (int face = 2; face < BOXES_TOGETHER * FACES; face += 3) {
        s->half[face] = INFINITY;
        s->small[face] = -INFINITY;
    }
    for (int axis = 0; axis < (int)dimensions; ++axis) {
        const size_t step = axis == 0 ? 1 : axis == 1 ? edge_slots : edge_slots * edge_slots;
        const float half = view->ranked ? (float)view->count : fit_axis(s, view, axis);
        const float most = FLT_MAX / (4.0f * (float)edge_slots), least = half > SHORTEST ? half : SHORTEST;
        const float small = view->ranked ? 0.0f : SMALL_EXTENT * (float)edge_slots * (least < most ? least : most);
        for (int face = axis; face < BOXES_TOGETHER * FACES; face += 3) {
            s->half[face] = least < most ? least : most;
            s->small[face] = (face / 3) % 2 != 0 ? -INFINITY : small;
        }
        for (size_t k = 0; k < s->count; ++k) {
            const float place = (float)(k / step % edge_slots) - 0.5f * (float)(edge_slots - 1);
            slots[k].origin[axis] = slots[k].origin[axis + 3] = place * (2.0f * GAP * s->half[axis]);
            slots[k].centre[axis] = view->ranked ? (float)view->count : slots[k].centre[axis];
            slots[k].centre[axis + 3] = slots[k].centre[axis];
        }
    }
    s->are_placed = true;
    s->are_ranks = view->ranked;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

// Moves the faces of boxes to slots, and writes for which of them a box is lost. Holes stay holes: no comparison with a NaN
// holds. Without a branch, so that the compiler may use vectors.
static inline void move_faces(const bp_islands *s, int count, const float *from, const float *centre,
                              const float *origin, float *restrict to, uint32_t *restrict lost) {
    for (int i = 0; i < count; ++i) {
        const float half = s->half[i], value = from[i] - centre[i];
        const float low = value < -half ? -half : value, clamped = low > half ? half : low;
        lost[i] = (uint32_t)(fabsf(value) > half) & (uint32_t)(fabsf(value) <= FLT_MAX);
        to[i] = clamped + origin[i];
    }
    for (int i = 0; i < count - 3; ++i) {
        lost[i] |= (uint32_t)(from[i + 3] - from[i] < s->small[i]); // of upper faces, nothing is small
    }
}

static inline bool is_lost(const uint32_t lost[FACES]) {
    return (lost[0] | lost[1] | lost[2] | lost[3] | lost[4] | lost[5]) != 0;
}

// Moves one box. Returns whether it is lost.
static bool move_box(const bp_islands *s, const island_slot *place, const bp_box *from, bp_box *to) {
    uint32_t lost[FACES];
    move_faces(s, FACES, (const float *)(const void *)from, place->centre, place->origin, (float *)(void *)to, lost);
    return is_lost(lost);
}

typedef struct move_job {
    bp_islands *islands;
    const bp_view *view;
    bp_blocks blocks;
} move_job;

static void task_move(void *context, size_t block) {
    const move_job *job = context;
    const bp_islands *s = job->islands;
    const island_slot *slots = s->slots.data;
    const bp_box *from = job->view->boxes;
    bp_box *to = s->moved.data;
    _Atomic uint32_t *all_lost = s->lost.data;
    size_t i = bp_block_begin(job->blocks, block);
    const size_t end = bp_block_begin(job->blocks, block + 1);
    float centre[BOXES_TOGETHER * FACES], origin[BOXES_TOGETHER * FACES];
    uint32_t lost[BOXES_TOGETHER * FACES], numbers[BOXES_TOGETHER], filled[BOXES_TOGETHER] = {NONE, NONE, NONE, NONE};
    for (; i + BOXES_TOGETHER <= end; i += BOXES_TOGETHER) {
        for (size_t k = 0; k < BOXES_TOGETHER; ++k) {
            numbers[k] = number_of(s, job->view, i + k);
            if (numbers[k] != filled[k]) { // copying them each time takes as long as all the rest
                filled[k] = numbers[k];
                memcpy(&centre[k * FACES], slots[numbers[k]].centre, sizeof slots->centre);
                memcpy(&origin[k * FACES], slots[numbers[k]].origin, sizeof slots->origin);
            }
        }
        move_faces(s, BOXES_TOGETHER * FACES, (const float *)(const void *)&from[i], centre, origin,
                   (float *)(void *)&to[i], lost);
        uint32_t any = 0;
        for (int face = 0; face < BOXES_TOGETHER * FACES; ++face) {
            any |= lost[face];
        }
        for (size_t k = 0; k < BOXES_TOGETHER && any != 0; ++k) {
            atomic_fetch_add_explicit(&all_lost[numbers[k]], is_lost(&lost[k * FACES]), memory_order_relaxed);
        }
    }
    for (; i < end; ++i) {
        const uint32_t number = number_of(s, job->view, i);
        atomic_fetch_add_explicit(&all_lost[number], move_box(s, &slots[number], &from[i], &to[i]),
                                  memory_order_relaxed);
    }
}

// Counts a box as lost if it was not, or if it is not certain that it was: it had another island.
static void move_some(bp_islands *s, const bp_view *view, const bp_changes *changes) {
    const uint32_t *numbers = s->numbers.data;
    const island_slot *slots = s->slots.data;
    _Atomic uint32_t *lost = s->lost.data;
    bp_box before, *boxes = s->moved.data;
    for (size_t i = 0; i < changes->count; ++i) {
        const bp_id id = changes->ids[i];
        const island_slot *place = &slots[numbers[id]];
        const bool was_lost =
            changes->marks[id] == BP_MARK_CHANGED && move_box(s, place, &changes->old_boxes[i], &before);
        const bool is_new = move_box(s, place, &view->boxes[id], &boxes[id]) && !was_lost;
        atomic_fetch_add_explicit(&lost[numbers[id]], is_new, memory_order_relaxed);
    }
}

static double crowd_of(const bp_islands *s) {
    const _Atomic uint32_t *lost = s->lost.data;
    double crowd = 0.0;
    for (size_t k = 0; k < s->count; ++k) {
        const double here = (double)atomic_load_explicit(&lost[k], memory_order_relaxed);
        crowd += here * here;
    }
    return crowd;
}

// Room for all boxes, of which the first `kept` stay; new ones are holes.
static bool reserve_boxes(bp_islands *s, const bp_view *view, size_t kept) {
    const bp_allocator *allocator = &view->runtime->allocator;
    const size_t known = s->are_placed ? s->count : 0;
    if (!bp_buffer_reserve_slack(&s->moved, allocator, kept * sizeof(bp_box), view->count, sizeof(bp_box)) ||
        !bp_buffer_reserve_slack(&s->slots, allocator, known * sizeof(island_slot), s->count, sizeof(island_slot)) ||
        !bp_buffer_reserve_slack(&s->members, allocator, 0, s->count, sizeof(sampled_members)) ||
        !bp_buffer_reserve_slack(&s->lost, allocator, known * sizeof(uint32_t), s->count, sizeof(uint32_t))) {
        return false;
    }
    s->boxes = s->moved.data;
    for (; kept > 0 && kept < view->count; ++kept) {
        ((bp_box *)s->moved.data)[kept] = bp_box_hole();
    }
    s->box_count = view->count;
    return true;
}

bp_status bp_islands_make(bp_islands *s, bp_view *view, bp_input input, const bp_changes **changes) {
    s->ranked_left = s->are_apart ? s->ranked_left : 0;
    view->wants_ranks = s->ranked_left > 0;
    s->ranked_left -= s->ranked_left > 0;
    bp_status status = bp_view_make(view, input);
    s->boxes = view->boxes;
    const bp_changes *known = view->boxes == input.floats ? *changes : NULL;
    *changes = NULL;
    if (status != BP_OK || !s->are_apart) {
        return status;
    }
    s->are_placed &= !view->ranked && !s->are_ranks;
    if (known != NULL && s->are_placed) {
        if (!reserve_boxes(s, view, s->box_count)) {
            return BP_ERROR_MEMORY;
        }
        move_some(s, view, known);
        if (crowd_of(s) <= s->crowd_most) {
            *changes = known;
            return BP_OK;
        }
    }
    for (bool are_new = !s->are_placed; status == BP_OK; are_new = true) {
        if (!reserve_boxes(s, view, 0)) {
            return BP_ERROR_MEMORY;
        }
        if (are_new) {
            place_islands(s, view);
        }
        const bp_executor *executor = &view->runtime->executor;
        move_job job = {s, view, bp_blocks_cut(executor, view->count, BLOCK_MIN, BLOCKS_MAX)};
        memset(s->lost.data, 0, s->count * sizeof(uint32_t));
        bp_parallel_for(executor, job.blocks.count, task_move, &job);
        const double crowd = crowd_of(s);
        if (view->ranked || (!are_new && crowd <= s->crowd_most)) {
            break;
        }
        if (are_new && crowd <= BEARABLE * (double)input.count) {
            s->crowd_most = fmax((double)input.count, 2.0 * crowd);
            break;
        }
        if (are_new) {
            s->ranked_left = RANKED_UPDATES;
            view->wants_ranks = true;
            status = bp_view_make(view, input);
        }
    }
    return status;
}
