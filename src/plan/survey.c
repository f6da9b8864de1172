#include "plan/survey.h"

#include "base/boxes.h"
#include "base/cells.h"
#include "base/sample.h"

#include <string.h>

enum {
    SAMPLE_MOST = 512,
    SAMPLE_SHARE = 16, // at most one box in this many, so that a sample costs little where objects are few, too;
    SAMPLE_LEAST = 48, // but fewer than these say nothing
    OCTAVES = 256,     // exponents of a float
    GIANT = 16,        // times the median size
    RUN = 8,           // boxes of a run,
    RUNS = 48,         // of which so many are looked at;
    LOOSE_SHARE = 4,   // one in so many may be loose,
    MEETING_SHARE = 2, // and one in so many meet one from elsewhere
    RUNS_FROM = 512,   // boxes, of which enough runs can be seen
    CLUMP_CELLS = 64   // that the extent is divided into to measure clumping: 4 x 4 x 4, or 8 x 8
};

// The finite boxes of a sample.
typedef struct sample {
    bp_box boxes[SAMPLE_MOST];
    float centers[SAMPLE_MOST][3];
    float sizes[SAMPLE_MOST]; // as grids see them (bp_fit_size): longest edges, or more far from the origin
    float slenderness[SAMPLE_MOST];
    size_t count;
    size_t infinite; // left out
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

static void take_sample(sample *s, const bp_box *boxes, size_t count, uint32_t dimensions) {
    const size_t wanted = sample_size(count);
    s->count = 0;
    s->infinite = 0;
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
            s->centers[s->count][axis] = 0.5f * flat.min[axis] + 0.5f * flat.max[axis];
        }
        s->boxes[s->count] = flat;
        s->slenderness[s->count] = slenderness_of(box, dimensions);
        s->sizes[s->count++] = size;
    }
}

// A histogram of sizes, by octave.
typedef struct octaves {
    uint16_t counts[OCTAVES];
} octaves;

// The octave below which a fraction of the sample is, in 1/32.
static uint32_t octave_at(const octaves *o, size_t count, size_t share) {
    size_t below = 0;
    uint32_t octave = 0;
    while (octave < OCTAVES - 1 && (below += o->counts[octave]) * 32 <= count * share) {
        ++octave;
    }
    return octave;
}

static void count_octaves(const sample *s, octaves *o) {
    memset(o, 0, sizeof *o);
    for (size_t i = 0; i < s->count; ++i) {
        ++o->counts[bp_octave_of(s->sizes[i])];
    }
}

// The number of octaves that hold nearly all of the sample; empty ones in between do not count.
static uint32_t octaves_of(const octaves *o, size_t count) {
    const uint32_t last = octave_at(o, count, 31);
    uint32_t used = 0;
    for (uint32_t octave = octave_at(o, count, 0); octave <= last; ++octave) {
        used += o->counts[octave] > 0;
    }
    return used;
}

static uint32_t octaves_along(const sample *s, uint32_t axis) {
    uint32_t low = OCTAVES, high = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const uint32_t octave = bp_octave_of(s->boxes[i].max[axis] - s->boxes[i].min[axis]);
        low = octave < low ? octave : low;
        high = octave > high ? octave : high;
    }
    return high >= low ? high - low : 0;
}

// The bounds of the centres of boxes whose size is below an octave.
static void bounds_below(const sample *s, uint32_t octave, float low[3], float high[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = FLT_MAX;
        high[axis] = -FLT_MAX;
    }
    for (size_t i = 0; i < s->count; ++i) {
        for (int axis = 0; axis < 3 && bp_octave_of(s->sizes[i]) < octave; ++axis) {
            low[axis] = bp_smaller(low[axis], s->centers[i][axis]);
            high[axis] = bp_larger(high[axis], s->centers[i][axis]);
        }
    }
}

static double longest_extent(const float low[3], const float high[3]) {
    double longest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        longest = fmax(longest, (double)high[axis] - (double)low[axis]);
    }
    return longest;
}

