#include "kernels/cell_classes.h"

static inline void test_class(bp_range_tester *tester, uint32_t begin, uint32_t end, uint32_t first, uint32_t last) {
    for (uint32_t p = begin; p < end; ++p) {
        bp_range_tester_reserve(tester, 1);
        bp_range_tester_add(tester, p, first, last);
    }
}

void bp_cell_classes_test(bp_range_tester *tester, const uint32_t *bounds) {
    for (uint32_t p = bounds[0]; p < bounds[1]; ++p) { // xyz
        bp_range_tester_add_long(tester, p, p + 1, bounds[8]);
    }
    test_class(tester, bounds[1], bounds[2], bounds[2], bounds[5]); // yz against x, x z, xy
    test_class(tester, bounds[3], bounds[4], bounds[4], bounds[6]); // x z against xy, y
    test_class(tester, bounds[4], bounds[5], bounds[6], bounds[7]); // xy against z
}

// By the class bits of a box: the classes that together with it are at home along all axes, as up to three ranges of
// places, first and last.
typedef struct partners {
    uint8_t count, first[3], last[3];
} partners;

static const partners PARTNERS[BP_CELL_CLASSES] = {
    {1, {0}, {0}},             // none: xyz
    {1, {0}, {1}},             // x: xyz, yz
    {2, {0, 3}, {0, 3}},       // y: xyz; x z
    {3, {0, 3, 6}, {1, 3, 6}}, // xy: xyz, yz; x z; z
    {2, {0, 4}, {0, 4}},       // z: xyz; xy
    {2, {0, 4}, {1, 5}},       // x z: xyz, yz; xy, y
    {2, {0, 2}, {0, 4}},       // yz: xyz; x, x z, xy
    {1, {0}, {7}},             // xyz: all
};

void bp_cell_classes_test_box(bp_range_tester *tester, size_t box, uint32_t bits, const uint32_t *bounds) {
    const partners *with = &PARTNERS[bits];
    for (size_t i = 0; i < with->count; ++i) {
        bp_range_tester_add_long(tester, box, bounds[with->first[i]], bounds[with->last[i] + 1]);
    }
}
