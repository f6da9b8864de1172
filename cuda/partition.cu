// Builds the grid of many boxes: distributes them twice, the second time more finely, then orders them in shared
// memory.
//
//     boxes --place--> about 600 parts --place--> about 600 buckets of each --order--> keys, indices, records, table
//            24 + 16 bytes             16 + 16 bytes, contiguous             16 + 16 + 4 per cell
//
// (The numbers are for 10^9 boxes.) A bucket has the boxes of some thousand consecutive cells, and fits into the shared
// memory of a block. There boxes are counted by cell; the prefix sums of these counts are both the bucket's part of the
// table and the places of its boxes. A sort of keys and indices, in contrast, reads and writes memory four times and
// then gathers the records, for each of which the memory delivers 64 bytes instead of 8.
//
// Tiles advance the counters of the parts in the order in which they arrive, so the order inside a bucket is arbitrary.
// Therefore boxes of one cell are ranked by their index: then the result is that of the stable sort in build.cu, to the
// last byte.
//
// Room is allotted beforehand: to parts from a sample of one box in 64 (plus eight standard deviations), to buckets 1.5
// times the average. If boxes are spread so unevenly that some room is too small, a flag is set and build.cu sorts
// them. So it loses there: the time of both.
#include "keys.cuh"

#include <algorithm>
#include <cmath>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

enum {
    THREADS = 512,
    BLOCKS = 2, // on a multiprocessor
    ITEMS = 8,
    TILE = THREADS * ITEMS,
    DIGITS = 1024, // parts, and buckets of a part, at most
    DIGITS_PER_THREAD = DIGITS / THREADS,
    ROOM_MOST = TILE,             // room of a bucket, in boxes ...
    EXPECTED = ROOM_MOST * 2 / 3, // ... and how many are expected
    WIDTH_MOST = 8192,            // keys of a bucket
    SAMPLED = 64,                 // one box in this many is sampled beforehand
    CROWD = 64,                   // boxes per cell, on average, above which this is not worth trying
    SAMPLE_BLOCKS = 132 * 4
};

static const uint32_t NO_ROOM = UINT32_MAX;

// How the keys are divided.
struct key_split {
    uint32_t width; // keys of a bucket
    uint32_t room;  // boxes that it can hold
    uint32_t bucket_count;
    uint32_t part_count, part_buckets; // buckets of a part
    bp_cuda_divider by_width, by_part;
};

// Device memory that the two passes share.
struct partition_memory {
    uint32_t *crowded;     // not 0 if some room was too small: in the first pass, in the second
    uint32_t *part_counts; // in the sample
    uint32_t *part_ends;   // where the room of a part ends
    uint32_t *part_places; // where the next box of a part goes
    uint32_t *part_of_tile;
    uint32_t *bucket_counts, *bucket_begins;
};

// ---- digits ---------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ uint32_t bucket_of(const key_split &split, uint32_t key) {
    return bp_cuda_divide(key, split.by_width);
}

// Increments the count of a digit and returns the old count. If boxes are sorted in space, a whole warp has the same
// digit: then one thread counts for all.
static __device__ __forceinline__ uint32_t count_in(uint32_t *counts, uint32_t digit) {
    const uint32_t lane = threadIdx.x & 31;
    int same = 0;
    (void)__match_all_sync(~0u, digit, &same);
    if (same != 0) {
        const uint32_t first = lane == 0 ? atomicAdd(&counts[digit], 32u) : 0;
        return __shfl_sync(~0u, first, 0) + lane;
    }
    return atomicAdd(&counts[digit], 1u);
}

// The sum of the values of all previous threads of the block. (CUB's scan would take the registers that hold items.)
static __device__ __forceinline__ uint32_t sum_before(uint32_t value) {
    __shared__ uint32_t sums[THREADS / 32];
    const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    uint32_t sum = value;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const uint32_t lower = __shfl_up_sync(~0u, sum, offset);
        sum += lane >= (uint32_t)offset ? lower : 0;
    }
    if (lane == 31) {
        sums[warp] = sum;
    }
    __syncthreads();
    const uint32_t of_warps = __reduce_add_sync(~0u, lane < warp ? sums[lane] : 0);
    return of_warps + sum - value;
}

// ---- room for parts -------------------------------------------------------------------------------------------------

