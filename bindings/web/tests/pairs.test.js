// One call: pairs, between, neighbors, against brute force; filters, views, words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bruteForce, bruteForceBetween, makeRandom, randomBoxes, simd, ways } from "./support.js";

const sorted = { pairOrder: "sorted" };

test("pairs are those of brute force", () => {
    for (const { name, bp, settings } of ways) {
        for (const [dimensions, extent] of [[3, 7], [2, 20]]) {
            for (const Type of [Float32Array, Float64Array]) {
                for (const count of [0, 1, 2, 63, 400, 1000]) {
                    const boxes = randomBoxes(count, extent, 1.5, count, dimensions, Type);
                    assert.deepEqual(
                        bp.pairs(boxes, { dimensions, ...sorted, ...settings }), bruteForce(boxes, dimensions),
                        `${name}, ${dimensions}, ${Type.name}, ${count}`);
                }
            }
        }
    }
});

test("every method finds them", () => {
    const boxes = randomBoxes(500, 8, 1.5, 5);
    const expected = bruteForce(boxes);
    for (const { name: method } of simd.methods()) {
        for (const { bp, settings } of ways) assert.deepEqual(bp.pairs(boxes, { method, ...sorted, ...settings }), expected, method);
    }
});

test("touching, infinite, equal and far boxes", () => {
    const boxes = new Float32Array([
        0, 0, 0, 1, 1, 1, // touches the next at a corner
        1, 1, 1, 2, 2, 2,
        -Infinity, -Infinity, -Infinity, Infinity, Infinity, 0, // ground
        5, 5, 5, 5, 5, 5, // a point, twice
        5, 5, 5, 5, 5, 5,
        1e30, 1e30, 1e30, 1e30, 1e30, 1e30,
        1e30, -Infinity, -Infinity, Infinity, Infinity, Infinity,
    ]);
    for (const { bp, settings } of ways) assert.deepEqual(bp.pairs(boxes, { ...sorted, ...settings }), bruteForce(boxes));
});

test("lists of numbers are 64 bits", () => {
    const third = 1 / 3;
    const [low, high] = [third, third + 2 ** -40];
    const boxes = [0, 0, 0, low, 1, 1, high, 0, 0, 1, 1, 1];
    assert.equal(simd.pairs(boxes).length, 0);
    assert.equal(simd.pairs(Float32Array.from(boxes)).length, 2);
});

test("pairs between two sets", () => {
    for (const { bp, settings } of ways) {
        for (const dimensions of [2, 3]) {
            const a = randomBoxes(300, 9, 1.5, 1, dimensions);
            const b = randomBoxes(200, 9, 1.5, 2, dimensions);
            const expected = bruteForceBetween(a, b, dimensions);
            const words = { dimensions, ...sorted, ...settings };
            assert.deepEqual(bp.pairsBetween(a, b, words), expected);
            assert.deepEqual(bp.pairsBetween(a, Float64Array.from(b), words), expected);
            assert.deepEqual(bp.pairsBetween(a, a, words), bruteForceBetween(a, a, dimensions));
        }
    }
});

test("spheres, margins and periods", () => {
    const boxes = new Float32Array([0, 0, 0, 2, 2, 2, 1.8, 1.8, 1.8, 3.8, 3.8, 3.8, 9, 0, 0, 9.5, 1, 1]);
    assert.equal(simd.pairs(boxes).length, 2);
    assert.equal(simd.pairs(boxes, { shape: "spheres" }).length, 0);
    assert.deepEqual(simd.pairs(boxes, { period: [9.2, 0, 0], ...sorted }), Uint32Array.of(0, 1, 0, 2));
    assert.deepEqual(simd.pairs(boxes, { margin: 2.7, ...sorted }), Uint32Array.of(0, 1, 1, 2));
    assert.deepEqual(simd.pairs([0, 0, 1, 1, 9, 0, 10, 1], { dimensions: 2, period: [9, 0] }), Uint32Array.of(0, 1));
});

function bruteForceNeighbors(points, dimensions, isNear) {
    const count = points.length / dimensions;
    const offsets = [0];
    const indices = [];
    for (let i = 0; i < count; ++i) {
        for (let j = 0; j < count; ++j) {
            let square = 0;
            for (let axis = 0; axis < dimensions; ++axis) square += (points[dimensions * i + axis] - points[dimensions * j + axis]) ** 2;
            if (i !== j && isNear(square, i, j)) indices.push(j);
        }
        offsets.push(indices.length);
    }
    return { offsets: Uint32Array.from(offsets), indices: Uint32Array.from(indices) };
}

