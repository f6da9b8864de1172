// The rules of the plan.
#include "plan/plan.h"

enum {
    FEW_OF_ONE = 16,      // boxes of one of two sets,
    FEW_TESTS = 16384,    // or pairs of both, that are all tested
    SURVEYED_FROM = 2048, // boxes of a call: of fewer, a survey takes longer than what it can save;
    SURVEYED_WORLD = 512, // of a world, which is surveyed less often
    USUAL_TESTS = 48,     // for a box, by strips: where so few boxes need more, it is time for a survey
    WAIT = 32,            // updates before a search that did not suit is tried again; later up to
    WAIT_MOST = 1024,     // so many
    CALM_SHARE = 8,       // fewer changes than one object in so many are calm
    SURVEY_EVERY = 32,    // updates at least: with 100 objects that all move, a survey is then 2 % of the work
    SURVEY_AT_LAST = 128, // updates, however few objects have changed
    GROWTH = 2            // a world that has become so many times larger or smaller is surveyed at once
};

static const double SLENDER = 4.0; // the longest edge to the second longest
static const double BETTER = 0.85; // of the cost of the search that a world has, else of the tree: another takes over
static const double BETTER_WITH_EVENTS = 0.6; // of the tree's: it finds pairs in the same order each time
static const double SORTED = 6.0;             // nanoseconds a box that have been spent when strips are sorted

static const bp_method searches[] = {BP_METHOD_STRIPS, BP_METHOD_TREE, BP_METHOD_HIERARCHICAL_GRID, BP_METHOD_SPLIT};
enum { SEARCHES = sizeof searches / sizeof *searches };

bp_rule bp_plan_rule_of(const bp_choice *facts) {
    return facts->infinite >= 0.5          ? BP_RULE_MIXED
           : facts->slenderness >= 16.0    ? BP_RULE_THIN
           : facts->together > 0.25        ? BP_RULE_SCALES
           : facts->slenderness >= SLENDER ? BP_RULE_LONG
           : facts->unevenness > 3.0       ? BP_RULE_MIXED
           : facts->clumping > 4.0         ? BP_RULE_CLUMPS
                                           : BP_RULE_ALIKE;
}

// Along a curve, long boxes of all directions lie in one leaf; where few boxes move, it pays to keep them apart.
bp_tree_order bp_plan_order(const bp_choice *facts, bool is_calm) {
    return is_calm && facts->slenderness >= SLENDER ? BP_TREE_SPLITS : BP_TREE_HILBERT;
}

static bool has_grid_settings(const bp_method_settings *settings) {
    bool has_any =
        settings->hierarchy_factor > 0.0f || settings->grid_form != BP_GRID_AUTOMATIC || settings->grid_load != 1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        has_any |= settings->grid_size[axis] != 0;
    }
    return has_any;
}

// The search that costs least for such boxes, but for `without`.
static bp_plan cheapest(const bp_cost_terms *terms, const bp_choice *facts, bp_method without) {
    bp_plan plan = {.search = BP_METHOD_SPLIT, .rule = bp_plan_rule_of(facts), .cost = INFINITY, .next_cost = INFINITY};
    for (size_t i = 0; i < SEARCHES; ++i) {
        const double cost = searches[i] != without ? bp_cost(terms, searches[i]) : INFINITY;
        if (cost < plan.cost) {
            plan.next = plan.search;
            plan.next_cost = plan.cost;
            plan.search = searches[i];
            plan.cost = cost;
        } else if (cost < plan.next_cost) {
            plan.next = searches[i];
            plan.next_cost = cost;
        }
    }
    plan.rule = plan.search == BP_METHOD_TREE && terms->use == BP_USE_WORLD ? BP_RULE_KEPT : plan.rule;
    return plan;
}

// Strips tell how many tests they take once they are sorted; if these are many, another search may be the better one.
static bp_plan confirm_strips(const bp_cost_terms *terms, const bp_choice *facts, double tests) {
    bp_plan other = cheapest(terms, facts, BP_METHOD_STRIPS);
    if (isinf(tests) && other.rule == BP_RULE_ALIKE) {
        other.rule = BP_RULE_MIXED; // strips have looked at all of them, and found what a sample did not
    }
    const double cost = isfinite(tests) ? bp_cost_of_sorted(terms, tests) : INFINITY;
    return cost > SORTED + other.cost ? other
                                      : (bp_plan){.search = BP_METHOD_STRIPS,
                                                  .rule = bp_plan_rule_of(facts),
                                                  .cost = cost,
                                                  .next = other.search,
                                                  .next_cost = other.cost};
}

static bp_plan by_rule(bp_method search, bp_tree_order order, bp_rule rule) {
    return (bp_plan){.search = search, .order = order, .rule = rule};
}

// Whether all of these are tested: so few that nobody needs to look at them.
static bool are_few(const bp_strip_sets *sets) {
    const size_t a = sets->counts[0], b = sets->counts[1], few = a < b ? a : b;
    return sets->are_two ? few <= FEW_OF_ONE || a + b - few <= FEW_TESTS / few : a < BP_ALL_PAIRS_BELOW;
}

