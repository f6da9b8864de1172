// Checks the pairs that a method has found in a view.
//
// Of the places where a pair was found, one is reported: along each axis the one without a shift, if the intervals
// overlap there. If they do not, only one of the two boxes can be the shifted one: if x - P overlaps y, and y - P
// overlaps x, then x overlaps y, because images are only moved down.
//
// Cost: one byte per float box inside its period. Otherwise both input boxes are read from anywhere in memory, and most
// of the time is spent waiting for them; so they are prefetched.
#include "view/view.h"

enum { AHEAD = 16 }; // pairs between the prefetch of their boxes and their check

// An input box may straddle two cache lines.
BP_PREFETCHER prefetch_input(const bp_input *input, uint32_t proxy) {
    const size_t index = proxy < input->count ? proxy : 0;
    if (input->doubles != NULL) {
        bp_prefetch(&input->doubles[index].min[0]);
        bp_prefetch(&input->doubles[index].max[2]);
    } else {
        bp_prefetch(&input->floats[index].min[0]);
        bp_prefetch(&input->floats[index].max[2]);
    }
}

// For a pair that will be checked soon.
BP_PREFETCHER prefetch_pair(const bp_view *first, const bp_view *second, bp_pair pair) {
    prefetch_input(&first->input, pair.a);
    prefetch_input(&second->input, pair.b);
}

BP_PREFETCHER prefetch_first(const bp_view *first, const bp_view *second, const bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < AHEAD && i < count; ++i) {
        prefetch_pair(first, second, pairs[i]);
    }
}

static bp_image object_of(const bp_view *view, uint32_t proxy) {
    const bp_image *images = view->images.data;
    const bp_image itself = {.owner = proxy};
    return proxy < view->input.count ? itself : images[proxy - view->input.count];
}

// Whether two objects, without a shift, are apart along each of some axes.
static bool are_apart(const bp_box *a, const bp_box *b, uint32_t axes) {
    bool apart = true;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const bool overlap = a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
        apart &= (axes >> axis & 1) == 0 || !overlap;
    }
    return apart;
}

// From two proxies to two objects. False unless the pair is reported at this place; an object and its own image never
// are, because an object is not apart from itself.
static bool resolve(const bp_view *first, const bp_view *second, bp_pair *pair, bool *shifted) {
    const bp_image x = object_of(first, pair->a), y = object_of(second, pair->b);
    const uint32_t shifts = x.shifts | y.shifts;
    *shifted = shifts != 0;
    if (shifts == 0) {
        return true;
    }
    const bool turned = first == second && x.owner > y.owner;
    *pair = (bp_pair){.a = turned ? y.owner : x.owner, .b = turned ? x.owner : y.owner};
    return (x.shifts & y.shifts) == 0 && are_apart(&first->boxes[x.owner], &second->boxes[y.owner], shifts);
}

size_t bp_view_resolve(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        bool shifted = false;
        bp_pair pair = pairs[i];
        const bool keep = resolve(first, second, &pair, &shifted);
        pairs[kept] = pair;
        kept += keep;
    }
    return kept;
}

static bool is_exact(const bp_view *view, uint32_t object) {
    return !view->ranked && view->traits.data != NULL &&
           (((const uint8_t *)view->traits.data)[object] & BP_VIEW_INEXACT) == 0;
}

static bool overlap_exactly(const bp_view *first, const bp_view *second, bp_pair pair) {
    const bp_overlap_rule *rule = first->rule;
    if (rule->shape == BP_SHAPE_SPHERES) {
        const bp_box_double a = bp_input_double(&first->input, pair.a), b = bp_input_double(&second->input, pair.b);
        bool as_boxes = false;
        const bool overlap = bp_spheres_overlap_by_rule(&a, &b, rule, &as_boxes);
        if (!as_boxes) {
            return overlap;
        }
    }
    const bp_box_double a = bp_input_grown(&first->input, rule->margin, pair.a);
    const bp_box_double b = bp_input_grown(&second->input, rule->margin, pair.b);
    return bp_boxes_overlap_by_rule(&a, &b, rule);
}

// Without a branch: nearly all of these pairs overlap.
static size_t confirm_rounded(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count) {
    const bp_box_double *first_boxes = first->input.doubles, *second_boxes = second->input.doubles;
    const uint32_t dimensions = first->rule->dimensions;
    size_t kept = 0;
    prefetch_first(first, second, pairs, count);
    for (size_t i = 0; i < count; ++i) {
        prefetch_pair(first, second, pairs[i + AHEAD < count ? i + AHEAD : i]);
        const bp_box_double *a = &first_boxes[pairs[i].a], *b = &second_boxes[pairs[i].b];
        bool overlap = true;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            overlap &= (a->min[axis] <= b->max[axis]) & (b->min[axis] <= a->max[axis]);
        }
        pairs[kept] = pairs[i];
        kept += overlap;
    }
    return kept;
}

size_t bp_view_confirm(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count) {
    if (first->rounded && second->rounded) {
        return confirm_rounded(first, second, pairs, count);
    }
    const bool all_inexact = first->input.doubles != NULL || first->rule->shape != BP_SHAPE_BOXES;
    size_t kept = 0;
    if (all_inexact) {
        prefetch_first(first, second, pairs, count);
    }
    for (size_t i = 0; i < count; ++i) {
        if (all_inexact) {
            prefetch_pair(first, second, pairs[i + AHEAD < count ? i + AHEAD : i]);
        }
        bp_pair pair = pairs[i];
        bool shifted = false;
        const bool keep =
            resolve(first, second, &pair, &shifted) &&
            ((!shifted && is_exact(first, pair.a) && is_exact(second, pair.b)) || overlap_exactly(first, second, pair));
        pairs[kept] = pair;
        kept += keep;
    }
    return kept;
}
