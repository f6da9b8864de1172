// Worlds and their streams, for the tests of saving and loading.
#ifndef BP_TESTS_WORLD_STREAMS_H
#define BP_TESTS_WORLD_STREAMS_H

#include "support/support.h"

enum { STREAM_PIECE = 16384 }; // bytes that the library may write or read at a time

// A stream in memory.
typedef struct stream {
    unsigned char *bytes;
    size_t size, capacity, position;
    size_t calls, fail_at; // the call that fails, from 1; 0: none
} stream;

int stream_write(void *context, const void *bytes, size_t size);
int stream_read(void *context, void *bytes, size_t size);
void stream_free(stream *s);
bool same_bytes(const stream *a, const stream *b);

stream save(const bp_world *world);
// Reads from the beginning. On failure *world must have become NULL.
bp_status try_load(const bp_config *config, stream *s, bp_world **world);
// May not fail.
bp_world *load(const bp_config *config, stream *s);
// Fails unless a world is saved as these bytes.
void expect_bytes(const bp_world *world, const stream *expected);

// Cubes that overlap a few others each.
void make_boxes(bp_box *boxes, size_t count);
bp_world *make_world(const bp_config *config, const bp_box *boxes, size_t count);
void remove_all(bp_world *world, const bp_id *ids, size_t count);
// A small world with everything in it: holes, objects, pairs, changes that no update has seen; if asked, 64-bit boxes.
bp_world *small_world(const bp_config *config, bool wide);
// Enough for several blocks of each kind.
bp_world *large_world(const bp_config *config);

#endif
