// The trees of queries: where the world's method keeps a tree, that one. Else the queries have a tree of their own.
//
//     kept     fitted by each update before which somebody asked; not by queries, so any number of them may read it
//     fresh    built, or fitted, by a query, for the present version of the world: for where an update was never made,
//              or much has changed since. The next update that fits a tree takes it as the kept one
//
// Building takes as long as examining all objects one by one a dozen times, and fitting less than once. So the first queries do
// without: a caller that asks only now and then never pays for a tree, and one that asks often pays at most twice. The
// thread of the query builds it, alone (it may be one of the caller's executor); other threads go on one by one meanwhile. Nobody
// waits, and if memory is refused, only time is lost.
#ifndef BP_QUERY_TREE_H
#define BP_QUERY_TREE_H

#include "engine/tree/tree.h"
#include "world/query/query_batch.h"

typedef struct bp_query bp_query;
typedef struct bp_query_trees bp_query_trees;

// NULL if memory is short.
bp_query_trees *bp_query_trees_create(const bp_method_setup *setup);

// NULL is allowed.
void bp_query_trees_destroy(bp_query_trees *trees);

// Gives all memory back: there are no trees.
void bp_query_trees_trim(bp_query_trees *trees);
size_t bp_query_trees_bytes(const bp_query_trees *trees);

// Fills in the tree of `count` queries, and what has changed since it was fitted.
void bp_query_trees_take(bp_query *query, size_t count);

// At the end of an update, while its changes are known: fits the kept tree, if there were queries before it that the method's tree
// did not serve.
void bp_query_trees_fit(const bp_world *world);

// What a batch works with: the world's executor, and memory that is kept from batch to batch; or, if another thread has
// these, no executor and memory of its own (all zero).
typedef struct bp_batch_loan {
    const bp_executor *executor;
    bp_batch_memory *memory;
    bool is_own;
} bp_batch_loan;

bp_batch_loan bp_query_borrow(const bp_world *world, bp_batch_memory *own);

// Gives it back; memory of its own is released.
void bp_query_return(const bp_world *world, bp_batch_loan *loan);

#endif
