// The hot loop of the library: one box against a range of boxes.
//
// Boxes lie in columns, so that a vector holds the same coordinate of neighbouring boxes:
//
//     min x   | 3.1 | 3.4 | 3.9 | 4.2 | ...        one box of the item against eight of these at once;
//     max x   | 4.1 | 4.4 | 4.9 | 5.2 | ...        the hits are squeezed together and appended without a branch
//     ...                                          (whether any box hits is unpredictable: a branch cost 40 %)
//     id      |  17 |   4 |  96 |  23 | ...
//
// One source, sweep_kernel.h, is compiled once per instruction set. All of them write the same pairs in the same order:
// items in turn, and the candidates of an item in ascending position.
#ifndef BP_SWEEP_H
#define BP_SWEEP_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

enum {
    BP_COLUMN_PADDING = 16 // positions after the last that may be read (never reported)
};

typedef struct bp_columns {
    float *min[3];
    float *max[3];
    uint32_t *id;
} bp_columns;

// Test box `object` against the candidates begin .. end-1.
typedef struct bp_sweep_item {
    uint32_t object, begin, end;
} bp_sweep_item;

typedef struct bp_sweep_job {
    const bp_columns *objects;    // item.object is a position in these
    const bp_columns *candidates; // item.begin and item.end are positions in these
    const bp_sweep_item *items;
    size_t item_count;
    bp_pair *out;
    size_t room;  // pairs that fit into out; an item needs end - begin + BP_COLUMN_PADDING
    bool ordered; // pairs as (smaller id, larger id), else as (object, candidate)
} bp_sweep_job;

// Works through the items until all are done or the next does not fit; tells how many were done and returns how many
// pairs were written.
typedef size_t (*bp_sweep_function)(const bp_sweep_job *job, size_t *items_done);

// Replaces BP_SIMD_AUTO by what this processor has (or what the environment variable BP_SIMD names).
bp_status bp_sweep_choose(bp_config *config);

// The kernel of an instruction set that bp_sweep_choose has accepted.
bp_sweep_function bp_sweep_kernel(bp_simd simd);

size_t bp_sweep_scalar(const bp_sweep_job *job, size_t *items_done);
size_t bp_sweep_avx2(const bp_sweep_job *job, size_t *items_done);
size_t bp_sweep_avx512(const bp_sweep_job *job, size_t *items_done);
size_t bp_sweep_neon(const bp_sweep_job *job, size_t *items_done);

#endif
