#include "engine/grid/bundles.h"

#include "base/boxes.h"
#include "base/details.h"
#include "base/morton.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/sample.h"

#include <assert.h>

enum {
    SAMPLE = 48,           // bundles, of which at most
    LOOSE_SHARE = 4,       // one in so many may be loose,
    OVERLAPPING_SHARE = 2, // and one in so many overlap one from elsewhere;
    MORE_SHARE = 8,        // once they are in use, one in so many more
    BLOCK_LEAST = 64,      // bundles of a block of work
    BLOCKS_MOST = 256,
    KEY_BITS_LEAST = 5, // along an axis
    KEY_BITS_MOST = 10,
    PIECE = 32, // blocks that are opened at once
    FOUND = (PIECE + 1) * BP_BUNDLE,
    NEAR = 1024, // boxes of a that wait for the join
    VISITS = 4   // rows of cells that opening a block is worth, to a budget
};

// Groups may become longer by this factor before bundles are sorted anew.
static const double ORDER_KEPT = 1.25;

// ---- bundles of boxes -----------------------------------------------------------------------------------------------

static bool reserve_set(bp_bundle_set *set, const bp_allocator *allocator, size_t count) {
    set->count = 0;
    return bp_buffer_reserve_slack(&set->bounds, allocator, 0, count, sizeof(bp_box)) &&
           bp_buffer_reserve_slack(&set->ranges, allocator, 0, count, sizeof(bp_bundle_range));
}

static void append(bp_bundle_set *set, const bp_box *bounds, bp_bundle_range range) {
    ((bp_box *)set->bounds.data)[set->count] = *bounds;
    ((bp_bundle_range *)set->ranges.data)[set->count] = range;
    ++set->count;
}

static bp_bundle_range range_of(size_t begin, size_t count) {
    return (bp_bundle_range)(begin * BP_BUNDLE + count - 1);
}

// Bundles of all boxes, but the last one, have BP_BUNDLE of them.
static bp_bundle_range whole_range(size_t bundle, size_t box_count) {
    const size_t begin = bundle * BP_BUNDLE, left = box_count - begin;
    return range_of(begin, left < BP_BUNDLE ? left : BP_BUNDLE);
}

static size_t bundles_of(size_t count) {
    return (count + BP_BUNDLE - 1) / BP_BUNDLE;
}

typedef struct measuring {
    const bp_method_setup *setup;
    const bp_bundle_set *set;
    bp_blocks blocks; // of bundles
    bp_box *bounds;
    uint8_t *loose;
} measuring;

static void task_measure(void *context, size_t block) {
    const measuring *m = context;
    const size_t first = bp_block_begin(m->blocks, block), last = bp_block_begin(m->blocks, block + 1);
    const size_t begin = first * BP_BUNDLE, end = last * BP_BUNDLE, count = m->set->box_count;
    m->setup->kernels->bundle_bounds(m->set->boxes + begin, (end < count ? end : count) - begin, m->setup->dimensions,
                                     m->bounds + first, m->loose + first);
}

static bool measure(bp_bundles *bundles, measuring *m) {
    const bp_runtime *runtime = &bundles->setup->runtime;
    const size_t count = bundles_of(m->set->box_count);
    if (!bp_buffer_reserve(&bundles->measured, &runtime->allocator, 0, count, sizeof(bp_box)) ||
        !bp_buffer_reserve(&bundles->loose, &runtime->allocator, 0, count, sizeof(uint8_t))) {
        return false;
    }
    m->setup = bundles->setup;
    m->blocks = bp_blocks_cut(&runtime->executor, count, BLOCK_LEAST, BLOCKS_MOST);
    m->bounds = bundles->measured.data;
    m->loose = bundles->loose.data;
    bp_parallel_for(&runtime->executor, m->blocks.count, task_measure, m);
    return true;
}

