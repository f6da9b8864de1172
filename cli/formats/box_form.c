#include "formats/box_form.h"

#include <math.h>
#include <string.h>

enum { MIN_X, MIN_Y, MIN_Z, MAX_X, MAX_Y, MAX_Z, X, Y, Z, RADIUS, DX, DY, DZ };

static const char *const ROLES[BOX_ROLES] = {"min_x", "min_y", "min_z",  "max_x", "max_y", "max_z", "x",
                                             "y",     "z",     "radius", "dx",    "dy",    "dz"};

static const struct {
    const char *noun;
    size_t columns;
    unsigned char roles[BOX_COLUMNS];
} FORMS[] = {
    [BOX_FORM_BOXES] = {"boxes", 6, {MIN_X, MIN_Y, MIN_Z, MAX_X, MAX_Y, MAX_Z}},
    [BOX_FORM_RECTANGLES] = {"rectangles", 4, {MIN_X, MIN_Y, MAX_X, MAX_Y}},
    [BOX_FORM_SPHERES] = {"spheres", 4, {X, Y, Z, RADIUS}},
    [BOX_FORM_CIRCLES] = {"circles", 3, {X, Y, RADIUS}},
    [BOX_FORM_POINTS] = {"points", 3, {X, Y, Z}},
    [BOX_FORM_FLAT_POINTS] = {"points in 2-D", 2, {X, Y}},
    [BOX_FORM_RAYS] = {"rays", 6, {X, Y, Z, DX, DY, DZ}},
    [BOX_FORM_FLAT_RAYS] = {"rays in 2-D", 4, {X, Y, DX, DY}},
};

size_t box_form_columns(box_form form) {
    return FORMS[form].columns;
}

bool box_form_is_flat(box_form form) {
    return form == BOX_FORM_RECTANGLES || form == BOX_FORM_CIRCLES || form == BOX_FORM_FLAT_POINTS ||
           form == BOX_FORM_FLAT_RAYS;
}

bool box_form_has_radius(box_form form) {
    return form == BOX_FORM_SPHERES || form == BOX_FORM_CIRCLES;
}

static bool has_sides(box_form form) {
    return form == BOX_FORM_BOXES || form == BOX_FORM_RECTANGLES;
}

static bool has_direction(box_form form) {
    return form == BOX_FORM_RAYS || form == BOX_FORM_FLAT_RAYS;
}

static bool is_of_kind(box_form form, box_kind kind) {
    if (kind == BOX_KIND_RAYS) return has_direction(form);
    return !has_direction(form) && (kind == BOX_KIND_BOXES || !has_sides(form));
}

const char *box_form_column(box_form form, size_t index) {
    return ROLES[FORMS[form].roles[index]];
}

