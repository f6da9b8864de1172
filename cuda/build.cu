// Builds a grid: every box gets a key (level and cell) and a record (two words, see geometry.h); keys are sorted with
// the indices of the boxes, records are gathered in that order, and a table says where each cell begins.
//
// For many boxes that are spread more or less evenly, partition.cu does the same faster, with the same bytes.
//
//     keys     24 bytes read, 16 written for each box
//     sort     CUB's radix sort of (key, index), only the bits that keys have; 16 bytes for each pass of 8 bits
//     arrange  gathers the records: random reads, but 8 bytes instead of the 24 of a box
//     table    chunks of 4096 entries: the first box of a chunk writes where the chunk begins, and one block per chunk
//              writes the entries. So no single thread has to fill a long gap between boxes.
//
// The boxes themselves are not moved: the search reads them only where records do not decide.
#include "keys.cuh"

#include <cub/device/device_radix_sort.cuh>

enum { THREADS = 256, CHUNK_BITS = 12, CHUNK = 1 << CHUNK_BITS, ENTRIES = CHUNK / THREADS, ARRANGED = 4 };

static const size_t MEMORY_LEFT = (size_t)64 << 20; // reserved for all that does not grow

static_assert(BP_CUDA_LEVELS <= 32, "a level is a bit");

static unsigned int blocks_for(size_t count) {
    return (unsigned int)((count + THREADS - 1) / THREADS);
}

// ---- plan -----------------------------------------------------------------------------------------------------------

static __global__ void take_samples(const bp_box *boxes, size_t count, size_t stride, uint32_t sample_count,
                                    bp_box *samples) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < sample_count) {
        samples[i] = boxes[bp_cuda_sample_index(i, stride, count)];
    }
}

bp_status bp_cuda_plan_boxes(bp_cuda_context *context, const bp_box *const boxes[2], const size_t counts[2],
                             cudaStream_t stream) {
    uint32_t taken = 0;
    for (int set = 0; set < 2; ++set) {
        const size_t stride = bp_cuda_sample_stride(counts[set]);
        const uint32_t sample_count = (uint32_t)((counts[set] + stride - 1) / stride);
        if (sample_count > 0) {
            take_samples<<<blocks_for(sample_count), THREADS, 0, stream>>>(boxes[set], counts[set], stride,
                                                                           sample_count, context->samples + taken);
            BP_CUDA_TRY(bp_cuda_launched(context, "sampling"));
        }
        taken += sample_count;
    }
    BP_CUDA_TRY(bp_cuda_check(context, cudaStreamSynchronize(stream), "sampling"));
    bp_cuda_plan(&context->config, context->samples, taken, counts[0] + counts[1], &context->lattice);
    context->stats.levels = context->lattice.level_count;
    context->stats.cells = context->lattice.key_count;
    context->stats.key_bits = bp_cuda_key_bits(&context->lattice);
    return BP_OK;
}

// ---- keys -----------------------------------------------------------------------------------------------------------

template <class Key, bool USUAL>
static __global__ void __launch_bounds__(THREADS)
    make_keys(const __grid_constant__ bp_cuda_lattice lattice, const bp_box *__restrict__ boxes, uint32_t count,
              uint64_t first_index, Key *keys, uint32_t *indices, uint2 *records, bp_cuda_result *result) {
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= count) {
        return;
    }
    const bp_box box = load_box_once(boxes + i);
    if (!bp_cuda_is_valid(kind_for<USUAL>(lattice), &lattice, &box)) {
        atomicMin(&result->invalid, first_index + i);
    }
    const keyed_record<Key> k = keyed_record_of<Key, USUAL>(lattice, box);
    keys[i] = k.key;
    indices[i] = (uint32_t)i;
    records[i] = make_uint2(k.record.low, k.record.high);
}

// ---- sort -----------------------------------------------------------------------------------------------------------

// A half holds keys, indices and records, each beginning at a multiple of 128 bytes.
static size_t column_length(size_t count) {
    return (count + 31) / 32 * 32;
}

size_t bp_cuda_half_bytes(size_t count, size_t key_bytes, size_t record_bytes) {
    return column_length(count) * (key_bytes + sizeof(uint32_t) + record_bytes);
}

bp_cuda_columns bp_cuda_columns_of(const bp_cuda_grid *grid, int half) {
    char *memory = static_cast<char *>(grid->halves[half].data);
    const size_t length = column_length(grid->count), key_bytes = grid->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    return {memory, reinterpret_cast<uint32_t *>(memory + length * key_bytes),
            reinterpret_cast<uint2 *>(memory + length * (key_bytes + sizeof(uint32_t)))};
}

