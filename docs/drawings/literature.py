"""The structures of the literature, each at work on a few boxes in the plane."""

from __future__ import annotations

from scenes import ALIKE, CLUMPED, scatter
from svg import Box, Drawing, Point, Space, bounds_of, overlap, pairs_of, shared

CELL = 2.0  # as large as the largest box of ALIKE


def cell_of(box: Box, size: float = CELL) -> tuple[int, int]:
    return int(box[0] / size), int(box[1] / size)


def cell_box(x: int, y: int, size: float = CELL) -> Box:
    return x * size, y * size, x * size + size, y * size + size


def linked_cells() -> Drawing:
    d = Drawing("linked-cells", "linked-cells: a dense grid of cells no smaller than the boxes", 262)
    d.text(0, 13, "each box is in one cell: that of its min corner", "strong")
    space = Space(d, ALIKE, (0, 22))
    seeker = 12
    x, y = cell_of(ALIKE[seeker])
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            space.rect(cell_box(x + dx, y + dy), "tint" if (dy, dx) < (0, 0) else "wash")
    space.grid((0, 0, 24, 10), CELL)
    space.draw({seeker: "marked"})
    for box in ALIKE:
        d.dot(space.at(box[0], box[1]))
    d.text(0, 242, "The blue box searches the blue cells into which it crosses;", "soft")
    d.text(0, 258, "boxes of the green cells search its cell.", "soft")
    return d


def spatial_hash() -> Drawing:
    d = Drawing("spatial-hash", "spatial-hash: a box is in every cell that it overlaps; the cells are in a hash table", 318)
    d.text(0, 13, "a box is in every cell that it overlaps", "strong")
    space = Space(d, ALIKE, (0, 22))
    cells = {i: [(x, y) for x in range(int(box[0] / CELL), int(box[2] / CELL) + 1)
                 for y in range(int(box[1] / CELL), int(box[3] / CELL) + 1)] for i, box in enumerate(ALIKE)}
    a, b = max(pairs_of(ALIKE), key=lambda pair: len(set(cells[pair[0]]) & set(cells[pair[1]])))
    for cell in set(cells[a]) & set(cells[b]):
        space.rect(cell_box(*cell), "wash")
    space.grid((0, 0, 24, 10), CELL)
    space.draw({a: "marked", b: "marked"})
    corner = shared(ALIKE[a], ALIKE[b])[:2]
    d.dot(space.at(*corner), "spot", 4)
    d.text(0, 242, "Two boxes share several cells; the pair is reported by the one", "soft")
    d.text(0, 258, "with the green dot, the maximum of the two min corners.", "soft")
    d.text(0, 292, "hash table", "small soft")
    d.array(70, 277, ["–", "2", "–", "–", "0", "1", "–", "3"], 28)
    d.arrow([(312, 287), (336, 287)])
    d.text(342, 291, "the boxes of a cell", "small soft")
    return d


def occupied_row(boxes: list[Box], size: float) -> list[tuple[int, int]]:
    """The cells of the row with the most boxes, from its first occupied one on."""
    rows = [cell_of(box, size)[1] for box in boxes]
    row = max(set(rows), key=lambda y: (rows.count(y), -y))
    first = min(x for x, y in (cell_of(box, size) for box in boxes) if y == row)
    return [(x, row) for x in range(first, first + 8)]


def counts_and_starts(boxes: list[Box], cells: list[tuple[int, int]], size: float) -> tuple[list[list[str]], list[int]]:
    held = [[chr(97 + i) for i, box in enumerate(boxes) if cell_of(box, size) == cell] for cell in cells]
    return held, [sum(len(each) for each in held[:i]) for i in range(len(held) + 1)]


