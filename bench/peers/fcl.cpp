// FCL: the dynamic AABB tree, the sorted sweep and the spatial hash.
//
// Its managers use only the AABB of an object, so the objects here have nothing else: the boxes are set directly, in
// floats, which is exact and cheaper than a transform and a shape.
#include "peers/fcl.hpp"
#include "peers/shim.hpp"

#include <fcl/broadphase/broadphase_SSaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/broadphase/broadphase_spatialhash.h>

#include <algorithm>
#include <cmath>

namespace {

struct Collector {
    const bp_box *boxes, *others;
    bp_pairs *pairs;
};

bool collect(Object *a, Object *b, void *data) {
    const Collector *to = static_cast<Collector *>(data);
    bench_push_exact(to->pairs, to->boxes, static_cast<BoxObject *>(a)->index, static_cast<BoxObject *>(b)->index);
    return false;
}

bool collect_between(Object *a, Object *b, void *data) {
    const Collector *to = static_cast<Collector *>(data);
    const uint32_t i = static_cast<BoxObject *>(a)->index, j = static_cast<BoxObject *>(b)->index;
    if (bench_overlap(&to->boxes[i], &to->others[j])) bench_push_between(to->pairs, i, j);
    return false;
}

class Manager {
public:
    Manager(size_t count, const bp_box *boxes) {
        auto shape = std::make_shared<fcl::Box<float>>(1.f, 1.f, 1.f);
        for (uint32_t i = 0; i < count; i++) {
            objects_.emplace_back(shape, i);
            pointers_.push_back(&objects_.back());
        }
        place(boxes);
    }

    void find(bp_pairs &pairs) {
        Collector collector{boxes_, boxes_, &pairs};
        manager_->collide(&collector, collect);
    }

    // The pairs of an object of this manager and one of the other.
    void find_between(const Manager &other, bp_pairs &pairs) {
        Collector collector{boxes_, other.boxes_, &pairs};
        manager_->collide(other.manager_.get(), &collector, collect_between);
    }

protected:
    void place(const bp_box *boxes) {
        boxes_ = boxes;
        for (BoxObject &object : objects_) object.set(boxes[object.index]);
    }

    std::deque<BoxObject> objects_;
    std::vector<Object *> pointers_;
    std::unique_ptr<fcl::BroadPhaseCollisionManager<float>> manager_;
    const bp_box *boxes_ = nullptr;
};

// The manager's own update refits, and takes 3 times as long after 60 steps at 20 % motion; a new tree costs as much
// as a search. The builder by Morton code (level 1) is twice as fast as the default, its tree as good.
class Tree : public Manager {
public:
    Tree(size_t count, const bp_box *boxes) : Manager(count, boxes) {
        auto tree = std::make_unique<fcl::DynamicAABBTreeCollisionManager<float>>();
        tree->tree_init_level = 1;
        tree->tree_incremental_balance_pass = 0;
        manager_ = std::move(tree);
    }

    void bring(const bp_box *boxes, bool anew) {
        place(boxes);
        if (anew)
            rebuild();
        else
            manager_->update();
    }

    void update(const bp_box *boxes) {
        bring(boxes, renewal_.begin());
    }

    void find(bp_pairs &pairs) {
        Manager::find(pairs);
        renewal_.end();
    }

private:
    void rebuild() {
        manager_->clear();
        manager_->registerObjects(pointers_);
        manager_->setup();
    }

    Renewal renewal_;
};

// Two managers, both rebuilt or both refitted.
class SetsTree {
public:
    explicit SetsTree(const bench_sets &sets) : first_(sets.a_count, sets.a), second_(sets.b_count, sets.b) {
    }

    void update(const bench_sets &sets) {
        const bool anew = renewal_.begin();
        first_.bring(sets.a, anew);
        second_.bring(sets.b, anew);
    }

    void find(bp_pairs &pairs) {
        first_.find_between(second_, pairs);
        renewal_.end();
    }

private:
    Tree first_, second_;
    Renewal renewal_;
};

struct Sweep : Manager {
    Sweep(size_t count, const bp_box *boxes) : Manager(count, boxes) {
        manager_ = std::make_unique<fcl::SSaPCollisionManager<float>>();
        manager_->registerObjects(pointers_);
        manager_->setup();
    }
    void update(const bp_box *boxes) {
        place(boxes);
        manager_->update();
    }
};

// A uniform grid, an object in every cell that it overlaps; as many hash slots as objects.
class Hash : public Manager {
public:
    Hash(size_t count, const bp_box *boxes) : Manager(count, boxes) {
        Vector low = vector_of(boxes[0].min), high = vector_of(boxes[0].max);
        for (size_t i = 1; i < count; i++) {
            low = low.cwiseMin(vector_of(boxes[i].min));
            high = high.cwiseMax(vector_of(boxes[i].max));
        }
        const float cell = cell_size(count, boxes, (high - low).prod());
        const Vector slack = Vector::Constant(cell);
        manager_ = std::make_unique<fcl::SpatialHashingCollisionManager<float>>(cell, low - slack, high + slack,
                                                                                static_cast<unsigned>(count));
        manager_->registerObjects(pointers_);
        manager_->setup();
    }

    void update(const bp_box *boxes) {
        place(boxes);
        manager_->update();
    }

private:
    static Vector extent(const bp_box &box) {
        return vector_of(box.max) - vector_of(box.min);
    }

    // The median object's size, or more where that is almost 0, or large objects would be in too many cells.
    static float cell_size(size_t count, const bp_box *boxes, float volume) {
        std::vector<float> sizes;
        for (size_t i = 0; i < count; i++) sizes.push_back(extent(boxes[i]).maxCoeff());
        std::nth_element(sizes.begin(), sizes.begin() + count / 2, sizes.end());
        float cell = std::max(sizes[count / 2], 0.05f * std::cbrt(volume / static_cast<float>(count)));
        while (references(count, boxes, cell) > 12.0 * static_cast<double>(count)) cell *= 1.5f;
        return cell;
    }

    static double references(size_t count, const bp_box *boxes, float cell) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += (extent(boxes[i]) / cell + Vector::Ones()).cast<double>().prod();
        return sum;
    }
};

} // namespace

extern "C" const bench_peer fcl_peers[] = {
    make_peer<Tree>("fcl", "tree", "DynamicAABBTree, refitted, rebuilt when that pays; no margin", BENCH_TREE, true),
    make_peer<Sweep>("fcl", "ssap", "SSaP, sorted along one axis; no margin", BENCH_SWEEP),
    make_peer<Hash>("fcl", "hash", "SpatialHashing, cells of the median size or more; no margin", BENCH_HASH),
    {},
};

extern "C" const bench_sets_peer fcl_sets[] = {
    make_sets_peer<SetsTree>("fcl", "tree", "two managers DynamicAABBTree, refitted, rebuilt when that pays", true),
    {},
};
