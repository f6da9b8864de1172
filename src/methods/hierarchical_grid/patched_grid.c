// See grid_patch.h.
#include "methods/hierarchical_grid/patched_grid.h"

#include "api/config.h"
#include "base/boxes.h"
#include "base/radix_sort.h"

#include <string.h>

static const uint32_t NOWHERE = UINT32_MAX, LOOSE = UINT32_MAX - 1;

// Where an object is.
typedef struct place {
    uint32_t position; // in the base, or LOOSE, or NOWHERE
    uint32_t cell;     // of the base; if it is loose, its position in that list
} place;

// The states of a changed object that a box of `moved` stands for.
enum { BEFORE = 1, AFTER = 2 };

typedef struct entry {
    bp_id id;
    uint8_t states;       // a set of the above
    bool restated;        // its pairs are told even if nothing has changed
    place where;          // before
    bp_box before, after; // what it stands for
} entry;

// Two bits of the name of an entry tell what has become of a pair.
enum { ENDED = 1, BEGUN = 2, FATE_SHIFT = 30 };

static const double SLACK = 0.25;        // of the largest extent on a level: how far a box may leave its cell ...
static const double SLACK_OF_CELL = 0.5; // ... but no further than this share of it
static const double SLACK_USED = 0.999;  // of that: the rest is for rounding
static const double UNION_GROWTH = 0.5;  // of the larger extent: then two states are near each other

enum {
    LOOSE_SHARE = 8, // one object in so many is too many
    PREFETCHED = 12  // objects that are asked for ahead of time
};

static place *places_of(const bp_grid_patch *patch) {
    return patch->places.data;
}

static bp_id *loose_of(const bp_grid_patch *patch) {
    return patch->loose.data;
}

static entry *entries_of(const bp_grid_patch *patch) {
    return patch->entries.data;
}

static bp_box *entry_boxes_of(const bp_grid_patch *patch) {
    return patch->entry_boxes.data;
}

void bp_grid_patch_init(bp_grid_patch *patch, const bp_config *config, bp_sorted_grid *base) {
    *patch = (bp_grid_patch){.config = config, .base = base};
    patch->found = (bp_sink){.allocator = &config->allocator, .limit = SIZE_MAX / sizeof(bp_pair)};
    bp_sorted_grid_init(&patch->moved_grid, config);
    bp_sorted_grid_init(&patch->resting_grid, config);
}

void bp_grid_patch_free(bp_grid_patch *patch) {
    bp_buffer *buffers[] = {&patch->places,      &patch->loose,   &patch->order,        &patch->entries,
                            &patch->entry_boxes, &patch->resting, &patch->resting_boxes};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], &patch->config->allocator);
    }
    bp_sink_free(&patch->found);
    bp_sorted_grid_free(&patch->moved_grid);
    bp_sorted_grid_free(&patch->resting_grid);
}

void bp_grid_patch_end(bp_grid_patch *patch) {
    patch->active = false;
    patch->loose_count = 0;
}

// ---- beginning ------------------------------------------------------------------------------------------------------

static bool reserve_places(bp_grid_patch *patch, size_t count) {
    if (!bp_buffer_reserve_slack(&patch->places, &patch->config->allocator, patch->place_count * sizeof(place), count,
                                 sizeof(place))) {
        return false;
    }
    for (; patch->place_count < count; ++patch->place_count) {
        places_of(patch)[patch->place_count] = (place){.position = NOWHERE, .cell = 0};
    }
    return true;
}

// Writes down where each object of the base is.
static void note_places(bp_grid_patch *patch) {
    const bp_sorted_grid *base = patch->base;
    const uint32_t *table = bp_sorted_grid_table(base);
    for (uint32_t cell = 0; cell < base->cell_count; ++cell) {
        for (uint32_t position = table[cell]; position < table[cell + 1]; ++position) {
            places_of(patch)[base->columns.id[position]] = (place){.position = position, .cell = cell};
        }
    }
    for (size_t position = base->grid_count; position < base->total_count; ++position) { // the scanned
        places_of(patch)[base->columns.id[position]] = (place){.position = (uint32_t)position, .cell = NOWHERE};
    }
}

