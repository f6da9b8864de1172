// Measures all contestants of a case: interleaved, step by step, on the same boxes.
//
//     step:     0 .. settle        settle .. settle + warmups       the last `repeats`
//     who:      peers that keep    everyone                         everyone, timed
//               their structure
//
// After the first step of all contestants, slow ones are scheduled for the last few steps only, so that all end on the
// same boxes and report the same pairs and hash.
#include "core/boxes.h"
#include "core/entry.h"
#include "core/source.h"

#include <string.h>

enum { MAX_ENTRIES = 64, FEW_RUNS = 3 };
static const double cheap_seconds = 0.15; // all steps of a contestant: not worth cutting

typedef struct group {
    const bench_case *c;
    double deadline;
    box_source source;
    bp_box *finite;
    float *points;
    step_boxes boxes;
    entry entries[MAX_ENTRIES];
    size_t entry_count;
    size_t step, step_count;
    bench_session *session;
} group;

static bool takes_part(const group *g, const entry *e) {
    return !e->why[0] && g->step >= e->from;
}

static void report_failure(const group *g, const entry *e) {
    session_fail(g->session, "%s %s, scene %s, n %zu: %s", e->who, e->method, case_label(g->c), g->c->n, e->why);
}

static bool create_entry(const group *g, entry *e) {
    if (e->anew || e->world || e->state || entry_create(e, &g->boxes)) return true;
    report_failure(g, e);
    return false;
}

static void run_entry(const group *g, entry *e) {
    char what[3 * NAME_SIZE + 32];
    snprintf(what, sizeof what, "%s %zu: step %zu of %zu: %s %s", case_label(g->c), g->c->n, g->step + 1, g->step_count,
             e->who, e->method);
    meter_show(what);
    if (!create_entry(g, e)) return;
    if (!entry_step(e, &g->boxes, g->step >= e->counted_from)) report_failure(g, e);
}

static bool agrees(const entry *a, const entry *b) {
    return a->pair_count == b->pair_count && a->hash == b->hash;
}

// Our methods have no vote, except for brute force, which shares no code with them.
static bool votes_for(const entry *voter, const entry *e) {
    return (voter->peer || voter->config.method == BP_METHOD_BRUTE_FORCE) && agrees(voter, e);
}

// The entry that most voters agree with: our own pairs are not right by definition.
static const entry *majority(const group *g) {
    const entry *best = NULL;
    size_t best_votes = 0;
    for (size_t i = 0; i < g->entry_count; i++) {
        size_t votes = 0;
        if (!takes_part(g, &g->entries[i])) continue;
        for (size_t j = 0; j < g->entry_count; j++)
            votes += takes_part(g, &g->entries[j]) && votes_for(&g->entries[j], &g->entries[i]);
        if (!best || votes > best_votes) {
            best_votes = votes;
            best = &g->entries[i];
        }
    }
    return best;
}

// A contestant that differs is out, unless it does not claim exact pairs.
static void refuse(const group *g, entry *e, const entry *most) {
    char text[6 * NAME_SIZE];
    snprintf(text, sizeof text, "%s %s, scene %s, n %zu, step %zu: %zu pairs %016llx; %s %s: %zu pairs %016llx", e->who,
             e->method, case_label(g->c), g->c->n, g->step, e->pair_count, (unsigned long long)e->hash, most->who,
             most->method, most->pair_count, (unsigned long long)most->hash);
    if (e->peer && !e->peer->exact) {
        fprintf(stderr, "\nbench: differs: %s\n", text);
        return;
    }
    session_fail(g->session, "WRONG PAIRS: %s", text);
    snprintf(e->why, sizeof e->why, "WRONG PAIRS");
    e->failed = true;
    e->runs = 0;
}

static void verify(group *g) {
    const entry *most = majority(g);
    for (size_t i = 0; most && i < g->entry_count; i++) {
        entry *e = &g->entries[i];
        if (!takes_part(g, e) || agrees(e, most)) continue;
        refuse(g, e, most);
    }
}

