// Boxes from STL, the format of 3-D printing: the box of each triangle. Text:
//
//     solid NAME
//       facet normal 0 0 1
//         outer loop
//           vertex 0 0 0
//           vertex 1 0 0
//           vertex 0 1 0
//         endloop
//       endfacet
//     endsolid NAME
//
// or binary, little-endian: 80 bytes of anything, the number of triangles (32 bits), and for each a normal and three vertices
// (floats), and two bytes of anything. Some binary files begin with "solid", too: their length tells, or a zero byte.
// Normals are not looked at.
#include "formats/line_reader.h"
#include "formats/mesh.h"
#include "formats/npy.h"

#include <string.h>
#include <strings.h>

enum { HEADER_BYTES = 84, FACET_BYTES = 50, NORMAL_BYTES = 12 };

typedef struct stl_reader {
    line_reader lines;
    mesh mesh;
} stl_reader;

static bool add_corner(mesh *self, const double place[3], failure *why) {
    return mesh_add_vertex(self, place, why) && mesh_add_corner(self, (uint32_t)(self->vertex_count - 1), why);
}

// ---------------------------------------------------------------------------------------------------------------------
// Binary

static uint32_t load_count(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool read_facet(stl_reader *reader, uint32_t index, const unsigned char *bytes, failure *why) {
    mesh_begin_face(&reader->mesh, index);
    for (size_t corner = 0; corner < 3; corner++) {
        double place[3];
        for (size_t axis = 0; axis < 3; axis++) {
            place[axis] = (double)npy_load_float(bytes + NORMAL_BYTES + 12 * corner + 4 * axis);
        }
        if (!add_corner(&reader->mesh, place, why)) return false;
    }
    return true;
}

static bool read_binary(stl_reader *reader, uint32_t count, failure *why) {
    const char *name = reader->lines.input->name;
    const unsigned char *bytes = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!line_reader_bytes(&reader->lines, FACET_BYTES, &bytes, why)) return false;
        if (bytes == NULL) {
            return failure_set(
                why, STATUS_FAILED,
                "%s: the file announces %lu triangles but ends after %lu: it is truncated; copy or save it again", name,
                (unsigned long)count, (unsigned long)i);
        }
        if (!read_facet(reader, i, bytes, why)) return false;
    }
    if (!line_reader_bytes(&reader->lines, 1, &bytes, why)) return false;
    return bytes == NULL || failure_set(why, STATUS_FAILED,
                                        "%s: the file continues after the %lu triangles that it announces; save "
                                        "the mesh again",
                                        name, (unsigned long)count);
}

// ---------------------------------------------------------------------------------------------------------------------
// Text

