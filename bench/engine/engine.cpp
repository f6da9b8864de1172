// The contestants of the suite engine.
//
// Bullet's step calls setAabb for one object after the other, between the computations of their boxes. To time the broad
// phase alone, a recorder stands in its place: it keeps the boxes, and hands them all over in calculateOverlappingPairs.
// Some broad phases find pairs in createProxy: so the first step is charged with that, too, as another one takes it for the
// same boxes.
#include "engine/engine_memory.hpp"
#include "engine/engine_pairs.hpp"
#include "engine/engine_scenes.hpp"

#include <broadphase/bullet.hpp>

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/BroadphaseCollision/btSimpleBroadphase.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace {

// ---- broad phases ---------------------------------------------------------------------------------------------------

using BroadPhase = std::unique_ptr<btBroadphaseInterface>;

BroadPhase make_ours(size_t, bool) {
    return std::make_unique<broadphase::bullet_broadphase>();
}
BroadPhase make_exact(size_t, bool) {
    auto made = std::make_unique<broadphase::bullet_broadphase>();
    made->set_resting_margin(0);
    return made;
}
BroadPhase make_dbvt(size_t, bool) {
    return std::make_unique<btDbvtBroadphase>();
}
BroadPhase make_deferred(size_t, bool) {
    auto made = std::make_unique<btDbvtBroadphase>();
    made->m_deferedcollide = true;
    return made;
}
// Its tree for rays is kept only where there are any.
BroadPhase make_sweep(size_t objects, bool has_rays) {
    const btVector3 reach(400, 400, 400);
    return std::make_unique<bt32BitAxisSweep3>(-reach, reach, static_cast<unsigned>(objects + 64), nullptr, !has_rays);
}
BroadPhase make_simple(size_t objects, bool) {
    return std::make_unique<btSimpleBroadphase>(static_cast<int>(objects + 64));
}

const engine_contestant contestants[] = {
    {"broadphase", "bullet_broadphase", "ours, as it comes", 0},
    {"broadphase", "bullet_broadphase/exact", "ours, without a margin for what rests", 0},
    {"bullet", "dbvt", "btDbvtBroadphase as it comes", 0},
    {"bullet", "dbvt/deferred", "btDbvtBroadphase, deferred", 0},
    {"bullet", "sweep32", "bt32BitAxisSweep3; setting it up is quadratic", 20000},
    {"bullet", "brute-force", "btSimpleBroadphase; quadratic", 1000},
    {},
};
BroadPhase (*const makers[])(size_t objects, bool has_rays) = {make_ours,     make_exact, make_dbvt,
                                                               make_deferred, make_sweep, make_simple};

// ---- a recorder -----------------------------------------------------------------------------------------------------

class Recorder : public btBroadphaseInterface {
public:
    explicit Recorder(BroadPhase phase) : phase_(std::move(phase)) {
    }

    double set_seconds = 0, find_seconds = 0; // of the last step
    std::vector<btBroadphaseProxy *> proxies;

    btBroadphaseProxy *createProxy(const btVector3 &min, const btVector3 &max, int type, void *user, int group,
                                   int mask, btDispatcher *dispatcher) override {
        proxies.push_back(phase_->createProxy(min, max, type, user, group, mask, dispatcher));
        return proxies.back();
    }
    void destroyProxy(btBroadphaseProxy *proxy, btDispatcher *dispatcher) override {
        const auto found = std::find(proxies.rbegin(), proxies.rend(), proxy);
        *found = proxies.back();
        proxies.pop_back();
        phase_->destroyProxy(proxy, dispatcher);
    }
    void setAabb(btBroadphaseProxy *proxy, const btVector3 &min, const btVector3 &max, btDispatcher *) override {
        moves_.push_back({min, max, proxy});
    }
    void calculateOverlappingPairs(btDispatcher *dispatcher) override {
        const double start = thread_seconds();
        for (const Move &move : moves_) phase_->setAabb(move.proxy, move.min, move.max, dispatcher);
        const double set = thread_seconds();
        phase_->calculateOverlappingPairs(dispatcher);
        set_seconds = set - start;
        find_seconds = thread_seconds() - set;
        moves_.clear();
    }
    void getAabb(btBroadphaseProxy *proxy, btVector3 &min, btVector3 &max) const override {
        phase_->getAabb(proxy, min, max);
    }
    void rayTest(const btVector3 &from, const btVector3 &to, btBroadphaseRayCallback &callback, const btVector3 &min,
                 const btVector3 &max) override {
        phase_->rayTest(from, to, callback, min, max);
    }
    void aabbTest(const btVector3 &min, const btVector3 &max, btBroadphaseAabbCallback &callback) override {
        phase_->aabbTest(min, max, callback);
    }
    btOverlappingPairCache *getOverlappingPairCache() override {
        return phase_->getOverlappingPairCache();
    }
    const btOverlappingPairCache *getOverlappingPairCache() const override {
        return phase_->getOverlappingPairCache();
    }
    void getBroadphaseAabb(btVector3 &min, btVector3 &max) const override {
        phase_->getBroadphaseAabb(min, max);
    }
    void printStats() override {
        phase_->printStats();
    }

private:
    struct Move {
        btVector3 min, max;
        btBroadphaseProxy *proxy;
    };
    BroadPhase phase_;
    std::vector<Move> moves_;
};

// ---- rays -----------------------------------------------------------------------------------------------------------

constexpr int ray_count = 500;

// From above the middle in all directions, a little further in each step.
void aim(int ray, int step, btVector3 &from, btVector3 &to) {
    const btScalar angle =
        SIMD_2_PI * static_cast<btScalar>(ray) / ray_count + btScalar(0.01) * static_cast<btScalar>(step);
    from = btVector3(0, 12, 0);
    to = btVector3(40 * btCos(angle), static_cast<btScalar>(ray % 20) - 10, 40 * btSin(angle));
}

struct Counter : btBroadphaseRayCallback {
    size_t count = 0;
    Counter(const btVector3 &from, const btVector3 &to) {
        const btVector3 direction = (to - from).normalized();
        for (int axis = 0; axis < 3; ++axis) {
            m_rayDirectionInverse[axis] = direction[axis] == 0 ? BT_LARGE_FLOAT : 1 / direction[axis];
            m_signs[axis] = m_rayDirectionInverse[axis] < 0;
        }
        m_lambda_max = direction.dot(to - from);
    }
    bool process(const btBroadphaseProxy *) override {
        ++count;
        return true;
    }
};

} // namespace

