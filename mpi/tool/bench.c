// broadphase-mpi bench: steps of a moving scene on 1, 2, 4, ... ranks.
//
// Each rank has the whole scene, so that only the library is timed: a step is bp_mpi_move_many of all owned objects and
// bp_mpi_update, and takes as long as on the slowest rank. The fastest of several steps counts. The numbers of ranks
// take turns, so that disturbances hit all of them. Unused ranks sleep.
#include "base/clock.h"
#include "formats/about.h"
#include "list.h"
#include "scenes.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 4, ROWS = 40 };

typedef struct measurement {
    int ranks;
    size_t objects;
    double step, plain;          // seconds; of a plain world on one rank
    double phases[4];            // balance, exchange, find, report
    double ghosts, ghosts_model; // of a rank, mean
    double imbalance;
    uint64_t bytes, messages, pairs, migrated, partitions;
} measurement;

static void swap_step(double *best, double taken) {
    *best = *best == 0.0 || taken < *best ? taken : *best;
}

// ---- a plain world, to compare one rank with -----------------------------------------------------------------------

static bp_status time_plain(const mpi_call *call, scene *moving, double *best) {
    bp_world *world;
    bp_config config = call->config.local;
    bp_status status = bp_world_create(&config, &world);
    status = status == BP_OK ? bp_add_many(world, scene_box_count(moving), scene_boxes(moving), NULL, NULL) : status;
    status = status == BP_OK ? bp_update(world, NULL) : status;
    for (size_t step = 0; status == BP_OK && step < call->steps; ++step) {
        scene_step(moving);
        const double start = bp_clock_seconds();
        status = bp_move_many(world, scene_box_count(moving), NULL, scene_boxes(moving));
        status = status == BP_OK ? bp_update(world, NULL) : status;
        swap_step(best, bp_clock_seconds() - start);
    }
    bp_world_destroy(world);
    return status;
}

// ---- steps on some ranks -------------------------------------------------------------------------------------------

static bp_status add_share(bp_mpi_world *world, const scene *moving, int rank, int ranks) {
    const size_t count = scene_box_count(moving), each = count / (size_t)ranks;
    const size_t first = each * (size_t)rank, last = rank + 1 == ranks ? count : first + each;
    uint64_t *ids = malloc((last - first) * sizeof *ids + 1);
    for (size_t i = first; ids != NULL && i < last; ++i) ids[i - first] = i;
    const bp_status status =
        bp_mpi_add_many(world, ids != NULL ? last - first : 0, ids, scene_boxes(moving) + first, NULL, NULL, NULL);
    free(ids);
    return status;
}

static bp_status one_step(bp_mpi_world *world, scene *moving, bp_box *boxes, MPI_Comm comm, double *taken,
                          bp_mpi_result *result) {
    bp_mpi_objects mine;
    scene_step(moving);
    (void)bp_mpi_owned(world, &mine);
    for (size_t i = 0; i < mine.count; ++i) boxes[i] = scene_boxes(moving)[mine.ids[i]];
    MPI_Barrier(comm);
    const double start = bp_clock_seconds();
    bp_status status = bp_mpi_move_many(world, mine.count, NULL, boxes);
    status = status == BP_OK ? bp_mpi_update(world, result) : status;
    const double spent = bp_clock_seconds() - start;
    MPI_Allreduce(&spent, taken, 1, MPI_DOUBLE, MPI_MAX, comm);
    return status;
}

