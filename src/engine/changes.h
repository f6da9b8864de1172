// The changes of a set of boxes since a method was last built or updated.
#ifndef BP_CHANGES_H
#define BP_CHANGES_H

#include <broadphase/broadphase.h>

// Marks of an id, since the last update.
enum {
    BP_MARK_CHANGED = 1,  // its box or its object
    BP_MARK_RESTATED = 2, // its pairs must be reported again, even if they overlap as before ...
    BP_MARK_REBORN = 4,   // ... because the id belongs to another object now
    BP_MARK_REMOVED = 8,  // it existed at the last update, and was removed
    BP_MARK_BORN = 16     // it did not exist at the last update
};

typedef struct bp_changes {
    const bp_id *ids; // each once
    size_t count;
    const bp_box *old_boxes; // of these ids, at the last update; holes for ids that did not exist
    const uint8_t *marks;    // by id; 0 for all others
} bp_changes;

#endif
