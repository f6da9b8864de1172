// Making a failing program short: calls are taken out by halves, quarters, ... down to one by one (delta debugging: A.
// Zeller and R. Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002), then the objects of calls, then
// values are simplified; repeated until nothing changes.
#include "programs/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MOST = 20000 };

typedef struct shrinker {
    program *program;
    bp_method method;
    defect made;
    size_t tries;
    bool progress;
} shrinker;

// Takes the candidate if it fails as well, and else throws it away.
static bool take_if_failing(shrinker *s, program candidate) {
    const bool fails = s->tries < TRIES_MOST && program_suits(&candidate, s->method) &&
                       program_run(&candidate, s->method, s->made).failed;
    ++s->tries;
    if (fails) {
        program_free(s->program);
        *s->program = candidate;
        s->progress = true;
    } else {
        program_free(&candidate);
    }
    return fails;
}

// ---- calls and their objects ---------------------------------------------------------------------------------------

static bool without_steps(shrinker *s, size_t first, size_t count) {
    program shorter = program_copy(s->program);
    memmove(shorter.steps + first, shorter.steps + first + count,
            (shorter.count - first - count) * sizeof *shorter.steps);
    shorter.count -= count;
    return take_if_failing(s, shorter);
}

static void remove_steps(shrinker *s) {
    for (size_t chunk = s->program->count; chunk > 0; chunk /= 2) {
        for (size_t first = 0; first + chunk <= s->program->count;) {
            first += without_steps(s, first, chunk) ? 0 : chunk;
        }
    }
}

static bool without_item(shrinker *s, size_t index, size_t which) {
    program smaller = program_copy(s->program);
    step *at = &smaller.steps[index];
    memmove(at->items + which, at->items + which + 1, (at->count - which - 1) * sizeof *at->items);
    --at->count;
    return take_if_failing(s, smaller);
}

static void remove_items(shrinker *s) {
    for (size_t i = 0; i < s->program->count; ++i) {
        for (size_t k = s->program->steps[i].count; k-- > 0 && s->program->steps[i].many;) {
            (void)without_item(s, i, k);
        }
    }
}

// ---- values --------------------------------------------------------------------------------------------------------

// Tries one change of one step.
static bool try_step(shrinker *s, size_t index, step changed) {
    if (memcmp(&changed, &s->program->steps[index], sizeof changed) == 0) {
        return false;
    }
    program candidate = program_copy(s->program);
    candidate.steps[index] = changed;
    return take_if_failing(s, candidate);
}

static void simplify_call(shrinker *s, size_t i) {
    step changed = s->program->steps[i];
    changed.many = changed.many && changed.count != 1;
    (void)try_step(s, i, changed);
    changed = s->program->steps[i];
    changed.wide = false;
    step_round(&changed);
    (void)try_step(s, i, changed);
    changed = s->program->steps[i];
    changed.without = changed.without || changed.what == OPERATION_ADD;
    (void)try_step(s, i, changed);
}

static void simplify_coordinate(shrinker *s, size_t i, size_t k, size_t which) {
    const double *old =
        which < 3 ? &s->program->steps[i].items[k].box.min[which] : &s->program->steps[i].items[k].box.max[which - 3];
    const double plain[] = {which < 3 ? 0.0 : 1.0, round(*old), round(*old * 8.0) / 8.0};
    for (size_t v = 0; v < COUNT_OF(plain); ++v) {
        step changed = s->program->steps[i];
        double *value = which < 3 ? &changed.items[k].box.min[which] : &changed.items[k].box.max[which - 3];
        if (*value == plain[v]) {
            return;
        }
        *value = plain[v];
        if (try_step(s, i, changed)) {
            return;
        }
    }
}

// All of it, or field by field.
static void simplify_object(shrinker *s, size_t i, size_t k) {
    for (int field = 0; field < 6; ++field) {
        step changed = s->program->steps[i];
        const bp_object old = changed.items[k].object;
        changed.items[k].object = (bp_object){.group = field == 1 ? 0 : old.group,
                                              .mask = field == 2 ? 0 : old.mask,
                                              .flags = field == 3 ? 0 : old.flags,
                                              .island = field == 4 ? 0 : old.island,
                                              .user = field == 5 ? 0 : old.user};
        changed.items[k].object = field == 0 ? (bp_object){0} : changed.items[k].object;
        (void)try_step(s, i, changed);
    }
}

static void simplify_item(shrinker *s, size_t i, size_t k) {
    const bp_box_double unit = {.min = {0, 0, 0}, .max = {1, 1, 1}};
    simplify_object(s, i, k);
    step changed = s->program->steps[i];
    changed.items[k].box = unit;
    (void)try_step(s, i, changed);
    for (size_t which = 0; which < 6; ++which) {
        simplify_coordinate(s, i, k, which);
    }
    for (bp_id id = 0; id < s->program->steps[i].items[k].id && id < 8; ++id) {
        changed = s->program->steps[i];
        changed.items[k].id = id;
        (void)try_step(s, i, changed);
    }
}

static void simplify_values(shrinker *s) {
    for (size_t i = 0; i < s->program->count; ++i) {
        simplify_call(s, i);
        for (size_t k = 0; k < s->program->steps[i].count; ++k) {
            simplify_item(s, i, k);
        }
    }
}

// ---- the config ----------------------------------------------------------------------------------------------------

static void try_plain(shrinker *s) {
    const bp_config config = {0};
    const bp_method_settings settings = {0};
    if (memcmp(&config, &s->program->config, sizeof config) == 0 &&
        memcmp(&settings, &s->program->settings, sizeof settings) == 0) {
        return;
    }
    program candidate = program_copy(s->program);
    candidate.config = config;
    candidate.settings = settings;
    (void)take_if_failing(s, candidate);
}

// Field by field, those that are not zero, in a part of the program.
static void simplify_fields(shrinker *s, size_t begin, size_t end) {
    const uint32_t zero = 0;
    for (size_t at = begin; at + sizeof zero <= end; at += sizeof zero) {
        if (memcmp((const char *)s->program + at, &zero, sizeof zero) != 0) {
            program candidate = program_copy(s->program);
            memcpy((char *)&candidate + at, &zero, sizeof zero);
            (void)take_if_failing(s, candidate);
        }
    }
}

// From the first field to the hooks, which programs have not; then the settings of methods.
static void simplify_config(shrinker *s) {
    const size_t config = offsetof(program, config), settings = offsetof(program, settings);
    try_plain(s);
    simplify_fields(s, config, config + offsetof(bp_config, allocator));
    simplify_fields(s, settings, settings + sizeof(bp_method_settings));
}

size_t program_shrink(program *p, bp_method method, defect made) {
    shrinker s = {.program = p, .method = method, .made = made, .progress = true};
    while (s.progress && s.tries < TRIES_MOST) {
        s.progress = false;
        remove_steps(&s);
        remove_items(&s);
        if (!s.progress) {
            simplify_config(&s);
            simplify_values(&s);
        }
    }
    return s.tries;
}
