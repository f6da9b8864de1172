// broadphase-mpi: its commands and their shared helpers. Every rank runs the command; rank 0 prints.
#ifndef MPI_TOOL_H
#define MPI_TOOL_H

#include "formats/failure.h"

#include <broadphase/broadphase_methods.h>
#include <broadphase/broadphase_mpi.h>
#include <stddef.h>

// The parsed command line.
typedef struct mpi_call {
    bp_mpi_config config; // config.local.settings are these:
    bp_method_settings settings;
    const char *input;  // pairs
    const char *output; // -o
    bool stats, quiet;

    const char *suite; // bench: "weak" or "strong"
    const char *scene;
    const char *csv;
    char text[512]; // the command line as text
    size_t count;   // objects: of each rank (weak), of all (strong, model)
    size_t steps;
    size_t regions; // model
    unsigned long long seed;
} mpi_call;

extern int tool_rank, tool_ranks;

bool run_pairs(const mpi_call *call, failure *why);
bool run_bench(const mpi_call *call, failure *why);
bool run_model(const mpi_call *call, failure *why);

// Collective: true if `good` on all ranks; else all ranks get the `why` of the lowest rank that failed.
bool all_good(bool good, failure *why);
// The library's status, and the last line of its log, as a failure.
bool library_good(bp_status status, failure *why);
bp_log tool_log(void);

// The ghosts of an average region, if `objects` cubes of the edge `size` are spread evenly over a cube of the given
// edge that is bisected into `regions`.
double model_ghosts(size_t regions, double objects, double edge, double size);

#endif
