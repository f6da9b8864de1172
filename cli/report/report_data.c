// Reads CSV files of results: whole files, cut into cells in place. Files are small; what matters is that a damaged one
// is reported with its line.
#include "report/report_data.h"

#include "formats/number.h"
#include "formats/stream.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The kinds of files: each is known by its first columns.
typedef struct file_kind {
    const char *columns;
    const char *suite;      // NULL: the file has a column of that name
    const char *experiment; // NULL: in front of the scene, or, where the suite is given, that column
    const char *numbers;    // columns that must hold a number or nothing
} file_kind;

static const file_kind KINDS[] = {
    {"suite,scene,who,method,n,threads,update_ms,find_ms,total_ms,spread,pairs,hash,bytes_per_object,tests", NULL, NULL,
     "n,threads,update_ms,find_ms,total_ms,spread,pairs,bytes_per_object,tests"},
    {"scene,n,pairs,plan_ms,keys_ms,sort_ms,arrange_ms,sweep_ms,scan_ms,kernels_ms,all_ms", "cuda", "",
     "n,pairs,plan_ms,keys_ms,sort_ms,arrange_ms,sweep_ms,scan_ms,kernels_ms,all_ms"},
    {"suite,scene,ranks,threads,n,step_ms,plain_ms,efficiency,ghosts_per_object", "mpi", NULL,
     "ranks,threads,n,step_ms,plain_ms,efficiency,ghosts_per_object"},
    {"regions,objects,ghosts,model,ratio,ghosts_per_object", "mpi", "model",
     "regions,objects,ghosts,model,ratio,ghosts_per_object"},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

// ---------------------------------------------------------------------------------------------------------------------
// Cells

static size_t count_fields(const char *line) {
    size_t count = 1;
    for (; *line != '\0'; line++) count += *line == ',';
    return count;
}

// Cuts a line at its commas; the cells point into it.
static char **cut_fields(char *line, size_t count) {
    char **cells = calloc(count, sizeof *cells);
    for (size_t i = 0; cells != NULL && i < count; i++) {
        cells[i] = line;
        line += strcspn(line, ",");
        if (*line == ',') *line++ = '\0';
    }
    return cells;
}

const char *row_cell(const report_row *row, const char *column) {
    for (size_t i = 0; i < row->file->column_count; i++) {
        if (strcmp(row->file->columns[i], column) == 0) return row->cells[i];
    }
    return NULL;
}

static const char *cell_or(const report_row *row, const char *column, const char *otherwise) {
    const char *cell = row_cell(row, column);
    return cell == NULL ? otherwise : cell;
}

// ---------------------------------------------------------------------------------------------------------------------
// Lines

static bool fail_at(const report_file *file, size_t line, failure *why, const char *text, const char *found) {
    return failure_set(why, STATUS_FAILED, "%s:%zu: %s, found '%.60s'; measure it again with --csv, or remove it",
                       file->path, line, text, found);
}

static const file_kind *kind_of(const char *header) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strncmp(header, KINDS[i].columns, strlen(KINDS[i].columns)) == 0) return &KINDS[i];
    }
    return NULL;
}

static bool check_numbers(const report_row *row, const file_kind *kind, failure *why) {
    char names[256];
    snprintf(names, sizeof names, "%s", kind->numbers);
    for (char *name = names, *next; name != NULL; name = next) {
        next = strchr(name, ',');
        if (next != NULL) *next++ = '\0';
        double value;
        const char *cell = row_cell(row, name);
        if (*cell == '\0' || number_parse_double(cell, &value)) continue;
        char text[sizeof names + 32];
        snprintf(text, sizeof text, "expected a number in column %s", name);
        return fail_at(row->file, row->line, why, text, cell);
    }
    return true;
}

// The part of the scene column in front of '/' is the experiment.
static bool split_scene(report_row *row) {
    const char *slash = strchr(row->scene, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - row->scene);
    row->experiment = calloc(length + 1, 1);
    if (row->experiment == NULL) return false;
    memcpy(row->experiment, row->scene, length);
    if (slash != NULL) row->scene = slash + 1;
    return true;
}

static bool take_experiment(report_row *row, const file_kind *kind) {
    if (kind->suite == NULL) return split_scene(row);
    const char *text = kind->experiment == NULL ? row_cell(row, "suite") : kind->experiment;
    row->experiment = calloc(strlen(text) + 1, 1);
    if (row->experiment != NULL) memcpy(row->experiment, text, strlen(text));
    return row->experiment != NULL;
}

