// Meshes as files of boxes, PLY, OBJ and STL: in all their forms each gives the boxes of its triangles, and what is malformed
// is refused with its place.
#include "formats/box_files.h"
#include "formats/mesh.h"
#include "support/portable.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char folder[] = "test_meshes_XXXXXX";

static const char *file_with(const char *name, const void *bytes, size_t size) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static box_list read_good(const char *path, uint32_t dimensions) {
    box_list list;
    failure why = {0};
    if (!box_file_read(path, dimensions, &list, &why)) fail_msg("%s", why.text);
    return list;
}

static void check_refused(const char *path, const char *expected) {
    box_list list;
    failure why = {0};
    if (box_file_read(path, 3, &list, &why)) fail_msg("%s was read, expected: %s", path, expected);
    assert_int_equal(why.status, STATUS_FAILED);
    assert_true(list.data == NULL && list.doubles == NULL);
    if (strstr(why.text, expected) == NULL) fail_msg("expected \"%s\" in \"%s\"", expected, why.text);
    if (strncmp(why.text, path, strlen(path)) != 0) fail_msg("expected the path first in \"%s\"", why.text);
}

// A square, cut into a fan, and a triangle:      3 --- 2
//                                                |   / | \        z is 0, but for vertex 4: 1
//                                                0 --- 1 --- 4
static const double VERTICES[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}, {3, 0, 1}};
static const bp_box BOXES[3] = {{{0, 0, 0}, {1, 2, 0}}, {{0, 0, 0}, {1, 2, 0}}, {{1, 0, 0}, {3, 2, 1}}};

static void check_boxes(const char *path) {
    box_list list = read_good(path, 3);
    assert_int_equal(list.count, 3);
    assert_false(list.is_double);
    assert_memory_equal(list.data, BOXES, sizeof BOXES);
    box_list_free(&list);
}

// ---------------------------------------------------------------------------------------------------------------------
// OBJ

#define OBJ_VERTICES "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 3 0 1\n"

static void obj_is_read_in_all_its_forms(void **state) {
    (void)state;
    static const char *const texts[] = {
        OBJ_VERTICES "f 1 2 3 4\nf 2 5 3\n",
        OBJ_VERTICES "f 1 2 3 4\nf 2 5 3",
        ("# a comment\n\no thing\ng part\nmtllib m.mtl\nusemtl red\ns off\n" OBJ_VERTICES
         "vt 0 0\nvn 0 0 1\nf 1/1 2/1 3/1 4/1\nf 2//1 5//1 3//1\nl 1 2\np 1\n"),
        OBJ_VERTICES "vt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1 4/1/1\nf 2/-1/-1 5/1/1 3/1/1\n",
        OBJ_VERTICES "f -5 -4 -3 -2\nf -4 -1 -3\n",
        "v 0 0 0 1.0\r\nv 1 0 0 .5 .5 .5\r\n\tv  1\t2 0  \r\nv 0 2e0 -0\r\nv 3 0 1\r\n f  1 2  3 4 \r\nf\t2 5 3\r\n",
        "f 1 2 3 4\nf 2 5 3\n" OBJ_VERTICES,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_boxes(file_with("form.obj", texts[i], strlen(texts[i])));
    }
}

