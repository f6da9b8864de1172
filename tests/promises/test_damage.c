// bp_world_validate finds damage: words in the memory of a world are overwritten, one at a time, and each time it is
// asked whether the world is sound. Whatever it reads, it must not leave the memory that there is (a sanitizer
// watches), must come to an end, must change nothing, and must say in the log what it has found.
//
// Two kinds of blocks: those that hold addresses are the structures' heads, in which only counts are damaged, and made
// smaller; all others are data, in which anything goes. Much of the data is scratch memory or spare capacity, where
// damage cannot be found. So the test requires that some damage of each kind is found in each structure, and prints the
// share.
#include "support/method_checks.h"

#include "world/world.h"

#include <stdlib.h>
#include <string.h>

enum {
    OBJECTS = 300,
    STEPS = 6,
    EXTENT = 16,
    BLOCKS = 256,
    COUNTS = 1024,
    COUNT_LIMIT = 1 << 20,
    FINGERPRINTED = 16, // one try in so many
    SOME = 40,
    MANY = 2 // one object in so many changes in a step
};

// ---- memory that knows its blocks -----------------------------------------------------------------------------------

typedef struct block {
    unsigned char *data;
    size_t size;
} block;

// No room beside a block: a sanitizer sees the first byte that is read too far.
typedef struct heap {
    block blocks[BLOCKS];
    size_t count;
} heap;

static void *heap_allocate(void *context, size_t size) {
    heap *h = context;
    void *data = h->count < BLOCKS ? allocate_aligned(64, size) : NULL;
    assert_non_null(data);
    memset(data, 0xa5, size);
    h->blocks[h->count++] = (block){.data = data, .size = size};
    return data;
}

static void heap_release(void *context, void *memory, size_t size) {
    heap *h = context;
    size_t i = 0;
    while (i < h->count && h->blocks[i].data != memory) {
        ++i;
    }
    assert_true(i < h->count && h->blocks[i].size == size);
    h->blocks[i] = h->blocks[--h->count];
    release_aligned(memory);
}

static uint64_t fingerprint(const heap *h) {
    uint64_t hash = h->count;
    for (size_t i = 0; i < h->count; ++i) {
        for (size_t at = 0; at + sizeof(uint64_t) <= h->blocks[i].size; at += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, h->blocks[i].data + at, sizeof word);
            hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 32;
        }
    }
    return hash;
}

// ---- what can be damaged --------------------------------------------------------------------------------------------

typedef enum damage { BIT_FLIPPED, ZERO, ALL_ONES, ONE_MORE, LIKE_THE_NEXT, ONE_LESS, DAMAGE_COUNT } damage;
static const char *const DAMAGE_TEXTS[DAMAGE_COUNT] = {"a bit is flipped",        "a word is 0",
                                                       "a word is all ones",      "a word is one more",
                                                       "a word is like the next", "a count is one less"};

typedef struct block_list {
    block blocks[BLOCKS];
    size_t count;
} block_list;

// A world and its memory.
typedef struct subject {
    const char *label;
    heap memory;
    test_log log;
    bp_world *world;
    block_list own, data;     // the world's own lists; those of the structures
    uint32_t *counts[COUNTS]; // in the structures' heads
    size_t count_count;
    size_t tried[DAMAGE_COUNT], found[DAMAGE_COUNT];
} subject;

// Where the linker has put the code and the constants of this program.
#if defined(_WIN32)
extern const char __ImageBase[], __bss_end__[]; // NOLINT(bugprone-reserved-identifier)
#define PROGRAM_BEGIN __ImageBase
#define PROGRAM_END __bss_end__
#else
extern const char __executable_start[], _end[]; // NOLINT(bugprone-reserved-identifier)
#define PROGRAM_BEGIN __executable_start
#define PROGRAM_END _end
#endif

static bool is_between(uintptr_t word, const void *begin, const void *end) {
    return word >= (uintptr_t)begin && word < (uintptr_t)end;
}

// Whether a word is an address in a block, or in the subject, whose memory and log are hooks of the world.
static bool is_data_address(const subject *s, uintptr_t word) {
    bool inside = is_between(word, s, s + 1);
    for (size_t i = 0; !inside && i < s->memory.count; ++i) {
        const block *b = &s->memory.blocks[i];
        inside = is_between(word, b->data, b->data + b->size);
    }
    return inside;
}

static size_t word_count(const block *b) {
    return b->size / sizeof(uintptr_t);
}

