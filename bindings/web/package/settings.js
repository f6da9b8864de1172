// Settings: the words of the tool's --set, in camel case. The library parses them.
import { refuse, shown } from "./error.js";

const flags = { events: 2, half: 4 };

const snakeCase = (word) => word.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());

// A period in two dimensions may have two values.
function textOf(word, value) {
    if (typeof value === "string" || typeof value === "number") return String(value);
    if (typeof value !== "object" || typeof value?.[Symbol.iterator] !== "function") {
        throw new TypeError(`${word}: expected text, a number, or several numbers`);
    }
    const values = [...value];
    if (word === "period" && values.length === 2) values.push(0);
    return values.join(",");
}

function setWord(heap, call, word, value) {
    if (word === "flags") throw refuse("unknown field 'flags'");
    const text = textOf(word, value);
    if (text.includes("\0")) throw new TypeError(`${word}: expected text without a zero character`);
    const field = heap.placeText("field", snakeCase(word));
    heap.call("web_call_set", call, field, heap.placeText("value", text));
}

// A config in the library's memory.
export class Call {
    #heap;
    #filter = 0;

    constructor(heap, settings = {}) {
        this.#heap = heap;
        if (typeof settings !== "object" || settings === null) {
            throw new TypeError(`settings: expected an object, found ${shown(settings)}`);
        }
        this.address = heap.get("web_call_create");
        if (this.address === 0) throw heap.error(4);
        try {
            this.#set(settings);
        } catch (error) {
            this.dispose();
            throw error;
        }
    }

    #set(settings) {
        let bits = 0;
        for (const [word, value] of Object.entries(settings)) {
            if (value === undefined) continue;
            if (word === "filter") this.#setFilter(value);
            else if (word in flags) bits |= value ? flags[word] : 0;
            else setWord(this.#heap, this.address, word, value);
        }
        this.#heap.get("web_call_set_flags", this.address, bits);
        this.dimensions = this.#heap.get("web_call_dimensions", this.address);
    }

    #setFilter(filter) {
        if (typeof filter !== "function") throw new TypeError("filter: expected a function of two numbers");
        this.#filter = this.#heap.addFilter(filter);
        this.#heap.get("web_call_set_filter", this.address, this.#filter);
    }

    // A filter is the user's, and might change the numbers that the call reads.
    get hasFilter() {
        return this.#filter !== 0;
    }

    dispose() {
        this.#heap.get("web_call_destroy", this.address);
        this.#heap.removeFilter(this.#filter);
    }

    // The same for a call that was forgotten: by the garbage collector.
    forget() {
        this.#heap.forget("web_call_destroy", this.address);
        this.#heap.removeFilter(this.#filter);
    }
}
