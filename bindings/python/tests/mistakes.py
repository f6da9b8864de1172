"""Thirty mistakes that a type checker must find: mypy --strict complains about a mark that hides none.

test_mistakes.py runs each marked line: it must raise there, too.
"""

import numpy as np

import broadphase

boxes = np.zeros((3, 6), dtype=np.float32)
points = np.zeros((3, 3))
world = broadphase.World()
ids = world.add(boxes)
update = world.update()

# Settings that there are not.
broadphase.pairs(boxes, thread=2)  # type: ignore[call-overload]
broadphase.pairs(boxes, sorted=True)  # type: ignore[call-overload]
broadphase.neighbors(points, 1.0, periodic=True)  # type: ignore[call-overload]
broadphase.neighbor_images(points, 1.0, cel=[1, 1, 1])  # type: ignore[call-arg]
broadphase.mesh_pairs(points, [[0, 1, 2]], adjacency=False)  # type: ignore[call-arg]
broadphase.explain(boxes, metod="bvh")  # type: ignore[call-arg]
broadphase.tune(boxes, seconds=2.0)  # type: ignore[call-arg]
broadphase.World(event=False)  # type: ignore[call-arg]
broadphase.neighbor_matrix(points, 1.0, half_list=True)  # type: ignore[call-arg]
broadphase.pair_matrix(boxes, margn=1.0)  # type: ignore[call-arg]
broadphase.neighbor_list("ij", points, 1.0, thread=2)  # type: ignore[call-arg]

# Values that a setting cannot have.
broadphase.pairs(boxes, method="bhv")  # type: ignore[call-overload]
broadphase.pairs(boxes, threads="all")  # type: ignore[call-overload]
broadphase.pairs(boxes, pair_order="descending")  # type: ignore[call-overload]
broadphase.World(dimensions=4)  # type: ignore[arg-type]
broadphase.World(shape="sphere")  # type: ignore[arg-type]
broadphase.World(margin="wide")  # type: ignore[arg-type]
broadphase.neighbors(points, 1.0, radius_rule="mean")  # type: ignore[call-overload]
broadphase.World(period={"x": 1.0})  # type: ignore[arg-type]

# Arguments that are missing, too many, or of another kind.
broadphase.pairs()  # type: ignore[call-overload]
broadphase.neighbors(points)  # type: ignore[call-overload]
broadphase.pairs(boxes, boxes, boxes)  # type: ignore[call-overload]
broadphase.World(boxes)  # type: ignore[misc, arg-type]
broadphase.pairs(boxes, filter=3)  # type: ignore[call-overload]
world.query_ray([0, 0, 0])  # type: ignore[call-arg]
world.query_nearest(points, k=2.5)  # type: ignore[arg-type]
world.add(boxes, groups=1)  # type: ignore[call-arg]
world.set_object(ids, statics=True)  # type: ignore[call-arg]

# What is not there.
world.step()  # type: ignore[attr-defined]
broadphase.find_pairs(boxes)  # type: ignore[attr-defined]
update.new  # type: ignore[attr-defined]
world.stats = {}  # type: ignore[misc]
world.save("world.bin")  # type: ignore[arg-type]
