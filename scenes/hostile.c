// From the parameters of a hostile scene to its boxes.
#include "hostile.h"

#include <math.h>
#include <stdlib.h>

// Before the sizes are shrunk: an interval per axis, of which those that shrink do so around their centre.
typedef struct rough_box {
    double center[3], half[3];
    bool shrinks[3], low[3], high[3]; // low, high: infinite there
} rough_box;

typedef struct rough_set {
    rough_box *boxes;
    size_t count;
} rough_set;

// 2^-octaves, linear from one whole number to the next: exact operations only, and nearly log-uniform.
static double fall(double octaves) {
    const double whole = floor(octaves);
    return whole >= 200 ? 0 : ldexp(2 - (octaves - whole), -(int)whole - 1);
}

// ---------------------------------------------------------------------------------------------------------------------
// Places

// A place as a share of the domain, and how far it is to the next one.
typedef struct slot {
    double at, gap;
} slot;

// The smallest edge of a lattice with `axes` axes and at least `count` slots.
static size_t lattice_edge(size_t count, size_t axes) {
    size_t edge = 1;
    for (;; ++edge) {
        size_t slots = edge;
        for (size_t i = 1; i < axes; ++i) {
            slots *= edge;
        }
        if (slots >= count) {
            return edge;
        }
    }
}

typedef struct maker {
    const hostile_part *part;
    size_t count;
    size_t edge; // of the lattice
    rng *random;
} maker;

static maker make_for(const hostile_part *part, size_t count, rng *random) {
    size_t axes = 0;
    for (size_t role = 0; role < 3; ++role) {
        axes += part->axes[role].place == PLACE_LATTICE ? 1 : 0;
    }
    return (maker){part, count, axes ? axes == 1 ? count : lattice_edge(count, axes) : 1, random};
}

static slot lattice_slot(const maker *m, size_t role, size_t index) {
    for (size_t before = 0; before < role; ++before) {
        index /= m->part->axes[before].place == PLACE_LATTICE ? m->edge : 1;
    }
    return (slot){(double)(index % m->edge) / (double)m->edge, 1 / (double)m->edge};
}

static slot clump_slot(const maker *m, int levels) {
    double at = 0, gap = 1;
    for (int i = 0; i < levels; ++i) {
        gap /= 4;
        at += rng_below(m->random, 2) ? 3 * gap : 0;
    }
    return (slot){at + gap * rng_unit(m->random), gap};
}

// Multiples of these irrational numbers fall into 0 .. 1 at nearly even distances, in different orders.
static const double SPREADS[3] = {0.6180339887498949, 0.7548776662466927, 0.5497004779019703};

static slot choose_slot(const maker *m, size_t role, size_t index) {
    const hostile_axis *axis = &m->part->axes[role];
    const double each = 1 / (double)m->count, turns = (double)index * SPREADS[role];
    const double layers = ldexp(1, axis->layers);
    switch (axis->place) {
    case PLACE_RANK: return (slot){(double)index * each, each};
    case PLACE_SPREAD: return (slot){turns - floor(turns), each};
    case PLACE_LATTICE: return lattice_slot(m, role, index);
    case PLACE_LAYERS: return (slot){floor(rng_unit(m->random) * layers) / layers, 1 / layers};
    case PLACE_CLUMPS: return clump_slot(m, axis->layers);
    case PLACE_SAME: return (slot){0, 1};
    default: return (slot){rng_unit(m->random), each};
    }
}

