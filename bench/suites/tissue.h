// Bodies of tetrahedra that touch and deform: the three test scenes of Gissler et al., Table 1, built in code.
//
//   stacking   20 membranes that fall onto each other. Exactly that of the paper: 10 x 10 x 1 cubes each, 5 tetrahedra
//              a cube, have its numbers of points, edges, triangles and tetrahedra
//   eye        orbit, tissue, four muscles, bulb, nerve and a titanium mesh, nested
//   skull      soft tissue, cranium, upper jaw, and a lower jaw that is moved, nested
//
// The organs of the last two are not published; these are shells, rods and plates with about as many elements, in
// contact from the first step to the last. The same scene has the same bytes on every machine.
#ifndef BENCH_TISSUE_H
#define BENCH_TISSUE_H

#include <broadphase/broadphase.h>

typedef enum tissue_part {
    TISSUE_POINTS,
    TISSUE_EDGES,
    TISSUE_TRIANGLES, // of the surface
    TISSUE_TETRAHEDRA,
    TISSUE_PARTS
} tissue_part;

typedef struct tissue tissue;

// Each element is cut into `fineness` per axis. `stacked` is the share of the membranes that have landed; other scenes
// ignore it. NULL: no such scene.
tissue *tissue_create(const char *name, uint32_t fineness, double stacked);
void tissue_destroy(tissue *self);

// The share of the membranes that have landed from the next step on.
void tissue_stack(tissue *self, double stacked);

// One step: everything deforms by a few hundredths of an edge.
void tissue_step(tissue *self);

size_t tissue_count(const tissue *self, tissue_part part);
// In the order of the mesh: body after body, row after row. The array keeps its address; its contents change with each
// step.
const bp_box *tissue_boxes(const tissue *self, tissue_part part);
// The points of an element: as many as its kind has corners.
const uint32_t *tissue_corners(const tissue *self, tissue_part part, size_t index);
// Where a point is in this step.
const double *tissue_place(const tissue *self, uint32_t point);
// Which body an element is of.
uint32_t tissue_body_of(const tissue *self, tissue_part part, size_t index);
// The mean length of the edges: the paper's cell size (section 4).
double tissue_edge_length(const tissue *self);
// How many elements the paper's scene has; 0: no such scene.
size_t tissue_paper_count(const char *name, tissue_part part);

#endif
