// The experiments of Gissler et al. that time the whole of collision handling: frame by frame while membranes pile up
// (Fig. 2), and for organs in contact (Fig. 3).
#include "suites/gissler.h"
#include "suites/handling.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
    FRAMES = 48,
    FRAMES_LEAST = 4, // with -n, for a quick run
    RUNS = 5,
    CONTACT_FRAMES = 13,
    CONTACT_WARMUPS = 2,
    MAX_HANDLERS = 32,
    MAX_FRAMES = 64
};

typedef struct wanted {
    const char *method;
    bp_config config;
    bool own_cells; // of the library's choice; else as long as the mean edge
    bool kept;      // see handler
    bool threads;   // also with several
} wanted;

#define FOOTPRINTS SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)

static const wanted piling[] = {
    {SERIAL_HASHING, {.method = BP_METHOD_SPATIAL_HASH}, false, false, false},
    {INDEX_SORT_FOOTPRINTS, {.method = BP_METHOD_COMPACT_GRID, FOOTPRINTS}, false, false, true},
    {SERIAL_HASHING KEPT, {.method = BP_METHOD_SPATIAL_HASH}, false, true, false},
    {INDEX_SORT_FOOTPRINTS KEPT, {.method = BP_METHOD_COMPACT_GRID, FOOTPRINTS}, false, true, true},
};

static const wanted touching[] = {
    {SERIAL_HASHING, {.method = BP_METHOD_SPATIAL_HASH}, false, false, true},
    {INDEX_SORT, {.method = BP_METHOD_COMPACT_GRID}, false, false, true},
    {INDEX_SORT_FOOTPRINTS, {.method = BP_METHOD_COMPACT_GRID, FOOTPRINTS}, false, false, true},
    {CUCKOO, {.method = BP_METHOD_CUCKOO_GRID}, false, false, true},
    {CUCKOO_FOOTPRINTS, {.method = BP_METHOD_CUCKOO_GRID, FOOTPRINTS}, false, false, true},
    {MAIN_METHOD, {.method = BP_METHOD_HIERARCHICAL_GRID}, true, false, true},
};

typedef struct handlers {
    handler list[MAX_HANDLERS];
    size_t count;
    handling_times times[MAX_HANDLERS][HANDLE_TESTS][MAX_FRAMES][RUNS];
} handlers;

static void add_handler(handlers *h, const wanted *w, float edge, int threads) {
    if (h->count == MAX_HANDLERS) return;
    handler *one = &h->list[h->count++];
    *one = (handler){.config = w->config, .threads = threads, .kept = w->kept};
    if (w->config.settings) one->settings = *w->config.settings;
    one->settings.cell_size = w->own_cells ? 0 : edge;
    snprintf(one->method, sizeof one->method, "%s", w->method);
}

static void add_handlers(handlers *h, const bench_options *options, const wanted *w, size_t count, float edge) {
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (size_t i = 0; i < count; i++) {
        add_handler(h, &w[i], edge, 1);
        if (w[i].threads && !options->thread_count && cores > 1) add_handler(h, &w[i], edge, cores);
        for (size_t k = 0; w[i].threads && k < options->thread_count; k++)
            if (options->threads[k] > 1) add_handler(h, &w[i], edge, options->threads[k]);
    }
}

// All contestants must find the same pairs; the exact test then writes the same collisions.
static void verify(const handlers *h, bench_session *session, const char *label) {
    for (size_t i = 1; i < h->count; i++)
        if (h->list[i].pair_count != h->list[0].pair_count || h->list[i].hash != h->list[0].hash)
            session_fail(session, "%s: %s on %d threads: %zu pairs; %s: %zu pairs", label, h->list[i].method,
                         h->list[i].threads, h->list[i].pair_count, h->list[0].method, h->list[0].pair_count);
}

static void run_test(handlers *h, bench_session *session, const char *label, const tissue *t, handling_test test,
                     size_t frame, size_t run) {
    meter_show(label);
    for (size_t i = 0; i < h->count && !bench_interrupted; i++) {
        const size_t who = (i + frame) % h->count; // in turns
        const bp_status status = handler_frame(&h->list[who], t, test, &h->times[who][test][frame][run]);
        if (status != BP_OK) session_fail(session, "%s: %s: %s", label, h->list[who].method, bp_status_text(status));
    }
    if (!bench_interrupted) verify(h, session, label);
}

static void open_handlers(handlers *h, bench_session *session, const char *label) {
    for (size_t i = 0; i < h->count; i++)
        if (handler_open(&h->list[i]) != BP_OK) session_fail(session, "%s: no threads", label);
}

static void close_handlers(handlers *h) {
    for (size_t i = 0; i < h->count; i++) handler_close(&h->list[i]);
}

// The row of some times; their medians.
static void add_times(bench_session *session, const char *label, size_t n, const handler *one, const double *update,
                      const double *find, size_t count) {
    double updates[MAX_FRAMES], finds[MAX_FRAMES], totals[MAX_FRAMES];
    bench_row row = {.n = n, .threads = one->threads, .runs = count, .pairs = one->pair_count, .hash = one->hash};
    for (size_t i = 0; i < count; i++) totals[i] = update[i] + find[i];
    memcpy(updates, update, count * sizeof *update);
    memcpy(finds, find, count * sizeof *find);
    snprintf(row.scene, sizeof row.scene, "%s", label);
    snprintf(row.who, sizeof row.who, "%s", OURS);
    snprintf(row.method, sizeof row.method, "%s", one->method);
    row_set_totals(&row, totals, count, 1);
    row.update_ms = median(updates, count);
    row.find_ms = median(finds, count);
    rows_add(session_rows(session), &row);
}

