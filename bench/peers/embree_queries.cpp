// Embree, asked for boxes and rays, one by one.
//
// Boxes are user geometry. A ray is rtcIntersect1 with a callback that notes every box it hits and never shortens the ray;
// a box is rtcPointQuery of the ball around it, with a callback that compares the boxes. `closest` is a scene for first hits alone:
// its callback shortens the ray, and divides three times instead of six.
#include "peers/query_peer.h"
#include "peers/world_peer.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>

namespace {

struct Question {
    RTCIntersectContext context; // comes first: callbacks get a pointer to it
    const bp_box *boxes, *box;
    bp_id *ids;
    size_t capacity, count;
};

void note(Question &question, unsigned index) {
    if (question.count < question.capacity) question.ids[question.count] = index;
    question.count++;
}

class EmbreeScene {
public:
    EmbreeScene(const bp_box *boxes, size_t count, bool closest) : boxes_(boxes) {
        device_ = rtcNewDevice("threads=1,user_threads=1,set_affinity=0");
        if (!device_) throw std::runtime_error("no Embree device");
        scene_ = rtcNewScene(device_);
        rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_HIGH);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(count));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
        rtcSetGeometryIntersectFunction(geometry, closest ? shorten : intersect);
        rtcSetGeometryPointQueryFunction(geometry, overlap);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene_, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene_);
    }
    ~EmbreeScene() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }
    EmbreeScene(const EmbreeScene &) = delete;
    EmbreeScene &operator=(const EmbreeScene &) = delete;

    size_t box(const bp_box &box, bp_id *ids, size_t capacity) {
        Question question = begin(ids, capacity);
        question.boxes = boxes_;
        question.box = &box;
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        RTCPointQuery query{};
        query.x = 0.5f * (box.min[0] + box.max[0]);
        query.y = 0.5f * (box.min[1] + box.max[1]);
        query.z = 0.5f * (box.min[2] + box.max[2]);
        double squares = 0;
        for (int axis = 0; axis < 3; axis++) squares += std::pow(double(box.max[axis]) - double(box.min[axis]), 2);
        query.radius = static_cast<float>(0.50001 * std::sqrt(squares)) + 1e-3f;
        rtcPointQuery(scene_, &query, &context, nullptr, &question);
        return question.count;
    }

    size_t ray(const bp_ray &ray, bp_id *ids, size_t capacity) {
        Question question = begin(ids, capacity);
        RTCRayHit hit;
        set(hit, ray);
        rtcIntersect1(scene_, &question.context, &hit);
        return question.count;
    }

    size_t first(const bp_ray &ray, bp_ray_hit &first) {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        RTCRayHit hit;
        set(hit, ray);
        rtcIntersect1(scene_, &context, &hit);
        first.id = hit.hit.primID;
        first.t = hit.ray.tfar;
        return hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    }

private:
    static Question begin(bp_id *ids, size_t capacity) {
        Question question{};
        rtcInitIntersectContext(&question.context);
        question.ids = ids;
        question.capacity = capacity;
        return question;
    }

    static void set(RTCRayHit &hit, const bp_ray &ray) {
        hit.ray.org_x = ray.origin[0], hit.ray.org_y = ray.origin[1], hit.ray.org_z = ray.origin[2];
        hit.ray.dir_x = ray.direction[0], hit.ray.dir_y = ray.direction[1], hit.ray.dir_z = ray.direction[2];
        hit.ray.tnear = hit.ray.time = 0, hit.ray.tfar = ray.max_t;
        hit.ray.mask = ~0u, hit.ray.id = hit.ray.flags = 0;
        hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    }

    static void bounds(const RTCBoundsFunctionArguments *arguments) {
        const bp_box &box = static_cast<EmbreeScene *>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        RTCBounds *out = arguments->bounds_o;
        out->lower_x = box.min[0], out->lower_y = box.min[1], out->lower_z = box.min[2];
        out->upper_x = box.max[0], out->upper_y = box.max[1], out->upper_z = box.max[2];
    }

    static void intersect(const RTCIntersectFunctionNArguments *arguments) {
        const bp_box &box = static_cast<EmbreeScene *>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        const RTCRay &ray = reinterpret_cast<const RTCRayHit *>(arguments->rayhit)->ray;
        const float origin[3] = {ray.org_x, ray.org_y, ray.org_z};
        const float direction[3] = {ray.dir_x, ray.dir_y, ray.dir_z};
        float t;
        if (bench_ray_enters(origin, direction, ray.tnear, ray.tfar, &box, &t))
            note(*reinterpret_cast<Question *>(arguments->context), arguments->primID);
    }

    static void shorten(const RTCIntersectFunctionNArguments *arguments) {
        const bp_box &box = static_cast<EmbreeScene *>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        RTCRayHit &hit = *reinterpret_cast<RTCRayHit *>(arguments->rayhit);
        const float origin[3] = {hit.ray.org_x, hit.ray.org_y, hit.ray.org_z};
        const float inverse[3] = {1 / hit.ray.dir_x, 1 / hit.ray.dir_y, 1 / hit.ray.dir_z};
        float enter = hit.ray.tnear, leave = hit.ray.tfar;
        for (int axis = 0; axis < 3; axis++) {
            const float a = (box.min[axis] - origin[axis]) * inverse[axis];
            const float b = (box.max[axis] - origin[axis]) * inverse[axis];
            enter = std::max(enter, std::min(a, b));
            leave = std::min(leave, std::max(a, b));
        }
        if (enter > leave) return;
        hit.ray.tfar = enter;
        hit.hit.geomID = 0;
        hit.hit.primID = arguments->primID;
    }

    static bool overlap(RTCPointQueryFunctionArguments *arguments) {
        Question &question = *static_cast<Question *>(arguments->userPtr);
        const bp_box &box = question.boxes[arguments->primID];
        if (bench_overlap(&box, question.box)) note(question, arguments->primID);
        return false;
    }

    const bp_box *boxes_;
    RTCDevice device_;
    RTCScene scene_;
};

template <bool Closest> bench_query_peer make_scene(const char *method, const char *note) {
    bench_query_peer peer{};
    peer.who = "embree";
    peer.method = method;
    peer.note = note;
    peer.create = [](const bp_box *boxes, size_t count) -> void * {
        try {
            return new EmbreeScene(boxes, count, Closest);
        } catch (const std::exception &) {
            return nullptr;
        }
    };
    peer.destroy = [](void *state) { delete static_cast<EmbreeScene *>(state); };
    if (Closest) {
        peer.first = [](void *state, const bp_ray *ray, bp_ray_hit *hit) {
            return static_cast<EmbreeScene *>(state)->first(*ray, *hit);
        };
        return peer;
    }
    peer.box = [](void *state, const bp_box *box, bp_id *ids, size_t capacity) {
        return static_cast<EmbreeScene *>(state)->box(*box, ids, capacity);
    };
    peer.ray = [](void *state, const bp_ray *ray, bp_id *ids, size_t capacity) {
        return static_cast<EmbreeScene *>(state)->ray(*ray, ids, capacity);
    };
    return peer;
}

} // namespace

extern "C" const bench_query_peer embree_queries[] = {
    make_scene<false>("bvh", "rtcIntersect1 and rtcPointQuery of user geometry, collecting all"),
    make_scene<true>("bvh/closest", "rtcIntersect1 of user geometry, first hits"),
    {},
};
