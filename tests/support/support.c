#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- running --------------------------------------------------------------------------------------------------------

bool quick(void) {
    return environment_number("BP_TEST_QUICK", 0) != 0;
}

bool shortest(void) {
    return environment_number("BP_TEST_QUICK", 0) > 1;
}

bool longest(void) {
    return environment_number("BP_TEST_LONG", 0) != 0;
}

bool in_turn(void) {
    static size_t calls;
    const uint64_t shortness = environment_number("BP_TEST_QUICK", 0);
    return shortness == 0 || calls++ % (shortness == 1 ? 3 : 11) == 0;
}

bool in_short_turn(size_t n) {
    static size_t calls;
    return !shortest() || calls++ % n == 0;
}

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

void skip_where_threads_are_sanitized(void) {
#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
    skip();
#endif
}

void skip_where_emulated(const char *what) {
    const char *emulator = getenv("BP_EMULATOR");
    if (emulator != NULL && emulator[0] != '\0') {
        print_message("not checked under an emulator: %s\n", what);
        skip();
    }
}

uint64_t environment_number(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? strtoull(value, NULL, 0) : otherwise;
}

// In a file of its own, since tests run side by side.
void report(const char *what, const char *format, ...) {
    static int lines;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%ld-%d.txt", BROADPHASE_RELIABILITY, (long)getpid(), lines++);
    FILE *file = fopen(path, "w");
    if (file == NULL) { // the directory is only there where somebody wants the table
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)fprintf(file, "%s: ", what);
    (void)vfprintf(file, format, arguments);
    (void)fprintf(file, "\n");
    va_end(arguments);
    (void)fclose(file);
}

void swap_if_big_endian(void *numbers, size_t bytes, size_t width) {
    const uint16_t one = 1;
    unsigned char *at = numbers;
    for (size_t i = 0; i < bytes / width && *(const unsigned char *)&one == 0; ++i, at += width) {
        for (size_t k = 0; k < width / 2; ++k) {
            const unsigned char swapped = at[k];
            at[k] = at[width - 1 - k];
            at[width - 1 - k] = swapped;
        }
    }
}

void *obtain(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fail_msg("the test itself ran out of memory");
    }
    return memory;
}

bool is_incremental(size_t method) {
    return (bp_method_supports(method) & BP_SUPPORTS_INCREMENTAL) != 0;
}

bool has_simd(bp_simd simd) {
    const bp_config config = {SETTINGS(.simd = simd)};
    bp_pairs pairs = {0};
    return bp_find_pairs(NULL, 0, &config, &pairs) != BP_ERROR_UNSUPPORTED;
}

const char *simd_text(bp_simd simd) {
    static const char *const names[] = {"auto", "scalar", "avx2", "avx512", "neon", "wasm"};
    return names[simd];
}

const bp_method_settings ALWAYS_A_GRID = {.brute_force_below = 1};

bp_method_settings settings_of(const bp_config *config) {
    return config->settings != NULL ? *config->settings : (bp_method_settings){0};
}

