// The suite `zych`: the experiments of M. Zych, "Efficient algorithms for collision detection in three-dimensional
// space" (2016 by its references), section 4.2, one factor at a time: number of objects, uniformity of sizes, static
// share, velocity, density, shape.
//
//     scene zych ----> boxes ----> broad phases: ours and Bullet's, interleaved ----> possible collisions
//     shapes.c: a shape in each box ----> narrow phase: libccd, once for these pairs ----> actual collisions
//
// The paper gives the standard values of all factors, which are those of the scene, but not the ranges of its charts:
// they are chosen around the standard here. Objects do not push each other away, as in its Fig. 4.33: so a shape
// changes nothing for the broad phases. Sizes are drawn for each dimension by itself, as there, for the shapes; their
// boxes are cubes.
//
// Where a share is static, worlds are told only what moved, and static objects as such (the machinery of the suite
// `living`); Bullet keeps the pairs of its margin there.
#include "core/entry.h"
#include "suites/living.h"
#include "suites/narrow.h"
#include "suites/zych.h"

#include <string.h>

#define SCENE "zych"

// One of each kind that Zych 2016 describes in section 2, and brute force, which has a vote on the pairs where no peer
// does.
static const bench_entrant entrants[] = {
    {.label = "hierarchical-grid", .config.method = BP_METHOD_HIERARCHICAL_GRID},
    {.label = "bvh", .config.method = BP_METHOD_BVH},
    {.label = "octree", .config.method = BP_METHOD_OCTREE},
    {.label = "loose-octree", .config.method = BP_METHOD_LOOSE_OCTREE},
    {.label = "sweep-and-prune", .config.method = BP_METHOD_SWEEP_AND_PRUNE},
    {.label = "spatial-hash", .config.method = BP_METHOD_SPATIAL_HASH},
    {.label = "brute-force", .config.method = BP_METHOD_BRUTE_FORCE},
};
enum { ENTRANT_COUNT = sizeof entrants / sizeof *entrants };
static const char *const peers[] = {"bullet-dbvt", "bullet-sweep16", "bullet-brute-force", NULL};

// ---- points --------------------------------------------------------------------------------------------------------

// One value of one factor; all other factors have their standard value.
typedef struct zych_point {
    char label[NAME_SIZE];
    size_t n;
    scene_options options;
    shape_kind shape;
    bool has_static;
    size_t settle, warmups, repeats;
    double weight;
} zych_point;

static const double standard_alpha = 100; // and beta
static const double standard_velocity = 0.64;

static void set_nothing(zych_point *p, double value) {
    (void)p, (void)value;
}
static void set_uniformity(zych_point *p, double value) {
    p->options.alpha = p->options.beta = value;
}
static void set_static(zych_point *p, double value) {
    p->options.static_share = value;
    p->has_static = true;
}
static void set_velocity(zych_point *p, double value) {
    p->options.velocity = value;
    if (value == 0) p->options.motion = -1; // 0 would mean the scene's own
}
static void set_density(zych_point *p, double value) {
    p->options.density = value;
}
static void set_shape(zych_point *p, double value) {
    p->shape = (shape_kind)value;
}

enum { MAX_VALUES = 8 };

typedef struct zych_experiment {
    const char *name, *key;
    double values[MAX_VALUES];
    size_t value_count;
    size_t counts[MAX_VALUES]; // of objects; 0 ends them
    void (*set)(zych_point *p, double value);
} zych_experiment;

static const zych_experiment experiments[] = {
    {"objects", NULL, {0}, 1, {500, 1000, 2000, 4000, 8000, 16000}, set_nothing},
    {"uniformity", "alpha", {0.1, 0.5, 1, 2, 10, 100}, 6, {1000}, set_uniformity},
    {"static-share", "static-share", {0, 0.25, 0.5, 0.75, 0.9}, 5, {1000}, set_static},
    {"velocity", "velocity", {0, 0.16, 0.32, 0.64, 1.28, 2.56}, 6, {1000}, set_velocity},
    {"density", "density", {0.01, 0.02, 0.05, 0.1, 0.2, 0.5}, 6, {1000}, set_density},
    {"shape",
     "shape",
     {SHAPE_BOX, SHAPE_SPHERE, SHAPE_CYLINDER, SHAPE_CONE, SHAPE_CAPSULE, SHAPE_COMPOUND, SHAPE_ANY},
     7,
     {1000},
     set_shape},
};
enum { EXPERIMENT_COUNT = sizeof experiments / sizeof *experiments };

