// Patching a sorted grid; patched_grid.h describes how.
#include "engine/grid/patched_grid.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/radix_sort.h"

#include <string.h>

static const uint32_t NOWHERE = UINT32_MAX, STRAY = UINT32_MAX - 1;

// The place of an object.
typedef struct place {
    uint32_t position; // in the base, or STRAY, or NOWHERE
    uint32_t cell;     // of the base, NOWHERE if it is scanned; for a stray, its index among the strays
} place;

// Which boxes of a changed object a box of `moved` represents.
enum { BEFORE = 1, AFTER = 2 };

typedef struct entry {
    bp_id id;
    uint8_t states;       // a set of the above
    bool restated;        // its pairs are reported even if they overlap as before
    bool is_placed;       // at the end of this step
    place where;          // before this step
    bp_box before, after; // the old and the new box
} entry;

// Events of a pair: a set that is stored in two bits of the index of an entry.
enum { ENDED = 1, BEGUN = 2, EVENT_SHIFT = 30 };

static const double SLACK = 0.25;        // of the largest extent on a level: how far a box may leave its cell ...
static const double SLACK_OF_CELL = 0.5; // ... but no further than this fraction of the cell
static const double SLACK_USED = 0.999;  // of that: the remainder is for rounding
static const double UNION_GROWTH = 0.5;  // of the larger extent: up to this, old and new box are near each other

enum {
    STRAY_SHARE = 8,  // more than one stray in this many objects are too many
    PREFETCHED = 12,  // objects ahead of the current one that are prefetched
    LIST_LEAST = 512, // changes that are worth a task
    LIST_BLOCKS = 256
};

static place *object_places(const bp_patched_grid *patch) {
    return patch->places.data;
}

static bp_id *strays_of(const bp_patched_grid *patch) {
    return patch->strays.data;
}

static entry *entries_of(const bp_patched_grid *patch) {
    return patch->entries.data;
}

static bp_box *entry_boxes_of(const bp_patched_grid *patch) {
    return patch->entry_boxes.data;
}

void bp_patched_grid_init(bp_patched_grid *patch, const bp_method_setup *setup, bp_sorted_grid *base) {
    *patch = (bp_patched_grid){.setup = setup, .base = base};
    bp_sorted_grid_init(&patch->moved_grid, setup);
    bp_sorted_grid_init(&patch->resting_grid, setup);
}

void bp_patched_grid_free(bp_patched_grid *patch) {
    bp_buffer *buffers[] = {&patch->places,      &patch->strays,  &patch->order,        &patch->entries,
                            &patch->entry_boxes, &patch->resting, &patch->resting_boxes};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], &patch->setup->runtime.allocator);
    }
    bp_pairs_release(&patch->found, &patch->setup->runtime.allocator);
    bp_sorted_grid_free(&patch->moved_grid);
    bp_sorted_grid_free(&patch->resting_grid);
}

void bp_patched_grid_end(bp_patched_grid *patch) {
    patch->active = false;
    patch->stray_count = 0;
}

// ---- beginning ------------------------------------------------------------------------------------------------------

static bool reserve_object_places(bp_patched_grid *patch, size_t count) {
    if (!bp_buffer_reserve_slack(&patch->places, &patch->setup->runtime.allocator, patch->place_count * sizeof(place),
                                 count, sizeof(place))) {
        return false;
    }
    for (; patch->place_count < count; ++patch->place_count) {
        object_places(patch)[patch->place_count] = (place){.position = NOWHERE, .cell = 0};
    }
    return true;
}

// Stores the place of each object of the base.
static void note_places(bp_patched_grid *patch) {
    const bp_sorted_grid *base = patch->base;
    const uint32_t *table = bp_sorted_grid_table(base);
    for (uint32_t cell = 0; cell < base->cell_count; ++cell) {
        for (uint32_t position = table[cell]; position < table[cell + 1]; ++position) {
            object_places(patch)[base->columns.id[position]] = (place){.position = position, .cell = cell};
        }
    }
    for (size_t position = base->grid_count; position < base->total_count; ++position) { // scanned boxes
        object_places(patch)[base->columns.id[position]] = (place){.position = (uint32_t)position, .cell = NOWHERE};
    }
}

