// The tool's files: what is written comes back bit for bit, what is malformed
// is refused with its place.
#include "formats/box_files.h"
#include "formats/number.h"
#include "formats/pair_files.h"
#include "formats/settings.h"
#include "support/portable.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------------------
// Files to read and to look at

static char folder[] = "test_formats_XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *file_with(const char *name, const void *bytes, size_t size) {
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static size_t bytes_of(const char *path, unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t got = fread(bytes, 1, size, file);
    fclose(file);
    return got;
}

static box_list read_good(const char *path) {
    box_list list;
    failure why = {0};
    if (!box_file_read(path, 3, &list, &why)) fail_msg("%s", why.text);
    return list;
}

static void check_refused(const char *path, const char *expected) {
    box_list list;
    failure why = {0};
    if (box_file_read(path, 3, &list, &why)) fail_msg("%s was read, expected: %s", path, expected);
    assert_int_equal(why.status, STATUS_FAILED);
    assert_null(list.data);
    if (strstr(why.text, expected) == NULL) fail_msg("expected \"%s\" in \"%s\"", expected, why.text);
    if (strncmp(why.text, path, strlen(path)) != 0) fail_msg("expected the path first in \"%s\"", why.text);
    assert_null(strchr(why.text, '\n'));
}

// ---------------------------------------------------------------------------------------------------------------------
// CSV

#define TWO_BOXES "0,0,0,1,1,1\n2,2,2,3,3,3\n"

static void csv_is_read_in_all_its_forms(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0,0,0,1,1,1\n2,2,2,3,3,3\n",
        "0,0,0,1,1,1\n2,2,2,3,3,3",
        "min_x,min_y,min_z,max_x,max_y,max_z\n0,0,0,1,1,1\n2,2,2,3,3,3\n",
        "a,b,c,d,e,f\r\n0,0,0,1,1,1\r\n2,2,2,3,3,3\r\n",
        ("\xEF\xBB\xBF"
         "0,0,0,1,1,1\n2,2,2,3,3,3\n"),
        " 0 ,\t0, 0,1 ,1,1\t\n2.0,+2,2e0,3,3,30e-1\n\n\n \n",
        "x,y,z,radius\n.5,.5,.5,.5\n2.5,2.5,2.5,.5\n",
        "0.5,0.5,0.5,0.5\n2.5,2.5,2.5,0.5\n",
        "0;0;0;1;1;1\n2; 2;2 ;3;3;3\n",
        "min_x;min_y;min_z;max_x;max_y;max_z\r\n0;0;0;1;1;1\r\n2;2;2;3;3;3\r\n",
        "0\t0\t0\t1\t1\t1\n2\t2\t2\t3\t3\t3\n",
        "a\tb\tc\td\te\tf\n0\t0\t0\t1\t1\t1\n2 2 2 3 3 3\n",
        "0 0 0 1 1 1\n  2 2  2 3 \t 3 3  \n",
        "x y z radius\n.5 .5 .5 .5\n2.5 2.5 2.5 .5\n",
        "\"0\",\"0\",\"0\",\"1\",\"1\",\"1\"\n2,2,2,3,3,3\n",
        "\"min_x\",\"min_y\",\"min_z\",\"max_x\",\"max_y\",\"max_z\"\n'0','0', ' 0 ' ,'1','1','1'\n2,2,2,3,3,3\n",
        "# x,y,z,radius\n.5,.5,.5,.5\n2.5,2.5,2.5,.5\n",
        "\n \t\n0,0,0,1,1,1\n\n2,2,2,3,3,3\n",
        "# made by hand, in metres; x, y and z\n#\n0,0,0,1,1,1\n  # the last one\n2,2,2,3,3,3\n#",
        "# x y z radius\nmin_x,min_y,min_z,max_x,max_y,max_z\n0,0,0,1,1,1\n2,2,2,3,3,3\n",
        "# x,y,z,radius\n.5 .5 .5 .5\n2.5 2.5 2.5 .5\n",
        "min_x,max_x,min_y,max_y,min_z,max_z\n0,1,0,1,0,1\n2,3,2,3,2,3\n",
        "Radius,Z,Y,X\n.5,.5,.5,.5\n.5,2.5,2.5,2.5\n",
        "name;\"Xmin\";x_max;Min Y;ymax;zlo;z.hi;note\nfirst;0;1;0;1;0;1;\n\"a;b\";2;3;2;3;2;3;x y\n",
        ",min_x,min_y,min_z,max_x,max_y,max_z\n0,0,0,0,1,1,1\n1,2,2,2,3,3,3\n",
        "id,x,y,z,r,color\n1,.5,.5,.5,.5,red\n2,2.5,2.5,2.5,.5,\n",
    };
    static const bp_box expected[2] = {{{0, 0, 0}, {1, 1, 1}}, {{2, 2, 2}, {3, 3, 3}}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        box_list list = read_good(file_with("form.csv", texts[i], strlen(texts[i])));
        assert_int_equal(list.count, 2);
        assert_memory_equal(list.data, expected, sizeof expected);
        box_list_free(&list);
    }
}

