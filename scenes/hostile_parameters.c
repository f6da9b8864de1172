// The parameters of a hostile scene: one table, from which they are read, written, drawn and changed.
#include "hostile.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parameter {
    const char *name;
    size_t offset; // in hostile_scene, hostile_part or hostile_axis
    int least, most;
    int usual;                // what the search draws: 0 .. usual
    const char *const *words; // of its values; NULL: numbers
} parameter;

static const char *const PLACES[] = {"uniform", "rank", "spread", "lattice", "layers", "clumps", "same", NULL};
static const char *const UNITS[] = {"domain", "gap", "place", "first", NULL};
static const char *const TURNS[] = {"x", "y", "z", "random", "index", NULL};

static const parameter OF_SCENE[] = {
    {"flat", offsetof(hostile_scene, flat), 0, 1, 1, NULL},
    {"sorted", offsetof(hostile_scene, sorted), 0, 1, 1, NULL},
};
static const parameter OF_PART[] = {
    {"share", offsetof(hostile_part, share), 0, 1000, 20, NULL},
    {"turn", offsetof(hostile_part, turn), 0, TURN_INDEX, TURN_INDEX, TURNS},
    {"scale", offsetof(hostile_part, scale), 0, 100, 60, NULL},
};
static const parameter OF_AXIS[] = {
    {"place", offsetof(hostile_axis, place), 0, PLACE_SAME, PLACE_SAME, PLACES},
    {"octaves", offsetof(hostile_axis, octaves), 0, 100, 60, NULL},
    {"layers", offsetof(hostile_axis, layers), 0, 24, 12, NULL},
    {"phase", offsetof(hostile_axis, phase), 0, 7, 7, NULL},
    {"at", offsetof(hostile_axis, at), -100, 100, 2, NULL},
    {"mirror", offsetof(hostile_axis, mirror), 0, 1, 1, NULL},
    {"size", offsetof(hostile_axis, size), 0, 200, 16, NULL},
    {"sizes", offsetof(hostile_axis, sizes), 0, 100, 24, NULL},
    {"unit", offsetof(hostile_axis, unit), 0, UNIT_FIRST, UNIT_FIRST, UNITS},
    {"low", offsetof(hostile_axis, low), 0, 8, 8, NULL},
    {"high", offsetof(hostile_axis, high), 0, 8, 8, NULL},
};
enum {
    SCENE_COUNT = sizeof OF_SCENE / sizeof OF_SCENE[0],
    PART_COUNT = sizeof OF_PART / sizeof OF_PART[0],
    AXIS_COUNT = sizeof OF_AXIS / sizeof OF_AXIS[0],
    ALL_OF_PART = PART_COUNT + 3 * AXIS_COUNT,
};

// A parameter of a certain scene.
typedef struct place_of {
    const parameter *parameter;
    int *value;
    char role; // 'a', 'b' or 'c'; 0: of the part or the scene
} place_of;

static int *value_at(void *object, const parameter *p) {
    return (int *)(void *)((char *)object + p->offset);
}

