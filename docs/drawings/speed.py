"""Why it is fast: where the time of a step goes, and how a search reads memory."""

from __future__ import annotations

from scenes import scatter
from svg import Drawing, Space, pairs_of

# ns for each object, for 10^5 and 10^6 objects: the table "Where the time of a step goes" of docs/performance.md.
STAGES: tuple[tuple[str, float, float], ...] = (("check and copy", 2, 3), ("keys", 2.5, 3), ("partition", 2, 2),
          ("order", 2, 3), ("arrange", 2, 6), ("measure", 1, 1), ("search", 16, 19))


def step() -> Drawing:
    d = Drawing("step", "Where the time of a step goes: nanoseconds for each object, by stage", 250)
    d.text(0, 13, "a step of the sorted grid, nanoseconds for each object", "strong")
    for column, (title, left) in enumerate((("100,000 objects", 130), ("1,000,000 objects", 310))):
        d.text(left, 38, title, "small soft")
        for i, stage in enumerate(STAGES):
            y = 50 + i * 24
            value = stage[1] if column == 0 else stage[2]
            d.rect((left, y, left + value * 7, y + 16), "marked" if stage[0] == "search" else "second" if stage[0] == "arrange" else "box")
            d.text(left + value * 7 + 6, y + 12, f"{value:g}", "small")
            if column == 0:
                d.text(120, y + 12, stage[0], "small right")
    d.text(0, 240, "limited by", "small soft")
    for i, (words, kind) in enumerate((("memory bandwidth", "box"), ("cache misses", "second"), ("instructions", "marked"))):
        left = (84, 230, 348)[i]
        d.rect((left, 230, left + 14, 244), kind)
        d.text(left + 20, 241, words, "small soft")
    return d


def ranges() -> Drawing:
    d = Drawing("ranges", "A row of cells is one range of memory, and is tested eight boxes at a time", 430)
    boxes = scatter(17, 30, (0.2, 0.1, 23.8, 7.9), 0.9, 1.7)
    meeting = {i for pair in pairs_of(boxes) for i in pair}
    seeker = next(i for i in sorted(meeting) if boxes[i][1] < 4 < boxes[i][3])
    box = boxes[seeker]
    rows = range(int(box[1] / 4), int(box[3] / 4) + 1)
    d.text(0, 13, "1. cells: two boxes thick, short along x", "strong")
    space = Space(d, boxes, (0, 22))
    for row in rows:
        space.rect((int(box[0] - 1.7) if row != rows[0] else int(box[0]), row * 4, int(box[2]) + 1, row * 4 + 4), "wash")
    space.grid((0, 0, 24, 8), 1, "line", 4)
    space.draw({seeker: "marked"})
    d.text(0, 204, "2. sorted by cell: a row is one range of six columns", "strong")
    order = sorted(range(len(boxes)), key=lambda i: (int(boxes[i][1] / 4), int(boxes[i][0])))
    step = 480 / len(order)
    spans = []
    for row in rows:
        low = int(box[0] - 1.7) if row != rows[0] else int(box[0])
        found = [k for k, i in enumerate(order) if int(boxes[i][1] / 4) == row and low <= boxes[i][0] < int(box[2]) + 1]
        if found:
            spans.append((found[0], found[-1] + 1))
    for line, name in enumerate(("min x", "max x", "min y", "…")):
        y = 214 + line * 14
        for k in range(len(order)):
            kind = "marked" if any(a <= k < b for a, b in spans) else "box"
            d.rect((k * step, y, (k + 1) * step, y + 11), kind)
    d.text(0, 284, "six arrays: min and max along three axes", "small soft")
    d.text(0, 314, "3. eight candidates in one comparison", "strong")
    hits = (1, 4)
    for i in range(8):
        d.rect((i * 32, 324, i * 32 + 28, 346), "second" if i in hits else "box", 3)
        d.text(i * 32 + 14, 339, "1" if i in hits else "0", "small middle")
    d.arrow([(264, 335), (300, 335)])
    d.text(306, 339, "a mask: 00010010", "small soft")
    d.text(0, 376, "4. hits appended without a branch", "strong")
    for i in range(8):
        d.rect((i * 32, 386, i * 32 + 28, 408), "second" if i < 2 else "frame", 3)
    d.arrow([(264, 397), (300, 397)])
    d.text(306, 401, "eight written, two counted", "small soft")
    d.text(0, 426, "The next eight overwrite what was not a hit.", "small soft")
    return d


DRAWINGS = (step, ranges)
