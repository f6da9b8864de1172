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