static void malformed_obj_is_refused_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"\n", ": has 0 vertices and no faces; expected faces ('f'): for points write x,y,z,radius as CSV"},
        {OBJ_VERTICES, ": has 5 vertices and no faces"},
        {"v 0 0\nf 1 1 1\n", ":1: expected three numbers behind v, found '' as z"},
        {"v 0 zero 0\n", ":1: expected three numbers behind v, found 'zero' as y"},
        {"v 0 0 0x\n", ":1: expected three numbers behind v, found '0x' as z"},
        {"v 0 0 1e39\n", ":1: expected a number of at most 3.4028235e38 either way, found '1e39'"},
        {"v nan 0 0\nf 1 1 1\n", ":2: the face names vertex 1, whose x is nan; expected a finite number"},
        {"v 0 -inf 0\nf 1 1 1\n", ":2: the face names vertex 1, whose y is -inf"},
        {OBJ_VERTICES "f 1 2\n", ":6: the face has 2 corners; expected at least 3"},
        {OBJ_VERTICES "f\n", ":6: the face has 0 corners"},
        {OBJ_VERTICES "f 1 2 3\nf 1 2 6\n", ":7: the face names vertex 6, the file has 5 vertices (the first is 1)"},
        {OBJ_VERTICES "f 1 2 4294967295\n", ":6: the face names vertex 4294967295, the file has 5 vertices"},
        {OBJ_VERTICES "f 1 2 4294967296\n", ":6: expected the corners of a face as V, V/T, V//N or V/T/N"},
        {OBJ_VERTICES "f 1 2 99999999999999999999\n", ":6: expected the corners of a face"},
        {OBJ_VERTICES "f 0 1 2\n", "with V from 1, or from -1 for the last vertex, found '0'"},
        {OBJ_VERTICES "f 1 2 -6\n", ":6: the face names vertex -6, counted from the last one; there are 5 before"},
        {OBJ_VERTICES "f 1 2 3.0\n", ":6: expected the corners of a face"},
        {OBJ_VERTICES "f 1 2 3/x\n", "found '3/x'"},
        {OBJ_VERTICES "f 1 2 3/1/1/1\n", "found '3/1/1/1'"},
        {OBJ_VERTICES "f 1 2 \\\n3\n", ":6: the line continues on the next one ('\\'); join the two lines"},
        {"surf 0 1 0 1 1 2\n", ":1: expected v, f, or another word of OBJ meshes at the beginning of the line, found "
                               "'surf'; save the mesh as triangles"},
        {"0,0,0,1,1,1\n", ":1: expected v, f, or another word"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(file_with("bad.obj", cases[i].text, strlen(cases[i].text)), cases[i].expected);
    }
    check_refused(file_with("bad.obj", "v 0 0 0\0 1\n", 11), ":1: expected text, found a zero byte");
}

// ---------------------------------------------------------------------------------------------------------------------
// PLY as text

#define PLY_HEADER                                                                                                     \
    "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"                  \
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
#define PLY_VERTICES "0 0 0\n1 0 0\n1 2 0\n0 2 0\n3 0 1\n"
#define PLY_FACES "4 0 1 2 3\n3 1 4 2\n"

static void ply_text_is_read_in_all_its_forms(void **state) {
    (void)state;
    static const char *const texts[] = {
        PLY_HEADER PLY_VERTICES PLY_FACES,
        PLY_HEADER PLY_VERTICES "4 0 1 2 3\n3 1 4 2",
        PLY_HEADER "0 0 0 \n\n1 0 0\n 1\t2 0\n0 2e0 0.0\n3 0 1\n" PLY_FACES "\n \n",
        "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info none\r\nelement vertex 5\r\nproperty float32 x\r\n"
        "property float32 y\r\nproperty float32 z\r\nproperty uchar red\r\nelement face 2\r\n"
        "property list uint8 int32 vertex_index\r\nproperty list uchar float texcoord\r\nend_header\r\n"
        "0 0 0 9\r\n1 0 0 9\r\n1 2 0 9\r\n0 2 0 9\r\n3 0 1 9\r\n4 0 1 2 3 2 .5 .5\r\n3 1 4 2 0\r\n",
        "ply\nformat ascii 1.0\nelement face 2\nproperty uchar flags\nproperty list uint uint vertex_indices\n"
        "element vertex 5\nproperty short z\nproperty char x\nproperty ushort y\nelement edge 1\nproperty int a\n"
        "end_header\n7 4 0 1 2 3\n7 3 1 4 2\n0 0 0\n0 1 0\n0 1 2\n0 0 2\n1 3 0\n5\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_boxes(file_with("form.ply", texts[i], strlen(texts[i])));
    }
}

