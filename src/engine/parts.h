// Parts: objects of a world that never pair with each other, told to a search, so that it does not look for their pairs. The static
// objects of a level are one part, what moves in it the other; a group that only meets another group is one.
//
//     of              | 0 | 1 | 1 | 0 | - | 1 |     by id; - is in neither, and pairs with nobody
//     meets_itself    part 0: yes    part 1: no    each meets the other
//
// A search that does not support parts finds all pairs, and the world drops those that do not count.
#ifndef BP_PARTS_H
#define BP_PARTS_H

#include <stdbool.h>
#include <stdint.h>

enum { BP_PART_NEITHER = 2 };

typedef struct bp_parts {
    const uint8_t *of; // by id; NULL: all objects may meet
    bool meets_itself[2];
    bool are_all;     // nobody is in neither
    uint64_t version; // another one: some object is in another part than before
} bp_parts;

#define BP_PARTS_NONE ((bp_parts){.of = NULL, .meets_itself = {true, true}, .are_all = true, .version = 0})

#endif
