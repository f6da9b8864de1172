"""Nothing is copied that need not be, and nothing leaks."""

import copy
import gc
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

import broadphase
import brute_force


def traced_peak(call):
    """Bytes that Python and NumPy allocate meanwhile; the library's own memory is not among them."""
    gc.collect()
    tracemalloc.start()
    result = call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, result


def owner_of(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return type(array.base).__name__


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_in_order_are_not_converted_and_results_not_copied(dtype):
    """The one copy of what goes in is the library's memory, which is not traced."""
    boxes = brute_force.random_boxes(np.random.default_rng(1), 100_000, dtype=dtype, size=0.03)
    points = np.ascontiguousarray(boxes[:, :3])
    radii = np.full(len(points), 0.02, dtype=dtype)
    for call in (lambda: broadphase.pairs(boxes), lambda: broadphase.pairs(boxes, boxes[:1000]),
                 lambda: broadphase.neighbors(points, 0.02), lambda: broadphase.neighbors(points, radii),
                 lambda: broadphase.neighbors(points, 0.02, points[:1000])):
        peak, result = traced_peak(call)
        assert peak < 20_000
        for array in result if isinstance(result, tuple) else [result]:
            assert array.nbytes > 8_000 and owner_of(array) == "Memory"
    peak, _ = traced_peak(lambda: broadphase.pairs(np.asfortranarray(boxes)))
    assert peak >= boxes.nbytes  # what must be converted shows here


def test_an_array_outlives_all_others():
    offsets, indices = broadphase.neighbors(np.zeros((50, 3)), 1.0)
    del offsets
    gc.collect()
    assert np.all(np.sort(indices.reshape(50, 49)[0]) == np.arange(1, 50))
    part = broadphase.pairs(np.zeros((40, 6)))[5:7]
    gc.collect()
    assert part.base is not None and np.all(part < 40)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Keeper(broadphase.World):
    pass


def bad_calls(boxes, points):
    for call in (lambda: broadphase.pairs(np.ma.masked_less(boxes, 0.5)), lambda: broadphase.pairs(boxes, perod=1),
                 lambda: broadphase.pairs(boxes, method="none"), lambda: broadphase.pairs(boxes[:, :5]),
                 lambda: broadphase.neighbors(points, -1.0), lambda: broadphase.pairs(np.full((2, 6), np.nan))):
        try:
            call()
        except (ValueError, TypeError):
            pass


def one_of_everything(boxes, points, world):
    broadphase.pairs(boxes)
    broadphase.pairs(boxes[::2], boxes, filter=lambda a, b: a, period=(4, 4, 0), threads=1)
    broadphase.neighbors(points, 0.3)
    broadphase.neighbors(points, points[:, 0])
    broadphase.mesh_pairs(points, [[0, 1, 2]])
    bad_calls(boxes, points)
    world.move(boxes)
    world.remove(world.add(boxes[:2], group=1))
    update = world.update()
    update.pairs, update.begun, update.stats
    world.query_box(boxes[0])
    world.query_nearest(points[0], 2)
    world.query_nearest(points.astype("f8"), 2)
    world.query_ray(points[0], [1, 0, 0])
    world.query_cast(boxes, [1, 0, 0])
    world.pairs_of(0)
    world.get_object(world.ids), world.get_object(0)
    world.set_object(world.ids, user=2**63)
    world.id_of(world.handle_of(world.ids))
    with Keeper(filter=lambda a, b: b) as other:
        other.add(boxes)
        other.kept = other.update()  # a cycle
    twin = copy.deepcopy(world)
    weakref.ref(twin)()


def test_no_leak_over_a_hundred_thousand_calls_long():
    boxes = brute_force.random_boxes(np.random.default_rng(1), 10)
    points = np.ascontiguousarray(boxes[:, :3])
    world = broadphase.World()
    world.add(boxes)
    counted = (boxes, points, world, np.dtype(np.uint32), np.ndarray, None, broadphase.World)

    def counts():
        gc.collect()
        return [sys.getrefcount(thing) for thing in counted], sys.getallocatedblocks()

    def call(rounds):
        for _ in range(rounds):
            one_of_everything(boxes, points, world)

    call(300)
    references, blocks = counts()
    bytes_before = resident()
    call(5_000)  # about twenty calls each
    later, blocks_later = counts()
    assert all(abs(a - b) < 30 for a, b in zip(references, later)), (references, later)
    assert blocks_later - blocks < 2_000  # less than one for two rounds: what others keep for later
    assert resident() - bytes_before < 4 << 20
