// The rules. Each one names the measurements behind it: the time of hierarchical-grid divided by the time of bvh, as
// processor time of one thread (Zen 4, AVX2), in a world where 20 % of the objects move by up to 20 % of their size,
// unless it says otherwise. `broadphase bench --suite auto` repeats them; docs/methods.md has the table. No method
// other than these two was ever faster by much more than a tenth, in any scene of scenes/ with 10^3 objects or more.
#include "plan/choose.h"

#include "plan/scene_facts.h"

enum {
    SCALES = 14, // octaves of sizes that are too many for levels
    SCALES_LESS = 12,
    ALIKE = 2,  // octaves of sizes that are similar
    NESTED = 4, // octaves of sizes from which on the places of small objects matter
    THIN_COUNT = 4000,
    PLAN_LEAST = 5000,    // objects of one call that are worth a plan of levels
    SAMPLE_EVERY = 8,     // updates at least: with 10^3 objects that all move, sampling is then 0.3 % of the work
    SAMPLE_AT_LAST = 128, // updates, however few objects have changed
    MOTION_KNOWN = 3,     // updates after the first sample, when all objects were new: so many tell how many move
    VOTES_FIRST = 2,      // for the first two changes; then twice as many each time: 6 changes take 500 updates
    VOTES_MOST = 1024,
    GROWTH = 2,         // a world that has become this many times larger or smaller counts as a new one
    FEW_OF_TWO = 2048,  // boxes of both sets, for which a sample costs more than it can save
    SAMPLE_OF_TWO = 64, // of each of two sets, where most calls take little more than looking at each box
    EASY_CHANGES = 4    // and changes its method without votes, until it has changed this often
};

// The smaller half of the objects lies in this fraction of the extent of all; the larger value holds once bvh is in
// use.
static const double NESTING = 0.25, NESTING_LESS = 0.35;
static const double FILLING = 0x1p-10, FILLING_MORE = 0x1p-8, CLUMPING = 1.5, CLUMPING_MORE = 1.75;
static const double MOVING = 0x1p-4, MOVING_LESS = 0x1p-5;
static const double CALM = 0.125, SLENDER = 16.0;
static const double FULL = 4.0; // times that boxes fill their space, from which on most tests are pairs

typedef struct circumstances {
    const bp_choice *facts;
    size_t count; // of the boxes that the method is built over
    size_t brute_force_below;
    bool is_tree;  // bvh or split is in use: leaving it takes more than choosing it did
    bool is_world; // few of whose objects may move
    bool is_two;   // another set is searched for in them, and nothing is kept
} circumstances;

// Whether the settings have parameters of the grid.
static bool has_grid_settings(const bp_method_settings *settings) {
    bool has_any = settings->hierarchy_factor > 0.0f || settings->grid_form != BP_GRID_AUTOMATIC;
    for (int axis = 0; axis < 3; ++axis) {
        has_any |= settings->grid_size[axis] != 0;
    }
    return has_any;
}

// An object is searched for on its own level and all coarser ones, so every octave that is not empty costs; choosing
// the levels costs as well. Sizes over 12, 16, 24 octaves, evenly spread in space: 1.0, 1.1, 2.5 with 10^4 objects.
static bool has_many_scales(const circumstances *c) {
    return c->facts->octaves >= (c->is_tree ? SCALES_LESS : SCALES);
}

// Small objects in one place, larger ones around them, and so on: then many of the small ones share a cell of each
// coarser level. Sizes over 4, 8, 16, 64 octaves, each spread in proportion to its size: 1.5, 2.5, 3.7, 6 with 10^4
// objects; tiny-and-huge with 10^3, 10^4, 10^5: 8, 28, 44. Evenly spread sizes of 8 octaves: 0.7.
static bool is_nested(const circumstances *c) {
    return c->facts->octaves >= NESTED && c->facts->nesting < (c->is_tree ? NESTING_LESS : NESTING);
}

// Sizes may be of few octaves, and these far apart.
static bool are_alike(const bp_choice *f) {
    bool alike = f->octaves <= ALIKE;
    for (int axis = 0; axis < 3; ++axis) {
        alike &= f->axis_octaves[axis] <= ALIKE;
    }
    return alike;
}

