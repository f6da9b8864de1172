// Boxes in one array, as the library takes them: min x, y, z, max x, y, z, one after the other.

/** Box `index` becomes a cube. */
export function putCube(boxes, index, x, y, z, half) {
    const at = 6 * index;
    boxes[at] = x - half;
    boxes[at + 1] = y - half;
    boxes[at + 2] = z - half;
    boxes[at + 3] = x + half;
    boxes[at + 4] = y + half;
    boxes[at + 5] = z + half;
}

/** Boxes of triangles (nine numbers each). */
export function putTriangleBoxes(boxes, triangles, count) {
    for (let i = 0; i < count; ++i) {
        for (let axis = 0; axis < 3; ++axis) {
            const a = triangles[9 * i + axis];
            const b = triangles[9 * i + 3 + axis];
            const c = triangles[9 * i + 6 + axis];
            boxes[6 * i + axis] = Math.min(a, b, c);
            boxes[6 * i + 3 + axis] = Math.max(a, b, c);
        }
    }
}
