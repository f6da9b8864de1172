// What users give: boxes, points, ids.
import { BroadphaseError, refuse, shown } from "./error.js";
import { isFloat32 } from "./heap.js";
import { listOf, typedOf } from "./numbers.js";

export const widthOf = { boxes: { 2: 4, 3: 6 }, points: { 2: 2, 3: 3 } };

/** How many rows of boxes or points there are among so many numbers. */
export function countRows({ length }, what, kind, dimensions) {
    const width = widthOf[kind][dimensions];
    if (length % width !== 0) throw refuse(`${what}: expected ${width} numbers for each, found ${length} in all`);
    return length / width;
}

// Rows of boxes or points, held until all that the call is given is known. 64 bits, unless everything has 32.
export function holdRows(heap, numbers, what, kind, call, isDouble = !isFloat32(numbers)) {
    const held = heap.hold(typedOf(numbers, what));
    return { held, isDouble, count: countRows(held, what, kind, call.dimensions), isCopied: call.hasFilter, width: widthOf[kind][3] };
}

// Puts them into the library's memory, with room for a z; returns the address.
export function placeRows(heap, name, { held, isDouble, count, isCopied, width }) {
    return heap.place(name, held, isDouble ? "f64" : "f32", count * width, isCopied);
}

// One row as three-dimensional numbers.
export function oneRow(numbers, what, kind, dimensions) {
    const row = listOf(numbers, what);
    if (countRows(row, what, kind, dimensions) !== 1) throw refuse(`${what}: expected one`);
    if (dimensions === 3) return row;
    const [x, y, ...more] = row;
    return kind === "points" ? [x, y, 0] : [x, y, 0, ...more, 0];
}

export function idOf(id) {
    if (Number.isInteger(id) && id >= 0 && id <= 0xffffffff) return id;
    throw new BroadphaseError("id", `id: ${shown(id)} is no id`);
}

// Ids as a Uint32Array: the given one, if it is one.
export function idsOf(ids) {
    if (ids?.[Symbol.toStringTag] === "Uint32Array") return ids;
    if (typeof ids === "number") return Uint32Array.of(idOf(ids));
    if (typeof ids !== "object" || ids === null || !(Number.isInteger(ids.length) || Symbol.iterator in ids)) {
        throw new TypeError(`ids: expected an id or a list of ids, found ${shown(ids)}`);
    }
    return Uint32Array.from(ids, idOf);
}