// Two rectangles, or circles in them: what a file says in its header, or what two dimensions make of four columns.
static void rectangles_are_read_as_such(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t dimensions; // 0: both
    } cases[] = {
        {"min_x,min_y,max_x,max_y\n0,0,1,1\n2,2,3,3\n", 0},
        {"minx,miny,maxx,maxy\n0,0,1,1\n2,2,3,3\n", 0},
        {"xmin xmax ymin ymax\n0 1 0 1\n2 3 2 3\n", 0},
        {"# minx,miny,maxx,maxy\n0,0,1,1\n2,2,3,3\n", 0},
        {"x,y,radius\n.5,.5,.5\n2.5,2.5,.5\n", 0},
        {"id,min_x,min_y,max_x,max_y\n7,0,0,1,1\n8,2,2,3,3\n", 0},
        {",\"min_x\",\"min_y\",\"max_x\",\"max_y\"\n0,0,0,1,1\n1,2,2,3,3\n", 0},
        {"0,0,1,1\n2,2,3,3\n", 2},
        {"left,bottom,right,top\n0,0,1,1\n2,2,3,3\n", 2},
        {"id,minx,miny,maxx,maxy,height\n7,0,0,1,1,9\n8,2,2,3,3,9\n", 2},
    };
    static const bp_box expected[2] = {{{0, 0, 0}, {1, 1, 0}}, {{2, 2, 0}, {3, 3, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = file_with("form.csv", cases[i].text, strlen(cases[i].text));
        for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
            if (cases[i].dimensions != 0 && cases[i].dimensions != dimensions) continue;
            box_list list;
            failure why = {0};
            if (!box_file_read(path, dimensions, &list, &why)) fail_msg("%s", why.text);
            assert_int_equal(list.count, 2);
            assert_memory_equal(list.data, expected, sizeof expected);
            assert_true(box_form_is_flat(list.form));
            box_list_free(&list);
        }
    }
    box_list list;
    failure why = {0};
    const char *path = file_with("form.csv", "0,0,1,1\n2,2,1,3\n", 16);
    assert_false(box_file_read(path, 2, &list, &why));
    assert_non_null(strstr(why.text, ":2: min_x is 2 and max_x is 1"));
    assert_false(box_file_read(file_with("form.csv", "0,0,1\n", 6), 2, &list, &why));
    assert_non_null(strstr(why.text, ":1: expected 4 columns (rectangles: min_x,min_y,max_x,max_y) or 6 (boxes: "));
}

static void csv_with_only_a_header_has_no_boxes(void **state) {
    (void)state;
    const char text[] = "min_x,min_y,min_z,max_x,max_y,max_z\n";
    box_list list = read_good(file_with("header.csv", text, strlen(text)));
    assert_int_equal(list.count, 0);
    box_list_free(&list);
}

static void malformed_csv_is_refused_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"\n\n", "is empty"},
        {"# nothing here\n", "is empty"},
        {"0,0,0,1,1\n", ":1: expected 6 columns"},
        {"hello\n", ":1: expected 6 columns"},
        {"hello\n", "found 1; separate the numbers by commas, semicolons, tabs or blanks"},
        {"0,0\n", "or 4 (spheres: x,y,z,radius), found 2; for points, add a first line that names the columns: x,y"},
        {"0 0 0\n", "found 3; add a first line that names the columns: x,y,z for points, x,y,radius for circles"},
        {"0,0,0,1,1\n", "found 5; a number is missing"},
        {"7,0,0,0,1,1,1\n", "found 7; remove columns that are not coordinates"},
        {"0,0,0,1,1,1,\n", "found 7; the row ends with a separator: remove it"},
        {"0,5;0;0;1;1;1\n", ":1: expected commas or semicolons between columns, found both"},
        {"a;b;c;d;e;f\n0,5;0;0;1;1;1\n", ":2: expected a number with a decimal point in column 1 (min_x), found '0,5'"},
        {"0;0;0;1;1;1\n0,0,0,1,1,1\n",
         ":2: expected 6 columns as in the first row, found 1; all rows must use the same separator"},
        {"0 0 0 1 1 1\n0 0 0 1 1\n", ":2: expected 6 columns as in the first row, found 5"},
        {"\xFF\xFE"
         "0\n",
         ": is UTF-16; save it as UTF-8"},
        {"\x1F\x8B\x08\n", ": is compressed; unpack it with gunzip"},
        {"PK\x03\x04\n", ": is a ZIP archive or a spreadsheet"},
        {"\x93NUMPY\x01\n", ": is an NPY file; give it a name ending in .npy"},
        {"0,0,0,1,1,1\r0,0,0,1,1,1\r\n", ": has lines that end in CR alone"},
        {"\"0,0,0,1,1,1\n", ":1: expected a number in column 1 (min_x), found '\"0'"},
        {"\"0',0,0,1,1,1\n", ":1: expected a number in column 1 (min_x), found '\"0''"},
        {"(0,(0,(0,(1,(1,(1\n", ":1: expected a number in column 1 (min_x), found '(0'"},
        {"$0,$0,$0,$1,$1,$1\n", ":1: expected a number in column 1 (min_x), found '$0'"},
        {"\"max_x\",b,c,d,e,f\n", ":1: the header names some columns of a box, but not all, or too many; name "},
        {"min_x,min_y,min_z,max_x,max_y\n", ":1: the header names some columns of a box"},
        {"min_x,min_y,max_x,max_y,radius\n", ":1: the header names some columns of a box"},
        {"# x,y\n0,0,0\n", ":2: expected 2 columns as in the first row, found 3"},
        {",,,,,\n", ":1: expected a number in column 1 (min_x), found ''"},
        {"x,y,z,r,Radius\n", ":1: the header names two columns radius; rename one of them"},
        {"x,y,z,size\n0,0,0,1\n", ":1: the header names points, and a column that is none of theirs; name it"},
        {"min_x,min_y,max_x,max_y,height\n0,0,1,1,9\n", "leave it out, or call with --set dimensions=2"},
        {"left,bottom,right,top\n0,0,1,1\n",
         ":1: the names of these four columns fit neither spheres nor rectangles; "},
        {"name,x,y,z,r\na,0,0,0,1\nb,0,0,0\n", ":3: expected 5 columns as in the first row, found 4"},
        {"x,y,z,r,name\n0,0,0,1,\"a,b\n", ":2: expected 5 columns as in the first row, found 6"},
        {"0,0,0,1e309\n", "of at most 1.7976931348623157e308 either way, or inf, in column 4 (radius), found '1e309'"},
        {TWO_BOXES "0,0,0,1,1\n", ":3: expected 6 columns as in the first row, found 5"},
        {TWO_BOXES "0,0,0,1,1,1,1\n", ":3: expected 6 columns as in the first row, found 7"},
        {TWO_BOXES "0,0,0,1,1,1,\n", ":3: expected 6 columns as in the first row, found 7"},
        {TWO_BOXES "0,0,x,1,1,1\n", ":3: expected a number in column 3 (min_z), found 'x'"},
        {TWO_BOXES "0,0,,1,1,1\n", ":3: expected a number in column 3 (min_z), found ''"},
        {TWO_BOXES "0,0,1 2,1,1,1\n", ":3: expected a number in column 3 (min_z), found '1 2'"},
        {TWO_BOXES "0,0,0,1,1,0x1\n", ":3: expected a number in column 6 (max_z), found '0x1'"},
        {TWO_BOXES "0,0,0,1,1,1e39\n", ":3: expected a number of at most 3.4028235e38 either way, or inf, "
                                       "in column 6 (max_z), found '1e39'"},
        {TWO_BOXES "\n\n#\n0,0,0,1,1\n", ":6: expected 6 columns as in the first row, found 5"},
        {"1.0x,0,0,1,1,1\n", ":1: expected a number in column 1 (min_x), found '1.0x'"},
        {"x,0,0,1,1,1\n", ":1: expected a number in column 1 (min_x), found 'x'"},
        {"a,b,c\n" TWO_BOXES, ":1: expected 6 columns"},
        {"a,b,c,d\n0,0,0,1\n", ":1: the names of these four columns"},
        {"h,h,h,h,h,h\nh,h,h,h,h,h\n", ":2: expected a number in column 1"},
        {TWO_BOXES "nan,0,0,1,1,1\n", ":3: min_x is nan and max_x is 1; expected min <= max, and no nan"},
        {TWO_BOXES "0,0,0,1,-1,1\n", ":3: min_y is 0 and max_y is -1; expected min <= max"},
        {"0,0,0,1\n0,0,0,-1\n", ":2: the radius is -1; expected 0 or more"},
        {"0,0,0,1\n0,0,0,nan\n", ":2: the radius is nan"},
        {"0,0,0,1\ninf,0,0,1\n", ":2: x is inf; expected a finite number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(file_with("bad.csv", cases[i].text, strlen(cases[i].text)), cases[i].expected);
    }
    check_refused(file_with("zero.csv", "0,0,0,1,1,1\0,7\n", 15), ":1: expected a row, found a zero byte");
}

