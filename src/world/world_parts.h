// The parts of a world (engine/parts.h): two sets of its objects. At least one of them holds only objects that never pair with each
// other. They follow from what pairs with what:
//
//     classes  | A | A | S | A | C | S |      by id: group, mask, flags, island
//     pass       A -- A, A -- S    C -- nobody
//     parts    | 0 | 0 | 1 | 0 | - | 1 |      S is a part of its own, because no S meets an S
//
// Recomputed, in one pass, when objects were added or changed.
#ifndef BP_WORLD_PARTS_H
#define BP_WORLD_PARTS_H

#include "engine/parts.h"
#include "world/object_table.h"

// All zero: there are none.
typedef struct bp_world_parts {
    bp_parts parts;
    bool are_exact;   // two objects pair as parts say, and nothing else about them matters
    bp_buffer buffer; // of uint8_t, by id
    size_t id_count;  // in it
} bp_world_parts;

// Finds the parts of boxes[0 .. count). `are_apart`: islands are no matter here, because the search sees none beside another. False if memory is short: then nothing has changed.
bool bp_world_parts_find(bp_world_parts *parts, const bp_allocator *allocator, const bp_object *objects, bool are_apart,
                         const bp_box *boxes, size_t count);

#endif
