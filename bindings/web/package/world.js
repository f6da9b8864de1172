// Worlds.
import { refuse } from "./error.js";
import { numberOf, typedOf, wholeOf } from "./numbers.js";
import { objectsOf, placeObjects, readObject } from "./objects.js";
import { countRows, holdRows, idOf, idsOf, oneRow, placeRows } from "./rows.js";
import { Call } from "./settings.js";
import { readExplanation, readStats } from "./stats.js";

const lists = ["pairs", "begun", "ended"];

// What an update found. Lists are read out of the library's memory when they are asked for, which they can be until the
// world changes.
class Update {
    #heap;
    #isCurrent;
    #places;
    #copies = {};

    constructor(heap, isCurrent, hasEvents, stats) {
        this.#heap = heap;
        this.#isCurrent = isCurrent;
        this.#places = lists.map((_, i) => (i === 0 || hasEvents ? [heap.result(2 * i), heap.result(2 * i + 1)] : null));
        this.stats = stats;
    }

    #place(list) {
        const place = this.#places[list];
        if (place === null) throw refuse("this world keeps no events: it was made with events: false");
        if (!this.#isCurrent()) throw refuse("the world has changed since this update: read its lists before");
        return [place[0], 2 * place[1]];
    }

    #copy(list) {
        return (this.#copies[list] ??= this.#heap.uint32Copy(...this.#place(list)));
    }

    get pairs() {
        return this.#copy(0);
    }
    get begun() {
        return this.#copy(1);
    }
    get ended() {
        return this.#copy(2);
    }
    get pairsView() {
        return this.#heap.uint32View(...this.#place(0));
    }
    get begunView() {
        return this.#heap.uint32View(...this.#place(1));
    }
    get endedView() {
        return this.#heap.uint32View(...this.#place(2));
    }
}

// Rays (7 numbers) or casts (10) as 32 bits: what they begin with, a direction, and how long.
function placeLines(heap, begins, kind, what, towards, maxT, dimensions) {
    const [rows, directions] = [typedOf(begins, what), typedOf(towards, "directions")];
    const count = countRows(rows, what, kind, dimensions);
    if (countRows(directions, "directions", "points", dimensions) !== count) {
        throw refuse(`${count} ${what}, but ${directions.length / dimensions} directions`);
    }
    const width = rows.length / count;
    const lines = new Float32Array((kind === "points" ? 7 : 10) * count);
    numberOf(maxT, "maxT");
    for (let i = 0, at = 0; i < count; ++i) {
        const row = rows.subarray(width * i, width * (i + 1));
        const direction = directions.subarray(dimensions * i, dimensions * (i + 1));
        for (const value of oneRow(row, what, kind, dimensions)) lines[at++] = value;
        for (const value of oneRow(direction, "directions", "points", dimensions)) lines[at++] = value;
        lines[at++] = maxT;
    }
    return [count, heap.place("first", heap.hold(lines), "f32")];
}

const maxHitsOf = (options) => (options?.maxHits === undefined ? 0 : wholeOf(options.maxHits, "maxHits"));

