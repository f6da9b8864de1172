// hierarchical-grid: levels of grids, each for objects of a certain size, in six forms behind one method.
//
//     strips         a few thousand boxes of similar sizes, or long ones, without a plan    strips.h
//     sorted grid    all boxes are sorted by cell into columns, again in every step         sorted_grid.h
//     patched grid   a sorted grid that is kept and corrected while few objects change      patched_grid.h
//     linked grid    cells are linked lists, which objects enter and leave in O(1)          linked_grid.h
//     bundles        boxes in a good order, as those of a mesh, are searched where they are bundles.h
//     two sets       of one search between them: sieved, then joined in shared cells        two_sets.h
//
// Idea: an object is never larger than the cells of its level, so it can only overlap objects of its own cell or of a
// neighbouring one; between objects of different sizes, the smaller one searches the coarser level. Cells are folded by
// modulo into a block whose size follows the number of objects: space is unbounded, memory is not.
//
// Cost: O(n) to build, to update and to find, if cells hold a bounded number of objects. Loses where they do not:
// objects much thinner than long in all directions at once, a few hundred objects (there all pairs are tested instead).
// So searches of the sorted grid have a budget of tests (bp_test_budget). When it is over, the levels are planned anew
// if they were planned for earlier boxes; if that does not help, the method `split`, which has no bad input, takes over
// for this search and some more. The budget costs about as much as a search among uniform boxes.
//
// Which form is taken, and when: grid_forms.h.
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009.
#include "engine/grid/hierarchical_grid.h"

#include "base/boxes.h"
#include "base/details.h"
#include "engine/grid/grid_forms.h"
#include "engine/method.h"

#include <assert.h>

enum { BUDGET_LEAST = 4096 }; // objects

// Tests of bundles for each object and pair, beyond which split is faster: surfaces 3.2 to 4.3, cloth in folds of 10^5 and 10^6
// triangles 6.0 and 7.7, in 1.1 and 2.1 times the time of split. (Some hundred bundles do not tell: folds are uneven.)
static const double BUNDLES_TESTS = 6.5;

static void hierarchical_grid_init(void *state, const bp_method_setup *setup) {
    bp_grid_forms *g = state;
    *g = (bp_grid_forms){.setup = setup, .bundles = {.setup = setup}};
    bp_sorted_grid_init(&g->sorted, setup);
    bp_sorted_grid_init(&g->other, setup);
    bp_strip_grid_init(&g->strips, setup);
    bp_two_sets_init(&g->two_sets, setup);
}

static void hierarchical_grid_free(void *state) {
    bp_grid_forms *g = state;
    bp_sorted_grid_free(&g->sorted);
    bp_sorted_grid_free(&g->other);
    bp_strip_grid_free(&g->strips);
    bp_bundles_free(&g->bundles);
    bp_two_sets_free(&g->two_sets);
    if (g->queried.setup != NULL) {
        bp_sorted_grid_free(&g->queried);
    }
    if (bp_forms_use_linked(g)) {
        bp_linked_grid_free(&g->linked);
    }
    if (bp_forms_use_patch(g)) {
        bp_patched_grid_free(&g->patch);
    }
    bp_method_destroy(&bp_split_ops, &g->setup->runtime.allocator, g->split);
}

static bp_status hierarchical_grid_build(void *state, const bp_box *boxes, size_t count) {
    return bp_forms_build(state, boxes, count);
}

static bp_status hierarchical_grid_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                                          bp_search_kind *kind) {
    return bp_forms_update(state, boxes, count, changes, kind);
}

// ---- searching ------------------------------------------------------------------------------------------------------

// Few objects are tested all with all, and rightly so.
static bp_test_budget budget_for(size_t objects) {
    return (bp_test_budget){.objects = objects > BUDGET_LEAST ? objects : BUDGET_LEAST};
}

// A search of the sorted grid, and what takes its place if the budget is over.
typedef struct budgeted_search {
    bp_status (*search_grid)(bp_grid_forms *grid, const void *context, bp_sink *sink);
    bp_status (*build_again)(bp_grid_forms *grid, const void *context); // with new levels
    bp_status (*search_split)(bp_grid_forms *grid, const void *context, bp_sink *sink);
    const void *context;
    size_t objects;
} budgeted_search;

