// Ray queries and casts.
//
// A ray is the cast of a point, in 64 bits: there is one kind of question here, asked in four ways.
#include "world/query/query_ray.h"

#include "base/log.h"
#include "world/query/query_cache.h"
#include "world/query/query_visit.h"

#include <float.h>

enum { PERIODS_MOST = 1000 };

// ---- casts ----------------------------------------------------------------------------------------------------------

bp_cast_double bp_cast_of_ray(const bp_ray *ray) {
    bp_cast_double cast = {.max_t = (double)ray->max_t};
    for (int axis = 0; axis < 3; ++axis) {
        cast.box.min[axis] = cast.box.max[axis] = (double)ray->origin[axis];
        cast.direction[axis] = (double)ray->direction[axis];
    }
    return cast;
}

bp_cast_double bp_cast_to_double(const bp_cast *cast) {
    bp_cast_double wide = {.box = bp_box_to_double(&cast->box), .max_t = (double)cast->max_t};
    for (int axis = 0; axis < 3; ++axis) {
        wide.direction[axis] = (double)cast->direction[axis];
    }
    return wide;
}

static bp_cast_double cast_of_ray_double(const bp_ray_double *ray) {
    bp_cast_double cast = {.max_t = ray->max_t};
    for (int axis = 0; axis < 3; ++axis) {
        cast.box.min[axis] = cast.box.max[axis] = ray->origin[axis];
        cast.direction[axis] = ray->direction[axis];
    }
    return cast;
}

// ---- checks ---------------------------------------------------------------------------------------------------------

// Says what is wrong with a cast that is not valid, unless that is its length in a periodic world.
static bp_status check_numbers(const bp_world *world, const bp_cast_double *cast, const char *name) {
    const bp_log *log = bp_world_log(world);
    bool finite = true, moves = false, valid = true;
    for (uint32_t axis = 0; axis < world->setup.overlap.dimensions; ++axis) {
        const double min = cast->box.min[axis], max = cast->box.max[axis];
        finite &= isfinite(min) && isfinite(max) && isfinite(cast->direction[axis]);
        valid &= !(min > max);
        moves |= cast->direction[axis] != 0.0;
    }
    if (!valid) {
        bp_log_write(log, "%s.box: invalid (min > max)", name);
        return BP_ERROR_BOX;
    }
    if (!finite) {
        bp_log_write(log, "%s: its numbers must be finite, except max_t", name);
    } else if (!moves) {
        bp_log_write(log, "%s.direction: must not be zero", name);
    } else if (!(cast->max_t >= 0.0)) {
        bp_log_write(log, "%s.max_t: must be 0 or more, and may be infinite", name);
    }
    return finite && moves && cast->max_t >= 0.0 ? BP_OK : BP_ERROR_ARGUMENT;
}

