// The cache of queries: a grid of the objects that the method's grid does not hold.
#ifndef BP_QUERY_CACHE_H
#define BP_QUERY_CACHE_H

#include "world/query/query.h"

typedef struct bp_query_cache bp_query_cache;

// NULL if memory is short.
bp_query_cache *bp_query_cache_create(const bp_method_setup *setup);

// NULL is fine.
void bp_query_cache_destroy(bp_query_cache *cache);

// Takes over the unindexed objects of a query, if that is worth it by now: then returns true and fills in the source.
bool bp_query_cache_take(const bp_world *world, const bp_unindexed *unindexed, bp_query_source *source);

#endif
