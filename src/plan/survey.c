#include "plan/survey.h"

#include "base/boxes.h"
#include "base/cells.h"
#include "base/sample.h"
#include "plan/cost_facts.h"

#include <string.h>

enum {
    SAMPLE_MOST = 512,
    SAMPLE_SHARE = 64,  // at most one box in this many, so that a sample costs little where objects are few, too;
    SAMPLE_LEAST = 48,  // but fewer than these say nothing
    OCTAVES = 256,      // exponents of a float
    GIANT = 16,         // times the median size
    RUN = 8,            // boxes of a run,
    RUNS = 48,          // of which so many are looked at;
    LOOSE_SHARE = 4,    // one in so many may be loose,
    MEETING_SHARE = 2,  // and one in so many meet one from elsewhere
    RUNS_FROM = 512,    // boxes, of which enough runs can be seen
    CLUMP_CELLS = 4096, // that the extent is divided into to measure clumping, at most;
    CLUMP_PAIRS = 32,   // pairs of a sample share one of them, if it is spread evenly
    TINY_BITS = 9       // cells along an axis, 2^9: about as a curve has them
};

static const double FLAT_MOST = 12.0; // octaves

// The finite boxes of a sample, and histograms of their sizes and shapes by octave.
typedef struct sample {
    bp_box boxes[SAMPLE_MOST];
    float centers[SAMPLE_MOST][3];
    float sizes[SAMPLE_MOST]; // as grids see them (bp_fit_size): longest edges, or more far from the origin
    uint8_t octaves[SAMPLE_MOST];
    uint16_t by_size[OCTAVES], by_slenderness[OCTAVES];
    uint32_t least;        // octave of a size
    float low[3], high[3]; // of centres
    size_t count, first;   // all, and those of the first set
    size_t infinite;       // left out
    double flatness;       // summed up
} sample;

static size_t sample_size(size_t count) {
    const size_t share = count / SAMPLE_SHARE;
    const size_t wanted = share > SAMPLE_MOST ? SAMPLE_MOST : share < SAMPLE_LEAST ? SAMPLE_LEAST : share;
    return wanted < count ? wanted : count;
}

// The longest edge by the second longest: needles are slender, plates are not. 1 for points.
static float slenderness_of(const bp_box *box, uint32_t dimensions) {
    float longest = 0.0f, second = 0.0f;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const float edge = box->max[axis] - box->min[axis];
        second = bp_larger(second, bp_smaller(edge, longest));
        longest = bp_larger(longest, edge);
    }
    return longest > 0.0f ? longest / bp_larger(second, longest * 0x1p-100f) : 1.0f;
}

// The second longest edge by the shortest, as a logarithm: plates are flat. 0 in two dimensions.
static double flatness_of(const bp_box *box, uint32_t dimensions) {
    const float x = box->max[0] - box->min[0], y = box->max[1] - box->min[1], z = box->max[2] - box->min[2];
    const float shortest = bp_smaller(x, bp_smaller(y, z)), longest = bp_larger(x, bp_larger(y, z));
    const float second = bp_larger(bp_smaller(x, y), bp_smaller(bp_larger(x, y), z));
    return dimensions == 2 || !(second > 0.0f && longest <= FLT_MAX)
               ? 0.0
               : fmin(bp_cost_logarithm((double)second / fmax((double)shortest, 1e-300)), FLAT_MOST);
}

// Adds boxes of a set to the sample.
static void take_sample(sample *s, const bp_box *boxes, size_t count, size_t wanted, uint32_t dimensions) {
    for (size_t i = 0; i < wanted; ++i) {
        const bp_box *box = &boxes[bp_sample_place(count, i, wanted)];
        const float size = bp_fit_size(box, dimensions);
        if (bp_box_is_hole(box)) {
            continue;
        }
        if (!(size <= FLT_MAX) || !bp_box_is_finite(box, dimensions)) { // also where both ends are infinite
            ++s->infinite;
            continue;
        }
        const bp_box flat = bp_box_flatten(*box, dimensions);
        for (int axis = 0; axis < 3; ++axis) {
            const float center = 0.5f * flat.min[axis] + 0.5f * flat.max[axis];
            s->centers[s->count][axis] = center;
            s->low[axis] = bp_smaller(s->low[axis], center);
            s->high[axis] = bp_larger(s->high[axis], center);
        }
        const uint32_t octave = bp_octave_of(size);
        ++s->by_size[octave];
        ++s->by_slenderness[bp_octave_of(slenderness_of(box, dimensions))];
        s->least = octave < s->least ? octave : s->least;
        s->flatness += flatness_of(box, dimensions);
        s->octaves[s->count] = (uint8_t)octave;
        s->boxes[s->count] = flat;
        s->sizes[s->count++] = size;
    }
}

