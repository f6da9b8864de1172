// Cache misses of a search, counted by a simulator: nearly the same on every machine, however busy it is.
#ifndef BENCH_CALLGRIND_H
#define BENCH_CALLGRIND_H

#include <stddef.h>
#include <stdint.h>

typedef struct callgrind_counts {
    uint64_t instructions;
    uint64_t near_lines; // cache lines read that were not in a first-level cache of 32 KiB, 8 ways
    uint64_t far_lines;  // of these, lines that were not in the second-level cache of 1 MiB, 16 ways, either
    size_t pairs;        // what the probe found
    uint64_t tests;
} callgrind_counts;

typedef enum callgrind_outcome {
    CALLGRIND_COUNTED,
    CALLGRIND_ABSENT, // this machine has no valgrind
    CALLGRIND_FAILED
} callgrind_outcome;

// Runs the cache probe, which lies beside this program, for one order of the boxes, one of the keys, and one kind of
// entries. Counts are those of the search alone, without building. On failure `why` holds the reason.
callgrind_outcome callgrind_run(const char *order, const char *keys, const char *entries, callgrind_counts *counts,
                                char *why, size_t why_size);

#endif
