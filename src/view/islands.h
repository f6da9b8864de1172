// Islands side by side. Objects of different islands never pair, and often thousands of islands are at one place: copies of an
// environment in which something is learnt. A search sees each of them in a slot of its own:
//
//     the view's boxes                 | aA bB cC |          all at one place, or anywhere
//     what the method gets      | aA |      | bB |      | cC |      ... in as many rows and layers as there are slots in a row
//
// Each axis of an island is mapped by one monotone function: minus the island's centre, clamped to the slot, plus the slot's
// origin; each step may round. So boxes that overlap still do, no island reaches another one's slot, and what is infinite or
// has fallen far away ends where its slot ends. Pairs that overlap only here are dropped later (pair_filter.h).
//
// Where that would let too many boxes coincide that are apart (they lie beyond their slot, or are too small for the floats
// there), coordinates become ranks before (view_ranks.c): then every slot is as long as all ranks, and nothing is clamped.
//
// Cost: one pass over the boxes. Islands are numbered when objects have changed, by a radix sort of runs of equal ones.
#ifndef BP_ISLANDS_H
#define BP_ISLANDS_H

#include "engine/changes.h"
#include "view/view.h"

enum { BP_ISLAND_FACES = 24 };

// All zero is a world without islands.
typedef struct bp_islands {
    size_t count;   // different islands of objects alive
    bool are_apart; // there are several, so `boxes` are not the view's
    const bp_box *boxes;
    size_t box_count;
    bool are_placed;      // slots and centres are known
    bool are_ranks;       // they are for ranks
    uint32_t ranked_left; // for so many more updates there have to be ranks
    // Of a slot, for the faces of a few boxes: lower ones along x, y, z, upper ones, lower ones ...
    float half[BP_ISLAND_FACES];
    float small[BP_ISLAND_FACES]; // shorter boxes are too small for the floats
    double crowd_most;            // a larger crowd (islands.c) has to be placed anew
    bp_buffer numbers;            // of uint32_t, by id: 0 .. count-1, by value
    bp_buffer values, lost;       // of uint32_t, by number
    bp_buffer slots, members;     // by number
    bp_buffer moved;              // of bp_box: `boxes`
    bp_buffer keys;               // scratch
} bp_islands;

void bp_islands_free(bp_islands *islands, const bp_allocator *allocator);
size_t bp_islands_bytes(const bp_islands *islands);

// Numbers the islands of the objects alive, after objects have come, gone or changed; boxes are by id, and `objects` may be
// NULL. Decides whether they are apart from now on: not if the view keeps its place in space. False if memory is short.
bool bp_islands_number(bp_islands *islands, const bp_view *view, const bp_object *objects, const bp_box *boxes,
                       size_t id_count);

// Makes the view of an input, and from that the boxes that the method gets. *changes, if not NULL, are all changes of the input
// since the last time; where other boxes may have changed, too, *changes becomes NULL. After a failure, which is one of
// bp_view_make, they have to be NULL the next time.
bp_status bp_islands_make(bp_islands *islands, bp_view *view, bp_input input, const bp_changes **changes);

#endif
