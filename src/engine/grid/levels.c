// Choosing the levels and their cells (unless settings.hierarchy_factor asks for the rule of level_rule.h).
//
// A cost model decides, because with vectors levels are not free: one level for sizes 1:12 is more than twice as fast
// as four levels of factor 2. Objects are sampled and their sizes sorted into octaves. Dynamic programming then divides
// the octaves into levels such that the estimated work is least:
//
//     work of a level = its objects * (ranges inside) + all finer objects * (ranges across)
//
// where the cost of a range depends on the number of candidates in it. That number depends on the density of objects at
// the scale of the cells: objects that fill space evenly, a few dense clumps in an empty world, and clumps of clumps
// all differ. They are distinguished by counting how often two objects of the sample share a cell, for cells of 1/16,
// 1/256, ... of the space that objects of their size take up. The cells of a level are found by trying a few dozen
// sizes in the same model. Measurements: docs/experiments.md.
//
// cuda/plan.c does the same for a GPU, with other costs and other cells.
#include "engine/grid/levels.h"

#include "base/boxes.h"
#include "base/sample.h"
#include "engine/grid/level_rule.h"

#include <float.h>
#include <string.h>

enum {
    SAMPLE = 2048, // objects in the sample, at most
    OCTAVES = 256, // exponents of a float
    OCTAVES_MAX =
        16, // distinguished by the dynamic programming, whose time grows with their cube; fewer if objects are few
    LONGER_ROWS = 3,  // bits by which rows are longer than columns where a grid is folded
    LEVELS_ABOVE = 3, // for objects that are larger than any in the sample
    SCALES = 5,       // at which density is measured: in cells of 1/16, 1/256, ... of the space that objects take up
    SCALE_BITS = 4,
    SLOT_BITS = 15 // of a hash table of cells
};

// ---- the sample -----------------------------------------------------------------------------------------------------

// Objects of similar size.
typedef struct group {
    double count;          // objects, as estimated from the sample
    float low[3], high[3]; // bounds of their min corners
    float smallest;        // size in the sample
    float sampled[3];      // the largest extents in the sample
    float largest[3];      // the largest extents to expect
    double sum[3];         // of extents
    double clump[SCALES];  // how much denser than evenly spread they are, at each scale ...
    int scales;            // ... that was measured
} group;

static group group_empty(void) {
    return (group){.low = {FLT_MAX, FLT_MAX, FLT_MAX}, .high = {-FLT_MAX, -FLT_MAX, -FLT_MAX}, .smallest = FLT_MAX};
}

static void group_merge(group *into, const group *from) {
    into->count += from->count;
    into->smallest = bp_smaller(into->smallest, from->smallest);
    for (int axis = 0; axis < 3; ++axis) {
        into->low[axis] = bp_smaller(into->low[axis], from->low[axis]);
        into->high[axis] = bp_larger(into->high[axis], from->high[axis]);
        into->sampled[axis] = bp_larger(into->sampled[axis], from->sampled[axis]);
        into->largest[axis] = bp_larger(into->largest[axis], from->largest[axis]);
        into->sum[axis] += from->sum[axis];
    }
}

// False if the box is infinite, or so large that its extent overflows.
static bool group_of_box(const bp_box *original, uint32_t dimensions, double weight, group *one, float *size) {
    const bp_box box = bp_box_flatten(*original, dimensions);
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
        one->sampled[axis] = extent;
        one->largest[axis] = extent;
        one->sum[axis] = weight * (double)extent;
        *size = bp_larger(*size, extent);
    }
    one->smallest = *size;
    return true;
}

typedef struct sampled_object {
    float min[3];
    uint16_t group;
} sampled_object;

// The slot of a sample's cell, where its group's space is divided into 2^bits cells per axis.
static size_t slot_of(const group *g, const sampled_object *s, int bits, int slot_bits) {
    uint32_t hash = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double span = (double)g->high[axis] - (double)g->low[axis];
        const double share = span > 0.0 ? ((double)s->min[axis] - (double)g->low[axis]) / span : 0.0;
        hash = (hash ^ (uint32_t)ldexp(share * 0.999, bits)) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    return hash * 0x85ebca6bu >> (32 - slot_bits);
}

