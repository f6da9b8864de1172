"""broadphase: of all these boxes, which pairs overlap? Every overlapping pair, exactly once.

>>> import broadphase
>>> broadphase.pairs([[0, 0, 0, 2, 2, 2], [1, 1, 1, 3, 3, 3], [5, 5, 5, 6, 6, 6]])
array([[0, 1]], dtype=uint32)

`pairs` and `neighbors` are single calls; a `World` keeps objects that move. Settings are
keyword arguments, listed in `Settings`: method="bvh", threads=-1, period=(10, 10, 0). Errors are subclasses of `Error`, with the message of the library.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable

from ._core import (
    ArgumentError,
    BoxError,
    Error,
    GpuArray,
    IdError,
    InternalError,
    UnsupportedError,
    Update,
    World,
    __version__,
    explain,
    free_gpu_memory,
    mesh_pairs,
    methods,
    neighbor_images,
    neighbors,
    pairs,
    tune,
)
from .atoms import neighbor_list
from .points import nearest_neighbors, neighbor_pairs
from .settings import Settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "ArgumentError",
    "BoxError",
    "Error",
    "GpuArray",
    "IdError",
    "InternalError",
    "Settings",
    "UnsupportedError",
    "Update",
    "World",
    "explain",
    "free_gpu_memory",
    "mesh_pairs",
    "methods",
    "nearest_neighbors",
    "neighbor_images",
    "neighbor_list",
    "neighbor_matrix",
    "neighbor_pairs",
    "neighbors",
    "pair_matrix",
    "pairs",
    "tune",
]


def _new_from(kind: type[World], file: Any, **settings: Any) -> World:
    return kind(**settings).load(file)


class _Load:
    """load(file): replaces this world by the one that `World.save` wrote, and returns it. On failure it is unchanged.

    World.load(file, **settings) makes a new world. Its dimensions, shape, margin and period must be those of the saved
    one; it may have another method.

    >>> import broadphase, io
    >>> world = broadphase.World()
    >>> ids = world.add([[0, 0, 0, 1, 1, 1]])
    >>> file = io.BytesIO()
    >>> world.save(file)
    >>> file.seek(0)
    0
    >>> broadphase.World.load(file, method="bvh").boxes(0)
    array([[0., 0., 0., 1., 1., 1.]])
    """

    def __get__(self, world: Any, kind: Any) -> Callable[..., World]:
        return functools.partial(_new_from, kind) if world is None else world._load  # type: ignore[no-any-return]


World.load = _Load()  # type: ignore[assignment]


def _count(rows: Any) -> int:
    """How many points an array has: one may come alone."""
    return 1 if rows.ndim == 1 and rows.size > 0 else len(rows)


def _box_count(rows: Any) -> int:
    """How many boxes: one may come alone, also as its two ends."""
    return 1 if rows.ndim == 2 and rows.shape[1] in (2, 3) else _count(rows)


def neighbor_matrix(points: ArrayLike, radius: ArrayLike, other: ArrayLike | None = None, **settings: Any) -> Any:
    """The neighbours of `neighbors` as a scipy.sparse.csr_array of True, a row for each point.

    >>> import broadphase
    >>> broadphase.neighbor_matrix([[0, 0, 0], [1, 0, 0], [5, 0, 0]], 1.0).toarray().astype(int)
    array([[0, 1, 0],
           [1, 0, 0],
           [0, 0, 0]])
    """
    import numpy
    from scipy.sparse import csr_array

    other = None if other is None else numpy.asarray(other)
    offsets, indices = neighbors(numpy.asarray(points), radius, other, **settings)
    rows = len(offsets) - 1
    columns = rows if other is None else _count(other)
    return csr_array((numpy.ones(len(indices), dtype=bool), indices.view(numpy.int32), offsets), shape=(rows, columns))


def pair_matrix(boxes: ArrayLike, other: ArrayLike | None = None, **settings: Any) -> Any:
    """The pairs of `pairs` as a scipy.sparse.csr_array with True at [a, b]; without `other`, only the upper half is filled.

    >>> import broadphase
    >>> broadphase.pair_matrix([[0, 0, 2, 2], [1, 1, 3, 3], [9, 9, 10, 10]]).toarray().astype(int)
    array([[0, 1, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    import numpy
    from scipy.sparse import csr_array

    settings["pair_order"] = "sorted"
    boxes = numpy.asarray(boxes)
    other = None if other is None else numpy.asarray(other)
    found = pairs(boxes, other, **settings)
    rows = _box_count(boxes)
    columns = rows if other is None else _box_count(other)
    offsets = numpy.searchsorted(found[:, 0], numpy.arange(rows + 1))
    indices = found[:, 1].astype(numpy.int32)
    return csr_array((numpy.ones(len(found), dtype=bool), indices, offsets), shape=(rows, columns))
