// The suite `calibrate`: what each search costs for boxes of each kind, from 32 to 2^19 of them, in one call, in a world in
// which all move, and between two sets. The plan of `auto` decides by these figures (src/plan/costs.h), and they are written in
// the form in which it reads them:
//
//     broadphase bench --suite calibrate --file src/plan/costs.inc        (--scenes CALL/ALIKE: a part of it)
//
// The boxes are drawn here, from a seed, and stand in no other suite: a figure must not be fitted to the scenes that judge it.
// Each kind has three rows: of boxes of which each meets about one other, four, and sixteen, by the survey that the plan reads.
// Times are processor times of one thread.
#include "core/bench.h"

#include <broadphase/broadphase_tune.h>

#include <random.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ROWS = 3,
    VARIETIES = 2,
    DRAWS = ROWS * VARIETIES,
    SURVEYED_MOST = 32768,
    CLUSTERS = 64,
    ROUNDS_MAX = 401,
    ALL_PAIRS_MOST = 4096,
    SMALL_COLUMNS = 4,
    SECONDS_MOST = 15
};

static const double SECONDS_A_POINT = 0.1; // of which there are some hundreds
static const double GIVING_UP = 1.3;
static const double HOPELESS = 20; // times as long as the best, with 8 times fewer boxes: not tried

static const double rows_met[ROWS] = {1, 4, 16}; // as in src/plan/costs.c
static const size_t counts[] = {32, 128, 512, 2048, 8192, 32768, 131072, 524288};
static const bp_method searches[] = {BP_METHOD_AUTO, BP_METHOD_STRIPS, BP_METHOD_TREE, BP_METHOD_HIERARCHICAL_GRID,
                                     BP_METHOD_SPLIT};
static const bp_method_settings all_pairs = {.brute_force_below = UINT32_MAX}; // by auto, which has vectors for it
static const size_t order[] = {0, 2, 3, 4, 1};
static const char *const search_names[] = {"BRUTE_FORCE", "STRIPS", "TREE", "HIERARCHICAL_GRID", "SPLIT"};

// A part is a use and a kind.
const char *const calibrate_parts[] = {"CALL/ALIKE",     "CALL/LONG",
                                       "CALL/THIN",      "CALL/SIZES",
                                       "CALL/SHAPES",    "CALL/CLUMPS",
                                       "CALL/SCALES",    "WORLD/ALIKE",
                                       "WORLD/LONG",     "WORLD/THIN",
                                       "WORLD/SIZES",    "WORLD/SHAPES",
                                       "WORLD/CLUMPS",   "WORLD/SCALES",
                                       "BETWEEN/ALIKE",  "BETWEEN/LONG",
                                       "BETWEEN/THIN",   "BETWEEN/SIZES",
                                       "BETWEEN/SHAPES", "BETWEEN/CLUMPS",
                                       "BETWEEN/SCALES", NULL};
static const char *const uses[] = {"CALL", "WORLD", "BETWEEN"};
static const char *const kinds[] = {"ALIKE", "LONG", "THIN", "SIZES", "SHAPES", "CLUMPS", "SCALES"};
enum { ALIKE, LONG, THIN, SIZES, SHAPES, CLUMPS, SCALES };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
enum { COUNTS = COUNT_OF(counts), SEARCHES = COUNT_OF(searches), USES = COUNT_OF(uses), KINDS = COUNT_OF(kinds) };

// ---- boxes ----------------------------------------------------------------------------------------------------------

// Edges of one box, in units of the typical one.
static void draw_edges(size_t kind, double variety, rng *random, double edges[3]) {
    if (kind == SHAPES) kind = rng_unit(random) < 0.5 + 0.3 * variety ? SIZES : rng_below(random, SIZES);
    const double spread = kind == LONG ? 0.1 : 0.3, size = rng_between(random, 1 - spread, 1 + spread);
    const double longest = kind == LONG    ? 4.5 + 7 * variety
                           : kind == THIN  ? rng_between(random, 17, 20 + 200 * variety)
                           : kind == ALIKE ? 1 - 0.6 * variety // or the shortest: somewhat flat
                                           : 1;
    const double octaves = kind == SIZES ? 4 + 5 * variety : kind == CLUMPS ? 2 * variety : 0;
    const double scale = exp2(rng_between(random, 0, octaves));
    const uint32_t axis = rng_below(random, 3);
    for (uint32_t i = 0; i < 3; i++)
        edges[i] = scale * size * rng_between(random, 1 - spread / 2, 1 + spread / 2) * (i == axis ? longest : 1);
}

// Uniform in the unit cube, in balls of it, or at distances from its middle over many scales.
static void draw_place(size_t kind, double variety, const double middle[3], rng *random, double place[3]) {
    const double radius = kind == CLUMPS   ? 0.1 - 0.06 * variety
                          : kind == SCALES ? exp2(-rng_between(random, 0, 24 + 16 * variety))
                                           : 1;
    double direction[3];
    rng_direction(random, 3, direction);
    for (int axis = 0; axis < 3; axis++) {
        const double away =
            kind == CLUMPS ? radius * direction[axis] * cbrt(rng_unit(random)) : radius * direction[axis];
        place[axis] = kind < CLUMPS ? rng_unit(random) : middle[axis] + away;
    }
}

