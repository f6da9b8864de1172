// Worlds against a naive model: random changes, events, queries; saving.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRandom, overlaps, simd, ways } from "./support.js";

// ---- a model: a map from ids to boxes and objects -------------------------------------------------------------------

const all = (bits) => (BigInt(bits) === 0n ? 2n ** 64n - 1n : BigInt(bits));

function mayPair(a, b) {
    return (
        (all(a.group) & all(b.mask)) !== 0n && (all(b.group) & all(a.mask)) !== 0n && a.island === b.island && !(a.static && b.static)
    );
}

function pairsOfModel(model, dimensions) {
    const ids = [...model.keys()].sort((a, b) => a - b);
    const pairs = [];
    ids.forEach((a, i) => {
        for (const b of ids.slice(i + 1)) {
            const [one, other] = [model.get(a), model.get(b)];
            if (mayPair(one, other) && overlaps(one.box, 0, other.box, 0, dimensions)) pairs.push([a, b]);
        }
    });
    return pairs;
}

const flat = (pairs) => Uint32Array.from(pairs.flat());
const without = (pairs, others) => {
    const set = new Set(others.map(String));
    return pairs.filter((pair) => !set.has(String(pair)));
};

function randomBox(random, dimensions, Type) {
    const low = Array.from({ length: dimensions }, () => 6 * random());
    return Type.from([...low, ...low.map((x) => x + 1.5 * random())]);
}

// Groups and masks have bits on both sides of the 32nd, as numbers or as bigints.
const randomObject = (random) => ({
    group: random() < 0.5 ? 0 : 2 ** (31 + Math.floor(3 * random())),
    mask: random() < 0.5 ? 0 : BigInt(Math.floor(8 * random())) << 31n,
    static: random() < 0.3,
    island: Math.floor(1.2 * random()),
});

const listsOf = (objects) => Object.fromEntries(Object.keys(objects[0]).map((key) => [key, objects.map((object) => object[key])]));

function concatenate(boxes, Type) {
    return Type.from(boxes.flatMap((box) => [...box]));
}

// ---- sequences ------------------------------------------------------------------------------------------------------

function addSome(world, model, random, dimensions, Type) {
    const count = 1 + Math.floor(20 * random());
    const boxes = Array.from({ length: count }, () => randomBox(random, dimensions, Type));
    const objects = boxes.map(() => randomObject(random));
    const ids = world.add(concatenate(boxes, Type), listsOf(objects));
    ids.forEach((id, i) => {
        assert.ok(!model.has(id));
        model.set(id, { box: boxes[i], ...objects[i] });
    });
}

const pick = (model, random, share) => [...model.keys()].filter(() => random() < share);

function moveSome(world, model, random, dimensions, Type) {
    const ids = pick(model, random, 0.4);
    const boxes = ids.map(() => randomBox(random, dimensions, Type));
    world.move(ids, concatenate(boxes, Type));
    ids.forEach((id, i) => (model.get(id).box = boxes[i]));
}

function removeSome(world, model, random) {
    const ids = pick(model, random, 0.1);
    world.remove(ids);
    for (const id of ids) model.delete(id);
    return ids;
}

function changeSome(world, model, random) {
    const ids = pick(model, random, 0.1);
    if (ids.length === 0) return;
    const objects = ids.map(() => randomObject(random));
    world.setObject(ids, listsOf(objects));
    ids.forEach((id, i) => Object.assign(model.get(id), objects[i]));
}

test("random changes: pairs and events are those of a naive model", () => {
    for (const { name, bp, settings } of ways) {
        for (const [dimensions, Type, seed] of [[3, Float32Array, 1], [2, Float32Array, 2], [3, Float64Array, 3]]) {
            for (const method of ["auto", "bvh", "hierarchical-grid", "sweep-and-prune"]) {
                const random = makeRandom(seed);
                const world = new bp.World({ dimensions, method, pairOrder: "sorted", ...settings });
                const model = new Map();
                let last = [];
                for (let step = 0; step < 25; ++step) {
                    const what = `${name}, ${dimensions}, ${Type.name}, ${method}, step ${step}`;
                    const gone = removeSome(world, model, random);
                    addSome(world, model, random, dimensions, Type);
                    moveSome(world, model, random, dimensions, Type);
                    changeSome(world, model, random);
                    const now = pairsOfModel(model, dimensions);
                    const update = world.update();
                    assert.deepEqual(update.pairs, flat(now), what);
                    // A pair of an object whose id has a new owner has ended, and may have begun.
                    const replaced = (pair) => pair.some((id) => gone.includes(id));
                    const kept = last.filter((pair) => !replaced(pair));
                    assert.deepEqual(update.begun, flat(without(now, kept)), what);
                    const ended = last.filter((pair) => replaced(pair) || !now.some((other) => String(other) === String(pair)));
                    assert.deepEqual(update.ended, flat(ended), what);
                    assert.deepEqual(Uint32Array.from(update.pairsView), update.pairs);
                    assert.equal(world.count, model.size);
                    assert.equal(update.stats.pairs, now.length);
                    last = now;
                }
                world.validate();
                world.dispose();
            }
        }
    }
});

