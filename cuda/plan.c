// Planning: the sizes of a sample are sorted into octaves, and a dynamic program groups the octaves into levels.
//
//     work of a level = its boxes * (set-up + candidates in 14 cells) + all finer boxes * (set-up + candidates)
//
// On a GPU a candidate costs a load and four instructions, so few levels are best, as on the CPU: sizes 1:12 get one.
// Cells are as large as the largest box of their level, or larger where boxes are few and far between, because the
// table of cells should not have more than a few entries per box. The cells of all levels differ by powers of two (see
// geometry.h); the level with the most boxes gets exactly the cells it wants.
//
// Cost: tens of microseconds, for any number of boxes. A plan is bad when a thousand samples miss what matters; then
// the search takes longer, with the same result.
#include "plan.h"

#include <assert.h>
#include <string.h>

// Boxes are a little shorter than the cells of their level, so that rounding never puts their ends two cells apart.
static const double FILL = 0.99;

enum { FEW = 16 }; // samples are too few to show where the boxes of a level are

enum { GROUPS = BP_CUDA_LEVELS - 2, OCTAVES = 256, SCALES = 5, SCALE_BITS = 4, SLOT_BITS = 13, KEY_BITS_MOST = 60 };

// In units of the cost of a candidate.
static const double COST_INSIDE = 30.0, CELLS_INSIDE = 14.0, COST_ACROSS = 45.0, CELLS_ACROSS = 8.0;

static const double SLACK = 1.0 + 1.0 / 128; // boxes may be a little larger than the largest of the sample
static const double PADDING = 2.0;           // and lie outside its bounds: by this share / number of samples

// Boxes of similar size.
typedef struct group {
    double count;
    double low[3], high[3]; // where they are
    double largest[3];      // extents
    double smallest;        // size, that is, largest extent of a box
    double clump;           // density, relative to an even distribution; 0: not measured yet
} group;

// Groups that share a level.
typedef struct members {
    group all;
    size_t first, last;
} members;

typedef struct planning {
    const bp_config *config;
    const bp_box *samples;
    size_t sample_count;
    double weight; // boxes per sample
    uint32_t dimensions;
    group groups[GROUPS];
    size_t group_count;
    uint8_t group_of_octave[OCTAVES];
    group all;
} planning;

typedef struct choice {
    double cost;
    size_t first; // the coarsest level begins at this group
} choice;

static group group_empty(void) {
    group g = {.smallest = DBL_MAX};
    for (int axis = 0; axis < 3; ++axis) {
        g.low[axis] = DBL_MAX;
        g.high[axis] = -DBL_MAX;
    }
    return g;
}

static void group_merge(group *into, const group *from) {
    into->count += from->count;
    into->smallest = fmin(into->smallest, from->smallest);
    for (int axis = 0; axis < 3; ++axis) {
        into->low[axis] = fmin(into->low[axis], from->low[axis]);
        into->high[axis] = fmax(into->high[axis], from->high[axis]);
        into->largest[axis] = fmax(into->largest[axis], from->largest[axis]);
    }
}

// The octave of a box's size, or -1 if it fits no level.
static int group_of_box(const planning *p, const bp_box *box, group *one) {
    float size = FLT_MIN;
    *one = group_empty();
    one->count = p->weight;
    for (uint32_t axis = 0; axis < p->dimensions; ++axis) {
        const float extent = bp_cuda_fit_extent(box->min[axis], box->max[axis]);
        if (!(extent <= FLT_MAX)) {
            return -1;
        }
        one->low[axis] = (double)box->min[axis];
        one->high[axis] = (double)box->max[axis];
        one->largest[axis] = (double)extent;
        size = fmaxf(size, extent);
    }
    one->smallest = (double)size;
    uint32_t pattern = 0;
    memcpy(&pattern, &size, sizeof pattern);
    return (int)(pattern >> 23);
}

