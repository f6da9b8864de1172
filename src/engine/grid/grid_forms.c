#include "engine/grid/grid_forms.h"

#include "engine/grid/grid_or_split.h"

enum {
    FEW = 16,        // at most one object in this many is few
    CALM = 2,        // updates: starting to patch costs about as much as this many rebuilds
    SPLIT_STAYS = 32 // builds before the grid is tried again
};

// ---- strips and bundles ---------------------------------------------------------------------------------------------

bool bp_forms_have_parameters(const bp_grid_forms *g) {
    const bp_method_settings *settings = &g->setup->settings;
    bool has_any = settings->hierarchy_factor != 0.0f || settings->grid_load != 1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        has_any |= settings->grid_size[axis] != 0;
    }
    return has_any;
}

static bool may_use_strips(const bp_grid_forms *g) {
    const size_t all_pairs = g->setup->settings.brute_force_below;
    return !bp_forms_have_parameters(g) && g->count >= BP_ALL_PAIRS_BELOW &&
           (g->count >= all_pairs || all_pairs == BP_BRUTE_FORCE_BELOW);
}

// Whether builds have to wait, this one included.
static bool has_to_wait(size_t *builds) {
    const bool waits = *builds > 0;
    *builds -= waits;
    return waits;
}

static bool wants_strips(bp_grid_forms *g) {
    if (!may_use_strips(g) || has_to_wait(&g->strips_wait)) {
        return false;
    }
    const bool suits = bp_strip_grid_suits(&g->strips, g->boxes, g->count);
    g->strips_wait = suits ? 0 : BP_FORM_WAIT;
    return suits;
}

static bool may_use_bundles(const bp_grid_forms *g) {
    return may_use_strips(g) && g->count >= BP_BUNDLES_LEAST && g->count <= BP_CELL_ENTRY_ID;
}

static bool wants_bundles(bp_grid_forms *g) {
    if (!may_use_bundles(g) || has_to_wait(&g->bundles_wait)) {
        return false;
    }
    const bool suits = bp_bundles_suit(&g->bundles, g->boxes, g->count, g->form == BP_FORM_BUNDLES);
    g->bundles_wait = suits ? 0 : BP_FORM_WAIT;
    return suits;
}

static void take_form(bp_grid_forms *g, bp_form form) {
    g->form = form;
    g->are_sorted = false;
    g->is_for_patching = false;
    if (bp_forms_use_patch(g)) {
        bp_patched_grid_end(&g->patch);
    }
}

void bp_forms_leave_own_pairs(bp_grid_forms *g) {
    g->strips_wait = BP_FORM_WAIT;
    g->bundles_wait = BP_FORM_WAIT;
}

// Both are made when they are searched: not before it is certain that they will be.
static bool takes_bundles(bp_grid_forms *g) {
    const bool wants = wants_bundles(g);
    if (wants) {
        take_form(g, BP_FORM_BUNDLES);
    }
    return wants;
}

bool bp_forms_take_strips_or_bundles(bp_grid_forms *g) {
    if (takes_bundles(g)) {
        return true;
    }
    const bool wants = wants_strips(g);
    if (wants) {
        take_form(g, BP_FORM_STRIPS);
    }
    return wants;
}

// ---- split takes over -----------------------------------------------------------------------------------------------

bp_status bp_forms_prepare_split(bp_grid_forms *g) {
    if (g->split == NULL) {
        g->split = bp_method_create(&bp_split_ops, g->setup);
    }
    return g->split != NULL ? bp_split_ops.build(g->split, g->boxes, g->count) : BP_ERROR_MEMORY;
}

static bp_status build_split(bp_grid_forms *g) {
    const bp_status status = bp_forms_prepare_split(g);
    take_form(g, status == BP_OK ? BP_FORM_SPLIT : BP_FORM_SORTED);
    return status;
}

// Where few objects change from update to update, all pairs are found once, and the sorted grid is patched from then on.
static bool is_calm(const bp_grid_forms *g) {
    return g->calm_count > CALM && g->patch_wait == 0;
}

bp_status bp_forms_hand_over(bp_grid_forms *g) {
    if (is_calm(g)) {
        g->is_for_patching = true;
        return bp_forms_prepare_split(g);
    }
    g->split_left = SPLIT_STAYS;
    bp_sorted_grid_forget_levels(&g->sorted); // so that the next ones are judged
    return build_split(g);
}

