#include "world/events.h"

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "engine/changes.h"

enum {
    BLOCK_MIN = 8192, // pairs that are worth a task
    BLOCKS_MAX = 256,
    AT_ONCE = 4 // pairs that are compared together
};

static uint64_t key_of_pair(bp_pair pair) {
    return (uint64_t)pair.a << 32 | pair.b;
}

// The end of a list counts as greater than all pairs.
static uint64_t key_of_pair_at(const bp_pairs *pairs, size_t at) {
    return at < pairs->count ? key_of_pair(pairs->data[at]) : UINT64_MAX;
}

static bool was_reborn(bp_pair pair, const uint8_t *marks) {
    return ((marks[pair.a] | marks[pair.b]) & BP_MARK_REBORN) != 0;
}

// The first position from `at` on whose pair is not less than a key. The steps double, because the lists may have very
// different lengths.
static size_t advance(const bp_pairs *pairs, size_t at, uint64_t key) {
    size_t step = 1;
    while (key_of_pair_at(pairs, at + step - 1) < key) {
        at += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        at += key_of_pair_at(pairs, at + step - 1) < key ? step : 0;
    }
    return at;
}

// Two lists, cut into blocks: block i has the pairs of both from one key on.
typedef struct comparison {
    const bp_pairs *before, *after;
    const uint8_t *marks;
    bp_blocks blocks;                // of the list after
    bool writes;                     // otherwise pairs are only counted
    bp_pair *begun, *ended;          // the lists to write
    size_t begun_counts[BLOCKS_MAX]; // of each block; then where its pairs begin
    size_t ended_counts[BLOCKS_MAX];
} comparison;

// Where a block begins in the list before.
static size_t begin_before(const comparison *c, size_t block) {
    if (block == 0 || block == c->blocks.count) {
        return block == 0 ? 0 : c->before->count;
    }
    return advance(c->before, 0, key_of_pair(c->after->data[bp_block_begin(c->blocks, block)]));
}

// How many of the next `most` pairs are certainly the same: from one update to the next, most are.
static size_t count_same(const bp_pair *before, const bp_pair *after, size_t most) {
    size_t same = 0;
    for (; same + AT_ONCE <= most; same += AT_ONCE) {
        uint32_t difference = 0;
        for (size_t i = same; i < same + AT_ONCE; ++i) {
            difference |= (before[i].a ^ after[i].a) | (before[i].b ^ after[i].b);
        }
        if (difference != 0) {
            break;
        }
    }
    return same;
}

static void task_compare(void *context, size_t block) {
    comparison *c = context;
    const bp_pair *before = c->before->data, *after = c->after->data;
    const size_t before_end = begin_before(c, block + 1), after_end = bp_block_begin(c->blocks, block + 1);
    size_t begun = c->writes ? c->begun_counts[block] : 0, ended = c->writes ? c->ended_counts[block] : 0;
    for (size_t i = begin_before(c, block), k = bp_block_begin(c->blocks, block); i < before_end || k < after_end;) {
        const uint64_t old_key = i < before_end ? key_of_pair(before[i]) : UINT64_MAX;
        const uint64_t new_key = k < after_end ? key_of_pair(after[k]) : UINT64_MAX;
        const bool reborn = c->marks != NULL && old_key == new_key && was_reborn(before[i], c->marks);
        if (old_key < new_key || reborn) {
            if (c->writes) {
                c->ended[ended] = before[i];
            }
            ++ended;
        }
        if (new_key < old_key || reborn) {
            if (c->writes) {
                c->begun[begun] = after[k];
            }
            ++begun;
        }
        i += old_key <= new_key;
        k += new_key <= old_key;
        if (old_key == new_key && c->marks == NULL) {
            const size_t rest = before_end - i < after_end - k ? before_end - i : after_end - k;
            const size_t same = count_same(before + i, after + k, rest);
            i += same;
            k += same;
        }
    }
    c->begun_counts[block] = begun;
    c->ended_counts[block] = ended;
}

// Once to count, once to write: so blocks know where their pairs go.
bool bp_events_between(const bp_pairs *before, const bp_pairs *after, const uint8_t *marks, const bp_runtime *runtime,
                       bp_pairs *begun, bp_pairs *ended) {
    const bp_executor *executor = &runtime->executor;
    comparison c;
    c.before = before;
    c.after = after;
    c.marks = marks;
    c.blocks = bp_blocks_cut(executor, after->count, BLOCK_MIN, BLOCKS_MAX);
    c.writes = false;
    begun->count = 0;
    ended->count = 0;
    bp_parallel_for(executor, c.blocks.count, task_compare, &c);
    const size_t begun_count = bp_counts_to_positions(c.begun_counts, c.blocks.count);
    const size_t ended_count = bp_counts_to_positions(c.ended_counts, c.blocks.count);
    if (!bp_pairs_reserve(begun, &runtime->allocator, begun_count) ||
        !bp_pairs_reserve(ended, &runtime->allocator, ended_count)) {
        return false;
    }
    c.writes = true;
    c.begun = begun->data;
    c.ended = ended->data;
    if (begun_count + ended_count > 0) {
        bp_parallel_for(executor, c.blocks.count, task_compare, &c);
    }
    begun->count = begun_count;
    ended->count = ended_count;
    return true;
}

void bp_events_cancel(bp_pairs *begun, bp_pairs *ended, const uint8_t *marks) {
    size_t kept_begun = 0, kept_ended = 0;
    for (size_t i = 0, k = 0; i < begun->count || k < ended->count;) {
        const uint64_t new_key = key_of_pair_at(begun, i), old_key = key_of_pair_at(ended, k);
        const bool cancelled = new_key == old_key && !was_reborn(begun->data[i], marks);
        if (new_key <= old_key) {
            begun->data[kept_begun] = begun->data[i++];
            kept_begun += !cancelled;
        }
        if (old_key <= new_key) {
            ended->data[kept_ended] = ended->data[k++];
            kept_ended += !cancelled;
        }
    }
    begun->count = kept_begun;
    ended->count = kept_ended;
}
