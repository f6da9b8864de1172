// FCL as a world: a dynamic tree for what is static and one for the rest.
//
// That of the rest is refitted where something has moved, and rebuilt when that pays. Telling the manager what moved, and no
// more, would lose pairs: it takes a box that has moved by less than a hundred thousandth of its coordinates for the same.
#include "peers/fcl.hpp"
#include "peers/world_shim.hpp"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>

namespace {

class Tree : public ListingWorld {
public:
    Tree(const bp_box *boxes, size_t count, size_t static_count) : ListingWorld(boxes, count, static_count) {
        auto shape = std::make_shared<fcl::Box<float>>(1.f, 1.f, 1.f);
        std::vector<Object *> statics;
        for (uint32_t i = 0; i < count; i++) {
            objects_.emplace_back(shape, i);
            objects_[i].set(boxes[i]);
            (is_static(i) ? statics : pointers_).push_back(&objects_[i]);
        }
        others_.tree_init_level = 1; // as in fcl.cpp
        others_.tree_incremental_balance_pass = 0;
        statics_.registerObjects(statics);
    }

private:
    void place(uint32_t id) override {
        objects_[id].set(boxes_[id]);
        others_changed_ = true;
    }
    void remove(uint32_t id) override {
        if (is_static(id)) statics_.unregisterObject(&objects_[id]);
    }
    void add(uint32_t id) override {
        if (!is_static(id)) return place(id);
        objects_[id].set(boxes_[id]);
        statics_.registerObject(&objects_[id]);
    }
    void bring_others() {
        if (!renewal_.begin()) return others_.update();
        others_.clear();
        others_.registerObjects(pointers_);
        others_.setup();
    }
    void find() override {
        if (others_changed_) bring_others();
        statics_.setup();
        others_.collide(this, collect);
        if (!statics_.empty()) others_.collide(&statics_, this, collect);
        if (others_changed_) renewal_.end();
        others_changed_ = false;
    }
    static bool collect(Object *a, Object *b, void *self) {
        static_cast<Tree *>(self)->take_pair(static_cast<BoxObject *>(a)->index, static_cast<BoxObject *>(b)->index);
        return false;
    }

    std::deque<BoxObject> objects_;
    std::vector<Object *> pointers_; // to the others
    fcl::DynamicAABBTreeCollisionManager<float> others_, statics_;
    Renewal renewal_;
    bool others_changed_ = true;
};

} // namespace

extern "C" const bench_world_peer fcl_worlds[] = {
    make_world<Tree>("fcl", "tree", "two DynamicAABBTree, refitted, rebuilt when that pays; no margin"),
    {},
};
