// Finds pairs in the grids: one thread per box, in the order of cells, against ranges of records.
//
//     +-----+-----+-----+      Inside a level (x along the row, y up, z out of the page): what follows in its own row
//     | -+  |  0+ | ++  |      up to the end of the box, and those rows on the upper side that it crosses into. With x
//     +-----+-----+-----+      fastest in the order of cells, the cells of a row are one range of records.
//           |  x→ | +0  |
//           +-----+-----+      In coarser levels: the up to three by three rows that a box could touch.
//
// A warp takes a few times 32 boxes. It concatenates the ranges of 32 boxes and tests all their candidates 32 at a
// time, whichever box they belong to:
//
//     ranges      |a a a|b|b b|d|d d d d|e ...      segments: the box of a range, and where it begins
//     marks        1 0 0 1 1 0 1 1 0 0 0 1 ...      a bit where one begins; bits up to here = the segment's number
//
// So no thread waits for another that has more to do, and a box with a million candidates is no special case. Hits go
// to the front of the warp's queue; hits that records do not decide go to its back, and their boxes are compared all at
// once. Then the tile is counted, its place in the output is determined (lookback.cuh) while hits become pairs of ids,
// and the queues are written: one pass over the candidates.
//
// If a queue overflows, its hits are only counted, and the warp repeats the search when its place is known; so no
// number of pairs is too large, and the order never depends on timing.
//
// Two kernels share this code: one searches inside levels and must be lean; the other searches coarser levels and ends
// at once if there is only one. Everything is inlined: calls in the loop over candidates would take its registers
// (measured: twice the time).
//
// Cost: 8 bytes per candidate, mostly from caches. It loses where most boxes are in one cell, as any grid does.
#include "lists.cuh"
#include "lookback.cuh"

enum {
    THREADS = 256,
    BLOCKS = 4, // on a multiprocessor
    WARPS = THREADS / 32,
    ROUNDS = 4,               // boxes per thread ...
    FEW_BOXES = BP_CUDA_MANY, // ... but 1 with fewer boxes than this, for enough tiles
    QUEUE = 104 * ROUNDS,     // hits of a warp
    BATCH = 1024,             // candidates that are marked at a time
    LONG = BP_CUDA_LONG,      // candidates; a box with more has the warp to itself
    NAMED = 4,                // hits per thread that become ids at a time
    BLOCKS_ACROSS = 132 * 8
};

template <class Key> struct job {
    view<Key> own, other; // the boxes that search, and those that are searched
    bp_cuda_pass_kind kind;
    int pass;
    bool ask; // records never decide, because of a period or filters
    uint32_t rounds;
    uint32_t tile_count;
    const uint32_t *occupied; // levels that have boxes
    unsigned long long *states;
    bp_cuda_result *result;
    bp_cuda_output output;
};

// The shared memory of a warp; it also holds rarely used values, to save registers.
struct warp_memory {
    uint4 segments[RANGES * 32];  // position of a candidate - its number; its box's lane; that box's record
    uint32_t starts[RANGES * 32]; // where segments begin
    uint32_t marks[BATCH / 32];
    uint2 hits[QUEUE];        // candidate, and box relative to the warp's first; undecided hits at the back
    uint32_t writing;         // 1 when the warp knows its place
    uint32_t again;           // 1 when it must repeat the search
    unsigned long long total; // pairs that have left the queue
    unsigned long long place; // of the next pair
};

// The number of hits in the queue of a warp.
struct queued_hits {
    uint32_t sure, doubtful;
};

struct shared_memory {
    warp_memory warps[WARPS];
    unsigned long long warp_totals[WARPS];
    unsigned long long begin;
    uint32_t tile;
};

static __device__ __forceinline__ bp_box load_box(const bp_box *box) {
    const float2 *parts = reinterpret_cast<const float2 *>(box);
    const float2 first = __ldg(parts), second = __ldg(parts + 1), third = __ldg(parts + 2);
    return {{first.x, first.y, second.x}, {second.y, third.x, third.y}};
}