#define PLY_ONLY_VERTICES                                                                                              \
    "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_STRIPS(rows)                                                                                               \
    PLY_ONLY_VERTICES "element tristrips " #rows "\nproperty list int int vertex_indices\nend_header\n" PLY_VERTICES

static void ply_strips_are_triangles(void **state) {
    (void)state;
    static const char *const texts[] = {
        PLY_STRIPS(1) "5 3 0 2 1 4\n",
        PLY_STRIPS(1) "8 0 1 3 2 -1 1 4 2\n",
        PLY_STRIPS(1) "9 0 1 3 2 -1 1 4 2 -1\n",
        PLY_STRIPS(1) "11 -1 -1 0 1 3 2 -1 -1 1 4 2\n",
        PLY_STRIPS(3) "5 0 1 3 2 -1\n0\n3 1 4 2\n",
        PLY_ONLY_VERTICES "element face 1\nproperty list uchar int vertex_indices\nelement tristrips 1\n"
                          "property uchar material\nproperty list uchar short vertex_index\nend_header\n" PLY_VERTICES
                          "4 0 1 2 3\n7 3 1 4 2\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_boxes(file_with("form.ply", texts[i], strlen(texts[i])));
    }
}

// A corner that comes twice makes a line of a triangle: it has a box in a strip as it has in a face.
static void ply_strips_with_equal_corners_are_what_such_faces_are(void **state) {
    (void)state;
    static const char *const texts[] = {
        PLY_STRIPS(1) "5 0 1 1 4 2\n",
        PLY_ONLY_VERTICES "element face 3\nproperty list uchar int vertex_indices\nend_header\n" PLY_VERTICES
                          "3 0 1 1\n3 1 1 4\n3 1 4 2\n",
    };
    static const bp_box boxes[3] = {{{0, 0, 0}, {1, 0, 0}}, {{1, 0, 0}, {3, 0, 1}}, {{1, 0, 0}, {3, 2, 1}}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        box_list list = read_good(file_with("form.ply", texts[i], strlen(texts[i])), 3);
        assert_int_equal(list.count, 3);
        assert_memory_equal(list.data, boxes, sizeof boxes);
        box_list_free(&list);
    }
}

static void triangles_of_a_strip_face_the_same_way(void **state) {
    (void)state;
    static const uint32_t expected[4][3] = {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}};
    mesh strip = {.first_index = 0};
    failure why = {0};
    mesh_begin_strip(&strip, 7);
    for (uint32_t vertex = 0; vertex < 6; vertex++) assert_true(mesh_add_corner(&strip, vertex, &why));
    assert_true(mesh_end_face(&strip, &why));
    assert_int_equal(strip.triangle_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_memory_equal(strip.triangles[i].corners, expected[i], sizeof expected[i]);
        assert_int_equal(strip.triangles[i].place, 7);
    }
    mesh_free(&strip);
}

