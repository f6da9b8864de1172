// The readers of the tool (cli/formats), as a WebAssembly module: a file is read, or refused with the same sentence, alike
// in a terminal and in the playground. A module of its own, since only those who drop a file need it.
//
// One file an instance. Where the readers meet the file, and where they have a mesh in hand, is ours: input_open and its
// like take bytes from memory; two functions are wrapped by the linker, to keep what a picture needs and a list of boxes has not.
#include "formats/box_files.h"
#include "formats/mesh.h"

#include <stdlib.h>
#include <string.h>

#define READERS_EXPORT(name) __attribute__((export_name(#name))) name

// ---------------------------------------------------------------------------------------------------------------------
// The file

static const char *file_bytes;
static size_t file_size;

bool input_open(input_file *input, const char *path, failure *why) {
    *input = (input_file){.name = path, .size_known = true, .size = file_size};
    return file_size > 0 || failure_set(why, STATUS_FAILED, "%s: is empty; expected rows of data", path);
}

bool input_read(input_file *input, void *memory, size_t size, size_t *got, failure *why) {
    const size_t done = (size_t)input->done, left = file_size - done;
    (void)why;
    *got = size < left ? size : left;
    memcpy(memory, file_bytes + done, *got);
    input->done += *got;
    return true;
}

void input_close(input_file *input) {
    (void)input;
}

// ---------------------------------------------------------------------------------------------------------------------
// What a picture needs beside the boxes

static bool is_of_spheres;
static float (*triangles)[9]; // NULL: the file has none

bool __real_box_list_add(box_list *list, size_t columns, const double *values, uint32_t dimensions, failure *why);
bool __wrap_box_list_add(box_list *list, size_t columns, const double *values, uint32_t dimensions, failure *why);
bool __wrap_box_list_add(box_list *list, size_t columns, const double *values, uint32_t dimensions, failure *why) {
    is_of_spheres = columns == SPHERE_COLUMNS && dimensions == 3;
    return __real_box_list_add(list, columns, values, dimensions, why);
}

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

bool __real_mesh_to_boxes(const mesh *self, uint32_t dimensions, box_list *list, uint32_t *place, failure *why);
bool __wrap_mesh_to_boxes(const mesh *self, uint32_t dimensions, box_list *list, uint32_t *place, failure *why);
bool __wrap_mesh_to_boxes(const mesh *self, uint32_t dimensions, box_list *list, uint32_t *place, failure *why) {
    return __real_mesh_to_boxes(self, dimensions, list, place, why) && keep_triangles(self, why);
}

// ---------------------------------------------------------------------------------------------------------------------
// What JavaScript calls

void *READERS_EXPORT(readers_allocate)(size_t size) {
    return malloc(size);
}

// As files/read.js reads it.
typedef struct reading {
    const void *boxes;
    size_t count;
    const void *triangles;
    uint32_t is_double, is_of_spheres;
    const char *sentence; // NULL: it was read
} reading;

const reading *READERS_EXPORT(readers_read)(const char *name, const char *bytes, size_t size, uint32_t dimensions) {
    static box_list list;
    static failure why;
    static reading result;
    file_bytes = bytes;
    file_size = size;
    const bool good = box_file_read(name, dimensions, &list, &why);
    result = (reading){.boxes = list.is_double ? (const void *)list.doubles : list.data,
                       .count = list.count,
                       .triangles = triangles,
                       .is_double = list.is_double,
                       .is_of_spheres = is_of_spheres,
                       .sentence = good ? NULL : why.text};
    return &result;
}
