// Numbers that users give. WebAssembly would cut off what does not fit its 32 bits, and make a number of everything else: so what
// is none, or does not fit, is refused here.
import { shown } from "./error.js";

const MOST = 0xffffffff;
const MOST_OF_64_BITS = 2n ** 64n - 1n;

export function numberOf(value, what) {
    if (typeof value !== "number") throw new TypeError(`${what}: expected a number, found ${shown(value)}`);
    return value;
}

export function wholeOf(value, what, most = MOST) {
    if (typeof value !== "number") throw new TypeError(`${what}: expected a whole number, found ${shown(value)}`);
    if (Number.isInteger(value) && value >= 0 && value <= most) return value;
    throw new RangeError(`${what}: expected a whole number from 0 to ${most}, found ${value}`);
}

/** 64 bits: a bigint, or a number that is exact. Operators such as ~ and << give numbers with a sign. */
export function bits64Of(value, what) {
    if (typeof value !== "number" && typeof value !== "bigint") {
        throw new TypeError(`${what}: expected a whole number or a bigint, found ${shown(value)}`);
    }
    if (value >= 0 && (typeof value === "bigint" ? value <= MOST_OF_64_BITS : Number.isSafeInteger(value))) return value;
    const advice = Number.isInteger(value) && value < 0 && value >= -(2 ** 31) ? "; for its bits write >>> 0 behind it" : "";
    throw new RangeError(
        `${what}: expected a whole number from 0 to 2 ** 53 - 1 or a bigint up to 2n ** 64n - 1n, found ${shown(value)}${advice}`,
    );
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