const char *config_text(const bp_config *c, char text[CONFIG_TEXT]) {
    const bp_method_settings m = settings_of(c);
    const unsigned values[] = {c->dimensions,  (unsigned)c->threads, (unsigned)c->update, (unsigned)c->pair_order,
                               m.grid_size[0], m.grid_size[1],       m.grid_size[2],      m.brute_force_below,
                               c->flags,       c->executor.workers,  (unsigned)c->shape};
    const char *const names[] = {"dimensions",   "threads",          "update",       "pair_order",
                                 "grid_size[0]", "grid_size[1]",     "grid_size[2]", "brute_force_below",
                                 "flags",        "executor.workers", "shape"};
    int used = snprintf(text, CONFIG_TEXT, "method=%s simd=%s", bp_method_name(c->method), simd_text(m.simd));
    for (size_t i = 0; i < COUNT_OF(values) && used < CONFIG_TEXT; ++i) {
        if (values[i] != 0) {
            used += snprintf(text + used, (size_t)(CONFIG_TEXT - used), " %s=%u", names[i], values[i]);
        }
    }
    const float numbers[] = {m.hierarchy_factor, m.cell_size,  m.grid_load, c->margin,
                             c->period[0],       c->period[1], c->period[2]};
    const char *const number_names[] = {"hierarchy_factor", "cell_size", "grid_load", "margin",
                                        "period[0]",        "period[1]", "period[2]"};
    for (size_t i = 0; i < COUNT_OF(numbers) && used < CONFIG_TEXT; ++i) {
        if (numbers[i] != 0.0f) {
            used += snprintf(text + used, (size_t)(CONFIG_TEXT - used), " %s=%g", number_names[i], (double)numbers[i]);
        }
    }
    return text;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

float random_between(rng *random, double low, double high) {
    return (float)rng_between(random, low, high);
}

float random_magnitude(rng *random, double low, double high) {
    return (float)exp(rng_between(random, log(low), log(high)));
}

bp_box box_of(float x, float y, float z, float size_x, float size_y, float size_z) {
    return (bp_box){.min = {x, y, z}, .max = {x + size_x, y + size_y, z + size_z}};
}

bp_box box_between(const float min[3], const float max[3]) {
    return (bp_box){.min = {min[0], min[1], min[2]}, .max = {max[0], max[1], max[2]}};
}

bp_box cube_of(float x, float y, float z, float size) {
    return box_of(x, y, z, size, size, size);
}

bp_box random_cube(rng *random, double extent, double size) {
    const double half = extent / 2;
    const float x = random_between(random, -half, half), y = random_between(random, -half, half);
    return cube_of(x, y, random_between(random, -half, half), (float)size);
}

void shuffle_boxes(bp_box *boxes, size_t count) {
    rng random = rng_seeded(count);
    for (size_t i = count; i > 1; --i) {
        const size_t other = rng_below(&random, (uint32_t)i);
        const bp_box box = boxes[i - 1];
        boxes[i - 1] = boxes[other];
        boxes[other] = box;
    }
}

static bp_box random_infinite_box(rng *random) {
    bp_box box = random_cube(random, 10.0, 1.0);
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t kind = rng_below(random, 4);
        box.min[axis] = (kind & 1) != 0 ? -INFINITY : box.min[axis];
        box.max[axis] = (kind & 2) != 0 ? INFINITY : box.max[axis];
    }
    return box;
}

static bp_box random_far_box(rng *random) {
    const float far = random_magnitude(random, 1e6, 1e37), size = far * random_magnitude(random, 1e-9, 1e-1);
    const float x = (float)rng_sign(random) * far, y = (float)rng_sign(random) * far;
    return cube_of(x, y, random_between(random, -1, 1), size);
}

bp_box random_wild_box(rng *random, const bp_box *others, size_t other_count) {
    const uint32_t kind = rng_below(random, 100);
    if (kind < 3) {
        return random_infinite_box(random);
    }
    if (kind < 8) {
        return random_far_box(random);
    }
    if (kind < 16 && other_count > 0) {
        const bp_box other = others[rng_below(random, (uint32_t)other_count)];
        return isnan(other.min[0]) ? random_cube(random, 1.0, 1.0) : other;
    }
    if (kind < 22) {
        return random_cube(random, 10.0, 0.0);
    }
    if (kind < 40) {
        const float thin = random_magnitude(random, 1e-4, 1.0), wide = random_magnitude(random, 1.0, 20.0);
        const bp_box at = random_cube(random, 10.0, 0.0);
        return box_of(at.min[0], at.min[1], at.min[2], thin, wide, thin);
    }
    return random_cube(random, 10.0, random_magnitude(random, 1e-5, 3.0));
}

void fill_wild_boxes(rng *random, bp_box *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_wild_box(random, boxes, i);
    }
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

