#include "regions.h"

#include <float.h>
#include <math.h>
#include <string.h>

// More than the rounding of a few operations in 64 bits, far less than that of a 32-bit coordinate.
static const double ROUNDING = 0x1p-44;

enum { IMAGES = 3 };

static double image_offset(const bp_mpi_regions *regions, uint32_t axis, int image) {
    return (double)(image - 1) * regions->period[axis];
}

// ---- extents -------------------------------------------------------------------------------------------------------

static double wrap(double x, double period) {
    const double wrapped = x - floor(x / period) * period;
    return wrapped < 0.0 ? 0.0 : wrapped > period ? period : wrapped;
}

static void set_straight(bp_mpi_extent *extent, uint32_t axis, double low, double high, double slack) {
    extent->low[axis] = extent->start[axis] = low - slack;
    extent->high[axis] = high + slack;
}

static void set_arc(bp_mpi_extent *extent, uint32_t axis, double low, double high, double period) {
    const double slack = (fabs(low) + fabs(high) + period) * ROUNDING;
    const double length = high - low + 2.0 * slack;
    if (!(length < period)) { // infinite boxes too
        extent->low[axis] = -INFINITY;
        extent->high[axis] = INFINITY;
        extent->start[axis] = isinf(low) ? 0.0 : wrap(low, period);
        return;
    }
    extent->low[axis] = extent->start[axis] = wrap(low - slack, period);
    extent->high[axis] = extent->low[axis] + length;
}

bp_mpi_extent bp_mpi_extent_of(const bp_mpi_regions *regions, const bp_box *box) {
    bp_mpi_extent extent = {0};
    for (uint32_t axis = 0; axis < regions->dimensions; ++axis) {
        const double low = (double)box->min[axis], high = (double)box->max[axis];
        const bool infinite = isinf(low) || isinf(high);
        extent.infinite |= infinite;
        if (regions->period[axis] > 0.0) {
            set_arc(&extent, axis, low, high, regions->period[axis]);
        } else {
            // Spheres meet by a rounded distance: their boxes may miss each other by a hair.
            const bool hair = regions->spheres && !infinite;
            set_straight(&extent, axis, low, high, hair ? (fabs(low) + fabs(high)) * ROUNDING : 0.0);
        }
    }
    return extent;
}

static double bounded(float x) {
    return (double)(x < -FLT_MAX ? -FLT_MAX : x > FLT_MAX ? FLT_MAX : x);
}

void bp_mpi_centre_of(const bp_mpi_regions *regions, const bp_box *box, double centre[3]) {
    centre[2] = 0.0;
    for (uint32_t axis = 0; axis < regions->dimensions; ++axis) {
        const double middle = 0.5 * bounded(box->min[axis]) + 0.5 * bounded(box->max[axis]);
        centre[axis] = regions->period[axis] > 0.0 ? wrap(middle, regions->period[axis]) : middle;
    }
}

// ---- points --------------------------------------------------------------------------------------------------------

static int32_t cell_of(const bp_mpi_regions *regions, uint32_t axis, double x) {
    const double cell = floor((x - regions->origin[axis]) * regions->per_unit[axis]);
    const double last = (double)(regions->cells[axis] - 1);
    return !(cell > 0.0) ? 0 : cell > last ? (int32_t)last : (int32_t)cell;
}

static size_t cell_index(const bp_mpi_regions *regions, int32_t x, int32_t y, int32_t z) {
    return ((size_t)z * (size_t)regions->cells[1] + (size_t)y) * (size_t)regions->cells[0] + (size_t)x;
}

size_t bp_mpi_cell_of_point(const bp_mpi_regions *regions, const double point[3]) {
    const int32_t z = regions->dimensions == 3 ? cell_of(regions, 2, point[2]) : 0;
    return cell_index(regions, cell_of(regions, 0, point[0]), cell_of(regions, 1, point[1]), z);
}

