// The partition by a Hilbert curve: a grid whose cells are dealt out to the ranks along the curve.
//
//     weights of this rank's objects ---> per cell ---> added up over the ranks ---> cut along the curve ---> owners
//
// Weights are added up as whole numbers, so that all ranks get the same sums, and with them the same owners.
#ifndef BP_MPI_CURVE_H
#define BP_MPI_CURVE_H

#include "partition.h"

// Collective. Fills in the grid of `regions`, whose other fields are set. Some rank has an object.
bp_status bp_mpi_cut_curve(bp_mpi_comm *comm, const bp_mpi_load *load, bp_mpi_regions *regions);

#endif
