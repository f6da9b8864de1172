"""The searches that `auto` chooses among, each at work on a few boxes in the plane."""

from __future__ import annotations

from scenes import ALIKE, SMALL_AND_LARGE, scatter
from svg import Box, Drawing, Space, bounds_of, overlap, pairs_of


def auto() -> Drawing:
    d = Drawing("auto", "How auto chooses: cheap questions first, then a search on a budget of tests", 400)
    d.room((170, 6, 310, 36), "boxes")
    asked = [("few?", "all pairs", "no preparation pays"),
             ("in order, as a mesh is?", "tree, in this order", "nothing has to be sorted"),
             ("a world that is kept?", "tree, refitted", "searches what changed"),
             ("otherwise", "the least cost", "strips, grid, tree or split")]
    for i, (question, search, why) in enumerate(asked):
        top = 62 + i * 64
        d.arrow([(130, top - 16 if i else 36), (130, top)] if i else [(240, 36), (240, 48), (130, 48), (130, 62)])
        d.rect((20, top, 240, top + 44), "frame", 22)
        d.text(130, top + 27, question, "middle")
        if i:
            d.text(138, top - 5, "no", "small soft")
        d.arrow([(240, top + 22), (290, top + 22)])
        d.text(262, top + 16, "yes" if i < 3 else "", "small soft middle")
        d.room((290, top, 460, top + 44), search, [why], "marked")
    d.arrow([(375, 298), (375, 336)])
    d.text(367, 321, "too many tests: budget exhausted", "small soft right")
    d.room((290, 336, 460, 380), "split", ["no input is bad for it"], "second")
    return d


