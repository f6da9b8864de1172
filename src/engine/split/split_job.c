#include "engine/split/split_job.h"

enum {
    TINY = 16,               // boxes that are all tested against each other
    LEAF_WITHIN = 64,        // boxes that are always swept
    LEAF_BETWEEN = 2048,     // pairs of two small sets, which are always swept
    SWEEP_TESTS_WITHIN = 32, // of a box in a sweep, on average
    SWEEP_TESTS_BETWEEN = 16,
    SWEEP_TESTS_MAX = 64,     // of a box, where boxes have pairs
    PAIR_TESTS = 8,           // that each pair of a sample allows
    TESTED_WITH_ALL = 16,     // boxes: so few are tested against any number of others
    LARGE_SAMPLE_FROM = 4096, // boxes: from here on, samples are twice as large
    SAMPLE_WITHIN = 32,       // boxes
    SAMPLE_BETWEEN = 16,      // boxes of each set
    CUT_SAMPLE = 16,          // boxes that tell whether cutting a set pays,
    CUT_MAX = 12,             // unless more of them than this would stay
    CUT_MIN = 64,
    DEPTH_MAX = 512 // cuts, one after the other
};

// A plane that eliminates less is weak, and where more than this share of the pairs overlap, nothing can be gained: the
// output pays for testing them all.
static const double WEAK = 0.05, DENSE = 0.25, HURT = 4.0;

size_t bp_split_job_size(const split_job *job) {
    return job->a.count + job->b.count + job->x.count + job->y.count;
}

// ---- decide ---------------------------------------------------------------------------------------------------------

// Drops the boxes of a set that do not touch the bounds of another, if that pays.
static void cut_to(bp_record_set *set, const bp_record_set *other, const bp_kernels *kernels) {
    const bp_record limit = bp_record_mirror(&other->low);
    if (bp_record_at_most(&set->high, &limit)) {
        return;
    }
    size_t staying = 0; // of a sample
    for (size_t i = 0; i < CUT_SAMPLE && set->count >= CUT_MIN; ++i) {
        const size_t jitter = (size_t)(((uint64_t)i * 0x9e3779b1u >> 5) % (set->count / CUT_SAMPLE));
        staying += bp_record_at_most(&set->data[i * set->count / CUT_SAMPLE + jitter], &limit);
    }
    if (staying > CUT_MAX) {
        return;
    }
    bp_record_set cut = bp_record_set_empty(set->data);
    kernels->select_records(set->data, set->count, &limit, &cut);
    *set = cut;
}

// Along this axis, all boxes of a reach below all of b from above.
static bool all_reach(const bp_record_set *a, const bp_record_set *b, int axis) {
    return a->high.min[axis] <= -b->high.negated_max[axis];
}

static bool is_leaf_between(size_t a, size_t b) {
    return a <= TESTED_WITH_ALL || b <= TESTED_WITH_ALL || a * b <= LEAF_BETWEEN;
}

static bool fits_a_sweep(const split_job *job) {
    return job->a.count + job->x.count <= SPLIT_SWEEP_MAX && job->b.count + job->y.count <= SPLIT_SWEEP_MAX;
}

// How many tests a sweep along the best axis would take for some passengers.
static double passenger_tests(const bp_method_setup *setup, const split_job *job, const split_sample *sample,
                              const bp_record_set *members, const bp_record_set *passengers, int axis) {
    split_sample others;
    if (passengers->count == 0 || members->count == 0) {
        return 0.0;
    }
    bp_split_sample_take(&others, passengers, SAMPLE_BETWEEN, ~job->path);
    return bp_split_axis_share(setup->kernels, sample, &others, axis) * (double)members->count *
           (double)passengers->count;
}

// What to do with a job in which a sweep along the best axis takes so many tests: sweep if they are few; where passengers
// are the reason that they are not, those go a way of their own, along another axis. Otherwise SPLIT_NOTHING.
static split_way sweep_or_separate(const split_job *job, double tests, double of_passengers) {
    const double most = job->within ? SWEEP_TESTS_WITHIN : SWEEP_TESTS_BETWEEN;
    const double all = (double)bp_split_job_size(job);
    const double members = (double)(job->a.count + (job->within ? 0 : job->b.count));
    if (tests + of_passengers < most * all) {
        return SPLIT_SWEEP;
    }
    return tests < most * members && of_passengers > HURT * most * (all - members) ? SPLIT_SEPARATE : SPLIT_NOTHING;
}

