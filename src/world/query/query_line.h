// Following a line through a world: rays, and boxes that move like rays.
#ifndef BP_QUERY_LINE_H
#define BP_QUERY_LINE_H

#include "world/query/query.h"

// Takes the hits of a line, in no order.
typedef struct bp_line_sink {
    void (*offer)(void *context, bp_id id, double t);
    // Asked between steps: all hits before t have been offered; is no other one wanted any more? NULL: all are wanted.
    bool (*is_done)(void *context, double t);
    void *context;
} bp_line_sink;

// Whether a line hits a box, and when.
bool bp_line_hits_box(const bp_line *line, const bp_box_double *box, double *t);

// Offers every object that a line hits, each once. In a periodic world the line begins in 0 .. period.
void bp_query_follow_line(const bp_query *query, const bp_line *line, const bp_line_sink *sink);

#endif