// From now on boxes may leave their cells by the slack: searches reach further by the same distance.
static void give_levels_slack(bp_patched_grid *patch) {
    for (size_t i = 0; i < patch->base->levels.count; ++i) {
        bp_level *level = bp_level_at(&patch->base->levels, i);
        for (uint32_t axis = 0; axis < patch->setup->dimensions; ++axis) {
            const double most = SLACK_OF_CELL / level->inverse[axis], wanted = SLACK * (double)level->reach[axis];
            level->slack[axis] = wanted < most ? wanted : most;
        }
    }
}

static bool begin_patching(bp_patched_grid *patch, size_t count) {
    patch->place_count = 0;
    if (!reserve_object_places(patch, count)) {
        return false;
    }
    note_places(patch);
    give_levels_slack(patch);
    patch->stray_count = 0;
    patch->wear = 0;
    patch->active = true;
    return true;
}

// ---- the moved boxes ------------------------------------------------------------------------------------------------

// The box around the old and the new box. False if it is much larger than they are.
static bool unite_boxes(const bp_box *before, const bp_box *after, uint32_t dimensions, bp_box *both) {
    bool near = true;
    *both = *after;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        both->min[axis] = fminf(before->min[axis], after->min[axis]);
        both->max[axis] = fmaxf(before->max[axis], after->max[axis]);
        const float extent = fmaxf(before->max[axis] - before->min[axis], after->max[axis] - after->min[axis]);
        // false for infinite boxes, whose difference is NaN
        near &= (double)(both->max[axis] - both->min[axis]) <= (1.0 + UNION_GROWTH) * (double)extent;
    }
    return near;
}

static bool reserve_moved(bp_patched_grid *patch, size_t changed) {
    const bp_allocator *allocator = &patch->setup->runtime.allocator;
    return bp_buffer_reserve_slack(&patch->order, allocator, 0, 2 * changed, sizeof(uint64_t)) &&
           bp_buffer_reserve_slack(&patch->entries, allocator, 0, 3 * changed, sizeof(entry)) &&
           bp_buffer_reserve_slack(&patch->entry_boxes, allocator, 0, 2 * changed, sizeof(bp_box));
}

// Listing the boxes that change, each as one entry or as two.
//
//   1. order    the changes as their objects lie in the base, so that neighbours are processed one after the other
//   2. read     what is known of each change, and how many entries the changes of each block will have
//   3. list     the entries
typedef struct listing {
    const bp_patched_grid *patch;
    const bp_box *boxes;
    const bp_changes *changes;
    const uint64_t *order;      // place in the base << 32 | index of the change
    entry *read;                // by order
    bp_blocks blocks;           // of changes
    size_t counts[LIST_BLOCKS]; // of the entries of each block; then where they begin
} listing;

static void task_write_keys(void *context, size_t block) {
    const listing *l = context;
    uint64_t *keys = l->patch->order.data;
    const size_t end = bp_block_begin(l->blocks, block + 1);
    for (size_t i = bp_block_begin(l->blocks, block); i < end; ++i) {
        bp_prefetch(&object_places(l->patch)[l->changes->ids[i + PREFETCHED < end ? i + PREFETCHED : i]]);
        keys[i] = (uint64_t)object_places(l->patch)[l->changes->ids[i]].position << 32 | i;
    }
}

BP_PREFETCHER prefetch_change(const bp_patched_grid *patch, const bp_box *boxes, const bp_changes *changes,
                              uint32_t i) {
    bp_prefetch(&boxes[changes->ids[i]]);
    bp_prefetch(&object_places(patch)[changes->ids[i]]);
    bp_prefetch(&changes->old_boxes[i]);
}

static entry read_change(const listing *l, size_t at) {
    const bp_changes *changes = l->changes;
    const uint32_t i = (uint32_t)l->order[at];
    const bp_id id = changes->ids[i];
    return (entry){.id = id,
                   .restated = (changes->marks[id] & BP_MARK_RESTATED) != 0,
                   .where = object_places(l->patch)[id],
                   .before = changes->old_boxes[i],
                   .after = l->boxes[id]};
}

