#!/usr/bin/python3
"""The Python package beside what else Python has, on the same arrays, in one run, one thread.

usage: bench/python_peers.py [--short] [WHEEL]      (default: the wheel in build/python; `make python` makes it)

Neighbours: uniform points with 30 neighbours each, 64 bits, open and periodic. SciPy's query_pairs lists each pair once,
as ours does then (half=True); scikit-learn and ASE list all, as ours does beside them. Boxes: uniform cubes in space for
rtree, squares in the plane for Shapely. Building a tree or a grid counts. All take turns; times are processor times, the
best of each; pairs must be the same in number (beside SciPy: the same). Then what a call costs beside the C call, and the
peak of memory at ten million points beside the C call's. The exit status is 1 where a promise is missed.

The peers are Debian's (`scripts/setup python-peers`); one that is missing is left out, and said.
"""
import ctypes
import glob
import importlib
import os
import platform
import subprocess
import sys
import tempfile
import time
import timeit
import warnings
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "..", "build", "lib", "libbroadphase.so")
NEAR = 30
PROMISED_NEIGHBORS, PROMISED_BOXES = 8, 50
PROMISED_MICROSECONDS, PROMISED_SHARE = 3.0, 0.01

missed = []


def import_package(wheel, folder):
    """The package out of a wheel, without installing it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    sys.path.insert(0, folder)
    return importlib.import_module("broadphase")


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"not measured, because it is missing: {name} (scripts/setup python-peers)")
        return None


def seconds_of(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def take_turns(ours, theirs, rounds):
    """The best of both, and what they found last."""
    times = [], []
    ours()
    for _ in range(rounds):
        other_seconds, other = seconds_of(theirs)
        own_seconds, own = seconds_of(ours)
        times[0].append(own_seconds)
        times[1].append(other_seconds)
    return min(times[0]), min(times[1]), own, other


def row(what, count, peer, ours, theirs, rounds, counts, promised=None):
    """One line of the table; the ratio."""
    own_seconds, other_seconds, own, other = take_turns(ours, theirs, rounds)
    own_count, other_count = counts(own, other)
    ratio = other_seconds / own_seconds
    same = "same" if own_count == other_count else f"DIFFERENT: {other_count}"
    print(f"{what:22} {count:9} {peer:14} {1e3 * own_seconds:10.3f} {1e3 * other_seconds:12.3f} {ratio:8.1f} "
          f"{own_count:10}  {same}", flush=True)
    if own_count != other_count:
        missed.append(f"{peer} finds something else")
    if promised is not None and ratio < promised:
        missed.append(f"{what}, {count}, {peer}: {ratio:.1f} instead of {promised}")


def neighbors(broadphase, numpy, count, periodic, rounds):
    edge = float(numpy.float32((count * 4 / 3 * numpy.pi / NEAR) ** (1 / 3)))
    points = numpy.random.default_rng(30).random((count, 3)) * edge
    what = "neighbours, periodic" if periodic else "neighbours, open"
    settings = {"period": (edge, edge, edge)} if periodic else {}

    def pairs_of(found):
        rows = numpy.repeat(numpy.arange(count), numpy.diff(found[0]))
        return numpy.sort(rows * count + found[1])

    def same_pairs(own, other):
        expected = numpy.sort(other.min(axis=1) * count + other.max(axis=1))
        return len(own[1]), len(other) if numpy.array_equal(pairs_of(own), expected) else -1

    spatial = optional("scipy.spatial")
    if spatial:
        row(what, count, "scipy", lambda: broadphase.neighbors(points, 1.0, half=True, **settings),
            lambda: spatial.cKDTree(points, boxsize=edge if periodic else None).query_pairs(1.0, output_type="ndarray"),
            rounds, same_pairs, PROMISED_NEIGHBORS)
    sklearn = optional("sklearn.neighbors") if not periodic and count <= 100_000 else None
    if sklearn:
        row(what, count, "scikit-learn", lambda: broadphase.neighbors(points, 1.0),
            lambda: sklearn.KDTree(points).query_radius(points, 1.0), rounds,
            lambda own, other: (len(own[1]), sum(map(len, other)) - count), PROMISED_NEIGHBORS)


def atoms(broadphase, numpy, count):
    """Few: ASE takes a minute for 10,000, and half a minute for 1,000 that repeat."""
    ase = optional("ase.neighborlist")
    edge = (count * 4 / 3 * numpy.pi / NEAR) ** (1 / 3)
    points = numpy.random.default_rng(30).random((count, 3)) * edge
    for periodic in (False, True) if ase else ():
        row("ijdDS, periodic" if periodic else "ijdDS, open", count, "ase",
            lambda: broadphase.neighbor_list("ijdDS", points, 1.0, cell=(edge,) * 3, pbc=periodic),
            lambda: ase.primitive_neighbor_list("ijdDS", [periodic] * 3, numpy.eye(3) * edge, points, 1.0), 1,
            lambda own, other: (len(own[0]), len(other[0])), PROMISED_NEIGHBORS)


def cubes(numpy, count, dimensions):
    """About two pairs each."""
    low = numpy.random.default_rng(5).random((count, dimensions)) * (count * 2 ** dimensions / 4) ** (1 / dimensions)
    return numpy.hstack([low, low + 1.0])


def with_rtree(rtree, numpy, boxes):
    properties = rtree.index.Property(dimension=boxes.shape[1] // 2)
    rows = boxes.tolist()
    tree = rtree.index.Index(((i, box, None) for i, box in enumerate(rows)), properties=properties)
    return [(i, j) for i, box in enumerate(rows) for j in tree.intersection(box) if i < j]


def with_shapely(shapely, strtree, boxes):
    squares = [shapely.box(*box) for box in boxes.tolist()]
    index = {id(square): i for i, square in enumerate(squares)}
    tree = strtree.STRtree(squares)
    if hasattr(tree, "geometries"):  # Shapely 2 gives numbers
        return [(i, j) for i, square in enumerate(squares) for j in tree.query(square) if i < j]
    return [(i, index[id(o)]) for i, square in enumerate(squares) for o in tree.query(square) if i < index[id(o)]]


def boxes(broadphase, numpy, count):
    def lengths(own, other):
        return len(own), len(other)

    rtree, shapely = optional("rtree"), optional("shapely.geometry")
    if rtree:
        solid = cubes(numpy, count, 3)
        row("boxes, 3-D", count, "rtree", lambda: broadphase.pairs(solid), lambda: with_rtree(rtree, numpy, solid), 1,
            lengths, PROMISED_BOXES)
    if shapely:
        flat = cubes(numpy, count, 2)
        row("boxes, 2-D", count, "shapely", lambda: broadphase.pairs(flat),
            lambda: with_shapely(shapely, importlib.import_module("shapely.strtree"), flat), 1, lengths, PROMISED_BOXES)


class Pairs(ctypes.Structure):
    """bp_pairs"""

    _fields_ = [("data", ctypes.c_void_p), ("count", ctypes.c_size_t), ("capacity", ctypes.c_size_t)]


class Neighbors(ctypes.Structure):
    """bp_neighbors"""

    _fields_ = [("offsets", ctypes.c_void_p), ("indices", ctypes.c_void_p), ("count", ctypes.c_size_t),
                ("offset_capacity", ctypes.c_size_t), ("index_capacity", ctypes.c_size_t)]


def c_library():
    library = ctypes.CDLL(LIBRARY)
    for name in ("bp_find_pairs", "bp_pairs_free", "bp_find_neighbors", "bp_method_supports"):
        getattr(library, name).restype = ctypes.c_size_t
    library.bp_find_pairs.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    library.bp_pairs_free.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return library


def overhead(broadphase, numpy, count, number):
    """Seconds of our call, and of the C call: ctypes has its own overhead, that of a call with as many arguments."""
    library = c_library()
    array = cubes(numpy, count, 3).astype(numpy.float32)
    pairs, address = Pairs(), array.ctypes.data
    at = ctypes.addressof(pairs)

    def c_call():
        library.bp_find_pairs(address, count, None, at)
        library.bp_pairs_free(at, None)

    def no_call():
        library.bp_find_pairs(None, 0, None, None)  # refused at once
        library.bp_pairs_free(None, None)

    times = [[], [], []]
    for _ in range(45):
        for call, results in zip((lambda: broadphase.pairs(array), c_call, no_call), times):
            results.append(timeit.timeit(call, number=number, timer=time.process_time) / number)
    ours, through_ctypes, nothing = (min(t) for t in times)
    added = ours - (through_ctypes - nothing)
    print(f"a call with {count} boxes: {1e6 * ours:.2f} us, of which Python {1e6 * added:.2f} us, "
          f"{100 * added / ours:.1f} %", flush=True)
    return added, added / ours


def peak_of_search(how, count, wheel):
    """In a process of its own: bytes above what the points took, in a search by `how`."""
    script = [sys.executable, os.path.abspath(__file__), "--peak", how, str(count), wheel]
    return int(subprocess.run(script, capture_output=True, text=True, check=True).stdout)


def resident(field):
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def print_peak(how, count, wheel):
    import numpy

    points = numpy.random.default_rng(1).random((count, 3), dtype=numpy.float32)
    radius = (5 * 3 / (4 * numpy.pi * count)) ** (1 / 3)
    with tempfile.TemporaryDirectory() as folder:
        broadphase = import_package(wheel, folder)
        library = c_library()
        library.bp_find_neighbors.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_float, ctypes.c_void_p,
                                              ctypes.c_void_p]
        before = resident("VmRSS")
        if how == "python":
            found = broadphase.neighbors(points, radius)
            assert len(found[0]) == count + 1
        else:
            rows = Neighbors()
            assert library.bp_find_neighbors(points.ctypes.data, count, radius, None, ctypes.addressof(rows)) == 0
        print(resident("VmHWM") - before)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--peak"]:
        return print_peak(arguments[1], int(arguments[2]), arguments[3])
    short = "--short" in arguments
    wheels = [a for a in arguments if a != "--short"] or glob.glob(os.path.join(HERE, "..", "build", "python", "*.whl"))
    if not wheels:
        sys.exit("no wheel in build/python: make python")
    import numpy

    warnings.simplefilter("ignore")  # what peers say about their future
    with tempfile.TemporaryDirectory() as folder:
        broadphase = import_package(wheels[0], folder)
        print(f"broadphase {broadphase.__version__}, numpy {numpy.__version__}, Python {platform.python_version()}; "
              f"{machine()}")
        print("command: bench/python_peers.py\n")
        print(f"{'what':22} {'count':>9} {'peer':14} {'ours ms':>10} {'theirs ms':>12} {'ratio':>8} {'found':>10}")
        for count, rounds in ((10_000, 9), (100_000, 5), (1_000_000, 4))[: 1 if short else 3]:
            for periodic in (False, True):
                neighbors(broadphase, numpy, count, periodic, rounds)
        atoms(broadphase, numpy, 300)
        boxes(broadphase, numpy, 2_000 if short else 100_000)
        print()
        few, _ = overhead(broadphase, numpy, 10, 2_000 if short else 20_000)
        _, share = overhead(broadphase, numpy, 100_000, 1 if short else 5)
        count = 100_000 if short else 10_000_000
        peaks = [peak_of_search(how, count, wheels[0]) for how in ("python", "c")]
        print(f"peak of memory for the neighbours of {count} points, above the points: Python {peaks[0] / 2**20:.0f} MiB, "
              f"C {peaks[1] / 2**20:.0f} MiB")
    if 1e6 * few > PROMISED_MICROSECONDS:
        missed.append(f"{1e6 * few:.2f} us of Python for 10 boxes")
    if share > PROMISED_SHARE:
        missed.append(f"{100 * share:.1f} % of Python for 100000 boxes")
    if peaks[0] > 1.02 * peaks[1] + (8 << 20):
        missed.append("Python takes more memory than C")
    print("\npromised: " + ("kept" if not missed else "MISSED: " + "; ".join(missed)))
    return 1 if missed and not short else 0


if __name__ == "__main__":
    sys.exit(main())
