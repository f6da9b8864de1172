// The suite `granular`: what a broad phase is in a simulation. Grains with friction are poured out (examples/granular) by
// contestants that differ in one thing: by how much the boxes are larger than the grains.
//
//     anew           so little that contacts are found again in nearly each step
//     margin=0.15    they last until a grain has moved by nearly that (a grain's radius is about 1), but more pairs of
//                    grains that do not touch are looked at in each step
//
// All take the same steps, in turns, a round of them each. Times are processor times of the thread for one step, medians of
// rounds. Margins change nothing: in the end all grains must have the same bits.
#include "core/bench.h"
#include "granular/contacts.h"
#include "granular/pour.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 50, WARMUP_ROUNDS = 40, ROUNDS = 11 }; // steps in a round; after 2,000 steps grains flow

static const struct {
    const char *name;
    double margin;
} ways[] = {
    {"anew", 0.001}, {"margin=0.05", 0.05}, {"margin=0.15", 0.15}, {"margin=0.3", 0.3}, {"margin=0.6", 0.6},
};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

typedef struct contestant {
    granular_pour pour;
    granular_contacts contacts;
    double step_ms[MAX_RUNS], find_ms[MAX_RUNS]; // of one step, for each round
    size_t searches;                             // in timed rounds
} contestant;

static bool begin(contestant *c, double margin, size_t n) {
    if (!granular_pour_begin(&c->pour, n)) return false;
    granular_contacts_begin(&c->contacts, NULL, margin);
    const bp_status status = granular_contacts_renew(&c->contacts, &c->pour.system);
    granular_find_forces(&c->pour.system);
    return status == BP_OK;
}

static void end(contestant *list) {
    for (size_t way = 0; way < WAY_COUNT; way++) {
        granular_contacts_end(&list[way].contacts);
        granular_pour_end(&list[way].pour);
    }
    free(list);
}

static bool take_round(contestant *c, size_t round) {
    const double start = thread_seconds(), searched = c->contacts.search_time;
    const size_t searches = c->contacts.searches;
    bool good = true;
    for (size_t step = 0; step < STEPS && good; step++) good = granular_step(&c->contacts, &c->pour.system) == BP_OK;
    c->step_ms[round] = 1e3 * (thread_seconds() - start) / STEPS;
    c->find_ms[round] = 1e3 * (c->contacts.search_time - searched) / STEPS;
    c->searches += c->contacts.searches - searches;
    return good;
}

static bool take_rounds(contestant *list, size_t rounds) {
    bool good = true;
    for (size_t way = 0; way < WAY_COUNT; way++) list[way].searches = 0;
    for (size_t round = 0; round < rounds && good && !bench_interrupted; round++)
        for (size_t way = 0; way < WAY_COUNT; way++) good &= take_round(&list[way], round);
    return good && !bench_interrupted;
}

static uint64_t hash_of(const granular_system *s) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s->grain_count; i++) {
        uint64_t words[sizeof(granular_grain) / sizeof(uint64_t)];
        memcpy(words, &s->grains[i], sizeof words);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) hash = (hash ^ words[k]) * 0x100000001b3u;
    }
    return hash;
}

static void verify(bench_session *session, size_t n, const contestant *list) {
    for (size_t way = 1; way < WAY_COUNT; way++) {
        if (hash_of(&list[way].pour.system) == hash_of(&list[0].pour.system)) continue;
        session_fail(session, "WRONG CONTACTS: %zu grains, %s: they are not where %s has them", n, ways[way].name,
                     ways[0].name);
    }
}

static bench_row row_of(contestant *c, const char *name, size_t rounds) {
    const granular_system *s = &c->pour.system;
    bench_row row = {.n = s->grain_count, .threads = 1, .runs = rounds, .pairs = s->touching, .hash = hash_of(s)};
    snprintf(row.scene, sizeof row.scene, "pour");
    snprintf(row.who, sizeof row.who, "%s", OURS);
    snprintf(row.method, sizeof row.method, "%s", name);
    row_set_totals(&row, c->step_ms, rounds, 1);
    row.find_ms = median(c->find_ms, rounds);
    row.update_ms = row.total_ms - row.find_ms;
    row.tests = s->contact_count;
    return row;
}

static void print_ways(bench_session *session, contestant *list, size_t rounds) {
    const granular_system *s = &list[0].pour.system;
    double anew = 0;
    printf("\npour, %zu grains, %zu contacts that touch\n", s->grain_count, s->touching);
    printf("  %-12s %10s %10s %11s %11s %10s   beside anew\n", "contacts", "step µs", "find µs", "find share",
           "steps/find", "looked at");
    for (size_t way = 0; way < WAY_COUNT; way++) {
        const bench_row row = row_of(&list[way], ways[way].name, rounds);
        const size_t searches = list[way].searches > 0 ? list[way].searches : 1;
        rows_add(session_rows(session), &row);
        if (way == 0) anew = row.total_ms;
        printf("  %-12s %9.1f %9.1f %9.1f %% %11.1f %10zu   ×%.2f\n", row.method, 1e3 * row.total_ms, 1e3 * row.find_ms,
               100 * row.find_ms / row.total_ms, (double)(rounds * STEPS) / (double)searches, (size_t)row.tests,
               row.total_ms / anew);
    }
    fflush(stdout);
}

static void pour_out(const bench_options *options, bench_session *session, size_t n) {
    const size_t wanted = options->repeats ? options->repeats : ROUNDS, warmups = options->warmups;
    const size_t rounds = wanted < MAX_RUNS ? wanted : MAX_RUNS;
    contestant *list = calloc(WAY_COUNT, sizeof *list);
    if (!list) abort();
    bool good = true;
    for (size_t way = 0; way < WAY_COUNT; way++) good &= begin(&list[way], ways[way].margin, n);
    good = good && take_rounds(list, warmups && warmups < MAX_RUNS ? warmups : WARMUP_ROUNDS);
    good = good && take_rounds(list, rounds);
    if (good) {
        verify(session, n, list);
        print_ways(session, list, rounds);
    } else if (!bench_interrupted) {
        session_fail(session, "pour, %zu grains: a step has failed", n);
    }
    end(list);
}

void granular_run(const bench_options *options, bench_session *session) {
    static const size_t usual[] = {2000, 20000, 0};
    const size_t *const counts = options->count_count ? options->counts : usual;
    for (const size_t *n = counts; *n; n++) session_expect(session, (double)*n);
    for (const size_t *n = counts; *n; n++) {
        if (!session_wants(session, "pour", *n, (double)*n)) continue;
        pour_out(options, session, *n);
        session_keep(session);
    }
}
