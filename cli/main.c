// broadphase: the command line. Finds the command, parses its options, runs it, and is the only place that prints
// failures.
#include "commands/command.h"
#include "formats/platform.h"
#include "formats/progress.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

static const tool_command *const COMMANDS[] = {
    &command_pairs, &command_neighbors, &command_query, &command_scene,  &command_methods,
    &command_demo,  &command_tune,      &command_trace, &command_manual,
#if !defined(TOOL_FOR_USERS) // for those who work on the library; they start other programs, which are not installed
    &command_bench, &command_report,
#endif
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static void describe_tool(output_file *output) {
    output_text(output, "usage: broadphase COMMAND ...\n\n"
                        "Of all these boxes, which pairs overlap? Every pair, exactly once.\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        output_text(output, "  %-20s %s\n", COMMANDS[i]->name, COMMANDS[i]->summary);
    }
    options_describe_common(output);
    output_text(output, "\nExample:\n"
                        "  broadphase scene uniform -n 100000 --seed 7 -o boxes.npy\n"
                        "  broadphase pairs boxes.npy -o pairs.csv\n\n"
                        "See 'broadphase COMMAND --help' for the options of a command.\n");
}

// Help and version go to standard output, because they were asked for.
static bool print_help(failure *why) {
    output_file output;
    if (!output_open(&output, "-", why)) return false;
    describe_tool(&output);
    return output_close(&output, why);
}

static bool print_version(failure *why) {
    output_file output;
    if (!output_open(&output, "-", why)) return false;
    output_text(&output, "broadphase %s\n", bp_version());
    return output_close(&output, why);
}

static const tool_command *find_command(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(COMMANDS[i]->name, name) == 0) return COMMANDS[i];
    }
    return NULL;
}

static void print_usage(const tool_command *command) {
    if (command != NULL) {
        fprintf(stderr, "usage: broadphase %s %s\ntry:   broadphase %s --help\n", command->name, command->synopsis,
                command->name);
        return;
    }
    fprintf(stderr, "usage: broadphase ");
    for (size_t i = 0; i < COMMAND_COUNT; i++) fprintf(stderr, "%s%s", i == 0 ? "" : "|", COMMANDS[i]->name);
    fprintf(stderr, " ...\ntry:   broadphase --help\n");
}

static bool run_command(const tool_command *command, char **words, size_t count, const char *program, failure *why) {
    command_line arguments = {.program = program, .commands = COMMANDS, .command_count = COMMAND_COUNT};
    arguments.config.settings = &arguments.settings;
    if (!options_parse(command, words, count, &arguments, why)) return false;
    if (arguments.help) return options_print_help(command, why);
    if (arguments.version) return print_version(why);
    progress_enable(!arguments.quiet);
    return command->run(&arguments, why);
}

static bool run_command_line(const tool_command *command, char **words, size_t count, failure *why) {
    if (count < 2) return failure_set(why, STATUS_WRONG_CALL, "expected a command");
    if (command != NULL) return run_command(command, words + 2, count - 2, words[0], why);
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) return print_help(why);
    if (strcmp(words[1], "--version") == 0) return print_version(why);
    const char *what = words[1][0] == '-' ? "option" : "command";
    spelling hint = spelling_of(words[1]);
    for (size_t i = 0; i < COMMAND_COUNT; i++) spelling_try(&hint, COMMANDS[i]->name);
    spelling_try(&hint, "--help");
    spelling_try(&hint, "--version");
    return failure_set(why, STATUS_WRONG_CALL, "unknown %s '%.100s'%s", what, words[1], spelling_hint(&hint));
}

int main(int count, char **words) {
    platform_begin();
    failure why = {.status = STATUS_FAILED};
    const tool_command *command = count < 2 ? NULL : find_command(words[1]);
    if (run_command_line(command, words, (size_t)count, &why)) return STATUS_DONE;
    fprintf(stderr, "broadphase: %s\n", why.text);
    if (why.status == STATUS_WRONG_CALL) print_usage(command);
    return (int)why.status;
}
