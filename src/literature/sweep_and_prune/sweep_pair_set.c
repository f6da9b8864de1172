// The set of pairs; see sweep_pair_set.h.
#include "literature/sweep_and_prune/sweep_pair_set.h"

#include "base/boxes.h"

enum {
    BITS_LEAST = 6,
    SPARSE = 64 // places per pair from which on going through the table costs more than making a smaller one
};

static uint64_t pair_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static size_t home_of_key(const sweep_pair_set *set, uint64_t key) {
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> (64 - set->bits));
}

static size_t place_mask(const sweep_pair_set *set) {
    return ((size_t)1 << set->bits) - 1;
}

// The place of a key, or the empty place where it would go.
static size_t place_of_key(const sweep_pair_set *set, uint64_t key) {
    const uint64_t *places = set->buffer.data;
    size_t place = home_of_key(set, key);
    while (places[place] != key && places[place] != SWEEP_NO_PAIR) {
        place = (place + 1) & place_mask(set);
    }
    return place;
}

static void clear_places(sweep_pair_set *set) {
    uint64_t *places = set->buffer.data;
    for (size_t i = 0; i <= place_mask(set); ++i) {
        places[i] = SWEEP_NO_PAIR;
    }
    set->count = 0;
}

static uint32_t bits_for_pairs(size_t count) {
    uint32_t bits = BITS_LEAST;
    while (((size_t)1 << bits) / 3 < count) {
        ++bits;
    }
    return bits;
}

// The memory never shrinks: the next step may need it again.
bool bp_sweep_pair_set_reset(sweep_pair_set *set, const bp_allocator *allocator, size_t count) {
    const uint32_t bits = bits_for_pairs(count);
    if (!bp_buffer_reserve(&set->buffer, allocator, 0, (size_t)1 << bits, sizeof(uint64_t))) {
        return false;
    }
    set->bits = bits;
    clear_places(set);
    return true;
}

static bool resize_table(sweep_pair_set *set, const bp_allocator *allocator, uint32_t bits) {
    sweep_pair_set resized = {.bits = bits};
    if (!bp_buffer_reserve(&resized.buffer, allocator, 0, (size_t)1 << bits, sizeof(uint64_t))) {
        return false;
    }
    clear_places(&resized);
    const uint64_t *places = set->buffer.data;
    for (size_t i = 0; i <= place_mask(set); ++i) {
        if (places[i] != SWEEP_NO_PAIR) {
            ((uint64_t *)resized.buffer.data)[place_of_key(&resized, places[i])] = places[i];
        }
    }
    resized.count = set->count;
    bp_buffer_free(&set->buffer, allocator);
    *set = resized;
    return true;
}

void bp_sweep_pair_set_shrink(sweep_pair_set *set, const bp_allocator *allocator) {
    const uint32_t bits = bits_for_pairs(set->count);
    if (bits < set->bits && place_mask(set) / SPARSE > set->count) {
        (void)resize_table(set, allocator, bits); // without memory it stays as it is
    }
}

bool bp_sweep_pair_set_add(sweep_pair_set *set, const bp_allocator *allocator, uint32_t a, uint32_t b) {
    if (set->count > place_mask(set) / 2 && !resize_table(set, allocator, set->bits + 1)) {
        return false;
    }
    const uint64_t key = pair_key(a, b);
    uint64_t *place = (uint64_t *)set->buffer.data + place_of_key(set, key);
    set->count += *place != key;
    *place = key;
    return true;
}

// Moves every key behind the gap that is allowed nearer to its home into the gap.
static void close_gap_in_table(sweep_pair_set *set, size_t gap) {
    uint64_t *places = set->buffer.data;
    const size_t mask = place_mask(set);
    for (size_t next = (gap + 1) & mask; places[next] != SWEEP_NO_PAIR; next = (next + 1) & mask) {
        const size_t distance = (next - home_of_key(set, places[next])) & mask; // from its home
        if (distance >= ((next - gap) & mask)) {
            places[gap] = places[next];
            gap = next;
        }
    }
    places[gap] = SWEEP_NO_PAIR;
}

void bp_sweep_pair_set_remove(sweep_pair_set *set, uint32_t a, uint32_t b) {
    const uint64_t key = pair_key(a, b);
    const size_t place = place_of_key(set, key);
    if (((const uint64_t *)set->buffer.data)[place] == key) {
        --set->count;
        close_gap_in_table(set, place);
    }
}

bool bp_sweep_pair_set_has(const sweep_pair_set *set, uint32_t a, uint32_t b) {
    const uint64_t key = pair_key(a, b);
    return ((const uint64_t *)set->buffer.data)[place_of_key(set, key)] == key;
}

// A gap is filled from behind, so the same place is checked again. A pair that wraps around from the beginning of the
// table has been checked already.
void bp_sweep_pair_set_remove_holes(sweep_pair_set *set, const bp_box *boxes, size_t count) {
    const uint64_t *places = set->buffer.data;
    for (size_t i = 0; i <= place_mask(set);) {
        const uint64_t key = places[i], a = key >> 32, b = key & UINT32_MAX; // a < b
        if (key != SWEEP_NO_PAIR && (b >= count || bp_box_is_hole(&boxes[a]) || bp_box_is_hole(&boxes[b]))) {
            --set->count;
            close_gap_in_table(set, i);
        } else {
            ++i;
        }
    }
}

bp_status bp_sweep_pair_set_report(const sweep_pair_set *set, bp_sink *sink) {
    const uint64_t *places = set->buffer.data;
    size_t room = 0, count = 0;
    if (set->count == 0) {
        return BP_OK;
    }
    bp_pair *out = bp_sink_room(sink, set->count, &room);
    if (out == NULL) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i <= place_mask(set); ++i) {
        if (places[i] != SWEEP_NO_PAIR) {
            out[count++] = (bp_pair){.a = (uint32_t)(places[i] >> 32), .b = (uint32_t)places[i]};
        }
    }
    bp_sink_commit(sink, out, count);
    return BP_OK;
}