// In nearly empty space few nodes overlap, and objects that move a little stay in their leaves. Sparse and scaling with
// 300, 10^3, 10^4 objects: 2.9 and 2.6, 1.3 and 1.4, 1.2 and 1.0; with 1 % moving: 1.1 and 0.8 with 10^3, 0.5 with
// 10^4. Where objects fill a few places of it, as in clustered-2d and far, this is true only while many move: 1.5 and
// 1.5 with 10^3; with 0.1 % moving 0.7 and 0.8. All that without strips: with them, which are for similar sizes in one
// set, sparse, scaling, far and clustered-2d with 300 and 10^3 objects take 0.5 to 1.0 of the time of bvh.
static bool is_thin(const circumstances *c) {
    const bp_choice *f = c->facts;
    if (c->is_two || are_alike(f)) {
        return false;
    }
    const bool is_even = f->clumping < (c->is_tree ? CLUMPING_MORE : CLUMPING);
    return c->count < THIN_COUNT && f->giants == 0.0 && f->filling < (c->is_tree ? FILLING_MORE : FILLING) &&
           (is_even || f->moving > (c->is_tree ? MOVING_LESS : MOVING));
}

// Planning levels takes 30 to 200 us, which a world shares among its updates and a call does not. Boxes that are alike, or in a
// good order, need no plan and have been found before. Time of the grid / time of split, one call of 400, 1000, 3000, 6000,
// 10^4 boxes: reference 2.2, 1.5, 1.2, 1.0, 0.8; polydisperse 4.1, 2.8, 1.6, 1.0, 0.8; far and a city of plates 2.3 to 5 up to
// 3000, 1.1 and 1.3 with 6000; triangles of all sizes 3.5, 4.3, 2.3, 1.5, 1.3. Boxes that fill their space many times: 0.75.
static bool is_unplanned(const circumstances *c) {
    return !c->is_world && !c->is_two && c->count >= c->brute_force_below && c->count < PLAN_LEAST &&
           c->facts->filling < FULL;
}

static bp_rule rule_for(const circumstances *c) {
    if (c->facts->sampled > 0 && has_many_scales(c)) {
        return BP_RULE_SCALES;
    }
    if (c->facts->sampled > 0 && is_nested(c)) {
        return BP_RULE_NESTED;
    }
    if (c->facts->sampled > 0 && is_unplanned(c)) {
        return BP_RULE_UNPLANNED;
    }
    if (c->facts->sampled > 0 && is_thin(c)) {
        return BP_RULE_THIN;
    }
    // The grid then tests all pairs with vectors: up to 6 times as fast as the plain method brute-force.
    return c->count < c->brute_force_below ? BP_RULE_FEW : BP_RULE_GRID;
}

// bvh follows a world of which little moves; but only split has no bad input, so boxes must be of the usual kind.
static bool is_for_bvh(const circumstances *c) {
    const bp_choice *f = c->facts;
    return c->is_world && f->moving < CALM && f->infinite == 0.0 && f->slenderness < SLENDER;
}

static bp_method method_of(const circumstances *c, bp_rule rule) {
    switch (rule) {
    case BP_RULE_SCALES:
    case BP_RULE_NESTED: return is_for_bvh(c) ? BP_METHOD_BVH : BP_METHOD_SPLIT;
    case BP_RULE_UNPLANNED: return BP_METHOD_SPLIT;
    case BP_RULE_THIN: return BP_METHOD_BVH;
    case BP_RULE_ASKED:
    case BP_RULE_GIVEN:
    case BP_RULE_FEW:
    case BP_RULE_GRID:
    default: return BP_METHOD_HIERARCHICAL_GRID; // which hands over to split where it would test too many pairs
    }
}

static bp_method judge(const bp_method_setup *setup, const bp_box *boxes, circumstances *c, bp_choice *choice,
                       double moving) {
    bp_scene_facts_gather(choice, setup->dimensions, boxes, c->count, c->is_two ? SAMPLE_OF_TWO : BP_SAMPLE_MOST);
    choice->moving = moving;
    c->facts = choice;
    c->brute_force_below = setup->settings.brute_force_below;
    choice->rule = rule_for(c);
    return method_of(c, choice->rule);
}

// ---- one call -------------------------------------------------------------------------------------------------------

static bool is_open(bp_method wanted, const bp_method_setup *setup) {
    return wanted == BP_METHOD_AUTO && !has_grid_settings(&setup->settings);
}

static bp_choice closed_choice(bp_method wanted) {
    return (bp_choice){.rule = wanted == BP_METHOD_AUTO ? BP_RULE_GIVEN : BP_RULE_ASKED};
}

bp_method bp_choose_first(bp_method wanted) {
    return wanted == BP_METHOD_AUTO ? BP_METHOD_HIERARCHICAL_GRID : wanted;
}

