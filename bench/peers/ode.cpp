// ODE: the hash space and the sweep-and-prune space, with plain box geoms.
//
// ODE keeps a centre and three lengths in doubles; for boxes given as floats the box it computes from them is the one
// given, so its own test already is the exact one. It is repeated here all the same.
#include "peers/shim.hpp"
#include "peers/world_shim.hpp"

#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

struct Init {
    Init() {
        dInitODE2(0);
    }
    ~Init() {
        dCloseODE();
    }
};

void *tag_of(uint32_t i) {
    return reinterpret_cast<void *>(static_cast<uintptr_t>(i));
}
uint32_t index_of(dGeomID geom) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(dGeomGetData(geom)));
}

// ODE ignores geoms without thickness, so they get the smallest thickness that counts.
double length(const bp_box &box, int axis) {
    return std::max(double(box.max[axis]) - box.min[axis], 1e-9 * (1 + std::abs(double(box.max[axis]))));
}
double centre(const bp_box &box, int axis) {
    return 0.5 * (double(box.min[axis]) + box.max[axis]);
}

class Space {
public:
    Space(dSpaceID space, size_t count, const bp_box *boxes) : space_(space), boxes_(boxes) {
        for (uint32_t i = 0; i < count; i++) {
            geoms_.push_back(dCreateBox(space_, length(boxes[i], 0), length(boxes[i], 1), length(boxes[i], 2)));
            dGeomSetData(geoms_[i], tag_of(i));
        }
        update(boxes);
    }

    ~Space() {
        dSpaceDestroy(space_);
    }
    Space(const Space &) = delete;
    Space &operator=(const Space &) = delete;

    void update(const bp_box *boxes) {
        boxes_ = boxes;
        for (uint32_t i = 0; i < geoms_.size(); i++) {
            const bp_box &box = boxes[i];
            dGeomBoxSetLengths(geoms_[i], length(box, 0), length(box, 1), length(box, 2));
            dGeomSetPosition(geoms_[i], centre(box, 0), centre(box, 1), centre(box, 2));
        }
    }

    void find(bp_pairs &pairs) {
        pairs_ = &pairs;
        dSpaceCollide(space_, this, [](void *self, dGeomID a, dGeomID b) {
            Space *space = static_cast<Space *>(self);
            bench_push_exact(space->pairs_, space->boxes_, index_of(a), index_of(b));
        });
    }

private:
    dSpaceID space_;
    std::vector<dGeomID> geoms_;
    const bp_box *boxes_;
    bp_pairs *pairs_ = nullptr;
};

struct Library {
    Library() {
        static Init init;
        (void)init;
    }
};

// The space holds levels of cells of 2^min .. 2^max; every object is in the cells of the level of its size.
struct HashSpace : Library, Space {
    HashSpace(size_t count, const bp_box *boxes) : Space(create(), count, boxes) {
    }
    static dSpaceID create() {
        dSpaceID space = dHashSpaceCreate(nullptr);
        dHashSpaceSetLevels(space, -8, 10);
        return space;
    }
};

struct SweepSpace : Library, Space {
    SweepSpace(size_t count, const bp_box *boxes)
        : Space(dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ), count, boxes) {
    }
};

// A sweep-and-prune space in which static geoms and the others are of two categories, and static ones collide with others
// only.
class World : Library, public ListingWorld {
public:
    World(const bp_box *boxes, size_t count, size_t static_count)
        : ListingWorld(boxes, count, static_count), space_(dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ)),
          geoms_(count) {
        for (uint32_t i = 0; i < count; i++) add(i);
    }
    ~World() override {
        dSpaceDestroy(space_);
    }

private:
    enum : unsigned long { STATIC = 1, OTHER = 2 };

    void place(uint32_t id) override {
        const bp_box &box = boxes_[id];
        dGeomBoxSetLengths(geoms_[id], length(box, 0), length(box, 1), length(box, 2));
        dGeomSetPosition(geoms_[id], centre(box, 0), centre(box, 1), centre(box, 2));
    }
    void remove(uint32_t id) override {
        dGeomDestroy(geoms_[id]);
    }
    void add(uint32_t id) override {
        geoms_[id] = dCreateBox(space_, 1, 1, 1);
        dGeomSetData(geoms_[id], tag_of(id));
        dGeomSetCategoryBits(geoms_[id], is_static(id) ? STATIC : OTHER);
        dGeomSetCollideBits(geoms_[id], is_static(id) ? OTHER : STATIC | OTHER);
        place(id);
    }
    void find() override {
        dSpaceCollide(space_, this, [](void *self, dGeomID a, dGeomID b) {
            static_cast<World *>(self)->take_pair(index_of(a), index_of(b));
        });
    }

    dSpaceID space_;
    std::vector<dGeomID> geoms_;
};

bench_world_peer up_to(bench_world_peer peer, size_t max_count) {
    peer.max_count = max_count;
    return peer;
}

} // namespace

extern "C" const bench_world_peer ode_worlds[] = {
    up_to(make_world<World>("ode", "sap", "dSweepAndPruneSpace, static geoms in a category; no margin"), 12000),
    {},
};

extern "C" const bench_peer ode_peers[] = {
    make_peer<SweepSpace>("ode", "sap", "dSweepAndPruneSpace, rebuilt inside each collide; no margin", BENCH_SWEEP),
    make_peer<HashSpace>("ode", "hash", "dHashSpace; keeps n^2 bits of tested pairs; no margin", BENCH_HASH, false,
                         40000),
    {},
};
