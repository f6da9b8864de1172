// The pair sink: where methods put what they find. It never drops a pair silently: it grows, or it counts on.
#ifndef BP_PAIRS_H
#define BP_PAIRS_H

#include "base/memory.h"
#include "view/pair_filter.h"

typedef struct bp_sink {
    const bp_allocator *allocator;
    bp_pair *data;
    size_t count;          // pairs found; beyond the limit they are counted, not kept
    size_t capacity;       // pairs that fit into data now
    size_t limit;          // data is never grown beyond this; for a buffer of the caller's, its capacity
    bp_buffer scratch;     // where pairs are written when no more may be kept
    uint64_t tests;        // candidate pairs examined
    const bp_sieve *sieve; // what a pair has to pass; NULL: nothing
    bool turned;           // pairs come as (b, a)
    bool ordered;          // pairs are to become (smaller, larger)
    size_t patience;       // pairs that may wait for the sieve, so that it gets many at once; 0: none
    size_t waiting;        // of the last pairs, those that do
} bp_sink;

// A sink that continues in the memory of `pairs`, which it overwrites. Give it back with bp_sink_close.
bp_sink bp_sink_open(const bp_pairs *pairs, const bp_config *config);

// Leaves the list in `pairs` and returns BP_ERROR_CAPACITY if not all could be kept.
bp_status bp_sink_close(bp_sink *sink, bp_pairs *pairs);

// Room for `count` pairs in a list; what it holds is kept. False if memory is short: then it is as before.
bool bp_pairs_reserve(bp_pairs *pairs, const bp_allocator *allocator, size_t count);

// A place for at least `least` pairs, and how many fit; NULL if memory is short. Write there, then commit.
bp_pair *bp_sink_room(bp_sink *sink, size_t least, size_t *room);
void bp_sink_commit(bp_sink *sink, bp_pair *written, size_t count);

// The same for pairs that have passed the sieve already.
void bp_sink_commit_passed(bp_sink *sink, const bp_pair *written, size_t count);

// Sifts the pairs that wait.
void bp_sink_settle(bp_sink *sink);

// Adds `count` pairs of which only the first `kept` are at hand, to a sink that cannot keep them all anyway.
void bp_sink_count(bp_sink *sink, const bp_pair *pairs, size_t kept, size_t count);

// Makes room for as many pairs as last time and some to spare, so that a steady number of them soon needs no more
// memory. If it is refused, the list will grow as it must.
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

// Releases what a sink of the library's own holds.
void bp_sink_free(bp_sink *sink);

#endif