// Runs the search of the grid on a budget. True if the budget was over: then the sink is as before.
static bool is_over_budget(bp_grid_forms *g, const budgeted_search *s, bp_sink *sink, bp_status *status) {
    const size_t count = sink->count;
    bp_test_budget budget = budget_for(s->objects);
    sink->rules.budget = bp_forms_may_hand_over(g) ? &budget : NULL;
    *status = s->search_grid(g, s->context, sink);
    sink->rules.budget = NULL;
    if (budget.is_over) {
        bp_sink_rewind(sink, count);
    }
    return budget.is_over;
}

static bp_status search_on_budget(bp_grid_forms *g, const budgeted_search *s, bp_sink *sink) {
    bp_status status = BP_OK;
    bp_sink_flush(sink);
    bool is_over = is_over_budget(g, s, sink, &status);
    if (is_over && s->build_again != NULL) {
        status = s->build_again(g, s->context);
        is_over = status == BP_OK && (bp_forms_use_split(g) || is_over_budget(g, s, sink, &status));
    }
    if (!is_over) {
        return status;
    }
    status = bp_forms_hand_over(g);
    return status == BP_OK ? s->search_split(g, s->context, sink) : status;
}

static bp_status search_sorted(bp_grid_forms *g, const void *context, bp_sink *sink) {
    (void)context;
    return bp_sorted_grid_find(&g->sorted, sink);
}

static bp_status build_sorted_again(bp_grid_forms *g, const void *context) {
    (void)context;
    bp_sorted_grid_forget_levels(&g->sorted);
    return bp_forms_build_sorted(g);
}

static bp_status search_split(bp_grid_forms *g, const void *context, bp_sink *sink) {
    (void)context;
    return bp_split_ops.find(g->split, sink);
}

// Sorts the strips, unless that has been done. False if they are of no use, or memory is short.
static bool sort_strips(bp_grid_forms *g, bp_status *status) {
    bool gave_up = false;
    *status = g->are_sorted ? BP_OK : bp_strip_grid_sort(&g->strips, g->boxes, g->count, &gave_up);
    g->are_sorted = *status == BP_OK && !gave_up;
    g->strips_wait = gave_up ? BP_FORM_WAIT : 0;
    return g->are_sorted;
}

static bp_status search_bundles(bp_grid_forms *g, const void *context, bp_sink *sink) {
    (void)context;
    return bp_bundles_find(&g->bundles, g->boxes, g->count, sink);
}

// False if bundles meet too many others. If they meet many, the next searches are left to split.
static bool find_in_bundles(bp_grid_forms *g, bp_sink *sink, bp_status *status) {
    const budgeted_search s = {.search_grid = search_bundles, .objects = g->count};
    bp_sink_flush(sink);
    const uint64_t tests = sink->tests;
    const size_t pairs = sink->count;
    const bool is_over = is_over_budget(g, &s, sink, status);
    const bool are_many =
        (double)(sink->tests - tests) > BUNDLES_TESTS * ((double)g->count + (double)(sink->count - pairs));
    g->bundles_wait = is_over || are_many ? BP_FORM_WAIT : 0;
    return !is_over;
}

// False if what finds only its own pairs, and is the present form, is of no use here.
static bool find_own_pairs(bp_grid_forms *g, bp_sink *sink, bp_status *status) {
    if (g->form == BP_FORM_BUNDLES) {
        return find_in_bundles(g, sink, status);
    }
    if (!sort_strips(g, status)) {
        return *status != BP_OK;
    }
    *status = bp_strip_grid_find(&g->strips, g->boxes, g->count, sink);
    return true;
}

static bp_status hierarchical_grid_find(void *state, bp_sink *sink) {
    bp_grid_forms *g = state;
    bp_status status = BP_OK;
    if (bp_forms_are_for_own_pairs(g)) {
        if (find_own_pairs(g, sink, &status)) {
            return status;
        }
        status = bp_forms_build_sorted_or_split(g);
    }
    if (status != BP_OK) {
        return status;
    }
    const budgeted_search s = {.search_grid = search_sorted,
                               .build_again = g->sorted.plan_age > 0 ? build_sorted_again : NULL,
                               .search_split = search_split,
                               .objects = g->count};
    if (g->form == BP_FORM_LINKED) {
        return bp_linked_grid_find(&g->linked, sink);
    }
    return bp_forms_use_split(g) ? search_split(g, NULL, sink) : search_on_budget(g, &s, sink);
}

