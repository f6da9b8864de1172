#include "kernels/range_tester.h"

#include "base/log.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum {
    PIECE = 8192,        // candidates of one test, at most
    SLICE = 1 << 18,     // candidates after which a budget is looked at, or fewer where objects are few
    ROWS_PER_CHECK = 64, // rows between two looks at a budget
    ROWS_PER_TEST = 4,   // a budget counts this many rows as one test
    AT_ONCE = 4112,      // pairs for which a search asks room, at most: a tree's
    BLOCKS_MAX = 512
};

// ---- the budget -----------------------------------------------------------------------------------------------------

// What the unit has wasted so far.
static size_t wasted_by_unit(const bp_range_tester *t) {
    const uint64_t tests = (t->sink->tests - t->tests_before - t->waiting + t->visited / ROWS_PER_TEST) / BP_TESTS_PAID;
    return tests > t->found ? (size_t)(tests - t->found) : 0;
}

// Ends the search if this unit alone has wasted the budget, or if it is over.
static void check_budget(bp_range_tester *t, bp_test_budget *budget) {
    if (wasted_by_unit(t) > budget->objects || atomic_load_explicit(&budget->is_over, memory_order_relaxed)) {
        atomic_store_explicit(&budget->is_over, true, memory_order_relaxed);
        t->failed = true;
    }
}

