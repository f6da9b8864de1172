#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void bp_log_write(const bp_log *log, const char *format, ...) {
    if (log->write == NULL) {
        return;
    }
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->write(log->context, text);
}
