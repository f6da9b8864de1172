// Numbers that users give. WebAssembly would cut off what does not fit its 32 bits, and make a number of everything else: so what
// is none, or does not fit, is refused here.
import { shown } from "./error.js";

const MOST = 0xffffffff;
const MOST_OF_64_BITS = 2n ** 64n - 1n;

export function numberOf(value, what) {
    if (typeof value !== "number") throw new TypeError(`${what}: expected a number, found ${shown(value)}`);
    return value;
}

export function wholeOf(value, what, most = MOST, advice = "") {
    if (typeof value !== "number") throw new TypeError(`${what}: expected a whole number, found ${shown(value)}`);
    if (Number.isInteger(value) && value >= 0 && value <= most) return value;
    throw new RangeError(`${what}: expected a whole number from 0 to ${most}, found ${value}${advice}`);
}

/** 32 bits. Operators such as ~ and << give the same bits with a sign. */
export function bitsOf(value, what) {
    const advice = Number.isInteger(value) && value < 0 && value >= -(2 ** 31) ? "; for its bits write >>> 0 behind it" : "";
    return wholeOf(value, what, MOST, advice);
}

export function bits64Of(value, what) {
    if (typeof value !== "number" && typeof value !== "bigint") {
        throw new TypeError(`${what}: expected a bigint or a whole number, found ${shown(value)}`);
    }
    if (typeof value === "bigint" || Number.isInteger(value)) {
        const bits = BigInt(value);
        if (bits >= 0n && bits <= MOST_OF_64_BITS) return bits;
    }
    throw new RangeError(`${what}: expected a whole number from 0 to 2n ** 64n - 1n, found ${shown(value)}`);
}

// Of numbers: not a DataView, and not of bigints.
const isTyped = (list) => ArrayBuffer.isView(list) && /^(Float|Int|Uint)/.test(list[Symbol.toStringTag]);

function lengthOf(list, what) {
    if (typeof list === "object" && list !== null && Number.isInteger(list.length) && list.length >= 0) return list.length;
    throw new TypeError(`${what}: expected a Float32Array, a Float64Array or a list of numbers, found ${shown(list)}`);
}

function copyNumbers(list, what, numbers) {
    for (let i = 0; i < numbers.length; ++i) {
        const value = list[i];
        if (typeof value !== "number") throw new TypeError(`${what}: expected numbers, found ${shown(value)} at ${i}`);
        numbers[i] = value;
    }
    return numbers;
}

/** A list of numbers as a typed array: the given one, if it is one; else one of 64 bits. */
export function typedOf(list, what) {
    return isTyped(list) ? list : copyNumbers(list, what, new Float64Array(lengthOf(list, what)));
}

/** A few numbers as a list of its own, which is quicker than a typed array. */
export function listOf(list, what) {
    return copyNumbers(list, what, new Array(lengthOf(list, what)));
}
