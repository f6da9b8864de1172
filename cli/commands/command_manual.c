// broadphase manual: the manual page, and completions for shells, of the tables that --help shows.
#include "commands/command.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

typedef const tool_command *const *command_table;

// The options of a command, its own first; NULL behind the last one.
static const tool_option *option_of(const tool_command *command, size_t index) {
    size_t common_count;
    const tool_option *common = options_common(&common_count);
    if (index < command->option_count) return &command->options[index];
    index -= command->option_count;
    if (command->passes_through) return NULL;
    for (size_t i = 0; i < common_count; i++) {
        if (option_is_used(&common[i], command->uses) && index-- == 0) return &common[i];
    }
    return NULL;
}

// What may stand for a value or an operand.
typedef enum value_kind {
    VALUE_NONE,
    VALUE_METHOD,
    VALUE_FIELD,
    VALUE_SCENE,
    VALUE_SHELL,
    VALUE_FILE,
    VALUE_OTHER
} value_kind;

static value_kind value_of(const tool_option *option) {
    if (option->value == NULL || option->kind == OPTION_STATS) return VALUE_NONE;
    if (option->kind == OPTION_SET) return VALUE_FIELD;
    if (strcmp(option->name, "--method") == 0) return VALUE_METHOD;
    return strncmp(option->value, "FILE", 4) == 0 || strcmp(option->value, "FOLDER") == 0 ? VALUE_FILE : VALUE_OTHER;
}

static value_kind operand_of(const tool_command *command) {
    if (command == &command_scene) return VALUE_SCENE;
    if (command == &command_manual) return VALUE_SHELL;
    return command == &command_methods || command == &command_demo ? VALUE_NONE : VALUE_FILE;
}

// The words of a kind, or NULL behind the last one.
static const char *word_of(value_kind kind, size_t index) {
    static const char *const SHELLS[] = {"bash", "zsh", "fish"};
    switch (kind) {
    case VALUE_METHOD: return index < bp_method_count() ? bp_method_name(index) : NULL;
    case VALUE_SCENE: return index < scene_count() ? scene_name(index) : NULL;
    case VALUE_FIELD: return index < settings_count() ? settings_at(index)->name : NULL;
    case VALUE_SHELL: return index < 3 ? SHELLS[index] : NULL;
    default: return NULL;
    }
}

static void write_words(output_file *output, value_kind kind, const char *after) {
    for (size_t i = 0; word_of(kind, i) != NULL; i++) {
        output_text(output, "%s%s%s", i == 0 ? "" : " ", word_of(kind, i), after);
    }
}

