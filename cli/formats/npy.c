#include "formats/npy.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char MAGIC[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum { PREFIX_V1 = 10, PREFIX_V2 = 12, HEADER_MAX = 1 << 16, ALIGNMENT = 64 };

// ---------------------------------------------------------------------------------------------------------------------
// Reading

static uint64_t load(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

float npy_load_float(const unsigned char *bytes) {
    uint32_t bits = (uint32_t)load(bytes, sizeof bits);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double npy_load_double(const unsigned char *bytes) {
    uint64_t bits = load(bytes, sizeof bits);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool fail_header(const input_file *input, const char *what, failure *why) {
    return failure_set(why, STATUS_FAILED, "%s: the NPY header %s; save the array again with numpy.save", input->name,
                       what);
}

// What follows "'key':" in the header, or NULL.
static const char *value_of(const char *header, const char *key) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *found = strstr(header, quoted);
    if (found == NULL) return NULL;
    found += strlen(quoted);
    return found + strspn(found, " ");
}

static bool parse_type(const char *text, npy_header *header) {
    if (*text == '[') {
        snprintf(header->type, sizeof header->type, "structured");
        return true;
    }
    if (*text != '\'') return false;
    size_t length = strcspn(text + 1, "'");
    if (text[length + 1] != '\'' || length >= sizeof header->type) return false;
    memcpy(header->type, text + 1, length);
    header->type[length] = '\0';
    return true;
}

static bool parse_order(const char *text, npy_header *header) {
    header->fortran_order = strncmp(text, "True", 4) == 0;
    return header->fortran_order || strncmp(text, "False", 5) == 0;
}

static const char *parse_length(const char *text, uint64_t *length) {
    const char *end = text;
    *length = 0;
    for (; *end >= '0' && *end <= '9'; end++) {
        if (*length > (UINT64_MAX - 9) / 10) return NULL;
        *length = 10 * *length + (uint64_t)(*end - '0');
    }
    return end == text ? NULL : end;
}

// "()", "(7,)", "(7, 6)", ...
static bool parse_shape(const char *text, npy_header *header) {
    if (*text++ != '(') return false;
    for (header->dimensions = 0; *text != ')'; header->dimensions++) {
        uint64_t length;
        text = parse_length(text, &length);
        if (text == NULL) return false;
        if (header->dimensions < NPY_SHAPE_MAX) header->shape[header->dimensions] = length;
        text += strspn(text, " ");
        if (*text != ',' && *text != ')') return false;
        text += *text == ',';
        text += strspn(text, " ");
    }
    return true;
}

static bool parse_header(const input_file *input, const char *text, npy_header *header, failure *why) {
    const char *type = value_of(text, "descr");
    const char *order = value_of(text, "fortran_order");
    const char *shape = value_of(text, "shape");
    if (*text != '{' || type == NULL || order == NULL || shape == NULL) {
        return fail_header(input, "does not name descr, fortran_order and shape", why);
    }
    if (!parse_type(type, header)) return fail_header(input, "has no readable descr", why);
    if (!parse_order(order, header)) return fail_header(input, "has no readable fortran_order", why);
    if (!parse_shape(shape, header)) return fail_header(input, "has no readable shape", why);
    return true;
}

static bool read_text(input_file *input, size_t length, npy_header *header, failure *why) {
    if (length > HEADER_MAX) return fail_header(input, "is too long", why);
    char *text = malloc(length + 1);
    if (text == NULL) return failure_memory(why);
    size_t got;
    bool good = input_read(input, text, length, &got, why);
    if (good && got < length) good = fail_header(input, "is cut off", why);
    if (good) {
        text[length] = '\0';
        good = parse_header(input, text, header, why);
    }
    free(text);
    return good;
}

bool npy_read_header(input_file *input, npy_header *header, failure *why) {
    unsigned char prefix[PREFIX_V2] = {0};
    size_t got;
    *header = (npy_header){0};
    if (!input_read(input, prefix, PREFIX_V1, &got, why)) return false;
    if (got < sizeof MAGIC || memcmp(prefix, MAGIC, sizeof MAGIC) != 0) {
        return failure_set(why, STATUS_FAILED, "%s: is not an NPY file; expected one made by numpy.save", input->name);
    }
    if (got < PREFIX_V1) return fail_header(input, "is cut off", why);
    unsigned version = prefix[6];
    if (version < 1 || version > 3) return fail_header(input, "has an unknown version; expected 1, 2 or 3", why);
    if (version == 1) return read_text(input, (size_t)load(prefix + 8, 2), header, why);
    if (!input_read(input, prefix + PREFIX_V1, PREFIX_V2 - PREFIX_V1, &got, why)) return false;
    if (got < PREFIX_V2 - PREFIX_V1) return fail_header(input, "is cut off", why);
    return read_text(input, (size_t)load(prefix + 8, 4), header, why);
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

static void write_header(output_file *output, const char *type, const char *shape) {
    char text[2 * ALIGNMENT];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    assert(length > 0 && (size_t)length < sizeof text - PREFIX_V1);
    // The numbers begin at a multiple of 64; spaces fill the gap, and a newline ends it.
    size_t used = PREFIX_V1 + (size_t)length + 1;
    size_t total = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char prefix[PREFIX_V1] = {[6] = 1};
    memcpy(prefix, MAGIC, sizeof MAGIC);
    prefix[8] = (unsigned char)(total - PREFIX_V1);
    output_bytes(output, prefix, sizeof prefix);
    output_text(output, "%s%*s\n", text, (int)(total - used), "");
}

void npy_write_header(output_file *output, const char *type, size_t rows, size_t columns) {
    char shape[ALIGNMENT];
    snprintf(shape, sizeof shape, "%zu, %zu", rows, columns);
    write_header(output, type, shape);
}

void npy_write_header_3d(output_file *output, const char *type, size_t steps, size_t rows, size_t columns) {
    char shape[ALIGNMENT];
    snprintf(shape, sizeof shape, "%zu, %zu, %zu", steps, rows, columns);
    write_header(output, type, shape);
}

void npy_write_u32(output_file *output, const uint32_t *words, size_t count) {
    unsigned char *to = (unsigned char *)output_room(output, 4 * count);
    for (size_t i = 0; i < count; i++) {
        for (int byte = 0; byte < 4; byte++) *to++ = (unsigned char)(words[i] >> (8 * byte));
    }
    output_advance(output, (const char *)to);
}
