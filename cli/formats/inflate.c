// A stream is blocks: plain bytes, or codes for bytes and for copies of earlier ones. The codes are Huffman's in canonical
// order: those of one length are consecutive numbers, so a table of how many codes each length has decodes them, a bit at a
// time.
#include "formats/inflate.h"

#include <string.h>

enum { CODE_BITS = 15, LITERALS = 288, DISTANCES = 32, END_OF_BLOCK = 256 };

typedef struct unpacker {
    const unsigned char *from, *from_end;
    unsigned char *begin, *to, *to_end;
    uint32_t bits; // read and not yet used, the next one lowest
    unsigned bit_count;
    bool is_bad;
} unpacker;

typedef struct codes {
    uint16_t counts[CODE_BITS + 1]; // codes of each length
    uint16_t symbols[LITERALS];     // in the order of their codes
} codes;

static uint32_t take_bits(unpacker *u, unsigned count) {
    while (u->bit_count < count) {
        if (u->from == u->from_end) {
            u->is_bad = true;
            return 0;
        }
        u->bits |= (uint32_t)*u->from++ << u->bit_count;
        u->bit_count += 8;
    }
    const uint32_t bits = u->bits & ((1u << count) - 1);
    u->bits >>= count;
    u->bit_count -= count;
    return bits;
}

// False if there are more codes than the lengths leave room for.
static bool make_codes(codes *made, const unsigned char *lengths, size_t count) {
    uint16_t next[CODE_BITS + 1] = {0};
    int32_t room = 1;
    memset(made->counts, 0, sizeof made->counts);
    for (size_t i = 0; i < count; i++) made->counts[lengths[i]]++;
    made->counts[0] = 0;
    for (size_t length = 1; length <= CODE_BITS; length++) {
        room = 2 * room - made->counts[length];
        if (room < 0) return false;
        next[length] = (uint16_t)(next[length - 1] + made->counts[length - 1]);
    }
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] != 0) made->symbols[next[lengths[i]]++] = (uint16_t)i;
    }
    return true;
}

static uint32_t take_symbol(unpacker *u, const codes *known) {
    uint32_t code = 0, first = 0, index = 0; // the first code of this length, and its place among the symbols
    for (size_t length = 1; length <= CODE_BITS && !u->is_bad; length++) {
        const uint32_t count = known->counts[length];
        code |= take_bits(u, 1);
        if (code < first + count) return known->symbols[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    u->is_bad = true;
    return END_OF_BLOCK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Blocks

static void copy_plain(unpacker *u) {
    u->bits = 0; // to the next byte; those that were read and not used are none
    u->bit_count = 0;
    const size_t left = (size_t)(u->from_end - u->from);
    const size_t size = left < 4 ? 0 : u->from[0] | (size_t)u->from[1] << 8;
    const size_t other = left < 4 ? 0 : u->from[2] | (size_t)u->from[3] << 8;
    if (left < 4 || (size ^ other) != 0xffff || size > left - 4 || size > (size_t)(u->to_end - u->to)) {
        u->is_bad = true;
        return;
    }
    memcpy(u->to, u->from + 4, size);
    u->from += 4 + size;
    u->to += size;
}

static void copy_earlier(unpacker *u, uint32_t symbol, const codes *distances) {
    static const uint16_t LENGTHS[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char LENGTH_BITS[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t FARS[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    if (symbol - 257 >= 29) {
        u->is_bad = true;
        return;
    }
    const size_t length = LENGTHS[symbol - 257] + take_bits(u, LENGTH_BITS[symbol - 257]);
    const uint32_t far = take_symbol(u, distances);
    if (u->is_bad || far >= 30) {
        u->is_bad = true;
        return;
    }
    const size_t distance = FARS[far] + take_bits(u, far < 2 ? 0 : far / 2 - 1);
    if (u->is_bad || distance > (size_t)(u->to - u->begin) || length > (size_t)(u->to_end - u->to)) {
        u->is_bad = true;
        return;
    }
    for (size_t i = 0; i < length; i++, u->to++) *u->to = u->to[-(ptrdiff_t)distance]; // they may overlap
}

static void unpack_block(unpacker *u, const codes *literals, const codes *distances) {
    for (;;) {
        const uint32_t symbol = take_symbol(u, literals);
        if (u->is_bad || symbol == END_OF_BLOCK) return;
        if (symbol > END_OF_BLOCK) {
            copy_earlier(u, symbol, distances);
        } else if (u->to == u->to_end) {
            u->is_bad = true;
        } else {
            *u->to++ = (unsigned char)symbol;
        }
    }
}

static void unpack_fixed(unpacker *u) {
    unsigned char lengths[LITERALS], far[DISTANCES];
    codes literals, distances;
    for (size_t i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(far, 5, sizeof far);
    (void)make_codes(&literals, lengths, LITERALS);
    (void)make_codes(&distances, far, DISTANCES);
    unpack_block(u, &literals, &distances);
}

// The lengths of the codes are packed themselves, by codes whose lengths come first.
static bool take_lengths(unpacker *u, unsigned char *lengths, size_t count) {
    static const unsigned char ORDER[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char own[19] = {0};
    codes known;
    const size_t own_count = take_bits(u, 4) + 4;
    for (size_t i = 0; i < own_count; i++) own[ORDER[i]] = (unsigned char)take_bits(u, 3);
    if (!make_codes(&known, own, 19)) return false;
    for (size_t i = 0; i < count;) {
        const uint32_t symbol = take_symbol(u, &known);
        if (u->is_bad || (symbol == 16 && i == 0)) return false;
        const size_t repeat = symbol < 16    ? 1
                              : symbol == 16 ? 3 + take_bits(u, 2)
                              : symbol == 17 ? 3 + take_bits(u, 3)
                                             : 11 + take_bits(u, 7);
        const unsigned char length = symbol < 16 ? (unsigned char)symbol : symbol == 16 ? lengths[i - 1] : 0;
        if (repeat > count - i) return false;
        memset(lengths + i, length, repeat);
        i += repeat;
    }
    return !u->is_bad;
}

static void unpack_own(unpacker *u) {
    unsigned char lengths[LITERALS + DISTANCES];
    codes literals, distances;
    const size_t literal_count = take_bits(u, 5) + 257, distance_count = take_bits(u, 5) + 1;
    if (literal_count > LITERALS || !take_lengths(u, lengths, literal_count + distance_count) ||
        !make_codes(&literals, lengths, literal_count) ||
        !make_codes(&distances, lengths + literal_count, distance_count)) {
        u->is_bad = true;
        return;
    }
    unpack_block(u, &literals, &distances);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the unpacker writes there
bool inflate_bytes(const unsigned char *packed, size_t packed_size, unsigned char *to, size_t size) {
    unpacker u = {.from = packed, .from_end = packed + packed_size, .begin = to, .to = to, .to_end = to + size};
    bool is_last = false;
    while (!is_last && !u.is_bad) {
        is_last = take_bits(&u, 1) != 0;
        switch (take_bits(&u, 2)) {
        case 0: copy_plain(&u); break;
        case 1: unpack_fixed(&u); break;
        case 2: unpack_own(&u); break;
        default: u.is_bad = true; break;
        }
    }
    return !u.is_bad && u.to == u.to_end;
}

uint32_t crc_of_bytes(const unsigned char *bytes, size_t size) {
    uint32_t table[256], crc = 0xffffffffu;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0xedb88320u : 0);
    }
    for (size_t i = 0; i < size; i++) crc = (crc >> 8) ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}