def pivot_grid() -> Drawing:
    size, chunk = 1.0, 4
    d = Drawing("pivot-grid", "pivot-grid: a counting sort by cell, with chunks of cells only where boxes are", 350)
    d.text(0, 13, "chunks of cells, only where boxes are", "strong")
    space = Space(d, CLUMPED, (0, 22))
    for x, y in sorted({(int(box[0] / chunk), int(box[1] / chunk)) for box in CLUMPED}):
        area = (x * chunk, y * chunk, x * chunk + chunk, min(y * chunk + chunk, 10))
        space.rect(area, "wash")
        space.grid(area, size)
        space.rect(area, "outline")
    cells = occupied_row(CLUMPED, size)
    space.rect((cells[0][0], cells[0][1], cells[0][0] + 8, cells[0][1] + 1), "pair")
    space.draw()
    held, starts = counts_and_starts(CLUMPED, cells, size)
    for i, box in enumerate(CLUMPED):
        if cell_of(box, size) in cells:
            d.text(*space.at(box[0] + 0.15, box[1] + 0.62), chr(97 + i), "small")
    for row, (title, entries) in enumerate((("count", [str(len(each)) for each in held]), ("index", [str(each) for each in starts[:-1]]))):
        d.text(0, 258 + row * 28, title, "small soft")
        d.array(56, 244 + row * 28, entries, 34)
    d.text(340, 258, "boxes in each cell", "small soft")
    d.text(340, 286, "where they begin", "small soft")
    d.text(0, 322, "boxes", "small soft")
    d.array(56, 308, [name for each in held for name in each], 34)
    d.text(340, 322, "sorted by cell", "small soft")
    d.text(0, 346, "The row in orange: counted, summed up, placed.", "soft")
    return d


def z_curve(bits: int) -> list[tuple[int, int]]:
    def spread(code: int) -> int:
        return sum((code >> 2 * i & 1) << i for i in range(bits))
    return [(spread(code), spread(code >> 1)) for code in range(1 << 2 * bits)]


def compact_grid() -> Drawing:
    d = Drawing("compact-grid", "compact-grid: entries sorted by cell, and an array that says where each cell begins", 330)
    curves = (("row_major", [(x, y) for y in range(4) for x in range(4)]), ("z_curve", z_curve(2)))
    d.text(0, 13, "the order of the cells: by rows, or along a Z-curve", "strong")
    boxes = scatter(14, 9, (0.05, 0.05, 3.95, 3.95), 0.4, 0.9)
    for i, (name, order) in enumerate(curves):
        space = Space(d, boxes, (20 + i * 240, 26), 45)
        for box in boxes:
            space.rect(cell_box(*cell_of(box, 1), 1), "wash")
        space.grid((0, 0, 4, 4), 1)
        d.line([space.at(x + 0.5, y + 0.5) for x, y in order], "dashed")
        for j, (x, y) in enumerate(order):
            d.text(*space.at(x + 0.94, y + 0.95), str(j), "small soft right")
        space.draw()
        for j, box in enumerate(boxes):
            d.text(*space.at(box[0] + 0.08, box[1] + 0.3), chr(97 + j), "small")
        d.text(110 + i * 240, 224, name, "code middle")
    cells = curves[0][1][:8]
    held, starts = counts_and_starts(boxes, cells, 1)
    d.text(0, 258, "cells", "small soft")
    d.array(56, 244, [str(each) for each in starts], 34)
    d.text(0, 296, "boxes", "small soft")
    d.array(56, 282, [name for each in held for name in each], 34)
    for i, each in enumerate(held):
        if each:
            d.arrow([(73 + i * 34, 264), (73 + starts[i] * 34, 282)])
    d.text(0, 324, "Only the entries whose cell has changed are sorted again.", "soft")
    return d


