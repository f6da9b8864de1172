// A contestant of the suites `surfaces` and `between` while it runs: our one call, a world of ours, or a peer.
#ifndef BENCH_MATCHER_H
#define BENCH_MATCHER_H

#include "core/bench.h"
#include "suites/moving_sets.h"

typedef enum matcher_kind {
    MATCH_CALL,          // bp_find_pairs or bp_find_pairs_between of all boxes
    MATCH_WORLD,         // a world; of two sets only pairs between them pass its groups
    MATCH_WORLD_STATICS, // the same where the first set is static, although it moves
    MATCH_PEER,          // another library, one set
    MATCH_SETS_PEER,     // another library, two sets
} matcher_kind;

typedef struct matcher {
    matcher_kind kind;
    const char *who;
    char method[NAME_SIZE];
    bp_config config;                 // ours
    const bench_peer *peer;           // MATCH_PEER
    const bench_sets_peer *sets_peer; // MATCH_SETS_PEER

    // While it lives.
    bp_world *world;
    void *state;
    bp_pairs list;
    const char *failure; // NULL: none

    // The last step. `seconds` are those of the processor.
    double seconds, update_seconds;
    size_t pair_count;
    uint64_t hash;
    bp_stats stats;

    double total_ms[MAX_RUNS], update_ms[MAX_RUNS];
    size_t runs;
} matcher;

matcher matcher_ours(matcher_kind kind, const char *method, bp_config config);
matcher matcher_peer(const bench_peer *peer);
matcher matcher_sets_peer(const bench_sets_peer *peer);
bool matcher_is_peer(const matcher *self);
// Whether it keeps a structure from step to step.
bool matcher_keeps(const matcher *self);

// One step; it is created in the first one, which is not part of the time. False: `failure` says why.
bool matcher_step(matcher *self, const bench_sets *sets, bool counts);
void matcher_destroy(matcher *self);
void matcher_row(const matcher *self, const char *label, size_t n, bench_row *row);

#endif
