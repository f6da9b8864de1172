// The changes of a world since its last update.
//
//     ids        | 7 | 2 | 9 |                each once, in the order in which they changed
//     old boxes  | b | b | b |                their boxes at the last update
//     marks      | . | . | m | . | m | ...    by id: a set of BP_MARK_
//
// Changes are listed if the method can use a list, up to about one object in eight; beyond that, all objects count as
// changed. Where they were many because others of part 0 have moved (engine/parts.h), those of part 1 are still listed. Marks
// are kept for the list, and for events.
//
// Only the functions here write into a change list.
#ifndef BP_CHANGE_LIST_H
#define BP_CHANGE_LIST_H

#include "base/memory.h"
#include "engine/changes.h"

typedef struct bp_change_list {
    bool tracks;     // changes are listed
    bool has_events; // marks are kept whether changes are listed or not
    bp_buffer ids;   // of bp_id
    bp_buffer old_boxes;
    bp_buffer marks;   // of uint8_t, by id
    size_t count;      // of ids and old boxes
    bool all;          // all objects count as changed,
    bool lists_part_1; // but all of part 1 that have are listed
    bool has_reborn;   // an id is marked as reborn
    bool needs_update; // something has changed since the last update that succeeded
    uint64_t version;  // incremented with every change that a query could observe, from 1
} bp_change_list;

// The list of a new world, in which all objects count as changed.
bp_change_list bp_change_list_begin(bool tracks, bool has_events);
void bp_change_list_free(bp_change_list *list, const bp_allocator *allocator);

// Reserves memory for changes of `id_count` ids; the first `used` ids are in use. False if there is not enough memory.
bool bp_change_list_reserve(bp_change_list *list, const bp_allocator *allocator, size_t used, size_t id_count);
// Gives back the room beyond `id_count` ids. No more changes are listed than there is room for then.
void bp_change_list_trim(bp_change_list *list, const bp_allocator *allocator, size_t id_count);
size_t bp_change_list_bytes(const bp_change_list *list);

// ---- changes --------------------------------------------------------------------------------------------------------

static inline bool bp_change_list_has_marks(const bp_change_list *list) {
    return list->tracks || list->has_events;
}

// Adds a new id, without marks.
static inline void bp_change_list_add_id(bp_change_list *list, bp_id id) {
    if (bp_change_list_has_marks(list)) {
        ((uint8_t *)list->marks.data)[id] = 0;
    }
}

// An id changes; `box` is still the old one. `marks` is a set of BP_MARK_.
void bp_change_list_mark(bp_change_list *list, bp_id id, const bp_box *box, uint8_t marks);

// The same for an object that is added or removed.
void bp_change_list_mark_added(bp_change_list *list, bp_id id, const bp_box *box);
void bp_change_list_mark_removed(bp_change_list *list, bp_id id, const bp_box *box);

// All objects count as changed.
void bp_change_list_mark_all(bp_change_list *list);

// All objects of part 0 count as changed, which others do not.
void bp_change_list_mark_part_0(bp_change_list *list);

// From now on nothing is listed: whenever something changes, all objects count as changed.
void bp_change_list_stop_tracking(bp_change_list *list);

// Something has changed that only queries observe.
void bp_change_list_mark_for_queries(bp_change_list *list);

// No object has changed, but the next update has work to do.
void bp_change_list_require_update(bp_change_list *list);

// ---- forgetting -----------------------------------------------------------------------------------------------------

// An update has succeeded: nothing has changed since then.
void bp_change_list_end_update(bp_change_list *list, size_t id_count);

// Discards the changes so far. Whether an update is needed does not change; with `all`, all objects count as changed.
void bp_change_list_restart(bp_change_list *list, size_t id_count, bool all);

// ---- reading --------------------------------------------------------------------------------------------------------

static inline bp_changes bp_change_list_changes(const bp_change_list *list) {
    return (bp_changes){
        .ids = list->ids.data, .count = list->count, .old_boxes = list->old_boxes.data, .marks = list->marks.data};
}

// Whether all changes are listed.
static inline bool bp_change_list_is_complete(const bp_change_list *list) {
    return list->tracks && !list->all;
}

// Whether more than `count` objects have changed; always true if all count as changed.
static inline bool bp_change_list_is_longer_than(const bp_change_list *list, size_t count) {
    return list->all || list->count > count;
}

// How many of `count` objects count as changed.
static inline size_t bp_change_list_count(const bp_change_list *list, size_t count) {
    return list->all ? count : list->count;
}

// By id: a set of BP_MARK_. Valid only if there are marks.
static inline const uint8_t *bp_change_list_marks(const bp_change_list *list) {
    return list->marks.data;
}

// The same, or NULL if no id was reborn.
static inline const uint8_t *bp_change_list_reborn(const bp_change_list *list) {
    return list->has_reborn ? bp_change_list_marks(list) : NULL;
}

BP_PREFETCHER bp_change_list_prefetch(const bp_change_list *list, bp_id id) {
    bp_prefetch(bp_change_list_has_marks(list) ? &bp_change_list_marks(list)[id] : list->marks.data);
}

// The number of changes for which there is always room.
size_t bp_change_list_most(size_t id_count);

// Whether the expected number of changes is so large that it is better not to list them.
bool bp_change_list_expects_too_many(double expected, size_t id_count);

// Whether the list and the marks agree.
bool bp_change_list_is_sound(const bp_change_list *list, size_t id_count);

#endif