// Cuts a loose bundle where a box does not touch the one before it.
static void append_cut(bp_bundle_set *set, const measuring *m, bp_bundle_range range) {
    const size_t begin = bp_bundle_begin(range), end = begin + bp_bundle_count(range);
    const uint32_t dimensions = m->setup->dimensions;
    for (size_t first = begin, i = begin + 1; i <= end; ++i) {
        if (i == end || !bp_boxes_overlap(&set->boxes[i - 1], &set->boxes[i], dimensions)) {
            bp_box bounds;
            uint8_t loose;
            m->setup->kernels->bundle_bounds(set->boxes + first, i - first, dimensions, &bounds, &loose);
            append(set, &bounds, range_of(first, i - first));
            first = i;
        }
    }
}

// In the order of the boxes.
static bool list_bundles(bp_bundles *bundles) {
    bp_bundle_set *set = &bundles->listed;
    measuring m = {.set = set};
    if (!measure(bundles, &m)) {
        return false;
    }
    const size_t count = m.blocks.item_count;
    size_t loose = 0;
    for (size_t i = 0; i < count; ++i) {
        loose += m.loose[i];
    }
    if (!reserve_set(set, &bundles->setup->runtime.allocator, count + (BP_BUNDLE - 1) * loose)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (m.loose[i]) {
            append_cut(set, &m, whole_range(i, set->box_count));
        } else {
            append(set, &m.bounds[i], whole_range(i, set->box_count));
        }
    }
    return true;
}

// ---- their order ----------------------------------------------------------------------------------------------------

// The bounds of all of them.
static bp_box hull_of(const bp_bundles *bundles, const bp_bundle_set *set) {
    const bp_method_setup *setup = bundles->setup;
    const bp_box *from = set->bounds.data;
    for (size_t count = set->count; from != bundles->measured.data || count > 1; count = bundles_of(count)) {
        setup->kernels->bundle_bounds(from, count, setup->dimensions, bundles->measured.data, bundles->loose.data);
        from = bundles->measured.data;
    }
    return *from;
}

// A grid of cubes around bundles, and the bits of its coordinates with two places between them.
typedef struct key_grid {
    uint32_t bits;
    float origin[3], inverse, last;
    uint32_t spread[1 << KEY_BITS_MOST];
} key_grid;

static void make_grid(key_grid *grid, const bp_box *hull, size_t count) {
    float longest = FLT_MIN;
    for (int axis = 0; axis < 3; ++axis) {
        grid->origin[axis] = bp_larger(hull->min[axis], -FLT_MAX);
        longest = bp_larger(bp_smaller(hull->max[axis], FLT_MAX) - grid->origin[axis], longest);
    }
    grid->bits = KEY_BITS_LEAST;
    while (grid->bits < KEY_BITS_MOST && (size_t)1 << 2 * grid->bits < count) {
        ++grid->bits; // on a surface, there is a cell for each bundle
    }
    const uint32_t cells = (uint32_t)1 << grid->bits;
    for (uint32_t i = 0; i < cells; ++i) {
        grid->spread[i] = (uint32_t)bp_spread_by_three(i);
    }
    grid->last = (float)(cells - 1);
    grid->inverse = grid->last / bp_smaller(longest, FLT_MAX);
}

// Bundles of infinite boxes, or of none that counts, are anywhere: bp_larger is 0 where there is a NaN.
static uint64_t key_of(const key_grid *grid, const bp_box *bounds) {
    uint32_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float middle = 0.5f * bounds->min[axis] + 0.5f * bounds->max[axis];
        const float cell = bp_smaller(bp_larger((middle - grid->origin[axis]) * grid->inverse, 0.0f), grid->last);
        key |= grid->spread[(uint32_t)cell] << axis;
    }
    return key;
}

