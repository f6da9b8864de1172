#include "world/world_parts.h"

#include "base/boxes.h"
#include "view/pair_filter.h"

enum {
    CLASSES_MAX = 16,
    PARTED_MIN = 8 // one object in so many must be in a part of its own, or nothing is gained
};

// Objects that pass the same others.
typedef struct filter_class {
    bp_object object;
    size_t count;
    uint8_t part;
} filter_class;

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
static size_t class_of(const filter_class *classes, size_t count, const bp_object *object, size_t last) {
    size_t k = 0;
    if (last < count && is_same_class(&classes[last].object, object)) {
        return last;
    }
    while (k < count && !is_same_class(&classes[k].object, object)) {
        ++k;
    }
    return k;
}

// Lists the classes of all objects. More than CLASSES_MAX: SIZE_MAX.
static size_t list_classes(filter_class *classes, const bp_object *objects, bool are_apart, const bp_box *boxes,
                           size_t count) {
    size_t class_count = 0, last = 0;
    for (size_t id = 0; id < count; ++id) {
        if (bp_box_is_hole(&boxes[id])) {
            continue;
        }
        const bp_object object = asked_of(&objects[id], are_apart);
        last = class_of(classes, class_count, &object, last);
        if (last == class_count) {
            if (class_count == CLASSES_MAX) {
                return SIZE_MAX;
            }
            classes[class_count++] = (filter_class){.object = object};
        }
        ++classes[last].count;
    }
    return class_count;
}

// Puts classes into part 1, the most frequent ones first, as long as none of them meets another one there, or itself.
static void part_classes(filter_class *classes, size_t count) {
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

bool bp_world_parts_find(bp_world_parts *p, const bp_allocator *allocator, const bp_object *objects, bool are_apart,
                         const bp_box *boxes, size_t count) {
    filter_class classes[CLASSES_MAX];
    const size_t class_count = objects != NULL ? list_classes(classes, objects, are_apart, boxes, count) : 0;
    const bool are_too_many = class_count == SIZE_MAX;
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
    size_t last = 0;
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
        of[id] = now;
    }
    p->parts = (bp_parts){
        .of = of, .meets_itself = {meets[0], false}, .are_all = are_all, .version = p->parts.version + has_changed};
    p->are_exact = are_exact;
    p->id_count = count;
    return true;
}
