// broadphase::bullet_broadphase by itself: proxies, pairs, filters, queries, failures.
#include "integrations/bullet_support.hpp"

#include <btBulletCollisionCommon.h>

#include <BulletCollision/CollisionDispatch/btGhostObject.h>

#include <limits>
#include <memory>

using broadphase::bullet_broadphase;

namespace {

btBroadphaseProxy *create(btBroadphaseInterface &phase, const btVector3 &center, btScalar half, int group = 1,
                          int mask = -1) {
    static int client;
    const btVector3 reach(half, half, half);
    return phase.createProxy(center - reach, center + reach, 0, &client, group, mask, nullptr);
}

void place(btBroadphaseInterface &phase, btBroadphaseProxy *proxy, const btVector3 &center, btScalar half) {
    const btVector3 reach(half, half, half);
    phase.setAabb(proxy, center - reach, center + reach, nullptr);
}

size_t pair_count(btBroadphaseInterface &phase) {
    phase.calculateOverlappingPairs(nullptr);
    return static_cast<size_t>(phase.getOverlappingPairCache()->getNumOverlappingPairs());
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

// Proxies that come, go, jump, creep and rest.
class Crowd {
public:
    Crowd(btBroadphaseInterface &phase, uint64_t seed) : phase_(phase), random_(seed) {
        while (proxies.size() < 150) add();
    }
    ~Crowd() {
        for (btBroadphaseProxy *proxy : proxies) phase_.destroyProxy(proxy, nullptr);
    }
    void step() {
        for (int i = 0; i < 5; ++i) remove();
        for (int i = 0; i < 5; ++i) add();
        for (btBroadphaseProxy *proxy : proxies) {
            const uint32_t kind = random_.below(10);
            if (kind == 0)
                move(proxy, random_.vector(-5, 5), random_.vector(0, 2));
            else if (kind < 8)
                creep(proxy, kind < 4 ? btScalar(0.004) : btScalar(0.3));
            else
                phase_.setAabb(proxy, btVector3(proxy->m_aabbMin), btVector3(proxy->m_aabbMax), nullptr);
        }
        phase_.calculateOverlappingPairs(nullptr);
    }

    std::vector<btBroadphaseProxy *> proxies;

private:
    void add() {
        static const int filters[][2] = {{1, -1}, {1, -1}, {1, -1}, {2, ~2}, {2, ~2}, {4, 1}, {0, -1}, {1, 0}, {-1, 5}};
        const int *filter = filters[random_.below(9)];
        const btVector3 min = random_.vector(-5, 5);
        proxies.push_back(phase_.createProxy(min, min + random_.vector(0, 2), 0, this, filter[0], filter[1], nullptr));
    }
    void remove() {
        std::swap(proxies[random_.below(static_cast<uint32_t>(proxies.size()))], proxies.back());
        phase_.destroyProxy(proxies.back(), nullptr);
        proxies.pop_back();
    }
    void move(btBroadphaseProxy *proxy, const btVector3 &min, const btVector3 &size) {
        phase_.setAabb(proxy, min, min + size, nullptr);
    }
    void creep(btBroadphaseProxy *proxy, btScalar most) {
        move(proxy, proxy->m_aabbMin + random_.vector(-most, most), proxy->m_aabbMax - proxy->m_aabbMin);
    }

    btBroadphaseInterface &phase_;
    Random random_;
};

void check_exact_pairs(bullet_broadphase &phase, uint64_t seed) {
    phase.set_resting_margin(0);
    Crowd crowd(phase, seed);
    for (int step = 0; step < 60; ++step) {
        crowd.step();
        btOverlappingPairCache &cache = *phase.getOverlappingPairCache();
        assert_true(pairs_in(cache) == plain_pairs(crowd.proxies, cache));
        assert_int_equal(bp_world_validate(phase.world()), BP_OK);
    }
}

void pairs_are_those_of_the_boxes(void **) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
        bullet_broadphase plain;
        check_exact_pairs(plain, seed);
        bp_config config = {};
        config.method = BP_METHOD_BVH;
        config.threads = 2;
        bullet_broadphase configured(config);
        check_exact_pairs(configured, seed);
    }
}