int bp_mpi_rank_of_point(const bp_mpi_regions *regions, const double point[3]) {
    if (regions->size == 1) {
        return 0;
    }
    if (regions->is_grid) {
        return ((const int32_t *)regions->owners.data)[bp_mpi_cell_of_point(regions, point)];
    }
    const bp_mpi_cut *cuts = regions->cuts.data;
    int32_t node = 0;
    do {
        node = cuts[node].sides[point[cuts[node].axis] > cuts[node].at];
    } while (node >= 0);
    return ~node;
}

// ---- boxes ---------------------------------------------------------------------------------------------------------

bool bp_mpi_is_inside_with_care(const bp_mpi_regions *regions, const bp_box *box) {
    if (regions->is_grid) {
        return false;
    }
    bool inside = true;
    for (uint32_t axis = 0; axis < regions->dimensions; ++axis) {
        const double low = (double)box->min[axis], high = (double)box->max[axis];
        const double period = regions->period[axis];
        // Leaves room for the rounding of wrapped coordinates, so slightly fewer boxes take the fast path.
        const double slack = (fabs(low) + fabs(high) + period) * (4.0 * ROUNDING);
        inside &= low <= high;
        inside &= low - slack > regions->low[axis] && high + slack <= regions->high[axis];
        inside &= period <= 0.0 || (low - slack > 0.0 && high + slack < period);
    }
    return inside;
}

typedef struct gathering {
    bp_mpi_regions *regions;
    double low[3], high[3];
    int *ranks;
    size_t count;
} gathering;

