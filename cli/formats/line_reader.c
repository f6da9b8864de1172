#include "formats/line_reader.h"

#include <stdlib.h>
#include <string.h>

bool line_reader_begin(line_reader *lines, input_file *input, failure *why) {
    *lines = (line_reader){.input = input, .block = calloc(STREAM_BLOCK + 1, 1)};
    return lines->block != NULL || failure_memory(why);
}

void line_reader_end(line_reader *lines) {
    free(lines->block);
    lines->block = NULL;
}

static bool refill(line_reader *lines, failure *why) {
    size_t kept = lines->end - lines->begin;
    memmove(lines->block, lines->block + lines->begin, kept);
    size_t got;
    if (!input_read(lines->input, lines->block + kept, STREAM_BLOCK - kept, &got, why)) return false;
    lines->at_end = got < STREAM_BLOCK - kept;
    lines->begin = 0;
    lines->end = kept + got;
    return true;
}

static char *cut_line(line_reader *lines, char *end, size_t next) {
    char *line = lines->block + lines->begin;
    if (end > line && end[-1] == '\r') end--;
    *end = '\0';
    lines->line_end = end;
    lines->begin = next;
    lines->number++;
    return line;
}

bool line_reader_next(line_reader *lines, char **line, const char *expected, failure *why) {
    for (;;) {
        char *begin = lines->block + lines->begin;
        char *newline = memchr(begin, '\n', lines->end - lines->begin);
        if (newline != NULL) {
            *line = cut_line(lines, newline, (size_t)(newline + 1 - lines->block));
            return true;
        }
        if (lines->at_end) break;
        if (lines->begin == 0 && lines->end == STREAM_BLOCK) {
            return failure_set(why, STATUS_FAILED, "%s:%zu: the line is longer than %d bytes; expected %s",
                               lines->input->name, lines->number + 1, STREAM_BLOCK, expected);
        }
        if (!refill(lines, why)) return false;
    }
    *line = lines->begin == lines->end ? NULL : cut_line(lines, lines->block + lines->end, lines->end);
    return true;
}

bool line_reader_bytes(line_reader *lines, size_t size, const unsigned char **bytes, failure *why) {
    if (lines->end - lines->begin < size && !lines->at_end && !refill(lines, why)) return false;
    *bytes = NULL;
    if (lines->end - lines->begin < size) return true;
    *bytes = (const unsigned char *)lines->block + lines->begin;
    lines->begin += size;
    return true;
}

void line_reader_unread(line_reader *lines, size_t size) {
    lines->begin -= size;
}
