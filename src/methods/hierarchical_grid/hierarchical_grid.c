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
// update = rebuild means the sorted grid, update = individual the linked grid, whose objects are moved one by one. (If
// the settings ask for the linked grid, update = rebuild means that all its objects are removed and inserted again.)
// update = automatic also means the sorted grid, but patched while few objects change: rebuilding and searching it takes
// as long as patching it and searching for one object in FEW. (Schornbaum 2009 decides by the share of objects that change their cell. Measured here, that
// share hardly matters: the cost is in searching for an object again once it has moved at all. And for that the linked
// grid, whose objects are scattered in memory, takes seven times as long as the patched one.)
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009.
#include "methods/hierarchical_grid/hierarchical_grid.h"

#include "base/boxes.h"
#include "base/details.h"
#include "methods/hierarchical_grid/bundles.h"
#include "methods/hierarchical_grid/grid_or_split.h"
#include "methods/hierarchical_grid/linked_grid.h"
#include "methods/hierarchical_grid/patched_grid.h"
#include "methods/hierarchical_grid/strips.h"
#include "methods/hierarchical_grid/two_sets.h"
#include "methods/method.h"

#include <assert.h>

// What is up to date.
typedef enum grid_form { FORM_SORTED, FORM_STRIPS, FORM_BUNDLES, FORM_LINKED, FORM_SPLIT } grid_form;

typedef struct hierarchical_grid {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    grid_form form;
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
} hierarchical_grid;

enum {
    FEW = 16,           // at most one object in this many is few
    CALM = 2,           // updates: starting to patch costs about as much as this many rebuilds
    SPLIT_STAYS = 32,   // builds before the grid is tried again
    FORM_WAIT = 32,     // builds before strips, bundles, or patching, are tried again
    BUDGET_LEAST = 4096 // objects
};

// Tests of bundles for each object and pair, beyond which split is faster: surfaces 3.2 to 4.3, cloth in folds of 10^5 and 10^6
// triangles 6.0 and 7.7, in 1.1 and 2.1 times the time of split. (Some hundred bundles do not tell: folds are uneven.)
static const double BUNDLES_TESTS = 6.5;

static void hierarchical_grid_init(void *state, const bp_method_setup *setup) {
    hierarchical_grid *g = state;
    *g = (hierarchical_grid){.setup = setup, .bundles = {.setup = setup}};
    bp_sorted_grid_init(&g->sorted, setup);
    bp_sorted_grid_init(&g->other, setup);
    bp_strip_grid_init(&g->strips, setup);
    bp_two_sets_init(&g->two_sets, setup);
}

static bool uses_patch(const hierarchical_grid *g) {
    return g->patch.setup != NULL;
}

static bool uses_linked(const hierarchical_grid *g) {
    return g->linked.setup != NULL;
}

static void hierarchical_grid_free(void *state) {
    hierarchical_grid *g = state;
    bp_sorted_grid_free(&g->sorted);
    bp_sorted_grid_free(&g->other);
    bp_strip_grid_free(&g->strips);
    bp_bundles_free(&g->bundles);
    bp_two_sets_free(&g->two_sets);
    if (g->queried.setup != NULL) {
        bp_sorted_grid_free(&g->queried);
    }
    if (uses_linked(g)) {
        bp_linked_grid_free(&g->linked);
    }
    if (uses_patch(g)) {
        bp_patched_grid_free(&g->patch);
    }
    bp_method_destroy(&bp_split_ops, &g->setup->runtime.allocator, g->split);
}

// ---- strips and bundles ---------------------------------------------------------------------------------------------

// Parameters of the grid that the caller asked for mean the grid.
static bool has_grid_parameters(const hierarchical_grid *g) {
    const bp_method_settings *settings = &g->setup->settings;
    bool has_any = settings->hierarchy_factor != 0.0f || settings->grid_load != 1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        has_any |= settings->grid_size[axis] != 0;
    }
    return has_any;
}

