// The hot loops, compiled once per instruction set and chosen at run time.
//
//   cell_keys      boxes -> cells                                   (building)
//   gather         boxes, in the order of their cells -> columns    (building)
//   extend_bounds  a column -> its bounds                           (building)
//   measure        columns -> the cells that each box reaches       (finding)
//   test_ranges    one box against a range of boxes -> pairs        (finding)
//   test_rows      boxes of a row against rows of cells -> pairs    (finding)
//   test_sweep     boxes against those that begin inside them       (finding)
//   ..._records    boxes as records (base/records.h): partitioning and selecting them (split)
//   survey, strip_entries, gather_entries, test_strips              boxes of similar sizes (kernels/strips.h)
//   cut_boxes                                         two sets, cut to where they meet (cut_sets.h)
//   tree_...       a tree of nodes of eight boxes (engine/tree/tree.h)
//   fill_tube      points of neighbouring rows of cells -> one column (neighbours)
//   find_near      points against a window of that -> ids             (neighbours)
//   sort_rows      eight rows of ids, ascending                       (neighbours)
//   measure_near   neighbours of a point -> distances, vectors, shifts (neighbours)
//
// Boxes are stored in columns (base/columns.h). One box is tested against eight others at once; the hits are compressed
// and appended without a branch. (Whether any of the eight is a hit is unpredictable: a branch cost 40 %.)
//
// The scalar kernels are the reference: all others give the same keys, columns and pairs, in the same order.
#ifndef BP_KERNELS_H
#define BP_KERNELS_H

#include "base/cells.h"
#include "base/columns.h"
#include "base/records.h"
#include "kernels/strips.h"
#include "kernels/tree.h"

#include <broadphase/broadphase_methods.h>

enum {
    BP_CHUNK = 256, // boxes that are measured together
    BP_FIRST = 8,   // candidates of a range that are tested at once
    BP_ROWS = 5,    // rows in which a box can overlap boxes of its level: its own and four neighbours

    BP_TUBE_ROWS = 9,   // rows of cells around a point: its own and eight neighbours
    BP_SORTED_ROWS = 8, // rows that are sorted together
    BP_SORTED_IDS = 64  // ids that such a row has at most
};

// The key of a box that is not on this level.
#define BP_KEY_ELSEWHERE UINT32_MAX

// For boxes of one level: the x cells of min - reach and of max, and the faces that each box crosses.
typedef struct bp_measures {
    int32_t low[BP_CHUNK], high[BP_CHUNK];
    int32_t crossed[BP_CHUNK]; // a set of BP_CROSSES_
} bp_measures;

enum {
    BP_CROSSES_Y = 1,    // the upper y face of its cell
    BP_CROSSES_Z = 2,    // the upper z face
    BP_CROSSES_EDGE = 4, // the range low .. high crosses the edge of the folded grid
    BP_CROSSINGS = 8
};

// Test box `object` against the candidates begin .. end-1.
typedef struct bp_range_test {
    uint32_t object, begin, end;
} bp_range_test;

// Which id of a pair of an object and a candidate comes first.
typedef enum bp_pair_ids {
    BP_IDS_ASCENDING,        // (smaller id, larger id): objects and candidates are the same columns
    BP_IDS_BY_ROLE,          // (id of the object, id of the candidate)
    BP_IDS_BY_ROLE_SWAPPED,  // (id of the candidate, id of the object); not for kernels
    BP_IDS_BY_ROLE_ASCENDING // (smaller id, larger id), whatever the columns; not for kernels
} bp_pair_ids;

typedef struct bp_range_job {
    const bp_columns *objects;    // test.object is a position in these
    const bp_columns *candidates; // test.begin and test.end are positions in these
    const bp_range_test *tests;
    size_t test_count;
    bp_pair_ids pair_ids;
    bp_pair *out;
    size_t room; // pairs that fit into out; a test needs end - begin + BP_COLUMN_PADDING
} bp_range_job;