// Boxes with edges so many times as long as before.
static void stretch(bp_box *boxes, size_t count, double times) {
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float middle = 0.5f * (boxes[i].min[axis] + boxes[i].max[axis]);
            const float half = 0.5f * (float)times * (boxes[i].max[axis] - boxes[i].min[axis]);
            boxes[i].min[axis] = middle - half;
            boxes[i].max[axis] = middle + half;
        }
}

// Each then meets about so many others, as the plan's survey sees it.
static void stretch_until_met(bp_box *boxes, size_t count, double wanted) {
    const size_t part = count < SURVEYED_MOST ? count : SURVEYED_MOST;
    for (int round = 0; round < 4; round++) {
        bp_pairs pairs = {0};
        bp_stats stats = {0};
        const bp_config config = {.stats = &stats};
        if (bp_find_pairs(boxes, part, &config, &pairs) != BP_OK) abort();
        bp_pairs_free(&pairs, &config);
        const double met = bp_stats_details(&stats).choice.met * (double)count / (double)part;
        stretch(boxes, count, fmin(fmax(cbrt(wanted / fmax(met, 1e-9)), 0.2), 5));
    }
}

static void draw_boxes(size_t kind, size_t draw, uint64_t seed, bp_box *boxes, size_t count) {
    const double variety = (double)(draw % VARIETIES), met = rows_met[draw / VARIETIES];
    rng random = rng_seeded(seed + 16 * kind + draw);
    double middles[CLUSTERS][3], volume = 0;
    for (size_t i = 0; i < CLUSTERS; i++)
        for (int axis = 0; axis < 3; axis++) middles[i][axis] = kind == CLUMPS ? rng_unit(&random) : 0;
    for (size_t i = 0; i < count; i++) {
        double edges[3], place[3];
        draw_edges(kind, variety, &random, edges);
        draw_place(kind, variety, middles[rng_below(&random, variety > 0 ? CLUSTERS / 8 : CLUSTERS)], &random, place);
        volume += edges[0] * edges[1] * edges[2];
        const double own = kind == SCALES ? fmax(fabs(place[0]), fmax(fabs(place[1]), fabs(place[2]))) : 1;
        for (int axis = 0; axis < 3; axis++) {
            boxes[i].min[axis] = (float)(place[axis] - 0.5 * own * edges[axis]);
            boxes[i].max[axis] = (float)(place[axis] + 0.5 * own * edges[axis]);
        }
    }
    stretch(boxes, count, cbrt(met / 8 / volume));
    if (kind != SCALES) stretch_until_met(boxes, count, met); // places over many scales cannot be surveyed like that
}

static void move_boxes(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float edge = boxes[i].max[axis] - boxes[i].min[axis];
            const float by = (float)rng_between(random, -0.2, 0.2) * edge;
            boxes[i].min[axis] += by;
            boxes[i].max[axis] = fmaxf(boxes[i].max[axis] + by, boxes[i].min[axis]);
        }
}

// ---- times ----------------------------------------------------------------------------------------------------------

typedef struct trial {
    const char *use;
    bp_box *boxes;
    size_t count;
    bp_config config;
    bp_stats stats;
    bp_world *world;
    bp_pairs pairs;
    rng random;
} trial;

// Seconds of one call or update; < 0: it failed.
static double run_once(trial *t) {
    const bool is_world = strcmp(t->use, "WORLD") == 0, is_call = strcmp(t->use, "CALL") == 0;
    const size_t half = t->count / 2;
    bp_status status = BP_OK;
    if (is_world) {
        move_boxes(t->boxes, t->count, &t->random);
        status = bp_move_many(t->world, t->count, NULL, t->boxes);
    }
    const double start = thread_seconds();
    if (status == BP_OK)
        status = is_world  ? bp_update(t->world, NULL)
                 : is_call ? bp_find_pairs(t->boxes, t->count, &t->config, &t->pairs)
                           : bp_find_pairs_between(t->boxes, half, t->boxes + half, half, &t->config, &t->pairs);
    const double seconds = thread_seconds() - start;
    if (is_world && status == BP_OK) status = bp_world_stats(t->world, &t->stats);
    const bool gave_up = t->config.method == BP_METHOD_STRIPS && t->stats.cells == 0; // all pairs were tested
    return status == BP_OK && !gave_up ? seconds : -1;
}

