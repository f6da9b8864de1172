// Separated static objects. Static objects never pair with each other. While many others move, they are kept in a
// structure of their own, which is not touched as long as none of them changes.
//
//     boxes    | m0 | s1 | m2 | s3 |            by id
//     moving   | m0 | -- | m2 | -- |            the world's structure, rebuilt in each update: its own pairs, and ...
//     fixed    | -- | s1 | -- | s3 |            ... those with the boxes of this one, rebuilt when one of them changes
//
// Pays when a fair share of the objects is static and too many move for patching.
#ifndef BP_STATICS_H
#define BP_STATICS_H

#include "world/world_method.h"

// All zero: no object is separated.
typedef struct bp_statics {
    void *state;             // of the world's method: the structure over `fixed`; NULL until it is needed
    bool built;              // it is up to date
    bool apart;              // static objects are separated: the world's structure holds only `moving`
    bp_buffer moving, fixed; // of bp_box, by id, with holes for the others
    size_t id_count;         // in these
} bp_statics;

// Releases everything and ends the separation.
void bp_statics_free(bp_statics *statics, const bp_method_ops *ops, const bp_allocator *allocator);

// Separates boxes[0 .. count) by their objects, if that pays: then `apart` is set, and both structures are up to date.
// Otherwise nothing has been built.
bp_status bp_statics_separate(bp_statics *statics, const bp_world_method *method, const bp_method_setup *setup,
                              const bp_box *boxes, const bp_object *objects, size_t count);

// Ends the separation: the world's structure is about to hold all boxes.
void bp_statics_join(bp_statics *statics);

// Finds the pairs of moving and static objects, as (moving, static).
bp_status bp_statics_find(const bp_statics *statics, const bp_world_method *method, bp_sink *sink);

// Bytes held, without the structure; and those of the structure while it is in use.
size_t bp_statics_bytes(const bp_statics *statics);
size_t bp_statics_structure_bytes(const bp_statics *statics, const bp_method_ops *ops);

// BP_ERROR_INTERNAL, with a message in the log, if the structure is in use and wrong.
bp_status bp_statics_validate(const bp_statics *statics, const bp_method_ops *ops);

#endif
