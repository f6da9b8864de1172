#include "peers/fcl_managers.h"

#include <broadphase/fcl.hpp>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>

#include <deque>

namespace {

// The box is set directly: neither transform nor shape is used.
template <class S> struct BoxObject : fcl::CollisionObject<S> {
    BoxObject(const std::shared_ptr<fcl::CollisionGeometry<S>> &shape, uint32_t i)
        : fcl::CollisionObject<S>(shape), index(i) {
    }
    void set(const bp_box &box) {
        for (int axis = 0; axis < 3; axis++) {
            this->aabb.min_[axis] = box.min[axis];
            this->aabb.max_[axis] = box.max[axis];
        }
    }
    uint32_t index;
};

struct Tally : bench_fcl_pairs {
    bool first_only;
};

template <class S> bool count_pair(fcl::CollisionObject<S> *a, fcl::CollisionObject<S> *b, void *data) {
    auto *tally = static_cast<Tally *>(data);
    const uint64_t i = static_cast<BoxObject<S> *>(a)->index, j = static_cast<BoxObject<S> *>(b)->index;
    tally->count++;
    tally->hash += (std::min(i, j) * 0x9e3779b97f4a7c15u) ^ (std::max(i, j) * 0xc2b2ae3d27d4eb4fu);
    return tally->first_only;
}

template <class S, class Manager> class Shim {
public:
    Shim(const bp_box *boxes, size_t count) {
        auto shape = std::make_shared<fcl::Box<S>>(S(1), S(1), S(1));
        std::vector<fcl::CollisionObject<S> *> pointers;
        for (uint32_t i = 0; i < count; i++) {
            objects_.emplace_back(shape, i);
            objects_.back().set(boxes[i]);
            pointers.push_back(&objects_.back());
        }
        manager_.registerObjects(pointers);
        manager_.setup();
    }
    void place(const bp_box *boxes) {
        for (auto &object : objects_) object.set(boxes[object.index]);
    }
    void update() {
        manager_.update();
    }
    bench_fcl_pairs collide() const {
        Tally tally{};
        manager_.collide(&tally, count_pair<S>);
        return tally;
    }
    bench_fcl_pairs collide_with(const Shim &other, bool first_only) const {
        Tally tally{};
        tally.first_only = first_only;
        manager_.collide(const_cast<Manager *>(&other.manager_), &tally, count_pair<S>); // FCL takes no const
        return tally;
    }

private:
    std::deque<BoxObject<S>> objects_;
    Manager manager_;
};

template <class S, class Manager> constexpr bench_fcl_manager make(const char *who, const char *method) {
    using Kind = Shim<S, Manager>;
    bench_fcl_manager m{};
    m.who = who;
    m.method = method;
    m.create = [](const bp_box *boxes, size_t count) -> void * {
        try {
            return new Kind(boxes, count);
        } catch (const std::exception &) {
            return nullptr;
        }
    };
    m.place = [](void *state, const bp_box *boxes) { static_cast<Kind *>(state)->place(boxes); };
    m.update = [](void *state) { static_cast<Kind *>(state)->update(); };
    m.collide = [](const void *state) { return static_cast<const Kind *>(state)->collide(); };
    m.collide_with = [](const void *state, const void *other, int first_only) {
        return static_cast<const Kind *>(state)->collide_with(*static_cast<const Kind *>(other), first_only != 0);
    };
    m.destroy = [](void *state) { delete static_cast<Kind *>(state); };
    return m;
}

const bench_fcl_manager managers[] = {
    make<double, broadphase::fcl_manager<double>>("broadphase", "fcl-manager/double"),
    make<double, fcl::DynamicAABBTreeCollisionManager<double>>("fcl", "tree/double"),
    make<float, broadphase::fcl_manager<float>>("broadphase", "fcl-manager/float"),
    make<float, fcl::DynamicAABBTreeCollisionManager<float>>("fcl", "tree/float"),
    {},
};

} // namespace

extern "C" const bench_fcl_manager *const bench_fcl_managers = managers;
