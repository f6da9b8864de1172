// Objects as bp_object has them: group and mask of 64 bits, flags and island of 32, and 64 bits for the user and in reserve.
import { refuse, shown } from "./error.js";
import { bits64Of, wholeOf } from "./numbers.js";

const BYTES = 40;
const STATIC = 1;

function flagOf(value, what) {
    if (value === true || value === 1) return STATIC;
    if (value === false || value === 0) return 0;
    throw new TypeError(`${what}: expected true or false, found ${shown(value)}`);
}

function writeBits(view, at, value, what) {
    const bits = bits64Of(value, what);
    if (typeof bits === "bigint") {
        view.setBigUint64(at, bits, true);
    } else {
        view.setUint32(at, bits >>> 0, true);
        view.setUint32(at + 4, bits / 2 ** 32, true);
    }
}

// Write the value of a field, which `what` names.
const writers = {
    group: writeBits,
    mask: (view, at, value, what) => writeBits(view, at + 8, value, what),
    static: (view, at, value, what) => view.setUint32(at + 16, flagOf(value, what), true),
    island: (view, at, value, what) => view.setUint32(at + 20, wholeOf(value, what), true),
    user: (view, at, value, what) => writeBits(view, at + 24, value, what),
};

const fields = Object.keys(writers);

// One value for all objects, or a list.
function writeField(view, field, values, count) {
    const write = writers[field];
    const isList = typeof values === "object" && values !== null;
    if (isList && !Number.isInteger(values.length)) throw new TypeError(`${field}: expected a value or a list, found ${shown(values)}`);
    if (isList && values.length !== count) throw refuse(`${field}: ${count} objects, but ${values.length} values`);
    for (let i = 0; i < count; ++i) write(view, BYTES * i, isList ? values[i] : values, isList ? `${field}[${i}]` : field);
}

// The bytes of `count` objects; null where nothing is said about them.
export function objectsOf(settings, count) {
    if (settings === undefined) return null;
    if (typeof settings !== "object" || settings === null) {
        throw new TypeError(`expected an object with ${fields.join(", ")}, found ${shown(settings)}`);
    }
    if (count === 0) return null;
    const bytes = new Uint8Array(BYTES * count);
    const view = new DataView(bytes.buffer);
    for (const field of fields) {
        if (settings[field] !== undefined) writeField(view, field, settings[field], count);
    }
    return bytes;
}

export const placeObjects = (heap, bytes) => (bytes === null ? 0 : heap.place("objects", heap.hold(bytes), "u8"));

export function readObject(heap, address) {
    const view = new DataView(heap.views.buffer, address, BYTES);
    return {
        group: view.getBigUint64(0, true),
        mask: view.getBigUint64(8, true),
        static: (view.getUint32(16, true) & STATIC) !== 0,
        island: view.getUint32(20, true),
        user: view.getBigUint64(24, true),
    };
}