// Without branches, which nobody could predict: most pairs of all tests are decided here.
static bool naive_overlap(const bp_box *a, const bp_box *b, uint32_t dimensions) {
    const bool x = (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]);
    const bool y = (a->min[1] <= b->max[1]) & (b->min[1] <= a->max[1]);
    const bool z = (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]);
    return x & y & (z | (dimensions == 2));
}

void pair_list_push(pair_list *pairs, uint32_t a, uint32_t b) {
    if (pairs->count == pairs->capacity) {
        pairs->capacity = 2 * pairs->capacity + 64;
        pairs->data = realloc(pairs->data, pairs->capacity * sizeof *pairs->data);
        if (pairs->data == NULL) {
            fail_msg("the test itself ran out of memory");
        }
    }
    pairs->data[pairs->count++] = (bp_pair){.a = a, .b = b};
}

void pair_list_append(pair_list *all, const bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        pair_list_push(all, pairs[i].a, pairs[i].b);
    }
}

static uint64_t pair_key(bp_pair pair) {
    return (uint64_t)pair.a << 32 | pair.b;
}

bool pairs_contain(const bp_pair *pairs, size_t count, bp_pair pair) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pair_key(pairs[middle]) < pair_key(pair)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && pair_key(pairs[low]) == pair_key(pair);
}

void pair_list_free(pair_list *pairs) {
    free(pairs->data);
    *pairs = (pair_list){0};
}

pair_list naive_pairs(const bp_box *boxes, size_t count, uint32_t dimensions) {
    pair_list pairs = {0};
    for (size_t a = 0; a < count; ++a) {
        for (size_t b = a + 1; b < count; ++b) {
            if (naive_overlap(&boxes[a], &boxes[b], dimensions)) {
                pair_list_push(&pairs, (uint32_t)a, (uint32_t)b);
            }
        }
    }
    return pairs;
}

pair_list naive_pairs_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count, uint32_t dimensions) {
    pair_list pairs = {0};
    for (size_t i = 0; i < a_count; ++i) {
        for (size_t j = 0; j < b_count; ++j) {
            if (naive_overlap(&a[i], &b[j], dimensions)) {
                pair_list_push(&pairs, (uint32_t)i, (uint32_t)j);
            }
        }
    }
    return pairs;
}

static uint64_t all_if_zero(uint64_t bits) {
    return bits == 0 ? UINT64_MAX : bits;
}

static bool naive_passes(const bp_object *a, const bp_object *b) {
    const bool a_sees_b = (all_if_zero(a->mask) & all_if_zero(b->group)) != 0;
    const bool b_sees_a = (all_if_zero(b->mask) & all_if_zero(a->group)) != 0;
    const bool both_static = (a->flags & BP_STATIC) != 0 && (b->flags & BP_STATIC) != 0;
    return a_sees_b && b_sees_a && !both_static && a->island == b->island;
}

void naive_filter(pair_list *pairs, const bp_object *objects) {
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; ++i) {
        if (naive_passes(&objects[pairs->data[i].a], &objects[pairs->data[i].b])) {
            pairs->data[kept++] = pairs->data[i];
        }
    }
    pairs->count = kept;
}

// One stable pass over a byte of the key; a comparison sort would take most of the tests' time.
static void sort_pass(const bp_pair *from, bp_pair *to, size_t count, unsigned shift) {
    size_t position[257] = {0};
    for (size_t i = 0; i < count; ++i) {
        ++position[1 + ((pair_key(from[i]) >> shift) & 255)];
    }
    for (size_t digit = 0; digit < 256; ++digit) {
        position[digit + 1] += position[digit];
    }
    for (size_t i = 0; i < count; ++i) {
        to[position[(pair_key(from[i]) >> shift) & 255]++] = from[i];
    }
}

void sort_pairs(bp_pair *pairs, size_t count) {
    uint64_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        used |= pair_key(pairs[i]);
    }
    bp_pair *scratch = obtain(count, sizeof *scratch);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((used >> shift) & 255) != 0) {
            sort_pass(pairs, scratch, count, shift);
            memcpy(pairs, scratch, count * sizeof *pairs);
        }
    }
    free(scratch);
}

