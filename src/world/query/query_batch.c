#include "world/query/query_batch.h"

#include "base/log.h"
#include "base/parallel.h"
#include "kernels/neighbor_rows.h"
#include "world/query/query.h"

#include <stdio.h>

enum {
    BLOCK_MIN = 64, // questions
    BLOCKS_MAX = 256,
    GROUP = 64, // boxes whose rows are made together
    NAME = 40   // characters of "rays[...]"
};

// Rows of consecutive questions, one after the other, and memory.
typedef struct batch_block {
    bp_buffer ids, values;
    size_t count;
    bool has_failed; // memory was refused
    bp_buffer rooms[BP_PROBES_IN_TURN];
} batch_block;

typedef enum question_type { BOXES, RAYS, CASTS, POINTS } question_type;

typedef struct batch {
    question_type type;
    const void *questions;
    size_t count;
    size_t most; // items of a row; 0: all
    const bp_query *query;
    const bp_allocator *allocator;
    bp_blocks cut;
    batch_block *blocks;
    size_t *offsets; // where each row begins; at first, how long it is
    bp_answers *answers;
} batch;

size_t bp_batch_memory_bytes(const bp_batch_memory *memory) {
    const batch_block *blocks = memory->blocks.data;
    size_t bytes = memory->offsets.bytes + memory->blocks.bytes;
    for (size_t i = 0; i < memory->block_count; ++i) {
        bytes += blocks[i].ids.bytes + blocks[i].values.bytes;
        for (size_t k = 0; k < BP_PROBES_IN_TURN; ++k) {
            bytes += blocks[i].rooms[k].bytes;
        }
    }
    return bytes;
}

void bp_batch_memory_free(bp_batch_memory *memory, const bp_allocator *allocator) {
    batch_block *blocks = memory->blocks.data;
    for (size_t i = 0; i < memory->block_count; ++i) {
        bp_buffer_free(&blocks[i].ids, allocator);
        bp_buffer_free(&blocks[i].values, allocator);
        for (size_t k = 0; k < BP_PROBES_IN_TURN; ++k) {
            bp_buffer_free(&blocks[i].rooms[k], allocator);
        }
    }
    bp_buffer_free(&memory->offsets, allocator);
    bp_buffer_free(&memory->blocks, allocator);
}

// Whole items, because answers count them.
static bool reserve_array(const batch *b, bp_buffer *array, size_t kept, size_t wanted, size_t size) {
    return wanted <= array->bytes / size ||
           bp_buffer_reserve(array, b->allocator, kept * size, bp_size_add(wanted, wanted / 4), size);
}

static bool reserve_items(const batch *b, batch_block *block, size_t more) {
    const size_t wanted = bp_size_add(block->count, more);
    block->has_failed |= !reserve_array(b, &block->ids, block->count, wanted, sizeof(bp_id)) ||
                         (b->type != BOXES && !reserve_array(b, &block->values, block->count, wanted, sizeof(float)));
    return !block->has_failed;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

typedef struct pair_list {
    const batch *b;
    batch_block *block;
    size_t count; // in its first room
} pair_list;

static void append_pairs(void *context, const bp_pair *pairs, size_t count) {
    pair_list *list = context;
    bp_buffer *room = &list->block->rooms[0];
    if (count == 0 || !bp_buffer_reserve_slack(room, list->b->allocator, list->count * sizeof(bp_pair),
                                               list->count + count, sizeof(bp_pair))) {
        list->block->has_failed |= count > 0;
        return;
    }
    memcpy((bp_pair *)room->data + list->count, pairs, count * sizeof *pairs);
    list->count += count;
}

// Rows of some boxes: their pairs, counted, placed and sorted.
static void answer_boxes(const batch *b, batch_block *block, size_t begin, size_t count) {
    const bp_kernels *kernels = b->query->world->setup.methods.kernels;
    bp_box_double boxes[GROUP];
    pair_list list = {.b = b, .block = block};
    size_t *lengths = b->offsets + begin, ends[GROUP];
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = bp_box_to_double((const bp_box *)b->questions + begin + i);
        lengths[i] = 0;
    }
    bp_query_meet_boxes(b->query, boxes, count, append_pairs, &list);
    if (list.count == 0) { // and perhaps no memory
        return;
    }
    bp_buffer *spare = &block->rooms[1];
    block->has_failed |= !bp_buffer_reserve_slack(spare, b->allocator, 0, list.count, sizeof(bp_id));
    if (block->has_failed || !reserve_items(b, block, list.count)) {
        return;
    }
    const bp_pair *pairs = block->rooms[0].data;
    bp_id *ids = (bp_id *)block->ids.data + block->count;
    bp_row_queue queue = {.count = 0};
    for (size_t i = 0; i < list.count; ++i) {
        ++lengths[pairs[i].a];
    }
    for (size_t i = 0, sum = 0; i < count; ++i) {
        ends[i] = sum;
        sum += lengths[i];
    }
    for (size_t i = 0; i < list.count; ++i) {
        ids[ends[pairs[i].a]++] = pairs[i].b;
    }
    for (size_t i = 0; i < count; ++i) {
        if (lengths[i] > 1) {
            bp_id *row = ids + ends[i] - lengths[i];
            bp_row_queue_add(&queue, row, (bp_id *)spare->data + (row - ids), lengths[i], row, kernels);
        }
    }
    bp_row_queue_end(&queue, kernels);
    block->count += list.count;
}

