#include "world/sides.h"

#include "base/boxes.h"
#include "base/pair_renaming.h"
#include "view/pair_filter.h"

enum {
    LEAST = 512,     // objects: all pairs of fewer are found in less time
    KINDS_MOST = 16, // of objects
    NO_SIDE = 2
};

// ---- kinds of objects -----------------------------------------------------------------------------------------------

// Objects that pass the same others.
typedef struct kind {
    bp_object object;
    bp_id first, last;
    size_t count;
    uint8_t side;
} kind;

typedef struct kind_list {
    kind kinds[KINDS_MOST];
    size_t count;
    size_t last; // where the last object was found: most follow one of their kind
} kind_list;

static bool is_same_kind(const bp_object *a, const bp_object *b) {
    return a->group == b->group && a->mask == b->mask && a->island == b->island && a->flags == b->flags;
}

// The kind of an object; NULL if it is none of those that are known.
static kind *find_kind(kind_list *list, const bp_object *object) {
    if (list->count > 0 && is_same_kind(&list->kinds[list->last].object, object)) {
        return &list->kinds[list->last];
    }
    for (list->last = 0; list->last < list->count; ++list->last) {
        if (is_same_kind(&list->kinds[list->last].object, object)) {
            return &list->kinds[list->last];
        }
    }
    list->last = 0;
    return NULL;
}

static kind *add_kind(kind_list *list, const bp_object *object, bp_id id) {
    if (list->count == KINDS_MOST) {
        return NULL;
    }
    list->last = list->count++;
    list->kinds[list->last] = (kind){.object = *object, .first = id, .side = NO_SIDE};
    return &list->kinds[list->last];
}

// False if there are too many.
static bool list_kinds(kind_list *list, const bp_object *objects, const bp_box *boxes, size_t count) {
    list->count = list->last = 0;
    for (size_t id = 0; id < count; ++id) {
        if (bp_box_is_hole(&boxes[id])) {
            continue;
        }
        kind *k = find_kind(list, &objects[id]);
        k = k != NULL ? k : add_kind(list, &objects[id], (bp_id)id);
        if (k == NULL) {
            return false;
        }
        k->last = (bp_id)id;
        ++k->count;
    }
    return true;
}

// ---- two colours ----------------------------------------------------------------------------------------------------

// Gives a kind's partners the other side, and their partners its own. False if one of them has the wrong one already.
static bool spread_side(kind_list *list, size_t from) {
    size_t waiting[KINDS_MOST], count = 0;
    waiting[count++] = from;
    while (count > 0) {
        const kind *k = &list->kinds[waiting[--count]];
        for (size_t i = 0; i < list->count; ++i) {
            kind *other = &list->kinds[i];
            if (!bp_objects_pass(&k->object, &other->object)) {
                continue;
            }
            if (other->side == k->side) {
                return false;
            }
            if (other->side == NO_SIDE) {
                other->side = (uint8_t)(1 - k->side);
                waiting[count++] = i;
            }
        }
    }
    return true;
}

static bool has_partner(const kind_list *list, const kind *k) {
    bool has_any = false;
    for (size_t i = 0; i < list->count; ++i) {
        has_any |= bp_objects_pass(&k->object, &list->kinds[i].object);
    }
    return has_any;
}

// The smallest id of all is on the first side. Who passes nobody is on none.
static bool choose_sides(kind_list *list) {
    bool are_enough = true;
    for (size_t i = 0; i < list->count && are_enough; ++i) {
        kind *k = &list->kinds[i];
        if (k->side == NO_SIDE && has_partner(list, k)) {
            k->side = 0;
            are_enough = spread_side(list, i);
        }
    }
    return are_enough;
}

// Whether each kind passes all of the other side.
static bool is_whole(const kind_list *list) {
    bool whole = true;
    for (size_t i = 0; i < list->count; ++i) {
        for (size_t k = 0; k < i; ++k) {
            const kind *a = &list->kinds[i], *b = &list->kinds[k];
            whole &= a->side + b->side != 1 || bp_objects_pass(&a->object, &b->object);
        }
    }
    return whole;
}

// ---- ids ------------------------------------------------------------------------------------------------------------

