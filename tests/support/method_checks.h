// What every method must do, for each of its variants. A method's own test lists the variants and calls these; whatever
// fails names the method, the variant, the scene, the seed and the options.
#ifndef BP_TESTS_METHOD_CHECKS_H
#define BP_TESTS_METHOD_CHECKS_H

#include "support/support.h"

#include "scenes.h"

typedef struct variant {
    const char *label; // its options as the test writes them, since config_text() does not know them all
    bp_config config;
} variant;

typedef struct variant_list {
    const variant *data;
    size_t count;
} variant_list;

// A method with some options: VARIANT_OF(BP_METHOD_BVH, .dimensions = 2). No options: VARIANT_OF(BP_METHOD_BVH, ).
#define VARIANT_OF(index, ...)                                                                                         \
    {                                                                                                                  \
#__VA_ARGS__, {                                                                                                \
            .method = (index), __VA_ARGS__                                                                             \
        }                                                                                                              \
    }
// To initialise a list of variants or refusals.
#define ALL_OF(array)                                                                                                  \
    { (array), COUNT_OF(array) }

// ---- scenes ---------------------------------------------------------------------------------------------------------

enum { SCENE_SEED = 5 };

// Never NULL. With the seed above, or with any options.
scene *open_scene(const char *name, size_t count);
scene *open_scene_with(const char *name, scene_options options);

// Whether figures say that a form of a method ran.
typedef bool (*form_check)(const bp_stats *stats);

// All instruction sets and numbers of workers give the pairs of testing all, in the same order, when this
// method is asked for by name; `form`, unless it is NULL, sees that no other one ran.
void expect_form(const bp_box *boxes, size_t count, uint32_t dimensions, bp_method method, form_check form,
                 const char *name);

// Right pairs, but not by that form.
void expect_other_form(const bp_box *boxes, size_t count, bp_config config, form_check form, const char *name);
// A world that holds the scene's boxes.
bp_world *world_of(const bp_config *config, const scene *subject);
// One step of the scene, which all objects of its world follow.
void move_with(bp_world *world, scene *subject);

bp_stats stats_of(const bp_box *boxes, size_t count, bp_config config);
bp_stats stats_of_scene(const char *name, size_t count, bp_config config);

// ---- tests ----------------------------------------------------------------------------------------------------------

// A test below with what it reads: a variant_list, where nothing else is said. (cmocka takes no const.)
#define TEST_WITH(test, input) cmocka_unit_test_prestate(test, (void *)&(input))

// In the tests against the naive answer, a cell size that is configured together with a memory limit may be refused for
// its memory.

// Every scene in 2-D and 3-D: its pairs, and those between its first third and the rest.
void finds_all_pairs_of_every_scene(void **state);
// The same for wild boxes: infinite, far away, equal, of all sizes; and for 0 to 4 boxes.
void finds_all_pairs_of_wild_boxes(void **state);
// One set against another, of other sizes.
void finds_all_pairs_between_sets(void **state);
// A world in which objects come, move, grow, gather and go, few and many at a time; the structure is validated.
void stays_right_while_objects_come_and_go(void **state);
// The same bytes for every number of threads and every order of their work, in a call and in a world.
void finds_the_same_bytes_with_any_number_of_threads(void **state);
// Whichever allocation fails: an error, nothing lost, nothing leaked, and the next try works.
void survives_failing_memory(void **state);
// A few objects that have fallen out of the scene do not make the method test many more candidates.
void stragglers_cost_little(void **state);

typedef struct steady_scene {
    variant_list variants;
    const char *name;
    size_t count;
    int warm_up;               // steps that may allocate
    int steps;                 // that may not
    bool validation_allocates; // then it is left out
} steady_scene;

// Reads a steady_scene. A step in which all objects move allocates nothing, nor does validating, unless said.
void allocates_nothing_in_a_steady_step(void **state);

typedef struct refusal {
    variant wrong;
    bp_status status;
    const char *word; // that the log must contain
} refusal;

typedef struct refusal_list {
    const refusal *data;
    size_t count;
} refusal_list;

// Reads a refusal_list. Each is refused with its status and its word; a bad argument even where there are no boxes.
void refuses_what_makes_no_sense(void **state);

// A world that follows a scene for some steps, against the naive answer; the structure is validated.
void check_follows(const variant *tried, const char *name, scene_options options);

#endif
