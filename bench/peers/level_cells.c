// A yardstick of our own writing, made for levels of games and for nothing else: what a step of such a level may cost.
//
// Static boxes lie in cells of x and z, written once; a cell lists all that a mover which begins in it can touch, so a mover
// looks into one list. Movers are swept along x, in an order that is kept from step to step. Eight boxes are compared at once.
//
//     +----+----+
//     |   [mover+      begins in the left cell, whose list holds what overlaps [cell, cell + the largest mover)
//     +----+----+
#include "peers/world_peer.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WIDE __attribute__((target("avx")))
#endif

enum { SIDE = 24, CELLS = SIDE * SIDE, LANES = 8 };

typedef struct columns {
    float *coordinates[6]; // three minima, three maxima
    uint32_t *ids;
    size_t count, capacity;
} columns;

typedef struct level {
    bp_box *boxes;
    size_t count, static_count;
    float low[2], width[2], reach; // of the cells along x and z
    columns statics, movers;
    size_t begins[CELLS + 1]; // of the lists
    uint32_t *order;          // of the movers, by their min x
    bp_pairs pairs;
} level;

static void *grown(void *data, size_t count, size_t size) {
    void *more = realloc(data, count * size);
    if (!more) abort();
    return more;
}

// NULL: a box that overlaps nothing.
static void add(columns *to, const bp_box *box, uint32_t id) {
    if (to->count == to->capacity) {
        to->capacity = 2 * to->capacity + 64;
        for (int k = 0; k < 6; k++)
            to->coordinates[k] = grown(to->coordinates[k], to->capacity, sizeof *to->coordinates[k]);
        to->ids = grown(to->ids, to->capacity, sizeof *to->ids);
    }
    for (int k = 0; k < 3; k++) {
        to->coordinates[k][to->count] = box ? box->min[k] : INFINITY;
        to->coordinates[3 + k][to->count] = box ? box->max[k] : -INFINITY;
    }
    to->ids[to->count++] = id;
}

#ifdef WIDE

// A bit for each of the eight boxes from `at` on that overlaps.
WIDE static unsigned hits(const columns *of, size_t at, const bp_box *box) {
    __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int k = 0; k < 3; k++) {
        const __m256 low = _mm256_loadu_ps(of->coordinates[k] + at),
                     high = _mm256_loadu_ps(of->coordinates[3 + k] + at);
        all = _mm256_and_ps(all, _mm256_cmp_ps(low, _mm256_set1_ps(box->max[k]), _CMP_LE_OQ));
        all = _mm256_and_ps(all, _mm256_cmp_ps(high, _mm256_set1_ps(box->min[k]), _CMP_GE_OQ));
    }
    return (unsigned)_mm256_movemask_ps(all);
}

static bool is_able(void) {
    return __builtin_cpu_supports("avx");
}

#else
#define WIDE

static unsigned hits(const columns *of, size_t at, const bp_box *box) {
    unsigned all = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bool overlap = true;
        for (int k = 0; k < 3; k++)
            overlap &= (of->coordinates[k][at + i] <= box->max[k]) & (of->coordinates[3 + k][at + i] >= box->min[k]);
        all |= (unsigned)overlap << i;
    }
    return all;
}

static bool is_able(void) {
    return true;
}

#endif

// ---- cells ---------------------------------------------------------------------------------------------------------

static void measure(level *self) {
    for (int k = 0; k < 2; k++) {
        float high = -INFINITY;
        self->low[k] = INFINITY;
        for (size_t i = 0; i < self->static_count; i++) {
            self->low[k] = fminf(self->low[k], self->boxes[i].min[2 * k]);
            high = fmaxf(high, self->boxes[i].max[2 * k]);
        }
        self->width[k] = (high - self->low[k]) / SIDE * 1.0001f;
    }
    for (size_t i = self->static_count; i < self->count; i++)
        for (int k = 0; k < 3; k += 2) self->reach = fmaxf(self->reach, self->boxes[i].max[k] - self->boxes[i].min[k]);
    self->reach = 1.001f * self->reach + 0.001f; // the same size is rounded elsewhere by other bits
}

// The cells at the edge have no end.
static size_t cell_along(const level *self, int k, float coordinate) {
    const float cell = (coordinate - self->low[k]) / self->width[k];
    return cell < 1 ? 0 : cell >= SIDE - 1 ? SIDE - 1 : (size_t)cell;
}

