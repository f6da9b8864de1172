// Testing boxes for overlap, over a small vector type that the including file defines:
//   WIDTH                                  boxes per step
//   vec, vec_ids, vec_mask                 a vector of floats, of ids, and a set of lanes
//   vec_load, vec_set                      from memory, from one value
//   vec_ids_load, vec_ids_set, vec_ids_min, vec_ids_max
//   vec_overlap(box, candidates, at)       the lanes whose boxes overlap
//   vec_first(mask, count)                 the lanes below count
//   vec_emit(out, mask, a, b)              appends the pairs of the lanes in mask, returns the new end
//
// Comparisons are written so that a NaN is never an overlap.

#if defined(__GNUC__)
#define OPAQUE(value) __asm__("" : "+r"(value))
#else
#define OPAQUE(value) (void)0
#endif

typedef struct vec_box {
    vec min[3], max[3];
} vec_box;

static inline vec_box box_of(const bp_columns *columns, size_t position) {
    vec_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = vec_set(columns->min[axis][position]);
        box.max[axis] = vec_set(columns->max[axis][position]);
    }
    return box;
}

// One box against WIDTH candidates, of which only the first `left` count. The columns are passed by value: otherwise
// writes to `out` could have changed them.
static inline bp_pair *test_step(const vec_box *box, vec_ids id, const bp_columns candidates, size_t at, size_t left,
                                 bp_pair_names names, bp_pair *out) {
    const vec_mask hits = vec_first(vec_overlap(box, &candidates, at), left);
    const vec_ids other =
        names == BP_NAMES_BY_POSITION ? vec_count_from((uint32_t)at) : vec_ids_load(candidates.id + at);
    return names == BP_NAMES_ORDERED ? vec_emit(out, hits, vec_ids_min(id, other), vec_ids_max(id, other))
                                     : vec_emit(out, hits, id, other);
}

static inline bp_pair *test_range(const bp_columns objects, const bp_columns candidates, bp_range_test test,
                                  bp_pair_names names, bp_pair *out) {
    const vec_box box = box_of(&objects, test.object);
    const vec_ids id = vec_ids_set(objects.id[test.object]);
    for (size_t at = test.begin; at < test.end; at += WIDTH) {
        out = test_step(&box, id, candidates, at, test.end - at, names, out);
    }
    return out;
}

static inline bool fits(const bp_pair *out, const bp_pair *out_end, size_t candidates) {
    return (size_t)(out_end - out) >= candidates + BP_COLUMN_PADDING;
}

static inline size_t run_tests(const bp_range_job job, const bp_columns objects, const bp_columns candidates,
                               bp_pair_names names, size_t *tests_done) {
    bp_pair *out = job.out;
    size_t i = 0;
    while (i < job.test_count && fits(out, job.out + job.room, job.tests[i].end - job.tests[i].begin)) {
        out = test_range(objects, candidates, job.tests[i++], names, out);
    }
    *tests_done = i;
    return (size_t)(out - job.out);
}

// Pairs are ordered where objects and candidates are the same columns; stating that saves the registers of one.
static size_t vec_test_ranges(const bp_range_job *job, size_t *tests_done) {
    switch (job->names) {
    case BP_NAMES_ORDERED: return run_tests(*job, *job->candidates, *job->candidates, BP_NAMES_ORDERED, tests_done);
    case BP_NAMES_BY_POSITION:
        return run_tests(*job, *job->objects, *job->candidates, BP_NAMES_BY_POSITION, tests_done);
    case BP_NAMES_BY_ROLE:
    case BP_NAMES_BY_ROLE_SWAPPED:
    case BP_NAMES_BY_ROLE_ORDERED:
    default: return run_tests(*job, *job->objects, *job->candidates, BP_NAMES_BY_ROLE, tests_done);
    }
}

// Columns at equal distances, from a position on. One pointer and a few distances instead of seven pointers: there are
// not enough registers for those, and the compiler must not compute them in advance.
typedef struct column_distances {
    size_t one, three, five;
} column_distances;

static inline bp_columns columns_from(float *columns, const column_distances *d, size_t position) {
    float *first = columns + position;
    OPAQUE(first);
    return (bp_columns){
        .min = {first, first + d->one, first + 2 * d->one},
        .max = {first + d->three, first + 4 * d->one, first + d->five},
        .id = (uint32_t *)(void *)(first + 2 * d->three),
    };
}

// The first BP_FIRST candidates of a range, or fewer.
static inline bp_pair *test_first(const vec_box *box, vec_ids id, const bp_columns candidates, size_t count,
                                  bp_pair *out) {
    for (size_t step = 0; step < BP_FIRST; step += WIDTH) {
        out = test_step(box, id, candidates, step, count > step ? count - step : 0, BP_NAMES_ORDERED, out);
    }
    return out;
}

static inline size_t test_rows(const bp_rows_job job, size_t *remaining_count, uint64_t *tests) {
    column_distances distances = {job.distance, 3 * job.distance, 5 * job.distance};
    OPAQUE(distances.three);
    OPAQUE(distances.five);
    const int32_t *low = job.measures->low, *high = job.measures->high;
    bp_range_test *remaining = job.remaining;
    bp_pair *out = job.out;
    size_t tested = 0;
    for (size_t i = 0; i < job.box_count; ++i) {
        const size_t chunk_box = job.boxes[i], object = job.position + chunk_box;
        const size_t first = (uint32_t)low[chunk_box] & job.mask, last = ((uint32_t)high[chunk_box] & job.mask) + 1;
        const bp_columns own = columns_from(job.columns, &distances, object);
        const vec_box box = box_of(&own, 0);
        const vec_ids id = vec_ids_set(own.id[0]);
        for (size_t r = 0; r < job.row_count; ++r) {
            const size_t begin = r == 0 ? object + 1 : job.rows[r][first], end = job.rows[r][last];
            const size_t count = end - begin;
            out = test_first(&box, id, columns_from(job.columns, &distances, begin), count, out);
            if (count > BP_FIRST) {
                *remaining++ = (bp_range_test){
                    .object = (uint32_t)object, .begin = (uint32_t)begin + BP_FIRST, .end = (uint32_t)end};
            }
            tested += count;
        }
    }
    *remaining_count = (size_t)(remaining - job.remaining);
    *tests += tested;
    return (size_t)(out - job.out);
}

static size_t vec_test_rows(const bp_rows_job *job, size_t *remaining_count, uint64_t *tests) {
    return test_rows(*job, remaining_count, tests);
}
