// The suite `worst-mixtures`: two or three hostile scenes in one, each turned, scaled and put somewhere, in random shares, and
// shuffled. A search that is good for each of them need not be good for all at once. 4,000 of them, by a seed: one call each, and
// a world in which all objects move.
#include "suites/worst.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIXTURES = 4000, MEMBERS = 3, BOXES = 100000, ROUNDS = 3, VERIFY_EACH = 16, VERIFIED = 1200 };
enum { CALL, WORLD, USES };

static const char *const use_names[USES] = {"one call", "a world, all moving"};
static const double MOST_PAIRS = 20; // per object: those with more say little
static const double MOVES = 0.1;     // of their edges, in each step
static const double AGAIN = 0.5;     // a ratio beyond this share of what is promised is measured again

typedef struct mixtures {
    size_t n;
    uint64_t seed;
    hostile_boxes uniform;
    double worst[USES], logs[USES];
    size_t worst_at[USES], measured;
    bench_session *session;
} mixtures;

// ---- boxes ----------------------------------------------------------------------------------------------------------

// A scene of its own, named or drawn, in three dimensions and of one set.
static hostile_scene draw_member(rng *random) {
    hostile_scene member = {0};
    char why[HOSTILE_WHY];
    while (member.part_count == 0 || member.second || member.flat) {
        if (rng_below(random, 2)) {
            member = hostile_random(random);
            member.flat = 0;
        } else if (!hostile_parse(hostile_text(rng_below(random, (uint32_t)hostile_count())), &member, why)) {
            abort();
        }
    }
    return member;
}

// Appends `count` boxes of a member, somewhere and of any scale.
static void add_member(hostile_boxes *all, size_t count, rng *random) {
    const hostile_scene member = draw_member(random);
    const size_t turn = rng_below(random, 3), mirror = rng_below(random, 2);
    const double factor = rng_below(random, 2) ? 1 : exp2(rng_between(random, -12, 12));
    double at[3];
    const double far = rng_below(random, 2) ? 0 : exp2(rng_between(random, -4, 16));
    for (int axis = 0; axis < 3; axis++) at[axis] = rng_between(random, -far, far);
    hostile_boxes own;
    if (!hostile_build(&member, count, rng_next(random), &own)) abort();
    for (size_t i = 0; i < count; i++) {
        bp_box *box = &all->a[all->a_count++];
        for (size_t axis = 0; axis < 3; axis++) {
            const size_t from = mirror ? (5 - axis - turn) % 3 : (axis + turn) % 3;
            box->min[axis] = (float)(factor * (double)own.a[i].min[from] + at[axis]);
            box->max[axis] = (float)(factor * (double)own.a[i].max[from] + at[axis]);
        }
    }
    hostile_free(&own);
}

static double estimate_pairs(const hostile_boxes *all, rng *random) {
    enum { SAMPLE = 1500 };
    size_t hits = 0;
    for (int i = 0; i < SAMPLE; i++) {
        const bp_box *a = &all->a[rng_below(random, (uint32_t)all->a_count)];
        for (int k = 0; k < SAMPLE; k++) {
            const bp_box *b = &all->a[rng_below(random, (uint32_t)all->a_count)];
            hits += a != b && a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] &&
                    b->min[1] <= a->max[1] && a->min[2] <= b->max[2] && b->min[2] <= a->max[2];
        }
    }
    return 0.5 * (double)hits * ((double)all->a_count / SAMPLE) * ((double)all->a_count / SAMPLE);
}

// The mixture of a number: drawn until it has few enough pairs.
static hostile_boxes build_mixture(uint64_t seed, size_t index, size_t n) {
    rng random = rng_seeded(1000003 * (seed + 1) + index);
    hostile_boxes all = {.dimensions = 3, .a = malloc((n + 1) * sizeof *all.a)};
    if (!all.a) abort();
    do {
        const size_t members = 2 + rng_below(&random, MEMBERS - 1);
        double shares[MEMBERS], sum = 0;
        for (size_t i = 0; i < members; i++) sum += shares[i] = rng_between(&random, 0.02, 1);
        all.a_count = 0;
        for (size_t i = 0; i < members; i++)
            add_member(&all, i + 1 < members ? (size_t)((double)n * shares[i] / sum) : n - all.a_count, &random);
        all.pairs = estimate_pairs(&all, &random);
    } while (all.pairs > MOST_PAIRS * (double)n);
    for (size_t i = n; i-- > 1;) {
        const size_t other = rng_below(&random, (uint32_t)i + 1);
        const bp_box box = all.a[i];
        all.a[i] = all.a[other];
        all.a[other] = box;
    }
    return all;
}

