// Samples: one item of each interval of an array, at a varying place in it. Items often come in a pattern: rows of a mesh, types
// of objects in turns. Multiples of the golden ratio alone would be in step with some of them; so places are hashed.
// The first item is always one of the sample: a floor, or what surrounds all others, is often added first.
#ifndef BP_SAMPLE_H
#define BP_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

// The place of sampled item i of `wanted`, of which there are at most `count`, and count < 2^32.
static inline size_t bp_sample_place(size_t count, size_t i, size_t wanted) {
    const uint64_t interval = ((uint64_t)count << 32) / wanted; // in 1 / 2^32: a division for all items, not for each
    uint32_t hash = (uint32_t)i * 0x9e3779b1u;
    hash = (hash ^ hash >> 15) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return (size_t)((i * interval >> 32) + (hash * (interval >> 32) >> 32));
}

#endif