export function makeWorldClass(heap) {
    // What was forgotten without being disposed of.
    const forgotten = new FinalizationRegistry(({ world, call }) => {
        heap.forget("web_world_destroy", world);
        call.forget();
    });

    return class World {
        #call;
        #world = 0;
        #changes = 0;
        #hasEvents;

        constructor(settings = {}, bytes = undefined) {
            const words = { events: true, ...settings };
            this.#call = new Call(heap, words);
            this.#hasEvents = Boolean(words.events);
            try {
                this.#create(bytes);
            } catch (error) {
                this.#call.dispose();
                throw error;
            }
            forgotten.register(this, { world: this.#world, call: this.#call }, this);
        }

        #create(bytes) {
            if (bytes === undefined) {
                heap.call("web_world_create", this.#call.address);
            } else {
                const address = heap.slot("first", bytes.length);
                heap.views.u8.set(bytes, address);
                heap.call("web_world_load", this.#call.address, address, bytes.length);
            }
            this.#world = heap.result(0);
        }

        static load(bytes, settings = {}) {
            if (!(bytes instanceof Uint8Array)) throw new TypeError("bytes: expected a Uint8Array");
            return new World(settings, bytes);
        }

        dispose() {
            if (this.#world === 0) return;
            heap.get("web_world_destroy", this.#world);
            forgotten.unregister(this);
            this.#call.dispose();
            this.#world = 0;
            ++this.#changes;
        }

        get #open() {
            if (this.#world === 0) throw refuse("this world is disposed of");
            return this.#world;
        }

        #change(name, ...values) {
            ++this.#changes;
            heap.call(name, ...values);
        }

        // ---- objects

        add(boxes, objects = undefined) {
            const rows = holdRows(heap, boxes, "boxes", "boxes", this.#call);
            const bytes = objectsOf(objects, rows.count);
            const address = placeRows(heap, "first", rows);
            const places = placeObjects(heap, bytes);
            const ids = heap.slot("ids", 4 * rows.count);
            this.#change("web_add", this.#call.address, this.#open, rows.count, address, rows.isDouble, places, ids);
            return heap.uint32Copy(ids, rows.count);
        }

        move(ids, boxes = undefined) {
            const hasIds = boxes !== undefined;
            const list = hasIds ? heap.hold(idsOf(ids)) : null;
            const rows = holdRows(heap, hasIds ? boxes : ids, "boxes", "boxes", this.#call);
            if (hasIds && list.length !== rows.count) throw refuse(`${list.length} ids, but ${rows.count} boxes`);
            const address = placeRows(heap, "first", rows);
            const places = hasIds ? heap.place("ids", list, "u32") : 0;
            this.#change("web_move", this.#call.address, this.#open, rows.count, places, address, rows.isDouble);
        }

        remove(ids) {
            const list = idsOf(ids).slice().sort();
            this.#change("web_remove", this.#open, list.length, heap.place("ids", heap.hold(list), "u32"));
        }

        setObject(ids, objects = undefined) {
            const list = heap.hold(idsOf(ids));
            const bytes = objectsOf(objects, list.length);
            const places = heap.place("ids", list, "u32");
            this.#change("web_set_object", this.#open, list.length, places, placeObjects(heap, bytes));
        }

        getObject(id) {
            heap.call("web_get_object", this.#open, idOf(id));
            const at = heap.result(0) >>> 3;
            const all = heap.views.f64.slice(at, at + 6);
            const box = this.#call.dimensions === 3 ? all : Float64Array.of(all[0], all[1], all[3], all[4]);
            return { box, ...readObject(heap, heap.result(1)) };
        }

        update() {
            const world = this.#open;
            this.#change("web_update", world);
            const now = this.#changes;
            const isCurrent = () => this.#changes === now;
            return new Update(heap, isCurrent, this.#hasEvents, this.stats);
        }

        // ---- questions

        #one(values) {
            return heap.place("first", heap.hold(new Float64Array(values)), "f64");
        }

        #line(kind, what, start, direction, maxT) {
            const { dimensions } = this.#call;
            const line = oneRow(start, what, kind, dimensions);
            return this.#one([...line, ...oneRow(direction, "direction", "points", dimensions), numberOf(maxT, "maxT")]);
        }

        #hits() {
            const at = heap.result(0);
            const count = heap.result(1);
            const { u32, f64 } = heap.views;
            const hits = { ids: new Uint32Array(count), t: new Float64Array(count) };
            for (let i = 0; i < count; ++i) {
                hits.ids[i] = u32[(at >>> 2) + 4 * i];
                hits.t[i] = f64[(at >>> 3) + 2 * i + 1];
            }
            return hits;
        }

        #answers(values) {
            const count = heap.result(3);
            const rows = {
                offsets: heap.uint32Copy(heap.result(0), heap.result(1)),
                ids: heap.uint32Copy(heap.result(2), count),
            };
            if (values !== undefined) rows[values] = heap.float32Copy(heap.result(4), count);
            return rows;
        }

        queryBox(box, as = undefined) {
            const object = objectsOf(as, 1);
            const question = this.#one(oneRow(box, "box", "boxes", this.#call.dimensions));
            heap.call("web_query_box", this.#open, question, placeObjects(heap, object));
            return heap.uint32Copy(heap.result(0), heap.result(1));
        }

        queryRay(origin, direction, maxT = Infinity, options = undefined) {
            const [object, maxHits] = [objectsOf(options, 1), maxHitsOf(options)];
            const question = this.#line("points", "origin", origin, direction, maxT);
            heap.call("web_query_ray", this.#open, question, placeObjects(heap, object), maxHits);
            return this.#hits();
        }

        queryCast(box, direction, maxT = Infinity, options = undefined) {
            const [object, maxHits] = [objectsOf(options, 1), maxHitsOf(options)];
            const question = this.#line("boxes", "box", box, direction, maxT);
            heap.call("web_query_cast", this.#open, question, placeObjects(heap, object), maxHits);
            return this.#hits();
        }

        queryNearest(point, k = 1, as = undefined) {
            const [object, most] = [objectsOf(as, 1), wholeOf(k, "k")];
            const question = new Float32Array(oneRow(point, "point", "points", this.#call.dimensions));
            const place = heap.place("first", heap.hold(question), "f32");
            heap.call("web_query_nearest", this.#open, place, most, placeObjects(heap, object));
            const at = heap.result(0) >>> 2;
            const count = heap.result(1);
            const { u32, f32 } = heap.views;
            return {
                ids: Uint32Array.from({ length: count }, (_, i) => u32[at + 2 * i]),
                distances: Float32Array.from({ length: count }, (_, i) => f32[at + 2 * i + 1]),
            };
        }

        queryBoxes(boxes, as = undefined) {
            const object = objectsOf(as, 1);
            const rows = holdRows(heap, boxes, "boxes", "boxes", this.#call, false);
            const address = placeRows(heap, "first", rows);
            heap.call("web_query_boxes", this.#call.address, this.#open, rows.count, address, placeObjects(heap, object));
            return this.#answers();
        }

        queryRays(origins, directions, maxT = Infinity, options = undefined) {
            const [object, maxHits] = [objectsOf(options, 1), maxHitsOf(options)];
            const lines = placeLines(heap, origins, "points", "origins", directions, maxT, this.#call.dimensions);
            heap.call("web_query_rays", this.#open, ...lines, maxHits, placeObjects(heap, object));
            return this.#answers("t");
        }

        queryCasts(boxes, directions, maxT = Infinity, options = undefined) {
            const [object, maxHits] = [objectsOf(options, 1), maxHitsOf(options)];
            const lines = placeLines(heap, boxes, "boxes", "boxes", directions, maxT, this.#call.dimensions);
            heap.call("web_query_casts", this.#open, ...lines, maxHits, placeObjects(heap, object));
            return this.#answers("t");
        }

        queryNearestMany(points, k = 1, as = undefined) {
            const [object, most] = [objectsOf(as, 1), wholeOf(k, "k")];
            const rows = holdRows(heap, points, "points", "points", this.#call, false);
            const address = placeRows(heap, "first", rows);
            const places = placeObjects(heap, object);
            heap.call("web_query_nearest_many", this.#call.address, this.#open, rows.count, address, most, places);
            return this.#answers("distances");
        }

        pairsOf(id) {
            heap.call("web_pairs_of", this.#open, idOf(id));
            return heap.uint32Copy(heap.result(0), heap.result(1));
        }

        // ---- the rest

        get count() {
            return heap.get("web_world_count", this.#open);
        }

        reserve(count) {
            this.#change("web_world_reserve", this.#open, wholeOf(count, "count"));
        }

        get stats() {
            return readStats(heap, heap.get("web_world_stats", this.#open));
        }

        explain() {
            return readExplanation(heap, heap.get("web_world_stats", this.#open));
        }

        save() {
            heap.call("web_world_save", this.#open);
            const address = heap.result(0);
            const bytes = heap.views.u8.slice(address, address + heap.result(1));
            heap.release(address);
            return bytes;
        }

        validate() {
            heap.call("web_world_validate", this.#open);
        }
    };
}
