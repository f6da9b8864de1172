// A command of the tool: its help text, its options and its function.
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

#include "formats/failure.h"
#include "formats/settings.h"
#include "formats/stream.h"
#include "scenes.h"

#include <broadphase/broadphase.h>
#include <broadphase/broadphase_methods.h>

typedef enum stats_style { STATS_NONE, STATS_LINES, STATS_JSON } stats_style;

typedef struct tool_command tool_command;

// A parsed command line, for all commands.
typedef struct command_line {
    const char *program;                 // argv[0]
    const tool_command *const *commands; // that there are
    size_t command_count;
    bp_config config; // config.settings points to:
    bp_method_settings settings;
    const char *output; // NULL: the command's default
    bool quiet, help, version;

    stats_style stats;                                            // pairs
    bool explain;                                                 // pairs
    bool list;                                                    // scene
    scene_options scene;                                          // scene, demo
    size_t steps;                                                 // scene, demo
    const char *charts;                                           // report
    bool verdicts;                                                // report
    double budget;                                                // tune: seconds
    const char *source;                                           // tune: file for the C initialiser
    bool verify;                                                  // trace
    double radius;                                                // neighbors
    const char *question_boxes, *question_rays, *question_points; // query: files
    size_t most;                                                  // query: answers to each
    double max_t;                                                 // query

    char **operands; // arguments that are not options
    size_t operand_count;
} command_line;

// Where the data goes, for the commands whose default is standard output.
static inline const char *output_path(const command_line *arguments) {
    return arguments->output == NULL ? "-" : arguments->output;
}

typedef enum option_kind {
    OPTION_FLAG,    // bool
    OPTION_TEXT,    // const char *
    OPTION_COUNT,   // size_t
    OPTION_NUMBER,  // uint64_t
    OPTION_STATS,   // stats_style; the value may be left out
    OPTION_REAL,    // double
    OPTION_FIELD,   // the field of the config that has the option's name
    OPTION_SET,     // FIELD=VALUE
    OPTION_SETTINGS // a file of these
} option_kind;

typedef struct tool_option {
    const char *name;  // "--seed"
    const char *value; // "S"; NULL for a flag
    option_kind kind;
    size_t offset; // in arguments, where the kind needs one
    const char *help;
} tool_option;

// What a command does with the common options, besides --help and --version: the others are taken, but mean nothing.
enum { USES_SETTINGS = 1, USES_OUTPUT = 2, USES_QUIET = 4, USES_ALL = 7 };

struct tool_command {
    const char *name;
    const char *summary;
    const char *synopsis; // the usage line after the name
    const char *example;  // example calls
    const tool_option *options;
    size_t option_count;
    unsigned uses;
    settings_use settings; // with USES_SETTINGS
    bool passes_through;   // everything after the name goes to another program: operands only
    bool (*run)(const command_line *arguments, failure *why);
};

extern const tool_command command_pairs, command_scene, command_methods, command_demo, command_bench, command_report,
    command_tune, command_trace, command_neighbors, command_query, command_manual;

// Two columns, aligned: what `methods` and `scene --list` print.
typedef const char *(*text_of_index)(size_t index);
bool write_names(const command_line *arguments, size_t count, text_of_index name, text_of_index summary, failure *why);

#endif
