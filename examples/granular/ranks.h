// The same grains over the ranks of MPI: libbroadphase_mpi says who owns a grain and who may touch whom, forces.c does the
// rest, and the state has the same bits as on one rank, however many there are.
//
//        rank 0     |     rank 1            Each rank computes the forces on its own grains. It holds copies of those of
//                   |                       other ranks that these may touch, and gets their state anew in each step. A
//     (2) - (5) - - | - - (6) - (7)         contact across, 5 with 6, is computed on both sides: from the same numbers, so
//                   |                       to the same bits.
//     2, 5, copy 6  |  6, 7, copy 5
//
// Grains and contacts lie ascending by id on each rank. So the forces on a grain are summed in the same order everywhere: that
// of its partners' ids.
//
// A pair is reported where it is found, which may be a third rank: it is sent on to the owners of both grains, and the springs
// of contacts that were there along with it. From the contacts both sides know whose state they owe whom. State and springs
// move with their grain.
//
// Memory that is missing ends all ranks. All functions are collective.
#ifndef GRANULAR_RANKS_H
#define GRANULAR_RANKS_H

#include "forces.h"

#include <broadphase/broadphase_mpi.h>

// Whose state is sent, or received, in each step: rank after rank, ascending by id.
typedef struct granular_traffic {
    int *counts, *offsets; // of each rank
    uint32_t *indices;     // of the grains
    granular_grain *grains;
    size_t count;
} granular_traffic;

typedef struct granular_ranks {
    granular_system system; // the grains known here, and the contacts of those owned here
    uint64_t *ids;          // of these grains, ascending
    uint32_t *indices;   // of each id among them; 4 bytes for each grain of all ranks, where a large program would hash
    int *owners;         // of these grains
    double (*places)[3]; // where they were when the contacts were found
    granular_traffic sent, received;
    bp_mpi_world *world;
    MPI_Comm communicator;
    MPI_Datatype grain_type;
    int rank, rank_count;
    size_t whole_count; // grains of all ranks; the ids of walls follow
    double margin;
    size_t searches;    // so far
    size_t migrants;    // grains that have left for other ranks since the first search
    double search_time; // seconds in searches, messages included
} granular_ranks;

// Each rank gives the same system, and finds its contacts and forces. The system's walls must stay, its grains need not.
// `config` may be NULL; its period, order and user data are set here.
bp_status granular_ranks_begin(granular_ranks *r, MPI_Comm communicator, const bp_mpi_config *config,
                               const granular_system *whole, double margin);
void granular_ranks_end(granular_ranks *r);

// One step in time.
bp_status granular_ranks_step(granular_ranks *r);

// All grains, in the order of their ids, on rank 0; `grains` is not used elsewhere.
void granular_ranks_gather(const granular_ranks *r, granular_grain *grains);

#endif
