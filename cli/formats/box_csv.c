// Boxes from CSV: numbers are parsed where they lie in the lines.
//
// The first line tells what separates the columns: commas, semicolons, or blanks and tabs. It may be a header, which is
// obeyed where it names columns (box_form.h), also behind a #. Quotes and spaces around numbers, CRLF, a byte order mark,
// a missing last newline, empty lines and lines that begin with # are allowed. Any other line that is not a row of numbers
// is an error with its line number: to skip a row would lose pairs.
#include "formats/box_reader.h"
#include "formats/line_reader.h"
#include "formats/number.h"

#include <string.h>

enum { COLUMNS_MAX = 64, LEFT_OUT = 255 };

typedef struct csv_reader {
    line_reader lines;
    box_rules rules;
    size_t columns;                      // 0 until a header or the first row is read
    unsigned char value_of[COLUMNS_MAX]; // of each column: its place in a row of the list's form, or LEFT_OUT
    bool has_begun;                      // the header or the first row was there, and not in a comment
    char separator;                      // ',', ';', or ' ' for any number of blanks and tabs
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

// Puts the place of the line just read in front.
static bool fail_line(const csv_reader *reader, failure *why) {
    return failure_prefix(why, "%s:%zu: ", reader->lines.input->name, reader->lines.number);
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
                       box_form_column(reader->list->form, reader->value_of[index]), length, text, more);
}

