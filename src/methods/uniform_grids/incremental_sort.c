#include "methods/uniform_grids/incremental_sort.h"

#include "base/parallel.h"

#include <string.h>

enum {
    DIGIT_BITS_MAX = 11,
    DIGITS_MAX = 1 << DIGIT_BITS_MAX,
    BLOCK_LEAST = 16384, // entries that are worth a task
    BLOCKS_MAX = 256,
    INSERTION_MOST = 24 // ids
};

// Where both sorts take the same time.
static const double ADAPTIVE_MOST = 0.15;

void bp_key_sort_free(bp_key_sort *sort, const bp_allocator *allocator) {
    bp_buffer *buffers[] = {&sort->keys,    &sort->last_keys, &sort->entries, &sort->spare,
                            &sort->changed, &sort->marks,     &sort->counters};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
}

size_t bp_key_sort_bytes(const bp_key_sort *sort) {
    return sort->keys.bytes + sort->last_keys.bytes + sort->entries.bytes + sort->spare.bytes + sort->changed.bytes +
           sort->marks.bytes + sort->counters.bytes;
}

static void swap(bp_buffer *a, bp_buffer *b) {
    const bp_buffer kept = *a;
    *a = *b;
    *b = kept;
}

uint32_t *bp_key_sort_begin(bp_key_sort *sort, const bp_allocator *allocator, size_t count) {
    swap(&sort->keys, &sort->last_keys);
    sort->last_count = sort->count;
    sort->count = 0; // until they are sorted
    sort->key_count = count;
    return bp_buffer_reserve(&sort->keys, allocator, 0, count + 1, sizeof(uint32_t)) ? sort->keys.data : NULL;
}

void bp_key_sort_forget(bp_key_sort *sort) {
    sort->last_count = 0;
}

typedef struct job {
    bp_key_sort *sort;
    const uint32_t *keys, *last_keys;
    size_t count, block_count;
    uint32_t shift, digit_bits; // of a pass
    const uint64_t *from;
    uint64_t *to;
    uint32_t *counters; // per block: of digits, or of changed entries
} job;

// Blocks begin at whole words of marks, so that no two of them write to the same.
static size_t block_begin(const job *j, size_t block) {
    const size_t begin = (size_t)((unsigned long long)j->count * block / j->block_count);
    return block == j->block_count ? j->count : begin / 64 * 64;
}

// ---- what has changed -----------------------------------------------------------------------------------------------

static void task_count_changed(void *context, size_t block) {
    const job *j = context;
    const uint32_t *keys = j->keys, *last_keys = j->last_keys;
    const size_t end = block_begin(j, block + 1);
    uint32_t changed = 0;
    for (size_t i = block_begin(j, block); i < end; ++i) {
        changed += keys[i] != last_keys[i];
    }
    j->counters[block] = changed;
}

// Counts per block become positions, with the end after the last; returns their sum.
static size_t add_up(uint32_t *counters, size_t count) {
    uint32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t here = counters[i];
        counters[i] = sum;
        sum += here;
    }
    counters[count] = sum;
    return sum;
}

// ---- radix ----------------------------------------------------------------------------------------------------------

static void task_enter(void *context, size_t block) {
    const job *j = context;
    const size_t end = block_begin(j, block + 1);
    for (size_t i = block_begin(j, block); i < end; ++i) {
        j->to[i] = (uint64_t)j->keys[i] << 32 | i;
    }
}

static void task_count_digits(void *context, size_t block) {
    const job *j = context;
    const uint32_t mask = (1u << j->digit_bits) - 1;
    uint32_t *counters = j->counters + (block << j->digit_bits);
    memset(counters, 0, ((size_t)mask + 1) * sizeof *counters);
    const size_t end = block_begin(j, block + 1);
    for (size_t i = block_begin(j, block); i < end; ++i) {
        ++counters[(uint32_t)(j->from[i] >> j->shift) & mask];
    }
}

// Digit by digit, and inside a digit block by block: that keeps equal digits in their order.
static void place_digits(const job *j) {
    uint32_t sum = 0;
    for (size_t digit = 0; digit < (size_t)1 << j->digit_bits; ++digit) {
        for (size_t block = 0; block < j->block_count; ++block) {
            uint32_t *counter = &j->counters[(block << j->digit_bits) + digit];
            const uint32_t here = *counter;
            *counter = sum;
            sum += here;
        }
    }
}

