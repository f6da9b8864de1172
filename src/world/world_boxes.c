#include "world/world_boxes.h"

#include "base/parallel.h"

#include <assert.h>
#include <stdatomic.h>

enum {
    PREFETCHED = 32,   // boxes that are prefetched
    SCATTER_MIN = 2048 // boxes that are worth a task
};

static bp_box *floats_of(const bp_world_boxes *boxes) {
    return boxes->floats.data;
}

static bp_box_double *doubles_of(const bp_world_boxes *boxes) {
    return boxes->doubles.data;
}

static size_t input_size(const bp_world_boxes *boxes) {
    return boxes->is_double ? sizeof(bp_box_double) : sizeof(bp_box);
}

bp_world_boxes bp_world_boxes_begin(const bp_overlap_rule *rule) {
    return (bp_world_boxes){.rule = rule};
}

void bp_world_boxes_free(bp_world_boxes *boxes, const bp_allocator *allocator) {
    bp_buffer_free(&boxes->floats, allocator);
    bp_buffer_free(&boxes->doubles, allocator);
    bp_buffer_free(&boxes->inputs, allocator);
    bp_buffer_free(&boxes->claims, allocator);
}

size_t bp_world_boxes_bytes(const bp_world_boxes *boxes) {
    return boxes->doubles.bytes + boxes->inputs.bytes + boxes->claims.bytes;
}

// ---- room -----------------------------------------------------------------------------------------------------------

static bool reserve_boxes(bp_buffer *buffer, const bp_allocator *allocator, size_t used, size_t id_count, size_t size) {
    return bp_buffer_reserve_slack(buffer, allocator, used * size, id_count, size);
}

bool bp_world_boxes_reserve(bp_world_boxes *boxes, const bp_allocator *allocator, size_t used, size_t id_count) {
    return (!bp_world_boxes_have_margin(boxes) ||
            reserve_boxes(&boxes->inputs, allocator, used, id_count, input_size(boxes))) &&
           (!boxes->is_double || reserve_boxes(&boxes->doubles, allocator, used, id_count, sizeof(bp_box_double))) &&
           reserve_boxes(&boxes->floats, allocator, used, id_count, sizeof(bp_box));
}

void bp_world_boxes_trim(bp_world_boxes *boxes, const bp_allocator *allocator, size_t id_count) {
    bp_buffer_shrink(&boxes->inputs, allocator, boxes->inputs.data != NULL ? id_count * input_size(boxes) : 0);
    bp_buffer_shrink(&boxes->doubles, allocator, boxes->is_double ? id_count * sizeof(bp_box_double) : 0);
    bp_buffer_shrink(&boxes->floats, allocator, id_count * sizeof(bp_box));
    bp_buffer_free(&boxes->claims, allocator);
}

// A copy of boxes in 64 bits, with the same capacity.
static bool copy_as_doubles(const bp_buffer *floats, size_t count, const bp_allocator *allocator, bp_buffer *doubles) {
    const bp_box *from = floats->data;
    if (!bp_buffer_reserve(doubles, allocator, 0, floats->bytes / sizeof(bp_box), sizeof(bp_box_double))) {
        return false;
    }
    for (size_t id = 0; from != NULL && id < count; ++id) {
        ((bp_box_double *)doubles->data)[id] = bp_box_to_double(&from[id]);
    }
    return true;
}

bool bp_world_boxes_make_double(bp_world_boxes *boxes, const bp_allocator *allocator, size_t id_count) {
    bp_buffer doubles = {0}, inputs = {0};
    if (!copy_as_doubles(&boxes->floats, id_count, allocator, &doubles) ||
        !copy_as_doubles(&boxes->inputs, id_count, allocator, &inputs)) {
        bp_buffer_free(&doubles, allocator);
        return false;
    }
    bp_buffer_free(&boxes->inputs, allocator);
    boxes->inputs = inputs;
    boxes->doubles = doubles;
    boxes->is_double = true;
    boxes->is_fitted = false;
    return true;
}

// ---- growing --------------------------------------------------------------------------------------------------------