void pairs_go_to_a_given_cache(void **) {
    btHashedOverlappingPairCache hashed;
    {
        bullet_broadphase phase(&hashed);
        assert_ptr_equal(phase.getOverlappingPairCache(), &hashed);
        check_exact_pairs(phase, 7);
    }
    btSortedOverlappingPairCache sorted; // leaves removal to the broad phase
    assert_true(static_cast<btOverlappingPairCache &>(sorted).hasDeferredRemoval());
    bullet_broadphase phase(bp_config{}, &sorted);
    check_exact_pairs(phase, 8);
}

// Every pair that overlaps. Others have overlapped in an earlier step, and are no more than four margins apart.
void margins_only_keep_pairs(void **) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
        bullet_broadphase phase;
        Crowd crowd(phase, seed);
        Pairs before;
        for (int step = 0; step < 100; ++step) {
            crowd.step();
            btOverlappingPairCache &cache = *phase.getOverlappingPairCache();
            const Pairs found = pairs_in(cache), wanted = plain_pairs(crowd.proxies, cache);
            assert_true(std::includes(found.begin(), found.end(), wanted.begin(), wanted.end()));
            assert_true(std::adjacent_find(found.begin(), found.end()) == found.end());
            const btBroadphasePairArray &all = cache.getOverlappingPairArray();
            for (int i = 0; i < all.size(); ++i) {
                const btBroadphaseProxy &a = *all[i].m_pProxy0, &b = *all[i].m_pProxy1;
                if (overlap(a, b)) continue;
                assert_true(std::binary_search(before.begin(), before.end(), name_of(&a, &b)));
                assert_true(gap_between(a, b) <= btScalar(4.001) * phase.resting_margin());
            }
            before = found;
        }
    }
}

void a_slow_pair_begins_with_its_boxes(void **) {
    bullet_broadphase phase;
    const btScalar pitch = btScalar(0.009);
    btBroadphaseProxy *a = create(phase, btVector3(0, 0, 0), 1), *b = create(phase, btVector3(3, 0, 0), 1);
    for (int step = 0; step <= 120; ++step) {
        place(phase, a, btVector3(pitch * btScalar(step), 0, 0), 1);
        assert_int_equal(pair_count(phase), overlap(*a, *b));
    }
    assert_true(overlap(*a, *b));
}

// The world knows a pair of their grown boxes when one of them goes.
void a_pair_that_waits_ends_with_its_objects(void **) {
    bullet_broadphase phase;
    btBroadphaseProxy *a = create(phase, btVector3(0, 0, 0), 1), *b = create(phase, btVector3(btScalar(2.02), 0, 0), 1);
    place(phase, a, btVector3(btScalar(0.01), 0, 0), 1);
    assert_int_equal(pair_count(phase), 0);
    bp_stats stats;
    assert_int_equal(bp_world_stats(phase.world(), &stats), BP_OK);
    assert_int_equal(stats.pairs, 1);
    phase.destroyProxy(a, nullptr);
    place(phase, b, btVector3(0, 0, 0), 1);
    assert_int_equal(pair_count(phase), 0);
    create(phase, btVector3(1, 0, 0), 1); // with the id of the one that has gone
    assert_int_equal(pair_count(phase), 1);
}

// Of the pairs of a step, those that may touch come first, and all by their later object.
void what_may_touch_comes_first(void **) {
    bullet_broadphase phase;
    create(phase, btVector3(0, 0, 0), 1);
    create(phase, btVector3(10, 0, 0), 1);
    create(phase, btVector3(10, 1, 0), 1);             // overlaps the second well
    create(phase, btVector3(0, 1, 0), 1);              // overlaps the first well
    create(phase, btVector3(btScalar(1.99), 0, 0), 1); // overlaps the first and the fourth barely
    create(phase, btVector3(0, btScalar(0.5), 0), 1);  // overlaps the first and the fourth well, the fifth barely
    phase.calculateOverlappingPairs(nullptr);
    const std::pair<int, int> wanted[] = {{2, 3}, {1, 4}, {1, 6}, {4, 6}, {1, 5}, {4, 5}, {5, 6}};
    const btBroadphasePairArray &found = phase.getOverlappingPairCache()->getOverlappingPairArray();
    assert_int_equal(found.size(), sizeof wanted / sizeof *wanted);
    for (int i = 0; i < found.size(); ++i) assert_true(name_of(found[i].m_pProxy0, found[i].m_pProxy1) == wanted[i]);
}

