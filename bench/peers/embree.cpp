// Embree: rtcCollide of a scene of user geometry with itself or with another one, on one thread.
#include "peers/shim.hpp"

#include <embree3/rtcore.h>

#include <stdexcept>

namespace {

struct Device {
    Device() : handle(rtcNewDevice("threads=1,user_threads=1,set_affinity=0")) {
        if (!handle) throw std::runtime_error("no Embree device");
    }
    ~Device() {
        rtcReleaseDevice(handle);
    }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    RTCDevice handle;
};

// Boxes as a scene. With the quality "low" it is rebuilt each step, with the fast builder: 10^5 boxes take 43 ms, with
// the medium one 83. Refitting does not pay in clouds of boxes: at 20 % motion the search takes twice as long after two
// steps, at 1 % it saves less than the better tree of a rebuild. A mesh that deforms is what it is made for.
class Scene {
public:
    Scene(const Device &device, size_t count, const bp_box *boxes, RTCBuildQuality quality) : boxes_(boxes) {
        scene_ = rtcNewScene(device.handle);
        rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
        geometry_ = rtcNewGeometry(device.handle, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(geometry_, quality);
        rtcSetGeometryUserPrimitiveCount(geometry_, static_cast<unsigned>(count));
        rtcSetGeometryUserData(geometry_, this);
        rtcSetGeometryBoundsFunction(geometry_, bounds, nullptr);
        rtcCommitGeometry(geometry_);
        rtcAttachGeometry(scene_, geometry_);
    }

    ~Scene() {
        rtcReleaseGeometry(geometry_);
        rtcReleaseScene(scene_);
    }

    Scene(const Scene &) = delete;
    Scene &operator=(const Scene &) = delete;

    void update(const bp_box *boxes) {
        boxes_ = boxes;
        rtcCommitGeometry(geometry_);
        rtcCommitScene(scene_);
    }

    const bp_box *boxes() const {
        return boxes_;
    }
    RTCScene handle() const {
        return scene_;
    }

private:
    static void bounds(const RTCBoundsFunctionArguments *arguments) {
        const bp_box &box = static_cast<Scene *>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        RTCBounds *out = arguments->bounds_o;
        out->lower_x = box.min[0], out->lower_y = box.min[1], out->lower_z = box.min[2];
        out->upper_x = box.max[0], out->upper_y = box.max[1], out->upper_z = box.max[2];
    }

    RTCScene scene_;
    RTCGeometry geometry_;
    const bp_box *boxes_;
};

// A caller who keeps the boxes themselves in spatial order gains nothing up to 10^5, and a third at 10^6.
// Primitives are reported whose leaves touch, each pair in both orders.
template <RTCBuildQuality quality> class Collide {
public:
    Collide(size_t count, const bp_box *boxes) : scene_(device_, count, boxes, quality) {
    }

    void update(const bp_box *boxes) {
        scene_.update(boxes);
    }

    void find(bp_pairs &pairs) {
        pairs_ = &pairs;
        rtcCollide(scene_.handle(), scene_.handle(), collect, this);
    }

private:
    static void collect(void *self, RTCCollision *found, unsigned count) {
        const Collide *peer = static_cast<Collide *>(self);
        for (unsigned k = 0; k < count; k++)
            if (found[k].primID0 < found[k].primID1)
                bench_push_exact(peer->pairs_, peer->scene_.boxes(), found[k].primID0, found[k].primID1);
    }

    Device device_;
    Scene scene_;
    bp_pairs *pairs_ = nullptr;
};

// Two scenes: each pair comes once.
template <RTCBuildQuality quality> class CollideSets {
public:
    explicit CollideSets(const bench_sets &sets)
        : first_(device_, sets.a_count, sets.a, quality), second_(device_, sets.b_count, sets.b, quality) {
    }

    void update(const bench_sets &sets) {
        first_.update(sets.a);
        second_.update(sets.b);
    }

    void find(bp_pairs &pairs) {
        pairs_ = &pairs;
        rtcCollide(first_.handle(), second_.handle(), collect, this);
    }

private:
    static void collect(void *self, RTCCollision *found, unsigned count) {
        const CollideSets *peer = static_cast<CollideSets *>(self);
        for (unsigned k = 0; k < count; k++)
            if (bench_overlap(&peer->first_.boxes()[found[k].primID0], &peer->second_.boxes()[found[k].primID1]))
                bench_push_between(peer->pairs_, found[k].primID0, found[k].primID1);
    }

    Device device_;
    Scene first_, second_;
    bp_pairs *pairs_ = nullptr;
};

constexpr bench_peer named_only(bench_peer peer) {
    peer.named_only = true;
    return peer;
}

} // namespace

extern "C" const bench_peer embree_peers[] = {
    make_peer<Collide<RTC_BUILD_QUALITY_LOW>>("embree", "collide",
                                              "rtcCollide, rebuilt each step; leaves touch, filtered here", BENCH_TREE),
    named_only(make_peer<Collide<RTC_BUILD_QUALITY_REFIT>>(
        "embree", "refit", "the same, refitted each step: for meshes that deform", BENCH_TREE, true)),
    {},
};

extern "C" const bench_sets_peer embree_sets[] = {
    make_sets_peer<CollideSets<RTC_BUILD_QUALITY_LOW>>(
        "embree", "collide", "rtcCollide of two scenes, rebuilt each step; leaves touch, filtered here"),
    make_sets_peer<CollideSets<RTC_BUILD_QUALITY_REFIT>>("embree", "refit", "the same, refitted each step", true),
    {},
};
