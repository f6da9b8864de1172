// The kernels of cell maps and of joins over them, eight boxes at a time.
#ifndef BP_X86_MAP_H
#define BP_X86_MAP_H

#include "kernels/plain_map.h"
#include "kernels/x86.h"

// Eight boxes, one coordinate in each vector.
typedef struct eight_boxes {
    __m256 min[3], max[3];
} eight_boxes;

static inline eight_boxes load_eight(const float *const rows[8]) {
    __m256 low[4], high[4];
    transpose(rows, 0, low);  // min x, y, z, max x
    transpose(rows, 2, high); // min z, max x, y, z
    return (eight_boxes){.min = {low[0], low[1], low[2]}, .max = {low[3], high[2], high[3]}};
}

static inline __m256 either_overlap(__m256 a_min, __m256 a_max, __m256 b_min, __m256 b_max) {
    return _mm256_and_ps(_mm256_cmp_ps(a_min, b_max, _CMP_LE_OQ), _mm256_cmp_ps(b_min, a_max, _CMP_LE_OQ));
}

// ---- the cells of boxes ---------------------------------------------------------------------------------------------

static inline __m256i map_cells_along(const bp_cell_map *map, int axis, __m256 coordinates) {
    const __m256 offset = _mm256_sub_ps(coordinates, _mm256_set1_ps(map->origin[axis]));
    const __m256 cells = _mm256_max_ps(_mm256_mul_ps(offset, _mm256_set1_ps(map->inverse[axis])), _mm256_setzero_ps());
    return _mm256_cvttps_epi32(_mm256_min_ps(cells, _mm256_set1_ps(map->last[axis])));
}

// All bits of those of eight boxes that overlap the limits.
static inline __m256 overlap_limits(const bp_box *limits, const eight_boxes *boxes, uint32_t dimensions) {
    __m256 overlap = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        overlap =
            _mm256_and_ps(overlap, either_overlap(boxes->min[axis], boxes->max[axis], _mm256_set1_ps(limits->min[axis]),
                                                  _mm256_set1_ps(limits->max[axis])));
    }
    return overlap;
}

// Which lane goes where, so that those of the mask come to the front.
static inline __m256i compressing(uint32_t mask) {
    const __m128i twice = _mm_loadu_si128((const __m128i *)bp_lanes[mask]);
    const __m128i once = _mm_shuffle_epi8(twice, _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14));
    return _mm256_cvtepu8_epi32(once);
}

static size_t x86_cut_boxes(const bp_box *boxes, size_t begin, size_t end, const bp_box *limits, uint32_t dimensions,
                            uint32_t *ids) {
    const bp_box own = *limits; // what is written cannot have changed it
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    size_t count = 0;
    for (size_t i = begin; i < end; i += 8) {
        const float *rows[8];
        for (size_t k = 0; k < 8; ++k) {
            rows[k] = boxes[i + k < end ? i + k : end - 1].min;
        }
        const eight_boxes group = load_eight(rows);
        const __m256 overlap = overlap_limits(&own, &group, dimensions);
        const vec_mask mask = vec_first((vec_mask)(unsigned)_mm256_movemask_ps(overlap), end - i);
        const __m256i all = _mm256_add_epi32(_mm256_set1_epi32((int)(uint32_t)i), lanes);
        _mm256_storeu_si256((__m256i *)(ids + count), _mm256_permutevar8x32_epi32(all, compressing((uint32_t)mask)));
        count += (size_t)_mm_popcnt_u32((uint32_t)mask);
    }
    return count;
}

// A hull in each lane. A NaN leaves it as it is, by the order of the arguments.
static inline void extend_eight(eight_boxes *hulls, const eight_boxes *boxes) {
    for (int axis = 0; axis < 3; ++axis) {
        hulls->min[axis] = _mm256_min_ps(boxes->min[axis], hulls->min[axis]);
        hulls->max[axis] = _mm256_max_ps(boxes->max[axis], hulls->max[axis]);
    }
}

static inline eight_boxes spread_hull(const bp_box *hull) {
    eight_boxes hulls;
    for (int axis = 0; axis < 3; ++axis) {
        hulls.min[axis] = _mm256_set1_ps(hull->min[axis]);
        hulls.max[axis] = _mm256_set1_ps(hull->max[axis]);
    }
    return hulls;
}

static inline void join_hulls(const eight_boxes *hulls, bp_box *hull) {
    for (int axis = 0; axis < 3; ++axis) {
        float low[8], high[8];
        _mm256_storeu_ps(low, hulls->min[axis]);
        _mm256_storeu_ps(high, hulls->max[axis]);
        for (int k = 0; k < 8; ++k) {
            hull->min[axis] = bp_smaller(low[k], hull->min[axis]);
            hull->max[axis] = bp_larger(high[k], hull->max[axis]);
        }
    }
}

