// A contestant while it runs: ours (a world) or a peer, with the same interface.
#ifndef BENCH_ENTRY_H
#define BENCH_ENTRY_H

#include "core/bench.h"
#include "core/roster.h"

// The boxes of a step: as the scene gives them, and as peers get them (see boxes.c).
typedef struct step_boxes {
    const bp_box *scene;
    const bp_box *finite;
    size_t count;
    bool has_absent; // in a recording: some objects are absent in some steps
    uint32_t dimensions;
    const float *points; // for neighbours; else NULL
    size_t point_count;
    const bp_box *others; // between two sets: the set that the structure is built over; else NULL
    size_t other_count;
} step_boxes;

typedef struct entry {
    const char *who;
    char method[NAME_SIZE];
    int threads;
    const bench_peer *peer; // NULL: ours
    bp_config config;       // ours
    bool neighbors;         // ours: bp_find_neighbors instead of a world
    bool one_call;          // ours: bp_find_pairs instead of a world
    bool one_by_one;        // ours: see bench_entrant
    bool anew;              // see bench_case

    // While it lives.
    bp_world *world;
    roster roster; // where boxes may be absent
    void *state;
    bp_pairs pairs;
    bp_neighbors rows;

    // What has been measured.
    size_t from;         // takes part in the steps from this one on,
    size_t counted_from; // and is timed from this one on
    size_t runs;         // timed so far
    double last_seconds;
    double update_ms[MAX_RUNS], find_ms[MAX_RUNS], total_ms[MAX_RUNS];
    size_t pair_count;
    uint64_t hash;
    size_t bytes;
    uint64_t tests;
    bp_stats stats; // ours: of the last step
    char why[NAME_SIZE];
    bool failed;
} entry;

// choose.c: the contestants of a case, ours first. Those that are left out have `why` set. Returns how many.
size_t entries_choose(const bench_options *options, const bench_case *c, const bench_rows *before, entry *entries,
                      size_t capacity);

// Both false on failure, with `why` set.
bool entry_create(entry *e, const step_boxes *boxes);
bool entry_step(entry *e, const step_boxes *boxes, bool counts);
void entry_destroy(entry *e);
void entry_row(entry *e, const bench_case *c, size_t box_count, bench_row *row);

// The sum over all pairs of a 64-bit mix: the same for every order, different for a pair that is missing, wrong or
// there twice.
uint64_t hash_pairs(const bp_pair *pairs, size_t count);

#endif
