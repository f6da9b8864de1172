#include "world/save/section_stream.h"

#include <assert.h>
#include <string.h>

// ---- numbers: byte by byte, so that they are the same on every machine ----------------------------------------------

void bp_store_u32(unsigned char *to, uint32_t value) {
    for (int i = 0; i < 4; ++i) {
        to[i] = (unsigned char)(value >> 8 * i);
    }
}

void bp_store_u64(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; ++i) {
        to[i] = (unsigned char)(value >> 8 * i);
    }
}

void bp_store_float(unsigned char *to, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bp_store_u32(to, bits);
}

void bp_store_double(unsigned char *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bp_store_u64(to, bits);
}

uint32_t bp_load_u32(const unsigned char *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

uint64_t bp_load_u64(const unsigned char *from) {
    return (uint64_t)bp_load_u32(from) | (uint64_t)bp_load_u32(from + 4) << 32;
}

float bp_load_float(const unsigned char *from) {
    const uint32_t bits = bp_load_u32(from);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double bp_load_double(const unsigned char *from) {
    const uint64_t bits = bp_load_u64(from);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ---- checksum -------------------------------------------------------------------------------------------------------

static uint64_t rotate(uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
}

static uint64_t mix_into_checksum(uint64_t sum, uint64_t word) {
    const uint64_t prime_1 = 0x9E3779B185EBCA87u, prime_2 = 0xC2B2AE3D27D4EB4Fu, prime_4 = 0x85EBCA77C2B2AE63u;
    return rotate(sum ^ rotate(word * prime_2, 31) * prime_1, 27) * prime_1 + prime_4;
}

// Continues a sum over one frame. The length of the frame is included, so that zeros at its end make a difference.
static uint64_t add_to_checksum(uint64_t sum, const unsigned char *bytes, size_t count) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        sum = mix_into_checksum(sum, bp_load_u64(bytes + i));
    }
    unsigned char tail[8] = {0};
    memcpy(tail, bytes + i, count - i);
    return mix_into_checksum(mix_into_checksum(sum, bp_load_u64(tail)), count);
}

// ---- writing --------------------------------------------------------------------------------------------------------

// A full frame does not fit into one call with its sum.
static size_t next_piece(size_t size) {
    return size < BP_FRAME_BYTES ? size : BP_FRAME_BYTES;
}

static void write_sealed_frame(bp_section_writer *writer) {
    writer->sum = add_to_checksum(writer->sum, writer->frame, writer->used);
    bp_store_u64(writer->frame + writer->used, writer->sum);
    const size_t size = writer->used + BP_SUM_BYTES;
    for (size_t done = 0, some = 0; done < size && !writer->failed; done += some) {
        some = next_piece(size - done);
        writer->failed = writer->write(writer->context, writer->frame + done, some) == 0;
        writer->written += writer->failed ? 0 : some;
    }
    writer->used = 0;
}

unsigned char *bp_section_put(bp_section_writer *writer, size_t item_bytes) {
    assert(item_bytes <= BP_FRAME_BYTES);
    if (item_bytes > BP_FRAME_BYTES - writer->used) {
        write_sealed_frame(writer);
    }
    unsigned char *item = writer->frame + writer->used;
    writer->used += item_bytes;
    return item;
}

bool bp_section_end(bp_section_writer *writer) {
    if (writer->used > 0) {
        write_sealed_frame(writer);
    }
    return !writer->failed;
}

// ---- reading --------------------------------------------------------------------------------------------------------

void bp_section_begin(bp_section_reader *reader, uint64_t item_count, size_t item_bytes) {
    assert(item_bytes > 0 && item_bytes <= BP_FRAME_BYTES && reader->begin == reader->end);
    reader->items_left = item_count;
    reader->item_bytes = item_bytes;
}

static bool read_bytes(const bp_section_reader *reader, unsigned char *to, size_t size) {
    bool filled = true;
    for (size_t done = 0, some = 0; done < size && filled; done += some) {
        some = next_piece(size - done);
        filled = reader->read(reader->context, to + done, some) != 0;
    }
    return filled;
}

static bool read_frame(bp_section_reader *reader) {
    const size_t most = BP_FRAME_BYTES / reader->item_bytes;
    const size_t items = reader->items_left < most ? (size_t)reader->items_left : most;
    const size_t size = items * reader->item_bytes;
    if (!read_bytes(reader, reader->frame, size + BP_SUM_BYTES)) {
        reader->state = BP_STREAM_CUT;
        return false;
    }
    reader->sum = add_to_checksum(reader->sum, reader->frame, size);
    if (reader->sum != bp_load_u64(reader->frame + size)) {
        reader->state = BP_STREAM_ALTERED;
        return false;
    }
    reader->bytes_read += size + BP_SUM_BYTES;
    reader->items_left -= items;
    reader->begin = 0;
    reader->end = size;
    return true;
}

const unsigned char *bp_section_take(bp_section_reader *reader) {
    assert(reader->items_left > 0 || reader->begin < reader->end);
    if (reader->state != BP_STREAM_SOUND || (reader->begin == reader->end && !read_frame(reader))) {
        return NULL;
    }
    const unsigned char *item = reader->frame + reader->begin;
    reader->begin += reader->item_bytes;
    return item;
}