static bp_status check_periods(const bp_world *world, const bp_cast_double *cast, const char *name) {
    bool periodic = false, fits = true;
    for (uint32_t axis = 0; axis < world->setup.overlap.dimensions; ++axis) {
        const double period = bp_period_of(&world->setup.overlap, axis);
        const double length = fabs(cast->direction[axis]) * cast->max_t + (cast->box.max[axis] - cast->box.min[axis]);
        periodic |= period > 0.0;
        fits &= !(period > 0.0 && length > PERIODS_MOST * period);
    }
    if (periodic && (!fits || isinf(cast->max_t))) {
        bp_log_write(bp_world_log(world),
                     "%s.max_t: must be finite in a periodic world, and pass no more than 1000 periods", name);
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

// Sums are finite only where all their numbers are; one that overflows makes a cast look invalid here.
static inline bool are_numbers_valid(const bp_cast_double *cast, int dimensions) {
    double speeds = 0.0, places = 0.0;
    bool valid = true;
    for (int axis = 0; axis < dimensions; ++axis) {
        const double min = cast->box.min[axis], max = cast->box.max[axis];
        speeds += fabs(cast->direction[axis]);
        places += fabs(min) + fabs(max);
        valid &= min <= max;
    }
    return valid & (speeds > 0.0) & (speeds + places <= DBL_MAX) & (cast->max_t >= 0.0);
}

bool bp_query_cast_is_valid(const bp_world *world, const bp_cast_double *cast) {
    const bool valid = world->setup.overlap.dimensions == 3 ? are_numbers_valid(cast, 3) : are_numbers_valid(cast, 2);
    return valid && !bp_is_periodic(&world->setup.overlap);
}

bp_status bp_query_check_cast(const bp_world *world, const bp_cast_double *cast, const char *name) {
    if (bp_query_cast_is_valid(world, cast)) {
        return BP_OK;
    }
    const bp_status status = check_numbers(world, cast, name);
    return status == BP_OK ? check_periods(world, cast, name) : status;
}

// Checks what all calls share. `cast` is NULL if the caller's is.
static bp_status check_call(const bp_world *world, const bp_cast_double *cast, const char *name,
                            const bp_object *object) {
    const bp_status status = bp_query_check(world, object);
    if (status != BP_OK) {
        return status;
    }
    if (cast == NULL) {
        bp_log_write(bp_world_log(world), "%s: NULL", name);
        return BP_ERROR_ARGUMENT;
    }
    return bp_query_check_cast(world, cast, name);
}

static bp_status check_room(const bp_world *world, const void *hits, size_t capacity) {
    return hits != NULL || capacity == 0
               ? BP_OK
               : bp_world_refuse(world, BP_ERROR_ARGUMENT, "hits: NULL, but the capacity is not 0");
}

// ---- following ------------------------------------------------------------------------------------------------------

bp_line bp_query_line_of(const bp_cast_double *cast, const bp_overlap_rule *rule) {
    bp_line line = {.end = cast->max_t};
    for (int axis = 0; axis < 3; ++axis) {
        line.origin[axis] = cast->box.min[axis];
        line.opposite[axis] = cast->box.max[axis];
        line.direction[axis] = cast->direction[axis];
    }
    if (rule->dimensions == 2) {
        line.origin[2] = line.opposite[2] = line.direction[2] = 0.0;
    }
    for (uint32_t axis = 0; axis < rule->dimensions && bp_is_periodic(rule); ++axis) {
        const double period = bp_period_of(rule, axis);
        if (period > 0.0) {
            line.origin[axis] = bp_query_wrap(cast->box.min[axis], period);
            line.opposite[axis] = line.origin[axis] + (cast->box.max[axis] - cast->box.min[axis]);
        }
    }
    return line;
}

// Whether no number on the way through a grid can overflow, which those of floats never do.
static bool is_tame(const bp_line *line) {
    bool near = true, moves = false;
    for (int axis = 0; axis < 3; ++axis) {
        const double speed = fabs(line->direction[axis]);
        near &= fabs(line->origin[axis]) <= 0x1p300 && fabs(line->opposite[axis]) <= 0x1p300 && speed <= 0x1p300;
        moves |= speed >= 0x1p-300;
    }
    return near && moves;
}

static void follow(const bp_query *query, const bp_line *line, const bp_line_sink *sink) {
    if (is_tame(line)) {
        bp_query_follow_line(query, line, sink);
        return;
    }
    const bp_query plain = bp_query_begin_plain(query->world, query->object);
    bp_query_follow_line(&plain, line, sink);
}

void bp_query_follow_cast(const bp_query *query, const bp_cast_double *cast, const bp_line_sink *sink) {
    const bp_line line = bp_query_line_of(cast, &query->world->setup.overlap);
    follow(query, &line, sink);
}

// ---- lists ----------------------------------------------------------------------------------------------------------

static void offer_to_shortlist(void *context, bp_id id, double t) {
    bp_shortlist_offer(context, bp_ranked_key(id, (float)t));
}

static bool has_all_hits(void *context, double t) {
    return bp_shortlist_limit(context) < bp_ranked_key(0, (float)t);
}

bp_line_sink bp_line_sink_of_list(bp_shortlist *list, bool few) {
    return (bp_line_sink){.offer = offer_to_shortlist, .is_done = few ? has_all_hits : NULL, .context = list};
}

static bp_status list_hits(const bp_world *world, const bp_cast_double *cast, const char *name, const bp_object *object,
                           bp_ray_hit *hits, size_t capacity, size_t *found) {
    bp_status status = check_call(world, cast, name, object);
    if (status == BP_OK) {
        status = check_room(world, hits, capacity);
    }
    if (status != BP_OK) {
        return status;
    }
    const bp_outline *outline = bp_query_cache_outline(world);
    bp_shortlist list = bp_shortlist_of_hits(hits, capacity);
    if (outline == NULL || !bp_outline_is_missed(outline, cast)) {
        const bp_line line = bp_query_line_of(cast, &world->setup.overlap);
        const bp_query query = bp_query_begin_line(world, object, outline, &line);
        const bp_line_sink sink = bp_line_sink_of_list(&list, found == NULL);
        follow(&query, &line, &sink);
    }
    return bp_shortlist_finish(&list, found);
}

// ---- visits ---------------------------------------------------------------------------------------------------------

typedef struct line_visit {
    const bp_query *query;
    const bp_line *line;
} line_visit;

static void offer_to_visits(void *context, bp_id id, double t) {
    bp_visits_offer(context, id, t);
}

static bool visits_are_done(void *context, double t) {
    return bp_visits_is_done(context, t);
}

static void search_for_visits(void *context, bp_visits *visits) {
    const line_visit *v = context;
    const bp_line_sink sink = {.offer = offer_to_visits, .is_done = visits_are_done, .context = visits};
    follow(v->query, v->line, &sink);
}

static bp_status visit_hits(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                            bp_visits *visits) {
    const bp_outline *outline = bp_query_cache_outline(world);
    if (outline != NULL && bp_outline_is_missed(outline, cast) && visits->visit != NULL) {
        return BP_OK;
    }
    const bp_line line = bp_query_line_of(cast, &world->setup.overlap);
    const bp_query query = bp_query_begin_line(world, object, outline, &line);
    line_visit v = {.query = &query, .line = &line};
    visits->max_t = cast->max_t;
    return bp_visits_run(world, visits, search_for_visits, &v);
}

static bp_status check_and_visit(const bp_world *world, const bp_cast_double *cast, const char *name,
                                 const bp_object *object, bp_visits visits) {
    const bp_status status = check_call(world, cast, name, object);
    return status == BP_OK ? visit_hits(world, cast, object, &visits) : status;
}

// ---- lists in 64 bits: visits that are written down -----------------------------------------------------------------

typedef struct hit_list {
    bp_ray_hit_double *hits;
    size_t capacity, count;
    bool few; // only what fits is wanted
} hit_list;

// NOLINTNEXTLINE(readability-non-const-parameter): a bp_visit
static int write_down(void *context, bp_id id, double t, double *max_t) {
    hit_list *list = context;
    (void)max_t;
    if (list->count < list->capacity) {
        list->hits[list->count] = (bp_ray_hit_double){.id = id, .t = t};
    }
    ++list->count;
    return !list->few || list->count < list->capacity;
}

static bp_status list_hits_double(const bp_world *world, const bp_cast_double *cast, const char *name,
                                  const bp_object *object, bp_ray_hit_double *hits, size_t capacity, size_t *found) {
    bp_status status = check_call(world, cast, name, object);
    if (status == BP_OK) {
        status = check_room(world, hits, capacity);
    }
    hit_list list = {.hits = hits, .capacity = capacity, .few = found == NULL};
    bp_visits visits = {.visit = write_down, .context = &list};
    if (status != BP_OK || (list.few && capacity == 0)) {
        return status;
    }
    status = visit_hits(world, cast, object, &visits);
    if (found == NULL) {
        if (list.count < capacity) {
            hits[list.count] = (bp_ray_hit_double){.id = BP_NO_ID};
        }
        return status;
    }
    *found = list.count;
    return status == BP_OK && list.count > capacity ? BP_ERROR_CAPACITY : status;
}

// ---- calls ----------------------------------------------------------------------------------------------------------

bp_status bp_query_ray(const bp_world *world, const bp_ray *ray, bp_ray_hit *hits, size_t capacity, size_t *found) {
    return bp_query_ray_as(world, ray, NULL, hits, capacity, found);
}

bp_status bp_query_ray_as(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_ray_hit *hits,
                          size_t capacity, size_t *found) {
    const bp_cast_double cast = ray != NULL ? bp_cast_of_ray(ray) : (bp_cast_double){0};
    return list_hits(world, ray != NULL ? &cast : NULL, "ray", object, hits, capacity, found);
}

bp_status bp_query_cast(const bp_world *world, const bp_cast *cast, const bp_object *object, bp_ray_hit *hits,
                        size_t capacity, size_t *found) {
    const bp_cast_double wide = cast != NULL ? bp_cast_to_double(cast) : (bp_cast_double){0};
    return list_hits(world, cast != NULL ? &wide : NULL, "cast", object, hits, capacity, found);
}

bp_status bp_query_ray_each(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_visit visit,
                            void *context) {
    const bp_cast_double cast = ray != NULL ? bp_cast_of_ray(ray) : (bp_cast_double){0};
    return check_and_visit(world, ray != NULL ? &cast : NULL, "ray", object,
                           (bp_visits){.visit = visit, .context = context, .rounds = true});
}

bp_status bp_query_cast_each(const bp_world *world, const bp_cast *cast, const bp_object *object, bp_visit visit,
                             void *context) {
    const bp_cast_double wide = cast != NULL ? bp_cast_to_double(cast) : (bp_cast_double){0};
    return check_and_visit(world, cast != NULL ? &wide : NULL, "cast", object,
                           (bp_visits){.visit = visit, .context = context, .rounds = true});
}

bp_status bp_query_ray_double(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                              bp_ray_hit_double *hits, size_t capacity, size_t *found) {
    const bp_cast_double cast = ray != NULL ? cast_of_ray_double(ray) : (bp_cast_double){0};
    return list_hits_double(world, ray != NULL ? &cast : NULL, "ray", object, hits, capacity, found);
}

bp_status bp_query_cast_double(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                               bp_ray_hit_double *hits, size_t capacity, size_t *found) {
    return list_hits_double(world, cast, "cast", object, hits, capacity, found);
}

bp_status bp_query_ray_each_double(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                                   bp_visit visit, void *context) {
    const bp_cast_double cast = ray != NULL ? cast_of_ray_double(ray) : (bp_cast_double){0};
    return check_and_visit(world, ray != NULL ? &cast : NULL, "ray", object,
                           (bp_visits){.visit = visit, .context = context});
}

bp_status bp_query_cast_each_double(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                                    bp_visit visit, void *context) {
    return check_and_visit(world, cast, "cast", object, (bp_visits){.visit = visit, .context = context});
}