static uintptr_t word_at(const block *b, size_t index) {
    uintptr_t word;
    memcpy(&word, b->data + index * sizeof word, sizeof word);
    return word;
}

static bool holds_addresses(const subject *s, const block *b) {
    bool found = false;
    for (size_t i = 0; !found && i < word_count(b); ++i) {
        found = is_data_address(s, word_at(b, i));
    }
    return found;
}

// The world's own lists are those that it names itself.
static bool is_named_by_world(const subject *s, const block *b) {
    const block head = {.data = (unsigned char *)s->world, .size = sizeof *s->world};
    bool named = false;
    for (size_t i = 0; !named && i < word_count(&head); ++i) {
        named = word_at(&head, i) == (uintptr_t)b->data;
    }
    return named;
}

// Only in heads: in data, two small numbers side by side may look like the address of code where that lies low.
static bool is_address(const subject *s, uintptr_t word) {
    return is_data_address(s, word) || is_between(word, PROGRAM_BEGIN, PROGRAM_END);
}

// Counts are numbers that are not large; what else there is in a head (flags, sizes of cells) may be among them.
static void list_counts(subject *s, const block *b) {
    enum { PARTS = sizeof(uintptr_t) / sizeof(uint32_t) }; // of a word
    for (size_t i = 0; i < PARTS * word_count(b); ++i) {
        uint32_t *part = (uint32_t *)(void *)b->data + i;
        if (*part > 0 && *part < COUNT_LIMIT && s->count_count < COUNTS && !is_address(s, word_at(b, i / PARTS))) {
            s->counts[s->count_count++] = part;
        }
    }
}

// The world's own head is left out: it says how long everything else is.
static void list_memory(subject *s) {
    for (size_t i = 0; i < s->memory.count; ++i) {
        const block *b = &s->memory.blocks[i];
        if (b->data == (unsigned char *)s->world || b->size < sizeof(uint64_t)) {
            continue;
        }
        if (holds_addresses(s, b)) {
            list_counts(s, b);
            continue;
        }
        block_list *list = is_named_by_world(s, b) ? &s->own : &s->data;
        list->blocks[list->count++] = *b;
    }
}

static uint32_t damaged(damage how, const uint32_t *word, rng *random) {
    switch (how) {
    case BIT_FLIPPED: return *word ^ 1u << rng_below(random, 32);
    case ZERO: return 0;
    case ALL_ONES: return UINT32_MAX;
    case ONE_MORE: return *word + 1;
    case LIKE_THE_NEXT: return word[1];
    default: return *word - 1;
    }
}

static void expect_sound(subject *s, const char *when) {
    if (bp_world_validate(s->world) != BP_OK) {
        fail_msg("%s: not sound %s: %s", s->label, when, s->log.text);
    }
}

// Damages a word, asks, and puts it right again.
static void try_word(subject *s, uint32_t *word, damage how, rng *random) {
    const bool watched = s->tried[how] % FINGERPRINTED == 0;
    const uint32_t before = *word;
    *word = damaged(how, word, random);
    const uint64_t print = watched ? fingerprint(&s->memory) : 0;
    s->log.count = 0;
    const bp_status status = bp_world_validate(s->world);
    if ((status != BP_OK && status != BP_ERROR_INTERNAL) || s->log.count != (status == BP_OK ? 0 : 1)) {
        fail_msg("%s: %s: %s, %zu lines in the log", s->label, DAMAGE_TEXTS[how], bp_status_text(status), s->log.count);
    }
    if (watched && fingerprint(&s->memory) != print) {
        fail_msg("%s: %s: the check has changed something", s->label, DAMAGE_TEXTS[how]);
    }
    *word = before;
    s->found[how] += status != BP_OK;
    ++s->tried[how];
}

// Each block is as likely as any other, however short it is.
static void damage_data(subject *s, const block_list *list, size_t tries, rng *random) {
    for (damage how = BIT_FLIPPED; how < ONE_LESS; ++how) {
        for (size_t i = 0; i < tries; ++i) {
            const block *b = &list->blocks[rng_below(random, (uint32_t)list->count)];
            const size_t words = b->size / sizeof(uint32_t);
            try_word(s, (uint32_t *)(void *)b->data + rng_below(random, (uint32_t)words - 1), how, random);
        }
    }
    expect_sound(s, "after all damage is undone");
}

