#include "neighbors/found_rows.h"

#include <string.h>

enum {
    HEADER = 64,       // bytes in front of the ids of an arena
    AHEAD = 12,        // rows that are prefetched
    ROWS_TOGETHER = 64 // rows that are finished together
};

struct bp_row_arena {
    bp_row_arena *next;
    size_t capacity, id_count; // ids
    size_t position, end;      // of its rows
};

_Static_assert(sizeof(bp_row_arena) <= HEADER, "the ids follow");

static uint32_t *ids_of_arena(bp_row_arena *arena) {
    return (uint32_t *)(void *)((char *)arena + HEADER);
}

static size_t bytes_of_arena(size_t capacity) {
    return bp_size_add(bp_size_multiply(capacity, sizeof(uint32_t)), HEADER);
}

uint32_t *bp_found_rows_room(bp_found_rows *found, size_t least, size_t position, size_t *room,
                             const bp_allocator *allocator) {
    bp_row_arena *last = found->last;
    if (last == NULL || last->capacity - last->id_count < least) {
        const size_t capacity = least > found->arena_ids ? least : found->arena_ids, bytes = bytes_of_arena(capacity);
        bp_row_arena *arena = bytes == SIZE_MAX ? NULL : allocator->allocate(allocator->context, bytes);
        if (arena == NULL) {
            return NULL;
        }
        *arena = (bp_row_arena){.capacity = capacity, .position = position, .end = position};
        *(last != NULL ? &last->next : &found->first) = arena;
        found->last = last = arena;
        found->bytes += bytes;
    }
    *room = last->capacity - last->id_count;
    return ids_of_arena(last) + last->id_count;
}

void bp_found_rows_add(bp_found_rows *found, size_t end, size_t id_count) {
    found->last->end = end;
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

// Merges late pairs into a sorted row from its end, which has room for them. They become ids, and as much memory for sorting
// these.
static void place_late(uint32_t *row, size_t count, bp_pair *late, size_t late_count, const bp_kernels *kernels) {
    uint32_t *ids = (uint32_t *)(void *)late;
    bp_row_queue queue = {.count = 0};
    for (size_t i = 0; i < late_count; ++i) {
        const uint32_t id = late[i].b;
        ids[i] = id;
    }
    bp_row_queue_add(&queue, ids, ids + late_count, late_count, ids, kernels);
    bp_row_queue_end(&queue, kernels);
    while (late_count > 0) {
        const size_t place = count + late_count - 1;
        const bool from_row = count > 0 && row[count - 1] > ids[late_count - 1];
        row[place] = from_row ? row[count - 1] : ids[late_count - 1];
        count -= from_row;
        late_count -= !from_row;
    }
}

BP_PREFETCHER prefetch_row(const bp_row_places *p, size_t at, size_t end) {
    if (at + (size_t)2 * AHEAD < end) {
        uint32_t next, later;
        (void)bp_row_places_has(p, at + AHEAD, &next);
        (void)bp_row_places_has(p, at + (size_t)2 * AHEAD, &later);
        bp_prefetch(p->rows->offsets + later);
        const uint32_t *row = p->rows->indices + p->rows->offsets[next];
        bp_prefetch_write(row);
        bp_prefetch_write(row + 16);
        bp_prefetch_write(p->rows->indices + p->rows->offsets[next + (size_t)1]);
    }
}

void bp_found_rows_place(const bp_found_rows *found, const bp_row_places *p) {
    bp_pair *late = found->late.data, *const late_end = late + found->late.count;
    const bp_neighbors *rows = p->rows;
    for (bp_row_arena *arena = found->first; arena != NULL; arena = arena->next) {
        uint32_t *ids = ids_of_arena(arena);
        for (size_t at = arena->position; at < arena->end;) { // as many rows as are finished together
            uint32_t points[ROWS_TOGETHER];
            size_t count = 0;
            bp_row_queue queue = {.count = 0};
            for (; at < arena->end && count < ROWS_TOGETHER; ++at) {
                prefetch_row(p, at, arena->end);
                if (!bp_row_places_has(p, at, &points[count])) {
                    continue;
                }
                const uint32_t point = points[count++];
                const size_t begin = rows->offsets[point], all = rows->offsets[point + (size_t)1] - begin;
                uint32_t *row = rows->indices + begin;
                size_t late_count = 0;
                while (late + late_count < late_end && late[late_count].a == point) {
                    ++late_count;
                }
                bp_row_queue_add(&queue, ids, row, all - late_count, row, p->kernels); // sorted now or later
                if (late_count > 0) {
                    bp_row_queue_end(&queue, p->kernels);
                    place_late(row, all - late_count, late, late_count, p->kernels);
                }
                late += late_count;
                ids += all - late_count;
            }
            bp_row_queue_end(&queue, p->kernels);
            if (p->finish != NULL) {
                bp_image_rows_finish(p->finish, points, count);
            }
        }
    }
}

void bp_found_rows_free(bp_found_rows *found, const bp_allocator *allocator) {
    bp_row_arena *arena = found->first;
    while (arena != NULL) {
        bp_row_arena *next = arena->next;
        allocator->release(allocator->context, arena, bytes_of_arena(arena->capacity));
        arena = next;
    }
    bp_pairs_release(&found->late, allocator);
    *found = (bp_found_rows){0};
}
