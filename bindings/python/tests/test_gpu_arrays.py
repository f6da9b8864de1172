"""Arrays on a GPU, as far as that goes without one: the kernels of libbroadphase_cuda run on the host."""

import gc
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import broadphase
import brute_force
import gpu_fakes
from gpu_fakes import ByDlpack, ByInterface, ByOldDlpack, WithBuffer

if "BROADPHASE_CUDA_ON_HOST" not in os.environ:
    pytest.skip("no libbroadphase_cuda with its kernels on the host", allow_module_level=True)


@pytest.fixture(autouse=True)
def state():
    """Nothing is left behind: no memory, no capsule, no context, no other device."""
    gc.collect()  # what tests of other files have left in cycles
    broadphase.free_gpu_memory()
    state = gpu_fakes.on_host()
    state.reset()
    assert state.contexts == 0 and state.allocations == 0
    yield state
    gc.collect()
    broadphase.free_gpu_memory()
    left = state.contexts, state.allocations, state.device
    state.reset()
    assert left == (0, 0, 0)


def boxes_of(count, seed=1):
    return brute_force.random_boxes(np.random.default_rng(seed), count)


def in_order(pairs):
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def points_of(count, seed=1):
    return np.random.default_rng(seed).random((count, 3), dtype=np.float32)


KINDS = [ByDlpack, ByOldDlpack, WithBuffer, ByInterface, lambda a: ByDlpack(a, strides=False), lambda a: ByDlpack(a, offset=64),
         lambda a: ByDlpack(a, flags=1), lambda a: ByDlpack(a, device=(13, 0)), lambda a: ByDlpack(a, versioned=False)]


