// The suite `calibrate`: what each search costs, as formulas of what the survey says of the boxes (src/plan/costs.h).
//
//     broadphase bench --suite calibrate --seed 1 --budget 600 --file build/costs.txt > src/plan/costs.inc
//
// Sets of boxes are drawn here: mixtures of up to three families of shapes, sizes and places, none of which stands in another
// suite, since a figure must not be fitted to the scenes that judge it. On each set all searches take turns, in one call, in a
// world in which all boxes move, and between two sets; a line of facts and times is appended to the file. Then the formulas are
// fitted to all lines of the file by least squares. Files of several runs and machines can be joined; a short budget only fits.
//
// Times are processor times of one thread, medians.
#include "core/bench.h"
#include "plan/cost_facts.h"

#include <float.h>
#include <math.h>
#include <random.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALL, WORLD, BETWEEN, USES };
enum { STRIPS, TREE, GRID, SPLIT, SEARCHES };
enum {
    FAMILIES = 3,
    CLUSTERS = 200,
    ROUNDS_MAX = 40,
    SECONDS = 600,
    DRAW_SECONDS = 120,
    PILOT_FROM = 20000,
    PILOT = 16
};

static const char *const use_names[USES] = {"CALL", "WORLD", "BETWEEN"};
static const char *const search_names[SEARCHES] = {"STRIPS", "TREE", "HIERARCHICAL_GRID", "SPLIT"};
static const bp_method methods[SEARCHES] = {BP_METHOD_STRIPS, BP_METHOD_TREE, BP_METHOD_HIERARCHICAL_GRID,
                                            BP_METHOD_SPLIT};
static const double HOPELESS = 6;                        // times as long as the best: not measured any more
static const double FITTED_FROM[USES] = {700, 512, 700}; // boxes: of fewer, nobody asks the formulas
static const double RIDGE = 1e-3;

// ---- boxes ----------------------------------------------------------------------------------------------------------

typedef enum places { EVEN, BALLS, CLOUDS, SHELL, CURVE, SCALES, LATTICE, HEIGHTS } places;

typedef struct family {
    double edges[3], octaves, extent[3], spread, radius, infinite, jitter, middles[CLUSTERS][3];
    bool is_turned;
    places places;
    uint32_t clusters;
    size_t lattice;
} family;

typedef struct mixture {
    family families[FAMILIES];
    double shares[FAMILIES - 1]; // summed up
    size_t count;                // of families
} mixture;

static void draw_family(family *f, size_t count, rng *random) {
    static const places often[] = {EVEN, EVEN, EVEN, EVEN, EVEN, BALLS, CLOUDS, SHELL, CURVE, SCALES, LATTICE, HEIGHTS};
    const uint32_t shape = rng_below(random, 10);
    const double longest = shape == 9 ? 8 : 4;
    for (int axis = 0; axis < 3; axis++) {
        f->edges[axis] = shape < 4                  ? 1
                         : shape < 6                ? rng_between(random, 0.5, 1.5)
                         : rng_below(random, 2) > 0 ? 1
                                                    : exp2(rng_between(random, -longest, longest));
        f->extent[axis] = rng_below(random, 4) > 0 ? 1 : exp2(-rng_between(random, 0, 8));
    }
    f->is_turned = rng_below(random, 2) > 0;
    f->octaves = rng_between(random, 0, 0.6);
    if (rng_below(random, 2) > 0)
        f->octaves = rng_below(random, 4) > 0 ? rng_between(random, 0, 7) : rng_between(random, 4, 14);
    f->spread = rng_below(random, 4) > 0 ? 1 : rng_between(random, 1, 6);
    f->places = often[rng_below(random, 12)];
    f->clusters = 1 + rng_below(random, rng_below(random, 2) > 0 ? 8 : CLUSTERS - 1);
    f->radius = exp2(-rng_between(random, 1, 8));
    for (uint32_t i = 0; i < f->clusters; i++)
        for (int axis = 0; axis < 3; axis++) f->middles[i][axis] = rng_unit(random);
    f->infinite = rng_below(random, 16) > 0 ? 0 : exp2(-rng_between(random, 1, 12));
    f->lattice = (size_t)ceil(cbrt((double)count));
    f->jitter = rng_below(random, 2) > 0 ? 0 : rng_unit(random);
}

