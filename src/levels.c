// How many levels, and which cells?
//
// Two answers. With config.hierarchy_factor the rule of Schornbaum's hierarchical hash grids: level k has cells of
// c0 * factor^k, c0 = sqrt(factor) * size of the first object, and exists when an object needs it. Without, a cost
// model decides, because with vectors levels are not free (one level for sizes 1:12 beats four levels of factor 2 by
// more than two): objects are sampled, their sizes sorted into octaves, and a dynamic programme cuts the octaves into
// levels such that the estimated work is least:
//
//     work of a level = its objects * (ranges inside + candidates / 8) + all finer objects * (ranges across + ...)
//
// The cells of a level are found by trying a few dozen sizes in the same model. Sources: F. Schornbaum, "Hierarchical
// Hash Grids for Coarse Collision Detection", 2009, sections 3.3 and 4.2; measurements in docs/performance.md.
#include "levels.h"

#include "boxes.h"

#include <float.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SAMPLE = 2048,    // objects looked at
    OCTAVES = 256,    // exponents of a float
    OCTAVES_MAX = 32, // kept apart by the dynamic programme
    LEVELS_ABOVE = 3, // for objects that are larger than any in the sample
    CLUMP_BITS = 4,   // the scene is cut into 16^3 to see whether objects clump
    CLUMP_CELLS = 1 << (3 * CLUMP_BITS)
};

// ---- the sample -----------------------------------------------------------------------------------------------------

// Objects of similar size.
typedef struct group {
    double count;          // objects, as estimated from the sample
    float low[3], high[3]; // bounds of their min corners
    float largest[3];      // extents
    double sum[3];         // of extents
} group;

static float smaller(float a, float b) {
    return a < b ? a : b;
}

static float larger(float a, float b) {
    return a > b ? a : b;
}

