#include "world/query/box_pack.h"

#include "base/boxes.h"
#include "base/morton.h"
#include "base/radix_sort.h"

#include <assert.h>

enum {
    GROUP = 16,       // boxes
    TOP = 64,         // boxes of the top level, at most
    GROUPS = 16,      // that are tested together
    OUTSIDE = 64,     // boxes, at most
    AXIS_BITS = 10,   // of a place on the curve
    LARGE_SHARE = 8,  // a box is large if this many times its edge is more than that of the bounds
    KEY_FIRST = 32,   // bit of a key: the place on the curve, above the index of the box
    KEY_LARGE = 62,   // bit of large boxes
    KEY_OUTSIDE = 63, // bit of infinite ones
};

_Static_assert(BP_BOX_PACK_MOST <= GROUP * GROUP * TOP, "the top level is not too large");
_Static_assert(KEY_FIRST + 3 * AXIS_BITS <= KEY_LARGE, "the bits of a key do not overlap");

void bp_box_pack_free(bp_box_pack *pack, const bp_allocator *allocator) {
    bp_buffer_free(&pack->columns_buffer, allocator);
    bp_buffer_free(&pack->keys, allocator);
    *pack = (bp_box_pack){0};
}

// For all levels together: 1 + 1/16 + 1/256 positions a box, and one for what is left of each level.
static size_t positions_most(size_t count) {
    return count + count / GROUP + count / GROUP / GROUP + BP_BOX_PACK_LEVELS;
}

bool bp_box_pack_reserve(bp_box_pack *pack, const bp_allocator *allocator, size_t count) {
    const size_t room = count + count / 4;
    if (count <= pack->room) {
        return true;
    }
    pack->room = 0;
    if (!bp_buffer_reserve(&pack->keys, allocator, 0, room, 2 * sizeof(uint64_t)) ||
        !bp_columns_reserve(&pack->columns, &pack->columns_buffer, allocator, positions_most(room))) {
        return false;
    }
    pack->room = room;
    return true;
}

// ---- building -------------------------------------------------------------------------------------------------------

static const bp_box NOTHING = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};

static inline void extend(bp_box *bounds, const bp_box *box) {
    for (int axis = 0; axis < 3; ++axis) {
        bounds->min[axis] = bp_smaller(box->min[axis], bounds->min[axis]);
        bounds->max[axis] = bp_larger(box->max[axis], bounds->max[axis]);
    }
}

// How places follow from coordinates.
typedef struct curve {
    bp_box bounds;
    double scale[3];
    uint32_t dimensions;
} curve;

static curve curve_through(const bp_box *boxes, size_t count, uint32_t dimensions) {
    curve c = {.bounds = NOTHING, .dimensions = dimensions};
    for (size_t i = 0; i < count; ++i) {
        if (bp_box_is_finite(&boxes[i], dimensions)) { // a hole is not
            extend(&c.bounds, &boxes[i]);
        }
    }
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double edge = (double)c.bounds.max[axis] - (double)c.bounds.min[axis];
        c.scale[axis] = edge > 0.0 ? ((1 << AXIS_BITS) - 1) / edge : 0.0;
    }
    return c;
}

static uint64_t key_of(const curve *c, const bp_box *box) {
    uint64_t place = 0;
    bool large = false;
    for (uint32_t axis = 0; axis < c->dimensions; ++axis) {
        const double min = (double)box->min[axis], scale = c->scale[axis];
        const double from = (min - (double)c->bounds.min[axis]) * scale, edge = ((double)box->max[axis] - min) * scale;
        place |= bp_spread_by_three((uint64_t)from & ((1 << AXIS_BITS) - 1)) << axis;
        large |= edge * LARGE_SHARE > (1 << AXIS_BITS);
    }
    return place << KEY_FIRST | (uint64_t)large << KEY_LARGE;
}

// Writes a key for each box. Returns how many there are.
static size_t write_keys(const curve *c, const bp_box *boxes, size_t count, uint64_t *keys, size_t *outside_count) {
    size_t kept = 0;
    *outside_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (bp_box_is_finite(&boxes[i], c->dimensions)) {
            keys[kept++] = key_of(c, &boxes[i]) | i;
        } else if (!bp_box_is_hole(&boxes[i])) {
            keys[kept++] = (uint64_t)1 << KEY_OUTSIDE | i;
            ++*outside_count;
        }
    }
    return kept;
}

// Divides the columns among the levels.
static void place_levels(bp_box_pack *pack, size_t count, size_t outside_count) {
    bp_pack_level level = {.count = count};
    pack->level_count = 0;
    for (; count > 0; level.count = (level.count + GROUP - 1) / GROUP) {
        pack->levels[pack->level_count++] = level;
        level.begin += level.count;
        if (level.count <= TOP) {
            break;
        }
    }
    pack->outside = (bp_pack_level){.begin = level.begin, .count = outside_count};
    assert(level.begin + outside_count <= positions_most(pack->room));
}

static void put_boxes(const bp_box_pack *pack, size_t begin, const uint64_t *keys, size_t count, const bp_box *boxes,
                      uint32_t dimensions) {
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = (uint32_t)keys[i];
        bp_box box = boxes[id];
        if (dimensions == 2) {
            box.min[2] = box.max[2] = 0.0f;
        }
        bp_columns_put(&pack->columns, begin + i, &box, id);
    }
}

