#include "formats/box_files.h"

#include "formats/npy.h"
#include "formats/number.h"

#include <string.h>
#include <sys/stat.h>

static bool fail_name(const char *path, const char *expected, failure *why) {
    if (*path == '\0') return failure_set(why, STATUS_WRONG_CALL, "expected the name of a file, found an empty word");
    return failure_set(why, STATUS_WRONG_CALL, "%s: %s, or - for CSV through a pipe", path, expected);
}

// A pipe, a terminal, /dev/null; or /dev/stdin, whatever is behind it.
bool file_is_device(const char *path) {
    struct stat status;
    if (strncmp(path, "/dev/", 5) == 0) return true;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool file_format_of_input(const char *path, file_format *format, failure *why) {
    if (file_format_of_name(path, format)) return true;
    *format = FORMAT_CSV;
    return file_is_device(path) ||
           fail_name(path, "unknown file type; expected a name ending in .csv, .npy, .npz, .ply, .obj or .stl", why);
}

bool file_format_of_output(const char *path, file_format *format, failure *why) {
    if (!file_format_of_name(path, format)) {
        *format = FORMAT_CSV;
        return file_is_device(path) ||
               fail_name(path, "unknown file type; expected a name ending in .csv or .npy", why);
    }
    return *format == FORMAT_CSV || *format == FORMAT_NPY ||
           fail_name(path,
                     *format == FORMAT_NPZ ? "archives can only be read; expected a name ending in .csv or .npy"
                                           : "meshes can only be read; expected a name ending in .csv or .npy",
                     why);
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

bool row_file_read(const char *path, box_rules rules, box_list *list, failure *why) {
    file_format format = FORMAT_CSV;
    input_file input;
    *list = (box_list){0};
    if (!file_format_of_input(path, &format, why) || !input_open(&input, path, why)) return false;
    const bool done = box_read(&input, format, rules, list, why);
    input_close(&input);
    return done;
}

bool box_file_read(const char *path, uint32_t dimensions, box_list *list, failure *why) {
    return row_file_read(path, (box_rules){.dimensions = dimensions}, list, why);
}

enum { ROW_LENGTH_MAX = BOX_COLUMNS * NUMBER_LENGTH_MAX };

static char *write_row(char *to, const float numbers[BOX_COLUMNS]) {
    for (size_t i = 0; i < BOX_COLUMNS; i++) {
        to = number_write_float(to, numbers[i]);
        *to++ = i + 1 < BOX_COLUMNS ? ',' : '\n';
    }
    return to;
}

static void write_csv(output_file *output, const bp_box *boxes, size_t count) {
    output_text(output, "min_x,min_y,min_z,max_x,max_y,max_z\n");
    for (size_t i = 0; i < count && !output_broken(output); i++) {
        float numbers[BOX_COLUMNS];
        memcpy(numbers, &boxes[i], sizeof numbers);
        output_advance(output, write_row(output_room(output, ROW_LENGTH_MAX), numbers));
    }
}

static void write_npy(output_file *output, const bp_box *boxes, size_t count) {
    npy_write_header(output, "<f4", count, BOX_COLUMNS);
    for (size_t i = 0; i < count && !output_broken(output); i++) {
        uint32_t words[BOX_COLUMNS];
        memcpy(words, &boxes[i], sizeof words);
        npy_write_u32(output, words, BOX_COLUMNS);
    }
}

bool box_file_write(const char *path, const bp_box *boxes, size_t count, failure *why) {
    file_format format = FORMAT_CSV;
    output_file output;
    if (!file_format_of_output(path, &format, why) || !output_open(&output, path, why)) return false;
    if (format == FORMAT_NPY) {
        write_npy(&output, boxes, count);
    } else {
        write_csv(&output, boxes, count);
    }
    return output_close(&output, why);
}