static void task_scatter(void *context, size_t block) {
    const job *j = context;
    const uint32_t mask = (1u << j->digit_bits) - 1;
    uint32_t *positions = j->counters + (block << j->digit_bits);
    const size_t end = block_begin(j, block + 1);
    for (size_t i = block_begin(j, block); i < end; ++i) {
        j->to[positions[(uint32_t)(j->from[i] >> j->shift) & mask]++] = j->from[i];
    }
}

// Sorts entries[0 .. count) by key, with spare[0 .. count) to help; returns the one that holds the result.
static uint64_t *radix(const job *given, const bp_executor *executor, uint64_t *entries, uint64_t *spare, size_t count,
                       uint32_t key_bits) {
    job j = *given;
    j.count = count;
    const uint32_t passes = (key_bits + DIGIT_BITS_MAX - 1) / DIGIT_BITS_MAX;
    for (uint32_t pass = 0, done = 0; pass < passes; ++pass) {
        j.shift = 32 + done;
        j.digit_bits = (key_bits - done + passes - pass - 1) / (passes - pass);
        done += j.digit_bits;
        j.from = entries;
        j.to = spare;
        bp_parallel_for(executor, j.block_count, task_count_digits, &j);
        place_digits(&j);
        bp_parallel_for(executor, j.block_count, task_scatter, &j);
        spare = entries;
        entries = j.to;
    }
    return entries;
}

static void sort_by_radix(job *j, const bp_executor *executor, uint32_t key_bits) {
    bp_key_sort *sort = j->sort;
    j->to = sort->entries.data;
    bp_parallel_for(executor, j->block_count, task_enter, j);
    if (radix(j, executor, sort->entries.data, sort->spare.data, j->count, key_bits) != sort->entries.data) {
        swap(&sort->entries, &sort->spare);
    }
}

// ---- adaptive -------------------------------------------------------------------------------------------------------

