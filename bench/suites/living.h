// The suites `living` and `everyday`: worlds with moving, resting and static objects, and what is promised for them.
//
//     living.c       the parts of the one: crowds, contestants, promises
//     suite_everyday.c   those of the other
//     followers.c    runs a part, step by step, and compares all pairs and rays
//     crowd.c        boxes of which some move
//     places.c       those of games
//     runner.c       one contestant
//     agreement.c    whether pairs agree
#ifndef BENCH_LIVING_H
#define BENCH_LIVING_H

#include "suites/runner.h"

enum { MAX_RUNNERS = 16, MAX_GROUPS = 8 };

// A crowd and the contestants that follow it from step to step.
typedef struct living_group {
    crowd *crowd;
    crowd_changes changes; // of the last step
    runner runners[MAX_RUNNERS];
    size_t runner_count;
    size_t warmups, steps;
    size_t batch; // steps timed together, where one is too short to measure
    rng random;   // for the order of turns
} living_group;

typedef struct living_part {
    const char *name;
    size_t n;
    const bench_options *options;
    living_group groups[MAX_GROUPS];
    size_t group_count;
} living_part;

// followers.c

// NULL, if there is no crowd.
living_group *part_add(living_part *part, crowd *c, size_t warmups, size_t steps);
void group_add(living_group *group, runner r);
// Adds the peers that fit the crowd.
typedef bool peer_fits(const bench_world_peer *peer, const crowd *c);
void group_add_peers(living_group *group, const char *what, const bench_options *options, peer_fits *fits);
// The fastest peer, or NULL if there is none.
const runner *group_fastest_peer(const living_group *group);

// Measures all groups in turns. False: a contestant failed, and the reason is on stderr.
bool part_run(living_part *part);
// With `micro` in microseconds.
void part_table(FILE *file, const living_part *part, bool micro);
// The head of the promises' columns.
void part_promise_head(FILE *file);
// Prints the ratio a / b of totals or updates and the promised bound, at most `limit`; 0: nothing is promised.
void part_promise(FILE *file, const char *what, const runner *a, const runner *b, step_figure figure, double limit);
void part_rows(const living_part *part, bench_rows *rows);
void part_end(living_part *part);

#endif
