#include "formats/settings.h"

#include "formats/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_kind { FIELD_COUNT, FIELD_INTEGER, FIELD_REAL, FIELD_CHOICE, FIELD_BYTES } field_kind;

typedef struct config_field {
    const char *name;
    field_kind kind;
    size_t length;   // elements: more than 1 for an array
    bool of_methods; // in bp_method_settings; else in bp_config
    size_t offset;
    unsigned means_nothing;              // to these uses
    const char *(*choice)(size_t index); // FIELD_CHOICE: the name of each value, then NULL
    const char *prefix;                  // and what stands before it in C
    const char *help;
} config_field;

enum { ELEMENT_BYTES = 4, ARRAY_MAX = 6 };

_Static_assert(sizeof(bp_method) == ELEMENT_BYTES && sizeof(bp_update_strategy) == ELEMENT_BYTES &&
                   sizeof(bp_pair_order) == ELEMENT_BYTES && sizeof(bp_simd) == ELEMENT_BYTES &&
                   sizeof(bp_shape) == ELEMENT_BYTES && sizeof(bp_radius_rule) == ELEMENT_BYTES,
               "a choice is stored as 32 bits");

static const char *update_name(size_t index) {
    static const char *const names[] = {"automatic", "individual", "rebuild"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *order_name(size_t index) {
    static const char *const names[] = {"found", "sorted"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *simd_name(size_t index) {
    static const char *const names[] = {"auto", "scalar", "avx2", "avx512", "neon", "wasm"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *shape_name(size_t index) {
    static const char *const names[] = {"boxes", "spheres"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *rule_name(size_t index) {
    static const char *const names[] = {"max", "min", "sum"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *layout_name(size_t index) {
    static const char *const names[] = {"chunked", "dense"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *form_name(size_t index) {
    static const char *const names[] = {"automatic", "linked"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *keys_name(size_t index) {
    static const char *const names[] = {"row_major", "z_curve"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *entries_name(size_t index) {
    static const char *const names[] = {"corner", "footprint"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *sort_name(size_t index) {
    static const char *const names[] = {"automatic", "radix", "adaptive"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *hash_table_name(size_t index) {
    static const char *const names[] = {"chained", "open"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *bvh_build_name(size_t index) {
    static const char *const names[] = {"top_down", "bottom_up", "insertion"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *bvh_split_name(size_t index) {
    static const char *const names[] = {"object_median", "object_mean", "spatial_median"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *bvh_axis_name(size_t index) {
    static const char *const names[] = {"largest_extent", "largest_variance"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *bvh_descent_name(size_t index) {
    static const char *const names[] = {"simultaneous", "larger_volume", "one_before_other"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

#define IN_CONFIG(member) false, offsetof(bp_config, member), 0
#define IN_CONFIG_NOT_FOR(member, uses) false, offsetof(bp_config, member), uses
#define IN_METHODS(member) true, offsetof(bp_method_settings, member), 0

// Those of bp_config first: settings_write relies on it.
static const config_field FIELDS[] = {
    {"method", FIELD_CHOICE, 1, IN_CONFIG(method), bp_method_name, "BP_METHOD_",
     "the algorithm; 'broadphase methods' lists them"},
    {"dimensions", FIELD_COUNT, 1, IN_CONFIG(dimensions), NULL, NULL, "3, or 2: z is ignored"},
    {"threads", FIELD_INTEGER, 1, IN_CONFIG(threads), NULL, NULL, "0: one; -1: all cores"},
    {"update", FIELD_CHOICE, 1, IN_CONFIG_NOT_FOR(update, SETTINGS_FOR_CALLS | SETTINGS_FOR_NEIGHBORS), update_name,
     "BP_UPDATE_", "automatic, individual or rebuild"},
    {"pair_order", FIELD_CHOICE, 1,
     IN_CONFIG_NOT_FOR(pair_order, SETTINGS_FOR_CALLS | SETTINGS_FOR_WORLDS | SETTINGS_FOR_NEIGHBORS), order_name,
     "BP_ORDER_", "found or sorted; files are always sorted"},
    {"flags", FIELD_COUNT, 1, IN_CONFIG_NOT_FOR(flags, SETTINGS_FOR_CALLS | SETTINGS_FOR_NEIGHBORS), NULL, NULL,
     "bits, as in the header"},
    {"shape", FIELD_CHOICE, 1, IN_CONFIG_NOT_FOR(shape, SETTINGS_FOR_NEIGHBORS), shape_name, "BP_SHAPE_",
     "boxes, or spheres: those inside the boxes"},
    {"radius_rule", FIELD_CHOICE, 1, IN_CONFIG_NOT_FOR(radius_rule, SETTINGS_FOR_CALLS | SETTINGS_FOR_WORLDS),
     rule_name, "BP_RADIUS_", "of two points with a radius each: max, min or sum"},
    {"margin", FIELD_REAL, 1, IN_CONFIG_NOT_FOR(margin, SETTINGS_FOR_NEIGHBORS), NULL, NULL,
     "boxes are grown by this on all sides"},
    {"period", FIELD_REAL, 3, IN_CONFIG(period), NULL, NULL,
     "length after which space repeats, as 10,10,0; 0: it does not"},
    {"simd", FIELD_CHOICE, 1, IN_METHODS(simd), simd_name, "BP_SIMD_", "auto, scalar, avx2, avx512, neon or wasm"},
    {"hierarchy_factor", FIELD_REAL, 1, IN_METHODS(hierarchy_factor), NULL, NULL,
     "0: chosen; > 1: cells of c0 * factor^k"},
    {"cell_size", FIELD_REAL, 1, IN_METHODS(cell_size), NULL, NULL, "c0; 0: automatic"},
    {"grid_size", FIELD_COUNT, 3, IN_METHODS(grid_size), NULL, NULL, "cells per axis of a new grid, as 64,64,64"},
    {"grid_form", FIELD_CHOICE, 1, IN_METHODS(grid_form), form_name, "BP_GRID_", "automatic or linked"},
    {"grid_load", FIELD_REAL, 1, IN_METHODS(grid_load), NULL, NULL, "objects per cell above which a grid grows"},
    {"octree_max_objects", FIELD_COUNT, 1, IN_METHODS(octree_max_objects), NULL, NULL, "more are split; 0: 11"},
    {"octree_max_depth", FIELD_COUNT, 1, IN_METHODS(octree_max_depth), NULL, NULL,
     "halvings of the cube; 0: automatic"},
    {"looseness", FIELD_REAL, 1, IN_METHODS(looseness), NULL, NULL,
     "reach of a node: 1 (straddlers stay high) to 8; 0: 2"},
    {"brute_force_below", FIELD_COUNT, 1, IN_METHODS(brute_force_below), NULL, NULL,
     "fewer objects: all pairs are tested"},
    {"domain", FIELD_REAL, 6, IN_METHODS(domain), NULL, NULL,
     "the part of space with cells: min x,y,z,max x,y,z; 0: the boxes'"},
    {"hash_table", FIELD_CHOICE, 1, IN_METHODS(hash_table), hash_table_name, "BP_HASH_",
     "spatial-hash: chained or open"},
    {"hash_cell_limit", FIELD_COUNT, 1, IN_METHODS(hash_cell_limit), NULL, NULL,
     "spatial-hash, footprints: more cells than this: large"},
    {"memory_limit", FIELD_BYTES, 1, IN_METHODS(memory_limit), NULL, NULL, "bytes for boxes and cells; 0: no limit"},
    {"pivot_layout", FIELD_CHOICE, 1, IN_METHODS(pivot_layout), layout_name, "BP_PIVOTS_", "chunked or dense"},
    {"chunk_size", FIELD_COUNT, 1, IN_METHODS(chunk_size), NULL, NULL,
     "cells per axis of a chunk of pivots: a power of two"},
    {"grid_entries", FIELD_CHOICE, 1, IN_METHODS(grid_entries), entries_name, "BP_ENTRIES_",
     "compact-grid, cuckoo-grid: corner or footprint"},
    {"compact_keys", FIELD_CHOICE, 1, IN_METHODS(compact_keys), keys_name, "BP_KEYS_", "row_major or z_curve"},
    {"compact_sort", FIELD_CHOICE, 1, IN_METHODS(compact_sort), sort_name, "BP_SORT_", "automatic, radix or adaptive"},
    {"bvh_build", FIELD_CHOICE, 1, IN_METHODS(bvh_build), bvh_build_name, "BP_BVH_",
     "top_down, bottom_up or insertion"},
    {"bvh_split", FIELD_CHOICE, 1, IN_METHODS(bvh_split), bvh_split_name, "BP_BVH_",
     "object_median, object_mean or spatial_median"},
    {"bvh_axis", FIELD_CHOICE, 1, IN_METHODS(bvh_axis), bvh_axis_name, "BP_BVH_", "largest_extent or largest_variance"},
    {"bvh_descent", FIELD_CHOICE, 1, IN_METHODS(bvh_descent), bvh_descent_name, "BP_BVH_",
     "simultaneous, larger_volume or one_before_other"},
    {"sweep_axes", FIELD_COUNT, 1, IN_METHODS(sweep_axes), NULL, NULL, "1 or 3; 0: by how far objects move"},
};

enum { FIELDS_COUNT = sizeof FIELDS / sizeof *FIELDS };

// ---------------------------------------------------------------------------------------------------------------------
// Messages

static void append(char *text, size_t size, const char *more) {
    size_t used = strlen(text);
    if (used < size) snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", more);
}

static bool fail_name(const char *what, const char *wrong, const char *(*names)(size_t), const char *known_are,
                      failure *why) {
    char known[512] = "";
    spelling hint = spelling_of(wrong);
    for (size_t i = 0; names(i) != NULL; i++) {
        append(known, sizeof known, names(i));
        spelling_try(&hint, names(i));
    }
    return failure_set(why, STATUS_WRONG_CALL, "unknown %s '%.100s'%s; %s %s", what, wrong, spelling_hint(&hint),
                       known_are, known);
}

static const char *field_name(size_t index) {
    return index < FIELDS_COUNT ? FIELDS[index].name : NULL;
}

static bool fail_unknown(const char *name, failure *why) {
    return fail_name("field", name, field_name, "the fields are", why);
}

static bool fail_choice(const config_field *field, const char *value, failure *why) {
    return fail_name(field->name, value, field->choice, "expected one of", why);
}

static bool fail_value(const config_field *field, const char *value, failure *why) {
    static const char *const kinds[] = {"a whole number from 0 to 4294967295", "a whole number from -1 to 1024",
                                        "a number: 0, or 1.4e-45 to 3.40282347e38 either way", "a name",
                                        "a number of bytes, whole, from 0 to 2^64 - 1"};
    return failure_set(why, STATUS_WRONG_CALL, "%s: expected %s, found '%.100s'", field->name, kinds[field->kind],
                       value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Values

static bool parse_choice(const config_field *field, const char *text, uint32_t *value, failure *why) {
    for (size_t i = 0; field->choice(i) != NULL; i++) {
        if (strcmp(field->choice(i), text) != 0) continue;
        *value = (uint32_t)i;
        return true;
    }
    return fail_choice(field, text, why);
}

// Parses one element into the 32 bits that it takes in the config.
static bool parse_element(const config_field *field, const char *text, void *element, failure *why) {
    uint64_t count = 0;
    uint32_t word = 0;
    int32_t integer = 0;
    float real = 0.0f;
    bool good = true;
    switch (field->kind) {
    case FIELD_COUNT:
        good = number_parse_count(text, UINT32_MAX, &count);
        word = (uint32_t)count;
        break;
    case FIELD_INTEGER:
        good = number_parse_integer(text, &integer);
        memcpy(&word, &integer, sizeof word);
        break;
    case FIELD_REAL:
        good = number_parse_real_float(text, &real);
        memcpy(&word, &real, sizeof word);
        break;
    case FIELD_CHOICE:
        if (!parse_choice(field, text, &word, why)) return false;
        break;
    case FIELD_BYTES: // not an element of 32 bits: set_bytes
        break;
    }
    if (!good) return fail_value(field, text, why);
    memcpy(element, &word, sizeof word);
    return true;
}

static char *trim(char *text) {
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) length--;
    text[length] = '\0';
    return text;
}

static bool fail_length(const config_field *field, const char *value, failure *why) {
    return failure_set(why, STATUS_WRONG_CALL, "%s: expected %zu values separated by commas, found '%.100s'",
                       field->name, field->length, value);
}

// The one kind that takes a size_t.
static bool set_bytes(unsigned char *at, const config_field *field, const char *value, failure *why) {
    uint64_t count = 0;
    if (!number_parse_count(value, SIZE_MAX, &count)) return fail_value(field, value, why);
    memcpy(at, &(size_t){(size_t)count}, sizeof(size_t));
    return true;
}

// All or nothing: the field changes only when every element is good.
static bool set_field(unsigned char *at, const config_field *field, const char *value, failure *why) {
    if (field->kind == FIELD_BYTES) return set_bytes(at, field, value, why);
    unsigned char elements[ARRAY_MAX * ELEMENT_BYTES];
    char copy[256];
    if (strlen(value) >= sizeof copy) return fail_value(field, value, why);
    memcpy(copy, value, strlen(value) + 1);

    char *rest = copy;
    for (size_t i = 0; i < field->length; i++) {
        if (rest == NULL) return fail_length(field, value, why);
        char *comma = field->length > 1 ? strchr(rest, ',') : NULL;
        if (comma != NULL) *comma = '\0';
        if (!parse_element(field, trim(rest), elements + i * ELEMENT_BYTES, why)) return false;
        rest = comma == NULL ? NULL : comma + 1;
    }
    if (rest != NULL) return fail_length(field, value, why);
    memcpy(at, elements, field->length * ELEMENT_BYTES);
    return true;
}

bool settings_set(bp_config *config, bp_method_settings *methods, const char *name, const char *value, failure *why) {
    for (size_t i = 0; i < FIELDS_COUNT; i++) {
        if (strcmp(FIELDS[i].name, name) != 0) continue;
        unsigned char *whole = FIELDS[i].of_methods ? (unsigned char *)methods : (unsigned char *)config;
        return set_field(whole + FIELDS[i].offset, &FIELDS[i], value, why);
    }
    return fail_unknown(name, why);
}

bool settings_apply(bp_config *config, bp_method_settings *methods, const char *assignment, failure *why) {
    char copy[512];
    const char *equals = strchr(assignment, '=');
    if (equals == NULL || strlen(assignment) >= sizeof copy) {
        return failure_set(why, STATUS_WRONG_CALL, "expected FIELD=VALUE, found '%.100s'", assignment);
    }
    memcpy(copy, assignment, strlen(assignment) + 1);
    char *value = copy + (equals - assignment);
    *value++ = '\0';
    return settings_set(config, methods, trim(copy), trim(value), why);
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

static bool apply_lines(bp_config *config, bp_method_settings *methods, const char *name, char *text, failure *why) {
    size_t number = 0;
    while (text != NULL) {
        char *line = text;
        text = strchr(text, '\n');
        if (text != NULL) *text++ = '\0';
        number++;
        line[strcspn(line, "#")] = '\0';
        line = trim(line);
        if (*line == '\0') continue;
        if (!settings_apply(config, methods, line, why)) return failure_prefix(why, "%s:%zu: ", name, number);
    }
    return true;
}

bool settings_read(bp_config *config, bp_method_settings *methods, const char *path, failure *why) {
    enum { SIZE_LIMIT = 1 << 16 };
    input_file input;
    if (!input_open(&input, path, why)) return false;
    char *text = malloc(SIZE_LIMIT + 1);
    size_t got = 0;
    bool good = text != NULL && input_read(&input, text, SIZE_LIMIT, &got, why);
    input_close(&input);
    if (text == NULL) return failure_memory(why);
    if (good && got == SIZE_LIMIT) {
        good = failure_set(why, STATUS_FAILED, "%s: is too long; expected lines FIELD = VALUE", path);
    }
    if (good) {
        text[got] = '\0';
        good = apply_lines(config, methods, input.name, text, why);
    }
    free(text);
    return good;
}

size_t settings_count(void) {
    return FIELDS_COUNT;
}

const char *settings_name(size_t index) {
    return FIELDS[index].name;
}

const char *settings_help(size_t index) {
    return FIELDS[index].help;
}

bool settings_mean_something(size_t index, settings_use use) {
    return (FIELDS[index].means_nothing & (unsigned)use) == 0;
}

const char *settings_choice(size_t index, size_t choice) {
    return FIELDS[index].choice == NULL ? NULL : FIELDS[index].choice(choice);
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

static bool is_zero(const unsigned char *at, const config_field *field) {
    static const unsigned char zeros[ARRAY_MAX * ELEMENT_BYTES] = {0};
    size_t bytes = field->kind == FIELD_BYTES ? sizeof(size_t) : field->length * ELEMENT_BYTES;
    return memcmp(at, zeros, bytes) == 0;
}

static void write_choice(output_file *output, const config_field *field, uint32_t value, settings_style style) {
    const char *name = field->choice(value);
    char text[64] = "";
    for (size_t i = 0; style == SETTINGS_C && name[i] != '\0' && i + 1 < sizeof text; i++) {
        text[i] = (char)(name[i] == '-' ? '_' : name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    }
    output_text(output, "%s%s", style == SETTINGS_C ? field->prefix : "", style == SETTINGS_C ? text : name);
}

static void write_element(output_file *output, const config_field *field, const unsigned char *element,
                          settings_style style) {
    uint32_t word;
    int32_t integer;
    float real;
    memcpy(&word, element, sizeof word);
    memcpy(&integer, element, sizeof integer);
    memcpy(&real, element, sizeof real);
    char text[NUMBER_LENGTH_MAX + 1];
    switch (field->kind) {
    case FIELD_COUNT: output_text(output, "%lu", (unsigned long)word); break;
    case FIELD_INTEGER: output_text(output, "%ld", (long)integer); break;
    case FIELD_REAL:
        *number_write_float(text, real) = '\0';
        output_text(output, "%s%s", style == SETTINGS_C ? "(float)" : "", text);
        break;
    case FIELD_CHOICE: write_choice(output, field, word, style); break;
    case FIELD_BYTES: break;
    }
}

static void write_value(output_file *output, const unsigned char *at, const config_field *field, settings_style style) {
    if (field->kind == FIELD_BYTES) {
        size_t bytes;
        memcpy(&bytes, at, sizeof bytes);
        output_text(output, "%zu", bytes);
        return;
    }
    const bool braces = style == SETTINGS_C && field->length > 1;
    if (braces) output_text(output, "{");
    for (size_t i = 0; i < field->length; i++) {
        if (i > 0) output_text(output, braces ? ", " : ",");
        write_element(output, field, at + i * ELEMENT_BYTES, style);
    }
    if (braces) output_text(output, "}");
}

// In C a box is two arrays.
static void write_box(output_file *output, const unsigned char *at) {
    float ends[ARRAY_MAX];
    memcpy(ends, at, sizeof ends);
    output_text(output, "{{%.9g, %.9g, %.9g}, {%.9g, %.9g, %.9g}}", (double)ends[0], (double)ends[1], (double)ends[2],
                (double)ends[3], (double)ends[4], (double)ends[5]);
}

static void write_field(output_file *output, const unsigned char *at, const config_field *field, settings_style style) {
    static const struct {
        const char *before, *between, *after;
    } marks[] = {[SETTINGS_LINES] = {"", " = ", "\n"},
                 [SETTINGS_WORDS] = {" ", "=", ""},
                 [SETTINGS_C] = {"    .", " = ", ",\n"}};
    const bool nested = style == SETTINGS_C && field->of_methods;
    output_text(output, "%s%s%s%s", nested ? "    " : "", marks[style].before, field->name, marks[style].between);
    if (style == SETTINGS_C && field->length == ARRAY_MAX) {
        write_box(output, at);
    } else {
        write_value(output, at, field, style);
    }
    output_text(output, "%s", marks[style].after);
}

// In C the settings of methods are a struct of their own, if there are any.
void settings_write(output_file *output, const bp_config *config, const bp_method_settings *methods,
                    settings_style style) {
    bool is_open = false;
    for (size_t i = 0; i < FIELDS_COUNT; i++) {
        const config_field *field = &FIELDS[i];
        const void *whole = field->of_methods ? (const void *)methods : (const void *)config;
        const unsigned char *at = (const unsigned char *)whole + field->offset;
        if (is_zero(at, field)) continue;
        if (style == SETTINGS_C && field->of_methods && !is_open) {
            output_text(output, "    .settings = &(const bp_method_settings){\n");
            is_open = true;
        }
        write_field(output, at, field, style);
    }
    if (is_open) output_text(output, "    },\n");
}
