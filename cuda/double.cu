// Boxes and points of 64 bits: found as boxes of 32 bits that hold them, and confirmed in 64.
//
//     boxes    rounded outwards  --> candidates, by the search for 32 bits --> overlap  in 64 bits --> pairs
//     points   cubes around them --> candidates                            --> distance in 64 bits --> rows
//
// A pair is never lost: a box lies in its rounded one, and along a periodic axis one that rounding would make longer than
// the period, or that lies so far away that 32 bits cannot tell, becomes infinite, which overlaps everything there.
// (nearness.c explains why cubes of near points touch.)
//
// Confirmed pairs move to the beginning of their tile of candidates, and from there, when the number in all tiles before is
// known, to the output. So their order is that of the candidates. Rows are filled in any order, and sorted.
//
// Cost: that of the search for 32 bits, twice, because candidates are counted first; 24 bytes per box and 8 per candidate. It
// loses where 32 bits cannot tell boxes apart, so that nearly all candidates are wrong: far from the origin.
#include "context.cuh"

#include <cub/block/block_scan.cuh>

enum { THREADS = 256 };

// What is so many periods away from the origin counts as infinite along that axis.
static const double FAR = 0x1p20;

struct bp_cuda_space {
    double period[3]; // or 0
    uint32_t dimensions;
};

static bp_cuda_space space_of(const bp_config &config) {
    return {{(double)config.period[0], (double)config.period[1], (double)config.period[2]}, config.dimensions};
}

static unsigned int tiles_for(uint64_t count) {
    return (unsigned int)((count + THREADS - 1) / THREADS);
}

// ---- boxes of 32 bits -----------------------------------------------------------------------------------------------

struct interval {
    float min, max;
};

// The smallest interval that holds this one. NaN if it is invalid, by the rule of the CPU: then the search names its box.
static __device__ interval round_outwards(double min, double max, double period) {
    const bool finite = !isinf(min) && !isinf(max);
    if (!(min <= max) || (period > 0.0 && finite && max - min > period)) {
        return {NAN, NAN};
    }
    const interval rounded = {__double2float_rd(min), __double2float_ru(max)};
    const double low = (double)rounded.min, high = (double)rounded.max;
    const bool tells = -low <= FAR * period && high <= FAR * period && high - low <= period;
    return period == 0.0 || tells ? rounded : interval{-INFINITY, INFINITY};
}

static __global__ void __launch_bounds__(THREADS)
    round_boxes(const __grid_constant__ bp_cuda_space space, const bp_box_double *__restrict__ boxes, uint32_t count,
                bp_box *rounded) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) {
        return;
    }
    bp_box box = {};
    for (uint32_t axis = 0; axis < space.dimensions; ++axis) {
        const interval along = round_outwards(boxes[i].min[axis], boxes[i].max[axis], space.period[axis]);
        box.min[axis] = along.min;
        box.max[axis] = along.max;
    }
    rounded[i] = box;
}

// How cubes are made.
struct cube_rule {
    bp_cuda_space space;
    double reach; // to each side: half of the radius, rounded up
    bool flat[3]; // axes along which all points are near
};

// Along a periodic axis coordinates are brought into the period, and rounded: the cube reaches further by that.
static __device__ interval cube_along(const cube_rule &rule, uint32_t axis, double x) {
    const double period = rule.space.period[axis];
    if (rule.flat[axis]) {
        return {0.0f, 0.0f};
    }
    const double rounding = period > 0.0 ? 0x1p-48 * (fabs(x) + period) : 0.0, more = rule.reach + rounding;
    if (period > 0.0 && !(2.0 * (more + rounding) < period)) {
        return {-INFINITY, INFINITY};
    }
    return round_outwards(x - more, x + more, period);
}

