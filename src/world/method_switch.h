// A world whose config leaves the choice of the method open checks from time to time whether another one is better.
#ifndef BP_METHOD_SWITCH_H
#define BP_METHOD_SWITCH_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// Switches to another method if a check is due and another one is better for boxes[0 .. count), which the method is
// about to get. True if it has switched: then the new one is built over these boxes. If there is no memory for it, the
// old one stays.
bool bp_world_switch_method_if_better(bp_world *world, const bp_box *boxes, size_t count);

#endif