static void ply_doubles_stay_what_they_are(void **state) {
    (void)state;
    const char text[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
                        "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
                        "0.1 0 0\n1 1e300 0\n1 2 -1e-300\n3 0 1 2\n";
    const bp_box_double expected = {{0.1, 0, -1e-300}, {1, 1e300, 0}};
    box_list list = read_good(file_with("form.ply", text, strlen(text)), 3);
    assert_true(list.is_double && list.count == 1);
    assert_memory_equal(list.doubles, &expected, sizeof expected);
    box_list_free(&list);
}

#define AFTER(header) header "property float x\nproperty float y\nproperty float z\n"
#define FACE_ELEMENT "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

static void malformed_ply_is_refused_with_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"solid\n", ": is not a PLY file; expected one whose first line is 'ply'"},
        {"ply\nformat ascii 1.0\n", ": ends within its header: it is truncated; copy or save it again"},
        {"ply\nend_header\n", ": the header has no line 'format'"},
        {"ply\nformat ascii 2.0\nend_header\n", ":2: expected format ascii, binary_little_endian or binary_big_endian"},
        {"ply\nformat utf8 1.0\nend_header\n", "1.0, found 'utf8'"},
        {"ply\nformat\nend_header\n", ":2: expected format"},
        {"ply\nformat ascii 1.0\nelements 5\n",
         ":3: expected format, element, property, comment or end_header, found 'elements'"},
        {"ply\nformat ascii 1.0\nelement vertex many\n", ":3: expected element NAME COUNT, found 'many'"},
        {"ply\nformat ascii 1.0\nelement vertex -1\n", ":3: expected element NAME COUNT, found '-1'"},
        {"ply\nformat ascii 1.0\nelement vertex\n", ":3: expected element NAME COUNT"},
        {"ply\nformat ascii 1.0\nelement a 1\nelement a 1\n", ":4: expected each element once, found 'a'"},
        {"ply\nformat ascii 1.0\nproperty float x\n", ":3: expected property TYPE NAME or property list"},
        {"ply\nformat ascii 1.0\nelement a 1\nproperty real x\n", ":4: expected a type, as float or int, found 'real'"},
        {"ply\nformat ascii 1.0\nelement a 1\nproperty list float int x\n", ":4: expected the type of a count"},
        {"ply\nformat ascii 1.0\nelement a 1\nproperty list uchar int\n", ":4: expected property TYPE NAME"},
        {"ply\nformat ascii 1.0\nelement a 1\nend_header\n", ": the element 'a' has no properties"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
         ": expected an element 'vertex' with one property x, one y and one z"},
        {AFTER("ply\nformat ascii 1.0\nelement vertex 1\n") "end_header\n0 0 0\n",
         ": expected an element 'face' or 'tristrips' with one list vertex_indices; for points write x,y,z,radius as "
         "CSV"},
        {PLY_ONLY_VERTICES "element tristrips 1\nproperty list int int vertex_indices\n"
                           "property list int int vertex_index\nend_header\n",
         ": expected an element 'face' or 'tristrips' with one list vertex_indices"},
        {PLY_STRIPS(0), ": has 5 vertices and no faces"},
        {PLY_STRIPS(1) "2 -1 -1\n", ": has 5 vertices and no faces"},
        {PLY_STRIPS(1) "7 0 1 2 -1 3 4 -1\n",
         ":15: tristrips 0 (from 0): strip 1 (from 0): the strip has 2 corners; expected at least 3: remove it"},
        {PLY_STRIPS(2) "4 0 1 2 -1\n1 3\n",
         ":16: tristrips 1 (from 0): strip 1 (from 0): the strip has 1 corner; expected at least 3"},
        {PLY_STRIPS(1) "4 0 1 2 -2\n",
         "strip 0 (from 0): expected the number of a vertex, from 0, or -1 behind a strip, found -2; save the mesh"},
        {PLY_STRIPS(1) "4 0 1 2 1.5\n", "or -1 behind a strip, found 1.5"},
        {PLY_STRIPS(1) "4 0 1 2\n", ":15: tristrips 0 (from 0): strip 0 (from 0): expected a number, found ''"},
        {PLY_STRIPS(1) "8 0 1 2 -1 0 1 2 5\n",
         ": strip 1 (from 0): the face names vertex 5, the file has 5 vertices (the first is 0)"},
        {PLY_ONLY_VERTICES "element tristrips 1\nproperty list int int vertex_indices\nelement face 1\n"
                           "property list uchar int vertex_indices\nend_header\n" PLY_VERTICES "3 0 1 2\n3 0 1 5\n",
         ": face 0 (from 0): the face names vertex 5"},
        {AFTER("ply\nformat ascii 1.0\nelement vertex 1\n") "element face 0\nproperty list uchar int vertex_indices\n"
                                                            "end_header\n0 0 0\n",
         ": has 1 vertices and no faces"},
        {PLY_HEADER PLY_VERTICES "4 0 1 2 3\n", ":15: face 1 (from 0): the file ends here, before everything"},
        {PLY_HEADER "0 0 0\n", ":10: vertex 1 (from 0): the file ends here"},
        {PLY_HEADER "0 0\n", ":10: vertex 0 (from 0): expected a number, found ''"},
        {PLY_HEADER "0 0 zero\n", ":10: vertex 0 (from 0): expected a number, found 'zero'"},
        {PLY_HEADER "0 0 0 0\n", ":10: vertex 0 (from 0): expected the end of the line, found '0'"},
        {PLY_HEADER PLY_VERTICES "2 0 1\n", ":15: face 0 (from 0): the face has 2 corners; expected at least 3"},
        {PLY_HEADER PLY_VERTICES "3 0 1 -1\n", "face 0 (from 0): expected the number of a vertex, from 0, found -1"},
        {PLY_HEADER PLY_VERTICES "3 0 1 1.5\n", "expected the number of a vertex, from 0, found 1.5"},
        {PLY_HEADER PLY_VERTICES "3 0 1 nan\n", "expected the number of a vertex, from 0, found nan"},
        {PLY_HEADER PLY_VERTICES "-3 0 1 2\n", "expected the length of a list, found -3"},
        {PLY_HEADER PLY_VERTICES "4294967295 0 1 2\n", "face 0 (from 0): expected a number, found ''"},
        {PLY_HEADER PLY_VERTICES "3 0 1 2\n3 0 1 5\n", ": face 1 (from 0): the face names vertex 5, the file has 5"},
        {PLY_HEADER "nan 0 0\n1 0 0\n1 2 0\n0 2 0\n3 0 1\n" PLY_FACES,
         ": face 0 (from 0): the face names vertex 0, whose x is nan"},
        {PLY_HEADER "0 1e40 0\n1 0 0\n1 2 0\n0 2 0\n3 0 1\n" PLY_FACES, "whose y is inf"},
        {PLY_HEADER PLY_VERTICES PLY_FACES "7\n", ": the file continues after everything that its header announces"},
        {AFTER("ply\nformat ascii 1.0\nelement vertex 1000000000000000000\n") FACE_ELEMENT "0 0 0\n",
         "vertex 1 (from 0): the file ends here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(file_with("bad.ply", cases[i].text, strlen(cases[i].text)), cases[i].expected);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// PLY in binary

typedef struct binary_file {
    unsigned char bytes[4096];
    size_t size;
    bool is_big_endian;
} binary_file;

static void put_text(binary_file *file, const char *text) {
    memcpy(file->bytes + file->size, text, strlen(text));
    file->size += strlen(text);
}

static void put_bits(binary_file *file, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++) {
        file->bytes[file->size++] = (unsigned char)(bits >> 8 * (file->is_big_endian ? size - 1 - i : i));
    }
}

