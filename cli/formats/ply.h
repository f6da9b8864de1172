// The header of a PLY file (the format of Greg Turk and Stanford's scans): a text that says which elements follow, and
// which properties each of them has.
//
//     ply
//     format binary_little_endian 1.0
//     element vertex 8
//     property float x
//     property float y
//     property float z
//     element face 6
//     property list uchar int vertex_indices
//     end_header
//
// Instead of faces, or beside them, there may be strips of triangles, as scanners write them: lists in which -1 ends a strip
// and begins the next one.
//
//     element tristrips 1
//     property list int int vertex_indices
#ifndef TOOL_PLY_H
#define TOOL_PLY_H

#include "formats/line_reader.h"

typedef enum ply_form { PLY_ASCII, PLY_LITTLE_ENDIAN, PLY_BIG_ENDIAN } ply_form;

typedef enum ply_type {
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT,
    PLY_DOUBLE
} ply_type;

// What a property is to us.
typedef enum ply_role { PLY_LEFT_OUT, PLY_X, PLY_Y, PLY_Z, PLY_CORNERS, PLY_STRIPS } ply_role;

typedef struct ply_property {
    bool is_list;
    ply_type count_type; // of a list
    ply_type type;
    ply_role role;
} ply_property;

enum { PLY_ELEMENTS = 16, PLY_PROPERTIES = 128, PLY_NAME = 32 };

typedef struct ply_element {
    char name[PLY_NAME]; // cut off where it is longer: for messages
    uint64_t count;
    size_t first, property_count; // in the header's properties
} ply_element;

typedef struct ply_header {
    ply_form form;
    ply_element elements[PLY_ELEMENTS];
    size_t element_count;
    ply_property properties[PLY_PROPERTIES];
    size_t property_count;
} ply_header;

// Reads the header; what follows is data. It has vertices with x, y and z, and faces or strips with lists of them.
bool ply_read_header(line_reader *lines, ply_header *header, failure *why);
size_t ply_type_size(ply_type type);
// A number of this type, from bytes in one order or the other.
double ply_load(const unsigned char *bytes, ply_type type, bool is_big_endian);

#endif
