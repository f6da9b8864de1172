/// broadphase in FCL: fcl_manager<S> is a fcl::BroadPhaseCollisionManager<S>, for float and double.
///
///     broadphase::fcl_manager<double> manager; // was: fcl::DynamicAABBTreeCollisionManager<double> manager;
///     manager.registerObjects(objects);
///     manager.setup();
///     manager.collide(&data, callback);
///
/// Header-only over the C library. As FCL's own managers do, it knows objects by the boxes that they had when they were
/// registered or last updated. Boxes are compared exactly, in S. An object whose box is empty or has a NaN is kept, and
/// meets nobody. A failure of the library (no memory) is a broadphase::error.
///
///     register, update --> boxes_, by id --> world_ --> collide(): all pairs at once, then the callback for each
///                               |              +------> collide(object): one query, which the callback may end
///                               +---------------------> collide(manager): queries of the smaller one's boxes, or, where
///                                                       both are large, one search between the two sets
#ifndef BROADPHASE_FCL_HPP
#define BROADPHASE_FCL_HPP

#include <broadphase/broadphase.hpp>

#include <fcl/broadphase/broadphase_collision_manager.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <type_traits>
#include <unordered_map>

namespace broadphase {

namespace detail {

// The library's box of each scalar, and its functions.
template <class S> struct fcl_scalar;

template <> struct fcl_scalar<float> {
    using box = bp_box;
    static bp_status visit(const bp_world *world, const box &asked, bp_visit each, void *context) noexcept {
        return bp_query_box_each(world, &asked, nullptr, each, context);
    }
    static bp_status list(const bp_world *world, const box &asked, bp_id *ids, std::size_t capacity,
                          std::size_t *found) noexcept {
        return bp_query_box(world, &asked, nullptr, ids, capacity, found);
    }
};

template <> struct fcl_scalar<double> {
    using box = bp_box_double;
    static bp_status visit(const bp_world *world, const box &asked, bp_visit each, void *context) noexcept {
        return bp_query_box_each_double(world, &asked, nullptr, each, context);
    }
    static bp_status list(const bp_world *world, const box &asked, bp_id *ids, std::size_t capacity,
                          std::size_t *found) noexcept {
        return bp_query_box_double(world, &asked, nullptr, ids, capacity, found);
    }
};

} // namespace detail

template <class S> class fcl_manager : public fcl::BroadPhaseCollisionManager<S> {
public:
    using object = fcl::CollisionObject<S>;
    using base = fcl::BroadPhaseCollisionManager<S>;

    /// `config` gives threads, an allocator, a log or a method. What would change the question (margin, period, shape,
    /// dimensions) is not taken over: a manager compares the boxes that FCL has.
    explicit fcl_manager(const bp_config &config = {}) : config_(without_question(config)), world_(config_) {
    }

    // ---- objects ----

    /// An object that is registered already is updated.
    void registerObject(object *one) override {
        if (id_of_.count(one) != 0) return update(one);
        id_of_[one] = enter(one, box_of(*one));
    }

    void registerObjects(const std::vector<object *> &many) override {
        world_.reserve(many.size());
        id_of_.reserve(id_of_.size() + many.size());
        for (object *one : many) registerObject(one);
    }

    void unregisterObject(object *one) override {
        const auto found = id_of_.find(one);
        if (found == id_of_.end()) return;
        leave(found->second);
        id_of_.erase(found);
    }

    /// Nothing: structures are made when they are first needed.
    void setup() override {
    }

    void update() override {
        moved_.clear();
        if (outside_count_ > 0) return update_one_by_one();
        for (bp_id id = 0; id < objects_.size(); ++id) {
            if (objects_[id] == nullptr) continue;
            const box now = box_of(*objects_[id]);
            if (!is_valid(now)) return update_one_by_one();
            if (std::memcmp(&now, &boxes_[id], sizeof now) == 0) continue;
            boxes_[id] = now;
            moved_.push_back(id);
        }
        move_all(moved_);
    }

    void update(object *one) override {
        const auto found = id_of_.find(one);
        if (found != id_of_.end()) found->second = place(one, found->second);
    }

    void update(const std::vector<object *> &some) override {
        for (object *one : some) update(one);
    }

    void clear() override {
        world_ = world(config_);
        id_of_.clear();
        objects_.clear();
        boxes_.clear();
        outside_count_ = 0;
        is_current_ = false;
    }

    void getObjects(std::vector<object *> &all) const override {
        all.clear();
        for (const auto &entry : id_of_) all.push_back(entry.first);
    }

    bool empty() const override {
        return id_of_.empty();
    }

    std::size_t size() const override {
        return id_of_.size();
    }

    // ---- collide ----

    /// All pairs of objects, a callback for each; it returns true to end that.
    void collide(void *data, fcl::CollisionCallBack<S> callback) const override {
        for (const bp_pair pair : current_pairs()) {
            if (callback(objects_[pair.a], objects_[pair.b], data)) return;
        }
    }

    void collide(object *one, void *data, fcl::CollisionCallBack<S> callback) const override {
        const box asked = box_of(*one);
        if (is_valid(asked)) visit_box(asked, [&](object *mine) { return callback(mine, one, data); });
    }

    /// The other manager may be of any kind.
    void collide(base *other, void *data, fcl::CollisionCallBack<S> callback) const override {
        const auto *ours = dynamic_cast<const fcl_manager *>(other);
        if (ours == this) return collide(data, callback);
        if (ours == nullptr) return collide_foreign(*other, data, callback);
        if (ours->size() < size() / few) {
            visit_pairs(*ours, *this, [&](object *theirs, object *mine) { return callback(mine, theirs, data); });
        } else if (size() < ours->size() / few) {
            visit_pairs(*this, *ours, [&](object *mine, object *theirs) { return callback(mine, theirs, data); });
        } else {
            collide_sets(*ours, data, callback);
        }
    }

    // ---- distance ----

    /// A callback for each pair whose boxes are nearer to each other than the least distance so far, which the callback
    /// lowers; it returns true to end that. Pairs whose boxes overlap come first.
    void distance(void *data, fcl::DistanceCallBack<S> callback) const override {
        S least = std::numeric_limits<S>::max();
        for (const bp_pair pair : current_pairs()) {
            if (least <= 0 || callback(objects_[pair.a], objects_[pair.b], data, least)) return;
        }
        each([&](bp_id id, object *first) {
            return visit_near(boxes_[id], least, [&](bp_id other, S apart) {
                return other > id && apart > 0 && callback(first, objects_[other], data, least);
            });
        });
    }

    void distance(object *one, void *data, fcl::DistanceCallBack<S> callback) const override {
        S least = std::numeric_limits<S>::max();
        const box asked = box_of(*one);
        if (!is_valid(asked)) return;
        visit_near(asked, least, [&](bp_id id, S) { return callback(objects_[id], one, data, least); });
    }

    /// The other manager may be of any kind.
    void distance(base *other, void *data, fcl::DistanceCallBack<S> callback) const override {
        const auto *ours = dynamic_cast<const fcl_manager *>(other);
        S least = std::numeric_limits<S>::max();
        if (ours == this) return distance(data, callback);
        if (ours == nullptr) return distance_foreign(*other, data, callback);
        if (ours->size() < size()) {
            ours->each([&](bp_id id, object *theirs) {
                return visit_near(ours->boxes_[id], least,
                                  [&](bp_id mine, S) { return callback(objects_[mine], theirs, data, least); });
            });
        } else {
            each([&](bp_id id, object *mine) {
                return ours->visit_near(boxes_[id], least, [&](bp_id theirs, S) {
                    return callback(mine, ours->objects_[theirs], data, least);
                });
            });
        }
    }

private:
    using scalar = detail::fcl_scalar<S>;
    using box = typename scalar::box;

    // A manager with so many times as many objects is asked for each object of the other. Otherwise one search between both
    // sets is faster, though it looks at all boxes.
    static constexpr std::size_t few = 16;
    static constexpr std::size_t at_once = 64; // boxes that are tested before the first of them is visited

    static bp_config without_question(bp_config config) noexcept {
        const bp_config plain = {};
        config.margin = plain.margin;
        config.shape = plain.shape;
        config.dimensions = plain.dimensions;
        for (int axis = 0; axis < 3; ++axis) config.period[axis] = plain.period[axis];
        return config;
    }

    static box box_of(const object &one) noexcept {
        const fcl::AABB<S> &aabb = one.getAABB();
        box result;
        for (int axis = 0; axis < 3; ++axis) {
            result.min[axis] = aabb.min_[axis];
            result.max[axis] = aabb.max_[axis];
        }
        return result;
    }

    static bool is_valid(const box &b) noexcept { // false for NaN
        return b.min[0] <= b.max[0] && b.min[1] <= b.max[1] && b.min[2] <= b.max[2];
    }

    // Of two boxes, as FCL's AABB computes it.
    static S distance_of(const box &a, const box &b) noexcept {
        S sum = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const S gap = std::max({S(0), a.min[axis] - b.max[axis], b.min[axis] - a.max[axis]});
            sum += gap * gap;
        }
        return std::sqrt(sum);
    }

