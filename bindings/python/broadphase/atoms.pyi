"""The types of atoms.py."""

from typing import Any, Literal, Mapping, Sequence, Unpack

from numpy.typing import ArrayLike

from ._core import _Filter
from .settings import Method, Numbers, Real, Settings, Whole

def neighbor_list(
    quantities: str,
    a: Any,
    cutoff: float | Mapping[tuple[Any, Any], float] | ArrayLike,
    self_interaction: bool = False,
    max_nbins: float = 1e6,
    *,
    cell: ArrayLike | None = None,
    pbc: ArrayLike | None = None,
    numbers: ArrayLike | None = None,
    half: bool = False,
    filter: _Filter | None = None,
    **settings: Unpack[Settings],
) -> Any: ...
