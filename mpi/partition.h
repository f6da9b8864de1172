// The partition: the centres of the boxes, weighted by work, are cut into as many regions as there are ranks. Zoltan
// bisects them; the Hilbert curve is cut here (curve.h).
#ifndef BP_MPI_PARTITION_H
#define BP_MPI_PARTITION_H

#include "comm.h"
#include "regions.h"

#include <zoltan.h>

// The input: this rank's centres and weights.
typedef struct bp_mpi_load {
    const double *centres; // 3 each
    const float *weights;
    size_t count;
    uint32_t dimensions;
} bp_mpi_load;

// Collective. Makes a Zoltan object for a communicator.
bp_status bp_mpi_partition_create(bp_mpi_comm *comm, struct Zoltan_Struct **zoltan);

// Collective. Fills in the tree or grid of `regions`, whose other fields are set; their number need not be that of the
// ranks. `status` is this rank's status so far.
bp_status bp_mpi_make_partition(bp_mpi_comm *comm, bp_status status, struct Zoltan_Struct *zoltan,
                                bp_mpi_partition kind, const bp_mpi_load *load, bp_mpi_regions *regions);

#endif