static void csv_longer_than_a_block_is_read_whole(void **state) {
    (void)state;
    enum { ROWS = 200000 };
    const char *path = path_of("long.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < ROWS; i++) fprintf(file, "%d,%*d,0,%d,%d.25,1\n", i, i % 7 + 1, -i, i + 1, i);
    fclose(file);
    box_list list = read_good(path);
    assert_int_equal(list.count, ROWS);
    for (int i = 0; i < ROWS; i++) {
        const bp_box expected = {{(float)i, (float)-i, 0}, {(float)(i + 1), (float)i + 0.25f, 1}};
        assert_memory_equal(&list.data[i], &expected, sizeof expected);
    }
    box_list_free(&list);
}

static void a_line_without_end_is_refused(void **state) {
    (void)state;
    size_t size = 2 * (size_t)STREAM_BLOCK;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '1', size);
    check_refused(file_with("endless.csv", text, size), ":1: the line is longer than");
    free(text);
}

// ---------------------------------------------------------------------------------------------------------------------
// NPY

// An NPY file from its parts; `version` 0 leaves everything before the numbers
// to `header`.
static const char *npy_with(int version, const char *header, const void *numbers, size_t size) {
    static unsigned char bytes[4096];
    size_t used = 0, length = strlen(header);
    if (version != 0) {
        const unsigned char prefix[] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0};
        memcpy(bytes, prefix, sizeof prefix);
        used = sizeof prefix;
        for (int i = 0; i < (version == 1 ? 2 : 4); i++) bytes[used++] = (unsigned char)(length >> (8 * i));
    }
    memcpy(bytes + used, header, length);
    used += length;
    if (size > 0) memcpy(bytes + used, numbers, size);
    swap_if_big_endian(bytes + used, size, strstr(header, "f8") != NULL ? sizeof(double) : sizeof(float));
    return file_with("made.npy", bytes, used + size);
}

#define HEADER(type, order, shape) "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }\n"

static const float FLOATS[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};

static void npy_is_read_in_all_its_versions(void **state) {
    (void)state;
    double doubles[12];
    for (size_t i = 0; i < 12; i++) doubles[i] = (double)FLOATS[i];
    for (int version = 1; version <= 3; version++) {
        box_list narrow = read_good(npy_with(version, HEADER("<f4", "False", "(2, 6)"), FLOATS, sizeof FLOATS));
        box_list wide = read_good(npy_with(version, HEADER("<f8", "False", "(2, 6)"), doubles, sizeof doubles));
        assert_int_equal(narrow.count, 2);
        assert_int_equal(wide.count, 2);
        assert_memory_equal(narrow.data, FLOATS, sizeof FLOATS);
        assert_true(wide.is_double && !narrow.is_double && wide.data == NULL && narrow.doubles == NULL);
        assert_memory_equal(wide.doubles, doubles, sizeof doubles);
        failure why = {0};
        assert_true(box_list_to_double(&narrow, &why) && box_list_to_double(&wide, &why));
        assert_true(narrow.is_double && narrow.count == 2 && wide.count == 2);
        assert_memory_equal(narrow.doubles, doubles, sizeof doubles);
        box_list_free(&narrow);
        box_list_free(&wide);
    }
    box_list none = read_good(npy_with(1, HEADER("<f4", "False", "(0, 6)"), NULL, 0));
    assert_int_equal(none.count, 0);
    box_list_free(&none);
    box_list swapped = read_good(
        npy_with(1, "{'shape': (2,6), 'fortran_order': False, 'descr': '<f4'}       \n", FLOATS, sizeof FLOATS));
    assert_int_equal(swapped.count, 2);
    box_list_free(&swapped);
}

