#include "world/statics.h"

#include "base/boxes.h"
#include "engine/grid/hierarchical_grid.h"

// At most one object in this many may move. An object that searches among static ones looks at three times as many cells as
// one that searches among all, where each two objects meet once. Where half of the objects move, one search over all takes
// 0.4 to 0.75 of the time; where a fifth does, 0.8 to 1.2; where a third does and static ones are of all sizes, 1.2.
enum { MOVING_SHARE = 3 };

static bp_box *moving_of(const bp_statics *s) {
    return s->moving.data;
}

static bp_box *fixed_of(const bp_statics *s) {
    return s->fixed.data;
}

void bp_statics_free(bp_statics *s, const bp_method_ops *ops, const bp_allocator *allocator) {
    bp_method_destroy(ops, allocator, s->state);
    bp_buffer_free(&s->moving, allocator);
    bp_buffer_free(&s->fixed, allocator);
    *s = (bp_statics){0};
}

void bp_statics_join(bp_statics *s) {
    s->apart = false;
}

size_t bp_statics_bytes(const bp_statics *s) {
    return s->moving.bytes + s->fixed.bytes;
}

size_t bp_statics_structure_bytes(const bp_statics *s, const bp_method_ops *ops) {
    bp_stats stats = {0};
    if (s->apart) {
        ops->stats(s->state, &stats);
    }
    return stats.bytes;
}

bp_status bp_statics_validate(const bp_statics *s, const bp_method_ops *ops) {
    return s->apart ? ops->validate(s->state) : BP_OK;
}

// ---- separating -----------------------------------------------------------------------------------------------------

static size_t count_static(const bp_object *objects, size_t count) {
    size_t found = 0;
    for (size_t id = 0; id < count; ++id) {
        found += (objects[id].flags & BP_STATIC) != 0;
    }
    return found;
}

// Two linked grids cannot be searched across.
static bool can_separate(const bp_method_ops *ops, const bp_method_settings *settings) {
    return ops->find_between != NULL && (ops != &bp_hierarchical_grid_ops || settings->grid_form != BP_GRID_LINKED);
}

static bool pays(const bp_object *objects, size_t count) {
    return objects != NULL && count_static(objects, count) >= count - count / MOVING_SHARE;
}

// Room for `count` ids; keeps the fixed boxes. The structure refers to these boxes: if they move in memory, it has to
// be rebuilt.
static bool reserve_both(bp_statics *s, const bp_allocator *allocator, size_t count) {
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

static bool is_same_box_or_hole(const bp_box *a, const bp_box *b) {
    return bp_box_is_hole(a) ? bp_box_is_hole(b) : bp_box_is_same(a, b);
}

// Copies the boxes to `moving` and `fixed`, and checks whether the fixed ones are unchanged.
static void copy_to_moving_and_fixed(bp_statics *s, const bp_box *boxes, const bp_object *objects, size_t count) {
    for (size_t id = 0; id < count; ++id) {
        const bool is_static = (objects[id].flags & BP_STATIC) != 0;
        const bp_box fixed = is_static ? boxes[id] : bp_box_hole();
        moving_of(s)[id] = is_static ? bp_box_hole() : boxes[id];
        s->built = s->built && is_same_box_or_hole(&fixed, &fixed_of(s)[id]);
        fixed_of(s)[id] = fixed;
    }
}

static bp_status build_fixed(bp_statics *s, const bp_method_ops *ops, const bp_method_setup *setup) {
    if (s->state == NULL) {
        s->state = bp_method_create(ops, setup);
    }
    if (s->state == NULL) {
        return BP_ERROR_MEMORY;
    }
    const bp_status status = s->built ? BP_OK : ops->build(s->state, fixed_of(s), s->id_count);
    s->built = status == BP_OK;
    return status;
}

bp_status bp_statics_separate(bp_statics *s, const bp_world_method *method, const bp_method_setup *setup,
                              const bp_box *boxes, const bp_object *objects, size_t count) {
    s->apart = false;
    if (!can_separate(method->ops, &setup->settings) || !pays(objects, count)) {
        return BP_OK;
    }
    if (!reserve_both(s, &setup->runtime.allocator, count)) {
        return BP_ERROR_MEMORY;
    }
    copy_to_moving_and_fixed(s, boxes, objects, count);
    bp_status status = build_fixed(s, method->ops, setup);
    if (status == BP_OK) {
        status = method->ops->build(method->state, moving_of(s), count);
    }
    s->apart = status == BP_OK;
    return status;
}

bp_status bp_statics_find(const bp_statics *s, const bp_world_method *method, bp_sink *sink) {
    return method->ops == &bp_hierarchical_grid_ops
               ? bp_hierarchical_grid_find_across(method->state, s->state, sink)
               : method->ops->find_between(s->state, moving_of(s), s->id_count, sink);
}
