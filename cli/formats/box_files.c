#include "formats/box_files.h"

#include "formats/npy.h"
#include "formats/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool find_format(const char *path, file_format *format) {
    static const char *const EXTENSIONS[] = {".csv", ".npy", ".ply", ".obj"};
    const char *dot = strrchr(path, '.');
    *format = FORMAT_CSV;
    if (strcmp(path, "-") == 0) return true;
    for (size_t i = 0; dot != NULL && i < sizeof EXTENSIONS / sizeof *EXTENSIONS; i++) {
        *format = (file_format)i;
        if (strcasecmp(dot, EXTENSIONS[i]) == 0) return true;
    }
    return false;
}

static bool fail_name(const char *path, const char *expected, failure *why) {
    if (*path == '\0') return failure_set(why, STATUS_WRONG_CALL, "expected the name of a file, found an empty word");
    return failure_set(why, STATUS_WRONG_CALL, "%s: %s, or - for CSV through a pipe", path, expected);
}

bool file_format_of_input(const char *path, file_format *format, failure *why) {
    return find_format(path, format) ||
           fail_name(path, "unknown file type; expected a name ending in .csv, .npy, .ply or .obj", why);
}

bool file_format_of_output(const char *path, file_format *format, failure *why) {
    if (!find_format(path, format)) {
        return fail_name(path, "unknown file type; expected a name ending in .csv or .npy", why);
    }
    return *format == FORMAT_CSV || *format == FORMAT_NPY ||
           fail_name(path, "meshes are read, not written; expected a name ending in .csv or .npy", why);
}

const char *box_column_name(size_t columns, size_t index) {
    static const char *const box[BOX_COLUMNS] = {"min_x", "min_y", "min_z", "max_x", "max_y", "max_z"};
    static const char *const sphere[SPHERE_COLUMNS] = {"x", "y", "z", "radius"};
    return columns == SPHERE_COLUMNS ? sphere[index] : box[index];
}

// ---------------------------------------------------------------------------------------------------------------------
// From the numbers of a row to a box that holds it

static float round_down(double value) {
    if (isinf(value)) return (float)value;
    if (value > (double)FLT_MAX) return FLT_MAX;
    if (value < -(double)FLT_MAX) return -INFINITY;
    float nearest = (float)value;
    return (double)nearest > value ? nextafterf(nearest, -INFINITY) : nearest;
}

// a + b, rounded down once: the sign of the rounding error decides.
static double sum_down(double a, double b) {
    double sum = a + b;
    double b_part = sum - a;
    double lost = (a - (sum - b_part)) + (b - b_part);
    return lost < 0.0 ? nextafter(sum, -INFINITY) : sum;
}

static bool sphere_to_box(const double *values, uint32_t dimensions, bp_box_double *box, failure *why) {
    double radius = values[3];
    if (!(radius >= 0.0)) return failure_set(why, STATUS_FAILED, "the radius is %g; expected 0 or more", radius);
    for (size_t axis = 0; axis < 3; axis++) {
        if (axis < dimensions && !isfinite(values[axis])) {
            return failure_set(why, STATUS_FAILED, "%s is %g; expected a finite number",
                               box_column_name(SPHERE_COLUMNS, axis), values[axis]);
        }
        box->min[axis] = sum_down(values[axis], -radius);
        box->max[axis] = -sum_down(-values[axis], -radius);
    }
    return true;
}

static bool row_to_box(const double *values, uint32_t dimensions, bp_box_double *box, failure *why) {
    for (size_t axis = 0; axis < 3; axis++) {
        double min = values[axis], max = values[axis + 3];
        if (axis < dimensions && !(min <= max)) {
            return failure_set(why, STATUS_FAILED, "%s is %.9g and %s is %.9g; expected min <= max, and no nan",
                               box_column_name(BOX_COLUMNS, axis), min, box_column_name(BOX_COLUMNS, axis + 3), max);
        }
        box->min[axis] = min;
        box->max[axis] = max;
    }
    return true;
}

static bp_box narrow(const bp_box_double *box) {
    bp_box result;
    for (size_t axis = 0; axis < 3; axis++) {
        result.min[axis] = round_down(box->min[axis]);
        result.max[axis] = -round_down(-box->max[axis]);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// The list

bool box_list_reserve(box_list *list, size_t capacity, failure *why) {
    size_t size = list->is_double ? sizeof(bp_box_double) : sizeof(bp_box);
    if (capacity <= list->capacity) return true;
    if (capacity > SIZE_MAX / size) return failure_memory(why);
    void *data = realloc(list->is_double ? (void *)list->doubles : (void *)list->data, capacity * size);
    if (data == NULL) return failure_memory(why);
    if (list->is_double) {
        list->doubles = data;
    } else {
        list->data = data;
    }
    list->capacity = capacity;
    return true;
}

static bool make_room(box_list *list, failure *why) {
    enum { FIRST_CAPACITY = 1024 };
    if (list->count < list->capacity) return true;
    return box_list_reserve(list, list->capacity == 0 ? FIRST_CAPACITY : 2 * list->capacity, why);
}

bool box_list_add(box_list *list, size_t columns, const double *values, uint32_t dimensions, failure *why) {
    bp_box_double box = {{0}, {0}};
    bool valid = columns == SPHERE_COLUMNS ? sphere_to_box(values, dimensions, &box, why)
                                           : row_to_box(values, dimensions, &box, why);
    if (!valid || !make_room(list, why)) return false;
    if (list->is_double) {
        list->doubles[list->count++] = box;
    } else {
        list->data[list->count++] = narrow(&box);
    }
    return true;
}

bool box_list_to_double(box_list *list, failure *why) {
    if (list->is_double) return true;
    size_t capacity = list->count + 1; // not 0, for which calloc may return NULL
    bp_box_double *doubles = calloc(capacity, sizeof *doubles);
    if (doubles == NULL) return failure_memory(why);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            doubles[i].min[axis] = (double)list->data[i].min[axis];
            doubles[i].max[axis] = (double)list->data[i].max[axis];
        }
    }
    free(list->data);
    *list = (box_list){.doubles = doubles, .count = list->count, .capacity = capacity, .is_double = true};
    return true;
}

void box_list_free(box_list *list) {
    free(list->data);
    free(list->doubles);
    *list = (box_list){0};
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

bool box_file_read(const char *path, uint32_t dimensions, box_list *list, failure *why) {
    static bool (*const READERS[])(input_file *, uint32_t, box_list *, failure *) = {[FORMAT_CSV] = box_csv_read,
                                                                                     [FORMAT_NPY] = box_npy_read,
                                                                                     [FORMAT_PLY] = box_ply_read,
                                                                                     [FORMAT_OBJ] = box_obj_read};
    file_format format = FORMAT_CSV;
    input_file input;
    *list = (box_list){0};
    if (!file_format_of_input(path, &format, why) || !input_open(&input, path, why)) return false;
    bool done = READERS[format](&input, dimensions, list, why);
    input_close(&input);
    if (!done) box_list_free(list);
    return done;
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
