/// broadphase for C++17: of all these boxes, which pairs overlap?
///
///     std::vector<bp_box> boxes = ...;
///     for (bp_pair pair : broadphase::pairs(boxes)) ... pair.a, pair.b ...
///
///     broadphase::world world;
///     world.add(boxes);
///     for (;;) { // every step
///         world.move(boxes);
///         for (bp_pair pair : world.update().pairs()) ...
///     }
///
/// A thin layer over broadphase.h, which is the manual: types, configs and promises are those of C. What is different here:
///   - Failures are exceptions of the class `error`. After one everything is as it was before the call.
///   - Arrays go in as any contiguous range (std::vector, std::array, std::span, C arrays), or as {pointer, size}.
///   - What the library has allocated belongs to `pair_list`, `neighbor_list` and `world`, which are move-only.
///   - Hooks are callables of any type, without std::function. They must not throw: if one does, the program ends.
/// No call costs more than the one of C that it makes, with one exception that its comment names: `pairs` copies its result
/// into a std::vector (`find_pairs` does not).
#ifndef BROADPHASE_HPP
#define BROADPHASE_HPP

#include <broadphase/broadphase_values.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace broadphase {

// ---------------------------------------------------------------------------------------------------------------------
// 1. One call, no state
//
// Boxes are bp_box or bp_box_double, coordinates of points float or double.

/// Pairs, in the memory in which the library has written them. Move-only.
class pair_list : public detail::owned<bp_pairs, bp_pairs_free> {
public:
    const bp_pair *data() const noexcept {
        return held_.data;
    }
    std::size_t size() const noexcept {
        return held_.count;
    }
    bool empty() const noexcept {
        return held_.count == 0;
    }
    const bp_pair *begin() const noexcept {
        return held_.data;
    }
    const bp_pair *end() const noexcept {
        return held_.data + held_.count;
    }
    const bp_pair &operator[](std::size_t i) const noexcept {
        return held_.data[i];
    }
};

/// Every pair of overlapping boxes. `list` is a list whose memory may be used again:
///     list = find_pairs(boxes, config, std::move(list));
inline pair_list find_pairs(array_view<const bp_box> boxes, const bp_config &config = {}, pair_list list = {}) {
    detail::find_into(list, config, [=](const bp_config *asked, bp_pairs *pairs) noexcept {
        return bp_find_pairs(boxes.data(), boxes.size(), asked, pairs);
    });
    return list;
}
inline pair_list find_pairs(array_view<const bp_box_double> boxes, const bp_config &config = {}, pair_list list = {}) {
    detail::find_into(list, config, [=](const bp_config *asked, bp_pairs *pairs) noexcept {
        return bp_find_pairs_double(boxes.data(), boxes.size(), asked, pairs);
    });
    return list;
}

/// Every overlapping pair of a box of `a` and a box of `b`.
inline pair_list find_pairs_between(array_view<const bp_box> a, array_view<const bp_box> b,
                                    const bp_config &config = {}, pair_list list = {}) {
    detail::find_into(list, config, [=](const bp_config *asked, bp_pairs *pairs) noexcept {
        return bp_find_pairs_between(a.data(), a.size(), b.data(), b.size(), asked, pairs);
    });
    return list;
}
inline pair_list find_pairs_between(array_view<const bp_box_double> a, array_view<const bp_box_double> b,
                                    const bp_config &config = {}, pair_list list = {}) {
    detail::find_into(list, config, [=](const bp_config *asked, bp_pairs *pairs) noexcept {
        return bp_find_pairs_between_double(a.data(), a.size(), b.data(), b.size(), asked, pairs);
    });
    return list;
}

/// The same as vectors. A vector cannot take over the library's memory, so the pairs are copied, once.
inline std::vector<bp_pair> pairs(array_view<const bp_box> boxes, const bp_config &config = {}) {
    const pair_list found = find_pairs(boxes, config);
    return {found.begin(), found.end()};
}
inline std::vector<bp_pair> pairs(array_view<const bp_box_double> boxes, const bp_config &config = {}) {
    const pair_list found = find_pairs(boxes, config);
    return {found.begin(), found.end()};
}
inline std::vector<bp_pair> pairs_between(array_view<const bp_box> a, array_view<const bp_box> b,
                                          const bp_config &config = {}) {
    const pair_list found = find_pairs_between(a, b, config);
    return {found.begin(), found.end()};
}
inline std::vector<bp_pair> pairs_between(array_view<const bp_box_double> a, array_view<const bp_box_double> b,
                                          const bp_config &config = {}) {
    const pair_list found = find_pairs_between(a, b, config);
    return {found.begin(), found.end()};
}

