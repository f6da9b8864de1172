#include "formats/settings.h"

#include "formats/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT_BYTES = 4, ARRAY_MAX = 6 };

_Static_assert(sizeof(bp_method) == ELEMENT_BYTES && sizeof(bp_update_strategy) == ELEMENT_BYTES &&
                   sizeof(bp_pair_order) == ELEMENT_BYTES && sizeof(bp_simd) == ELEMENT_BYTES &&
                   sizeof(bp_shape) == ELEMENT_BYTES && sizeof(bp_radius_rule) == ELEMENT_BYTES,
               "a choice is stored as 32 bits");

#define IN_CONFIG(member) false, offsetof(bp_config, member), 0
#define IN_CONFIG_NOT_FOR(member, uses) false, offsetof(bp_config, member), uses
#define IN_METHODS(member) true, offsetof(bp_method_settings, member), 0
#define ONE_OF(prefix, ...)                                                                                            \
    prefix, (const char *const[]) {                                                                                    \
        __VA_ARGS__, NULL                                                                                              \
    }
#define ANY_NUMBER NULL, NULL

#define GRIDS_WITH_CELLS "hierarchical-grid, linked-cells, spatial-hash, pivot-grid, compact-grid, cuckoo-grid"
#define BOUNDED "linked-cells, pivot-grid, compact-grid, cuckoo-grid, octree, loose-octree"

