// Scenes made on the device, for sizes that would take the host minutes. They have the same distributions as those of
// scenes/, but other random numbers, and spheres may overlap.
#include "tool.h"

#include <cmath>
#include <cstring>

enum { THREADS = 256, SIZES = 4 };

struct device_scene {
    double edge;
    float smallest, largest; // sizes are uniform between these, unless there are groups
    int group_count;
    double shares[SIZES]; // of all boxes, cumulative
    float sizes[SIZES];
    bool same; // all boxes are identical
};

static __host__ __device__ uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ull;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebull;
    return word ^ (word >> 31);
}

static __device__ double unit(uint64_t seed, uint64_t index, uint64_t draw) {
    return (double)(mix(mix(seed + 0x9e3779b97f4a7c15ull) + (8 * index + draw) * 0x9e3779b97f4a7c15ull) >> 11) *
           0x1p-53;
}

static __device__ float size_of(const device_scene &s, uint64_t seed, uint64_t index) {
    const double chance = unit(seed, index, 3);
    if (s.group_count == 0) {
        return s.smallest + (s.largest - s.smallest) * (float)chance;
    }
    int group = 0;
    while (group + 1 < s.group_count && chance >= s.shares[group]) {
        ++group;
    }
    return s.sizes[group];
}

static __global__ void make_boxes(device_scene s, size_t count, uint64_t seed, bp_box *boxes) {
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i < count) {
        const uint64_t who = s.same ? 0 : i;
        const double half = 0.5 * (double)size_of(s, seed, who);
        for (int axis = 0; axis < 3; ++axis) {
            const double center = s.edge * unit(seed, who, (uint64_t)axis);
            boxes[i].min[axis] = (float)(center - half);
            boxes[i].max[axis] = (float)(center + half);
        }
    }
}

static __global__ void make_points(double edge, size_t count, uint64_t seed, float *points) {
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i < count) {
        for (int axis = 0; axis < 3; ++axis) {
            points[3 * i + axis] = (float)(edge * unit(seed, i, (uint64_t)axis));
        }
    }
}

// The probability that two cubes with sizes uniform in [smallest, largest] overlap, centres uniform in a cube.
static double chance_of_overlap(double smallest, double largest, double edge) {
    enum { STEPS = 64 };
    double sum = 0.0;
    for (int i = 0; i < STEPS * STEPS; ++i) {
        const double a = smallest + (largest - smallest) * (i / STEPS + 0.5) / STEPS;
        const double b = smallest + (largest - smallest) * (i % STEPS + 0.5) / STEPS;
        const double part = fmin((a + b) / edge - (a + b) * (a + b) / (4.0 * edge * edge), 1.0);
        sum += part * part * part;
    }
    return sum / (STEPS * STEPS);
}

static double edge_for_two_pairs(double smallest, double largest, double count) {
    double low = largest, high = largest;
    while (0.5 * count * chance_of_overlap(smallest, largest, high) > 2.0) {
        high *= 2.0;
    }
    for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        (0.5 * count * chance_of_overlap(smallest, largest, middle) > 2.0 ? low : high) = middle;
    }
    return high;
}

bool tool_scene_known(const char *name) {
    return strcmp(name, "uniform") == 0 || strcmp(name, "mixed") == 0 || strcmp(name, "more-polydisperse") == 0 ||
           strcmp(name, "identical") == 0;
}

static void add_walls(double edge, bp_box *boxes) {
    bp_box walls[TOOL_WALLS];
    for (int wall = 0; wall < TOOL_WALLS; ++wall) {
        walls[wall] = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        (wall % 2 == 0 ? walls[wall].max : walls[wall].min)[wall / 2] = wall % 2 == 0 ? 0.0f : (float)edge;
    }
    cudaMemcpy(boxes, walls, sizeof walls, cudaMemcpyHostToDevice);
}

size_t tool_scene_make(const char *name, size_t count, uint64_t seed, bp_box *boxes) {
    device_scene s = {};
    s.smallest = 1.0f;
    s.largest = strcmp(name, "mixed") == 0 ? 12.0f : 1.0f;
    const bool groups = strcmp(name, "more-polydisperse") == 0;
    if (groups) {
        const double shares[SIZES] = {0.004, 0.04, 0.2, 1.0};
        const float sizes[SIZES] = {40.0f, 5.0f, 2.0f, 1.0f};
        s.group_count = SIZES;
        memcpy(s.shares, shares, sizeof shares);
        memcpy(s.sizes, sizes, sizeof sizes);
        s.edge = 400.0 * cbrt((double)count / 80000.0);
    } else {
        s.edge = edge_for_two_pairs((double)s.smallest, (double)s.largest, (double)count);
    }
    s.same = strcmp(name, "identical") == 0;
    make_boxes<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS>>>(s, count, seed, boxes);
    if (groups) {
        add_walls(s.edge, boxes + count);
    }
    cudaDeviceSynchronize();
    return count + (groups ? (size_t)TOOL_WALLS : 0);
}

void tool_points_make(size_t count, uint64_t seed, float *points) {
    const double edge = cbrt((double)count / 0.1);
    make_points<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS>>>(edge, count, seed, points);
    cudaDeviceSynchronize();
}
