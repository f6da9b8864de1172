// Ids are sorted in place: by a map with a bit for each where they lie close together, else from the highest byte down
// (American flag sort: McIlroy, Bostic, McIlroy, "Engineering Radix Sort", 1993), which has no bad case.
#include "world/query/shortlist.h"

#include <assert.h>
#include <math.h>

enum {
    DIGITS = 256,
    DIGIT_BITS = 8,
    INSERTED_MAX = 32,    // items: up to here inserting them one by one is fastest
    MAP_WORDS = 512,      // of 64 ids
    MAP_WORDS_PER_ID = 8, // at most: going through a word takes a tenth of the time of an id
    GROWTH_MIN = 64       // items
};

_Static_assert(sizeof(bp_ray_hit) == 8 && offsetof(bp_ray_hit, id) == 0 && offsetof(bp_ray_hit, t) == 4 &&
                   sizeof(bp_near) == 8 && offsetof(bp_near, id) == 0 && offsetof(bp_near, distance) == 4,
               "an item is an id, then a float");
_Static_assert(sizeof(bp_near_double) == sizeof(bp_ray_hit_double) &&
                   offsetof(bp_near_double, distance) == offsetof(bp_ray_hit_double, t),
               "or an id, then a double");

// ---- items ----------------------------------------------------------------------------------------------------------

static inline bool comes_before(bp_ray_hit_double a, bp_ray_hit_double b) {
    return a.t < b.t || (a.t == b.t && a.id < b.id);
}

bp_ray_hit_double bp_shortlist_get(const bp_shortlist *list, size_t index) {
    const unsigned char *item = list->items + index * list->item_size;
    bp_ray_hit_double hit = {.t = 0.0};
    if (list->item_size == sizeof hit) {
        memcpy(&hit, item, sizeof hit);
        return hit;
    }
    memcpy(&hit.id, item, sizeof hit.id);
    if (list->item_size == sizeof(bp_ray_hit)) {
        float t;
        memcpy(&t, item + sizeof hit.id, sizeof t);
        hit.t = (double)t;
    }
    return hit;
}

static void put(const bp_shortlist *list, size_t index, bp_ray_hit_double hit) {
    unsigned char *item = list->items + index * list->item_size;
    if (list->item_size == sizeof hit) {
        memcpy(item, &hit, sizeof hit);
        return;
    }
    memcpy(item, &hit.id, sizeof hit.id);
    if (list->item_size == sizeof(bp_ray_hit)) {
        const float t = (float)hit.t;
        memcpy(item + sizeof hit.id, &t, sizeof t);
    }
}

// An id below the bits of a float that is not negative: these sort like the floats.
static inline uint64_t key_at(const bp_shortlist *list, size_t index) {
    const unsigned char *item = list->items + index * sizeof(bp_ray_hit);
    uint32_t id, bits;
    memcpy(&id, item, sizeof id);
    memcpy(&bits, item + sizeof id, sizeof bits);
    return (uint64_t)bits << 32 | id;
}

static inline void put_key(const bp_shortlist *list, size_t index, uint64_t key) {
    unsigned char *item = list->items + index * sizeof(bp_ray_hit);
    const uint32_t id = (uint32_t)key, bits = (uint32_t)(key >> 32);
    memcpy(item, &id, sizeof id);
    memcpy(item + sizeof id, &bits, sizeof bits);
}

static void sift_key_down(const bp_shortlist *list, size_t count, size_t at, bp_ray_hit_double item) {
    const float t = (float)item.t;
    uint32_t bits;
    memcpy(&bits, &t, sizeof bits);
    const uint64_t key = (uint64_t)bits << 32 | item.id;
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        const uint64_t left = key_at(list, child), right = child + 1 < count ? key_at(list, child + 1) : 0;
        const uint64_t last = left > right ? left : right;
        if (last <= key) {
            break;
        }
        put_key(list, at, last);
        at = child + (right > left);
    }
    put_key(list, at, key);
}

// Puts an item at position `at` of the first `count`, or below it, so that no child comes after its parent.
static void sift_down(const bp_shortlist *list, size_t count, size_t at, bp_ray_hit_double item) {
    if (list->item_size == sizeof(bp_ray_hit)) {
        sift_key_down(list, count, at, item);
        return;
    }
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        bp_ray_hit_double last = bp_shortlist_get(list, child);
        if (child + 1 < count && comes_before(last, bp_shortlist_get(list, child + 1))) {
            last = bp_shortlist_get(list, ++child);
        }
        if (!comes_before(item, last)) {
            break;
        }
        put(list, at, last);
        at = child;
    }
    put(list, at, item);
}

static void make_heap(bp_shortlist *list) {
    for (size_t at = list->is_heap ? 0 : list->kept / 2; at-- > 0;) {
        sift_down(list, list->kept, at, bp_shortlist_get(list, at));
    }
    list->is_heap = true;
}

// ---- offering -------------------------------------------------------------------------------------------------------

static bool has_grown(bp_shortlist *list) {
    if (list->room == NULL || list->capacity == list->capacity_most || list->has_failed) {
        return false;
    }
    const size_t wanted = list->capacity < GROWTH_MIN ? GROWTH_MIN : bp_size_multiply(list->capacity, 2);
    list->has_failed =
        !bp_buffer_reserve(list->room, list->allocator, list->kept * list->item_size, wanted, list->item_size);
    list->items = list->room->data;
    list->capacity = list->has_failed ? list->capacity : wanted < list->capacity_most ? wanted : list->capacity_most;
    return !list->has_failed;
}

