#include "world/pair_lists.h"

#include "base/pair_sort.h"
#include "world/events.h"

enum { PREFETCHED = 8 }; // pairs that are prefetched

bp_pair_lists bp_pair_lists_begin(const bp_runtime *runtime, bp_pair_order order, bool has_events) {
    return (bp_pair_lists){.runtime = runtime, .is_sorted = order == BP_ORDER_SORTED, .has_events = has_events};
}

void bp_pair_lists_free(bp_pair_lists *lists) {
    bp_pairs *const all[] = {&lists->pairs, &lists->begun,   &lists->ended,
                             &lists->spare, &lists->ordered, &lists->ordered_next};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        bp_pairs_release(all[i], &lists->runtime->allocator);
    }
    bp_pair_index_free(&lists->index, &lists->runtime->allocator);
    bp_buffer_free(&lists->sort_scratch, &lists->runtime->allocator);
}

static size_t list_bytes(const bp_pairs *pairs) {
    return pairs->capacity * sizeof(bp_pair);
}

size_t bp_pair_lists_bytes(const bp_pair_lists *lists) {
    return lists->sort_scratch.bytes + lists->index.slots.bytes + list_bytes(&lists->begun) +
           list_bytes(&lists->ended) + list_bytes(&lists->spare) + list_bytes(&lists->ordered) +
           list_bytes(&lists->ordered_next);
}

bool bp_pair_lists_reserve(bp_pair_lists *lists, size_t count) {
    return bp_pairs_reserve(&lists->pairs, &lists->runtime->allocator, count);
}

bool bp_pair_lists_append(bp_pair_lists *lists, bp_pair pair) {
    return bp_pairs_push(&lists->pairs, &lists->runtime->allocator, pair);
}

bool bp_pair_lists_are_sound(const bp_pair_lists *lists) {
    return !lists->is_indexed || bp_pair_index_is_sound(&lists->index, &lists->pairs);
}

static bool sort_list(bp_pair_lists *lists, bp_pairs *list, size_t id_count) {
    return bp_sort_pairs(list->data, list->data, list->count, id_count, &lists->sort_scratch, lists->runtime);
}

static void swap_lists(bp_pairs *a, bp_pairs *b) {
    const bp_pairs swapped = *a;
    *a = *b;
    *b = swapped;
}

void bp_pair_lists_clear_events(bp_pair_lists *lists) {
    lists->begun.count = 0;
    lists->ended.count = 0;
}

// ---- all pairs ------------------------------------------------------------------------------------------------------

bp_pairs *bp_pair_lists_next(bp_pair_lists *lists) {
    return lists->has_events ? &lists->spare : &lists->pairs;
}

static bool copy_sorted(bp_pair_lists *lists, const bp_pairs *list, size_t id_count, bp_pairs *ordered) {
    ordered->count = 0;
    if (!bp_pairs_reserve(ordered, &lists->runtime->allocator, list->count)) {
        return false;
    }
    ordered->count = list->count;
    return bp_sort_pairs(list->data, ordered->data, list->count, id_count, &lists->sort_scratch, lists->runtime);
}

// Finds the events from the last list to a new one. Lists that are not sorted are compared by sorted copies; the copy
// of the new list is used again in the next update.
static bool compare_lists(bp_pair_lists *lists, const bp_pairs *next, const uint8_t *marks, size_t id_count) {
    if (lists->is_sorted) {
        return bp_events_between(&lists->pairs, next, marks, lists->runtime, &lists->begun, &lists->ended);
    }
    bp_pairs *before = &lists->ordered, *after = &lists->ordered_next;
    if ((!lists->has_ordered && !copy_sorted(lists, &lists->pairs, id_count, before)) ||
        !copy_sorted(lists, next, id_count, after) ||
        !bp_events_between(before, after, marks, lists->runtime, &lists->begun, &lists->ended)) {
        return false;
    }
    swap_lists(before, after);
    lists->has_ordered = true;
    return true;
}

bp_status bp_pair_lists_take_all(bp_pair_lists *lists, const uint8_t *marks, size_t id_count) {
    bp_pairs *next = bp_pair_lists_next(lists);
    if ((lists->is_sorted && !sort_list(lists, next, id_count)) ||
        (lists->has_events && !compare_lists(lists, next, marks, id_count))) {
        return BP_ERROR_MEMORY;
    }
    if (lists->has_events) {
        swap_lists(&lists->pairs, &lists->spare);
    }
    lists->is_indexed = false;
    return BP_OK;
}

// ---- the pairs of changed objects -----------------------------------------------------------------------------------

static bool is_marked_pair(const uint8_t *marks, bp_pair pair) {
    return (marks[pair.a] | marks[pair.b]) != 0;
}

// Copies the pairs of changed objects from the last list to `ended`.
static bool copy_marked(bp_pair_lists *lists, const uint8_t *marks) {
    bool granted = true;
    lists->ended.count = 0;
    for (size_t i = 0; granted && i < lists->pairs.count; ++i) {
        const bp_pair pair = lists->pairs.data[i];
        granted = !is_marked_pair(marks, pair) || bp_pairs_push(&lists->ended, &lists->runtime->allocator, pair);
    }
    return granted;
}

