// Bullet's broad phases as worlds: they are told only what moved, and static objects are in the static filter group.
//
// The dynamic trees have two modes, and which is faster depends on how many objects leave their margins, so both run.
// Immediate (the default): each setAabb of a box that has left its grown one descends both trees. Deferred:
// calculateOverlappingPairs descends the tree of what moves against itself and against the other one. The trees are
// optimised once all objects are in, as a game would do after loading. The sweep and brute force are for small worlds.
#include "peers/bullet.hpp"
#include "peers/world_shim.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/BroadphaseCollision/btSimpleBroadphase.h>

#include <algorithm>
#include <vector>

namespace {

class World : public WorldShim {
public:
    void move(const bp_id *ids, const bp_box *boxes, size_t count) override {
        for (size_t i = 0; i < count; i++)
            phase_->setAabb(proxies_[ids ? ids[i] : i], vector_of(boxes[i].min), vector_of(boxes[i].max), nullptr);
    }

    void replace(const bp_id *ids, const bp_box *boxes, size_t count) override {
        for (size_t i = 0; i < count; i++) phase_->destroyProxy(proxies_[ids[i]], nullptr);
        for (size_t i = 0; i < count; i++) proxies_[ids[i]] = create_proxy(boxes[i], ids[i]);
    }

    void update() override {
        phase_->calculateOverlappingPairs(nullptr);
    }

    void rays(const bp_ray *rays, size_t count, bp_ray_hit *hits) override {
        for (size_t i = 0; i < count; i++) {
            FirstHit first(rays[i]);
            phase_->rayTest(first.tree_ray.from, first.tree_ray.to, first);
            hits[i] = first.hit;
        }
    }

    void pairs(bp_pairs *pairs, bp_pairs *stale) const override {
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
        static_count_ = static_count;
        for (size_t i = 0; i < count; i++) proxies_.push_back(create_proxy(boxes[i], i));
    }

    std::unique_ptr<btBroadphaseInterface> phase_;
    std::vector<btBroadphaseProxy *> proxies_;
    size_t static_count_ = 0;

private:
    virtual bool is_current(const btBroadphaseProxy *a, const btBroadphaseProxy *b) const = 0;

    // The broad phase does not skip what lies behind a hit, except in the second tree.
    struct FirstHit : btBroadphaseRayCallback {
        explicit FirstHit(const bp_ray &asked) : ray(asked), tree_ray(asked) {
            m_rayDirectionInverse = tree_ray.inverse;
            for (int axis = 0; axis < 3; axis++) m_signs[axis] = tree_ray.signs[axis];
            m_lambda_max = tree_ray.length;
        }
        bool process(const btBroadphaseProxy *proxy) override {
            bp_box box;
            for (int axis = 0; axis < 3; axis++) {
                box.min[axis] = proxy->m_aabbMin[axis];
                box.max[axis] = proxy->m_aabbMax[axis];
            }
            bench_ray_meets(&ray, &box, index_of(proxy->m_clientObject), &hit);
            m_lambda_max = std::min(m_lambda_max, hit.t);
            return true;
        }
        const bp_ray &ray;
        TreeRay tree_ray;
        bp_ray_hit hit{BP_NO_ID, INFINITY};
    };

    btBroadphaseProxy *create_proxy(const bp_box &box, size_t index) {
        const bool is_static = index < static_count_;
        const int all = btBroadphaseProxy::AllFilter, fixed = btBroadphaseProxy::StaticFilter;
        btBroadphaseProxy *proxy = phase_->createProxy(vector_of(box.min), vector_of(box.max), 0, tag_of(index),
                                                       is_static ? fixed : btBroadphaseProxy::DefaultFilter,
                                                       is_static ? all ^ fixed : all, nullptr);
        proxy->m_aabbMin = vector_of(box.min); // which the sweep does not keep
        proxy->m_aabbMax = vector_of(box.max);
        return proxy;
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

// The two trees alone, of what moves and of what is static: a leaf that has left its grown volume is put in anew.
class Trees : public ListingWorld {
public:
    Trees(const bp_box *boxes, size_t count, size_t static_count)
        : ListingWorld(boxes, count, static_count), leaves_(count) {
        for (uint32_t i = 0; i < count; i++) add(i);
        for (btDbvt &tree : trees_) tree.optimizeTopDown();
    }

    void rays(const bp_ray *rays, size_t count, bp_ray_hit *hits) override {
        for (size_t i = 0; i < count; i++) {
            TreeRay ray(rays[i]);
            FirstHit first;
            first.world = this;
            first.ray = &rays[i];
            first.hit = hits[i] = {BP_NO_ID, INFINITY};
            for (const btDbvt &tree : trees_) ray_test(tree, ray, stack_, first);
            hits[i] = first.hit;
        }
    }

private:
    void place(uint32_t id) override {
        btDbvtVolume volume = volume_of(boxes_[id]);
        trees_[is_static(id)].update(leaves_[id], volume, gDbvtMargin);
    }
    void remove(uint32_t id) override {
        trees_[is_static(id)].remove(leaves_[id]);
    }
    void add(uint32_t id) override {
        leaves_[id] = trees_[is_static(id)].insert(volume_of(boxes_[id]), tag_of(id));
    }
    void find() override {
        Collector collector;
        collector.world = this;
        trees_[0].collideTTpersistentStack(trees_[0].m_root, trees_[0].m_root, collector);
        trees_[0].collideTTpersistentStack(trees_[0].m_root, trees_[1].m_root, collector);
    }

    struct Collector : btDbvt::ICollide {
        Trees *world;
        void Process(const btDbvtNode *a, const btDbvtNode *b) override {
            world->take_pair(index_of(a->data), index_of(b->data));
        }
        using btDbvt::ICollide::Process;
    };

    // The tree does not skip what lies behind a hit.
    struct FirstHit : btDbvt::ICollide {
        const Trees *world;
        const bp_ray *ray;
        bp_ray_hit hit;
        void Process(const btDbvtNode *leaf) override {
            const uint32_t id = index_of(leaf->data);
            bench_ray_meets(ray, &world->boxes_[id], id, &hit);
        }
        using btDbvt::ICollide::Process;
    };

    TreeStack stack_;
    btDbvt trees_[2]; // of the others, and of static objects
    std::vector<btDbvtNode *> leaves_;
};

// Each box is grown by the margin, and may then have moved by it; two of them, and a little for rounding.
const float tree_reach = 4.001f * static_cast<float>(gDbvtMargin);

bench_world_peer keeping(bench_world_peer peer, float reach, size_t max_count = 0) {
    peer.keeps_pairs = true;
    peer.reach = reach;
    peer.max_count = max_count;
    return peer;
}

} // namespace

extern "C" const bench_world_peer bullet_worlds[] = {
    keeping(make_ray_world<Tree<false>>("bullet", "dbvt", "btDbvtBroadphase as it comes"), tree_reach),
    keeping(make_ray_world<Tree<true>>("bullet", "dbvt/deferred", "btDbvtBroadphase, deferred"), tree_reach),
    make_ray_world<Trees>("bullet", "tree", "two btDbvt, leaves re-inserted; margin 0.05, filtered here"),
    keeping(make_world<Sweep>("bullet", "sweep16", "btAxisSweep3; quantised to 16 bits"), 0, 16000),
    keeping(make_world<BruteForce>("bullet", "brute-force", "btSimpleBroadphase; quadratic"), 0, 8000),
    {},
};
