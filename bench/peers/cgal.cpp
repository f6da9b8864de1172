// CGAL: box_self_intersection_d, the hybrid of streamed segment trees and scanning by Zomorodian and Edelsbrunner.
#include "peers/shim.hpp"

#include <CGAL/box_intersection_d.h>

#include <vector>

namespace {

struct Box {
    bp_box box;
    uint32_t id;
};

struct Traits {
    using Box_parameter = const Box &;
    using NT = float;
    using ID = uint32_t;
    static float min_coord(const Box &b, int axis) {
        return b.box.min[axis];
    }
    static float max_coord(const Box &b, int axis) {
        return b.box.max[axis];
    }
    static uint32_t id(const Box &b) {
        return b.id;
    }
    static int dimension() {
        return 3;
    }
};

// The boxes themselves are sorted, not pointers to them: faster from 10^5 boxes on. The cutoff is the best of 100,
// 300, 1000 and 3000 at 10^4 and at 10^5 boxes; the default of 10 costs twice the time.
class SelfIntersection {
public:
    SelfIntersection(size_t count, const bp_box *) : boxes_(count), cutoff_(count < 30000 ? 300 : 3000) {
    }

    void update(const bp_box *boxes) {
        for (uint32_t i = 0; i < boxes_.size(); i++) boxes_[i] = {boxes[i], i};
    }

    void find(bp_pairs &pairs) {
        auto collect = [&pairs](const Box &a, const Box &b) { bench_push(&pairs, a.id, b.id); };
        CGAL::box_self_intersection_d(boxes_.begin(), boxes_.end(), collect, Traits(), cutoff_,
                                      CGAL::Box_intersection_d::CLOSED);
    }

private:
    std::vector<Box> boxes_;
    std::ptrdiff_t cutoff_;
};

} // namespace

extern "C" const bench_peer cgal_peers[] = {
    make_peer<SelfIntersection>("cgal", "segment-tree",
                                "box_self_intersection_d, cutoff 300 or 3000, closed; no margin", BENCH_TREE),
    {},
};
