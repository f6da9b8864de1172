// A contestant of the suites `living` and `everyday` while it runs: a world of ours, the one call, or a peer's world.
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "core/agreement.h"
#include "core/bench.h"
#include "peers/world_peer.h"

// The times of one step, in milliseconds of the processor.
typedef struct step_sample {
    double move;  // bp_move_many, setAabb; removing and adding
    double build; // the part of the update that brings the structure up to date; peers: unknown, 0
    double update;
    double rays;
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
    bp_id *new_ids;   // of the objects that were added in it
    bp_answers answers;
    bp_ray_hit *hits; // of the rays of the last step, a peer's, or read from the answers
    size_t heap;      // what it has taken, less what it has given back

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
bool runner_step(runner *r, const crowd *c, const crowd_changes *changes, size_t batch, bool counts);

// What is right after a step.
typedef struct exact_answers {
    bp_pairs pairs;           // sorted
    double *first_hits;       // of every stride-th ray; infinite: none
    size_t ray_count, stride; // how many of these
} exact_answers;

// Whether the pairs of the last step are those of the crowd, up to the margin that the contestant has, and the hits those of
// its rays; peers, which compute with floats, may miss one in a thousand. If not, that is on stderr.
bool runner_agrees(runner *r, const crowd *c, const crowd_changes *changes, const exact_answers *exact);

// One figure of all samples.
typedef enum step_figure { FIGURE_MOVE, FIGURE_UPDATE, FIGURE_RAYS, FIGURE_TOTAL, FIGURE_BUILT } step_figure;
typedef struct figures {
    double best, median, mean, spread;
} figures;
figures runner_figures(const runner *r, step_figure figure);

void runner_row(const runner *r, const char *label, size_t n, bench_row *row);
// Of its rays alone.
void runner_ray_row(const runner *r, const char *label, size_t n, bench_row *row);

#endif
