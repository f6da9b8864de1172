// bench: creates scenes on the device and times each stage there with events.
//
// Bytes are what each stage must move through the device's memory if everything is read and written once; records
// gathered in random order count 32 bytes each. A copy measures the bandwidth first.
#include "tool.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct row {
    const char *scene;
    size_t count;
    uint64_t pairs;
    bp_cuda_stats stats; // of the run with the median time
    double kernels_ms, spread, gigabytes, share, bytes_per_object;
};

static double copy_bandwidth() {
    const size_t bytes = (size_t)4 << 30;
    void *from = nullptr, *to = nullptr;
    cudaEvent_t begin, end;
    float best = 1e30f;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    if (cudaMalloc(&from, bytes) == cudaSuccess && cudaMalloc(&to, bytes) == cudaSuccess) {
        cudaMemset(from, 1, bytes);
        for (int i = 0; i < 5; ++i) {
            float milliseconds = 0.0f;
            cudaEventRecord(begin);
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&milliseconds, begin, end);
            best = std::min(best, milliseconds);
        }
    }
    cudaFree(from);
    cudaFree(to);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return 2.0 * (double)bytes / ((double)best * 1e6); // GB/s
}

static double sum_of_stages(const bp_cuda_stats &s) {
    return (double)s.keys_ms + (double)s.sort_ms + (double)s.arrange_ms + (double)s.sweep_ms + (double)s.scan_ms;
}

static double gigabytes_for(size_t count, uint64_t pairs, const bp_cuda_stats &s) {
    const double key = s.key_bits > 32 ? 8.0 : 4.0, passes = (s.key_bits + 7) / 8, item = 16.0;
    const double keys = 24.0 + key + 4.0 + 8.0, sort = key + passes * 2.0 * (key + 4.0);
    const double arrange = 4.0 + 32.0 + 8.0 + 2.0 * key, sweep = key + 8.0 + 4.0;
    const double build = s.distributed > 0 ? 24.0 + 5.0 * item : keys + sort + arrange;
    return ((double)count * (build + sweep) + 8.0 * (double)s.cells + 8.0 * (double)pairs) * 1e-9;
}

static void print_head(double bandwidth) {
    printf("copy bandwidth %.0f GB/s; times in ms; all: from the first to the last kernel, planning on the host "
           "included\n",
           bandwidth);
    printf("%-18s %11s %12s %8s %7s %7s %8s %8s %7s %9s %9s %6s %7s %6s %6s %s\n", "scene", "n", "pairs", "plan",
           "keys", "sort", "arrange", "sweep", "scan", "kernels", "all", "spread", "GB", "of bw", "B/obj",
           "levels cells bits");
}

static void print_row(const row &r) {
    const bp_cuda_stats &s = r.stats;
    printf(
        "%-18s %11zu %12llu %8.3f %7.3f %7.3f %8.3f %8.3f %7.3f %9.3f %9.3f %5.1f%% %7.2f %5.0f%% %6.1f %zu %llu %u\n",
        r.scene, r.count, (unsigned long long)r.pairs, (double)s.plan_ms, (double)s.keys_ms, (double)s.sort_ms,
        (double)s.arrange_ms, (double)s.sweep_ms, (double)s.scan_ms, r.kernels_ms, (double)s.total_ms, 100.0 * r.spread,
        r.gigabytes, 100.0 * r.share, r.bytes_per_object, s.levels, (unsigned long long)s.cells, s.key_bits);
    fflush(stdout);
}

static void write_csv(FILE *file, const row &r) {
    const bp_cuda_stats &s = r.stats;
    fprintf(file, "%s,%zu,%llu,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.3f,%.3f,%.1f,%zu,%llu,%u,%u\n", r.scene,
            r.count, (unsigned long long)r.pairs, (double)s.plan_ms, (double)s.keys_ms, (double)s.sort_ms,
            (double)s.arrange_ms, (double)s.sweep_ms, (double)s.scan_ms, r.kernels_ms, (double)s.total_ms, r.spread,
            r.gigabytes, r.share, r.bytes_per_object, s.levels, (unsigned long long)s.cells, s.key_bits, s.distributed);
}

static void finish_row(row &r, std::vector<bp_cuda_stats> &runs, double bandwidth) {
    std::sort(runs.begin(), runs.end(),
              [](const bp_cuda_stats &a, const bp_cuda_stats &b) { return sum_of_stages(a) < sum_of_stages(b); });
    r.stats = runs[runs.size() / 2];
    r.kernels_ms = sum_of_stages(r.stats);
    r.spread = (sum_of_stages(runs.back()) - sum_of_stages(runs.front())) / r.kernels_ms;
    r.gigabytes = gigabytes_for(r.count, r.pairs, r.stats);
    r.share = r.gigabytes / (r.kernels_ms * 1e-3) / bandwidth;
    r.bytes_per_object = (double)r.stats.bytes / (double)r.count;
}

static bool fail(const char *what, bp_status status) {
    printf("%s: %s\n", what, bp_status_text(status));
    return false;
}