// The octave below which a fraction of the sample is, in 1/32; none is below `octave`.
static uint32_t octave_at(const uint16_t *counts, uint32_t octave, size_t count, size_t share) {
    size_t below = 0;
    while (octave < OCTAVES - 1 && (below += counts[octave]) * 32 <= count * share) {
        ++octave;
    }
    return octave;
}

// The number of octaves that hold nearly all of the sample; empty ones in between do not count.
static uint32_t octaves_of(const sample *s) {
    const uint32_t last = octave_at(s->by_size, s->least, s->count, 31);
    uint32_t used = 0;
    for (uint32_t octave = octave_at(s->by_size, s->least, s->count, 0); octave <= last; ++octave) {
        used += s->by_size[octave] > 0;
    }
    return used;
}

// The share of the sample whose centres are in the same tiny cells as those of others of the same set: a curve through these cells
// does not tell them apart.
static double together_of(const sample *s) {
    uint32_t cells[2 * SAMPLE_MOST], slots = 2; // a hash table; 0: empty
    double scale[3];
    size_t again = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double extent = (double)s->high[axis] - (double)s->low[axis];
        scale[axis] = extent > 0.0 ? 0.999999 * (1 << TINY_BITS) / extent : 0.0;
    }
    if (scale[0] + scale[1] + scale[2] == 0.0) {
        return 0.0; // all are at one place
    }
    while (slots < 2 * s->count) {
        slots *= 2;
    }
    memset(cells, 0, slots * sizeof *cells);
    for (size_t i = 0; i < s->count; ++i) {
        uint32_t cell = i < s->first, slot;
        for (int axis = 0; axis < 3; ++axis) {
            cell = cell << TINY_BITS | (uint32_t)(((double)s->centers[i][axis] - (double)s->low[axis]) * scale[axis]);
        }
        ++cell;
        for (slot = cell * 0x9e3779b1u >> 16; cells[slot % slots] != 0 && cells[slot % slots] != cell; ++slot) {
        }
        again += cells[slot % slots] == cell;
        cells[slot % slots] = cell;
    }
    return (double)again / (double)s->count;
}

// How much more often two boxes of the sample share a cell than if they were spread evenly.
static double clumping_of(const sample *s, uint32_t dimensions) {
    uint16_t cells[CLUMP_CELLS] = {0};
    size_t per_axis = 2;
    for (size_t next = 3; next * next * (dimensions == 2 ? 1 : next) <= s->count * s->count / ((size_t)2 * CLUMP_PAIRS);
         ++next) {
        per_axis = next;
    }
    double scale[3], cell_count = 1.0, pairs = 0.0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const double extent = (double)s->high[axis] - (double)s->low[axis];
        scale[axis] = axis < dimensions && extent > 0.0 ? (double)per_axis * 0.999999 / extent : 0.0;
        cell_count *= scale[axis] > 0.0 ? (double)per_axis : 1.0;
    }
    for (size_t i = 0; i < s->count; ++i) {
        size_t cell = 0;
        for (int axis = 0; axis < 3; ++axis) {
            cell = cell * (scale[axis] > 0.0 ? per_axis : 1) +
                   (size_t)(((double)s->centers[i][axis] - (double)s->low[axis]) * scale[axis]);
        }
        pairs += cells[cell]++;
    }
    const double all = 0.5 * (double)s->count * (double)(s->count - 1);
    return all > 0.0 ? pairs / all * cell_count : 0.0;
}

// How many others a box meets, by the edges of boxes taken in twos, if places are random but for the clumping.
static double met_of(const sample *s, double clumping, size_t count, const double extent[3]) {
    const size_t half = s->count / 2;
    double sum = 0.0;
    for (size_t i = 0; i < half; ++i) {
        const bp_box *a = &s->boxes[i], *b = &s->boxes[i + half];
        double share = 1.0; // of the places at which they meet
        for (int axis = 0; axis < 3; ++axis) {
            const double edges = (double)(a->max[axis] - a->min[axis]) + (double)(b->max[axis] - b->min[axis]);
            share *= edges < extent[axis] ? edges / extent[axis] : 1.0;
        }
        sum += share;
    }
    return half > 0 ? fmin(clumping * sum / (double)half, 1.0) * (double)count : 0.0;
}

// The longest edge along an axis by the mean one, on the axis where this is most.
static double unevenness_of(const sample *s, uint32_t dimensions) {
    double most = 1.0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        double longest = 0.0, sum = 0.0;
        for (size_t i = 0; i < s->count; ++i) {
            const double edge = (double)s->boxes[i].max[axis] - (double)s->boxes[i].min[axis];
            longest = fmax(longest, edge);
            sum += edge;
        }
        most = sum > 0.0 ? fmax(most, longest * (double)s->count / sum) : most;
    }
    return most;
}