// BP_REACH_LARGE in the lanes of those that are.
static inline __m256i large_eight(const bp_cell_map *map, const eight_boxes *boxes) {
    const __m256 most = _mm256_set1_ps(map->large);
    __m256 large = _mm256_setzero_ps();
    for (uint32_t axis = 0; axis < map->dimensions; ++axis) {
        const __m256 edge = _mm256_sub_ps(boxes->max[axis], boxes->min[axis]);
        large = _mm256_or_ps(large, _mm256_cmp_ps(edge, most, _CMP_GT_OQ));
    }
    return _mm256_and_si256(_mm256_castps_si256(large), _mm256_set1_epi32((int)BP_REACH_LARGE));
}

static inline __m256i map_eight(const bp_cell_map *map, const eight_boxes *boxes, uint32_t *first) {
    const __m256i most = _mm256_set1_epi32(BP_MAP_ROWS_MOST);
    __m256i cell[3], more[3];
    for (int axis = 0; axis < 3; ++axis) {
        cell[axis] = map_cells_along(map, axis, boxes->min[axis]);
        more[axis] = _mm256_sub_epi32(map_cells_along(map, axis, boxes->max[axis]), cell[axis]);
        more[axis] = _mm256_min_epi32(more[axis], most);
    }
    const __m256i rows = _mm256_mullo_epi32(cell[1], _mm256_set1_epi32((int)map->row));
    const __m256i planes = _mm256_mullo_epi32(cell[2], _mm256_set1_epi32((int)map->plane));
    _mm256_storeu_si256((__m256i *)first, _mm256_add_epi32(cell[0], _mm256_add_epi32(rows, planes)));
    const __m256i wide = _mm256_or_si256(_mm256_slli_epi32(more[1], 8), _mm256_slli_epi32(more[2], 16));
    return _mm256_or_si256(_mm256_or_si256(more[0], wide), large_eight(map, boxes));
}

// The last of them counts several times where there are fewer than eight.
static inline eight_boxes eight_of_list(const bp_box_list *list, size_t begin, size_t count, uint32_t *ids) {
    const float *rows[8];
    for (size_t k = 0; k < 8; ++k) {
        ids[k] = bp_box_list_id(list, begin + (k < count ? k : count - 1));
        rows[k] = list->boxes[ids[k]].min;
    }
    return load_eight(rows);
}

// `limits` and `hull` are NULL or not: known when this is compiled.
static inline uint32_t map_list(const bp_cell_map *map, const bp_box_list *list, size_t begin, const bp_box *limits,
                                bp_map_cells *cells, bp_box *hull) {
    const bp_cell_map own = *map; // what is written cannot have changed it
    eight_boxes hulls = hull != NULL ? spread_hull(hull) : (eight_boxes){.min = {_mm256_setzero_ps()}};
    __m256i all = _mm256_setzero_si256();
    for (size_t i = 0; i < cells->count; i += 8) {
        const size_t left = cells->count - i;
        const eight_boxes boxes = left >= 8 ? eight_of_list(list, begin + i, 8, cells->id + i)
                                            : eight_of_list(list, begin + i, left, cells->id + i);
        __m256i reach = map_eight(&own, &boxes, cells->first + i);
        if (limits != NULL) {
            const __m256 counts = overlap_limits(limits, &boxes, own.dimensions);
            reach = _mm256_blendv_epi8(_mm256_set1_epi32((int)BP_REACH_OUTSIDE), reach, _mm256_castps_si256(counts));
        }
        if (hull != NULL) {
            extend_eight(&hulls, &boxes);
        }
        _mm256_storeu_si256((__m256i *)(cells->reach + i), reach);
        all = _mm256_or_si256(all, reach);
    }
    if (hull != NULL) {
        join_hulls(&hulls, hull);
    }
    const __m128i half = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    const __m128i pair = _mm_or_si128(half, _mm_unpackhi_epi64(half, half));
    return (uint32_t)_mm_cvtsi128_si32(pair) | (uint32_t)_mm_extract_epi32(pair, 1);
}

static uint32_t x86_map_cells(const bp_cell_map *map, const bp_box_list *list, size_t begin, const bp_box *limits,
                              bp_map_cells *cells, bp_box *hull) {
    const bp_box_list all = {.boxes = list->boxes, .count = list->count};
    if (limits == NULL) {
        return list->ids != NULL ? map_list(map, list, begin, NULL, cells, hull)
                                 : map_list(map, &all, begin, NULL, cells, hull);
    }
    return list->ids != NULL ? map_list(map, list, begin, limits, cells, NULL)
                             : map_list(map, &all, begin, limits, cells, NULL);
}

