// The suite `schornbaum`: the experiments of Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection"
// (2009), section 4.
//
//     part               what varies                                                   figure
//     scaling            the number of objects, beside all pairs                       20
//     set-up             the same, from nothing to the first pairs                     21, 27
//     density            pairs per object, in one grid or several                      22
//     hierarchy-factor   how much larger the cells of the next grid are                23, 24
//     update             how the structure follows its objects, and how far they move  25
//     shape              cubes, long and flat boxes, a domain of 1024:1                26
//     coherence          how much the order of the objects changes, beside sweeps      28 to 30
//
// "form=linked" is the structure as the paper describes it: cells are lists, and "factor" is the hierarchy factor. Its
// grids begin with 16^3 cells and grow when they hold more than one object for eight cells; its objects are updated one
// by one, unless "update=rebuild" says that all are removed and inserted again. Rows without a form are of our sorted
// grid; without a factor the library chooses its levels. "below=1": the grid is used however few objects there are.
#include "core/bench.h"

#include <math.h>
#include <string.h>

#define GRID .config.method = BP_METHOD_HIERARCHICAL_GRID
#define WITH(...)                                                                                                      \
    .config.settings = &(const bp_method_settings) {                                                                   \
        __VA_ARGS__                                                                                                    \
    }
#define FACTOR(f) MAIN_METHOD " factor=" #f, GRID, WITH(.hierarchy_factor = (float)(f))
#define AS_LINKED(f) GRID, WITH(.hierarchy_factor = (float)(f), .grid_form = BP_GRID_LINKED)
#define LINKED(f) MAIN_METHOD " form=linked factor=" #f, AS_LINKED(f)
#define PAPERS_METHOD MAIN_METHOD " form=linked factor=2"
#define PAPERS_REBUILT PAPERS_METHOD " update=rebuild"

static const bench_entrant grid_entrants[] = {{MAIN_METHOD, GRID}, {LINKED(2)}};

static const bench_entrant scaling_entrants[] = {
    {MAIN_METHOD, GRID},
    {LINKED(2)},
    {PAPERS_METHOD " below=1", GRID, WITH(.hierarchy_factor = 2, .grid_form = BP_GRID_LINKED, .brute_force_below = 1)},
    {"brute-force", .config.method = BP_METHOD_BRUTE_FORCE},
};

static const bench_entrant factor_entrants[] = {
    {MAIN_METHOD, GRID}, {LINKED(1.5)}, {LINKED(2)}, {LINKED(3)}, {LINKED(5)},  {LINKED(10)},
    {FACTOR(1.5)},       {FACTOR(2)},   {FACTOR(3)}, {FACTOR(5)}, {FACTOR(10)},
};

static const bench_entrant update_entrants[] = {
    {MAIN_METHOD " update=automatic", GRID},
    {MAIN_METHOD " update=rebuild", GRID, .config.update = BP_UPDATE_REBUILD},
    {PAPERS_METHOD, AS_LINKED(2)},
    {PAPERS_REBUILT, AS_LINKED(2), .config.update = BP_UPDATE_REBUILD},
};

#define SWEEP .config.method = BP_METHOD_SWEEP_AND_PRUNE
static const bench_entrant sweep_entrants[] = {
    {MAIN_METHOD, GRID},
    {LINKED(2)},
    {"sweep-and-prune", SWEEP},
    {"sweep-and-prune axes=3", SWEEP, WITH(.sweep_axes = 3)},
    {"brute-force", .config.method = BP_METHOD_BRUTE_FORCE},
};

static const bench_entrant set_up_entrants[] = {
    {MAIN_METHOD, GRID},
    {MAIN_METHOD " one-by-one", GRID, .one_by_one = true},
    {LINKED(2), .one_by_one = true},
    {"sweep-and-prune axes=3", SWEEP, WITH(.sweep_axes = 3), .one_by_one = true},
};
enum { WITHOUT_SWEEP = 3 };
#define COUNT_OF(array) (array), (sizeof(array) / sizeof *(array))

static const char *const no_peers[] = {NULL};
static const char *const fastest_peer[] = {"embree", NULL};
static const char *const sweep_peers[] = {"bullet-sweep16", "fcl-ssap", "ode-sap", NULL};
static const char *const set_up_peers[] = {"bullet-sweep16", "bullet-dbvt", NULL};

