// The cache of queries: a grid of the objects that are not in the method's grid; for lines an outline and a pack of all.
#ifndef BP_QUERY_CACHE_H
#define BP_QUERY_CACHE_H

#include "world/query/outline.h"
#include "world/query/query_batch.h"

typedef struct bp_query_cache bp_query_cache;

// NULL if memory is short.
bp_query_cache *bp_query_cache_create(const bp_method_setup *setup);

// NULL is allowed.
void bp_query_cache_destroy(bp_query_cache *cache);

// Notes a query, and tells whether there was one since this was last asked: then the next structure should serve
// queries, too.
void bp_query_cache_note(bp_query_cache *cache);
bool bp_query_cache_was_asked(bp_query_cache *cache);

// Takes over the unindexed objects of `count` queries, if a grid of them is worth it: then returns true and fills in the
// source.
bool bp_query_cache_take(const bp_world *world, const bp_unindexed *unindexed, size_t count, bp_query_source *source);

// Counts a line, and returns the outline of the world; NULL if that is not worth it, or not yet.
const bp_outline *bp_query_cache_outline(const bp_world *world);

// Counts a line that is not answered by the outline, and returns a pack of all objects; NULL likewise.
const bp_box_pack *bp_query_cache_pack(const bp_world *world);

// Draws the outline and makes room for the pack, if there have been many lines. Only where no query runs; no pack is valid
// afterwards.
void bp_query_cache_expect_lines(const bp_world *world);

// What a batch works with: the world's executor, and memory that is kept from batch to batch; or, if another thread has
// these, no executor and memory of its own (all zero).
typedef struct bp_batch_loan {
    const bp_executor *executor;
    bp_batch_memory *memory;
    bool is_own;
} bp_batch_loan;

bp_batch_loan bp_query_cache_borrow(const bp_world *world, bp_batch_memory *own);

// Gives it back; memory of its own is released.
void bp_query_cache_return(const bp_world *world, bp_batch_loan *loan);

#endif
