// Points near points, over the vector type of overlap_loop.h, and
//   vec_subtract, vec_multiply, vec_smaller, vec_larger     of NaNs they return the second one: a < b ? a : b
//   vec_at_most(a, b)                     the lanes where a <= b
//   vec_count_from(first)                 first, first + 1, ...
//   vec_add(a, b), vec_store(to, values), vec_ids_store(to, ids)
//   vec_ids_add(a, b)
//   vec_ids_other(ids, id)                the lanes whose id is another one
//   vec_ids_above(ids, id)                the lanes whose id is larger
//   vec_keep_at_most(a, b)                a where it is at most b, else 0
//   vec_emit_ids(out, mask, ids)          appends the ids of the lanes in mask, returns the new end
//
// A tube is copied run by run, and a run is a few points: each copy moves WIDTH points at once, and what is too many is
// overwritten by the next. Nothing branches on the number of points unless a run is longer than that.
//
// A window has no ragged end either. The lanes behind it are points of the next cells, which are too far away, or the
// padding of the tube, which is infinitely far.

static inline void copy_points(const bp_point_columns *from, size_t at, const vec shift[3], vec_ids id_offset,
                               const bp_point_columns *to, size_t place) {
    for (int axis = 0; axis < 3; ++axis) {
        vec_store(to->at[axis] + place, vec_add(vec_load(from->at[axis] + at), shift[axis]));
    }
    vec_ids_store(to->id + place, vec_ids_add(vec_ids_load(from->id + at), id_offset));
}

static size_t vec_fill_tube(const bp_tube_job *job) {
    const bp_point_columns from = job->from, to = job->to;
    size_t place = job->place;
    vec shift[BP_TUBE_ROWS][3];
    vec_ids id_offset[BP_TUBE_ROWS];
    for (size_t r = 0; r < job->row_count; ++r) {
        shift[r][0] = vec_set(job->shift);
        shift[r][1] = vec_set(job->rows[r].shift[0]);
        shift[r][2] = vec_set(job->rows[r].shift[1]);
        id_offset[r] = vec_ids_set(job->id_offset + job->rows[r].id_offset);
    }
    for (size_t cell = job->first; cell < job->last; ++cell) {
        job->starts[cell - job->first] = (uint32_t)place;
        for (size_t r = 0; r < job->row_count; ++r) {
            const size_t begin = job->rows[r].cells[cell], count = job->rows[r].cells[cell + 1] - begin;
            size_t copied = 0;
            do {
                copy_points(&from, begin + copied, shift[r], id_offset[r], &to, place + copied);
                copied += WIDTH;
            } while (copied < count);
            place += count;
        }
    }
    return place;
}

// ---- near points ----------------------------------------------------------------------------------------------------
//
// A point first takes whatever is possible, and remembers if anything of that is doubtful. If so, which is rare, it looks
// at its window again, slowly. For the quick look an instruction set may have steps of its own (NEAR_STEPS): near_query,
// near_doubt, near_query_of, near_step, near_is_doubtful, and NEAR_WIDTH, at most BP_COLUMN_PADDING.

static inline vec_mask wanted_lanes(bp_near_wanted wanted, vec_ids ids, vec_ids own, vec_mask lanes) {
    return wanted == BP_NEAR_OTHERS   ? lanes & vec_ids_other(ids, own)
           : wanted == BP_NEAR_LARGER ? lanes & vec_ids_above(ids, own)
                                      : lanes;
}

typedef struct vec_query {
    vec x, y, z, sure, possible;
    vec_ids own;
} vec_query;

static inline vec_query query_of(const bp_near_job *job, size_t point) {
    return (vec_query){.x = vec_set(job->points.at[0][point]),
                       .y = vec_set(job->points.at[1][point]),
                       .z = vec_set(job->points.at[2][point]),
                       .sure = vec_set(job->sure),
                       .possible = vec_set(job->possible),
                       .own = vec_ids_set(job->points.id[point])};
}