/// The neighbours of points, in the memory in which the library has written them: list[i] are those of point i, ascending.
/// Move-only.
class neighbor_list : public detail::owned<bp_neighbors, bp_neighbors_free> {
public:
    /// The number of points.
    std::size_t size() const noexcept {
        return held_.count;
    }
    bool empty() const noexcept {
        return held_.count == 0;
    }
    array_view<const std::uint32_t> operator[](std::size_t i) const noexcept {
        return {held_.indices + held_.offsets[i], held_.offsets[i + 1] - held_.offsets[i]};
    }
    /// size() + 1 offsets into indices(); none in a list that nothing was written to.
    array_view<const std::size_t> offsets() const noexcept {
        return {held_.offsets, held_.offsets == nullptr ? 0 : held_.count + 1};
    }
    array_view<const std::uint32_t> indices() const noexcept {
        return {held_.indices, held_.offsets == nullptr ? 0 : held_.offsets[held_.count]};
    }
};

/// For each point, all others within the radius. `list` is a list whose memory may be used again, as in find_pairs.
inline neighbor_list neighbors(points_view<float> points, float radius, const bp_config &config = {},
                               neighbor_list list = {}) {
    detail::find_into(list, config, [=](const bp_config *asked, bp_neighbors *rows) noexcept {
        return bp_find_neighbors(points.xyz(), points.size(), radius, asked, rows);
    });
    return list;
}
inline neighbor_list neighbors(points_view<double> points, double radius, const bp_config &config = {},
                               neighbor_list list = {}) {
    detail::find_into(list, config, [=](const bp_config *asked, bp_neighbors *rows) noexcept {
        return bp_find_neighbors_double(points.xyz(), points.size(), radius, asked, rows);
    });
    return list;
}

/// The same with a radius per point; config.radius_rule says how those of two points decide.
inline neighbor_list neighbors(points_view<float> points, array_view<const float> radii, const bp_config &config = {},
                               neighbor_list list = {}) {
    detail::check_sizes(radii.size(), points.size(), "radii: one for each point");
    detail::find_into(list, config, [=](const bp_config *asked, bp_neighbors *rows) noexcept {
        return bp_find_neighbors_variable(points.xyz(), points.size(), radii.data(), asked, rows);
    });
    return list;
}
inline neighbor_list neighbors(points_view<double> points, array_view<const double> radii, const bp_config &config = {},
                               neighbor_list list = {}) {
    detail::check_sizes(radii.size(), points.size(), "radii: one for each point");
    detail::find_into(list, config, [=](const bp_config *asked, bp_neighbors *rows) noexcept {
        return bp_find_neighbors_variable_double(points.xyz(), points.size(), radii.data(), asked, rows);
    });
    return list;
}

/// For each point of `a`, all points of `b` within the radius.
inline neighbor_list neighbors_between(points_view<float> a, points_view<float> b, float radius,
                                       const bp_config &config = {}, neighbor_list list = {}) {
    detail::find_into(list, config, [=](const bp_config *asked, bp_neighbors *rows) noexcept {
        return bp_find_neighbors_between(a.xyz(), a.size(), b.xyz(), b.size(), radius, asked, rows);
    });
    return list;
}
inline neighbor_list neighbors_between(points_view<double> a, points_view<double> b, double radius,
                                       const bp_config &config = {}, neighbor_list list = {}) {
    detail::find_into(list, config, [=](const bp_config *asked, bp_neighbors *rows) noexcept {
        return bp_find_neighbors_between_double(a.xyz(), a.size(), b.xyz(), b.size(), radius, asked, rows);
    });
    return list;
}

// ---------------------------------------------------------------------------------------------------------------------
// 2. A world of objects that move

