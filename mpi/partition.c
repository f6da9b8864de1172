#include "partition.h"

#include "base/log.h"
#include "curve.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Zoltan's callbacks --------------------------------------------------------------------------------------------

static int tell_count(void *data, int *error) {
    *error = ZOLTAN_OK;
    return (int)((const bp_mpi_load *)data)->count;
}

static void tell_objects(void *data, int id_words, int local_words, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR local_ids,
                         int weight_count, float *weights, int *error) {
    const bp_mpi_load *load = data;
    (void)id_words;
    (void)local_words;
    for (size_t i = 0; i < load->count; ++i) {
        ids[i] = (ZOLTAN_ID_TYPE)i; // only the cuts are used, so ids need not be unique across ranks
        local_ids[i] = (ZOLTAN_ID_TYPE)i;
        if (weight_count > 0) weights[i] = load->weights[i];
    }
    *error = ZOLTAN_OK;
}

static int tell_dimensions(void *data, int *error) {
    *error = ZOLTAN_OK;
    return (int)((const bp_mpi_load *)data)->dimensions;
}

// NOLINTBEGIN(readability-non-const-parameter): the form is Zoltan's
static void tell_centres(void *data, int id_words, int local_words, int count, ZOLTAN_ID_PTR ids,
                         ZOLTAN_ID_PTR local_ids, int dimensions, double *centres, int *error) {
    const bp_mpi_load *load = data;
    (void)id_words;
    (void)local_words;
    (void)ids;
    for (int i = 0; i < count; ++i) {
        for (int axis = 0; axis < dimensions; ++axis) {
            centres[i * dimensions + axis] = load->centres[3 * (size_t)local_ids[i] + (size_t)axis];
        }
    }
    *error = ZOLTAN_OK;
}
// NOLINTEND(readability-non-const-parameter)

// ---- Zoltan's object -----------------------------------------------------------------------------------------------

static int set_parameters(struct Zoltan_Struct *zoltan) {
    static const char *const PARAMETERS[][2] = {
        {"DEBUG_LEVEL", "0"}, {"NUM_GID_ENTRIES", "1"},  {"NUM_LID_ENTRIES", "1"}, {"OBJ_WEIGHT_DIM", "1"},
        {"KEEP_CUTS", "1"},   {"RETURN_LISTS", "NONE"},  {"REMAP", "0"},           {"IMBALANCE_TOL", "1.01"},
        {"CHECK_GEOM", "0"},  {"RCB_OUTPUT_LEVEL", "0"},
    };
    int code = ZOLTAN_OK;
    for (size_t i = 0; i < sizeof PARAMETERS / sizeof *PARAMETERS && code == ZOLTAN_OK; ++i) {
        code = Zoltan_Set_Param(zoltan, PARAMETERS[i][0], PARAMETERS[i][1]);
    }
    // Last, because Zoltan prints every setting until the debug level is 0.
    return code == ZOLTAN_OK ? Zoltan_Set_Param(zoltan, "LB_METHOD", "RCB") : code;
}

bp_status bp_mpi_partition_create(bp_mpi_comm *comm, struct Zoltan_Struct **zoltan) {
    float version;
    if (Zoltan_Initialize(0, NULL, &version) != ZOLTAN_OK) {
        return BP_ERROR_INTERNAL;
    }
    *zoltan = Zoltan_Create(comm->handle);
    if (*zoltan == NULL) {
        return BP_ERROR_MEMORY;
    }
    const int code = set_parameters(*zoltan);
    if (code != ZOLTAN_OK) {
        bp_log_write(&comm->log, "Zoltan refused a parameter (code %d)", code);
    }
    return code == ZOLTAN_OK ? BP_OK : BP_ERROR_INTERNAL;
}

static int cut(struct Zoltan_Struct *zoltan, const bp_mpi_load *load) {
    int changes, id_words, local_words, imports, exports;
    ZOLTAN_ID_PTR import_ids = NULL, import_locals = NULL, export_ids = NULL, export_locals = NULL;
    int *import_ranks = NULL, *import_parts = NULL, *export_ranks = NULL, *export_parts = NULL;
    void *data = (void *)load;
    Zoltan_Set_Num_Obj_Fn(zoltan, tell_count, data);
    Zoltan_Set_Obj_List_Fn(zoltan, tell_objects, data);
    Zoltan_Set_Num_Geom_Fn(zoltan, tell_dimensions, data);
    Zoltan_Set_Geom_Multi_Fn(zoltan, tell_centres, data);
    const int code = Zoltan_LB_Partition(zoltan, &changes, &id_words, &local_words, &imports, &import_ids,
                                         &import_locals, &import_ranks, &import_parts, &exports, &export_ids,
                                         &export_locals, &export_ranks, &export_parts);
    Zoltan_LB_Free_Part(&import_ids, &import_locals, &import_ranks, &import_parts);
    Zoltan_LB_Free_Part(&export_ids, &export_locals, &export_ranks, &export_parts);
    return code == ZOLTAN_WARN ? ZOLTAN_OK : code;
}