static void put_real(binary_file *file, double value, size_t size) {
    const float narrow = (float)value;
    uint32_t bits;
    uint64_t wide_bits;
    memcpy(&bits, &narrow, sizeof bits);
    memcpy(&wide_bits, &value, sizeof wide_bits);
    put_bits(file, size == sizeof bits ? bits : wide_bits, size);
}

// The mesh with reals of 4 or 8 bytes, other properties in between, and corners as numbers of `corner_size` bytes.
static binary_file binary_mesh(bool is_big_endian, size_t real_size, const char *corner_type, size_t corner_size) {
    static const uint32_t square[4] = {0, 1, 2, 3}, triangle[3] = {1, 4, 2};
    binary_file file = {.is_big_endian = is_big_endian};
    char header[512];
    const char *real = real_size == 4 ? "float" : "double";
    snprintf(header, sizeof header,
             "ply\nformat binary_%s_endian 1.0\nelement vertex 5\nproperty %s x\nproperty uchar red\nproperty %s y\n"
             "property %s z\nelement face 2\nproperty list ushort %s vertex_indices\nproperty list uchar short more\n"
             "end_header\n",
             is_big_endian ? "big" : "little", real, real, real, corner_type);
    put_text(&file, header);
    for (size_t i = 0; i < 5; i++) {
        put_real(&file, VERTICES[i][0], real_size);
        put_bits(&file, '\n', 1); // which is no line end here
        put_real(&file, VERTICES[i][1], real_size);
        put_real(&file, VERTICES[i][2], real_size);
    }
    put_bits(&file, 4, 2);
    for (size_t i = 0; i < 4; i++) put_bits(&file, square[i], corner_size);
    put_bits(&file, 1, 1);
    put_bits(&file, 0xfffe, 2);
    put_bits(&file, 3, 2);
    for (size_t i = 0; i < 3; i++) put_bits(&file, triangle[i], corner_size);
    put_bits(&file, 0, 1);
    return file;
}