// A text of which some letters are written otherwise: `letters` and what stands for them.
static void write_with(output_file *output, const char *text, const char *letters, const char *const *instead) {
    for (; *text != '\0'; text++) {
        const char *found = strchr(letters, *text);
        if (found == NULL) {
            output_bytes(output, text, 1);
        } else {
            output_text(output, "%s", instead[found - letters]);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The manual page

static void write_roff(output_file *output, const char *text) {
    static const char *const INSTEAD[] = {"\\e", "\\-"};
    if (*text == '.' || *text == '\'') output_text(output, "\\&");
    write_with(output, text, "\\-", INSTEAD);
}

static void write_entry(output_file *output, const char *name, const char *value, const char *help) {
    output_text(output, ".TP\n.B ");
    write_roff(output, name);
    if (value != NULL) {
        output_text(output, " \\fI");
        write_roff(output, value);
        output_text(output, "\\fR");
    }
    output_text(output, "\n");
    write_roff(output, help);
    output_text(output, "\n");
}

// Examples and what follows them, as they stand.
static void write_as_it_stands(output_file *output, const char *text) {
    output_text(output, ".PP\n.nf\n");
    while (*text != '\0') {
        char line[256];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        write_roff(output, line);
        output_text(output, "\n");
        text += length + (text[length] == '\n');
    }
    output_text(output, ".fi\n");
}

static void write_command(output_file *output, const tool_command *command) {
    output_text(output, ".SS ");
    write_roff(output, command->name);
    output_text(output, " ");
    write_roff(output, command->synopsis);
    output_text(output, "\n");
    write_roff(output, command->summary);
    output_text(output, "\n");
    for (size_t i = 0; i < command->option_count; i++) {
        write_entry(output, command->options[i].name, command->options[i].value, command->options[i].help);
    }
    write_as_it_stands(output, command->example);
}

static void write_page(output_file *output, command_table commands, size_t count) {
    size_t common_count;
    const tool_option *common = options_common(&common_count);
    output_text(output, ".TH BROADPHASE 1 \"\" \"broadphase %s\" \"User Commands\"\n", bp_version());
    output_text(output, ".SH NAME\nbroadphase \\- find every pair of overlapping boxes\n"
                        ".SH SYNOPSIS\n.B broadphase\n.I COMMAND ...\n"
                        ".SH DESCRIPTION\nOf all these boxes, which pairs overlap? Every pair, exactly once.\n"
                        "Data goes to standard output, all else to standard error.\n.SH COMMANDS\n");
    for (size_t i = 0; i < count; i++) write_command(output, commands[i]);
    output_text(output, ".SH COMMON OPTIONS\n");
    for (size_t i = 0; i < common_count; i++) write_entry(output, common[i].name, common[i].value, common[i].help);
    output_text(output, ".SH FIELDS\nFor\n.B \\-\\-set\nand\n.BR \\-\\-config ;\n0 is always the default.\n");
    for (size_t i = 0; i < settings_count(); i++) {
        char text[SETTING_TEXT];
        write_entry(output, settings_at(i)->name, NULL, setting_describe(settings_at(i), text));
    }
    output_text(output, ".SH EXIT STATUS\n0: done. 1: the work failed. 2: the call was wrong.\n");
}

// ---------------------------------------------------------------------------------------------------------------------
// bash. The equals sign of FIELD=VALUE parts words there.

static void write_bash_values(output_file *output, command_table commands, size_t count) {
    output_text(output, "    case $previous in\n    --method) words='");
    write_words(output, VALUE_METHOD, "");
    output_text(output, "' ;;\n    --set)\n        words='");
    write_words(output, VALUE_FIELD, "=");
    output_text(output, "'\n        compopt -o nospace\n        ;;\n");
    for (size_t i = 0; i < settings_count(); i++) {
        const setting *of = settings_at(i);
        if (setting_word(of, 0) == NULL) continue;
        output_text(output, "    %s=) words='", of->name);
        for (size_t k = 0; setting_word(of, k) != NULL; k++) output_text(output, "%s ", setting_word(of, k));
        output_text(output, "' ;;\n");
    }
    output_text(output, "    *)\n        case $command in\n");
    for (size_t i = 0; i < count; i++) {
        output_text(output, "        %s) words='", commands[i]->name);
        for (size_t k = 0; option_of(commands[i], k) != NULL; k++)
            output_text(output, "%s ", option_of(commands[i], k)->name);
        output_text(output, "'; operands='");
        write_words(output, operand_of(commands[i]), "");
        output_text(output, "' ;;\n");
    }
    output_text(output, "        esac\n        [[ $current == -* ]] || words=$operands\n        ;;\n    esac\n");
}

static void write_bash(output_file *output, command_table commands, size_t count) {
    output_text(output, "# bash completion for broadphase, made by 'broadphase manual bash'\n_broadphase() {\n"
                        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
                        "    local command=${COMP_WORDS[1]} words= operands=\n"
                        "    if [[ $current == = ]]; then\n        current= previous=$previous=\n"
                        "    elif [[ $previous == = ]]; then\n        previous=${COMP_WORDS[COMP_CWORD - 2]}=\n    fi\n"
                        "    if ((COMP_CWORD == 1)); then\n        command= previous=\n    fi\n");
    write_bash_values(output, commands, count);
    output_text(output, "    ((COMP_CWORD > 1)) || words='--help --version");
    for (size_t i = 0; i < count; i++) output_text(output, " %s", commands[i]->name);
    output_text(output, "'\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n}\n"
                        "complete -o bashdefault -o default -F _broadphase broadphase\n");
}

// ---------------------------------------------------------------------------------------------------------------------
// zsh and fish

static void write_zsh_text(output_file *output, const char *text) {
    static const char *const INSTEAD[] = {"'\\''", "\\[", "\\]", "\\:"};
    write_with(output, text, "'[]:", INSTEAD);
}

static void write_zsh_value(output_file *output, value_kind kind, const char *what) {
    if (kind == VALUE_NONE) return;
    output_text(output, ":%s:", what);
    if (kind == VALUE_FILE) output_text(output, "_files");
    if (word_of(kind, 0) == NULL) return;
    output_text(output, "(");
    write_words(output, kind, kind == VALUE_FIELD ? "=" : "");
    output_text(output, ")");
}

static void write_zsh_command(output_file *output, const tool_command *command) {
    output_text(output, "    %s)\n        _arguments", command->name);
    for (size_t i = 0; option_of(command, i) != NULL; i++) {
        const tool_option *option = option_of(command, i);
        output_text(output, " \\\n            '%s%s[", option->kind == OPTION_SET ? "*" : "", option->name);
        write_zsh_text(output, option->help);
        output_text(output, "]");
        write_zsh_value(output, value_of(option), "value");
        output_text(output, "'");
    }
    if (operand_of(command) != VALUE_NONE) {
        output_text(output, " \\\n            '*");
        write_zsh_value(output, operand_of(command), "argument");
        output_text(output, "'");
    }
    output_text(output, "\n        ;;\n");
}

static void write_zsh(output_file *output, command_table commands, size_t count) {
    output_text(output,
                "#compdef broadphase\n# made by 'broadphase manual zsh'\n_broadphase() {\n    local -a commands=(\n");
    for (size_t i = 0; i < count; i++) {
        output_text(output, "        '%s:", commands[i]->name);
        write_zsh_text(output, commands[i]->summary);
        output_text(output, "'\n");
    }
    output_text(output,
                "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
                "    shift words\n    ((CURRENT--))\n    case $words[1] in\n");
    for (size_t i = 0; i < count; i++) write_zsh_command(output, commands[i]);
    output_text(output, "    esac\n}\n_broadphase \"$@\"\n");
}

static void write_fish_text(output_file *output, const char *text) {
    static const char *const INSTEAD[] = {"\\'", "\\\\"};
    output_text(output, "'");
    write_with(output, text, "'\\", INSTEAD);
    output_text(output, "'");
}

static void write_fish_option(output_file *output, const tool_command *command, const tool_option *option) {
    const value_kind kind = value_of(option);
    const bool is_long = option->name[1] == '-';
    output_text(output, "complete -c broadphase -n '__fish_seen_subcommand_from %s' %s %s", command->name,
                is_long ? "-l" : "-s", option->name + 1 + is_long);
    if (kind != VALUE_NONE) output_text(output, kind == VALUE_FILE ? " -rF" : " -x");
    if (word_of(kind, 0) != NULL) {
        output_text(output, " -a '");
        write_words(output, kind, kind == VALUE_FIELD ? "=" : "");
        output_text(output, "'");
    }
    output_text(output, " -d ");
    write_fish_text(output, option->help);
    output_text(output, "\n");
}

static void write_fish(output_file *output, command_table commands, size_t count) {
    output_text(output, "# made by 'broadphase manual fish'\n"
                        "complete -c broadphase -n __fish_use_subcommand -f -l help -d 'show the commands'\n"
                        "complete -c broadphase -n __fish_use_subcommand -f -l version -d 'show the version'\n");
    for (size_t i = 0; i < count; i++) {
        const value_kind operand = operand_of(commands[i]);
        output_text(output, "complete -c broadphase -n __fish_use_subcommand -f -a %s -d ", commands[i]->name);
        write_fish_text(output, commands[i]->summary);
        output_text(output, "\n");
        for (size_t k = 0; option_of(commands[i], k) != NULL; k++)
            write_fish_option(output, commands[i], option_of(commands[i], k));
        if (word_of(operand, 0) == NULL) continue;
        output_text(output, "complete -c broadphase -n '__fish_seen_subcommand_from %s' -f -a '", commands[i]->name);
        write_words(output, operand, "");
        output_text(output, "'\n");
    }
}

// ---------------------------------------------------------------------------------------------------------------------

typedef void (*manual_writer)(output_file *output, command_table commands, size_t count);

// NULL: there is no such shell.
static manual_writer writer_for(const char *shell) {
    if (strcmp(shell, "bash") == 0) return write_bash;
    if (strcmp(shell, "zsh") == 0) return write_zsh;
    return strcmp(shell, "fish") == 0 ? write_fish : NULL;
}

static bool run_manual(const command_line *arguments, failure *why) {
    if (arguments->operand_count > 1) {
        return failure_set(why, STATUS_WRONG_CALL, "unexpected word '%.100s'", arguments->operands[1]);
    }
    const manual_writer write = arguments->operand_count == 0 ? write_page : writer_for(arguments->operands[0]);
    output_file output;
    if (write == NULL) {
        return failure_set(why, STATUS_WRONG_CALL,
                           "expected bash, zsh or fish, or nothing for the manual page, found '%.100s'",
                           arguments->operands[0]);
    }
    if (!output_open(&output, output_path(arguments), why)) return false;
    write(&output, arguments->commands, arguments->command_count);
    return output_close(&output, why);
}

const tool_command command_manual = {
    .name = "manual",
    .summary = "Prints the manual page, or completions for a shell. 'make install' installs both.",
    .synopsis = "[bash|zsh|fish] [-o FILE]",
    .example = "  broadphase manual | man -l -\n"
               "  source <(broadphase manual bash)\n",
    .uses = USES_OUTPUT,
    .run = run_manual,
};
