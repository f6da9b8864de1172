// The quantities and names of a row, including those written as settings ("density=0.5"), and whether it fulfils
// conditions.
#include "report/report_data.h"

#include "formats/number.h"

#include <broadphase/broadphase.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Settings: the words "name=value" of a scene or a method

// The value behind "name=", up to the next space; its length, 0 where there is none.
static size_t find_setting(const char *text, const char *name, const char **value) {
    size_t length = strcspn(name, "=");
    for (const char *word = text; *word != '\0'; word += strspn(word, " ")) {
        size_t end = strcspn(word, " ");
        if (end > length && strncmp(word, name, length) == 0 && word[length] == '=') {
            *value = word + length + 1;
            return end - length - 1;
        }
        word += end;
    }
    return 0;
}

static size_t setting_of(const report_row *row, const char *name, const char **value) {
    size_t length = find_setting(row->scene, name, value);
    return length > 0 ? length : find_setting(row->method, name, value);
}

static bool is_listed(const char *word, size_t length, const char *names) {
    for (const char *name = names; *name != '\0'; name += strspn(name, " ")) {
        size_t end = strcspn(name, " ="), all = strcspn(name, " ");
        if (end < length && strncmp(word, name, end) == 0 && word[end] == '=') return true;
        name += all;
    }
    return false;
}

static void append(char text[REPORT_TEXT], const char *word, size_t length) {
    size_t used = strlen(text);
    snprintf(text + used, REPORT_TEXT - used, "%s%.*s", used == 0 ? "" : " ", (int)length, word);
}

static void append_without(char text[REPORT_TEXT], const char *words, const char *without) {
    for (const char *word = words; *word != '\0'; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (!is_listed(word, length, without)) append(text, word, length);
        word += length;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Names and quantities

static bool is_ours(const report_row *row) {
    return strcmp(row->who, "broadphase") == 0;
}

static void append_name(const report_row *row, const char *without, char text[REPORT_TEXT]) {
    if (!is_ours(row)) append(text, row->who, strlen(row->who));
    append_without(text, row->method, without);
}

// Beside other libraries the default method is the library.
static void append_library(const report_row *row, const char *without, char text[REPORT_TEXT]) {
    append(text, row->who, strlen(row->who));
    if (!is_ours(row) || strcmp(row->method, "hierarchical-grid") != 0) append_without(text, row->method, without);
}

void row_text(const report_row *row, const char *name, const char *without, char text[REPORT_TEXT]) {
    text[0] = '\0';
    const char *value = NULL;
    if (strcmp(name, "scene") == 0) {
        append_without(text, row->scene, without);
    } else if (strcmp(name, "method") == 0) {
        append_without(text, row->method, without);
    } else if (strcmp(name, "experiment") == 0) {
        append(text, row->experiment, strlen(row->experiment));
    } else if (strcmp(name, "name") == 0) {
        append_name(row, without, text);
    } else if (strcmp(name, "library") == 0) {
        append_library(row, without, text);
    } else if (strcmp(name, "head") == 0) {
        append_name(row, without, text);
        char *slash = strrchr(text, '/');
        if (slash != NULL) *slash = '\0';
    } else if (strcmp(name, "tail") == 0) {
        const char *slash = strrchr(row->method, '/');
        if (slash != NULL) append(text, slash + 1, strlen(slash + 1));
    } else if (strcmp(name, "kind") == 0) {
        append(text, row->method, strcspn(row->method, " "));
    } else if (strcmp(name, "who") == 0) {
        append(text, row->who, strlen(row->who));
    } else if (strcmp(name, "whose") == 0) {
        const char *whose = is_ours(row) ? "ours" : strcmp(row->who, "paper") == 0 ? "published" : row->who;
        append(text, whose, strlen(whose));
    } else if ((value = row_cell(row, name)) != NULL) {
        append(text, value, strlen(value));
    } else {
        size_t length = setting_of(row, name, &value);
        if (length > 0) append(text, value, length);
    }
}

static bool named_number(const report_row *row, const char *name, double *value) {
    const char *cell = row_cell(row, name);
    char text[REPORT_TEXT];
    if (cell == NULL) row_text(row, name, "", text);
    const char *number = cell == NULL ? text : cell;
    return *number != '\0' && number_parse_double(number, value) && isfinite(*value);
}

// No method can do with less than reading all boxes once and writing all pairs once.
static bool copying_time(const report_row *row, double *value) {
    double n, pairs;
    if (row->file->copy_speed <= 0.0 || !named_number(row, "n", &n) || !named_number(row, "pairs", &pairs))
        return false;
    *value = (n * sizeof(bp_box) + pairs * sizeof(bp_pair)) / row->file->copy_speed;
    return true;
}

// Objects and pairs: what any method has to read and to write.
static bool work_of(const report_row *row, double *value) {
    double n, pairs;
    if (!named_number(row, "n", &n) || !named_number(row, "pairs", &pairs)) return false;
    *value = n + pairs;
    return true;
}

bool row_number(const report_row *row, const char *name, double *value) {
    if (strcmp(name, "copying_ms") == 0) return copying_time(row, value);
    return strcmp(name, "work") == 0 ? work_of(row, value) : named_number(row, name, value);
}

bool row_value(const report_row *row, const char *expression, double *value) {
    *value = 1.0;
    char operation = '*';
    for (const char *part = expression; *part != '\0';) {
        char name[64];
        size_t length = strcspn(part, "/*");
        snprintf(name, sizeof name, "%.*s", (int)length, part);
        double factor;
        if (!number_parse_double(name, &factor) && !row_number(row, name, &factor)) return false;
        if (operation == '/' && factor == 0.0) return false;
        *value = operation == '/' ? *value / factor : *value * factor;
        operation = part[length];
        part += length + (operation != '\0');
    }
    return isfinite(*value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Conditions

static bool is_peer(const report_row *row) {
    return !is_ours(row) && strcmp(row->who, "limit") != 0 && strcmp(row->who, "paper") != 0 &&
           strcmp(row->who, "rules") != 0;
}

static bool matches(const report_row *row, const char *name, const char *text, const char *wanted, size_t length) {
    if (strcmp(name, "who") == 0 && length == 4 && strncmp(wanted, "peer", 4) == 0) return is_peer(row);
    if (length > 0 && wanted[length - 1] == '*') return strncmp(text, wanted, length - 1) == 0;
    return strlen(text) == length && strncmp(text, wanted, length) == 0;
}

// One condition, "name=a|b" or "name!=a|b", of `length` characters.
static bool fulfils(const report_row *row, const char *condition, size_t length) {
    char name[32], text[REPORT_TEXT];
    size_t end = strcspn(condition, "!=");
    snprintf(name, sizeof name, "%.*s", (int)end, condition);
    bool negated = condition[end] == '!';
    const char *wanted = condition + end + 1 + negated, *stop = condition + length;
    row_text(row, name, "", text);
    for (;;) {
        size_t part = strcspn(wanted, "|;");
        if (matches(row, name, text, wanted, part)) return !negated;
        wanted += part;
        if (wanted >= stop) return negated;
        wanted++;
    }
}

bool row_fulfils(const report_row *row, const char *conditions) {
    for (const char *condition = conditions; *condition != '\0';) {
        size_t length = strcspn(condition, ";");
        if (!fulfils(row, condition, length)) return false;
        condition += length + (condition[length] == ';');
    }
    return true;
}
