// The survey: what boxes are like, from a sample of them. See bp_choice; plan.c decides by it.
#ifndef BP_SURVEY_H
#define BP_SURVEY_H

#include "engine/setup.h"
#include "kernels/strips.h"

#include <broadphase/broadphase_tune.h>
#include <stdbool.h>

// Fills in the facts that follow from a sample of one set or of two, and zeroes the others; those that no plan needs only if
// somebody will read them.
void bp_survey_take(bp_choice *choice, const bp_method_setup *setup, const bp_strip_sets *sets);

// Whether boxes that follow one another are near each other, as the triangles of a mesh are.
bool bp_survey_finds_runs(const bp_box *boxes, size_t count, uint32_t dimensions);

#endif
