// Questions to a world: single ones in 64 bits, and many at once.
#include "web.h"

#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// Single questions. Their answers are kept in one place, which grows until it holds them.

static void *kept_answers;
static size_t kept_bytes;

static bool make_room(size_t bytes) {
    if (bytes <= kept_bytes) return true;
    void *larger = malloc(2 * bytes);
    if (larger == NULL) return false;
    free(kept_answers);
    kept_answers = larger;
    kept_bytes = 2 * bytes;
    return true;
}

typedef struct question {
    const bp_world *world;
    const void *about;
    const bp_object *object; // NULL: everything
    size_t answer_size;
    bp_status (*ask)(const struct question *question, size_t capacity, size_t *found);
} question;

static bp_status ask_box(const question *q, size_t capacity, size_t *found) {
    return bp_query_box_double(q->world, q->about, q->object, kept_answers, capacity, found);
}

static bp_status ask_ray(const question *q, size_t capacity, size_t *found) {
    return bp_query_ray_double(q->world, q->about, q->object, kept_answers, capacity, found);
}

static bp_status ask_cast(const question *q, size_t capacity, size_t *found) {
    return bp_query_cast_double(q->world, q->about, q->object, kept_answers, capacity, found);
}

static bp_status ask_pairs_of(const question *q, size_t capacity, size_t *found) {
    return bp_pairs_of(q->world, *(const bp_id *)q->about, kept_answers, capacity, found);
}

static bp_status give_answers(bp_status status, size_t count) {
    web_results[0] = web_address(kept_answers);
    web_results[1] = (uint32_t)count;
    return status;
}

static bp_status answer_all(const question *q) {
    size_t found = 0;
    bp_status status;
    web_forget_sentence();
    if (!make_room(64 * q->answer_size)) return BP_ERROR_MEMORY;
    while ((status = q->ask(q, kept_bytes / q->answer_size, &found)) == BP_ERROR_CAPACITY) {
        if (!make_room(found * q->answer_size)) return BP_ERROR_MEMORY;
    }
    return give_answers(status, found);
}

// The first `most` hits.
static bp_status answer_some(const question *q, size_t most) {
    web_forget_sentence();
    if (most > bp_world_count(q->world)) return answer_all(q);
    if (!make_room((most + 1) * q->answer_size)) return BP_ERROR_MEMORY;
    const bp_status status = q->ask(q, most, NULL);
    const bp_ray_hit_double *hits = kept_answers;
    size_t count = 0;
    while (status == BP_OK && count < most && hits[count].id != BP_NO_ID) ++count;
    return give_answers(status, count);
}

bp_status WEB_EXPORT(web_query_box)(const bp_world *world, const bp_box_double *box, const bp_object *object) {
    return answer_all(&(question){world, box, object, sizeof(bp_id), ask_box});
}

// most = 0: all of them
bp_status WEB_EXPORT(web_query_ray)(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                                    size_t most) {
    const question q = {world, ray, object, sizeof(bp_ray_hit_double), ask_ray};
    return most == 0 ? answer_all(&q) : answer_some(&q, most);
}

bp_status WEB_EXPORT(web_query_cast)(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                                     size_t most) {
    const question q = {world, cast, object, sizeof(bp_ray_hit_double), ask_cast};
    return most == 0 ? answer_all(&q) : answer_some(&q, most);
}

bp_status WEB_EXPORT(web_pairs_of)(const bp_world *world, bp_id id) {
    return answer_all(&(question){world, &id, NULL, sizeof(bp_id), ask_pairs_of});
}

bp_status WEB_EXPORT(web_query_nearest)(const bp_world *world, const float point[3], size_t k,
                                        const bp_object *object) {
    const size_t count = bp_world_count(world), most = k < count ? k : count;
    size_t found = 0;
    web_forget_sentence();
    if (k > 0 && most == 0) return give_answers(BP_OK, 0);
    if (!make_room(most * sizeof(bp_near))) return BP_ERROR_MEMORY;
    const bp_status status = bp_query_nearest(world, point, most, object, kept_answers, &found);
    return give_answers(status, found);
}

// ---------------------------------------------------------------------------------------------------------------------
// Many at once

static bp_answers kept_rows;

static bp_status give_rows(bp_status status) {
    if (status != BP_OK) return status;
    web_results[0] = web_address(kept_rows.offsets);
    web_results[1] = (uint32_t)kept_rows.count + 1;
    web_results[2] = web_address(kept_rows.ids);
    web_results[3] = (uint32_t)kept_rows.offsets[kept_rows.count];
    web_results[4] = web_address(kept_rows.values);
    return BP_OK;
}

bp_status WEB_EXPORT(web_query_boxes)(const web_call *call, const bp_world *world, size_t count, bp_box *boxes,
                                      const bp_object *object) {
    web_forget_sentence();
    web_spread_boxes(call, boxes, count, false);
    return give_rows(bp_query_boxes(world, count, boxes, object, &kept_rows));
}

bp_status WEB_EXPORT(web_query_rays)(const bp_world *world, size_t count, const bp_ray *rays, size_t most,
                                     const bp_object *object) {
    web_forget_sentence();
    return give_rows(bp_query_rays(world, count, rays, most, object, &kept_rows));
}

bp_status WEB_EXPORT(web_query_casts)(const bp_world *world, size_t count, const bp_cast *casts, size_t most,
                                      const bp_object *object) {
    web_forget_sentence();
    return give_rows(bp_query_casts(world, count, casts, most, object, &kept_rows));
}

bp_status WEB_EXPORT(web_query_nearest_many)(const web_call *call, const bp_world *world, size_t count, float *points,
                                             size_t k, const bp_object *object) {
    web_forget_sentence();
    web_spread_points(call, points, count, false);
    return give_rows(bp_query_nearest_many(world, count, points, k, object, &kept_rows));
}
