// Four boxes at a time with the 128-bit vectors of WebAssembly.
#include "kernels/plain.h"

#if defined(__wasm_simd128__)
#include "kernels/plain_strips.h"

#include <wasm_simd128.h>

typedef float vec __attribute__((vector_size(16)));
typedef uint32_t vec_ids __attribute__((vector_size(16)));

// a < b ? a : b, and a > b ? a : b: one instruction on x86, where min and max, which have rules for NaNs, are many.
static inline vec vec_smaller(vec a, vec b) {
    return (vec)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}

static inline vec vec_larger(vec a, vec b) {
    return (vec)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
}

static inline vec_ids vec_ids_min(vec_ids a, vec_ids b) {
    return (vec_ids)wasm_u32x4_min((v128_t)a, (v128_t)b);
}

static inline vec_ids vec_ids_max(vec_ids a, vec_ids b) {
    return (vec_ids)wasm_u32x4_max((v128_t)a, (v128_t)b);
}

static inline unsigned lane_bits(vec_ids lanes) {
    return (unsigned)wasm_i32x4_bitmask((v128_t)lanes);
}

static inline size_t lane_count(unsigned bits) {
    return (size_t)__builtin_popcount(bits);
}

static inline vec_ids pick_bytes(vec_ids ids, const uint8_t *bytes) {
    return (vec_ids)wasm_i8x16_swizzle((v128_t)ids, wasm_v128_load(bytes));
}

static inline vec_ids zip_low(vec_ids a, vec_ids b) {
    return (vec_ids)wasm_i32x4_shuffle((v128_t)a, (v128_t)b, 0, 4, 1, 5);
}

static inline vec_ids zip_high(vec_ids a, vec_ids b) {
    return (vec_ids)wasm_i32x4_shuffle((v128_t)a, (v128_t)b, 2, 6, 3, 7);
}

#include "kernels/four_lanes.h"

// ---- building -------------------------------------------------------------------------------------------------------

// The corners of a box: its min and one value more, and one value and its max.
static inline v128_t low_half(const bp_box *box) {
    return wasm_v128_load(box->min);
}

static inline v128_t high_half(const bp_box *box) {
    return wasm_v128_load(box->min + 2);
}

// min and max, without what is no axis.
static inline v128_t min_corner(const bp_box *box, v128_t axes) {
    return wasm_v128_and(low_half(box), axes);
}

static inline v128_t max_corner(const bp_box *box, v128_t axes) {
    const v128_t high = high_half(box);
    return wasm_v128_and(wasm_i32x4_shuffle(high, high, 1, 2, 3, 0), axes);
}

static inline v128_t axes_of(uint32_t dimensions) {
    return wasm_i32x4_make(-1, -1, dimensions == 2 ? 0 : -1, 0);
}

static inline v128_t of_axes(const float values[3]) {
    return wasm_f32x4_make(values[0], values[1], values[2], 0.0f);
}

// The cells of the first two lanes: bp_cell_of, whose upper limit is far beyond boxes on their level. In a double of about
// 2^52 a unit is 1: the sum has the cell, which is far smaller, in its lower half.
static inline v128_t two_cells(v128_t coordinates, v128_t inverse) {
    const v128_t places = wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(coordinates), inverse);
    const v128_t cells = wasm_f64x2_floor(wasm_f64x2_pmax(wasm_f64x2_splat(-0x1p30), places));
    return wasm_f64x2_add(cells, wasm_f64x2_splat(0x1.8p52));
}

static inline v128_t four_cells(v128_t coordinates, v128_t inverse) {
    const v128_t others = wasm_i32x4_shuffle(coordinates, coordinates, 2, 3, 0, 1);
    return wasm_i32x4_shuffle(two_cells(coordinates, inverse), two_cells(others, inverse), 0, 2, 4, 6);
}

// bp_fit_extent
static inline v128_t fit_extents(v128_t min, v128_t max) {
    const v128_t farthest = wasm_f32x4_pmax(wasm_f32x4_abs(max), wasm_f32x4_abs(min));
    return wasm_f32x4_pmax(wasm_f32x4_mul(farthest, wasm_f32x4_splat(0x1p-25f)), wasm_f32x4_sub(max, min));
}

