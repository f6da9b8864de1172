#include "suites/locality.h"

#include "suites/tissue.h"

#include <random.h>

#include <math.h>
#include <stdlib.h>

enum { FINENESS = 2, CURVE_BITS = 21 };

const char *const locality_orders[LOCALITY_ORDERS] = {"mesh", "random", "z-curve"};

typedef struct keyed_box {
    uint64_t key, index;
    bp_box box;
} keyed_box;

static int by_key(const void *a, const void *b) {
    const keyed_box *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bp_box bounds_of(const bp_box *boxes, size_t count) {
    bp_box bounds = boxes[0];
    for (size_t i = 1; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            bounds.min[axis] = fminf(bounds.min[axis], boxes[i].min[axis]);
            bounds.max[axis] = fmaxf(bounds.max[axis], boxes[i].max[axis]);
        }
    return bounds;
}

// The bits of the three coordinates of the centre, in turn.
static uint64_t place_on_curve(const bp_box *box, const bp_box *bounds) {
    uint64_t key = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double extent = (double)bounds->max[axis] - (double)bounds->min[axis];
        const double centre = 0.5 * ((double)box->min[axis] + (double)box->max[axis]) - (double)bounds->min[axis];
        const uint64_t cell = (uint64_t)(centre / extent * ((1 << CURVE_BITS) - 1));
        for (int bit = 0; bit < CURVE_BITS; bit++) key |= (cell >> bit & 1) << (3 * bit + axis);
    }
    return key;
}

static bp_box *ordered_copy(const bp_box *boxes, size_t count, locality_order order) {
    keyed_box *keyed = malloc(count * sizeof *keyed);
    bp_box *copy = malloc(count * sizeof *copy);
    if (!keyed || !copy) abort();
    const bp_box bounds = bounds_of(boxes, count);
    rng random = rng_seeded(count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = order == LOCALITY_RANDOM  ? rng_next(&random)
                             : order == LOCALITY_CURVE ? place_on_curve(&boxes[i], &bounds)
                                                       : 0;
        keyed[i] = (keyed_box){.key = key, .index = i, .box = boxes[i]};
    }
    qsort(keyed, count, sizeof *keyed, by_key);
    for (size_t i = 0; i < count; i++) copy[i] = keyed[i].box;
    free(keyed);
    return copy;
}

locality_question locality_ask(locality_order order) {
    tissue *t = tissue_create("skull", FINENESS, 0);
    locality_question q = {.edge_count = tissue_count(t, TISSUE_EDGES),
                           .triangle_count = tissue_count(t, TISSUE_TRIANGLES),
                           .cell_size = (float)tissue_edge_length(t)};
    q.edges = ordered_copy(tissue_boxes(t, TISSUE_EDGES), q.edge_count, order);
    q.triangles = ordered_copy(tissue_boxes(t, TISSUE_TRIANGLES), q.triangle_count, order);
    tissue_destroy(t);
    return q;
}

void locality_free(locality_question *question) {
    free(question->edges);
    free(question->triangles);
    *question = (locality_question){0};
}
