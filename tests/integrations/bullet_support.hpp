// Shared by the tests of the broad phase for Bullet: random boxes, all pairs the plain way, and a btDbvtBroadphase that
// is exact.
#ifndef BP_TESTS_BULLET_SUPPORT_HPP
#define BP_TESTS_BULLET_SUPPORT_HPP

#include <broadphase/bullet.hpp>

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <LinearMath/btAabbUtil2.h>

#include <algorithm>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

extern "C" { // which it does not say itself; and last, because its macros have names of C++
#include <cmocka.h>
}

// BP_TEST_QUICK, as in support.h.
inline int shortness() {
    const char *text = std::getenv("BP_TEST_QUICK");
    return text ? std::atoi(text) : 0;
}

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed * 2 + 1) {
    }
    uint32_t below(uint32_t bound) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>((state_ >> 33) % bound);
    }
    btScalar between(btScalar low, btScalar high) {
        return low + (high - low) * static_cast<btScalar>(below(1u << 24)) / btScalar(1 << 24);
    }
    btVector3 vector(btScalar low, btScalar high) {
        const btScalar x = between(low, high), y = between(low, high), z = between(low, high);
        return btVector3(x, y, z);
    }

private:
    uint64_t state_;
};

// Pairs by unique id, sorted.
using Pairs = std::vector<std::pair<int, int>>;

inline std::pair<int, int> name_of(const btBroadphaseProxy *a, const btBroadphaseProxy *b) {
    return std::minmax(a->m_uniqueId, b->m_uniqueId);
}

inline Pairs pairs_in(btOverlappingPairCache &cache) {
    Pairs pairs;
    const btBroadphasePairArray &found = cache.getOverlappingPairArray();
    for (int i = 0; i < found.size(); ++i) pairs.push_back(name_of(found[i].m_pProxy0, found[i].m_pProxy1));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// How far two boxes are apart along the axis where they are furthest apart; not positive: they overlap.
inline btScalar gap_between(const btBroadphaseProxy &a, const btBroadphaseProxy &b) {
    btScalar gap = -BT_LARGE_FLOAT;
    for (int axis = 0; axis < 3; ++axis) {
        gap = std::max(gap, a.m_aabbMin[axis] - b.m_aabbMax[axis]);
        gap = std::max(gap, b.m_aabbMin[axis] - a.m_aabbMax[axis]);
    }
    return gap;
}

inline bool overlap(const btBroadphaseProxy &a, const btBroadphaseProxy &b) {
    return TestAabbAgainstAabb2(a.m_aabbMin, a.m_aabbMax, b.m_aabbMin, b.m_aabbMax);
}

// All pairs that overlap and that the cache wants, the plain way.
inline Pairs plain_pairs(const std::vector<btBroadphaseProxy *> &proxies, btOverlappingPairCache &cache) {
    Pairs pairs;
    for (size_t i = 0; i < proxies.size(); ++i)
        for (size_t k = i + 1; k < proxies.size(); ++k)
            if (overlap(*proxies[i], *proxies[k]) && cache.needsBroadphaseCollision(proxies[i], proxies[k]))
                pairs.push_back(name_of(proxies[i], proxies[k]));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// Without margins, and without pairs that have parted: the pairs are those of the boxes.
class ExactDbvt : public btDbvtBroadphase {
public:
    void setAabb(btBroadphaseProxy *proxy, const btVector3 &min, const btVector3 &max,
                 btDispatcher *dispatcher) override {
        setAabbForceUpdate(proxy, min, max, dispatcher);
    }
    void calculateOverlappingPairs(btDispatcher *dispatcher) override {
        btDbvtBroadphase::calculateOverlappingPairs(dispatcher);
        struct : btOverlapCallback {
            bool processOverlap(btBroadphasePair &pair) override {
                return !overlap(*pair.m_pProxy0, *pair.m_pProxy1);
            }
        } have_parted;
        m_paircache->processAllOverlappingPairs(&have_parted, dispatcher);
    }
};

#endif