static bool may_use_strips(const hierarchical_grid *g) {
    const size_t all_pairs = g->setup->settings.brute_force_below;
    return !has_grid_parameters(g) && g->count >= BP_ALL_PAIRS_BELOW &&
           (g->count >= all_pairs || all_pairs == BP_BRUTE_FORCE_BELOW);
}

// Whether builds have to wait, this one included.
static bool has_to_wait(size_t *builds) {
    const bool waits = *builds > 0;
    *builds -= waits;
    return waits;
}

static bool wants_strips(hierarchical_grid *g) {
    if (!may_use_strips(g) || has_to_wait(&g->strips_wait)) {
        return false;
    }
    const bool suits = bp_strip_grid_suits(&g->strips, g->boxes, g->count);
    g->strips_wait = suits ? 0 : FORM_WAIT;
    return suits;
}

static bool may_use_bundles(const hierarchical_grid *g) {
    return may_use_strips(g) && g->count >= BP_BUNDLES_LEAST && g->count <= BP_CELL_ENTRY_ID;
}

static bool wants_bundles(hierarchical_grid *g) {
    if (!may_use_bundles(g) || has_to_wait(&g->bundles_wait)) {
        return false;
    }
    const bool suits = bp_bundles_suit(&g->bundles, g->boxes, g->count, g->form == FORM_BUNDLES);
    g->bundles_wait = suits ? 0 : FORM_WAIT;
    return suits;
}

// Whether it finds the pairs of its own boxes, and nothing else.
static bool is_for_own_pairs(const hierarchical_grid *g) {
    return g->form == FORM_STRIPS || g->form == FORM_BUNDLES;
}

static void take_form(hierarchical_grid *g, grid_form form) {
    g->form = form;
    g->are_sorted = false;
    g->is_for_patching = false;
    if (uses_patch(g)) {
        bp_patched_grid_end(&g->patch);
    }
}

// Makes the next builds use the sorted grid, or split.
static void keep_from_own_pairs(hierarchical_grid *g) {
    g->strips_wait = FORM_WAIT;
    g->bundles_wait = FORM_WAIT;
}

// Both are made when they are searched: not before it is certain that they will be.
static bool takes_bundles(hierarchical_grid *g) {
    const bool wants = wants_bundles(g);
    if (wants) {
        take_form(g, FORM_BUNDLES);
    }
    return wants;
}

static bool takes_strips_or_bundles(hierarchical_grid *g) {
    if (takes_bundles(g)) {
        return true;
    }
    const bool wants = wants_strips(g);
    if (wants) {
        take_form(g, FORM_STRIPS);
    }
    return wants;
}

// ---- split takes over -----------------------------------------------------------------------------------------------

// Levels that the caller asked for are searched as they are, whatever that costs.
static bool may_hand_over(const hierarchical_grid *g) {
    return g->setup->settings.hierarchy_factor == 0.0f;
}

// Few objects are tested all with all, and rightly so.
static bp_test_budget budget_for(size_t objects) {
    return (bp_test_budget){.objects = objects > BUDGET_LEAST ? objects : BUDGET_LEAST};
}

// Whether split finds all pairs.
static bool uses_split(const hierarchical_grid *g) {
    return g->form == FORM_SPLIT || g->is_for_patching;
}

// Builds split beside what is in use.
static bp_status prepare_split(hierarchical_grid *g) {
    if (g->split == NULL) {
        g->split = bp_method_create(&bp_split_ops, g->setup);
    }
    return g->split != NULL ? bp_split_ops.build(g->split, g->boxes, g->count) : BP_ERROR_MEMORY;
}

static bp_status build_split(hierarchical_grid *g) {
    const bp_status status = prepare_split(g);
    take_form(g, status == BP_OK ? FORM_SPLIT : FORM_SORTED);
    return status;
}

// Where few objects change from update to update, all pairs are found once, and the sorted grid is patched from then on.
static bool is_calm(const hierarchical_grid *g) {
    return g->calm_count > CALM && g->patch_wait == 0;
}

