// The rules of the plan. Times are of one core (Zen 4), as shares of the time of the other search.
#include "plan/plan.h"

enum {
    WAIT = 32,                 // updates before a search that did not suit is tried again; later up to
    WAIT_MOST = 1024,          // so many
    CALM_SHARE = 8,            // fewer changes than one object in so many are calm
    GRID_CALL_FROM = 1 << 15,  // boxes of one call that are alike: 10^5 uniform cubes, tree / grid 1.2
    GRID_WORLD_FROM = 1 << 19, // objects that all move: uniform cubes, grid / tree at 10^5 1.3, at 10^6 0.85
    ALIKE_OCTAVES = 4,         // of sizes, up to which so many objects share few levels
    SURVEY_EVERY = 8,          // updates at least: with 10^3 objects that all move, a survey is then 0.3 % of the work
    SURVEY_AT_LAST = 128,      // updates, however few objects have changed
    GROWTH = 2                 // a world that has become so many times larger or smaller is surveyed at once
};

// Boxes so many times as long as wide (the median) overlap each other in any order of places: needles of one call, tree / split
// at 10^3, 10^4, 10^5: 2, 2.7, 5.
static const double THIN = 16.0;

// If the smaller half of the boxes is in this part of the extent, most of them are in one cell of the curve.
static const double SCALES = 0x1p-9;

// Tests a box by the tree from which strips are better, if boxes are so many times as long as wide: boxes of 10 x 1 x 1, of which
// the tree tests 100, strips / tree 0.66 at 10^5. Cubes, of which it tests 26: 1.3; in clusters, 84: 1.2.
static const double STRIPS_FROM = 48.0, LONG = 4.0;

static bool has_grid_settings(const bp_method_settings *settings) {
    bool has_any =
        settings->hierarchy_factor > 0.0f || settings->grid_form != BP_GRID_AUTOMATIC || settings->grid_load != 1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        has_any |= settings->grid_size[axis] != 0;
    }
    return has_any;
}

bp_plan bp_plan_call(const bp_method_setup *setup, size_t count, bool has_parts, const bp_plan_questions *ask) {
    const bp_method_settings *settings = &setup->settings;
    const size_t all_pairs_below = settings->brute_force_below;
    if (has_grid_settings(settings)) {
        return (bp_plan){.search = BP_METHOD_HIERARCHICAL_GRID, .rule = BP_RULE_GIVEN};
    }
    if (has_parts || setup->update == BP_UPDATE_INDIVIDUAL) {
        return (bp_plan){.search = BP_METHOD_TREE, .order = BP_TREE_HILBERT, .rule = BP_RULE_KEPT};
    }
    if (count < BP_ALL_PAIRS_BELOW && count < all_pairs_below) {
        return (bp_plan){.search = BP_METHOD_BRUTE_FORCE, .rule = BP_RULE_FEW};
    }
    if (ask->have_runs(ask->context)) {
        return (bp_plan){.search = BP_METHOD_TREE, .order = BP_TREE_RUNS, .rule = BP_RULE_ORDERED};
    }
    if ((count >= all_pairs_below || all_pairs_below == BP_BRUTE_FORCE_BELOW) && ask->suit_strips(ask->context)) {
        return (bp_plan){.search = BP_METHOD_STRIPS, .rule = BP_RULE_ALIKE};
    }
    if (count < all_pairs_below) {
        return (bp_plan){.search = BP_METHOD_BRUTE_FORCE, .rule = BP_RULE_FEW};
    }
    const bp_choice *facts = ask->facts(ask->context);
    if (facts->slenderness >= THIN) {
        return (bp_plan){.search = BP_METHOD_SPLIT, .rule = BP_RULE_THIN};
    }
    if (facts->nesting < SCALES && facts->infinite < 0.5) {
        return (bp_plan){.search = BP_METHOD_SPLIT, .rule = BP_RULE_SCALES};
    }
    if (count > GRID_CALL_FROM && facts->octaves <= ALIKE_OCTAVES) {
        return (bp_plan){.search = BP_METHOD_HIERARCHICAL_GRID, .rule = BP_RULE_MANY};
    }
    return (bp_plan){.search = BP_METHOD_TREE, .order = BP_TREE_HILBERT, .rule = BP_RULE_MIXED};
}

// ---- a world --------------------------------------------------------------------------------------------------------

bool bp_plan_wants_survey(const bp_history *h, size_t count) {
    const bool is_another = count > GROWTH * h->count || count * GROWTH < h->count;
    return is_another || (h->age >= SURVEY_EVERY && (h->changed >= count / 2 || h->age >= SURVEY_AT_LAST));
}

bp_plan bp_plan_update(const bp_method_setup *setup, size_t count, size_t changed, bool has_parts, bp_history *history,
                       const bp_plan_questions *ask) {
    const bool is_calm = changed < count / CALM_SHARE, is_kept = setup->update == BP_UPDATE_INDIVIDUAL;
    ++history->age;
    history->changed += changed;
    history->split_left -= history->split_left > 0;
    history->strips_wait -= history->strips_wait > 0;
    const bp_plan tree = {.search = BP_METHOD_TREE, .order = BP_TREE_HILBERT, .rule = BP_RULE_KEPT};
    if (has_grid_settings(&setup->settings)) {
        return (bp_plan){.search = BP_METHOD_HIERARCHICAL_GRID, .rule = BP_RULE_GIVEN};
    }
    if (is_calm || is_kept) {
        return tree;
    }
    if (history->split_left > 0) {
        return (bp_plan){.search = BP_METHOD_SPLIT, .rule = BP_RULE_MISFIT};
    }
    if (has_parts) {
        return tree;
    }
    if (history->tree_tests > STRIPS_FROM && history->strips_wait == 0) {
        if (ask->facts(ask->context)->slenderness >= LONG && ask->suit_strips(ask->context)) {
            return (bp_plan){.search = BP_METHOD_STRIPS, .rule = BP_RULE_ALIKE};
        }
        history->strips_wait = WAIT;
    }
    if (count >= GRID_WORLD_FROM && ask->facts(ask->context)->octaves <= ALIKE_OCTAVES) {
        return (bp_plan){.search = BP_METHOD_HIERARCHICAL_GRID, .rule = BP_RULE_MANY};
    }
    return tree;
}

// In calm times the tree stays: only this one search for all pairs is too much for it.
bp_plan bp_plan_after(bool is_calm, bp_history *history) {
    if (!is_calm) {
        const uint32_t stays = 2 * history->split_stays;
        history->split_stays = stays < WAIT ? WAIT : stays < WAIT_MOST ? stays : WAIT_MOST;
        history->split_left = history->split_stays;
    }
    return (bp_plan){.search = BP_METHOD_SPLIT, .rule = BP_RULE_MISFIT};
}
