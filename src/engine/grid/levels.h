// Levels: grids with cells of different sizes, for objects of different sizes.
//
//     sizes   | .. . .  .        |            | o   O  |        histogram of a sample, in octaves
//     levels  |---- level 0 -----|            |-- 1 ---|        intervals of it, chosen by a cost model
//
// The choice of levels only affects the speed of the search, never its result: an object that fits no level is tested
// against all others.
#ifndef BP_LEVELS_H
#define BP_LEVELS_H

#include "base/cells.h"
#include "base/memory.h"
#include "engine/setup.h"

typedef struct bp_levels {
    bp_buffer buffer; // of bp_level, finest first
    size_t count;
    double cost; // of a search, per object, in units of one vector test, as foreseen; 0 if the levels were not planned
} bp_levels;

static inline bp_level *bp_level_at(const bp_levels *levels, size_t index) {
    return (bp_level *)levels->buffer.data + index;
}

// More cells would cost more memory and clearing than they save. A grid that would need more is folded.
enum { BP_CELLS_PER_OBJECT = 2 };

// Adds a level at the end. False if memory is short.
bool bp_levels_append(bp_levels *levels, const bp_allocator *allocator, const bp_level *level);

// Chooses levels for boxes[0 .. count): from their sizes, or by the rule of level_rule.h if the settings have a
// hierarchy_factor.
bp_status bp_levels_plan(bp_levels *levels, const bp_method_setup *setup, const bp_box *boxes, size_t count);

#endif
