// base/workers: the threads behind config.threads. pthread_create and pthread_join are wrapped (by the linker) so that
// threads can be counted, refused, and kept from beginning; getrusage and clock_gettime, so that only
// the tests say whether others need the cores, and what a task costs.
#include "support/support.h"

#include "base/workers.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(_WIN32)
#define alarm(seconds) (0) // CTest watches, too
typedef int sigset_t;      // there are no signals for threads
#else
#include <sys/resource.h>
#include <sys/wait.h>
#endif

enum { BOXES = 40000, SEED = 17, STUCK_SECONDS = 1200 };

// ---- threads that are watched -----------------------------------------------------------------------------------------

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context);
int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context);
int __wrap_pthread_join(pthread_t thread, void **result);

static struct {
    size_t granted; // from here on threads are refused
    atomic_size_t created, refused, joined;
    atomic_bool preempted;    // whenever they look
    atomic_bool clock_is_set; // the processor time of a thread is what its tasks say
    bool held;                // new threads wait at the gate
    pthread_mutex_t gate;     // locked: closed
} threads = {.granted = SIZE_MAX, .gate = PTHREAD_MUTEX_INITIALIZER};

typedef struct held_start {
    void *(*start)(void *);
    void *context;
} held_start;

static void *start_behind_gate(void *context) {
    const held_start h = *(held_start *)context;
    free(context);
    (void)pthread_mutex_lock(&threads.gate);
    (void)pthread_mutex_unlock(&threads.gate);
    return h.start(h.context);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context) {
    if (threads.created >= threads.granted) {
        ++threads.refused;
        return 11; // EAGAIN, as everywhere
    }
    ++threads.created;
    if (!threads.held) {
        return __real_pthread_create(thread, attributes, start, context);
    }
    held_start *h = obtain(1, sizeof *h);
    *h = (held_start){.start = start, .context = context};
    return __real_pthread_create(thread, attributes, start_behind_gate, h);
}

int __wrap_pthread_join(pthread_t thread, void **result) {
    ++threads.joined;
    return __real_pthread_join(thread, result);
}

#if !defined(_WIN32)
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_getrusage(int who, struct rusage *usage);

int __wrap_getrusage(int who, struct rusage *usage) {
    static atomic_long preemptions;
    (void)who;
    const long more = threads.preempted ? 1 : 0;
    *usage = (struct rusage){.ru_nivcsw = atomic_fetch_add(&preemptions, more) + more};
    return 0;
}

static _Thread_local long nanoseconds_worked; // by this thread, where the clock is set

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    if (clock != CLOCK_THREAD_CPUTIME_ID || !threads.clock_is_set) {
        return __real_clock_gettime(clock, now);
    }
    *now = (struct timespec){.tv_nsec = nanoseconds_worked};
    return 0;
}
#endif

static void watch_threads(size_t granted) {
    threads.preempted = false;
    threads.clock_is_set = false;
    threads.granted = granted;
    threads.created = 0;
    threads.refused = 0;
    threads.joined = 0;
    threads.held = false;
}

static int set_up(void **state) {
    (void)state;
    watch_threads(SIZE_MAX);
    (void)alarm(STUCK_SECONDS); // a call that never returns is a failure too
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    (void)alarm(0);
    return threads.created == threads.joined ? 0 : -1;
}

// ---- scenes -----------------------------------------------------------------------------------------------------------

// Two places for the same boxes, so that every update has something to do.
typedef struct subject {
    bp_box *boxes[2];
    bp_pairs expected[2]; // by one thread
} subject;

static bp_config with_threads(int32_t count) {
    return (bp_config){.threads = count, .pair_order = BP_ORDER_SORTED};
}

static subject make_subject(void) {
    rng random = rng_seeded(SEED);
    const bp_config config = with_threads(1);
    subject s = {0};
    for (size_t place = 0; place < 2; ++place) {
        s.boxes[place] = obtain(BOXES, sizeof **s.boxes);
        for (size_t i = 0; i < BOXES; ++i) {
            s.boxes[place][i] = random_cube(&random, 50.0, 1.0);
        }
        assert_int_equal(bp_find_pairs(s.boxes[place], BOXES, &config, &s.expected[place]), BP_OK);
        assert_true(s.expected[place].count > BOXES / 4);
    }
    return s;
}