template <bool USUAL>
static __global__ void __launch_bounds__(THREADS)
    sample_parts(const __grid_constant__ bp_cuda_lattice lattice, const __grid_constant__ key_split split,
                 const bp_box *__restrict__ boxes, uint32_t count, uint32_t *part_counts) {
    __shared__ uint32_t counts[DIGITS];
    for (uint32_t i = threadIdx.x; i < DIGITS; i += THREADS) {
        counts[i] = 0;
    }
    __syncthreads();
    const uint32_t samples = count / SAMPLED + (count % SAMPLED != 0);
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < samples; i += gridDim.x * THREADS) {
        const bp_box box = load_box_once(boxes + bp_cuda_sample_index(i, SAMPLED, count));
        const uint32_t key = keyed_record_of<uint32_t, USUAL>(lattice, box).key;
        atomicAdd(&counts[bp_cuda_divide(bucket_of(split, key), split.by_part)], 1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < split.part_count; i += THREADS) {
        if (counts[i] > 0) {
            atomicAdd(&part_counts[i], counts[i]);
        }
    }
}

// Tiles for a part: the estimate from the sample plus eight standard deviations.
static __device__ uint32_t tiles_for(uint32_t sampled) {
    const double expected = (double)sampled * SAMPLED;
    return (uint32_t)((expected + 8.0 * sqrt(SAMPLED * (expected + 256.0))) / TILE) + 1;
}

static size_t tiles_most(size_t count, uint32_t parts) {
    const double all = (double)count + SAMPLED;
    return (size_t)((all + 8.0 * sqrt(SAMPLED * (double)parts * (all + 256.0 * parts))) / TILE) + 2 * (size_t)parts;
}

static __global__ void __launch_bounds__(DIGITS) give_room(const __grid_constant__ partition_memory m, uint32_t parts) {
    using block_scan = cub::BlockScan<uint32_t, DIGITS>;
    __shared__ typename block_scan::TempStorage space;
    const uint32_t part = threadIdx.x, tiles = part < parts ? tiles_for(m.part_counts[part]) : 0;
    uint32_t first = 0;
    block_scan(space).ExclusiveSum(tiles, first);
    if (part < parts) {
        m.part_places[part] = first * TILE;
        m.part_ends[part] = (first + tiles) * TILE;
        for (uint32_t i = 0; i < tiles; ++i) {
            m.part_of_tile[first + i] = part;
        }
    }
}

// ---- placing --------------------------------------------------------------------------------------------------------

// The first pass: distributes boxes to parts.
template <bool USUAL> struct boxes_to_parts {
    bp_cuda_lattice lattice;
    key_split split;
    const bp_box *boxes;
    uint32_t count;
    uint64_t first_index;
    partition_memory m;
    bp_cuda_result *result;

    struct tile {
        uint32_t begin, end;
    };
    __device__ tile tile_of(uint32_t number) const {
        return {number * TILE, min(count, number * TILE + TILE)};
    }
    using source = bp_box;
    __device__ bp_box load(uint32_t i) const {
        return load_box_once(boxes + i);
    }
    __device__ uint4 item_of(const bp_box &box, uint32_t i) const {
        if (!bp_cuda_is_valid(kind_for<USUAL>(lattice), &lattice, &box)) {
            atomicMin(&result->invalid, (unsigned long long)(first_index + i));
        }
        const keyed_record<uint32_t> k = keyed_record_of<uint32_t, USUAL>(lattice, box);
        return make_uint4(k.key, i, k.record.low, k.record.high);
    }
    __device__ uint32_t digit(const tile &, uint32_t key) const {
        return bp_cuda_divide(bucket_of(split, key), split.by_part);
    }
    __device__ uint32_t take(const tile &, uint32_t part, uint32_t number) const {
        return atomicAdd(&m.part_places[part], number);
    }
    __device__ uint32_t end(const tile &, uint32_t part) const {
        return m.part_ends[part];
    }
    __device__ void give_up() const {
        m.crowded[0] = 1;
    }
};

// The second pass: distributes a tile of a part to its buckets.
struct part_to_buckets {
    key_split split;
    const uint4 *items;
    partition_memory m;

