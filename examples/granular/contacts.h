// Who may touch whom: pairs of boxes that are a margin larger than grains and walls. They are found again only when a grain
// has moved by a margin, and contacts that were there keep their springs.
#ifndef GRANULAR_CONTACTS_H
#define GRANULAR_CONTACTS_H

#include "forces.h"

#include <broadphase/broadphase.h>

typedef struct granular_contacts {
    bp_config config;
    double margin;
    bp_box *boxes;       // of grains, then of walls
    double (*places)[3]; // of the grains, when the contacts were found
    size_t box_capacity;
    bp_pairs pairs;
    granular_contact *lists[2]; // the current one, and the last one
    size_t capacities[2];
    size_t searches;    // so far
    double search_time; // processor seconds in the library
} granular_contacts;

// `config` gives threads or a method; its order, period and dimensions are set here.
void granular_contacts_begin(granular_contacts *c, const bp_config *config, double margin);
void granular_contacts_end(granular_contacts *c);

// Makes the system's contacts hold all that touch. Searches only if that is needed.
bp_status granular_contacts_renew(granular_contacts *c, granular_system *s);

// One step in time.
bp_status granular_step(granular_contacts *c, granular_system *s);

// What is searched: boxes that are a margin larger, until a grain has moved by nearly a margin.
bp_box granular_box_of_grain(const granular_grain *g, double margin);
bp_box granular_box_of_wall(const granular_wall *w);
int granular_has_moved_far(const granular_grain *g, const double from[3], double margin);

#endif
