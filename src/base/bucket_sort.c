#include "base/bucket_sort.h"

#include <assert.h>
#include <string.h>

enum {
    BUCKET_ITEMS = 1024, // aimed at: a bucket's records then fit the first-level cache
    BUCKETS_MAX = 4096,
    TASK_COUNTERS = 1 << 15, // that are worth a task
    TASKS_MAX = 256
};

// An item on its way to its cell.
typedef struct record {
    uint32_t key, item;
} record;

_Static_assert(sizeof(record) == BP_SORT_BYTES_PER_ITEM, "what the header says");

// What the cells of a bucket hold.
typedef struct bucket_figures {
    uint32_t occupied, fullest;
} bucket_figures;

// Both lie in one buffer: one allocation less, which a single call with a few hundred items notices.
_Static_assert(sizeof(bucket_figures) == sizeof(record), "as large");

static inline bucket_figures *figures_of(const bp_bucket_sort *sort, size_t bucket) {
    return (bucket_figures *)(void *)((record *)sort->records.data + sort->blocks.item_count) + bucket;
}

// ---- the partition --------------------------------------------------------------------------------------------------

bool bp_partition_reserve(bp_partition *partition, const bp_allocator *allocator, size_t block_count,
                          size_t bucket_count) {
    const size_t starts = bucket_count + 1, counters = bp_size_multiply(block_count, bucket_count);
    if (counters > SIZE_MAX - starts ||
        !bp_buffer_reserve_slack(&partition->buffer, allocator, 0, starts + counters, sizeof(uint32_t))) {
        return false;
    }
    partition->block_count = block_count;
    partition->bucket_count = bucket_count;
    partition->starts = partition->buffer.data;
    partition->counters = partition->starts + starts;
    return true;
}

void bp_partition_free(bp_partition *partition, const bp_allocator *allocator) {
    bp_buffer_free(&partition->buffer, allocator);
}

uint32_t *bp_partition_clear(const bp_partition *partition, size_t block) {
    uint32_t *counters = bp_partition_counters(partition, block);
    memset(counters, 0, partition->bucket_count * sizeof *counters);
    return counters;
}

// Placing, by ranges of buckets, a task each: their sums first, then where each begins.
typedef struct placing {
    const bp_partition *partition;
    bp_blocks ranges;
    uint32_t sums[TASKS_MAX]; // of each range; then where it begins
} placing;

// The sum of each bucket, at the place of its start.
static void task_sum(void *context, size_t range) {
    placing *p = context;
    const bp_partition *partition = p->partition;
    const size_t begin = bp_block_begin(p->ranges, range), end = bp_block_begin(p->ranges, range + 1);
    uint32_t *sums = partition->starts, all = 0;
    memset(sums + begin, 0, (end - begin) * sizeof *sums);
    for (size_t block = 0; block < partition->block_count; ++block) {
        const uint32_t *counters = bp_partition_counters(partition, block);
        for (size_t bucket = begin; bucket < end; ++bucket) {
            sums[bucket] += counters[bucket];
        }
    }
    for (size_t bucket = begin; bucket < end; ++bucket) {
        all += sums[bucket];
    }
    p->sums[range] = all;
}

static void task_place(void *context, size_t range) {
    placing *p = context;
    const bp_partition *partition = p->partition;
    uint32_t position = p->sums[range];
    const size_t end = bp_block_begin(p->ranges, range + 1);
    for (size_t bucket = bp_block_begin(p->ranges, range); bucket < end; ++bucket) {
        partition->starts[bucket] = position;
        for (size_t block = 0; block < partition->block_count; ++block) {
            uint32_t *counter = bp_partition_counters(partition, block) + bucket;
            const uint32_t count = *counter;
            *counter = position;
            position += count;
        }
    }
    if (end == partition->bucket_count) {
        partition->starts[end] = position;
    }
}

void bp_partition_place(const bp_partition *partition, const bp_executor *executor) {
    const size_t least = TASK_COUNTERS / partition->block_count + 1;
    placing p;
    p.partition = partition;
    p.ranges = bp_blocks_cut(executor, partition->bucket_count, least, TASKS_MAX);
    p.sums[0] = 0;
    if (p.ranges.count > 1) {
        bp_parallel_for(executor, p.ranges.count, task_sum, &p);
    }
    uint32_t all = 0;
    for (size_t i = 0; i < p.ranges.count; ++i) {
        const uint32_t sum = p.sums[i];
        p.sums[i] = all;
        all += sum;
    }
    bp_parallel_for(executor, p.ranges.count, task_place, &p);
}

// ---- buckets and keys -----------------------------------------------------------------------------------------------

// The number of cells varies from plan to plan. Memory is for as many buckets as there can be, so that a steady number
// of items allocates once.
bool bp_bucket_sort_begin(bp_bucket_sort *sort, const bp_allocator *allocator, bp_blocks blocks, size_t cell_count) {
    const size_t wanted = blocks.item_count / BUCKET_ITEMS + 1, most = wanted < BUCKETS_MAX ? wanted : BUCKETS_MAX;
    assert(cell_count <= BP_SORT_KEY_NONE);
    sort->blocks = blocks;
    sort->cell_count = cell_count;
    sort->bucket_shift = 0;
    while ((uint64_t)cell_count >> sort->bucket_shift >= most) {
        ++sort->bucket_shift;
    }
    sort->bucket_count = cell_count == 0 ? 0 : (size_t)((uint64_t)(cell_count - 1) >> sort->bucket_shift) + 1;
    if (!bp_partition_reserve(&sort->partition, allocator, blocks.count, most + 1) ||
        !bp_buffer_reserve_slack(&sort->records, allocator, 0, blocks.item_count + most, sizeof(record))) {
        return false;
    }
    sort->partition.bucket_count = sort->bucket_count + 1;
    return true;
}

