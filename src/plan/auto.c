// auto: the driver. It asks for a plan (plan.h), runs it on a budget of tests, and asks for the next plan if the budget is over;
// the last one in line is split, which has no bad input. To everybody else it is a method like the others.
//
//     boxes ---> plan ---> search on a budget ---> pairs
//                  ^             |
//                  +-- history --+
//
// Two sets are one search like others, of which nothing is kept: where most of a set is away from the other one, that is left out
// first (cut_sets.h); strips hold both sets and keep them apart by flags; the other searches are built over one of them.
#include "base/details.h"
#include "base/pair_renaming.h"
#include "engine/all_pairs.h"
#include "engine/grid/cut_sets.h"
#include "engine/grid/strips.h"
#include "engine/method.h"
#include "plan/plan.h"
#include "plan/survey.h"

enum {
    CALM_SHARE = 8 // fewer changes than one object in so many are calm
};

typedef struct auto_search {
    const bp_method_setup *setup;
    bp_strip_sets sets; // the boxes of the last build or update; or two sets, cut to where they meet
    bp_parts parts;

    bp_plan plan; // of the last build or update
    bp_history history;
    bp_choice facts; // of the last survey
    bool are_facts_new;
    bool is_calm;         // few changed in the last update
    bool is_tree_current; // it has seen all updates

    bp_cut_sets cut;
    bp_strip_grid strips;
    bp_status strips_status; // of the last time they were sorted
    bp_all_pairs all;
    void *grid, *tree, *split; // states of these methods; NULL until they are needed
} auto_search;

static void auto_init(void *state, const bp_method_setup *setup) {
    auto_search *s = state;
    *s = (auto_search){.setup = setup, .parts = BP_PARTS_NONE, .cut = {.setup = setup}, .all = {.setup = setup}};
    bp_strip_grid_init(&s->strips, setup);
}

static const bp_method_ops *ops_of(const auto_search *s, bp_method search) {
    return bp_method_get(search, s->setup);
}

static void **place_of(auto_search *s, bp_method search) {
    return search == BP_METHOD_TREE ? &s->tree : search == BP_METHOD_SPLIT ? &s->split : &s->grid;
}

static void *state_of(const auto_search *s, bp_method search) {
    return search == BP_METHOD_TREE ? s->tree : search == BP_METHOD_SPLIT ? s->split : s->grid;
}

static void auto_free(void *state) {
    auto_search *s = state;
    const bp_allocator *allocator = &s->setup->runtime.allocator;
    bp_cut_sets_free(&s->cut);
    bp_strip_grid_free(&s->strips);
    bp_all_pairs_free(&s->all);
    static const bp_method kept[] = {BP_METHOD_HIERARCHICAL_GRID, BP_METHOD_TREE, BP_METHOD_SPLIT};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
        if (state_of(s, kept[i]) != NULL) {
            bp_method_destroy(ops_of(s, kept[i]), allocator, state_of(s, kept[i]));
        }
    }
}

static void auto_empty(void *state) {
    auto_search *s = state;
    const bp_history history = {.search = s->history.search, .changes = s->history.changes};
    auto_free(s);
    auto_init(s, s->setup);
    s->history = history;
}

static void auto_set_parts(void *state, const bp_parts *parts) {
    auto_search *s = state;
    s->parts = *parts;
    if (s->tree != NULL) {
        bp_tree_ops.set_parts(s->tree, parts);
    }
}

// ---- what a plan asks -----------------------------------------------------------------------------------------------

static bool have_runs(void *context) {
    const auto_search *s = context;
    const bp_strip_sets *sets = &s->sets;
    return bp_survey_finds_runs(sets->boxes[0], sets->counts[0], s->setup->dimensions) &&
           (!sets->are_two || bp_survey_finds_runs(sets->boxes[1], sets->counts[1], s->setup->dimensions));
}

// Whether memory is short decides nothing: then build_plan fails.
static double sort_strips(void *context) {
    auto_search *s = context;
    bool gave_up = true;
    if (bp_strip_grid_suits(&s->strips, &s->sets, s->are_facts_new ? s->facts.clumping : 1.0)) {
        s->strips_status = bp_strip_grid_sort(&s->strips, &s->sets, &gave_up);
    }
    if (s->strips_status != BP_OK) {
        return 0.0;
    }
    return gave_up ? INFINITY : (double)s->strips.tests / (double)(s->sets.counts[0] + s->sets.counts[1]);
}

static const bp_choice *facts_of(void *context) {
    auto_search *s = context;
    if (!s->are_facts_new) {
        bp_survey_take(&s->facts, s->setup, &s->sets);
        s->are_facts_new = true;
    }
    return &s->facts;
}

