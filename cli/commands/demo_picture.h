// The picture of the demo, as SVG: a slice through the scene and a bar chart of the times.
#ifndef TOOL_DEMO_PICTURE_H
#define TOOL_DEMO_PICTURE_H

#include "formats/failure.h"

#include <broadphase/broadphase.h>

// One measurement: a method with a number of threads; the times are those of the median step.
typedef struct demo_row {
    bp_method method;
    uint32_t threads;
    size_t objects;
    double update_ms, find_ms;
    size_t pairs;
    double bytes_per_object;
} demo_row;

static inline double demo_total_ms(const demo_row *row) {
    return row->update_ms + row->find_ms;
}

// Rows of the same number of objects stand together and share a scale.
bool demo_picture_write(const char *path, const demo_row *rows, size_t row_count, const bp_box *boxes, size_t count,
                        failure *why);

#endif