// Builds split in place of a sorted grid whose search is too costly; or beside it, if it will be patched.
static bp_status hand_over(hierarchical_grid *g) {
    if (is_calm(g)) {
        g->is_for_patching = true;
        return prepare_split(g);
    }
    g->split_left = SPLIT_STAYS;
    bp_sorted_grid_forget_levels(&g->sorted); // so that the next ones are judged
    return build_split(g);
}

// Levels are judged when they are new.
static bool is_costly(const hierarchical_grid *g) {
    return may_hand_over(g) && g->sorted.plan_age == 0 &&
           bp_split_is_better(g->sorted.levels.cost, g->boxes, g->count, g->setup->dimensions);
}

static bp_status build_sorted(hierarchical_grid *g) {
    take_form(g, FORM_SORTED);
    bp_status status = bp_sorted_grid_plan(&g->sorted, g->boxes, g->count);
    const bool costly = status == BP_OK && is_costly(g);
    if (status == BP_OK && (!costly || is_calm(g))) {
        status = bp_sorted_grid_sort(&g->sorted, g->boxes, g->count);
    }
    return status == BP_OK && costly ? hand_over(g) : status;
}

// The sorted grid, or split if that would be too costly.
static bp_status build_sorted_or_split(hierarchical_grid *g) {
    return !is_calm(g) && has_to_wait(&g->split_left) ? build_split(g) : build_sorted(g);
}

static bp_status update_linked(hierarchical_grid *g, const bp_changes *changes) {
    const bp_status status = bp_linked_grid_update(&g->linked, g->boxes, g->count, changes);
    take_form(g, status == BP_OK ? FORM_LINKED : FORM_SORTED);
    return status;
}

static bp_status build_linked(hierarchical_grid *g) {
    if (!uses_linked(g)) {
        bp_linked_grid_init(&g->linked, g->setup);
    }
    bp_linked_grid_clear(&g->linked);
    return update_linked(g, NULL);
}

// Whether to use the linked grid: the setup says so, and there are too many objects to test all pairs.
static bool wants_linked(const hierarchical_grid *g) {
    return (g->setup->update == BP_UPDATE_INDIVIDUAL || g->setup->settings.grid_form == BP_GRID_LINKED) &&
           g->count >= g->setup->settings.brute_force_below;
}

static bp_status hierarchical_grid_build(void *state, const bp_box *boxes, size_t count) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    g->calm_count = 0;
    g->is_two = false;
    g->is_queried = false;
    if (wants_linked(g)) {
        return build_linked(g);
    }
    return takes_strips_or_bundles(g) ? BP_OK : build_sorted_or_split(g);
}

static bool are_few(const hierarchical_grid *g, const bp_changes *changes) {
    return changes != NULL && changes->count < g->count / FEW && g->count >= g->setup->settings.brute_force_below;
}

// Whether to patch the sorted grid of the last update.
static bool wants_patch(hierarchical_grid *g, const bp_changes *changes) {
    const bool few = are_few(g, changes);
    g->calm_count = few ? g->calm_count + 1 : 0;
    return !has_to_wait(&g->patch_wait) && g->form == FORM_SORTED && is_calm(g);
}

// Whether strips or bundles suit this update. Few changes mean the sorted grid, which can be patched; but where there are
// bundles it is costly, and built when it is certain that few will change. While split stays in use, bundles may do its
// work.
static bool stays_or_becomes_plain(hierarchical_grid *g, const bp_changes *changes) {
    if (!are_few(g, changes)) {
        return takes_strips_or_bundles(g);
    }
    return !is_calm(g) && (g->form == FORM_BUNDLES || g->split_left > 0) && takes_bundles(g);
}

static bp_status hierarchical_grid_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                                          bp_search_kind *kind) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    g->is_two = false;
    g->is_queried = false;
    *kind = BP_SEARCH_ALL;
    if (wants_linked(g) && g->form == FORM_LINKED) {
        *kind = changes != NULL ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
        return update_linked(g, changes);
    }
    if (wants_linked(g)) {
        return build_linked(g);
    }
    if (wants_patch(g, changes)) {
        *kind = BP_SEARCH_DIFFERENCE;
        return BP_OK; // bp_hierarchical_grid_find_difference does the work
    }
    return stays_or_becomes_plain(g, changes) ? BP_OK : build_sorted_or_split(g);
}

