// The suite `zych`: the experiments of M. Zych, "Efficient algorithms for collision detection in three-dimensional
// space" (2016 by its references), section 4.2, as there inside Bullet, with solid bodies, one factor at a time: number
// of objects, uniformity of sizes, static share, velocity, density, shape. And what it asks for: where sweep and tree
// cross (Fig. 4.7), the lists of the octree's levels (Fig. 4.9), shapes without solidity (Fig. 4.33), things that have
// settled on a terrain (Fig. 2.26), an octree that cuts objects into pieces and hash tables compared (section 4.3).
//
//     engine/zych_world.cpp: bodies in Bullet, a broad phase of ours or Bullet's in its place
//     ----> update, broad phase, narrow phase: their times, and possible and actual collisions
//
// The thesis gives the standard values of all factors, which are those of the scene, but not the ranges of its charts:
// they are chosen around the standard here. It warms up for 200 steps and measures 400, as here with up to 1,000 objects;
// with more there are fewer steps.
#include "suites/zych.h"

#include <string.h>

static const zych_factors standard = {
    .objects = 1000, .alpha = 100, .velocity = 0.64, .density = 0.05, .shape = ZYCH_ANY};

// ---- points --------------------------------------------------------------------------------------------------------

static void set_nothing(zych_point *p, double value) {
    (void)p, (void)value;
}
static void set_uniformity(zych_point *p, double value) {
    p->factors.alpha = value;
}
static void set_static(zych_point *p, double value) {
    p->factors.static_share = value;
}
static void set_velocity(zych_point *p, double value) {
    p->factors.velocity = value;
}
static void set_crossing(zych_point *p, double value) {
    p->factors.velocity = value;
    p->only = "dbvt sweep16";
}
static void set_density(zych_point *p, double value) {
    p->factors.density = value;
}
static void set_shape(zych_point *p, double value) {
    p->factors.shape = (zych_shape)value;
}
static void set_penetrable(zych_point *p, double value) {
    set_shape(p, value);
    p->factors.penetrable = true;
    p->only = "dbvt auto";
}
// On a terrain they are slow, so that they stay there; so are those beside them that fly.
static void set_terrain(zych_point *p, double value) {
    p->factors.terrain = value != 0;
    p->factors.velocity = 0.08;
    p->only = "dbvt sweep16 plain-octree-kept plain-octree loose-octree auto";
}

enum { MAX_VALUES = 8 };

typedef struct zych_experiment {
    const char *name, *key;
    double values[MAX_VALUES];
    size_t value_count;
    size_t counts[MAX_VALUES]; // of objects; 0 ends them
    void (*set)(zych_point *p, double value);
} zych_experiment;

#define ALL_SHAPES {ZYCH_BOX, ZYCH_SPHERE, ZYCH_CYLINDER, ZYCH_CONE, ZYCH_CAPSULE, ZYCH_COMPOUND}, ZYCH_COMPOUND + 1

static const zych_experiment experiments[] = {
    {"objects", NULL, {0}, 1, {500, 1000, 2000, 4000, 8000, 16000}, set_nothing},
    {"crossing", "velocity", {0.01, 0.04, 0.16}, 3, {1000, 2000, 4000, 8000, 16000}, set_crossing},
    {"uniformity", "alpha", {0.1, 0.5, 1, 10, 100}, 5, {1000}, set_uniformity},
    {"static-share", "static-share", {0, 0.25, 0.5, 0.75, 0.9}, 5, {1000}, set_static},
    {"velocity", "velocity", {0, 0.04, 0.16, 0.64, 1.28, 2.56}, 6, {1000}, set_velocity},
    {"density", "density", {0.01, 0.05, 0.1, 0.2, 0.5}, 5, {1000}, set_density},
    {"shape", "shape", ALL_SHAPES, {1000}, set_shape},
    {"penetrable", "shape", ALL_SHAPES, {1000}, set_penetrable},
    {"terrain", "terrain", {0, 1}, 2, {1000, 4000}, set_terrain},
    {"levels", NULL, {0}, 1, {1000, 8000, 64000}, set_nothing},
};
enum { EXPERIMENT_COUNT = sizeof experiments / sizeof *experiments };

const char *const zych_parts[] = {"objects", "crossing",   "uniformity", "static-share", "velocity", "density",
                                  "shape",   "penetrable", "terrain",    "levels",       "wishes",   NULL};

static const char *const shape_names[ZYCH_SHAPES] = {"box", "sphere", "cylinder", "cone", "capsule", "compound", "any"};

static void set_label(zych_point *p, const zych_experiment *e, double value) {
    if (!e->key)
        snprintf(p->label, sizeof p->label, "%s/solid", e->name);
    else if (strcmp(e->key, "shape") == 0)
        snprintf(p->label, sizeof p->label, "%s/solid %s=%s", e->name, e->key, shape_names[p->factors.shape]);
    else
        snprintf(p->label, sizeof p->label, "%s/solid %s=%g", e->name, e->key, value);
}

// As many steps as 1,000 objects have, or fewer, so that many objects take as long.
static size_t steps_for(size_t n, size_t most, size_t least) {
    const size_t steps = n <= standard.objects ? most : most * standard.objects / n;
    return steps < least ? least : steps;
}

