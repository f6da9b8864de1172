// The pair sink: where a search puts the pairs it finds. It never drops a pair silently: it grows, or it goes on
// counting.
//
//     search ---> room ---> write ---> commit ---> filter ---> list
//
// A search asks for room, writes pairs there and commits them. If there is a filter, it is called with batches of
// pairs, on the thread that found them; the pairs it keeps go into the list.
#ifndef BP_PAIR_SINK_H
#define BP_PAIR_SINK_H

#include "base/memory.h"

// Moves the pairs to keep to the front of a batch, perhaps with other names, and returns their number.
typedef struct bp_batch_filter {
    size_t (*keep)(const void *context, bp_pair *pairs, size_t count); // NULL: all are kept as they are
    const void *context;
} bp_batch_filter;

// A budget of tests, for a search that somebody else can take over: each object and each pair that is found pays for
// BP_TESTS_PAID tests, which is about what a search among uniform boxes takes; those beyond are wasted, and end the search. What
// counts is summed up over units of work (kernels/range_tester.h), so whether the budget runs out does not depend on the number
// of threads.
enum {
    BP_TESTS_PAID = 32,
    BP_BUDGET_MIN = 4096 // objects: few are tested all with all, and rightly so
};

typedef struct bp_test_budget {
    size_t objects;
    size_t pairs_before;   // of the sink
    _Atomic size_t wasted; // one for each BP_TESTS_PAID tests
    _Atomic bool is_over;
} bp_test_budget;

// Rules for all pairs of a search.
typedef struct bp_sink_rules {
    bp_batch_filter filter;
    size_t batch;           // pairs that may wait for the filter, so that it gets many at once; 0: none
    size_t limit;           // most pairs that may be kept: for a fixed buffer of the caller's, its capacity
    bp_test_budget *budget; // NULL: none
} bp_sink_rules;

#define BP_SINK_UNLIMITED (SIZE_MAX / sizeof(bp_pair))

typedef struct bp_sink {
    const bp_allocator *allocator;
    bp_sink_rules rules;
    bp_pair *data;
    size_t count;      // pairs found; those beyond the limit are counted, not kept; SIZE_MAX: as many, or more
    size_t capacity;   // pairs that fit into data now
    size_t waiting;    // the last `waiting` pairs have not been filtered yet
    bp_buffer scratch; // where pairs are written when no more may be kept
    uint64_t tests;    // candidate pairs examined
} bp_sink;

// Opens a sink that writes into the memory of `pairs`. bp_sink_close returns the memory.
bp_sink bp_sink_open(const bp_pairs *pairs, const bp_allocator *allocator, bp_sink_rules rules);

// Returns the list to `pairs`. BP_ERROR_CAPACITY if not all pairs could be kept.
bp_status bp_sink_close(bp_sink *sink, bp_pairs *pairs);

// Empties a sink (all zero, or used before) for another search. It keeps its memory.
void bp_sink_restart(bp_sink *sink, const bp_allocator *allocator, bp_sink_rules rules);

// Releases what a sink holds.
void bp_sink_free(bp_sink *sink);

// Room for at least `least` pairs; *room is the exact number. NULL if memory is short. Write there, then commit.
bp_pair *bp_sink_room(bp_sink *sink, size_t least, size_t *room);
void bp_sink_commit(bp_sink *sink, bp_pair *written, size_t count);

// The same for pairs that have passed the filter already.
void bp_sink_commit_filtered(bp_sink *sink, const bp_pair *written, size_t count);

// Filters the pairs that are still waiting.
void bp_sink_flush(bp_sink *sink);

// A search on a budget for so many objects. At its end, false: the budget was over, and the sink has the pairs that it had before.
void bp_sink_begin_budget(bp_sink *sink, bp_test_budget *budget, size_t objects);
bool bp_sink_end_budget(bp_sink *sink, const bp_test_budget *budget);

// Counts `count` pairs, of which only the first `kept` are available, in a sink that has reached its limit anyway.
void bp_sink_count(bp_sink *sink, const bp_pair *pairs, size_t kept, size_t count);

// Makes room for as many pairs as last time and some more, so that a steady number of pairs soon needs no more memory.
// If the memory is refused, the list grows later, when it must.
void bp_sink_expect(bp_sink *sink, size_t last_count);

// One pair. False if memory is short.
static inline bool bp_sink_push(bp_sink *sink, uint32_t a, uint32_t b) {
    size_t room = 0;
    bp_pair *place = bp_sink_room(sink, 1, &room);
    if (place == NULL) {
        return false;
    }
    *place = (bp_pair){.a = a, .b = b};
    bp_sink_commit(sink, place, 1);
    return true;
}

// ---- plain lists ----------------------------------------------------------------------------------------------------

// Makes room for `count` pairs in a list and keeps what it holds. False if memory is short: then the list is as before.
bool bp_pairs_reserve(bp_pairs *pairs, const bp_allocator *allocator, size_t count);

// Appends one pair. False if memory is short: then the list is as before.
static inline bool bp_pairs_push(bp_pairs *pairs, const bp_allocator *allocator, bp_pair pair) {
    if (!bp_pairs_reserve(pairs, allocator, pairs->count + 1)) {
        return false;
    }
    pairs->data[pairs->count++] = pair;
    return true;
}

// Gives back the room beyond `count` pairs, unless that is little; the list has no more than these.
void bp_pairs_shrink(bp_pairs *pairs, const bp_allocator *allocator, size_t count);

void bp_pairs_release(bp_pairs *pairs, const bp_allocator *allocator);

#endif
