// The suites. A new one is a file, suite_NAME.c, and a row in the table below.
#include "core/bench.h"
#include "peers/sets_peer.h"
#include "peers/world_peer.h"

#include <string.h>

static const bench_suite suites[] = {
    {.name = "quick",
     .summary = "seven scenes, 10^4 to 10^6 objects, all packaged peers; under two minutes",
     .budget = 105,
     .cases = quick_cases,
     .run = quick_summary,
     .limits = true},
    {.name = "methods",
     .summary = "every method of ours beside the packaged ones of its kind, 10^4 to 10^6 objects",
     .budget = 600,
     .cases = methods_cases,
     .run = quick_summary,
     .limits = true},
    {.name = "neighbors",
     .summary = "all points within a radius of 1, 10^4 to 10^6 points, beside k-d trees",
     .budget = 60,
     .cases = neighbors_cases,
     .run = quick_summary,
     .limits = true},
    {.name = "near",
     .summary = "30 neighbours a point, open and periodic, 32 and 64 bits, 10^4 to 10^6 points: our two ways",
     .run = near_run},
    {.name = "living",
     .summary = "worlds in which all, some or none move, up to 10^6 objects, beside Bullet's",
     .parts = living_parts,
     .run = living_run},
    {.name = "everyday",
     .summary =
         "levels, crowds, bullets, debris, vehicles, 250 to 50,000 objects, with rays and churn, beside packaged peers",
     .parts = everyday_parts,
     .run = everyday_run},
    {.name = "engine",
     .summary = "physics worlds of Bullet, 100 to 50,000 objects, with our broad phase beside Bullet's",
     .parts = engine_parts,
     .run = engine_run},
    {.name = "queries",
     .summary = "boxes and rays asked of a world, 10^5 and 10^6 objects, beside Bullet's tree",
     .run = queries_run},
    {.name = "rays",
     .summary = "first hits of 10^5 rays in 10^4 to 10^6 boxes, dense, sparse and mixed, beside Embree",
     .parts = rays_parts,
     .run = rays_run},
    {.name = "schornbaum",
     .summary = "hierarchical grids: scaling, set-up, density, factor, update, shape, coherence (Schornbaum 2009)",
     .parts = schornbaum_parts,
     .cases = schornbaum_cases,
     .run = schornbaum_summary},
    {.name = "scaling",
     .summary = "10^3 to 10^7 objects, one thread and all, beside the limits of the machine",
     .cases = scaling_cases,
     .run = scaling_summary,
     .limits = true},
    {.name = "trace",
     .summary =
         "replays a recording of yours (--file FILE.npy, T x N x 6): all methods of ours beside the packaged peers",
     .run = trace_run},
    {.name = "auto",
     .summary = "method auto beside every method: all scenes, 10^3 to 10^6 objects, 20 %, 1 % and 0.1 % moving",
     .run = auto_run},
    {.name = "regret",
     .summary = "method auto beside every method: calls, worlds and two sets, on all scenes and on 60 random mixtures",
     .parts = regret_parts,
     .run = regret_run},
    {.name = "calibrate",
     .summary = "what each search costs, as formulas by which auto plans (src/plan/costs.inc)",
     .run = calibrate_run},
    {.name = "tune",
     .summary = "bp_tune beside trying every candidate to the end, on three scenes of its own",
     .parts = tune_parts,
     .run = tune_run},
    {.name = "worst",
     .summary = "hostile shapes, alone and between two sets, 10^5 and 4*10^5 boxes, beside uniform boxes; and CGAL",
     .parts = worst_parts,
     .hostile = true,
     .run = worst_run},
    {.name = "worst-search",
     .summary = "searches for shapes that hurt, --budget seconds (default: 60), --seed S; prints the worst ten",
     .run = worst_search_run},
    {.name = "worst-mixtures",
     .summary =
         "two or three hostile shapes in one, 4,000 of them by --seed S: one call, and a world in which all move",
     .run = worst_mixtures_run},
    {.name = "surfaces",
     .summary = "the triangles of meshes that deform, 10^3 to 10^5, one call and worlds, beside packaged peers",
     .parts = surfaces_parts,
     .run = surfaces_run},
    {.name = "between",
     .summary = "two sets against each other, meshes and others, 10^3 to 10^5 boxes, beside packaged peers",
     .parts = between_parts,
     .run = between_run},
    {.name = "fcl",
     .summary = "as a manager of FCL beside FCL's dynamic tree: 10^4 and 10^5 bodies, an arm among 10^4 boxes",
     .parts = fcl_parts,
     .run = fcl_run},
    {.name = "granular",
     .summary =
         "grains with friction, poured out, 2,000 and 20,000: a step, the broad phase's share of it, and margins",
     .run = granular_run},
    {.name = "koch",
     .summary = "linked cells, octree and hash grid on uneven scenes and sizes, with the figures of Koch 2020",
     .parts = koch_parts,
     .run = koch_run},
    {.name = "zhyhallo",
     .summary = "dense and chunked pivots in scenes of up to 14,336^2 cells: time, memory, threads (Zhyhallo and "
                "Woźna-Szcześniak)",
     .parts = zhyhallo_parts,
     .run = zhyhallo_run},
    {.name = "gissler",
     .summary = "tissue: points in tetrahedra, edges and triangles; sorts, order in memory (Gissler et al.)",
     .parts = gissler_parts,
     .run = gissler_run},
    {.name = "zych",
     .summary =
         "collision detection inside Bullet: objects, sizes, statics, velocity, density, shapes, terrain (Zych 2016)",
     .parts = zych_parts,
     .run = zych_run},
};
enum { SUITE_COUNT = sizeof suites / sizeof *suites };

const bench_suite *suite_find(const char *name) {
    for (size_t i = 0; i < SUITE_COUNT; i++)
        if (strcmp(suites[i].name, name) == 0) return &suites[i];
    return NULL;
}

static void list_library(FILE *file, const bench_library *library) {
    if (!library->peers) fprintf(file, "  %-10s %-16s not built (Debian: %s)\n", library->name, "-", library->package);
    for (const bench_peer *peer = library->peers; peer && peer->who; peer++)
        fprintf(file, "  %-10s %-16s %s\n", peer->who, peer->method, peer->note);
}

static void list_sets_peers(FILE *file, const bench_library *library) {
    for (const bench_sets_peer *peer = library->sets; peer && peer->who; peer++)
        fprintf(file, "  %-10s %-16s %s\n", peer->who, peer->method, peer->note);
}

static void list_world_peers(FILE *file, const bench_world_peer *peer) {
    for (; peer && peer->who; peer++) fprintf(file, "  %-10s %-16s %s\n", peer->who, peer->method, peer->note);
}

void suite_list(FILE *file) {
    fprintf(file, "Suites:\n");
    for (size_t i = 0; i < SUITE_COUNT; i++) fprintf(file, "  %-10s %s\n", suites[i].name, suites[i].summary);
    fprintf(file, "Peers:\n");
    for (size_t i = 0; i < bench_library_count; i++) list_library(file, &bench_libraries[i]);
    fprintf(file, "Peers for two sets:\n");
    for (size_t i = 0; i < bench_library_count; i++) list_sets_peers(file, &bench_libraries[i]);
    fprintf(file, "Peers that keep a world:\n");
    for (size_t i = 0; i < BENCH_WORLD_LIBRARIES; i++) list_world_peers(file, bench_world_peers[i]);
}
