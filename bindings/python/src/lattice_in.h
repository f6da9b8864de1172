// A cell that repeats, kinds and cutoffs, as Python gives them; and rows of images, as it gets them.
#ifndef BROADPHASE_PYTHON_LATTICE_IN_H
#define BROADPHASE_PYTHON_LATTICE_IN_H

#include "rows_in.h"

typedef struct lattice_rows {
    rows_in points, kinds, table;
    bp_lattice lattice; // points into these
    double radius;
} lattice_rows;

// All give false where an exception is set. What they have taken by then is released by lattice_release.

// Three lengths, three edges, or three lengths and three angles; NULL: none.
bool lattice_take_cell(lattice_rows *rows, PyObject *cell);
// One truth value, or one for each edge; NULL: all repeat, if there is a cell.
bool lattice_take_periodic(lattice_rows *rows, PyObject *periodic, bool has_cell);
// The kind of each point, and a table of cutoffs in place of the radius; NULL: a radius.
bool lattice_take_kinds(lattice_rows *rows, PyObject *kinds, PyObject *radius);
bool lattice_has_kinds_for(const lattice_rows *rows, size_t count);
// Adds flags for four truth values: distances, vectors, shifts, half. NULL: false.
bool lattice_take_flags(PyObject *const *truths, uint32_t *flags);
void lattice_release(lattice_rows *rows);

// (offsets, indices, distances, vectors, shifts): arrays that take over what was found.
PyObject *lattice_arrays_take(bp_neighbor_images *found);

#endif
