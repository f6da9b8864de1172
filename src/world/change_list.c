#include "world/change_list.h"

#include <string.h>

enum {
    TRACKED_SHARE = 8, // if more than one object in this many has changed, changes are not listed
    TRACKED_MIN = 8
};

bp_change_list bp_change_list_begin(bool tracks, bool has_events) {
    return (bp_change_list){
        .tracks = tracks, .has_events = has_events, .all = true, .needs_update = true, .version = 1};
}

void bp_change_list_free(bp_change_list *list, const bp_allocator *allocator) {
    bp_buffer_free(&list->ids, allocator);
    bp_buffer_free(&list->old_boxes, allocator);
    bp_buffer_free(&list->marks, allocator);
}

size_t bp_change_list_bytes(const bp_change_list *list) {
    return list->ids.bytes + list->old_boxes.bytes + list->marks.bytes;
}

// ---- room -----------------------------------------------------------------------------------------------------------

size_t bp_change_list_most(size_t id_count) {
    return id_count / TRACKED_SHARE + TRACKED_MIN;
}

bool bp_change_list_expects_too_many(double expected, size_t id_count) {
    return expected * TRACKED_SHARE > (double)id_count;
}

static size_t capacity_of(const bp_change_list *list) {
    return list->ids.bytes / sizeof(bp_id);
}

// `old_boxes` first: `ids` defines the capacity.
static bool reserve_listed(bp_change_list *list, const bp_allocator *allocator, size_t id_count) {
    const size_t most = bp_change_list_most(id_count), count = most + most / 4;
    return most <= capacity_of(list) ||
           (bp_buffer_reserve(&list->old_boxes, allocator, list->count * sizeof(bp_box), count, sizeof(bp_box)) &&
            bp_buffer_reserve(&list->ids, allocator, list->count * sizeof(bp_id), count, sizeof(bp_id)));
}

bool bp_change_list_reserve(bp_change_list *list, const bp_allocator *allocator, size_t used, size_t id_count) {
    return (!bp_change_list_has_marks(list) || bp_buffer_reserve_slack(&list->marks, allocator, used, id_count, 1)) &&
           (!list->tracks || reserve_listed(list, allocator, id_count));
}

void bp_change_list_trim(bp_change_list *list, const bp_allocator *allocator, size_t id_count) {
    const size_t wanted = list->tracks && id_count > 0 ? bp_change_list_most(id_count) : 0;
    const size_t most = list->count > wanted ? list->count : wanted;
    bp_buffer_shrink(&list->marks, allocator, list->marks.data != NULL ? id_count : 0);
    bp_buffer_shrink(&list->ids, allocator, most * sizeof(bp_id)); // first: it defines the capacity
    bp_buffer_shrink(&list->old_boxes, allocator, capacity_of(list) * sizeof(bp_box));
}

// ---- changes --------------------------------------------------------------------------------------------------------

void bp_change_list_mark_all(bp_change_list *list) {
    ++list->version;
    list->count = 0;
    list->needs_update = true;
    list->all = true;
    list->lists_part_1 = false;
}

void bp_change_list_mark_part_0(bp_change_list *list) {
    ++list->version;
    list->needs_update = true;
    list->lists_part_1 = list->tracks && (list->lists_part_1 || !list->all);
    list->all = true;
}

static void list_id(bp_change_list *list, bp_id id, const bp_box *box) {
    if (list->count == capacity_of(list)) {
        bp_change_list_mark_all(list);
        return;
    }
    ((bp_id *)list->ids.data)[list->count] = id;
    ((bp_box *)list->old_boxes.data)[list->count++] = *box;
}

void bp_change_list_mark(bp_change_list *list, bp_id id, const bp_box *box, uint8_t marks) {
    ++list->version;
    list->needs_update = true;
    list->all |= !list->tracks;
    if (!bp_change_list_has_marks(list)) {
        return;
    }
    uint8_t *mark = (uint8_t *)list->marks.data + id;
    if ((bp_change_list_is_complete(list) || list->lists_part_1) && *mark == 0) {
        list_id(list, id, box);
    }
    *mark |= marks | BP_MARK_CHANGED;
    list->has_reborn |= (marks & BP_MARK_REBORN) != 0;
}

static bool has_mark(const bp_change_list *list, bp_id id, uint8_t mark) {
    return bp_change_list_has_marks(list) && (bp_change_list_marks(list)[id] & mark) != 0;
}

// An id that existed at the last update, was removed and is reused belongs to another object.
void bp_change_list_mark_added(bp_change_list *list, bp_id id, const bp_box *box) {
    const bool again = has_mark(list, id, BP_MARK_REMOVED);
    bp_change_list_mark(list, id, box, again ? BP_MARK_RESTATED | BP_MARK_REBORN : BP_MARK_BORN);
}

void bp_change_list_mark_removed(bp_change_list *list, bp_id id, const bp_box *box) {
    bp_change_list_mark(list, id, box, has_mark(list, id, BP_MARK_BORN) ? 0 : BP_MARK_REMOVED);
}

void bp_change_list_stop_tracking(bp_change_list *list) {
    ++list->version;
    list->tracks = list->lists_part_1 = false;
    list->count = 0;
    list->all = true;
}

void bp_change_list_mark_for_queries(bp_change_list *list) {
    ++list->version;
}

void bp_change_list_require_update(bp_change_list *list) {
    list->needs_update = true;
}

// ---- forgetting -----------------------------------------------------------------------------------------------------

static void clear_marks(bp_change_list *list, size_t id_count) {
    const bp_id *ids = list->ids.data;
    if (bp_change_list_has_marks(list) && !bp_change_list_is_complete(list) && id_count > 0) {
        memset(list->marks.data, 0, id_count);
    }
    for (size_t i = 0; i < list->count; ++i) {
        ((uint8_t *)list->marks.data)[ids[i]] = 0;
    }
}

void bp_change_list_restart(bp_change_list *list, size_t id_count, bool all) {
    clear_marks(list, id_count);
    list->has_reborn = list->lists_part_1 = false;
    list->count = 0;
    list->all = all;
}

void bp_change_list_end_update(bp_change_list *list, size_t id_count) {
    bp_change_list_restart(list, id_count, false);
    list->needs_update = false;
}

// ---- checking -------------------------------------------------------------------------------------------------------

bool bp_change_list_is_sound(const bp_change_list *list, size_t id_count) {
    const bp_id *ids = list->ids.data;
    const uint8_t *marks = bp_change_list_marks(list);
    if (!bp_change_list_is_complete(list)) {
        return list->count == 0 || list->lists_part_1;
    }
    size_t marked = 0;
    for (size_t id = 0; id < id_count; ++id) {
        marked += marks[id] != 0;
    }
    bool sound = marked == list->count;
    for (size_t i = 0; sound && i < list->count; ++i) {
        sound = ids[i] < id_count && (marks[ids[i]] & BP_MARK_CHANGED) != 0;
    }
    return sound;
}
