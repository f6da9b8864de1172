#if defined(__linux__)
#define _GNU_SOURCE // sched_getaffinity. NOLINT(bugprone-reserved-identifier)
#include <sched.h>
#endif

#include "base/workers.h"

#ifdef BP_THREADS

#include "base/clock.h"
#include "base/log.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    LINE = 64,            // bytes: what two processors cannot write at once
    STACK_BYTES = 1 << 20 // of a worker: tasks take less than 64 KiB, the rest is for the caller's filter
};

static const double SPIN_SECONDS = 50e-6;   // about what it costs to sleep and to be woken
static const double START_SECONDS = 100e-6; // about what it costs to start and to join a thread

typedef struct workers {
    // A section. The caller writes it while nobody can claim a task.
    bp_task task;
    void *task_context;
    size_t count;
    _Alignas(LINE) atomic_size_t unclaimed;
    _Alignas(LINE) atomic_size_t done;

    // Sleeping: who is about to sleep says so first and looks for work then, both in the one order of all atomics; who
    // has brought work looks for sleepers afterwards. So one of them sees the other.
    _Alignas(LINE) atomic_size_t sleeping; // workers
    atomic_bool caller_sleeps;
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t work_is_here, work_is_done;

    bp_log log;
    size_t bytes;   // of this block
    long process;   // the one that the threads belong to
    size_t most;    // threads, beside the caller's
    size_t started; // of these
    pthread_t threads[];
} workers;

static long this_process(void) {
#ifdef _WIN32
    return 0; // there is no fork
#else
    return (long)getpid();
#endif
}

static void pause_briefly(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("isb"); // `yield` takes no time at all
#endif
}

// ---- sections -------------------------------------------------------------------------------------------------------

// Whoever lowers `unclaimed` from a value above 0 has claimed a task of the present section, which cannot end before that
// task is done. (Should it be another section than the one whose value was read first, that makes no difference.)
static bool claim_task(workers *w, size_t *index) {
    size_t unclaimed = atomic_load(&w->unclaimed);
    while (unclaimed > 0) {
        if (atomic_compare_exchange_weak(&w->unclaimed, &unclaimed, unclaimed - 1)) {
            *index = w->count - unclaimed;
            return true;
        }
    }
    return false;
}

static void wake_caller(workers *w) {
    (void)pthread_mutex_lock(&w->lock);
    (void)pthread_cond_signal(&w->work_is_done);
    (void)pthread_mutex_unlock(&w->lock);
}

// Does tasks as long as there are any, but not more than `most`. The last one to finish wakes the caller, should it sleep.
static void do_tasks(workers *w, size_t most) {
    size_t index, finished = 0, count = 0;
    while (finished < most && claim_task(w, &index)) {
        count = w->count;
        w->task(w->task_context, index);
        ++finished;
    }
    if (finished > 0 && atomic_fetch_add(&w->done, finished) + finished == count && atomic_load(&w->caller_sleeps)) {
        wake_caller(w);
    }
}

// ---- waiting --------------------------------------------------------------------------------------------------------

typedef bool (*condition)(workers *w);

static bool is_wanted(workers *w) {
    return atomic_load(&w->unclaimed) > 0 || atomic_load(&w->stop);
}

static bool is_done(workers *w) {
    return atomic_load(&w->done) == w->count;
}

// Watches for a moment. True if the condition holds.
static bool spin_until(workers *w, condition holds) {
    const double end = bp_clock_seconds() + SPIN_SECONDS;
    do {
        for (int i = 0; i < 16; ++i) {
            if (holds(w)) {
                return true;
            }
            pause_briefly();
        }
    } while (bp_clock_seconds() < end);
    return false;
}

static void sleep_until_wanted(workers *w) {
    (void)pthread_mutex_lock(&w->lock);
    (void)atomic_fetch_add(&w->sleeping, 1);
    while (!is_wanted(w)) {
        (void)pthread_cond_wait(&w->work_is_here, &w->lock);
    }
    (void)atomic_fetch_sub(&w->sleeping, 1);
    (void)pthread_mutex_unlock(&w->lock);
}

static void sleep_until_done(workers *w) {
    (void)pthread_mutex_lock(&w->lock);
    atomic_store(&w->caller_sleeps, true);
    while (!is_done(w)) {
        (void)pthread_cond_wait(&w->work_is_done, &w->lock);
    }
    atomic_store(&w->caller_sleeps, false);
    (void)pthread_mutex_unlock(&w->lock);
}

// Wakes as many as the section has tasks for, beside the caller and the workers that are awake.
static void wake_workers(workers *w) {
    const size_t sleeping = atomic_load(&w->sleeping), awake = 1 + w->started - sleeping;
    if (sleeping == 0 || w->count <= awake) {
        return;
    }
    const size_t needed = w->count - awake;
    (void)pthread_mutex_lock(&w->lock);
    if (needed >= sleeping) {
        (void)pthread_cond_broadcast(&w->work_is_here);
    }
    for (size_t i = 0; needed < sleeping && i < needed; ++i) {
        (void)pthread_cond_signal(&w->work_is_here);
    }
    (void)pthread_mutex_unlock(&w->lock);
}

// ---- threads --------------------------------------------------------------------------------------------------------

static void *worker_main(void *context) {
    workers *w = context;
    while (!atomic_load(&w->stop)) {
        do_tasks(w, SIZE_MAX);
        if (!spin_until(w, is_wanted)) {
            sleep_until_wanted(w);
        }
    }
    return NULL;
}

