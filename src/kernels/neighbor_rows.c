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
// With several workers each has a block of pairs. They share the offsets, which they increase by atomic additions; in which
// order a row is filled makes no difference once it is sorted. Cost: O(rows + pairs), and the sorting of long rows.
#include "kernels/neighbor_rows.h"

#include "base/parallel.h"
#include "base/radix_sort.h"

#include <stdatomic.h>
#include <string.h>

enum {
    TASKS_MAX = 256,
    TASK_MIN = 8192, // pairs that are worth a task,
    ROWS_MIN = 2048, // and rows
    AHEAD = 16,      // pairs after the present one whose rows are prefetched
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    LONG = 2 * DIGITS // ids of a row that is sorted digit by digit
};

typedef struct row_maker {
    size_t *offsets;
    uint32_t *indices;
    uint32_t *spare; // of the same length
    const bp_pair *pairs;
    bp_blocks pair_blocks, row_blocks;
    bool both_ways;
    const bp_kernels *kernels;
} row_maker;

// ---- count, sum up, place -------------------------------------------------------------------------------------------

// Adds to the entry of a row, and returns what it was.
static inline size_t add_to_row(const row_maker *j, uint32_t row, size_t count) {
    size_t *entry = j->offsets + row + 1;
    if (j->pair_blocks.count > 1) {
        return atomic_fetch_add_explicit((_Atomic size_t *)entry, count, memory_order_relaxed);
    }
    const size_t before = *entry;
    *entry = before + count;
    return before;
}

// Prefetches the offsets of later rows. Prefetching the places of their indices as well, once offsets are there, gained
// nothing.
BP_PREFETCHER prefetch_offsets(const row_maker *j, size_t pair, size_t end) {
    const bp_pair ahead = j->pairs[pair < end ? pair : end - 1];
    bp_prefetch_write(j->offsets + ahead.a + 1);
    bp_prefetch_write(j->offsets + ahead.b + 1);
}

// Between two sets, most pairs of a row come one after the other: a run, which ends before the pair that is returned.
static inline size_t end_of_run(const row_maker *j, size_t i, size_t end) {
    const uint32_t row = j->pairs[i].a;
    do {
        ++i;
    } while (i < end && j->pairs[i].a == row);
    return i;
}

static void task_clear_rows(void *context, size_t block) {
    const row_maker *j = context;
    const size_t begin = bp_block_begin(j->row_blocks, block), end = bp_block_begin(j->row_blocks, block + 1);
    memset(j->offsets + begin + 1, 0, (end - begin) * sizeof *j->offsets);
}

static void task_count_rows(void *context, size_t block) {
    const row_maker *j = context;
    const size_t begin = bp_block_begin(j->pair_blocks, block), end = bp_block_begin(j->pair_blocks, block + 1);
    for (size_t i = begin, next; i < end && !j->both_ways; i = next) {
        next = end_of_run(j, i, end);
        (void)add_to_row(j, j->pairs[i].a, next - i);
    }
    for (size_t i = begin; i < end && j->both_ways; ++i) {
        prefetch_offsets(j, i + AHEAD, end);
        (void)add_to_row(j, j->pairs[i].a, 1);
        (void)add_to_row(j, j->pairs[i].b, 1);
    }
}

static void task_place_indices(void *context, size_t block) {
    const row_maker *j = context;
    const size_t begin = bp_block_begin(j->pair_blocks, block), end = bp_block_begin(j->pair_blocks, block + 1);
    for (size_t i = begin, next; i < end && !j->both_ways; i = next) {
        next = end_of_run(j, i, end);
        uint32_t *to = j->indices + add_to_row(j, j->pairs[i].a, next - i);
        for (size_t k = i; k < next; ++k) {
            *to++ = j->pairs[k].b;
        }
    }
    for (size_t i = begin; i < end && j->both_ways; ++i) {
        const bp_pair pair = j->pairs[i];
        prefetch_offsets(j, i + AHEAD, end);
        j->indices[add_to_row(j, pair.a, 1)] = pair.b;
        j->indices[add_to_row(j, pair.b, 1)] = pair.a;
    }
}

// ---- sort -----------------------------------------------------------------------------------------------------------

void bp_row_queue_end(bp_row_queue *queue, const bp_kernels *kernels) {
    bp_row_sort *job = &queue->waiting;
    for (size_t i = queue->count; i < BP_SORTED_ROWS && queue->count > 0; ++i) {
        job->from[i] = job->from[0];
        job->to[i] = job->to[0];
        job->counts[i] = 0;
    }
    if (queue->count > 0) {
        kernels->sort_rows(job);
    }
    queue->count = 0;
}

static inline void put_row(bp_row_queue *queue, const uint32_t *from, size_t count, uint32_t *to,
                           const bp_kernels *kernels) {
    bp_row_sort *job = &queue->waiting;
    job->from[queue->count] = from;
    job->to[queue->count] = to;
    job->counts[queue->count++] = (uint32_t)count;
    if (queue->count == BP_SORTED_ROWS) {
        kernels->sort_rows(job);
        queue->count = 0;
    }
}