// A search of the sorted grid, and what takes its place if the budget is over.
typedef struct budgeted_search {
    bp_status (*search_grid)(hierarchical_grid *grid, const void *context, bp_sink *sink);
    bp_status (*build_again)(hierarchical_grid *grid, const void *context); // with new levels
    bp_status (*search_split)(hierarchical_grid *grid, const void *context, bp_sink *sink);
    const void *context;
    size_t objects;
} budgeted_search;

// Runs the search of the grid on a budget. True if the budget was over: then the sink is as before.
static bool is_over_budget(hierarchical_grid *g, const budgeted_search *s, bp_sink *sink, bp_status *status) {
    const size_t count = sink->count;
    bp_test_budget budget = budget_for(s->objects);
    sink->rules.budget = may_hand_over(g) ? &budget : NULL;
    *status = s->search_grid(g, s->context, sink);
    sink->rules.budget = NULL;
    if (budget.is_over) {
        bp_sink_rewind(sink, count);
    }
    return budget.is_over;
}

static bp_status search_on_budget(hierarchical_grid *g, const budgeted_search *s, bp_sink *sink) {
    bp_status status = BP_OK;
    bp_sink_flush(sink);
    bool is_over = is_over_budget(g, s, sink, &status);
    if (is_over && s->build_again != NULL) {
        status = s->build_again(g, s->context);
        is_over = status == BP_OK && (uses_split(g) || is_over_budget(g, s, sink, &status));
    }
    if (!is_over) {
        return status;
    }
    status = hand_over(g);
    return status == BP_OK ? s->search_split(g, s->context, sink) : status;
}

static bp_status search_sorted(hierarchical_grid *g, const void *context, bp_sink *sink) {
    (void)context;
    return bp_sorted_grid_find(&g->sorted, sink);
}

static bp_status build_sorted_again(hierarchical_grid *g, const void *context) {
    (void)context;
    bp_sorted_grid_forget_levels(&g->sorted);
    return build_sorted(g);
}

static bp_status search_split(hierarchical_grid *g, const void *context, bp_sink *sink) {
    (void)context;
    return bp_split_ops.find(g->split, sink);
}

// Sorts the strips, unless that has been done. False if they are of no use, or memory is short.
static bool sort_strips(hierarchical_grid *g, bp_status *status) {
    bool gave_up = false;
    *status = g->are_sorted ? BP_OK : bp_strip_grid_sort(&g->strips, g->boxes, g->count, &gave_up);
    g->are_sorted = *status == BP_OK && !gave_up;
    g->strips_wait = gave_up ? FORM_WAIT : 0;
    return g->are_sorted;
}

static bp_status search_bundles(hierarchical_grid *g, const void *context, bp_sink *sink) {
    (void)context;
    return bp_bundles_find(&g->bundles, g->boxes, g->count, sink);
}

// False if bundles meet too many others. If they meet many, the next searches are left to split.
static bool find_in_bundles(hierarchical_grid *g, bp_sink *sink, bp_status *status) {
    const budgeted_search s = {.search_grid = search_bundles, .objects = g->count};
    bp_sink_flush(sink);
    const uint64_t tests = sink->tests;
    const size_t pairs = sink->count;
    const bool is_over = is_over_budget(g, &s, sink, status);
    const bool are_many =
        (double)(sink->tests - tests) > BUNDLES_TESTS * ((double)g->count + (double)(sink->count - pairs));
    g->bundles_wait = is_over || are_many ? FORM_WAIT : 0;
    return !is_over;
}

