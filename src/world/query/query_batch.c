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

// Its rows, one after the other, and memory.
typedef struct batch_block {
    bp_buffer ids, values;
    size_t count;
    bool has_failed; // memory was refused
    bp_buffer rooms[BP_PROBES_IN_TURN];
} batch_block;

typedef struct batch_row {
    size_t begin, count; // in its block
} batch_row;

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
    batch_row *rows;
    bp_answers *answers;
} batch;

size_t bp_batch_memory_bytes(const bp_batch_memory *memory) {
    const batch_block *blocks = memory->blocks.data;
    size_t bytes = memory->rows.bytes + memory->blocks.bytes;
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
    bp_buffer_free(&memory->rows, allocator);
    bp_buffer_free(&memory->blocks, allocator);
}

static bool reserve_items(const batch *b, batch_block *block, size_t more) {
    const size_t kept = block->count * sizeof(bp_id), wanted = bp_size_add(block->count, more);
    block->has_failed |=
        !bp_buffer_reserve_slack(&block->ids, b->allocator, kept, wanted, sizeof(bp_id)) ||
        (b->type != BOXES && !bp_buffer_reserve_slack(&block->values, b->allocator, kept, wanted, sizeof(float)));
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
    batch_row *rows = b->rows + begin;
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = bp_box_to_double((const bp_box *)b->questions + begin + i);
        rows[i].count = 0;
    }
    bp_query_meet_boxes(b->query, boxes, count, append_pairs, &list);
    bp_buffer *spare = &block->rooms[1];
    block->has_failed |= !bp_buffer_reserve_slack(spare, b->allocator, 0, list.count, sizeof(bp_id));
    if (block->has_failed || !reserve_items(b, block, list.count)) {
        return;
    }
    const bp_pair *pairs = block->rooms[0].data;
    bp_id *ids = block->ids.data;
    bp_row_queue queue = {.count = 0};
    for (size_t i = 0; i < list.count; ++i) {
        ++rows[pairs[i].a].count;
    }
    for (size_t i = 0; i < count; ++i) {
        rows[i].begin = block->count;
        block->count += rows[i].count;
        rows[i].count = 0;
    }
    for (size_t i = 0; i < list.count; ++i) {
        batch_row *row = &rows[pairs[i].a];
        ids[row->begin + row->count++] = pairs[i].b;
    }
    for (size_t i = 0; i < count; ++i) {
        if (rows[i].count > 1) {
            bp_id *row = ids + rows[i].begin;
            bp_row_queue_add(&queue, row, (bp_id *)spare->data + (row - ids) - rows[0].begin, rows[i].count, row,
                             kernels);
        }
    }
    bp_row_queue_end(&queue, kernels);
}

// ---- lines and points -----------------------------------------------------------------------------------------------

typedef struct walk_turn {
    const batch *b;
    batch_block *block;
    size_t next, end; // questions
    size_t questions[BP_PROBES_IN_TURN];
    bp_shortlist lists[BP_PROBES_IN_TURN];
    bp_probe probes[BP_PROBES_IN_TURN];
} walk_turn;

static bp_cast_double cast_of(const batch *b, size_t question) {
    return b->type == RAYS ? bp_cast_of_ray((const bp_ray *)b->questions + question)
                           : bp_cast_to_double((const bp_cast *)b->questions + question);
}

static bool begin_probe(const batch *b, size_t question, bp_probe *probe, bp_shortlist *list) {
    if (b->type == POINTS) {
        const bp_query_point point = bp_point_to_double((const float *)b->questions + 3 * question);
        return bp_probe_begin_point(probe, b->query, point.at, list);
    }
    const bp_cast_double cast = cast_of(b, question);
    return bp_probe_begin_line(probe, b->query, &cast, list);
}

static void end_row(walk_turn *t, size_t slot) {
    batch_block *block = t->block;
    bp_shortlist *list = &t->lists[slot];
    block->has_failed |= list->has_failed;
    if (!reserve_items(t->b, block, list->kept)) {
        return;
    }
    bp_shortlist_sort(list);
    t->b->rows[t->questions[slot]] = (batch_row){.begin = block->count, .count = list->kept};
    for (size_t i = 0; i < list->kept; ++i, ++block->count) {
        const bp_ray_hit hit = ((const bp_ray_hit *)(const void *)list->items)[i];
        ((bp_id *)block->ids.data)[block->count] = hit.id;
        ((float *)block->values.data)[block->count] = hit.t;
    }
}

// The next question that has to walk. False if there is none.
static bool begin_row(walk_turn *t, size_t slot) {
    while (t->next < t->end && !t->block->has_failed) {
        t->questions[slot] = t->next++;
        t->lists[slot] = bp_shortlist_growing(&t->block->rooms[slot], t->b->allocator, t->b->most);
        if (begin_probe(t->b, t->questions[slot], &t->probes[slot], &t->lists[slot])) {
            return true;
        }
        end_row(t, slot);
    }
    return false;
}

static bool end_and_begin(void *context, bp_probe *probe) {
    walk_turn *t = context;
    const size_t slot = (size_t)(probe - t->probes);
    end_row(t, slot);
    return begin_row(t, slot);
}