// From now on boxes may leave their cells by the slack: searches reach so much further.
static void loosen_levels(bp_grid_patch *patch) {
    for (size_t i = 0; i < patch->base->levels.count; ++i) {
        bp_level *level = bp_level_at(&patch->base->levels, i);
        for (uint32_t axis = 0; axis < patch->config->dimensions; ++axis) {
            const double most = SLACK_OF_CELL / level->inverse[axis], wanted = SLACK * (double)level->reach[axis];
            level->slack[axis] = wanted < most ? wanted : most;
        }
    }
}

static bool begin(bp_grid_patch *patch, size_t count) {
    patch->place_count = 0;
    if (!reserve_places(patch, count)) {
        return false;
    }
    note_places(patch);
    loosen_levels(patch);
    patch->loose_count = 0;
    patch->wear = 0;
    patch->active = true;
    return true;
}

// ---- what is moved --------------------------------------------------------------------------------------------------

// The box around both states of a box, if that is hardly larger than they are.
static bool unite(const bp_box *before, const bp_box *after, uint32_t dimensions, bp_box *both) {
    bool near = true;
    *both = *after;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        both->min[axis] = fminf(before->min[axis], after->min[axis]);
        both->max[axis] = fmaxf(before->max[axis], after->max[axis]);
        const float extent = fmaxf(before->max[axis] - before->min[axis], after->max[axis] - after->min[axis]);
        // false for infinite ones, whose difference is NaN
        near &= (double)(both->max[axis] - both->min[axis]) <= (1.0 + UNION_GROWTH) * (double)extent;
    }
    return near;
}

static bool reserve_entries(bp_grid_patch *patch, size_t changed) {
    const bp_allocator *allocator = &patch->config->allocator;
    return bp_buffer_reserve_slack(&patch->order, allocator, 0, 2 * changed, sizeof(uint64_t)) &&
           bp_buffer_reserve_slack(&patch->entries, allocator, 0, 2 * changed, sizeof(entry)) &&
           bp_buffer_reserve_slack(&patch->entry_boxes, allocator, 0, 2 * changed, sizeof(bp_box));
}

// The changes in the order in which they lie in the base, so that those near each other there are worked on together.
static const uint64_t *order_changes(const bp_grid_patch *patch, const bp_changes *changes) {
    uint64_t *keys = patch->order.data;
    for (size_t i = 0; i < changes->count; ++i) {
        keys[i] = (uint64_t)places_of(patch)[changes->ids[i]].position << 32 | i;
    }
    return bp_sort_keys(keys, keys + changes->count, changes->count, 32, 64);
}

static void add_entry(bp_grid_patch *patch, const entry *shape, uint8_t states, const bp_box *box) {
    entry *e = &entries_of(patch)[patch->entry_count];
    *e = *shape;
    e->states = states;
    entry_boxes_of(patch)[patch->entry_count++] = *box;
}

// One box for both states of what changed, or one for each that there is.
static void add_entries(bp_grid_patch *patch, const entry *shape) {
    const bool was = !bp_box_is_hole(&shape->before), is = !bp_box_is_hole(&shape->after);
    bp_box both;
    if (was && is && unite(&shape->before, &shape->after, patch->config->dimensions, &both)) {
        add_entry(patch, shape, BEFORE | AFTER, &both);
        return;
    }
    if (was) {
        add_entry(patch, shape, BEFORE, &shape->before);
    }
    if (is) {
        add_entry(patch, shape, AFTER, &shape->after);
    }
}

BP_PREFETCHER prefetch_change(const bp_grid_patch *patch, const bp_box *boxes, const bp_changes *changes, uint32_t i) {
    bp_prefetch(&boxes[changes->ids[i]]);
    bp_prefetch(&places_of(patch)[changes->ids[i]]);
    bp_prefetch(&changes->old_boxes[i]);
}

