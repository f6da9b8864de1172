// The ranges of records that hold a box's candidates, inside its own level or across coarser ones.
//
// All entries of the table are loaded before the first is used, to overlap their latencies; rows that a box does not
// reach become empty ranges instead of branches. Along a periodic axis a row may cross the border: the part beyond is
// segment 1.
#ifndef BP_CUDA_LISTS_CUH
#define BP_CUDA_LISTS_CUH

#include "context.cuh"

enum {
    RANGES = 5, // per box at a time
    NOWHERE = BP_CUDA_LEVELS
};

template <class Key> struct view {
    const Key *keys;
    const uint2 *records;
    const uint32_t *ids;
    const uint32_t *table;
    const bp_box *boxes;
    const bp_object *objects;
    uint32_t count;
};

template <class Key> struct lane_state {
    uint32_t position, level;
    bp_cuda_record record; // in quanta of its own level
    Key key;
};

// Where a box lies on its own level.
struct location {
    int32_t cell[3];
    bp_cuda_span span;
};

// Ranges of records. Those that are not needed are empty.
struct range_list {
    uint32_t begin[RANGES], length[RANGES];
};

template <bool WRAPS> static __device__ __forceinline__ bp_cuda_kind kind_of(const bp_cuda_lattice &lattice) {
    return {lattice.kind.dimensions, WRAPS ? lattice.kind.periodic : 0, lattice.kind.narrow};
}

