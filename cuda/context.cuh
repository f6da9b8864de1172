// Shared by all files of the CUDA back end: the context, its memory, errors as statuses.
//
//     boxes --plan--> levels --keys--> (key, index, record) --sort--> by cell --arrange--> records --sweep--> pairs
//             plan.c          build.cu                        CUB               build.cu   table     sweep.cu, scan.cu
//                             partition.cu: all three, for many boxes
#ifndef BP_CUDA_CONTEXT_CUH
#define BP_CUDA_CONTEXT_CUH

#include <broadphase/broadphase_cuda.h>

#include "plan.h"

#include <cuda_runtime.h>

extern "C" {
#include "base/log.h"
#include "config.h"
}

// Device memory that only grows.
struct bp_cuda_buffer {
    void *data;
    size_t bytes;
};

// Results of kernels for the host, and their tickets.
struct bp_cuda_result {
    unsigned long long total; // pairs
    unsigned long long
        invalid;              // index of the first invalid box, or the largest number; the second set follows the first
    unsigned int tickets[4];  // of tiles, one counter per pass that needs it
    unsigned int longest;     // longest row of neighbours; 0 if all are sorted
    unsigned int farthest[3]; // largest coordinates of points, as bits
    unsigned int largest_radius; // as bits
    unsigned int occupied[2];    // levels that have boxes, a bit each, for each set
    unsigned int crowded[2];     // whether boxes are too uneven to be distributed, per pass (partition.cu)
};

// Boxes in columns.
struct bp_cuda_columns {
    void *keys; // of 32 or 64 bits
    uint32_t *indices;
    uint2 *records;
};

// A set of boxes in the order of their cells.
struct bp_cuda_grid {
    const bp_box *boxes;
    const bp_object *objects;
    uint32_t count;
    bool wide;                // keys have 64 bits
    bool distributed;         // there is memory to distribute them (partition.cu)
    bp_cuda_columns ordered;  // in the order of cells
    bp_cuda_buffer halves[2]; // of the memory in which they are sorted: columns, or whole items
    bp_cuda_buffer points;    // of points: (x, y, z, index) in the order of cells
    bp_cuda_buffer table;     // where the boxes of a cell begin
    bp_cuda_buffer chunks;    // where those of a chunk of the table begin
};

enum {
    BP_CUDA_STAGE_PLAN,
    BP_CUDA_STAGE_KEYS,
    BP_CUDA_STAGE_SORT,
    BP_CUDA_STAGE_ARRANGE,
    BP_CUDA_STAGE_SWEEP,
    BP_CUDA_STAGE_SCAN,
    BP_CUDA_STAGES,

    BP_CUDA_STAGING = 2 // blocks of pinned memory, one filled while the other is copied
};

struct bp_cuda_context {
    bp_config config; // complete
    const bp_object *objects[2];
    bp_cuda_lattice lattice;
    bp_cuda_grid grids[2];
    bp_cuda_buffer sort_space, states, result, ordered, partition;
    bp_cuda_buffer offsets_scratch, found_scratch; // of neighbours
    bp_cuda_buffer rounded[2], candidates;         // of boxes and points of 64 bits
    bp_cuda_buffer host_boxes[2], host_pairs, host_offsets;
    bp_box *samples;             // pinned
    bp_cuda_result *host_result; // pinned
    void *staging[BP_CUDA_STAGING];
    cudaStream_t copies;
    cudaEvent_t staged[BP_CUDA_STAGING];
    cudaEvent_t marks[BP_CUDA_STAGES + 1];
    bool measured;
    bp_cuda_stats stats;
};

#define BP_CUDA_TRY(expression)                                                                                        \
    do {                                                                                                               \
        const bp_status bp_cuda_status_ = (expression);                                                                \
        if (bp_cuda_status_ != BP_OK) {                                                                                \
            return bp_cuda_status_;                                                                                    \
        }                                                                                                              \
    } while (0)

// Turns a CUDA error into a status, with its text in the log, and clears it, so that the context remains usable.
bp_status bp_cuda_check(const bp_cuda_context *context, cudaError_t error, const char *what);

// Checks that the last kernel was launched.
static inline bp_status bp_cuda_launched(const bp_cuda_context *context, const char *what) {
    return bp_cuda_check(context, cudaGetLastError(), what);
}

bp_status bp_cuda_reserve(bp_cuda_context *context, bp_cuda_buffer *buffer, size_t bytes);
void bp_cuda_mark(bp_cuda_context *context, int stage, cudaStream_t stream);

// Chooses levels for one or two sets of boxes.
bp_status bp_cuda_plan_boxes(bp_cuda_context *context, const bp_box *const boxes[2], const size_t counts[2],
                             cudaStream_t stream);

// Sorts boxes into the cells of the planned levels.
bp_status bp_cuda_reserve_grid(bp_cuda_context *context, bp_cuda_grid *grid, size_t count);
bp_status bp_cuda_build(bp_cuda_context *context, bp_cuda_grid *grid, const bp_box *boxes, size_t count,
                        const bp_object *objects, uint64_t first_index, cudaStream_t stream);
