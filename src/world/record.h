// Recording: each update first writes its input.
#ifndef BP_RECORD_H
#define BP_RECORD_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// Where updates are recorded. All zero: nowhere.
typedef struct bp_recorder {
    bp_write write; // NULL: nowhere
    void *context;
    bool has_begun; // something was written
    uint64_t steps;
} bp_recorder;

// Records the input of the next update, if the world is being recorded. False if that failed: then recording has ended.
bool bp_world_record_step(bp_world *world);

#endif
