// Whether a broad phase has given Bullet the right pairs.
#ifndef BENCH_ENGINE_PAIRS_HPP
#define BENCH_ENGINE_PAIRS_HPP

#include "engine/engine.h"

#include <BulletCollision/BroadphaseCollision/btOverlappingPairCache.h>

#include <vector>

// Compares the pairs in the cache with those of all proxies whose boxes overlap and that may meet, found without Bullet.
engine_sight look_at_pairs(const std::vector<btBroadphaseProxy *> &proxies, btOverlappingPairCache &cache);

#endif
