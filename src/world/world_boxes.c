#include "world/world_boxes.h"

enum { PREFETCHED = 32 }; // boxes that are asked for ahead of time

static bool has_given(const bp_world *world) {
    return world->config.margin > 0.0f;
}

static size_t given_size(const bp_world *world) {
    return world->wide ? sizeof(bp_box_double) : sizeof(bp_box);
}

static bp_box_double *wide_of(const bp_world *world) {
    return world->wide_boxes.data;
}

static bp_box_double wide_at(const bp_given *given, size_t index) {
    return given->doubles != NULL ? given->doubles[index] : bp_box_widen(&given->floats[index]);
}

static bp_box outwards(const bp_box_double *box) {
    bp_box rounded;
    for (int axis = 0; axis < 3; ++axis) {
        rounded.min[axis] = bp_round_down(box->min[axis]);
        rounded.max[axis] = bp_round_up(box->max[axis]);
    }
    return rounded;
}

// ---- room -----------------------------------------------------------------------------------------------------------

// The method still looks at the old boxes when they move in memory: it must be brought up to date before it is used.
static bool reserve_seen(bp_world *world, size_t id_count) {
    const void *before = world->boxes.data;
    const bool granted = bp_buffer_reserve_slack(&world->boxes, &world->config.allocator,
                                                 world->id_count * sizeof(bp_box), id_count, sizeof(bp_box));
    world->dirty |= world->boxes.data != before;
    return granted;
}

bool bp_world_reserve_boxes(bp_world *world, size_t id_count) {
    const bp_allocator *allocator = &world->config.allocator;
    const size_t used = world->id_count, size = given_size(world);
    const bool granted =
        (!has_given(world) || bp_buffer_reserve_slack(&world->given, allocator, used * size, id_count, size)) &&
        (!world->wide || bp_buffer_reserve_slack(&world->wide_boxes, allocator, used * sizeof(bp_box_double), id_count,
                                                 sizeof(bp_box_double)));
    return granted && reserve_seen(world, id_count);
}

// A copy of boxes in 64 bits, with as much room.
static bool copy_wide(const bp_buffer *boxes, size_t count, const bp_allocator *allocator, bp_buffer *wide) {
    const bp_box *from = boxes->data;
    if (!bp_buffer_reserve(wide, allocator, 0, boxes->bytes / sizeof(bp_box), sizeof(bp_box_double))) {
        return false;
    }
    for (size_t id = 0; from != NULL && id < count; ++id) {
        ((bp_box_double *)wide->data)[id] = bp_box_widen(&from[id]);
    }
    return true;
}

bool bp_world_widen(bp_world *world) {
    const bp_allocator *allocator = &world->config.allocator;
    bp_buffer wide = {0}, given = {0};
    if (world->wide) {
        return true;
    }
    if (!copy_wide(&world->boxes, world->id_count, allocator, &wide) ||
        !copy_wide(&world->given, world->id_count, allocator, &given)) {
        bp_buffer_free(&wide, allocator);
        return false;
    }
    bp_buffer_free(&world->given, allocator);
    world->given = given;
    world->wide_boxes = wide;
    ++world->version;
    world->wide = true;
    world->fitted = false;
    world->tracks = false; // methods see such boxes through a view, in which all may have changed
    world->changed_count = 0;
    world->all_changed = true;
    return true;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void write_given(bp_world *world, bp_id id, const bp_given *given, size_t index) {
    if (has_given(world) && world->wide) {
        ((bp_box_double *)world->given.data)[id] = wide_at(given, index);
    } else if (has_given(world)) {
        ((bp_box *)world->given.data)[id] = given->floats[index];
    }
}

static void write_seen(bp_world *world, bp_id id, const bp_given *given, size_t index) {
    if (world->wide) {
        const bp_box_double box = wide_at(given, index);
        wide_of(world)[id] = bp_box_double_grown(&box, world->config.margin);
        bp_world_boxes(world)[id] = outwards(&wide_of(world)[id]);
    } else {
        bp_world_boxes(world)[id] = bp_box_grown(&given->floats[index], world->config.margin);
    }
}

void bp_world_put_box(bp_world *world, bp_id id, const bp_given *given, size_t index) {
    ++world->version;
    write_given(world, id, given, index);
    write_seen(world, id, given, index);
}

void bp_world_clear_box(bp_world *world, bp_id id) {
    bp_world_boxes(world)[id] = bp_box_hole();
    if (world->wide) {
        wide_of(world)[id] = bp_box_widen(&bp_world_boxes(world)[id]);
    }
}

static bool contains(const bp_box_double *outer, const bp_box_double *inner, uint32_t dimensions) {
    bool inside = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        inside &= (outer->min[axis] <= inner->min[axis]) & (inner->max[axis] <= outer->max[axis]);
    }
    return inside;
}

