#include "suites/narrow.h"

#include <stdlib.h>

#ifdef BENCH_WITH_CCD
#include <ccd/ccd.h>

bool narrow_is_built(void) {
    return true;
}

static void support(const void *shape, const ccd_vec3_t *direction, ccd_vec3_t *point) {
    const double from[3] = {(double)direction->v[0], (double)direction->v[1], (double)direction->v[2]};
    double to[3];
    convex_support(shape, from, to);
    ccdVec3Set(point, (ccd_real_t)to[0], (ccd_real_t)to[1], (ccd_real_t)to[2]);
}

bool convex_meet(const convex *a, const convex *b) {
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.max_iterations = 200; // round shapes that just touch would go on for ever
    return ccdGJKIntersect(a, b, &ccd) != 0;
}
#else
bool narrow_is_built(void) {
    return false;
}

bool convex_meet(const convex *a, const convex *b) {
    (void)a, (void)b;
    return false;
}
#endif

// ---- objects -------------------------------------------------------------------------------------------------------

// Objects have the parts one after the other: those of object i are first[i] .. first[i + 1].
struct narrow {
    size_t count;
    size_t *first;
    convex *parts;
    double (*offsets)[3]; // of a part's centre from that of its box
    double *reaches;      // convex_reach
};

static void box_center(const bp_box *box, double center[3]) {
    for (int k = 0; k < 3; k++) center[k] = 0.5 * ((double)box->min[k] + (double)box->max[k]);
}

static void add_object(narrow *self, size_t object, const convex *parts, size_t count, const bp_box *box) {
    double center[3];
    box_center(box, center);
    for (size_t i = 0; i < count; i++) {
        const size_t at = self->first[object] + i;
        self->parts[at] = parts[i];
        self->reaches[at] = convex_reach(&parts[i]);
        for (int k = 0; k < 3; k++) self->offsets[at][k] = parts[i].center[k] - center[k];
    }
    self->first[object + 1] = self->first[object] + count;
}

narrow *narrow_create(shape_kind kind, double alpha, double beta, const bp_box *boxes, size_t count) {
    const size_t part_count = count * (kind == SHAPE_COMPOUND ? COMPOUND_PARTS : 1);
    narrow *self = calloc(1, sizeof *self);
    if (!self) abort();
    self->count = count;
    self->first = calloc(count + 1, sizeof *self->first);
    self->parts = calloc(part_count + 1, sizeof *self->parts);
    self->offsets = calloc(part_count + 1, sizeof *self->offsets);
    self->reaches = calloc(part_count + 1, sizeof *self->reaches);
    if (!self->first || !self->parts || !self->offsets || !self->reaches) abort();
    beta_distribution sizes;
    beta_prepare(&sizes, alpha, beta);
    rng random = rng_seeded(1);
    for (size_t i = 0; i < count; i++) {
        convex parts[MAX_PARTS];
        const size_t own_count = shape_draw(kind, &sizes, &random, parts);
        shape_fit(parts, own_count, &boxes[i]);
        add_object(self, i, parts, own_count, &boxes[i]);
    }
    return self;
}

void narrow_destroy(narrow *self) {
    if (!self) return;
    free(self->first);
    free(self->parts);
    free(self->offsets);
    free(self->reaches);
    free(self);
}

void narrow_move(narrow *self, const bp_box *boxes) {
    for (size_t object = 0; object < self->count; object++) {
        double center[3];
        box_center(&boxes[object], center);
        for (size_t i = self->first[object]; i < self->first[object + 1]; i++)
            for (int k = 0; k < 3; k++) self->parts[i].center[k] = center[k] + self->offsets[i][k];
    }
}

const convex *narrow_parts(const narrow *self, uint32_t object, size_t *count) {
    *count = self->first[object + 1] - self->first[object];
    return &self->parts[self->first[object]];
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

static bool spheres_meet(const narrow *self, size_t i, size_t j) {
    const double reach = self->reaches[i] + self->reaches[j];
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double difference = self->parts[i].center[k] - self->parts[j].center[k];
        square += difference * difference;
    }
    return square <= reach * reach;
}

static bool objects_meet(const narrow *self, bp_pair pair) {
    for (size_t i = self->first[pair.a]; i < self->first[pair.a + 1]; i++)
        for (size_t j = self->first[pair.b]; j < self->first[pair.b + 1]; j++)
            if (spheres_meet(self, i, j) && convex_meet(&self->parts[i], &self->parts[j])) return true;
    return false;
}

void narrow_find(const narrow *self, const bp_pairs *pairs, bp_pairs *met) {
    met->count = 0;
    for (size_t i = 0; i < pairs->count; i++)
        if (objects_meet(self, pairs->data[i])) bench_push(met, pairs->data[i].a, pairs->data[i].b);
}
