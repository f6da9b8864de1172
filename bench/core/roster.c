#include "core/roster.h"

#include "formats/recording.h"

#include <stdlib.h>

void roster_create(roster *self, size_t count) {
    *self = (roster){.count = count};
    self->ids = malloc(count * sizeof *self->ids);
    self->places = malloc(count * sizeof *self->places);
    self->moved_ids = malloc(count * sizeof *self->moved_ids);
    self->moved_boxes = malloc(count * sizeof *self->moved_boxes);
    if (!self->ids || !self->places || !self->moved_ids || !self->moved_boxes) abort();
    for (size_t i = 0; i < count; i++) self->ids[i] = BP_NO_ID;
}

void roster_destroy(roster *self) {
    free(self->ids);
    free(self->places);
    free(self->moved_ids);
    free(self->moved_boxes);
    free(self->pairs);
    *self = (roster){0};
}

static bp_status remove_absent(roster *self, bp_world *world, const bp_box *boxes) {
    bp_status status = BP_OK;
    for (size_t i = 0; i < self->count && status == BP_OK; i++) {
        if (self->ids[i] == BP_NO_ID || !recording_is_absent(&boxes[i])) continue;
        status = bp_remove(world, self->ids[i]);
        self->ids[i] = BP_NO_ID;
    }
    return status;
}

static bp_status add_new(roster *self, bp_world *world, const bp_box *boxes) {
    bp_status status = BP_OK;
    for (size_t i = 0; i < self->count && status == BP_OK; i++) {
        if (self->ids[i] != BP_NO_ID || recording_is_absent(&boxes[i])) continue;
        status = bp_add(world, &boxes[i], NULL, &self->ids[i]);
        if (status == BP_OK) self->places[self->ids[i]] = (uint32_t)i;
    }
    return status;
}

bp_status roster_step(roster *self, bp_world *world, const bp_box *boxes) {
    size_t moved = 0;
    bp_status status = remove_absent(self, world, boxes);
    for (size_t i = 0; i < self->count; i++) {
        if (self->ids[i] == BP_NO_ID) continue;
        self->moved_ids[moved] = self->ids[i];
        self->moved_boxes[moved++] = boxes[i];
    }
    if (status == BP_OK) status = bp_move_many(world, moved, self->moved_ids, self->moved_boxes);
    return status == BP_OK ? add_new(self, world, boxes) : status;
}

const bp_pair *roster_pairs(roster *self, const bp_result *result) {
    if (result->pair_count > self->pair_capacity) {
        free(self->pairs);
        self->pair_capacity = 2 * result->pair_count;
        self->pairs = malloc(self->pair_capacity * sizeof *self->pairs);
        if (!self->pairs) abort();
    }
    for (size_t i = 0; i < result->pair_count; i++) {
        const uint32_t a = self->places[result->pairs[i].a], b = self->places[result->pairs[i].b];
        self->pairs[i] = a < b ? (bp_pair){a, b} : (bp_pair){b, a};
    }
    return self->pairs;
}
