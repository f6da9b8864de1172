// Your own memory and your own threads: an allocator that counts, and a small pool of POSIX threads.
#include <broadphase/broadphase.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 3, BOXES = 50000 }; // workers beside the thread that calls

typedef struct pool {
    pthread_mutex_t lock; // for all that follows
    pthread_cond_t work, rest;
    bp_task task;
    void *task_context;
    size_t next, count, under_way;
    int stop;
} pool;

// The allocator counts the bytes that are held. Tasks may ask for memory too, on any thread: so the count is atomic.
static void *allocate(void *context, size_t size) {
    const bp_allocator standard = bp_allocator_default(); // here stands what your engine has, aligned to 64 bytes
    void *memory = standard.allocate(standard.context, size);
    atomic_fetch_add((atomic_size_t *)context, memory != NULL ? size : 0);
    return memory;
}

static void release(void *context, void *memory, size_t size) {
    const bp_allocator standard = bp_allocator_default();
    atomic_fetch_sub((atomic_size_t *)context, size);
    standard.release(standard.context, memory, size);
}

// Takes indices until none is left. Called, and returns, with the lock held.
static void take_part(pool *p) {
    while (p->next < p->count) {
        const size_t index = p->next++;
        p->under_way++;
        pthread_mutex_unlock(&p->lock);
        p->task(p->task_context, index);
        pthread_mutex_lock(&p->lock);
        p->under_way--;
    }
    if (p->under_way == 0) pthread_cond_signal(&p->rest);
}

static void *worker(void *context) {
    pool *p = context;
    pthread_mutex_lock(&p->lock);
    for (take_part(p); !p->stop; take_part(p)) pthread_cond_wait(&p->work, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

// The executor: all indices are done when it returns.
static void run_on_pool(void *context, bp_task task, void *task_context, size_t count) {
    pool *p = context;
    pthread_mutex_lock(&p->lock);
    p->task = task, p->task_context = task_context, p->next = 0, p->count = count;
    pthread_cond_broadcast(&p->work);
    take_part(p);
    while (p->under_way > 0) pthread_cond_wait(&p->rest, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void stop(pool *p, pthread_t *threads, size_t count) {
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

int main(void) {
    static bp_box boxes[BOXES];
    pool p = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .rest = PTHREAD_COND_INITIALIZER};
    atomic_size_t bytes = 0;
    const bp_config config = {.allocator = {allocate, release, &bytes}, .executor = {run_on_pool, &p, WORKERS + 1}};
    uint32_t random = 1;
    for (int i = 0; i < 3 * BOXES; ++i, random = random * 1664525u + 1013904223u) {
        boxes[i / 3].min[i % 3] = (float)(random >> 8) / 16777216.0f * 35.0f;
        boxes[i / 3].max[i % 3] = boxes[i / 3].min[i % 3] + 1.0f;
    }
    pthread_t threads[WORKERS];
    size_t started = 0;
    while (started < WORKERS && pthread_create(&threads[started], NULL, worker, &p) == 0) ++started;

    bp_pairs ours = {0}, plain = {0};
    const bp_status first = bp_find_pairs(boxes, BOXES, NULL, &plain); // one thread, the C library's memory
    const bp_status second = bp_find_pairs(boxes, BOXES, &config, &ours);
    const int same = first == BP_OK && second == BP_OK && ours.count == plain.count &&
                     memcmp(ours.data, plain.data, ours.count * sizeof *ours.data) == 0;
    printf("%zu pairs with %zu threads, in the same order as with one: %s; %zu bytes are held for them\n", ours.count,
           started + 1, same ? "yes" : "no", atomic_load(&bytes));
    bp_pairs_free(&ours, &config);
    bp_pairs_free(&plain, NULL);
    stop(&p, threads, started);
    return same && atomic_load(&bytes) == 0 ? 0 : 1; // all memory has come back
}