// Half of all sets are of one plain kind, evenly spread or in clusters, as most sets are that people have.
static void make_plain(family *f, rng *random) {
    const double longest = exp2(rng_between(random, 1, 6));
    const double shapes[][3] = {
        {1, 1, 1}, {longest, 1, 1}, {1 / longest, 1, 1}, {longest, sqrt(longest), 1}, {0.8, 1, 1}};
    memcpy(f->edges, shapes[rng_below(random, 5)], sizeof f->edges);
    for (int axis = 0; axis < 3; axis++) f->extent[axis] = 1;
    f->spread = 1;
    f->infinite = 0;
    f->is_turned = rng_below(random, 4) > 0;
    if (rng_below(random, 10) < 7) f->places = EVEN;
    if (rng_below(random, 3) > 0) f->octaves = rng_below(random, 2) > 0 ? 0 : rng_between(random, 0, 0.6);
}

static void draw_place(const family *f, size_t index, double *scale, rng *random, double place[3]) {
    double direction[3];
    const uint32_t cluster = rng_below(random, f->clusters);
    const double t = rng_unit(random), radius = f->radius * (f->places == BALLS ? cbrt(t) : sqrt(-2 * log(t + 1e-12)));
    const size_t cells[3] = {index % f->lattice, index / f->lattice % f->lattice, index / f->lattice / f->lattice};
    rng_direction(random, 3, direction);
    *scale = f->places == SCALES ? exp2(-20 * t) : 1;
    for (int axis = 0; axis < 3; axis++) {
        const double even = pow(rng_unit(random), f->spread), slight = rng_unit(random);
        switch (f->places) {
        case EVEN: place[axis] = even; break;
        case BALLS:
        case CLOUDS: place[axis] = f->middles[cluster][axis] + radius * direction[axis]; break;
        case SHELL: place[axis] = 0.5 + 0.5 * direction[axis] * (1 + 0.02 * slight); break;
        case CURVE: place[axis] = axis == 0 ? t : 0.5 + 0.4 * sin((9 - 2 * axis) * t + axis) + 0.01 * slight; break;
        case SCALES: place[axis] = 0.5 + 0.5 * *scale * direction[axis]; break;
        case LATTICE: place[axis] = ((double)cells[axis] + f->jitter * slight) / (double)f->lattice; break;
        case HEIGHTS:
            place[axis] = axis < 2 ? even : 0.2 * sin(5 * place[0]) * cos(4 * place[1]) + 0.01 * slight;
            break;
        }
    }
}

static void draw_box(const mixture *m, double size, size_t index, rng *random, bp_box *box) {
    const double at = rng_unit(random);
    size_t which = 0;
    while (which + 1 < m->count && at >= m->shares[which]) which++;
    const family *f = &m->families[which];
    double place[3], scale;
    const double own = size * exp2(-f->octaves * rng_unit(random));
    draw_place(f, index, &scale, random, place);
    const uint32_t turn = f->is_turned ? rng_below(random, 3) : 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const double edge = own * scale * f->edges[(axis + turn) % 3] * rng_between(random, 0.9, 1.1);
        box->min[axis] = (float)(f->extent[axis] * place[axis] - 0.5 * edge);
        box->max[axis] = (float)(f->extent[axis] * place[axis] + 0.5 * edge);
    }
    if (f->infinite > 0 && rng_unit(random) < f->infinite) {
        const uint32_t axis = rng_below(random, 3);
        *(rng_below(random, 2) > 0 ? &box->max[axis] : &box->min[axis]) = INFINITY;
        box->min[axis] = box->min[axis] > box->max[axis] ? -INFINITY : fminf(box->min[axis], FLT_MAX);
    }
}