static bp_status hierarchical_grid_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    bp_grid_forms *g = state;
    return bp_linked_grid_find_changed(&g->linked, changes, sink);
}

// Another set of boxes, which is searched for in this one.
typedef struct other_boxes {
    const bp_box *boxes;
    size_t count;
} other_boxes;

static bp_status search_other(bp_grid_forms *g, const void *context, bp_sink *sink) {
    const other_boxes *other = context;
    const bp_status status = bp_sorted_grid_build(&g->other, other->boxes, other->count);
    return status == BP_OK ? bp_sorted_grid_find_between(&g->other, &g->sorted, sink) : status;
}

static bp_status search_other_split(bp_grid_forms *g, const void *context, bp_sink *sink) {
    const other_boxes *other = context;
    return bp_split_ops.find_between(g->split, other->boxes, other->count, sink);
}

static bp_status hierarchical_grid_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    bp_grid_forms *g = state;
    const other_boxes other = {.boxes = boxes, .count = count};
    const budgeted_search s = {.search_grid = search_other,
                               .search_split = search_other_split,
                               .context = &other,
                               .objects = g->count + count};
    assert(!g->patch.active); // it has just been built
    const bp_status status =
        g->form == BP_FORM_LINKED || bp_forms_are_for_own_pairs(g) ? bp_forms_build_sorted(g) : BP_OK;
    if (status != BP_OK) {
        return status;
    }
    return g->form == BP_FORM_SPLIT ? search_other_split(g, &other, sink) : search_on_budget(g, &s, sink);
}

// Levels that the caller asked for are built and searched.
static bp_status hierarchical_grid_find_two(void *state, const bp_box *a, size_t a_count, const bp_box *b,
                                            size_t b_count, bp_sink *sink) {
    bp_grid_forms *g = state;
    g->is_queried = false;
    g->is_two = bp_forms_may_hand_over(g) && a_count <= BP_CELL_ENTRY_ID && b_count <= BP_CELL_ENTRY_ID;
    if (g->is_two) {
        return bp_two_sets_find(&g->two_sets, a, a_count, b, b_count, sink);
    }
    const bp_status status = bp_forms_build(g, b, b_count);
    return status == BP_OK ? hierarchical_grid_find_between(g, a, a_count, sink) : status;
}

static void describe_split(const void *split, bp_stats *stats) {
    bp_details details = bp_details_read(stats);
    details.handed_over = 1;
    bp_details_write(stats, &details);
    stats->method = BP_METHOD_SPLIT;
    bp_split_ops.stats(split, stats);
}

static void describe_strips(const bp_grid_forms *g, bp_stats *stats) {
    bp_details details = bp_details_read(stats);
    details.strips = 1;
    bp_details_write(stats, &details);
    bp_strip_grid_stats(&g->strips, stats);
}

static void describe_two(const bp_grid_forms *g, bp_stats *stats) {
    if (g->two_sets.is_split) {
        describe_split(g->two_sets.split, stats);
    } else {
        bp_two_sets_stats(&g->two_sets, stats);
    }
}

static void describe_form(const bp_grid_forms *g, bp_stats *stats) {
    switch (bp_forms_use_split(g) ? BP_FORM_SPLIT : g->form) {
    case BP_FORM_SPLIT: describe_split(g->split, stats); break;
    case BP_FORM_STRIPS: describe_strips(g, stats); break;
    case BP_FORM_BUNDLES: bp_bundles_stats(&g->bundles, stats); break;
    case BP_FORM_LINKED:
        bp_linked_grid_stats(&g->linked, stats);
        stats->update = g->setup->update == BP_UPDATE_REBUILD ? BP_UPDATE_REBUILD : BP_UPDATE_INDIVIDUAL;
        break;
    case BP_FORM_SORTED:
    default:
        bp_sorted_grid_stats(&g->sorted, stats);
        stats->update = g->patch.active ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
        break;
    }
}

