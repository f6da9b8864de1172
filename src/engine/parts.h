// Parts: objects of a world that never pair with each other, told to a search, so that it does not look for their pairs. The static
// objects of a level are one part, what moves in it the other; a group that only meets another group is one.
//
//     of              | 0 | 1 | 1 | 0 | - | 1 |     by id; - is in neither, and pairs with nobody
//     meets_itself    part 0: yes    part 1: no    each meets the other
//
// A search that does not support parts finds all pairs, and the world drops those that do not count.
#ifndef BP_PARTS_H
#define BP_PARTS_H

#include "engine/changes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BP_PART_NEITHER = 2 };

typedef struct bp_parts {
    const uint8_t *of; // by id; NULL: all objects may meet
    bool meets_itself[2];
    bool are_all;     // nobody is in neither
    size_t count;     // of objects in part 0, about
    uint64_t version; // another one: some object is in another part than before

    // Where an update does not say what has changed: what has in part 1, all of it, if that is known.
    bool is_part_1_listed;
    bp_changes part_1;
} bp_parts;

// With fewer changes than one object in so many, it is faster to search for these alone; with parts, a search for all pairs is one for
// those of part 0.
enum { BP_FEW_SHARE = 16, BP_FEW_SHARE_OF_PART = 4 };

static inline bool bp_parts_has_few(const bp_parts *parts, size_t count, const bp_changes *changes) {
    return changes != NULL &&
           changes->count < (parts->of != NULL ? parts->count / BP_FEW_SHARE_OF_PART : count / BP_FEW_SHARE);
}

// The part of objects i .. i + 7 (those before `end`), if they are of one; else BP_PART_NEITHER. Static objects often follow each other.
static inline uint8_t bp_parts_of_eight(const uint8_t *of, size_t i, size_t end) {
    static const uint64_t ones = 0x0101010101010101u;
    uint64_t eight = of[i] * ones;
    memcpy(&eight, of + i, end - i < sizeof eight ? end - i : sizeof eight);
    return of[i] < BP_PART_NEITHER && eight == of[i] * ones ? of[i] : BP_PART_NEITHER;
}

#define BP_PARTS_NONE ((bp_parts){.of = NULL, .meets_itself = {true, true}, .are_all = true, .version = 0})

#endif
