// Checks the pairs that a method has found in a view.
#ifndef BP_VIEW_CONFIRM_H
#define BP_VIEW_CONFIRM_H

#include "view/view.h"

// Turns pairs of proxies (of `first` and `second`, the same view inside one set) into pairs of input boxes, each
// reported in one place only and, inside a set, as (smaller, larger). Moves these to the front and returns their
// number. Does not check that the input boxes overlap.
size_t bp_view_resolve(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count);

// The same, and keeps only pairs that overlap exactly.
size_t bp_view_confirm(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count);

#endif
