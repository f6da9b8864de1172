/// broadphase on a GPU: finds pairs of boxes in the memory of a CUDA device.
///
///     bp_cuda_context *context = NULL;
///     bp_status status = bp_cuda_create(&config, &context);          // once; it keeps its memory between calls
///     uint64_t found = 0;
///     status = bp_cuda_find_pairs(context, device_boxes, count, stream, device_pairs, capacity, &found);
///     bp_cuda_destroy(context);
///
/// The library is libbroadphase_cuda. Its interface is plain C and needs no CUDA header. Rules that hold for every
/// call:
///   - The pairs are those of bp_find_pairs: every pair exactly once, or an error status.
///   - The same input gives the same bytes in the same order (by cell), on every run.
///   - If the buffer is too small, the status is BP_ERROR_CAPACITY, *found is the number needed, and the buffer's
///     contents are undefined. Without a buffer (NULL, capacity 0) pairs are only counted: BP_OK.
///   - Without a CUDA device, every call returns BP_ERROR_UNSUPPORTED and says so in the log. An error of CUDA gives
///     BP_ERROR_INTERNAL, with its text in the log; too little memory gives BP_ERROR_MEMORY, with the bytes needed.
///     The context remains usable after each of these.
///   - Calls return when their result is complete. Use a context from one thread at a time.
#ifndef BROADPHASE_CUDA_H
#define BROADPHASE_CUDA_H

#include <broadphase/broadphase.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Device memory and a plan, kept between calls. Opaque.
typedef struct bp_cuda_context bp_cuda_context;

/// A cudaStream_t, as CUDA defines it. NULL is the default stream.
typedef struct CUstream_st *bp_cuda_stream;

/// Creates a context on the current device. Of the config it uses dimensions, period, pair_order, radius_rule, allocator,
/// log and the flag BP_NEIGHBORS_HALF; `config` may be NULL. Margins, spheres and filter functions give BP_ERROR_UNSUPPORTED.
/// On failure *context is NULL.
BP_API bp_status bp_cuda_create(const bp_config *config, bp_cuda_context **context);

/// Destroys a context and frees its memory. NULL is fine.
BP_API void bp_cuda_destroy(bp_cuda_context *context);

/// Sets the filters for later calls: an object per box, as arrays on the device, which the caller owns and must keep
/// while they are in use; NULL: no filter. `second` is for the second set of bp_cuda_find_pairs_between.
BP_API bp_status bp_cuda_set_objects(bp_cuda_context *context, const bp_object *first, const bp_object *second);

/// Finds every pair of overlapping boxes among boxes[0 .. count) on the device and writes them to pairs[0 .. capacity)
/// on the device. Fails as bp_find_pairs does.
BP_API bp_status bp_cuda_find_pairs(bp_cuda_context *context, const bp_box *boxes, size_t count, bp_cuda_stream stream,
                                    bp_pair *pairs, uint64_t capacity, uint64_t *found);

/// Finds every pair of overlapping boxes, one of `a` and one of `b`; pair.a is from the first set, pair.b from the
/// second.
BP_API bp_status bp_cuda_find_pairs_between(bp_cuda_context *context, const bp_box *a, size_t a_count, const bp_box *b,
                                            size_t b_count, bp_cuda_stream stream, bp_pair *pairs, uint64_t capacity,
                                            uint64_t *found);

/// Finds the neighbours of each point, like bp_find_neighbors; all arrays are on the device. Those of point i are
/// indices[offsets[i] .. offsets[i + 1]), ascending. `offsets` has count + 1 entries and is always filled. If `indices`
/// is too small, the status is BP_ERROR_CAPACITY and *found is the number needed; NULL with capacity 0 counts.
BP_API bp_status bp_cuda_find_neighbors(bp_cuda_context *context, const float *points_xyz, size_t count, float radius,
                                        bp_cuda_stream stream, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                        uint64_t *found);

/// The same with a radius per point, like bp_find_neighbors_variable; config.radius_rule says how the radii of two points
/// decide. Radii are on the device, too. Cells are as large as the largest of them needs: it is fast where radii are alike.
BP_API bp_status bp_cuda_find_neighbors_variable(bp_cuda_context *context, const float *points_xyz, size_t count,
                                                 const float *radii, bp_cuda_stream stream, uint64_t *offsets,
                                                 uint32_t *indices, uint64_t capacity, uint64_t *found);

/// For each point of `a`, all points of `b` within the radius, like bp_find_neighbors_between; `offsets` has a_count + 1
/// entries. A point that is in both sets is its own neighbour. BP_NEIGHBORS_HALF has no effect here.
BP_API bp_status bp_cuda_find_neighbors_between(bp_cuda_context *context, const float *a_xyz, size_t a_count,
                                                const float *b_xyz, size_t b_count, float radius, bp_cuda_stream stream,
                                                uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                                uint64_t *found);

