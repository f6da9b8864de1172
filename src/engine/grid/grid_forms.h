// The forms of the hierarchical grid, and which of them to take, and when.
//
//     few objects change, three times in a row          patched: the sorted grid is kept, and corrected
//     boxes follow one another in space                 bundles   } made when they are searched, and left for a while
//     a few thousand boxes that are alike               strips    } if they turn out to be of no use
//     the plan foresees too many tests                  split, for a while; or beside a sorted grid that will be patched
//     else                                              sorted
//
// update = rebuild means the sorted grid, update = individual the linked grid, whose objects are moved one by one. (If
// the settings ask for the linked grid, update = rebuild means that all its objects are removed and inserted again.)
// update = automatic also means the sorted grid, but patched while few objects change: rebuilding and searching it takes
// as long as patching it and searching for one object in sixteen. (Schornbaum 2009 decides by the share of objects that
// change their cell. Measured here, that share hardly matters: the cost is in searching for an object again once it has
// moved at all. And for that the linked grid, whose objects are scattered in memory, takes seven times as long as the
// patched one.)
#ifndef BP_GRID_FORMS_H
#define BP_GRID_FORMS_H

#include "engine/grid/bundles.h"
#include "engine/grid/linked_grid.h"
#include "engine/grid/patched_grid.h"
#include "engine/grid/strips.h"
#include "engine/grid/two_sets.h"
#include "engine/method.h"

enum { BP_FORM_WAIT = 32 }; // builds before strips, bundles, or patching, are tried again

// What is up to date.
typedef enum bp_form { BP_FORM_SORTED, BP_FORM_STRIPS, BP_FORM_BUNDLES, BP_FORM_LINKED, BP_FORM_SPLIT } bp_form;

typedef struct bp_grid_forms {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    bp_form form;
    bp_sorted_grid sorted;
    bp_sorted_grid other; // the other set of find_between

    // All zero until they are first used: most grids are built once, or rebuilt in every step.
    bp_patched_grid patch; // of `sorted`
    bp_linked_grid linked;

    bp_strip_grid strips;
    bool are_sorted;    // the strips, which is put off until they are searched
    size_t strips_wait; // builds before they are tried again
    bp_bundles bundles; // made when they are searched
    size_t bundles_wait;
    size_t calm_count;    // updates in a row in which few objects changed
    size_t patch_wait;    // builds before the sorted grid is patched again
    bool is_for_patching; // the sorted grid: all pairs are found by split, which takes less time

    bp_two_sets two_sets; // of one search
    bool is_two;          // that was the last one, and nothing is built

    bp_sorted_grid queried; // for queries alone; all zero until it is first used
    bool is_queried;        // it is up to date

    void *split;       // of bp_split_ops; NULL until it is first needed
    size_t split_left; // builds for which it stays in use
} bp_grid_forms;

static inline bool bp_forms_use_patch(const bp_grid_forms *g) {
    return g->patch.setup != NULL;
}

static inline bool bp_forms_use_linked(const bp_grid_forms *g) {
    return g->linked.setup != NULL;
}

// Whether it finds the pairs of its own boxes, and nothing else.
static inline bool bp_forms_are_for_own_pairs(const bp_grid_forms *g) {
    return g->form == BP_FORM_STRIPS || g->form == BP_FORM_BUNDLES;
}

// Levels that the caller asked for are searched as they are, whatever that costs.
static inline bool bp_forms_may_hand_over(const bp_grid_forms *g) {
    return g->setup->settings.hierarchy_factor == 0.0f;
}

// Whether split finds all pairs.
static inline bool bp_forms_use_split(const bp_grid_forms *g) {
    return g->form == BP_FORM_SPLIT || g->is_for_patching;
}

// Whether the caller has asked for parameters of the grid, which mean the grid.
bool bp_forms_have_parameters(const bp_grid_forms *g);

// Whether to use the linked grid: the setup says so, and there are too many objects to test all pairs.
bool bp_forms_want_linked(const bp_grid_forms *g);

// Builds, or updates, what suits the boxes, and says how to search it. (BP_SEARCH_DIFFERENCE: nothing has been done yet.)
bp_status bp_forms_build(bp_grid_forms *g, const bp_box *boxes, size_t count);
bp_status bp_forms_update(bp_grid_forms *g, const bp_box *boxes, size_t count, const bp_changes *changes,
                          bp_search_kind *kind);

// Takes strips or bundles for the boxes, if they suit them. Both are made when they are searched.
bool bp_forms_take_strips_or_bundles(bp_grid_forms *g);

// Makes the next builds use the sorted grid, or split.
void bp_forms_leave_own_pairs(bp_grid_forms *g);

// Builds the sorted grid of the boxes, or split if that would be too costly: or without asking, while split stays in use.
bp_status bp_forms_build_sorted(bp_grid_forms *g);
bp_status bp_forms_build_sorted_or_split(bp_grid_forms *g);

// Builds split beside what is in use.
bp_status bp_forms_prepare_split(bp_grid_forms *g);

// Builds split in place of a sorted grid whose search is too costly; or beside it, if it will be patched.
bp_status bp_forms_hand_over(bp_grid_forms *g);

#endif
