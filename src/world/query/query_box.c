// Box queries.
//
// In a periodic world a box is searched in up to three places along each axis: boxes in the tree begin in 0 .. period,
// and may end beyond that. An object that is found in several of these places is reported in the first.
#include "world/query/query.h"

// Questions that go down the tree together.
enum { QUESTIONS_TOGETHER = 64 };

// Up to three places of a box along each axis, and the one that is searched.
typedef struct box_places {
    size_t count[3], present[3];
    float min[3][3], max[3][3];
} box_places;

typedef struct box_search {
    const bp_query *query;
    const bp_box_double *boxes;
    bool is_rounded[QUESTIONS_TOGETHER]; // the box that is searched for is larger than the question
    const box_places *places;            // NULL: in a world without a period
    size_t first;                        // question that goes down
    bp_tree_take take;
    void *context;
} box_search;

static bool overlaps(const bp_query *query, const bp_box_double *asked, bp_id id) {
    const bp_box_double box = bp_query_input_box(query->world, id);
    return bp_boxes_overlap_by_rule(asked, &box, &query->world->setup.overlap);
}

// Whether a box of the tree is found in an earlier place, too.
static bool is_found_before(const box_places *p, const bp_box *box) {
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < p->present[axis]; ++i) {
            if (box->min[axis] <= p->max[axis][i] && p->min[axis][i] <= box->max[axis]) {
                return true;
            }
        }
    }
    return false;
}

static void take_pairs(void *context, const bp_pair *pairs, size_t count) {
    const box_search *s = context;
    const bp_query *query = s->query;
    bp_pair kept[BP_TREE_TAKEN];
    size_t kept_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t question = pairs[i].a;
        const bp_id id = pairs[i].b;
        kept[kept_count] = (bp_pair){.a = (uint32_t)s->first + question, .b = id};
        kept_count +=
            bp_query_counts(query, id) &&
            (s->places == NULL || !is_found_before(s->places, &query->trees[0]->boxes[id])) &&
            ((query->is_exact && !s->is_rounded[question]) || overlaps(query, &s->boxes[s->first + question], id));
    }
    s->take(s->context, kept, kept_count);
}

// The places where a box has to be searched along a periodic axis, if objects lie between low and high.
static void find_places(box_places *p, int axis, double period, double low, double high) {
    const double min = (double)p->min[axis][0], max = (double)p->max[axis][0];
    const double rounding = 0x1p-50 * (fabs(min) + fabs(max) + period), extent = max - min + 2.0 * rounding;
    if (!(extent < period)) { // the whole axis, also if the box is infinite
        p->min[axis][0] = -INFINITY;
        p->max[axis][0] = INFINITY;
        return;
    }
    const double first = bp_query_wrap(min, period) - period - rounding;
    p->count[axis] = 0;
    for (int i = 0; i < 3; ++i) {
        const double from = first + i * period, to = from + extent;
        if ((from <= high && low <= to) || i == 1) { // infinite boxes are found anywhere
            p->min[axis][p->count[axis]] = bp_round_down(from);
            p->max[axis][p->count[axis]++] = bp_round_up(to);
        }
    }
}

static void search_places(box_search *s, const bp_box *box) {
    const bp_query *query = s->query;
    box_places p = {.count = {1, 1, 1}};
    s->places = &p;
    for (int axis = 0; axis < 3; ++axis) {
        const double period = bp_period_of(&query->world->setup.overlap, (uint32_t)axis);
        p.min[axis][0] = box->min[axis];
        p.max[axis][0] = box->max[axis];
        if (period > 0.0) {
            find_places(&p, axis, period, query->bounds.min[axis], query->bounds.max[axis]);
        }
    }
    for (size_t all = p.count[0] * p.count[1] * p.count[2], i = 0; i < all; ++i) {
        bp_box place;
        p.present[0] = i % p.count[0];
        p.present[1] = i / p.count[0] % p.count[1];
        p.present[2] = i / p.count[0] / p.count[1];
        for (int axis = 0; axis < 3; ++axis) {
            place.min[axis] = p.min[axis][p.present[axis]];
            place.max[axis] = p.max[axis][p.present[axis]];
        }
        bp_tree_meet_boxes(query->trees[0], &place, 1, take_pairs, s);
    }
}

