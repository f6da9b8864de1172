"""Arrays on a GPU: whose they are, on which stream their library works, and how results become its arrays.

No library is imported here that is not there already: an array of PyTorch comes from a program that has imported it.
"""

from __future__ import annotations

import os
import pathlib
import sys
from typing import TYPE_CHECKING, Any

from ._core import UnsupportedError

if TYPE_CHECKING:
    from ._core import GpuArray


class Library:
    """A library that is not known: results stay as they are, and work is done on the array's own stream, or the default one."""

    signed = False

    def stream(self, device: int) -> int:
        """The library's current stream in CUDA's numbers: 1 is the default stream. 0: it has none."""
        return 0

    def convert(self, found: GpuArray, most: int) -> Any:
        """An array of this library over the same memory; `most` is the largest number in it."""
        return found


class Torch(Library):
    """Numbers as int32: PyTorch before 2.3 has no uint32, and later ones can neither compare nor index with it."""

    signed = True

    def stream(self, device: int) -> int:
        return sys.modules["torch"].cuda.current_stream(device).cuda_stream or 1

    def convert(self, found: GpuArray, most: int) -> Any:
        return sys.modules["torch"].from_dlpack(found)


class CuPy(Library):
    def stream(self, device: int) -> int:
        return sys.modules["cupy"].cuda.get_current_stream(device).ptr or 1

    def convert(self, found: GpuArray, most: int) -> Any:
        return sys.modules["cupy"].from_dlpack(found)


class Jax(Library):
    """JAX has streams of its own, and makes the default stream wait for an array that is handed out."""

    def convert(self, found: GpuArray, most: int) -> Any:
        from jax import config, dlpack

        if most > 2**31 - 1 and found.dtype == "int64" and not config.jax_enable_x64:
            raise UnsupportedError(
                f"offsets up to {most} do not fit JAX's int32; set jax_enable_x64, and JAX keeps them as int64")
        return dlpack.from_dlpack(found)


_LIBRARIES = {"torch": Torch(), "cupy": CuPy(), "jax": Jax(), "jaxlib": Jax()}
_UNKNOWN = Library()


def library_of(array: object) -> Library:
    """The library of an array's class, or of one that it inherits from."""
    for kind in type(array).__mro__:
        library = _LIBRARIES.get(kind.__module__.partition(".")[0])
        if library is not None:
            return library
    return _UNKNOWN


def library_paths() -> list[str]:
    """Where libbroadphase_cuda is looked for: where the environment says, or beside this file and where the system looks."""
    named = os.environ.get("BROADPHASE_CUDA_LIBRARY")
    if named:
        return [named]
    return [str(pathlib.Path(__file__).with_name("libbroadphase_cuda.so")), "libbroadphase_cuda.so"]
