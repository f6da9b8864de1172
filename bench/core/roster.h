// Which objects of a recording are in a world. Objects come and go, so ids differ from places in the recording.
#ifndef BENCH_ROSTER_H
#define BENCH_ROSTER_H

#include <broadphase/broadphase.h>

typedef struct roster {
    size_t count;
    bp_id *ids;       // by place in the recording; BP_NO_ID: absent
    uint32_t *places; // by id
    bp_id *moved_ids; // of a step
    bp_box *moved_boxes;
    bp_pair *pairs; // as places
    size_t pair_capacity;
} roster;

void roster_create(roster *self, size_t count); // all are absent
void roster_destroy(roster *self);              // an empty one too

// Removes objects that are absent now, adds those that were absent before, moves the others.
bp_status roster_step(roster *self, bp_world *world, const bp_box *boxes);

// The pairs of a result, as places in the recording. Valid until the next call.
const bp_pair *roster_pairs(roster *self, const bp_result *result);

#endif
