/// broadphase for C++17, for points that move: neighbours with a skin. A thin layer over broadphase_neighbors.h, which is
/// the manual.
///
///     broadphase::neighbor_world world(radius, 0.2 * radius, lattice, config);
///     for (;;) { // every step
///         const bp_neighbor_images &found = world.update(points);
///     }
#ifndef BROADPHASE_NEIGHBORS_HPP
#define BROADPHASE_NEIGHBORS_HPP

#include <broadphase/broadphase_neighbors.h>
#include <broadphase/broadphase_values.hpp>

#include <memory>
#include <utility>

namespace broadphase {

/// Points that move, and their neighbours. Move-only. One that was moved from may only be destroyed or assigned to.
class neighbor_world {
public:
    neighbor_world(double radius, double skin, const bp_lattice &lattice = {}, const bp_config &config = {})
        : tap_(new detail::log_tap{config.log}) {
        bp_config tapped = config;
        tapped.log = {detail::log_tap::write, tap_.get()};
        check(bp_neighbor_world_create(radius, skin, &lattice, &tapped, &handle_));
    }
    neighbor_world(neighbor_world &&other) noexcept
        : tap_(std::move(other.tap_)), handle_(std::exchange(other.handle_, nullptr)) {
    }
    neighbor_world &operator=(neighbor_world &&other) noexcept {
        std::swap(tap_, other.tap_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~neighbor_world() {
        bp_neighbor_world_destroy(handle_);
    }

    /// The neighbours of the points as they are now; valid until the next call.
    const bp_neighbor_images &update(points_view<float> points) {
        const bp_neighbor_images *found = nullptr;
        check(bp_neighbor_world_update(handle_, points.xyz(), points.size(), &found));
        return *found;
    }
    const bp_neighbor_images &update(points_view<double> points) {
        const bp_neighbor_images *found = nullptr;
        check(bp_neighbor_world_update_double(handle_, points.xyz(), points.size(), &found));
        return *found;
    }
    /// Another cell, for the updates that follow.
    void set_cell(const double (&cell)[3][3]) {
        check(bp_neighbor_world_set_cell(handle_, cell));
    }
    /// How many updates have searched anew.
    std::uint64_t searches() const noexcept {
        return bp_neighbor_world_searches(handle_);
    }
    /// The world of C.
    bp_neighbor_world *handle() const noexcept {
        return handle_;
    }

private:
    static void check(bp_status status) {
        if (status != BP_OK) detail::fail_with_last_line(status);
    }

    std::unique_ptr<detail::log_tap> tap_; // the world points to it
    bp_neighbor_world *handle_ = nullptr;
};

} // namespace broadphase

#endif