// How much more often two boxes of the sample share a cell than if they were spread evenly.
static double clumping_of(const sample *s, const float low[3], const float high[3], uint32_t dimensions) {
    uint16_t cells[CLUMP_CELLS] = {0};
    const size_t per_axis = dimensions == 2 ? 8 : 4;
    double scale[3], cell_count = 1.0, pairs = 0.0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const double extent = (double)high[axis] - (double)low[axis];
        scale[axis] = axis < dimensions && extent > 0.0 ? (double)per_axis * 0.999999 / extent : 0.0;
        cell_count *= scale[axis] > 0.0 ? (double)per_axis : 1.0;
    }
    for (size_t i = 0; i < s->count; ++i) {
        size_t cell = 0;
        for (int axis = 0; axis < 3; ++axis) {
            cell = cell * (scale[axis] > 0.0 ? per_axis : 1) +
                   (size_t)(((double)s->centers[i][axis] - (double)low[axis]) * scale[axis]);
        }
        pairs += cells[cell]++;
    }
    const double all = 0.5 * (double)s->count * (double)(s->count - 1);
    return all > 0.0 ? pairs / all * cell_count : 0.0;
}

// The fraction of the space between the outermost boxes that all boxes together would fill.
static double filling_of(const sample *s, size_t count, const double extent[3], uint32_t dimensions) {
    double sum = 0.0;
    for (size_t i = 0; i < s->count; ++i) {
        double part = 1.0;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            const double edge = (double)s->boxes[i].max[axis] - (double)s->boxes[i].min[axis];
            const double share = edge / (extent[axis] + (double)s->sizes[i]);
            part *= share < 1.0 ? share : 1.0;
        }
        sum += part;
    }
    return s->count > 0 ? sum / (double)s->count * (double)count : 0.0;
}

static double farthest_of(const float low[3], const float high[3]) {
    double farthest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        farthest = fmax(farthest, fmax(fabs((double)low[axis]), fabs((double)high[axis])));
    }
    return farthest;
}

// Boxes that are a good part of the extent, unless all of them are.
static size_t count_giants(const sample *s, double extent, double size) {
    size_t giants = s->infinite;
    for (size_t i = 0; i < s->count; ++i) {
        giants += (double)s->sizes[i] > 0.125 * extent && (double)s->sizes[i] > GIANT * size;
    }
    return giants;
}

// The median, rounded down to a power of two.
static double median_slenderness(const sample *s) {
    octaves o = {{0}};
    for (size_t i = 0; i < s->count; ++i) {
        ++o.counts[bp_octave_of(s->slenderness[i])];
    }
    return ldexp(1.0, (int)octave_at(&o, s->count, 16) - 127);
}

void bp_survey_take(bp_choice *choice, uint32_t dimensions, const bp_box *boxes, size_t count) {
    sample s;
    octaves o;
    take_sample(&s, boxes, count, dimensions);
    *choice = (bp_choice){.sampled = (uint32_t)(s.count + s.infinite)};
    choice->infinite = choice->sampled > 0 ? (double)s.infinite / (double)choice->sampled : 0.0;
    if (s.count == 0) {
        return;
    }
    choice->slenderness = median_slenderness(&s);
    float low[3], high[3], fine_low[3], fine_high[3];
    count_octaves(&s, &o);
    const uint32_t middle = octave_at(&o, s.count, 16);
    bounds_below(&s, OCTAVES, low, high);
    bounds_below(&s, middle + 1, fine_low, fine_high);
    for (uint32_t axis = 0; axis < 3; ++axis) { // in two dimensions z is flat
        choice->extent[axis] = (double)high[axis] - (double)low[axis];
        choice->axis_octaves[axis] = octaves_along(&s, axis);
    }
    const double extent = longest_extent(low, high);
    choice->octaves = octaves_of(&o, s.count);
    choice->size = ldexp(1.0, (int)middle - 127);
    choice->nesting = extent > 0.0 ? longest_extent(fine_low, fine_high) / extent : 1.0;
    choice->clumping = clumping_of(&s, low, high, dimensions);
    choice->filling = filling_of(&s, count, choice->extent, dimensions);
    choice->giants = (double)count_giants(&s, extent, choice->size) / (double)choice->sampled;
    choice->farthest = farthest_of(low, high);
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
