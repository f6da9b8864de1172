// Scenes made to hurt: boxes of a few parameters, so that hostile shapes can be named, written down and searched for.
//
// A scene has one set of boxes, or two that are searched against each other. A set has parts; a part is a number of
// boxes made alike. A box has three roles, a, b and c, each with its place and its size along one axis, and the part
// turns the roles onto the axes. All parameters are whole numbers, and a parameter that is 0 is not written:
//
//     turn=random b.size=12 c.size=12             needles as long as the domain, 2^-12 as thick, along any axis
//     PART + PART                                 two parts of one set
//     PART / PART                                 two sets
//
// The domain is 0 .. 1 along each axis. Sizes that are smaller than it shrink further, all by the same factor, until
// there are at most HOSTILE_PAIRS pairs for each box, as far as that helps. The same text, count and seed give the same
// bytes on every machine, as in scenes.h.
#ifndef BP_HOSTILE_H
#define BP_HOSTILE_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

#include "random.h"

enum { HOSTILE_PARTS = 6, HOSTILE_TEXT = 1600, HOSTILE_WHY = 256, HOSTILE_PAIRS = 2 };

// Where boxes begin along an axis, as a share of the domain.
typedef enum hostile_place {
    PLACE_UNIFORM, // anywhere
    PLACE_RANK,    // one after the other: the i-th of n at i / n
    PLACE_SPREAD,  // one each n-th, in another order along each axis
    PLACE_LATTICE, // one of the slots of a lattice over all axes with this place
    PLACE_LAYERS,  // a random one of 2^layers slots
    PLACE_CLUMPS,  // clumps of clumps: `layers` times in the first or the last quarter of what is left
    PLACE_SAME,    // all at 0
} hostile_place;

// What a size is a share of.
typedef enum hostile_unit {
    UNIT_DOMAIN, // the box is centred at its place
    UNIT_GAP,    // the way to the next place; the box begins at its place
    UNIT_PLACE,  // the distance of the place from 0; the box begins at its place
    UNIT_FIRST,  // the same of role a, to both sides: plates around the origin that do not touch
} hostile_unit;

enum { TURN_X, TURN_Y, TURN_Z, TURN_RANDOM, TURN_INDEX };

typedef struct hostile_axis {
    int place;     // hostile_place
    int octaves;   // places are log-uniform over so many octaves, instead of uniform
    int layers;    // of PLACE_LAYERS and PLACE_CLUMPS
    int phase;     // eighths of a gap that places are shifted by
    int at;        // domains that they are shifted by
    int mirror;    // 1: to either side of 0
    int size;      // a size is 2^-size of its unit at most; from 200 on: 0
    int sizes;     // and log-uniform over so many octaves
    int unit;      // hostile_unit
    int low, high; // eighths of the boxes that are infinite there
} hostile_axis;

typedef struct hostile_part {
    int share; // of the boxes, beside the other parts' shares; 0: 1
    int turn;  // the axis of role a; b and c follow in order
    int scale; // a whole box, with its place, is scaled by a random power of 2, down to 2^-scale
    hostile_axis axes[3];
} hostile_part;

typedef struct hostile_scene {
    int flat;   // 1: in two dimensions
    int sorted; // 1: boxes stay in the order of their parts and ranks, otherwise they are shuffled
    size_t part_count;
    size_t second; // the first part of the second set; 0: there is one set
    hostile_part parts[HOSTILE_PARTS];
} hostile_scene;

// ---- by name --------------------------------------------------------------------------------------------------------

size_t hostile_count(void);
const char *hostile_name(size_t index);     // those between two sets begin with "between-"
const char *hostile_text(size_t index);     // its parameters
const char *hostile_summary(size_t index);  // in words
const char *hostile_find(const char *name); // the text of the scene of that name, or NULL

// ---- parameters -----------------------------------------------------------------------------------------------------

// False: the text is wrong, and `why` says where.
bool hostile_parse(const char *text, hostile_scene *scene, char why[HOSTILE_WHY]);
void hostile_print(const hostile_scene *scene, char text[HOSTILE_TEXT]);
hostile_scene hostile_random(rng *random);
// Changes a few parameters.
void hostile_mutate(hostile_scene *scene, rng *random);

// ---- boxes ----------------------------------------------------------------------------------------------------------

typedef struct hostile_boxes {
    bp_box *a, *b; // b is NULL where there is one set
    size_t a_count, b_count;
    uint32_t dimensions;
    double pairs; // about so many, from a sample
} hostile_boxes;

// `count` boxes in all. False: out of memory, or a scene without parts.
bool hostile_build(const hostile_scene *scene, size_t count, uint64_t seed, hostile_boxes *boxes);
void hostile_free(hostile_boxes *boxes);

#endif
