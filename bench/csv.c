// Results as a file: comments on build and machine, a header, a row per measurement. Flushed row by row, so that
// an interrupted run leaves what it has finished.
#include "bench.h"

FILE *csv_open(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return NULL;
    about_print(file, "# ");
    fputs("suite,scene,who,method,n,threads,update_ms,find_ms,total_ms,spread,pairs,hash,bytes_per_object,tests\n",
          file);
    fflush(file);
    return file;
}

// A limit has a time and nothing else; its other fields stay empty, as do a peer's bytes and tests.
static void write_row(FILE *file, const char *suite, const bench_row *row) {
    const bool limit = !row_is_ours(row) && !row_is_peer(row);
    fprintf(file, "%s,%s,%s,%s,%zu,%d,", suite, row->scene, row->who, row->method, row->n, row->threads);
    if (limit)
        fprintf(file, ",,%.6g,%.3f,,,,\n", row->total_ms, row->spread);
    else
        fprintf(file, "%.6g,%.6g,%.6g,%.3f,%zu,%016llx,", row->update_ms, row->find_ms, row->total_ms, row->spread,
                row->pairs, (unsigned long long)row->hash);
    if (row_is_ours(row))
        fprintf(file, "%.1f,%llu\n", row->bytes_per_object, (unsigned long long)row->tests);
    else if (!limit)
        fputs(",\n", file);
    fflush(file);
}

void csv_rows(FILE *file, const char *suite, const bench_rows *rows, size_t first) {
    for (size_t i = first; file && i < rows->count; i++)
        if (rows->data[i].runs) write_row(file, suite, &rows->data[i]);
}
