#include "world/statics.h"

#include "base/boxes.h"

enum { SHARE = 4 }; // one object in so many must be static

static bp_box *moving_of(const bp_statics *s) {
    return s->moving.data;
}

static bp_box *fixed_of(const bp_statics *s) {
    return s->fixed.data;
}

void bp_statics_free(bp_statics *s, const bp_method_ops *ops, const bp_allocator *allocator) {
    if (s->state != NULL) {
        ops->destroy(s->state);
    }
    bp_buffer_free(&s->moving, allocator);
    bp_buffer_free(&s->fixed, allocator);
}

static size_t count_static(const bp_object *objects, size_t count) {
    size_t found = 0;
    for (size_t id = 0; id < count; ++id) {
        found += (objects[id].flags & BP_STATIC) != 0;
    }
    return found;
}

// Room for `count` ids; what is fixed so far is kept. The structure looks at these boxes: if they move in memory, it has
// to be built anew.
static bool reserve(bp_statics *s, const bp_allocator *allocator, size_t count) {
    const void *before = s->fixed.data;
    if (!bp_buffer_reserve_slack(&s->moving, allocator, 0, count, sizeof(bp_box)) ||
        !bp_buffer_reserve_slack(&s->fixed, allocator, s->id_count * sizeof(bp_box), count, sizeof(bp_box))) {
        return false;
    }
    s->built = s->built && s->fixed.data == before && s->id_count == count;
    for (; s->id_count < count; ++s->id_count) {
        fixed_of(s)[s->id_count] = bp_box_hole();
    }
    return true;
}

static bool is_same(const bp_box *a, const bp_box *b) {
    return bp_box_is_hole(a) ? bp_box_is_hole(b) : bp_box_is_same(a, b);
}

// Sorts the boxes into those that move and those that are fixed, and notes whether the latter are still the same.
static void part(bp_statics *s, const bp_box *boxes, const bp_object *objects, size_t count) {
    for (size_t id = 0; id < count; ++id) {
        const bool is_static = (objects[id].flags & BP_STATIC) != 0;
        const bp_box fixed = is_static ? boxes[id] : bp_box_hole();
        moving_of(s)[id] = is_static ? bp_box_hole() : boxes[id];
        s->built = s->built && is_same(&fixed, &fixed_of(s)[id]);
        fixed_of(s)[id] = fixed;
    }
}

bp_status bp_statics_part(bp_statics *s, const bp_method_ops *ops, void *state, const bp_config *config,
                          const bp_box *boxes, const bp_object *objects, size_t count) {
    s->apart = false;
    if (objects == NULL || ops->find_between == NULL || count_static(objects, count) < count / SHARE + 1) {
        return BP_OK;
    }
    if (!reserve(s, &config->allocator, count)) {
        return BP_ERROR_MEMORY;
    }
    part(s, boxes, objects, count);
    bp_status status = s->state == NULL ? ops->create(config, &s->state) : BP_OK;
    if (status == BP_OK && !s->built) {
        status = ops->build(s->state, fixed_of(s), count);
        s->built = status == BP_OK;
    }
    if (status == BP_OK) {
        status = ops->build(state, moving_of(s), count);
    }
    s->apart = status == BP_OK;
    return status;
}

bp_status bp_statics_find(const bp_statics *s, const bp_method_ops *ops, void *state, bp_sink *sink) {
    sink->ordered = true;
    const bp_status status = ops->find_across != NULL ? ops->find_across(state, s->state, sink)
                                                      : ops->find_between(s->state, moving_of(s), s->id_count, sink);
    sink->ordered = false;
    return status;
}
