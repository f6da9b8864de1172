#if defined(__linux__)
#define _GNU_SOURCE // sched_getaffinity, RUSAGE_THREAD. NOLINT(bugprone-reserved-identifier)
#include <sched.h>
#endif

#include "base/workers.h"

static void run_alone(void *context, bp_task task, void *task_context, size_t count) {
    (void)context;
    for (size_t i = 0; i < count; ++i) {
        task(task_context, i);
    }
}

bp_executor bp_executor_alone(void) {
    return (bp_executor){.run = run_alone, .workers = 1};
}

void bp_workers_close(bp_runtime *runtime) {
    if (runtime->owns_workers) {
        bp_workers_end(&runtime->executor);
        runtime->owns_workers = false;
    }
}

#ifdef BP_THREADS

#include "base/clock.h"
#include "base/log.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#if defined(__linux__)
#include <sys/resource.h>
#endif
#include <unistd.h>

enum {
    CACHE_LINE = 64,       // bytes: what two processors cannot write at once
    STACK_BYTES = 1 << 20, // of a worker: tasks take less than 64 KiB, the rest is for the caller's filter
    THREADS_PER_CORE = 4,  // at most,
    THREADS_ALWAYS = 64    // or so many, if that is more
};

static const double SPIN_SECONDS = 50e-6;   // about what it costs to sleep and to be woken
static const double START_SECONDS = 100e-6; // about what it costs to start and to join a thread
static const double WAKE_SECONDS = 20e-6;   // about what it costs all of us to wake one
static const double TAKEN_SECONDS = 200e-6; // in which a thread that is awake does nothing: its core was taken.
static const double TAKEN_SHARE = 0.3;      // If that is so for this share
static const double WATCHED_SECONDS = 3e-3; // of so much time, others need the cores.
static const double CROWDED_SECONDS = 1.0;  // So long the machine counts as busy then: nobody spins,
static const double CROWDED_COST = 10.0;    // and waking one costs so much more

// The tasks next .. end-1, as next << 32 | end.
typedef struct lane {
    _Alignas(CACHE_LINE) _Atomic uint64_t unclaimed;
} lane;

typedef struct workers {
    atomic_flag in_use; // by a caller

    // A section. The caller writes it while nobody can claim a task.
    bp_task task;
    void *task_context;
    size_t count;
    _Alignas(CACHE_LINE) atomic_size_t section; // incremented when one begins
    _Alignas(CACHE_LINE) atomic_size_t done;    // tasks

    // Sleeping: who is about to sleep says so first and looks for work then, both in the one order of all atomics; who
    // has brought work looks for sleepers afterwards. So one of them sees the other.
    _Alignas(CACHE_LINE) atomic_size_t sleeping; // workers
    atomic_size_t to_wake;                       // of these: each one that wakes, wakes two more
    atomic_bool caller_sleeps;
    atomic_bool is_at_work;     // the caller: more sections will follow
    atomic_llong crowded_until; // microseconds: as long others need the cores
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t work_is_here, work_is_done;

    bp_allocator allocator;
    bp_log log;
    size_t useful;          // the most workers that had something to do, since the caller is at work
    size_t bytes;           // of this block
    long process;           // the one that the threads belong to
    size_t most;            // threads, beside the caller's
    size_t started;         // of these
    size_t lane_count;      // does not change, as others may read it at any time
    struct member *members; // by lane, the caller's first
    lane lanes[];
} workers;

// Who claims tasks: first in a lane of its own.
typedef struct member {
    workers *workers;
    size_t lane;
    pthread_t thread;
    double watched_seconds, taken_seconds; // while it was awake, and of these without a core
    long preemptions;                      // that it knows of; -1: it has not asked yet
} member;

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

