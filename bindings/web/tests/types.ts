// Every call as users write it; `tsc` checks the types.
import { load, hasSimd, BroadphaseError } from "../../../build/web/package/index.js";
import type { Broadphase, Hits, Neighbors, Settings, Stats, Update, World } from "../../../build/web/package/index.js";

const bp: Broadphase = await load({ simd: hasSimd(), maximumMemory: 2 ** 30 });
const boxes: Float32Array = new Float32Array(12);
const settings: Settings = { method: "bvh", period: [1, 2, 0], filter: (a, b) => a < b, cellSize: 2 };
const pairs: Uint32Array = bp.pairs(boxes, settings);
bp.pairs([0, 0, 1, 1], { dimensions: 2 });
bp.pairsView(new Float64Array(6));
bp.pairsBetween(boxes, boxes, { pairOrder: "sorted" });
const rows: Neighbors = bp.neighbors(boxes, 1, { half: true });
bp.neighbors(boxes, Float32Array.of(1, 2, 3, 4), { radiusRule: "sum" });
bp.neighborsBetween(boxes, boxes, 1);
const text: string = bp.explain(boxes);
const names: string[] = bp.methods().filter(({ supports }) => supports.between).map(({ name }) => name);

const world: World = new bp.World({ events: false, update: "rebuild" });
const ids: Uint32Array = world.add(boxes, { group: 1, static: [true, false], user: 1n });
world.move(boxes);
world.move(ids, boxes);
world.setObject(ids, { mask: 2 });
const update: Update = world.update();
const begun: Uint32Array = update.begun;
const stats: Stats = update.stats;
const hits: Hits = world.queryRay([0, 0, 0], [1, 0, 0], 10, { maxHits: 1, mask: 1 });
world.queryCast(boxes.subarray(0, 6), [1, 0, 0]).t.at(0);
world.queryNearest([0, 0, 0], 2).distances.at(0);
world.queryBoxes(boxes).offsets.at(0);
world.queryRays(boxes, boxes).t.at(0);
world.queryCasts(boxes, boxes).t.at(0);
world.queryNearestMany(boxes, 2).distances.at(0);
world.remove(0);
const copy: World = bp.World.load(world.save());
copy.dispose();

const floats = new bp.Floats(6);
bp.pairs(floats.view);
const grains = new bp.Grains({ places: boxes, radii: 1, walls: [{ axis: 2, at: 0, side: 1 }], fixed: [true, false, 0, 1] });
grains.step(10);
grains.places(new Float32Array(12));

try {
    // @ts-expect-error: there is no such method
    bp.pairs(boxes, { method: "magic" });
    // @ts-expect-error: there is no such setting
    bp.pairs(boxes, { spead: 1 });
    // @ts-expect-error: text is not boxes
    bp.pairs("boxes");
} catch (error) {
    if (error instanceof BroadphaseError && error.status === "argument") console.log(error.message);
}
export { begun, hits, names, pairs, rows, stats, text };
