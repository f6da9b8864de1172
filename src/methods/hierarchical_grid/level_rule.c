// The rule of Schornbaum's hierarchical hash grids: level k has cells of c0 * factor^k, c0 = sqrt(factor) * size of the
// first object, holds the sizes in [cell / factor, cell), and exists when an object needs it. A grid begins with
// config.grid_size cells and is doubled along each axis while it holds more than config.grid_load objects per cell.
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009, sections 3.3 and 3.4.
#include "base/boxes.h"
#include "methods/hierarchical_grid/levels.h"

#include <string.h>

bp_level_rule bp_level_rule_for(const bp_config *config, float first) {
    const double factor = config->hierarchy_factor > 0.0f ? (double)config->hierarchy_factor : 2.0;
    const double given = (double)config->cell_size;
    return (bp_level_rule){.first_cell = given > 0.0 ? given : (double)first * sqrt(factor), .factor = factor};
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

void bp_grid_bits(const bp_config *config, uint32_t bits[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t size = config->grid_size[axis] != 0 ? config->grid_size[axis] : 16;
        bits[axis] = 0;
        while (1u << bits[axis] < size) {
            ++bits[axis];
        }
    }
    if (config->dimensions == 2) {
        bits[2] = 0;
    }
}

static bp_level level_of_rule(const bp_config *config, double cell) {
    bp_level level = {0};
    for (int axis = 0; axis < 3; ++axis) {
        level.fit[axis] = (float)fmin(BP_CELL_FILL * cell, (double)FLT_MAX);
        level.inverse[axis] = 1.0 / cell;
    }
    bp_grid_bits(config, level.bits);
    return level;
}

// Finds the level for a size, or makes it: levels are in ascending order of their cells.
static bp_level *level_for_size(bp_levels *levels, const bp_config *config, const bp_level_rule *rule, float size) {
    size_t at = 0;
    while (at < levels->count && !(size < bp_level_at(levels, at)->fit[0])) {
        ++at;
    }
    const bp_level level = level_of_rule(config, bp_level_rule_cell(rule, bp_level_rule_index(rule, size)));
    if (at < levels->count && bp_level_at(levels, at)->fit[0] <= level.fit[0]) {
        return bp_level_at(levels, at);
    }
    if (!bp_levels_append(levels, config, &level)) {
        return NULL;
    }
    bp_level *place = bp_level_at(levels, at);
    memmove(place + 1, place, (levels->count - 1 - at) * sizeof *place);
    *place = level;
    return place;
}

bp_status bp_levels_plan_by_rule(bp_levels *levels, const bp_config *config, const bp_box *boxes, size_t count) {
    bp_level_rule rule = {0};
    bp_level *last = NULL;
    double below = 0.0; // sizes from here on do not fit the level under the last
    for (size_t i = 0; i < count; ++i) {
        const float size = bp_fit_size(&boxes[i], config->dimensions);
        if (!(size <= FLT_MAX) || bp_box_is_hole(&boxes[i])) {
            continue;
        }
        if (rule.factor == 0.0) {
            rule = bp_level_rule_for(config, size);
        }
        if (last == NULL || !(size < last->fit[0]) || (double)size < below) {
            last = level_for_size(levels, config, &rule, size);
            if (last == NULL) {
                return BP_ERROR_MEMORY;
            }
            below = (double)last->fit[0] / rule.factor;
        }
        ++last->count;
    }
    for (size_t i = 0; i < levels->count; ++i) {
        bp_level *level = bp_level_at(levels, i);
        while ((double)level->count > (double)config->grid_load * (double)bp_level_cells(level)) {
            for (int axis = 0; axis < (int)config->dimensions; ++axis) {
                ++level->bits[axis];
            }
        }
    }
    return BP_OK;
}
