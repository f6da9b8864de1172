// nanoflann: a k-d tree over the points, built anew each step, then a radius search for each point. It compares squares
// of distances in floats, with <; so it is asked for a little more, and what it finds is compared by the definition.
//
// Two variants: searches in the order of the leaves, where neighbours in space follow each other and their paths are
// still in the cache; and in the order of the points, the obvious way.
#include "peers/peer.h"

#include <nanoflann.hpp>

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace {

struct Cloud {
    const float *points = nullptr;
    size_t count = 0;

    size_t kdtree_get_point_count() const {
        return count;
    }
    float kdtree_get_pt(size_t index, size_t axis) const {
        return points[3 * index + axis];
    }
    template <class Box> bool kdtree_get_bbox(Box &) const {
        return false;
    }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Cloud>, Cloud, 3, uint32_t>;

#if NANOFLANN_VERSION >= 0x150
using Match = nanoflann::ResultItem<uint32_t, float>;
using Parameters = nanoflann::SearchParameters;
const std::vector<uint32_t> &leaf_order(const Tree &tree) {
    return tree.vAcc_;
}
#else
using Match = std::pair<uint32_t, float>;
using Parameters = nanoflann::SearchParams;
const std::vector<uint32_t> &leaf_order(const Tree &tree) {
    return tree.vAcc;
}
#endif

constexpr size_t leaf_size = 32; // 10, the default, takes longer to build and as long to search
constexpr float square = BENCH_RADIUS * BENCH_RADIUS * 1.00001f;

class KdTree {
public:
    explicit KdTree(size_t count) {
        cloud_.count = count;
    }

    void update(const float *points) {
        cloud_.points = points;
        tree_.reset(new Tree(3, cloud_, nanoflann::KDTreeSingleIndexAdaptorParams(leaf_size)));
        tree_->buildIndex();
    }

    void find(bp_pairs &pairs, bool in_leaf_order) {
        Parameters parameters;
        parameters.sorted = false;
        for (size_t i = 0; i < cloud_.count; i++) {
            const uint32_t own = in_leaf_order ? leaf_order(*tree_)[i] : (uint32_t)i;
            const float *point = cloud_.points + 3 * (size_t)own;
            tree_->radiusSearch(point, square, matches_, parameters);
            for (const Match &match : matches_)
                if (own < match.first && bench_near(point, cloud_.points + 3 * (size_t)match.first))
                    bench_push(&pairs, own, match.first);
        }
    }

private:
    Cloud cloud_;
    std::unique_ptr<Tree> tree_;
    std::vector<Match> matches_;
};

template <bool in_leaf_order> constexpr bench_peer make_kd_tree(const char *method, const char *note) {
    bench_peer peer{};
    peer.who = "nanoflann";
    peer.method = method;
    peer.note = note;
    peer.kind = BENCH_TREE;
    peer.exact = true;
    peer.create = [](size_t count, const bp_box *) -> void * { return new (std::nothrow) KdTree(count); };
    peer.update_points = [](void *state, const float *points) { static_cast<KdTree *>(state)->update(points); };
    peer.find = [](void *state, bp_pairs *pairs) { static_cast<KdTree *>(state)->find(*pairs, in_leaf_order); };
    peer.destroy = [](void *state) { delete static_cast<KdTree *>(state); };
    return peer;
}

} // namespace

extern "C" const bench_peer nanoflann_peers[] = {
    make_kd_tree<true>("kd-tree", "radius search, leaves of 32 points, in the order of the leaves"),
    make_kd_tree<false>("kd-tree/as-given", "the same in the order of the points"),
    {},
};