/// What an update has found: views, which belong to the world and stay valid until its next change.
class result {
public:
    /// All pairs that overlap now.
    array_view<const bp_pair> pairs() const noexcept {
        return {held_.pairs, held_.pair_count};
    }
    /// With BP_EVENTS: the pairs that overlap now and did not at the last update.
    array_view<const bp_pair> begun() const noexcept {
        return {held_.begun, held_.begun_count};
    }
    /// With BP_EVENTS: the other way round.
    array_view<const bp_pair> ended() const noexcept {
        return {held_.ended, held_.ended_count};
    }
    const bp_stats &stats() const noexcept {
        return held_.stats;
    }

private:
    friend class world;
    bp_result held_;
};

/// The results of a batch of queries, in the memory in which the library has written them. Move-only.
class answer_list : public detail::owned<bp_answers, bp_answers_free> {
public:
    /// The number of queries.
    std::size_t size() const noexcept {
        return held_.count;
    }
    bool empty() const noexcept {
        return held_.count == 0;
    }
    /// The objects that query i has found.
    array_view<const bp_id> ids(std::size_t i) const noexcept {
        return {held_.ids + held_.offsets[i], held_.offsets[i + 1] - held_.offsets[i]};
    }
    /// For each of them, the t of a ray or cast, or the distance.
    array_view<const float> values(std::size_t i) const noexcept {
        return {held_.values + held_.offsets[i], held_.offsets[i + 1] - held_.offsets[i]};
    }
};