static group group_empty(void) {
    return (group){.low = {FLT_MAX, FLT_MAX, FLT_MAX}, .high = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

static void group_merge(group *into, const group *from) {
    into->count += from->count;
    for (int axis = 0; axis < 3; ++axis) {
        into->low[axis] = smaller(into->low[axis], from->low[axis]);
        into->high[axis] = larger(into->high[axis], from->high[axis]);
        into->largest[axis] = larger(into->largest[axis], from->largest[axis]);
        into->sum[axis] += from->sum[axis];
    }
}

// False if the box is a hole, infinite, or so large that its extent overflows.
static bool group_of_box(const bp_box *given, uint32_t dimensions, double weight, group *one, float *size) {
    const bp_box box = bp_box_flatten(*given, dimensions);
    *one = group_empty();
    one->count = weight;
    *size = FLT_MIN;
    for (int axis = 0; axis < 3; ++axis) {
        const float extent = bp_fit_extent(box.min[axis], box.max[axis]);
        if (!(extent <= FLT_MAX)) {
            return false;
        }
        one->low[axis] = box.min[axis];
        one->high[axis] = box.min[axis];
        one->largest[axis] = extent;
        one->sum[axis] = weight * (double)extent;
        *size = larger(*size, extent);
    }
    return true;
}

// How much denser than evenly spread the objects lie, as an object sees it: 1 if evenly, more if they clump.
static double clumping(const group *all, const bp_box *boxes, size_t count, size_t stride, uint32_t dimensions) {
    uint16_t cells[CLUMP_CELLS] = {0};
    double sampled = 0.0;
    double sum = 0.0;
    for (size_t i = 0; i < count; i += stride) {
        group one;
        float size = 0.0f;
        if (!group_of_box(&boxes[i], dimensions, 1.0, &one, &size)) {
            continue;
        }
        size_t cell = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double span = (double)all->high[axis] - (double)all->low[axis];
            const double part = span > 0.0 ? ((double)one.low[axis] - (double)all->low[axis]) / span : 0.0;
            cell = cell << CLUMP_BITS | (size_t)(part * ((1 << CLUMP_BITS) - 0.001));
        }
        sum += cells[cell]++;
        sampled += 1.0;
    }
    if (sampled < 2.0) {
        return 1.0;
    }
    double spread = 1.0; // cells the objects could use
    for (int axis = 0; axis < 3; ++axis) {
        spread *= all->high[axis] > all->low[axis] ? 1 << CLUMP_BITS : 1;
    }
    const double ratio = 2.0 * sum / (sampled * (sampled - 1.0)) * spread;
    return ratio > 1.0 ? ratio : 1.0;
}

// ---- the cost model -------------------------------------------------------------------------------------------------

// In units of one vector test; measured on Zen 4 with AVX2, and not critical.
static const double COST_OBJECT = 2.8, COST_LONG = 1.6, COST_ACROSS = 2.5, COST_CELL = 0.1, VECTOR = 8.0;

// Objects may be larger than the largest of the sample: a little, or up to this factor for each level above.
static const double SLACK = 1.0625, OVERSIZE = 8.0;

// More cells would cost more memory and clearing than they save; beyond this the grid is folded.
static const double CELLS_PER_OBJECT = 2.0;

static double span_of(const group *g, int axis) {
    return (double)g->high[axis] - (double)g->low[axis] + (double)g->largest[axis];
}

// The cells of a level, as they will be: powers of two per axis, and not too many.
typedef struct cells {
    double size[3];
    uint32_t bits[3];
    double fold; // cells of the scene that share one of the grid
} cells;

// An axis of two or three cells would meet itself on the other side; along x ranges may be up to five cells long.
static const uint32_t FEWEST_BITS[3] = {4, 2, 2};

static uint32_t nearest_bits(double wanted, uint32_t fewest) {
    uint32_t bits = 0;
    while (bits < 20 && wanted > 1.4142 * (double)(1u << bits)) {
        ++bits;
    }
    return bits > 0 && bits < fewest ? fewest : bits;
}

// Halves the longest axis until there are no more cells than `most`.
static void limit_cells(uint32_t bits[3], double most) {
    while (ldexp(1.0, (int)(bits[0] + bits[1] + bits[2])) > most) {
        int longest = -1;
        for (int axis = 0; axis < 3; ++axis) {
            if (bits[axis] > FEWEST_BITS[axis] && (longest < 0 || bits[axis] > bits[longest])) {
                longest = axis;
            }
        }
        if (longest < 0) {
            return;
        }
        --bits[longest];
    }
}

static cells cells_of_size(const group *g, const double wanted[3]) {
    cells c = {.fold = 1.0};
    for (int axis = 0; axis < 3; ++axis) {
        c.bits[axis] = nearest_bits(span_of(g, axis) / wanted[axis], FEWEST_BITS[axis]);
    }
    const uint32_t sum = c.bits[0] + c.bits[1] + c.bits[2];
    limit_cells(c.bits, fmax(CELLS_PER_OBJECT * g->count, 256.0));
    const bool limited = c.bits[0] + c.bits[1] + c.bits[2] < sum;
    for (int axis = 0; axis < 3; ++axis) {
        const double exact = span_of(g, axis) / (double)(1u << c.bits[axis]); // what just needs no folding
        c.size[axis] = limited || exact < wanted[axis] ? wanted[axis] : exact;
        c.fold *= fmax(1.0, exact / c.size[axis]);
    }
    return c;
}

typedef struct estimate {
    double inside; // per object of the level
    double across; // per object of a finer level
    cells cells;
} estimate;

static double part_of(double width, double span) {
    return width < span ? width / span : 1.0;
}

// A range with so many candidates on average: one vector always, more only if by chance it is longer.
static double cost_of_range(double candidates) {
    const double squared = candidates * candidates;
    return 1.0 + COST_LONG * candidates / VECTOR * squared / (squared + VECTOR * VECTOR);
}

// The candidates along a stretch of a row: those that are near, and strangers that the folding brings there.
static double candidates_along(const group *g, double clump, const cells *c, double width) {
    double near = g->count * clump * part_of(width, span_of(g, 0));
    for (int axis = 1; axis < 3; ++axis) {
        near *= part_of(c->size[axis], span_of(g, axis));
    }
    const double count = ldexp(1.0, (int)(c->bits[0] + c->bits[1] + c->bits[2]));
    const double strangers = g->count / count * (1.0 - 1.0 / c->fold) * width / c->size[0];
    return fmin(g->count, near + strangers);
}

// What a level of about these cells would cost.
static estimate estimate_cells(const group *g, double clump, const double wanted[3]) {
    const cells c = cells_of_size(g, wanted);
    double cross[3], rows_above = 1.0;
    for (int axis = 1; axis < 3; ++axis) {
        cross[axis] = c.bits[axis] > 0 ? part_of(g->sum[axis] / g->count, c.size[axis]) : 0.0;
        rows_above *= 1.0 + (c.bits[axis] > 0 ? part_of((double)g->largest[axis], c.size[axis]) : 0.0);
    }
    const double mean = g->sum[0] / g->count, reach = (double)g->largest[0];
    const double own = candidates_along(g, clump, &c, mean + 0.5 * c.size[0]);
    const double beside = candidates_along(g, clump, &c, mean + reach + c.size[0]);
    const double above = candidates_along(g, clump, &c, reach + c.size[0]);
    const double rows = cross[1] + cross[2] * (2.0 + cross[1]);
    const double count = ldexp(1.0, (int)(c.bits[0] + c.bits[1] + c.bits[2]));
    return (estimate){
        .inside = COST_OBJECT + cost_of_range(own) + rows * cost_of_range(beside) + COST_CELL * count / g->count,
        .across = 2.0 + rows_above * (COST_ACROSS + above / VECTOR),
        .cells = c,
    };
}

// The best cells for a level that `finer` objects search too: some multiple of the largest extents, or of a length
// that shortens towards them from the scene's own.
static estimate estimate_group(const group *g, double clump, double finer) {
    static const double along[] = {0.2501, 0.5005, 1.001, 2.0};
    static const double beside[] = {1.001, 1.5, 2.0, 3.0};
    double longest = 0.0, widest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        widest = fmax(widest, (double)g->largest[axis]);
        longest = fmax(longest, (double)g->high[axis] - (double)g->low[axis]);
    }
    estimate best = {.inside = DBL_MAX, .across = 0.0};
    double best_total = DBL_MAX;
    for (double least = 0.0; least <= longest; least = least == 0.0 ? fmax(widest * 2.0, longest * 0x1p-20) : least * 2.0) {
        for (size_t a = 0; a < sizeof along / sizeof along[0]; ++a) {
            for (size_t b = 0; b < sizeof beside / sizeof beside[0]; ++b) {
                double cell[3];
                for (int axis = 0; axis < 3; ++axis) {
                    const double factor = axis == 0 ? along[a] : beside[b];
                    cell[axis] = fmax(factor * fmax((double)g->largest[axis], least), 0x1p-140);
                }
                if (getenv("XA")) { cell[0]=atof(getenv("XA"))*(double)g->largest[0]; cell[1]=atof(getenv("XB"))*(double)g->largest[1]; cell[2]=atof(getenv("XB"))*(double)g->largest[2]; }
                const estimate e = estimate_cells(g, clump, cell);
                const double total = g->count * e.inside + finer * e.across;
                if (total < best_total) {
                    best_total = total;
                    best = e;
                }
            }
        }
        if (longest == 0.0) {
            break;
        }
    }
    return best;
}