static bool reserve_side(bp_side *side, const kind_list *list, uint8_t which, const bp_allocator *allocator) {
    bp_id last = 0;
    side->count = 0;
    side->first = UINT32_MAX;
    for (size_t i = 0; i < list->count; ++i) {
        const kind *k = &list->kinds[i];
        if (k->side == which) {
            side->count += k->count;
            side->first = k->first < side->first ? k->first : side->first;
            last = k->last > last ? k->last : last;
        }
    }
    side->is_listed = side->count > 0 && last - side->first + 1 != side->count;
    return !side->is_listed || (bp_buffer_reserve_slack(&side->ids, allocator, 0, side->count, sizeof(bp_id)) &&
                                bp_buffer_reserve_slack(&side->boxes, allocator, 0, side->count, sizeof(bp_box)));
}

static void list_ids(bp_sides *s, kind_list *list, const bp_object *objects, const bp_box *boxes, size_t count) {
    size_t ends[2] = {0, 0};
    for (size_t id = 0; id < count; ++id) {
        const uint8_t which = bp_box_is_hole(&boxes[id]) ? NO_SIDE : find_kind(list, &objects[id])->side;
        if (which != NO_SIDE && s->sides[which].is_listed) {
            ((bp_id *)s->sides[which].ids.data)[ends[which]++] = (bp_id)id;
        }
    }
}

static bp_status find_sides(bp_sides *s, const bp_allocator *allocator, const bp_object *objects, const bp_box *boxes,
                            size_t count) {
    kind_list list;
    s->are_two = false;
    if (objects == NULL || !list_kinds(&list, objects, boxes, count) || !choose_sides(&list)) {
        return BP_OK;
    }
    if (!reserve_side(&s->sides[0], &list, 0, allocator) || !reserve_side(&s->sides[1], &list, 1, allocator)) {
        return BP_ERROR_MEMORY;
    }
    if (s->sides[0].is_listed || s->sides[1].is_listed) {
        list_ids(s, &list, objects, boxes, count);
    }
    s->is_whole = is_whole(&list);
    s->are_two = true;
    return BP_OK;
}

// ---- the world's calls ----------------------------------------------------------------------------------------------

// Levels and cells that the caller asked for are those of one structure.
static bool can_separate(const bp_world_method *method, const bp_method_settings *settings) {
    return method->ops->find_two != NULL && settings->grid_form != BP_GRID_LINKED && settings->hierarchy_factor == 0.0f;
}

bp_status bp_sides_separate(bp_sides *s, const bp_world_method *method, const bp_method_setup *setup,
                            bp_object_table *objects, const bp_box *boxes, size_t count) {
    s->apart = false;
    if (count < LEAST || !can_separate(method, &setup->settings)) {
        return BP_OK;
    }
    if (objects->are_others) {
        const bp_status status = find_sides(s, &setup->runtime.allocator, bp_object_table_data(objects), boxes, count);
        if (status != BP_OK) {
            return status;
        }
        objects->are_others = false;
    }
    s->apart = s->are_two;
    return BP_OK;
}

void bp_sides_join(bp_sides *s) {
    s->apart = false;
}

bool bp_sides_are_in_order(const bp_sides *s) {
    return !s->sides[0].is_listed && !s->sides[1].is_listed;
}

static const bp_box *boxes_of_side(const bp_side *side, const bp_box *boxes) {
    if (!side->is_listed) {
        return boxes + side->first;
    }
    const bp_id *ids = side->ids.data;
    bp_box *copies = side->boxes.data;
    for (size_t i = 0; i < side->count; ++i) {
        copies[i] = boxes[ids[i]];
    }
    return copies;
}

bp_status bp_sides_find(bp_sides *s, const bp_world_method *method, const bp_box *boxes, bp_sink *sink) {
    const bp_side *a = &s->sides[0], *b = &s->sides[1];
    bp_pair_renaming names = {.ids = {a->is_listed ? a->ids.data : NULL, b->is_listed ? b->ids.data : NULL},
                              .first = {a->first, b->first}};
    if (a->count == 0 || b->count == 0) {
        return BP_OK;
    }
    bp_pair_renaming_begin(&names, sink);
    const bp_status status = method->ops->find_two(method->state, boxes_of_side(a, boxes), a->count,
                                                   boxes_of_side(b, boxes), b->count, sink);
    bp_pair_renaming_end(&names, sink);
    return status;
}

void bp_sides_free(bp_sides *s, const bp_allocator *allocator) {
    for (int i = 0; i < 2; ++i) {
        bp_buffer_free(&s->sides[i].ids, allocator);
        bp_buffer_free(&s->sides[i].boxes, allocator);
    }
}

size_t bp_sides_bytes(const bp_sides *s) {
    size_t bytes = 0;
    for (int i = 0; i < 2; ++i) {
        bytes += s->sides[i].ids.bytes + s->sides[i].boxes.bytes;
    }
    return bytes;
}
