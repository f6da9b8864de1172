// Planning: objects larger than some size are scanned, the others are in cells of at least twice that size; the size is
// the one with the least estimated work. A plan is kept as long as it suits the objects, so that cells stay the same
// from step to step.
#include "literature/uniform_grids/uniform_cells.h"

#include "base/log.h"

#include <string.h>

enum {
    OCTAVES = 256,        // of sizes: by the exponent of a float
    SAMPLE_SIZES = 16384, // objects whose sizes are counted, unless all are
    TRIMMED_CELLS = 1 << 20
};

// Costs in nanoseconds; only their ratios matter.
static const double COST_OBJECT = 60.0, COST_CANDIDATE = 0.6, COST_SCAN = 0.4;
// How many cells full of candidates the search for an object amounts to.
static const double SEARCHED = 6.0;
// With fewer objects than this in the cell of an object, cells are made larger: empty cells cost lookups.
static const double MATES_MIN = 2.0;

// The objects of an octave, and, when all are counted, those of all smaller octaves, too.
typedef struct octave {
    size_t count;
    float largest;
    float min[3], max[3]; // of min corners
} octave;

// The input of the plan.
typedef struct size_survey {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    size_t examined; // boxes whose sizes are in the octaves, or infinite
    octave octaves[OCTAVES];
    struct tally {
        uint64_t cell;
        size_t count;
    } * tallies; // a hash table of cells, at most half full
    size_t tally_count, sample_count;
} size_survey;

static void join_octaves(octave *to, const octave *more) {
    const bool empty = to->count == 0;
    if (more->count == 0) {
        return;
    }
    to->largest = empty || more->largest > to->largest ? more->largest : to->largest;
    for (int axis = 0; axis < 3; ++axis) {
        to->min[axis] = empty || more->min[axis] < to->min[axis] ? more->min[axis] : to->min[axis];
        to->max[axis] = empty || more->max[axis] > to->max[axis] ? more->max[axis] : to->max[axis];
    }
    to->count += more->count;
}

static const bp_box *sample_at(const size_survey *s, size_t i, size_t samples) {
    return &s->boxes[(size_t)((unsigned long long)s->count * i / samples)];
}

static void sample_sizes(size_survey *s, bool all) {
    const size_t samples = all || s->count < SAMPLE_SIZES ? s->count : SAMPLE_SIZES;
    for (size_t i = 0; i < samples; ++i) {
        const bp_box *box = sample_at(s, i, samples);
        const float size = bp_fit_size(box, s->setup->dimensions);
        if (bp_box_is_hole(box)) {
            continue;
        }
        ++s->examined;
        if (size <= FLT_MAX) {
            octave one = {.count = 1, .largest = size};
            memcpy(one.min, box->min, sizeof one.min);
            memcpy(one.max, box->min, sizeof one.max);
            join_octaves(&s->octaves[bp_octave_of(size)], &one);
        }
    }
    for (size_t i = 1; i < OCTAVES; ++i) {
        join_octaves(&s->octaves[i], &s->octaves[i - 1]);
    }
}

// ---- how full cells would be ----------------------------------------------------------------------------------------

static uint64_t cell_name(const bp_box *box, uint32_t dimensions, double inverse) {
    uint64_t name = 1;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        name = (name ^ (uint32_t)bp_cell_of(box->min[axis], inverse)) * 0x9E3779B97F4A7C15u;
        name ^= name >> 29;
    }
    return name | 1; // 0 marks an empty entry
}

// Adds a name, and returns how many times it was there before.
static size_t count_name(const size_survey *s, uint64_t name) {
    size_t at = (size_t)(name >> 20) & (s->tally_count - 1);
    while (s->tallies[at].cell != 0 && s->tallies[at].cell != name) {
        at = (at + 1) & (s->tally_count - 1);
    }
    s->tallies[at].cell = name;
    return s->tallies[at].count++;
}

// The mean number of other objects in the cell of an object, estimated from pairs in a sample that share a cell.
static double estimate_mates(const size_survey *s, double cell, float largest) {
    size_t sampled = 0, pairs = 0;
    memset(s->tallies, 0, s->tally_count * sizeof *s->tallies);
    for (size_t i = 0; i < s->sample_count; ++i) {
        const bp_box *box = sample_at(s, i, s->sample_count);
        if (bp_fit_size(box, s->setup->dimensions) <= largest && !bp_box_is_hole(box)) {
            pairs += count_name(s, cell_name(box, s->setup->dimensions, 1.0 / cell));
            ++sampled;
        }
    }
    const double share = sampled > 0 ? (double)sampled / (double)s->sample_count : 0.0;
    return sampled > 0 ? 2.0 * (double)pairs / (double)sampled / (double)sampled * share * (double)s->count : 0.0;
}