static size_t faster_peers(const group *g, const entry *than) {
    size_t count = 0;
    for (size_t i = 0; i < g->entry_count; i++) {
        const entry *e = &g->entries[i];
        count += e->peer && !e->why[0] && e->last_seconds < than->last_seconds;
    }
    return count;
}

static double fastest_peer_seconds(const group *g) {
    double best = 1e30;
    for (size_t i = 0; i < g->entry_count; i++) {
        const entry *e = &g->entries[i];
        if (e->peer && !e->why[0] && e->last_seconds < best) best = e->last_seconds;
    }
    return best;
}

// The contestants that matter get all repeats: our own methods (but the quadratic ones), the fastest peer, and the second if it is close.
static bool measured_in_full(const group *g, const entry *e) {
    if (!e->peer) return e->config.method != BP_METHOD_BRUTE_FORCE && e->config.method != BP_METHOD_SWEEP_AND_PRUNE;
    const size_t faster = faster_peers(g, e);
    return faster == 0 || (faster == 1 && e->last_seconds < 1.5 * fastest_peer_seconds(g));
}

static size_t runs_for(const group *g, const entry *e, double fastest) {
    const double s = e->last_seconds;
    if (measured_in_full(g, e) || s * (double)g->c->repeats < cheap_seconds) return g->c->repeats;
    if (s > 0.4 || (s > 8 * fastest && s > 0.1)) return 1;
    return s > 4 * fastest && g->c->repeats > FEW_RUNS ? FEW_RUNS : g->c->repeats;
}

// Seconds for the remaining steps.
static double cost_of(const group *g, const entry *e) {
    return e->why[0] ? 0 : e->last_seconds * (double)(g->step_count - e->from);
}

static void set_runs(group *g, entry *e, size_t runs) {
    const size_t again = e->peer && e->peer->keeps ? 1 : 0; // it has missed steps: one extra to catch up
    e->counted_from = g->step_count - runs;
    e->from = runs == g->c->repeats ? g->step : g->step_count - runs - again;
    e->from = e->from < g->step ? g->step : e->from;
}

static entry *costliest_that_can_give(group *g) {
    entry *costliest = NULL;
    for (size_t i = 0; i < g->entry_count; i++) {
        entry *e = &g->entries[i];
        const bool can_give = !e->why[0] && g->step_count - e->counted_from > 1 && !measured_in_full(g, e) &&
                              cost_of(g, e) > cheap_seconds;
        if (can_give && (!costliest || cost_of(g, e) > cost_of(g, costliest))) costliest = e;
    }
    return costliest;
}

// Takes repeats away from the most expensive contestants until all fit the deadline.
static void fit_deadline(group *g) {
    for (;;) {
        double planned = 0;
        for (size_t i = 0; i < g->entry_count; i++) planned += cost_of(g, &g->entries[i]);
        entry *e = costliest_that_can_give(g);
        if (!e || seconds_now() + planned <= g->deadline) return;
        set_runs(g, e, g->step_count - e->counted_from > FEW_RUNS ? FEW_RUNS : 1);
    }
}

static void choose_runs(group *g) {
    const double fastest = fastest_peer_seconds(g);
    size_t runs[MAX_ENTRIES];
    for (size_t i = 0; i < g->entry_count; i++) runs[i] = runs_for(g, &g->entries[i], fastest);
    for (size_t i = 0; i < g->entry_count; i++) set_runs(g, &g->entries[i], runs[i]);
    fit_deadline(g);
}

// Prepares the boxes of a step for the peers: without infinite coordinates; for neighbours, the centres of the finite
// boxes.
static void take_step(group *g) {
    const step_boxes *boxes = &g->boxes;
    boxes_make_finite(boxes->scene, boxes->count, boxes->dimensions, g->finite);
    for (size_t i = 0; i < 3 * boxes->point_count; i++) {
        const bp_box *box = &boxes->scene[i / 3];
        g->points[i] = 0.5f * (box->min[i % 3] + box->max[i % 3]);
    }
}

