// Boxes from OBJ, the text format of Wavefront: the box of each triangle of its faces.
//
//     v X Y Z ...          a vertex; what follows (a weight, a color) is not looked at
//     f A B C ...          a face: each corner is V, V/T, V//N or V/T/N, of which only V counts, the number of a vertex
//                          from 1, or from the end of those so far: -1 is the last one
//
// Texture, normals, groups, materials, lines and points are left out. Free-form surfaces, and words that nobody knows,
// are refused: to skip them would lose pairs.
#include "formats/line_reader.h"
#include "formats/mesh.h"
#include "formats/number.h"

#include <string.h>

typedef struct obj_reader {
    line_reader lines;
    mesh mesh;
} obj_reader;

static bool fail_line(const obj_reader *reader, failure *why) {
    return failure_prefix(why, "%s:%zu: ", reader->lines.input->name, reader->lines.number);
}

static bool is_blank(char character) {
    return character == ' ' || character == '\t';
}

static const char *skip_blanks(const char *text) {
    while (is_blank(*text)) text++;
    return text;
}

// A word as messages show it.
static int word_length(const char *text) {
    enum { SHOWN_MAX = 40 };
    const size_t length = strcspn(text, " \t");
    return length > SHOWN_MAX ? SHOWN_MAX : (int)length;
}

// ---------------------------------------------------------------------------------------------------------------------
// Vertices and faces

static bool read_vertex(obj_reader *reader, const char *text, failure *why) {
    double place[3];
    return mesh_read_place(text, "v", place, why) && mesh_add_vertex(&reader->mesh, place, why);
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

// The end of a whole number of at most 32 bits, or NULL.
static const char *read_whole(const char *text, int64_t *value) {
    const bool is_negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+' ? 1 : 0), *end = digits;
    int64_t whole = 0;
    for (; is_digit(*end) && whole <= UINT32_MAX; end++) whole = 10 * whole + (*end - '0');
    *value = is_negative ? -whole : whole;
    return end == digits || is_digit(*end) || whole > UINT32_MAX ? NULL : end;
}

// Behind the number of a vertex: nothing, or what it is joined with.
static const char *skip_joined(const char *text) {
    int64_t ignored;
    for (size_t i = 0; i < 2 && *text == '/'; i++) {
        const char *end = read_whole(++text, &ignored);
        text = end != NULL ? end : text;
    }
    return *text == '\0' || is_blank(*text) ? text : NULL;
}

static bool fail_corner(const char *text, failure *why) {
    return failure_set(
        why, STATUS_FAILED,
        "expected the corners of a face as V, V/T, V//N or V/T/N, with V from 1, or from -1 for the last "
        "vertex, found '%.*s'",
        word_length(text), text);
}

static bool add_corner(obj_reader *reader, const char **text, failure *why) {
    const int64_t count = (int64_t)reader->mesh.vertex_count;
    int64_t number = 0;
    const char *end = read_whole(*text, &number);
    end = end != NULL ? skip_joined(end) : NULL;
    if (end == NULL || number == 0) return fail_corner(*text, why);
    if (number < -count) {
        return failure_set(why, STATUS_FAILED,
                           "the face names vertex %lld, counted from the last one; there are %lld before this line; "
                           "save the mesh again",
                           (long long)number, (long long)count);
    }
    *text = skip_blanks(end);
    return mesh_add_corner(&reader->mesh, (uint32_t)(number > 0 ? number - 1 : count + number), why);
}

static bool read_face(obj_reader *reader, const char *text, failure *why) {
    const size_t line = reader->lines.number;
    mesh_begin_face(&reader->mesh, line < UINT32_MAX ? (uint32_t)line : UINT32_MAX);
    for (text = skip_blanks(text); *text != '\0';) {
        if (!add_corner(reader, &text, why)) return false;
    }
    return mesh_end_face(&reader->mesh, why);
}

// ---------------------------------------------------------------------------------------------------------------------
// Lines

static bool is_left_out(const char *word, size_t length) {
    static const char *const WORDS[] = {"vt",         "vn",        "vp",    "g",        "o",        "s",      "mg",
                                        "usemtl",     "mtllib",    "l",     "p",        "lod",      "usemap", "maplib",
                                        "shadow_obj", "trace_obj", "bevel", "c_interp", "d_interp", "call"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (strlen(WORDS[i]) == length && strncmp(WORDS[i], word, length) == 0) return true;
    }
    return false;
}

static bool fail_word(const char *word, failure *why) {
    return failure_set(why, STATUS_FAILED,
                       "expected v, f, or another word of OBJ meshes at the beginning of the line, found '%.*s'; save "
                       "the mesh as triangles",
                       word_length(word), word);
}

static bool read_statement(obj_reader *reader, const char *line, failure *why) {
    const char *word = skip_blanks(line);
    const size_t length = strcspn(word, " \t");
    const char *end = reader->lines.line_end;
    if (*word == '#') return true;
    if (word + strlen(word) != end) return failure_set(why, STATUS_FAILED, "expected text, found a zero byte");
    if (length == 0) return true;
    if (end[-1] == '\\') {
        return failure_set(why, STATUS_FAILED, "the line continues on the next one ('\\'); join the two lines");
    }
    if (length == 1 && *word == 'v') return read_vertex(reader, word + 1, why);
    if (length == 1 && *word == 'f') return read_face(reader, word + 1, why);
    return is_left_out(word, length) || fail_word(word, why);
}

static bool read_lines(obj_reader *reader, failure *why) {
    char *line = NULL;
    for (;;) {
        if (!line_reader_next(&reader->lines, &line, "an OBJ file", why)) return false;
        if (line == NULL) return true;
        if (!read_statement(reader, line, why)) return fail_line(reader, why);
    }
}

static bool make_boxes(const obj_reader *reader, box_rules rules, box_list *list, failure *why) {
    const char *name = reader->lines.input->name;
    uint32_t line = 0;
    if (reader->mesh.triangle_count == 0) {
        return failure_set(
            why, STATUS_FAILED,
            "%s: has %zu vertices and no faces; expected faces ('f'): for points write x,y,z,radius as CSV", name,
            reader->mesh.vertex_count);
    }
    return mesh_to_boxes(&reader->mesh, rules, list, &line, why) || failure_prefix(why, "%s:%u: ", name, line);
}

bool box_obj_read(input_file *input, box_rules rules, box_list *list, failure *why) {
    obj_reader reader = {.mesh = {.first_index = 1}};
    if (!line_reader_begin(&reader.lines, input, why)) return false;
    const bool good = read_lines(&reader, why) && make_boxes(&reader, rules, list, why);
    line_reader_end(&reader.lines);
    mesh_free(&reader.mesh);
    return good;
}