template <class Key>
static bp_status sort_keys(bp_cuda_context *context, bp_cuda_grid *grid, uint32_t bits, cudaStream_t stream) {
    const bp_cuda_columns first = bp_cuda_columns_of(grid, 0), second = bp_cuda_columns_of(grid, 1);
    cub::DoubleBuffer<Key> keys(static_cast<Key *>(first.keys), static_cast<Key *>(second.keys));
    cub::DoubleBuffer<uint32_t> indices(first.indices, second.indices);
    size_t bytes = 0;
    BP_CUDA_TRY(bp_cuda_check(
        context, cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, indices, grid->count, 0, (int)bits, stream),
        "sorting"));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->sort_space, bytes));
    BP_CUDA_TRY(bp_cuda_check(context,
                              cub::DeviceRadixSort::SortPairs(context->sort_space.data, bytes, keys, indices,
                                                              grid->count, 0, (int)bits, stream),
                              "sorting"));
    grid->ordered = {keys.Current(), indices.Current(), second.records}; // the records follow later
    return BP_OK;
}

bp_status bp_cuda_sort_keys(bp_cuda_context *context, bp_cuda_grid *grid, uint32_t bits, cudaStream_t stream) {
    return grid->wide ? sort_keys<uint64_t>(context, grid, bits, stream)
                      : sort_keys<uint32_t>(context, grid, bits, stream);
}

// ---- arrange --------------------------------------------------------------------------------------------------------

// Where each chunk of the table begins: at its first box or, if it has none, at the first box after it.
template <class Key>
static __device__ __forceinline__ void begin_chunks(const Key *keys, uint32_t i, uint32_t count, uint32_t shift,
                                                    uint64_t chunk_count, uint32_t *chunks) {
    const uint64_t before = i > 0 ? (uint64_t)(keys[i - 1] >> shift >> CHUNK_BITS) + 1 : 0;
    const uint64_t own = i < count ? (uint64_t)(keys[i] >> shift >> CHUNK_BITS) : chunk_count;
    for (uint64_t chunk = before; chunk <= own; ++chunk) {
        chunks[chunk] = i;
    }
}

template <class Key>
static __global__ void __launch_bounds__(THREADS)
    find_chunks(const Key *__restrict__ keys, uint32_t count, uint32_t shift, uint64_t chunk_count, uint32_t *chunks) {
    const uint64_t begin = blockIdx.x * (uint64_t)(THREADS * ARRANGED) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < ARRANGED; ++i) {
        if (begin + i * THREADS <= count) {
            begin_chunks(keys, (uint32_t)(begin + i * THREADS), count, shift, chunk_count, chunks);
        }
    }
}

// Several records at a time, to overlap their latencies.
static __global__ void __launch_bounds__(THREADS)
    arrange(const uint32_t *__restrict__ indices, const uint2 *__restrict__ records, uint32_t count, uint2 *sorted) {
    const uint64_t begin = blockIdx.x * (uint64_t)(THREADS * ARRANGED) + threadIdx.x;
    uint32_t index[ARRANGED];
    uint2 record[ARRANGED];
#pragma unroll
    for (int i = 0; i < ARRANGED; ++i) {
        index[i] = begin + i * THREADS < count ? __ldcs(indices + begin + i * THREADS) : 0;
    }
#pragma unroll
    for (int i = 0; i < ARRANGED; ++i) {
        record[i] = __ldg(records + index[i]);
    }
#pragma unroll
    for (int i = 0; i < ARRANGED; ++i) {
        if (begin + i * THREADS < count) {
            sorted[begin + i * THREADS] = record[i];
        }
    }
}

// The smallest value of all later threads of the block, at most `most`.
static __device__ uint32_t least_after(uint32_t value, uint32_t most, uint32_t *least_of_warps) {
    const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        value = min(value, __shfl_down_sync(~0u, value, offset)); // beyond the warp: its own value
    }
    if (lane == 0) {
        least_of_warps[warp] = value;
    }
    __syncthreads();
    uint32_t least = __shfl_down_sync(~0u, value, 1);
    least = lane < 31 ? least : most;
    for (uint32_t later = warp + 1; later < THREADS / 32; ++later) {
        least = min(least, least_of_warps[later]);
    }
    return min(least, most);
}

// Padding against bank conflicts in shared memory, where each thread has 16 consecutive entries.
static __device__ __forceinline__ uint32_t padded(uint32_t entry) {
    return entry + entry / ENTRIES;
}

