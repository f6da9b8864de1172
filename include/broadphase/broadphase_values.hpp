/// broadphase for C++17: what the calls in broadphase.hpp take and give: errors, views of arrays, hooks, owners.
#ifndef BROADPHASE_VALUES_HPP
#define BROADPHASE_VALUES_HPP

#include <broadphase/broadphase.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace broadphase {

// ---------------------------------------------------------------------------------------------------------------------
// 1. Values

/// A call that failed. what() is the status in words and, where the library has more to say, its log line: which box,
/// which field, what to do about it.
class error : public std::runtime_error {
public:
    explicit error(bp_status status, const char *log_line = "")
        : std::runtime_error(text_of(status, log_line)), status_(status), line_size_(std::strlen(log_line)) {
    }
    bp_status status() const noexcept {
        return status_;
    }
    /// The line that the library wrote to its log; empty if there was none.
    const char *log_line() const noexcept {
        return what() + std::strlen(what()) - line_size_;
    }

private:
    static std::string text_of(bp_status status, const char *log_line) {
        const std::string text = bp_status_text(status);
        return *log_line == '\0' ? text : text + ": " + log_line;
    }

    bp_status status_;
    std::size_t line_size_;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_with(bp_status status, const char *log_line) {
    throw error(status, log_line);
}

inline void check_sizes(std::size_t size, std::size_t expected, const char *rule) {
    if (size != expected) fail_with(BP_ERROR_ARGUMENT, rule);
}

} // namespace detail

/// A view of a contiguous array: a pointer and a size. Any contiguous range converts to it, and it is one itself.
template <class T> class array_view {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    constexpr array_view() noexcept = default;
    constexpr array_view(T *data, std::size_t size) noexcept : data_(data), size_(size) {
    }
    template <class Range, class Pointer = decltype(std::data(std::declval<Range &>())),
              class = std::enable_if_t<std::is_convertible_v<std::remove_pointer_t<Pointer> (*)[], T (*)[]>>>
    constexpr array_view(Range &&range) noexcept : data_(std::data(range)), size_(std::size(range)) {
    }

    constexpr T *data() const noexcept {
        return data_;
    }
    constexpr std::size_t size() const noexcept {
        return size_;
    }
    constexpr bool empty() const noexcept {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept {
        return data_;
    }
    constexpr T *end() const noexcept {
        return data_ + size_;
    }
    constexpr T &operator[](std::size_t i) const noexcept {
        return data_[i];
    }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/// Points, as x, y, z one after the other: a contiguous range of coordinates, or of things that are three coordinates and
/// have operator[], such as std::array<float, 3> and Eigen::Vector3f. T is float or double.
template <class T> class points_view {
    template <class Element>
    using coordinate_of = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<Element &>()[0])>>;

public:
    constexpr points_view(const T *xyz, std::size_t count) noexcept : xyz_(xyz), count_(count) {
    }
    /// Throws `error` (BP_ERROR_ARGUMENT) if the number of coordinates is not a multiple of 3.
    template <class Range, class Element = std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))>,
              std::enable_if_t<std::is_same_v<std::remove_cv_t<Element>, T>, int> = 0>
    points_view(Range &&range) : xyz_(std::data(range)), count_(std::size(range) / 3) {
        detail::check_sizes(std::size(range) % 3, 0, "points: coordinates come in threes");
    }
    template <class Range, class Element = std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))>,
              std::enable_if_t<std::is_same_v<coordinate_of<Element>, T> && sizeof(Element) == 3 * sizeof(T), int> = 0>
    points_view(Range &&range) noexcept
        : xyz_(reinterpret_cast<const T *>(std::data(range))), count_(std::size(range)) {
    }

    constexpr const T *xyz() const noexcept {
        return xyz_;
    }
    constexpr std::size_t size() const noexcept {
        return count_;
    }

private:
    const T *xyz_;
    std::size_t count_;
};

// ---------------------------------------------------------------------------------------------------------------------
// 2. Hooks from callables
//
// A hook keeps a pointer to the callable, which must live as long as the call or the world that the hook is given to. That
// is why temporary callables are refused.

/// config.filter from a callable bool(uint32_t a, uint32_t b): false leaves the pair out. Worker threads may call it.
template <class Pass> bp_filter make_filter(Pass &pass) noexcept {
    return {[](void *context, std::uint32_t a, std::uint32_t b) noexcept -> int {
                return (*static_cast<Pass *>(context))(a, b) ? 1 : 0;
            },
            const_cast<std::remove_const_t<Pass> *>(std::addressof(pass))};
}

