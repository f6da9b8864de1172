"""How the library works inside: its rooms, the way of a call and of an update, views, workers, neighbours and queries."""

from __future__ import annotations

from random import Random

from scenes import scatter
from svg import Box, Drawing, Space, bounds_of


def rooms() -> Drawing:
    d = Drawing("rooms", "The rooms of the source tree: each may include only what stands below it", 624)
    d.rect((0, 4, 480, 66), "frame", 5)
    d.text(240, 30, "your program, cli, bench, bindings, integrations,", "middle")
    d.text(240, 50, "examples, scenes, mpi, cuda", "middle")
    d.arrow([(240, 66), (240, 92)])
    d.room((0, 92, 480, 132), "include/broadphase", ["the public headers"], "marked")
    d.text(0, 160, "src, from the top down", "small soft")
    floors = [(172, [("world", "objects that move: changes, events, queries"), ("neighbors", "points within a radius")]),
              (238, [("api", "one call, the config, tuning")]),
              (304, [("plan", "which search, and why"), ("view", "what searches see of the input")]),
              (370, [("literature", "the structures of the literature")]),
              (436, [("engine", "the searches that auto runs")]),
              (502, [("kernels", "vector loops, compiled for each instruction set")]),
              (568, [("base", "boxes, columns, pairs, sorting, memory, workers, log")])]
    for i, (top, names) in enumerate(floors):
        width = (480 - 16 * (len(names) - 1)) / len(names)
        if len(names) == 2 and names[0][0] == "world":
            sizes = [290.0, 174.0]
        else:
            sizes = [width] * len(names)
        left = 0.0
        for size, (name, words) in zip(sizes, names):
            d.room((left, top, left + size, top + 46), name, [words])
            if i + 1 < len(floors):
                d.arrow([(left + size / 2, top + 46), (left + size / 2, top + 66)])
            left += size + 16
    return d


def way(d: Drawing, stops: list[tuple[str, str, str]], top: float) -> None:
    """Stops one below the other: (room, what it does, what it hands on)."""
    for i, (room, does, hands) in enumerate(stops):
        y = top + i * 56
        d.rect((0, y, 96, y + 32), "room", 5)
        d.text(48, y + 21, room, "strong middle")
        d.text(110, y + 21, does)
        if i + 1 < len(stops):
            d.arrow([(48, y + 32), (48, y + 56)])
            d.text(62, y + 49, hands, "small blue")


def call() -> Drawing:
    d = Drawing("call", "The way of a call: boxes go down through the rooms, pairs come out", 412)
    way(d, [("api", "checks and completes the config", "settings, cut into what each room needs"),
            ("view", "checks the boxes; makes proxies where needed", "float boxes in open space"),
            ("plan", "chooses a search", "a plan, with a budget of tests"),
            ("engine", "sorts the boxes into a structure", "units of work: ranges of candidates"),
            ("kernels", "test eight or sixteen boxes at a time", "hits, named as pairs of ids"),
            ("base", "collects the pairs of each block in a sink", "blocks of pairs"),
            ("view", "confirms proxies; asks the filter", "one list, in the order of the blocks"),
            ("api", "sorts the list if asked, fills statistics", "")], 4)
    return d


