// Boxes from PLY: the box of each triangle of its faces and strips. Text, or binary in either byte order; other elements and
// properties are read over.
#include "formats/mesh.h"
#include "formats/number.h"
#include "formats/ply.h"

#include <string.h>

typedef struct ply_reader {
    line_reader lines;
    ply_header header;
    mesh mesh;
    const ply_element *element;      // at hand
    uint64_t index;                  // of the one at hand, from 0
    const char *text;                // the rest of its line, in text files
    double place[3];                 // of a vertex
    uint32_t strip;                  // at hand, from 0, whichever lists they are in
    size_t strips_begin, strips_end; // their triangles, in the mesh
} ply_reader;

// Puts the place in front: the line in text files, and which element it is.
static bool fail_here(const ply_reader *reader, failure *why) {
    const char *name = reader->lines.input->name;
    const unsigned long long index = reader->index;
    return reader->header.form == PLY_ASCII
               ? failure_prefix(why, "%s:%zu: %s %llu (from 0): ", name, reader->lines.number, reader->element->name,
                                index)
               : failure_prefix(why, "%s: %s %llu (from 0): ", name, reader->element->name, index);
}

static bool fail_cut_off(failure *why) {
    return failure_set(
        why, STATUS_FAILED,
        "the file ends here, before everything that its header announces: it is truncated; copy or save it again");
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

static const char *skip_blanks(const char *text) {
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

static bool read_text(ply_reader *reader, ply_type type, double *value, failure *why) {
    const char *text = skip_blanks(reader->text), *end = text;
    float narrow = 0;
    const number_result result =
        type == PLY_FLOAT ? number_read_float(text, &end, &narrow) : number_read_double(text, &end, value);
    if (result == NUMBER_NONE || strchr(" \t", *end) == NULL) { // '\0' is found too
        const size_t length = strcspn(text, " \t");
        return failure_set(why, STATUS_FAILED, "expected a number, found '%.*s'", length > 40 ? 40 : (int)length, text);
    }
    if (type == PLY_FLOAT) *value = (double)narrow;
    reader->text = end;
    return true;
}

static bool read_number(ply_reader *reader, ply_type type, double *value, failure *why) {
    const unsigned char *bytes;
    if (reader->header.form == PLY_ASCII) return read_text(reader, type, value, why);
    if (!line_reader_bytes(&reader->lines, ply_type_size(type), &bytes, why)) return false;
    if (bytes == NULL) return fail_cut_off(why);
    *value = ply_load(bytes, type, reader->header.form == PLY_BIG_ENDIAN);
    return true;
}

// A count or the number of a vertex.
static bool to_whole(double value, const char *what, uint32_t *whole, failure *why) {
    if (!(value >= 0 && value <= (double)UINT32_MAX) || value != (double)(uint32_t)value) {
        return failure_set(why, STATUS_FAILED, "expected %s, found %.9g; save the mesh again", what, value);
    }
    *whole = (uint32_t)value;
    return true;
}

static bool read_whole(ply_reader *reader, ply_type type, const char *what, uint32_t *whole, failure *why) {
    double value = 0;
    return read_number(reader, type, &value, why) && to_whole(value, what, whole, why);
}

// ---------------------------------------------------------------------------------------------------------------------
// Elements

static bool read_corners(ply_reader *reader, const ply_property *property, uint32_t count, failure *why) {
    mesh_begin_face(&reader->mesh, reader->index < UINT32_MAX ? (uint32_t)reader->index : UINT32_MAX);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vertex = 0;
        if (!read_whole(reader, property->type, "the number of a vertex, from 0", &vertex, why)) return false;
        if (!mesh_add_corner(&reader->mesh, vertex, why)) return false;
    }
    return mesh_end_face(&reader->mesh, why);
}

static bool begin_next_strip(ply_reader *reader, failure *why) {
    if (!mesh_end_face(&reader->mesh, why)) return false;
    if (reader->mesh.corner_count > 0) reader->strip++; // there may be a -1 behind the last one, too
    mesh_begin_strip(&reader->mesh, reader->strip);
    return true;
}

static bool read_strip_corner(ply_reader *reader, ply_type type, failure *why) {
    double value = 0;
    uint32_t vertex = 0;
    if (!read_number(reader, type, &value, why)) return false;
    if (value == -1) return begin_next_strip(reader, why);
    return to_whole(value, "the number of a vertex, from 0, or -1 behind a strip", &vertex, why) &&
           mesh_add_corner(&reader->mesh, vertex, why);
}

static bool read_strips(ply_reader *reader, const ply_property *property, uint32_t count, failure *why) {
    mesh_begin_strip(&reader->mesh, reader->strip);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) good = read_strip_corner(reader, property->type, why);
    good = good && begin_next_strip(reader, why);
    return good || failure_prefix(why, "strip %u (from 0): ", reader->strip);
}

