#include "commands/follower.h"

#include <math.h>
#include <stdlib.h>

static bool grow_one(void **memory, size_t capacity, size_t size) {
    void *grown = realloc(*memory, capacity * size);
    if (grown == NULL) return false;
    *memory = grown;
    return true;
}

static bool grow_arrays(follower *self, size_t count) {
    if (count > self->capacity) {
        void *ids = self->ids, *objects = self->objects, *last = self->last, *moved = self->moved_ids,
             *boxes = self->moved_boxes;
        const bool good =
            grow_one(&ids, count, sizeof *self->ids) && grow_one(&objects, count, sizeof *self->objects) &&
            grow_one(&last, count, sizeof *self->last) && grow_one(&moved, count, sizeof *self->moved_ids) &&
            grow_one(&boxes, count, sizeof *self->moved_boxes);
        self->ids = ids;
        self->objects = objects;
        self->last = last;
        self->moved_ids = moved;
        self->moved_boxes = boxes;
        if (!good) return false;
        self->capacity = count;
    }
    for (; self->count < count; self->count++) self->ids[self->count] = BP_NO_ID;
    return true;
}

static bp_status remove_absent(follower *self, bp_world *world, const bp_box *boxes, size_t count) {
    bp_status status = BP_OK;
    for (size_t i = 0; i < self->count && status == BP_OK; i++) {
        if (self->ids[i] == BP_NO_ID || (i < count && !isnan(boxes[i].min[0]))) continue;
        status = bp_remove(world, self->ids[i]);
        self->ids[i] = BP_NO_ID;
    }
    return status;
}

static bp_status add_one(follower *self, bp_world *world, const bp_box *box, size_t object) {
    const bp_status status = bp_add(world, box, NULL, &self->ids[object]);
    if (status == BP_OK) self->objects[self->ids[object]] = (uint32_t)object;
    return status;
}

static bool is_same(const bp_box *a, const bp_box *b) {
    bool same = true;
    for (int axis = 0; axis < 3; axis++) {
        same = same && a->min[axis] == b->min[axis] && a->max[axis] == b->max[axis];
    }
    return same;
}

bp_status follower_step(follower *self, bp_world *world, const bp_box *boxes, size_t count) {
    if (!grow_arrays(self, count)) return BP_ERROR_MEMORY;
    bp_status status = remove_absent(self, world, boxes, count);
    size_t moved = 0;
    bool in_order = true; // all of them move, and each is the object of its own number
    for (size_t i = 0; i < count && status == BP_OK; i++) {
        if (isnan(boxes[i].min[0])) continue;
        if (self->ids[i] == BP_NO_ID) {
            status = add_one(self, world, &boxes[i], i);
        } else if (!is_same(&boxes[i], &self->last[i])) {
            in_order = in_order && moved == i && self->ids[i] == i;
            self->moved_ids[moved] = self->ids[i];
            self->moved_boxes[moved++] = boxes[i];
        }
        self->last[i] = boxes[i];
    }
    if (status != BP_OK || moved == 0) return status;
    const bool all = in_order && moved == bp_world_count(world);
    return bp_move_many(world, moved, all ? NULL : self->moved_ids, self->moved_boxes);
}

void follower_restart(follower *self) {
    for (size_t i = 0; i < self->count; i++) self->ids[i] = BP_NO_ID;
}

void follower_free(follower *self) {
    free(self->ids);
    free(self->objects);
    free(self->last);
    free(self->moved_ids);
    free(self->moved_boxes);
    *self = (follower){0};
}