// Grown by the same amount on both sides of each axis, so that the centre stays where it is.
static bp_box_double grown_evenly(const bp_box_double *box, const bp_box_double *grown) {
    bp_box_double even;
    for (int axis = 0; axis < 3; ++axis) {
        const double most = fmax(box->min[axis] - grown->min[axis], grown->max[axis] - box->max[axis]);
        even.min[axis] = box->min[axis] - most;
        even.max[axis] = box->max[axis] + most;
    }
    return even;
}

// Whether an object that lies in a grown box is also inside it as a sphere. Along a diagonal it can leave the grown
// sphere while its box is still inside the grown box.
static bool is_held(const bp_overlap_rule *rule, const bp_box_double *grown, const bp_box_double *box) {
    return rule->shape != BP_SHAPE_SPHERES || bp_sphere_holds(grown, box, rule->dimensions);
}

// The box that a sphere gets to move in. The faces of a grown box are rounded, and far from the origin by so different
// amounts that its sphere does not hold the object's any more. Then both faces are moved by the larger amount. Where even
// that is rounded, or infinite, the object gets no margin.
static bp_box_double fit_sphere_double(const bp_overlap_rule *rule, const bp_box_double *box) {
    const bp_box_double grown = bp_box_double_grown(box, rule->margin);
    if (is_held(rule, &grown, box)) {
        return grown;
    }
    const bp_box_double even = grown_evenly(box, &grown);
    return is_held(rule, &even, box) ? even : *box;
}

// The same in 32 bits.
static bp_box fit_sphere(const bp_overlap_rule *rule, const bp_box *box) {
    const bp_box grown = bp_box_grown(box, rule->margin);
    const bp_box_double double_box = bp_box_to_double(box), double_grown = bp_box_to_double(&grown);
    if (is_held(rule, &double_grown, &double_box)) {
        return grown;
    }
    const bp_box_double even = grown_evenly(&double_box, &double_grown);
    const bp_box rounded = bp_box_round_outwards(&even);
    const bp_box_double double_rounded = bp_box_to_double(&rounded);
    return is_held(rule, &double_rounded, &double_box) ? rounded : *box;
}

// The box that any object gets to move in.
static inline bp_box_double fit_double(const bp_overlap_rule *rule, const bp_box_double *box) {
    return rule->shape == BP_SHAPE_SPHERES ? fit_sphere_double(rule, box) : bp_box_double_grown(box, rule->margin);
}

static inline bp_box fit(const bp_overlap_rule *rule, const bp_box *box) {
    assert(box != NULL); // gcc's analyzer thinks that it might be
    return rule->shape == BP_SHAPE_SPHERES ? fit_sphere(rule, box) : bp_box_grown(box, rule->margin);
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void write_input(bp_world_boxes *boxes, bp_id id, const bp_input *input, size_t index) {
    if (bp_world_boxes_have_margin(boxes) && boxes->is_double) {
        ((bp_box_double *)boxes->inputs.data)[id] = bp_input_double(input, index);
    } else if (bp_world_boxes_have_margin(boxes)) {
        ((bp_box *)boxes->inputs.data)[id] = input->floats[index];
    }
}

static void store_grown_box(bp_world_boxes *boxes, bp_id id, const bp_input *input, size_t index) {
    if (boxes->is_double) {
        const bp_box_double box = bp_input_double(input, index);
        doubles_of(boxes)[id] = fit_double(boxes->rule, &box);
        floats_of(boxes)[id] = bp_box_round_outwards(&doubles_of(boxes)[id]);
    } else {
        floats_of(boxes)[id] = fit(boxes->rule, &input->floats[index]);
    }
}

void bp_world_boxes_put(bp_world_boxes *boxes, bp_id id, const bp_input *input, size_t index) {
    write_input(boxes, id, input, index);
    store_grown_box(boxes, id, input, index);
}

void bp_world_boxes_clear(bp_world_boxes *boxes, bp_id id) {
    floats_of(boxes)[id] = bp_box_hole();
    if (boxes->is_double) {
        doubles_of(boxes)[id] = bp_box_to_double(&floats_of(boxes)[id]);
    }
}

void bp_world_boxes_refit(bp_world_boxes *boxes, size_t id_count) {
    bp_input input = {.count = id_count};
    if (boxes->inputs.data == NULL || boxes->is_fitted) { // no margin, no objects, or nothing to do
        return;
    }
    if (boxes->is_double) {
        input.doubles = boxes->inputs.data;
    } else {
        input.floats = boxes->inputs.data;
    }
    for (size_t id = 0; id < id_count; ++id) {
        if (!bp_box_is_hole(&floats_of(boxes)[id])) {
            store_grown_box(boxes, (bp_id)id, &input, id);
        }
    }
    boxes->is_fitted = true;
}

// ---- writing many ---------------------------------------------------------------------------------------------------

// Boxes to the places of their ids. Several blocks at once may only do so if no id comes twice, or the last one would not
// win for certain. So each box first claims its place; whoever finds another one's claim there says so.
//
//     ids      | 7 | 2 | 7 |        claims (by id)   . . 1 . . . . 2 .        box 0 does not find its own: 7 comes twice
typedef struct scatter {
    const bp_box *from;
    bp_box *to;
    const bp_id *ids;
    _Atomic uint32_t *claims; // by id: which box
    bp_blocks blocks;
    atomic_bool is_disputed;
} scatter;

static void task_claim(void *context, size_t block) {
    const scatter *s = context;
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t i = bp_block_begin(s->blocks, block); i < end; ++i) {
        atomic_store_explicit(&s->claims[s->ids[i]], (uint32_t)i, memory_order_relaxed);
    }
}

