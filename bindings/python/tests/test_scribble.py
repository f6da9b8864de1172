"""Another thread writes into the arrays that calls are given: wrong numbers are possible then, a crash is not.

The scribbler runs in a process of its own, so that a crash is a failed test and not the end of all of them.
BP_SCRIBBLE_SECONDS says for how long.
"""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import broadphase

N = 20_000


def jumping_boxes(rng):
    """The same objects small, large, near, far, flat, and as no boxes at all."""
    for scale, size in (40, 1), (1, 0.05), (3000, 0.01), (40, 4), (1e5, 1e-3):
        low = rng.random((N, 3)) * scale
        yield np.hstack([low, low + size])
    yield np.hstack([low + 1, low])
    yield np.full((N, 6), np.nan)


class Scribbled:
    """Arrays that a thread changes all the time, and every call that reads them."""

    def __init__(self, method, dtype):
        rng = np.random.default_rng(1)
        self.states = [state.astype(dtype) for state in jumping_boxes(rng)]
        self.boxes = self.states[0].copy()
        self.points = np.ascontiguousarray(self.boxes[:, :3])
        self.radii = np.full(N, 0.1, dtype)
        self.ids = np.arange(N, dtype=np.uint32)
        self.kinds = np.zeros(N, np.uint32)
        self.table = np.full((2, 2), 0.1)
        self.faces = rng.integers(0, N, (300, 3))
        self.world = broadphase.World(method=method)
        self.world.add(self.boxes)
        self.method, self.stop = method, False

    def scribble(self):
        step = 0
        while not self.stop:
            state = self.states[step % len(self.states)]
            self.boxes[:] = state
            self.points[:] = state[:, :3]
            self.radii[:] = (0.05, 0, 0.1, np.nan)[step % 4]
            self.ids[:] = np.arange(N) if step % 2 else 2**32 - 1
            self.kinds[:] = (0, 1, 2**31)[step % 3]
            self.table[:] = (0.1, 0.01, np.nan)[step % 3]
            self.faces[:, step % 3] = (0, N - 1, 2**40, -1)[step % 4]
            step += 1

    def calls(self):
        one, settings = self.boxes[:500], {"method": self.method, "threads": 2}
        cell = np.eye(3) * 40
        return [
            lambda: broadphase.pairs(self.boxes, **settings),
            lambda: broadphase.pairs(self.boxes, self.boxes[::2], **settings),
            lambda: broadphase.neighbors(self.points, 0.1, threads=2),
            lambda: broadphase.neighbors(self.points, self.radii, threads=2),
            lambda: broadphase.neighbor_images(self.points, self.table, kinds=self.kinds, cell=cell),
            lambda: broadphase.mesh_pairs(self.points, self.faces, threads=2),
            lambda: self.world.move(self.ids, self.boxes),
            lambda: self.world.move(self.boxes),
            lambda: self.world.set_object(self.ids[:300], user=self.faces[:, 0]),
            lambda: self.world.update().pairs,
            lambda: self.world.query_box(one),
            lambda: self.world.query_ray(one[:, :3], one[:, 3:], max_hits=3),
            lambda: self.world.query_cast(one, one[:, 3:], max_hits=3),
            lambda: self.world.query_nearest(one[:, :3], 3),
            lambda: self.world.boxes(self.ids),
        ]

    def run(self, seconds):
        """What came of the calls, by number and kind."""
        thread = threading.Thread(target=self.scribble)
        end, outcomes = time.monotonic() + seconds, {}
        thread.start()
        try:
            while time.monotonic() < end:
                for number, call in enumerate(self.calls()):
                    try:
                        call()
                        outcome = "found"
                    except (broadphase.Error, MemoryError) as error:
                        outcome = type(error).__name__
                    outcomes[number, outcome] = outcomes.get((number, outcome), 0) + 1
        finally:
            self.stop = True
            thread.join()
        return outcomes


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("method", ["auto", "split", "hierarchical-grid", "bvh"])
def test_a_thread_that_writes_during_calls_crashes_nothing(method, dtype):
    seconds = float(os.environ.get("BP_SCRIBBLE_SECONDS", "4")) / 8
    done = subprocess.run([sys.executable, "-X", "faulthandler", __file__, method, dtype, str(seconds)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "right", done.stdout


def test_arrays_are_copied_whatever_they_are():
    """The same answer for one array in all the ways in which it can be given."""
    rng = np.random.default_rng(2)
    low = rng.random((300, 3)).astype("f4")
    boxes = np.hstack([low, low + np.float32(0.1)])
    expected = broadphase.pairs(boxes, pair_order="sorted")
    wide = np.zeros((300, 12), "f4")
    wide[:, ::2] = boxes
    swapped = boxes.astype(">f4")
    read_only = boxes.copy()
    read_only.flags.writeable = False
    odd = np.zeros(boxes.nbytes + 1, np.uint8)[1:].view("f4").reshape(boxes.shape)
    odd[:] = boxes
    for given in (wide[:, ::2], np.asfortranarray(boxes), swapped, read_only, odd, boxes.astype("f8"), boxes.tolist()):
        np.testing.assert_array_equal(broadphase.pairs(given, pair_order="sorted"), expected)


if __name__ == "__main__":
    scribbled = Scribbled(sys.argv[1], sys.argv[2])
    print(scribbled.run(float(sys.argv[3])))
    # Nothing that was scribbled is left in the library: the same boxes give what a new world finds.
    scribbled.boxes[:] = scribbled.states[0]
    scribbled.world.move(scribbled.boxes)
    now = set(map(tuple, scribbled.world.update().pairs.tolist()))
    print("right" if now == set(map(tuple, broadphase.pairs(scribbled.boxes).tolist())) else "wrong")
