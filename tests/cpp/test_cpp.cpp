// The C++ header: the same answers as C, from every kind of range; who owns what; what failures say. Compiled as C++17 and
// as C++20, by gcc and clang.
#include <broadphase/broadphase.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <thread>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

using broadphase::array_view;
using broadphase::error;
using broadphase::neighbor_list;
using broadphase::pair_list;
using broadphase::world;

#define CHECK(condition) check(condition, #condition, __LINE__)

void check(bool holds, const char *condition, int line) {
    if (holds) return;
    std::fprintf(stderr, "test_cpp.cpp:%d: does not hold: %s\n", line, condition);
    std::exit(1);
}

// Runs `call` and checks that it throws an error with this status and these words in its log line.
template <class Call> void check_error(bp_status status, const std::string &words, int line, const Call &call) {
    try {
        call();
    } catch (const error &failure) {
        const std::string log_line = failure.log_line(), what = failure.what();
        check(failure.status() == status, "the status", line);
        check(log_line.find(words) != std::string::npos, what.c_str(), line);
        check(what.find(bp_status_text(status)) == 0 && what.find(words) != std::string::npos, what.c_str(), line);
        return;
    }
    check(false, "an error is thrown", line);
}

template <class Box = bp_box> std::vector<Box> random_boxes(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> place(0.0f, 14.0f), size(0.0f, 1.5f);
    std::vector<Box> boxes(count);
    for (Box &box : boxes) {
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = place(random);
            box.max[axis] = box.min[axis] + size(random);
        }
    }
    return boxes;
}

template <class Box> bool overlap(const Box &a, const Box &b) {
    for (int axis = 0; axis < 3; ++axis) {
        if (a.min[axis] > b.max[axis] || b.min[axis] > a.max[axis]) return false;
    }
    return true;
}

bool operator==(const bp_pair &x, const bp_pair &y) {
    return x.a == y.a && x.b == y.b;
}

template <class First, class Second> bool same(const First &first, const Second &second) {
    return std::equal(std::begin(first), std::end(first), std::begin(second), std::end(second),
                      [](const auto &x, const auto &y) { return x == y; });
}

template <class Box> std::vector<bp_pair> brute_force(const std::vector<Box> &boxes) {
    std::vector<bp_pair> found;
    for (std::uint32_t a = 0; a < boxes.size(); ++a) {
        for (std::uint32_t b = a + 1; b < boxes.size(); ++b) {
            if (overlap(boxes[a], boxes[b])) found.push_back({a, b});
        }
    }
    return found;
}

template <class Box> std::vector<bp_pair> brute_force(const std::vector<Box> &first, const std::vector<Box> &second) {
    std::vector<bp_pair> found;
    for (std::uint32_t a = 0; a < first.size(); ++a) {
        for (std::uint32_t b = 0; b < second.size(); ++b) {
            if (overlap(first[a], second[b])) found.push_back({a, b});
        }
    }
    return found;
}

bp_config sorted() {
    bp_config config{};
    config.pair_order = BP_ORDER_SORTED;
    return config;
}

// ---- one call -------------------------------------------------------------------------------------------------------

template <class Box> void finds_the_pairs_of_brute_force() {
    const auto boxes = random_boxes<Box>(1500, 1), others = random_boxes<Box>(700, 2);
    const auto expected = brute_force(boxes), expected_between = brute_force(boxes, others);
    CHECK(expected.size() > 500);
    CHECK(same(broadphase::pairs(boxes, sorted()), expected));
    CHECK(same(broadphase::find_pairs(boxes, sorted()), expected));
    CHECK(same(broadphase::pairs_between(boxes, others, sorted()), expected_between));
    CHECK(same(broadphase::find_pairs_between(boxes, others, sorted()), expected_between));
    CHECK(broadphase::pairs(boxes).size() == expected.size());
    CHECK(broadphase::pairs(std::vector<Box>{}).empty());
}

void gives_the_bytes_of_c() {
    const auto boxes = random_boxes(3000, 3);
    bp_pairs pairs{};
    CHECK(bp_find_pairs(boxes.data(), boxes.size(), nullptr, &pairs) == BP_OK);
    CHECK(same(broadphase::pairs(boxes), array_view<const bp_pair>(pairs.data, pairs.count)));
    bp_pairs_free(&pairs, nullptr);
}

