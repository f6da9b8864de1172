// A list that grows at its end, in memory from the caller's allocator.
#ifndef BP_MPI_LIST_H
#define BP_MPI_LIST_H

#include "base/memory.h"

typedef struct bp_mpi_list {
    bp_buffer memory;
    size_t count;
} bp_mpi_list;

// Room for one more element of `size` bytes, or NULL.
static inline void *bp_mpi_list_add(bp_mpi_list *list, const bp_allocator *allocator, size_t size) {
    const size_t used = list->count * size;
    if (list->memory.bytes - used < size &&
        !bp_buffer_reserve_slack(&list->memory, allocator, used, list->count + 16, size)) {
        return NULL;
    }
    ++list->count;
    return (char *)list->memory.data + used;
}

#endif
