// Meshes in the playground: which triangles really touch, and which way is up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { upOf } from "../files/up.js";
import { file } from "../scenes/file.js";
import { areTouching, haveCommonCorner } from "../scenes/triangles.js";

function makeRandom(seed) {
    let state = seed;
    return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
}

// ---- touching ----

/** Whether side `k` of triangle a goes through triangle b: the signs of volumes decide. */
function pierces(triangles, a, b, k) {
    const corner = (triangle, i) => triangles.slice(9 * triangle + 3 * (i % 3), 9 * triangle + 3 * (i % 3) + 3);
    const volume = (p, q, r, s) => {
        const [u, v, w] = [q, r, s].map((end) => end.map((value, axis) => value - p[axis]));
        return (
            u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])
        );
    };
    const [from, to] = [corner(a, k), corner(a, k + 1)];
    const [p, q, r] = [corner(b, 0), corner(b, 1), corner(b, 2)];
    if (volume(from, p, q, r) > 0 === volume(to, p, q, r) > 0) return false;
    const signs = [volume(from, to, p, q), volume(from, to, q, r), volume(from, to, r, p)].map(Math.sign);
    return signs[0] === signs[1] && signs[1] === signs[2];
}

test("triangles touch where a side of one goes through the other", () => {
    const random = makeRandom(5);
    const count = [0, 0];
    for (let i = 0; i < 20000; ++i) {
        const triangles = Float32Array.from({ length: 18 }, random);
        const expected = [0, 1, 2].some((k) => pierces(triangles, 0, 1, k) || pierces(triangles, 1, 0, k));
        assert.equal(areTouching(triangles, 0, 1), expected, String(triangles));
        ++count[Number(expected)];
    }
    assert.ok(Math.min(...count) > 1000);
});

test("in one plane, at a corner, along a side; and corners in common", () => {
    const flat = [0, 0, 0, 4, 0, 0, 0, 4, 0];
    const cases = [
        [[1, 1, 0, 2, 1, 0, 1, 2, 0], true], // inside
        [[3, 3, 0, 4, 3, 0, 3, 4, 0], false], // beside, though the boxes overlap
        [[2, 2, 0, 4, 4, 0, 2, 4, 0], true], // a corner on a side
        [[1, 1, 0, 1, 1, 5, 2, 2, 5], true], // a corner on the face
        [[1, 1, 0.001, 1, 1, 5, 2, 2, 5], false],
        [[1, 1, 0, 1, 1, 0, 1, 1, 0], true], // a point
    ];
    for (const [other, expected] of cases) {
        assert.equal(areTouching(Float32Array.from([...flat, ...other]), 0, 1), expected, String(other));
        assert.equal(areTouching(Float32Array.from([...other, ...flat]), 0, 1), expected, String(other));
    }
    assert.ok(haveCommonCorner(Float32Array.from([...flat, 4, 0, 0, 9, 9, 9, 8, 8, 8]), 0, 1));
    assert.ok(!haveCommonCorner(Float32Array.from([...flat, 4, 0, 1, 9, 9, 9, 8, 8, 8]), 0, 1));
});

// ---- up ----

test("up is what the file says, else z where it is flat and of STL, else y; and z of boxes", () => {
    const mesh = (...size) => ({ boxes: Float32Array.of(0, 0, 0, ...size), triangles: new Float32Array(9) });
    const bytes = (text) => new TextEncoder().encode(text).buffer;
    const nothing = bytes("# made by hand\nv 0 0 0\n");
    assert.equal(upOf(mesh(1, 1, 1), "a.obj", nothing), "y");
    assert.equal(upOf(mesh(9, 1, 9), "a.ply", nothing), "y");
    assert.equal(upOf(mesh(9, 9, 1), "a.obj", nothing), "z");
    assert.equal(upOf(mesh(1, 1, 1), "a.STL", nothing), "z");
    assert.equal(upOf({ boxes: mesh(1, 1, 1).boxes }, "a.csv", nothing), "z");
    for (const [text, up] of [
        ["# Z up\n", "z"],
        ["ply\ncomment up axis: Z\n", "z"],
        ["# exported Y-up, meters\n", "y"],
        ["# this file is z_up\r\n", "z"],
        ["solid bracket, Y-up\n", "y"],
        ["o z up\n", "y"], // no comment
    ]) {
        assert.equal(upOf(mesh(2, 2, 2), "a.obj", bytes(text)), up, text);
    }
    assert.equal(upOf(mesh(9, 9, 1), "a.ply", bytes("# y is up\n")), "y");
});

test("what has y up stands, and the library gets it as the file has it", () => {
    const data = { boxes: Float32Array.of(1, 2, 3, 4, 6, 8), triangles: Float32Array.of(1, 2, 3, 4, 2, 3, 1, 6, 8), shape: "triangles" };
    const boxes = new Float32Array(6);
    const standing = file.create({ data: { ...data, up: "y" } });
    standing.moveTo(0, boxes);
    assert.deepEqual(boxes, Float32Array.of(1, -8, 2, 4, -3, 6));
    assert.deepEqual(standing.triangles, Float32Array.of(1, -3, 2, 4, -3, 2, 1, -8, 6));
    assert.deepEqual(standing.exact, data.boxes);
    const lying = file.create({ data: { ...data, up: "z" } });
    lying.moveTo(0, boxes);
    assert.deepEqual(boxes, data.boxes);
});
