// Objects as bp_object has them: group, mask, flags, island, 32 bits each, and 64 bits for the user.
import { refuse } from "./error.js";

const BYTES = 24;
const STATIC = 1;
const fields = ["group", "mask", "static", "island", "user"];

// The value of a field for each object: one for all, or a list.
function valuesOf(settings, field, count) {
    const values = settings[field];
    if (values === undefined) return null;
    if (typeof values !== "object") return () => values;
    if (values.length !== count) throw refuse(`${field}: ${count} objects, but ${values.length} values`);
    return (i) => values[i];
}

const writers = {
    group: (view, at, value) => view.setUint32(at, value, true),
    mask: (view, at, value) => view.setUint32(at + 4, value, true),
    static: (view, at, value) => view.setUint32(at + 8, value ? STATIC : 0, true),
    island: (view, at, value) => view.setUint32(at + 12, value, true),
    user: (view, at, value) => view.setBigUint64(at + 16, BigInt(value), true),
};

// The address of `count` objects; 0 where nothing is said about them.
export function placeObjects(heap, settings, count) {
    if (settings === undefined || count === 0) return 0;
    const address = heap.slot("objects", BYTES * count);
    const view = new DataView(heap.views.buffer, address, BYTES * count);
    new Uint8Array(view.buffer, address, BYTES * count).fill(0);
    for (const field of fields) {
        const valueOf = valuesOf(settings, field, count);
        for (let i = 0; valueOf !== null && i < count; ++i) writers[field](view, BYTES * i, valueOf(i));
    }
    return address;
}

export function readObject(heap, address) {
    const view = new DataView(heap.views.buffer, address, BYTES);
    return {
        group: view.getUint32(0, true),
        mask: view.getUint32(4, true),
        static: (view.getUint32(8, true) & STATIC) !== 0,
        island: view.getUint32(12, true),
        user: view.getBigUint64(16, true),
    };
}
