// Does a mesh run into itself? A sheet is rolled into a tube of one and a quarter turns, so its ends overlap.
//
// Neighbouring triangles share vertices and always touch: the filter leaves them out where pairs are found, and they
// never reach the list.
#include <broadphase/broadphase.h>
#include <math.h>
#include <stdio.h>

enum { LONG = 100, WIDE = 20, VERTICES = (LONG + 1) * (WIDE + 1), TRIANGLES = 2 * LONG * WIDE };

typedef struct mesh {
    float vertex[VERTICES][3];
    uint32_t triangle[TRIANGLES][3];
} mesh;

static void roll(mesh *m) {
    for (int i = 0; i < VERTICES; ++i) {
        const double angle = 2.5 * 3.14159265358979 * (i / (WIDE + 1)) / LONG;
        m->vertex[i][0] = (float)cos(angle);
        m->vertex[i][1] = (float)sin(angle);
        m->vertex[i][2] = 0.07f * (float)(i % (WIDE + 1));
    }
    for (uint32_t i = 0; i < LONG * WIDE; ++i) { // each square is cut into two triangles
        const uint32_t corner = i / WIDE * (WIDE + 1) + i % WIDE, across = corner + WIDE + 1;
        const uint32_t squares[2][3] = {{corner, corner + 1, across}, {across + 1, across, corner + 1}};
        for (uint32_t k = 0; k < 6; ++k) m->triangle[2 * i + k / 3][k % 3] = squares[k / 3][k % 3];
    }
}

static bp_box box_of(const mesh *m, uint32_t triangle) {
    bp_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int corner = 0; corner < 3; ++corner) {
        const float *v = m->vertex[m->triangle[triangle][corner]];
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = fminf(box.min[axis], v[axis]);
            box.max[axis] = fmaxf(box.max[axis], v[axis]);
        }
    }
    return box;
}

// The filter: may be called from several threads at once, so it only reads.
static int share_no_vertex(void *context, uint32_t a, uint32_t b) {
    const mesh *m = context;
    for (int i = 0; i < 9; ++i) {
        if (m->triangle[a][i / 3] == m->triangle[b][i % 3]) return 0;
    }
    return 1;
}

// Every pair by the definition, to compare.
static size_t count_slowly(mesh *m, const bp_box *boxes) {
    size_t count = 0;
    for (uint32_t a = 0; a < TRIANGLES; ++a) {
        for (uint32_t b = a + 1; b < TRIANGLES; ++b) {
            int overlap = 1;
            for (int axis = 0; axis < 3; ++axis) {
                overlap &= boxes[a].min[axis] <= boxes[b].max[axis] && boxes[b].min[axis] <= boxes[a].max[axis];
            }
            count += overlap && share_no_vertex(m, a, b);
        }
    }
    return count;
}

int main(void) {
    static mesh m;
    static bp_box boxes[TRIANGLES];
    roll(&m);
    for (uint32_t i = 0; i < TRIANGLES; ++i) boxes[i] = box_of(&m, i);

    bp_pairs all = {0}, wanted = {0};
    const bp_config config = {.filter = {.pass = share_no_vertex, .context = &m}};
    const bp_status status = bp_find_pairs(boxes, TRIANGLES, &config, &wanted);
    if (status != BP_OK || bp_find_pairs(boxes, TRIANGLES, NULL, &all) != BP_OK) return 1;

    size_t far_apart = 0; // along the sheet: these are the ends that overlap
    for (size_t i = 0; i < wanted.count; ++i) far_apart += wanted.data[i].b - wanted.data[i].a > TRIANGLES / 2;
    printf("%d triangles: %zu pairs of boxes, %zu without common vertices, %zu of them where the ends overlap\n",
           TRIANGLES, all.count, wanted.count, far_apart);
    const int right = wanted.count == count_slowly(&m, boxes) && far_apart > 0;
    bp_pairs_free(&all, &config);
    bp_pairs_free(&wanted, &config);
    return right ? 0 : 1;
}
