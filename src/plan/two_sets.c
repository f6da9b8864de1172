#include "plan/two_sets.h"

#include "base/boxes.h"
#include "base/pair_renaming.h"
#include "base/sample.h"
#include "engine/method.h"
#include "plan/survey.h"

enum {
    FEW = 16,            // boxes of one set,
    FEW_TESTS = 16384,   // or pairs of both, that are all tested
    SPLIT_MOST = 1024,   // boxes of each set for which split takes less time than trees
    SAMPLE = 64,         // boxes of each set that tell whether most are needles
    BUDGET_LEAST = 4096, // objects
};

static const float SLENDER = 16.0f; // a needle is so many times as long as it is wide

void bp_two_sets_init(bp_two_sets *sets, const bp_method_setup *setup) {
    *sets = (bp_two_sets){.setup = setup, .cut = {.setup = setup}, .all = {.setup = setup}};
    bp_strip_grid_init(&sets->strips, setup);
    bp_tree_init(&sets->runs[0], setup);
    bp_tree_init(&sets->runs[1], setup);
}

void bp_two_sets_free(bp_two_sets *sets) {
    const bp_allocator *allocator = &sets->setup->runtime.allocator;
    bp_all_pairs_free(&sets->all);
    bp_tree_free(&sets->runs[0]);
    bp_tree_free(&sets->runs[1]);
    bp_cut_sets_free(&sets->cut);
    bp_strip_grid_free(&sets->strips);
    bp_method_destroy(&bp_tree_ops, allocator, sets->tree);
    bp_method_destroy(&bp_split_ops, allocator, sets->split);
}

size_t bp_two_sets_bytes(const bp_two_sets *sets) {
    bp_stats strips = {0}, tree = {0}, split = {0}, all = {0};
    bp_all_pairs_stats(&sets->all, &all);
    bp_strip_grid_stats(&sets->strips, &strips);
    if (sets->tree != NULL) {
        bp_tree_ops.stats(sets->tree, &tree);
    }
    if (sets->split != NULL) {
        bp_split_ops.stats(sets->split, &split);
    }
    return bp_tree_bytes(&sets->runs[0]) + bp_tree_bytes(&sets->runs[1]) + bp_cut_sets_bytes(&sets->cut) + all.bytes +
           strips.bytes + tree.bytes + split.bytes;
}

// ---- searches -------------------------------------------------------------------------------------------------------

static bp_status find_all_pairs(bp_two_sets *sets, const bp_strip_sets *both, bp_sink *sink) {
    sets->form = BP_TWO_ALL_PAIRS;
    return bp_all_pairs_find_between(&sets->all, both->boxes[0], both->counts[0], both->boxes[1], both->counts[1],
                                     sink);
}

// In the order of the boxes.
static bp_status find_in_runs(bp_two_sets *sets, const bp_strip_sets *both, bp_sink *sink) {
    bp_status status = BP_OK;
    sets->form = BP_TWO_RUNS;
    for (int i = 0; i < 2 && status == BP_OK; ++i) {
        status = bp_tree_build(&sets->runs[i], both->boxes[i], both->counts[i], BP_TREE_RUNS);
    }
    return status == BP_OK ? bp_tree_find_across(&sets->runs[0], &sets->runs[1], false, sink) : status;
}

// Builds a method over one set and searches it for the other.
static bp_status find_by_method(const bp_method_ops *ops, void **state, const bp_method_setup *setup,
                                const bp_strip_sets *both, int built, bp_sink *sink) {
    bp_pair_renaming names = {.swaps = built == 0};
    if (*state == NULL) {
        *state = bp_method_create(ops, setup);
    }
    bp_status status = *state != NULL ? ops->build(*state, both->boxes[built], both->counts[built]) : BP_ERROR_MEMORY;
    if (status != BP_OK) {
        return status;
    }
    if (names.swaps) {
        bp_pair_renaming_begin(&names, sink);
    }
    status = ops->find_between(*state, both->boxes[1 - built], both->counts[1 - built], sink);
    if (names.swaps) {
        bp_pair_renaming_end(&names, sink);
    }
    return status;
}

// Over the smaller set: if it is much smaller, the other one needs no tree.
static bp_status find_in_trees(bp_two_sets *sets, const bp_strip_sets *both, bp_sink *sink) {
    sets->form = BP_TWO_TREES;
    return find_by_method(&bp_tree_ops, &sets->tree, sets->setup, both, both->counts[0] < both->counts[1] ? 0 : 1,
                          sink);
}

static bp_status find_by_split(bp_two_sets *sets, const bp_strip_sets *both, bp_sink *sink) {
    sets->form = BP_TWO_SPLIT;
    return find_by_method(&bp_split_ops, &sets->split, sets->setup, both, 1, sink);
}