// Signals are for the program's own threads.
static bool create_thread(workers *w, pthread_attr_t *attributes) {
#ifdef _WIN32
    return pthread_create(&w->threads[w->started], attributes, worker_main, w) == 0;
#else
    sigset_t all, before;
    (void)sigfillset(&all);
    const bool blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    const bool created = pthread_create(&w->threads[w->started], attributes, worker_main, w) == 0;
    if (blocked) {
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return created;
#endif
}

static bool start_worker(workers *w) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    const bool created = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 && create_thread(w, &attributes);
    (void)pthread_attr_destroy(&attributes);
    w->started += created;
    return created;
}

// Does one task, and says how many more threads the rest of the section is worth.
static size_t workers_worth_starting(workers *w) {
    const double begin = bp_clock_thread_seconds(); // a task is not long because others had the core
    do_tasks(w, 1);
    const size_t unclaimed = atomic_load(&w->unclaimed);
    const double worth = (bp_clock_thread_seconds() - begin) * (double)unclaimed / START_SECONDS;
    return worth < (double)unclaimed ? (size_t)worth : unclaimed;
}

// Starts workers where that pays. If one is refused, no more are asked for, ever.
static void start_workers(workers *w) {
    const size_t asked = w->most;
    if (w->started == w->most || w->started + 1 >= w->count) {
        return;
    }
    for (size_t i = workers_worth_starting(w); i > 0 && w->started < w->most; --i) {
        w->most = start_worker(w) ? w->most : w->started;
    }
    if (w->most < asked) {
        bp_log_write(&w->log, "config.threads: the system refused a thread; going on with %zu of %zu", w->most + 1,
                     asked + 1);
    }
}

// No threads yet, nobody asleep. Also in a child process, where the threads are gone and the lock may be in any state.
static bool begin_workers(workers *w) {
    w->process = this_process();
    w->started = 0;
    atomic_init(&w->unclaimed, 0);
    atomic_init(&w->sleeping, 0);
    atomic_init(&w->caller_sleeps, false);
    atomic_init(&w->stop, false);
    return pthread_mutex_init(&w->lock, NULL) == 0 && pthread_cond_init(&w->work_is_here, NULL) == 0 &&
           pthread_cond_init(&w->work_is_done, NULL) == 0;
}

static void run_on_workers(void *context, bp_task task, void *task_context, size_t count) {
    workers *w = context;
    assert(atomic_load(&w->unclaimed) == 0);
    if (w->process != this_process() && !begin_workers(w)) {
        w->most = 0;
    }
    w->task = task;
    w->task_context = task_context;
    w->count = count;
    atomic_store(&w->done, 0);
    atomic_store(&w->unclaimed, count);
    wake_workers(w);
    start_workers(w);
    do_tasks(w, SIZE_MAX);
    if (!spin_until(w, is_done)) {
        sleep_until_done(w);
    }
}

// ---- life -----------------------------------------------------------------------------------------------------------

bool bp_workers_open(bp_runtime *runtime) {
    bp_executor *executor = &runtime->executor;
    if (executor->run != NULL || executor->workers <= 1) {
        return true;
    }
    const bp_allocator *allocator = &runtime->allocator;
    const size_t most = executor->workers - 1, bytes = sizeof(workers) + most * sizeof(pthread_t);
    workers *w = allocator->allocate(allocator->context, bytes);
    if (w == NULL) {
        return false;
    }
    *w = (workers){.bytes = bytes, .most = most, .log = runtime->log};
    if (!begin_workers(w)) {
        allocator->release(allocator->context, w, bytes);
        return false;
    }
    executor->run = run_on_workers;
    executor->context = w;
    return true;
}

static void stop_workers(workers *w) {
    (void)pthread_mutex_lock(&w->lock);
    atomic_store(&w->stop, true);
    (void)pthread_cond_broadcast(&w->work_is_here);
    (void)pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->started; ++i) {
        (void)pthread_join(w->threads[i], NULL);
    }
    (void)pthread_cond_destroy(&w->work_is_done);
    (void)pthread_cond_destroy(&w->work_is_here);
    (void)pthread_mutex_destroy(&w->lock);
}

void bp_workers_close(bp_runtime *runtime) {
    if (runtime->executor.run != run_on_workers) {
        return;
    }
    workers *w = runtime->executor.context;
    if (w->process == this_process()) {
        stop_workers(w);
    }
    runtime->executor.run = NULL;
    runtime->allocator.release(runtime->allocator.context, w, w->bytes);
}

static uint32_t core_count(void) {
#if defined(__linux__)
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) { // those that this process may use
        return (uint32_t)CPU_COUNT(&cores);
    }
#endif
#if defined(_WIN32)
    const long count = pthread_num_processors_np();
#else
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count > 1 ? (uint32_t)count : 1;
}

uint32_t bp_workers_wanted(int32_t threads) {
    return threads < 0 ? core_count() : threads > 0 ? (uint32_t)threads : 1;
}

#else // built without threads: the caller does all the work

bool bp_workers_open(bp_runtime *runtime) {
    (void)runtime;
    return true;
}

void bp_workers_close(bp_runtime *runtime) {
    (void)runtime;
}

uint32_t bp_workers_wanted(int32_t threads) {
    (void)threads;
    return 1;
}

#endif