// Compares the boxes and applies the filters.
template <class Key, bool WRAPS>
static __device__ __forceinline__ bool confirm(const bp_cuda_lattice &lattice, const job<Key> &j, uint32_t position,
                                               uint32_t candidate) {
    const uint32_t a = j.own.ids[position], b = j.other.ids[candidate];
    const bp_box a_box = load_box(j.own.boxes + a), b_box = load_box(j.other.boxes + b);
    const bool pass =
        j.own.objects == nullptr || j.other.objects == nullptr || bp_cuda_pass(&j.own.objects[a], &j.other.objects[b]);
    return pass && bp_cuda_overlap(kind_of<WRAPS>(lattice), &lattice, &a_box, &b_box);
}

// ---- the queue ------------------------------------------------------------------------------------------------------

// Compares the boxes of undecided hits and moves the pairs to the front. Returns how many hits there are then.
template <class Key, bool WRAPS>
static __device__ __forceinline__ uint32_t settle(const bp_cuda_lattice &lattice, const job<Key> &j, warp_memory &w,
                                                  uint32_t first, queued_hits queued) {
    const uint32_t lane = threadIdx.x & 31;
    uint32_t kept = queued.sure;
    __syncwarp();
#pragma unroll 1
    for (uint32_t begin = QUEUE - queued.doubtful; begin < QUEUE; begin += 32) { // writes never overtake reads
        const bool there = begin + lane < QUEUE;
        const uint2 hit = there ? w.hits[begin + lane] : make_uint2(0, 0);
        const bool keep = there && confirm<Key, WRAPS>(lattice, j, first + hit.y, hit.x);
        const uint32_t all = __ballot_sync(~0u, keep);
        if (keep) {
            w.hits[kept + (uint32_t)__popc(all & ((1u << lane) - 1))] = hit;
        }
        kept += (uint32_t)__popc(all);
        __syncwarp();
    }
    return kept;
}

// Turns hits into pairs: positions become ids. Several at a time, to overlap latencies.
template <class Key>
static __device__ __forceinline__ void name_hits(const job<Key> &j, warp_memory &w, uint32_t first, uint32_t count) {
    const uint32_t lane = threadIdx.x & 31;
#pragma unroll 1
    for (uint32_t begin = 0; begin < count; begin += 32 * NAMED) {
        uint32_t own[NAMED], other[NAMED];
#pragma unroll
        for (int i = 0; i < NAMED; ++i) {
            const uint32_t at = begin + i * 32 + lane;
            const uint2 hit = w.hits[at < count ? at : count - 1];
            own[i] = __ldg(j.own.ids + first + hit.y);
            other[i] = __ldg(j.other.ids + hit.x);
        }
        __syncwarp(); // the last hit is read by several threads
#pragma unroll
        for (int i = 0; i < NAMED; ++i) {
            const bool swapped = j.kind == BP_CUDA_WITHIN ? own[i] > other[i] : j.kind == BP_CUDA_FROM_STRICTLY;
            if (begin + i * 32 + lane < count) {
                w.hits[begin + i * 32 + lane] = swapped ? make_uint2(other[i], own[i]) : make_uint2(own[i], other[i]);
            }
        }
    }
}

static __device__ __forceinline__ void write_pairs(bp_cuda_output output, const warp_memory &w, uint32_t count,
                                                   unsigned long long place) {
    for (uint32_t i = threadIdx.x & 31; i < count; i += 32) {
        if (place + i < output.capacity) {
            reinterpret_cast<uint2 *>(output.pairs)[place + i] = w.hits[i];
        }
    }
}

// Empties the queue: counts or writes its pairs.
template <class Key, bool WRAPS>
static __device__ __forceinline__ void empty_queue(const bp_cuda_lattice &lattice, const job<Key> &j, warp_memory &w,
                                                   uint32_t first, queued_hits queued) {
    const uint32_t kept = settle<Key, WRAPS>(lattice, j, w, first, queued);
    if (w.writing != 0) {
        name_hits(j, w, first, kept);
        write_pairs(j.output, w, kept, w.place);
    }
    __syncwarp();
    if ((threadIdx.x & 31) == 0) {
        w.total += kept;
        w.place += kept;
        w.again = 1;
    }
    __syncwarp();
}

// ---- candidates -----------------------------------------------------------------------------------------------------

// Candidates of a warp, laid end to end.
struct row_of_candidates {
    uint32_t total, segments;
};

