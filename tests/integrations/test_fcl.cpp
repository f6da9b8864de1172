// The manager for FCL: what FCL asks of one, compared with its naive manager and its dynamic tree, in float and double.
#include <broadphase/fcl.hpp>

#include <fcl/broadphase/broadphase_bruteforce.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/broadphase/default_broadphase_callbacks.h>
#include <fcl/geometry/shape/sphere.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>

namespace {

#define CHECK(condition) check(condition, #condition, __LINE__)

void check(bool holds, const char *condition, int line) {
    if (holds) return;
    std::fprintf(stderr, "test_fcl.cpp:%d: does not hold: %s\n", line, condition);
    std::exit(1);
}

template <class S> using manager_of = fcl::BroadPhaseCollisionManager<S>;

// A sphere that is nothing but its box, which is set directly.
template <class S> struct ball : fcl::CollisionObject<S> {
    explicit ball(const std::shared_ptr<fcl::CollisionGeometry<S>> &shape) : fcl::CollisionObject<S>(shape) {
    }
    void set(const fcl::Vector3<S> &center, S radius) {
        this->aabb.min_ = center - fcl::Vector3<S>::Constant(radius);
        this->aabb.max_ = center + fcl::Vector3<S>::Constant(radius);
    }
    void set(S low, S high) {
        this->aabb.min_ = fcl::Vector3<S>::Constant(low);
        this->aabb.max_ = fcl::Vector3<S>::Constant(high);
    }
};

template <class S> class scene {
public:
    scene(std::size_t count, unsigned seed) : random_(seed) {
        const auto shape = std::make_shared<fcl::Sphere<S>>(S(1));
        for (std::size_t i = 0; i < count; ++i) {
            balls.emplace_back(shape);
            pointers.push_back(&balls.back());
            shake(i);
        }
    }
    // Puts a ball anywhere.
    void shake(std::size_t i) {
        std::uniform_real_distribution<S> place(0, 10), size(S(0.05), S(0.6));
        const fcl::Vector3<S> center(place(random_), place(random_), place(random_));
        balls[i].set(center, size(random_));
    }

    std::deque<ball<S>> balls;
    std::vector<fcl::CollisionObject<S> *> pointers;

private:
    std::mt19937 random_;
};

// ---- callbacks ------------------------------------------------------------------------------------------------------

// Pairs as they come, each in ascending order, and how many are enough.
struct meetings {
    std::vector<std::pair<const void *, const void *>> pairs;
    std::size_t enough = std::numeric_limits<std::size_t>::max();
};

template <class S> bool meet(fcl::CollisionObject<S> *a, fcl::CollisionObject<S> *b, void *data) {
    auto *found = static_cast<meetings *>(data);
    if (!a->getAABB().overlap(b->getAABB())) return false; // the naive manager asks about all
    found->pairs.push_back(std::minmax<const void *>(a, b));
    return found->pairs.size() >= found->enough;
}

// Whatever a manager asks about.
template <class S> bool count_all(fcl::CollisionObject<S> *a, fcl::CollisionObject<S> *b, void *data) {
    static_cast<meetings *>(data)->pairs.push_back(std::minmax<const void *>(a, b));
    return false;
}

// All pairs, sorted; each must have come once.
template <class Ask> std::vector<std::pair<const void *, const void *>> met(const Ask &ask) {
    meetings found;
    ask(&found);
    std::sort(found.pairs.begin(), found.pairs.end());
    CHECK(std::adjacent_find(found.pairs.begin(), found.pairs.end()) == found.pairs.end());
    return found.pairs;
}

template <class Ask> std::size_t calls_until(std::size_t enough, const Ask &ask) {
    meetings found;
    found.enough = enough;
    ask(&found);
    return found.pairs.size();
}

struct gap {
    double least = 1e30;
    bool lowers = true; // tells FCL
    meetings asked;
};

// The distance of two spheres.
template <class S> bool measure(fcl::CollisionObject<S> *a, fcl::CollisionObject<S> *b, void *data, S &distance) {
    auto *found = static_cast<gap *>(data);
    const auto &x = a->getAABB(), &y = b->getAABB();
    const S apart = (x.center() - y.center()).norm() - (x.width() + y.width()) / 2;
    found->asked.pairs.push_back(std::minmax<const void *>(a, b));
    found->least = std::min(found->least, double(apart));
    if (found->lowers) distance = std::min(distance, apart);
    return found->lowers && distance <= 0;
}

template <class Ask> double least_distance(const Ask &ask) {
    gap found;
    ask(&found);
    return std::max(found.least, 0.0);
}

// ---- the three kinds of managers with the same objects --------------------------------------------------------------

template <class S> struct managers {
    explicit managers(const scene<S> &s) {
        for (manager_of<S> *each : all()) {
            each->registerObjects(s.pointers);
            each->setup();
        }
    }
    std::array<manager_of<S> *, 3> all() {
        return {&ours, &naive, &tree};
    }

    broadphase::fcl_manager<S> ours;
    fcl::NaiveCollisionManager<S> naive;
    fcl::DynamicAABBTreeCollisionManager<S> tree;
};

template <class S> auto self(const manager_of<S> &manager) {
    return met([&](void *data) { manager.collide(data, meet<S>); });
}
template <class S> auto with_object(const manager_of<S> &manager, fcl::CollisionObject<S> *object) {
    return met([&](void *data) { manager.collide(object, data, meet<S>); });
}
template <class S> auto with_manager(const manager_of<S> &manager, manager_of<S> &other) {
    return met([&](void *data) { manager.collide(&other, data, meet<S>); });
}

// The naive manager sees objects as they are now, so all three must be up to date.
template <class S> void agree(managers<S> &m) {
    const auto expected = self<S>(m.naive);
    CHECK(self<S>(m.ours) == expected && self<S>(m.tree) == expected);
}

// ---- cases ----------------------------------------------------------------------------------------------------------

template <class S> void finds_the_pairs_of_others() {
    for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 2, 60, 1500}) {
        scene<S> s(count, 1);
        managers<S> m(s);
        agree(m);
        CHECK(count < 1000 || self<S>(m.ours).size() > 500);
        scene<S> asked(20, 2);
        for (auto *object : asked.pointers) CHECK(with_object<S>(m.ours, object) == with_object<S>(m.naive, object));
        for (std::size_t i = 0; i < std::min<std::size_t>(count, 5);
             ++i) { // and of one of its own: itself too, as in FCL
            CHECK(with_object<S>(m.ours, s.pointers[i]) == with_object<S>(m.tree, s.pointers[i]));
        }
    }
}