/// The same for double coordinates: the pairs and rows of bp_find_pairs_double, bp_find_pairs_between_double and
/// bp_find_neighbors_double, compared in 64 bits, exactly. Arrays are on the device. Boxes are found by boxes of 32 bits that
/// hold them, and then confirmed; so a call searches twice, takes 24 bytes more for each box or point, and 8 for each
/// candidate (16 if pairs are sorted). There are many candidates where 32 bits cannot tell boxes apart: far from the origin,
/// if boxes are smaller than the distance of two floats there. There is no call for a radius per point, nor for neighbours
/// between two sets. In bp_cuda_stats, times are those of the search for candidates.
BP_API bp_status bp_cuda_find_pairs_double(bp_cuda_context *context, const bp_box_double *boxes, size_t count,
                                           bp_cuda_stream stream, bp_pair *pairs, uint64_t capacity, uint64_t *found);
BP_API bp_status bp_cuda_find_pairs_between_double(bp_cuda_context *context, const bp_box_double *a, size_t a_count,
                                                   const bp_box_double *b, size_t b_count, bp_cuda_stream stream,
                                                   bp_pair *pairs, uint64_t capacity, uint64_t *found);
BP_API bp_status bp_cuda_find_neighbors_double(bp_cuda_context *context, const double *points_xyz, size_t count,
                                               double radius, bp_cuda_stream stream, uint64_t *offsets,
                                               uint32_t *indices, uint64_t capacity, uint64_t *found);

/// The calls for 32 bits with arrays in host memory, which are copied in blocks that overlap. The context keeps the device
/// memory for them.
BP_API bp_status bp_cuda_find_pairs_host(bp_cuda_context *context, const bp_box *boxes, size_t count, bp_pair *pairs,
                                         uint64_t capacity, uint64_t *found);
BP_API bp_status bp_cuda_find_pairs_between_host(bp_cuda_context *context, const bp_box *a, size_t a_count,
                                                 const bp_box *b, size_t b_count, bp_pair *pairs, uint64_t capacity,
                                                 uint64_t *found);
BP_API bp_status bp_cuda_find_neighbors_host(bp_cuda_context *context, const float *points_xyz, size_t count,
                                             float radius, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                             uint64_t *found);
BP_API bp_status bp_cuda_find_neighbors_variable_host(bp_cuda_context *context, const float *points_xyz, size_t count,
                                                      const float *radii, uint64_t *offsets, uint32_t *indices,
                                                      uint64_t capacity, uint64_t *found);
BP_API bp_status bp_cuda_find_neighbors_between_host(bp_cuda_context *context, const float *a_xyz, size_t a_count,
                                                     const float *b_xyz, size_t b_count, float radius,
                                                     uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                                     uint64_t *found);

/// Device memory for programs that have no CUDA of their own, such as bindings. These calls need no context, and write no
/// log; their statuses are those of all calls.
///
/// The device in whose memory `data` lies. BP_ERROR_ARGUMENT if it lies in none's.
BP_API bp_status bp_cuda_device_of(const void *data, int *device);
/// Makes `device` the current one of this thread: contexts and memory are made there. A context is used and destroyed
/// while its device is the current one. `before` (NULL is fine) gets the device that was current until then.
BP_API bp_status bp_cuda_use_device(int device, int *before);
/// Memory on the current device, for bp_cuda_release. On failure *data is NULL.
BP_API bp_status bp_cuda_allocate(size_t bytes, void **data);
/// Gives memory back, whichever device is current; waits for what the device still does. NULL is fine.
BP_API void bp_cuda_release(void *data);

/// Makes rows of three dimensions, as all calls take them, of rows of two: each x, y becomes x, y, 0. `corners` is how many
/// there are: one for a point, two for a box. Both arrays are on the device. (With config.dimensions = 2, the zeros are
/// ignored.)
BP_API bp_status bp_cuda_widen(const float *flat, size_t corners, bp_cuda_stream stream, float *wide);
BP_API bp_status bp_cuda_widen_double(const double *flat, size_t corners, bp_cuda_stream stream, double *wide);

/// The most bytes of device memory that a context takes to find the pairs of `count` boxes, or the neighbours of
/// `count` points, of 32 bits, without boxes, points and results. (Between two sets: the sum of both counts.) With less memory,
/// large sets are sorted in less memory, and more slowly. Needs no device.
BP_API uint64_t bp_cuda_memory_needed(size_t count);

/// Statistics of the last call, with the time of each stage on the device. Times are 0 unless bp_cuda_measure is on.
typedef struct bp_cuda_stats {
    float plan_ms;    ///< copying a sample of boxes to the host, and choosing levels there
    float keys_ms;    ///< the level and cell of each box; many boxes: distributing them to parts of space
    float sort_ms;    ///< sorting (key, index) by key; many boxes: distributing the parts to buckets
    float arrange_ms; ///< the data of the search in the order of cells, and the table of cells
    float sweep_ms;   ///< searching the grids
    float scan_ms;    ///< boxes that fit no grid, such as infinite ones
    float total_ms;   ///< from the first stage to the last, gaps included
    size_t levels;    ///< planned grids
    uint64_t cells;   ///< in all of them
    uint32_t key_bits;
    uint32_t distributed; ///< sets of boxes that were distributed, not sorted: large and even ones
    size_t bytes;         ///< held by the context on the device
    uint64_t reserved[4];
} bp_cuda_stats;

/// Turns the timing of stages on or off; it costs a few microseconds per call.
BP_API bp_status bp_cuda_measure(bp_cuda_context *context, int on);
BP_API bp_status bp_cuda_get_stats(const bp_cuda_context *context, bp_cuda_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
