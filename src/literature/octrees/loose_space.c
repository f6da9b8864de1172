#include "literature/octrees/loose_space.h"

#include "base/boxes.h"

static double centre_of_box(const bp_box *box, uint32_t axis) {
    return ((double)box->min[axis] + (double)box->max[axis]) / 2;
}

static bp_tree_space space_of_centres(const bp_method_setup *setup, const bp_box *boxes, size_t count) {
    const uint32_t dimensions = setup->dimensions;
    double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; ++i) {
        if (!bp_box_is_finite(&boxes[i], dimensions)) {
            continue;
        }
        for (uint32_t axis = 0; axis < 3 && axis < dimensions; ++axis) {
            const double centre = centre_of_box(&boxes[i], axis);
            min[axis] = centre < min[axis] ? centre : min[axis];
            max[axis] = centre > max[axis] ? centre : max[axis];
        }
    }
    bp_tree_trim(boxes, count, dimensions, min, max);
    return bp_tree_space_around(min, max, dimensions);
}

bp_tree_space bp_loose_space(const bp_method_setup *setup, const bp_box *boxes, size_t count) {
    const bp_method_settings *settings = &setup->settings;
    bp_tree_space space = bp_domain_is_set(&settings->domain)
                              ? bp_tree_space_of_domain(&settings->domain, setup->dimensions)
                              : space_of_centres(setup, boxes, count);
    bp_tree_space_divide(&space, bp_tree_depth_limit(settings->octree_max_depth));
    return space;
}

bp_reach bp_loose_reach(const bp_tree_space *space, const bp_method_setup *setup, uint32_t depth,
                        const uint32_t cell[3]) {
    const double edge = ldexp(space->edge, -(int)depth);
    const double margin = edge * ((double)setup->settings.looseness - 1.0) / 2;
    bp_reach reach = {{0}, {0}};
    for (uint32_t axis = 0; axis < setup->dimensions; ++axis) {
        reach.min[axis] = space->origin[axis] + edge * (double)cell[axis] - margin;
        reach.max[axis] = space->origin[axis] + edge * ((double)cell[axis] + 1.0) + margin;
    }
    return reach;
}

// Whether the node of this depth that contains the finest cell encloses a box.
static bool node_encloses(const bp_tree_space *space, const bp_method_setup *setup, const bp_box *box,
                          const uint32_t finest[3], uint32_t depth) {
    uint32_t cell[3] = {0};
    for (uint32_t axis = 0; axis < setup->dimensions; ++axis) {
        cell[axis] = finest[axis] >> (space->depth - depth);
    }
    const bp_reach reach = bp_loose_reach(space, setup, depth, cell);
    bool enclosed = true;
    for (uint32_t axis = 0; axis < setup->dimensions; ++axis) {
        enclosed &= (double)box->min[axis] >= reach.min[axis] && (double)box->max[axis] < reach.max[axis];
    }
    return enclosed;
}

// The nodes of smaller depths are large enough; those of greater depths are not.
static uint32_t depth_of_size(const bp_tree_space *space, const bp_method_setup *setup, const bp_box *box) {
    double size = (double)FLT_MIN;
    for (uint32_t axis = 0; axis < setup->dimensions; ++axis) {
        size = fmax(size, (double)box->max[axis] - (double)box->min[axis]);
    }
    int exponent = 0; // the nodes of depth exponent - 1 are large enough
    (void)frexp((double)setup->settings.looseness * space->edge / size, &exponent);
    const uint32_t large_enough = exponent < 1 ? 0 : (uint32_t)exponent - 1;
    return large_enough < space->depth ? large_enough : space->depth;
}

bp_loose_place bp_loose_place_of(const bp_tree_space *space, const bp_method_setup *setup, const bp_box *box) {
    if (!bp_box_is_finite(box, setup->dimensions)) {
        return (bp_loose_place){0};
    }
    uint32_t finest[3] = {0};
    for (uint32_t axis = 0; axis < setup->dimensions; ++axis) {
        finest[axis] = bp_tree_cell(space, (int)axis, centre_of_box(box, axis));
    }
    uint32_t depth = depth_of_size(space, setup, box);
    while (depth > 0 && !node_encloses(space, setup, box, finest, depth)) {
        --depth;
    }
    return (bp_loose_place){
        .key = bp_tree_key(space, centre_of_box(box, 0), centre_of_box(box, 1), centre_of_box(box, 2)), .depth = depth};
}