// ---- lines and points -----------------------------------------------------------------------------------------------

static const bp_cast_double *cast_of(const batch *b, size_t question, bp_cast_double *cast) {
    return b->type == RAYS ? bp_cast_of_ray((const bp_ray *)b->questions + question, cast)
                           : bp_cast_to_double((const bp_cast *)b->questions + question, cast);
}

static bool begin_probe(const batch *b, size_t question, bp_probe *probe, bp_shortlist *list) {
    if (b->type == POINTS) {
        const bp_query_point point = bp_point_to_double((const float *)b->questions + 3 * question);
        return bp_probe_begin_point(probe, b->query, point.at, list);
    }
    bp_cast_double cast;
    return bp_probe_begin_line(probe, b->query, cast_of(b, question, &cast), list);
}

static void end_row(const batch *b, batch_block *block, size_t question, bp_shortlist *list) {
    block->has_failed |= list->has_failed;
    if (!reserve_items(b, block, list->kept)) {
        return;
    }
    bp_shortlist_sort(list);
    b->offsets[question] = list->kept;
    for (size_t i = 0; i < list->kept; ++i, ++block->count) {
        const bp_ray_hit hit = ((const bp_ray_hit *)(const void *)list->items)[i];
        ((bp_id *)block->ids.data)[block->count] = hit.id;
        ((float *)block->values.data)[block->count] = hit.t;
    }
}

// Rows of some lines or points.
static void answer_walks(const batch *b, batch_block *block, size_t begin, size_t count) {
    bp_shortlist lists[BP_PROBES_IN_TURN];
    bp_probe probes[BP_PROBES_IN_TURN], *walking[BP_PROBES_IN_TURN];
    size_t walking_count = 0;
    for (size_t i = 0; i < count; ++i) {
        bp_shortlist_begin_growing(&lists[i], &block->rooms[i], b->allocator, b->most);
        walking[walking_count] = &probes[i];
        walking_count += begin_probe(b, begin + i, &probes[i], &lists[i]);
    }
    if (walking_count > 0) {
        bp_probes_walk(b->query, walking, walking_count);
    }
    for (size_t i = 0; i < count; ++i) {
        end_row(b, block, begin + i, &lists[i]);
    }
}

static void task_answer(void *context, size_t index) {
    const batch *b = context;
    batch_block *block = &b->blocks[index];
    const size_t end = bp_block_begin(b->cut, index + 1), together = b->type == BOXES ? GROUP : BP_PROBES_IN_TURN;
    block->count = 0;
    block->has_failed = false;
    for (size_t i = bp_block_begin(b->cut, index); i < end && !block->has_failed; i += together) {
        (b->type == BOXES ? answer_boxes : answer_walks)(b, block, i, end - i < together ? end - i : together);
    }
}

// ---- answers --------------------------------------------------------------------------------------------------------

enum { ARRAYS = 3 };

static void get_arrays(const bp_answers *a, bp_buffer arrays[ARRAYS]) {
    arrays[0] = (bp_buffer){a->offsets, a->offset_capacity * sizeof *a->offsets};
    arrays[1] = (bp_buffer){a->ids, a->id_capacity * sizeof *a->ids};
    arrays[2] = (bp_buffer){a->values, a->value_capacity * sizeof *a->values};
}

void bp_answers_free(bp_answers *answers, const bp_config *config) {
    if (answers != NULL) {
        const bp_allocator allocator = bp_config_allocator(config);
        bp_buffer arrays[ARRAYS];
        get_arrays(answers, arrays);
        for (size_t i = 0; i < ARRAYS; ++i) bp_buffer_free(&arrays[i], &allocator);
        *answers = (bp_answers){0};
    }
}

// The caller gets the arrays of a batch, and the batch the caller's for another time.
static void swap_answers(const batch *b, bp_batch_memory *memory) {
    bp_answers *a = b->answers;
    bp_buffer arrays[ARRAYS];
    get_arrays(a, arrays);
    bp_buffer_swap(&arrays[0], &memory->offsets);
    bp_buffer_swap(&arrays[1], &b->blocks[0].ids);
    if (b->type != BOXES) {
        bp_buffer_swap(&arrays[2], &b->blocks[0].values);
    }
    *a = (bp_answers){.offsets = arrays[0].data,
                      .ids = arrays[1].data,
                      .values = arrays[2].data,
                      .count = b->count,
                      .offset_capacity = arrays[0].bytes / sizeof *a->offsets,
                      .id_capacity = arrays[1].bytes / sizeof *a->ids,
                      .value_capacity = arrays[2].bytes / sizeof *a->values};
}