// The order rotates, so that no contestant always runs after the same other one.
static void run_step(group *g) {
    const char *error = source_step(&g->source);
    if (error) {
        session_fail(g->session, "%s: %s", case_label(g->c), error);
        g->step_count = g->step;
        return;
    }
    take_step(g);
    for (size_t i = 0; i < g->entry_count && !bench_interrupted; i++) {
        entry *e = &g->entries[(i + g->step) % g->entry_count];
        if (takes_part(g, e)) run_entry(g, e);
    }
    if (!bench_interrupted) verify(g);
}

// Beyond this, volumes and squares overflow a float: peers lose pairs there, and some crash.
static const float peer_range = 1e12f;

static bool beyond_range(const bp_box *boxes, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (boxes[i].min[k] < -peer_range || boxes[i].max[k] > peer_range) return true;
    return false;
}

static void leave_out_beyond_range(group *g) {
    const bool beyond = beyond_range(g->finite, g->boxes.count);
    for (size_t i = 0; i < g->entry_count; i++) {
        entry *e = &g->entries[i];
        if (e->peer && beyond) snprintf(e->why, sizeof e->why, "coordinates overflow its floats");
    }
}

// A contestant that keeps its structure is created with the boxes before the first step, so that its first step is a
// normal update.
static void start_entries(group *g) {
    take_step(g);
    leave_out_beyond_range(g);
    for (size_t i = 0; i < g->entry_count; i++) {
        entry *e = &g->entries[i];
        e->from = e->peer && e->peer->keeps ? 0 : g->c->settle;
        e->counted_from = g->step_count - g->c->repeats;
        if (!e->why[0] && (!e->peer || e->peer->keeps)) create_entry(g, e);
    }
}

static bool open_source(group *g) {
    const char *error = source_open(&g->source, g->c);
    if (error) {
        session_fail(g->session, "scene %s, n %zu: %s", case_label(g->c), g->c->n, error);
        return false;
    }
    g->boxes.count = source_count(&g->source);
    g->boxes.has_absent = source_has_absent(&g->source);
    g->boxes.dimensions = source_dimensions(&g->source);
    g->finite = malloc(g->boxes.count * sizeof *g->finite);
    g->boxes.point_count = g->c->neighbors ? source_finite_count(&g->source) : 0;
    g->points = malloc((3 * g->boxes.point_count + 1) * sizeof *g->points);
    if (!g->finite || !g->points) abort();
    g->boxes.scene = source_boxes(&g->source);
    g->boxes.finite = g->finite;
    g->boxes.points = g->c->neighbors ? g->points : NULL;
    return true;
}

static void close_group(group *g, bench_rows *rows) {
    for (size_t i = 0; i < g->entry_count; i++) {
        bench_row row;
        entry_row(&g->entries[i], g->c, g->boxes.count, &row);
        if (!bench_interrupted) rows_add(rows, &row);
        entry_destroy(&g->entries[i]);
    }
    free(g->finite);
    free(g->points);
}

static void run_steps(group *g) {
    start_entries(g);
    for (g->step = 0; g->step < g->step_count && !bench_interrupted; g->step++) {
        run_step(g);
        if (g->step == g->c->settle) choose_runs(g);
    }
}

void group_run(const bench_options *options, const bench_case *c, double allowance, bench_session *session) {
    bench_rows *rows = session_rows(session);
    group *g = calloc(1, sizeof *g);
    if (!g) abort();
    g->c = c;
    g->session = session;
    g->deadline = seconds_now() + allowance;
    g->step_count = c->settle + c->warmups + c->repeats;
    if (open_source(g)) {
        g->entry_count = entries_choose(options, c, rows, g->entries, MAX_ENTRIES);
        run_steps(g);
        close_group(g, rows);
    }
    source_close(&g->source);
    free(g);
}