const char *const zych_parts[] = {"objects", "uniformity", "static-share", "velocity", "density", "shape", NULL};

static void set_label(zych_point *p, const zych_experiment *e, double value) {
    if (!e->key)
        snprintf(p->label, sizeof p->label, "%s/" SCENE, e->name);
    else if (e->set == set_shape)
        snprintf(p->label, sizeof p->label, "%s/" SCENE " %s=%s", e->name, e->key, shape_name(p->shape));
    else
        snprintf(p->label, sizeof p->label, "%s/" SCENE " %s=%g", e->name, e->key, value);
}

// Zych 2016 warms up for 200 steps and measures 400; trees settle in far fewer, and medians need fewer.
static zych_point make_point(const bench_options *options, const zych_experiment *e, size_t n, double value) {
    const bool small = n <= 2000;
    zych_point p = {.n = n, .shape = SHAPE_ANY, .settle = small ? 60 : 10, .weight = 0.3 + 4e-4 * (double)n};
    p.warmups = options->warmups ? options->warmups : 5;
    p.repeats = options->repeats ? options->repeats : small ? 41 : 11;
    e->set(&p, value);
    set_label(&p, e, value);
    if (p.has_static) { // all contestants take all steps there
        p.warmups += options->warmups ? 0 : p.settle;
        p.settle = 0;
    }
    return p;
}

// ---- the broad phases ----------------------------------------------------------------------------------------------

static void run_group(const bench_options *options, const zych_point *p, bench_session *session) {
    const bench_case c = {.scene = SCENE,
                          .label = p->label,
                          .options = p->options,
                          .n = p->n,
                          .entrants = entrants,
                          .entrant_count = ENTRANT_COUNT,
                          .peers = peers,
                          .settle = p->settle,
                          .warmups = p->warmups,
                          .repeats = p->repeats,
                          .limited_peers = true,
                          .weight = p->weight};
    group_run(options, &c, session_allowance(session, p->weight), session);
}

// The mean speed is half of the largest, and sizes are 1 or nearly so.
static crowd *make_crowd(const zych_point *p) {
    const crowd_motion motion = {.speed = 2 * standard_velocity, .share = 1, .same_ones = true};
    return crowd_with_static(SCENE, p->n, p->options.static_share, motion);
}

static void add_rows(const living_group *group, const zych_point *p, bench_rows *rows) {
    for (size_t i = 0; i < group->runner_count; i++) {
        bench_row row;
        runner_row(&group->runners[i], p->label, p->n, &row);
        snprintf(row.method, sizeof row.method, "%s", runner_method(&group->runners[i]));
        rows_add(rows, &row);
    }
}

static void run_living(const bench_options *options, const zych_point *p, bench_session *session) {
    living_part part = {.name = p->label, .n = p->n, .options = options};
    living_group *group = part_add(&part, make_crowd(p), p->warmups, p->repeats);
    for (size_t i = 0; group && i < ENTRANT_COUNT; i++) group_add(group, runner_world(p->label, entrants[i].config));
    if (group) group_add_peers(group, p->label, options, true);
    if (!group || !part_run(&part))
        session_fail(session, "%s, n %zu: see above", p->label, p->n);
    else if (!bench_interrupted)
        add_rows(group, p, session_rows(session));
    part_end(&part);
}

// ---- the narrow phase ----------------------------------------------------------------------------------------------

// The same boxes as the broad phases had, in the same motion.
typedef struct moving_boxes {
    scene *scene;
    crowd *crowd; // where some are static
} moving_boxes;

static moving_boxes open_boxes(const zych_point *p) {
    scene_options options = p->options;
    const char *error = NULL;
    options.count = p->n;
    if (p->has_static) return (moving_boxes){.crowd = make_crowd(p)};
    return (moving_boxes){.scene = scene_create(SCENE, &options, &error)};
}

static void close_boxes(moving_boxes *source) {
    scene_destroy(source->scene);
    crowd_destroy(source->crowd);
}

static const bp_box *move_on(moving_boxes *source) {
    if (source->crowd) {
        crowd_step(source->crowd);
        return crowd_boxes(source->crowd);
    }
    scene_step(source->scene);
    return scene_boxes(source->scene);
}

static bp_status find_possible(const moving_boxes *source, size_t n, bp_pairs *pairs) {
    return source->crowd ? crowd_pairs(source->crowd, pairs)
                         : bp_find_pairs(scene_boxes(source->scene), n, NULL, pairs);
}

