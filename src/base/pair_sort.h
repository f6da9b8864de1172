// Sorting pairs by (a, b), in parallel, in two steps that stay in the cache.
//
//     pairs     | 7,9 | 2,5 | 6,8 | 2,3 | 0,4 |      as found
//     buckets   | 2,5   2,3   0,4 | 7,9   6,8 |      by the highest bits of a, partitioned by all tasks
//     sorted    | 0,4   2,3   2,5 | 6,8   7,9 |      each bucket digit by digit: b, then the other bits of a
//
// A few pairs are inserted one by one; some thousand of few ids are not partitioned.
//
// Cost: O(pairs), 8 bytes per pair. It loses when one object has most of the pairs: then one bucket has all of them.
#ifndef BP_PAIR_SORT_H
#define BP_PAIR_SORT_H

#include "base/memory.h"
#include "base/runtime.h"

// Sorts `count` pairs of ids below id_count into `to`, which may be the same memory as `from`. `scratch` is memory that
// may be kept for the next time. False if memory is short: then `to` is as it was.
bool bp_sort_pairs(const bp_pair *from, bp_pair *to, size_t count, size_t id_count, bp_buffer *scratch,
                   const bp_runtime *runtime);

#endif
