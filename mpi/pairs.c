// Pairs of 64-bit ids, sorted by (a, b): a radix sort over the bytes that differ.
#include "world.h"

#include <string.h>

enum { DIGITS = 16, VALUES = 256 };

bool bp_mpi_pairs_reserve(bp_mpi_pairs *pairs, const bp_allocator *allocator, size_t count) {
    return bp_buffer_reserve_slack(&pairs->memory, allocator, pairs->count * sizeof(bp_mpi_pair), count,
                                   sizeof(bp_mpi_pair));
}

// Digit 0 is the last byte of b.
static unsigned digit(const bp_mpi_pair *pair, int index) {
    const uint64_t word = index < 8 ? pair->b : pair->a;
    return (unsigned)(word >> (8 * (index % 8))) & 0xff;
}

// Which bytes differ at all, as two words of set bits.
static bp_mpi_pair differences(const bp_mpi_pair *pairs, size_t count) {
    bp_mpi_pair some = {0, 0};
    for (size_t i = 1; i < count; ++i) {
        some.a |= pairs[i].a ^ pairs[0].a;
        some.b |= pairs[i].b ^ pairs[0].b;
    }
    return some;
}

static void scatter(const bp_mpi_pair *from, bp_mpi_pair *to, size_t count, int index) {
    size_t places[VALUES] = {0}, next = 0;
    for (size_t i = 0; i < count; ++i) ++places[digit(&from[i], index)];
    for (int value = 0; value < VALUES; ++value) {
        const size_t held = places[value];
        places[value] = next;
        next += held;
    }
    for (size_t i = 0; i < count; ++i) to[places[digit(&from[i], index)]++] = from[i];
}

bool bp_mpi_sort_pairs(bp_mpi_pairs *pairs, bp_buffer *scratch, const bp_allocator *allocator) {
    if (pairs->count < 2) {
        return true;
    }
    if (!bp_buffer_reserve_slack(scratch, allocator, 0, pairs->count, sizeof(bp_mpi_pair))) {
        return false;
    }
    bp_mpi_pair *from = bp_mpi_pairs_data(pairs), *to = scratch->data;
    const bp_mpi_pair some = differences(from, pairs->count);
    for (int index = 0; index < DIGITS; ++index) {
        if (digit(&some, index) != 0) {
            scatter(from, to, pairs->count, index);
            bp_mpi_pair *swapped = from;
            from = to;
            to = swapped;
        }
    }
    if (from != bp_mpi_pairs_data(pairs)) {
        memcpy(to, from, pairs->count * sizeof *from);
    }
    return true;
}