static void gather_groups(planning *p) {
    group octaves[OCTAVES];
    size_t used = 0, seen = 0;
    for (int i = 0; i < OCTAVES; ++i) {
        octaves[i] = group_empty();
    }
    for (size_t i = 0; i < p->sample_count; ++i) {
        group one;
        const int octave = group_of_box(p, &p->samples[i], &one);
        if (octave >= 0) {
            used += octaves[octave].count == 0.0;
            group_merge(&octaves[octave], &one);
        }
    }
    const size_t together = (used + GROUPS - 1) / GROUPS;
    p->all = group_empty();
    for (int i = 0; i < OCTAVES; ++i) {
        if (octaves[i].count > 0.0) {
            if (seen++ % together == 0) {
                p->groups[p->group_count++] = group_empty();
            }
            p->group_of_octave[i] = (uint8_t)(p->group_count - 1);
            group_merge(&p->groups[p->group_count - 1], &octaves[i]);
            group_merge(&p->all, &octaves[i]);
        }
    }
}

// ---- how densely boxes lie ------------------------------------------------------------------------------------------

static size_t slot_of(const planning *p, const group *g, const bp_box *box, int bits) {
    uint32_t hash = 0;
    for (uint32_t axis = 0; axis < p->dimensions; ++axis) {
        const double span = g->high[axis] - g->low[axis];
        const double part = span > 0.0 ? ((double)box->min[axis] - g->low[axis]) / span : 0.0;
        hash = (hash ^ (uint32_t)ldexp(fmin(fmax(part, 0.0), 1.0) * 0.999, bits)) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    return hash * 0x85ebca6bu >> (32 - SLOT_BITS);
}

// Pairs of samples of a group that share a cell, with 2^bits cells per axis, minus the number expected by chance.
static double pairs_that_share(const planning *p, const group *g, int bits, double *count) {
    uint16_t slots[1 << SLOT_BITS];
    memset(slots, 0, sizeof slots);
    double pairs = 0.0;
    *count = 0.0;
    for (size_t i = 0; i < p->sample_count; ++i) {
        group one;
        const int octave = group_of_box(p, &p->samples[i], &one);
        if (octave >= 0 && &p->groups[p->group_of_octave[octave]] == g) {
            pairs += slots[slot_of(p, g, &p->samples[i], bits)]++;
            *count += 1.0;
        }
    }
    return fmax(pairs - ldexp(0.5 * *count * *count, -SLOT_BITS), 0.0);
}

// Refines the cells as long as boxes clump and enough samples share a cell to measure it.
static double clump_of(const planning *p, group *g) {
    bool closer = g->clump == 0.0;
    g->clump = fmax(g->clump, 1.0);
    for (int scale = 1; scale <= SCALES && closer; ++scale) {
        double count = 0.0, cells = 1.0;
        const double pairs = pairs_that_share(p, g, SCALE_BITS * scale, &count);
        for (uint32_t axis = 0; axis < p->dimensions; ++axis) {
            cells *= g->high[axis] > g->low[axis] ? ldexp(1.0, SCALE_BITS * scale) : 1.0;
        }
        const double clump = count > 0.0 ? 2.0 * pairs / (count * count) * cells : 0.0;
        closer = pairs >= 32.0 && clump > 4.0;
        g->clump = closer ? fmax(g->clump, clump) : g->clump;
    }
    return g->clump;
}

// Boxes that share a cell of this size with a box, summed over the groups of a level.
static double occupancy(planning *p, const members *m, const double cell[3]) {
    double sum = 0.0;
    for (size_t i = m->first; i <= m->last; ++i) {
        group *g = &p->groups[i];
        double share = clump_of(p, g);
        for (uint32_t axis = 0; axis < p->dimensions; ++axis) {
            const double span = g->high[axis] - g->low[axis];
            share *= cell[axis] < span ? cell[axis] / span : 1.0;
        }
        sum += g->count * fmin(share, 1.0);
    }
    return sum;
}

// ---- the dynamic programme ------------------------------------------------------------------------------------------

static choice choose_last(planning *p, const choice *before, size_t last) {
    choice best = {.cost = DBL_MAX};
    members m = {.all = group_empty(), .last = last};
    for (size_t first = last + 1; first-- > 0;) {
        double finer = 0.0;
        m.first = first;
        group_merge(&m.all, &p->groups[first]);
        for (size_t i = 0; i < first; ++i) {
            finer += p->groups[i].count;
        }
        const double near = p->group_count > 1 ? occupancy(p, &m, m.all.largest) : 0.0;
        const double cost = m.all.count * (COST_INSIDE + CELLS_INSIDE * near) +
                            finer * (COST_ACROSS + CELLS_ACROSS * near) + (first > 0 ? before[first - 1].cost : 0.0);
        if (cost < best.cost) {
            best = (choice){.cost = cost, .first = first};
        }
    }
    return best;
}

// With few samples, assume the boxes of this level to be wherever those of similar size are.
static void widen(const planning *p, members *m) {
    const size_t first = m->first > 0 ? m->first - 1 : 0;
    const size_t last = m->last + 1 < p->group_count ? m->last + 1 : m->last;
    for (size_t i = first; i <= last; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            m->all.low[axis] = fmin(m->all.low[axis], p->groups[i].low[axis]);
            m->all.high[axis] = fmax(m->all.high[axis], p->groups[i].high[axis]);
        }
    }
}

