// An in-place radix sort from the highest byte down (American flag sort): McIlroy, Bostic, McIlroy, "Engineering Radix
// Sort", 1993. Unlike a comparison sort it has no bad case, and it sorts large results of box queries in about the time
// it takes to find them.
#include "world/query/shortlist.h"

#include <assert.h>

enum {
    DIGITS = 256,
    FEW_DIGITS = 16, // for fewer than MANY items: going through 256 parts would take longer than sorting
    MANY = 128,
    FEW = 32,             // items that are sorted by insertion
    MAP_WORDS = 512,      // of 64 ids
    MAP_WORDS_PER_ID = 8, // at most: going through a word takes a tenth of the time of an id
    MAP_LEAST = 12        // ids
};

_Static_assert(sizeof(bp_ray_hit) == 8 && offsetof(bp_ray_hit, id) == 0 && offsetof(bp_ray_hit, t) == 4,
               "a key is an id, then a float");
_Static_assert(sizeof(bp_near) == 8 && offsetof(bp_near, id) == 0 && offsetof(bp_near, distance) == 4,
               "a key is an id, then a float");

bp_shortlist bp_shortlist_of_ids(bp_id *ids, size_t capacity) {
    return (bp_shortlist){.items = (unsigned char *)ids, .item_size = sizeof *ids, .capacity = capacity};
}

bp_shortlist bp_shortlist_of_hits(bp_ray_hit *hits, size_t capacity) {
    return (bp_shortlist){.items = (unsigned char *)hits, .item_size = sizeof *hits, .capacity = capacity};
}

bp_shortlist bp_shortlist_of_near(bp_near *near, size_t capacity) {
    return (bp_shortlist){.items = (unsigned char *)near, .item_size = sizeof *near, .capacity = capacity};
}

static inline uint64_t key_of_item(const bp_shortlist *list, size_t index) {
    const unsigned char *item = list->items + index * list->item_size;
    uint32_t id, rank = 0;
    memcpy(&id, item, sizeof id);
    if (list->item_size > sizeof id) {
        memcpy(&rank, item + sizeof id, sizeof rank);
    }
    return (uint64_t)rank << 32 | id;
}

static inline void put_key(const bp_shortlist *list, size_t index, uint64_t key) {
    unsigned char *item = list->items + index * list->item_size;
    const uint32_t id = (uint32_t)key, rank = (uint32_t)(key >> 32);
    memcpy(item, &id, sizeof id);
    if (list->item_size > sizeof id) {
        memcpy(item + sizeof id, &rank, sizeof rank);
    }
}

// ---- the heap -------------------------------------------------------------------------------------------------------

// Puts a key at position `at`, or below it, so that no child is larger than its parent.
static void sift_item_down(const bp_shortlist *list, size_t at, uint64_t key) {
    for (size_t child = 2 * at + 1; child < list->kept; child = 2 * at + 1) {
        uint64_t largest = key_of_item(list, child);
        if (child + 1 < list->kept && key_of_item(list, child + 1) > largest) {
            largest = key_of_item(list, ++child);
        }
        if (largest <= key) {
            break;
        }
        put_key(list, at, largest);
        at = child;
    }
    put_key(list, at, key);
}

static void make_heap(const bp_shortlist *list) {
    for (size_t at = list->kept / 2; at-- > 0;) {
        sift_item_down(list, at, key_of_item(list, at));
    }
}

void bp_shortlist_offer(bp_shortlist *list, uint64_t key) {
    ++list->offered;
    if (list->kept < list->capacity) {
        put_key(list, list->kept++, key);
        if (list->kept == list->capacity) {
            make_heap(list);
        }
    } else if (key < bp_shortlist_limit(list)) {
        sift_item_down(list, 0, key);
    }
}

uint64_t bp_shortlist_limit(const bp_shortlist *list) {
    if (list->kept < list->capacity) {
        return UINT64_MAX;
    }
    return list->capacity > 0 ? key_of_item(list, 0) : 0;
}

void bp_shortlist_clear(bp_shortlist *list) {
    list->kept = 0;
    list->offered = 0;
}

// ---- sorting --------------------------------------------------------------------------------------------------------

static void sort_few_items(const bp_shortlist *list, size_t begin, size_t end) {
    uint64_t keys[FEW];
    for (size_t i = 0; i < end - begin; ++i) {
        const uint64_t key = key_of_item(list, begin + i);
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; --at) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
    for (size_t i = 0; i < end - begin; ++i) {
        put_key(list, begin + i, keys[i]);
    }
}

// What a sort looks at: `digits` values of the bits from `shift` up.
typedef struct digit_place {
    size_t digits;
    unsigned shift;
} digit_place;