typedef struct narrow_run {
    narrow *shapes;
    bp_pairs possible, actual; // of the last step
    double ms[MAX_RUNS];
    size_t runs;
} narrow_run;

static bool narrow_step(narrow_run *run, const zych_point *p, const moving_boxes *source, const bp_box *boxes) {
    const double alpha = p->options.alpha > 0 ? p->options.alpha : standard_alpha;
    if (!run->shapes) run->shapes = narrow_create(p->shape, alpha, alpha, boxes, p->n);
    if (find_possible(source, p->n, &run->possible) != BP_OK) return false;
    narrow_move(run->shapes, boxes);
    const double start = seconds_now();
    narrow_find(run->shapes, &run->possible, &run->actual);
    run->ms[run->runs++] = 1e3 * (seconds_now() - start);
    return true;
}

// Whether these are the pairs that the broad phases found; those with a margin of their own may have a few more.
static bool is_verified(const narrow_run *run, const bench_rows *rows, size_t first) {
    const uint64_t hash = hash_pairs(run->possible.data, run->possible.count);
    for (size_t i = first; i < rows->count; i++)
        if (rows->data[i].runs && rows->data[i].hash == hash && rows->data[i].pairs == run->possible.count) return true;
    return false;
}

static void add_narrow_row(narrow_run *run, const zych_point *p, bench_rows *rows) {
    bench_row row = {.n = p->n, .threads = 1, .runs = run->runs};
    snprintf(row.scene, sizeof row.scene, "%s", p->label);
    snprintf(row.who, sizeof row.who, OURS);
    snprintf(row.method, sizeof row.method, NARROW_PHASE);
    row.spread = spread_of(run->ms, run->runs);
    row.total_ms = row.find_ms = median(run->ms, run->runs);
    row.best_ms = run->ms[0];
    row.pairs = run->actual.count;
    row.hash = hash_pairs(run->actual.data, run->actual.count);
    row.tests = run->possible.count;
    rows_add(rows, &row);
}

// After the same steps, and for the same pairs in the last of them, so once is enough for all broad phases.
static void run_narrow(const zych_point *p, size_t first, bench_session *session) {
    const size_t steps = p->settle + p->warmups + p->repeats, timed = p->repeats < MAX_RUNS ? p->repeats : MAX_RUNS;
    moving_boxes source = open_boxes(p);
    narrow_run run = {0};
    bool fine = source.scene || source.crowd;
    for (size_t step = 0; step < steps && fine && !bench_interrupted; step++) {
        const bp_box *boxes = move_on(&source);
        if (step + timed >= steps) fine = narrow_step(&run, p, &source, boxes);
    }
    if (!bench_interrupted && fine && is_verified(&run, session_rows(session), first))
        add_narrow_row(&run, p, session_rows(session));
    else if (!bench_interrupted)
        session_fail(session, "%s, n %zu: the narrow phase has other pairs (%zu) than the broad phases", p->label, p->n,
                     run.possible.count);
    narrow_destroy(run.shapes);
    bp_pairs_free(&run.possible, NULL);
    free(run.actual.data);
    close_boxes(&source);
}

// ---- all together --------------------------------------------------------------------------------------------------

static void run_point(const bench_options *options, const zych_point *p, bench_session *session) {
    if (!session_wants(session, p->label, p->n, p->weight)) return;
    const size_t first = session_rows(session)->count;
    (p->has_static ? run_living : run_group)(options, p, session);
    if (narrow_is_built() && session_rows(session)->count > first) run_narrow(p, first, session);
    if (bench_interrupted) session_rows(session)->count = first; // all rows of a point or none
    session_keep(session);
    zych_table(stdout, session_rows(session), first);
}

typedef void point_action(const bench_options *options, const zych_point *p, bench_session *session);

static void expect_point(const bench_options *options, const zych_point *p, bench_session *session) {
    (void)options;
    session_expect(session, p->weight);
}

static void for_all_points(const bench_options *options, bench_session *session, point_action *act) {
    for (size_t i = 0; i < EXPERIMENT_COUNT; i++) {
        const zych_experiment *e = &experiments[i];
        if (!options_ask_for(options, e->name)) continue;
        for (const size_t *n = options->count_count ? options->counts : e->counts; *n; n++)
            for (size_t k = 0; k < e->value_count; k++) {
                const zych_point p = make_point(options, e, *n, e->values[k]);
                act(options, &p, session);
            }
    }
}

void zych_run(const bench_options *options, bench_session *session) {
    for_all_points(options, session, expect_point);
    for_all_points(options, session, run_point);
    zych_summary(stdout, session);
}