// Boxes of a chunk that all need the same rows: their own, of which each box needs the part after itself, and others.
// No range crosses the edge of the folded grid.
typedef struct bp_rows_job {
    float *columns;  // min x, y, z, max x, y, z, id, ...
    size_t distance; // ... from each of these columns to the next, in values
    const bp_measures *measures;
    size_t position;       // where the chunk begins
    const uint16_t *boxes; // positions relative to that
    size_t box_count;
    const uint32_t *rows[BP_ROWS]; // where their cells begin; the row of the boxes comes first
    size_t row_count;
    uint32_t mask;            // cells of a row, less one
    bp_range_test *remaining; // room for row_count * box_count tests
    bp_pair *out;             // room for BP_FIRST * row_count * box_count + BP_COLUMN_PADDING pairs
} bp_rows_job;

// Which candidates a sweep tests a box against, of those that begin before it ends.
typedef enum bp_sweep_start {
    BP_SWEEP_BEHIND, // those behind it, in the same columns
    BP_SWEEP_AT,     // those that begin where it does, or later
    BP_SWEEP_AFTER   // those that begin later
} bp_sweep_start;

// Boxes sorted by where they begin along an axis, which counts as the first one here. Behind the last candidate there is
// a padding of NaNs.
typedef struct bp_sweep_job {
    bp_columns objects, candidates;
    size_t begin, end; // objects to test; begin advances
    size_t from;       // candidates before this one begin too early; advances
    bp_sweep_start start;
    bp_pair_ids pair_ids;
    bp_pair *out;
    size_t room; // pairs that fit into out; a box needs BP_COLUMN_PADDING more than it has pairs
} bp_sweep_job;

// A row of cells whose points go into a tube.
typedef struct bp_tube_row {
    const uint32_t *cells; // where they begin
    float shift[2];        // of its points along y and z, where it is an image of a row,
    uint32_t id_offset;    // and what is added to their ids then
} bp_tube_row;

// Copies cells first .. last-1 of some rows, cell by cell: from each cell the points of all rows.
typedef struct bp_tube_job {
    bp_point_columns from, to;
    const bp_tube_row *rows; // at most BP_TUBE_ROWS
    size_t row_count;
    size_t first, last;
    float shift;        // of all points along x,
    uint32_t id_offset; // and what is added to their ids
    size_t place;       // where the first point goes; behind the last one there is room for BP_COLUMN_PADDING
    uint32_t *starts;   // gets, for each cell, where its points begin
} bp_tube_job;

// Which of the points within reach are neighbours.
typedef enum bp_near_wanted {
    BP_NEAR_ALL,    // every one: another set
    BP_NEAR_OTHERS, // all but the point itself
    BP_NEAR_LARGER  // those with larger ids
} bp_near_wanted;

// Points begin .. end-1 against the points first .. last-1 of a tube. Points behind these may be tested too.
typedef struct bp_near_job {
    bp_point_columns points, tube;
    size_t begin, end, first, last;
    float sure, possible; // square distances: up to the first points are near, and beyond the second they are not
    bp_near_wanted wanted;
    uint32_t *out;     // the ids that are near, point by point
    uint32_t *counts;  // by position: gets how many that are
    bp_pair *doubtful; // pairs in between
    // Both have room for (end - begin) * (last - first, rounded up to BP_COLUMN_PADDING) + BP_COLUMN_PADDING.
} bp_near_job;

// Sorts the ids of each row, which are different, into another place or the same.
typedef struct bp_row_sort {
    const uint32_t *from[BP_SORTED_ROWS];
    uint32_t *to[BP_SORTED_ROWS];
    uint32_t counts[BP_SORTED_ROWS]; // at most BP_SORTED_IDS; 0: nothing is read or written, but no pointer is NULL
} bp_row_sort;

