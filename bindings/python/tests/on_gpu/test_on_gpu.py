"""Arrays of PyTorch, CuPy and JAX on a real GPU. Each library that is not there, or sees no GPU, is listed as skipped."""

import gc

import numpy as np
import pytest

import broadphase


class OfTorch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch sees no GPU")

    def there(self, array):
        return self.torch.as_tensor(array, device="cuda")

    def back(self, tensor):
        assert type(tensor) is self.torch.Tensor and tensor.is_cuda
        return tensor.cpu().numpy()

    def free(self):
        self.torch.cuda.synchronize()
        return self.torch.cuda.mem_get_info()[0]

    def on_another_stream(self, array, call):
        """The array is still being computed, on a stream that is not the default one, when the call begins."""
        tensor, stream = self.there(array), self.torch.cuda.Stream()
        stream.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(stream):
            slow = self.torch.rand(4000, 4000, device="cuda")
            for _ in range(20):
                slow = (slow @ slow).clamp(0, 1)
            return call(tensor + 0 * slow[0, 0])


class OfCupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        try:
            assert self.cupy.cuda.runtime.getDeviceCount() > 0
        except Exception as error:
            pytest.skip(f"CuPy sees no GPU: {error}")

    def there(self, array):
        return self.cupy.asarray(array)

    def back(self, array):
        assert type(array) is self.cupy.ndarray
        return array.get()

    def free(self):
        self.cupy.cuda.Device().synchronize()
        return self.cupy.cuda.Device().mem_info[0]

    def on_another_stream(self, array, call):
        given = self.there(array)
        self.cupy.cuda.Device().synchronize()
        with self.cupy.cuda.Stream(non_blocking=True):
            slow = self.cupy.random.random((4000, 4000), dtype=np.float32)
            for _ in range(20):
                slow = (slow @ slow).clip(0, 1)
            return call(given + 0 * slow[0, 0])


class OfJax:
    def __init__(self):
        self.jax = pytest.importorskip("jax")
        try:
            self.device = self.jax.devices("gpu")[0]
        except RuntimeError as error:
            pytest.skip(f"JAX sees no GPU: {error}")

    def there(self, array):
        return self.jax.device_put(array, self.device)

    def back(self, array):
        assert isinstance(array, self.jax.Array) and list(array.devices()) == [self.device]
        return np.asarray(array)

    def free(self):
        return None  # JAX takes most of the memory beforehand

    def on_another_stream(self, array, call):
        numpy = self.jax.numpy
        slow = numpy.ones((4000, 4000), numpy.float32)
        for _ in range(20):
            slow = (slow @ slow).clip(0, 1)
        return call(self.there(array) + 0 * slow[0, 0])


@pytest.fixture(params=[OfTorch, OfCupy, OfJax], ids=["torch", "cupy", "jax"])
def library(request):
    return request.param()


def boxes_of(count, seed=1):
    rng = np.random.default_rng(seed)
    low = rng.random((count, 3), dtype=np.float32) * np.float32((2 * count) ** (1 / 3))
    return np.hstack([low, low + rng.random((count, 3), dtype=np.float32)])


def points_of(count, seed=1):
    return np.random.default_rng(seed).random((count, 3), dtype=np.float32) * np.float32(count ** (1 / 3))


@pytest.mark.parametrize("count", [0, 1, 10, 1000, 200_000])
@pytest.mark.parametrize("settings", [{}, {"period": (100, 100, 100)}])
def test_pairs(library, count, settings):
    a, b = boxes_of(count), boxes_of(1000, 2)
    for given in ((a,), (a, b)):
        expected = broadphase.pairs(*given, pair_order="sorted", **settings)
        found = broadphase.pairs(*map(library.there, given), pair_order="sorted", **settings)
        np.testing.assert_array_equal(library.back(found), expected)