    static void check(bp_status status) {
        if (status != BP_OK) detail::fail_with_last_line(status);
    }

    // ---- objects and their ids in the world; BP_NO_ID: not in it, because the box is invalid ----

    bp_id enter(object *one, const box &b) {
        if (!is_valid(b)) {
            ++outside_count_;
            return BP_NO_ID;
        }
        const bp_id id = world_.add(b);
        if (id >= objects_.size()) {
            objects_.resize(id + std::size_t{1}, nullptr);
            boxes_.resize(id + std::size_t{1});
        }
        objects_[id] = one;
        boxes_[id] = b;
        is_current_ = false;
        return id;
    }

    void leave(bp_id id) {
        if (id == BP_NO_ID) {
            --outside_count_;
            return;
        }
        world_.remove(id);
        objects_[id] = nullptr;
        is_current_ = false;
    }

    // Where the object is now; returns its id from now on.
    bp_id place(object *one, bp_id id) {
        const box now = box_of(*one);
        if (id == BP_NO_ID || !is_valid(now)) {
            leave(id);
            return enter(one, now);
        }
        if (std::memcmp(&now, &boxes_[id], sizeof now) != 0) {
            world_.move(id, now);
            boxes_[id] = now;
            is_current_ = false;
        }
        return id;
    }