def brute_force() -> Drawing:
    boxes = [ALIKE[i] for i in (13, 7, 19, 12, 21, 6, 8, 0, 2, 15)]
    d = Drawing("brute-force", "brute-force: every box is tested against every other", 222)
    space = Space(d, boxes, (0, 4))
    space.draw()
    middles = [space.at((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in boxes]
    pairs = set(pairs_of(boxes))
    for b in range(len(boxes)):
        for a in range(b):
            d.line([middles[a], middles[b]], "pair" if (a, b) in pairs else "line")
    tests = len(boxes) * (len(boxes) - 1) // 2
    d.text(0, 216, f"{len(boxes)} boxes: {tests} tests, {len(pairs)} pairs", "soft")
    return d


def hierarchical_grid() -> Drawing:
    boxes = SMALL_AND_LARGE
    small = [i for i, box in enumerate(boxes) if box[2] - box[0] < 2]
    seeker = max(a for a, b in pairs_of(boxes) if a in small and b not in small)
    d = Drawing("hierarchical-grid", "hierarchical-grid: a grid for small boxes, and a grid for large ones", 500)
    for i, (title, step, kept) in enumerate((("fine level: boxes up to 1 long", 1.0, small),
                                             ("coarse level: boxes up to 5 long", 5.0, [j for j in range(len(boxes)) if j not in small]))):
        top = 22 + i * 226
        d.text(0, top - 8, title, "strong")
        space = Space(d, [boxes[j] for j in kept], (0, top))
        if i == 1:  # the cells of the coarse level that the small box reaches into
            box = boxes[seeker]
            for x in range(5):
                for y in range(2):
                    if x * 5 <= box[2] and (x + 2) * 5 >= box[0] and y * 5 <= box[3] and (y + 2) * 5 >= box[1]:
                        space.rect((x * 5, y * 5, min(x * 5 + 5, 24), y * 5 + 5), "wash")
        space.grid((0, 0, 24, 10), step)
        d.rect((0, top, 480, top + 200), "line")
        space.draw({kept.index(seeker): "marked"} if seeker in kept else None)
        if i == 1:
            space.rect(boxes[seeker], "marked")
            for j in kept:
                if overlap(boxes[j], boxes[seeker]):
                    both = boxes[j], boxes[seeker]
                    space.rect((max(both[0][0], both[1][0]), max(both[0][1], both[1][1]),
                                min(both[0][2], both[1][2]), min(both[0][3], both[1][3])), "shared")
    d.text(0, 468, "The blue box searches its own cell and its neighbours,", "soft")
    d.text(0, 486, "and the coarse cells whose boxes may reach it.", "soft")
    return d


def strips() -> Drawing:
    boxes = ALIKE
    width = 2.5
    d = Drawing("strips", "strips: copies of boxes in strips of space, each swept along x", 318)
    space = Space(d, boxes, (0, 22))
    d.text(0, 13, "strips of space, at least as wide as the longest box", "strong")
    entries = [(int(y), i) for i, box in enumerate(boxes) for y in range(int(box[1] / width), int(box[3] / width) + 1)]
    crossing = next(i for i, box in enumerate(boxes) if int(box[1] / width) != int(box[3] / width) and box[0] < 12
                    and any(i in pair for pair in pairs_of(boxes)))
    row = int(boxes[crossing][1] / width)
    reach = (boxes[crossing][0], row * width, boxes[crossing][2], row * width + width)
    space.rect((reach[0], reach[1], reach[2], reach[3] + width), "wash")
    for y in range(5):
        d.line([space.at(0, y * width), space.at(24, y * width)], "path")
    space.draw({crossing: "marked"})
    for i, box in enumerate(boxes):
        d.text(*space.at(box[0] + 0.15, box[1] + 0.65), str(i), "small")
    d.text(0, 252, "entries: one in each strip that a box touches, by min x", "strong")
    entries.sort(key=lambda entry: (entry[0], boxes[entry[1]][0]))
    shown = [entry for entry in entries if entry[0] in (row, row + 1)]
    at = 0.0
    for strip in (row, row + 1):
        own = [i for y, i in shown if y == strip]
        d.array(at, 262, [str(i) for i in own], 20, marked=[own.index(crossing)])
        at += 20 * len(own) + 10
    d.text(0, 308, f"Box {crossing} is tested against what follows it until its own end.", "soft")
    return d


def hilbert(order: int) -> list[tuple[int, int]]:
    """The cells of a square of 2^order cells an edge, along Hilbert's curve."""
    points = [(0, 0)]
    for level in range(order):
        n = 1 << level
        points = ([(y, x) for x, y in points] + [(x, y + n) for x, y in points]
                  + [(x + n, y + n) for x, y in points] + [(2 * n - 1 - y, n - 1 - x) for x, y in points])
    return points


def tree() -> Drawing:
    boxes = scatter(21, 24, (0.2, 0.1, 23.8, 9.9), 0.7, 1.7)
    rank = {cell: i for i, cell in enumerate(hilbert(5))}

    def key(i: int) -> int:
        x, y = (boxes[i][0] + boxes[i][2]) / 2, (boxes[i][1] + boxes[i][3]) / 2
        return rank[int(x / 24 * 32), int(y / 10 * 32)]

    order = sorted(range(len(boxes)), key=key)
    leaves = [order[i:i + 8] for i in range(0, 24, 8)]
    d = Drawing("tree", "tree: boxes along a Hilbert curve, eight to a leaf, eight leaves to a node", 330)
    d.text(0, 13, "along a Hilbert curve, every eight boxes are a leaf", "strong")
    space = Space(d, boxes, (0, 22))
    space.draw({i: "second" for i in leaves[1]})
    d.line([space.at((boxes[i][0] + boxes[i][2]) / 2, (boxes[i][1] + boxes[i][3]) / 2) for i in order], "dashed")
    for i, leaf in enumerate(leaves):
        space.rect(bounds_of([boxes[j] for j in leaf]), "rim" if i == 1 else "outline")
    d.text(0, 248, "slots", "small soft")
    d.text(0, 284, "leaves", "small soft")
    d.text(0, 316, "level 1", "small soft")
    for i, leaf in enumerate(leaves):
        left = 50 + i * 145
        d.array(left, 234, [str(j) for j in leaf], 17, 20, range(8) if i == 1 else (), "second")
        d.rect((left, 268, left + 136, 292), "second" if i == 1 else "marked")
        d.text(left + 68, 284, "boxes in columns", "small middle")
    d.rect((50, 302, 476, 324), "marked")
    d.text(263, 317, "bounds of up to eight leaves, all tested at once", "small middle")
    return d


def split() -> Drawing:
    boxes = ALIKE + [(9.5, 3.5, 16.0, 4.4)]
    plane = min((x / 10 for x in range(80, 160)), key=lambda x: sum(box[0] <= x <= box[2] for box in boxes) + abs(x - 12) / 3)
    side = ["box" if box[2] < plane else "second" if box[0] > plane else "marked" for box in boxes]
    d = Drawing("split", "split: a plane sends boxes before it, behind it and across it to jobs of their own", 370)
    d.text(0, 13, "a sample picks the plane that rules out the most pairs", "strong")
    space = Space(d, boxes, (0, 22))
    space.draw(dict(enumerate(side)))
    d.line([space.at(plane, -0.3), space.at(plane, 10.2)], "pair")
    counts = [side.count(kind) for kind in ("box", "marked", "second")]
    d.room((180, 246, 300, 276), f"all {len(boxes)} boxes")
    for i, (title, words, kind) in enumerate(((f"{counts[0]} before", "a job of its own", "box"),
                                              (f"{counts[1]} across", "a job, without this axis", "marked"),
                                              (f"{counts[2]} behind", "a job of its own", "second"))):
        left = i * 165
        d.arrow([(240, 276), (240, 288), (left + 75, 288), (left + 75, 300)])
        d.room((left, 300, left + 150, 342), title, [words], kind)
    d.arrow([(165, 330), (150, 330)], "outline")
    d.arrow([(315, 330), (330, 330)], "outline")
    d.text(240, 362, "and travel down with both sides, as passengers", "small soft middle")
    return d


DRAWINGS = (auto, brute_force, hierarchical_grid, strips, tree, split)