// The length of a file is a number of 64 bits on every machine.
static void npy_of_more_than_2_gib_is_opened(void **state) {
    (void)state;
    const char *path = npy_with(1, HEADER("<f4", "False", "(2, 6)"), FLOATS, sizeof FLOATS);
    assert_int_equal(lengthen_file(path, (1ll << 31) + 1), 0); // with a hole, which takes no room
    check_refused(path, "the file continues after");
}

static void npy_spheres_become_boxes(void **state) {
    (void)state;
    static const float spheres[8] = {1, 2, 3, 0.5f, -1, -2, -3, 0};
    static const bp_box expected[2] = {{{0.5f, 1.5f, 2.5f}, {1.5f, 2.5f, 3.5f}}, {{-1, -2, -3}, {-1, -2, -3}}};
    box_list list = read_good(npy_with(1, HEADER("<f4", "False", "(2, 4)"), spheres, sizeof spheres));
    assert_int_equal(list.count, 2);
    assert_memory_equal(list.data, expected, sizeof expected);
    box_list_free(&list);
}

static void npy_rectangles_in_two_dimensions(void **state) {
    (void)state;
    static const float rectangles[8] = {1, 2, 3, 4, -1, -2, -1, 0};
    static const bp_box expected[2] = {{{1, 2, 0}, {3, 4, 0}}, {{-1, -2, 0}, {-1, 0, 0}}};
    box_list list;
    failure why = {0};
    const char *path = npy_with(1, HEADER("<f4", "False", "(2, 4)"), rectangles, sizeof rectangles);
    if (!box_file_read(path, 2, &list, &why)) fail_msg("%s", why.text);
    assert_int_equal(list.count, 2);
    assert_memory_equal(list.data, expected, sizeof expected);
    box_list_free(&list);
}

// An archive of one array, packed or not, or of several, of which one is called boxes: numpy.savez and savez_compressed wrote
// them, and the same array as .npy.
static box_list read_array(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", BROADPHASE_ARRAYS, name);
    return read_good(path);
}

static void npz_is_read_as_its_array(void **state) {
    (void)state;
    static const char *const names[] = {"stored.npz", "packed.npz", "several.npz"};
    box_list expected = read_array("array.npy");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        box_list list = read_array(names[i]);
        assert_true(list.count == expected.count && list.count == 100);
        assert_memory_equal(list.data, expected.data, list.count * sizeof *list.data);
        box_list_free(&list);
    }
    box_list_free(&expected);
}

static bool read_npz(const void *bytes, size_t size, box_kind kind, box_list *list, failure *why) {
    input_file input;
    input_from_memory(&input, "made.npz", bytes, size);
    return box_read(&input, FORMAT_NPZ, (box_rules){.dimensions = 3, .kind = kind}, list, why);
}

// Whatever byte is damaged, and wherever the file ends: it is refused, or the boxes are the same.
static void damaged_npz_is_refused(void **state) {
    (void)state;
    static unsigned char bytes[8192];
    char path[512];
    snprintf(path, sizeof path, "%s/packed.npz", BROADPHASE_ARRAYS);
    const size_t size = bytes_of(path, bytes, sizeof bytes);
    box_list expected = read_array("array.npy"), list;
    failure why = {0};
    for (size_t end = 0; end < size; end++) {
        assert_false(read_npz(bytes, end, BOX_KIND_BOXES, &list, &why));
        assert_non_null(strstr(why.text, "made.npz: is not a complete archive"));
    }
    for (size_t place = 0; place < size; place++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[place] ^= (unsigned char)(1u << bit);
            if (read_npz(bytes, size, BOX_KIND_BOXES, &list, &why)) {
                assert_int_equal(list.count, expected.count);
                assert_memory_equal(list.data, expected.data, list.count * sizeof *list.data);
            }
            box_list_free(&list);
            bytes[place] ^= (unsigned char)(1u << bit);
        }
    }
    assert_true(read_npz(bytes, size, BOX_KIND_BOXES, &list, &why));
    box_list_free(&list);
    assert_false(read_npz(bytes, size, BOX_KIND_POINTS, &list, &why));
    assert_non_null(strstr(why.text, "made.npz: arr_0.npy: has 6 columns; expected 3 columns (points: x,y,z)"));
    snprintf(path, sizeof path, "%s/several.npz", BROADPHASE_ARRAYS);
    const size_t several = bytes_of(path, bytes, sizeof bytes);
    assert_false(read_npz(bytes, several, BOX_KIND_RAYS, &list, &why));
    assert_non_null(strstr(why.text, "has 2 arrays (ids.npy, boxes.npy); name the one to read rays, or save it alone"));
    box_list_free(&expected);
}

// What a browser has: bytes in memory, and a name.
static void files_in_memory_are_read_too(void **state) {
    (void)state;
    static const char csv[] = "0,0,0,1,1,1\n2,2,2,3,3,3\n", obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 1\nf 1 2 3\n",
                      bad[] = "1,2\n";
    file_format format;
    input_file input;
    box_list list;
    failure why = {0};
    assert_true(file_format_of_name("two.csv", &format));
    input_from_memory(&input, "two.csv", csv, strlen(csv));
    assert_true(box_read(&input, format, (box_rules){.dimensions = 3}, &list, &why));
    assert_int_equal(list.count, 2);
    box_list_free(&list);
    assert_true(file_format_of_name("one.OBJ", &format));
    input_from_memory(&input, "one.OBJ", obj, strlen(obj));
    assert_true(box_read(&input, format, (box_rules){.dimensions = 3}, &list, &why));
    assert_int_equal(list.count, 1);
    box_list_free(&list);
    input_from_memory(&input, "bad.csv", bad, strlen(bad));
    assert_false(box_read(&input, FORMAT_CSV, (box_rules){.dimensions = 3}, &list, &why));
    assert_non_null(strstr(why.text, "bad.csv:1: expected 6 columns"));
    input_from_memory(&input, "empty.csv", NULL, 0);
    assert_false(box_read(&input, FORMAT_CSV, (box_rules){.dimensions = 3}, &list, &why));
    assert_non_null(strstr(why.text, "empty.csv: is empty"));
}

