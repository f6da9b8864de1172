// The geometry of the grids, on the host: for all pairs of boxes of every scene, the result from records and cells must
// agree with the boxes.
#include "checks.h"

#include "geometry.h"
#include "plan.h"
#include "scenes.h"

enum { COUNT = 1500 };

typedef struct placed {
    uint32_t level;
    bp_cuda_span span;
    bp_cuda_record record;
    int32_t cell[3];
} placed;

static placed place(const bp_cuda_lattice *lattice, const bp_box *box) {
    placed p = {.level = bp_cuda_level_of(lattice->kind, lattice, box)};
    if (p.level < lattice->level_count) {
        p.span = bp_cuda_span_of(lattice->kind, lattice, &lattice->levels[p.level], box);
        p.record = bp_cuda_pack(lattice->kind, &p.span);
        for (int axis = 0; axis < 3; ++axis) {
            p.cell[axis] = p.span.low[axis] >> BP_CUDA_CELL_BITS;
        }
    }
    return p;
}

// Whether the search of a box with this span reaches a cell at most three cells away.
static bool is_searched(const bp_cuda_lattice *lattice, const bp_cuda_level *level, const bp_cuda_span *span,
                        const int32_t cell[3]) {
    bool searched = true;
    for (int axis = 0; axis < (int)lattice->kind.dimensions; ++axis) {
        const bool wraps = bp_cuda_wraps(lattice->kind, axis);
        int32_t low = span->low[axis] - level->reach[axis] - (wraps ? 2 : 0);
        low = wraps || low > 0 ? low : 0;
        low >>= BP_CUDA_CELL_BITS;
        const int32_t high = (span->high[axis] + (wraps ? 1 : 0)) >> BP_CUDA_CELL_BITS;
        bool here = cell[axis] >= low && cell[axis] <= high;
        for (int32_t turn = -1; turn <= 1 && wraps; ++turn) {
            here |= cell[axis] + turn * level->cells[axis] >= low && cell[axis] + turn * level->cells[axis] <= high;
        }
        CHECK(high - low <= 2, "%d cells along an axis", high - low + 1);
        searched = searched && here;
    }
    return searched;
}

static void check_unpack(const bp_cuda_lattice *lattice, const placed *p, const char *name) {
    const bp_cuda_span span = bp_cuda_unpack(lattice->kind, p->record, p->cell);
    CHECK(memcmp(&span, &p->span, sizeof span) == 0, "%s: a record does not give back what it was made of", name);
}

// `a` is on a level that is not coarser than that of `b`. Returns whether the records decided, without the floats.
static void check_pair(const bp_cuda_lattice *lattice, const bp_box *boxes, const placed *places, size_t a, size_t b,
                       const char *name) {
    const placed *own = &places[a], *other = &places[b];
    const bp_cuda_level *level = &lattice->levels[other->level];
    bp_cuda_span span = own->span;
    const bp_cuda_span exact = bp_cuda_span_of(lattice->kind, lattice, level, &boxes[a]);
    if (!bp_cuda_coarsen(lattice->kind, &lattice->levels[own->level], level, &span)) {
        span = exact;
    }
    for (int axis = 0; axis < (int)lattice->kind.dimensions; ++axis) {
        CHECK(span.low[axis] == exact.low[axis] &&
                  (span.high[axis] == exact.high[axis] || bp_cuda_wraps(lattice->kind, axis)),
              "%s, boxes %zu and %zu: coarser quanta differ along axis %d", name, a, b, axis);
    }
    const bp_cuda_record record = bp_cuda_pack(lattice->kind, &span);
    const bool overlap = bp_cuda_overlap(lattice->kind, lattice, &boxes[a], &boxes[b]);
    const bool searched = is_searched(lattice, level, &span, other->cell);
    const bool may = bp_cuda_may_overlap(record, other->record), doubtful = bp_cuda_is_doubtful(record, other->record);
    CHECK(!overlap || (searched && may), "%s: boxes %zu and %zu overlap but are not found", name, a, b);
    CHECK(!searched || !may || doubtful || overlap || lattice->kind.periodic != 0,
          "%s: boxes %zu and %zu do not overlap but are found", name, a, b);
}

static void check_boxes(const bp_box *boxes, size_t count, const bp_config *config, const char *name) {
    const size_t stride = 3; // simulates few samples
    static bp_box samples[COUNT];
    static placed places[COUNT + 64];
    size_t sample_count = 0;
    bp_cuda_lattice lattice;
    for (size_t i = 0; i < count; i += stride) {
        samples[sample_count++] = boxes[i];
    }
    bp_cuda_plan(config, samples, sample_count, count, &lattice);
    size_t fitting = 0;
    for (size_t i = 0; i < count; ++i) {
        places[i] = place(&lattice, &boxes[i]);
        fitting += places[i].level < lattice.level_count;
        if (places[i].level < lattice.level_count) {
            check_unpack(&lattice, &places[i], name);
        }
    }
    printf("%-20s %zu of %zu boxes fit %u levels of %llu cells, table shift %u\n", name, fitting, count,
           lattice.level_count, (unsigned long long)lattice.key_count, lattice.table_shift);
    for (size_t a = 0; a < count; ++a) {
        for (size_t b = 0; b < count; ++b) {
            const bool listed = places[a].level == lattice.level_count || places[b].level == lattice.level_count;
            if (a != b && !listed && places[a].level <= places[b].level) {
                check_pair(&lattice, boxes, places, a, b, name);
            }
        }
    }
}

static void check_periodic(float period, float size) {
    static bp_box boxes[COUNT];
    uint64_t state = 7;
    const bp_config config = {.dimensions = 3, .period = {period, period, period}};
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = random_between(&state, -2.0f * period, 3.0f * period);
            boxes[i].max[axis] = boxes[i].min[axis] + random_between(&state, 0.0f, size);
        }
    }
    check_boxes(boxes, COUNT, &config, "periodic");
}

static void check_dividers(void) {
    uint64_t state = 3;
    for (int i = 0; i < 100000; ++i) {
        const uint32_t divisor = (uint32_t)(next_random(&state) >> (32 + next_random(&state) % 31)) | 1u;
        const uint32_t dividend = (uint32_t)next_random(&state);
        CHECK(bp_cuda_divide(dividend, bp_cuda_divider_for(divisor)) == dividend / divisor, "%u / %u", dividend,
              divisor);
    }
    CHECK(bp_cuda_divide(~0u, bp_cuda_divider_for(2)) == ~0u / 2, "by 2");
    CHECK(bp_cuda_divide(~0u, bp_cuda_divider_for(1)) == ~0u, "by 1");
}

int main(void) {
    check_dividers();
    for (size_t i = 0; i < scene_count(); ++i) {
        const char *error = NULL;
        const scene_options options = {.count = quick() > 1 ? COUNT / 4 : COUNT, .seed = 5};
        scene *s = scene_create(scene_name(i), &options, &error);
        CHECK(s != NULL, "%s: %s", scene_name(i), error);
        const bp_config config = {.dimensions = scene_dimensions(s)};
        check_boxes(scene_boxes(s), scene_box_count(s), &config, scene_name(i));
        scene_destroy(s);
    }
    check_periodic(100.0f, 5.0f);
    check_periodic(10.0f, 1.0f);
    check_periodic(3.0f, 2.9f);
    return failures > 0;
}
