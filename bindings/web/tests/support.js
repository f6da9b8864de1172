// What the tests share: random boxes, brute force, and the native library to compare with.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const house = fileURLToPath(new URL("../../../", import.meta.url));
export const packageFolder = `${house}build/web/package/`;
export const { load, hasSimd, BroadphaseError } = await import(`${packageFolder}index.js`);

export const simd = await load();
export const plain = await load({ simd: false });

// The ways in which the same must come out.
export const ways = [
    { name: "SIMD", bp: simd, settings: {} },
    { name: "scalar kernels of the SIMD module", bp: simd, settings: { simd: "scalar" } },
    { name: "plain module", bp: plain, settings: {} },
];

export function makeRandom(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

// Boxes of sizes up to `size` in a cube of `extent`.
export function randomBoxes(count, extent, size, seed, dimensions = 3, Type = Float32Array) {
    const random = makeRandom(seed);
    const boxes = new Type(2 * dimensions * count);
    for (let i = 0; i < count; ++i) {
        for (let axis = 0; axis < dimensions; ++axis) {
            const at = 2 * dimensions * i + axis;
            boxes[at] = extent * random();
            boxes[at + dimensions] = boxes[at] + size * random();
        }
    }
    return boxes;
}

export function overlaps(a, i, b, j, dimensions) {
    const first = 2 * dimensions * i;
    const second = 2 * dimensions * j;
    for (let axis = 0; axis < dimensions; ++axis) {
        if (!(a[first + axis] <= b[second + dimensions + axis] && b[second + axis] <= a[first + dimensions + axis])) {
            return false;
        }
    }
    return true;
}

export function bruteForce(boxes, dimensions = 3) {
    const count = boxes.length / (2 * dimensions);
    const pairs = [];
    for (let i = 0; i < count; ++i) {
        for (let j = i + 1; j < count; ++j) if (overlaps(boxes, i, boxes, j, dimensions)) pairs.push(i, j);
    }
    return Uint32Array.from(pairs);
}

export function bruteForceBetween(a, b, dimensions = 3) {
    const pairs = [];
    for (let i = 0; i < a.length / (2 * dimensions); ++i) {
        for (let j = 0; j < b.length / (2 * dimensions); ++j) if (overlaps(a, i, b, j, dimensions)) pairs.push(i, j);
    }
    return Uint32Array.from(pairs);
}

// ---------------------------------------------------------------------------------------------------------------------
// The native library

const scratch = `${house}build/web/tests/`;
mkdirSync(scratch, { recursive: true });

export const tool = (...words) =>
    execFileSync(`${house}build/bin/broadphase`, words, { encoding: "utf8", maxBuffer: 1 << 30 });

export const scenes = tool("scene", "--list").trim().split("\n").map((line) => line.split(" ")[0]);

// The boxes of a scene, as the tool writes them: NPY, version 1, float32, min x, y, z, max x, y, z.
export function sceneBoxes(name, count) {
    const file = `${scratch}${name}-${count}.npy`;
    if (!existsSync(file)) tool("scene", name, "-n", String(count), "--seed", "3", "--quiet", "-o", file);
    const bytes = readFileSync(file);
    const header = bytes.toString("latin1", 10, 10 + bytes.readUInt16LE(8));
    if (!header.includes("'<f4'") || !header.includes(", 6)")) throw new Error(`${file}: ${header}`);
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset + 10 + header.length, bytes.byteOffset + bytes.length));
}

let nativeProgram;

// The pairs of native scalar kernels, as found: a list for each method.
export function nativePairs(boxes, methods) {
    if (nativeProgram === undefined) {
        nativeProgram = `${scratch}native_pairs`;
        const source = fileURLToPath(new URL("native_pairs.c", import.meta.url));
        const library = [`-I${house}include`, `${house}build/lib/libbroadphase.a`];
        execFileSync("cc", ["-std=c11", "-O1", source, "-o", nativeProgram, ...library, "-lm", "-pthread"]);
    }
    const bytes = execFileSync(nativeProgram, methods, { input: Buffer.from(boxes.buffer), maxBuffer: 2 ** 31 - 1 });
    const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const lists = [];
    for (let at = 0; at < words.length; at += 1 + 2 * words[at]) lists.push(words.subarray(at + 1, at + 1 + 2 * words[at]));
    return lists;
}

// Equal arrays, without a long text where they are not.
export function isSame(a, b) {
    return a.length === b.length && Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