static zych_point make_point(const bench_options *options, const zych_experiment *e, size_t n, double value) {
    zych_point p = {.factors = standard, .weight = n < standard.objects ? (double)n : (double)standard.objects};
    p.factors.objects = n;
    p.warmups = options->warmups ? options->warmups : steps_for(n, 200, 20);
    p.repeats = options->repeats ? options->repeats : steps_for(n, 400, 40);
    p.repeats = p.repeats < MAX_RUNS ? p.repeats : MAX_RUNS;
    e->set(&p, value);
    set_label(&p, e, value);
    return p;
}

// ---- wishes ---------------------------------------------------------------------------------------------------------

// Section 4.3 wishes for an octree that cuts objects into pieces, and for hash tables compared: an object in every leaf
// beside our octrees; cells by chained and open hash tables, by a cuckoo hash and by sorting, an object in each cell that it overlaps or in
// one; and the hierarchical grids: linked as Schornbaum 2009 describes them, and sorted.
static const bench_entrant wished_entrants[] = {
    {.label = "spatial-hash chained", .config = {.method = BP_METHOD_SPATIAL_HASH}},
    {.label = "spatial-hash open", .config = {.method = BP_METHOD_SPATIAL_HASH, SETTINGS(.hash_table = BP_HASH_OPEN)}},
    {.label = "cuckoo-grid", .config = {.method = BP_METHOD_CUCKOO_GRID}},
    {.label = "compact-grid", .config = {.method = BP_METHOD_COMPACT_GRID}},
    {.label = "hierarchical-grid linked",
     .config = {.method = BP_METHOD_HIERARCHICAL_GRID,
                .update = BP_UPDATE_INDIVIDUAL,
                SETTINGS(.hierarchy_factor = 2, .brute_force_below = 1)}},
    {.label = "hierarchical-grid", .config = {.method = BP_METHOD_HIERARCHICAL_GRID}},
    {.label = "plain-octree",
     .config = {.method = BP_METHOD_LOOSE_OCTREE, .update = BP_UPDATE_REBUILD, SETTINGS(.looseness = 1)}},
    {.label = "loose-octree", .config = {.method = BP_METHOD_LOOSE_OCTREE}},
};
static const char *const wished_peers[] = {"bullet-dbvt", "textbook-leaf-octree", NULL};
static const size_t wished_counts[] = {1000, 4000, 16000, 0};
enum { WISHED_ENTRANTS = sizeof wished_entrants / sizeof *wished_entrants };
static const double WISHES_WEIGHT = 300;

static void run_wishes(const bench_options *options, bench_session *session) {
    for (const size_t *n = options->count_count ? options->counts : wished_counts; *n; n++) {
        const bench_case c = {.scene = "zych",
                              .label = "wishes/zych",
                              .n = *n,
                              .entrants = wished_entrants,
                              .entrant_count = WISHED_ENTRANTS,
                              .peers = wished_peers,
                              .settle = 10,
                              .warmups = options->warmups ? options->warmups : 5,
                              .repeats = options->repeats ? options->repeats : 21,
                              .limited_peers = true,
                              .weight = WISHES_WEIGHT};
        if (!session_wants(session, c.label, c.n, c.weight)) continue;
        group_run(options, &c, session_allowance(session, c.weight), session);
        session_done(session);
    }
}

// ---- all together --------------------------------------------------------------------------------------------------

static void run_point(const bench_options *options, const zych_experiment *e, const zych_point *p,
                      bench_session *session) {
    const size_t first = session_rows(session)->count;
    const bool is_levels = strcmp(e->name, "levels") == 0;
    char label[NAME_SIZE];
    snprintf(label, sizeof label, "%s%s", p->label, is_levels ? " level=0" : "");
    if (!session_wants(session, label, p->factors.objects, p->weight)) return;
    if (is_levels) {
        zych_levels_run(p, session);
    } else if (zych_point_run(options, p, session)) {
        zych_table(stdout, session_rows(session), first);
    }
    if (bench_interrupted) session_rows(session)->count = first; // all rows of a point or none
    session_keep(session);
}

typedef void point_action(const bench_options *options, const zych_experiment *e, const zych_point *p,
                          bench_session *session);

static void expect_point(const bench_options *options, const zych_experiment *e, const zych_point *p,
                         bench_session *session) {
    (void)options, (void)e;
    session_expect(session, p->weight);
}

static void for_all_points(const bench_options *options, bench_session *session, point_action *act) {
    for (size_t i = 0; i < EXPERIMENT_COUNT; i++) {
        const zych_experiment *e = &experiments[i];
        if (!options_ask_for(options, e->name)) continue;
        for (const size_t *n = options->count_count ? options->counts : e->counts; *n; n++)
            for (size_t k = 0; k < e->value_count; k++) {
                const zych_point p = make_point(options, e, *n, e->values[k]);
                act(options, e, &p, session);
            }
    }
}

void zych_run(const bench_options *options, bench_session *session) {
    if (!zych_contestants) {
        printf("The suite zych is not built: it needs Bullet (Debian: libbullet-dev).\n");
        return;
    }
    const bool wishes = options_ask_for(options, "wishes");
    for_all_points(options, session, expect_point);
    if (wishes) session_expect(session, 3 * WISHES_WEIGHT);
    for_all_points(options, session, run_point);
    if (wishes) run_wishes(options, session);
    zych_summary(stdout, session);
}
