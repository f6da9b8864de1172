// The config, checked once: every default filled in, every field in its range.
#ifndef BP_CONFIG_H
#define BP_CONFIG_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// Checks `given` (NULL: all defaults) and completes it. `method` may still be BP_METHOD_AUTO.
bp_status bp_config_complete(const bp_config *given, bp_config *complete);

// Whether a config gives a domain: all zero means that it does not.
static inline bool bp_domain_is_given(const bp_box *domain) {
    bool given = false;
    for (int axis = 0; axis < 3; ++axis) {
        given |= domain->min[axis] != 0.0f || domain->max[axis] != 0.0f;
    }
    return given;
}

// One line for a person, through the config's log hook, if there is one.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void bp_log_write(const bp_config *config, const char *format, ...);

#endif