static void replace_marked(bp_pair_lists *lists, const uint8_t *marks) {
    bp_pairs *pairs = &lists->pairs;
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; ++i) {
        const bp_pair pair = pairs->data[i];
        pairs->data[kept] = pair;
        kept += !is_marked_pair(marks, pair);
    }
    for (size_t i = 0; i < lists->begun.count; ++i) {
        pairs->data[kept++] = lists->begun.data[i];
    }
    pairs->count = kept;
}

// Does everything that can fail.
static bool prepare_changed(bp_pair_lists *lists, const uint8_t *marks, size_t id_count) {
    const size_t most = lists->pairs.count + lists->begun.count;
    return (!lists->has_events || (copy_marked(lists, marks) && sort_list(lists, &lists->ended, id_count) &&
                                   sort_list(lists, &lists->begun, id_count))) &&
           bp_pair_lists_reserve(lists, most) &&
           bp_sort_pairs_reserve(&lists->sort_scratch, lists->is_sorted ? most : 0, lists->runtime);
}

bp_status bp_pair_lists_take_changed(bp_pair_lists *lists, const uint8_t *marks, size_t id_count) {
    if (!prepare_changed(lists, marks, id_count)) {
        return BP_ERROR_MEMORY;
    }
    replace_marked(lists, marks);
    if (lists->is_sorted) {
        (void)sort_list(lists, &lists->pairs, id_count); // its memory is reserved
    }
    if (lists->has_events) {
        (void)bp_events_cancel(&lists->begun, &lists->ended, marks);
    }
    lists->is_indexed = false;
    lists->has_ordered = false;
    return BP_OK;
}

// ---- the difference -------------------------------------------------------------------------------------------------

static bool index_pairs(bp_pair_lists *lists) {
    const size_t most = lists->pairs.count + lists->begun.count;
    if (!bp_pair_lists_reserve(lists, most)) {
        return false;
    }
    if (!lists->is_indexed || !bp_pair_index_fits(&lists->index, most)) {
        lists->is_indexed = false;
        lists->is_indexed = bp_pair_index_build(&lists->index, &lists->runtime->allocator, &lists->pairs, most);
    }
    return lists->is_indexed;
}

// Prefetches for the pairs that follow pair `i`.
static void prefetch_indexed(const bp_pair_lists *lists, const bp_pairs *pairs, size_t i) {
    const size_t soon = i + PREFETCHED, later = soon + PREFETCHED;
    if (later < pairs->count) {
        bp_pair_index_prefetch(&lists->index, pairs->data[later]);
        bp_pair_index_prefetch_pair(&lists->index, &lists->pairs, pairs->data[soon]);
    }
}

// Ended pairs were searched for without the filter: keeps only those that had been listed.
static void keep_indexed(bp_pair_lists *lists) {
    bp_pairs *ended = &lists->ended;
    size_t kept = 0;
    for (size_t i = 0; i < ended->count; ++i) {
        prefetch_indexed(lists, ended, i);
        const bp_pair pair = ended->data[i];
        ended->data[kept] = pair;
        kept += bp_pair_index_has(&lists->index, &lists->pairs, pair);
    }
    ended->count = kept;
}

// Pairs that begin take the places of pairs that have ended, one by one. Not if a pair does both: then it has to leave
// the list before it can join it again.
static void apply_indexed(bp_pair_lists *lists, bool in_both) {
    const bp_pairs *begun = &lists->begun, *ended = &lists->ended;
    size_t i = 0, k = 0;
    for (; !in_both && i < begun->count && k < ended->count; ++i, ++k) {
        prefetch_indexed(lists, begun, i);
        prefetch_indexed(lists, ended, k);
        bp_pair_index_replace(&lists->index, &lists->pairs, ended->data[k], begun->data[i]);
    }
    for (; k < ended->count; ++k) {
        bp_pair_index_remove(&lists->index, &lists->pairs, ended->data[k]);
    }
    for (; i < begun->count; ++i) {
        bp_pair_index_add(&lists->index, &lists->pairs, begun->data[i]);
    }
}

static bool apply_unsorted(bp_pair_lists *lists, const uint8_t *marks, bool is_filtered) {
    if (!index_pairs(lists)) {
        return false;
    }
    if (is_filtered) {
        keep_indexed(lists);
    }
    apply_indexed(lists, bp_events_cancel(&lists->begun, &lists->ended, marks) > 0);
    lists->has_ordered = false;
    return true;
}

static bool apply_sorted(bp_pair_lists *lists, const uint8_t *marks) {
    bp_events_keep_known(&lists->ended, &lists->pairs);
    (void)bp_events_cancel(&lists->begun, &lists->ended, marks);
    if (!bp_events_apply(&lists->pairs, &lists->begun, &lists->ended, &lists->runtime->allocator, &lists->spare)) {
        return false;
    }
    swap_lists(&lists->pairs, &lists->spare);
    return true;
}

bp_status bp_pair_lists_take_difference(bp_pair_lists *lists, const uint8_t *marks, size_t id_count, bool is_filtered) {
    const bool granted = sort_list(lists, &lists->begun, id_count) && sort_list(lists, &lists->ended, id_count) &&
                         (lists->is_sorted ? apply_sorted(lists, marks) : apply_unsorted(lists, marks, is_filtered));
    return granted ? BP_OK : BP_ERROR_MEMORY;
}
