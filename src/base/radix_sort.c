// Radix sorts, least significant digit first, in passes of 11 bits. Comparison sorts were 3 to 5 times slower from a
// thousand keys on.
#include "base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    WIDE_DIGITS_FROM = 4096, // keys: below, clearing and summing up the counters takes longer than another pass
    NARROW_DIGIT_BITS = 8    // of the digits then
};

uint64_t *bp_sort_keys(uint64_t *keys, uint64_t *spare, size_t count, uint32_t first, uint32_t last) {
    const uint32_t most = count < WIDE_DIGITS_FROM ? NARROW_DIGIT_BITS : DIGIT_BITS;
    uint64_t *from = keys, *to = spare;
    for (uint32_t shift = first; shift < last && count > 0; shift += most) {
        const uint32_t bits = last - shift < most ? last - shift : most;
        const uint64_t mask = ((uint64_t)1 << bits) - 1;
        size_t position[DIGITS];
        memset(position, 0, (size_t)(mask + 1) * sizeof *position);
        for (size_t i = 0; i < count; ++i) {
            ++position[from[i] >> shift & mask];
        }
        if (position[from[0] >> shift & mask] == count) {
            continue; // all have the same digit
        }
        (void)bp_counts_to_positions(position, (size_t)mask + 1);
        for (size_t i = 0; i < count; ++i) {
            to[position[from[i] >> shift & mask]++] = from[i];
        }
        uint64_t *swapped = from;
        from = to;
        to = swapped;
    }
    return from;
}

static int compare_floats(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void bp_sort_floats(float *values, size_t count) {
    qsort(values, count, sizeof *values, compare_floats);
}
