#include "world/events.h"

#include "methods/changes.h"

#include <string.h>

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

bool bp_events_between(const bp_pairs *before, const bp_pairs *after, const uint8_t *marks,
                       const bp_allocator *allocator, bp_pairs *begun, bp_pairs *ended) {
    bool granted = true;
    begun->count = 0;
    ended->count = 0;
    for (size_t i = 0, k = 0; granted && (i < before->count || k < after->count);) {
        const uint64_t old_key = key_of_pair_at(before, i), new_key = key_of_pair_at(after, k);
        const bool reborn = old_key == new_key && was_reborn(before->data[i], marks);
        if (old_key < new_key || reborn) {
            granted &= bp_pairs_push(ended, allocator, before->data[i]);
        }
        if (new_key < old_key || reborn) {
            granted &= bp_pairs_push(begun, allocator, after->data[k]);
        }
        i += old_key <= new_key;
        k += new_key <= old_key;
    }
    return granted;
}

size_t bp_events_cancel(bp_pairs *begun, bp_pairs *ended, const uint8_t *marks) {
    size_t kept_begun = 0, kept_ended = 0, in_both = 0;
    for (size_t i = 0, k = 0; i < begun->count || k < ended->count;) {
        const uint64_t new_key = key_of_pair_at(begun, i), old_key = key_of_pair_at(ended, k);
        const bool cancelled = new_key == old_key && !was_reborn(begun->data[i], marks);
        in_both += new_key == old_key && !cancelled;
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
    return in_both;
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

void bp_events_keep_known(bp_pairs *pairs, const bp_pairs *known) {
    size_t kept = 0;
    for (size_t i = 0, at = 0; i < pairs->count; ++i) {
        const bp_pair pair = pairs->data[i];
        at = advance(known, at, key_of_pair(pair));
        pairs->data[kept] = pair;
        kept += key_of_pair_at(known, at) == key_of_pair(pair);
    }
    pairs->count = kept;
}

static void append_pairs(bp_pairs *to, const bp_pair *pairs, size_t count) {
    if (count > 0) {
        memcpy(to->data + to->count, pairs, count * sizeof *pairs);
        to->count += count;
    }
}

bool bp_events_apply(const bp_pairs *before, const bp_pairs *begun, const bp_pairs *ended,
                     const bp_allocator *allocator, bp_pairs *after) {
    after->count = 0;
    if (!bp_pairs_reserve(after, allocator, before->count + begun->count)) {
        return false;
    }
    size_t at = 0;
    for (size_t i = 0, k = 0; i < begun->count || k < ended->count;) {
        const uint64_t new_key = key_of_pair_at(begun, i), old_key = key_of_pair_at(ended, k);
        const size_t stop = advance(before, at, new_key < old_key ? new_key : old_key);
        append_pairs(after, before->data + at, stop - at);
        at = stop + (old_key <= new_key);
        k += old_key <= new_key;
        if (new_key <= old_key) {
            append_pairs(after, &begun->data[i++], 1);
        }
    }
    append_pairs(after, before->data + at, before->count - at);
    return true;
}