static void put_bounds(const bp_box_pack *pack, const bp_pack_level *below, const bp_pack_level *level) {
    for (size_t group = 0; group < level->count; ++group) {
        bp_box bounds = NOTHING;
        for (size_t i = group * GROUP; i < below->count && i < (group + 1) * GROUP; ++i) {
            const bp_box box = bp_columns_box(&pack->columns, below->begin + i);
            extend(&bounds, &box);
        }
        bp_columns_put(&pack->columns, level->begin + group, &bounds, 0);
    }
}

static void keep_bounds(bp_box_pack *pack, const curve *c) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        pack->low[axis] = axis < c->dimensions ? (double)c->bounds.min[axis] : 0.0;
        pack->high[axis] = axis < c->dimensions ? (double)c->bounds.max[axis] : 0.0;
    }
}

bool bp_box_pack_build(bp_box_pack *pack, const bp_method_setup *setup, const bp_box *boxes, size_t count) {
    assert(count <= pack->room && count <= BP_BOX_PACK_MOST);
    const curve c = curve_through(boxes, count, setup->dimensions);
    size_t outside_count;
    uint64_t *keys = pack->keys.data;
    const size_t all = write_keys(&c, boxes, count, keys, &outside_count), inside = all - outside_count;
    if (outside_count > OUTSIDE) {
        return false;
    }
    place_levels(pack, inside, outside_count);
    keys = bp_sort_keys(keys, keys + count, all, KEY_FIRST, KEY_OUTSIDE + 1);
    put_boxes(pack, 0, keys, inside, boxes, setup->dimensions);
    put_boxes(pack, pack->outside.begin, keys + inside, outside_count, boxes, setup->dimensions);
    for (size_t i = 1; i < pack->level_count; ++i) {
        put_bounds(pack, &pack->levels[i - 1], &pack->levels[i]);
    }
    keep_bounds(pack, &c);
    return true;
}

// ---- searching ------------------------------------------------------------------------------------------------------

typedef struct pack_search {
    const bp_box_pack *pack;
    const bp_kernels *kernels;
    const bp_probe_line *line;
    const bp_hit_receiver *receiver;
} pack_search;

static size_t run_tests(const pack_search *s, const bp_range_test *tests, size_t count, bp_pair *hits, size_t room) {
    const bp_lines_job job = {
        .columns = &s->pack->columns, .lines = s->line, .tests = tests, .test_count = count, .out = hits, .room = room};
    size_t done = 0;
    return s->kernels->probe_lines(&job, &done);
}

static void receive_boxes(const pack_search *s, bp_pair *hits, size_t count) {
    const bp_columns *columns = &s->pack->columns;
    for (size_t i = 0; i < count; ++i) {
        hits[i] = (bp_pair){.a = hits[i].b, .b = columns->id[hits[i].b]};
    }
    if (count > 0) {
        s->receiver->receive(s->receiver->context, columns, hits, count);
    }
}

// The boxes of a level below bounds of the next one.
static bp_range_test test_of_group(const bp_box_pack *pack, size_t level, size_t position) {
    const bp_pack_level *here = &pack->levels[level], *above = here + 1;
    const size_t begin = (position - above->begin) * GROUP;
    const size_t end = here->count - begin < GROUP ? here->count : begin + GROUP;
    return (bp_range_test){.begin = (uint32_t)(here->begin + begin), .end = (uint32_t)(here->begin + end)};
}

// Tests at most GROUPS groups of a level, or all of the top one, and then what is below those that are met.
// NOLINTNEXTLINE(misc-no-recursion): at most three deep
static void search_level(const pack_search *s, size_t level, const bp_range_test *tests, size_t test_count) {
    bp_pair hits[GROUPS * GROUP + BP_COLUMN_PADDING];
    const size_t count = run_tests(s, tests, test_count, hits, sizeof hits / sizeof *hits);
    if (level == 0) {
        receive_boxes(s, hits, count);
        return;
    }
    for (size_t i = 0; i < count;) {
        bp_range_test below[GROUPS];
        size_t listed = 0;
        for (; i < count && listed < GROUPS; ++i) {
            below[listed++] = test_of_group(s->pack, level - 1, hits[i].b);
        }
        search_level(s, level - 1, below, listed);
    }
}

static void search_levels(const pack_search *s) {
    const size_t top = s->pack->level_count - 1;
    const bp_pack_level *level = &s->pack->levels[top];
    const bp_range_test all = {.begin = (uint32_t)level->begin, .end = (uint32_t)(level->begin + level->count)};
    search_level(s, top, &all, 1);
}

static void receive_outside(const pack_search *s) {
    bp_pair hits[OUTSIDE];
    for (size_t i = 0; i < s->pack->outside.count; ++i) {
        hits[i].b = (uint32_t)(s->pack->outside.begin + i);
    }
    receive_boxes(s, hits, s->pack->outside.count);
}

bool bp_box_pack_query_line(const bp_box_pack *pack, const bp_kernels *kernels, const bp_line *line,
                            const bp_hit_receiver *receiver) {
    bp_line_part part;
    bp_probe_line probe;
    const pack_search s = {.pack = pack, .kernels = kernels, .line = &probe, .receiver = receiver};
    const bool meets = pack->level_count > 0 && bp_line_part_between(line, pack->low, pack->high, &part);
    if (meets && !bp_line_part_probe(&part, &probe)) {
        return false;
    }
    if (meets) {
        search_levels(&s);
    }
    receive_outside(&s);
    return true;
}
