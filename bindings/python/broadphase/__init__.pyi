"""The types of the package; its docstrings say what everything does."""

from typing import Any, Literal, Sequence, Unpack

from numpy.typing import ArrayLike

from ._core import ArgumentError as ArgumentError
from ._core import BoxError as BoxError
from ._core import Error as Error
from ._core import GpuArray as GpuArray
from ._core import IdError as IdError
from ._core import InternalError as InternalError
from ._core import UnsupportedError as UnsupportedError
from ._core import Update as Update
from ._core import World as World
from ._core import __version__ as __version__
from ._core import _Filter
from ._core import explain as explain
from ._core import free_gpu_memory as free_gpu_memory
from ._core import mesh_pairs as mesh_pairs
from ._core import methods as methods
from ._core import neighbor_images as neighbor_images
from ._core import neighbors as neighbors
from ._core import pairs as pairs
from ._core import tune as tune
from .atoms import neighbor_list as neighbor_list
from .points import nearest_neighbors as nearest_neighbors
from .points import neighbor_pairs as neighbor_pairs
from .settings import Method, Numbers, Real, Whole
from .settings import Settings as Settings

def neighbor_matrix(
    points: ArrayLike,
    radius: ArrayLike,
    other: ArrayLike | None = None,
    *,
    half: bool = False,
    filter: _Filter | None = None,
    **settings: Unpack[Settings],
) -> Any: ...
def pair_matrix(
    boxes: ArrayLike, other: ArrayLike | None = None, *, filter: _Filter | None = None, **settings: Unpack[Settings]
) -> Any: ...
