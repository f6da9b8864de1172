// The calls for many questions: what is asked, in terms of a batch.
#include "base/log.h"
#include "world/query/query_batch.h"
#include "world/query/query_box.h"
#include "world/query/query_boxes.h"
#include "world/query/query_lines.h"
#include "world/query/query_nearest.h"
#include "world/query/query_ray.h"

#include <stdio.h>

// ---- items ----------------------------------------------------------------------------------------------------------

// Items of a row whose number is not known beforehand.
typedef struct growing_row {
    bp_item_list *items;
    const bp_allocator *allocator;
} growing_row;

static void append_item(const growing_row *row, bp_id id, float t) {
    bp_ray_hit *item = bp_item_list_reserve(row->items, row->allocator, 1);
    if (item != NULL) {
        *item = (bp_ray_hit){.id = id, .t = t};
        ++row->items->count;
    }
}

static void append_id(void *context, bp_id id) {
    append_item(context, id, 0.0f);
}

static void append_hit(void *context, bp_id id, double t) {
    append_item(context, id, (float)t);
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static void place_of_box(const void *questions, size_t index, double centre[3]) {
    const bp_box *box = (const bp_box *)questions + index;
    for (int axis = 0; axis < 3; ++axis) {
        centre[axis] = 0.5 * ((double)box->min[axis] + (double)box->max[axis]);
    }
}

static void answer_box(const bp_batch *batch, size_t index, bp_item_list *items) {
    growing_row row = {.items = items, .allocator = bp_world_allocator(batch->query->world)};
    const bp_box_double box = bp_box_to_double((const bp_box *)batch->questions + index);
    const bp_id_sink sink = {.offer = append_id, .context = &row};
    const size_t begin = items->count;
    bp_query_find_overlapping(batch->query, &box, &sink);
    bp_item_list_sort(items, begin);
}

// ---- rays and casts -------------------------------------------------------------------------------------------------

static void answer_cast(const bp_batch *batch, const bp_cast_double *cast, bp_item_list *items) {
    const bp_allocator *allocator = bp_world_allocator(batch->query->world);
    const size_t begin = items->count;
    if (batch->most > 0) {
        bp_ray_hit *room = bp_item_list_reserve(items, allocator, batch->most);
        if (room != NULL) {
            bp_shortlist list = bp_shortlist_of_hits(room, batch->most);
            const bp_line_sink sink = bp_line_sink_of_list(&list, true);
            bp_query_follow_cast(batch->query, cast, &sink);
            items->count += list.kept;
        }
    } else {
        growing_row row = {.items = items, .allocator = allocator};
        const bp_line_sink sink = {.offer = append_hit, .context = &row};
        bp_query_follow_cast(batch->query, cast, &sink);
    }
    bp_item_list_sort(items, begin);
}

static void answer_lines(const bp_batch *batch, const bp_cast_double *casts, size_t count, bp_item_list *items,
                         size_t *counts) {
    bp_line lines[BP_BATCH_GROUP];
    for (size_t i = 0; i < count; ++i) {
        lines[i] = bp_query_line_of(&casts[i], &batch->query->world->setup.overlap);
    }
    bp_query_follow_lines(batch->query, lines, count, items, counts);
}

static void answer_rays(const bp_batch *batch, const uint64_t *order, size_t count, bp_item_list *items,
                        size_t *counts) {
    bp_cast_double casts[BP_BATCH_GROUP];
    for (size_t i = 0; i < count; ++i) {
        casts[i] = bp_cast_of_ray((const bp_ray *)batch->questions + bp_batch_question(order, i));
    }
    answer_lines(batch, casts, count, items, counts);
}

static void answer_casts(const bp_batch *batch, const uint64_t *order, size_t count, bp_item_list *items,
                         size_t *counts) {
    bp_cast_double casts[BP_BATCH_GROUP];
    for (size_t i = 0; i < count; ++i) {
        casts[i] = bp_cast_to_double((const bp_cast *)batch->questions + bp_batch_question(order, i));
    }
    answer_lines(batch, casts, count, items, counts);
}

static void place_of_ray(const void *questions, size_t index, double centre[3]) {
    const bp_ray *ray = (const bp_ray *)questions + index;
    for (int axis = 0; axis < 3; ++axis) {
        centre[axis] = (double)ray->origin[axis];
    }
}

static void answer_ray(const bp_batch *batch, size_t index, bp_item_list *items) {
    const bp_cast_double cast = bp_cast_of_ray((const bp_ray *)batch->questions + index);
    answer_cast(batch, &cast, items);
}

static void place_of_cast(const void *questions, size_t index, double centre[3]) {
    place_of_box(&((const bp_cast *)questions + index)->box, 0, centre);
}

static void answer_moving_box(const bp_batch *batch, size_t index, bp_item_list *items) {
    const bp_cast_double cast = bp_cast_to_double((const bp_cast *)batch->questions + index);
    answer_cast(batch, &cast, items);
}

// ---- nearest --------------------------------------------------------------------------------------------------------

static void place_of_point(const void *questions, size_t index, double centre[3]) {
    const float *point = (const float *)questions + 3 * index;
    for (int axis = 0; axis < 3; ++axis) {
        centre[axis] = (double)point[axis];
    }
}

static void answer_point(const bp_batch *batch, size_t index, bp_item_list *items) {
    const size_t begin = items->count;
    bp_ray_hit *room = bp_item_list_reserve(items, bp_world_allocator(batch->query->world), batch->most);
    if (room != NULL && batch->most > 0) {
        bp_shortlist list = bp_shortlist_of_hits(room, batch->most);
        bp_query_find_nearest(batch->query, (const float *)batch->questions + 3 * index, &list);
        items->count += list.kept;
        bp_item_list_sort(items, begin);
    }
}

// ---- calls ----------------------------------------------------------------------------------------------------------

enum { NAME = 40 }; // characters of "rays[...]"

static bp_status check_many(const bp_world *world, size_t count, const void *questions, const char *name,
                            const bp_object *object, const bp_answers *answers) {
    const bp_status status = bp_query_check(world, object);
    if (status != BP_OK) {
        return status;
    }
    if (questions == NULL && count > 0) {
        bp_log_write(bp_world_log(world), "%s: NULL, but the count is not 0", name);
        return BP_ERROR_ARGUMENT;
    }
    if (count > BP_MAX_COUNT) {
        bp_log_write(bp_world_log(world), "count: more than BP_MAX_COUNT %s", name);
        return BP_ERROR_ARGUMENT;
    }
    return answers != NULL ? BP_OK : bp_world_refuse(world, BP_ERROR_ARGUMENT, "answers: NULL");
}

// Its name is made only if something is wrong: that takes as long as a short ray.
static bp_status check_one_of_many(const bp_world *world, const bp_cast_double *cast, const char *kind, size_t index) {
    char name[NAME];
    if (bp_query_cast_is_valid(world, cast)) {
        return BP_OK;
    }
    (void)snprintf(name, sizeof name, "%s[%zu]", kind, index);
    return bp_query_check_cast(world, cast, name);
}

static bp_status run_batch(const bp_world *world, const bp_object *object, bp_batch batch, bp_answers *answers) {
    const bp_query query = bp_query_begin(world, object, batch.count);
    const size_t alive = bp_world_count(world);
    batch.query = &query;
    if (batch.most > 0 || !bp_query_suits_many(&query)) {
        batch.answer_group = NULL;
    }
    batch.most = batch.most < alive ? batch.most : alive;
    return bp_batch_run(&batch, answers);
}

bp_status bp_query_boxes(const bp_world *world, size_t count, const bp_box *boxes, const bp_object *object,
                         bp_answers *answers) {
    bp_status status = check_many(world, count, boxes, "boxes", object, answers);
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        if (!bp_box_is_valid(&boxes[i], world->setup.overlap.dimensions)) {
            bp_log_write(bp_world_log(world), "boxes[%zu]: invalid (NaN, or min > max)", i);
            status = BP_ERROR_BOX;
        }
    }
    bp_batch batch = {.questions = boxes, .count = count, .place = place_of_box, .answer = answer_box};
    if (status != BP_OK) {
        return status;
    }
    const bp_query query = bp_query_begin(world, object, count);
    batch.query = &query;
    return bp_query_suits_many(&query) ? bp_query_boxes_together(&batch, answers) : bp_batch_run(&batch, answers);
}

