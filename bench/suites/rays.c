// The suite `rays`: the first hit of many rays in boxes that rest, for a world of ours and for Embree.
//
// Unit cubes, half of a cube in a unit of volume (dense) or one in 250 (sparse), and cubes of edges from 1 to 12 (mixed); rays from
// anywhere among them, in any direction. Each round asks all rays, one by one and, ours, in a batch. Times are processor times of
// the thread. Ratios are of medians. What is built counts in a column of its own: for us a world with all boxes and its first batch,
// for Embree a scene and all rays one by one.
#include "core/bench.h"
#include "core/boxes.h"
#include "peers/query_peer.h"

#include <random.h>

#include <math.h>
#include <string.h>

enum { RAYS = 100000, ROUNDS = 7, BUILDS = 3 };

static const struct {
    const char *name, *scene;
    double pairs_per_object;
} layouts[] = {{"dense", "uniform", 2}, {"sparse", "uniform", 0.016}, {"mixed", "mixed", 0}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

const char *const rays_parts[] = {"dense", "sparse", "mixed", NULL};

typedef enum contestant { SINGLE, BATCH, EMBREE, CONTESTANTS } contestant;

typedef struct race {
    const bp_box *boxes;
    size_t count;
    bp_ray *rays;
    bp_world *world;
    bp_answers answers;
    const bench_query_peer *peer; // NULL: not built, or left out
    void *state;
    double seconds[CONTESTANTS][ROUNDS];
    double first[2][BUILDS]; // with building: ours in a batch, the peer's
    size_t hits[CONTESTANTS];
    double sum[CONTESTANTS]; // of all t
    uint64_t hash[CONTESTANTS];
} race;

static void draw_rays(race *r) {
    rng random = rng_seeded(11);
    bp_box bounds = r->boxes[0];
    double square = 0;
    for (size_t i = 0; i < r->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            bounds.min[axis] = fminf(bounds.min[axis], r->boxes[i].min[axis]);
            bounds.max[axis] = fmaxf(bounds.max[axis], r->boxes[i].max[axis]);
        }
    for (int axis = 0; axis < 3; axis++) square += pow((double)bounds.max[axis] - (double)bounds.min[axis], 2);
    for (size_t i = 0; i < RAYS; i++) {
        double direction[3];
        rng_direction(&random, 3, direction);
        r->rays[i].max_t = (float)sqrt(square);
        for (int axis = 0; axis < 3; axis++) {
            r->rays[i].origin[axis] = (float)rng_between(&random, (double)bounds.min[axis], (double)bounds.max[axis]);
            r->rays[i].direction[axis] = (float)direction[axis];
        }
    }
}

static void note(race *r, contestant who, size_t ray, bp_ray_hit hit) {
    r->hits[who]++;
    r->sum[who] += (double)hit.t;
    r->hash[who] += ((uint64_t)hit.id + 1) * 0x9e3779b97f4a7c15u * (ray + 1);
}

// ---- asking ---------------------------------------------------------------------------------------------------------

static void ask_singly(race *r) {
    for (size_t i = 0; i < RAYS; i++) {
        bp_ray_hit hit;
        (void)bp_query_ray(r->world, &r->rays[i], NULL, &hit, 1, NULL);
        if (hit.id != BP_NO_ID) note(r, SINGLE, i, hit);
    }
}

static void ask_together(race *r) {
    const bp_answers *a = &r->answers;
    if (bp_query_rays(r->world, RAYS, r->rays, 1, NULL, &r->answers) != BP_OK) return; // no hits, which is noticed
    for (size_t i = 0; i < RAYS; i++)
        for (size_t k = a->offsets[i]; k < a->offsets[i + 1]; k++)
            note(r, BATCH, i, (bp_ray_hit){a->ids[k], a->values[k]});
}

static void ask_peer(race *r) {
    for (size_t i = 0; i < RAYS; i++) {
        bp_ray_hit hit;
        if (r->peer->first(r->state, &r->rays[i], &hit)) note(r, EMBREE, i, hit);
    }
}

static void (*const ask[CONTESTANTS])(race *r) = {ask_singly, ask_together, ask_peer};

static void forget(race *r, contestant who) {
    r->hits[who] = 0;
    r->hash[who] = 0;
    r->sum[who] = 0;
}

static bool create_world(race *r) {
    const bp_config config = {0};
    return bp_world_create(&config, &r->world) == BP_OK &&
           bp_add_many(r->world, r->count, r->boxes, NULL, NULL) == BP_OK;
}

static bool build(race *r) {
    for (size_t i = 0; i < BUILDS; i++) {
        bp_world_destroy(r->world);
        if (r->peer && r->state) r->peer->destroy(r->state);
        forget(r, BATCH);
        forget(r, EMBREE);
        double start = thread_seconds();
        if (!create_world(r)) return false;
        ask_together(r);
        r->first[0][i] = thread_seconds() - start;
        start = thread_seconds();
        if (r->peer) {
            r->state = r->peer->create(r->boxes, r->count);
            if (!r->state) return false;
            ask_peer(r);
            r->first[1][i] = thread_seconds() - start;
        }
    }
    return true;
}

// ---- all together ---------------------------------------------------------------------------------------------------

// Ours must agree exactly; of the peer's hits, which are computed with floats, one in a thousand may differ.
static void verify(const race *r, const char *name, bench_session *session) {
    const bool batch = r->hits[BATCH] == r->hits[SINGLE] && r->hash[BATCH] == r->hash[SINGLE];
    const double more = fabs((double)r->hits[EMBREE] - (double)r->hits[SINGLE]);
    const bool peer =
        !r->peer || (more <= 1e-3 * RAYS && fabs(r->sum[EMBREE] - r->sum[SINGLE]) <= 1e-3 * r->sum[SINGLE]);
    if (!batch || !peer || r->hits[SINGLE] == 0)
        session_fail(session, "WRONG HITS: %s, %zu boxes: %zu, in a batch %zu, embree %zu", name, r->count,
                     r->hits[SINGLE], r->hits[BATCH], r->hits[EMBREE]);
}

static void add_row(const race *r, const char *name, const char *method, const char *who, contestant hits, double *runs,
                    size_t count, bench_session *session) {
    bench_row row = {.n = r->count, .threads = 1, .runs = count, .pairs = r->hits[hits], .hash = r->hash[hits]};
    row.spread = spread_of(runs, count);
    row.find_ms = row.total_ms = 1e3 * median(runs, count);
    row.best_ms = 1e3 * runs[0];
    snprintf(row.scene, sizeof row.scene, "%s", name);
    snprintf(row.who, sizeof row.who, "%s", who);
    snprintf(row.method, sizeof row.method, "%s", method);
    rows_add(session_rows(session), &row);
}

static void show(race *r, const char *name, bench_session *session) {
    const double each = 1e9 / RAYS, single = each * median(r->seconds[SINGLE], ROUNDS);
    const double batch = each * median(r->seconds[BATCH], ROUNDS), built = 1e3 * median(r->first[0], BUILDS);
    add_row(r, name, "world/single", OURS, SINGLE, r->seconds[SINGLE], ROUNDS, session);
    add_row(r, name, "world/batch", OURS, BATCH, r->seconds[BATCH], ROUNDS, session);
    add_row(r, name, "world/batch/built", OURS, BATCH, r->first[0], BUILDS, session);
    printf("%-8s %8zu %6.0f %6.0f %8.1f", name, r->count, single, batch, built);
    if (r->peer) {
        const double peer = each * median(r->seconds[EMBREE], ROUNDS), peer_built = 1e3 * median(r->first[1], BUILDS);
        add_row(r, name, "bvh/single", r->peer->who, EMBREE, r->seconds[EMBREE], ROUNDS, session);
        add_row(r, name, "bvh/single/built", r->peer->who, EMBREE, r->first[1], BUILDS, session);
        printf(" %8.0f %8.1f   ×%.2f  ×%.2f  ×%.2f", peer, peer_built, peer / single, peer / batch, peer_built / built);
    }
    printf("   %zu\n", r->hits[SINGLE]);
    fflush(stdout);
}

static void run_race(race *r, const char *name, bench_session *session) {
    if (!build(r) || bp_update(r->world, NULL) != BP_OK) {
        session_fail(session, "rays, %s: %s", name, bp_status_text(BP_ERROR_MEMORY));
        return;
    }
    for (size_t round = 0; round < ROUNDS && !bench_interrupted; round++)
        for (contestant who = SINGLE; who < CONTESTANTS; who++) {
            if (who == EMBREE && !r->peer) continue;
            forget(r, who);
            const double start = thread_seconds();
            ask[who](r);
            r->seconds[who][round] = thread_seconds() - start;
        }
    verify(r, name, session);
    show(r, name, session);
}

static const bench_query_peer *find_peer(const bench_options *options) {
    for (size_t library = 0; library < BENCH_QUERY_LIBRARIES; library++)
        for (const bench_query_peer *peer = bench_query_peers[library]; peer && peer->who; peer++)
            if (peer->first && options_have_library(options, peer->who)) return peer;
    return NULL;
}

static void run_layout(const bench_options *options, bench_session *session, size_t layout, size_t n) {
    const char *error = NULL;
    const scene_options wanted = {.count = n, .pairs_per_object = layouts[layout].pairs_per_object};
    scene *s = scene_create(layouts[layout].scene, &wanted, &error);
    race r = {.peer = find_peer(options)};
    r.rays = malloc(RAYS * sizeof *r.rays);
    if (s && r.rays) {
        r.boxes = scene_boxes(s);
        r.count = scene_finite_count(s);
        draw_rays(&r);
        run_race(&r, layouts[layout].name, session);
    } else {
        session_fail(session, "scene %s: %s", layouts[layout].name, error ? error : "out of memory");
    }
    bp_world_destroy(r.world);
    bp_answers_free(&r.answers, NULL);
    if (r.state) r.peer->destroy(r.state);
    free(r.rays);
    scene_destroy(s);
}

void rays_run(const bench_options *options, bench_session *session) {
    static const size_t usual_counts[] = {10000, 100000, 1000000, 0};
    const size_t *const counts = options->count_count ? options->counts : usual_counts;
    printf("\nns a ray, and ms with building for %d rays; how many times as long Embree takes\n", RAYS);
    printf("%-8s %8s %6s %6s %8s %8s %8s   %s\n", "scene", "boxes", "single", "batch", "built", "embree", "built",
           "single batch built   hits");
    for (size_t layout = 0; layout < LAYOUTS; layout++)
        for (const size_t *n = counts; *n && options_ask_for(options, layouts[layout].name); n++)
            session_expect(session, (double)*n);
    for (size_t layout = 0; layout < LAYOUTS; layout++)
        for (const size_t *n = counts; *n && options_ask_for(options, layouts[layout].name); n++) {
            if (!session_wants(session, layouts[layout].name, *n, (double)*n)) continue;
            run_layout(options, session, layout, *n);
            session_keep(session);
        }
}