static const char *skip_blanks(const char *text) {
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

// What follows a word at the beginning of a line, or NULL if it is another word.
static const char *after_word(const char *line, const char *word) {
    const size_t length = strlen(word);
    if (strncasecmp(line, word, length) != 0 || strchr(" \t", line[length]) == NULL) return NULL; // '\0' is found too
    return skip_blanks(line + length);
}

typedef enum stl_place { OUTSIDE, IN_SOLID, IN_FACET, IN_LOOP, AFTER_LOOP } stl_place;

static bool fail_line(const stl_reader *reader, const char *expected, const char *line, failure *why) {
    const size_t length = strcspn(line, " \t");
    return failure_set(why, STATUS_FAILED, "%s:%zu: expected %s, found '%.*s'; save the mesh again",
                       reader->lines.input->name, reader->lines.number, expected, length > 40 ? 40 : (int)length, line);
}

static bool read_vertex(stl_reader *reader, const char *text, failure *why) {
    double place[3];
    return (mesh_read_place(text, "vertex", place, why) && add_corner(&reader->mesh, place, why)) ||
           failure_prefix(why, "%s:%zu: ", reader->lines.input->name, reader->lines.number);
}

static bool end_loop(stl_reader *reader, failure *why) {
    if (reader->mesh.corner_count == 3) return true;
    return failure_set(why, STATUS_FAILED, "%s:%zu: the loop has %zu vertices; expected 3", reader->lines.input->name,
                       reader->lines.number, reader->mesh.corner_count);
}

// Each line has one word that may come next, or two: vertex and endloop, facet and endsolid.
static bool read_line(stl_reader *reader, const char *line, stl_place *place, failure *why) {
    const char *rest;
    switch (*place) {
    case OUTSIDE: *place = IN_SOLID; return after_word(line, "solid") != NULL || fail_line(reader, "solid", line, why);
    case IN_SOLID:
        *place = after_word(line, "facet") != NULL ? IN_FACET : OUTSIDE;
        return *place == IN_FACET || after_word(line, "endsolid") != NULL ||
               fail_line(reader, "facet or endsolid", line, why);
    case IN_FACET:
        *place = IN_LOOP;
        mesh_begin_face(&reader->mesh, (uint32_t)reader->lines.number);
        return after_word(line, "outer") != NULL || fail_line(reader, "outer loop", line, why);
    case IN_LOOP:
        rest = after_word(line, "vertex");
        if (rest != NULL) return read_vertex(reader, rest, why);
        *place = AFTER_LOOP;
        return after_word(line, "endloop") != NULL ? end_loop(reader, why)
                                                   : fail_line(reader, "vertex or endloop", line, why);
    case AFTER_LOOP: break;
    }
    *place = IN_SOLID;
    return after_word(line, "endfacet") != NULL || fail_line(reader, "endfacet", line, why);
}

static bool read_text(stl_reader *reader, failure *why) {
    stl_place place = OUTSIDE;
    char *line = NULL;
    for (;;) {
        if (!line_reader_next(&reader->lines, &line, "an STL file", why)) return false;
        if (line == NULL) break;
        const char *text = skip_blanks(line);
        if (text + strlen(text) != reader->lines.line_end) {
            return failure_set(why, STATUS_FAILED, "%s:%zu: expected text, found a zero byte",
                               reader->lines.input->name, reader->lines.number);
        }
        if (*text != '\0' && !read_line(reader, text, &place, why)) return false;
    }
    return place == OUTSIDE ||
           failure_set(why, STATUS_FAILED, "%s: the file ends within a solid: it is truncated; copy or save it again",
                       reader->lines.input->name);
}

// ---------------------------------------------------------------------------------------------------------------------
// The file

// The number of triangles has a zero byte, unless they are very many.
static bool is_text(const unsigned char *head) {
    size_t begin = 0;
    while (begin < HEADER_BYTES && strchr(" \t\r\n", (char)head[begin]) != NULL && head[begin] != '\0') begin++;
    return begin + 5 <= HEADER_BYTES && strncasecmp((const char *)head + begin, "solid", 5) == 0 &&
           memchr(head, '\0', HEADER_BYTES) == NULL;
}

static bool read_mesh(stl_reader *reader, bool *has_lines, failure *why) {
    const input_file *input = reader->lines.input;
    const unsigned char *head = NULL;
    if (!line_reader_bytes(&reader->lines, HEADER_BYTES, &head, why)) return false;
    const uint32_t count = head == NULL ? 0 : load_count(head + HEADER_BYTES - 4);
    const bool has_length =
        head != NULL && input->size_known && input->size == HEADER_BYTES + (uint64_t)FACET_BYTES * count;
    *has_lines = head == NULL || (!has_length && is_text(head));
    if (!*has_lines) return read_binary(reader, count, why);
    if (head != NULL) line_reader_unread(&reader->lines, HEADER_BYTES);
    return read_text(reader, why);
}

bool box_stl_read(input_file *input, box_rules rules, box_list *list, failure *why) {
    stl_reader reader = {.mesh = {.first_index = 0}};
    bool has_lines = false;
    uint32_t place = 0;
    if (!line_reader_begin(&reader.lines, input, why)) return false;
    bool good = read_mesh(&reader, &has_lines, why);
    if (good && reader.mesh.triangle_count == 0) {
        good = failure_set(why, STATUS_FAILED, "%s: has no triangles", input->name);
    }
    if (good && !mesh_to_boxes(&reader.mesh, rules, list, &place, why)) {
        good = has_lines ? failure_prefix(why, "%s:%u: ", input->name, place)
                         : failure_prefix(why, "%s: triangle %u (from 0): ", input->name, place);
    }
    line_reader_end(&reader.lines);
    mesh_free(&reader.mesh);
    return good;
}
