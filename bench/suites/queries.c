// The suite `queries`: box and ray queries at random places of a scene, for a world of ours and for other libraries.
//
// All contestants get the same queries, in turns, a round at a time. Times are processor times of the thread. The best
// and the median round are printed; ratios compare the best. The last column beside ours is for questions in a batch: one
// call for many of them, of which the first are those that the others get.
#include "core/bench.h"
#include "core/boxes.h"
#include "peers/query_peer.h"

#include <random.h>

#include <math.h>
#include <string.h>

enum { CAPACITY = 1 << 20, MAX_ASKED = 8, MOST_QUESTIONS = 100000, ROUNDS = 5 };

typedef enum question_kind { KIND_BOX, KIND_RAY, KIND_FIRST, KIND_NEAREST } question_kind;

typedef struct query_question {
    bp_box box;
    bp_ray ray;
} query_question;

// A kind of query. Lengths are in units of the mean edge of the objects; 0: through the whole scene.
static const struct {
    const char *name;
    question_kind kind;
    double length;
    size_t k;    // nearest: how many
    size_t each; // questions one by one
    size_t many; // questions at once
} kinds[] = {
    {"box-1", KIND_BOX, 1, 0, 4000, MOST_QUESTIONS},
    {"box-3", KIND_BOX, 3, 0, 2000, MOST_QUESTIONS},
    {"box-10", KIND_BOX, 10, 0, 300, 20000},
    {"ray-5", KIND_RAY, 5, 0, 3000, MOST_QUESTIONS},
    {"ray-20", KIND_RAY, 20, 0, 1500, MOST_QUESTIONS},
    {"ray-through", KIND_RAY, 0, 0, 200, 20000},
    {"first-hit", KIND_FIRST, 0, 0, 2000, MOST_QUESTIONS},
    {"nearest-1", KIND_NEAREST, 0, 1, 3000, MOST_QUESTIONS},
    {"nearest-10", KIND_NEAREST, 0, 10, 1000, MOST_QUESTIONS},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// A contestant.
typedef struct asked {
    const bench_query_peer *peer; // NULL: ours
    void *state;
    bp_world *world;
    bool is_batch; // all questions at once
    double rounds[ROUNDS];
    size_t hits;   // in all rounds, of the questions that all get
    uint64_t hash; // of all ids
} asked;

typedef struct quiz {
    const char *scene;
    size_t n;
    const bp_box *boxes;
    size_t count;
    bp_box bounds; // of the finite ones
    double edge;   // mean
    rng random;
    asked asked[MAX_ASKED];
    size_t asked_count;
    query_question *questions;
    bp_box *question_boxes; // the same as arrays
    bp_ray *question_rays;
    float *question_points;
    bp_answers answers;
    bp_id *ids;
    bp_ray_hit *hits;
    bench_session *session;
} quiz;

// ---- questions ------------------------------------------------------------------------------------------------------

static void measure_scene(quiz *q, const bp_box *boxes, size_t count) {
    double sum = 0;
    q->bounds = boxes[0];
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            q->bounds.min[axis] = fminf(q->bounds.min[axis], boxes[i].min[axis]);
            q->bounds.max[axis] = fmaxf(q->bounds.max[axis], boxes[i].max[axis]);
            sum += (double)(boxes[i].max[axis] - boxes[i].min[axis]);
        }
    q->edge = sum / (3.0 * (double)count);
}

static float draw_between(quiz *q, float low, float high) {
    return (float)rng_between(&q->random, (double)low, (double)high);
}

static bp_box draw_box(quiz *q, double edge) {
    bp_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.min[axis] = draw_between(q, q->bounds.min[axis], q->bounds.max[axis]) - (float)(0.5 * edge);
        box.max[axis] = box.min[axis] + (float)edge;
    }
    return box;
}

// From anywhere, in any direction.
static bp_ray draw_ray(quiz *q, double length) {
    bp_ray ray = {.max_t = (float)length};
    double direction[3];
    rng_direction(&q->random, 3, direction);
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = draw_between(q, q->bounds.min[axis], q->bounds.max[axis]);
        ray.direction[axis] = (float)direction[axis];
    }
    return ray;
}

