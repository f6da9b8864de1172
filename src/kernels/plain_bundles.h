// The kernels of bundles (engine/grid/bundles.h), in plain C.
#ifndef BP_PLAIN_BUNDLES_H
#define BP_PLAIN_BUNDLES_H

#include "base/boxes.h"
#include "kernels/kernels.h"

// Up to BP_BUNDLE boxes. A NaN leaves bounds as they are, by the order of the arguments. Sums are those of the vector
// code, in the same order: which bundles are loose decides the order of pairs.
static inline bp_box bounds_of_bundle(const bp_box *boxes, size_t count, uint32_t dimensions, uint8_t *loose) {
    bp_box bounds = {.min = {0.0f}};
    *loose = 0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        float negated_min = -INFINITY, max = -INFINITY, negated_min_sum = 0.0f, max_sum = 0.0f;
        for (size_t i = 0; i < count; ++i) {
            negated_min = bp_larger(-boxes[i].min[axis], negated_min);
            max = bp_larger(boxes[i].max[axis], max);
            negated_min_sum += -boxes[i].min[axis];
            max_sum += boxes[i].max[axis];
        }
        bounds.min[axis] = -negated_min;
        bounds.max[axis] = max;
        *loose |= !(negated_min + max <= negated_min_sum + max_sum); // also where there is a hole
    }
    return bounds;
}

static inline void plain_bundle_bounds(const bp_box *boxes, size_t count, uint32_t dimensions, bp_box *bounds,
                                       uint8_t *loose) {
    for (size_t i = 0; i < count; i += BP_BUNDLE) {
        const size_t some = count - i < BP_BUNDLE ? count - i : BP_BUNDLE;
        bounds[i / BP_BUNDLE] = bounds_of_bundle(boxes + i, some, dimensions, &loose[i / BP_BUNDLE]);
    }
}

static inline void fill_block(const bp_box *boxes, size_t count, uint32_t dimensions, bp_bundle_block *block) {
    for (size_t lane = 0; lane < BP_BUNDLE; ++lane) {
        const bp_box box = lane < count ? bp_box_flatten(boxes[lane], dimensions) : bp_box_hole();
        for (int axis = 0; axis < 3; ++axis) {
            block->min[axis][lane] = box.min[axis];
            block->max[axis][lane] = box.max[axis];
        }
    }
}

static inline void plain_fill_blocks(const bp_box *boxes, size_t box_count, const bp_bundle_range *ranges, size_t count,
                                     uint32_t dimensions, bp_bundle_block *blocks) {
    (void)box_count;
    for (size_t i = 0; i < count; ++i) {
        fill_block(boxes + bp_bundle_begin(ranges[i]), bp_bundle_count(ranges[i]), dimensions, &blocks[i]);
    }
}

static inline size_t open_range(const bp_box *boxes, bp_bundle_range range, const bp_box *limits, uint32_t dimensions,
                                uint32_t *found) {
    size_t end = 0;
    for (uint32_t i = bp_bundle_begin(range); i < bp_bundle_begin(range) + bp_bundle_count(range); ++i) {
        found[end] = i;
        end += bp_boxes_overlap_branchless(&boxes[i], limits, dimensions);
    }
    return end;
}

static inline size_t plain_open_bundles(const bp_bundle_list *bundles, const bp_box *limits, uint32_t dimensions,
                                        uint32_t *found) {
    size_t end = 0;
    for (size_t i = 0; i < bundles->count; ++i) {
        end += open_range(bundles->boxes, bundles->ranges[bundles->ids[i]], limits, dimensions, found + end);
    }
    return end;
}

static inline bool lane_overlaps(const bp_bundle_block *block, size_t lane, const bp_box *box) {
    bool overlaps = true;
    for (int axis = 0; axis < 3; ++axis) {
        overlaps &= (box->min[axis] <= block->max[axis][lane]) & (block->min[axis][lane] <= box->max[axis]);
    }
    return overlaps;
}

static inline size_t plain_open_blocks(const bp_bundle_block *blocks, const uint32_t *opened, size_t count,
                                       const bp_box *limits, uint32_t *found) {
    size_t end = 0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t lane = 0; lane < BP_BUNDLE; ++lane) {
            found[end] = opened[i] * BP_BUNDLE + (uint32_t)lane;
            end += lane_overlaps(&blocks[opened[i]], lane, limits);
        }
    }
    return end;
}

static inline void plain_meet_lanes(const bp_bundle_block *block, const bp_box *boxes, const uint32_t *ids,
                                    size_t count, uint8_t *lanes) {
    for (size_t i = 0; i < count; ++i) {
        lanes[i] = 0;
        for (size_t lane = 0; lane < BP_BUNDLE; ++lane) {
            lanes[i] |= (uint8_t)(lane_overlaps(block, lane, &boxes[ids[i]]) << lane);
        }
    }
}

static inline size_t plain_join_block(const bp_block_join *join, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < join->a_count; ++i) {
        const bp_box box = bp_box_flatten(join->a_boxes[join->a_ids[i]], join->dimensions);
        for (uint32_t lane = 0; lane < BP_BUNDLE; ++lane) {
            *out = (bp_pair){.a = join->a_ids[i], .b = join->b_begin + lane};
            out += (!join->is_one_set | (out->a < out->b)) & lane_overlaps(join->b_block, lane, &box);
        }
    }
    return (size_t)(out - first);
}

#endif
