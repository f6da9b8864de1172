#include "formats/ply.h"

#include "formats/number.h"

#include <string.h>

static bool is_blank(char character) {
    return character == ' ' || character == '\t';
}

// The words of a line, cut in place.
enum { WORDS_MAX = 6 };
typedef struct line_words {
    const char *at[WORDS_MAX];
    size_t count; // may be more than there is room for
} line_words;

static line_words cut_words(char *line) {
    line_words words = {.count = 0};
    for (;;) {
        while (is_blank(*line)) line++;
        if (*line == '\0') return words;
        if (words.count < WORDS_MAX) words.at[words.count] = line;
        words.count++;
        while (*line != '\0' && !is_blank(*line)) line++;
        if (*line != '\0') *line++ = '\0';
    }
}

static bool is_word(const line_words *words, size_t index, const char *word) {
    return index < words->count && strcmp(words->at[index], word) == 0;
}

static bool fail_header(const line_reader *lines, const char *what, const char *found, failure *why) {
    return failure_set(why, STATUS_FAILED, "%s:%zu: expected %s, found '%.40s'; save the mesh again",
                       lines->input->name, lines->number, what, found);
}

// ---------------------------------------------------------------------------------------------------------------------
// Types

size_t ply_type_size(ply_type type) {
    static const size_t SIZES[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return SIZES[type];
}

static bool find_type(const char *word, ply_type *type) {
    static const char *const NAMES[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                           {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        *type = (ply_type)i;
        if (strcmp(word, NAMES[i][0]) == 0 || strcmp(word, NAMES[i][1]) == 0) return true;
    }
    return false;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Two's complement, whatever the machine has.
static double signed_of(uint64_t bits, uint64_t sign) {
    return bits < sign ? (double)bits : (double)bits - 2 * (double)sign;
}

double ply_load(const unsigned char *bytes, ply_type type, bool is_big_endian) {
    const size_t size = ply_type_size(type);
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits = bits << 8 | bytes[is_big_endian ? i : size - 1 - i];
    switch (type) {
    case PLY_INT8: return signed_of(bits, 1u << 7);
    case PLY_INT16: return signed_of(bits, 1u << 15);
    case PLY_INT32: return signed_of(bits, 1u << 31);
    case PLY_FLOAT: return (double)float_of((uint32_t)bits);
    case PLY_DOUBLE: return double_of(bits);
    default: return (double)bits;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Lines

static bool read_form(const line_reader *lines, const line_words *words, ply_header *header, failure *why) {
    static const char *const NAMES[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && is_word(words, 2, "1.0"); i++) {
        header->form = (ply_form)i;
        if (is_word(words, 1, NAMES[i])) return true;
    }
    return fail_header(lines, "format ascii, binary_little_endian or binary_big_endian 1.0",
                       words->count > 1 ? words->at[1] : "", why);
}

static bool has_element(const ply_header *header, const char *name) {
    for (size_t i = 0; i < header->element_count; i++) {
        if (strcmp(header->elements[i].name, name) == 0) return true;
    }
    return false;
}

static bool add_element(const line_reader *lines, const line_words *words, ply_header *header, failure *why) {
    if (header->element_count == PLY_ELEMENTS) {
        return fail_header(lines, "at most 16 elements", words->count > 1 ? words->at[1] : "", why);
    }
    ply_element *element = &header->elements[header->element_count];
    *element = (ply_element){.first = header->property_count};
    if (words->count != 3 || !number_parse_count(words->at[2], UINT64_MAX, &element->count)) {
        return fail_header(lines, "element NAME COUNT", words->count > 2 ? words->at[2] : "", why);
    }
    if (has_element(header, words->at[1])) return fail_header(lines, "each element once", words->at[1], why);
    const size_t length = strlen(words->at[1]);
    memcpy(element->name, words->at[1], length < PLY_NAME ? length : PLY_NAME - 1);
    header->element_count++;
    return true;
}

static ply_role role_of(const ply_element *element, const ply_property *property, const char *name) {
    static const char *const AXES[] = {"x", "y", "z"};
    const bool is_vertex = strcmp(element->name, "vertex") == 0;
    const bool is_corners =
        property->is_list && (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0);
    for (size_t axis = 0; axis < 3; axis++) {
        if (is_vertex && !property->is_list && strcmp(name, AXES[axis]) == 0) return (ply_role)(PLY_X + axis);
    }
    if (is_corners && strcmp(element->name, "face") == 0) return PLY_CORNERS;
    if (is_corners && strcmp(element->name, "tristrips") == 0) return PLY_STRIPS;
    return PLY_LEFT_OUT;
}

static bool add_property(const line_reader *lines, const line_words *words, ply_header *header, failure *why) {
    static const char EXPECTED[] = "property TYPE NAME or property list TYPE TYPE NAME, behind an element";
    ply_property property = {.is_list = is_word(words, 1, "list")};
    const char *last = words->count > 0 && words->count <= WORDS_MAX ? words->at[words->count - 1] : "";
    if (words->count != (property.is_list ? 5 : 3) || header->element_count == 0) {
        return fail_header(lines, EXPECTED, last, why);
    }
    if (header->property_count == PLY_PROPERTIES) return fail_header(lines, "at most 128 properties", last, why);
    if (property.is_list && (!find_type(words->at[2], &property.count_type) || property.count_type >= PLY_FLOAT)) {
        return fail_header(lines, "the type of a count, as uchar", words->at[2], why);
    }
    const char *type = words->at[words->count - 2];
    if (!find_type(type, &property.type)) return fail_header(lines, "a type, as float or int", type, why);
    ply_element *element = &header->elements[header->element_count - 1];
    property.role = role_of(element, &property, last);
    header->properties[header->property_count++] = property;
    element->property_count++;
    return true;
}

static bool read_line(const line_reader *lines, char *line, ply_header *header, bool *has_form, failure *why) {
    const line_words words = cut_words(line);
    if (words.count == 0 || is_word(&words, 0, "comment") || is_word(&words, 0, "obj_info")) return true;
    if (is_word(&words, 0, "format")) {
        *has_form = true;
        return read_form(lines, &words, header, why);
    }
    if (is_word(&words, 0, "element")) return add_element(lines, &words, header, why);
    if (is_word(&words, 0, "property")) return add_property(lines, &words, header, why);
    return fail_header(lines, "format, element, property, comment or end_header", words.at[0], why);
}

// ---------------------------------------------------------------------------------------------------------------------
// The whole

static size_t count_role(const ply_header *header, ply_role role) {
    size_t count = 0;
    for (size_t i = 0; i < header->property_count; i++) count += header->properties[i].role == role;
    return count;
}

static bool fail_mesh(const line_reader *lines, const char *what, failure *why) {
    return failure_set(why, STATUS_FAILED, "%s: %s", lines->input->name, what);
}

static bool check_mesh(const line_reader *lines, const ply_header *header, failure *why) {
    for (size_t i = 0; i < header->element_count; i++) {
        if (header->elements[i].property_count > 0) continue;
        return failure_set(why, STATUS_FAILED, "%s: the element '%s' has no properties; save the mesh again",
                           lines->input->name, header->elements[i].name);
    }
    if (count_role(header, PLY_X) != 1 || count_role(header, PLY_Y) != 1 || count_role(header, PLY_Z) != 1) {
        return fail_mesh(lines, "expected an element 'vertex' with one property x, one y and one z", why);
    }
    const size_t faces = count_role(header, PLY_CORNERS), strips = count_role(header, PLY_STRIPS);
    if (faces <= 1 && strips <= 1 && faces + strips > 0) return true;
    return fail_mesh(
        lines,
        "expected an element 'face' or 'tristrips' with one list vertex_indices; for points write x,y,z,radius as CSV",
        why);
}

bool ply_read_header(line_reader *lines, ply_header *header, failure *why) {
    static const char KIND[] = "a PLY file";
    char *line = NULL;
    bool has_form = false;
    *header = (ply_header){.element_count = 0};
    if (!line_reader_next(lines, &line, KIND, why)) return false;
    if (line == NULL || strcmp(line, "ply") != 0) {
        return fail_mesh(lines, "is not a PLY file; expected one whose first line is 'ply'", why);
    }
    for (;;) {
        if (!line_reader_next(lines, &line, KIND, why)) return false;
        if (line == NULL)
            return fail_mesh(lines, "ends within its header: it is truncated; copy or save it again", why);
        if (strcmp(line, "end_header") == 0) break;
        if (!read_line(lines, line, header, &has_form, why)) return false;
    }
    if (!has_form) return fail_mesh(lines, "the header has no line 'format'; save the mesh again", why);
    return check_mesh(lines, header, why);
}
