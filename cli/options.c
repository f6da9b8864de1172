#include "options.h"

#include "formats/number.h"
#include "formats/settings.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(command_line, member)

static const tool_option COMMON[] = {
    {"--method", "NAME", OPTION_FIELD, 0, "the algorithm (default: auto, chosen from the boxes)"},
    {"--threads", "N", OPTION_FIELD, 0, "threads; -1: all cores (default: 1)"},
    {"--set", "FIELD=VALUE", OPTION_SET, 0,
     "set a field of the config; may be repeated (the help of a command lists them)"},
    {"--config", "FILE", OPTION_SETTINGS, 0, "set fields from a file with lines 'field = value'"},
    {"-o", "FILE", OPTION_TEXT, AT(output), "output file (default: -, standard output)"},
    {"--quiet", NULL, OPTION_FLAG, AT(quiet), "no progress bar, no remarks"},
    {"--help", NULL, OPTION_FLAG, AT(help), "show this"},
    {"--version", NULL, OPTION_FLAG, AT(version), "show the version"},
};
enum { COMMON_COUNT = sizeof COMMON / sizeof *COMMON };

// ---------------------------------------------------------------------------------------------------------------------
// Finding an option

// "--name", "--name=value", "-n" and "-nvalue"; *value is set where it is attached.
static bool matches(const tool_option *option, const char *word, const char **value) {
    size_t length = strlen(option->name);
    *value = NULL;
    if (strncmp(word, option->name, length) != 0) return false;
    if (word[length] == '\0') return true;
    bool is_long = option->name[1] == '-';
    *value = word + length + is_long;
    return is_long ? word[length] == '=' : option->value != NULL;
}

static const tool_option *find_in(const tool_option *options, size_t count, const char *word, const char **value) {
    for (size_t i = 0; i < count; i++) {
        if (matches(&options[i], word, value)) return &options[i];
    }
    return NULL;
}

static const tool_option *find_option(const tool_command *command, const char *word, const char **value) {
    const tool_option *own = find_in(command->options, command->option_count, word, value);
    return own != NULL ? own : find_in(COMMON, COMMON_COUNT, word, value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Applying it

static bool fail_number(const char *name, const char *expected, const char *found, failure *why) {
    return failure_set(why, STATUS_WRONG_CALL, "%s: expected %s, found '%.100s'", name, expected, found);
}

static bool apply_count(const tool_option *option, const char *value, uint64_t maximum, uint64_t *count, failure *why) {
    if (number_parse_count(value, maximum, count)) return true;
    char expected[64];
    snprintf(expected, sizeof expected, "a whole number from 0 to %llu", (unsigned long long)maximum);
    return fail_number(option->name, expected, value, why);
}

static bool apply_stats(const tool_option *option, const char *value, stats_style *style, failure *why) {
    *style = value == NULL ? STATS_LINES : STATS_JSON;
    return value == NULL || strcmp(value, "json") == 0 || fail_number(option->name, "json, or no value", value, why);
}

static bool apply(const tool_option *option, const char *value, command_line *arguments, failure *why) {
    void *target = (char *)arguments + option->offset;
    bp_config *config = &arguments->config;
    bp_method_settings *methods = &arguments->settings;
    uint64_t count = 0;
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)target = true; return true;
    case OPTION_TEXT: *(const char **)target = value; return true;
    case OPTION_COUNT:
        if (!apply_count(option, value, BP_MAX_COUNT, &count, why)) return false;
        *(size_t *)target = (size_t)count;
        return true;
    case OPTION_NUMBER: return apply_count(option, value, UINT64_MAX, target, why);
    case OPTION_STATS: return apply_stats(option, value, target, why);
    case OPTION_REAL:
        if (number_parse_real(value, target)) return true;
        return fail_number(option->name, "a number: 0, or 4.9e-324 to 1.7e308 either way", value, why);
    case OPTION_FIELD: return settings_set(config, methods, option->name + 2, value, why);
    case OPTION_SET: return settings_apply(config, methods, value, why) || failure_prefix(why, "--set %.100s: ", value);
    case OPTION_SETTINGS: break;
    }
    return settings_read(config, methods, value, why);
}