    struct tile {
        uint32_t begin, end, first_bucket;
    };
    __device__ tile tile_of(uint32_t number) const {
        const uint32_t part = m.part_of_tile[number];
        // A part without enough room has gaps, so the partition has failed. (Read only the flag of the first pass: all
        // threads of a block must see the same value.)
        if (part >= split.part_count || m.crowded[0] != 0) {
            return {0, 0, 0};
        }
        const uint32_t end = min(m.part_places[part], m.part_ends[part]), begin = number * TILE;
        return {begin, min(end, begin + TILE), part * split.part_buckets};
    }
    using source = uint4;
    __device__ uint4 load(uint32_t i) const {
        return __ldcs(items + i);
    }
    __device__ uint4 item_of(const uint4 &item, uint32_t) const {
        return item;
    }
    __device__ uint32_t digit(const tile &t, uint32_t key) const {
        return bucket_of(split, key) - t.first_bucket;
    }
    __device__ uint32_t take(const tile &t, uint32_t bucket, uint32_t number) const {
        return (t.first_bucket + bucket) * split.room + atomicAdd(&m.bucket_counts[t.first_bucket + bucket], number);
    }
    __device__ uint32_t end(const tile &t, uint32_t bucket) const {
        return (t.first_bucket + bucket + 1) * split.room;
    }
    __device__ void give_up() const {
        m.crowded[1] = 1;
    }
};

struct place_memory {
    uint4 items[TILE];
    uint16_t order[TILE]; // of items, by digit
    uint32_t
        counts[DIGITS + 32]; // per digit; then where its items begin in `order`; the last entry is for missing items
    uint32_t shifts[DIGITS]; // from there to their place in the output
};

// Finds the place of each digit in the tile, and reserves room for it in the output.
template <class Pass>
static __device__ __forceinline__ void take_room(const Pass &pass, const typename Pass::tile &tile, place_memory &m) {
    uint32_t counts[DIGITS_PER_THREAD], places[DIGITS_PER_THREAD], sum = 0;
#pragma unroll
    for (int i = 0; i < DIGITS_PER_THREAD; ++i) {
        const uint32_t digit = threadIdx.x * DIGITS_PER_THREAD + i;
        counts[i] = m.counts[digit];
        sum += counts[i];
        places[i] = counts[i] > 0 ? pass.take(tile, digit, counts[i]) : 0;
    }
    uint32_t begin = sum_before(sum);
#pragma unroll
    for (int i = 0; i < DIGITS_PER_THREAD; ++i) {
        const uint32_t digit = threadIdx.x * DIGITS_PER_THREAD + i;
        if (counts[i] > 0) {
            const uint32_t end = pass.end(tile, digit);
            const bool fits = places[i] + counts[i] <= end;
            m.counts[digit] = begin;
            m.shifts[digit] = fits ? places[i] - begin : NO_ROOM;
            if (!fits) {
                pass.give_up();
            }
            begin += counts[i];
        }
    }
}

// Loads a tile into shared memory in its own order, and counts its digits. A rank is the digit and, in the lower half,
// the number within the digit.
template <class Pass>
static __device__ __forceinline__ void load_tile(const Pass &pass, const typename Pass::tile &tile, place_memory &m,
                                                 uint32_t *ranks) {
    typename Pass::source loaded[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const uint32_t at = tile.begin + i * THREADS + threadIdx.x;
        loaded[i] = pass.load(at < tile.end ? at : tile.end - 1);
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const uint32_t slot = i * THREADS + threadIdx.x, at = tile.begin + slot;
        const uint4 item = pass.item_of(loaded[i], at < tile.end ? at : tile.end - 1);
        const uint32_t digit = at < tile.end ? pass.digit(tile, item.x) : (uint32_t)DIGITS;
        m.items[slot] = item;
        ranks[i] = digit << 16 | count_in(m.counts, digit);
    }
}

// Writes a tile digit by digit, so that neighbouring threads write to neighbouring places.
template <class Pass>
static __device__ __forceinline__ void write_tile(const Pass &pass, const typename Pass::tile &tile,
                                                  const place_memory &m, uint4 *out) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const uint32_t slot = i * THREADS + threadIdx.x;
        if (slot < tile.end - tile.begin) {
            const uint4 item = m.items[m.order[slot]];
            const uint32_t shift = m.shifts[pass.digit(tile, item.x)];
            if (shift != NO_ROOM) {
                out[shift + slot] = item;
            }
        }
    }
}

