// The experiments: searching tissue (between two sets of boxes, in one call), what a sort gains from the last step's
// order (in worlds), and how the order in memory affects caches.
#include "suites/gissler.h"

#include "core/callgrind.h"
#include "core/entry.h"
#include "peers/standard.h"
#include "suites/handling.h"

#include <broadphase/broadphase_tune.h>
#include <random.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ENTRANTS = 48, WARMUPS = 2, REPEATS = 11, FEW_REPEATS = 5, MANY = 200000, SORT_FINENESS = 3 };
enum { SORT_WEIGHT = 3, LOCALITY_WEIGHT = 36 }; // relative to one search in the eye

const char *const gissler_parts[] = {
    "tetrahedra-points", "points-tetrahedra", "edges-triangles", "frames", "contact", "sort", "locality", NULL};

// -n N: only the first N boxes of each kind.
static size_t cut(const bench_options *options, size_t count) {
    return options->count_count && options->counts[0] < count ? options->counts[0] : count;
}

// ---- a contest ------------------------------------------------------------------------------------------------------

// A row of ours, before the scene is known.
typedef struct contender {
    const char *label;
    bp_config config;
    bool edge_cells; // cells as long as the scene's mean edge
    bool threads;    // also with all cores
} contender;

typedef struct contest {
    bench_session *session;
    bench_case point;
    bench_entrant entrants[MAX_ENTRANTS];
    bp_method_settings settings[MAX_ENTRANTS]; // of the entrants, which point to them
    entry entries[MAX_ENTRANTS];
    size_t entry_count, step_count;
} contest;

static void add_entrant(contest *c, const contender *who, double edge, int threads) {
    if (c->point.entrant_count == MAX_ENTRANTS) return;
    bp_method_settings *settings = &c->settings[c->point.entrant_count];
    bench_entrant *entrant = &c->entrants[c->point.entrant_count++];
    *settings = who->config.settings ? *who->config.settings : (bp_method_settings){0};
    settings->cell_size = who->edge_cells ? (float)edge : 0;
    *entrant = (bench_entrant){.label = who->label, .config = who->config};
    entrant->config.threads = threads;
    entrant->config.settings = settings;
}

// One thread, and then as many as the call says, or as there are.
static void add_contender(contest *c, const bench_options *options, const contender *who, double edge) {
    const bool all = !options->thread_count && sysconf(_SC_NPROCESSORS_ONLN) > 1;
    add_entrant(c, who, edge, 1);
    if (who->threads && all) add_entrant(c, who, edge, -1);
    for (size_t i = 0; who->threads && i < options->thread_count; i++)
        if (options->threads[i] != 1) add_entrant(c, who, edge, options->threads[i]);
}

static contest *open_contest(const bench_options *options, bench_session *session, const char *label, size_t n,
                             const contender *contenders, size_t count, double edge) {
    static const char *const no_peers[] = {NULL};
    contest *c = calloc(1, sizeof *c);
    if (!c) abort();
    c->session = session;
    c->point = (bench_case){.label = label, .n = n, .peers = no_peers, .entrants = c->entrants};
    for (size_t i = 0; i < count; i++) add_contender(c, options, &contenders[i], edge);
    c->entry_count = entries_choose(options, &c->point, session_rows(session), c->entries, MAX_ENTRANTS);
    c->point.warmups = options->warmups ? options->warmups : WARMUPS;
    c->point.repeats = options->repeats ? options->repeats : n <= MANY ? REPEATS : FEW_REPEATS;
    c->step_count = c->point.warmups + c->point.repeats;
    for (size_t i = 0; i < c->entry_count; i++) // brute force runs once, as the reference
        if (c->entries[i].config.method == BP_METHOD_BRUTE_FORCE) c->entries[i].from = c->step_count - 1;
    return c;
}

static void verify(contest *c, size_t step) {
    const entry *first = NULL;
    for (size_t i = 0; i < c->entry_count; i++) {
        entry *e = &c->entries[i];
        if (e->why[0] || e->from > step) continue;
        if (!first) first = e;
        if (e->pair_count == first->pair_count && e->hash == first->hash) continue;
        session_fail(c->session, "%s, step %zu: %s on %d threads: %zu pairs %016llx; %s on %d: %zu pairs %016llx",
                     c->point.label, step, e->method, e->threads, e->pair_count, (unsigned long long)e->hash,
                     first->method, first->threads, first->pair_count, (unsigned long long)first->hash);
        snprintf(e->why, sizeof e->why, "WRONG PAIRS");
        e->runs = 0;
    }
}

