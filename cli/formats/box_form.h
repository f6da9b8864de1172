// What the numbers of a row mean: decided here for every format of files and at every door.
//
// A header that names columns is obeyed: any order, and columns of other names are left out where nothing can be missing.
// Without names the number of columns decides, and the dimensions that were asked for. What is left open is refused.
#ifndef TOOL_BOX_FORM_H
#define TOOL_BOX_FORM_H

#include "formats/failure.h"

#include <broadphase/broadphase.h>

typedef enum box_form {
    BOX_FORM_NONE,
    BOX_FORM_BOXES,       // min_x,min_y,min_z,max_x,max_y,max_z
    BOX_FORM_RECTANGLES,  // min_x,min_y,max_x,max_y
    BOX_FORM_SPHERES,     // x,y,z,radius
    BOX_FORM_CIRCLES,     // x,y,radius
    BOX_FORM_POINTS,      // x,y,z
    BOX_FORM_FLAT_POINTS, // x,y
    BOX_FORM_RAYS,        // x,y,z,dx,dy,dz
    BOX_FORM_FLAT_RAYS,   // x,y,dx,dy
} box_form;

enum { BOX_COLUMNS = 6, BOX_ROLES = 13 }; // the most that a form has; what a column can be

// What the caller wants to read.
typedef enum box_kind {
    BOX_KIND_BOXES,  // or what has a box: spheres, points
    BOX_KIND_POINTS, // perhaps with a radius
    BOX_KIND_RAYS
} box_kind;

typedef struct box_rules {
    uint32_t dimensions; // 2 or 3
    box_kind kind;
} box_rules;

size_t box_form_columns(box_form form);
bool box_form_is_flat(box_form form); // it has no z
bool box_form_has_radius(box_form form);
// "min_x", or of spheres "x".
const char *box_form_column(box_form form, size_t index);
const char *box_form_noun(box_form form); // "rectangles"

// Rows without names; BOX_FORM_NONE where their number is not allowed or leaves it open.
box_form box_form_of_count(size_t columns, box_rules rules);
// What is allowed without names, for messages: "6 columns (boxes: ...) or 4 (...)".
const char *box_form_expected(box_rules rules);

// The role of a column by its name: min_x, minx, x_min, xmin, xlo, "Min X"; x, y, z; radius, r; dx, direction_x.
// BOX_ROLES: none.
size_t box_role_of_name(const char *name, size_t length);
const char *box_role_name(size_t role);
// Whether a column of this name only tells which row is which: it has no name, or one such as id. It is left out.
bool box_name_is_label(const char *name, size_t length);
// The form that a header names: `places` has the column of each role, from 1, or 0. *value_of gets, for each role, its place
// in a row of the form. `has_others`: there are columns without a role that are no
// labels.
bool box_form_of_roles(const size_t places[BOX_ROLES], bool has_others, box_rules rules, box_form *form, failure *why);
size_t box_form_index_of_role(box_form form, size_t role); // BOX_COLUMNS: not in it

// The box of a row of numbers, rounded outwards: of rectangles and circles z is 0. With 2 dimensions z is not looked at.
bool box_form_to_box(box_form form, const double *values, uint32_t dimensions, bp_box_double *box, failure *why);
// A row as it is, in the place of a box: the point or the origin as min; the radius, three times, or the direction as max.
bool box_form_to_row(box_form form, const double *values, uint32_t dimensions, bp_box_double *row, failure *why);

#endif
