// The library's statuses as failures of the tool.
#ifndef TOOL_LIBRARY_H
#define TOOL_LIBRARY_H

#include "formats/failure.h"

#include <broadphase/broadphase.h>

// Keeps the last line that the library logged.
typedef struct library_log {
    char text[512];
} library_log;

bp_log library_log_hook(library_log *log);

// True for BP_OK; else `why` gets the status and the last log line.
bool library_done(bp_status status, const library_log *log, failure *why);

#endif