// ---- from its cuts to our regions ----------------------------------------------------------------------------------

static bp_status read_tree(const bp_mpi_comm *comm, struct Zoltan_Struct *zoltan, bp_mpi_regions *regions) {
    bp_buffer boxes = {0};
    if (!bp_buffer_reserve_slack(&boxes, &comm->allocator, 0, 6 * (size_t)regions->size, sizeof(double))) {
        return BP_ERROR_MEMORY;
    }
    int code = ZOLTAN_OK, dimensions;
    double *box = boxes.data;
    for (int r = 0; r < regions->size && code == ZOLTAN_OK; ++r, box += 6) {
        memset(box, 0, 6 * sizeof *box);
        code = Zoltan_RCB_Box(zoltan, r, &dimensions, &box[0], &box[1], &box[2], &box[3], &box[4], &box[5]);
    }
    bp_status status = BP_ERROR_INTERNAL;
    if (code == ZOLTAN_OK) {
        const bool made = bp_mpi_tree_from_boxes(regions, &comm->allocator, boxes.data, comm->rank);
        status = made ? BP_OK : BP_ERROR_MEMORY;
    }
    bp_buffer_free(&boxes, &comm->allocator);
    return status;
}

// With no objects, all of space belongs to rank 0.
static bp_status make_trivial(const bp_mpi_comm *comm, bp_mpi_regions *regions) {
    bp_buffer boxes = {0};
    const size_t count = 6 * (size_t)regions->size;
    if (!bp_buffer_reserve_slack(&boxes, &comm->allocator, 0, count, sizeof(double))) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) ((double *)boxes.data)[i] = INFINITY;
    const bool made = bp_mpi_tree_from_boxes(regions, &comm->allocator, boxes.data, comm->rank);
    bp_buffer_free(&boxes, &comm->allocator);
    return made ? BP_OK : BP_ERROR_MEMORY;
}

static bp_status reserve_marks(const bp_mpi_comm *comm, bp_mpi_regions *regions) {
    if (!bp_buffer_reserve_slack(&regions->marks, &comm->allocator, 0, (size_t)regions->size, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    memset(regions->marks.data, 0, (size_t)regions->size * sizeof(uint32_t));
    regions->mark = 0;
    return BP_OK;
}

bp_status bp_mpi_make_partition(bp_mpi_comm *comm, bp_status status, struct Zoltan_Struct *zoltan,
                                bp_mpi_partition kind, const bp_mpi_load *load, bp_mpi_regions *regions) {
    regions->is_grid = false;
    status = status == BP_OK ? reserve_marks(comm, regions) : status;
    status = status == BP_OK && load->count > INT_MAX ? BP_ERROR_CAPACITY : status;
    int64_t most = (int64_t)load->count;
    status = bp_mpi_agree_most(comm, status, &most, 1);
    if (status != BP_OK) {
        return status;
    }
    if (most == 0 || regions->size == 1) {
        return bp_mpi_agree(comm, make_trivial(comm, regions));
    }
    if (kind == BP_MPI_HSFC) {
        return bp_mpi_cut_curve(comm, load, regions);
    }
    char parts[16];
    (void)snprintf(parts, sizeof parts, "%d", regions->size);
    int code = Zoltan_Set_Param(zoltan, "NUM_GLOBAL_PARTS", parts);
    code = code == ZOLTAN_OK ? cut(zoltan, load) : code;
    if (code != ZOLTAN_OK) {
        bp_log_write(&comm->log, "Zoltan could not part %zu objects (code %d)", load->count, code);
        status = code == ZOLTAN_MEMERR ? BP_ERROR_MEMORY : BP_ERROR_INTERNAL;
    }
    status = bp_mpi_agree(comm, status);
    if (status == BP_OK) {
        status = bp_mpi_agree(comm, read_tree(comm, zoltan, regions));
    }
    return status;
}
