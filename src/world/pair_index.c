#include "world/pair_index.h"

#include <string.h>

static const uint32_t EMPTY = UINT32_MAX;

enum { PREFETCHED = 16 };

static uint32_t *index_slots(const bp_pair_index *index) {
    return index->slots.data;
}

static size_t mask_of(const bp_pair_index *index) {
    return ((size_t)1 << index->bits) - 1;
}

// Fibonacci hashing: the high bits of the product depend on all bits of the pair.
static size_t home_of(const bp_pair_index *index, bp_pair pair) {
    const uint64_t key = ((uint64_t)pair.a << 32 | pair.b) * 0x9e3779b97f4a7c15u;
    return (size_t)((key ^ key >> 29) * 0xbf58476d1ce4e5b9u >> (64 - index->bits));
}

static bool is_same_pair(bp_pair a, bp_pair b) {
    return a.a == b.a && a.b == b.b;
}

// The slot of a pair, or the empty one where it would go.
static size_t find_pair_slot(const bp_pair_index *index, const bp_pairs *pairs, bp_pair pair) {
    const uint32_t *slots = index_slots(index);
    size_t slot = home_of(index, pair);
    while (slots[slot] != EMPTY && !is_same_pair(pairs->data[slots[slot]], pair)) {
        slot = (slot + 1) & mask_of(index);
    }
    return slot;
}

void bp_pair_index_free(bp_pair_index *index, const bp_allocator *allocator) {
    bp_buffer_free(&index->slots, allocator);
}

void bp_pair_index_prefetch(const bp_pair_index *index, bp_pair pair) {
    bp_prefetch(index_slots(index) + home_of(index, pair));
}

void bp_pair_index_prefetch_pair(const bp_pair_index *index, const bp_pairs *pairs, bp_pair pair) {
    const uint32_t position = index_slots(index)[home_of(index, pair)];
    bp_prefetch(pairs->data + (position != EMPTY ? position : 0));
}

bool bp_pair_index_fits(const bp_pair_index *index, size_t count) {
    return index->bits > 0 && count <= ((size_t)1 << index->bits) / 2;
}

bool bp_pair_index_build(bp_pair_index *index, const bp_allocator *allocator, const bp_pairs *pairs, size_t count) {
    uint32_t bits = 6;
    while (((size_t)1 << bits) / 2 < count + count / 8) {
        ++bits;
    }
    if (!bp_buffer_reserve(&index->slots, allocator, 0, (size_t)1 << bits, sizeof(uint32_t))) {
        return false;
    }
    index->bits = bits;
    memset(index->slots.data, 0xff, ((size_t)1 << bits) * sizeof(uint32_t));
    for (size_t i = 0; i < pairs->count; ++i) {
        bp_pair_index_prefetch(index, pairs->data[i + PREFETCHED < pairs->count ? i + PREFETCHED : i]);
        size_t slot = home_of(index, pairs->data[i]); // all pairs differ: no comparison is needed
        while (index_slots(index)[slot] != EMPTY) {
            slot = (slot + 1) & mask_of(index);
        }
        index_slots(index)[slot] = (uint32_t)i;
    }
    return true;
}

bool bp_pair_index_has(const bp_pair_index *index, const bp_pairs *pairs, bp_pair pair) {
    return index_slots(index)[find_pair_slot(index, pairs, pair)] != EMPTY;
}

bool bp_pair_index_is_sound(const bp_pair_index *index, const bp_pairs *pairs) {
    const uint32_t *slots = index_slots(index);
    size_t used = 0;
    bool sound = bp_pair_index_fits(index, pairs->count);
    for (size_t slot = 0; sound && slot <= mask_of(index); ++slot) {
        sound = slots[slot] < pairs->count || slots[slot] == EMPTY;
        used += slots[slot] != EMPTY;
    }
    sound = sound && used == pairs->count; // so there are empty slots, and every search ends
    for (size_t i = 0; sound && i < pairs->count; ++i) {
        sound = slots[find_pair_slot(index, pairs, pairs->data[i])] == i;
    }
    return sound;
}

// Empties a slot, and moves up entries that a search could no longer reach across it.
static void close_gap(bp_pair_index *index, const bp_pairs *pairs, size_t gap) {
    uint32_t *slots = index_slots(index);
    const size_t mask = mask_of(index);
    for (size_t slot = (gap + 1) & mask; slots[slot] != EMPTY; slot = (slot + 1) & mask) {
        const size_t home = home_of(index, pairs->data[slots[slot]]);
        if (((slot - home) & mask) >= ((slot - gap) & mask)) {
            slots[gap] = slots[slot];
            gap = slot;
        }
    }
    slots[gap] = EMPTY;
}

// Removes a pair from the index and returns its position in the list.
static uint32_t remove_slot(bp_pair_index *index, const bp_pairs *pairs, bp_pair pair) {
    const size_t slot = find_pair_slot(index, pairs, pair);
    const uint32_t position = index_slots(index)[slot];
    close_gap(index, pairs, slot);
    return position;
}

void bp_pair_index_replace(bp_pair_index *index, bp_pairs *pairs, bp_pair old_pair, bp_pair new_pair) {
    const uint32_t position = remove_slot(index, pairs, old_pair);
    index_slots(index)[find_pair_slot(index, pairs, new_pair)] = position;
    pairs->data[position] = new_pair;
}

void bp_pair_index_remove(bp_pair_index *index, bp_pairs *pairs, bp_pair pair) {
    const uint32_t position = remove_slot(index, pairs, pair);
    const bp_pair last = pairs->data[--pairs->count];
    if (position < pairs->count) {
        index_slots(index)[find_pair_slot(index, pairs, last)] = position;
        pairs->data[position] = last;
    }
}

void bp_pair_index_add(bp_pair_index *index, bp_pairs *pairs, bp_pair pair) {
    index_slots(index)[find_pair_slot(index, pairs, pair)] = (uint32_t)pairs->count;
    pairs->data[pairs->count++] = pair;
}