def update() -> Drawing:
    d = Drawing("update", "The way of an update: what changed is noted, the tree is fitted, pairs become events", 430)
    d.text(0, 14, "any number of times", "small soft")
    d.room((0, 22, 220, 60), "bp_move_many", ["add, move, remove"], "marked")
    d.room((260, 4, 480, 38), "boxes")
    d.room((260, 46, 480, 80), "change list")
    d.arrow([(220, 34), (240, 34), (240, 21), (260, 21)])
    d.arrow([(220, 48), (240, 48), (240, 63), (260, 63)])
    d.line([(0, 100), (480, 100)])
    d.text(0, 118, "once a step", "small soft")
    d.room((0, 126, 220, 164), "bp_update", ["begins"], "marked")
    d.arrow([(470, 80), (470, 145), (220, 145)])
    d.arrow([(110, 164), (110, 184)])
    d.room((0, 184, 220, 228), "the tree", ["refitted, or built anew"])
    d.text(234, 203, "Few changed: only their boxes", "small soft")
    d.text(234, 218, "are searched for.", "small soft")
    d.arrow([(110, 228), (110, 248)])
    d.room((0, 248, 220, 292), "search", ["all, or what changed"])
    d.arrow([(110, 292), (110, 322)])
    d.text(120, 311, "pairs, through the filter", "small blue")
    d.array(0, 322, ["0 1", "0 4", "2 3", "3 5"], 44, marked=[3], kind="second")
    d.text(190, 337, "pairs of this update", "small soft")
    d.array(0, 356, ["0 1", "0 4", "1 2", "2 3"], 44, marked=[2])
    d.text(190, 371, "pairs of the last one", "small soft")
    d.arrow([(88, 376), (88, 396)])
    d.room((0, 396, 220, 426), "begun: 3 5, ended: 1 2", (), "frame")
    d.text(234, 415, "events: the difference of both lists", "small soft")
    return d


def workers() -> Drawing:
    d = Drawing("workers", "Workers: each member has a lane of tasks, and helps with the others' when its own is empty", 216)
    d.text(0, 13, "one section of a search: 24 tasks in four lanes", "strong")
    done = (6, 3, 4, 1)
    for lane in range(4):
        y = 26 + lane * 36
        name = "caller" if lane == 0 else f"worker {lane}"
        d.text(0, y + 17, name, "small soft")
        for task in range(6):
            kind = "second" if task < done[lane] else "marked" if task == done[lane] else "box"
            if lane == 3 and task == 5:
                kind = "marked"
            d.rect((70 + task * 40, y, 106 + task * 40, y + 26), kind, 3)
    d.arrow([(306, 39), (330, 39), (330, 147), (308, 147)])
    d.text(340, 82, "Its lane is done, so", "small soft")
    d.text(340, 97, "the caller takes a", "small soft")
    d.text(340, 112, "task of another one.", "small soft")
    for i, (kind, words) in enumerate((("second", "done"), ("marked", "running"), ("box", "not yet claimed"))):
        d.rect((70 + i * 110, 182, 86 + i * 110, 198), kind, 3)
        d.text(92 + i * 110, 194, words, "small soft")
    return d


def view() -> Drawing:
    d = Drawing("view", "The view: a map that keeps the order of coordinates keeps overlaps; a period adds images", 370)
    d.text(0, 13, "a map that keeps the order keeps overlaps", "strong")
    intervals = [(0.4, 2.1), (1.7, 3.2), (6.0, 6.9), (6.6, 8.0), (10.2, 11.5)]
    ends = sorted(each for interval in intervals for each in interval)
    d.text(0, 48, "64 bits", "small soft")
    d.text(0, 148, "ranks", "small soft")
    for i, (low, high) in enumerate(intervals):
        y, below = 38 + 9 * (i % 2), 138 + 9 * (i % 2)
        kind = ("outline", "rim")[i % 2]
        d.line([(66 + low * 34, y), (66 + high * 34, y)], kind)
        d.line([(66 + ends.index(low) * 44, below), (66 + ends.index(high) * 44, below)], kind)
    for i, end in enumerate(ends):
        d.line([(66 + end * 34, 58), (66 + i * 44, 128)], "line")
    d.text(66, 172, "No two lines cross, so what overlaps above overlaps below.", "small soft")
    d.text(0, 212, "a period: an image for each axis that a box leaves", "strong")
    d.rect((120, 226, 360, 346), "frame")
    d.text(240, 364, "one period", "small soft middle")
    d.rect((330, 300, 386, 334), "marked")
    d.rect((90, 300, 146, 334), "dashed")
    d.rect((132, 286, 176, 318), "second")
    d.rect((132, 300, 146, 318), "shared")
    d.text(330, 296, "box", "small")
    d.text(64, 296, "image", "small")
    d.arrow([(330, 317), (150, 317)])
    return d


