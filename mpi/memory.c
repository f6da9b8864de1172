#include "memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MESSAGE_MAX = 512 };

bool bpm_reserve(bpm_array *array, const bp_allocator *allocator, size_t kept, size_t count, size_t size) {
    if (count > SIZE_MAX / 2 / size) {
        return false;
    }
    const size_t needed = count * size;
    if (needed <= array->bytes) {
        return true;
    }
    const size_t bytes = array->bytes == 0 && kept == 0 && count > 1 ? needed : needed + needed / 4 + 64;
    void *memory = allocator->allocate(allocator->context, bytes);
    if (memory == NULL) {
        return false;
    }
    if (kept > 0) {
        memcpy(memory, array->data, kept);
    }
    bpm_release(array, allocator);
    *array = (bpm_array){.data = memory, .bytes = bytes};
    return true;
}

void bpm_release(bpm_array *array, const bp_allocator *allocator) {
    if (array->data != NULL) {
        allocator->release(allocator->context, array->data, array->bytes);
    }
    *array = (bpm_array){0};
}

void bpm_swap(bpm_array *a, bpm_array *b) {
    const bpm_array swapped = *a;
    *a = *b;
    *b = swapped;
}

void bpm_log(const bp_log *log, const char *format, ...) {
    if (log->write == NULL) {
        return;
    }
    char text[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->write(log->context, text);
}

double bpm_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
