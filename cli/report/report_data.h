// Results of benchmarks: the rows of every CSV file of some folders, whichever program wrote them.
//
// The bench, the CUDA tool and the MPI tool write different columns. A row has all of them by name; the few that every
// chart needs are fields, filled in for each kind of file.
#ifndef TOOL_REPORT_DATA_H
#define TOOL_REPORT_DATA_H

#include "formats/failure.h"

#include <stddef.h>

typedef struct report_file {
    char *path;
    const char *name;   // the last part of the path
    const char *folder; // as the caller named it
    const char *suite;  // of its first row
    char *text;         // the whole file; cells point into it
    char **columns;
    size_t column_count;
    char *about; // the lines that began with '#', without it, each with its newline
    size_t row_count;
    double copy_speed; // of the machine, bytes read and written a millisecond; 0: not measured
} report_file;

typedef struct report_row {
    const report_file *file;
    size_t line;
    char **cells; // as many as the file has columns
    const char *suite;
    char *experiment; // "" where the scene column names none
    const char *scene;
    const char *who;
    const char *method;
} report_row;

typedef struct report_data {
    report_file **files;
    size_t file_count;
    report_row *rows;
    size_t row_count;
} report_data;

// All files NAME.csv of the folders. A file that cannot be parsed is an error with its line.
bool report_data_read(report_data *data, char **folders, size_t folder_count, failure *why);
void report_data_free(report_data *data);

// The text in a column; NULL where the file has no such column.
const char *row_cell(const report_row *row, const char *column);

// A quantity of a row: a column, or what stands behind "name=" in its scene or method, and only there if the name is
// given as "name=". Also "copying_ms": the time of reading the boxes and writing the pairs at the speed of a plain
// copy; and "work": the number of objects and pairs together. False where there is none.
bool row_number(const report_row *row, const char *name, double *value);

// A property of a row as text, in `text`, cut off if need be:
//     "scene", "method", "who", ...   a column
//     "name"                          the method for ours, "who method" for others
//     "library"                       "who method", and for ours with the default method "broadphase"
//     "head", "tail"                  a name up to its last '/', and what follows in the method
//     "kind"                          the method without its settings
//     "whose"                         who, in words
//     anything else                   what stands behind "anything=" in scene or method, see above
// `without`: names of settings, separated by spaces, that are taken out of scene and method. "" where there is nothing.
enum { REPORT_TEXT = 96 };
void row_text(const report_row *row, const char *name, const char *without, char text[REPORT_TEXT]);

// Whether a row fulfils conditions like "who=peer;n=1000|10000;method!=octree*": all of them, one of the alternatives
// of each. A '*' at the end stands for anything; "peer" for anybody but us, the limits of the machine and the papers.
bool row_fulfils(const report_row *row, const char *conditions);

// Values like "total_ms/n*1e6": a quantity, divided by others, multiplied by a number.
bool row_value(const report_row *row, const char *expression, double *value);

#endif