static place_of part_parameter(hostile_part *part, size_t index) {
    if (index < PART_COUNT) {
        return (place_of){&OF_PART[index], value_at(part, &OF_PART[index]), 0};
    }
    const size_t role = (index - PART_COUNT) / AXIS_COUNT;
    const parameter *p = &OF_AXIS[(index - PART_COUNT) % AXIS_COUNT];
    return (place_of){p, value_at(&part->axes[role], p), (char)('a' + role)};
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

__attribute__((format(printf, 2, 3))) static bool complain(char why[HOSTILE_WHY], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, HOSTILE_WHY, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_named(const place_of *p, const char *word, size_t length) {
    const char *name = p->parameter->name;
    if (p->role) {
        return length == strlen(name) + 2 && word[0] == p->role && word[1] == '.' &&
               strncmp(word + 2, name, length - 2) == 0;
    }
    return length == strlen(name) && strncmp(word, name, length) == 0;
}

static bool find_parameter(hostile_scene *scene, const char *word, size_t length, place_of *found) {
    for (size_t i = 0; i < SCENE_COUNT; ++i) {
        *found = (place_of){&OF_SCENE[i], value_at(scene, &OF_SCENE[i]), 0};
        if (is_named(found, word, length)) {
            return true;
        }
    }
    for (size_t i = 0; i < ALL_OF_PART; ++i) {
        *found = part_parameter(&scene->parts[scene->part_count - 1], i);
        if (is_named(found, word, length)) {
            return true;
        }
    }
    return false;
}

static bool parse_words(const parameter *p, const char *text, int *value) {
    for (int i = 0; p->words[i]; ++i) {
        if (strcmp(p->words[i], text) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool parse_value(const parameter *p, const char *text, int *value) {
    char *end = NULL;
    if (p->words) {
        return parse_words(p, text, value);
    }
    const long number = strtol(text, &end, 10);
    *value = (int)number;
    return end != text && *end == '\0' && number >= p->least && number <= p->most;
}

static bool parse_setting(const char *word, hostile_scene *scene, char why[HOSTILE_WHY]) {
    const size_t length = strcspn(word, "=");
    place_of found;
    if (word[length] != '=' || !find_parameter(scene, word, length, &found)) {
        return complain(why, "'%s' is no parameter; expected NAME=VALUE with a NAME of scenes/hostile.h, or a.NAME",
                        word);
    }
    const parameter *p = found.parameter;
    if (parse_value(p, word + length + 1, found.value)) {
        return true;
    }
    return p->words ? complain(why, "'%s': expected one of the words %s, %s, ..., %s", word, p->words[0], p->words[1],
                               p->words[p->most])
                    : complain(why, "'%s': expected a whole number from %d to %d", word, p->least, p->most);
}

static bool begin_part(const char *word, hostile_scene *scene, char why[HOSTILE_WHY]) {
    const bool second = word[0] == '/';
    if (scene->part_count == HOSTILE_PARTS) {
        return complain(why, "more than %d parts", HOSTILE_PARTS);
    }
    if (second && scene->second) {
        return complain(why, "more than two sets: '/' stands twice");
    }
    scene->second = second ? scene->part_count : scene->second;
    ++scene->part_count;
    return true;
}

static bool parse_word(const char *word, hostile_scene *scene, char why[HOSTILE_WHY]) {
    return strcmp(word, "+") == 0 || strcmp(word, "/") == 0 ? begin_part(word, scene, why)
                                                            : parse_setting(word, scene, why);
}

bool hostile_parse(const char *text, hostile_scene *scene, char why[HOSTILE_WHY]) {
    *scene = (hostile_scene){.part_count = 1};
    while (*text) {
        char word[64];
        const size_t length = strcspn(text, " ");
        if (length >= sizeof word) {
            return complain(why, "'%.32s...' is too long", text);
        }
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (length > 0 && !parse_word(word, scene, why)) {
            return false;
        }
        text += length + (text[length] ? 1 : 0);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

__attribute__((format(printf, 2, 3))) static void append(char text[HOSTILE_TEXT], const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, HOSTILE_TEXT - used, format, arguments);
    va_end(arguments);
}

static void append_setting(char text[HOSTILE_TEXT], const place_of *p) {
    if (*p->value == 0) {
        return;
    }
    append(text, "%s", text[0] ? " " : "");
    if (p->role) {
        append(text, "%c.", p->role);
    }
    if (p->parameter->words) {
        append(text, "%s=%s", p->parameter->name, p->parameter->words[*p->value]);
    } else {
        append(text, "%s=%d", p->parameter->name, *p->value);
    }
}

void hostile_print(const hostile_scene *scene, char text[HOSTILE_TEXT]) {
    hostile_scene copy = *scene;
    text[0] = '\0';
    for (size_t i = 0; i < SCENE_COUNT; ++i) {
        append_setting(text, &(place_of){&OF_SCENE[i], value_at(&copy, &OF_SCENE[i]), 0});
    }
    for (size_t i = 0; i < copy.part_count; ++i) {
        append(text, "%s", i == 0 ? "" : i == copy.second ? " /" : " +");
        for (size_t k = 0; k < ALL_OF_PART; ++k) {
            const place_of p = part_parameter(&copy.parts[i], k);
            append_setting(text, &p);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Drawing and changing

static bool is_heads(rng *random) {
    return rng_below(random, 2) == 1;
}

static int draw_value(const parameter *p, rng *random) {
    return (int)rng_below(random, (uint32_t)p->usual + 1);
}

// Half of the parameters of a part, or fewer: one that is 0 is the plain case.
static hostile_part draw_part(rng *random) {
    hostile_part part = {0};
    for (size_t i = 0; i < ALL_OF_PART; ++i) {
        const place_of p = part_parameter(&part, i);
        const bool infinite = p.parameter->offset >= offsetof(hostile_axis, low) && p.role;
        if (rng_below(random, infinite ? 6 : 2) == 0) {
            *p.value = draw_value(p.parameter, random);
        }
    }
    return part;
}

hostile_scene hostile_random(rng *random) {
    hostile_scene scene = {.flat = rng_below(random, 6) == 0, .sorted = rng_below(random, 4) == 0};
    scene.part_count = 1 + rng_below(random, 3);
    scene.second = scene.part_count > 1 && is_heads(random) ? 1 + rng_below(random, (uint32_t)scene.part_count - 1) : 0;
    for (size_t i = 0; i < scene.part_count; ++i) {
        scene.parts[i] = draw_part(random);
    }
    return scene;
}

static int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

static void mutate_parameter(hostile_part *part, rng *random) {
    const place_of p = part_parameter(part, rng_below(random, ALL_OF_PART));
    const bool anew = p.parameter->words || is_heads(random);
    const int step = (1 + (int)rng_below(random, 3)) * (is_heads(random) ? 1 : -1);
    *p.value = rng_below(random, 5) == 0 ? 0
               : anew                    ? draw_value(p.parameter, random)
                                         : clamp(*p.value + step, p.parameter->least, p.parameter->most);
}

// A part more or less, a copy of one for another, or the other number of sets.
static void mutate_parts(hostile_scene *scene, rng *random) {
    const size_t any = rng_below(random, (uint32_t)scene->part_count);
    switch (rng_below(random, 4)) {
    case 0:
        if (scene->part_count < HOSTILE_PARTS) {
            scene->parts[scene->part_count++] = is_heads(random) ? draw_part(random) : scene->parts[any];
        }
        break;
    case 1:
        if (scene->part_count > 1 && scene->second + 1 < scene->part_count) {
            --scene->part_count;
        }
        break;
    case 2:
        scene->second =
            scene->second || scene->part_count < 2 ? 0 : 1 + rng_below(random, (uint32_t)scene->part_count - 1);
        break;
    default: scene->sorted = !scene->sorted; break;
    }
}

void hostile_mutate(hostile_scene *scene, rng *random) {
    for (uint32_t changes = 1 + rng_below(random, 3); changes > 0; --changes) {
        if (rng_below(random, 8) == 0) {
            mutate_parts(scene, random);
        } else {
            mutate_parameter(&scene->parts[rng_below(random, (uint32_t)scene->part_count)], random);
        }
    }
}