// A size of the boxes with which each meets about `wanted` others, as far as a sample tells.
static double find_size(const mixture *m, size_t count, double wanted, uint64_t seed) {
    enum { SAMPLE = 1500 };
    static bp_box sample[SAMPLE];
    double low = 1e-7, high = 1;
    for (int round = 0; round < 26; round++) {
        const double size = sqrt(low * high);
        rng random = rng_seeded(seed);
        size_t pairs = 0;
        for (size_t i = 0; i < SAMPLE; i++) {
            draw_box(m, size, i * (count / SAMPLE + 1) % count, &random, &sample[i]);
            for (size_t k = 0; k < i; k++) {
                bool meets = true;
                for (int axis = 0; axis < 3; axis++)
                    meets &=
                        (sample[i].min[axis] <= sample[k].max[axis]) & (sample[k].min[axis] <= sample[i].max[axis]);
                pairs += meets;
            }
        }
        *(2.0 * (double)pairs / SAMPLE * (double)count / SAMPLE > wanted ? &high : &low) = size;
    }
    return low;
}

static void shuffle(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = count - 1; i > 0; i--) {
        const size_t k = rng_next(random) % (i + 1);
        const bp_box box = boxes[i];
        boxes[i] = boxes[k];
        boxes[k] = box;
    }
}

static void move_boxes(bp_box *boxes, size_t count, double speed, rng *random) {
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float edge = boxes[i].max[axis] - boxes[i].min[axis];
            const float by = (float)rng_between(random, -speed, speed) * edge;
            if (!isfinite(by)) continue;
            boxes[i].min[axis] += by;
            boxes[i].max[axis] = fmaxf(boxes[i].max[axis] + by, boxes[i].min[axis]);
        }
}

// ---- times ----------------------------------------------------------------------------------------------------------

typedef struct trial {
    int use;
    bp_box *boxes;
    size_t count;
    bp_config config[SEARCHES];
    bp_stats stats;
    bp_world *worlds[SEARCHES];
    bp_pairs pairs[SEARCHES];
    bool is_tried[SEARCHES];
} trial;

// Seconds of one call or update; < 0: it failed.
static double run_once(trial *t, size_t search) {
    const size_t half = t->count / 2;
    const bp_config *config = &t->config[search];
    bp_status status = BP_OK;
    const double start = thread_seconds();
    if (t->use == CALL)
        status = bp_find_pairs(t->boxes, t->count, config, &t->pairs[search]);
    else if (t->use == BETWEEN)
        status = bp_find_pairs_between(t->boxes, half, t->boxes + half, t->count - half, config, &t->pairs[search]);
    else if ((status = bp_move_many(t->worlds[search], t->count, NULL, t->boxes)) == BP_OK)
        status = bp_update(t->worlds[search], NULL);
    return status == BP_OK ? thread_seconds() - start : -1;
}

// The tests that sorted strips take for a box; < 0: strips do not suit these boxes, and all pairs were tested.
static double strip_tests(const bp_box *boxes, size_t count, int use, uint32_t dimensions) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_config config = {.method = BP_METHOD_STRIPS, .dimensions = dimensions, .stats = &stats};
    const size_t half = count / 2;
    const bp_status status = use == BETWEEN
                                 ? bp_find_pairs_between(boxes, half, boxes + half, count - half, &config, &pairs)
                                 : bp_find_pairs(boxes, count, &config, &pairs);
    bp_pairs_free(&pairs, &config);
    return status == BP_OK && stats.cells > 0 ? (double)stats.tests / (double)count : -1;
}

// Which searches take too long on a sixteenth of the boxes.
static void try_some(trial *t, uint32_t dimensions) {
    const size_t count = t->count / PILOT;
    trial pilot = {.use = CALL, .boxes = malloc(count * sizeof(bp_box)), .count = count};
    double seconds[SEARCHES], best = INFINITY;
    if (!pilot.boxes) abort();
    for (size_t i = 0; i < count; i++) pilot.boxes[i] = t->boxes[i * PILOT];
    t->is_tried[STRIPS] = strip_tests(pilot.boxes, count, t->use, dimensions) >= 0;
    for (size_t i = TREE; i < SEARCHES; i++) {
        pilot.config[i] = (bp_config){.method = methods[i], .dimensions = dimensions};
        (void)run_once(&pilot, i);
        best = fmin(best, seconds[i] = run_once(&pilot, i));
        bp_pairs_free(&pilot.pairs[i], &pilot.config[i]);
    }
    for (size_t i = TREE; i < SEARCHES; i++) t->is_tried[i] = seconds[i] <= HOPELESS * best;
    free(pilot.boxes);
}

