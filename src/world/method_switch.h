// A world whose config leaves the choice of the method open looks for a better one from time to time.
#ifndef BP_METHOD_SWITCH_H
#define BP_METHOD_SWITCH_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// Switches to another method if it is time to look for one, and one is better for boxes[0 .. count), which the method
// is about to get. True if it has: then the new one is built over these boxes. If there is no memory for it, the old
// one stays.
bool bp_world_switch_method_if_better(bp_world *world, const bp_box *boxes, size_t count);

#endif