# ----------------------------------------------------------------------------------------------------------------------
# What is found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_pairs_are_those_of_the_host(count, kind):
    boxes, other = boxes_of(count), boxes_of(100, 2)
    for settings in ({}, {"period": (1, 1, 1), "pair_order": "sorted"}):
        for _ in range(2):  # counted first, then with the room of the last time
            found = broadphase.pairs(kind(boxes), **settings)
            assert isinstance(found, broadphase.GpuArray)
            found = gpu_fakes.consume(found)
            expected = in_order(broadphase.pairs(boxes, **settings))
            np.testing.assert_array_equal(found if settings else in_order(found), expected)
    found = broadphase.pairs(kind(boxes), kind(other))
    np.testing.assert_array_equal(in_order(gpu_fakes.consume(found)), in_order(broadphase.pairs(boxes, other)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_neighbors_are_those_of_the_host(count, half, kind):
    points = points_of(count)
    for settings in ({}, {"period": (1, 1, 0)}, {"dimensions": 2}):
        for _ in range(2):
            offsets, indices = broadphase.neighbors(kind(points), 0.2, half=half, **settings)
            expected = broadphase.neighbors(points, 0.2, half=half, **settings)
            np.testing.assert_array_equal(gpu_fakes.consume(offsets), expected[0])
            np.testing.assert_array_equal(gpu_fakes.consume(indices), expected[1])


@pytest.mark.parametrize("counts", [(0, 5), (5, 0), (1, 1), (200, 40), (40, 200)])
def test_neighbors_between_two_sets_are_those_of_the_host(counts):
    points, other = points_of(counts[0]), points_of(counts[1], 2)
    for kind in (ByDlpack, ByInterface):
        for settings in ({}, {"period": (1, 1, 0)}, {"dimensions": 2, "half": True}):
            for _ in range(2):
                offsets, indices = broadphase.neighbors(kind(points), 0.2, kind(other), **settings)
                expected = broadphase.neighbors(points, 0.2, other, **settings)
                np.testing.assert_array_equal(gpu_fakes.consume(offsets), expected[0])
                np.testing.assert_array_equal(gpu_fakes.consume(indices), expected[1])


@pytest.mark.parametrize("rule", ["max", "min", "sum"])
@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_a_radius_per_point(count, rule):
    points, radii = points_of(count), points_of(count, 3)[:, 0].copy() * np.float32(0.2)
    for kind in (ByDlpack, ByInterface):
        for settings in ({}, {"period": (1, 1, 0), "half": True}):
            given = kind(radii)
            offsets, indices = broadphase.neighbors(kind(points), given, radius_rule=rule, **settings)
            expected = broadphase.neighbors(points, radii, radius_rule=rule, **settings)
            np.testing.assert_array_equal(gpu_fakes.consume(offsets), expected[0])
            np.testing.assert_array_equal(gpu_fakes.consume(indices), expected[1])
            assert kind is ByInterface or given.deleted == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [0, 1, 300])
def test_float64_is_compared_in_64_bits(count, kind):
    far = 2.0**24  # where float32 has whole numbers, and all of these boxes overlap
    boxes, other = far + boxes_of(count).astype(float), far + boxes_of(100, 2).astype(float)
    for settings in ({}, {"period": (1, 1, 1)}):
        for _ in range(2):
            found = gpu_fakes.consume(broadphase.pairs(kind(boxes), pair_order="sorted", **settings))
            expected = broadphase.pairs(boxes, pair_order="sorted", **settings)
            np.testing.assert_array_equal(found, expected)
            assert len(expected) < count * (count - 1) / 4 or count < 2
        found = gpu_fakes.consume(broadphase.pairs(kind(boxes), kind(other), pair_order="sorted", **settings))
        np.testing.assert_array_equal(found, broadphase.pairs(boxes, other, pair_order="sorted", **settings))
        found = broadphase.neighbors(kind(boxes[:, :3].copy()), 0.1 + 1e-13, half=bool(settings), **settings)
        expected = broadphase.neighbors(boxes[:, :3].copy(), 0.1 + 1e-13, half=bool(settings), **settings)
        for there, here in zip(found, expected):
            np.testing.assert_array_equal(gpu_fakes.consume(there), here)


def test_float64_touches_at_1e_12():
    for gap, pairs in ((0.0, 1), (1e-12, 0), (-1e-12, 1)):
        boxes = np.array([[0, 0, 0, 1, 1, 1], [1 + gap, 0, 0, 2, 1, 1]])
        assert len(broadphase.pairs(ByDlpack(boxes))) == len(broadphase.pairs(boxes)) == pairs
        assert len(broadphase.neighbors(ByDlpack(boxes[:, :3].copy()), 1.0)[1]) == 2 * pairs
    boxes[1, 0] = np.nan
    with pytest.raises(broadphase.BoxError, match="box 1 is invalid"):
        broadphase.pairs(ByDlpack(boxes))
    with pytest.raises(broadphase.BoxError, match="point 1 is invalid"):
        broadphase.neighbors(ByDlpack(boxes[:, :3].copy()), 1.0)
    for a, b in ((boxes, boxes_of(2)), (boxes_of(2), boxes)):
        with pytest.raises(broadphase.ArgumentError, match="boxes: these are float.., and those of other float.."):
            broadphase.pairs(ByDlpack(a), ByDlpack(b))


@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [ByDlpack, ByInterface])
def test_two_dimensions(kind, number, state):
    boxes, other = (boxes_of(count, count)[:, [0, 1, 3, 4]].astype(number, order="C") for count in (200, 90))
    for settings in ({}, {"period": (1, 1)}):
        found = gpu_fakes.consume(broadphase.pairs(kind(boxes), **settings))
        np.testing.assert_array_equal(in_order(found), in_order(broadphase.pairs(boxes, **settings)))
        found = gpu_fakes.consume(broadphase.pairs(kind(boxes), kind(other), **settings))
        np.testing.assert_array_equal(in_order(found), in_order(broadphase.pairs(boxes, other, **settings)))
    points, others = boxes[:, :2].copy(), other[:, :2].copy()
    for arguments in ((), (others,)) if number == np.float32 else ((),):
        offsets, indices = broadphase.neighbors(kind(points), 0.1, *(kind(a) for a in arguments))
        expected = broadphase.neighbors(points, 0.1, *arguments)
        np.testing.assert_array_equal(gpu_fakes.consume(offsets), expected[0])
        np.testing.assert_array_equal(gpu_fakes.consume(indices), expected[1])
    deep = boxes_of(5).astype(number)
    assert len(broadphase.pairs(kind(boxes[:0]), kind(deep))) == 0
    with pytest.raises(broadphase.ArgumentError, match="boxes and other: one has two dimensions and the other has three"):
        broadphase.pairs(kind(boxes), kind(deep))
    with pytest.raises(broadphase.ArgumentError, match="the setting is 3, but the coordinates have two dimensions"):
        broadphase.pairs(kind(boxes), dimensions=3)
    state.memory = state.used + 100
    with pytest.raises(MemoryError, match="not enough GPU memory"):
        broadphase.pairs(kind(boxes))
    state.memory = gpu_fakes.MEMORY