static slot shift_and_stretch(const hostile_axis *axis, slot s) {
    s.at += axis->phase / 8.0 * s.gap;
    if (axis->octaves == 0) {
        return s;
    }
    const double at = fall(axis->octaves * (1 - s.at));
    const double next = 1 - s.at - s.gap;
    return (slot){at, next > 0 ? fall(axis->octaves * next) - at : at};
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes

static size_t axis_of_role(size_t role, size_t turn, bool flat) {
    return flat ? (role == 2 ? 2 : (role + turn) % 2) : (role + turn) % 3;
}

static size_t choose_turn(const maker *m, size_t index, bool flat) {
    const int turn = m->part->turn;
    return turn == TURN_RANDOM ? rng_below(m->random, flat ? 2 : 3) : turn == TURN_INDEX ? index % 3 : (size_t)turn;
}

static bool is_chosen(rng *random, int eighths) {
    return eighths > 0 && rng_below(random, 8) < (uint32_t)eighths;
}

// One axis of a box. `first` is the distance of role a's place from 0.
static void set_axis(const maker *m, const hostile_axis *axis, slot s, double first, double scale, size_t k,
                     rough_box *box) {
    const double share = fall(axis->size + axis->sizes * rng_unit(m->random));
    const double units[] = {1, s.gap, s.at, 2 * first * (1 - 0x1p-10)};
    const double size = share * units[axis->unit];
    const bool begins = axis->unit == UNIT_GAP || axis->unit == UNIT_PLACE;
    const double sign = axis->mirror ? rng_sign(m->random) : 1;
    box->center[k] = (sign * (begins ? s.at + size / 2 : s.at) + axis->at) * scale;
    box->half[k] = size / 2 * scale;
    box->shrinks[k] = axis->unit == UNIT_DOMAIN && axis->size > 0;
    box->low[k] = is_chosen(m->random, axis->low);
    box->high[k] = is_chosen(m->random, axis->high);
}

static rough_box make_box(const maker *m, size_t index, bool flat) {
    rough_box box;
    const size_t turn = choose_turn(m, index, flat);
    const double scale = m->part->scale ? fall(m->part->scale * rng_unit(m->random)) : 1;
    double first = 0;
    for (size_t role = 0; role < 3; ++role) {
        const hostile_axis *axis = &m->part->axes[role];
        const slot s = shift_and_stretch(axis, choose_slot(m, role, index));
        first = role == 0 ? s.at : first;
        set_axis(m, axis, s, first, scale, axis_of_role(role, turn, flat), &box);
    }
    return box;
}

static size_t share_of(const hostile_part *part) {
    return part->share > 0 ? (size_t)part->share : 1;
}

static size_t sum_of_shares(const hostile_scene *scene, size_t first, size_t end) {
    size_t sum = 0;
    for (size_t i = first; i < end; ++i) {
        sum += share_of(&scene->parts[i]);
    }
    return sum;
}

static void swap_boxes(rough_box *a, rough_box *b) {
    const rough_box copy = *a;
    *a = *b;
    *b = copy;
}

// The last part gets what rounding leaves.
static bool make_set(const hostile_scene *scene, size_t first, size_t end, size_t count, rng *random, rough_set *set) {
    *set = (rough_set){malloc((count + 1) * sizeof *set->boxes), 0};
    if (!set->boxes) {
        return false;
    }
    const size_t shares = sum_of_shares(scene, first, end);
    for (size_t i = first; i < end; ++i) {
        const size_t part = count * share_of(&scene->parts[i]) / shares;
        const maker m = make_for(&scene->parts[i], i + 1 < end ? part : count - set->count, random);
        for (size_t k = 0; k < m.count; ++k) {
            set->boxes[set->count++] = make_box(&m, k, scene->flat);
        }
    }
    for (size_t i = count; i > 1 && !scene->sorted; --i) {
        swap_boxes(&set->boxes[i - 1], &set->boxes[rng_below(random, (uint32_t)i)]);
    }
    return true;
}

static bp_box finish_box(const rough_box *rough, double factor) {
    bp_box box;
    for (size_t axis = 0; axis < 3; ++axis) {
        const double half = rough->half[axis] * (rough->shrinks[axis] ? factor : 1);
        box.min[axis] = rough->low[axis] ? -INFINITY : (float)(rough->center[axis] - half);
        box.max[axis] = rough->high[axis] ? INFINITY : (float)(rough->center[axis] + half);
    }
    return box;
}

// ---------------------------------------------------------------------------------------------------------------------
// Few pairs

enum { SAMPLE = 2000, SHRINKINGS = 120 };
static const double SHRINK_BY = 0.75;

// Without branches: most boxes miss each other along some axis, but nobody knows along which.
static size_t overlaps(const bp_box *a, const bp_box *b) {
    return (size_t)((a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) &
                    (b->min[1] <= a->max[1]) & (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]));
}

