// What the C++ standard library has to offer, for the suites `gissler` and `zhyhallo`.
#ifndef BENCH_STANDARD_H
#define BENCH_STANDARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// std::sort of numbers, ascending.
void standard_sort(uint64_t *values, size_t count);

#ifdef __cplusplus
}
#endif

#endif
