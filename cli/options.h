// The command line: one parser, driven by the common options and those of the command.
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "commands/command.h"

// Parses what follows the command's name. `words` is reordered: the operands come first.
bool options_parse(const tool_command *command, char **words, size_t count, command_line *arguments, failure *why);

// Prints the help of a command on standard output; and the part about the common options.
bool options_print_help(const tool_command *command, failure *why);
void options_describe_common(output_file *output);

// The common options, and whether one means something to a command that uses these.
const tool_option *options_common(size_t *count);
bool option_is_used(const tool_option *option, unsigned uses);

#endif
