// The same program outside the project, in C++.
#include <broadphase/broadphase.hpp>
#include <cstdio>

int main() {
    const bp_box boxes[] = {{{0, 0, 0}, {1, 1, 1}}, {{5, 5, 5}, {6, 6, 6}}, {{1, 1, 1}, {2, 2, 2}}};
    const auto pairs = broadphase::pairs(boxes);
    broadphase::world world;
    world.add(boxes);
    std::printf("broadphase %s: %zu pair(s)\n", bp_version(), pairs.size());
    return pairs.size() == 1 && pairs[0].a == 0 && pairs[0].b == 2 && world.update().pairs().size() == 1 ? 0 : 1;
}