static void free_subject(subject *s) {
    for (size_t place = 0; place < 2; ++place) {
        bp_pairs_free(&s->expected[place], NULL);
        free(s->boxes[place]);
    }
}

static void expect_call(const subject *s, const bp_config *config) {
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(s->boxes[0], BOXES, config, &pairs), BP_OK);
    expect_same_bytes(pairs.data, pairs.count, s->expected[0].data, s->expected[0].count, "call, %d threads",
                      (int)config->threads);
    bp_pairs_free(&pairs, config);
}

static void expect_update(const subject *s, bp_world *world, size_t place) {
    bp_result result;
    assert_int_equal(bp_move_many(world, BOXES, NULL, s->boxes[place]), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    expect_same_bytes(result.pairs, result.pair_count, s->expected[place].data, s->expected[place].count, "world");
}

// Everything moves, twice.
static void expect_updates(const subject *s, bp_world *world) {
    expect_update(s, world, 1);
    expect_update(s, world, 0);
}

static bp_world *make_world(const subject *s, const bp_config *config) {
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, BOXES, s->boxes[0], NULL, NULL), BP_OK);
    expect_update(s, world, 0);
    return world;
}

// Long enough that workers have fallen asleep.
static void rest(long microseconds) {
    const struct timespec time = {.tv_nsec = 1000 * microseconds};
    (void)nanosleep(&time, NULL);
}

// ---- sections ---------------------------------------------------------------------------------------------------------

typedef struct tally {
    atomic_uchar done[1000];
} tally;

static void count_task(void *context, size_t index) {
    tally *t = context;
    (void)atomic_fetch_add(&t->done[index], 1);
}

// Processor time, so that the rest of a section is worth some workers.
static void work_hard(void) {
    struct timespec now = {0}, begin = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec == begin.tv_sec && now.tv_nsec < begin.tv_nsec + 2000000);
}

typedef struct long_section {
    pthread_t caller;
    atomic_bool caller_is_done; // with its first task
    atomic_size_t counted;
} long_section;

// The caller's first task is long, so that a worker for each of the others pays; workers wait until it is done.
static void do_long(void *context, size_t index) {
    long_section *l = context;
    (void)index;
    while (!atomic_load(&l->caller_is_done)) {
        if (!pthread_equal(pthread_self(), l->caller)) {
            rest(10);
            continue;
        }
        work_hard();
        atomic_store(&l->caller_is_done, true);
    }
    (void)atomic_fetch_add(&l->counted, 1);
}

static void start_all(const bp_runtime *runtime, size_t count) {
    long_section l = {.caller = pthread_self()};
    runtime->executor.run(runtime->executor.context, do_long, &l, count);
    assert_int_equal(atomic_load(&l.counted), count);
}

// With all its threads.
static bp_runtime open_runtime(uint32_t workers) {
    bp_runtime runtime = {.allocator = bp_allocator_default(), .executor = {.workers = workers}};
    assert_true(bp_workers_open(&runtime));
    start_all(&runtime, workers);
    return runtime;
}

static void expect_section(const bp_executor *executor, size_t count) {
    tally *t = calloc(1, sizeof *t);
    assert_non_null(t);
    executor->run(executor->context, count_task, t, count);
    for (size_t i = 0; i < COUNT_OF(t->done); ++i) {
        assert_int_equal(atomic_load(&t->done[i]), i < count);
    }
    free(t);
}

// One section after the other, at once or after a while: with workers that are awake, falling asleep, and asleep.
static void every_task_is_done_once(void **state) {
    (void)state;
    static const long rests[] = {0, 0, 0, 10, 50, 100, 400};
    const size_t sections = shortest() ? 100 : quick() ? 300 : 1000;
    for (uint32_t workers = 2; workers <= 9; workers += workers < 4 ? 1 : 5) {
        bp_runtime runtime = open_runtime(workers);
        rng random = rng_seeded(workers);
        for (size_t i = 0; i < sections; ++i) {
            expect_section(&runtime.executor, 1 + (size_t)rng_below(&random, i % 10 == 0 ? 1000 : 12));
            rest(rests[rng_below(&random, COUNT_OF(rests))]);
        }
        bp_workers_close(&runtime);
    }
}

