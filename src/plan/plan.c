// The rules of the plan.
#include "plan/plan.h"

enum {
    FEW_OF_ONE = 16,       // boxes of one of two sets,
    FEW_TESTS = 16384,     // or pairs of both, that are all tested
    SURVEYED_FROM = 256,   // boxes of which a survey takes less time than a search that does not suit them
    SURVEYED_FIRST = 2048, // boxes of which it takes less time than strips need to look at all of them
    WAIT = 32,             // updates before a search that did not suit is tried again; later up to
    WAIT_MOST = 1024,      // so many
    CALM_SHARE = 8,        // fewer changes than one object in so many are calm
    SURVEY_EVERY = 32,     // updates at least: with 100 objects that all move, a survey is then 2 % of the work
    SURVEY_AT_LAST = 128,  // updates, however few objects have changed
    GROWTH = 2             // a world that has become so many times larger or smaller is surveyed at once
};

static const double BETTER = 0.9; // of the cost of the search that a world has: then another one takes over

// Others that a box meets where nobody has looked, tests a box by strips in uniform cubes that meet so many; what each further one
// takes, in nanoseconds (0.23 to 0.32, for cubes and long boxes, 10^3 to 10^5); and how much of their cost is gone when they
// have been sorted.
static const double USUAL_MET = 4.0, USUAL_TESTS = 16.0, TEST = 0.28, SORTED = 6.0;

static const bp_method searches[] = {BP_METHOD_BRUTE_FORCE, BP_METHOD_STRIPS, BP_METHOD_TREE,
                                     BP_METHOD_HIERARCHICAL_GRID, BP_METHOD_SPLIT};
enum { SEARCHES = sizeof searches / sizeof *searches };

static const bp_rule rule_of[BP_KIND_COUNT] = {
    [BP_KIND_ALIKE] = BP_RULE_ALIKE,  [BP_KIND_LONG] = BP_RULE_LONG,    [BP_KIND_THIN] = BP_RULE_THIN,
    [BP_KIND_SIZES] = BP_RULE_MIXED,  [BP_KIND_SHAPES] = BP_RULE_MIXED, [BP_KIND_CLUMPS] = BP_RULE_CLUMPS,
    [BP_KIND_SCALES] = BP_RULE_SCALES};

static bool has_grid_settings(const bp_method_settings *settings) {
    bool has_any =
        settings->hierarchy_factor > 0.0f || settings->grid_form != BP_GRID_AUTOMATIC || settings->grid_load != 1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        has_any |= settings->grid_size[axis] != 0;
    }
    return has_any;
}

// The cheapest search for boxes of a kind, but for those whose bits are set in `without`.
static bp_plan cheapest(bp_use use, bp_kind kind, double met, size_t count, uint32_t without) {
    bp_plan plan = {.search = BP_METHOD_SPLIT, .rule = rule_of[kind], .cost = INFINITY, .next_cost = INFINITY};
    for (size_t i = 0; i < SEARCHES; ++i) {
        const double cost = (without >> searches[i] & 1) != 0 ? INFINITY : bp_cost(use, kind, searches[i], count, met);
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
    plan.rule = plan.search == BP_METHOD_BRUTE_FORCE                   ? BP_RULE_FEW
                : plan.search == BP_METHOD_TREE && use == BP_USE_WORLD ? BP_RULE_KEPT
                                                                       : plan.rule;
    return plan;
}

// Strips tell how many tests they take once they are sorted; if these are many, another search may be the better one. Where all
// boxes are alike they overlap so often that every search takes longer. `is_known`: what boxes are like; else nobody has looked.
static bp_plan confirm_strips(bp_plan plan, bp_use use, bool is_known, size_t count, uint32_t without,
                              const bp_plan_questions *ask) {
    const double tests = ask->sort_strips(ask->context);
    if (tests <= USUAL_TESTS || (is_known && plan.rule == BP_RULE_ALIKE && isfinite(tests))) {
        return plan;
    }
    const bool has_facts = is_known || count >= SURVEYED_FROM;
    const bp_kind kind = has_facts ? bp_kind_of(ask->facts(ask->context), isinf(tests)) : BP_KIND_SIZES;
    const double met = has_facts ? ask->facts(ask->context)->met : USUAL_MET;
    const bp_plan other = cheapest(use, kind, met, count, without | 1u << BP_METHOD_STRIPS);
    if (kind == BP_KIND_ALIKE && isfinite(tests)) {
        return plan;
    }
    plan.cost = bp_cost(use, BP_KIND_ALIKE, BP_METHOD_STRIPS, count, USUAL_MET) + TEST * (tests - USUAL_TESTS);
    plan.next = other.search;
    plan.next_cost = other.cost;
    return isinf(tests) || plan.cost > SORTED + other.cost ? other : plan;
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
    const uint32_t without = all_pairs_below != BP_BRUTE_FORCE_BELOW || sets->are_two ? 1u << BP_METHOD_BRUTE_FORCE : 0;
    const bool is_known = count >= SURVEYED_FIRST;
    const bp_kind kind = is_known ? bp_kind_of(ask->facts(ask->context), false) : BP_KIND_ALIKE;
    const double met = is_known ? ask->facts(ask->context)->met : USUAL_MET;
    const bp_plan plan = cheapest(use, kind, met, count, without);
    return plan.search == BP_METHOD_STRIPS ? confirm_strips(plan, use, is_known, count, without, ask) : plan;
}

// ---- a world --------------------------------------------------------------------------------------------------------

bool bp_plan_wants_survey(const bp_history *h, size_t count) {
    const bool is_another = count > GROWTH * h->count || count * GROWTH < h->count;
    return is_another || (h->age >= SURVEY_EVERY && (h->changed >= count / 2 || h->age >= SURVEY_AT_LAST));
}

bp_plan bp_plan_update(const bp_method_setup *setup, size_t count, size_t changed, bool has_parts, bp_history *history,
                       const bp_plan_questions *ask) {
    const bool is_calm = changed < count / CALM_SHARE, is_kept = setup->update == BP_UPDATE_INDIVIDUAL;
    const bp_method before = history->search;
    ++history->age;
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
    const bp_choice *facts = ask->facts(ask->context);
    const bp_kind kind = bp_kind_of(facts, history->strips_wait > 0);
    const uint32_t without = history->strips_wait > 0 ? 1u << BP_METHOD_STRIPS : 0;
    bp_plan plan = cheapest(BP_USE_WORLD, kind, facts->met, count, without);
    if (plan.search == BP_METHOD_STRIPS) {
        plan = confirm_strips(plan, BP_USE_WORLD, true, count, without, ask);
        history->strips_wait = plan.search == BP_METHOD_STRIPS ? 0 : WAIT;
    }
    if (plan.search != before && before != BP_METHOD_AUTO && before != BP_METHOD_STRIPS &&
        plan.cost > BETTER * bp_cost(BP_USE_WORLD, kind, before, count, facts->met)) {
        plan.next = plan.search;
        plan.next_cost = plan.cost;
        plan.search = before;
        plan.cost = bp_cost(BP_USE_WORLD, kind, before, count, facts->met);
    }
    history->search = plan.search;
    return plan;
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