def test_settings_of_the_host_alone_are_left_to_it():
    boxes = boxes_of(50)
    found = broadphase.pairs(ByDlpack(boxes), method="bvh", threads=-1, pair_order="sorted")
    np.testing.assert_array_equal(gpu_fakes.consume(found), broadphase.pairs(boxes, pair_order="sorted"))


def test_results_of_a_library_that_is_not_known():
    boxes = boxes_of(80)
    expected = broadphase.pairs(boxes, pair_order="sorted")
    found = broadphase.pairs(ByInterface(boxes), pair_order="sorted")
    assert found.shape == expected.shape and len(found) == len(expected) and found.dtype == "uint32"
    assert found.device == 0 and found.__dlpack_device__() == (gpu_fakes.CUDA, 0)
    assert repr(found) == f"<broadphase.GpuArray of uint32, shape {expected.shape}, on GPU 0>"
    np.testing.assert_array_equal(gpu_fakes.read_interface(found), expected)
    for arguments in ({}, {"max_version": (0, 8)}, {"max_version": (1, 3)}, {"dl_device": (2, 0), "copy": False}):
        for stream in (None, -1, 0, 1, 2, 12345):
            np.testing.assert_array_equal(gpu_fakes.consume(found, stream, **arguments), expected)
    offsets, indices = broadphase.neighbors(ByInterface(points_of(9)), 0.01)
    assert (offsets.dtype, offsets.shape) == ("int64", (10,)) and (indices.dtype, indices.shape) == ("uint32", (0,))
    assert len(gpu_fakes.read_interface(indices)) == 0 and not gpu_fakes.read_interface(offsets).any()
    assert found.__dlpack__(1) is not None  # by place, as JAX has called it
    with pytest.raises(TypeError):
        broadphase.GpuArray()


def test_a_result_goes_where_an_array_does():
    """By either of its protocols; its numbers are no coordinates, and that is said."""
    found = broadphase.pairs(ByDlpack(boxes_of(30)))
    with pytest.raises(broadphase.UnsupportedError, match="boxes: .* float32 or float64; these are uint32"):
        broadphase.pairs(found)


@pytest.mark.parametrize("arguments, error", [({"stream": -2}, "stream: -2 is not a stream"), ({"stream": "x"}, None),
                                              ({"dl_device": (1, 0)}, "on GPU 0 and cannot be copied"),
                                              ({"dl_device": (2, 1)}, "on GPU 0"), ({"copy": True}, "only be shared"),
                                              ({"max_version": 1}, None), ({"other": 1}, "unexpected")])
def test_what_a_consumer_may_not_ask(arguments, error):
    found = broadphase.pairs(ByDlpack(boxes_of(30)))
    with pytest.raises((BufferError, TypeError, ValueError), match=error):
        found.__dlpack__(**arguments)


# ----------------------------------------------------------------------------------------------------------------------
# Libraries and streams


def test_pytorch_gets_its_own_tensors_with_a_sign_on_its_stream(monkeypatch, state):
    torch = gpu_fakes.install(monkeypatch, "torch", "Tensor", current=77)
    boxes, points = boxes_of(200), points_of(200)
    given = torch.Tensor(boxes)
    found = broadphase.pairs(given)
    assert type(found) is torch.Tensor and found.array.dtype == np.int32 and state.stream == 77
    assert given.streams == [77] and given.versions == [(1, 0)] and torch.asked == [0]
    np.testing.assert_array_equal(in_order(found.array), in_order(broadphase.pairs(boxes)))

    class Parameter(torch.Tensor):
        __module__ = "of_a_user"

    offsets, indices = broadphase.neighbors(Parameter(points), 0.2)
    assert (offsets.array.dtype, indices.array.dtype) == (np.int64, np.int32) and type(indices) is torch.Tensor
    np.testing.assert_array_equal(indices.array, broadphase.neighbors(points, 0.2)[1])
    torch = gpu_fakes.install(monkeypatch, "torch", "Tensor", current=0)
    given = torch.Tensor(boxes)
    broadphase.pairs(given, torch.Tensor(boxes))
    assert given.streams == [1] and state.stream == 1  # the default stream has no number 0


