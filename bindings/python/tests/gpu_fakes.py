"""Arrays "on a GPU", over the memory of the host, and the libraries that they would be of.

They say what a real array says, and note what is asked of them: streams, capsules handed out, deleters called.
"""

import ctypes
import os
import sys
import types
import weakref

import numpy as np

CUDA = 2


MEMORY = 4 << 30


class State(ctypes.Structure):
    """bp_cuda_on_host_state (cuda/tests/on_host/on_host.h), and what follows from it"""

    _fields_ = [(name, ctypes.c_uint64) for name in ("memory", "used", "allocations", "bytes", "pinned", "stream", "fail",
                                                     "open")]
    _fields_ += [("other", ctypes.c_int64)]

    @property
    def contexts(self):
        return self.pinned // 2

    @property
    def searches(self):
        """In one set, of something; all begin with a sample."""
        return sum(library().bp_cuda_on_host_launches(name) for name in (b"take_samples", b"sample_points"))

    @property
    def device(self):
        """The current one of this thread."""
        before = ctypes.c_int()
        library().bp_cuda_use_device(0, ctypes.byref(before))
        library().bp_cuda_use_device(before, None)
        return before.value

    @device.setter
    def device(self, device):
        library().bp_cuda_use_device(device, None)

    def reset(self):
        """Two devices; Python may read device memory, and all its memory is that of the first."""
        self.memory, self.fail, self.open, self.other, self.device = MEMORY, 0, 1, 0, 0


def library():
    loaded = ctypes.CDLL(os.environ["BROADPHASE_CUDA_ON_HOST"])
    loaded.bp_cuda_on_host_launches.restype = ctypes.c_uint64
    return loaded


def on_host():
    """What libbroadphase_cuda was asked for, and what its devices shall answer."""
    return State.in_dll(library(), "bp_cuda_on_host")


# ----------------------------------------------------------------------------------------------------------------------
# DLPack


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype = ctypes.c_char_p
name_of.argtypes = [ctypes.py_object]
rename = ctypes.pythonapi.PyCapsule_SetName
rename.argtypes = [ctypes.py_object, ctypes.c_char_p]

CODES = {"i": 0, "u": 1, "f": 2, "c": 5}
NAMES = {False: b"dltensor", True: b"dltensor_versioned"}
USED_NAMES = {False: b"used_dltensor", True: b"used_dltensor_versioned"}  # a capsule keeps the address of its name


class ByDlpack:
    """An array with __dlpack__; what it was asked for stands in `streams`, `versions`, and `deleted`."""

    def __init__(self, array, device=(CUDA, 0), versioned=True, major=1, flags=0, strides=True, offset=0):
        self.array, self.device = np.asarray(array), device
        self.versioned, self.major, self.flags, self.strides, self.offset = versioned, major, flags, strides, offset
        self.streams, self.versions, self.deleted, self.kept = [], [], 0, {}

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        self.versions.append(max_version)
        return self.capsule(self.versioned and max_version is not None)

    def tensor(self):
        array = self.array
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        kept = [shape, strides]
        return kept, Tensor(array.ctypes.data - self.offset, *self.device, array.ndim, CODES[array.dtype.kind],
                            8 * array.itemsize, 1, shape, strides if self.strides else None, self.offset)

    def capsule(self, versioned):
        kept, tensor = self.tensor()

        def delete(address):
            self.deleted += 1
            del self.kept[address]

        deleter = DELETER(delete)
        if versioned:
            block = Versioned(self.major, 0, None, deleter, self.flags, tensor)
        else:
            block = Managed(tensor, None, deleter)
        self.kept[ctypes.addressof(block)] = (block, deleter, kept)
        return new_capsule(ctypes.addressof(block), NAMES[versioned], None)

    def __len__(self):
        return len(self.array)


class ByOldDlpack(ByDlpack):
    """As libraries had it before versions: max_version is not known."""

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.capsule(False)


class WithBuffer(ByDlpack, bytearray):
    """As CuPy and JAX have them: what is on a GPU has the type of a buffer, too."""


