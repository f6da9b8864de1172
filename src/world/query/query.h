// A query of a world: what it searches, and the code that all queries share.
//
//     one tree or two       of the objects as they were at the last update, or are now (query_tree.h); two if these are in parts
//     changed objects       since then: they are examined one by one; all, if there is no tree
//
// The tree holds boxes that may be larger than the input boxes (a margin, 64-bit coordinates) or shifted (a period). Objects
// found in such a tree are examined with their input boxes.
#ifndef BP_QUERY_H
#define BP_QUERY_H

#include "engine/tree/tree_query.h"
#include "world/query/query_tree.h"
#include "world/query/shortlist.h"
#include "world/world.h"

typedef struct bp_query {
    const bp_world *world;
    const bp_object *object; // the query finds only objects that this one would pair with; NULL: all
    size_t tree_count;       // 0: all objects are examined one by one
    const bp_tree *trees[2];
    bool is_exact; // their boxes are the input boxes
    bool is_periodic;
    bp_box_double bounds; // periodic: of the boxes in the only tree, where they are finite
    const bp_id *changed; // these are not found in a tree, but examined one by one
    const uint8_t *stale; // by id: those have a mark here; NULL: there are none
    size_t changed_count;
} bp_query;

// Checks the arguments that all queries share, and logs errors.
bp_status bp_query_check(const bp_world *world, const bp_object *object);

// Begins `count` queries that were checked.
void bp_query_begin(bp_query *query, const bp_world *world, const bp_object *object, size_t count);

// Whether the asking object, if there is one, would pair with this one.
bool bp_query_sees(const bp_query *query, bp_id id);

// Whether an object that was found in a tree counts.
static inline bool bp_query_counts(const bp_query *query, bp_id id) {
    return (query->stale == NULL || query->stale[id] == 0) && (query->object == NULL || bp_query_sees(query, id));
}

// The input box of an object, flat in two dimensions.
bp_box_double bp_query_input_box(const bp_world *world, bp_id id);

// The same, moved along periodic axes so that it begins in 0 .. period. An infinite box covers such an axis.
bp_box_double bp_query_wrapped_box(const bp_world *world, bp_id id);

// A coordinate, moved by whole periods into 0 .. period.
double bp_query_wrap(double coordinate, double period);

// ---- probes: boxes, lines and points --------------------------------------------------------------------------------

typedef struct bp_probe bp_probe;
struct bp_probe {
    const bp_query *query;
    // Whether an object counts, and how far it is. `box` is its input box; in a periodic world, its wrapped box.
    bool (*examine)(const bp_probe *probe, const bp_box_double *box, double *t);
    bp_shortlist *list;
    bp_box_double box;
    bp_line line;
    double point[3];
    bool is_shifted; // periodic: the walk is along this image of the line, or around this image of the point, and
    int shift[3];    // finds only objects that are hit there first, or nearest there
    bp_tree_walk walk;
    size_t tree; // where it walks
};

// Examines every object that is not found in a tree; all, if the probe cannot walk. Returns whether a walk is left to do.
bool bp_probe_outside(bp_probe *probe, bool can_walk);

// Walks through the trees with some probes in turn.
enum { BP_PROBES_IN_TURN = BP_TREE_IN_TURN };
void bp_probes_walk(const bp_query *query, bp_probe *const *probes, size_t count);

// Whether the first object that is found to be hit ends the search for those behind it.
bool bp_probe_wants_first(const bp_probe *probe);

// Sets the limit of the walk by what the list still wants.
void bp_probe_limit(bp_probe *probe);

// ---- the types of questions -----------------------------------------------------------------------------------------

// Begins a probe, and examines the objects outside the trees. Returns whether a walk is left to do.
bool bp_probe_begin_line(bp_probe *probe, const bp_query *query, const bp_cast_double *cast, bp_shortlist *list);
bool bp_probe_begin_point(bp_probe *probe, const bp_query *query, const double point[3], bp_shortlist *list);

// Finds every object, each once, whose box overlaps one of these (whatever z is, it does not matter in two dimensions), as (index, id);
// some at a time.
void bp_query_meet_boxes(const bp_query *query, const bp_box_double *boxes, size_t count, bp_tree_take take,
                         void *context);

// The same in 64 bits; NULL remains NULL.
const bp_cast_double *bp_cast_of_ray(const bp_ray *ray, bp_cast_double *cast);
const bp_cast_double *bp_cast_to_double(const bp_cast *cast, bp_cast_double *wide);

// What is wrong with a question is logged, under this name. bp_query_cast_is_valid is quick, and may doubt valid ones.
bool bp_query_cast_is_valid(const bp_world *world, const bp_cast_double *cast);
bp_status bp_query_check_cast(const bp_world *world, const bp_cast_double *cast, const char *name);
// A point in 64 bits.
typedef struct bp_query_point {
    double at[3];
} bp_query_point;

static inline bp_query_point bp_point_to_double(const float point[3]) {
    return (bp_query_point){{(double)point[0], (double)point[1], (double)point[2]}};
}

bool bp_query_point_is_valid(const bp_world *world, const double point[3]);

// ---- visits ---------------------------------------------------------------------------------------------------------

// Passes results on, one after the other and in order, until the caller has had enough: a page of the first ones is listed and
// visited; then the search is repeated for those that come after them, with a larger page if there is memory. So
// nothing is allocated for few results, and a refusal costs only time.
typedef struct bp_visits {
    bp_visit visit;
    void *context;
    bool rounds; // t is rounded to a float
    double max_t;
    size_t page; // results of the first page, if few are expected to be wanted; else 0
    void (*search)(const void *question, bp_shortlist *list);
    const void *question;
} bp_visits;

bp_status bp_visits_run(const bp_world *world, bp_visits visits);

#endif