// The order of bundles along a Z-curve. Keys are where the tree will be: what a single call has no memory for from the
// last one takes a fifth of its time.
static bool find_order(bp_bundles *bundles, const bp_bundle_set *listed, bp_sorted_bundles *sorted) {
    const bp_allocator *allocator = &bundles->setup->runtime.allocator;
    const bp_box *bounds = listed->bounds.data, hull = hull_of(bundles, listed);
    const size_t count = listed->count;
    sorted->order_count = 0;
    if (!bp_buffer_reserve_slack(&bundles->blocks, allocator, 0, bp_size_multiply(count, 2), sizeof(uint64_t)) ||
        !bp_buffer_reserve_slack(&sorted->order, allocator, 0, count, sizeof(uint32_t))) {
        return false;
    }
    key_grid grid;
    make_grid(&grid, &hull, count);
    uint64_t *keys = bundles->blocks.data;
    for (size_t i = 0; i < count; ++i) {
        keys[i] = key_of(&grid, &bounds[i]) << 32 | i;
    }
    const uint64_t *order = bp_sort_keys(keys, keys + count, count, 32, 32 + 3 * grid.bits);
    for (size_t i = 0; i < count; ++i) {
        ((uint32_t *)sorted->order.data)[i] = (uint32_t)order[i];
    }
    sorted->order_count = count;
    return true;
}

// The edges of all groups. Not a finite number if one of them is infinite, or has no box.
static double length_of_groups(const bp_sorted_bundles *sorted) {
    const bp_box *groups = sorted->groups.data;
    double length = 0.0;
    for (size_t i = 0; i < bundles_of(sorted->set.count); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            length += (double)groups[i].max[axis] - (double)groups[i].min[axis];
        }
    }
    return length;
}

// Brings bundles into an order that is known, and returns the length of its groups.
static double apply_order(const bp_bundles *bundles, const bp_bundle_set *listed, bp_sorted_bundles *sorted) {
    const bp_method_setup *setup = bundles->setup;
    const uint32_t *order = sorted->order.data;
    const bp_box *bounds = listed->bounds.data;
    const bp_bundle_range *ranges = listed->ranges.data;
    sorted->set.count = 0;
    for (size_t i = 0; i < listed->count; ++i) {
        append(&sorted->set, &bounds[order[i]], ranges[order[i]]);
    }
    setup->kernels->bundle_bounds(sorted->set.bounds.data, listed->count, setup->dimensions, sorted->groups.data,
                                  bundles->loose.data);
    return length_of_groups(sorted);
}

static bool sort_bundles(bp_bundles *bundles, const bp_bundle_set *listed, bp_sorted_bundles *sorted) {
    const bp_allocator *allocator = &bundles->setup->runtime.allocator;
    if (!reserve_set(&sorted->set, allocator, listed->count) ||
        !bp_buffer_reserve_slack(&sorted->groups, allocator, 0, bundles_of(listed->count), sizeof(bp_box))) {
        return false;
    }
    if (sorted->order_count == listed->count &&
        apply_order(bundles, listed, sorted) < ORDER_KEPT * sorted->group_length) {
        return true;
    }
    if (!find_order(bundles, listed, sorted)) {
        return false;
    }
    sorted->group_length = apply_order(bundles, listed, sorted);
    return true;
}

static bool bundle_set(bp_bundles *bundles, bp_sorted_bundles *sorted, const bp_box *boxes, size_t count) {
    sorted->set.boxes = bundles->listed.boxes = boxes;
    sorted->set.box_count = bundles->listed.box_count = count;
    return list_bundles(bundles) && sort_bundles(bundles, &bundles->listed, sorted);
}

// ---- the tree -------------------------------------------------------------------------------------------------------

static bp_bundle_block *blocks_of(const bp_bundles *bundles, size_t level) {
    return (bp_bundle_block *)bundles->blocks.data + bundles->level_begins[level];
}

// Level 0 are the boxes, which stay where they are.
static size_t count_levels(bp_bundles *bundles) {
    size_t begin = 0, count = bundles->a.set.count;
    for (bundles->level_count = 1; count > 1 || bundles->level_count == 1; ++bundles->level_count) {
        assert(bundles->level_count < BP_BUNDLES_LEVELS);
        count = bundles_of(count);
        bundles->level_begins[bundles->level_count] = begin;
        begin += count;
    }
    return begin;
}

// A level above bounds.
static void fill_level(const bp_bundles *bundles, size_t level, const bp_box *bounds, size_t count) {
    const bp_method_setup *setup = bundles->setup;
    for (size_t i = 0; i < bundles_of(count); ++i) {
        const bp_bundle_range range = whole_range(i, count);
        setup->kernels->fill_blocks(bounds, count, &range, 1, setup->dimensions, blocks_of(bundles, level) + i);
    }
}