class ByInterface:
    """An array with __cuda_array_interface__ alone, as numba has them."""

    def __init__(self, array, stream=None, **other):
        self.array, self.stream, self.other = np.asarray(array), stream, other

    @property
    def __cuda_array_interface__(self):
        said = dict(self.array.__array_interface__, version=3, stream=self.stream, **self.other)
        said["data"] = (said["data"][0], True)
        return {name: value for name, value in said.items() if value != "left out"}


def consume(exporter, stream=1, **arguments):
    """As a library takes an array over: a NumPy array over its memory, whose end calls the deleter."""
    capsule = exporter.__dlpack__(stream=stream, **arguments)
    versioned = name_of(capsule) == NAMES[True]
    address = pointer_of(capsule, NAMES[versioned])
    rename(capsule, USED_NAMES[versioned])
    block = (Versioned if versioned else Managed).from_address(address)
    tensor = block.tensor
    assert (tensor.device_type, tensor.device) == exporter.__dlpack_device__()
    shape = tuple(tensor.shape[: tensor.dimensions])
    strides = tuple(tensor.strides[: tensor.dimensions])
    kind = {0: "i", 1: "u"}[tensor.code]
    dtype = np.dtype(f"{kind}{tensor.bits // 8}")
    size = int(np.prod(shape)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(tensor.data)
    array = np.frombuffer(memory, dtype=dtype).reshape(shape)
    assert array.strides == tuple(s * dtype.itemsize for s in strides) or array.size == 0
    weakref.finalize(memory, block.deleter, address)
    return array


def read_interface(exporter):
    """A copy of the numbers, by __cuda_array_interface__."""
    said = exporter.__cuda_array_interface__
    assert said["version"] == 3 and said["strides"] is None and said["stream"] is None
    dtype, shape = np.dtype(said["typestr"]), said["shape"]
    size = int(np.prod(shape)) * dtype.itemsize
    if size == 0:
        assert said["data"] == (0, False)
        return np.empty(shape, dtype)
    return np.frombuffer(ctypes.string_at(said["data"][0], size), dtype=dtype).reshape(shape)


# ----------------------------------------------------------------------------------------------------------------------
# Libraries


class Stream:
    def __init__(self, number):
        self.cuda_stream = self.ptr = number


class Numbers(ByDlpack):
    """The array of a library, with the little that our pages and scripts use of one."""

    @property
    def shape(self):
        return self.array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def cpu(self):
        return self

    def numpy(self):
        return self.array

    def diff(self):
        return type(self)(np.diff(self.array))

    def float(self):
        return type(self)(self.array.astype(np.float32))

    def mean(self):
        return self.array.mean()

    def max(self):
        return self.array.max()


def array_library(name, of_class, current=0):
    """A module with a class of arrays, a current stream for each device, and from_dlpack."""
    module = types.ModuleType(name)
    kind = type(of_class, (Numbers,), {"__module__": f"{name}.core"})
    module.asked = []

    def current_stream(device):
        module.asked.append(device)
        return Stream(current)

    def from_dlpack(found):
        return kind(consume(found, stream=current or 1, max_version=(1, 0)), device=found.__dlpack_device__())

    def rand(*shape, device):
        assert device == "cuda"
        return kind(np.random.default_rng(7).random(shape, dtype=np.float32))

    def as_tensor(array, device):
        assert device == "cuda"
        return kind(array)

    setattr(module, of_class, kind)
    module.__version__ = "0 (of the tests)"
    module.from_dlpack, module.rand, module.as_tensor = from_dlpack, rand, as_tensor
    module.cuda = types.SimpleNamespace(current_stream=current_stream, get_current_stream=current_stream,
                                        is_available=lambda: True, get_device_name=lambda: "no GPU")
    module.dlpack = types.SimpleNamespace(from_dlpack=from_dlpack)
    module.config = types.SimpleNamespace(jax_enable_x64=False)
    return module


def install(monkeypatch, name, of_class, current=0):
    module = array_library(name, of_class, current)
    monkeypatch.setitem(sys.modules, name, module)
    return module