static bool list_moved(bp_grid_patch *patch, const bp_box *boxes, const bp_changes *changes) {
    patch->entry_count = 0;
    if (!reserve_entries(patch, changes->count)) {
        return false;
    }
    const uint64_t *order = order_changes(patch, changes);
    for (size_t at = 0; at < changes->count; ++at) {
        const size_t ahead = at + PREFETCHED < changes->count ? at + PREFETCHED : at;
        prefetch_change(patch, boxes, changes, (uint32_t)order[ahead]);
        const uint32_t i = (uint32_t)order[at];
        const bp_id id = changes->ids[i];
        const entry shape = {.id = id,
                             .restated = (changes->marks[id] & BP_MARK_RESTATED) != 0,
                             .where = places_of(patch)[id],
                             .before = changes->old_boxes[i],
                             .after = boxes[id]};
        add_entries(patch, &shape);
    }
    return true;
}

static bool list_resting(bp_grid_patch *patch, const bp_box *boxes, const bp_changes *changes) {
    const bp_allocator *allocator = &patch->config->allocator;
    if (!bp_buffer_reserve_slack(&patch->resting, allocator, 0, patch->loose_count, sizeof(bp_id)) ||
        !bp_buffer_reserve_slack(&patch->resting_boxes, allocator, 0, patch->loose_count, sizeof(bp_box))) {
        return false;
    }
    bp_id *ids = patch->resting.data;
    patch->resting_count = 0;
    for (size_t i = 0; i < patch->loose_count; ++i) {
        const bp_id id = loose_of(patch)[i];
        if (changes->marks[id] == 0) {
            ids[patch->resting_count] = id;
            ((bp_box *)patch->resting_boxes.data)[patch->resting_count++] = boxes[id];
        }
    }
    patch->wear += patch->resting_count;
    return true;
}

// ---- exact tests ----------------------------------------------------------------------------------------------------

// What has become of a pair: a set of ENDED and BEGUN. One that must be restated is told even if nothing has changed.
static uint32_t fate_of(bool was, bool is, bool restated) {
    return (was && (!is || restated) ? ENDED : 0u) | (is && (!was || restated) ? BEGUN : 0u);
}

typedef struct comparison {
    const bp_grid_patch *patch;
    const bp_sorted_grid *others; // resting ones; NULL: entries among each other
} comparison;

static bp_box box_at(const bp_columns *columns, size_t position) {
    bp_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = columns->min[axis][position];
        box.max[axis] = columns->max[axis][position];
    }
    return box;
}

static bool overlap(const comparison *c, bool may, const bp_box *a, const bp_box *b) {
    return may && bp_boxes_overlap(a, b, c->patch->config->dimensions);
}

// (entry, position of a resting one), while both are still at hand: keeps those whose fate is something.
static size_t sift_resting(const void *context, bp_pair *pairs, size_t count) {
    const comparison *c = context;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const entry *e = &entries_of(c->patch)[pairs[i].a];
        const bp_box box = box_at(&c->others->columns, pairs[i].b);
        const bool was = overlap(c, (e->states & BEFORE) != 0, &e->before, &box);
        const bool is = overlap(c, (e->states & AFTER) != 0, &e->after, &box);
        const uint32_t fate = fate_of(was, is, e->restated);
        pairs[kept] = (bp_pair){.a = pairs[i].a | fate << FATE_SHIFT, .b = pairs[i].b};
        kept += fate != 0;
    }
    return kept;
}

// (entry, entry)
static size_t sift_moved(const void *context, bp_pair *pairs, size_t count) {
    const comparison *c = context;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const entry *e = &entries_of(c->patch)[pairs[i].a], *f = &entries_of(c->patch)[pairs[i].b];
        const uint32_t states = e->id != f->id ? e->states & f->states : 0;
        const bool was = overlap(c, (states & BEFORE) != 0, &e->before, &f->before);
        const bool is = overlap(c, (states & AFTER) != 0, &e->after, &f->after);
        const uint32_t fate = fate_of(was, is, e->restated || f->restated);
        pairs[kept] = (bp_pair){.a = pairs[i].a | fate << FATE_SHIFT, .b = pairs[i].b};
        kept += fate != 0;
    }
    return kept;
}