// ---- from estimates to levels ---------------------------------------------------------------------------------------

static void set_cell(bp_level *level, int axis, double cell) {
    // Rows hold one extent; along x a range must stay below half a turn of the folded grid.
    const double most = axis == 0 ? 4.0 : 1.0;
    level->fit[axis] = (float)fmin(cell * most * BP_CELL_FILL, (double)FLT_MAX);
    level->inverse[axis] = 1.0 / cell;
}

static bp_level level_of_cells(const cells *c) {
    bp_level level = {.bits = {c->bits[0], c->bits[1], c->bits[2]}};
    for (int axis = 0; axis < 3; ++axis) {
        set_cell(&level, axis, c->size[axis]);
    }
    return level;
}

// For objects that are larger than any in the sample.
static bp_level level_above(const bp_level *below) {
    bp_level level = {.bits = {FEWEST_BITS[0], FEWEST_BITS[1], FEWEST_BITS[2]}};
    for (int axis = 0; axis < 3; ++axis) {
        set_cell(&level, axis, OVERSIZE / below->inverse[axis]);
    }
    return level;
}

static bool append_level(bp_levels *levels, const bp_config *config, const bp_level *level) {
    if (!bp_buffer_reserve_slack(&levels->buffer, &config->allocator, levels->count * sizeof *level, levels->count + 8,
                                 sizeof *level)) {
        return false;
    }
    *bp_level_at(levels, levels->count++) = *level;
    return true;
}

