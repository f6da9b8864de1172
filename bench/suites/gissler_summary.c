// The results, each beside the figure of Gissler et al. What was not measured is not shown.
#include "suites/gissler.h"

#include <math.h>
#include <string.h>

static const bench_row *find_row(const bench_rows *rows, const char *label, const char *method, int threads) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (row->runs && row_is_ours(row) && row->threads == threads && !strcmp(row->scene, label) &&
            !strcmp(row->method, method))
            return row;
    }
    return NULL;
}

// The row with the most threads; NULL if all rows have one thread.
static const bench_row *find_row_with_most_threads(const bench_rows *rows, const char *label, const char *method) {
    const bench_row *best = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        const bool same = row->runs && row_is_ours(row) && !strcmp(row->scene, label) && !strcmp(row->method, method);
        if (same && row->threads > 1 && (!best || row->threads > best->threads)) best = row;
    }
    return best;
}

// ---- Table 1 --------------------------------------------------------------------------------------------------------

static void print_sizes(bench_session *session) {
    static const char *const names[] = {"stacking", "eye", "skull"};
    static const char *const parts[TISSUE_PARTS] = {"points", "edges", "triangles", "tetrahedra"};
    printf("\nThe scenes beside Table 1: ours / Gissler et al.\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tissue *t = tissue_create(names[i], 1, 1);
        double worst = 0;
        printf("  %-9s", names[i]);
        for (int part = 0; part < TISSUE_PARTS; part++) {
            const size_t own = tissue_count(t, (tissue_part)part);
            const size_t paper = tissue_paper_count(names[i], (tissue_part)part);
            printf("  %s %zu / %zu", parts[part], own, paper);
            worst = fmax(worst, fabs((double)own / (double)paper - 1));
        }
        putchar('\n');
        if (worst > 0.05) session_fail(session, "%s: %.0f %% off the size in Gissler et al.", names[i], 100 * worst);
        tissue_destroy(t);
    }
}

// ---- index sort beside hashing --------------------------------------------------------------------------------------

static void print_beside_index_sort(const bench_rows *rows, const char *label, const char *method) {
    const bench_row *own = find_row(rows, label, INDEX_SORT, 1), *other = find_row(rows, label, method, 1);
    if (own && other)
        printf("  %-38s %-23s %8.2f %8.2f %8.2f\n", label, method, other->update_ms / own->update_ms,
               other->find_ms / own->find_ms, other->total_ms / own->total_ms);
}

static void print_hashing(const bench_rows *rows) {
    static const char *const scenes[] = {"tetrahedra-points/stacking stacked=0",
                                         "tetrahedra-points/stacking stacked=1",
                                         "edges-triangles/stacking stacked=0",
                                         "edges-triangles/stacking stacked=1",
                                         "tetrahedra-points/eye",
                                         "edges-triangles/eye",
                                         "tetrahedra-points/skull",
                                         "edges-triangles/skull"};
    printf("\nTimes over those of index sort (%s), one thread\n  %-38s %-23s %8s %8s %8s\n", INDEX_SORT, "", "",
           "update", "find", "total");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        print_beside_index_sort(rows, scenes[i], SERIAL_HASHING);
        print_beside_index_sort(rows, scenes[i], CUCKOO);
        print_beside_index_sort(rows, scenes[i], MAIN_METHOD);
    }
    printf("  Gissler et al.: serial hashing updates slower even on one core, and queries faster on one core (Fig. 2, "
           "stacking);\n"
           "  cuckoo hashing inserts points slower, and many edges faster (Fig. 3, eye).\n");
}

// ---- collisions, with the exact test --------------------------------------------------------------------------------

static void print_contact(const bench_rows *rows, const char *label) {
    static const char *const methods[] = {SERIAL_HASHING, INDEX_SORT_FOOTPRINTS, CUCKOO_FOOTPRINTS, CUCKOO,
                                          MAIN_METHOD};
    const bench_row *own = find_row(rows, label, INDEX_SORT, 1), *exact = find_row(rows, label, EXACT_TEST, 1);
    for (size_t i = 0; own && exact && i < sizeof methods / sizeof *methods; i++) {
        const bench_row *row = find_row(rows, label, methods[i], 1);
        if (row)
            printf("  %-28s %-42s %8.2f %8.2f %8.2f %8.0f %%\n", label, methods[i], row->update_ms / own->update_ms,
                   row->find_ms / own->find_ms, row->total_ms / own->total_ms, 100 * exact->total_ms / row->total_ms);
    }
}

