/// A broad phase for Bullet: broadphase::bullet_broadphase stands where a btDbvtBroadphase stood.
///
///     #include <broadphase/bullet.hpp>
///     broadphase::bullet_broadphase broad_phase; // was: btDbvtBroadphase broad_phase;
///     btDiscreteDynamicsWorld world(&dispatcher, &broad_phase, &solver, &configuration);
///
/// Header-only, C++17, over the C library and whatever build of Bullet you have, with btScalar as float or double.
///
///     setAabb, one by one --> has the box left the one that the world holds? --> a list
///     calculateOverlappingPairs:  the list --> bp_move_many --> bp_update --> ended ----------> out of the pair cache
///                                                                         --> begun --> waiting --> into it
///
/// What is different from a btDbvtBroadphase:
///   - Pairs are found in calculateOverlappingPairs, not in setAabb or createProxy. They begin in the step in which their
///     boxes overlap, and end in the step in which they part.
///   - Objects that move slowly have a margin (set_resting_margin), so that trembling at rest costs nothing. Pairs of such
///     objects begin as exactly as others, but end only when their boxes are up to four margins apart.
///   - New pairs are given to the cache in an order that is good for the narrow phase (see begin_pairs).
///   - A changed group or mask of a proxy counts from its next setAabb on, also for pairs that are there. A callback of the
///     pair cache is asked when two boxes begin to overlap, and not again while they do (as with btAxisSweep3).
///   - A box with a NaN, or with min > max, overlaps nothing.
///   - Where there is no memory, the call throws broadphase::bullet_error; without exceptions, status() tells.
///   - Rays may be cast from several threads at once, as long as no box has been set since the last step.
#ifndef BROADPHASE_BULLET_HPP
#define BROADPHASE_BULLET_HPP

#include <broadphase/broadphase.h>

#include <BulletCollision/BroadphaseCollision/btBroadphaseInterface.h>
#include <BulletCollision/BroadphaseCollision/btOverlappingPairCache.h>
#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>
#include <LinearMath/btAabbUtil2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

namespace broadphase {

/// The library could not do what Bullet asked for: it has no memory, or the config is wrong.
class bullet_error : public std::exception {
public:
    explicit bullet_error(bp_status status) noexcept : status_(status) {
    }
    bp_status status() const noexcept {
        return status_;
    }
    const char *what() const noexcept override {
        return bp_status_text(status_);
    }

private:
    bp_status status_;
};

namespace bullet_detail {

// A box as the library takes it, with as many bits as btScalar has.
inline bp_status add(bp_world *world, const bp_box &box, const bp_object &object, bp_id *id) {
    return bp_add(world, &box, &object, id);
}
inline bp_status add(bp_world *world, const bp_box_double &box, const bp_object &object, bp_id *id) {
    return bp_add_double(world, &box, &object, id);
}
inline bp_status move(bp_world *world, const std::vector<bp_id> &ids, const std::vector<bp_box> &boxes) {
    return bp_move_many(world, ids.size(), ids.data(), boxes.data());
}
inline bp_status move(bp_world *world, const std::vector<bp_id> &ids, const std::vector<bp_box_double> &boxes) {
    return bp_move_many_double(world, ids.size(), ids.data(), boxes.data());
}

template <class Scalar> struct box_of;
template <> struct box_of<float> { using type = bp_box; };
template <> struct box_of<double> { using type = bp_box_double; };
using box = box_of<btScalar>::type;

inline bool is_valid(const btVector3 &min, const btVector3 &max) {
    return min.x() <= max.x() && min.y() <= max.y() && min.z() <= max.z();
}

inline box make_box(const btVector3 &min, const btVector3 &max, btScalar margin) {
    return {{min.x() - margin, min.y() - margin, min.z() - margin},
            {max.x() + margin, max.y() + margin, max.z() + margin}};
}

// Queries are in 64 bits, in any world.
inline bp_box_double wide_box(const btVector3 &min, const btVector3 &max) {
    return {{min.x(), min.y(), min.z()}, {max.x(), max.y(), max.z()}};
}

// A proxy, and what the world holds of it.
struct proxy : btBroadphaseProxy {
    box given;            // the box that it had when the world got one, which is as much larger ...
    btScalar freedom = 0; // ... as it may move since then
    bp_id id = BP_NO_ID;
    int held_group = 0, held_mask = 0;
    bool is_alive = false;
    bool is_apart = false; // its box is invalid: it overlaps nothing
};

} // namespace bullet_detail

class bullet_broadphase : public btBroadphaseInterface {
public:
    /// All defaults; a pair cache of its own.
    bullet_broadphase() : bullet_broadphase(bp_config{}) {
    }
    /// A config as for bp_world_create. `cache`: yours, or NULL: one of its own.
    explicit bullet_broadphase(const bp_config &config, btOverlappingPairCache *cache = nullptr)
        : own_cache_(cache ? nullptr : new btHashedOverlappingPairCache), cache_(cache ? cache : own_cache_.get()) {
        bp_config with_events = config;
        with_events.flags |= BP_EVENTS;
        check(bp_world_create(&with_events, &world_));
    }
    explicit bullet_broadphase(btOverlappingPairCache *cache) : bullet_broadphase(bp_config{}, cache) {
    }
    ~bullet_broadphase() override {
        bp_world_destroy(world_);
    }
    bullet_broadphase(const bullet_broadphase &) = delete;
    bullet_broadphase &operator=(const bullet_broadphase &) = delete;

