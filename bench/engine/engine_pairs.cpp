#include "engine/engine_pairs.hpp"

#include <broadphase/broadphase.h>

#include <LinearMath/btAabbUtil2.h>

#include <algorithm>
#include <iterator>

static uint64_t name_of(const btBroadphaseProxy &a, const btBroadphaseProxy &b) {
    const auto [low, high] = std::minmax(a.m_uniqueId, b.m_uniqueId);
    return static_cast<uint64_t>(low) << 32 | static_cast<uint64_t>(high);
}

// Of pairs in any order, by the places of their proxies: unique ids are a matter of the broad phase.
static uint64_t hash_of(const bp_pair &pair) {
    const uint64_t name = static_cast<uint64_t>(pair.a) << 32 | pair.b;
    return (name ^ name >> 29) * 0x9e3779b97f4a7c15u;
}

// All pairs of boxes that overlap and may meet, sorted: by one call, without Bullet.
static std::vector<uint64_t> true_pairs(const std::vector<btBroadphaseProxy *> &proxies,
                                        const btOverlappingPairCache &cache, uint64_t *hash) {
    std::vector<bp_box> boxes;
    for (const btBroadphaseProxy *proxy : proxies) {
        const btVector3 &min = proxy->m_aabbMin, &max = proxy->m_aabbMax;
        boxes.push_back({{min.x(), min.y(), min.z()}, {max.x(), max.y(), max.z()}});
    }
    bp_pairs found = {};
    if (bp_find_pairs(boxes.data(), boxes.size(), nullptr, &found) != BP_OK) found.count = 0;
    std::vector<uint64_t> pairs;
    for (size_t i = 0; i < found.count; ++i) {
        btBroadphaseProxy *a = proxies[found.data[i].a], *b = proxies[found.data[i].b];
        if (!cache.needsBroadphaseCollision(a, b)) continue;
        pairs.push_back(name_of(*a, *b));
        *hash += hash_of(found.data[i]);
    }
    bp_pairs_free(&found, nullptr);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

engine_sight look_at_pairs(const std::vector<btBroadphaseProxy *> &proxies, btOverlappingPairCache &cache) {
    engine_sight sight = {};
    const std::vector<uint64_t> wanted = true_pairs(proxies, cache, &sight.hash);
    const btBroadphasePairArray &given = cache.getOverlappingPairArray();
    std::vector<uint64_t> overlapping, wrong;
    for (int i = 0; i < given.size(); ++i) {
        const btBroadphaseProxy &a = *given[i].m_pProxy0, &b = *given[i].m_pProxy1;
        if (TestAabbAgainstAabb2(a.m_aabbMin, a.m_aabbMax, b.m_aabbMin, b.m_aabbMax))
            overlapping.push_back(name_of(a, b));
    }
    std::sort(overlapping.begin(), overlapping.end());
    std::set_symmetric_difference(wanted.begin(), wanted.end(), overlapping.begin(), overlapping.end(),
                                  std::back_inserter(wrong));
    sight.pairs = wanted.size();
    sight.given = static_cast<size_t>(given.size());
    sight.wrong = wrong.size();
    return sight;
}
