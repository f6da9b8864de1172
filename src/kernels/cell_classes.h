// The objects of one cell of a grid in which an object is in every cell that it overlaps, and which of them this cell
// must test against each other.
//
// Objects that share several cells must be reported once: by the cell that contains, along each axis, the maximum of
// the two min corners. There at least one of the two begins; we say that it is at home there along that axis. So no pair
// has to be remembered or compared with others: the objects of a cell are sorted into classes by the axes along which
// they are at home, and two classes are tested against each other only if along every axis one of them is. The order of
// the classes is chosen so that the partners of a class that follow it are one range:
//
//     place    0    1    2    3    4    5    6    7        class      its partners after it
//     homes   xyz   yz  x    x z  xy    y     z  none      xyz        all that follow
//              |    |    |    |    |    |    |    |    |    yz        x, x z, xy
//     bounds   0    1    2    3    4    5    6    7    8   x z        xy, y
//                                                          xy         z
#ifndef BP_CELL_CLASSES_H
#define BP_CELL_CLASSES_H

#include "kernels/range_tester.h"

enum { BP_CELL_CLASSES = 8, BP_CELL_BOUNDS = BP_CELL_CLASSES + 1 };

// The place of a class, by its bits: bit `axis` is set if an object is at home along that axis.
static const uint8_t BP_CELL_CLASS_PLACE[BP_CELL_CLASSES] = {7, 2, 5, 4, 6, 3, 1, 0};

// The bits of an object, from the axes along which it is at home.
static inline uint32_t bp_cell_class_bits(bool x, bool y, bool z) {
    return (uint32_t)x | (uint32_t)y << 1 | (uint32_t)z << 2;
}

// Lists the objects of a cell against each other. `bounds` has BP_CELL_BOUNDS positions: where the objects of each class
// begin, and where the last ones end.
void bp_cell_classes_test(bp_range_tester *tester, const uint32_t *bounds);

// Lists another box, with these class bits in the cell, against those objects whose pairs with it this cell must report.
void bp_cell_classes_test_box(bp_range_tester *tester, size_t box, uint32_t bits, const uint32_t *bounds);

#endif
