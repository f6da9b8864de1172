// The pairs and events of an update that switches are those of any other update: the new method finds all pairs, and
// they are compared with the last list.
#include "world/method_switch.h"

#include "base/log.h"
#include "world/world.h"

enum { SAMPLE = 64 }; // objects that are sampled for the facts that only a world knows

static double share_changed(const bp_world *world) {
    return (double)bp_change_list_count(&world->changes, world->ids.count) / (double)world->ids.count;
}

static double share_static(const bp_world *world) {
    const bp_object *objects = bp_object_table_data(&world->objects);
    const size_t step = world->ids.count / SAMPLE + 1;
    size_t sampled = 0, fixed = 0;
    for (size_t id = 0; objects != NULL && id < world->ids.count; id += step, ++sampled) {
        fixed += (objects[id].flags & BP_STATIC) != 0;
    }
    return sampled > 0 ? (double)fixed / (double)sampled : 0.0;
}

// How far a box has moved along the axis with the largest motion, in units of its longest edge. 0 if that is not a
// number.
static double motion_between(const bp_box *before, const bp_box *now) {
    double moved = 0.0, longest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        moved = fmax(moved, fabs((double)now->min[axis] - (double)before->min[axis]));
        longest = fmax(longest, (double)now->max[axis] - (double)now->min[axis]);
    }
    return longest > 0.0 && isfinite(longest) && isfinite(moved) ? moved / longest : 0.0;
}

// The mean over a sample of the changed objects; 0 if they are not listed.
static double typical_motion(const bp_world *world) {
    const bp_changes changes = bp_change_list_changes(&world->changes);
    const bp_box *boxes = bp_world_boxes_floats(&world->boxes);
    const size_t step = changes.count / SAMPLE + 1;
    size_t sampled = 0;
    double sum = 0.0;
    for (size_t i = 0; i < changes.count; i += step, ++sampled) {
        sum += motion_between(&changes.old_boxes[i], &boxes[changes.ids[i]]);
    }
    return sampled > 0 ? sum / (double)sampled : 0.0;
}

// Whether the chooser, after a sample of the boxes, wants another method.
static bool wants_another(bp_world *world, const bp_box *boxes, size_t count) {
    bp_chooser *chooser = &world->method.chooser;
    const bool wants =
        bp_chooser_sample(chooser, &world->setup.methods, world->method.method, boxes, count, share_changed(world));
    chooser->choice.fixed = share_static(world);
    chooser->choice.motion = typical_motion(world);
    return wants;
}

static bool switch_to(bp_world *world, bp_method method, const bp_box *boxes, size_t count) {
    const bp_method_ops *old_ops = world->method.ops;
    if (bp_world_method_replace(&world->method, method, &world->setup.methods, boxes, count) != BP_OK) {
        return false;
    }
    bp_statics_free(&world->statics, old_ops, bp_world_allocator(world));
    return true;
}

bool bp_world_switch_method_if_better(bp_world *world, const bp_box *boxes, size_t count) {
    bp_chooser *chooser = &world->method.chooser;
    if (!bp_chooser_is_due(chooser, count, bp_change_list_count(&world->changes, count)) ||
        !wants_another(world, boxes, count)) {
        return false;
    }
    if (!switch_to(world, chooser->wanted, boxes, count)) {
        bp_log_write(bp_world_log(world), "method %s goes on: there is no memory for %s, which would be faster now",
                     world->method.ops->name, bp_method_get(chooser->wanted)->name);
        bp_chooser_postpone(chooser);
        return false;
    }
    bp_chooser_changed(chooser);
    return true;
}
