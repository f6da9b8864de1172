// Errors are exceptions with the library's sentence, and leave everything as it was. Memory runs out, and comes back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BroadphaseError, bruteForce, load, randomBoxes, simd } from "./support.js";

const cube = new Float32Array([0, 0, 0, 1, 1, 1]);

test("what is wrong is said", () => {
    const wrong = [
        [() => simd.pairs(new Float32Array([0, 0, 0, 1, NaN, 1])), "box", /0/],
        [() => simd.pairs(new Float32Array([0, 0, 0, 1, -1, 1])), "box", /0/],
        [() => simd.pairs(new Float32Array(7)), "argument", /6 numbers for each, found 7/],
        [() => simd.pairs(cube, { method: "magic" }), "argument", /unknown method 'magic'; expected one of auto, /],
        [() => simd.pairs(cube, { spead: 1 }), "argument", /unknown field 'spead'; the fields are method, /],
        [() => simd.pairs(cube, { cellSize: "wide" }), "argument", /cell_size: expected a number/],
        [() => simd.pairs(cube, { margin: -1 }), "argument", /margin/],
        [() => simd.pairs(cube, { simd: "avx2" }), "unsupported", /avx2/],
        [() => simd.pairs(cube, { flags: 1 }), "argument", /flags/],
        [() => simd.neighbors([0, 0, 0], -1), "argument", /radius/],
        [() => simd.neighbors([0, 0, Infinity], 1), "box", /./],
        [() => simd.neighbors([0, 0, 0], [1, 1]), "argument", /one for each point/],
        [() => simd.World.load(new Uint8Array(100)), "argument", /./],
        [() => new simd.World({ dimensions: 4 }), "argument", /dimensions/],
        [() => new simd.Grains({ places: [0, 0, 0], radii: 0 }), "argument", /radii/],
        [() => new simd.Grains({ places: [0, 0, 0], radii: 1, walls: [{ axis: 3, at: 0, side: 1 }] }), "argument", /walls/],
    ];
    for (const [call, status, message] of wrong) {
        assert.throws(call, (error) => {
            assert.ok(error instanceof BroadphaseError && error instanceof Error, String(error));
            assert.equal(error.status, status, error.message);
            assert.match(error.message, message);
            return true;
        });
    }
    for (const call of [() => simd.pairs(3), () => simd.pairs(null), () => simd.pairs(cube, { filter: 1 }), () => simd.World.load([1])]) {
        assert.throws(call, TypeError);
    }
    assert.equal(simd.pairs(cube).length, 0);
});

