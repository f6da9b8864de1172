// Boxes from CSV: numbers are parsed where they lie in the lines.
//
// The first line tells what separates the columns: commas, semicolons, or blanks and tabs. One header line is allowed;
// quotes and spaces around numbers, CRLF, a byte order mark, a missing last newline and empty lines at the end are too.
// Any other line that is not a row of numbers is an error with its line number: to skip a row would lose pairs.
#include "formats/box_files.h"
#include "formats/line_reader.h"
#include "formats/number.h"

#include <string.h>

typedef struct csv_reader {
    line_reader lines;
    uint32_t dimensions;
    size_t columns;    // 0 until the first row is read
    char separator;    // ',', ';', or ' ' for any number of blanks and tabs
    size_t empty_line; // the first of the empty lines just read; 0: none
    box_list *list;
} csv_reader;

// ---------------------------------------------------------------------------------------------------------------------
// Rows

static const char *skip_blanks(const char *text) {
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

// The characters at which a field ends.
static const char *separators(const csv_reader *reader) {
    return reader->separator == ' ' ? " \t" : reader->separator == ';' ? ";" : ",";
}

// The beginning of the field behind this one, or the end of the line.
static const char *next_field(const csv_reader *reader, const char *field) {
    field += strcspn(field, separators(reader));
    return skip_blanks(reader->separator == ' ' || *field == '\0' ? field : field + 1);
}

static size_t count_fields(const csv_reader *reader, const char *line) {
    size_t count = 1;
    const char *field = skip_blanks(line);
    if (reader->separator == ' ') {
        while (*(field = next_field(reader, field)) != '\0') count++;
    } else {
        for (; *field != '\0'; field++) count += *field == reader->separator;
    }
    return count;
}

// Fails at the line just read; the part of the text up to the next separator is shown as it stands.
static bool fail_field(const csv_reader *reader, const char *what, size_t index, const char *text, failure *why) {
    enum { SHOWN_MAX = 40 };
    int length = (int)strcspn(text, separators(reader));
    const char *more = length > SHOWN_MAX ? "..." : "";
    if (length > SHOWN_MAX) length = SHOWN_MAX;
    while (length > 0 && text[length - 1] == ' ') length--;
    return failure_set(why, STATUS_FAILED, "%s:%zu: expected %s in column %zu (%s), found '%.*s%s'",
                       reader->lines.input->name, reader->lines.number, what, index + 1,
                       box_column_name(reader->columns, index), length, text, more);
}

static const char *advice_on_columns(const csv_reader *reader, const char *line, size_t found) {
    const char *end = line + strlen(line);
    while (end > line && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (found > 1 && end > line && end[-1] == reader->separator) return "the row ends with a separator: remove it";
    switch (found) {
    case 1: return "separate the numbers by commas, semicolons, tabs or blanks";
    case 2: return "for points in 2-D write x,y,0,0, and call with --set dimensions=2";
    case 3: return "for points add a fourth column, the radius: 0";
    case 5: return "one number is missing, or one column, as of row numbers, is too many";
    default: return "leave out columns that are no coordinates, such as names and row numbers";
    }
}

static bool fail_columns(const csv_reader *reader, const char *line, failure *why) {
    const char *name = reader->lines.input->name;
    const size_t found = count_fields(reader, line);
    if (reader->columns == 0) {
        return failure_set(why, STATUS_FAILED,
                           "%s:%zu: expected 6 columns (boxes: min_x,min_y,min_z,max_x,max_y,max_z) or 4 (spheres: "
                           "x,y,z,radius), found %zu; %s",
                           name, reader->lines.number, found, advice_on_columns(reader, line, found));
    }
    return failure_set(why, STATUS_FAILED, "%s:%zu: expected %zu columns as in the first row, found %zu%s", name,
                       reader->lines.number, reader->columns, found,
                       found == 1 ? "; the same character must separate the columns of all rows" : "");
}

static number_result read_number(const csv_reader *reader, const char *text, const char **end, double *value) {
    if (reader->columns == SPHERE_COLUMNS) return number_read_double(text, end, value);
    float coordinate;
    number_result result = number_read_float(text, end, &coordinate);
    if (result != NUMBER_NONE) *value = (double)coordinate;
    return result;
}

static bool is_quote(char character) {
    return character == '"' || character == '\'';
}

// A number, perhaps in quotes.
static number_result read_field(const csv_reader *reader, const char *text, const char **end, double *value) {
    if (!is_quote(*text)) return read_number(reader, text, end, value);
    const number_result result = read_number(reader, skip_blanks(text + 1), end, value);
    if (result != NUMBER_READ) return result;
    *end = skip_blanks(*end);
    return *(*end)++ == *text ? NUMBER_READ : NUMBER_NONE;
}

// Goes on from behind a number to the next one, or to the end of the line; false if there is something else.
static bool leave_field(const csv_reader *reader, const char **text, bool is_last) {
    const char *number_end = *text;
    *text = skip_blanks(number_end);
    if (is_last) return **text == '\0';
    if (reader->separator == ' ') return *text != number_end && **text != '\0';
    return *(*text)++ == reader->separator;
}

static bool fail_number(const csv_reader *reader, const char *line, size_t index, const char *field, failure *why) {
    if (count_fields(reader, line) != reader->columns) return fail_columns(reader, line, why);
    const size_t length = strcspn(field, separators(reader));
    const bool decimal_comma = reader->separator != ',' && memchr(field, ',', length) != NULL;
    return fail_field(reader, decimal_comma ? "a number with a decimal point" : "a number", index, field, why);
}

static bool read_row(csv_reader *reader, const char *line, failure *why) {
    double values[BOX_COLUMNS];
    const char *text = line;
    for (size_t i = 0; i < reader->columns; i++) {
        const char *field = skip_blanks(text);
        const number_result result = read_field(reader, field, &text, &values[i]);
        if (result == NUMBER_OUT_OF_RANGE) {
            const bool in_64_bits = reader->columns == SPHERE_COLUMNS;
            return fail_field(reader,
                              in_64_bits ? "a number of at most 1.7976931348623157e308 either way, or inf,"
                                         : "a number of at most 3.4028235e38 either way, or inf,",
                              i, field, why);
        }
        if (result == NUMBER_NONE || !leave_field(reader, &text, i + 1 == reader->columns)) {
            return fail_number(reader, line, i, field, why);
        }
    }
    if (text != reader->lines.line_end)
        return fail_field(reader, "a number and no zero byte", reader->columns - 1, line, why);
    if (box_list_add(reader->list, reader->columns, values, reader->dimensions, why)) return true;
    return failure_prefix(why, "%s:%zu: ", reader->lines.input->name, reader->lines.number);
}

// ---------------------------------------------------------------------------------------------------------------------
// The file

// A comma inside of a number would be taken for a separator, and the other way round.
static bool find_separator(csv_reader *reader, const char *line, failure *why) {
    const bool commas = strchr(line, ',') != NULL, semicolons = strchr(line, ';') != NULL;
    if (commas && semicolons) {
        return failure_set(why, STATUS_FAILED,
                           "%s:%zu: expected commas or semicolons between columns, found both; write numbers with a "
                           "decimal point, as 0.5",
                           reader->lines.input->name, reader->lines.number);
    }
    reader->separator = commas ? ',' : semicolons ? ';' : ' ';
    return true;
}

static bool is_letter(char character) {
    const char lower = (char)(character | 0x20);
    return (lower >= 'a' && lower <= 'z') || character == '_' || (unsigned char)character >= 0x80;
}

// A name has a letter before any digit: neither a number, nor one in quotes, brackets or units.
static bool is_name(const csv_reader *reader, const char *field) {
    const char *end;
    float value;
    const size_t length = strcspn(field, separators(reader));
    field += is_quote(*field);
    if (strchr("+-.", *field) != NULL) return false; // '\0' too
    if (number_read_float(field, &end, &value) == NUMBER_READ && strchr(",; \t\"'", *end) != NULL) return false;
    for (size_t i = 0; i < length && (field[i] < '0' || field[i] > '9'); i++) {
        if (is_letter(field[i])) return true;
    }
    return false;
}

// A header has a name in every field. One number among them and it is a row, perhaps a damaged one.
static bool is_header(const csv_reader *reader, const char *line) {
    const char *field = skip_blanks(line);
    for (size_t left = count_fields(reader, line); left > 0; left--, field = next_field(reader, field)) {
        if (!is_name(reader, field)) return false;
    }
    return true;
}

// Any names are accepted, except this format's own names in another order: the columns would be misread.
static bool check_header(const csv_reader *reader, const char *line, failure *why) {
    const char *field = skip_blanks(line);
    for (size_t i = 0; i < reader->columns; i++, field = next_field(reader, field)) {
        const char *name = field + is_quote(*field);
        const size_t length = strcspn(name, ",; \t\"'");
        for (size_t known = 0; known < reader->columns; known++) {
            const char *other = box_column_name(reader->columns, known);
            if (known == i || strlen(other) != length || strncmp(other, name, length) != 0) continue;
            return fail_field(reader, box_column_name(reader->columns, i), i, field, why);
        }
    }
    return true;
}

// Files of other kinds, by their first bytes. Lines that end in CR alone come as one line.
static bool check_kind(const csv_reader *reader, const char *line, failure *why) {
    static const struct {
        const char *begin, *advice;
    } KINDS[] = {{"\xFF\xFE", "is UTF-16; save it as UTF-8"},
                 {"\xFE\xFF", "is UTF-16; save it as UTF-8"},
                 {"\x1F\x8B", "is compressed; unpack it with gunzip"},
                 {"PK\x03\x04", "is a ZIP archive or a spreadsheet; unpack it, or save it as CSV"},
                 {"\x93NUMPY", "is an NPY file; give it a name ending in .npy"}};
    const char *advice =
        strchr(line, '\r') != NULL ? "has lines that end in CR alone; save it with other line ends" : NULL;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (strncmp(line, KINDS[i].begin, strlen(KINDS[i].begin)) == 0) advice = KINDS[i].advice;
    }
    return advice == NULL || failure_set(why, STATUS_FAILED, "%s: %s", reader->lines.input->name, advice);
}

static bool begin_file(csv_reader *reader, const char *line, failure *why) {
    if (!check_kind(reader, line, why)) return false;
    if (!find_separator(reader, line, why)) return false;
    const size_t columns = count_fields(reader, line);
    if (columns != BOX_COLUMNS && columns != SPHERE_COLUMNS) return fail_columns(reader, line, why);
    reader->columns = columns;
    return is_header(reader, line) ? check_header(reader, line, why) : read_row(reader, line, why);
}

static bool read_line(csv_reader *reader, const char *line, failure *why) {
    static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";
    if (reader->lines.number == 1 && strncmp(line, BYTE_ORDER_MARK, 3) == 0) line += 3;
    if (*skip_blanks(line) == '\0') {
        if (reader->empty_line == 0) reader->empty_line = reader->lines.number;
        return true;
    }
    if (reader->empty_line != 0) {
        return failure_set(why, STATUS_FAILED, "%s:%zu: expected a row, found an empty line; remove it",
                           reader->lines.input->name, reader->empty_line);
    }
    return reader->columns == 0 ? begin_file(reader, line, why) : read_row(reader, line, why);
}

bool box_csv_read(input_file *input, uint32_t dimensions, box_list *list, failure *why) {
    csv_reader reader = {.dimensions = dimensions, .list = list};
    if (!line_reader_begin(&reader.lines, input, why)) return false;
    char *line = NULL;
    bool good;
    while ((good = line_reader_next(&reader.lines, &line, "a CSV file", why)) && line != NULL) {
        if (!(good = read_line(&reader, line, why))) break;
    }
    line_reader_end(&reader.lines);
    if (good && reader.columns == 0) {
        return failure_set(why, STATUS_FAILED, "%s: is empty; expected boxes, one a row", input->name);
    }
    return good;
}
