// base/bucket_sort: the order, the table and the figures, against a stable sort by comparison.
#include "support/support.h"

#include "base/bucket_sort.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_MOST = 30000 };

typedef struct expectation {
    uint32_t *ids; // of the items that are kept, in order
    size_t cell_items, total_items;
} expectation;

static const uint32_t *compared_keys;

static int compare_items(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t key_x = compared_keys[x], key_y = compared_keys[y];
    return key_x != key_y ? (key_x > key_y) - (key_x < key_y) : (x > y) - (x < y);
}

static expectation expect_order(const uint32_t *keys, size_t count) {
    expectation e = {.ids = obtain(count + 1, sizeof *e.ids)};
    for (size_t i = 0; i < count; ++i) {
        if (keys[i] != BP_SORT_KEY_NONE) {
            e.ids[e.total_items++] = (uint32_t)i;
            e.cell_items += keys[i] != BP_SORT_KEY_LAST;
        }
    }
    compared_keys = keys;
    qsort(e.ids, e.total_items, sizeof *e.ids, compare_items);
    return e;
}

static void task_count_keys(void *context, size_t block) {
    const bp_bucket_sort *sort = context;
    const size_t begin = bp_block_begin(sort->blocks, block), end = bp_block_begin(sort->blocks, block + 1);
    const size_t middle = begin + (end - begin) / 3;
    bp_bucket_sort_clear(sort, block);
    bp_bucket_sort_count(sort, block, begin, middle);
    bp_bucket_sort_count(sort, block, middle, end);
}

// Marks the positions of a bucket, each of which must be finished once.
static void mark_finished(void *context, size_t bucket, size_t begin, size_t end) {
    uint8_t *finished = context;
    (void)bucket;
    for (size_t i = begin; i < end; ++i) {
        ++finished[i];
    }
}

// The table says where the items of each cell are, and the figures follow from it.
static void check_table(const bp_bucket_sort *sort, const uint32_t *keys) {
    size_t occupied = 0, fullest = 0;
    assert_int_equal(sort->table[0], 0);
    assert_int_equal(sort->table[sort->cell_count], sort->cell_items);
    for (size_t cell = 0; cell < sort->cell_count; ++cell) {
        const size_t count = sort->table[cell + 1] - sort->table[cell];
        for (size_t p = sort->table[cell]; p < sort->table[cell + 1]; ++p) {
            assert_int_equal(keys[sort->ids[p]], cell);
        }
        occupied += count > 0;
        fullest = count > fullest ? count : fullest;
    }
    assert_int_equal(sort->occupied, occupied);
    assert_int_equal(sort->fullest, fullest);
}

static void check_sort(bp_bucket_sort *sort, const uint32_t *keys, bp_blocks blocks, size_t cell_count) {
    const bp_allocator allocator = bp_allocator_default();
    const bp_executor executor = thread_executor(3);
    uint32_t *ids = obtain(blocks.item_count + 1, sizeof *ids);
    uint8_t *finished = calloc(blocks.item_count + 1, 1);
    expectation e = expect_order(keys, blocks.item_count);
    assert_true(bp_bucket_sort_begin(sort, &allocator, blocks, cell_count));
    sort->keys = sort->ids = ids; // the result takes the place of the keys
    sort->table = obtain(cell_count + 1, sizeof *sort->table);
    memcpy(ids, keys, blocks.item_count * sizeof *ids);
    bp_parallel_for(&executor, blocks.count, task_count_keys, sort);
    bp_bucket_sort_run(sort, &executor, mark_finished, finished);
    assert_int_equal(sort->cell_items, e.cell_items);
    assert_int_equal(sort->total_items, e.total_items);
    assert_memory_equal(ids, e.ids, e.total_items * sizeof *ids);
    for (size_t i = 0; i < blocks.item_count; ++i) {
        assert_int_equal(finished[i], i < e.total_items);
    }
    check_table(sort, keys);
    free(sort->table);
    free(ids);
    free(finished);
    free(e.ids);
}

// A share of the items is left out, and another comes last.
static void random_keys(rng *random, uint32_t *keys, size_t count, size_t cell_count) {
    for (size_t i = 0; i < count; ++i) {
        const uint32_t lot = rng_below(random, 16);
        keys[i] = lot == 0                      ? BP_SORT_KEY_NONE
                  : lot == 1 || cell_count == 0 ? BP_SORT_KEY_LAST
                                                : rng_below(random, (uint32_t)cell_count);
    }
}

// One sort for all: it keeps its memory from case to case.
static void sorts_like_a_stable_sort(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 1000, 1024, 5000, ITEMS_MOST};
    static const size_t cells[] = {0, 1, 2, 7, 1024, 1025, 60000};
    static const size_t blocks[] = {1, 2, 3, 16};
    const bp_allocator allocator = bp_allocator_default();
    rng random = rng_seeded(4);
    bp_bucket_sort sort = {.cell_count = 0};
    uint32_t *keys = obtain(ITEMS_MOST, sizeof *keys);
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        for (size_t j = 0; j < COUNT_OF(cells); ++j) {
            random_keys(&random, keys, counts[i], cells[j]);
            for (size_t k = 0; k < COUNT_OF(blocks); ++k) {
                check_sort(&sort, keys, (bp_blocks){.item_count = counts[i], .count = blocks[k]}, cells[j]);
            }
        }
    }
    bp_bucket_sort_free(&sort, &allocator);
    free(keys);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_like_a_stable_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
