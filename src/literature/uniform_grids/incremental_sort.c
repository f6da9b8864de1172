#include "literature/uniform_grids/incremental_sort.h"

#include "base/clock.h"

#include <string.h>

enum {
    DIGIT_BITS_MAX = 11,
    DIGITS_MAX = 1 << DIGIT_BITS_MAX,
    BLOCK_LEAST = 16384, // entries that are worth a task
    BLOCKS_MAX = 256
};

// The share of changed keys at which both sorts take the same time.
static const double ADAPTIVE_MOST = 0.15;

void bp_incremental_sort_free(bp_incremental_sort *sort, const bp_allocator *allocator) {
    bp_buffer *buffers[] = {&sort->keys, &sort->last_keys, &sort->entries, &sort->spare, &sort->changed, &sort->marks};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_partition_free(&sort->digits, allocator);
}

size_t bp_incremental_sort_bytes(const bp_incremental_sort *sort) {
    return sort->keys.bytes + sort->last_keys.bytes + sort->entries.bytes + sort->spare.bytes + sort->changed.bytes +
           sort->marks.bytes + sort->digits.buffer.bytes;
}

static bool reserve(const bp_incremental_sort *sort, bp_buffer *buffer, const bp_allocator *allocator, size_t kept,
                    size_t count, size_t size) {
    return (sort->varies ? bp_buffer_reserve_slack : bp_buffer_reserve)(buffer, allocator, kept, count, size);
}

uint32_t *bp_incremental_sort_begin(bp_incremental_sort *sort, const bp_allocator *allocator, size_t count) {
    bp_buffer_swap(&sort->keys, &sort->last_keys);
    sort->last_count = sort->count;
    sort->count = 0; // until they are sorted
    sort->key_count = count;
    return reserve(sort, &sort->keys, allocator, 0, count + 1, sizeof(uint32_t)) ? sort->keys.data : NULL;
}

void bp_incremental_sort_forget(bp_incremental_sort *sort) {
    sort->last_count = 0;
}

typedef struct job {
    bp_incremental_sort *sort;
    const bp_executor *executor;
    const uint32_t *keys, *last_keys;
    bp_blocks blocks;
    uint32_t shift, digit_bits; // of a pass
    const uint64_t *from;
    uint64_t *to;
    // The number of entries of each block that are kept, or have changed; then where those begin.
    uint32_t positions[BLOCKS_MAX + 1];
} job;

// Blocks begin at whole words of marks, so that no two of them write to the same word.
static size_t word_block_begin(const job *j, size_t block) {
    return block == j->blocks.count ? j->blocks.item_count : bp_block_begin(j->blocks, block) / 64 * 64;
}

// ---- changed keys ---------------------------------------------------------------------------------------------------

static void task_count_changed(void *context, size_t block) {
    job *j = context;
    const uint32_t *keys = j->keys, *last_keys = j->last_keys;
    const size_t end = word_block_begin(j, block + 1);
    uint32_t changed = 0;
    for (size_t i = word_block_begin(j, block); i < end; ++i) {
        changed += keys[i] != last_keys[i];
    }
    j->positions[block] = changed;
}

// Turns counts per block into positions, with the end after the last, and returns their sum.
static size_t place_blocks(job *j) {
    uint32_t sum = 0;
    for (size_t i = 0; i < j->blocks.count; ++i) {
        const uint32_t here = j->positions[i];
        j->positions[i] = sum;
        sum += here;
    }
    j->positions[j->blocks.count] = sum;
    return sum;
}

// ---- radix ----------------------------------------------------------------------------------------------------------

static void task_enter(void *context, size_t block) {
    const job *j = context;
    const size_t end = word_block_begin(j, block + 1);
    for (size_t i = word_block_begin(j, block); i < end; ++i) {
        j->to[i] = (uint64_t)j->keys[i] << 32 | i;
    }
}

static void task_count_digits(void *context, size_t block) {
    const job *j = context;
    const uint32_t mask = (1u << j->digit_bits) - 1;
    uint32_t *counters = bp_partition_clear(&j->sort->digits, block);
    const size_t end = word_block_begin(j, block + 1);
    for (size_t i = word_block_begin(j, block); i < end; ++i) {
        ++counters[(uint32_t)(j->from[i] >> j->shift) & mask];
    }
}

static void task_scatter(void *context, size_t block) {
    const job *j = context;
    const uint32_t mask = (1u << j->digit_bits) - 1;
    uint32_t *positions = bp_partition_counters(&j->sort->digits, block);
    const size_t end = word_block_begin(j, block + 1);
    for (size_t i = word_block_begin(j, block); i < end; ++i) {
        j->to[positions[(uint32_t)(j->from[i] >> j->shift) & mask]++] = j->from[i];
    }
}

