// Bins along an axis: numbers for coordinates that have their order. Larger coordinates never have a smaller bin.
#ifndef BP_SPLIT_BINS_H
#define BP_SPLIT_BINS_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SPLIT_BINS = 1024 }; // at most

// Of equal width; or of equally many floats, which is better where coordinates are spread over many octaves.
typedef struct split_bins {
    uint32_t count;
    bool of_equal_width;
    float low, scale;      // of equal width
    uint32_t first, shift; // of equally many floats
} split_bins;

// The bits of a float as an integer with the same order.
static inline uint32_t split_ordered_bits(float value) {
    uint32_t bits;
    value += 0.0f; // -0 is 0
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((0u - (bits >> 31)) | 0x80000000u);
}

static inline size_t split_bin_of(const split_bins *bins, float value) {
    if (bins->of_equal_width) {
        const float most = (float)(bins->count - 1);
        float bin = (value - bins->low) * bins->scale;
        bin = bin > 0.0f ? bin : 0.0f;
        bin = bin < most ? bin : most;
        return (size_t)(int32_t)bin;
    }
    const uint32_t bits = split_ordered_bits(value);
    const uint32_t bin = bits > bins->first ? (bits - bins->first) >> bins->shift : 0;
    return bin < bins->count ? bin : bins->count - 1;
}

static inline split_bins split_bins_of_floats(float low, float high, uint32_t count) {
    split_bins bins = {.count = count, .first = split_ordered_bits(low)};
    const uint32_t span = split_ordered_bits(high) - bins.first;
    while (span >> bins.shift >= count) {
        ++bins.shift;
    }
    return bins;
}

static inline split_bins split_bins_between(float low, float high, uint32_t count) {
    const float width = high - low;
    if (!(low >= -FLT_MAX && high <= FLT_MAX && width <= FLT_MAX && width > 0x1p-100f)) {
        return split_bins_of_floats(low, high, count);
    }
    return (split_bins){.count = count, .of_equal_width = true, .low = low, .scale = (float)count / width};
}

#endif