static void foreign_npy_is_refused(void **state) {
    (void)state;
    static const struct {
        int version;
        const char *header;
        size_t size;
        const char *expected;
    } cases[] = {
        {1, HEADER("<f4", "True", "(2, 6)"), 48, "Fortran order"},
        {1, HEADER(">f4", "False", "(2, 6)"), 48, "big-endian"},
        {1, HEADER(">f8", "False", "(1, 6)"), 48, "big-endian"},
        {1, HEADER("|O", "False", "(2, 6)"), 48, "Python objects"},
        {1, HEADER("<i4", "False", "(2, 6)"), 48, "numbers of another type ('<i4')"},
        {1, HEADER("<f2", "False", "(4, 6)"), 48, "numbers of another type"},
        {1, HEADER("<f4", "False", "(12,)"), 48, "has 1 dimension;"},
        {1, HEADER("<f4", "False", "()"), 4, "has 0 dimensions"},
        {1, HEADER("<f4", "False", "(1, 2, 6)"), 48, "has 3 dimensions"},
        {1, HEADER("<f4", "False", "(4, 3)"), 48, "has 3 columns"},
        {1, HEADER("<f4", "False", "(4, 3)"), 48, "C order: for points save numpy.hstack([array, array])"},
        {1, HEADER("<f4", "False", "(1, 12)"), 48, "C order: save array[:, :6]"},
        {1, HEADER("<f4", "False", "(3, 6)"), 48, "the header announces 3 rows, but the file ends after 2"},
        {1, HEADER("<f4", "False", "(2, 6)"), 47, "the header announces 2 rows, but the file ends after 1"},
        {1, HEADER("<f4", "False", "(2, 6)"), 0, "the header announces 2 rows, but the file ends after 0"},
        {1, HEADER("<f4", "False", "(1000000000000000000, 6)"), 48, "announces 1000000000000000000 rows"},
        {1, HEADER("<f4", "False", "(18446744073709551615, 6)"), 48, "has no readable shape"},
        {1, HEADER("<f4", "False", "(1, 6)"), 48, "the file continues after"},
        {1, HEADER("<f4", "False", "(-2, 6)"), 48, "has no readable shape"},
        {1, HEADER("<f4", "False", "(2 6)"), 48, "has no readable shape"},
        {1, HEADER("<f4", "False", "2, 6"), 48, "has no readable shape"},
        {1, HEADER("<f4", "Maybe", "(2, 6)"), 48, "has no readable fortran_order"},
        {1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }\n", 8, "('structured')"},
        {1, "{'descr': 4, 'fortran_order': False, 'shape': (2, 6), }\n", 48, "has no readable descr"},
        {1, "{'fortran_order': False, 'shape': (2, 6), }\n", 48, "does not name descr"},
        {1, "garbage", 0, "does not name descr"},
        {1, "", 0, "does not name descr"},
        {4, HEADER("<f4", "False", "(2, 6)"), 48, "unknown version"},
        {0, "0,0,0,1,1,1\n", 0, "is not an NPY file"},
        {0, "PK", 0, "is not an NPY file"},
        {0, "\x93NUMPY", 0, "is cut off"},
        {0, "\x93NUMPY\x01", 0, "is cut off"},
        {0, "\x93NUMPY\x02\x01\x01\x01", 0, "is cut off"},
        {0, "\x93NUMPY\x01\x01\x76\x01{'descr'", 0, "is cut off"},
        {0, "\x93NUMPY\x02\x01\x76\x01\x01\x7f{'descr'", 0, "is too long"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(npy_with(cases[i].version, cases[i].header, FLOATS, cases[i].size), cases[i].expected);
    }
}

// The numbers that are there are all that a header may cost, also where the size of the file is not known.
static void a_promise_of_a_trillion_rows_costs_nothing(void **state) {
    (void)state;
    const char *path = npy_with(1, HEADER("<f4", "False", "(1000000000000, 6)"), FLOATS, sizeof FLOATS);
    for (int known = 0; known < 2; known++) {
        input_file input;
        box_list list = {0};
        failure why = {0};
        assert_true(input_open(&input, path, &why));
        input.size_known = known != 0;
        assert_false(box_npy_read(&input, (box_rules){.dimensions = 3}, &list, &why));
        assert_non_null(strstr(why.text, "announces 1000000000000 rows"));
        assert_true(list.capacity <= 1024);
        input_close(&input);
        box_list_free(&list);
    }
}

static void failures_are_one_line(void **state) {
    (void)state;
    check_refused(npy_with(1, HEADER("<\n\x1b[2J4", "False", "(2, 6)"), FLOATS, sizeof FLOATS), "('<??[2J4')");
    const char text[] = "0,0,0,1,1,1\n0,0,0,\x1b[31m,1,1\n";
    check_refused(file_with("bad.csv", text, strlen(text)), "found '?[31m'");
}

static void invalid_npy_boxes_are_refused_with_their_row(void **state) {
    (void)state;
    const float rows[12] = {0, 0, 0, 1, 1, 1, 0, 0, NAN, 1, 1, 1};
    check_refused(npy_with(1, HEADER("<f4", "False", "(2, 6)"), rows, sizeof rows), "row 1 (from 0): min_z is nan");
    const double inverted[6] = {1.0 + 1e-12, 0, 0, 1, 1, 1};
    check_refused(npy_with(1, HEADER("<f8", "False", "(1, 6)"), inverted, sizeof inverted),
                  "row 0 (from 0): min_x is 1");
}

static void z_is_not_looked_at_in_two_dimensions(void **state) {
    (void)state;
    const float row[6] = {0, 0, NAN, 1, 1, NAN};
    const char *path = npy_with(1, HEADER("<f4", "False", "(1, 6)"), row, sizeof row);
    box_list list;
    failure why = {0};
    assert_true(box_file_read(path, 2, &list, &why));
    box_list_free(&list);
    check_refused(path, "min_z is nan");
}

// ---------------------------------------------------------------------------------------------------------------------
// Rounding outwards

static const double SPHERES[][2] = {{0.1, 0.05}, {1e30, 1.0}, {-1e30, 1.0}, {1.0, 1e-30}, {1e7, 0.1}, {0.3, 0.1}};

static void spheres_are_rounded_outwards(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof SPHERES / sizeof *SPHERES; i++) {
        const double x = SPHERES[i][0], radius = SPHERES[i][1];
        char text[128];
        const int length = snprintf(text, sizeof text, "%.17g,0,0,%.17g\n", x, radius);
        box_list list = read_good(file_with("form.csv", text, (size_t)length));
        assert_false(list.is_double);
        float min = list.data[0].min[0], max = list.data[0].max[0];
        assert_true((double)min <= x - radius && x + radius <= (double)max);
        assert_true((double)min < x && x < (double)max);
        box_list_free(&list);
    }
}