// Measures at finer and finer scales, as long as objects clump and enough of them share cells to be significant.
static void measure_clumps(group *g, const sampled_object *samples, size_t count) {
    uint16_t slots[1 << SLOT_BITS];
    int slot_bits = 8; // different cells should rarely share a slot, but the table must not cost more than the samples
    while (slot_bits < SLOT_BITS && (size_t)1 << slot_bits < 16 * count) {
        ++slot_bits;
    }
    double clump = 1.0;
    bool finer = true;
    for (g->scales = 0; g->scales < SCALES && finer; ++g->scales) {
        const int bits = SCALE_BITS * (g->scales + 1);
        double sharing = 0.0, cells = 1.0;
        memset(slots, 0, sizeof *slots << slot_bits);
        for (size_t i = 0; i < count; ++i) {
            sharing += slots[slot_of(g, &samples[i], bits, slot_bits)]++;
        }
        // Pairs that share a cell, without those that only share a slot.
        const double pairs = fmax(sharing - ldexp(0.5 * (double)count * (double)count, -slot_bits), 0.0);
        for (int axis = 0; axis < 3; ++axis) {
            cells *= g->high[axis] > g->low[axis] ? ldexp(1.0, bits) : 1.0;
        }
        if (pairs >= 32.0) {
            clump = fmax(clump, 2.0 * pairs / ((double)count * (double)count) * cells);
        }
        finer = pairs >= 32.0 && clump > 4.0;
        g->clump[g->scales] = clump;
    }
}

// ---- the cost model -------------------------------------------------------------------------------------------------

// In units of one vector test; measured on Zen 4 with AVX2, and not critical.
static const double COST_OBJECT = 2.8, COST_LONG = 1.6, COST_ACROSS = 2.5, COST_CELL = 0.1, VECTOR = 8.0;

// Objects may be larger than the largest of the sample: a little, or by up to this factor for each level above.
static const double SLACK = 1.0625, OVERSIZE = 8.0;

static double group_span(const group *g, int axis) {
    return (double)g->high[axis] - (double)g->low[axis] + (double)g->largest[axis];
}

// The cells of a level: powers of two per axis, and not too many.
typedef struct cells {
    double size[3];
    uint32_t bits[3];
    double fold; // cells of the scene that share one cell of the grid
} cells;

// With two or three cells an axis would be its own neighbour on the other side; along x ranges may be up to five cells
// long.
static const uint32_t FEWEST_BITS[3] = {4, 2, 2};

static double cell_count(const uint32_t bits[3]) {
    return (double)((uint64_t)1 << ((bits[0] + bits[1] + bits[2]) & 63u)); // at most 2^60
}