void bp_bucket_sort_free(bp_bucket_sort *sort, const bp_allocator *allocator) {
    bp_partition_free(&sort->partition, allocator);
    bp_buffer_free(&sort->records, allocator);
}

size_t bp_bucket_sort_bytes(const bp_bucket_sort *sort) {
    return sort->partition.buffer.bytes + sort->records.bytes;
}

// How keys become buckets: a copy, because what a loop writes could be the sort itself, as far as a compiler knows.
typedef struct bucket_rule {
    size_t last;
    uint32_t shift;
} bucket_rule;

static inline bucket_rule bucket_rule_of(const bp_bucket_sort *sort) {
    return (bucket_rule){.last = sort->bucket_count, .shift = sort->bucket_shift};
}

// In 64 bits, because the shift may be 32 or more.
static inline size_t bucket_of_key(bucket_rule rule, uint32_t key) {
    return key == BP_SORT_KEY_LAST ? rule.last : (size_t)((uint64_t)key >> rule.shift);
}

void bp_bucket_sort_count(const bp_bucket_sort *sort, size_t block, size_t begin, size_t end) {
    const bucket_rule rule = bucket_rule_of(sort);
    const uint32_t *keys = sort->keys;
    uint32_t *counters = bp_partition_counters(&sort->partition, block);
    for (size_t i = begin; i < end; ++i) {
        if (keys[i] != BP_SORT_KEY_NONE) {
            ++counters[bucket_of_key(rule, keys[i])];
        }
    }
}

// ---- partition ------------------------------------------------------------------------------------------------------

typedef struct run {
    const bp_bucket_sort *sort;
    bp_bucket_task finish;
    void *context;
} run;

static void task_partition_block(void *context, size_t block) {
    const bp_bucket_sort *sort = ((const run *)context)->sort;
    const bucket_rule rule = bucket_rule_of(sort);
    const uint32_t *keys = sort->keys;
    uint32_t *positions = bp_partition_counters(&sort->partition, block);
    record *records = sort->records.data;
    const size_t end = bp_block_begin(sort->blocks, block + 1);
    for (size_t i = bp_block_begin(sort->blocks, block); i < end; ++i) {
        if (keys[i] != BP_SORT_KEY_NONE) {
            records[positions[bucket_of_key(rule, keys[i])]++] = (record){.key = keys[i], .item = (uint32_t)i};
        }
    }
}

// ---- order ----------------------------------------------------------------------------------------------------------

static void task_order_bucket(void *context, size_t bucket) {
    const run *r = context;
    const bp_bucket_sort *sort = r->sort;
    const record *records = sort->records.data;
    const uint32_t begin = bp_bucket_sort_start(sort, bucket), end = bp_bucket_sort_start(sort, bucket + 1);
    uint32_t *ids = sort->ids;
    if (bucket == sort->bucket_count) { // those that come last
        for (uint32_t i = begin; i < end; ++i) {
            ids[i] = records[i].item;
        }
        r->finish(r->context, bucket, begin, end);
        return;
    }
    const uint64_t first_cell = (uint64_t)bucket << sort->bucket_shift, width = (uint64_t)1 << sort->bucket_shift;
    const uint64_t left = sort->cell_count - first_cell;
    const size_t cells = (size_t)(left < width ? left : width);
    const uint32_t first_key = (uint32_t)first_cell;
    // One further than the cell, so that after the placing table[cell] is where it begins and table[cell + 1] where it
    // ends.
    uint32_t *ends = sort->table + first_cell + 1, position = begin, occupied = 0, fullest = 0;
    memset(ends, 0, cells * sizeof *ends);
    for (uint32_t i = begin; i < end; ++i) {
        ++ends[records[i].key - first_key];
    }
    for (size_t cell = 0; cell < cells; ++cell) {
        const uint32_t count = ends[cell];
        occupied += count > 0;
        fullest = count > fullest ? count : fullest;
        ends[cell] = position;
        position += count;
    }
    *figures_of(sort, bucket) = (bucket_figures){.occupied = occupied, .fullest = fullest};
    for (uint32_t i = begin; i < end; ++i) {
        ids[ends[records[i].key - first_key]++] = records[i].item;
    }
    r->finish(r->context, bucket, begin, end);
}

// ---- the whole sort -------------------------------------------------------------------------------------------------

void bp_bucket_sort_run(bp_bucket_sort *sort, const bp_executor *executor, bp_bucket_task finish, void *context) {
    run r = {.sort = sort, .finish = finish, .context = context};
    bp_partition_place(&sort->partition, executor);
    sort->cell_items = bp_bucket_sort_start(sort, sort->bucket_count);
    sort->total_items = bp_bucket_sort_start(sort, sort->bucket_count + 1);
    bp_parallel_for(executor, sort->blocks.count, task_partition_block, &r);
    sort->table[0] = 0;
    bp_parallel_for(executor, sort->bucket_count + 1, task_order_bucket, &r);
    sort->occupied = 0;
    sort->fullest = 0;
    for (size_t bucket = 0; bucket < sort->bucket_count; ++bucket) {
        const bucket_figures *figures = figures_of(sort, bucket);
        sort->occupied += figures->occupied;
        sort->fullest = figures->fullest > sort->fullest ? figures->fullest : sort->fullest;
    }
}
