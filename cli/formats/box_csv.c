// Boxes from CSV: read in blocks, cut into lines in place, numbers parsed where they lie.
//
// One header line is allowed; spaces around numbers, CRLF, a byte order mark, a missing last newline and empty lines at
// the end are too. Any other line that is not a row of numbers is an error with its line number: to skip a row would
// lose pairs.
#include "formats/box_files.h"
#include "formats/number.h"

#include <stdlib.h>
#include <string.h>

typedef struct line_reader {
    input_file *input;
    char *block; // STREAM_BLOCK bytes and one for a '\0'
    size_t begin, end;
    bool at_end;   // of the file
    size_t number; // of the line last read, from 1
    const char *line_end;
} line_reader;

typedef struct csv_reader {
    line_reader lines;
    uint32_t dimensions;
    size_t columns;    // 0 until the first row is read
    size_t empty_line; // the first of the empty lines just read; 0: none
    box_list *list;
} csv_reader;

// ---------------------------------------------------------------------------------------------------------------------
// Lines

static bool refill(line_reader *lines, failure *why) {
    size_t kept = lines->end - lines->begin;
    memmove(lines->block, lines->block + lines->begin, kept);
    size_t got;
    if (!input_read(lines->input, lines->block + kept, STREAM_BLOCK - kept, &got, why)) return false;
    lines->at_end = got < STREAM_BLOCK - kept;
    lines->begin = 0;
    lines->end = kept + got;
    return true;
}

static char *cut_line(line_reader *lines, char *end, size_t next) {
    char *line = lines->block + lines->begin;
    if (end > line && end[-1] == '\r') end--;
    *end = '\0';
    lines->line_end = end;
    lines->begin = next;
    lines->number++;
    return line;
}

