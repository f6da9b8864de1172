#include "suites/collisions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 2048 };

static void subtract(const double a[3], const double b[3], double result[3]) {
    for (int axis = 0; axis < 3; axis++) result[axis] = a[axis] - b[axis];
}

// Six times the volume of the tetrahedron that three vectors span.
static double volume_of(const double a[3], const double b[3], const double c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static bool share_point(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    bool shared = false;
    for (size_t i = 0; i < a_count; i++)
        for (size_t k = 0; k < b_count; k++) shared = shared || a[i] == b[k];
    return shared;
}

static bool point_in_tetrahedron(const tissue *t, uint32_t point, const uint32_t corners[4], float where[3]) {
    double p[3], edges[3][3];
    const double *origin = tissue_place(t, corners[0]);
    subtract(tissue_place(t, point), origin, p);
    for (int i = 0; i < 3; i++) subtract(tissue_place(t, corners[i + 1]), origin, edges[i]);
    const double volume = volume_of(edges[0], edges[1], edges[2]);
    const double u = volume_of(p, edges[1], edges[2]) / volume, v = volume_of(edges[0], p, edges[2]) / volume,
                 w = volume_of(edges[0], edges[1], p) / volume;
    where[0] = (float)u, where[1] = (float)v, where[2] = (float)w;
    return u >= 0 && v >= 0 && w >= 0 && u + v + w <= 1;
}

// Where a + s (b - a) = origin + u e0 + v e1.
static bool edge_through_triangle(const tissue *t, const uint32_t edge[2], const uint32_t corners[3], float where[3]) {
    double back[3], from[3], sides[2][3];
    const double *origin = tissue_place(t, corners[0]), *a = tissue_place(t, edge[0]);
    subtract(a, tissue_place(t, edge[1]), back);
    subtract(a, origin, from);
    for (int i = 0; i < 2; i++) subtract(tissue_place(t, corners[i + 1]), origin, sides[i]);
    const double volume = volume_of(back, sides[0], sides[1]);
    const double s = volume_of(from, sides[0], sides[1]) / volume, u = volume_of(back, from, sides[1]) / volume,
                 v = volume_of(back, sides[0], from) / volume;
    where[0] = (float)s, where[1] = (float)u, where[2] = (float)v;
    return s >= 0 && s <= 1 && u >= 0 && v >= 0 && u + v <= 1;
}

// Volumes of 0 give no number, and no comparison with that holds.
static bool collides(const collision_question *q, bp_pair pair, float where[3]) {
    const bool turned = q->first == TISSUE_POINTS || q->first == TISSUE_TRIANGLES; // the smaller kind is asked about
    const tissue_part solid = turned ? q->second : q->first, other = turned ? q->first : q->second;
    const uint32_t *s = tissue_corners(q->tissue, solid, turned ? pair.b : pair.a);
    const uint32_t *o = tissue_corners(q->tissue, other, turned ? pair.a : pair.b);
    if (solid == TISSUE_TETRAHEDRA) return !share_point(o, 1, s, 4) && point_in_tetrahedron(q->tissue, *o, s, where);
    return !share_point(s, 2, o, 3) && edge_through_triangle(q->tissue, s, o, where);
}

typedef struct job {
    const collision_question *question;
    const bp_pair *pairs;
    size_t count;
    collision_list *list;
} job;

// A block of pairs writes to the places of these pairs.
static void test_block(void *context, size_t block) {
    const job *j = context;
    const size_t begin = block * BLOCK, end = begin + BLOCK < j->count ? begin + BLOCK : j->count;
    size_t next = begin;
    for (size_t i = begin; i < end; i++) {
        collision found = {.a = j->pairs[i].a, .b = j->pairs[i].b};
        if (collides(j->question, j->pairs[i], found.where)) j->list->data[next++] = found;
    }
    j->list->counts[block] = next - begin;
}

static void *grown(void *data, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) return data;
    *capacity = count + count / 4;
    data = realloc(data, *capacity * size);
    if (!data) abort();
    return data;
}

void collisions_find(const collision_question *question, const bp_pair *pairs, size_t count, const bp_executor *workers,
                     collision_list *list) {
    const size_t blocks = (count + BLOCK - 1) / BLOCK;
    job j = {.question = question, .pairs = pairs, .count = count, .list = list};
    list->data = grown(list->data, &list->capacity, count, sizeof *list->data);
    list->counts = grown(list->counts, &list->block_capacity, blocks, sizeof *list->counts);
    if (workers->run)
        workers->run(workers->context, test_block, &j, blocks);
    else
        for (size_t block = 0; block < blocks; block++) test_block(&j, block);
    list->count = 0;
    for (size_t block = 0; block < blocks; block++) {
        memmove(&list->data[list->count], &list->data[block * BLOCK], list->counts[block] * sizeof *list->data);
        list->count += list->counts[block];
    }
}

void collisions_free(collision_list *list) {
    free(list->data);
    free(list->counts);
    *list = (collision_list){0};
}
