// Which contestants take part in a case, and why the others do not.
#include "core/entry.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

// A peer that takes longer than this for a step, and is far from the fastest, is shown once and then left out.
static const double slow_ms_per_object = 0.004;
static const double slow_ratio = 8;
static const double hopeless_ms = 1500;

static const bp_method_settings scalar = {.simd = BP_SIMD_SCALAR};
static const bp_method_settings one_axis = {.sweep_axes = 1};

static entry ours(const char *method, bp_method number, int threads, const bp_method_settings *settings) {
    entry e = {.who = OURS, .threads = threads};
    e.config = (bp_config){.method = number, .threads = threads, .settings = settings};
    snprintf(e.method, sizeof e.method, "%s", method);
    return e;
}

// One row, and one for each number of threads that was asked for.
static size_t choose_neighbors(const bench_options *options, entry *entries) {
    size_t count = 0;
    entries[count++] = ours(MAIN_METHOD, BP_METHOD_HIERARCHICAL_GRID, 1, NULL);
    for (size_t i = 0; i < options->thread_count; i++)
        if (options->threads[i] != 1)
            entries[count++] = ours(MAIN_METHOD, BP_METHOD_HIERARCHICAL_GRID, options->threads[i], NULL);
    for (size_t i = 0; i < count; i++) entries[i].neighbors = true;
    return count;
}

