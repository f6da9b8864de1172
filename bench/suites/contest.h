// Worlds of ours with different configs that follow the same moves, for the suites `auto` and `tune`.
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include "core/bench.h"

#include <random.h>

enum { MAX_CONTESTANTS = 32, MAX_STEPS = 1024 };

typedef struct contestant {
    char name[NAME_SIZE];
    bp_world *world; // NULL: it has been dropped
    bp_result result;
    double last; // processor seconds of the last step
    double seconds[MAX_STEPS];
    size_t step_count;
    size_t pairs; // after the last comparison
    uint64_t hash;
} contestant;

typedef struct contest {
    contestant *list; // MAX_CONTESTANTS of them
    size_t count;
    rng random; // for the order of turns
} contest;

void contest_begin(contest *c);
// A new world with these boxes; the first `fixed` of them are static. False on failure, with the reason on stderr.
bool contest_add(contest *c, const char *name, const bp_config *config, const bp_box *boxes, size_t count,
                 size_t fixed);
// All contestants take the moves and update, one after the other, in a new random order for each step.
bool contest_step(contest *c, const bp_id *ids, const bp_box *boxes, size_t count, bool counts);
// Drops contestants that took more than `factor` times as long as the fastest in the last step.
void contest_drop_slow(contest *c, double factor);
// Whether all have the same pairs. If not, that is on stderr.
bool contest_agrees(contest *c);
// Seconds for a step: the median of three means, each over a third of the steps. Regular rebuilds count, a single
// disturbance does not.
double contest_seconds(const contestant *one);
void contest_row(const contestant *one, const char *label, size_t n, bench_row *row);
// Frees all worlds.
void contest_end(contest *c);

#endif
