// The files that a command reads, and whether they go together.
#ifndef TOOL_INPUTS_H
#define TOOL_INPUTS_H

#include "commands/command.h"
#include "formats/box_files.h"

typedef struct input_named {
    const char *path;
    box_kind kind;
} input_named;

// Whether the names can be those of files of boxes, and standard input is read once at most.
bool inputs_check(const input_named *inputs, size_t count, failure *why);
// Reads one or two; the lists are to be freed either way. *dimensions is that of the config, and becomes 2 where the files
// say that they are flat; one that is does not go with one that is not, unless 2 was asked for.
bool inputs_read(const input_named *inputs, size_t count, box_list *lists, uint32_t *dimensions, failure *why);

#endif
