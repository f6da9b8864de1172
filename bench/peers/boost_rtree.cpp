// Boost.Geometry: the R-tree, packed anew each step (faster than moving every value), then one query per box, in the
// order of the tree's leaves: neighbours in space follow each other, so that their paths are still in the cache.
#include "peers/shim.hpp"

#define BOOST_ALLOW_DEPRECATED_HEADERS // its own headers include some

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

#include <utility>
#include <vector>

namespace {

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

using Point = bg::model::point<float, 3, bg::cs::cartesian>;
using Box = bg::model::box<Point>;
using Value = std::pair<Box, uint32_t>;
using Tree = bgi::rtree<Value, bgi::linear<8>>; // 16 or 32 values a node: 5 to 30 % slower

Point point_of(const float *p) {
    return Point(p[0], p[1], p[2]);
}

void pack(const bp_box *boxes, std::vector<Value> &values, Tree &tree) {
    for (uint32_t i = 0; i < values.size(); i++) values[i] = {Box(point_of(boxes[i].min), point_of(boxes[i].max)), i};
    tree = Tree(values.begin(), values.end());
}

class RTree {
public:
    RTree(size_t count, const bp_box *) : values_(count) {
    }

    void update(const bp_box *boxes) {
        pack(boxes, values_, tree_);
    }

    void find(bp_pairs &pairs) {
        for (const Value &own : tree_) {
            auto collect = [&](const Value &other) {
                if (own.second < other.second) bench_push(&pairs, own.second, other.second);
            };
            tree_.query(bgi::intersects(own.first), boost::make_function_output_iterator(collect));
        }
    }

private:
    std::vector<Value> values_;
    Tree tree_;
};

// A tree of the larger set, queried by the smaller one in the order given. A second tree, for an order in which
// neighbours follow each other, costs more than it saves, but for cubes at random places from 10^6 on.
class SetsRTree {
public:
    explicit SetsRTree(const bench_sets &sets)
        : first_is_tree_(sets.a_count >= sets.b_count), values_(first_is_tree_ ? sets.a_count : sets.b_count) {
    }

    void update(const bench_sets &sets) {
        sets_ = sets;
        pack(first_is_tree_ ? sets.a : sets.b, values_, tree_);
    }

    void find(bp_pairs &pairs) {
        const bp_box *asking = first_is_tree_ ? sets_.b : sets_.a;
        const auto count = static_cast<uint32_t>(first_is_tree_ ? sets_.b_count : sets_.a_count);
        for (uint32_t i = 0; i < count; i++) {
            auto collect = [&](const Value &other) {
                bench_push_between(&pairs, first_is_tree_ ? other.second : i, first_is_tree_ ? i : other.second);
            };
            tree_.query(bgi::intersects(Box(point_of(asking[i].min), point_of(asking[i].max))),
                        boost::make_function_output_iterator(collect));
        }
    }

private:
    bool first_is_tree_;
    std::vector<Value> values_;
    Tree tree_;
    bench_sets sets_{};
};

} // namespace

extern "C" const bench_peer boost_peers[] = {
    make_peer<RTree>("boost", "rtree", "packed anew each step, queried in leaf order; no margin", BENCH_TREE),
    {},
};

extern "C" const bench_sets_peer boost_sets[] = {
    make_sets_peer<SetsRTree>("boost", "rtree", "the larger set packed anew each step, queried by the smaller one"),
    {},
};