static void sum_up(const bp_mpi_result *result, MPI_Comm comm, double taken, measurement *found) {
    const bp_mpi_stats *stats = &result->stats;
    const double phases[4] = {stats->balance_seconds, stats->exchange_seconds, stats->find_seconds,
                              stats->report_seconds};
    const uint64_t mine[4] = {stats->bytes_sent, stats->messages, stats->pairs, stats->ghosts};
    uint64_t all[4];
    double most[4];
    MPI_Allreduce(phases, most, 4, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(mine, all, 4, MPI_UINT64_T, MPI_SUM, comm);
    found->migrated += stats->migrated;
    found->partitions = stats->partitions;
    found->imbalance = stats->imbalance;
    if (taken > found->step && found->step != 0.0) {
        return;
    }
    memcpy(found->phases, most, sizeof most);
    found->bytes = all[0];
    found->messages = all[1];
    found->pairs = all[2];
    found->ghosts = (double)all[3] / found->ranks;
}

static bp_status time_steps(const mpi_call *call, scene *moving, MPI_Comm comm, measurement *found) {
    int rank;
    bp_mpi_world *world = NULL;
    bp_mpi_result result;
    MPI_Comm_rank(comm, &rank);
    bp_box *boxes = malloc(scene_box_count(moving) * sizeof *boxes);
    bp_status status = boxes != NULL ? BP_OK : BP_ERROR_MEMORY;
    status = status == BP_OK ? bp_mpi_world_create(comm, &call->config, &world) : status;
    status = status == BP_OK ? add_share(world, moving, rank, found->ranks) : status;
    status = status == BP_OK ? bp_mpi_update(world, NULL) : status;
    for (size_t step = 0; status == BP_OK && step < call->steps; ++step) {
        double taken = 0.0;
        status = one_step(world, moving, boxes, comm, &taken, &result);
        if (status == BP_OK) sum_up(&result, comm, taken, found);
        swap_step(&found->step, taken);
    }
    bp_mpi_world_destroy(world);
    free(boxes);
    return status;
}

// Unused ranks wait without using a processor.
static void wait_for_all(void) {
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        const struct timespec pause = {.tv_nsec = 2000000};
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done) nanosleep(&pause, NULL);
    }
}

static double edge_of(const scene *moving) {
    double edge = 0.0;
    for (size_t i = 0; i < scene_finite_count(moving); ++i) {
        const bp_box *box = &scene_boxes(moving)[i];
        for (int axis = 0; axis < 3; ++axis) edge = fmax(edge, 0.5 * ((double)box->min[axis] + (double)box->max[axis]));
    }
    return edge;
}

// Merges a round into the best figures so far.
static bool measure(const mpi_call *call, measurement *found, failure *why) {
    const int ranks = found->ranks;
    const bool weak = strcmp(call->suite, "weak") == 0;
    const size_t count = (call->count > 0 ? call->count : 500000) * (weak ? (size_t)ranks : 1);
    const char *error = "out of memory";
    bool good = true;
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, tool_rank < ranks ? 0 : MPI_UNDEFINED, tool_rank, &comm);
    if (tool_rank < ranks) {
        const scene_options options = {.count = count, .seed = call->seed};
        scene *moving = scene_create(call->scene, &options, &error);
        bp_status status = BP_OK;
        int64_t all = moving != NULL, mine = all;
        MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MIN, comm);
        if (all) {
            mpi_call used = *call;
            used.steps = (call->steps + ROUNDS - 1) / ROUNDS;
            used.config.local.dimensions = scene_dimensions(moving);
            found->objects = scene_box_count(moving);
            if (strcmp(call->scene, "uniform") == 0) {
                const bp_box *first = scene_boxes(moving);
                found->ghosts_model = model_ghosts((size_t)ranks, (double)count, edge_of(moving),
                                                   (double)first->max[0] - (double)first->min[0]);
            }
            if (ranks == 1) status = time_plain(&used, moving, &found->plain);
            status = status == BP_OK ? time_steps(&used, moving, comm, found) : status;
            good = library_good(status, why);
        } else {
            good = failure_set(why, STATUS_FAILED, "scene %s: %s", call->scene, error);
        }
        scene_destroy(moving);
        MPI_Comm_free(&comm);
    }
    wait_for_all();
    return all_good(good, why);
}

// ---- the table -----------------------------------------------------------------------------------------------------

