// The results of the suite `zych`, beside those of Zych 2016.
#include "suites/zych.h"

#include <string.h>

static bool has_suffix(const bench_row *row, const char *suffix) {
    const size_t length = strlen(row->method), end = strlen(suffix);
    return length > end && strcmp(row->method + length - end, suffix) == 0;
}

// ---- a point -------------------------------------------------------------------------------------------------------

// The rows of a contestant follow each other: broad phase, narrow phase, all.
void zych_table(FILE *file, const bench_rows *rows, size_t first) {
    if (first >= rows->count) return;
    fprintf(file, "\n%s, %zu objects, %zu steps; ms a step\n  %-10s  %-18s %9s %9s %9s %9s %10s %10s %7s %9s %9s\n",
            rows->data[first].scene, rows->data[first].n, rows->data[rows->count - 1].runs, "who", "broad phase",
            "update", "broad", "narrow", "all", "p99", "worst", "spread", "possible", "actual");
    for (size_t i = first; i + 2 < rows->count; i += 3) {
        char tail[TAIL_TEXT];
        const bench_row *broad = &rows->data[i], *narrow = broad + 1, *all = broad + 2;
        fprintf(file, "  %-10s  %-18s %9.4f %9.4f %9.4f %9.4f %s %5.0f %% %9zu %9zu\n", broad->who, broad->method,
                broad->update_ms, broad->find_ms, narrow->total_ms, all->total_ms, table_tail(all, false, tail),
                100 * all->spread, broad->pairs, narrow->pairs);
    }
    fflush(file);
}

// ---- an experiment -------------------------------------------------------------------------------------------------

enum { NAME_WIDTH = 18 };

typedef struct zych_finding {
    const char *name, *text;
} zych_finding;

static const zych_finding findings[] = {
    {"objects",
     "Fig. 4.3-4.9: brute force is quadratic; the sweep is fastest up to 5,000 objects, the tree beyond; an octree\n"
     "     without loose nodes lies between them and brute force"},
    {"crossing", "Fig. 4.7: the sweep is faster than the tree up to 5,000 objects"},
    {"uniformity",
     "Fig. 4.10-4.15: tree and sweep do not care; extreme sizes cost the octree and the narrow phase time"},
    {"static-share", "Fig. 4.16-4.19: all get faster in proportion to what rests: fewer updates, and fewer pairs"},
    {"velocity", "Fig. 4.20-4.23: time rises fast at first and then slowly; the sweep suffers most"},
    {"density",
     "Fig. 4.24-4.27: the narrow phase grows with it; of broad phases, tree and sweep moderately, the octree not"},
    {"shape", "Fig. 4.28-4.32: nothing changes for broad phases; most actual collisions: box, cylinder, cone, sphere,\n"
              "     compound, capsule; narrow phase: compounds longest, spheres shortest"},
    {"penetrable", "Fig. 4.33: possible collisions do not depend on the shape, but for capsules, which are smaller"},
    {"terrain", "Fig. 2.26: things that settle on a terrain are clustered along y, which costs a sweep its coherence"},
};
enum { FINDING_COUNT = sizeof findings / sizeof *findings };

static bool is_of(const bench_row *row, const char *experiment) {
    const size_t length = strlen(experiment);
    return strncmp(row->scene, experiment, length) == 0 && row->scene[length] == '/' && has_suffix(row, DETECTION);
}

static bool is_same_line(const bench_row *a, const bench_row *b) {
    return strcmp(a->who, b->who) == 0 && strcmp(a->method, b->method) == 0;
}

// Whether a contestant has had its line already.
static bool is_repeated(const bench_rows *rows, size_t at, const char *experiment) {
    for (size_t i = 0; i < at; i++)
        if (is_of(&rows->data[i], experiment) && is_same_line(&rows->data[i], &rows->data[at])) return true;
    return false;
}

// All points of a contestant: what differs between them, and its time.
static void print_line(FILE *file, const bench_rows *rows, size_t at, const char *experiment) {
    const bench_row *first = &rows->data[at];
    fprintf(file, "  %-10s %-*.*s", first->who, NAME_WIDTH, (int)(strlen(first->method) - strlen(DETECTION)),
            first->method);
    for (size_t i = at; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (!is_of(row, experiment) || !is_same_line(row, first)) continue;
        const char *value = strrchr(row->scene, '=');
        if (value)
            fprintf(file, " %s: %.3f", value + 1, row->total_ms);
        else
            fprintf(file, " %zu: %.3f", row->n, row->total_ms);
    }
    fputc('\n', file);
}

static void print_experiment(FILE *file, const bench_rows *rows, const zych_finding *finding) {
    bool is_first = true;
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_of(&rows->data[i], finding->name) || is_repeated(rows, i, finding->name)) continue;
        if (is_first) fprintf(file, "\n  %s\n", finding->name);
        is_first = false;
        print_line(file, rows, i, finding->name);
    }
    if (!is_first) fprintf(file, "  Zych 2016, %s\n", finding->text);
}

void zych_summary(FILE *file, bench_session *session) {
    fprintf(file, "\nSummary: update, broad phase and narrow phase together, ms a step.\n");
    for (size_t i = 0; i < FINDING_COUNT; i++) print_experiment(file, session_rows(session), &findings[i]);
}
