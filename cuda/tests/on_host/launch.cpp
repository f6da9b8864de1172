// Runs kernels. The blocks of a launch run one after the other. The threads of a block are fibers: one runs until it must wait
// for others of its warp or block, then the next. In which order they get their turn differs from block to block: forwards,
// backwards, shuffled. So where a barrier is missing, some thread comes too early sooner or later.
//
// A fiber begins by makecontext(); from then on it is left and entered by _setjmp() and _longjmp(), which need no system call.
#include "on_host.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#else
static void __sanitizer_start_switch_fiber(void **, const void *, size_t) {
}
static void __sanitizer_finish_switch_fiber(void *, const void **, size_t *) {
}
#endif

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace on_host {

enum { THREADS_MOST = 1024, STACK = 256 << 10, SHARED_MOST = 227 << 10 };

// Where threads wait for each other.
struct meeting {
    uint32_t members, arrived;
    uint32_t turn; // how often they have met
    int line;      // where they meet now
    uint64_t values[2][WARP];
    uint32_t set[2];
};

struct fiber {
    ucontext_t context;
    jmp_buf place;
    char *stack;
    void *sanitized; // what the sanitizer keeps of it
    uint32_t index;
    bool started, ended;
    const meeting *waits; // for its next turn
    uint32_t turn;
};

static std::vector<fiber> fibers;
static fiber *current;
static const std::function<void()> *work;
static const char *kernel;
static meeting warps[THREADS_MOST / WARP], whole;
static std::unique_ptr<uint4[]> dynamic;
static std::map<std::string, uint64_t> launches;
static jmp_buf home;
static void *home_sanitized;
static const void *home_stack;
static size_t home_size;

[[noreturn]] static void fail(const char *what, int line) {
    fprintf(stderr, "kernel %s, block %u, thread %u, line %d: %s\n", kernel, blockIdx.x, threadIdx.x, line, what);
    abort();
}

// ---- fibers ---------------------------------------------------------------------------------------------------------

static void leave() {
    fiber &own = *current;
    if (_setjmp(own.place) == 0) {
        __sanitizer_start_switch_fiber(&own.sanitized, home_stack, home_size);
        _longjmp(home, 1);
    }
    __sanitizer_finish_switch_fiber(own.sanitized, &home_stack, &home_size);
}

static void live() {
    __sanitizer_finish_switch_fiber(nullptr, &home_stack, &home_size);
    for (;;) { // a thread after the other, of many blocks
        (*work)();
        current->ended = true;
        leave();
    }
}

static void enter(fiber &next) {
    current = &next;
    threadIdx.x = next.index;
    if (_setjmp(home) == 0) {
        __sanitizer_start_switch_fiber(&home_sanitized, next.stack, STACK);
        if (next.started) {
            _longjmp(next.place, 1);
        }
        next.started = true;
        setcontext(&next.context);
    }
    __sanitizer_finish_switch_fiber(home_sanitized, nullptr, nullptr);
}

static void make_fibers() {
    fibers.resize(THREADS_MOST);
    for (fiber &made : fibers) {
        made.index = (uint32_t)(&made - fibers.data());
        made.stack = static_cast<char *>(
            mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        getcontext(&made.context);
        made.context.uc_stack.ss_sp = made.stack;
        made.context.uc_stack.ss_size = STACK;
        makecontext(&made.context, live, 0);
    }
}

// ---- meetings -------------------------------------------------------------------------------------------------------

// Returns which of the two sets of values is that of this meeting. The other one is not touched before all threads have met
// again, and so have read these.
static uint32_t meet(meeting &m, uint32_t member, uint64_t value, int line) {
    const uint32_t turn = m.turn, set = turn % 2;
    if (m.arrived == 0) {
        m.line = line;
        m.set[set] = 0;
    } else if (m.line != line) {
        fail("other threads are at another barrier", line);
    }
    m.values[set][member % WARP] = value;
    m.set[set] |= value != 0 ? 1u << member % WARP : 0;
    if (++m.arrived == m.members) {
        m.arrived = 0;
        ++m.turn;
        return set;
    }
    current->waits = &m;
    current->turn = turn;
    leave();
    return set;
}

warp_values meet_warp(uint32_t mask, uint64_t value, int line) {
    if (mask != ~0u) {
        fail("a part of a warp", line);
    }
    meeting &warp = warps[threadIdx.x / WARP];
    const uint32_t set = meet(warp, threadIdx.x, value, line);
    return {warp.values[set], warp.set[set]};
}

void meet_block(int line) {
    meet(whole, threadIdx.x, 0, line);
}

void *shared_memory() {
    return dynamic.get();
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

// The order of the threads in the next block.
static const std::vector<uint32_t> &next_order(uint32_t threads) {
    static std::vector<uint32_t> order;
    static std::mt19937 random;
    static uint32_t number;
    order.resize(threads);
    for (uint32_t i = 0; i < threads; ++i) {
        order[i] = number % 3 == 1 ? threads - 1 - i : i;
    }
    if (number++ % 3 == 2) {
        std::shuffle(order.begin(), order.end(), random);
    }
    return order;
}

static bool may_run(const fiber &f) {
    return !f.ended && (f.waits == nullptr || f.waits->turn != f.turn);
}

// Every thread once, as far as it gets. Returns how many have ended; 0 threads ran if all others wait for each other.
static uint32_t run_threads(const std::vector<uint32_t> &order, uint32_t &ran) {
    uint32_t ended = 0;
    ran = 0;
    for (const uint32_t i : order) {
        if (may_run(fibers[i])) {
            fibers[i].waits = nullptr;
            enter(fibers[i]);
            ++ran;
        }
        ended += fibers[i].ended;
    }
    return ended;
}

static void run_block(uint32_t threads, size_t shared) {
    whole = {};
    whole.members = threads;
    for (uint32_t i = 0; i < threads; ++i) {
        fibers[i].ended = false;
        fibers[i].waits = nullptr;
        warps[i / WARP] = {};
        warps[i / WARP].members = std::min(threads - i / WARP * WARP, (uint32_t)WARP);
    }
    std::memset(dynamic.get(), 0xcd, shared); // memory that nobody has set
    const std::vector<uint32_t> &order = next_order(threads);
    for (uint32_t ran = 0, ended = 0; ended < threads;) {
        ended = run_threads(order, ran);
        for (uint32_t i = 0; i < threads && ran == 0; ++i) {
            if (!fibers[i].ended) {
                threadIdx.x = i;
                fail("waits for threads that have ended, or wait elsewhere", fibers[i].waits->line);
            }
        }
    }
}

cudaError_t refuse(cudaError_t error);

void run(const char *name, uint32_t grid, uint32_t block, size_t shared, cudaStream_t stream,
         const std::function<void()> &thread) {
    const access access;
    bp_cuda_on_host.stream = (uint64_t)(uintptr_t)stream;
    if (bp_cuda_on_host.fail != 0 && --bp_cuda_on_host.fail == 0) {
        (void)refuse(cudaErrorLaunchFailure);
        return;
    }
    if (grid == 0 || grid > INT32_MAX || block == 0 || block > THREADS_MOST || shared > SHARED_MOST) {
        (void)refuse(cudaErrorInvalidConfiguration);
        return;
    }
    if (fibers.empty()) {
        make_fibers();
    }
    dynamic.reset(new uint4[(shared + sizeof(uint4) - 1) / sizeof(uint4)]);
    ++launches[name];
    kernel = name;
    work = &thread;
    gridDim = {grid, 1, 1};
    blockDim = {block, 1, 1};
    for (blockIdx = {0, 0, 0}; blockIdx.x < grid; ++blockIdx.x) {
        run_block(block, shared);
    }
}

} // namespace on_host

uint64_t bp_cuda_on_host_launches(const char *name) {
    const on_host::access access;
    return on_host::launches[name];
}
