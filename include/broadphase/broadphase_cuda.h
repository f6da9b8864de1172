/// broadphase on a GPU: the same question, for boxes that already lie in the memory of a CUDA device.
///
///     bp_cuda_context *context = NULL;
///     bp_status status = bp_cuda_create(&config, &context);          // once; it keeps its memory between calls
///     uint64_t found = 0;
///     status = bp_cuda_find_pairs(context, device_boxes, count, stream, device_pairs, capacity, &found);
///     bp_cuda_destroy(context);
///
/// A library of its own, libbroadphase_cuda; plain C, no CUDA header is needed to use it. Rules that hold for every call:
///   - Pairs are those of bp_find_pairs: every one, exactly once, or a status.
///   - The same input gives the same bytes in the same order (by cell), on every run.
///   - When the buffer is short, BP_ERROR_CAPACITY, and *found is the number needed; what the buffer then holds is
///     undefined. With no buffer (NULL, capacity 0) pairs are counted: BP_OK.
///   - Where no CUDA device is, every call returns BP_ERROR_UNSUPPORTED and the log says so. An error of CUDA's is
///     BP_ERROR_INTERNAL with its text in the log; memory short is BP_ERROR_MEMORY with the bytes needed in the log.
///     The context can be used again after each of these.
///   - Calls return when their result is there. One context serves one thread at a time.
#ifndef BROADPHASE_CUDA_H
#define BROADPHASE_CUDA_H

#include "broadphase.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Memory on the device, and what was planned. Opaque.
typedef struct bp_cuda_context bp_cuda_context;

/// A cudaStream_t, as CUDA defines it. NULL is the default stream.
typedef struct CUstream_st *bp_cuda_stream;

/// Creates a context on the current device. Of the config, dimensions, period, pair_order, allocator and log matter, and
/// flags for BP_NEIGHBORS_HALF; `config` may be NULL. Margins, spheres and filter functions are BP_ERROR_UNSUPPORTED.
/// On failure *context is NULL.
BP_API bp_status bp_cuda_create(const bp_config *config, bp_cuda_context **context);

/// Releases a context and its memory. NULL is fine.
BP_API void bp_cuda_destroy(bp_cuda_context *context);

/// Filters for the calls that follow: what each box is, as arrays on the device that stay the caller's and must live as
/// long as they are used; NULL: no filter. `second` is for the second set of bp_cuda_find_pairs_between.
BP_API bp_status bp_cuda_set_objects(bp_cuda_context *context, const bp_object *first, const bp_object *second);

/// Finds every pair of overlapping boxes among boxes[0 .. count) on the device and writes them to pairs[0 .. capacity)
/// on the device. Fails as bp_find_pairs does.
BP_API bp_status bp_cuda_find_pairs(bp_cuda_context *context, const bp_box *boxes, size_t count, bp_cuda_stream stream,
                                    bp_pair *pairs, uint64_t capacity, uint64_t *found);

/// Finds every pair of a box of `a` and a box of `b` that overlap; pair.a is from the first set, pair.b from the second.
BP_API bp_status bp_cuda_find_pairs_between(bp_cuda_context *context, const bp_box *a, size_t a_count, const bp_box *b,
                                            size_t b_count, bp_cuda_stream stream, bp_pair *pairs, uint64_t capacity,
                                            uint64_t *found);

/// Finds the neighbours of each point as bp_find_neighbors does (x, y, z one after the other; everything on the device):
/// those of point i are indices[offsets[i] .. offsets[i + 1]), ascending; `offsets` has count + 1 entries and is always
/// filled. When `indices` is short, BP_ERROR_CAPACITY and *found is the number needed; NULL with capacity 0 counts.
BP_API bp_status bp_cuda_find_neighbors(bp_cuda_context *context, const float *points_xyz, size_t count, float radius,
                                        bp_cuda_stream stream, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                        uint64_t *found);

/// The same for arrays in the host's memory, copied there and back in blocks while others are under way. The device
/// memory for them stays with the context.
BP_API bp_status bp_cuda_find_pairs_host(bp_cuda_context *context, const bp_box *boxes, size_t count, bp_pair *pairs,
                                         uint64_t capacity, uint64_t *found);
BP_API bp_status bp_cuda_find_pairs_between_host(bp_cuda_context *context, const bp_box *a, size_t a_count,
                                                 const bp_box *b, size_t b_count, bp_pair *pairs, uint64_t capacity,
                                                 uint64_t *found);
BP_API bp_status bp_cuda_find_neighbors_host(bp_cuda_context *context, const float *points_xyz, size_t count,
                                             float radius, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                             uint64_t *found);

/// Bytes on the device that a context takes at most to find the pairs of so many boxes, or the neighbours of so many
/// points: boxes, points and results not counted. (Between two sets: of both together.) Where there is less, many boxes
/// are sorted in less memory, and more slowly. Needs no device.
BP_API uint64_t bp_cuda_memory_needed(size_t count);

/// What the last call did, and how long each of its stages took on the device. Times are 0 unless bp_cuda_measure asked
/// for them.
typedef struct bp_cuda_stats {
    float plan_ms;    ///< a sample of boxes to the host, and levels chosen there
    float keys_ms;    ///< the level and cell of each box; many boxes: distributed to parts of space
    float sort_ms;    ///< (key, index) by key; many boxes: the parts distributed to buckets
    float arrange_ms; ///< what the sweep needs, in the order of cells, and the table of cells
    float sweep_ms;   ///< pairs inside the grids
    float scan_ms;    ///< pairs of boxes that fit no grid: infinite ones
    float total_ms;   ///< from the first to the last, gaps included
    size_t levels;    ///< grids that were planned
    uint64_t cells;   ///< in all of them
    uint32_t key_bits;
    uint32_t distributed; ///< sets of boxes that were distributed, because they are many and even, and not sorted
    size_t bytes;         ///< held by the context on the device
} bp_cuda_stats;

/// Whether stages are timed from now on: costs a few microseconds a call.
BP_API bp_status bp_cuda_measure(bp_cuda_context *context, int on);
BP_API bp_status bp_cuda_get_stats(const bp_cuda_context *context, bp_cuda_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
