// Shared by the shims of FCL: an object that is nothing but its box, and when to rebuild a tree.
#ifndef BENCH_FCL_HPP
#define BENCH_FCL_HPP

#include <broadphase/broadphase.h>

#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/collision_object.h>

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

using Object = fcl::CollisionObject<float>;
using Vector = fcl::Vector3<float>;

inline Vector vector_of(const float *p) {
    return Vector(p[0], p[1], p[2]);
}

struct BoxObject : Object {
    BoxObject(const std::shared_ptr<fcl::CollisionGeometry<float>> &shape, uint32_t i) : Object(shape), index(i) {
    }
    void set(const bp_box &box) {
        aabb.min_ = vector_of(box.min);
        aabb.max_ = vector_of(box.max);
    }
    uint32_t index;
};

// Decides when to rebuild: as soon as a step costs more than the mean of the steps since the last build, that build
// included. As long as steps only get slower, no fixed period costs less.
class Renewal {
public:
    // A step begins. Whether to rebuild.
    bool begin() {
        start_ = Clock::now();
        const bool is_due = due();
        if (is_due) sum_ = last_ = steps_ = 0;
        return is_due;
    }
    void end() {
        last_ = std::chrono::duration<double>(Clock::now() - start_).count();
        sum_ += last_;
        steps_++;
    }

private:
    bool due() const {
        return steps_ == 0 || (steps_ > 1 && last_ * steps_ > sum_);
    }

    using Clock = std::chrono::steady_clock;
    Clock::time_point start_;
    double sum_ = 0, last_ = 0, steps_ = 0;
};

#endif
