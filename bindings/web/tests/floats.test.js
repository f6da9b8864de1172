// Room in the library's memory: how long it lasts, and who may give it back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isSame, load, randomBoxes, simd } from "./support.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

async function forget() {
    for (let i = 0; i < 5; ++i) {
        await wait(5);
        collectGarbage();
    }
}

const LENGTH = 12000;

test("a view keeps its floats, and so does a part of it, and a part of that", async () => {
    const bp = await load();
    new bp.Floats(1 << 23).dispose(); // the memory need not grow any more, which would empty the views
    const parts = [(view) => view, (view) => view.subarray(6), (view) => view.subarray(6).subarray(6, 60)];
    const kept = parts.map((part) => part(new bp.Floats(LENGTH).view));
    await forget();
    const world = new bp.World({ pairOrder: "sorted" });
    const boxes = randomBoxes(4 * LENGTH, 60, 1, 1);
    world.add(boxes);
    const expected = world.update().pairs;
    for (const view of kept) view.fill(1e30); // memory of the world's, if it had been given back
    world.validate();
    world.move(boxes);
    assert.deepEqual(world.update().pairs, expected);
    assert.deepEqual(kept.map((view) => view.length), [LENGTH, LENGTH - 6, 54]);
});

test("floats that nobody has a view of are given back", async () => {
    const bp = await load({ maximumMemory: 64 << 20 });
    for (let i = 0; i < 20; ++i) {
        new bp.Floats(1 << 22).view.subarray(1);
        await forget();
    }
    assert.ok(bp.memoryBytes <= 64 << 20);
});

test("views are arrays like others", () => {
    const view = new simd.Floats(3).view;
    view.set([1, 2, 3]);
    assert.deepEqual(view, Float32Array.of(1, 2, 3));
    assert.deepEqual(view.subarray(1), Float32Array.of(2, 3));
    assert.deepEqual(view.subarray(-2, -1), Float32Array.of(2));
    assert.deepEqual(Object.keys(view), ["0", "1", "2"]);
    assert.equal(view.slice(1).constructor, Float32Array);
});

test("a filter may neither give memory back nor change what the call reads", () => {
    const boxes = randomBoxes(2000, 14, 1.5, 1);
    const floats = new simd.Floats(boxes.length);
    floats.view.set(boxes);
    const expected = simd.pairs(boxes);
    const world = new simd.World({ filter: () => other.dispose() });
    const other = new simd.World();
    world.add(boxes);
    const grains = new simd.Grains({ places: [0, 0, 0], radii: 1 });
    for (const kept of [floats, other, world, grains]) {
        const filter = () => kept.dispose();
        assert.throws(() => simd.pairs(floats.view, { filter }), { status: "argument", message: /a filter may not call it/ });
    }
    assert.throws(() => world.update(), /a filter may not call it/);
    const scribble = () => floats.view.fill(NaN) !== null;
    assert.deepEqual(simd.pairs(floats.view, { filter: scribble }), expected);
    floats.view.set(boxes);
    assert.deepEqual(simd.pairs(floats.view), expected);
    assert.equal(other.count, 0);
    assert.equal(grains.count, 1);
    for (const kept of [floats, other, world, grains]) kept.dispose();
    assert.throws(() => floats.view, /disposed/);
});

test("what a call is given may be views, however much the memory grows for the rest of it", async () => {
    const boxes = randomBoxes(100000, 300, 1, 3);
    const list = Array.from(boxes);
    const calls = [
        (bp, given) => bp.pairsBetween(list, given),
        (bp, given) => bp.pairsBetween(given, list),
        (bp, given) => bp.neighbors(list.map((x) => 50 * x), given.subarray(0, 200000)).indices,
        (bp, given) => {
            const world = new bp.World();
            world.add(given, { group: new Uint32Array(100000).fill(1) });
            return world.update().pairs;
        },
    ];
    for (const call of calls) {
        const bp = await load();
        const floats = new bp.Floats(boxes.length);
        floats.view.set(boxes);
        const before = bp.memoryBytes;
        const answer = call(bp, floats.view);
        assert.ok(bp.memoryBytes > before);
        assert.ok(isSame(answer, call(simd, boxes)), String(call));
    }
});