/// A set of objects, each with a box. Move-only. A world that was moved from may only be destroyed or assigned to.
///
/// Queries come in two forms: one returns a vector; the other writes into a vector of yours, which grows as needed and never
/// shrinks, so that it allocates nothing after the first few, and returns a view of what was found. With `seen_as` a query
/// sees only what such an object would pair with.
class world {
public:
    explicit world(const bp_config &config = {}) : tap_(new detail::log_tap{config.log}), allocator_(config.allocator) {
        const bp_config tapped = tap(config);
        check(bp_world_create(&tapped, &handle_));
    }
    world(world &&other) noexcept
        : tap_(std::move(other.tap_)), allocator_(other.allocator_), handle_(std::exchange(other.handle_, nullptr)) {
    }
    world &operator=(world &&other) noexcept {
        std::swap(tap_, other.tap_);
        std::swap(allocator_, other.allocator_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~world() {
        bp_world_destroy(handle_);
    }

    /// The world of C, for calls that are not wrapped here.
    bp_world *handle() const noexcept {
        return handle_;
    }

    // ---- objects ----

    bp_id add(const bp_box &box, const bp_object &object = {}) {
        bp_id id;
        check(bp_add(handle_, &box, &object, &id));
        return id;
    }
    bp_id add(const bp_box_double &box, const bp_object &object = {}) {
        bp_id id;
        check(bp_add_double(handle_, &box, &object, &id));
        return id;
    }
    /// Adds many objects, all or none. `objects` may be empty (all defaults), and so may `ids` (not wanted): otherwise there
    /// is one for each box.
    void add(array_view<const bp_box> boxes, array_view<bp_id> ids = {}, array_view<const bp_object> objects = {}) {
        check_sizes(boxes.size(), ids.size(), objects.size());
        check(bp_add_many(handle_, boxes.size(), boxes.data(), objects.data(), ids.data()));
    }
    void add(array_view<const bp_box_double> boxes, array_view<bp_id> ids = {},
             array_view<const bp_object> objects = {}) {
        check_sizes(boxes.size(), ids.size(), objects.size());
        check(bp_add_many_double(handle_, boxes.size(), boxes.data(), objects.data(), ids.data()));
    }

    void move(bp_id id, const bp_box &box) {
        check(bp_move(handle_, id, &box));
    }
    void move(bp_id id, const bp_box_double &box) {
        check(bp_move_double(handle_, id, &box));
    }
    /// Moves the objects 0, 1, 2 ..., all or none.
    void move(array_view<const bp_box> boxes) {
        check(bp_move_many(handle_, boxes.size(), nullptr, boxes.data()));
    }
    void move(array_view<const bp_box_double> boxes) {
        check(bp_move_many_double(handle_, boxes.size(), nullptr, boxes.data()));
    }
    /// Moves many objects, all or none.
    void move(array_view<const bp_id> ids, array_view<const bp_box> boxes) {
        detail::check_sizes(ids.size(), boxes.size(), "ids: one for each box");
        check(bp_move_many(handle_, boxes.size(), ids.data(), boxes.data()));
    }
    void move(array_view<const bp_id> ids, array_view<const bp_box_double> boxes) {
        detail::check_sizes(ids.size(), boxes.size(), "ids: one for each box");
        check(bp_move_many_double(handle_, boxes.size(), ids.data(), boxes.data()));
    }

    void remove(bp_id id) {
        check(bp_remove(handle_, id));
    }
    /// Removes many objects, all or none.
    void remove(array_view<const bp_id> ids) {
        check(bp_remove_many(handle_, ids.size(), ids.data()));
    }
    /// Removes all objects.
    void clear() {
        check(bp_world_clear(handle_));
    }
    /// Gives back all memory that the world can do without.
    void trim() {
        check(bp_world_trim(handle_));
    }
    void set_object(bp_id id, const bp_object &object) {
        check(bp_set_object(handle_, id, &object));
    }
    /// Sets many objects, all or none.
    void set_objects(array_view<const bp_id> ids, array_view<const bp_object> objects) {
        detail::check_sizes(ids.size(), objects.size(), "ids: one for each object");
        check(bp_set_objects(handle_, ids.size(), ids.data(), objects.data()));
    }
    /// The handle of an object, which is never used again; 0 if the id is not alive.
    std::uint64_t handle_of(bp_id id) const noexcept {
        return bp_handle_of(handle_, id);
    }
    /// The id of a handle's object; BP_NO_ID if it was removed.
    bp_id id_of(std::uint64_t handle) const noexcept {
        bp_id id = BP_NO_ID;
        return bp_id_of(handle_, handle, &id) == BP_OK ? id : BP_NO_ID;
    }
    /// The smallest id above this one that is alive; BP_NO_ID if there is none. Begin with BP_NO_ID.
    bp_id next_id(bp_id id) const noexcept {
        return bp_next_id(handle_, id);
    }
    bp_object object(bp_id id) const {
        bp_object object;
        check(bp_get_object(handle_, id, nullptr, &object));
        return object;
    }
    bp_box box(bp_id id) const {
        bp_box box;
        check(bp_get_object(handle_, id, &box, nullptr));
        return box;
    }
    bp_box_double box_double(bp_id id) const {
        bp_box_double box;
        check(bp_get_object_double(handle_, id, &box, nullptr));
        return box;
    }

    std::size_t size() const noexcept {
        return bp_world_count(handle_);
    }
    bool empty() const noexcept {
        return size() == 0;
    }
    void reserve(std::size_t count) {
        check(bp_world_reserve(handle_, count));
    }

    // ---- pairs ----

    /// Finds all pairs of the world as it is now.
    result update() {
        result found;
        detail::last_line().text[0] = '\0'; // an update may warn and succeed
        check(bp_update(handle_, &found.held_));
        return found;
    }
    bp_stats stats() const {
        bp_stats stats;
        check(bp_world_stats(handle_, &stats));
        return stats;
    }
    /// A deep check, for tests: throws if something is wrong.
    void validate() const {
        check(bp_world_validate(handle_));
    }

    // ---- queries ----

    /// The objects whose boxes overlap a box, ascending by id.
    std::vector<bp_id> query_box(const bp_box &box, const bp_object *seen_as = nullptr) const {
        return vector_of<bp_id>([&](auto &buffer) { return query_box(box, buffer, seen_as); });
    }
    array_view<const bp_id> query_box(const bp_box &box, std::vector<bp_id> &buffer,
                                      const bp_object *seen_as = nullptr) const {
        return fill(buffer, [&](bp_id *ids, std::size_t capacity, std::size_t *found) {
            return bp_query_box(handle_, &box, seen_as, ids, capacity, found);
        });
    }

    /// The objects whose boxes a ray hits, ascending by (t, id).
    std::vector<bp_ray_hit> query_ray(const bp_ray &ray, const bp_object *seen_as = nullptr) const {
        return vector_of<bp_ray_hit>([&](auto &buffer) { return query_ray(ray, buffer, seen_as); });
    }
    array_view<const bp_ray_hit> query_ray(const bp_ray &ray, std::vector<bp_ray_hit> &buffer,
                                           const bp_object *seen_as = nullptr) const {
        return fill(buffer, [&](bp_ray_hit *hits, std::size_t capacity, std::size_t *found) {
            return bp_query_ray(handle_, &ray, seen_as, hits, capacity, found);
        });
    }
    /// The first of them alone, for which the search may stop early.
    std::optional<bp_ray_hit> query_first_hit(const bp_ray &ray, const bp_object *seen_as = nullptr) const {
        bp_ray_hit hit{};
        check(bp_query_ray(handle_, &ray, seen_as, &hit, 1, nullptr));
        return hit.id == BP_NO_ID ? std::nullopt : std::optional<bp_ray_hit>(hit);
    }

    /// The `k` objects whose boxes are nearest to a point, ascending by (distance, id); fewer if there are fewer.
    std::vector<bp_near> query_nearest(const std::array<float, 3> &point, std::size_t k,
                                       const bp_object *seen_as = nullptr) const {
        std::vector<bp_near> found;
        found.resize(query_nearest(point, k, found, seen_as).size());
        return found;
    }
    array_view<const bp_near> query_nearest(const std::array<float, 3> &point, std::size_t k,
                                            std::vector<bp_near> &buffer, const bp_object *seen_as = nullptr) const {
        const std::size_t most = std::min(k, std::max(size(), std::size_t{1}));
        if (buffer.size() < most) buffer.resize(most);
        std::size_t found = 0;
        check(bp_query_nearest(handle_, point.data(), most, seen_as, buffer.data(), &found));
        return {buffer.data(), found};
    }

    /// The objects that a moving box meets, ascending by (t, id).
    std::vector<bp_ray_hit> query_cast(const bp_cast &cast, const bp_object *seen_as = nullptr) const {
        return vector_of<bp_ray_hit>([&](auto &buffer) { return query_cast(cast, buffer, seen_as); });
    }
    array_view<const bp_ray_hit> query_cast(const bp_cast &cast, std::vector<bp_ray_hit> &buffer,
                                            const bp_object *seen_as = nullptr) const {
        return fill(buffer, [&](bp_ray_hit *hits, std::size_t capacity, std::size_t *found) {
            return bp_query_cast(handle_, &cast, seen_as, hits, capacity, found);
        });
    }

    /// The objects that an object was paired with at the last update, ascending by id.
    std::vector<bp_id> pairs_of(bp_id id) const {
        return vector_of<bp_id>([&](auto &buffer) { return pairs_of(id, buffer); });
    }
    array_view<const bp_id> pairs_of(bp_id id, std::vector<bp_id> &buffer) const {
        return fill(buffer, [&](bp_id *others, std::size_t capacity, std::size_t *found) {
            return bp_pairs_of(handle_, id, others, capacity, found);
        });
    }

    // ---- visits: a callable bool(bp_id id, double t, double &max_t); false ends the query ----

    template <class Visit>
    void query_box_each(const bp_box &box, Visit &&visit, const bp_object *seen_as = nullptr) const {
        check(bp_query_box_each(handle_, &box, seen_as, visitor<std::remove_reference_t<Visit>>, address_of(visit)));
    }
    template <class Visit>
    void query_ray_each(const bp_ray &ray, Visit &&visit, const bp_object *seen_as = nullptr) const {
        check(bp_query_ray_each(handle_, &ray, seen_as, visitor<std::remove_reference_t<Visit>>, address_of(visit)));
    }
    template <class Visit>
    void query_cast_each(const bp_cast &cast, Visit &&visit, const bp_object *seen_as = nullptr) const {
        check(bp_query_cast_each(handle_, &cast, seen_as, visitor<std::remove_reference_t<Visit>>, address_of(visit)));
    }

    // ---- batches; `list` is a list whose memory may be used again, `max_hits` 0: all hits ----

    answer_list query_boxes(array_view<const bp_box> boxes, const bp_object *seen_as = nullptr,
                            answer_list list = {}) const {
        check(bp_query_boxes(handle_, boxes.size(), boxes.data(), seen_as, list.for_allocator(allocator_)));
        return list;
    }
    answer_list query_rays(array_view<const bp_ray> rays, std::size_t max_hits = 0, const bp_object *seen_as = nullptr,
                           answer_list list = {}) const {
        check(bp_query_rays(handle_, rays.size(), rays.data(), max_hits, seen_as, list.for_allocator(allocator_)));
        return list;
    }
    answer_list query_casts(array_view<const bp_cast> casts, std::size_t max_hits = 0,
                            const bp_object *seen_as = nullptr, answer_list list = {}) const {
        check(bp_query_casts(handle_, casts.size(), casts.data(), max_hits, seen_as, list.for_allocator(allocator_)));
        return list;
    }
    answer_list query_nearest_many(points_view<float> points, std::size_t k, const bp_object *seen_as = nullptr,
                                   answer_list list = {}) const {
        bp_answers *answers = list.for_allocator(allocator_);
        check(bp_query_nearest_many(handle_, points.size(), points.xyz(), k, seen_as, answers));
        return list;
    }

    // ---- streams ----

    /// Saves the world through a callable bool(const void *bytes, std::size_t size); false: it failed.
    template <class Write> void save(Write &&write) const {
        check(bp_world_save(handle_, writer<std::remove_reference_t<Write>>, address_of(write)));
    }
    /// Creates a world from a stream that save has written, through a callable bool(void *bytes, std::size_t size).
    template <class Read> static world load(Read &&read, const bp_config &config = {}) {
        world loaded{detail::log_tap{config.log}, config.allocator};
        const bp_config tapped = loaded.tap(config);
        loaded.check(bp_world_load(&tapped, reader<std::remove_reference_t<Read>>, address_of(read), &loaded.handle_));
        return loaded;
    }
    /// Records what each update sees, through a callable as that of save, which must live until stop_recording() or the
    /// end of the world.
    template <class Write> void record(Write &write) {
        check(bp_world_record(handle_, writer<Write>, address_of(write)));
    }
    void stop_recording() {
        check(bp_world_record(handle_, nullptr, nullptr));
    }

private:
    world(const detail::log_tap &tap, const bp_allocator &allocator)
        : tap_(new detail::log_tap{tap}), allocator_(allocator) {
    }

    bp_config tap(bp_config config) const noexcept {
        config.log = {detail::log_tap::write, tap_.get()};
        return config;
    }

    static void check(bp_status status) {
        if (status != BP_OK) detail::fail_with_last_line(status);
    }

    static void check_sizes(std::size_t boxes, std::size_t ids, std::size_t objects) {
        if (ids != 0) detail::check_sizes(ids, boxes, "ids: none, or one for each box");
        if (objects != 0) detail::check_sizes(objects, boxes, "objects: none, or one for each box");
    }

    // Asks once, and once more if the buffer was short.
    template <class Found, class Ask> static array_view<const Found> fill(std::vector<Found> &buffer, const Ask &ask) {
        std::size_t found = 0;
        bp_status status = ask(buffer.data(), buffer.size(), &found);
        if (status == BP_ERROR_CAPACITY) {
            buffer.resize(found);
            status = ask(buffer.data(), buffer.size(), &found);
        }
        check(status);
        return {buffer.data(), found};
    }

    template <class Found, class Query> static std::vector<Found> vector_of(const Query &query) {
        std::vector<Found> found(16); // enough for most, so that they are searched for once
        found.resize(query(found).size());
        return found;
    }

    template <class Callable> static void *address_of(Callable &callable) noexcept {
        return const_cast<std::remove_const_t<Callable> *>(std::addressof(callable));
    }
    template <class Visit> static int visitor(void *context, bp_id id, double t, double *max_t) noexcept {
        return (*static_cast<Visit *>(context))(id, t, *max_t) ? 1 : 0;
    }
    template <class Write> static int writer(void *context, const void *bytes, std::size_t size) noexcept {
        return (*static_cast<Write *>(context))(bytes, size) ? 1 : 0;
    }
    template <class Read> static int reader(void *context, void *bytes, std::size_t size) noexcept {
        return (*static_cast<Read *>(context))(bytes, size) ? 1 : 0;
    }

    std::unique_ptr<detail::log_tap> tap_; // where the world's log points to, wherever this object moves
    bp_allocator allocator_;
    bp_world *handle_ = nullptr;
};

} // namespace broadphase

#endif