// Pairs of one kind: how many, and the first few as text.
typedef struct difference {
    size_t count;
    char text[128];
} difference;

static void note(difference *d, bp_pair pair) {
    const size_t used = strlen(d->text);
    if (d->count++ < 4) {
        (void)snprintf(d->text + used, sizeof d->text - used, " (%u, %u)", pair.a, pair.b);
    }
}

// Both lists are sorted.
static void fail_with_difference(const char *what, const bp_pair *found, size_t count, const pair_list *expected) {
    difference missing = {0}, surplus = {0}, twice = {0};
    size_t i = 0, j = 0;
    while (i < count || j < expected->count) {
        const bool has_both = i < count && j < expected->count;
        const uint64_t here = i < count ? pair_key(found[i]) : UINT64_MAX;
        if (i > 0 && i < count && here == pair_key(found[i - 1])) {
            note(&twice, found[i++]);
        } else if (has_both && here == pair_key(expected->data[j])) {
            ++i;
            ++j;
        } else if (j == expected->count || (i < count && here < pair_key(expected->data[j]))) {
            note(&surplus, found[i++]);
        } else {
            note(&missing, expected->data[j++]);
        }
    }
    fail_msg("%s\n    %zu pairs found, %zu expected; %zu missing:%s; %zu surplus:%s; %zu twice:%s", what, count,
             expected->count, missing.count, missing.text, surplus.count, surplus.text, twice.count, twice.text);
}

void expect_pairs(const bp_pair *found, size_t count, const pair_list *expected, const char *format, ...) {
    bp_pair *sorted = obtain(count, sizeof *sorted);
    if (count > 0) {
        memcpy(sorted, found, count * sizeof *sorted);
    }
    sort_pairs(sorted, count);
    if (count != expected->count || (count > 0 && memcmp(sorted, expected->data, count * sizeof *sorted) != 0)) {
        char what[1024];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(what, sizeof what, format, arguments);
        va_end(arguments);
        fail_with_difference(what, sorted, count, expected);
    }
    free(sorted);
}

void expect_same_bytes(const bp_pair *found, size_t count, const bp_pair *expected, size_t expected_count,
                       const char *format, ...) {
    size_t first = 0;
    while (first < count && first < expected_count && pair_key(found[first]) == pair_key(expected[first])) {
        ++first;
    }
    if (first == count && first == expected_count) {
        return;
    }
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail_msg("%s\n    %zu pairs, %zu in the reference; the first difference is at %zu", what, count, expected_count,
             first);
}

// ---- hooks ----------------------------------------------------------------------------------------------------------

static void write_log(void *context, const char *text) {
    test_log *log = context;
    (void)snprintf(log->text, sizeof log->text, "%s", text);
    ++log->count;
}

bp_log test_log_hook(test_log *log) {
    return (bp_log){.write = write_log, .context = log};
}

typedef struct shared_work {
    bp_task task;
    void *task_context;
    size_t count;
    atomic_size_t next;
} shared_work;

static void *take_indices(void *context) {
    shared_work *work = context;
    for (size_t i = atomic_fetch_add(&work->next, 1); i < work->count; i = atomic_fetch_add(&work->next, 1)) {
        work->task(work->task_context, i);
    }
    return NULL;
}

enum { THREADS_MAX = 16 };

// The context is the number of workers itself.
static void run_in_threads(void *context, bp_task task, void *task_context, size_t count) {
    const size_t workers = (uintptr_t)context;
    shared_work work = {.task = task, .task_context = task_context, .count = count};
    pthread_t threads[THREADS_MAX];
    size_t started = 0;
    while (started + 1 < workers && pthread_create(&threads[started], NULL, take_indices, &work) == 0) {
        ++started;
    }
    (void)take_indices(&work);
    for (size_t i = 0; i < started; ++i) {
        (void)pthread_join(threads[i], NULL);
    }
}