// Appends the rows of another block to those of the first one.
static void task_append(void *context, size_t index) {
    const batch *b = context;
    batch_block *first = &b->blocks[0], *block = &b->blocks[index + 1];
    const size_t to = b->offsets[bp_block_begin(b->cut, index + 1)];
    if (block->count > 0) {
        memcpy((bp_id *)first->ids.data + to, block->ids.data, block->count * sizeof(bp_id));
    }
    if (block->count > 0 && b->type != BOXES) {
        memcpy((float *)first->values.data + to, block->values.data, block->count * sizeof(float));
    }
}

static bp_status answer_all(batch *b, const bp_executor *executor, bp_batch_memory *memory) {
    b->cut = bp_blocks_cut(executor, b->count, BLOCK_MIN, BLOCKS_MAX);
    const size_t kept = memory->block_count * sizeof(batch_block);
    if (!reserve_array(b, &memory->offsets, 0, b->count + 1, sizeof(size_t)) ||
        !bp_buffer_reserve(&memory->blocks, b->allocator, kept, b->cut.count, sizeof(batch_block))) {
        return BP_ERROR_MEMORY;
    }
    b->offsets = memory->offsets.data;
    b->blocks = memory->blocks.data;
    for (; memory->block_count < b->cut.count; ++memory->block_count) {
        b->blocks[memory->block_count] = (batch_block){.count = 0};
    }
    bp_parallel_for(executor, b->cut.count, task_answer, b);
    size_t others = 0, sum = 0;
    for (size_t i = 0; i < b->cut.count; ++i) {
        if (b->blocks[i].has_failed) {
            return BP_ERROR_MEMORY;
        }
        others += i > 0 ? b->blocks[i].count : 0;
    }
    if (!reserve_items(b, &b->blocks[0], others)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i <= b->count; ++i) {
        const size_t length = i < b->count ? b->offsets[i] : 0;
        b->offsets[i] = sum;
        sum += length;
    }
    bp_parallel_for(executor, b->cut.count - 1, task_append, b);
    swap_answers(b, memory);
    return BP_OK;
}

static bp_status run_batch(const bp_world *world, const bp_object *object, const batch *asked) {
    bp_query query;
    bp_query_begin(&query, world, object, asked->count);
    const size_t alive = bp_world_count(world);
    bp_batch_memory own = {.block_count = 0};
    batch b = *asked;
    b.query = &query;
    b.allocator = bp_world_allocator(world);
    b.most = b.most < alive ? b.most : alive;
    bp_batch_loan loan = bp_query_borrow(world, &own);
    const bp_status status = answer_all(&b, loan.executor, loan.memory);
    bp_query_return(world, &loan);
    return status;
}

// ---- calls ----------------------------------------------------------------------------------------------------------

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

// A name is made only if something is wrong: that takes as long as a short ray.
static bp_status run_lines(const bp_world *world, const bp_object *object, const batch *b, const char *array) {
    bp_status status = check_many(world, b->count, b->questions, array, object, b->answers);
    for (size_t i = 0; i < b->count && status == BP_OK; ++i) {
        bp_cast_double cast;
        if (!bp_query_cast_is_valid(world, cast_of(b, i, &cast))) {
            char name[NAME];
            (void)snprintf(name, sizeof name, "%s[%zu]", array, i);
            status = bp_query_check_cast(world, &cast, name);
        }
    }
    return status == BP_OK ? run_batch(world, object, b) : status;
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
    batch b = {.type = BOXES, .questions = boxes, .count = count, .answers = answers};
    return status == BP_OK ? run_batch(world, object, &b) : status;
}

bp_status bp_query_rays(const bp_world *world, size_t count, const bp_ray *rays, size_t max_hits,
                        const bp_object *object, bp_answers *answers) {
    batch b = {.type = RAYS, .questions = rays, .count = count, .most = max_hits, .answers = answers};
    return run_lines(world, object, &b, "rays");
}

bp_status bp_query_casts(const bp_world *world, size_t count, const bp_cast *casts, size_t max_hits,
                         const bp_object *object, bp_answers *answers) {
    batch b = {.type = CASTS, .questions = casts, .count = count, .most = max_hits, .answers = answers};
    return run_lines(world, object, &b, "casts");
}

bp_status bp_query_nearest_many(const bp_world *world, size_t count, const float *points_xyz, size_t k,
                                const bp_object *object, bp_answers *answers) {
    bp_status status = check_many(world, count, points_xyz, "points", object, answers);
    if (status == BP_OK && k == 0) {
        status = bp_world_refuse(world, BP_ERROR_ARGUMENT, "k: must be at least 1");
    }
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        if (!bp_query_point_is_valid(world, bp_point_to_double(points_xyz + 3 * i).at)) {
            bp_log_write(bp_world_log(world), "points[%zu]: must be finite", i);
            status = BP_ERROR_ARGUMENT;
        }
    }
    batch b = {.type = POINTS, .questions = points_xyz, .count = count, .most = k, .answers = answers};
    return status == BP_OK ? run_batch(world, object, &b) : status;
}
