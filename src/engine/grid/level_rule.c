// The level rule of Schornbaum (2009): level k has cells of c0 * factor^k, c0 = sqrt(factor) * size of the first
// object, holds the sizes in [cell / factor, cell), and is made when an object needs it. A level begins with
// settings.grid_size cells and is doubled along each axis while it holds more than settings.grid_load objects per cell.
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009, sections 3.3 and 3.4.
#include "engine/grid/level_rule.h"

#include "base/boxes.h"

#include <string.h>

bp_level_rule bp_level_rule_for(const bp_method_settings *settings, float first_size) {
    const double factor = settings->hierarchy_factor > 0.0f ? (double)settings->hierarchy_factor : 2.0;
    const double cell_size = (double)settings->cell_size;
    return (bp_level_rule){.first_cell = cell_size > 0.0 ? cell_size : (double)first_size * sqrt(factor),
                           .factor = factor};
}

double bp_level_rule_cell(const bp_level_rule *rule, int index) {
    return rule->first_cell * pow(rule->factor, (double)index);
}

int bp_level_rule_index(const bp_level_rule *rule, float size) {
    int index = (int)ceil(log((double)size / rule->first_cell) / log(rule->factor));
    while (!((double)size < BP_CELL_FILL * bp_level_rule_cell(rule, index))) {
        ++index;
    }
    while ((double)size < BP_CELL_FILL * bp_level_rule_cell(rule, index - 1)) {
        --index;
    }
    return index;
}

void bp_level_rule_bits(const bp_method_settings *settings, uint32_t dimensions, uint32_t bits[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t size = settings->grid_size[axis] != 0 ? settings->grid_size[axis] : 16;
        bits[axis] = 0;
        while (1u << bits[axis] < size) {
            ++bits[axis];
        }
    }
    if (dimensions == 2) {
        bits[2] = 0;
    }
}

// Finds the level for a size, or makes it: levels are in ascending order of their cells. NULL if memory is short.
static bp_level *find_or_make_level(bp_levels *levels, const bp_method_setup *setup, const bp_level_rule *rule,
                                    float size) {
    size_t at = 0;
    while (at < levels->count && !(size < bp_level_at(levels, at)->fit[0])) {
        ++at;
    }
    const double cell = bp_level_rule_cell(rule, bp_level_rule_index(rule, size));
    bp_level level = {0};
    for (int axis = 0; axis < 3; ++axis) {
        level.fit[axis] = (float)fmin(BP_CELL_FILL * cell, (double)FLT_MAX);
        level.inverse[axis] = 1.0 / cell;
    }
    bp_level_rule_bits(&setup->settings, setup->dimensions, level.bits);
    if (at < levels->count && bp_level_at(levels, at)->fit[0] <= level.fit[0]) {
        return bp_level_at(levels, at);
    }
    if (!bp_levels_append(levels, &setup->runtime.allocator, &level)) {
        return NULL;
    }
    bp_level *place = bp_level_at(levels, at);
    memmove(place + 1, place, (levels->count - 1 - at) * sizeof *place);
    *place = level;
    return place;
}

bp_status bp_level_rule_plan(bp_levels *levels, const bp_method_setup *setup, const bp_box *boxes, size_t count) {
    bp_level_rule rule = {0};
    bp_level *last = NULL; // the level of the box before: the next one often belongs to it, too
    double smallest = 0.0; // size of that level
    for (size_t i = 0; i < count; ++i) {
        const float size = bp_fit_size(&boxes[i], setup->dimensions);
        if (!(size <= FLT_MAX) || bp_box_is_hole(&boxes[i])) {
            continue;
        }
        if (rule.factor == 0.0) {
            rule = bp_level_rule_for(&setup->settings, size);
        }
        if (last == NULL || !(size < last->fit[0]) || (double)size < smallest) {
            last = find_or_make_level(levels, setup, &rule, size);
            if (last == NULL) {
                return BP_ERROR_MEMORY;
            }
            smallest = (double)last->fit[0] / rule.factor;
        }
        ++last->count;
    }
    // The cells are doubled along each axis until there are enough for the boxes of the level, or more than can be numbered.
    for (size_t i = 0; i < levels->count; ++i) {
        bp_level *level = bp_level_at(levels, i);
        while (bp_level_cells(level) < UINT32_MAX &&
               (double)level->count > (double)setup->settings.grid_load * (double)bp_level_cells(level)) {
            for (uint32_t axis = 0; axis < setup->dimensions; ++axis) {
                ++level->bits[axis];
            }
        }
    }
    return BP_OK;
}