static __global__ void __launch_bounds__(THREADS)
    make_cubes(const __grid_constant__ cube_rule rule, const double *__restrict__ points, uint32_t count, bp_box *cubes,
               bp_cuda_result *result) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) {
        return;
    }
    bp_box cube = {};
    bool valid = true;
    for (uint32_t axis = 0; axis < rule.space.dimensions; ++axis) {
        const double x = points[3 * (size_t)i + axis];
        const interval along = cube_along(rule, axis, x);
        cube.min[axis] = along.min;
        cube.max[axis] = along.max;
        valid = valid && isfinite(x);
    }
    cubes[i] = cube;
    if (!valid) {
        atomicMin(&result->invalid, (unsigned long long)i);
    }
}

// ---- in 64 bits -----------------------------------------------------------------------------------------------------

// Whether an interval holds a multiple of the period: the arithmetic of src/view/overlap.c.
static __device__ bool holds_multiple(double low, double high, double period) {
    if (low <= 0.0 && high >= 0.0) {
        return true;
    }
    const double near = low > 0.0 ? low : -high, far = low > 0.0 ? high : -low;
    if (isinf(far)) {
        return true;
    }
    return far >= period && (near <= period || far - near >= fmod(far, period));
}

static __device__ bool overlap_along(double a_min, double a_max, double b_min, double b_max, double period) {
    if (period == 0.0) {
        return a_min <= b_max && b_min <= a_max;
    }
    const bool infinite = isinf(a_min) || isinf(a_max) || isinf(b_min) || isinf(b_max);
    return infinite || holds_multiple(b_min - a_max, b_max - a_min, period);
}

static __device__ bool boxes_overlap(const bp_cuda_space &space, const bp_box_double &a, const bp_box_double &b) {
    bool overlap = true;
    for (uint32_t i = 0; i < space.dimensions && overlap; ++i) {
        overlap = overlap_along(a.min[i], a.max[i], b.min[i], b.max[i], space.period[i]);
    }
    return overlap;
}

