"""Neighbours as codes for molecules and crystals list them: the quantities i, j, d, D, S of ase.neighborlist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import numpy

from ._core import ArgumentError, neighbor_images

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


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
    **settings: Any,
) -> Any:
    """All pairs of atoms closer than a cutoff, in place of ase.neighborlist.neighbor_list: the same arguments and results.

    `quantities` names the arrays to return: i and j (the atoms), d (distance), D (vector from i to j), S (shift of j in
    cells: D = positions[j] - positions[i] + S @ cell). They are sorted by i, then by j. `a` is an ase.Atoms, or
    anything with positions, cell, pbc and numbers, or an array of positions, with `cell`, `pbc` and `numbers` as further
    arguments; a cell may also be a, b, c, alpha, beta, gamma. `cutoff` is a number, or one radius for each atom (two atoms are neighbours if their spheres overlap), or a
    dict with a cutoff for each pair of elements, as symbols (with ASE) or numbers. An atom at exactly the cutoff does not
    count. `self_interaction` lists each atom as its own neighbour too; `max_nbins` has no meaning here. Settings are those of `neighbors`: threads=-1 ...

    >>> import broadphase
    >>> i, j, d, S = broadphase.neighbor_list("ijdS", [[0, 0, 0], [0.9, 0, 0]], 0.2, cell=(1, 1, 1), pbc=True)
    >>> i, j, d.round(6), S.tolist()
    (array([0, 1]), array([1, 0]), array([0.1, 0.1]), [[-1, 0, 0], [1, 0, 0]])
    >>> broadphase.neighbor_list("j", [[0, 0, 0], [0.9, 0, 0]], {(1, 8): 1.0}, numbers=[1, 8])
    array([1, 0])
    """
    unknown = set(quantities) - set("ijdDS")
    if unknown or not quantities:
        raise ArgumentError(f"quantities: expected letters of 'ijdDS', found {quantities!r}")
    positions = numpy.asarray(getattr(a, "positions", a), dtype=float)
    if positions.ndim != 2 and positions.size > 0:
        raise ArgumentError(f"positions: expected rows of x, y, z: (N, 3), found shape {positions.shape}")
    cell = getattr(a, "cell", cell) if cell is None else cell
    pbc = getattr(a, "pbc", False) if pbc is None else pbc
    if cell is None and numpy.any(pbc):
        raise ArgumentError("pbc: nothing can repeat without a cell")
    numbers = getattr(a, "numbers", None) if numbers is None else numbers

    radius, kinds, limit = _radius_and_kinds(cutoff, numbers, len(positions))
    offsets, indices, distances, vectors, shifts = neighbor_images(
        positions,
        radius,
        kinds=kinds,
        cell=None if cell is None else numpy.asarray(cell, dtype=float),
        periodic=numpy.asarray(pbc).astype(int) if cell is not None else None,
        distances=True,
        vectors="D" in quantities,
        shifts="S" in quantities,
        **settings,
    )
    first = numpy.repeat(numpy.arange(len(positions)), numpy.diff(offsets))
    found = {"i": first, "j": indices.astype(numpy.int64), "d": distances, "D": vectors, "S": shifts}
    closer = distances < limit(first, indices)
    if not closer.all():
        found = {name: None if array is None else array[closer] for name, array in found.items()}
    if self_interaction:
        everyone = numpy.arange(len(positions))
        found = _with_themselves(found, everyone[limit(everyone, everyone) > 0 * everyone])
    wanted = tuple(found[name] for name in quantities)
    return wanted if len(wanted) > 1 else wanted[0]


def _radius_and_kinds(cutoff: Any, numbers: Any, count: int) -> tuple[Any, Any, Any]:
    """What to search with, the kind of each atom, and a function that gives the exact limit of pairs."""
    if isinstance(cutoff, Mapping):
        table, kinds = _table_of_elements(cutoff, numbers)
        return table, kinds, lambda i, j: table[kinds[i], kinds[j]]
    if numpy.ndim(cutoff) == 0:
        radius = float(cutoff)
        return radius, None, lambda i, j: radius
    radii = numpy.asarray(cutoff, dtype=float)
    if radii.shape != (count,):
        raise ArgumentError(f"cutoff: expected one radius for each of the {count} atoms, found shape {radii.shape}")
    return 2.0 * float(radii.max(initial=0.0)), None, lambda i, j: radii[i] + radii[j]


def _table_of_elements(cutoffs: Mapping[tuple[Any, Any], float], numbers: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    if numbers is None:
        raise ArgumentError("cutoff: by elements, but the atoms have no numbers")
    elements, kinds = numpy.unique(numpy.asarray(numbers), return_inverse=True)
    place = {int(element): kind for kind, element in enumerate(elements)}
    table = numpy.zeros((max(len(elements), 1), max(len(elements), 1)))
    for (first, second), value in cutoffs.items():
        a, b = place.get(_number_of(first)), place.get(_number_of(second))
        if a is not None and b is not None:
            table[a, b] = table[b, a] = value
    return table, kinds


def _number_of(element: Any) -> int:
    if not isinstance(element, str):
        return int(element)
    from ase.data import atomic_numbers

    if element not in atomic_numbers:
        raise ArgumentError(f"cutoff: no element has the symbol {element!r}")
    return int(atomic_numbers[element])


def _with_themselves(found: dict[str, Any], atoms: NDArray[Any]) -> dict[str, Any]:
    """These atoms also as their own neighbours, at no distance."""
    nothing = numpy.zeros((len(atoms), 3))
    own = {"i": atoms, "j": atoms, "d": nothing[:, 0], "D": nothing, "S": nothing.astype(numpy.int32)}
    both: dict[str, Any] = {}
    for name, array in found.items():
        both[name] = None if array is None else numpy.concatenate([array, own[name]])
    order = numpy.lexsort((both["j"], both["i"]))
    return {name: None if array is None else array[order] for name, array in both.items()}