static void float64_stays_what_it_is(void **state) {
    (void)state;
    static const double row[6] = {1.0 / 3, -1e300, 1e-310, 0.5, -0.1, INFINITY};
    box_list list = read_good(npy_with(1, HEADER("<f8", "False", "(1, 6)"), row, sizeof row));
    assert_true(list.is_double && list.count == 1);
    assert_memory_equal(list.doubles, row, sizeof row);
    box_list_free(&list);
    for (size_t i = 0; i < sizeof SPHERES / sizeof *SPHERES; i++) {
        const double x = SPHERES[i][0], radius = SPHERES[i][1];
        const double sphere[4] = {x, 0, 0, radius};
        list = read_good(npy_with(1, HEADER("<f8", "False", "(1, 4)"), sphere, sizeof sphere));
        const double min = list.doubles[0].min[0], max = list.doubles[0].max[0];
        assert_true(min <= x - radius && x + radius <= max && min < x && x < max);
        assert_true(nextafter(nextafter(min, INFINITY), INFINITY) >= x - radius);
        box_list_free(&list);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

static void boxes_come_back_bit_for_bit(void **state) {
    (void)state;
    enum { COUNT = 60000 };
    static const float special[] = {0.0f,    -0.0f,        INFINITY, -INFINITY,          FLT_MAX, -FLT_MAX, FLT_MIN,
                                    -1e-42f, FLT_TRUE_MIN, 1e30f,    1.0f + FLT_EPSILON, 0.1f,    1e7f + 1};
    bp_box *boxes = calloc(COUNT, sizeof *boxes);
    assert_non_null(boxes);
    srand(7);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            float a = special[(size_t)rand() % (sizeof special / sizeof *special)];
            float b = (float)rand() / 1024.0f;
            boxes[i].min[axis] = a < b ? a : b;
            boxes[i].max[axis] = a < b ? b : a;
        }
    }
    static const char *const names[] = {"back.csv", "back.npy", "BACK.NPY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        failure why = {0};
        if (!box_file_write(path_of(names[i]), boxes, COUNT, &why)) fail_msg("%s", why.text);
        box_list list = read_good(path_of(names[i]));
        assert_int_equal(list.count, COUNT);
        assert_memory_equal(list.data, boxes, COUNT * sizeof *boxes);
        box_list_free(&list);
    }
    free(boxes);
}

static void pairs_are_written_as_csv(void **state) {
    (void)state;
    static const bp_pair pairs[] = {{0, 1}, {10, 4294967293u}};
    static const char expected[] = "a,b\n0,1\n10,4294967293\n";
    unsigned char bytes[64];
    failure why = {0};
    assert_true(pair_file_write(path_of("pairs.csv"), pairs, 2, &why));
    assert_int_equal(bytes_of(path_of("pairs.csv"), bytes, sizeof bytes), strlen(expected));
    assert_memory_equal(bytes, expected, strlen(expected));
}

static void pairs_are_written_as_npy(void **state) {
    (void)state;
    static const bp_pair pairs[] = {{0, 1}, {2, 0x01020304u}};
    static const char header[] = "\x93NUMPY\x01\0v\0{'descr': '<u4', "
                                 "'fortran_order': False, 'shape': (2, 2), }";
    static const unsigned char numbers[] = {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 3, 2, 1};
    unsigned char bytes[256];
    failure why = {0};
    assert_true(pair_file_write(path_of("pairs.npy"), pairs, 2, &why));
    assert_int_equal(bytes_of(path_of("pairs.npy"), bytes, sizeof bytes), 128 + sizeof numbers);
    assert_memory_equal(bytes, header, sizeof header - 1);
    for (size_t i = sizeof header - 1; i < 127; i++) assert_int_equal(bytes[i], ' ');
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, numbers, sizeof numbers);
}

