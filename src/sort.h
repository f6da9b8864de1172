// Sorting pairs.
#ifndef BP_SORT_H
#define BP_SORT_H

#include "memory.h"

// Ascending by (a, b); ids are below id_count. `scratch` is memory that may be kept for the next time.
bool bp_sort_pairs(bp_pair *pairs, size_t count, size_t id_count, bp_buffer *scratch, const bp_allocator *allocator);

#endif