void takes_every_contiguous_range() {
    const bp_box boxes[] = {{{0, 0, 0}, {1, 1, 1}}, {{5, 5, 5}, {6, 6, 6}}, {{1, 1, 1}, {2, 2, 2}}};
    const bp_pair expected[] = {{0, 2}};
    std::array<bp_box, 3> array{};
    std::copy(std::begin(boxes), std::end(boxes), array.begin());
    std::vector<bp_box> vector(array.begin(), array.end());
    CHECK(same(broadphase::pairs(boxes), expected));
    CHECK(same(broadphase::pairs(array), expected));
    CHECK(same(broadphase::pairs(vector), expected));
    CHECK(same(broadphase::pairs({vector.data(), vector.size()}), expected));
    CHECK(same(broadphase::pairs(array_view<const bp_box>(vector)), expected));
    CHECK(same(broadphase::pairs(std::vector<bp_box>(vector)), expected));
    CHECK(broadphase::pairs_between(boxes, vector).size() == 5);
#if __cplusplus >= 202002L
    CHECK(same(broadphase::pairs(std::span<const bp_box>(vector)), expected));
    CHECK(same(broadphase::pairs(std::span<bp_box, 3>(array)), expected));
    const auto list = broadphase::find_pairs(boxes);
    const std::span<const bp_pair> as_span = list;
    CHECK(same(as_span, expected));
    world with_boxes;
    with_boxes.add(boxes);
    const std::span<const bp_pair> of_update = with_boxes.update().pairs();
    CHECK(same(of_update, expected));
#endif
}

void uses_a_list_again() {
    const auto boxes = random_boxes(2000, 4);
    auto list = broadphase::find_pairs(boxes);
    const bp_pair *memory = list.data();
    const std::size_t count = list.size();
    list = broadphase::find_pairs(array_view<const bp_box>(boxes.data(), 500), {}, std::move(list));
    CHECK(list.data() == memory && list.size() < count && !list.empty());
    pair_list other = std::move(list);
    CHECK(other.data() == memory && other[0].a < other[0].b);
    CHECK(list.empty() && list.begin() == list.end()); // NOLINT(bugprone-use-after-move): that is the question
    other.clear();
    CHECK(other.empty());
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Counts what is in use, and refuses after `left` allocations.
struct counting_allocator {
    std::size_t in_use = 0, left = std::numeric_limits<std::size_t>::max();

    bp_allocator hook() {
        return {[](void *context, std::size_t size) -> void * {
                    auto *self = static_cast<counting_allocator *>(context);
                    if (self->left == 0) return nullptr;
                    --self->left;
                    void *memory = ::operator new (size, std::align_val_t{64}, std::nothrow);
                    self->in_use += memory != nullptr;
                    return memory;
                },
                [](void *context, void *memory, std::size_t) {
                    --static_cast<counting_allocator *>(context)->in_use;
                    ::operator delete (memory, std::align_val_t{64});
                },
                this};
    }
};

void releases_with_the_allocator_that_allocated() {
    const auto boxes = random_boxes(1000, 5);
    counting_allocator first, second;
    bp_config config = sorted();
    {
        config.allocator = first.hook();
        auto list = broadphase::find_pairs(boxes, config);
        CHECK(first.in_use == 1);
        config.allocator = second.hook();
        list = broadphase::find_pairs(boxes, config, std::move(list));
        CHECK(first.in_use == 0 && second.in_use == 1);
        CHECK(same(list, brute_force(boxes)));
        neighbor_list rows = broadphase::neighbors(std::vector<float>(300), 1.0f, config);
        CHECK(second.in_use == 3);
        rows = broadphase::neighbors(std::vector<float>(300), 1.0f, {}, std::move(rows));
        CHECK(second.in_use == 1);
    }
    CHECK(second.in_use == 0);
    CHECK(broadphase::pairs(boxes, config).size() > 100 && second.in_use == 0);
}

void leaks_nothing_when_memory_is_short() {
    const auto boxes = random_boxes(800, 6);
    bool done = false;
    for (std::size_t k = 0; !done; ++k) {
        counting_allocator allocator;
        bp_config config{};
        config.allocator = allocator.hook();
        allocator.left = k;
        try {
            world objects(config);
            objects.add(boxes);
            done = objects.update().pairs().size() + broadphase::pairs(boxes, config).size() > 0;
        } catch (const error &failure) {
            CHECK(failure.status() == BP_ERROR_MEMORY);
        }
        CHECK(allocator.in_use == 0);
    }
}

// ---- neighbours -----------------------------------------------------------------------------------------------------

template <class T> std::vector<std::array<T, 3>> random_points(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> place(0.0f, 8.0f);
    std::vector<std::array<T, 3>> points(count);
    for (auto &point : points) {
        for (T &x : point) x = place(random);
    }
    return points;
}

// Each row is that of a plain loop, where `reach(i, j)` says how near two points must be.
template <class T, class Reach>
bool is_right(const neighbor_list &rows, const std::vector<std::array<T, 3>> &a, const std::vector<std::array<T, 3>> &b,
              const Reach &reach) {
    bool right = rows.size() == a.size() && rows.offsets().size() == a.size() + 1;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < a.size() && right; ++i) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t j = 0; j < b.size(); ++j) {
            double square = 0.0;
            for (unsigned k = 0; k < 3; ++k) square += std::pow(double(a[i][k]) - double(b[j][k]), 2);
            if ((&a != &b || i != j) && square <= std::pow(reach(i, j), 2)) expected.push_back(j);
        }
        right = same(rows[i], expected);
        sum += expected.size();
    }
    return right && sum > 0 && rows.indices().size() == sum;
}