template <class S> void sees_what_is_updated() {
    scene<S> s(800, 3);
    managers<S> m(s);
    for (int step = 0; step < 3; ++step) {
        for (std::size_t i = 0; i < s.balls.size(); i += 1 + std::size_t(step)) s.shake(i);
        for (auto *each : m.all()) each->update();
        agree(m);
    }
    // some: the others stay where they were for the manager, wherever they are
    const auto before = self<S>(m.ours);
    std::vector<fcl::CollisionObject<S> *> some(s.pointers.begin(), s.pointers.begin() + 50);
    for (std::size_t i = 0; i < 51; ++i) s.shake(i);
    CHECK(self<S>(m.ours).size() <= before.size()); // the callback looks at boxes as they are
    m.ours.update(some);
    m.tree.update(some);
    CHECK(self<S>(m.ours) == self<S>(m.tree));
    m.ours.update(s.pointers[50]);
    m.tree.update(s.pointers[50]);
    agree(m);
    m.ours.update(); // nothing has moved
    agree(m);
}

template <class S> void objects_come_and_go() {
    scene<S> s(400, 4), stranger(1, 5);
    managers<S> m(s);
    for (std::size_t i = 0; i < 200; i += 2) {
        for (auto *each : m.all()) each->unregisterObject(s.pointers[i]);
    }
    agree(m);
    CHECK(m.ours.size() == 300);
    for (std::size_t i = 0; i < s.balls.size(); ++i) s.shake(i);
    for (auto *each : m.all()) each->update();
    agree(m);
    for (auto *each : m.all()) each->registerObject(s.pointers[100]);
    agree(m);
    m.ours.registerObject(s.pointers[100]); // again
    m.ours.unregisterObject(stranger.pointers[0]);
    m.ours.update(stranger.pointers[0]);
    agree(m);
    std::vector<fcl::CollisionObject<S> *> all, expected;
    m.ours.getObjects(all);
    m.naive.getObjects(expected);
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    CHECK(all == expected && m.ours.size() == 301 && !m.ours.empty());
    m.ours.clear();
    CHECK(m.ours.empty() && m.ours.size() == 0 && self<S>(m.ours).empty());
    m.ours.registerObjects(expected);
    agree(m);
}