void what_trembles_needs_no_work(void **) {
    bullet_broadphase phase;
    btBroadphaseProxy *a = create(phase, btVector3(0, 0, 0), 1), *b = create(phase, btVector3(0, 1, 0), 1);
    assert_int_equal(pair_count(phase), 1);
    for (int step = 0; step < 8; ++step) place(phase, a, btVector3(0, step % 2 ? btScalar(0.01) : 0, 0), 1);
    assert_int_equal(pair_count(phase), 1);
    bp_stats before, after;
    assert_int_equal(bp_world_stats(phase.world(), &before), BP_OK);
    for (int step = 0; step < 8; ++step) {
        place(phase, a, btVector3(0, step % 2 ? btScalar(0.01) : 0, 0), 1);
        assert_int_equal(pair_count(phase), 1);
    }
    assert_int_equal(bp_world_stats(phase.world(), &after), BP_OK);
    assert_memory_equal(&before, &after, sizeof before); // with the times of its last update, which was before
    btVector3 min, max;
    phase.getAabb(a, min, max);
    assert_true(max.y() == btScalar(1.01));
    place(phase, b, btVector3(0, 9, 0), 1);
    assert_int_equal(pair_count(phase), 0);
    phase.destroyProxy(a, nullptr);
    phase.destroyProxy(b, nullptr);
}

// ---- filters --------------------------------------------------------------------------------------------------------

void no_bits_mean_nobody(void **) {
    static const int values[] = {0, 1, 2, 3, -1, std::numeric_limits<int>::min()};
    for (int group : values)
        for (int mask : values) {
            bullet_broadphase phase;
            std::vector<btBroadphaseProxy *> proxies = {
                create(phase, btVector3(0, 0, 0), 1, group, mask), create(phase, btVector3(0, 0, 0), 1, group, mask),
                create(phase, btVector3(0, 0, 0), 1, 1, -1), create(phase, btVector3(0, 0, 0), 1, 2, ~2)};
            phase.calculateOverlappingPairs(nullptr);
            btOverlappingPairCache &cache = *phase.getOverlappingPairCache();
            assert_true(pairs_in(cache) == plain_pairs(proxies, cache));
        }
}

void a_changed_filter_counts_from_the_next_box_on(void **) {
    bullet_broadphase phase;
    btBroadphaseProxy *a = create(phase, btVector3(0, 0, 0), 1);
    create(phase, btVector3(1, 0, 0), 1);
    assert_int_equal(pair_count(phase), 1);
    a->m_collisionFilterMask = 0;
    place(phase, a, btVector3(0, 0, 0), 1);
    assert_int_equal(pair_count(phase), 0);
    a->m_collisionFilterMask = -1;
    place(phase, a, btVector3(0, 0, 0), 1);
    assert_int_equal(pair_count(phase), 1);
}

// Asked instead of groups and masks, which it may overrule in both directions.
struct OnlyUneven : btOverlapFilterCallback {
    bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override {
        return (a->m_uniqueId + b->m_uniqueId) % 2 != 0;
    }
};

void a_callback_decides_alone(void **) {
    OnlyUneven uneven;
    bullet_broadphase phase;
    std::vector<btBroadphaseProxy *> proxies;
    for (int i = 0; i < 6; ++i) proxies.push_back(create(phase, btVector3(0, 0, 0), 1, 2, i < 4 ? ~2 : 0));
    assert_int_equal(pair_count(phase), 0);
    btOverlappingPairCache &cache = *phase.getOverlappingPairCache();
    cache.setOverlapFilterCallback(&uneven);
    assert_int_equal(pair_count(phase), 9);
    assert_true(pairs_in(cache) == plain_pairs(proxies, cache));
    proxies.push_back(create(phase, btVector3(0, 0, 0), 1, 0, 0));
    assert_int_equal(pair_count(phase), 12);
    cache.setOverlapFilterCallback(nullptr);
    assert_int_equal(pair_count(phase), 0);
}

