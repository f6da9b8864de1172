#include "formats/mesh.h"

#include "formats/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool grow(void **data, size_t *capacity, size_t size, failure *why) {
    const size_t wanted = *capacity == 0 ? 256 : 2 * *capacity;
    void *moved = wanted <= SIZE_MAX / size ? realloc(*data, wanted * size) : NULL;
    if (moved == NULL) return failure_memory(why);
    *data = moved;
    *capacity = wanted;
    return true;
}

bool mesh_read_place(const char *text, const char *word, double place[3], failure *why) {
    enum { SHOWN_MAX = 40 };
    for (size_t axis = 0; axis < 3; axis++) {
        float value = 0;
        const char *end;
        text += strspn(text, " \t");
        const size_t length = strcspn(text, " \t");
        const int shown = length > SHOWN_MAX ? SHOWN_MAX : (int)length;
        const number_result result = number_read_float(text, &end, &value);
        if (result == NUMBER_NONE || strchr(" \t", *end) == NULL) { // '\0' is found too
            return failure_set(why, STATUS_FAILED, "expected three numbers behind %s, found '%.*s' as %c", word, shown,
                               text, "xyz"[axis]);
        }
        if (result == NUMBER_OUT_OF_RANGE) {
            return failure_set(why, STATUS_FAILED, "expected a number of at most 3.4028235e38 either way, found '%.*s'",
                               shown, text);
        }
        place[axis] = (double)value;
        text = end;
    }
    return true;
}

bool mesh_add_vertex(mesh *self, const double place[3], failure *why) {
    void *vertices = self->vertices;
    if (self->vertex_count == self->vertex_capacity &&
        !grow(&vertices, &self->vertex_capacity, sizeof *self->vertices, why)) {
        return false;
    }
    self->vertices = vertices;
    memcpy(self->vertices[self->vertex_count++], place, sizeof *self->vertices);
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Faces

static bool add_triangle(mesh *self, failure *why) {
    void *triangles = self->triangles;
    if (self->triangle_count == self->triangle_capacity &&
        !grow(&triangles, &self->triangle_capacity, sizeof *self->triangles, why)) {
        return false;
    }
    self->triangles = triangles;
    self->triangles[self->triangle_count++] = self->next;
    return true;
}

static void begin(mesh *self, bool is_strip, uint32_t place) {
    self->is_strip = is_strip;
    self->corner_count = 0;
    self->next.place = place;
}

void mesh_begin_face(mesh *self, uint32_t place) {
    begin(self, false, place);
}

void mesh_begin_strip(mesh *self, uint32_t place) {
    begin(self, true, place);
}

// A fan keeps the first corner and the last one, a strip the last two: the oldest of the three goes, which is each of the
// first two by turns.
bool mesh_add_corner(mesh *self, uint32_t vertex, failure *why) {
    uint32_t *corners = self->next.corners;
    const size_t index = self->corner_count++;
    if (index >= 3) corners[self->is_strip && index % 2 == 1 ? 0 : 1] = corners[2];
    corners[index < 3 ? index : 2] = vertex;
    return index < 2 || add_triangle(self, why);
}

bool mesh_end_face(const mesh *self, failure *why) {
    const size_t count = self->corner_count;
    if (count >= 3 || (self->is_strip && count == 0)) return true;
    return failure_set(why, STATUS_FAILED,
                       "the %s has %zu corner%s; expected at least 3: remove it, or save the mesh again",
                       self->is_strip ? "strip" : "face", count, count == 1 ? "" : "s");
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes

static bool check_corner(const mesh *self, uint32_t vertex, uint32_t dimensions, failure *why) {
    const unsigned long long number = (unsigned long long)vertex + self->first_index;
    if (vertex >= self->vertex_count) {
        return failure_set(why, STATUS_FAILED,
                           "the face names vertex %llu, the file has %zu vertices (the first is %zu); save the mesh "
                           "again",
                           number, self->vertex_count, self->first_index);
    }
    for (size_t axis = 0; axis < dimensions; axis++) {
        const double value = self->vertices[vertex][axis];
        if (isfinite(value)) continue;
        return failure_set(why, STATUS_FAILED,
                           "the face names vertex %llu, whose %c is %g; expected a finite number: remove the face, or "
                           "save the mesh again",
                           number, "xyz"[axis], value);
    }
    return true;
}

// As a row of a box file: three minima, three maxima.
static void bounds_of(const mesh *self, const mesh_triangle *triangle, double row[BOX_COLUMNS]) {
    const double *a = self->vertices[triangle->corners[0]];
    const double *b = self->vertices[triangle->corners[1]];
    const double *c = self->vertices[triangle->corners[2]];
    for (size_t axis = 0; axis < 3; axis++) {
        // Of 0 and -0, either may be the smaller one: + 0.0 makes both 0, on every machine.
        row[axis] = fmin(a[axis], fmin(b[axis], c[axis])) + 0.0;
        row[axis + 3] = fmax(a[axis], fmax(b[axis], c[axis])) + 0.0;
    }
}

static bool add_box(const mesh *self, const mesh_triangle *triangle, uint32_t dimensions, box_list *list,
                    failure *why) {
    double row[BOX_COLUMNS];
    for (size_t i = 0; i < 3; i++) {
        if (!check_corner(self, triangle->corners[i], dimensions, why)) return false;
    }
    bounds_of(self, triangle, row);
    return box_list_add(list, row, dimensions, why);
}

bool mesh_to_boxes(const mesh *self, box_rules rules, box_list *list, uint32_t *place, failure *why) {
    *place = 0;
    list->form = BOX_FORM_BOXES;
    if (!box_list_reserve(list, self->triangle_count, why)) return false;
    for (size_t i = 0; i < self->triangle_count; i++) {
        *place = self->triangles[i].place;
        if (!add_box(self, &self->triangles[i], rules.dimensions, list, why)) return false;
    }
    return true;
}

void mesh_free(mesh *self) {
    free(self->vertices);
    free(self->triangles);
    *self = (mesh){0};
}