template <class Pass>
static __global__ void __launch_bounds__(THREADS, BLOCKS) place(const __grid_constant__ Pass pass, uint4 *out) {
    extern __shared__ uint4 memory[];
    place_memory &m = *reinterpret_cast<place_memory *>(memory);
    const typename Pass::tile tile = pass.tile_of(blockIdx.x);
    uint32_t ranks[ITEMS];
    if (tile.begin >= tile.end) {
        return;
    }
    for (uint32_t i = threadIdx.x; i <= DIGITS; i += THREADS) {
        m.counts[i] = 0;
    }
    __syncthreads();
    load_tile(pass, tile, m, ranks);
    __syncthreads();
    take_room(pass, tile, m);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const uint32_t slot = i * THREADS + threadIdx.x;
        if (tile.begin + slot < tile.end) {
            m.order[m.counts[ranks[i] >> 16] + (ranks[i] & 0xffffu)] = (uint16_t)slot;
        }
    }
    __syncthreads();
    write_tile(pass, tile, m, out);
}

// ---- ordering -------------------------------------------------------------------------------------------------------

struct order_job {
    key_split split;
    uint32_t last_entry; // of the table
    partition_memory m;
    const uint4 *items;
    uint32_t *keys, *indices, *table;
    uint2 *records;
};

struct order_memory {
    uint2 records[ROOM_MOST];
    uint32_t keys[ROOM_MOST];
    uint32_t indices[ROOM_MOST];
    uint32_t begins[1]; // of the cells, and the end of the last
};

static size_t order_bytes(uint32_t width) {
    return sizeof(order_memory) + width * sizeof(uint32_t);
}

// Turns the counts of cells into beginnings. A thread has an odd number of them, to avoid bank conflicts.
static __device__ __forceinline__ void sum_up(uint32_t *begins, uint32_t width, uint32_t all) {
    const uint32_t share = (width + THREADS - 1) / THREADS | 1u;
    const uint32_t first = min(threadIdx.x * share, width), end = min(first + share, width);
    uint32_t sum = 0;
    for (uint32_t i = first; i < end; ++i) {
        sum += begins[i];
    }
    uint32_t before = sum_before(sum);
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t count = begins[i];
        begins[i] = before;
        before += count;
    }
    if (threadIdx.x == 0) {
        begins[width] = all;
    }
    __syncthreads();
}

// The place of an item among those of its cell.
static __device__ __forceinline__ uint32_t place_in_cell(const order_memory &s, uint32_t cell, uint32_t index) {
    const uint32_t begin = s.begins[cell], end = s.begins[cell + 1];
    uint32_t place = begin;
    for (uint32_t i = begin; i < end; ++i) {
        place += s.indices[i] < index;
    }
    return place;
}

static __device__ __forceinline__ void write_table(const order_job &j, const order_memory &s, uint32_t first_key,
                                                   uint32_t begin) {
    for (uint32_t i = threadIdx.x; i < j.split.width && first_key + i <= j.last_entry; i += THREADS) {
        j.table[first_key + i] = begin + s.begins[i];
    }
}

static __global__ void __launch_bounds__(THREADS, BLOCKS) order_bucket(const __grid_constant__ order_job j) {
    extern __shared__ uint4 memory[];
    order_memory &s = *reinterpret_cast<order_memory *>(memory);
    const uint32_t count = j.m.bucket_counts[blockIdx.x], begin = j.m.bucket_begins[blockIdx.x];
    const uint32_t first_key = blockIdx.x * j.split.width;
    const uint4 *given = j.items + (size_t)blockIdx.x * j.split.room;
    uint4 items[ITEMS];
    uint32_t places[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const uint32_t at = i * THREADS + threadIdx.x;
        items[i] = at < count ? __ldcs(given + at) : make_uint4(0, 0, 0, 0);
    }
    for (uint32_t i = threadIdx.x; i < j.split.width; i += THREADS) {
        s.begins[i] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (i * THREADS + threadIdx.x < count) {
            places[i] = atomicAdd(&s.begins[items[i].x - first_key], 1u);
        }
    }
    __syncthreads();
    sum_up(s.begins, j.split.width, count);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (i * THREADS + threadIdx.x < count) {
            s.indices[s.begins[items[i].x - first_key] + places[i]] = items[i].y;
        }
    }
    write_table(j, s, first_key, begin);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (i * THREADS + threadIdx.x < count) {
            places[i] = place_in_cell(s, items[i].x - first_key, items[i].y);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (i * THREADS + threadIdx.x < count) {
            s.keys[places[i]] = items[i].x;
            s.indices[places[i]] = items[i].y;
            s.records[places[i]] = make_uint2(items[i].z, items[i].w);
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
        j.keys[begin + i] = s.keys[i];
        j.indices[begin + i] = s.indices[i];
        j.records[begin + i] = s.records[i];
    }
}