static size_t wasm_cell_keys(const bp_level *level, uint32_t dimensions, const bp_box *boxes, size_t count,
                             uint32_t *keys, float reach[3]) {
    const v128_t axes = axes_of(dimensions), fit = of_axes(level->fit);
    const v128_t inverse_xy = wasm_f64x2_make(level->inverse[0], level->inverse[1]);
    const v128_t inverse_z = wasm_f64x2_splat(level->inverse[2]);
    const uint32_t *bits = level->bits;
    const v128_t folds = wasm_i32x4_make((int32_t)((1u << bits[0]) - 1), (int32_t)((1u << bits[1]) - 1),
                                         (int32_t)((1u << bits[2]) - 1), 0);
    v128_t farthest = of_axes(reach);
    size_t fitting = 0;
    for (size_t i = 0; i < count; ++i) {
        const v128_t min = min_corner(&boxes[i], axes), extent = fit_extents(min, max_corner(&boxes[i], axes));
        const bool fits = (wasm_i32x4_bitmask(wasm_f32x4_lt(extent, fit)) & 7) == 7;
        const v128_t z = wasm_i32x4_shuffle(min, min, 2, 2, 2, 2);
        const v128_t cells = wasm_i32x4_shuffle(two_cells(min, inverse_xy), two_cells(z, inverse_z), 0, 2, 4, 6);
        const v128_t folded = wasm_v128_and(cells, folds);
        const uint32_t row =
            (uint32_t)wasm_i32x4_extract_lane(folded, 2) << bits[1] | (uint32_t)wasm_i32x4_extract_lane(folded, 1);
        const uint32_t cell = row << bits[0] | (uint32_t)wasm_i32x4_extract_lane(folded, 0);
        keys[i] = fits ? (uint32_t)level->first_cell + cell : BP_KEY_ELSEWHERE;
        farthest = wasm_f32x4_pmax(farthest, wasm_v128_and(extent, wasm_i32x4_splat(-(int32_t)fits)));
        fitting += fits;
    }
    float largest[WIDTH];
    wasm_v128_store(largest, farthest);
    memcpy(reach, largest, 3 * sizeof *reach);
    return fitting;
}

// Four boxes at a time; behind the last one there is padding, and room in the measures, whose number is a multiple of four.
static void wasm_measure(const bp_columns *columns, size_t position, size_t count, const bp_level *level,
                         bp_measures *measures) {
    const v128_t outside = wasm_i32x4_splat(-(int32_t)(1u << level->bits[0])), zero = wasm_i32x4_const(0, 0, 0, 0);
    const v128_t reach = wasm_f32x4_splat(level->reach[0]);
    const v128_t x = wasm_f64x2_splat(level->inverse[0]), y = wasm_f64x2_splat(level->inverse[1]);
    const v128_t z = wasm_f64x2_splat(level->inverse[2]);
    for (size_t i = 0; i < count; i += WIDTH) {
        const size_t p = position + i;
        const v128_t low = four_cells(wasm_f32x4_sub(wasm_v128_load(columns->min[0] + p), reach), x);
        const v128_t high = four_cells(wasm_v128_load(columns->max[0] + p), x);
        const v128_t crosses_y = wasm_i32x4_sub(four_cells(wasm_v128_load(columns->max[1] + p), y),
                                                four_cells(wasm_v128_load(columns->min[1] + p), y));
        const v128_t crosses_z = wasm_i32x4_sub(four_cells(wasm_v128_load(columns->max[2] + p), z),
                                                four_cells(wasm_v128_load(columns->min[2] + p), z));
        const v128_t edge = wasm_i32x4_ne(wasm_v128_and(wasm_v128_xor(low, high), outside), zero);
        const v128_t crossed = wasm_v128_or(crosses_y, wasm_i32x4_shl(crosses_z, 1));
        wasm_v128_store(measures->low + i, low);
        wasm_v128_store(measures->high + i, high);
        wasm_v128_store(measures->crossed + i,
                        wasm_v128_or(crossed, wasm_v128_and(edge, wasm_i32x4_splat(BP_CROSSES_EDGE))));
    }
}