template <class Key, bool DIRECT>
static __device__ __forceinline__ uint32_t position_of(const bp_cuda_lattice &lattice, const view<Key> &grid, Key key) {
    if (DIRECT) {
        return __ldg(grid.table + key);
    }
    uint32_t low = grid.table[key >> lattice.table_shift], high = grid.table[(key >> lattice.table_shift) + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (grid.keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static __device__ __forceinline__ void divide(uint32_t dividend, uint32_t, bp_cuda_divider divider,
                                              uint32_t *quotient) {
    *quotient = bp_cuda_divide(dividend, divider);
}

static __device__ __forceinline__ void divide(uint64_t dividend, uint32_t divisor, bp_cuda_divider,
                                              uint64_t *quotient) {
    *quotient = dividend / divisor;
}

template <class Key> static __device__ __forceinline__ uint32_t level_of_key(const bp_cuda_lattice &lattice, Key key) {
    uint32_t i = 0;
    while (i + 1 < lattice.level_count && key >= lattice.levels[i + 1].first_key) {
        ++i;
    }
    return i;
}

template <class Key, bool WRAPS>
static __device__ __forceinline__ location locate(const bp_cuda_lattice &lattice, const view<Key> &grid,
                                                  const lane_state<Key> &lane) {
    const bp_cuda_level &level = lattice.levels[lane.level];
    const Key rest = lane.key - (Key)level.first_key;
    Key row = 0, plane = 0;
    divide(rest, (uint32_t)level.cells[0], level.divide_x, &row);
    divide(row, (uint32_t)level.cells[1], level.divide_y, &plane);
    location l;
    l.cell[0] = (int32_t)(rest - row * (Key)level.cells[0]);
    l.cell[1] = (int32_t)(row - plane * (Key)level.cells[1]);
    l.cell[2] = (int32_t)plane;
    l.span = bp_cuda_unpack(kind_of<WRAPS>(lattice), lane.record, l.cell);
    return l;
}

// ---- lists ----------------------------------------------------------------------------------------------------------

struct range_of_cells {
    int32_t low, high;
};

// The cells along an axis in which a box that could touch this one begins.
template <bool WRAPS>
static __device__ __forceinline__ range_of_cells cells_along(const bp_cuda_lattice &lattice, const bp_cuda_level &level,
                                                             const bp_cuda_span &span, int axis) {
    if (bp_cuda_wraps(kind_of<WRAPS>(lattice), axis)) {
        return {(span.low[axis] - level.reach[axis] - 2) >> BP_CUDA_CELL_BITS,
                (span.high[axis] + 1) >> BP_CUDA_CELL_BITS};
    }
    return {max(span.low[axis] - level.reach[axis], 0) >> BP_CUDA_CELL_BITS, span.high[axis] >> BP_CUDA_CELL_BITS};
}

static __device__ __forceinline__ void set_range(range_list &list, int i, uint32_t begin, uint32_t end) {
    list.begin[i] = begin;
    list.length[i] = begin < end ? end - begin : 0;
}

// A row's number along an axis, moved into the first period; negative if there is none.
template <bool WRAPS>
static __device__ __forceinline__ int32_t wrapped(const bp_cuda_lattice &lattice, const bp_cuda_level &level, int axis,
                                                  int32_t cell) {
    const int32_t cells = level.cells[axis];
    if (bp_cuda_wraps(kind_of<WRAPS>(lattice), axis)) {
        return cell < 0 ? cell + cells : cell >= cells ? cell - cells : cell;
    }
    return cell < cells ? cell : -1;
}

// The part of a range of cells that lies in the first period (segment 0), or in another one, moved (segment 1).
template <bool WRAPS>
static __device__ __forceinline__ range_of_cells part_of_row(range_of_cells x, int32_t length, int segment) {
    if (WRAPS && segment == 1) {
        return {x.low < 0 ? x.low + length : 0, x.low < 0 ? length - 1 : x.high - length};
    }
    return {max(x.low, 0), min(x.high, length - 1)};
}

// Lists the ranges inside the box's own level.
template <class Key, bool WRAPS, bool DIRECT>
static __device__ __forceinline__ range_list list_inside(const bp_cuda_lattice &lattice, const view<Key> &grid,
                                                         const lane_state<Key> &lane, int segment) {
    const bp_cuda_level &level = lattice.levels[lane.level];
    const location l = locate<Key, WRAPS>(lattice, grid, lane);
    const range_of_cells y = cells_along<WRAPS>(lattice, level, l.span, 1);
    const range_of_cells z = cells_along<WRAPS>(lattice, level, l.span, 2);
    const range_of_cells all = cells_along<WRAPS>(lattice, level, l.span, 0);
    const range_of_cells x = part_of_row<WRAPS>(all, level.cells[0], segment);
    const Key own = (Key)bp_cuda_row_key(&level, l.cell[1], l.cell[2]);
    const bool beyond = segment == 0 || all.high >= level.cells[0]; // of its own row only what comes after it
    Key low[4], high[4];
    uint32_t begin[RANGES], end[RANGES];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int32_t dy = i == 0 ? 1 : i - 2, dz = i == 0 ? 0 : 1; // +0, -+, 0+, ++
        const int32_t row_y = wrapped<WRAPS>(lattice, level, 1, l.cell[1] + dy);
        const int32_t row_z = wrapped<WRAPS>(lattice, level, 2, l.cell[2] + dz);
        const bool reached = (dz == 0 || z.high > l.cell[2]) && (dy != 1 || y.high > l.cell[1]) &&
                             (dy != -1 || y.low < l.cell[1]) && row_y >= 0 && row_z >= 0 && x.low <= x.high;
        const Key row = (Key)bp_cuda_row_key(&level, row_y, row_z);
        low[i] = reached ? row + (Key)x.low : own;
        high[i] = reached ? row + (Key)x.high + 1 : own;
    }
    begin[4] = segment == 0 ? lane.position + 1 : position_of<Key, DIRECT>(lattice, grid, own);
    end[4] = beyond ? position_of<Key, DIRECT>(lattice, grid, own + (Key)x.high + 1) : 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        begin[i] = position_of<Key, DIRECT>(lattice, grid, low[i]);
        end[i] = position_of<Key, DIRECT>(lattice, grid, high[i]);
    }
    range_list list;
#pragma unroll
    for (int i = 0; i < RANGES; ++i) {
        set_range(list, i, begin[i], end[i]);
    }
    return list;
}

// Lists the ranges in a level that is not finer: one layer, of at most three rows, at a time.
template <class Key, bool WRAPS, bool DIRECT>
static __device__ __forceinline__ range_list list_across(const bp_cuda_lattice &lattice, const view<Key> &grid,
                                                         const bp_cuda_level &level, const bp_cuda_span &span,
                                                         int layer, int segment) {
    const range_of_cells x = part_of_row<WRAPS>(cells_along<WRAPS>(lattice, level, span, 0), level.cells[0], segment);
    const range_of_cells y = cells_along<WRAPS>(lattice, level, span, 1);
    const range_of_cells z = cells_along<WRAPS>(lattice, level, span, 2);
    const int32_t row_z = wrapped<WRAPS>(lattice, level, 2, z.low + layer);
    const bool nothing = z.low + layer > z.high || row_z < 0 || x.low > x.high;
    range_list list = {};
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const int32_t row_y = wrapped<WRAPS>(lattice, level, 1, y.low + i);
        if (!nothing && y.low + i <= y.high && row_y >= 0) {
            const Key row = (Key)bp_cuda_row_key(&level, row_y, row_z);
            set_range(list, i, position_of<Key, DIRECT>(lattice, grid, row + (Key)x.low),
                      position_of<Key, DIRECT>(lattice, grid, row + (Key)x.high + 1));
        }
    }
    return list;
}

#endif