    /// How far an object that moves slowly, by no more than this in a step, may move until the world is told. Pairs of such
    /// objects stay until their boxes are so far apart; 0: all boxes are exact. Default: 0.02. It counts from the next
    /// setAabb on.
    void set_resting_margin(btScalar margin) {
        margin_ = margin;
    }
    btScalar resting_margin() const {
        return margin_;
    }

    /// The first failure, or BP_OK.
    bp_status status() const {
        return status_;
    }

    /// The world inside, to read: its statistics, for instance. The `user` of an object is Bullet's client object.
    const bp_world *world() const {
        return world_;
    }

    // ---- proxies ----------------------------------------------------------------------------------------------------

    btBroadphaseProxy *createProxy(const btVector3 &min, const btVector3 &max, int, void *user, int group, int mask,
                                   btDispatcher *) override {
        proxy made;
        static_cast<btBroadphaseProxy &>(made) = btBroadphaseProxy(min, max, user, group, mask);
        made.m_uniqueId = last_unique_id_ + 1;
        made.is_alive = true;
        made.is_apart = !bullet_detail::is_valid(min, max);
        made.given = made.is_apart ? box{} : bullet_detail::make_box(min, max, 0);
        made.held_group = group;
        made.held_mask = mask;
        while (chunks_.size() * chunk_size <= alive_count_) chunks_.push_back(std::make_unique<proxy[]>(chunk_size));
        if (!check(bullet_detail::add(world_, made.given, object_of(made), &made.id))) return nullptr;
        ++last_unique_id_;
        ++alive_count_;
        is_changed_ = true;
        return &(at(made.id) = made);
    }

    void destroyProxy(btBroadphaseProxy *given, btDispatcher *dispatcher) override {
        proxy &gone = *static_cast<proxy *>(given);
        hand_over_moves();
        remove_pairs_of(gone, dispatcher);
        check(bp_remove(world_, gone.id));
        gone.is_alive = false;
        --alive_count_;
        is_changed_ = true;
    }

    void setAabb(btBroadphaseProxy *given, const btVector3 &min, const btVector3 &max, btDispatcher *) override {
        proxy &moved = *static_cast<proxy *>(given);
        prefetch_after(moved);
        if (!is_same(min, moved.m_aabbMin) || !is_same(max, moved.m_aabbMax)) {
            if (!is_held(moved, min, max)) take_box(moved, min, max);
            moved.m_aabbMin = min;
            moved.m_aabbMax = max;
        }
        if ((moved.held_group ^ moved.m_collisionFilterGroup) | (moved.held_mask ^ moved.m_collisionFilterMask)) {
            moved.held_group = moved.m_collisionFilterGroup;
            moved.held_mask = moved.m_collisionFilterMask;
            tell_object(moved);
        }
    }

    void getAabb(btBroadphaseProxy *given, btVector3 &min, btVector3 &max) const override {
        min = given->m_aabbMin;
        max = given->m_aabbMax;
    }

    // ---- pairs ------------------------------------------------------------------------------------------------------

    void calculateOverlappingPairs(btDispatcher *dispatcher) override {
        follow_filter_callback();
        hand_over_moves();
        if (is_changed_) {
            bp_result result;
            if (!check(bp_update(world_, &result))) return;
            is_changed_ = false;
            end_pairs(result, dispatcher);
            waiting_.insert(waiting_.end(), result.begun, result.begun + result.begun_count);
        }
        begin_pairs();
    }

    btOverlappingPairCache *getOverlappingPairCache() override {
        return cache_;
    }
    const btOverlappingPairCache *getOverlappingPairCache() const override {
        return cache_;
    }

