// Following many lines at once.
#ifndef BP_QUERY_LINES_H
#define BP_QUERY_LINES_H

#include "world/query/query_batch.h"
#include "world/query/query_line.h"

// Appends every object that each of at most BP_BATCH_GROUP lines hits: row after row, in order, and counts[] says how many
// each has. The query must suit many.
void bp_query_follow_lines(const bp_query *query, const bp_line *lines, size_t count, bp_item_list *items,
                           size_t *counts);

#endif