// Of all structures: those that are not in use now are kept.
static size_t bytes_held(const bp_grid_forms *g) {
    bp_stats sorted = {0}, queried = {0}, strips = {0}, split = {0};
    bp_sorted_grid_stats(&g->sorted, &sorted);
    bp_sorted_grid_stats(&g->queried, &queried);
    bp_strip_grid_stats(&g->strips, &strips);
    if (g->split != NULL) {
        bp_split_ops.stats(g->split, &split);
    }
    return sorted.bytes + queried.bytes + strips.bytes + split.bytes + bp_bundles_bytes(&g->bundles) +
           bp_two_sets_bytes(&g->two_sets) + bp_linked_grid_bytes(&g->linked) +
           (bp_forms_use_patch(g) ? bp_patched_grid_bytes(&g->patch) : 0);
}

static void hierarchical_grid_stats(const void *state, bp_stats *stats) {
    const bp_grid_forms *g = state;
    if (g->is_two) {
        describe_two(g, stats);
    } else {
        describe_form(g, stats);
    }
    stats->bytes = bytes_held(g);
}

static bp_status hierarchical_grid_validate(const void *state) {
    const bp_grid_forms *g = state;
    switch (g->form) {
    case BP_FORM_SPLIT: return bp_split_ops.validate(g->split);
    case BP_FORM_STRIPS: return g->are_sorted ? bp_strip_grid_validate(&g->strips, g->boxes, g->count) : BP_OK;
    case BP_FORM_BUNDLES: return BP_OK; // which are made anew for each search
    case BP_FORM_LINKED: return bp_linked_grid_validate(&g->linked);
    case BP_FORM_SORTED:
    default:
        return g->patch.active ? bp_patched_grid_validate(&g->patch, g->boxes, g->count)
                               : bp_sorted_grid_validate(&g->sorted, g->boxes, g->count);
    }
}

// ---- beyond the method interface ------------------------------------------------------------------------------------

bp_status bp_hierarchical_grid_build_plainly(void *state, const bp_box *boxes, size_t count, bp_rule *why,
                                             bool *is_built) {
    bp_grid_forms *g = state;
    g->boxes = boxes;
    g->count = count;
    bp_status status = BP_OK;
    *is_built = false;
    if (bp_forms_want_linked(g) || bp_forms_have_parameters(g)) {
        return BP_OK;
    }
    if (count < BP_ALL_PAIRS_BELOW && count < g->setup->settings.brute_force_below) {
        *why = BP_RULE_FEW;
        status = bp_forms_build_sorted(g);
        *is_built = status == BP_OK;
    } else if (bp_forms_take_strips_or_bundles(g)) {
        *why = g->form == BP_FORM_BUNDLES ? BP_RULE_ORDERED : BP_RULE_ALIKE;
        *is_built = g->form == BP_FORM_BUNDLES || sort_strips(g, &status);
    }
    return status;
}

bool bp_hierarchical_grid_suits_two(const void *state, const bp_box *a, size_t a_count, const bp_box *b,
                                    size_t b_count) {
    const bp_grid_forms *g = state;
    const bp_method_settings *settings = &g->setup->settings;
    return !bp_forms_have_parameters(g) && settings->grid_form == BP_GRID_AUTOMATIC &&
           bp_two_sets_suit_bundles(&g->two_sets, a, a_count, b, b_count);
}

bp_status bp_hierarchical_grid_find_difference(void *state, const bp_changes *changes, bp_sink *begun, bp_sink *ended,
                                               bool *gave_up) {
    bp_grid_forms *g = state;
    bp_test_budget budget = budget_for(g->count);
    if (!bp_forms_use_patch(g)) {
        bp_patched_grid_init(&g->patch, g->setup, &g->sorted);
    }
    begun->rules.budget = bp_forms_may_hand_over(g) ? &budget : NULL;
    const bp_status status = bp_patched_grid_find(&g->patch, g->boxes, g->count, changes, begun, ended);
    begun->rules.budget = NULL;
    *gave_up = budget.is_over;
    if (budget.is_over) {
        g->patch_wait = BP_FORM_WAIT;
        return BP_OK;
    }
    g->is_for_patching = false; // what it was built for has begun
    return status;
}

