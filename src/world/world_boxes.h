// The boxes of a world, by id: as the caller passed them, and grown by the margin.
//
//                      without a margin              with a margin
//     32 bits          floats                        inputs, floats
//     64 bits          doubles, floats               inputs, doubles, floats
//
// `inputs` are the boxes as the caller passed them. `doubles` are grown by the margin. `floats` are the same, rounded
// outwards from 64 bits: the boxes of the methods, unless they need a view. A hole in `floats` is an id that is not
// alive.
//
// An object that moves inside its grown box needs no work in an update: that is an idle move. Of spheres, the sphere in
// the grown box must hold the one in the input box. Pairs are found among the spheres in grown boxes, by a tolerant rule:
// so no pair is lost whose spheres overlap after idle moves, however the coordinates were rounded.
#ifndef BP_WORLD_BOXES_H
#define BP_WORLD_BOXES_H

#include "base/boxes.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "view/input.h"

// The smallest box of floats that holds a box.
static inline bp_box bp_box_round_outwards(const bp_box_double *box) {
    bp_box rounded;
    for (int axis = 0; axis < 3; ++axis) {
        rounded.min[axis] = bp_round_down(box->min[axis]);
        rounded.max[axis] = bp_round_up(box->max[axis]);
    }
    return rounded;
}

typedef struct bp_world_boxes {
    const bp_overlap_rule *rule; // margin, shape, dimensions
    bp_buffer floats;            // of bp_box
    bp_buffer doubles;           // of bp_box_double, if `is_double`
    bp_buffer inputs;            // of bp_box, or of bp_box_double if `is_double`; only with a margin
    bp_buffer claims;            // of uint32_t, by id: only where several threads move objects by their ids
    bool is_double;              // boxes are kept in 64 bits
    bool is_fitted;              // no object has moved inside its margin since all margins were renewed
} bp_world_boxes;

bp_world_boxes bp_world_boxes_begin(const bp_overlap_rule *rule);
void bp_world_boxes_free(bp_world_boxes *boxes, const bp_allocator *allocator);

// Makes room for `id_count` ids, of which the first `used` are in use. False if memory is short. The floats may have
// moved in memory in either case.
bool bp_world_boxes_reserve(bp_world_boxes *boxes, const bp_allocator *allocator, size_t used, size_t id_count);

// Gives back the room beyond `id_count` ids. The floats may have moved in memory.
void bp_world_boxes_trim(bp_world_boxes *boxes, const bp_allocator *allocator, size_t id_count);

// From now on boxes are kept in 64 bits. False if memory is short: then nothing has changed.
bool bp_world_boxes_make_double(bp_world_boxes *boxes, const bp_allocator *allocator, size_t id_count);

// Bytes held, without the boxes that methods use.
size_t bp_world_boxes_bytes(const bp_world_boxes *boxes);

// ---- writing --------------------------------------------------------------------------------------------------------

// Sets the box of an object to box `index` of the input.
void bp_world_boxes_put(bp_world_boxes *boxes, bp_id id, const bp_input *input, size_t index);

// The same for many boxes at once, in 32 bits; with a margin, for all of them. `ids` may be NULL: 0, 1, 2, ...
void bp_world_boxes_put_many(bp_world_boxes *boxes, const bp_input *input, const bp_id *ids, size_t id_count,
                             const bp_runtime *runtime);

// Removes the box of an object: its id becomes a hole.
void bp_world_boxes_clear(bp_world_boxes *boxes, bp_id id);

// Whether a move to box `index` of the input is idle, so that it only has to be noted: the box is the same, or it lies
// inside the grown one.
bool bp_world_boxes_is_idle_move(const bp_world_boxes *boxes, bp_id id, const bp_input *input, size_t index);

// Notes such a box, where there is a margin.
void bp_world_boxes_note_idle_move(bp_world_boxes *boxes, bp_id id, const bp_input *input, size_t index);

// Gives all objects new enlarged boxes.
void bp_world_boxes_refit(bp_world_boxes *boxes, size_t id_count);

// Sets a grown box. False if the input box is not inside it: then nothing has changed. A sphere whose grown sphere would
// not hold it (older versions saved such boxes) keeps the grown box that it has.
bool bp_world_boxes_put_grown(bp_world_boxes *boxes, bp_id id, const bp_box_double *grown);

// ---- reading --------------------------------------------------------------------------------------------------------

static inline bool bp_world_boxes_have_margin(const bp_world_boxes *boxes) {
    return boxes->rule->margin > 0.0f;
}

static inline const bp_box *bp_world_boxes_floats(const bp_world_boxes *boxes) {
    return boxes->floats.data;
}

// The input box of an object.
bp_box_double bp_world_boxes_input(const bp_world_boxes *boxes, bp_id id);

// The grown box of an object, as it was when the margin was last renewed.
bp_box_double bp_world_boxes_grown(const bp_world_boxes *boxes, bp_id id);

// All grown boxes, for a view. Holes are boxes of NaNs.
bp_input bp_world_boxes_all_grown(const bp_world_boxes *boxes, size_t id_count);

#endif
