// The table that Zhyhallo and Wozna-Szczesniak start from, and compare with: C. Pozzer et al., "A Hash Table Construction
// Algorithm for Spatial Hashing Based on Linear Memory", 2014, as they describe it.
//
//     pivots   | count, initial, final | ...        one for each of the T x T cells of the scene: 12 bytes
//     data     | a b | c | d e f | ...              the objects, cell by cell
//
//   0. clear    the pivots
//   1. count    for each object, at its cell's pivot
//   2. offsets  for each pivot, from the first to the last
//   3. place    each object where its pivot says
//
// One thread, a cell of size 1. T is that of the scene, a multiple of 2,048 as in that paper; objects that reach out of the
// scene a little are in its last cells.
#include "peers/flat_cells.h"

#include <string.h>

enum { CELLS_STEP = 2048 };

typedef struct pivot {
    uint32_t count, initial, final;
} pivot;

typedef struct placed {
    bp_box box;
    uint32_t id;
} placed;

typedef struct pozzer_table {
    size_t count;
    int32_t edge; // T
    pivot *pivots;
    placed *data;
    const bp_box *boxes;
} pozzer_table;

static int32_t clamp_cell(const pozzer_table *t, float coordinate) {
    const int32_t cell = flat_cell(coordinate);
    return cell < 0 ? 0 : cell < t->edge ? cell : t->edge - 1;
}

static pivot *pivot_of(const pozzer_table *t, const bp_box *box) {
    return &t->pivots[(size_t)clamp_cell(t, box->min[1]) * (size_t)t->edge + (size_t)clamp_cell(t, box->min[0])];
}

static void pozzer_destroy(void *state) {
    pozzer_table *t = state;
    free(t->pivots);
    free(t->data);
    free(t);
}

static void *pozzer_create(size_t count, const bp_box *boxes) {
    pozzer_table *t = calloc(1, sizeof *t);
    float farthest = 0;
    if (!t) return NULL;
    for (size_t i = 0; i < count; i++) farthest = fmaxf(farthest, fmaxf(boxes[i].max[0], boxes[i].max[1]));
    t->count = count;
    t->edge = (int32_t)roundf(fminf(farthest, 1e5f) / CELLS_STEP) * CELLS_STEP;
    if (t->edge == 0) t->edge = CELLS_STEP;
    t->pivots = malloc((size_t)t->edge * (size_t)t->edge * sizeof *t->pivots);
    t->data = malloc((count + 1) * sizeof *t->data);
    if (t->pivots && t->data) return t;
    pozzer_destroy(t);
    return NULL;
}

static void pozzer_update(void *state, const bp_box *boxes) {
    pozzer_table *t = state;
    const size_t cells = (size_t)t->edge * (size_t)t->edge;
    uint32_t offset = 0;
    t->boxes = boxes;
    memset(t->pivots, 0, cells * sizeof *t->pivots);
    for (size_t i = 0; i < t->count; i++) pivot_of(t, &boxes[i])->count++;
    for (size_t i = 0; i < cells; i++) {
        t->pivots[i].initial = t->pivots[i].final = offset;
        offset += t->pivots[i].count;
    }
    for (size_t i = 0; i < t->count; i++)
        t->data[pivot_of(t, &boxes[i])->final++] = (placed){.box = boxes[i], .id = (uint32_t)i};
}

// The objects of a row of cells follow one another.
static void find_in_row(const pozzer_table *t, uint32_t id, int32_t y, int32_t first, int32_t last, bp_pairs *pairs) {
    const pivot *row = &t->pivots[(size_t)y * (size_t)t->edge];
    for (uint32_t k = row[first].initial; k < row[last].final; k++)
        if (id < t->data[k].id && bench_overlap(&t->boxes[id], &t->data[k].box)) bench_push(pairs, id, t->data[k].id);
}

static void pozzer_find(void *state, bp_pairs *pairs) {
    const pozzer_table *t = state;
    const float reach = flat_reach(t->boxes, t->count);
    for (size_t i = 0; i < t->count; i++) {
        const bp_box *box = &t->boxes[i];
        const int32_t first = clamp_cell(t, box->min[0] - reach), last = clamp_cell(t, box->max[0]);
        for (int32_t y = clamp_cell(t, box->min[1] - reach); y <= clamp_cell(t, box->max[1]); y++)
            find_in_row(t, (uint32_t)i, y, first, last, pairs);
    }
}

static size_t pozzer_bytes(const void *state) {
    const pozzer_table *t = state;
    return sizeof *t + (size_t)t->edge * (size_t)t->edge * sizeof *t->pivots + t->count * sizeof *t->data;
}

const bench_peer pozzer_peers[] = {
    {.who = "pozzer",
     .method = "table",
     .note = "pivots of T x T cells in three steps, one thread",
     .kind = BENCH_HASH,
     .exact = true,
     .named_only = true,
     .create = pozzer_create,
     .update = pozzer_update,
     .find = pozzer_find,
     .destroy = pozzer_destroy,
     .bytes = pozzer_bytes},
    {0},
};