typedef struct meeting {
    pthread_t caller;
    bool has_worked; // the caller
    size_t expected;
    atomic_size_t arrived;
} meeting;

// The caller's first task is long, so that workers are called. The others wait for each other: so each has a thread of
// its own.
static void meet(void *context, size_t index) {
    meeting *m = context;
    (void)index;
    if (pthread_equal(pthread_self(), m->caller) && !m->has_worked) {
        m->has_worked = true;
        work_hard();
        return;
    }
    (void)atomic_fetch_add(&m->arrived, 1);
    while (atomic_load(&m->arrived) < m->expected) {
        rest(10);
    }
}

static void expect_meeting(const bp_executor *executor, bp_task task, meeting *m) {
    m->caller = pthread_self();
    executor->run(executor->context, task, m, m->expected + 1);
    assert_int_equal(atomic_load(&m->arrived), m->expected);
}

static void sleeping_workers_are_woken(void **state) {
    (void)state;
    bp_runtime runtime = open_runtime(6);
    for (size_t i = 0; i < 40; ++i) {
        meeting m = {.expected = 2 + i % 5};
        expect_meeting(&runtime.executor, meet, &m);
        rest(i % 4 == 0 ? 50 : 1000);
    }
    bp_workers_close(&runtime);
}

static void threads_start_where_they_pay(void **state) {
    (void)state;
    bp_runtime runtime = {.allocator = bp_allocator_default(), .executor = {.workers = 8}};
    assert_true(bp_workers_open(&runtime));
    expect_section(&runtime.executor, 3); // is over sooner than a thread could start
    assert_int_equal(threads.created, 0);
    start_all(&runtime, 3);
    assert_int_equal(threads.created, 2);
    expect_section(&runtime.executor, 2);
    assert_int_equal(threads.created, 2);
    start_all(&runtime, 1000);
    assert_int_equal(threads.created, 7);
    bp_workers_close(&runtime);
    assert_int_equal(threads.joined, 7);
}

static void one_thread_needs_no_workers(void **state) {
    (void)state;
    test_allocator allocator;
    test_allocator_init(&allocator);
    bp_runtime runtime = {.allocator = test_allocator_hook(&allocator), .executor = {.workers = 1}};
    assert_true(bp_workers_open(&runtime));
    assert_null(runtime.executor.run);
    bp_workers_close(&runtime);
    assert_int_equal(allocator.calls, 0);
    runtime.executor.workers = 3;
    test_allocator_fail(&allocator, 1, false);
    assert_false(bp_workers_open(&runtime));
    bp_workers_close(&runtime);
    test_allocator_finish(&allocator);
}

// ---- what the system refuses ------------------------------------------------------------------------------------------

static void fewer_threads_than_asked_do_the_work(void **state) {
    (void)state;
    subject s = make_subject();
    for (size_t granted = 0; granted < 3; ++granted) {
        test_log log = {0};
        const bp_config config = {.threads = 6, .pair_order = BP_ORDER_SORTED, .log = test_log_hook(&log)};
        watch_threads(granted);
        expect_call(&s, &config);
        assert_int_equal(threads.created, granted);
        assert_int_equal(threads.refused, 1);
        assert_int_equal(log.count, 1);
        char text[100];
        (void)snprintf(text, sizeof text,
                       "config.threads: the system refused to start a thread; continuing with %zu of 6", granted + 1);
        assert_string_equal(log.text, text);
        watch_threads(granted);
        bp_world *world = make_world(&s, &config);
        expect_updates(&s, world);
        assert_int_equal(threads.refused, 1);
        bp_world_destroy(world);
        assert_int_equal(threads.joined, granted);
    }
    free_subject(&s);
}

// As if the system had no core for them: all workers exist, and none begins.
static void nobody_waits_for_a_worker_that_has_not_begun(void **state) {
    (void)state;
    subject s = make_subject();
    const bp_config config = with_threads(4);
    threads.held = true;
    (void)pthread_mutex_lock(&threads.gate);
    bp_world *world = make_world(&s, &config);
    expect_updates(&s, world);
    assert_int_equal(threads.created, 3);
    (void)pthread_mutex_unlock(&threads.gate); // they begin now, after the work
    expect_updates(&s, world);
    bp_world_destroy(world);
    free_subject(&s);
}