// ---- choosing -------------------------------------------------------------------------------------------------------

// The slack is for objects that the sample has missed, and for extents that change with rounding as objects move.
static double cell_for(const octave *o, double per_object) {
    return fmax(per_object * (double)o->largest, (double)FLT_MIN);
}

// The octave up to which objects are in cells; NULL if none should be.
static const octave *choose_octave(const size_survey *s, double per_object) {
    const double scale = s->examined > 0 ? (double)s->count / (double)s->examined : 0.0;
    const octave *best = NULL;
    double best_cost = INFINITY;
    for (size_t i = OCTAVES; i-- > 0;) {
        const octave *o = &s->octaves[i];
        const double inside = scale * (double)o->count;
        const double scan_cost = COST_SCAN * scale * (double)(s->examined - o->count) * (double)s->count;
        if (o->count == 0 || scan_cost >= best_cost) {
            break;
        }
        if (i == 0 || s->octaves[i - 1].count < o->count) {
            const double mates = estimate_mates(s, cell_for(o, per_object), o->largest);
            const double cost = inside * (COST_OBJECT + COST_CANDIDATE * SEARCHED * mates) + scan_cost;
            best = cost < best_cost ? o : best;
            best_cost = fmin(cost, best_cost);
        }
    }
    return best;
}

static double domain_length(const octave *o, uint32_t dimensions) {
    double length = 0.0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        length = fmax(length, (double)o->max[axis] - (double)o->min[axis]);
    }
    return length;
}

// Where objects are sparse, cells of their size would be almost all empty.
static double grow_cell(const size_survey *s, const octave *o, double cell) {
    const double length = domain_length(o, s->setup->dimensions);
    while (cell < length) {
        const double mates = estimate_mates(s, cell, o->largest);
        if (mates >= MATES_MIN) {
            break;
        }
        cell *= fmin(4.0, fmax(1.25, cbrt(MATES_MIN / fmax(mates, 1e-3))));
    }
    return cell;
}

// The domain in cells, for the current size of `cells`. Returns whether it keeps to the limits.
static bool lay_out_domain(bp_cells *cells, const bp_method_setup *setup, const octave *o,
                           const bp_cells_limits *limits) {
    const bp_box *domain = &setup->settings.domain;
    const bool configured = bp_domain_is_set(domain);
    double total = 1.0;
    bool fits = true;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const bool used = axis < setup->dimensions;
        if (used && limits->axis_cells == BP_CELLS_EVERYWHERE) {
            cells->low[axis] = 1 - (1 << 30);
            cells->count[axis] = INT32_MAX;
            continue;
        }
        const float min = !used ? 0.0f : configured ? domain->min[axis] : o->min[axis];
        const float max = !used ? 0.0f : configured ? domain->max[axis] : o->max[axis];
        const int32_t low = bp_cell_of(min, cells->inverse), high = bp_cell_of(max, cells->inverse);
        cells->low[axis] = low > -(1 << 30) ? low : 1 - (1 << 30); // so that differences of cells fit 32 bits
        const int64_t count = (int64_t)high - cells->low[axis] + 1;
        fits &= count <= limits->axis_cells;
        cells->count[axis] = count < 1 ? 1 : count < limits->axis_cells ? (uint32_t)count : limits->axis_cells;
        total *= (double)cells->count[axis];
    }
    return fits && total <= (double)limits->cells;
}

static void set_size(bp_cells *cells, double size, double fit) {
    cells->size = size;
    cells->inverse = 1.0 / size;
    cells->fit = (float)fmin(fit, (double)FLT_MAX);
}

// Shortens a domain that has too many cells to its middle. Objects outside belong to its outermost cells.
static void trim_domain(bp_cells *cells, uint64_t most) {
    while (bp_cells_total(cells) > most) {
        int longest = cells->count[1] > cells->count[0] ? 1 : 0;
        longest = cells->count[2] > cells->count[longest] ? 2 : longest;
        cells->low[longest] += (int32_t)(cells->count[longest] / 4);
        cells->count[longest] = (cells->count[longest] + 1) / 2;
    }
}

// The domain is that of the objects that fit, and of others of the same octave.
static bp_status plan_configured_size(bp_cells *cells, const size_survey *s, const bp_cells_limits *limits) {
    const bp_method_settings *settings = &s->setup->settings;
    const bp_log *log = &s->setup->runtime.log;
    const double size = (double)settings->cell_size;
    set_size(cells, size, limits->longest * size);
    if (lay_out_domain(cells, s->setup, &s->octaves[bp_octave_of(cells->fit)], limits) || limits->cells == UINT64_MAX) {
        return BP_OK;
    }
    if (settings->memory_limit == 0 && !bp_domain_is_set(&settings->domain)) {
        trim_domain(cells, TRIMMED_CELLS);
        bp_log_write(
            log,
            "settings.cell_size %g: too many cells between the outermost objects; only those in the middle are created",
            size);
        return BP_OK;
    }
    bp_log_write(log,
                 "settings.cell_size %g: the domain would have more than the %.3g cells allowed; use a larger "
                 "settings.cell_size (0: chosen to fit), a smaller settings.domain or a larger settings.memory_limit",
                 size, (double)limits->cells);
    return BP_ERROR_MEMORY;
}