// Sorts entries[0 .. count) by key, with spare[0 .. count) as scratch memory; returns the one that holds the result.
static uint64_t *sort_entries_by_digits(job *j, uint64_t *entries, uint64_t *spare, size_t count, uint32_t key_bits) {
    const bp_blocks all = j->blocks;
    const uint32_t passes = (key_bits + DIGIT_BITS_MAX - 1) / DIGIT_BITS_MAX;
    j->blocks.item_count = count;
    for (uint32_t pass = 0, done = 0; pass < passes; ++pass) {
        j->shift = 32 + done;
        j->digit_bits = (key_bits - done + passes - pass - 1) / (passes - pass);
        done += j->digit_bits;
        j->from = entries;
        j->to = spare;
        j->sort->digits.bucket_count = (size_t)1 << j->digit_bits;
        bp_parallel_for(j->executor, j->blocks.count, task_count_digits, j);
        bp_partition_place(&j->sort->digits, j->executor);
        bp_parallel_for(j->executor, j->blocks.count, task_scatter, j);
        spare = entries;
        entries = j->to;
    }
    j->blocks = all;
    return entries;
}

static void sort_by_radix(job *j, uint32_t key_bits) {
    bp_incremental_sort *sort = j->sort;
    j->to = sort->entries.data;
    bp_parallel_for(j->executor, j->blocks.count, task_enter, j);
    if (sort_entries_by_digits(j, sort->entries.data, sort->spare.data, j->blocks.item_count, key_bits) !=
        sort->entries.data) {
        bp_buffer_swap(&sort->entries, &sort->spare);
    }
}

// ---- adaptive -------------------------------------------------------------------------------------------------------

// Marks the changed entries of a block and writes them, in the order of their ids. Which ones have changed is
// unpredictable: all are written without a branch, and the position only advances past those that have. The memory
// after the last position of the block belongs to another one.
static void task_collect(void *context, size_t block) {
    const job *j = context;
    uint64_t *marks = j->sort->marks.data;
    uint64_t *to = j->to + j->positions[block], *const stop = j->to + j->positions[block + 1], unused;
    const size_t end = word_block_begin(j, block + 1);
    for (size_t i = word_block_begin(j, block); i < end; i += 64) {
        const size_t bits = end - i < 64 ? end - i : 64;
        uint64_t word = 0;
        for (size_t id = i; id < i + bits; ++id) {
            const uint64_t differs = j->keys[id] != j->last_keys[id];
            *(to < stop ? to : &unused) = (uint64_t)j->keys[id] << 32 | id;
            to += differs;
            word |= differs << (id - i);
        }
        marks[i / 64] = word;
    }
}

static bool is_marked_entry(const uint64_t *marks, uint64_t entry) {
    const uint32_t id = (uint32_t)entry;
    return (marks[id / 64] >> (id % 64) & 1) != 0;
}

static void task_count_kept(void *context, size_t block) {
    job *j = context;
    const uint64_t *marks = j->sort->marks.data;
    const size_t end = word_block_begin(j, block + 1);
    uint32_t kept = 0;
    for (size_t i = word_block_begin(j, block); i < end; ++i) {
        kept += !is_marked_entry(marks, j->from[i]);
    }
    j->positions[block] = kept;
}

typedef struct merge {
    const job *j;
    const uint64_t *changed; // sorted
    size_t changed_count;
} merge;