static void damage_counts(subject *s, rng *random) {
    for (size_t i = 0; i < s->count_count; ++i) {
        try_word(s, s->counts[i], ONE_LESS, random);
    }
    expect_sound(s, "after all damage is undone");
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

// Most are of similar sizes, some large; two have no end.
static bp_box some_box(rng *random, size_t index) {
    const double size = index % 50 == 7 ? 6 : random_magnitude(random, 0.4, 1.2);
    bp_box box = random_cube(random, EXTENT, size);
    if (index % 151 == 9) {
        box.max[0] = INFINITY;
    }
    return box;
}

static void require_ok(const subject *s, bp_status status) {
    if (status != BP_OK) {
        fail_msg("%s: %s: %s", s->label, bp_status_text(status), s->log.text);
    }
}

// What one step changes: one in `share` moves a little, some move far, go or come.
static void change_some(subject *s, rng *random, uint32_t share) {
    for (bp_id id = 0; id < OBJECTS; ++id) {
        bp_box box;
        if (rng_below(random, share) != 0 || bp_get_object(s->world, id, &box, NULL) != BP_OK) {
            continue;
        }
        const bool far = rng_below(random, 4) == 0;
        const bp_box next = some_box(random, id);
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] += 0.01f;
            box.max[axis] += 0.01f;
        }
        require_ok(s, rng_below(random, 8) == 0 ? bp_remove(s->world, id) : bp_move(s->world, id, far ? &next : &box));
    }
    const bp_box fresh = some_box(random, 0);
    require_ok(s, bp_add(s->world, &fresh, NULL, NULL));
}

static void open_subject(subject *s, const variant *v, bool has_statics, uint32_t share) {
    memset(s, 0, sizeof *s);
    s->label = v->label;
    bp_config config = v->config;
    config.allocator = (bp_allocator){.allocate = heap_allocate, .release = heap_release, .context = &s->memory};
    config.log = test_log_hook(&s->log);
    require_ok(s, bp_world_create(&config, &s->world));
    rng random = rng_seeded(7);
    for (size_t i = 0; i < OBJECTS; ++i) {
        const bp_box box = some_box(&random, i);
        const bp_object object = {.flags = has_statics && i % 4 != 0 ? BP_STATIC : 0};
        require_ok(s, bp_add(s->world, &box, &object, NULL));
    }
    bp_result result;
    require_ok(s, bp_update(s->world, &result));
    for (int step = 0; step < STEPS; ++step) {
        change_some(s, &random, share);
        require_ok(s, bp_update(s->world, &result));
    }
    expect_sound(s, "before any damage");
}

static void close_subject(subject *s) {
    bp_world_destroy(s->world);
    assert_int_equal(s->memory.count, 0);
}

// ---- tests ----------------------------------------------------------------------------------------------------------

#define BOTH_DIMENSIONS(method, ...)                                                                                   \
    VARIANT_OF(method, .dimensions = 3, __VA_ARGS__), VARIANT_OF(method, .dimensions = 2, __VA_ARGS__)

static const variant SUBJECTS[] = {
    BOTH_DIMENSIONS(BP_METHOD_LINKED_CELLS, SETTINGS(.cell_size = 2)),
    BOTH_DIMENSIONS(BP_METHOD_HIERARCHICAL_GRID, .update = BP_UPDATE_REBUILD, SETTINGS(.brute_force_below = 1)),
    BOTH_DIMENSIONS(BP_METHOD_TREE, .update = BP_UPDATE_AUTOMATIC),
    BOTH_DIMENSIONS(BP_METHOD_HIERARCHICAL_GRID, .update = BP_UPDATE_INDIVIDUAL, SETTINGS(.brute_force_below = 1)),
    BOTH_DIMENSIONS(BP_METHOD_SPATIAL_HASH, SETTINGS(.hash_cell_limit = 64)),
    BOTH_DIMENSIONS(BP_METHOD_SPATIAL_HASH, SETTINGS(.hash_table = BP_HASH_OPEN)),
    BOTH_DIMENSIONS(BP_METHOD_PIVOT_GRID, ),
    BOTH_DIMENSIONS(BP_METHOD_PIVOT_GRID, SETTINGS(.pivot_layout = BP_PIVOTS_DENSE)),
    BOTH_DIMENSIONS(BP_METHOD_COMPACT_GRID, ),
    BOTH_DIMENSIONS(BP_METHOD_COMPACT_GRID, SETTINGS(.compact_keys = BP_KEYS_Z_CURVE)),
    BOTH_DIMENSIONS(BP_METHOD_COMPACT_GRID, SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)),
    BOTH_DIMENSIONS(BP_METHOD_CUCKOO_GRID, ),
    BOTH_DIMENSIONS(BP_METHOD_CUCKOO_GRID, SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)),
    BOTH_DIMENSIONS(BP_METHOD_OCTREE, ),
    BOTH_DIMENSIONS(BP_METHOD_LOOSE_OCTREE, ),
    BOTH_DIMENSIONS(BP_METHOD_LOOSE_OCTREE, .update = BP_UPDATE_INDIVIDUAL),
    BOTH_DIMENSIONS(BP_METHOD_BVH, .update = BP_UPDATE_REBUILD),
    BOTH_DIMENSIONS(BP_METHOD_BVH, .update = BP_UPDATE_INDIVIDUAL),
    BOTH_DIMENSIONS(BP_METHOD_SWEEP_AND_PRUNE, .update = BP_UPDATE_REBUILD),
    BOTH_DIMENSIONS(BP_METHOD_SWEEP_AND_PRUNE, SETTINGS(.sweep_axes = 3)),
};