    // ---- queries ----------------------------------------------------------------------------------------------------

    /// All proxies that the box from aabbMin to aabbMax meets on its way along the ray, in the order in which it meets
    /// them. The answers of the callback are not looked at, as in btDbvtBroadphase.
    void rayTest(const btVector3 &from, const btVector3 &to, btBroadphaseRayCallback &callback,
                 const btVector3 &min = btVector3(0, 0, 0), const btVector3 &max = btVector3(0, 0, 0)) override {
        const bp_cast_double cast = {
            bullet_detail::wide_box(from + min, from + max),
            {double(to.x()) - double(from.x()), double(to.y()) - double(from.y()), double(to.z()) - double(from.z())},
            1};
        hand_over_moves();
        visit([&](bp_visit each, void *context) { return cast_each(cast, each, context); },
              [&](const proxy &met) { callback.process(&met); });
    }

    void aabbTest(const btVector3 &min, const btVector3 &max, btBroadphaseAabbCallback &callback) override {
        const bp_box_double where = bullet_detail::wide_box(min, max);
        hand_over_moves();
        visit([&](bp_visit each, void *context) { return box_each(where, each, context); },
              [&](const proxy &found) {
                  if (TestAabbAgainstAabb2(min, max, found.m_aabbMin, found.m_aabbMax)) callback.process(&found);
              });
    }

    /// Looks at all proxies. Without any: two zeros.
    void getBroadphaseAabb(btVector3 &min, btVector3 &max) const override {
        min = max = btVector3(0, 0, 0);
        bool is_first = true;
        for_each_alive([&](const proxy &one) {
            if (one.is_apart) return;
            min = is_first ? one.m_aabbMin : btVector3(min);
            max = is_first ? one.m_aabbMax : btVector3(max);
            min.setMin(one.m_aabbMin);
            max.setMax(one.m_aabbMax);
            is_first = false;
        });
    }

    // ---- the rest ---------------------------------------------------------------------------------------------------

    /// An empty broad phase starts again, so that the same program gives the same pairs in the same order.
    void resetPool(btDispatcher *) override {
        if (alive_count_ == 0) last_unique_id_ = 0;
    }

    void printStats() override {
        bp_stats stats;
        if (bp_world_stats(world_, &stats) != BP_OK) return;
        std::printf("broadphase: %zu objects, %zu pairs, %s, %zu bytes\n", stats.objects, stats.pairs,
                    bp_method_name(stats.method), stats.bytes);
    }

private:
    using proxy = bullet_detail::proxy;
    using box = bullet_detail::box;

    static constexpr size_t chunk_size = 256;

    // Throws, or remembers the failure. The world is as it was before the call that failed.
    bool check(bp_status status) {
        if (status == BP_OK) return true;
        if (status_ == BP_OK) status_ = status;
#ifdef __cpp_exceptions
        throw bullet_error(status);
#else
        return false;
#endif
    }

    // Proxies never move in memory: they are in chunks, by id. (A new object gets the smallest free id, so never more than
    // the number of those alive.)
    proxy &at(bp_id id) const {
        return chunks_[id / chunk_size][id % chunk_size];
    }

    template <class Function> void for_each_alive(Function &&function) const {
        for (const auto &chunk : chunks_)
            for (size_t i = 0; i < chunk_size; ++i)
                if (chunk[i].is_alive) function(chunk[i]);
    }

    // ---- boxes ------------------------------------------------------------------------------------------------------

    // Bit by bit: an object that sleeps.
    static bool is_same(const btVector3 &a, const btVector3 &b) {
        return std::memcmp(&a, &b, 3 * sizeof(btScalar)) == 0;
    }

    // Bullet sets boxes in the order in which proxies were created, most of the time, and since the last step it has
    // touched so much else that they are no longer in the cache.
    static void prefetch_after(const proxy &moved) {
#ifdef __GNUC__
        const auto ahead = reinterpret_cast<uintptr_t>(&moved) + 16 * sizeof(proxy);
        __builtin_prefetch(reinterpret_cast<const void *>(ahead), 1);
        __builtin_prefetch(reinterpret_cast<const void *>(ahead + 64), 1);
#else
        (void)moved;
#endif
    }

    // Without a branch, which would be unpredictable. A NaN is near nothing.
    template <class Corner> static bool is_near(const btVector3 &a, const Corner &b, btScalar most) {
        bool near = true;
        for (int axis = 0; axis < 3; ++axis) near &= btFabs(a[axis] - b[axis]) <= most;
        return near;
    }