// Whoever takes a task out of a lane has claimed a task of the present section, which cannot end before that task is done.
// (Should the section be another one than a moment ago, that makes no difference.)
// From the lane that the last task came from, or else from the others in turn.
static bool claim_task(workers *w, size_t *current, size_t *index) {
    for (size_t tried = 0; tried < w->lane_count; ++tried) {
        lane *l = &w->lanes[*current];
        uint64_t unclaimed = atomic_load(&l->unclaimed);
        while (unclaimed >> 32 < (uint32_t)unclaimed) {
            if (atomic_compare_exchange_weak(&l->unclaimed, &unclaimed, unclaimed + ((uint64_t)1 << 32))) {
                *index = (size_t)(unclaimed >> 32);
                return true;
            }
        }
        *current = *current + 1 < w->lane_count ? *current + 1 : 0;
    }
    return false;
}

static size_t count_unclaimed(const workers *w) {
    size_t count = 0;
    for (size_t i = 0; i < w->lane_count; ++i) {
        const uint64_t unclaimed = atomic_load(&w->lanes[i].unclaimed);
        count += (size_t)((uint32_t)unclaimed - (uint32_t)(unclaimed >> 32));
    }
    return count;
}

// Does tasks as long as there are any, but not more than `most`. The last one to finish wakes the caller, should it sleep.
// Returns how many it did.
static size_t do_tasks(workers *w, size_t own_lane, size_t most) {
    size_t current = own_lane, index, finished = 0, count = 0;
    while (finished < most && claim_task(w, &current, &index)) {
        count = w->count;
        w->task(w->task_context, index);
        ++finished;
    }
    if (finished > 0 && atomic_fetch_add(&w->done, finished) + finished == count && atomic_load(&w->caller_sleeps)) {
        (void)pthread_mutex_lock(&w->lock);
        (void)pthread_cond_signal(&w->work_is_done);
        (void)pthread_mutex_unlock(&w->lock);
    }
    return finished;
}

// ---- waiting --------------------------------------------------------------------------------------------------------

// Something to wait for. A worker waits for a section that it has not seen, the caller for the end of one.
typedef bool (*condition)(const workers *w, size_t seen);

static bool is_wanted(const workers *w, size_t seen) {
    return atomic_load(&w->section) != seen || atomic_load(&w->stop);
}

static bool is_done(const workers *w, size_t seen) {
    (void)seen;
    return atomic_load(&w->done) == w->count;
}

// ---- crowds: others need the cores ----------------------------------------------------------------------------------

static bool is_crowded(const workers *w, double now) {
    return now * 1e6 < (double)atomic_load_explicit(&w->crowded_until, memory_order_relaxed);
}

// Whether another thread had the core of this one since the last question, as far as the system says. (Time is also lost
// where a host has more machines than cores, which no sleeping would help.)
static bool was_preempted(member *m) {
#if defined(RUSAGE_THREAD)
    struct rusage usage;
    const long before = m->preemptions;
    m->preemptions = getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
    return before >= 0 && m->preemptions != before;
#else
    (void)m;
    return true;
#endif
}

// A member was awake for so long, and did nothing for a part of that.
static void note_core(member *m, double watched, double taken, double now) {
    m->watched_seconds += watched;
    m->taken_seconds += taken > TAKEN_SECONDS && was_preempted(m) ? taken : 0.0;
    if (m->watched_seconds < WATCHED_SECONDS) {
        return;
    }
    if (m->taken_seconds > TAKEN_SHARE * m->watched_seconds) {
        const double until = now + CROWDED_SECONDS;
        atomic_store_explicit(&m->workers->crowded_until, (long long)(until * 1e6), memory_order_relaxed);
    }
    m->watched_seconds = 0.0;
    m->taken_seconds = 0.0;
}

