// A progress bar on standard error: only where that is a terminal, only when the work takes long, and not with --quiet.
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

// Decides once, for the whole run, whether progress is shown.
void progress_enable(bool wanted);

// One piece of work at a time; `label` must live until progress_end. A total of 0 means that it is not known: then the
// seconds are shown instead, and progress_at need not be called.
void progress_begin(const char *label, uint64_t total);
void progress_at(uint64_t done);
void progress_end(void);

// Seconds on a clock that only goes forward.
double seconds_now(void);

#endif
