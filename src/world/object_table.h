// The properties of a world's objects (group, mask, flags, island, user), by id. As long as all are defaults, nothing
// is stored.
#ifndef BP_OBJECT_TABLE_H
#define BP_OBJECT_TABLE_H

#include "base/memory.h"

// All zero is empty.
typedef struct bp_object_table {
    bp_buffer objects; // of bp_object, by id; there may be room before anything is stored
    bool is_stored;    // an object has differed from the default
    bool are_others;   // objects have come, gone or changed since somebody has last looked
    bool has_islands;  // an object has had an island that is not 0
} bp_object_table;

// NULL if all are defaults.
static inline bp_object *bp_object_table_data(const bp_object_table *table) {
    return table->is_stored ? table->objects.data : NULL;
}

// Reserves memory for `id_count` ids; the first `used` ids are in use. False if there is not enough memory.
bool bp_object_table_reserve(bp_object_table *table, const bp_allocator *allocator, size_t used, size_t id_count);

// The same, and from now on every id has an object of its own.
bool bp_object_table_store(bp_object_table *table, const bp_allocator *allocator, size_t used, size_t id_count);

static inline bp_object bp_object_table_get(const bp_object_table *table, bp_id id) {
    const bp_object *objects = bp_object_table_data(table);
    return objects != NULL ? objects[id] : (bp_object){0};
}

// NULL means the default, and only that may be set where nothing is stored.
static inline void bp_object_table_set(bp_object_table *table, bp_id id, const bp_object *object) {
    bp_object *objects = bp_object_table_data(table);
    table->are_others = true;
    table->has_islands |= object != NULL && object->island != 0;
    if (objects != NULL) {
        objects[id] = object != NULL ? *object : (bp_object){0};
    }
}

// NULL is the default.
static inline bool bp_object_is_default(const bp_object *object) {
    return object == NULL || (object->group | object->mask | object->flags | object->island | object->user) == 0;
}

#define BP_OBJECT_RULE "object: its flags hold a bit that is no flag, or reserved is not 0"

// Whether an object says only what this version knows. NULL is the default, which is valid.
static inline bool bp_object_is_valid(const bp_object *object) {
    return object == NULL || ((object->flags & ~(uint32_t)BP_STATIC) == 0 && object->reserved == 0);
}

#endif