// Neighbours of a point, in 64 bits: each is another point, moved by what its code stands for.
typedef struct bp_measure_job {
    const double *points; // x, y, z one after the other
    double from[3];
    const uint32_t *of, *codes; // of each neighbour
    size_t count;
    const double (*moves)[4];  // by code: x, y, z, 0
    const int32_t (*steps)[4]; // by code: x, y, z, anything
    // What is wanted; else NULL.
    double *distances; // sqrt((x*x + y*y) + z*z)
    double *vectors;   // (point - from) + move
    int32_t *shifts;   // steps
} bp_measure_job;

// Two lists of pairs. What one has alone is put into `ended` or `begun`, which have room for a whole list and eight pairs more.
typedef struct bp_pair_comparison {
    const bp_pair *before, *after;
    size_t before_count, after_count;
    bp_pair *ended, *begun;
    size_t ended_count, begun_count;
} bp_pair_comparison;

typedef struct bp_kernels {
    // The keys of boxes that fit a level, BP_KEY_ELSEWHERE for the others and for holes. Raises reach[] to the largest
    // extents among those that fit, and returns how many do.
    size_t (*cell_keys)(const bp_level *level, uint32_t dimensions, const bp_box *boxes, size_t count, uint32_t *keys,
                        float reach[3]);

    // Fills the columns at positions begin .. end-1 with the boxes whose ids are there already.
    void (*gather)(const bp_columns *columns, size_t begin, size_t end, const bp_box *boxes);

    // For `count` boxes from `position` on, at most BP_CHUNK.
    void (*measure)(const bp_columns *columns, size_t position, size_t count, const bp_level *level,
                    bp_measures *measures);

    // Runs tests until all are done or the next one does not fit. Writes the number of tests done and returns the
    // number of pairs written.
    size_t (*test_ranges)(const bp_range_job *job, size_t *tests_done);

    // Boxes of a chunk against rows of cells: the first BP_FIRST candidates of each range, without a branch if a vector
    // holds them. The remainder of longer ranges goes to job->remaining, for test_ranges. Returns the number of pairs
    // written.
    size_t (*test_rows)(const bp_rows_job *job, size_t *remaining_count, uint64_t *tests);

    // Sweeps until all objects are done, or the next one does not fit. Returns the number of pairs written.
    size_t (*test_sweep)(bp_sweep_job *job, uint64_t *tests);

    // Extends low .. high so that it holds `count` values, none of which is NaN.
    void (*extend_bounds)(const float *values, size_t count, float *low, float *high);

    // Parts records in place by a plane: those before it (max < plane), across it, and behind it (min >= plane), one
    // after the other. `scratch` has room for as many.
    void (*partition_records)(bp_record *records, size_t count, int axis, float plane, bp_record *scratch,
                              bp_record_set parts[3]);

    // Appends the records that are at most `limit` to a set, which has room for one more than all of them. It may be
    // the set that begins where they do: then the others are dropped.
    void (*select_records)(const bp_record *from, size_t count, const bp_record *limit, bp_record_set *to);

    // For each plane: how many boxes lie before it and behind it. The columns are padded with NaNs up to
    // BP_COLUMN_PADDING values.
    void (*count_sides)(const float *min, const float *negated_max, size_t count, const float *planes,
                        size_t plane_count, uint32_t *before, uint32_t *behind);

    // Adds up what boxes are like; holes are left out.
    void (*survey)(const bp_box *boxes, size_t count, bp_survey_lanes *lanes);

    // Writes an entry for each strip that one of boxes[begin .. end) touches, and its key. There is room for
    // BP_STRIP_ENTRIES of both for each box. `set` is its flag. Returns their number. Holes have none.
    size_t (*strip_entries)(const bp_strips *strips, const bp_box *boxes, size_t begin, size_t end, uint32_t set,
                            uint32_t *keys, uint64_t *entries);

    // Fills the columns at positions begin .. end-1 with entries: their ids with flags, and their boxes.
    void (*gather_entries)(const bp_columns *columns, size_t begin, size_t end, const uint64_t *entries,
                           const bp_strip_sets *sets);

    // Tests entries, each against those that follow it, until all are done or the next one does not fit. Returns the
    // number of pairs written; *done gets the number of entries done.
    size_t (*test_strips)(const bp_strips_job *job, size_t *done);

    // Writes the ids of those of boxes[begin .. end) that overlap the limits; there is room for one for each box, and
    // eight more. Returns their number.
    size_t (*cut_boxes)(const bp_box *boxes, size_t begin, size_t end, const bp_box *limits, uint32_t dimensions,
                        uint32_t *ids);

    // Finds what two lists of pairs do not have in common, and perhaps more (kernels/compare_loop.h).
    void (*compare_pairs)(bp_pair_comparison *comparison);

    // Building the tree: place << 32 | id for boxes[begin .. end), where bit 31 of the place means a hole; leaves begin .. end-1
    // from the boxes of their slots, and their bounds (above NULL: there is no level above); bounds of nodes begin .. end-1.
    void (*tree_keys)(const bp_tree_frame *frame, const bp_box *boxes, size_t begin, size_t end, uint64_t *keys);
    void (*tree_fill)(const bp_box *boxes, const uint32_t *ids, size_t begin, size_t end, uint32_t dimensions,
                      bp_tree_node *leaves, bp_tree_node *above);
    void (*tree_lift)(const bp_tree_node *nodes, size_t begin, size_t end, bp_tree_node *above);

    // The child of a node that grows least when it gets a box, of those that are not full; there is one.
    uint32_t (*tree_choose)(const bp_tree_node *node, uint32_t full, const bp_box *box, float span);

    // Searching it: kernels/tree_loop.h. Lists have room for BP_TREE_WIDTH entries for each one, and BP_TREE_PADDING more.
    size_t (*tree_open)(const bp_tree_node *nodes, const bp_tree_node *above, const bp_pair *list, size_t count,
                        bp_pair *out);
    size_t (*tree_cross)(const bp_tree_node *a, const bp_tree_node *b, const bp_pair *list, size_t count, bool is_one,
                         bp_pair *out);
    size_t (*tree_join)(const bp_tree_node *a, const bp_tree_node *b, const uint32_t *a_ids, const uint32_t *b_ids,
                        const bp_pair *list, size_t count, bool is_one, bp_pair *out);
    size_t (*tree_descend)(const bp_tree_node *nodes, const bp_tree_wanted *wanted, const bp_pair *list, size_t count,
                           bp_pair *out);
    size_t (*tree_meet)(const bp_tree_node *leaves, const uint32_t *ids, const bp_tree_wanted *wanted,
                        const bp_pair *list, size_t count, bp_pair *out);
    size_t (*tree_trace)(const bp_tree_node *nodes, bp_tree_walk *const *walks, const bp_pair *list, size_t count,
                         bp_pair *out);

    // Goes on with walks, none of which is done, until some stop. Lists these, ascending, and returns how many they are.
    size_t (*tree_walk)(bp_tree_walk *const *walks, size_t count, uint32_t *stopped);

    // Returns where the next point would go.
    size_t (*fill_tube)(const bp_tube_job *job);

    // Returns how many ids are near, and how many pairs are doubtful.
    size_t (*find_near)(const bp_near_job *job, size_t *doubtful_count);

    void (*sort_rows)(const bp_row_sort *job);

    void (*measure_near)(const bp_measure_job *job);
} bp_kernels;

// The kernels of an instruction set; BP_SIMD_AUTO: of the best that this processor has, or of the one that the
// environment variable BP_SIMD names. BP_ERROR_UNSUPPORTED if the processor or the build does not have it.
bp_status bp_kernels_choose(bp_simd wanted, const bp_log *log, const bp_kernels **kernels);

extern const bp_kernels bp_kernels_scalar, bp_kernels_avx2, bp_kernels_avx512, bp_kernels_neon, bp_kernels_wasm;

// Fills the columns at positions begin .. end-1 with the boxes whose ids are there; flat in two dimensions.
void bp_columns_fill(const bp_columns *columns, const bp_kernels *kernels, uint32_t dimensions, size_t begin,
                     size_t end, const bp_box *boxes);

#endif