// Marks the changed entries of a block and writes them, in the order of their ids. Which ones these are is unpredictable:
// all are written without a branch, and the place only moves on behind those that have changed. What comes after the last
// place of the block belongs to another one.
static void task_collect(void *context, size_t block) {
    const job *j = context;
    uint64_t *marks = j->sort->marks.data;
    uint64_t *to = j->to + j->counters[block], *const stop = j->to + j->counters[block + 1], unused;
    const size_t end = block_begin(j, block + 1);
    for (size_t i = block_begin(j, block); i < end; i += 64) {
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

static bool is_marked(const uint64_t *marks, uint64_t entry) {
    const uint32_t id = (uint32_t)entry;
    return (marks[id / 64] >> (id % 64) & 1) != 0;
}

static void task_count_kept(void *context, size_t block) {
    const job *j = context;
    const uint64_t *marks = j->sort->marks.data;
    const size_t end = block_begin(j, block + 1);
    uint32_t kept = 0;
    for (size_t i = block_begin(j, block); i < end; ++i) {
        kept += !is_marked(marks, j->from[i]);
    }
    j->counters[block] = kept;
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

// A block of the last entries, merged with the changed ones that belong there: those before the next block's first.
static void task_merge(void *context, size_t block) {
    const merge *m = context;
    const job *j = m->j;
    const uint64_t *marks = j->sort->marks.data;
    const size_t begin = block_begin(j, block), end = block_begin(j, block + 1);
    size_t next = block == 0 ? 0 : rank_among(m, j->from[begin]);
    const size_t last = block + 1 == j->block_count ? m->changed_count : rank_among(m, j->from[end]);
    uint64_t *to = j->to + j->counters[block] + next, *const stop = j->to + j->counters[block + 1] + last, unused;
    uint64_t upcoming = next < last ? m->changed[next] : UINT64_MAX;
    for (size_t i = begin; i < end; ++i) {
        const uint64_t entry = j->from[i];
        while (upcoming < entry) {
            *to++ = upcoming;
            upcoming = ++next < last ? m->changed[next] : UINT64_MAX;
        }
        *(to < stop ? to : &unused) = entry; // without a branch, as above
        to += !is_marked(marks, entry);
    }
    for (; next < last; ++next) {
        *to++ = m->changed[next];
    }
}

// The counters hold where the changed entries of each block begin.
static void sort_adaptively(job *j, const bp_executor *executor, size_t changed_count, uint32_t key_bits) {
    bp_key_sort *sort = j->sort;
    merge m = {.j = j, .changed_count = changed_count};
    if (changed_count == 0) {
        return;
    }
    j->to = sort->changed.data;
    bp_parallel_for(executor, j->block_count, task_collect, j);
    // The spare entries serve as the second half of this sort, and are then overwritten: copy if it ends there.
    m.changed = radix(j, executor, sort->changed.data, sort->spare.data, m.changed_count, key_bits);
    if (m.changed != sort->changed.data) {
        memcpy(sort->changed.data, m.changed, m.changed_count * sizeof *m.changed);
        m.changed = sort->changed.data;
    }
    j->from = sort->entries.data;
    j->to = sort->spare.data;
    if (j->block_count > 1) {
        bp_parallel_for(executor, j->block_count, task_count_kept, j);
    } else {
        j->counters[0] = (uint32_t)(j->count - changed_count);
    }
    (void)add_up(j->counters, j->block_count);
    bp_parallel_for(executor, j->block_count, task_merge, &m);
    swap(&sort->entries, &sort->spare);
}

// ---- the choice -----------------------------------------------------------------------------------------------------

static bp_compact_sort choose(job *j, const bp_config *config, size_t *changed_count) {
    bp_key_sort *sort = j->sort;
    sort->changed_share = 1.0;
    if (sort->last_count != j->count || j->count == 0) {
        return BP_SORT_RADIX; // there is no last order
    }
    bp_parallel_for(&config->executor, j->block_count, task_count_changed, j);
    *changed_count = add_up(j->counters, j->block_count);
    sort->changed_share = (double)*changed_count / (double)j->count;
    if (config->compact_sort != BP_SORT_AUTOMATIC) {
        return config->compact_sort;
    }
    return sort->changed_share <= ADAPTIVE_MOST ? BP_SORT_ADAPTIVE : BP_SORT_RADIX;
}

static bool reserve(job *j, const bp_config *config) {
    bp_key_sort *sort = j->sort;
    const bp_allocator *allocator = &config->allocator;
    const size_t count = j->count + 1, kept = sort->last_count * sizeof(uint64_t);
    const bool adaptive = config->compact_sort != BP_SORT_RADIX;
    const size_t changed =
        config->compact_sort == BP_SORT_ADAPTIVE ? count : (size_t)(ADAPTIVE_MOST * (double)count) + 1;
    return bp_buffer_reserve(&sort->entries, allocator, sort->last_count == j->count ? kept : 0, count,
                             sizeof(uint64_t)) &&
           bp_buffer_reserve(&sort->spare, allocator, 0, count, sizeof(uint64_t)) &&
           (!adaptive || (bp_buffer_reserve(&sort->changed, allocator, 0, changed, sizeof(uint64_t)) &&
                          bp_buffer_reserve(&sort->marks, allocator, 0, count / 64 + 1, sizeof(uint64_t)))) &&
           bp_buffer_reserve(&sort->counters, allocator, 0, j->block_count * DIGITS_MAX, sizeof(uint32_t));
}

bool bp_key_sort_run(bp_key_sort *sort, const bp_config *config, uint32_t key_bits) {
    job j = {.sort = sort, .keys = sort->keys.data, .last_keys = sort->last_keys.data, .count = sort->key_count};
    j.block_count = bp_parallel_blocks(&config->executor, j.count, BLOCK_LEAST);
    j.block_count = j.block_count < BLOCKS_MAX ? j.block_count : BLOCKS_MAX;
    if (!reserve(&j, config)) {
        return false;
    }
    size_t changed_count = 0;
    j.counters = sort->counters.data;
    sort->ran = choose(&j, config, &changed_count);
    if (sort->ran == BP_SORT_RADIX) {
        sort_by_radix(&j, &config->executor, key_bits);
    } else {
        sort_adaptively(&j, &config->executor, changed_count, key_bits);
    }
    sort->count = j.count;
    return true;
}

// ---- a few ids ------------------------------------------------------------------------------------------------------

static void sift_down(uint32_t *ids, size_t at, size_t count) {
    const uint32_t id = ids[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && ids[child + 1] > ids[child];
        if (ids[child] <= id) {
            break;
        }
        ids[at] = ids[child];
        at = child;
    }
    ids[at] = id;
}

static void heap_sort(uint32_t *ids, size_t count) {
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(ids, i, count);
    }
    for (size_t last = count; last-- > 1;) {
        const uint32_t largest = ids[0];
        ids[0] = ids[last];
        ids[last] = largest;
        sift_down(ids, 0, last);
    }
}

static void insertion_sort(uint32_t *ids, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const uint32_t id = ids[i];
        size_t at = i;
        for (; at > 0 && ids[at - 1] > id; --at) {
            ids[at] = ids[at - 1];
        }
        ids[at] = id;
    }
}

void bp_sort_ids(uint32_t *ids, size_t count) {
    if (count <= INSERTION_MOST) {
        insertion_sort(ids, count);
    } else {
        heap_sort(ids, count);
    }
}