static int core_count(void) {
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static entry entrant(const bench_entrant *wanted) {
    const int threads = wanted->config.threads;
    entry e = {.who = OURS, .config = wanted->config, .one_by_one = wanted->one_by_one};
    e.threads = threads < 0 ? core_count() : threads ? threads : 1;
    snprintf(e.method, sizeof e.method, "%s", wanted->label);
    return e;
}

static size_t choose_entrants(const bench_case *c, entry *entries, size_t capacity) {
    size_t count = 0;
    for (; count < c->entrant_count && count < capacity; count++) entries[count] = entrant(&c->entrants[count]);
    return count;
}

static size_t choose_ours(const bench_options *options, const bench_case *c, entry *entries) {
    size_t count = 0;
    bool two = c->two_threads;
    entries[count++] = ours(MAIN_METHOD, BP_METHOD_HIERARCHICAL_GRID, 1, NULL);
    for (size_t i = 0; i < options->thread_count; i++) {
        if (options->threads[i] != 1)
            entries[count++] = ours(MAIN_METHOD, BP_METHOD_HIERARCHICAL_GRID, options->threads[i], NULL);
        two = two && options->threads[i] != 2;
    }
    if (two) entries[count++] = ours(MAIN_METHOD, BP_METHOD_HIERARCHICAL_GRID, 2, NULL);
    if (c->scalar) entries[count++] = ours(MAIN_METHOD "/scalar", BP_METHOD_HIERARCHICAL_GRID, 1, &scalar);
    if (c->yardsticks) {
        entries[count] = ours(CALL_METHOD, BP_METHOD_AUTO, 1, NULL);
        entries[count++].one_call = true;
        entries[count++] = ours(YARDSTICK_METHOD, BP_METHOD_SWEEP_AND_PRUNE, 1, &one_axis);
    }
    if (c->brute_force) entries[count++] = ours("brute-force", BP_METHOD_BRUTE_FORCE, 1, NULL);
    for (size_t i = BP_METHOD_BRUTE_FORCE + 1; i < bp_method_count() && c->all_methods; i++)
        if (i != BP_METHOD_HIERARCHICAL_GRID) entries[count++] = ours(bp_method_name(i), (bp_method)i, 1, NULL);
    return count;
}

// The row of a peer (NULL: of any peer) at the next smaller n of this scene; NULL: none.
static const bench_row *row_before(const bench_rows *before, const bench_case *c, const bench_peer *peer) {
    const bench_row *best = NULL;
    for (size_t i = 0; i < before->count; i++) {
        const bench_row *row = &before->data[i];
        const bool fits = row->runs && row_is_peer(row) && row->n < c->n && strcmp(row->scene, case_label(c)) == 0;
        const bool same = !peer || (!strcmp(row->who, peer->who) && !strcmp(row->method, peer->method));
        if (fits && same && (!best || row->n > best->n)) best = row;
    }
    return best;
}

// The rows that the peers are ranked by: this scene with fewer objects, or else an earlier one with as many.
static const bench_row *ranking_before(const bench_rows *before, const bench_case *c) {
    const bench_row *row = row_before(before, c, NULL);
    for (size_t i = 0; !row && i < before->count; i++)
        if (before->data[i].runs && before->data[i].n == c->n && row_is_peer(&before->data[i])) row = &before->data[i];
    return row;
}

// How many peers were faster there.
static size_t rank_before(const bench_rows *before, const bench_row *last, const bench_peer *peer) {
    size_t rank = 0;
    const bench_row *own = rows_find(before, last->scene, last->n, peer->who, peer->method, 1);
    for (size_t i = 0; i < before->count; i++) {
        const bench_row *row = &before->data[i];
        if (row->runs && row_is_peer(row) && strcmp(row->scene, last->scene) == 0 && row->n == last->n)
            rank += !own || row->total_ms < own->total_ms;
    }
    return rank;
}

// The time to expect, from the next smaller n: slow peers grow faster than n. 0: unknown.
static double expected_ms(const bench_rows *before, const bench_case *c, const bench_peer *peer) {
    const bench_row *row = row_before(before, c, peer);
    return row ? row->total_ms * pow((double)c->n / (double)row->n, 1.25) : 0;
}

// A scene on which this peer was far too slow with as many objects, or NULL.
static const bench_row *hopeless_before(const bench_rows *before, const bench_case *c, const bench_peer *peer) {
    for (size_t i = 0; i < before->count; i++) {
        const bench_row *row = &before->data[i];
        const bool same =
            row->runs && row->n == c->n && !strcmp(row->who, peer->who) && !strcmp(row->method, peer->method);
        const bench_row *best = same ? rows_fastest_peer(before, row->scene, row->n) : NULL;
        if (best && row->total_ms > slow_ms_per_object * (double)c->n && row->total_ms > slow_ratio * best->total_ms)
            return row;
    }
    return NULL;
}

static void leave_out(const bench_options *options, const bench_case *c, const bench_rows *before, entry *e) {
    const bench_peer *peer = e->peer;
    const bench_row *hopeless = peer->max_count ? NULL : hopeless_before(before, c, peer);
    const bench_row *last = ranking_before(before, c);
    const double expected = expected_ms(before, c, peer);
    if (peer->max_count && c->n > peer->max_count)
        snprintf(e->why, sizeof e->why, "at most %zu objects", peer->max_count);
    else if (options->peer_count || c->peers)
        return; // asked for by name: it runs
    else if (peer->max_count && !c->limited_peers)
        snprintf(e->why, sizeof e->why, "small scenes only: see uniform");
    else if (hopeless)
        snprintf(e->why, sizeof e->why, "%d ms on %.20s", (int)hopeless->total_ms, hopeless->scene);
    else if (c->fastest_peers && last && rank_before(before, last, peer) >= c->fastest_peers)
        snprintf(e->why, sizeof e->why, "not among the first %zu at %zu", c->fastest_peers, last->n);
    else if (!c->fastest_peers && expected > hopeless_ms)
        snprintf(e->why, sizeof e->why, "would take about %.0f s a step", expected / 1e3);
}

static bool is_named(const bench_options *options, const bench_case *c, const bench_peer *peer) {
    bool named = !c->peers && (!peer->named_only || options->peer_count);
    for (const char *const *name = c->peers; name && *name; name++)
        named = named || peer_has_name(peer->who, peer->method, *name);
    return named;
}

static bool takes_part(const bench_options *options, const bench_case *c, const bench_peer *peer) {
    return options_have_peer(options, peer->who, peer->method) && is_named(options, c, peer) &&
           c->neighbors == (peer->update_points != NULL);
}

size_t entries_choose(const bench_options *options, const bench_case *c, const bench_rows *before, entry *entries,
                      size_t capacity) {
    size_t count = c->entrant_count ? choose_entrants(c, entries, capacity)
                   : c->neighbors   ? choose_neighbors(options, entries)
                                    : choose_ours(options, c, entries);
    for (size_t i = 0; i < bench_library_count; i++)
        for (const bench_peer *peer = bench_libraries[i].peers; peer && peer->who; peer++) {
            if (!takes_part(options, c, peer) || count == capacity) continue;
            entry e = {.who = peer->who, .threads = 1, .peer = peer};
            snprintf(e.method, sizeof e.method, "%s", peer->method);
            leave_out(options, c, before, &e);
            entries[count++] = e;
        }
    for (size_t i = 0; i < count; i++) entries[i].anew = c->anew;
    return count;
}