bp_status bp_query_rays(const bp_world *world, size_t count, const bp_ray *rays, size_t most, const bp_object *object,
                        bp_answers *answers) {
    bp_status status = check_many(world, count, rays, "rays", object, answers);
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        const bp_cast_double cast = bp_cast_of_ray(&rays[i]);
        status = check_one_of_many(world, &cast, "rays", i);
    }
    const bp_batch batch = {.questions = rays,
                            .count = count,
                            .most = most,
                            .has_values = true,
                            .place = place_of_ray,
                            .answer = answer_ray,
                            .answer_group = answer_rays};
    return status == BP_OK ? run_batch(world, object, batch, answers) : status;
}

bp_status bp_query_casts(const bp_world *world, size_t count, const bp_cast *casts, size_t most,
                         const bp_object *object, bp_answers *answers) {
    bp_status status = check_many(world, count, casts, "casts", object, answers);
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        const bp_cast_double cast = bp_cast_to_double(&casts[i]);
        status = check_one_of_many(world, &cast, "casts", i);
    }
    const bp_batch batch = {.questions = casts,
                            .count = count,
                            .most = most,
                            .has_values = true,
                            .place = place_of_cast,
                            .answer = answer_moving_box,
                            .answer_group = answer_casts};
    return status == BP_OK ? run_batch(world, object, batch, answers) : status;
}

bp_status bp_query_nearest_many(const bp_world *world, size_t count, const float *points_xyz, size_t k,
                                const bp_object *object, bp_answers *answers) {
    bp_status status = check_many(world, count, points_xyz, "points", object, answers);
    if (status == BP_OK && k == 0) {
        status = bp_world_refuse(world, BP_ERROR_ARGUMENT, "k: must be at least 1");
    }
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        if (!bp_query_point_is_valid(world, points_xyz + 3 * i)) {
            bp_log_write(bp_world_log(world), "points[%zu]: must be finite", i);
            status = BP_ERROR_ARGUMENT;
        }
    }
    const bp_batch batch = {.questions = points_xyz,
                            .count = count,
                            .most = k,
                            .has_values = true,
                            .place = place_of_point,
                            .answer = answer_point};
    return status == BP_OK ? run_batch(world, object, batch, answers) : status;
}