test("neighbors within a radius, and with a radius for each point", () => {
    const random = makeRandom(9);
    for (const { bp, settings } of ways) {
        for (const dimensions of [2, 3]) {
            for (const Type of [Float32Array, Float64Array]) {
                const points = Type.from({ length: 600 * dimensions }, () => 10 * random());
                const words = { dimensions, ...settings };
                const near = bruteForceNeighbors(points, dimensions, (square) => square <= 1);
                assert.deepEqual(bp.neighbors(points, 1, words), near);
                const radii = Type.from({ length: 600 }, () => random());
                const variable = (rule) => bruteForceNeighbors(points, dimensions, (square, i, j) => square <= rule(radii[i], radii[j]) ** 2);
                assert.deepEqual(bp.neighbors(points, radii, words), variable(Math.max));
                assert.deepEqual(bp.neighbors(points, radii, { radiusRule: "min", ...words }), variable(Math.min));
                const half = bp.neighbors(points, 1, { half: true, ...words });
                assert.equal(2 * half.indices.length, near.indices.length);
            }
        }
        const between = bp.neighborsBetween([0, 0, 0, 5, 5, 5], [0, 0, 1, 9, 9, 9, 5, 5, 5], 1, settings);
        assert.deepEqual(between, { offsets: Uint32Array.of(0, 1, 2), indices: Uint32Array.of(0, 2) });
    }
});

test("a filter is asked, and what it throws comes out", () => {
    const boxes = randomBoxes(300, 6, 1.5, 4);
    const expected = [];
    const all = bruteForce(boxes);
    for (let i = 0; i < all.length; i += 2) if ((all[i] + all[i + 1]) % 3 === 0) expected.push(all[i], all[i + 1]);
    const filter = (a, b) => (a + b) % 3 === 0;
    assert.deepEqual(simd.pairs(boxes, { filter, ...sorted }), Uint32Array.from(expected));
    const failing = () => {
        throw new RangeError("enough");
    };
    assert.throws(() => simd.pairs(boxes, { filter: failing }), { name: "RangeError", message: "enough" });
    const calling = () => simd.pairs(boxes).length > 0;
    assert.throws(() => simd.pairs(boxes, { filter: calling }), { status: "argument", message: /may not call/ });
    assert.deepEqual(simd.pairs(boxes, sorted), all);
});

test("floats in the library's memory are not copied, and views are of it", () => {
    const boxes = randomBoxes(400, 7, 1.5, 8);
    const floats = new simd.Floats(boxes.length);
    floats.view.set(boxes);
    assert.deepEqual(simd.pairs(floats.view, sorted), bruteForce(boxes));
    const view = simd.pairsView(floats.view, sorted);
    assert.deepEqual(Uint32Array.from(view), bruteForce(boxes));
    assert.equal(view.buffer, floats.view.buffer);
    const flat = boxes.subarray(0, 4 * 300); // in two dimensions they are moved apart, elsewhere
    for (let i = 0; i < 1200; i += 4) for (const k of [0, 1]) flat[i + k + 2] = Math.max(flat[i + k + 2], flat[i + k]);
    floats.view.set(flat);
    const part = () => floats.view.subarray(0, 1200);
    assert.deepEqual(simd.pairs(part(), { dimensions: 2, ...sorted }), bruteForce(flat, 2));
    assert.deepEqual(part(), flat);
    floats.dispose();
    floats.dispose();
    assert.throws(() => floats.view, /disposed/);
});

test("a view from before the memory has grown is refused", () => {
    const floats = new simd.Floats(6);
    const old = floats.view;
    const much = [];
    while (old.length > 0) much.push(new simd.Floats(1 << 20));
    assert.throws(() => simd.pairs(old), { status: "argument", message: /memory has grown/ });
    assert.equal(floats.view.length, 6);
    for (const one of [floats, ...much]) one.dispose();
});

test("words: version, methods, explain", () => {
    assert.match(simd.version, /^\d+\.\d+\.\d+$/);
    const methods = simd.methods();
    assert.equal(methods[0].name, "auto");
    assert.ok(methods.length >= 12);
    assert.ok(methods.every(({ summary }) => summary.length > 10));
    assert.deepEqual(methods.find(({ name }) => name === "bvh").supports.between, true);
    assert.match(simd.explain(randomBoxes(3000, 20, 1, 1)), /^strips: /);
    assert.match(simd.explain(randomBoxes(3000, 20, 1, 1), { method: "bvh" }), /^bvh/);
});
