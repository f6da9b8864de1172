#include "formats/input.h"

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