// What only explanations and warnings need.
static void describe(bp_choice *choice, const sample *s, size_t count, double extent, uint32_t dimensions) {
    size_t giants = s->infinite;
    double filled = 0.0;
    for (size_t i = 0; i < s->count; ++i) {
        double part = 1.0;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            const double edge = (double)s->boxes[i].max[axis] - (double)s->boxes[i].min[axis];
            const double share = edge / (choice->extent[axis] + (double)s->sizes[i]);
            part *= share < 1.0 ? share : 1.0;
        }
        filled += part;
        giants += (double)s->sizes[i] > 0.125 * extent && (double)s->sizes[i] > GIANT * choice->size;
    }
    choice->filling = filled / (double)s->count * (double)count; // of the space between the outermost boxes
    choice->giants = (double)giants / (double)choice->sampled;   // a good part of the extent, unless all boxes are
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t low = OCTAVES, high = 0;
        for (size_t i = 0; i < s->count; ++i) {
            const uint32_t octave = bp_octave_of(s->boxes[i].max[axis] - s->boxes[i].min[axis]);
            low = octave < low ? octave : low;
            high = octave > high ? octave : high;
        }
        choice->axis_octaves[axis] = high - low;
        choice->farthest = fmax(choice->farthest, fmax(fabs((double)s->low[axis]), fabs((double)s->high[axis])));
    }
}

void bp_survey_take(bp_choice *choice, const bp_method_setup *setup, const bp_strip_sets *sets) {
    const uint32_t dimensions = setup->dimensions;
    sample s; // not zeroed: most of it is for large samples
    s.count = s.infinite = 0;
    s.flatness = 0.0;
    s.least = OCTAVES - 1;
    memset(s.by_size, 0, sizeof s.by_size);
    memset(s.by_slenderness, 0, sizeof s.by_slenderness);
    for (int axis = 0; axis < 3; ++axis) {
        s.low[axis] = FLT_MAX;
        s.high[axis] = -FLT_MAX;
    }
    for (int set = 0; set < (sets->are_two ? 2 : 1); ++set) {
        const size_t wanted = sample_size(sets->counts[set]);
        take_sample(&s, sets->boxes[set], sets->counts[set], sets->are_two ? (wanted + 1) / 2 : wanted, dimensions);
        s.first = set == 0 ? s.count : s.first;
    }
    *choice = (bp_choice){.sampled = (uint32_t)(s.count + s.infinite)};
    choice->infinite = choice->sampled > 0 ? (double)s.infinite / (double)choice->sampled : 0.0;
    if (s.count == 0) {
        return;
    }
    double extent = 0.0;
    for (int axis = 0; axis < 3; ++axis) { // in two dimensions z is flat
        choice->extent[axis] = (double)s.high[axis] - (double)s.low[axis];
        extent = fmax(extent, choice->extent[axis]);
    }
    choice->size = ldexp(1.0, (int)octave_at(s.by_size, s.least, s.count, 16) - 127);
    choice->octaves = octaves_of(&s);
    choice->slenderness = ldexp(1.0, (int)octave_at(s.by_slenderness, 127, s.count, 16) - 127);
    choice->flatness = s.flatness / (double)s.count;
    choice->together = together_of(&s);
    choice->unevenness = unevenness_of(&s, dimensions);
    choice->clumping = clumping_of(&s, dimensions);
    choice->met = met_of(&s, choice->clumping, sets->counts[0] + sets->counts[1], choice->extent);
    if (setup->is_explained) {
        describe(choice, &s, sets->counts[0] + sets->counts[1], extent, dimensions);
    }
}

// A run is loose if along an axis it is longer than all its boxes together, so that there are gaps; or if there is a hole in it.
bool bp_survey_finds_runs(const bp_box *boxes, size_t count, uint32_t dimensions) {
    const size_t run_count = count / RUN, wanted = run_count < RUNS ? run_count : RUNS, half = wanted / 2;
    bp_box runs[RUNS];
    size_t loose = 0, meeting = 0;
    for (size_t i = 0; i < wanted && count >= RUNS_FROM; ++i) {
        const bp_box *run = boxes + RUN * bp_sample_place(run_count, i, wanted);
        runs[i] = run[0];
        float lengths[3] = {0.0f, 0.0f, 0.0f};
        for (size_t k = 0; k < RUN; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                runs[i].min[axis] = bp_smaller(runs[i].min[axis], run[k].min[axis]);
                runs[i].max[axis] = bp_larger(runs[i].max[axis], run[k].max[axis]);
                lengths[axis] += run[k].max[axis] - run[k].min[axis];
            }
        }
        bool is_loose = false;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            is_loose |= !(runs[i].max[axis] - runs[i].min[axis] <= lengths[axis]);
        }
        loose += is_loose;
        if (loose > wanted / LOOSE_SHARE) {
            return false;
        }
        meeting += i >= half && bp_boxes_overlap(&runs[i], &runs[i - half], dimensions);
    }
    return count >= RUNS_FROM && meeting <= (wanted - half) / MEETING_SHARE;
}