template <class S> void meets_other_managers() {
    for (const auto &[first, second] : {std::pair{700, 600}, {20, 900}, {900, 20}, {0, 50}, {50, 0}, {1, 1}}) {
        scene<S> a(std::size_t(first), 6), b(std::size_t(second), 7);
        managers<S> m(a), n(b);
        const auto expected = with_manager<S>(m.naive, n.naive);
        CHECK(with_manager<S>(m.ours, n.ours) == expected);
        CHECK(with_manager<S>(m.ours, n.tree) == expected && with_manager<S>(m.ours, n.naive) == expected);
        const double least = least_distance([&](void *data) { m.naive.distance(&n.naive, data, measure<S>); });
        for (manager_of<S> *other : n.all()) {
            CHECK(least_distance([&](void *data) { m.ours.distance(other, data, measure<S>); }) == least);
        }
    }
    scene<S> s(300, 8);
    managers<S> m(s);
    CHECK(with_manager<S>(m.ours, m.ours) == self<S>(m.naive));
    // the first object of a callback is the manager's, the second the other one's
    scene<S> a(40, 9), b(900, 10);
    managers<S> small(a), large(b), as_large(b);
    const auto is_of_a = [](fcl::CollisionObject<S> *first, fcl::CollisionObject<S> *, void *data) {
        const auto &pointers = static_cast<scene<S> *>(data)->pointers;
        CHECK(std::find(pointers.begin(), pointers.end(), first) != pointers.end());
        return false;
    };
    small.ours.collide(&large.ours, &a, is_of_a);
    large.ours.collide(&small.ours, &b, is_of_a);
    small.ours.collide(&large.naive, &a, is_of_a);
    as_large.ours.collide(&large.ours, &b, is_of_a);
}

template <class S> void stops_when_told() {
    scene<S> a(900, 11), b(900, 12), c(20, 13);
    managers<S> m(a), n(b), few(c);
    for (const std::size_t enough : std::initializer_list<std::size_t>{1, 2, 7}) {
        CHECK(calls_until(enough, [&](void *data) { m.ours.collide(data, meet<S>); }) == enough);
        CHECK(calls_until(enough, [&](void *data) { m.ours.collide(&n.ours, data, meet<S>); }) == enough);
        CHECK(calls_until(enough, [&](void *data) { m.ours.collide(&few.ours, data, meet<S>); }) == enough);
        CHECK(calls_until(enough, [&](void *data) { few.ours.collide(&m.ours, data, meet<S>); }) == enough);
        CHECK(calls_until(enough, [&](void *data) { m.ours.collide(&n.tree, data, meet<S>); }) == enough);
    }
    c.balls[0].set(S(0), S(10));
    CHECK(calls_until(3, [&](void *data) { m.ours.collide(c.pointers[0], data, meet<S>); }) == 3);
    const auto throws = [](fcl::CollisionObject<S> *, fcl::CollisionObject<S> *, void *) -> bool { throw 5; };
    int thrown = 0;
    try {
        m.ours.collide(c.pointers[0], nullptr, throws);
    } catch (int number) {
        thrown = number;
    }
    CHECK(thrown == 5);
}

