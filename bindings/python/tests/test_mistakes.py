"""What a type checker finds raises at run time, too, in Python's words."""

import pathlib
import re

import numpy as np
import pytest

import broadphase

LINES = pathlib.Path(__file__).with_name("mistakes.py").read_text(encoding="utf-8").splitlines()
MISTAKES = [line.partition("  #")[0] for line in LINES if "type: ignore" in line]


def test_there_are_thirty():
    assert len(MISTAKES) >= 30


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_raises(line):
    boxes, points, world = np.zeros((3, 6), dtype=np.float32), np.zeros((3, 3)), broadphase.World()
    names = {"broadphase": broadphase, "boxes": boxes, "points": points, "world": world, "ids": world.add(boxes),
             "update": world.update()}
    with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
        exec(line, names)
    said = str(raised.value)
    assert "config" not in said and "bp_" not in said and "separated by commas" not in said and len(said) < 250


@pytest.mark.parametrize("call, said", [
    (lambda b: broadphase.pairs(b, thread=2), "pairs() got an unexpected keyword argument 'thread'. Did you mean 'threads'?"),
    (lambda b: broadphase.pairs(b, boxs=2), "pairs() got an unexpected keyword argument 'boxs'. Did you mean 'boxes'?"),
    (lambda b: broadphase.World(metod="bvh"), "World() got an unexpected keyword argument 'metod'. Did you mean 'method'?"),
    (lambda b: broadphase.World(event=1), "World() got an unexpected keyword argument 'event'. Did you mean 'events'?"),
    (lambda b: broadphase.World(xyz=1), "World() got an unexpected keyword argument 'xyz'"),
    (lambda b: broadphase.World(xyz=None), "World() got an unexpected keyword argument 'xyz'"),
    (lambda b: broadphase.pairs(b, flags=2), "pairs() got an unexpected keyword argument 'flags'"),
    (lambda b: broadphase.World().add(b, groups=1), "add() got an unexpected keyword argument 'groups'. Did you mean 'group'?"),
    (lambda b: broadphase.pairs(b, boxes=b), "pairs() got multiple values for argument 'boxes'"),
    (lambda b: broadphase.neighbors(b[:, :3]), "neighbors() missing required argument: 'radius'"),
    (lambda b: broadphase.pairs(b, b, b), "pairs() takes at most 2 positional arguments (3 given)"),
    (lambda b: broadphase.pairs(b, threads=object), "threads: expected text, a number, or several numbers, found type"),
])
def test_type_errors_in_words_of_python(call, said):
    with pytest.raises(TypeError) as raised:
        call(np.zeros((2, 6)))
    assert str(raised.value) == said


@pytest.mark.parametrize("call, said", [
    (lambda b: broadphase.pairs(b, threads=5000), "threads: must be from -1 (all cores) to 1024"),
    (lambda b: broadphase.pairs(b, cell_size=-4), "cell_size: must be positive and at most"),
    (lambda b: broadphase.pairs(b, domain=(1, 2)), "domain: expected 6 values, found 1,2"),
    (lambda b: broadphase.pairs(b, method="bhv"), "unknown method 'bhv' (did you mean 'bvh'?)"),
    (lambda b: broadphase.neighbor_images(b[:, :3], 1.0, period=1), "period: must be 0 here; cell says what repeats"),
    (lambda b: broadphase.tune(b, budget=-1), "budget: expected 0 or more seconds"),
])
def test_values_that_are_not_possible(call, said):
    with pytest.raises(broadphase.ArgumentError) as raised:
        call(np.zeros((2, 6)))
    assert str(raised.value).startswith(said)


def test_the_settings_are_those_of_the_library():
    """Each name of the library's table is a keyword of the stub, and no others."""
    table, annotations = broadphase._core._settings, broadphase.Settings.__annotations__
    assert set(table) == set(annotations)
    for name, choices in table.items():
        text = annotations[name].__forward_arg__.replace("Method", str(broadphase.settings.Method))
        words = [word for word in re.findall(r"[\"']([\w-]+)[\"']", text)]
        assert sorted(words) == sorted(choices), name
        broadphase.pairs(np.zeros((2, 6)), **{name: None})


def test_a_period_of_one_length():
    boxes = np.array([[0, 0, 0, 1, 1, 1], [9, 9, 9, 10, 10, 10]])
    assert broadphase.pairs(boxes).tolist() == []
    for period in 10, 10.0, np.float32(10), [10, 10, 10], np.full(3, 10):
        assert broadphase.pairs(boxes, period=period).tolist() == [[0, 1]]
    flat = boxes[:, [0, 1, 3, 4]]
    for period in 10, (10, 10), [10, 10, 0]:
        assert broadphase.pairs(flat, period=period).tolist() == [[0, 1]]
        world = broadphase.World(period=period)
        world.add(flat)
        assert world.update().pairs.tolist() == [[0, 1]]
