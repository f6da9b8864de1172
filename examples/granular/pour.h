// The scene: a column of grains of several sizes stands at one end of a channel, falls, and runs out over its floor.
#ifndef GRANULAR_POUR_H
#define GRANULAR_POUR_H

#include "forces.h"

typedef struct granular_pour {
    granular_system system; // without contacts
    granular_wall walls[5];
    unsigned char *colors; // of the grains, by their height
    double size[3];        // of the channel
    double margin;         // that suits its contacts
} granular_pour;

// The same grains whenever there are as many. Returns 0 if memory is missing. It points to itself: do not copy it.
int granular_pour_begin(granular_pour *p, size_t grain_count);
void granular_pour_end(granular_pour *p);

// Six pictures are due in a run: before the first step, after the last one, and between.
int granular_pour_is_due(size_t step, size_t steps);

// Draws the one that is due, into NAME-0.svg, NAME-1.svg, ... Returns 0 if the file cannot be written.
int granular_pour_draw(const granular_pour *p, size_t step, size_t steps, const char *name);

#endif