// The groups of each level, finest first.
static size_t choose_levels(planning *p, members *levels) {
    choice best[GROUPS];
    size_t count = 0;
    for (size_t last = 0; last < p->group_count; ++last) {
        best[last] = choose_last(p, best, last);
    }
    for (size_t end = p->group_count; end > 0; end = best[end - 1].first) {
        ++count;
    }
    size_t level = count;
    for (size_t end = p->group_count; end > 0; end = best[end - 1].first) {
        members *m = &levels[--level];
        *m = (members){.all = group_empty(), .first = best[end - 1].first, .last = end - 1};
        for (size_t i = m->first; i <= m->last; ++i) {
            group_merge(&m->all, &p->groups[i]);
        }
        if (m->all.count < FEW * p->weight && p->weight > 1.0) {
            widen(p, m);
        }
    }
    return count;
}

// ---- from groups to cells -------------------------------------------------------------------------------------------

// The edge of a cell for the boxes of a group, along one axis.
static double wanted_cell(const planning *p, const group *g, uint32_t axis) {
    const double slack = p->weight > 1.0 ? SLACK : 1.0 + 0x1p-10;
    const double span = g->high[axis] - g->low[axis];
    const double cell = fmax(g->largest[axis] * slack / FILL, fmax(span * 0x1p-20, 0x1p-120));
    return p->config->period[axis] > 0.0f ? cell * BP_CUDA_CELL / BP_CUDA_PERIOD_FIT : cell;
}

// The finest cell along an axis. A power of two times this cell is what the level with the most boxes wants; along a
// periodic axis, the period is a power of two times this cell.
static double base_cell(const planning *p, const members *levels, size_t count, uint32_t axis) {
    size_t most = 0;
    for (size_t i = 1; i < count; ++i) {
        most = levels[i].all.count > levels[most].all.count ? i : most;
    }
    const double finest = wanted_cell(p, &levels[0].all, axis), tight = wanted_cell(p, &levels[most].all, axis);
    const double whole = p->config->period[axis] > 0.0f ? (double)p->config->period[axis] : fmax(tight, finest);
    return ldexp(whole, -(int)fmax(floor(log2(whole / finest) + 1e-9), 0.0));
}

static double cell_edge(const bp_cuda_level *level, int axis) {
    return BP_CUDA_CELL / level->inverse[axis];
}

// Sets the cells, ends and fit of a level along one axis, for its shift.
static void set_axis(const planning *p, bp_cuda_level *level, const group *g, const double base[3], int axis) {
    const double cell = ldexp(base[axis], (int)level->shift[axis]);
    level->inverse[axis] = BP_CUDA_CELL / cell;
    level->narrow_inverse[axis] = (float)level->inverse[axis];
    if (p->config->period[axis] > 0.0f) {
        level->first[axis] = 0;
        level->cells[axis] = (int32_t)floor((double)p->config->period[axis] / cell + 0.5);
        level->fit[axis] = (float)(cell * BP_CUDA_PERIOD_FIT / BP_CUDA_CELL);
    } else {
        const double samples = fmax(g->count / p->weight, 4.0);
        const double padding = p->weight > 1.0 ? PADDING / samples * (g->high[axis] - g->low[axis]) : 0.0;
        level->first[axis] = bp_cell_of_double(g->low[axis] - padding, level->inverse[axis]);
        const int32_t last = bp_cell_of_double(g->high[axis] + padding, level->inverse[axis]);
        level->cells[axis] = ((last - level->first[axis]) >> BP_CUDA_CELL_BITS) + 1;
        level->fit[axis] = (float)fmin(cell * FILL, (double)FLT_MAX);
    }
    level->last[axis] = level->first[axis] + (level->cells[axis] << BP_CUDA_CELL_BITS) - 1;
    level->reach[axis] = bp_cell_of_double((double)level->fit[axis], level->inverse[axis]) + 1;
}