// The median of nanoseconds a box; infinite: the search does not suit them.
static double measure(const char *use, size_t kind, size_t draw, size_t search, size_t count, uint64_t seed) {
    double times[ROUNDS_MAX], spent = 0;
    size_t rounds = 0;
    trial t = {.use = use, .count = count, .config = {.method = searches[search]}, .random = rng_seeded(seed)};
    if (t.config.method == BP_METHOD_STRIPS) t.config.stats = &t.stats; // with them, auto explains itself
    t.boxes = calloc(count, sizeof *t.boxes);
    if (!t.boxes) abort();
    draw_boxes(kind, draw, seed, t.boxes, count);
    if (t.config.method == BP_METHOD_AUTO) t.config.settings = &all_pairs;
    const bool is_world = strcmp(use, "WORLD") == 0;
    bool good = !is_world || bp_world_create(&t.config, &t.world) == BP_OK;
    good = good && (!is_world || bp_add_many(t.world, count, t.boxes, NULL, NULL) == BP_OK);
    for (int warm = 0; warm < (count > 300000 ? 1 : 3) && good; warm++) good = run_once(&t) >= 0;
    while (good && rounds < ROUNDS_MAX && (rounds < 3 || spent < SECONDS_A_POINT) && !bench_interrupted) {
        times[rounds] = run_once(&t);
        good = times[rounds] >= 0;
        spent += times[rounds++];
    }
    bp_world_destroy(t.world);
    bp_pairs_free(&t.pairs, &t.config);
    free(t.boxes);
    return good && rounds > 0 ? 1e9 * median(times, rounds) / (double)count : INFINITY;
}

// The same, in a process that is ended when it takes too long.
static double measure_within_limit(const char *use, size_t kind, size_t draw, size_t search, size_t count,
                                   uint64_t seed) {
    int ends[2];
    double cost = INFINITY;
    if (pipe(ends) != 0) abort();
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_MOST);
        cost = measure(use, kind, draw, search, count, seed);
        _exit(write(ends[1], &cost, sizeof cost) != (ssize_t)sizeof cost);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &cost, sizeof cost) != (ssize_t)sizeof cost) cost = INFINITY;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return cost;
}

// Nanoseconds a box for each search and draw, and their geometric means. Strips are last: where they do not suit a draw, trying
// them costs a share of what the best other search takes.
static void measure_column(const bench_options *options, size_t use, size_t kind, size_t column,
                           const bool are_tried[SEARCHES], double means[SEARCHES][ROWS]) {
    double best[DRAWS];
    for (size_t draw = 0; draw < DRAWS; draw++) best[draw] = INFINITY;
    for (size_t i = 0; i < SEARCHES; i++) {
        const size_t search = order[i];
        double sums[ROWS] = {0};
        size_t suited[ROWS] = {0};
        for (size_t draw = 0; draw < DRAWS; draw++) {
            const size_t row = draw / VARIETIES;
            double cost = INFINITY;
            if (are_tried[search])
                cost =
                    measure_within_limit(uses[use], kind, draw, search, counts[column], options->seed + 7919 * column);
            suited[row] += isfinite(cost);
            if (isinf(cost) && searches[search] == BP_METHOD_STRIPS) cost = GIVING_UP * best[draw];
            best[draw] = fmin(best[draw], cost);
            sums[row] += log(cost) / VARIETIES;
        }
        for (size_t row = 0; row < ROWS; row++) means[search][row] = suited[row] > 0 ? exp(sums[row]) : INFINITY;
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void print_kind(const bench_options *options, size_t use, size_t kind, FILE *file) {
    double costs[COUNTS][SEARCHES][ROWS];
    for (size_t column = 0; column < COUNTS; column++) {
        double best_before = column > 0 ? INFINITY : 0;
        bool are_tried[SEARCHES];
        for (size_t search = 0; search < SEARCHES && column > 0; search++)
            best_before = fmin(best_before, costs[column - 1][search][0]);
        for (size_t search = 0; search < SEARCHES; search++) {
            are_tried[search] = column < SMALL_COLUMNS || costs[column - 1][search][0] <= HOPELESS * best_before;
            if (searches[search] == BP_METHOD_AUTO) // a rule tells when all pairs of two sets are tested
                are_tried[search] = strcmp(uses[use], "BETWEEN") != 0 && counts[column] <= ALL_PAIRS_MOST;
        }
        measure_column(options, use, kind, column, are_tried, costs[column]);
    }
    for (size_t search = 0; search < SEARCHES; search++) {
        fprintf(file, "    [BP_USE_%s][BP_KIND_%s][BP_METHOD_%s] = {{", uses[use], kinds[kind], search_names[search]);
        for (size_t i = 0; i < ROWS * COUNTS; i++) {
            const double cost = costs[i % COUNTS][search][i / COUNTS];
            fprintf(file, i == 0 ? "" : i % COUNTS == 0 ? "}, {" : ", ");
            fprintf(file, isfinite(cost) ? "%.3g" : "NEVER", cost);
        }
        fprintf(file, "}},\n");
    }
    fflush(file);
}

void calibrate_run(const bench_options *options, bench_session *session) {
    FILE *file = options->file ? fopen(options->file, "w") : stdout;
    if (!file) {
        session_fail(session, "%s: cannot be written", options->file);
        return;
    }
    fprintf(file, "// Made by: %s\n", options->command);
    for (size_t i = 0; calibrate_parts[i] && !bench_interrupted; i++)
        if (options_ask_for(options, calibrate_parts[i])) print_kind(options, i / KINDS, i % KINDS, file);
    if (file != stdout) fclose(file);
}
