// Runs a part of the suite `living` or `everyday`.
//
//     warm-ups of all groups, then rounds: group 0, group 1, ..., group 0, group 1, ...
//
// A group takes several steps in a row, as a program would, and its contestants take turns in each step, in a new order: who
// comes after one that takes long finds nothing of its own in the caches. Rounds spread
// disturbances of the machine over all groups. After each round all pairs are compared.
#include "suites/living.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, RAY_TESTS = 10000000 };

living_group *part_add(living_part *part, crowd *c, size_t warmups, size_t steps) {
    const bench_options *options = part->options;
    if (!c || part->group_count == MAX_GROUPS) return NULL;
    living_group *group = &part->groups[part->group_count++];
    *group = (living_group){.crowd = c, .batch = 1, .random = rng_seeded(1)};
    group->warmups = options->warmups ? options->warmups : warmups;
    group->steps = options->repeats ? options->repeats : steps;
    return group;
}

void group_add(living_group *group, runner r) {
    if (group->runner_count < MAX_RUNNERS) group->runners[group->runner_count++] = r;
}

void group_add_peers(living_group *group, const char *what, const bench_options *options, peer_fits *fits) {
    for (size_t library = 0; library < BENCH_WORLD_LIBRARIES; library++)
        for (const bench_world_peer *peer = bench_world_peers[library]; peer && peer->who; peer++)
            if (fits(peer, group->crowd) && options_have_peer(options, peer->who, peer->method))
                group_add(group, runner_peer(what, peer));
}

const runner *group_fastest_peer(const living_group *group) {
    const runner *best = NULL;
    for (size_t i = 0; i < group->runner_count; i++) {
        const runner *r = &group->runners[i];
        if (r->peer && (!best || runner_figures(r, FIGURE_TOTAL).mean < runner_figures(best, FIGURE_TOTAL).mean))
            best = r;
    }
    return best;
}

// ---- running -------------------------------------------------------------------------------------------------------

static bool group_step(living_group *group, bool counts) {
    group->changes = crowd_step(group->crowd);
    bool fine = true;
    size_t order[MAX_RUNNERS] = {0};
    rng_order(&group->random, order, group->runner_count);
    for (size_t i = 0; i < group->runner_count; i++) {
        runner *r = &group->runners[order[i]];
        fine = runner_step(r, group->crowd, &group->changes, counts ? group->batch : 1, counts) && fine;
    }
    return fine;
}

static bool group_steps(living_group *group, size_t count, bool counts) {
    bool fine = true;
    for (size_t i = 0; i < count && fine && !bench_interrupted; i++) fine = group_step(group, counts);
    return fine;
}

static bool group_begin(living_group *group) {
    for (size_t i = 0; i < group->runner_count; i++)
        if (!runner_create(&group->runners[i], group->crowd)) return false;
    return group_steps(group, group->warmups, false);
}

// As many rays as can be compared with all boxes in a moment.
static void find_first_hits(const living_group *group, exact_answers *exact) {
    const size_t count = group->changes.ray_count, boxes = crowd_count(group->crowd);
    exact->stride = count * boxes / RAY_TESTS + 1;
    exact->ray_count = count / exact->stride;
    exact->first_hits = malloc((exact->ray_count + 1) * sizeof *exact->first_hits);
    if (!exact->first_hits) abort();
    for (size_t i = 0; i < exact->ray_count; i++)
        exact->first_hits[i] = crowd_first_hit(group->crowd, &group->changes.rays[i * exact->stride]);
}

static bool group_compare(living_group *group) {
    exact_answers exact = {0};
    bool fine = crowd_pairs(group->crowd, &exact.pairs) == BP_OK;
    find_first_hits(group, &exact);
    for (size_t i = 0; i < group->runner_count && fine; i++)
        fine = runner_agrees(&group->runners[i], group->crowd, &group->changes, &exact);
    bp_pairs_free(&exact.pairs, NULL);
    free(exact.first_hits);
    return fine;
}

static void show_progress(const living_part *part, const char *what, size_t number) {
    char text[2 * NAME_SIZE + 32];
    snprintf(text, sizeof text, "%s %zu: %s %zu", part->name, part->n, what, number + 1);
    meter_show(text);
}

static size_t steps_of_round(const living_group *group, size_t round) {
    return group->steps * (round + 1) / ROUNDS - group->steps * round / ROUNDS;
}

static bool run_round(living_part *part, size_t round) {
    bool fine = true;
    for (size_t g = 0; g < part->group_count && fine; g++)
        fine = group_steps(&part->groups[g], steps_of_round(&part->groups[g], round), true);
    for (size_t g = 0; g < part->group_count && fine && !bench_interrupted; g++) fine = group_compare(&part->groups[g]);
    return fine;
}