// ---- ghosts ---------------------------------------------------------------------------------------------------------

// What a cache tells somebody else.
struct Listener : btOverlappingPairCallback {
    Pairs pairs;
    btBroadphasePair *addOverlappingPair(btBroadphaseProxy *a, btBroadphaseProxy *b) override {
        pairs.push_back(name_of(a, b));
        return nullptr;
    }
    void *removeOverlappingPair(btBroadphaseProxy *a, btBroadphaseProxy *b, btDispatcher *) override {
        const auto found = std::find(pairs.begin(), pairs.end(), name_of(a, b));
        assert_true(found != pairs.end());
        pairs.erase(found);
        return nullptr;
    }
    void removeOverlappingPairsContainingProxy(btBroadphaseProxy *, btDispatcher *) override {
    }
};

void ghost_callbacks_hear_of_every_pair(void **) {
    Listener listener;
    bullet_broadphase phase;
    btOverlappingPairCache &cache = *phase.getOverlappingPairCache();
    cache.setInternalGhostPairCallback(&listener);
    Crowd crowd(phase, 11);
    for (int step = 0; step < 40; ++step) {
        crowd.step();
        Pairs heard = listener.pairs;
        std::sort(heard.begin(), heard.end());
        assert_true(heard == pairs_in(cache));
    }
}

// ---- in a collision world -------------------------------------------------------------------------------------------

struct CollisionWorld {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    std::unique_ptr<btBroadphaseInterface> phase;
    btCollisionWorld world;
    btSphereShape ball{1};
    btBoxShape box{btVector3(1, btScalar(0.5), 2)};
    std::vector<std::unique_ptr<btCollisionObject>> objects;

    explicit CollisionWorld(btBroadphaseInterface *given)
        : phase(given), world(&dispatcher, phase.get(), &configuration) {
    }
    ~CollisionWorld() {
        for (auto &object : objects) world.removeCollisionObject(object.get());
    }
    template <class Object = btCollisionObject> Object *add(const btVector3 &where, int group = 1) {
        auto made = std::make_unique<Object>();
        Object *object = made.get();
        object->setCollisionShape(objects.size() % 2 ? static_cast<btCollisionShape *>(&ball) : &box);
        object->setWorldTransform(btTransform(btQuaternion(btVector3(1, 1, 1), btScalar(objects.size())), where));
        world.addCollisionObject(object, group, -1);
        objects.push_back(std::move(made));
        return object;
    }
};

void removing_while_pairs_live_frees_what_they_hold(void **) {
    CollisionWorld ours(new bullet_broadphase);
    for (int i = 0; i < 20; ++i) ours.add(btVector3(btScalar(i) / 2, 0, 0));
    ours.world.performDiscreteCollisionDetection();
    assert_true(ours.dispatcher.getNumManifolds() > 20);
    const auto remove_last = [&] {
        ours.world.removeCollisionObject(ours.objects.back().get());
        ours.objects.pop_back();
    };
    for (int i = 0; i < 10; ++i) remove_last();
    ours.add(btVector3(0, 0, 0)); // with an id that is in pairs which the world still knows
    remove_last();
    ours.add(btVector3(1, 0, 0));
    ours.world.performDiscreteCollisionDetection();
    while (!ours.objects.empty()) remove_last();
    assert_int_equal(ours.phase->getOverlappingPairCache()->getNumOverlappingPairs(), 0);
    assert_int_equal(ours.dispatcher.getNumManifolds(), 0);
    ours.world.performDiscreteCollisionDetection();
}