static void print_contacts(const bench_rows *rows) {
    static const char *const names[] = {"stacking", "eye", "skull"}, *const tests[] = {"points", "edges"};
    char label[NAME_SIZE];
    printf("\nCollision handling, over index sort with each primitive in one cell (%s), one thread\n"
           "  %-28s %-42s %8s %8s %8s %10s\n",
           INDEX_SORT, "", "", "update", "find", "total", "exact test");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof tests / sizeof *tests; k++) {
            snprintf(label, sizeof label, CONTACT_SCENE, names[i], tests[k]);
            print_contact(rows, label);
        }
    printf("  Gissler et al.: index sort inserts points faster than cuckoo hashing, and the footprints of many edges "
           "slower (Fig. 3).\n");
}

// Times in the first frame, and the medians of the others' first and second halves.
static void print_frames(const bench_rows *rows, const char *method) {
    char label[NAME_SIZE];
    double halves[2][64], first = 0;
    size_t count = 0, half;
    while (snprintf(label, sizeof label, FRAME_SCENE, count) && find_row(rows, label, method, 1)) count++;
    if (count < 4) return;
    half = (count - 1) / 2;
    for (size_t frame = 0; frame <= 2 * half; frame++) {
        snprintf(label, sizeof label, FRAME_SCENE, frame);
        const double ms = find_row(rows, label, method, 1)->total_ms;
        if (frame == 0)
            first = ms;
        else
            halves[(frame - 1) / half][(frame - 1) % half] = ms;
    }
    printf("  %-48s %8.2f %8.2f %8.2f\n", method, first, median(halves[0], half), median(halves[1], half));
}

static void print_all_frames(const bench_rows *rows) {
    static const char *const methods[] = {SERIAL_HASHING, INDEX_SORT_FOOTPRINTS, SERIAL_HASHING KEPT,
                                          INDEX_SORT_FOOTPRINTS KEPT};
    printf("\nWhile membranes pile up, ms a frame, one thread: the first frame, then the others' halves\n");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) print_frames(rows, methods[i]);
    printf("  Gissler et al.: a peak in the first frame, when everything is sorted for the first time (Fig. 2).\n");
}

// ---- threads --------------------------------------------------------------------------------------------------------

static void print_threads(const bench_rows *rows) {
    static const char *const methods[] = {INDEX_SORT, CUCKOO, SERIAL_HASHING, MAIN_METHOD};
    static const char *const scenes[] = {"tetrahedra-points/eye", "edges-triangles/eye", "edges-triangles/skull"};
    printf("\nTimes of one thread over those of several\n  %-38s %-23s %8s %8s %8s %8s\n", "", "", "threads", "update",
           "find", "total");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            const bench_row *one = find_row(rows, scenes[i], methods[k], 1);
            const bench_row *all = find_row_with_most_threads(rows, scenes[i], methods[k]);
            if (one && all)
                printf("  %-38s %-23s %8d %8.2f %8.2f %8.2f\n", scenes[i], methods[k], all->threads,
                       one->update_ms / all->update_ms, one->find_ms / all->find_ms, one->total_ms / all->total_ms);
        }
    printf("  Gissler et al., on eight cores: index sort 3.2 (update 1.5, query 5), cuckoo hashing 2.6 (Parallel "
           "Scaling).\n");
}

// ---- sorts ----------------------------------------------------------------------------------------------------------

static void print_sort(const bench_rows *rows, const char *label, const char *paper) {
    const bench_row *radix = find_row(rows, label, SORT_RADIX, 1), *adaptive = find_row(rows, label, SORT_ADAPTIVE, 1);
    const bench_row *automatic = find_row(rows, label, SORT_AUTOMATIC, 1);
    const bench_row *changed = find_row(rows, label, SORT_AUTOMATIC CHANGED_KEYS, 1);
    if (!radix || !adaptive || !automatic || !changed) return;
    const double share = (double)changed->tests / (double)changed->n;
    printf("  %-24s %8.1f %% %9.3f %9.3f %9.3f  %-9s %8.2f %s\n", label, 100 * share, radix->update_ms,
           adaptive->update_ms, automatic->update_ms, share <= SORT_SWITCH ? "adaptive" : "radix",
           radix->update_ms / adaptive->update_ms, paper);
}