template <class T> void finds_neighbors() {
    const auto points = random_points<T>(500, 7), others = random_points<T>(300, 8);
    const auto near = [](std::size_t, std::size_t) { return 1.0; };
    CHECK(is_right(broadphase::neighbors(points, T(1)), points, points, near));
    std::vector<T> flat;
    for (const auto &point : points) flat.insert(flat.end(), point.begin(), point.end());
    CHECK(is_right(broadphase::neighbors(flat, T(1)), points, points, near));
    CHECK(is_right(broadphase::neighbors({flat.data(), points.size()}, T(1)), points, points, near));
    CHECK(is_right(broadphase::neighbors_between(points, others, T(1)), points, others, near));
    std::vector<T> radii(points.size());
    for (std::size_t i = 0; i < radii.size(); ++i) radii[i] = T(0.5) + T(i % 4) / 4;
    CHECK(is_right(broadphase::neighbors(points, radii), points, points,
                   [&](std::size_t i, std::size_t j) { return double(std::max(radii[i], radii[j])); }));
    CHECK(neighbor_list().offsets().empty() && neighbor_list().indices().empty());
    check_error(BP_ERROR_ARGUMENT, "threes", __LINE__, [] { broadphase::neighbors(std::vector<T>(4), T(1)); });
    check_error(BP_ERROR_ARGUMENT, "radii", __LINE__, [&] { broadphase::neighbors(points, std::vector<T>(4)); });
    check_error(BP_ERROR_ARGUMENT, "radius", __LINE__, [&] { broadphase::neighbors(points, T(-1)); });
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

template <class Box> void a_world_moves() {
    bp_config config = sorted();
    config.flags = BP_EVENTS;
    world objects(config);
    auto boxes = random_boxes<Box>(900, 9);
    std::vector<bp_id> ids(boxes.size());
    objects.add(boxes, ids);
    CHECK(objects.size() == 900 && ids[899] == 899);
    auto now = objects.update();
    CHECK(same(now.pairs(), brute_force(boxes)) && same(now.begun(), now.pairs()) && now.ended().empty());
    const std::vector<bp_pair> before(now.pairs().begin(), now.pairs().end());

    boxes = random_boxes<Box>(900, 10);
    objects.move(boxes);
    now = objects.update();
    CHECK(same(now.pairs(), brute_force(boxes)) && now.stats().objects == 900);
    CHECK(before.size() + now.begun().size() - now.ended().size() == now.pairs().size());

    std::swap(boxes[3], boxes[5]);
    const Box two[] = {boxes[3], boxes[5]};
    objects.move(std::array<bp_id, 2>{3, 5}, two);
    objects.remove(899);
    boxes.pop_back();
    objects.move(0, boxes[1]);
    boxes[0] = boxes[1];
    CHECK(same(objects.update().pairs(), brute_force(boxes)));
    CHECK(objects.add(boxes[0]) == 899 && objects.size() == 900);
    objects.validate();
    CHECK(objects.stats().objects == 899); // of the last update
}

void a_world_keeps_objects() {
    world objects;
    bp_object ghost{};
    ghost.group = 2;
    ghost.mask = 2;
    ghost.user = 77;
    const bp_box box{{0, 0, 0}, {1, 1, 1}};
    objects.reserve(10);
    CHECK(objects.empty());
    const bp_id id = objects.add(box, ghost);
    const std::array<bp_box, 2> more{box, box};
    const bp_object solid{1, 1, 0, 0, 5};
    objects.add(more, {}, std::array<bp_object, 2>{solid, solid});
    CHECK(objects.object(id).user == 77 && objects.object(2).user == 5);
    CHECK(objects.box(id).max[2] == 1.0f && objects.box_double(id).max[2] == 1.0);
    CHECK(objects.update().pairs().size() == 1);
    objects.set_object(id, {});
    CHECK(objects.update().pairs().size() == 3);
    const std::uint64_t handle = objects.handle_of(1);
    CHECK(objects.id_of(handle) == 1 && objects.next_id(BP_NO_ID) == 0 && objects.next_id(2) == BP_NO_ID);
    objects.set_objects(std::array<bp_id, 2>{1, 2}, std::array<bp_object, 2>{ghost, ghost});
    CHECK(objects.object(2).user == 77);
    objects.remove(std::array<bp_id, 2>{0, 1});
    CHECK(objects.id_of(handle) == BP_NO_ID && objects.handle_of(1) == 0 && objects.size() == 1);
    objects.clear();
    objects.trim();
    CHECK(objects.empty() && objects.add(box) == 0 && objects.handle_of(0) != handle);
}

void worlds_are_moved_and_never_copied() {
    static_assert(!std::is_copy_constructible_v<world> && !std::is_copy_assignable_v<world>);
    static_assert(std::is_nothrow_move_constructible_v<world> && std::is_nothrow_move_assignable_v<world>);
    static_assert(!std::is_copy_constructible_v<pair_list> && std::is_nothrow_move_constructible_v<pair_list>);
    static_assert(!std::is_copy_constructible_v<neighbor_list> && std::is_nothrow_move_assignable_v<neighbor_list>);
    static_assert(noexcept(std::declval<world &>().size()) &&noexcept(std::declval<pair_list &>().begin()));
    static_assert(!std::is_convertible_v<std::vector<bp_box_double>, array_view<const bp_box>>);
    static_assert(!std::is_convertible_v<const std::vector<bp_id>, array_view<bp_id>>);

    std::vector<world> worlds(1);
    worlds[0].add(bp_box{{0, 0, 0}, {1, 1, 1}});
    worlds.resize(20); // moves the first
    CHECK(worlds[0].size() == 1 && worlds[19].empty());
    worlds[1] = std::move(worlds[0]);
    CHECK(worlds[1].size() == 1);
    check_error(BP_ERROR_ID, "id 9", __LINE__, [&] { worlds[1].remove(9); }); // its log has moved with it
}

void queries_agree_with_loops() {
    const auto boxes = random_boxes(1200, 11);
    world objects;
    objects.add(boxes);
    objects.update();
    std::vector<bp_id> ids;
    for (const bp_box &box : random_boxes(50, 12)) {
        const bp_box large{{box.min[0], box.min[1], box.min[2]}, {box.max[0] + 9, box.max[1] + 9, box.max[2] + 9}};
        std::vector<bp_id> expected;
        for (bp_id id = 0; id < boxes.size(); ++id) {
            if (overlap(boxes[id], large)) expected.push_back(id);
        }
        CHECK(same(objects.query_box(large), expected));
        CHECK(same(objects.query_box(large, ids), expected) && ids.size() >= expected.size());
    }
    const bp_ray ray{{0, 10, 10}, {1, 0, 0}, 30};
    const auto hits = objects.query_ray(ray);
    std::vector<bp_ray_hit> buffer;
    CHECK(!hits.empty() && objects.query_ray(ray, buffer).size() == hits.size());
    CHECK(std::is_sorted(hits.begin(), hits.end(), [](auto a, auto b) { return a.t < b.t; }));
    CHECK(objects.query_first_hit(ray)->id == hits[0].id);
    CHECK(!objects.query_first_hit({{0, 10, 10}, {-1, 0, 0}, 30}));
    const auto nearest = objects.query_nearest({1, 2, 3}, 5);
    CHECK(nearest.size() == 5 && nearest[0].distance <= nearest[4].distance);
    CHECK(objects.query_nearest({1, 2, 3}, 5000).size() == 1200);
    CHECK(world().query_nearest({1, 2, 3}, 5).empty());
    bp_object nothing{};
    nothing.island = 1;
    CHECK(objects.query_ray(ray, &nothing).empty() && !objects.query_first_hit(ray, &nothing));
    CHECK(objects.query_nearest({1, 2, 3}, 5, &nothing).empty());
}

void casts_visits_and_batches_agree_with_single_queries() {
    const auto boxes = random_boxes(1200, 19), asked = random_boxes(60, 20);
    counting_allocator allocator;
    bp_config config = sorted();
    config.allocator = allocator.hook();
    {
        world objects(config);
        objects.add(boxes);
        const auto pairs = objects.update().pairs();
        std::size_t ends = 0;
        for (bp_id id = 0; id < boxes.size(); ++id) ends += objects.pairs_of(id).size();
        CHECK(ends == 2 * pairs.size() && objects.pairs_of(pairs[0].a)[0] == pairs[0].b);

        std::vector<bp_ray> rays;
        std::vector<bp_cast> casts;
        std::vector<std::array<float, 3>> points;
        for (const bp_box &box : asked) {
            rays.push_back({{box.min[0], box.min[1], box.min[2]}, {1, 0.5f, 0}, 20});
            casts.push_back({box, {1, 0.5f, 0}, 20});
            points.push_back({box.min[0], box.min[1], box.min[2]});
        }
        const auto in_boxes = objects.query_boxes(asked);
        const auto on_rays = objects.query_rays(rays);
        auto on_casts = objects.query_casts(casts, 3);
        const auto nearest = objects.query_nearest_many(points, 4);
        CHECK(in_boxes.size() == 60 && on_rays.size() == 60 && nearest.size() == 60 && !on_casts.empty());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            CHECK(same(in_boxes.ids(i), objects.query_box(asked[i])));
            const auto hits = objects.query_ray(rays[i]), met = objects.query_cast(casts[i]);
            CHECK(on_rays.ids(i).size() == hits.size() &&
                  on_casts.ids(i).size() == std::min<std::size_t>(3, met.size()));
            for (std::size_t k = 0; k < hits.size(); ++k) CHECK(on_rays.values(i)[k] == hits[k].t);
            for (std::size_t k = 0; k < on_casts.ids(i).size(); ++k) CHECK(on_casts.ids(i)[k] == met[k].id);
            CHECK(nearest.ids(i)[3] == objects.query_nearest(points[i], 4)[3].id);
            std::vector<bp_id> visited;
            const auto visit_two = [&](bp_id id, double, double &) {
                visited.push_back(id);
                return visited.size() < 2;
            };
            objects.query_cast_each(casts[i], visit_two);
            CHECK(visited.size() == std::min<std::size_t>(2, met.size()) && (met.empty() || visited[0] == met[0].id));
            visited.clear();
            objects.query_ray_each(rays[i], [&](bp_id id, double t, double &max_t) {
                visited.push_back(id);
                max_t = t;
                return true;
            });
            CHECK(hits.empty() ? visited.empty() : visited[0] == hits[0].id);
            visited.clear();
            objects.query_box_each(asked[i], visit_two);
            CHECK(visited.size() == std::min<std::size_t>(2, in_boxes.ids(i).size()));
        }
        on_casts = objects.query_casts(casts, 1, nullptr, std::move(on_casts));
        CHECK(on_casts.size() == 60);
        check_error(BP_ERROR_ID, "id 5000", __LINE__, [&] { objects.pairs_of(5000); });
    }
    CHECK(allocator.in_use == 0);
}