static size_t digit_of_key(uint64_t key, digit_place place) {
    return (size_t)(key >> place.shift) & (place.digits - 1);
}

// Moves every item into the part of its digit, part after part, following each chain of displaced items to its end.
static void move_to_parts(const bp_shortlist *list, size_t places[DIGITS], const size_t ends[DIGITS], digit_place by) {
    for (size_t part = 0; part < by.digits; ++part) {
        while (places[part] < ends[part]) {
            uint64_t key = key_of_item(list, places[part]);
            for (size_t digit = digit_of_key(key, by); digit != part; digit = digit_of_key(key, by)) {
                const size_t place = places[digit]++;
                const uint64_t other = key_of_item(list, place);
                put_key(list, place, key);
                key = other;
            }
            put_key(list, places[part]++, key);
        }
    }
}

// Finds the digit to sort by first: its highest bit is the highest bit in which keys differ. False if all keys are
// equal.
static bool find_digit(const bp_shortlist *list, size_t begin, size_t end, digit_place *place) {
    const uint64_t first = key_of_item(list, begin);
    uint64_t differing = 0;
    for (size_t i = begin + 1; i < end; ++i) {
        differing |= key_of_item(list, i) ^ first;
    }
    *place = (digit_place){.digits = end - begin < MANY ? FEW_DIGITS : DIGITS};
    while (differing >> place->shift >= place->digits) {
        ++place->shift;
    }
    return differing != 0;
}

// At most sixteen deep: the keys of a part have the same digit, and the same bits above it.
static void sort_items_by_digits(const bp_shortlist *list, size_t begin, size_t end) { // NOLINT(misc-no-recursion)
    digit_place by;
    if (end - begin <= FEW) {
        sort_few_items(list, begin, end);
        return;
    }
    if (!find_digit(list, begin, end, &by)) {
        return;
    }
    size_t places[DIGITS], ends[DIGITS];
    memset(ends, 0, by.digits * sizeof *ends);
    for (size_t i = begin; i < end; ++i) {
        ++ends[digit_of_key(key_of_item(list, i), by)];
    }
    size_t position = begin;
    for (size_t digit = 0; digit < by.digits; ++digit) {
        places[digit] = position;
        position += ends[digit];
        ends[digit] = position;
    }
    move_to_parts(list, places, ends, by);
    for (size_t digit = 0, from = begin; digit < by.digits; from = ends[digit++]) {
        if (ends[digit] - from > 1) {
            sort_items_by_digits(list, from, ends[digit]);
        }
    }
}

// Writes the ids of a word of the map from position `at` on. Returns the position after them.
static size_t put_ids_of_word(const bp_shortlist *list, size_t at, uint64_t word, uint64_t first) {
    for (; word != 0; word &= word - 1) {
        put_key(list, at++, first + (uint64_t)__builtin_ctzll(word));
    }
    return at;
}

// Sorts ids that lie close together, as those of neighbours often do, by a map with a bit for each. No id is offered
// twice. False if they do not: then nothing has changed.
static bool sort_ids_by_map(const bp_shortlist *list) {
    if (list->item_size != sizeof(bp_id) || list->kept < MAP_LEAST) {
        return false;
    }
    uint64_t low = UINT64_MAX, high = 0, map[MAP_WORDS];
    for (size_t i = 0; i < list->kept; ++i) {
        const uint64_t id = key_of_item(list, i);
        low = id < low ? id : low;
        high = id > high ? id : high;
    }
    const size_t words = (size_t)((high - low) / 64) + 1;
    if (words > MAP_WORDS || words > MAP_WORDS_PER_ID * list->kept) {
        return false;
    }
    memset(map, 0, words * sizeof *map);
    for (size_t i = 0; i < list->kept; ++i) {
        const uint64_t at = key_of_item(list, i) - low;
        map[at / 64] |= (uint64_t)1 << at % 64;
    }
    size_t written = 0;
    for (size_t word = 0; word < words; ++word) {
        written = put_ids_of_word(list, written, map[word], low + 64 * word);
    }
    assert(written == list->kept);
    return true;
}

void bp_shortlist_sort(bp_shortlist *list) {
    if (list->kept > 1 && !sort_ids_by_map(list)) {
        sort_items_by_digits(list, 0, list->kept);
    }
}

bp_status bp_shortlist_finish(bp_shortlist *list, size_t *found) {
    assert(list->kept <= list->offered);
    bp_shortlist_sort(list);
    if (found != NULL) {
        *found = list->offered;
        return list->offered <= list->capacity ? BP_OK : BP_ERROR_CAPACITY;
    }
    if (list->kept < list->capacity) {
        put_key(list, list->kept, BP_NO_ID);
    }
    return BP_OK;
}