static bool read_list(ply_reader *reader, const ply_property *property, failure *why) {
    uint32_t count = 0;
    double ignored;
    if (!read_whole(reader, property->count_type, "the length of a list", &count, why)) return false;
    if (property->role == PLY_CORNERS) return read_corners(reader, property, count, why);
    if (property->role == PLY_STRIPS) return read_strips(reader, property, count, why);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_number(reader, property->type, &ignored, why)) return false;
    }
    return true;
}

static bool read_property(ply_reader *reader, const ply_property *property, failure *why) {
    double value = 0;
    if (property->is_list) return read_list(reader, property, why);
    if (!read_number(reader, property->type, &value, why)) return false;
    if (property->role != PLY_LEFT_OUT) reader->place[property->role - PLY_X] = value;
    return true;
}

// In text files each has a line of its own; empty lines are skipped.
static bool begin_line(ply_reader *reader, failure *why) {
    char *line = NULL;
    do {
        if (!line_reader_next(&reader->lines, &line, "a PLY file", why)) return false;
        if (line == NULL) return fail_cut_off(why);
        reader->text = skip_blanks(line);
    } while (reader->text == reader->lines.line_end);
    return true;
}

static bool end_line(const ply_reader *reader, failure *why) {
    const char *rest = skip_blanks(reader->text);
    if (rest == reader->lines.line_end) return true;
    return failure_set(
        why, STATUS_FAILED,
        "expected the end of the line, found '%.40s', which the header does not announce; save the mesh again",
        *rest == '\0' ? "a zero byte" : rest);
}

static bool read_one(ply_reader *reader, failure *why) {
    const ply_element *element = reader->element;
    const bool is_text = reader->header.form == PLY_ASCII;
    if (is_text && !begin_line(reader, why)) return false;
    for (size_t i = 0; i < element->property_count; i++) {
        if (!read_property(reader, &reader->header.properties[element->first + i], why)) return false;
    }
    return !is_text || end_line(reader, why);
}

static bool read_element(ply_reader *reader, failure *why) {
    const bool is_vertex = strcmp(reader->element->name, "vertex") == 0;
    const size_t begin = reader->mesh.triangle_count;
    for (reader->index = 0; reader->index < reader->element->count; reader->index++) {
        if (!read_one(reader, why)) return fail_here(reader, why);
        if (is_vertex && !mesh_add_vertex(&reader->mesh, reader->place, why)) return false;
    }
    if (strcmp(reader->element->name, "tristrips") == 0) {
        reader->strips_begin = begin;
        reader->strips_end = reader->mesh.triangle_count;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The file

// White space may follow, nothing else.
static bool check_end(ply_reader *reader, failure *why) {
    const unsigned char *byte = NULL;
    do {
        if (!line_reader_bytes(&reader->lines, 1, &byte, why)) return false;
    } while (byte != NULL && strchr(" \t\r\n", (char)*byte) != NULL && *byte != '\0');
    return byte == NULL ||
           failure_set(why, STATUS_FAILED,
                       "%s: the file continues after everything that its header announces; save the mesh again",
                       reader->lines.input->name);
}

static bool read_data(ply_reader *reader, failure *why) {
    for (size_t i = 0; i < reader->header.element_count; i++) {
        reader->element = &reader->header.elements[i];
        if (!read_element(reader, why)) return false;
    }
    return check_end(reader, why);
}

// Coordinates that a float cannot hold stay in 64 bits.
static bool has_wide_coordinates(const ply_header *header) {
    for (size_t i = 0; i < header->property_count; i++) {
        const ply_property *property = &header->properties[i];
        const bool is_place = property->role == PLY_X || property->role == PLY_Y || property->role == PLY_Z;
        const bool is_wide =
            property->type == PLY_DOUBLE || property->type == PLY_INT32 || property->type == PLY_UINT32;
        if (is_place && is_wide) return true;
    }
    return false;
}

static bool make_boxes(const ply_reader *reader, box_rules rules, box_list *list, failure *why) {
    const char *name = reader->lines.input->name;
    uint32_t place = 0;
    if (reader->mesh.triangle_count == 0) {
        return failure_set(why, STATUS_FAILED,
                           "%s: has %zu vertices and no faces; for points write x,y,z,radius as CSV", name,
                           reader->mesh.vertex_count);
    }
    list->is_double = has_wide_coordinates(&reader->header);
    if (mesh_to_boxes(&reader->mesh, rules, list, &place, why)) return true;
    const bool is_strip = list->count >= reader->strips_begin && list->count < reader->strips_end;
    return failure_prefix(why, "%s: %s %u (from 0): ", name, is_strip ? "strip" : "face", place);
}

bool box_ply_read(input_file *input, box_rules rules, box_list *list, failure *why) {
    ply_reader reader = {.element = NULL};
    if (!line_reader_begin(&reader.lines, input, why)) return false;
    const bool good = ply_read_header(&reader.lines, &reader.header, why) && read_data(&reader, why) &&
                      make_boxes(&reader, rules, list, why);
    line_reader_end(&reader.lines);
    mesh_free(&reader.mesh);
    return good;
}
