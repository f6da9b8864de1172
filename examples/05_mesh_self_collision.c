// Does a mesh run into itself? A mesh from a file (05_mesh_self_collision FILE.obj), or a sheet that is rolled into a tube
// of one and a quarter turns, so that its ends overlap.
//
// Neighbouring triangles share vertices and always touch: the filter leaves them out where pairs are found, and they
// never reach the list.
#include "obj_mesh.h"

enum { LONG = 100, WIDE = 20 };

static void roll(mesh *m) {
    *m = (mesh){0};
    for (uint32_t i = 0; i < (LONG + 1) * (WIDE + 1); ++i) {
        const double angle = 2.5 * 3.14159265358979 * (i / (WIDE + 1)) / LONG;
        add_vertex(m, (float)cos(angle), (float)sin(angle), 0.07f * (float)(i % (WIDE + 1)));
    }
    for (uint32_t i = 0; i < LONG * WIDE; ++i) { // each square is cut into two triangles
        const uint32_t corner = i / WIDE * (WIDE + 1) + i % WIDE, across = corner + WIDE + 1;
        add_triangle(m, corner, corner + 1, across);
        add_triangle(m, across + 1, across, corner + 1);
    }
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
    for (uint32_t a = 0; a < m->triangle_count; ++a) {
        for (uint32_t b = a + 1; b < m->triangle_count; ++b) {
            int overlap = 1;
            for (int axis = 0; axis < 3; ++axis) {
                overlap &= boxes[a].min[axis] <= boxes[b].max[axis] && boxes[b].min[axis] <= boxes[a].max[axis];
            }
            count += overlap && share_no_vertex(m, a, b);
        }
    }
    return count;
}

int main(int argc, char **argv) {
    mesh m;
    if (argc < 2) {
        roll(&m);
    } else if (!mesh_read(&m, argv[1])) {
        return 1;
    }
    bp_box *boxes = mesh_boxes(&m);
    bp_pairs all = {0}, wanted = {0};
    const bp_config config = {.filter = {.pass = share_no_vertex, .context = &m}};
    const bp_status status = bp_find_pairs(boxes, m.triangle_count, &config, &wanted);
    if (status != BP_OK || bp_find_pairs(boxes, m.triangle_count, NULL, &all) != BP_OK) return 1;

    printf("%u triangles: %zu pairs of boxes, %zu without common vertices\n", m.triangle_count, all.count,
           wanted.count);
    // Slow, so only for small meshes. Those of the tube are where its ends overlap.
    const int right = m.triangle_count > 20000 || wanted.count == count_slowly(&m, boxes);
    bp_pairs_free(&all, &config);
    bp_pairs_free(&wanted, &config);
    free(boxes);
    mesh_free(&m);
    return right ? 0 : 1;
}