static split_way sweep_within(const split_job *job, const bp_method_setup *setup, const split_sample *a,
                              const split_plane *plane) {
    if (!fits_a_sweep(job)) {
        return SPLIT_NOTHING;
    }
    const double count = (double)job->a.count, all = (double)bp_split_job_size(job);
    const double tests = 0.5 * count * count * plane->overlap_share;
    const double riding = passenger_tests(setup, job, a, &job->a, &job->b, plane->sweep_axis);
    const split_way way = sweep_or_separate(job, tests, riding);
    if (way == SPLIT_SWEEP || tests + riding > SWEEP_TESTS_MAX * all) {
        return way;
    }
    // How many pairs a box has, by the sample. (In which each box overlaps itself.)
    const double pairs = 0.5 * count * (bp_split_overlap_share(a, a) - 1.0 / (double)a->count);
    return tests + riding < (SWEEP_TESTS_WITHIN + PAIR_TESTS * pairs) * all ? SPLIT_SWEEP : way;
}

static split_way sweep_between(const split_job *job, const bp_method_setup *setup, const split_sample *a,
                               const split_sample *b, const split_plane *plane) {
    if (!fits_a_sweep(job)) {
        return SPLIT_NOTHING;
    }
    return sweep_or_separate(job, (double)job->a.count * (double)job->b.count * plane->overlap_share,
                             passenger_tests(setup, job, a, &job->a, &job->y, plane->sweep_axis) +
                                 passenger_tests(setup, job, b, &job->b, &job->x, plane->sweep_axis));
}

static split_decision decide_within(split_job *job, const bp_method_setup *setup) {
    split_decision decision = {.way = SPLIT_TEST};
    split_sample sample;
    if (job->a.count == 0 || job->a.count + job->b.count < 2) {
        decision.way = SPLIT_NOTHING;
        return decision;
    }
    if (job->b.count > 0) {
        cut_to(&job->b, &job->a, setup->kernels);
    }
    if (job->a.count <= TINY || job->depth > DEPTH_MAX) {
        return decision;
    }
    bp_split_sample_take(&sample, &job->a, job->a.count > LARGE_SAMPLE_FROM ? 2 * SAMPLE_WITHIN : SAMPLE_WITHIN,
                         job->path);
    decision.plane = bp_split_plane_inside(setup->kernels, setup->dimensions, &sample);
    if (job->a.count <= LEAF_WITHIN && job->b.count <= LEAF_WITHIN) {
        decision.way = SPLIT_SWEEP;
        return decision;
    }
    decision.way = sweep_within(job, setup, &sample, &decision.plane);
    if (decision.way != SPLIT_NOTHING) {
        return decision;
    }
    decision.way = SPLIT_TEST;
    if (job->b.count > job->a.count || job->a.count <= LEAF_WITHIN) {
        decision.way = SPLIT_SEPARATE;
        return decision;
    }
    if (decision.plane.share < WEAK) {
        bp_split_sample_take(&sample, &job->a, SPLIT_SAMPLE_MAX, ~job->path);
        if (bp_split_overlap_share(&sample, &sample) > DENSE) {
            return decision;
        }
        decision.plane = bp_split_plane_inside(setup->kernels, setup->dimensions, &sample);
    }
    decision.way = decision.plane.axis < 0 ? SPLIT_TEST : SPLIT_BOTH_SIDES;
    return decision;
}

static void sample_both(const split_job *job, size_t most, uint32_t seed, split_sample *a, split_sample *b) {
    bp_split_sample_take(a, &job->a, most, seed);
    bp_split_sample_take(b, &job->b, most, seed + 0x9e3779b9u);
}

static split_decision decide_between(split_job *job, const bp_method_setup *setup) {
    split_decision decision = {.way = SPLIT_TEST};
    split_sample a, b;
    for (int i = 0; i < 4 && job->a.count > 0 && job->b.count > 0; ++i) { // to each other, twice
        cut_to(i % 2 == 0 ? &job->a : &job->b, i % 2 == 0 ? &job->b : &job->a, setup->kernels);
    }
    if (job->a.count == 0 || job->b.count == 0) {
        decision.way = SPLIT_NOTHING;
        return decision;
    }
    const size_t tests = job->a.count * job->b.count;
    const bool is_leaf = is_leaf_between(job->a.count, job->b.count);
    if (tests <= (size_t)TINY * TINY || (is_leaf && !fits_a_sweep(job)) || job->depth > DEPTH_MAX) {
        return decision;
    }
    const size_t most = job->a.count + job->b.count > LARGE_SAMPLE_FROM ? 2 * SAMPLE_BETWEEN : SAMPLE_BETWEEN;
    sample_both(job, most, job->path, &a, &b);
    decision.plane = bp_split_plane_between(setup->kernels, setup->dimensions, &a, &b);
    decision.way = is_leaf ? SPLIT_SWEEP : sweep_between(job, setup, &a, &b, &decision.plane);
    if (decision.way != SPLIT_NOTHING) {
        return decision;
    }
    decision.way = SPLIT_TEST;
    if (decision.plane.share < WEAK) {
        sample_both(job, SPLIT_SAMPLE_MAX / 2, ~job->path, &a, &b);
        if (bp_split_overlap_share(&a, &b) > DENSE) {
            return decision;
        }
        decision.plane = bp_split_plane_between(setup->kernels, setup->dimensions, &a, &b);
        if (decision.plane.axis < 0) {
            return decision;
        }
    }
    const bool above = all_reach(&job->a, &job->b, decision.plane.axis);
    const bool below = all_reach(&job->b, &job->a, decision.plane.axis);
    decision.way = above || below ? SPLIT_ONE_SIDE : SPLIT_BOTH_SIDES;
    decision.b_reaches_a = below && !above;
    return decision;
}