template <class S> void finds_the_least_distance() {
    for (const auto &[count, shrink] : {std::pair{2, 1.0}, {40, 0.01}, {600, 0.01}, {600, 1.0}, {1, 1.0}, {0, 1.0}}) {
        scene<S> s(std::size_t(count), 14), asked(10, 15);
        for (auto &one : s.balls) one.set(one.getAABB().center(), one.getAABB().width() / 2 * S(shrink));
        managers<S> m(s);
        CHECK(least_distance([&](void *data) { m.ours.distance(data, measure<S>); }) ==
              least_distance([&](void *data) { m.naive.distance(data, measure<S>); }));
        for (auto *object : asked.pointers) {
            CHECK(least_distance([&](void *data) { m.ours.distance(object, data, measure<S>); }) ==
                  least_distance([&](void *data) { m.naive.distance(object, data, measure<S>); }));
        }
        // a callback that lowers nothing is asked about every pair, once
        gap all;
        all.lowers = false;
        m.ours.distance(&all, measure<S>);
        std::sort(all.asked.pairs.begin(), all.asked.pairs.end());
        CHECK(all.asked.pairs.size() == std::size_t(count * (count - 1) / 2));
        CHECK(std::unique(all.asked.pairs.begin(), all.asked.pairs.end()) == all.asked.pairs.end());
    }
    // most pairs are left out
    scene<S> s(2000, 16);
    for (auto &one : s.balls) one.set(one.getAABB().center(), S(0.001));
    managers<S> m(s);
    gap found;
    m.ours.distance(&found, measure<S>);
    CHECK(found.asked.pairs.size() < 200);
}

// An object without a valid box meets nobody. (FCL's own tree does not survive a NaN, and to the naive manager it is
// everywhere.)
template <class S> void boxes_may_be_empty_or_endless() {
    const S infinity = std::numeric_limits<S>::infinity(), nan = std::numeric_limits<S>::quiet_NaN();
    scene<S> s(100, 17);
    broadphase::fcl_manager<S> ours;
    const auto is_right = [&](std::initializer_list<std::size_t> without) {
        fcl::NaiveCollisionManager<S> naive;
        naive.registerObjects(s.pointers);
        for (const std::size_t i : without) naive.unregisterObject(s.pointers[i]);
        return self<S>(ours) == self<S>(naive);
    };
    s.balls[3].set(S(1), S(-1));
    s.balls[4].set(nan, nan);
    s.balls[5].set(-infinity, infinity);
    s.balls[6].set(-std::numeric_limits<S>::max(), std::numeric_limits<S>::max());
    ours.registerObjects(s.pointers);
    CHECK(is_right({3, 4}) && self<S>(ours).size() > 150 && ours.size() == 100);
    CHECK(with_object<S>(ours, s.pointers[3]).empty() && with_object<S>(ours, s.pointers[4]).empty());
    CHECK(with_object<S>(ours, s.pointers[5]).size() == 98);
    CHECK(least_distance([&](void *data) { ours.distance(s.pointers[3], data, measure<S>); }) == 1e30);
    s.shake(3); // comes in, and another one goes
    s.balls[7].set(nan, nan);
    ours.update();
    CHECK(is_right({4, 7}));
    ours.unregisterObject(s.pointers[4]);
    s.shake(7);
    s.shake(8);
    ours.update();
    CHECK(ours.size() == 99 && is_right({4}));
    s.balls[9].set(nan, nan);
    ours.update();
    CHECK(is_right({4, 9}));
}

