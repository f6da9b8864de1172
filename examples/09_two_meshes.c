// Do two meshes run into each other, and where? 09_two_meshes A.obj B.obj: the second one is drawn away along x, step by
// step, until they are apart.
//
// One set of boxes is searched against another; pairs within a mesh are not looked for. Pairs of boxes are candidates: the
// triangles themselves decide.
#include "obj_mesh.h"

static void subtract(const float a[3], const float b[3], double difference[3]) {
    for (int axis = 0; axis < 3; ++axis) difference[axis] = (double)a[axis] - (double)b[axis];
}

// The volume of a tetrahedron, six times; its sign says on which side of the triangle a, b, c the point lies.
static double side(const float *a, const float *b, const float *c, const float *point) {
    double u[3], v[3], w[3];
    subtract(b, a, u);
    subtract(c, a, v);
    subtract(point, a, w);
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// Whether the edge from p to q goes through the triangle: its ends are on different sides, and it passes all three edges
// on the same side.
static int edge_crosses(const float *p, const float *q, const float *const t[3]) {
    if (side(t[0], t[1], t[2], p) * side(t[0], t[1], t[2], q) > 0) return 0;
    const double first = side(p, q, t[0], t[1]), second = side(p, q, t[1], t[2]), third = side(p, q, t[2], t[0]);
    return (first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0);
}

static int triangles_cross(const mesh *a, uint32_t i, const mesh *b, uint32_t k) {
    const float *s[3], *t[3];
    for (int corner = 0; corner < 3; ++corner) {
        s[corner] = a->vertex[a->triangle[i][corner]];
        t[corner] = b->vertex[b->triangle[k][corner]];
    }
    for (int corner = 0; corner < 3; ++corner) {
        if (edge_crosses(s[corner], s[(corner + 1) % 3], t) || edge_crosses(t[corner], t[(corner + 1) % 3], s))
            return 1;
    }
    return 0;
}

// The candidates among which the triangles that cross are.
static size_t find_candidates(const mesh *a, const mesh *b, bp_pairs *pairs) {
    bp_box *first = mesh_boxes(a), *second = mesh_boxes(b);
    const bp_status status = bp_find_pairs_between(first, a->triangle_count, second, b->triangle_count, NULL, pairs);
    free(first);
    free(second);
    if (status != BP_OK) exit(1);
    return pairs->count;
}

static size_t count_crossings(const mesh *a, const mesh *b, const bp_pairs *pairs) {
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; ++i) {
        if (triangles_cross(a, pairs->data[i].a, b, pairs->data[i].b)) ++count;
    }
    return count;
}

static size_t count_slowly(const mesh *a, const mesh *b) {
    size_t count = 0;
    for (uint32_t i = 0; i < a->triangle_count; ++i) {
        for (uint32_t k = 0; k < b->triangle_count; ++k) {
            if (triangles_cross(a, i, b, k)) ++count;
        }
    }
    return count;
}

int main(int argc, char **argv) {
    mesh a = {0}, b = {0};
    if (argc != 3 || !mesh_read(&a, argv[1]) || !mesh_read(&b, argv[2])) {
        fprintf(stderr, "usage: 09_two_meshes A.obj B.obj\n");
        return 1;
    }
    bp_pairs pairs = {0};
    int right = 1;
    for (int step = 0; step < 100 && find_candidates(&a, &b, &pairs) > 0; ++step) {
        const size_t crossings = count_crossings(&a, &b, &pairs);
        printf("step %d: %zu pairs of boxes, %zu of triangles\n", step, pairs.count, crossings);
        if (a.triangle_count < 2000 && b.triangle_count < 2000) right &= crossings == count_slowly(&a, &b);
        for (uint32_t i = 0; i < b.vertex_count; ++i) b.vertex[i][0] += 0.25f;
    }
    printf("%s\n", pairs.count ? "they still meet" : "they are apart");
    bp_pairs_free(&pairs, NULL);
    mesh_free(&a);
    mesh_free(&b);
    return right ? 0 : 1;
}