static cells cells_of_size(const group *g, const double wanted[3]) {
    const double most = fmax(BP_CELLS_PER_OBJECT * g->count, 256.0);
    cells c = {.fold = 1.0};
    for (int axis = 0; axis < 3; ++axis) {
        const double count = group_span(g, axis) / wanted[axis];
        while (c.bits[axis] < 20 && count > 1.4142 * (double)(1u << c.bits[axis])) {
            ++c.bits[axis];
        }
        c.bits[axis] = c.bits[axis] > 0 && c.bits[axis] < FEWEST_BITS[axis] ? FEWEST_BITS[axis] : c.bits[axis];
    }
    // Halves the longest axis until there are no more cells than `most`. Rows stay longer than columns, because ranges at
    // their ends cross the edge of the folded grid.
    bool limited = false;
    for (int longest = 0; longest >= 0 && cell_count(c.bits) > most;) {
        uint32_t length = 0;
        longest = -1;
        for (int axis = 0; axis < 3; ++axis) {
            const uint32_t here = c.bits[axis] + (axis == 0 ? 0 : LONGER_ROWS);
            if (c.bits[axis] > FEWEST_BITS[axis] && here > length) {
                longest = axis;
                length = here;
            }
        }
        if (longest >= 0) {
            --c.bits[longest];
            limited = true;
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        const double exact = ldexp(group_span(g, axis), -(int)c.bits[axis]); // just large enough not to fold
        c.size[axis] = limited || exact < wanted[axis] ? wanted[axis] : exact;
        c.fold *= fmax(1.0, exact / c.size[axis]);
    }
    return c;
}

typedef struct estimate {
    double inside; // per object of the level
    double across; // per object of a finer level
    double total;
    cells cells;
} estimate;

static double share_of(double width, double span) {
    return width < span ? width / span : 1.0;
}

// The cost of a range with this many candidates on average: always one vector, and more if it is longer by chance.
static double cost_of_range(double candidates) {
    const double squared = candidates * candidates;
    return 1.0 + COST_LONG * candidates / VECTOR * squared / (squared + VECTOR * VECTOR);
}

// Neighbouring groups that share a level.
typedef struct group_members {
    const group *groups;
    size_t first, last;
    group merged;
} group_members;

// The candidates in a part of a row: objects nearby, and distant objects that folding puts into the same cells. Of the objects
// of a group, the largest number that the density at any scale suggests, for the part or for one cell of that scale.
static double candidates_along(const group_members *m, const cells *c, double width) {
    const double size[3] = {width, c->size[1], c->size[2]};
    double near = 0.0;
    for (size_t i = m->first; i <= m->last; ++i) {
        const group *g = &m->groups[i];
        double most = 0.0;
        for (int scale = 0; scale < g->scales; ++scale) {
            const double cell = 1.0 / (double)(1u << SCALE_BITS * (scale + 1));
            double here = g->count * g->clump[scale];
            for (int axis = 0; axis < 3; ++axis) {
                const double share = share_of(size[axis], group_span(g, axis));
                here *= g->high[axis] > g->low[axis] ? (scale > 0 && share > cell ? cell : share) : 1.0;
            }
            most = fmax(most, here);
        }
        near += fmin(g->count, most);
    }
    const double count = cell_count(c->bits);
    const double folded = m->merged.count / count * (1.0 - 1.0 / c->fold) * width / c->size[0];
    return fmin(m->merged.count, near + folded);
}

// Tries a level with cells of about this many times the largest extents, or of `least` if that is more, which `finer` objects
// also search, and keeps the better estimate.
static void try_cells(const group_members *m, double finer, double least, double along, double beside, estimate *best) {
    const group *g = &m->merged;
    double wanted[3], cross[3], rows_above = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double extent = fmax((double)g->largest[axis], least);
        wanted[axis] = fmax((axis == 0 ? along : beside) * extent, 0x1p-140);
    }
    const cells c = cells_of_size(g, wanted);
    for (int axis = 1; axis < 3; ++axis) {
        cross[axis] = c.bits[axis] > 0 ? share_of(g->sum[axis] / g->count, c.size[axis]) : 0.0;
        rows_above *= 1.0 + (c.bits[axis] > 0 ? share_of((double)g->largest[axis], c.size[axis]) : 0.0);
    }
    const double mean = g->sum[0] / g->count, reach = (double)g->largest[0];
    const double own = cost_of_range(candidates_along(m, &c, mean + 0.5 * c.size[0]));
    const double next = cost_of_range(candidates_along(m, &c, mean + reach + c.size[0]));
    const double above = candidates_along(m, &c, reach + c.size[0]);
    const double rows = cross[1] + cross[2] * (2.0 + cross[1]);
    estimate e = {.cells = c};
    e.inside = COST_OBJECT + own + rows * next + COST_CELL * cell_count(c.bits) / g->count;
    e.across = 2.0 + rows_above * (COST_ACROSS + above / VECTOR);
    e.total = g->count * e.inside + finer * e.across;
    *best = e.total < best->total ? e : *best;
}

// Cells as multiples of the largest extents: along a row, and across rows.
static const double ALONG[] = {0.2501, 0.5005, 1.001, 2.0};
static const double BESIDE[] = {1.001, 1.5, 2.0, 3.0};

