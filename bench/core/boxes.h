// The boxes that peers get.
//
// A wall of a scene is a box with infinite coordinates, which other libraries do not accept. Each infinite coordinate
// is replaced by a finite one beyond all finite coordinates of the step: every comparison between coordinates comes out
// as before, so the same pairs overlap, wall with wall included. In 2-D scenes z is the same for all: 0 to 1.
#ifndef BENCH_BOXES_H
#define BENCH_BOXES_H

#include <broadphase/broadphase.h>

void boxes_make_finite(const bp_box *from, size_t count, uint32_t dimensions, bp_box *to);

#endif
