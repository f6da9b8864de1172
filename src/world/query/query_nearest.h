// Searching the neighbourhood of a point.
#ifndef BP_QUERY_NEAREST_H
#define BP_QUERY_NEAREST_H

#include "world/query/query.h"
#include "world/query/shortlist.h"

// Lists the nearest objects of a point: as many as there is room for, which is at least one. The list is not yet sorted.
void bp_query_find_nearest(const bp_query *query, const float point[3], bp_shortlist *list);

bool bp_query_point_is_valid(const bp_world *world, const float point[3]);

#endif
