// The view: the boxes that a method works on in place of the caller's.
//
//     input    float or double boxes, anywhere        | i0 | i1 | i2 |
//     boxes    float boxes for them (proxies)         | b0 | b1 | b2 | image of 1 | image of 2 | another of 2 |
//
// A method only knows float boxes in open space. For any other question (64-bit coordinates, a period, spheres, a
// margin) it works on proxies, and on images of those that cross the end of a period. Every pair that it finds is then
// checked here: which objects are they, is this the one place where the pair is reported, do they overlap exactly?
//
// No pair is lost, because a proxy is made in two steps and neither can lose one:
//   - an interval per axis and object, in 64 bits, that contains the object and all its possible rounding errors
//   - a monotone map from these intervals to floats: rounding to the nearest float, or, where objects are too small
//     for the floats at their place, the rank of each coordinate among all (view_ranks.c). A monotone map keeps
//     overlaps.
#ifndef BP_VIEW_H
#define BP_VIEW_H

#include "base/memory.h"
#include "view/input.h"

typedef struct bp_image {
    uint32_t owner;
    uint32_t shifts; // a bit per axis: moved down by a period
} bp_image;

// Marks of an input box: a bit for each axis along which it has an image, and
enum { BP_VIEW_INEXACT = 8 }; // its proxy is not exactly the box

typedef struct bp_view {
    const bp_overlap_rule *rule;
    const bp_runtime *runtime;
    bool keeps_origin; // the settings name a place in space (a domain), so coordinates must not be shifted
    bool wants_ranks;  // coordinates have to be ranks
    bp_input input;
    const bp_box *boxes; // the boxes that the method gets: `input.count` proxies, then the images
    size_t count;
    bool exact;          // a pair of these is a pair of the input: no check is needed
    bool ranked;         // coordinates are ranks
    bool rounded;        // 64-bit boxes without margin, period or spheres, rounded to floats
    double origin[3];    // subtracted from the coordinates, unless they are ranks
    bp_buffer proxies;   // of bp_box
    bp_buffer intervals; // of bp_box_double: the intervals whose ends are ranked
    bp_buffer lists;     // where they are sorted; only in the first of two views
    bp_buffer images;    // of bp_image: owner and shifts of proxy input.count + i
    bp_buffer traits;    // of uint8_t, by input box; NULL without a period: then all are inexact
} bp_view;

void bp_view_init(bp_view *view, const bp_overlap_rule *rule, const bp_runtime *runtime);
void bp_view_free(bp_view *view);

// Whether methods need a view, because they cannot take the boxes as they are.
bool bp_view_is_needed(const bp_overlap_rule *rule, bool is_double);

// Makes the proxies of an input that has been checked (bp_input_check) and must stay valid while the view is used.
// Holes (boxes of NaNs) stay holes. Fails with BP_ERROR_MEMORY, or with BP_ERROR_ARGUMENT if there are too many boxes
// with their images. The memory is kept for the next time.
bp_status bp_view_make(bp_view *view, bp_input input);

// The same for two sets that are compared with each other.
bp_status bp_view_make_two(bp_view *first, bp_input a, bp_view *second, bp_input b);

// Releases memory that is only needed to make the view.
void bp_view_trim(bp_view *view);

// Bytes held.
size_t bp_view_bytes(const bp_view *view);

// ---- inside the room: how 64-bit coordinates become floats (view_ranks.c), and which pairs count (view_confirm.c) ---

// For views that are compared with each other: sets their origins, and decides between rounding and ranks.
void bp_view_choose_map(bp_view *const *views, size_t view_count);

// Makes the proxies of ranked views from their intervals.
bp_status bp_view_rank(bp_view *const *views, size_t view_count);

// Turns pairs of proxies (of `first` and `second`, the same view inside one set) into pairs of input boxes, each
// reported in one place only and, inside a set, as (smaller, larger). Moves these to the front and returns their
// number. Does not check that the input boxes overlap.
size_t bp_view_resolve(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count);

// The same, and keeps only pairs that overlap exactly.
size_t bp_view_confirm(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count);

#endif
