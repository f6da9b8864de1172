#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool failure_set(failure *why, exit_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    why->status = status;
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
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
    return false;
}

bool failure_memory(failure *why) {
    return failure_set(why, STATUS_FAILED, "memory is short; try fewer boxes or a machine with more memory");
}