// ---- entries --------------------------------------------------------------------------------------------------------

typedef struct entry_lanes {
    __m256i around, begins; // for the eight cells at and above a first one: x + 2 y + 4 z
} entry_lanes;

static inline entry_lanes lanes_of_map(const bp_cell_map *map) {
    const int row = (int)map->row, plane = (int)map->plane;
    return (entry_lanes){
        .around = _mm256_setr_epi32(0, 1, row, row + 1, plane, plane + 1, plane + row, plane + row + 1),
        .begins = _mm256_slli_epi32(_mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0), BP_CELL_ENTRY_SHIFT),
    };
}

// For eight cells: whether they, and the next ones if `row` says so, are wanted; two bits each.
static inline __m256i two_wanted(const uint64_t *wanted, __m256i cells, __m256i row) {
    const __m256i bits = _mm256_i32gather_epi32((const int *)(const void *)wanted, _mm256_srli_epi32(cells, 3), 1);
    return _mm256_and_si256(_mm256_srlv_epi32(bits, _mm256_and_si256(cells, _mm256_set1_epi32(7))), row);
}

// All bits of lanes whose reach has this one.
static inline __m256i reaches(__m256i reach, uint32_t bit) {
    const __m256i bits = _mm256_set1_epi32((int)bit);
    return _mm256_cmpeq_epi32(_mm256_and_si256(reach, bits), bits);
}

// For each of eight boxes: the set of its wanted cells; empty unless it is in two along each axis, at most.
static inline __m256i wanted_of_eight(const bp_entry_job *job, size_t i) {
    const __m256i reach = _mm256_loadu_si256((const __m256i *)(job->cells->reach + i));
    const __m256i first = _mm256_loadu_si256((const __m256i *)(job->cells->first + i));
    const __m256i y = reaches(reach, 0x100), z = reaches(reach, 0x10000);
    const __m256i above = _mm256_add_epi32(first, _mm256_and_si256(y, _mm256_set1_epi32((int)job->map->row)));
    const __m256i behind = _mm256_and_si256(z, _mm256_set1_epi32((int)job->map->plane));
    const __m256i other = _mm256_and_si256(reach, _mm256_set1_epi32((int)~BP_REACH_USUAL));
    const __m256i usual = _mm256_cmpeq_epi32(other, _mm256_setzero_si256());
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i row =
        _mm256_and_si256(usual, _mm256_or_si256(one, _mm256_slli_epi32(_mm256_and_si256(reach, one), 1)));
    const __m256i row_y = _mm256_and_si256(row, y);
    const __m256i here = _mm256_or_si256(two_wanted(job->wanted, first, row),
                                         _mm256_slli_epi32(two_wanted(job->wanted, above, row_y), 2));
    const __m256i there = _mm256_or_si256(
        two_wanted(job->wanted, _mm256_add_epi32(first, behind), _mm256_and_si256(row, z)),
        _mm256_slli_epi32(two_wanted(job->wanted, _mm256_add_epi32(above, behind), _mm256_and_si256(row_y, z)), 2));
    return _mm256_or_si256(here, _mm256_slli_epi32(there, 4));
}

// The entries of a box in the cells of a set. Their keys are cells for now.
static inline size_t list_wanted(const bp_entry_job *job, const entry_lanes *lanes, size_t i, uint32_t set,
                                 size_t end) {
    const __m256i order = compressing(set);
    const __m256i cells = _mm256_add_epi32(_mm256_set1_epi32((int)job->cells->first[i]), lanes->around);
    const __m256i items = _mm256_or_si256(_mm256_set1_epi32((int)job->cells->id[i]), lanes->begins);
    _mm256_storeu_si256((__m256i *)(job->keys + end), _mm256_permutevar8x32_epi32(cells, order));
    _mm256_storeu_si256((__m256i *)(job->items + end), _mm256_permutevar8x32_epi32(items, order));
    return end + (size_t)_mm_popcnt_u32(set);
}

static inline void rank_keys(const bp_entry_job *job, size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
        const size_t word = job->keys[k] / BP_MAP_WORD;
        const uint64_t before = _bzhi_u64(job->ranked[word], job->keys[k] % BP_MAP_WORD);
        job->keys[k] = job->ranks[word] + (uint32_t)_mm_popcnt_u64(before);
    }
}

