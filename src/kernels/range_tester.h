// The range tester: searches list tests, (box, range of boxes) after (box, range of boxes), and it passes them to the
// kernels.
//
//     add(box, begin, end) ---> | tests | ---> kernel ---> sink of this block ---> joined in block order
//
// A search is divided into numbered units of work (a few hundred boxes, a bucket of cells). Blocks of units run in
// parallel, each with a sink of its own. The list of tests is emptied at the end of every unit, so the order of the
// pairs depends on the units alone, and not on how they were divided into blocks.
#ifndef BP_RANGE_TESTER_H
#define BP_RANGE_TESTER_H

#include "base/pair_sink.h"
#include "base/runtime.h"
#include "kernels/kernels.h"

enum { BP_RANGE_TESTER_TESTS = 1024 }; // that are passed to a kernel together

typedef struct bp_range_tester {
    const bp_kernels *kernels;
    const bp_columns *objects;    // these boxes are tested ...
    const bp_columns *candidates; // ... against these; the same columns unless between two sets
    bp_pair_ids pair_ids;
    bp_sink *sink;
    size_t block;          // of units, to which this one belongs
    bool failed;           // memory ran short, or the budget is over
    uint64_t tests_before; // tests of the sink when this unit began,
    uint64_t waiting;      // those of them that have not run yet,
    uint64_t visited;      // rows of cells that were looked at for them,
    uint64_t found;        // and pairs found since then
    size_t test_count;
    bp_range_test tests[BP_RANGE_TESTER_TESTS];
} bp_range_tester;

// Runs tests at once, without listing and without counting them.
void bp_range_tester_run(bp_range_tester *tester, const bp_range_test *tests, size_t count);

// Runs the tests that are listed, and empties the list.
void bp_range_tester_flush(bp_range_tester *tester);

// Counts rows of cells that are looked at for candidates, whether they have any or not. False if the budget of the sink
// is over.
bool bp_range_tester_visit(bp_range_tester *tester, size_t rows);

// Takes pairs that were written into room of the sink, by so many tests.
void bp_range_tester_take(bp_range_tester *tester, bp_pair *pairs, size_t found, uint64_t tests);

// Makes room for `count` calls of bp_range_tester_add.
static inline void bp_range_tester_reserve(bp_range_tester *tester, size_t count) {
    if (tester->test_count + count > BP_RANGE_TESTER_TESTS) {
        bp_range_tester_flush(tester);
    }
}

// Lists box `object` against the candidates begin .. end-1, if there are any; without a branch.
static inline void bp_range_tester_add(bp_range_tester *tester, size_t object, uint32_t begin, uint32_t end) {
    tester->tests[tester->test_count] = (bp_range_test){.object = (uint32_t)object, .begin = begin, .end = end};
    tester->test_count += begin < end;
}

// The same for a range of any length; makes room itself. A long range is cut into pieces, because the sink must have
// room for all pairs that a piece may produce.
void bp_range_tester_add_long(bp_range_tester *tester, size_t object, uint32_t begin, uint32_t end);

// The sinks of the blocks, kept from search to search. All zero is empty.
typedef struct bp_block_sinks {
    bp_buffer buffer; // of bp_sink
    size_t count;
} bp_block_sinks;

size_t bp_block_sinks_bytes(const bp_block_sinks *pool);
void bp_block_sinks_free(bp_block_sinks *pool, const bp_allocator *allocator);

// One search: units 0 .. unit_count-1, each by a call of `unit`.
typedef struct bp_range_search {
    const bp_runtime *runtime;
    const bp_kernels *kernels;
    const bp_columns *objects, *candidates;
    bp_pair_ids pair_ids;
    size_t unit_count;  // SIZE_MAX: more than can be counted, which is refused
    size_t units_least; // that are worth a task; 0: one
    void (*unit)(const void *context, bp_range_tester *tester, size_t index);
    const void *context;
} bp_range_search;

// The number of blocks into which units are divided.
size_t bp_range_search_blocks(const bp_runtime *runtime, size_t unit_count);

// Runs all units and leaves their pairs in the sink, in the order of the units. BP_ERROR_CAPACITY if the sink has a
// budget, and it is over.
bp_status bp_range_search_run(const bp_range_search *search, bp_block_sinks *sinks, bp_sink *sink);

#endif
