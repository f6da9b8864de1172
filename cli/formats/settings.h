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
// The table, for --help.
void settings_describe(output_file *output);

#endif
