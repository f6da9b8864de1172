// The kernels for strips, and for cutting a set to limits, in plain C.
#ifndef BP_PLAIN_STRIPS_H
#define BP_PLAIN_STRIPS_H

#include "base/boxes.h"
#include "kernels/kernels.h"

// Values of BP_SURVEY_BOXES boxes, and three more that may be anything.
static inline void survey_values(const float *values, bp_survey_lanes *lanes) {
    for (int k = 0; k < BP_SURVEY_LANES; ++k) {
        const float value = values[k], edge = values[k + 3] - value;
        const bool counts = edge >= 0.0f;
        lanes->low[k] = value < lanes->low[k] ? value : lanes->low[k]; // not a NaN
        lanes->high[k] = value > lanes->high[k] ? value : lanes->high[k];
        lanes->longest[k] = edge > lanes->longest[k] ? edge : lanes->longest[k];
        lanes->sum[k] += counts ? edge : 0.0f;
        lanes->number[k] += counts;
    }
}

// The last boxes, with holes behind them.
static inline void survey_last(const bp_box *boxes, size_t count, bp_survey_lanes *lanes) {
    bp_box last[BP_SURVEY_BOXES + 1];
    for (size_t i = 0; i <= BP_SURVEY_BOXES; ++i) {
        last[i] = i < count ? boxes[i] : bp_box_hole();
    }
    survey_values(last[0].min, lanes);
}

static inline void plain_survey(const bp_box *boxes, size_t count, bp_survey_lanes *lanes) {
    size_t i = 0;
    for (; i + BP_SURVEY_BOXES < count; i += BP_SURVEY_BOXES) {
        survey_values(boxes[i].min, lanes);
    }
    survey_last(boxes + i, count - i, lanes);
}

static inline size_t plain_strip_entries(const bp_strips *strips, const bp_box *boxes, size_t begin, size_t end,
                                         uint32_t set, uint32_t *keys, uint64_t *entries) {
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        count += bp_strips_entries_of(strips, &boxes[i], (uint32_t)i | set, keys + count, entries + count);
    }
    return count;
}

static inline void plain_gather_entries(const bp_columns *columns, size_t begin, size_t end, const uint64_t *entries,
                                        const bp_strip_sets *sets) {
    for (size_t i = begin; i < end; ++i) {
        bp_columns_put(columns, i, bp_entry_box(sets, entries[i]), (uint32_t)entries[i]);
    }
}

static inline size_t plain_cut_boxes(const bp_box *boxes, size_t begin, size_t end, const bp_box *limits,
                                     uint32_t dimensions, uint32_t *ids) {
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        ids[count] = (uint32_t)i;
        count += bp_boxes_overlap_branchless(&boxes[i], limits, dimensions);
    }
    return count;
}

#endif
