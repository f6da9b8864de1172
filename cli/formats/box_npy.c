// Boxes from NPY: N x 6 (boxes) or N x 4 (spheres), float32 or float64, little-endian, C order.
#include "formats/box_reader.h"
#include "formats/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `remedy` is what to do to the array in Python.
static bool fail_foreign(const input_file *input, const char *what, box_rules rules, const char *remedy, failure *why) {
    return failure_set(why, STATUS_FAILED, "%s: %s; expected %s, float32 or float64, little-endian, C order: %s",
                       input->name, what, box_form_expected(rules), remedy);
}

static const char *remedy_for_columns(uint64_t columns, box_rules rules) {
    const bool is_flat = rules.dimensions == 2;
    if (rules.kind == BOX_KIND_POINTS) {
        if (columns == 2) return "for points in 2-D call with --set dimensions=2";
        return is_flat ? "save array[:, :2]" : "save array[:, :3]";
    }
    if (rules.kind == BOX_KIND_RAYS) return "save numpy.hstack([origins, directions])";
    if (columns == 3 || columns == 2) return "for points save numpy.hstack([array, array])";
    return is_flat ? "save array[:, :4]" : "save array[:, :6]";
}

static bool check_type(const input_file *input, const npy_header *header, box_rules rules, failure *why) {
    if (strcmp(header->type, "<f4") == 0 || strcmp(header->type, "<f8") == 0) return true;
    char what[64];
    const char *kind = header->type[0] == '>' ? "big-endian numbers" : "numbers of another type";
    if (strcmp(header->type, "|O") == 0) kind = "Python objects";
    snprintf(what, sizeof what, "holds %s ('%s')", kind, header->type);
    return fail_foreign(input, what, rules, "save array.astype('<f4')", why);
}

static bool check_header(const input_file *input, const npy_header *header, box_rules rules, box_form *form,
                         failure *why) {
    if (!check_type(input, header, rules, why)) return false;
    char what[64];
    if (header->dimensions != 2) {
        snprintf(what, sizeof what, "has %zu dimension%s", header->dimensions, header->dimensions == 1 ? "" : "s");
        return fail_foreign(input, what, rules,
                            rules.kind == BOX_KIND_POINTS ? "save array.reshape(-1, 3)" : "save array.reshape(-1, 6)",
                            why);
    }
    *form = header->shape[1] <= BOX_COLUMNS ? box_form_of_count((size_t)header->shape[1], rules) : BOX_FORM_NONE;
    if (*form == BOX_FORM_NONE) {
        snprintf(what, sizeof what, "has %llu columns", (unsigned long long)header->shape[1]);
        return fail_foreign(input, what, rules, remedy_for_columns(header->shape[1], rules), why);
    }
    if (header->fortran_order) {
        return fail_foreign(input, "is in Fortran order", rules, "save numpy.ascontiguousarray(array)", why);
    }
    return true;
}

static bool fail_rows(const input_file *input, const npy_header *header, uint64_t rows, failure *why) {
    return failure_set(
        why, STATUS_FAILED,
        "%s: the header announces %llu rows, but the file ends after %llu: it is truncated; copy or save it "
        "again",
        input->name, (unsigned long long)header->shape[0], (unsigned long long)rows);
}

static bool fail_longer(const input_file *input, failure *why) {
    return failure_set(why, STATUS_FAILED,
                       "%s: the file continues after the rows that its header announces; save the array again",
                       input->name);
}

// Compares the size of a regular file with the header before anything is allocated.
static bool check_size(const input_file *input, const npy_header *header, size_t row_bytes, failure *why) {
    if (!input->size_known) return true;
    uint64_t bytes = input->size - input->done;
    if (bytes / row_bytes < header->shape[0]) return fail_rows(input, header, bytes / row_bytes, why);
    if (bytes != header->shape[0] * row_bytes) return fail_longer(input, why);
    return true;
}

typedef struct row_layout {
    size_t columns, bytes;
    bool is_double; // float64
} row_layout;

static bool add_row(const unsigned char *row, row_layout layout, uint32_t dimensions, box_list *list, failure *why) {
    double values[BOX_COLUMNS];
    for (size_t i = 0; i < layout.columns; i++) {
        values[i] = layout.is_double ? npy_load_double(row + 8 * i) : (double)npy_load_float(row + 4 * i);
    }
    return box_list_add(list, values, dimensions, why);
}

static bool add_rows(const input_file *input, const unsigned char *block, size_t count, row_layout layout,
                     uint32_t dimensions, box_list *list, failure *why) {
    for (size_t i = 0; i < count; i++) {
        if (add_row(block + i * layout.bytes, layout, dimensions, list, why)) continue;
        return failure_prefix(why, "%s: row %zu (from 0): ", input->name, list->count);
    }
    return true;
}

static bool read_rows(input_file *input, const npy_header *header, row_layout layout, uint32_t dimensions,
                      unsigned char *block, box_list *list, failure *why) {
    size_t rows_per_block = STREAM_BLOCK / layout.bytes;
    while (list->count < header->shape[0]) {
        uint64_t left = header->shape[0] - list->count;
        size_t rows = left < rows_per_block ? (size_t)left : rows_per_block;
        size_t got;
        if (!input_read(input, block, rows * layout.bytes, &got, why)) return false;
        if (!add_rows(input, block, got / layout.bytes, layout, dimensions, list, why)) return false;
        if (got < rows * layout.bytes) return fail_rows(input, header, list->count, why);
    }
    size_t got;
    if (!input_read(input, block, 1, &got, why)) return false;
    return got == 0 || fail_longer(input, why);
}

bool box_npy_read(input_file *input, box_rules rules, box_list *list, failure *why) {
    npy_header header;
    if (!npy_read_header(input, &header, why) || !check_header(input, &header, rules, &list->form, why)) return false;
    row_layout layout = {.columns = (size_t)header.shape[1], .is_double = strcmp(header.type, "<f8") == 0};
    layout.bytes = layout.columns * (layout.is_double ? sizeof(double) : sizeof(float));
    if (!check_size(input, &header, layout.bytes, why)) return false;
    list->is_double |= layout.is_double;
    // A pipe has no size: there the list grows as rows arrive.
    if (input->size_known && !box_list_reserve(list, (size_t)header.shape[0], why)) return false;
    unsigned char *block = malloc(STREAM_BLOCK);
    if (block == NULL) return failure_memory(why);
    bool good = read_rows(input, &header, layout, rules.dimensions, block, list, why);
    free(block);
    return good;
}
