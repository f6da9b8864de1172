// A query of a world: the structures that it searches, and the code that all kinds of queries share.
//
//     the method's grid   objects as they were at the last update; if the method has found pairs without a grid of all, one
//                         that it sorts for queries where there were some before that update
//     unindexed objects   those that have changed since, or are not in that grid; all, if the method has no grid. The
//                         first few queries check them one by one; then the cache builds a grid of them
//     the cache's grid    of unindexed objects; valid until something changes
//     the cache's pack    of all objects, instead of all that: for lines, where objects are few and lines are many
//     the outline         of all objects: a line that passes by it hits none but a few large ones
//
// Grids hold boxes that may be larger than the input boxes (a margin, 64-bit coordinates) or shifted (a period).
// Objects found in such a grid are checked again with their input boxes.
#ifndef BP_QUERY_H
#define BP_QUERY_H

#include "world/query/box_pack.h"
#include "world/query/outline.h"
#include "world/world.h"

// A grid that is searched.
typedef struct bp_query_source {
    const bp_sorted_grid *grid;
    const bp_id *ids;     // of the boxes in it; NULL: boxes are indexed by object id
    const uint8_t *stale; // by id: objects with a mark here are found elsewhere; NULL: none
    bool exact;           // its boxes are the input boxes
} bp_query_source;

// Objects that are in no grid: all below `all_count`, or two lists.
typedef struct bp_unindexed {
    size_t all_count;
    const bp_id *strays, *changed;
    size_t stray_count, changed_count;
    const uint8_t *stale; // by id: a stray with a mark is among the changed
} bp_unindexed;

typedef struct bp_query {
    const bp_world *world;
    const bp_object *object; // the query finds only objects that this one would pair with; NULL: all
    bp_query_source sources[2];
    size_t source_count;
    bp_unindexed unindexed;
    const bp_box_pack *pack; // of all objects, for a line; NULL: the sources and the unindexed objects are searched
} bp_query;

// An object that was found.
typedef struct bp_found {
    bp_id id;
    const bp_columns *columns; // columns with its input box at `position`; NULL: the box is in the world
    size_t position;
} bp_found;

typedef struct bp_found_receiver {
    void (*receive)(void *context, const bp_found *found);
    void *context;
} bp_found_receiver;

// Checks the arguments that all queries share, and logs errors.
bp_status bp_query_check(const bp_world *world, const bp_object *object);

// The sorted grid in which the method has found the pairs of all objects, and the objects that are not in it; NULL if it
// has found them in another way.
const bp_sorted_grid *bp_query_grid_of_pairs(const bp_world *world, const bp_id **strays, size_t *stray_count);

// Begins a number of queries that were checked.
bp_query bp_query_begin(const bp_world *world, const bp_object *object, size_t count);

// The same for one line. NULL, or the outline of the world: then only what the line may hit is searched.
bp_query bp_query_begin_line(const bp_world *world, const bp_object *object, const bp_outline *outline,
                             const bp_line *line);

// The same without any grid: all objects are checked one by one.
bp_query bp_query_begin_plain(const bp_world *world, const bp_object *object);

// Whether the asking object, if there is one, would pair with this one.
bool bp_query_sees(const bp_query *query, bp_id id);

// ---- searching ------------------------------------------------------------------------------------------------------

// The search of one source: its hits become found objects.
typedef struct bp_source_search {
    const bp_query *query;
    const bp_query_source *source;
    const bp_found_receiver *receiver;
} bp_source_search;

// A bp_hit_receiver's `receive`; the context is a bp_source_search.
void bp_source_search_receive(void *context, const bp_columns *columns, const bp_pair *hits, size_t count);

// Finds every object in the levels of the grids that a line may hit. In a periodic world the line is not wrapped.
void bp_query_find_on_line(const bp_query *query, const bp_line *line, const bp_found_receiver *receiver);

// Finds every object that a line may hit, for a query with a pack.
void bp_query_find_packed(const bp_query *query, const bp_line *line, const bp_found_receiver *receiver);

// Finds every object that is not in the levels of a grid and that a line may hit; without a line, all of them.
void bp_query_find_outside_levels(const bp_query *query, const bp_line *line, const bp_found_receiver *receiver);

// Finds every unindexed object.
void bp_query_find_unindexed(const bp_query *query, const bp_found_receiver *receiver);

static inline size_t bp_unindexed_count(const bp_unindexed *unindexed) {
    return unindexed->all_count + unindexed->stray_count + unindexed->changed_count;
}

// One of these; BP_NO_ID if the object is to be skipped.
bp_id bp_unindexed_at(const bp_unindexed *unindexed, const bp_world *world, size_t index);

// ---- boxes ----------------------------------------------------------------------------------------------------------

// The input box of an object, flat in two dimensions.
bp_box_double bp_query_input_box(const bp_query *query, const bp_found *found);

// The same, moved along periodic axes so that it begins in 0 .. period. An infinite box covers such an axis.
bp_box_double bp_query_wrapped_box(const bp_query *query, const bp_found *found);

// A coordinate, moved by whole periods into 0 .. period.
double bp_query_wrap(double coordinate, double period);

#endif