bool part_run(living_part *part) {
    bool fine = true;
    for (size_t g = 0; g < part->group_count && fine; g++) {
        show_progress(part, "warming up", g);
        fine = group_begin(&part->groups[g]);
    }
    for (size_t round = 0; round < ROUNDS && fine && !bench_interrupted; round++) {
        show_progress(part, "round", round);
        fine = run_round(part, round);
    }
    return fine;
}

void part_end(living_part *part) {
    for (size_t g = 0; g < part->group_count; g++) {
        for (size_t i = 0; i < part->groups[g].runner_count; i++) runner_destroy(&part->groups[g].runners[i]);
        crowd_destroy(part->groups[g].crowd);
    }
    part->group_count = 0;
}

// ---- showing -------------------------------------------------------------------------------------------------------

static void print_time(FILE *file, double ms, bool micro) {
    fprintf(file, micro ? " %9.1f" : " %9.4g", micro ? 1e3 * ms : ms);
}

// Times are medians, but for the mean.
static void print_runner(FILE *file, const living_group *group, const runner *r, bool micro) {
    bench_row row, own;
    char tail[TAIL_TEXT], ratio[RATIO_TEXT];
    runner_row(r, "", crowd_count(group->crowd), &row);
    runner_row(&group->runners[0], "", row.n, &own);
    fprintf(file, "  %-10s  %-18s %-14s", row.who, runner_method(r), r->what);
    print_time(file, runner_figures(r, FIGURE_MOVE).median, micro);
    print_time(file, runner_figures(r, FIGURE_UPDATE).median, micro);
    if (group->changes.ray_count) print_time(file, runner_figures(r, FIGURE_RAYS).median, micro);
    print_time(file, row.total_ms, micro);
    print_time(file, runner_figures(r, FIGURE_TOTAL).mean, micro);
    fprintf(file, " %s %5.0f %%  %s %7.0f %9zu", table_tail(&row, micro, tail), 100 * row.spread,
            table_ratio(&row, r == &group->runners[0] ? &row : &own, ratio), row.bytes_per_object, row.pairs);
    if (r->near) fprintf(file, "  %zu near", r->near);
    if (r->stale.count) fprintf(file, "  and %zu stale", r->stale.count);
    fputc('\n', file);
}

void part_table(FILE *file, const living_part *part, bool micro) {
    const bool rays = part->groups[0].changes.ray_count;
    fprintf(file, "\n%s, %zu objects; %s a step\n", part->name, part->n, micro ? "µs" : "ms");
    fprintf(file, "  %-10s  %-18s %-14s %9s %9s%s %9s %9s %10s %10s %7s  %-14s %7s %9s\n", "who", "method", "what",
            "changes", "update", rays ? "      rays" : "", "median", "mean", "p99", "worst", "spread", "beside ours",
            "B/obj", "pairs");
    for (size_t g = 0; g < part->group_count; g++)
        for (size_t i = 0; i < part->groups[g].runner_count; i++)
            print_runner(file, &part->groups[g], &part->groups[g].runners[i], micro);
    fflush(file);
}

void part_promise_head(FILE *file) {
    fprintf(file, "  %-66s %9s %9s %9s\n", "", "best", "median", "mean");
}

// As 1/x, where the promise is written that way.
static void print_ratio(FILE *file, double ratio, double limit) {
    char text[32];
    if (limit <= 0 || limit >= 0.7)
        snprintf(text, sizeof text, "%.2f", ratio);
    else
        snprintf(text, sizeof text, "1/%.*f", ratio < 0.01 ? 0 : 1, 1 / ratio);
    fprintf(file, " %9s", text);
}

// Compares means: steps differ, because structures are patched for a while and then rebuilt.
void part_promise(FILE *file, const char *what, const runner *a, const runner *b, step_figure figure, double limit) {
    if (!a || !b || !a->sample_count || !b->sample_count) return;
    const figures x = runner_figures(a, figure), y = runner_figures(b, figure);
    fprintf(file, "  %-66s", what);
    print_ratio(file, x.best / y.best, limit);
    print_ratio(file, x.median / y.median, limit);
    print_ratio(file, x.mean / y.mean, limit);
    if (limit > 0) {
        fputs("  at most", file);
        print_ratio(file, limit, limit);
        fprintf(file, "  %s", x.mean <= limit * y.mean ? "kept" : "MISSED");
    }
    fputc('\n', file);
    fflush(file);
}

void part_rows(const living_part *part, bench_rows *rows) {
    for (size_t g = 0; g < part->group_count; g++)
        for (size_t i = 0; i < part->groups[g].runner_count; i++) {
            bench_row row;
            runner_row(&part->groups[g].runners[i], part->name, part->n, &row);
            rows_add(rows, &row);
            if (!part->groups[g].changes.ray_count) continue;
            runner_ray_row(&part->groups[g].runners[i], part->name, part->n, &row);
            rows_add(rows, &row);
        }
}
