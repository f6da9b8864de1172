// The fields of bp_config and bp_method_settings as text: --set FIELD=VALUE, and the same in a file. One table has the
// fields of both. The caller must set config.settings to the bp_method_settings.
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

#include "formats/failure.h"
#include "formats/stream.h"

#include <broadphase/broadphase.h>
#include <broadphase/broadphase_methods.h>

bool settings_set(bp_config *config, bp_method_settings *methods, const char *field, const char *value, failure *why);
// "FIELD=VALUE", spaces around either allowed.
bool settings_apply(bp_config *config, bp_method_settings *methods, const char *assignment, failure *why);
// A file of such lines; empty ones and what follows a # are skipped.
bool settings_read(bp_config *config, bp_method_settings *methods, const char *path, failure *why);
// The fields that are not zero.
typedef enum settings_style {
    SETTINGS_LINES, // as settings_read takes them
    SETTINGS_WORDS, // the same, in one line
    SETTINGS_C      // as the initialiser of a bp_config
} settings_style;
void settings_write(output_file *output, const bp_config *config, const bp_method_settings *methods,
                    settings_style style);
// What a command does with its settings: fields that mean nothing there are taken, but not described.
typedef enum settings_use { SETTINGS_FOR_CALLS = 1, SETTINGS_FOR_WORLDS = 2, SETTINGS_FOR_NEIGHBORS = 4 } settings_use;
// The fields and what they are, for --help.
size_t settings_count(void);
const char *settings_name(size_t index);
const char *settings_help(size_t index);
bool settings_mean_something(size_t index, settings_use use);
// The words that a field may be, or NULL behind the last one, or where it is a number.
const char *settings_choice(size_t index, size_t choice);

#endif