// ---- one mixture ----------------------------------------------------------------------------------------------------

static double measure(mixtures *m, size_t index, size_t use, const hostile_boxes *boxes, size_t rounds,
                      bench_row rows[2]) {
    char label[NAME_SIZE];
    worst_result results[2];
    const double moves = use == WORLD ? MOVES : 0;
    const worst_contestant list[] = {
        {.who = OURS, .method = WORST_REFERENCE, .boxes = &m->uniform, .moves = moves},
        {.who = OURS, .method = "auto", .boxes = boxes, .moves = moves},
    };
    snprintf(label, sizeof label, "mixtures/%s-%llu-%zu", use == WORLD ? "world" : "call", (unsigned long long)m->seed,
             index + 1);
    worst_measure(list, 2, rounds, worst_limit(0, m->n), results);
    if (bench_interrupted) return 0;
    if (results[0].failed || results[1].failed || !results[0].rounds) {
        session_fail(m->session, "%s: a call failed", label);
        return 0;
    }
    for (size_t i = 0; i < 2; i++) worst_row(&list[i], &results[i], label, m->n, &rows[i]);
    const worst_figures figures = worst_compare(&rows[1], &rows[0]);
    return figures.more ? INFINITY : figures.time;
}

static void run_mixture(mixtures *m, size_t index) {
    hostile_boxes boxes = build_mixture(m->seed, index, m->n);
    for (size_t use = 0; use < USES; use++) {
        bench_row rows[2];
        double ratio = measure(m, index, use, &boxes, 1, rows);
        if (ratio > AGAIN * WORST_MIXTURE) ratio = measure(m, index, use, &boxes, ROUNDS, rows);
        if (ratio <= 0) continue;
        m->logs[use] += log(ratio);
        if (ratio <= m->worst[use]) continue;
        m->worst[use] = ratio;
        m->worst_at[use] = index + 1;
        rows_add(session_rows(m->session), &rows[0]);
        rows_add(session_rows(m->session), &rows[1]);
        printf("  %8.2f %10zu pairs  mixture %zu, %s: %s\n", ratio, rows[1].pairs, index + 1, use_names[use],
               rows[1].why);
        fflush(stdout);
    }
    hostile_free(&boxes);
    m->measured++;
    if (index % VERIFY_EACH) return;
    boxes = build_mixture(m->seed, index, VERIFIED);
    if (!worst_finds_all(&boxes))
        session_fail(m->session, "WRONG PAIRS: mixture %zu of seed %llu, %d boxes: auto and brute-force differ",
                     index + 1, (unsigned long long)m->seed, VERIFIED);
    hostile_free(&boxes);
}

void worst_mixtures_run(const bench_options *options, bench_session *session) {
    const double end = options->budget > 0 ? seconds_now() + options->budget : INFINITY;
    mixtures m = {.n = options->count_count ? options->counts[0] : BOXES,
                  .seed = options->seed ? options->seed : 1,
                  .session = session};
    m.uniform = worst_uniform_boxes(m.n);
    printf("\nEach new worst: time for each object and pair, beside that of uniform boxes\n");
    for (size_t i = 0; i < MIXTURES && seconds_now() < end && !bench_interrupted; i++) {
        meter_show("mixtures");
        run_mixture(&m, i);
    }
    session_keep(session);
    printf("\n%zu mixtures of %zu boxes, seed %llu\n", m.measured, m.n, (unsigned long long)m.seed);
    for (size_t use = 0; use < USES && m.measured; use++) {
        char what[NAME_SIZE];
        printf("  %s: geometric mean %.2f\n", use_names[use], exp(m.logs[use] / (double)m.measured));
        snprintf(what, sizeof what, "%s: time / uniform's (mixture %zu)", use_names[use], m.worst_at[use]);
        promise_at_most(stdout, what, m.worst[use], WORST_MIXTURE);
    }
    hostile_free(&m.uniform);
}
