import itertools

import numpy as np
import pytest

import broadphase

CELLS = {
    "cube": (np.eye(3), (True, True, True)),
    "skewed": (np.array([[1, 0.1, 0], [0.45, 1.1, 0.2], [-0.3, 0.4, 0.9]]), (True, True, True)),
    "slab": (np.diag([1.0, 1.0, 0.0]), (True, True, False)),
    "open": (np.zeros((3, 3)), (False, False, False)),
}


def brute_force(points, limit, cell, periodic, farthest=4):
    """Rows i, j, S, sorted; and the vectors."""
    ranges = [range(-farthest, farthest + 1) if p else (0,) for p in periodic]
    rows, vectors = [], []
    for shift in itertools.product(*ranges):
        moved = (shift[0] * cell[0] + shift[1] * cell[1]) + shift[2] * cell[2]
        vector = (points[None] - points[:, None]) + moved
        near = (vector[..., 0] ** 2 + vector[..., 1] ** 2) + vector[..., 2] ** 2 <= limit * limit
        if shift == (0, 0, 0):
            np.fill_diagonal(near, False)
        i, j = np.nonzero(near)
        rows.append(np.column_stack([i, j, np.tile(shift, (len(i), 1))]))
        vectors.append(vector[i, j])
    rows, vectors = np.concatenate(rows), np.concatenate(vectors)
    order = np.lexsort(rows.T[::-1])
    return rows[order], vectors[order]


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_images_are_those_of_brute_force(name, dtype):
    cell, periodic = CELLS[name]
    points = np.random.default_rng(1).random((90, 3)).astype(dtype)
    offsets, indices, distances, vectors, shifts = broadphase.neighbor_images(
        points, 0.375, cell=cell, periodic=periodic, distances=True, vectors=True, shifts=True, threads=2)
    rows, expected = brute_force(points.astype(np.float64), 0.375, cell, periodic)
    first = np.repeat(np.arange(90), np.diff(offsets))
    np.testing.assert_array_equal(np.column_stack([first, indices, shifts]), rows)
    np.testing.assert_array_equal(vectors, expected)
    np.testing.assert_allclose(distances, np.linalg.norm(expected, axis=1), rtol=1e-15)
    assert distances.dtype == np.float64 and shifts.dtype == np.int32


def test_only_what_is_asked_for():
    found = broadphase.neighbor_images(np.zeros((3, 3)), 1.0, distances=True)
    assert found[2].tolist() == [0.0] * 6 and found[3] is None and found[4] is None
    assert broadphase.neighbor_images(np.zeros((0, 3)), 1.0, cell=(1, 1, 1), shifts=True)[4].shape == (0, 3)
    half = broadphase.neighbor_images([[0.5, 0.5, 0.5]], 1.0, cell=(1, 1, 1), shifts=True, half=True)
    assert half[4].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    flat = broadphase.neighbor_images([[0.1, 0.5], [0.9, 0.5]], 0.3, cell=(1, 1, 0), periodic=(1, 1, 0), distances=True)
    np.testing.assert_allclose(flat[2], 0.2)


def test_kinds():
    rng = np.random.default_rng(2)
    points, kinds = rng.random((120, 3)), rng.integers(0, 2, 120)
    table = np.array([[0.1, 0.3], [0.3, 0.2]])
    offsets, indices, distances, _, _ = broadphase.neighbor_images(
        points, table, kinds=kinds, cell=(1, 1, 1), distances=True)
    everyone = broadphase.neighbor_images(points, 0.3, cell=(1, 1, 1), distances=True)
    first, all_first = (np.repeat(np.arange(120), np.diff(o)) for o in (offsets, everyone[0]))
    kept = everyone[2] <= table[kinds[all_first], kinds[everyone[1]]]
    np.testing.assert_array_equal(np.column_stack([first, indices]), np.column_stack([all_first, everyone[1]])[kept])
    np.testing.assert_array_equal(distances, everyone[2][kept])


def test_what_is_wrong_is_refused():
    points = np.random.default_rng(2).random((10, 3))
    for settings in ({"cell": (1, 1)}, {"cell": np.zeros((3, 3))}, {"cell": (1, 1, 1), "periodic": (1, 0)},
                     {"cell": np.ones((3, 3))}, {"period": (1, 1, 1)}, {"kinds": np.zeros(10)[:, None]}):
        with pytest.raises((broadphase.ArgumentError, TypeError)):
            broadphase.neighbor_images(points, 0.1, **settings)
    with pytest.raises(broadphase.ArgumentError, match="kinds"):
        broadphase.neighbor_images(points, [[1.0]], kinds=[0] * 9)
    with pytest.raises(broadphase.ArgumentError, match="is of kind 1"):
        broadphase.neighbor_images(points, [[1.0]], kinds=[1] * 10)
    with pytest.raises(broadphase.ArgumentError, match="quantities"):
        broadphase.neighbor_list("ijk", points, 1.0)
    with pytest.raises(broadphase.ArgumentError, match="no numbers"):
        broadphase.neighbor_list("ij", points, {(1, 1): 1.0})
    with pytest.raises(broadphase.ArgumentError, match="each of the 10 atoms"):
        broadphase.neighbor_list("ij", points, [1.0, 2.0])


