// Load balance: when regions are computed again, and with which weights.
//
// Work is counted, not timed, so that a run is repeatable: boxes searched (owned and ghosts) plus pairs found. An
// object weighs 1 plus half of its pairs, times its rank's last work per such unit: so the objects of a rank carry the
// cost of its ghosts.
#include "world.h"

#include <math.h>

// ---- when ----------------------------------------------------------------------------------------------------------

// The last partition may have reached no better imbalance than `settled` (a crowd at one point cannot be cut), so only
// a clearly worse one justifies another partition.
bool bp_mpi_needs_partition(const bp_mpi_world *world) {
    if (world->comm.size == 1) {
        return false;
    }
    if (!world->has_regions || (world->parted_objects == 0 && world->objects > 0)) {
        return true;
    }
    const double allowed = (double)world->config.imbalance;
    const double limit = fmax(allowed, world->settled * (1.0 + 0.5 * (allowed - 1.0)));
    const double now = world->stats.imbalance;
    const bool long_ago = world->stats.updates - world->last_partition >= world->config.balance_interval;
    return now > limit && (long_ago || now > 2.0 * world->settled);
}

bp_status bp_mpi_measure(bp_mpi_world *world, bp_status status, double work, double *imbalance) {
    int64_t most = (int64_t)work, sum = (int64_t)work;
    status = bp_mpi_agree_most(&world->comm, status, &most, 1);
    if (status == BP_OK) {
        status = bp_mpi_sum(&world->comm, &sum, 1);
    }
    *imbalance = sum > 0 ? (double)most * (double)world->comm.size / (double)sum : 1.0;
    return status;
}

// ---- how -----------------------------------------------------------------------------------------------------------

static bool is_finite_box(const bp_mpi_world *world, const bp_box *box) {
    bool finite = true;
    for (uint32_t axis = 0; axis < world->config.local.dimensions; ++axis) {
        finite &= isfinite(box->min[axis]) && isfinite(box->max[axis]);
    }
    return finite;
}

static void count_pair(const bp_mpi_world *world, uint64_t id, float *weights) {
    const uint32_t *index = bp_mpi_map_find(&world->owned.index_of, id);
    if (index != NULL) weights[*index] += 0.5f;
}

static void weigh(const bp_mpi_world *world, float *weights) {
    double sum = 0.0;
    for (size_t i = 0; i < world->owned.count; ++i) weights[i] = 1.0f;
    for (size_t i = 0; i < world->pairs.count; ++i) {
        count_pair(world, bp_mpi_pairs_data(&world->pairs)[i].a, weights);
        count_pair(world, bp_mpi_pairs_data(&world->pairs)[i].b, weights);
    }
    for (size_t i = 0; i < world->owned.count; ++i) sum += (double)weights[i];
    // Objects added since then were not part of that work.
    const bool comparable = world->stats.owned == world->owned.count && sum > 0.0;
    const float unit = comparable ? (float)fmin(fmax(world->stats.work / sum, 0.5), 4.0) : 1.0f;
    for (size_t i = 0; i < world->owned.count; ++i) weights[i] *= unit;
}

// Infinite boxes are left out: they have no centre, and cost the same on all ranks.
static size_t place(const bp_mpi_world *world, double *centres, float *weights) {
    size_t count = 0;
    for (size_t i = 0; i < world->owned.count; ++i) {
        const bp_box *box = &((const bp_box *)world->owned.boxes.data)[i];
        if (is_finite_box(world, box)) {
            bp_mpi_centre_of(&world->regions, box, &centres[3 * count]);
            weights[count++] = weights[i];
        }
    }
    return count;
}

bp_status bp_mpi_make_regions(bp_mpi_world *world, bp_status status, bp_mpi_regions *regions) {
    const bp_allocator *allocator = bp_mpi_allocator(world);
    const bp_mpi_regions *last = &world->regions;
    bp_buffer centres = {0}, weights = {0};
    bp_mpi_load load = {.dimensions = last->dimensions};
    *regions = (bp_mpi_regions){.dimensions = last->dimensions,
                                .spheres = last->spheres,
                                .period = {last->period[0], last->period[1], last->period[2]},
                                .size = last->size,
                                .broadcast_above = last->broadcast_above};
    if (status == BP_OK &&
        (!bp_buffer_reserve_slack(&centres, allocator, 0, 3 * world->owned.count + 3, sizeof(double)) ||
         !bp_buffer_reserve_slack(&weights, allocator, 0, world->owned.count + 1, sizeof(float)))) {
        status = BP_ERROR_MEMORY;
    }
    if (status == BP_OK) {
        weigh(world, weights.data);
        load.count = place(world, centres.data, weights.data);
        load.centres = centres.data;
        load.weights = weights.data;
    }
    status = bp_mpi_make_partition(&world->comm, status, world->zoltan, world->config.partition, &load, regions);
    bp_buffer_free(&centres, allocator);
    bp_buffer_free(&weights, allocator);
    return status;
}
