// Testing boxes for overlap, over a small vector type that the including file defines:
//   WIDTH                                  boxes per step
//   vec, vec_ids, vec_mask                 a vector of floats, of ids, and a set of lanes
//   vec_load, vec_set                      from memory, from one value
//   vec_ids_load, vec_ids_set, vec_ids_min, vec_ids_max
//   vec_overlap(box, candidates, at)       the lanes whose boxes overlap
//   vec_first(mask, count)                 the lanes below count
//   vec_emit(out, mask, a, b)              appends the pairs of the lanes in mask, returns the new end
//   LOOPS_ARE_DEAR                         defined if a loop of a few rounds is better written out
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
                                 bp_pair_ids pair_ids, bp_pair *out) {
    const vec_mask hits = vec_first(vec_overlap(box, &candidates, at), left);
    const vec_ids other = vec_ids_load(candidates.id + at);
    return pair_ids == BP_IDS_ASCENDING ? vec_emit(out, hits, vec_ids_min(id, other), vec_ids_max(id, other))
                                        : vec_emit(out, hits, id, other);
}

static inline bp_pair *test_range(const bp_columns objects, const bp_columns candidates, bp_range_test test,
                                  bp_pair_ids pair_ids, bp_pair *out) {
    const vec_box box = box_of(&objects, test.object);
    const vec_ids id = vec_ids_set(objects.id[test.object]);
    for (size_t at = test.begin; at < test.end; at += WIDTH) {
        out = test_step(&box, id, candidates, at, test.end - at, pair_ids, out);
    }
    return out;
}

static inline bool fits(const bp_pair *out, const bp_pair *out_end, size_t candidates) {
    return (size_t)(out_end - out) >= candidates + BP_COLUMN_PADDING;
}

static inline size_t run_tests(const bp_range_job job, const bp_columns objects, const bp_columns candidates,
                               bp_pair_ids pair_ids, size_t *tests_done) {
    bp_pair *out = job.out;
    size_t i = 0;
    while (i < job.test_count && fits(out, job.out + job.room, job.tests[i].end - job.tests[i].begin)) {
        out = test_range(objects, candidates, job.tests[i++], pair_ids, out);
    }
    *tests_done = i;
    return (size_t)(out - job.out);
}

// Pairs are ordered where objects and candidates are the same columns; stating that saves the registers of one.
static size_t vec_test_ranges(const bp_range_job *job, size_t *tests_done) {
    switch (job->pair_ids) {
    case BP_IDS_ASCENDING: return run_tests(*job, *job->candidates, *job->candidates, BP_IDS_ASCENDING, tests_done);
    case BP_IDS_BY_ROLE:
    case BP_IDS_BY_ROLE_SWAPPED:
    case BP_IDS_BY_ROLE_ASCENDING:
    default: return run_tests(*job, *job->objects, *job->candidates, BP_IDS_BY_ROLE, tests_done);
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

// The first BP_FIRST candidates of a range, or fewer. Where that is several steps, most ranges end in the first one.
static inline bp_pair *test_first(const vec_box *box, vec_ids id, const bp_columns candidates, size_t count,
                                  bp_pair *out) {
    out = test_step(box, id, candidates, 0, count, BP_IDS_ASCENDING, out);
    for (size_t step = WIDTH; step < BP_FIRST && step < count; step += WIDTH) {
        out = test_step(box, id, candidates, step, count - step, BP_IDS_ASCENDING, out);
    }
    return out;
}

// A job while it runs, with what its loops need: what they write could be the job itself, as far as a compiler knows.
typedef struct rows_search {
    float *columns;
    column_distances distances;
    const uint32_t *const *rows;
    size_t row_count;
    bp_range_test *remaining;
    bp_pair *out;
    size_t tested;
} rows_search;

// A box and the cells of a row that it reaches.
typedef struct row_box {
    vec_box box;
    vec_ids id;
    size_t object, first, last;
} row_box;

static inline row_box row_box_at(const rows_search *s, size_t object, size_t first, size_t last) {
    const bp_columns own = columns_from(s->columns, &s->distances, object);
    return (row_box){box_of(&own, 0), vec_ids_set(own.id[0]), object, first, last};
}

static inline void test_row(rows_search *s, const row_box *b, size_t begin, size_t end) {
    const size_t count = end - begin;
    s->out = test_first(&b->box, b->id, columns_from(s->columns, &s->distances, begin), count, s->out);
    if (count > BP_FIRST) {
        *s->remaining++ =
            (bp_range_test){.object = (uint32_t)b->object, .begin = (uint32_t)begin + BP_FIRST, .end = (uint32_t)end};
    }
    s->tested += count;
}

static inline void test_box_rows(rows_search *s, const row_box *b) {
#ifdef LOOPS_ARE_DEAR
    test_row(s, b, b->object + 1, s->rows[0][b->last]);
    if (s->row_count == 1) {
        return;
    }
    test_row(s, b, s->rows[1][b->first], s->rows[1][b->last]);
    if (s->row_count == 2) {
        return;
    }
    test_row(s, b, s->rows[2][b->first], s->rows[2][b->last]);
    if (s->row_count == 3) {
        return;
    }
    test_row(s, b, s->rows[3][b->first], s->rows[3][b->last]);
    if (s->row_count == 4) {
        return;
    }
    test_row(s, b, s->rows[4][b->first], s->rows[4][b->last]);
#else
    size_t begin = b->object + 1;
    for (size_t r = 0;;) {
        test_row(s, b, begin, s->rows[r][b->last]);
        if (++r == s->row_count) {
            return;
        }
        begin = s->rows[r][b->first];
    }
#endif
}

static size_t vec_test_rows(const bp_rows_job *job, size_t *remaining_count, uint64_t *tests) {
    rows_search s = {.columns = job->columns,
                     .distances = {job->distance, 3 * job->distance, 5 * job->distance},
                     .rows = job->rows,
                     .row_count = job->row_count,
                     .remaining = job->remaining,
                     .out = job->out};
    OPAQUE(s.distances.three);
    OPAQUE(s.distances.five);
    const int32_t *low = job->measures->low, *high = job->measures->high;
    const uint16_t *boxes = job->boxes;
    const size_t box_count = job->box_count, position = job->position;
    const uint32_t mask = job->mask;
    for (size_t i = 0; i < box_count; ++i) {
        const size_t k = boxes[i];
        const row_box b = row_box_at(&s, position + k, (uint32_t)low[k] & mask, ((uint32_t)high[k] & mask) + (size_t)1);
        test_box_rows(&s, &b);
    }
    *remaining_count = (size_t)(s.remaining - job->remaining);
    *tests += s.tested;
    return (size_t)(s.out - job->out);
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

static void vec_extend_bounds(const float *values, size_t count, float *low, float *high) {
    size_t i = 0;
    if (count >= WIDTH) {
        vec smallest = vec_load(values), largest = smallest;
        float ends[2 * WIDTH];
        for (i = WIDTH; i + WIDTH <= count; i += WIDTH) {
            smallest = vec_smaller(smallest, vec_load(values + i));
            largest = vec_larger(largest, vec_load(values + i));
        }
        memcpy(ends, &smallest, sizeof smallest);
        memcpy(ends + WIDTH, &largest, sizeof largest);
        for (size_t lane = 0; lane < WIDTH; ++lane) {
            *low = ends[lane] < *low ? ends[lane] : *low;
            *high = ends[WIDTH + lane] > *high ? ends[WIDTH + lane] : *high;
        }
    }
    for (; i < count; ++i) {
        *low = values[i] < *low ? values[i] : *low;
        *high = values[i] > *high ? values[i] : *high;
    }
}