@pytest.mark.parametrize("count", [0, 1, 10, 1000, 200_000])
@pytest.mark.parametrize("settings", [{}, {"half": True}, {"period": (60, 60, 60)}])
def test_neighbors(library, count, settings):
    points = points_of(count)
    expected = broadphase.neighbors(points, 1.5, **settings)
    found = broadphase.neighbors(library.there(points), 1.5, **settings)
    np.testing.assert_array_equal(library.back(found[0]), expected[0])
    np.testing.assert_array_equal(library.back(found[1]), expected[1])


@pytest.mark.parametrize("count", [0, 1, 1000, 20_000])
@pytest.mark.parametrize("settings", [{}, {"period": (60, 60, 60)}])
def test_float64(library, count, settings):
    a, b, points = (2.0**20 + array.astype(float) for array in (boxes_of(count), boxes_of(1000, 2), points_of(count)))
    if "float64" not in str(library.there(a).dtype):
        pytest.skip("JAX makes float32 of float64 unless jax_enable_x64 is set")
    for given in ((a,), (a, b)):
        expected = broadphase.pairs(*given, pair_order="sorted", **settings)
        found = broadphase.pairs(*map(library.there, given), pair_order="sorted", **settings)
        np.testing.assert_array_equal(library.back(found), expected)
    check_neighbors(library, (points, 1.5), **settings)


def check_neighbors(library, arguments, **settings):
    expected = broadphase.neighbors(*arguments, **settings)
    found = broadphase.neighbors(*(library.there(a) if isinstance(a, np.ndarray) else a for a in arguments), **settings)
    np.testing.assert_array_equal(library.back(found[0]), expected[0])
    np.testing.assert_array_equal(library.back(found[1]), expected[1])


@pytest.mark.parametrize("count", [0, 1, 1000, 200_000])
@pytest.mark.parametrize("settings", [{}, {"period": (60, 60, 60)}])
def test_two_sets_radii_and_two_dimensions(library, count, settings):
    points, other = points_of(count), points_of(5000, 2)
    check_neighbors(library, (points, 1.5, other), **settings)
    check_neighbors(library, (other, 1.5, points), **settings)
    radii = np.random.default_rng(4).random(count, dtype=np.float32)
    for rule in ("max", "min", "sum"):
        check_neighbors(library, (points, radii, None), radius_rule=rule, **settings)
    check_neighbors(library, (points[:, :2].copy(), 0.05, other[:, :2].copy()))
    flat = boxes_of(count)[:, [0, 1, 3, 4]].copy() * np.float32(10)
    found = broadphase.pairs(library.there(flat), pair_order="sorted")
    np.testing.assert_array_equal(library.back(found), broadphase.pairs(flat, pair_order="sorted"))


def test_an_array_that_is_not_ready_yet(library):
    points = points_of(100_000)
    expected = broadphase.neighbors(points, 1.5)
    found = library.on_another_stream(points, lambda given: broadphase.neighbors(given, 1.5))
    np.testing.assert_array_equal(library.back(found[1]), expected[1])


def test_no_memory_is_lost(library):
    boxes = library.there(boxes_of(200_000))

    def free_after(rounds):
        for _ in range(rounds):
            found = broadphase.pairs(boxes)
            del found
        gc.collect()
        broadphase.free_gpu_memory()
        return library.free()

    before = free_after(3)
    if before is None:
        pytest.skip("JAX does not say how much memory is free")
    assert free_after(200) >= before - (16 << 20)


def test_results_can_be_worked_with(library):
    boxes = boxes_of(1000)
    found = broadphase.pairs(library.there(boxes))
    expected = broadphase.pairs(boxes)
    assert int((found[:, 0] < found[:, 1]).sum()) == len(expected)
    rows = library.there(boxes)[found[:, 0]]  # as indices
    assert rows.shape == (len(expected), 6)


def test_what_is_refused(library):
    boxes = boxes_of(100)
    with pytest.raises(broadphase.UnsupportedError, match="float32"):
        broadphase.pairs(library.there(boxes.astype(np.float16)))
    with pytest.raises(broadphase.ArgumentError, match="on the host"):
        broadphase.pairs(library.there(boxes), boxes)
    boxes[17, 0] = np.nan
    with pytest.raises(broadphase.BoxError, match="17"):
        broadphase.pairs(library.there(boxes))
