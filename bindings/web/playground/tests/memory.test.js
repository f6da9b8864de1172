// Memory stays flat while the page runs: that of WebAssembly, and what JavaScript holds in page and worker after the garbage has
// been collected. A minute; SOAK_SECONDS=600 makes it ten.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { begin, numberOf, openPage, waitForRest, withoutPicture } from "./browser.js";

const SECONDS = Number(process.env.SOAK_SECONDS ?? 60);
const SAMPLES = 12;
const SLACK = 500_000; // bytes: what the engine itself keeps varies by a fifth of that

let chromium;
before(async () => (chromium = await begin()));
after(() => chromium.end());

/** Lines to the debuggers of a page and of its worker: each asks `method` with `parameters`. */
async function debuggersOf(page) {
    const line = await page.context().newCDPSession(page);
    const answers = new Map();
    line.on("Target.receivedMessageFromTarget", ({ message }) => {
        const { id, result, error } = JSON.parse(message);
        answers.get(id)?.(result ?? Promise.reject(new Error(error.message)));
        answers.delete(id);
    });
    const attached = new Promise((resolve) => line.on("Target.attachedToTarget", resolve));
    await line.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    const { sessionId } = await attached;
    let last = 0;
    const askWorker = (method, parameters = {}) =>
        new Promise((resolve, reject) => {
            const id = ++last;
            answers.set(id, resolve);
            const message = JSON.stringify({ id, method, params: parameters });
            line.send("Target.sendMessageToTarget", { sessionId, message }).catch(reject);
        });
    return [(method, parameters) => line.send(method, parameters), askWorker];
}

/** Bytes that JavaScript holds, its array buffers among them. */
async function heapOf(ask) {
    await ask("HeapProfiler.collectGarbage");
    const { usedSize, backingStorageSize } = await ask("Runtime.getHeapUsage");
    return usedSize + backingStorageSize;
}

/** Bytes of all WebAssembly memories. */
async function wasmOf(ask) {
    const { result: prototype } = await ask("Runtime.evaluate", { expression: "WebAssembly.Memory.prototype" });
    const { objects } = await ask("Runtime.queryObjects", { prototypeObjectId: prototype.objectId });
    const { result } = await ask("Runtime.callFunctionOn", {
        objectId: objects.objectId,
        functionDeclaration: "function() { return this.reduce((sum, { buffer }) => sum + buffer.byteLength, 0); }",
    });
    for (const { objectId } of [prototype, objects]) await ask("Runtime.releaseObject", { objectId });
    return result.value;
}

for (const [count, drawn] of [
    [2000, true],
    [50000, false],
]) {
    test(`memory stays flat: ${count} boxes, ${drawn ? "drawn" : "not drawn"}, ${SECONDS / 2} s`, async (context) => {
        const page = await openPage(chromium, `#scene=gas&n=${count}`, drawn ? {} : withoutPicture);
        const [askPage, askWorker] = await debuggersOf(page);
        const samples = [];
        for (let i = 0; i <= SAMPLES; ++i) {
            await page.waitForTimeout((1000 * (SECONDS / 2)) / (SAMPLES + 1));
            await page.dispatchEvent("#play", "click"); // at rest no array is on its way
            await waitForRest(page);
            const wasm = await wasmOf(askWorker);
            samples.push({ wasm, heaps: [await heapOf(askPage), await heapOf(askWorker)] });
            await page.dispatchEvent("#play", "click");
        }
        const steps = await numberOf(page, "at-step");
        samples.shift(); // until then buffers grow to what they must hold
        for (const { wasm, heaps } of samples) context.diagnostic(`WebAssembly ${wasm}, page ${heaps[0]}, worker ${heaps[1]} bytes`);
        context.diagnostic(`${steps} steps`);
        assert.ok(steps > SECONDS, `only ${steps} steps`);
        assert.deepEqual(new Set(samples.map(({ wasm }) => wasm)).size, 1, "WebAssembly's memory has grown");
        for (const which of [0, 1]) {
            const most = (part) => Math.max(...part.map(({ heaps }) => heaps[which]));
            const growth = most(samples.slice(-SAMPLES / 3)) - most(samples.slice(0, SAMPLES / 3));
            assert.ok(growth < SLACK, `what ${which ? "the worker" : "the page"} holds has grown by ${growth} bytes`);
        }
        assert.deepEqual(page.problems, []);
        await page.context().close();
    });
}