static const size_t scaling_counts[] = {30, 100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000, 0};
static const size_t decades[] = {10000, 100000, 1000000, 0};
static const size_t update_counts[] = {10000, 30000, 100000, 300000, 0};
static const size_t sweep_counts[] = {1000, 3000, 10000, 30000, 0};
static const size_t many_counts[] = {100000, 0};
static const size_t set_up_counts[] = {1000, 3000, 10000, 0};
static const size_t set_up_many[] = {30000, 100000, 0};
static const size_t set_up_most[] = {300000, 1000000, 0};
enum { ALL_PAIRS_MAX = 30000, MEGA = 1000000 };

// A line: a scene with each of the counts.
typedef struct experiment {
    const char *part;
    const char *label;
    const char *scene;
    double motion;
    double pairs; // per object
    const size_t *counts;
    const bench_entrant *entrants;
    size_t entrant_count;
    const char *const *peers;
} experiment;

static const experiment experiments[] = {
    {"scaling", "scaling/uniform", "uniform", 0.2, 2, scaling_counts, COUNT_OF(scaling_entrants), fastest_peer},
    {"scaling", "scaling/mixed", "mixed", 0.2, 2, scaling_counts, COUNT_OF(scaling_entrants), fastest_peer},

    {"set-up", "set-up/uniform", "uniform", 0.2, 2, set_up_counts, COUNT_OF(set_up_entrants), set_up_peers},
    {"set-up", "set-up/uniform", "uniform", 0.2, 2, set_up_many, COUNT_OF(set_up_entrants), no_peers},
    {"set-up", "set-up/uniform", "uniform", 0.2, 2, set_up_most, set_up_entrants, WITHOUT_SWEEP, no_peers},
    {"set-up", "set-up/mixed", "mixed", 0.2, 2, set_up_counts, set_up_entrants, WITHOUT_SWEEP, no_peers},
    {"set-up", "set-up/mixed", "mixed", 0.2, 2, set_up_many, set_up_entrants, WITHOUT_SWEEP, no_peers},
    {"set-up", "set-up/mixed", "mixed", 0.2, 2, set_up_most, set_up_entrants, WITHOUT_SWEEP, no_peers},

    {"density", "density/uniform pairs=1", "uniform", 0.2, 1, decades, COUNT_OF(grid_entrants), no_peers},
    {"density", "density/uniform pairs=2", "uniform", 0.2, 2, decades, COUNT_OF(grid_entrants), no_peers},
    {"density", "density/uniform pairs=4", "uniform", 0.2, 4, decades, COUNT_OF(grid_entrants), no_peers},
    {"density", "density/uniform pairs=8", "uniform", 0.2, 8, decades, COUNT_OF(grid_entrants), no_peers},
    {"density", "density/mixed pairs=1", "mixed", 0.2, 1, decades, COUNT_OF(grid_entrants), no_peers},
    {"density", "density/mixed pairs=2", "mixed", 0.2, 2, decades, COUNT_OF(grid_entrants), no_peers},
    {"density", "density/mixed pairs=4", "mixed", 0.2, 4, decades, COUNT_OF(grid_entrants), no_peers},
    {"density", "density/mixed pairs=8", "mixed", 0.2, 8, decades, COUNT_OF(grid_entrants), no_peers},

    {"hierarchy-factor", "hierarchy-factor/uniform", "uniform", 0.2, 2, decades, COUNT_OF(factor_entrants), no_peers},
    {"hierarchy-factor", "hierarchy-factor/mixed", "mixed", 0.2, 2, decades, COUNT_OF(factor_entrants), no_peers},

    // Moves of up to ten sizes: nearly every object is in another cell after each step.
    {"update", "update/uniform motion=0.2", "uniform", 0.2, 2, update_counts, COUNT_OF(update_entrants), no_peers},
    {"update", "update/uniform motion=10", "uniform", 10, 2, update_counts, COUNT_OF(update_entrants), no_peers},

    {"shape", "shape/uniform", "uniform", 0.2, 2, decades, COUNT_OF(grid_entrants), no_peers},
    {"shape", "shape/long", "long", 0.2, 2, decades, COUNT_OF(grid_entrants), no_peers},
    {"shape", "shape/flat", "flat", 0.2, 2, decades, COUNT_OF(grid_entrants), no_peers},
    {"shape", "shape/stretched", "stretched", 0.2, 2, decades, COUNT_OF(grid_entrants), no_peers},

    {"coherence", "coherence/uniform motion=0.2", "uniform", 0.2, 2, sweep_counts, COUNT_OF(sweep_entrants),
     sweep_peers},
    {"coherence", "coherence/uniform motion=0.2", "uniform", 0.2, 2, many_counts, COUNT_OF(sweep_entrants), no_peers},
    {"coherence", "coherence/uniform motion=0.01", "uniform", 0.01, 2, sweep_counts, COUNT_OF(sweep_entrants),
     sweep_peers},
    {"coherence", "coherence/uniform motion=0.01", "uniform", 0.01, 2, many_counts, COUNT_OF(sweep_entrants), no_peers},
    {"coherence", "coherence/sparse motion=0.01", "sparse", 0.01, 2, sweep_counts, COUNT_OF(sweep_entrants),
     sweep_peers},
    {"coherence", "coherence/sparse motion=0.01", "sparse", 0.01, 2, many_counts, COUNT_OF(sweep_entrants), no_peers},
};
enum { EXPERIMENT_COUNT = sizeof experiments / sizeof *experiments };