bp_plan bp_plan_call(const bp_method_setup *setup, const bp_strip_sets *sets, bool has_parts,
                     const bp_plan_questions *ask) {
    const size_t count = sets->counts[0] + sets->counts[1], all_pairs_below = setup->settings.brute_force_below;
    const bp_use use = sets->are_two ? BP_USE_BETWEEN : BP_USE_CALL;
    if (!sets->are_two && has_grid_settings(&setup->settings)) {
        return by_rule(BP_METHOD_HIERARCHICAL_GRID, BP_TREE_HILBERT, BP_RULE_GIVEN);
    }
    if (all_pairs_below != BP_BRUTE_FORCE_BELOW && count < all_pairs_below) { // the caller says so
        return by_rule(BP_METHOD_BRUTE_FORCE, BP_TREE_HILBERT, BP_RULE_FEW);
    }
    if (has_parts || (!sets->are_two && setup->update == BP_UPDATE_INDIVIDUAL)) {
        return by_rule(BP_METHOD_TREE, BP_TREE_HILBERT, BP_RULE_KEPT);
    }
    if (all_pairs_below == BP_BRUTE_FORCE_BELOW && are_few(sets)) {
        return by_rule(BP_METHOD_BRUTE_FORCE, BP_TREE_HILBERT, BP_RULE_FEW);
    }
    if (ask->have_runs(ask->context)) {
        return by_rule(BP_METHOD_TREE, BP_TREE_RUNS, BP_RULE_ORDERED);
    }
    bp_cost_terms terms;
    if (count >= SURVEYED_FROM) {
        const bp_choice *facts = ask->facts(ask->context);
        terms = bp_cost_terms_of(use, facts, count);
        const bp_plan plan = cheapest(&terms, facts, BP_METHOD_AUTO);
        return plan.search == BP_METHOD_STRIPS ? confirm_strips(&terms, facts, ask->sort_strips(ask->context)) : plan;
    }
    const double tests = ask->sort_strips(ask->context);
    if (isfinite(tests) && tests > USUAL_TESTS) {
        const bp_choice *facts = ask->facts(ask->context);
        terms = bp_cost_terms_of(use, facts, count);
        return confirm_strips(&terms, facts, tests);
    }
    return isinf(tests) ? by_rule(BP_METHOD_SPLIT, BP_TREE_HILBERT, BP_RULE_MIXED)
                        : by_rule(BP_METHOD_STRIPS, BP_TREE_HILBERT, BP_RULE_ALIKE);
}

// ---- a world --------------------------------------------------------------------------------------------------------

bool bp_plan_wants_survey(const bp_history *h, size_t count, bool has_parts) {
    const bool is_another = count > GROWTH * h->count || count * GROWTH < h->count;
    const bool is_tree = count < SURVEYED_WORLD || has_parts; // in any case: facts are for who reads them
    return is_another ||
           (!is_tree && (h->age >= SURVEY_EVERY && (h->changed >= count / 2 || h->age >= SURVEY_AT_LAST)));
}

bp_plan bp_plan_update(const bp_method_setup *setup, size_t count, size_t changed, bool has_parts, bp_history *history,
                       const bp_plan_questions *ask) {
    const bool is_calm = changed < count / CALM_SHARE, is_kept = setup->update == BP_UPDATE_INDIVIDUAL;
    const bp_method before = history->search;
    ++history->age;
    history->better_wait -= history->better_wait > 0;
    history->changed += changed;
    history->split_left -= history->split_left > 0;
    history->strips_wait -= history->strips_wait > 0;
    const bp_plan tree = by_rule(BP_METHOD_TREE, BP_TREE_HILBERT, BP_RULE_KEPT);
    if (has_grid_settings(&setup->settings)) {
        return by_rule(BP_METHOD_HIERARCHICAL_GRID, BP_TREE_HILBERT, BP_RULE_GIVEN);
    }
    if (setup->settings.brute_force_below != BP_BRUTE_FORCE_BELOW && count < setup->settings.brute_force_below) {
        return by_rule(BP_METHOD_BRUTE_FORCE, BP_TREE_HILBERT, BP_RULE_FEW);
    }
    if (is_calm || is_kept) {
        return tree;
    }
    if (history->split_left > 0) {
        return by_rule(BP_METHOD_SPLIT, BP_TREE_HILBERT, BP_RULE_MISFIT);
    }
    if (has_parts) {
        return tree;
    }
    if (count < SURVEYED_WORLD) {
        return tree;
    }
    const bp_choice *facts = ask->facts(ask->context);
    const bp_cost_terms terms = bp_cost_terms_of(BP_USE_WORLD, facts, count);
    bp_plan plan = cheapest(&terms, facts, history->strips_wait > 0 ? BP_METHOD_STRIPS : BP_METHOD_AUTO);
    if (plan.search == BP_METHOD_STRIPS) {
        plan = confirm_strips(&terms, facts, ask->sort_strips(ask->context));
        history->strips_wait = plan.search == BP_METHOD_STRIPS ? 0 : WAIT;
    }
    const bool stays = (before == BP_METHOD_HIERARCHICAL_GRID && !setup->has_events) || before == BP_METHOD_SPLIT;
    const bp_method kept = stays ? before : BP_METHOD_TREE;
    const double better = setup->has_events && kept == BP_METHOD_TREE ? BETTER_WITH_EVENTS : BETTER;
    if (plan.search != before && plan.search != kept && plan.cost > better * bp_cost(&terms, kept)) {
        plan.next = plan.search;
        plan.next_cost = plan.cost;
        plan.search = kept;
        plan.cost = bp_cost(&terms, kept);
        plan.rule = kept == BP_METHOD_TREE ? BP_RULE_KEPT : plan.rule;
    }
    return plan;
}

bp_plan bp_plan_after(bool is_calm, bool has_kept_tree, bp_history *history) {
    if (has_kept_tree && history->better_wait == 0) {
        history->better_wait = WAIT;
        return by_rule(BP_METHOD_TREE, BP_TREE_SPLITS, BP_RULE_KEPT);
    }
    if (!is_calm) {
        const uint32_t stays = 2 * history->split_stays;
        history->split_stays = stays < WAIT ? WAIT : stays < WAIT_MOST ? stays : WAIT_MOST;
        history->split_left = history->split_stays;
    }
    return by_rule(BP_METHOD_SPLIT, BP_TREE_HILBERT, BP_RULE_MISFIT);
}