void ghost_objects_see_the_same(void **) {
    btGhostPairCallback callback;
    CollisionWorld ours(new bullet_broadphase), theirs(new ExactDbvt);
    static_cast<bullet_broadphase &>(*ours.phase).set_resting_margin(0);
    btGhostObject *ghosts[2][2];
    for (CollisionWorld *world : {&ours, &theirs}) {
        world->phase->getOverlappingPairCache()->setInternalGhostPairCallback(&callback);
        Random random(5);
        btGhostObject **of_world = ghosts[world == &theirs];
        of_world[0] = world->add<btGhostObject>(btVector3(0, 0, 0), btBroadphaseProxy::SensorTrigger);
        of_world[1] = world->add<btPairCachingGhostObject>(btVector3(1, 0, 0), btBroadphaseProxy::SensorTrigger);
        for (int i = 0; i < 100; ++i) world->add(random.vector(-4, 4));
    }
    for (int step = 0; step < 50; ++step) {
        for (CollisionWorld *world : {&ours, &theirs}) {
            for (auto &object : world->objects) object->getWorldTransform().getOrigin() *= btScalar(1.02);
            world->world.performDiscreteCollisionDetection();
        }
        for (int i = 0; i < 2; ++i)
            assert_int_equal(ghosts[0][i]->getNumOverlappingObjects(), ghosts[1][i]->getNumOverlappingObjects());
        assert_true(ghosts[0][0]->getNumOverlappingObjects() > 0 || step > 20);
    }
}

// ---- queries --------------------------------------------------------------------------------------------------------

struct Spread {
    CollisionWorld ours{new bullet_broadphase}, theirs{new btDbvtBroadphase};

    Spread() {
        for (CollisionWorld *world : {&ours, &theirs}) {
            Random random(17);
            for (int i = 0; i < 400; ++i) world->add(random.vector(-20, 20));
            world->world.performDiscreteCollisionDetection();
        }
    }
    // Which of the objects a callback has got.
    static size_t index_in(const CollisionWorld &world, const btCollisionObject *object) {
        for (size_t i = 0; i < world.objects.size(); ++i)
            if (world.objects[i].get() == object) return i;
        return world.objects.size();
    }
};

void rays_hit_the_same(void **) {
    Spread both;
    Random random(23);
    int hits = 0;
    for (int i = 0; i < 500; ++i) {
        const btVector3 from = random.vector(-25, 25), to = i % 10 ? random.vector(-25, 25) : from + btVector3(0, 9, 0);
        btCollisionWorld::ClosestRayResultCallback first(from, to), second(from, to);
        both.ours.world.rayTest(from, to, first);
        both.theirs.world.rayTest(from, to, second);
        assert_int_equal(first.hasHit(), second.hasHit());
        if (!first.hasHit()) continue;
        ++hits;
        assert_true(first.m_closestHitFraction == second.m_closestHitFraction);
        assert_int_equal(Spread::index_in(both.ours, first.m_collisionObject),
                         Spread::index_in(both.theirs, second.m_collisionObject));
    }
    assert_true(hits > 100);
}

void sweeps_hit_the_same(void **) {
    Spread both;
    Random random(29);
    btBoxShape shape(btVector3(btScalar(0.7), btScalar(0.2), btScalar(0.4)));
    int hits = 0;
    for (int i = 0; i < 300; ++i) {
        const btTransform from(btQuaternion(random.vector(-1, 1).normalized(), 1), random.vector(-25, 25));
        const btTransform to(from.getRotation(), random.vector(-25, 25));
        btCollisionWorld::ClosestConvexResultCallback first(from.getOrigin(), to.getOrigin());
        btCollisionWorld::ClosestConvexResultCallback second(from.getOrigin(), to.getOrigin());
        both.ours.world.convexSweepTest(&shape, from, to, first);
        both.theirs.world.convexSweepTest(&shape, from, to, second);
        assert_int_equal(first.hasHit(), second.hasHit());
        if (!first.hasHit()) continue;
        ++hits;
        assert_true(first.m_closestHitFraction == second.m_closestHitFraction);
        assert_int_equal(Spread::index_in(both.ours, first.m_hitCollisionObject),
                         Spread::index_in(both.theirs, second.m_hitCollisionObject));
    }
    assert_true(hits > 100);
}