static void plan_chosen_size(bp_cells *cells, const size_survey *s, const bp_cells_limits *limits, double slack) {
    const octave *chosen = choose_octave(s, slack * limits->per_object);
    if (chosen == NULL) { // no finite objects, or few enough to scan
        static const octave nothing = {0};
        set_size(cells, 1.0, -1.0);
        (void)lay_out_domain(cells, s->setup, &nothing, limits);
        return;
    }
    double size = grow_cell(s, chosen, cell_for(chosen, slack * limits->per_object));
    set_size(cells, size, slack * (double)chosen->largest);
    while (!lay_out_domain(cells, s->setup, chosen, limits) && size < 1e300) {
        size *= 1.1;
        set_size(cells, size, slack * (double)chosen->largest);
    }
    cells->scanned = (size_t)((double)(s->examined - chosen->count) * (double)s->count / (double)s->examined);
}

bp_status bp_cells_plan(bp_cells *cells, const bp_method_setup *setup, const bp_box *boxes, size_t count,
                        const bp_cells_limits *limits, bool all, bp_buffer *scratch) {
    size_survey s = {.setup = setup, .boxes = boxes, .count = count, .tally_count = 256};
    s.sample_count = (size_t)fmin((double)count, 64.0 + 4.0 * sqrt((double)count));
    while (s.tally_count < 2 * s.sample_count) {
        s.tally_count *= 2;
    }
    if (!bp_buffer_reserve(scratch, &setup->runtime.allocator, 0, s.tally_count, sizeof *s.tallies)) {
        return BP_ERROR_MEMORY;
    }
    s.tallies = scratch->data;
    sample_sizes(&s, all);
    const bool sampled = s.examined < count && !all && count > SAMPLE_SIZES;
    *cells = (bp_cells){.objects = count};
    bp_status status = BP_OK;
    if (setup->settings.cell_size > 0.0f) {
        status = plan_configured_size(cells, &s, limits);
    } else {
        plan_chosen_size(cells, &s, limits, sampled ? 1.0625 : 1.01);
    }
    cells->planned = status == BP_OK;
    cells->of_all = all;
    cells->planned_size = cells->size;
    return status;
}

// ---- keeping --------------------------------------------------------------------------------------------------------

bool bp_cells_join(bp_cells *cells, const bp_method_settings *settings, const bp_cells_part *parts, size_t part_count,
                   size_t count) {
    bp_cells_part sum = {0};
    for (size_t i = 0; i < part_count; ++i) {
        sum.scanned += parts[i].scanned;
        sum.outside += parts[i].outside;
        for (int axis = 0; axis < 3; ++axis) {
            sum.reach[axis] = fmaxf(sum.reach[axis], parts[i].reach[axis]);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        cells->reach[axis] = nextafterf(sum.reach[axis], INFINITY); // max - min may have been rounded down
    }
    const size_t few = count / 256 + 16;
    const bool scans_more = settings->cell_size == 0.0f && sum.scanned > cells->scanned + few;
    const bool leaves = !bp_domain_is_set(&settings->domain) && sum.outside > cells->outside + few;
    const bool counts_differ =
        settings->cell_size == 0.0f && (count > 2 * cells->objects || count < cells->objects / 2);
    cells->scanned = sum.scanned > cells->scanned ? sum.scanned : cells->scanned;
    cells->outside = sum.outside > cells->outside ? sum.outside : cells->outside;
    return !(scans_more || leaves || counts_differ);
}

// The fit may be negative: then all objects are scanned.
static bool sizes_differ(double size, double other) {
    return size != other && fmax(size, other) > 1.5 * fmin(size, other);
}

bool bp_cells_differ(const bp_cells *cells, const bp_cells *other) {
    return sizes_differ(cells->planned_size, other->planned_size) ||
           sizes_differ((double)cells->fit, (double)other->fit);
}

static int32_t floor_half(int32_t value) {
    return (value - (value < 0)) / 2;
}

void bp_cells_coarsen(bp_cells *cells) {
    cells->size *= 2.0;
    cells->inverse *= 0.5;
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t high = floor_half(cells->low[axis] + (int32_t)(cells->count[axis] - 1));
        cells->low[axis] = floor_half(cells->low[axis]);
        cells->count[axis] = (uint32_t)(high - cells->low[axis]) + 1;
    }
}