// Concatenates the ranges of all threads, and marks the first batch. `alone`: only one thread has ranges, possibly with
// more candidates than the scan can count.
static __device__ __forceinline__ row_of_candidates lay_out(warp_memory &w, const range_list &list, uint32_t own,
                                                            bool alone, bp_cuda_record record) {
    const uint32_t lane = threadIdx.x & 31;
    uint32_t ranges = 0;
#pragma unroll
    for (int i = 0; i < RANGES; ++i) {
        ranges += own > 0 && list.length[i] > 0;
    }
    uint32_t sum = ranges << 24 | (alone ? 0 : own); // both at once
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const uint32_t lower = __shfl_up_sync(~0u, sum, offset);
        sum += lane >= (uint32_t)offset ? lower : 0;
    }
    const uint32_t last = __shfl_sync(~0u, sum, 31);
    uint32_t segment = (sum >> 24) - ranges, at = alone ? 0 : (sum & 0xffffffu) - own;
    w.marks[lane] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < RANGES; ++i) {
        if (own > 0 && list.length[i] > 0) {
            w.starts[segment] = at;
            w.segments[segment++] = make_uint4(list.begin[i] - at, lane, record.low, record.high);
            if (at < BATCH) {
                atomicOr(&w.marks[at / 32], 1u << (at & 31));
            }
            at += list.length[i];
        }
    }
    __syncwarp();
    return {alone ? __reduce_max_sync(~0u, own) : last & 0xffffffu, last >> 24};
}

// Marks where segments begin, among the BATCH candidates from `batch` on.
static __device__ __forceinline__ void mark_segments(warp_memory &w, uint32_t segments, uint32_t batch) {
    const uint32_t lane = threadIdx.x & 31;
    __syncwarp();
    w.marks[lane] = 0;
    __syncwarp();
#pragma unroll 1
    for (uint32_t i = lane; i < segments; i += 32) {
        const uint32_t at = w.starts[i] - batch; // starts before the batch become large numbers
        if (at < BATCH) {
            atomicOr(&w.marks[at / 32], 1u << (at & 31));
        }
    }
    __syncwarp();
}

// One candidate for each thread.
struct candidate_state {
    uint32_t position; // of the record
    uint32_t whose;
    bp_cuda_record own, other;
};

// Candidate number `at` of a batch for the first thread, the next for the second, and so on. Where there is none, two
// records that do not overlap.
template <class Key>
static __device__ __forceinline__ candidate_state fetch(const job<Key> &j, const warp_memory &w, uint32_t batch,
                                                        uint32_t at, uint32_t count, uint32_t &segments) {
    const uint32_t lane = threadIdx.x & 31, marks = at < count ? w.marks[at / 32] : 0;
    const uint32_t segment = segments + (uint32_t)__popc(marks & (~0u >> (31 - lane)));
    segments += (uint32_t)__popc(marks);
    candidate_state c = {0, 0, {0, BP_CUDA_SIGNS}, {0, 0}};
    if (at + lane < count) {
        const uint4 s = w.segments[segment - 1];
        c.position = s.x + batch + at + lane;
        c.whose = s.y;
        c.own = {s.z, s.w};
        const uint2 words = __ldg(j.other.records + c.position);
        c.other = {words.x, words.y};
    }
    return c;
}

// Tests one candidate per thread and puts hits into the queue of the warp.
template <class Key>
static __device__ __forceinline__ void test(const job<Key> &j, warp_memory &w, uint32_t boxes, queued_hits &queued,
                                            const candidate_state &c) {
    const uint32_t before = (1u << (threadIdx.x & 31)) - 1;
    const bool hit = bp_cuda_may_overlap(c.own, c.other);
    const bool doubtful = hit && (j.ask || bp_cuda_is_doubtful(c.own, c.other)), sure = hit && !doubtful;
    const uint32_t all_sure = __ballot_sync(~0u, sure), all_doubtful = __ballot_sync(~0u, doubtful);
    if (sure) {
        w.hits[queued.sure + (uint32_t)__popc(all_sure & before)] = make_uint2(c.position, boxes + c.whose);
    }
    queued.sure += (uint32_t)__popc(all_sure);
    if (all_doubtful != 0) {
        if (doubtful) {
            w.hits[QUEUE - 1 - queued.doubtful - (uint32_t)__popc(all_doubtful & before)] =
                make_uint2(c.position, boxes + c.whose);
        }
        queued.doubtful += (uint32_t)__popc(all_doubtful);
    }
}

