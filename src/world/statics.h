// Static objects apart: while many others move, those that never pair with each other are kept in a structure of their
// own, which is left alone as long as none of them changes.
//
//     boxes    | m0 | s1 | m2 | s3 |            by id
//     moving   | m0 | -- | m2 | -- |            a structure, built in each update: its own pairs, and ...
//     fixed    | -- | s1 | -- | s3 |            ... those with what is in this one, built when it changes
//
// Pays when a fair share of the objects is static and too much moves for patching.
#ifndef BP_STATICS_H
#define BP_STATICS_H

#include "methods/method.h"

typedef struct bp_statics {
    void *state;             // of the method: `fixed`; NULL until it is needed
    bool built;              // it is up to date
    bool apart;              // the method's other structure holds only `moving`
    bp_buffer moving, fixed; // of bp_box, by id, with holes for the others
    size_t id_count;         // in these
} bp_statics;

void bp_statics_free(bp_statics *statics, const bp_method_ops *ops, const bp_allocator *allocator);

// Parts boxes[0 .. count) by their objects. Tells in `apart` whether that pays; then both structures are up to date, and
// `state` is the one of what moves. Else nothing has been built.
bp_status bp_statics_part(bp_statics *statics, const bp_method_ops *ops, void *state, const bp_config *config,
                          const bp_box *boxes, const bp_object *objects, size_t count);

// The pairs of what moves (in `state`) with what is static, as (smaller id, larger id).
bp_status bp_statics_find(const bp_statics *statics, const bp_method_ops *ops, void *state, bp_sink *sink);

#endif
