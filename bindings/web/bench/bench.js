// This package beside others, in one run: unit cubes that all move, in a box where each has two pairs, and all pairs at each
// step; the same with squares. Then WebAssembly beside the native library.
// usage: bindings/web/bench/run.sh, which installs the others; or node bench.js [FOLDER-WITH-NODE_MODULES]
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { broadphase, broadphaseInPlace, broadphaseWorld, peersFrom } from "./peers.js";

const house = fileURLToPath(new URL("../../../", import.meta.url));
const { load } = await import(`${house}build/web/package/index.js`);
const [, , peerFolder] = process.argv;

// ---- the scene ------------------------------------------------------------------------------------------------------

function makeRandom(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

// Objects move by up to a fifth of their size a step, and bounce back from the walls.
function* steps(count, dimensions) {
    const random = makeRandom(count);
    const extent = (2 ** (dimensions - 2) * count) ** (1 / dimensions);
    const places = Float32Array.from({ length: dimensions * count }, () => extent * random());
    const speeds = Float32Array.from({ length: dimensions * count }, () => 0.4 * (random() - 0.5));
    for (;;) {
        const boxes = new Float32Array(2 * dimensions * count);
        for (let i = 0; i < count; ++i) {
            for (let axis = 0; axis < dimensions; ++axis) {
                const k = dimensions * i + axis;
                const at = 2 * dimensions * i + axis;
                boxes[at] = places[k];
                boxes[at + dimensions] = boxes[at] + 1;
                if (places[k] + speeds[k] < 0 || places[k] + speeds[k] > extent) speeds[k] = -speeds[k];
                places[k] += speeds[k];
            }
        }
        yield boxes;
    }
}

// ---- measuring ------------------------------------------------------------------------------------------------------

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

// Milliseconds of processor time: what else the machine does matters less. (run.sh makes node use one thread, for garbage, too.)
function workDone() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
}

const warmUpSeconds = 0.4;
const secondsOfOne = 12; // after which it stops, when it has done five steps

// One after the other, each on the same steps; the first one's numbers of pairs are those that the others must find.
function measureOne(who, count, dimensions, stepCount, expected) {
    const scene = steps(count, dimensions);
    const times = [];
    const begin = performance.now();
    globalThis.gc?.();
    let last = null;
    for (let step = 0; times.length < stepCount; ++step) {
        const seconds = (performance.now() - begin) / 1e3;
        if (times.length >= 5 && seconds > secondsOfOne) break;
        const prepared = who.prepare(scene.next().value);
        const start = performance.now();
        const startWork = workDone();
        const { pairs, share } = who.find(prepared, () => performance.now() - start);
        const time = (workDone() - startWork) * (share ?? 1);
        expected[step] ??= pairs;
        if (pairs !== null && pairs !== expected[step]) throw new Error(`${who.name}: ${pairs}, not ${expected[step]} pairs`);
        // The first steps are for the compiler.
        if (step >= 2 && seconds > warmUpSeconds) times.push(time);
        last = pairs;
    }
    return { name: who.name, time: median(times), pairs: last, steps: times.length };
}

function measure(contestants, count, dimensions, stepCount) {
    const expected = {};
    return contestants.map((who) => measureOne(who, count, dimensions, stepCount, expected));
}

function measureNative(count, dimensions, stepCount, simd) {
    const program = `${house}build/web/native_time`;
    const source = fileURLToPath(new URL("native_time.c", import.meta.url));
    execFileSync("cc", ["-std=c11", "-O2", source, "-o", program, `-I${house}include`, `${house}build/lib/libbroadphase.a`, "-lm", "-pthread"]);
    const scene = steps(count, dimensions);
    const all = new Float32Array(6 * count * stepCount);
    for (let step = 0; step < stepCount; ++step) {
        const boxes = scene.next().value;
        if (dimensions === 3) all.set(boxes, 6 * count * step);
        else for (let i = 0; i < count; ++i) [0, 1, 3, 4].forEach((to, k) => (all[6 * (count * step + i) + to] = boxes[4 * i + k]));
    }
    const said = execFileSync(program, [count, simd, dimensions].map(String), { input: Buffer.from(all.buffer), encoding: "utf8", maxBuffer: 1 << 30 });
    const times = said.trim().split("\n").slice(Math.ceil(stepCount / 10)).map((line) => Number(line.split(" ")[0]));
    return { time: median(times), steps: times.length };
}

// ---- the run --------------------------------------------------------------------------------------------------------

const peers = peerFolder ? await peersFrom(peerFolder) : { cubes: [], squares: [] };
const versionOf = (name) => JSON.parse(readFileSync(`${peerFolder}/node_modules/${name}/package.json`, "utf8")).version;
const versions = peerFolder ? ["box-intersect", "rbush-3d", "flatbush", "@dimforge/rapier3d-compat"].map((name) => `${name} ${versionOf(name)}`) : [];
const commit = execFileSync("git", ["-C", house, "describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
const simd = await load();
const plain = await load({ simd: false });
const say = (line) => console.log(line);

say(`# broadphase ${simd.version} (${commit}), node ${process.version}, ${versions.join(", ")}`);
say(`# ${cpus()[0].model}, one thread; medians of milliseconds of processor time a step; one after the other, on the same steps`);
say(`# ${new Date().toISOString()}, bindings/web/bench/run.sh`);
say(`# ratio: how many times as long as this package with SIMD takes`);
say(`${"scene".padEnd(9)}${"objects".padStart(8)}  ${"who".padEnd(26)}${"ms".padStart(10)}${"ratio".padStart(9)}${"pairs".padStart(9)}${"steps".padStart(7)}`);

const report = (scene, count, name, { time, pairs, steps: stepCount }, base) => {
    say(
        `${scene.padEnd(9)}${String(count).padStart(8)}  ${name.padEnd(26)}${time.toPrecision(4).padStart(10)}` +
            `${(time / base).toFixed(2).padStart(9)}${String(pairs ?? "").padStart(9)}${String(stepCount).padStart(7)}`);
};

for (const [scene, dimensions, others] of [["cubes", 3, peers.cubes], ["squares", 2, peers.squares]]) {
    for (const [count, stepCount] of [[1000, 300], [10000, 60], [100000, 12]]) {
        const settings = dimensions === 2 ? { dimensions } : undefined;
        const own = [broadphase("broadphase", simd, settings), broadphase("broadphase, plain", plain, settings)];
        if (dimensions === 3) {
            own.push(broadphaseInPlace("broadphase, no copies", simd), broadphaseWorld("broadphase, a world", simd));
        }
        const results = measure([...own, ...others], count, dimensions, stepCount);
        const base = results[0].time;
        for (const result of results) report(scene, count, result.name, result, base);
        for (const [name, set] of [["native, AVX2", 2], ["native, scalar", 1]]) {
            report(scene, count, name, measureNative(count, dimensions, stepCount, set), base);
        }
    }
}