// With passengers: goes on as long as they are fewer than the sets that they accompany, and planes are good.
static split_decision decide_with_passengers(split_job *job, const bp_method_setup *setup) {
    split_decision decision = {.way = SPLIT_SEPARATE};
    split_sample a, b;
    const bool a_counts = job->a.count > 0 && job->b.count + job->y.count > 0;
    const bool b_counts = job->b.count > 0 && job->a.count + job->x.count > 0;
    if (!a_counts && !b_counts) {
        decision.way = SPLIT_NOTHING;
        return decision;
    }
    if (is_leaf_between(job->a.count, job->b.count) || job->y.count > job->a.count || job->x.count > job->b.count) {
        return decision;
    }
    const size_t most = job->a.count + job->b.count > LARGE_SAMPLE_FROM ? 2 * SAMPLE_BETWEEN : SAMPLE_BETWEEN;
    sample_both(job, most, job->path, &a, &b);
    decision.plane = bp_split_plane_between(setup->kernels, setup->dimensions, &a, &b);
    decision.way = sweep_between(job, setup, &a, &b, &decision.plane);
    if (decision.way != SPLIT_NOTHING) {
        return decision;
    }
    decision.way = SPLIT_SEPARATE;
    if (decision.plane.share >= WEAK && !all_reach(&job->a, &job->b, decision.plane.axis) &&
        !all_reach(&job->b, &job->a, decision.plane.axis)) {
        decision.way = SPLIT_BOTH_SIDES;
    }
    return decision;
}

split_decision bp_split_decide(split_job *job, const bp_method_setup *setup) {
    if (job->within) {
        return decide_within(job, setup);
    }
    return job->x.count + job->y.count == 0 ? decide_between(job, setup) : decide_with_passengers(job, setup);
}

// ---- partition ------------------------------------------------------------------------------------------------------

void bp_split_partition(const split_job *job, const split_decision *decision, const bp_kernels *kernels,
                        bp_record *scratch, split_subsets *subsets) {
    if (decision->way != SPLIT_BOTH_SIDES && decision->way != SPLIT_ONE_SIDE) {
        return;
    }
    const split_plane *plane = &decision->plane;
    kernels->partition_records(job->a.data, job->a.count, plane->axis, plane->at, scratch, subsets->a);
    if (!job->within) {
        kernels->partition_records(job->b.data, job->b.count, plane->axis, plane->at, scratch, subsets->b);
    }
}

size_t bp_split_room(const split_job *job, const split_decision *decision, const split_subsets *subsets) {
    const size_t slack = 4; // each selection writes one record more than it keeps
    switch (decision->way) {
    case SPLIT_SEPARATE: return job->a.count + job->b.count + slack;
    case SPLIT_BOTH_SIDES: {
        const size_t across = subsets->a[1].count + (job->within ? 0 : subsets->b[1].count);
        const size_t passengers = job->within ? job->b.count : job->x.count + job->y.count;
        return 2 * (across + passengers) + slack;
    }
    case SPLIT_ONE_SIDE: return job->a.count + job->b.count + slack;
    case SPLIT_NOTHING:
    case SPLIT_TEST:
    case SPLIT_SWEEP:
    default: return 0;
    }
}

// ---- carry ----------------------------------------------------------------------------------------------------------

// Where copies go, one after the other.
typedef struct carrier {
    const bp_kernels *kernels;
    bp_record *at;
} carrier;

