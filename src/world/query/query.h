// A question to a world: as whom it is asked, and where to look.
//
//     the method's grid   objects as they were at the last update
//     the rest            objects that have changed since, or are not in that grid; all, if the method has no grid.
//                         They are looked at one by one, at first: some questions later a grid is made of them
//     the cache           that grid; good until something changes
//
//     query.c          boxes; what all questions share
//     query_cache.c    the cache
//     query_ray.c      rays
//     query_nearest.c  nearest objects
//
// Grids hold boxes that may be larger than those that were given (a margin, coordinates of 64 bits) or somewhere else (a
// period). Then what is found there is looked at once more.
#ifndef BP_QUERY_H
#define BP_QUERY_H

#include "methods/hierarchical_grid/sorted_grid_query.h"
#include "view/input.h"
#include "world/query/shortlist.h"
#include "world/world.h"

typedef struct bp_query_source {
    const bp_sorted_grid *grid;
    const bp_id *ids;     // of the boxes in it; NULL: they are the objects'
    const uint8_t *stale; // by id: what has a mark here is looked for elsewhere; NULL: nothing has
    bool exact;           // its boxes are those that were given
} bp_query_source;

// Objects that are looked at one by one: all below `all_count`, or two lists.
typedef struct bp_query_rest {
    size_t all_count;
    const bp_id *loose, *changed;
    size_t loose_count, changed_count;
    const uint8_t *stale; // by id: a loose one with a mark is among the changed
} bp_query_rest;

typedef struct bp_query {
    const bp_world *world;
    const bp_object *object; // as whom; NULL: sees all
    bp_query_source sources[2];
    size_t source_count;
    bp_query_rest rest;
} bp_query;

// An object that was found.
typedef struct bp_found {
    bp_id id;
    const bp_columns *columns; // that hold its box as it was given, at `position`; NULL: the world does
    size_t position;
} bp_found;

typedef struct bp_finder {
    void (*find)(void *context, const bp_found *found);
    void *context;
} bp_finder;

// ---- query.c ----

// Checks what all questions have, and logs what is wrong.
bp_status bp_query_check(const bp_world *world, const bp_object *object);

// Begins a question that was checked.
bp_query bp_query_begin(const bp_world *world, const bp_object *object);

// Every object, each once, whose box may overlap this one (flat in two dimensions); for sure, if it comes with columns.
void bp_query_ask_box(const bp_query *query, const bp_box *box, const bp_finder *finder);

// Every object of the grids' levels that a line may meet. In a periodic world: not wrapped.
void bp_query_ask_line(const bp_query *query, const bp_line *line, const bp_finder *finder);

// Every object that is not in the levels of a grid.
void bp_query_ask_apart(const bp_query *query, const bp_finder *finder);

// The box as it was given, flat in two dimensions.
bp_box_double bp_query_given_box(const bp_query *query, const bp_found *found);

// The same, moved along periodic axes to where it begins in 0 .. period; what is infinite there covers all of it.
bp_box_double bp_query_box_of(const bp_query *query, const bp_found *found);

// A coordinate, moved by whole periods into 0 .. period.
double bp_query_wrap(double coordinate, double period);

// Whether space repeats along an axis.
static inline bool bp_query_is_periodic(const bp_world *world) {
    return bp_period_of(&world->config, 0) > 0.0 || bp_period_of(&world->config, 1) > 0.0 ||
           bp_period_of(&world->config, 2) > 0.0;
}

static inline size_t bp_query_rest_count(const bp_query_rest *rest) {
    return rest->all_count + rest->loose_count + rest->changed_count;
}

// One of these; BP_NO_ID if there is nothing to look at.
bp_id bp_query_rest_at(const bp_world *world, const bp_query_rest *rest, size_t index);

// ---- query_cache.c ----

typedef struct bp_query_cache bp_query_cache;

// NULL if memory is short.
bp_query_cache *bp_query_cache_create(const bp_config *config);
void bp_query_cache_destroy(bp_query_cache *cache);

// Takes over the rest of a question, if it is worth it by now; then returns true and fills in the source.
bool bp_query_cache_take(const bp_world *world, const bp_query_rest *rest, bp_query_source *source);

#endif