// The order rotates, so that no contestant always runs after the same other one.
static void run_step(contest *c, const step_boxes *boxes, size_t step) {
    for (size_t i = 0; i < c->entry_count && !bench_interrupted; i++) {
        entry *e = &c->entries[(i + step) % c->entry_count];
        if (e->why[0] || e->from > step) continue;
        meter_show(c->point.label);
        if (!entry_step(e, boxes, step >= c->point.warmups))
            session_fail(c->session, "%s: %s: %s", c->point.label, e->method, e->why);
    }
    if (!bench_interrupted) verify(c, step);
}

static void close_contest(contest *c) {
    for (size_t i = 0; i < c->entry_count; i++) {
        bench_row row;
        entry_row(&c->entries[i], &c->point, c->point.n, &row);
        if (!bench_interrupted) rows_add(session_rows(c->session), &row);
        entry_destroy(&c->entries[i]);
    }
    free(c);
}

// ---- who searches fastest -------------------------------------------------------------------------------------------

// After the oracle come the methods of the paper: index sort, serial hashing and cuckoo hashing.
static const contender searchers[] = {
    {"brute-force", {.method = BP_METHOD_BRUTE_FORCE}, false, false},
    {INDEX_SORT, {.method = BP_METHOD_COMPACT_GRID}, true, true},
    {SERIAL_HASHING, {.method = BP_METHOD_SPATIAL_HASH}, true, true},
    {CUCKOO, {.method = BP_METHOD_CUCKOO_GRID}, true, true},
    {INDEX_SORT_FOOTPRINTS,
     {.method = BP_METHOD_COMPACT_GRID, SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)},
     true,
     true},
    {CUCKOO_FOOTPRINTS, {.method = BP_METHOD_CUCKOO_GRID, SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)}, true, true},
    {INDEX_SORT_CURVE, {.method = BP_METHOD_COMPACT_GRID, SETTINGS(.compact_keys = BP_KEYS_Z_CURVE)}, true, false},
    {"compact-grid", {.method = BP_METHOD_COMPACT_GRID}, false, false},
    {"spatial-hash", {.method = BP_METHOD_SPATIAL_HASH}, false, false},
    {"spatial-hash table=open", {.method = BP_METHOD_SPATIAL_HASH, SETTINGS(.hash_table = BP_HASH_OPEN)}, false, false},
    {"cuckoo-grid", {.method = BP_METHOD_CUCKOO_GRID}, false, false},
    {"hierarchical-grid", {.method = BP_METHOD_HIERARCHICAL_GRID}, false, true},
    {"linked-cells", {.method = BP_METHOD_LINKED_CELLS}, false, false},
    {"pivot-grid", {.method = BP_METHOD_PIVOT_GRID}, false, false},
    {"octree", {.method = BP_METHOD_OCTREE}, false, false},
    {"loose-octree", {.method = BP_METHOD_LOOSE_OCTREE}, false, false},
    {"bvh", {.method = BP_METHOD_BVH}, false, false},
    {"sweep-and-prune", {.method = BP_METHOD_SWEEP_AND_PRUNE}, false, false},
};
enum { SEARCHER_COUNT = sizeof searchers / sizeof *searchers };

// What is searched for, and what the structure is built over. The paper builds over the points and searches for the
// tetrahedra.
static const struct {
    const char *name;
    tissue_part asked, entered;
} searches[] = {
    {"tetrahedra-points", TISSUE_TETRAHEDRA, TISSUE_POINTS},
    {"points-tetrahedra", TISSUE_POINTS, TISSUE_TETRAHEDRA},
    {"edges-triangles", TISSUE_EDGES, TISSUE_TRIANGLES},
};
enum { SEARCH_COUNT = sizeof searches / sizeof *searches };

static const struct {
    const char *label, *scene;
    double stacked, weight;
} scenes[] = {
    {"stacking stacked=0", "stacking", 0, 1},
    {"stacking stacked=0.5", "stacking", 0.5, 1},
    {"stacking stacked=1", "stacking", 1, 1},
    {"eye", "eye", 0, 1},
    {"skull", "skull", 0, 2},
};
enum { SCENE_COUNT = sizeof scenes / sizeof *scenes };