struct Collector : btBroadphaseAabbCallback {
    std::vector<int> found;
    bool process(const btBroadphaseProxy *proxy) override {
        found.push_back(proxy->m_uniqueId);
        return false; // as in btDbvtBroadphase, this ends nothing
    }
};

// Also between a setAabb and the next step, and where boxes have a margin.
void boxes_find_exactly_what_overlaps(void **) {
    bullet_broadphase phase;
    Crowd crowd(phase, 31);
    Random random(37);
    for (int i = 0; i < 200; ++i) {
        if (i % 10 == 0) crowd.step();
        if (i % 10 == 5) place(phase, crowd.proxies[0], random.vector(-5, 5), 1);
        const btVector3 min = random.vector(-6, 6), max = min + random.vector(0, 3);
        Collector collector;
        phase.aabbTest(min, max, collector);
        std::vector<int> wanted;
        for (const btBroadphaseProxy *proxy : crowd.proxies)
            if (TestAabbAgainstAabb2(min, max, proxy->m_aabbMin, proxy->m_aabbMax)) wanted.push_back(proxy->m_uniqueId);
        std::sort(wanted.begin(), wanted.end());
        std::sort(collector.found.begin(), collector.found.end());
        assert_true(collector.found == wanted);
    }
}

// ---- the rest -------------------------------------------------------------------------------------------------------

void what_is_no_box_overlaps_nothing(void **) {
    const btScalar nan = std::numeric_limits<btScalar>::quiet_NaN();
    bullet_broadphase phase;
    btBroadphaseProxy *odd = create(phase, btVector3(nan, 0, 0), 1), *other = create(phase, btVector3(0, 0, 0), 1);
    assert_int_equal(pair_count(phase), 0);
    place(phase, odd, btVector3(0, 1, 0), 1);
    assert_int_equal(pair_count(phase), 1);
    place(phase, odd, btVector3(0, 1, 0), -1); // min > max
    assert_int_equal(pair_count(phase), 0);
    Collector collector;
    phase.aabbTest(btVector3(-9, -9, -9), btVector3(9, 9, 9), collector);
    assert_int_equal(collector.found.size(), 1);
    btVector3 min, max;
    phase.getBroadphaseAabb(min, max);
    assert_true(min == other->m_aabbMin && max == other->m_aabbMax);
    place(phase, odd, btVector3(0, 0, 1), 1);
    assert_int_equal(pair_count(phase), 1);
    phase.destroyProxy(odd, nullptr);
    phase.destroyProxy(other, nullptr);
    assert_int_equal(pair_count(phase), 0);
}

void an_empty_one_begins_anew(void **) {
    bullet_broadphase phase;
    btVector3 min(1, 1, 1), max(1, 1, 1);
    phase.getBroadphaseAabb(min, max);
    assert_true(min.isZero() && max.isZero());
    btBroadphaseProxy *first = create(phase, btVector3(0, 0, 0), 1), *second = create(phase, btVector3(5, 0, 0), 1);
    assert_int_equal(first->m_uniqueId, 1);
    assert_int_equal(second->m_uniqueId, 2);
    phase.getBroadphaseAabb(min, max);
    assert_true(min == btVector3(-1, -1, -1) && max == btVector3(6, 1, 1));
    phase.destroyProxy(first, nullptr);
    phase.resetPool(nullptr);
    assert_int_equal(create(phase, btVector3(0, 0, 0), 1)->m_uniqueId, 3);
    bullet_broadphase other;
    other.destroyProxy(create(other, btVector3(0, 0, 0), 1), nullptr);
    other.resetPool(nullptr);
    assert_int_equal(create(other, btVector3(0, 0, 0), 1)->m_uniqueId, 1);
    other.printStats();
}

// An allocator that refuses from some call on.
struct Refusal {
    size_t left;
    static void *allocate(void *context, size_t size) {
        Refusal &refusal = *static_cast<Refusal *>(context);
        if (refusal.left == 0) return nullptr;
        --refusal.left;
        const bp_allocator usual = bp_allocator_default();
        return usual.allocate(usual.context, size);
    }
    static void release(void *, void *memory, size_t size) {
        const bp_allocator usual = bp_allocator_default();
        usual.release(usual.context, memory, size);
    }
};

