#include "formats/input.h"

#include <stdlib.h>
#include <string.h>

static bool read_memory(input_file *input, void *memory, size_t size, size_t *got, failure *why) {
    const uint64_t left = input->size - input->done;
    (void)why;
    *got = left < size ? (size_t)left : size;
    if (*got > 0) memcpy(memory, input->bytes + input->done, *got);
    return true;
}

void input_from_memory(input_file *input, const char *name, const void *bytes, size_t size) {
    *input = (input_file){.name = name, .read = read_memory, .bytes = bytes, .size_known = true, .size = size};
}

bool input_read(input_file *input, void *memory, size_t size, size_t *got, failure *why) {
    const bool good = input->read(input, memory, size, got, why);
    input->done += *got;
    return good;
}

static bool read_to_end(input_file *input, char **bytes, size_t *size, failure *why) {
    size_t room = 0, got = 0;
    *size = 0;
    do {
        room += room == 0 ? STREAM_BLOCK : room;
        char *grown = realloc(*bytes, room + 1);
        if (grown == NULL) return failure_memory(why);
        *bytes = grown;
        if (!input_read(input, *bytes + *size, room - *size, &got, why)) return false;
        *size += got;
    } while (*size == room);
    (*bytes)[*size] = '\0';
    return true;
}

bool input_read_rest(input_file *input, char **bytes, size_t *size, failure *why) {
    *bytes = NULL;
    if (read_to_end(input, bytes, size, why)) return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}