static void run_search(const bench_options *options, bench_session *session, size_t search, size_t place) {
    char label[NAME_SIZE];
    const tissue_part asked = searches[search].asked, entered = searches[search].entered;
    tissue *t = tissue_create(scenes[place].scene, 1, scenes[place].stacked);
    const step_boxes boxes = {.scene = tissue_boxes(t, asked),
                              .count = cut(options, tissue_count(t, asked)),
                              .others = tissue_boxes(t, entered),
                              .other_count = cut(options, tissue_count(t, entered)),
                              .dimensions = 3};
    const size_t n = boxes.count + boxes.other_count;
    snprintf(label, sizeof label, "%s/%s", searches[search].name, scenes[place].label);
    if (session_wants(session, label, n, scenes[place].weight)) {
        contest *c = open_contest(options, session, label, n, searchers, SEARCHER_COUNT, tissue_edge_length(t));
        for (size_t step = 0; step < c->step_count && !bench_interrupted; step++) {
            tissue_step(t);
            run_step(c, &boxes, step);
        }
        close_contest(c);
        session_done(session);
    }
    tissue_destroy(t);
}

static void run_searches(const bench_options *options, bench_session *session) {
    for (size_t search = 0; search < SEARCH_COUNT; search++)
        for (size_t place = 0; place < SCENE_COUNT; place++)
            if (options_ask_for(options, searches[search].name)) run_search(options, session, search, place);
}

// ---- what a sort gains from the last order --------------------------------------------------------------------------

static const contender sorts[] = {
    {SORT_RADIX, {.method = BP_METHOD_COMPACT_GRID, SETTINGS(.compact_sort = BP_SORT_RADIX)}, true, true},
    {SORT_ADAPTIVE, {.method = BP_METHOD_COMPACT_GRID, SETTINGS(.compact_sort = BP_SORT_ADAPTIVE)}, true, true},
    {SORT_AUTOMATIC, {.method = BP_METHOD_COMPACT_GRID, SETTINGS(.compact_sort = BP_SORT_AUTOMATIC)}, true, true},
};
enum { SORT_COUNT = sizeof sorts / sizeof *sorts };

const double sort_shares[SORT_SHARES] = {0.02, 0.05, 0.1, 0.2, 0.5, 1};

// Gissler et al., section 5, "Sorting Performance": 128,000 entries, four cores. A random array takes about as long in
// both.
static const struct { double share, radix_ms, adaptive_ms; } paper_sorts[] = {{0.02, 14, 3}, {0.1, 14, 6}, {1, 14, 14}};
enum { PAPER_SORTS = sizeof paper_sorts / sizeof *paper_sorts, PAPER_ENTRIES = 128000, PAPER_CORES = 4 };

// The triangles of a fine skull, and boxes of these of which some change places from step to step.
typedef struct moving_boxes {
    tissue *tissue;
    bp_box *boxes;
    uint32_t *shuffled; // all indices, in random order
    size_t count;
} moving_boxes;

static moving_boxes make_moving(const bench_options *options) {
    moving_boxes m = {.tissue = tissue_create("skull", SORT_FINENESS, 0)};
    rng random = rng_seeded(1);
    m.count = cut(options, tissue_count(m.tissue, TISSUE_TRIANGLES));
    m.boxes = malloc(m.count * sizeof *m.boxes);
    m.shuffled = malloc(m.count * sizeof *m.shuffled);
    if (!m.boxes || !m.shuffled) abort();
    for (uint32_t i = 0; i < m.count; i++) { // each new one is put anywhere among those before it
        const uint32_t place = rng_below(&random, i + 1);
        m.shuffled[i] = m.shuffled[place];
        m.shuffled[place] = i;
    }
    return m;
}

static void free_moving(moving_boxes *m) {
    tissue_destroy(m->tissue);
    free(m->boxes);
    free(m->shuffled);
}

