"""The boxes that the drawings show. Python promises the same random() for a seed in every version."""

from __future__ import annotations

from random import Random

from svg import Box


def scatter(seed: int, count: int, area: Box, small: float, large: float) -> list[Box]:
    """Boxes with edges from small to large, anywhere in the area."""
    random = Random(seed).random
    boxes = []
    for _ in range(count):
        width, height = small + (large - small) * random(), small + (large - small) * random()
        x = area[0] + (area[2] - area[0] - width) * random()
        y = area[1] + (area[3] - area[1] - height) * random()
        boxes.append((x, y, x + width, y + height))
    return boxes


ALIKE = scatter(12, 22, (0.2, 0.2, 23.8, 9.8), 0.9, 2.0)
CLUMPED = scatter(5, 16, (0.3, 0.3, 7.7, 7.7), 0.5, 1.0) + scatter(8, 5, (8, 0.3, 23.7, 9.7), 0.5, 1.0)
SMALL_AND_LARGE = scatter(3, 18, (0.2, 0.2, 23.8, 9.8), 0.5, 1.0) + [(3.2, 2.1, 7.4, 6.4), (17.2, 4.6, 21.4, 8.8)]
