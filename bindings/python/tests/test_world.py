import copy
import gc
import io
import pickle
import signal
import threading
import weakref

import numpy as np
import pytest

import broadphase
import brute_force


def set_of(found):
    return {tuple(pair) for pair in found.tolist()}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_life_beside_brute_force(dimensions, dtype):
    rng = np.random.default_rng(dimensions)
    boxes = brute_force.random_boxes(rng, 200, dimensions, dtype)
    world = broadphase.World()
    np.testing.assert_array_equal(world.add(boxes), np.arange(200))
    last = set()
    for step in range(12):
        ids = np.sort(rng.choice(200, 40, replace=False))
        boxes[ids] = brute_force.random_boxes(rng, 40, dimensions, dtype)
        if step % 2:
            world.move(ids, boxes[ids])
        else:
            world.move(boxes)
        update = world.update()
        now = set_of(brute_force.pairs(boxes))
        assert set_of(update.pairs) == now and len(update.pairs) == len(now)
        assert set_of(update.begun) == now - last
        assert set_of(update.ended) == last - now
        last = now
    solid = boxes if dimensions == 3 else np.insert(boxes, [2, 4], 0, axis=1)
    np.testing.assert_array_equal(world.boxes(np.arange(200)), solid)


def test_removed_ids_are_given_again():
    world = broadphase.World()
    world.add(brute_force.random_boxes(np.random.default_rng(1), 10))
    world.remove([3, 5])
    assert len(world) == 8
    assert world.add(np.zeros((3, 6))).tolist() == [3, 5, 10]
    world.remove(np.uint32(10))
    assert len(world) == 10


def test_what_fails_changes_nothing():
    world = broadphase.World()
    world.add(brute_force.random_boxes(np.random.default_rng(1), 10))
    before = world.__getstate__()
    for call in (lambda: world.remove([1, 2, 77]), lambda: world.remove([1, 1]), lambda: world.remove(-1),
                 lambda: world.remove(2 ** 32 + 3), lambda: world.move([1, 99], np.zeros((2, 6))),
                 lambda: world.boxes([99]), lambda: world.set_object([1, 99], group=1)):
        with pytest.raises(broadphase.IdError):
            call()
    with pytest.raises(broadphase.BoxError):
        world.add([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, np.nan, 1]])
    for call in (lambda: world.move([1, 2], np.zeros((3, 6))), lambda: world.add(np.zeros((2, 6)), group=[1, 2, 3]),
                 lambda: world.add(np.zeros((2, 4))), lambda: world.add(np.zeros((2, 6)), mask=-1)):
        with pytest.raises(broadphase.ArgumentError):
            call()
    with pytest.raises(broadphase.IdError, match="ids: 4 occurs twice"):
        world.remove([4, 2, 4])
    for mask in np.arange(10) < 2, [True, False]:
        with pytest.raises(TypeError, match="found a mask"):
            world.remove(mask)
    for call in (lambda: world.remove("one"), lambda: world.remove(1.5), lambda: world.move(), lambda: world.add()):
        with pytest.raises((TypeError, ValueError)):
            call()
    assert world.__getstate__() == before


def test_results_stay_valid_or_raise():
    rng = np.random.default_rng(8)
    world = broadphase.World()
    boxes = brute_force.random_boxes(rng, 300)
    world.add(boxes)
    first = world.update()
    pairs = first.pairs
    kept = pairs.copy()
    unread = world.update()
    world.move(brute_force.random_boxes(rng, 300))
    world.update()
    np.testing.assert_array_equal(pairs, kept)
    assert first.pairs is pairs
    with pytest.raises(broadphase.Error, match="has changed since"):
        unread.pairs
    with pytest.raises(broadphase.Error, match="has changed since"):
        first.begun
    assert "pairs" in repr(first) and first.stats["pairs"] == len(kept)
    last = world.update()
    world.close()
    with pytest.raises(broadphase.Error):
        last.pairs


def test_without_events():
    world = broadphase.World(events=False)
    world.add(np.zeros((3, 6)))
    update = world.update()
    assert len(update.pairs) == 3
    with pytest.raises(broadphase.Error, match="events=False"):
        update.begun


