// NumPy's file format: a header that is a Python dictionary, then the numbers, little-endian, row after row.
#ifndef TOOL_NPY_H
#define TOOL_NPY_H

#include "formats/failure.h"
#include "formats/stream.h"

#include <stdint.h>

enum { NPY_SHAPE_MAX = 3 };

typedef struct npy_header {
    char type[16]; // "<f4"; "structured" for a record type
    bool fortran_order;
    size_t dimensions;
    uint64_t shape[NPY_SHAPE_MAX]; // of the first dimensions
} npy_header;

// Reads the header; the input then stands at the first number.
bool npy_read_header(input_file *input, npy_header *header, failure *why);

// Loads a little-endian number on any machine.
float npy_load_float(const unsigned char *bytes);
double npy_load_double(const unsigned char *bytes);

void npy_write_header(output_file *output, const char *type, size_t rows, size_t columns);
// The same for `steps` tables of that shape.
void npy_write_header_3d(output_file *output, const char *type, size_t steps, size_t rows, size_t columns);
// Writes `count` words of 32 bits (few: a row).
void npy_write_u32(output_file *output, const uint32_t *words, size_t count);

#endif