// From a point of one side of the scene to a point of the opposite one.
static bp_ray draw_ray_through(quiz *q) {
    bp_ray ray;
    float end[3];
    double length = 0;
    const uint32_t across = rng_below(&q->random, 3);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const float low = q->bounds.min[axis], high = q->bounds.max[axis];
        ray.origin[axis] = axis == across ? low : draw_between(q, low, high);
        end[axis] = axis == across ? high : draw_between(q, low, high);
        length += pow((double)(end[axis] - ray.origin[axis]), 2);
    }
    ray.max_t = (float)sqrt(length);
    for (int axis = 0; axis < 3; axis++) ray.direction[axis] = (end[axis] - ray.origin[axis]) / ray.max_t;
    return ray;
}

static void draw_questions(quiz *q, size_t kind) {
    for (size_t i = 0; i < kinds[kind].many; i++) {
        q->questions[i].box = draw_box(q, kinds[kind].kind == KIND_BOX ? kinds[kind].length * q->edge : 0);
        q->questions[i].ray = kinds[kind].length > 0 ? draw_ray(q, kinds[kind].length * q->edge) : draw_ray_through(q);
        q->question_boxes[i] = q->questions[i].box;
        q->question_rays[i] = q->questions[i].ray;
        memcpy(q->question_points + 3 * i, q->questions[i].box.min, sizeof q->questions[i].box.min);
    }
}

// ---- asking ---------------------------------------------------------------------------------------------------------

static size_t ask_ours(const quiz *q, const asked *a, size_t kind, const query_question *question) {
    bp_near near[16];
    size_t found = 0;
    bp_status status = BP_OK;
    switch (kinds[kind].kind) {
    case KIND_BOX: status = bp_query_box(a->world, &question->box, NULL, q->ids, CAPACITY, &found); break;
    case KIND_RAY:
        status = bp_query_ray(a->world, &question->ray, NULL, q->hits, CAPACITY, &found);
        for (size_t i = 0; i < found; i++) q->ids[i] = q->hits[i].id;
        break;
    case KIND_FIRST:
        status = bp_query_ray(a->world, &question->ray, NULL, q->hits, 1, NULL);
        q->ids[0] = q->hits[0].id;
        found = q->ids[0] != BP_NO_ID;
        break;
    case KIND_NEAREST:
        status = bp_query_nearest(a->world, question->box.min, kinds[kind].k, NULL, near, &found);
        for (size_t i = 0; i < found; i++) q->ids[i] = near[i].id;
        break;
    }
    return status == BP_OK ? found : 0;
}

static size_t ask_one(const quiz *q, const asked *a, size_t kind, const query_question *question) {
    if (!a->peer) return ask_ours(q, a, kind, question);
    if (kinds[kind].kind == KIND_BOX) return a->peer->box(a->state, &question->box, q->ids, CAPACITY);
    if (kinds[kind].kind == KIND_RAY) return a->peer->ray(a->state, &question->ray, q->ids, CAPACITY);
    bp_ray_hit hit;
    const size_t found = a->peer->first(a->state, &question->ray, &hit);
    q->ids[0] = hit.id;
    return found;
}

static uint64_t hash_ids(const bp_id *ids, size_t count, size_t question) {
    uint64_t hash = 0;
    for (size_t k = 0; k < count; k++) hash += (uint64_t)ids[k] * 0x9e3779b97f4a7c15u + question;
    return hash;
}

static bp_status ask_many(quiz *q, const asked *a, size_t kind) {
    const size_t count = kinds[kind].many;
    switch (kinds[kind].kind) {
    case KIND_BOX: return bp_query_boxes(a->world, count, q->question_boxes, NULL, &q->answers);
    case KIND_RAY: return bp_query_rays(a->world, count, q->question_rays, 0, NULL, &q->answers);
    case KIND_FIRST: return bp_query_rays(a->world, count, q->question_rays, 1, NULL, &q->answers);
    case KIND_NEAREST:
    default: return bp_query_nearest_many(a->world, count, q->question_points, kinds[kind].k, NULL, &q->answers);
    }
}

