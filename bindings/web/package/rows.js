// What users give: boxes, points, ids.
import { BroadphaseError, refuse } from "./error.js";
import { isFloat32 } from "./heap.js";

export const widthOf = { boxes: { 2: 4, 3: 6 }, points: { 2: 2, 3: 3 } };

function lengthOf(numbers, what) {
    if (typeof numbers !== "object" || numbers === null || !Number.isInteger(numbers.length)) {
        throw new TypeError(`${what}: expected a Float32Array, a Float64Array or a list of numbers`);
    }
    return numbers.length;
}

// Checks rows of boxes or points, and says how many they are.
export function countRows(numbers, what, kind, dimensions) {
    const length = lengthOf(numbers, what);
    const width = widthOf[kind][dimensions];
    if (length % width !== 0) throw refuse(`${what}: expected ${width} numbers for each, found ${length} in all`);
    return length / width;
}

// Puts rows into the library's memory, with room for a z. 64 bits, unless everything has 32.
export function placeRows(heap, name, numbers, what, kind, dimensions, isDouble = !isFloat32(numbers)) {
    const count = countRows(numbers, what, kind, dimensions);
    const address = heap.place(name, numbers, isDouble ? "f64" : "f32", count * widthOf[kind][3]);
    return { count, isDouble, address };
}

// One row as three-dimensional numbers.
export function oneRow(numbers, what, kind, dimensions) {
    if (countRows(numbers, what, kind, dimensions) !== 1) throw refuse(`${what}: expected one`);
    if (dimensions === 3) return Array.from(numbers);
    const [x, y, ...more] = numbers;
    return kind === "points" ? [x, y, 0] : [x, y, 0, ...more, 0];
}

const isId = (id) => Number.isInteger(id) && id >= 0 && id <= 0xffffffff;

// Ids as a Uint32Array: the given one, if it is one.
export function idsOf(ids) {
    if (ids?.[Symbol.toStringTag] === "Uint32Array") return ids;
    const list = typeof ids === "number" ? [ids] : Array.from(ids ?? []);
    for (const id of list) {
        if (!isId(id)) throw new BroadphaseError("id", `${String(id)} is no id`);
    }
    return Uint32Array.from(list);
}
