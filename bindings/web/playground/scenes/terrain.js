// A landscape as a field of heights: three layers of smooth noise, each finer and lower than the one before.
import { hashUnit, smooth } from "../numbers.js";

function noise(seed, x, y) {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const at = (i, j) => hashUnit(seed, Math.imul(column + i, 7919) + row + j);
    const u = smooth(x - column);
    const v = smooth(y - row);
    return (1 - v) * ((1 - u) * at(0, 0) + u * at(1, 0)) + v * ((1 - u) * at(0, 1) + u * at(1, 1));
}

/** Heights 0 .. 1 of a field of side × side; flat, a lake, below `lake`. */
export function heightsOf(side, seed, lake) {
    const heights = new Float64Array(side * side);
    for (let i = 0; i < side * side; ++i) {
        const x = (4 * (i % side)) / side;
        const y = (4 * Math.floor(i / side)) / side;
        const height =
            0.62 * noise(seed, x, y) + 0.27 * noise(seed + 1, 2.3 * x, 2.3 * y) + 0.11 * noise(seed + 2, 5 * x, 5 * y);
        heights[i] = Math.max(lake, smooth(1.25 * height - 0.12));
    }
    return heights;
}