const char *const schornbaum_parts[] = {"scaling", "set-up", "density",   "hierarchy-factor",
                                        "update",  "shape",  "coherence", NULL};

// ---- cases ---------------------------------------------------------------------------------------------------------

// Roughly, in seconds.
static double weight_of(const bench_case *c) {
    const double n = (double)c->n, steps = (double)(c->warmups + c->repeats);
    double seconds = 0.05 + 1e-6 * n; // the scene
    for (size_t i = 0; i < c->entrant_count; i++)
        seconds += c->entrants[i].config.method == BP_METHOD_BRUTE_FORCE ? 1e-8 * n * n : 2e-7 * n * steps;
    for (const char *const *peer = c->peers; *peer; peer++) seconds += 2e-6 * n * (steps + (double)c->settle);
    return seconds;
}

// Sweeps that keep their order need steps to settle at low motion, and more of them the fewer objects there are.
static size_t settle_steps(const experiment *e, size_t n) {
    return e->peers != sweep_peers || e->motion > 0.1 ? 0 : n <= 3000 ? 60 : 20;
}

static bench_case make_case(const bench_options *options, const experiment *e, size_t n) {
    bench_case c = {.scene = e->scene, .label = e->label, .n = n};
    c.options = (scene_options){.motion = e->motion, .pairs_per_object = e->pairs};
    c.entrants = e->entrants;
    c.entrant_count = e->entrant_count;
    if (e->entrants[e->entrant_count - 1].config.method == BP_METHOD_BRUTE_FORCE && n > ALL_PAIRS_MAX)
        c.entrant_count--;
    c.peers = e->peers;
    c.anew = strcmp(e->part, "set-up") == 0;
    c.warmups = options->warmups ? options->warmups : c.anew || n >= MEGA ? 1 : 2;
    c.repeats = options->repeats ? options->repeats : n <= 100000 && !c.anew ? 11 : n < MEGA ? 5 : 3;
    c.settle = settle_steps(e, n);
    c.weight = weight_of(&c);
    return c;
}

size_t schornbaum_cases(const bench_options *options, bench_case *cases, size_t capacity) {
    size_t count = 0;
    for (size_t i = 0; i < EXPERIMENT_COUNT; i++) {
        const experiment *e = &experiments[i];
        const bool again = i > 0 && strcmp(e->label, experiments[i - 1].label) == 0; // with larger counts
        const size_t *n = options->count_count ? options->counts : e->counts;
        if (!options_ask_for(options, e->part) || (options->count_count && again)) continue;
        for (; *n && count < capacity; n++) cases[count++] = make_case(options, e, *n);
    }
    return count;
}

// ---- what is promised ----------------------------------------------------------------------------------------------

// Time grows with n to the power of this.
static double exponent(const bench_row *small, const bench_row *large) {
    return log(large->total_ms / small->total_ms) / log((double)large->n / (double)small->n);
}

typedef bool promise(FILE *file, const char *what, double value, double limit);

// For figures without a promise.
static bool show_figure(FILE *file, const char *what, double value, double limit) {
    (void)limit;
    fprintf(file, "  %-66s %9.3g\n", what, value);
    return true;
}

static void print_exponent(const bench_rows *rows, const char *label, const char *method, const size_t range[2],
                           promise *judge, double limit) {
    char what[2 * NAME_SIZE];
    const bench_row *small = rows_find(rows, label, range[0], OURS, method, 1);
    const bench_row *large = rows_find(rows, label, range[1], OURS, method, 1);
    if (!small || !large) return;
    snprintf(what, sizeof what, "%s, %s: time ~ n^x, %zu to %zu", label, method, range[0], range[1]);
    (void)judge(stdout, what, exponent(small, large), limit);
}