// In each step other boxes swap places in pairs, and those of the step before swap back. So a quarter of the share is
// the number of pairs; the set of boxes stays the same, and their order in memory nearly.
static void change_places(moving_boxes *m, double share, size_t step) {
    const size_t pairs = (size_t)(share * (double)m->count / 4), all = m->count / 2;
    memcpy(m->boxes, tissue_boxes(m->tissue, TISSUE_TRIANGLES), m->count * sizeof *m->boxes);
    for (size_t i = 0; i < pairs; i++) {
        const size_t pair = (step * pairs + i) % all;
        bp_box *a = &m->boxes[m->shuffled[2 * pair]], *b = &m->boxes[m->shuffled[2 * pair + 1]];
        const bp_box kept = *a;
        *a = *b;
        *b = kept;
    }
}

static void deform(moving_boxes *m) {
    tissue_step(m->tissue);
    memcpy(m->boxes, tissue_boxes(m->tissue, TISSUE_TRIANGLES), m->count * sizeof *m->boxes);
}

static void add_figure(bench_session *session, const char *label, size_t n, const char *method, const char *what,
                       uint64_t figure) {
    bench_row row = {.n = n, .threads = 1, .runs = 1, .tests = figure};
    snprintf(row.scene, sizeof row.scene, "%s", label);
    snprintf(row.who, sizeof row.who, "%s", OURS);
    snprintf(row.method, sizeof row.method, "%s%s", method, what);
    rows_add(session_rows(session), &row);
}

// How many keys have changed, and whether the automatic sort did what it promises: adaptive if few have.
static void check_sort(contest *c) {
    for (size_t i = 0; i < c->entry_count && !bench_interrupted; i++) {
        const entry *e = &c->entries[i];
        if (e->config.settings->compact_sort != BP_SORT_AUTOMATIC || e->why[0]) continue;
        const bp_details details = bp_stats_details(&e->stats);
        const bp_compact_sort expected = details.changed_share <= SORT_SWITCH ? BP_SORT_ADAPTIVE : BP_SORT_RADIX;
        if (details.sort != expected)
            session_fail(c->session, "%s: %.1f %% of the keys have changed, and the automatic sort was the %s one",
                         c->point.label, 100 * details.changed_share,
                         details.sort == BP_SORT_RADIX ? "radix" : "adaptive");
        if (e->threads == 1)
            add_figure(c->session, c->point.label, c->point.n, e->method, CHANGED_KEYS,
                       (uint64_t)(details.changed_share * (double)c->point.n + 0.5));
    }
}

// The sort alone, of ours and of the standard library.
typedef struct lone_sorts {
    double ours[MAX_ENTRANTS][MAX_RUNS], standard[MAX_RUNS];
    uint64_t *entries; // for the standard one: key << 32 | box, in order
    size_t runs;
} lone_sorts;

static uint64_t entry_of_box(const bp_box *box, double edge, size_t index) {
    uint64_t key = 0;
    for (int axis = 2; axis >= 0; axis--) key = key << 10 | ((uint64_t)(box->min[axis] / edge + 512) & 1023);
    return key << 32 | index;
}

// The last order, each entry with its key of now. It is random before the first step.
static void sort_standard(lone_sorts *l, const moving_boxes *m, double edge, bool first, bool counts) {
    for (size_t i = 0; i < m->count; i++) {
        const size_t index = first ? m->shuffled[i] : (uint32_t)l->entries[i];
        l->entries[i] = entry_of_box(&m->boxes[index], edge, index);
    }
    const double start = thread_seconds();
    standard_sort(l->entries, m->count);
    if (counts) l->standard[l->runs] = 1e3 * (thread_seconds() - start);
}

static void take_lone_sorts(lone_sorts *l, const contest *c) {
    for (size_t i = 0; i < c->entry_count; i++)
        l->ours[i][l->runs] = 1e3 * bp_stats_details(&c->entries[i].stats).sort_seconds;
    l->runs++;
}

static void add_lone_sort(bench_session *session, const char *label, size_t n, const char *who, const char *method,
                          int threads, double *ms, size_t runs) {
    bench_row row = {.n = n, .threads = threads, .runs = runs};
    snprintf(row.scene, sizeof row.scene, "%s", label);
    snprintf(row.who, sizeof row.who, "%s", who);
    snprintf(row.method, sizeof row.method, "%s", method);
    row_set_totals(&row, ms, runs, 1);
    row.update_ms = row.total_ms;
    rows_add(session_rows(session), &row);
}

