// A stream of items with checksums, for saved worlds.
//
//     section | frame | sum | frame | sum | ... | frame | sum |       section | frame | sum | ...
//
// A section is a number of items of one size; writer and reader know both from what came before. A frame is as many
// whole items as fit into 16 KiB, or those that are left. A sum covers all items before it. So a reader needs one
// frame of memory, uses no item that has not been checked, and trusts no length: it requests memory only as items
// arrive. The caller's functions never get more than 16 KiB at a time: a full frame and its sum are two calls.
//
// The checksum processes eight bytes at a time, with the step that XXH64 uses for the last words of its input (Y.
// Collet, https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md). Each step is one-to-one in the sum so far and in the
// word: so a change within one word is always detected, and any other change except one in about 2^64. It does not
// protect against forgery: the reader must check the contents of items.
//
// Numbers are little-endian, floats are their IEEE 754 bits.
#ifndef BP_SECTION_STREAM_H
#define BP_SECTION_STREAM_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

enum { BP_FRAME_BYTES = 16384, BP_SUM_BYTES = 8 };

typedef struct bp_section_writer {
    bp_write write;
    void *context;
    uint64_t sum; // of all bytes before this frame
    size_t used;  // bytes of the frame
    bool failed;  // `write` has failed: nothing more is written
    uint64_t written;
    unsigned char frame[BP_FRAME_BYTES + BP_SUM_BYTES];
} bp_section_writer;

// Room for the next item of the section, of `item_bytes` bytes. Never NULL.
unsigned char *bp_section_put(bp_section_writer *writer, size_t item_bytes);
// Ends a section. False if a write has failed.
bool bp_section_end(bp_section_writer *writer);

typedef enum bp_stream_state { BP_STREAM_SOUND = 0, BP_STREAM_CUT, BP_STREAM_ALTERED } bp_stream_state;

typedef struct bp_section_reader {
    bp_read read;
    void *context;
    uint64_t sum; // of all bytes before this frame
    bp_stream_state state;
    uint64_t bytes_read;
    uint64_t items_left; // of the section, beyond this frame
    size_t item_bytes;
    size_t begin, end; // of the items that are left in the frame
    unsigned char frame[BP_FRAME_BYTES + BP_SUM_BYTES];
} bp_section_reader;

// Begins a section.
void bp_section_begin(bp_section_reader *reader, uint64_t item_count, size_t item_bytes);
// The next item of the section, valid until the next call; NULL if the stream ends there or was altered.
const unsigned char *bp_section_take(bp_section_reader *reader);

// ---- numbers --------------------------------------------------------------------------------------------------------

void bp_store_u32(unsigned char *to, uint32_t value);
void bp_store_u64(unsigned char *to, uint64_t value);
void bp_store_float(unsigned char *to, float value);
void bp_store_double(unsigned char *to, double value);

uint32_t bp_load_u32(const unsigned char *from);
uint64_t bp_load_u64(const unsigned char *from);
float bp_load_float(const unsigned char *from);
double bp_load_double(const unsigned char *from);

#endif