// Fills a chunk of the table: first the cells with boxes, then, backwards, the cells without.
template <class Key>
static __global__ void __launch_bounds__(THREADS)
    fill_chunk(const Key *__restrict__ keys, const uint32_t *__restrict__ chunks, uint32_t shift, uint64_t entry_count,
               uint32_t *table) {
    __shared__ uint32_t entries[CHUNK + THREADS];
    __shared__ uint32_t least_of_warps[THREADS / 32];
    const uint64_t first_entry = (uint64_t)blockIdx.x << CHUNK_BITS;
    const uint32_t begin = chunks[blockIdx.x], end = chunks[blockIdx.x + 1];
    for (uint32_t i = threadIdx.x; i < CHUNK + THREADS; i += THREADS) {
        entries[i] = ~0u;
    }
    __syncthreads();
    for (uint64_t i = (uint64_t)begin + threadIdx.x; i < end; i += THREADS) {
        const uint64_t entry = keys[i] >> shift;
        if (i == begin || entry != keys[i - 1] >> shift) {
            entries[padded((uint32_t)(entry - first_entry))] = (uint32_t)i;
        }
    }
    __syncthreads();
    uint32_t own = ~0u;
    for (uint32_t i = 0; i < ENTRIES; ++i) {
        own = min(own, entries[padded(threadIdx.x * ENTRIES + i)]);
    }
    uint32_t next = least_after(own, end, least_of_warps);
    for (uint32_t i = ENTRIES; i-- > 0;) {
        next = min(next, entries[padded(threadIdx.x * ENTRIES + i)]);
        entries[padded(threadIdx.x * ENTRIES + i)] = next;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < CHUNK && first_entry + i < entry_count; i += THREADS) {
        table[first_entry + i] = entries[padded(i)];
    }
}

size_t bp_cuda_table_entries(uint64_t key_count, uint32_t shift) {
    return (size_t)(key_count >> shift) + 2; // one for boxes that fit no level, and the end
}

static size_t chunks_of(size_t entries) {
    return (entries + CHUNK - 1) / CHUNK;
}

template <class Key>
static bp_status fill_table(bp_cuda_context *context, bp_cuda_grid *grid, uint64_t key_count, uint32_t shift,
                            cudaStream_t stream) {
    const size_t entries = bp_cuda_table_entries(key_count, shift), chunk_count = chunks_of(entries);
    const Key *keys = static_cast<const Key *>(grid->ordered.keys);
    uint32_t *chunks = static_cast<uint32_t *>(grid->chunks.data);
    find_chunks<Key><<<blocks_for(((size_t)grid->count + ARRANGED) / ARRANGED), THREADS, 0, stream>>>(
        keys, grid->count, shift, chunk_count, chunks);
    fill_chunk<Key><<<(unsigned int)chunk_count, THREADS, 0, stream>>>(keys, chunks, shift, entries,
                                                                       static_cast<uint32_t *>(grid->table.data));
    return bp_cuda_launched(context, "the table of cells");
}

bp_status bp_cuda_fill_table(bp_cuda_context *context, bp_cuda_grid *grid, uint64_t key_count, uint32_t shift,
                             cudaStream_t stream) {
    return grid->wide ? fill_table<uint64_t>(context, grid, key_count, shift, stream)
                      : fill_table<uint32_t>(context, grid, key_count, shift, stream);
}

// ---- levels ---------------------------------------------------------------------------------------------------------

// Which levels have boxes: those whose successor begins later.
template <class Key>
static __global__ void find_occupied(const __grid_constant__ bp_cuda_lattice lattice, const Key *keys, uint32_t count,
                                     uint32_t *occupied) {
    const uint32_t level = threadIdx.x;
    const bool asked = level < lattice.level_count;
    const uint64_t first = asked ? lattice.levels[level].first_key : 0;
    const uint64_t next = level + 1 < lattice.level_count ? lattice.levels[level + 1].first_key : lattice.key_count;
    uint32_t low = 0, high = asked ? count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = keys[middle] < first;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    const uint32_t all = __ballot_sync(~0u, asked && low < count && keys[low] < next);
    if (level == 0) {
        *occupied = all;
    }
}

// ---- the whole build ------------------------------------------------------------------------------------------------

// Distributing takes more memory than sorting; if memory is short, boxes are sorted.
static bool has_memory_for_items(const bp_cuda_context *context, const bp_cuda_grid *grid, size_t count,
                                 size_t columns) {
    size_t more = 0, available = 0, all = 0;
    for (int i = 0; i < 2; ++i) {
        const size_t items = bp_cuda_partition_bytes(context, count, i), held = grid->halves[i].bytes;
        const size_t bytes = items > columns ? items : columns;
        more += bytes > held ? bytes - held : 0;
    }
    const size_t table = bp_cuda_table_entries(context->lattice.key_count, 0) * sizeof(uint32_t);
    more += table > grid->table.bytes ? table - grid->table.bytes : 0;
    return more == 0 || (cudaMemGetInfo(&available, &all) == cudaSuccess && more + MEMORY_LEFT <= available);
}