def test_atoms_that_are_wrong():
    for one in [0, 0, 0], 5.0, np.zeros((1, 2, 3)):
        with pytest.raises(broadphase.ArgumentError, match="positions: expected rows"):
            broadphase.neighbor_list("ij", one, 1.1, cell=(1, 1, 1), pbc=True)
    with pytest.raises(broadphase.ArgumentError, match="without a cell"):
        broadphase.neighbor_list("ij", np.zeros((2, 3)), 1.0, pbc=(True, False, False))
    pytest.importorskip("ase.data", reason="no ASE: scripts/setup python")
    with pytest.raises(broadphase.ArgumentError, match="no element has the symbol 'Xy'"):
        broadphase.neighbor_list("ij", np.zeros((2, 3)), {("H", "Xy"): 1.0}, numbers=[1, 1])


def in_order(i, j, d, D, S):
    order = np.lexsort((*S.T, j, i))
    return i[order], j[order], d[order], D[order], S[order]


def systems():
    build = pytest.importorskip("ase.build", reason="no ASE: scripts/setup python")
    from ase import Atoms

    rng = np.random.default_rng(5)
    yield "copper", build.bulk("Cu", cubic=True) * (3, 3, 3), 4.0
    yield "one atom", build.bulk("Cu"), 7.1
    yield "salt", build.bulk("NaCl", "rocksalt", a=5.64) * (2, 2, 2), {("Na", "Cl"): 3.1, ("Na", "Na"): 4.5}
    yield "water", build.molecule("H2O"), {("H", "O"): 1.2, (1, 1): 0.5}
    yield "radii", Atoms("C60", positions=8 * rng.random((60, 3)), cell=(8, 8, 8), pbc=(1, 0, 1)), 0.4 + rng.random(60)
    skewed = Atoms("H80", scaled_positions=3 * rng.random((80, 3)) - 1,
                   cell=[[6, 0, 0], [2.5, 5, 0], [-1, 2, 5.5]], pbc=True)
    yield "skewed", skewed, 2.3
    surface = build.fcc111("Al", size=(3, 3, 3), vacuum=8.0)
    yield "surface", surface, 3.2


def test_in_place_of_ase():
    tried = 0
    for name, atoms, cutoff in systems():
        from ase.neighborlist import neighbor_list

        for own in (False, True):
            ours = in_order(*broadphase.neighbor_list("ijdDS", atoms, cutoff, own))
            theirs = in_order(*neighbor_list("ijdDS", atoms, cutoff, own))
            for a, b, exact in zip(ours, theirs, (True, True, False, False, True)):
                assert a.shape == b.shape, name
                (np.testing.assert_array_equal if exact else np.testing.assert_allclose)(
                    a, b, **({} if exact else {"atol": 1e-12}), err_msg=name)
            tried += 1
        by_name = {"quantities": "i", "a": atoms, "cutoff": cutoff, "self_interaction": False, "max_nbins": 1000}
        np.testing.assert_array_equal(broadphase.neighbor_list(**by_name), neighbor_list(**by_name))
    assert tried == 14


@pytest.mark.parametrize("cell", [(3, 4, 5, 90, 90, 90), (3, 4, 5, 80, 95, 110), (3, 3, 3, 60, 60, 60),
                                  np.array([3, 4, 5, 70, 90, 120], dtype=np.float32)])
def test_cells_of_six_numbers(cell):
    ase_cell = pytest.importorskip("ase.cell")
    points = np.random.default_rng(1).random((50, 3)) * 4
    edges = ase_cell.Cell.fromcellpar([float(number) for number in cell]).array
    asked = {"distances": True, "vectors": True, "shifts": True}
    found = broadphase.neighbor_images(points, 1.5, cell=cell, **asked)
    expected = broadphase.neighbor_images(points, 1.5, cell=edges, **asked)
    for one, other in zip(found, expected):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert len(broadphase.neighbor_list("i", points, 1.5, cell=cell, pbc=True)) == len(found[1])


@pytest.mark.parametrize("cell, said", [((1, 1, 1, 90, 90, 180), "one plane"), ((1, 1, 1, 10, 10, 90), "angles"),
                                        ((1, 1, 1, 90, np.nan, 90), "angles"), ((1, 1, 1, 0, 0, 0), "angles"),
                                        ((1, 1), "three lengths"), (np.zeros((2, 2)), "three lengths"), ("abc", "three lengths")])
def test_cells_that_are_none(cell, said):
    with pytest.raises(broadphase.ArgumentError, match=said):
        broadphase.neighbor_images(np.zeros((2, 3)), 1.0, cell=cell)