@pytest.mark.parametrize("name, of_class, stream", [("cupy", "ndarray", 88), ("jax", "ArrayImpl", 1),
                                                    ("jaxlib", "ArrayImpl", 1)])
def test_cupy_and_jax_get_their_own_arrays(monkeypatch, state, name, of_class, stream):
    module = gpu_fakes.install(monkeypatch, name, of_class, current=88)
    if name == "jaxlib":
        monkeypatch.setitem(sys.modules, "jax", module)
    given = getattr(module, of_class)(boxes_of(200))
    found = broadphase.pairs(given)
    assert type(found) is type(given) and found.array.dtype == np.uint32
    assert state.stream == stream and given.streams == [stream]
    np.testing.assert_array_equal(in_order(found.array), in_order(broadphase.pairs(given.array)))


def test_offsets_that_jax_would_cut_are_refused(monkeypatch):
    jax = gpu_fakes.install(monkeypatch, "jax", "ArrayImpl")
    offsets, _ = broadphase.neighbors(ByDlpack(points_of(5)), 0.1)
    library = broadphase.gpu.library_of(jax.ArrayImpl(points_of(5)))
    with pytest.raises(broadphase.UnsupportedError, match="jax_enable_x64"):
        library.convert(offsets, 2**31)
    jax.config.jax_enable_x64 = True
    assert len(library.convert(offsets, 2**31)) == 6


def test_the_stream_of_an_array_of_no_known_library(state):
    points = points_of(10)
    for stream, expected in ((None, 1), (1, 1), (2, 2), (4096, 4096)):
        broadphase.neighbors(ByInterface(points, stream), 0.1)
        assert state.stream == expected
    broadphase.neighbors(ByInterface(points, stream="left out"), 0.1)  # version 2 has none
    assert state.stream == 1
    given = ByDlpack(boxes_of(10)), ByDlpack(boxes_of(10))
    broadphase.pairs(*given)
    assert state.stream == 1 and given[0].streams == given[1].streams == [1]
    second = ByDlpack(boxes_of(10))
    broadphase.pairs(ByInterface(boxes_of(10), 64), second)  # the second waits for the first one's stream
    assert state.stream == 64 and second.streams == [64]
    broadphase.pairs(ByInterface(boxes_of(10), 64), ByInterface(boxes_of(10), 64))
    with pytest.raises(broadphase.ArgumentError, match="other: .* another stream"):
        broadphase.pairs(ByInterface(boxes_of(10), 64), ByInterface(boxes_of(10), 65))


def test_work_is_done_on_the_device_of_the_arrays(state):
    points = points_of(10)
    offsets, _ = broadphase.neighbors(ByDlpack(points, device=(2, 1)), 0.5)
    assert offsets.device == 1 and state.device == 0
    state.device = 1
    found = broadphase.pairs(ByDlpack(boxes_of(9)))
    assert found.device == 0 and state.device == 1
    state.device, state.other = 0, 1  # every address is on the second
    assert broadphase.pairs(ByInterface(boxes_of(9))).device == 1
    assert broadphase.pairs(ByDlpack(boxes_of(9), device=(13, 0))).device == 1


# ----------------------------------------------------------------------------------------------------------------------
# Memory


def test_what_comes_in_is_held_for_the_call_and_given_back_once():
    for kind in (ByDlpack, ByOldDlpack):
        good, other, bad = kind(boxes_of(40)), kind(boxes_of(40)), kind(np.full((3, 6), np.nan, np.float32))
        broadphase.pairs(good, other)
        assert (good.deleted, other.deleted) == (1, 1) and not good.kept and not other.kept
        with pytest.raises(broadphase.BoxError, match="box 0"):
            broadphase.pairs(bad)
        with pytest.raises(broadphase.BoxError):
            broadphase.pairs(good, bad)
        with pytest.raises(broadphase.ArgumentError):
            broadphase.pairs(kind(boxes_of(3)[:, :5]))
        assert (good.deleted, bad.deleted) == (2, 2) and not good.kept and not bad.kept
        assert sys.getrefcount(good) == 2