// ---- life -------------------------------------------------------------------------------------------------------------

static void worlds_and_calls_leave_no_thread_behind(void **state) {
    (void)state;
    subject s = make_subject();
    const bp_config config = with_threads(3);
    for (size_t i = 0; i < (quick() ? 5 : 50); ++i) {
        bp_world *a = make_world(&s, &config), *b = make_world(&s, &config);
        expect_updates(&s, a);
        bp_world_destroy(a);
        assert_int_equal(threads.created - threads.joined, 2);
        expect_updates(&s, b);
        bp_world_destroy(b);
        expect_call(&s, &config);
        assert_int_equal(threads.created, threads.joined);
    }
    free_subject(&s);
}

typedef struct errand {
    const subject *subject;
    bp_world *world;
} errand;

static void *update_elsewhere(void *context) {
    const errand *e = context;
    expect_updates(e->subject, e->world);
    return NULL;
}

static void *destroy_elsewhere(void *context) {
    const errand *e = context;
    bp_world_destroy(e->world);
    return NULL;
}

static void run_elsewhere(void *(*start)(void *), errand *e) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, start, e), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void threads_may_use_a_world_one_after_the_other(void **state) {
    (void)state;
    subject s = make_subject();
    const bp_config config = with_threads(3);
    errand e = {.subject = &s, .world = make_world(&s, &config)};
    for (int i = 0; i < 3; ++i) {
        run_elsewhere(update_elsewhere, &e);
        expect_updates(&s, e.world);
    }
    run_elsewhere(destroy_elsewhere, &e);
    free_subject(&s);
}

// Two worlds at once, and calls beside them: each has workers of its own.
static void worlds_do_not_share_workers(void **state) {
    (void)state;
    subject s = make_subject();
    const bp_config config = with_threads(2);
    errand e = {.subject = &s, .world = make_world(&s, &config)};
    bp_world *own = make_world(&s, &config);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, update_elsewhere, &e), 0);
    expect_updates(&s, own);
    assert_int_equal(pthread_join(thread, NULL), 0);
    bp_world_destroy(own);
    bp_world_destroy(e.world);
    free_subject(&s);
}

// ---- workers that are shared ------------------------------------------------------------------------------------------

typedef struct sharer {
    const subject *subject;
    const bp_config *config;
} sharer;

static void *call_often(void *context) {
    const sharer *s = context;
    for (int i = 0; i < 5; ++i) {
        expect_call(s->subject, s->config);
    }
    return NULL;
}

// Two threads call at the same time, again and again, and two worlds live on the same workers.
static void calls_and_worlds_share_workers(void **state) {
    (void)state;
    subject s = make_subject();
    test_allocator allocator;
    test_allocator_init(&allocator);
    const bp_config own = {.threads = 3, .allocator = test_allocator_hook(&allocator)};
    bp_config config = {.threads = 9, .pair_order = BP_ORDER_SORTED};
    assert_int_equal(bp_workers_create(&own, &config.executor), BP_OK);
    assert_int_equal(config.executor.workers, 3);
    expect_call(&s, &config);
    bp_world *a = make_world(&s, &config), *b = make_world(&s, &config);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, call_often, &(sharer){.subject = &s, .config = &config}), 0);
    expect_updates(&s, a);
    expect_updates(&s, b);
    expect_call(&s, &config);
    assert_int_equal(pthread_join(thread, NULL), 0);
    bp_world_destroy(a);
    expect_updates(&s, b);
    bp_world_destroy(b);
    assert_int_equal(threads.created, 2 + 1); // and the one that calls
    bp_workers_destroy(&config.executor);
    assert_null(config.executor.run);
    assert_int_equal(threads.joined, 3);
    test_allocator_finish(&allocator);
    free_subject(&s);
}

typedef struct inner_calls {
    const subject *subject;
    const bp_config *config;
    atomic_size_t right;
} inner_calls;