// Groups of neighbouring octaves, finest first: at most OCTAVES_MAX.
static size_t gather_groups(const bp_config *config, const bp_box *boxes, size_t count, size_t stride, group *groups) {
    group octaves[OCTAVES];
    for (size_t i = 0; i < OCTAVES; ++i) {
        octaves[i] = group_empty();
    }
    for (size_t i = 0; i < count; i += stride) {
        group one;
        float size = 0.0f;
        if (group_of_box(&boxes[i], config->dimensions, (double)stride, &one, &size)) {
            uint32_t pattern = 0;
            memcpy(&pattern, &size, sizeof pattern);
            group_merge(&octaves[pattern >> 23], &one);
        }
    }
    size_t used = 0;
    for (size_t i = 0; i < OCTAVES; ++i) {
        used += octaves[i].count > 0.0;
    }
    const size_t together = (used + OCTAVES_MAX - 1) / OCTAVES_MAX;
    size_t group_count = 0, seen = 0;
    for (size_t i = 0; i < OCTAVES; ++i) {
        if (octaves[i].count > 0.0) {
            if (seen++ % together == 0) {
                groups[group_count++] = group_empty();
            }
            group_merge(&groups[group_count - 1], &octaves[i]);
        }
    }
    for (size_t i = 0; i < group_count && stride > 1; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            groups[i].largest[axis] = (float)fmin(SLACK * (double)groups[i].largest[axis], (double)FLT_MAX);
        }
    }
    return group_count;
}

// The best levels for all groups up to one.
typedef struct choice {
    double cost;
    size_t first; // the coarsest of these levels begins at this group
    cells cells;
} choice;

// The best way to end with a level that goes up to group `last`, if those for the groups before are known.
static choice choose_last(const group *groups, const choice *before, size_t last, double clump) {
    choice best = {.cost = DBL_MAX};
    group merged = group_empty();
    for (size_t first = last + 1; first-- > 0;) {
        group_merge(&merged, &groups[first]);
        double finer = 0.0;
        for (size_t i = 0; i < first; ++i) {
            finer += groups[i].count;
        }
        const estimate e = estimate_group(&merged, clump, finer);
        const double across = fmin(e.across, merged.count / VECTOR); // very few are tested against all
        const double cost = merged.count * e.inside + finer * across + (first > 0 ? before[first - 1].cost : 0.0);
        if (cost < best.cost) {
            best = (choice){.cost = cost, .first = first, .cells = e.cells};
        }
    }
    return best;
}

static void reverse(bp_levels *levels) {
    for (size_t i = 0; i < levels->count / 2; ++i) {
        const bp_level swapped = *bp_level_at(levels, i);
        *bp_level_at(levels, i) = *bp_level_at(levels, levels->count - 1 - i);
        *bp_level_at(levels, levels->count - 1 - i) = swapped;
    }
}

static bp_status plan_by_cost(bp_levels *levels, const bp_config *config, const bp_box *boxes, size_t count) {
    const size_t stride = count / SAMPLE + 1;
    group groups[OCTAVES_MAX];
    const size_t group_count = gather_groups(config, boxes, count, stride, groups);
    group all = group_empty();
    for (size_t i = 0; i < group_count; ++i) {
        group_merge(&all, &groups[i]);
    }
    const double clump = group_count > 0 ? clumping(&all, boxes, count, stride, config->dimensions) : 1.0;
    choice best[OCTAVES_MAX];
    for (size_t last = 0; last < group_count; ++last) {
        best[last] = choose_last(groups, best, last, clump);
    }
    for (size_t end = group_count; end > 0; end = best[end - 1].first) { // coarsest first
        const bp_level level = level_of_cells(&best[end - 1].cells);
        if (!append_level(levels, config, &level)) {
            return BP_ERROR_MEMORY;
        }
    }
    reverse(levels);
    for (int i = 0; i < LEVELS_ABOVE && group_count > 0 && stride > 1; ++i) {
        const bp_level level = level_above(bp_level_at(levels, levels->count - 1));
        if (!append_level(levels, config, &level)) {
            return BP_ERROR_MEMORY;
        }
    }
    return BP_OK;
}

// ---- the rule of the seeds ------------------------------------------------------------------------------------------

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
    if (!append_level(levels, config, &level)) {
        return NULL;
    }
    bp_level *place = bp_level_at(levels, at);
    memmove(place + 1, place, (levels->count - 1 - at) * sizeof *place);
    *place = level;
    return place;
}

static bp_status plan_by_rule(bp_levels *levels, const bp_config *config, const bp_box *boxes, size_t count) {
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

bp_status bp_levels_plan(bp_levels *levels, const bp_config *config, const bp_box *boxes, size_t count) {
    levels->count = 0;
    return config->hierarchy_factor > 0.0f ? plan_by_rule(levels, config, boxes, count)
                                           : plan_by_cost(levels, config, boxes, count);
}