// One box for the old and the new box of an object, or one for each of them. Returns how many.
static size_t boxes_of_change(const entry *change, uint32_t dimensions, bp_box boxes[2], uint8_t states[2]) {
    const bool was = !bp_box_is_hole(&change->before), is = !bp_box_is_hole(&change->after);
    if (was && is && unite_boxes(&change->before, &change->after, dimensions, &boxes[0])) {
        states[0] = BEFORE | AFTER;
        return 1;
    }
    size_t count = 0;
    if (was) {
        boxes[count] = change->before;
        states[count++] = BEFORE;
    }
    if (is) {
        boxes[count] = change->after;
        states[count++] = AFTER;
    }
    return count;
}

static void task_read(void *context, size_t block) {
    listing *l = context;
    const size_t end = bp_block_begin(l->blocks, block + 1);
    size_t count = 0;
    for (size_t at = bp_block_begin(l->blocks, block); at < end; ++at) {
        bp_box boxes[2];
        uint8_t states[2];
        prefetch_change(l->patch, l->boxes, l->changes,
                        (uint32_t)l->order[at + PREFETCHED < end ? at + PREFETCHED : at]);
        l->read[at] = read_change(l, at);
        count += boxes_of_change(&l->read[at], l->patch->setup->dimensions, boxes, states);
    }
    l->counts[block] = count;
}

static void task_list(void *context, size_t block) {
    const listing *l = context;
    const size_t end = bp_block_begin(l->blocks, block + 1);
    size_t next = l->counts[block];
    for (size_t at = bp_block_begin(l->blocks, block); at < end; ++at) {
        bp_box boxes[2];
        uint8_t states[2];
        const size_t count = boxes_of_change(&l->read[at], l->patch->setup->dimensions, boxes, states);
        for (size_t i = 0; i < count; ++i, ++next) {
            entries_of(l->patch)[next] = l->read[at];
            entries_of(l->patch)[next].states = states[i];
            entry_boxes_of(l->patch)[next] = boxes[i];
        }
    }
}

static bool list_moved(bp_patched_grid *patch, const bp_box *boxes, const bp_changes *changes) {
    const bp_executor *executor = &patch->setup->runtime.executor;
    patch->entry_count = 0;
    if (!reserve_moved(patch, changes->count)) {
        return false;
    }
    listing l;
    l.patch = patch;
    l.boxes = boxes;
    l.changes = changes;
    l.read = entries_of(patch) + 2 * changes->count; // behind all that there may be
    l.blocks = bp_blocks_cut(executor, changes->count, LIST_LEAST, LIST_BLOCKS);
    bp_parallel_for(executor, l.blocks.count, task_write_keys, &l);
    uint64_t *keys = patch->order.data;
    l.order = bp_sort_keys(keys, keys + changes->count, changes->count, 32, 64);
    bp_parallel_for(executor, l.blocks.count, task_read, &l);
    patch->entry_count = bp_counts_to_positions(l.counts, l.blocks.count);
    bp_parallel_for(executor, l.blocks.count, task_list, &l);
    return true;
}

// Lists the strays that have not changed.
static bool list_resting(bp_patched_grid *patch, const bp_box *boxes, const bp_changes *changes) {
    const bp_allocator *allocator = &patch->setup->runtime.allocator;
    if (!bp_buffer_reserve_slack(&patch->resting, allocator, 0, patch->stray_count, sizeof(bp_id)) ||
        !bp_buffer_reserve_slack(&patch->resting_boxes, allocator, 0, patch->stray_count, sizeof(bp_box))) {
        return false;
    }
    bp_id *ids = patch->resting.data;
    patch->resting_count = 0;
    for (size_t i = 0; i < patch->stray_count; ++i) {
        const bp_id id = strays_of(patch)[i];
        if (changes->marks[id] == 0) {
            ids[patch->resting_count] = id;
            ((bp_box *)patch->resting_boxes.data)[patch->resting_count++] = boxes[id];
        }
    }
    patch->wear += patch->resting_count;
    return true;
}