static size_t x86_list_entries(const bp_entry_job *job) {
    const bp_entry_job own = *job; // what is written cannot have changed it
    const entry_lanes lanes = lanes_of_map(own.map);
    const bp_map_cells *cells = own.cells;
    size_t end = 0, ranked = 0;
    for (size_t i = 0; i < cells->count; i += 8) {
        const size_t stop = cells->count - i < 8 ? cells->count : i + 8;
        uint32_t sets[8];
        _mm256_storeu_si256((__m256i *)sets, wanted_of_eight(&own, i));
        for (size_t k = i; k < stop; ++k) {
            end = list_wanted(&own, &lanes, k, sets[k - i], end);
            if ((cells->reach[k] & ~(BP_REACH_USUAL | BP_REACH_OUTSIDE)) != 0) {
                rank_keys(&own, ranked, end);
                end = ranked = list_box(&own, cells->first[k], cells->reach[k], cells->id[k], end);
            }
        }
    }
    rank_keys(&own, ranked, end);
    return end;
}

enum { CELLS_AHEAD = 4 };

// ---- joins ----------------------------------------------------------------------------------------------------------

// Eight boxes of b against those of a from `begin` on.
static inline bp_pair *join_eight(const bp_join_job *job, const eight_boxes *boxes, __m256i items, size_t count,
                                  uint32_t begin, uint32_t end, bool flat, bp_pair *out) {
    const __m256i low = _mm256_set1_epi32((int)BP_CELL_ENTRY_ID), all = _mm256_set1_epi32(-1);
    const __m256i ids = _mm256_and_si256(items, low), begins = _mm256_or_si256(items, low);
    for (uint32_t i = begin; i < end; ++i) {
        const bp_box *box = &job->a.boxes[job->a.items[i] & BP_CELL_ENTRY_ID];
        const __m256i item = _mm256_set1_epi32((int)job->a.items[i]);
        const __m256 x = either_overlap(_mm256_broadcast_ss(&box->min[0]), _mm256_broadcast_ss(&box->max[0]),
                                        boxes->min[0], boxes->max[0]);
        const __m256 y = either_overlap(_mm256_broadcast_ss(&box->min[1]), _mm256_broadcast_ss(&box->max[1]),
                                        boxes->min[1], boxes->max[1]);
        const __m256i both = _mm256_or_si256(begins, item);
        __m256 hits = _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(both, all)), _mm256_and_ps(x, y));
        if (!flat) {
            hits = _mm256_and_ps(hits, either_overlap(_mm256_broadcast_ss(&box->min[2]),
                                                      _mm256_broadcast_ss(&box->max[2]), boxes->min[2], boxes->max[2]));
        }
        const vec_mask mask = vec_first((vec_mask)(unsigned)_mm256_movemask_ps(hits), count);
        out = vec_emit(out, mask, _mm256_and_si256(item, low), ids);
    }
    return out;
}

static inline bp_pair *join_cell(const bp_join_job *job, size_t cell, bool flat, bp_pair *out) {
    const uint32_t end = job->b.starts[cell + 1];
    for (uint32_t j = job->b.starts[cell]; j < end; j += 8) {
        const float *rows[8];
        uint32_t items[8];
        for (uint32_t k = 0; k < 8; ++k) {
            items[k] = job->b.items[j + k < end ? j + k : end - 1];
            rows[k] = job->b.boxes[items[k] & BP_CELL_ENTRY_ID].min;
        }
        const eight_boxes boxes = load_eight(rows);
        out = join_eight(job, &boxes, _mm256_loadu_si256((const __m256i *)items), end - j, job->a.starts[cell],
                         job->a.starts[cell + 1], flat, out);
    }
    return out;
}

// Boxes are anywhere in memory: those of a cell are prefetched while the cells before it are tested.
static inline void prefetch_entries(const bp_join_side *side, size_t cell) {
    for (uint32_t i = side->starts[cell]; i < side->starts[cell + 1]; ++i) {
        const bp_box *box = &side->boxes[side->items[i] & BP_CELL_ENTRY_ID];
        _mm_prefetch((const char *)box->min, _MM_HINT_T0);
        _mm_prefetch((const char *)(box->max + 2), _MM_HINT_T0);
    }
}

static size_t x86_join_cells(bp_join_job *job) {
    bp_pair *out = job->out;
    for (; job->first < job->end && join_fits(job, out, tests_of_cell(job, job->first)); ++job->first) {
        job->tests += tests_of_cell(job, job->first);
        if (job->first + CELLS_AHEAD < job->end) {
            prefetch_entries(&job->a, job->first + CELLS_AHEAD);
            prefetch_entries(&job->b, job->first + CELLS_AHEAD);
        }
        out = job->dimensions == 2 ? join_cell(job, job->first, true, out) : join_cell(job, job->first, false, out);
    }
    return (size_t)(out - job->out);
}

#endif
