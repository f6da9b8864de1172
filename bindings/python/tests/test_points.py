import numpy as np
import pytest

import broadphase
import brute_force


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("period", [None, 1.0, (1, 0.5), (0.5, 0, 1)])
def test_pairs_with_distances(dimensions, dtype, period):
    rng = np.random.default_rng(5)
    points, other = rng.random((150, dimensions)).astype(dtype), rng.random((80, dimensions)).astype(dtype)
    lengths = None
    if period is not None:
        lengths = ([period] * dimensions if np.isscalar(period) else list(period) + [0])[:dimensions]
    for second in None, other:
        near = np.sqrt(brute_force.distances_squared(points, points if second is None else second, lengths))
        expected = np.argwhere(near <= float(dtype(0.2)))
        if second is None:
            expected = expected[expected[:, 0] < expected[:, 1]]
        pairs, distances = broadphase.neighbor_pairs(points, 0.2, second, period=period, distances=True)
        assert pairs.dtype == np.uint32 and distances.dtype == np.float64
        np.testing.assert_array_equal(pairs, expected)
        np.testing.assert_allclose(distances, near[tuple(expected.T)], rtol=1e-12)
        np.testing.assert_array_equal(broadphase.neighbor_pairs(points, 0.2, second, period=period), expected)


def test_pairs_of_few_points():
    assert broadphase.neighbor_pairs(np.zeros((0, 3)), 1.0).shape == (0, 2)
    assert broadphase.neighbor_pairs([0, 0, 0], 1.0, [[1, 0, 0]], distances=True)[1].tolist() == [1]
    flat = broadphase.neighbor_pairs([[0, 0, 5], [1, 0, 9]], 1.0, dimensions=2, distances=True)
    assert [part.tolist() for part in flat] == [[[0, 1]], [1]]
    assert broadphase.neighbor_pairs([[0, 0], [1, 0]], 1.0, filter=lambda a, b: False).tolist() == []
    radii = broadphase.neighbor_pairs([[0, 0], [1, 0], [3, 0]], [0.4, 0.6, 0.1], radius_rule="sum")
    assert radii.tolist() == [[0, 1]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("period", [None, 1.0])
def test_the_nearest_points(dimensions, dtype, period):
    rng = np.random.default_rng(6)
    points, other = rng.random((150, dimensions)).astype(dtype), rng.random((80, dimensions)).astype(dtype)
    lengths = None if period is None else [period] * dimensions
    for second, k in (None, 1), (None, 7), (None, 149), (other, 1), (other, 80):
        near = np.sqrt(brute_force.distances_squared(points, points if second is None else second, lengths))
        if second is None:
            np.fill_diagonal(near, np.inf)
        near = near.astype(dtype)
        order = np.argsort(near, axis=1, kind="stable")[:, :k]
        indices, distances = broadphase.nearest_neighbors(points, k, second, period=period, threads=2)
        assert indices.dtype == np.uint32 and distances.dtype == dtype and indices.shape == distances.shape == (150, k)
        np.testing.assert_allclose(distances, np.take_along_axis(near, order, 1), rtol=1e-6)
        np.testing.assert_allclose(np.take_along_axis(near, indices, 1), distances, rtol=1e-6)
        assert second is not None or not np.any(indices == np.arange(150)[:, None])
        assert all(len(set(row)) == k for row in indices.tolist())


def test_many_points_at_one_place():
    indices, distances = broadphase.nearest_neighbors(np.zeros((20, 3)), 3)
    assert np.all(distances == 0) and not np.any(indices == np.arange(20)[:, None])
    for k in 0, 20, -1:
        with pytest.raises(broadphase.ArgumentError, match="k: expected 1 to 19"):
            broadphase.nearest_neighbors(np.zeros((20, 3)), k)
    with pytest.raises(broadphase.ArgumentError, match="points: expected rows"):
        broadphase.nearest_neighbors([0.0, 0.0], 1)
