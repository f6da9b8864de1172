"""A pen that draws SVG: rectangles, lines, arrows and words, in colors for light and dark pages.

A drawing is as wide as a phone allows its words to be read: WIDTH units, on which text is 13 units high.
"""

from __future__ import annotations

from html import escape
from typing import Sequence

WIDTH = 480

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # min x, min y, max x, max y

# Colors by what they mean: a box, a box or cell that the text speaks of, what two boxes share, a second group.
LIGHT = {"ink": "#1c2530", "soft": "#5b6776", "line": "#c3ccd6", "box": "#e4e9ef", "edge": "#8593a3",
         "mark": "#2563eb", "wash": "#dbe7ff", "hit": "#f97316", "other": "#0f766e", "tint": "#d5efe9"}
DARK = {"ink": "#dde3ea", "soft": "#98a4b3", "line": "#3b4550", "box": "#27303a", "edge": "#77869a",
        "mark": "#7fb0ff", "wash": "#1b2f55", "hit": "#fb923c", "other": "#5fd3c3", "tint": "#14403b"}

LETTER = {"small": 6.6, "strong": 8.4, "code": 7.3}  # how long one is in the widest font that may be used

STYLE = """\
text{font:13px system-ui,'Segoe UI','Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;fill:var(--ink)}
.soft{fill:var(--soft)}.strong{font-weight:600}.small{font-size:11px}.middle{text-anchor:middle}.right{text-anchor:end}
.code{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px}.blue{fill:var(--mark)}
.green{fill:var(--other)}.orange{fill:var(--hit)}
.line{stroke:var(--line);fill:none}.path{stroke:var(--edge);fill:none;stroke-width:1.3}
.dashed{stroke:var(--edge);fill:none;stroke-dasharray:4 3}.arrow{stroke:var(--soft);fill:none;stroke-width:1.3}
.head{fill:var(--soft)}.frame{stroke:var(--edge);fill:none}.room{stroke:var(--edge);fill:var(--box);fill-opacity:.5}
.box{stroke:var(--edge);fill:var(--box);fill-opacity:.75}.cell{fill:var(--box)}
.marked{stroke:var(--mark);fill:var(--wash);fill-opacity:.8;stroke-width:1.5}.wash{fill:var(--wash)}
.outline{stroke:var(--mark);fill:none;stroke-width:1.6}.second{stroke:var(--other);fill:var(--tint);fill-opacity:.8;stroke-width:1.5}
.rim{stroke:var(--other);fill:none;stroke-width:1.6}.tint{fill:var(--tint)}.shared{fill:var(--hit)}
.pair{stroke:var(--hit);fill:none;stroke-width:2}.dot{fill:var(--mark)}.spot{fill:var(--other)}"""