// ---- Fig. 2: frame by frame -----------------------------------------------------------------------------------------

// Of both tests together, and the median of the runs.
static void add_frame(bench_session *session, const handlers *h, size_t who, size_t n, size_t frame) {
    char label[NAME_SIZE];
    double update[RUNS], find[RUNS];
    snprintf(label, sizeof label, FRAME_SCENE, frame);
    for (size_t run = 0; run < RUNS; run++) {
        const handling_times *points = &h->times[who][HANDLE_POINTS][frame][run];
        const handling_times *edges = &h->times[who][HANDLE_EDGES][frame][run];
        update[run] = points->update_ms + edges->update_ms;
        find[run] = points->find_ms + edges->find_ms;
    }
    add_times(session, label, n, &h->list[who], update, find, RUNS);
}

static size_t element_count(const tissue *t) {
    size_t n = 0;
    for (int part = 0; part < TISSUE_PARTS; part++) n += tissue_count(t, (tissue_part)part);
    return n;
}

// In each run everybody begins anew, so that the first frame is a first one.
static void run_frames(const bench_options *options, bench_session *session, handlers *h) {
    char label[NAME_SIZE];
    tissue *t = tissue_create("stacking", 1, 0);
    const size_t n = element_count(t), frames = options->count_count ? FRAMES_LEAST : FRAMES;
    snprintf(label, sizeof label, FRAME_SCENE, (size_t)0);
    add_handlers(h, options, piling, sizeof piling / sizeof *piling, (float)tissue_edge_length(t));
    tissue_destroy(t);
    if (!session_wants(session, label, n, FRAMES_WEIGHT)) return;
    for (size_t run = 0; run < RUNS && !bench_interrupted; run++) {
        open_handlers(h, session, label);
        t = tissue_create("stacking", 1, 0);
        for (size_t frame = 0; frame < frames && !bench_interrupted; frame++) {
            tissue_stack(t, (double)frame / (double)(frames - 1));
            tissue_step(t);
            for (int test = 0; test < HANDLE_TESTS; test++)
                run_test(h, session, label, t, (handling_test)test, frame, run);
        }
        tissue_destroy(t);
        close_handlers(h);
    }
    for (size_t who = 0; who < h->count && !bench_interrupted; who++)
        for (size_t frame = 0; frame < frames; frame++) add_frame(session, h, who, n, frame);
    session_keep(session);
}

// ---- Fig. 3: organs in contact --------------------------------------------------------------------------------------

static void add_contact(bench_session *session, const handlers *h, size_t who, const char *label, size_t n,
                        handling_test test) {
    double update[MAX_FRAMES], find[MAX_FRAMES];
    size_t count = 0;
    for (size_t frame = CONTACT_WARMUPS; frame < CONTACT_FRAMES; frame++, count++) {
        update[count] = h->times[who][test][frame][0].update_ms;
        find[count] = h->times[who][test][frame][0].find_ms;
    }
    add_times(session, label, n, &h->list[who], update, find, count);
}

static void add_exact(bench_session *session, const handlers *h, const char *label, size_t n, handling_test test) {
    double exact[MAX_FRAMES];
    for (size_t frame = 0; frame < CONTACT_FRAMES; frame++) exact[frame] = h->times[0][test][frame][0].exact_ms;
    bench_row row = {.n = n, .threads = 1, .runs = CONTACT_FRAMES, .tests = h->list[0].found.count};
    snprintf(row.scene, sizeof row.scene, "%s", label);
    snprintf(row.who, sizeof row.who, "%s", OURS);
    snprintf(row.method, sizeof row.method, "%s", EXACT_TEST);
    row.total_ms = row.find_ms = median(exact, CONTACT_FRAMES);
    rows_add(session_rows(session), &row);
}

static void run_contact(const bench_options *options, bench_session *session, handlers *h, const char *name,
                        double stacked, handling_test test) {
    char label[NAME_SIZE];
    tissue *t = tissue_create(name, 1, stacked);
    const size_t n = element_count(t);
    snprintf(label, sizeof label, CONTACT_SCENE, name, handling_tests[test]);
    h->count = 0;
    add_handlers(h, options, touching, sizeof touching / sizeof *touching, (float)tissue_edge_length(t));
    if (session_wants(session, label, n, CONTACT_WEIGHT)) {
        open_handlers(h, session, label);
        for (size_t frame = 0; frame < CONTACT_FRAMES && !bench_interrupted; frame++) {
            tissue_step(t);
            run_test(h, session, label, t, test, frame, 0);
        }
        for (size_t who = 0; who < h->count && !bench_interrupted; who++) add_contact(session, h, who, label, n, test);
        if (!bench_interrupted) add_exact(session, h, label, n, test);
        close_handlers(h);
        session_done(session);
    }
    tissue_destroy(t);
}

void gissler_frames(const bench_options *options, bench_session *session) {
    static const struct {
        const char *name;
        double stacked;
    } scenes[CONTACT_SCENES] = {{"stacking", 1}, {"eye", 0}, {"skull", 0}};
    handlers *h = calloc(1, sizeof *h);
    if (!h) abort();
    if (options_ask_for(options, "frames")) run_frames(options, session, h);
    for (size_t i = 0; i < CONTACT_SCENES && options_ask_for(options, "contact"); i++)
        for (int test = 0; test < HANDLE_TESTS; test++)
            run_contact(options, session, h, scenes[i].name, scenes[i].stacked, (handling_test)test);
    free(h);
}