static bp_status search_across(bp_grid_forms *g, const void *context, bp_sink *sink) {
    bp_grid_forms *h = *(bp_grid_forms *const *)context;
    return bp_sorted_grid_find_between(&g->sorted, &h->sorted, sink);
}

// Split is built over the set that is searched, which the pairs name second.
static bp_status search_across_split(bp_grid_forms *g, const void *context, bp_sink *sink) {
    bp_grid_forms *h = *(bp_grid_forms *const *)context;
    const bp_status status = bp_forms_prepare_split(h);
    return status == BP_OK ? bp_split_ops.find_between(h->split, g->boxes, g->count, sink) : status;
}

// What searches between two sets can use.
static bp_status build_for_others(bp_grid_forms *g) {
    g->bundles_wait = BP_FORM_WAIT;
    return bp_forms_build_sorted_or_split(g);
}

bp_status bp_hierarchical_grid_find_across(void *state, void *other, bp_sink *sink) {
    bp_grid_forms *g = state, *h = other;
    const budgeted_search s = {.search_grid = search_across,
                               .search_split = search_across_split,
                               .context = &h,
                               .objects = g->count + h->count};
    assert(g->form != BP_FORM_LINKED && !g->patch.active && h->form != BP_FORM_LINKED &&
           !h->patch.active); // just built
    if (bp_forms_are_for_own_pairs(g) && g->count > BP_STRIPS_FEW) {
        bp_forms_leave_own_pairs(g); // many boxes are better sorted once, for both searches
    }
    bp_status status = bp_forms_are_for_own_pairs(g) ? build_for_others(g) : BP_OK;
    if (status == BP_OK && bp_forms_are_for_own_pairs(h)) {
        status = build_for_others(h);
    }
    if (status != BP_OK) {
        return status;
    }
    return g->form == BP_FORM_SPLIT || h->form == BP_FORM_SPLIT ? search_across_split(g, &h, sink)
                                                                : search_on_budget(g, &s, sink);
}

void bp_hierarchical_grid_expect_queries(void *state) {
    bp_grid_forms *g = state;
    g->strips_wait = BP_FORM_WAIT; // a sorted grid alone takes less time than both
}

void bp_hierarchical_grid_sort_for_queries(void *state, const bp_box *boxes, size_t count) {
    bp_grid_forms *g = state;
    if (g->form == BP_FORM_LINKED && !g->is_two) {
        return; // it is for worlds of which little changes, and sorting is not little
    }
    if (g->queried.setup == NULL) {
        bp_sorted_grid_init(&g->queried, g->setup);
    }
    g->is_queried = bp_sorted_grid_build(&g->queried, boxes, count) == BP_OK;
}

const bp_sorted_grid *bp_hierarchical_grid_queried(const void *state) {
    const bp_grid_forms *g = state;
    return g->is_queried ? &g->queried : NULL;
}

const bp_sorted_grid *bp_hierarchical_grid_sorted(const void *state, const bp_id **strays, size_t *stray_count) {
    const bp_grid_forms *g = state;
    *strays = g->patch.strays.data;
    *stray_count = g->patch.stray_count;
    return g->form == BP_FORM_SORTED ? &g->sorted : NULL;
}

// ---- the method -----------------------------------------------------------------------------------------------------

const bp_method_ops bp_hierarchical_grid_ops = {
    .name = "hierarchical-grid",
    .summary = "levels of hashed grids by object size: O(n), any sizes, unbounded space",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(bp_grid_forms),
    .init = hierarchical_grid_init,
    .free = hierarchical_grid_free,
    .build = hierarchical_grid_build,
    .update = hierarchical_grid_update,
    .find = hierarchical_grid_find,
    .find_changed = hierarchical_grid_find_changed,
    .find_between = hierarchical_grid_find_between,
    .find_two = hierarchical_grid_find_two,
    .stats = hierarchical_grid_stats,
    .validate = hierarchical_grid_validate,
};