    void update_one_by_one() {
        move_all(moved_);
        for (auto &entry : id_of_) entry.second = place(entry.first, entry.second);
    }

    void move_all(const std::vector<bp_id> &ids) {
        if (ids.empty()) return;
        is_current_ = false;
        if (ids.size() == objects_.size()) return world_.move(boxes_);
        gathered_.clear();
        for (const bp_id id : ids) gathered_.push_back(boxes_[id]);
        world_.move(ids, gathered_);
    }

    // ---- searches ----

    // visit(id, object) for all in the world; it returns true to end that.
    template <class Visit> void each(const Visit &visit) const {
        for (bp_id id = 0; id < objects_.size(); ++id) {
            if (objects_[id] != nullptr && visit(id, objects_[id])) return;
        }
    }

    // The pairs of the world as it is. Several threads may query at once.
    array_view<const bp_pair> current_pairs() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!is_current_) {
            pairs_ = world_.update().pairs();
            is_current_ = true;
        }
        return pairs_;
    }

    // visit(object) for all whose boxes overlap; it returns true to end that. Returns whether it did. An exception waits
    // until the library has returned.
    template <class Visit> bool visit_box(const box &asked, const Visit &visit) const {
        struct visitor {
            const fcl_manager *self;
            const Visit *visit;
            bool has_ended;
            std::exception_ptr thrown;
        } context{this, &visit, false, nullptr};
        const auto each_found = [](void *given, bp_id id, double, double *) noexcept -> int {
            auto *v = static_cast<visitor *>(given);
            try {
                v->has_ended = (*v->visit)(v->self->objects_[id]);
            } catch (...) {
                v->thrown = std::current_exception();
            }
            return v->has_ended || v->thrown ? 0 : 1;
        };
        check(scalar::visit(world_.handle(), asked, each_found, &context));
        if (context.thrown) std::rethrow_exception(context.thrown);
        return context.has_ended;
    }

    // visit(id, distance of the boxes) for all whose boxes are nearer than `least`, which the visits lower, each once; it
    // returns true to end that. Returns whether it did.
    template <class Visit> bool visit_near(const box &asked, S &least, const Visit &visit) const {
        std::vector<bp_id> seen;
        if (least == std::numeric_limits<S>::max() && visit_nearest(asked, least, seen, visit)) return true;
        std::sort(seen.begin(), seen.end());
        std::vector<std::pair<S, bp_id>> near;
        id_room room;
        for (const bp_id id : list_box(grown(asked, least), room)) {
            const S apart = distance_of(asked, boxes_[id]);
            if (apart < least && !std::binary_search(seen.begin(), seen.end(), id)) near.emplace_back(apart, id);
        }
        std::sort(near.begin(), near.end());
        for (const auto &[apart, id] : near) {
            if (apart >= least) break;
            if (visit(id, apart)) return true;
        }
        return false;
    }

    // As long as there is no bound: the nearest one, two, four ... to the middle of the box.
    template <class Visit>
    bool visit_nearest(const box &asked, S &least, std::vector<bp_id> &seen, const Visit &visit) const {
        const std::size_t most = world_.size();
        std::vector<bp_near> near;
        for (std::size_t k = 1; seen.size() < most && least == std::numeric_limits<S>::max(); k *= 2) {
            const auto found = world_.query_nearest(middle_of(asked), k, near);
            for (std::size_t i = seen.size(); i < found.size() && least == std::numeric_limits<S>::max(); ++i) {
                seen.push_back(found[i].id);
                if (visit(found[i].id, distance_of(asked, boxes_[found[i].id]))) return true;
            }
        }
        return false;
    }

    // Where to look first; any point will do.
    static std::array<float, 3> middle_of(const box &b) noexcept {
        std::array<float, 3> middle;
        for (unsigned axis = 0; axis < 3; ++axis) {
            const double at = 0.5 * double(b.min[axis]) + 0.5 * double(b.max[axis]);
            middle[axis] = std::isnan(at) ? 0.0f : float(std::min(std::max(at, -1e30), 1e30));
        }
        return middle;
    }

    // All within this distance, and a little more.
    static box grown(const box &b, S by) noexcept {
        const S infinity = std::numeric_limits<S>::infinity();
        box result;
        for (int axis = 0; axis < 3; ++axis) {
            result.min[axis] = std::nextafter(b.min[axis] - by, -infinity);
            result.max[axis] = std::nextafter(b.max[axis] + by, infinity);
        }
        return result;
    }

    // Room for the ids of a query: most have few, which need no memory of the heap.
    struct id_room {
        std::array<bp_id, 1024> few_ids;
        std::vector<bp_id> many_ids;
        bp_id *data() noexcept {
            return many_ids.empty() ? few_ids.data() : many_ids.data();
        }
        std::size_t size() const noexcept {
            return std::max(few_ids.size(), many_ids.size());
        }
    };

    array_view<const bp_id> list_box(const box &asked, id_room &room) const {
        std::size_t found = 0;
        bp_status status = scalar::list(world_.handle(), asked, room.data(), room.size(), &found);
        if (status == BP_ERROR_CAPACITY) {
            room.many_ids.resize(found);
            status = scalar::list(world_.handle(), asked, room.data(), room.size(), &found);
        }
        check(status);
        return {room.data(), found};
    }

    // ---- two managers ----

    static S extent_of(const box &b) noexcept {
        return (b.max[0] - b.min[0]) + (b.max[1] - b.min[1]) + (b.max[2] - b.min[2]);
    }

    static box around(box a, const box &b) noexcept {
        for (int axis = 0; axis < 3; ++axis) {
            a.min[axis] = std::min(a.min[axis], b.min[axis]);
            a.max[axis] = std::max(a.max[axis], b.max[axis]);
        }
        return a;
    }

    // Objects of one manager that follow each other, and lie close enough to be asked for together. Their boxes are in
    // columns, so that compilers test all at once.
    struct group {
        static constexpr std::size_t most = 4;
        using truth = std::conditional_t<sizeof(S) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
        std::array<bp_id, most> ids;
        S min[3][most] = {}, max[3][most] = {};
        std::array<truth, most> is_used = {};
        std::size_t count = 0;
        box bounds;
        S extents = 0; // the sum of all

        bool add(bp_id id, const box &b) noexcept {
            const box grown = count == 0 ? b : around(bounds, b);
            if (count == most || (count > 0 && !(extent_of(grown) < extents + extent_of(b)))) return false;
            bounds = grown;
            extents += extent_of(b);
            for (int axis = 0; axis < 3; ++axis) {
                min[axis][count] = b.min[axis];
                max[axis][count] = b.max[axis];
            }
            is_used[count] = 1;
            ids[count++] = id;
            return true;
        }

        // Which of the objects overlap a box.
        std::array<truth, most> hits_of(const box &b) const noexcept {
            std::array<truth, most> hits = is_used;
            for (int axis = 0; axis < 3; ++axis)
                for (std::size_t i = 0; i < most; ++i)
                    hits[i] &= truth(min[axis][i] <= b.max[axis]) & truth(b.min[axis] <= max[axis][i]);
            return hits;
        }
    };

    // visit(object of the few, object of the many) for all whose boxes overlap; it returns true to end that. The parts of
    // an arm lie side by side: one query for some of them is faster than one for each.
    template <class Visit>
    static void visit_pairs(const fcl_manager &few_objects, const fcl_manager &many, const Visit &visit) {
        id_room room;
        group together;
        bool has_ended = false;
        few_objects.each([&](bp_id id, object *) {
            if (together.add(id, few_objects.boxes_[id])) return false;
            has_ended = visit_group(few_objects, together, many, room, visit);
            together = group{};
            together.add(id, few_objects.boxes_[id]);
            return has_ended;
        });
        if (!has_ended && together.count > 0) visit_group(few_objects, together, many, room, visit);
    }

    template <class Visit>
    static bool visit_group(const fcl_manager &few_objects, const group &together, const fcl_manager &many,
                            id_room &room, const Visit &visit) {
        const array_view<const bp_id> found = many.list_box(together.bounds, room);
        struct meeting {
            std::uint32_t mine;
            bp_id theirs;
        };
        std::array<meeting, at_once * group::most> met;
        for (std::size_t begin = 0; begin < found.size(); begin += at_once) {
            const std::size_t end = std::min(begin + at_once, found.size());
            std::size_t count = 0;
            for (std::size_t k = begin; k < end; ++k) { // without a branch, which would be unpredictable
                const auto hits = together.hits_of(many.boxes_[found[k]]);
                for (std::uint32_t i = 0; i < group::most; ++i) {
                    met[count] = {i, found[k]};
                    count += static_cast<std::size_t>(hits[i]);
                }
            }
            for (std::size_t k = 0; k < count; ++k)
                if (visit(few_objects.objects_[together.ids[met[k].mine]], many.objects_[met[k].theirs])) return true;
        }
        return false;
    }

    // The boxes in the world without gaps, and their objects.
    void gather(std::vector<box> &boxes, std::vector<object *> &objects) const {
        each([&](bp_id id, object *one) {
            boxes.push_back(boxes_[id]);
            objects.push_back(one);
            return false;
        });
    }

    void collide_sets(const fcl_manager &other, void *data, fcl::CollisionCallBack<S> callback) const {
        std::vector<box> my_boxes, their_boxes;
        std::vector<object *> mine, theirs;
        gather(my_boxes, mine);
        other.gather(their_boxes, theirs);
        for (const bp_pair pair : find_pairs_between(my_boxes, their_boxes, config_)) {
            if (callback(mine[pair.a], theirs[pair.b], data)) return;
        }
    }

    // A manager of FCL's own: its objects, as they are now.
    void collide_foreign(const base &other, void *data, fcl::CollisionCallBack<S> callback) const {
        std::vector<object *> theirs;
        other.getObjects(theirs);
        for (object *one : theirs) {
            const box asked = box_of(*one);
            if (is_valid(asked) && visit_box(asked, [&](object *mine) { return callback(mine, one, data); })) return;
        }
    }

    void distance_foreign(const base &other, void *data, fcl::DistanceCallBack<S> callback) const {
        std::vector<object *> theirs;
        other.getObjects(theirs);
        S least = std::numeric_limits<S>::max();
        for (object *one : theirs) {
            const box asked = box_of(*one);
            if (is_valid(asked) &&
                visit_near(asked, least, [&](bp_id id, S) { return callback(objects_[id], one, data, least); }))
                return;
        }
    }

    bp_config config_;
    mutable world world_;                       // which finds its pairs when somebody asks
    std::unordered_map<object *, bp_id> id_of_; // of all objects
    std::vector<object *> objects_;             // by id; NULL: no object
    std::vector<box> boxes_;                    // the same: as of the last update
    std::size_t outside_count_ = 0;             // objects that are not in the world
    std::vector<bp_id> moved_;                  // scratch
    std::vector<box> gathered_;

    mutable std::mutex mutex_;
    mutable bool is_current_ = false; // pairs_ are those of the world
    mutable array_view<const bp_pair> pairs_;
};

} // namespace broadphase

#endif