bool bp_range_tester_visit(bp_range_tester *t, size_t rows) {
    t->visited += rows;
    if (t->sink->rules.budget != NULL && rows > ROWS_PER_CHECK) {
        check_budget(t, t->sink->rules.budget);
    }
    return !t->failed;
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static uint64_t candidates_of(const bp_range_test *tests, size_t count) {
    uint64_t candidates = 0;
    for (size_t i = 0; i < count; ++i) {
        candidates += tests[i].end - tests[i].begin;
    }
    return candidates;
}

// Tests that all fit the kernel's room are run at once.
static void run_tests(bp_range_tester *t, const bp_range_test *tests, size_t count) {
    for (size_t done = 0, some = 0; done < count && !t->failed; done += some) {
        bp_range_job job = {.objects = t->objects,
                            .candidates = t->candidates,
                            .tests = tests + done,
                            .test_count = count - done,
                            .pair_ids = t->pair_ids};
        const size_t least = (size_t)(job.tests[0].end - job.tests[0].begin) + BP_COLUMN_PADDING;
        job.out = bp_sink_room(t->sink, least, &job.room);
        if (job.out == NULL) {
            t->failed = true;
            return;
        }
        const size_t found = t->kernels->test_ranges(&job, &some);
        t->found += found;
        if (t->pair_ids == BP_IDS_BY_ROLE_SWAPPED || t->pair_ids == BP_IDS_BY_ROLE_ASCENDING) {
            const bool all = t->pair_ids == BP_IDS_BY_ROLE_SWAPPED;
            for (size_t i = 0; i < found; ++i) { // the ids by role, which kernels write, change places
                const bp_pair pair = job.out[i];
                const bool swaps = all || pair.a > pair.b;
                job.out[i] = (bp_pair){.a = swaps ? pair.b : pair.a, .b = swaps ? pair.a : pair.b};
            }
        }
        bp_sink_commit(t->sink, job.out, found);
    }
}

// Tests with `all` candidates together. On a budget, very many are run in slices, so that it is looked at before all of them
// have run.
static void run_all(bp_range_tester *t, const bp_range_test *tests, size_t count, uint64_t all) {
    bp_test_budget *budget = t->sink->rules.budget;
    const size_t slice = budget == NULL ? SIZE_MAX : budget->objects < SLICE / 4 ? 4 * budget->objects : SLICE;
    if (all <= slice) {
        run_tests(t, tests, count);
        return;
    }
    t->waiting = all;
    for (size_t begin = 0, end = 0; begin < count && !t->failed; begin = end) {
        uint64_t candidates = 0;
        while (end < count && candidates <= slice) {
            candidates += tests[end].end - tests[end].begin;
            ++end;
        }
        run_tests(t, tests + begin, end - begin);
        t->waiting -= candidates;
        check_budget(t, budget);
    }
    t->sink->tests -= t->waiting; // they will not run
    t->waiting = 0;
}

void bp_range_tester_run(bp_range_tester *t, const bp_range_test *tests, size_t count) {
    run_all(t, tests, count, t->sink->rules.budget != NULL ? candidates_of(tests, count) : 0);
}

void bp_range_tester_flush(bp_range_tester *t) {
    if (!t->failed) {
        const uint64_t all = candidates_of(t->tests, t->test_count);
        t->sink->tests += all;
        run_all(t, t->tests, t->test_count, all);
        if (t->sink->rules.budget != NULL) {
            check_budget(t, t->sink->rules.budget);
        }
    }
    t->test_count = 0;
}

void bp_range_tester_add_long(bp_range_tester *t, size_t object, uint32_t begin, uint32_t end) {
    while (begin < end) {
        const uint32_t stop = end - begin < PIECE ? end : begin + PIECE;
        bp_range_tester_reserve(t, 1);
        bp_range_tester_add(t, object, begin, stop);
        begin = stop;
    }
}

void bp_range_tester_take(bp_range_tester *t, bp_pair *pairs, size_t found, uint64_t tests) {
    bp_sink_commit(t->sink, pairs, found);
    t->sink->tests += tests;
    t->found += found;
    if (t->sink->rules.budget != NULL) {
        check_budget(t, t->sink->rules.budget);
    }
}

// ---- blocks of units ------------------------------------------------------------------------------------------------

typedef struct search_run {
    const bp_range_search *search;
    bp_blocks blocks;
    bp_sink *sinks; // one per block, or the caller's if there is one block
    bool failed[BLOCKS_MAX];
    bp_pair *place; // where the pairs of all blocks are joined
} search_run;

static void task_search_block(void *context, size_t block) {
    search_run *r = context;
    const bp_range_search *search = r->search;
    bp_range_tester t; // not zeroed: the list is long, and written before it is read
    t.kernels = search->kernels;
    t.objects = search->objects;
    t.candidates = search->candidates;
    t.pair_ids = search->pair_ids;
    t.sink = &r->sinks[block];
    t.block = block;
    t.failed = false;
    t.test_count = 0;
    const size_t end = bp_block_begin(r->blocks, block + 1);
    for (size_t unit = bp_block_begin(r->blocks, block); unit < end && !t.failed; ++unit) {
        t.tests_before = t.sink->tests;
        t.waiting = 0;
        t.visited = 0;
        t.found = 0;
        search->unit(search->context, &t, unit);
        bp_range_tester_flush(&t);
        bp_test_budget *budget = t.sink->rules.budget;
        const size_t wasted = budget != NULL ? wasted_by_unit(&t) : 0; // is added to the whole
        if (wasted > 0 &&
            atomic_fetch_add_explicit(&budget->wasted, wasted, memory_order_relaxed) + wasted > budget->objects) {
            atomic_store_explicit(&budget->is_over, true, memory_order_relaxed);
            t.failed = true;
        }
    }
    bp_sink_flush(t.sink);
    r->failed[block] = t.failed;
}

static void task_copy_block(void *context, size_t block) {
    const search_run *r = context;
    bp_pair *place = r->place;
    for (size_t i = 0; i < block; ++i) {
        place += r->sinks[i].count;
    }
    if (r->sinks[block].count > 0) {
        memcpy(place, r->sinks[block].data, r->sinks[block].count * sizeof *place);
    }
}

// One sink per block, with the rules of the sink that all pairs go to.
static bool reserve_sinks(bp_block_sinks *pool, const bp_allocator *allocator, size_t count, bp_sink_rules rules) {
    if (!bp_buffer_reserve(&pool->buffer, allocator, pool->count * sizeof(bp_sink), count, sizeof(bp_sink))) {
        return false;
    }
    bp_sink *sinks = pool->buffer.data;
    for (; pool->count < count; ++pool->count) {
        sinks[pool->count] = (bp_sink){0};
    }
    size_t most = 0; // pairs of a block in the last search: from search to search, units go to other blocks
    for (size_t i = 0; i < count; ++i) {
        most = sinks[i].count > most ? sinks[i].count : most;
        bp_sink_restart(&sinks[i], allocator, rules);
    }
    for (size_t i = 0; i < count; ++i) {
        bp_sink_expect(&sinks[i], most > AT_ONCE ? most : AT_ONCE);
    }
    return true;
}

size_t bp_range_search_blocks(const bp_runtime *runtime, size_t unit_count) {
    return bp_blocks_cut(&runtime->executor, unit_count, 1, BLOCKS_MAX).count;
}

bp_status bp_range_search_run(const bp_range_search *search, bp_block_sinks *sinks, bp_sink *sink) {
    const bp_runtime *runtime = search->runtime;
    if (search->unit_count == SIZE_MAX) {
        bp_log_write(&runtime->log, "too many infinite or oversized objects for a 32-bit build");
        return BP_ERROR_MEMORY;
    }
    const size_t least = search->units_least > 0 ? search->units_least : 1;
    search_run r = {.search = search};
    r.blocks = bp_blocks_cut(&runtime->executor, search->unit_count, least, BLOCKS_MAX);
    if (r.blocks.count == 1) {
        r.sinks = sink;
    } else if (reserve_sinks(sinks, &runtime->allocator, r.blocks.count, sink->rules)) {
        r.sinks = sinks->buffer.data;
    } else {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, r.blocks.count, task_search_block, &r);
    bool failed = false;
    for (size_t i = 0; i < r.blocks.count; ++i) {
        failed |= r.failed[i];
        sink->tests += r.sinks != sink ? r.sinks[i].tests : 0;
    }
    if (sink->rules.budget != NULL && sink->rules.budget->is_over) {
        return BP_ERROR_CAPACITY;
    }
    if (failed || r.blocks.count == 1) {
        return failed ? BP_ERROR_MEMORY : BP_OK;
    }
    // Joins the pairs of all blocks, in their order. If the caller's buffer is short, the pairs that fit are copied and all
    // are counted.
    const size_t limit = sink->rules.limit;
    size_t total = 0, room = 0;
    for (size_t i = 0; i < r.blocks.count; ++i) {
        total = bp_size_add(total, r.sinks[i].count);
    }
    if (sink->count > limit || total > limit - sink->count) {
        for (size_t i = 0; i < r.blocks.count; ++i) {
            const size_t count = r.sinks[i].count, held = r.sinks[i].capacity;
            bp_sink_count(sink, r.sinks[i].data, count < held ? count : held, count);
        }
    } else if (total > 0) {
        r.place = bp_sink_room(sink, total, &room);
        if (r.place == NULL) {
            return BP_ERROR_MEMORY;
        }
        bp_parallel_for(&runtime->executor, r.blocks.count, task_copy_block, &r);
        bp_sink_commit_filtered(sink, r.place, total);
    }
    return BP_OK;
}

size_t bp_block_sinks_bytes(const bp_block_sinks *pool) {
    const bp_sink *sinks = pool->buffer.data;
    size_t bytes = pool->buffer.bytes;
    for (size_t i = 0; i < pool->count; ++i) {
        bytes += sinks[i].capacity * sizeof(bp_pair) + sinks[i].scratch.bytes;
    }
    return bytes;
}

void bp_block_sinks_free(bp_block_sinks *pool, const bp_allocator *allocator) {
    bp_sink *sinks = pool->buffer.data;
    for (size_t i = 0; i < pool->count; ++i) {
        bp_sink_free(&sinks[i]);
    }
    bp_buffer_free(&pool->buffer, allocator);
    pool->count = 0;
}
