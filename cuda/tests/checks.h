// Shared by the tests of the CUDA back end: checks that print and count failures.
#ifndef BP_CUDA_CHECKS_H
#define BP_CUDA_CHECKS_H

#include <broadphase/broadphase_cuda.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

static int failures;

// An array on the device (device_memory.cu).
void *bp_cuda_test_copy(const void *from, size_t bytes);
void bp_cuda_test_back(void *to, const void *there, size_t bytes);
void bp_cuda_test_free(void *there);

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            ++failures;                                                                                                \
            printf("%s:%d: " #condition ": ", __FILE__, __LINE__);                                                     \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
        }                                                                                                              \
    } while (0)

static inline void keep_log(void *context, const char *text) {
    (void)snprintf(context, 512, "%s", text);
}

static inline int compare_pairs(const void *left, const void *right) {
    const bp_pair *a = left, *b = right;
    if (a->a != b->a) {
        return a->a < b->a ? -1 : 1;
    }
    return a->b < b->b ? -1 : a->b > b->b;
}

static inline uint64_t next_random(uint64_t *state) {
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

static inline float random_between(uint64_t *state, float low, float high) {
    return low + (high - low) * (float)(next_random(state) >> 40) * 0x1p-24f;
}

// How short a test shall be: 0, 1 or 2 (CONTRIBUTING.md).
static inline int quick(void) {
    const char *word = getenv("BP_TEST_QUICK");
    return word != NULL ? atoi(word) : 0;
}

// True if there is no device: then the program ends as skipped.
static inline bool no_device(void) {
    bp_cuda_context *context = NULL;
    const bp_status status = bp_cuda_create(NULL, &context);
    bp_cuda_destroy(context);
    if (status == BP_ERROR_UNSUPPORTED) {
        printf("no CUDA device: skipped\n");
    }
    return status == BP_ERROR_UNSUPPORTED;
}

#endif
