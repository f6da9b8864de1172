#include "formats/box_reader.h"

#include <string.h>
#include <strings.h>

bool file_format_of_name(const char *name, file_format *format) {
    static const char *const EXTENSIONS[] = {".csv", ".npy", ".ply", ".obj"};
    const char *dot = strrchr(name, '.');
    *format = FORMAT_CSV;
    if (strcmp(name, "-") == 0) return true;
    for (size_t i = 0; dot != NULL && i < sizeof EXTENSIONS / sizeof *EXTENSIONS; i++) {
        *format = (file_format)i;
        if (strcasecmp(dot, EXTENSIONS[i]) == 0) return true;
    }
    return false;
}

bool box_read(input_file *input, file_format format, box_rules rules, box_list *list, failure *why) {
    static bool (*const READERS[])(input_file *, box_rules, box_list *, failure *) = {[FORMAT_CSV] = box_csv_read,
                                                                                      [FORMAT_NPY] = box_npy_read,
                                                                                      [FORMAT_PLY] = box_ply_read,
                                                                                      [FORMAT_OBJ] = box_obj_read};
    *list = (box_list){0};
    if (READERS[format](input, rules, list, why)) return true;
    box_list_free(list);
    return false;
}
