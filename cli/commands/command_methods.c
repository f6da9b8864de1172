// broadphase methods: the library's algorithms, one a line, name first.
#include "commands/command.h"

#include <string.h>

bool write_names(const command_line *arguments, size_t count, text_of_index name, text_of_index summary, failure *why) {
    output_file output;
    if (!output_open(&output, output_path(arguments), why)) return false;
    int width = 0;
    for (size_t i = 0; i < count; i++) {
        int length = (int)strlen(name(i));
        if (length > width) width = length;
    }
    for (size_t i = 0; i < count; i++) output_text(&output, "%-*s  %s\n", width, name(i), summary(i));
    return output_close(&output, why);
}

static bool run_methods(const command_line *arguments, failure *why) {
    if (arguments->operand_count != 0) {
        return failure_set(why, STATUS_WRONG_CALL, "unexpected word '%.100s'", arguments->operands[0]);
    }
    return write_names(arguments, bp_method_count(), bp_method_name, bp_method_summary, why);
}

const tool_command command_methods = {
    .name = "methods",
    .summary = "Lists the algorithms, one per line, each with its name first. All of them find the same pairs.",
    .synopsis = "[options]",
    .example = "  broadphase methods\n",
    .uses = USES_OUTPUT,
    .run = run_methods,
};