    // Whether the world's box may stay. (It is a little larger than this asks: so rounding cannot make it too small.)
    static bool is_held(const proxy &moved, const btVector3 &min, const btVector3 &max) {
        bool held = is_near(min, moved.given.min, moved.freedom);
        held &= is_near(max, moved.given.max, moved.freedom);
        return held;
    }

    static btScalar distance(const btVector3 &a, const btVector3 &b) {
        const btVector3 between = (a - b).absolute();
        return std::max({between.x(), between.y(), between.z()});
    }

    void take_box(proxy &moved, const btVector3 &min, const btVector3 &max) {
        const bool is_valid = bullet_detail::is_valid(min, max);
        if (is_valid) {
            const btScalar motion = std::max(distance(min, moved.m_aabbMin), distance(max, moved.m_aabbMax));
            const btScalar margin = motion <= margin_ ? margin_ : 0;
            moved.given = bullet_detail::make_box(min, max, 0);
            moved.freedom = margin * btScalar(0.999);
            moved_ids_.push_back(moved.id);
            moved_boxes_.push_back(bullet_detail::make_box(min, max, margin));
        }
        if (moved.is_apart == is_valid) {
            moved.is_apart = !is_valid;
            tell_object(moved);
        }
    }

    void hand_over_moves() {
        if (moved_ids_.empty()) return;
        if (!check(bullet_detail::move(world_, moved_ids_, moved_boxes_))) return;
        moved_ids_.clear();
        moved_boxes_.clear();
        is_changed_ = true;
    }

    // ---- filters ----------------------------------------------------------------------------------------------------

    // In Bullet no bits mean "with nobody", in the library "with everybody": such an object gets an island of its own. If
    // the cache has a callback, that alone decides.
    bp_object object_of(const proxy &one) const {
        bp_object object = {};
        object.user = reinterpret_cast<uintptr_t>(one.m_clientObject);
        const auto group = static_cast<uint32_t>(one.held_group), mask = static_cast<uint32_t>(one.held_mask);
        const bool pairs_with_none = one.is_apart || (!has_callback_ && (group == 0 || mask == 0));
        if (pairs_with_none) object.island = static_cast<uint32_t>(one.m_uniqueId);
        if (!has_callback_) {
            const uint32_t fixed = btBroadphaseProxy::StaticFilter;
            object.group = group;
            object.mask = mask;
            object.flags = group == fixed && (mask & fixed) == 0 ? BP_STATIC : 0;
        }
        return object;
    }

    void tell_object(const proxy &one) {
        const bp_object object = object_of(one);
        check(bp_set_object(world_, one.id, &object));
        is_changed_ = true;
    }

    void follow_filter_callback() {
        const bool has_callback = cache_->getOverlapFilterCallback() != nullptr;
        if (has_callback == has_callback_) return;
        has_callback_ = has_callback;
        for_each_alive([this](const proxy &one) { tell_object(one); });
    }

    // ---- pairs that come and go -------------------------------------------------------------------------------------

    static bool overlap(const proxy &a, const proxy &b, btScalar depth) {
        bool overlaps = true;
        for (int axis = 0; axis < 3; ++axis) {
            overlaps &= a.m_aabbMin[axis] + depth <= b.m_aabbMax[axis];
            overlaps &= b.m_aabbMin[axis] + depth <= a.m_aabbMax[axis];
        }
        return overlaps;
    }

    // Pairs of the world that have begun wait until their boxes overlap without margins: the narrow phase looks at no pair
    // in vain.
    //
    // The narrow phase and the solver are faster by a tenth if the contacts of a step lie together in memory. Bullet
    // allocates them in the order in which it gets the pairs. So those come first that may touch at once, which are those
    // that are still overlapping without what Bullet adds to each box, and then all by their later body.
    void begin_pairs() {
        const auto may_touch = [this](const bp_pair &pair) {
            return overlap(at(pair.a), at(pair.b), gContactBreakingThreshold);
        };
        const auto is_before = [](const bp_pair &x, const bp_pair &y) { return x.b != y.b ? x.b < y.b : x.a < y.a; };
        const auto first = std::partition(waiting_.begin(), waiting_.end(),
                                          [this](const bp_pair &pair) { return !overlap(at(pair.a), at(pair.b), 0); });
        const auto middle = std::partition(first, waiting_.end(), may_touch);
        std::sort(first, middle, is_before);
        std::sort(middle, waiting_.end(), is_before);
        for (auto pair = first; pair != waiting_.end(); ++pair) cache_->addOverlappingPair(&at(pair->a), &at(pair->b));
        waiting_.erase(first, waiting_.end());
    }

