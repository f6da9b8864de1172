// Prints the table of settings for scripts/settings: a line each, with tabs between name, kind, length, whether it is of methods,
// words, methods, help and what stands before a word in C; "-" where there is none.
#include "formats/settings.h"

#include <stdio.h>

int main(void) {
    static const char *const KINDS[] = {"number", "integer", "real", "choice", "bytes"};
    for (size_t i = 0; i < settings_count(); i++) {
        const setting *s = settings_at(i);
        printf("%s\t%s\t%zu\t%d\t", s->name, KINDS[s->kind], s->length, s->of_methods);
        for (size_t k = 0; setting_word(s, k) != NULL; k++) printf("%s%s", k > 0 ? " " : "", setting_word(s, k));
        printf("%s\t%s\t%s\t%s\n", setting_word(s, 0) == NULL ? "-" : "", s->methods == NULL ? "-" : s->methods,
               s->help, s->prefix == NULL ? "-" : s->prefix);
    }
    return 0;
}