def test_results_live_as_long_as_somebody_holds_them(state):
    found = broadphase.pairs(ByDlpack(boxes_of(200)))
    broadphase.free_gpu_memory()  # of the context
    assert state.allocations == 1
    arrays = [gpu_fakes.consume(found), gpu_fakes.consume(found, max_version=(1, 0))]
    expected = arrays[0].copy()
    capsule = found.__dlpack__()  # that nobody takes
    del found
    assert state.allocations == 1
    np.testing.assert_array_equal(arrays.pop(), expected)
    np.testing.assert_array_equal(arrays.pop(), expected)
    assert state.allocations == 1
    del capsule
    gc.collect()
    assert state.allocations == 0


def test_a_consumer_may_let_go_in_another_thread(state):
    held = [gpu_fakes.consume(broadphase.pairs(ByDlpack(boxes_of(200))))]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    broadphase.free_gpu_memory()
    assert state.allocations == 0


def test_room_is_that_of_the_last_call(state):
    boxes = ByDlpack(boxes_of(3000))
    count = len(broadphase.pairs(boxes))
    assert state.searches and state.bytes == 8 * (count + 1)
    before = state.searches
    assert len(broadphase.pairs(boxes)) == count
    assert state.searches == before + 1 and 8 * count < state.bytes < 1.2 * 8 * count
    dense = np.zeros((3000, 6), dtype=np.float32)  # far more than expected, and then far less
    assert len(broadphase.pairs(ByDlpack(dense))) == 3000 * 2999 // 2 and state.searches == before + 3
    assert len(broadphase.pairs(boxes)) == count and state.searches == before + 5
    assert state.bytes == 8 * (count + 1)
    before = state.searches
    assert len(broadphase.pairs(ByDlpack(boxes_of(1)))) == 0 and state.searches == before + 1
    assert len(broadphase.pairs(ByDlpack(boxes_of(1)))) == 0 and state.searches == before + 2


def test_contexts_are_kept_for_the_last_settings(state):
    boxes = ByDlpack(boxes_of(20))
    for period in range(1, 9):
        broadphase.pairs(boxes, period=(period,) * 3)
    assert state.contexts == 4
    broadphase.pairs(boxes, period=(8, 8, 8))
    assert state.contexts == 4
    broadphase.free_gpu_memory()
    assert state.contexts == 0


def test_several_threads_at_once():
    sets = [boxes_of(400, seed) for seed in range(8)]
    expected = [len(broadphase.pairs(boxes)) for boxes in sets]
    wrong = []

    def work(boxes, count):
        for _ in range(30):
            if len(broadphase.pairs(ByInterface(boxes))) != count:
                wrong.append(count)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(sets, expected)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_no_leak_over_many_calls_long(state):
    boxes, points, wrong = ByDlpack(boxes_of(30)), ByInterface(points_of(30)), ByDlpack(boxes_of(3).astype(np.float16))

    def call(rounds):
        for _ in range(rounds):
            gpu_fakes.consume(broadphase.pairs(boxes))
            broadphase.pairs(boxes, boxes).__dlpack__(max_version=(1, 0))
            broadphase.neighbors(points, 0.2)[0].__cuda_array_interface__
            with pytest.raises(broadphase.UnsupportedError):
                broadphase.pairs(wrong)

    def counts():
        for given in (boxes, wrong):
            given.streams.clear()
            given.versions.clear()
        gc.collect()
        return sys.getallocatedblocks(), sys.getrefcount(boxes), sys.getrefcount(points)

    call(300)
    before, bytes_before = counts(), resident()
    call(5_000)
    after = counts()
    assert after[1:] == before[1:] and after[0] - before[0] < 2_000 and resident() - bytes_before < 4 << 20
    broadphase.free_gpu_memory()
    assert state.allocations == 0 and boxes.deleted == 3 * 5_300 and wrong.deleted == 5_300


# ----------------------------------------------------------------------------------------------------------------------
# Errors

BOXES = np.zeros((4, 6), dtype=np.float32)
POINTS = np.zeros((4, 3), dtype=np.float32)
RADII = np.ones(4, dtype=np.float32)
UNALIGNED = np.zeros(4 * 6 + 1, dtype=np.float32)
UNALIGNED = (UNALIGNED[1:] if UNALIGNED.ctypes.data % 8 == 0 else UNALIGNED[:-1]).reshape(4, 6)