static bp_plan_questions questions_about(auto_search *s) {
    return (bp_plan_questions){have_runs, sort_strips, facts_of, s};
}

// ---- building -------------------------------------------------------------------------------------------------------

// Of two sets, a tree is built over the smaller one: if it is much smaller, the other one needs no tree.
static int built_set(const auto_search *s) {
    const bool is_tree = s->plan.search == BP_METHOD_TREE;
    return s->sets.are_two && !(is_tree && s->sets.counts[0] < s->sets.counts[1]) ? 1 : 0;
}

static bp_status build_plan(auto_search *s) {
    const bp_method search = s->plan.search;
    const bp_box *boxes = s->sets.boxes[built_set(s)];
    const size_t count = s->sets.counts[built_set(s)];
    if (search == BP_METHOD_BRUTE_FORCE) {
        return s->sets.are_two ? BP_OK : bp_all_pairs_build(&s->all, boxes, count);
    }
    if (search == BP_METHOD_STRIPS) {
        return s->strips_status;
    }
    void **state = place_of(s, search);
    *state = *state != NULL ? *state : bp_method_create(ops_of(s, search), s->setup);
    if (*state == NULL) {
        return BP_ERROR_MEMORY;
    }
    if (search != BP_METHOD_TREE) {
        return ops_of(s, search)->build(*state, boxes, count);
    }
    bp_tree_ops.set_parts(s->tree, &s->parts);
    return bp_tree_method_build(s->tree, boxes, count, s->plan.order);
}

// A plan for boxes of which nothing is kept.
static bp_status plan_and_build(auto_search *s, const bp_strip_sets *sets) {
    const bp_plan_questions ask = questions_about(s);
    s->sets = *sets;
    s->strips_status = BP_OK;
    s->is_calm = s->are_facts_new = false;
    s->facts = (bp_choice){.rule = BP_RULE_FEW};
    s->plan = bp_plan_call(s->setup, sets, s->parts.of != NULL, &ask);
    const bp_status status = build_plan(s);
    s->is_tree_current = s->plan.search == BP_METHOD_TREE && s->setup->is_kept && status == BP_OK;
    return status;
}

// Counts how often the search was changed.
static void note_search(auto_search *s, bp_method before) {
    s->history.changes += before != s->plan.search && before != BP_METHOD_AUTO;
    s->history.search = s->plan.search;
}

static bp_status auto_build(void *state, const bp_box *boxes, size_t count) {
    auto_search *s = state;
    const bp_strip_sets set = bp_strip_one_set(boxes, count);
    const bp_status status = plan_and_build(s, &set);
    note_search(s, s->history.search);
    return status;
}

static bp_status auto_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                             bp_search_kind *kind) {
    auto_search *s = state;
    if (s->setup->update == BP_UPDATE_REBUILD) {
        return auto_build(s, boxes, count);
    }
    const bp_plan_questions ask = questions_about(s);
    const size_t changed = changes != NULL ? changes->count : count;
    s->sets = bp_strip_one_set(boxes, count);
    s->strips_status = BP_OK;
    s->is_calm = changed < count / CALM_SHARE;
    s->are_facts_new = !bp_plan_wants_survey(&s->history, count, s->parts.of != NULL);
    if (!s->are_facts_new) {
        (void)facts_of(s);
        s->facts.moving = count > 0 ? (double)changed / (double)count : 0.0;
        s->history.age = 0;
        s->history.changed = 0;
        s->history.count = count;
    }
    const bp_method before = s->history.search;
    s->plan = bp_plan_update(s->setup, count, changed, s->parts.of != NULL, &s->history, &ask);
    note_search(s, before);
    *kind = BP_SEARCH_ALL;
    const bp_method_ops *given = ops_of(s, s->plan.search);
    if (s->plan.rule == BP_RULE_GIVEN && s->grid != NULL && given->update != NULL) {
        return given->update(s->grid, boxes, count, changes, kind);
    }
    if (s->plan.search != BP_METHOD_TREE) {
        s->is_tree_current = false;
        return build_plan(s);
    }
    s->tree = s->tree != NULL ? s->tree : bp_method_create(&bp_tree_ops, s->setup);
    if (s->tree == NULL) {
        return BP_ERROR_MEMORY;
    }
    s->parts.is_part_1_listed &= s->is_tree_current;
    bp_tree_method_want(s->tree, bp_plan_order(&s->facts, s->is_calm));
    bp_tree_ops.set_parts(s->tree, &s->parts);
    const bp_status status = bp_tree_ops.update(s->tree, boxes, count, s->is_tree_current ? changes : NULL,
                                                &(bp_search_kind){BP_SEARCH_ALL});
    s->is_tree_current = status == BP_OK;
    *kind = bp_parts_has_few(&s->parts, count, changes) ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
    return status;
}

