#include "world/world_parts.h"

#include "base/boxes.h"
#include "view/pair_filter.h"

enum {
    PARTED_MIN = 8,    // one object in so many must be in a part of its own, or nothing is gained
    FOLLOWED_SHARE = 4 // after changes of one object in so many all are looked at again: another division may be better
};

static bool is_same_class(const bp_object *a, const bp_object *b) {
    return a->group == b->group && a->mask == b->mask && a->island == b->island && a->flags == b->flags;
}

// An object as far as parts ask.
static bp_object asked_of(const bp_object *object, bool are_apart) {
    bp_object asked = *object;
    asked.island = are_apart ? 0 : asked.island;
    return asked;
}

// The place of an object's class, or `count` if it is new. Most objects are of the class of the one before.
static size_t class_of(const bp_filter_class *classes, size_t count, const bp_object *object, size_t last) {
    size_t k = 0;
    if (last < count && is_same_class(&classes[last].object, object)) {
        return last;
    }
    while (k < count && !is_same_class(&classes[k].object, object)) {
        ++k;
    }
    return k;
}

// Lists the classes of all objects. More than BP_CLASSES_MAX: SIZE_MAX.
static size_t list_classes(bp_filter_class *classes, const bp_object *objects, bool are_apart, const bp_box *boxes,
                           size_t count) {
    size_t class_count = 0, last = 0;
    for (size_t id = 0; id < count; ++id) {
        if (bp_box_is_hole(&boxes[id])) {
            continue;
        }
        const bp_object object = asked_of(&objects[id], are_apart);
        last = class_of(classes, class_count, &object, last);
        if (last == class_count) {
            if (class_count == BP_CLASSES_MAX) {
                return SIZE_MAX;
            }
            classes[class_count++] = (bp_filter_class){.object = object};
        }
        ++classes[last].count;
    }
    return class_count;
}

// Puts classes into part 1, the most frequent ones first, as long as none of them meets another one there, or itself.
static void part_classes(bp_filter_class *classes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        bool has_partner = false;
        for (size_t k = 0; k < count; ++k) {
            has_partner |= bp_objects_pass(&classes[i].object, &classes[k].object);
        }
        classes[i].part = has_partner ? 0 : BP_PART_NEITHER;
    }
    for (;;) {
        size_t best = count;
        for (size_t i = 0; i < count; ++i) {
            bool is_free = classes[i].part == 0 && !bp_objects_pass(&classes[i].object, &classes[i].object);
            for (size_t k = 0; k < count; ++k) {
                is_free &= classes[k].part != 1 || !bp_objects_pass(&classes[i].object, &classes[k].object);
            }
            best = is_free && (best == count || classes[i].count > classes[best].count) ? i : best;
        }
        if (best == count) {
            return;
        }
        classes[best].part = 1;
    }
}

// The parts of the objects that have changed. False if all have to be looked at.
static bool follow_changes(bp_world_parts *p, const bp_allocator *allocator, const bp_object *objects, bool are_apart,
                           const bp_box *boxes, size_t count, const bp_changes *changes) {
    const bool are_too_many = p->class_count == SIZE_MAX;
    p->followed += changes->count;
    if (p->class_count == 0 || p->followed > count / FOLLOWED_SHARE ||
        (p->parts.of != NULL && !bp_buffer_reserve_slack(&p->buffer, allocator, p->id_count, count, 1))) {
        return false;
    }
    uint8_t *of = p->parts.of != NULL ? p->buffer.data : NULL;
    p->parts.of = of;
    for (; of != NULL && p->id_count < count; ++p->id_count) {
        of[p->id_count] = BP_PART_NEITHER;
    }
    size_t last = 0;
    for (size_t i = 0; i < changes->count; ++i) {
        const bp_id id = changes->ids[i];
        if (bp_box_is_hole(&boxes[id])) {
            continue;
        }
        const bp_object object = asked_of(&objects[id], are_apart);
        last = are_too_many ? 0 : class_of(p->classes, p->class_count, &object, last);
        if (!are_too_many && last == p->class_count) {
            return false;
        }
        const uint8_t now = are_too_many ? (object.flags & BP_STATIC) != 0 : p->classes[last].part;
        if (of != NULL) {
            p->parts.version += of[id] != BP_PART_NEITHER && now != of[id];
            p->parts.are_all &= now != BP_PART_NEITHER;
            p->parts.count += now == 0 && of[id] != 0;
            of[id] = now;
        }
    }
    return true;
}

