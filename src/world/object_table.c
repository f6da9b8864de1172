#include "world/object_table.h"

#include <string.h>

bool bp_object_table_reserve(bp_object_table *table, const bp_allocator *allocator, size_t used, size_t id_count) {
    const size_t kept = table->is_stored ? used * sizeof(bp_object) : 0;
    return bp_buffer_reserve_slack(&table->objects, allocator, kept, id_count, sizeof(bp_object));
}

bool bp_object_table_store(bp_object_table *table, const bp_allocator *allocator, size_t used, size_t id_count) {
    if (!bp_object_table_reserve(table, allocator, used, id_count)) {
        return false;
    }
    if (!table->is_stored && id_count > 0) {
        memset(table->objects.data, 0, table->objects.bytes);
        table->is_stored = true;
    }
    return true;
}
