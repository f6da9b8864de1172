#include "literature/uniform_grids/incremental_sort.h"

#include "base/clock.h"
#include "base/radix_sort.h"

#include <string.h>

enum {
    DIGIT_BITS_MAX = 11,
    BLOCK_MIN = 16384, // entries that are worth a task
    BLOCKS_MAX = 256
};

// The share of changed keys at which both sorts take the same time.
static const double ADAPTIVE_MAX = 0.15;

void bp_incremental_sort_free(bp_incremental_sort *sort, const bp_allocator *allocator) {
    bp_buffer *buffers[] = {&sort->last_keys, &sort->sorted, &sort->spare, &sort->changed};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_partition_free(&sort->digits, allocator);
}

size_t bp_incremental_sort_bytes(const bp_incremental_sort *sort) {
    return sort->last_keys.bytes + sort->sorted.bytes + sort->spare.bytes + sort->changed.bytes +
           sort->digits.buffer.bytes;
}

// ---- radix ----------------------------------------------------------------------------------------------------------

typedef struct pass {
    const bp_partition *digits;
    bp_blocks blocks;
    uint32_t shift, mask;
    const uint64_t *from;
    uint64_t *to;
} pass;

static void task_count_digits(void *context, size_t block) {
    const pass *p = context;
    uint32_t *counters = bp_partition_clear(p->digits, block);
    const size_t end = bp_block_begin(p->blocks, block + 1);
    for (size_t i = bp_block_begin(p->blocks, block); i < end; ++i) {
        ++counters[(uint32_t)(p->from[i] >> p->shift) & p->mask];
    }
}

static void task_scatter(void *context, size_t block) {
    const pass *p = context;
    uint32_t *positions = bp_partition_counters(p->digits, block);
    const size_t end = bp_block_begin(p->blocks, block + 1);
    for (size_t i = bp_block_begin(p->blocks, block); i < end; ++i) {
        p->to[positions[(uint32_t)(p->from[i] >> p->shift) & p->mask]++] = p->from[i];
    }
}

static void sort_by_radix(bp_incremental_sort *sort, const uint32_t *keys, bp_blocks blocks, uint32_t key_bits,
                          const bp_executor *executor) {
    const uint32_t passes = (key_bits + DIGIT_BITS_MAX - 1) / DIGIT_BITS_MAX;
    for (size_t i = 0; i < blocks.item_count; ++i) {
        ((uint64_t *)sort->sorted.data)[i] = (uint64_t)keys[i] << 32 | i;
    }
    for (uint32_t k = 0, done = 0; k < passes; ++k) {
        const uint32_t bits = (key_bits - done + passes - k - 1) / (passes - k);
        pass p = {.digits = &sort->digits,
                  .blocks = blocks,
                  .shift = 32 + done,
                  .mask = (1u << bits) - 1,
                  .from = sort->sorted.data,
                  .to = sort->spare.data};
        sort->digits.bucket_count = (size_t)1 << bits;
        bp_parallel_for(executor, blocks.count, task_count_digits, &p);
        bp_partition_place(&sort->digits, executor);
        bp_parallel_for(executor, blocks.count, task_scatter, &p);
        bp_buffer_swap(&sort->sorted, &sort->spare);
        done += bits;
    }
}

// ---- adaptive -------------------------------------------------------------------------------------------------------

// Which keys have changed is unpredictable: entries are written without a branch, and the position only advances past
// those that stay.
static void sort_adaptively(bp_incremental_sort *sort, const uint32_t *keys, size_t count, uint32_t key_bits) {
    const uint32_t *last_keys = sort->last_keys.data;
    const uint64_t *old = sort->sorted.data;
    uint64_t *changed = sort->changed.data, *to = sort->spare.data;
    size_t changed_count = 0;
    for (size_t i = 0; i < count; ++i) {
        changed[changed_count] = (uint64_t)keys[i] << 32 | i;
        changed_count += keys[i] != last_keys[i];
    }
    if (bp_sort_keys(changed, to, changed_count, 32, 32 + key_bits) == to) {
        memcpy(changed, to, changed_count * sizeof *changed);
    }
    changed[changed_count] = UINT64_MAX;
    for (size_t i = 0; i < count; ++i) {
        while (*changed < old[i]) {
            *to++ = *changed++;
        }
        *to = old[i];
        to += keys[(uint32_t)old[i]] == old[i] >> 32;
    }
    memcpy(to, changed, (size_t)((uint64_t *)sort->spare.data + count - to) * sizeof *to);
    bp_buffer_swap(&sort->sorted, &sort->spare);
}

// ---- the choice -----------------------------------------------------------------------------------------------------

bool bp_incremental_sort_run(bp_incremental_sort *sort, const uint32_t *keys, size_t count, bp_compact_sort wanted,
                             uint32_t key_bits, const bp_allocator *allocator, const bp_executor *executor) {
    const bp_blocks blocks = bp_blocks_cut(executor, count, BLOCK_MIN, BLOCKS_MAX);
    const size_t room = count + 1; // one more is written than stays
    if (!bp_buffer_reserve_slack(&sort->last_keys, allocator, sort->count * sizeof(uint32_t), room, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&sort->sorted, allocator, sort->count * sizeof(uint64_t), room, sizeof(uint64_t)) ||
        !bp_buffer_reserve_slack(&sort->spare, allocator, 0, room, sizeof(uint64_t)) ||
        !bp_buffer_reserve_slack(&sort->changed, allocator, 0, room, sizeof(uint64_t)) ||
        !bp_partition_reserve(&sort->digits, allocator, blocks.count, 1 << DIGIT_BITS_MAX)) {
        return false;
    }
    const double start = bp_clock_seconds();
    uint32_t *last_keys = sort->last_keys.data;
    size_t changed_count = count;
    if (sort->count == count && count > 0) {
        changed_count = 0;
        for (size_t i = 0; i < count; ++i) {
            changed_count += keys[i] != last_keys[i];
        }
        sort->ran = wanted;
    } else {
        sort->ran = BP_SORT_RADIX; // there is no last order
    }
    sort->changed_share = count > 0 ? (double)changed_count / (double)count : 1.0;
    if (sort->ran == BP_SORT_AUTOMATIC) {
        sort->ran = sort->changed_share <= ADAPTIVE_MAX ? BP_SORT_ADAPTIVE : BP_SORT_RADIX;
    }
    if (sort->ran == BP_SORT_RADIX) {
        sort_by_radix(sort, keys, blocks, key_bits, executor);
    } else if (changed_count > 0) {
        sort_adaptively(sort, keys, count, key_bits);
    }
    memcpy(last_keys, keys, count * sizeof *keys);
    sort->count = count;
    sort->seconds = bp_clock_seconds() - start;
    return true;
}
