// The same pairs in the same order as native scalar kernels, on all scenes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isSame, nativePairs, sceneBoxes, scenes, simd, ways } from "./support.js";

const methods = simd.methods().map(({ name }) => name);
const countOf = (scene, count) => (scene === "identical" ? count / 10 : count); // where all pairs overlap

test("all scenes, 10,000 objects, the automatic choice", () => {
    for (const scene of scenes) {
        const boxes = sceneBoxes(scene, countOf(scene, 10000));
        const [expected] = nativePairs(boxes, ["auto"]);
        for (const { name, bp, settings } of ways) {
            assert.ok(isSame(bp.pairs(boxes, settings), expected), `${scene}, ${name}`);
        }
    }
});

test("all scenes, 1,500 objects, all methods", () => {
    for (const scene of scenes) {
        const boxes = sceneBoxes(scene, countOf(scene, 1500));
        const expected = nativePairs(boxes, methods);
        for (const { name, bp, settings } of ways) {
            methods.forEach((method, i) => {
                assert.ok(isSame(bp.pairs(boxes, { method, ...settings }), expected[i]), `${scene}, ${method}, ${name}`);
            });
        }
    }
});

test("the kernels agree: two sets, spheres, two dimensions, 64 bits, neighbors", () => {
    for (const scene of scenes) {
        const boxes = sceneBoxes(scene, countOf(scene, 1500));
        const half = 6 * Math.floor(boxes.length / 12);
        const [a, b] = [boxes.subarray(0, half), boxes.subarray(half)];
        const flat = Float32Array.from({ length: (boxes.length / 6) * 4 }, (_, i) => boxes[6 * (i >> 2) + [0, 1, 3, 4][i & 3]]);
        const points = Float32Array.from({ length: boxes.length / 2 }, (_, i) => boxes[6 * Math.floor(i / 3) + (i % 3)]);
        const finite = points.every(Number.isFinite) ? points : points.map((x) => (Number.isFinite(x) ? x : 0));
        const results = ways.map(({ bp, settings }) => [
            bp.pairsBetween(a, b, settings),
            bp.pairs(boxes, { shape: "spheres", ...settings }),
            bp.pairs(flat, { dimensions: 2, ...settings }),
            bp.pairs(Float64Array.from(boxes), settings),
            ...Object.values(bp.neighbors(finite, 1.5, settings)),
        ]);
        results.forEach((lists, way) => {
            lists.forEach((list, i) => assert.ok(isSame(list, results[0][i]), `${scene}, ${ways[way].name}, list ${i}`));
        });
    }
});