// False if what finds only its own pairs, and is the present form, is of no use here.
static bool find_own_pairs(hierarchical_grid *g, bp_sink *sink, bp_status *status) {
    if (g->form == FORM_BUNDLES) {
        return find_in_bundles(g, sink, status);
    }
    if (!sort_strips(g, status)) {
        return *status != BP_OK;
    }
    *status = bp_strip_grid_find(&g->strips, g->boxes, g->count, sink);
    return true;
}

static bp_status hierarchical_grid_find(void *state, bp_sink *sink) {
    hierarchical_grid *g = state;
    bp_status status = BP_OK;
    if (is_for_own_pairs(g)) {
        if (find_own_pairs(g, sink, &status)) {
            return status;
        }
        status = build_sorted_or_split(g);
    }
    if (status != BP_OK) {
        return status;
    }
    const budgeted_search s = {.search_grid = search_sorted,
                               .build_again = g->sorted.plan_age > 0 ? build_sorted_again : NULL,
                               .search_split = search_split,
                               .objects = g->count};
    if (g->form == FORM_LINKED) {
        return bp_linked_grid_find(&g->linked, sink);
    }
    return uses_split(g) ? search_split(g, NULL, sink) : search_on_budget(g, &s, sink);
}

static bp_status hierarchical_grid_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    hierarchical_grid *g = state;
    return bp_linked_grid_find_changed(&g->linked, changes, sink);
}

// Another set of boxes, which is searched for in this one.
typedef struct other_boxes {
    const bp_box *boxes;
    size_t count;
} other_boxes;

static bp_status search_other(hierarchical_grid *g, const void *context, bp_sink *sink) {
    const other_boxes *other = context;
    const bp_status status = bp_sorted_grid_build(&g->other, other->boxes, other->count);
    return status == BP_OK ? bp_sorted_grid_find_between(&g->other, &g->sorted, sink) : status;
}

static bp_status search_other_split(hierarchical_grid *g, const void *context, bp_sink *sink) {
    const other_boxes *other = context;
    return bp_split_ops.find_between(g->split, other->boxes, other->count, sink);
}

static bp_status hierarchical_grid_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    hierarchical_grid *g = state;
    const other_boxes other = {.boxes = boxes, .count = count};
    const budgeted_search s = {.search_grid = search_other,
                               .search_split = search_other_split,
                               .context = &other,
                               .objects = g->count + count};
    assert(!g->patch.active); // it has just been built
    const bp_status status = g->form == FORM_LINKED || is_for_own_pairs(g) ? build_sorted(g) : BP_OK;
    if (status != BP_OK) {
        return status;
    }
    return g->form == FORM_SPLIT ? search_other_split(g, &other, sink) : search_on_budget(g, &s, sink);
}

// Levels that the caller asked for are built and searched.
static bp_status hierarchical_grid_find_two(void *state, const bp_box *a, size_t a_count, const bp_box *b,
                                            size_t b_count, bp_sink *sink) {
    hierarchical_grid *g = state;
    g->is_queried = false;
    g->is_two = may_hand_over(g) && a_count <= BP_CELL_ENTRY_ID && b_count <= BP_CELL_ENTRY_ID;
    if (g->is_two) {
        return bp_two_sets_find(&g->two_sets, a, a_count, b, b_count, sink);
    }
    const bp_status status = hierarchical_grid_build(g, b, b_count);
    return status == BP_OK ? hierarchical_grid_find_between(g, a, a_count, sink) : status;
}

static void describe_split(const void *split, bp_stats *stats) {
    bp_details details = bp_details_read(stats);
    details.handed_over = 1;
    bp_details_write(stats, &details);
    stats->method = BP_METHOD_SPLIT;
    bp_split_ops.stats(split, stats);
}

static void describe_strips(const hierarchical_grid *g, bp_stats *stats) {
    bp_details details = bp_details_read(stats);
    details.strips = 1;
    bp_details_write(stats, &details);
    bp_strip_grid_stats(&g->strips, stats);
}

static void describe_two(const hierarchical_grid *g, bp_stats *stats) {
    if (g->two_sets.is_split) {
        describe_split(g->two_sets.split, stats);
    } else {
        bp_two_sets_stats(&g->two_sets, stats);
    }
}

