#include "engine/grid/stretches.h"

#include "base/boxes.h"

#include <assert.h>

enum {
    STRETCH = BP_CHUNK, // boxes
    UNIT = 8 * STRETCH, // boxes of a unit of work
    SAMPLE = 8          // stretches
};

typedef struct stretch_search {
    const bp_method_setup *setup;
    bp_box_list few, many;
    bool few_are_first; // the pairs name them first
} stretch_search;

// Every box begins in the one cell that there is.
static uint32_t item_of(uint32_t id) {
    return id | ~BP_CELL_ENTRY_ID;
}

static bp_box bounds_of_stretch(const bp_box_list *list, size_t begin, size_t end, uint32_t *items) {
    bp_box bounds = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = begin; i < end; ++i) {
        const uint32_t id = bp_box_list_id(list, i);
        const bp_box *box = &list->boxes[id];
        items[i - begin] = item_of(id);
        for (int axis = 0; axis < 3; ++axis) {
            bounds.min[axis] = bp_smaller(box->min[axis], bounds.min[axis]);
            bounds.max[axis] = bp_larger(box->max[axis], bounds.max[axis]);
        }
    }
    return bounds;
}

static size_t few_in_bounds(const stretch_search *s, const bp_box *bounds, uint32_t *items) {
    size_t end = 0;
    for (size_t i = 0; i < s->few.count; ++i) {
        const uint32_t id = bp_box_list_id(&s->few, i);
        items[end] = item_of(id);
        end += bp_boxes_overlap_branchless(&s->few.boxes[id], bounds, s->setup->dimensions);
    }
    return end;
}

static void search_stretch(const stretch_search *s, bp_range_tester *t, size_t begin) {
    const size_t end = s->many.count - begin < STRETCH ? s->many.count : begin + STRETCH;
    uint32_t few[BP_STRETCHES_FEW], many[STRETCH];
    const bp_box bounds = bounds_of_stretch(&s->many, begin, end, many);
    const uint32_t few_starts[2] = {0, (uint32_t)few_in_bounds(s, &bounds, few)};
    const uint32_t many_starts[2] = {0, (uint32_t)(end - begin)};
    const bp_join_side few_side = {s->few.boxes, few, few_starts}, many_side = {s->many.boxes, many, many_starts};
    bp_join_job job = {.a = s->few_are_first ? few_side : many_side,
                       .b = s->few_are_first ? many_side : few_side,
                       .dimensions = s->setup->dimensions,
                       .end = 1,
                       .tests = s->few.count};
    bp_range_tester_join(t, &job);
}

static void search_unit(const void *context, bp_range_tester *t, size_t unit) {
    const stretch_search *s = context;
    const size_t last = (unit + 1) * UNIT, end = last < s->many.count ? last : s->many.count;
    for (size_t begin = unit * UNIT; begin < end && !t->failed; begin += STRETCH) {
        search_stretch(s, t, begin);
    }
}

double bp_stretches_estimate(const bp_method_setup *setup, const bp_box_list *few, const bp_box_list *many) {
    const stretch_search s = {.setup = setup, .few = *few, .many = *many};
    const size_t stretches = many->count / STRETCH, sampled = stretches < SAMPLE ? stretches : SAMPLE;
    uint32_t items[BP_STRETCHES_FEW], unused[STRETCH];
    size_t met = 0;
    for (size_t i = 0; i < sampled; ++i) {
        const size_t begin = stretches * i / sampled * STRETCH;
        const bp_box bounds = bounds_of_stretch(many, begin, begin + STRETCH, unused);
        met += few_in_bounds(&s, &bounds, items);
    }
    return sampled > 0 ? (double)met / (double)sampled : (double)few->count;
}

bp_status bp_stretches_find(const bp_method_setup *setup, const bp_box_list *a, const bp_box_list *b,
                            bp_block_sinks *sinks, bp_sink *sink) {
    const bool few_are_first = a->count <= b->count;
    const stretch_search s = {.setup = setup,
                              .few = few_are_first ? *a : *b,
                              .many = few_are_first ? *b : *a,
                              .few_are_first = few_are_first};
    assert(s.few.count <= BP_STRETCHES_FEW);
    const bp_range_search search = {.runtime = &setup->runtime,
                                    .kernels = setup->kernels,
                                    .names = BP_NAMES_BY_ROLE,
                                    .unit_count = s.many.count / UNIT + 1,
                                    .unit = search_unit,
                                    .context = &s};
    return bp_range_search_run(&search, sinks, sink);
}