def cuckoo_grid() -> Drawing:
    d = Drawing("cuckoo-grid", "cuckoo-grid: a cell is in one of three slots of its bucket", 300)
    d.text(0, 13, "buckets of cells, of which only occupied ones are kept", "strong")
    space = Space(d, CLUMPED, (0, 22), 14)
    for x, y in sorted({(int(box[0] / 4), int(box[1] / 4)) for box in CLUMPED}):
        space.rect((x * 4, y * 4, x * 4 + 4, min(y * 4 + 4, 10)), "outline")
    for box in CLUMPED:
        space.rect(cell_box(*cell_of(box, 1), 1), "wash")
    chosen = cell_of(CLUMPED[0], 1)
    space.rect(cell_box(*chosen, 1), "second")
    space.draw()
    d.text(352, 60, "one cell, three", "soft")
    d.text(352, 77, "places: its hash", "soft")
    d.text(352, 94, "names a slot in", "soft")
    d.text(352, 111, "each table", "soft")
    begin = space.at(chosen[0] + 0.5, chosen[1] + 0.5)
    for table, (slot, taken) in enumerate(((2, (0, 1, 2, 4)), (1, (0, 1, 3, 4)), (3, (1, 2)))):
        left = table * 165
        d.text(left + 70, 204, f"table {table}", "small soft middle")
        d.array(left, 212, ["•" if i in taken else "–" for i in range(5)], 28, marked=[slot], kind="second")
        d.arrow([begin, (begin[0], 182), (left + slot * 28 + 14, 182), (left + slot * 28 + 14, 212)], "rim" if table == 1 else "dashed")
    d.text(0, 262, "A cell that needs a taken slot evicts the one in it, which", "soft")
    d.text(0, 279, "moves to the next table. A search reads three slots at most.", "soft")
    return d


def squares(boxes: list[Box], square: Box, most: int, depth: int) -> list[Box]:
    """The leaves of a tree that halves a square wherever it holds the centres of more than `most` boxes."""
    middles = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in boxes]
    held = [box for box, (x, y) in zip(boxes, middles) if square[0] <= x < square[2] and square[1] <= y < square[3]]
    if len(held) <= most or depth == 0:
        return [square]
    x, y = (square[0] + square[2]) / 2, (square[1] + square[3]) / 2
    quarters = [(square[0], square[1], x, y), (x, square[1], square[2], y), (square[0], y, x, square[3]), (x, y, square[2], square[3])]
    return [leaf for quarter in quarters for leaf in squares(held, quarter, most, depth - 1)]


def octree() -> Drawing:
    boxes = [(box[0] * 0.8, box[1] * 1.2, box[2] * 0.8, box[3] * 1.2) for box in CLUMPED[:16]] + [(9, 9.5, 9.8, 10.4), (2.2, 10.6, 3, 11.4)]
    d = Drawing("octree", "octree: a cube is halved along each axis wherever it holds too many boxes", 290)
    d.text(0, 13, "a cube is divided wherever it holds too many boxes", "strong")
    space = Space(d, boxes, (0, 22), 21)
    leaves = squares(boxes, (0, 0, 12, 12), 2, 3)
    chosen = max(leaves, key=lambda leaf: (leaf[2] - leaf[0] < 2, -(leaf[0] - 4.5) ** 2 - (leaf[1] - 4.5) ** 2))
    for leaf in leaves:
        space.rect(leaf, "second" if leaf == chosen else "marked" if overlap(leaf, chosen) else "frame")
    space.draw()
    for i, words in enumerate(("Leaves are never smaller", "than the largest box, so", "boxes that overlap are in", "leaves that touch.", "",
                               "The green leaf is tested", "against itself and the", "blue ones; every leaf", "remembers its neighbours.")):
        d.text(268, 60 + i * 18, words, "soft")
    return d


def loose_octree() -> Drawing:
    d = Drawing("loose-octree", "loose-octree: a node reaches beyond its cube, so that any box fits a node of its size", 290)
    d.text(0, 13, "a node reaches beyond its cube, here to twice its size", "strong")
    boxes = [(2.2, 2.1, 3.4, 3.4), (6.6, 3.4, 8.0, 4.9), (5.2, 6.6, 9.6, 10.4), (0.8, 8.2, 1.8, 9.4), (9.6, 1.0, 10.8, 2.2), (7.6, 4.6, 8.9, 5.6)]
    space = Space(d, boxes, (0, 22), 21)
    space.grid((0, 0, 12, 12), 1.5)
    space.grid((0, 0, 12, 12), 3, "path")
    d.rect((*space.at(1.5, 1.5), *space.at(3.0, 3.0)), "wash")
    d.rect((*space.at(6, 6), *space.at(9, 9)), "tint")
    space.draw({0: "marked", 2: "second"})
    d.rect((*space.at(0.75, 0.75), *space.at(3.75, 3.75)), "outline")
    d.rect((*space.at(4.5, 4.5), *space.at(10.5, 10.5)), "rim")
    for i, (words, kind) in enumerate((("The blue box crosses the", "soft"), ("edges of a small cube, but", "soft"), ("not those of its loose", "soft"),
                                       ("node, outlined in blue.", "soft"), ("", ""), ("The green box is in a node", "soft"), ("of its own, larger size.", "soft"), ("", ""),
                                       ("So no box has to stay near", "soft"), ("the root because it lies", "soft"), ("across a dividing plane.", "soft"))):
        d.text(268, 52 + i * 18, words, kind)
    return d


