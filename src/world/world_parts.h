// The parts of a world (engine/parts.h): two sets of its objects. At least one of them holds only objects that never pair with each
// other. They follow from what pairs with what:
//
//     classes  | A | A | S | A | C | S |      by id: group, mask, flags, island
//     pass       A -- A, A -- S    C -- nobody
//     parts    | 0 | 0 | 1 | 0 | - | 1 |      S is a part of its own, because no S meets an S
//
// Recomputed when objects were added or changed: for these, while they are few and of known classes; else in one pass over all.
#ifndef BP_WORLD_PARTS_H
#define BP_WORLD_PARTS_H

#include "engine/parts.h"
#include "world/object_table.h"

enum { BP_CLASSES_MAX = 16 };

// Objects that pass the same others.
typedef struct bp_filter_class {
    bp_object object;
    size_t count;
    uint8_t part;
} bp_filter_class;

// All zero: there are none.
typedef struct bp_world_parts {
    bp_parts parts;
    bool are_exact;   // two objects pair as parts say, and nothing else about them matters
    bp_buffer buffer; // of uint8_t, by id
    size_t id_count;  // in it

    bp_filter_class classes[BP_CLASSES_MAX];
    size_t class_count; // SIZE_MAX: more; 0: none is known
    size_t followed;    // changes since the last pass over all
} bp_world_parts;

// Finds the parts of boxes[0 .. count). `are_apart`: islands are no matter here, because the search sees none beside another.
// `changes`: only these objects have come, gone or changed since the last time (NULL: perhaps all). False if memory is short: then
// nothing has changed.
bool bp_world_parts_find(bp_world_parts *parts, const bp_allocator *allocator, const bp_object *objects, bool are_apart,
                         const bp_box *boxes, size_t count, const bp_changes *changes);

#endif
