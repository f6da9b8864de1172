// Bins along an axis: numbers for coordinates that have their order. Larger coordinates never have a smaller bin.
#ifndef BP_SPLIT_BINS_H
#define BP_SPLIT_BINS_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SPLIT_BINS = 1024, // at most
    SPLIT_COARSE_BINS = 256
};

// Of equal width; or of floats, which is better where coordinates are spread over many octaves or crowd in a few places:
// coarse bins of equally many floats, each cut into fine ones of which there are more where there are more boxes.
//
//     coarse |         0         |         1         |         2         |
//     fine   |         0         | 1| 2| 3| 4| 5| 6| |         9         |
typedef struct split_bins {
    uint32_t count;
    bool of_equal_width;
    float low, scale;                      // of equal width
    uint32_t first, span, shift;           // of floats: bits of the lowest, from there to the highest, of a coarse bin
    uint16_t begin[SPLIT_COARSE_BINS];     // of a coarse bin: its first fine bin,
    uint8_t fine_shift[SPLIT_COARSE_BINS]; // and the bits of each
} split_bins;

// The bits of a float as an integer with the same order.
static inline uint32_t split_ordered_bits(float value) {
    uint32_t bits;
    value += 0.0f; // -0 is 0
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((0u - (bits >> 31)) | 0x80000000u);
}

// How many floats a value is above the lowest one of the bins.
static inline uint32_t split_offset_of(const split_bins *bins, float value) {
    const uint32_t bits = split_ordered_bits(value);
    const uint32_t offset = bits > bins->first ? bits - bins->first : 0;
    return offset < bins->span ? offset : bins->span;
}

static inline size_t split_coarse_bin_of(const split_bins *bins, float value) {
    return split_offset_of(bins, value) >> bins->shift;
}

static inline size_t split_bin_of(const split_bins *bins, float value) {
    if (bins->of_equal_width) {
        const float most = (float)(bins->count - 1);
        float bin = (value - bins->low) * bins->scale;
        bin = bin > 0.0f ? bin : 0.0f;
        bin = bin < most ? bin : most;
        return (size_t)(int32_t)bin;
    }
    const uint32_t offset = split_offset_of(bins, value), coarse = offset >> bins->shift;
    return bins->begin[coarse] + ((offset & ((1u << bins->shift) - 1)) >> bins->fine_shift[coarse]);
}

// False if bins of equal width cannot be.
static inline bool split_bins_between(split_bins *bins, float low, float high, uint32_t count) {
    const float width = high - low;
    bins->count = count;
    bins->of_equal_width = low >= -FLT_MAX && high <= FLT_MAX && width <= FLT_MAX && width > 0x1p-100f;
    bins->low = low;
    bins->scale = (float)count / width;
    return bins->of_equal_width;
}

// Coarse bins only; split_bins_refine makes the fine ones.
static inline void split_bins_of_floats(split_bins *bins, float low, float high) {
    bins->of_equal_width = false;
    bins->first = split_ordered_bits(low);
    bins->span = split_ordered_bits(high) - bins->first;
    bins->shift = 0;
    while (bins->span >> bins->shift >= SPLIT_COARSE_BINS) {
        ++bins->shift;
    }
}

// `counts`: how many boxes there are in each coarse bin.
static inline void split_bins_refine(split_bins *bins, const uint16_t counts[SPLIT_COARSE_BINS]) {
    const uint32_t coarse_count = (bins->span >> bins->shift) + 1;
    uint32_t all = 1;
    bins->count = 0;
    for (size_t k = 0; k < coarse_count; ++k) {
        all += counts[k];
    }
    for (size_t k = 0; k < coarse_count; ++k) {
        const uint32_t wanted = (SPLIT_BINS - SPLIT_COARSE_BINS) * counts[k] / all;
        bins->begin[k] = (uint16_t)bins->count;
        bins->fine_shift[k] = (uint8_t)bins->shift;
        while (bins->fine_shift[k] > 0 && 2u << (bins->shift - bins->fine_shift[k]) <= wanted) {
            --bins->fine_shift[k];
        }
        bins->count += 1u << (bins->shift - bins->fine_shift[k]);
    }
}

#endif
