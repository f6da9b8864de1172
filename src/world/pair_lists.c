#include "world/pair_lists.h"

#include "base/pair_sort.h"
#include "world/events.h"

#include <string.h>

enum {
    SCANNED = 4096, // pairs that are looked at together
    AHEAD = 8,      // pairs that are fetched before they are needed
    ROWS_AFTER =
        8, // updates in which rows would pay: then they are made, which takes as long as so many searches of the list
    IN_CACHES = 1 << 18,   // pairs whose rows are about as large as the caches of a core
    PAIR_COST = 16,        // pairs that are looked at in the time in which rows take a pair of a changed object,
    PAIR_COST_OUTSIDE = 40 // and if there are more pairs than that
};

bp_pair_lists bp_pair_lists_begin(const bp_runtime *runtime, const bp_kernels *kernels, bp_pair_order order,
                                  bool has_events) {
    return (bp_pair_lists){
        .runtime = runtime, .kernels = kernels, .is_sorted = order == BP_ORDER_SORTED, .has_events = has_events};
}

// All but the last list.
static void free_scratch(bp_pair_lists *lists) {
    const bp_allocator *allocator = &lists->runtime->allocator;
    bp_pairs *const others[] = {&lists->begun, &lists->ended, &lists->spare};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        bp_pairs_release(others[i], allocator);
    }
    bp_buffer_free(&lists->changed, allocator);
    bp_buffer_free(&lists->holes, allocator);
    bp_buffer_free(&lists->sort_scratch, allocator);
}

void bp_pair_lists_free(bp_pair_lists *lists) {
    free_scratch(lists);
    bp_pairs_release(&lists->pairs, &lists->runtime->allocator);
}

void bp_pair_lists_trim(bp_pair_lists *lists, size_t count) {
    free_scratch(lists);
    bp_pairs_shrink(&lists->pairs, &lists->runtime->allocator, lists->pairs.count > count ? lists->pairs.count : count);
    bp_pair_rows_trim(lists->rows, &lists->runtime->allocator);
    lists->has_rows = false;
    lists->paying = 0;
}

static size_t list_bytes(const bp_pairs *pairs) {
    return pairs->capacity * sizeof(bp_pair);
}

size_t bp_pair_lists_bytes(const bp_pair_lists *lists) {
    return lists->sort_scratch.bytes + lists->changed.bytes + lists->holes.bytes + list_bytes(&lists->begun) +
           list_bytes(&lists->ended) + list_bytes(&lists->spare) +
           (lists->rows != NULL ? bp_pair_rows_bytes(lists->rows) : 0);
}

bool bp_pair_lists_reserve(bp_pair_lists *lists, size_t count) {
    return bp_pairs_reserve(&lists->pairs, &lists->runtime->allocator, count);
}

static bool sort_list(bp_pair_lists *lists, bp_pairs *list, size_t id_count) {
    return bp_sort_pairs(list->data, list->data, list->count, id_count, &lists->sort_scratch, lists->runtime);
}

static void swap_lists(bp_pairs *a, bp_pairs *b) {
    const bp_pairs swapped = *a;
    *a = *b;
    *b = swapped;
}

// ---- all pairs ------------------------------------------------------------------------------------------------------

bp_pairs *bp_pair_lists_next(bp_pair_lists *lists) {
    return lists->has_events ? &lists->spare : &lists->pairs;
}

bp_status bp_pair_lists_take_all(bp_pair_lists *lists, const uint8_t *marks, size_t id_count) {
    bp_pairs *next = bp_pair_lists_next(lists);
    if ((lists->is_sorted && !sort_list(lists, next, id_count)) ||
        (lists->has_events && !bp_events_between(&lists->pairs, next, marks, lists->is_sorted, id_count, lists->runtime,
                                                 lists->kernels, &lists->sort_scratch, &lists->begun, &lists->ended))) {
        return BP_ERROR_MEMORY;
    }
    if (lists->has_events) {
        swap_lists(&lists->pairs, &lists->spare);
    }
    lists->has_rows = false;
    lists->paying = 0;
    return BP_OK;
}

// ---- the pairs of changed objects -----------------------------------------------------------------------------------

