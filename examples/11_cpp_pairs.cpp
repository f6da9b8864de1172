// The first program again, in C++: boxes in, pairs out.
#include <broadphase/broadphase.hpp>
#include <iostream>

int main() {
    std::vector<bp_box> boxes = {
        {{0, 0, 0}, {2, 2, 2}},
        {{1, 1, 1}, {3, 3, 3}}, // overlaps the first
        {{3, 1, 1}, {4, 2, 2}}, // touches the second: that counts
        {{9, 9, 9}, {9, 9, 9}}, // a point, far away
    };
    const std::vector<bp_pair> pairs = broadphase::pairs(boxes);
    for (const bp_pair pair : pairs) std::cout << pair.a << " overlaps " << pair.b << '\n';
    boxes[3].min[0] = 10; // beyond its max
    try {
        broadphase::pairs(boxes);
    } catch (const broadphase::error &error) {
        std::cout << "as it should be: " << error.what() << '\n';
        return pairs.size() == 2 && error.status() == BP_ERROR_BOX ? 0 : 1;
    }
    return 1;
}