static void print_lone_sorts(const bench_rows *rows) {
    char label[NAME_SIZE];
    printf("  The sort alone, ms: %15s %9s %9s\n", "radix", "adaptive", "std::sort");
    for (size_t i = 0; i < SORT_SHARES; i++) {
        snprintf(label, sizeof label, SORT_SCENE, sort_shares[i]);
        const bench_row *radix = find_row(rows, label, SORT_RADIX SORT_ALONE, 1);
        const bench_row *adaptive = find_row(rows, label, SORT_ADAPTIVE SORT_ALONE, 1);
        const bench_row *standard = radix ? rows_find(rows, label, radix->n, STANDARD, STANDARD_SORT, 1) : NULL;
        if (radix && adaptive && standard)
            printf("  %-24s %10.3f %9.3f %9.3f\n", label, radix->total_ms, adaptive->total_ms, standard->total_ms);
    }
}

static void print_sorts(const bench_rows *rows) {
    char label[NAME_SIZE];
    printf("\nUpdates of a world of triangles by sort, ms, one thread\n  %-24s %10s %9s %9s %9s  %-9s %8s  %s\n", "",
           "changed", "radix", "adaptive", "automatic", "which is", "ratio", "Gissler et al., the sort alone");
    print_sort(rows, SORT_OWN_SCENE, "");
    for (size_t i = 0; i < SORT_SHARES; i++) {
        const double share = sort_shares[i];
        snprintf(label, sizeof label, SORT_SCENE, share);
        print_sort(rows, label, share == 0.02 ? "    4.7" : share == 0.1 ? "    2.3" : share == 1 ? "    about 1" : "");
    }
    print_lone_sorts(rows);
    printf("  Gissler et al.: always the adaptive one, in scenes like these (Sorting Performance). Here an update also "
           "moves\n"
           "  boxes, makes keys and copies the boxes in their order, whatever the sort.\n");
}

// ---- the Z-curve ----------------------------------------------------------------------------------------------------

// What Z-curve keys read and take over what row-major ones do, where a query stays inside cells: the paper's case.
static void print_footprint_curve(const bench_rows *rows) {
    char label[NAME_SIZE];
    printf("  Entries in every cell, Z-curve keys over row-major ones: %8s %12s %12s\n", "time", "lines > D1",
           "lines > LL");
    for (int order = 0; order < LOCALITY_ORDERS; order++) {
        snprintf(label, sizeof label, LOCALITY_SCENE, locality_orders[order]);
        const bench_row *time[2] = {find_row(rows, label, INDEX_SORT_FOOTPRINTS, 1),
                                    find_row(rows, label, INDEX_SORT_FOOTPRINTS_CURVE, 1)};
        const bench_row *near[2] = {find_row(rows, label, INDEX_SORT_FOOTPRINTS NEAR_LINES, 1),
                                    find_row(rows, label, INDEX_SORT_FOOTPRINTS_CURVE NEAR_LINES, 1)};
        const bench_row *far[2] = {find_row(rows, label, INDEX_SORT_FOOTPRINTS FAR_LINES, 1),
                                   find_row(rows, label, INDEX_SORT_FOOTPRINTS_CURVE FAR_LINES, 1)};
        if (time[0] && time[1] && near[0] && near[1] && far[0] && far[1])
            printf("  %-58s %6.3f %12.3f %12.3f\n", label, time[1]->find_ms / time[0]->find_ms,
                   (double)near[1]->tests / (double)near[0]->tests, (double)far[1]->tests / (double)far[0]->tests);
    }
}

typedef struct locality_figures {
    const bench_row *timed, *near, *far, *instructions;
} locality_figures;

static locality_figures find_locality(const bench_rows *rows, int order, bool z_curve) {
    char label[NAME_SIZE];
    snprintf(label, sizeof label, LOCALITY_SCENE, locality_orders[order]);
    return (locality_figures){
        .timed = find_row(rows, label, z_curve ? INDEX_SORT_CURVE : INDEX_SORT, 1),
        .near = find_row(rows, label, z_curve ? INDEX_SORT_CURVE NEAR_LINES : INDEX_SORT NEAR_LINES, 1),
        .far = find_row(rows, label, z_curve ? INDEX_SORT_CURVE FAR_LINES : INDEX_SORT FAR_LINES, 1),
        .instructions = find_row(rows, label, z_curve ? INDEX_SORT_CURVE INSTRUCTIONS : INDEX_SORT INSTRUCTIONS, 1)};
}