// ---- telling --------------------------------------------------------------------------------------------------------

typedef struct report {
    bp_sink *begun, *ended;
    bool failed;
} report;

static void tell(report *r, uint32_t fate, bp_id a, bp_id b) {
    const bp_id low = a < b ? a : b, high = a < b ? b : a;
    if ((fate & ENDED) != 0) {
        r->failed |= !bp_sink_push(r->ended, low, high);
    }
    if ((fate & BEGUN) != 0) {
        r->failed |= !bp_sink_push(r->begun, low, high);
    }
}

static bp_id id_of_entry(const comparison *c, uint32_t named) {
    return entries_of(c->patch)[named & ((1u << FATE_SHIFT) - 1)].id;
}

// Sweeps what is moved against a grid of resting boxes, of which `ids` tells the ids by position.
static bp_status compare_with(bp_grid_patch *patch, const bp_sorted_grid *others, const bp_id *ids, report *r) {
    const comparison c = {.patch = patch, .others = others};
    const bp_sieve sieve = {.sift = sift_resting, .context = &c};
    patch->found.count = 0;
    patch->found.sieve = &sieve;
    const bp_status status = bp_sorted_grid_find_positions(&patch->moved_grid, others, &patch->found);
    for (size_t i = 0; status == BP_OK && i < patch->found.count; ++i) {
        const bp_pair pair = patch->found.data[i];
        bp_prefetch(&ids[patch->found.data[i + PREFETCHED < patch->found.count ? i + PREFETCHED : i].b]);
        tell(r, pair.a >> FATE_SHIFT, id_of_entry(&c, pair.a), ids[pair.b]);
    }
    return status;
}

static bp_status compare_with_base(bp_grid_patch *patch, report *r) {
    return compare_with(patch, patch->base, patch->base->columns.id, r);
}

static bp_status compare_with_loose(bp_grid_patch *patch, report *r) {
    if (patch->resting_count == 0) {
        return BP_OK;
    }
    bp_id *ids = patch->resting.data;
    bp_sorted_grid *grid = &patch->resting_grid;
    const bp_status status = bp_sorted_grid_build(grid, patch->resting_boxes.data, patch->resting_count);
    for (size_t i = 0; status == BP_OK && i < grid->total_count; ++i) {
        grid->columns.id[i] = ids[grid->columns.id[i]];
    }
    return status == BP_OK ? compare_with(patch, grid, grid->columns.id, r) : status;
}

static bp_status compare_among_moved(bp_grid_patch *patch, report *r) {
    const comparison c = {.patch = patch};
    const bp_sieve sieve = {.sift = sift_moved, .context = &c};
    patch->found.count = 0;
    patch->found.sieve = &sieve;
    const bp_status status = bp_sorted_grid_find(&patch->moved_grid, &patch->found);
    for (size_t i = 0; status == BP_OK && i < patch->found.count; ++i) {
        const bp_pair pair = patch->found.data[i];
        tell(r, pair.a >> FATE_SHIFT, id_of_entry(&c, pair.a), id_of_entry(&c, pair.b));
    }
    return status;
}

// ---- settling -------------------------------------------------------------------------------------------------------

// Whether the cell of an axis, folded, is one of those that a min corner may be found in, give or take the slack; and
// whether that is still in the bounds that queries go by: it may have gone far, to where the folded cell is the same.
static bool is_within(const bp_level *level, uint32_t axis, float min, uint32_t folded) {
    const uint32_t mask = (1u << level->bits[axis]) - 1;
    const double slack = SLACK_USED * level->slack[axis];
    const uint32_t low = (uint32_t)bp_cell_of_double((double)min - slack, level->inverse[axis]);
    const uint32_t high = (uint32_t)bp_cell_of_double((double)min + slack, level->inverse[axis]);
    const bool inside =
        (double)min >= (double)level->low[axis] - slack && (double)min <= (double)level->high[axis] + slack;
    return inside && ((low & mask) == folded || (high & mask) == folded);
}