def test_groups_masks_islands_and_static_objects():
    boxes = np.zeros((6, 6))
    world = broadphase.World()
    world.add(boxes, group=[1, 1, 2, 2, 4, 4], mask=[2, 2, 1, 1, 4, 4])
    assert set_of(world.update().pairs) == {(0, 2), (0, 3), (1, 2), (1, 3), (4, 5)}
    world.set_object([4, 5], island=[1, 2])
    assert (4, 5) not in set_of(world.update().pairs)
    world.set_object(np.arange(6), group=0, mask=0, island=0, static=[True, True, True, True, True, False])
    assert set_of(world.update().pairs) == {(i, 5) for i in range(5)}
    np.testing.assert_array_equal(world.query_box(np.zeros(6), group=1), np.arange(6))


def test_groups_and_masks_have_64_bits():
    world = broadphase.World()
    ids = world.add(np.zeros((3, 6)), group=[2**63, 2**32, 1], mask=np.array([2**32, 2**63, 0], np.uint64))
    assert set_of(world.update().pairs) == {(0, 1)}
    assert world.get_object(ids)["group"].tolist() == [2**63, 2**32, 1] and world.get_object(0)["mask"] == 2**32
    assert world.query_box(np.zeros(6), mask=2**63).tolist() == [0]
    assert world.query_box(np.zeros(6), group=2**32, mask=2**63 + 1).tolist() == [0, 2]


def test_what_set_object_is_not_told_stays():
    world = broadphase.World()
    ids = world.add(np.zeros((3, 6)), group=[1, 2, 3], mask=7, static=[True, True, False], island=4, user=[5, 6, 7])
    world.set_object(0, user=2**63)
    assert world.get_object(0) == {"group": 1, "mask": 7, "static": True, "island": 4, "user": 2**63}
    world.set_object([1, 2], group=[8, 16], static=False)
    found = world.get_object(ids)
    expected = {"group": [1, 8, 16], "mask": [7] * 3, "static": [True, False, False], "island": [4] * 3,
                "user": [2**63, 6, 7]}
    assert {name: column.tolist() for name, column in found.items()} == expected
    assert {name: column.dtype.name for name, column in found.items()} == {
        "group": "uint64", "mask": "uint64", "static": "bool", "island": "uint32", "user": "uint64"}
    world.set_object([], user=[])
    world.set_object(ids)
    assert world.get_object([])["user"].tolist() == [] and world.get_object(np.uint32(2)) == world.get_object(2)
    with pytest.raises(broadphase.IdError):
        world.get_object(3)
    assert set_of(world.update().pairs) == set()  # neither 8 nor 16 is among the bits of 7
    other = broadphase.World()
    other.add(world.boxes(ids), **world.get_object(ids))
    assert other.get_object(ids)["user"].tolist() == expected["user"]


@pytest.mark.parametrize("users", [[2**63, 5, 2**64 - 1], np.array([1, 2**63, 3], np.uint64), (True, 2**53 + 1, 0),
                                   np.array([1, 2**63, 3], ">u8"), np.array([7, 8, 9], "i2"),
                                   np.array([2**64 - 1, 0, 5], object), np.arange(6)[::2]])
def test_users_of_64_bits(users):
    world = broadphase.World()
    world.add(np.zeros((3, 6)), user=users)
    assert world.get_object([0, 1, 2])["user"].tolist() == [int(user) for user in users]


@pytest.mark.parametrize("name, wrong", [("user", -1), ("user", 2**64), ("user", [0, -5]), ("group", 2**64),
                                         ("user", [2**63, -1]), ("mask", -1), ("island", 2**32), ("island", np.array([2**63], np.uint64))])
def test_numbers_that_do_not_fit(name, wrong):
    world = broadphase.World()
    with pytest.raises(broadphase.ArgumentError, match=f"{name}: -?[0-9]+ is out of range"):
        world.add(np.zeros((2, 6)), **{name: wrong})
    for none in 1.5, "one", [1.5], [[1, 2]], {}:
        with pytest.raises((TypeError, ValueError)):
            world.add(np.zeros((2, 6)), **{name: none})
    assert len(world) == 0