// A bit for each changed id: those of a million objects fit the first-level cache, where their marks do not.
static bool set_bits(bp_pair_lists *lists, const bp_changes *changes, size_t id_count) {
    const size_t words = id_count / 64 + 1;
    if (!bp_buffer_reserve_slack(&lists->changed, &lists->runtime->allocator, 0, words, sizeof(uint64_t))) {
        return false;
    }
    uint64_t *bits = lists->changed.data;
    memset(bits, 0, words * sizeof *bits);
    for (size_t i = 0; i < changes->count; ++i) {
        bits[changes->ids[i] / 64] |= (uint64_t)1 << changes->ids[i] % 64;
    }
    return true;
}

// Lists where in `pairs` the pairs of changed objects are.
static bool list_holes(bp_pair_lists *lists) {
    const bp_allocator *allocator = &lists->runtime->allocator;
    const bp_pairs *pairs = &lists->pairs;
    const uint64_t *bits = lists->changed.data;
    size_t count = 0;
    for (size_t begin = 0; begin < pairs->count; begin += SCANNED) {
        const size_t end = pairs->count - begin < SCANNED ? pairs->count : begin + SCANNED;
        if (!bp_buffer_reserve_slack(&lists->holes, allocator, count * sizeof(size_t), count + SCANNED,
                                     sizeof(size_t))) {
            return false;
        }
        size_t *holes = lists->holes.data;
        for (size_t i = begin; i < end; ++i) {
            const bp_pair pair = pairs->data[i];
            holes[count] = i;
            count += (bits[pair.a / 64] >> pair.a % 64 | bits[pair.b / 64] >> pair.b % 64) & 1;
        }
    }
    lists->hole_count = count;
    return true;
}

// The pairs that are in the holes.
static bool copy_old(bp_pair_lists *lists) {
    if (!bp_pairs_reserve(&lists->ended, &lists->runtime->allocator, lists->hole_count)) {
        return false;
    }
    for (size_t i = 0; i < lists->hole_count; ++i) {
        lists->ended.data[i] = lists->pairs.data[((const size_t *)lists->holes.data)[i]];
    }
    lists->ended.count = lists->hole_count;
    return true;
}

// New pairs go into the holes; what is left of these is filled from the end.
static void fill_holes(bp_pair_lists *lists) {
    const size_t *holes = lists->holes.data;
    bp_pairs *pairs = &lists->pairs;
    const bp_pair *begun = lists->begun.data;
    const size_t added = lists->begun.count, filled = added < lists->hole_count ? added : lists->hole_count;
    for (size_t i = 0; i < filled; ++i) {
        pairs->data[holes[i]] = begun[i];
    }
    for (size_t i = lists->hole_count; i > filled; --i) {
        pairs->data[holes[i - 1]] = pairs->data[--pairs->count];
    }
    if (added > filled) {
        memcpy(pairs->data + pairs->count, begun + filled, (added - filled) * sizeof *begun);
        pairs->count += added - filled;
    }
}

// Closes the holes, and merges the new pairs into the others, from the end on.
static void merge_pairs(bp_pair_lists *lists) {
    const size_t *holes = lists->holes.data;
    bp_pair *pairs = lists->pairs.data;
    const bp_pair *begun = lists->begun.data;
    size_t kept = lists->hole_count > 0 ? holes[0] : lists->pairs.count, added = lists->begun.count;
    for (size_t i = 0; i < lists->hole_count; ++i) {
        const size_t from = holes[i] + 1, to = i + 1 < lists->hole_count ? holes[i + 1] : lists->pairs.count;
        memmove(pairs + kept, pairs + from, (to - from) * sizeof *pairs);
        kept += to - from;
    }
    lists->pairs.count = kept + added;
    while (added > 0) {
        const bp_pair next = begun[added - 1];
        const bool is_kept =
            kept > 0 && (pairs[kept - 1].a > next.a || (pairs[kept - 1].a == next.a && pairs[kept - 1].b > next.b));
        pairs[kept + added - 1] = is_kept ? pairs[kept - 1] : next;
        kept -= is_kept;
        added -= !is_kept;
    }
}

// By searching the list.
static bp_status take_by_search(bp_pair_lists *lists, const bp_changes *changes, size_t id_count) {
    const size_t most = lists->pairs.count + lists->begun.count;
    if (!list_holes(lists) || !bp_pair_lists_reserve(lists, most) ||
        ((lists->has_events || lists->is_sorted) && !sort_list(lists, &lists->begun, id_count)) ||
        (lists->has_events && (!copy_old(lists) || !sort_list(lists, &lists->ended, id_count)))) {
        return BP_ERROR_MEMORY;
    }
    if (lists->is_sorted) { // from here on nothing can fail
        merge_pairs(lists);
    } else {
        fill_holes(lists);
    }
    if (lists->has_events) {
        bp_events_cancel(&lists->begun, &lists->ended, changes->marks);
    }
    return BP_OK;
}