static void ply_binary_is_read_in_both_orders(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4}, {"uint", 4}};
    for (int order = 0; order < 2; order++) {
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            const binary_file file = binary_mesh(order != 0, 4, types[i].name, types[i].size);
            check_boxes(file_with("form.ply", file.bytes, file.size));
        }
        const binary_file wide = binary_mesh(order != 0, 8, "int", 4);
        box_list list = read_good(file_with("form.ply", wide.bytes, wide.size), 3);
        assert_true(list.is_double && list.count == 3);
        assert_true(list.doubles[2].max[0] == 3 && list.doubles[2].min[0] == 1 && list.doubles[2].max[2] == 1);
        box_list_free(&list);
    }
}

// At every length but the whole.
static void ply_binary_that_is_cut_off_is_refused(void **state) {
    (void)state;
    const binary_file file = binary_mesh(false, 4, "int", 4);
    for (size_t size = 4; size < file.size; size++) {
        check_refused(file_with("bad.ply", file.bytes, size), "");
    }
    check_refused(file_with("bad.ply", file.bytes, file.size - 1),
                  "face 1 (from 0): the file ends here, before everything");
    binary_file longer = file;
    put_bits(&longer, 0, 1);
    check_refused(file_with("bad.ply", longer.bytes, longer.size),
                  "the file continues after everything that its header announces");
}

// The same triangles in two strips, the numbers as signed ones of `size` bytes: the last -1 has nothing behind it.
static binary_file binary_strips(bool is_big_endian, const char *type, size_t size) {
    static const int32_t corners[] = {0, 1, 3, 2, -1, 1, 4, 2, -1};
    enum { COUNT = sizeof corners / sizeof *corners };
    binary_file file = {.is_big_endian = is_big_endian};
    char header[512];
    snprintf(
        header, sizeof header,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
        "element tristrips 1\nproperty list int %s vertex_indices\nend_header\n",
        is_big_endian ? "big" : "little", type);
    put_text(&file, header);
    for (size_t i = 0; i < 15; i++) put_real(&file, VERTICES[i / 3][i % 3], 4);
    put_bits(&file, COUNT, 4);
    for (size_t i = 0; i < COUNT; i++) put_bits(&file, (uint64_t)corners[i], size);
    return file;
}

static void ply_strips_in_binary_are_read_in_both_orders(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"char", 1}, {"short", 2}, {"int", 4}};
    for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++) {
        const binary_file file = binary_strips(i % 2 != 0, types[i / 2].name, types[i / 2].size);
        check_boxes(file_with("form.ply", file.bytes, file.size));
        for (size_t size = 4; size < file.size; size++) check_refused(file_with("bad.ply", file.bytes, size), "");
        check_refused(file_with("bad.ply", file.bytes, file.size - 1), "strip 1 (from 0): the file ends here, before");
    }
}

static void negative_corners_in_binary_are_refused(void **state) {
    (void)state;
    binary_file file = binary_mesh(true, 4, "int", 4);
    file.size -= 5; // the last corner, and the list behind it
    put_bits(&file, 0xffffffffu, 4);
    put_bits(&file, 0, 1);
    check_refused(file_with("bad.ply", file.bytes, file.size), "face 1 (from 0): expected the number of a vertex");
}

// ---------------------------------------------------------------------------------------------------------------------
// STL

#define STL_FACET(a, b, c)                                                                                             \
    "facet normal 0 0 1\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"