def tubes() -> Drawing:
    d = Drawing("tubes", "Neighbours: the points of the rows around a row are copied into one tube", 356)
    random = Random(4).random
    points = [(random() * 24, random() * 6) for _ in range(90)]
    d.text(0, 13, "cells as wide as the radius, and shorter in x", "strong")
    space = Space(d, [], (0, 22))
    space.rect((0, 0, 24, 6), "tint")
    space.grid((0, 0, 24, 6), 1, "line", 2)
    near = min(points, key=lambda point: (point[0] - 9.5) ** 2 + (point[1] - 3) ** 2)
    first, last = int(near[0] - 2), int(near[0] + 2) + 1
    space.rect((first, 0, last, 6), "outline")
    x, y = space.at(*near)
    d.dot((x, y), "outline", 40)
    for point in points:
        d.dot(space.at(*point), "dot" if point == near else "spot", 3.5 if point == near else 2)
    d.text(0, 162, "In space a row of cells has nine around it; in this plane, three.", "small soft")
    d.text(0, 196, "the tube: these rows, cell by cell, in one range", "strong")
    tube = sorted(points, key=lambda point: int(point[0]))
    d.rect((0, 206, 480, 230), "box")
    inside = [i for i, point in enumerate(tube) if first <= point[0] < last]
    step = 480 / len(tube)
    d.rect((inside[0] * step, 206, (inside[-1] + 1) * step, 230), "marked")
    for i, point in enumerate(tube):
        d.dot((i * step + step / 2, 218), "dot" if point == near else "spot", 3 if point == near else 1.6)
    d.text((inside[0] + inside[-1] + 1) / 2 * step, 246, "a window", "small blue middle")
    d.text(0, 270, "What can be near the blue point is one window: one loop, sixteen", "small soft")
    d.text(0, 285, "points at a time. Distances close to the radius are measured again", "small soft")
    d.text(0, 300, "in 64 bits; the others are decided.", "small soft")
    d.room((0, 316, 150, 350), "rows as found")
    d.arrow([(150, 333), (190, 333)])
    d.room((190, 316, 480, 350), "sorted, eight rows at once")
    return d


def query() -> Drawing:
    d = Drawing("query", "A query: down the tree, nearest node first; candidates decided in 64 bits", 330)
    boxes = scatter(33, 26, (0.4, 0.3, 23.6, 8.7), 0.7, 1.5)
    d.text(0, 13, "a ray goes down the tree, nearest node first", "strong")
    space = Space(d, boxes, (0, 22))
    order = sorted(range(len(boxes)), key=lambda i: (int(boxes[i][0] / 6), boxes[i][1]))
    leaves = [order[i:i + 7] for i in range(0, len(order), 7)]
    ray = ((0.0, 1.2), (24.0, 7.6))

    def is_hit(box: Box) -> bool:
        (x, y), (ex, ey) = ray
        rise = (ey - y) / (ex - x)
        low, high = y + rise * box[0], y + rise * box[2]
        return high >= box[1] and low <= box[3]

    space.draw({i: "second" for i, box in enumerate(boxes) if is_hit(box)})
    for leaf in leaves:
        bounds = bounds_of([boxes[i] for i in leaf])
        space.rect(bounds, "outline" if is_hit(bounds) else "dashed")
    d.arrow([space.at(*ray[0]), space.at(*ray[1])], "pair")
    d.room((0, 226, 150, 266), "the tree", ["of the last update"])
    d.room((0, 284, 150, 324), "changed objects", ["one by one"])
    d.arrow([(150, 246), (170, 246), (170, 275), (186, 275)])
    d.arrow([(150, 304), (170, 304), (170, 275), (186, 275)])
    d.room((186, 250, 326, 300), "candidates", ["decided in 64 bits"])
    d.arrow([(326, 275), (350, 275)])
    d.room((350, 250, 480, 300), "the first hits", ["in order, as a heap"], "marked")
    return d


DRAWINGS = (rooms, call, update, workers, view, tubes, query)