// One box from each of so many stretches, at a place without a rhythm.
static size_t sample_set(const rough_set *set, double factor, uint32_t dimensions, bp_box sample[SAMPLE]) {
    const size_t count = set->count < SAMPLE ? set->count : SAMPLE;
    for (size_t i = 0; i < count; ++i) {
        const size_t from = i * set->count / count, to = (i + 1) * set->count / count;
        const double turns = (double)i * SPREADS[0];
        const size_t inside = (size_t)((turns - floor(turns)) * (double)(to - from));
        sample[i] = finish_box(&set->boxes[from + inside], factor);
        if (dimensions == 2) {
            sample[i].min[2] = sample[i].max[2] = 0;
        }
    }
    return count;
}

// The number of pairs, estimated from a sample; beyond `most` it need not be right.
static double estimate_pairs(const rough_set *a, const rough_set *b, double factor, uint32_t dimensions, double most) {
    bp_box *samples = malloc(2 * (size_t)SAMPLE * sizeof *samples);
    if (!samples) {
        return 0;
    }
    bp_box *others = samples + SAMPLE;
    const rough_set *other = b->boxes ? b : a;
    const size_t a_count = sample_set(a, factor, dimensions, samples);
    const size_t b_count = sample_set(other, factor, dimensions, others);
    const double each = ((double)a->count / (double)a_count) * ((double)other->count / (double)b_count);
    size_t hits = 0;
    for (size_t i = 0; i < a_count && (double)hits * each <= most; ++i) {
        for (size_t j = b->boxes ? 0 : i + 1; j < b_count; ++j) {
            hits += overlaps(&samples[i], &others[j]);
        }
    }
    free(samples);
    return (double)hits * each;
}

// The largest power of SHRINK_BY with few enough pairs; the fewer, the smaller it is, so halving finds it. 1 where even
// the smallest does not help.
static double choose_factor(const rough_set *a, const rough_set *b, uint32_t dimensions) {
    const double most = HOSTILE_PAIRS * (double)(a->count + b->count);
    double factors[SHRINKINGS + 1] = {1};
    for (size_t i = 1; i <= SHRINKINGS; ++i) {
        factors[i] = factors[i - 1] * SHRINK_BY;
    }
    size_t low = 0, high = SHRINKINGS;
    if (estimate_pairs(a, b, factors[high], dimensions, most) > most) {
        return 1;
    }
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (estimate_pairs(a, b, factors[middle], dimensions, most) <= most) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return factors[high];
}

// ---------------------------------------------------------------------------------------------------------------------

static bp_box *finish_set(const rough_set *set, double factor) {
    bp_box *boxes = set->boxes ? malloc((set->count + 1) * sizeof *boxes) : NULL;
    for (size_t i = 0; boxes && i < set->count; ++i) {
        boxes[i] = finish_box(&set->boxes[i], factor);
    }
    return boxes;
}

static bool finish(const hostile_scene *scene, const rough_set *a, const rough_set *b, hostile_boxes *boxes) {
    const uint32_t dimensions = scene->flat ? 2 : 3;
    const double factor = choose_factor(a, b, dimensions);
    *boxes = (hostile_boxes){.a_count = a->count, .b_count = b->count, .dimensions = dimensions};
    boxes->pairs = estimate_pairs(a, b, factor, dimensions, INFINITY);
    boxes->a = finish_set(a, factor);
    boxes->b = finish_set(b, factor);
    const bool fine = boxes->a && (boxes->b || !b->boxes);
    if (!fine) {
        hostile_free(boxes);
    }
    return fine;
}

bool hostile_build(const hostile_scene *scene, size_t count, uint64_t seed, hostile_boxes *boxes) {
    if (scene->part_count == 0) {
        return false;
    }
    rng random = rng_seeded(seed);
    rough_set a = {0}, b = {0};
    const size_t end = scene->second ? scene->second : scene->part_count;
    const size_t all = sum_of_shares(scene, 0, scene->part_count);
    const size_t first = scene->second ? count * sum_of_shares(scene, 0, end) / all : count;
    const bool made = make_set(scene, 0, end, first, &random, &a) &&
                      (!scene->second || make_set(scene, end, scene->part_count, count - first, &random, &b));
    const bool fine = made && finish(scene, &a, &b, boxes);
    free(a.boxes);
    free(b.boxes);
    return fine;
}

void hostile_free(hostile_boxes *boxes) {
    free(boxes->a);
    free(boxes->b);
    *boxes = (hostile_boxes){0};
}