// By rows, which know what was there.
static bp_status take_by_rows(bp_pair_lists *lists, const bp_changes *changes, size_t id_count, size_t of_changed) {
    const bp_allocator *allocator = &lists->runtime->allocator;
    bp_pair_rows *rows = lists->rows;
    bp_pairs *pairs = &lists->pairs, *begun = &lists->begun;
    if (!bp_buffer_reserve_slack(&lists->holes, allocator, 0, of_changed + 1, sizeof(size_t))) {
        return BP_ERROR_MEMORY;
    }
    const size_t *holes = lists->holes.data;
    const size_t hole_count = lists->hole_count =
        bp_pair_rows_compare(rows, changes, lists->changed.data, begun, lists->holes.data);
    const size_t most = pairs->count + begun->count;
    if (!bp_pair_lists_reserve(lists, most) || !bp_pair_rows_reserve(rows, begun, most, id_count, allocator) ||
        (lists->has_events &&
         (!sort_list(lists, begun, id_count) || !copy_old(lists) || !sort_list(lists, &lists->ended, id_count)))) {
        return BP_ERROR_MEMORY;
    }
    const size_t filled = begun->count < hole_count ? begun->count : hole_count; // from here on nothing can fail
    const bp_pair gone = {.a = BP_NO_ID, .b = BP_NO_ID};
    for (size_t i = 0; i < hole_count; ++i) {
        bp_prefetch(&pairs->data[holes[i + (size_t)2 * AHEAD < hole_count ? i + (size_t)2 * AHEAD : i]]);
        bp_pair_rows_fetch(rows, pairs->data[holes[i + AHEAD < hole_count ? i + AHEAD : i]]);
        bp_pair_rows_remove(rows, pairs->data[holes[i]], holes[i]);
        pairs->data[holes[i]] = i < filled ? begun->data[i] : gone;
    }
    for (size_t i = 0; i < begun->count; ++i) {
        bp_pair_rows_fetch(rows, begun->data[i + AHEAD < begun->count ? i + AHEAD : i]);
        const size_t place = i < filled ? holes[i] : pairs->count++;
        pairs->data[place] = begun->data[i];
        bp_pair_rows_add(rows, begun->data[i], place);
    }
    for (size_t i = filled; i < hole_count; ++i) {
        while (pairs->count > 0 && pairs->data[pairs->count - 1].a == BP_NO_ID) {
            --pairs->count;
        }
        if (holes[i] < pairs->count) {
            pairs->data[holes[i]] = pairs->data[--pairs->count];
            bp_pair_rows_move(rows, pairs->data[holes[i]], pairs->count, holes[i]);
        }
    }
    return BP_OK;
}

bp_status bp_pair_lists_take_changed(bp_pair_lists *lists, const bp_changes *changes, size_t id_count) {
    const bool are_due = !lists->is_sorted && lists->paying == ROWS_AFTER && bp_pair_rows_fit(lists->pairs.count);
    if (lists->has_rows ? bp_pair_rows_are_scattered(lists->rows) : are_due) {
        lists->has_rows = false;
        if (!bp_pair_rows_make(lists->rows, &lists->pairs, id_count, &lists->runtime->allocator)) {
            return BP_ERROR_MEMORY;
        }
        lists->has_rows = true;
    }
    if (!set_bits(lists, changes, id_count)) {
        return BP_ERROR_MEMORY;
    }
    const size_t of_changed = lists->has_rows ? bp_pair_rows_count(lists->rows, changes) : 0;
    const bp_status status =
        lists->has_rows ? take_by_rows(lists, changes, id_count, of_changed) : take_by_search(lists, changes, id_count);
    if (status != BP_OK) {
        return status;
    }
    // Rows take less time than searching the list if few of its pairs are of changed objects: where rows do not fit the caches,
    // each of these costs a few accesses to memory.
    const size_t cost = lists->pairs.count < IN_CACHES ? PAIR_COST : PAIR_COST_OUTSIDE;
    const bool pays = (lists->has_rows ? of_changed : lists->hole_count) < lists->pairs.count / cost;
    lists->paying += pays ? lists->paying < ROWS_AFTER : -(lists->paying > 0);
    lists->has_rows = lists->has_rows && lists->paying > 0;
    return BP_OK;
}