static void print_locality_row(const char *order, const char *keys, const locality_figures *f) {
    printf("  %-12s %-10s %8.3f %11llu", order, keys, f->timed->find_ms, (unsigned long long)f->timed->tests);
    if (f->near && f->far && f->instructions)
        printf(" %12llu %12llu %13llu", (unsigned long long)f->near->tests, (unsigned long long)f->far->tests,
               (unsigned long long)f->instructions->tests);
    putchar('\n');
}

static void promise_lines(bench_session *session, const char *what, const bench_row *more, const bench_row *fewer,
                          double limit) {
    if (!more || !fewer) return;
    if (!promise_at_least(stdout, what, (double)more->tests / (double)fewer->tests, limit))
        session_fail(session, "%s: less than %g", what, limit);
}

// f[order of the objects][whether keys follow the Z-curve]
static void promise_all_lines(bench_session *session, locality_figures f[LOCALITY_ORDERS][2]) {
    const locality_figures *curve = f[LOCALITY_CURVE];
    promise_lines(session, "lines: objects at random / along the Z-curve, row-major keys", f[LOCALITY_RANDOM][0].near,
                  curve[0].near, 4);
    promise_lines(session, "lines: objects at random / along the Z-curve, Z-curve keys", f[LOCALITY_RANDOM][1].near,
                  curve[1].near, 4);
    promise_lines(session, "lines: objects as meshed / along the Z-curve, Z-curve keys", f[LOCALITY_MESH][1].near,
                  curve[1].near, 1);
    promise_lines(session, "lines: row-major keys / Z-curve keys, objects along the Z-curve", curve[0].near,
                  curve[1].near, 1);
}

static void print_curve(bench_session *session, const bench_rows *rows) {
    locality_figures f[LOCALITY_ORDERS][2];
    printf("\nThe order in memory: finding edges in triangles, cells of the same size\n"
           "  %-12s %-10s %8s %11s %12s %12s %13s\n",
           "objects", "keys", "find ms", "candidates", "lines > D1", "lines > LL", "instructions");
    for (int order = 0; order < LOCALITY_ORDERS; order++) {
        const locality_figures rows_first = f[order][0] = find_locality(rows, order, false);
        const locality_figures curve = f[order][1] = find_locality(rows, order, true);
        if (!rows_first.timed || !curve.timed) continue;
        print_locality_row(locality_orders[order], "row-major", &rows_first);
        print_locality_row(locality_orders[order], "z-curve", &curve);
        if (rows_first.timed->tests != curve.timed->tests)
            session_fail(session, "%s: the order of the keys changes the number of candidates", curve.timed->scene);
    }
    promise_all_lines(session, f);
    print_footprint_curve(rows);
    printf("  Gissler et al.: the query of edges and triangles gains 8 %%, the index sort hardly anything (Z-curve "
           "Reordering).\n"
           "  Here boxes are copied in the order of the keys anyway; what gains is the order of those that are looked\n"
           "  for. Then keys along the curve read fewer lines, but rows of cells are in pieces: more instructions.\n");
}

static bool has_rows(const bench_rows *rows, const char *part) {
    for (size_t i = 0; i < rows->count; i++)
        if (rows->data[i].runs && strncmp(rows->data[i].scene, part, strlen(part)) == 0) return true;
    return false;
}

void gissler_summary(bench_session *session) {
    const bench_rows *rows = session_rows(session);
    print_sizes(session);
    if (has_rows(rows, "tetrahedra-points/") || has_rows(rows, "edges-triangles/")) {
        print_hashing(rows);
        print_threads(rows);
    }
    if (has_rows(rows, "contact/")) print_contacts(rows);
    if (has_rows(rows, "frames/")) print_all_frames(rows);
    if (has_rows(rows, "sort/")) print_sorts(rows);
    if (has_rows(rows, "locality/")) print_curve(session, rows);
}
