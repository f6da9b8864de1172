#include "base/pair_sink.h"

#include <string.h>

bool bp_pairs_reserve(bp_pairs *pairs, const bp_allocator *allocator, size_t count) {
    if (count <= pairs->capacity) {
        return true;
    }
    const size_t capacity = bp_size_add(count, count / 4); // SIZE_MAX is refused
    bp_buffer buffer = {.data = pairs->data, .bytes = pairs->capacity * sizeof(bp_pair)};
    if (!bp_buffer_reserve(&buffer, allocator, pairs->count * sizeof(bp_pair), capacity, sizeof(bp_pair))) {
        return false;
    }
    *pairs = (bp_pairs){.data = buffer.data, .count = pairs->count, .capacity = capacity};
    return true;
}

void bp_pairs_shrink(bp_pairs *pairs, const bp_allocator *allocator, size_t count) {
    bp_buffer buffer = {.data = pairs->data, .bytes = pairs->capacity * sizeof(bp_pair)};
    bp_buffer_shrink(&buffer, allocator, count * sizeof(bp_pair));
    pairs->data = buffer.data;
    pairs->capacity = buffer.bytes / sizeof(bp_pair);
}

void bp_pairs_release(bp_pairs *pairs, const bp_allocator *allocator) {
    bp_buffer buffer = {.data = pairs->data, .bytes = pairs->capacity * sizeof(bp_pair)};
    bp_buffer_free(&buffer, allocator);
    *pairs = (bp_pairs){0};
}

// ---- opening and closing --------------------------------------------------------------------------------------------

bp_sink bp_sink_open(const bp_pairs *pairs, const bp_allocator *allocator, bp_sink_rules rules) {
    return (bp_sink){.allocator = allocator, .rules = rules, .data = pairs->data, .capacity = pairs->capacity};
}

bp_status bp_sink_close(bp_sink *sink, bp_pairs *pairs) {
    bp_sink_flush(sink);
    *pairs = (bp_pairs){.data = sink->data, .count = sink->count, .capacity = sink->capacity};
    bp_buffer_free(&sink->scratch, sink->allocator);
    return sink->count > sink->rules.limit ? BP_ERROR_CAPACITY : BP_OK;
}

void bp_sink_restart(bp_sink *sink, const bp_allocator *allocator, bp_sink_rules rules) {
    sink->allocator = allocator;
    sink->rules = rules;
    sink->count = 0;
    sink->waiting = 0;
    sink->tests = 0;
}

void bp_sink_free(bp_sink *sink) {
    bp_pairs list = {.data = sink->data, .capacity = sink->capacity};
    bp_pairs_release(&list, sink->allocator);
    bp_buffer_free(&sink->scratch, sink->allocator);
    *sink = (bp_sink){.allocator = sink->allocator};
}

// ---- writing --------------------------------------------------------------------------------------------------------

static size_t room_left(const bp_sink *sink) {
    return sink->count < sink->capacity ? sink->capacity - sink->count : 0;
}

// At least doubles, so that each pair is copied at most once on average, but keeps to the limit.
static bool grow_sink(bp_sink *sink, size_t least) {
    const size_t doubled = sink->capacity > SIZE_MAX / 2 ? SIZE_MAX : sink->capacity * 2;
    const size_t wanted = bp_size_add(sink->count, least);
    const size_t larger = doubled > wanted ? doubled : wanted;
    const size_t capacity = larger < sink->rules.limit ? larger : sink->rules.limit;
    bp_buffer buffer = {.data = sink->data, .bytes = sink->capacity * sizeof(bp_pair)};
    if (!bp_buffer_reserve(&buffer, sink->allocator, sink->count * sizeof(bp_pair), capacity, sizeof(bp_pair))) {
        return false;
    }
    sink->data = buffer.data;
    sink->capacity = capacity;
    return true;
}

bp_pair *bp_sink_room(bp_sink *sink, size_t least, size_t *room) {
    if (room_left(sink) < least) {
        bp_sink_flush(sink); // this may free room; and no pair may wait for the filter while later ones go to the
                             // scratch memory
    }
    if (room_left(sink) < least && sink->count < sink->rules.limit && sink->capacity < sink->rules.limit &&
        !grow_sink(sink, least)) {
        return NULL;
    }
    if (room_left(sink) >= least) {
        *room = room_left(sink);
        return sink->data + sink->count;
    }
    *room = least;
    const bool granted = bp_buffer_reserve_slack(&sink->scratch, sink->allocator, 0, least, sizeof(bp_pair));
    return granted ? sink->scratch.data : NULL;
}

void bp_sink_expect(bp_sink *sink, size_t last_count) {
    // Methods ask for more room than they fill, so a short list needs a larger reserve. A count that creeps up seldom needs more.
    const size_t at_once = last_count < 16384 ? last_count : 16384, quarter = last_count / 4;
    const size_t least = last_count + (quarter > at_once / 2 ? quarter : at_once / 2);
    const size_t expected = last_count + (quarter > at_once ? quarter : at_once);
    if (least > room_left(sink) && expected <= sink->rules.limit) {
        (void)grow_sink(sink, expected + at_once / 4);
    }
}

void bp_sink_begin_budget(bp_sink *sink, bp_test_budget *budget, size_t objects) {
    bp_sink_flush(sink);
    *budget =
        (bp_test_budget){.objects = objects > BP_BUDGET_MIN ? objects : BP_BUDGET_MIN, .pairs_before = sink->count};
    sink->rules.budget = budget;
}

bool bp_sink_end_budget(bp_sink *sink, const bp_test_budget *budget) {
    sink->rules.budget = NULL;
    if (budget->is_over) {
        sink->count = budget->pairs_before;
        sink->waiting = 0;
    }
    return !budget->is_over;
}

void bp_sink_count(bp_sink *sink, const bp_pair *pairs, size_t kept, size_t count) {
    const size_t left = room_left(sink);
    const size_t copied = kept < left ? kept : left;
    if (copied > 0) {
        memcpy(sink->data + sink->count, pairs, copied * sizeof *pairs);
    }
    sink->count = bp_size_add(sink->count, count); // 2^32 pairs are soon counted where a size_t has 32 bits
}

void bp_sink_commit_filtered(bp_sink *sink, const bp_pair *written, size_t count) {
    if (written == sink->scratch.data) {
        bp_sink_count(sink, written, count, count);
    } else {
        sink->count += count;
    }
}

static size_t filter_batch(const bp_sink *sink, bp_pair *pairs, size_t count) {
    const bp_batch_filter *f = &sink->rules.filter;
    return f->keep != NULL ? f->keep(f->context, pairs, count) : count;
}

void bp_sink_commit(bp_sink *sink, bp_pair *written, size_t count) {
    if (sink->rules.batch == 0 || written == sink->scratch.data) {
        bp_sink_commit_filtered(sink, written, filter_batch(sink, written, count));
        return;
    }
    sink->count += count;
    sink->waiting += count;
    if (sink->waiting > sink->rules.batch) {
        bp_sink_flush(sink);
    }
}

void bp_sink_flush(bp_sink *sink) {
    if (sink->waiting > 0) {
        const size_t first = sink->count - sink->waiting;
        sink->count = first + filter_batch(sink, sink->data + first, sink->waiting);
        sink->waiting = 0;
    }
}
