// Rays and casts as questions: checking them, and turning them into lines. A ray is the cast of a point.
#ifndef BP_QUERY_RAY_H
#define BP_QUERY_RAY_H

#include "world/query/query_line.h"
#include "world/query/shortlist.h"

bp_cast_double bp_cast_of_ray(const bp_ray *ray);
bp_cast_double bp_cast_to_double(const bp_cast *cast);

// Whether nothing is wrong with a cast, as far as that can be seen quickly.
bool bp_query_cast_is_valid(const bp_world *world, const bp_cast_double *cast);

// Checks a cast, and logs what is wrong with the ray or cast of this name.
bp_status bp_query_check_cast(const bp_world *world, const bp_cast_double *cast, const char *name);

// The line of a cast. In a periodic world its box is moved like the boxes of objects.
bp_line bp_query_line_of(const bp_cast_double *cast, const bp_overlap_rule *rule);

// Offers every object that a cast meets.
void bp_query_follow_cast(const bp_query *query, const bp_cast_double *cast, const bp_line_sink *sink);

// A sink that lists hits. `few`: only those that fit are wanted.
bp_line_sink bp_line_sink_of_list(bp_shortlist *list, bool few);

#endif