def test_handles_are_never_used_again():
    world = broadphase.World()
    ids = world.add(np.zeros((5, 6)))
    handles = world.handle_of(ids)
    assert handles.dtype == np.uint64 and world.id_of(handles).tolist() == [0, 1, 2, 3, 4]
    assert world.handle_of(np.uint32(2)) == int(handles[2]) and world.id_of(int(handles[2])) == 2
    assert world.id_of(handles[2]) == 2 and world.id_of(handles.tolist()).dtype == np.uint32
    world.remove(2)
    assert world.add(np.zeros((1, 6))).tolist() == [2] and world.handle_of(2) != handles[2]
    for dead in handles[2], handles, [0], 2**64 - 1:
        with pytest.raises(broadphase.IdError, match="was removed, or never existed"):
            world.id_of(dead)
    for id in 5, [0, 7]:
        with pytest.raises(broadphase.IdError, match="no object with this id"):
            world.handle_of(id)
    world.update()
    world.clear()
    assert len(world) == 0 and world.ids.tolist() == [] and len(world.update().ended) == 10
    with pytest.raises(broadphase.IdError):
        world.id_of(handles[0])
    assert world.handle_of([]).tolist() == [] and world.id_of([]).tolist() == []


def test_room_that_is_made_and_given_back():
    boxes = brute_force.random_boxes(np.random.default_rng(1), 3000, size=0.3)
    world = broadphase.World()
    world.reserve(3000)
    world.add(boxes)
    expected = set_of(world.update().pairs)
    world.validate()
    world.trim()
    world.validate()
    update = world.update()
    assert set_of(update.pairs) == expected and len(update.begun) == 0
    for wrong, error in (-1, broadphase.ArgumentError), (2**70, OverflowError), ("many", TypeError):
        with pytest.raises(error):
            world.reserve(wrong)


def test_questions_see_what_a_static_object_would_meet():
    world = broadphase.World()
    world.add(np.zeros((3, 6)), static=[True, False, True])
    for static, expected in (None, [0, 1, 2]), (False, [0, 1, 2]), (True, [1]):
        assert world.query_box(np.zeros(6), static=static).tolist() == expected
        assert sorted(world.query_ray([-1, 0, 0], [1, 0, 0], static=static)[0].tolist()) == expected
        assert sorted(world.query_nearest(np.zeros((1, 3), np.float32), 3, static=static)[1].tolist()) == expected


def test_ids():
    world = broadphase.World()
    assert world.ids.tolist() == [] and world.ids.dtype == np.uint32
    world.add(np.zeros((5, 6)))
    world.remove([0, 3])
    assert world.ids.tolist() == [1, 2, 4]
    world.add(np.zeros((1, 6)))
    assert world.ids.tolist() == [0, 1, 2, 4]


def test_a_filter_in_python():
    world = broadphase.World(filter=lambda a, b: b == a + 1)
    world.add(np.zeros((5, 6)))
    assert set_of(world.update().pairs) == {(0, 1), (1, 2), (2, 3), (3, 4)}

    def into_the_world(a, b):
        return len(other.update().pairs)

    other = broadphase.World(filter=into_the_world)
    other.add(np.zeros((5, 6)))
    with pytest.raises(broadphase.Error, match="in use"):
        other.update()