/// config.log from a callable void(const char *line).
template <class Write> bp_log make_log(Write &write) noexcept {
    return {[](void *context, const char *text) noexcept { (*static_cast<Write *>(context))(text); },
            const_cast<std::remove_const_t<Write> *>(std::addressof(write))};
}

/// config.executor from a callable void(std::size_t count, task), which calls task(i), on any threads, for every i below
/// count, and returns when all are done. `workers` is how many can run at the same time.
template <class Run> bp_executor make_executor(Run &run, std::uint32_t workers) noexcept {
    return {[](void *context, bp_task task, void *task_context, std::size_t count) noexcept {
                (*static_cast<Run *>(context))(count, [=](std::size_t index) { task(task_context, index); });
            },
            const_cast<std::remove_const_t<Run> *>(std::addressof(run)), workers};
}

namespace detail {

// A place for one log line, as long as the library writes them. No memory is allocated while it calls back.
struct line_buffer {
    char text[512];
    void keep(const char *line) noexcept {
        std::strncpy(text, line, sizeof text - 1);
        text[sizeof text - 1] = '\0';
    }
};

// Why did a call fail? It is made again with a log that listens: after a failure everything is as it was before. So a call
// that succeeds pays nothing for the words of one that fails (with a log the library would look at the scene more closely).
template <class Call>
[[noreturn, gnu::cold, gnu::noinline]] void fail(bp_status status, bp_config config, const Call &call_again) {
    line_buffer line{};
    config.log = {[](void *context, const char *text) noexcept { static_cast<line_buffer *>(context)->keep(text); },
                  &line};
    call_again(config);
    fail_with(status, line.text);
}

// The last line that a world of this thread has logged. Several threads may query one world, and fail, at the same time.
inline line_buffer &last_line() noexcept {
    static thread_local line_buffer line{};
    return line;
}

// A world's log: remembers the line for the exception, and passes it on to the caller's own log.
struct log_tap {
    bp_log next;
    static void write(void *context, const char *text) noexcept {
        const bp_log &next = static_cast<const log_tap *>(context)->next;
        last_line().keep(text);
        if (next.write != nullptr) next.write(next.context, text);
    }
};

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_with_last_line(bp_status status) {
    const line_buffer line = last_line();
    last_line().text[0] = '\0';
    fail_with(status, line.text);
}

inline bool is_empty(const bp_pairs &pairs) noexcept {
    return pairs.data == nullptr;
}
inline bool is_empty(const bp_neighbors &rows) noexcept {
    return rows.offsets == nullptr && rows.indices == nullptr;
}
inline bool is_empty(const bp_answers &answers) noexcept {
    return answers.offsets == nullptr && answers.ids == nullptr && answers.values == nullptr;
}

// What the library has allocated: a struct of C, and the allocator that its memory comes from.
template <class Held, void (*release)(Held *, const bp_config *)> class owned {
public:
    owned() noexcept = default;
    owned(owned &&other) noexcept : held_(std::exchange(other.held_, Held{})), allocator_(other.allocator_) {
    }
    owned &operator=(owned &&other) noexcept {
        std::swap(held_, other.held_);
        std::swap(allocator_, other.allocator_);
        return *this;
    }
    ~owned() {
        clear();
    }

    /// Releases the memory.
    void clear() noexcept {
        if (is_empty(held_)) return; // so that the compiler sees that nothing is left to do for what was moved from
        bp_config config{};
        config.allocator = allocator_;
        release(&held_, &config);
    }
    /// For calls of C: the struct, which from now on grows with the allocator of this config.
    Held *for_config(const bp_config &config) noexcept {
        return for_allocator(config.allocator);
    }
    Held *for_allocator(const bp_allocator &b) noexcept {
        const bp_allocator &a = allocator_;
        if (a.allocate != b.allocate || a.release != b.release || a.context != b.context) {
            clear();
            allocator_ = b;
        }
        return &held_;
    }

protected:
    Held held_{};

private:
    bp_allocator allocator_{};
};

// Lets a function of C write into a list, with this config.
template <class List, class Call> void find_into(List &list, const bp_config &config, const Call &call) {
    auto *held = list.for_config(config);
    const bp_status status = call(&config, held);
    if (status != BP_OK) fail(status, config, [&](const bp_config &listening) { call(&listening, held); });
}

} // namespace detail

} // namespace broadphase

#endif