bp_status bp_cuda_reserve_grid(bp_cuda_context *context, bp_cuda_grid *grid, size_t count) {
    const size_t entries = bp_cuda_table_entries(context->lattice.key_count, context->lattice.table_shift);
    grid->wide = bp_cuda_key_bits(&context->lattice) > 32;
    const size_t key_bytes = grid->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const size_t columns = bp_cuda_half_bytes(count, key_bytes, sizeof(bp_cuda_record));
    grid->distributed = bp_cuda_may_partition(context, count) && has_memory_for_items(context, grid, count, columns);
    for (int i = 0; i < 2; ++i) {
        const size_t items = grid->distributed ? bp_cuda_partition_bytes(context, count, i) : 0;
        BP_CUDA_TRY(bp_cuda_reserve(context, &grid->halves[i], columns > items ? columns : items));
    }
    BP_CUDA_TRY(bp_cuda_reserve(context, &grid->table, entries * sizeof(uint32_t)));
    return bp_cuda_reserve(context, &grid->chunks, (chunks_of(entries) + 1) * sizeof(uint32_t));
}

static void launch_occupied(const bp_cuda_context *context, const bp_cuda_grid *grid, cudaStream_t stream) {
    uint32_t *occupied = &bp_cuda_result_of(context)->occupied[grid - context->grids];
    const void *keys = grid->ordered.keys;
    if (grid->wide) {
        find_occupied<<<1, 32, 0, stream>>>(context->lattice, static_cast<const uint64_t *>(keys), grid->count,
                                            occupied);
    } else {
        find_occupied<<<1, 32, 0, stream>>>(context->lattice, static_cast<const uint32_t *>(keys), grid->count,
                                            occupied);
    }
}

template <class Key>
static bp_status launch_keys(bp_cuda_context *context, bp_cuda_grid *grid, uint64_t first_index, cudaStream_t stream) {
    const bp_cuda_columns columns = bp_cuda_columns_of(grid, 0);
    const auto kernel = is_usual(context->lattice.kind) ? make_keys<Key, true> : make_keys<Key, false>;
    kernel<<<blocks_for(grid->count), THREADS, 0, stream>>>(context->lattice, grid->boxes, grid->count, first_index,
                                                            static_cast<Key *>(columns.keys), columns.indices,
                                                            columns.records, bp_cuda_result_of(context));
    return bp_cuda_launched(context, "keys");
}

// By a sort.
static bp_status build_sorted(bp_cuda_context *context, bp_cuda_grid *grid, uint64_t first_index, cudaStream_t stream) {
    BP_CUDA_TRY(grid->wide ? launch_keys<uint64_t>(context, grid, first_index, stream)
                           : launch_keys<uint32_t>(context, grid, first_index, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_KEYS, stream);
    BP_CUDA_TRY(bp_cuda_sort_keys(context, grid, bp_cuda_key_bits(&context->lattice), stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_SORT, stream);
    arrange<<<blocks_for(((size_t)grid->count + ARRANGED - 1) / ARRANGED), THREADS, 0, stream>>>(
        grid->ordered.indices, bp_cuda_columns_of(grid, 0).records, grid->count, grid->ordered.records);
    BP_CUDA_TRY(bp_cuda_launched(context, "arranging"));
    return bp_cuda_fill_table(context, grid, context->lattice.key_count, context->lattice.table_shift, stream);
}

bp_status bp_cuda_build(bp_cuda_context *context, bp_cuda_grid *grid, const bp_box *boxes, size_t count,
                        const bp_object *objects, uint64_t first_index, cudaStream_t stream) {
    grid->boxes = boxes;
    grid->objects = objects;
    grid->count = (uint32_t)count;
    bool done = false;
    if (grid->distributed) {
        BP_CUDA_TRY(bp_cuda_partition(context, grid, first_index, stream, &done));
    }
    context->stats.distributed += done;
    if (!done) {
        BP_CUDA_TRY(build_sorted(context, grid, first_index, stream));
    }
    launch_occupied(context, grid, stream);
    bp_cuda_mark(context, BP_CUDA_STAGE_ARRANGE, stream);
    return bp_cuda_launched(context, "levels");
}