// Watches for a moment, or as long as the caller is at work. True if the condition holds.
static bool spin_until(member *m, condition holds, size_t seen) {
    const workers *w = m->workers;
    double now = bp_clock_seconds(), end = now + SPIN_SECONDS;
    do {
        for (int i = 0; i < 16; ++i) {
            if (holds(w, seen)) {
                return true;
            }
            pause_briefly();
        }
        const double before = now;
        now = bp_clock_seconds();
        note_core(m, now - before, now - before, now);
        if (atomic_load_explicit(&w->is_at_work, memory_order_relaxed)) {
            end = now + SPIN_SECONDS;
        }
    } while (now < end && !is_crowded(w, now));
    return false;
}

// ---- sleeping -------------------------------------------------------------------------------------------------------

// Wakes two of the workers that are to be woken: they wake the others, so that no one does it all.
static void wake_two(workers *w) {
    size_t to_wake = atomic_load(&w->to_wake), woken;
    do {
        woken = to_wake < 2 ? to_wake : 2;
    } while (woken > 0 && !atomic_compare_exchange_weak(&w->to_wake, &to_wake, to_wake - woken));
    if (woken == 0) {
        return;
    }
    (void)pthread_mutex_lock(&w->lock); // nobody is between looking for work and falling asleep
    (void)pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < woken; ++i) {
        (void)pthread_cond_signal(&w->work_is_here);
    }
}

// ---- threads --------------------------------------------------------------------------------------------------------

static void *worker_main(void *context) {
    member *m = context;
    workers *w = m->workers;
    while (!atomic_load(&w->stop)) {
        const size_t seen = atomic_load(&w->section);
        (void)do_tasks(w, m->lane, SIZE_MAX);
        if (!spin_until(m, is_wanted, seen)) {
            (void)pthread_mutex_lock(&w->lock);
            (void)atomic_fetch_add(&w->sleeping, 1);
            while (!is_wanted(w, seen)) {
                (void)pthread_cond_wait(&w->work_is_here, &w->lock);
            }
            (void)atomic_fetch_sub(&w->sleeping, 1);
            (void)pthread_mutex_unlock(&w->lock);
            wake_two(w);
        }
    }
    return NULL;
}

