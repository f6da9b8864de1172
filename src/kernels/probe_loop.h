// The probes of queries, over the same vector type as overlap_loop.h (whose vec_box they use), and
//   vec_load, vec_subtract, vec_multiply, vec_smaller, vec_larger
//   vec_at_most(a, b)                     the lanes where a <= b
//   vec_count_from(first)                 first, first + 1, ...
#include <string.h>

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

static inline vec_box box_of_value(const bp_box *value) {
    vec_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = vec_set(value->min[axis]);
        box.max[axis] = vec_set(value->max[axis]);
    }
    return box;
}

static size_t vec_probe_box(const bp_columns *source, size_t begin, size_t end, const bp_box *value, bp_pair *out) {
    const bp_columns columns = *source;
    const vec_box box = box_of_value(value);
    bp_pair *const first = out;
    for (size_t at = begin; at < end; at += WIDTH) {
        const vec_mask hits = vec_first(vec_overlap(&box, &columns, at), end - at);
        out = vec_emit(out, hits, vec_count_from((uint32_t)at), vec_ids_load(columns.id + at));
    }
    return (size_t)(out - first);
}

// Where the line passes a face of WIDTH boxes.
static inline vec vec_passes(const float *faces, vec origin, vec inverse) {
    return vec_multiply(vec_subtract(vec_load(faces), origin), inverse);
}

// A line as vectors: the columns through which it enters and leaves boxes, and where it passes their faces.
typedef struct vec_line {
    const float *near[3], *far[3];
    vec near_origin[3], far_origin[3], inverse[3], length;
} vec_line;

static inline vec_line line_of_value(const bp_columns *columns, const bp_probe_line *line) {
    vec_line lanes;
    for (int axis = 0; axis < 3; ++axis) {
        const bool backwards = line->inverse[axis] < 0.0f;
        lanes.near[axis] = backwards ? columns->max[axis] : columns->min[axis];
        lanes.far[axis] = backwards ? columns->min[axis] : columns->max[axis];
        lanes.near_origin[axis] = vec_set(line->near_origin[axis]);
        lanes.far_origin[axis] = vec_set(line->far_origin[axis]);
        lanes.inverse[axis] = vec_set(line->inverse[axis]);
    }
    lanes.length = vec_set(line->length);
    return lanes;
}

static inline vec_mask vec_meet(const vec_line *line, size_t at) {
    vec enter = vec_set(0.0f), leave = line->length;
    for (int axis = 0; axis < 3; ++axis) {
        enter = vec_larger(enter, vec_passes(line->near[axis] + at, line->near_origin[axis], line->inverse[axis]));
        leave = vec_smaller(leave, vec_passes(line->far[axis] + at, line->far_origin[axis], line->inverse[axis]));
    }
    return vec_at_most(enter, leave);
}

static size_t vec_probe_lines(const bp_lines_job *job, size_t *tests_done) {
    bp_pair *out = job->out;
    size_t i = 0;
    vec_line line;
    while (i < job->test_count && fits(out, job->out + job->room, job->tests[i].end - job->tests[i].begin)) {
        const bp_range_test test = job->tests[i++];
        if (i == 1 || test.object != job->tests[i - 2].object) {
            line = line_of_value(job->columns, &job->lines[test.object]);
        }
        const vec_ids object = vec_ids_set(test.object);
        for (size_t at = test.begin; at < test.end; at += WIDTH) {
            const vec_mask hits = vec_first(vec_meet(&line, at), test.end - at);
            out = vec_emit(out, hits, object, vec_count_from((uint32_t)at));
        }
    }
    *tests_done = i;
    return (size_t)(out - job->out);
}