static void ask_batch(quiz *q, asked *a, size_t kind, size_t round) {
    const double start = thread_seconds();
    const bp_status status = ask_many(q, a, kind);
    a->rounds[round] = (thread_seconds() - start) / (double)kinds[kind].many;
    if (status != BP_OK) session_fail(q->session, "%s: %s", kinds[kind].name, bp_status_text(status));
    for (size_t i = 0; i < kinds[kind].each && status == BP_OK; i++) {
        const size_t begin = q->answers.offsets[i], found = q->answers.offsets[i + 1] - begin;
        a->hits += found;
        a->hash += hash_ids(q->answers.ids + begin, found, i);
    }
}

// Timed once, then repeated to collect the results.
static void ask_each(quiz *q, asked *a, size_t kind, size_t round) {
    const double start = thread_seconds();
    for (size_t i = 0; i < kinds[kind].each; i++) (void)ask_one(q, a, kind, &q->questions[i]);
    a->rounds[round] = (thread_seconds() - start) / (double)kinds[kind].each;
    for (size_t i = 0; i < kinds[kind].each; i++) {
        const size_t found = ask_one(q, a, kind, &q->questions[i]);
        a->hits += found;
        a->hash += hash_ids(q->ids, found < CAPACITY ? found : CAPACITY, i);
    }
}

// Whether a contestant gets questions of this kind: only we answer all of them.
static bool takes_part(const asked *a, size_t kind) {
    if (!a->peer) return true;
    switch (kinds[kind].kind) {
    case KIND_BOX: return a->peer->box != NULL;
    case KIND_RAY: return a->peer->ray != NULL;
    case KIND_FIRST: return a->peer->first != NULL;
    case KIND_NEAREST:
    default: return false;
    }
}

static const char *method_of(const asked *a) {
    return a->peer ? a->peer->method : a->is_batch ? MAIN_METHOD "/batch" : MAIN_METHOD;
}

// Batches and boxes must agree exactly, rays of peers in all but one hit of a thousand.
static void verify(const quiz *q, size_t kind) {
    const asked *ours = &q->asked[0];
    for (size_t i = 1; i < q->asked_count; i++) {
        const asked *a = &q->asked[i];
        if (!takes_part(a, kind)) continue;
        const double difference = fabs((double)a->hits - (double)ours->hits);
        const bool exact = !a->peer || kinds[kind].kind == KIND_BOX;
        const bool same =
            exact ? a->hits == ours->hits && a->hash == ours->hash : difference <= 1e-3 * (double)ours->hits;
        if (same) continue;
        session_fail(q->session, "WRONG HITS: %s, %s, %zu objects: %zu; %s %s: %zu", kinds[kind].name, q->scene, q->n,
                     ours->hits, a->peer ? a->peer->who : OURS, method_of(a), a->hits);
    }
}

// ---- showing --------------------------------------------------------------------------------------------------------

static void print_kind(quiz *q, size_t kind) {
    double best = 0;
    for (size_t i = 0; i < q->asked_count; i++) {
        asked *a = &q->asked[i];
        if (!takes_part(a, kind)) continue;
        const double asked_count = (double)(ROUNDS * kinds[kind].each);
        bench_row row = {.n = q->n, .threads = 1, .runs = ROUNDS, .pairs = a->hits, .hash = a->hash};
        row_set_totals(&row, a->rounds, ROUNDS, 1e3);
        row.find_ms = row.total_ms;
        best = i == 0 ? row.best_ms : best;
        snprintf(row.scene, sizeof row.scene, "%s", q->scene);
        snprintf(row.who, sizeof row.who, "%s", a->peer ? a->peer->who : OURS);
        snprintf(row.method, sizeof row.method, "%s/%s", method_of(a), kinds[kind].name);
        printf("  %-12s %-11s %-24s %10.3f %10.3f %10.1f", i == 0 ? kinds[kind].name : "", row.who, method_of(a),
               1e3 * row.best_ms, 1e3 * row.total_ms, (double)a->hits / asked_count);
        if (i > 0) printf("   ×%.2f", row.best_ms / best);
        putchar('\n');
        rows_add(session_rows(q->session), &row);
    }
    fflush(stdout);
}

// ---- all together ---------------------------------------------------------------------------------------------------