// Those of bp_config first: settings_write relies on it.
static const setting SETTINGS[] = {
    {"method", SETTING_CHOICE, 1, IN_CONFIG(method), "BP_METHOD_", NULL, NULL,
     "the algorithm; 'broadphase methods' lists them"},
    {"dimensions", SETTING_NUMBER, 1, IN_CONFIG(dimensions), ANY_NUMBER, NULL, "3, or 2: z is ignored"},
    {"threads", SETTING_INTEGER, 1, IN_CONFIG(threads), ANY_NUMBER, NULL, "0: one; -1: all cores"},
    {"update", SETTING_CHOICE, 1, IN_CONFIG_NOT_FOR(update, SETTINGS_FOR_CALLS | SETTINGS_FOR_NEIGHBORS),
     ONE_OF("BP_UPDATE_", "automatic", "individual", "rebuild"), NULL, "how a world brings its structure up to date"},
    {"pair_order", SETTING_CHOICE, 1,
     IN_CONFIG_NOT_FOR(pair_order, SETTINGS_FOR_CALLS | SETTINGS_FOR_WORLDS | SETTINGS_FOR_NEIGHBORS),
     ONE_OF("BP_ORDER_", "found", "sorted"), NULL, "the order of the pairs; files are always sorted"},
    {"flags", SETTING_NUMBER, 1, IN_CONFIG_NOT_FOR(flags, SETTINGS_FOR_CALLS | SETTINGS_FOR_NEIGHBORS), ANY_NUMBER,
     NULL, "bits, as in the header"},
    {"shape", SETTING_CHOICE, 1, IN_CONFIG_NOT_FOR(shape, SETTINGS_FOR_NEIGHBORS),
     ONE_OF("BP_SHAPE_", "boxes", "spheres"), NULL, "spheres are those inside the boxes"},
    {"radius_rule", SETTING_CHOICE, 1, IN_CONFIG_NOT_FOR(radius_rule, SETTINGS_FOR_CALLS | SETTINGS_FOR_WORLDS),
     ONE_OF("BP_RADIUS_", "max", "min", "sum"), NULL, "the radius that counts for two points with one each"},
    {"margin", SETTING_REAL, 1, IN_CONFIG_NOT_FOR(margin, SETTINGS_FOR_NEIGHBORS), ANY_NUMBER, NULL,
     "boxes are grown by this on all sides"},
    {"period", SETTING_REAL, 3, IN_CONFIG(period), ANY_NUMBER, NULL,
     "length after which space repeats, as 10,10,0; 0: it does not"},
    {"simd", SETTING_CHOICE, 1, IN_METHODS(simd),
     ONE_OF("BP_SIMD_", "auto", "scalar", "avx2", "avx512", "neon", "wasm"), NULL,
     "the instruction set of the inner loops"},
    {"hierarchy_factor", SETTING_REAL, 1, IN_METHODS(hierarchy_factor), ANY_NUMBER, "hierarchical-grid",
     "0: chosen; > 1: cells of c0 * factor^k"},
    {"cell_size", SETTING_REAL, 1, IN_METHODS(cell_size), ANY_NUMBER, GRIDS_WITH_CELLS,
     "edge of the (smallest) cells; 0: from the boxes"},
    {"grid_size", SETTING_NUMBER, 3, IN_METHODS(grid_size), ANY_NUMBER, "hierarchical-grid",
     "cells per axis of a new grid, as 64,64,64"},
    {"grid_form", SETTING_CHOICE, 1, IN_METHODS(grid_form), ONE_OF("BP_GRID_", "automatic", "linked"),
     "hierarchical-grid", "how objects lie in its cells"},
    {"grid_load", SETTING_REAL, 1, IN_METHODS(grid_load), ANY_NUMBER, "hierarchical-grid",
     "objects per cell above which a grid grows"},
    {"brute_force_below", SETTING_NUMBER, 1, IN_METHODS(brute_force_below), ANY_NUMBER, "auto, hierarchical-grid",
     "fewer objects: all pairs are tested; 1: never"},
    {"domain", SETTING_REAL, 6, IN_METHODS(domain), ANY_NUMBER, BOUNDED,
     "the part of space with cells: min x,y,z,max x,y,z; 0: the boxes'"},
    {"memory_limit", SETTING_BYTES, 1, IN_METHODS(memory_limit), ANY_NUMBER, "linked-cells, pivot-grid, compact-grid",
     "bytes for boxes and cells; 0: no limit"},
    {"hash_table", SETTING_CHOICE, 1, IN_METHODS(hash_table), ONE_OF("BP_HASH_", "chained", "open"), "spatial-hash",
     "how cells with the same hash share the table"},
    {"hash_cell_limit", SETTING_NUMBER, 1, IN_METHODS(hash_cell_limit), ANY_NUMBER,
     "spatial-hash, compact-grid, cuckoo-grid", "objects in more cells than this are kept apart; 0: 256"},
    {"pivot_layout", SETTING_CHOICE, 1, IN_METHODS(pivot_layout), ONE_OF("BP_PIVOTS_", "chunked", "dense"),
     "pivot-grid", "where the pivots of the cells are stored"},
    {"chunk_size", SETTING_NUMBER, 1, IN_METHODS(chunk_size), ANY_NUMBER, "pivot-grid",
     "cells per axis of a chunk of pivots: a power of two"},
    {"grid_entries", SETTING_CHOICE, 1, IN_METHODS(grid_entries), ONE_OF("BP_ENTRIES_", "corner", "footprint"),
     "compact-grid, cuckoo-grid", "the cells that an object is entered in"},
    {"compact_keys", SETTING_CHOICE, 1, IN_METHODS(compact_keys), ONE_OF("BP_KEYS_", "row_major", "z_curve"),
     "compact-grid", "the order of the cells"},
    {"compact_sort", SETTING_CHOICE, 1, IN_METHODS(compact_sort), ONE_OF("BP_SORT_", "automatic", "radix", "adaptive"),
     "compact-grid", "how objects are sorted by cell"},
    {"octree_max_objects", SETTING_NUMBER, 1, IN_METHODS(octree_max_objects), ANY_NUMBER, "octree, loose-octree",
     "a node with more is split; 0: 11"},
    {"octree_max_depth", SETTING_NUMBER, 1, IN_METHODS(octree_max_depth), ANY_NUMBER, "octree, loose-octree",
     "how often the cube is halved, at most 21; 0: as often as it pays"},
    {"looseness", SETTING_REAL, 1, IN_METHODS(looseness), ANY_NUMBER, "loose-octree",
     "reach of a node: 1 (straddlers stay high) to 8; 0: 2"},
    {"bvh_build", SETTING_CHOICE, 1, IN_METHODS(bvh_build), ONE_OF("BP_BVH_", "top_down", "bottom_up", "insertion"),
     "bvh", "how the tree is built"},
    {"bvh_split", SETTING_CHOICE, 1, IN_METHODS(bvh_split),
     ONE_OF("BP_BVH_", "object_median", "object_mean", "spatial_median"), "bvh", "where boxes are split, top-down"},
    {"bvh_axis", SETTING_CHOICE, 1, IN_METHODS(bvh_axis), ONE_OF("BP_BVH_", "largest_extent", "largest_variance"),
     "bvh", "along which axis boxes are split, top-down"},
    {"bvh_descent", SETTING_CHOICE, 1, IN_METHODS(bvh_descent),
     ONE_OF("BP_BVH_", "simultaneous", "larger_volume", "one_before_other"), "bvh",
     "which of two nodes the search descends into"},
    {"sweep_axes", SETTING_NUMBER, 1, IN_METHODS(sweep_axes), ANY_NUMBER, "sweep-and-prune",
     "1 or 3; 0: by how far objects move"},
};

