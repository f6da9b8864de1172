// From pairs to rows: count, sum up, place, and sort each row by itself.
//
//     offsets, shifted by one entry     | 0 | count of 0     | count of 1     | ...
//       summed up                       | 0 | where 0 begins | where 1 begins | ...
//       after placing                   | 0 | where 0 ends   | where 1 ends   | ...      the offsets of the result
//
// Placing is two random writes for each pair. But methods find pairs in spatial order, so a row that was just written
// to is soon written to again, while it is in the cache. To place indices in ascending order, pairs would have to be
// visited in the order of ids, which loses this locality; sorting short rows afterwards costs less.
//
// With several workers each has a range of rows and reads all pairs: reading them is a fraction of the work, nothing is
// shared, and the rows depend only on the pairs. Cost: O(rows + pairs), and the sorting of long rows.
#include "neighbors/neighbor_rows.h"

#include "base/parallel.h"

#include <string.h>

enum {
    TASKS_MAX = 16,
    TASK_LEAST = 32768, // pairs that are worth a task
    AHEAD = 16,         // pairs after the present one whose rows are prefetched
    INSERTED = 4,       // up to this many indices are sorted by insertion,
    RANKED = 64         // and up to this many by counting the smaller ones
};

typedef struct row_maker {
    size_t *offsets;
    uint32_t *indices;
    uint32_t *spare; // of the same length
    const bp_pair *pairs;
    size_t pair_count, row_count;
    bp_blocks rows; // a range of rows for each task
    bool both_ways;
} row_maker;

// ---- count, sum up, place -------------------------------------------------------------------------------------------

// Prefetches the offsets of later rows. Prefetching the places of their indices as well, once offsets are there, gained
// nothing.
BP_PREFETCHER prefetch_offsets(const row_maker *j, size_t pair) {
    const bp_pair ahead = j->pairs[pair < j->pair_count ? pair : j->pair_count - 1];
    bp_prefetch_write(j->offsets + ahead.a + 1);
    bp_prefetch_write(j->offsets + (j->both_ways ? ahead.b : ahead.a) + 1);
}

static void task_count_rows(void *context, size_t task) {
    const row_maker *j = context;
    const size_t begin = bp_block_begin(j->rows, task), rows = bp_block_begin(j->rows, task + 1) - begin;
    size_t *counts = j->offsets + begin + 1;
    memset(counts, 0, rows * sizeof *counts);
    for (size_t i = 0; i < j->pair_count; ++i) {
        const size_t a = j->pairs[i].a - begin, b = j->pairs[i].b - begin;
        prefetch_offsets(j, i + AHEAD);
        if (a < rows) {
            ++counts[a];
        }
        if (j->both_ways && b < rows) {
            ++counts[b];
        }
    }
}

static void sum_up(const row_maker *j) {
    size_t sum = 0;
    j->offsets[0] = 0;
    for (size_t row = 0; row < j->row_count; ++row) {
        const size_t count = j->offsets[row + 1];
        j->offsets[row + 1] = sum;
        sum += count;
    }
}

static void task_place_indices(void *context, size_t task) {
    const row_maker *j = context;
    const size_t begin = bp_block_begin(j->rows, task), rows = bp_block_begin(j->rows, task + 1) - begin;
    size_t *places = j->offsets + begin + 1;
    for (size_t i = 0; i < j->pair_count; ++i) {
        const bp_pair pair = j->pairs[i];
        const size_t a = pair.a - begin, b = pair.b - begin;
        prefetch_offsets(j, i + AHEAD);
        if (a < rows) {
            j->indices[places[a]++] = pair.b;
        }
        if (j->both_ways && b < rows) {
            j->indices[places[b]++] = pair.a;
        }
    }
}

// ---- sort -----------------------------------------------------------------------------------------------------------

static void sort_by_insertion(uint32_t *row, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const uint32_t index = row[i];
        size_t place = i;
        for (; place > 0 && row[place - 1] > index; --place) {
            row[place] = row[place - 1];
        }
        row[place] = index;
    }
}

// The position of an index is the number of smaller ones: n^2 comparisons, but many at once and without a branch. At 28
// indices this takes a third of the time of an insertion sort. `width` is at least the count, and a compile-time
// constant.
static inline void sort_by_rank(uint32_t *row, size_t count, size_t width) {
    static const uint32_t SIGN = 0x80000000u; // vectors compare signed numbers
    int32_t from[RANKED], smaller[RANKED];
    for (size_t i = 0; i < width; ++i) {
        from[i] = INT32_MAX;
        smaller[i] = 0;
    }
    for (size_t i = 0; i < count; ++i) {
        from[i] = (int32_t)(row[i] ^ SIGN);
    }
    for (size_t k = 0; k < count; ++k) {
        const int32_t index = from[k];
        for (size_t i = 0; i < width; ++i) {
            smaller[i] += index < from[i];
        }
    }
    for (size_t i = 0; i < count; ++i) {
        row[smaller[i]] = (uint32_t)from[i] ^ SIGN;
    }
}