// ---- exact tests ----------------------------------------------------------------------------------------------------

// The events of a pair: a set of ENDED and BEGUN. A restated pair that overlaps before and after is reported as ended
// and as begun.
static uint32_t events_of(bool was, bool is, bool restated) {
    return (was && (!is || restated) ? ENDED : 0u) | (is && (!was || restated) ? BEGUN : 0u);
}

// The context of the filters below.
typedef struct comparison {
    const bp_patched_grid *patch;
    const bp_columns *resting; // NULL: entries among each other
} comparison;

// Whether two boxes of a state overlap, if that state exists.
static bool overlap_in_state(const comparison *c, uint32_t state, const bp_box *a, const bp_box *b) {
    return state != 0 && bp_boxes_overlap(a, b, c->patch->setup->dimensions);
}

// A filter for pairs (entry, position of a resting box), while both are still in the cache: keeps those that have begun
// or ended, and stores the events in the index of the entry.
static size_t keep_events_with_resting(const void *context, bp_pair *pairs, size_t count) {
    const comparison *c = context;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const entry *e = &entries_of(c->patch)[pairs[i].a];
        const bp_box box = bp_columns_box(c->resting, pairs[i].b);
        const bool was = overlap_in_state(c, e->states & BEFORE, &e->before, &box);
        const bool is = overlap_in_state(c, e->states & AFTER, &e->after, &box);
        const uint32_t events = events_of(was, is, e->restated);
        pairs[kept] = (bp_pair){.a = pairs[i].a | events << EVENT_SHIFT, .b = pairs[i].b};
        kept += events != 0;
    }
    return kept;
}

// The same for pairs (entry, entry).
static size_t keep_events_among_moved(const void *context, bp_pair *pairs, size_t count) {
    const comparison *c = context;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const entry *e = &entries_of(c->patch)[pairs[i].a], *f = &entries_of(c->patch)[pairs[i].b];
        const uint32_t states = e->id != f->id ? e->states & f->states : 0;
        const bool was = overlap_in_state(c, states & BEFORE, &e->before, &f->before);
        const bool is = overlap_in_state(c, states & AFTER, &e->after, &f->after);
        const uint32_t events = events_of(was, is, e->restated || f->restated);
        pairs[kept] = (bp_pair){.a = pairs[i].a | events << EVENT_SHIFT, .b = pairs[i].b};
        kept += events != 0;
    }
    return kept;
}

// ---- reporting ------------------------------------------------------------------------------------------------------

typedef struct report {
    bp_sink *begun, *ended;
    bool failed; // memory ran short
} report;

static void report_pair(report *r, uint32_t events, bp_id a, bp_id b) {
    const bp_id low = a < b ? a : b, high = a < b ? b : a;
    if ((events & ENDED) != 0) {
        r->failed |= !bp_sink_push(r->ended, low, high);
    }
    if ((events & BEGUN) != 0) {
        r->failed |= !bp_sink_push(r->begun, low, high);
    }
}

static bp_id id_of_entry(const bp_patched_grid *patch, uint32_t index_and_events) {
    return entries_of(patch)[index_and_events & ((1u << EVENT_SHIFT) - 1)].id;
}

static bp_sink open_found(const bp_patched_grid *patch, bp_batch_filter filter, const report *r) {
    return bp_sink_open(
        &patch->found, &patch->setup->runtime.allocator,
        (bp_sink_rules){.filter = filter, .limit = BP_SINK_UNLIMITED, .budget = r->begun->rules.budget});
}

// Takes the list back, even after a failed search.
static bp_status close_found(bp_patched_grid *patch, bp_sink *sink, const report *r, bp_status searched) {
    r->begun->tests += sink->tests;
    const bp_status closed = bp_sink_close(sink, &patch->found);
    return searched == BP_OK ? closed : searched;
}

