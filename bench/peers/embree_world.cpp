// Embree as a world: a scene of what is static, built well, and one of the rest, built anew where something has moved.
//
// Pairs are those of rtcCollide, rays go through one scene and then, shortened, through the other.
#include "peers/embree.hpp"
#include "peers/world_shim.hpp"

namespace {

class Scenes : public ListingWorld {
public:
    Scenes(const bp_box *boxes, size_t count, size_t static_count)
        : ListingWorld(boxes, count, static_count),
          statics_(device_, static_count, boxes_.data(), RTC_BUILD_QUALITY_MEDIUM, RTC_BUILD_QUALITY_MEDIUM),
          others_(device_, count - static_count, boxes_.data() + static_count, RTC_BUILD_QUALITY_LOW) {
        rtcInitIntersectContext(&context_);
    }

    void rays(const bp_ray *rays, size_t count, bp_ray_hit *hits) override {
        for (size_t i = 0; i < count; i++) {
            RTCRayHit found{};
            const bp_ray &ray = rays[i];
            found.ray.org_x = ray.origin[0], found.ray.org_y = ray.origin[1], found.ray.org_z = ray.origin[2];
            found.ray.dir_x = ray.direction[0], found.ray.dir_y = ray.direction[1], found.ray.dir_z = ray.direction[2];
            found.ray.tfar = ray.max_t, found.ray.mask = ~0u;
            hits[i].id = first_in(others_, found, static_cast<uint32_t>(static_count_), BP_NO_ID);
            hits[i].id = first_in(statics_, found, 0, hits[i].id);
            hits[i].t = found.ray.tfar;
        }
    }

private:
    uint32_t first_in(const EmbreeBoxes &boxes, RTCRayHit &found, uint32_t first_id, uint32_t otherwise) {
        found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(boxes.handle(), &context_, &found);
        return found.hit.geomID == RTC_INVALID_GEOMETRY_ID ? otherwise : found.hit.primID + first_id;
    }

    void place(uint32_t id) override {
        (is_static(id) ? statics_changed_ : others_changed_) = true;
    }
    void remove(uint32_t) override {
    }
    void add(uint32_t id) override {
        place(id);
    }
    void find() override {
        if (statics_changed_) statics_.update(boxes_.data());
        if (others_changed_) others_.update(boxes_.data() + static_count_);
        statics_changed_ = others_changed_ = false;
        rtcCollide(others_.handle(), others_.handle(), collect<false>, this);
        rtcCollide(others_.handle(), statics_.handle(), collect<true>, this);
    }
    // Within a scene each pair comes in both orders.
    template <bool WithStatics> static void collect(void *state, RTCCollision *found, unsigned count) {
        Scenes *self = static_cast<Scenes *>(state);
        const uint32_t first = static_cast<uint32_t>(self->static_count_);
        for (unsigned k = 0; k < count; k++)
            if (WithStatics || found[k].primID0 < found[k].primID1)
                self->take_pair(found[k].primID0 + first, found[k].primID1 + (WithStatics ? 0 : first));
    }

    EmbreeDevice device_;
    EmbreeBoxes statics_, others_;
    RTCIntersectContext context_;
    bool statics_changed_ = true, others_changed_ = true;
};

} // namespace

extern "C" const bench_world_peer embree_worlds[] = {
    make_ray_world<Scenes>("embree", "collide",
                           "rtcCollide and rtcIntersect1 of two scenes; the moving one built anew"),
    {},
};
