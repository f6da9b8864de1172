// The config, checked once: every default filled in, every field in its range.
#ifndef BP_CONFIG_H
#define BP_CONFIG_H

#include <broadphase/broadphase.h>

// Checks `given` (NULL: all defaults) and completes it. `method` may still be BP_METHOD_AUTO.
bp_status bp_config_complete(const bp_config *given, bp_config *complete);

// One line for a person, through the config's log hook, if there is one.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void bp_log_write(const bp_config *config, const char *format, ...);

#endif