static void task_scatter(void *context, size_t block) {
    scatter *s = context;
    const size_t end = bp_block_begin(s->blocks, block + 1);
    bool is_disputed = false;
    for (size_t i = bp_block_begin(s->blocks, block); i < end; ++i) {
        const bp_id id = s->ids[i];
        if (atomic_load_explicit(&s->claims[id], memory_order_relaxed) == (uint32_t)i) {
            s->to[id] = s->from[i];
        } else {
            is_disputed = true;
        }
    }
    if (is_disputed) {
        atomic_store(&s->is_disputed, true);
    }
}

static void scatter_in_order(const scatter *s) {
    for (size_t i = 0; i < s->blocks.item_count; ++i) {
        bp_prefetch_write(&s->to[s->ids[i + PREFETCHED < s->blocks.item_count ? i + PREFETCHED : i]]);
        s->to[s->ids[i]] = s->from[i];
    }
}

static void scatter_boxes(bp_world_boxes *boxes, scatter s, size_t count, size_t id_count, const bp_runtime *runtime) {
    const bp_executor *executor = &runtime->executor;
    s.blocks = bp_blocks_cut(executor, count, SCATTER_MIN, SIZE_MAX);
    atomic_init(&s.is_disputed, false);
    if (s.blocks.count > 1 && count < UINT32_MAX &&
        bp_buffer_reserve_slack(&boxes->claims, &runtime->allocator, 0, id_count, sizeof *s.claims)) {
        s.claims = boxes->claims.data;
        bp_parallel_for(executor, s.blocks.count, task_claim, &s);
        bp_parallel_for(executor, s.blocks.count, task_scatter, &s);
        if (!atomic_load(&s.is_disputed)) {
            return;
        }
    }
    scatter_in_order(&s);
}

void bp_world_boxes_put_many(bp_world_boxes *boxes, const bp_input *input, const bp_id *ids, size_t id_count,
                             const bp_runtime *runtime) {
    const bp_executor *executor = &runtime->executor;
    bp_box *to = bp_world_boxes_have_margin(boxes) ? boxes->inputs.data : floats_of(boxes);
    if (ids == NULL) {
        bp_boxes_copy(to, input->floats, input->count, executor);
    } else {
        scatter_boxes(boxes, (scatter){.from = input->floats, .to = to, .ids = ids}, input->count, id_count, runtime);
    }
    boxes->is_fitted = false;
    bp_world_boxes_refit(boxes, id_count);
}