@pytest.mark.parametrize("kind", [ByDlpack, ByInterface])
@pytest.mark.parametrize("boxes, error, sentence", [
    (BOXES.astype(np.float16), broadphase.UnsupportedError, "boxes: .* must be float32 or float64; these are float16"),
    (BOXES.astype(np.longdouble), broadphase.UnsupportedError, "float128"),
    (BOXES.astype(np.int32), broadphase.UnsupportedError, "int32"),
    (BOXES.astype(np.complex64), broadphase.UnsupportedError, "must be float32"),
    (BOXES[:, :5].copy(), broadphase.ArgumentError, r"boxes: expected rows of 6 .* found shape \(4, 5\)"),
    (BOXES[:, :3].copy(), broadphase.ArgumentError, r"\(N, 6\), or \(N, 4\) in two dimensions, found shape \(4, 3\)"),
    (BOXES[0].copy(), broadphase.ArgumentError, r"found shape \(6,\)"),
    (BOXES.reshape(1, 4, 6), broadphase.ArgumentError, r"found shape \(1, 4, 6\)"),
    (np.asfortranarray(BOXES), broadphase.ArgumentError, "do not lie one after the other"),
    (np.zeros((4, 12), np.float32)[:, :6], broadphase.ArgumentError, "do not lie one after the other"),
    (np.zeros((8, 6), np.float32)[::2], broadphase.ArgumentError, "do not lie one after the other"),
    (UNALIGNED, broadphase.ArgumentError, "multiple of 8 bytes"),
    (np.zeros((8, 6))[::2], broadphase.ArgumentError, "do not lie one after the other"),
    (np.zeros(4 * 48 + 4, np.uint8)[4:].view(np.float64).reshape(4, 6), broadphase.ArgumentError, "multiple of 8 bytes"),
])
def test_boxes_that_are_refused(kind, boxes, error, sentence):
    with pytest.raises(error, match=sentence):
        broadphase.pairs(kind(boxes))
    with pytest.raises(error, match=sentence.replace("boxes", "other")):
        broadphase.pairs(kind(BOXES), kind(boxes))


def test_rows_that_are_not_followed_may_be_anywhere():
    assert len(broadphase.pairs(ByDlpack(np.zeros((8, 6), np.float32)[::8]))) == 0
    assert len(broadphase.pairs(ByDlpack(np.zeros((0, 6), np.float32)))) == 0


def test_arrays_in_different_places():
    for a, b in ((ByDlpack(BOXES), BOXES), (BOXES, ByDlpack(BOXES)), (ByInterface(BOXES), BOXES.tolist())):
        with pytest.raises(broadphase.ArgumentError, match="on the host, and the other one on a GPU"):
            broadphase.pairs(a, b)
    with pytest.raises(broadphase.ArgumentError, match="boxes is on GPU 0, and other on GPU 1"):
        broadphase.pairs(ByDlpack(BOXES), ByDlpack(BOXES, device=(2, 1)))
    with pytest.raises(broadphase.ArgumentError, match="there is no GPU 7"):  # the library has two
        broadphase.pairs(ByDlpack(BOXES, device=(2, 7)))
    for other in (ByDlpack(BOXES, device=(10, 0)), ByDlpack(BOXES, device=(8, 0))):
        for call in (lambda: broadphase.pairs(other), lambda: broadphase.pairs(ByDlpack(BOXES), other),
                     lambda: broadphase.pairs(BOXES, other), lambda: broadphase.explain(other)):
            with pytest.raises(TypeError, match="not a CUDA GPU; copy it to the host"):
                call()


def test_an_array_on_the_host_stays_there():
    class OnHost(ByDlpack):
        def __array__(self, dtype=None, copy=None):
            return self.array

    for device in ((1, 0), (3, 0)):  # plain, and pinned
        assert isinstance(broadphase.pairs(OnHost(BOXES, device=device)), np.ndarray)