static size_t sum(const size_t *values) {
    size_t total = 0;
    for (size_t i = 0; i < DAMAGE_COUNT; ++i) {
        total += values[i];
    }
    return total;
}

// The damage of each kind that is found must be some.
static void expect_found(const subject *s, const variant *v, const char *where) {
    print_message("%-18s %-28s found %5zu of %5zu  (%s)\n", bp_method_name((size_t)v->config.method), where,
                  sum(s->found), sum(s->tried), s->label);
    report("damaged words", "%zu", sum(s->tried));
    report("of these found", "%zu", sum(s->found));
    for (size_t how = 0; how < DAMAGE_COUNT; ++how) {
        if (s->tried[how] > 0 && s->found[how] == 0) {
            fail_msg("%s %s: %s in %s, and nobody notices (%zu tries)", bp_method_name((size_t)v->config.method),
                     s->label, DAMAGE_TEXTS[how], where, s->tried[how]);
        }
    }
}

static void damage_structures(const variant *v, bool has_statics, uint32_t share) {
    subject s;
    open_subject(&s, v, has_statics, share);
    list_memory(&s);
    rng random = rng_seeded(environment_number("BP_TEST_SEED", 1));
    damage_data(&s, &s.data, quick() ? 300 : 3000, &random);
    damage_counts(&s, &random);
    expect_found(&s, v, has_statics ? "structures, statics apart" : "structures");
    close_subject(&s);
}

static void finds_damage_in_every_structure(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(SUBJECTS); ++i) {
        damage_structures(&SUBJECTS[i], false, SOME);
    }
}

static void finds_damage_where_statics_are_apart(void **state) {
    (void)state;
    const variant variants[] = {
        VARIANT_OF(BP_METHOD_HIERARCHICAL_GRID, .update = BP_UPDATE_REBUILD, SETTINGS(.brute_force_below = 1)),
        VARIANT_OF(BP_METHOD_BVH, .update = BP_UPDATE_REBUILD),
    };
    for (size_t i = 0; i < COUNT_OF(variants); ++i) {
        damage_structures(&variants[i], true, MANY);
    }
}

// In a world as an update has left it, and in one in which objects have come, moved and gone since then.
static void finds_damage_in_the_lists_of_a_world(void **state) {
    (void)state;
    const variant variants[] = {
        VARIANT_OF(BP_METHOD_TREE, .flags = BP_EVENTS),
        VARIANT_OF(BP_METHOD_BVH, .margin = 0.1f),
    };
    for (size_t i = 0; i < 2 * COUNT_OF(variants); ++i) {
        subject s;
        const variant *v = &variants[i / 2];
        const bool is_behind = i % 2 != 0;
        open_subject(&s, v, false, SOME);
        rng random = rng_seeded(environment_number("BP_TEST_SEED", 1));
        if (is_behind) {
            change_some(&s, &random, SOME);
        }
        list_memory(&s);
        damage_data(&s, &s.own, quick() ? 1000 : 10000, &random);
        expect_found(&s, v, is_behind ? "lists, before the update" : "lists");
        close_subject(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_damage_in_every_structure),
        cmocka_unit_test(finds_damage_where_statics_are_apart),
        cmocka_unit_test(finds_damage_in_the_lists_of_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
