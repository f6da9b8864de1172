// Files of boxes, in the formats of the project: .csv, .npy, and "-" for standard input or output as CSV; and meshes,
// .ply and .obj, which are read as the boxes of their triangles.
//
// A row is a box (6 numbers) or a sphere (4). Boxes of float64 files are kept in 64 bits; those of others are floats.
// The box of a sphere is rounded outwards, so that no pair is lost.
#ifndef TOOL_BOX_FILES_H
#define TOOL_BOX_FILES_H

#include "formats/failure.h"
#include "formats/stream.h"

#include <broadphase/broadphase.h>

typedef enum file_format { FORMAT_CSV, FORMAT_NPY, FORMAT_PLY, FORMAT_OBJ } file_format;

// By the extension of `path`; a wrong call if it is none of these. Meshes are not written.
bool file_format_of_input(const char *path, file_format *format, failure *why);
bool file_format_of_output(const char *path, file_format *format, failure *why);

typedef struct box_list {
    bp_box *data;           // NULL if `is_double`
    bp_box_double *doubles; // NULL unless `is_double`
    size_t count, capacity;
    bool is_double; // 64-bit boxes
} box_list;

enum { BOX_COLUMNS = 6, SPHERE_COLUMNS = 4 };

// Reads a whole file. Invalid boxes are refused here, where their row is known; with 2 dimensions, z is ignored.
bool box_file_read(const char *path, uint32_t dimensions, box_list *list, failure *why);
bool box_file_write(const char *path, const bp_box *boxes, size_t count, failure *why);

bool box_list_reserve(box_list *list, size_t capacity, failure *why);
// Appends the box of one row of `columns` numbers; the caller adds the place to the failure.
bool box_list_add(box_list *list, size_t columns, const double *values, uint32_t dimensions, failure *why);
// Converts the list to 64-bit boxes.
bool box_list_to_double(box_list *list, failure *why);
void box_list_free(box_list *list);

// The name of a column, for messages and headers: "min_x", or of a sphere "x".
const char *box_column_name(size_t columns, size_t index);

// One reader per format; box_file_read picks.
bool box_csv_read(input_file *input, uint32_t dimensions, box_list *list, failure *why);
bool box_npy_read(input_file *input, uint32_t dimensions, box_list *list, failure *why);
bool box_ply_read(input_file *input, uint32_t dimensions, box_list *list, failure *why);
bool box_obj_read(input_file *input, uint32_t dimensions, box_list *list, failure *why);

#endif
