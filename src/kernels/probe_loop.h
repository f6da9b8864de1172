// The probes of queries, over the same wide type as sweep_loop.h (whose wide_box they use), and
//   wide_load, wide_subtract, wide_multiply, wide_smaller, wide_larger
//   wide_at_most(a, b)                     the lanes where a <= b
//   wide_count_from(first)                 first, first + 1, ...
#include <string.h>

static void wide_widen(const float *values, size_t count, float *low, float *high) {
    size_t i = 0;
    if (count >= WIDTH) {
        wide smallest = wide_load(values), largest = smallest;
        float ends[2 * WIDTH];
        for (i = WIDTH; i + WIDTH <= count; i += WIDTH) {
            smallest = wide_smaller(smallest, wide_load(values + i));
            largest = wide_larger(largest, wide_load(values + i));
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

static inline wide_box box_of_value(const bp_box *value) {
    wide_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = wide_set(value->min[axis]);
        box.max[axis] = wide_set(value->max[axis]);
    }
    return box;
}

static size_t wide_probe_box(const bp_columns *given, size_t begin, size_t end, const bp_box *value, bp_pair *out) {
    const bp_columns columns = *given;
    const wide_box box = box_of_value(value);
    bp_pair *const first = out;
    for (size_t at = begin; at < end; at += WIDTH) {
        const wide_mask hits = wide_first(wide_overlap(&box, &columns, at), end - at);
        out = wide_emit(out, hits, wide_count_from((uint32_t)at), wide_ids_load(columns.id + at));
    }
    return (size_t)(out - first);
}

// Where the line passes a face of WIDTH boxes.
static inline wide wide_passes(const float *faces, wide origin, wide inverse) {
    return wide_multiply(wide_subtract(wide_load(faces), origin), inverse);
}

static size_t wide_probe_line(const bp_columns *columns, size_t begin, size_t end, const bp_probe_line *line,
                              bp_pair *out) {
    bp_pair *const first = out;
    const float *near[3], *far[3];
    wide near_origin[3], far_origin[3], inverse[3];
    for (int axis = 0; axis < 3; ++axis) {
        const bool backwards = line->inverse[axis] < 0.0f;
        near[axis] = backwards ? columns->max[axis] : columns->min[axis];
        far[axis] = backwards ? columns->min[axis] : columns->max[axis];
        near_origin[axis] = wide_set(line->near_origin[axis]);
        far_origin[axis] = wide_set(line->far_origin[axis]);
        inverse[axis] = wide_set(line->inverse[axis]);
    }
    const uint32_t *ids = columns->id;
    for (size_t at = begin; at < end; at += WIDTH) {
        wide enter = wide_set(0.0f), leave = wide_set(line->length);
        for (int axis = 0; axis < 3; ++axis) {
            enter = wide_larger(enter, wide_passes(near[axis] + at, near_origin[axis], inverse[axis]));
            leave = wide_smaller(leave, wide_passes(far[axis] + at, far_origin[axis], inverse[axis]));
        }
        const wide_mask hits = wide_first(wide_at_most(enter, leave), end - at);
        out = wide_emit(out, hits, wide_count_from((uint32_t)at), wide_ids_load(ids + at));
    }
    return (size_t)(out - first);
}