// The arithmetic of src/neighbors/nearness.c.
static __device__ double square_distance(const bp_cuda_space &space, const double *a, const double *b) {
    double square = 0.0;
    for (uint32_t i = 0; i < space.dimensions; ++i) {
        const double direct = a[i] - b[i], period = space.period[i];
        const double apart = period > 0.0 && fabs(direct) > 0.5 * period ? remainder(direct, period) : direct;
        square = __dadd_rn(square, __dmul_rn(apart, apart));
    }
    return square;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

// Moves the pairs of a tile that overlap to its beginning.
static __global__ void __launch_bounds__(THREADS)
    keep_overlapping(const __grid_constant__ bp_cuda_space space, const bp_box_double *__restrict__ a,
                     const bp_box_double *__restrict__ b, bp_pair *candidates, uint64_t count, uint32_t *kept) {
    using block_scan = cub::BlockScan<uint32_t, THREADS>;
    __shared__ typename block_scan::TempStorage memory;
    const uint64_t begin = blockIdx.x * (uint64_t)THREADS, i = begin + threadIdx.x;
    bp_pair pair = {0, 0};
    uint32_t keeps = 0, before = 0, all = 0;
    if (i < count) {
        pair = candidates[i];
        keeps = boxes_overlap(space, a[pair.a], b[pair.b]) ? 1 : 0;
    }
    block_scan(memory).ExclusiveSum(keeps, before, all);
    __syncthreads(); // all have read theirs
    if (keeps != 0) {
        candidates[begin + before] = pair;
    }
    if (threadIdx.x == 0) {
        kept[blockIdx.x] = all;
    }
}

static __global__ void __launch_bounds__(THREADS)
    gather_kept(const bp_pair *__restrict__ candidates, const uint64_t *__restrict__ offsets, bp_pair *pairs,
                uint64_t capacity) {
    const uint64_t begin = offsets[blockIdx.x], place = begin + threadIdx.x;
    if (place < offsets[blockIdx.x + 1] && place < capacity) {
        pairs[place] = candidates[blockIdx.x * (uint64_t)THREADS + threadIdx.x];
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// Counts the neighbours of each point. A pair that is none becomes (0, 0).
static __global__ void __launch_bounds__(THREADS)
    count_near(const __grid_constant__ bp_cuda_space space, const double *__restrict__ points, double square, bool half,
               bp_pair *candidates, uint64_t count, uint32_t *counts) {
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= count) {
        return;
    }
    const bp_pair pair = candidates[i];
    if (!(square_distance(space, points + 3 * (size_t)pair.a, points + 3 * (size_t)pair.b) <= square)) {
        candidates[i] = {0, 0};
        return;
    }
    atomicAdd(&counts[pair.a], 1u);
    if (!half) {
        atomicAdd(&counts[pair.b], 1u);
    }
}

// Counts go down to 0 again, and say where in its row a neighbour belongs.
static __device__ void put_near(const bp_cuda_rows &rows, uint32_t *counts, uint32_t point, uint32_t neighbor) {
    const uint64_t place = rows.offsets[point] + atomicAdd(&counts[point], ~0u) - 1;
    if (place < rows.capacity) {
        rows.indices[place] = neighbor;
    }
}

static __global__ void __launch_bounds__(THREADS)
    fill_rows(const __grid_constant__ bp_cuda_rows rows, bool half, const bp_pair *__restrict__ candidates,
              uint64_t count, uint32_t *counts) {
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= count || candidates[i].a == candidates[i].b) {
        return;
    }
    put_near(rows, counts, candidates[i].a, candidates[i].b);
    if (!half) {
        put_near(rows, counts, candidates[i].b, candidates[i].a);
    }
}

// ---- the host's side ------------------------------------------------------------------------------------------------

static bp_box *rounded_of(const bp_cuda_context *context, int set) {
    return static_cast<bp_box *>(context->rounded[set].data);
}

static bp_pair *candidates_of(const bp_cuda_context *context) {
    return static_cast<bp_pair *>(context->candidates.data);
}

static bp_status search_rounded(bp_cuda_context *context, const size_t counts[2], bool two_sets, cudaStream_t stream,
                                bp_cuda_output output, uint64_t *found) {
    return two_sets ? bp_cuda_find_pairs_between(context, rounded_of(context, 0), counts[0], rounded_of(context, 1),
                                                 counts[1], stream, output.pairs, output.capacity, found)
                    : bp_cuda_find_pairs(context, rounded_of(context, 0), counts[0], stream, output.pairs,
                                         output.capacity, found);
}

// The pairs of rounded boxes, into context->candidates.
static bp_status find_candidates(bp_cuda_context *context, const size_t counts[2], bool two_sets, cudaStream_t stream,
                                 uint64_t *found) {
    BP_CUDA_TRY(search_rounded(context, counts, two_sets, stream, {nullptr, 0}, found));
    if (*found == 0) {
        return BP_OK;
    }
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->candidates, *found * sizeof(bp_pair)));
    return search_rounded(context, counts, two_sets, stream, {candidates_of(context), *found}, found);
}

static bp_status round_set(bp_cuda_context *context, int set, const bp_box_double *boxes, size_t count,
                           cudaStream_t stream) {
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->rounded[set], count * sizeof(bp_box)));
    round_boxes<<<tiles_for(count), THREADS, 0, stream>>>(space_of(context->config), boxes, (uint32_t)count,
                                                          rounded_of(context, set));
    return bp_cuda_launched(context, "rounding");
}