def test_queries():
    rng = np.random.default_rng(4)
    boxes = brute_force.random_boxes(rng, 300)
    world = broadphase.World()
    world.add(boxes)
    for _ in range(20):
        box = brute_force.random_boxes(rng, 1, size=0.4)
        np.testing.assert_array_equal(world.query_box(box[0]), np.flatnonzero(brute_force.overlaps(box, boxes)[0]))
        point = rng.random(3).astype(np.float32)
        wide = boxes.astype(np.float64)
        gaps = np.maximum(0, np.maximum(wide[:, :3] - point, point - wide[:, 3:]))
        distances = np.sqrt((gaps ** 2).sum(axis=1)).astype(np.float32)
        order = np.lexsort((np.arange(300), distances))[:7]
        ids, near = world.query_nearest(point, 7)
        np.testing.assert_array_equal(ids, order)
        np.testing.assert_array_equal(near, distances[order])
    ids, t = world.query_ray([-1, 0.5, 0.5], [1, 0, 0])
    hit = (boxes[:, 1] <= 0.5) & (boxes[:, 4] >= 0.5) & (boxes[:, 2] <= 0.5) & (boxes[:, 5] >= 0.5)
    assert set(ids.tolist()) == set(np.flatnonzero(hit).tolist()) and np.all(np.diff(t) >= 0)
    first, _ = world.query_ray([-1, 0.5, 0.5], [1, 0, 0], max_hits=1)
    assert first.tolist() == ids[:1].tolist()
    assert len(world.query_ray([-1, 0.5, 0.5], [1, 0, 0], 0.5)[0]) == 0
    assert len(world.query_nearest([0, 0, 0], 1000)[0]) == 300
    assert len(broadphase.World().query_nearest([0, 0, 0], 3)[0]) == 0
    assert len(world.query_ray([-1, 0.5, 0.5], [1, 0, 0], max_hits=500)[0]) == len(ids)
    for call in (lambda: world.query_nearest([0, 0, np.nan]), lambda: world.query_nearest([0, 0, 0], 0),
                 lambda: world.query_ray([0, 0, 0], [0, 0, 0]),
                 lambda: world.query_ray(np.zeros((2, 3)), np.ones((3, 3)))):
        with pytest.raises(broadphase.ArgumentError):
            call()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_questions_are_single_ones_together(dtype):
    rng = np.random.default_rng(9)
    world = broadphase.World(threads=2)
    world.add(brute_force.random_boxes(rng, 500))
    world.update()
    boxes = brute_force.random_boxes(rng, 60, size=0.3).astype(dtype)
    points, directions = rng.random((60, 3)).astype(dtype), rng.normal(size=(60, 3)).astype(dtype)
    by_box, by_point = world.query_box(boxes), world.query_nearest(points, 5)
    by_ray, some = world.query_ray(points, directions), world.query_ray(points, directions[0], max_hits=2)
    for i in range(60):
        rows = [slice(*found[0][i:i + 2]) for found in (by_box, by_point, by_ray, some)]
        np.testing.assert_array_equal(by_box[1][rows[0]], world.query_box(boxes[i]))
        for found, row, single in ((by_point, rows[1], world.query_nearest(points[i], 5)),
                                   (by_ray, rows[2], world.query_ray(points[i], directions[i])),
                                   (some, rows[3], world.query_ray(points[i], directions[0], max_hits=2))):
            np.testing.assert_array_equal(found[1][row], single[0])
            np.testing.assert_array_equal(found[2][row], single[1])
    assert [len(part) for part in world.query_box(boxes[:0])] == [1, 0]
    assert [len(part) for part in world.query_nearest(points[:0])] == [1, 0, 0]
    boxes[7, 1] = np.nan
    with pytest.raises(broadphase.BoxError, match="7"):
        world.query_box(boxes)


