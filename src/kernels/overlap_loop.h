// The sweep, over a small wide type that the including file defines:
//   WIDTH                                  boxes per step
//   wide, wide_ids, wide_mask              a vector of floats, of ids, and a set of lanes
//   wide_load, wide_set                    from memory, from one value
//   wide_ids_load, wide_ids_set, wide_ids_min, wide_ids_max
//   wide_overlap(box, candidates, at)      the lanes whose boxes overlap
//   wide_first(mask, count)                the lanes below count
//   wide_emit(out, mask, a, b)             appends the pairs of the lanes in mask, returns the new end
//
// Comparisons are written so that a NaN is never an overlap.

#if defined(__GNUC__)
#define OPAQUE(value) __asm__("" : "+r"(value))
#else
#define OPAQUE(value) (void)0
#endif

typedef struct wide_box {
    wide min[3], max[3];
} wide_box;

static inline wide_box box_of(const bp_columns *columns, size_t position) {
    wide_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = wide_set(columns->min[axis][position]);
        box.max[axis] = wide_set(columns->max[axis][position]);
    }
    return box;
}

// How the pairs of a sweep are named.
typedef enum naming {
    BY_ORDER,   // (smaller id, larger id)
    BY_ROLE,    // (object, candidate)
    BY_POSITION // (object, position of the candidate)
} naming;

// One box against WIDTH candidates, of which `left` count. The columns come by value: what is written to `out` could
// otherwise have changed them.
static inline bp_pair *sweep_step(const wide_box *box, wide_ids id, const bp_columns candidates, size_t at, size_t left,
                                  naming names, bp_pair *out) {
    const wide_mask hits = wide_first(wide_overlap(box, &candidates, at), left);
    const wide_ids other = names == BY_POSITION ? wide_count_from((uint32_t)at) : wide_ids_load(candidates.id + at);
    return names == BY_ORDER ? wide_emit(out, hits, wide_ids_min(id, other), wide_ids_max(id, other))
                             : wide_emit(out, hits, id, other);
}

static inline bp_pair *sweep_range(const bp_columns objects, const bp_columns candidates, bp_sweep_item item,
                                   naming names, bp_pair *out) {
    const wide_box box = box_of(&objects, item.object);
    const wide_ids id = wide_ids_set(objects.id[item.object]);
    for (size_t at = item.begin; at < item.end; at += WIDTH) {
        out = sweep_step(&box, id, candidates, at, item.end - at, names, out);
    }
    return out;
}

static inline bool fits(const bp_pair *out, const bp_pair *out_end, size_t candidates) {
    return (size_t)(out_end - out) >= candidates + BP_COLUMN_PADDING;
}

static inline size_t sweep_items(const bp_sweep_job job, const bp_columns objects, const bp_columns candidates,
                                 naming names, size_t *items_done) {
    bp_pair *out = job.out;
    size_t i = 0;
    while (i < job.item_count && fits(out, job.out + job.room, job.items[i].end - job.items[i].begin)) {
        out = sweep_range(objects, candidates, job.items[i++], names, out);
    }
    *items_done = i;
    return (size_t)(out - job.out);
}

// Pairs are ordered where both sides are the same columns; saying so saves the registers of one.
static size_t wide_sweep(const bp_sweep_job *job, size_t *items_done) {
    if (job->ordered) {
        return sweep_items(*job, *job->candidates, *job->candidates, BY_ORDER, items_done);
    }
    return job->candidates->id != NULL ? sweep_items(*job, *job->objects, *job->candidates, BY_ROLE, items_done)
                                       : sweep_items(*job, *job->objects, *job->candidates, BY_POSITION, items_done);
}

// Columns that lie at equal distances, seen from a position on. One pointer and a few distances instead of seven
// pointers: there are not enough registers for those, and the compiler must not make them of these.
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
static inline bp_pair *sweep_first(const wide_box *box, wide_ids id, const bp_columns candidates, size_t count,
                                   bp_pair *out) {
    for (size_t step = 0; step < BP_FIRST; step += WIDTH) {
        out = sweep_step(box, id, candidates, step, count > step ? count - step : 0, BY_ORDER, out);
    }
    return out;
}

static inline size_t sweep_rows(const bp_rows_job job, size_t *rest_count, uint64_t *tests) {
    column_distances distances = {job.distance, 3 * job.distance, 5 * job.distance};
    OPAQUE(distances.three);
    OPAQUE(distances.five);
    const int32_t *low = job.measures->low, *high = job.measures->high;
    bp_sweep_item *rest = job.rest;
    bp_pair *out = job.out;
    size_t tested = 0;
    for (size_t i = 0; i < job.box_count; ++i) {
        const size_t chunk_box = job.boxes[i], object = job.position + chunk_box;
        const size_t first = (uint32_t)low[chunk_box] & job.mask, last = ((uint32_t)high[chunk_box] & job.mask) + 1;
        const bp_columns own = columns_from(job.columns, &distances, object);
        const wide_box box = box_of(&own, 0);
        const wide_ids id = wide_ids_set(own.id[0]);
        for (size_t r = 0; r < job.row_count; ++r) {
            const size_t begin = r == 0 ? object + 1 : job.rows[r][first], end = job.rows[r][last];
            const size_t count = end - begin;
            out = sweep_first(&box, id, columns_from(job.columns, &distances, begin), count, out);
            if (count > BP_FIRST) {
                *rest++ = (bp_sweep_item){
                    .object = (uint32_t)object, .begin = (uint32_t)begin + BP_FIRST, .end = (uint32_t)end};
            }
            tested += count;
        }
    }
    *rest_count = (size_t)(rest - job.rest);
    *tests += tested;
    return (size_t)(out - job.out);
}

static size_t wide_sweep_rows(const bp_rows_job *job, size_t *rest_count, uint64_t *tests) {
    return sweep_rows(*job, rest_count, tests);
}