// ---- searching ------------------------------------------------------------------------------------------------------

// Drops the pairs that parts rule out, for a search that knows no parts.
typedef struct part_filter {
    const bp_parts *parts;
    bp_batch_filter next;
} part_filter;

static size_t keep_between_parts(const void *context, bp_pair *pairs, size_t count) {
    const part_filter *f = context;
    const uint8_t *of = f->parts->of;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint8_t a = of[pairs[i].a], b = of[pairs[i].b];
        pairs[kept] = pairs[i];
        kept += a != BP_PART_NEITHER && b != BP_PART_NEITHER && (a != b || f->parts->meets_itself[a]);
    }
    return f->next.keep != NULL ? f->next.keep(f->next.context, pairs, kept) : kept;
}

// The pairs of changed objects, or (NULL) all.
static bp_status search_one(auto_search *s, const bp_changes *changes, bp_sink *sink) {
    const part_filter filter = {&s->parts, sink->rules.filter};
    const bool is_filtered = s->parts.of != NULL && s->plan.search != BP_METHOD_TREE;
    if (is_filtered) {
        sink->rules.filter = (bp_batch_filter){keep_between_parts, &filter};
    }
    bp_status status;
    switch (s->plan.search) {
    case BP_METHOD_BRUTE_FORCE: status = bp_all_pairs_find(&s->all, sink); break;
    case BP_METHOD_STRIPS: status = bp_strip_grid_find(&s->strips, &s->sets, sink); break;
    default: {
        const bp_method_ops *ops = ops_of(s, s->plan.search);
        void *searched = state_of(s, s->plan.search);
        status = changes != NULL ? ops->find_changed(searched, changes, sink) : ops->find(searched, sink);
        break;
    }
    }
    if (is_filtered) {
        bp_sink_flush(sink);
        sink->rules.filter = filter.next;
    }
    return status;
}

static bp_status search_two(auto_search *s, bp_sink *sink) {
    const bp_strip_sets *sets = &s->sets;
    const int other = 1 - built_set(s);
    bp_pair_renaming names = {.swaps = other == 1};
    bp_status status;
    if (s->plan.search == BP_METHOD_BRUTE_FORCE) {
        return bp_all_pairs_find_between(&s->all, sets->boxes[0], sets->counts[0], sets->boxes[1], sets->counts[1],
                                         sink);
    }
    if (s->plan.search == BP_METHOD_STRIPS) {
        return bp_strip_grid_find(&s->strips, sets, sink);
    }
    if (names.swaps) {
        bp_pair_renaming_begin(&names, sink);
    }
    status = ops_of(s, s->plan.search)
                 ->find_between(state_of(s, s->plan.search), sets->boxes[other], sets->counts[other], sink);
    if (names.swaps) {
        bp_pair_renaming_end(&names, sink);
    }
    return status;
}

static bp_status search_all(auto_search *s, bp_sink *sink) {
    return s->sets.are_two ? search_two(s, sink) : search_one(s, NULL, sink);
}

static bp_status auto_find(void *state, bp_sink *sink) {
    auto_search *s = state;
    for (;;) {
        bp_test_budget budget;
        const bool is_known = s->plan.search == BP_METHOD_SPLIT || s->plan.search == BP_METHOD_STRIPS;
        if (is_known || s->plan.rule == BP_RULE_GIVEN || s->plan.rule == BP_RULE_FEW) {
            return search_all(s, sink); // split has no bad input, and how many tests strips need was known before
        }
        bp_sink_begin_budget(sink, &budget, s->sets.counts[0] + s->sets.counts[1]);
        bp_status status = search_all(s, sink);
        if (bp_sink_end_budget(sink, &budget)) {
            return status;
        }
        const bool has_kept_tree = s->plan.search == BP_METHOD_TREE && s->is_tree_current;
        s->plan = bp_plan_after(s->is_calm, has_kept_tree, &s->history);
        status = build_plan(s);
        if (status != BP_OK) {
            return status;
        }
    }
}

static bp_status auto_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    return search_one(state, changes, sink);
}