static bool add_row(report_data *data, report_file *file, const file_kind *kind, char *line, size_t number,
                    failure *why) {
    size_t found = count_fields(line);
    if (found != file->column_count) {
        char text[64];
        snprintf(text, sizeof text, "expected %zu columns as in the header", file->column_count);
        return fail_at(file, number, why, text, line);
    }
    report_row *grown = realloc(data->rows, (data->row_count + 1) * sizeof *grown);
    if (grown == NULL) return failure_memory(why);
    data->rows = grown;
    report_row *row = &grown[data->row_count];
    *row = (report_row){.file = file, .line = number, .cells = cut_fields(line, found)};
    if (row->cells == NULL) return failure_memory(why);
    data->row_count++;
    row->suite = kind->suite != NULL ? kind->suite : row_cell(row, "suite");
    row->scene = cell_or(row, "scene", "");
    row->who = cell_or(row, "who", "broadphase");
    row->method = cell_or(row, "method", "hierarchical-grid");
    if (!take_experiment(row, kind)) return failure_memory(why);
    if (file->row_count++ == 0) file->suite = row->suite;
    if (!check_numbers(row, kind, why)) return false;
    double bytes, ms;
    if (row_fulfils(row, "who=limit;method=copy") && row_number(row, "n", &bytes) && row_number(row, "total_ms", &ms)) {
        file->copy_speed = 2.0 * bytes / ms;
    }
    return true;
}

static bool begin_file(report_file *file, const file_kind **kind, char *line, size_t number, failure *why) {
    *kind = kind_of(line);
    if (*kind == NULL) return fail_at(file, number, why, "expected a header, like suite,scene,who,method,n,...", line);
    file->column_count = count_fields(line);
    file->columns = cut_fields(line, file->column_count);
    return file->columns != NULL || failure_memory(why);
}

// '# key: value'
static void keep_remark(report_file *file, const char *line) {
    line += strspn(line, "# ");
    size_t used = strlen(file->about), length = strlen(line);
    memcpy(file->about + used, line, length);
    memcpy(file->about + used + length, "\n", 2);
}

static bool read_lines(report_data *data, report_file *file, failure *why) {
    const file_kind *kind = NULL;
    size_t number = 0;
    for (char *line = file->text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) *next++ = '\0';
        number++;
        size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '\r') line[length - 1] = '\0';
        if (*line == '\0') continue;
        if (*line == '#') {
            keep_remark(file, line);
        } else if (kind == NULL) {
            if (!begin_file(file, &kind, line, number, why)) return false;
        } else if (kind_of(line) != kind && !add_row(data, file, kind, line, number, why)) {
            return false; // a header again: two runs that were joined
        }
    }
    if (kind == NULL) return fail_at(file, 1, why, "expected a header and rows", "nothing");
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

static bool read_text(report_file *file, failure *why) {
    size_t size;
    if (!input_read_all(file->path, &file->text, &size, why)) return false;
    if (strlen(file->text) != size) {
        return failure_set(why, STATUS_FAILED, "%s: holds a zero byte; expected a CSV file", file->path);
    }
    file->about = calloc(size + 2, 1);
    return file->about != NULL || failure_memory(why);
}

static bool add_file(report_data *data, const char *folder, const char *name, failure *why) {
    report_file **grown = realloc(data->files, (data->file_count + 1) * sizeof *grown);
    if (grown == NULL) return failure_memory(why);
    data->files = grown;
    size_t size = strlen(folder) + strlen(name) + 2;
    report_file *file = calloc(1, sizeof *file);
    char *path = malloc(size);
    if (file == NULL || path == NULL) {
        free(file);
        free(path);
        return failure_memory(why);
    }
    snprintf(path, size, "%s/%s", folder, name);
    *file = (report_file){.folder = folder, .path = path, .name = path + strlen(folder) + 1, .suite = ""};
    data->files[data->file_count++] = file;
    return read_text(file, why) && read_lines(data, file, why);
}

static int is_csv(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0;
}

static bool read_folder(report_data *data, const char *folder, failure *why) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_csv, alphasort);
    if (count < 0) {
        return failure_set(why, STATUS_FAILED, "%s: cannot be read: %s; name a folder with results of 'bench --csv'",
                           folder, strerror(errno));
    }
    bool good =
        count > 0 || failure_set(why, STATUS_FAILED,
                                 "%s: has no file NAME.csv; write some with 'broadphase bench --csv FILE'", folder);
    for (int i = 0; i < count; i++) {
        good = good && add_file(data, folder, entries[i]->d_name, why);
        free(entries[i]);
    }
    free(entries);
    return good;
}

bool report_data_read(report_data *data, char **folders, size_t folder_count, failure *why) {
    for (size_t i = 0; i < folder_count; i++) {
        if (!read_folder(data, folders[i], why)) return false;
    }
    return true;
}

void report_data_free(report_data *data) {
    for (size_t i = 0; i < data->row_count; i++) {
        free(data->rows[i].cells);
        free(data->rows[i].experiment);
    }
    for (size_t i = 0; i < data->file_count; i++) {
        report_file *file = data->files[i];
        free(file->path);
        free(file->text);
        free(file->columns);
        free(file->about);
        free(file);
    }
    free(data->rows);
    free(data->files);
    *data = (report_data){0};
}