void bp_query_meet_boxes(const bp_query *query, const bp_box_double *boxes, size_t count, bp_tree_take take,
                         void *context) {
    const uint32_t dimensions = query->world->setup.overlap.dimensions;
    const size_t outside = query->tree_count > 0 ? query->changed_count : query->world->ids.count;
    for (size_t i = 0; i < outside; ++i) {
        const bp_id id = query->tree_count > 0 ? query->changed[i] : (bp_id)i;
        const bool is_seen = bp_world_is_alive(query->world, id) && bp_query_sees(query, id);
        for (uint32_t question = 0; is_seen && question < count; ++question) {
            if (overlaps(query, &boxes[question], id)) {
                take(context, &(bp_pair){.a = question, .b = id}, 1);
            }
        }
    }
    box_search s = {.query = query, .boxes = boxes, .take = take, .context = context};
    for (; query->tree_count > 0 && s.first < count; s.first += query->is_periodic ? 1 : QUESTIONS_TOGETHER) {
        bp_box outer[QUESTIONS_TOGETHER];
        const size_t some = query->is_periodic                     ? 1
                            : count - s.first < QUESTIONS_TOGETHER ? count - s.first
                                                                   : QUESTIONS_TOGETHER;
        for (size_t i = 0; i < some; ++i) {
            const bp_box_double *box = &boxes[s.first + i];
            outer[i] = bp_box_flatten(bp_box_round_outwards(box), dimensions);
            s.is_rounded[i] = false;
            for (uint32_t axis = 0; axis < dimensions; ++axis) {
                s.is_rounded[i] |=
                    (double)outer[i].min[axis] != box->min[axis] || (double)outer[i].max[axis] != box->max[axis];
            }
        }
        if (query->is_periodic) {
            search_places(&s, &outer[0]);
        }
        for (size_t i = 0; i < query->tree_count && !query->is_periodic; ++i) {
            bp_tree_meet_boxes(query->trees[i], outer, some, take_pairs, &s);
        }
    }
}

// ---- the query itself -----------------------------------------------------------------------------------------------

static bool is_valid_box(const bp_world *world, const bp_box_double *box) {
    bool valid = true;
    for (uint32_t axis = 0; axis < world->setup.overlap.dimensions; ++axis) {
        valid &= box->min[axis] <= box->max[axis];
    }
    return valid;
}

// Checks what all box queries share. `box` is NULL if the caller's is.
static bp_status check_box(const bp_world *world, const bp_box_double *box, const bp_object *object) {
    const bp_status status = bp_query_check(world, object);
    if (status != BP_OK) {
        return status;
    }
    if (box == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "box: NULL");
    }
    if (!is_valid_box(world, box)) {
        return bp_world_refuse(world, BP_ERROR_BOX, "box: invalid (NaN, or min > max)");
    }
    return BP_OK;
}

static void offer_ids(void *context, const bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        bp_shortlist_offer(context, pairs[i].b, 0.0);
    }
}

static bp_status list_overlapping(const bp_world *world, const bp_box_double *box, const bp_object *object, bp_id *ids,
                                  size_t capacity, size_t *found) {
    const bp_status status = check_box(world, box, object);
    if (status != BP_OK) {
        return status;
    }
    if (ids == NULL && capacity > 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "ids: NULL, but the capacity is not 0");
    }
    bp_query query;
    bp_query_begin(&query, world, object, 1);
    bp_shortlist list = bp_shortlist_begin(ids, sizeof(bp_id), capacity);
    bp_query_meet_boxes(&query, box, 1, offer_ids, &list);
    return bp_shortlist_finish(&list, found);
}

typedef struct box_question {
    const bp_query *query;
    const bp_box_double *box;
} box_question;

static void search_box(const void *question, bp_shortlist *list) {
    const box_question *q = question;
    bp_query_meet_boxes(q->query, q->box, 1, offer_ids, list);
}

static bp_status visit_overlapping(const bp_world *world, const bp_box_double *box, const bp_object *object,
                                   bp_visit visit, void *context) {
    const bp_status status = check_box(world, box, object);
    if (status != BP_OK) {
        return status;
    }
    bp_query query;
    bp_query_begin(&query, world, object, 1);
    const box_question question = {&query, box};
    return bp_visits_run(world,
                         (bp_visits){.visit = visit, .context = context, .search = search_box, .question = &question});
}

// ---- calls ----------------------------------------------------------------------------------------------------------

static const bp_box_double *widen(const bp_box *box, bp_box_double *wide) {
    *wide = box != NULL ? bp_box_to_double(box) : (bp_box_double){0};
    return box != NULL ? wide : NULL;
}

bp_status bp_query_box(const bp_world *world, const bp_box *box, const bp_object *object, bp_id *ids, size_t capacity,
                       size_t *found) {
    bp_box_double wide;
    return list_overlapping(world, widen(box, &wide), object, ids, capacity, found);
}

bp_status bp_query_box_double(const bp_world *world, const bp_box_double *box, const bp_object *object, bp_id *ids,
                              size_t capacity, size_t *found) {
    return list_overlapping(world, box, object, ids, capacity, found);
}

bp_status bp_query_box_each(const bp_world *world, const bp_box *box, const bp_object *object, bp_visit visit,
                            void *context) {
    bp_box_double wide;
    return visit_overlapping(world, widen(box, &wide), object, visit, context);
}

bp_status bp_query_box_each_double(const bp_world *world, const bp_box_double *box, const bp_object *object,
                                   bp_visit visit, void *context) {
    return visit_overlapping(world, box, object, visit, context);
}
