// What has become of pairs from one update to the next. All lists are ascending by (a, b).
#ifndef BP_EVENTS_H
#define BP_EVENTS_H

#include "base/pair_sink.h"

// The pairs of `after` that are not in `before`, and the other way round. A pair of both that has an id which was reborn
// (see BP_MARK_REBORN) has ended and begun. False if memory is short.
bool bp_events_between(const bp_pairs *before, const bp_pairs *after, const uint8_t *marks,
                       const bp_allocator *allocator, bp_pairs *begun, bp_pairs *ended);

// Strikes the pairs out that are in both lists, unless one of their ids was reborn; returns how many are in both still.
size_t bp_events_cancel(bp_pairs *begun, bp_pairs *ended, const uint8_t *marks);

// Strikes the pairs out of `pairs` that are not in `known`.
void bp_events_keep_known(bp_pairs *pairs, const bp_pairs *known);

// `before` without `ended` and with `begun`, into `after`. False if memory is short.
bool bp_events_apply(const bp_pairs *before, const bp_pairs *begun, const bp_pairs *ended,
                     const bp_allocator *allocator, bp_pairs *after);

#endif