// Searches a grid of resting boxes for the moved boxes.
static bp_status find_with_resting(bp_patched_grid *patch, const bp_sorted_grid *resting, report *r) {
    const comparison c = {.patch = patch, .resting = &resting->columns};
    const bp_id *ids = resting->columns.id;
    bp_sink sink = open_found(patch, (bp_batch_filter){.keep = keep_events_with_resting, .context = &c}, r);
    bp_status status = bp_sorted_grid_find_positions(&patch->moved_grid, resting, &sink);
    status = close_found(patch, &sink, r, status);
    const bp_pairs *found = &patch->found;
    for (size_t i = 0; status == BP_OK && i < found->count; ++i) {
        const bp_pair pair = found->data[i];
        bp_prefetch(&ids[found->data[i + PREFETCHED < found->count ? i + PREFETCHED : i].b]);
        report_pair(r, pair.a >> EVENT_SHIFT, id_of_entry(patch, pair.a), ids[pair.b]);
    }
    return status;
}

static bp_status find_with_strays(bp_patched_grid *patch, report *r) {
    if (patch->resting_count == 0) {
        return BP_OK;
    }
    const bp_id *ids = patch->resting.data;
    bp_sorted_grid *grid = &patch->resting_grid;
    const bp_status status = bp_sorted_grid_build(grid, patch->resting_boxes.data, patch->resting_count);
    for (size_t i = 0; status == BP_OK && i < grid->total_count; ++i) {
        grid->columns.id[i] = ids[grid->columns.id[i]];
    }
    return status == BP_OK ? find_with_resting(patch, grid, r) : status;
}

static bp_status find_among_moved(bp_patched_grid *patch, report *r) {
    const comparison c = {.patch = patch};
    bp_sink sink = open_found(patch, (bp_batch_filter){.keep = keep_events_among_moved, .context = &c}, r);
    bp_status status = bp_sorted_grid_find(&patch->moved_grid, &sink);
    status = close_found(patch, &sink, r, status);
    for (size_t i = 0; status == BP_OK && i < patch->found.count; ++i) {
        const bp_pair pair = patch->found.data[i];
        report_pair(r, pair.a >> EVENT_SHIFT, id_of_entry(patch, pair.a), id_of_entry(patch, pair.b));
    }
    return status;
}

static bp_status find_events(bp_patched_grid *patch, report *r) {
    bp_status status = find_with_resting(patch, patch->base, r);
    if (status == BP_OK) {
        status = find_with_strays(patch, r);
    }
    if (status == BP_OK) {
        status = find_among_moved(patch, r);
    }
    return status == BP_OK && r->failed ? BP_ERROR_MEMORY : status;
}

// ---- bringing the base up to date -----------------------------------------------------------------------------------

// Whether searches find a min corner in this folded cell of an axis: it must be there, within the slack, and still in
// the bounds of the level. (It may have moved far away, to a cell that is folded to the same place.)
static bool is_within_slack(const bp_level *level, uint32_t axis, float min, uint32_t folded) {
    const uint32_t mask = (1u << level->bits[axis]) - 1;
    const double slack = SLACK_USED * level->slack[axis];
    const uint32_t low = (uint32_t)bp_cell_of_double((double)min - slack, level->inverse[axis]);
    const uint32_t high = (uint32_t)bp_cell_of_double((double)min + slack, level->inverse[axis]);
    const bool inside =
        (double)min >= (double)level->low[axis] - slack && (double)min <= (double)level->high[axis] + slack;
    return inside && ((low & mask) == folded || (high & mask) == folded);
}

// Whether an object with this box may stay at its place in the base.
static bool fits_place(const bp_patched_grid *patch, place where, const bp_box *box) {
    if (where.cell == NOWHERE) {
        return true; // scanned: tested against all boxes, wherever it is
    }
    const bp_level *level = bp_sorted_grid_level_of_cell(patch->base, where.cell);
    uint32_t folded_cell = where.cell - (uint32_t)level->first_cell;
    bool fit = true;
    for (uint32_t axis = 0; axis < patch->setup->dimensions; ++axis) {
        const double extent = (double)box->max[axis] - (double)box->min[axis];
        fit &= extent <= (double)level->reach[axis];
        fit &= is_within_slack(level, axis, box->min[axis], folded_cell & ((1u << level->bits[axis]) - 1));
        folded_cell >>= level->bits[axis];
    }
    return fit;
}

