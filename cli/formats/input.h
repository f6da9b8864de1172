// Bytes that are read from front to back: of a file (stream.h), or in memory. The readers of box files know no other source,
// so they work where there are no files, as in a browser.
#ifndef TOOL_INPUT_H
#define TOOL_INPUT_H

#include "formats/failure.h"

#include <stddef.h>
#include <stdint.h>

enum { STREAM_BLOCK = 1 << 20 };

typedef struct input_file input_file;
struct input_file {
    const char *name; // for messages
    bool (*read)(input_file *input, void *memory, size_t size, size_t *got, failure *why);
    int file;                   // its own of a file
    const unsigned char *bytes; // its own of memory
    bool size_known;
    uint64_t size; // where it is known
    uint64_t done; // bytes read so far
};

// Reads bytes that stay where they are until all is read.
void input_from_memory(input_file *input, const char *name, const void *bytes, size_t size);
// Reads `size` bytes, or fewer only at the end.
bool input_read(input_file *input, void *memory, size_t size, size_t *got, failure *why);
// All that is left, with a '\0' behind it; *bytes is to be freed, and NULL after a failure.
bool input_read_rest(input_file *input, char **bytes, size_t *size, failure *why);

#endif