bool bp_world_parts_find(bp_world_parts *p, const bp_allocator *allocator, const bp_object *objects, bool are_apart,
                         const bp_box *boxes, size_t count, const bp_changes *changes) {
    bp_filter_class *classes = p->classes;
    if (objects != NULL && changes != NULL && follow_changes(p, allocator, objects, are_apart, boxes, count, changes)) {
        return true;
    }
    p->followed = 0;
    const size_t class_count = objects != NULL ? list_classes(classes, objects, are_apart, boxes, count) : 0;
    const bool are_too_many = class_count == SIZE_MAX;
    p->class_count = class_count;
    bool meets[2] = {are_too_many, false}, are_exact = !are_too_many;
    size_t parted = 0;
    if (!are_too_many) { // else only the static ones are a part of their own
        part_classes(classes, class_count);
        for (size_t i = 0; i < class_count; ++i) {
            parted += classes[i].part != 0 ? classes[i].count : 0;
            for (size_t k = 0; k < class_count; ++k) {
                const bool is_first = classes[i].part == 0 && classes[k].part == 0;
                meets[0] |= is_first && bp_objects_pass(&classes[i].object, &classes[k].object);
            }
        }
        for (size_t i = 0; i < class_count; ++i) {
            for (size_t k = 0; k < class_count; ++k) {
                const uint8_t a = classes[i].part, b = classes[k].part;
                const bool may_meet = a != BP_PART_NEITHER && b != BP_PART_NEITHER && (a != b || meets[a]);
                are_exact &= may_meet == bp_objects_pass(&classes[i].object, &classes[k].object);
            }
        }
    }
    if (objects == NULL || (!are_too_many && parted < count / PARTED_MIN + 1)) {
        p->parts = (bp_parts){
            .meets_itself = {true, true}, .are_all = true, .version = p->parts.version + (p->parts.of != NULL)};
        p->are_exact = objects == NULL || (!are_too_many && parted == 0 && are_exact && meets[0]);
        p->id_count = 0;
        return true;
    }
    if (!bp_buffer_reserve_slack(&p->buffer, allocator, p->id_count, count, sizeof(uint8_t))) {
        return false;
    }
    // An id that has been in a part and is now in another one makes what is built over parts useless. A hole stays in its part.
    uint8_t *of = p->buffer.data;
    bool has_changed = p->parts.of == NULL || p->parts.meets_itself[0] != meets[0], are_all = true;
    size_t last = 0, first_count = 0;
    for (size_t id = 0; id < count; ++id) {
        const uint8_t before = id < p->id_count ? of[id] : BP_PART_NEITHER;
        uint8_t now = before;
        if (!bp_box_is_hole(&boxes[id]) && are_too_many) {
            now = (objects[id].flags & BP_STATIC) != 0;
        } else if (!bp_box_is_hole(&boxes[id])) {
            const bp_object object = asked_of(&objects[id], are_apart);
            last = class_of(classes, class_count, &object, last);
            now = classes[last].part;
        }
        has_changed |= before != BP_PART_NEITHER && now != before;
        are_all &= now != BP_PART_NEITHER || bp_box_is_hole(&boxes[id]);
        first_count += now == 0 && !bp_box_is_hole(&boxes[id]);
        of[id] = now;
    }
    p->parts = (bp_parts){.of = of,
                          .meets_itself = {meets[0], false},
                          .are_all = are_all,
                          .count = first_count,
                          .version = p->parts.version + has_changed};
    p->are_exact = are_exact;
    p->id_count = count;
    return true;
}