enum { SETTINGS_COUNT = sizeof SETTINGS / sizeof *SETTINGS };

// ---------------------------------------------------------------------------------------------------------------------
// Messages

static void append(char *text, size_t size, const char *more) {
    size_t used = strlen(text);
    if (used < size) snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", more);
}

// The words that a setting may be, or, where `of` is NULL, the names of all settings; then NULL.
static const char *known_word(const setting *of, size_t index) {
    if (of != NULL) return setting_word(of, index);
    return index < SETTINGS_COUNT ? SETTINGS[index].name : NULL;
}

static bool fail_name(const char *what, const char *wrong, const setting *of, const char *known_are, failure *why) {
    char known[512] = "";
    spelling hint = spelling_of(wrong);
    for (size_t i = 0; known_word(of, i) != NULL; i++) {
        append(known, sizeof known, known_word(of, i));
        spelling_try(&hint, known_word(of, i));
    }
    return failure_set(why, STATUS_WRONG_CALL, "unknown %s '%.100s'%s; %s %s", what, wrong, spelling_hint(&hint),
                       known_are, known);
}

static bool fail_value(const setting *field, const char *value, failure *why) {
    static const char *const kinds[] = {"a whole number from 0 to 4294967295", "a whole number from -1 to 1024",
                                        "a number: 0, or 1.4e-45 to 3.40282347e38 either way", "a name",
                                        "a number of bytes, whole, from 0 to 2^64 - 1"};
    return failure_set(why, STATUS_WRONG_CALL, "%s: expected %s, found '%.100s'", field->name, kinds[field->kind],
                       value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Values

static bool parse_choice(const setting *field, const char *text, uint32_t *value, failure *why) {
    for (size_t i = 0; setting_word(field, i) != NULL; i++) {
        if (strcmp(setting_word(field, i), text) != 0) continue;
        *value = (uint32_t)i;
        return true;
    }
    return fail_name(field->name, text, field, "expected one of", why);
}

// Parses one element into the 32 bits that it takes in the config.
static bool parse_element(const setting *field, const char *text, void *element, failure *why) {
    uint64_t count = 0;
    uint32_t word = 0;
    int32_t integer = 0;
    float real = 0.0f;
    bool good = true;
    switch (field->kind) {
    case SETTING_NUMBER:
        good = number_parse_count(text, UINT32_MAX, &count);
        word = (uint32_t)count;
        break;
    case SETTING_INTEGER:
        good = number_parse_integer(text, &integer);
        memcpy(&word, &integer, sizeof word);
        break;
    case SETTING_REAL:
        good = number_parse_real_float(text, &real);
        memcpy(&word, &real, sizeof word);
        break;
    case SETTING_CHOICE:
        if (!parse_choice(field, text, &word, why)) return false;
        break;
    case SETTING_BYTES: // not an element of 32 bits: set_bytes
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

static bool fail_length(const setting *field, const char *value, failure *why) {
    return failure_set(why, STATUS_WRONG_CALL, "%s: expected %zu values separated by commas, found '%.100s'",
                       field->name, field->length, value);
}

// The one kind that takes a size_t.
static bool set_bytes(unsigned char *at, const setting *field, const char *value, failure *why) {
    uint64_t count = 0;
    if (!number_parse_count(value, SIZE_MAX, &count)) return fail_value(field, value, why);
    memcpy(at, &(size_t){(size_t)count}, sizeof(size_t));
    return true;
}

// All or nothing: the field changes only when every element is good.
static bool set_field(unsigned char *at, const setting *field, const char *value, failure *why) {
    if (field->kind == SETTING_BYTES) return set_bytes(at, field, value, why);
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
    for (size_t i = 0; i < SETTINGS_COUNT; i++) {
        if (strcmp(SETTINGS[i].name, name) != 0) continue;
        unsigned char *whole = SETTINGS[i].of_methods ? (unsigned char *)methods : (unsigned char *)config;
        return set_field(whole + SETTINGS[i].offset, &SETTINGS[i], value, why);
    }
    return fail_name("field", name, NULL, "the fields are", why);
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
    return SETTINGS_COUNT;
}

const setting *settings_at(size_t index) {
    return &SETTINGS[index];
}

bool setting_means_something(const setting *of, settings_use use) {
    return (of->means_nothing & (unsigned)use) == 0;
}

const char *setting_word(const setting *of, size_t choice) {
    if (of->kind != SETTING_CHOICE) return NULL;
    return of->words != NULL ? of->words[choice] : bp_method_name(choice);
}

const char *setting_describe(const setting *of, char text[SETTING_TEXT]) {
    text[0] = '\0';
    for (size_t i = 0; of->words != NULL && of->words[i] != NULL; i++) {
        const char *before = i == 0 ? "" : of->words[i + 1] != NULL ? ", " : " or ";
        const size_t used = strlen(text);
        snprintf(text + used, SETTING_TEXT - used, "%s%s", before, of->words[i]);
    }
    const size_t used = strlen(text);
    snprintf(text + used, SETTING_TEXT - used, "%s%s", used == 0 ? "" : ": ", of->help);
    return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

static bool is_zero(const unsigned char *at, const setting *field) {
    static const unsigned char zeros[ARRAY_MAX * ELEMENT_BYTES] = {0};
    size_t bytes = field->kind == SETTING_BYTES ? sizeof(size_t) : field->length * ELEMENT_BYTES;
    return memcmp(at, zeros, bytes) == 0;
}

static void write_choice(output_file *output, const setting *field, uint32_t value, settings_style style) {
    const char *name = setting_word(field, value);
    char text[64] = "";
    for (size_t i = 0; style == SETTINGS_C && name[i] != '\0' && i + 1 < sizeof text; i++) {
        text[i] = (char)(name[i] == '-' ? '_' : name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    }
    output_text(output, "%s%s", style == SETTINGS_C ? field->prefix : "", style == SETTINGS_C ? text : name);
}

static void write_element(output_file *output, const setting *field, const unsigned char *element,
                          settings_style style) {
    uint32_t word;
    int32_t integer;
    float real;
    memcpy(&word, element, sizeof word);
    memcpy(&integer, element, sizeof integer);
    memcpy(&real, element, sizeof real);
    char text[NUMBER_LENGTH_MAX + 1];
    switch (field->kind) {
    case SETTING_NUMBER: output_text(output, "%lu", (unsigned long)word); break;
    case SETTING_INTEGER: output_text(output, "%ld", (long)integer); break;
    case SETTING_REAL:
        *number_write_float(text, real) = '\0';
        output_text(output, "%s%s", style == SETTINGS_C ? "(float)" : "", text);
        break;
    case SETTING_CHOICE: write_choice(output, field, word, style); break;
    case SETTING_BYTES: break;
    }
}

static void write_value(output_file *output, const unsigned char *at, const setting *field, settings_style style) {
    if (field->kind == SETTING_BYTES) {
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

static void write_field(output_file *output, const unsigned char *at, const setting *field, settings_style style) {
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
    for (size_t i = 0; i < SETTINGS_COUNT; i++) {
        const setting *field = &SETTINGS[i];
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
