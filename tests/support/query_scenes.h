// Scenes for the tests of queries: boxes that are drawn one by one.
#ifndef BP_TESTS_QUERY_SCENES_H
#define BP_TESTS_QUERY_SCENES_H

#include "support/support.h"

typedef struct query_scene {
    const char *name;
    bp_box (*draw)(rng *random, const bp_box *others, size_t count); // others: some of which may be copied
} query_scene;

enum { QUERY_SCENES = 8 };
extern const query_scene query_scenes[QUERY_SCENES];

#endif