static void add_lone_sorts(lone_sorts *l, const contest *c) {
    char method[NAME_SIZE];
    if (!l->runs || bench_interrupted) return;
    for (size_t i = 0; i < c->entry_count; i++) {
        snprintf(method, sizeof method, "%.*s" SORT_ALONE, (int)(sizeof method - sizeof SORT_ALONE),
                 c->entries[i].method);
        add_lone_sort(c->session, c->point.label, c->point.n, OURS, method, c->entries[i].threads, l->ours[i], l->runs);
    }
    add_lone_sort(c->session, c->point.label, c->point.n, STANDARD, STANDARD_SORT, 1, l->standard, l->runs);
}

static void add_paper_sort(bench_session *session, const char *label, const char *method, double ms) {
    bench_row row = {.n = PAPER_ENTRIES, .threads = PAPER_CORES, .runs = 1, .update_ms = ms, .total_ms = ms};
    snprintf(row.scene, sizeof row.scene, "%s", label);
    snprintf(row.who, sizeof row.who, "%s", PAPER);
    snprintf(row.method, sizeof row.method, "%s", method);
    rows_add(session_rows(session), &row);
}

// A share below 0: the tissue deforms by itself.
static void run_sort(const bench_options *options, bench_session *session, moving_boxes *m, double share) {
    char label[NAME_SIZE] = SORT_OWN_SCENE;
    if (share >= 0) snprintf(label, sizeof label, SORT_SCENE, share);
    if (!session_wants(session, label, m->count, SORT_WEIGHT)) return;
    const double edge = tissue_edge_length(m->tissue);
    contest *c = open_contest(options, session, label, m->count, sorts, SORT_COUNT, edge);
    lone_sorts *alone = calloc(1, sizeof *alone);
    if (!alone || !(alone->entries = calloc(m->count, sizeof *alone->entries))) abort();
    for (size_t step = 0; step < c->step_count && !bench_interrupted; step++) {
        if (share < 0)
            deform(m);
        else
            change_places(m, share, step);
        run_step(c, &(step_boxes){.scene = m->boxes, .count = m->count, .dimensions = 3}, step);
        sort_standard(alone, m, edge, step == 0, step >= c->point.warmups);
        if (step >= c->point.warmups) take_lone_sorts(alone, c);
    }
    check_sort(c);
    add_lone_sorts(alone, c);
    close_contest(c);
    free(alone->entries);
    free(alone);
    for (size_t i = 0; i < PAPER_SORTS && !bench_interrupted; i++) {
        if (paper_sorts[i].share != share) continue;
        add_paper_sort(session, label, "radix-sort", paper_sorts[i].radix_ms);
        add_paper_sort(session, label, "stl-sort", paper_sorts[i].adaptive_ms);
    }
    session_done(session);
}

static void run_sorts(const bench_options *options, bench_session *session) {
    moving_boxes m = make_moving(options);
    run_sort(options, session, &m, -1);
    for (size_t i = 0; i < SORT_SHARES; i++) run_sort(options, session, &m, sort_shares[i]);
    free_moving(&m);
}

// ---- what the order in memory does to caches ------------------------------------------------------------------------

static const contender neighbours[] = {
    {INDEX_SORT, {.method = BP_METHOD_COMPACT_GRID}, true, false},
    {INDEX_SORT_CURVE, {.method = BP_METHOD_COMPACT_GRID, SETTINGS(.compact_keys = BP_KEYS_Z_CURVE)}, true, false},
    {INDEX_SORT_FOOTPRINTS,
     {.method = BP_METHOD_COMPACT_GRID, SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)},
     true,
     false},
    {INDEX_SORT_FOOTPRINTS_CURVE,
     {.method = BP_METHOD_COMPACT_GRID,
      SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .compact_keys = BP_KEYS_Z_CURVE)},
     true,
     false},
    {SERIAL_HASHING, {.method = BP_METHOD_SPATIAL_HASH}, true, false},
    {CUCKOO, {.method = BP_METHOD_CUCKOO_GRID}, true, false},
    {"hierarchical-grid", {.method = BP_METHOD_HIERARCHICAL_GRID}, false, false},
    {"bvh", {.method = BP_METHOD_BVH}, false, false},
};
enum { NEIGHBOUR_COUNT = sizeof neighbours / sizeof *neighbours };