static bp_status auto_find_two(void *state, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                               bp_sink *sink) {
    auto_search *s = state;
    bp_strip_sets sets = bp_strip_two_sets(a, a_count, b, b_count);
    bp_pair_renaming names = {.ids = {NULL}};
    if (!bp_cut_sets_apply(&s->cut, &sets, names.ids)) {
        return BP_ERROR_MEMORY;
    }
    if (sets.counts[0] == 0 || sets.counts[1] == 0) {
        s->sets = sets;
        s->plan = (bp_plan){.search = BP_METHOD_BRUTE_FORCE, .rule = BP_RULE_FEW};
        return BP_OK;
    }
    const bp_status status = plan_and_build(s, &sets);
    if (status != BP_OK || (names.ids[0] == NULL && names.ids[1] == NULL)) {
        return status == BP_OK ? auto_find(s, sink) : status;
    }
    bp_pair_renaming_begin(&names, sink);
    const bp_status found = auto_find(s, sink);
    bp_pair_renaming_end(&names, sink);
    return found;
}

static bp_status auto_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    const bp_strip_sets sets = ((const auto_search *)state)->sets;
    return auto_find_two(state, boxes, count, sets.boxes[0], sets.counts[0], sink);
}

static size_t auto_trees(const void *state, const bp_tree *trees[2]) {
    const auto_search *s = state;
    return s->plan.search == BP_METHOD_TREE && !s->sets.are_two ? bp_tree_ops.trees(s->tree, trees) : 0;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

static size_t bytes_of(const bp_method_ops *ops, const void *state) {
    bp_stats stats = {0};
    if (state != NULL) {
        ops->stats(state, &stats);
    }
    return stats.bytes;
}

static void auto_stats(const void *state, bp_stats *stats) {
    const auto_search *s = state;
    bp_stats strips = {0}, all = {0};
    bp_details details = {.choice = s->facts, .handed_over = s->plan.rule == BP_RULE_MISFIT};
    bp_choice *choice = &details.choice;
    bp_strip_grid_stats(&s->strips, &strips);
    bp_all_pairs_stats(&s->all, &all);
    if (s->facts.sampled == 0 && s->setup->is_explained) {
        bp_survey_take(choice, s->setup, &s->sets);
    }
    const bp_rule seen = bp_plan_rule_of(choice); // by a plan that has seen no facts, all that suits no strips is mixed
    const bool says_more = s->facts.sampled == 0 && s->plan.rule == BP_RULE_MIXED && seen != BP_RULE_ALIKE;
    choice->rule = says_more ? seen : s->plan.rule;
    choice->changes = s->history.changes;
    choice->foreseen = isfinite(s->plan.cost) ? s->plan.cost : 0.0;
    choice->next = s->plan.next;
    choice->next_foreseen = isfinite(s->plan.next_cost) ? s->plan.next_cost : 0.0;
    stats->method = s->plan.search;
    switch (s->plan.search) {
    case BP_METHOD_BRUTE_FORCE: bp_all_pairs_stats(&s->all, stats); break;
    case BP_METHOD_STRIPS: bp_strip_grid_stats(&s->strips, stats); break;
    default: ops_of(s, s->plan.search)->stats(state_of(s, s->plan.search), stats); break;
    }
    stats->bytes = sizeof *s + strips.bytes + all.bytes + bp_cut_sets_bytes(&s->cut) +
                   bytes_of(ops_of(s, BP_METHOD_HIERARCHICAL_GRID), s->grid) + bytes_of(&bp_tree_ops, s->tree) +
                   bytes_of(&bp_split_ops, s->split);
    bp_details_write(stats, &details);
}

static bp_status auto_validate(const void *state) {
    const auto_search *s = state;
    if (s->plan.search == BP_METHOD_STRIPS && !s->sets.are_two) {
        return bp_strip_grid_validate(&s->strips, s->sets.boxes[0], s->sets.counts[0]);
    }
    const bool has_state = s->plan.search >= BP_METHOD_LINKED_CELLS && s->plan.search != BP_METHOD_STRIPS;
    const void *searched = has_state && !s->sets.are_two ? state_of(s, s->plan.search) : NULL;
    return searched == NULL ? BP_OK : ops_of(s, s->plan.search)->validate(searched);
}

const bp_method_ops bp_auto_ops = {
    .name = "auto",
    .summary = "planned from the boxes: tree, strips, hierarchical-grid or split",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(auto_search),
    .init = auto_init,
    .free = auto_free,
    .empty = auto_empty,
    .set_parts = auto_set_parts,
    .build = auto_build,
    .update = auto_update,
    .find = auto_find,
    .find_changed = auto_find_changed,
    .find_between = auto_find_between,
    .find_two = auto_find_two,
    .trees = auto_trees,
    .stats = auto_stats,
    .validate = auto_validate,
};