def test_capsules_that_are_refused():
    used = ByDlpack(BOXES)
    capsule = used.__dlpack__(stream=1, max_version=(1, 0))
    gpu_fakes.rename(capsule, gpu_fakes.USED_NAMES[True])
    used.__dlpack__ = None

    class Handing(ByDlpack):
        def __dlpack__(self, **_):
            return self.handed

    for handed in (capsule, None, 5):
        given = Handing(BOXES)
        given.handed = handed
        with pytest.raises(TypeError, match="boxes: __dlpack__ returned .* not an unused DLPack capsule"):
            broadphase.pairs(given)
    new = ByDlpack(BOXES, major=2)
    with pytest.raises(BufferError, match="DLPack of version 2 is not known"):
        broadphase.pairs(new)
    assert new.deleted == 1

    class Differentiated(ByDlpack):
        def __dlpack__(self, **_):
            raise BufferError("use tensor.detach()")

    with pytest.raises(BufferError, match="detach"):
        broadphase.pairs(Differentiated(BOXES))

    class Broken(ByDlpack):
        def __dlpack_device__(self):
            raise RuntimeError("no device for you")

    with pytest.raises(RuntimeError, match="no device for you"):
        broadphase.pairs(Broken(BOXES))


@pytest.mark.parametrize("said", [{"shape": "left out"}, {"typestr": "left out"}, {"data": None}, {"typestr": "f"},
                                  {"typestr": "<fx"}, {"typestr": "<f0"},
                                  {"shape": [4, 6]}, {"strides": 5}])
def test_an_interface_that_is_incomplete(said):
    class Incomplete(ByInterface):
        @property
        def __cuda_array_interface__(self):
            whole = dict(super().__cuda_array_interface__, **said)
            return {name: value for name, value in whole.items() if value != "left out"}

    with pytest.raises(TypeError, match="boxes: its __cuda_array_interface__ is incomplete"):
        broadphase.pairs(Incomplete(BOXES))


def test_interfaces_that_are_refused():
    with pytest.raises(broadphase.UnsupportedError, match="mask"):
        broadphase.pairs(ByInterface(BOXES, mask=ByInterface(BOXES)))

    class Elsewhere(ByInterface):
        @property
        def __cuda_array_interface__(self):
            return dict(super().__cuda_array_interface__, data=(8, False))

    with pytest.raises(broadphase.ArgumentError, match="boxes: its address is not in the memory of a GPU"):
        broadphase.pairs(Elsewhere(BOXES))


def test_what_only_the_host_can():
    given = ByDlpack(POINTS)
    for radius in (np.ones(4, np.float32), [0.1] * 4, "wide"):
        with pytest.raises(broadphase.ArgumentError, match="radius: this array is on the host, and the other one on a GPU"):
            broadphase.neighbors(given, radius)
    wide = ByDlpack(POINTS.astype(float))
    for call, what in ((lambda: broadphase.neighbors(wide, 0.1, wide), "between two sets"),
                       (lambda: broadphase.neighbors(wide, ByDlpack(RADII)), "with a radius for each point"),
                       (lambda: broadphase.neighbors(wide, ByDlpack(RADII.astype(float))), "with a radius for each point")):
        with pytest.raises(broadphase.UnsupportedError, match=f"neighbors {what}: .* float32, not float64; .* to the host"):
            call()
    for radius, sentence in ((given, r"one for each point, \(N,\), found shape \(4, 3\)"), (ByDlpack(RADII[:3]), "3 on GPU 0"),
                             (ByDlpack(RADII, device=(2, 1)), "on GPU 1, for 4 points on GPU 0"),
                             (ByDlpack(np.zeros(8, np.float32)[::2]), "one after the other"), (ByDlpack(-RADII), "radii")):
        with pytest.raises(broadphase.ArgumentError, match=sentence):
            broadphase.neighbors(given, radius)
    with pytest.raises(broadphase.UnsupportedError, match="float64"):
        broadphase.neighbors(given, ByDlpack(RADII.astype(float)))
    with pytest.raises(broadphase.UnsupportedError, match="between two sets of points it must be one number for all"):
        broadphase.neighbors(given, ByDlpack(RADII), given)
    for a, b in ((POINTS, given), (given, POINTS)):
        with pytest.raises(broadphase.ArgumentError, match="on the host, and the other one on a GPU"):
            broadphase.neighbors(a, 0.1, b)
    with pytest.raises(broadphase.ArgumentError, match="radius"):
        broadphase.neighbors(given, -1.0)
    with pytest.raises(TypeError):
        broadphase.neighbors(given, None)
    for settings in ({"margin": 0.1}, {"shape": "spheres"}, {"filter": lambda a, b: True}):
        with pytest.raises(broadphase.UnsupportedError, match="not on a CUDA device"):
            broadphase.pairs(ByDlpack(BOXES), **settings)
    world = broadphase.World()
    for call in (lambda: broadphase.explain(ByDlpack(BOXES)), lambda: world.add(ByInterface(BOXES)),
                 lambda: broadphase.neighbor_images(given, 0.1), lambda: broadphase.mesh_pairs(given, [[0, 1, 2]])):
        with pytest.raises(TypeError, match="in the memory of a GPU, .* copy it to the host"):
            call()