static void print_row(const mpi_call *call, FILE *csv, const measurement *first, const measurement *row) {
    const bool weak = strcmp(call->suite, "weak") == 0;
    const double efficiency = first->step / row->step / (weak ? 1.0 : (double)row->ranks);
    const double per_object = row->ghosts * row->ranks / (double)row->objects;
    printf("%5d %10zu %9.2f %6.2f %9.4f %7.3f %9.0f %8llu %7.3f %7.2f %7.2f %7.2f %7.2f %10llu\n", row->ranks,
           row->objects, 1e3 * row->step, efficiency, per_object,
           row->ghosts_model > 0 ? row->ghosts / row->ghosts_model : 0.0, (double)row->bytes / 1024.0,
           (unsigned long long)row->messages, row->imbalance, 1e3 * row->phases[0], 1e3 * row->phases[1],
           1e3 * row->phases[2], 1e3 * row->phases[3], (unsigned long long)row->pairs);
    if (row->plain > 0.0) {
        printf("      one rank beside a plain world: %.2f ms, %.3f times as long\n", 1e3 * row->plain,
               row->step / row->plain);
    }
    fflush(stdout);
    if (csv == NULL) return;
    fprintf(csv, "%s,%s,%d,%d,%zu,%.4f,%.4f,%.4f,%.5f,%.1f,%.1f,%llu,%llu,%.4f,%llu,%.4f,%.4f,%.4f,%.4f,%llu\n",
            call->suite, call->scene, row->ranks, (int)call->config.local.threads, row->objects, 1e3 * row->step,
            1e3 * row->plain, efficiency, per_object, row->ghosts, row->ghosts_model, (unsigned long long)row->bytes,
            (unsigned long long)row->messages, row->imbalance, (unsigned long long)row->partitions,
            1e3 * row->phases[0], 1e3 * row->phases[1], 1e3 * row->phases[2], 1e3 * row->phases[3],
            (unsigned long long)row->pairs);
}

static void print_head(const mpi_call *call, FILE *csv) {
    printf("suite %s, scene %s, %d thread(s) a rank; the fastest of %zu steps, as slow as the slowest rank\n",
           call->suite, call->scene, call->config.local.threads == 0 ? 1 : (int)call->config.local.threads,
           call->steps);
    printf("%5s %10s %9s %6s %9s %7s %9s %8s %7s %7s %7s %7s %7s %10s\n", "ranks", "objects", "step ms", "eff.",
           "ghosts/o", "/model", "KiB sent", "messages", "imbal.", "bal.", "exch.", "find", "report", "pairs");
    if (csv != NULL) {
        about_print(csv, "# ", call->text);
        fprintf(
            csv,
            "suite,scene,ranks,threads,n,step_ms,plain_ms,efficiency,ghosts_per_object,ghosts_per_rank,ghosts_model,"
            "bytes_sent,messages,imbalance,partitions,balance_ms,exchange_ms,find_ms,report_ms,pairs\n");
    }
}

bool run_bench(const mpi_call *call, failure *why) {
    if (call->suite == NULL || (strcmp(call->suite, "weak") != 0 && strcmp(call->suite, "strong") != 0)) {
        return failure_set(why, STATUS_WRONG_CALL, "bench: expected --suite weak or --suite strong");
    }
    FILE *csv = tool_rank == 0 && call->csv != NULL ? fopen(call->csv, "w") : NULL;
    const bool opened = call->csv == NULL || tool_rank != 0 || csv != NULL;
    bool good = all_good(opened || failure_set(why, STATUS_FAILED, "%s: cannot be written", call->csv), why);
    measurement found[ROWS] = {{.ranks = 1}};
    size_t rows = 1;
    for (int ranks = 1; ranks < tool_ranks; ++rows) {
        ranks = 2 * ranks > tool_ranks ? tool_ranks : 2 * ranks;
        found[rows].ranks = ranks;
    }
    for (size_t i = 0; good && i < ROUNDS * rows; ++i) good = measure(call, &found[i % rows], why);
    if (good && tool_rank == 0) print_head(call, csv);
    for (size_t row = 0; good && tool_rank == 0 && row < rows; ++row) print_row(call, csv, &found[0], &found[row]);
    if (csv != NULL && fclose(csv) != 0) good = failure_set(why, STATUS_FAILED, "%s: cannot be written", call->csv);
    return all_good(good, why);
}
