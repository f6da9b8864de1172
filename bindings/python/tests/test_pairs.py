import numpy as np
import pytest

import broadphase
import brute_force

COUNTS = [0, 1, 2, 17, 300]


def in_order(found):
    return found[np.lexsort((found[:, 1], found[:, 0]))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("period", [None, (1.0, 1.0, 1.0), (0.0, 1.0, 0.0)])
@pytest.mark.parametrize("count", COUNTS)
def test_pairs_are_those_of_brute_force(count, period, dimensions, dtype):
    boxes = brute_force.random_boxes(np.random.default_rng(count), count, dimensions, dtype)
    settings = {} if period is None else {"period": period[:dimensions]}
    found = broadphase.pairs(boxes, **settings)
    assert found.dtype == np.uint32 and found.shape[1] == 2 and found.flags.writeable
    assert np.all(found[:, 0] < found[:, 1])
    np.testing.assert_array_equal(in_order(found), brute_force.pairs(boxes, period=period))


@pytest.mark.parametrize("first", [np.float32, np.float64])
@pytest.mark.parametrize("second", [np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_pairs_between_two_sets(first, second, dimensions):
    rng = np.random.default_rng(7)
    a = brute_force.random_boxes(rng, 200, dimensions, first)
    b = brute_force.random_boxes(rng, 150, dimensions, second)
    np.testing.assert_array_equal(broadphase.pairs(a, b, pair_order="sorted"), brute_force.pairs(a, b))
    assert broadphase.pairs(a, b[:0]).shape == (0, 2)
    assert broadphase.pairs(a[:0], b).shape == (0, 2)


def test_every_method_and_thread_count_finds_the_same():
    boxes = brute_force.random_boxes(np.random.default_rng(3), 400)
    expected = brute_force.pairs(boxes)
    for method in broadphase.methods():
        for threads in (1, 3):
            found = broadphase.pairs(boxes, method=method, threads=threads, pair_order="sorted")
            np.testing.assert_array_equal(found, expected, err_msg=method)


def test_arrays_with_gaps_other_dtypes_and_lists_are_copied():
    boxes = brute_force.random_boxes(np.random.default_rng(5), 100)
    expected = broadphase.pairs(boxes)
    wide = np.zeros((200, 12), dtype=np.float32)
    wide[::2, ::2] = boxes
    for same in (wide[::2, ::2], np.asfortranarray(boxes), boxes[::-1][::-1], boxes.astype(">f4"), boxes.tolist(),
                 boxes.astype(np.longdouble), memoryview(boxes)):
        np.testing.assert_array_equal(broadphase.pairs(same), expected)
    unaligned = np.frombuffer(b"x" + boxes.tobytes(), dtype=np.float32, offset=1).reshape(boxes.shape)
    np.testing.assert_array_equal(broadphase.pairs(unaligned), expected)
    whole = (boxes * 1000).astype(np.int32)
    np.testing.assert_array_equal(broadphase.pairs(whole), broadphase.pairs(whole.astype(np.float64)))
    readonly = boxes.copy()
    readonly.flags.writeable = False
    np.testing.assert_array_equal(broadphase.pairs(readonly), expected)


def test_infinite_and_touching_boxes():
    boxes = [[0, 0, 0, 1, 1, 1], [1, 1, 1, 2, 2, 2], [-np.inf, -np.inf, 0, np.inf, np.inf, 0]]
    assert broadphase.pairs(boxes, pair_order="sorted").tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize("wrong", [np.zeros((3, 5)), np.zeros(7), np.zeros((2, 3, 6)), 1.0, [[1, 2, 3]]])
def test_wrong_shapes_are_refused(wrong):
    with pytest.raises(broadphase.ArgumentError, match="boxes: expected rows of"):
        broadphase.pairs(wrong)


def test_wrong_kinds_are_refused():
    for wrong in ("text", [["a"] * 6], np.zeros((2, 6), dtype=complex), None, object()):
        with pytest.raises((TypeError, ValueError)):
            broadphase.pairs(wrong)


def test_the_sentence_names_the_argument_that_has_no_numbers():
    boxes = brute_force.random_boxes(np.random.default_rng(1), 3)
    with pytest.raises(TypeError, match="^boxes: expected numbers as float64, found complex128$"):
        broadphase.pairs(boxes.astype(complex))
    with pytest.raises(TypeError, match="^other: expected numbers as float64, found object$"):
        broadphase.pairs(boxes, [None])
    with pytest.raises(TypeError, match="^faces: expected numbers as int64, found float64$"):
        broadphase.mesh_pairs(boxes[:, :3], [[0.5, 1, 2]])


def test_what_is_behind_a_mask_is_not_taken():
    boxes = np.ma.masked_array(np.zeros((3, 6)), mask=False)
    assert len(broadphase.pairs(boxes)) == 3
    boxes[1, 2] = np.ma.masked
    for call in (lambda: broadphase.pairs(boxes), lambda: broadphase.pairs(boxes[:, :4]),
                 lambda: broadphase.pairs(np.zeros((1, 6)), boxes), lambda: broadphase.World().add(boxes)):
        with pytest.raises(broadphase.ArgumentError, match="masked; remove their rows"):
            call()
    assert len(broadphase.pairs(np.ma.compress_rows(boxes))) == 1
    for kind, call in {np.float64: lambda row: broadphase.neighbors(np.zeros((2, 3)), row),
                       np.int64: lambda row: broadphase.World().add(np.zeros((2, 6)), group=row),
                       np.uint32: lambda row: broadphase.World().remove(row)}.items():
        with pytest.raises(broadphase.ArgumentError, match="masked"):
            call(np.ma.masked_array(np.zeros(2, dtype=kind), mask=[False, True]))


def test_an_array_that_has_nothing_but_dlpack():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, stream=None, **more):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    boxes = brute_force.random_boxes(np.random.default_rng(1), 100, dtype=np.float64)
    expected = broadphase.pairs(boxes, pair_order="sorted")
    np.testing.assert_array_equal(broadphase.pairs(Tensor(boxes), pair_order="sorted"), expected)


def test_more_boxes_than_fit_are_refused_before_they_are_copied():
    many = 2 ** 32
    for call in (lambda: broadphase.pairs(np.broadcast_to(np.zeros(6), (many, 6))),
                 lambda: broadphase.pairs(np.broadcast_to(np.zeros(4, dtype=np.int8), (many, 4))),
                 lambda: broadphase.neighbors(np.broadcast_to(np.float32(0), (many, 2)), 1.0),
                 lambda: broadphase.World().add(np.broadcast_to(np.zeros(6), (many, 6)))):
        with pytest.raises(broadphase.ArgumentError, match="4294967296 exceed the limit of 4294967294"):
            call()


def test_the_sentence_names_the_box():
    boxes = brute_force.random_boxes(np.random.default_rng(1), 30)
    boxes[17, 2] = np.nan
    with pytest.raises(broadphase.BoxError, match="17"):
        broadphase.pairs(boxes)
    with pytest.raises(ValueError, match="17"):
        broadphase.pairs(boxes.astype(np.float64), boxes[:5])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_boxes_as_two_ends(dimensions, dtype):
    boxes = (40 * brute_force.random_boxes(np.random.default_rng(1), 200, dimensions, np.float64)).astype(dtype)
    ends = boxes.reshape(-1, 2, dimensions)
    expected = broadphase.pairs(boxes, pair_order="sorted")
    for given in ends, ends.tolist(), np.asfortranarray(ends):
        np.testing.assert_array_equal(broadphase.pairs(given, pair_order="sorted"), expected)
    np.testing.assert_array_equal(broadphase.pairs(ends, boxes), broadphase.pairs(boxes, ends))
    assert broadphase.pair_matrix(ends).shape == (200, 200) and broadphase.pair_matrix(ends[0]).shape == (1, 1)
    world = broadphase.World()
    assert len(world.add(ends)) == 200 and world.add(ends[0]).tolist() == [200]
    world.move([3, 4], ends[:2])
    np.testing.assert_array_equal(world.query_box(ends[7]), world.query_box(boxes[7]))
    assert len(world.query_box(ends[:7])) == 2
    assert len(broadphase.tune(ends, budget=0.01)) and len(broadphase.tune(np.stack([ends, ends]), budget=0.01))
    for wrong in np.zeros((3, 2, 4)), np.zeros((2, 2, 2, 2)), np.zeros((3, 3)), np.zeros((4, 3, 3)):
        with pytest.raises(broadphase.ArgumentError, match=r"\(N, 2, 3\)"):
            broadphase.pairs(wrong)


def test_settings_are_the_words_of_the_tool():
    boxes = brute_force.random_boxes(np.random.default_rng(1), 30)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'metod'. Did you mean 'method'\?"):
        broadphase.pairs(boxes, metod="bvh")
    with pytest.raises(broadphase.ArgumentError, match="unknown method 'bhv'"):
        broadphase.pairs(boxes, method="bhv")
    with pytest.raises(broadphase.ArgumentError, match="period: expected 3 values, found 1,2,3,4"):
        broadphase.pairs(boxes, period=[1, 2, 3, 4])
    with pytest.raises(TypeError, match="threads"):
        broadphase.pairs(boxes, threads=object())
    with pytest.raises(broadphase.ArgumentError, match="threads"):
        broadphase.pairs(boxes, threads=1.5)
    expected = broadphase.pairs(boxes, pair_order="sorted")
    for settings in ({"method": None}, {"threads": np.int64(2)}, {"margin": np.float32(0)}, {"period": np.zeros(3)},
                     {"method": "linked-cells", "cell_size": 0.5, "domain": [0, 0, 0, 2, 2, 2]}):
        np.testing.assert_array_equal(broadphase.pairs(boxes, pair_order="sorted", **settings), expected)


def test_arguments_are_checked():
    boxes = np.zeros((1, 6))
    for call in (lambda: broadphase.pairs(), lambda: broadphase.pairs(boxes, boxes, boxes),
                 lambda: broadphase.pairs(boxes, boxes=boxes), lambda: broadphase.pairs(boxes, filter=3)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(broadphase.ArgumentError, match="two dimensions"):
        broadphase.pairs(boxes, np.zeros((1, 4)))
    with pytest.raises(broadphase.ArgumentError, match="dimensions"):
        broadphase.pairs(np.zeros((1, 4)), dimensions=3)


def test_a_filter_in_python():
    boxes = brute_force.random_boxes(np.random.default_rng(2), 100)
    every = broadphase.pairs(boxes, pair_order="sorted")
    for threads in (1, 3):
        found = broadphase.pairs(boxes, filter=lambda a, b: (a + b) % 2, pair_order="sorted", threads=threads)
        np.testing.assert_array_equal(found, every[every.sum(axis=1) % 2 == 1])

    def fail(a, b):
        raise KeyError("no")

    with pytest.raises(KeyError, match="no"):
        broadphase.pairs(boxes, filter=fail)


def test_triangles_of_a_mesh():
    rng = np.random.default_rng(9)
    vertices, faces = rng.random((60, 3)), rng.integers(0, 60, (80, 3))
    corners = vertices[faces]
    boxes = np.hstack([corners.min(axis=1), corners.max(axis=1)])
    expected = broadphase.pairs(boxes, pair_order="sorted")
    for dtype in (np.int64, np.uint32, np.int32, np.uint8):
        found = broadphase.mesh_pairs(vertices, faces.astype(dtype), pair_order="sorted")
        np.testing.assert_array_equal(found, expected)
    apart = [pair for pair in expected.tolist() if not set(faces[pair[0]]) & set(faces[pair[1]])]
    assert broadphase.mesh_pairs(vertices, faces, adjacent=False, pair_order="sorted").tolist() == apart
    exact = vertices.astype(np.float32)
    corners = exact[faces]
    boxes = np.hstack([corners.min(axis=1), corners.max(axis=1)])
    np.testing.assert_array_equal(broadphase.mesh_pairs(exact, faces, pair_order="sorted"),
                                  broadphase.pairs(boxes, pair_order="sorted"))
    assert broadphase.mesh_pairs(vertices, []).shape == (0, 2)
    with pytest.raises(broadphase.ArgumentError, match="row 1 names vertex 60, but there are 60"):
        broadphase.mesh_pairs(vertices, [[0, 1, 2], [3, 60, 4]])
    with pytest.raises(broadphase.ArgumentError, match="faces: expected rows of three"):
        broadphase.mesh_pairs(vertices, [[0, 1, 2, 3]])
    vertices[5, 1] = np.nan
    with pytest.raises(broadphase.BoxError):
        broadphase.mesh_pairs(vertices, [[0, 1, 2], [3, 4, 5]])


def test_a_sparse_matrix_of_pairs():
    pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(4)
    a, b = brute_force.random_boxes(rng, 120), brute_force.random_boxes(rng, 80)
    np.testing.assert_array_equal(broadphase.pair_matrix(a).toarray(), np.triu(brute_force.overlaps(a, a), 1))
    np.testing.assert_array_equal(broadphase.pair_matrix(a, b).toarray(), brute_force.overlaps(a, b))


def test_a_matrix_of_one():
    pytest.importorskip("scipy.sparse", reason="no SciPy: scripts/setup python")
    box, point = np.zeros(6), np.zeros(3)
    assert broadphase.pair_matrix(box).shape == (1, 1)
    assert broadphase.pair_matrix(box, box).toarray().tolist() == [[True]]
    assert broadphase.pair_matrix(box, []).shape == (1, 0)
    assert broadphase.neighbor_matrix(np.zeros((2, 3)), 1.0, point).toarray().tolist() == [[True], [True]]


def test_explain_and_tune():
    boxes = brute_force.random_boxes(np.random.default_rng(4), 200)
    assert "bvh" in broadphase.explain(boxes, method="bvh")
    steps = np.stack([boxes, boxes + np.float32(0.01)])
    for scene in (boxes, steps, [boxes, boxes], steps.tolist()):
        ranked = broadphase.tune(scene, budget=0.02)
        assert ranked[0]["seconds"] > 0 and ranked[0]["runs"] > 0
        assert ranked[0]["settings"]["method"] in broadphase.methods()
        np.testing.assert_array_equal(
            broadphase.pairs(boxes, pair_order="sorted", **ranked[0]["settings"]), brute_force.pairs(boxes))
    with pytest.raises(broadphase.ArgumentError, match="as many boxes"):
        broadphase.tune([boxes, boxes[1:]])
    with pytest.raises(broadphase.BoxError):
        broadphase.tune(boxes[:, ::-1], budget=0.01)
