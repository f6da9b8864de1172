// Points against tetrahedra: the boxes find candidates, an exact test decides, as in deformable simulation.
#include <broadphase/broadphase.h>
#include <math.h>
#include <stdio.h>

enum { EDGE = 8, CUBES = EDGE * EDGE * EDGE, TETRAHEDRA = 6 * CUBES, POINTS = 20000 };

typedef struct tetrahedron {
    float corner[4][3];
} tetrahedron;

// Each cube of a block is cut into six: from its lowest corner to its highest, one axis after the other, in six orders.
static void cut(tetrahedron *tetrahedra) {
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < TETRAHEDRA; ++i) {
        const int cube = i / 6, *axes = order[i % 6];
        float here[3] = {(float)(cube % EDGE), (float)(cube / EDGE % EDGE), (float)(cube / EDGE / EDGE)};
        for (int corner = 0; corner < 4; ++corner) {
            for (int axis = 0; axis < 3; ++axis) tetrahedra[i].corner[corner][axis] = here[axis];
            if (corner < 3) here[axes[corner]] += 1.0f;
        }
    }
}

static bp_box box_of(const float *points, int count) { // x, y, z, one point after the other
    bp_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = fminf(box.min[axis], points[3 * i + axis]);
            box.max[axis] = fmaxf(box.max[axis], points[3 * i + axis]);
        }
    }
    return box;
}

// On which side of the plane through a, b and c the point d lies: > 0, < 0, or 0 on it.
static double side(const float *a, const float *b, const float *c, const float *d) {
    double u[3], v[3], w[3];
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = (double)b[axis] - (double)a[axis];
        v[axis] = (double)c[axis] - (double)a[axis];
        w[axis] = (double)d[axis] - (double)a[axis];
    }
    return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
}

// Inside, or on the surface: for each face, the point is on the side of the fourth corner, or on the face.
static int is_inside(const float *point, const tetrahedron *t) {
    for (int i = 0; i < 4; ++i) {
        const float *a = t->corner[(i + 1) % 4], *b = t->corner[(i + 2) % 4], *c = t->corner[(i + 3) % 4];
        if (side(a, b, c, point) * side(a, b, c, t->corner[i]) < 0.0) return 0;
    }
    return 1;
}

int main(void) {
    static tetrahedron tetrahedra[TETRAHEDRA];
    static float points[POINTS][3];
    static bp_box tetrahedron_boxes[TETRAHEDRA], point_boxes[POINTS];
    static int holders[POINTS]; // how many tetrahedra hold each point
    cut(tetrahedra);
    for (int i = 0; i < TETRAHEDRA; ++i) tetrahedron_boxes[i] = box_of(tetrahedra[i].corner[0], 4);
    uint32_t random = 1;
    for (int i = 0; i < 3 * POINTS; ++i) { // multiples of 1/256: so the test above is exact
        random = random * 1664525u + 1013904223u;
        points[i / 3][i % 3] = (float)(random >> 8) / 16777216.0f * EDGE;
        points[i / 3][i % 3] = floorf(points[i / 3][i % 3] * 256.0f) / 256.0f;
    }
    for (int i = 0; i < POINTS; ++i) point_boxes[i] = box_of(points[i], 1); // a box may be a point

    bp_pairs pairs = {0};
    const bp_status status = bp_find_pairs_between(point_boxes, POINTS, tetrahedron_boxes, TETRAHEDRA, NULL, &pairs);
    if (status != BP_OK) return 1;
    for (size_t i = 0; i < pairs.count; ++i) { // a: a point; b: a tetrahedron
        holders[pairs.data[i].a] += is_inside(points[pairs.data[i].a], &tetrahedra[pairs.data[i].b]);
    }
    int outside = 0, in_one = 0;
    for (int i = 0; i < POINTS; ++i) {
        outside += holders[i] == 0;
        in_one += holders[i] == 1;
    }
    printf("%d points, %d tetrahedra: %zu candidates; %d points are in one, %d on faces between several, %d outside\n",
           POINTS, TETRAHEDRA, pairs.count, in_one, POINTS - in_one - outside, outside);
    bp_pairs_free(&pairs, NULL);
    return outside == 0 ? 0 : 1; // the tetrahedra fill the block
}
