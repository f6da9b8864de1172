// Candidate pairs of a scene by the rules of Koch 2020, whatever our structures do: what an implementation that follows
// that work to the letter would test. An object is a point, the centre of its box; walls, which follow the finite boxes,
// are tested against all of them.
#ifndef KOCH_RULES_H
#define KOCH_RULES_H

#include <broadphase/broadphase.h>

#include <stddef.h>
#include <stdint.h>

typedef struct koch_scene {
    const bp_box *boxes;
    size_t finite, walls;
} koch_scene;

// Section 2.2: the own cell and 13 of the 26 around it, in a domain of `extent`^3 from the origin.
uint64_t koch_count_linked_cells(koch_scene scene, double extent, double cell);

// Section 2.6: on its own grid the same, cells folded to size^3; on each coarser grid all 27 cells. The hierarchy factor
// is 2, and grids never grow.
uint64_t koch_count_hash_grid(koch_scene scene, uint32_t size);

#endif
