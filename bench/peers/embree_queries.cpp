// Embree, asked for boxes and rays, one by one.
//
// Boxes are user geometry. A ray is rtcIntersect1 with a callback that notes every box it hits and never shortens the ray;
// a box is rtcPointQuery of the ball around it, with a callback that compares the boxes.
#include "peers/query_peer.h"
#include "peers/world_peer.h"

#include <embree3/rtcore.h>

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
    EmbreeScene(const bp_box *boxes, size_t count) : boxes_(boxes) {
        device_ = rtcNewDevice("threads=1,user_threads=1,set_affinity=0");
        if (!device_) throw std::runtime_error("no Embree device");
        scene_ = rtcNewScene(device_);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(count));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
        rtcSetGeometryIntersectFunction(geometry, intersect);
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
        RTCRayHit hit{};
        hit.ray.org_x = ray.origin[0], hit.ray.org_y = ray.origin[1], hit.ray.org_z = ray.origin[2];
        hit.ray.dir_x = ray.direction[0], hit.ray.dir_y = ray.direction[1], hit.ray.dir_z = ray.direction[2];
        hit.ray.tnear = 0, hit.ray.tfar = ray.max_t, hit.ray.mask = ~0u;
        hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(scene_, &question.context, &hit);
        return question.count;
    }

private:
    static Question begin(bp_id *ids, size_t capacity) {
        Question question{};
        rtcInitIntersectContext(&question.context);
        question.ids = ids;
        question.capacity = capacity;
        return question;
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

bench_query_peer make_scene() {
    bench_query_peer peer{};
    peer.who = "embree";
    peer.method = "bvh";
    peer.note = "rtcIntersect1 and rtcPointQuery of user geometry, collecting all";
    peer.create = [](const bp_box *boxes, size_t count) -> void * {
        try {
            return new EmbreeScene(boxes, count);
        } catch (const std::exception &) {
            return nullptr;
        }
    };
    peer.box = [](void *state, const bp_box *box, bp_id *ids, size_t capacity) {
        return static_cast<EmbreeScene *>(state)->box(*box, ids, capacity);
    };
    peer.ray = [](void *state, const bp_ray *ray, bp_id *ids, size_t capacity) {
        return static_cast<EmbreeScene *>(state)->ray(*ray, ids, capacity);
    };
    peer.destroy = [](void *state) { delete static_cast<EmbreeScene *>(state); };
    return peer;
}

} // namespace

extern "C" const bench_query_peer embree_queries[] = {
    make_scene(),
    {},
};