// What JavaScript would silently make another number of is refused by name.
test("numbers that do not fit, and what is none", () => {
    const world = new simd.World();
    world.add(cube);
    const point = [0, 0, 0];
    const grains = (settings) => () => new simd.Grains({ places: point, radii: 1, ...settings });
    const wholes = {
        island: (island) => world.queryBox(cube, { island }),
        "island\\[1\\]": (island) => world.add(new Float32Array(12), { island: [1, island] }),
        maxHits: (maxHits) => world.queryRay(point, [1, 0, 0], 1, { maxHits }),
        k: (k) => world.queryNearest(point, k),
        "k ": (k) => world.queryNearestMany(point, k),
        count: (count) => world.reserve(count),
        steps: (steps) => new simd.Grains({ places: point, radii: 1 }).step(steps),
    };
    for (const [name, call] of Object.entries(wholes)) {
        const message = new RegExp(`^${name.trim()}: expected a whole number`);
        for (const value of [-1, 2 ** 32, 2 ** 33 + 1, 1.5, NaN, Infinity]) {
            assert.throws(() => call(value), { name: "RangeError", message }, `${name} ${value}`);
        }
        for (const value of ["7", null, 1n, true, () => 1]) {
            assert.throws(() => call(value), { name: "TypeError", message }, `${name} ${typeof value}`);
        }
    }
    const bits = {
        user: (user) => world.add(cube, { user }),
        group: (group) => world.add(cube, { group }),
        mask: (mask) => world.setObject(0, { mask }),
        "group\\[1\\]": (group) => world.add(new Float32Array(12), { group: [1, group] }),
        "mask ": (mask) => world.queryBox(cube, { mask }),
    };
    for (const [name, call] of Object.entries(bits)) {
        const message = new RegExp(`^${name.trim()}: expected a whole number`);
        for (const value of [2n ** 64n, -1n, 2 ** 53, 2 ** 64, -1, 0.5, NaN, Infinity]) {
            assert.throws(() => call(value), { name: "RangeError", message }, `${name} ${value}`);
        }
        for (const value of ["7", null, true, () => 1]) {
            assert.throws(() => call(value), { name: "TypeError", message }, `${name} ${typeof value}`);
        }
    }
    assert.throws(() => world.add(cube, { group: ~1 }), /write >>> 0/);
    for (const user of [{}]) assert.throws(() => world.add(cube, { user }), { name: "TypeError", message: /^user: / });
    const others = [
        [() => world.add(cube, { group: {} }), TypeError, /^group: /],
        [() => world.add(cube, { static: "no" }), TypeError, /^static: /],
        [() => world.add(cube, 3), TypeError, /group, mask, static/],
        [() => world.add([0, 0, 0, 1, 1, null]), TypeError, /^boxes: expected numbers, found null at 5/],
        [() => world.add(new Array(6)), TypeError, /^boxes: expected numbers, found undefined at 0/],
        [() => world.queryRay(point, ["1", 0, 0]), TypeError, /^direction: /],
        [() => world.queryRay(point, [1, 0, 0], null), TypeError, /^maxT: /],
        [() => world.queryRays(point, [1, 0, 0], "1"), TypeError, /^maxT: /],
        [() => world.remove(undefined), TypeError, /^ids: /],
        [() => world.remove({}), TypeError, /^ids: /],
        [() => simd.neighbors(point, "1"), TypeError, /^radius: /],
        [() => simd.neighbors(point, ["1"]), TypeError, /^radius: /],
        [() => simd.neighborsBetween(point, point, undefined), TypeError, /^radius: /],
        [() => simd.pairs(cube, 3), TypeError, /^settings: /],
        [() => simd.pairs(cube, { method: "bvh\0" }), TypeError, /^method: /],
        [() => new simd.Floats("6"), TypeError, /^length: /],
        [() => new simd.Floats(-1), RangeError, /^length: /],
        [() => new simd.Grains(), TypeError, /places and radii/],
        [grains({ walls: 1 }), TypeError, /^walls: /],
        [grains({ walls: [null] }), Error, /^walls: /],
        [grains({ fixed: true }), TypeError, /^fixed: /],
        [grains({ gravity: 9.81 }), TypeError, /^gravity: /],
        [grains({ radii: ["1"] }), TypeError, /^radii: /],
        [grains({ restitution: 2 }), RangeError, /^restitution: expected a number from 0 to 1, found 2/],
        [grains({ friction: -1 }), RangeError, /^friction: /],
        [grains({ timeStep: NaN }), RangeError, /^timeStep: /],
        [grains({ stiffness: "much" }), TypeError, /^stiffness: /],
        [grains({ period: [1, 1, -1] }), RangeError, /^period: /],
    ];
    for (const [call, type, message] of others) assert.throws(call, (error) => error instanceof type && message.test(error.message), String(call));
    for (const id of [-1, 2 ** 32, 0.5, NaN, "0", null, undefined, [0], []]) {
        for (const call of [() => world.getObject(id), () => world.pairsOf(id)]) assert.throws(call, { status: "id", message: /is no id/ });
    }
    for (const words of [{ margin: NaN }, { cellSize: NaN }, { cellSize: -1 }, { dimensions: 2.5 }, { octreeMaxDepth: 2 ** 33 }, { period: [NaN, 0, 0] }]) {
        assert.throws(() => simd.pairs(cube, words), { status: "argument" }, JSON.stringify(words));
    }
    for (const radius of [-1, NaN, Infinity]) {
        for (const points of [point, Float32Array.from(point)]) {
            assert.throws(() => simd.neighbors(points, radius), { status: "argument", message: /radius/ });
            assert.throws(() => simd.neighbors(points, [radius]), { status: "argument", message: /radius|radii/ });
            assert.throws(() => simd.neighborsBetween(points, points, radius), { status: "argument", message: /radius/ });
        }
    }
    for (const maxT of [-1, NaN]) assert.throws(() => world.queryRay(point, [1, 0, 0], maxT), { status: "argument" });
    assert.equal(world.count, 1);
    world.validate();
});

test("a world after an error is as it was", () => {
    const world = new simd.World({ pairOrder: "sorted" });
    const ids = world.add(randomBoxes(100, 4, 1.5, 1));
    const before = world.save();
    const wrong = [
        [() => world.add(new Float32Array([...cube, 0, 0, 0, -1, 0, 0])), "box"],
        [() => world.move([0, 1000], new Float32Array([...cube, ...cube])), "id"],
        [() => world.move([0], new Float32Array([...cube, ...cube])), "argument"],
        [() => world.move(new Float32Array([...cube, 0, 0, NaN, 1, 1, 1])), "box"],
        [() => world.remove([5, 1000]), "id"],
        [() => world.remove([5, 5]), "id"],
        [() => world.remove(-1), "id"],
        [() => world.remove([1.5]), "id"],
        [() => world.setObject([0, 1], { group: [1, 2, 3] }), "argument"],
        [() => world.getObject(1000), "id"],
        [() => world.queryRay([0, 0, 0], [0, 0, 0]), "argument"],
        [() => world.queryRay([0, 0], [0, 0, 1]), "argument"],
        [() => world.queryNearest([0, 0, 0], 0), "argument"],
        [() => world.pairsOf(1000), "id"],
    ];
    for (const [call, status] of wrong) assert.throws(call, { name: "BroadphaseError", status });
    assert.deepEqual(world.save(), before);
    world.validate();
    const update = world.update();
    world.move(ids.subarray(0, 1), cube);
    assert.throws(() => update.pairs, /has changed/);
    world.dispose();
    world.dispose();
    assert.throws(() => world.update(), { status: "argument", message: /disposed/ });
    assert.throws(() => new simd.World({ events: false }).update().begun, /keeps no events/);
});

