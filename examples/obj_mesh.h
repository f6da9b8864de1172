// A mesh from an OBJ file, for the examples: vertices, and faces cut into triangles. It reads what most programs write; the
// tool (`broadphase pairs a.obj b.ply`) reads more, and says what is wrong.
#ifndef OBJ_MESH_H
#define OBJ_MESH_H

#include <broadphase/broadphase.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mesh {
    float (*vertex)[3];
    uint32_t (*triangle)[3];
    uint32_t vertex_count, triangle_count;
} mesh;

// Room for one more of `size` bytes; a list grows when its count is a power of two.
static void *grown(void *list, uint32_t count, size_t size) {
    if (count & (count - 1)) return list;
    list = realloc(list, (count ? 2 * (size_t)count : 1) * size);
    if (!list) abort();
    return list;
}

static void add_vertex(mesh *m, float x, float y, float z) {
    m->vertex = grown(m->vertex, m->vertex_count, sizeof *m->vertex);
    memcpy(m->vertex[m->vertex_count++], (const float[3]){x, y, z}, sizeof *m->vertex);
}

static void add_triangle(mesh *m, uint32_t a, uint32_t b, uint32_t c) {
    m->triangle = grown(m->triangle, m->triangle_count, sizeof *m->triangle);
    memcpy(m->triangle[m->triangle_count++], (const uint32_t[3]){a, b, c}, sizeof *m->triangle);
}

// "3 4/1 5//2 -1": a fan around the first corner. 0: a corner is none of the vertices so far.
static int add_face(mesh *m, char *text) {
    long first = 0, last = 0, corners = 0;
    for (char *word = strtok(text, " \t\r\n"); word; word = strtok(NULL, " \t\r\n"), ++corners) {
        const long number = strtol(word, NULL, 10), corner = number < 0 ? m->vertex_count + number : number - 1;
        if (corner < 0 || corner >= (long)m->vertex_count) return 0;
        if (corners == 0) first = corner;
        if (corners >= 2) add_triangle(m, (uint32_t)first, (uint32_t)last, (uint32_t)corner);
        last = corner;
    }
    return corners >= 3;
}

// 0: not possible, and that is on standard error.
static int mesh_read(mesh *m, const char *path) {
    FILE *file = fopen(path, "r");
    char line[1024];
    int good = file != NULL;
    *m = (mesh){0};
    while (good && fgets(line, sizeof line, file)) {
        float x, y, z;
        if (sscanf(line, "v %f %f %f", &x, &y, &z) == 3) {
            add_vertex(m, x, y, z);
        } else if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t')) {
            good = add_face(m, line + 2);
        }
    }
    good = good && m->triangle_count > 0;
    if (!good) fprintf(stderr, "%s: no mesh could be read\n", path);
    if (file) fclose(file);
    return good;
}

static void mesh_free(mesh *m) {
    free(m->vertex);
    free(m->triangle);
}

static bp_box box_of_triangle(const mesh *m, uint32_t triangle) {
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

// The boxes of all triangles, to be freed.
static bp_box *mesh_boxes(const mesh *m) {
    bp_box *boxes = malloc(m->triangle_count * sizeof *boxes);
    if (!boxes) abort();
    for (uint32_t i = 0; i < m->triangle_count; ++i) boxes[i] = box_of_triangle(m, i);
    return boxes;
}

#endif