bp_executor thread_executor(uint32_t workers) {
    assert_true(workers <= THREADS_MAX);
    return (bp_executor){.run = run_in_threads, .context = (void *)(uintptr_t)workers, .workers = workers};
}

static void run_in_reverse(void *context, bp_task task, void *task_context, size_t count) {
    (void)context;
    for (size_t i = count; i-- > 0;) {
        task(task_context, i);
    }
}

bp_executor reverse_executor(uint32_t workers) {
    return (bp_executor){.run = run_in_reverse, .workers = workers};
}

enum { ALIGNMENT = 64, GUARD = 64, GUARD_BYTE = 0xA5, NEW_BYTE = 0xCD };

// In front of every block, at an address that is a multiple of 128: so the block is aligned to 64 and not to 128.
typedef union block_head {
    size_t size;
    unsigned char bytes[ALIGNMENT];
} block_head;

// Runs in which an allocation was refused, of all allocators of this program.
static size_t failed_points;

static void report_points(void) {
    report("allocation points failed", "%zu", failed_points);
}

static void count_point(const test_allocator *allocator) {
    if (allocator->refused > 0 && failed_points++ == 0) {
        (void)atexit(report_points);
    }
}

void test_allocator_init(test_allocator *allocator) {
    *allocator = (test_allocator){0};
    (void)pthread_mutex_init(&allocator->lock, NULL);
}

void test_allocator_fail(test_allocator *allocator, size_t fail_at, bool fail_from) {
    count_point(allocator);
    allocator->calls = 0;
    allocator->refused = 0;
    allocator->fail_at = fail_at;
    allocator->fail_from = fail_from;
}

// Counts one call; false if it is to fail.
static bool admit(test_allocator *allocator, size_t size) {
    (void)pthread_mutex_lock(&allocator->lock);
    const size_t call = ++allocator->calls;
    const bool hit =
        allocator->fail_at != 0 && (call == allocator->fail_at || (allocator->fail_from && call > allocator->fail_at));
    allocator->refused += hit ? 1 : 0;
    allocator->live_blocks += hit ? 0 : 1;
    allocator->live_bytes += hit ? 0 : size;
    allocator->most_bytes =
        allocator->live_bytes > allocator->most_bytes ? allocator->live_bytes : allocator->most_bytes;
    (void)pthread_mutex_unlock(&allocator->lock);
    return !hit;
}

static void *test_allocate(void *context, size_t size) {
    const size_t total = (sizeof(block_head) + size + GUARD + 127) / 128 * 128;
    block_head *head = admit(context, size) ? allocate_aligned(128, total) : NULL;
    if (head == NULL) {
        return NULL;
    }
    head->size = size;
    unsigned char *block = (unsigned char *)(head + 1);
    memset(block, NEW_BYTE, size);
    memset(block + size, GUARD_BYTE, GUARD);
    return block;
}

static bool guard_is_whole(const unsigned char *guard) {
    bool whole = true;
    for (size_t i = 0; i < GUARD; ++i) {
        whole &= guard[i] == GUARD_BYTE;
    }
    return whole;
}

static void test_release(void *context, void *memory, size_t size) {
    test_allocator *allocator = context;
    block_head *head = (block_head *)memory - 1;
    const bool right = head->size == size && guard_is_whole((const unsigned char *)memory + head->size);
    (void)pthread_mutex_lock(&allocator->lock);
    allocator->mistakes += right ? 0 : 1;
    --allocator->live_blocks;
    allocator->live_bytes -= head->size;
    (void)pthread_mutex_unlock(&allocator->lock);
    release_aligned(head);
}

bp_allocator test_allocator_hook(test_allocator *allocator) {
    return (bp_allocator){.allocate = test_allocate, .release = test_release, .context = allocator};
}

void test_allocator_finish(test_allocator *allocator) {
    count_point(allocator);
    assert_int_equal(allocator->mistakes, 0);
    assert_int_equal(allocator->live_blocks, 0);
    assert_int_equal(allocator->live_bytes, 0);
    (void)pthread_mutex_destroy(&allocator->lock);
}