// ---- the host's side ------------------------------------------------------------------------------------------------

// 1.5 times the room expected in a bucket, and more for chance where that is small.
static uint32_t room_for(double expected) {
    const double room = 1.5 * expected + 8.0 * std::sqrt(expected) + 32.0;
    return (uint32_t)std::min(room, (double)ROOM_MOST) / 8 * 8;
}

static key_split split_for(size_t count, uint64_t key_count) {
    key_split split = {};
    const double density = (double)count / (double)key_count;
    split.width = (uint32_t)std::max(1.0, std::min(EXPECTED / density, (double)WIDTH_MOST));
    split.room = room_for(density * split.width);
    split.bucket_count = (uint32_t)((key_count + 1) / split.width) + 1; // the end of the table is a key too
    split.part_buckets = (uint32_t)std::ceil(std::sqrt((double)split.bucket_count));
    split.part_count = (split.bucket_count + split.part_buckets - 1) / split.part_buckets;
    split.by_width = bp_cuda_divider_for(split.width);
    split.by_part = bp_cuda_divider_for(split.part_buckets);
    return split;
}

bool bp_cuda_may_partition(const bp_cuda_context *context, size_t count) {
    const bp_cuda_lattice &lattice = context->lattice;
    if (count < BP_CUDA_PARTITION_LEAST || lattice.table_shift != 0 ||
        lattice.key_count + 2 * WIDTH_MOST > UINT32_MAX || count / CROWD > lattice.key_count) {
        return false;
    }
    const key_split split = split_for(count, lattice.key_count);
    return split.part_buckets <= DIGITS &&
           (uint64_t)split.part_count * split.part_buckets * split.room + TILE < UINT32_MAX &&
           (uint64_t)tiles_most(count, split.part_count) * TILE < UINT32_MAX;
}

size_t bp_cuda_partition_bytes(const bp_cuda_context *context, size_t count, int half) {
    const key_split split = split_for(count, context->lattice.key_count);
    const size_t parts = tiles_most(count, split.part_count) * TILE;
    return sizeof(uint4) * (half == 0 ? parts : (size_t)split.bucket_count * split.room);
}

static bp_status reserve_memory(bp_cuda_context *context, const key_split &split, size_t tiles, cudaStream_t stream,
                                partition_memory *m) {
    const size_t buckets = (size_t)split.part_count * split.part_buckets;
    const size_t zeroed = 4 * DIGITS + 2 * buckets, words = zeroed + tiles;
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->partition, words * sizeof(uint32_t)));
    uint32_t *memory = static_cast<uint32_t *>(context->partition.data);
    *m = {memory,          memory + DIGITS,     memory + 2 * DIGITS,          memory + 3 * DIGITS,
          memory + zeroed, memory + 4 * DIGITS, memory + 4 * DIGITS + buckets};
    BP_CUDA_TRY(bp_cuda_check(context, cudaMemsetAsync(memory, 0, zeroed * sizeof(uint32_t), stream), "distributing"));
    return bp_cuda_check(context, cudaMemsetAsync(m->part_of_tile, 0xff, tiles * sizeof(uint32_t), stream),
                         "distributing");
}