// Tests all candidates of a warp, two at a time per thread: one is loaded while the other is tested.
template <class Key, bool WRAPS>
static __device__ __forceinline__ void search_row(const bp_cuda_lattice &lattice, const job<Key> &j, warp_memory &w,
                                                  uint32_t first, uint32_t boxes, queued_hits &queued,
                                                  row_of_candidates row) {
    uint32_t segments = 0;
#pragma unroll 1
    for (uint32_t batch = 0; batch < row.total; batch += BATCH) {
        if (batch > 0) {
            mark_segments(w, row.segments, batch);
        }
        const uint32_t count = row.total - batch < BATCH ? row.total - batch : (uint32_t)BATCH;
        candidate_state even = fetch(j, w, batch, 0, count, segments);
#pragma unroll 1
        for (uint32_t at = 0; at < count; at += 64) {
            if (queued.sure + queued.doubtful > QUEUE - 64) {
                empty_queue<Key, WRAPS>(lattice, j, w, first, queued);
                queued = {0, 0};
            }
            const candidate_state odd = fetch(j, w, batch, at + 32, count, segments);
            test(j, w, boxes, queued, even);
            if (count - at <= 32) {
                break; // there is no odd candidate
            }
            even = fetch(j, w, batch, at + 64, count, segments);
            test(j, w, boxes, queued, odd);
        }
        if (row.total - batch <= BATCH) {
            break; // batch + BATCH might overflow 32 bits
        }
    }
}

// Searches for 32 boxes, the first of which is number `boxes` of the warp; then, one after the other, for boxes with
// very many candidates. `list` makes the list of a thread; making it again is cheaper than keeping it.
template <class Key, bool WRAPS, class List>
static __device__ __forceinline__ void search(const bp_cuda_lattice &lattice, const job<Key> &j, warp_memory &w,
                                              uint32_t first, uint32_t boxes, queued_hits &queued,
                                              bp_cuda_record record, List list) {
    const uint32_t lane = threadIdx.x & 31;
    uint32_t many = 0;
    int turn = 0;
    do {
        const range_list ranges = list();
        uint32_t own = 0;
#pragma unroll
        for (int i = 0; i < RANGES; ++i) {
            own += ranges.length[i];
        }
        many = __ballot_sync(~0u, own > LONG);
        const bool mine = turn == 0 ? own <= LONG : lane == __fns(many, 0, turn);
        __syncwarp(); // all threads have finished reading the last search's data
        const row_of_candidates row = lay_out(w, ranges, mine ? own : 0, turn > 0, record);
        search_row<Key, WRAPS>(lattice, j, w, first, boxes, queued, row);
    } while (++turn <= __popc(many));
}

// ---- levels ---------------------------------------------------------------------------------------------------------

template <class Key, bool WRAPS, bool DIRECT>
static __device__ __forceinline__ void search_inside(const bp_cuda_lattice &lattice, const job<Key> &j, warp_memory &w,
                                                     uint32_t first, uint32_t boxes, queued_hits &queued,
                                                     const lane_state<Key> &lane) {
#pragma unroll 1
    for (int segment = 0; segment < (WRAPS ? 2 : 1); ++segment) {
        search<Key, WRAPS>(lattice, j, w, first, boxes, queued, lane.record, [&]() {
            const range_list nothing = {};
            return lane.level != NOWHERE ? list_inside<Key, WRAPS, DIRECT>(lattice, j.other, lane, segment) : nothing;
        });
    }
}

// The span of the box in a coarser level; computed from the box itself if it touches the end of its own level.
template <class Key, bool WRAPS>
static __device__ __forceinline__ bp_cuda_span span_across(const bp_cuda_lattice &lattice, const job<Key> &j,
                                                           const lane_state<Key> &lane, uint32_t level) {
    bp_cuda_span span = locate<Key, WRAPS>(lattice, j.own, lane).span;
    if (!bp_cuda_coarsen(kind_of<WRAPS>(lattice), &lattice.levels[lane.level], &lattice.levels[level], &span)) {
        const bp_box box = load_box(j.own.boxes + j.own.ids[lane.position]);
        span = bp_cuda_span_of(kind_of<WRAPS>(lattice), &lattice, &lattice.levels[level], &box);
    }
    return span;
}