static void call_inside(void *context, size_t index) {
    inner_calls *calls = context;
    bp_pairs pairs = {0};
    (void)index;
    const bool found = bp_find_pairs(calls->subject->boxes[0], BOXES, calls->config, &pairs) == BP_OK &&
                       pairs.count == calls->subject->expected[0].count;
    (void)atomic_fetch_add(&calls->right, found);
    bp_pairs_free(&pairs, calls->config);
}

static void tasks_may_use_the_workers_that_run_them(void **state) {
    (void)state;
    subject s = make_subject();
    bp_config config = {.threads = 3};
    assert_int_equal(bp_workers_create(&config, &config.executor), BP_OK);
    inner_calls calls = {.subject = &s, .config = &config};
    config.executor.run(config.executor.context, call_inside, &calls, 4);
    assert_int_equal(atomic_load(&calls.right), 4);
    bp_workers_destroy(&config.executor);
    free_subject(&s);
}

static void shared_workers_are_checked(void **state) {
    (void)state;
    test_log log = {0};
    bp_executor workers = {.workers = 7};
    const bp_config one = {.threads = 1}, wrong = {.threads = -2, .log = test_log_hook(&log)};
    assert_int_equal(bp_workers_create(NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_workers_create(&wrong, &workers), BP_ERROR_ARGUMENT);
    assert_string_equal(log.text, "config.threads: must be from -1 (all cores) to 1024");
    assert_int_equal(workers.workers, 0);
    assert_int_equal(bp_workers_create(&one, &workers), BP_OK);
    assert_int_equal(workers.workers, 1);
    expect_section(&workers, 5);
    const bp_config twice = {.executor = workers, .log = test_log_hook(&log)};
    assert_int_equal(bp_workers_create(&twice, &workers), BP_ERROR_ARGUMENT);
    assert_string_equal(log.text, "config.executor: bp_workers_create makes its own threads; leave this field zero");
    bp_workers_destroy(&workers);
    bp_workers_destroy(&workers); // again: nothing to do
    bp_workers_destroy(NULL);
    test_allocator allocator;
    test_allocator_init(&allocator);
    test_allocator_fail(&allocator, 1, false);
    const bp_config poor = {.threads = 2, .allocator = test_allocator_hook(&allocator)};
    assert_int_equal(bp_workers_create(&poor, &workers), BP_ERROR_MEMORY);
    test_allocator_finish(&allocator);
}

// ---- the caller's executor --------------------------------------------------------------------------------------------

static void run_counted(void *context, bp_task task, void *task_context, size_t count) {
    ++*(size_t *)context;
    for (size_t i = 0; i < count; ++i) {
        task(task_context, i);
    }
}

static void an_executor_of_the_caller_comes_first(void **state) {
    (void)state;
    subject s = make_subject();
    size_t runs = 0;
    const bp_config config = {
        .threads = 8, .pair_order = BP_ORDER_SORTED, .executor = {.run = run_counted, .context = &runs, .workers = 3}};
    expect_call(&s, &config);
    bp_world_destroy(make_world(&s, &config));
    assert_true(runs > 2);
    assert_int_equal(threads.created, 0);
    free_subject(&s);
}

#if !defined(_WIN32) // it has neither fork nor signals for threads

// ---- fork -------------------------------------------------------------------------------------------------------------

// What a child does with worlds of its parent. Its exit status is 0 if all is well.
static void live_as_child(const subject *s, bp_world *used, bp_world *unused) {
    (void)alarm(STUCK_SECONDS);
    watch_threads(SIZE_MAX);
    bp_world_destroy(unused); // its threads are the parent's
    const bool left_alone = threads.joined == 0;
    expect_updates(s, used);
    const bool own = threads.created == 2;
    bp_world_destroy(used);
    const bp_config config = with_threads(3);
    expect_call(s, &config);
    _exit(left_alone && own && threads.joined == threads.created ? 0 : 1);
}

static void a_world_works_on_in_a_child_process(void **state) {
    (void)state;
    skip_where_threads_are_sanitized(); // TSan refuses threads in a child of threads
    skip_where_emulated("threads in a child of a process with threads, at which qemu-user aborts");
    subject s = make_subject();
    const bp_config config = with_threads(3);
    bp_world *a = make_world(&s, &config), *b = make_world(&s, &config);
    for (int i = 0; i < (quick() ? 3 : 30); ++i) {
        expect_updates(&s, a); // so that workers are awake, or falling asleep
        rest(20L * i);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            live_as_child(&s, a, b);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    expect_updates(&s, b);
    bp_world_destroy(a);
    bp_world_destroy(b);
    free_subject(&s);
}

// ---- a busy machine ---------------------------------------------------------------------------------------------------

static void lose_the_core(void *context, size_t index) {
    (void)context;
    (void)index;
    rest(1000); // this is not processor time
}

typedef struct headcount {
    pthread_t caller;
    atomic_size_t by_others; // tasks
} headcount;

// Work that is worth waking two workers, but not where that costs ten times as much.
static void count_helpers(void *context, size_t index) {
    headcount *h = context;
    (void)index;
    nanoseconds_worked += 15000;
    if (!pthread_equal(pthread_self(), h->caller)) {
        (void)atomic_fetch_add(&h->by_others, 1);
    }
}

// After a while in which all workers have fallen asleep.
static size_t count_tasks_of_others(const bp_executor *executor) {
    headcount h = {.caller = pthread_self()};
    rest(2000);
    executor->run(executor->context, count_helpers, &h, 8);
    return atomic_load(&h.by_others);
}

static void workers_sleep_on_where_others_need_the_cores(void **state) {
    (void)state;
    bp_runtime runtime = open_runtime(3);
    const bp_executor *executor = &runtime.executor;
    threads.clock_is_set = true;
    threads.preempted = true;
    executor->run(executor->context, lose_the_core, NULL, 60); // the first question has no answer yet
    for (int i = 0; i < 5; ++i) {
        executor->run(executor->context, lose_the_core, NULL, 60);
        assert_int_equal(count_tasks_of_others(executor), 0);
    }
    threads.clock_is_set = false;
    start_all(&runtime, 3); // but much work is done together
    threads.preempted = false;
    bp_workers_close(&runtime);
}

// ---- signals ----------------------------------------------------------------------------------------------------------

typedef struct masked_meeting {
    meeting meeting;
    sigset_t of_worker;
} masked_meeting;

static void meet_with_mask(void *context, size_t index) {
    masked_meeting *m = context;
    if (!pthread_equal(pthread_self(), m->meeting.caller)) {
        (void)pthread_sigmask(SIG_SETMASK, NULL, &m->of_worker);
    }
    meet(&m->meeting, index);
}

static void signals_are_not_for_workers(void **state) {
    (void)state;
    bp_runtime runtime = open_runtime(2);
    masked_meeting m = {.meeting = {.expected = 2}};
    (void)sigemptyset(&m.of_worker);
    expect_meeting(&runtime.executor, meet_with_mask, &m.meeting); // the first member
    assert_int_equal(sigismember(&m.of_worker, SIGTERM), 1);
    bp_workers_close(&runtime);
    sigset_t own;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &own), 0);
    assert_int_equal(sigismember(&own, SIGTERM), 0);
}

#endif

int main(void) {
#define WATCHED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WATCHED(every_task_is_done_once),
        WATCHED(sleeping_workers_are_woken),
        WATCHED(threads_start_where_they_pay),
        WATCHED(one_thread_needs_no_workers),
        WATCHED(fewer_threads_than_asked_do_the_work),
        WATCHED(nobody_waits_for_a_worker_that_has_not_begun),
        WATCHED(worlds_and_calls_leave_no_thread_behind),
        WATCHED(threads_may_use_a_world_one_after_the_other),
        WATCHED(worlds_do_not_share_workers),
        WATCHED(calls_and_worlds_share_workers),
        WATCHED(tasks_may_use_the_workers_that_run_them),
        WATCHED(shared_workers_are_checked),
        WATCHED(an_executor_of_the_caller_comes_first),
#if !defined(_WIN32)
        WATCHED(a_world_works_on_in_a_child_process),
        WATCHED(workers_sleep_on_where_others_need_the_cores),
        WATCHED(signals_are_not_for_workers),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