#define STL_FACETS                                                                                                     \
    STL_FACET("0 0 0", "1 0 0", "1 2 0") STL_FACET("0 0 0", "1 2 0", "0 2 0") STL_FACET("1 0 0", "3 0 1", "1 2 0")

static void stl_text_is_read_in_all_its_forms(void **state) {
    (void)state;
    static const char *const texts[] = {
        "solid\n" STL_FACETS "endsolid\n",
        "solid pi\xc3\xa8"
        "ce of two words\n" STL_FACETS "endsolid pi\xc3\xa8"
        "ce of two words",
        "\n  Solid x\r\n\t FACET NORMAL nan nan nan\r\n  Outer Loop\r\nVertex\t0 0 0\r\n vertex 1e0 0 0\nvertex 1 2 "
        "0\n\n"
        "  EndLoop\nendFacet\n" STL_FACET("0 0 0", "1 2 0", "0 2 0")
            STL_FACET("1 0 0", "3 0 1", "1 2 0") "endsolid x\n \n",
        "solid one\n" STL_FACET("0 0 0", "1 0 0", "1 2 0") "endsolid one\nsolid two\n" STL_FACET(
            "0 0 0", "1 2 0", "0 2 0") STL_FACET("1 0 0", "3 0 1", "1 2 0") "endsolid two\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_boxes(file_with("form.stl", texts[i], strlen(texts[i])));
    }
}

static void malformed_stl_is_refused_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"solid\nendsolid\n", "has no triangles"},
        {"hello\n", ":1: expected solid, found 'hello'"},
        {"solid\nvertex 0 0 0\n", ":2: expected facet or endsolid, found 'vertex'"},
        {"solid\nfacet\nvertex 0 0 0\n", ":3: expected outer loop, found 'vertex'"},
        {"solid\nfacet\nouter loop\nvertex 0 0\n", ":4: expected three numbers behind vertex, found '' as z"},
        {"solid\nfacet\nouter loop\nvertex 0 0 1e39\n", ":4: expected a number of at most 3.4028235e38"},
        {"solid\nfacet\nouter loop\nvertexes 0 0 0\n", ":4: expected vertex or endloop, found 'vertexes'"},
        {"solid\nfacet\nouter loop\nvertex 0 0 0\nendloop\n", ":5: the loop has 1 vertices; expected 3"},
        {"solid\n" STL_FACET("0 0 0", "0 0 0", "0 0 0\nvertex 1 1 1") "endsolid\n", ":8: the loop has 4 vertices"},
        {"solid\n" STL_FACET("0 0 0", "0 nan 0", "0 0 0") "endsolid\n", ":3: the face names vertex 1, whose y is nan"},
        {"solid\n" STL_FACETS, "the file ends within a solid: it is truncated"},
        {"solid\nfacet\nouter loop\nendfacet\n", ":4: expected vertex or endloop, found 'endfacet'"},
        {"solid\n" STL_FACETS "endsolid\nmore\n", ":24: expected solid, found 'more'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(file_with("bad.stl", cases[i].text, strlen(cases[i].text)), cases[i].expected);
    }
}

static binary_file binary_stl(const char *header) {
    static const size_t triangles[3][3] = {{0, 1, 2}, {0, 2, 3}, {1, 4, 2}};
    binary_file file = {.size = 0};
    put_text(&file, header);
    while (file.size < 80) put_bits(&file, ' ', 1);
    put_bits(&file, 3, 4);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) put_real(&file, NAN, 4);
        for (size_t k = 0; k < 9; k++) put_real(&file, VERTICES[triangles[i][k / 3]][k % 3], 4);
        put_bits(&file, 0xffff, 2);
    }
    return file;
}

