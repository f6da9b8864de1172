// Files in blocks, used by every reader and writer of the tool. "-" is standard input or output.
#ifndef TOOL_STREAM_H
#define TOOL_STREAM_H

#include "formats/input.h"

// Refuses what cannot be read: a missing file, a directory, an empty file.
bool input_open(input_file *input, const char *path, failure *why);
void input_close(input_file *input);
// A whole file, with a '\0' behind it; *text is to be freed, and NULL after a failure.
bool input_read_all(const char *path, char **text, size_t *size, failure *why);

// Writing never fails halfway through a caller's loop: the first error is kept, later writes do nothing, and
// output_close reports it. A long loop may check output_broken to stop early.
typedef struct output_file {
    const char *name;
    int file;
    int error_number;
    size_t used;
    char *block;
} output_file;

// Refuses a path that leads to one of the inputs, by whatever name: to be called before output_open, which empties it.
bool output_spares(const char *path, char *const *inputs, size_t count, failure *why);
bool output_open(output_file *output, const char *path, failure *why);
// Standard error, for what a person reads beside the data.
bool output_open_error(output_file *output, failure *why);
// Room for `size` bytes (at most STREAM_BLOCK); hand the end of what was written there to output_advance.
char *output_room(output_file *output, size_t size);
void output_advance(output_file *output, const char *end);
void output_bytes(output_file *output, const void *bytes, size_t size);
void output_text(output_file *output, const char *format, ...) TOOL_FORMAT(2, 3);
bool output_broken(const output_file *output);
// A file that could not be written whole is removed. That the reader of standard output has left is no failure.
bool output_close(output_file *output, failure *why);
// Closes and removes a file that will not become whole, for another reason.
void output_abandon(output_file *output);

#endif