template <class Pass>
static bp_status launch_place(const bp_cuda_context *context, const Pass &pass, size_t tiles, uint4 *out,
                              cudaStream_t stream) {
    const int bytes = (int)sizeof(place_memory);
    BP_CUDA_TRY(bp_cuda_check(context,
                              cudaFuncSetAttribute(place<Pass>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                              "distributing"));
    place<Pass><<<(unsigned int)tiles, THREADS, bytes, stream>>>(pass, out);
    return bp_cuda_launched(context, "distributing");
}

template <bool USUAL>
static bp_status place_boxes(const bp_cuda_context *context, const bp_cuda_grid *grid, uint64_t first_index,
                             const key_split &split, const partition_memory &m, cudaStream_t stream) {
    const size_t tiles = ((size_t)grid->count + TILE - 1) / TILE;
    sample_parts<USUAL>
        <<<SAMPLE_BLOCKS, THREADS, 0, stream>>>(context->lattice, split, grid->boxes, grid->count, m.part_counts);
    give_room<<<1, DIGITS, 0, stream>>>(m, split.part_count);
    BP_CUDA_TRY(bp_cuda_launched(context, "distributing"));
    const boxes_to_parts<USUAL> pass = {context->lattice,          split, grid->boxes, grid->count, first_index, m,
                                        bp_cuda_result_of(context)};
    return launch_place(context, pass, tiles, static_cast<uint4 *>(grid->halves[0].data), stream);
}

static bp_status begin_buckets(bp_cuda_context *context, const partition_memory &m, uint32_t buckets,
                               cudaStream_t stream) {
    size_t bytes = 0;
    BP_CUDA_TRY(bp_cuda_check(
        context, cub::DeviceScan::ExclusiveSum(nullptr, bytes, m.bucket_counts, m.bucket_begins, buckets, stream),
        "distributing"));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->sort_space, bytes));
    return bp_cuda_check(context,
                         cub::DeviceScan::ExclusiveSum(context->sort_space.data, bytes, m.bucket_counts,
                                                       m.bucket_begins, buckets, stream),
                         "distributing");
}

// Whether there was room for all boxes.
static bp_status had_room(const bp_cuda_context *context, const partition_memory &m, cudaStream_t stream, bool *all) {
    BP_CUDA_TRY(bp_cuda_check(context,
                              cudaMemcpyAsync(context->host_result->crowded, m.crowded,
                                              sizeof(context->host_result->crowded), cudaMemcpyDeviceToHost, stream),
                              "distributing"));
    BP_CUDA_TRY(bp_cuda_check(context, cudaStreamSynchronize(stream), "distributing"));
    *all = context->host_result->crowded[0] == 0 && context->host_result->crowded[1] == 0;
    return BP_OK;
}

static bp_status order_buckets(const bp_cuda_context *context, bp_cuda_grid *grid, const key_split &split,
                               const partition_memory &m, cudaStream_t stream) {
    const bp_cuda_columns columns = bp_cuda_columns_of(grid, 0);
    const order_job j = {split,
                         (uint32_t)context->lattice.key_count + 1,
                         m,
                         static_cast<const uint4 *>(grid->halves[1].data),
                         static_cast<uint32_t *>(columns.keys),
                         columns.indices,
                         static_cast<uint32_t *>(grid->table.data),
                         columns.records};
    const size_t bytes = order_bytes(split.width);
    BP_CUDA_TRY(bp_cuda_check(
        context, cudaFuncSetAttribute(order_bucket, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
        "ordering"));
    order_bucket<<<split.bucket_count, THREADS, bytes, stream>>>(j);
    grid->ordered = columns;
    return bp_cuda_launched(context, "ordering");
}

bp_status bp_cuda_partition(bp_cuda_context *context, bp_cuda_grid *grid, uint64_t first_index, cudaStream_t stream,
                            bool *done) {
    const key_split split = split_for(grid->count, context->lattice.key_count);
    const size_t tiles = tiles_most(grid->count, split.part_count);
    partition_memory m;
    BP_CUDA_TRY(reserve_memory(context, split, tiles, stream, &m));
    BP_CUDA_TRY(is_usual(context->lattice.kind) ? place_boxes<true>(context, grid, first_index, split, m, stream)
                                                : place_boxes<false>(context, grid, first_index, split, m, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_KEYS, stream);
    const part_to_buckets pass = {split, static_cast<const uint4 *>(grid->halves[0].data), m};
    BP_CUDA_TRY(launch_place(context, pass, tiles, static_cast<uint4 *>(grid->halves[1].data), stream));
    BP_CUDA_TRY(begin_buckets(context, m, split.bucket_count, stream));
    BP_CUDA_TRY(had_room(context, m, stream, done));
    bp_cuda_mark(context, BP_CUDA_STAGE_SORT, stream);
    return *done ? order_buckets(context, grid, split, m, stream) : BP_OK;
}