// What the cache probe runs, beside the order of the boxes.
static const struct {
    const char *method, *keys, *entries;
} probes[] = {{INDEX_SORT, "row-major", "corner"},
              {INDEX_SORT_CURVE, "z-curve", "corner"},
              {INDEX_SORT_FOOTPRINTS, "row-major", "footprint"},
              {INDEX_SORT_FOOTPRINTS_CURVE, "z-curve", "footprint"}};
enum { PROBES = sizeof probes / sizeof *probes };

static bool add_lines(bench_session *session, const char *label, size_t n, const char *order, size_t probe) {
    char why[NAME_SIZE];
    callgrind_counts counts;
    const char *method = probes[probe].method, *keys = probes[probe].keys;
    const bench_row *timed = rows_find(session_rows(session), label, n, OURS, method, 1);
    meter_show("callgrind");
    const callgrind_outcome outcome = callgrind_run(order, keys, probes[probe].entries, &counts, why, sizeof why);
    if (outcome == CALLGRIND_ABSENT) {
        printf("\n%s: cache lines are not counted: %s\n", label, why);
        return false;
    }
    if (outcome == CALLGRIND_FAILED)
        session_fail(session, "%s, keys %s: %s", label, keys, why);
    else if (timed && (counts.pairs != timed->pairs || counts.tests != timed->tests))
        session_fail(session, "%s, keys %s: the probe has %zu pairs of %llu candidates, the bench %zu of %llu", label,
                     keys, counts.pairs, (unsigned long long)counts.tests, timed->pairs,
                     (unsigned long long)timed->tests);
    if (outcome == CALLGRIND_FAILED) return true;
    add_figure(session, label, n, method, NEAR_LINES, counts.near_lines);
    add_figure(session, label, n, method, FAR_LINES, counts.far_lines);
    add_figure(session, label, n, method, INSTRUCTIONS, counts.instructions);
    return true;
}

// The probe always runs the whole search, so lines are not counted with -n.
static void count_lines(const bench_options *options, bench_session *session, const char *label, size_t n,
                        const char *order) {
    if (options->count_count)
        printf("\n%s: cache lines are counted without -n only\n", label);
    else
        for (size_t i = 0; i < PROBES && !bench_interrupted && add_lines(session, label, n, order, i); i++) continue;
}

static void run_locality(const bench_options *options, bench_session *session, locality_order order) {
    char label[NAME_SIZE];
    locality_question q = locality_ask(order);
    const step_boxes boxes = {.scene = q.edges,
                              .count = cut(options, q.edge_count),
                              .others = q.triangles,
                              .other_count = cut(options, q.triangle_count),
                              .dimensions = 3};
    const size_t n = boxes.count + boxes.other_count;
    snprintf(label, sizeof label, LOCALITY_SCENE, locality_orders[order]);
    if (session_wants(session, label, n, LOCALITY_WEIGHT)) {
        contest *c = open_contest(options, session, label, n, neighbours, NEIGHBOUR_COUNT, (double)q.cell_size);
        for (size_t step = 0; step < c->step_count && !bench_interrupted; step++) run_step(c, &boxes, step);
        close_contest(c);
        count_lines(options, session, label, n, locality_orders[order]);
        session_done(session);
    }
    locality_free(&q);
}

// ---- all together ---------------------------------------------------------------------------------------------------

static void expect_all(const bench_options *options, bench_session *session) {
    for (size_t search = 0; search < SEARCH_COUNT; search++)
        for (size_t place = 0; place < SCENE_COUNT; place++)
            if (options_ask_for(options, searches[search].name)) session_expect(session, scenes[place].weight);
    if (options_ask_for(options, "frames")) session_expect(session, FRAMES_WEIGHT);
    if (options_ask_for(options, "contact")) session_expect(session, CONTACT_WEIGHT * CONTACT_SCENES * HANDLE_TESTS);
    if (options_ask_for(options, "sort")) session_expect(session, SORT_WEIGHT * (SORT_SHARES + 1));
    if (options_ask_for(options, "locality")) session_expect(session, LOCALITY_WEIGHT * LOCALITY_ORDERS);
}

void gissler_run(const bench_options *options, bench_session *session) {
    expect_all(options, session);
    run_searches(options, session);
    gissler_frames(options, session);
    if (options_ask_for(options, "sort")) run_sorts(options, session);
    for (int order = 0; order < LOCALITY_ORDERS && options_ask_for(options, "locality"); order++)
        run_locality(options, session, (locality_order)order);
    gissler_summary(session);
}