static void overwrite_box(const bp_patched_grid *patch, uint32_t position, const bp_box *after) {
    const bp_box box = bp_box_flatten(*after, patch->setup->dimensions);
    bp_columns_put_box(&patch->base->columns, position, &box);
}

// The last stray takes the place of the removed one.
static void forget_stray(bp_patched_grid *patch, bp_id id) {
    const uint32_t at = object_places(patch)[id].cell;
    const bp_id last = strays_of(patch)[--patch->stray_count];
    strays_of(patch)[at] = last;
    object_places(patch)[last].cell = at;
    object_places(patch)[id] = (place){.position = NOWHERE, .cell = 0};
}

static void make_stray(bp_patched_grid *patch, bp_id id) {
    object_places(patch)[id] = (place){.position = STRAY, .cell = (uint32_t)patch->stray_count};
    strays_of(patch)[patch->stray_count++] = id;
}

// Whether a changed object lives, and may stay where it is in the base.
static bool stays(const bp_patched_grid *patch, const entry *e) {
    return e->where.position < STRAY && !bp_box_is_hole(&e->after) && fits_place(patch, e->where, &e->after);
}

// Moves a changed object that does not stay to its new place.
static void place_object(bp_patched_grid *patch, const entry *e) {
    const bool alive = !bp_box_is_hole(&e->after);
    if (e->where.position == STRAY) {
        if (!alive) {
            forget_stray(patch, e->id);
        }
    } else if (alive) {
        make_stray(patch, e->id);
    } else {
        object_places(patch)[e->id].position = NOWHERE;
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

BP_PREFETCHER prefetch_columns(const bp_patched_grid *patch, size_t at) {
    const uint32_t position = entries_of(patch)[at < patch->entry_count ? at : 0].where.position;
    for (int axis = 0; axis < 3 && position < STRAY; ++axis) {
        bp_prefetch(patch->base->columns.min[axis] + position);
        bp_prefetch(patch->base->columns.max[axis] + position);
    }
}

// Blocks of entries. Two entries of the same object, and no others, have the same position in the base.
typedef struct entry_blocks {
    const bp_patched_grid *patch;
    bp_blocks blocks;
} entry_blocks;

// Blanks the changed boxes in the base, so that no search finds them there: they are in `moved`.
static void task_blank(void *context, size_t block) {
    const entry_blocks *b = context;
    const size_t end = bp_block_begin(b->blocks, block + 1);
    for (size_t at = bp_block_begin(b->blocks, block); at < end; ++at) {
        const uint32_t position = entries_of(b->patch)[at].where.position;
        if (position < STRAY) {
            b->patch->base->columns.min[0][position] = NAN;
        }
    }
}

static void for_entry_blocks(const bp_patched_grid *patch, bp_task task) {
    const bp_executor *executor = &patch->setup->runtime.executor;
    entry_blocks b = {.patch = patch, .blocks = bp_blocks_cut(executor, patch->entry_count, LIST_LEAST, LIST_BLOCKS)};
    bp_parallel_for(executor, b.blocks.count, task, &b);
}

// An object with two entries is placed once.
static bool is_last_of_object(const entry *e) {
    return (e->states & AFTER) != 0 || bp_box_is_hole(&e->after);
}

static void task_place(void *context, size_t block) {
    const entry_blocks *b = context;
    const size_t end = bp_block_begin(b->blocks, block + 1);
    for (size_t at = bp_block_begin(b->blocks, block); at < end; ++at) {
        entry *e = &entries_of(b->patch)[at];
        prefetch_columns(b->patch, at + PREFETCHED);
        e->is_placed = !is_last_of_object(e);
        if (!e->is_placed && stays(b->patch, e)) {
            overwrite_box(b->patch, e->where.position, &e->after);
            e->is_placed = true;
        }
    }
}

// Objects that stay are placed by blocks; the others, which change lists, one after the other.
static void place_moved_objects(bp_patched_grid *patch) {
    for_entry_blocks(patch, task_place);
    for (size_t at = 0; at < patch->entry_count; ++at) {
        const entry *e = &entries_of(patch)[at];
        if (!e->is_placed) {
            place_object(patch, e);
        }
    }
}

static bool prepare_search(bp_patched_grid *patch, const bp_box *boxes, size_t count, const bp_changes *changes) {
    return (patch->active || begin_patching(patch, count)) && reserve_object_places(patch, count) &&
           bp_buffer_reserve_slack(&patch->strays, &patch->setup->runtime.allocator, patch->stray_count * sizeof(bp_id),
                                   patch->stray_count + changes->count, sizeof(bp_id)) &&
           list_moved(patch, boxes, changes) && list_resting(patch, boxes, changes);
}

// Whether there are so many strays that rebuilding the base pays.
static bool is_worn(const bp_patched_grid *patch) {
    const size_t total = patch->base->total_count;
    return patch->stray_count > total / STRAY_SHARE || patch->wear > total;
}

static bp_status rebuild_base(bp_patched_grid *patch, const bp_box *boxes, size_t count) {
    bp_patched_grid_end(patch);
    return bp_sorted_grid_build(patch->base, boxes, count);
}

bp_status bp_patched_grid_find(bp_patched_grid *patch, const bp_box *boxes, size_t count, const bp_changes *changes,
                               bp_sink *begun, bp_sink *ended) {
    if (!prepare_search(patch, boxes, count, changes)) {
        return BP_ERROR_MEMORY;
    }
    bp_status status = bp_sorted_grid_build(&patch->moved_grid, entry_boxes_of(patch), patch->entry_count);
    if (status != BP_OK) {
        return status;
    }
    report r = {.begun = begun, .ended = ended};
    for_entry_blocks(patch, task_blank);
    status = find_events(patch, &r);
    if (status == BP_OK) {
        place_moved_objects(patch);
    }
    return status == BP_OK && is_worn(patch) ? rebuild_base(patch, boxes, count) : status;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

static size_t sorted_grid_bytes(const bp_sorted_grid *grid) {
    bp_stats stats = {0};
    bp_sorted_grid_stats(grid, &stats);
    return stats.bytes;
}

size_t bp_patched_grid_bytes(const bp_patched_grid *patch) {
    return patch->places.bytes + patch->strays.bytes + patch->order.bytes + patch->entries.bytes +
           patch->entry_boxes.bytes + patch->resting.bytes + patch->resting_boxes.bytes +
           patch->found.capacity * sizeof(bp_pair) + sorted_grid_bytes(&patch->moved_grid) +
           sorted_grid_bytes(&patch->resting_grid);
}

static bool place_is_sound(const bp_patched_grid *patch, bp_id id, const bp_box *box) {
    const place where = object_places(patch)[id];
    if (bp_box_is_hole(box)) {
        return where.position == NOWHERE;
    }
    if (where.position == STRAY) {
        return where.cell < patch->stray_count && strays_of(patch)[where.cell] == id;
    }
    return where.position < patch->base->total_count && patch->base->columns.id[where.position] == id &&
           (where.cell < patch->base->cell_count || where.cell == NOWHERE) &&
           bp_columns_hold(&patch->base->columns, where.position, box, patch->setup->dimensions) &&
           fits_place(patch, where, box);
}

bp_status bp_patched_grid_validate(const bp_patched_grid *patch, const bp_box *boxes, size_t count) {
    bool sound = patch->place_count >= count && bp_sorted_grid_levels_are_sound(patch->base);
    for (size_t id = 0; sound && id < count; ++id) {
        sound = place_is_sound(patch, (bp_id)id, &boxes[id]);
    }
    if (!sound) {
        bp_log_write(&patch->setup->runtime.log,
                     "hierarchical-grid: the patched form does not hold the boxes it was given");
    }
    return sound ? BP_OK : BP_ERROR_INTERNAL;
}