// Confirms candidates, and gathers those that overlap.
static bp_status confirm(bp_cuda_context *context, const bp_box_double *const boxes[2], uint64_t candidates,
                         bp_cuda_output output, cudaStream_t stream, uint64_t *found) {
    const unsigned int tiles = tiles_for(candidates);
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->offsets_scratch, (tiles + (size_t)1) * sizeof(uint32_t)));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->found_scratch, (tiles + (size_t)1) * sizeof(uint64_t)));
    uint32_t *kept = static_cast<uint32_t *>(context->offsets_scratch.data);
    uint64_t *offsets = static_cast<uint64_t *>(context->found_scratch.data);
    BP_CUDA_TRY(bp_cuda_check(context, cudaMemsetAsync(kept + tiles, 0, sizeof *kept, stream), "confirming"));
    keep_overlapping<<<tiles, THREADS, 0, stream>>>(space_of(context->config), boxes[0], boxes[1],
                                                    candidates_of(context), candidates, kept);
    BP_CUDA_TRY(bp_cuda_launched(context, "confirming"));
    BP_CUDA_TRY(bp_cuda_scan_counts(context, kept, tiles, offsets, stream));
    if (output.pairs != nullptr) {
        gather_kept<<<tiles, THREADS, 0, stream>>>(candidates_of(context), offsets, output.pairs, output.capacity);
        BP_CUDA_TRY(bp_cuda_launched(context, "gathering"));
    }
    BP_CUDA_TRY(bp_cuda_finish_with(context, offsets + tiles, stream));
    *found = context->host_result->total;
    return bp_cuda_check_room(context, output, *found);
}

static bp_status check_boxes(const bp_cuda_context *context, const bp_box_double *boxes, size_t count) {
    if ((boxes == nullptr && count > 0) || count > BP_MAX_COUNT ||
        reinterpret_cast<uintptr_t>(boxes) % alignof(double) != 0) {
        bp_log_write(&context->config.log, "boxes: NULL, or more than fit, or not aligned to 8 bytes");
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

static bp_status find_pairs(bp_cuda_context *context, const bp_box_double *const boxes[2], const size_t counts[2],
                            bool two_sets, cudaStream_t stream, bp_cuda_output output, uint64_t *found) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    BP_CUDA_TRY(check_boxes(context, boxes[0], counts[0]));
    BP_CUDA_TRY(check_boxes(context, boxes[1], counts[1]));
    BP_CUDA_TRY(bp_cuda_check_output(context, output, found));
    *found = 0;
    uint64_t candidates = 0;
    for (int set = 0; set < (two_sets ? 2 : 1); ++set) {
        if (counts[set] > 0) {
            BP_CUDA_TRY(round_set(context, set, boxes[set], counts[set], stream));
        }
    }
    BP_CUDA_TRY(find_candidates(context, counts, two_sets, stream, &candidates));
    return candidates > 0 ? confirm(context, boxes, candidates, output, stream, found) : BP_OK;
}

bp_status bp_cuda_find_pairs_double(bp_cuda_context *context, const bp_box_double *boxes, size_t count,
                                    bp_cuda_stream stream, bp_pair *pairs, uint64_t capacity, uint64_t *found) {
    const bp_box_double *const sets[2] = {boxes, boxes};
    const size_t counts[2] = {count, count};
    return find_pairs(context, sets, counts, false, stream, {pairs, capacity}, found);
}

bp_status bp_cuda_find_pairs_between_double(bp_cuda_context *context, const bp_box_double *a, size_t a_count,
                                            const bp_box_double *b, size_t b_count, bp_cuda_stream stream,
                                            bp_pair *pairs, uint64_t capacity, uint64_t *found) {
    const bp_box_double *const sets[2] = {a, b};
    const size_t counts[2] = {a_count, b_count};
    return find_pairs(context, sets, counts, true, stream, {pairs, capacity}, found);
}

// How far apart along an axis points within a radius may be, as in nearness.c.
static double rounded_up(double radius) {
    return radius < 0x1p511 ? radius * (1.0 + 0x1p-50) + 0x1p-536 : (double)INFINITY;
}

static cube_rule rule_for(const bp_config &config, double radius) {
    cube_rule rule = {space_of(config), 0.5 * rounded_up(radius), {false, false, false}};
    for (int axis = 0; axis < 3; ++axis) {
        const double period = rule.space.period[axis];
        rule.flat[axis] = period > 0.0 && rounded_up(radius) >= 0.5 * period;
    }
    return rule;
}

static bp_status make_all_cubes(bp_cuda_context *context, const cube_rule &rule, const double *points, size_t count,
                                cudaStream_t stream) {
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->rounded[0], count * sizeof(bp_box)));
    BP_CUDA_TRY(bp_cuda_begin(context, stream));
    make_cubes<<<tiles_for(count), THREADS, 0, stream>>>(rule, points, (uint32_t)count, rounded_of(context, 0),
                                                         bp_cuda_result_of(context));
    BP_CUDA_TRY(bp_cuda_launched(context, "making cubes"));
    BP_CUDA_TRY(bp_cuda_finish(context, stream));
    return bp_cuda_check_points(context);
}

