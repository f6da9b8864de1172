// The sweeper: methods list what to test, (box, range of boxes) by (box, range of boxes), and it feeds the kernels.
//
//     push(box, begin, end) ---> | items | ---> kernel ---> sink of this block ---> joined in block order
//
// Units of work (a few hundred boxes, a bucket of cells) are numbered; blocks of units run in parallel, each with a
// sink of its own. The list is emptied at the end of every unit, so the order of the pairs depends on the units alone,
// and not on how they were cut into blocks.
#ifndef BP_SWEEPER_H
#define BP_SWEEPER_H

#include "base/pair_sink.h"
#include "kernels/kernels.h"

enum { BP_SWEEPER_ITEMS = 1024 }; // that are swept together

typedef struct bp_sweeper {
    const bp_kernels *kernels;
    const bp_columns *objects;    // whose boxes are swept ...
    const bp_columns *candidates; // ... against these; the same columns unless between two sets
    bp_sink *sink;
    bool failed; // memory ran short
    size_t item_count;
    bp_sweep_item items[BP_SWEEPER_ITEMS];
} bp_sweeper;

// Tests items at once, without the list; they are not counted.
void bp_sweeper_sweep(bp_sweeper *sweeper, const bp_sweep_item *items, size_t count);

// Tests what is listed, and empties the list.
void bp_sweeper_flush(bp_sweeper *sweeper);

// Before at most `items` calls of bp_sweeper_push.
static inline void bp_sweeper_make_room(bp_sweeper *s, size_t items) {
    if (s->item_count + items > BP_SWEEPER_ITEMS) {
        bp_sweeper_flush(s);
    }
}

// Lists box `object` against the candidates begin .. end-1, if there are any; without a branch.
static inline void bp_sweeper_push(bp_sweeper *s, size_t object, uint32_t begin, uint32_t end) {
    s->items[s->item_count] = (bp_sweep_item){.object = (uint32_t)object, .begin = begin, .end = end};
    s->item_count += begin < end;
}

// The same for a range of any length, with the room made: in pieces, because a sink has to hold what a piece may give.
void bp_sweeper_push_range(bp_sweeper *sweeper, size_t object, uint32_t begin, uint32_t end);

// The sinks of the blocks, kept from call to call. All zero is empty.
typedef struct bp_sweep_pool {
    bp_buffer buffer;
    size_t count;
} bp_sweep_pool;

// One search: unit 0 .. unit_count-1, each by a call of `unit`.
typedef struct bp_sweep_plan {
    const bp_config *config;
    const bp_columns *objects, *candidates;
    size_t unit_count;
    void (*unit)(const void *context, bp_sweeper *sweeper, size_t index);
    const void *context;
} bp_sweep_plan;

// Runs all units and leaves their pairs in the sink, in the order of the units.
bp_status bp_sweep_pool_run(bp_sweep_pool *pool, const bp_sweep_plan *plan, bp_sink *sink);
size_t bp_sweep_pool_bytes(const bp_sweep_pool *pool);
void bp_sweep_pool_free(bp_sweep_pool *pool, const bp_allocator *allocator);

// Room for `count` boxes in columns that lie in `buffer`; what they held is lost.
bool bp_columns_reserve(bp_columns *columns, bp_buffer *buffer, const bp_allocator *allocator, size_t count);

// Fills the columns of positions begin .. end-1 from the boxes of the ids that are there; flat in two dimensions.
void bp_columns_fill(const bp_columns *columns, const bp_config *config, size_t begin, size_t end, const bp_box *boxes);

// Whether the columns hold a box, flat in two dimensions, at a position.
bool bp_columns_hold(const bp_columns *columns, size_t position, const bp_box *box, uint32_t dimensions);

#endif
