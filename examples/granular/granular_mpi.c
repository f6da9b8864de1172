// The grains of granular.c over the ranks of MPI: the same forces, and the same pictures to the last byte.
// usage: mpirun -n RANKS granular_mpi [GRAINS [STEPS [NAME]]]      as for granular
#include "pour.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>

// The grains come to rank 0, which draws them.
static int draw(granular_pour *p, const granular_ranks *r, size_t step, size_t steps, const char *name) {
    int is_good = 1;
    granular_ranks_gather(r, p->system.grains);
    if (r->rank == 0) {
        fprintf(stderr, "step %zu: %zu searches for pairs\n", step, r->searches);
        is_good = name == NULL || granular_pour_draw(p, step, steps, name);
    }
    MPI_Bcast(&is_good, 1, MPI_INT, 0, r->communicator);
    return is_good;
}

static void print_figures(const granular_ranks *r, size_t steps, double total) {
    uint64_t sums[3] = {r->system.grain_count, r->sent.count, r->migrants};
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_UINT64_T, MPI_SUM, r->communicator);
    if (r->rank != 0) return;
    printf("%zu grains, %d ranks, %zu steps: %.3f ms a step; %zu searches for pairs, %.1f %% of the time\n"
           "%llu copies of other ranks' grains, whose state is sent %llu times a step; %llu migrants\n",
           r->whole_count, r->rank_count, steps, 1e3 * total / (double)steps, r->searches,
           100.0 * r->search_time / total, (unsigned long long)(sums[0] - r->whole_count), (unsigned long long)sums[1],
           (unsigned long long)sums[2]);
}

static bp_status pour_out(granular_pour *p, size_t steps, const char *name) {
    granular_ranks ranks;
    const double start = MPI_Wtime();
    bp_status status = granular_ranks_begin(&ranks, MPI_COMM_WORLD, NULL, &p->system, p->margin);
    if (status != BP_OK) return status;
    for (size_t step = 0; step <= steps && status == BP_OK; ++step) {
        if (granular_pour_is_due(step, steps) && !draw(p, &ranks, step, steps, name)) status = BP_ERROR_ARGUMENT;
        if (step < steps && status == BP_OK) status = granular_ranks_step(&ranks);
    }
    if (status == BP_OK) print_figures(&ranks, steps, MPI_Wtime() - start);
    granular_ranks_end(&ranks);
    return status;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    const size_t steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
    granular_pour pour;
    bp_status status = BP_ERROR_ARGUMENT;
    if (count == 0 || steps == 0) {
        fprintf(stderr, "usage: granular_mpi [GRAINS [STEPS [NAME]]]\n");
    } else if (!granular_pour_begin(&pour, count)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        status = pour_out(&pour, steps, argc > 3 ? argv[3] : NULL);
        if (status != BP_OK) fprintf(stderr, "%s\n", bp_mpi_status_text(status));
        granular_pour_end(&pour);
    }
    MPI_Finalize();
    return status == BP_OK ? 0 : 1;
}
