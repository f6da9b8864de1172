// Strips, as the kernels see them: what the boxes of a set are like, and its entries in strips.
#ifndef BP_KERNEL_STRIPS_H
#define BP_KERNEL_STRIPS_H

#include "base/boxes.h"
#include "base/columns.h"

enum {
    BP_SURVEY_BOXES = 4,                   // boxes of six values ...
    BP_SURVEY_LANES = 6 * BP_SURVEY_BOXES, // ... fill whole vectors of eight values, or four
    BP_STRIP_ENTRIES = 4                   // strips that a box touches, at most
};

// Values of boxes as they lie in memory: lane k belongs to axis k % 3, and to a min if k % 6 < 3. Only these lanes mean
// anything for edges; lane 0 counts. All kernels add up the same boxes in the same lanes: sums are the same.
typedef struct bp_survey_lanes {
    float low[BP_SURVEY_LANES], high[BP_SURVEY_LANES];    // the least and the largest value
    float sum[BP_SURVEY_LANES], longest[BP_SURVEY_LANES]; // of the edges
    int32_t number[BP_SURVEY_LANES];                      // boxes that are no holes and not infinite
} bp_survey_lanes;

// Strips along x: columns of space, cut into cells along x. Keys number the cells of the first strip, then those of the
// next one in y, and so on.
typedef struct bp_strips {
    float low[3];      // corner of the space
    float inverse[3];  // cells per unit of length; along y and z a cell is a strip
    float last[3];     // the last cell
    uint32_t cells[3]; // along each axis
    uint32_t dimensions;
} bp_strips;

// The boxes of one set; or of two, where only boxes of different sets meet.
typedef struct bp_strip_sets {
    const bp_box *boxes[2];
    size_t counts[2];
    bool are_two;
} bp_strip_sets;

static inline bp_strip_sets bp_strip_one_set(const bp_box *boxes, size_t count) {
    return (bp_strip_sets){.boxes = {boxes}, .counts = {count}};
}

static inline bp_strip_sets bp_strip_two_sets(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count) {
    return (bp_strip_sets){.boxes = {a, b}, .counts = {a_count, b_count}, .are_two = true};
}

// An entry of a box in a strip: the key of the cell where it ends in the upper half; below it the id, and flags. Two entries
// that have one in common do not meet: two boxes of the same set; and boxes that both come from the strip before, in y or
// in z, because they met there. The boxes of a single set have no flag of a set.
#define BP_ENTRY_FIRST 0x10000000u
#define BP_ENTRY_SECOND 0x20000000u
#define BP_ENTRY_FROM_Y 0x40000000u
#define BP_ENTRY_FROM_Z 0x80000000u
#define BP_ENTRY_ID 0x0fffffffu

// The box of an entry.
static inline const bp_box *bp_entry_box(const bp_strip_sets *sets, uint64_t entry) {
    return sets->boxes[(entry & BP_ENTRY_SECOND) != 0] + (entry & BP_ENTRY_ID);
}

typedef struct bp_strips_job {
    float *columns;       // of entries, in the order of their keys: min x, y, z, max x, y, z, id with flags, ...
    size_t distance;      // ... from each of these columns to the next, in values
    const uint32_t *ends; // of each entry: the position behind the last one that it is tested against
    size_t begin, end;    // entries to test
    bp_pair *out;
    size_t room; // pairs that fit into out; an entry needs as many as it has candidates, and BP_COLUMN_PADDING
} bp_strips_job;

// The cell of a coordinate. Every step is monotone.
static inline uint32_t bp_strip_cell(const bp_strips *strips, int axis, float coordinate) {
    const float cell = (coordinate - strips->low[axis]) * strips->inverse[axis];
    return (uint32_t)(int32_t)(cell < strips->last[axis] ? cell : strips->last[axis]);
}

// Where a box is: the cells of its min, and how many more there are to those of its max; along y and z at most one.
typedef struct bp_strip_place {
    uint32_t x, y, z;
    uint32_t far, crosses_y, crosses_z;
} bp_strip_place;

// The entries of a place: all four are written, and those that it does not have are written over.
static inline size_t bp_strips_entries_at(const bp_strips *s, bp_strip_place place, uint32_t item, uint32_t *keys,
                                          uint64_t *entries) {
    const size_t wanted[BP_STRIP_ENTRIES] = {1, place.crosses_y, place.crosses_z, place.crosses_y & place.crosses_z};
    size_t count = 0;
    for (uint32_t k = 0; k < BP_STRIP_ENTRIES; ++k) {
        const uint32_t key = ((place.z + (k >> 1)) * s->cells[1] + place.y + (k & 1)) * s->cells[0] + place.x;
        keys[count] = key;
        entries[count] = (uint64_t)(key + place.far) << 32 | k << 30 | item;
        count += wanted[k];
    }
    return count;
}

// The item of a box: its id, and the flag of its set.
static inline size_t bp_strips_entries_of(const bp_strips *s, const bp_box *given, uint32_t item, uint32_t *keys,
                                          uint64_t *entries) {
    if (bp_box_is_hole(given)) {
        return 0;
    }
    const bp_box box = bp_box_flatten(*given, s->dimensions);
    bp_strip_place place = {
        bp_strip_cell(s, 0, box.min[0]), bp_strip_cell(s, 1, box.min[1]), bp_strip_cell(s, 2, box.min[2]), 0, 0, 0};
    place.far = bp_strip_cell(s, 0, box.max[0]) - place.x;
    place.crosses_y = bp_strip_cell(s, 1, box.max[1]) - place.y;
    place.crosses_z = bp_strip_cell(s, 2, box.max[2]) - place.z;
    return bp_strips_entries_at(s, place, item, keys, entries);
}

#endif
