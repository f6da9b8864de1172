// Difficult boxes: across the end of a period, in 64 bits, as spheres, grown by a margin; and the naive result for
// them, written after the public header.
#ifndef BP_TESTS_VIEW_SCENES_H
#define BP_TESTS_VIEW_SCENES_H

#include "support/support.h"

// A scene: `make` fills boxes for a period; where that is 0, as for one of 8.
typedef struct view_scene {
    const char *name;
    void (*make)(rng *random, const float period[3], bp_box_double *boxes, size_t count);
} view_scene;

extern const view_scene VIEW_SCENES[];
extern const size_t VIEW_SCENE_COUNT;

// Makes the boxes of a scene, none longer than the period. Unless `wide`, all coordinates are floats.
bp_box_double *view_boxes(const view_scene *scene, uint64_t seed, const float period[3], size_t count, bool wide);
// The same in 32 bits.
bp_box *view_floats(const bp_box_double *boxes, size_t count);

// Every pair by the definition, ascending by (a, b). `wide`: the boxes are 64-bit ones, and margins grow them as such.
pair_list naive_view_pairs(const bp_box_double *boxes, size_t count, bool wide, const bp_config *config);
pair_list naive_view_pairs_between(const bp_box_double *a, size_t a_count, const bp_box_double *b, size_t b_count,
                                   bool wide, const bp_config *config);

#endif