static bool build_tree(bp_bundles *bundles) {
    const bp_method_setup *setup = bundles->setup;
    const bp_allocator *allocator = &setup->runtime.allocator;
    if (!bp_buffer_reserve_slack(&bundles->blocks, allocator, 0, count_levels(bundles), sizeof(bp_bundle_block))) {
        return false;
    }
    const bp_box *bounds = bundles->a.set.bounds.data;
    size_t count = bundles->a.set.count;
    for (size_t level = 1; level < bundles->level_count; ++level) {
        fill_level(bundles, level, bounds, count);
        if (level == 1) {
            bounds = bundles->a.groups.data;
        } else {
            setup->kernels->bundle_bounds(bounds, count, setup->dimensions, bundles->measured.data,
                                          bundles->loose.data);
            bounds = bundles->measured.data;
        }
        count = bundles_of(count);
    }
    return true;
}

// ---- searching ------------------------------------------------------------------------------------------------------

static const bp_sorted_bundles *walkers_of(const bp_bundles *bundles) {
    return bundles->is_one_set ? &bundles->a : &bundles->b;
}

// Blocks of a level that a unit meets; those before `next` are done.
typedef struct met_list {
    uint32_t ids[FOUND];
    size_t count, next;
} met_list;

// A unit of work: a group of bundles that walk down the tree, of b or, in one set, of a.
typedef struct unit_search {
    const bp_bundles *bundles;
    const bp_bundle_set *walkers;
    bp_range_tester *tester;
    size_t unit;
    bp_bundle_range bundle; // a walker
    size_t near_count;
    uint32_t near[NEAR]; // boxes of a that are in its bounds
    met_list met[BP_BUNDLES_LEVELS];
} unit_search;

// Up to PIECE blocks.
static size_t open_piece(const unit_search *u, size_t level, const uint32_t *opened, size_t count, const bp_box *limits,
                         uint32_t *found) {
    const size_t some = count < PIECE ? count : PIECE;
    (void)bp_range_tester_visit(u->tester, VISITS * some);
    return u->bundles->setup->kernels->open_blocks(blocks_of(u->bundles, level), opened, some, limits, found);
}

// Joins what waits.
static void join_near(unit_search *u) {
    const bp_bundle_set *walkers = u->walkers;
    const bp_method_setup *setup = u->bundles->setup;
    if (u->near_count == 0) {
        return;
    }
    bp_bundle_block block;
    setup->kernels->fill_blocks(walkers->boxes, walkers->box_count, &u->bundle, 1, setup->dimensions, &block);
    const bp_block_join join = {.a_boxes = u->bundles->a.set.boxes,
                                .a_ids = u->near,
                                .a_count = u->near_count,
                                .b_block = &block,
                                .b_begin = bp_bundle_begin(u->bundle),
                                .dimensions = setup->dimensions,
                                .is_one_set = u->bundles->is_one_set};
    bp_range_tester_join_block(u->tester, &join);
    u->near_count = 0;
}

// Boxes of some bundles of a.
static void take_boxes(unit_search *u, const uint32_t *met, size_t count, const bp_box *limits) {
    const bp_bundle_set *a = &u->bundles->a.set;
    const bp_method_setup *setup = u->bundles->setup;
    for (size_t i = 0; i < count && !u->tester->failed; i += PIECE) {
        const bp_bundle_list piece = {.boxes = a->boxes,
                                      .box_count = a->box_count,
                                      .ranges = a->ranges.data,
                                      .ids = met + i,
                                      .count = count - i < PIECE ? count - i : PIECE};
        if (u->near_count + FOUND > NEAR) {
            join_near(u);
        }
        (void)bp_range_tester_visit(u->tester, VISITS * piece.count);
        u->near_count += setup->kernels->open_bundles(&piece, limits, setup->dimensions, u->near + u->near_count);
    }
}

