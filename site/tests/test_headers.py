"""What is read from a header: comments that are shared, members, notes, C++ without bodies."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import headers  # noqa: E402

C = """\
/// What it is for.
#ifndef A_H
#define A_H

// For those who change it, not for readers.
#define BP_API

// ---------------------------------------------------------------------------------------------------------------------
// 1. Values
//
// About values.

/// A point.
typedef struct point {
    float x BP_ZERO; ///< to the right
    /// Upwards,
    /// if not downwards.
    float y;
} point;

/// Kinds.
typedef enum kind {
    KIND_A = 0, ///< the first
    KIND_B
} kind;

/// Adds, all or none. `count` may be 0.
BP_API int add_many(const point *points, size_t count, void (*visit)(void *context, int i), void *context,
                    const char *name);
BP_API int add(point at);

BP_API int alone(void);

// A note between the calls.

#endif
"""

CPP = """\
/// C++.
namespace house {

namespace detail {
struct hidden {};
} // namespace detail

/// A list.
template <class T> class list : public detail::hidden {
public:
    explicit list(const T &first = {}) : first_(first), name_("{") {
    }
    /// How many.
    std::size_t size() const noexcept {
        return 1;
    }
    template <class Range, class = std::enable_if_t<(sizeof(Range) > 1)>> void take(Range &&range) {
        for (auto &each : range) (void)each;
    }

private:
    T first_;
};

} // namespace house
"""


class HeadersOfC(unittest.TestCase):
    def setUp(self) -> None:
        self.header = headers.read_header(C)
        self.items = {item.name: item for item in self.header.items()}

    def test_sections(self) -> None:
        self.assertEqual(self.header.comment, "What it is for.")
        self.assertEqual([section.title for section in self.header.sections], ["1. Values"])
        self.assertEqual(self.header.sections[0].comment, "About values.")

    def test_members(self) -> None:
        self.assertEqual([member.comment for member in self.items["point"].members], ["to the right", "Upwards,\nif not downwards."])
        self.assertEqual([member.name for member in self.items["kind"].members], ["KIND_A", "KIND_B"])

    def test_what_follows_at_once_shares_the_comment(self) -> None:
        groups = [[item.name for item in group.items] for group in self.header.sections[0].groups]
        self.assertEqual(groups, [["point"], ["kind"], ["add_many", "add"], ["alone"], []])
        self.assertEqual(self.header.sections[0].groups[-1].comment, "A note between the calls.")

    def test_parameters(self) -> None:
        self.assertEqual(self.items["add"].code, "int add(point at);")
        named = [name for name, _ in headers.parameters_of(self.items["add_many"])]
        self.assertEqual(named[:2] + named[3:], ["points", "count", "context", "name"])
        self.assertEqual(headers.parameters_of(self.items["alone"]), [])


class HeadersOfCpp(unittest.TestCase):
    def test_a_class(self) -> None:
        (item,) = headers.read_header(CPP).items()
        self.assertEqual(item.code, "template <class T> class list;")
        groups = item.sections[0].groups
        self.assertEqual(groups[0].items[0].code, "explicit list(const T &first = {});")
        self.assertEqual(groups[1].comment, "How many.")
        self.assertEqual([each.code for each in groups[1].items],
                         ["std::size_t size() const noexcept;", "template <class Range>\nvoid take(Range &&range);"])


if __name__ == "__main__":
    unittest.main()
