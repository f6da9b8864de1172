// Embree: rtcCollide of a scene of user geometry with itself, on one thread.
#include "peers/shim.hpp"

#include <embree3/rtcore.h>

#include <stdexcept>

namespace {

// The scene is rebuilt each step, with the fast builder: 10^5 boxes take 43 ms, with the medium one 83. Refitting does
// not pay: at 20 % motion the search takes twice as long after two steps, at 1 % it saves less than the better tree of
// a rebuild. A caller who keeps the boxes themselves in spatial order gains nothing up to 10^5, and a third at 10^6.
// Primitives are reported whose leaves touch, each pair in both orders.
class Collide {
public:
    Collide(size_t count, const bp_box *boxes) : boxes_(boxes) {
        device_ = rtcNewDevice("threads=1,user_threads=1,set_affinity=0");
        if (!device_) throw std::runtime_error("no Embree device");
        scene_ = rtcNewScene(device_);
        rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
        geometry_ = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(geometry_, RTC_BUILD_QUALITY_LOW);
        rtcSetGeometryUserPrimitiveCount(geometry_, static_cast<unsigned>(count));
        rtcSetGeometryUserData(geometry_, this);
        rtcSetGeometryBoundsFunction(geometry_, bounds, nullptr);
        rtcCommitGeometry(geometry_);
        rtcAttachGeometry(scene_, geometry_);
    }

    ~Collide() {
        rtcReleaseGeometry(geometry_);
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }

    Collide(const Collide &) = delete;
    Collide &operator=(const Collide &) = delete;

    void update(const bp_box *boxes) {
        boxes_ = boxes;
        rtcCommitGeometry(geometry_);
        rtcCommitScene(scene_);
    }

    void find(bp_pairs &pairs) {
        pairs_ = &pairs;
        rtcCollide(scene_, scene_, collect, this);
    }

private:
    static void bounds(const RTCBoundsFunctionArguments *arguments) {
        const bp_box &box = static_cast<Collide *>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        RTCBounds *out = arguments->bounds_o;
        out->lower_x = box.min[0], out->lower_y = box.min[1], out->lower_z = box.min[2];
        out->upper_x = box.max[0], out->upper_y = box.max[1], out->upper_z = box.max[2];
    }

    static void collect(void *self, RTCCollision *found, unsigned count) {
        Collide *peer = static_cast<Collide *>(self);
        for (unsigned k = 0; k < count; k++)
            if (found[k].primID0 < found[k].primID1)
                bench_push_exact(peer->pairs_, peer->boxes_, found[k].primID0, found[k].primID1);
    }

    RTCDevice device_;
    RTCScene scene_;
    RTCGeometry geometry_;
    const bp_box *boxes_;
    bp_pairs *pairs_ = nullptr;
};

} // namespace

extern "C" const bench_peer embree_peers[] = {
    make_peer<Collide>("embree", "collide", "rtcCollide, rebuilt each step; leaves touch, filtered here", BENCH_TREE),
    {},
};
