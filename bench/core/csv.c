// Results as a file: comments on build, machine and command line, a header, a row per measurement. The rows of a point
// are written as soon as it is finished, so that an interrupted run leaves complete points, and a later run can resume.
#include "core/bench.h"
#include "formats/about.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char header[] =
    "suite,scene,who,method,n,threads,update_ms,find_ms,total_ms,spread,pairs,hash,bytes_per_object,tests,"
    "p99_ms,worst_ms\n";
enum { COLUMNS = 16, LINE_SIZE = 2048, BLOCK_SIZE = 1 << 20 };

static FILE *open_file(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (file)
        setvbuf(file, NULL, _IOFBF, BLOCK_SIZE);
    else
        fprintf(stderr, "broadphase-bench: %s: %s\n", path, strerror(errno));
    return file;
}

FILE *csv_create(const char *path, const bench_options *options) {
    FILE *file = open_file(path, "w");
    if (!file) return NULL;
    about_print(file, "# ", options->command);
    fputs(header, file);
    fflush(file);
    return file;
}

// ---- writing -------------------------------------------------------------------------------------------------------

static void write_known(FILE *file, const char *format, double value, bool known) {
    if (known) fprintf(file, format, value);
    fputc(',', file);
}

// A limit has a time and nothing else, a figure of a paper what is not zero; other fields stay empty, as do those
// that are unknown.
static void write_row(FILE *file, const char *suite, const bench_row *row) {
    const bool measured = row_is_ours(row) || row_is_peer(row);
    fprintf(file, "%s,%s,%s,%s,%zu,%d,", suite, row->scene, row->who, row->method, row->n, row->threads);
    write_known(file, "%.6g", row->update_ms, measured || row->update_ms > 0);
    write_known(file, "%.6g", row->find_ms, measured || row->find_ms > 0);
    write_known(file, "%.6g", row->total_ms, measured || row->total_ms > 0);
    write_known(file, "%.3f", row->spread, row_is_measured(row));
    write_known(file, "%.0f", (double)row->pairs, measured || row->pairs > 0);
    if (measured) fprintf(file, "%016llx", (unsigned long long)row->hash);
    fputc(',', file);
    write_known(file, "%.1f", row->bytes_per_object, row_is_ours(row) || row->bytes_per_object > 0);
    if (row_is_ours(row) || row->tests) fprintf(file, "%llu", (unsigned long long)row->tests);
    fputc(',', file);
    write_known(file, "%.6g", row->p99_ms, row->p99_ms > 0);
    if (row->worst_ms > 0) fprintf(file, "%.6g", row->worst_ms);
    fputc('\n', file);
}

void csv_rows(FILE *file, const char *suite, const bench_rows *rows, size_t first) {
    for (size_t i = first; file && i < rows->count; i++)
        if (rows->data[i].runs) write_row(file, suite, &rows->data[i]);
    if (file) fflush(file);
}

static const char failed_mark[] = "# failed: ";

void csv_remark(FILE *file, const char *text) {
    if (!file) return;
    fprintf(file, "# %s\n", text);
    fflush(file);
}

void csv_failure(FILE *file, const char *text) {
    if (!file) return;
    fprintf(file, "%s%s\n", failed_mark, text);
    fflush(file);
}

// ---- going on with a file ------------------------------------------------------------------------------------------

// Cuts the line in place; false if it has another number of columns.
static bool split(char *line, char *columns[COLUMNS]) {
    size_t count = 0;
    for (char *next = line; next; count++) {
        char *const comma = strchr(next, ',');
        if (comma) *comma = '\0';
        if (count < COLUMNS) columns[count] = next;
        next = comma ? comma + 1 : NULL;
    }
    return count == COLUMNS;
}

// The file has neither the best time nor the number of runs: the median and one run stand in.
static bench_row row_of(char *columns[COLUMNS]) {
    bench_row row = {.runs = 1, .n = strtoull(columns[4], NULL, 10), .threads = atoi(columns[5])};
    snprintf(row.scene, sizeof row.scene, "%s", columns[1]);
    snprintf(row.who, sizeof row.who, "%s", columns[2]);
    snprintf(row.method, sizeof row.method, "%s", columns[3]);
    row.update_ms = atof(columns[6]);
    row.find_ms = atof(columns[7]);
    row.total_ms = row.best_ms = atof(columns[8]);
    row.spread = atof(columns[9]);
    row.pairs = strtoull(columns[10], NULL, 10);
    row.hash = strtoull(columns[11], NULL, 16);
    row.bytes_per_object = atof(columns[12]);
    row.tests = strtoull(columns[13], NULL, 10);
    row.p99_ms = atof(columns[14]);
    row.worst_ms = atof(columns[15]);
    return row;
}

static bool refuse(const char *path, size_t line, const char *what, const char *value, const char *own) {
    fprintf(stderr, "broadphase-bench: %s:%zu: cannot resume this file: %s '%s', not '%s'; name another one\n", path,
            line, what, value, own);
    return false;
}

// Of the comments, only the commit and the failures matter.
static bool read_comment(const char *path, size_t number, const char *line, size_t *failures) {
    static const char mark[] = ", commit ";
    const char *found = strncmp(line, "# broadphase: ", 14) == 0 ? strstr(line, mark) : NULL;
    if (strncmp(line, failed_mark, strlen(failed_mark)) == 0) {
        fprintf(stderr, "bench: FAILED before: %s\n", line + strlen(failed_mark));
        ++*failures;
    }
    if (!found || strcmp(found + strlen(mark), about_commit()) == 0) return true;
    return refuse(path, number, "it was measured with commit", found + strlen(mark), about_commit());
}

static bool read_line(const char *path, size_t number, char *line, const bench_options *options, bench_rows *rows,
                      size_t *failures) {
    char *columns[COLUMNS];
    const size_t length = strcspn(line, "\n");
    if (line[length] != '\n') return refuse(path, number, "a line is cut off:", line, "a whole line");
    line[length] = '\0';
    if (line[0] == '#') return read_comment(path, number, line, failures);
    if (strncmp(line, header, length) == 0 && header[length] == '\n') return true;
    if (!split(line, columns)) return refuse(path, number, "a line does not have 16 columns:", line, "a row");
    if (strcmp(columns[0], options->suite) != 0)
        return refuse(path, number, "its suite is", columns[0], options->suite);
    const bench_row row = row_of(columns);
    rows_add(rows, &row);
    return true;
}

static bool read_rows(const char *path, const bench_options *options, bench_rows *rows, size_t *failures) {
    char line[LINE_SIZE];
    FILE *file = open_file(path, "r");
    bool fine = file != NULL;
    for (size_t number = 1; fine && fgets(line, sizeof line, file); number++)
        fine = read_line(path, number, line, options, rows, failures);
    if (file) fclose(file);
    return fine;
}

static bool exists(const char *path) {
    FILE *file = fopen(path, "r");
    if (file) fclose(file);
    return file != NULL || errno != ENOENT;
}

FILE *csv_resume(const char *path, const bench_options *options, bench_rows *rows, size_t *failures) {
    if (!exists(path)) return csv_create(path, options);
    if (!read_rows(path, options, rows, failures)) {
        rows_free(rows);
        return NULL;
    }
    FILE *file = open_file(path, "a");
    if (file) fprintf(file, "# resumed: %s\n", options->command);
    return file;
}