static bp_choice survey(const bp_box *boxes, size_t count, int use, uint32_t dimensions) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_config config = {.dimensions = dimensions, .stats = &stats};
    const size_t half = count / 2;
    const bp_status status = use == BETWEEN
                                 ? bp_find_pairs_between(boxes, half, boxes + half, count - half, &config, &pairs)
                                 : bp_find_pairs(boxes, count, &config, &pairs);
    if (status != BP_OK) abort();
    bp_pairs_free(&pairs, &config);
    return bp_stats_details(&stats).choice;
}

// Writes a line: use, boxes, facts, tests of strips, and nanoseconds a box of each search (0: too long, or not suited).
static void measure(const bp_box *boxes, size_t count, int use, uint32_t dimensions, double speed, rng *random,
                    FILE *file) {
    const bp_choice c = survey(boxes, count, use, dimensions);
    const size_t rounds = count < 3000 ? 30 : count < 20000 ? 11 : count < 100000 ? 5 : 3;
    const size_t warmups = use == WORLD ? (count < 20000 ? 6 : 4) : 1;
    double times[SEARCHES][ROUNDS_MAX], tests = -1;
    trial t = {.use = use, .boxes = malloc(count * sizeof *boxes), .count = count};
    if (!t.boxes) abort();
    memcpy(t.boxes, boxes, count * sizeof *boxes);
    for (size_t i = 0; i < SEARCHES; i++) {
        t.is_tried[i] = true;
        t.config[i] = (bp_config){.method = methods[i], .dimensions = dimensions};
    }
    if (count > PILOT_FROM) try_some(&t, dimensions);
    if (t.is_tried[STRIPS]) tests = strip_tests(boxes, count, use, dimensions);
    t.is_tried[STRIPS] = tests >= 0;
    for (size_t i = 0; i < SEARCHES && use == WORLD; i++)
        if (t.is_tried[i] && (bp_world_create(&t.config[i], &t.worlds[i]) != BP_OK ||
                              bp_add_many(t.worlds[i], count, boxes, NULL, NULL) != BP_OK))
            abort();
    for (size_t round = 0; round < warmups + rounds; round++) {
        double best = INFINITY, last[SEARCHES] = {0};
        if (use == WORLD) move_boxes(t.boxes, count, speed, random);
        for (size_t k = 0; k < SEARCHES; k++) {
            const size_t i = (k + round) % SEARCHES;
            if (!t.is_tried[i]) continue;
            last[i] = run_once(&t, i);
            best = fmin(best, last[i]);
            if (round >= warmups) times[i][round - warmups] = last[i];
        }
        for (size_t i = 0; i < SEARCHES && round + 1 == warmups; i++)
            t.is_tried[i] = t.is_tried[i] && last[i] <= HOPELESS * best;
    }
    fprintf(file, "%s %zu %.5g %.5g %.5g %.5g %.5g %.5g %.5g %.5g", use_names[use], count, c.met, c.slenderness,
            c.flatness, c.together, c.unevenness, c.clumping, c.infinite, tests);
    for (size_t i = 0; i < SEARCHES; i++) {
        fprintf(file, " %.5g", t.is_tried[i] ? 1e9 * median(times[i], rounds) / (double)count : 0.0);
        bp_world_destroy(t.worlds[i]);
        bp_pairs_free(&t.pairs[i], &t.config[i]);
    }
    fputc('\n', file);
    free(t.boxes);
}

