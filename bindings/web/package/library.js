// The library as JavaScript has it: one instance of the module, with its own memory.
import { refuse } from "./error.js";
import { makeFloatsClass } from "./floats.js";
import { makeGrainsClass } from "./grains.js";
import { Heap, isFloat32 } from "./heap.js";
import { numberOf, typedOf } from "./numbers.js";
import { holdRows, placeRows } from "./rows.js";
import { Call } from "./settings.js";
import { readExplanation } from "./stats.js";
import { makeWorldClass } from "./world.js";

const supports = { twoDimensions: 1, between: 2, incremental: 4, threads: 8 };

export class Broadphase {
    #heap;
    #plainCall; // without settings
    #isSimd;

    static async begin(module, maximumMemory) {
        const heap = new Heap(maximumMemory);
        await heap.instantiate(module);
        return new Broadphase(heap);
    }

    constructor(heap) {
        this.#heap = heap;
        this.#plainCall = new Call(heap);
        this.#isSimd = this.#canRun({ simd: "wasm" });
        for (const [name, make] of [["World", makeWorldClass], ["Floats", makeFloatsClass], ["Grains", makeGrainsClass]]) {
            const made = make(heap);
            if (Symbol.dispose !== undefined) made.prototype[Symbol.dispose] = made.prototype.dispose;
            Object.defineProperty(this, name, { value: made, enumerable: true });
        }
    }

    #canRun(settings) {
        try {
            this.pairs(new Float32Array(0), settings);
            return true;
        } catch {
            return false;
        }
    }

    get version() {
        return this.#heap.text(this.#heap.get("web_version"));
    }

    get simd() {
        return this.#isSimd;
    }

    get memoryBytes() {
        return this.#heap.byteLength;
    }

    // Runs something with a call that has these settings.
    #with(settings, run) {
        if (settings === undefined) return run(this.#plainCall);
        const call = new Call(this.#heap, settings);
        try {
            return run(call);
        } finally {
            call.dispose();
        }
    }

    #findPairs(boxes, call) {
        const rows = holdRows(this.#heap, boxes, "boxes", "boxes", call);
        const address = placeRows(this.#heap, "first", rows);
        this.#heap.call("web_find_pairs", call.address, address, rows.count, rows.isDouble);
    }

    #pairsCopy() {
        return this.#heap.uint32Copy(this.#heap.result(0), 2 * this.#heap.result(1));
    }

    pairs(boxes, settings = undefined) {
        return this.#with(settings, (call) => {
            this.#findPairs(boxes, call);
            return this.#pairsCopy();
        });
    }

    pairsView(boxes, settings = undefined) {
        return this.#with(settings, (call) => {
            this.#findPairs(boxes, call);
            return this.#heap.uint32View(this.#heap.result(0), 2 * this.#heap.result(1));
        });
    }

    // Two sets of rows, both in 32 bits or both in 64.
    #placeBoth(a, b, kind, call) {
        const isDouble = !(isFloat32(a) && isFloat32(b));
        const first = holdRows(this.#heap, a, "a", kind, call, isDouble);
        const second = holdRows(this.#heap, b, "b", kind, call, isDouble);
        const address = placeRows(this.#heap, "first", first);
        return [address, first.count, placeRows(this.#heap, "second", second), second.count, isDouble];
    }

    pairsBetween(a, b, settings = undefined) {
        return this.#with(settings, (call) => {
            const [atA, countA, atB, countB, isDouble] = this.#placeBoth(a, b, "boxes", call);
            this.#heap.call("web_find_pairs_between", call.address, atA, countA, atB, countB, isDouble);
            return this.#pairsCopy();
        });
    }

    #neighborsCopy() {
        const heap = this.#heap;
        return {
            offsets: heap.uint32Copy(heap.result(0), heap.result(1)),
            indices: heap.uint32Copy(heap.result(2), heap.result(3)),
        };
    }

    #findVariable(points, radii, call) {
        const heap = this.#heap;
        const isDouble = !(isFloat32(points) && isFloat32(radii));
        const held = heap.hold(typedOf(radii, "radius"));
        const rows = holdRows(heap, points, "points", "points", call, isDouble);
        if (held.length !== rows.count) {
            throw refuse(`radius: expected a number, or ${rows.count} of them, one for each point`);
        }
        const address = placeRows(heap, "first", rows);
        const places = heap.place("second", held, isDouble ? "f64" : "f32", held.length, call.hasFilter);
        heap.call("web_find_neighbors_variable", call.address, address, places, rows.count, isDouble);
    }

    neighbors(points, radius, settings = undefined) {
        return this.#with(settings, (call) => {
            if (typeof radius === "number") {
                const rows = holdRows(this.#heap, points, "points", "points", call);
                const address = placeRows(this.#heap, "first", rows);
                this.#heap.call("web_find_neighbors", call.address, address, rows.count, radius, rows.isDouble);
            } else {
                this.#findVariable(points, radius, call);
            }
            return this.#neighborsCopy();
        });
    }

    neighborsBetween(a, b, radius, settings = undefined) {
        numberOf(radius, "radius");
        return this.#with(settings, (call) => {
            const [atA, countA, atB, countB, isDouble] = this.#placeBoth(a, b, "points", call);
            this.#heap.call("web_find_neighbors_between", call.address, atA, countA, atB, countB, radius, isDouble);
            return this.#neighborsCopy();
        });
    }

    explain(boxes, settings = undefined) {
        return this.#with(settings, (call) => {
            this.#findPairs(boxes, call);
            return readExplanation(this.#heap, this.#heap.get("web_call_stats", call.address));
        });
    }

    methods() {
        const heap = this.#heap;
        return Array.from({ length: heap.get("web_method_count") }, (_, i) => {
            const bits = heap.get("web_method_supports", i);
            return {
                name: heap.text(heap.get("web_method_name", i)),
                summary: heap.text(heap.get("web_method_summary", i)),
                supports: Object.fromEntries(Object.entries(supports).map(([word, bit]) => [word, (bits & bit) !== 0])),
            };
        });
    }
}
