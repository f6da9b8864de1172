// Everyday places of games as crowds: buildings, land, people, vehicles, bullets and debris, for the suite `everyday`.
//
//     | static: floors, walls, things | the others: some move, and who moves changes now and then |      ids in this order
//
// Lengths are metres, a step is a sixtieth of a second.
#ifndef BENCH_PLACES_H
#define BENCH_PLACES_H

#include "suites/crowd.h"

typedef enum place_layout { BUILDING, LAND } place_layout;
typedef enum place_motion { WALKING, DRIVING, FLYING, FALLING } place_motion;

typedef struct place {
    place_layout layout;
    place_motion motion;
    size_t storeys;      // of a building; 0: as many as a tower of 40 x 40 metres needs
    double density;      // objects per square metre of a storey
    double static_share; // of all objects
    double moving;       // share of all objects that move in a step; falling ones come to rest until others are thrown
    double churn;        // share of all objects that vanish in a step, while others appear elsewhere
    double streaming;    // the place is a window that goes on by this share of its length in a step
    size_t rays;         // in a step, from objects that move
} place;

crowd *crowd_of_place(const place *kind, size_t count);
crowd_changes place_step(crowd *self);

#endif