static void many_pairs_fill_many_blocks(void **state) {
    (void)state;
    enum { COUNT = 300000 };
    bp_pair *pairs = calloc(COUNT, sizeof *pairs);
    assert_non_null(pairs);
    for (uint32_t i = 0; i < COUNT; i++) pairs[i] = (bp_pair){i, i + 1};
    failure why = {0};
    assert_true(pair_file_write(path_of("many.csv"), pairs, COUNT, &why));
    FILE *file = fopen(path_of("many.csv"), "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "a,b\n"), 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        unsigned a, b;
        assert_int_equal(fscanf(file, "%u,%u\n", &a, &b), 2);
        assert_true(a == i && b == i + 1);
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    free(pairs);
}

static void what_cannot_be_opened_is_told(void **state) {
    (void)state;
    check_refused(path_of("missing.csv"), "No such file");
    check_refused(path_of("missing.npy"), "No such file");
    check_refused(file_with("empty.csv", "", 0), "is empty");
    check_refused(file_with("empty.npy", "", 0), "is empty");
    assert_int_equal(make_directory(path_of("folder.csv")), 0);
    check_refused(path_of("folder.csv"), "is a directory");
    failure why = {0};
    assert_false(box_file_write(path_of("nowhere/x.csv"), NULL, 0, &why));
    assert_int_equal(why.status, STATUS_FAILED);
    assert_non_null(strstr(why.text, "cannot be written"));
    assert_false(pair_file_write(path_of("folder.csv"), NULL, 0, &why));
    assert_int_equal(why.status, STATUS_FAILED);
    assert_false(pair_file_write(path_of("pairs.txt"), NULL, 0, &why));
    assert_int_equal(why.status, STATUS_WRONG_CALL);
}

// ---------------------------------------------------------------------------------------------------------------------
// Settings

static void settings_reach_their_field(void **state) {
    (void)state;
    static const char *const assignments[] = {
        "method=brute-force",    "dimensions=2",  "threads=-1",      "update = rebuild",      "pair_order=sorted",
        "simd=scalar",           "cell_size=0.5", "grid_load=.25",   "hierarchy_factor= 2e0", "grid_size=64, 32,16",
        "brute_force_below=1e3", "flags=0",       "radius_rule=sum", "memory_limit=65536",    "domain=-1,-1,-1,2,2,2",
        "grid_form=linked"};
    bp_config config = {0};
    bp_method_settings methods = {0};
    failure why = {0};
    for (size_t i = 0; i < sizeof assignments / sizeof *assignments; i++) {
        if (!settings_apply(&config, &methods, assignments[i], &why)) fail_msg("%s", why.text);
    }
    assert_int_equal(config.method, BP_METHOD_BRUTE_FORCE);
    assert_int_equal(config.dimensions, 2);
    assert_int_equal(config.threads, -1);
    assert_int_equal(config.update, BP_UPDATE_REBUILD);
    assert_int_equal(config.pair_order, BP_ORDER_SORTED);
    assert_int_equal(config.radius_rule, BP_RADIUS_SUM);
    assert_null(config.settings); // that is up to the caller
    assert_int_equal(methods.simd, BP_SIMD_SCALAR);
    assert_true(methods.cell_size == 0.5f && methods.grid_load == 0.25f && methods.hierarchy_factor == 2.0f);
    assert_true(methods.grid_size[0] == 64 && methods.grid_size[1] == 32 && methods.grid_size[2] == 16);
    assert_int_equal(methods.grid_form, BP_GRID_LINKED);
    assert_int_equal(methods.brute_force_below, 1000);
    assert_int_equal(methods.memory_limit, 65536);
    assert_true(methods.domain.min[2] == -1.0f && methods.domain.max[2] == 2.0f);
}

static void wrong_settings_are_refused_and_change_nothing(void **state) {
    (void)state;
    static const struct {
        const char *assignment, *expected;
    } cases[] = {
        {"color=1", "unknown field 'color'; the fields are method, dimensions, "},
        {"method", "expected FIELD=VALUE"},
        {"perod=1,1,1", "unknown field 'perod' (did you mean 'period'?); the fields are method, "},
        {"Threads=1", "(did you mean 'threads'?)"},
        {"spead=1", "unknown field 'spead'; the fields are "},
        {"hierarchy_factor_of_the_whole_grid=2", "unknown field 'hierarchy_factor_of_the_whole_grid'; the fields are "},
        {"method=bhv", "unknown method 'bhv' (did you mean 'bvh'?); expected one of auto, "},
        {"pair_order=sort", "(did you mean 'sorted'?)"},
        {"=1", "unknown field ''"},
        {"method=magic", "unknown method 'magic'; expected one of auto, brute-force"},
        {"method=1", "unknown method '1'"},
        {"update=sometimes", "expected one of automatic, individual, rebuild"},
        {"dimensions=-2", "dimensions: expected a whole number from 0 to 4294967295, found '-2'"},
        {"dimensions=", "dimensions: expected a whole number"},
        {"dimensions=4294967296", "dimensions: expected a whole number"},
        {"threads=two", "threads: expected a whole number from -1 to 1024, found 'two'"},
        {"cell_size=1,2", "cell_size: expected a number"},
        {"cell_size=1m", "cell_size: expected a number"},
        {"grid_size=64", "grid_size: expected 3 values"},
        {"grid_size=64,64,64,64", "grid_size: expected 3 values"},
        {"grid_size=64,,64", "grid_size: expected a whole number"},
        {"allocator=0", "unknown field 'allocator'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bp_config config = {0};
        bp_method_settings methods = {0};
        const bp_config untouched = {0};
        const bp_method_settings untouched_methods = {0};
        failure why = {0};
        assert_false(settings_apply(&config, &methods, cases[i].assignment, &why));
        assert_int_equal(why.status, STATUS_WRONG_CALL);
        assert_memory_equal(&config, &untouched, sizeof config);
        assert_memory_equal(&methods, &untouched_methods, sizeof methods);
        if (strstr(why.text, cases[i].expected) == NULL)
            fail_msg("expected \"%s\" in \"%s\"", cases[i].expected, why.text);
    }
}

static void settings_are_read_from_a_file(void **state) {
    (void)state;
    const char good[] = "# two dimensions\n\ndimensions = 2   # flat\r\n  "
                        "grid_size=8,8,8\nmethod = brute-force";
    bp_config config = {0};
    bp_method_settings methods = {0};
    failure why = {0};
    if (!settings_read(&config, &methods, file_with("good.conf", good, strlen(good)), &why)) fail_msg("%s", why.text);
    assert_int_equal(config.dimensions, 2);
    assert_int_equal(methods.grid_size[2], 8);
    assert_int_equal(config.method, BP_METHOD_BRUTE_FORCE);

    const char bad[] = "dimensions = 2\n\ncolour = 3\n";
    assert_false(settings_read(&config, &methods, file_with("bad.conf", bad, strlen(bad)), &why));
    assert_int_equal(why.status, STATUS_WRONG_CALL);
    assert_non_null(strstr(why.text, "bad.conf:3: unknown field 'colour'"));
    assert_false(settings_read(&config, &methods, path_of("missing.conf"), &why));
    assert_int_equal(why.status, STATUS_FAILED);
}

static void write_settings(const bp_config *config, const bp_method_settings *methods, settings_style style) {
    output_file output;
    failure why = {0};
    if (!output_open(&output, path_of("written.conf"), &why)) fail_msg("%s", why.text);
    settings_write(&output, config, methods, style);
    if (!output_close(&output, &why)) fail_msg("%s", why.text);
}

static void settings_are_written_as_they_are_read(void **state) {
    (void)state;
    const bp_config config = {.method = BP_METHOD_OCTREE, .threads = -1, .margin = 0.1f, .period = {9, 0, 7}};
    const bp_method_settings methods = {.cell_size = 0.3f,
                                        .domain = {.min = {-1, -2, -3}, .max = {0.1f, 2, 3}},
                                        .memory_limit = SIZE_MAX,
                                        .bvh_split = BP_BVH_SPATIAL_MEDIAN};
    bp_config config_read = {0};
    bp_method_settings methods_read = {0};
    failure why = {0};
    write_settings(&config, &methods, SETTINGS_LINES);
    if (!settings_read(&config_read, &methods_read, path_of("written.conf"), &why)) fail_msg("%s", why.text);
    assert_memory_equal(&config_read, &config, sizeof config);
    assert_memory_equal(&methods_read, &methods, sizeof methods);
}

static void check_c(const bp_config *config, const bp_method_settings *methods, const char *expected) {
    unsigned char text[1024] = {0};
    write_settings(config, methods, SETTINGS_C);
    (void)bytes_of(path_of("written.conf"), text, sizeof text - 1);
    assert_string_equal((const char *)text, expected);
}

static bp_status find_with(bp_config *config, uint32_t *at, size_t choice) {
    bp_pairs pairs = {0};
    *at = (uint32_t)choice;
    const bp_status status = bp_find_pairs(NULL, 0, config, &pairs);
    bp_pairs_free(&pairs, NULL);
    return status;
}

// The library takes the words of each choice, and refuses the number behind the last one by the setting's name.
static void the_library_has_the_same_choices(void **state) {
    (void)state;
    for (size_t i = 0; i < settings_count(); i++) {
        const setting *s = settings_at(i);
        test_log log = {.count = 0};
        bp_method_settings methods = {0};
        bp_config config = {.settings = &methods, .log = test_log_hook(&log)};
        uint32_t *at = (uint32_t *)(void *)((s->of_methods ? (char *)&methods : (char *)&config) + s->offset);
        size_t words = 0;
        for (; setting_word(s, words) != NULL; words++) {
            if (find_with(&config, at, words) == BP_ERROR_ARGUMENT) fail_msg("%s=%s", s->name, setting_word(s, words));
        }
        if (words > 0 && (find_with(&config, at, words) != BP_ERROR_ARGUMENT || strstr(log.text, s->name) == NULL)) {
            fail_msg("%s=%zu: %s", s->name, words, log.text);
        }
    }
}

static void settings_are_written_as_c(void **state) {
    (void)state;
    const bp_config config = {.method = BP_METHOD_OCTREE, .radius_rule = BP_RADIUS_SUM};
    const bp_method_settings none = {0},
                             some = {.simd = BP_SIMD_AVX2, .grid_size = {4, 8, 16}, .domain = {.max = {1, 2, 3}}};
    check_c(&config, &none, "    .method = BP_METHOD_OCTREE,\n    .radius_rule = BP_RADIUS_SUM,\n");
    check_c(&(bp_config){0}, &some,
            "    .settings = &(const bp_method_settings){\n"
            "        .simd = BP_SIMD_AVX2,\n"
            "        .grid_size = {4, 8, 16},\n"
            "        .domain = {{0, 0, 0}, {1, 2, 3}},\n"
            "    },\n");
}

// ---------------------------------------------------------------------------------------------------------------------

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"form.csv",    "header.csv", "bad.csv",     "zero.csv",  "long.csv",
                                        "endless.csv", "made.npy",   "back.csv",    "back.npy",  "BACK.NPY",
                                        "pairs.csv",   "pairs.npy",  "many.csv",    "empty.csv", "empty.npy",
                                        "good.conf",   "bad.conf",   "written.conf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
    rmdir(path_of("folder.csv"));
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_is_read_in_all_its_forms),
        cmocka_unit_test(rectangles_are_read_as_such),
        cmocka_unit_test(npy_rectangles_in_two_dimensions),
        cmocka_unit_test(npz_is_read_as_its_array),
        cmocka_unit_test(damaged_npz_is_refused),
        cmocka_unit_test(files_in_memory_are_read_too),
        cmocka_unit_test(csv_with_only_a_header_has_no_boxes),
        cmocka_unit_test(malformed_csv_is_refused_with_its_line),
        cmocka_unit_test(csv_longer_than_a_block_is_read_whole),
        cmocka_unit_test(a_line_without_end_is_refused),
        cmocka_unit_test(npy_is_read_in_all_its_versions),
        cmocka_unit_test(npy_of_more_than_2_gib_is_opened),
        cmocka_unit_test(npy_spheres_become_boxes),
        cmocka_unit_test(foreign_npy_is_refused),
        cmocka_unit_test(a_promise_of_a_trillion_rows_costs_nothing),
        cmocka_unit_test(failures_are_one_line),
        cmocka_unit_test(invalid_npy_boxes_are_refused_with_their_row),
        cmocka_unit_test(z_is_not_looked_at_in_two_dimensions),
        cmocka_unit_test(float64_stays_what_it_is),
        cmocka_unit_test(spheres_are_rounded_outwards),
        cmocka_unit_test(boxes_come_back_bit_for_bit),
        cmocka_unit_test(pairs_are_written_as_csv),
        cmocka_unit_test(pairs_are_written_as_npy),
        cmocka_unit_test(many_pairs_fill_many_blocks),
        cmocka_unit_test(what_cannot_be_opened_is_told),
        cmocka_unit_test(settings_reach_their_field),
        cmocka_unit_test(wrong_settings_are_refused_and_change_nothing),
        cmocka_unit_test(settings_are_read_from_a_file),
        cmocka_unit_test(settings_are_written_as_they_are_read),
        cmocka_unit_test(the_library_has_the_same_choices),
        cmocka_unit_test(settings_are_written_as_c),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
