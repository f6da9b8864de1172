// Sweeping along an axis, over the vector type of overlap_loop.h, and
//   vec_overlap_across(box, candidates, at)    the lanes whose boxes overlap along the two other axes
//   vec_both(a, b), vec_is_full(mask)          of sets of lanes

// A box against the candidates from `at` on, as long as they begin before it ends; behind the last one are NaNs. Returns
// the new end of the pairs, NULL if they do not fit.
static inline bp_pair *sweep_box(const bp_columns objects, size_t position, const bp_columns candidates, size_t at,
                                 bool is_ordered, bp_pair *out, const bp_pair *out_end, size_t *tests) {
    const vec_box box = box_of(&objects, position);
    const vec_ids id = vec_ids_set(objects.id[position]);
    const size_t first = at;
    for (;;) {
        const vec_mask begun = vec_at_most(vec_load(candidates.min[0] + at), box.max[0]);
        const vec_mask hits = vec_both(begun, vec_overlap_across(&box, &candidates, at));
        const vec_ids other = vec_ids_load(candidates.id + at);
        if (out_end - out < BP_COLUMN_PADDING) {
            return NULL;
        }
        out = is_ordered ? vec_emit(out, hits, vec_ids_min(id, other), vec_ids_max(id, other))
                         : vec_emit(out, hits, id, other);
        if (!vec_is_full(begun)) {
            *tests += at - first + vec_lanes(begun);
            return out;
        }
        at += WIDTH;
    }
}

static inline size_t sweep_boxes(bp_sweep_job *job, bool is_ordered, uint64_t *tests) {
    const bp_columns objects = job->objects, candidates = job->candidates;
    bp_pair *out = job->out, *const out_end = out + job->room;
    size_t i = job->begin, from = job->from, tested = 0;
    for (; i < job->end; ++i) {
        const float begin = objects.min[0][i];
        while (job->start == BP_SWEEP_AT ? candidates.min[0][from] < begin
                                         : job->start == BP_SWEEP_AFTER && candidates.min[0][from] <= begin) {
            ++from;
        }
        const size_t first = job->start == BP_SWEEP_BEHIND ? i + 1 : from;
        bp_pair *next = sweep_box(objects, i, candidates, first, is_ordered, out, out_end, &tested);
        if (next == NULL) {
            break;
        }
        out = next;
    }
    job->begin = i;
    job->from = from;
    *tests += tested;
    return (size_t)(out - job->out);
}

static size_t vec_test_sweep(bp_sweep_job *job, uint64_t *tests) {
    return job->pair_ids == BP_IDS_ASCENDING ? sweep_boxes(job, true, tests) : sweep_boxes(job, false, tests);
}
