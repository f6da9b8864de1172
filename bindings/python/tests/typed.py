"""Uses of the package as a type checker must accept them."""

import io
from typing import Any

import numpy as np

import broadphase

boxes = np.zeros((3, 6), dtype=np.float32)
found: np.ndarray[tuple[int, ...], np.dtype[np.uint32]] = broadphase.pairs(boxes, method="bvh", threads=2)
offsets, indices = broadphase.neighbors([[0.0, 0.0, 0.0]], 1.0, period=(10, 10, 0), half=True)
first: np.uint32 = indices[0]
with broadphase.World(filter=lambda a, b: a < b, margin=0.5) as world:
    ids = world.add(boxes, group=[1, 2, 3])
    world.move(ids, boxes)
    world.move(boxes)
    update = world.update()
    count: int = len(update.begun) + len(world)
    near, distances = world.query_nearest([0, 0, 0], k=2)
    file = io.BytesIO()
    world.save(file)
    again: broadphase.World = broadphase.World.load(file)
best: broadphase.Settings = broadphase.tune(boxes)[0]["settings"]
found = broadphase.pairs(boxes, **best)
flat = broadphase.pairs(boxes[:, :4], period=1.0, margin=np.float32(1), threads=np.int64(2), grid_size=(4, 4, 4))
text: str = broadphase.explain(boxes)


class OnGpu:
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {}


def on_gpu(array: OnGpu, found: broadphase.GpuArray) -> str:
    tensor = broadphase.pairs(array, array, pair_order="sorted")
    starts, near_ones = broadphase.neighbors(array, 1.0, half=True, period=(1, 1, 1))
    broadphase.neighbors(array, array, radius_rule="sum")
    broadphase.neighbors(array, 0.5, array)
    tensor.any_method(starts, near_ones)  # of the caller's library: of any type
    broadphase.free_gpu_memory()
    capsule = found.__dlpack__(stream=1, max_version=(1, 0))
    return f"{found.shape} {found.dtype} {found.device} {len(found)} {capsule}"
