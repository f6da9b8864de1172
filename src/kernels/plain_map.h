// The kernels of cell maps (base/cell_map.h) and of joins over them, in plain C.
#ifndef BP_PLAIN_MAP_H
#define BP_PLAIN_MAP_H

#include "base/boxes.h"
#include "kernels/kernels.h"

static inline size_t plain_cut_boxes(const bp_box *boxes, size_t begin, size_t end, const bp_box *limits,
                                     uint32_t dimensions, uint32_t *ids) {
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        ids[count] = (uint32_t)i;
        count += bp_boxes_overlap_branchless(&boxes[i], limits, dimensions);
    }
    return count;
}

// ---- the cells of boxes ---------------------------------------------------------------------------------------------

static inline void cells_of_box(const bp_cell_map *map, const bp_box *box, uint32_t *first, uint32_t *reach) {
    const uint32_t distances[3] = {1, map->row, map->plane};
    *first = 0;
    *reach = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t low = bp_map_cell_along(map, axis, box->min[axis]);
        const uint32_t more = bp_map_cell_along(map, axis, box->max[axis]) - low;
        *first += low * distances[axis];
        *reach |= (more < BP_MAP_ROWS_MOST ? more : BP_MAP_ROWS_MOST) << 8 * axis;
        *reach |= (uint32_t)axis < map->dimensions && box->max[axis] - box->min[axis] > map->large ? BP_REACH_LARGE : 0;
    }
}

static inline void extend_hull(bp_box *hull, const bp_box *box) {
    for (int axis = 0; axis < 3; ++axis) {
        hull->min[axis] = bp_smaller(box->min[axis], hull->min[axis]);
        hull->max[axis] = bp_larger(box->max[axis], hull->max[axis]);
    }
}

static inline uint32_t plain_map_cells(const bp_cell_map *map, const bp_box_list *list, size_t begin,
                                       const bp_box *limits, bp_map_cells *cells, bp_box *hull) {
    uint32_t all = 0;
    for (size_t i = 0; i < cells->count; ++i) {
        const uint32_t id = bp_box_list_id(list, begin + i);
        const bp_box *box = &list->boxes[id];
        cells->id[i] = id;
        cells_of_box(map, box, &cells->first[i], &cells->reach[i]);
        if (limits != NULL && !bp_boxes_overlap_branchless(box, limits, map->dimensions)) {
            cells->reach[i] = BP_REACH_OUTSIDE;
        } else if (limits == NULL) {
            extend_hull(hull, box);
        }
        all |= cells->reach[i];
    }
    return all;
}

// ---- entries --------------------------------------------------------------------------------------------------------

static inline uint32_t rank_of_cell(const bp_entry_job *job, size_t cell) {
    const uint64_t before = job->ranked[cell / BP_MAP_WORD] & (((uint64_t)1 << cell % BP_MAP_WORD) - 1);
    return job->ranks[cell / BP_MAP_WORD] + bp_count_bits(before);
}

// Entries of one box in a row of cells.
static inline size_t list_row(const bp_entry_job *job, size_t cell, size_t count, uint32_t id, uint32_t begins,
                              size_t end) {
    for (size_t x = 0; x < count; ++x) {
        const uint64_t left = job->wanted[(cell + x) / BP_MAP_WORD] >> (cell + x) % BP_MAP_WORD;
        if (left == 0) {
            x += BP_MAP_WORD - 1 - (cell + x) % BP_MAP_WORD; // nothing in the rest of the word
        } else if ((left & 1) != 0) {
            job->keys[end] = rank_of_cell(job, cell + x);
            job->items[end++] = id | (begins | (uint32_t)(x == 0)) << BP_CELL_ENTRY_SHIFT;
        }
    }
    return end;
}

// Entries of one box, of any reach.
static inline size_t list_box(const bp_entry_job *job, uint32_t first, uint32_t reach, uint32_t id, size_t end) {
    for (uint32_t z = 0; z <= (reach >> 16 & 255u); ++z) {
        for (uint32_t y = 0; y <= (reach >> 8 & 255u); ++y) {
            const uint32_t begins = (uint32_t)(y == 0) << 1 | (uint32_t)(z == 0) << 2;
            end = list_row(job, (size_t)first + (size_t)y * job->map->row + (size_t)z * job->map->plane,
                           (reach & 255u) + 1, id, begins, end);
        }
    }
    return end;
}

static inline size_t plain_list_entries(const bp_entry_job *job) {
    const bp_map_cells *cells = job->cells;
    size_t end = 0;
    for (size_t i = 0; i < cells->count; ++i) {
        if (cells->reach[i] != BP_REACH_OUTSIDE) {
            end = list_box(job, cells->first[i], cells->reach[i], cells->id[i], end);
        }
    }
    return end;
}

// ---- joins ----------------------------------------------------------------------------------------------------------

static inline bool join_fits(const bp_join_job *job, const bp_pair *out, size_t tests) {
    return (size_t)(job->out + job->room - out) >= tests + BP_COLUMN_PADDING;
}

static inline size_t tests_of_cell(const bp_join_job *job, size_t cell) {
    const uint32_t *a = job->a.starts + cell, *b = job->b.starts + cell;
    return (size_t)(a[1] - a[0]) * (b[1] - b[0]);
}

// One box of a against eight of b or fewer.
static inline bp_pair *join_group(const bp_join_job *job, uint32_t a, const uint32_t *items, size_t count,
                                  bp_pair *out) {
    const bp_box *box = &job->a.boxes[a & BP_CELL_ENTRY_ID];
    for (size_t k = 0; k < count; ++k) {
        const uint32_t b = items[k] & BP_CELL_ENTRY_ID;
        const bool begins = ((a | items[k]) | BP_CELL_ENTRY_ID) == UINT32_MAX;
        *out = (bp_pair){.a = a & BP_CELL_ENTRY_ID, .b = b};
        out += begins & bp_boxes_overlap_branchless(box, &job->b.boxes[b], job->dimensions);
    }
    return out;
}

static inline size_t plain_join_cells(bp_join_job *job) {
    bp_pair *out = job->out;
    for (; job->first < job->end && join_fits(job, out, tests_of_cell(job, job->first)); ++job->first) {
        const size_t cell = job->first;
        const uint32_t end = job->b.starts[cell + 1];
        job->tests += tests_of_cell(job, cell);
        for (uint32_t j = job->b.starts[cell]; j < end; j += BP_FIRST) {
            for (uint32_t i = job->a.starts[cell]; i < job->a.starts[cell + 1]; ++i) {
                out = join_group(job, job->a.items[i], job->b.items + j, end - j < BP_FIRST ? end - j : BP_FIRST, out);
            }
        }
    }
    return (size_t)(out - job->out);
}

#endif