static const bp_level *level_of(const bp_sorted_grid *grid, uint32_t cell) {
    const bp_level *level = bp_level_at(&grid->levels, 0);
    for (size_t i = 1; i < grid->levels.count && level[1].first_cell <= cell; ++i) {
        ++level;
    }
    return level;
}

static bool fits(const bp_grid_patch *patch, place where, const bp_box *box) {
    if (where.cell == NOWHERE) {
        return true; // it is scanned: tested against all, wherever it is
    }
    const bp_level *level = level_of(patch->base, where.cell);
    uint32_t rest = where.cell - (uint32_t)level->first_cell;
    bool fit = true;
    for (uint32_t axis = 0; axis < patch->config->dimensions; ++axis) {
        const double extent = (double)box->max[axis] - (double)box->min[axis];
        fit &= extent <= (double)level->reach[axis];
        fit &= is_within(level, axis, box->min[axis], rest & ((1u << level->bits[axis]) - 1));
        rest >>= level->bits[axis];
    }
    return fit;
}

static void write_over(const bp_grid_patch *patch, uint32_t position, const bp_box *given) {
    const bp_box box = bp_box_flatten(*given, patch->config->dimensions);
    for (int axis = 0; axis < 3; ++axis) {
        patch->base->columns.min[axis][position] = box.min[axis];
        patch->base->columns.max[axis][position] = box.max[axis];
    }
}

static void tie(bp_grid_patch *patch, bp_id id) {
    const uint32_t at = places_of(patch)[id].cell;
    const bp_id last = loose_of(patch)[--patch->loose_count];
    loose_of(patch)[at] = last;
    places_of(patch)[last].cell = at;
    places_of(patch)[id] = (place){.position = NOWHERE, .cell = 0};
}

static void loosen(bp_grid_patch *patch, bp_id id) {
    places_of(patch)[id] = (place){.position = LOOSE, .cell = (uint32_t)patch->loose_count};
    loose_of(patch)[patch->loose_count++] = id;
}