static void print_exponents(const bench_rows *rows) {
    static const size_t grid[2] = {10000, MEGA}, all_pairs[2] = {3000, ALL_PAIRS_MAX};
    print_exponent(rows, "scaling/uniform", MAIN_METHOD, grid, promise_at_most, 1.1);
    print_exponent(rows, "scaling/mixed", MAIN_METHOD, grid, promise_at_most, 1.1);
    print_exponent(rows, "scaling/uniform", "brute-force", all_pairs, promise_at_least, 1.8);
    print_exponent(rows, "set-up/uniform", MAIN_METHOD, grid, show_figure, 0);
    print_exponent(rows, "set-up/mixed", MAIN_METHOD, grid, show_figure, 0);
}

// Against cubes with as many pairs.
static void print_shape(const bench_rows *rows, const char *name, promise *judge, double limit, const char *paper) {
    char label[NAME_SIZE], what[2 * NAME_SIZE];
    snprintf(label, sizeof label, "shape/%s", name);
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *own = &rows->data[i];
        const bench_row *cubes = rows_main(rows, "shape/uniform", own->n);
        if (own != rows_main(rows, label, own->n) || !cubes) continue;
        snprintf(what, sizeof what, "%s / cubes, %zu objects (Schornbaum 2009, Fig. 26: %s)", name, own->n, paper);
        (void)judge(stdout, what, own->total_ms / cubes->total_ms, limit);
    }
}

// A finding of the paper: how many times slower the first of two methods is.
typedef struct finding {
    const char *label, *what, *first, *second, *paper;
} finding;

static const finding findings[] = {
    {"hierarchy-factor/uniform", "linked: factor 10 / 1.5", MAIN_METHOD " form=linked factor=10",
     MAIN_METHOD " form=linked factor=1.5", "Fig. 23: total above 1"},
    {"hierarchy-factor/mixed", "linked: factor 1.5 / 2", MAIN_METHOD " form=linked factor=1.5", PAPERS_METHOD,
     "Fig. 24: total above 1"},
    {"hierarchy-factor/mixed", "linked: factor 3 / 2", MAIN_METHOD " form=linked factor=3", PAPERS_METHOD,
     "Fig. 24: total about 1"},
    {"hierarchy-factor/mixed", "linked: factor 10 / 2", MAIN_METHOD " form=linked factor=10", PAPERS_METHOD,
     "Fig. 24: total above 1"},
    {"update/uniform motion=0.2", "linked: rebuild / one by one", PAPERS_REBUILT, PAPERS_METHOD,
     "Fig. 25: update 1.4 to 1.7"},
    {"update/uniform motion=10", "linked: rebuild / one by one", PAPERS_REBUILT, PAPERS_METHOD,
     "Fig. 25: update less than 1"},
    {"coherence/uniform motion=0.2", "sweep / linked", "sweep-and-prune axes=3", PAPERS_METHOD,
     "Fig. 28: total far above 1, and above that of all pairs"},
    {"coherence/uniform motion=0.01", "sweep / linked", "sweep-and-prune axes=3", PAPERS_METHOD,
     "Fig. 29: total up to 5"},
    {"coherence/sparse motion=0.01", "sweep / linked", "sweep-and-prune axes=3", PAPERS_METHOD,
     "Fig. 30: total 1/2 to 1/3"},
};

static void print_finding(const bench_rows *rows, const finding *f) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *a = &rows->data[i];
        const bench_row *b = rows_find(rows, f->label, a->n, OURS, f->second, 1);
        if (!b || a != rows_find(rows, f->label, a->n, OURS, f->first, 1)) continue;
        printf("  %-30s %8zu  %-30s update %6.2f, total %6.2f  (%s)\n", f->label, a->n, f->what,
               a->update_ms / b->update_ms, a->total_ms / b->total_ms, f->paper);
    }
}

// Of the structure as the paper describes it.
static void print_update_shares(const bench_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        char what[3 * NAME_SIZE];
        if (strcmp(row->method, PAPERS_METHOD) != 0 || strncmp(row->scene, "scaling/", 8) != 0 || !row->runs) continue;
        snprintf(what, sizeof what, "%s, %zu objects (section 4.3: at most 0.3)", row->scene, row->n);
        (void)show_figure(stdout, what, row->update_ms / row->total_ms, 0);
    }
}

void schornbaum_summary(const bench_options *options, bench_session *session) {
    const bench_rows *rows = session_rows(session);
    (void)options;
    puts("\nPromises");
    print_exponents(rows);
    print_shape(rows, "long", promise_at_most, 2.5, "up to 5");
    print_shape(rows, "flat", show_figure, 0, "like long");
    print_shape(rows, "stretched", promise_at_most, 1.2, "1.5");
    puts("\nBeside Schornbaum 2009");
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) print_finding(rows, &findings[i]);
    puts("\nThe update's share of a step, " PAPERS_METHOD);
    print_update_shares(rows);
}
