// Tests boxes that fit no level (infinite ones, and a few giants; the "listed" ones) against all others: one thread per
// box tests all listed boxes. A tile is counted, placed (lookback.cuh), and searched again to write. Blocks take tiles
// until none are left; if nothing is listed, which the host does not know, they end at once.
//
// Cost: boxes * listed. Work is divided by boxes, so it is balanced for any number of listed boxes.
#include "context.cuh"

#include "lookback.cuh"

#include <cub/block/block_scan.cuh>

enum { THREADS = 256, STAGED = 64, BLOCKS_MOST = 132 * 8 };

struct listed_box {
    bp_box box;
    uint32_t id;
    uint32_t flags, island;
    uint64_t group, mask;
};

struct scan_job {
    const uint32_t *ids; // of all boxes of the listed set; the listed ones come last
    const bp_box *listed_boxes;
    const bp_object *listed_objects;
    uint32_t table_shift, listed_count_all;
    const uint32_t *table;
    const bp_box *boxes;
    const bp_object *objects;
    uint32_t count;
    uint32_t tile_count;
    bp_cuda_scan_kind kind;
    int pass;
    unsigned long long *states;
    bp_cuda_result *result;
    bp_cuda_output output;
};

// The position of the first listed box: keys are sorted and theirs is the largest.
template <class Key> static __device__ uint32_t first_listed(const scan_job &j, const Key *keys, uint64_t key_count) {
    uint32_t low = j.table[key_count >> j.table_shift], high = j.listed_count_all;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (keys[middle] < key_count) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// A box of the other set, in one thread.
struct scanned_box {
    bp_box box;
    bp_object object;
    uint32_t id;
    bool active;    // takes part at all
    bool is_listed; // fits no level either
};

static __device__ scanned_box load_scanned(const bp_cuda_lattice &lattice, const scan_job &j, uint64_t index) {
    scanned_box b = {};
    b.id = (uint32_t)index;
    b.active = index < j.count;
    if (b.active) {
        b.box = j.boxes[index];
        b.is_listed = bp_cuda_level_of(lattice.kind, &lattice, &b.box) == lattice.level_count;
        b.active = j.kind != BP_CUDA_SCAN_FITTING || !b.is_listed;
        if (j.objects != nullptr) {
            b.object = j.objects[index];
        }
    }
    return b;
}

static __device__ bool is_pair(const bp_cuda_lattice &lattice, const scan_job &j, const scanned_box &b,
                               const listed_box &l) {
    // Of two listed boxes of one set, the one with the smaller index finds the other.
    if (!b.active || (j.kind == BP_CUDA_SCAN_WITHIN && b.is_listed && l.id <= b.id)) {
        return false;
    }
    const bp_object other = {l.group, l.mask, l.flags, l.island, 0, 0};
    return bp_cuda_overlap(lattice.kind, &lattice, &b.box, &l.box) &&
           (j.objects == nullptr || j.listed_objects == nullptr || bp_cuda_pass(&b.object, &other));
}

static __device__ bp_pair pair_of(const scan_job &j, const scanned_box &b, const listed_box &l) {
    const bool swapped = j.kind == BP_CUDA_SCAN_WITHIN ? b.id > l.id : j.kind == BP_CUDA_SCAN_FITTING;
    return swapped ? bp_pair{l.id, b.id} : bp_pair{b.id, l.id};
}

static __device__ void stage_listed(const scan_job &j, uint32_t begin, uint32_t count, listed_box *staged) {
    __syncthreads();
    if (threadIdx.x < count) {
        listed_box l = {};
        l.id = j.ids[begin + threadIdx.x];
        l.box = j.listed_boxes[l.id];
        if (j.listed_objects != nullptr) {
            const bp_object object = j.listed_objects[l.id];
            l.group = object.group;
            l.mask = object.mask;
            l.flags = object.flags;
            l.island = object.island;
        }
        staged[threadIdx.x] = l;
    }
    __syncthreads();
}

// Counts the pairs of this thread's box, or writes them starting at `place`.
template <bool WRITE>
static __device__ unsigned long long go_through(const bp_cuda_lattice &lattice, const scan_job &j, uint32_t first,
                                                const scanned_box &b, listed_box *staged, unsigned long long place) {
    unsigned long long found = 0;
    for (uint32_t begin = first; begin < j.listed_count_all; begin += STAGED) {
        const uint32_t left = j.listed_count_all - begin, count = left < STAGED ? left : STAGED;
        stage_listed(j, begin, count, staged);
        for (uint32_t i = 0; i < count; ++i) {
            if (is_pair(lattice, j, b, staged[i])) {
                if (WRITE && place + found < j.output.capacity) {
                    j.output.pairs[place + found] = pair_of(j, b, staged[i]);
                }
                ++found;
            }
        }
        if (left <= STAGED) {
            break; // begin + STAGED might overflow 32 bits
        }
    }
    return found;
}

template <class Key>
static __global__ void __launch_bounds__(THREADS)
    scan_listed(const __grid_constant__ bp_cuda_lattice lattice, const __grid_constant__ scan_job j, const Key *keys) {
    using block_scan = cub::BlockScan<unsigned long long, THREADS>;
    __shared__ typename block_scan::TempStorage space;
    __shared__ listed_box staged[STAGED];
    __shared__ uint32_t tile, first;
    __shared__ unsigned long long tile_begin;
    if (threadIdx.x == 0) {
        first = first_listed(j, keys, lattice.key_count);
    }
    __syncthreads();
    while (first < j.listed_count_all) {
        if (threadIdx.x == 0) {
            tile = atomicAdd(&j.result->tickets[j.pass], 1u);
        }
        __syncthreads();
        if (tile >= j.tile_count) {
            return;
        }
        const scanned_box b = load_scanned(lattice, j, (uint64_t)tile * THREADS + threadIdx.x);
        const unsigned long long found = go_through<false>(lattice, j, first, b, staged, 0);
        unsigned long long before = 0, all = 0;
        block_scan(space).ExclusiveSum(found, before, all);
        if (j.output.pairs == nullptr) {
            if (threadIdx.x == 0 && all > 0) {
                atomicAdd(&j.result->total, all);
            }
        } else {
            if (threadIdx.x < 32) {
                const unsigned long long base = tile == 0 ? j.result->total : 0;
                const unsigned long long begin = bp_cuda_tile_begin(j.states, tile, base, all);
                if (threadIdx.x == 0) {
                    tile_begin = begin;
                    if (tile == j.tile_count - 1) {
                        j.result->total = begin + all;
                    }
                }
            }
            __syncthreads();
            if (all > 0) {
                go_through<true>(lattice, j, first, b, staged, tile_begin + before);
            }
        }
        __syncthreads();
    }
}

size_t bp_cuda_scan_tiles(size_t count) {
    return (count + THREADS - 1) / THREADS;
}

bp_status bp_cuda_scan(bp_cuda_context *context, const bp_cuda_grid *listed, const bp_cuda_grid *others,
                       bp_cuda_scan_kind kind, int pass, bp_cuda_output output, cudaStream_t stream) {
    if (listed->count == 0 || others->count == 0) {
        return BP_OK;
    }
    scan_job j = {};
    j.ids = listed->ordered.indices;
    j.listed_boxes = listed->boxes;
    j.listed_objects = listed->objects;
    j.listed_count_all = listed->count;
    j.table_shift = context->lattice.table_shift;
    j.table = static_cast<const uint32_t *>(listed->table.data);
    j.boxes = others->boxes;
    j.objects = others->objects;
    j.count = others->count;
    j.tile_count = (uint32_t)bp_cuda_scan_tiles(others->count);
    j.kind = kind;
    j.pass = pass;
    j.states = static_cast<unsigned long long *>(context->states.data);
    j.result = bp_cuda_result_of(context);
    j.output = output;
    const size_t bytes = j.tile_count * sizeof(unsigned long long);
    BP_CUDA_TRY(bp_cuda_check(context, cudaMemsetAsync(context->states.data, 0, bytes, stream), "scanning"));
    const unsigned int blocks = j.tile_count < BLOCKS_MOST ? j.tile_count : BLOCKS_MOST;
    const void *keys = listed->ordered.keys;
    if (listed->wide) {
        scan_listed<uint64_t><<<blocks, THREADS, 0, stream>>>(context->lattice, j, static_cast<const uint64_t *>(keys));
    } else {
        scan_listed<uint32_t><<<blocks, THREADS, 0, stream>>>(context->lattice, j, static_cast<const uint32_t *>(keys));
    }
    return bp_cuda_launched(context, "scanning");
}
