#include "formats/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A failure is one line, whatever it quotes from a file: line ends and control characters are replaced.
static void make_one_line(char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
    }
}

bool failure_set(failure *why, exit_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    why->status = status;
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    make_one_line(why->text);
    return false;
}

bool failure_prefix(failure *why, const char *format, ...) {
    char text[sizeof why->text];
    memcpy(text, why->text, sizeof text);

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);

    size_t used = strlen(why->text);
    snprintf(why->text + used, sizeof why->text - used, "%s", text);
    make_one_line(why->text);
    return false;
}

bool failure_memory(failure *why) {
    return failure_set(why, STATUS_FAILED, "out of memory; try fewer boxes, or a machine with more memory");
}

// ---------------------------------------------------------------------------------------------------------------------
// Did you mean?

// How many letters must be changed, put in, left out, or swapped with the next one to make one word of the other. Words are
// shorter than WORD_MAX.
enum { WORD_MAX = 32 };

static size_t smallest(size_t a, size_t b, size_t c) {
    const size_t least = a < b ? a : b;
    return least < c ? least : c;
}

static size_t distance_of(const char *a, const char *b) {
    size_t rows[WORD_MAX][WORD_MAX]; // of the first i letters of a, and the first j of b
    const size_t a_length = strlen(a), b_length = strlen(b);
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            rows[i][j] = i + j;
            if (i == 0 || j == 0) continue;
            rows[i][j] = smallest(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && rows[i - 2][j - 2] < rows[i][j]) {
                rows[i][j] = rows[i - 2][j - 2] + 1;
            }
        }
    }
    return rows[a_length][b_length];
}

spelling spelling_of(const char *wrong) {
    const size_t length = strlen(wrong);
    return (spelling){.wrong = wrong, .least = length < 7 ? (length + 2) / 3 : 3};
}

void spelling_try(spelling *self, const char *name) {
    if (strlen(self->wrong) >= WORD_MAX || strlen(name) >= WORD_MAX) return;
    const size_t distance = distance_of(self->wrong, name);
    if (distance > self->least || (distance == self->least && self->meant != NULL)) return;
    self->meant = name;
    self->least = distance;
}

const char *spelling_hint(spelling *self) {
    if (self->meant != NULL) snprintf(self->hint, sizeof self->hint, " (did you mean '%s'?)", self->meant);
    return self->hint;
}
