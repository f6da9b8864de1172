// Messages for a person.
#ifndef BP_LOG_H
#define BP_LOG_H

#include <broadphase/broadphase.h>

// Writes one line, if the caller wants messages.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void bp_log_write(const bp_log *log, const char *format, ...);

#endif