static void describe_form(const hierarchical_grid *g, bp_stats *stats) {
    switch (uses_split(g) ? FORM_SPLIT : g->form) {
    case FORM_SPLIT: describe_split(g->split, stats); break;
    case FORM_STRIPS: describe_strips(g, stats); break;
    case FORM_BUNDLES: bp_bundles_stats(&g->bundles, stats); break;
    case FORM_LINKED:
        bp_linked_grid_stats(&g->linked, stats);
        stats->update = g->setup->update == BP_UPDATE_REBUILD ? BP_UPDATE_REBUILD : BP_UPDATE_INDIVIDUAL;
        break;
    case FORM_SORTED:
    default:
        bp_sorted_grid_stats(&g->sorted, stats);
        stats->update = g->patch.active ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
        break;
    }
}

// Of all structures: those that are not in use now are kept.
static size_t bytes_held(const hierarchical_grid *g) {
    bp_stats sorted = {0}, queried = {0}, strips = {0}, split = {0};
    bp_sorted_grid_stats(&g->sorted, &sorted);
    bp_sorted_grid_stats(&g->queried, &queried);
    bp_strip_grid_stats(&g->strips, &strips);
    if (g->split != NULL) {
        bp_split_ops.stats(g->split, &split);
    }
    return sorted.bytes + queried.bytes + strips.bytes + split.bytes + bp_bundles_bytes(&g->bundles) +
           bp_two_sets_bytes(&g->two_sets) + bp_linked_grid_bytes(&g->linked) +
           (uses_patch(g) ? bp_patched_grid_bytes(&g->patch) : 0);
}

static void hierarchical_grid_stats(const void *state, bp_stats *stats) {
    const hierarchical_grid *g = state;
    if (g->is_two) {
        describe_two(g, stats);
    } else {
        describe_form(g, stats);
    }
    stats->bytes = bytes_held(g);
}

static bp_status hierarchical_grid_validate(const void *state) {
    const hierarchical_grid *g = state;
    switch (g->form) {
    case FORM_SPLIT: return bp_split_ops.validate(g->split);
    case FORM_STRIPS: return g->are_sorted ? bp_strip_grid_validate(&g->strips, g->boxes, g->count) : BP_OK;
    case FORM_BUNDLES: return BP_OK; // which are made anew for each search
    case FORM_LINKED: return bp_linked_grid_validate(&g->linked);
    case FORM_SORTED:
    default:
        return g->patch.active ? bp_patched_grid_validate(&g->patch, g->boxes, g->count)
                               : bp_sorted_grid_validate(&g->sorted, g->boxes, g->count);
    }
}

// ---- beyond the method interface ------------------------------------------------------------------------------------

bool bp_hierarchical_grid_build_plainly(void *state, const bp_box *boxes, size_t count, bp_rule *why) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    bp_status status = BP_OK;
    if (wants_linked(g) || has_grid_parameters(g)) {
        return false;
    }
    if (count < BP_ALL_PAIRS_BELOW && count < g->setup->settings.brute_force_below) {
        *why = BP_RULE_FEW;
        return build_sorted(g) == BP_OK;
    }
    if (!takes_strips_or_bundles(g)) {
        return false;
    }
    *why = g->form == FORM_BUNDLES ? BP_RULE_ORDERED : BP_RULE_ALIKE;
    return g->form == FORM_BUNDLES || sort_strips(g, &status);
}

bool bp_hierarchical_grid_suits_two(const void *state, const bp_box *a, size_t a_count, const bp_box *b,
                                    size_t b_count) {
    const hierarchical_grid *g = state;
    const bp_method_settings *settings = &g->setup->settings;
    return !has_grid_parameters(g) && settings->grid_form == BP_GRID_AUTOMATIC &&
           bp_two_sets_suit_bundles(&g->two_sets, a, a_count, b, b_count);
}

