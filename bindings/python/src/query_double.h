// Questions to a world in 64 bits. The library has these one at a time, and answers them exactly.
#ifndef BROADPHASE_PYTHON_QUERY_DOUBLE_H
#define BROADPHASE_PYTHON_QUERY_DOUBLE_H

#include "core.h"

typedef enum question_kind { ASK_BOXES, ASK_RAYS, ASK_CASTS, ASK_NEAREST } question_kind;

typedef struct question_rows {
    question_kind kind;
    const bp_object *as;
    const void *data; // boxes, rays, casts or points
    size_t count;
    uint32_t dimensions;
    size_t most; // answers to each; 0: all
    bool is_one; // it came alone, not in a row
    bool wide;   // in 64 bits
} question_rows;

// As bp_answers, in blocks of the default allocator.
typedef struct answers_double {
    size_t *offsets;
    uint32_t *ids;
    double *values;
    size_t count; // of questions
    size_t done;  // how many of them have been answered
    size_t used, capacity;
} answers_double;

// Needs no lock. After a failure there is something to free, too.
bp_status query_double(const bp_world *world, const question_rows *questions, answers_double *answers);
void answers_double_free(answers_double *answers);

#endif
