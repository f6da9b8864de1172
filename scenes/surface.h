// Surfaces of triangles, whose boxes a scene gives away. Internal to scenes/.
//
//     surface.c        meshes: rows of vertices, and the triangles between two rows
//     surface_shapes.c what bends them: sums of waves
//     surface_scenes.c scans and cloth
//     terrain_scene.c  a terrain and the things that lie on it
//
// A surface is as fine as its number of triangles allows. Its rows have different numbers of vertices, and vertices lie
// somewhat beside their regular places, so that no two triangles are alike:
//
//     row 2    +-----+-----+-----+-----+-----+
//             / \   / \   / \   / \   / \   / \        between rows of p and q edges: p + q triangles
//     row 1  +---+-----+----+----+----+----+---+
//
// Where vertices are depends on the time: a scene keeps what it needs to know of each vertex (`rest`), and its `pose`
// computes all places anew at each step, so that a surface never drifts away.
#ifndef BP_SCENE_SURFACE_H
#define BP_SCENE_SURFACE_H

#include "scene_parts.h"

static const double TURN = 6.283185307179586; // in radians

// A sum of waves: a * sine(direction * p + phase), in turns.
typedef struct surface_wave {
    double direction[3]; // as long as there are waves for each unit of length
    double phase, amplitude;
} surface_wave;

enum { RELIEF_WAVES = 18 };
typedef struct surface_relief {
    surface_wave waves[RELIEF_WAVES];
} surface_relief;

// Something that lies on a terrain.
typedef struct surface_thing {
    size_t first_vertex, vertex_count;
    double home[2]; // it circles around
    double radius;
    double phase;
} surface_thing;

typedef struct surface {
    double (*rest)[3];
    float (*vertices)[3]; // where they are now
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count, vertex_room, triangle_room;
    bool is_short_of_memory;
    void (*pose)(struct surface *self); // from `rest` and `turns` to `vertices`
    double turns;                       // the time: how far waves have run
    double turns_per_step;
    size_t second_vertex; // the first of the second part
    surface_relief relief;
    surface_thing *things;
    size_t thing_count;
} surface;

// A builder begins with an empty surface that belongs to the scene (NULL: out of memory) and has a relief of its own,
// adds to it, and ends with its first pose. It returns what the end returns: NULL, or an error. A vertex moves about
// `motion` times the mean edge in a step, at most.
surface *surface_begin(scene *self, void (*pose)(surface *), uint32_t relief_dimensions, double relief_height);
const char *surface_end(scene *self, double motion);
void surface_free(surface *self);
// One step in time.
void surface_step(surface *self);
// All boxes, one for each triangle.
void surface_boxes(const surface *self, bp_box *boxes);

// Both add exactly `count` triangles (and few vertices where there are few) behind what is there.
//
// A sheet; `rest` is u, v, 0 with u and v about in 0 .. 1: the place along the row, and the row's. There are `ratio`
// times as many rows as edges in each; at most 1.
void surface_add_sheet(surface *self, size_t count, double ratio, rng *random);
// The unit sphere; `rest` is a place on it. Triangles are of about the same size, up to the angle `end` from the top, in
// turns (1/2: all around). What is left is closed by a fan of long ones.
void surface_add_ball(surface *self, size_t count, double end, rng *random);
// A sheet of which one triangle in a thousand has corners that are far apart, and that is finer in its middle than at
// its border: the steps along each axis go from 1 - a to 1 + a.
void surface_add_uneven_sheet(surface *self, size_t count, double ratio, double a, rng *random);

// ---- surface_shapes.c -----------------------------------------------------------------------------------------------

// Waves in random directions: a few long ones with the amplitude `height`, and shorter ones that are less high, down to
// a 32nd of their length. In two dimensions they run along x and y.
surface_relief relief_draw(rng *random, uint32_t dimensions, double height);
double relief_at(const surface_relief *self, const double place[3]);
// Moves a place by waves that run through space. Each vertex goes there and back, at most `height` along each axis.
void sway(double place[3], double turns, double height);

#endif
