// Bullet's dynamic tree, asked for boxes and rays.
//
// The tree alone, as its broad phase uses it: collideTV, and rayTestInternal with a stack that is kept. Leaves hold the
// boxes themselves, without a margin. It is built leaf by leaf, as in a world, and a second time from the top, which
// takes five times as long and makes queries a quarter faster.
#include "peers/bullet.hpp"
#include "peers/query_peer.h"

#include <exception>

namespace {

struct Collector : btDbvt::ICollide {
    bp_id *ids;
    size_t capacity, count;
    void Process(const btDbvtNode *leaf) override {
        if (count < capacity) ids[count] = index_of(leaf->data);
        count++;
    }
    using btDbvt::ICollide::Process;
};

class Tree {
public:
    Tree(const bp_box *boxes, size_t count, bool optimised) {
        for (size_t i = 0; i < count; i++) tree_.insert(volume_of(boxes[i]), tag_of(i));
        if (optimised) tree_.optimizeTopDown();
    }

    size_t box(const bp_box &box, bp_id *ids, size_t capacity) {
        begin(ids, capacity);
        tree_.collideTV(tree_.m_root, volume_of(box), collector_);
        return collector_.count;
    }

    size_t ray(const bp_ray &ray, bp_id *ids, size_t capacity) {
        TreeRay tree_ray(ray);
        begin(ids, capacity);
        ray_test(tree_, tree_ray, stack_, collector_);
        return collector_.count;
    }

private:
    void begin(bp_id *ids, size_t capacity) {
        collector_.ids = ids;
        collector_.capacity = capacity;
        collector_.count = 0;
    }

    btDbvt tree_;
    Collector collector_;
    TreeStack stack_;
};

template <bool Optimised> bench_query_peer make_tree(const char *method, const char *note) {
    bench_query_peer peer{};
    peer.who = "bullet";
    peer.method = method;
    peer.note = note;
    peer.create = [](const bp_box *boxes, size_t count) -> void * {
        try {
            return new Tree(boxes, count, Optimised);
        } catch (const std::exception &) {
            return nullptr;
        }
    };
    peer.box = [](void *state, const bp_box *box, bp_id *ids, size_t capacity) {
        return static_cast<Tree *>(state)->box(*box, ids, capacity);
    };
    peer.ray = [](void *state, const bp_ray *ray, bp_id *ids, size_t capacity) {
        return static_cast<Tree *>(state)->ray(*ray, ids, capacity);
    };
    peer.destroy = [](void *state) { delete static_cast<Tree *>(state); };
    return peer;
}

} // namespace

extern "C" const bench_query_peer bullet_queries[] = {
    make_tree<false>("tree", "btDbvt, built leaf by leaf"),
    make_tree<true>("tree/top-down", "btDbvt, built from the top"),
    {},
};
