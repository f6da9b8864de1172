#include "neighbors/found_rows.h"

#include <string.h>

enum { HEADER = 64, AHEAD = 12 }; // bytes in front of the ids of a chunk; rows that are prefetched

struct bp_row_chunk {
    bp_row_chunk *next;
    size_t capacity, id_count; // ids
    size_t position, row_count;
};

_Static_assert(sizeof(bp_row_chunk) <= HEADER, "the ids follow");

static uint32_t *ids_of_chunk(bp_row_chunk *chunk) {
    return (uint32_t *)(void *)((char *)chunk + HEADER);
}

static size_t bytes_of_chunk(size_t capacity) {
    return bp_size_add(bp_size_multiply(capacity, sizeof(uint32_t)), HEADER);
}

static bool append_chunk(bp_found_rows *found, size_t least, size_t position, const bp_allocator *allocator) {
    const size_t capacity = least > found->chunk_ids ? least : found->chunk_ids, bytes = bytes_of_chunk(capacity);
    bp_row_chunk *chunk = bytes == SIZE_MAX ? NULL : allocator->allocate(allocator->context, bytes);
    if (chunk == NULL) {
        return false;
    }
    *chunk = (bp_row_chunk){.capacity = capacity, .position = position};
    if (found->last != NULL) {
        found->last->next = chunk;
    } else {
        found->first = chunk;
    }
    found->last = chunk;
    found->bytes += bytes;
    return true;
}

uint32_t *bp_found_rows_room(bp_found_rows *found, size_t least, size_t position, size_t *room,
                             const bp_allocator *allocator) {
    const bp_row_chunk *held = found->last;
    if ((held == NULL || held->capacity - held->id_count < least) && !append_chunk(found, least, position, allocator)) {
        return NULL;
    }
    *room = found->last->capacity - found->last->id_count;
    return ids_of_chunk(found->last) + found->last->id_count;
}

void bp_found_rows_add(bp_found_rows *found, size_t row_count, size_t id_count) {
    found->last->row_count += row_count;
    found->last->id_count += id_count;
    found->id_count += id_count;
}

bool bp_found_rows_add_late(bp_found_rows *found, const bp_pair *pairs, size_t count, const bp_allocator *allocator) {
    if (!bp_pairs_reserve(&found->late, allocator, bp_size_add(found->late.count, count))) {
        return false;
    }
    memcpy(found->late.data + found->late.count, pairs, count * sizeof *pairs);
    found->late.count += count;
    return true;
}

// ---- placing --------------------------------------------------------------------------------------------------------

// Merges sorted ids into a sorted row from its end, which has room for them.
static void merge_into(uint32_t *row, size_t count, const uint32_t *late, size_t late_count) {
    size_t place = count + late_count;
    while (late_count > 0) {
        const bool from_row = count > 0 && row[count - 1] > late[late_count - 1];
        row[--place] = from_row ? row[--count] : late[--late_count];
    }
}

// Late pairs that are not placed yet.
typedef struct late_pairs {
    bp_pair *data;
    size_t at, end;
} late_pairs;

// How many of them belong to this point.
static size_t count_late(const late_pairs *late, uint32_t point) {
    size_t end = late->at;
    while (end < late->end && late->data[end].a == point) {
        ++end;
    }
    return end - late->at;
}

// Merges late pairs into a row, which must be sorted. They become ids and as much memory for sorting these.
static void place_late(uint32_t *row, size_t count, bp_pair *late, size_t late_count, const bp_kernels *kernels) {
    uint32_t *ids = (uint32_t *)(void *)late;
    bp_row_queue queue = {.count = 0};
    for (size_t i = 0; i < late_count; ++i) {
        const uint32_t id = late[i].b;
        ids[i] = id;
    }
    bp_row_queue_add(&queue, ids, ids + late_count, late_count, ids, kernels);
    bp_row_queue_end(&queue, kernels);
    merge_into(row, count, ids, late_count);
}

BP_PREFETCHER prefetch_row(const bp_neighbors *rows, const uint32_t *ids, size_t at, size_t end) {
    if (at + (size_t)2 * AHEAD < end) {
        bp_prefetch(rows->offsets + ids[at + (size_t)2 * AHEAD]);
        const uint32_t *row = rows->indices + rows->offsets[ids[at + AHEAD]];
        bp_prefetch_write(row);
        bp_prefetch_write(row + 16);
        bp_prefetch_write(rows->indices + rows->offsets[ids[at + AHEAD] + (size_t)1]);
    }
}

static void place_chunk(bp_row_chunk *chunk, const uint32_t *ids, const bp_neighbors *rows, late_pairs *late,
                        const bp_kernels *kernels) {
    const size_t end = chunk->position + chunk->row_count;
    uint32_t *found = ids_of_chunk(chunk);
    bp_row_queue queue = {.count = 0};
    for (size_t at = chunk->position; at < end; ++at) {
        const size_t begin = rows->offsets[ids[at]], count = rows->offsets[ids[at] + (size_t)1] - begin;
        const size_t late_count = count_late(late, ids[at]), early_count = count - late_count;
        uint32_t *row = rows->indices + begin;
        prefetch_row(rows, ids, at, end);
        bp_row_queue_add(&queue, found, row, early_count, row, kernels);
        if (late_count > 0) {
            bp_row_queue_end(&queue, kernels);
            place_late(row, early_count, late->data + late->at, late_count, kernels);
        }
        found += early_count;
        late->at += late_count;
    }
    bp_row_queue_end(&queue, kernels);
}

void bp_found_rows_place(const bp_found_rows *found, const uint32_t *ids, const bp_neighbors *rows,
                         const bp_kernels *kernels) {
    late_pairs late = {.data = found->late.data, .end = found->late.count};
    for (bp_row_chunk *chunk = found->first; chunk != NULL; chunk = chunk->next) {
        place_chunk(chunk, ids, rows, &late, kernels);
    }
}

void bp_found_rows_free(bp_found_rows *found, const bp_allocator *allocator) {
    bp_row_chunk *chunk = found->first;
    while (chunk != NULL) {
        bp_row_chunk *next = chunk->next;
        allocator->release(allocator->context, chunk, bytes_of_chunk(chunk->capacity));
        chunk = next;
    }
    bp_pairs_release(&found->late, allocator);
    *found = (bp_found_rows){0};
}