const char *box_form_noun(box_form form) {
    return FORMS[form].noun;
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows without names

// Three columns in two dimensions may be a point with a z to be left out, or with a radius: so they are nothing.
box_form box_form_of_count(size_t columns, box_rules rules) {
    static const struct {
        box_kind kind;
        uint32_t dimensions; // 0: any
        size_t columns;
        box_form form;
    } FORMS_BY_COUNT[] = {
        {BOX_KIND_BOXES, 0, 6, BOX_FORM_BOXES},    {BOX_KIND_BOXES, 2, 4, BOX_FORM_RECTANGLES},
        {BOX_KIND_BOXES, 3, 4, BOX_FORM_SPHERES},  {BOX_KIND_POINTS, 3, 3, BOX_FORM_POINTS},
        {BOX_KIND_POINTS, 3, 4, BOX_FORM_SPHERES}, {BOX_KIND_POINTS, 2, 2, BOX_FORM_FLAT_POINTS},
        {BOX_KIND_RAYS, 3, 6, BOX_FORM_RAYS},      {BOX_KIND_RAYS, 2, 4, BOX_FORM_FLAT_RAYS},
    };
    for (size_t i = 0; i < sizeof FORMS_BY_COUNT / sizeof *FORMS_BY_COUNT; i++) {
        const uint32_t dimensions = FORMS_BY_COUNT[i].dimensions;
        if (FORMS_BY_COUNT[i].kind == rules.kind && (dimensions == 0 || dimensions == rules.dimensions) &&
            FORMS_BY_COUNT[i].columns == columns)
            return FORMS_BY_COUNT[i].form;
    }
    return BOX_FORM_NONE;
}

const char *box_form_expected(box_rules rules) {
    static const char *const EXPECTED[][2] = {
        [BOX_KIND_BOXES] = {"6 columns (boxes: min_x,min_y,min_z,max_x,max_y,max_z) or 4 (spheres: x,y,z,radius)",
                            "4 columns (rectangles: min_x,min_y,max_x,max_y) or 6 (boxes: "
                            "min_x,min_y,min_z,max_x,max_y,max_z)"},
        [BOX_KIND_POINTS] = {"3 columns (points: x,y,z) or 4 (x,y,z,radius)", "2 columns (points: x,y)"},
        [BOX_KIND_RAYS] = {"6 columns (rays: x,y,z,dx,dy,dz)", "4 columns (rays: x,y,dx,dy)"},
    };
    return EXPECTED[rules.kind][rules.dimensions == 2];
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows with names

// Small letters, without what stands between words; what is longer than any known name is none.
enum { NAME_MAX_LENGTH = 12 };

static bool simplify(const char *name, size_t length, char text[NAME_MAX_LENGTH + 1]) {
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (strchr("_-. ", name[i]) != NULL) continue;
        if (used == NAME_MAX_LENGTH) return false;
        text[used++] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + ('a' - 'A') : name[i]);
    }
    text[used] = '\0';
    return true;
}

static bool is_axis(char letter) {
    return letter >= 'x' && letter <= 'z';
}

size_t box_role_of_name(const char *name, size_t length) {
    static const struct {
        const char *word;
        size_t role;
    } WORDS[] = {{"min", MIN_X}, {"lo", MIN_X}, {"max", MAX_X},   {"hi", MAX_X},
                 {"d", DX},      {"dir", DX},   {"direction", DX}};
    char text[NAME_MAX_LENGTH + 1] = "";
    if (!simplify(name, length, text)) return BOX_ROLES;
    if (strcmp(text, "radius") == 0 || strcmp(text, "r") == 0) return RADIUS;
    if (is_axis(text[0]) && text[1] == '\0') return X + (size_t)(text[0] - 'x');
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        const size_t word = strlen(WORDS[i].word);
        if (strlen(text) != word + 1) continue;
        if (is_axis(text[0]) && strcmp(text + 1, WORDS[i].word) == 0) return WORDS[i].role + (size_t)(text[0] - 'x');
        if (is_axis(text[word]) && strncmp(text, WORDS[i].word, word) == 0)
            return WORDS[i].role + (size_t)(text[word] - 'x');
    }
    return BOX_ROLES;
}

bool box_name_is_label(const char *name, size_t length) {
    static const char *const LABELS[] = {"", "id", "fid", "index", "key", "row", "name", "label"};
    char text[NAME_MAX_LENGTH + 1] = "";
    if (!simplify(name, length, text)) return false;
    for (size_t i = 0; i < sizeof LABELS / sizeof *LABELS; i++) {
        if (strcmp(text, LABELS[i]) == 0) return true;
    }
    return false;
}

const char *box_role_name(size_t role) {
    return ROLES[role];
}

size_t box_form_index_of_role(box_form form, size_t role) {
    for (size_t i = 0; i < FORMS[form].columns; i++) {
        if (FORMS[form].roles[i] == role) return i;
    }
    return BOX_COLUMNS;
}

static box_form form_with_just(const size_t places[BOX_ROLES]) {
    size_t named = 0;
    for (size_t role = 0; role < BOX_ROLES; role++) named += places[role] != 0;
    for (size_t form = BOX_FORM_BOXES; form < sizeof FORMS / sizeof *FORMS; form++) {
        size_t found = 0;
        for (size_t i = 0; i < FORMS[form].columns; i++) found += places[FORMS[form].roles[i]] != 0;
        if (found == named && found == FORMS[form].columns) return (box_form)form;
    }
    return BOX_FORM_NONE;
}