// Signals are for the program's own threads.
static bool create_thread(member *m, pthread_attr_t *attributes) {
#ifdef _WIN32
    return pthread_create(&m->thread, attributes, worker_main, m) == 0;
#else
    sigset_t all, before;
    (void)sigfillset(&all);
    const bool blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    const bool created = pthread_create(&m->thread, attributes, worker_main, m) == 0;
    if (blocked) {
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return created;
#endif
}

// Starts workers, but no more than it pays. If one is refused, no more are asked for, ever.
static void start_workers(workers *w, size_t worth) {
    const size_t asked = w->most;
    for (size_t i = worth; i > 0 && w->started < w->most; --i) {
        pthread_attr_t attributes;
        bool created = pthread_attr_init(&attributes) == 0;
        if (created) {
            member *next = &w->members[w->started + 1];
            *next = (member){.workers = w, .lane = w->started + 1, .preemptions = -1};
            created = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 && create_thread(next, &attributes);
            (void)pthread_attr_destroy(&attributes);
        }
        w->started += created;
        w->most = created ? w->most : w->started;
    }
    if (w->most < asked) {
        bp_log_write(&w->log, "config.threads: the system refused to start a thread; continuing with %zu of %zu",
                     w->most + 1, asked + 1);
    }
}

static void wake_workers(workers *w, size_t worth) {
    const size_t sleeping = atomic_load(&w->sleeping);
    if (worth > 0 && sleeping > 0) {
        atomic_store(&w->to_wake, worth < sleeping ? worth : sleeping);
        wake_two(w);
    }
}

static size_t times(double seconds, double cost, size_t most) {
    const double worth = seconds / cost;
    return worth < (double)most ? (size_t)worth : most;
}

// Does one task, and gets as many workers as the others are worth: those that sleep, and new ones. (Workers that are awake
// have seen the section by themselves.) Returns how many tasks it did.
static size_t call_workers(workers *w) {
    const double begin = bp_clock_thread_seconds(); // a task is not long because others had the core
    const size_t done = do_tasks(w, 0, 1), unclaimed = count_unclaimed(w);
    const double seconds = (bp_clock_thread_seconds() - begin) * (double)unclaimed;
    const double wake_cost = is_crowded(w, bp_clock_seconds()) ? CROWDED_COST * WAKE_SECONDS : WAKE_SECONDS;
    wake_workers(w, times(seconds, wake_cost, unclaimed));
    start_workers(w, times(seconds, START_SECONDS, unclaimed));
    return done;
}

// No threads yet, nobody asleep. Also in a child process, where the threads are gone and the lock may be in any state.
static bool begin_workers(workers *w) {
    w->process = this_process();
    w->started = 0;
    for (size_t i = 0; i < w->lane_count; ++i) {
        atomic_init(&w->lanes[i].unclaimed, 0);
    }
    atomic_init(&w->section, 0);
    atomic_init(&w->sleeping, 0);
    atomic_init(&w->to_wake, 0);
    atomic_init(&w->caller_sleeps, false);
    atomic_init(&w->is_at_work, false);
    atomic_init(&w->crowded_until, 0);
    atomic_init(&w->stop, false);
    return pthread_mutex_init(&w->lock, NULL) == 0 && pthread_cond_init(&w->work_is_here, NULL) == 0 &&
           pthread_cond_init(&w->work_is_done, NULL) == 0;
}

// Threads stay behind in the parent process, and the lock may be in any state.
static void follow_fork(workers *w) {
    if (w->process != this_process() && !begin_workers(w)) {
        w->most = 0;
    }
}

static void run_section(workers *w, bp_task task, void *task_context, size_t count) {
    assert(count_unclaimed(w) == 0);
    w->task = task;
    w->task_context = task_context;
    w->count = count;
    atomic_store(&w->done, 0);
    atomic_store(&w->to_wake, 0);
    // Each member gets tasks in a row, the same ones in sections with as many tasks: so what it has read or written in one is
    // still in its cache in the next.
    const uint64_t lanes = w->started + 1;
    for (uint64_t i = 0; i < lanes; ++i) {
        atomic_store(&w->lanes[i].unclaimed, count * i / lanes << 32 | count * (i + 1) / lanes);
    }
    (void)atomic_fetch_add(&w->section, 1);
    const double begin = bp_clock_seconds(), own = bp_clock_thread_seconds();
    const bool calls = atomic_load(&w->sleeping) > 0 || w->started < w->most;
    size_t done_by_others = count - (calls ? call_workers(w) : 0);
    done_by_others -= do_tasks(w, 0, SIZE_MAX);
    const double now = bp_clock_seconds(), wall = now - begin;
    note_core(&w->members[0], wall, wall - (bp_clock_thread_seconds() - own), now);
    w->useful = done_by_others > w->useful ? done_by_others : w->useful;
    if (!spin_until(&w->members[0], is_done, 0)) {
        (void)pthread_mutex_lock(&w->lock);
        atomic_store(&w->caller_sleeps, true);
        while (!is_done(w, 0)) {
            (void)pthread_cond_wait(&w->work_is_done, &w->lock);
        }
        atomic_store(&w->caller_sleeps, false);
        (void)pthread_mutex_unlock(&w->lock);
    }
}

// Who finds the workers in use does its work alone: another thread, or a task that calls into the library.
static void run_on_workers(void *context, bp_task task, void *task_context, size_t count) {
    workers *w = context;
    if (count > UINT32_MAX || atomic_flag_test_and_set(&w->in_use)) {
        run_alone(NULL, task, task_context, count);
        return;
    }
    follow_fork(w);
    run_section(w, task, task_context, count);
    atomic_flag_clear(&w->in_use);
}

// ---- the caller at work ---------------------------------------------------------------------------------------------

void bp_workers_expect(const bp_executor *executor) {
    if (executor->run != run_on_workers) {
        return;
    }
    workers *w = executor->context;
    if (!is_crowded(w, bp_clock_seconds()) && !atomic_flag_test_and_set(&w->in_use)) {
        follow_fork(w);
        atomic_store_explicit(&w->is_at_work, true, memory_order_relaxed);
        wake_workers(w, w->useful);
        w->useful = 0;
        atomic_flag_clear(&w->in_use);
    }
}

void bp_workers_rest(const bp_executor *executor) {
    if (executor->run == run_on_workers) {
        workers *w = executor->context;
        atomic_store_explicit(&w->is_at_work, false, memory_order_relaxed);
    }
}

// ---- life -----------------------------------------------------------------------------------------------------------

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

static workers *make_workers(const bp_runtime *runtime) {
    const bp_allocator *allocator = &runtime->allocator;
    // More threads than a machine has cores for do nothing but take room for their stacks.
    const size_t per_core = (size_t)THREADS_PER_CORE * core_count();
    const size_t enough = per_core > THREADS_ALWAYS ? per_core : THREADS_ALWAYS;
    const size_t asked = runtime->executor.workers - 1, most = asked < enough ? asked : enough;
    const size_t bytes = sizeof(workers) + (most + 1) * (sizeof(lane) + sizeof(member));
    workers *w = allocator->allocate(allocator->context, bytes);
    if (w == NULL) {
        return NULL;
    }
    *w = (workers){.in_use = ATOMIC_FLAG_INIT,
                   .bytes = bytes,
                   .most = most,
                   .lane_count = most + 1,
                   .allocator = *allocator,
                   .log = runtime->log};
    w->members = (member *)(void *)(w->lanes + most + 1);
    w->members[0] = (member){.workers = w, .preemptions = -1};
    if (!begin_workers(w)) {
        allocator->release(allocator->context, w, bytes);
        return NULL;
    }
    return w;
}

bool bp_workers_open(bp_runtime *runtime) {
    bp_executor *executor = &runtime->executor;
    if (executor->run != NULL || executor->workers <= 1) {
        return true;
    }
    workers *w = make_workers(runtime);
    if (w == NULL) {
        return false;
    }
    *executor = (bp_executor){.run = run_on_workers, .context = w, .workers = executor->workers};
    runtime->owns_workers = true;
    return true;
}

void bp_workers_end(bp_executor *executor) {
    if (executor->run == run_on_workers) {
        workers *w = executor->context;
        const bp_allocator allocator = w->allocator;
        if (w->process == this_process()) {
            (void)pthread_mutex_lock(&w->lock);
            atomic_store(&w->stop, true);
            (void)pthread_cond_broadcast(&w->work_is_here);
            (void)pthread_mutex_unlock(&w->lock);
            for (size_t i = 1; i <= w->started; ++i) {
                (void)pthread_join(w->members[i].thread, NULL);
            }
            (void)pthread_cond_destroy(&w->work_is_done);
            (void)pthread_cond_destroy(&w->work_is_here);
            (void)pthread_mutex_destroy(&w->lock);
        }
        allocator.release(allocator.context, w, w->bytes);
    }
    *executor = (bp_executor){0};
}

uint32_t bp_workers_wanted(int32_t threads) {
    return threads < 0 ? core_count() : threads > 0 ? (uint32_t)threads : 1;
}

#else // built without threads: the caller does all the work

bool bp_workers_open(bp_runtime *runtime) {
    (void)runtime;
    return true;
}

void bp_workers_end(bp_executor *executor) {
    *executor = (bp_executor){0};
}

void bp_workers_expect(const bp_executor *executor) {
    (void)executor;
}

void bp_workers_rest(const bp_executor *executor) {
    (void)executor;
}

uint32_t bp_workers_wanted(int32_t threads) {
    (void)threads;
    return 1;
}

#endif
