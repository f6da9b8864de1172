// Bullet: the dynamic-tree broad phase, its bare tree, the two sweep-and-prune broad phases, and brute force.
#include "peers/bullet.hpp"
#include "peers/shim.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/BroadphaseCollision/btSimpleBroadphase.h>

#include <vector>

namespace {

// Any btBroadphaseInterface: move all proxies, let it compute its pairs, read its pair cache.
class Broadphase {
public:
    void update(const bp_box *boxes) {
        boxes_ = boxes;
        for (uint32_t i = 0; i < proxies_.size(); i++)
            phase_->setAabb(proxies_[i], vector_of(boxes[i].min), vector_of(boxes[i].max), nullptr);
    }

    void find(bp_pairs &pairs) {
        phase_->calculateOverlappingPairs(nullptr);
        const btBroadphasePairArray &found = phase_->getOverlappingPairCache()->getOverlappingPairArray();
        for (int k = 0; k < found.size(); k++)
            bench_push_exact(&pairs, boxes_, index_of(found[k].m_pProxy0->m_clientObject),
                             index_of(found[k].m_pProxy1->m_clientObject));
    }

protected:
    void add_all(size_t count, const bp_box *boxes) {
        for (uint32_t i = 0; i < count; i++)
            proxies_.push_back(phase_->createProxy(vector_of(boxes[i].min), vector_of(boxes[i].max), 0, tag_of(i),
                                                   btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter,
                                                   nullptr));
    }

    std::unique_ptr<btBroadphaseInterface> phase_;
    std::vector<btBroadphaseProxy *> proxies_;
    const bp_box *boxes_ = nullptr;
};

class DbvtBroadphase : public Broadphase {
public:
    DbvtBroadphase(size_t count, const bp_box *boxes) {
        auto phase = std::make_unique<btDbvtBroadphase>();
        phase->m_deferedcollide = true;
        phase_ = std::move(phase);
        add_all(count, boxes);
    }
    ~DbvtBroadphase() {
        free_proxies(proxies_);
    }
};

template <class Sweep, class Index> class SweepBroadphase : public Broadphase {
public:
    SweepBroadphase(size_t count, const bp_box *boxes) {
        phase_ = make_sweep<Sweep, Index>(boxes, count);
        add_all(count, boxes);
    }
};

// Every box against every other, and each of the pairs that do not overlap is looked up in the pair cache.
class BruteForce : public Broadphase {
public:
    BruteForce(size_t count, const bp_box *boxes) {
        phase_ = std::make_unique<btSimpleBroadphase>(static_cast<int>(count));
        add_all(count, boxes);
    }
};

// The bare tree: a leaf that has left its fattened volume is put in anew; all pairs of leaves by one descent of the
// tree against itself.
class Tree {
public:
    Tree(size_t count, const bp_box *boxes) : boxes_(boxes) {
        for (uint32_t i = 0; i < count; i++) leaves_.push_back(tree_.insert(volume_of(boxes[i]), tag_of(i)));
    }

    void update(const bp_box *boxes) {
        boxes_ = boxes;
        for (uint32_t i = 0; i < leaves_.size(); i++) {
            btDbvtVolume volume = volume_of(boxes[i]);
            tree_.update(leaves_[i], volume, gDbvtMargin);
        }
    }

    void find(bp_pairs &pairs) {
        Collector collector;
        collector.boxes = boxes_;
        collector.pairs = &pairs;
        tree_.collideTTpersistentStack(tree_.m_root, tree_.m_root, collector);
    }

private:
    struct Collector : btDbvt::ICollide {
        const bp_box *boxes;
        bp_pairs *pairs;
        void Process(const btDbvtNode *a, const btDbvtNode *b) override {
            bench_push_exact(pairs, boxes, index_of(a->data), index_of(b->data));
        }
        using btDbvt::ICollide::Process;
    };

    btDbvt tree_;
    std::vector<btDbvtNode *> leaves_;
    const bp_box *boxes_;
};

using Sweep16 = SweepBroadphase<btAxisSweep3, unsigned short>;
using Sweep32 = SweepBroadphase<bt32BitAxisSweep3, unsigned int>;

} // namespace

extern "C" const bench_peer bullet_peers[] = {
    make_peer<DbvtBroadphase>("bullet", "dbvt", "btDbvtBroadphase, deferred; margin 0.05, filtered here", BENCH_TREE,
                              true),
    make_peer<Tree>("bullet", "tree", "btDbvt alone, leaves re-inserted; margin 0.05, filtered here", BENCH_TREE, true),
    make_peer<Sweep16>("bullet", "sweep16", "btAxisSweep3; quantised to 16 bits outwards, filtered here", BENCH_SWEEP,
                       true, 16000),
    make_peer<Sweep32>("bullet", "sweep32", "bt32BitAxisSweep3; set-up is quadratic; filtered here", BENCH_SWEEP, true,
                       20000),
    make_peer<BruteForce>("bullet", "brute-force", "btSimpleBroadphase; quadratic", BENCH_ALL_PAIRS, false, 8000),
    {},
};
