// The boxes of a caller, in 32 or 64 bits, and their validation.
#ifndef BP_INPUT_H
#define BP_INPUT_H

#include "base/runtime.h"
#include "view/overlap.h"

// One of the two arrays is NULL, or both if there are no boxes.
typedef struct bp_input {
    const bp_box *floats;
    const bp_box_double *doubles;
    size_t count;
} bp_input;

static inline bp_input bp_input_floats(const bp_box *boxes, size_t count) {
    return (bp_input){.floats = boxes, .count = count};
}

static inline bp_input bp_input_doubles(const bp_box_double *boxes, size_t count) {
    return (bp_input){.doubles = boxes, .count = count};
}

// Checks a caller's boxes: not NULL unless empty, not too many, every box valid and no longer than the period. Logs the
// first error. `is_double` says which array was meant, in case it is NULL.
bp_status bp_input_check(bp_input input, bool is_double, const bp_overlap_rule *rule, const bp_runtime *runtime);

// Box `index` in 64 bits.
static inline bp_box_double bp_input_double(const bp_input *input, size_t index) {
    return input->doubles != NULL ? input->doubles[index] : bp_box_to_double(&input->floats[index]);
}

// Box `index` as boxes are compared: grown by the margin, if there is one, in its own precision.
bp_box_double bp_input_grown(const bp_input *input, float margin, size_t index);

#endif