// Whether a column of an unknown name may be left out: not where it might be what is missing, such as a size or a z.
static bool is_whole(box_form form, box_rules rules) {
    if (box_form_is_flat(form) && rules.dimensions != 2) return false;
    return rules.kind != BOX_KIND_BOXES || has_sides(form) || box_form_has_radius(form);
}

bool box_form_of_roles(const size_t places[BOX_ROLES], bool has_others, box_rules rules, box_form *form, failure *why) {
    *form = form_with_just(places);
    if (*form != BOX_FORM_NONE && !is_of_kind(*form, rules.kind)) {
        return failure_set(why, STATUS_FAILED, "expected %s, the header names %s", box_form_expected(rules),
                           FORMS[*form].noun);
    }
    if (*form == BOX_FORM_NONE) {
        return failure_set(why, STATUS_FAILED,
                           "the header names some columns of a box, but not all, or too many; name "
                           "min_x,min_y,min_z,max_x,max_y,max_z, or min_x,min_y,max_x,max_y, or x,y,z,radius, or "
                           "x,y,radius, or x,y,z, or x,y");
    }
    if (has_others && !is_whole(*form, rules)) {
        return failure_set(
            why, STATUS_FAILED,
            "the header names %s, and a column that is none of theirs; name it (min_z, max_z, radius), or "
            "leave it out%s",
            FORMS[*form].noun, box_form_is_flat(*form) ? ", or call with --set dimensions=2" : "");
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// From the numbers of a row to a box that holds it

// a + b, rounded down once: the sign of the rounding error decides.
static double sum_down(double a, double b) {
    double sum = a + b;
    double b_part = sum - a;
    double lost = (a - (sum - b_part)) + (b - b_part);
    return lost < 0.0 ? nextafter(sum, -INFINITY) : sum;
}

static bool round_to_box(box_form form, const double *values, uint32_t dimensions, bp_box_double *box, failure *why) {
    const size_t axes = box_form_is_flat(form) ? 2 : 3;
    const double radius = box_form_has_radius(form) ? values[axes] : 0.0;
    if (!(radius >= 0.0)) return failure_set(why, STATUS_FAILED, "the radius is %g; expected 0 or more", radius);
    for (size_t axis = 0; axis < axes; axis++) {
        if (axis < dimensions && !isfinite(values[axis])) {
            return failure_set(why, STATUS_FAILED, "%s is %g; expected a finite number", box_form_column(form, axis),
                               values[axis]);
        }
        box->min[axis] = sum_down(values[axis], -radius);
        box->max[axis] = -sum_down(-values[axis], -radius);
    }
    return true;
}

bool box_form_to_box(box_form form, const double *values, uint32_t dimensions, bp_box_double *box, failure *why) {
    *box = (bp_box_double){{0}, {0}};
    if (!has_sides(form)) return round_to_box(form, values, dimensions, box, why);
    const size_t axes = FORMS[form].columns / 2;
    for (size_t axis = 0; axis < axes; axis++) {
        const double min = values[axis], max = values[axis + axes];
        if (axis < dimensions && !(min <= max)) {
            return failure_set(why, STATUS_FAILED, "%s is %.9g and %s is %.9g; expected min <= max, and no nan",
                               box_form_column(form, axis), min, box_form_column(form, axis + axes), max);
        }
        box->min[axis] = min;
        box->max[axis] = max;
    }
    return true;
}

bool box_form_to_row(box_form form, const double *values, uint32_t dimensions, bp_box_double *row, failure *why) {
    const size_t axes = box_form_is_flat(form) ? 2 : 3;
    const double radius = box_form_has_radius(form) ? values[axes] : 0.0;
    *row = (bp_box_double){{0}, {0}};
    if (!(radius >= 0.0)) return failure_set(why, STATUS_FAILED, "the radius is %g; expected 0 or more", radius);
    for (size_t axis = 0; axis < axes; axis++) {
        row->min[axis] = values[axis];
        row->max[axis] = has_direction(form) ? values[axis + axes] : radius;
        if (axis >= dimensions || (isfinite(values[axis]) && isfinite(row->max[axis]))) continue;
        return failure_set(why, STATUS_FAILED, "%s is %g; expected finite numbers", box_form_column(form, axis),
                           values[axis]);
    }
    return true;
}