static inline vec squares_of(const vec_query *query, const bp_point_columns *tube, size_t at) {
    const vec x = vec_subtract(vec_load(tube->at[0] + at), query->x);
    const vec y = vec_subtract(vec_load(tube->at[1] + at), query->y);
    const vec z = vec_subtract(vec_load(tube->at[2] + at), query->z);
    return vec_add(vec_add(vec_multiply(x, x), vec_multiply(y, y)), vec_multiply(z, z));
}

#if !defined(NEAR_STEPS)
enum { NEAR_WIDTH = WIDTH };

typedef vec_query near_query;
typedef vec near_doubt; // the largest squares that are possible

static inline near_query near_query_of(const bp_near_job *job, size_t point) {
    return query_of(job, point);
}

static inline near_doubt near_no_doubt(void) {
    return vec_set(0.0f);
}

static inline bool near_is_doubtful(const near_query *query, near_doubt doubt) {
    return vec_lanes(vec_at_most(doubt, query->sure)) < WIDTH;
}

static inline uint32_t *near_step(const near_query *query, const bp_point_columns *tube, size_t at,
                                  bp_near_wanted wanted, uint32_t *out, near_doubt *doubt) {
    const vec squares = squares_of(query, tube, at);
    const vec_ids ids = vec_ids_load(tube->id + at);
    *doubt = vec_larger(*doubt, vec_keep_at_most(squares, query->possible));
    return vec_emit_ids(out, wanted_lanes(wanted, ids, query->own, vec_at_most(squares, query->possible)), ids);
}
#endif

// Those that are near for certain go to `out`; pairs that rounding leaves open go to *doubtful.
static inline uint32_t *look_again(const bp_near_job *job, size_t point, bp_near_wanted wanted, uint32_t *out,
                                   bp_pair **doubtful) {
    const vec_query query = query_of(job, point);
    for (size_t at = job->first; at < job->last; at += WIDTH) {
        const vec squares = squares_of(&query, &job->tube, at);
        const vec_ids ids = vec_ids_load(job->tube.id + at);
        const vec_mask certain = vec_at_most(squares, query.sure);
        const vec_mask open = vec_at_most(squares, query.possible) & ~certain;
        out = vec_emit_ids(out, wanted_lanes(wanted, ids, query.own, certain), ids);
        *doubtful = vec_emit(*doubtful, wanted_lanes(wanted, ids, query.own, open), query.own, ids);
    }
    return out;
}

static inline uint32_t *look_around(const bp_near_job *job, size_t point, bp_near_wanted wanted, uint32_t *out,
                                    bp_pair **doubtful) {
    const bp_point_columns tube = job->tube;
    const near_query query = near_query_of(job, point);
    const size_t last = job->last;
    near_doubt doubt = near_no_doubt();
    uint32_t *end = out;
    for (size_t at = job->first; at < last; at += NEAR_WIDTH) {
        end = near_step(&query, &tube, at, wanted, end, &doubt);
    }
    return near_is_doubtful(&query, doubt) ? look_again(job, point, wanted, out, doubtful) : end;
}

static inline size_t find_near_points(const bp_near_job *job, bp_near_wanted wanted, bp_pair **doubtful) {
    uint32_t *out = job->out;
    for (size_t point = job->begin; point < job->end; ++point) {
        uint32_t *const row = out;
        out = look_around(job, point, wanted, out, doubtful);
        job->counts[point] = (uint32_t)(out - row);
    }
    return (size_t)(out - job->out);
}

static size_t vec_find_near(const bp_near_job *job, size_t *doubtful_count) {
    bp_pair *doubtful = job->doubtful;
    const size_t count = job->wanted == BP_NEAR_ALL      ? find_near_points(job, BP_NEAR_ALL, &doubtful)
                         : job->wanted == BP_NEAR_OTHERS ? find_near_points(job, BP_NEAR_OTHERS, &doubtful)
                                                         : find_near_points(job, BP_NEAR_LARGER, &doubtful);
    *doubtful_count = (size_t)(doubtful - job->doubtful);
    return count;
}