bp_status bp_hierarchical_grid_find_difference(void *state, const bp_changes *changes, bp_sink *begun, bp_sink *ended,
                                               bool *gave_up) {
    hierarchical_grid *g = state;
    bp_test_budget budget = budget_for(g->count);
    if (!uses_patch(g)) {
        bp_patched_grid_init(&g->patch, g->setup, &g->sorted);
    }
    begun->rules.budget = may_hand_over(g) ? &budget : NULL;
    const bp_status status = bp_patched_grid_find(&g->patch, g->boxes, g->count, changes, begun, ended);
    begun->rules.budget = NULL;
    *gave_up = budget.is_over;
    if (budget.is_over) {
        g->patch_wait = FORM_WAIT;
        return BP_OK;
    }
    g->is_for_patching = false; // what it was built for has begun
    return status;
}

static bp_status search_across(hierarchical_grid *g, const void *context, bp_sink *sink) {
    hierarchical_grid *h = *(hierarchical_grid *const *)context;
    return bp_sorted_grid_find_between(&g->sorted, &h->sorted, sink);
}

// Split is built over the set that is searched, which the pairs name second.
static bp_status search_across_split(hierarchical_grid *g, const void *context, bp_sink *sink) {
    hierarchical_grid *h = *(hierarchical_grid *const *)context;
    const bp_status status = prepare_split(h);
    return status == BP_OK ? bp_split_ops.find_between(h->split, g->boxes, g->count, sink) : status;
}

// What searches between two sets can use.
static bp_status build_for_others(hierarchical_grid *g) {
    g->bundles_wait = FORM_WAIT;
    return build_sorted_or_split(g);
}

bp_status bp_hierarchical_grid_find_across(void *state, void *other, bp_sink *sink) {
    hierarchical_grid *g = state, *h = other;
    const budgeted_search s = {.search_grid = search_across,
                               .search_split = search_across_split,
                               .context = &h,
                               .objects = g->count + h->count};
    assert(g->form != FORM_LINKED && !g->patch.active && h->form != FORM_LINKED && !h->patch.active); // just built
    if (is_for_own_pairs(g) && g->count > BP_STRIPS_FEW) {
        keep_from_own_pairs(g); // many boxes are better sorted once, for both searches
    }
    bp_status status = is_for_own_pairs(g) ? build_for_others(g) : BP_OK;
    if (status == BP_OK && is_for_own_pairs(h)) {
        status = build_for_others(h);
    }
    if (status != BP_OK) {
        return status;
    }
    return g->form == FORM_SPLIT || h->form == FORM_SPLIT ? search_across_split(g, &h, sink)
                                                          : search_on_budget(g, &s, sink);
}

void bp_hierarchical_grid_expect_queries(void *state) {
    hierarchical_grid *g = state;
    g->strips_wait = FORM_WAIT; // a sorted grid alone takes less time than both
}

void bp_hierarchical_grid_sort_for_queries(void *state, const bp_box *boxes, size_t count) {
    hierarchical_grid *g = state;
    if (g->form == FORM_LINKED && !g->is_two) {
        return; // it is for worlds of which little changes, and sorting is not little
    }
    if (g->queried.setup == NULL) {
        bp_sorted_grid_init(&g->queried, g->setup);
    }
    g->is_queried = bp_sorted_grid_build(&g->queried, boxes, count) == BP_OK;
}

const bp_sorted_grid *bp_hierarchical_grid_queried(const void *state) {
    const hierarchical_grid *g = state;
    return g->is_queried ? &g->queried : NULL;
}

const bp_sorted_grid *bp_hierarchical_grid_sorted(const void *state, const bp_id **strays, size_t *stray_count) {
    const hierarchical_grid *g = state;
    *strays = g->patch.strays.data;
    *stray_count = g->patch.stray_count;
    return g->form == FORM_SORTED ? &g->sorted : NULL;
}

// ---- the method -----------------------------------------------------------------------------------------------------

const bp_method_ops bp_hierarchical_grid_ops = {
    .name = "hierarchical-grid",
    .summary = "levels of hashed grids by object size: O(n), any sizes, unbounded space",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(hierarchical_grid),
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
