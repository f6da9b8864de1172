// The results of the suite `zych`, beside those of Zych 2016.
#include "suites/zych.h"

#include <stdlib.h>
#include <string.h>

static bool is_narrow(const bench_row *row) {
    return strcmp(row->method, NARROW_PHASE) == 0;
}

// The rows of one point: first .. end.
typedef struct row_span {
    size_t first, end;
} row_span;

static const bench_row *narrow_row(const bench_rows *rows, row_span span) {
    for (size_t i = span.first; i < span.end; i++)
        if (is_narrow(&rows->data[i])) return &rows->data[i];
    return NULL;
}

// Of all broad phases, or of the peers alone; NULL: none.
static const bench_row *fastest(const bench_rows *rows, row_span span, bool peers_only) {
    const bench_row *best = NULL;
    for (size_t i = span.first; i < span.end; i++) {
        const bench_row *row = &rows->data[i];
        if (row->runs && !is_narrow(row) && (!peers_only || row_is_peer(row)) &&
            (!best || row->total_ms < best->total_ms))
            best = row;
    }
    return best;
}

// ---- a point -------------------------------------------------------------------------------------------------------

static void print_head(FILE *file, const bench_row *row, const bench_row *narrow) {
    fprintf(file, "\n%s, %zu objects: ", row->scene, row->n);
    if (narrow)
        fprintf(file, "%llu possible collisions, %zu actual ones\n", (unsigned long long)narrow->tests, narrow->pairs);
    else
        fprintf(file, "%zu possible collisions; no narrow phase: libccd is not built\n", row->pairs);
    fprintf(file, "  %-10s  %-18s %10s %10s %10s %10s %7s %9s\n", "who", "method", "update ms", "broad ms", "narrow ms",
            "total ms", "spread", "pairs");
}

static void print_row(FILE *file, const bench_row *row, double narrow_ms) {
    fprintf(file, "  %-10s  %-18s %10.4f %10.4f %10.4f %10.4f %5.0f %% %9zu", row->who, row->method, row->update_ms,
            row->find_ms, narrow_ms, row->total_ms + narrow_ms, 100 * row->spread, row->pairs);
    if (row->runs < 5) fprintf(file, "  (%zu run%s)", row->runs, row->runs == 1 ? "" : "s");
    fputc('\n', file);
}

void zych_table(FILE *file, const bench_rows *rows, size_t first) {
    const row_span span = {first, rows->count};
    const bench_row *narrow = narrow_row(rows, span), *winner = fastest(rows, span, false);
    const bench_row **sorted = malloc((rows->count - first + 1) * sizeof *sorted);
    size_t count = 0;
    if (!sorted) abort();
    for (size_t i = first; i < rows->count; i++)
        if (rows->data[i].runs && &rows->data[i] != narrow) sorted[count++] = &rows->data[i];
    qsort(sorted, count, sizeof *sorted, rows_by_time);
    if (winner) print_head(file, winner, narrow);
    for (size_t i = 0; i < count; i++) print_row(file, sorted[i], narrow ? narrow->total_ms : 0);
    for (size_t i = first; i < rows->count; i++)
        if (!rows->data[i].runs)
            fprintf(file, "  not run (%s): %s %s\n", rows->data[i].why, rows->data[i].who, rows->data[i].method);
    fflush(file);
    free(sorted);
}

// ---- an experiment -------------------------------------------------------------------------------------------------

enum { MAX_SPANS = 32, NAME_WIDTH = 28, CELL_WIDTH = 11 };

typedef struct zych_finding {
    const char *name, *text;
} zych_finding;

static const zych_finding findings[] = {
    {"objects",
     "Fig. 4.3-4.9: brute force is quadratic; the sweep is fastest up to 5,000 objects, the tree beyond; an\n"
     "     octree without loose nodes lies between them and brute force"},
    {"uniformity",
     "Fig. 4.10-4.15: tree and sweep do not care; extreme sizes cost the octree and the narrow phase time"},
    {"static-share", "Fig. 4.16-4.19: all get faster in proportion to what rests: fewer updates, and fewer pairs"},
    {"velocity", "Fig. 4.20-4.23: time rises fast at first and then slowly; the sweep suffers most"},
    {"density",
     "Fig. 4.24-4.27: the narrow phase grows with it; of broad phases, tree and sweep moderately, the octree not"},
    {"shape",
     "Fig. 4.28-4.33: nothing changes for broad phases, nor possible collisions where objects do not push each\n"
     "     other; most actual ones: box, cylinder, cone, sphere, compound, capsule; narrow phase: compounds longest,\n"
     "     spheres shortest"},
};
enum { FINDING_COUNT = sizeof findings / sizeof *findings };

typedef struct zych_matrix {
    const bench_rows *rows;
    row_span spans[MAX_SPANS];
    size_t count;
} zych_matrix;

static const bench_row *head_of(const zych_matrix *m, size_t point) {
    return &m->rows->data[m->spans[point].first];
}

static bool is_of(const bench_row *row, const char *experiment) {
    const size_t length = strlen(experiment);
    return strncmp(row->scene, experiment, length) == 0 && row->scene[length] == '/';
}