static bool create_all(quiz *q, const bench_options *options) {
    const bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID};
    asked *ours = &q->asked[q->asked_count++];
    bp_status status = bp_world_create(&config, &ours->world);
    if (status == BP_OK) status = bp_add_many(ours->world, q->count, q->boxes, NULL, NULL);
    if (status == BP_OK) status = bp_update(ours->world, NULL);
    q->asked[q->asked_count++] = (asked){.world = ours->world, .is_batch = true};
    for (size_t library = 0; library < BENCH_QUERY_LIBRARIES; library++)
        for (const bench_query_peer *peer = bench_query_peers[library]; peer && peer->who; peer++) {
            if (!options_have_library(options, peer->who) || q->asked_count == MAX_ASKED) continue;
            meter_show(peer->note);
            asked *a = &q->asked[q->asked_count++];
            a->peer = peer;
            a->state = peer->create(q->boxes, q->count);
            if (!a->state) status = BP_ERROR_MEMORY;
        }
    if (status != BP_OK) session_fail(q->session, "queries, %s: %s", q->scene, bp_status_text(status));
    return status == BP_OK;
}

static void ask_all(quiz *q) {
    printf("\n%s, %zu objects\n  %-12s %-11s %-24s %10s %10s %10s   beside ours\n", q->scene, q->n, "question", "who",
           "method", "best µs", "median µs", "hits");
    for (size_t kind = 0; kind < KIND_COUNT && !bench_interrupted; kind++) {
        meter_show(kinds[kind].name);
        for (size_t i = 0; i < q->asked_count; i++) q->asked[i].hits = q->asked[i].hash = 0;
        for (size_t round = 0; round < ROUNDS; round++) {
            draw_questions(q, kind);
            for (size_t i = 0; i < q->asked_count; i++)
                if (takes_part(&q->asked[i], kind))
                    (q->asked[i].is_batch ? ask_batch : ask_each)(q, &q->asked[i], kind, round);
        }
        verify(q, kind);
        print_kind(q, kind);
    }
}

static void destroy_all(quiz *q) {
    bp_answers_free(&q->answers, NULL);
    for (size_t i = 0; i < q->asked_count; i++) {
        if (!q->asked[i].is_batch) bp_world_destroy(q->asked[i].world);
        if (q->asked[i].state) q->asked[i].peer->destroy(q->asked[i].state);
    }
}

// Only the finite boxes of a scene take part.
static void run_scene(const bench_options *options, bench_session *session, const char *name, size_t n) {
    const char *error = NULL;
    const scene_options wanted = {.count = n};
    scene *s = scene_create(name, &wanted, &error);
    if (!s) {
        session_fail(session, "scene %s: %s", name, error);
        return;
    }
    quiz q = {.scene = name, .n = n, .boxes = scene_boxes(s), .count = scene_finite_count(s), .session = session};
    q.random = rng_seeded(7);
    q.questions = malloc(MOST_QUESTIONS * sizeof *q.questions);
    q.question_boxes = malloc(MOST_QUESTIONS * sizeof *q.question_boxes);
    q.question_rays = malloc(MOST_QUESTIONS * sizeof *q.question_rays);
    q.question_points = malloc(3 * MOST_QUESTIONS * sizeof *q.question_points);
    q.ids = malloc(CAPACITY * sizeof *q.ids);
    q.hits = malloc(CAPACITY * sizeof *q.hits);
    if (!q.questions || !q.question_boxes || !q.question_rays || !q.question_points || !q.ids || !q.hits) abort();
    measure_scene(&q, q.boxes, q.count);
    if (create_all(&q, options)) ask_all(&q);
    destroy_all(&q);
    free(q.questions);
    free(q.question_boxes);
    free(q.question_rays);
    free(q.question_points);
    free(q.ids);
    free(q.hits);
    scene_destroy(s);
}

void queries_run(const bench_options *options, bench_session *session) {
    static const char *const usual_scenes[] = {"uniform", NULL};
    static const size_t usual_counts[] = {100000, 1000000, 0};
    const char *const *const scenes = options->scene_count ? options->scenes : usual_scenes;
    const size_t *const counts = options->count_count ? options->counts : usual_counts;
    for (const char *const *name = scenes; *name; name++)
        for (const size_t *n = counts; *n; n++) session_expect(session, (double)*n);
    for (const char *const *name = scenes; *name; name++)
        for (const size_t *n = counts; *n; n++) {
            if (!session_wants(session, *name, *n, (double)*n)) continue;
            run_scene(options, session, *name, *n);
            session_keep(session);
        }
}
