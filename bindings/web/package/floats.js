// Room for numbers in the library's memory.
import { refuse } from "./error.js";

export function makeFloatsClass(heap) {
    const forgotten = new FinalizationRegistry((address) => heap.release(address));

    return class Floats {
        #address;
        #length;

        constructor(length) {
            if (!(Number.isInteger(length) && length >= 0)) throw refuse("length: expected a whole number");
            this.#length = length;
            this.#address = heap.allocate(Math.max(4, 4 * length));
            forgotten.register(this, this.#address, this);
        }

        get length() {
            return this.#length;
        }

        get view() {
            if (this.#address === 0) throw refuse("these floats are disposed of");
            return new Float32Array(heap.views.buffer, this.#address, this.#length);
        }

        dispose() {
            if (this.#address === 0) return;
            forgotten.unregister(this);
            heap.release(this.#address);
            this.#address = 0;
        }
    };
}
