#include "core/entry.h"

#include <string.h>

static bool fail(entry *e, const char *why) {
    snprintf(e->why, sizeof e->why, "%s", why);
    e->failed = true;
    return false;
}

static bp_status add_all(const entry *e, const step_boxes *boxes) {
    bp_status status = BP_OK;
    if (!e->one_by_one) return bp_add_many(e->world, boxes->count, boxes->scene, NULL, NULL);
    for (size_t i = 0; i < boxes->count && status == BP_OK; i++)
        status = bp_add(e->world, &boxes->scene[i], NULL, NULL);
    return status;
}

static bp_status create_ours(entry *e, const step_boxes *boxes) {
    e->config.dimensions = boxes->dimensions;
    const bp_status status = bp_world_create(&e->config, &e->world);
    if (status != BP_OK) return status;
    if (!boxes->has_absent) return add_all(e, boxes);
    roster_create(&e->roster, boxes->count);
    return roster_step(&e->roster, e->world, boxes->scene);
}

static bp_status bring_boxes(entry *e, const step_boxes *boxes) {
    if (!e->world) return create_ours(e, boxes);
    if (boxes->has_absent) return roster_step(&e->roster, e->world, boxes->scene);
    return bp_move_many(e->world, boxes->count, NULL, boxes->scene);
}

static bool create_peer(entry *e, const step_boxes *boxes) {
    e->state = e->peer->create(boxes->points ? boxes->point_count : boxes->count, boxes->finite);
    return e->state || fail(e, "could not be created");
}

bool entry_create(entry *e, const step_boxes *boxes) {
    if (e->peer) return create_peer(e, boxes);
    const bp_status status = e->neighbors || e->one_call ? BP_OK : create_ours(e, boxes);
    return status == BP_OK || fail(e, bp_status_text(status));
}

void entry_destroy(entry *e) {
    bp_world_destroy(e->world);
    e->world = NULL;
    roster_destroy(&e->roster);
    if (e->state) e->peer->destroy(e->state);
    e->state = NULL;
    bp_neighbors_free(&e->rows, NULL);
    if (e->peer)
        free(e->pairs.data);
    else
        bp_pairs_free(&e->pairs, NULL);
    e->pairs = (bp_pairs){0};
}

