// Many boxes at once.
#ifndef BP_QUERY_BOXES_H
#define BP_QUERY_BOXES_H

#include "world/query/query_batch.h"

// Answers a batch of boxes, of a query that suits.
bp_status bp_query_boxes_together(const bp_batch *batch, bp_answers *answers);

#endif
