// A mesh while it is read: vertices, and faces cut into triangles. Each triangle becomes a box.
//
// A face with more than three corners is cut into a fan around its first corner:
//
//     3 ----- 2
//     |    /  |       0 1 2,  0 2 3
//     |  /    |
//     0 ----- 1
//
// Boxes are in the order of the faces and, within one, of its fan. A face may name vertices that come later.
#ifndef TOOL_MESH_H
#define TOOL_MESH_H

#include "formats/box_reader.h"

typedef struct mesh_triangle {
    uint32_t corners[3]; // vertices, from 0
    uint32_t place;      // what the reader calls this face: a line, or its number
} mesh_triangle;

typedef struct mesh {
    double (*vertices)[3];
    mesh_triangle *triangles;
    size_t vertex_count, vertex_capacity;
    size_t triangle_count, triangle_capacity;
    size_t first_index; // the number of the first vertex, as the file counts them: for messages
    // The face at hand.
    size_t corner_count;
    mesh_triangle fan; // its next triangle
} mesh;

// Reads the three numbers behind a word; more may follow.
bool mesh_read_place(const char *text, const char *word, double place[3], failure *why);
bool mesh_add_vertex(mesh *self, const double place[3], failure *why);
// A face, corner after corner, from `mesh_begin_face` to `mesh_end_face`, which refuses one with fewer than three.
void mesh_begin_face(mesh *self, uint32_t place);
bool mesh_add_corner(mesh *self, uint32_t vertex, failure *why);
bool mesh_end_face(const mesh *self, failure *why);
// Appends the boxes of all triangles. Refuses vertices that are not there or have coordinates that are not finite, in
// which case *place is that of the face.
bool mesh_to_boxes(const mesh *self, box_rules rules, box_list *list, uint32_t *place, failure *why);
void mesh_free(mesh *self);

#endif
