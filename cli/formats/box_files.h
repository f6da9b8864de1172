// Files of boxes, by their names; "-" is standard input or output as CSV.
#ifndef TOOL_BOX_FILES_H
#define TOOL_BOX_FILES_H

#include "formats/box_reader.h"
#include "formats/stream.h"

bool file_is_device(const char *path);
// By the extension of `path`, or CSV of a device; a wrong call if it is none of these. Meshes are not written.
bool file_format_of_input(const char *path, file_format *format, failure *why);
bool file_format_of_output(const char *path, file_format *format, failure *why);

// Reads a whole file (box_reader.h): boxes, or what the rules say.
bool row_file_read(const char *path, box_rules rules, box_list *list, failure *why);
bool box_file_read(const char *path, uint32_t dimensions, box_list *list, failure *why);
bool box_file_write(const char *path, const bp_box *boxes, size_t count, failure *why);

#endif