// Levels are judged when they are new.
static bool is_costly(const bp_grid_forms *g) {
    return bp_forms_may_hand_over(g) && g->sorted.plan_age == 0 &&
           bp_split_is_better(g->sorted.levels.cost, g->boxes, g->count, g->setup->dimensions);
}

bp_status bp_forms_build_sorted(bp_grid_forms *g) {
    take_form(g, BP_FORM_SORTED);
    bp_status status = bp_sorted_grid_plan(&g->sorted, g->boxes, g->count);
    const bool costly = status == BP_OK && is_costly(g);
    if (status == BP_OK && (!costly || is_calm(g))) {
        status = bp_sorted_grid_sort(&g->sorted, g->boxes, g->count);
    }
    return status == BP_OK && costly ? bp_forms_hand_over(g) : status;
}

bp_status bp_forms_build_sorted_or_split(bp_grid_forms *g) {
    return !is_calm(g) && has_to_wait(&g->split_left) ? build_split(g) : bp_forms_build_sorted(g);
}

static bp_status update_linked(bp_grid_forms *g, const bp_changes *changes) {
    const bp_status status = bp_linked_grid_update(&g->linked, g->boxes, g->count, changes);
    take_form(g, status == BP_OK ? BP_FORM_LINKED : BP_FORM_SORTED);
    return status;
}

static bp_status build_linked(bp_grid_forms *g) {
    if (!bp_forms_use_linked(g)) {
        bp_linked_grid_init(&g->linked, g->setup);
    }
    bp_linked_grid_clear(&g->linked);
    return update_linked(g, NULL);
}

bool bp_forms_want_linked(const bp_grid_forms *g) {
    return (g->setup->update == BP_UPDATE_INDIVIDUAL || g->setup->settings.grid_form == BP_GRID_LINKED) &&
           g->count >= g->setup->settings.brute_force_below;
}

bp_status bp_forms_build(bp_grid_forms *g, const bp_box *boxes, size_t count) {
    g->boxes = boxes;
    g->count = count;
    g->calm_count = 0;
    g->is_two = false;
    g->is_queried = false;
    if (bp_forms_want_linked(g)) {
        return build_linked(g);
    }
    return bp_forms_take_strips_or_bundles(g) ? BP_OK : bp_forms_build_sorted_or_split(g);
}

static bool are_few(const bp_grid_forms *g, const bp_changes *changes) {
    return changes != NULL && changes->count < g->count / FEW && g->count >= g->setup->settings.brute_force_below;
}

// Whether to patch the sorted grid of the last update.
static bool wants_patch(bp_grid_forms *g, const bp_changes *changes) {
    const bool few = are_few(g, changes);
    g->calm_count = few ? g->calm_count + 1 : 0;
    return !has_to_wait(&g->patch_wait) && g->form == BP_FORM_SORTED && is_calm(g);
}

// Whether strips or bundles suit this update. Few changes mean the sorted grid, which can be patched; but where there are
// bundles it is costly, and built when it is certain that few will change. While split stays in use, bundles may do its
// work.
static bool stays_or_becomes_plain(bp_grid_forms *g, const bp_changes *changes) {
    if (!are_few(g, changes)) {
        return bp_forms_take_strips_or_bundles(g);
    }
    return !is_calm(g) && (g->form == BP_FORM_BUNDLES || g->split_left > 0) && takes_bundles(g);
}

bp_status bp_forms_update(bp_grid_forms *g, const bp_box *boxes, size_t count, const bp_changes *changes,
                          bp_search_kind *kind) {
    g->boxes = boxes;
    g->count = count;
    g->is_two = false;
    g->is_queried = false;
    *kind = BP_SEARCH_ALL;
    if (bp_forms_want_linked(g) && g->form == BP_FORM_LINKED) {
        *kind = changes != NULL ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
        return update_linked(g, changes);
    }
    if (bp_forms_want_linked(g)) {
        return build_linked(g);
    }
    if (wants_patch(g, changes)) {
        *kind = BP_SEARCH_DIFFERENCE;
        return BP_OK; // bp_hierarchical_grid_find_difference does the work
    }
    return stays_or_becomes_plain(g, changes) ? BP_OK : bp_forms_build_sorted_or_split(g);
}