static void task_answer(void *context, size_t index) {
    const batch *b = context;
    batch_block *block = &b->blocks[index];
    const size_t begin = bp_block_begin(b->cut, index), end = bp_block_begin(b->cut, index + 1);
    block->count = 0;
    block->has_failed = false;
    for (size_t i = begin; b->type == BOXES && i < end && !block->has_failed; i += GROUP) {
        answer_boxes(b, block, i, end - i < GROUP ? end - i : GROUP);
    }
    if (b->type != BOXES) {
        walk_turn turn;
        bp_probe *probes[BP_PROBES_IN_TURN];
        size_t count = 0;
        turn.b = b;
        turn.block = block;
        turn.next = begin;
        turn.end = end;
        while (count < BP_PROBES_IN_TURN && begin_row(&turn, count)) {
            probes[count] = &turn.probes[count];
            ++count;
        }
        if (count > 0) {
            bp_probes_walk(b->query, probes, count, end_and_begin, &turn);
        }
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

// Makes room for rows: an array that is too small gets another one, and what is in it is lost. If memory is short, the answers
// are as before.
static bool reserve_answers(const batch *b, size_t item_count) {
    bp_answers *a = b->answers;
    const size_t needed[ARRAYS] = {b->count + 1, item_count, b->type != BOXES ? item_count : 0};
    const size_t sizes[ARRAYS] = {sizeof *a->offsets, sizeof *a->ids, sizeof *a->values};
    bp_buffer arrays[ARRAYS], others[ARRAYS] = {{0}};
    bool granted = true;
    get_arrays(a, arrays);
    for (size_t i = 0; i < ARRAYS && granted; ++i) {
        granted = needed[i] <= arrays[i].bytes / sizes[i] ||
                  bp_buffer_reserve(&others[i], b->allocator, 0, bp_size_add(needed[i], needed[i] / 4), sizes[i]);
    }
    for (size_t i = 0; i < ARRAYS; ++i) {
        if (granted && others[i].data != NULL) {
            bp_buffer_swap(&arrays[i], &others[i]);
        }
        bp_buffer_free(&others[i], b->allocator);
    }
    *a = (bp_answers){.offsets = arrays[0].data,
                      .ids = arrays[1].data,
                      .values = arrays[2].data,
                      .count = a->count,
                      .offset_capacity = arrays[0].bytes / sizes[0],
                      .id_capacity = arrays[1].bytes / sizes[1],
                      .value_capacity = arrays[2].bytes / sizes[2]};
    return granted;
}

static void task_copy(void *context, size_t index) {
    const batch *b = context;
    const bp_id *ids = b->blocks[index].ids.data;
    const float *values = b->blocks[index].values.data;
    for (size_t i = bp_block_begin(b->cut, index); i < bp_block_begin(b->cut, index + 1); ++i) {
        const batch_row row = b->rows[i];
        const size_t to = b->answers->offsets[i];
        for (size_t k = 0; k < row.count; ++k) {
            b->answers->ids[to + k] = ids[row.begin + k];
        }
        for (size_t k = 0; k < row.count && b->type != BOXES; ++k) {
            b->answers->values[to + k] = values[row.begin + k];
        }
    }
}

static bp_status answer_all(batch *b, const bp_executor *executor, bp_batch_memory *memory) {
    b->cut = bp_blocks_cut(executor, b->count, BLOCK_MIN, BLOCKS_MAX);
    const size_t kept = memory->block_count * sizeof(batch_block);
    if (!bp_buffer_reserve(&memory->rows, b->allocator, 0, b->count, sizeof(batch_row)) ||
        !bp_buffer_reserve(&memory->blocks, b->allocator, kept, b->cut.count, sizeof(batch_block))) {
        return BP_ERROR_MEMORY;
    }
    b->rows = memory->rows.data;
    b->blocks = memory->blocks.data;
    for (; memory->block_count < b->cut.count; ++memory->block_count) {
        b->blocks[memory->block_count] = (batch_block){.count = 0};
    }
    bp_parallel_for(executor, b->cut.count, task_answer, b);
    size_t item_count = 0, sum = 0;
    for (size_t i = 0; i < b->cut.count; ++i) {
        if (b->blocks[i].has_failed) {
            return BP_ERROR_MEMORY;
        }
        item_count += b->blocks[i].count;
    }
    if (!reserve_answers(b, item_count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < b->count; ++i) {
        b->answers->offsets[i] = sum;
        sum += b->rows[i].count;
    }
    b->answers->offsets[b->count] = sum;
    b->answers->count = b->count;
    bp_parallel_for(executor, b->cut.count, task_copy, b);
    return BP_OK;
}

static bp_status run_batch(const bp_world *world, const bp_object *object, batch b) {
    const bp_query query = bp_query_begin(world, object, b.count);
    const size_t alive = bp_world_count(world);
    bp_batch_memory own = {.block_count = 0};
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
static bp_status run_lines(const bp_world *world, const bp_object *object, batch b, const char *array) {
    bp_status status = check_many(world, b.count, b.questions, array, object, b.answers);
    for (size_t i = 0; i < b.count && status == BP_OK; ++i) {
        const bp_cast_double cast = cast_of(&b, i);
        if (!bp_query_cast_is_valid(world, &cast)) {
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
    const batch b = {.type = BOXES, .questions = boxes, .count = count, .answers = answers};
    return status == BP_OK ? run_batch(world, object, b) : status;
}

bp_status bp_query_rays(const bp_world *world, size_t count, const bp_ray *rays, size_t max_hits,
                        const bp_object *object, bp_answers *answers) {
    const batch b = {.type = RAYS, .questions = rays, .count = count, .most = max_hits, .answers = answers};
    return run_lines(world, object, b, "rays");
}

bp_status bp_query_casts(const bp_world *world, size_t count, const bp_cast *casts, size_t max_hits,
                         const bp_object *object, bp_answers *answers) {
    const batch b = {.type = CASTS, .questions = casts, .count = count, .most = max_hits, .answers = answers};
    return run_lines(world, object, b, "casts");
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
    const batch b = {.type = POINTS, .questions = points_xyz, .count = count, .most = k, .answers = answers};
    return status == BP_OK ? run_batch(world, object, b) : status;
}
