// Testing the entries of strips, over the vector type of overlap_loop.h, and
//   vec_overlap_apart(box, candidates, at, flags, ids)    the lanes whose boxes overlap, and whose ids have none of the
//                                                         flags
// unless the including file has a test_entry of its own (HAS_TEST_ENTRY).

#ifndef HAS_TEST_ENTRY
// An entry, at the beginning of `own`, against `count` candidates; pairs get ids with flags. Returns the new end. The
// first step is taken even if there are no candidates: whether there are any is unpredictable.
static inline bp_pair *test_entry(const bp_columns own, const bp_columns candidates, size_t count, bp_pair *out) {
    const vec_box box = box_of(&own, 0);
    const vec_ids id = vec_ids_set(own.id[0]), flags = vec_ids_set(own.id[0] & ~BP_ENTRY_ID);
    size_t at = 0;
    do {
        const vec_ids other = vec_ids_load(candidates.id + at);
        out = vec_emit(out, vec_first(vec_overlap_apart(&box, &candidates, at, flags, other), count - at), id, other);
        at += WIDTH;
    } while (at < count);
    return out;
}
#endif

// Orders the ids, or the sets, and takes the flags off: many pairs at a time, because most steps of the search find none.
static inline void name_pairs(bp_pair *pairs, size_t count) {
    const uint32_t named = BP_ENTRY_ID | BP_ENTRY_FIRST | BP_ENTRY_SECOND;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = pairs[i].a & named, b = pairs[i].b & named;
        pairs[i] = (bp_pair){.a = (a < b ? a : b) & BP_ENTRY_ID, .b = (a < b ? b : a) & BP_ENTRY_ID};
    }
}

static inline size_t test_strips(const bp_strips_job job, size_t *done) {
    column_distances distances = {job.distance, 3 * job.distance, 5 * job.distance};
    OPAQUE(distances.three);
    OPAQUE(distances.five);
    bp_pair *out = job.out;
    size_t i = job.begin;
    for (; i < job.end; ++i) {
        const size_t count = job.ends[i] - (i + 1);
        if (!fits(out, job.out + job.room, count)) {
            break;
        }
        out = test_entry(columns_from(job.columns, &distances, i), columns_from(job.columns, &distances, i + 1), count,
                         out);
    }
    *done = i - job.begin;
    name_pairs(job.out, (size_t)(out - job.out));
    return (size_t)(out - job.out);
}

static size_t vec_test_strips(const bp_strips_job *job, size_t *done) {
    return test_strips(*job, done);
}
