#include "engine/split/split_slabs.h"

#include "base/boxes.h"
#include "base/parallel.h"

enum {
    SLAB_MIN = 4096, // boxes
    SLABS_MIN = 4,
    BLOCK_MIN = 8192, // boxes that are worth a task
    BLOCKS_MAX = 64
};

// At most this many passengers for each member, as expected from the sample.
static const double PASSENGERS = 0.5;

// ---- the plan -------------------------------------------------------------------------------------------------------

void bp_split_record_put(bp_record *to, const bp_box *box, uint32_t dimensions, uint32_t id) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        to->min[axis] = axis < dimensions ? box->min[axis] : 0.0f;
        to->negated_max[axis] = axis < dimensions ? -box->max[axis] : 0.0f;
    }
    to->id = id;
    to->unused = 0;
}

bp_record_set bp_split_bounded_set(const bp_kernels *kernels, bp_record *records, size_t count) {
    const bp_record all = {.min = {INFINITY, INFINITY, INFINITY}, .negated_max = {INFINITY, INFINITY, INFINITY}};
    bp_record_set set = bp_record_set_empty(records);
    kernels->select_records(records, count, &all, &set);
    return set;
}

// Gives each bin its slab, so that slabs have about equally many boxes of the sample. False if they cannot be told apart: too
// many boxes are in one bin.
static bool divide_bins(split_slabs *s, const split_sample *sample) {
    uint16_t counts[SPLIT_BINS] = {0};
    size_t members[SPLIT_SLABS_MAX] = {0}, before = 0, most = 0;
    const size_t all = sample->count > 0 ? sample->count : 1; // there are always some, which clang cannot know
    for (size_t i = 0; i < sample->count; ++i) {
        ++counts[split_bin_of(&s->bins, sample->min[s->axis][i])];
    }
    for (size_t k = 0; k < SPLIT_BINS; ++k) {
        const size_t middle = before + counts[k] / 2, wanted = middle * s->count / all;
        const size_t slab = wanted < s->count ? wanted : s->count - 1;
        s->slab[k] = (uint8_t)slab;
        members[slab] += counts[k];
        most = members[slab] > most ? members[slab] : most;
        before += counts[k];
    }
    return most * s->count <= 4 * sample->count;
}

bool bp_split_slabs_plan(split_slabs *s) {
    bp_record records[SPLIT_SAMPLE_MAX];
    bp_record_set set = {.data = records};
    uint16_t counts[SPLIT_COARSE_BINS] = {0};
    split_sample sample;
    size_t total = 0;
    for (size_t i = 0; i < s->set_count; ++i) {
        total += s->sets[i].count;
    }
    if (total < (size_t)SLABS_MIN * SLAB_MIN) {
        return false;
    }
    for (size_t i = 0; i < SPLIT_SAMPLE_MAX; ++i) { // some boxes of all sets; holes are left out
        size_t at =
            (size_t)(((uint64_t)i * total + (uint64_t)(i * 0x9e3779b1u & 0xffff) * total / 0x10000) / SPLIT_SAMPLE_MAX);
        const split_slab_set *from = &s->sets[0];
        if (at >= from->count) {
            at -= from->count;
            from = &s->sets[1];
        }
        bp_split_record_put(&records[set.count], &from->boxes[at], s->setup->dimensions, 0);
        set.count += !bp_box_is_hole(&from->boxes[at]);
    }
    bp_split_sample_take(&sample, &set, SPLIT_SAMPLE_MAX, 0);
    if (sample.count < SPLIT_SAMPLE_MAX / 2) {
        return false;
    }
    const split_plane plane = bp_split_plane_inside(s->setup->kernels, s->setup->dimensions, &sample);
    // A plane is crossed by about half as many boxes as overlap another one.
    const double most = 2.0 * PASSENGERS / fmax(plane.overlap_share, 0x1p-20);
    s->count = total / SLAB_MIN < SPLIT_SLABS_MAX ? total / SLAB_MIN : SPLIT_SLABS_MAX;
    s->count = most < (double)s->count ? (size_t)most : s->count;
    if (s->count < SLABS_MIN) {
        return false;
    }
    s->axis = plane.sweep_axis;
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < sample.count; ++i) {
        low = bp_smaller(low, sample.min[s->axis][i]);
        high = bp_larger(high, sample.min[s->axis][i]);
    }
    if (split_bins_between(&s->bins, low, high, SPLIT_BINS) && divide_bins(s, &sample)) {
        return true;
    }
    split_bins_of_floats(&s->bins, low, high);
    for (size_t i = 0; i < sample.count; ++i) {
        ++counts[split_coarse_bin_of(&s->bins, sample.min[s->axis][i])];
    }
    split_bins_refine(&s->bins, counts);
    return divide_bins(s, &sample);
}

// ---- counting and filling -------------------------------------------------------------------------------------------

size_t bp_split_slabs_counts(const split_slabs *s) {
    return (size_t)2 * BLOCKS_MAX * (s->count + 1);
}

static bp_blocks blocks_of(const split_slabs *s, const split_slab_set *set) {
    return bp_blocks_cut(&s->setup->runtime.executor, set->count, BLOCK_MIN, BLOCKS_MAX);
}

static size_t slab_of(const split_slabs *s, float value) {
    return s->slab[split_bin_of(&s->bins, value)];
}

// A set whose blocks are being counted or filled.
typedef struct slab_task {
    const split_slabs *slabs;
    const split_slab_set *set;
    bp_blocks blocks;
} slab_task;

// The counts of a block: of the members and of the passengers of each slab. There is no slab after the last, but it may
// be asked for.
typedef struct slab_counts {
    uint32_t *members, *passengers;
} slab_counts;

