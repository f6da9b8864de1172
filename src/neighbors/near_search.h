// Neighbours by a grid of points: most searches.
//
//     points ---> grid (point_grid.h) ---> tubes (tube.h) ---> ids within the radius (find_near)
//                                                                |  in doubt? measured in 64 bits (nearness.h)
//                                                                v
//                                                              rows as found (found_rows.h) ---> rows
//
// Each point finds all its neighbours by itself, so each distance is computed twice. The other way, each pair once and
// then in both rows, has half of the tests but puts ids into rows one by one. (Not tried: tests are a third of the
// time.) Tried and dropped: keeping a bit for each test instead of ids, and making the tubes again to read them. That is
// a third of the memory, but took 10 to 20 % longer.
#ifndef BP_NEAR_SEARCH_H
#define BP_NEAR_SEARCH_H

#include "kernels/kernels.h"
#include "neighbors/image_rows.h"
#include "neighbors/nearness.h"

typedef struct bp_near_request {
    bp_nearness nearness; // with one radius for all; both sets are the same unless `between`
    bool between, half;
    bp_image_rows *beside; // of images: what their rows become; else NULL
    bp_filter filter;      // pass may be NULL; of images it is asked about (point, name)
    const bp_kernels *kernels;
    const bp_runtime *runtime;
} bp_near_request;

// *served is false if a grid does not serve these points: then nothing was done.
bp_status bp_near_search(const bp_near_request *request, bp_neighbors *rows, bp_stats *stats, bool *served);

#endif
