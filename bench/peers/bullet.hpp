// Shared by the shims of Bullet.
#ifndef BENCH_BULLET_HPP
#define BENCH_BULLET_HPP

#include <broadphase/broadphase.h>

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <memory>
#include <vector>

inline btVector3 vector_of(const float *p) {
    return btVector3(p[0], p[1], p[2]);
}
inline btDbvtVolume volume_of(const bp_box &box) {
    return btDbvtVolume::FromMM(vector_of(box.min), vector_of(box.max));
}

// The user pointer of each proxy. Not 0 for the first one: btSimpleBroadphase treats a null pointer as a free slot.
inline void *tag_of(size_t i) {
    return reinterpret_cast<void *>(static_cast<uintptr_t>(i + 1));
}
inline uint32_t index_of(const void *tag) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(tag) - 1);
}

// A ray as Bullet's trees want it.
struct TreeRay {
    explicit TreeRay(const bp_ray &ray)
        : from(vector_of(ray.origin)), to(from + vector_of(ray.direction) * ray.max_t), length(ray.max_t) {
        for (int axis = 0; axis < 3; axis++) {
            inverse[axis] = ray.direction[axis] == 0 ? btScalar(BT_LARGE_FLOAT) : 1 / ray.direction[axis];
            signs[axis] = inverse[axis] < 0;
        }
    }
    btVector3 from, to, inverse;
    unsigned int signs[3];
    btScalar length;
};

using TreeStack = btAlignedObjectArray<const btDbvtNode *>;

inline void ray_test(const btDbvt &tree, TreeRay &ray, TreeStack &stack, btDbvt::ICollide &collector) {
    const btVector3 zero(0, 0, 0);
    tree.rayTestInternal(tree.m_root, ray.from, ray.to, ray.inverse, ray.signs, ray.length, zero, zero, stack,
                         collector);
}

// Frees the proxies of a btDbvtBroadphase before it is destroyed: its destructor frees trees and pairs but not proxies,
// and destroyProxy for each would be quadratic. The other broad phases keep their proxies in an array.
inline void free_proxies(const std::vector<btBroadphaseProxy *> &proxies) {
    for (btBroadphaseProxy *proxy : proxies) btAlignedFree(proxy);
}

// The world that the sweeps quantise must hold the boxes of all steps; beyond it coordinates are clamped, which can
// only add candidates.
template <class Sweep, class Index> std::unique_ptr<Sweep> make_sweep(const bp_box *boxes, size_t count) {
    btVector3 low = vector_of(boxes[0].min), high = vector_of(boxes[0].max);
    for (size_t i = 1; i < count; i++) {
        low.setMin(vector_of(boxes[i].min));
        high.setMax(vector_of(boxes[i].max));
    }
    const btVector3 slack = (high - low) * btScalar(0.05);
    return std::make_unique<Sweep>(low - slack, high + slack, static_cast<Index>(count + 2), nullptr, true);
}

#endif