// Cubes have no filters and need no order, and along a flat axis no period.
static bp_status find_touching_cubes(bp_cuda_context *context, const cube_rule &rule, size_t count, cudaStream_t stream,
                                     uint64_t *found) {
    const bp_config config = context->config;
    const bp_object *const objects = context->objects[0];
    const size_t counts[2] = {count, 0};
    for (int axis = 0; axis < 3; ++axis) {
        context->config.period[axis] = rule.flat[axis] ? 0.0f : config.period[axis];
    }
    context->config.pair_order = BP_ORDER_FOUND;
    context->objects[0] = nullptr;
    const bp_status status = find_candidates(context, counts, false, stream, found);
    context->config = config;
    context->objects[0] = objects;
    return status;
}

static bp_status make_rows(bp_cuda_context *context, const double *points, double square, uint64_t candidates,
                           const bp_cuda_rows &rows, cudaStream_t stream) {
    const bool half = (context->config.flags & BP_NEIGHBORS_HALF) != 0;
    const size_t bytes = (rows.count + (size_t)1) * sizeof(uint32_t);
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->offsets_scratch, bytes));
    uint32_t *counts = static_cast<uint32_t *>(context->offsets_scratch.data);
    BP_CUDA_TRY(bp_cuda_check(context, cudaMemsetAsync(counts, 0, bytes, stream), "counting"));
    if (candidates > 0) {
        count_near<<<tiles_for(candidates), THREADS, 0, stream>>>(space_of(context->config), points, square, half,
                                                                  candidates_of(context), candidates, counts);
        BP_CUDA_TRY(bp_cuda_launched(context, "counting"));
    }
    BP_CUDA_TRY(bp_cuda_scan_counts(context, counts, rows.count, rows.offsets, stream));
    if (candidates > 0 && rows.indices != nullptr) {
        fill_rows<<<tiles_for(candidates), THREADS, 0, stream>>>(rows, half, candidates_of(context), candidates,
                                                                 counts);
        BP_CUDA_TRY(bp_cuda_launched(context, "filling rows"));
    }
    return BP_OK;
}

bp_status bp_cuda_find_neighbors_double(bp_cuda_context *context, const double *points_xyz, size_t count, double radius,
                                        bp_cuda_stream stream, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                        uint64_t *found) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    const bool no_points = (points_xyz == nullptr && count > 0) || count > BP_MAX_COUNT;
    const bp_cuda_rows rows = {offsets, indices, capacity, (uint32_t)count};
    BP_CUDA_TRY(bp_cuda_check_rows(context, rows, no_points, radius, found));
    *found = 0;
    if (count == 0) {
        return bp_cuda_clear_rows(context, rows, stream);
    }
    const cube_rule rule = rule_for(context->config, radius);
    uint64_t candidates = 0;
    BP_CUDA_TRY(make_all_cubes(context, rule, points_xyz, count, stream));
    BP_CUDA_TRY(find_touching_cubes(context, rule, count, stream, &candidates));
    BP_CUDA_TRY(make_rows(context, points_xyz, radius * radius, candidates, rows, stream));
    return bp_cuda_conclude_rows(context, rows, true, stream, found);
}
