// A mesh while it is read: vertices, and faces cut into triangles. Each triangle becomes a box.
//
// A face with more than three corners is cut into a fan around its first corner:
//
//     3 ----- 2
//     |    /  |       0 1 2,  0 2 3
//     |  /    |
//     0 ----- 1
//
// In a strip of triangles each corner from the third on makes one with the two before it; every other triangle is turned
// round, so that all face the same way:
//
//     1 ----- 3 ----- 5
//     |    /  |    /  |      0 1 2,  2 1 3,  2 3 4,  4 3 5
//     |  /    |  /    |
//     0 ----- 2 ----- 4
//
// Boxes are in the order of the faces and strips and, within one, of its triangles. A face may name vertices that come later,
// or the same one twice: it is a box all the same.
#ifndef TOOL_MESH_H
#define TOOL_MESH_H

#include "formats/box_reader.h"

typedef struct mesh_triangle {
    uint32_t corners[3]; // vertices, from 0
    uint32_t place;      // what the reader calls this face or strip: a line, or its number
} mesh_triangle;

typedef struct mesh {
    double (*vertices)[3];
    mesh_triangle *triangles;
    size_t vertex_count, vertex_capacity;
    size_t triangle_count, triangle_capacity;
    size_t first_index; // the number of the first vertex, as the file counts them: for messages
    // The face or strip at hand.
    bool is_strip;
    size_t corner_count;
    mesh_triangle next; // of its triangles
} mesh;

// Reads the three numbers behind a word; more may follow.
bool mesh_read_place(const char *text, const char *word, double place[3], failure *why);
bool mesh_add_vertex(mesh *self, const double place[3], failure *why);
// A face or a strip, corner after corner, from its beginning to `mesh_end_face`, which refuses one with fewer than three; but a
// strip may be empty.
void mesh_begin_face(mesh *self, uint32_t place);
void mesh_begin_strip(mesh *self, uint32_t place);
bool mesh_add_corner(mesh *self, uint32_t vertex, failure *why);
bool mesh_end_face(const mesh *self, failure *why);
// Appends the boxes of all triangles. Refuses vertices that are not there or have coordinates that are not finite, in
// which case *place is that of the face.
bool mesh_to_boxes(const mesh *self, box_rules rules, box_list *list, uint32_t *place, failure *why);
void mesh_free(mesh *self);

#endif
