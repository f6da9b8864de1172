"""The types of the extension; its docstrings say what everything does."""

from typing import Any, Callable, Literal, Protocol, Self, Sequence, SupportsIndex, TypedDict, Unpack, final, overload

import numpy
from numpy.typing import ArrayLike, NDArray

from .settings import Method, Numbers, Real, Settings, Whole

__version__: str
_settings: dict[str, list[str]]

_Filter = Callable[[int, int], object]

class Error(Exception): ...
class ArgumentError(Error, ValueError): ...
class BoxError(Error, ValueError): ...
class IdError(Error, LookupError): ...
class UnsupportedError(Error, NotImplementedError): ...
class InternalError(Error, RuntimeError): ...

class _Writer(Protocol):
    def write(self, data: bytes, /) -> object: ...

class _Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...

class _OnGpu(Protocol):
    """An array in the memory of a GPU; results are arrays of the same library, or a GpuArray."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

class _Tuned(TypedDict):
    settings: Settings
    seconds: float
    spread: float
    runs: int
    steps: int

class _Object(TypedDict):
    group: int
    mask: int
    static: bool
    island: int
    user: int

class _Objects(TypedDict):
    group: NDArray[numpy.uint64]
    mask: NDArray[numpy.uint64]
    static: NDArray[numpy.bool_]
    island: NDArray[numpy.uint32]
    user: NDArray[numpy.uint64]

@overload
def pairs(boxes: _OnGpu, other: _OnGpu | None = None, **settings: Unpack[Settings]) -> Any: ...
@overload
def pairs(
    boxes: ArrayLike, other: ArrayLike | None = None, *, filter: _Filter | None = None, **settings: Unpack[Settings]
) -> NDArray[numpy.uint32]: ...
def mesh_pairs(
    vertices: ArrayLike, faces: ArrayLike, *, adjacent: bool = True, **settings: Unpack[Settings]
) -> NDArray[numpy.uint32]: ...
@overload
def neighbors(
    points: _OnGpu, radius: float | _OnGpu, other: _OnGpu | None = None, *, half: bool = False, **settings: Unpack[Settings]
) -> tuple[Any, Any]: ...
@overload
def neighbors(
    points: ArrayLike,
    radius: ArrayLike,
    other: ArrayLike | None = None,
    *,
    half: bool = False,
    filter: _Filter | None = None,
    **settings: Unpack[Settings],
) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...
def neighbor_images(
    points: ArrayLike,
    radius: ArrayLike,
    *,
    cell: ArrayLike | None = None,
    periodic: ArrayLike | None = True,
    kinds: ArrayLike | None = None,
    distances: bool = False,
    vectors: bool = False,
    shifts: bool = False,
    half: bool = False,
    filter: _Filter | None = None,
    **settings: Unpack[Settings],
) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], Any, Any, Any]: ...
def explain(
    boxes: ArrayLike, other: ArrayLike | None = None, *, filter: _Filter | None = None, **settings: Unpack[Settings]
) -> str: ...
def tune(steps: ArrayLike | Sequence[ArrayLike], *, budget: float = 1.0, **settings: Unpack[Settings]) -> list[_Tuned]: ...
def methods() -> dict[str, str]: ...
def free_gpu_memory() -> None: ...
@final
class GpuArray:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def device(self) -> int: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        stream: int | None = None,
        *,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

@final
class Update:
    @property
    def pairs(self) -> NDArray[numpy.uint32]: ...
    @property
    def begun(self) -> NDArray[numpy.uint32]: ...
    @property
    def ended(self) -> NDArray[numpy.uint32]: ...
    @property
    def stats(self) -> dict[str, Any]: ...

class World:
    def __init__(self, *, events: bool = True, filter: _Filter | None = None, **settings: Unpack[Settings]) -> None: ...
    def add(
        self,
        boxes: ArrayLike,
        *,
        group: ArrayLike | None = None,
        mask: ArrayLike | None = None,
        static: ArrayLike | None = None,
        island: ArrayLike | None = None,
        user: ArrayLike | None = None,
    ) -> NDArray[numpy.uint32]: ...
    def move(self, ids_or_boxes: ArrayLike, boxes: ArrayLike = ..., /) -> None: ...
    def remove(self, ids: ArrayLike, /) -> None: ...
    def clear(self) -> None: ...
    def reserve(self, count: SupportsIndex, /) -> None: ...
    def trim(self) -> None: ...
    def validate(self) -> None: ...
    @overload
    def handle_of(self, __ids: int | numpy.integer[Any]) -> int: ...
    @overload
    def handle_of(self, __ids: Sequence[int | numpy.integer[Any]] | NDArray[Any]) -> NDArray[numpy.uint64]: ...
    @overload
    def id_of(self, __handles: int | numpy.integer[Any]) -> int: ...
    @overload
    def id_of(self, __handles: Sequence[int | numpy.integer[Any]] | NDArray[Any]) -> NDArray[numpy.uint32]: ...
    def set_object(
        self,
        ids: ArrayLike,
        *,
        group: ArrayLike | None = None,
        mask: ArrayLike | None = None,
        static: ArrayLike | None = None,
        island: ArrayLike | None = None,
        user: ArrayLike | None = None,
    ) -> None: ...
    @overload
    def get_object(self, __ids: int | numpy.integer[Any]) -> _Object: ...
    @overload
    def get_object(self, __ids: Sequence[int | numpy.integer[Any]] | NDArray[Any]) -> _Objects: ...
    @property
    def ids(self) -> NDArray[numpy.uint32]: ...
    def boxes(self, ids: ArrayLike, /) -> NDArray[numpy.float64]: ...
    def update(self) -> Update: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    def explain(self) -> str: ...
    def query_box(
        self, boxes: ArrayLike, *, group: int | None = None, mask: int | None = None, static: bool | None = None, island: int | None = None
    ) -> Any: ...
    def query_ray(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_t: float = ...,
        *,
        max_hits: SupportsIndex | None = None,
        group: int | None = None,
        mask: int | None = None,
        static: bool | None = None,
        island: int | None = None,
    ) -> Any: ...
    def query_cast(
        self,
        boxes: ArrayLike,
        directions: ArrayLike,
        max_t: float = ...,
        *,
        max_hits: SupportsIndex | None = None,
        group: int | None = None,
        mask: int | None = None,
        static: bool | None = None,
        island: int | None = None,
    ) -> Any: ...
    def query_nearest(
        self,
        points: ArrayLike,
        k: SupportsIndex = 1,
        *,
        group: int | None = None,
        mask: int | None = None,
        static: bool | None = None,
        island: int | None = None,
    ) -> Any: ...
    def pairs_of(self, id: int | numpy.integer[Any], /) -> NDArray[numpy.uint32]: ...
    def save(self, file: _Writer, /) -> None: ...
    @classmethod
    def load(cls, file: _Reader, /, **settings: Unpack[Settings]) -> Self: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def __len__(self) -> int: ...
    def __getstate__(self) -> tuple[dict[str, Any], bytes, Any]: ...
    def __setstate__(self, state: tuple[dict[str, Any], bytes, Any], /) -> None: ...
