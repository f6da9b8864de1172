#include "formats/box_reader.h"

#include <string.h>
#include <strings.h>

bool file_format_of_name(const char *name, file_format *format) {
    static const char *const EXTENSIONS[] = {".csv", ".npy", ".ply", ".obj", ".stl", ".npz"};
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
    static bool (*const READERS[])(input_file *, box_rules, box_list *, failure *) = {
        [FORMAT_CSV] = box_csv_read, [FORMAT_NPY] = box_npy_read, [FORMAT_PLY] = box_ply_read,
        [FORMAT_OBJ] = box_obj_read, [FORMAT_STL] = box_stl_read, [FORMAT_NPZ] = box_npz_read};
    const bool is_mesh = format == FORMAT_PLY || format == FORMAT_OBJ || format == FORMAT_STL;
    *list = (box_list){.has_rows = rules.kind != BOX_KIND_BOXES, .is_double = rules.kind != BOX_KIND_BOXES};
    if (is_mesh && list->has_rows) {
        return failure_set(why, STATUS_FAILED, "%s: is a mesh; expected %s, as CSV or .npy", input->name,
                           box_form_expected(rules));
    }
    if (READERS[format](input, rules, list, why)) return true;
    box_list_free(list);
    return false;
}
