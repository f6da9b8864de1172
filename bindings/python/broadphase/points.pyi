"""The types of points.py."""

from typing import Any, Literal, Sequence, Unpack, overload

import numpy
from numpy.typing import ArrayLike, NDArray

from ._core import _Filter
from .settings import Method, Numbers, Real, Settings, Whole

@overload
def neighbor_pairs(
    points: ArrayLike,
    radius: ArrayLike,
    other: ArrayLike | None = None,
    *,
    distances: Literal[False] = False,
    filter: _Filter | None = None,
    **settings: Unpack[Settings],
) -> NDArray[numpy.uint32]: ...
@overload
def neighbor_pairs(
    points: ArrayLike,
    radius: ArrayLike,
    other: ArrayLike | None = None,
    *,
    distances: Literal[True],
    filter: _Filter | None = None,
    **settings: Unpack[Settings],
) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float64]]: ...
def nearest_neighbors(
    points: ArrayLike, k: int, other: ArrayLike | None = None, **settings: Unpack[Settings]
) -> tuple[NDArray[numpy.uint32], NDArray[Any]]: ...
