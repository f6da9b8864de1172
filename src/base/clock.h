// Clocks: the time in seconds, for the figures in bp_stats and for tuning.
#ifndef BP_CLOCK_H
#define BP_CLOCK_H

#include <time.h>

static inline double bp_clock_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The processor time of the calling thread: the cost of its work, independent of other load on the machine.
static inline double bp_clock_thread_seconds(void) {
#if defined(_WIN32) // there it grows in steps of 16 ms, too coarse for tuning and for single tasks
    return bp_clock_seconds();
#else
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

#endif
