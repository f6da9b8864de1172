// The native library's time for a scene that moves, for the ratio to WebAssembly.
// usage: native_time COUNT SIMD DIMENSIONS      boxes of each step, COUNT at a time, on standard input
// Prints, for each step, milliseconds of processor time and the number of pairs.
#define _POSIX_C_SOURCE 200809L

#include <broadphase/broadphase.h>
#include <broadphase/broadphase_methods.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double milliseconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const size_t count = strtoul(argv[1], NULL, 10);
    const bp_method_settings settings = {.simd = (bp_simd)strtoul(argv[2], NULL, 10)};
    const bp_config config = {.settings = &settings, .dimensions = (uint32_t)strtoul(argv[3], NULL, 10)};
    bp_box *boxes = malloc(count * sizeof *boxes);
    bp_pairs pairs = {0};
    if (boxes == NULL) return 1;
    while (fread(boxes, sizeof *boxes, count, stdin) == count) {
        const double start = milliseconds();
        if (bp_find_pairs(boxes, count, &config, &pairs) != BP_OK) return 1;
        printf("%.6f %zu\n", milliseconds() - start, pairs.count);
    }
    bp_pairs_free(&pairs, NULL);
    free(boxes);
    return 0;
}
