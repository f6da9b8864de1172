// The suites `worst`, `worst-search` and `worst-mixtures`: is there any input that hurts?
//
//     worst_trial.c   measures contestants in a process of their own, which is ended when a call takes too long
//     worst_figures.c rows of a scene -> how it compares with uniform boxes
//     suite_worst.c   the hostile scenes with names
//     worst_peers.c   beside CGAL, whose segment trees promise the same
//     worst_search.c  scenes with random parameters, and changes of the worst ones
//     worst_mixtures.c  several of them in one
#ifndef BENCH_WORST_H
#define BENCH_WORST_H

#include "core/bench.h"
#include "peers/sets_peer.h"

#include <hostile.h>

// What is promised for every scene, beside uniform boxes, and of what the search finds.
#define WORST_RATIO 15.0
#define WORST_EXPONENT 1.2
#define WORST_EXPONENT_LENGTHS 1.3 // needles of random lengths
#define WORST_FOUND 20.0
#define WORST_MIXTURE 20.0

// The rows of uniform boxes that were measured in turns with a scene.
#define WORST_REFERENCE "uniform-boxes"

typedef struct worst_contestant {
    const char *who, *method; // as in the rows
    bp_config config;         // ours; dimensions come from the boxes
    const bench_peer *peer;   // NULL: ours, or
    const bench_sets_peer *sets_peer;
    const hostile_boxes *boxes;
    double moves; // 0: one call; else a world, in whose steps all boxes move by so much of their edges
} worst_contestant;

enum { WORST_CONTESTANTS = 6 };

// Times are processor times, the best of all rounds.
typedef struct worst_result {
    size_t rounds;   // 0: not one call came to its end
    bool over_limit; // its last call was ended; `seconds` is the limit if there was none before
    bool failed;
    double seconds, build_seconds, slowest;
    uint64_t tests, hash;
    size_t pairs, bytes;
    bp_method chosen;
} worst_result;

// Calls each contestant in turns, `rounds` times, or fewer where that takes long. A call that takes longer than
// `limit` seconds is ended, and so are all that would follow it. After an interrupt the results are of no use.
void worst_measure(const worst_contestant *contestants, size_t count, size_t rounds, double limit,
                   worst_result *results);
// How long a call may take: as asked for (--limit), or, where that is 0, so many microseconds for each object.
double worst_limit(double asked, size_t n);

// Whether the default method finds what testing all pairs finds, in a small form of the scene.
bool worst_agrees(const hostile_scene *hostile, uint64_t seed);
bool worst_finds_all(const hostile_boxes *boxes); // of these few boxes, in one call and in a world

// Unit cubes, two pairs each: what everything is compared with. Free it with hostile_free.
hostile_boxes worst_uniform_boxes(size_t n);
// Any scene of scenes.h; where `between`, its boxes are two sets.
hostile_boxes worst_scene_boxes(const char *name, size_t n, bool between);

// ---- worst_figures.c ------------------------------------------------------------------------------------------------

void worst_row(const worst_contestant *contestant, const worst_result *result, const char *label, size_t n,
               bench_row *row);

// How a row compares with that of uniform boxes: both per object and pair.
typedef struct worst_figures {
    double time, tests;
    bool more; // the call was ended: at least so much
} worst_figures;

worst_figures worst_compare(const bench_row *row, const bench_row *reference);
// The row of a method, ended or not, or NULL.
const bench_row *worst_find(const bench_rows *rows, const char *label, size_t n, const char *method);
bool worst_was_ended(const bench_row *row);

// ---- worst_peers.c --------------------------------------------------------------------------------------------------

#define WORST_PEERS "peers" // what --scenes calls this part
void worst_peers_expect(const bench_options *options, bench_session *session);
void worst_peers_run(const bench_options *options, bench_session *session);

#endif