// Sets *line to the next line, or to NULL at the end of the file.
static bool next_line(line_reader *lines, char **line, failure *why) {
    for (;;) {
        char *begin = lines->block + lines->begin;
        char *newline = memchr(begin, '\n', lines->end - lines->begin);
        if (newline != NULL) {
            *line = cut_line(lines, newline, (size_t)(newline + 1 - lines->block));
            return true;
        }
        if (lines->at_end) break;
        if (lines->begin == 0 && lines->end == STREAM_BLOCK) {
            return failure_set(why, STATUS_FAILED, "%s:%zu: the line is longer than %d bytes; expected a CSV file",
                               lines->input->name, lines->number + 1, STREAM_BLOCK);
        }
        if (!refill(lines, why)) return false;
    }
    *line = lines->begin == lines->end ? NULL : cut_line(lines, lines->block + lines->end, lines->end);
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows

static const char *skip_blanks(const char *text) {
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

static size_t count_fields(const char *text) {
    size_t count = 1;
    for (; *text != '\0'; text++) count += *text == ',';
    return count;
}

// Fails at the line just read; the part of the text up to the next comma is shown as it stands.
static bool fail_field(const csv_reader *reader, const char *what, size_t index, const char *text, failure *why) {
    enum { SHOWN_MAX = 40 };
    int length = (int)strcspn(text, ",");
    const char *more = length > SHOWN_MAX ? "..." : "";
    if (length > SHOWN_MAX) length = SHOWN_MAX;
    while (length > 0 && text[length - 1] == ' ') length--;
    return failure_set(why, STATUS_FAILED, "%s:%zu: expected %s in column %zu (%s), found '%.*s%s'",
                       reader->lines.input->name, reader->lines.number, what, index + 1,
                       box_column_name(reader->columns, index), length, text, more);
}

static number_result read_field(const csv_reader *reader, const char *text, const char **end, double *value) {
    if (reader->columns == SPHERE_COLUMNS) return number_read_double(text, end, value);
    float coordinate;
    number_result result = number_read_float(text, end, &coordinate);
    if (result != NUMBER_NONE) *value = (double)coordinate;
    return result;
}

static bool fail_columns(const csv_reader *reader, size_t found, failure *why) {
    const char *name = reader->lines.input->name;
    if (reader->columns == 0) {
        return failure_set(why, STATUS_FAILED,
                           "%s:%zu: expected 6 columns (min_x,min_y,min_z,max_x,max_y,max_z) or 4 (x,y,z,radius), "
                           "found %zu",
                           name, reader->lines.number, found);
    }
    return failure_set(why, STATUS_FAILED, "%s:%zu: expected %zu columns as in the first row, found %zu", name,
                       reader->lines.number, reader->columns, found);
}

static bool read_row(csv_reader *reader, const char *line, failure *why) {
    double values[BOX_COLUMNS];
    const char *text = line;
    for (size_t i = 0; i < reader->columns; i++) {
        const char *field = skip_blanks(text);
        number_result result = read_field(reader, field, &text, &values[i]);
        if (result == NUMBER_OUT_OF_RANGE) return fail_field(reader, "a smaller number (or inf)", i, field, why);
        if (result == NUMBER_READ) text = skip_blanks(text);
        char stop = i + 1 < reader->columns ? ',' : '\0';
        if (result == NUMBER_NONE || (*text != stop && *text != ',' && *text != '\0')) {
            size_t found = count_fields(line);
            if (found != reader->columns) return fail_columns(reader, found, why);
            return fail_field(reader, "a number", i, field, why);
        }
        if (*text != stop) return fail_columns(reader, count_fields(line), why);
        text++;
    }
    if (text != reader->lines.line_end + 1)
        return fail_field(reader, "a number and no zero byte", reader->columns - 1, line, why);
    if (box_list_add(reader->list, reader->columns, values, reader->dimensions, why)) return true;
    return failure_prefix(why, "%s:%zu: ", reader->lines.input->name, reader->lines.number);
}

// ---------------------------------------------------------------------------------------------------------------------
// The file

// A header has a name in every field. One number among them and it is a row, perhaps a damaged one.
static bool is_header(const char *line) {
    for (const char *field = line; field != NULL; field = strchr(field, ',')) {
        field += *field == ',';
        field = skip_blanks(field);
        const char *end;
        float value;
        if (*field == '\0' || strchr("+-.0123456789,", *field) != NULL) return false;
        if (number_read_float(field, &end, &value) == NUMBER_READ && strchr(", \t", *end) != NULL) return false;
    }
    return true;
}

// Any names are accepted, except this format's own names in another order: the columns would be misread.
static bool check_header(csv_reader *reader, const char *line, failure *why) {
    size_t columns = count_fields(line);
    if (columns != BOX_COLUMNS && columns != SPHERE_COLUMNS) return fail_columns(reader, columns, why);
    reader->columns = columns;
    const char *field = line;
    for (size_t i = 0; i < columns; i++) {
        field = skip_blanks(field);
        size_t length = strcspn(field, ", \t");
        for (size_t known = 0; known < columns; known++) {
            const char *name = box_column_name(columns, known);
            if (known == i || strlen(name) != length || strncmp(name, field, length) != 0) continue;
            return fail_field(reader, box_column_name(columns, i), i, field, why);
        }
        field += strcspn(field, ",");
        field += *field == ',';
    }
    return true;
}

static bool begin_file(csv_reader *reader, const char *line, failure *why) {
    if (is_header(line)) return check_header(reader, line, why);
    size_t columns = count_fields(line);
    if (columns != BOX_COLUMNS && columns != SPHERE_COLUMNS) return fail_columns(reader, columns, why);
    reader->columns = columns;
    return read_row(reader, line, why);
}

static bool read_line(csv_reader *reader, const char *line, failure *why) {
    static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";
    if (reader->lines.number == 1 && strncmp(line, BYTE_ORDER_MARK, 3) == 0) line += 3;
    if (*skip_blanks(line) == '\0') {
        if (reader->empty_line == 0) reader->empty_line = reader->lines.number;
        return true;
    }
    if (reader->empty_line != 0) {
        return failure_set(why, STATUS_FAILED, "%s:%zu: expected a row, found an empty line", reader->lines.input->name,
                           reader->empty_line);
    }
    return reader->columns == 0 ? begin_file(reader, line, why) : read_row(reader, line, why);
}

bool box_csv_read(input_file *input, uint32_t dimensions, box_list *list, failure *why) {
    csv_reader reader = {.lines = {.input = input}, .dimensions = dimensions, .list = list};
    reader.lines.block = calloc(STREAM_BLOCK + 1, 1);
    if (reader.lines.block == NULL) return failure_memory(why);
    char *line = NULL;
    bool good;
    while ((good = next_line(&reader.lines, &line, why)) && line != NULL) {
        if (!(good = read_line(&reader, line, why))) break;
    }
    free(reader.lines.block);
    if (good && reader.columns == 0) {
        return failure_set(why, STATUS_FAILED, "%s: is empty; expected boxes, one a row", input->name);
    }
    return good;
}
