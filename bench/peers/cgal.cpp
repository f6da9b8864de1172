// CGAL: box_self_intersection_d and box_intersection_d, the hybrid of streamed segment trees and scanning by Zomorodian and Edelsbrunner.
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
std::ptrdiff_t cutoff_for(size_t count) {
    return count < 30000 ? 300 : 3000;
}

void fill(const bp_box *boxes, std::vector<Box> &to, uint32_t first_id = 0) {
    for (uint32_t i = 0; i < to.size(); i++) to[i] = {boxes[i], first_id + i};
}

class SelfIntersection {
public:
    SelfIntersection(size_t count, const bp_box *) : boxes_(count), cutoff_(cutoff_for(count)) {
    }

    void update(const bp_box *boxes) {
        fill(boxes, boxes_);
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

// Two boxes with the same id count as one, so the second set's ids follow those of the first.
class Intersection {
public:
    explicit Intersection(const bench_sets &sets) : first_(sets.a_count), second_(sets.b_count) {
    }

    void update(const bench_sets &sets) {
        fill(sets.a, first_);
        fill(sets.b, second_, static_cast<uint32_t>(first_.size()));
    }

    void find(bp_pairs &pairs) {
        const auto after = static_cast<uint32_t>(first_.size());
        auto collect = [&pairs, after](const Box &x, const Box &y) { bench_push_between(&pairs, x.id, y.id - after); };
        CGAL::box_intersection_d(first_.begin(), first_.end(), second_.begin(), second_.end(), collect, Traits(),
                                 cutoff_for(first_.size() + second_.size()), CGAL::Box_intersection_d::CLOSED);
    }

private:
    std::vector<Box> first_, second_;
};

} // namespace

extern "C" const bench_peer cgal_peers[] = {
    make_peer<SelfIntersection>("cgal", "segment-tree",
                                "box_self_intersection_d, cutoff 300 or 3000, closed; no margin", BENCH_TREE),
    {},
};

extern "C" const bench_sets_peer cgal_sets[] = {
    make_sets_peer<Intersection>("cgal", "segment-tree", "box_intersection_d, cutoff 300 or 3000, closed; no margin"),
    {},
};