// Pairs are counted first, to size the buffer; pairs of identical boxes are only counted.
static bool bench_boxes(bp_cuda_context *context, const char *scene, size_t count, const tool_options *options,
                        double bandwidth, row &r) {
    bp_box *boxes = nullptr;
    bp_pair *pairs = nullptr;
    if (cudaMalloc(&boxes, (count + TOOL_WALLS) * sizeof(bp_box)) != cudaSuccess) {
        return fail(scene, BP_ERROR_MEMORY);
    }
    const size_t made = tool_scene_make(scene, count, options->seed, boxes);
    uint64_t found = 0, needed = 0;
    bp_status status = bp_cuda_find_pairs(context, boxes, made, nullptr, nullptr, 0, &needed);
    const bool counts = strcmp(scene, "identical") == 0;
    if (status == BP_OK && !counts && cudaMalloc(&pairs, (needed + 1) * sizeof(bp_pair)) != cudaSuccess) {
        status = BP_ERROR_MEMORY;
    }
    std::vector<bp_cuda_stats> runs;
    for (unsigned i = 0; i < options->repeats && status == BP_OK; ++i) {
        status = bp_cuda_find_pairs(context, boxes, made, nullptr, pairs, counts ? 0 : needed + 1, &found);
        bp_cuda_stats stats;
        (void)bp_cuda_get_stats(context, &stats);
        runs.push_back(stats);
    }
    (void)cudaGetLastError();
    cudaFree(boxes);
    cudaFree(pairs);
    if (status != BP_OK || found != needed) {
        return fail(scene, status);
    }
    r = {scene, made, found, {}, 0, 0, 0, 0, 0};
    finish_row(r, runs, bandwidth);
    return true;
}

static bool bench_points(bp_cuda_context *context, size_t count, const tool_options *options, double bandwidth,
                         row &r) {
    float *points = nullptr;
    uint64_t *offsets = nullptr, found = 0, plain_found = 0;
    uint32_t *indices = nullptr;
    const uint64_t capacity = 2 * (uint64_t)count;
    if (cudaMalloc(&points, 3 * count * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&offsets, (count + 1) * sizeof(uint64_t)) != cudaSuccess ||
        cudaMalloc(&indices, capacity * sizeof(uint32_t)) != cudaSuccess) {
        return fail("neighbors", BP_ERROR_MEMORY);
    }
    tool_points_make(count, options->seed, points);
    std::vector<bp_cuda_stats> runs;
    bp_status status = BP_OK;
    for (unsigned i = 0; i < options->repeats + 1 && status == BP_OK; ++i) { // the first warms up
        status = bp_cuda_find_neighbors(context, points, count, 1.0f, nullptr, offsets, indices, capacity, &found);
        bp_cuda_stats stats;
        (void)bp_cuda_get_stats(context, &stats);
        if (i > 0) {
            runs.push_back(stats);
        }
    }
    const float plain = tool_plain_neighbors(points, count, 1.0f, offsets, indices, capacity, &plain_found);
    cudaFree(points);
    cudaFree(offsets);
    cudaFree(indices);
    if (status != BP_OK) {
        return fail("neighbors", status);
    }
    r = {"neighbors", count, found, {}, 0, 0, 0, 0, 0};
    finish_row(r, runs, bandwidth);
    printf(
        "neighbors: a plain kernel takes %.3f ms and finds %llu; that is %.2f times the kernels here, %.2f times all\n",
        (double)plain, (unsigned long long)plain_found, (double)plain / r.kernels_ms,
        (double)plain / (double)r.stats.total_ms);
    return true;
}

int tool_bench(const tool_options *options) {
    static const char *const usual[] = {"uniform", "mixed", "more-polydisperse"};
    const size_t scene_count = options->scene_count > 0 ? options->scene_count : 3;
    const size_t count_count = options->count_count > 0 ? options->count_count : 1;
    bp_config config = {};
    config.log.write = tool_log;
    bp_cuda_context *context = nullptr;
    bp_status status = bp_cuda_create(&config, &context);
    if (status != BP_OK) {
        fprintf(stderr, "broadphase-cuda: %s\n", bp_status_text(status));
        return 1;
    }
    (void)bp_cuda_measure(context, 1);
    FILE *file = options->csv != nullptr ? fopen(options->csv, "a") : nullptr;
    if (file != nullptr && ftell(file) == 0) {
        fprintf(file, "scene,n,pairs,plan_ms,keys_ms,sort_ms,arrange_ms,sweep_ms,scan_ms,kernels_ms,all_ms,spread,gb,"
                      "share_of_bandwidth,bytes_per_object,levels,cells,key_bits,distributed\n");
    }
    const double bandwidth = copy_bandwidth();
    bool good = true;
    print_head(bandwidth);
    for (size_t s = 0; s < scene_count; ++s) {
        const char *scene = options->scene_count > 0 ? options->scenes[s] : usual[s];
        for (size_t i = 0; i < count_count; ++i) {
            const size_t count = options->count_count > 0 ? options->counts[i] : 1000000;
            row r;
            const bool points = strcmp(scene, "neighbors") == 0;
            const bool done = points                    ? bench_points(context, count, options, bandwidth, r)
                              : tool_scene_known(scene) ? bench_boxes(context, scene, count, options, bandwidth, r)
                                                        : fail(scene, BP_ERROR_ARGUMENT);
            good = good && done;
            if (done) {
                print_row(r);
                if (file != nullptr) {
                    write_csv(file, r);
                }
            }
        }
    }
    if (file != nullptr) {
        fclose(file);
    }
    bp_cuda_destroy(context);
    return good ? 0 : 1;
}
