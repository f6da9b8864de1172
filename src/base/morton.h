// Z-curve keys (Morton 1966): the bits of a cell's coordinates, interleaved.
//
//     x = 1 0 1      spread by three   1 . . 0 . . 1
//     y = 0 1 1                          0 . . 1 . . 1      shifted by one
//     z = 1 1 0                            1 . . 1 . . 0    shifted by two
#ifndef BP_MORTON_H
#define BP_MORTON_H

#include <stdint.h>

// The bits of a number below 2^21, with two places between neighbours.
static inline uint64_t bp_spread_by_three(uint64_t bits) {
    bits = (bits | bits << 32) & 0x001f00000000ffffu;
    bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
}

// The bits of a number below 2^32, with one place between neighbours.
static inline uint64_t bp_spread_by_two(uint64_t bits) {
    bits = (bits | bits << 16) & 0x0000ffff0000ffffu;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0fu;
    bits = (bits | bits << 2) & 0x3333333333333333u;
    return (bits | bits << 1) & 0x5555555555555555u;
}

#endif