// Rounding may put a mover into the next cell, hence the thousandth.
static bool is_within_reach(const level *self, int k, size_t cell, const bp_box *box) {
    const float begin = self->low[k] + ((float)cell - 0.001f) * self->width[k];
    const float end = self->low[k] + ((float)cell + 1.001f) * self->width[k] + self->reach;
    return (cell == 0 || box->max[2 * k] >= begin) && (cell == SIDE - 1 || box->min[2 * k] <= end);
}

static void fill_cells(level *self) {
    for (size_t cell = 0; cell < CELLS; cell++) {
        self->begins[cell] = self->statics.count;
        for (uint32_t i = 0; i < self->static_count; i++)
            if (is_within_reach(self, 0, cell % SIDE, &self->boxes[i]) &&
                is_within_reach(self, 1, cell / SIDE, &self->boxes[i]))
                add(&self->statics, &self->boxes[i], i);
        while (self->statics.count % LANES) add(&self->statics, NULL, 0);
    }
    self->begins[CELLS] = self->statics.count;
}

static void *create(const bp_box *boxes, size_t count, size_t static_count) {
    level *self = calloc(1, sizeof *self);
    if (!self || !is_able() || !static_count) {
        free(self);
        return NULL;
    }
    self->count = count;
    self->static_count = static_count;
    self->boxes = memcpy(grown(NULL, count, sizeof *boxes), boxes, count * sizeof *boxes);
    self->order = grown(NULL, count - static_count + 1, sizeof *self->order);
    for (size_t i = static_count; i < count; i++) self->order[i - static_count] = (uint32_t)i;
    measure(self);
    fill_cells(self);
    return self;
}

static void free_columns(columns *of) {
    for (int k = 0; k < 6; k++) free(of->coordinates[k]);
    free(of->ids);
}

static void destroy(void *state) {
    level *self = state;
    free_columns(&self->statics);
    free_columns(&self->movers);
    free(self->boxes);
    free(self->order);
    free(self->pairs.data);
    free(self);
}

// ---- a step --------------------------------------------------------------------------------------------------------

static void move(void *state, const bp_id *ids, const bp_box *boxes, size_t count) {
    level *self = state;
    for (size_t i = 0; i < count; i++) self->boxes[ids ? ids[i] : i] = boxes[i];
}

// By insertion: little changes from step to step.
static void sort_movers(level *self) {
    const size_t count = self->count - self->static_count;
    for (size_t i = 1; i < count; i++) {
        const uint32_t id = self->order[i];
        const float x = self->boxes[id].min[0];
        size_t at = i;
        for (; at && self->boxes[self->order[at - 1]].min[0] > x; at--) self->order[at] = self->order[at - 1];
        self->order[at] = id;
    }
    self->movers.count = 0;
    for (size_t i = 0; i < count; i++) add(&self->movers, &self->boxes[self->order[i]], self->order[i]);
    for (size_t i = 0; i <= LANES; i++) add(&self->movers, NULL, 0);
}

static void take(level *self, uint32_t id, const uint32_t *others, unsigned found) {
    for (; found; found &= found - 1) bench_push(&self->pairs, id, others[__builtin_ctz(found)]);
}

WIDE static void update(void *state) {
    level *self = state;
    const columns *statics = &self->statics, *movers = &self->movers;
    self->pairs.count = 0;
    sort_movers(self);
    for (size_t i = 0; i < self->count - self->static_count; i++) {
        const uint32_t id = self->order[i];
        const bp_box box = self->boxes[id];
        const size_t cell = cell_along(self, 1, box.min[2]) * SIDE + cell_along(self, 0, box.min[0]);
        for (size_t k = self->begins[cell]; k < self->begins[cell + 1]; k += LANES)
            take(self, id, statics->ids + k, hits(statics, k, &box));
        for (size_t k = i + 1; movers->coordinates[0][k] <= box.max[0]; k += LANES)
            take(self, id, movers->ids + k, hits(movers, k, &box));
    }
}

static void pairs(const void *state, bp_pairs *to, bp_pairs *stale) {
    const level *self = state;
    (void)stale;
    for (size_t i = 0; i < self->pairs.count; i++) bench_push(to, self->pairs.data[i].a, self->pairs.data[i].b);
}

const bench_world_peer level_cells_worlds[] = {
    {.who = "textbook",
     .method = "level-cells",
     .note = "statics in cells of x and z, movers swept; written for levels",
     .keeps_statics = true,
     .create = create,
     .move = move,
     .replace = move,
     .update = update,
     .pairs = pairs,
     .destroy = destroy},
    {.who = NULL},
};