// ---- moves inside the margin ----------------------------------------------------------------------------------------

static bool double_contains(const bp_box_double *outer, const bp_box_double *inner, uint32_t dimensions) {
    bool inside = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        inside &= (outer->min[axis] <= inner->min[axis]) & (inner->max[axis] <= outer->max[axis]);
    }
    return inside;
}

// Whether a grown box is not much larger than a new one would be (it is if its object has shrunk): it may reach two
// margins beyond the object, rounded outwards like margins. (The first test is for speed.)
static bool is_close(const bp_overlap_rule *rule, const bp_box_double *grown, const bp_box_double *box) {
    const double most = 2.0 * (double)rule->margin;
    bool close = true;
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        close &= (box->min[axis] - grown->min[axis] <= most) & (grown->max[axis] - box->max[axis] <= most);
    }
    if (close) {
        return true;
    }
    const bp_box_double once = bp_box_double_grown(box, rule->margin);
    const bp_box_double twice = bp_box_double_grown(&once, rule->margin);
    return double_contains(&twice, grown, rule->dimensions);
}

bool bp_world_boxes_is_idle_move(const bp_world_boxes *boxes, bp_id id, const bp_input *input, size_t index) {
    const bp_overlap_rule *rule = boxes->rule;
    const bool has_margin = bp_world_boxes_have_margin(boxes);
    if (!boxes->is_double && !has_margin) {
        return bp_box_is_same(&floats_of(boxes)[id], &input->floats[index]);
    }
    const bp_box_double box = bp_input_double(input, index), grown = bp_world_boxes_grown(boxes, id);
    if (!has_margin) {
        return double_contains(&grown, &box, 3) && double_contains(&box, &grown, 3);
    }
    if (!double_contains(&grown, &box, rule->dimensions) || !is_held(rule, &grown, &box)) {
        return false;
    }
    if (is_close(rule, &grown, &box)) {
        return true;
    }
    // Or growing the box anew would give one that is at least as large.
    const bp_box narrow = boxes->is_double ? bp_box_hole() : fit(rule, &input->floats[index]);
    const bp_box_double anew = boxes->is_double ? fit_double(rule, &box) : bp_box_to_double(&narrow);
    return double_contains(&anew, &grown, rule->dimensions);
}

void bp_world_boxes_note_idle_move(bp_world_boxes *boxes, bp_id id, const bp_input *input, size_t index) {
    boxes->is_fitted = false;
    write_input(boxes, id, input, index);
}

bool bp_world_boxes_put_grown(bp_world_boxes *boxes, bp_id id, const bp_box_double *grown) {
    const bp_box_double input = bp_world_boxes_input(boxes, id);
    if (!double_contains(grown, &input, boxes->rule->dimensions)) {
        return false;
    }
    if (!is_held(boxes->rule, grown, &input)) {
        return true;
    }
    boxes->is_fitted = false;
    floats_of(boxes)[id] = bp_box_round_outwards(grown);
    if (boxes->is_double) {
        doubles_of(boxes)[id] = *grown;
    }
    return true;
}

// ---- reading --------------------------------------------------------------------------------------------------------

bp_box_double bp_world_boxes_input(const bp_world_boxes *boxes, bp_id id) {
    const bool has_inputs = bp_world_boxes_have_margin(boxes);
    if (boxes->is_double) {
        return has_inputs ? ((const bp_box_double *)boxes->inputs.data)[id] : doubles_of(boxes)[id];
    }
    return bp_box_to_double(has_inputs ? &((const bp_box *)boxes->inputs.data)[id] : &floats_of(boxes)[id]);
}

bp_box_double bp_world_boxes_grown(const bp_world_boxes *boxes, bp_id id) {
    return boxes->is_double ? doubles_of(boxes)[id] : bp_box_to_double(&floats_of(boxes)[id]);
}

bp_input bp_world_boxes_all_grown(const bp_world_boxes *boxes, size_t id_count) {
    return boxes->is_double ? bp_input_doubles(doubles_of(boxes), id_count)
                            : bp_input_floats(floats_of(boxes), id_count);
}