static uint64_t mix(uint32_t a, uint32_t b) {
    uint64_t x = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t hash_pairs(const bp_pair *pairs, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += mix(pairs[i].a, pairs[i].b);
    return sum;
}

// The same for neighbour rows, in which each pair is listed twice, and the number of pairs. A pair that is listed once
// only, or in a wrong row, changes the sum.
static uint64_t hash_rows(const bp_neighbors *rows, size_t *pair_count) {
    uint64_t sum = 0, turned = 0;
    for (uint32_t row = 0; row < rows->count; row++)
        for (size_t i = rows->offsets[row]; i < rows->offsets[row + 1]; i++) {
            const uint32_t other = rows->indices[i];
            if (row < other)
                sum += mix(row, other);
            else
                turned += mix(other, row);
        }
    *pair_count = rows->offsets[rows->count] / 2;
    return sum == turned ? sum : ~sum;
}

typedef struct step_times {
    double update, find, total;
} step_times;

static void take_stats(entry *e, const bp_stats *stats) {
    e->stats = *stats;
    e->bytes = stats->bytes;
    e->tests = stats->tests;
}

// Taking over the boxes and building count as update, as for peers.
static bool step_ours(entry *e, const step_boxes *boxes, step_times *times) {
    bp_result result = {0};
    const double start = seconds_now();
    bp_status status = bring_boxes(e, boxes);
    const double moved = seconds_now();
    if (status == BP_OK) status = bp_update(e->world, &result);
    times->total = seconds_now() - start;
    if (status != BP_OK) return fail(e, bp_status_text(status));
    times->update = moved - start + result.stats.build_seconds;
    times->find = times->total - times->update;
    e->pair_count = result.pair_count;
    const bp_pair *pairs = boxes->has_absent ? roster_pairs(&e->roster, &result) : result.pairs;
    e->hash = hash_pairs(pairs, result.pair_count);
    take_stats(e, &result.stats);
    return true;
}

// The time to build, in a call that does everything, comes from its statistics.
static bool end_call(entry *e, bp_status status, double start, const bp_stats *stats, step_times *times) {
    times->total = seconds_now() - start;
    times->update = stats->build_seconds;
    times->find = times->total - times->update;
    e->config.stats = NULL;
    take_stats(e, stats);
    return status == BP_OK || fail(e, bp_status_text(status));
}

// One call from points to rows.
static bool step_neighbors(entry *e, const step_boxes *boxes, step_times *times) {
    bp_stats stats = {0};
    e->config.stats = &stats;
    const double start = seconds_now();
    const bp_status status = bp_find_neighbors(boxes->points, boxes->point_count, BENCH_RADIUS, &e->config, &e->rows);
    if (!end_call(e, status, start, &stats, times)) return false;
    e->hash = hash_rows(&e->rows, &e->pair_count);
    return true;
}

// One call from boxes to pairs. It is not asked for figures: gathering them would be part of its time.
static bool step_call(entry *e, const step_boxes *boxes, step_times *times) {
    e->config.dimensions = boxes->dimensions;
    const double start = seconds_now();
    const bp_status status = bp_find_pairs(boxes->scene, boxes->count, &e->config, &e->pairs);
    times->total = times->find = seconds_now() - start;
    if (status != BP_OK) return fail(e, bp_status_text(status));
    e->pair_count = e->pairs.count;
    e->hash = hash_pairs(e->pairs.data, e->pairs.count);
    return true;
}

static bool step_between(entry *e, const step_boxes *boxes, step_times *times) {
    bp_stats stats = {0};
    e->config.stats = &stats;
    e->config.dimensions = boxes->dimensions;
    const double start = seconds_now();
    const bp_status status =
        bp_find_pairs_between(boxes->scene, boxes->count, boxes->others, boxes->other_count, &e->config, &e->pairs);
    if (!end_call(e, status, start, &stats, times)) return false;
    e->pair_count = e->pairs.count;
    e->hash = hash_pairs(e->pairs.data, e->pairs.count);
    return true;
}

static bool step_peer(entry *e, const step_boxes *boxes, step_times *times) {
    const double start = seconds_now();
    if (!e->state && !create_peer(e, boxes)) return false;
    if (boxes->points)
        e->peer->update_points(e->state, boxes->points);
    else
        e->peer->update(e->state, boxes->finite);
    const double updated = seconds_now();
    e->pairs.count = 0;
    e->peer->find(e->state, &e->pairs);
    const double end = seconds_now();
    *times = (step_times){updated - start, end - updated, end - start};
    if (e->peer->bytes) e->bytes = e->peer->bytes(e->state);
    e->pair_count = e->pairs.count;
    e->hash = hash_pairs(e->pairs.data, e->pairs.count);
    return true;
}

bool entry_step(entry *e, const step_boxes *boxes, bool counts) {
    step_times times = {0};
    if (e->anew) entry_destroy(e);
    if (!(e->peer         ? step_peer(e, boxes, &times)
          : e->neighbors  ? step_neighbors(e, boxes, &times)
          : e->one_call   ? step_call(e, boxes, &times)
          : boxes->others ? step_between(e, boxes, &times)
                          : step_ours(e, boxes, &times)))
        return false;
    e->last_seconds = times.total;
    if (counts && e->runs < MAX_RUNS) {
        e->update_ms[e->runs] = 1e3 * times.update;
        e->find_ms[e->runs] = 1e3 * times.find;
        e->total_ms[e->runs++] = 1e3 * times.total;
    }
    return true;
}

void entry_row(entry *e, const bench_case *c, size_t box_count, bench_row *row) {
    *row = (bench_row){.n = c->n, .threads = e->threads, .runs = e->runs};
    snprintf(row->scene, sizeof row->scene, "%s", case_label(c));
    snprintf(row->who, sizeof row->who, "%s", e->who);
    snprintf(row->method, sizeof row->method, "%s", e->method);
    snprintf(row->why, sizeof row->why, "%s", e->why);
    if (!e->runs) return;
    row_set_totals(row, e->total_ms, e->runs, 1);
    row->update_ms = median(e->update_ms, e->runs);
    row->find_ms = median(e->find_ms, e->runs);
    row->pairs = e->pair_count;
    row->hash = e->hash;
    row->bytes_per_object = (double)e->bytes / (double)box_count;
    row->tests = e->tests;
}
