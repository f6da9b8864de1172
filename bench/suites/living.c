// The parts of the suite `living`, and what the library promises for each.
#include "suites/living.h"

#include <string.h>

static living_group *add_scene_group(living_part *part, const char *label, crowd_motion motion, size_t warmups,
                                     size_t steps) {
    return part_add(part, crowd_of_scene(label, part->n, motion), warmups, steps);
}

// ---- uniform: the fewer move, the less it costs --------------------------------------------------------------------

// Enough steps that several rebuilds are among them, so that the mean includes their cost.
static const struct {
    const char *what, *promise;
    double share;
    bool same_ones;
    size_t warmups, steps, batch;
    double limit;
} uniform_rows[] = {
    {"all", "", 1, false, 3, 24, 1, 0},
    {"1%-anew", "1 % moving, others in each step / all moving", 0.01, false, 30, 80, 1, 1.0 / 8},
    {"1%-same", "1 % moving, always the same / all moving", 0.01, true, 30, 80, 1, 1.0 / 8},
    {"0.1%-anew", "0.1 % moving, others in each step / all moving", 0.001, false, 60, 240, 1, 1.0 / 25},
    {"0.1%-same", "0.1 % moving, always the same / all moving", 0.001, true, 60, 240, 1, 1.0 / 25},
    {"none", "none moving / all moving", 0, false, 3, 40, 1000, 1.0 / 200},
};
enum { UNIFORM_ROWS = sizeof uniform_rows / sizeof *uniform_rows };

static void print_uniform_promises(FILE *file, const living_part *part) {
    const runner *all = &part->groups[0].runners[0];
    for (size_t i = 1; i < UNIFORM_ROWS; i++) {
        char what[96];
        const runner *few = &part->groups[i].runners[0];
        part_promise(file, uniform_rows[i].promise, few, all, FIGURE_TOTAL, uniform_rows[i].limit);
        snprintf(what, sizeof what, "%s, update alone", uniform_rows[i].promise);
        part_promise(file, what, few, all, FIGURE_UPDATE, uniform_rows[i].limit);
    }
    part_promise(file, "all moving / bp_find_pairs", all, &part->groups[0].runners[1], FIGURE_TOTAL, 1.1);
    part_promise(file, "all moving / bp_find_pairs, update alone", all, &part->groups[0].runners[1], FIGURE_UPDATE,
                 1.1);
}

static bool prepare_uniform(living_part *part) {
    for (size_t i = 0; i < UNIFORM_ROWS; i++) {
        const crowd_motion motion = {0.2, uniform_rows[i].share, uniform_rows[i].same_ones};
        living_group *group = add_scene_group(part, "uniform", motion, uniform_rows[i].warmups, uniform_rows[i].steps);
        if (!group) return false;
        group->batch = uniform_rows[i].batch;
        group_add(group, runner_world(uniform_rows[i].what, (bp_config){0}));
        if (i == 0) group_add(group, runner_one_call("find-pairs"));
    }
    return true;
}

// Those that keep their pairs, as worlds do.
static bool keeps_pairs(const bench_world_peer *peer, const crowd *c) {
    (void)c;
    return peer->keeps_pairs && !peer->max_count;
}

// ---- game-level: static and moving ---------------------------------------------------------------------------------

static bool prepare_level(living_part *part) {
    living_group *group = part_add(part, crowd_of_level(part->n, (crowd_motion){0.2, 1, true}), 60, 60);
    if (!group) return false;
    group_add(group, runner_world("world", (bp_config){0}));
    group_add_peers(group, "world", part->options, keeps_pairs);
    return true;
}

static void print_level_promises(FILE *file, const living_part *part) {
    const living_group *group = &part->groups[0];
    part_promise(file, "world / bullet", &group->runners[0], group_fastest_peer(group), FIGURE_TOTAL, 0.1);
}

// ---- low-motion: margins -------------------------------------------------------------------------------------------

static bool prepare_low_motion(living_part *part) {
    living_group *group = add_scene_group(part, "low-motion", (crowd_motion){0.01, 1, true}, 60, 60);
    if (!group) return false;
    group_add(group, runner_world("exact", (bp_config){0}));
    group_add(group, runner_world("margin-5%", (bp_config){.margin = 0.05f}));
    group_add_peers(group, "margin-5%", part->options, keeps_pairs);
    return true;
}