test("move without ids, and views of the library's memory", () => {
    const world = new simd.World({ pairOrder: "sorted" });
    const floats = new simd.Floats(12);
    floats.view.set([0, 0, 0, 1, 1, 1, 5, 5, 5, 6, 6, 6]);
    world.add(floats.view);
    assert.equal(world.update().pairs.length, 0);
    floats.view.set([0, 0, 0, 1, 1, 1, 1, 1, 1, 6, 6, 6]);
    world.move(floats.view);
    const update = world.update();
    assert.deepEqual(update.begun, Uint32Array.of(0, 1));
    assert.deepEqual(update.pairs, update.begunView);
    assert.deepEqual(world.pairsOf(0), Uint32Array.of(1));
});

// ---- queries --------------------------------------------------------------------------------------------------------

function passes(box, origin, direction, dimensions, extents) {
    let [enter, leave] = [0, Infinity];
    for (let axis = 0; axis < dimensions; ++axis) {
        const [low, high] = [box[axis] - extents[axis], box[dimensions + axis]];
        if (direction[axis] === 0) {
            if (origin[axis] < low || origin[axis] > high) return null;
            continue;
        }
        const ends = [low, high].map((x) => (x - origin[axis]) / direction[axis]).sort((a, b) => a - b);
        enter = Math.max(enter, ends[0]);
        leave = Math.min(leave, ends[1]);
    }
    return enter <= leave ? enter : null;
}

function distance(box, point, dimensions) {
    let square = 0;
    for (let axis = 0; axis < dimensions; ++axis) {
        square += Math.max(0, box[axis] - point[axis], point[axis] - box[dimensions + axis]) ** 2;
    }
    return Math.fround(Math.sqrt(square));
}

test("queries are those of brute force", () => {
    for (const { bp, settings } of ways) {
        for (const dimensions of [2, 3]) {
            const random = makeRandom(17);
            const whole = () => Array.from({ length: dimensions }, () => Math.floor(24 * random()) / 4); // exact in 32 bits
            const boxes = Array.from({ length: 300 }, () => {
                const low = whole();
                return [...low, ...low.map((x) => x + Math.floor(6 * random()) / 4)];
            });
            const world = new bp.World({ dimensions, ...settings });
            world.add(concatenate(boxes, Float32Array), { group: boxes.map((_, i) => 1 + (i % 2)) });
            const questions = Array.from({ length: 60 }, whole);
            const directions = questions.map(() => [1, random() < 0.5 ? 0 : 2, random() < 0.5 ? 0 : -1].slice(0, dimensions));
            const areas = questions.map((low) => [...low, ...low.map((x) => x + 1)]);
            world.update();

            const single = questions.map((point, i) => ({
                box: world.queryBox(areas[i]),
                ray: world.queryRay(point, directions[i]),
                first: world.queryRay(point, directions[i], 3, { maxHits: 2 }),
                cast: world.queryCast(areas[i], directions[i]),
                nearest: world.queryNearest(point, 4),
                seen: world.queryBox(areas[i], { mask: 2 }),
            }));
            questions.forEach((point, i) => {
                const inside = boxes.flatMap((box, id) => (overlaps(areas[i], 0, box, 0, dimensions) ? [id] : []));
                assert.deepEqual(single[i].box, Uint32Array.from(inside));
                assert.deepEqual(single[i].seen, Uint32Array.from(inside.filter((id) => id % 2 === 1)));
                const hitsOf = (extents) =>
                    boxes
                        .map((box, id) => ({ id, t: passes(box, point, directions[i], dimensions, extents) }))
                        .filter(({ t }) => t !== null)
                        .sort((a, b) => a.t - b.t || a.id - b.id);
                const hits = hitsOf([0, 0, 0]);
                assert.deepEqual(Array.from(single[i].ray.ids), hits.map(({ id }) => id));
                assert.deepEqual(Array.from(single[i].ray.t), hits.map(({ t }) => t));
                assert.deepEqual(Array.from(single[i].first.ids), hits.filter(({ t }) => t <= 3).slice(0, 2).map(({ id }) => id));
                assert.deepEqual(Array.from(single[i].cast.ids), hitsOf([1, 1, 1]).map(({ id }) => id));
                const near = boxes
                    .map((box, id) => ({ id, d: distance(box, point, dimensions) }))
                    .sort((a, b) => a.d - b.d || a.id - b.id)
                    .slice(0, 4);
                assert.deepEqual(Array.from(single[i].nearest.ids), near.map(({ id }) => id));
                assert.deepEqual(Array.from(single[i].nearest.distances), near.map(({ d }) => d));
            });

            const points = Float32Array.from(questions.flat());
            const along = Float32Array.from(directions.flat());
            const asked = Float32Array.from(areas.flat());
            const compare = (answers, word, values) =>
                questions.forEach((_, i) => {
                    const [from, to] = answers.offsets.subarray(i, i + 2);
                    assert.deepEqual(answers.ids.slice(from, to), single[i][word].ids ?? single[i][word]);
                    if (values) assert.deepEqual(Array.from(answers[values].slice(from, to)), Array.from(single[i][word][values], Math.fround));
                });
            compare(world.queryBoxes(asked), "box");
            compare(world.queryRays(points, along), "ray", "t");
            compare(world.queryRays(points, along, 3, { maxHits: 2 }), "first", "t");
            compare(world.queryCasts(asked, along), "cast", "t");
            compare(world.queryNearestMany(points, 4), "nearest", "distances");
            compare(world.queryBoxes(asked, { mask: 2 }), "seen");
            world.dispose();
        }
    }
});

