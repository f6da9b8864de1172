import numpy as np
import pytest

import broadphase
import brute_force


def check(found, expected):
    assert found[0].dtype == np.int64 and found[1].dtype == np.uint32
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("period", [None, (1.0, 1.0, 1.0), (0.0, 1.0, 0.0)])
@pytest.mark.parametrize("count", [0, 1, 2, 30, 700])
def test_neighbors_are_those_of_brute_force(count, period, half, dimensions, dtype):
    points = np.random.default_rng(count).random((count, dimensions)).astype(dtype)
    radius = 0.1875
    settings = {} if period is None else {"period": period[:dimensions]}
    check(broadphase.neighbors(points, radius, half=half, **settings),
          brute_force.neighbors(points, radius, period=period, half=half))


@pytest.mark.parametrize("rule", ["max", "min", "sum"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_radius_per_point(dtype, rule):
    rng = np.random.default_rng(1)
    points, radii = rng.random((400, 3)).astype(dtype), (0.2 * rng.random(400)).astype(dtype)
    wide = radii.astype(np.float64)
    combine = {"max": np.maximum, "min": np.minimum, "sum": np.add}[rule]
    expected = brute_force.neighbors(points, combine(wide[:, None], wide[None, :]))
    for given in (radii, radii.tolist(), np.repeat(radii, 2)[::2]):
        check(broadphase.neighbors(points, given, radius_rule=rule), expected)


@pytest.mark.parametrize("first", [np.float32, np.float64])
@pytest.mark.parametrize("second", [np.float32, np.float64])
def test_between_two_sets(first, second):
    rng = np.random.default_rng(2)
    a, b = rng.random((300, 3)).astype(first), rng.random((200, 3)).astype(second)
    check(broadphase.neighbors(a, 0.125, b), brute_force.neighbors(a, 0.125, b))
    check(broadphase.neighbors(a, 0.125, other=b[:0]), brute_force.neighbors(a, 0.125, b[:0]))


def test_a_radius_is_a_number_of_any_kind():
    points = np.random.default_rng(2).random((100, 3))
    expected = broadphase.neighbors(points, 0.25)
    for radius in np.float32(0.25), np.array(0.25), np.ma.array(0.25), np.full(100, 0.25):
        check(broadphase.neighbors(points, radius), expected)


def test_arrays_with_gaps_and_lists():
    points = np.random.default_rng(3).random((100, 3))
    expected = broadphase.neighbors(points, 0.2)
    for same in (np.hstack([points, points])[:, :3], np.asfortranarray(points), points.tolist()):
        check(broadphase.neighbors(same, 0.2), expected)


def test_what_is_wrong_is_refused():
    points = np.random.default_rng(3).random((100, 3))
    for radius in (-1.0, np.nan, np.inf):
        with pytest.raises(broadphase.ArgumentError, match="radius"):
            broadphase.neighbors(points, radius)
    with pytest.raises(broadphase.ArgumentError, match=r"one for each of the 100 points, found shape \(99,\)"):
        broadphase.neighbors(points, np.ones(99))
    with pytest.raises(TypeError, match="radius: expected a number, found NoneType"):
        broadphase.neighbors(points, None)
    with pytest.raises(broadphase.UnsupportedError, match="between two sets"):
        broadphase.neighbors(points, np.ones(100), points)
    with pytest.raises(broadphase.ArgumentError, match=r"found shape \(100, 4\)"):
        broadphase.neighbors(np.zeros((100, 4)), 1.0)
    with pytest.raises(TypeError):
        broadphase.neighbors(points)
    with pytest.raises(TypeError):
        broadphase.neighbors(points, "wide")
    points[17, 0] = np.nan
    with pytest.raises(broadphase.BoxError, match="17"):
        broadphase.neighbors(points, 0.1)


def test_a_filter_in_python():
    points = np.random.default_rng(5).random((200, 3))
    offsets, indices = broadphase.neighbors(points, 0.2, filter=lambda a, b: a % 2 == b % 2)
    rows = np.repeat(np.arange(200), np.diff(offsets))
    assert len(indices) > 0 and np.all(rows % 2 == indices % 2)


def test_a_sparse_matrix():
    pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(6)
    a, b = rng.random((150, 3)), rng.random((100, 3))
    near = brute_force.distances_squared(a, b) <= 0.25 ** 2
    np.testing.assert_array_equal(broadphase.neighbor_matrix(a, 0.25, b).toarray(), near)
    assert (broadphase.neighbor_matrix(a, 0.25) != broadphase.neighbor_matrix(a, 0.25).T).nnz == 0
