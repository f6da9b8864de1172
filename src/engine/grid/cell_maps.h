// Maps of cells (base/cell_map.h) over two sets of boxes: which cells are taken, and which boxes can be left out
// because nothing of the other set is near.
//
//     bytes   | 0 1 0 0 0 0 1 0 | ...     one for each cell; several threads may write the same 1
//     bits    | 0 1 0 0 0 0 1 0 | ...     packed into words of 64 cells,
//     grown   | 1 1 1 0 0 1 1 1 | ...     and grown by a cell in all directions
#ifndef BP_CELL_MAPS_H
#define BP_CELL_MAPS_H

#include "base/cell_map.h"
#include "base/parallel.h"
#include "engine/setup.h"

// All zero is empty.
typedef struct bp_cell_maps {
    const bp_method_setup *setup;
    bp_cell_map map;
    bp_buffer bytes, bits, spare, tasks;
    uint64_t *words; // the packed bits, and one more word
} bp_cell_maps;

// Ids of boxes, in ascending order.
typedef struct bp_id_list {
    bp_buffer buffer;
    size_t count;
} bp_id_list;

static inline bp_box_list bp_id_list_boxes(const bp_id_list *list, const bp_box *boxes) {
    return (bp_box_list){.boxes = boxes, .ids = list->buffer.data, .count = list->count};
}

// What a pass over boxes finds out about them.
typedef struct bp_map_pass {
    bp_box_list list;
    const bp_box *limits; // boxes that do not overlap it are left out; NULL: none are,
    bp_box hull;          // result: and this is around them all
    double cells;         // result: how many cells they have, all in all
    bp_id_list *kept;     // result, unless NULL: those that may overlap something in the map,
    bp_id_list *large;    // and those that are larger than map.large, which are left out, too; NULL: none are
} bp_map_pass;

// A map of this region with cells of this size, or with larger ones, so that there are no more than `most` of them.
void bp_cell_map_plan(bp_cell_map *map, uint32_t dimensions, const bp_box *region, double cell, double most);

// Empties the map for another region.
bool bp_cell_maps_begin(bp_cell_maps *maps, const bp_cell_map *map);

// Marks the first cells of boxes that reach one more cell along each axis at most, and all cells of the others.
bool bp_cell_maps_mark_first(bp_cell_maps *maps, bp_map_pass *pass);

// Marks all cells of boxes.
bool bp_cell_maps_mark_all(bp_cell_maps *maps, bp_map_pass *pass);

// Packs what is marked into bits. Returns the number of cells.
size_t bp_cell_maps_pack(bp_cell_maps *maps);

// Grows the bits by one cell in all directions.
void bp_cell_maps_grow(bp_cell_maps *maps);

// Looks up boxes in the bits, which hold what mark_first has marked, and have grown: finds those that may overlap one
// of the boxes that were marked.
bool bp_cell_maps_select(bp_cell_maps *maps, bp_map_pass *pass);

void bp_cell_maps_free(bp_cell_maps *maps);
size_t bp_cell_maps_bytes(const bp_cell_maps *maps);

#endif
