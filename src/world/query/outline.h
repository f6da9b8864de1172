// The outline of a world: what a line has to meet before it can hit anything.
//
//          sky            a line that meets neither the bounds nor a large object hits nothing, and one that meets a
//       \                 large object alone hits nothing else
//        \   +--------+
//         \  | #  # # |   bounds of all objects ...
//          \ |  ##  # |
//     ======\+========+======   ... but a few large ones, as a floor and walls, which are listed
//
// Cost: two looks at each box. A line then takes some comparisons, and none of what begins and ends a search.
#ifndef BP_OUTLINE_H
#define BP_OUTLINE_H

#include "view/overlap.h"

enum { BP_OUTLINE_LARGE = 8 };

// In two dimensions all is infinite along z.
typedef struct bp_outline {
    bp_box_double boxes[1 + BP_OUTLINE_LARGE]; // the bounds, with min > max if they are empty; then the large ones
    bp_id large_ids[BP_OUTLINE_LARGE];
    size_t large_count;
} bp_outline;

// Draws it around these boxes, of which some may be holes.
void bp_outline_draw(bp_outline *outline, const bp_box *boxes, size_t count, uint32_t dimensions);

// Whether a cast, in a world without periods, passes by all of that, as far as can be seen quickly: then it hits nothing.
bool bp_outline_is_missed(const bp_outline *outline, const bp_cast_double *cast);

#endif
