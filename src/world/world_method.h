// The method that a world uses, and its structure.
#ifndef BP_WORLD_METHOD_H
#define BP_WORLD_METHOD_H

#include "engine/method.h"
#include "plan/choose.h"

typedef struct bp_world_method {
    bp_method method;
    const bp_method_ops *ops;
    void *state;
    bp_chooser chooser; // why this method was chosen, and when to check for another one
} bp_world_method;

// The method that the config names, or the one to begin with if it leaves the choice open. It has no state yet.
bp_world_method bp_world_method_begin(bp_method wanted, const bp_method_setup *setup);

// Makes an empty state. The setup must outlive it. False if memory is short.
bool bp_world_method_create_state(bp_world_method *method, const bp_method_setup *setup);
void bp_world_method_free(bp_world_method *method, const bp_allocator *allocator);

// Replaces the method by another one, built over boxes[0 .. count). If that fails, nothing has changed.
bp_status bp_world_method_replace(bp_world_method *method, bp_method other, const bp_method_setup *setup,
                                  const bp_box *boxes, size_t count);

// Fills the fields that describe the method, why it was chosen, and its structure.
void bp_world_method_describe(const bp_world_method *method, bp_stats *stats);

#endif