def enters(low, high, origin, direction, max_t):
    """Where rays enter boxes, in 64 bits: t, or infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - origin) / direction, (high - origin) / direction
    first, last = np.minimum(a, b), np.maximum(a, b)
    still = direction == 0
    inside = (low <= origin) & (origin <= high)
    first = np.where(still, np.where(inside, -np.inf, np.inf), first).max(axis=1)
    last = np.where(still, np.where(inside, np.inf, -np.inf), last).min(axis=1)
    t = np.maximum(first, 0)
    return np.where((t <= last) & (t <= max_t), t, np.inf)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shift", [0, 1e9])
def test_rays_and_casts_beside_brute_force(dtype, shift):
    """Far from the origin 32 bits cannot tell the objects apart; questions in 64 bits can."""
    rng = np.random.default_rng(12)
    boxes = brute_force.random_boxes(rng, 300, dtype=np.float64) + shift
    world = broadphase.World()
    if dtype == np.float32 and shift:
        boxes -= shift
    world.add(boxes)
    moving = (brute_force.random_boxes(rng, 40, size=0.05) + (boxes.min() // 1)).astype(dtype)
    directions = rng.normal(size=(40, 3)).astype(dtype)
    directions[::5, 1] = 0
    as_rays = np.hstack([moving[:, :3], moving[:, :3]])
    for kind, ask, rows in (("ray", lambda *some, **more: world.query_ray(some[0][..., :3], *some[1:], **more), as_rays),
                            ("cast", world.query_cast, moving)):
        together = ask(rows, directions, 2.0)
        for i in range(40):
            ids, t = ask(rows[i], directions[i], 2.0)
            assert t.dtype == dtype, kind
            row = rows[i].astype(np.float64)
            expected = enters(boxes[:, :3] - row[3:], boxes[:, 3:] - row[:3], 0 * row[:3], directions[i].astype(np.float64), 2)
            assert set(ids.tolist()) == set(np.flatnonzero(expected < np.inf).tolist()), (kind, i)
            np.testing.assert_allclose(t, expected[ids], rtol=1e-5, atol=1e-6)
            assert np.all(np.diff(t) >= 0)
            part = slice(*together[0][i:i + 2])
            np.testing.assert_array_equal(together[1][part], ids)
            np.testing.assert_array_equal(together[2][part], t)
            np.testing.assert_array_equal(ask(rows[i], directions[i], 2.0, max_hits=2)[0], ids[:2])
    np.testing.assert_array_equal(world.query_cast(moving[0], directions)[0], world.query_cast(moving[:1].repeat(40, 0), directions)[0])


def test_boxes_to_query_are_compared_in_64_bits():
    world = broadphase.World()
    world.add(np.array([[0.1, 0, 0, 0.3, 1, 1]]))
    assert world.query_box([0.3, 0, 0, 1, 1, 1]).tolist() == [0]
    assert world.query_box([np.nextafter(0.3, 1), 0, 0, 1, 1, 1]).tolist() == []
    assert world.query_ray([0.3, 0.5, 0.5], [0, 0, 1])[0].tolist() == [0]
    assert world.query_nearest([0.3, 0.5, 0.5])[1].tolist() == [0]
    assert world.query_nearest([[0.5, 0.5, 0.5], [0, 0.5, 0.5]], 3)[2].tolist() == [0.5 - 0.3, 0.1]
    assert world.query_nearest([0.5, 0.5, 0.5])[1].dtype == np.float64
    assert world.query_nearest(np.full(3, 0.5, np.float32))[1].dtype == np.float32
    assert world.query_ray([np.nextafter(0.3, 1), 0.5, 0.5], [0, 0, 1])[0].tolist() == []
    flat = broadphase.World(dimensions=2)
    flat.add([[2, 0, 3, 1]])
    for direction in ([1, 0], np.array([1, 0], np.float32)):
        assert flat.query_cast([0, 0, 1, 1], direction)[1].tolist() == [1]


def test_casts_that_are_wrong():
    world = broadphase.World()
    world.add(np.zeros((2, 6)))
    for dtype in "f4", "f8":
        box, way = np.zeros(6, dtype), np.ones(3, dtype)
        with pytest.raises(broadphase.BoxError):
            world.query_cast(box - [0, 0, 0, 1, 0, 0], way)
        for wrong in (lambda: world.query_cast(box, 0 * way), lambda: world.query_cast(box, way, -1.0),
                      lambda: world.query_cast(box, way * np.nan), lambda: world.query_cast([box, box], [way] * 3)):
            with pytest.raises(broadphase.ArgumentError):
                wrong()
    assert [len(part) for part in world.query_cast(np.zeros((0, 6)), [1, 0, 0])] == [1, 0, 0]


def test_pairs_of():
    rng = np.random.default_rng(3)
    boxes = brute_force.random_boxes(rng, 300, size=0.6)
    world = broadphase.World()
    world.add(boxes)
    world.update()
    found = brute_force.overlaps(boxes, boxes)
    np.fill_diagonal(found, False)
    for id in range(300):
        np.testing.assert_array_equal(world.pairs_of(id), np.flatnonzero(found[id]))
    with pytest.raises(broadphase.IdError):
        world.pairs_of(300)
    with pytest.raises(broadphase.ArgumentError, match="id: expected one number"):
        world.pairs_of([1, 2])


def test_questions_that_are_wrong():
    world = broadphase.World()
    assert len(world.query_box(np.zeros(4))) == 0
    world.add(np.zeros((2, 6)))
    for call in (lambda: world.query_box(np.zeros(4)), lambda: world.query_nearest(np.zeros((3, 2))),
                 lambda: world.query_ray([0, 0, 0], [1, 0]), lambda: world.query_ray([0, 0], [1, 0, 0])):
        with pytest.raises(broadphase.ArgumentError, match="the coordinates have two"):
            call()
    for wrong in -1, 2 ** 64, 2 ** 80, "all", 1.5:
        with pytest.raises(broadphase.ArgumentError, match="mask: expected a whole number from 0 to 18446744073709551615, found "):
            world.query_box(np.zeros(6), mask=wrong)
    with pytest.raises(broadphase.ArgumentError, match="island: expected a whole number from 0 to 4294967295, found 4294967296"):
        world.query_box(np.zeros(6), island=2 ** 32)
    with pytest.raises(TypeError, match="max_t: expected a number, found list"):
        world.query_ray([0, 0, 0], [1, 0, 0], [1, 2])
    with pytest.raises(TypeError, match="budget: expected a number"):
        broadphase.tune(np.zeros((2, 6)), budget="short")


def test_save_load_and_pickle():
    rng = np.random.default_rng(6)
    world = broadphase.World(pair_order="sorted", method="bvh")
    world.add(brute_force.random_boxes(rng, 100), group=3, user=np.arange(100))
    expected = world.update().pairs
    file = io.BytesIO()
    file.write(b"before")
    world.save(file)
    file.write(b"after")
    file.seek(6)
    loaded = broadphase.World.load(file, pair_order="sorted")
    assert file.read() == b"after"
    np.testing.assert_array_equal(loaded.update().pairs, expected)
    assert len(loaded.update().begun) == 0
    file.seek(6)
    empty = broadphase.World()
    assert empty.load(file) is empty and len(empty) == 100
    twin = pickle.loads(pickle.dumps(world))
    np.testing.assert_array_equal(twin.update().pairs, expected)
    assert "bvh" in repr(twin)
    flat = broadphase.World()
    flat.add(np.zeros((2, 4)))
    assert len(pickle.loads(pickle.dumps(flat)).update().pairs) == 1
    with pytest.raises(broadphase.ArgumentError):
        broadphase.World.load(io.BytesIO(file.getvalue()[6:200]))
    with pytest.raises(broadphase.ArgumentError):
        broadphase.World.load(io.BytesIO(b""))
    with pytest.raises(AttributeError):
        world.save(3)

    class Broken:
        def write(self, data):
            raise OSError("full")

        def read(self, size):
            return "text"

    with pytest.raises(OSError, match="full"):
        world.save(Broken())
    with pytest.raises(TypeError):
        world.load(Broken())
    assert len(world) == 100


def test_with_len_repr_and_close():
    with broadphase.World() as world:
        world.add(np.zeros((2, 6)))
        assert len(world) == 2
        world.update()
        assert "2 objects" in repr(world) and "1 pairs" in repr(world)
        assert world.stats["pairs"] == 1 and world.explain().startswith("brute-force: with so few objects")
    assert "closed" in repr(world)
    for call in (world.update, world.__len__, lambda: world.add(np.zeros((1, 6))), lambda: world.query_box(np.zeros(6))):
        with pytest.raises(broadphase.Error, match="closed"):
            call()
    world.close()
    with pytest.raises(TypeError):
        broadphase.World(3)
    with pytest.raises(broadphase.ArgumentError):
        broadphase.World(method="none")


def test_a_world_in_a_cycle_is_collected():
    def watch(hold):
        holder = []
        world = broadphase.World(filter=lambda a, b: True if holder else True)
        world.add(np.zeros((4, 6)))
        holder.append(hold(world))
        return weakref.ref(world)

    for gone in watch(lambda world: world), watch(lambda world: world.update()):
        gc.collect()
        assert gone() is None


class Crowd(broadphase.World):
    __slots__ = ("street", "__dict__")

    def __init__(self, people, street="none", **settings):
        super().__init__(**settings)
        self.people, self.street = people, street
        self.add(people)


def test_a_subclass_begins_as_it_likes():
    crowd = Crowd(np.zeros((3, 4)), "main", pair_order="sorted")
    assert crowd.update().pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    crowd.friends = [1, 2]
    for twin in pickle.loads(pickle.dumps(crowd)), copy.copy(crowd), copy.deepcopy(crowd):
        assert type(twin) is Crowd and twin.street == "main" and twin.friends == [1, 2] and len(twin) == 3
        assert twin.update().pairs.tolist() == crowd.update().pairs.tolist()
    assert copy.copy(crowd).friends is crowd.friends and copy.deepcopy(crowd).friends is not crowd.friends

    class Forgetful(broadphase.World):
        def __init__(self):
            pass

    with pytest.raises(broadphase.Error, match=r"super\(\).__init__"):
        Forgetful().add(np.zeros((3, 4)))
    with pytest.raises(broadphase.Error, match="already initialised"):
        crowd.__init__(np.zeros((3, 4)))
    for wrong in None, (), ({}, b"", None), ({"method": "none"}, b"", None):
        with pytest.raises((TypeError, broadphase.ArgumentError)):
            broadphase.World.__new__(broadphase.World).__setstate__(wrong)


def test_a_state_is_a_copy_of_the_settings():
    world = broadphase.World(filter=lambda a, b: a == 0)
    world.add(np.zeros((3, 6)))
    world.__getstate__()[0].clear()
    gc.collect()
    assert set_of(world.update().pairs) == {(0, 1), (0, 2)}


def test_loaded_objects_keep_their_dimensions():
    world = broadphase.World()
    world.add(np.zeros((3, 6)))
    file = io.BytesIO()
    world.save(file)
    file.seek(0)
    for loaded in broadphase.World.load(file), pickle.loads(pickle.dumps(world)):
        with pytest.raises(broadphase.ArgumentError, match="dimensions"):
            loaded.add(np.zeros((1, 4)))
        assert len(loaded) == 3
    empty = pickle.loads(pickle.dumps(broadphase.World()))
    empty.add(np.zeros((1, 4)))
    assert "2 dimensions" in repr(empty)


@pytest.mark.parametrize("first, then", [(4, 6), (6, 4)])
def test_boxes_that_are_refused_decide_on_no_dimensions(first, then):
    for call in (lambda world, boxes: world.add(boxes), lambda world, boxes: world.move(boxes)):
        world = broadphase.World()
        with pytest.raises(broadphase.Error):
            call(world, np.full((2, first), np.nan))
        world.add(np.zeros((2, then)))
        assert f"{then // 2} dimensions" in repr(world)


def test_a_signal_that_changes_the_world_ends_what_was_found():
    boxes = brute_force.random_boxes(np.random.default_rng(1), 5000, size=0.02)
    world = broadphase.World()
    world.add(boxes)
    changed = []

    def change(number, frame):
        try:
            world.add(boxes)
            changed.append(len(world))
        except broadphase.Error:
            pass  # in use

    before = signal.signal(signal.SIGALRM, change)
    try:
        for _ in range(1000):
            world.move(boxes)
            signal.setitimer(signal.ITIMER_REAL, 0.0001)
            update = world.update()
            if changed:
                break
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert changed
    with pytest.raises(broadphase.Error, match="has changed since"):
        update.pairs


def test_threads_take_turns_or_are_told():
    boxes = brute_force.random_boxes(np.random.default_rng(1), 20000, size=0.02)
    world = broadphase.World()
    world.add(boxes)
    told = []

    def work():
        for _ in range(10):
            try:
                world.move(boxes)
                world.update()
            except broadphase.Error as error:
                told.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use" in text for text in told)
    assert len(world.update().pairs) == len(broadphase.pairs(boxes))


def test_several_threads_call_at_once():
    boxes = brute_force.random_boxes(np.random.default_rng(1), 5000, size=0.05)
    points = np.ascontiguousarray(boxes[:, :3])
    expected = broadphase.pairs(boxes), broadphase.neighbors(points, 0.05)[1]
    results = []

    def work():
        for _ in range(5):
            results.append((broadphase.pairs(boxes, threads=2), broadphase.neighbors(points, 0.05)[1]))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 30
    for result in results:
        np.testing.assert_array_equal(result[0], expected[0])
        np.testing.assert_array_equal(result[1], expected[1])