void failures_are_thrown_and_nothing_is_lost(void **) {
    bool has_worked = false;
    for (size_t granted = 0; !has_worked; ++granted) {
        Refusal refusal = {granted};
        bp_config config = {};
        config.allocator = {Refusal::allocate, Refusal::release, &refusal};
        bool has_failed = false, is_made = false; // when it failed
        std::unique_ptr<bullet_broadphase> phase;
        const auto attempt = [&](auto &&action) {
            try {
                action();
            } catch (const broadphase::bullet_error &error) {
                assert_int_equal(error.status(), BP_ERROR_MEMORY);
                has_failed = true;
                is_made = phase != nullptr;
                refusal.left = SIZE_MAX;
                action();
            }
        };
        attempt([&] { phase = std::make_unique<bullet_broadphase>(config); });
        for (int i = 0; i < 40; ++i) attempt([&] { create(*phase, btVector3(btScalar(i), 0, 0), 1); });
        attempt([&] { phase->calculateOverlappingPairs(nullptr); });
        assert_int_equal(phase->getOverlappingPairCache()->getNumOverlappingPairs(), 39 + 38);
        assert_int_equal(phase->status(), is_made ? BP_ERROR_MEMORY : BP_OK);
        has_worked = !has_failed;
    }
}

void a_million_proxies(void **) {
    const int count = shortness() ? 20000 : 1000000;
    bullet_broadphase phase;
    phase.set_resting_margin(0);
    std::vector<btBroadphaseProxy *> proxies;
    // In rows of ten, in which each overlaps the next.
    const auto center = [](int i, btScalar x) {
        return btVector3(x + btScalar(i % 10), btScalar(3 * (i / 10 % 400)), btScalar(3 * (i / 4000)));
    };
    for (int i = 0; i < count; ++i) proxies.push_back(create(phase, center(i, 0), btScalar(0.6)));
    assert_int_equal(pair_count(phase), count / 10 * 9);
    for (int i = 0; i < count; ++i) place(phase, proxies[static_cast<size_t>(i)], center(i, 100), btScalar(0.6));
    assert_int_equal(pair_count(phase), count / 10 * 9);
    for (int i = 0; i < count; i += 10) place(phase, proxies[static_cast<size_t>(i)], center(i, 50), btScalar(0.6));
    assert_int_equal(pair_count(phase), count / 10 * 8);
    for (btBroadphaseProxy *proxy : proxies) phase.destroyProxy(proxy, nullptr);
    assert_int_equal(pair_count(phase), 0);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_the_boxes),
        cmocka_unit_test(pairs_go_to_a_given_cache),
        cmocka_unit_test(margins_only_keep_pairs),
        cmocka_unit_test(a_slow_pair_begins_with_its_boxes),
        cmocka_unit_test(a_pair_that_waits_ends_with_its_objects),
        cmocka_unit_test(what_may_touch_comes_first),
        cmocka_unit_test(what_trembles_needs_no_work),
        cmocka_unit_test(no_bits_mean_nobody),
        cmocka_unit_test(a_changed_filter_counts_from_the_next_box_on),
        cmocka_unit_test(a_callback_decides_alone),
        cmocka_unit_test(ghost_callbacks_hear_of_every_pair),
        cmocka_unit_test(removing_while_pairs_live_frees_what_they_hold),
        cmocka_unit_test(ghost_objects_see_the_same),
        cmocka_unit_test(rays_hit_the_same),
        cmocka_unit_test(sweeps_hit_the_same),
        cmocka_unit_test(boxes_find_exactly_what_overlaps),
        cmocka_unit_test(what_is_no_box_overlaps_nothing),
        cmocka_unit_test(an_empty_one_begins_anew),
        cmocka_unit_test(failures_are_thrown_and_nothing_is_lost),
        cmocka_unit_test(a_million_proxies),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