// Whether t is kept as a float.
static inline bool is_rounded(const bp_shortlist *list) {
    return list->rounds || list->item_size == sizeof(bp_ray_hit);
}

void bp_shortlist_offer(bp_shortlist *list, bp_id id, double t) {
    const bp_ray_hit_double item = {.id = id, .t = is_rounded(list) ? (double)(float)t : t};
    if (!(item.t <= list->most) || (list->is_continued && !comes_before(list->previous, item))) {
        return;
    }
    ++list->offered;
    if (list->kept < list->capacity || has_grown(list)) {
        put(list, list->kept++, item);
        list->is_heap = false;
        return;
    }
    make_heap(list);
    if (list->capacity > 0 && comes_before(item, bp_shortlist_get(list, 0))) {
        sift_down(list, list->kept, 0, item);
    }
}

double bp_shortlist_limit(bp_shortlist *list) {
    double t = list->most;
    if (list->is_few && list->kept == (list->room != NULL ? list->capacity_most : list->capacity)) {
        make_heap(list);
        t = list->capacity > 0 ? bp_shortlist_get(list, 0).t : -1.0;
    }
    // What is rounded to the same t may come before.
    return t >= 0.0 && is_rounded(list) ? t * (1.0 + 0x1p-23) + 0x1p-149 : t;
}

// ---- sorting --------------------------------------------------------------------------------------------------------

static void insert_ids(bp_id *ids, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const bp_id id = ids[i];
        size_t at = i;
        for (; at > 0 && ids[at - 1] > id; --at) {
            ids[at] = ids[at - 1];
        }
        ids[at] = id;
    }
}

static void sort_by_map(bp_id *ids, size_t count, bp_id low, size_t words) {
    uint64_t map[MAP_WORDS];
    memset(map, 0, words * sizeof *map);
    for (size_t i = 0; i < count; ++i) {
        map[(ids[i] - low) / 64] |= (uint64_t)1 << (ids[i] - low) % 64;
    }
    for (size_t word = 0; word < words; ++word) {
        for (uint64_t bits = map[word]; bits != 0; bits &= bits - 1) {
            *ids++ = low + (bp_id)(64 * word) + (bp_id)__builtin_ctzll(bits);
        }
    }
}

// At most four deep.
static void sort_ids(bp_id *ids, size_t count) { // NOLINT(misc-no-recursion)
    if (count <= INSERTED_MAX) {
        insert_ids(ids, count);
        return;
    }
    bp_id low = ids[0], high = ids[0];
    for (size_t i = 1; i < count; ++i) {
        low = ids[i] < low ? ids[i] : low;
        high = ids[i] > high ? ids[i] : high;
    }
    const size_t words = (size_t)((high - low) / 64) + 1;
    if (words <= MAP_WORDS && words <= MAP_WORDS_PER_ID * count) {
        sort_by_map(ids, count, low, words);
        return;
    }
    unsigned shift = 0;
    while ((high - low) >> shift >= DIGITS) {
        ++shift;
    }
    size_t places[DIGITS], ends[DIGITS] = {0};
    for (size_t i = 0; i < count; ++i) {
        ++ends[(ids[i] - low) >> shift];
    }
    for (size_t digit = 0, position = 0; digit < DIGITS; ++digit) {
        places[digit] = position;
        position += ends[digit];
        ends[digit] = position;
    }
    for (size_t part = 0; part < DIGITS;
         ++part) { // every id into the part of its digit, along each chain of displaced ids
        while (places[part] < ends[part]) {
            bp_id id = ids[places[part]];
            for (size_t digit = (id - low) >> shift; digit != part; digit = (id - low) >> shift) {
                const size_t place = places[digit]++;
                const bp_id other = ids[place];
                ids[place] = id;
                id = other;
            }
            ids[places[part]++] = id;
        }
    }
    for (size_t digit = 0, from = 0; digit < DIGITS; from = ends[digit++]) {
        if (shift > 0 && ends[digit] - from > 1) {
            sort_ids(ids + from, ends[digit] - from);
        }
    }
}

static void insert_items(const bp_shortlist *list) {
    uint64_t keys[INSERTED_MAX];
    for (size_t i = 0; i < list->kept; ++i) {
        const uint64_t key = key_at(list, i);
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; --at) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
    for (size_t i = 0; i < list->kept; ++i) {
        put_key(list, i, keys[i]);
    }
}

void bp_shortlist_sort(bp_shortlist *list) {
    if (list->item_size == sizeof(bp_id)) {
        sort_ids((bp_id *)(void *)list->items, list->kept);
    } else if (list->kept <= INSERTED_MAX && list->item_size == sizeof(bp_ray_hit)) {
        insert_items(list);
    } else {
        make_heap(list);
        for (size_t count = list->kept; count-- > 1;) {
            const bp_ray_hit_double last = bp_shortlist_get(list, 0);
            sift_down(list, count, 0, bp_shortlist_get(list, count));
            put(list, count, last);
        }
    }
    list->is_heap = false;
}

bp_status bp_shortlist_finish(bp_shortlist *list, size_t *found) {
    assert(list->kept <= list->offered);
    bp_shortlist_sort(list);
    if (found != NULL) {
        *found = list->offered;
        return list->offered <= list->capacity ? BP_OK : BP_ERROR_CAPACITY;
    }
    if (list->kept < list->capacity) {
        put(list, list->kept, (bp_ray_hit_double){.id = BP_NO_ID});
    }
    return BP_OK;
}