def halves(boxes: list[int], all_boxes: list[Box], depth: int) -> list[tuple[int, list[int]]]:
    """The nodes of a tree that halves its boxes at the median along the longest axis: (depth, boxes), parents first."""
    if len(boxes) <= 3:
        return [(depth, boxes)]
    bounds = bounds_of([all_boxes[i] for i in boxes])
    axis = 0 if bounds[2] - bounds[0] >= bounds[3] - bounds[1] else 1
    ordered = sorted(boxes, key=lambda i: all_boxes[i][axis] + all_boxes[i][axis + 2])
    half = len(ordered) // 2
    return [(depth, boxes)] + halves(ordered[:half], all_boxes, depth + 1) + halves(ordered[half:], all_boxes, depth + 1)


def bvh() -> Drawing:
    d = Drawing("bvh", "bvh: a binary tree of bounding boxes", 380)
    d.text(0, 13, "bounds of boxes, and bounds of bounds", "strong")
    space = Space(d, ALIKE, (0, 24))
    nodes = halves(list(range(len(ALIKE))), ALIKE, 0)
    space.draw()
    for depth, held in nodes:
        x, y, right, bottom = bounds_of([ALIKE[i] for i in held])
        grown = 0.12 * (3 - depth)
        space.rect((x - grown, y - grown, right + grown, bottom + grown), ("path", "rim", "outline", "dashed")[min(depth, 3)])
    at: dict[int, Point] = {}
    leaves = 0

    def place(number: int) -> int:
        """Places node `number` and what is below it; returns the number of the node after these."""
        nonlocal leaves
        depth, held = nodes[number]
        if len(held) <= 3:
            at[number] = (30 + leaves * 60.0, 256 + depth * 32.0)
            leaves += 1
            return number + 1
        second = place(number + 1)
        end = place(second)
        at[number] = ((at[number + 1][0] + at[second][0]) / 2, 256 + depth * 32.0)
        d.line([at[number + 1], at[number], at[second]], "path")
        return end

    place(0)
    for number, (x, y) in at.items():
        depth, held = nodes[number]
        kind = ("box", "second", "marked", "room")[min(depth, 3)]
        d.rect((x - 22, y - 10, x + 22, y + 10), kind, 4)
        d.text(x, y + 4, str(len(held)), "small middle")
    d.text(0, 376, "Where two nodes do not overlap, nothing below them does.", "soft")
    return d


def sweep_and_prune() -> Drawing:
    d = Drawing("sweep-and-prune", "sweep-and-prune: boxes sorted along an axis, tested while they are open", 330)
    d.text(0, 13, "a plane sweeps along x; the boxes it cuts are open", "strong")
    boxes = ALIKE[1:14]
    space = Space(d, boxes, (0, 22))
    at = 4.1
    now = [i for i, box in enumerate(boxes) if box[0] <= at <= box[2]]
    space.draw({i: "marked" for i in now})
    d.line([space.at(at, -0.2), (at * 20, 318)], "pair")
    for rank, i in enumerate(sorted(range(len(boxes)), key=lambda i: boxes[i][0])):
        y = 236 + 7 * rank
        d.line([(boxes[i][0] * 20, y), (boxes[i][2] * 20, y)], "outline" if i in now else "path")
        d.dot((boxes[i][0] * 20, y), "dot" if i in now else "head", 2)
    d.text(0, 326, "in the order of their min x", "small soft")
    return d


DRAWINGS = (linked_cells, spatial_hash, pivot_grid, compact_grid, cuckoo_grid, octree, loose_octree, bvh, sweep_and_prune)