// Copies of the boxes of two sets that touch the bounds of `other`.
static bp_record_set copy_touching(carrier *c, const bp_record_set *first, const bp_record_set *second,
                                   const bp_record_set *other) {
    bp_record_set copy = bp_record_set_empty(c->at);
    if (other->count > 0) {
        const bp_record limit = bp_record_mirror(&other->low);
        c->kernels->select_records(first->data, first->count, &limit, &copy);
        if (second != NULL) {
            c->kernels->select_records(second->data, second->count, &limit, &copy);
        }
    }
    c->at += copy.count;
    return copy;
}

// Two sets of which the second begins where the first ends.
static bp_record_set join_sets(const bp_record_set *first, const bp_record_set *second) {
    bp_record_set joined = *first;
    joined.count += second->count;
    for (int axis = 0; axis < 3; ++axis) {
        joined.low.min[axis] = fminf(first->low.min[axis], second->low.min[axis]);
        joined.low.negated_max[axis] = fminf(first->low.negated_max[axis], second->low.negated_max[axis]);
        joined.high.min[axis] = fmaxf(first->high.min[axis], second->high.min[axis]);
        joined.high.negated_max[axis] = fmaxf(first->high.negated_max[axis], second->high.negated_max[axis]);
    }
    return joined;
}

void bp_split_carry(const split_job *job, const split_decision *decision, const bp_kernels *kernels,
                    const split_subsets *subsets, bp_record *memory, split_job children[SPLIT_CHILDREN],
                    bp_record *end[SPLIT_CHILDREN]) {
    const bp_record_set none = bp_record_set_empty(NULL);
    const bool separates = decision->way == SPLIT_SEPARATE;
    carrier c = {.kernels = kernels, .at = memory};
    for (uint32_t i = 0; i < SPLIT_CHILDREN; ++i) {
        children[i] = (split_job){.within = job->within && !(separates && i < 2),
                                  .path = (job->path + i + 1) * 0x9e3779b1u ^ job->path >> 15,
                                  .depth = job->depth + 1,
                                  .a = none,
                                  .b = none,
                                  .x = none,
                                  .y = none};
    }
    end[2] = memory;
    split_job *first = &children[0], *second = &children[1], *last = &children[2];
    if (decision->way == SPLIT_ONE_SIDE) {
        // A pair needs b.min <= a.max. Of a, `low` ends before the plane; of b, `high` begins behind it: low and high never
        // meet. (With b_reaches_a, the other way round.)
        const bool swapped = decision->b_reaches_a;
        const bp_record_set *ones = swapped ? subsets->b : subsets->a, *others = swapped ? subsets->a : subsets->b;
        const bp_record_set low = ones[0], high = join_sets(&ones[1], &ones[2]);
        const bp_record_set other_low = join_sets(&others[0], &others[1]), other_high = others[2];
        const bp_record_set other_copy = copy_touching(&c, &other_low, NULL, &low);
        end[0] = c.at;
        const bp_record_set copy = copy_touching(&c, &high, NULL, &other_high);
        end[1] = c.at;
        const bp_record_set a[] = {low, copy, high}, b[] = {other_copy, other_high, other_low};
        for (int i = 0; i < SPLIT_CHILDREN; ++i) {
            children[i].a = swapped ? b[i] : a[i];
            children[i].b = swapped ? a[i] : b[i];
        }
    } else if (separates && job->within) {
        first->a = copy_touching(&c, &job->a, NULL, &job->b);
        first->b = job->b;
        end[0] = end[1] = c.at;
        last->a = job->a;
    } else if (separates) {
        first->a = copy_touching(&c, &job->a, NULL, &job->y);
        first->b = job->y;
        end[0] = c.at;
        second->a = job->x;
        second->b = copy_touching(&c, &job->b, NULL, &job->x);
        end[1] = c.at;
        last->a = job->a;
        last->b = job->b;
    } else {
        for (size_t side = 0; side < 2; ++side) {
            split_job *child = &children[side];
            child->a = subsets->a[2 * side];
            if (job->within) {
                child->b = copy_touching(&c, &job->b, &subsets->a[1], &child->a);
            } else {
                child->b = subsets->b[2 * side];
                child->x = copy_touching(&c, &job->x, &subsets->a[1], &child->b);
                child->y = copy_touching(&c, &job->y, &subsets->b[1], &child->a);
            }
            end[side] = c.at;
        }
        last->a = subsets->a[1];
        last->b = job->within ? job->b : subsets->b[1];
        last->x = job->within ? none : job->x;
        last->y = job->within ? none : job->y;
        if (!job->within && last->b.count > 0) {
            cut_to(&last->x, &last->b, kernels);
        }
        if (!job->within && last->a.count > 0) {
            cut_to(&last->y, &last->a, kernels);
        }
    }
}
