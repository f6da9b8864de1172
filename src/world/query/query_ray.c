// Ray queries and casts.
//
// A ray is the cast of a point, in 64 bits: there is one type of question here, asked in four ways.
#include "base/log.h"
#include "world/query/query.h"

#include <float.h>

enum {
    PERIODS_MAX = 1000,
    VISITS_FIRST = 16 // hits that are listed before the first one is visited
};

// ---- casts ----------------------------------------------------------------------------------------------------------

// Written into place: copies of what has just been written in pieces take long.
const bp_cast_double *bp_cast_of_ray(const bp_ray *ray, bp_cast_double *cast) {
    for (int axis = 0; ray != NULL && axis < 3; ++axis) {
        cast->box.min[axis] = cast->box.max[axis] = (double)ray->origin[axis];
        cast->direction[axis] = (double)ray->direction[axis];
        cast->max_t = (double)ray->max_t;
    }
    return ray != NULL ? cast : NULL;
}

const bp_cast_double *bp_cast_to_double(const bp_cast *cast, bp_cast_double *wide) {
    for (int axis = 0; cast != NULL && axis < 3; ++axis) {
        wide->box.min[axis] = (double)cast->box.min[axis];
        wide->box.max[axis] = (double)cast->box.max[axis];
        wide->direction[axis] = (double)cast->direction[axis];
        wide->max_t = (double)cast->max_t;
    }
    return cast != NULL ? wide : NULL;
}

static const bp_cast_double *cast_of_ray_double(const bp_ray_double *ray, bp_cast_double *cast) {
    for (int axis = 0; ray != NULL && axis < 3; ++axis) {
        cast->box.min[axis] = cast->box.max[axis] = ray->origin[axis];
        cast->direction[axis] = ray->direction[axis];
        cast->max_t = ray->max_t;
    }
    return ray != NULL ? cast : NULL;
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
        bp_log_write(log, "%s: all numbers except max_t must be finite", name);
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
        fits &= !(period > 0.0 && length > PERIODS_MAX * period);
    }
    if (periodic && (!fits || isinf(cast->max_t))) {
        bp_log_write(bp_world_log(world),
                     "%s.max_t: in a periodic world it must be finite and cross at most 1000 periods", name);
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

// ---- lists and visits -----------------------------------------------------------------------------------------------

typedef struct line_question {
    const bp_query *query;
    const bp_cast_double *cast;
} line_question;

static void search_line(const void *question, bp_shortlist *list) {
    const line_question *q = question;
    bp_probe probe;
    if (bp_probe_begin_line(&probe, q->query, q->cast, list)) {
        bp_probes_walk(q->query, (bp_probe *[]){&probe}, 1);
    }
}

static bp_status list_hits(const bp_world *world, const bp_cast_double *cast, const char *name, const bp_object *object,
                           bp_shortlist *list, size_t *found) {
    const bp_status status = check_call(world, cast, name, object);
    if (status != BP_OK) {
        return status;
    }
    if (list->items == NULL && list->capacity > 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "hits: NULL, but the capacity is not 0");
    }
    bp_query query;
    bp_query_begin(&query, world, object, 1);
    list->is_few = found == NULL;
    search_line(&(line_question){&query, cast}, list);
    return bp_shortlist_finish(list, found);
}

static bp_status visit_hits(const bp_world *world, const bp_cast_double *cast, const char *name,
                            const bp_object *object, bp_visits visits) {
    const bp_status status = check_call(world, cast, name, object);
    if (status != BP_OK) {
        return status;
    }
    bp_query query;
    bp_query_begin(&query, world, object, 1);
    const line_question question = {&query, cast};
    visits.max_t = cast->max_t;
    visits.page = VISITS_FIRST;
    visits.search = search_line;
    visits.question = &question;
    return bp_visits_run(world, visits);
}

// ---- calls ----------------------------------------------------------------------------------------------------------

bp_status bp_query_ray(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_ray_hit *hits,
                       size_t capacity, size_t *found) {
    bp_cast_double cast;
    bp_shortlist list = bp_shortlist_begin(hits, sizeof(bp_ray_hit), capacity);
    return list_hits(world, bp_cast_of_ray(ray, &cast), "ray", object, &list, found);
}

bp_status bp_query_cast(const bp_world *world, const bp_cast *cast, const bp_object *object, bp_ray_hit *hits,
                        size_t capacity, size_t *found) {
    bp_cast_double wide;
    bp_shortlist list = bp_shortlist_begin(hits, sizeof(bp_ray_hit), capacity);
    return list_hits(world, bp_cast_to_double(cast, &wide), "cast", object, &list, found);
}

bp_status bp_query_ray_each(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_visit visit,
                            void *context) {
    bp_cast_double cast;
    return visit_hits(world, bp_cast_of_ray(ray, &cast), "ray", object,
                      (bp_visits){.visit = visit, .context = context, .rounds = true});
}

bp_status bp_query_cast_each(const bp_world *world, const bp_cast *cast, const bp_object *object, bp_visit visit,
                             void *context) {
    bp_cast_double wide;
    return visit_hits(world, bp_cast_to_double(cast, &wide), "cast", object,
                      (bp_visits){.visit = visit, .context = context, .rounds = true});
}

bp_status bp_query_ray_double(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                              bp_ray_hit_double *hits, size_t capacity, size_t *found) {
    bp_cast_double cast;
    bp_shortlist list = bp_shortlist_begin(hits, sizeof(bp_ray_hit_double), capacity);
    return list_hits(world, cast_of_ray_double(ray, &cast), "ray", object, &list, found);
}

bp_status bp_query_cast_double(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                               bp_ray_hit_double *hits, size_t capacity, size_t *found) {
    bp_shortlist list = bp_shortlist_begin(hits, sizeof(bp_ray_hit_double), capacity);
    return list_hits(world, cast, "cast", object, &list, found);
}

bp_status bp_query_ray_each_double(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                                   bp_visit visit, void *context) {
    bp_cast_double cast;
    return visit_hits(world, cast_of_ray_double(ray, &cast), "ray", object,
                      (bp_visits){.visit = visit, .context = context});
}

bp_status bp_query_cast_each_double(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                                    bp_visit visit, void *context) {
    return visit_hits(world, cast, "cast", object, (bp_visits){.visit = visit, .context = context});
}
