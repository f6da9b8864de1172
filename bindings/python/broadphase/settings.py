"""The settings of calls and worlds. What is not given, or None, has its default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Sequence, TypedDict, Union

if TYPE_CHECKING:
    from typing import Any

    from numpy import floating, integer
    from numpy.typing import NDArray

    Numbers = Union[Sequence[float], NDArray[Any]]
    Whole = Union[int, integer[Any]]
    Real = Union[float, integer[Any], floating[Any]]

Method = Literal[
    "auto", "brute-force", "linked-cells", "hierarchical-grid", "spatial-hash", "pivot-grid", "compact-grid", "cuckoo-grid",
    "octree", "loose-octree", "bvh", "sweep-and-prune", "split", "tree", "strips"]


class Settings(TypedDict, total=False):
    """The keyword arguments that all searches and worlds share, for those who keep them in a dict: pairs(boxes, **settings).

    What most people need: method (default: the library chooses), threads (-1: all cores; default: 1), period (one length for
    all axes, or one for each; 0: space does not repeat), margin (boxes grow by this on all sides), shape ("spheres": those
    inside the boxes), pair_order ("sorted": by (a, b)), dimensions (2: z is ignored), radius_rule (of a radius for each
    point), update (how a world brings its structure up to date). The others belong to single methods; docs/python.md
    lists them all.
    """

    # Made by `make settings`:
    method: Method | None
    dimensions: Literal[2, 3] | None
    threads: Whole | None
    update: Literal["automatic", "individual", "rebuild"] | None
    pair_order: Literal["found", "sorted"] | None
    shape: Literal["boxes", "spheres"] | None
    radius_rule: Literal["max", "min", "sum"] | None
    margin: Real | None
    period: Real | Numbers | None
    simd: Literal["auto", "scalar", "avx2", "avx512", "neon", "wasm"] | None
    hierarchy_factor: Real | None
    cell_size: Real | None
    grid_size: Sequence[int] | None
    grid_form: Literal["automatic", "linked"] | None
    grid_load: Real | None
    brute_force_below: Whole | None
    domain: Numbers | None
    memory_limit: Whole | None
    hash_table: Literal["chained", "open"] | None
    hash_cell_limit: Whole | None
    pivot_layout: Literal["chunked", "dense"] | None
    chunk_size: Whole | None
    grid_entries: Literal["corner", "footprint"] | None
    compact_keys: Literal["row_major", "z_curve"] | None
    compact_sort: Literal["automatic", "radix", "adaptive"] | None
    octree_max_objects: Whole | None
    octree_max_depth: Whole | None
    looseness: Real | None
    bvh_build: Literal["top_down", "bottom_up", "insertion"] | None
    bvh_split: Literal["object_median", "object_mean", "spatial_median"] | None
    bvh_axis: Literal["largest_extent", "largest_variance"] | None
    bvh_descent: Literal["simultaneous", "larger_volume", "one_before_other"] | None
    sweep_axes: Literal[0, 1, 3] | None
    # to here.
