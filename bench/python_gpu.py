#!/usr/bin/env python3
"""Arrays of PyTorch, CuPy and JAX on a GPU, through the Python package, beside the C call and the processor.

usage: bench/python_gpu.py [--short] [WHEEL]      (default: the wheel in build/python, made by `make python`)

Boxes have about two pairs each, points about 30 neighbours. What is found must be what the processor finds. Times are the best
of some rounds; "C" is the same call of libbroadphase_cuda with memory for the results at hand, "processor" all cores.

Exit status: 0, 1 (something else was found), 77 (skipped: there is no GPU, or none of the libraries).
"""

import ctypes
import glob
import importlib
import os
import platform
import sys
import tempfile
import time

from python_peers import HERE, NEAR, cubes, import_package

SKIPPED = 77
RADIUS = 1.0


class OfTorch:
    def __init__(self):
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise RuntimeError("it sees no GPU")
        self.name = f"torch {self.torch.__version__}"
        self.gpu = self.torch.cuda.get_device_name()

    def there(self, array):
        return self.torch.as_tensor(array, device="cuda")

    def back(self, tensor):
        return tensor.cpu().numpy()

    def address(self, tensor):
        return tensor.data_ptr()


class OfCupy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.name = f"cupy {self.cupy.__version__}"
        self.gpu = self.cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def there(self, array):
        return self.cupy.asarray(array)

    def back(self, array):
        return array.get()

    def address(self, array):
        return array.data.ptr


class OfJax:
    def __init__(self):
        self.jax = importlib.import_module("jax")
        self.device = self.jax.devices("gpu")[0]
        self.name, self.gpu = f"jax {self.jax.__version__}", self.device.device_kind

    def there(self, array):
        return self.jax.block_until_ready(self.jax.device_put(array, self.device))

    def back(self, array):
        return importlib.import_module("numpy").asarray(array)

    def address(self, array):
        return array.unsafe_buffer_pointer()


def libraries():
    """Those that are there and see a GPU, and why others are not used."""
    found, reasons = [], []
    for kind in (OfTorch, OfCupy, OfJax):
        try:
            found.append(kind())
        except Exception as error:  # each library has its own way to say that there is no GPU
            reasons.append(f"{kind.__name__[2:].lower()}: {error}")
    return found, reasons


def best(call, rounds):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begin)
    return min(times), result


class CudaLibrary:
    """libbroadphase_cuda, called as C calls it."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.context = ctypes.c_void_p()
        self.check(self.library.bp_cuda_create(None, ctypes.byref(self.context)))
        self.found = ctypes.c_uint64()

    def close(self):
        self.library.bp_cuda_destroy(self.context)

    @staticmethod
    def check(status):
        if status != 0:
            raise RuntimeError(f"libbroadphase_cuda: status {status}")

    def memory(self, size):
        data = ctypes.c_void_p()
        self.check(self.library.bp_cuda_allocate(ctypes.c_size_t(size), ctypes.byref(data)))
        return data

    def seconds(self, call, size, rounds):
        """Of `call(results, capacity)`, once it is known how many results there are."""
        self.check(call(None, ctypes.c_uint64(0)))
        results, capacity = self.memory(size * (self.found.value + 1)), ctypes.c_uint64(self.found.value)
        seconds, status = best(lambda: call(results, capacity), rounds)
        self.check(status)
        self.library.bp_cuda_release(results)
        return seconds

    def pairs(self, address, count, rounds):
        boxes = ctypes.c_void_p(address), ctypes.c_size_t(count), None
        return self.seconds(
            lambda results, capacity: self.library.bp_cuda_find_pairs(
                self.context, *boxes, results, capacity, ctypes.byref(self.found)), 8, rounds)

    def neighbors(self, address, count, rounds):
        offsets = self.memory(8 * (count + 1))
        points = ctypes.c_void_p(address), ctypes.c_size_t(count), ctypes.c_float(RADIUS), None
        seconds = self.seconds(
            lambda results, capacity: self.library.bp_cuda_find_neighbors(
                self.context, *points, offsets, results, capacity, ctypes.byref(self.found)), 4, rounds)
        self.library.bp_cuda_release(offsets)
        return seconds


def in_order(numpy, pairs):
    return numpy.sort(pairs[:, 0].astype(numpy.uint64) << numpy.uint64(32) | pairs[:, 1].astype(numpy.uint64))


def row(what, count, library, seconds, found, same):
    ours, c_call, processor = (1e3 * s for s in seconds)
    print(f"{what:11} {count:9} {library.name:24} {ours:9.3f} {c_call:9.3f} {processor:12.3f} {found:11}  "
          f"{'same' if same else 'DIFFERENT'}", flush=True)
    return same


def compare(broadphase, numpy, all_of, cuda, count, rounds):
    boxes = cubes(numpy, count, 3).astype(numpy.float32)
    edge = numpy.float32((count * 4 / 3 * numpy.pi / NEAR) ** (1 / 3))
    points = numpy.random.default_rng(30).random((count, 3), dtype=numpy.float32) * edge
    pair_seconds, pairs = best(lambda: broadphase.pairs(boxes, threads=-1), 2)
    near_seconds, (offsets, indices) = best(lambda: broadphase.neighbors(points, RADIUS, threads=-1), 2)
    pairs, same = in_order(numpy, pairs), True
    for library in all_of:
        there = library.there(boxes)
        seconds, found = best(lambda: broadphase.pairs(there), rounds)
        c_call = cuda.pairs(library.address(there), count, rounds)
        same &= row("pairs", count, library, (seconds, c_call, pair_seconds), len(pairs),
                    numpy.array_equal(in_order(numpy, library.back(found)), pairs))
        del there, found
        there = library.there(points)
        seconds, found = best(lambda: broadphase.neighbors(there, RADIUS), rounds)
        c_call = cuda.neighbors(library.address(there), count, rounds)
        same &= row("neighbours", count, library, (seconds, c_call, near_seconds), len(indices),
                    numpy.array_equal(library.back(found[0]), offsets)
                    and numpy.array_equal(library.back(found[1]), indices))
        del there, found
        broadphase.free_gpu_memory()
    return same


def main(arguments):
    wheels = [a for a in arguments if a != "--short"] or glob.glob(os.path.join(HERE, "..", "build", "python", "*.whl"))
    if not wheels:
        sys.exit("no wheel in build/python: make python")
    all_of, reasons = libraries()
    if not all_of:
        print("skipped: no library with a GPU (" + "; ".join(reasons) + ")")
        return SKIPPED
    import numpy

    with tempfile.TemporaryDirectory() as folder:
        broadphase = import_package(wheels[0], folder)
        paths = importlib.import_module("broadphase.gpu").library_paths()
        cuda = CudaLibrary(next((path for path in paths if os.path.exists(path)), paths[-1]))
        print(f"broadphase {broadphase.__version__}, Python {platform.python_version()}; {all_of[0].gpu}")
        print("command: bench/python_gpu.py\n")
        print(f"{'what':11} {'count':>9} {'library':24} {'ours ms':>9} {'C ms':>9} {'processor ms':>12} {'found':>11}")
        same = True
        for count in (10_000,) if "--short" in arguments else (1_000_000, 10_000_000):
            same &= compare(broadphase, numpy, all_of, cuda, count, 5)
        cuda.close()
    for reason in reasons:
        print(f"not used: {reason}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
