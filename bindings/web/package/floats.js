// Room for numbers in the library's memory.
import { refuse } from "./error.js";
import { wholeOf } from "./numbers.js";

const { subarray } = Float32Array.prototype;

// A view that keeps its floats from being collected, and so do its parts: their `subarray` knows the floats.
function keeping(view, floats) {
    const value = (...range) => keeping(subarray.apply(view, range), floats);
    return Object.defineProperty(view, "subarray", { value });
}

export function makeFloatsClass(heap) {
    const forgotten = new FinalizationRegistry((address) => heap.forget("web_release", address));

    return class Floats {
        #address;
        #length;

        constructor(length) {
            this.#length = wholeOf(length, "length", Number.MAX_SAFE_INTEGER);
            this.#address = heap.allocate(Math.max(4, 4 * length));
            forgotten.register(this, this.#address, this);
        }

        get length() {
            return this.#length;
        }

        get view() {
            if (this.#address === 0) throw refuse("these floats are disposed of");
            return keeping(new Float32Array(heap.views.buffer, this.#address, this.#length), this);
        }

        dispose() {
            if (this.#address === 0) return;
            heap.release(this.#address);
            forgotten.unregister(this);
            this.#address = 0;
        }
    };
}
