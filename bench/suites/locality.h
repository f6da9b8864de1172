// One search: which edges of the scene `skull` overlap which triangles, some 10^5 boxes, in one of several orders in
// memory. The bench measures its time, the cache probe its cache lines.
#ifndef BENCH_LOCALITY_H
#define BENCH_LOCALITY_H

#include <broadphase/broadphase.h>

#include <stdbool.h>

typedef enum locality_order {
    LOCALITY_MESH,   // as the bodies were cut: body after body, row after row
    LOCALITY_RANDOM, // shuffled
    LOCALITY_CURVE,  // along the Z-curve of the boxes' centres (Gissler et al., section 4)
    LOCALITY_ORDERS
} locality_order;

extern const char *const locality_orders[LOCALITY_ORDERS]; // their names

typedef struct locality_question {
    bp_box *edges, *triangles; // edges are searched for in a structure over the triangles
    size_t edge_count, triangle_count;
    float cell_size; // the mean length of the edges
} locality_question;

locality_question locality_ask(locality_order order);
void locality_free(locality_question *question);

#endif
