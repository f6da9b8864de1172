#include "query_double.h"

#include "rows_out.h"

#include <string.h>

void answers_double_free(answers_double *answers) {
    rows_out_release(answers->offsets, answers->count + 1, sizeof *answers->offsets);
    rows_out_release(answers->ids, answers->capacity, sizeof *answers->ids);
    rows_out_release(answers->values, answers->capacity, sizeof *answers->values);
    *answers = (answers_double){0};
}

// Without an exception: Python's lock may not be held.
static void *allocate(size_t count, size_t size) {
    const bp_allocator allocator = bp_allocator_default();
    return count > SIZE_MAX / size ? NULL : allocator.allocate(allocator.context, count * size);
}

// Room for `more` answers.
static bool make_room(answers_double *answers, size_t more) {
    if (more <= answers->capacity - answers->used) return true;
    const size_t capacity = 2 * answers->capacity + more + 14;
    uint32_t *ids = allocate(capacity, sizeof *ids);
    double *values = allocate(capacity, sizeof *values);
    if (ids == NULL || values == NULL) {
        rows_out_release(ids, capacity, sizeof *ids);
        rows_out_release(values, capacity, sizeof *values);
        return false;
    }
    if (answers->used > 0) {
        memcpy(ids, answers->ids, answers->used * sizeof *ids);
        memcpy(values, answers->values, answers->used * sizeof *values);
    }
    rows_out_release(answers->ids, answers->capacity, sizeof *ids);
    rows_out_release(answers->values, answers->capacity, sizeof *values);
    answers->ids = ids;
    answers->values = values;
    answers->capacity = capacity;
    return true;
}

static bool append(answers_double *answers, uint32_t id, double value) {
    if (!make_room(answers, 1)) return false;
    answers->ids[answers->used] = id;
    answers->values[answers->used++] = value;
    return true;
}

typedef struct one_question {
    answers_double *answers;
    size_t left; // how many answers are still wanted
    bool failed;
} one_question;

// NOLINTNEXTLINE(readability-non-const-parameter): the form is the library's
static int take_visit(void *context, bp_id id, double t, double *max_t) {
    one_question *question = context;
    (void)max_t;
    question->failed = !append(question->answers, id, t);
    return !question->failed && --question->left > 0;
}

static bp_status ask_nearest(const bp_world *world, const double *point, const question_rows *questions,
                             answers_double *answers) {
    const size_t count = bp_world_count(world), k = questions->most < count ? questions->most : count;
    bp_near_double *near = allocate(k + 1, sizeof *near);
    size_t found = 0;
    if (near == NULL) return BP_ERROR_MEMORY;
    bp_status status = bp_query_nearest_double(world, point, k == 0 ? 1 : k, questions->as, near, &found);
    for (size_t i = 0; i < found && status == BP_OK; i++) {
        if (!append(answers, near[i].id, near[i].distance)) status = BP_ERROR_MEMORY;
    }
    rows_out_release(near, k + 1, sizeof *near);
    return status;
}

static bp_status ask(const bp_world *world, const question_rows *questions, size_t i, answers_double *answers) {
    const bp_object *as = questions->as;
    if (questions->kind == ASK_NEAREST)
        return ask_nearest(world, (const double *)questions->data + 3 * i, questions, answers);
    one_question question = {answers, questions->most == 0 ? SIZE_MAX : questions->most, false};
    bp_status status;
    if (questions->kind == ASK_BOXES) {
        const bp_box_double *boxes = questions->data;
        status = bp_query_box_each_double(world, &boxes[i], as, take_visit, &question);
    } else if (questions->kind == ASK_RAYS) {
        const bp_ray_double *rays = questions->data;
        status = bp_query_ray_each_double(world, &rays[i], as, take_visit, &question);
    } else {
        const bp_cast_double *casts = questions->data;
        status = bp_query_cast_each_double(world, &casts[i], as, take_visit, &question);
    }
    return question.failed ? BP_ERROR_MEMORY : status;
}

bp_status query_double(const bp_world *world, const question_rows *questions, answers_double *answers) {
    *answers = (answers_double){.count = questions->count};
    answers->offsets = allocate(questions->count + 1, sizeof *answers->offsets);
    if (answers->offsets == NULL || !make_room(answers, questions->count)) return BP_ERROR_MEMORY;
    bp_status status = BP_OK;
    answers->offsets[0] = 0;
    while (answers->done < questions->count && status == BP_OK) {
        status = ask(world, questions, answers->done, answers);
        if (status == BP_OK) answers->offsets[++answers->done] = answers->used;
    }
    return status;
}
