// Shared by the tests: random boxes, the naive oracle, comparing pair lists, executors and an allocator that can fail.
#ifndef BP_TESTS_SUPPORT_H
#define BP_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <broadphase/broadphase.h>
#include <broadphase/broadphase_methods.h>
#include <pthread.h>

#include "random.h"
#include "support/portable.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
// The settings of methods, in the initialiser of a config: {.threads = 2, SETTINGS(.brute_force_below = 1)}. They live
// as long as the block, and at file scope for ever.
#define SETTINGS(...)                                                                                                  \
    .settings = &(const bp_method_settings) {                                                                          \
        __VA_ARGS__                                                                                                    \
    }

// ---- running --------------------------------------------------------------------------------------------------------

// BP_TEST_QUICK=1: smaller sizes, for slow tools; BP_TEST_QUICK=2: and fewer combinations, for the inner loop.
bool quick(void);
bool shortest(void);
// BP_TEST_LONG=1, as in `make nightly`: what takes minutes.
bool longest(void);

// Where there are many combinations: true for every third call in the short form, for every eleventh in the shortest,
// else for all.
bool in_turn(void);
// In the shortest form: true for every n-th call, n being a small prime, else for all.
bool in_short_turn(size_t n);
// Skips a test of one thread where threads are sanitized: nothing could be found, and it takes ten times as long.
void skip_where_threads_are_sanitized(void);
// Skips a test that an emulator cannot run, and says why not.
void skip_where_emulated(const char *what);
// The number in an environment variable, or `otherwise` where it is not set.
uint64_t environment_number(const char *name, uint64_t otherwise);

// Leaves a line for the table at the end of `make test`: what was counted, and how many. Numbers that several programs
// leave under one name are added up there.
__attribute__((format(printf, 2, 3))) void report(const char *what, const char *format, ...);

// Numbers of `width` bytes as this machine has them become little-endian ones, as files have them, and the other way
// round.
void swap_if_big_endian(void *numbers, size_t bytes, size_t width);

// Allocates, or fails the test.
void *obtain(size_t count, size_t size);

bool is_incremental(size_t method);
// Whether this processor and build have the instruction set.
bool has_simd(bp_simd simd);
const char *simd_text(bp_simd simd);

// A config's settings of methods, or the defaults.
bp_method_settings settings_of(const bp_config *config);
// hierarchical-grid: a grid for however few objects.
extern const bp_method_settings ALWAYS_A_GRID;

enum { CONFIG_TEXT = 256 };
// All fields that are not zero, as text to repeat a failure with.
const char *config_text(const bp_config *config, char text[CONFIG_TEXT]);

// ---- boxes ----------------------------------------------------------------------------------------------------------

float random_between(rng *random, double low, double high);
// Uniform in the exponent; low > 0.
float random_magnitude(rng *random, double low, double high);
bp_box box_of(float x, float y, float z, float size_x, float size_y, float size_z);
// An interval per axis: min[i] .. max[i].
bp_box box_between(const float min[3], const float max[3]);
bp_box cube_of(float x, float y, float z, float size);
// A cube with an edge of `size` anywhere in a domain with an edge of `extent` around the origin.
bp_box random_cube(rng *random, double extent, double size);

// Brings boxes into no order, always the same.
void shuffle_boxes(bp_box *boxes, size_t count);
// Boxes of all kinds: many orders of magnitude, infinite, far away, of size 0, copies of others.
bp_box random_wild_box(rng *random, const bp_box *others, size_t other_count);
void fill_wild_boxes(rng *random, bp_box *boxes, size_t count);

// ---- pairs ----------------------------------------------------------------------------------------------------------

typedef struct pair_list {
    bp_pair *data;
    size_t count, capacity;
} pair_list;

// Every pair by the definition, ascending by (a, b). A box with a NaN overlaps nothing.
pair_list naive_pairs(const bp_box *boxes, size_t count, uint32_t dimensions);
pair_list naive_pairs_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count, uint32_t dimensions);
// Keeps the pairs that the objects' groups, masks, flags and islands let pass.
void naive_filter(pair_list *pairs, const bp_object *objects);
void pair_list_push(pair_list *pairs, uint32_t a, uint32_t b);
void pair_list_append(pair_list *all, const bp_pair *pairs, size_t count);
// The pairs must be ascending by (a, b).
bool pairs_contain(const bp_pair *pairs, size_t count, bp_pair pair);
void pair_list_free(pair_list *pairs);
void sort_pairs(bp_pair *pairs, size_t count);

// Fails, naming the first missing and surplus pairs after the text, unless `found`, in any order, is `expected`.
__attribute__((format(printf, 4, 5))) void expect_pairs(const bp_pair *found, size_t count, const pair_list *expected,
                                                        const char *format, ...);
// Fails after the text unless both lists have the same bytes.
__attribute__((format(printf, 5, 6))) void expect_same_bytes(const bp_pair *found, size_t count,
                                                             const bp_pair *expected, size_t expected_count,
                                                             const char *format, ...);

// ---- hooks ----------------------------------------------------------------------------------------------------------

// The last message of the log hook.
typedef struct test_log {
    char text[512];
    size_t count;
} test_log;

bp_log test_log_hook(test_log *log);

// Plain threads that take the next index until none is left.
bp_executor thread_executor(uint32_t workers);
// One thread, the last index first.
bp_executor reverse_executor(uint32_t workers);

// Counts, fails on demand, and watches: sizes given back must match, nothing may be written beside a block, and new
// memory is full of garbage. Blocks are aligned to 64 bytes and never to more.
typedef struct test_allocator {
    pthread_mutex_t lock;
    size_t calls;       // of allocate, since the last reset
    size_t fail_at;     // the call that fails, from 1; 0: none
    bool fail_from;     // and all that follow
    size_t refused;     // calls that failed since the last reset
    size_t live_blocks; // not given back
    size_t live_bytes;
    size_t most_bytes; // at one time
    size_t mistakes;   // of the library
} test_allocator;

void test_allocator_init(test_allocator *allocator);
// From now on call number `fail_at` fails, and with `fail_from` all after it.
void test_allocator_fail(test_allocator *allocator, size_t fail_at, bool fail_from);
bp_allocator test_allocator_hook(test_allocator *allocator);
// Fails unless everything was given back as it was taken.
void test_allocator_finish(test_allocator *allocator);

#endif
