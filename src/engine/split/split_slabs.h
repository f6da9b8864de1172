// The first step of a split where boxes are spread out: many slabs along one axis at once, instead of planes one by one.
//
//     slab      0         1         2         3
//           |  [--]   |      [--|--]      |         |      a box is a member of the slab in which it begins,
//           |    [----|---------|---]     |  [--]   |      and a passenger of the others that it reaches
//
// Two boxes that overlap meet in the slab in which the later one begins, and in no other: there it is a member, and the
// other one a member or a passenger. So each slab is a job (split_job.h): members with members and with passengers.
#ifndef BP_SPLIT_SLABS_H
#define BP_SPLIT_SLABS_H

#include "engine/split/split_bins.h"
#include "engine/split/split_job.h"

enum { SPLIT_SLABS_MAX = 64 };

// One set of boxes that is divided into slabs.
typedef struct split_slab_set {
    const bp_box *boxes;
    size_t count;
    uint32_t *counts;                // per block: of the members, then of the passengers of each slab
    bp_record *members, *passengers; // of all slabs
    size_t member_begin[SPLIT_SLABS_MAX + 1], passenger_begin[SPLIT_SLABS_MAX + 1];
} split_slab_set;

typedef struct split_slabs {
    const bp_method_setup *setup;
    int axis;
    split_bins bins;
    uint8_t slab[SPLIT_BINS]; // of each bin
    size_t count;
    split_slab_set sets[2];
    size_t set_count; // one within, two between
} split_slabs;

// Writes the record of a box; in two dimensions flat.
void bp_split_record_put(bp_record *to, const bp_box *box, uint32_t dimensions, uint32_t id);

// The set of these records, with its bounds.
bp_record_set bp_split_bounded_set(const bp_kernels *kernels, bp_record *records, size_t count);

// Chooses the axis and the slabs from a sample. False if slabs do not pay.
bool bp_split_slabs_plan(split_slabs *slabs);

// How many numbers split_slab_set.counts has.
size_t bp_split_slabs_counts(const split_slabs *slabs);

// Counts the members and passengers of each slab, and sets where they begin.
void bp_split_slabs_count(split_slabs *slabs);

// Copies the boxes to their slabs, and makes a job of each.
void bp_split_slabs_fill(split_slabs *slabs, split_job *jobs);

#endif
