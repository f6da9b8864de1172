#include "base/memory.h"

#include <string.h>

size_t bp_size_multiply(size_t a, size_t b) {
    return (b != 0 && a > SIZE_MAX / b) ? SIZE_MAX : a * b;
}

size_t bp_size_add(size_t a, size_t b) {
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static bool grow_buffer(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t bytes) {
    void *data = bytes == SIZE_MAX ? NULL : allocator->allocate(allocator->context, bytes);
    if (data == NULL) {
        return false;
    }
    if (kept > 0) {
        memcpy(data, buffer->data, kept);
    }
    bp_buffer_free(buffer, allocator);
    *buffer = (bp_buffer){.data = data, .bytes = bytes};
    return true;
}

bool bp_buffer_reserve(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t count, size_t size) {
    const size_t bytes = bp_size_multiply(count, size);
    return bytes <= buffer->bytes || grow_buffer(buffer, allocator, kept, bytes);
}

bool bp_buffer_reserve_slack(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t count, size_t size) {
    const size_t bytes = bp_size_multiply(count, size);
    if (bytes <= buffer->bytes) {
        return true;
    }
    const size_t slack = bytes / 4 < SIZE_MAX - bytes ? bytes / 4 : 0;
    return grow_buffer(buffer, allocator, kept, bytes + slack) || grow_buffer(buffer, allocator, kept, bytes);
}

void bp_buffer_free(bp_buffer *buffer, const bp_allocator *allocator) {
    if (buffer->data != NULL) {
        allocator->release(allocator->context, buffer->data, buffer->bytes);
    }
    *buffer = (bp_buffer){0};
}

void bp_buffer_swap(bp_buffer *a, bp_buffer *b) {
    const bp_buffer swapped = *a;
    *a = *b;
    *b = swapped;
}