static void measure_draw(uint64_t seed, FILE *file) {
    rng random = rng_seeded(seed);
    const size_t count = (size_t)exp2(rng_between(&random, 9, rng_between(&random, 13, 20)));
    const uint32_t dimensions = rng_below(&random, 8) > 0 ? 3 : 2;
    const bool is_plain = rng_below(&random, 2) > 0;
    mixture m = {.count = is_plain ? 1 : 1 + rng_below(&random, FAMILIES)};
    for (size_t i = 0; i < m.count; i++) draw_family(&m.families[i], count, &random);
    if (is_plain) make_plain(&m.families[0], &random);
    m.shares[0] = rng_unit(&random);
    m.shares[1] = m.shares[0] + (1 - m.shares[0]) * rng_unit(&random);
    const double wanted = exp2(rng_between(&random, -2, 5)), speed = exp2(rng_between(&random, -5, 0));
    const double size = find_size(&m, count, wanted, rng_next(&random));
    bp_box *boxes = malloc(count * sizeof *boxes);
    if (!boxes) abort();
    for (size_t i = 0; i < count; i++) draw_box(&m, size, i, &random, &boxes[i]);
    shuffle(boxes, count, &random);
    for (int use = 0; use < USES; use++) measure(boxes, count, use, dimensions, speed, &random, file);
    free(boxes);
}

// Each draw in a process of its own, which is ended if it takes too long.
static void measure_all(const bench_options *options, FILE *file) {
    const time_t end = time(NULL) + (time_t)(options->budget > 0 ? options->budget : SECONDS);
    for (uint64_t draw = 0; time(NULL) < end && !bench_interrupted; draw++) {
        fflush(file);
        const pid_t child = fork();
        if (child == 0) {
            alarm(DRAW_SECONDS);
            measure_draw(1000003 * options->seed + draw, file);
            fflush(file);
            _exit(0);
        }
        if (child > 0) waitpid(child, NULL, 0);
    }
}

// ---- fitting --------------------------------------------------------------------------------------------------------

typedef struct line {
    int use;
    double count, tests, costs[SEARCHES];
    bp_choice choice;
} line;

typedef struct lines {
    line *data;
    size_t count;
} lines;

static bool read_line(FILE *file, line *l) {
    char use[16];
    bp_choice *c = &l->choice;
    double *costs = l->costs;
    const int read = fscanf(file, "%15s %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", use, &l->count, &c->met,
                            &c->slenderness, &c->flatness, &c->together, &c->unevenness, &c->clumping, &c->infinite,
                            &l->tests, &costs[STRIPS], &costs[TREE], &costs[GRID], &costs[SPLIT]);
    if (read != 10 + SEARCHES) return false;
    for (l->use = 0; l->use < USES && strcmp(use, use_names[l->use]) != 0; l->use++) {
    }
    return l->use < USES;
}

static lines read_lines(FILE *file) {
    lines all = {0};
    size_t capacity = 0;
    line l;
    rewind(file);
    while (read_line(file, &l)) {
        if (all.count == capacity) {
            capacity = 2 * capacity + 1024;
            all.data = realloc(all.data, capacity * sizeof *all.data);
            if (!all.data) abort();
        }
        all.data[all.count++] = l;
    }
    return all;
}

static void facts_of(const line *l, double facts[BP_COST_FACTS + 1]) {
    bp_cost_facts(&l->choice, l->count, facts);
    facts[BP_COST_FACTS] = bp_cost_tests_fact(fmax(l->tests, 0));
}

