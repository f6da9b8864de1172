import copy
import pickle
import threading

import numpy as np
import pytest

import broadphase
from test_images import CELLS, brute_force


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_walk_beside_brute_force(name, dtype):
    cell, periodic = CELLS[name]
    rng = np.random.default_rng(4)
    points = rng.random((80, 3)).astype(dtype)
    near = broadphase.NeighborList(0.25, skin=0.06, cell=cell, periodic=periodic, distances=True, vectors=True, shifts=True)
    for step in range(12):
        offsets, indices, distances, vectors, shifts = near.update(points)
        rows, expected = brute_force(points.astype(np.float64), 0.25, np.asarray(cell, dtype=float), periodic, 2)
        first = np.repeat(np.arange(80), np.diff(offsets))
        np.testing.assert_array_equal(np.column_stack([first, indices, shifts]), rows)
        np.testing.assert_array_equal(vectors, expected)
        np.testing.assert_array_equal(distances, np.sqrt((expected[:, 0] ** 2 + expected[:, 1] ** 2) + expected[:, 2] ** 2))
        points = points + rng.uniform(-0.004, 0.004, points.shape).astype(dtype)
    assert 1 <= near.searches < 12 and "0.06" in repr(near)


def test_results_are_arrays_of_their_own():
    near = broadphase.NeighborList(1.0, skin=0.5, threads=2)
    first = near.update(np.zeros((4, 3)))
    kept = first[1].copy()
    near.update(np.arange(12.0).reshape(4, 3))
    np.testing.assert_array_equal(first[1], kept)
    assert first[2] is None and len(near.update(np.zeros((0, 3)))[1]) == 0


def test_kinds_cells_and_two_dimensions():
    rng = np.random.default_rng(2)
    points, kinds = rng.random((60, 3)), rng.integers(0, 2, 60)
    table = [[0.1, 0.3], [0.3, 0.2]]
    near = broadphase.NeighborList(table, skin=0.1, kinds=kinds, cell=(1, 1, 1), shifts=True, half=True)
    for cell in ((1, 1, 1), (1.2, 1, 1)):
        near.set_cell(cell)
        expected = broadphase.neighbor_images(points, table, kinds=kinds, cell=cell, shifts=True, half=True)
        for ours, theirs in zip(near.update(points), expected):
            np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(broadphase.ArgumentError, match="each of the 59 points"):
        near.update(points[:59])
    flat = broadphase.NeighborList(0.3, skin=0.1, dimensions=2, cell=(1, 1, 0), periodic=(1, 1, 0), distances=True)
    np.testing.assert_allclose(flat.update([[0.1, 0.5], [0.9, 0.5]])[2], 0.2)


def test_copies_go_their_own_way():
    points = np.random.default_rng(4).random((100, 3))
    near = broadphase.NeighborList(0.2, skin=0.05, cell=(1, 1, 1), distances=True)
    near.update(points)
    near.set_cell((1.5, 1, 1))
    for twin in pickle.loads(pickle.dumps(near)), copy.copy(near), copy.deepcopy(near):
        twin.set_cell((2, 1, 1))
        for one, cell in (near, (1.5, 1, 1)), (twin, (2, 1, 1)):
            expected = broadphase.neighbor_images(points, 0.2, cell=cell, distances=True)
            for a, b in zip(one.update(points)[:3], expected):
                np.testing.assert_array_equal(a, b)
        assert twin.searches == 1


def test_what_is_wrong_is_refused():
    for arguments in ((-1.0, 0.1), (1.0, -0.1), (1.0, np.nan)):
        with pytest.raises(broadphase.ArgumentError):
            broadphase.NeighborList(*arguments)
    with pytest.raises(TypeError):
        broadphase.NeighborList("far")
    near = broadphase.NeighborList(1.0)
    with pytest.raises(broadphase.BoxError, match="point 1"):
        near.update([[0, 0, 0], [np.nan, 0, 0]])
    with pytest.raises(broadphase.ArgumentError):
        near.set_cell((1, 2))
    assert near.searches == 0


def test_threads_take_turns():
    near = broadphase.NeighborList(0.1, skin=0.02)
    points = np.random.default_rng(1).random((20000, 3))
    refused = []

    def run():
        for _ in range(5):
            try:
                near.update(points)
            except broadphase.Error as error:
                refused.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all("in use" in text for text in refused) and near.searches == 1
