// Whatever a caller sends: an exception or an answer, and all is as it was. By a seed, with values of every kind everywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BroadphaseError, load, makeRandom, randomBoxes } from "./support.js";

const CALLS = 20000;

// Makes values that nobody should send, and some that are right.
function makeValues(bp, random) {
    const pick = (list) => list[Math.floor(list.length * random())];
    const floats = new bp.Floats(12);
    floats.view.fill(1);
    const numbers = [0, -0, 1, 2, 3, 6, -1, 0.5, NaN, Infinity, -Infinity, 1e300, 1e-320, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53, -(2 ** 31)];
    const few = () => Math.floor(7 * random());
    const lists = [
        () => Array.from({ length: few() }, () => pick(numbers)),
        () => new Array(6),
        () => Float32Array.from({ length: few() }, () => pick(numbers)),
        () => Float64Array.from({ length: 6 * few() }, () => pick(numbers)),
        () => Uint32Array.from({ length: few() }, few),
        () => randomBoxes(1 + few(), 5, 2, few()),
        () => Array.from(randomBoxes(1 + few(), 5, 2, few())),
        () => new Float32Array(1 + few()).fill(1),
        () => floats.view,
        () => floats.view.subarray(few(), few()),
        () => new BigInt64Array(6),
        () => new DataView(new ArrayBuffer(48)),
        () => ({ length: 6, 0: 1 }),
        () => ({ length: -1 }),
        () => new Set([0, 1, 2]),
        () => [0, 0, 0, 1, 1, { valueOf: () => 1 }],
    ];
    const others = [undefined, null, true, "", "7", "0,0,0", Symbol("id"), 5n, -1n, 2n ** 64n, () => 1, {}, new Date(0)];
    const value = () => (random() < 0.6 ? pick(lists)() : random() < 0.6 ? pick(numbers) : pick(others));
    const words = ["group", "mask", "island", "user", "static", "maxHits", "method", "dimensions", "period", "margin", "filter", "cellSize"];
    const settings = () => (random() < 0.3 ? undefined : random() < 0.2 ? value() : { [pick(words)]: value(), [pick(words)]: value() });
    return { pick, value, settings };
}

test(`${CALLS} calls with values of every kind`, async () => {
    const bp = await load({ maximumMemory: 64 << 20 });
    const random = makeRandom(34);
    const { pick, value, settings } = makeValues(bp, random);
    const world = new bp.World();
    world.add(randomBoxes(50, 5, 1.5, 1));
    const grains = new bp.Grains({ places: [0, 0, 0, 0, 0, 3], radii: 1 });
    const calls = [
        () => bp.pairs(value(), settings()),
        () => bp.pairsBetween(value(), value(), settings()),
        () => bp.neighbors(value(), value(), settings()),
        () => bp.neighborsBetween(value(), value(), value(), settings()),
        () => bp.explain(value(), settings()),
        () => new bp.World(settings()).dispose(),
        () => bp.World.load(value(), settings()),
        () => new bp.Floats(value()).dispose(),
        () => new bp.Grains({ places: value(), radii: value(), [pick(["speeds", "fixed", "walls", "gravity"])]: value() }).dispose(),
        () => grains.places(value()),
        () => world.add(value(), settings()),
        () => world.move(value(), value()),
        () => world.move(value()),
        () => world.setObject(value(), settings()),
        () => world.getObject(value()),
        () => world.pairsOf(value()),
        () => world.queryBox(value(), settings()),
        () => world.queryRay(value(), value(), value(), settings()),
        () => world.queryCast(value(), value(), value(), settings()),
        () => world.queryNearest(value(), value(), settings()),
        () => world.queryBoxes(value(), settings()),
        () => world.queryRays(value(), value(), value(), settings()),
        () => world.queryCasts(value(), value(), value(), settings()),
        () => world.queryNearestMany(value(), value(), settings()),
        () => world.reserve(random() < 0.1 ? value() : 1),
        () => world.remove(value()),
        () => world.update(),
    ];
    const count = { answers: 0, refusals: 0 };
    for (let i = 0; i < CALLS; ++i) {
        const before = world.count;
        const call = pick(calls);
        try {
            call();
            ++count.answers;
        } catch (error) {
            ++count.refusals;
            assert.equal(world.count, before);
            const isNamed = ["TypeError", "RangeError"].includes(error.name) && /: expected|^expected/.test(error.message);
            const isOurs = error instanceof BroadphaseError && error.status !== "internal";
            assert.ok(isNamed || isOurs, `${call}: ${error.stack}`);
        }
        if (i % 100 === 0) world.validate();
        if (world.count > 500) world.remove(Array.from({ length: 450 }, (_, id) => id).filter((id) => isAlive(world, id)));
    }
    world.validate();
    assert.ok(count.answers > CALLS / 20 && count.refusals > CALLS / 4, JSON.stringify(count));
});

function isAlive(world, id) {
    try {
        world.getObject(id);
        return true;
    } catch {
        return false;
    }
}
