// Events: the pairs that have begun and ended between two updates. All lists are ascending by (a, b).
#ifndef BP_EVENTS_H
#define BP_EVENTS_H

#include "base/pair_sink.h"
#include "base/runtime.h"

// Finds the pairs of `after` that are not in `before`, and the other way round. If an id was reborn (BP_MARK_REBORN), a
// pair of it that is in both lists is reported as ended and as begun; `marks` is NULL if none was. False if memory is
// short.
bool bp_events_between(const bp_pairs *before, const bp_pairs *after, const uint8_t *marks, const bp_runtime *runtime,
                       bp_pairs *begun, bp_pairs *ended);

// Removes the pairs that are in both lists, unless one of their ids was reborn.
void bp_events_cancel(bp_pairs *begun, bp_pairs *ended, const uint8_t *marks);

#endif