// ---- hooks ----------------------------------------------------------------------------------------------------------

void callables_are_hooks() {
    const auto boxes = random_boxes(9000, 13); // enough for several tasks
    auto expected = brute_force(boxes);
    bp_config config = sorted();
    const auto odd = [](std::uint32_t a, std::uint32_t b) { return (a + b) % 2 == 1; };
    config.filter = broadphase::make_filter(odd);
    std::size_t tasks = 0;
    auto run = [&tasks](std::size_t count, const auto &task) {
        tasks += count;
        for (std::size_t i = count; i-- > 0;) task(i);
    };
    config.executor = broadphase::make_executor(run, 4);
    const auto found = broadphase::pairs(boxes, config);
    expected.erase(std::remove_if(expected.begin(), expected.end(), [&](bp_pair p) { return !odd(p.a, p.b); }),
                   expected.end());
    CHECK(same(found, expected) && tasks > 0);
}

void failures_say_what_is_wrong() {
    auto boxes = random_boxes(20, 14);
    boxes[7].min[1] = std::numeric_limits<float>::quiet_NaN();
    check_error(BP_ERROR_BOX, "box 7", __LINE__, [&] { broadphase::pairs(boxes); });
    check_error(BP_ERROR_BOX, "box 7", __LINE__, [&] { broadphase::find_pairs_between(boxes, boxes); });
    std::vector<std::string> lines;
    auto write = [&lines](const char *line) { lines.emplace_back(line); };
    bp_config config{};
    config.log = broadphase::make_log(write);
    check_error(BP_ERROR_BOX, "box 7", __LINE__, [&] { broadphase::pairs(boxes, config); });
    CHECK(lines.size() == 1 && lines[0].find("box 7") == 0); // once, though the call was made twice
    world objects(config);
    check_error(BP_ERROR_BOX, "box 7", __LINE__, [&] { objects.add(boxes); });
    CHECK(lines.size() == 2 && objects.empty());
    boxes[7] = boxes[6];
    check_error(BP_ERROR_ARGUMENT, "ids", __LINE__, [&] { objects.add(boxes, std::vector<bp_id>(3)); });
    check_error(BP_ERROR_ARGUMENT, "objects", __LINE__, [&] { objects.add(boxes, {}, std::vector<bp_object>(3)); });
    check_error(BP_ERROR_ARGUMENT, "ids", __LINE__, [&] { objects.move(std::vector<bp_id>(3), boxes); });
    config.dimensions = 4;
    check_error(BP_ERROR_ARGUMENT, "config.dimensions", __LINE__, [&] { world refused(config); });
    check_error(BP_ERROR_ARGUMENT, "config.dimensions", __LINE__, [&] { broadphase::pairs(boxes, config); });
    CHECK(*error(BP_ERROR_ID).log_line() == '\0' &&
          std::string(error(BP_ERROR_ID).what()) == bp_status_text(BP_ERROR_ID));
}