static void add_rank_once(gathering *self, int rank) {
    uint32_t *marks = self->regions->marks.data;
    if (marks[rank] != self->regions->mark) {
        marks[rank] = self->regions->mark;
        self->ranks[self->count++] = rank;
    }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree of cuts
static void descend(gathering *self, int32_t node) {
    if (node < 0) {
        add_rank_once(self, ~node);
        return;
    }
    const bp_mpi_cut *cut = &((const bp_mpi_cut *)self->regions->cuts.data)[node];
    if (self->low[cut->axis] <= cut->at) {
        descend(self, cut->sides[0]);
    }
    if (self->high[cut->axis] > cut->at) {
        descend(self, cut->sides[1]);
    }
}

static void visit_cells(gathering *self) {
    const bp_mpi_regions *regions = self->regions;
    int32_t first[3] = {0}, last[3] = {0};
    for (uint32_t axis = 0; axis < regions->dimensions; ++axis) {
        first[axis] = cell_of(regions, axis, self->low[axis]);
        last[axis] = cell_of(regions, axis, self->high[axis]);
    }
    const int32_t *owners = regions->owners.data;
    for (int32_t z = first[2]; z <= last[2]; ++z) {
        for (int32_t y = first[1]; y <= last[1]; ++y) {
            for (int32_t x = first[0]; x <= last[0]; ++x) add_rank_once(self, owners[cell_index(regions, x, y, z)]);
        }
    }
}

// All images of an extent, axis after axis; only those that reach into 0 .. period.
// NOLINTNEXTLINE(misc-no-recursion): three deep
static void visit_images(gathering *self, const bp_mpi_extent *extent, uint32_t axis) {
    if (axis >= 3 || axis == self->regions->dimensions) {
        if (self->regions->is_grid) {
            visit_cells(self);
        } else {
            descend(self, 0);
        }
        return;
    }
    const double period = self->regions->period[axis];
    const bool repeats = period > 0.0 && !isinf(extent->low[axis]);
    for (int image = repeats ? 0 : 1; image < (repeats ? IMAGES : 2); ++image) {
        const double offset = image_offset(self->regions, axis, image);
        self->low[axis] = repeats ? extent->low[axis] + offset : extent->low[axis];
        self->high[axis] = repeats ? extent->high[axis] + offset : extent->high[axis];
        if (!repeats || (self->high[axis] >= 0.0 && self->low[axis] <= period)) {
            visit_images(self, extent, axis + 1);
        }
    }
}

static void next_mark(bp_mpi_regions *regions) {
    if (++regions->mark == 0) {
        memset(regions->marks.data, 0, (size_t)regions->size * sizeof(uint32_t));
        regions->mark = 1;
    }
}

// Without periods and spheres an extent is the box itself. Returns whether it is infinite.
static bool visit_plainly(gathering *self, const bp_box *box) {
    bool infinite = false;
    for (uint32_t axis = 0; axis < self->regions->dimensions; ++axis) {
        self->low[axis] = (double)box->min[axis];
        self->high[axis] = (double)box->max[axis];
        infinite |= isinf(box->min[axis]) || isinf(box->max[axis]);
    }
    descend(self, 0);
    return infinite;
}

static bool visit_with_care(gathering *self, const bp_box *box) {
    const bp_mpi_extent extent = bp_mpi_extent_of(self->regions, box);
    visit_images(self, &extent, 0);
    return extent.infinite;
}

size_t bp_mpi_ranks_of_box(bp_mpi_regions *regions, const bp_box *box, int *ranks, bool *is_broadcast) {
    if (regions->size == 1) {
        *is_broadcast = false;
        ranks[0] = 0;
        return 1;
    }
    gathering self = {.regions = regions, .ranks = ranks};
    next_mark(regions);
    const bool infinite = regions->plain ? visit_plainly(&self, box) : visit_with_care(&self, box);
    *is_broadcast = infinite || self.count > regions->broadcast_above;
    return self.count;
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

// Whether a point of the circle lies in an image of an arc, with exactly the numbers that visit_images uses.
static bool arc_holds(const bp_mpi_regions *regions, const bp_mpi_extent *extent, uint32_t axis, double point) {
    bool held = isinf(extent->low[axis]);
    for (int image = 0; image < IMAGES && !held; ++image) {
        const double offset = image_offset(regions, axis, image);
        held = extent->low[axis] + offset <= point && point <= extent->high[axis] + offset;
    }
    return held;
}

// A point that lies in both extents, however large the slack of one is and however small that of the other: the larger
// of their starts, or on a circle the start that the other one holds.
static double common_point(const bp_mpi_regions *regions, const bp_mpi_extent *first, const bp_mpi_extent *second,
                           uint32_t axis) {
    const bool by_second = regions->period[axis] > 0.0 ? arc_holds(regions, first, axis, second->start[axis])
                                                       : second->start[axis] > first->start[axis];
    return by_second ? second->start[axis] : first->start[axis];
}

int bp_mpi_reporter(const bp_mpi_regions *regions, const bp_box *a, const bp_box *b) {
    double point[3] = {0};
    if (regions->plain) {
        for (uint32_t axis = 0; axis < regions->dimensions; ++axis) {
            point[axis] = (double)(a->min[axis] > b->min[axis] ? a->min[axis] : b->min[axis]);
        }
    } else {
        const bp_mpi_extent first = bp_mpi_extent_of(regions, a), second = bp_mpi_extent_of(regions, b);
        for (uint32_t axis = 0; axis < regions->dimensions; ++axis) {
            point[axis] = common_point(regions, &first, &second, axis);
        }
    }
    return bp_mpi_rank_of_point(regions, point);
}

// ---- the tree ------------------------------------------------------------------------------------------------------

// How to split ranks first .. last-1: those before `middle` go left.
typedef struct parting {
    int middle;
    int32_t axis;
    double at;
} parting;

static double side(const double *boxes, int rank, int32_t axis, bool high) {
    return boxes[(size_t)rank * 6 + (high ? 3 : 0) + (size_t)axis];
}

// Along one axis: of all ranks r where the regions before r end before those from r on begin, the one nearest to the
// middle. `ends` is scratch.
static void try_axis(const double *boxes, int first, int last, int32_t axis, double *ends, parting *best,
                     int *best_off) {
    double begins = INFINITY;
    for (int r = first; r < last; ++r) {
        const double end = side(boxes, r, axis, true);
        ends[r] = r > first && ends[r - 1] > end ? ends[r - 1] : end;
    }
    for (int r = last - 1; r > first; --r) {
        const double begin = side(boxes, r, axis, false);
        begins = begin < begins ? begin : begins;
        const int off = 2 * r > first + last ? 2 * r - first - last : first + last - 2 * r;
        if (ends[r - 1] <= begins && off < *best_off) {
            *best_off = off;
            *best = (parting){.middle = r, .axis = axis, .at = ends[r - 1]};
        }
    }
}

static parting part(const bp_mpi_regions *regions, const double *boxes, int first, int last, double *ends) {
    int best_off = 2 * (last - first);
    parting best = {.middle = first + (last - first) / 2, .axis = 0};
    best.at = side(boxes, best.middle - 1, 0, true);
    for (uint32_t axis = 0; axis < regions->dimensions; ++axis) {
        try_axis(boxes, first, last, (int32_t)axis, ends, &best, &best_off);
    }
    return best;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree of cuts
static int32_t build_tree(bp_mpi_regions *regions, const double *boxes, int first, int last, double *ends,
                          int32_t *used) {
    if (last - first == 1) {
        return ~(int32_t)first;
    }
    const parting parted = part(regions, boxes, first, last, ends);
    const int32_t node = (*used)++;
    bp_mpi_cut *cut = &((bp_mpi_cut *)regions->cuts.data)[node];
    *cut = (bp_mpi_cut){.at = parted.at, .axis = parted.axis};
    cut->sides[0] = build_tree(regions, boxes, first, parted.middle, ends, used);
    cut->sides[1] = build_tree(regions, boxes, parted.middle, last, ends, used);
    return node;
}

// The cuts on the way to a rank's leaf bound its region.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree of cuts
static bool bound(bp_mpi_regions *regions, int32_t node, int rank) {
    if (node < 0) {
        return ~node == rank;
    }
    const bp_mpi_cut cut = ((const bp_mpi_cut *)regions->cuts.data)[node];
    if (bound(regions, cut.sides[0], rank)) {
        regions->high[cut.axis] = cut.at < regions->high[cut.axis] ? cut.at : regions->high[cut.axis];
        return true;
    }
    if (bound(regions, cut.sides[1], rank)) {
        regions->low[cut.axis] = cut.at > regions->low[cut.axis] ? cut.at : regions->low[cut.axis];
        return true;
    }
    return false;
}

bool bp_mpi_tree_from_boxes(bp_mpi_regions *regions, const bp_allocator *allocator, const double *boxes, int rank) {
    bp_buffer ends = {0};
    const size_t size = (size_t)regions->size;
    if (!bp_buffer_reserve_slack(&regions->cuts, allocator, 0, size, sizeof(bp_mpi_cut)) ||
        !bp_buffer_reserve_slack(&ends, allocator, 0, size, sizeof(double))) {
        return false;
    }
    int32_t used = 0;
    (void)build_tree(regions, boxes, 0, regions->size, ends.data, &used);
    bp_buffer_free(&ends, allocator);
    for (int axis = 0; axis < 3; ++axis) {
        regions->low[axis] = -INFINITY;
        regions->high[axis] = INFINITY;
    }
    (void)bound(regions, regions->size > 1 ? 0 : ~0, rank);
    regions->plain =
        !regions->spheres && regions->period[0] <= 0.0 && regions->period[1] <= 0.0 && regions->period[2] <= 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const float low = (float)regions->low[axis], high = (float)regions->high[axis];
        regions->inner_low[axis] = (double)low < regions->low[axis] ? nextafterf(low, INFINITY) : low;
        regions->inner_high[axis] = (double)high > regions->high[axis] ? nextafterf(high, -INFINITY) : high;
    }
    return true;
}

void bp_mpi_regions_free(bp_mpi_regions *regions, const bp_allocator *allocator) {
    bp_buffer_free(&regions->cuts, allocator);
    bp_buffer_free(&regions->owners, allocator);
    bp_buffer_free(&regions->marks, allocator);
}
