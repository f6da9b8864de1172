// A text file, line by line, or a text with bytes behind it: read in blocks, cut into lines in place.
#ifndef TOOL_LINE_READER_H
#define TOOL_LINE_READER_H

#include "formats/input.h"

typedef struct line_reader {
    input_file *input;
    char *block; // STREAM_BLOCK bytes and one for a '\0'
    size_t begin, end;
    bool at_end;   // of the file
    size_t number; // of the line last read, from 1
    const char *line_end;
} line_reader;

bool line_reader_begin(line_reader *lines, input_file *input, failure *why);
void line_reader_end(line_reader *lines);
// Sets *line to the next line, without its end and with a '\0' instead, or to NULL at the end of the file. It stays
// where it is until the next call. `expected` says what kind of file it should be, if a line is too long.
bool line_reader_next(line_reader *lines, char **line, const char *expected, failure *why);
// Sets *bytes to the next `size` bytes (few), or to NULL if the file ends before: for data behind lines.
bool line_reader_bytes(line_reader *lines, size_t size, const unsigned char **bytes, failure *why);
// Takes back the bytes that were read last, as they are still there.
void line_reader_unread(line_reader *lines, size_t size);

#endif