// Four boxes into the columns at a position.
static inline void put_four(const bp_columns *columns, size_t position, const bp_box *const boxes[WIDTH]) {
    const v128_t low[WIDTH] = {low_half(boxes[0]), low_half(boxes[1]), low_half(boxes[2]), low_half(boxes[3])};
    const v128_t high[WIDTH] = {high_half(boxes[0]), high_half(boxes[1]), high_half(boxes[2]), high_half(boxes[3])};
    const v128_t xy[2] = {wasm_i32x4_shuffle(low[0], low[1], 0, 4, 1, 5),
                          wasm_i32x4_shuffle(low[2], low[3], 0, 4, 1, 5)};
    const v128_t zx[2] = {wasm_i32x4_shuffle(low[0], low[1], 2, 6, 3, 7),
                          wasm_i32x4_shuffle(low[2], low[3], 2, 6, 3, 7)};
    const v128_t yz[2] = {wasm_i32x4_shuffle(high[0], high[1], 2, 6, 3, 7),
                          wasm_i32x4_shuffle(high[2], high[3], 2, 6, 3, 7)};
    wasm_v128_store(columns->min[0] + position, wasm_i64x2_shuffle(xy[0], xy[1], 0, 2));
    wasm_v128_store(columns->min[1] + position, wasm_i64x2_shuffle(xy[0], xy[1], 1, 3));
    wasm_v128_store(columns->min[2] + position, wasm_i64x2_shuffle(zx[0], zx[1], 0, 2));
    wasm_v128_store(columns->max[0] + position, wasm_i64x2_shuffle(zx[0], zx[1], 1, 3));
    wasm_v128_store(columns->max[1] + position, wasm_i64x2_shuffle(yz[0], yz[1], 0, 2));
    wasm_v128_store(columns->max[2] + position, wasm_i64x2_shuffle(yz[0], yz[1], 1, 3));
}

static void wasm_gather(const bp_columns *columns, size_t begin, size_t end, const bp_box *boxes) {
    size_t i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        const uint32_t *id = columns->id + i;
        put_four(columns, i, (const bp_box *const[WIDTH]){boxes + id[0], boxes + id[1], boxes + id[2], boxes + id[3]});
    }
    plain_gather(columns, i, end, boxes);
}

static void wasm_gather_entries(const bp_columns *columns, size_t begin, size_t end, const uint64_t *entries,
                                const bp_strip_sets *sets) {
    size_t i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        const bp_box *four[WIDTH];
        for (size_t k = 0; k < WIDTH; ++k) {
            four[k] = bp_entry_box(sets, entries[i + k]);
            columns->id[i + k] = (uint32_t)entries[i + k];
        }
        put_four(columns, i, four);
    }
    plain_gather_entries(columns, i, end, entries, sets);
}

// bp_strip_cell of a corner
static inline v128_t strip_cells(v128_t corner, v128_t low, v128_t inverse, v128_t last) {
    return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_pmin(last, wasm_f32x4_mul(wasm_f32x4_sub(corner, low), inverse)));
}

static size_t wasm_strip_entries(const bp_strips *strips, const bp_box *boxes, size_t begin, size_t end, uint32_t set,
                                 uint32_t *keys, uint64_t *entries) {
    const v128_t low = of_axes(strips->low), inverse = of_axes(strips->inverse), last = of_axes(strips->last);
    const v128_t axes = axes_of(strips->dimensions);
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        if (bp_box_is_hole(&boxes[i])) {
            continue;
        }
        const v128_t first = strip_cells(min_corner(&boxes[i], axes), low, inverse, last);
        const v128_t more = wasm_i32x4_sub(strip_cells(max_corner(&boxes[i], axes), low, inverse, last), first);
        const bp_strip_place place = {
            (uint32_t)wasm_i32x4_extract_lane(first, 0), (uint32_t)wasm_i32x4_extract_lane(first, 1),
            (uint32_t)wasm_i32x4_extract_lane(first, 2), (uint32_t)wasm_i32x4_extract_lane(more, 0),
            (uint32_t)wasm_i32x4_extract_lane(more, 1),  (uint32_t)wasm_i32x4_extract_lane(more, 2)};
        count += bp_strips_entries_at(strips, place, (uint32_t)i | set, keys + count, entries + count);
    }
    return count;
}

// V8 asks in each round of a loop whether it shall stop, and needs registers for that.
#define LOOPS_ARE_DEAR
#define KERNELS bp_kernels_wasm
#define BUILDING(name) wasm_##name
#include "kernels/table.h"
#endif
