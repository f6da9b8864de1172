// What POSIX and Windows have under different names, or only one of them has. Everything else of the tool is the same.
#ifndef TOOL_PLATFORM_H
#define TOOL_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

// To be or-ed into the flags of open(): files are bytes, and no child inherits them.
extern const int PLATFORM_OPEN;

// First of all in main: standard streams are bytes too. One that the caller has closed stays unusable; and a closed pipe, or
// a file that is larger than the user's limit, becomes a write error, reported like any other.
void platform_begin(void);

// Two regular files are the same if both numbers are, whatever their names are.
typedef struct file_identity {
    bool is_regular;
    uint64_t device, number;
} file_identity;

// Of what a path leads to, or of an open file if the path is NULL. Nothing is opened for reading: a pipe would take that for
// its reader.
file_identity platform_identify(const char *path, int file);
bool platform_is_link(const char *path);

// errno after a call of write has failed; EPIPE if the reader has closed the pipe.
int platform_write_error(int file);

// Calls `tick` every second, from a signal handler; NULL: no longer. Does nothing on Windows.
void platform_every_second(void (*tick)(void));

uint32_t platform_cores(void);

#endif
