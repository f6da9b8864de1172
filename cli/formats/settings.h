// The settings: the fields of bp_config and bp_method_settings, as text. One table has all of them: --set FIELD=VALUE, files of
// such lines, --help, the manual page, completions, the keywords of Python and the words of JavaScript follow from it; so
// do the types of both, and the list in docs/python.md (`make settings` writes them; the test `settings` compares, and looks for
// each setting in the headers and in docs/methods.md).
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

#include "formats/failure.h"
#include "formats/stream.h"

#include <broadphase/broadphase.h>
#include <broadphase/broadphase_methods.h>

// The caller must set config.settings to the bp_method_settings.
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
// What a command does with its settings: those that mean nothing there are taken, but not described.
typedef enum settings_use { SETTINGS_FOR_CALLS = 1, SETTINGS_FOR_WORLDS = 2, SETTINGS_FOR_NEIGHBORS = 4 } settings_use;

typedef enum setting_kind { SETTING_NUMBER, SETTING_INTEGER, SETTING_REAL, SETTING_CHOICE, SETTING_BYTES } setting_kind;

typedef struct setting {
    const char *name;
    setting_kind kind;
    size_t length;   // elements: more than 1 for an array
    bool of_methods; // in bp_method_settings; else in bp_config
    size_t offset;
    unsigned means_nothing;   // to these uses
    const char *prefix;       // SETTING_CHOICE: what stands before a word in C
    const char *const *words; // the words, by their values, then NULL; NULL: the names of the methods, or no choice
    const char *methods;      // that heed it; NULL: all
    const char *help;
} setting;

size_t settings_count(void);
const setting *settings_at(size_t index);
bool setting_means_something(const setting *of, settings_use use);
// The words that it may be, or NULL behind the last one, or where it is a number.
const char *setting_word(const setting *of, size_t choice);
// For --help: its words, and what it is.
enum { SETTING_TEXT = 160 };
const char *setting_describe(const setting *of, char text[SETTING_TEXT]);

#endif
