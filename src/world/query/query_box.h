// Searching a box: for box queries, and for the neighbourhood of a point.
#ifndef BP_QUERY_BOX_H
#define BP_QUERY_BOX_H

#include "world/query/query.h"

// Finds every object, each once, whose box may overlap this one (flat in two dimensions). If the object comes with
// columns, it certainly does.
void bp_query_find_in_box(const bp_query *query, const bp_box *box, const bp_found_receiver *receiver);

typedef struct bp_id_sink {
    void (*offer)(void *context, bp_id id);
    void *context;
} bp_id_sink;

// Offers every object, each once, whose box overlaps this one. Whatever z is, it does not matter in two dimensions.
void bp_query_find_overlapping(const bp_query *query, const bp_box_double *box, const bp_id_sink *sink);

bool bp_query_box_is_valid(const bp_world *world, const bp_box_double *box);

#endif
