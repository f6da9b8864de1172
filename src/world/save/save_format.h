// A world as a stream of bytes: the format that save.c writes and load.c reads.
//
//     preamble   magic 8, version 4, 0 4
//     header     content 4, dimensions 4, shape 4, margin 4, period 3 x 4, 0 4,
//                ids 8, holes 8, gone 8, changed 8, pairs 8
//     holes      id 4                                           ascending
//     boxes      min 3 x 4, max 3 x 4 (or 3 x 8 each)           of objects alive, by id: the input boxes
//     grown      the same                                       with a margin: the grown boxes
//     objects    group 8, mask 8, flags 4, island 4, user 8     of objects alive, by id; if one is not the default
//     gone       id 4                                           ids in pairs whose object was removed; ascending
//     changed    id 4                                           with a margin: since the last update; ascending
//     pairs      a 4, b 4                                       of the last update, ascending
//
// Each line is a section of section_stream.h with its checksums. Only state that matters for later updates is written,
// field by field and in a fixed order: so the same state has the same bytes, whatever threads, method or history led to
// it. In version 1, group and mask had 4 bytes; all else is the same.
#ifndef BP_SAVE_FORMAT_H
#define BP_SAVE_FORMAT_H

#include "view/overlap.h"

enum { BP_SAVE_VERSION = 2, BP_MAGIC_BYTES = 8 };

// As in PNG: a byte that is no text, and line ends that a copy in text mode would change.
#define BP_SAVE_MAGIC                                                                                                  \
    "\x89"                                                                                                             \
    "BPW\r\n\x1a\n"

// Bytes of an item.
enum {
    BP_PREAMBLE_BYTES = 16,
    BP_HEADER_BYTES = 72,
    BP_ID_BYTES = 4,
    BP_BOX_BYTES = 24,
    BP_DOUBLE_BOX_BYTES = 48,
    BP_OBJECT_BYTES = 32,
    BP_OBJECT_BYTES_1 = 24, // in version 1
    BP_PAIR_BYTES = 8
};

// The content of a stream.
enum {
    BP_SAVED_OBJECTS = 1u << 0,     // the section of objects is not empty
    BP_SAVED_ALL_CHANGED = 1u << 1, // all ids count as changed
    BP_SAVED_DOUBLE = 1u << 2,      // boxes have 64-bit coordinates
    BP_SAVED_EVERYTHING = BP_SAVED_OBJECTS | BP_SAVED_ALL_CHANGED | BP_SAVED_DOUBLE
};

typedef struct bp_save_header {
    uint32_t content;
    uint32_t dimensions, shape;
    float margin, period[3];
    uint64_t ids, holes, gone, changed, pairs; // how many
} bp_save_header;

// The header of an empty world with this rule. Zeros are never negative, and axes that do not count are zero.
static inline bp_save_header bp_save_describe(const bp_overlap_rule *rule) {
    bp_save_header header = {.dimensions = rule->dimensions, .shape = (uint32_t)rule->shape};
    header.margin = rule->margin + 0.0f;
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        header.period[axis] = rule->period[axis] + 0.0f;
    }
    return header;
}

static inline bool bp_pair_is_before(bp_pair a, bp_pair b) {
    return a.a < b.a || (a.a == b.a && a.b < b.b);
}

#endif
