// The view: what methods see of the boxes that a caller gives.
//
//     given    float or double boxes, anywhere        | g0 | g1 | g2 |
//     boxes    float boxes for them (proxies)         | b0 | b1 | b2 | image of 1 | image of 2 | another of 2 |
//
// A method only knows float boxes in open space. Where the question is another one (64-bit coordinates, a period,
// spheres, a margin), it is given proxies, and images of those that cross the end of a period; and every pair that it
// finds is looked at once more, here: which objects, is this the one place where the pair is reported, do they overlap
// exactly.
//
// No pair is lost on the way, because it is made of two steps that cannot lose one:
//   - an interval per axis and object, in 64 bits, that holds the object and all that rounding could make of it
//   - a map of these intervals to floats that keeps their order: rounding to the nearest float, or, where objects are
//     too small for the floats at their place, the rank of each coordinate among all (view_ranks.c). What keeps order
//     keeps overlaps.
#ifndef BP_VIEW_H
#define BP_VIEW_H

#include "base/memory.h"
#include "view/input.h"

typedef struct bp_image {
    uint32_t owner;
    uint32_t shifts; // bit per axis: moved down by a period
} bp_image;

// Marks of a given box: a bit per axis along which it has an image, and
enum { BP_VIEW_LOOSE = 8 }; // its proxy is not exactly the box

typedef struct bp_view {
    const bp_config *config; // complete
    bp_given given;
    const bp_box *boxes; // what the method sees: `given.count` of them, then the images
    size_t count;
    bool exact;        // a pair of these is a pair of the given ones: nothing has to be looked at once more
    bool ranked;       // coordinates are ranks
    bool plain;        // 64-bit boxes that are compared as they are, and fit floats
    double origin[3];  // what is subtracted from the coordinates, unless they are ranks
    bp_buffer proxies; // of bp_box
    bp_buffer wide;    // of bp_box_double: the intervals that ranks are made of
    bp_buffer lists;   // where they are sorted; in the first of two views
    bp_buffer images;  // of bp_image: owner and shifts of proxy given.count + i
    bp_buffer marks;   // of uint8_t, by given box; NULL without a period: then all are loose
} bp_view;

void bp_view_init(bp_view *view, const bp_config *config);
void bp_view_free(bp_view *view);

// Whether boxes cannot be given to a method as they are.
bool bp_view_is_needed(const bp_config *config, bool wide);

// Makes what methods see of the given boxes, which have been checked (bp_given_check) and must stay valid while the view
// is used. Holes (boxes of NaNs) stay holes. Fails with BP_ERROR_MEMORY, or _ARGUMENT if there are too many with their
// images. The memory is kept for the next time.
bp_status bp_view_make(bp_view *view, bp_given given);

// The same for two sets that are compared with each other.
bp_status bp_view_make_two(bp_view *first, bp_given a, bp_view *second, bp_given b);

// Turns pairs of proxies (of `first` and `second`, which are the same inside one set) into pairs of given boxes, each in
// one place only and, inside a set, as (smaller, larger); keeps these at the front and returns how many they are.
// Whether the given boxes overlap is left open.
size_t bp_view_resolve(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count);

// The same, and keeps only those that overlap exactly.
size_t bp_view_confirm(const bp_view *first, const bp_view *second, bp_pair *pairs, size_t count);

// The config for a method that works on this view: where coordinates are not the caller's, his lengths mean nothing.
bp_config bp_view_method_config(const bp_view *view);

// Gives back what was only needed to make the view, if there will be no next time.
void bp_view_trim(bp_view *view);

// Bytes held.
size_t bp_view_bytes(const bp_view *view);

#endif