static double cell_count(const bp_cuda_level *level) {
    return (double)level->cells[0] * (double)level->cells[1] * (double)level->cells[2];
}

// The axis whose cells should be doubled next: that of the shortest cells that may grow; -1 if there is none.
static int shortest_axis(const planning *p, const bp_cuda_level *level) {
    int shortest = -1;
    for (int axis = 0; axis < (int)p->dimensions; ++axis) {
        const int32_t least = p->config->period[axis] > 0.0f ? 2 * BP_CUDA_PERIOD_CELLS : 2;
        if (level->cells[axis] >= least && (shortest < 0 || cell_edge(level, axis) <= cell_edge(level, shortest))) {
            shortest = axis;
        }
    }
    return shortest;
}

// Doubles cells until they are few enough, unless too many boxes would then share one.
static void limit_cells(planning *p, bp_cuda_level *level, const members *m, const double base[3], double most) {
    for (int axis = shortest_axis(p, level); axis >= 0 && cell_count(level) > most; axis = shortest_axis(p, level)) {
        double cell[3] = {cell_edge(level, 0), cell_edge(level, 1), cell_edge(level, 2)};
        cell[axis] *= 2.0;
        if (cell_count(level) < 0x1p60 / BP_CUDA_LEVELS && most > 4096.0 && occupancy(p, m, cell) > 2.0) {
            return;
        }
        ++level->shift[axis];
        set_axis(p, level, &m->all, base, axis);
    }
}

// False if boxes of that size do not fit a period often enough.
static bool fits_period(const planning *p, const bp_cuda_level *level) {
    bool fits = true;
    for (uint32_t axis = 0; axis < p->dimensions; ++axis) {
        fits &= p->config->period[axis] == 0.0f || level->cells[axis] >= BP_CUDA_PERIOD_CELLS;
    }
    return fits;
}

static void make_level(planning *p, bp_cuda_lattice *lattice, const members *m, const double base[3], uint32_t above) {
    const group *g = &m->all;
    bp_cuda_level *level = &lattice->levels[lattice->level_count];
    *level = (bp_cuda_level){.fit = {FLT_MAX, FLT_MAX, FLT_MAX}, .inverse = {1.0, 1.0, 1.0}, .cells = {1, 1, 1}};
    for (int axis = 0; axis < (int)p->dimensions; ++axis) {
        const double ratio = wanted_cell(p, g, (uint32_t)axis) / base[axis];
        const uint32_t least = lattice->level_count > 0 ? level[-1].shift[axis] : 0;
        const uint32_t shift = ratio > 1.0 ? (uint32_t)ceil(log2(ratio) - 1e-6) : 0;
        level->shift[axis] = (shift > least ? shift : least) + above;
        set_axis(p, level, g, base, axis);
    }
    limit_cells(p, level, m, base, above > 0 ? 4096.0 : fmax(g->count * (BP_CUDA_TABLE_LOAD - 1), 4096.0));
    lattice->level_count += fits_period(p, level);
}

// Whether floats are precise enough on all levels.
static bool is_narrow(const bp_cuda_lattice *lattice) {
    bool narrow = true;
    for (uint32_t i = 0; i < lattice->level_count; ++i) {
        const bp_cuda_level *level = &lattice->levels[i];
        for (uint32_t axis = 0; axis < lattice->kind.dimensions; ++axis) {
            narrow &= level->first[axis] > -BP_CUDA_NARROW && level->last[axis] < BP_CUDA_NARROW;
            narrow &= level->inverse[axis] > 0x1p-100 && level->inverse[axis] < 0x1p100;
        }
    }
    return narrow;
}

