// What has changed in a set of boxes since a method last saw it.
#ifndef BP_CHANGES_H
#define BP_CHANGES_H

#include <broadphase/broadphase.h>

// Marks of an id, since the last update.
enum {
    BP_MARK_CHANGED = 1,  // its box or its object
    BP_MARK_RESTATED = 2, // its pairs must be reported anew, even if they overlap as before ...
    BP_MARK_REBORN = 4,   // ... because the id belongs to another object now
    BP_MARK_REMOVED = 8,  // it was there at the last update, and was removed
    BP_MARK_BORN = 16     // it was not there at the last update
};

typedef struct bp_changes {
    const bp_id *ids; // each once
    size_t count;
    const bp_box *old_boxes; // of these ids, at the last update; holes for those that were not there
    const uint8_t *marks;    // by id; 0 for all others
} bp_changes;

#endif