// Each thread sees the line of its own failure.
void threads_fail_apart() {
    const world objects;
    std::atomic<int> right{0};
    const auto fail_often = [&](bp_id id) {
        for (int i = 0; i < 200; ++i) {
            try {
                static_cast<void>(objects.box(id));
            } catch (const error &failure) {
                right += std::string(failure.log_line()).find("id " + std::to_string(id) + " ") == 0;
            }
        }
    };
    std::thread first(fail_often, 11), second(fail_often, 22);
    first.join();
    second.join();
    CHECK(right == 400);
}

// ---- streams --------------------------------------------------------------------------------------------------------

void worlds_are_saved_and_loaded() {
    world objects(sorted());
    objects.add(random_boxes(300, 15));
    std::string recording, stream;
    auto append_to_recording = [&](const void *bytes, std::size_t size) {
        recording.append(static_cast<const char *>(bytes), size);
        return true;
    };
    objects.record(append_to_recording);
    const auto found = objects.update();
    const std::vector<bp_pair> expected(found.pairs().begin(), found.pairs().end());
    const std::size_t recorded = recording.size();
    objects.stop_recording();
    objects.move(0, objects.box(1));
    objects.update();
    CHECK(recorded > 300 * 24 && recording.size() == recorded);
    objects.move(0, random_boxes(300, 15)[0]);
    objects.save([&](const void *bytes, std::size_t size) {
        stream.append(static_cast<const char *>(bytes), size);
        return true;
    });
    std::size_t at = 0;
    const auto read = [&](void *bytes, std::size_t size) {
        if (size > stream.size() - at) return false;
        std::memcpy(bytes, stream.data() + at, size);
        at += size;
        return true;
    };
    world loaded = world::load(read, sorted());
    CHECK(at == stream.size() && same(loaded.update().pairs(), expected));
    at = 0;
    stream[100] ^= 1;
    check_error(BP_ERROR_ARGUMENT, "stream", __LINE__, [&] { world::load(read, sorted()); });
    check_error(BP_ERROR_ARGUMENT, "write", __LINE__,
                [&] { loaded.save([](const void *, std::size_t) { return false; }); });
}

} // namespace

int main() {
    finds_the_pairs_of_brute_force<bp_box>();
    finds_the_pairs_of_brute_force<bp_box_double>();
    gives_the_bytes_of_c();
    takes_every_contiguous_range();
    uses_a_list_again();
    releases_with_the_allocator_that_allocated();
    leaks_nothing_when_memory_is_short();
    finds_neighbors<float>();
    finds_neighbors<double>();
    a_world_moves<bp_box>();
    a_world_moves<bp_box_double>();
    a_world_keeps_objects();
    worlds_are_moved_and_never_copied();
    queries_agree_with_loops();
    casts_visits_and_batches_agree_with_single_queries();
    callables_are_hooks();
    failures_say_what_is_wrong();
    threads_fail_apart();
    worlds_are_saved_and_loaded();
    std::puts("test_cpp: all hold");
    return 0;
}
