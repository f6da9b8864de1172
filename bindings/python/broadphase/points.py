"""Neighbours of points in other forms: pairs with distances, and the k nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from ._core import ArgumentError, World, neighbors

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def neighbor_pairs(
    points: ArrayLike, radius: ArrayLike, other: ArrayLike | None = None, *, distances: bool = False, **settings: Any
) -> Any:
    """The neighbours of `neighbors` as pairs: a (P, 2) array of uint32, each pair once, with a < b, sorted.

    With `distances`, (pairs, distances), of which the second are float64. With `other`, all pairs of a point and one of
    `other` within the radius.

    >>> import broadphase
    >>> broadphase.neighbor_pairs([[0, 0, 0], [1, 0, 0], [9.5, 0, 0]], 1.0, period=10.0, distances=True)
    (array([[0, 1],
           [0, 2]], dtype=uint32), array([1. , 0.5]))
    """
    rows = numpy.atleast_2d(numpy.asarray(points))
    others = rows if other is None else numpy.atleast_2d(numpy.asarray(other))
    offsets, indices = neighbors(rows, radius, None if other is None else others, half=other is None, **settings)
    first = numpy.repeat(numpy.arange(len(offsets) - 1, dtype=numpy.uint32), numpy.diff(offsets))
    pairs = numpy.column_stack([first, indices])
    if not distances:
        return pairs
    dimensions = settings.get("dimensions") or rows.shape[1]
    ways = others[indices, :dimensions].astype(float) - rows[first, :dimensions]
    return pairs, _lengths(ways, settings.get("period"))


def _lengths(ways: NDArray[Any], period: Any) -> NDArray[Any]:
    """How long ways are, the shortest where space repeats; a period has 32 bits in the library."""
    lengths = [period or 0] * 3 if numpy.ndim(period) == 0 else period
    for axis, length in zip(range(ways.shape[1]), numpy.asarray(lengths, dtype=numpy.float32).tolist()):
        if length > 0:
            ways[:, axis] -= length * numpy.round(ways[:, axis] / length)
    return numpy.asarray(numpy.sqrt((ways * ways).sum(axis=1)))


def nearest_neighbors(
    points: ArrayLike, k: int, other: ArrayLike | None = None, **settings: Any
) -> tuple[NDArray[numpy.uint32], NDArray[Any]]:
    """The k nearest other points of each point: (indices, distances), both (N, k), ascending by (distance, index).

    With `other`, the k nearest of its points. Distances have the dtype of the points, and points of float32 are answered by
    all `threads` together.

    >>> import broadphase
    >>> broadphase.nearest_neighbors([[0, 0], [1, 0], [3, 0]], 1)
    (array([[1],
           [0],
           [1]], dtype=uint32), array([[1.],
           [1.],
           [2.]]))
    """
    rows: Any = numpy.asarray(points)
    rows = rows if rows.dtype == numpy.float32 else rows.astype(float)
    others = rows if other is None else numpy.asarray(other, dtype=rows.dtype)
    itself = other is None
    for name, some in ("points", rows), ("other", others):
        if some.ndim != 2:
            raise ArgumentError(f"{name}: expected rows of x, y, z: (N, 3), or (N, 2), found shape {some.shape}")
    if not 1 <= k <= max(len(others) - itself, 0):
        raise ArgumentError(f"k: expected 1 to {len(others) - itself}, the number of other points, found {k}")
    world = World(events=False, **settings)
    world.add(numpy.hstack([others, others]))
    indices, distances = (found.reshape(len(rows), k + itself) for found in world.query_nearest(rows, k + itself)[1:])
    if not itself:
        return indices, distances
    own = indices == numpy.arange(len(rows))[:, None]
    own[:, k] |= ~own.any(axis=1)  # more than k points at one place: not all of them are listed
    return indices[~own].reshape(-1, k), distances[~own].reshape(-1, k)
