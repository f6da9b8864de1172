// Radix sorts, least significant digit first, in passes of 11 bits. Pairs take as many passes as the largest id has
// digits, over b and then a. Comparison sorts were 3 to 5 times slower from a thousand pairs on.
#include "base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    FEW_KEYS = 4096, // where clearing and summing up the digits takes longer than a fourth pass,
    FEW_BITS = 8     // digits have only so many bits
};

static uint32_t digit_of_pair(const bp_pair *pair, bool of_a, uint32_t shift) {
    return ((of_a ? pair->a : pair->b) >> shift) & (DIGITS - 1);
}

static void sort_pairs_by_digit(const bp_pair *from, bp_pair *to, size_t count, bool of_a, uint32_t shift) {
    size_t position[DIGITS] = {0};
    for (size_t i = 0; i < count; ++i) {
        ++position[digit_of_pair(&from[i], of_a, shift)];
    }
    bp_counts_to_positions(position, DIGITS);
    for (size_t i = 0; i < count; ++i) {
        to[position[digit_of_pair(&from[i], of_a, shift)]++] = from[i];
    }
}

bool bp_sort_pairs(bp_pair *pairs, size_t count, size_t id_count, bp_buffer *scratch, const bp_allocator *allocator) {
    if (count < 2) {
        return true;
    }
    if (!bp_buffer_reserve_slack(scratch, allocator, 0, count, sizeof *pairs)) {
        return false;
    }
    bp_pair *from = pairs, *to = scratch->data;
    for (int of_a = 0; of_a < 2; ++of_a) {
        for (uint32_t shift = 0; shift < 32 && (id_count - 1) >> shift != 0; shift += DIGIT_BITS) {
            sort_pairs_by_digit(from, to, count, of_a != 0, shift);
            bp_pair *swapped = from;
            from = to;
            to = swapped;
        }
    }
    if (from != pairs) {
        memcpy(pairs, from, count * sizeof *pairs);
    }
    return true;
}

// One pass over the keys' digit at `shift`. False if all keys have the same digit: then nothing was done.
static bool sort_keys_by_digit(const uint64_t *from, uint64_t *to, size_t count, uint32_t shift, uint64_t mask) {
    size_t position[DIGITS];
    memset(position, 0, (size_t)(mask + 1) * sizeof *position);
    for (size_t i = 0; i < count; ++i) {
        ++position[from[i] >> shift & mask];
    }
    if (count == 0 || position[from[0] >> shift & mask] == count) {
        return false;
    }
    bp_counts_to_positions(position, (size_t)mask + 1);
    for (size_t i = 0; i < count; ++i) {
        to[position[from[i] >> shift & mask]++] = from[i];
    }
    return true;
}

uint64_t *bp_sort_keys(uint64_t *keys, uint64_t *spare, size_t count, uint32_t first, uint32_t last) {
    const uint32_t most = count < FEW_KEYS ? FEW_BITS : DIGIT_BITS;
    uint64_t *from = keys, *to = spare;
    for (uint32_t shift = first; shift < last; shift += most) {
        const uint32_t bits = last - shift < most ? last - shift : most;
        if (sort_keys_by_digit(from, to, count, shift, ((uint64_t)1 << bits) - 1)) {
            uint64_t *swapped = from;
            from = to;
            to = swapped;
        }
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