// In one set, each two bundles meet twice, and are joined where the later one walks: keeps those that come before it, and
// itself. The join tells its own boxes apart.
static size_t keep_earlier(const unit_search *u, uint32_t *met, size_t count) {
    const bp_bundle_range *ranges = u->bundles->a.set.ranges.data;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        met[kept] = met[i];
        kept += ranges[met[i]] <= u->bundle;
    }
    return kept;
}

// Bundles of a, in some blocks of them, that a walker meets.
static size_t open_for_walker(const unit_search *u, const uint32_t *opened, size_t count, const bp_box *limits,
                              uint32_t *found) {
    const size_t met = open_piece(u, 1, opened, count, limits, found);
    return u->bundles->is_one_set ? keep_earlier(u, found, met) : met;
}

// A bundle of the unit, against some blocks of bundles of a.
static void search_bundle(unit_search *u, size_t bundle, const uint32_t *met, size_t count) {
    const bp_box *limits = (const bp_box *)u->walkers->bounds.data + bundle;
    uint32_t found[FOUND];
    u->bundle = ((const bp_bundle_range *)u->walkers->ranges.data)[bundle];
    for (size_t i = 0; i < count; i += PIECE) {
        take_boxes(u, found, open_for_walker(u, met + i, count - i, limits, found), limits);
    }
    join_near(u);
}

// All bundles of the unit. Most of the blocks that they meet together are met by one or two of them.
static void search_bundles(unit_search *u, const met_list *met) {
    const bp_method_setup *setup = u->bundles->setup;
    const bp_box *bounds = u->walkers->bounds.data;
    const size_t count = u->walkers->count, begin = u->unit * BP_BUNDLE;
    const bp_bundle_range walkers = whole_range(u->unit, count);
    bp_bundle_block block;
    uint8_t lanes[FOUND];
    uint32_t own[FOUND];
    setup->kernels->fill_blocks(bounds, count, &walkers, 1, setup->dimensions, &block);
    setup->kernels->meet_lanes(&block, u->bundles->a.groups.data, met->ids, met->count, lanes);
    for (size_t lane = 0; lane < bp_bundle_count(walkers) && !u->tester->failed; ++lane) {
        size_t own_count = 0;
        for (size_t i = 0; i < met->count; ++i) {
            own[own_count] = met->ids[i];
            own_count += lanes[i] >> lane & 1;
        }
        search_bundle(u, begin + lane, own, own_count);
    }
}

// Opens the next blocks of a level, and says on which one to go on.
static size_t open_next(unit_search *u, size_t level) {
    const bp_box *limits = (const bp_box *)walkers_of(u->bundles)->groups.data + u->unit;
    met_list *met = &u->met[level], *below = &u->met[level - 1];
    if (met->next >= met->count) {
        return level + 1;
    }
    below->count = open_piece(u, level, met->ids + met->next, met->count - met->next, limits, below->ids);
    below->next = 0;
    met->next += PIECE;
    return below->count > 0 ? level - 1 : level;
}

// Walks down the tree of a with the bounds of all bundles of the unit.
static void search_unit(const void *context, bp_range_tester *t, size_t unit) {
    unit_search u; // not zeroed: places are written before they are read
    u.bundles = context;
    u.walkers = &walkers_of(context)->set;
    u.tester = t;
    u.unit = unit;
    u.near_count = 0;
    const size_t top = u.bundles->level_count - 1;
    u.met[top].ids[0] = 0;
    u.met[top].count = 1;
    u.met[top].next = 0;
    for (size_t level = top; level <= top && !t->failed;) {
        if (level == 1) {
            search_bundles(&u, &u.met[level++]);
        } else {
            level = open_next(&u, level);
        }
    }
}

static bp_status search(bp_bundles *bundles, bp_sink *sink) {
    const bp_range_search search = {.runtime = &bundles->setup->runtime,
                                    .kernels = bundles->setup->kernels,
                                    .names = BP_NAMES_BY_ROLE,
                                    .unit_count = bundles_of(walkers_of(bundles)->set.count),
                                    .unit = search_unit,
                                    .context = bundles};
    return bp_range_search_run(&search, &bundles->sinks, sink);
}

