// Zoltan can cut a Hilbert curve as well, but cannot always say afterwards to which piece a point belongs: it then prints
// "programming error, shouldn't happen" and fails.
#include "curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the grid ------------------------------------------------------------------------------------------------------

// Enough cells that each rank has some hundreds, if objects are spread evenly.
static void lay_grid(bp_mpi_regions *regions, const double low[3], const double high[3]) {
    const double cells = 512.0 * (double)regions->size;
    const double edge = regions->dimensions == 2 ? sqrt(cells) : cbrt(cells);
    regions->is_grid = true;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const bool flat = axis >= regions->dimensions || !(high[axis] > low[axis]);
        regions->cells[axis] = flat ? 1 : (int32_t)ceil(edge);
        regions->origin[axis] = flat ? 0.0 : low[axis];
        regions->per_unit[axis] = flat ? 0.0 : (double)regions->cells[axis] / (high[axis] - low[axis]);
        // If the range is so small or large that this is not finite, one cell is used.
        if (!(regions->per_unit[axis] < 1e300)) {
            regions->cells[axis] = 1;
            regions->per_unit[axis] = 0.0;
        }
    }
}

static bp_status find_bounds(bp_mpi_comm *comm, const bp_mpi_load *load, double low[3], double high[3]) {
    double bounds[6], all[6]; // -low, high: both are a largest number
    for (int i = 0; i < 6; ++i) bounds[i] = -INFINITY;
    for (size_t i = 0; i < load->count; ++i) {
        for (size_t axis = 0; axis < 3; ++axis) {
            bounds[axis] = fmax(bounds[axis], -load->centres[3 * i + axis]);
            bounds[3 + axis] = fmax(bounds[3 + axis], load->centres[3 * i + axis]);
        }
    }
    const bp_status status =
        bp_mpi_check(comm, MPI_Allreduce(bounds, all, 6, MPI_DOUBLE, MPI_MAX, comm->handle), "looking for the objects");
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = -all[axis];
        high[axis] = all[3 + axis];
    }
    return status;
}

// ---- the curve -----------------------------------------------------------------------------------------------------

// A cell, and how far along the curve it lies.
typedef struct step {
    uint64_t key;
    size_t cell;
} step;

static int compare_steps(const void *a, const void *b) {
    const step *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

// J. Skilling, Programming the Hilbert curve (2004): turns coordinates into the bits of the place on the curve, spread
// over them; these are then read across. `top` is the highest bit of a coordinate.
static uint64_t hilbert_key(uint32_t x[3], uint32_t dimensions, uint32_t top) {
    for (uint32_t bit = top; bit > 1; bit >>= 1) {
        for (uint32_t i = 0; i < dimensions; ++i) {
            const uint32_t exchanged = (x[i] & bit) != 0 ? 0 : (x[0] ^ x[i]) & (bit - 1);
            x[0] ^= (x[i] & bit) != 0 ? bit - 1 : exchanged;
            x[i] ^= exchanged;
        }
    }
    uint32_t flipped = 0;
    for (uint32_t i = 1; i < dimensions; ++i) x[i] ^= x[i - 1];
    for (uint32_t bit = top; bit > 1; bit >>= 1) flipped ^= (x[dimensions - 1] & bit) != 0 ? bit - 1 : 0;
    uint64_t key = 0;
    for (uint32_t bit = top; bit > 0; bit >>= 1) {
        for (uint32_t i = 0; i < dimensions; ++i) key = key << 1 | (((x[i] ^ flipped) & bit) != 0);
    }
    return key;
}

static void follow_curve(const bp_mpi_regions *regions, step *steps) {
    const int32_t *cells = regions->cells;
    const uint32_t dimensions = regions->dimensions == 2 ? 2 : 3;
    int32_t most = cells[0] > cells[1] ? cells[0] : cells[1];
    most = cells[2] > most ? cells[2] : most;
    uint32_t top = 1;
    while (2 * top < (uint32_t)most) top *= 2;
    size_t cell = 0;
    for (int32_t z = 0; z < cells[2]; ++z) {
        for (int32_t y = 0; y < cells[1]; ++y) {
            for (int32_t x = 0; x < cells[0]; ++x, ++cell) {
                uint32_t place[3] = {(uint32_t)x, (uint32_t)y, (uint32_t)z};
                steps[cell] = (step){.key = hilbert_key(place, dimensions, top), .cell = cell};
            }
        }
    }
    qsort(steps, cell, sizeof *steps, compare_steps);
}

// ---- the cuts ------------------------------------------------------------------------------------------------------

static void weigh_cells(const bp_mpi_regions *regions, const bp_mpi_load *load, int64_t *weights, size_t cells) {
    const double PARTS = 256.0; // of a weight, which is 0.5 or more
    memset(weights, 0, cells * sizeof *weights);
    for (size_t i = 0; i < load->count; ++i) {
        weights[bp_mpi_cell_of_point(regions, &load->centres[3 * i])] += (int64_t)((double)load->weights[i] * PARTS);
    }
}

// A cell goes to the rank in whose share of the whole weight the middle of its own lies.
static void deal_out(bp_mpi_regions *regions, const step *steps, const int64_t *weights, size_t cells) {
    int32_t *owners = regions->owners.data;
    double sum = 0.0, before = 0.0;
    for (size_t i = 0; i < cells; ++i) sum += (double)weights[i];
    for (size_t i = 0; i < cells; ++i) {
        const double weight = (double)weights[steps[i].cell];
        const double share = (before + 0.5 * weight) / sum * (double)regions->size;
        owners[steps[i].cell] = share < (double)(regions->size - 1) ? (int32_t)share : regions->size - 1;
        before += weight;
    }
}

bp_status bp_mpi_cut_curve(bp_mpi_comm *comm, const bp_mpi_load *load, bp_mpi_regions *regions) {
    double low[3], high[3];
    bp_buffer weights = {0}, steps = {0};
    const bp_allocator *allocator = &comm->allocator;
    bp_status status = find_bounds(comm, load, low, high);
    if (status != BP_OK) {
        return status;
    }
    lay_grid(regions, low, high);
    const size_t cells = (size_t)regions->cells[0] * (size_t)regions->cells[1] * (size_t)regions->cells[2];
    const bool reserved = bp_buffer_reserve_slack(&regions->owners, allocator, 0, cells, sizeof(int32_t)) &&
                          bp_buffer_reserve_slack(&weights, allocator, 0, cells, sizeof(int64_t)) &&
                          bp_buffer_reserve_slack(&steps, allocator, 0, cells, sizeof(step));
    status = bp_mpi_agree(comm, reserved ? BP_OK : BP_ERROR_MEMORY);
    if (status == BP_OK) {
        weigh_cells(regions, load, weights.data, cells);
        status = bp_mpi_sum(comm, weights.data, (int)cells);
    }
    if (status == BP_OK) {
        follow_curve(regions, steps.data);
        deal_out(regions, steps.data, weights.data, cells);
    }
    bp_buffer_free(&weights, allocator);
    bp_buffer_free(&steps, allocator);
    return bp_mpi_agree(comm, status);
}