// To where a changed object belongs from now on.
static void settle(bp_grid_patch *patch, const entry *e) {
    const bool alive = !bp_box_is_hole(&e->after);
    if (e->where.position == LOOSE) {
        if (!alive) {
            tie(patch, e->id);
        }
    } else if (alive && e->where.position != NOWHERE && fits(patch, e->where, &e->after)) {
        write_over(patch, e->where.position, &e->after);
    } else if (alive) {
        loosen(patch, e->id);
    } else {
        places_of(patch)[e->id].position = NOWHERE;
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

BP_PREFETCHER prefetch_columns(const bp_grid_patch *patch, size_t at) {
    const uint32_t position = entries_of(patch)[at < patch->entry_count ? at : 0].where.position;
    for (int axis = 0; axis < 3 && position < LOOSE; ++axis) {
        bp_prefetch(patch->base->columns.min[axis] + position);
        bp_prefetch(patch->base->columns.max[axis] + position);
    }
}

// What has changed is not met in the base: it is among the moved.
static void blank_moved(const bp_grid_patch *patch) {
    for (size_t at = 0; at < patch->entry_count; ++at) {
        const uint32_t position = entries_of(patch)[at].where.position;
        if (position < LOOSE) {
            patch->base->columns.min[0][position] = NAN;
        }
    }
}

static void settle_moved(bp_grid_patch *patch) {
    for (size_t at = 0; at < patch->entry_count; ++at) {
        const entry *e = &entries_of(patch)[at];
        prefetch_columns(patch, at + PREFETCHED);
        if ((e->states & AFTER) != 0 || bp_box_is_hole(&e->after)) { // once for each change
            settle(patch, e);
        }
    }
}

static bool prepare(bp_grid_patch *patch, const bp_box *boxes, size_t count, const bp_changes *changes) {
    return (patch->active || begin(patch, count)) && reserve_places(patch, count) &&
           bp_buffer_reserve_slack(&patch->loose, &patch->config->allocator, patch->loose_count * sizeof(bp_id),
                                   patch->loose_count + changes->count, sizeof(bp_id)) &&
           list_moved(patch, boxes, changes) && list_resting(patch, boxes, changes);
}

static bp_status compare(bp_grid_patch *patch, report *r) {
    bp_status status = compare_with_base(patch, r);
    if (status == BP_OK) {
        status = compare_with_loose(patch, r);
    }
    if (status == BP_OK) {
        status = compare_among_moved(patch, r);
    }
    patch->found.sieve = NULL;
    return status == BP_OK && r->failed ? BP_ERROR_MEMORY : status;
}

// So many have left the base that sorting it anew pays.
static bool is_worn(const bp_grid_patch *patch) {
    const size_t total = patch->base->total_count;
    return patch->loose_count > total / LOOSE_SHARE || patch->wear > total;
}

static bp_status renew(bp_grid_patch *patch, const bp_box *boxes, size_t count) {
    bp_grid_patch_end(patch);
    return bp_sorted_grid_build(patch->base, boxes, count);
}

bp_status bp_grid_patch_find(bp_grid_patch *patch, const bp_box *boxes, size_t count, const bp_changes *changes,
                             bp_sink *begun, bp_sink *ended) {
    if (!prepare(patch, boxes, count, changes)) {
        return BP_ERROR_MEMORY;
    }
    bp_status status = bp_sorted_grid_build(&patch->moved_grid, entry_boxes_of(patch), patch->entry_count);
    if (status != BP_OK) {
        return status;
    }
    report r = {.begun = begun, .ended = ended};
    patch->found.tests = 0;
    blank_moved(patch);
    status = compare(patch, &r);
    begun->tests += patch->found.tests;
    if (status == BP_OK) {
        settle_moved(patch);
    }
    return status == BP_OK && is_worn(patch) ? renew(patch, boxes, count) : status;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

static size_t grid_bytes(const bp_sorted_grid *grid) {
    bp_stats stats = {0};
    bp_sorted_grid_stats(grid, &stats);
    return stats.bytes;
}

size_t bp_grid_patch_bytes(const bp_grid_patch *patch) {
    return patch->places.bytes + patch->loose.bytes + patch->order.bytes + patch->entries.bytes +
           patch->entry_boxes.bytes + patch->resting.bytes + patch->resting_boxes.bytes +
           patch->found.capacity * sizeof(bp_pair) + grid_bytes(&patch->moved_grid) + grid_bytes(&patch->resting_grid);
}

static bool is_sound(const bp_grid_patch *patch, bp_id id, const bp_box *box) {
    const place where = places_of(patch)[id];
    if (bp_box_is_hole(box)) {
        return where.position == NOWHERE;
    }
    if (where.position == LOOSE) {
        return where.cell < patch->loose_count && loose_of(patch)[where.cell] == id;
    }
    return where.position < patch->base->total_count && patch->base->columns.id[where.position] == id &&
           (where.cell < patch->base->cell_count || where.cell == NOWHERE) &&
           bp_columns_hold(&patch->base->columns, where.position, box, patch->config->dimensions) &&
           fits(patch, where, box);
}

bp_status bp_grid_patch_validate(const bp_grid_patch *patch, const bp_box *boxes, size_t count) {
    bool sound = patch->place_count >= count && bp_sorted_grid_levels_are_sound(patch->base);
    for (size_t id = 0; sound && id < count; ++id) {
        sound = is_sound(patch, (bp_id)id, &boxes[id]);
    }
    if (!sound) {
        bp_log_write(patch->config, "hierarchical-grid: the patched form does not hold the boxes it was given");
    }
    return sound ? BP_OK : BP_ERROR_INTERNAL;
}
