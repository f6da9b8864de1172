// The boxes of a world: as they are given, and as methods see them.
//
//                      without a margin              with one
//     32 bits          boxes                         given, boxes
//     64 bits          wide_boxes, boxes             given, wide_boxes, boxes
//
// `boxes` is what methods see (through a view, where that is needed): grown by the margin, and rounded outwards from 64
// bits. A hole there is an id that is not alive.
#ifndef BP_WORLD_BOXES_H
#define BP_WORLD_BOXES_H

#include "world/world.h"

// Makes room for `id_count` ids.
bool bp_world_reserve_boxes(bp_world *world, size_t id_count);

// From now on boxes are kept in 64 bits. False if memory is short: then nothing has changed.
bool bp_world_widen(bp_world *world);

// The box of an object is from now on box `index` of what was given. The change has been marked.
void bp_world_put_box(bp_world *world, bp_id id, const bp_given *given, size_t index);

// The id has no object, from now on or until it gets one.
void bp_world_clear_box(bp_world *world, bp_id id);

// A box that leaves nothing to do but to note it: the same, or one inside the box that was grown by the margin.
bool bp_world_is_idle_move(const bp_world *world, bp_id id, const bp_given *given, size_t index);
void bp_world_note_idle_move(bp_world *world, bp_id id, const bp_given *given, size_t index);

// The box that an object moves in: the one that was given, grown by the margin when that was due.
bp_box_double bp_world_grown_box(const bp_world *world, bp_id id);
// Sets it. False if it does not hold the box that was given: then nothing has changed.
bool bp_world_put_grown_box(bp_world *world, bp_id id, const bp_box_double *grown);

// Many boxes at once, in 32 bits; with a margin, all of them. `ids` may be NULL: 0, 1, 2, ...
void bp_world_put_many(bp_world *world, const bp_given *given, const bp_id *ids);

#endif
