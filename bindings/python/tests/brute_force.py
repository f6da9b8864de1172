"""What the library finds, by plain NumPy over all pairs."""

import numpy as np


def overlaps(a, b, period=None):
    """Which boxes of a and b overlap, as a matrix; rows are min, max of any number of dimensions."""
    dimensions = a.shape[1] // 2
    a, b = a.astype(np.float64), b.astype(np.float64)
    found = np.ones((len(a), len(b)), dtype=bool)
    for axis in range(dimensions):
        low = b[None, :, axis] - a[:, None, dimensions + axis]
        high = b[None, :, dimensions + axis] - a[:, None, axis]
        if period is None or period[axis] == 0:
            found &= (low <= 0) & (high >= 0)
        else:
            found &= np.ceil(low / period[axis]) * period[axis] <= high
    return found


def pairs(boxes, other=None, period=None):
    """Sorted rows (a, b)."""
    if other is not None:
        return np.argwhere(overlaps(boxes, other, period))
    return np.argwhere(np.triu(overlaps(boxes, boxes, period), 1))


def distances_squared(a, b, period=None):
    a, b = a.astype(np.float64), b.astype(np.float64)
    total = 0.0
    for axis in range(a.shape[1]):
        d = b[None, :, axis] - a[:, None, axis]
        if period is not None and period[axis] > 0:
            p = float(np.float32(period[axis]))
            d = d - p * np.round(d / p)
        total = total + d * d
    return total


def neighbors(points, limit, other=None, period=None, half=False):
    """(offsets, indices); `limit` is a radius, or a matrix of them."""
    near = distances_squared(points, points if other is None else other, period) <= np.square(np.float64(limit))
    if other is None:
        np.fill_diagonal(near, False)
    if half:
        near = np.triu(near, 1)
    offsets = np.concatenate([[0], np.cumsum(near.sum(axis=1))])
    return offsets, np.nonzero(near)[1]


def random_boxes(rng, count, dimensions=3, dtype=np.float32, size=0.15):
    low = rng.random((count, dimensions))
    return np.hstack([low, low + size * rng.random((count, dimensions))]).astype(dtype)