static const char *advice_on_columns(const csv_reader *reader, const char *line, size_t found) {
    const char *end = line + strlen(line);
    while (end > line && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (found > 1 && end > line && end[-1] == reader->separator) return "the row ends with a separator: remove it";
    if (reader->rules.kind != BOX_KIND_BOXES && found > 1)
        return "name these columns in a first line; other columns may stay";
    if (found == 1) return "separate the numbers by commas, semicolons, tabs or blanks";
    if (found == 2) return "for points, add a first line that names the columns: x,y";
    if (found == 3) return "add a first line that names the columns: x,y,z for points, x,y,radius for circles";
    if (found == 5) return "a number is missing, or a column, such as row numbers, is one too many";
    return "remove columns that are not coordinates, such as row numbers, or name all columns in a first line";
}

static bool fail_columns(const csv_reader *reader, const char *line, failure *why) {
    const char *name = reader->lines.input->name;
    const size_t found = count_fields(reader, line);
    if (reader->columns == 0) {
        return failure_set(why, STATUS_FAILED, "%s:%zu: expected %s, found %zu; %s", name, reader->lines.number,
                           box_form_expected(reader->rules), found, advice_on_columns(reader, line, found));
    }
    return failure_set(why, STATUS_FAILED, "%s:%zu: expected %zu columns as in the first row, found %zu%s", name,
                       reader->lines.number, reader->columns, found,
                       found == 1 ? "; all rows must use the same separator" : "");
}

// Boxes are floats; what is rounded outwards later, or not at all, is not rounded here.
static bool has_doubles(const csv_reader *reader) {
    return box_form_has_radius(reader->list->form) || reader->list->has_rows;
}

static number_result read_number(const csv_reader *reader, const char *text, const char **end, double *value) {
    if (has_doubles(reader)) return number_read_double(text, end, value);
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

// Behind a field of any text.
static const char *pass_field(const csv_reader *reader, const char *field) {
    const char *quote = is_quote(*field) ? strchr(field + 1, *field) : NULL;
    return quote != NULL ? quote + 1 : field + strcspn(field, separators(reader));
}

static bool fail_range(const csv_reader *reader, size_t index, const char *field, failure *why) {
    return fail_field(reader,
                      has_doubles(reader) ? "a number of at most 1.7976931348623157e308 either way, or inf,"
                                          : "a number of at most 3.4028235e38 either way, or inf,",
                      index, field, why);
}

static bool read_row(csv_reader *reader, const char *line, failure *why) {
    double values[BOX_COLUMNS];
    const char *text = line;
    for (size_t i = 0; i < reader->columns; i++) {
        const char *field = skip_blanks(text);
        const size_t place = reader->value_of[i];
        number_result result = NUMBER_READ;
        if (place == LEFT_OUT) {
            text = pass_field(reader, field);
        } else {
            result = read_field(reader, field, &text, &values[place]);
        }
        if (result == NUMBER_OUT_OF_RANGE) return fail_range(reader, i, field, why);
        if (result == NUMBER_NONE || !leave_field(reader, &text, i + 1 == reader->columns)) {
            return place == LEFT_OUT ? fail_columns(reader, line, why) : fail_number(reader, line, i, field, why);
        }
    }
    if (text != reader->lines.line_end) {
        failure_set(why, STATUS_FAILED, "expected a row, found a zero byte");
    } else if (box_list_add(reader->list, values, reader->rules.dimensions, why)) {
        return true;
    }
    return fail_line(reader, why);
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

// A header has a name in every field, or none, as that of row numbers; and one at least. One number among them and it is a
// row, perhaps a damaged one.
static bool is_header(const csv_reader *reader, const char *line) {
    const char *field = skip_blanks(line);
    size_t names = 0;
    for (size_t left = count_fields(reader, line); left > 0; left--, field = next_field(reader, field)) {
        const bool is_empty = *field == '\0' || strchr(separators(reader), *field) != NULL;
        if (!is_empty && !is_name(reader, field)) return false;
        names += !is_empty;
    }
    return names > 0;
}

// The name of a column, without quotes.
static const char *name_of_field(const csv_reader *reader, const char *field, size_t *length) {
    *length = strcspn(field, separators(reader));
    while (*length > 0 && strchr(" \t\"'", field[*length - 1]) != NULL) --*length;
    const size_t quote = *length > 0 && is_quote(*field);
    *length -= quote;
    return field + quote;
}

static size_t role_of_field(const csv_reader *reader, const char *field) {
    size_t length;
    const char *name = name_of_field(reader, field, &length);
    return box_role_of_name(name, length);
}

static bool is_label(const csv_reader *reader, const char *field) {
    size_t length;
    const char *name = name_of_field(reader, field, &length);
    return box_name_is_label(name, length);
}

// Columns without names are those of a row of the form, in its order.
static bool begin_unnamed(csv_reader *reader, const char *line, failure *why) {
    const size_t columns = count_fields(reader, line);
    reader->list->form = box_form_of_count(columns, reader->rules);
    if (reader->list->form == BOX_FORM_NONE) return fail_columns(reader, line, why);
    reader->columns = columns;
    for (size_t i = 0; i < columns; i++) reader->value_of[i] = (unsigned char)i;
    return true;
}

// Other names than ours say nothing, unless they could tell what four columns are.
static bool begin_with_other_names(csv_reader *reader, const char *line, failure *why) {
    if (!begin_unnamed(reader, line, why)) return false;
    if (reader->list->form != BOX_FORM_SPHERES) return true;
    failure_set(why, STATUS_FAILED,
                "the names of these four columns fit neither spheres nor rectangles; name them x,y,z,radius or "
                "min_x,min_y,max_x,max_y");
    return fail_line(reader, why);
}

static bool begin_with_header(csv_reader *reader, const char *line, failure *why) {
    size_t places[BOX_ROLES] = {0}, known = 0, labels = 0;
    const size_t columns = count_fields(reader, line);
    const char *field = skip_blanks(line);
    if (columns > COLUMNS_MAX) return fail_columns(reader, line, why);
    for (size_t i = 0; i < columns; i++, field = next_field(reader, field)) {
        const size_t role = role_of_field(reader, field);
        if (role == BOX_ROLES) {
            labels += is_label(reader, field);
            continue;
        }
        if (places[role] != 0) {
            failure_set(why, STATUS_FAILED, "the header names two columns %s; rename one of them", box_role_name(role));
            return fail_line(reader, why);
        }
        places[role] = i + 1;
        known++;
    }
    if (known == 0) return begin_with_other_names(reader, line, why);
    box_form *form = &reader->list->form;
    if (!box_form_of_roles(places, known + labels < columns, reader->rules, form, why)) return fail_line(reader, why);
    memset(reader->value_of, LEFT_OUT, sizeof reader->value_of);
    for (size_t role = 0; role < BOX_ROLES; role++) {
        if (places[role] != 0) reader->value_of[places[role] - 1] = (unsigned char)box_form_index_of_role(*form, role);
    }
    reader->columns = columns;
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
        strchr(line, '\r') != NULL ? "has lines that end in CR alone; save it with line ends LF or CRLF" : NULL;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (strncmp(line, KINDS[i].begin, strlen(KINDS[i].begin)) == 0) advice = KINDS[i].advice;
    }
    return advice == NULL || failure_set(why, STATUS_FAILED, "%s: %s", reader->lines.input->name, advice);
}

static bool begin_file(csv_reader *reader, const char *line, failure *why) {
    reader->has_begun = true;
    if (!check_kind(reader, line, why) || !find_separator(reader, line, why)) return false;
    if (is_header(reader, line)) return begin_with_header(reader, line, why);
    return (reader->columns != 0 || begin_unnamed(reader, line, why)) && read_row(reader, line, why);
}

// Behind a # there may be a header: our names and no others.
static bool read_comment(csv_reader *reader, const char *text, failure *why) {
    text = skip_blanks(text);
    if (reader->has_begun || !find_separator(reader, text, why)) return true;
    const size_t columns = count_fields(reader, text);
    const char *field = text;
    for (size_t i = 0; i < columns; i++, field = next_field(reader, field)) {
        if (role_of_field(reader, field) == BOX_ROLES) return true;
    }
    return columns < 2 || begin_with_header(reader, text, why);
}

static bool read_line(csv_reader *reader, const char *line, failure *why) {
    static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";
    if (reader->lines.number == 1 && strncmp(line, BYTE_ORDER_MARK, 3) == 0) line += 3;
    const char *text = skip_blanks(line);
    if (text == reader->lines.line_end) return true;
    if (*text == '#') return read_comment(reader, text + 1, why);
    return reader->has_begun ? read_row(reader, line, why) : begin_file(reader, line, why);
}

bool box_csv_read(input_file *input, box_rules rules, box_list *list, failure *why) {
    csv_reader reader = {.rules = rules, .list = list};
    if (!line_reader_begin(&reader.lines, input, why)) return false;
    char *line = NULL;
    bool good;
    while ((good = line_reader_next(&reader.lines, &line, "a CSV file", why)) && line != NULL) {
        if (!(good = read_line(&reader, line, why))) break;
    }
    line_reader_end(&reader.lines);
    if (good && reader.columns == 0) {
        return failure_set(why, STATUS_FAILED, "%s: is empty; expected boxes, one per row", input->name);
    }
    return good;
}
