// The kernel, over a small wide type that the including file defines:
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

static inline bp_pair *sweep_item(const bp_sweep_job *job, bp_sweep_item item, bool ordered, bp_pair *out) {
    const wide_box box = box_of(job->objects, item.object);
    const wide_ids id = wide_ids_set(job->objects->id[item.object]);
    for (size_t at = item.begin; at < item.end; at += WIDTH) {
        const wide_mask hits = wide_first(wide_overlap(&box, job->candidates, at), item.end - at);
        const wide_ids other = wide_ids_load(job->candidates->id + at);
        if (ordered) {
            out = wide_emit(out, hits, wide_ids_min(id, other), wide_ids_max(id, other));
        } else {
            out = wide_emit(out, hits, id, other);
        }
    }
    return out;
}

static inline size_t sweep_items(const bp_sweep_job *job, bool ordered, size_t *items_done) {
    bp_pair *out = job->out;
    const bp_pair *const out_end = job->out + job->room;
    size_t i = 0;
    for (; i < job->item_count; ++i) {
        const bp_sweep_item item = job->items[i];
        const size_t length = (size_t)(item.end - item.begin);
        if ((size_t)(out_end - out) < length + BP_COLUMN_PADDING) {
            break;
        }
        out = sweep_item(job, item, ordered, out);
    }
    *items_done = i;
    return (size_t)(out - job->out);
}

size_t SWEEP_NAME(const bp_sweep_job *job, size_t *items_done) {
    return job->ordered ? sweep_items(job, true, items_done) : sweep_items(job, false, items_done);
}
