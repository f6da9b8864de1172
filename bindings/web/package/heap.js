// The library's memory, and calls into it. Numbers go in through slots: pieces of memory that are kept, and grow as needed.
import { BroadphaseError, refuse, statusName } from "./error.js";

const PAGE = 65536;
const INITIAL_PAGES = 32; // as CMakeLists.txt says

// Some machines refuse to reserve 4 GiB of addresses: then less must do.
function reserve(maximumPages) {
    for (let maximum = maximumPages; ; maximum = Math.max(INITIAL_PAGES, maximum >>> 1)) {
        try {
            return new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
        } catch (error) {
            if (maximum === INITIAL_PAGES) throw error;
        }
    }
}

export class Heap {
    #memory;
    #library;
    #results;
    #views = {};
    #buffers = new WeakSet(); // all that the memory has had
    #slots = new Map();
    #filters = new Map();
    #nextFilter = 1;
    #thrown = null; // by a filter
    #isBusy = false;
    #broken = null;

    constructor(maximumMemory = 65536 * PAGE) {
        const pages = Math.floor(maximumMemory / PAGE);
        if (!(pages >= INITIAL_PAGES && pages <= 65536)) {
            throw refuse(`maximumMemory: expected ${INITIAL_PAGES * PAGE} to ${65536 * PAGE} bytes`);
        }
        this.#memory = reserve(pages);
    }

    async instantiate(module) {
        const nothing = () => 52; // the C library's streams, which nobody uses
        const instance = await WebAssembly.instantiate(module, {
            env: { memory: this.#memory },
            web: { now: () => performance.now(), filter: (...pair) => this.#ask(...pair) },
            wasi_snapshot_preview1: { fd_close: nothing, fd_seek: nothing, fd_write: nothing },
        });
        this.#library = instance.exports;
        this.#results = instance.exports.web_results_address() >>> 2;
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Views

    // The views are made again when the memory has grown, which empties the old ones.
    get views() {
        const buffer = this.#memory.buffer;
        if (this.#views.buffer !== buffer) {
            this.#buffers.add(buffer);
            this.#views = {
                buffer,
                u8: new Uint8Array(buffer),
                u32: new Uint32Array(buffer),
                f32: new Float32Array(buffer),
                f64: new Float64Array(buffer),
            };
        }
        return this.#views;
    }

    get byteLength() {
        return this.#memory.buffer.byteLength;
    }

    result(index) {
        return this.views.u32[this.#results + index];
    }

    uint32View(address, count) {
        return new Uint32Array(this.views.buffer, address, count);
    }

    // A piece of the buffer itself: a slice of a view would be filled with zeros first.
    uint32Copy(address, count) {
        return new Uint32Array(this.views.buffer.slice(address, address + 4 * count));
    }

    float32Copy(address, count) {
        return this.views.f32.slice(address >>> 2, (address >>> 2) + count);
    }

    text(address) {
        const { u8 } = this.views;
        return new TextDecoder().decode(u8.slice(address, u8.indexOf(0, address)));
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Memory

    #check() {
        if (this.#broken !== null) {
            throw new BroadphaseError("internal", "the library has failed before, and is of no use", {
                cause: this.#broken,
            });
        }
        if (this.#isBusy) throw refuse("the library is in use: a filter may not call it");
    }

    allocate(bytes) {
        this.#check();
        const address = bytes < 2 ** 32 ? this.#library.web_allocate(bytes) >>> 0 : 0;
        if (address === 0) throw this.error(4);
        return address;
    }

    release(address) {
        this.get("web_release", address);
    }

    // What the garbage collector has found is given back by a function of the library's, unless that is of no use any more.
    forget(name, address) {
        if (this.#broken === null) this.get(name, address);
    }

    // A slot's place, for this many bytes. What was there is lost.
    slot(name, bytes) {
        this.#check();
        const slot = this.#slots.get(name);
        if (slot !== undefined && slot.bytes >= bytes) return slot.address;
        if (slot !== undefined) {
            this.#slots.delete(name);
            this.release(slot.address);
        }
        const room = Math.max(64, bytes);
        const address = this.allocate(room);
        this.#slots.set(name, { address, bytes: room });
        return address;
    }

    placeText(name, text) {
        const bytes = new TextEncoder().encode(text + "\0");
        const address = this.slot(name, bytes.length);
        this.views.u8.set(bytes, address);
        return address;
    }

    // Whether an array is a view over this memory.
    #isHere(array) {
        if (array.buffer === undefined || !this.#buffers.has(array.buffer)) return false;
        if (array.buffer === this.#memory.buffer) return true;
        throw refuse("this view is from before the memory has grown: take it anew from where it came");
    }

    // A typed array that stays what it is when the memory grows, which empties views over it: what a call is given is held
    // before anything of it is placed.
    hold(numbers) {
        const { length, byteOffset, constructor } = numbers;
        const isHere = this.#isHere(numbers);
        const get = () => (isHere ? new constructor(this.views.buffer, byteOffset, length) : numbers);
        return { isHere, length, byteOffset, constructor, get };
    }

    // What is held as numbers of a kind ("u8", "u32", "f32", "f64"): where it lies, if that is here already, unless `isCopied`;
    // else in a slot, with room for `room` numbers.
    place(name, held, kind, room = held.length, isCopied = false) {
        const isOfKind = held.constructor === this.views[kind].constructor;
        if (held.isHere && !isCopied && room === held.length && isOfKind) return held.byteOffset;
        const address = this.slot(name, room * this.views[kind].BYTES_PER_ELEMENT);
        const at = address / this.views[kind].BYTES_PER_ELEMENT;
        this.views[kind].subarray(at, at + room).set(held.get());
        return address;
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Calls

    error(status) {
        const sentence = this.text(this.#library.web_status_sentence(status) >>> 0);
        return new BroadphaseError(statusName(status), sentence);
    }

    // Calls a function that gives no status.
    get(name, ...values) {
        this.#check();
        return this.#library[name](...values) >>> 0;
    }

    // Calls one that does, and throws where that is not BP_OK.
    call(name, ...values) {
        this.#check();
        let status;
        this.#isBusy = true;
        try {
            status = this.#library[name](...values);
        } catch (error) {
            this.#broken = error;
        } finally {
            this.#isBusy = false;
        }
        this.#check();
        this.#rethrow();
        if (status !== 0) throw this.error(status);
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Filters

    addFilter(filter) {
        this.#filters.set(this.#nextFilter, filter);
        return this.#nextFilter++;
    }

    removeFilter(handle) {
        this.#filters.delete(handle);
    }

    // What a filter throws may not pass through the library: it waits until the call is done.
    #ask(handle, a, b) {
        if (this.#thrown !== null) return 0;
        try {
            return this.#filters.get(handle)(a >>> 0, b >>> 0) ? 1 : 0;
        } catch (error) {
            this.#thrown = { error };
            return 0;
        }
    }

    #rethrow() {
        if (this.#thrown === null) return;
        const { error } = this.#thrown;
        this.#thrown = null;
        throw error;
    }
}

export const isFloat32 = (numbers) => numbers?.[Symbol.toStringTag] === "Float32Array";
