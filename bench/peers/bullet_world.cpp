// Bullet's dynamic-tree broad phase as a world: only what moved is told.
//
// It has two ways, and which is faster depends on how many leave their margins, so both run. At once (its default): each
// setAabb of a box that has left its grown one descends both trees. Deferred: calculateOverlappingPairs descends the tree
// of what moves against itself and against the other one. Static objects are in its static filter group. As a game would
// do after loading, the trees are built well once all are in.
#include "../world_peer.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <exception>
#include <vector>

namespace {

btVector3 vector_of(const float *p) {
    return btVector3(p[0], p[1], p[2]);
}

class World {
public:
    World(const bp_box *boxes, size_t count, size_t static_count, bool deferred) {
        phase_.m_deferedcollide = deferred;
        for (size_t i = 0; i < count; i++) proxies_.push_back(create_proxy(boxes[i], i, i < static_count));
        for (int stage = 0; stage <= btDbvtBroadphase::STAGECOUNT; stage++)
            update(); // what rests gets a tree of its own
        phase_.optimize();
    }

    // The pair cache and the trees go as a whole; destroyProxy, one by one, would be quadratic.
    ~World() {
        for (btBroadphaseProxy *proxy : proxies_) btAlignedFree(proxy);
    }

    void move(const bp_id *ids, const bp_box *boxes, size_t count) {
        for (size_t i = 0; i < count; i++)
            phase_.setAabb(proxies_[ids ? ids[i] : i], vector_of(boxes[i].min), vector_of(boxes[i].max), nullptr);
    }

    void update() {
        phase_.calculateOverlappingPairs(nullptr);
    }

    void pairs(bp_pairs *pairs, bp_pairs *stale) const {
        const btBroadphasePairArray &found = phase_.m_paircache->getOverlappingPairArray();
        for (int k = 0; k < found.size(); k++) {
            const auto *a = static_cast<btDbvtProxy *>(found[k].m_pProxy0);
            const auto *b = static_cast<btDbvtProxy *>(found[k].m_pProxy1);
            bench_push(Intersect(a->leaf->volume, b->leaf->volume) ? pairs : stale, index_of(a), index_of(b));
        }
    }

private:
    btBroadphaseProxy *create_proxy(const bp_box &box, size_t index, bool is_static) {
        void *tag = reinterpret_cast<void *>(static_cast<uintptr_t>(index));
        const int all = btBroadphaseProxy::AllFilter, fixed = btBroadphaseProxy::StaticFilter;
        return phase_.createProxy(vector_of(box.min), vector_of(box.max), 0, tag,
                                  is_static ? fixed : btBroadphaseProxy::DefaultFilter, is_static ? all ^ fixed : all,
                                  nullptr);
    }

    static uint32_t index_of(const btDbvtProxy *proxy) {
        return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(proxy->m_clientObject));
    }

    btDbvtBroadphase phase_;
    std::vector<btBroadphaseProxy *> proxies_;
};

template <bool Deferred> bench_world_peer make_world(const char *method, const char *note) {
    bench_world_peer peer{};
    peer.who = "bullet";
    peer.method = method;
    peer.note = note;
    // Each box is grown by the margin, and may then have moved by it; two of them, and a little for rounding.
    peer.reach = 4.001f * static_cast<float>(gDbvtMargin);
    peer.create = [](const bp_box *boxes, size_t count, size_t static_count) -> void * {
        try {
            return new World(boxes, count, static_count, Deferred);
        } catch (const std::exception &) {
            return nullptr;
        }
    };
    peer.move = [](void *state, const bp_id *ids, const bp_box *boxes, size_t count) {
        static_cast<World *>(state)->move(ids, boxes, count);
    };
    peer.update = [](void *state) { static_cast<World *>(state)->update(); };
    peer.pairs = [](const void *state, bp_pairs *pairs, bp_pairs *stale) {
        static_cast<const World *>(state)->pairs(pairs, stale);
    };
    peer.destroy = [](void *state) { delete static_cast<World *>(state); };
    return peer;
}

} // namespace

extern "C" const bench_world_peer bullet_worlds[] = {
    make_world<false>("dbvt", "btDbvtBroadphase as it comes"),
    make_world<true>("dbvt/deferred", "btDbvtBroadphase, deferred"),
    {},
};
