// Rays of the picture: what is met first, in boxes, spheres and triangles, turned or not.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { rayAt } from "../camera.js";
import { firstMet } from "../ray.js";
import { putCube, putTriangleBoxes } from "../scenes/boxes.js";
import { file } from "../scenes/file.js";
import { HOUSE } from "./browser.js";
const { load } = await import(join(HOUSE, "build/web/package/index.js"));

const bp = await load();

function makeRandom(seed) {
    let state = seed;
    return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
}

const random = makeRandom(9);
const point = (size) => Array.from({ length: 3 }, () => size * (random() - 0.5));

function rayTowards(origin, place) {
    const way = place.map((value, axis) => value - origin[axis]);
    const length = Math.hypot(...way);
    return { origin, direction: way.map((value) => value / length) };
}

const along = ({ origin, direction }, t) => origin.map((value, axis) => value + t * direction[axis]);

/** A scene, its boxes as they are drawn, and its world. */
function begin(data) {
    const scene = file.create({ data });
    const boxes = new Float32Array(6 * scene.count);
    scene.moveTo(0, boxes);
    const world = new bp.World();
    world.add(scene.exact);
    return { scene, boxes, world };
}

test("boxes and spheres: nothing lies before what is met, and it begins there", () => {
    const given = new Float32Array(6 * 300);
    for (let i = 0; i < 300; ++i) putCube(given, i, ...point(20), 0.2 + random());
    for (const up of ["z", "y"]) {
        const { scene, boxes, world } = begin({ boxes: given, shape: "boxes", up });
        const holds = {
            boxes: (place, i) => place.every((value, axis) => value >= boxes[6 * i + axis] && value <= boxes[6 * i + 3 + axis]),
            spheres: (place, i) => {
                const half = 0.5 * (boxes[6 * i + 3] - boxes[6 * i]);
                return Math.hypot(...place.map((value, axis) => value - boxes[6 * i + axis] - half)) <= half;
            },
        };
        for (const shape of ["boxes", "spheres"]) {
            let hits = 0;
            for (let k = 0; k < 25; ++k) {
                const ray = rayTowards([30, 5, 8], point(20));
                const met = firstMet(world, scene, boxes, ray, shape);
                hits += met ? 1 : 0;
                const end = met ? met.distance : 60;
                for (let t = 0; t < end - 1e-3; t += 0.06) {
                    for (let i = 0; i < 300; ++i) assert.ok(!holds[shape](along(ray, t), i), `${shape}, ${t} of ${end}`);
                }
                if (met) assert.ok([1e-4, 1e-3, 1e-2].some((more) => holds[shape](along(ray, end + more), met.id)) || shape === "spheres");
            }
            assert.ok(hits > 5 && hits < 25, `${hits} hits`);
        }
    }
});

test("triangles: the nearest of those that a ray goes through", () => {
    const triangles = Float32Array.from({ length: 9 * 200 }, () => 10 * random());
    const given = new Float32Array(6 * 200);
    putTriangleBoxes(given, triangles, 200);
    for (const up of ["z", "y"]) {
        const { scene, boxes, world } = begin({ boxes: given, triangles, shape: "triangles", up });
        const drawn = scene.triangles;
        for (let k = 0; k < 500; ++k) {
            // towards a point of a triangle
            const target = Math.floor(200 * random());
            const [u, v] = [0.1 + 0.3 * random(), 0.1 + 0.3 * random()];
            const place = [0, 1, 2].map((axis) => {
                const [a, b, c] = [0, 3, 6].map((corner) => drawn[9 * target + corner + axis]);
                return a + u * (b - a) + v * (c - a);
            });
            const ray = rayTowards([-20, 17, 30], place);
            const met = firstMet(world, scene, boxes, ray, "scene");
            const reach = Math.hypot(...place.map((value, axis) => value - ray.origin[axis]));
            assert.ok(met && met.distance <= reach + 1e-5, `${met?.distance} of ${reach}`);
            if (met.id === target) assert.ok(Math.abs(met.distance - reach) < 1e-5);
        }
        assert.equal(firstMet(world, scene, boxes, rayTowards([-20, 17, 30], [-40, 30, 60]), "scene"), null);
    }
});

test("infinite boxes are not drawn, and not met", () => {
    const given = Float32Array.of(-Infinity, -Infinity, -Infinity, Infinity, Infinity, 0, 0, 0, -3, 1, 1, -2);
    const { scene, boxes, world } = begin({ boxes: given, shape: "boxes", up: "z" });
    assert.deepEqual(firstMet(world, scene, boxes, { origin: [0.5, 0.5, 8], direction: [0, 0, -1] }, "scene"), { id: 1, distance: 10 });
});

test("the ray through a place of the picture", () => {
    const camera = { yaw: 0, pitch: 0, distance: 3, target: [0, 0, 0] };
    const view = { center: [0, 0, 0], radius: 2 };
    assert.deepEqual(rayAt(camera, view, 800, 600, 400, 300), { origin: [6, 0, 0], direction: [-1, 0, 0] });
    const [x, y, z] = rayAt(camera, view, 800, 600, 400, 0).direction; // half the field of view up
    assert.ok(y === 0 && Math.abs(Math.atan2(z, -x) - 0.375) < 1e-12);
    assert.ok(rayAt(camera, view, 800, 600, 700, 300).direction[1] > 0);
});
