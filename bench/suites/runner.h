// A contestant of the suite `living` while it runs: a world of ours, the one call, or a peer's world.
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "core/agreement.h"
#include "core/bench.h"
#include "peers/world_peer.h"

// The times of one step, in milliseconds of the processor.
typedef struct step_sample {
    double move;  // bp_move_many, setAabb
    double build; // the part of the update that brings the structure up to date; peers: unknown, 0
    double update;
} step_sample;

typedef struct runner {
    const char *who;
    const char *what; // what is special about it
    bp_config config; // ours
    bool one_call;    // ours: bp_find_pairs of all boxes instead of a world
    const bench_world_peer *peer;

    // While it lives.
    bp_world *world;
    void *state;
    bp_pairs pairs; // of the single call, or last read from a peer
    bp_pairs stale;
    bp_result result; // of a world's last step

    step_sample *samples;
    size_t sample_count, sample_capacity;
    bp_stats stats;
    size_t near; // pairs of the last comparison that only overlap because of a margin
} runner;

runner runner_world(const char *what, bp_config config);
runner runner_one_call(const char *what);
runner runner_peer(const char *what, const bench_world_peer *peer);

// The name of its method.
const char *runner_method(const runner *r);

// False on failure, with the reason on stderr.
bool runner_create(runner *r, const crowd *c);
void runner_destroy(runner *r);

// `batch` equal steps; the sample is their mean. Not kept where `counts` is false.
bool runner_step(runner *r, const crowd *c, const crowd_moves *moves, size_t batch, bool counts);

// Whether the pairs of the last step are those of the crowd, up to the margin that the contestant has. If not, that is
// on stderr.
bool runner_agrees(runner *r, const crowd *c, const bp_pairs *exact);

// One figure of all samples.
typedef enum step_figure { FIGURE_MOVE, FIGURE_UPDATE, FIGURE_TOTAL, FIGURE_BUILT } step_figure;
typedef struct figures {
    double best, median, mean, spread;
} figures;
figures runner_figures(const runner *r, step_figure figure);

void runner_row(const runner *r, const char *label, size_t n, bench_row *row);

#endif
