// The suite `trace`: a user's own recording, replayed for all methods of ours and the packaged peers.
#include "core/bench.h"

#include "formats/recording.h"

#include <string.h>

enum { WARMUPS = 2, ONE_STEP_REPEATS = 7, BRUTE_FORCE_MAX = 20000 };

// The scene column: the file's name without folders and commas.
static void name_of(const char *path, char *label, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(label, size, "%s", slash ? slash + 1 : path);
    for (char *comma = strchr(label, ','); comma; comma = strchr(comma, ',')) *comma = '_';
}

static size_t at_most(size_t value, size_t limit) {
    return value < limit ? value : limit;
}

// All steps but the first, where objects begin, are replayed; the last ones are timed. A single step is not replayed,
// as nothing moves: every contestant starts again from it.
static void plan_steps(const bench_options *options, const recording *r, bench_case *c) {
    const size_t steps = r->step_count - 1;
    c->anew = steps == 0;
    c->repeats = options->repeats ? options->repeats : steps ? MAX_RUNS : ONE_STEP_REPEATS;
    c->warmups = options->warmups ? options->warmups : WARMUPS;
    if (c->anew) return;
    c->repeats = at_most(c->repeats, steps > c->warmups ? steps - c->warmups : 1);
    c->warmups = steps - c->repeats;
}

static bench_case make_case(const bench_options *options, const recording *r, const char *label) {
    static const char *const none[] = {NULL};
    bench_case c = {.recording = options->file, .label = label, .n = r->count, .weight = 1};
    plan_steps(options, r, &c);
    c.peers = r->has_absent ? none : NULL;
    c.limited_peers = c.all_methods = true;
    c.brute_force = r->count <= BRUTE_FORCE_MAX;
    return c;
}

static void replay(const bench_options *options, const bench_case *c, bench_session *session) {
    session_expect(session, c->weight);
    if (!session_wants(session, c->label, c->n, c->weight)) return;
    group_run(options, c, session_seconds_left(session), session);
    session_done(session);
}

void trace_run(const bench_options *options, bench_session *session) {
    recording r;
    failure why = {0};
    char label[NAME_SIZE];
    if (!recording_open(&r, options->file, &why)) {
        session_fail(session, "%s", why.text);
        return;
    }
    recording_close(&r);
    name_of(options->file, label, sizeof label);
    printf("%s: %zu step%s, %zu objects%s\n", label, r.step_count, r.step_count == 1 ? "" : "s", r.count,
           r.has_absent ? ", some absent in some steps: peers, which cannot add and remove, do not run" : "");
    const bench_case c = make_case(options, &r, label);
    replay(options, &c, session);
    table_summary(stdout, session_rows(session));
}