def test_failures_of_the_device(state):
    boxes = ByDlpack(boxes_of(300))
    broadphase.pairs(boxes)
    state.memory = state.used + 100
    with pytest.raises(MemoryError, match="not enough GPU memory: .* bytes"):
        broadphase.pairs(boxes)
    state.memory = gpu_fakes.MEMORY
    assert state.contexts == 1 and len(broadphase.pairs(boxes)) > 0
    state.fail = 1
    with pytest.raises(broadphase.InternalError, match="CUDA, sampling: unspecified launch failure"):
        broadphase.pairs(boxes)
    assert state.contexts == 0 and len(broadphase.pairs(boxes)) > 0  # a context that failed is not used again


# ----------------------------------------------------------------------------------------------------------------------
# The library itself

ASK = """
import sys, numpy
sys.path.insert(0, {tests!r})
import broadphase, gpu_fakes
try:
    print("found", len(broadphase.pairs(gpu_fakes.ByInterface(numpy.zeros((4, 6), numpy.float32)))))
except broadphase.Error as error:
    print(type(error).__name__, error)
"""


def asked(path):
    environment = {name: value for name, value in os.environ.items() if name != "BROADPHASE_CUDA_LIBRARY"}
    if path is not None:
        environment["BROADPHASE_CUDA_LIBRARY"] = str(path)
    tests = str(pathlib.Path(__file__).parent)
    return subprocess.run([sys.executable, "-c", ASK.format(tests=tests)], env=environment, check=True,
                          capture_output=True, text=True).stdout


def test_a_library_that_is_not_there(tmp_path):
    said = asked(tmp_path / "libnone.so")
    assert said.startswith("UnsupportedError arrays on a GPU need libbroadphase_cuda") and "libnone.so" in said
    for remedy in ("make python", "BROADPHASE_CUDA_LIBRARY", ".cpu()"):
        assert remedy in said


def test_a_library_that_is_another(tmp_path):
    assert "is not libbroadphase_cuda version" in asked("libm.so.6")
    whole = pathlib.Path(os.environ["BROADPHASE_CUDA_ON_HOST"]).read_bytes()
    version = broadphase.__version__.encode() + b"\0"
    (tmp_path / "old.so").write_bytes(whole.replace(version, b"0" * (len(version) - 1) + b"\0"))
    assert "they must be the same" in asked(tmp_path / "old.so")


def test_the_library_of_the_wheel_says_what_it_misses():
    """The real one, where it was built; on a machine with a GPU, that this array is not there."""
    said = asked(None)
    assert said.startswith(("UnsupportedError no CUDA device", "UnsupportedError arrays on a GPU need libbroadphase_cuda",
                            "ArgumentError boxes: its address is not in the memory of a GPU")), said


def test_the_bench_for_a_gpu_finds_the_same(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(pathlib.Path(os.environ["BROADPHASE_SOURCE"]) / "bench"))
    bench = pytest.importorskip("python_gpu")
    for name in ("torch", "cupy", "jax"):
        monkeypatch.setitem(sys.modules, name, None)
    assert bench.main(["--short", "a wheel"]) == bench.SKIPPED
    assert capsys.readouterr().out.startswith("skipped: no library with a GPU (torch: ")
    gpu_fakes.install(monkeypatch, "torch", "Tensor")
    monkeypatch.setattr(bench, "import_package", lambda wheel, folder: broadphase)
    assert bench.main(["--short", "a wheel"]) == 0
    said = capsys.readouterr().out
    assert said.count(" same") == 2 and "not used: cupy" in said
