// The readers of the tool (cli/formats), as a WebAssembly module: a file is read, or refused with the same sentence, alike
// in a terminal and in the playground. A module of its own, since only those who drop a file need it.
#include "formats/box_reader.h"
#include "formats/mesh.h"

#include <stdlib.h>

#define READERS_EXPORT(name) __attribute__((export_name(#name))) name

// A list of boxes does not know the triangles that it was made from, and a picture needs them: the linker has the readers
// call this (--wrap), which keeps them.
static float (*triangles)[9]; // NULL: the file has none

static bool keep_triangles(const mesh *self, failure *why) {
    triangles = malloc((self->triangle_count + 1) * sizeof *triangles);
    if (triangles == NULL) return failure_memory(why);
    for (size_t i = 0; i < self->triangle_count; i++) {
        for (size_t k = 0; k < 9; k++) {
            triangles[i][k] = (float)self->vertices[self->triangles[i].corners[k / 3]][k % 3];
        }
    }
    return true;
}

bool real_to_boxes(const mesh *self, box_rules rules, box_list *list, uint32_t *place,
                   failure *why) __asm__("__real_mesh_to_boxes");
bool keep_and_to_boxes(const mesh *self, box_rules rules, box_list *list, uint32_t *place,
                       failure *why) __asm__("__wrap_mesh_to_boxes");

bool keep_and_to_boxes(const mesh *self, box_rules rules, box_list *list, uint32_t *place, failure *why) {
    return real_to_boxes(self, rules, list, place, why) && keep_triangles(self, why);
}

// ---------------------------------------------------------------------------------------------------------------------
// What JavaScript calls: one file an instance

void *READERS_EXPORT(readers_allocate)(size_t size) {
    return malloc(size);
}

// As files/read.js reads it.
typedef struct reading {
    const void *boxes;
    size_t count;
    const void *triangles;
    uint32_t is_double, has_radius;
    const char *sentence; // NULL: it was read
} reading;

static bool read(const char *name, const void *bytes, size_t size, uint32_t dimensions, box_list *list, failure *why) {
    file_format format;
    input_file input;
    if (!file_format_of_name(name, &format)) {
        return failure_set(why, STATUS_WRONG_CALL,
                           "%s: unknown file type; expected a name ending in .csv, .npy, .npz, .ply, .obj or .stl",
                           name);
    }
    input_from_memory(&input, name, bytes, size);
    return box_read(&input, format, (box_rules){.dimensions = dimensions}, list, why);
}

const reading *READERS_EXPORT(readers_read)(const char *name, const void *bytes, size_t size, uint32_t dimensions) {
    static box_list list;
    static failure why;
    static reading result;
    const bool good = read(name, bytes, size, dimensions, &list, &why);
    result = (reading){.boxes = list.is_double ? (const void *)list.doubles : list.data,
                       .count = list.count,
                       .triangles = triangles,
                       .is_double = list.is_double,
                       .has_radius = box_form_has_radius(list.form),
                       .sentence = good ? NULL : why.text};
    return &result;
}
