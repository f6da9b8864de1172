// The kernels of one instruction set: the loops over its vector type, and the table of all kernels, a row for each. The including
// file first defines the vector type (overlap_loop.h begins with what that consists of), and
//   KERNELS             the name of the table
//   BUILDING(name)      the kernels that build grids and strips, if it has some of its own: x86_##name
//   WIDE(name)          the same for those that need more than four lanes
#include "kernels/compare_loop.h"
#include "kernels/plain.h"
#include "kernels/plain_strips.h"
#include "kernels/plain_tree.h"

#include "kernels/overlap_loop.h"

#include "kernels/record_loop.h"

#include "kernels/tree_loop.h"

#include "kernels/sweep_loop.h"

#include "kernels/strip_loop.h"

#include "kernels/near_loop.h"

#if !defined(BUILDING)
#define BUILDING(name) plain_##name
#endif
#if !defined(WIDE)
#define WIDE(name) plain_##name
#endif

const bp_kernels KERNELS = {
    .cell_keys = BUILDING(cell_keys),
    .gather = BUILDING(gather),
    .measure = BUILDING(measure),
    .test_ranges = vec_test_ranges,
    .test_rows = vec_test_rows,
    .test_sweep = vec_test_sweep,
    .extend_bounds = vec_extend_bounds,
    .partition_records = vec_partition_records,
    .select_records = vec_select_records,
    .count_sides = vec_count_sides,
    .survey = WIDE(survey),
    .strip_entries = BUILDING(strip_entries),
    .gather_entries = BUILDING(gather_entries),
    .test_strips = vec_test_strips,
    .cut_boxes = WIDE(cut_boxes),
    .compare_pairs = WIDE(compare_pairs),
    .tree_keys = plain_tree_keys,
    .tree_fill = WIDE(tree_fill),
    .tree_lift = plain_tree_lift,
    .tree_choose = WIDE(tree_choose),
    .tree_open = vec_tree_open,
    .tree_cross = vec_tree_cross,
    .tree_join = vec_tree_join,
    .tree_descend = vec_tree_descend,
    .tree_meet = vec_tree_meet,
    .tree_trace = vec_tree_trace,
    .tree_walk = vec_tree_walk,
    .fill_tube = vec_fill_tube,
    .find_near = vec_find_near,
    .sort_rows = WIDE(sort_rows),
    .measure_near = WIDE(measure_near),
};