// ---- the interface --------------------------------------------------------------------------------------------------

const engine_contestant *const engine_contestants = contestants;

struct engine {
    std::unique_ptr<EngineMemory> memory;
    Recorder recorder;
    EngineWorld world;
    bool has_rays;
    double creation_seconds = 0; // until the first step has been charged with them
    int steps = 0;

    engine(std::unique_ptr<EngineMemory> given, BroadPhase phase, size_t scene, size_t objects)
        : memory(std::move(given)), recorder(std::move(phase)), world(recorder),
          has_rays(engine_scenes[scene].has_rays) {
        build_scene(scene, objects, world);
    }
};

static engine *create_engine(size_t scene, size_t objects, size_t contestant) {
    auto memory = std::make_unique<EngineMemory>();
    const EngineMemory::Use use(*memory);
    auto phase = makers[contestant](objects, engine_scenes[scene].has_rays);
    return new engine(std::move(memory), std::move(phase), scene, objects);
}

// Of a broad phase that is thrown away. (Some have no boxes before the first setAabb: so the shapes are asked.)
static double time_of_creation(const engine &like, size_t objects, size_t contestant) {
    EngineMemory memory;
    const EngineMemory::Use use(memory);
    const BroadPhase phase = makers[contestant](objects, like.has_rays);
    const std::vector<btBroadphaseProxy *> &proxies = like.recorder.proxies;
    std::vector<std::pair<btVector3, btVector3>> boxes(proxies.size());
    for (size_t i = 0; i < boxes.size(); ++i) {
        const auto *object = static_cast<const btCollisionObject *>(proxies[i]->m_clientObject);
        object->getCollisionShape()->getAabb(object->getWorldTransform(), boxes[i].first, boxes[i].second);
    }
    const double start = thread_seconds();
    for (size_t i = 0; i < boxes.size(); ++i)
        phase->createProxy(boxes[i].first, boxes[i].second, 0, proxies[i]->m_clientObject,
                           proxies[i]->m_collisionFilterGroup, proxies[i]->m_collisionFilterMask, nullptr);
    return thread_seconds() - start;
}

engine *engine_create(size_t scene, size_t objects, size_t contestant) try {
    engine *made = create_engine(scene, objects, contestant);
    made->creation_seconds = time_of_creation(*made, objects, contestant);
    return made;
} catch (const std::exception &) {
    return nullptr;
}

static double cast_rays(engine &engine) {
    btVector3 from, to;
    const double start = thread_seconds();
    for (int ray = 0; ray < ray_count; ++ray) {
        aim(ray, engine.steps, from, to);
        Counter counter(from, to);
        engine.recorder.rayTest(from, to, counter, btVector3(0, 0, 0), btVector3(0, 0, 0));
    }
    return thread_seconds() - start;
}

static void cast_rays_at_shapes(engine &engine) {
    btVector3 from, to;
    for (int ray = 0; ray < ray_count; ++ray) {
        aim(ray, engine.steps, from, to);
        btCollisionWorld::ClosestRayResultCallback closest(from, to);
        engine.world.world.rayTest(from, to, closest);
    }
}

void engine_step(engine *engine, engine_times *times) {
    const EngineMemory::Use use(*engine->memory);
    const double start = thread_seconds();
    engine->world.step();
    if (engine->has_rays) cast_rays_at_shapes(*engine);
    times->step = thread_seconds() - start;
    times->set = engine->recorder.set_seconds + std::exchange(engine->creation_seconds, 0);
    times->find = engine->recorder.find_seconds;
    times->rays = engine->has_rays ? cast_rays(*engine) : 0;
    ++engine->steps;
}

engine_sight engine_look(engine *engine) {
    return look_at_pairs(engine->recorder.proxies, *engine->recorder.getOverlappingPairCache());
}

void engine_follow(engine *follower, const engine *leader) {
    follower->world.follow(leader->world);
}

void engine_destroy(engine *engine) {
    const auto memory = std::move(engine->memory);
    const EngineMemory::Use use(*memory);
    delete engine;
}
