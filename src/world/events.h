// Events: the pairs that have begun and ended between two updates.
//
//     before, after     two lists, in about the same order if one search has found both
//     ended, begun      what only one of them has, and some that both have   (kernels/compare_loop.h)
//                       sorted by (a, b); what both have is removed
//
// So where few pairs change, only these are sorted; in whatever order the lists are, the events are right.
#ifndef BP_EVENTS_H
#define BP_EVENTS_H

#include "base/pair_sink.h"
#include "base/runtime.h"
#include "kernels/kernels.h"

// Finds the pairs of `after` that are not in `before`, and the other way round, ascending by (a, b). If an id was reborn
// (BP_MARK_REBORN), a pair of it that is in both lists is reported as ended and as begun; `marks` is NULL if none was. `are_sorted`:
// both lists are ascending. False if memory is short.
bool bp_events_between(const bp_pairs *before, const bp_pairs *after, const uint8_t *marks, bool are_sorted,
                       size_t id_count, const bp_runtime *runtime, const bp_kernels *kernels, bp_buffer *scratch,
                       bp_pairs *begun, bp_pairs *ended);

// Removes the pairs that are in both lists, which are ascending, unless one of their ids was reborn.
void bp_events_cancel(bp_pairs *begun, bp_pairs *ended, const uint8_t *marks);

#endif