static void sort_short(uint32_t *row, size_t count) {
    if (count <= INSERTED) {
        sort_by_insertion(row, count);
    } else if (count <= RANKED / 4) {
        sort_by_rank(row, count, RANKED / 4);
    } else if (count <= RANKED / 2) {
        sort_by_rank(row, count, RANKED / 2);
    } else {
        sort_by_rank(row, count, RANKED);
    }
}

static void merge(const uint32_t *from, size_t middle, size_t count, uint32_t *to) {
    size_t low = 0, high = middle;
    for (size_t i = 0; i < count; ++i) {
        const bool first = high == count || (low < middle && from[low] < from[high]);
        to[i] = first ? from[low] : from[high];
        low += first;
        high += !first;
    }
}

// Pieces of RANKED, merged two by two.
static void sort_by_merging(uint32_t *row, uint32_t *spare, size_t count) {
    for (size_t i = 0; i < count; i += RANKED) {
        sort_short(row + i, count - i < RANKED ? count - i : RANKED);
    }
    uint32_t *from = row, *to = spare;
    for (size_t width = RANKED; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            const size_t left = count - i;
            merge(from + i, left < width ? left : width, left < 2 * width ? left : 2 * width, to + i);
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != row) {
        memcpy(row, from, count * sizeof *row);
    }
}

static void task_sort_rows(void *context, size_t task) {
    const row_maker *j = context;
    const size_t end = bp_block_begin(j->rows, task + 1);
    for (size_t row = bp_block_begin(j->rows, task); row < end; ++row) {
        const size_t begin = j->offsets[row], count = j->offsets[row + 1] - begin;
        if (count < 2) {
            continue;
        }
        if (count <= RANKED) {
            sort_short(j->indices + begin, count);
        } else {
            sort_by_merging(j->indices + begin, j->spare + begin, count);
        }
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

// Allocates if the memory held is not enough, with some slack if that is granted. The memory held is not touched.
static bool obtain(bp_buffer *fresh, size_t held, size_t needed, size_t size, const bp_allocator *allocator) {
    const size_t slack = needed / 4 < SIZE_MAX - needed ? needed / 4 : 0;
    return needed <= held || bp_buffer_reserve(fresh, allocator, 0, needed + slack, size) ||
           bp_buffer_reserve(fresh, allocator, 0, needed, size);
}

// Replaces the memory held by the fresh memory, if there is any.
static void *exchange(void *held, size_t *capacity, bp_buffer *fresh, size_t size, const bp_allocator *allocator) {
    if (fresh->data == NULL) {
        return held;
    }
    bp_buffer old = {.data = held, .bytes = *capacity * size};
    bp_buffer_free(&old, allocator);
    *capacity = fresh->bytes / size;
    return fresh->data;
}

static bool reserve_rows(bp_neighbors *rows, size_t row_count, size_t index_count, const bp_allocator *allocator) {
    bp_buffer offsets = {0}, indices = {0};
    if (!obtain(&offsets, rows->offset_capacity, row_count + 1, sizeof(size_t), allocator) ||
        !obtain(&indices, rows->index_capacity, index_count, sizeof(uint32_t), allocator)) {
        bp_buffer_free(&offsets, allocator);
        return false;
    }
    rows->offsets = exchange(rows->offsets, &rows->offset_capacity, &offsets, sizeof(size_t), allocator);
    rows->indices = exchange(rows->indices, &rows->index_capacity, &indices, sizeof(uint32_t), allocator);
    return true;
}

static size_t tasks_for(const bp_executor *executor, size_t pair_count) {
    const size_t worth = pair_count / TASK_LEAST + 1, most = worth < TASKS_MAX ? worth : TASKS_MAX;
    return executor->workers < most ? executor->workers : most;
}

bp_status bp_neighbor_rows_make(bp_neighbors *rows, size_t row_count, bp_pair *pairs, size_t pair_count, bool both_ways,
                                const bp_runtime *runtime) {
    const bp_executor *executor = &runtime->executor;
    const size_t index_count = bp_size_multiply(pair_count, both_ways ? 2 : 1);
    if (!reserve_rows(rows, row_count, index_count, &runtime->allocator)) {
        return BP_ERROR_MEMORY;
    }
    rows->count = row_count;
    row_maker j = {.offsets = rows->offsets,
                   .indices = rows->indices,
                   .spare = (uint32_t *)(void *)pairs,
                   .pairs = pairs,
                   .pair_count = pair_count,
                   .row_count = row_count,
                   .rows = {.item_count = row_count, .count = tasks_for(executor, pair_count)},
                   .both_ways = both_ways};
    bp_parallel_for(executor, j.rows.count, task_count_rows, &j);
    sum_up(&j);
    bp_parallel_for(executor, j.rows.count, task_place_indices, &j);
    bp_parallel_for(executor, j.rows.count, task_sort_rows, &j);
    return BP_OK;
}
