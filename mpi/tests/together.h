// For tests that run on several ranks: checks that end all of them, and pairs from all of them in one place.
//
// Every rank holds the same model of the world (all boxes, by id) and the same random numbers; it hands its own share
// to the distributed world. A plain bp_world with all objects is the reference.
#ifndef TOGETHER_H
#define TOGETHER_H

#include <broadphase/broadphase_mpi.h>
#include <stdbool.h>
#include <stdio.h>

extern int my_rank, rank_count;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: rank %d of %d: %s does not hold (%s)\n", __FILE__, __LINE__, my_rank, rank_count,  \
                    #condition, test_context);                                                                         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                              \
        }                                                                                                              \
    } while (0)

// The current case, for messages: scene, seed, step.
extern char test_context[256];
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void describe(const char *format, ...);

// Runs a test if it is named on the command line (no names: all), and prints its name on rank 0.
#define RUN(test) run_test(#test, test, argument_count, arguments)
void run_test(const char *name, void (*test)(void), int argument_count, char **arguments);

// True if the environment asks for short tests (BP_TEST_QUICK=1).
bool is_quick(void);

// Messages go to standard error if the environment asks for them (BP_TEST_LOG=1).
bp_log test_log(void);

// Random numbers, the same on all ranks.
typedef struct dice {
    uint64_t state;
} dice;
uint64_t throw_dice(dice *self);
double throw_unit(dice *self);                // 0 .. 1
size_t throw_below(dice *self, size_t limit); // 0 .. limit - 1

// A list of pairs, sorted: that of all ranks together. It is on rank 0; on the others it is empty.
typedef struct pair_list {
    bp_mpi_pair *data;
    size_t count;
} pair_list;
pair_list gather_pairs(const bp_mpi_pair *pairs, size_t count);
pair_list widen_pairs(const bp_pair *pairs, size_t count); // of a plain world, sorted
// Byte for byte, on rank 0; fails with the first difference.
void check_same(const pair_list *found, const pair_list *expected, const char *what);
void pair_list_free(pair_list *list);

// Which rank adds object i.
typedef enum sharing { SHARE_EVENLY, SHARE_FIRST_RANK, SHARE_LAST_EMPTY } sharing;
bool is_my_share(sharing how, size_t index);

// Adds my share of the boxes with their indices as ids.
void add_share(bp_mpi_world *world, const bp_box *boxes, size_t count, sharing how);

// The pairs of a world after an update, of all ranks.
pair_list update_and_gather(bp_mpi_world *world);
// The pairs of boxes by the library itself.
pair_list expected_pairs(const bp_box *boxes, size_t count, const bp_config *config);

#endif