template <class Key, bool WRAPS, bool DIRECT>
static __device__ __forceinline__ void search_across(const bp_cuda_lattice &lattice, const job<Key> &j, warp_memory &w,
                                                     uint32_t first, uint32_t boxes, queued_hits &queued,
                                                     const lane_state<Key> &lane, uint32_t level, bool active) {
    bp_cuda_span span = {};
    if (active) {
        span = span_across<Key, WRAPS>(lattice, j, lane, level);
    }
    const bp_cuda_record record = bp_cuda_pack(kind_of<WRAPS>(lattice), &span);
#pragma unroll 1
    for (int part = 0; part < (WRAPS ? 6 : 3); ++part) {
        const int layer = WRAPS ? part / 2 : part, segment = WRAPS ? part % 2 : 0;
        search<Key, WRAPS>(lattice, j, w, first, boxes, queued, record, [&]() {
            const range_list nothing = {};
            return active
                       ? list_across<Key, WRAPS, DIRECT>(lattice, j.other, lattice.levels[level], span, layer, segment)
                       : nothing;
        });
    }
}

template <class Key, bool WRAPS, bool DIRECT>
static __device__ __forceinline__ void search_coarser(const bp_cuda_lattice &lattice, const job<Key> &j, warp_memory &w,
                                                      uint32_t first, uint32_t boxes, queued_hits &queued,
                                                      const lane_state<Key> &lane) {
#pragma unroll 1
    for (uint32_t rest = *j.occupied; rest != 0; rest &= rest - 1) {
        const uint32_t level = (uint32_t)__ffs((int)rest) - 1;
        const bool across = lane.level < level || (j.kind == BP_CUDA_TO_COARSER && lane.level == level);
        if (__any_sync(~0u, across)) {
            search_across<Key, WRAPS, DIRECT>(lattice, j, w, first, boxes, queued, lane, level, across);
        }
    }
}

// Prefetches into the first-level cache.
static __device__ __forceinline__ void ask_for(const void *place) {
#if defined(__CUDA_ARCH__)
    asm volatile("prefetch.global.L1 [%0];" ::"l"(place));
#else
    (void)place; // on the host, in tests
#endif
}

// ---- tiles ----------------------------------------------------------------------------------------------------------

template <class Key>
static __device__ __forceinline__ lane_state<Key> start_lane(const bp_cuda_lattice &lattice, const job<Key> &j,
                                                             uint64_t position) {
    lane_state<Key> lane = {(uint32_t)position, NOWHERE, {0, 0}, 0};
    if (position < j.own.count) {
        const Key key = __ldg(j.own.keys + position);
        const uint2 words = __ldg(j.own.records + position);
        lane.record = {words.x, words.y};
        lane.key = key;
        lane.level = key < lattice.key_count ? level_of_key(lattice, key) : (uint32_t)NOWHERE;
    }
    return lane;
}

// Where the output of this warp begins. While one warp determines it, the others turn hits into ids.
template <class Key>
static __device__ __forceinline__ unsigned long long place_warp(const job<Key> &j, shared_memory &shared, uint32_t tile,
                                                                warp_memory &w, uint32_t first, uint32_t kept) {
    const unsigned long long total = w.total + kept;
    const uint32_t warp = threadIdx.x / 32;
    if ((threadIdx.x & 31) == 0) {
        shared.warp_totals[warp] = total;
    }
    __syncthreads();
    unsigned long long before = 0, all = 0;
    for (uint32_t i = 0; i < WARPS; ++i) {
        before += i < warp ? shared.warp_totals[i] : 0;
        all += shared.warp_totals[i];
    }
    if (j.output.pairs == nullptr) {
        if (threadIdx.x == 0 && all > 0) {
            atomicAdd(&j.result->total, all);
        }
        return 0;
    }
    if (warp == 0) {
        // A later pass begins where the pass before it ended; only the last tile changes the total.
        const unsigned long long base = tile == 0 ? j.result->total : 0;
        const unsigned long long begin = bp_cuda_tile_begin(j.states, tile, base, all);
        if (threadIdx.x == 0) {
            shared.begin = begin;
            if (tile == j.tile_count - 1) {
                j.result->total = begin + all;
            }
        }
    }
    if (w.again == 0) {
        name_hits(j, w, first, kept);
    }
    __syncthreads();
    return shared.begin + before;
}