// False if the budget ran out: then the sink is as before.
static bool find_on_budget(bp_two_sets *sets,
                           bp_status (*find)(bp_two_sets *sets, const bp_strip_sets *both, bp_sink *sink),
                           const bp_strip_sets *both, bp_sink *sink, bp_status *status) {
    const size_t objects = both->counts[0] + both->counts[1];
    bp_test_budget budget = {.objects = objects > BUDGET_LEAST ? objects : BUDGET_LEAST};
    bp_sink_flush(sink);
    const size_t count = sink->count;
    sink->rules.budget = &budget;
    *status = find(sets, both, sink);
    sink->rules.budget = NULL;
    if (budget.is_over) {
        bp_sink_rewind(sink, count);
    }
    return !budget.is_over;
}

// Whether most boxes are needles: the order of a tree of them is bad.
static bool are_needles(const bp_strip_sets *both, uint32_t dimensions) {
    size_t needles = 0, all = 0;
    for (int set = 0; set < 2; ++set) {
        const size_t count = both->counts[set] < SAMPLE ? both->counts[set] : SAMPLE;
        for (size_t i = 0; i < count; ++i) {
            const bp_box *box = &both->boxes[set][bp_sample_place(both->counts[set], i, count)];
            float longest = 0.0f, second = 0.0f;
            for (uint32_t axis = 0; axis < dimensions; ++axis) {
                const float edge = box->max[axis] - box->min[axis];
                second = bp_larger(second, bp_smaller(edge, longest));
                longest = bp_larger(longest, edge);
            }
            needles += longest > SLENDER * second;
        }
        all += count;
    }
    return 2 * needles > all;
}

static bool suit_trees(const bp_strip_sets *both, uint32_t dimensions) {
    const size_t a = both->counts[0], b = both->counts[1];
    const bool are_few = a + b <= SPLIT_MOST / 2 || (a <= SPLIT_MOST && b <= SPLIT_MOST && 2 * a > b && 2 * b > a);
    return !are_few && !are_needles(both, dimensions);
}

// ---- both sets ------------------------------------------------------------------------------------------------------

// Of sets that have been cut; none is empty.
static bp_status find_pairs(bp_two_sets *sets, const bp_strip_sets *both, bp_sink *sink) {
    const size_t few = both->counts[0] < both->counts[1] ? both->counts[0] : both->counts[1];
    bp_status status = BP_OK;
    if (few <= FEW || both->counts[0] + both->counts[1] - few <= FEW_TESTS / few) {
        return find_all_pairs(sets, both, sink);
    }
    if (bp_survey_finds_runs(both->boxes[0], both->counts[0], sets->setup->dimensions) &&
        bp_survey_finds_runs(both->boxes[1], both->counts[1], sets->setup->dimensions) &&
        find_on_budget(sets, find_in_runs, both, sink, &status)) {
        return status;
    }
    if (bp_strip_grid_suits(&sets->strips, both)) {
        bool gave_up = false;
        sets->form = BP_TWO_STRIPS;
        status = bp_strip_grid_sort(&sets->strips, both, &gave_up);
        if (status != BP_OK || !gave_up) {
            return status == BP_OK ? bp_strip_grid_find(&sets->strips, both, sink) : status;
        }
    }
    if (suit_trees(both, sets->setup->dimensions) && find_on_budget(sets, find_in_trees, both, sink, &status)) {
        return status;
    }
    return find_by_split(sets, both, sink);
}

bp_status bp_two_sets_find(bp_two_sets *sets, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                           bp_sink *sink) {
    bp_strip_sets both = bp_strip_two_sets(a, a_count, b, b_count);
    bp_pair_renaming names = {.ids = {NULL}};
    bp_status status = BP_OK;
    sets->form = BP_TWO_ALL_PAIRS;
    if (!bp_cut_sets_apply(&sets->cut, &both, names.ids)) {
        return BP_ERROR_MEMORY;
    }
    if (both.counts[0] == 0 || both.counts[1] == 0) {
        return BP_OK;
    }
    const bool are_cut = names.ids[0] != NULL || names.ids[1] != NULL;
    if (are_cut) {
        bp_pair_renaming_begin(&names, sink);
    }
    status = find_pairs(sets, &both, sink);
    if (are_cut) {
        bp_pair_renaming_end(&names, sink);
    }
    return status;
}

void bp_two_sets_stats(const bp_two_sets *sets, bp_stats *stats) {
    stats->update = BP_UPDATE_REBUILD;
    switch (sets->form) {
    case BP_TWO_RUNS:
        stats->method = BP_METHOD_TREE;
        stats->levels = (uint32_t)sets->runs[0].level_count;
        stats->cells = stats->occupied = sets->runs[0].block_count[0] + sets->runs[1].block_count[0];
        break;
    case BP_TWO_STRIPS:
        stats->method = BP_METHOD_STRIPS;
        bp_strip_grid_stats(&sets->strips, stats);
        break;
    case BP_TWO_TREES:
        stats->method = BP_METHOD_TREE;
        bp_tree_ops.stats(sets->tree, stats);
        break;
    case BP_TWO_SPLIT:
        stats->method = BP_METHOD_SPLIT;
        bp_split_ops.stats(sets->split, stats);
        break;
    case BP_TWO_ALL_PAIRS:
    default: stats->method = BP_METHOD_BRUTE_FORCE; break;
    }
    stats->bytes = bp_two_sets_bytes(sets);
}