    void end_pairs(const bp_result &result, btDispatcher *dispatcher) {
        if (result.ended_count == 0) return;
        waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                      [&](const bp_pair &pair) { return has_ended(result, pair); }),
                       waiting_.end());
        if (cache_->hasDeferredRemoval()) {
            sweep_out(result, dispatcher);
            return;
        }
        for (size_t i = 0; i < result.ended_count; ++i) {
            proxy &a = at(result.ended[i].a), &b = at(result.ended[i].b);
            if (a.is_alive && b.is_alive) cache_->removeOverlappingPair(&a, &b, dispatcher); // else gone with its proxy
        }
    }

    // Bullet's caches look at all pairs to find those of one proxy; the world knows them.
    void remove_pairs_of(proxy &gone, btDispatcher *dispatcher) {
        bp_id others[256];
        size_t found = 0;
        if (cache_->hasDeferredRemoval() ||
            bp_pairs_of(world_, gone.id, others, sizeof others / sizeof *others, &found) != BP_OK) {
            cache_->removeOverlappingPairsContainingProxy(&gone, dispatcher);
            return;
        }
        for (size_t i = 0; i < found; ++i)
            if (at(others[i]).is_alive) cache_->removeOverlappingPair(&gone, &at(others[i]), dispatcher);
    }

    // A cache that leaves removal to the broad phase: all its pairs are looked up among those that have ended.
    void sweep_out(const bp_result &result, btDispatcher *dispatcher) {
        btBroadphasePairArray &pairs = cache_->getOverlappingPairArray();
        int kept = 0;
        for (int i = 0; i < pairs.size(); ++i) {
            const bp_id first = static_cast<const proxy *>(pairs[i].m_pProxy0)->id;
            const bp_id second = static_cast<const proxy *>(pairs[i].m_pProxy1)->id;
            if (has_ended(result, {std::min(first, second), std::max(first, second)}))
                cache_->cleanOverlappingPair(pairs[i], dispatcher);
            else
                pairs[kept++] = pairs[i];
        }
        pairs.resize(kept);
    }

    static bool has_ended(const bp_result &result, const bp_pair &wanted) {
        return std::binary_search(
            result.ended, result.ended + result.ended_count, wanted,
            [](const bp_pair &a, const bp_pair &b) { return a.a != b.a ? a.a < b.a : a.b < b.b; });
    }

    // ---- queries ----------------------------------------------------------------------------------------------------

    // What is no box finds nothing.
    bp_status box_each(const bp_box_double &where, bp_visit each, void *context) const {
        const bp_status status = bp_query_box_each_double(world_, &where, nullptr, each, context);
        return status == BP_ERROR_BOX ? BP_OK : status;
    }

    // A way of no length is no way for the library: what is where it begins? One that is not finite meets nothing.
    bp_status cast_each(const bp_cast_double &cast, bp_visit each, void *context) const {
        const double *d = cast.direction;
        if (d[0] == 0 && d[1] == 0 && d[2] == 0) return box_each(cast.box, each, context);
        if (!std::isfinite(d[0]) || !std::isfinite(d[1]) || !std::isfinite(d[2])) return BP_OK;
        return bp_query_cast_each_double(world_, &cast, nullptr, each, context);
    }

    // Calls a query, which calls `function` for each proxy.
    template <class Query, class Function> void visit(Query &&query, Function &&function) {
        struct visitor {
            const bullet_broadphase &phase;
            Function &function;
        } of_this = {*this, function};
        const bp_visit each = [](void *context, bp_id id, double, double *) {
            const visitor &of = *static_cast<const visitor *>(context);
            const proxy &found = of.phase.at(id);
            if (!found.is_apart) of.function(found);
            return 1;
        };
        check(query(each, &of_this));
    }

    std::unique_ptr<btOverlappingPairCache> own_cache_;
    btOverlappingPairCache *cache_;
    bp_world *world_ = nullptr;
    std::vector<std::unique_ptr<proxy[]>> chunks_;
    std::vector<bp_id> moved_ids_;
    std::vector<box> moved_boxes_;
    std::vector<bp_pair> waiting_; // pairs of the world whose boxes did not yet overlap without margins
    btScalar margin_ = btScalar(0.02);
    int last_unique_id_ = 0;
    size_t alive_count_ = 0;
    bool has_callback_ = false;
    bool is_changed_ = false; // since the last update
    bp_status status_ = BP_OK;
};

} // namespace broadphase

#endif
