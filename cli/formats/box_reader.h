// Boxes and points from the formats of the project: .csv, .npy, .npz, and meshes, .ply, .obj and .stl, which are read as the boxes
// of their triangles. This and what it includes needs no files: bytes in memory will do (input.h).
#ifndef TOOL_BOX_READER_H
#define TOOL_BOX_READER_H

#include "formats/box_list.h"
#include "formats/input.h"

typedef enum file_format { FORMAT_CSV, FORMAT_NPY, FORMAT_PLY, FORMAT_OBJ, FORMAT_STL, FORMAT_NPZ } file_format;

// By the extension of a name, or CSV of "-"; false if it is none of these.
bool file_format_of_name(const char *name, file_format *format);

// Reads all of the input. Invalid boxes are refused here, where their row is known; with 2 dimensions, z is ignored. The
// list is to be freed, and empty after a failure.
bool box_read(input_file *input, file_format format, box_rules rules, box_list *list, failure *why);

// One reader per format, into an empty list; box_read picks.
bool box_csv_read(input_file *input, box_rules rules, box_list *list, failure *why);
bool box_npy_read(input_file *input, box_rules rules, box_list *list, failure *why);
bool box_npz_read(input_file *input, box_rules rules, box_list *list, failure *why);
bool box_ply_read(input_file *input, box_rules rules, box_list *list, failure *why);
bool box_obj_read(input_file *input, box_rules rules, box_list *list, failure *why);
bool box_stl_read(input_file *input, box_rules rules, box_list *list, failure *why);

#endif