// Searches for all boxes of a warp. Returns the number of hits in its queue.
template <class Key, bool WRAPS, bool DIRECT, bool ACROSS>
static __device__ __forceinline__ queued_hits search_rounds(const bp_cuda_lattice &lattice, const job<Key> &j,
                                                            warp_memory &w, uint32_t first) {
    queued_hits queued = {0, 0};
#pragma unroll 1
    for (uint32_t round = 0; round < j.rounds; ++round) {
        const uint64_t position = (uint64_t)first + round * 32 + (threadIdx.x & 31);
        const lane_state<Key> lane = start_lane(lattice, j, position);
        if (round + 1 < j.rounds && position + 32 < j.own.count) {
            ask_for(j.own.keys + position + 32);
            ask_for(j.own.records + position + 32);
        }
        if (ACROSS) {
            search_coarser<Key, WRAPS, DIRECT>(lattice, j, w, first, round * 32, queued, lane);
        } else {
            search_inside<Key, WRAPS, DIRECT>(lattice, j, w, first, round * 32, queued, lane);
        }
    }
    return queued;
}

template <class Key, bool WRAPS, bool DIRECT, bool ACROSS>
static __device__ __forceinline__ void sweep_tile(const bp_cuda_lattice &lattice, const job<Key> &j,
                                                  shared_memory &shared, uint32_t tile) {
    warp_memory &w = shared.warps[threadIdx.x / 32];
    const uint64_t begin = ((uint64_t)tile * WARPS + threadIdx.x / 32) * 32 * j.rounds;
    const uint32_t first = (uint32_t)begin;
    const bool first_lane = (threadIdx.x & 31) == 0;
    if (first_lane) {
        w.writing = 0;
        w.again = 0;
        w.total = 0;
    }
    __syncwarp();
#pragma unroll 1
    for (;;) { // twice if the queue was too small
        queued_hits queued = {0, 0};
        if (begin < j.own.count) {
            queued = search_rounds<Key, WRAPS, DIRECT, ACROSS>(lattice, j, w, first);
        }
        const uint32_t kept = settle<Key, WRAPS>(lattice, j, w, first, queued);
        if (w.writing != 0) {
            name_hits(j, w, first, kept);
            write_pairs(j.output, w, kept, w.place);
            return;
        }
        const unsigned long long place = place_warp(j, shared, tile, w, first, kept);
        if (j.output.pairs == nullptr) {
            return;
        }
        if (w.again == 0) {
            write_pairs(j.output, w, kept, place);
            return;
        }
        if (first_lane) {
            w.place = place;
            w.writing = 1;
        }
        __syncwarp();
    }
}

// Dynamic, because it exceeds the limit of static shared memory.
static __device__ __forceinline__ shared_memory &memory_of_block() {
    extern __shared__ unsigned long long memory[];
    return *reinterpret_cast<shared_memory *>(memory);
}

// Inside levels: one tile per block.
template <class Key, bool WRAPS, bool DIRECT>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    sweep_inside(const __grid_constant__ bp_cuda_lattice lattice, const __grid_constant__ job<Key> j) {
    shared_memory &shared = memory_of_block();
    sweep_tile<Key, WRAPS, DIRECT, false>(lattice, j, shared, blockIdx.x);
}

// Across levels: blocks take tiles until none are left. Within one set, a single level needs no search.
template <class Key, bool WRAPS, bool DIRECT>
static __global__ void __launch_bounds__(THREADS)
    sweep_across(const __grid_constant__ bp_cuda_lattice lattice, const __grid_constant__ job<Key> j) {
    shared_memory &shared = memory_of_block();
    if (j.kind == BP_CUDA_WITHIN && (*j.occupied & (*j.occupied - 1)) == 0) {
        return;
    }
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            shared.tile = atomicAdd(&j.result->tickets[j.pass], 1u);
        }
        __syncthreads();
        if (shared.tile >= j.tile_count) {
            return;
        }
        sweep_tile<Key, WRAPS, DIRECT, true>(lattice, j, shared, shared.tile);
    }
}

