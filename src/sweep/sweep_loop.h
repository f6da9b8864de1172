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

// The columns come by value: what is written to `out` could otherwise have changed them.
static inline size_t sweep_items(bp_sweep_job job, const bp_columns objects, const bp_columns candidates, bool ordered,
                                 size_t *items_done) {
    bp_pair *out = job.out;
    const bp_pair *const out_end = job.out + job.room;
    size_t i = 0;
    for (; i < job.item_count; ++i) {
        const bp_sweep_item item = job.items[i];
        if ((size_t)(out_end - out) < (size_t)(item.end - item.begin) + BP_COLUMN_PADDING) {
            break;
        }
        const wide_box box = box_of(&objects, item.object);
        const wide_ids id = wide_ids_set(objects.id[item.object]);
        for (size_t at = item.begin; at < item.end; at += WIDTH) {
            const wide_mask hits = wide_first(wide_overlap(&box, &candidates, at), item.end - at);
            const wide_ids other = wide_ids_load(candidates.id + at);
            out = ordered ? wide_emit(out, hits, wide_ids_min(id, other), wide_ids_max(id, other))
                          : wide_emit(out, hits, id, other);
        }
    }
    *items_done = i;
    return (size_t)(out - job.out);
}

static size_t wide_sweep(const bp_sweep_job *job, size_t *items_done) {
    return job->ordered ? sweep_items(*job, *job->objects, *job->candidates, true, items_done)
                        : sweep_items(*job, *job->objects, *job->candidates, false, items_done);
}
