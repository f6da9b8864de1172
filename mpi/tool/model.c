// broadphase-mpi model: checks the ghost model of docs/scaling.md against real partitions into many regions, on one
// process.
#include "formats/about.h"
#include "partition.h"
#include "scenes.h"
#include "tool.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Bisection halves the longest edge again and again.
// Where the number of regions is odd, the cut is not in the middle: the mean of both sides is used.
static void bisect(double regions, double edges[3], double pieces[3]) {
    while (regions > 1.5) {
        int axis = 0;
        for (int i = 1; i < 3; ++i) axis = edges[i] > edges[axis] * 1.0000001 ? i : axis;
        edges[axis] *= 0.5;
        pieces[axis] *= 2.0;
        regions *= 0.5;
    }
    // A remaining factor below 2 is spread over the axes.
    for (int i = 0; i < 3; ++i) {
        const double factor = cbrt(regions);
        edges[i] /= factor;
        pieces[i] *= factor;
    }
}

// Ghosts are boxes whose centre lies outside the region by less than half an edge, on sides inside the cube.
double model_ghosts(size_t regions, double objects, double edge, double size) {
    double edges[3] = {edge, edge, edge}, pieces[3] = {1, 1, 1}, inside = 1.0, reached = 1.0;
    bisect((double)regions, edges, pieces);
    for (int i = 0; i < 3; ++i) {
        inside *= edges[i];
        reached *= edges[i] + 0.5 * size * 2.0 * (1.0 - 1.0 / pieces[i]);
    }
    return objects / (edge * edge * edge) * (reached - inside);
}

// ---- counting ------------------------------------------------------------------------------------------------------

typedef struct counts {
    double ghosts; // mean of a region
    double owned_most, ghosts_most;
} counts;

static counts count_ghosts(bp_mpi_regions *regions, const bp_box *boxes, size_t count, size_t *owned, size_t *ghosts,
                           int *ranks) {
    counts found = {0};
    for (int r = 0; r < regions->size; ++r) owned[r] = ghosts[r] = 0;
    for (size_t i = 0; i < count; ++i) {
        bool cast;
        int owner;
        const size_t concerned = bp_mpi_concerned(regions, &boxes[i], ranks, &cast, &owner);
        for (size_t k = 0; k < concerned; ++k) ++(ranks[k] == owner ? owned : ghosts)[ranks[k]];
    }
    for (int r = 0; r < regions->size; ++r) {
        found.ghosts += (double)ghosts[r] / (double)regions->size;
        found.owned_most = fmax(found.owned_most, (double)owned[r]);
        found.ghosts_most = fmax(found.ghosts_most, (double)ghosts[r]);
    }
    return found;
}

static bool part_and_count(bp_mpi_comm *comm, struct Zoltan_Struct *zoltan, const bp_mpi_load *load,
                           const bp_box *boxes, size_t count, int size, counts *found, failure *why) {
    bp_mpi_regions regions = {.dimensions = 3, .size = size, .broadcast_above = (uint32_t)size};
    size_t *numbers = calloc(2 * (size_t)size, sizeof *numbers);
    int *ranks = calloc((size_t)size + 1, sizeof *ranks);
    bool good = numbers != NULL && ranks != NULL;
    if (good) {
        good = bp_mpi_make_partition(comm, BP_OK, zoltan, BP_MPI_RCB, load, &regions) == BP_OK;
    }
    if (good) *found = count_ghosts(&regions, boxes, count, numbers, numbers + size, ranks);
    bp_mpi_regions_free(&regions, &comm->allocator);
    free(numbers);
    free(ranks);
    return good || failure_set(why, STATUS_FAILED, "%d regions could not be made", size);
}

static void print_row(FILE *csv, int regions, size_t count, const counts *found, double model) {
    const double each = (double)count / regions;
    printf("%8d  %10.0f  %10.1f  %10.1f  %6.3f  %10.3f  %10.0f\n", regions, each, found->ghosts, model,
           found->ghosts / model, found->ghosts / each, found->ghosts_most);
    if (csv != NULL) {
        fprintf(csv, "%d,%.0f,%.2f,%.2f,%.4f,%.4f\n", regions, each, found->ghosts, model, found->ghosts / model,
                found->ghosts / each);
    }
}

static bool run_rows(const mpi_call *call, const bp_box *boxes, size_t count, const bp_mpi_load *load, FILE *csv,
                     failure *why) {
    bp_mpi_comm comm = {.handle = MPI_COMM_SELF, .size = 1, .allocator = bp_allocator_default(), .limit = 1u << 30};
    struct Zoltan_Struct *zoltan = NULL;
    if (bp_mpi_partition_create(&comm, &zoltan) != BP_OK) return failure_memory(why);
    double edge = 0.0;
    for (size_t i = 0; i < 3 * count; ++i) edge = fmax(edge, load->centres[i]);
    const double size = (double)boxes[0].max[0] - (double)boxes[0].min[0];
    bool good = true;
    printf("%8s  %10s  %10s  %10s  %6s  %10s  %10s\n", "regions", "objects", "ghosts", "model", "ratio", "per object",
           "most");
    if (csv != NULL) {
        about_print(csv, "# ", call->text);
        fprintf(csv, "regions,objects,ghosts,model,ratio,ghosts_per_object\n");
    }
    for (size_t regions = 2; good && regions <= call->regions;) {
        counts found = {0};
        good = part_and_count(&comm, zoltan, load, boxes, count, (int)regions, &found, why);
        if (good) print_row(csv, (int)regions, count, &found, model_ghosts(regions, (double)count, edge, size));
        regions = regions < call->regions && 2 * regions > call->regions ? call->regions : 2 * regions;
    }
    Zoltan_Destroy(&zoltan);
    return good;
}

bool run_model(const mpi_call *call, failure *why) {
    const size_t count = call->count > 0 ? call->count : 1000000;
    if (tool_rank != 0) return true;
    if (call->regions < 2 || call->regions > 1000000) {
        return failure_set(why, STATUS_WRONG_CALL, "--regions: expected 2 to 1000000");
    }
    const char *error = NULL;
    const scene_options options = {.count = count, .seed = call->seed};
    scene *cubes = scene_create("uniform", &options, &error);
    double *centres = calloc(3 * count + 3, sizeof *centres);
    float *weights = calloc(count + 1, sizeof *weights);
    bool good = cubes != NULL && centres != NULL && weights != NULL;
    if (good) {
        const bp_box *boxes = scene_boxes(cubes);
        for (size_t i = 0; i < count; ++i) {
            weights[i] = 1.0f;
            for (size_t axis = 0; axis < 3; ++axis) {
                centres[3 * i + axis] = 0.5 * (double)boxes[i].min[axis] + 0.5 * (double)boxes[i].max[axis];
            }
        }
        const bp_mpi_load load = {.centres = centres, .weights = weights, .count = count, .dimensions = 3};
        FILE *csv = call->csv != NULL ? fopen(call->csv, "w") : NULL;
        good = call->csv == NULL || csv != NULL || failure_set(why, STATUS_FAILED, "%s: cannot be written", call->csv);
        good = good && run_rows(call, boxes, count, &load, csv, why);
        if (csv != NULL) good &= fclose(csv) == 0;
    } else {
        (void)failure_set(why, STATUS_FAILED, "%s", error != NULL ? error : "out of memory");
    }
    scene_destroy(cubes);
    free(centres);
    free(weights);
    return good;
}