// ---- the host's side ------------------------------------------------------------------------------------------------

static uint32_t rounds_for(size_t count) {
    return count < FEW_BOXES ? 1 : ROUNDS;
}

size_t bp_cuda_sweep_tiles(size_t count) {
    const size_t boxes = (size_t)THREADS * rounds_for(count);
    return (count + boxes - 1) / boxes;
}

template <class Key> static view<Key> view_of(const bp_cuda_grid *grid) {
    return {static_cast<const Key *>(grid->ordered.keys),
            grid->ordered.records,
            grid->ordered.indices,
            static_cast<const uint32_t *>(grid->table.data),
            grid->boxes,
            grid->objects,
            grid->count};
}

template <class Kernel, class Job>
static bp_status launch_kernel(const bp_cuda_context *context, Kernel kernel, const Job &j, uint32_t blocks,
                               cudaStream_t stream) {
    const int bytes = (int)sizeof(shared_memory);
    BP_CUDA_TRY(bp_cuda_check(context, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                              "the sweep"));
    kernel<<<blocks, THREADS, bytes, stream>>>(context->lattice, j);
    return bp_cuda_launched(context, "the sweep");
}

template <class Key, bool WRAPS, bool DIRECT>
static bp_status launch(const bp_cuda_context *context, const job<Key> &j, bool across, cudaStream_t stream) {
    const uint32_t blocks = j.tile_count < BLOCKS_ACROSS ? j.tile_count : (uint32_t)BLOCKS_ACROSS;
    return across ? launch_kernel(context, sweep_across<Key, WRAPS, DIRECT>, j, blocks, stream)
                  : launch_kernel(context, sweep_inside<Key, WRAPS, DIRECT>, j, j.tile_count, stream);
}

template <class Key>
static bp_status sweep_with(bp_cuda_context *context, const job<Key> &j, bool across, cudaStream_t stream) {
    const size_t bytes = j.tile_count * sizeof(unsigned long long);
    BP_CUDA_TRY(bp_cuda_check(context, cudaMemsetAsync(context->states.data, 0, bytes, stream), "the sweep"));
    if (context->lattice.kind.periodic != 0) {
        return launch<Key, true, false>(context, j, across, stream);
    }
    if (context->lattice.table_shift != 0 || sizeof(Key) > sizeof(uint32_t)) {
        return launch<Key, false, false>(context, j, across, stream);
    }
    return launch<Key, false, sizeof(Key) == sizeof(uint32_t)>(context, j, across, stream);
}

template <class Key>
static bp_status sweep_keys(bp_cuda_context *context, const bp_cuda_grid *objects, const bp_cuda_grid *candidates,
                            bp_cuda_pass_kind kind, int pass, bp_cuda_output output, cudaStream_t stream) {
    const bool filtered = objects->objects != nullptr && candidates->objects != nullptr;
    bp_cuda_result *result = bp_cuda_result_of(context);
    const job<Key> j = {view_of<Key>(objects),
                        view_of<Key>(candidates),
                        kind,
                        pass,
                        context->lattice.kind.periodic != 0 || filtered,
                        rounds_for(objects->count),
                        (uint32_t)bp_cuda_sweep_tiles(objects->count),
                        &result->occupied[candidates - context->grids],
                        static_cast<unsigned long long *>(context->states.data),
                        result,
                        output};
    if (kind == BP_CUDA_WITHIN) {
        BP_CUDA_TRY(sweep_with(context, j, false, stream));
    }
    // A single level has no coarser one.
    return kind == BP_CUDA_WITHIN && context->lattice.level_count < 2 ? BP_OK : sweep_with(context, j, true, stream);
}

bp_status bp_cuda_sweep(bp_cuda_context *context, const bp_cuda_grid *objects, const bp_cuda_grid *candidates,
                        bp_cuda_pass_kind kind, int pass, bp_cuda_output output, cudaStream_t stream) {
    if (objects->count == 0 || candidates->count == 0) {
        return BP_OK;
    }
    return objects->wide ? sweep_keys<uint64_t>(context, objects, candidates, kind, pass, output, stream)
                         : sweep_keys<uint32_t>(context, objects, candidates, kind, pass, output, stream);
}
