#include "engine/grid/strips_sort.h"

#include "kernels/kernels.h"

#include <assert.h>
#include <string.h>

enum {
    BLOCK_LEAST = 512,   // boxes that are worth a task
    BUCKET_BOXES = 1024, // aimed at: the records of a bucket then fit the first-level cache
    BUCKET_FEW = 512,    // of few boxes: each bucket is a task
    BUCKETS_MAX = 4096,
    CHUNK_ENTRIES = BP_STRIP_ENTRIES * BP_CHUNK
};

// A record is an entry on its way to its place. Its lower half is that of the entry; above that is how many cells farther
// the box ends, and then the key, counted from the first one of the bucket.
enum { RECORD_FAR = 32, RECORD_KEY = 42 };

typedef struct bucket_figures {
    uint32_t occupied, fullest;
} bucket_figures;

// The entries of a chunk of boxes.
typedef struct chunk_entries {
    uint32_t keys[CHUNK_ENTRIES];
    uint64_t entries[CHUNK_ENTRIES];
    size_t count;
} chunk_entries;

static void make_chunk(const bp_strip_sort *sort, size_t begin, size_t end, chunk_entries *chunk) {
    const size_t stop = end - begin < BP_CHUNK ? end : begin + BP_CHUNK;
    chunk->count =
        sort->setup->kernels->strip_entries(sort->strips, sort->boxes, begin, stop, chunk->keys, chunk->entries);
}

static void task_count_block(void *context, size_t block) {
    const bp_strip_sort *sort = context;
    const size_t end = bp_block_begin(sort->blocks, block + 1);
    const uint32_t shift = sort->bucket_shift;
    uint32_t *counters = bp_partition_clear(&sort->partition, block);
    chunk_entries chunk;
    for (size_t begin = bp_block_begin(sort->blocks, block); begin < end; begin += BP_CHUNK) {
        make_chunk(sort, begin, end, &chunk);
        for (size_t i = 0; i < chunk.count; ++i) {
            ++counters[chunk.keys[i] >> shift];
        }
    }
}

static void task_partition_block(void *context, size_t block) {
    const bp_strip_sort *sort = context;
    const size_t end = bp_block_begin(sort->blocks, block + 1);
    const uint32_t shift = sort->bucket_shift;
    uint32_t *places = bp_partition_counters(&sort->partition, block);
    const uint32_t low = (1u << shift) - 1;
    uint64_t *records = sort->records;
    chunk_entries chunk;
    for (size_t begin = bp_block_begin(sort->blocks, block); begin < end; begin += BP_CHUNK) {
        make_chunk(sort, begin, end, &chunk);
        for (size_t i = 0; i < chunk.count; ++i) {
            const uint32_t key = chunk.keys[i];
            const uint64_t entry = chunk.entries[i] - ((uint64_t)key << 32);
            records[places[key >> shift]++] = (uint64_t)(key & low) << RECORD_KEY | entry;
        }
    }
}

// Turns the numbers of entries of some keys into where they begin, from `position` on.
static bucket_figures sum_up(uint32_t *ends, size_t keys, uint32_t position) {
    bucket_figures figures = {0};
    for (size_t i = 0; i < keys; ++i) {
        const uint32_t count = ends[i];
        figures.occupied += count > 0;
        figures.fullest = count > figures.fullest ? count : figures.fullest;
        ends[i] = position;
        position += count;
    }
    return figures;
}

static void task_order_bucket(void *context, size_t bucket) {
    const bp_strip_sort *sort = context;
    const uint64_t *records = sort->records;
    const uint64_t first_key = (uint64_t)bucket << sort->bucket_shift, left = sort->key_count - first_key;
    const size_t width = (size_t)1 << sort->bucket_shift, keys = left < width ? (size_t)left : width;
    const uint32_t begin = sort->partition.starts[bucket], end = sort->partition.starts[bucket + 1];
    uint32_t *ends = sort->table + first_key + 1; // one further than the key: after the placing, where it ends
    uint64_t *sorted = sort->sorted;
    memset(ends, 0, keys * sizeof *ends);
    for (uint32_t i = begin; i < end; ++i) {
        ++ends[records[i] >> RECORD_KEY];
    }
    ((bucket_figures *)sort->figures.data)[bucket] = sum_up(ends, keys, begin);
    for (uint32_t i = begin; i < end; ++i) {
        const uint64_t key = records[i] >> RECORD_KEY, entry = records[i] & (((uint64_t)1 << RECORD_KEY) - 1);
        sorted[ends[key]++] = ((first_key + key) << 32) + entry;
    }
}

static size_t buckets_for(size_t box_count) {
    return box_count / (box_count <= BP_STRIPS_FEW ? BUCKET_FEW : BUCKET_BOXES) + 1;
}

static void choose_buckets(bp_strip_sort *sort, size_t box_count) {
    const size_t wanted = buckets_for(box_count), most = wanted < BUCKETS_MAX ? wanted : BUCKETS_MAX;
    sort->bucket_shift = 0;
    while ((sort->key_count - 1) >> sort->bucket_shift >= most) {
        ++sort->bucket_shift;
    }
    assert(sort->bucket_shift <= 64 - RECORD_KEY && sort->strips->cells[0] <= 1u << (RECORD_KEY - RECORD_FAR));
    sort->partition.bucket_count = ((sort->key_count - 1) >> sort->bucket_shift) + 1;
}

bool bp_strip_sort_count(bp_strip_sort *sort, size_t box_count, size_t *entry_count) {
    const bp_runtime *runtime = &sort->setup->runtime;
    const size_t most = buckets_for(box_count);
    sort->blocks = bp_blocks_cut(&runtime->executor, box_count, BLOCK_LEAST, SIZE_MAX);
    if (!bp_partition_reserve(&sort->partition, &runtime->allocator, sort->blocks.count, most) ||
        !bp_buffer_reserve_slack(&sort->figures, &runtime->allocator, 0, most, sizeof(bucket_figures))) {
        return false;
    }
    choose_buckets(sort, box_count);
    bp_parallel_for(&runtime->executor, sort->blocks.count, task_count_block, sort);
    bp_partition_place(&sort->partition, &runtime->executor);
    *entry_count = sort->partition.starts[sort->partition.bucket_count];
    return true;
}

void bp_strip_sort_run(bp_strip_sort *sort) {
    const bp_executor *executor = &sort->setup->runtime.executor;
    const size_t buckets = sort->partition.bucket_count;
    bp_parallel_for(executor, sort->blocks.count, task_partition_block, sort);
    sort->table[0] = 0;
    bp_parallel_for(executor, buckets, task_order_bucket, sort);
    sort->occupied = 0;
    sort->fullest = 0;
    for (size_t i = 0; i < buckets; ++i) {
        const bucket_figures *figures = (const bucket_figures *)sort->figures.data + i;
        sort->occupied += figures->occupied;
        sort->fullest = figures->fullest > sort->fullest ? figures->fullest : sort->fullest;
    }
}

void bp_strip_sort_free(bp_strip_sort *sort) {
    const bp_allocator *allocator = &sort->setup->runtime.allocator;
    bp_partition_free(&sort->partition, allocator);
    bp_buffer_free(&sort->figures, allocator);
}

size_t bp_strip_sort_bytes(const bp_strip_sort *sort) {
    return sort->partition.buffer.bytes + sort->figures.bytes;
}
