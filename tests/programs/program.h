// Random programs of public calls: generated, run against the naive model, shortened when they fail, and printed as C.
//
// A program is data. Every program is meaningful: an invalid call must be refused with the status that the model
// predicts. So calls can be taken out of it, and values changed, as long as it goes on failing.
#ifndef BP_TESTS_PROGRAM_H
#define BP_TESTS_PROGRAM_H

#include "support/naive_model.h"

#include <stdio.h>

// The source of a program's choices: a random number generator, or a limited array of bytes.
typedef struct source {
    rng random;
    const uint8_t *bytes; // NULL: random
    size_t size, position;
} source;

source source_seeded(uint64_t seed);
source source_of_bytes(const uint8_t *bytes, size_t size);

typedef enum operation {
    OPERATION_ADD,
    OPERATION_MOVE,
    OPERATION_REMOVE,
    OPERATION_SET_OBJECT,
    OPERATION_GET_OBJECT,
    OPERATION_RESERVE,
    OPERATION_UPDATE,
    OPERATION_VALIDATE,
    OPERATION_QUERY_BOX,
    OPERATION_QUERY_RAY,
    OPERATION_QUERY_NEAREST,
    OPERATION_SAVE_AND_LOAD,
    OPERATION_FIND, // the boxes of the world as they are, given to a one-call function
    OPERATION_COUNT
} operation;

enum { ITEMS_MOST = 16, CALLS_MOST = 120 };

typedef struct step {
    operation what;
    item items[ITEMS_MOST];
    size_t count;    // of the items
    bool many;       // the call whose name ends in _many
    bool wide;       // the call whose name ends in _double
    bool without;    // adding: without objects; moving many: without ids; asking: not as an object; loading: with other
                     // options; finding: among all, not between the first third and the rest
    float ray[7];    // origin, direction, max_t; its beginning is the point of OPERATION_QUERY_NEAREST
    size_t capacity; // of the answer to a question
    uint32_t method; // after loading: so many further on in the table of methods
} step;

typedef struct program {
    bp_config config; // but for the method, and the pointer to the settings
    bp_method_settings settings;
    uint32_t islands; // objects are on so many
    step *steps;
    size_t count;
} program;

program program_draw(source *from);
program program_copy(const program *p);
void program_free(program *p);
// The largest number of objects that the program can reach.
size_t program_objects(const program *p);
// The boxes of a step as its call gives them: rounded to floats, unless that is wide.
void step_round(step *s);

// Deliberate defects, simulated around the library, to check that they are found.
typedef enum defect {
    DEFECT_NONE,
    DEFECT_LOST_PAIR,  // some pairs are missing
    DEFECT_STALE_MOVE, // objects that have moved since the last update lose their pairs
    DEFECT_WRONG_ID,   // after a removal, ids are one too large
    DEFECT_LATE_END,   // of the pairs that have ended, the last is not told
    DEFECT_COUNT
} defect;

typedef struct outcome {
    bool failed;
    size_t at; // the step
    char text[256];
} outcome;

// Whether a method can run it at all.
bool program_suits(const program *p, bp_method method);
outcome program_run(const program *p, bp_method method, defect made);

// Makes a failing program as short and simple as possible; returns how many programs were tried.
size_t program_shrink(program *p, bp_method method, defect made);

// Prints it as a C program that makes the same calls and prints the results.
void program_print(const program *p, bp_method method, const outcome *found, FILE *to);

#endif