static void print_low_motion_promises(FILE *file, const living_part *part) {
    const living_group *group = &part->groups[0];
    const runner *exact = &group->runners[0], *margin = &group->runners[1], *peer = group_fastest_peer(group);
    part_promise(file, "margin of 5 % / bullet", margin, peer, FIGURE_TOTAL, 0.05);
    part_promise(file, "margin of 5 % / exact", margin, exact, FIGURE_TOTAL, 1);
    part_promise(file, "exact / bullet", exact, peer, FIGURE_TOTAL, 0.05);
}

// ---- rest: nothing moves -------------------------------------------------------------------------------------------

// Bullet improves the tree of resting objects for a hundred steps, and then does nothing. An engine that passes all
// boxes in each step, as Bullet's own does, never reaches that state.
static const struct {
    const char *what, *promise;
    double share;
    size_t warmups, steps, batch;
    double limit;
} rest_rows[] = {
    {"first-steps", "rest, in the first 100 steps / bullet", 0, 4, 80, 1, 0.1},
    {"told-anew", "rest, all boxes given again in each step / bullet", 1, 10, 40, 1, 0.1},
    {"settled", "rest, after 300 steps, where both return at once / bullet", 0, 300, 40, 1000, 0},
};
enum { REST_ROWS = sizeof rest_rows / sizeof *rest_rows };

static bool prepare_rest(living_part *part) {
    for (size_t i = 0; i < REST_ROWS; i++) {
        const crowd_motion motion = {0, rest_rows[i].share, true};
        living_group *group = add_scene_group(part, "uniform", motion, rest_rows[i].warmups, rest_rows[i].steps);
        if (!group) return false;
        group->batch = rest_rows[i].batch;
        group_add(group, runner_world(rest_rows[i].what, (bp_config){0}));
        group_add_peers(group, rest_rows[i].what, part->options, keeps_pairs);
    }
    return true;
}

static void print_rest_promises(FILE *file, const living_part *part) {
    for (size_t i = 0; i < REST_ROWS; i++) {
        const living_group *group = &part->groups[i];
        part_promise(file, rest_rows[i].promise, &group->runners[0], group_fastest_peer(group), FIGURE_TOTAL,
                     rest_rows[i].limit);
    }
}

// ---- all together --------------------------------------------------------------------------------------------------

enum { MAX_COUNTS = 2 };

typedef struct part_plan {
    const char *name;
    size_t counts[MAX_COUNTS]; // 0: no more
    double weight;             // roughly, in seconds
    bool (*prepare)(living_part *part);
    void (*print_promises)(FILE *file, const living_part *part);
} part_plan;

static const part_plan plans[] = {
    {"uniform", {1000000}, 40, prepare_uniform, print_uniform_promises},
    {"game-level", {30000}, 10, prepare_level, print_level_promises},
    {"low-motion", {100000}, 40, prepare_low_motion, print_low_motion_promises},
    {"rest", {40000, 100000}, 20, prepare_rest, print_rest_promises},
};
enum { PLAN_COUNT = sizeof plans / sizeof *plans };

const char *const living_parts[] = {"uniform", "game-level", "low-motion", "rest", NULL};

static const size_t *counts_of(const bench_options *options, const part_plan *plan, size_t *count) {
    *count = options->count_count ? options->count_count : plan->counts[1] ? 2 : 1;
    return options->count_count ? options->counts : plan->counts;
}

static void run_plan(const bench_options *options, const part_plan *plan, size_t n, bench_session *session) {
    living_part part = {.name = plan->name, .n = n, .options = options};
    const bool fine = plan->prepare(&part) && part_run(&part);
    if (!fine) session_fail(session, "living: %s, %zu objects", plan->name, n);
    if (fine && !bench_interrupted) {
        part_table(stdout, &part, false);
        part_promise_head(stdout);
        plan->print_promises(stdout, &part);
        part_rows(&part, session_rows(session));
    }
    session_keep(session);
    part_end(&part);
}

void living_run(const bench_options *options, bench_session *session) {
    size_t count;
    for (size_t i = 0; i < PLAN_COUNT; i++) {
        (void)counts_of(options, &plans[i], &count);
        if (options_ask_for(options, plans[i].name)) session_expect(session, plans[i].weight * (double)count);
    }
    for (size_t i = 0; i < PLAN_COUNT; i++) {
        const size_t *counts = counts_of(options, &plans[i], &count);
        for (size_t k = 0; k < count && options_ask_for(options, plans[i].name); k++)
            if (session_wants(session, plans[i].name, counts[k], plans[i].weight))
                run_plan(options, &plans[i], counts[k], session);
    }
}