test("out of memory is an exception, and nothing is lost", async () => {
    const bp = await load({ maximumMemory: 16 << 20 });
    const world = new bp.World({ pairOrder: "sorted" });
    const boxes = randomBoxes(2000, 14, 1.5, 1);
    world.add(boxes);
    const expected = bruteForce(boxes);
    assert.deepEqual(world.update().pairs, expected);
    const many = new Float32Array(6 * 4000); // all of them overlap: 64 MB of pairs
    const far = randomBoxes(300000, 200, 1, 1);
    const kept = new bp.World();
    kept.add(randomBoxes(10, 3, 1.5, 1));
    const calls = [
        () => bp.pairs(many), () => bp.pairs(far), () => bp.pairsBetween(many, many), () => new bp.Floats(5 << 20),
        () => bp.neighbors(new Float32Array(12000), 1), () => world.add(far), () => world.reserve(1e6),
    ];
    for (const call of calls) {
        assert.throws(call, { name: "BroadphaseError", status: "memory" });
        world.validate();
        assert.equal(world.count, 2000);
        assert.deepEqual(world.update().pairs, expected);
        assert.deepEqual(bp.pairs(boxes, { pairOrder: "sorted" }), expected);
    }
    assert.ok(bp.memoryBytes <= 16 << 20);
    await assert.rejects(load({ maximumMemory: 1000 }), { status: "argument" });
});

test("memory grows up to 4 GiB, and all works beyond 2 GiB", async () => {
    const bp = await load();
    const rooms = [0, 1, 2].map(() => new bp.Floats(1 << 28)); // a GiB each, which nobody touches
    const boxes = randomBoxes(1000, 9, 1.5, 1);
    const room = new bp.Floats(boxes.length);
    room.view.set(boxes);
    assert.ok(room.view.byteOffset > 3 * 2 ** 30);
    assert.deepEqual(bp.pairs(room.view, { pairOrder: "sorted" }), bruteForce(boxes));
    const world = new bp.World({ pairOrder: "sorted" });
    world.add(room.view);
    const update = world.update();
    assert.deepEqual(update.pairs, bruteForce(boxes));
    assert.deepEqual(update.pairsView, update.begun);
    assert.equal(world.queryBox([-1, -1, -1, 20, 20, 20]).length, 1000);
    assert.equal(bp.World.load(world.save()).count, 1000);
    assert.throws(() => new bp.Floats(1 << 28), { status: "memory" });
    assert.ok(bp.memoryBytes <= 2 ** 32);
    for (const one of rooms) one.dispose();
    new bp.Floats(1 << 28).dispose();
});

test("100,000 calls take no more memory than a few", async () => {
    const bp = await load();
    const boxes = randomBoxes(20, 3, 1.5, 1);
    const tries = [
        () => bp.pairs(boxes),
        () => bp.pairs(boxes, { method: "bvh", filter: () => true }),
        () => bp.pairsBetween(boxes, boxes),
        () => bp.neighbors(boxes, 1),
        () => bp.explain(boxes),
        () => bp.pairs(boxes, { method: "magic" }),
        () => bp.pairs(new Float32Array([0, 0, 0, NaN, 0, 0])),
        () => new bp.Floats(100).dispose(),
        () => new bp.World({ period: [1, 2] }).dispose(),
        () => {
            const world = new bp.World();
            world.add(boxes, { group: 3 });
            world.update();
            world.queryRay([0, 0, 0], [1, 1, 1]);
            world.queryBoxes(boxes);
            bp.World.load(world.save()).dispose();
            world.dispose();
        },
        () => {
            const grains = new bp.Grains({ places: [0, 0, 1, 0, 0, 3], radii: 1, fixed: [1, 0] });
            grains.step();
            grains.touching();
            grains.dispose();
        },
    ];
    const round = (count) => {
        for (let i = 0; i < count; ++i) {
            try {
                tries[i % tries.length]();
            } catch (error) {
                if (!(error instanceof BroadphaseError)) throw error;
            }
        }
    };
    round(1000);
    const before = bp.memoryBytes;
    round(100000);
    assert.equal(bp.memoryBytes, before);
});
