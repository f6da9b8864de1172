// A terrain with things that lie on it. The terrain is finer in the middle than at its border, and does not move; stones
// and planks of all sizes, a few dozen triangles each, slide around on it.
#include "surface.h"

#include <math.h>
#include <stdlib.h>

#include "arithmetic.h"

static const double HEIGHT = 0.06;
static const double COVERED = 0.3;  // the share of the terrain that lies under things
static const double SMALLEST = 0.1; // of the radius of the largest thing
enum { TRIANGLES_EACH = 120 };

static double ground_at(const surface *self, double x, double y) {
    return relief_at(&self->relief, (const double[3]){x, y, 0});
}

// ---------------------------------------------------------------------------------------------------------------------
// Places

static void pose_ground(surface *self) {
    for (size_t i = 0; i < self->second_vertex; ++i) {
        const double x = self->rest[i][0], y = self->rest[i][1];
        self->vertices[i][0] = (float)x;
        self->vertices[i][1] = (float)y;
        self->vertices[i][2] = (float)ground_at(self, x, y);
    }
}

// Around a circle as wide as the thing itself.
static void pose_thing(surface *self, const surface_thing *thing) {
    const double turns = thing->phase + self->turns;
    const double x = thing->home[0] + thing->radius * sine_of_turns(turns);
    const double y = thing->home[1] + thing->radius * sine_of_turns(turns + 0.25);
    const double center[3] = {x, y, ground_at(self, x, y)};
    for (size_t i = thing->first_vertex; i < thing->first_vertex + thing->vertex_count; ++i) {
        for (size_t axis = 0; axis < 3; ++axis) {
            self->vertices[i][axis] = (float)(center[axis] + self->rest[i][axis]);
        }
    }
}

static void pose_terrain(surface *self) {
    if (self->turns == 0) { // it stays
        pose_ground(self);
    }
    for (size_t i = 0; i < self->thing_count; ++i) {
        pose_thing(self, &self->things[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Things

// Every third one is a plank. Radii are log-uniform, nearly: one octave is as likely as the next.
static void shape_thing(surface *self, surface_thing *thing, bool is_plank, rng *random) {
    const double stone[3] = {1, 0.7 + 0.3 * rng_unit(random), 0.7}, plank[3] = {2, 0.3, 0.06};
    const double *size = is_plank ? plank : stone;
    double facing[3];
    rng_direction(random, 2, facing);
    for (size_t i = thing->first_vertex; i < self->vertex_count; ++i) {
        double *place = self->rest[i];
        const double bump = 1 + relief_at(&self->relief, place);
        const double x = thing->radius * bump * size[0] * place[0], y = thing->radius * bump * size[1] * place[1];
        place[0] = facing[0] * x - facing[1] * y;
        place[1] = facing[1] * x + facing[0] * y;
        place[2] = thing->radius * size[2] * (bump * place[2] + 0.8); // a fifth is below the ground
    }
}

// On a lattice, with much freedom.
static void place_thing(surface_thing *thing, size_t index, size_t count, rng *random) {
    const size_t edge = (size_t)ceil(sqrt((double)count)), row = index / edge;
    thing->home[0] = ((double)(index % edge) + rng_unit(random)) / (double)edge;
    thing->home[1] = ((double)row + rng_unit(random)) / (double)edge;
    thing->phase = rng_unit(random);
}

// The mean square of the radii is 0.21 for smallest = 0.1 and largest = 1.
static double largest_radius(size_t count) {
    return sqrt(COVERED / (3.14159 * 0.21 * (double)count));
}

static void add_thing(surface *self, size_t index, size_t triangles, rng *random) {
    surface_thing *thing = &self->things[index];
    thing->first_vertex = self->vertex_count;
    thing->radius = largest_radius(self->thing_count) * real_power(SMALLEST, rng_unit(random));
    place_thing(thing, index, self->thing_count, random);
    surface_add_ball(self, triangles, 0.5, random);
    thing->vertex_count = self->vertex_count - thing->first_vertex;
    shape_thing(self, thing, index % 3 == 0, random);
}

static void add_things(surface *self, size_t triangles, rng *random) {
    const size_t count = triangles / TRIANGLES_EACH + 1;
    self->things = calloc(count, sizeof *self->things);
    self->is_short_of_memory = self->is_short_of_memory || !self->things;
    self->thing_count = count;
    for (size_t i = 0; i < count && !self->is_short_of_memory; ++i) {
        const size_t from = i * triangles / count, to = (i + 1) * triangles / count;
        add_thing(self, i, to - from, random);
    }
}

// ---------------------------------------------------------------------------------------------------------------------

const char *build_terrain(scene *self, const scene_options *options) {
    surface *made = surface_begin(self, pose_terrain, 2, HEIGHT);
    if (made) {
        self->first_count = self->finite_count / 2;
        surface_add_uneven_sheet(made, self->first_count, 1, 0.97, &self->random);
        made->second_vertex = made->vertex_count;
        add_things(made, self->finite_count - self->first_count, &self->random);
    }
    return surface_end(self, options->motion);
}