static void stl_binary_is_read_whatever_it_begins_with(void **state) {
    (void)state;
    static const char *const headers[] = {"", "made by a program", "solid says this one, and is not text"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const binary_file file = binary_stl(headers[i]);
        check_boxes(file_with("form.stl", file.bytes, file.size));
        for (size_t size = 84; size < file.size; size++) check_refused(file_with("bad.stl", file.bytes, size), "");
        check_refused(file_with("bad.stl", file.bytes, file.size - 1), "announces 3 triangles but ends after 2");
        binary_file longer = file;
        put_bits(&longer, 0, 1);
        check_refused(file_with("bad.stl", longer.bytes, longer.size), "the file continues after the 3 triangles");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// All

static void z_of_meshes_is_not_looked_at_in_two_dimensions(void **state) {
    (void)state;
    const char text[] = "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const char *path = file_with("form.obj", text, strlen(text));
    box_list list = read_good(path, 2);
    assert_true(list.count == 1 && list.data[0].max[0] == 1);
    box_list_free(&list);
    check_refused(path, "whose z is nan");
}

// Triangles with a common vertex touch, however their coordinates are rounded: it is the same number in both.
static void triangles_with_a_common_vertex_touch(void **state) {
    (void)state;
    const char text[] = "v 0.1 0.2 0.3\nv 0 0 0\nv .05 0 0\nv 1 1 1\nv .7 .7 .7\nf 1 2 3\nf 1 4 5\n";
    box_list list = read_good(file_with("form.obj", text, strlen(text)), 3);
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(list.data, list.count, NULL, &pairs), BP_OK);
    assert_int_equal(pairs.count, 1);
    bp_pairs_free(&pairs, NULL);
    box_list_free(&list);
}

static void meshes_longer_than_a_block_are_read_whole(void **state) {
    (void)state;
    enum { COUNT = 60000 };
    char path[256];
    snprintf(path, sizeof path, "%s/form.obj", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < COUNT; i++) fprintf(file, "v %d 0 0\nv %d 1 0\nv %d 0 1\nf -3 -2 -1\n", i, i, i + 1);
    fclose(file);
    box_list list = read_good(path, 3);
    assert_int_equal(list.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const bp_box expected = {{(float)i, 0, 0}, {(float)(i + 1), 1, 1}};
        assert_memory_equal(&list.data[i], &expected, sizeof expected);
    }
    box_list_free(&list);
}

static void meshes_are_not_written(void **state) {
    (void)state;
    static const bp_box box = {{0, 0, 0}, {1, 1, 1}};
    static const char *const names[] = {"out.ply", "out.OBJ"};
    for (size_t i = 0; i < 2; i++) {
        failure why = {0};
        assert_false(box_file_write(names[i], &box, 1, &why));
        assert_int_equal(why.status, STATUS_WRONG_CALL);
        assert_non_null(strstr(why.text, "meshes can only be read; expected a name ending in .csv or .npy"));
    }
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"form.obj", "bad.obj", "form.ply", "bad.ply", "form.stl", "bad.stl"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_is_read_in_all_its_forms),
        cmocka_unit_test(malformed_obj_is_refused_with_its_line),
        cmocka_unit_test(ply_text_is_read_in_all_its_forms),
        cmocka_unit_test(ply_strips_are_triangles),
        cmocka_unit_test(ply_strips_with_equal_corners_are_what_such_faces_are),
        cmocka_unit_test(triangles_of_a_strip_face_the_same_way),
        cmocka_unit_test(ply_doubles_stay_what_they_are),
        cmocka_unit_test(malformed_ply_is_refused_with_its_place),
        cmocka_unit_test(ply_binary_is_read_in_both_orders),
        cmocka_unit_test(ply_binary_that_is_cut_off_is_refused),
        cmocka_unit_test(ply_strips_in_binary_are_read_in_both_orders),
        cmocka_unit_test(negative_corners_in_binary_are_refused),
        cmocka_unit_test(stl_text_is_read_in_all_its_forms),
        cmocka_unit_test(malformed_stl_is_refused_with_its_line),
        cmocka_unit_test(stl_binary_is_read_whatever_it_begins_with),
        cmocka_unit_test(z_of_meshes_is_not_looked_at_in_two_dimensions),
        cmocka_unit_test(triangles_with_a_common_vertex_touch),
        cmocka_unit_test(meshes_longer_than_a_block_are_read_whole),
        cmocka_unit_test(meshes_are_not_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