// The best cells for a level that `finer` objects also search: first the scale, between the largest extents and the whole
// scene, then the shape.
static estimate estimate_members(const group_members *m, double finer) {
    estimate best = {.inside = DBL_MAX, .total = DBL_MAX};
    const group *g = &m->merged;
    double longest = 0.0, largest = 0.0, best_least = 0.0, least = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        largest = fmax(largest, (double)g->largest[axis]);
        longest = fmax(longest, (double)g->high[axis] - (double)g->low[axis]);
    }
    const double shortest = fmax(largest * 2.0, longest * 0x1p-20);
    for (int step = 0; step == 0 || (least <= longest && longest > 0.0); ++step) {
        const double before = best.total;
        try_cells(m, finer, least, ALONG[1], BESIDE[1], &best);
        best_least = best.total < before ? least : best_least;
        least = ldexp(shortest, step);
    }
    for (size_t a = 0; a < sizeof ALONG / sizeof *ALONG; ++a) {
        for (size_t b = 0; b < sizeof BESIDE / sizeof *BESIDE; ++b) {
            try_cells(m, finer, best_least, ALONG[a], BESIDE[b], &best);
        }
    }
    return best;
}

// ---- from estimates to levels ---------------------------------------------------------------------------------------

bool bp_levels_append(bp_levels *levels, const bp_allocator *allocator, const bp_level *level) {
    if (!bp_buffer_reserve_slack(&levels->buffer, allocator, levels->count * sizeof *level, levels->count + 8,
                                 sizeof *level)) {
        return false;
    }
    *bp_level_at(levels, levels->count++) = *level;
    return true;
}

// Groups of some boxes of a set, or of all if they are few: octaves, joined where they are many; finest first. Infinite boxes
// belong to none, and are counted.
static size_t gather_groups(const bp_box *boxes, size_t count, uint32_t dimensions, group *groups, double *infinite) {
    const size_t wanted = count < SAMPLE ? count : SAMPLE;
    const size_t most = 4 + count / 256 < OCTAVES_MAX ? 4 + count / 256 : OCTAVES_MAX;
    const double weight = (double)count / (double)wanted;
    group octaves[OCTAVES];
    sampled_object samples[SAMPLE], sorted[SAMPLE]; // the group of each is its octave for now
    uint16_t group_of_octave[OCTAVES] = {0};
    size_t begins[OCTAVES_MAX + 1] = {0}, next[OCTAVES_MAX];
    size_t sample_count = 0, group_count = 0, used = 0, joined = 0;
    for (size_t i = 0; i < OCTAVES; ++i) {
        octaves[i] = group_empty();
    }
    *infinite = 0.0;
    for (size_t i = 0; i < wanted; ++i) {
        const bp_box *box = &boxes[bp_sample_place(count, i, wanted)];
        group one;
        float size = 0.0f;
        if (bp_box_is_hole(box)) {
            continue;
        }
        if (!group_of_box(box, dimensions, weight, &one, &size)) {
            *infinite += weight;
            continue;
        }
        const uint16_t octave = (uint16_t)bp_octave_of(size);
        group_merge(&octaves[octave], &one);
        samples[sample_count++] = (sampled_object){.min = {one.low[0], one.low[1], one.low[2]}, .group = octave};
    }
    for (size_t i = 0; i < OCTAVES; ++i) {
        used += octaves[i].count > 0.0;
    }
    const size_t together = (used + most - 1) / most;
    for (size_t i = 0; i < OCTAVES; ++i) {
        if (octaves[i].count > 0.0) {
            if (joined++ % together == 0) {
                groups[group_count++] = group_empty();
            }
            group_merge(&groups[group_count - 1], &octaves[i]);
            group_of_octave[i] = (uint16_t)(group_count - 1);
        }
    }
    for (size_t i = 0; i < sample_count; ++i) { // into the order of their groups
        samples[i].group = group_of_octave[samples[i].group];
        ++begins[samples[i].group + 1];
    }
    for (size_t i = 0; i < group_count; ++i) {
        next[i] = begins[i];
        begins[i + 1] += begins[i];
    }
    for (size_t i = 0; i < sample_count; ++i) {
        sorted[next[samples[i].group]++] = samples[i];
    }
    for (size_t i = 0; i < group_count; ++i) {
        measure_clumps(&groups[i], sorted + begins[i], begins[i + 1] - begins[i]);
        for (int axis = 0; axis < 3 && wanted < count; ++axis) {
            groups[i].largest[axis] = (float)fmin(SLACK * (double)groups[i].sampled[axis], (double)FLT_MAX);
        }
    }
    return group_count;
}

// The best levels for all groups up to one of them.
typedef struct choice {
    double cost;
    size_t first; // the coarsest of these levels begins at this group
    cells cells;
    float smallest, sampled[3];
} choice;

