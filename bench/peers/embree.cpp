// Embree: rtcCollide of a scene of user geometry with itself or with another one, on one thread.
#include "peers/embree.hpp"
#include "peers/shim.hpp"

namespace {

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

    EmbreeDevice device_;
    EmbreeBoxes scene_;
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

    EmbreeDevice device_;
    EmbreeBoxes first_, second_;
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