test("an empty world answers", () => {
    const world = new simd.World();
    assert.equal(world.update().pairs.length, 0);
    assert.equal(world.queryBox([0, 0, 0, 1, 1, 1]).length, 0);
    assert.equal(world.queryNearest([0, 0, 0], 3).ids.length, 0);
    assert.equal(world.queryRay([0, 0, 0], [1, 0, 0], 5, { maxHits: 3 }).ids.length, 0);
    assert.deepEqual(world.queryBoxes([]).offsets, Uint32Array.of(0));
    assert.equal(world.add([]).length, 0);
});

// ---- the rest -------------------------------------------------------------------------------------------------------

test("objects are read back", () => {
    const world = new simd.World();
    const [id] = world.add([1, 2, 3, 4, 5, 6.5], { group: 2 ** 53 - 1, mask: 2n ** 64n - 1n, static: true, island: 7, user: 2n ** 63n });
    assert.deepEqual(world.getObject(id), {
        box: Float64Array.of(1, 2, 3, 4, 5, 6.5), group: 2n ** 53n - 1n, mask: 2n ** 64n - 1n, static: true, island: 7, user: 2n ** 63n,
    });
    world.setObject(id);
    assert.equal(world.getObject(id).user, 0n);
    const plane = new simd.World({ dimensions: 2 });
    plane.add([1, 2, 3, 4]);
    assert.deepEqual(plane.getObject(0).box, Float64Array.of(1, 2, 3, 4));
});

test("a saved world goes on where it was, in whatever way", () => {
    const random = makeRandom(23);
    const boxes = concatenate(Array.from({ length: 300 }, () => randomBox(random, 3, Float32Array)), Float32Array);
    const moved = boxes.map((x) => x + 0.25);
    const saved = ways.map(({ bp, settings }) => {
        const world = new bp.World({ pairOrder: "sorted", ...settings });
        world.add(boxes);
        world.update();
        return world.save();
    });
    for (const bytes of saved) assert.deepEqual(bytes, saved[0]);
    const updates = ways.map(({ bp, settings }) => {
        const world = bp.World.load(saved[0], { method: "bvh", pairOrder: "sorted", ...settings });
        world.move(Uint32Array.of(0, 1, 2), moved.subarray(0, 18));
        const { pairs, begun, ended } = world.update();
        return { pairs, begun, ended };
    });
    for (const update of updates) assert.deepEqual(update, updates[0]);
    assert.throws(() => simd.World.load(saved[0], { dimensions: 2 }), { status: "argument" });
    assert.throws(() => simd.World.load(saved[0].subarray(0, 500)), { status: "argument" });
    const altered = saved[0].slice();
    altered[400] ^= 1;
    assert.throws(() => simd.World.load(altered), { status: "argument" });
});

test("a world's filter, and words about it", () => {
    const world = new simd.World({ filter: (a, b) => b !== 1, pairOrder: "sorted" });
    world.reserve(3);
    world.add([0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
    assert.deepEqual(world.update().pairs, Uint32Array.of(0, 2, 1, 2));
    assert.equal(world.stats.objects, 3);
    assert.match(world.explain(), /^brute-force: with so few objects/);
    assert.equal(world.stats.method, "brute-force");
});
