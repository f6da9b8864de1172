// How 64-bit coordinates become floats: rounded, or as ranks.
#ifndef BP_VIEW_RANKS_H
#define BP_VIEW_RANKS_H

#include "view/view.h"

// For views that are compared with each other: sets their origins, and decides between rounding and ranks.
void bp_view_choose_map(bp_view *const *views, size_t view_count);

// Makes the proxies of ranked views from their intervals.
bp_status bp_view_rank(bp_view *const *views, size_t view_count);

#endif
