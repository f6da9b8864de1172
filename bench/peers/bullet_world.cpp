// Bullet's broad phases as worlds: they are told only what moved, and static objects are in the static filter group.
//
// The dynamic trees have two modes, and which is faster depends on how many objects leave their margins, so both run.
// Immediate (the default): each setAabb of a box that has left its grown one descends both trees. Deferred:
// calculateOverlappingPairs descends the tree of what moves against itself and against the other one. The trees are
// optimised once all objects are in, as a game would do after loading. The sweep and brute force are for small worlds.
#include "peers/bullet.hpp"
#include "peers/world_peer.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/BroadphaseCollision/btSimpleBroadphase.h>

#include <exception>
#include <vector>

namespace {

class World {
public:
    virtual ~World() = default;

    void move(const bp_id *ids, const bp_box *boxes, size_t count) {
        for (size_t i = 0; i < count; i++)
            phase_->setAabb(proxies_[ids ? ids[i] : i], vector_of(boxes[i].min), vector_of(boxes[i].max), nullptr);
    }

    void update() {
        phase_->calculateOverlappingPairs(nullptr);
    }

    void pairs(bp_pairs *pairs, bp_pairs *stale) const {
        const btBroadphasePairArray &found = phase_->getOverlappingPairCache()->getOverlappingPairArray();
        for (int k = 0; k < found.size(); k++) {
            const btBroadphaseProxy *a = found[k].m_pProxy0, *b = found[k].m_pProxy1;
            bench_push(is_current(a, b) ? pairs : stale, index_of(a->m_clientObject), index_of(b->m_clientObject));
        }
    }

protected:
    explicit World(std::unique_ptr<btBroadphaseInterface> phase) : phase_(std::move(phase)) {
    }

    void add_all(const bp_box *boxes, size_t count, size_t static_count) {
        for (size_t i = 0; i < count; i++) proxies_.push_back(create_proxy(boxes[i], i, i < static_count));
    }

    std::unique_ptr<btBroadphaseInterface> phase_;
    std::vector<btBroadphaseProxy *> proxies_;

private:
    virtual bool is_current(const btBroadphaseProxy *a, const btBroadphaseProxy *b) const = 0;

    btBroadphaseProxy *create_proxy(const bp_box &box, size_t index, bool is_static) {
        const int all = btBroadphaseProxy::AllFilter, fixed = btBroadphaseProxy::StaticFilter;
        return phase_->createProxy(vector_of(box.min), vector_of(box.max), 0, tag_of(index),
                                   is_static ? fixed : btBroadphaseProxy::DefaultFilter, is_static ? all ^ fixed : all,
                                   nullptr);
    }
};

class TreeWorld : public World {
public:
    TreeWorld(const bp_box *boxes, size_t count, size_t static_count, bool deferred)
        : World(std::make_unique<btDbvtBroadphase>()) {
        auto &phase = static_cast<btDbvtBroadphase &>(*phase_);
        phase.m_deferedcollide = deferred;
        add_all(boxes, count, static_count);
        for (int stage = 0; stage <= btDbvtBroadphase::STAGECOUNT; stage++)
            update(); // moves resting objects to the second tree
        phase.optimize();
    }

    ~TreeWorld() override {
        free_proxies(proxies_);
    }

private:
    bool is_current(const btBroadphaseProxy *a, const btBroadphaseProxy *b) const override {
        return Intersect(static_cast<const btDbvtProxy *>(a)->leaf->volume,
                         static_cast<const btDbvtProxy *>(b)->leaf->volume);
    }
};

template <bool Deferred> class Tree : public TreeWorld {
public:
    Tree(const bp_box *boxes, size_t count, size_t static_count) : TreeWorld(boxes, count, static_count, Deferred) {
    }
};

// No margin. The sweep compares rounded boxes; pairs that overlap only when rounded count as stale.
class ExactWorld : public World {
protected:
    ExactWorld(std::unique_ptr<btBroadphaseInterface> phase, const bp_box *boxes, size_t count, size_t static_count)
        : World(std::move(phase)) {
        add_all(boxes, count, static_count);
        move(nullptr, boxes, count); // the sweep does not keep the boxes of proxies before they move
    }

private:
    bool is_current(const btBroadphaseProxy *a, const btBroadphaseProxy *b) const override {
        return TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax);
    }
};

class Sweep : public ExactWorld {
public:
    Sweep(const bp_box *boxes, size_t count, size_t static_count)
        : ExactWorld(make_sweep<btAxisSweep3, unsigned short>(boxes, count), boxes, count, static_count) {
    }
};

class BruteForce : public ExactWorld {
public:
    BruteForce(const bp_box *boxes, size_t count, size_t static_count)
        : ExactWorld(std::make_unique<btSimpleBroadphase>(static_cast<int>(count)), boxes, count, static_count) {
    }
};

template <class Shim>
bench_world_peer make_world(const char *method, const char *note, float reach = 0, size_t max_count = 0) {
    bench_world_peer peer{};
    peer.who = "bullet";
    peer.method = method;
    peer.note = note;
    peer.reach = reach;
    peer.max_count = max_count;
    peer.create = [](const bp_box *boxes, size_t count, size_t static_count) -> void * {
        try {
            return static_cast<World *>(new Shim(boxes, count, static_count));
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

// Each box is grown by the margin, and may then have moved by it; two of them, and a little for rounding.
const float tree_reach = 4.001f * static_cast<float>(gDbvtMargin);

} // namespace

extern "C" const bench_world_peer bullet_worlds[] = {
    make_world<Tree<false>>("dbvt", "btDbvtBroadphase as it comes", tree_reach),
    make_world<Tree<true>>("dbvt/deferred", "btDbvtBroadphase, deferred", tree_reach),
    make_world<Sweep>("sweep16", "btAxisSweep3; quantised to 16 bits", 0, 16000),
    make_world<BruteForce>("brute-force", "btSimpleBroadphase; quadratic", 0, 8000),
    {},
};