def number(value: float) -> str:
    """Rounded, so that every machine writes the same file."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def colors(table: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in table.items())


class Drawing:
    def __init__(self, name: str, title: str, height: int, width: int = WIDTH) -> None:
        self.name, self.title, self.width, self.height = name, title, width, height
        self.parts: list[str] = []

    def rect(self, box: Box, kind: str = "box", corner: float = 0) -> None:
        x, y, right, bottom = box
        rounded = f' rx="{number(corner)}"' if corner else ""
        self.parts.append(f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" width="{number(right - x)}" '
                          f'height="{number(bottom - y)}"{rounded}/>')

    def line(self, points: Sequence[Point], kind: str = "line") -> None:
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.parts.append(f'<polyline class="{kind}" points="{path}"/>')

    def arrow(self, points: Sequence[Point], kind: str = "arrow") -> None:
        """A line through the points, with a head at the last one."""
        (x, y), (fx, fy) = points[-1], points[-2]
        length = max(((x - fx) ** 2 + (y - fy) ** 2) ** 0.5, 1e-9)
        dx, dy = (x - fx) / length, (y - fy) / length
        back = (x - 7 * dx, y - 7 * dy)
        self.line([*points[:-1], back], kind)
        head = [(x, y), (back[0] - 3.5 * dy, back[1] + 3.5 * dx), (back[0] + 3.5 * dy, back[1] - 3.5 * dx)]
        path = " ".join(f"{number(px)},{number(py)}" for px, py in head)
        self.parts.append(f'<polygon class="head" points="{path}"/>')

    def dot(self, at: Point, kind: str = "dot", radius: float = 3) -> None:
        self.parts.append(f'<circle class="{kind}" cx="{number(at[0])}" cy="{number(at[1])}" r="{number(radius)}"/>')

    def text(self, x: float, y: float, words: str, kind: str = "") -> None:
        length = len(words) * next((each for name, each in LETTER.items() if name in kind), 7.7)
        left = x - length / 2 if "middle" in kind else x - length if "right" in kind else x
        assert -1 <= left and left + length <= self.width + 1, f"{self.name}: too long: {words}"
        named = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}"{named}>{escape(words, quote=False)}</text>')

    def room(self, box: Box, title: str, words: Sequence[str] = (), kind: str = "room") -> None:
        """A box with a name, and what it does in a few words."""
        self.rect(box, kind, 5)
        middle = (box[0] + box[2]) / 2
        top = (box[1] + box[3]) / 2 - 7.5 * len(words) + 4.5
        self.text(middle, top, title, "strong middle")
        for i, line in enumerate(words):
            self.text(middle, top + 15 * (i + 1), line, "small soft middle")

    def array(self, x: float, y: float, entries: Sequence[str], width: float = 24, height: float = 20,
              marked: Sequence[int] = (), kind: str = "marked") -> None:
        """Entries of an array, side by side, from (x, y) to the right."""
        for i, entry in enumerate(entries):
            self.rect((x + i * width, y, x + (i + 1) * width, y + height), kind if i in marked else "box")
            self.text(x + (i + 0.5) * width, y + height - 6, entry, "small middle")

    def svg(self) -> str:
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{escape(self.title, quote=False)}</title>",
            "<style>",
            f":root{{color-scheme:light dark;{colors(LIGHT)}}}",
            f"@media(prefers-color-scheme:dark){{:root{{{colors(DARK)}}}}}",
            STYLE,
            "</style>",
            *self.parts,
            "</svg>", ""])


class Space:
    """Boxes in a part of a drawing; one unit of space is `scale` units of the page."""

    def __init__(self, drawing: Drawing, boxes: Sequence[Box], origin: Point = (0, 0), scale: float = 20) -> None:
        self.drawing, self.boxes, self.origin, self.scale = drawing, boxes, origin, scale

    def at(self, x: float, y: float) -> Point:
        return self.origin[0] + x * self.scale, self.origin[1] + y * self.scale

    def place(self, box: Box) -> Box:
        return *self.at(box[0], box[1]), *self.at(box[2], box[3])

    def rect(self, box: Box, kind: str) -> None:
        self.drawing.rect(self.place(box), kind)

    def grid(self, area: Box, step: float, kind: str = "line", step_y: float = 0) -> None:
        """Lines every `step` in x, and every `step_y` (or as many) in y."""
        x, y = area[0], area[1]
        while x <= area[2] + 1e-6:
            self.drawing.line([self.at(x, area[1]), self.at(x, area[3])], kind)
            x += step
        while y <= area[3] + 1e-6:
            self.drawing.line([self.at(area[0], y), self.at(area[2], y)], kind)
            y += step_y or step

    def draw(self, kinds: dict[int, str] | None = None) -> None:
        """All boxes, each as its kind or as a plain box, and what two of them share."""
        for i, box in enumerate(self.boxes):
            self.rect(box, (kinds or {}).get(i, "box"))
        for a, b in pairs_of(self.boxes):
            self.rect(shared(self.boxes[a], self.boxes[b]), "shared")


def shared(a: Box, b: Box) -> Box:
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def overlap(a: Box, b: Box) -> bool:
    low_x, low_y, high_x, high_y = shared(a, b)
    return low_x <= high_x and low_y <= high_y


def pairs_of(boxes: Sequence[Box]) -> list[tuple[int, int]]:
    return [(a, b) for b in range(len(boxes)) for a in range(b) if overlap(boxes[a], boxes[b])]


def bounds_of(boxes: Sequence[Box]) -> Box:
    return (min(box[0] for box in boxes), min(box[1] for box in boxes),
            max(box[2] for box in boxes), max(box[3] for box in boxes))
