// Objects on two sides that never pair within their own: as where group 1 collides with group 2, and neither with itself.
//
//     kinds    | A | A | B | A | C | B |            by id: group, mask, island, static
//     pass       A -- B     C -- nobody             which kinds pair
//     sides    | 0 | 0 | 1 | 0 | - | 1 |            two colours, if they suffice
//
// A search over all objects would find the pairs inside each side, too, only for the filter to throw them away. So, while
// much changes, an update searches between the sides, and builds no structure. In calm times one structure holds
// all objects, and is patched.
//
// Sides are found anew when objects were added, removed or changed. One whose ids follow one another is searched
// where its boxes are; the boxes of others are copied.
#ifndef BP_SIDES_H
#define BP_SIDES_H

#include "world/object_table.h"
#include "world/world_method.h"

// One side. Its ids follow one another from `first` on, or are listed, ascending.
typedef struct bp_side {
    size_t count;
    bp_id first;
    bool is_listed;
    bp_buffer ids;   // of bp_id
    bp_buffer boxes; // of those that are listed
} bp_side;

// All zero: there are none.
typedef struct bp_sides {
    bool are_two;  // two sides are enough
    bool is_whole; // each object passes all of the other side
    bool apart;    // only pairs between them were searched for: the method's structure is out of date
    bp_side sides[2];
} bp_sides;

// Finds the sides of the objects of boxes[0 .. count), if they are not known, and separates them if that pays: then `apart`
// is set.
bp_status bp_sides_separate(bp_sides *sides, const bp_world_method *method, const bp_method_setup *setup,
                            bp_object_table *objects, const bp_box *boxes, size_t count);

// Ends the separation: the world's structure is about to hold all boxes.
void bp_sides_join(bp_sides *sides);

// Finds the pairs of objects of both sides, as ids in any order.
bp_status bp_sides_find(bp_sides *sides, const bp_world_method *method, const bp_box *boxes, bp_sink *sink);

// Whether pairs come as (smaller id, larger id).
bool bp_sides_are_in_order(const bp_sides *sides);

void bp_sides_free(bp_sides *sides, const bp_allocator *allocator);
size_t bp_sides_bytes(const bp_sides *sides);

#endif