// Whether all boxes of coarser members fit this level too, because its cells have become so large.
static bool swallows(const planning *p, const bp_cuda_level *level, const members *coarser) {
    bool all = true;
    for (uint32_t axis = 0; axis < p->dimensions; ++axis) {
        all &= coarser->all.largest[axis] < (double)level->fit[axis];
    }
    return all;
}

// Boxes of a coarser level must not fit this one: they may lie elsewhere.
static void leave_to_coarser(const planning *p, bp_cuda_level *level, const members *m, const members *coarser) {
    for (int axis = 0; axis < (int)p->dimensions; ++axis) {
        const double most = fmax(m->all.largest[axis] * SLACK, coarser->all.smallest);
        level->fit[axis] = (float)fmin((double)level->fit[axis], most);
        level->reach[axis] = bp_cell_of_double((double)level->fit[axis], level->inverse[axis]) + 1;
    }
}

// Makes levels for all members, finest first; members that fit a finer level become part of it.
static void make_levels(planning *p, bp_cuda_lattice *lattice, members *levels, size_t count, const double base[3]) {
    for (size_t i = 0; i < count;) {
        members m = levels[i];
        const uint32_t before = lattice->level_count;
        make_level(p, lattice, &m, base, 0);
        size_t next = i + 1;
        while (next < count && lattice->level_count > before && swallows(p, &lattice->levels[before], &levels[next])) {
            group_merge(&m.all, &levels[next].all);
            m.last = levels[next++].last;
            lattice->level_count = before;
            make_level(p, lattice, &m, base, 0);
        }
        if (next < count && lattice->level_count > before) {
            leave_to_coarser(p, &lattice->levels[before], &m, &levels[next]);
        }
        i = next;
    }
}

static void number_keys(bp_cuda_lattice *lattice, size_t count) {
    for (uint32_t i = 0; i < lattice->level_count; ++i) {
        bp_cuda_level *level = &lattice->levels[i];
        level->divide_x = bp_cuda_divider_for((uint32_t)level->cells[0]);
        level->divide_y = bp_cuda_divider_for((uint32_t)level->cells[1]);
        level->first_key = lattice->key_count;
        lattice->key_count += (uint64_t)level->cells[0] * (uint64_t)level->cells[1] * (uint64_t)level->cells[2];
    }
    const uint64_t most = (uint64_t)count * BP_CUDA_TABLE_LOAD + BP_CUDA_TABLE_MORE;
    while (lattice->key_count >> lattice->table_shift > most) {
        ++lattice->table_shift;
    }
}

void bp_cuda_plan(const bp_config *config, const bp_box *samples, size_t sample_count, size_t count,
                  bp_cuda_lattice *lattice) {
    planning p = {.config = config, .samples = samples, .sample_count = sample_count};
    members levels[GROUPS];
    double base[3] = {1.0, 1.0, 1.0};
    assert(config->dimensions == 2 || config->dimensions == 3);
    p.dimensions = config->dimensions;
    p.weight = sample_count > 0 ? (double)count / (double)sample_count : 1.0;
    memset(lattice, 0, sizeof *lattice);
    lattice->kind.dimensions = config->dimensions;
    for (uint32_t axis = 0; axis < config->dimensions; ++axis) {
        lattice->period[axis] = config->period[axis];
        lattice->kind.periodic |= config->period[axis] > 0.0f ? 1u << axis : 0;
    }
    gather_groups(&p);
    const size_t level_count = choose_levels(&p, levels);
    for (uint32_t axis = 0; axis < p.dimensions && level_count > 0; ++axis) {
        base[axis] = base_cell(&p, levels, level_count, axis);
    }
    make_levels(&p, lattice, levels, level_count, base);
    for (uint32_t i = 0; i < 2 && level_count > 0 && lattice->level_count > 0 && p.weight > 1.0; ++i) {
        make_level(&p, lattice, &levels[level_count - 1], base, 3); // for boxes that are larger than any in the sample
    }
    lattice->kind.narrow = is_narrow(lattice);
    number_keys(lattice, count);
}

uint32_t bp_cuda_key_bits(const bp_cuda_lattice *lattice) {
    uint32_t bits = 1;
    while (bits < 64 && lattice->key_count >> bits != 0) {
        ++bits;
    }
    return bits;
}
