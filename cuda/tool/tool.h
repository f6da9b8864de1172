// Shared by the files of the tool broadphase-cuda.
#ifndef BP_CUDA_TOOL_H
#define BP_CUDA_TOOL_H

#include <broadphase/broadphase_cuda.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TOOL_LIST = 32 };

typedef struct tool_options {
    const char *scenes[TOOL_LIST]; // none: all, or the command's defaults
    size_t scene_count;
    size_t counts[TOOL_LIST];
    size_t count_count;
    unsigned repeats;
    uint64_t seed;
    const char *csv;
    bool quick; // verify: pairs only
} tool_options;

int tool_bench(const tool_options *options);
int tool_verify(const tool_options *options);

// Makes a scene on the device. `boxes` is device memory for `count` boxes and some walls; returns how many were made.
enum { TOOL_WALLS = 6 };
bool tool_scene_known(const char *name);
size_t tool_scene_make(const char *name, size_t count, uint64_t seed, bp_box *boxes);
void tool_points_make(size_t count, uint64_t seed, float *points);

// Finds neighbours with a plain kernel: one thread per point, 27 cells, twice. Returns milliseconds, negative on
// failure.
float tool_plain_neighbors(const float *points, size_t count, float radius, uint64_t *offsets, uint32_t *indices,
                           uint64_t capacity, uint64_t *found);

// Sends the log to standard error.
void tool_log(void *context, const char *text);

#ifdef __cplusplus
}
#endif

#endif
