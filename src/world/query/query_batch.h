// Many questions of one kind at once.
//
//     questions   | 0 | 1 | 2 | 3 | ...       as the caller gives them
//     order       | 2 | 0 | 3 | 1 | ...       by place, along a Z-curve: neighbours find the same memory in the cache
//     blocks      |  2 0  |  3 1  | ...       of this order; each has a list of items of its own, row after row
//     answers     | row 0 | row 1 | ...       where the items are copied to in the end
//
// A row depends on its question alone, so the answers are the same for any number of workers.
#ifndef BP_QUERY_BATCH_H
#define BP_QUERY_BATCH_H

#include "world/query/query.h"

// The items of a block: an id and a value each. All zero is empty.
typedef struct bp_item_list {
    bp_buffer buffer; // of bp_ray_hit
    size_t count;
    bool failed; // memory was refused: items are missing
    bp_buffer scratch;
} bp_item_list;

enum {
    BP_BATCH_BLOCKS = 256, // at most
    BP_BATCH_GROUP = 64    // questions that are near each other
};

// Memory of batches, kept from one to the next. All zero is empty.
typedef struct bp_batch_memory {
    bp_runtime runtime; // of the call; the sinks refer to its allocator
    bp_buffer order, counts, columns;
    bp_block_sinks sinks;
    bp_pairs pairs;
    bp_item_list lists[BP_BATCH_BLOCKS];
} bp_batch_memory;

void bp_batch_memory_free(bp_batch_memory *memory, const bp_allocator *allocator);

typedef struct bp_batch {
    const bp_query *query;
    const void *questions;
    size_t count;
    size_t most; // items of a row
    bool has_values;

    // The centre of a question.
    void (*place)(const void *questions, size_t index, double centre[3]);
    // Appends the items of a question, in order.
    void (*answer)(const struct bp_batch *batch, size_t index, bp_item_list *items);
    // The same for up to BP_BATCH_GROUP questions, and how many items each has. NULL: one by one.
    void (*answer_group)(const struct bp_batch *batch, const uint64_t *order, size_t count, bp_item_list *items,
                         size_t *counts);
} bp_batch;

// Whether the objects of a query are in grids that can be searched for many questions together: not in a periodic world,
// where a question is asked in several places, and not if many objects are in no grid.
bool bp_query_suits_many(const bp_query *query);

// The order of the questions, in a buffer; NULL if memory is refused.
const uint64_t *bp_batch_order(const bp_batch *batch, bp_buffer *buffer, const bp_executor *executor);

// The index of the question at a position of the order.
static inline size_t bp_batch_question(const uint64_t *order, size_t position) {
    return (size_t)(order[position] & UINT32_MAX);
}

// Answers all questions; they have been checked.
bp_status bp_batch_run(const bp_batch *batch, bp_answers *answers);

// Room for so many items more, behind those that are there; NULL if memory is refused.
bp_ray_hit *bp_item_list_reserve(bp_item_list *items, const bp_allocator *allocator, size_t more);

// Sorts the items from `begin` on by (value, id).
void bp_item_list_sort(const bp_item_list *list, size_t begin);

#endif