// How many of the changed entries come before an entry.
static size_t rank_among(const merge *m, uint64_t entry) {
    size_t low = 0, high = m->changed_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->changed[middle] < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Merges a block of the last entries with the changed ones that belong there: those before the next block's first.
static void task_merge(void *context, size_t block) {
    const merge *m = context;
    const job *j = m->j;
    const uint64_t *marks = j->sort->marks.data;
    const size_t begin = word_block_begin(j, block), end = word_block_begin(j, block + 1);
    size_t next = block == 0 ? 0 : rank_among(m, j->from[begin]);
    const size_t last = block + 1 == j->blocks.count ? m->changed_count : rank_among(m, j->from[end]);
    uint64_t *to = j->to + j->positions[block] + next, *const stop = j->to + j->positions[block + 1] + last, unused;
    uint64_t upcoming = next < last ? m->changed[next] : UINT64_MAX;
    for (size_t i = begin; i < end; ++i) {
        const uint64_t entry = j->from[i];
        while (upcoming < entry) {
            *to++ = upcoming;
            upcoming = ++next < last ? m->changed[next] : UINT64_MAX;
        }
        *(to < stop ? to : &unused) = entry; // without a branch, as above
        to += !is_marked_entry(marks, entry);
    }
    for (; next < last; ++next) {
        *to++ = m->changed[next];
    }
}

// Sorts the changed entries; the job's positions say where those of each block begin. The spare entries are the scratch
// memory of this sort, and are overwritten later: the result is copied if it ends there.
static const uint64_t *sort_changed(job *j, size_t count, uint32_t key_bits) {
    bp_incremental_sort *sort = j->sort;
    j->to = sort->changed.data;
    bp_parallel_for(j->executor, j->blocks.count, task_collect, j);
    const uint64_t *sorted = sort_entries_by_digits(j, sort->changed.data, sort->spare.data, count, key_bits);
    if (sorted != sort->changed.data) {
        memcpy(sort->changed.data, sorted, count * sizeof *sorted);
    }
    return sort->changed.data;
}

static void sort_adaptively(job *j, size_t changed_count, uint32_t key_bits) {
    bp_incremental_sort *sort = j->sort;
    if (changed_count == 0) {
        return;
    }
    merge m = {.j = j, .changed = sort_changed(j, changed_count, key_bits), .changed_count = changed_count};
    j->from = sort->entries.data;
    j->to = sort->spare.data;
    if (j->blocks.count > 1) {
        bp_parallel_for(j->executor, j->blocks.count, task_count_kept, j);
    } else {
        j->positions[0] = (uint32_t)(j->blocks.item_count - changed_count);
    }
    (void)place_blocks(j);
    bp_parallel_for(j->executor, j->blocks.count, task_merge, &m);
    bp_buffer_swap(&sort->entries, &sort->spare);
}

// ---- the choice -----------------------------------------------------------------------------------------------------

static bp_compact_sort choose_sort(job *j, bp_compact_sort wanted, size_t *changed_count) {
    bp_incremental_sort *sort = j->sort;
    const size_t count = j->blocks.item_count;
    sort->changed_share = 1.0;
    if (sort->last_count != count || count == 0) {
        return BP_SORT_RADIX; // there is no last order
    }
    bp_parallel_for(j->executor, j->blocks.count, task_count_changed, j);
    *changed_count = place_blocks(j);
    sort->changed_share = (double)*changed_count / (double)count;
    if (wanted != BP_SORT_AUTOMATIC) {
        return wanted;
    }
    return sort->changed_share <= ADAPTIVE_MOST ? BP_SORT_ADAPTIVE : BP_SORT_RADIX;
}

static bool reserve_sort(const job *j, bp_compact_sort wanted, const bp_allocator *allocator) {
    bp_incremental_sort *sort = j->sort;
    const size_t count = j->blocks.item_count + 1;
    const size_t kept = sort->last_count == j->blocks.item_count ? sort->last_count * sizeof(uint64_t) : 0;
    const size_t changed = wanted == BP_SORT_ADAPTIVE ? count : (size_t)(ADAPTIVE_MOST * (double)count) + 1;
    return reserve(sort, &sort->entries, allocator, kept, count, sizeof(uint64_t)) &&
           reserve(sort, &sort->spare, allocator, 0, count, sizeof(uint64_t)) &&
           (wanted == BP_SORT_RADIX || reserve(sort, &sort->changed, allocator, 0, changed, sizeof(uint64_t))) &&
           (wanted == BP_SORT_RADIX || reserve(sort, &sort->marks, allocator, 0, count / 64 + 1, sizeof(uint64_t))) &&
           bp_partition_reserve(&sort->digits, allocator, j->blocks.count, DIGITS_MAX);
}

bool bp_incremental_sort_run(bp_incremental_sort *sort, bp_compact_sort wanted, uint32_t key_bits,
                             const bp_allocator *allocator, const bp_executor *executor) {
    job j = {.sort = sort, .executor = executor, .keys = sort->keys.data, .last_keys = sort->last_keys.data};
    j.blocks = bp_blocks_cut(executor, sort->key_count, BLOCK_LEAST, BLOCKS_MAX);
    if (!reserve_sort(&j, wanted, allocator)) {
        return false;
    }
    const double start = bp_clock_seconds();
    size_t changed_count = 0;
    sort->ran = choose_sort(&j, wanted, &changed_count);
    if (sort->ran == BP_SORT_RADIX) {
        sort_by_radix(&j, key_bits);
    } else {
        sort_adaptively(&j, changed_count, key_bits);
    }
    sort->seconds = bp_clock_seconds() - start;
    sort->count = j.blocks.item_count;
    return true;
}
