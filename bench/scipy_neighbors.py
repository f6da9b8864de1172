#!/usr/bin/python3
"""Neighbours beside SciPy: bp_find_neighbors_double and cKDTree.query_pairs on the same points, in one run.

usage: bench/scipy_neighbors.py [LIBRARY]      (default: build/lib/libbroadphase.so; `make` builds it)

Uniform points with 30 neighbours each, in open space and in a periodic box, one thread, 64 bits. Ours lists each pair
once, in the row of the smaller index (BP_NEIGHBORS_HALF), as query_pairs(output_type="ndarray") does. Both begin with
points: building a tree or a grid counts. They take turns; times are processor times, medians. The pairs must be the
same, and SciPy must take at least ten times as long, or the exit status is 1.

Needs SciPy: Debian's python3-scipy (`scripts/setup scipy`).
"""
import ctypes
import datetime
import os
import platform
import statistics
import subprocess
import sys
import time

import numpy
import scipy
from scipy.spatial import cKDTree

NEAR = 30
HALF = 1 << 2
PROMISED = 10


class Config(ctypes.Structure):
    """bp_config, as far as it is used here; all else is zero."""

    _fields_ = [("words", ctypes.c_uint32 * 8), ("margin", ctypes.c_float), ("period", ctypes.c_float * 3),
                ("hooks", ctypes.c_void_p * 32)]


class Neighbors(ctypes.Structure):
    """bp_neighbors"""

    _fields_ = [("offsets", ctypes.POINTER(ctypes.c_size_t)), ("indices", ctypes.POINTER(ctypes.c_uint32)),
                ("count", ctypes.c_size_t), ("offset_capacity", ctypes.c_size_t), ("index_capacity", ctypes.c_size_t)]


def ours(library, points, period, rows):
    """Seconds of one search."""
    config = Config()
    config.words[3] = HALF
    for axis in range(3):
        config.period[axis] = period
    start = time.process_time()
    status = library.bp_find_neighbors_double(points.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(points)),
                                              ctypes.c_double(1.0), ctypes.byref(config), ctypes.byref(rows))
    seconds = time.process_time() - start
    if status != 0:
        sys.exit(f"bp_find_neighbors_double: status {status}")
    return seconds


def theirs(points, period):
    """Seconds of one search, and the pairs."""
    start = time.process_time()
    pairs = cKDTree(points, boxsize=period or None).query_pairs(1.0, output_type="ndarray")
    return time.process_time() - start, pairs


def pairs_of(rows):
    """All pairs of rows as numbers, ascending."""
    offsets = numpy.ctypeslib.as_array(rows.offsets, (rows.count + 1,))
    indices = numpy.ctypeslib.as_array(rows.indices, (int(offsets[-1]),)).astype(numpy.int64)
    owners = numpy.repeat(numpy.arange(rows.count, dtype=numpy.int64), numpy.diff(offsets).astype(numpy.int64))
    return owners * rows.count + indices


def compare(library, count, periodic, rounds):
    """One line of the table. Returns whether all is well."""
    # The period is a float in our config: points and tree have the same one.
    edge = float(numpy.float32((count * 4 / 3 * numpy.pi / NEAR) ** (1 / 3)))
    points = numpy.ascontiguousarray(numpy.random.default_rng(30).random((count, 3)) * edge)
    period = edge if periodic else 0.0
    rows = Neighbors()
    times = [[], []]
    ours(library, points, period, rows)
    for _ in range(rounds):
        seconds, found = theirs(points, period)
        times[1].append(seconds)
        times[0].append(ours(library, points, period, rows))
    expected = numpy.sort(found.min(axis=1).astype(numpy.int64) * count + found.max(axis=1))
    same = numpy.array_equal(pairs_of(rows), expected)
    library.bp_neighbors_free(ctypes.byref(rows), None)
    own, other = (1e3 * statistics.median(t) for t in times)
    ratios = sorted(t / o for o, t in zip(*times))
    print(f"{count:9} {'periodic' if periodic else 'open':9} {own:10.3f} {other:12.3f} {other / own:8.1f} "
          f"{ratios[0]:8.1f} {ratios[-1]:8.1f} {len(expected):10}  {'same' if same else 'DIFFERENT'}", flush=True)
    return same and other / own >= PROMISED


def output_of(*command):
    """The first line that a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip().split("\n")[0]


def main():
    """Prints where the figures come from, and the table."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "build", "lib", "libbroadphase.so")
    library = ctypes.CDLL(path)
    library.bp_version.restype = ctypes.c_char_p
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    print(f"broadphase: {library.bp_version().decode()}, commit {output_of('git', '-C', here, 'describe', '--always')}")
    print(f"scipy: {scipy.__version__}, numpy {numpy.__version__}, Python {platform.python_version()}")
    print(f"cpu: {model}, {os.cpu_count()} cores")
    print(f"kernel: {platform.system()} {platform.release()} {platform.machine()}")
    print(f"date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}")
    print("command: bench/scipy_neighbors.py\n")
    print(f"{'points':>9} {'space':9} {'ours ms':>10} {'scipy ms':>12} {'ratio':>8} {'least':>8} {'most':>8} "
          f"{'pairs':>10}  found")
    well = True
    for count, rounds in ((10000, 9), (100000, 5), (1000000, 3)):
        for periodic in (False, True):
            well &= compare(library, count, periodic, rounds)
    print(f"\npromised: scipy / ours at least {PROMISED}: {'kept' if well else 'MISSED'}")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
