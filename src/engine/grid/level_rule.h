// The level rule of Schornbaum (2009): level k has cells of c0 * factor^k and holds the sizes in [cell / factor, cell).
#ifndef BP_LEVEL_RULE_H
#define BP_LEVEL_RULE_H

#include "engine/grid/levels.h"

typedef struct bp_level_rule {
    double first_cell; // c0
    double factor;
} bp_level_rule;

// `first_size` is the size of the first object. It decides c0 if the settings do not.
bp_level_rule bp_level_rule_for(const bp_method_settings *settings, float first_size);

// The k of the level for objects of this size.
int bp_level_rule_index(const bp_level_rule *rule, float size);

// The edge of the cells of level k.
double bp_level_rule_cell(const bp_level_rule *rule, int index);

// Cells per axis of a new level, as bits.
void bp_level_rule_bits(const bp_method_settings *settings, uint32_t dimensions, uint32_t bits[3]);

// Adds the levels that boxes[0 .. count) need by the rule. `levels` is empty before.
bp_status bp_level_rule_plan(bp_levels *levels, const bp_method_setup *setup, const bp_box *boxes, size_t count);

#endif