static slab_counts counts_of(const split_slabs *s, const split_slab_set *set, size_t block) {
    uint32_t *members = set->counts + 2 * block * (s->count + 1);
    return (slab_counts){.members = members, .passengers = members + s->count + 1};
}

// Whether a box reaches another slab is unpredictable, so there is no branch for that; few reach a third one.
static void task_count(void *context, size_t block) {
    const slab_task *t = context;
    const split_slabs *s = t->slabs;
    const slab_counts counts = counts_of(s, t->set, block);
    memset(counts.members, 0, 2 * (s->count + 1) * sizeof *counts.members);
    for (size_t i = bp_block_begin(t->blocks, block); i < bp_block_begin(t->blocks, block + 1); ++i) {
        const bp_box *box = &t->set->boxes[i];
        const size_t first = slab_of(s, box->min[s->axis]), last = slab_of(s, box->max[s->axis]);
        const uint32_t is_box = !bp_box_is_hole(box);
        counts.members[first] += is_box;
        counts.passengers[first + 1] += is_box & (first < last);
        for (size_t slab = first + 2; slab <= last; ++slab) {
            ++counts.passengers[slab];
        }
    }
}

// One of two places, without a branch.
static inline bp_record *choose(bp_record *wanted, bp_record *otherwise, uint32_t is_wanted) {
    const uintptr_t bits = ((uintptr_t)otherwise ^ (uintptr_t)wanted) & (0 - (uintptr_t)is_wanted);
    return (bp_record *)((uintptr_t)otherwise ^ bits); // NOLINT(performance-no-int-to-ptr)
}

// Records are made a chunk at a time: a processor stalls if it has to read at once what was just written in pieces.
static void task_fill(void *context, size_t block) {
    const slab_task *t = context;
    const split_slabs *s = t->slabs;
    const split_slab_set *set = t->set;
    const slab_counts counts = counts_of(s, set, block);
    const size_t end = bp_block_begin(t->blocks, block + 1);
    bp_record records[BP_CHUNK], nowhere;
    for (size_t begin = bp_block_begin(t->blocks, block); begin < end; begin += BP_CHUNK) {
        const size_t count = end - begin < BP_CHUNK ? end - begin : BP_CHUNK;
        for (size_t i = 0; i < count; ++i) {
            bp_split_record_put(&records[i], &set->boxes[begin + i], s->setup->dimensions, (uint32_t)(begin + i));
        }
        for (size_t i = 0; i < count; ++i) {
            const bp_record *record = &records[i];
            const size_t first = slab_of(s, record->min[s->axis]), last = slab_of(s, -record->negated_max[s->axis]);
            const uint32_t is_member = isnan(record->min[0]) ? 0u : 1u, is_passenger = is_member & (first < last);
            *choose(&set->members[counts.members[first]], &nowhere, is_member) = *record;
            *choose(&set->passengers[counts.passengers[first + 1]], &nowhere, is_passenger) = *record;
            counts.members[first] += is_member;
            counts.passengers[first + 1] += is_passenger;
            for (size_t slab = first + 2; slab <= last; ++slab) {
                set->passengers[counts.passengers[slab]++] = *record;
            }
        }
    }
}

void bp_split_slabs_count(split_slabs *s) {
    for (size_t i = 0; i < s->set_count; ++i) {
        slab_task t = {.slabs = s, .set = &s->sets[i], .blocks = blocks_of(s, &s->sets[i])};
        bp_parallel_for(&s->setup->runtime.executor, t.blocks.count, task_count, &t);
        // From counts to where blocks write: slab after slab, block after block.
        split_slab_set *set = &s->sets[i];
        size_t member = 0, passenger = 0;
        for (size_t slab = 0; slab <= s->count; ++slab) {
            set->member_begin[slab] = member;
            set->passenger_begin[slab] = passenger;
            for (size_t block = 0; block < t.blocks.count && slab < s->count; ++block) {
                const slab_counts counts = counts_of(s, set, block);
                const size_t here = counts.members[slab], there = counts.passengers[slab];
                counts.members[slab] = (uint32_t)member;
                counts.passengers[slab] = (uint32_t)passenger;
                member += here;
                passenger += there;
            }
        }
    }
}

typedef struct job_task {
    const split_slabs *slabs;
    split_job *jobs;
} job_task;

static bp_record_set set_of(const split_slabs *s, bp_record *records, const size_t *begin) {
    return bp_split_bounded_set(s->setup->kernels, records + begin[0], begin[1] - begin[0]);
}

static void task_make_job(void *context, size_t slab) {
    const job_task *t = context;
    const split_slab_set *first = &t->slabs->sets[0], *second = &t->slabs->sets[1];
    split_job job = {.within = t->slabs->set_count == 1, .path = (uint32_t)slab * 0x9e3779b1u, .depth = 1};
    const bp_record_set none = bp_record_set_empty(NULL);
    const bp_record_set passengers = set_of(t->slabs, first->passengers, first->passenger_begin + slab);
    job.a = set_of(t->slabs, first->members, first->member_begin + slab);
    job.b = job.within ? passengers : set_of(t->slabs, second->members, second->member_begin + slab);
    job.x = job.within ? none : passengers;
    job.y = job.within ? none : set_of(t->slabs, second->passengers, second->passenger_begin + slab);
    t->jobs[slab] = job;
}

void bp_split_slabs_fill(split_slabs *s, split_job *jobs) {
    for (size_t i = 0; i < s->set_count; ++i) {
        slab_task t = {.slabs = s, .set = &s->sets[i], .blocks = blocks_of(s, &s->sets[i])};
        bp_parallel_for(&s->setup->runtime.executor, t.blocks.count, task_fill, &t);
    }
    job_task t = {.slabs = s, .jobs = jobs};
    bp_parallel_for(&s->setup->runtime.executor, s->count, task_make_job, &t);
}