// Whether the box that an object moves in is not much larger than a new one would be, as it is after the object has
// shrunk: it may reach two margins beyond the object, rounded outwards as margins are. (The first test is for speed.)
static bool is_close(const bp_world *world, const bp_box_double *seen, const bp_box_double *box) {
    const double most = 2.0 * (double)world->config.margin;
    bool close = true;
    for (uint32_t axis = 0; axis < world->config.dimensions; ++axis) {
        close &= (box->min[axis] - seen->min[axis] <= most) & (seen->max[axis] - box->max[axis] <= most);
    }
    if (close) {
        return true;
    }
    const bp_box_double once = bp_box_double_grown(box, world->config.margin);
    const bp_box_double twice = bp_box_double_grown(&once, world->config.margin);
    return contains(&twice, seen, world->config.dimensions);
}

// A sphere can leave the sphere of its margin, along a diagonal, while its box is still in the box.
static bool is_sphere_inside(const bp_world *world, const bp_box_double *seen, const bp_box_double *box) {
    return world->config.shape != BP_SHAPE_SPHERES || bp_sphere_holds(seen, box, world->config.dimensions);
}

static bool is_idle_in_wide(const bp_world *world, bp_id id, const bp_box_double *box) {
    const bp_box_double *seen = &wide_of(world)[id];
    return has_given(world) ? contains(seen, box, world->config.dimensions) && is_close(world, seen, box) &&
                                  is_sphere_inside(world, seen, box)
                            : contains(seen, box, 3) && contains(box, seen, 3);
}

static bool is_as_new(const bp_world *world, const bp_box *seen, const bp_box *box) {
    const bp_box grown = bp_box_grown(box, world->config.margin);
    return bp_box_contains(&grown, seen, world->config.dimensions);
}

static bool is_idle_in_margin(const bp_world *world, const bp_box *seen, const bp_box *box) {
    const bp_box_double wide_seen = bp_box_widen(seen), wide_box = bp_box_widen(box);
    return bp_box_contains(seen, box, world->config.dimensions) &&
           (is_close(world, &wide_seen, &wide_box) || is_as_new(world, seen, box)) &&
           is_sphere_inside(world, &wide_seen, &wide_box);
}

bool bp_world_is_idle_move(const bp_world *world, bp_id id, const bp_given *given, size_t index) {
    if (world->wide) {
        const bp_box_double box = wide_at(given, index);
        return is_idle_in_wide(world, id, &box);
    }
    const bp_box *seen = &bp_world_boxes(world)[id], *box = &given->floats[index];
    return has_given(world) ? is_idle_in_margin(world, seen, box) : bp_box_is_same(seen, box);
}

void bp_world_note_idle_move(bp_world *world, bp_id id, const bp_given *given, size_t index) {
    if (has_given(world)) {
        ++world->version;
        world->fitted = false;
        write_given(world, id, given, index);
    }
}

bool bp_world_put_grown_box(bp_world *world, bp_id id, const bp_box_double *grown) {
    const bp_box_double given = bp_world_given_box(world, id);
    if (!contains(grown, &given, world->config.dimensions)) {
        return false;
    }
    ++world->version;
    world->fitted = false;
    bp_world_boxes(world)[id] = outwards(grown);
    if (world->wide) {
        wide_of(world)[id] = *grown;
    }
    return true;
}

void bp_world_refit(bp_world *world) {
    bp_given given = {.count = world->id_count};
    if (world->given.data == NULL || world->fitted) { // no margin, no objects, or nothing to do
        return;
    }
    if (world->wide) {
        given.doubles = world->given.data;
    } else {
        given.floats = world->given.data;
    }
    for (size_t id = 0; id < world->id_count; ++id) {
        if (bp_world_is_alive(world, (bp_id)id)) {
            write_seen(world, (bp_id)id, &given, id);
        }
    }
    world->fitted = true;
}

void bp_world_put_many(bp_world *world, const bp_given *given, const bp_id *ids) {
    bp_box *boxes = has_given(world) ? world->given.data : bp_world_boxes(world);
    ++world->version;
    if (ids == NULL) {
        bp_boxes_copy(boxes, given->floats, given->count, &world->config.executor);
    }
    for (size_t i = 0; ids != NULL && i < given->count; ++i) {
        bp_prefetch(&boxes[ids[i + PREFETCHED < given->count ? i + PREFETCHED : i]]);
        boxes[ids[i]] = given->floats[i];
    }
    world->fitted = false;
    bp_world_refit(world);
}

// ---- reading --------------------------------------------------------------------------------------------------------

bp_box_double bp_world_given_box(const bp_world *world, bp_id id) {
    if (world->wide) {
        return has_given(world) ? ((const bp_box_double *)world->given.data)[id] : wide_of(world)[id];
    }
    return bp_box_widen(has_given(world) ? &((const bp_box *)world->given.data)[id] : &bp_world_boxes(world)[id]);
}

bp_box_double bp_world_grown_box(const bp_world *world, bp_id id) {
    return world->wide ? wide_of(world)[id] : bp_box_widen(&bp_world_boxes(world)[id]);
}

bp_given bp_world_seen(const bp_world *world) {
    return world->wide ? bp_given_doubles(wide_of(world), world->id_count)
                       : bp_given_floats(bp_world_boxes(world), world->id_count);
}