// Solves a x = b for a symmetric, positive definite matrix; x takes the place of b.
static void solve(size_t n, double a[][BP_SORTED_TERMS], double *b) {
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

// The logarithm of what a search has taken; NAN: the line says nothing about it. Strips that do not suit are no strips; another
// search that took too long took at least HOPELESS times the best.
static double wanted_of(const line *l, size_t search) {
    double best = INFINITY;
    for (size_t i = 0; i < SEARCHES; i++) best = l->costs[i] > 0 ? fmin(best, l->costs[i]) : best;
    return l->costs[search] > 0                  ? bp_cost_logarithm(l->costs[search])
           : search == STRIPS || !isfinite(best) ? NAN
                                                 : bp_cost_logarithm(HOPELESS * best);
}

static bool is_fitted(const line *l, int use) {
    return l->use == use && l->count >= FITTED_FROM[use];
}

static void print_numbers(const char *name, const double *numbers, size_t count) {
    printf("        %s = {", name);
    for (size_t i = 0; i < count; i++) printf("%s%.5g", i > 0 ? ", " : "", numbers[i]);
    printf("},\n");
}

// Mean and 1 / standard deviation of each fact, as printed.
static void print_scales(const lines *all, int use, double scales[BP_COST_FACTS + 1][2]) {
    double sums[BP_COST_FACTS + 1] = {0}, squares[BP_COST_FACTS + 1] = {0}, counts[BP_COST_FACTS + 1] = {0},
                                facts[BP_COST_FACTS + 1];
    for (size_t i = 0; i < all->count; i++) {
        const line *l = &all->data[i];
        if (!is_fitted(l, use)) continue;
        facts_of(l, facts);
        for (size_t k = 0; k < (l->tests >= 0 ? BP_COST_FACTS + 1 : BP_COST_FACTS); k++) {
            counts[k]++;
            sums[k] += facts[k];
            squares[k] += facts[k] * facts[k];
        }
    }
    printf("        .facts = {");
    for (size_t k = 0; k <= BP_COST_FACTS; k++) {
        const double mean = sums[k] / counts[k], deviation = sqrt(fmax(squares[k] / counts[k] - mean * mean, 1e-12));
        char text[2][32];
        snprintf(text[0], sizeof text[0], "%.5g", mean);
        snprintf(text[1], sizeof text[1], "%.5g", 1 / deviation);
        printf(k == BP_COST_FACTS ? "},\n        .tests = {%s, %s},\n"
               : k > 0            ? ", {%s, %s}"
                                  : "{%s, %s}",
               text[0], text[1]);
        scales[k][0] = strtod(text[0], NULL);
        scales[k][1] = strtod(text[1], NULL);
    }
}

static void print_formula(const lines *all, int use, size_t search, size_t fact_count,
                          double scales[BP_COST_FACTS + 1][2]) {
    static double matrix[BP_SORTED_TERMS][BP_SORTED_TERMS];
    double sums[BP_SORTED_TERMS] = {0}, facts[BP_COST_FACTS + 1], terms[BP_SORTED_TERMS];
    size_t count = 0, lines_used = 0;
    char name[64] = ".sorted";
    memset(matrix, 0, sizeof matrix);
    for (size_t i = 0; i < all->count; i++) {
        const line *l = &all->data[i];
        const double wanted = wanted_of(l, search);
        if (!is_fitted(l, use) || isnan(wanted)) continue;
        facts_of(l, facts);
        for (size_t k = 0; k < fact_count; k++) facts[k] = bp_cost_standard(facts[k], scales[k][0], scales[k][1]);
        count = (size_t)bp_cost_multiply(facts, (int)fact_count, terms);
        lines_used++;
        for (size_t k = 0; k < count; k++) {
            sums[k] += terms[k] * wanted;
            for (size_t j = 0; j < count; j++) matrix[k][j] += terms[k] * terms[j];
        }
    }
    for (size_t k = 1; k < count; k++) matrix[k][k] += RIDGE * (double)lines_used;
    solve(count, matrix, sums);
    if (fact_count == BP_COST_FACTS) snprintf(name, sizeof name, ".costs[BP_METHOD_%s]", search_names[search]);
    print_numbers(name, sums, count);
}

static void print_formulas(const lines *all) {
    for (int use = 0; use < USES; use++) {
        double scales[BP_COST_FACTS + 1][2];
        printf("    [BP_USE_%s] = {\n", use_names[use]);
        print_scales(all, use, scales);
        for (size_t search = 0; search < SEARCHES; search++) print_formula(all, use, search, BP_COST_FACTS, scales);
        print_formula(all, use, STRIPS, BP_COST_FACTS + 1, scales);
        printf("    },\n");
    }
}

void calibrate_run(const bench_options *options, bench_session *session) {
    FILE *file = options->file ? fopen(options->file, "a+") : tmpfile();
    if (!file) {
        session_fail(session, "%s: cannot be written", options->file);
        return;
    }
    keep_memory();
    measure_all(options, file);
    lines all = read_lines(file);
    fclose(file);
    if (all.count == 0)
        session_fail(session, "%s", "nothing was measured: give it more time (--budget)");
    else {
        printf("// Made by: %s\n// from %zu sets of boxes\n", options->command, all.count / USES);
        print_formulas(&all);
    }
    free(all.data);
}
