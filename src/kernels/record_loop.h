// Moving records (base/records.h), over the vector type of overlap_loop.h and a vector of one record:
//   rec                                   the eight lanes of a record
//   rec_load, rec_store, rec_smaller, rec_larger
//   rec_at_most(a, b)                     whether a <= b in the six lanes of the box
//
// Records are moved without a branch: each is written to every place where it may belong, and only the end of the
// place where it does is advanced.

typedef struct rec_bounds {
    rec low, high;
} rec_bounds;

static inline rec_bounds bounds_of_set(const bp_record_set *set) {
    return (rec_bounds){.low = rec_load(&set->low), .high = rec_load(&set->high)};
}

static inline void extend_rec_bounds(rec_bounds *bounds, rec record) {
    bounds->low = rec_smaller(bounds->low, record);
    bounds->high = rec_larger(bounds->high, record);
}

// Extends the bounds of a set by records. (Two at a time: each step of one bound waits for the one before.)
static inline void bound_records(bp_record_set *set, const bp_record *records, size_t count) {
    rec_bounds even = bounds_of_set(set), odd = even;
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        extend_rec_bounds(&even, rec_load(records + i));
        extend_rec_bounds(&odd, rec_load(records + i + 1));
    }
    if (i < count) {
        extend_rec_bounds(&even, rec_load(records + i));
    }
    rec_store(&set->low, rec_smaller(even.low, odd.low));
    rec_store(&set->high, rec_larger(even.high, odd.high));
}

// Copies records to the end of a set.
static inline void append_records(bp_record_set *set, const bp_record *from, size_t count) {
    memcpy(set->data + set->count, from, count * sizeof *from);
    bound_records(set, from, count);
    set->count += count;
}

static inline float lane_of(const bp_record *record, size_t lane) {
    float value;
    memcpy(&value, (const char *)record + lane * sizeof value, sizeof value);
    return value;
}

static void vec_partition_records(bp_record *records, size_t count, int axis, float plane, bp_record *scratch,
                                  bp_record_set parts[3]) {
    size_t left = 0, across = 0, right = 0;
    const size_t min_lane = (size_t)axis, max_lane = min_lane + 4;
    for (size_t i = 0; i < count; ++i) {
        const rec record = rec_load(records + i);
        const size_t is_right = lane_of(records + i, min_lane) >= plane;
        const size_t is_left = lane_of(records + i, max_lane) > -plane;
        rec_store(records + left, record);
        rec_store(scratch + across, record);
        rec_store(scratch + (count - 1 - right), record);
        left += is_left;
        right += is_right;
        across += (is_left | is_right) ^ 1;
    }
    parts[0] = bp_record_set_empty(records);
    parts[0].count = left;
    bound_records(&parts[0], records, left);
    parts[1] = bp_record_set_empty(records + left);
    append_records(&parts[1], scratch, across);
    parts[2] = bp_record_set_empty(records + left + across);
    append_records(&parts[2], scratch + (count - right), right);
}

static void vec_select_records(const bp_record *from, size_t count, const bp_record *limit, bp_record_set *to) {
    const rec most = rec_load(limit);
    bp_record *data = to->data;
    size_t end = to->count;
    for (size_t i = 0; i < count; ++i) {
        const rec record = rec_load(from + i);
        rec_store(data + end, record);
        end += rec_at_most(record, most);
    }
    bound_records(to, data + to->count, end - to->count);
    to->count = end;
}

static void vec_count_sides(const float *min, const float *negated_max, size_t count, const float *planes,
                            size_t plane_count, uint32_t *left, uint32_t *right) {
    for (size_t p = 0; p < plane_count; ++p) {
        const vec plane = vec_set(planes[p]), negated = vec_set(-planes[p]);
        size_t not_left = 0, on_right = 0;
        for (size_t i = 0; i < count; i += WIDTH) {
            on_right += vec_lanes(vec_at_most(plane, vec_load(min + i)));
            not_left += vec_lanes(vec_at_most(vec_load(negated_max + i), negated));
        }
        left[p] = (uint32_t)(count - not_left);
        right[p] = (uint32_t)on_right;
    }
}