static bool fail_option(const tool_command *command, const char *word, failure *why) {
    spelling hint = spelling_of(word);
    for (size_t i = 0; i < command->option_count; i++) spelling_try(&hint, command->options[i].name);
    for (size_t i = 0; i < COMMON_COUNT; i++) spelling_try(&hint, COMMON[i].name);
    return failure_set(why, STATUS_WRONG_CALL, "unknown option '%.100s'%s", word, spelling_hint(&hint));
}

static bool parse_option(const tool_command *command, char **words, size_t count, size_t *next, command_line *arguments,
                         failure *why) {
    const char *word = words[(*next)++];
    const char *value;
    if (strcmp(word, "-h") == 0) word = "--help";
    const tool_option *option = find_option(command, word, &value);
    if (option == NULL) return fail_option(command, word, why);
    if (option->value == NULL && value != NULL) {
        return failure_set(why, STATUS_WRONG_CALL, "%s takes no value", option->name);
    }
    if (option->kind == OPTION_STATS && value == NULL) {
        // No file of boxes is called so.
        if (*next < count && strcmp(words[*next], "json") == 0) value = words[(*next)++];
    } else if (option->value != NULL && value == NULL) {
        if (*next == count)
            return failure_set(why, STATUS_WRONG_CALL, "%s needs a value: %s", option->name, option->value);
        value = words[(*next)++];
    }
    return apply(option, value, arguments, why);
}

bool options_parse(const tool_command *command, char **words, size_t count, command_line *arguments, failure *why) {
    bool only_operands = command->passes_through;
    arguments->operands = words;
    for (size_t next = 0; next < count;) {
        char *word = words[next];
        if (only_operands || word[0] != '-' || strcmp(word, "-") == 0) {
            words[arguments->operand_count++] = word;
            next++;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
            next++;
        } else if (!parse_option(command, words, count, &next, arguments, why)) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// --help

const tool_option *options_common(size_t *count) {
    *count = COMMON_COUNT;
    return COMMON;
}

bool option_is_used(const tool_option *option, unsigned uses) {
    switch (option->kind) {
    case OPTION_FIELD:
    case OPTION_SET:
    case OPTION_SETTINGS: return (uses & USES_SETTINGS) != 0;
    case OPTION_TEXT: return (uses & USES_OUTPUT) != 0;
    default: return option->offset != AT(quiet) || (uses & USES_QUIET) != 0;
    }
}

static void describe_option(output_file *output, const tool_option *option) {
    char call[64];
    snprintf(call, sizeof call, "%s%s%s", option->name, option->value == NULL ? "" : " ",
             option->value == NULL ? "" : option->value);
    output_text(output, "  %-20s %s\n", call, option->help);
}

static void describe_common(output_file *output, unsigned uses) {
    output_text(output, "\nCommon options:\n");
    for (size_t i = 0; i < COMMON_COUNT; i++) {
        if (option_is_used(&COMMON[i], uses)) describe_option(output, &COMMON[i]);
    }
}

void options_describe_common(output_file *output) {
    describe_common(output, USES_ALL);
}

static void describe_settings(output_file *output, settings_use use) {
    output_text(output, "\nFields for --set and --config (0 is always the default):\n");
    for (size_t i = 0; i < settings_count(); i++) {
        const setting *described = settings_at(i);
        if (setting_means_something(described, use)) {
            char text[SETTING_TEXT];
            output_text(output, "  %-20s %s\n", described->name, setting_describe(described, text));
        }
    }
}

static void describe_command(output_file *output, const tool_command *command) {
    output_text(output, "usage: broadphase %s %s\n\n%s\n", command->name, command->synopsis, command->summary);
    if (command->option_count > 0) output_text(output, "\nOptions:\n");
    for (size_t i = 0; i < command->option_count; i++) describe_option(output, &command->options[i]);
    if (!command->passes_through) describe_common(output, command->uses);
    if ((command->uses & USES_SETTINGS) != 0) describe_settings(output, command->settings);
    output_text(output, "\nExamples:\n");
    output_bytes(output, command->example, strlen(command->example));
}

bool options_print_help(const tool_command *command, failure *why) {
    output_file output;
    if (!output_open(&output, "-", why)) return false;
    describe_command(&output, command);
    return output_close(&output, why);
}