bp_status bp_bundles_find_between(bp_bundles *bundles, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                  bp_sink *sink) {
    assert(a_count >= BP_BUNDLES_LEAST && b_count >= BP_BUNDLES_LEAST);
    bundles->is_one_set = false;
    if (!bundle_set(bundles, &bundles->b, b, b_count) || !bundle_set(bundles, &bundles->a, a, a_count) ||
        !build_tree(bundles)) {
        return BP_ERROR_MEMORY;
    }
    return search(bundles, sink);
}

bp_status bp_bundles_find(bp_bundles *bundles, const bp_box *boxes, size_t count, bp_sink *sink) {
    assert(count >= BP_BUNDLES_LEAST);
    bundles->is_one_set = true;
    if (!bundle_set(bundles, &bundles->a, boxes, count) || !build_tree(bundles)) {
        return BP_ERROR_MEMORY;
    }
    return search(bundles, sink);
}

bool bp_bundles_suit(const bp_bundles *bundles, const bp_box *boxes, size_t count, bool are_in_use) {
    const size_t bundle_count = count / BP_BUNDLE, wanted = bundle_count < SAMPLE ? bundle_count : SAMPLE;
    const size_t half = wanted / 2, more = are_in_use ? wanted / MORE_SHARE : 0;
    const uint32_t dimensions = bundles->setup->dimensions;
    bp_box bounds[SAMPLE];
    size_t loose_count = 0, overlapping = 0;
    for (size_t i = 0; i < wanted; ++i) {
        uint8_t loose;
        bundles->setup->kernels->bundle_bounds(boxes + BP_BUNDLE * bp_sample_place(bundle_count, i, wanted), BP_BUNDLE,
                                               dimensions, &bounds[i], &loose);
        loose_count += loose;
        if (loose_count > wanted / LOOSE_SHARE + more) {
            return false;
        }
        overlapping += i >= half && bp_boxes_overlap(&bounds[i], &bounds[i - half], dimensions);
    }
    return overlapping <= (wanted - half) / OVERLAPPING_SHARE + more;
}

void bp_bundles_stats(const bp_bundles *bundles, bp_stats *stats) {
    bp_details details = bp_details_read(stats);
    details.bundles = 1;
    bp_details_write(stats, &details);
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = bundles->level_count;
    stats->cells = bundles->a.set.count;
    stats->occupied = bundles->a.set.count;
    stats->bytes = bp_bundles_bytes(bundles);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void free_set(bp_bundle_set *set, const bp_allocator *allocator) {
    bp_buffer_free(&set->bounds, allocator);
    bp_buffer_free(&set->ranges, allocator);
}

static size_t set_bytes(const bp_bundle_set *set) {
    return set->bounds.bytes + set->ranges.bytes;
}

static void free_sorted(bp_sorted_bundles *sorted, const bp_allocator *allocator) {
    free_set(&sorted->set, allocator);
    bp_buffer_free(&sorted->groups, allocator);
    bp_buffer_free(&sorted->order, allocator);
}

static size_t sorted_bytes(const bp_sorted_bundles *sorted) {
    return set_bytes(&sorted->set) + sorted->groups.bytes + sorted->order.bytes;
}

void bp_bundles_free(bp_bundles *bundles) {
    const bp_allocator *allocator = &bundles->setup->runtime.allocator;
    free_set(&bundles->listed, allocator);
    free_sorted(&bundles->a, allocator);
    free_sorted(&bundles->b, allocator);
    bp_buffer_free(&bundles->blocks, allocator);
    bp_buffer_free(&bundles->measured, allocator);
    bp_buffer_free(&bundles->loose, allocator);
    bp_block_sinks_free(&bundles->sinks, allocator);
}

size_t bp_bundles_bytes(const bp_bundles *bundles) {
    return set_bytes(&bundles->listed) + sorted_bytes(&bundles->a) + sorted_bytes(&bundles->b) + bundles->blocks.bytes +
           bundles->measured.bytes + bundles->loose.bytes + bp_block_sinks_bytes(&bundles->sinks);
}