// The best way to end with a level that includes group `last`, if the best ways for the groups before are known.
static choice choose_last(const group *groups, const choice *before, size_t last) {
    choice best = {.cost = DBL_MAX};
    group_members m = {.groups = groups, .last = last, .merged = group_empty()};
    for (size_t first = last + 1; first-- > 0;) {
        m.first = first;
        group_merge(&m.merged, &groups[first]);
        double finer = 0.0;
        for (size_t i = 0; i < first; ++i) {
            finer += groups[i].count;
        }
        const estimate e = estimate_members(&m, finer);
        // If objects are few, all finer ones are tested against them instead.
        const double across = fmin(e.across, m.merged.count / VECTOR);
        const double cost = m.merged.count * e.inside + finer * across + (first > 0 ? before[first - 1].cost : 0.0);
        if (cost < best.cost) {
            best = (choice){.cost = cost, .first = first, .cells = e.cells, .smallest = m.merged.smallest};
            memcpy(best.sampled, m.merged.sampled, sizeof best.sampled);
        }
    }
    return best;
}

static bp_status plan_by_cost(bp_levels *levels, const bp_method_setup *setup, const bp_box *boxes, size_t count) {
    group groups[OCTAVES_MAX];
    double infinite;
    const size_t group_count = gather_groups(boxes, count, setup->dimensions, groups, &infinite);
    double objects = infinite; // without holes
    choice best[OCTAVES_MAX];
    for (size_t last = 0; last < group_count; ++last) {
        best[last] = choose_last(groups, best, last);
        objects += groups[last].count;
    }
    const double tests = infinite * objects / VECTOR; // infinite boxes are tested against all others
    levels->cost = ((group_count > 0 ? best[group_count - 1].cost : 0.0) + tests) / fmax(objects, 1.0);
    size_t ends[OCTAVES_MAX], level_count = 0; // of the groups of each level, coarsest first
    for (size_t end = group_count; end > 0; end = best[end - 1].first) {
        ends[level_count++] = end;
    }
    const bool may_be_larger = group_count > 0 && count > SAMPLE;
    const size_t all = level_count + (may_be_larger ? LEVELS_ABOVE : 0);
    while (levels->count < all) { // finest first
        bp_level level = {.bits = {FEWEST_BITS[0], FEWEST_BITS[1], FEWEST_BITS[2]}};
        const bool is_above = levels->count >= level_count; // for objects that are larger than any in the sample
        const choice *chosen = is_above ? NULL : &best[ends[level_count - 1 - levels->count] - 1];
        for (int axis = 0; axis < 3; ++axis) {
            // Across rows, an object is no larger than a cell; along x, a range must stay shorter than half of the folded grid.
            const double most = axis == 0 ? 4.0 : 1.0;
            const double cell =
                is_above ? OVERSIZE / bp_level_at(levels, levels->count - 1)->inverse[axis] : chosen->cells.size[axis];
            level.fit[axis] = (float)fmin(cell * most * BP_CELL_FILL, (double)FLT_MAX);
            level.inverse[axis] = 1.0 / cell;
        }
        if (!is_above) {
            memcpy(level.bits, chosen->cells.bits, sizeof level.bits);
            // Cells may be much larger than their objects. Objects of the next coarser level must not fit into them.
            const bool is_last = levels->count + 1 == level_count;
            const float coarser = is_last ? FLT_MAX : best[ends[level_count - 2 - levels->count] - 1].smallest;
            for (int axis = 0; axis < 3; ++axis) {
                const float sampled = nextafterf(chosen->sampled[axis], FLT_MAX);
                level.fit[axis] = bp_smaller(level.fit[axis], bp_larger(coarser, sampled));
            }
        }
        if (!bp_levels_append(levels, &setup->runtime.allocator, &level)) {
            return BP_ERROR_MEMORY;
        }
    }
    return BP_OK;
}

bp_status bp_levels_plan(bp_levels *levels, const bp_method_setup *setup, const bp_box *boxes, size_t count) {
    levels->count = 0;
    levels->cost = 0.0;
    return setup->settings.hierarchy_factor > 0.0f ? bp_level_rule_plan(levels, setup, boxes, count)
                                                   : plan_by_cost(levels, setup, boxes, count);
}