// Pieces that the kernel sorts, and that are then merged two by two.
static void sort_long_row(uint32_t *row, uint32_t *spare, size_t count, uint32_t *result, const bp_kernels *kernels) {
    bp_row_queue queue = {.count = 0};
    for (size_t i = 0; i < count; i += BP_SORTED_IDS) {
        put_row(&queue, row + i, count - i < BP_SORTED_IDS ? count - i : BP_SORTED_IDS, row + i, kernels);
    }
    bp_row_queue_end(&queue, kernels);
    uint32_t *from = row, *to = spare;
    for (size_t width = BP_SORTED_IDS; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            const size_t middle = count - begin < width ? count : begin + width;
            const size_t end = count - begin < 2 * width ? count : begin + 2 * width;
            for (size_t i = begin, low = begin, high = middle; i < end; ++i) {
                const bool first = high == end || (low < middle && from[low] < from[high]);
                to[i] = first ? from[low] : from[high];
                low += first;
                high += !first;
            }
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != result) {
        memcpy(result, from, count * sizeof *result);
    }
}

// The same digit by digit, the lowest first.
static void sort_very_long_row(uint32_t *row, uint32_t *spare, size_t count, uint32_t *result) {
    uint32_t *from = row, *to = spare, largest = 0;
    for (size_t i = 0; i < count; ++i) {
        largest |= row[i];
    }
    for (uint32_t shift = 0; shift < 32 && largest >> shift != 0; shift += DIGIT_BITS) {
        size_t places[DIGITS] = {0};
        for (size_t i = 0; i < count; ++i) {
            ++places[from[i] >> shift & (DIGITS - 1)];
        }
        (void)bp_counts_to_positions(places, DIGITS);
        for (size_t i = 0; i < count; ++i) {
            to[places[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != result) {
        memcpy(result, from, count * sizeof *result);
    }
}

void bp_row_queue_add(bp_row_queue *queue, uint32_t *from, uint32_t *spare, size_t count, uint32_t *to,
                      const bp_kernels *kernels) {
    if (count >= LONG) {
        sort_very_long_row(from, spare, count, to);
    } else if (count > BP_SORTED_IDS) {
        sort_long_row(from, spare, count, to, kernels);
    } else {
        put_row(queue, from, count, to, kernels);
    }
}

static void task_sort_rows(void *context, size_t block) {
    const row_maker *j = context;
    const size_t end = bp_block_begin(j->row_blocks, block + 1);
    bp_row_queue queue = {.count = 0};
    for (size_t row = bp_block_begin(j->row_blocks, block); row < end; ++row) {
        const size_t begin = j->offsets[row], count = j->offsets[row + 1] - begin;
        if (count > 1) {
            bp_row_queue_add(&queue, j->indices + begin, j->spare + begin, count, j->indices + begin, j->kernels);
        }
    }
    bp_row_queue_end(&queue, j->kernels);
}

// ---- all together ---------------------------------------------------------------------------------------------------

bool bp_rows_obtain(bp_buffer *fresh, size_t held, size_t needed, size_t size, const bp_allocator *allocator) {
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

void bp_neighbor_rows_release(bp_neighbors *rows, const bp_allocator *allocator) {
    bp_buffer offsets = {.data = rows->offsets, .bytes = rows->offset_capacity * sizeof(size_t)};
    bp_buffer indices = {.data = rows->indices, .bytes = rows->index_capacity * sizeof(uint32_t)};
    bp_buffer_free(&offsets, allocator);
    bp_buffer_free(&indices, allocator);
    *rows = (bp_neighbors){0};
}

bool bp_neighbor_rows_reserve(bp_neighbors *rows, size_t row_count, size_t index_count, const bp_allocator *allocator) {
    bp_buffer offsets = {0}, indices = {0};
    if (!bp_rows_obtain(&offsets, rows->offset_capacity, row_count + 1, sizeof(size_t), allocator) ||
        !bp_rows_obtain(&indices, rows->index_capacity, index_count, sizeof(uint32_t), allocator)) {
        bp_buffer_free(&offsets, allocator);
        return false;
    }
    rows->offsets = exchange(rows->offsets, &rows->offset_capacity, &offsets, sizeof(size_t), allocator);
    rows->indices = exchange(rows->indices, &rows->index_capacity, &indices, sizeof(uint32_t), allocator);
    return true;
}

bp_status bp_neighbor_rows_make(bp_neighbors *rows, size_t row_count, bp_pair *pairs, size_t pair_count, bool both_ways,
                                const bp_kernels *kernels, const bp_runtime *runtime) {
    const bp_executor *executor = &runtime->executor;
    const size_t index_count = bp_size_multiply(pair_count, both_ways ? 2 : 1);
    if (!bp_neighbor_rows_reserve(rows, row_count, index_count, &runtime->allocator)) {
        return BP_ERROR_MEMORY;
    }
    rows->count = row_count;
    row_maker j = {.offsets = rows->offsets,
                   .indices = rows->indices,
                   .spare = (uint32_t *)(void *)pairs,
                   .pairs = pairs,
                   .pair_blocks = bp_blocks_cut(executor, pair_count, TASK_MIN, TASKS_MAX),
                   .row_blocks = bp_blocks_cut(executor, row_count, ROWS_MIN, TASKS_MAX),
                   .both_ways = both_ways,
                   .kernels = kernels};
    bp_parallel_for(executor, j.row_blocks.count, task_clear_rows, &j);
    bp_parallel_for(executor, j.pair_blocks.count, task_count_rows, &j);
    size_t sum = 0;
    rows->offsets[0] = 0;
    for (size_t row = 0; row < row_count; ++row) {
        const size_t count = rows->offsets[row + 1];
        rows->offsets[row + 1] = sum;
        sum += count;
    }
    bp_parallel_for(executor, j.pair_blocks.count, task_place_indices, &j);
    bp_parallel_for(executor, j.row_blocks.count, task_sort_rows, &j);
    return BP_OK;
}
