#include "world/events.h"

#include "base/pair_sort.h"
#include "base/parallel.h"
#include "engine/changes.h"

#include <string.h>

enum {
    BLOCK_MIN = 8192, // pairs that are worth a task
    BLOCKS_MAX = 64,
    NEAR = 64,  // pairs around the place where the first pair of a block is looked for in the other list
    PADDING = 8 // pairs behind the results of a block that may be written
};

static uint64_t key_of_pair(bp_pair pair) {
    return (uint64_t)pair.a << 32 | pair.b;
}

static bool was_reborn(bp_pair pair, const uint8_t *marks) {
    return marks != NULL && ((marks[pair.a] | marks[pair.b]) & BP_MARK_REBORN) != 0;
}

// Two lists, cut into blocks: wherever they are cut, the difference is the same in the end.
typedef struct comparison {
    const bp_pairs *before, *after;
    const bp_kernels *kernels;
    bp_blocks blocks; // of the list after
    bp_pair_comparison parts[BLOCKS_MAX];
} comparison;

// Where a block begins in the list before: near the same share of it, at the first pair of the block if that is there.
static size_t begin_before(const comparison *c, size_t block) {
    if (block == 0 || block == c->blocks.count) {
        return block == 0 ? 0 : c->before->count;
    }
    const size_t begin = bp_block_begin(c->blocks, block), count = c->before->count;
    const size_t about = (size_t)((double)begin / (double)c->after->count * (double)count);
    const uint64_t key = key_of_pair(c->after->data[begin]);
    for (size_t i = about > NEAR ? about - NEAR : 0; i < about + NEAR && i < count; ++i) {
        if (key_of_pair(c->before->data[i]) == key) {
            return i;
        }
    }
    return about;
}

static void task_compare(void *context, size_t block) {
    comparison *c = context;
    const size_t old_begin = begin_before(c, block), old_end = begin_before(c, block + 1);
    const size_t new_begin = bp_block_begin(c->blocks, block), new_end = bp_block_begin(c->blocks, block + 1);
    bp_pair_comparison *part = &c->parts[block];
    part->before = c->before->data + old_begin;
    part->after = c->after->data + new_begin;
    part->before_count = old_end > old_begin ? old_end - old_begin : 0;
    part->after_count = new_end - new_begin;
    part->ended += old_begin + block * PADDING;
    part->begun += new_begin + block * PADDING;
    c->kernels->compare_pairs(part);
}

// Pairs begin .. end - 1 of an array, which may be that of the list. NULL has none.
static void append(bp_pairs *list, const bp_pair *pairs, size_t begin, size_t end) {
    if (begin < end) {
        memmove(list->data + list->count, pairs + begin, (end - begin) * sizeof *pairs);
        list->count += end - begin;
    }
}

static bool sort_list(bp_pairs *list, size_t id_count, bp_buffer *scratch, const bp_runtime *runtime) {
    return bp_sort_pairs(list->data, list->data, list->count, id_count, scratch, runtime);
}

bool bp_events_between(const bp_pairs *before, const bp_pairs *after, const uint8_t *marks, bool are_sorted,
                       size_t id_count, const bp_runtime *runtime, const bp_kernels *kernels, bp_buffer *scratch,
                       bp_pairs *begun, bp_pairs *ended) {
    comparison c = {.before = before, .after = after, .kernels = kernels};
    begun->count = ended->count = 0;
    if (!bp_pairs_reserve(begun, &runtime->allocator, after->count + (size_t)BLOCKS_MAX * PADDING) ||
        !bp_pairs_reserve(ended, &runtime->allocator, before->count + (size_t)BLOCKS_MAX * PADDING)) {
        return false;
    }
    if (marks != NULL || before->count == 0 || after->count == 0) { // pairs of reborn ids are in both
        append(ended, before->data, 0, before->count);
        append(begun, after->data, 0, after->count);
    } else {
        c.blocks = bp_blocks_cut(&runtime->executor, after->count, BLOCK_MIN, BLOCKS_MAX);
        for (size_t i = 0; i < c.blocks.count; ++i) {
            c.parts[i].ended = ended->data;
            c.parts[i].begun = begun->data;
        }
        bp_parallel_for(&runtime->executor, c.blocks.count, task_compare, &c);
        for (size_t i = 0; i < c.blocks.count; ++i) {
            append(ended, c.parts[i].ended, 0, c.parts[i].ended_count);
            append(begun, c.parts[i].begun, 0, c.parts[i].begun_count);
        }
    }
    if (!are_sorted &&
        (!sort_list(ended, id_count, scratch, runtime) || !sort_list(begun, id_count, scratch, runtime))) {
        return false;
    }
    bp_events_cancel(begun, ended, marks);
    return true;
}

// Without a branch, as nobody can say which list has the next pair.
void bp_events_cancel(bp_pairs *begun, bp_pairs *ended, const uint8_t *marks) {
    const size_t begun_count = begun->count, ended_count = ended->count;
    size_t i = 0, k = 0;
    begun->count = ended->count = 0;
    while (i < begun_count && k < ended_count) {
        const bp_pair new_pair = begun->data[i], old_pair = ended->data[k];
        const uint64_t new_key = key_of_pair(new_pair), old_key = key_of_pair(old_pair);
        const bool is_both = new_key == old_key && was_reborn(new_pair, marks);
        begun->data[begun->count] = new_pair;
        ended->data[ended->count] = old_pair;
        begun->count += (new_key < old_key) | is_both;
        ended->count += (old_key < new_key) | is_both;
        i += new_key <= old_key;
        k += old_key <= new_key;
    }
    append(begun, begun->data, i, begun_count);
    append(ended, ended->data, k, ended_count);
}
