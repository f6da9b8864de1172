// A world with method auto looks at its boxes from time to time, and changes its method if they have become others. The
// pairs and events of the update are those of any other: the new method finds all pairs, and they are compared with the
// last list.
#include "api/config.h"
#include "world/world.h"

enum { LOOKED_AT = 64 }; // objects, for what only worlds can tell

static double share_moving(const bp_world *world) {
    return world->all_changed ? 1.0 : (double)world->changed_count / (double)world->id_count;
}

static double share_static(const bp_world *world) {
    const bp_object *objects = bp_world_objects(world);
    const size_t step = world->id_count / LOOKED_AT + 1;
    size_t looked = 0, fixed = 0;
    for (size_t id = 0; objects != NULL && id < world->id_count; id += step, ++looked) {
        fixed += (objects[id].flags & BP_STATIC) != 0;
    }
    return looked > 0 ? (double)fixed / (double)looked : 0.0;
}

// How far a box has moved along the axis where that is most, in units of its longest edge. 0 where there is no telling.
static double motion_of(const bp_box *before, const bp_box *now) {
    double moved = 0.0, longest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        moved = fmax(moved, fabs((double)now->min[axis] - (double)before->min[axis]));
        longest = fmax(longest, (double)now->max[axis] - (double)now->min[axis]);
    }
    return longest > 0.0 && isfinite(longest) && isfinite(moved) ? moved / longest : 0.0;
}

// The mean over some of those that have changed, where that is known.
static double typical_motion(const bp_world *world) {
    const bp_id *ids = world->changed.data;
    const bp_box *before = world->old_boxes.data;
    const size_t step = world->changed_count / LOOKED_AT + 1;
    size_t looked = 0;
    double sum = 0.0;
    for (size_t i = 0; i < world->changed_count; i += step, ++looked) {
        sum += motion_of(&before[i], &bp_world_boxes(world)[ids[i]]);
    }
    return looked > 0 ? sum / (double)looked : 0.0;
}

// The old method goes only when the new one has taken in all boxes.
static bp_status change(bp_world *world, bp_method method, const bp_box *boxes, size_t count) {
    const bp_method_ops *ops = bp_method_get(method);
    void *state = NULL;
    bp_status status = ops->create(&world->config, &state);
    if (status != BP_OK) {
        return status;
    }
    status = ops->build(state, boxes, count);
    if (status != BP_OK) {
        ops->destroy(state);
        return status;
    }
    bp_statics_free(&world->statics, world->ops, &world->config.allocator);
    world->statics = (bp_statics){0};
    world->ops->destroy(world->state);
    world->method = method;
    world->ops = ops;
    world->state = state;
    return BP_OK;
}

bool bp_world_reconsider(bp_world *world, const bp_box *boxes, size_t count) {
    bp_chooser *chooser = &world->chooser;
    const size_t changed = world->all_changed ? count : world->changed_count;
    if (!bp_chooser_is_due(chooser, &world->config, count, changed)) {
        return false;
    }
    const bool wants =
        bp_chooser_look(chooser, &world->config, world->method, (bp_candidates){boxes, count}, share_moving(world));
    chooser->choice.fixed = share_static(world);
    chooser->choice.motion = typical_motion(world);
    if (!wants) {
        return false;
    }
    if (change(world, chooser->wanted, boxes, count) != BP_OK) {
        bp_log_write(&world->config, "method %s goes on: there is no memory for %s, which would be faster now",
                     world->ops->name, bp_method_get(chooser->wanted)->name);
        bp_chooser_postpone(chooser);
        return false;
    }
    bp_chooser_changed(chooser);
    return true;
}
