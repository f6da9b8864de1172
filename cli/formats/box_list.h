// A list of boxes while a file is read. Boxes of float64 files are kept in 64 bits; those of others are floats, rounded
// outwards, so that no pair is lost.
#ifndef TOOL_BOX_LIST_H
#define TOOL_BOX_LIST_H

#include "formats/box_form.h"

#include <stddef.h>

typedef struct box_list {
    bp_box *data;           // NULL if `is_double`
    bp_box_double *doubles; // NULL unless `is_double`
    size_t count, capacity;
    bool is_double; // 64-bit boxes
    box_form form;  // what the rows were; meshes have boxes
    bool has_rows;  // instead of boxes, of points and rays: as box_form_to_row has them, in 64 bits
} box_list;

bool box_list_reserve(box_list *list, size_t capacity, failure *why);
// Appends the box of one row of numbers, as the list's form has them; the caller adds the place to the failure.
bool box_list_add(box_list *list, const double *values, uint32_t dimensions, failure *why);
// Converts the list to 64-bit boxes.
bool box_list_to_double(box_list *list, failure *why);
void box_list_free(box_list *list);

#endif
