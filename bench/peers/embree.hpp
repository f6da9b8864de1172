// Shared by the shims of Embree: boxes as a scene of user geometry.
#ifndef BENCH_EMBREE_HPP
#define BENCH_EMBREE_HPP

#include "peers/world_peer.h"

#include <embree3/rtcore.h>

#include <stdexcept>

struct EmbreeDevice {
    EmbreeDevice() : handle(rtcNewDevice("threads=1,user_threads=1,set_affinity=0")) {
        if (!handle) throw std::runtime_error("no Embree device");
    }
    ~EmbreeDevice() {
        rtcReleaseDevice(handle);
    }
    EmbreeDevice(const EmbreeDevice &) = delete;
    EmbreeDevice &operator=(const EmbreeDevice &) = delete;

    RTCDevice handle;
};

// Boxes as a scene. With the quality "low" it is rebuilt each step, with the fast builder: 10^5 boxes take 43 ms, with
// the medium one 83. Refitting does not pay in clouds of boxes: at 20 % motion the search takes twice as long after two
// steps, at 1 % it saves less than the better tree of a rebuild. A mesh that deforms is what it is made for.
class EmbreeBoxes {
public:
    EmbreeBoxes(const EmbreeDevice &device, size_t count, const bp_box *boxes, RTCBuildQuality quality,
                RTCBuildQuality scene_quality = RTC_BUILD_QUALITY_LOW)
        : boxes_(boxes) {
        scene_ = rtcNewScene(device.handle);
        rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(scene_, scene_quality);
        geometry_ = rtcNewGeometry(device.handle, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(geometry_, quality);
        rtcSetGeometryUserPrimitiveCount(geometry_, static_cast<unsigned>(count));
        rtcSetGeometryUserData(geometry_, this);
        rtcSetGeometryBoundsFunction(geometry_, bounds, nullptr);
        rtcSetGeometryIntersectFunction(geometry_, intersect);
        rtcCommitGeometry(geometry_);
        rtcAttachGeometry(scene_, geometry_);
    }

    ~EmbreeBoxes() {
        rtcReleaseGeometry(geometry_);
        rtcReleaseScene(scene_);
    }

    EmbreeBoxes(const EmbreeBoxes &) = delete;
    EmbreeBoxes &operator=(const EmbreeBoxes &) = delete;

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
        const bp_box &box = static_cast<EmbreeBoxes *>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        RTCBounds *out = arguments->bounds_o;
        out->lower_x = box.min[0], out->lower_y = box.min[1], out->lower_z = box.min[2];
        out->upper_x = box.max[0], out->upper_y = box.max[1], out->upper_z = box.max[2];
    }

    // Shortens the ray to the first hit.
    static void intersect(const RTCIntersectFunctionNArguments *arguments) {
        const bp_box &box = static_cast<EmbreeBoxes *>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        RTCRayHit &found = *reinterpret_cast<RTCRayHit *>(arguments->rayhit);
        RTCRay &ray = found.ray;
        const float origin[3] = {ray.org_x, ray.org_y, ray.org_z};
        const float direction[3] = {ray.dir_x, ray.dir_y, ray.dir_z};
        float t;
        if (!bench_ray_enters(origin, direction, ray.tnear, ray.tfar, &box, &t)) return;
        ray.tfar = t;
        found.hit.geomID = arguments->geomID;
        found.hit.primID = arguments->primID;
    }

    RTCScene scene_;
    RTCGeometry geometry_;
    const bp_box *boxes_;
};

#endif
