// An error message of one line, and the exit status that goes with it.
//
// A function of the tool that can fail returns false and fills in a failure; only main prints it.
#ifndef TOOL_FAILURE_H
#define TOOL_FAILURE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum exit_status {
    STATUS_DONE = 0,
    STATUS_FAILED = 1,    // the work failed
    STATUS_WRONG_CALL = 2 // the command line was wrong
} exit_status;

typedef struct failure {
    exit_status status;
    char text[1024];
} failure;

#if defined(__GNUC__)
#define TOOL_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define TOOL_FORMAT(text, first)
#endif

// Both return false, so that a caller can write `return failure_set(...)`.
bool failure_set(failure *why, exit_status status, const char *format, ...) TOOL_FORMAT(3, 4);
// Puts a place ("boxes.csv:7: ") in front of the text.
bool failure_prefix(failure *why, const char *format, ...) TOOL_FORMAT(2, 3);
bool failure_memory(failure *why);

// Which known name was meant by one that is not known: at most a third of its letters may be wrong, rounded up, and three.
typedef struct spelling {
    const char *wrong, *meant; // NULL: none of those tried
    size_t least;
    char hint[64];
} spelling;
spelling spelling_of(const char *wrong);
void spelling_try(spelling *self, const char *name);
// " (did you mean 'name'?)", or "".
const char *spelling_hint(spelling *self);

#endif