// Managers that nobody changes may be asked by several threads.
template <class S> void threads_may_ask() {
    scene<S> s(1000, 18);
    managers<S> m(s);
    const auto expected = self<S>(m.naive);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            CHECK(self<S>(m.ours) == expected);
            for (auto *object : s.pointers) CHECK(!with_object<S>(m.ours, object).empty());
        });
    }
    for (std::thread &thread : threads) thread.join();
}

// With FCL's own shapes and callbacks.
void serves_a_real_program() {
    std::deque<fcl::CollisionObject<double>> objects;
    std::vector<fcl::CollisionObject<double> *> pointers;
    for (int i = 0; i < 200; ++i) {
        fcl::Transform3<double> place = fcl::Transform3<double>::Identity();
        place.translation() = fcl::Vector3<double>(0.9 * (i % 10), 1.7 * (i / 10 % 5), 2.1 * (i / 50));
        objects.emplace_back(std::make_shared<fcl::Sphere<double>>(0.5), place);
        pointers.push_back(&objects.back());
    }
    broadphase::fcl_manager<double> ours;
    fcl::DynamicAABBTreeCollisionManager<double> tree;
    std::size_t contacts[2];
    double distances[2];
    for (int i = 0; i < 2; ++i) {
        fcl::BroadPhaseCollisionManager<double> &manager = i == 0 ? static_cast<manager_of<double> &>(ours) : tree;
        manager.registerObjects(pointers);
        manager.setup();
        fcl::DefaultCollisionData<double> collision;
        collision.request.num_max_contacts = 100000;
        manager.collide(&collision, fcl::DefaultCollisionFunction<double>);
        contacts[i] = collision.result.numContacts();
        for (auto *object : pointers) { // apart
            fcl::Vector3<double> place = object->getTranslation();
            place[0] *= 1.3;
            object->setTranslation(place);
            object->computeAABB();
        }
        manager.update();
        fcl::DefaultDistanceData<double> distance;
        manager.distance(&distance, fcl::DefaultDistanceFunction<double>);
        distances[i] = distance.result.min_distance;
        for (auto *object : pointers) { // and back
            fcl::Vector3<double> place = object->getTranslation();
            place[0] /= 1.3;
            object->setTranslation(place);
            object->computeAABB();
        }
    }
    CHECK(contacts[0] == 180 && contacts[1] == 180);
    CHECK(std::abs(distances[0] - 0.17) < 1e-6 && std::abs(distances[0] - distances[1]) < 1e-6);
}

// Pairs whose boxes do not overlap are nobody's.
template <class S> void takes_over_no_other_question() {
    scene<S> s(300, 12), others(20, 13);
    bp_config config = {};
    config.margin = 1;
    config.period[0] = 5;
    config.shape = BP_SHAPE_SPHERES;
    config.dimensions = 2;
    broadphase::fcl_manager<S> plain, odd(config), mine;
    plain.registerObjects(s.pointers);
    odd.registerObjects(s.pointers);
    mine.registerObjects(others.pointers);
    CHECK(met([&](void *data) { odd.collide(data, count_all<S>); }) ==
          met([&](void *data) { plain.collide(data, count_all<S>); }));
    CHECK(met([&](void *data) { odd.collide(&mine, data, count_all<S>); }) ==
          met([&](void *data) { plain.collide(&mine, data, count_all<S>); }));
}

template <class S> void all_cases() {
    finds_the_pairs_of_others<S>();
    sees_what_is_updated<S>();
    objects_come_and_go<S>();
    meets_other_managers<S>();
    stops_when_told<S>();
    finds_the_least_distance<S>();
    boxes_may_be_empty_or_endless<S>();
    threads_may_ask<S>();
    takes_over_no_other_question<S>();
}

} // namespace

int main() {
    all_cases<float>();
    all_cases<double>();
    serves_a_real_program();
    std::puts("test_fcl: all hold");
    return 0;
}
