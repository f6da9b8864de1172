// Whole worlds of Bullet: the scenes of the suite engine, stepped with our broad phase and with btDbvtBroadphase.
#include "integrations/bullet_support.hpp"

#include "engine/engine_scenes.hpp"

#include <cstring>
#include <string>

using broadphase::bullet_broadphase;

namespace {

// BP_TEST_SCENE names one scene, BP_TEST_STEPS says how many steps.
int step_count(const engine_scene &scene) {
    if (const char *steps = std::getenv("BP_TEST_STEPS")) return std::atoi(steps);
    if (shortness()) return 12;
    return scene.objects <= 1500 ? static_cast<int>(scene.steps) / 2 : scene.objects <= 10000 ? 40 : 3;
}

size_t object_count(const engine_scene &scene) {
    return shortness() ? std::min<size_t>(scene.objects, 300) : scene.objects;
}

template <class Check> void for_each_scene(Check check) {
    const char *only = std::getenv("BP_TEST_SCENE");
    for (size_t i = 0; engine_scenes[i].name; ++i)
        if (!only || std::string(only) == engine_scenes[i].name) check(i, engine_scenes[i]);
}

// Pairs of the cache whose boxes overlap.
Pairs overlapping_pairs(btOverlappingPairCache &cache) {
    Pairs pairs;
    const btBroadphasePairArray &found = cache.getOverlappingPairArray();
    for (int i = 0; i < found.size(); ++i)
        if (overlap(*found[i].m_pProxy0, *found[i].m_pProxy1))
            pairs.push_back(name_of(found[i].m_pProxy0, found[i].m_pProxy1));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

bool is_same(const btTransform &a, const btTransform &b) {
    btTransformFloatData first, second;
    a.serializeFloat(first);
    b.serializeFloat(second);
    return std::memcmp(&first.m_origin, &second.m_origin, 3 * sizeof(float)) == 0 &&
           std::memcmp(&first.m_basis.m_el[0], &second.m_basis.m_el[0], 3 * sizeof(float)) == 0 &&
           std::memcmp(&first.m_basis.m_el[1], &second.m_basis.m_el[1], 3 * sizeof(float)) == 0 &&
           std::memcmp(&first.m_basis.m_el[2], &second.m_basis.m_el[2], 3 * sizeof(float)) == 0;
}

void check_bodies(const char *name, int step, const EngineWorld &a, const EngineWorld &b) {
    const btCollisionObjectArray &ours = a.world.getCollisionObjectArray(), &theirs = b.world.getCollisionObjectArray();
    assert_int_equal(ours.size(), theirs.size());
    for (int i = 0; i < ours.size(); ++i)
        if (!is_same(ours[i]->getWorldTransform(), theirs[i]->getWorldTransform()))
            fail_msg("%s, step %d: body %d is elsewhere", name, step, i);
}

// The same pairs in the same order give the same contacts, islands and impulses.
void bodies_move_the_same_bit_by_bit(void **) {
    for_each_scene([](size_t index, const engine_scene &scene) {
        bullet_broadphase phase;
        phase.set_resting_margin(0);
        ExactDbvt other;
        EngineWorld ours(phase), theirs(other);
        for (EngineWorld *world : {&ours, &theirs}) {
            world->world.getDispatchInfo().m_deterministicOverlappingPairs = true;
            build_scene(index, object_count(scene), *world);
        }
        for (int step = 0; step < step_count(scene); ++step) {
            ours.step();
            theirs.step();
            if (pairs_in(*phase.getOverlappingPairCache()) != pairs_in(*other.getOverlappingPairCache()))
                fail_msg("%s, step %d: other pairs", scene.name, step);
            check_bodies(scene.name, step, ours, theirs);
        }
    });
}

// As it comes: Bullet's tree is told the same boxes, and both have the same pairs of boxes that overlap.
class Both : public bullet_broadphase {
public:
    btBroadphaseProxy *createProxy(const btVector3 &min, const btVector3 &max, int type, void *user, int group,
                                   int mask, btDispatcher *dispatcher) override {
        btBroadphaseProxy *made = bullet_broadphase::createProxy(min, max, type, user, group, mask, dispatcher);
        shadows_.resize(static_cast<size_t>(made->m_uniqueId) + 1);
        shadows_.back() = tree_.createProxy(min, max, type, user, group, mask, dispatcher);
        return made;
    }
    void destroyProxy(btBroadphaseProxy *moved, btDispatcher *dispatcher) override {
        tree_.destroyProxy(shadows_[static_cast<size_t>(moved->m_uniqueId)], dispatcher);
        bullet_broadphase::destroyProxy(moved, dispatcher);
    }
    void setAabb(btBroadphaseProxy *moved, const btVector3 &min, const btVector3 &max,
                 btDispatcher *dispatcher) override {
        tree_.setAabb(shadows_[static_cast<size_t>(moved->m_uniqueId)], min, max, dispatcher);
        bullet_broadphase::setAabb(moved, min, max, dispatcher);
    }
    void calculateOverlappingPairs(btDispatcher *dispatcher) override {
        tree_.calculateOverlappingPairs(dispatcher);
        bullet_broadphase::calculateOverlappingPairs(dispatcher);
    }
    bool agrees() {
        return overlapping_pairs(*getOverlappingPairCache()) == overlapping_pairs(*tree_.getOverlappingPairCache());
    }

private:
    btDbvtBroadphase tree_;
    std::vector<btBroadphaseProxy *> shadows_; // by unique id
};

void pairs_are_those_of_the_tree(void **) {
    for_each_scene([](size_t index, const engine_scene &scene) {
        Both both;
        EngineWorld world(both);
        build_scene(index, object_count(scene), world);
        for (int step = 0; step < step_count(scene); ++step) {
            world.step();
            if (!both.agrees()) fail_msg("%s, step %d: other pairs", scene.name, step);
        }
    });
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(bodies_move_the_same_bit_by_bit),
        cmocka_unit_test(pairs_are_those_of_the_tree),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