static zych_matrix points_of(const bench_rows *rows, const char *experiment) {
    zych_matrix m = {.rows = rows};
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (!is_of(row, experiment)) continue;
        const bench_row *head = m.count ? head_of(&m, m.count - 1) : NULL;
        if ((!head || head->n != row->n || strcmp(head->scene, row->scene) != 0) && m.count < MAX_SPANS)
            m.spans[m.count++].first = i;
        m.spans[m.count - 1].end = i + 1;
    }
    return m;
}

// What differs between the points: the value of the scene column, or the number of objects.
static void print_values(FILE *file, const zych_matrix *m, const char *experiment) {
    fprintf(file, "  %-*s", NAME_WIDTH, experiment);
    for (size_t i = 0; i < m->count; i++) {
        const char *value = strrchr(head_of(m, i)->scene, '=');
        if (value)
            fprintf(file, "%*s ", CELL_WIDTH - 1, value + 1);
        else
            fprintf(file, "%*zu ", CELL_WIDTH - 1, head_of(m, i)->n);
    }
    fputc('\n', file);
}

static void print_collisions(FILE *file, const zych_matrix *m) {
    fprintf(file, "  %-*s", NAME_WIDTH, "possible collisions");
    for (size_t i = 0; i < m->count; i++) {
        const bench_row *narrow = narrow_row(m->rows, m->spans[i]);
        fprintf(file, "%*zu ", CELL_WIDTH - 1, narrow ? (size_t)narrow->tests : head_of(m, i)->pairs);
    }
    fprintf(file, "\n  %-*s", NAME_WIDTH, "actual collisions");
    for (size_t i = 0; i < m->count; i++) {
        const bench_row *narrow = narrow_row(m->rows, m->spans[i]);
        if (narrow)
            fprintf(file, "%*zu ", CELL_WIDTH - 1, narrow->pairs);
        else
            fprintf(file, "%*s ", CELL_WIDTH - 1, "-");
    }
    fputc('\n', file);
}

// A contestant's times; * is the fastest of all broad phases, + that of the peers.
static void print_times(FILE *file, const zych_matrix *m, const bench_row *who) {
    char name[2 * NAME_SIZE + 8];
    snprintf(name, sizeof name, "%s%s%s ms", row_is_ours(who) ? "" : who->who, row_is_ours(who) ? "" : " ",
             who->method);
    fprintf(file, "  %-*s", NAME_WIDTH, name);
    for (size_t i = 0; i < m->count; i++) {
        const bench_row *head = head_of(m, i);
        const bench_row *row = rows_find(m->rows, head->scene, head->n, who->who, who->method, 1);
        const char mark = !row                                          ? ' '
                          : row == fastest(m->rows, m->spans[i], false) ? '*'
                          : row == fastest(m->rows, m->spans[i], true)  ? '+'
                                                                        : ' ';
        if (row)
            fprintf(file, "%*.4f%c", CELL_WIDTH - 1, row->total_ms, mark);
        else
            fprintf(file, "%*s ", CELL_WIDTH - 1, "-");
    }
    fputc('\n', file);
}

static bool is_first_of_its_kind(const zych_matrix *m, size_t point, size_t at) {
    const bench_row *row = &m->rows->data[at];
    for (size_t i = 0; i <= point; i++)
        for (size_t k = m->spans[i].first; k < m->spans[i].end && k < at; k++) {
            const bench_row *other = &m->rows->data[k];
            if (strcmp(other->who, row->who) == 0 && strcmp(other->method, row->method) == 0) return false;
        }
    return true;
}

static void print_contestants(FILE *file, const zych_matrix *m) {
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = m->spans[i].first; k < m->spans[i].end; k++)
            if (is_first_of_its_kind(m, i, k)) print_times(file, m, &m->rows->data[k]);
}

static void print_wins(FILE *file, const zych_matrix *m) {
    size_t won = 0, compared = 0;
    for (size_t i = 0; i < m->count; i++) {
        const bench_row *best = fastest(m->rows, m->spans[i], false), *peer = fastest(m->rows, m->spans[i], true);
        compared += best && peer;
        won += best && peer && row_is_ours(best);
    }
    if (compared) fprintf(file, "  the fastest is ours in %zu of %zu\n", won, compared);
}

// Broad phases see only boxes, which are the same for all shapes.
static void check_shapes(const zych_matrix *m, bench_session *session) {
    for (size_t i = 1; i < m->count; i++) {
        const bench_row *a = head_of(m, i - 1), *b = head_of(m, i);
        if (a->n == b->n && (a->pairs != b->pairs || a->hash != b->hash))
            session_fail(session, "%s has %zu possible collisions and %s %zu", a->scene, a->pairs, b->scene, b->pairs);
    }
}

void zych_summary(FILE *file, bench_session *session) {
    fprintf(file,
            "\nSummary: update and broad phase together, or the narrow phase, which is the same for all broad phases;\n"
            "* is the fastest, + the fastest of the others' libraries, - was not run\n");
    for (size_t i = 0; i < FINDING_COUNT; i++) {
        const zych_matrix m = points_of(session_rows(session), findings[i].name);
        if (!m.count) continue;
        fputc('\n', file);
        print_values(file, &m, findings[i].name);
        print_collisions(file, &m);
        print_contestants(file, &m);
        print_wins(file, &m);
        fprintf(file, "  Zych 2016, %s\n", findings[i].text);
        if (strcmp(findings[i].name, "shape") == 0) check_shapes(&m, session);
    }
    fflush(file);
}
