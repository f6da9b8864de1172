// Sorting keys and floats. (Pairs: pair_sort.h.)
#ifndef BP_RADIX_SORT_H
#define BP_RADIX_SORT_H

#include "base/memory.h"

// Sorts by the bits first .. last-1 of each key, ascending and stable. `spare` has the same length; the result is in
// the array that is returned.
uint64_t *bp_sort_keys(uint64_t *keys, uint64_t *spare, size_t count, uint32_t first, uint32_t last);

// Turns the number of keys with each digit into the position of the first of them. Returns the number of all.
static inline size_t bp_counts_to_positions(size_t *counts, size_t digit_count) {
    size_t sum = 0;
    for (size_t digit = 0; digit < digit_count; ++digit) {
        const size_t here = counts[digit];
        counts[digit] = sum;
        sum += here;
    }
    return sum;
}

// Sorts a few floats, such as a sample; none may be NaN.
void bp_sort_floats(float *values, size_t count);

#endif