// Two sets: split if the sizes or places of one of them are what no cells fit. All else is seen better by the grid,
// which looks at what is left of both where they meet: with 10^4 boxes of each scene of scenes/, cut into two sets, it
// takes 1.03 times as long as the best method, as a geometric mean.
static bp_method judge_two(const bp_method_setup *setup, bp_choose_set set, bp_choose_set other, bp_choice *choice) {
    bp_choice second;
    if (set.count + other.count <= FEW_OF_TWO) {
        *choice = (bp_choice){.rule = BP_RULE_GRID};
        return BP_METHOD_HIERARCHICAL_GRID;
    }
    const bp_method method = judge(setup, set.boxes, &(circumstances){.count = set.count, .is_two = true}, choice, 0.0);
    if (method != BP_METHOD_HIERARCHICAL_GRID) {
        return method;
    }
    const bp_method other_method =
        judge(setup, other.boxes, &(circumstances){.count = other.count, .is_two = true}, &second, 0.0);
    if (other_method != BP_METHOD_HIERARCHICAL_GRID) {
        *choice = second;
    }
    return other_method;
}

bp_method bp_choose_once(bp_method wanted, const bp_method_setup *setup, bp_choose_set set, const bp_choose_set *other,
                         bp_choice *choice) {
    if (is_open(wanted, setup)) {
        return other != NULL ? judge_two(setup, set, *other, choice)
                             : judge(setup, set.boxes, &(circumstances){.count = set.count}, choice, 0.0);
    }
    *choice = closed_choice(wanted);
    return bp_choose_first(wanted);
}

// ---- a world --------------------------------------------------------------------------------------------------------

bp_chooser bp_chooser_begin(bp_method wanted, const bp_method_setup *setup) {
    bp_chooser chooser = {.open = is_open(wanted, setup), .wanted = bp_choose_first(wanted), .needed = VOTES_FIRST};
    chooser.choice = closed_choice(wanted);
    if (chooser.open) {
        chooser.choice.rule = BP_RULE_FEW;
    }
    return chooser;
}

// Whether this is a new world: it was empty until now, or at least half of it has come or gone.
static bool is_another(const bp_chooser *chooser, size_t count) {
    return count > GROWTH * chooser->count || count * GROWTH < chooser->count;
}

// At the first sample all objects were new, and counted as moving; now few do, and a rule minds how many.
static bool is_calmer_than_thought(const bp_chooser *chooser, size_t count) {
    return chooser->first && chooser->choice.rule != BP_RULE_GRID && chooser->choice.rule != BP_RULE_FEW &&
           chooser->age == MOTION_KNOWN && (double)chooser->changed < CALM * MOTION_KNOWN * (double)count;
}

// A scene changes only as its objects do: where few move, frequent samples would cost more than the updates.
bool bp_chooser_is_due(bp_chooser *chooser, size_t count, size_t changed) {
    ++chooser->age;
    chooser->changed += changed;
    const bool later =
        chooser->age >= SAMPLE_EVERY && (chooser->changed >= count / 2 || chooser->age >= SAMPLE_AT_LAST);
    return chooser->open && count > 0 &&
           (later || is_calmer_than_thought(chooser, count) || is_another(chooser, count));
}

bool bp_chooser_sample(bp_chooser *chooser, const bp_method_setup *setup, bp_method method, const bp_box *boxes,
                       size_t count, double moving) {
    const bp_rule rule = chooser->choice.rule;
    const uint32_t changes = chooser->choice.changes;
    const bool is_new = is_another(chooser, count) || is_calmer_than_thought(chooser, count);
    chooser->first = chooser->count == 0;
    circumstances c = {.count = count, .is_tree = method != BP_METHOD_HIERARCHICAL_GRID, .is_world = true};
    chooser->wanted = judge(setup, boxes, &c, &chooser->choice, moving);
    chooser->rule = chooser->choice.rule;
    chooser->choice.rule = chooser->wanted == method ? chooser->rule : rule;
    chooser->choice.changes = changes;
    chooser->count = count;
    chooser->age = 0;
    chooser->changed = 0;
    chooser->votes = chooser->wanted != method ? chooser->votes + 1 : 0;
    return chooser->wanted != method && ((is_new && changes < EASY_CHANGES) || chooser->votes >= chooser->needed);
}

void bp_chooser_changed(bp_chooser *chooser) {
    chooser->choice.rule = chooser->rule;
    chooser->votes = 0;
    if (chooser->first) { // the first choice replaces none
        return;
    }
    if (++chooser->choice.changes > 1) {
        chooser->needed = chooser->needed < VOTES_MOST ? 2 * chooser->needed : VOTES_MOST;
    }
}

void bp_chooser_postpone(bp_chooser *chooser) {
    chooser->votes = 0;
}