bp_status bp_cuda_sort_keys(bp_cuda_context *context, bp_cuda_grid *grid, uint32_t bits, cudaStream_t stream);
bp_cuda_columns bp_cuda_columns_of(const bp_cuda_grid *grid, int half);
size_t bp_cuda_half_bytes(size_t count, size_t key_bytes, size_t record_bytes);

// The fast way to do so, for many boxes that are spread evenly. If they are not, `done` is false and nothing is built.
bool bp_cuda_may_partition(const bp_cuda_context *context, size_t count);
size_t bp_cuda_partition_bytes(const bp_cuda_context *context, size_t count, int half);
bp_status bp_cuda_partition(bp_cuda_context *context, bp_cuda_grid *grid, uint64_t first_index, cudaStream_t stream,
                            bool *done);
bp_status bp_cuda_fill_table(bp_cuda_context *context, bp_cuda_grid *grid, uint64_t key_count, uint32_t shift,
                             cudaStream_t stream);
size_t bp_cuda_table_entries(uint64_t key_count, uint32_t shift);

// Which pairs a pass searches for.
enum bp_cuda_pass_kind {
    BP_CUDA_WITHIN,        // inside one set
    BP_CUDA_TO_COARSER,    // boxes of the first against levels of the second that are as coarse or coarser
    BP_CUDA_FROM_STRICTLY, // boxes of the second against strictly coarser levels of the first
};

struct bp_cuda_output {
    bp_pair *pairs; // NULL: count
    uint64_t capacity;
};

// The number of tiles for this many boxes.
size_t bp_cuda_sweep_tiles(size_t count);
size_t bp_cuda_scan_tiles(size_t count);
bp_status bp_cuda_sweep(bp_cuda_context *context, const bp_cuda_grid *objects, const bp_cuda_grid *candidates,
                        bp_cuda_pass_kind kind, int pass, bp_cuda_output output, cudaStream_t stream);

// Boxes that fit no level (listed) against boxes of a set.
enum bp_cuda_scan_kind {
    BP_CUDA_SCAN_WITHIN,  // the same set
    BP_CUDA_SCAN_ALL,     // two sets: listed boxes of the second, the others of the first
    BP_CUDA_SCAN_FITTING, // two sets: listed boxes of the first, those of the second that fit a level
};
bp_status bp_cuda_scan(bp_cuda_context *context, const bp_cuda_grid *listed, const bp_cuda_grid *others,
                       bp_cuda_scan_kind kind, int pass, bp_cuda_output output, cudaStream_t stream);

// Checks where pairs shall go; and, afterwards, that they fit.
bp_status bp_cuda_check_output(const bp_cuda_context *context, bp_cuda_output output, const uint64_t *found);
bp_status bp_cuda_check_room(const bp_cuda_context *context, bp_cuda_output output, uint64_t found);

// Neighbours of points: of each, indices[offsets[i] .. offsets[i + 1]).
struct bp_cuda_rows {
    uint64_t *offsets;
    uint32_t *indices; // NULL: count
    uint64_t capacity;
    uint32_t count; // of points
};

bp_status bp_cuda_check_rows(const bp_cuda_context *context, const bp_cuda_rows &rows, bool no_points, double radius,
                             const uint64_t *found);
// Where there is nothing to find.
bp_status bp_cuda_clear_rows(const bp_cuda_context *context, const bp_cuda_rows &rows, cudaStream_t stream);
// Turns counts into offsets. Both have an entry more than `count`; the last count is 0.
bp_status bp_cuda_scan_counts(bp_cuda_context *context, const uint32_t *counts, size_t count, uint64_t *offsets,
                              cudaStream_t stream);
// After bp_cuda_finish: whether all points were finite.
bp_status bp_cuda_check_points(const bp_cuda_context *context);
// After the kernels: checks points and capacity, and sorts rows that are not sorted yet.
bp_status bp_cuda_conclude_rows(bp_cuda_context *context, const bp_cuda_rows &rows, bool unsorted, cudaStream_t stream,
                                uint64_t *found);

// Sorts pairs by (a, b).
bp_status bp_cuda_order_pairs(bp_cuda_context *context, bp_pair *pairs, uint64_t count, cudaStream_t stream);

// Starts a call: resets totals. Ends it: copies them to the host, as they are or with another total.
bp_status bp_cuda_begin(bp_cuda_context *context, cudaStream_t stream);
bp_status bp_cuda_finish(bp_cuda_context *context, cudaStream_t stream);
bp_status bp_cuda_finish_with(bp_cuda_context *context, const uint64_t *total, cudaStream_t stream);

static inline bp_cuda_result *bp_cuda_result_of(const bp_cuda_context *context) {
    return static_cast<bp_cuda_result *>(context->result.data);
}

#endif
